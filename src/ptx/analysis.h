/* analysis.h - what the parts of the control-flow analysis share. Not for other folders. */
#ifndef STRATA_PTX_ANALYSIS_H
#define STRATA_PTX_ANALYSIS_H

#include <stdlib.h>

#include "base/check.h"
#include "ptx/cfg.h"

/* Fills live_words, live_in and live_out of a cfg whose blocks and rpo are there. */
void ptx_liveness_build(struct ptx_cfg *c);

/* An array of zeros, not empty even when count is 0. Freed by free. */
static inline void *ptx_zeroed(size_t count, size_t size_bytes)
{
	void *p = calloc(count + 1, size_bytes);

	CHECK(p);
	return p;
}

static inline bool ptx_bit(const uint64_t *set, uint32_t n)
{
	return set[n / 64] >> (n % 64) & 1;
}

static inline void ptx_bit_set(uint64_t *set, uint32_t n)
{
	set[n / 64] |= 1ull << (n % 64);
}

static inline void ptx_bit_clear(uint64_t *set, uint32_t n)
{
	set[n / 64] &= ~(1ull << (n % 64));
}

/* live: the registers live after i; becomes those live before it. */
void ptx_live_step(const struct ptx_func *f, const struct ptx_inst *i, const struct ptx_reg_use *use, uint64_t *live);

/* 32-bit slots of a register, elements and halves included; predicates are the caller's concern. */
uint32_t ptx_reg_slots(const struct ptx_reg *r);
/* The most 32-bit slots live between any two instructions; a result nobody reads counts at its write. */
uint32_t ptx_live_max(const struct ptx_cfg *c);
/* Slots that a thread needs at each instruction, at[inst_count] (NULL: not wanted), and the most of them: values that
 * are live, without constants (ptx_constants_find) that need no register, and with what a call needs. */
uint32_t ptx_demand(const struct ptx_cfg *c, const struct ptx_call_need *need, const uint64_t *constants, uint32_t *at);
uint32_t ptx_demand_max(const struct ptx_cfg *c, const struct ptx_call_need *need);

#endif
