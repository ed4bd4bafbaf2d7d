/* accounts.h - where the time of a run's units went, by the rows of its parts. Not for other folders.
 *
 * The one reader of every account that results have (docs/results.md), whoever keeps it: schedulers, control blocks,
 * hardware threads, NDP cores, accelerators, a coprocessor's units. Rows UNITS, USED, SHARE and SPLIT, TIMED, PLACES
 * and BEHIND (sim/explain.h) say whose time it is and where it stands.
 */
#ifndef STRATA_REPORT_ACCOUNTS_H
#define STRATA_REPORT_ACCOUNTS_H

#include <jansson.h>
#include <stdbool.h>

/* A list, to be freed with json_decref, of what was at work:
 * - "key", "who", "unit" ("ps", or what the row counts), "whole": the time of all units that were at work;
 * - "parts": of it, the largest first: name, what (in words), amount, share, is_used (the unit did its work);
 * - "unaccounted": what is missing of the time of all units, 0 unless there is a bug;
 * - "units" and "used": how many there are, and how many of them did something; both are missing where only a sum of
 *   all of them is counted;
 * - "splits": parts that are split along the way of what they waited for: name, title, amount, unaccounted, parts;
 * - "places", with "places_title": where in the program it was, those with the most time first, at most 100, and
 *   "places_left_out", how many more there are: the members of the result's item, kernel, "parts", amount, share, and
 *   most, most_share, what: its largest part. All are missing where nobody accounts by place, or without has_places. */
json_t *report_accounts(const json_t *run, bool has_places);
/* A list: "title", "name", and "rows" by what was waited for: its number under that name, amount, "by" the key of each
 * account, "parts", and most, most_share, what. */
json_t *report_accounts_behind(const json_t *run);
/* Appends sentences: the largest parts of each account, its costliest place, and what is out of balance. */
void report_accounts_find(const json_t *run, const json_t *accounts, const json_t *behind, json_t *findings);
/* The time of the mean unit, of those that did something, that went to each part: sets name -> ps in `sums` and returns
 * true; false: the run has no account. What is counted for all units together is one unit. */
bool report_accounts_mean(const json_t *run, json_t *sums);

#endif
