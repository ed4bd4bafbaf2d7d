/* published.h - the published numbers of a paper (papers/NAME/results.csv) and the explanations of ours that deviate
 * (papers/NAME/explanations.csv). */
#ifndef STRATA_REPRODUCE_PUBLISHED_H
#define STRATA_REPRODUCE_PUBLISHED_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "reproduce/experiments.h"
#include "reproduce/paper.h"

enum reproduce_relation {
	REPRODUCE_EXACT,          /* also "average", "approx", "up to": compared within the row's tolerance */
	REPRODUCE_ABOVE,          /* ">": of what is equal, nothing was gained */
	REPRODUCE_AT_LEAST,       /* ">=" */
	REPRODUCE_BELOW,          /* "<" */
	REPRODUCE_AT_MOST,        /* "<=" */
	REPRODUCE_INPUT_OF_MODEL, /* "input": a parameter's value, so that its return proves nothing */
};

struct reproduce_published {
	char *id, *workload, *configuration, *quantity, *unit, *where;
	double value;
	enum reproduce_relation relation;
	bool is_input; /* "input", or "input >=" and so on: what follows from parameters keeps a bound */
};

/* papers/NAME/measured.csv: what a row, or each number that a claim is judged by, was when its reason was written, and
 * how far from that the reason holds. */
struct reproduce_held {
	double numbers[REPRODUCE_TERM_MAX], bands[REPRODUCE_TERM_MAX];
	uint32_t count;
};

/* papers/NAME/closed.csv: a row's number at a size, and with its causes removed together. */
struct reproduce_closing {
	char *size, *change;
	double measured, without;
};

struct reproduce_published_set {
	GPtrArray *numbers;       /* struct reproduce_published * */
	GHashTable *explanations; /* id -> text; a claim's part is "T2 (a)" */
	GHashTable *passes; /* the same of what passes for another reason than the paper's: rows of the run "pass" */
	GHashTable *experiments;  /* id -> a run that shows the cause of a deviation, in words */
	GPtrArray *experiment_rows; /* struct reproduce_experiment *, all of them in the order of the file */
	GHashTable *held;	  /* id -> struct reproduce_held *, of quick or of full runs */
	GHashTable *closings;	  /* id -> GPtrArray of struct reproduce_closing * */
	bool is_quick;
};

/* Reads the files in dir, and of the explanations those of quick or of full runs. NULL with messages
 * (file:line:column) when a file is wrong; a missing file of the other four means there are none. Free with
 * reproduce_published_free. */
struct reproduce_published_set *reproduce_published_read(const char *dir, bool is_quick, struct base_diag_list *diag);
void reproduce_published_free(struct reproduce_published_set *set);
/* NULL when there is no such id. */
const struct reproduce_published *reproduce_published_find(const struct reproduce_published_set *set, const char *id);

#endif
