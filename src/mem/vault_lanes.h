/* vault_lanes.h - which proposals are legal, and when the next one is, where two command buses serve a vault: behind
 * vault_legal.h, which says what is asked.
 *
 * The vault keeps one cycle for each bank, that at which its proposal is legal, in lanes of 16 bits, counted from
 * base_cycle: what holds many banks, who is legal and who is next are a few operations on vectors of them, without a
 * branch, which the host could not predict. The lane of a bank that proposes nothing says nothing, and is not asked.
 */
#ifndef STRATA_MEM_VAULT_LANES_H
#define STRATA_MEM_VAULT_LANES_H

#include <string.h>

#include "mem/vault_state.h"

/* LANE_LATER: legal then or later, which lanes_look finds out in time. LANE_NEVER: the first one of no banks. */
enum { LANE_NEVER = INT16_MAX, LANE_LATER = LANE_NEVER - 1, REBASE_CYCLES = LANE_LATER / 2, LANE_WORD = 16 };

/* Eight lanes; sixteen banks make a word of two of them. */
typedef int16_t lanes __attribute__((vector_size(8 * sizeof(int16_t)), may_alias));

static inline lanes all_lanes(int16_t value)
{
	return (lanes){0} + value;
}

/* Each lane of a word's half, 0 or 1, has the bit of its bank. */
static inline lanes lane_bits(uint32_t half)
{
	return half ? (lanes){256, 512, 1024, 2048, 4096, 8192, 16384, INT16_MIN}
		    : (lanes){1, 2, 4, 8, 16, 32, 64, 128};
}

/* All bits of the lanes of these banks of a word. */
static inline lanes lanes_of(uint64_t banks, uint32_t half)
{
	return (all_lanes((int16_t)banks) & lane_bits(half)) == lane_bits(half);
}

static inline lanes lanes_min(lanes a, lanes b)
{
	lanes least;

	for (uint32_t i = 0; i < sizeof(lanes) / sizeof(int16_t); i++)
		least[i] = a[i] < b[i] ? a[i] : b[i];
	return least;
}

static inline lanes lanes_max(lanes a, lanes b)
{
	lanes most;

	for (uint32_t i = 0; i < sizeof(lanes) / sizeof(int16_t); i++)
		most[i] = a[i] > b[i] ? a[i] : b[i];
	return most;
}

static inline int16_t lanes_least(lanes a)
{
	a = lanes_min(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
	a = lanes_min(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
	return a[0] < a[1] ? a[0] : a[1];
}

/* The bits of all lanes. */
static inline uint64_t lanes_or(lanes a)
{
	uint64_t part[2], bits;

	memcpy(part, &a, sizeof(part));
	bits = part[0] | part[1];
	bits |= bits >> 32;
	return (bits | bits >> 16) & 0xffff;
}

static inline const lanes *lanes_word(const struct mem_vault *v, uint32_t word)
{
	return (const lanes *)&v->lanes.cycle[word * LANE_WORD];
}

/* What is legal before base_cycle has been so since then. */
static inline int16_t lane_of_cycle(const struct mem_vault *v, uint64_t cycle)
{
	const uint64_t after = cycle > v->lanes.base_cycle ? cycle - v->lanes.base_cycle : 0;

	return (int16_t)base_min_u64(after, LANE_LATER);
}

/* The cycle of a lane; SIM_NEVER, which is all ones, of one that never is. */
static inline uint64_t cycle_of_lane(const struct mem_vault *v, int16_t lane)
{
	return (v->lanes.base_cycle + (uint64_t)lane) | -(uint64_t)(lane == LANE_NEVER);
}

/* Bank b proposes c: by the bank, its group and its rank. */
static inline void lanes_set(struct mem_vault *v, uint32_t b, enum dram_command c)
{
	const struct dram_bank *k = &v->banks.bank[b];
	const uint64_t ready = dram_bank_ready(&v->banks, k, c);

	v->lanes.cycle[b] = lane_of_cycle(v, base_max_u64(ready, v->banks.rank_gate[k->rank][c]));
}

static inline void lanes_clear(struct mem_vault *v)
{
	v->lanes = (struct vault_lanes){
		.words = (v->banks.t->bank_count + LANE_WORD - 1) / LANE_WORD,
		.rank_words = ((1u << v->rank_log2) + LANE_WORD - 1) / LANE_WORD,
	};
}

static __attribute__((noinline)) void rebase(struct mem_vault *v, uint64_t cycle)
{
	v->lanes.base_cycle = cycle;
	for (uint64_t left = v->proposed; left; left &= left - 1)
		lanes_set(v, first_bit(left), (enum dram_command)v->proposals.command[first_bit(left)]);
}

static inline void lanes_look(struct mem_vault *v, uint64_t cycle)
{
	if (unlikely(cycle - v->lanes.base_cycle > REBASE_CYCLES))
		rebase(v, cycle);
}

/* A gate that the proposals of these banks of a rank must pass has risen: none is legal before gate_cycle. */
static ALWAYS_INLINE void lanes_hold(struct mem_vault *v, uint32_t rank, uint64_t banks, uint64_t gate_cycle)
{
	const lanes gate = all_lanes(lane_of_cycle(v, gate_cycle));
	const uint32_t first = (rank << v->rank_log2) / LANE_WORD;

	for (uint32_t w = first; w < first + v->lanes.rank_words; w++) {
		lanes *cycles = (lanes *)&v->lanes.cycle[w * LANE_WORD];

		for (uint32_t half = 0; half < 2; half++)
			cycles[half] = lanes_max(cycles[half], gate & lanes_of(banks >> w * LANE_WORD, half));
	}
}

/* The banks whose proposals are legal at cycle, that of the last look. */
static ALWAYS_INLINE uint64_t lanes_legal(const struct mem_vault *v, uint64_t cycle)
{
	const lanes now = all_lanes((int16_t)(cycle - v->lanes.base_cycle)); /* see lanes_look */
	uint64_t legal = 0;

	for (uint32_t w = 0; w < v->lanes.words; w++) {
		const lanes *cycles = lanes_word(v, w);
		const lanes low = (cycles[0] <= now) & lane_bits(0), high = (cycles[1] <= now) & lane_bits(1);

		legal |= lanes_or(low | high) << w * LANE_WORD;
	}
	return legal;
}

/* The first cycle at which a proposal of these banks is legal. */
static ALWAYS_INLINE uint64_t lanes_first(const struct mem_vault *v, uint64_t banks)
{
	lanes least = all_lanes(LANE_NEVER);

	for (uint32_t w = 0; w < v->lanes.words; w++) {
		for (uint32_t half = 0; half < 2; half++) {
			const lanes others = ~lanes_of(banks >> w * LANE_WORD, half) & LANE_NEVER;

			least = lanes_min(least, lanes_word(v, w)[half] | others);
		}
	}
	return cycle_of_lane(v, lanes_least(least));
}

#endif
