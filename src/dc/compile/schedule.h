/* schedule.h - operations of a block, what they wait for, and their words. For schedule.c, dag.c and words.c. */
#ifndef STRATA_DC_COMPILE_SCHEDULE_H
#define STRATA_DC_COMPILE_SCHEDULE_H

#include "dc/compile/alloc.h"

struct dcc_node {
	const struct dcc_step *step;
	uint32_t inst; /* of func; UINT32_MAX: a mask */
	bool is_box;
	struct dcc_guard guard;
	GArray *preds; /* uint32_t: nodes that must be in earlier words */
	GArray *succs;
	uint32_t cycles, urgency; /* urgency: expected cycles to the end of the block, its own included */
	uint32_t array;           /* Bottom-Up Greedy's choice */
	uint32_t word;
};

struct dcc_dag {
	struct dcc_node *nodes;
	uint32_t count;
};

void dcc_dag_build(struct dcc_alloc *s, const struct dcc_linear *l, const struct dcc_range *r, struct dcc_dag *d);
/* Bottom-Up Greedy: the array of every node. */
void dcc_dag_assign(struct dcc_alloc *s, struct dcc_dag *d);
void dcc_dag_free(struct dcc_dag *d);

/* Words behind those that are there; s->stuck says why not. */
void dcc_schedule_body(struct dcc_alloc *s, struct dcc_dag *d, uint32_t *next_use);
bool dcc_place_mask(struct dcc_alloc *s, const struct dcc_step *step, uint32_t a, uint32_t word);

#endif
