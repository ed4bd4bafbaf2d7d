/* trace.c - the timeline of a run as trace events: complete events ("ph": "X") in two processes, streams and engines.
 * Source: Trace Event Format (the Chromium project), sections "JSON Object Format", "Complete Events", "Metadata
 * Events". */
#include "report/trace.h"

#include "report/report.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6;

/* Rows of the engines' process, by kind of work. */
static const char *const engines[] = {"kernel", "copy to device", "copy to host", "copy on device", "memset"};

void trace_add_name(json_t *events, const char *what, int process, json_int_t row, const char *name)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "name", what, "ph", "M", "pid",
						process, "tid", row, "args", "name", name));
}

/* Number -> object, of the launches that the run lists one by one. */
static GHashTable *launches_of(const json_t *run)
{
	GHashTable *launches = g_hash_table_new(g_direct_hash, g_direct_equal);
	json_t *kernel;
	size_t i;

	json_array_foreach(json_object_get(run, "kernels"), i, kernel)
		g_hash_table_insert(launches, GSIZE_TO_POINTER((gsize)report_number(kernel, "number", NULL)), kernel);
	return launches;
}

/* What a viewer shows of a selected event: of a kernel its launch, of a copy its bytes. */
static json_t *args_of(const json_t *work, GHashTable *launches)
{
	static const char *const shown[] = {"grid", "block", "cycles", "warp_instructions", "thread_instructions",
					    "cta_count"};
	const gsize number = (gsize)report_number(work, "launch", NULL);
	const json_t *kernel = g_hash_table_lookup(launches, GSIZE_TO_POINTER(number));
	const double cycles = report_number(kernel, "cycles", NULL);
	json_t *args = json_object();

	json_object_set(args, "stream", json_object_get(work, "stream"));
	if (!number) {
		json_object_set(args, "bytes", json_object_get(work, "bytes"));
		return args;
	}
	json_object_set(args, "launch", json_object_get(work, "launch"));
	json_object_set(args, "symbol", json_object_get(work, "name"));
	for (uint32_t i = 0; kernel && i < G_N_ELEMENTS(shown); i++)
		json_object_set(args, shown[i], json_object_get(kernel, shown[i]));
	if (cycles > 0)
		json_object_set_new(args, "ipc",
				    json_real(report_number(kernel, "thread_instructions", NULL) / cycles));
	return args;
}

void trace_add_span(json_t *events, const char *name, const char *category, int process, json_int_t row,
		    double start_ps, double end_ps, json_t *args)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:o}", "name", name, "cat",
						category, "ph", "X", "pid", process, "tid", row, "ts",
						start_ps / ps_per_us, "dur", (end_ps - start_ps) / ps_per_us, "args",
						args));
}

static void add_work(json_t *events, const json_t *work, GHashTable *launches, int process, json_int_t row)
{
	const double start = report_number(work, "start_ps", NULL), end = report_number(work, "end_ps", NULL);
	json_t *title = json_object_get(work, "title");

	trace_add_span(events, json_string_value(title ? title : json_object_get(work, "name")),
		       json_string_value(json_object_get(work, "kind")), process, row, start, end,
		       args_of(work, launches));
}

static void add_stream_name(json_t *events, json_int_t stream)
{
	char name[64];

	snprintf(name, sizeof(name), "stream %lld", (long long)stream);
	trace_add_name(events, "thread_name", TRACE_PROCESS_STREAMS, stream, stream ? name : "default stream");
}

static void add_value(json_t *events, const char *name, double ts_us, double value)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:f, s:{s:f}}", "name", name, "ph", "C", "pid",
						TRACE_PROCESS_SAMPLES, "ts", ts_us, "args", "value", value));
}

/* Of a count that has parts: one counter, whose values are theirs. */
static void add_parts(json_t *events, const char *name, const json_t *parts, size_t row, double from_ps, double us)
{
	const char *part = json_string_value(json_object_get(parts, "part"));
	g_autofree char *title = g_strdup_printf("%s per us, by %s", name, part);
	json_t *values = json_object(), *rows;
	size_t i;

	json_array_foreach(json_object_get(parts, "values"), i, rows) {
		g_autofree char *key = g_strdup_printf("%s %zu", part, i);

		json_object_set_new(values, key, json_real(json_number_value(json_array_get(rows, row)) / us));
	}
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:f, s:o}", "name", title, "ph", "C", "pid",
						TRACE_PROCESS_SAMPLES, "ts", from_ps / ps_per_us, "args", values));
}

/* What there was at the end of each row, and each count as a rate, which holds from the begin of its row. */
static void add_samples(json_t *events, const json_t *run)
{
	const json_t *samples = json_object_get(run, "samples"), *starts = json_object_get(samples, "start_ps"), *start;
	json_t *counters = json_object_get(samples, "counters"), *gauges = json_object_get(samples, "gauges"),
	       *parts = json_object_get(samples, "parts"), *values;
	const char *name;
	size_t i;

	if (!json_array_size(starts))
		return;
	trace_add_name(events, "process_name", TRACE_PROCESS_SAMPLES, 0, "counts over time");
	json_array_foreach(starts, i, start) {
		const double from = json_number_value(start),
			     to = json_number_value(json_array_get(json_object_get(samples, "end_ps"), i));

		json_object_foreach(gauges, name, values)
			add_value(events, name, from / ps_per_us, json_number_value(json_array_get(values, i)));
		json_object_foreach(counters, name, values) {
			g_autofree char *title = g_strconcat(name, " per us", NULL);

			add_value(events, title, from / ps_per_us,
				  json_number_value(json_array_get(values, i)) / ((to - from) / ps_per_us));
		}
		json_object_foreach(parts, name, values)
			add_parts(events, name, values, i, from, (to - from) / ps_per_us);
	}
}

static json_t *events_of(const json_t *run)
{
	json_t *events = json_array(), *seen = json_object(), *work;
	GHashTable *launches = launches_of(run);
	size_t i;

	trace_add_name(events, "process_name", TRACE_PROCESS_STREAMS, 0, "streams");
	trace_add_name(events, "process_name", TRACE_PROCESS_ENGINES, 0, "engines");
	for (uint32_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++)
		trace_add_name(events, "thread_name", TRACE_PROCESS_ENGINES, e, engines[e]);
	json_array_foreach(json_object_get(run, "timeline"), i, work) {
		const char *kind = json_string_value(json_object_get(work, "kind"));
		json_int_t stream = json_integer_value(json_object_get(work, "stream"));
		char key[32];

		snprintf(key, sizeof(key), "%lld", (long long)stream);
		if (!json_object_get(seen, key))
			add_stream_name(events, stream);
		json_object_set_new(seen, key, json_true());
		add_work(events, work, launches, TRACE_PROCESS_STREAMS, stream);
		for (uint32_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
			if (!strcmp(kind, engines[e]))
				add_work(events, work, launches, TRACE_PROCESS_ENGINES, e);
		}
	}
	add_samples(events, run);
	trace_add_spans(events, run, launches);
	json_decref(seen);
	g_hash_table_unref(launches);
	return events;
}

bool report_trace_write(const char *path, const json_t *run)
{
	json_t *trace = json_pack("{s:s, s:o}", "displayTimeUnit", "ns", "traceEvents", events_of(run));
	bool is_written = report_json_write(path, trace);

	json_decref(trace);
	return is_written;
}
