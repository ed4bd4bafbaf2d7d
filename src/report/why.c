/* why.c - a run's time, attributed; the resources that bound it; sentences with their numbers. */
#include "report/why.h"

#include "report/account.h"
#include "report/cores.h"
#include "report/demangle.h"
#include "report/ledger.h"
#include "report/placed.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/units.h"

#include <glib.h>
#include <string.h>

enum { KERNELS_SHOWN = 10, FINDINGS_STALLS = 2 };

static const double ps_per_us = 1e6, ps_per_s = 1e12, large = 0.7, small = 0.05;

static double stat_of(const json_t *run, const char *key)
{
	return report_number(run, "stats", key);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* ---- the program ---- */

static json_t *program_of(const json_t *run)
{
	const double kernels = report_number(run, "program", "kernel_ps"),
		     all = report_number(run, "program", "time_ps");
	const double busy = report_number(run, "program", "device_busy_ps");
	const double overlap = report_number(run, "program", "overlap_ps");

	/* The device is busy with kernels and copies; where both go on it is counted as a kernel. */
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "time_ps", all, "kernels_ps", kernels, "copies_ps",
			 MAX(busy - kernels, 0), "idle_ps", MAX(all - busy, 0), "copies_beside_kernels_ps", overlap);
}

/* ---- the schedulers' cycles ---- */

static json_t *cycles_of(const json_t *run)
{
	const double all = stat_of(run, "sm.scheduler_cycles"), issued = stat_of(run, "sm.issued_cycles");
	json_t *out = json_object(), *stalls = json_object_get(run, "stalls"), *value;
	double sum = issued;
	const char *reason;

	json_object_set_new(out, "scheduler_cycles", json_real(all));
	json_object_set_new(out, "issued", json_real(issued));
	json_object_foreach(stalls, reason, value) {
		json_object_set(out, reason, value);
		sum += json_number_value(value);
	}
	json_object_set_new(out, "unaccounted", json_real(all - sum));
	return out;
}

/* ---- kernels ---- */

static int by_time(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = report_number(*a, "time_ps", NULL), y = report_number(*b, "time_ps", NULL);

	return x > y ? -1 : x < y;
}

static json_t *kernels_of(const json_t *run)
{
	const json_t *sums = json_object_get(run, "kernel_sums");
	const size_t count = json_array_size(sums);
	g_autofree json_t **all = g_new(json_t *, count + 1);
	json_t *out = json_array(), *sum;
	double time_ps = 0;
	size_t i;

	json_array_foreach(sums, i, sum) {
		all[i] = sum;
		time_ps += report_number(sum, "time_ps", NULL);
	}
	qsort(all, count, sizeof(all[0]), by_time);
	for (i = 0; i < count; i++) {
		const double own = report_number(all[i], "time_ps", NULL),
			     cycles = report_number(all[i], "cycles", NULL);

		json_array_append_new(out,
				      json_pack("{s:o, s:f, s:f, s:f, s:f}", "name", report_title(all[i]), "launches",
						report_number(all[i], "launches", NULL), "time_ps", own, "share",
						share(own, time_ps), "ipc",
						share(report_number(all[i], "thread_instructions", NULL), cycles)));
	}
	return out;
}

/* ---- bounds ---- */

static void add_bound(json_t *out, const char *name, double least_ps, double time_ps)
{
	if (least_ps > 0)
		report_insert(out, "least_ps",
			      json_pack("{s:s, s:f, s:f}", "name", name, "least_ps", least_ps, "share",
					share(least_ps, time_ps)));
}

/* Where reads and writes are counted, or both together. */
static double least_of_dram(const json_t *run)
{
	const double per_s = report_number(run, "peak_bytes_per_s", "dram");
	double bytes;

	return report_dram_bytes(run, &bytes) && per_s > 0 ? bytes / per_s * ps_per_s : 0;
}

static double least_of(const json_t *run, const char *bytes, const char *peak)
{
	const double per_s = report_number(run, "peak_bytes_per_s", peak);

	return per_s > 0 ? report_number(run, "traffic_bytes", bytes) / per_s * ps_per_s : 0;
}

/* The busiest stack of those that share the work: what bounds is one link, not their mean. more: bytes of another kind
 * that take the same way, or NULL. */
static double busiest_stack(const json_t *run, const char *bytes, const char *more, const char *peak)
{
	const json_t *stacks = json_object_get(run, "stacks"), *stack;
	const size_t count = json_array_size(stacks);
	double most = 0, per_s = report_number(run, "peak_bytes_per_s", peak);
	size_t i;

	json_array_foreach(stacks, i, stack)
		most = MAX(most, report_number(stack, bytes, NULL) + (more ? report_number(stack, more, NULL) : 0));
	return count && per_s > 0 ? most / (per_s / (double)count) * ps_per_s : 0;
}

/* Two ports, each an access a cycle (hdl/ports.h). */
static double busiest_design(const json_t *run)
{
	const double per_s = 2 * 1e3 * report_number(run, "params", "ndp.clock_khz");
	json_t *design;
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "core_account"), "accelerators"), i, design)
		most = MAX(most, report_number(design, "accesses", NULL));
	return per_s > 0 ? most / per_s * ps_per_s : 0;
}

static double busiest_core(const json_t *run)
{
	const double clock_khz = report_number(run, "params", "csp.clock_khz");
	json_t *core;
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(run, "unit_account"), "cores"), i, core)
		most = MAX(most, report_number(core, "parts", "multiply_add"));
	return clock_khz > 0 ? most / clock_khz * (ps_per_s / 1e3) : 0;
}

/* All schedulers issue together. */
static double issue_ps(const json_t *run)
{
	return share(stat_of(run, "sm.issued_cycles"), stat_of(run, "sm.scheduler_cycles")) *
	       report_number(run, "time_ps", NULL);
}

/* What no way of dividing the work between the GPU's SMs and those of the stacks can pass with these bytes and these
 * instructions: a byte of the DRAM is used in its stack, or crosses a link; and somebody issues each instruction. */
static double near_data_ps(const json_t *run)
{
	const double bytes =
	    report_number(run, "traffic_bytes", "dram_read") + report_number(run, "traffic_bytes", "dram_write");
	const double links =
	    report_number(run, "peak_bytes_per_s", "tx") + report_number(run, "peak_bytes_per_s", "rx");
	const double per_s = links + report_number(run, "peak_bytes_per_s", "dram");

	return MAX(per_s > 0 ? bytes / per_s * ps_per_s : 0, issue_ps(run));
}

static json_t *bounds_of(const json_t *run)
{
	const double time_ps = report_number(run, "time_ps", NULL);
	const double dram = least_of_dram(run);
	json_t *out = json_array();

	if (json_object_get(run, "channels")) {
		add_bound(out, "channels, to the memory", least_of(run, "tx", "tx"), time_ps);
		add_bound(out, "channels, from the memory", least_of(run, "rx", "rx"), time_ps);
		add_bound(out, "DRAM of all channels", dram, time_ps);
		add_bound(out, "ports of the busiest accelerator", busiest_design(run), time_ps);
		return out;
	}
	if (json_object_get(run, "coprocessor")) {
		add_bound(out, "multiply-adds of the busiest core", busiest_core(run), time_ps);
		add_bound(out, "links, cores to stacks", least_of(run, "tx", "tx"), time_ps);
		add_bound(out, "links, stacks to cores", least_of(run, "rx", "rx"), time_ps);
		add_bound(out, "DRAM of the cores' vaults", dram, time_ps);
		return out;
	}
	add_bound(out, "issue: one instruction per scheduler and cycle", issue_ps(run), time_ps);
	if (report_number(run, "params", "gpu.stack_sm_count") > 0)
		add_bound(out, "near data at best: links and DRAM, or issue", near_data_ps(run), time_ps);
	add_bound(out, "links, GPU to stacks", least_of(run, "tx", "tx"), time_ps);
	add_bound(out, "links, stacks to GPU", least_of(run, "rx", "rx"), time_ps);
	add_bound(out, "the busiest stack's link, GPU to stack", busiest_stack(run, "tx_bytes", NULL, "tx"), time_ps);
	add_bound(out, "the busiest stack's link, stack to GPU", busiest_stack(run, "rx_bytes", NULL, "rx"), time_ps);
	add_bound(out, "links between the stacks", least_of(run, "stack_to_stack", "stack_to_stack"), time_ps);
	add_bound(out, "DRAM of all stacks", dram, time_ps);
	add_bound(out, "DRAM of the busiest stack", busiest_stack(run, "dram_read_bytes", "dram_write_bytes", "dram"),
		  time_ps);
	return out;
}

/* ---- the mechanism's ledger ---- */

static const struct entry {
	const char *name, *statistic;
} ledger_rows[] = {
    {"TOM: instances of blocks", "tom.instance_count"},
    {"TOM: offloaded", "tom.offloaded_count"},
    {"TOM: stayed, condition false", "tom.condition_false_count"},
    {"TOM: stayed, mapping being learned", "tom.learning_count"},
    {"TOM: stayed, stack SM full", "tom.full_count"},
    {"TOM: stayed, TX busy", "tom.tx_busy_count"},
    {"TOM: stayed, RX busy", "tom.rx_busy_count"},
    {"TOM: stayed, stack SM's arithmetic full", "tom.alu_full_count"},
    {"TOM: stayed, no access to memory", "tom.no_access_count"},
    {"TOM: bytes of requests", "tom.request_bytes"},
    {"TOM: bytes of answers", "tom.answer_bytes"},
    {"NSU: instances of blocks", "nsu_control.instances"},
    {"NSU: offloaded", "nsu_control.offloaded"},
    {"NSU: stayed by the ratio", "nsu_control.kept_by_ratio"},
    {"NSU: stayed, no benefit seen", "nsu_control.kept_by_benefit"},
    {"NSU: lines read for blocks", "partition.read_lines"},
    {"NSU: of them from the L1", "partition.read_l1_hits"},
    {"NSU: of them from the L2", "partition.read_l2_hits"},
    {"NSU: lines written", "partition.write_lines"},
    {"NSU: waits for credits, ps of all warps", "partition.credit_wait_ps"},
    {"Duality Cache: kernels in the arrays", "duality.kernels"},
    {"Duality Cache: accesses of control blocks", "duality.accesses"},
    {"Duality Cache: of them, spilled registers", "duality.spill_accesses"},
    {"Duality Cache: lines", "duality.lines"},
    {"Duality Cache: of them, from ways that are cache", "duality.cache_hits"},
    {"Duality Cache: bytes read from the memory", "duality.read_bytes"},
    {"Duality Cache: bytes written to the memory", "duality.write_bytes"},
    {"Duality Cache: bytes between sockets", "duality.link_bytes"},
    {"NDPs: accesses to their own channel", "channel.local"},
    {"NDPs: remote reads", "channel.remote_reads"},
    {"NDPs: remote writes", "channel.remote_writes"},
    {"NDPs: remote atomics", "channel.remote_atomics"},
    {"NDPs: bytes of messages, coherence among them", "channel.message_bytes"},
    {"NDPs: bytes of remote writes up the channels", "channel.data_up_bytes"},
    {"NDPs: bytes of remote accesses down the channels", "channel.data_down_bytes"},
    {"NDPs: bytes of the memory beside them", "channel.near_bytes"},
    {"NDPs: bytes of directories", "channel.directory_bytes"},
    {"coprocessor: lines loaded to registers", "core.load_lines"},
    {"coprocessor: lines loaded to the shared register file", "core.ssrf_lines"},
    {"coprocessor: lines stored", "core.store_lines"},
    {"coprocessor: lines sent to other cores' memory", "core.send_lines"},
    {"coprocessor: signals to other cores", "core.signals"},
    {"BOM: CTAs moved", "gpu.cta_moves"},
    {"BOM: bytes of contexts", "gpu.cta_context_bytes"},
    {"BOM: offloads decided", "bom.offload_count"},
    {"BOM: refused, stack full", "bom.full_count"},
    {"BOM: refused, miss rate", "bom.miss_rate_count"},
    {"BOM: refused, diverged", "bom.diverged_count"},
    {"BOM: refused, at a barrier", "bom.barrier_count"},
    {"BOM: refused, shared memory", "bom.shared_count"},
    {"BOM: refused, too few warps", "bom.warps_count"},
};

static json_t *ledger_of(const json_t *run)
{
	json_t *out = json_array();

	for (size_t i = 0; i < G_N_ELEMENTS(ledger_rows); i++) {
		const double value = stat_of(run, ledger_rows[i].statistic);

		if (value > 0)
			json_array_append_new(out, json_pack("{s:s, s:s, s:f}", "name", ledger_rows[i].name,
							     "statistic", ledger_rows[i].statistic, "value", value));
	}
	return out;
}

/* ---- findings ---- */

static void add_finding(json_t *out, char *text)
{
	json_array_append_new(out, json_string(text));
	g_free(text);
}

static void find_program(const json_t *run, json_t *out)
{
	const double all = report_number(run, "program", "time_ps"),
		     kernels = report_number(run, "program", "kernel_ps");

	if (all > 0 && kernels < all / 2)
		add_finding(out,
			    g_strdup_printf("kernels are %.1f %% of the program's %.3f us: the rest is copies, host "
					    "calls and waiting, which no machine's kernels can shorten",
					    100 * kernels / all, all / ps_per_us));
}

static void find_bound(const json_t *bounds, json_t *out)
{
	const json_t *first = json_array_get(bounds, 0);
	const double own = report_number(first, "share", NULL);

	if (!first)
		return;
	if (own > large)
		add_finding(out, g_strdup_printf("%s: %.0f %% of the time at its full rate; with this traffic it "
						 "cannot be less than %.3f us",
						 json_string_value(json_object_get(first, "name")), 100 * own,
						 report_number(first, "least_ps", NULL) / ps_per_us));
	else
		add_finding(out, g_strdup_printf("no resource bounds this by its rate: the nearest, %s, needs %.0f %% "
						 "of the time; what is missing is overlap (warps, threads, misses "
						 "under way) or balance",
						 json_string_value(json_object_get(first, "name")), 100 * own));
}

static void find_stalls(const json_t *run, json_t *out)
{
	struct report_stall stalls[FINDINGS_STALLS];
	const uint32_t count = report_top_stalls(run, stalls, FINDINGS_STALLS);

	for (uint32_t i = 0; i < count; i++)
		if (stalls[i].share > small)
			add_finding(
			    out, g_strdup_printf("schedulers issue nothing in %.1f %% of their cycles because of: %s",
						 100 * stalls[i].share, stalls[i].reason));
}

static void find_ledger(const json_t *run, json_t *out)
{
	const double instances = stat_of(run, "tom.instance_count"), full = stat_of(run, "tom.full_count");
	const double requests = stat_of(run, "tom.request_bytes") + stat_of(run, "tom.answer_bytes");

	if (instances > 0 && full > instances / 4)
		add_finding(out,
			    g_strdup_printf("%.0f of %.0f instances of TOM's blocks stay because the stack's SM is "
					    "full: gpu.stack_sm_warp_slot_count",
					    full, instances));
	if (requests > 0)
		add_finding(
		    out,
		    g_strdup_printf(
			"TOM's messages are %.3f MB of the %.3f MB on the links", requests / 1e6,
			(report_number(run, "traffic_bytes", "tx") + report_number(run, "traffic_bytes", "rx")) / 1e6));
}

json_t *report_why(const json_t *run, const json_t *any)
{
	json_t *bounds = bounds_of(run), *findings = json_array();
	const json_t *other = report_is_same_work(run, any) ? any : NULL;

	if (json_object_get(run, "channels")) {
		json_t *cores = report_cores(run);

		if (json_is_object(cores))
			json_array_extend(findings, json_object_get(cores, "findings"));
		find_bound(bounds, findings);
		return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "cores", cores, "placed",
				 report_placed(run, other), "roofline", report_roofline(run), "bounds", bounds,
				 "ledger", ledger_of(run), "findings", findings);
	}
	if (json_object_get(run, "coprocessor")) {
		json_t *units = report_units(run, findings);

		find_bound(bounds, findings);
		return json_pack("{s:o, s:o, s:o, s:o, s:o}", "units", units, "roofline", report_roofline(run),
				 "bounds", bounds, "ledger", ledger_of(run), "findings", findings);
	}
	find_program(run, findings);
	find_bound(bounds, findings);
	find_stalls(run, findings);
	find_ledger(run, findings);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "account", report_account(run),
			 "placed", report_placed(run, other), "blocks", report_ledger(run), "roofline",
			 report_roofline(run), "program", program_of(run), "cycles", cycles_of(run), "kernels",
			 kernels_of(run), "bounds", bounds, "ledger", ledger_of(run), "findings", findings);
}

/* ---- as text ---- */

static void print_program(FILE *out, const json_t *program)
{
	static const char *const parts[][2] = {
	    {"kernels", "kernels_ps"}, {"copies, without kernels beside", "copies_ps"}, {"device idle", "idle_ps"}};
	const double all = report_number(program, "time_ps", NULL);

	fprintf(out, "\nthe program's time: %.3f us\n", all / ps_per_us);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		const double own = report_number(program, parts[i][1], NULL);

		fprintf(out, "  %-44s %14.3f us %7.1f %%\n", parts[i][0], own / ps_per_us, 100 * share(own, all));
	}
}

static void print_cycles(FILE *out, const json_t *cycles)
{
	const double all = report_number(cycles, "scheduler_cycles", NULL);
	const char *name;
	json_t *value;

	fprintf(out, "\nthe schedulers' cycles: %.0f\n", all);
	json_object_foreach((json_t *)cycles, name, value) {
		if (strcmp(name, "scheduler_cycles") && json_number_value(value) != 0)
			fprintf(out, "  %-44s %14.0f    %7.1f %%\n", name, json_number_value(value),
				100 * share(json_number_value(value), all));
	}
}

static void print_kernels(FILE *out, const json_t *kernels)
{
	size_t i;
	json_t *kernel;

	fputs("\nkernels, the longest first\n", out);
	json_array_foreach(kernels, i, kernel) {
		g_autofree char *name = report_title_cut(json_string_value(json_object_get(kernel, "name")), 44);

		if (i == KERNELS_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(kernels) - i);
			break;
		}
		fprintf(out, "  %-44s %14.3f us %7.1f %%  IPC %.2f, %.0f launches\n", name,
			report_number(kernel, "time_ps", NULL) / ps_per_us, 100 * report_number(kernel, "share", NULL),
			report_number(kernel, "ipc", NULL), report_number(kernel, "launches", NULL));
	}
}

static void print_bounds(FILE *out, const json_t *bounds)
{
	size_t i;
	json_t *bound;

	fputs("\nwhat each resource alone needs, at its full rate, of the time\n", out);
	json_array_foreach(bounds, i, bound)
		fprintf(out, "  %-44s %14.3f us %7.1f %%\n", json_string_value(json_object_get(bound, "name")),
			report_number(bound, "least_ps", NULL) / ps_per_us, 100 * report_number(bound, "share", NULL));
}

static void print_ledger(FILE *out, const json_t *ledger)
{
	size_t i;
	json_t *row;

	if (json_array_size(ledger))
		fputs("\nthe mechanism's ledger\n", out);
	json_array_foreach(ledger, i, row)
		fprintf(out, "  %-44s %14.0f\n", json_string_value(json_object_get(row, "name")),
			report_number(row, "value", NULL));
}

void report_why_print(FILE *out, const json_t *why)
{
	size_t i;
	json_t *finding;

	if (json_object_get(why, "cores")) {
		report_cores_print(out, json_object_get(why, "cores"));
	} else if (json_object_get(why, "units")) {
		report_units_print(out, json_object_get(why, "units"));
	} else {
		print_program(out, json_object_get(why, "program"));
		print_kernels(out, json_object_get(why, "kernels"));
		print_cycles(out, json_object_get(why, "cycles"));
		report_account_print(out, json_object_get(why, "account"));
	}
	print_bounds(out, json_object_get(why, "bounds"));
	report_roofline_print(out, json_object_get(why, "roofline"));
	print_ledger(out, json_object_get(why, "ledger"));
	report_ledger_print(out, json_object_get(why, "blocks"));
	report_placed_print(out, json_object_get(why, "placed"));
	fputs("\nfindings\n", out);
	json_array_foreach(json_object_get(why, "findings"), i, finding)
		fprintf(out, "  - %s\n", json_string_value(finding));
}

void report_what_if_print(FILE *out, const json_t *rows)
{
	size_t i;
	json_t *row;

	if (!json_array_size(rows))
		return;
	fputs("\nwhat if: one resource made ideal, the rest as it is\n", out);
	json_array_foreach(rows, i, row)
		fprintf(out, "  %-16s %-60s %6.2fx%s\n", json_string_value(json_object_get(row, "name")),
		       json_string_value(json_object_get(row, "what")), report_number(row, "speedup", NULL),
		       json_is_true(json_object_get(row, "verified")) ? "" : "  NOT VERIFIED");
}
