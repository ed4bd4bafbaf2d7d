/* core_channels.c - sums over the parts of each channel's lines. */
#include "report/core_channels.h"

#include "report/parts.h"
#include "report/report.h"

#include <glib.h>

static const double ps_per_us = 1e6, out_of_balance = 2, much = 0.05;

static json_t *row_of(const json_t *account, const struct machine_explain *rows, const json_t *channel)
{
	const json_t *processors = json_object_get(channel, "processors"), *ndps = json_object_get(channel, "ndps");
	const double processors_ps = report_parts_sum(processors, rows, REPORT_KINDS_ALL);
	const double ndps_ps = report_parts_sum(ndps, rows, REPORT_KINDS_ALL);
	json_t *sums = json_object(), *row;

	report_parts_add(sums, processors);
	report_parts_add(sums, ndps);
	row = json_pack("{s:O, s:f, s:f, s:f, s:o}", "channel", json_object_get(channel, "channel"), "ps",
			processors_ps + ndps_ps, "processors_ps", processors_ps, "ndps_ps", ndps_ps, "parts", sums);
	report_parts_put_most(row, sums, json_object_get(account, "parts"), rows, REPORT_KINDS_ALL,
			      processors_ps + ndps_ps);
	return row;
}

static void find_balance(const json_t *rows, double all_ps, json_t *findings)
{
	const size_t count = json_array_size(rows);
	const json_t *most = NULL;
	double all = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		all += report_number(row, "ps", NULL);
		if (!most || report_number(row, "ps", NULL) > report_number(most, "ps", NULL))
			most = row;
	}
	if (all > much * all_ps && report_number(most, "ps", NULL) > out_of_balance * all / (double)count) {
		g_autofree char *text = g_strdup_printf(
		    "the channels are out of balance: of all waiting for their lines %.1f %% is for channel %.0f, one "
		    "of %zu; most of that: %s",
		    100 * report_number(most, "ps", NULL) / all, report_number(most, "channel", NULL), count,
		    json_string_value(json_object_get(most, "what")));

		json_array_append_new(findings, json_string(text));
	}
}

json_t *report_core_channels(const json_t *account, const struct machine_explain *explain, double all_ps,
			     json_t *findings)
{
	json_t *rows = json_array(), *channel;
	size_t i;

	json_array_foreach(json_object_get(account, "channels"), i, channel)
		json_array_append_new(rows, row_of(account, explain, channel));
	find_balance(rows, all_ps, findings);
	return rows;
}

void report_core_channels_print(FILE *out, const json_t *channels)
{
	json_t *row;
	size_t i;

	if (!json_array_size(channels))
		return;
	fprintf(out, "\nwaiting for lines, by the channel that they are behind\n  %7s %14s %14s\n", "channel",
		"processors us", "NDPs us");
	json_array_foreach((json_t *)channels, i, row) {
		const char *what = json_string_value(json_object_get(row, "what"));

		fprintf(out, "  %7.0f %14.3f %14.3f", report_number(row, "channel", NULL),
			report_number(row, "processors_ps", NULL) / ps_per_us,
			report_number(row, "ndps_ps", NULL) / ps_per_us);
		if (what)
			fprintf(out, "  %3.0f %% %s", 100 * report_number(row, "most_share", NULL), what);
		fputc('\n', out);
	}
}
