/* vault_legal.h - which of a vault's proposals are legal, and when the next one is. What vault_schedule.c asks all the
 * time, apart for its length.
 *
 * A proposal waits for its bank and group, and for its rank's gate. The first is known when the proposal is made, or
 * when another command goes to the group; a ring of bits, by cycle, says which banks become ready when. The gate is the
 * same for all banks of a rank with the same command, so a tick looks at masks of banks and seldom at a bank.
 */
#ifndef STRATA_MEM_VAULT_LEGAL_H
#define STRATA_MEM_VAULT_LEGAL_H

#include "mem/vault_state.h"

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* once a command, in one place but for two buses */

/* The proposal of bank b is ready at ready_cycle, as far as its bank and group are concerned. cycle: the present one,
 * or the next. */
static inline void vault_set_ready(struct mem_vault *v, uint32_t b, uint64_t ready_cycle, uint64_t cycle)
{
	const uint64_t bit = 1ull << b;
	uint64_t *old = &v->proposals.ready_cycle[b];

	v->ready_in[*old % READY_RING] &= ~bit;
	v->ready_later &= ~bit;
	v->ready &= ~bit;
	*old = ready_cycle;
	if (ready_cycle <= cycle) {
		v->ready |= bit;
	} else if (ready_cycle - v->ready_till_cycle <= READY_RING) {
		v->ready_in[ready_cycle % READY_RING] |= bit;
		v->ready_slots |= 1ull << ready_cycle % READY_RING;
	} else {
		v->ready_later |= bit;
		v->ready_later_cycle = base_min_u64(v->ready_later_cycle, ready_cycle);
	}
}

/* Puts those into the ring that it covers now. */
static __attribute__((noinline)) void look_at_later(struct mem_vault *v)
{
	const uint64_t later = v->ready_later;

	v->ready_later = 0;
	v->ready_later_cycle = SIM_NEVER;
	for (uint64_t left = later; left; left &= left - 1)
		vault_set_ready(v, first_bit(left), v->proposals.ready_cycle[first_bit(left)], v->ready_till_cycle);
}

/* The slots of the ring, that of the cycle after ready_till_cycle first. */
static inline uint64_t slots_in_order(const struct mem_vault *v)
{
	const uint32_t first = (uint32_t)(v->ready_till_cycle + 1) % READY_RING;

	return v->ready_slots >> first | v->ready_slots << (READY_RING - first) % READY_RING;
}

/* Those that have become ready since the last look. */
static ALWAYS_INLINE void vault_look_for_ready(struct mem_vault *v, uint64_t cycle)
{
	const uint64_t begin = v->ready_till_cycle + 1, cycles = cycle - v->ready_till_cycle;
	const uint64_t covered = cycles < READY_RING ? (1ull << cycles) - 1 : ~0ull;

	for (uint64_t due = v->ready_slots ? slots_in_order(v) & covered : 0; due; due &= due - 1) {
		const uint32_t i = (uint32_t)(begin + first_bit(due)) % READY_RING;

		v->ready |= v->ready_in[i];
		v->ready_in[i] = 0;
		v->ready_slots &= ~(1ull << i);
	}
	v->ready_till_cycle = cycle;
	if (unlikely(v->ready_later_cycle <= cycle + READY_RING))
		look_at_later(v);
}

/* What a rank's gate says to those of its banks that are ready for the command: they are legal at cycle, or *first is
 * no later than the gate. All ones or none, for the host could not predict branches. */
static ALWAYS_INLINE uint64_t pass_gate(const struct mem_vault *v, uint32_t rank, uint64_t ready, uint32_t c,
					uint64_t cycle, uint64_t *first)
{
	const uint64_t gate = v->banks.rank_gate[rank][c], banks = ready & v->proposed_as[c];
	const uint64_t is_closed = (uint64_t)((int64_t)(cycle - gate) >> 63);
	const uint64_t held = banks & is_closed;

	*first = base_min_u64(*first, held ? gate : SIM_NEVER);
	return banks ^ held;
}

/* Of these banks' proposals that are ready by bank and group: those that are legal at cycle, and the first cycle at
 * which another one is. */
static ALWAYS_INLINE uint64_t vault_legal_of_ready(const struct mem_vault *v, uint64_t banks, uint64_t cycle,
						   uint64_t *first)
{
	uint64_t legal = 0, ready = banks & v->ready, of_rank = v->ranks[0].banks;

	*first = SIM_NEVER;
	for (uint32_t r = 0;;) {
		legal |= pass_gate(v, r, ready & of_rank, DRAM_ACT, cycle, first);
		legal |= pass_gate(v, r, ready & of_rank, DRAM_PRE, cycle, first);
		legal |= pass_gate(v, r, ready & of_rank, DRAM_RD + v->direction, cycle, first);
		if (unlikely(v->is_fifo)) /* no directions */
			legal |= pass_gate(v, r, ready & of_rank, DRAM_RD + !v->direction, cycle, first);
		if (++r >= v->rank_count)
			return legal;
		of_rank <<= 1u << v->rank_log2;
	}
}

/* The least of first and the cycles at which these banks, not yet ready, are legal. */
static inline uint64_t vault_first_of_late(const struct mem_vault *v, uint64_t banks, uint64_t first)
{
	const struct proposals *p = &v->proposals;

	for (; banks; banks &= banks - 1) {
		uint32_t b = first_bit(banks);

		first = base_min_u64(first, base_max_u64(p->ready_cycle[b],
							 v->banks.rank_gate[b >> v->rank_log2][p->command[b]]));
	}
	return first;
}

/* The least of first and the cycles at which those of these banks' proposals are legal that are not ready yet. */
static ALWAYS_INLINE uint64_t vault_first_with_late(const struct mem_vault *v, uint64_t banks, uint64_t first)
{
	const uint64_t begin = v->ready_till_cycle + 1;

	for (uint64_t slots = v->ready_slots ? slots_in_order(v) : 0; slots; slots &= slots - 1) {
		const uint64_t at = begin + first_bit(slots);

		if (at >= first)
			return first;
		first = vault_first_of_late(v, v->ready_in[at % READY_RING] & banks, first);
	}
	if (unlikely(v->ready_later_cycle < first))
		first = vault_first_of_late(v, v->ready_later & banks, first);
	return first;
}

/* The first cycle from this one, after the last look, at which one of these banks' proposals is legal; SIM_NEVER for no
 * banks. */
static ALWAYS_INLINE uint64_t vault_first_legal(const struct mem_vault *v, uint64_t banks, uint64_t from)
{
	uint64_t first;

	if (vault_legal_of_ready(v, banks, from, &first))
		return from;
	return base_max_u64(vault_first_with_late(v, banks, first), from);
}

#endif
