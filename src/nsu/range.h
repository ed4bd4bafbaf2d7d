/* range.h - one candidate block, grown instruction by instruction: who executes what, and equation 1. Not for other
 * folders.
 */
#ifndef STRATA_NSU_RANGE_H
#define STRATA_NSU_RANGE_H

#include "nsu/facts.h"

struct nsu_range {
	const struct nsu_facts *f;
	const struct nsu_code_params *p;
	uint32_t first, last; /* inclusive; last = first - 1: empty */
	/* By instruction, from first on: */
	bool *depends;   /* needs data loaded in the block: only the NSU can execute it; loads themselves too */
	bool *is_on_nsu; /* does not depend, but the NSU needs its result */
	/* Bitsets of registers. */
	uint64_t *live_in; /* read on the NSU before anything there writes them */
	uint64_t *held;    /* last written by an instruction that depends: the value is on the NSU alone */
	uint32_t live_in_bits, traffic_bytes, load_count, store_count;
	uint32_t load_entries, store_entries;
	uint64_t apart[NSU_ORIGIN_MAX / 64]; /* as in struct nsu_code */
};

struct nsu_range *nsu_range_new(const struct nsu_facts *f, const struct nsu_code_params *p);
void nsu_range_free(struct nsu_range *r);
/* An empty range that begins at instruction first. */
void nsu_range_begin(struct nsu_range *r, uint32_t first);
/* Takes the next instruction in. False: neither this nor a longer range from the same begin can be a block. */
bool nsu_range_extend(struct nsu_range *r);
/* Equation 1 per thread, in bits. */
int32_t nsu_range_score_bits(const struct nsu_range *r);
/* Registers that OFLD.END returns; the caller has live_words words. */
void nsu_range_live_out(const struct nsu_range *r, uint64_t *live_out);
/* Roles of the instructions of the range, role[0] being that of first. */
void nsu_range_roles(const struct nsu_range *r, uint8_t *role);

static inline bool nsu_bit(const uint64_t *set, uint32_t n)
{
	return set[n / 64] >> (n % 64) & 1;
}

static inline void nsu_bit_set(uint64_t *set, uint32_t n)
{
	set[n / 64] |= 1ull << (n % 64);
}

static inline void nsu_bit_clear(uint64_t *set, uint32_t n)
{
	set[n / 64] &= ~(1ull << (n % 64));
}

#endif
