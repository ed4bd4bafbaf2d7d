/* result.c - what a run gives back: one JSON object, and three lines for runs without strata. */
#include "machine/result.h"

#include "base/formula.h"
#include "base/units.h"
#include "energy/events.h"
#include "machine/explain.h"
#include "machine/json.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/session.h"
#include "machine/sums.h"
#include "machine/tables.h"
#include "machine/traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static json_t *params_json(const struct machine_config *config, json_t *units)
{
	struct machine_config copy = *config;
	struct sim_param_groups groups;

	machine_config_groups_present(&copy, &groups);
	return machine_params_json(&groups, units);
}

/* Nothing of a machine in which no part has been built. */
static void put_energy(json_t *o, const struct machine_run *run)
{
	const struct machine *m = run->machine;
	g_autofree char *hash = m ? g_strdup_printf("%016" PRIx64, sim_ctx_hash(&m->ctx)) : NULL;
	struct energy_report report = {.component_count = 0};
	struct energy_list list = {.count = 0};

	if (m)
		machine_energy_list(m, &list);
	if (list.count)
		energy_account(&list, m->ctx.stats, run->kernel_time_ps, &report);
	machine_energy_put(o, &report);
	put_text(o, "run_hash", list.count ? hash : NULL);
}

struct totals {
	uint64_t cycles, time_ps, warp_instructions, thread_instructions;
};

static struct totals totals_of(const struct machine_run *run)
{
	const struct machine_launch_counts launches = machine_kernels_counts(run->kernels);
	struct totals t = {.cycles = run->kernel_cycles,
			   .time_ps = run->kernel_time_ps,
			   .warp_instructions = launches.warp_instructions,
			   .thread_instructions = launches.thread_instructions};

	return t;
}

static double ipc_of(const struct totals *t)
{
	return t->cycles ? (double)t->thread_instructions / (double)t->cycles : 0;
}

/* Launches that were skipped have no cycles. */
static double ipc_with(const struct machine_run *run, const struct totals *t)
{
	struct machine_estimates e;

	if (machine_kernels_estimates(run->kernels, &e))
		return t->cycles ? (double)e.thread_instructions / (double)t->cycles : 0;
	return ipc_of(t);
}

/* What run.mode = sampled and run.fast_forward have estimated and skipped. */
static void put_estimates(json_t *o, json_t *units, const struct machine_run *run)
{
	struct machine_estimates e;
	json_t *s;

	if (!machine_kernels_estimates(run->kernels, &e))
		return;
	if (e.windowed_launches + e.estimated_launches)
		put_int(o, "time_ps_error", (uint64_t)ceil(e.time_error_ps));
	else
		put_text(o, "time_ps_error", NULL);
	put_text(units, "time_ps_error", "ps, half of the 95 % interval");
	s = json_object();
	if (e.warp_instructions)
		put_real(s, "detailed_ratio", (double)e.detailed_warp_instructions / (double)e.warp_instructions);
	else
		put_text(s, "detailed_ratio", NULL);
	put_int(s, "detailed_warp_instructions", e.detailed_warp_instructions);
	put_int(s, "launches_estimated", e.estimated_launches);
	put_int(s, "launches_in_windows", e.windowed_launches);
	put_int(s, "launches_skipped", e.skipped_launches);
	json_object_set_new(s, "stats_are_estimates",
			    json_boolean(run->machine && sim_stats_is_estimated(run->machine->ctx.stats)));
	json_object_set_new(o, "sampling", s);
	put_text(units, "sampling.detailed_ratio", "of the warp instructions of launches that were not skipped");
}

/* What ran without timing, and how: the same values whichever way, in other host time. */
static void put_functional(json_t *o, json_t *units, const struct machine_run *run)
{
	json_t *functional = machine_kernels_functional_json(run->kernels);

	if (!functional)
		return;
	json_object_set_new(o, "functional", functional);
	put_text(units, "functional.warp_instructions", "executed for their values only");
}

/* Units of the fields that are neither statistics nor parameters. */
static void put_field_units(json_t *units)
{
	static const char *const rows[][2] = {
	    {"cycles", "SM cycles in kernels"},
	    {"time_ps", "ps in kernels"},
	    {"total_time_ps", "ps, the whole program"},
	    {"copy_bytes_to_device", "bytes"},
	    {"copy_bytes_to_host", "bytes"},
	    {"timeline_count", "copies, kernels and host functions"},
	    {"ipc", "thread instructions per SM cycle"},
	    {"energy_pj", "pJ"},
	    {"energy_total_pj", "pJ"},
	    {"unmodelled_ratio", "of all instructions that the program has executed"},
	    {"host_seconds", "CPU seconds of the program's process"},
	    {"peak_rss_bytes", "bytes"},
	    {"host_threads", "threads of the host that did the simulation"},
	};

	/* A part may have said something else. */
	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
		if (!json_object_get(units, rows[i][0]))
			put_text(units, rows[i][0], rows[i][1]);
}

/* Does somebody plant mistakes here? Such a run shows who finds one, and nothing of the machine. */
static const char fault[] = "fault"; /* the end of such a parameter's name */

/* The mistakes that parts have been asked to make: of every group with a choice of them the one that is no default. */
static void put_mistakes(json_t *o, const struct machine_config *config)
{
	struct machine_config copy = *config;
	struct sim_param_groups groups;
	json_t *list = NULL;

	machine_config_groups_present(&copy, &groups);
	for (uint32_t g = 0; g < groups.count; g++)
		for (uint32_t i = 0; i < groups.items[g].row_count; i++) {
			const struct sim_param_desc *row = &groups.items[g].rows[i];
			char value[SIM_PARAM_TEXT_BYTES];

			if (row->kind != SIM_PARAM_ENUM || !g_str_has_suffix(row->name, fault))
				continue;
			list = list ? list : json_array();
			sim_param_format(&groups.items[g], row, value, sizeof(value));
			if (sim_param_value(&groups.items[g], row) != row->dflt)
				json_array_append_new(list, json_sprintf("%s.%s = %s", groups.items[g].prefix,
									 row->name, value));
		}
	if (list)
		json_object_set_new(o, "planted_mistakes", list);
}

/* The names of the parts that the machine has. */
static void put_part_names(json_t *o, const struct machine_config *c)
{
	json_t *names = json_array();

	for (uint32_t i = 0; c->parts[i]; i++)
		if (machine_config_has(c, c->parts[i]))
			json_array_append_new(names, json_string(c->parts[i]->name));
	json_object_set_new(o, "parts", names);
}

/* What every part of the machine says. */
static void put_parts(json_t *o, json_t *units, const struct machine_run *run)
{
	const struct machine_config *c = &run->session->config;
	struct sim_stats *empty = run->machine ? NULL : sim_stats_new();
	struct sim_stats *stats = run->machine ? run->machine->ctx.stats : empty;

	put_part_names(o, c);
	machine_traffic_begin(o, units);
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->result && machine_config_has(c, c->parts[i]))
			c->parts[i]->result(c, run->machine, stats, o, units);
	machine_sums_put_run(c, stats, o);
	put_mistakes(o, c);
	put_energy(o, run);
	json_object_set_new(o, "stats", machine_stats_json(stats, units));
	json_object_set_new(o, "distributions", machine_distributions_json(stats));
	sim_stats_free(empty);
}

json_t *machine_session_json(const struct machine_session *s)
{
	json_t *all = json_object(), *units = json_object(), *out = json_object();
	struct sim_stats *stats = sim_stats_new();

	machine_traffic_begin(all, units);
	for (uint32_t i = 0; s->config.parts[i]; i++)
		if (s->config.parts[i]->result && machine_config_has(&s->config, s->config.parts[i]))
			s->config.parts[i]->result(&s->config, NULL, stats, all, units);
	put_text(out, "machine", s->machine);
	put_part_names(out, &s->config);
	json_object_set_new(out, "params", params_json(&s->config, units));
	json_object_set(out, "peak_bytes_per_s", json_object_get(all, "peak_bytes_per_s"));
	sim_stats_free(stats);
	json_decref(all);
	json_decref(units);
	return out;
}

/* No part of the run's hash: atomics of floats in another order, or a clock, make other bytes of one program. */
static void put_copied(json_t *o, const struct machine_timeline *t)
{
	uint64_t hash;
	g_autofree char *text = machine_timeline_copied_hash(t, &hash) ? g_strdup_printf("%016" PRIx64, hash) : NULL;

	put_text(o, "copied_to_host_hash", text);
}

static void put_program(json_t *o, const struct machine_timeline *t)
{
	json_object_set_new(o, "program", machine_program_json(t));
	put_int(o, "total_time_ps", machine_timeline_program(t)->time_ps);
	put_int(o, "copy_bytes_to_device", machine_timeline_copies(t)->to_device_bytes);
	put_int(o, "copy_bytes_to_host", machine_timeline_copies(t)->to_host_bytes);
	put_copied(o, t);
	put_int(o, "timeline_count", machine_timeline_work_count(t));
	json_object_set_new(o, "timeline", machine_program_work_json(t));
}

/* How the program's launches, and the program, came to their ends. */
static void put_ends(json_t *o, const struct machine_run *run)
{
	const struct machine_launch_counts launches = machine_kernels_counts(run->kernels);

	put_int(o, "process", run->session->process);
	put_text(o, "fault", run->fault);
	put_int(o, "launches", launches.asked);
	put_int(o, "launches_refused", launches.refused);
	put_int(o, "launches_faulted", launches.faulted);
	json_object_set_new(o, "refusals", machine_kernels_refusals_json(run->kernels));
	put_text(o, "timed_out", run->is_wall_over ? "wall" : run->is_simulated_over ? "simulated" : NULL);
	json_object_set_new(o, "interrupted", json_boolean(run->is_interrupted));
	put_text(o, "ended", run->ended);
}

/* Of all instructions that the program has executed, the share in code that is not modelled. */
static void put_unmodelled(json_t *o, const struct machine_run *run)
{
	const double modelled = (double)json_integer_value(json_object_get(o, "thread_instructions"));
	const double unmodelled = (double)run->unmodelled_instructions;

	if (run->has_unmodelled)
		put_real(o, "unmodelled_ratio", unmodelled > 0 ? unmodelled / (modelled + unmodelled) : 0);
	else
		json_object_set_new(o, "unmodelled_ratio", json_null());
}

/* A part that runs files of its own has no instructions but those that it says it has. */
static void put_instructions(json_t *o, const struct totals *t, const struct machine_run *run)
{
	const struct machine_part *runner = machine_config_runner(&run->session->config);

	if (runner && runner->files) {
		json_object_set_new(o, "warp_instructions", json_null());
		json_object_set_new(o, "thread_instructions", json_null());
		json_object_set_new(o, "ipc", json_null());
		return;
	}
	put_int(o, "warp_instructions", t->warp_instructions);
	put_int(o, "thread_instructions", t->thread_instructions);
	put_real(o, "ipc", ipc_with(run, t));
}

static void members_unknown(json_t *of)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(of, next, key, value) json_object_set_new(of, key, json_null());
}

/* Launches ran, for their values alone: what comes of time is not 0, nobody has measured it. */
static void put_untimed(json_t *o, const struct machine_run *run)
{
	static const char *const keys[] = {"cycles", "time_ps", "total_time_ps", "ipc", "energy_total_pj"};

	if (run->kernel_time_ps || !machine_kernels_counts(run->kernels).ran)
		return;
	for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++)
		put_text(o, keys[i], NULL);
	members_unknown(json_object_get(o, "energy_pj"));
	members_unknown(json_object_get(o, "traffic_bytes"));
}

static json_t *run_json(const struct machine_run *run)
{
	const struct machine_session *s = run->session;
	struct totals t = totals_of(run);
	json_t *o = json_object(), *units = json_object();

	put_text(o, "machine", s->machine);
	put_ends(o, run);
	put_int(o, "cycles", t.cycles);
	put_int(o, "time_ps", t.time_ps);
	if (run->timeline)
		put_program(o, run->timeline);
	put_instructions(o, &t, run);
	put_estimates(o, units, run);
	put_functional(o, units, run);
	put_parts(o, units, run);
	/* Of a run without a timeline the measured time is the whole. */
	if (!json_object_get(o, "total_time_ps"))
		put_int(o, "total_time_ps", t.time_ps);
	put_unmodelled(o, run);
	put_untimed(o, run);
	put_real(o, "host_seconds", run->host_seconds);
	put_int(o, "peak_rss_bytes", run->peak_rss_bytes);
	put_int(o, "host_threads", MAX(run->host_threads, 1));
	json_object_set_new(o, "kernels", machine_kernels_json(run->kernels));
	json_object_set_new(o, "kernel_sums", machine_kernels_sums_json(run->kernels));
	json_object_set_new(o, "params", params_json(&s->config, units));
	put_field_units(units);
	json_object_set_new(o, "units", units);
	return o;
}

/* A file that is being written, without stdio: a child that is forked meanwhile would write its copy of the buffer. */
struct sink {
	int fd;
	size_t length;
	char buffer[65536];
};

static bool sink_flush(struct sink *s)
{
	size_t done = 0;

	while (done < s->length) {
		ssize_t n = write(s->fd, s->buffer + done, s->length - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	s->length = 0;
	return true;
}

static int sink_add(const char *text, size_t length, void *ctx)
{
	struct sink *s = ctx;

	while (length) {
		const size_t part = MIN(length, sizeof(s->buffer) - s->length);

		memcpy(s->buffer + s->length, text, part);
		s->length += part;
		text += part;
		length -= part;
		if (s->length == sizeof(s->buffer) && !sink_flush(s))
			return -1;
	}
	return 0;
}

static bool dump(const json_t *o, const char *path)
{
	struct sink s = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};

	if (s.fd < 0)
		return false;

	bool is_written =
	    !json_dump_callback(o, sink_add, &s, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) && sink_flush(&s);
	int error = errno;

	if (close(s.fd))
		return false;
	errno = error;
	return is_written;
}

static bool write_whole(const char *path, const void *what)
{
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	bool is_written = dump(what, part) && !rename(part, path);
	int error = errno;

	if (!is_written)
		unlink(part);
	errno = error;
	return is_written;
}

bool machine_result_write(const struct machine_run *run)
{
	const struct machine_session *s = run->session;

	if (!*s->result_path)
		return true;

	json_t *o = run_json(run);
	bool is_written = machine_session_keep(s, s->result_path, write_whole, o);
	int error = errno;

	json_decref(o);
	errno = error;
	return is_written;
}

static double statistic(void *ctx, const char *name)
{
	uint64_t value;

	return g_str_has_prefix(name, "stat.") && sim_stats_value(ctx, name + strlen("stat."), &value) ? (double)value
												       : NAN;
}

/* What the units whose time the machine's parts account for waited for most. */
static void print_main_wait(const struct machine_run *run, int fd)
{
	const struct base_formula_scope scope = {.value = statistic, .ctx = run->machine->ctx.stats};
	const struct sim_explain_units *whose = NULL;
	const char *name = NULL;
	double most = 0, all = 0;
	struct machine_explain rows;

	machine_explain_of(&run->session->config, &rows);
	for (uint32_t i = 0; i < rows.count && !whose; i++) {
		whose = rows.items[i]->units->label ? rows.items[i]->units : NULL;
		for (const struct sim_explain_share *s = rows.items[i]->shares; whose && s->label; s++) {
			const double own = s->is_used ? 0 : base_formula_value(s->amount, &scope);

			all += own;
			name = own > most ? s->label : name;
			most = fmax(own, most);
		}
	}
	if (name)
		dprintf(fd, "strata: main stall: %s, %.1f %% of the stalled %s of %s\n", name, 100 * most / all,
			whose->unit, whose->label);
}

void machine_result_print_short(const struct machine_run *run, int fd)
{
	struct totals t = totals_of(run);

	dprintf(fd, "strata: %s: %" PRIu64 " kernels, %.3f us in kernels, %.3f us the whole program\n",
		run->session->machine, machine_kernels_counts(run->kernels).ran, (double)t.time_ps / BASE_PS_PER_US,
		run->timeline ? (double)machine_timeline_program(run->timeline)->time_ps / BASE_PS_PER_US : 0);
	dprintf(fd, "strata: %" PRIu64 " warp instructions in %" PRIu64 " cycles, IPC %.2f\n", t.warp_instructions,
		t.cycles, ipc_of(&t));
	if (run->machine)
		print_main_wait(run, fd);
}

void machine_result_lost(const char *path)
{
	g_autofree char *lost = g_strconcat(path, ".lost", NULL);
	int fd = open(lost, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd >= 0)
		close(fd);
}
