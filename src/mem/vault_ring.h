/* vault_ring.h - which proposals are legal, and when the next one is, where one command bus serves a vault: behind
 * vault_legal.h, which says what is asked.
 *
 * Each bank with a proposal stands in one of three places: among those that are ready, in a ring by cycle, or among
 * those that are later than the ring reaches. A command takes masks of banks to other places, and a tick asks no bank.
 *
 * Columns do without their rank: every column command raises that gate, mostly for all that are ready, so they stay
 * where they are, and whoever asks what is legal looks at the gate.
 */
#ifndef STRATA_MEM_VAULT_RING_H
#define STRATA_MEM_VAULT_RING_H

#include "mem/vault_state.h"

enum proposal_kind { PROPOSED_ROW, PROPOSED_COLUMN }; /* of ACT and PRE, of RD and WR */

static inline enum proposal_kind kind_of(enum dram_command c)
{
	return c >= DRAM_RD ? PROPOSED_COLUMN : PROPOSED_ROW;
}

static inline uint64_t *slots_of(struct mem_vault *v, enum proposal_kind kind)
{
	return kind == PROPOSED_COLUMN ? &v->ring.column_slots : &v->ring.row_slots;
}

/* The slots of the ring that hold proposals of any kind. */
static inline uint64_t all_slots(const struct mem_vault *v)
{
	return v->ring.row_slots | v->ring.column_slots;
}

/* Slots of the ring, that of the cycle after till_cycle first. */
static inline uint64_t in_order(const struct mem_vault *v, uint64_t slots)
{
	const uint32_t first = (uint32_t)(v->ring.till_cycle + 1) % READY_RING;

	return slots >> first | slots << (-first % READY_RING);
}

/* The proposals of these banks, which stand nowhere, are legal from ready_cycle on, later than the ring reaches. */
static __attribute__((noinline)) void put_later(struct mem_vault *v, uint64_t banks, uint64_t ready_cycle)
{
	v->ring.later |= banks;
	v->ring.later_cycle = base_min_u64(v->ring.later_cycle, ready_cycle);
	for (; banks; banks &= banks - 1)
		v->ring.ready_cycle[first_bit(banks)] = ready_cycle;
}

/* The proposals of these banks, which stand nowhere, are legal from ready_cycle on, which is after the last look. */
static inline void put(struct mem_vault *v, uint64_t banks, enum proposal_kind kind, uint64_t ready_cycle)
{
	if (unlikely(ready_cycle - v->ring.till_cycle > READY_RING)) {
		put_later(v, banks, ready_cycle);
		return;
	}
	v->ring.in[ready_cycle % READY_RING] |= banks;
	*slots_of(v, kind) |= 1ull << ready_cycle % READY_RING;
}

/* Bank b, which stands nowhere, has a proposal, of c, that is ready from ready_cycle on. */
static inline void stand(struct mem_vault *v, uint32_t b, enum dram_command c, uint64_t ready_cycle)
{
	v->ring.ready_cycle[b] = ready_cycle;
	if (ready_cycle <= v->ring.till_cycle)
		v->ring.ready |= 1ull << b;
	else
		put(v, 1ull << b, kind_of(c), ready_cycle);
}

/* Bank b, which stands nowhere, proposes c, for when it and its group, and with ACT and PRE its rank, allow it. */
static inline void ring_set(struct mem_vault *v, uint32_t b, enum dram_command c)
{
	const struct dram_bank *k = &v->banks.bank[b];
	const uint64_t ready = dram_bank_ready(&v->banks, k, c);

	stand(v, b, c, c >= DRAM_RD ? ready : base_max_u64(ready, v->banks.rank_gate[k->rank][c]));
}

/* These banks' proposals are void, wherever they stand. */
static inline void ring_forget(struct mem_vault *v, uint64_t banks)
{
	v->ring.ready &= ~banks;
	v->ring.later &= ~banks;
	for (uint64_t slots = all_slots(v); slots; slots &= slots - 1)
		v->ring.in[first_bit(slots)] &= ~banks;
}

/* So is that of bank b, which was legal. */
static inline void ring_spend(struct mem_vault *v, uint32_t b)
{
	v->ring.ready &= ~(1ull << b);
}

static inline void ring_clear(struct mem_vault *v)
{
	v->ring = (struct vault_ring){.later_cycle = SIM_NEVER};
}

/* Puts those into the ring that it covers now. */
static __attribute__((noinline)) void look_at_later(struct mem_vault *v)
{
	const uint64_t later = v->ring.later;

	v->ring.later = 0;
	v->ring.later_cycle = SIM_NEVER;
	for (uint64_t left = later; left; left &= left - 1)
		stand(v, first_bit(left), (enum dram_command)v->proposals.command[first_bit(left)],
		      v->ring.ready_cycle[first_bit(left)]);
}

/* Those that have become legal since the last look. Were the words of slots neighbours, gcc would load both at once,
 * for which the host must wait till the word that was last written is in its cache. */
static ALWAYS_INLINE void ring_look(struct mem_vault *v, uint64_t cycle)
{
	const uint64_t begin = v->ring.till_cycle + 1, cycles = cycle - v->ring.till_cycle;
	const uint64_t covered = cycles < READY_RING ? (1ull << cycles) - 1 : ~0ull;

	for (uint64_t due = in_order(v, all_slots(v)) & covered; due; due &= due - 1) {
		const uint32_t i = (uint32_t)(begin + first_bit(due)) % READY_RING;

		v->ring.ready |= v->ring.in[i];
		v->ring.in[i] = 0;
		v->ring.row_slots &= ~(1ull << i);
		v->ring.column_slots &= ~(1ull << i);
	}
	v->ring.till_cycle = cycle;
	if (unlikely(v->ring.later_cycle <= cycle + READY_RING))
		look_at_later(v);
}

/* ring_hold where the gate is no cycle of the ring. */
static __attribute__((noinline)) void hold_beyond(struct mem_vault *v, uint64_t banks, uint64_t gate_cycle)
{
	uint64_t moved = v->ring.ready & banks;

	if (gate_cycle <= v->ring.till_cycle)
		return;
	for (uint64_t later = v->ring.later & banks; later; later &= later - 1) {
		uint64_t *ready_cycle = &v->ring.ready_cycle[first_bit(later)];

		*ready_cycle = base_max_u64(*ready_cycle, gate_cycle);
	}
	v->ring.ready &= ~banks;
	for (uint64_t slots = all_slots(v); slots; slots &= slots - 1) {
		moved |= v->ring.in[first_bit(slots)] & banks;
		v->ring.in[first_bit(slots)] &= ~banks;
	}
	put_later(v, moved, gate_cycle);
}

/* A gate that the proposals of these banks, all for c, must pass has risen: none is legal before gate_cycle. */
static ALWAYS_INLINE void ring_hold(struct mem_vault *v, uint64_t banks, enum dram_command c, uint64_t gate_cycle)
{
	const enum proposal_kind kind = kind_of(c);
	const uint64_t begin = v->ring.till_cycle + 1, before = gate_cycle - begin;
	const uint32_t slot = gate_cycle % READY_RING;
	uint64_t moved = v->ring.ready & banks, early;

	if (unlikely(before >= READY_RING)) {
		hold_beyond(v, banks, gate_cycle);
		return;
	}
	v->ring.ready &= ~banks;
	early = in_order(v, *slots_of(v, kind)) & ((1ull << before) - 1) & -(uint64_t)(banks != 0);
	for (; early; early &= early - 1) {
		uint64_t *in = &v->ring.in[(begin + first_bit(early)) % READY_RING];

		moved |= *in & banks;
		*in &= ~banks;
	}
	v->ring.in[slot] |= moved;
	*slots_of(v, kind) |= (uint64_t)(moved != 0) << slot;
}

/* The ranks' gates of a column command: of these banks, ready for it, those that are held at cycle; *first is no later
 * than the gates of those. All of a rank or none, for the host could not predict branches. */
static ALWAYS_INLINE uint64_t held_columns(const struct mem_vault *v, uint64_t banks, enum dram_command c,
					   uint64_t cycle, uint64_t *first, struct form f)
{
	uint64_t of_rank = f.has_gates ? v->ranks[0].banks : ALL_BANKS, held = 0;

	banks &= v->proposed_as[c];
	for (uint32_t r = 0;;) {
		const uint64_t gate = v->banks.rank_gate[r][c];
		const uint64_t of_gate = banks & of_rank & (uint64_t)((int64_t)(cycle - gate) >> 63);

		held |= of_gate;
		*first = base_min_u64(*first, of_gate ? gate : SIM_NEVER);
		if (!f.has_gates || ++r >= v->rank_count)
			return held;
		of_rank <<= 1u << v->rank_log2;
	}
}

/* Which of these banks' proposals are legal at cycle, that of the last look or the next; *first is no later than
 * the cycle at which another one, ready now, is. */
static ALWAYS_INLINE uint64_t ring_legal(const struct mem_vault *v, uint64_t banks, uint64_t cycle, uint64_t *first,
					 struct form f)
{
	uint64_t ready = banks & v->ring.ready, held;

	held = held_columns(v, ready, (enum dram_command)(DRAM_RD + v->direction), cycle, first, f);
	if (f.is_fifo) /* no directions */
		held |= held_columns(v, ready, (enum dram_command)(DRAM_RD + !v->direction), cycle, first, f);
	return ready & ~held;
}

/* The least of first, which is later than ready_cycle, and the cycles at which these banks' proposals, ready at that,
 * are legal. */
static ALWAYS_INLINE uint64_t first_of_slot(const struct mem_vault *v, uint64_t banks, uint64_t ready_cycle,
					    uint64_t first, struct form f)
{
	uint64_t held = held_columns(v, banks, (enum dram_command)(DRAM_RD + v->direction), ready_cycle, &first, f);

	if (f.is_fifo)
		held |= held_columns(v, banks, (enum dram_command)(DRAM_RD + !v->direction), ready_cycle, &first, f);
	return banks & ~held ? ready_cycle : first;
}

/* The least of first and the cycles of these banks' proposals that are later than the ring reaches. */
static __attribute__((noinline)) uint64_t first_of_later(const struct mem_vault *v, uint64_t banks, uint64_t first)
{
	for (; banks; banks &= banks - 1) {
		const uint32_t b = first_bit(banks);
		const enum dram_command c = (enum dram_command)v->proposals.command[b];
		const uint64_t gate = c >= DRAM_RD ? v->banks.rank_gate[b >> v->rank_log2][c] : 0;

		first = base_min_u64(first, base_max_u64(v->ring.ready_cycle[b], gate));
	}
	return first;
}

/* The least of first and the cycles at which those of these banks' proposals are legal that are not ready yet. */
static ALWAYS_INLINE uint64_t ring_first_late(const struct mem_vault *v, uint64_t banks, uint64_t first, struct form f)
{
	for (uint64_t slots = in_order(v, all_slots(v)) & -(uint64_t)(banks != 0); slots; slots &= slots - 1) {
		const uint64_t at = v->ring.till_cycle + 1 + first_bit(slots);

		if (at >= first)
			return first;
		first = first_of_slot(v, v->ring.in[at % READY_RING] & banks, at, first, f);
	}
	banks &= v->ring.later;
	return likely(!banks) ? first : first_of_later(v, banks, first);
}

/* The first cycle, this or a later one, at which one of these banks' proposals is legal. */
static ALWAYS_INLINE uint64_t ring_first(const struct mem_vault *v, uint64_t banks, uint64_t cycle, struct form f)
{
	uint64_t first = SIM_NEVER;

	return ring_legal(v, banks, cycle, &first, f) ? cycle : ring_first_late(v, banks, first, f);
}

/* The first legal cycle of bank b, which proposes something. */
static ALWAYS_INLINE uint64_t ring_first_of_bank(const struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	const enum dram_command c = (enum dram_command)v->proposals.command[b];
	const uint64_t first = base_max_u64(v->ring.ready_cycle[b], cycle);

	return c >= DRAM_RD ? base_max_u64(first, v->banks.rank_gate[b >> v->rank_log2][c]) : first;
}

#endif
