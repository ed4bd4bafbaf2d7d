/* compile.h - from a PTX kernel to DC-PTX (Duality Cache, ISCA'19, section 3.4).
 *
 * Two compilers share everything but what `struct dc_options` switches: the plain translator (all switches off, one
 * array: the baseline of figure 13) and the paper's (dc_options_full). A kernel that cannot be compiled is refused with
 * one message, which names the line of the instruction.
 */
#ifndef STRATA_DC_COMPILE_COMPILE_H
#define STRATA_DC_COMPILE_COMPILE_H

#include "base/diag.h"
#include "dc/word.h"

struct dc_options {
	uint32_t array_count;   /* 1: plain translator; DC_ARRAYS */
	bool isolate;           /* thread-independent variables are computed by the host, not in arrays */
	bool schedule;          /* words hold several operations, in the best order; false: one each, in PTX's order */
	uint32_t pressure_cost; /* cycles by which p live registers of an array make it dearer: p * p times this */
};

extern const struct dc_options dc_options_plain, dc_options_full;

/* The program's parameters and options may be gone afterwards; the module must live longer than the kernel. NULL with a
 * message in *diag when the kernel is refused. */
struct dc_kernel *dc_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag);
void dc_kernel_free(struct dc_kernel *k);

/* The words as text, or the counts alone: `strata ptx duality`. */
void dc_print(FILE *out, const struct dc_kernel *k, bool is_summary);

#endif
