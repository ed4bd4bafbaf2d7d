/* paper.h - a paper's evaluation as tables: which configurations run which workloads, what its published numbers are,
 * and how each is computed from results.
 *
 * A paper is read from its folder (described.h). The published numbers are in papers/NAME/results.csv, so that anybody
 * can read and check them against the paper.
 */
#ifndef STRATA_REPRODUCE_PAPER_H
#define STRATA_REPRODUCE_PAPER_H

#include <stdbool.h>
#include <stdint.h>

struct reproduce_data;

/* One machine of the evaluation: a machine description with overrides. */
struct reproduce_config {
	const char *name;    /* "ctrl+tmap", as the tables call it */
	const char *machine; /* "tom-ctrl-tmap" */
	const char *sets;    /* overrides "key=value", separated by spaces; "" for none */
};

/* A run of an evaluation: what a configuration runs. */
struct reproduce_cell {
	uint32_t config;
	const char *workload;  /* of the paper's */
	const char *arguments; /* separated by spaces */
};

struct reproduce_row;
/* The measured value in the published unit; NAN when the runs it needs are missing. */
typedef double reproduce_measure(const struct reproduce_data *d, const struct reproduce_row *row);

/* A published number and how it is measured. */
struct reproduce_row {
	const char *id; /* of papers/NAME/results.csv */
	reproduce_measure *measure;
	double tolerance;	/* in the published unit; of numbers that are equalities */
	const char *expression; /* what the measure computes: described.h */
};

/* Where the answer of the row with this id turns round: 1 of a speed-up, 0 of a change. On its other side we contradict
 * the paper. */
struct reproduce_turn {
	double turn;
	const char *id;
};

/* What must be true of a number that a claim looks at. */
enum reproduce_must {
	REPRODUCE_MUST_NOTHING, /* it is only shown */
	REPRODUCE_MUST_BE_NEAR, /* within row.tolerance */
	REPRODUCE_MUST_EXCEED,	/* > */
	REPRODUCE_MUST_REACH,	/* >= */
	REPRODUCE_MUST_BE_BELOW,   /* < */
	REPRODUCE_MUST_NOT_EXCEED, /* <= */
};

/* A number that a claim looks at. */
struct reproduce_term {
	/* How it is measured. Without a measure: as the paper's row of this id, whose published value it must be near,
	 * within that row's tolerance; such a value stands in papers/NAME/results.csv only. */
	struct reproduce_row row;
	enum reproduce_must must;
	double value;		  /* what it is compared with; in the measure's unit */
	const char *wanted;	  /* not NULL: the number of this expression is added to value */
	const char *const *words; /* not NULL: the number is an index into these */
	uint32_t word_count;
};

enum { REPRODUCE_TERM_MAX = 6 };

/* One part of a claim: "T2 (a)". The texts are templates: {0} is term 0's measured number, {=0} the size of what it is
 * compared with, {~0} its tolerance; with {0:.1} one decimal, with {0:+.1} a sign as well, with {0:s} a word. */
struct reproduce_claim {
	const char *part, *text;
	const char *seen;  /* what is said of the numbers */
	struct reproduce_term terms[REPRODUCE_TERM_MAX]; /* in use: those before the first without measure and id */
};

enum reproduce_plot {
	REPRODUCE_PLOT_SPEEDUP,
	REPRODUCE_PLOT_TRAFFIC,
	REPRODUCE_PLOT_ENERGY,
	REPRODUCE_PLOT_CTA_TIMES, /* distributions, cta_times.h */
};

/* One plot of the page: configurations side by side for every workload, relative to the first configuration. */
struct reproduce_figure {
	const char *title;
	enum reproduce_plot plot;
	const uint32_t *configs;
	uint32_t config_count;
};

/* A plot of anything else: bars of these names in groups of these names. */
struct reproduce_chart {
	const char *title;
	const char *const *bars;
	uint32_t bar_count;
	const char *const *groups;
	uint32_t group_count;
	const char *const *expressions; /* by bar, of as many numbers as there are groups */
};

enum { REPRODUCE_POINTS_MAX = 256, REPRODUCE_POINT_NAME_BYTES = 64 };

/* Both numbers are above 0. */
struct reproduce_point {
	double x, y;
	uint32_t series;
	bool is_published; /* a number of the paper's */
	char name[REPRODUCE_POINT_NAME_BYTES];
};

/* A plot of points. */
struct reproduce_scatter {
	const char *title, *x_title, *y_title;
	bool is_log; /* both axes */
	const char *const *series;
	uint32_t series_count;
	/* At most REPRODUCE_POINTS_MAX; how many, 0: what they are of is missing. */
	uint32_t (*points)(const struct reproduce_data *d, struct reproduce_point *out);
};

/* A published number that a claim or another row judges already: shown, and not judged again; what explains it
 * explains that. A claim that judges inputs of the model only is itself one. */
struct reproduce_same {
	const char *id, *as;
};

struct reproduce_paper {
	const char *name, *title;
	const struct reproduce_config *configs; /* the first is the baseline */
	uint32_t config_count;
	const char *const *workloads;
	uint32_t workload_count;
	const struct reproduce_cell *cells; /* what is run */
	uint32_t cell_count;
	const struct reproduce_row *rows;
	uint32_t row_count;
	const struct reproduce_same *same;
	uint32_t same_count;
	const struct reproduce_claim *claims;
	uint32_t claim_count;
	const struct reproduce_turn *turns;
	uint32_t turn_count;
	const struct reproduce_figure *figures;
	uint32_t figure_count;
	const struct reproduce_chart *charts;
	uint32_t chart_count;
	const struct reproduce_scatter *scatters;
	uint32_t scatter_count;
	struct reproduce_described *described; /* what its folder says: described.h; NULL: the paper is of a test */
	/* What is said beside numbers: part is the number's id; only the text counts. */
	const struct reproduce_claim *notes;
	uint32_t note_count;
};

/* Is this run a part of the evaluation? */
bool reproduce_is_run(const struct reproduce_paper *paper, uint32_t config, uint32_t workload);
/* What a run's program is given, separated by spaces; NULL: there is no such run. */
const char *reproduce_arguments(const struct reproduce_paper *paper, uint32_t config, uint32_t workload);

#endif
