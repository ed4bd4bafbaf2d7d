/* result.c - what a run gives back: one JSON object, and three lines for runs without strata. */
#include "machine/result.h"

#include "base/units.h"
#include "energy/events.h"
#include "gpu/gpu.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/session.h"
#include "mem/dram.h"
#include "ndp/registry.h"
#include "net/network.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The statistics of the SMs that say why a scheduler issued nothing: "sm.stall_REASON" and their unit's suffix. */
static const char stall_prefix[] = "stall_";

static void put_int(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static void put_real(json_t *o, const char *key, double value)
{
	json_object_set_new(o, key, json_real(value));
}

/* Names and paths of the user are bytes. */
static void put_text(json_t *o, const char *key, const char *value)
{
	g_autofree char *valid = value ? g_utf8_make_valid(value, -1) : NULL;

	json_object_set_new(o, key, valid ? json_string(valid) : json_null());
}

static uint64_t stat_of(const struct sim_stats *stats, const char *key)
{
	uint64_t value = 0;

	sim_stats_value(stats, key, &value);
	return value;
}

struct stat_sink {
	json_t *stats, *units, *stalls;
};

static json_t *hist_json(const struct sim_hist *h)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}};
	json_t *o = json_object();

	put_int(o, "count", h->count);
	put_int(o, "sum", h->sum);
	put_int(o, "max", h->max);
	for (uint32_t i = 0; i < G_N_ELEMENTS(quantiles); i++)
		put_int(o, quantiles[i].name, sim_hist_quantile(h, quantiles[i].q));
	return o;
}

/* "sm.stall_scoreboard_cycles" is the reason "scoreboard". */
static void put_stall(json_t *stalls, const struct sim_stat_desc *row, uint64_t value)
{
	g_autofree char *reason = g_strdup(row->name + strlen(stall_prefix));

	if (g_str_has_suffix(reason, "_cycles"))
		reason[strlen(reason) - strlen("_cycles")] = '\0';
	put_int(stalls, reason, value);
}

static void sink_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		      const struct sim_hist *hist)
{
	struct stat_sink *sink = ctx;
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);

	if (hist)
		json_object_set_new(sink->stats, key, hist_json(hist));
	else
		put_int(sink->stats, key, value);
	put_text(sink->units, key, row->unit);
	if (!strcmp(prefix, "sm") && g_str_has_prefix(row->name, stall_prefix))
		put_stall(sink->stalls, row, value);
}

static json_t *params_json(const struct machine_config *config, json_t *units)
{
	struct machine_config copy = *config;
	struct sim_param_groups groups;
	json_t *o = json_object();

	machine_config_groups(&copy, &groups);
	for (uint32_t g = 0; g < groups.count; g++) {
		const struct sim_param_group *group = &groups.items[g];

		for (uint32_t i = 0; i < group->row_count; i++) {
			const struct sim_param_desc *row = &group->rows[i];
			g_autofree char *key = g_strconcat(group->prefix, ".", row->name, NULL);
			double value = sim_param_value(group, row);
			char text[128];

			sim_param_format(group, row, text, sizeof(text));
			if (row->kind == SIM_PARAM_BOOL)
				json_object_set_new(o, key, json_boolean(value != 0));
			else if (row->kind == SIM_PARAM_ENUM)
				put_text(o, key, text);
			else if (row->kind == SIM_PARAM_F64)
				put_real(o, key, value);
			else
				put_int(o, key, (uint64_t)value);
			if (*row->unit)
				put_text(units, key, row->unit);
		}
	}
	return o;
}

static json_t *traffic_json(const struct gpu_traffic *t)
{
	json_t *o = json_object();

	put_int(o, "tx", t->tx_bytes);
	put_int(o, "rx", t->rx_bytes);
	put_int(o, "stack_to_stack", t->stack_to_stack_bytes);
	put_int(o, "dram_read", t->dram_read_bytes);
	put_int(o, "dram_write", t->dram_write_bytes);
	return o;
}

/* Directed stack-to-stack channels: the stacks are fully connected, unless SIMD units in them have a network. */
static uint32_t mesh_count_of(const struct gpu_config *c)
{
	if (c->nsu.is_present)
		return net_network_link_count((enum net_topology)c->nsu.topology, (uint32_t)c->gpu.stack_count);
	return c->gpu.mesh_is_free ? 0 : (uint32_t)(c->gpu.stack_count * (c->gpu.stack_count - 1));
}

static double bytes_per_s(const struct link_params *link)
{
	return (double)link->bandwidth_mbytes_per_s * BASE_BYTES_PER_MBYTE;
}

/* What the wires could carry at most, all of a kind together. */
static json_t *peaks_json(const struct gpu_config *c)
{
	json_t *o = json_object();
	double link = (double)c->gpu.stack_count * bytes_per_s(&c->link);

	put_real(o, "tx", link);
	put_real(o, "rx", link);
	put_real(o, "stack_to_stack", mesh_count_of(c) * bytes_per_s(&c->mesh));
	put_real(o, "dram", (double)(c->gpu.stack_count * c->dram.vault_count) * dram_vault_peak_bytes_per_s(&c->dram));
	return o;
}

static json_t *cache_json(const struct sim_stats *stats, const char *prefix)
{
	static const struct {
		const char *name, *reads, *writes;
	} sums[] = {{"accesses", "reads", "writes"}, {"hits", "read_hits", "write_hits"}};
	json_t *o = json_object();

	for (uint32_t i = 0; i < G_N_ELEMENTS(sums); i++) {
		g_autofree char *reads = g_strconcat(prefix, ".", sums[i].reads, NULL);
		g_autofree char *writes = g_strconcat(prefix, ".", sums[i].writes, NULL);

		put_int(o, sums[i].name, stat_of(stats, reads) + stat_of(stats, writes));
	}
	return o;
}

static uint64_t instance_of(const struct sim_stats *stats, const char *key, uint32_t instance)
{
	uint64_t value = 0;

	sim_stats_instance_value(stats, key, instance, &value);
	return value;
}

/* One object per stack: its link and its vaults. Channels and vaults (as one) are added stack by stack. */
static json_t *stacks_json(const struct gpu_config *c, const struct sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->gpu.stack_count; i++) {
		json_t *o = json_object();

		put_int(o, "tx_bytes", instance_of(stats, "link_tx.wire_bytes", i));
		put_int(o, "rx_bytes", instance_of(stats, "link_rx.wire_bytes", i));
		put_int(o, "dram_read_bytes", instance_of(stats, "vault.read_bytes", i));
		put_int(o, "dram_write_bytes", instance_of(stats, "vault.write_bytes", i));
		json_array_append_new(list, o);
	}
	return list;
}

/* One object per SM: those of the GPU first, then stack by stack. */
static json_t *sms_json(const struct gpu_config *c, const struct sim_stats *stats)
{
	json_t *list = json_array();
	uint32_t count = sim_stats_instance_count(stats, "sm");

	for (uint32_t i = 0; i < count; i++) {
		json_t *o = json_object();

		if (i < c->gpu.sm_count)
			put_text(o, "stack", NULL);
		else
			put_int(o, "stack", (i - c->gpu.sm_count) / c->gpu.stack_sm_count);
		put_int(o, "ctas", instance_of(stats, "sm.ctas_done", i));
		put_int(o, "cta_cycles", instance_of(stats, "sm.cta_cycles", i));
		put_int(o, "stall_memory", instance_of(stats, "sm.stall_memory", i));
		put_int(o, "thread_instructions", instance_of(stats, "sm.thread_instructions", i));
		json_array_append_new(list, o);
	}
	return list;
}

/* How long CTAs took: bucket's lower edge: how many. */
static json_t *cta_times_json(const struct sim_stats *stats, const char *key)
{
	json_t *o = json_object();
	struct sim_hist h = {0};
	char edge[32];

	sim_stats_hist(stats, key, &h);
	for (uint32_t i = 0; i < SIM_HIST_BUCKETS; i++) {
		snprintf(edge, sizeof(edge), "%" PRIu64, sim_hist_edge(i));
		if (h.bucket[i])
			put_int(o, edge, h.bucket[i]);
	}
	return o;
}

static struct energy_report energy_of(const struct machine_run *run)
{
	const struct gpu_config *c = machine_gpu_config(&run->session->config);
	struct energy_run e = {
	    .time_ps = run->kernel_time_ps,
	    .sm_count = (uint32_t)(c->gpu.sm_count + c->gpu.stack_count * c->gpu.stack_sm_count),
	    .l2_count = 1,
	    .link_count = (uint32_t)(2 * c->gpu.stack_count),
	    .link_bits_per_ps = bytes_per_s(&c->link) * BASE_BITS_PER_BYTE / BASE_PS_PER_S,
	    .mesh_bits_per_ps = bytes_per_s(&c->mesh) * BASE_BITS_PER_BYTE / BASE_PS_PER_S,
	    .mesh_count = mesh_count_of(c),
	    .stack_count = (uint32_t)c->gpu.stack_count,
	    .nsu_count = c->nsu.is_present ? (uint32_t)c->gpu.stack_count : 0,
	    .dram_row_bytes = c->dram.row_bytes,
	    .dram_bank_count = (uint32_t)c->dram.bank_count,
	};
	struct energy_report report;

	energy_account(machine_energy_params(&run->session->config), run->machine->ctx.stats, &e, &report);
	return report;
}

static void put_energy(json_t *o, const struct machine_run *run)
{
	json_t *components = json_object();
	struct energy_report report = energy_of(run);

	for (uint32_t i = 0; i < report.component_count; i++)
		put_real(components, report.components[i].name, report.components[i].pj);
	json_object_set_new(o, "energy_pj", components);
	put_real(o, "energy_total_pj", report.total_pj);
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
	    {"stalls", "scheduler cycles"},
	    {"traffic_bytes", "bytes"},
	    {"peak_bytes_per_s", "bytes per second"},
	    {"cta_times", "CTAs by SM cycles"},
	    {"cta_stack_times", "CTAs by SM cycles"},
	    {"l1", "accesses"},
	    {"l2", "accesses"},
	    {"energy_pj", "pJ"},
	    {"energy_total_pj", "pJ"},
	    {"host_seconds", "CPU seconds of the program's process"},
	    {"peak_rss_bytes", "bytes"},
	};

	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
		put_text(units, rows[i][0], rows[i][1]);
}

/* What the mechanism recorded: one array per series; a value that is not known is null. */
static json_t *series_json(const struct gpu *gpu, json_t *units)
{
	struct gpu_series items[GPU_SERIES_MAX];
	uint32_t count = gpu ? gpu_series_of(gpu, items, GPU_SERIES_MAX) : 0;
	json_t *o = json_object();

	for (uint32_t i = 0; i < count; i++) {
		json_t *values = json_array();

		for (uint32_t k = 0; k < items[i].count; k++) {
			double value = items[i].values[k];

			json_array_append_new(values, isnan(value) ? json_null() : json_real(value));
		}
		json_object_set_new(o, items[i].name, values);
		put_text(units, items[i].name, items[i].unit);
	}
	return o;
}

static void put_gpu(json_t *o, json_t *units, const struct machine_run *run)
{
	const struct gpu_config *config = machine_gpu_config(&run->session->config);
	struct gpu_traffic none = {0};
	const struct gpu *gpu = machine_gpu(run->machine);
	struct gpu_traffic traffic = gpu ? gpu_traffic_of(gpu) : none;
	struct sim_stats *empty = run->machine ? NULL : sim_stats_new();
	struct sim_stats *stats = run->machine ? run->machine->ctx.stats : empty;
	struct stat_sink sink = {json_object(), units, json_object()};

	sim_stats_each(stats, sink_stat, &sink);
	json_object_set_new(o, "stalls", sink.stalls);
	json_object_set_new(o, "traffic_bytes", traffic_json(&traffic));
	json_object_set_new(o, "peak_bytes_per_s", peaks_json(config));
	json_object_set_new(o, "stacks", stacks_json(config, stats));
	json_object_set_new(o, "sms", sms_json(config, stats));
	json_object_set_new(o, "cta_times", cta_times_json(stats, "gpu.cta_cycles"));
	json_object_set_new(o, "cta_stack_times", cta_times_json(stats, "gpu.cta_stack_cycles"));
	json_object_set_new(o, "l1", cache_json(stats, "l1d"));
	json_object_set_new(o, "l2", cache_json(stats, "l2"));
	if (gpu) {
		g_autofree char *hash = g_strdup_printf("%016" PRIx64, sim_ctx_hash(&run->machine->ctx));

		put_energy(o, run);
		put_text(o, "run_hash", hash);
	} else {
		json_object_set_new(o, "energy_pj", json_object());
		put_real(o, "energy_total_pj", 0);
		put_text(o, "run_hash", NULL);
	}
	json_object_set_new(o, "stats", sink.stats);
	json_object_set_new(o, "series", series_json(gpu, units));
	sim_stats_free(empty);
}

static void put_program(json_t *o, const struct machine_timeline *t)
{
	json_object_set_new(o, "program", machine_program_json(t));
	put_int(o, "total_time_ps", machine_timeline_program(t)->time_ps);
	put_int(o, "copy_bytes_to_device", machine_timeline_copies(t)->to_device_bytes);
	put_int(o, "copy_bytes_to_host", machine_timeline_copies(t)->to_host_bytes);
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

static json_t *run_json(const struct machine_run *run)
{
	const struct machine_session *s = run->session;
	struct totals t = totals_of(run);
	json_t *o = json_object(), *units = json_object();

	put_text(o, "machine", s->machine);
	put_text(o, "mechanism", ndp_mechanism_name((uint32_t)machine_ndp_site(&s->config).ndp->choice.mechanism));
	put_ends(o, run);
	put_int(o, "cycles", t.cycles);
	put_int(o, "time_ps", t.time_ps);
	if (run->timeline)
		put_program(o, run->timeline);
	put_int(o, "warp_instructions", t.warp_instructions);
	put_int(o, "thread_instructions", t.thread_instructions);
	put_real(o, "ipc", ipc_of(&t));
	put_gpu(o, units, run);
	put_real(o, "host_seconds", run->host_seconds);
	put_int(o, "peak_rss_bytes", run->peak_rss_bytes);
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

struct top_stall {
	const char *name;
	uint64_t cycles, total_cycles;
};

static void find_top_stall(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
			   const struct sim_hist *hist)
{
	struct top_stall *top = ctx;

	if (hist || strcmp(prefix, "sm") || !g_str_has_prefix(row->name, stall_prefix))
		return;
	top->total_cycles += value;
	if (value > top->cycles) {
		top->cycles = value;
		top->name = row->name + strlen(stall_prefix);
	}
}

void machine_result_print_short(const struct machine_run *run, int fd)
{
	struct totals t = totals_of(run);
	struct top_stall top = {0};

	dprintf(fd, "strata: %s: %" PRIu64 " kernels, %.3f us in kernels, %.3f us the whole program\n",
		run->session->machine, machine_kernels_counts(run->kernels).ran, (double)t.time_ps / BASE_PS_PER_US,
		run->timeline ? (double)machine_timeline_program(run->timeline)->time_ps / BASE_PS_PER_US : 0);
	dprintf(fd, "strata: %" PRIu64 " warp instructions in %" PRIu64 " cycles, IPC %.2f\n", t.warp_instructions,
		t.cycles, ipc_of(&t));
	if (run->machine)
		sim_stats_each(run->machine->ctx.stats, find_top_stall, &top);
	if (top.name)
		dprintf(fd, "strata: main stall: %s, %.1f %% of stalled scheduler cycles\n", top.name,
			100.0 * (double)top.cycles / (double)top.total_cycles);
}

void machine_result_lost(const char *path)
{
	g_autofree char *lost = g_strconcat(path, ".lost", NULL);
	int fd = open(lost, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd >= 0)
		close(fd);
}
