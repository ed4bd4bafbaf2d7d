/* lockstep.h - what a kernel would be for the arrays of a cache (Duality Cache), from one run without timing.
 *
 * All lanes of a control block execute a word together. So the warps of a CTA count as one: a pc counts as often as the
 * warp that comes there most often. Cycles are those of a bit-serial operation with usual operands (dc/ops.def), and of
 * the PTX text: what its compiler turns into fewer or more is not in them.
 */
#ifndef STRATA_NDP_LOCKSTEP_H
#define STRATA_NDP_LOCKSTEP_H

#include "simt/simt.h"

enum { NDP_LOCKSTEP_LINE_BYTES = 64, NDP_LOCKSTEP_BANK_LANES = 256 };

#define NDP_LOCKSTEP(X)                                                                     \
	X(banks, "banks of 256 lanes that the CTAs of all launches fill")                   \
	X(cycles, "bit-serial cycles, the warps of a CTA as one, all CTAs together")        \
	X(accesses, "accesses to memory, shared memory too, the same")                      \
	X(out_rows, "word-lines of banks that these move out: addresses, what is stored")   \
	X(in_rows, "word-lines that they move in")                                          \
	X(lines, "lines of 64 bytes of accesses, by warp")                                  \
	X(footprint_lines, "lines that a launch touches, each once, all launches together") \
	X(new_lines, "of them, those that no launch has touched before")

struct ndp_lockstep_counts {
#define X(name, what) uint64_t name;
	NDP_LOCKSTEP(X)
#undef X
};

struct ndp_lockstep;

struct ndp_lockstep *ndp_lockstep_new(void);
void ndp_lockstep_free(struct ndp_lockstep *s);
/* A launch begins; what it does is added to counts, which is borrowed until the next one begins. */
void ndp_lockstep_begin(struct ndp_lockstep *s, const struct simt_launch *l, const struct simt_program *program,
			struct ndp_lockstep_counts *counts);
/* A warp of it has executed an instruction. */
void ndp_lockstep_step(struct ndp_lockstep *s, const struct simt_warp *w, const struct simt_step *step);

#endif
