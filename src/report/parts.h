/* parts.h - sums over the parts of an account in the results, by name. Not for other folders.
 *
 * What a part is, its kind, says the table of the machine's part that accounts (account/account.h). */
#ifndef STRATA_REPORT_PARTS_H
#define STRATA_REPORT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "account/account.h"
#include "machine/explain.h"

/* Kinds of parts, as a set. */
#define REPORT_KIND(kind) (1u << ACCOUNT_KIND_##kind)
#define REPORT_KINDS_ALL UINT32_MAX

/* The kind of a part, as a set of one. */
uint32_t report_parts_kind(const struct machine_explain *rows, const char *name);
/* Adds a number to the one of that name, and all parts to the sums. What is no number is no part. */
void report_parts_add_one(json_t *sums, const char *name, double amount);
void report_parts_add(json_t *sums, const json_t *parts);
/* All that are of these kinds. */
double report_parts_sum(const json_t *parts, const struct machine_explain *rows, uint32_t kinds);
/* Has a unit of the account had nothing to do in all of the time? */
bool report_parts_is_idle(const json_t *unit, const struct machine_explain *rows, double time_ps);

#endif
