/* target_study.c - probabilities of the most accesses in one stack, stack after stack. */
#include "ndp/nsu/target_study.h"

#include "base/check.h"

double nsu_target_first(uint32_t access_count, uint32_t stack_count)
{
	return (double)(access_count - 1) * (stack_count - 1) / stack_count;
}

/* Probability that n accesses put at most `most` into each of the stacks: stack after stack, ways[k] is the share of
 * the placements of k accesses over the stacks so far that keep to it. With s stacks, the new one takes j of k with
 * probability C(k, j) (1/s)^j (1 - 1/s)^(k - j). */
static double at_most(uint32_t n, uint32_t stack_count, uint32_t most)
{
	double ways[NSU_TARGET_ACCESS_MAX + 1];

	for (uint32_t k = 0; k <= n; k++)
		ways[k] = k <= most;
	for (uint32_t s = 2; s <= stack_count; s++) {
		double odds = 1.0 / (s - 1); /* 1/s over 1 - 1/s */

		for (uint32_t k = n; k > 0; k--) {
			double taken = 1, sum = 0; /* taken: j of k, for j = 0 first */

			for (uint32_t j = 0; j < k; j++)
				taken *= 1 - 1.0 / s;
			for (uint32_t j = 0; j <= k && j <= most; j++) {
				sum += taken * ways[k - j];
				taken *= odds * (k - j) / (j + 1);
			}
			ways[k] = sum;
		}
	}
	return ways[n];
}

double nsu_target_best(uint32_t access_count, uint32_t stack_count)
{
	double fullest = 0;

	CHECK(access_count >= 1 && access_count <= NSU_TARGET_ACCESS_MAX);
	for (uint32_t most = 0; most < access_count; most++)
		fullest += 1 - at_most(access_count, stack_count, most);
	return access_count - fullest;
}
