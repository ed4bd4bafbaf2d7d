/* spill.h - a function with fewer registers: values that do not fit are kept in the thread's local memory.
 *
 * The result is an ordinary function, in which the spilled registers are written by st.local behind the instruction
 * that makes them and read by ld.local before those that need them (ptx_inst.is_spill). Whatever analyses, times or
 * executes functions treats these like any other local access.
 */
#ifndef STRATA_PTX_SPILL_H
#define STRATA_PTX_SPILL_H

#include "ptx/cfg.h"

struct ptx_spill;

/* The function with spills so that it needs at most slots_max registers, or as few as spilling can reach. need as for
 * ptx_alloc_build. NULL when it fits as it is. f must outlive the result; free with ptx_spill_free (NULL allowed). */
struct ptx_spill *ptx_spill_build(const struct ptx_func *f, uint32_t slots_max, const struct ptx_call_need *need);
void ptx_spill_free(struct ptx_spill *s);

const struct ptx_func *ptx_spill_func(const struct ptx_spill *s);
/* Bytes of a thread's local memory that hold spilled values. */
uint32_t ptx_spill_bytes(const struct ptx_spill *s);

#endif
