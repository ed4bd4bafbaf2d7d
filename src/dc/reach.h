/* reach.h - which threads of a CTA come to an instruction, as far as their places in the CTA decide it.
 *
 * A branch or a guard that hangs on nothing but a thread's place, the block's size and numbers of the text parts them;
 * others are taken by all. Nothing is executed, and no memory is read.
 */
#ifndef STRATA_DC_REACH_H
#define STRATA_DC_REACH_H

#include "ptx/ptx.h"

struct dc_reach;

struct dc_reach *dc_reach_new(const struct ptx_func *f, const uint32_t block[3]);
void dc_reach_free(struct dc_reach *r);

/* The share of groups of so many threads that follow each other in which some thread does the instruction; 1 where r is
 * NULL or has not the instruction. */
double dc_reach_share(const struct dc_reach *r, const struct ptx_inst *i, uint32_t lanes);

#endif
