/* units.h - where the cycles of a coprocessor's functional units went. */
#ifndef STRATA_REPORT_UNITS_H
#define STRATA_REPORT_UNITS_H

#include <jansson.h>
#include <stdio.h>

/* Of a run with an account (unit_account of docs/results.md): cycles of all cores by part, the instructions with the
 * most cycles in which no multiply-add begins, and what is unaccounted, which is 0; adds findings. JSON null without an
 * account. Free with json_decref. */
json_t *report_units(const json_t *run, json_t *findings);
void report_units_print(FILE *out, const json_t *units);

#endif
