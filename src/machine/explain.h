/* explain.h - the rows that explain runs (sim/explain.h), of all parts that a machine has. */
#ifndef STRATA_MACHINE_EXPLAIN_H
#define STRATA_MACHINE_EXPLAIN_H

#include "machine/part.h"

struct machine_explain {
	const struct sim_explain *items[MACHINE_PARTS_MAX];
	uint32_t count;
};

/* The rows of a machine, in the order of its parts. */
void machine_explain_of(const struct machine_config *c, struct machine_explain *out);
/* The rows of a run, whose results name its parts, which has() knows, and its mechanism (NULL: it has none). */
void machine_explain_of_parts(bool (*has)(void *ctx, const char *part), void *ctx, const char *mechanism,
			      struct machine_explain *out);
/* The rows of all mechanisms that there are, which say what those do that a machine has not. */
void machine_explain_of_mechanisms(struct machine_explain *out);

/* Does each row name what there is: statistics and parameters of some part, ways of traffic, lists of results, settings
 * of parameters? And does some part give each number of sim/reckoned.def? NULL, or the message of the first that does
 * not, to be freed with g_free. */
char *machine_explain_mistake(void);

#endif
