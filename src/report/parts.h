/* parts.h - sums over the parts of an account in the results, by name, and tables of them. Not for other folders.
 *
 * What a part is, its kind, says the table of the machine's part that accounts (account/account.h). */
#ifndef STRATA_REPORT_PARTS_H
#define STRATA_REPORT_PARTS_H

#include <jansson.h>
#include <stdio.h>

#include "account/account.h"
#include "machine/explain.h"

/* Kinds of parts, as a set. */
#define REPORT_KIND(kind) (1u << ACCOUNT_KIND_##kind)
#define REPORT_KINDS_ALL UINT32_MAX

/* Adds a number to the one of that name, and all parts to the sums. */
void report_parts_add_one(json_t *sums, const char *name, double amount);
void report_parts_add(json_t *sums, const json_t *parts);
/* All that are of these kinds. */
double report_parts_sum(const json_t *parts, const struct machine_explain *rows, uint32_t kinds);
/* Has a unit of the account had nothing to do in all of the time? */
bool report_parts_is_idle(const json_t *unit, const struct machine_explain *rows, double time_ps);

/* A row for each sum, the largest first: name, what (docs has the words), its amount under `key` ("ps", "cycles") and
 * the share of all. */
json_t *report_parts_sorted(const json_t *sums, const json_t *docs, const char *key, double all);
/* Puts what the largest part is into the row: most, most_share of `sum`, and what, its words. */
void report_parts_put_most(json_t *row, const json_t *parts, const json_t *docs, const struct machine_explain *rows,
			   uint32_t kinds, double sum);
/* A copy of a place in the program with all its parts of these kinds under `key`, the share of all, and the largest of
 * them; NULL: it has none. */
json_t *report_parts_place(const json_t *place, const json_t *docs, const struct machine_explain *rows, uint32_t kinds,
			   const char *key, double all);

/* "WHO spend 5.0 % of their time on: ..." for the first rows, of parts that are at least such a share. */
void report_parts_find(const json_t *sorted, const char *who, const char *unit, double least, json_t *findings);

/* Rows as text; key "ps": in us. Of places, the first ones, in so many columns by what title gives for one, freed. */
void report_parts_print(FILE *out, const json_t *sorted, const char *key);
void report_places_print(FILE *out, const json_t *places, const char *key, int width, char *(*title)(const json_t *));

#endif
