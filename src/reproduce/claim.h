/* claim.h - claims as rows: the words in which a paper's table states their terms, and their verdict. */
#ifndef STRATA_REPRODUCE_CLAIM_H
#define STRATA_REPRODUCE_CLAIM_H

#include <glib.h>

#include "reproduce/data.h"
#include "reproduce/verdict.h"

/* The number of a term: a measure of a configuration against another, of one workload or (NULL) of all. */
#define OF(measure_, config_, against_, workload_) \
	.measure = (measure_), .config = (config_), .against = (against_), .workload = (workload_)

/* Terms. `number` is an OF(); `term` is the index of another term, to whose number `value` is added. */
#define PUBLISHED(id_) {.row = {.id = (id_)}}
#define SHOWN(...) {.row = {__VA_ARGS__}}
#define NEAR(value_, tolerance_, ...) \
	{.row = {__VA_ARGS__, .tolerance = (tolerance_)}, .must = REPRODUCE_MUST_BE_NEAR, .value = (value_)}
#define NEAR_TERM(term, tolerance_, ...) \
	{.row = {__VA_ARGS__, .tolerance = (tolerance_)}, .must = REPRODUCE_MUST_BE_NEAR, .than = (term) + 1}
#define MUST(must_, value_, ...) {.row = {__VA_ARGS__}, .must = REPRODUCE_MUST_##must_, .value = (value_)}
#define MUST_THAN(must_, value_, term, ...) \
	{.row = {__VA_ARGS__}, .must = REPRODUCE_MUST_##must_, .value = (value_), .than = (term) + 1}

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
