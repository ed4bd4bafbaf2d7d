/* verdict.h - what a number that deviates, and has a reason, is: explained, open, contradicted, or failed. */
#ifndef STRATA_REPRODUCE_VERDICT_H
#define STRATA_REPRODUCE_VERDICT_H

#include "reproduce/published.h"

/* What decides a verdict: a row's number, or all numbers that a claim is judged by. */
struct reproduce_numbers {
	double measured[REPRODUCE_TERM_MAX], wanted[REPRODUCE_TERM_MAX], tolerance[REPRODUCE_TERM_MAX];
	enum reproduce_relation relations[REPRODUCE_TERM_MAX];
	double error; /* of the first; 0: none is estimated */
	uint32_t count;
	bool is_contrary; /* one of them answers the other way */
};

/* A deviation is explained when one change closes at least this share of it, at this many sizes or more. */
#define REPRODUCE_SHARE_EXPLAINED 0.7
enum { REPRODUCE_SIZES_EXPLAINED = 2 };

/* Where the answers of this row's measure turn round; NAN: they do not. */
double reproduce_turn_of(const struct reproduce_paper *paper, const struct reproduce_row *row);
/* Are the two, of which the first deviates from the second, on different sides of where the answer turns? */
bool reproduce_is_contrary(double measured, double wanted, enum reproduce_relation relation, double turn);

/* How much of the deviation is gone: 0 for none, 1 for all. What overshoots leaves a deviation as well. */
double reproduce_share_closed(double measured, double without, double wanted, enum reproduce_relation relation);
/* The share that the best change closes at all sizes at which it was tried; is_explained: it is enough. Appends what
 * was tried. NAN: nothing is recorded, or the claim has several numbers. */
double reproduce_closed(const struct reproduce_published_set *published, const char *id,
			const struct reproduce_numbers *n, GString *tried, bool *is_explained);

/* Are all numbers near those for which the reason was written? Otherwise says why not. */
bool reproduce_is_held(const struct reproduce_published_set *published, const char *id,
		       const struct reproduce_numbers *n, GString *why);

#endif
