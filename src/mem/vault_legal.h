/* vault_legal.h - which of a vault's proposals are legal, and when the next one is. What vault_schedule.c asks all the
 * time, apart for its length.
 *
 * A proposal waits for its bank, its group and its rank. When it is made they say when it is ready; a later command can
 * only put that off, for all banks of a group or a rank that propose the same. What is kept of it is not the same for
 * all vaults; which it is, the vault's form says, and the tick of each form has but its own:
 *
 * - one command bus: the ring of vault_ring.h. A command changes few banks, mostly the same from one to the next, and
 *   the ring touches only those.
 * - two: the lanes of vault_lanes.h. Two pseudo channels take turns on the buses, so what a command finds changes from
 *   one to the next, and the host cannot predict what the ring branches on. The lanes do the same for all banks.
 *
 * docs/performance.md has each measured in the other's place.
 */
#ifndef STRATA_MEM_VAULT_LEGAL_H
#define STRATA_MEM_VAULT_LEGAL_H

#include "mem/vault_lanes.h"
#include "mem/vault_ring.h"

/* No bank proposes anything. */
static inline void vault_clear_ready(struct mem_vault *v)
{
	if (v->is_dual_bus)
		lanes_clear(v);
	else
		ring_clear(v);
}

/* Bank b, which has none, proposes c. */
static ALWAYS_INLINE void vault_set_ready(struct mem_vault *v, uint32_t b, enum dram_command c, struct form f)
{
	if (f.is_dual_bus)
		lanes_set(v, b, c);
	else
		ring_set(v, b, c);
}

/* These banks' proposals are void. Lanes are not asked of banks without one. */
static ALWAYS_INLINE void vault_forget_ready(struct mem_vault *v, uint64_t banks, struct form f)
{
	if (!f.is_dual_bus)
		ring_forget(v, banks);
}

/* So is bank b's, which was legal. */
static ALWAYS_INLINE void vault_spend_ready(struct mem_vault *v, uint32_t b, struct form f)
{
	if (!f.is_dual_bus)
		ring_spend(v, b);
}

/* Before anything is asked or proposed at this cycle. */
static ALWAYS_INLINE void vault_look_for_ready(struct mem_vault *v, uint64_t cycle, struct form f)
{
	if (f.is_dual_bus)
		lanes_look(v, cycle);
	else
		ring_look(v, cycle);
}

/* A gate has risen to gate_cycle: what these banks of a rank propose as c is not legal before. */
static ALWAYS_INLINE void hold(struct mem_vault *v, uint32_t rank, uint64_t banks, enum dram_command c,
			       uint64_t gate_cycle, struct form f)
{
	banks &= v->proposed & v->proposed_as[c];
	if (f.is_dual_bus)
		lanes_hold(v, rank, banks, gate_cycle);
	else
		ring_hold(v, banks, c, gate_cycle);
}

/* The gate of c of bank b's group has risen. */
static ALWAYS_INLINE void vault_hold_group(struct mem_vault *v, uint32_t b, enum dram_command c, struct form f)
{
	const struct dram_bank *k = &v->banks.bank[b];
	const uint64_t group = v->group_banks << (((uint32_t)k->rank << v->rank_log2) + k->group);

	hold(v, k->rank, group, c, v->banks.group_gate[k->gate + c], f);
}

/* That of a row command of a rank. */
static ALWAYS_INLINE void vault_hold_rows(struct mem_vault *v, uint32_t rank, enum dram_command c, struct form f)
{
	hold(v, rank, f.has_gates ? v->ranks[rank].banks : ALL_BANKS, c, v->banks.rank_gate[rank][c], f);
}

/* Those of a column command of all ranks; the ring looks at them when it is asked. */
static ALWAYS_INLINE void vault_hold_columns(struct mem_vault *v, enum dram_command c, struct form f)
{
	if (!f.is_dual_bus)
		return;
	for (uint32_t rank = 0; rank < v->rank_count; rank++)
		hold(v, rank, v->ranks[rank].banks, c, v->banks.rank_gate[rank][c], f);
}

/* Which of these banks' proposals are legal at cycle, that of the last look; *first, the cycle at which another
 * one is, is lowered as far as vault_first_late does not know of it. */
static ALWAYS_INLINE uint64_t vault_legal(const struct mem_vault *v, uint64_t banks, uint64_t cycle, uint64_t *first,
					  struct form f)
{
	return f.is_dual_bus ? banks & lanes_legal(v, cycle) : ring_legal(v, banks, cycle, first, f);
}

/* The least of first, from vault_legal, and the cycles at which the proposals of these banks are legal that were not.
 */
static ALWAYS_INLINE uint64_t vault_first_late(const struct mem_vault *v, uint64_t banks, uint64_t first, struct form f)
{
	return f.is_dual_bus ? base_min_u64(first, lanes_first(v, banks)) : ring_first_late(v, banks, first, f);
}

/* The first cycle at which one of these banks' proposals is legal: this one, the last look's or the next, or a later
 * one. */
static ALWAYS_INLINE uint64_t vault_first(const struct mem_vault *v, uint64_t banks, uint64_t cycle, struct form f)
{
	return f.is_dual_bus ? base_max_u64(cycle, lanes_first(v, banks)) : ring_first(v, banks, cycle, f);
}

/* The first legal cycle of bank b, which proposes something. */
static ALWAYS_INLINE uint64_t vault_first_of_bank(const struct mem_vault *v, uint32_t b, uint64_t cycle, struct form f)
{
	return f.is_dual_bus ? base_max_u64(cycle, cycle_of_lane(v, v->lanes.cycle[b]))
			     : ring_first_of_bank(v, b, cycle);
}

#endif
