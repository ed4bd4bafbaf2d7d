/* claim.h - claims as rows: the verdict of their terms, and their texts. */
#ifndef STRATA_REPRODUCE_CLAIM_H
#define STRATA_REPRODUCE_CLAIM_H

#include <glib.h>

#include "reproduce/data.h"
#include "reproduce/verdict.h"

enum reproduce_verdict {
	REPRODUCE_HOLDS,
	REPRODUCE_HOLDS_NOT,
	REPRODUCE_UNKNOWN, /* a number that a term needs is missing */
};

/* The paper's row of this id. One that it has not is our bug. */
const struct reproduce_row *reproduce_row_find(const struct reproduce_paper *paper, const char *id);

/* The numbers that the claim is judged by. */
struct reproduce_numbers reproduce_claim_numbers(const struct reproduce_claim *claim, const struct reproduce_data *data,
						 const struct reproduce_published_set *published);

/* Appends the claim's text and what was seen. A published id without row or number is our bug. */
enum reproduce_verdict reproduce_claim_judge(const struct reproduce_claim *claim, const struct reproduce_data *data,
					     const struct reproduce_published_set *published, GString *text,
					     GString *seen);

#endif
