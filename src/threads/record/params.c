/* params.c - the table of "record", and how it gets into the program. */
#include "threads/record/record.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sim_param_desc rows[] = {
#define PARAM_STRUCT struct record_params
#include "sim/param_rows.inc"
#include "threads/record/record_params.def"
#include "sim/param_end.inc"
};

void record_params_groups(struct record_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "record", rows, ARRAY_COUNT(rows), p);
}

char *record_options(const struct record_params *p, const char *path, uint32_t unit_count)
{
	struct sim_param_groups groups = {.count = 0};
	struct record_params copy = *p;
	char *text = NULL, value[64];
	size_t length;
	FILE *out = open_memstream(&text, &length);

	record_params_groups(&copy, &groups);
	fprintf(out, "%s\n%u", path, unit_count);
	for (size_t i = 0; i < sizeof(copy) / sizeof(uint64_t); i++)
		fprintf(out, " %lu", ((const uint64_t *)(const void *)&copy)[i]);
	fputc('\n', out);
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		sim_param_format(&groups.items[0], &rows[i], value, sizeof(value));
		fprintf(out, "record.%s=%s\n", rows[i].name, value);
	}
	fclose(out);
	return text;
}
