/* parts.c - sums over the parts of an account. */
#include "report/parts.h"

#include "report/report.h"

void report_parts_add_one(json_t *sums, const char *name, double amount)
{
	json_object_set_new(sums, name, json_real(report_number(sums, name, NULL) + amount));
}

void report_parts_add(json_t *sums, const json_t *parts)
{
	const char *name;
	json_t *amount;

	json_object_foreach((json_t *)parts, name, amount)
		if (json_is_number(amount))
			report_parts_add_one(sums, name, json_number_value(amount));
}

/* What no table has, of results of another version, waits for something of its own. */
uint32_t report_parts_kind(const struct machine_explain *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct account_parts *const *a = rows->items[i]->accounts; *a; a++) {
			const struct account_row *row = account_find(*a, name);

			if (row)
				return 1u << row->kind;
		}
	return REPORT_KIND(OWN);
}

double report_parts_sum(const json_t *parts, const struct machine_explain *rows, uint32_t kinds)
{
	const char *name;
	json_t *amount;
	double sum = 0;

	json_object_foreach((json_t *)parts, name, amount)
		if (report_parts_kind(rows, name) & kinds)
			sum += json_number_value(amount);
	return sum;
}

bool report_parts_is_idle(const json_t *unit, const struct machine_explain *rows, double time_ps)
{
	return report_parts_sum(json_object_get(unit, "parts"), rows, REPORT_KIND(IDLE)) >= time_ps;
}
