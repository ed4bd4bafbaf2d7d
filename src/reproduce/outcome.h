/* outcome.h - published and measured side by side: every row and claim with its verdict. */
#ifndef STRATA_REPRODUCE_OUTCOME_H
#define STRATA_REPRODUCE_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "reproduce/data.h"
#include "reproduce/published.h"
#include "reproduce/verdict.h"

enum reproduce_status {
	REPRODUCE_PASS,
	REPRODUCE_FAIL,
	REPRODUCE_EXPLAINED, /* deviates, and an experiment that removes the causes closes 70 % at two sizes or more */
	REPRODUCE_OPEN,	     /* deviates, with a reason that closes less, or of which nothing is recorded */
	REPRODUCE_CONTRADICTED, /* deviates, and answers the other way */
	REPRODUCE_ABSENT,    /* the runs it needs are missing; the same file may say why */
	REPRODUCE_SAME,      /* judged under another id, which the note names */
	REPRODUCE_INPUT,     /* a parameter of the model, or arithmetic of such: equal because it was put in */
};
const char *reproduce_status_name(enum reproduce_status status);

struct reproduce_outcome {
	const char *id;	  /* "TOM-01", "T2 (a)" */
	char *text;	  /* the quantity, or the claim; owned */
	const struct reproduce_published *published; /* NULL for claims */
	double measured;  /* NAN for claims and when absent */
	double error; /* of a sampled run, half of measured's 95 % interval; NAN: nothing is estimated */
	double deviation; /* measured less published, in the published unit */
	double closed; /* the share of the deviation that its causes close, 0 to 1; NAN: nothing is recorded */
	struct reproduce_numbers numbers; /* of which it is judged */
	bool has_reason;
	enum reproduce_status status;
	char note[4096]; /* the explanations with their experiments, what a claim looked at, which mean it is */
};

struct reproduce_outcomes {
	struct reproduce_outcome *items;
	uint32_t count;
	const char *name; /* the paper's */
	enum experiment_size size;
};

/* Judges every row and claim of data's paper. A row whose id is not published is our bug. The outcomes point into
 * data's paper and published. In sampled runs a reason holds for a number whose interval reaches into its band, and a
 * note says where the interval has numbers of the other verdict. Free with reproduce_outcomes_free. */
struct reproduce_outcomes reproduce_judge(const struct reproduce_data *data,
					  const struct reproduce_published_set *published);
void reproduce_outcomes_free(struct reproduce_outcomes *o);

/* Array of {id, paper, measured, error, unit, deviation, status, closed, note}; numbers that are not there are null. */
json_t *reproduce_outcomes_json(const struct reproduce_outcomes *o);
/* Writes all of them as a CSV table. */
void reproduce_outcomes_csv(FILE *out, const struct reproduce_outcomes *o);
/* The first line of each page: how many rows a run decides, and their verdicts; then what is contradicted. */
void reproduce_outcomes_head(GString *out, const struct reproduce_outcomes *o);
/* What measured.csv should hold for each deviation with a reason: what it holds now as long as that is near, else
 * today's number; lines of the other kind of run as they are. For one who has looked at the reasons again. */
void reproduce_outcomes_record(FILE *out, const struct reproduce_outcomes *o,
			       const struct reproduce_published_set *published, const char *before);
/* For the terminal: what passed, what did not, and the claims. */
void reproduce_outcomes_print(FILE *out, const struct reproduce_outcomes *o);

/* One self-contained HTML page: the plots, the rows and the claims. */
void reproduce_page_write(FILE *out, const struct reproduce_data *data, const struct reproduce_outcomes *o,
			  const char *title_suffix);

#endif
