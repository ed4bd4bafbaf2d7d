/* analyzer.c - per pair of address bits, where the lines of an instance would lie. */
#include "ndp/map/analyzer.h"

#include <string.h>

bool map_has_bits(uint32_t stack_count)
{
	return stack_count > 1 && stack_count <= MAP_STACKS_MAX && !(stack_count & (stack_count - 1));
}

void map_instance_open(struct map_instance *in, uint32_t stack_count, uint32_t hash_bit)
{
	memset(in, 0, sizeof(*in));
	in->is_open = true;
	in->stack_count = (uint8_t)stack_count;
	in->hash_bit = (uint8_t)hash_bit;
}

static void count(uint16_t *accesses)
{
	if (*accesses != UINT16_MAX)
		++*accesses;
}

/* The stack of a line under the mapping by the bits from `bit` on: as mem_map_hash_stacks makes it. */
static uint32_t stack_under(uint32_t stack_count, uint32_t hash_bit, uint64_t line_addr_bytes, uint32_t bit)
{
	const uint32_t mask = stack_count - 1u, width = (uint32_t)__builtin_ctz(stack_count);
	uint32_t stack = (uint32_t)(line_addr_bytes >> bit) & mask;

	for (uint32_t b = bit + width; b < hash_bit; b += width)
		stack ^= (uint32_t)(line_addr_bytes >> b) & (hash_bit - b < width ? (1u << (hash_bit - b)) - 1 : mask);
	return stack;
}

void map_instance_touch(struct map_instance *in, uint64_t line_addr_bytes, uint32_t stack_in_force)
{
	uint32_t mask = in->stack_count - 1u;

	in->has_touched = true;
	for (uint32_t m = 0; m < MAP_COUNT; m++) {
		const uint32_t bit = MAP_BIT_FIRST + m;

		count(&in->accesses[m][in->hash_bit ? stack_under(in->stack_count, in->hash_bit, line_addr_bytes, bit) :
						      line_addr_bytes >> bit & mask]);
	}
	count(&in->accesses[MAP_IN_FORCE][stack_in_force & mask]);
}

bool map_instance_judge(struct map_instance *in, struct map_judged *sums)
{
	if (!in->is_open || in->is_judged || !in->has_touched)
		return false;
	in->is_judged = true;
	sums->instances++;
	for (uint32_t m = 0; m < MAP_COUNT; m++) {
		for (uint32_t s = 0; s < in->stack_count; s++)
			sums->stacks[m] += in->accesses[m][s] != 0;
	}
	return true;
}

bool map_instance_close(struct map_instance *in, struct map_totals *totals)
{
	uint32_t total = 0;

	if (!in->is_open)
		return false;
	in->is_open = false;
	if (!in->has_touched)
		return false;
	for (uint32_t s = 0; s < in->stack_count; s++)
		total += in->accesses[0][s];
	totals->instances++;
	totals->accesses += total;
	for (uint32_t m = 0; m <= MAP_COUNT; m++) {
		uint32_t touched = 0, most = 0;

		for (uint32_t s = 0; s < in->stack_count; s++) {
			touched += in->accesses[m][s] != 0;
			most = in->accesses[m][s] > most ? in->accesses[m][s] : most;
		}
		totals->stacks[m] += touched;
		totals->single[m] += touched == 1;
		totals->most_used[m] += most;
	}
	return true;
}

uint32_t map_best_bit(const uint64_t *stacks)
{
	uint32_t best = 0;

	for (uint32_t m = 1; m < MAP_COUNT; m++) {
		if (stacks[m] < stacks[best])
			best = m;
	}
	return MAP_BIT_FIRST + best;
}

static void window_end(struct map_spread *s)
{
	for (uint32_t m = 0; m <= MAP_COUNT; m++) {
		uint32_t most = 0;

		for (uint32_t i = 0; i < MAP_STACKS_MAX; i++)
			most = s->in_stack[m][i] > most ? s->in_stack[m][i] : most;
		s->fullest[m] += most;
	}
	memset(s->in_stack, 0, sizeof(s->in_stack));
	s->lines = 0;
}

void map_spread_touch(struct map_spread *s, uint32_t stack_count, uint32_t hash_bit, uint64_t line_addr_bytes,
		      uint32_t stack_in_force)
{
	for (uint32_t m = 0; m < MAP_COUNT; m++)
		s->in_stack[m][stack_under(stack_count, hash_bit, line_addr_bytes, MAP_BIT_FIRST + m)]++;
	s->in_stack[MAP_IN_FORCE][stack_in_force & (stack_count - 1)]++;
	if (++s->lines == MAP_WINDOW_LINES)
		window_end(s);
}

uint32_t map_even_bit(const struct map_spread *s, const uint64_t *stacks, double ratio)
{
	uint32_t best = MAP_COUNT;

	if (!s->fullest[MAP_IN_FORCE])
		return map_best_bit(stacks);
	for (uint32_t m = 0; m < MAP_COUNT; m++)
		if ((double)s->fullest[m] <= ratio * (double)s->fullest[MAP_IN_FORCE] &&
		    (best == MAP_COUNT || stacks[m] < stacks[best]))
			best = m;
	return best == MAP_COUNT ? 0 : MAP_BIT_FIRST + best;
}

uint32_t map_oracle_bit(const struct map_totals *totals)
{
	uint32_t best = 0;

	for (uint32_t m = 1; m < MAP_COUNT; m++) {
		if (totals->most_used[m] > totals->most_used[best])
			best = m;
	}
	return MAP_BIT_FIRST + best;
}
