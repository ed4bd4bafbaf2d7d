/* fit.h - tables as wide as the terminal that they are printed on. */
#ifndef STRATA_REPORT_FIT_H
#define STRATA_REPORT_FIT_H

#include <stdio.h>

/* In front of the text of each column but the first, in the headings and in the rows; it is not printed. */
#define REPORT_FIT_COLUMN "\037"

/* A table that is written into memory first; its first line is the headings. */
struct report_fit {
	FILE *memory;
	char *text;
	size_t length;
};

/* Columns of a terminal; 0: `out` is none. */
int report_terminal_width(FILE *out);
/* Where to write the table to; NULL: there is no memory left. report_fit_end closes it. */
FILE *report_fit_begin(struct report_fit *fit);
/* Writes the table to `out`. Of a terminal that is too narrow the columns of `order`, headings that a NULL ends, go in
 * turn until every line fits, and a last line says which, and that `rest` has them. Elsewhere all stay. */
void report_fit_end(struct report_fit *fit, FILE *out, const char *const order[], const char *rest);
/* The same of a text, for a width of 0 (all stay) or more; a new text. */
char *report_fit_text(const char *text, int width, const char *const order[], const char *rest);

#endif
