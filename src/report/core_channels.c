/* core_channels.c - sums over the parts of each channel's lines. */
#include "report/core_channels.h"

#include "report/report.h"

#include <glib.h>

static const double ps_per_us = 1e6, out_of_balance = 2, much = 0.05;

/* Adds the parts to sums, and returns their sum. */
static double add_parts(const json_t *parts, json_t *sums)
{
	double all = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)parts, key, value) {
		json_object_set_new(sums, key, json_real(report_number(sums, key, NULL) + json_number_value(value)));
		all += json_number_value(value);
	}
	return all;
}

static const char *largest(const json_t *sums, double *ps)
{
	const char *key, *most = NULL;
	json_t *value;

	*ps = 0;
	json_object_foreach((json_t *)sums, key, value)
		if (json_number_value(value) > *ps) {
			*ps = json_number_value(value);
			most = key;
		}
	return most;
}

static json_t *row_of(const json_t *account, const json_t *channel)
{
	json_t *sums = json_object(), *row;
	const double processors = add_parts(json_object_get(channel, "processors"), sums);
	const double ndps = add_parts(json_object_get(channel, "ndps"), sums);
	double most_ps;
	const char *most = largest(sums, &most_ps);

	row = json_pack("{s:O, s:f, s:f, s:f, s:o}", "channel", json_object_get(channel, "channel"), "ps",
			processors + ndps, "processors_ps", processors, "ndps_ps", ndps, "parts", sums);
	if (most) {
		json_object_set_new(row, "most", json_string(most));
		json_object_set_new(row, "most_share", json_real(most_ps / (processors + ndps)));
		json_object_set_new(row, "what", report_doc(json_object_get(account, "parts"), most));
	}
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

json_t *report_core_channels(const json_t *account, double all_ps, json_t *findings)
{
	json_t *rows = json_array(), *channel;
	size_t i;

	json_array_foreach(json_object_get(account, "channels"), i, channel)
		json_array_append_new(rows, row_of(account, channel));
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
