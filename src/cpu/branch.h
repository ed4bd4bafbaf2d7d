/* branch.h - which way a conditional branch goes, predicted: tables of counters of two bits. */
#ifndef STRATA_CPU_BRANCH_H
#define STRATA_CPU_BRANCH_H

#include "cpu/system.h"

/* The branch predictor of a core. */
struct cpu_branches {
	uint8_t *by_branch, *by_history, *choice; /* NULL: the scheme has none of these */
	uint32_t mask;
	uint64_t history_mask;
};

void cpu_branches_init(struct cpu_branches *b, const struct cpu_params *p);
void cpu_branches_free(struct cpu_branches *b);
/* Was the branch predicted right? Then all learn which way it went. history: of its thread. */
bool cpu_branches_look(struct cpu_branches *b, uint64_t *history, uint32_t branch, bool is_taken);

static inline bool cpu_branches_are_there(const struct cpu_branches *b)
{
	return b->by_branch || b->by_history;
}

#endif
