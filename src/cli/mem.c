/* mem.c - strata mem: memories under streams of requests; a summary or table, results as JSON, a picture. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/keep.h"
#include "cli/mem_runs.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/provenance.h"
#include "machine/json.h"
#include "machine/memories.h"
#include "machine/tables.h"
#include "memory/bounds.h"
#include "report/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	SLOTS_MAX = 4096,
	CURVE_STEP_PERCENT = 5, /* of a curve: from 5 to 100 % of the peak */
	CURVE_COUNT = 100 / CURVE_STEP_PERCENT,
};

#define STREAMS_DEFAULT "sequential,random,chase"

static const struct cli_about about = {
    .name = "mem",
    .usage = "strata mem --memory NAME,... | --machine M [--of NAME]  [--stream NAME|FILE,...] [options]",
    .summary =
	"Puts memories under streams of requests and prints what they give: bandwidth, latency, energy.\n"
	"Streams are sequential, strided, random, chase (each request waits for the one before), or files:\n"
	"traces of Ramulator (\"ADDRESS R|W\", \"LD|ST ADDRESS\", \"R|W CHANNEL,...,ROW,COLUMN\") or DRAMsim3\n"
	"(\"ADDRESS READ|WRITE CYCLE\"), as text or compressed by zstd. `strata list memories` prints the memories,\n"
	"`strata list memory-params` what --set takes.",
    .examples = "  strata mem --memory ddr4-2400,hbm3-5200\n"
	"  strata mem --memory ddr5-4800 --stream random --writes 33 --rate 50%\n"
	"  strata mem --memory ddr4-2400 --stream random --curve curve.svg",
};

/* Options that set one parameter of the stream. */
struct shortcuts {
	const char *requests, *request_bytes, *stride, *span, *writes, *window, *rate, *seed;
};

struct mem_options {
	const char *memories, *machine, *of, *streams, *format, *json, *curve, *jobs;
	GPtrArray *sets;
	struct shortcuts set;
	uint32_t slots;
	enum memory_trace_format trace_format;
};

/* A stream by name or file. */
struct choice {
	const char *name;
	enum memory_stream_kind kind;
};

struct plan {
	const struct mem_options *options;
	struct memory_standard *memories;
	uint32_t memory_count;
	struct choice *streams;
	uint32_t stream_count;
	struct cli_mem_run *runs; /* of each memory and stream one, and the points of its curve behind it */
	uint32_t run_count, runs_each;
};

/* ---- parameters ---- */

/* "10GB/s" is a rate; "50%" and "0.5" are parts of the peak. False: it is none of them. */
static bool rate_of(const char *text, const char **key, char *value, size_t size_bytes)
{
	char *end;
	const double number = g_ascii_strtod(text, &end);

	*key = "stream.rate_percent";
	g_strlcpy(value, text, size_bytes);
	if (!(number > 0)) /* 0 would mean none in the parameters */
		return false;
	if (g_str_has_suffix(text, "B/s"))
		*key = "stream.rate_mbytes_per_s";
	else if (!*end && number <= 1)
		snprintf(value, size_bytes, "%.12g", 100 * number);
	else
		return g_str_has_suffix(text, "%");
	return true;
}

static bool rate_set(const struct sim_param_groups *groups, const char *text, struct base_diag_list *diag)
{
	const struct base_place at = {"--rate", 0, 0};
	const char *key;
	char value[64];

	if (!text)
		return true;
	if (rate_of(text, &key, value, sizeof(value)))
		return sim_param_set(groups->items, groups->count, key, value, at, diag);
	base_diag_error(diag, at, "bad rate '%s', expected a rate (10GB/s) or a part of the peak (50%%, 0.5)", text);
	return false;
}

static bool shortcuts_set(const struct shortcuts *set, const struct sim_param_groups *groups,
			  struct base_diag_list *diag)
{
	const struct {
		const char *text, *option, *key;
	} rows[] = {
		{set->requests, "--requests", "stream.request_count"},
		{set->request_bytes, "--request-bytes", "stream.request_bytes"},
		{set->stride, "--stride", "stream.stride_bytes"},
		{set->span, "--span", "stream.span_bytes"},
		{set->writes, "--writes", "stream.write_percent"},
		{set->window, "--window", "stream.window_count"},
		{set->seed, "--seed", "stream.seed"},
	};
	bool is_ok = true;

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].text)
			is_ok = sim_param_set(groups->items, groups->count, rows[i].key, rows[i].text,
					      (struct base_place){rows[i].option, 0, 0}, diag) &&
				is_ok;
	return rate_set(groups, set->rate, diag) && is_ok;
}

static void groups_of(struct memory_standard *memory, struct memory_stream_params *stream,
		      struct sim_param_groups *groups)
{
	memory_standard_groups(memory, groups);
	sim_param_groups_add(groups, "stream", memory_stream_param_rows, memory_stream_param_row_count, stream);
}

/* All options, applied to a memory and its stream. Without --requests a trace is read to its end. */
static bool parameters_set(const struct mem_options *o, enum memory_stream_kind kind, struct memory_standard *memory,
			   struct memory_stream_params *stream, struct base_diag_list *diag)
{
	const struct sim_param_group defaults = {"stream", memory_stream_param_rows, memory_stream_param_row_count,
						 stream, NULL};
	struct sim_param_groups groups;

	sim_param_defaults(&defaults);
	if (kind == MEMORY_TRACE)
		stream->request_count = 0;
	groups_of(memory, stream, &groups);
	if (!shortcuts_set(&o->set, &groups, diag))
		return false;
	for (uint32_t i = 0; i < o->sets->len; i++)
		if (!sim_description_set(&groups, o->sets->pdata[i], "--set", diag))
			return false;
	return true;
}

/* ---- what is asked for ---- */

static bool differ(char **names, const char *option)
{
	for (uint32_t i = 0; names[i]; i++) {
		if (!*names[i]) {
			cli_error("mem: empty name in --%s; write --%s A,B", option, option);
			return false;
		}
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(names[i], names[j])) {
				cli_error("mem: '%s' is given twice in --%s", names[i], option);
				return false;
			}
	}
	return true;
}

/* A machine's memory as one by itself, called "MACHINE.NAME". */
static void memory_take(const struct machine_description *d, const struct machine_memory *from,
			struct memory_standard *to)
{
	memory_standard_defaults(to);
	g_snprintf(to->about.name, sizeof(to->about.name), "%s.%s", d->about.name, from->name);
	g_strlcpy(to->about.summary, d->about.summary, sizeof(to->about.summary));
	to->memory = from->memory;
	to->dram = from->dram;
	to->link = from->link;
	to->energy = from->energy;
}

/* Adds all memories that the machine names, or the one that is asked for. */
static bool machine_load(struct plan *p, const struct cli_paths *paths, struct base_diag_list *diag)
{
	const struct mem_options *o = p->options;
	const struct base_place at = {o->of ? "--of" : "--machine", 0, 0};
	struct machine_description d;

	if (!machine_description_load(o->machine, &paths->machines, &paths->memories, &d, diag))
		return false;

	const struct machine_memories *all = machine_memories_of(&d.config);
	const struct machine_memory *one = o->of ? machine_memory_find(&d.config, o->of, at, diag) : NULL;

	if (o->of && !one)
		return false;
	if (!all->count)
		base_diag_error(diag, at, "%s names no memories; `strata list memories` prints those of --memory",
				d.about.name);
	for (uint32_t i = 0; i < all->count; i++)
		if (!one || one == &all->items[i])
			memory_take(&d, &all->items[i], &p->memories[p->memory_count++]);
	return all->count > 0;
}

static bool memories_load(struct plan *p, const struct cli_paths *paths, char **names)
{
	struct base_diag_list diag;
	bool is_ok = true;

	p->memories = g_new0(struct memory_standard, g_strv_length(names) + MACHINE_MEMORIES_MAX);
	base_diag_init(&diag);
	for (; *names && is_ok; names++)
		is_ok = memory_standard_load(*names, &paths->memories, &p->memories[p->memory_count++], &diag);
	if (is_ok && p->options->machine)
		is_ok = machine_load(p, paths, &diag);
	for (uint32_t i = 0; i < p->memory_count && is_ok; i++) {
		struct memory_stream_params stream;
		struct memory_standard *m = &p->memories[i];

		is_ok = parameters_set(p->options, MEMORY_SEQUENTIAL, m, &stream, &diag) &&
			memory_standard_check(m, &diag);
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_ok;
}

static bool stream_find(struct choice *c, const char *name)
{
	static const char *const kinds[] = {"sequential", "strided", "random", "chase"};

	c->name = name;
	c->kind = MEMORY_TRACE;
	if (memory_stream_kind_find(name, &c->kind) || g_file_test(name, G_FILE_TEST_EXISTS))
		return true;

	const char *nearest = base_nearest_name(name, kinds, ARRAY_COUNT(kinds));

	if (nearest)
		cli_error("mem: no stream or file '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("mem: no stream or file '%s'; streams are sequential, strided, random and chase", name);
	return false;
}

static bool streams_find(struct plan *p, char **names)
{
	p->stream_count = g_strv_length(names);
	p->streams = g_new0(struct choice, p->stream_count + 1);
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (!stream_find(&p->streams[i], names[i]))
			return false;
	for (uint32_t i = 0; p->options->curve && i < p->stream_count; i++)
		if (p->streams[i].kind == MEMORY_CHASE) {
			cli_error("mem: --curve asks for rates, and a chase takes none");
			return false;
		}
	return true;
}

static struct cli_mem_run *run_at(const struct plan *p, uint32_t memory, uint32_t stream)
{
	return &p->runs[(memory * p->stream_count + stream) * p->runs_each];
}

/* A memory and a stream, and behind it the points of their curve. */
static bool runs_set(struct plan *p, uint32_t memory, uint32_t stream, struct base_diag_list *diag)
{
	struct cli_mem_run *run = run_at(p, memory, stream);
	struct memory_standard *m = &p->memories[memory];

	*run = (struct cli_mem_run){.memory = m,
				    .stream = p->streams[stream].name,
				    .kind = p->streams[stream].kind,
				    .format = p->options->trace_format};
	if (!parameters_set(p->options, run->kind, m, &run->params, diag))
		return false;
	for (uint32_t i = 1; i < p->runs_each; i++) {
		run[i] = *run;
		run[i].is_point = true;
		run[i].params.window_count = 0;
		run[i].params.rate_mbytes_per_s = 0;
		run[i].params.rate_percent = i * CURVE_STEP_PERCENT;
	}
	return true;
}

/* What can be known before hours of simulation; a pipe is not read for it. */
static bool run_check(const struct cli_mem_run *run, bool is_only, struct base_diag_list *diag)
{
	struct memory_trace *trace = NULL;
	const bool is_file = run->kind == MEMORY_TRACE && g_file_test(run->stream, G_FILE_TEST_IS_REGULAR);

	if (run->kind == MEMORY_TRACE && !is_file && !g_file_test(run->stream, G_FILE_TEST_IS_DIR)) {
		if (is_only)
			return true;
		base_diag_error(diag, (struct base_place){run->stream, 0, 0},
				"a pipe can be read for one run only, and this is one of several");
		return false;
	}
	if (run->kind == MEMORY_TRACE && !(trace = memory_trace_open(run->stream, run->format, diag)))
		return false;

	const struct memory_measure_config c = {
	    .memory = run->memory, .stream = &run->params, .kind = run->kind, .trace = trace};
	const bool is_ok = memory_measure_check(&c, diag);

	memory_trace_close(trace);
	return is_ok;
}

/* ---- options that are for some streams only ---- */

static bool is_strided(const struct cli_mem_run *run)
{
	return run->kind == MEMORY_STRIDED;
}

static bool is_trace(const struct cli_mem_run *run)
{
	return run->kind == MEMORY_TRACE;
}

static bool is_no_trace(const struct cli_mem_run *run)
{
	return run->kind != MEMORY_TRACE;
}

static bool has_window(const struct cli_mem_run *run)
{
	return run->kind != MEMORY_CHASE;
}

static bool is_drawn(const struct cli_mem_run *run)
{
	const uint64_t writes = run->params.write_percent;

	return run->kind == MEMORY_RANDOM || run->kind == MEMORY_CHASE ||
	       (run->kind != MEMORY_TRACE && writes && writes < 100);
}

/* Is the parameter among those of --set? */
static bool is_set(const struct mem_options *o, const char *key)
{
	for (uint32_t i = 0; key && i < o->sets->len; i++) {
		g_auto(GStrv) parts = g_strsplit(o->sets->pdata[i], "=", 2);

		if (parts[0] && !strcmp(g_strstrip(parts[0]), key))
			return true;
	}
	return false;
}

static bool is_for_some(const struct plan *p, bool (*is_for)(const struct cli_mem_run *run))
{
	for (uint32_t i = 0; i < p->run_count; i++)
		if (is_for(&p->runs[i]))
			return true;
	return false;
}

/* What is asked for and no stream would look at is a mistake. */
static bool options_matter(const struct plan *p)
{
	const struct mem_options *o = p->options;
	const struct {
		const char *text, *option, *key; /* NULL: there is none */
		bool (*is_for)(const struct cli_mem_run *run);
		const char *whom;
	} rows[] = {
	    {o->set.stride, "--stride", "stream.stride_bytes", is_strided, "strided"},
	    {o->set.writes, "--writes", "stream.write_percent", is_no_trace, "streams that are no traces"},
	    {o->set.window, "--window", "stream.window_count", has_window, "streams other than chase"},
	    {o->set.seed, "--seed", "stream.seed", is_drawn, "random, chase, and mixes of reads and writes"},
	    {o->format, "--format", NULL, is_trace, "traces"},
	    {NULL, NULL, "stream.trace_times", is_trace, "traces"},
	    {NULL, NULL, "stream.trace_clock_ps", is_trace, "traces"},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (!(rows[i].text || is_set(o, rows[i].key)) || is_for_some(p, rows[i].is_for))
			continue;
		cli_error("mem: %s changes nothing: it is for %s, and there is no such stream",
			  rows[i].text ? rows[i].option : rows[i].key, rows[i].whom);
		return false;
	}
	return true;
}

static bool runs_make(struct plan *p)
{
	struct base_diag_list diag;
	bool is_ok = true;

	p->runs_each = p->options->curve ? 1 + CURVE_COUNT : 1;
	p->run_count = p->memory_count * p->stream_count * p->runs_each;
	p->runs = g_new0(struct cli_mem_run, p->run_count);
	base_diag_init(&diag);
	for (uint32_t m = 0; m < p->memory_count && is_ok; m++)
		for (uint32_t s = 0; s < p->stream_count && is_ok; s++) {
			is_ok = runs_set(p, m, s, &diag);
			for (uint32_t i = 0; i < p->runs_each && i < 2 && is_ok; i++) /* points are alike */
				is_ok = run_check(run_at(p, m, s) + i, p->run_count == 1, &diag);
		}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_ok;
}

/* ---- results ---- */

static void put_latency(json_t *o, const char *prefix, const struct memory_result *r, enum memory_latency_of of)
{
	const struct memory_latency *l = &r->latency[of];
	const struct {
		const char *name;
		double units;
	} rows[] = {{"mean", l->mean},
		    {"p50", (double)l->p50},
		    {"p90", (double)l->p90},
		    {"p95", (double)l->p95},
		    {"p99", (double)l->p99},
		    {"p999", (double)l->p999},
		    {"max", (double)l->max}};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		g_autofree char *key = g_strconcat(prefix, "latency_", rows[i].name, "_ns", NULL);

		json_object_set_new(o, key, l->count ? json_real(rows[i].units * r->latency_unit_ns) : json_null());
	}
}

/* What the parameters alone say: what stands before the memory is not in it. */
static json_t *closed_forms_json(const struct memory_standard *memory)
{
	struct memory_bounds b;
	json_t *o = json_object();

	memory_bounds_init(&b, &memory->memory, &memory->dram);
	put_real(o, "peak_gbytes_per_s", b.peak_gbytes_per_s);
	put_real(o, "rows_gbytes_per_s", b.rows_gbytes_per_s);
	put_text(o, "rows_by", memory_row_bound_name(b.rows_by));
	put_real(o, "group_gbytes_per_s", b.group_gbytes_per_s);
	put_real(o, "bank_gbytes_per_s", b.bank_gbytes_per_s);
	put_real(o, "open_row_ns", b.open_ns);
	put_real(o, "closed_bank_ns", b.closed_ns);
	put_real(o, "other_row_ns", b.conflict_ns);
	put_real(o, "refresh_free_ratio", b.refresh_free_ratio);
	return o;
}

static void put_refreshes(json_t *o, const struct memory_result *r)
{
	put_int(o, "refreshes", r->refresh_count);
	put_int(o, "bank_refreshes", r->bank_refresh_count);
	put_int(o, "refresh_managements", r->management_count);
}

static void put_power_states(json_t *o, const struct memory_result *r)
{
	static const char *const names[] = {[MEMORY_OPEN] = "open",
					    [MEMORY_PRECHARGED] = "precharged",
					    [MEMORY_POWER_DOWN] = "power_down",
					    [MEMORY_SELF_REFRESH] = "self_refresh"};
	json_t *states = json_object();

	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		put_real(states, names[i], r->power_state[i]);
	json_object_set_new(o, "power_states", states);
}

static void put_energy(json_t *o, const struct energy_report *energy)
{
	json_t *components = json_object();

	for (uint32_t i = 0; i < energy->component_count; i++)
		json_object_set_new(components, energy->components[i].name,
				    energy->components[i].is_counted ? json_real(energy->components[i].pj)
								     : json_null());
	put_real(o, "energy_pj", energy->total_pj);
	json_object_set_new(o, "energy_components_pj", components);
}

static json_t *points_json(const struct cli_mem_run *points, uint32_t count)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const struct memory_result *r = &points[i].result;
		json_t *o = json_object();

		if (!points[i].is_done || r->is_interrupted) {
			json_decref(o);
			continue;
		}
		put_real(o, "rate_gbytes_per_s", r->rate_gbytes_per_s);
		put_real(o, "gbytes_per_s", r->gbytes_per_s);
		put_latency(o, "", r, MEMORY_LATENCY_ALL);
		json_object_set_new(o, "is_saturated", json_boolean(r->is_saturated));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *units_json(json_t *units)
{
	static const char *const rows[][2] = {
		{"gbytes_per_s", "10^9 bytes per second"},
		{"peak_gbytes_per_s", "10^9 bytes per second"},
		{"rate_gbytes_per_s", "10^9 bytes per second"},
		{"bus_utilisation", "part of the time, 0 to 1"},
		{"row_hit_ratio", "part of the requests, 0 to 1"},
		{"power_states", "part of the ranks' time, 0 to 1"},
		{"time_ps", "ps"},
		{"energy_pj", "pJ"},
		{"energy_components_pj", "pJ"},
		{"host_seconds", "CPU seconds"},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		put_text(units, rows[i][0], rows[i][1]);
	return units;
}

static json_t *run_json(const struct plan *p, struct cli_mem_run *run)
{
	const struct memory_result *r = &run->result;
	struct memory_standard memory = *run->memory;
	struct sim_param_groups groups;
	json_t *o = json_object();

	groups_of(&memory, &run->params, &groups);
	put_text(o, "memory", memory.about.name);
	put_text(o, "summary", memory.about.summary);
	put_text(o, "stream", run->stream);
	put_int(o, "requests", r->request_count);
	put_int(o, "request_bytes", r->request_bytes);
	put_int(o, "reads", r->read_count);
	put_int(o, "writes", r->write_count);
	json_object_set_new(o, "window", r->window_count ? json_integer(r->window_count) : json_null());
	json_object_set_new(o, "rate_gbytes_per_s",
			    r->rate_gbytes_per_s > 0 ? json_real(r->rate_gbytes_per_s) : json_null());
	put_int(o, "time_ps", r->time_ps);
	put_real(o, "gbytes_per_s", r->gbytes_per_s);
	put_real(o, "peak_gbytes_per_s", r->peak_gbytes_per_s);
	put_real(o, "bus_utilisation", r->bus_utilisation);
	json_object_set_new(o, "closed_forms", closed_forms_json(&memory));
	put_latency(o, "", r, MEMORY_LATENCY_ALL);
	put_latency(o, "read_", r, MEMORY_LATENCY_READS);
	put_latency(o, "write_", r, MEMORY_LATENCY_WRITES);
	json_object_set_new(o, "latency_is_exact", json_boolean(r->has_exact_percentiles));
	put_real(o, "row_hit_ratio", r->row_hit_ratio);
	put_refreshes(o, r);
	put_power_states(o, r);
	put_energy(o, &r->energy);
	put_real(o, "host_seconds", r->host_seconds);
	json_object_set_new(o, "interrupted", json_boolean(r->is_interrupted));
	if (p->runs_each > 1)
		json_object_set_new(o, "curve", points_json(run + 1, p->runs_each - 1));
	json_object_set(o, "stats", run->stats);
	json_object_set_new(o, "params", machine_params_json(&groups, run->units));
	json_object_set(o, "units", units_json(run->units));
	cli_provenance_put(o);
	return o;
}

static bool curve_keep(const char *path, const json_t *results)
{
	if (!path || report_curve_write(path, results))
		return true;
	cli_error("cannot write %s: %s", path, strerror(errno));
	return false;
}

/* Kept first: whoever reads what is printed may go before its end. */
static int finish(const struct plan *p, int exit_status)
{
	json_t *results = json_array();
	bool is_kept;

	for (uint32_t i = 0; i < p->run_count; i += p->runs_each)
		if (p->runs[i].is_done)
			json_array_append_new(results, run_json(p, &p->runs[i]));
	is_kept = cli_json_keep(p->options->json, results);
	is_kept = curve_keep(p->options->curve, results) && is_kept;
	report_memory_print(stdout, results);
	if (exit_status == CLI_INTERRUPTED)
		cli_error("interrupted: %zu of %u runs have results", json_array_size(results),
			  p->run_count / p->runs_each);
	json_decref(results);
	return exit_status == CLI_OK && !is_kept ? CLI_UNABLE : exit_status;
}

/* ---- the command line ---- */

static bool values_parse(struct mem_options *o)
{
	static const char *const names[] = {"ramulator", "loadstore", "readwrite", "dramsim3"};

	o->trace_format = MEMORY_TRACE_ANY;
	if (o->format && !memory_trace_format_find(o->format, &o->trace_format)) {
		const char *nearest = base_nearest_name(o->format, names, ARRAY_COUNT(names));

		if (nearest)
			cli_error("mem: bad --format '%s'; did you mean '%s'?", o->format, nearest);
		else
			cli_error("mem: bad --format '%s', expected ramulator, loadstore, readwrite or dramsim3",
				  o->format);
		return false;
	}
	return cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots);
}

static bool names_parse(const struct mem_options *o, const struct cli_words *words, char **memories, char **streams)
{
	if (words->words->len || words->program)
		cli_error("mem: unexpected '%s'; memories are given as --memory A,B",
			  words->words->len ? (const char *)words->words->pdata[0] : "--");
	else if (!o->memories && !o->machine)
		cli_error("mem: expected --memory NAME; `strata list memories` prints them");
	else if (o->json && o->curve && !strcmp(o->json, o->curve))
		cli_error("mem: --json and --curve both name %s", o->json);
	else if (o->of && !o->machine)
		cli_error("mem: --of names a memory of a machine; write --machine M --of %s", o->of);
	else
		return differ(memories, "memory") && differ(streams, "stream");
	return false;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct mem_options *o = ctx;
	g_auto(GStrv) memories = o->memories ? g_strsplit(o->memories, ",", -1) : g_new0(char *, 1);
	g_auto(GStrv) streams = g_strsplit(o->streams ? o->streams : STREAMS_DEFAULT, ",", -1);
	struct plan p = {.options = o};
	int exit_status = CLI_USAGE;

	if (names_parse(o, words, memories, streams) && values_parse(o) &&
	    cli_output_check(about.name, "json", o->json) && cli_output_check(about.name, "curve", o->curve) &&
	    memories_load(&p, paths, memories) && streams_find(&p, streams) && runs_make(&p) &&
	    options_matter(&p)) {
		bool are_left;

		exit_status = cli_mem_runs(p.runs, p.run_count, o->slots, &are_left);
		if (exit_status != CLI_USAGE)
			exit_status = finish(&p, exit_status);
		if (are_left) {
			fflush(NULL);
			_exit(exit_status);
		}
	}
	for (uint32_t i = 0; i < p.run_count; i++)
		cli_mem_run_free(&p.runs[i]);
	g_free(p.runs);
	g_free(p.streams);
	g_free(p.memories);
	return exit_status;
}

int cli_mem(int argc, char **argv)
{
	struct mem_options o = {0};
	const struct cli_option options[] = {
	    {"memory", CLI_TEXT, &o.memories, "A,B,...", "the memories: names, or files that end in .yaml", 0},
	    {"machine", CLI_TEXT, &o.machine, "M", "and the memories that a machine's description names", 0},
	    {"of", CLI_TEXT, &o.of, "NAME", "only this one of the machine's", 0},
	    {"stream", CLI_TEXT, &o.streams, "S,T,...", "streams and traces (default " STREAMS_DEFAULT ")", 0},
	    {"requests", CLI_TEXT, &o.set.requests, "N", "so many requests (default 1000000; a trace: all)", 0},
	    {"request-bytes", CLI_TEXT, &o.set.request_bytes, "B", "bytes of one (default: a line of the memory)", 0},
	    {"window", CLI_TEXT, &o.set.window, "N", "under way at a time (default: 64 for each channel)", 0},
	    {"rate", CLI_TEXT, &o.set.rate, "R", "instead: requests come at a rate, 10GB/s, or 50% of the peak", 0},
	    {"writes", CLI_TEXT, &o.set.writes, "P", "of 100 requests so many write (default 0)", 0},
	    {"stride", CLI_TEXT, &o.set.stride, "B", "bytes from one request of strided to the next (default 4096)", 0},
	    {"span", CLI_TEXT, &o.set.span, "B", "the first so many bytes of the memory only", 0},
	    {"seed", CLI_TEXT, &o.set.seed, "N", "of the random numbers (default 1)", 0},
	    {"format", CLI_TEXT, &o.format, "F",
	     "of traces: ramulator, loadstore, readwrite or dramsim3 (default: as the first line looks)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter of the memory or the stream", 0},
	    {"curve", CLI_TEXT, &o.curve, "FILE", "draw latency against bandwidth there, as SVG; 20 runs more for each",
	     0},
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all results there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
