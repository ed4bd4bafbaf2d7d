/* csv_line.h - a line of a file of comma-separated values, and the columns that its fields begin in. */
#ifndef STRATA_REPORT_CSV_LINE_H
#define STRATA_REPORT_CSV_LINE_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct report_csv_field {
	char *text;   /* without its quotes, and without spaces around it */
	uint32_t col; /* from 1, in bytes */
};

struct report_csv_line {
	struct report_csv_field *fields;
	uint32_t count;
	uint32_t open_col; /* of a quote that nothing closes; 0: there is none */
};

/* Splits a line; what it has kept of another one is freed. RFC 4180: in quotes commas are text and "" is one quote. */
void report_csv_split(struct report_csv_line *l, const char *line);
void report_csv_free(struct report_csv_line *l);
/* The column of that name, whatever its case; -1: there is none. */
int report_csv_column(const struct report_csv_line *l, const char *name);

/* Appends a field, in quotes where it needs them. */
void report_csv_put(GString *out, const char *text);
/* The same of a value: integers with all their digits, nothing for null. */
void report_csv_put_value(GString *out, const json_t *value);
/* The same of a program's arguments, with spaces between them. */
void report_csv_put_args(GString *out, const json_t *args);

#endif
