/* advise_confidence.h - how often predictions of strata advise were right. */
#ifndef STRATA_REPORT_ADVISE_CONFIDENCE_H
#define STRATA_REPORT_ADVISE_CONFIDENCE_H

#include <stdbool.h>

enum report_advise_question {
	REPORT_ADVISE_STACKS,  /* a level in the stacks of a GPU, or the GPU alone */
	REPORT_ADVISE_CACHE,   /* a server's caches, or its GPU */
	REPORT_ADVISE_CHANNEL, /* processors on the memory channels, or the CPU alone */
	REPORT_ADVISE_QUESTION_COUNT
};

/* The share of hits among the predictions of the same question and kind (is_base: that the machine without near-data
 * processing is best) that real runs have checked and whose margins are nearest, of programs other than workload (NULL:
 * all); one hit and one miss are added, so that few say little. */
double report_advise_confidence(enum report_advise_question question, const char *workload, bool is_base,
				double margin);

#endif
