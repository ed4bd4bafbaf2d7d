/* What hangs on what, as the compiler's plugin finds it: cycles of a step of some loops, on a core that issues out of
 * order. flows NAME prints them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCK_NS 3.5 /* cycles of channel-cpu in a ns */

enum { WORDS = 1 << 15, STRIDE = 16, STEPS = 2000, SMALL = 64 };

static uint64_t next[WORDS * STRIDE], first[SMALL];
static volatile uint64_t sink;
static uint32_t order[WORDS];
static double numbers[SMALL];

static double ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Each line is a step's, in an order that no prefetcher finds. */
static void fill(void)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		const uint32_t to = (at * 1664525u + 1013904223u) % WORDS;

		next[(size_t)at * STRIDE] = (uint64_t)to * STRIDE;
		order[i] = to * STRIDE;
		at = to;
	}
	for (uint32_t i = 0; i < SMALL; i++) {
		first[i] = (i * 5 + 3) % SMALL;
		numbers[i] = 1;
	}
}

static void chase(void)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < STEPS; i++)
		at = next[at];
	sink = at;
}

/* Two ways to the next address, of which only a phi knows. */
static void chase_either(void)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		if (at & STRIDE) {
			at = next[at];
			__asm__ volatile("" : "+r"(at));
		} else {
			at = next[at];
		}
	}
	sink = at;
}

static void gather(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < STEPS; i++)
		sum += next[order[i]];
	sink = sum;
}

static void scatter(void)
{
	for (uint32_t i = 0; i < STEPS; i++)
		next[order[i]] = i;
}

static void small_chase(uint32_t rounds)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < rounds; i++)
		at = first[at];
	sink = at;
}

static void multiplied(uint32_t rounds)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < rounds; i++)
		at = first[at] * (i | 1) % SMALL;
	sink = at;
}

static void sum(uint32_t rounds)
{
	double all = 0;

	for (uint32_t i = 0; i < rounds; i++)
		all += numbers[i % SMALL];
	sink = (uint64_t)all;
}

static void sums(uint32_t rounds)
{
	double a = 0, b = 0, c = 0, d = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		a += numbers[i % SMALL];
		b += numbers[(i + 1) % SMALL];
		c += numbers[(i + 2) % SMALL];
		d += numbers[(i + 3) % SMALL];
	}
	sink = (uint64_t)(a + b + c + d);
}

/* From a store to a load of it, which the compiler does not know. */
static void stored(uint32_t rounds)
{
	uint64_t value = 1, *at = &first[0];

	for (uint32_t i = 0; i < rounds; i++) {
		__asm__ volatile("" : "+r"(at) : : "memory");
		*at = value;
		__asm__ volatile("" : "+r"(at) : : "memory");
		value = *at + 1;
	}
	sink = value;
}

static void cold(const char *name)
{
	if (!strcmp(name, "chase"))
		chase();
	else if (!strcmp(name, "either"))
		chase_either();
	else if (!strcmp(name, "gather"))
		gather();
	else
		scatter();
}

static void warm(const char *name, uint32_t rounds)
{
	if (!strcmp(name, "small"))
		small_chase(rounds);
	else if (!strcmp(name, "multiplied"))
		multiplied(rounds);
	else if (!strcmp(name, "sum"))
		sum(rounds);
	else if (!strcmp(name, "sums"))
		sums(rounds);
	else
		stored(rounds);
}

int main(int argc, char **argv)
{
	const int is_cold = argc > 2 && !strcmp(argv[1], "cold");
	double begin;

	if (argc < 3)
		return 2;
	fill();
	if (!is_cold)
		warm(argv[2], SMALL * 4);
	begin = ns();
	if (is_cold)
		cold(argv[2]);
	else
		warm(argv[2], STEPS);
	printf("%.2f\n", (ns() - begin) * CLOCK_NS / STEPS);
	return 0;
}
