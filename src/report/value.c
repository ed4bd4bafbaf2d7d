/* value.c - numbers of a result object, and what follows from them. */
#include "report/report.h"

#include "base/unmodelled.h"

#include <glib.h>
#include <string.h>

double report_number(const json_t *run, const char *outer, const char *inner)
{
	const json_t *v = json_object_get(run, outer);

	return json_number_value(inner ? json_object_get(v, inner) : v);
}

void report_insert(json_t *list, const char *key, json_t *row)
{
	const double own = report_number(row, key, NULL);
	size_t at = 0;

	while (at < json_array_size(list) && report_number(json_array_get(list, at), key, NULL) >= own)
		at++;
	json_array_insert_new(list, at, row);
}

bool report_has_run(const json_t *run)
{
	return json_object_get(run, "cycles") != NULL;
}

char *report_unmodelled_mark(const json_t *run)
{
	const double ratio = report_number(run, "unmodelled_ratio", NULL);

	return ratio > BASE_UNMODELLED_MARKED ? g_strdup_printf("UNMODELLED %.1f %%", 100 * ratio) : g_strdup("");
}

static double scheduler_cycles(const json_t *run)
{
	return report_number(run, "stats", "sm.scheduler_cycles");
}

uint32_t report_top_stalls(const json_t *run, struct report_stall *out, uint32_t max)
{
	json_t *stalls = json_object_get(run, "stalls");
	double total = scheduler_cycles(run);
	uint32_t count = 0;
	const char *reason;
	json_t *value;

	if (total <= 0)
		return 0;
	json_object_foreach(stalls, reason, value) {
		double share = json_number_value(value) / total;
		uint32_t at = count;

		while (at && out[at - 1].share < share)
			at--;
		if (share <= 0 || at == max)
			continue;
		count += count < max;
		memmove(&out[at + 1], &out[at], (count - 1 - at) * sizeof(out[0]));
		out[at] = (struct report_stall){reason, share};
	}
	return count;
}
