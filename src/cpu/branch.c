/* branch.c - bimodal, gshare and tournament predictors. */
#include "cpu/branch.h"

#include <glib.h>
#include <string.h>

enum { TAKEN = 2, SURE = 3 }; /* counters: from 0, surely not taken, to 3 */

static uint8_t *counters_new(uint64_t count)
{
	uint8_t *counters = g_malloc(count);

	memset(counters, TAKEN - 1, count);
	return counters;
}

void cpu_branches_init(struct cpu_branches *b, const struct cpu_params *p)
{
	const enum cpu_branch_predictor scheme = (enum cpu_branch_predictor)p->branch_predictor;

	*b = (struct cpu_branches){.mask = (uint32_t)p->branch_counter_count - 1,
				   .history_mask = (1ull << p->branch_history_bits) - 1};
	if (p->core_model != CPU_CORE_OUT_OF_ORDER)
		return;
	if (scheme == CPU_BRANCH_BIMODAL || scheme == CPU_BRANCH_TOURNAMENT)
		b->by_branch = counters_new(p->branch_counter_count);
	if (scheme == CPU_BRANCH_GSHARE || scheme == CPU_BRANCH_TOURNAMENT)
		b->by_history = counters_new(p->branch_counter_count);
	if (scheme == CPU_BRANCH_TOURNAMENT)
		b->choice = counters_new(p->branch_counter_count);
}

void cpu_branches_free(struct cpu_branches *b)
{
	g_free(b->by_branch);
	g_free(b->by_history);
	g_free(b->choice);
}

static void learn(uint8_t *counter, bool is_up)
{
	if (is_up && *counter < SURE)
		(*counter)++;
	else if (!is_up && *counter)
		(*counter)--;
}

bool cpu_branches_look(struct cpu_branches *b, uint64_t *history, uint32_t branch, bool is_taken)
{
	const uint32_t own = branch & b->mask, both = (branch ^ (uint32_t)*history) & b->mask;
	bool by_branch = false, by_history = false, is_right;

	if (b->by_branch) {
		by_branch = (b->by_branch[own] >= TAKEN) == is_taken;
		learn(&b->by_branch[own], is_taken);
	}
	if (b->by_history) {
		by_history = (b->by_history[both] >= TAKEN) == is_taken;
		learn(&b->by_history[both], is_taken);
	}
	is_right = b->by_history ? by_history : by_branch;
	if (b->choice) {
		is_right = b->choice[own] >= TAKEN ? by_history : by_branch;
		if (by_branch != by_history)
			learn(&b->choice[own], by_history);
	}
	*history = (*history << 1 | is_taken) & b->history_mask;
	return is_right;
}
