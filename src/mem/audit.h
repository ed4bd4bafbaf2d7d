/* audit.h - an auditor of DRAM commands that shares nothing with the bank model but the table of constraints.
 *
 * It remembers what each bank, group and rank was last told and, for each new command, tests every row of the table as
 * the standard writes it: "at least tX from A to B". Slow and simple on purpose. Beside the table it tests the state of
 * banks and ranks, the command bus, the data bus, the obligation to refresh, and the times of answers.
 */
#ifndef STRATA_MEM_AUDIT_H
#define STRATA_MEM_AUDIT_H

#include "mem/dram.h"
#include "net/req.h"

struct mem_audit;

/* violation is called with one line of text per broken rule; text is valid during the call. units_per_ps as of the
 * engine: the data bus is checked in units. */
struct mem_audit *mem_audit_new(const struct dram_params *p, uint64_t units_per_ps,
				void (*violation)(void *ctx, const char *text), void *ctx);
void mem_audit_free(struct mem_audit *a);
/* a's commands go over the command bus of `with`, as those of a pseudo channel do. Before the first command; `with`
 * must outlive a. */
void mem_audit_share_bus(struct mem_audit *a, struct mem_audit *with);
/* The vault issues c at cycle (of tCK). bank: any of the rank for a command to all its banks; row: for ACT and columns.
 */
void mem_audit_command(struct mem_audit *a, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);
/* Time has come to cycle with nothing else issued: tests the refresh obligation (JESD79-3F section 4.12: at most eight
 * REF postponed, at most nine tREFI between two; each bank by itself where refreshes go bank by bank). */
void mem_audit_until(struct mem_audit *a, uint64_t cycle);

/* Answers. The column command before served r (its bank, row and direction must be r's) ... */
void mem_audit_serve(struct mem_audit *a, const struct mem_req *r);
/* ... and now r is answered: after as many columns as it needs, with ready_units exactly when the last one's data and
 * the way through TSVs and controller have ended, and at the next edge of the DRAM's clock. */
void mem_audit_answer(struct mem_audit *a, const struct mem_req *r, uint64_t now_units);
/* All requests that are being served have been dropped. */
void mem_audit_forget(struct mem_audit *a);

#endif
