/* expression.h - arithmetic over the results of runs, as a file writes it.
 *
 *   CPU_1[measures.sort_time] / NDP_1[measures.sort_time]
 *
 * NAME[FIELD] is a field of a run's results, "stats.sm.issued_cycles", "time_ps"; one that a run does not have, or
 * whose run is not there, is missing, and so is what is computed of it. `none` is a run or a number that is not there.
 * + - * / and - before a number; < <= > >= give 1 or 0, and A = B within C gives 1 when they are as near as that.
 * [A, B, ...] is a list, and a list in it stands for its items; operators, fields, functions of one number and or go
 * through lists, of two through both at once.
 *   min max sum mean geomean (...)   of all their numbers, and all those of lists
 *   abs cbrt log2 log10 (X)
 *   or(X, Y)                         Y where X is missing
 *   first(VALUES, CONDITIONS)        the value at the first condition that is not 0, missing when there is none
 *   where(VALUES, CONDITIONS)        the list without the values whose condition is 0, for min, max and so on
 *   upto(A, B)                      the list of the whole numbers from A to B, which no run decides
 *   runs("PATTERN")                  the list of all runs with such a name, where * is any text and ? one character
 * A definition may have parameters, which are numbers, runs, lists or texts: a text "x" stands in fields as {name}.
 *
 *   speedup(run, against): against[measures.time] / run[measures.time]
 *   share(run, part): 100 * run[measures.{part}_bytes] / run[measures.bytes]
 */
#ifndef STRATA_EXPERIMENT_EXPRESSION_H
#define STRATA_EXPERIMENT_EXPRESSION_H

#include "experiment/experiment.h"

enum experiment_relation {
	EXPERIMENT_SHOWN, /* a number alone */
	EXPERIMENT_NEAR,
	EXPERIMENT_ABOVE,
	EXPERIMENT_AT_LEAST,
	EXPERIMENT_BELOW,
	EXPERIMENT_AT_MOST,
};

/* All names that expressions may use: runs by their index, and definitions. */
struct experiment_names;
struct experiment_expression;

/* A number that no run gives: a function of so many texts and, after them, numbers, through whose lists it goes as
 * operators do. Texts may name files in dir. */
enum { EXPERIMENT_MODEL_PARTS_MAX = 8 };
struct experiment_model {
	const char *name;
	uint32_t count; /* of numbers */
	double (*of)(const double *x);
	/* 0: it is `of`; else of_texts, which sets *why where the texts or their files are wrong. */
	uint32_t text_count;
	double (*of_texts)(const char *dir, const char *const *texts, const double *x, char **why);
};

/* Runs, dir, and models up to one without a name, must outlive it; NULL: there are no models. */
struct experiment_names *experiment_names_new(const struct experiment *runs, const struct experiment_model *models,
					      const char *dir);
void experiment_names_free(struct experiment_names *names);
/* Adds all definitions of a mapping, NAME: EXPRESSION or NAME(PARAMETER, ...): EXPRESSION, after messages not all. */
void experiment_names_define(struct experiment_names *names, struct base_yaml *y, yaml_node_t *mapping,
			     bool is_quick);

/* An expression that a scalar holds; NULL after messages. The names own it. Whether its parts fit, experiment_check
 * says. */
struct experiment_expression *experiment_expression_read(struct experiment_names *names, struct base_yaml *y,
							 yaml_node_t *n, bool is_quick);
/* An expression that a text holds, which stands at this place; NULL after messages. The names own it. */
struct experiment_expression *experiment_expression_of(struct experiment_names *names, const char *of,
						       struct base_place at, struct base_diag_list *diag);

/* Reads the settings that follow from other runs' results, of all runs. Whoever gives one may not follow itself. */
void experiment_follow_read(struct experiment_names *names, struct base_diag_list *diag);

/* What stands in the outermost relation of an expression; right and within are NULL where there is none. */
struct experiment_sides {
	enum experiment_relation relation;
	const struct experiment_expression *left, *right, *within;
};
struct experiment_sides experiment_expression_sides(const struct experiment_expression *e);
struct base_place experiment_expression_place(const struct experiment_expression *e);
/* Are they written alike, wherever they stand? Of `none` nothing is the same. */
bool experiment_is_same(const struct experiment_expression *a, const struct experiment_expression *b);

/* A field of a run's results that stands at this place, NAN when it is missing. is_needed: nothing stands in for it
 * then. */
typedef double experiment_field(void *ctx, uint32_t run, const char *path, struct base_place at, bool is_needed);

/* Does the expression give as many numbers? count 0: one, and no list. False after messages. */
bool experiment_check(const struct experiment_names *names, const struct experiment_expression *e, uint32_t count,
		      struct base_diag_list *diag);
/* The number of an expression that was checked, or that of its list at an index (one number is every one of them). */
double experiment_number(const struct experiment_names *names, const struct experiment_expression *e, uint32_t index,
			 experiment_field *field, void *ctx);
/* The settings of a run that follow, "key=value" separated by spaces; NULL: what they need is missing. */
char *experiment_follow_sets(const struct experiment_names *names, const struct experiment_run *run,
			     experiment_field *field, void *ctx);

#endif
