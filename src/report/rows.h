/* rows.h - a run explained by the rows of its machine's parts (sim/explain.h). Not for other folders.
 *
 * No machine, statistic or parameter has a name here: what is said of a run, its parts have written. */
#ifndef STRATA_REPORT_ROWS_H
#define STRATA_REPORT_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "base/formula.h"
#include "machine/explain.h"

/* The rows of the parts that a run's results name. */
void report_rows_of(const json_t *run, struct machine_explain *out);
/* What a formula gives for a run. */
double report_rows_value(const json_t *run, const char *text);
/* What it gives for an item of a list in the results, whose members are "own." names; list "": for no item. */
double report_rows_item_value(const json_t *run, const char *list, size_t at, const char *text);
/* What it gives for an object, whose members are "own." names; NULL: for none. */
double report_rows_object_value(const json_t *run, const json_t *members, const char *text);
/* A row's text with the numbers, and texts of the object, in the place of "{FORMULA:FORM}". A new text. */
char *report_rows_sentence(const json_t *run, const json_t *members, const char *text);
/* The list at a path of the results, "account.kernels"; NULL: there is none. */
const json_t *report_rows_list(const json_t *run, const char *path);
/* What formulas' names are in a run's results, which the scope keeps. */
struct base_formula_scope report_rows_scope(const json_t *run);

/* What the machine's parts add to a die, of the first technology that there is: mm2, nm and of what, its label. False:
 * no source states it. */
bool report_area(const json_t *run, double *mm2, unsigned *nm, const char **label);
/* Per resource, the nearest first: name, least_ps (the time that it alone needs at its full rate) and share of the
 * run's time. */
json_t *report_bounds(const json_t *run, const struct machine_explain *rows);
/* The bound of a run that stands for an ideal, and its label. False: it has none. */
bool report_ideal(const json_t *run, const char **label, double *least_ps);
/* What mechanisms did, where they did it: name, statistic, value. */
json_t *report_ledger_sums(const json_t *run, const struct machine_explain *rows);
/* A number of sim/reckoned.def, as the run's parts give it, or else the mechanism whose it is; 0: none of them does. */
double report_reckoned(const json_t *run, enum sim_reckoned which);
/* A row's sentence, to be freed with g_free; NULL: its condition does not hold. */
char *report_finding_sentence(const json_t *run, const struct sim_explain_finding *f);
/* Appends the sentences whose condition holds. */
void report_findings_add(const json_t *run, const struct machine_explain *rows, json_t *findings);

/* Prints the machine's own lines of a summary, those of one place in it. */
void report_lines_print(FILE *out, const json_t *run, const struct machine_explain *rows, enum sim_explain_place place);
void report_bounds_print(FILE *out, const json_t *bounds);
void report_ledger_sums_print(FILE *out, const json_t *ledger);

#endif
