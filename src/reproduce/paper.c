/* paper.c - which runs a paper's evaluation has. */
#include "reproduce/paper.h"

#include <stddef.h>
#include <string.h>

static const struct reproduce_cell *cell_of(const struct reproduce_paper *paper, uint32_t config, uint32_t workload)
{
	for (uint32_t i = 0; i < paper->cell_count; i++) {
		const struct reproduce_cell *c = &paper->cells[i];

		if (c->config == config && !strcmp(c->workload, paper->workloads[workload]))
			return c;
	}
	return NULL;
}

bool reproduce_is_run(const struct reproduce_paper *paper, uint32_t config, uint32_t workload)
{
	return !paper->cells || cell_of(paper, config, workload);
}

uint32_t reproduce_run_count(const struct reproduce_paper *paper)
{
	return paper->cells ? paper->cell_count : paper->config_count * paper->workload_count;
}

const char *reproduce_arguments(const struct reproduce_paper *paper, uint32_t config, uint32_t workload, bool is_quick)
{
	const struct reproduce_cell *cell = cell_of(paper, config, workload);
	const char *const *of = is_quick ? paper->quick_arguments : paper->full_arguments;
	const char *own = !cell ? NULL : is_quick ? cell->quick_arguments : cell->full_arguments;

	if (own)
		return own;
	return of && of[workload] ? of[workload] : is_quick ? "--size small" : "--size paper";
}
