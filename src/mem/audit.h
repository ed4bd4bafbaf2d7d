/* audit.h - an auditor of DRAM commands that shares nothing with the bank model but the parameters.
 *
 * It keeps the recent history of one vault's commands and, for each new command, tests every rule of the timing table
 * as the standard writes it: "at least tX from A to B". Slow and simple on purpose.
 */
#ifndef STRATA_MEM_AUDIT_H
#define STRATA_MEM_AUDIT_H

#include "mem/dram.h"

struct mem_audit;

/* violation is called with one line of text per broken rule; text is valid during the call. units_per_ps as of the
 * engine: the data bus is checked in units. */
struct mem_audit *mem_audit_new(const struct dram_params *p, uint64_t units_per_ps,
				void (*violation)(void *ctx, const char *text), void *ctx);
void mem_audit_free(struct mem_audit *a);
/* The vault issues c at cycle (of tCK). bank for ACT, PRE, RD, WR; row for ACT, RD and WR. */
void mem_audit_command(struct mem_audit *a, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);
/* Time has come to cycle with nothing else issued: tests the refresh obligation (JESD79-3F section 4.12: at most eight
 * REF postponed). */
void mem_audit_until(struct mem_audit *a, uint64_t cycle);

#endif
