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
	return cell_of(paper, config, workload);
}

const char *reproduce_arguments(const struct reproduce_paper *paper, uint32_t config, uint32_t workload)
{
	const struct reproduce_cell *cell = cell_of(paper, config, workload);

	return cell ? cell->arguments : NULL;
}
