/* tom.c - the evaluation of TOM (ISCA'16): figures 2, 3, 5, 6, 8 to 13 and sections 3.1.5, 4.4.2, 6.1 to 6.6. */
#include "base/check.h"
#include "ndp/blocks/candidates.h"
#include "ptx/ptx.h"
#include "reproduce/claim.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>

enum {
	BASE,
	IDEAL,
	NOCTRL_BMAP,
	NOCTRL_TMAP,
	CTRL_BMAP,
	CTRL_TMAP,
	CTRL_ORACLE,
	WARPS_2X,
	WARPS_4X,
	INTERNAL_1X,
	CROSS_0125X,
	CROSS_025X,
	CROSS_1X,
	INCOHERENT,
};

/* Section 3.2.1: the two address bits that would have kept most instances of the whole run in one stack. */
static bool oracle_mapping(const struct reproduce_data *d, uint32_t workload, char *sets, uint32_t sets_bytes)
{
	double bit = reproduce_number(d, CTRL_BMAP, workload, "stats", "mapping.best_bit");

	if (isnan(bit))
		return false;
	if (bit > 0) /* else no candidate has touched memory */
		snprintf(sets, sets_bytes, "gpu.address_map=two_bit gpu.map_bit=%.0f", bit);
	return true;
}

/* Names as in the paper's figures. Section 6.5: the default is twice the link's bandwidth inside a stack, and half of
 * it between stacks. Section 6.4 scales the warps that a stack SM holds. At 2x it keeps the register file, which holds
 * them, as blocks there have 26 live registers at most; ours have up to 50. So that warps alone are scaled, here too,
 * the file is no limit in these rows. */
static const struct reproduce_config configs[] = {
	[BASE] = {"baseline", "tom-baseline", "", NULL},
	[IDEAL] = {"ideal", "tom-ideal", "", NULL},
	[NOCTRL_BMAP] = {"no-ctrl+bmap", "tom-noctrl-bmap", "", NULL},
	[NOCTRL_TMAP] = {"no-ctrl+tmap", "tom-noctrl-tmap", "", NULL},
	[CTRL_BMAP] = {"ctrl+bmap", "tom-ctrl-bmap", "", NULL},
	[CTRL_TMAP] = {"ctrl+tmap", "tom-ctrl-tmap", "", NULL},
	[CTRL_ORACLE] = {"ctrl+oracle", "tom-ctrl-bmap", "", oracle_mapping},
	[WARPS_2X] = {"ctrl+tmap, 2x warps", "tom-ctrl-tmap",
		      "gpu.stack_sm_warp_slot_count=96 gpu.stack_sm_registers=false", NULL},
	[WARPS_4X] = {"ctrl+tmap, 4x warps", "tom-ctrl-tmap",
		      "gpu.stack_sm_warp_slot_count=192 gpu.stack_sm_registers=false", NULL},
	[INTERNAL_1X] = {"ctrl+tmap, 1x internal", "tom-ctrl-tmap", "dram.data_rate_mbps=625", NULL},
	[CROSS_0125X] = {"ctrl+tmap, 0.125x cross", "tom-ctrl-tmap", "mesh.bandwidth_mbytes_per_s=5000", NULL},
	[CROSS_025X] = {"ctrl+tmap, 0.25x cross", "tom-ctrl-tmap", "mesh.bandwidth_mbytes_per_s=10000", NULL},
	[CROSS_1X] = {"ctrl+tmap, 1x cross", "tom-ctrl-tmap", "mesh.bandwidth_mbytes_per_s=40000", NULL},
	[INCOHERENT] = {"ctrl+tmap, no coherence", "tom-ctrl-tmap", "ndp.tom_coherence=false", NULL},
};

/* Table 2, by our names: BP, BFS, KM, CFD, HW, LIB, RAY, FWT, SP, RD. */
static const char *const workloads[] = {"backprop", "bfs", "kmeans", "cfd",	   "heartwall",
					"libor",    "ray", "fwt",    "scalarprod", "reduction"};
/* Quick runs: beyond the caches and several CTAs per SM, so that the links are loaded as in the paper's programs (over
 * half of the bandwidth, section 5.3), and yet a few seconds each. Features as in Rodinia's KDD Cup data. */
static const char *const quick_arguments[] = {
	"--inputs 65536",
	"--nodes 100000",
	"--objects 32768 --features 34 --iterations 1",
	"--side 24 --height 24 --steps 1",
	"--side 11 --reach 8 --frames 1",
	"--paths 8192 --rates 40 --steps 20",
	"--size paper --pixels 512",
	"--data 19 --kernel 10",
	"--pairs 512 --elements 16384",
	"--elements 16777216",
};
/* Full runs: TOM states no sizes, but that runs end after 2 billion instructions and use more than half of the
 * bandwidth (section 5.3). Where a program's own paper size is too short or too small for that: KM has Rodinia's KDD
 * Cup data in full, RD is repeated as the CUDA SDK's does, LIB has four times GPGPU-Sim's paths, of its 80 rates and 40
 * steps, so that its warps fill the stacks' places, RAY 1024 x 1024 pixels and SP eight times a quick run's data.
 * HW's templates are the largest with which a link is busy by half; Rodinia's would spend all these instructions in
 * the convolution, out of shared memory and L1s. They are 204, three to an SM: Rodinia's 51 leave a quarter of the SMs
 * idle, and nothing to do for the others while one waits at a barrier. */
static const char *const full_arguments[] = {
	"--size paper",
	"--size paper",
	"--objects 494020 --features 34 --iterations 2",
	"--size paper",
	"--side 11 --reach 8 --frames 4 --points 204",
	"--paths 16384 --rates 80 --steps 40",
	"--size paper --pixels 1024",
	"--size paper",
	"--pairs 4096 --elements 16384",
	"--size paper --iterations 20",
};
_Static_assert(ARRAY_COUNT(quick_arguments) == ARRAY_COUNT(workloads), "one per workload");
_Static_assert(ARRAY_COUNT(full_arguments) == ARRAY_COUNT(workloads), "one per workload");
static const char rd[] = "reduction", km[] = "kmeans", bfs[] = "bfs", lib[] = "libor";

/* ---- measures ---- */

/* Section 3.1.5: the paper's own loop, through the compiler's analysis. False: it is not there. */
static bool figure_4(const struct reproduce_data *d, struct ndp_candidate *c)
{
	g_autofree char *path = d->dir ? g_build_filename(d->dir, "figure4.ptx", NULL) : NULL;
	g_autofree char *text = NULL;
	struct base_diag_list diag;
	struct ptx_module *module;
	struct ptx_cfg *cfg;
	struct ndp_candidate_set *set;
	gsize length;

	if (!path || !g_file_get_contents(path, &text, &length, NULL))
		return false;
	base_diag_init(&diag);
	module = ptx_module_parse(path, text, length, &diag);
	CHECK(module);
	cfg = ptx_cfg_build(ptx_module_func(module, "figure4"));
	set = ndp_candidates_find(cfg, &ndp_cost_default);
	CHECK(set->count == 1);
	*c = set->items[0];
	ndp_candidates_free(set); /* its lists of registers are not looked at */
	ptx_cfg_free(cfg);
	ptx_module_free(module);
	base_diag_free(&diag);
	return true;
}

static double libor_once(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct ndp_candidate c;
	struct ndp_bandwidth b;

	(void)row;
	if (!figure_4(d, &c))
		return NAN;
	b = ndp_bandwidth_change(&ndp_cost_default, c.reg_tx_words, c.reg_rx_words, c.loads, c.stores);
	return b.tx_words + b.rx_words;
}

static double libor_at_threshold(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct ndp_candidate c;

	(void)row;
	return figure_4(d, &c) ? c.bandwidth.tx_words + c.bandwidth.rx_words : NAN;
}

static double libor_threshold(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct ndp_candidate c;

	(void)row;
	return figure_4(d, &c) ? (double)c.trip_count : NAN;
}

/* Sum of the energy components whose names begin with prefix. */
static double energy_of(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *const *names)
{
	double sum = 0;

	for (; *names; names++)
		sum += reproduce_number(d, config, w, "energy_pj", *names);
	return sum;
}

static const char *const sm_energy[] = {"sm_front_end", "sm_registers", "sm_units", "sm_shared", "sm_static",
					"l1",		"tlb",		"l2",	     "l2_static", "xbar",  NULL};
static const char *const link_energy[] = {"link_active", "link_idle", "mesh_active", "mesh_idle", NULL};

/* Mean over workloads of a group of components, in per cent of the energy of `against`. */
static double energy_share(const struct reproduce_data *d, const struct reproduce_row *row, const char *const *names)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += energy_of(d, row->config, w, names) / reproduce_energy_pj(d, row->against, w);
	return 100 * sum / d->paper->workload_count;
}

static double sm_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return energy_share(d, row, sm_energy);
}

static double link_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return energy_share(d, row, link_energy);
}

static double mesh_bytes(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return reproduce_number(d, config, w, "traffic_bytes", "stack_to_stack");
}

/* Memory-to-memory traffic in per cent of the baseline's traffic, mean over workloads. */
static double mesh_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += mesh_bytes(d, row->config, w) / reproduce_traffic_bytes(d, row->against, w);
	return 100 * sum / d->paper->workload_count;
}

static double mesh_reduction(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double before = 0, after = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		before += mesh_bytes(d, row->against, w) / reproduce_traffic_bytes(d, BASE, w);
		after += mesh_bytes(d, row->config, w) / reproduce_traffic_bytes(d, BASE, w);
	}
	return before / after;
}

static double speedup_difference(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return fabs(reproduce_row_speedup_points(d, row));
}

static double traffic_difference(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * (reproduce_traffic_mean(d, row->against, BASE) - reproduce_traffic_mean(d, row->config, BASE));
}

/* Mean over workloads of one statistic's share in another, in per cent; a workload without the latter is left out. */
static double stat_share(const struct reproduce_data *d, uint32_t config, const char *part, const char *whole)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double of = reproduce_number(d, config, w, "stats", whole);

		if (isnan(of))
			return NAN;
		if (of > 0) {
			sum += reproduce_number(d, config, w, "stats", part) / of;
			count++;
		}
	}
	return count ? 100 * sum / count : NAN;
}

/* Co-location as the share of an instance's accesses that go to its most used stack; row->stat names the mapping. */
static double colocation(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return stat_share(d, row->config, row->stat, "mapping.observed_accesses");
}

/* How much more of the accesses would go to one stack with the best mapping than with the one in force. */
static double colocation_ratio(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return stat_share(d, row->config, "mapping.most_used_best", "mapping.observed_accesses") /
	       stat_share(d, row->config, "mapping.most_used_in_force", "mapping.observed_accesses");
}

/* Figure 5's classes of candidates by the share of their accesses that have a fixed offset, as the figure has them. */
static const char *const offset_classes[] = {"All accesses fixed offset", "75%-99% fixed offset",
					     "50%-75% fixed offset",	  "25%-50% fixed offset",
					     "0%-25% fixed offset",	  "No access fixed offset"};
static const char *const offset_stats[] = {"tom.offset_all_count", "tom.offset_75_count", "tom.offset_50_count",
					   "tom.offset_25_count",  "tom.offset_0_count",  "tom.offset_none_count"};
enum { OFFSET_ALL, OFFSET_NONE = ARRAY_COUNT(offset_stats) - 1 };
_Static_assert(ARRAY_COUNT(offset_classes) == ARRAY_COUNT(offset_stats), "one per class");

/* Share of a workload's candidates in a class, in per cent; NAN also without candidates that could be classified. */
static double offset_class(const struct reproduce_data *d, uint32_t class, uint32_t w)
{
	double all = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(offset_stats); i++)
		all += reproduce_number(d, CTRL_BMAP, w, "stats", offset_stats[i]);
	return all > 0 ? 100 * reproduce_number(d, CTRL_BMAP, w, "stats", offset_stats[class]) / all : NAN;
}

/* Candidates with some accesses of a fixed offset, mean over the workloads that have candidates. */
static double fixed_offset_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double none = offset_class(d, OFFSET_NONE, w);

		if (isnan(reproduce_number(d, row->config, w, "stats", offset_stats[OFFSET_NONE])))
			return NAN;
		if (!isnan(none)) {
			sum += 100 - none;
			count++;
		}
	}
	return count ? sum / count : NAN;
}

/* Workloads of whose candidates all accesses have a fixed offset. */
static double fixed_offset_workloads(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		if (isnan(reproduce_number(d, row->config, w, "stats", offset_stats[OFFSET_ALL])))
			return NAN;
		count += offset_class(d, OFFSET_ALL, w) == 100;
	}
	return count;
}

static double offloaded_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return stat_share(d, row->config, "sm.guest_thread_instructions", "gpu.thread_instructions");
}

static double alu_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t w = reproduce_workload(d, row->workload);
	double all = reproduce_number(d, row->config, w, "stats", "sm.guest_thread_instructions");

	return 100 * (1 - reproduce_number(d, row->config, w, "stats", "sm.guest_memory_threads") / all);
}

/* Largest value of a statistic over all workloads. */
static double stat_most(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double most = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double value = reproduce_number(d, row->config, w, "stats", row->stat);

		if (isnan(value))
			return NAN;
		most = fmax(most, value);
	}
	return most;
}

/* Section 6.6 has areas from CACTI at 40 nm. Here: the added bits, each the area of a cell and nothing else, which is a
 * lower bound. 0.242 um2: a published 6T cell of the 45/40 nm node (Cheng et al., IEDM 2007).
 * The GPU's area is what 0.11 mm2 at 0.018 % imply. */
static const double cell_um2 = 0.242, gpu_mm2 = 0.11 / 0.00018;

static double added_mm2(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return stat_most(d, row) * cell_um2 * 1e-6;
}

static double added_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * added_mm2(d, row) / gpu_mm2;
}

/* Of the storage in a stack SM: registers, shared memory and first-level caches; its logic is not known. */
static double mmu_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	static const char *const bytes[] = {"sm.shared_bytes", "l1d.size_bytes", "l1i.size_bytes", "l1c.size_bytes",
					    "l1t.size_bytes"};
	double bits = 32 * reproduce_number(d, row->config, 0, "params", "sm.register_count");

	for (uint32_t i = 0; i < ARRAY_COUNT(bytes); i++)
		bits += 8 * reproduce_number(d, row->config, 0, "params", bytes[i]);
	return 100 * stat_most(d, row) / bits;
}

/* ---- rows ---- */

#define CHANGE(id, c, w, t) {id, reproduce_row_speedup_change, c, BASE, w, t, NULL}

static const struct reproduce_row rows[] = {
	CHANGE("TOM-01", CTRL_TMAP, NULL, 12),
	CHANGE("TOM-02", CTRL_TMAP, rd, 30),
	{"TOM-03", reproduce_row_speedup_least, CTRL_TMAP, BASE, NULL, 0, NULL},
	{"TOM-04", reproduce_row_traffic_change, NOCTRL_TMAP, BASE, NULL, 12, NULL},
	{"TOM-05", reproduce_row_traffic_least, NOCTRL_TMAP, BASE, NULL, 20, NULL},
	{"TOM-06", reproduce_row_traffic_change, CTRL_TMAP, BASE, NULL, 8, NULL},
	{"TOM-07", reproduce_row_traffic_least, CTRL_TMAP, BASE, NULL, 15, NULL},
	{"TOM-08", reproduce_row_energy_change, CTRL_TMAP, BASE, NULL, 8, NULL},
	{"TOM-09", reproduce_row_energy_least, CTRL_TMAP, BASE, NULL, 15, NULL},
	{"TOM-10", reproduce_row_energy_change, NOCTRL_BMAP, BASE, NULL, 8, NULL},
	{"TOM-11", sm_share, BASE, BASE, NULL, 10, NULL},
	{"TOM-12", sm_share, CTRL_TMAP, BASE, NULL, 10, NULL},
	{"TOM-13", link_share, BASE, BASE, NULL, 5, NULL},
	{"TOM-14", link_share, CTRL_TMAP, BASE, NULL, 5, NULL},
	{"TOM-15", reproduce_row_speedup, IDEAL, BASE, NULL, 0.25, NULL},
	{"TOM-16", reproduce_row_speedup_most, IDEAL, BASE, NULL, 0.5, NULL},
	{"TOM-17", reproduce_row_speedup_change, CTRL_ORACLE, CTRL_BMAP, NULL, 6, NULL},
	{"TOM-18", fixed_offset_share, CTRL_BMAP, BASE, NULL, 12, NULL},
	{"TOM-19", fixed_offset_workloads, CTRL_BMAP, BASE, NULL, 1, NULL},
	{"TOM-20", colocation, CTRL_BMAP, BASE, NULL, 12, "mapping.most_used_in_force"},
	{"TOM-21", colocation, CTRL_BMAP, BASE, NULL, 12, "mapping.most_used_best"},
	{"TOM-22", colocation, CTRL_TMAP, BASE, NULL, 12, "mapping.most_used_in_force"},
	{"TOM-23", reproduce_row_speedup_points, CTRL_TMAP, CTRL_BMAP, NULL, 6, NULL},
	CHANGE("TOM-24", CTRL_BMAP, km, 15),
	CHANGE("TOM-25", CTRL_TMAP, km, 20),
	CHANGE("TOM-26", CTRL_BMAP, rd, 25),
	CHANGE("TOM-27", CTRL_BMAP, bfs, 15),
	CHANGE("TOM-28", CTRL_TMAP, bfs, 15),
	CHANGE("TOM-29", CTRL_ORACLE, bfs, 30),
	CHANGE("TOM-30", NOCTRL_TMAP, NULL, 8),
	CHANGE("TOM-31", NOCTRL_BMAP, NULL, 8),
	CHANGE("TOM-32", NOCTRL_TMAP, lib, 20),
	CHANGE("TOM-33", CTRL_TMAP, lib, 25),
	{"TOM-34", offloaded_share, NOCTRL_TMAP, BASE, NULL, 12, NULL},
	{"TOM-35", offloaded_share, CTRL_TMAP, BASE, NULL, 7, NULL},
	{"TOM-36", mesh_share, NOCTRL_BMAP, BASE, NULL, 20, NULL},
	{"TOM-37", mesh_share, NOCTRL_TMAP, BASE, NULL, 10, NULL},
	{"TOM-38", mesh_reduction, NOCTRL_TMAP, NOCTRL_BMAP, NULL, 1, NULL},
	{"TOM-39", reproduce_row_traffic_change, WARPS_4X, BASE, NULL, 12, NULL},
	{"TOM-40", traffic_difference, WARPS_4X, CTRL_TMAP, NULL, 10, NULL},
	CHANGE("TOM-41", WARPS_4X, NULL, 12),
	{"TOM-42", reproduce_row_speedup, WARPS_4X, CTRL_TMAP, rd, 0, NULL},
	{"TOM-43", alu_share, CTRL_TMAP, BASE, rd, 0, NULL},
	{"TOM-44", stat_most, CTRL_TMAP, BASE, NULL, 8, "tom.block_registers"},
	{"TOM-45", stat_most, CTRL_TMAP, BASE, NULL, 16, "tom.thread_registers"},
	CHANGE("TOM-46", INTERNAL_1X, NULL, 12),
	{"TOM-47", speedup_difference, INTERNAL_1X, CTRL_TMAP, NULL, 3, NULL},
	CHANGE("TOM-48", CROSS_0125X, NULL, 12),
	CHANGE("TOM-49", CROSS_025X, NULL, 12),
	CHANGE("TOM-50", CTRL_TMAP, NULL, 12),
	CHANGE("TOM-51", CROSS_1X, NULL, 12),
	{"TOM-52", reproduce_row_speedup_change, INCOHERENT, CTRL_TMAP, NULL, 1.8, NULL},
	{"TOM-53", added_mm2, CTRL_TMAP, BASE, NULL, 0.02, "tom.storage_bits"},
	{"TOM-54", added_share, CTRL_TMAP, BASE, NULL, 0.004, "tom.storage_bits"},
	{"TOM-55", mmu_share, CTRL_TMAP, BASE, NULL, 0, "mmu.storage_bits"},
	{"TOM-56", libor_once, BASE, BASE, NULL, 0, NULL},
	{"TOM-57", libor_at_threshold, BASE, BASE, NULL, 0, NULL},
	{"TOM-58", libor_threshold, BASE, BASE, NULL, 0, NULL},
};

/* ---- claims ---- */

#define GAIN(config, workload) OF(reproduce_row_speedup_change, config, BASE, workload)
#define POINTS(config, against, workload) OF(reproduce_row_speedup_points, config, against, workload)
#define TRAFFIC(config) OF(reproduce_row_traffic_change, config, BASE, NULL)
#define ENERGY(config) OF(reproduce_row_energy_change, config, BASE, NULL)
#define COLOCATION(config, stat_) OF(colocation, config, BASE, NULL), .stat = (stat_)

static const struct reproduce_claim claims[] = {
	{"T1 (a)", "LIB's loop counted once costs {=0} words", "{0:+.2} words", {PUBLISHED("TOM-56")}},
	{"T1 (b)", "four iterations of it save {=0} words", "{0:+.2} words", {PUBLISHED("TOM-57")}},
	{"T1 (c)", "four iterations are the fewest that pay", "{0:.0} iterations", {PUBLISHED("TOM-58")}},
	{"T2 (a)", "ctrl+tmap speeds up every workload", "the least gain is {0:+.1} %",
	 {MUST(EXCEED, 0, OF(reproduce_row_speedup_least, CTRL_TMAP, BASE, NULL))}},
	{"T2 (b)", "its mean is {=0:+} % within {~0}", "mean {0:+.1} %", {PUBLISHED("TOM-01")}},
	{"T2 (c)", "RD gains most or second most, {=0:+} % within {~0}", "RD {0:+.1} %, {1} workloads gain more",
	 {PUBLISHED("TOM-02"), MUST(NOT_EXCEED, 1, OF(reproduce_row_speedup_above, CTRL_TMAP, BASE, rd))}},
	{"T3 (a)", "without control the mean is a loss with both mappings, {=2} and {=3} % within {~2}",
	 "no-ctrl+tmap {0:+.1} %, no-ctrl+bmap {1:+.1} %",
	 {MUST(BE_BELOW, 0, GAIN(NOCTRL_TMAP, NULL)), MUST(BE_BELOW, 0, GAIN(NOCTRL_BMAP, NULL)),
	  PUBLISHED("TOM-30"), PUBLISHED("TOM-31")}},
	{"T3 (b)", "LIB loses {=2} % within {~2} without control and gains {=3} within {~3} with it",
	 "LIB {0:+.1} % without control, {1:+.1} % with it",
	 {MUST(BE_BELOW, 0, GAIN(NOCTRL_TMAP, lib)), MUST(EXCEED, 0, GAIN(CTRL_TMAP, lib)), PUBLISHED("TOM-32"),
	  PUBLISHED("TOM-33")}},
	{"T3 (c)", "it offloads {=0} % within {~0} of the instructions, with control {=1} % within {~1}",
	 "offloaded instructions {0:.1} % without control, {1:.1} % with it",
	 {PUBLISHED("TOM-34"), PUBLISHED("TOM-35")}},
	{"T4 (a)", "the learned mapping beats the baseline mapping in the mean, by {=2} points within {~2}",
	 "ctrl+tmap {0:+.1} %, ctrl+bmap {1:+.1} %",
	 {MUST_THAN(EXCEED, 0, 1, GAIN(CTRL_TMAP, NULL)), SHOWN(GAIN(CTRL_BMAP, NULL)), PUBLISHED("TOM-23")}},
	{"T4 (b)", "KM and RD gain at least {=0} points by it", "KM gains {0:+.1} points, RD {1:+.1}",
	 {MUST(REACH, 10, POINTS(CTRL_TMAP, CTRL_BMAP, km)), MUST(REACH, 10, POINTS(CTRL_TMAP, CTRL_BMAP, rd))}},
	{"T4 (c)", "BFS alone loses by it", "BFS {0:+.1} points, {1} others lose",
	 {MUST(BE_BELOW, 0, POINTS(CTRL_TMAP, CTRL_BMAP, bfs)),
	  MUST(NOT_EXCEED, 0, OF(reproduce_row_speedup_losers, CTRL_TMAP, CTRL_BMAP, bfs))}},
	{"T4 (d)", "BFS with the oracle's mapping is above both",
	 "BFS: oracle {0:+.1} %, tmap {1:+.1} %, bmap {2:+.1} %",
	 {SHOWN(GAIN(CTRL_ORACLE, bfs)), MUST_THAN(BE_BELOW, 0, 0, GAIN(CTRL_TMAP, bfs)),
	  MUST_THAN(BE_BELOW, 0, 0, GAIN(CTRL_BMAP, bfs))}},
	{"T5 (a)", "uncontrolled offloading saves more traffic than controlled, {=2} and {=3} % within {~2} and {~3}",
	 "no-ctrl {0:+.1} %, ctrl {1:+.1} %",
	 {MUST_THAN(BE_BELOW, 0, 1, TRAFFIC(NOCTRL_TMAP)), MUST(BE_BELOW, 0, TRAFFIC(CTRL_TMAP)),
	  PUBLISHED("TOM-04"), PUBLISHED("TOM-06")}},
	{"T5 (b)", "the learned mapping cuts traffic between stacks {=0} times within {~0}", "{0:.2} times",
	 {PUBLISHED("TOM-38")}},
	{"T6 (a)", "four times the warps save more traffic, {=2} % within {~2}", "4x {0:+.1} %, 1x {1:+.1} %",
	 {MUST_THAN(BE_BELOW, 0, 1, TRAFFIC(WARPS_4X)), SHOWN(TRAFFIC(CTRL_TMAP)), PUBLISHED("TOM-39")}},
	{"T6 (b)", "at a speed-up within {~0} points", "4x is {0:+.1} points from 1x",
	 {NEAR(0, 5, POINTS(WARPS_4X, CTRL_TMAP, NULL))}},
	{"T6 (c)", "RD is slower with them", "RD with 4x runs at {0:.2} of 1x",
	 {MUST(BE_BELOW, 1, OF(reproduce_row_speedup, WARPS_4X, CTRL_TMAP, rd))}},
	{"T7 (a)", "1x internal bandwidth is within {~0} points of 2x", "1x is {0:+.1} points from 2x",
	 {NEAR(0, 5, POINTS(INTERNAL_1X, CTRL_TMAP, NULL))}},
	{"T7 (b)", "0.125x between stacks is slower than 0.25x", "0.125x {0:+.1} %, 0.25x {1:+.1} %",
	 {MUST_THAN(BE_BELOW, 0, 1, GAIN(CROSS_0125X, NULL)), SHOWN(GAIN(CROSS_025X, NULL))}},
	{"T7 (c)", "0.25x to 1x are within {~0} points", "0.25x {0:+.1} %, 0.5x {1:+.1} %, 1x {2:+.1} %",
	 {NEAR_TERM(2, 5, GAIN(CROSS_025X, NULL)), NEAR_TERM(2, 5, GAIN(CTRL_TMAP, NULL)),
	  SHOWN(GAIN(CROSS_1X, NULL))}},
	{"T8 (a)", "the best mapping co-locates {=0} % within {~0}, the baseline {=1} %, ratio {=2}",
	 "best {0:.1} %, baseline {1:.1} %",
	 {PUBLISHED("TOM-21"), PUBLISHED("TOM-20"), MUST(REACH, 1.5, OF(colocation_ratio, CTRL_BMAP, BASE, NULL))}},
	{"T8 (b)", "the learned mapping is within {=0} points of the best",
	 "learned {0:.1} %, best for the same instances {1:.1} %",
	 {MUST_THAN(REACH, -6, 1, COLOCATION(CTRL_TMAP, "mapping.most_used_in_force")),
	  SHOWN(COLOCATION(CTRL_TMAP, "mapping.most_used_best"))}},
	{"T9 (a)", "ctrl+tmap saves energy, {=1} % within {~1}", "ctrl+tmap {0:+.1} %",
	 {MUST(BE_BELOW, 0, ENERGY(CTRL_TMAP)), PUBLISHED("TOM-08")}},
	{"T9 (b)", "no-ctrl+bmap costs energy", "no-ctrl+bmap {0:+.1} %", {MUST(EXCEED, 0, ENERGY(NOCTRL_BMAP))}},
	{"T9 (c)", "coherence costs at most {=0} %", "coherence costs {0:.2} %",
	 {MUST(NOT_EXCEED, 3, OF(reproduce_row_speedup_change, INCOHERENT, CTRL_TMAP, NULL))}},
	{"T9 (d)", "the ideal system is above ctrl+tmap, {=2}x within {~2}", "ideal {0:.2}x, ctrl+tmap {1:.2}x",
	 {MUST_THAN(EXCEED, 0, 1, OF(reproduce_row_speedup, IDEAL, BASE, NULL)),
	  SHOWN(OF(reproduce_row_speedup, CTRL_TMAP, BASE, NULL)), PUBLISHED("TOM-15")}},
};

/* Numbers that claims judge, and the default of section 6.5's sweep, which is Figure 8's. */
static const struct reproduce_same same[] = {
	{"TOM-01", "T2 (b)"}, {"TOM-02", "T2 (c)"}, {"TOM-03", "T2 (a)"}, {"TOM-04", "T5 (a)"}, {"TOM-06", "T5 (a)"},
	{"TOM-08", "T9 (a)"}, {"TOM-15", "T9 (d)"}, {"TOM-20", "T8 (a)"}, {"TOM-21", "T8 (a)"}, {"TOM-23", "T4 (a)"},
	{"TOM-30", "T3 (a)"}, {"TOM-31", "T3 (a)"}, {"TOM-32", "T3 (b)"}, {"TOM-33", "T3 (b)"}, {"TOM-34", "T3 (c)"},
	{"TOM-35", "T3 (c)"}, {"TOM-38", "T5 (b)"}, {"TOM-39", "T6 (a)"}, {"TOM-42", "T6 (c)"}, {"TOM-47", "T7 (a)"},
	{"TOM-50", "T2 (b)"}, {"TOM-52", "T9 (c)"}, {"TOM-56", "T1 (a)"}, {"TOM-57", "T1 (b)"}, {"TOM-58", "T1 (c)"},
};

static const struct reproduce_mean means[] = {
	{sm_share, "arithmetic mean"},
	{link_share, "arithmetic mean"},
	{mesh_share, "arithmetic mean"},
	{mesh_reduction, "ratio of arithmetic means"},
	{speedup_difference, "of geometric means"},
	{traffic_difference, "of arithmetic means"},
	{fixed_offset_share, "arithmetic mean"},
	{colocation, "arithmetic mean"},
	{colocation_ratio, "ratio of arithmetic means"},
	{offloaded_share, "arithmetic mean"},
};

static const uint32_t policies[] = {IDEAL, NOCTRL_BMAP, NOCTRL_TMAP, CTRL_BMAP, CTRL_TMAP};
static const uint32_t warps[] = {CTRL_TMAP, WARPS_2X, WARPS_4X};
static const uint32_t bandwidths[] = {CTRL_TMAP, INTERNAL_1X, CROSS_0125X, CROSS_025X, CROSS_1X};

static const struct reproduce_figure figures[] = {
	{"Figures 2 and 8: speed-up", REPRODUCE_PLOT_SPEEDUP, policies, ARRAY_COUNT(policies)},
	{"Figure 9: off-chip traffic", REPRODUCE_PLOT_TRAFFIC, policies, ARRAY_COUNT(policies)},
	{"Figure 10: energy", REPRODUCE_PLOT_ENERGY, policies, ARRAY_COUNT(policies)},
	{"Figure 11: traffic with more warps per stack SM", REPRODUCE_PLOT_TRAFFIC, warps, ARRAY_COUNT(warps)},
	{"Figure 12: speed-up with more warps per stack SM", REPRODUCE_PLOT_SPEEDUP, warps, ARRAY_COUNT(warps)},
	{"Figure 13: speed-up with other bandwidths", REPRODUCE_PLOT_SPEEDUP, bandwidths, ARRAY_COUNT(bandwidths)},
};

/* Of the warp slots of all stack SMs, those held in the mean of the kernels' time. */
static const char *const place_bars[] = {"no-ctrl+bmap", "no-ctrl+tmap", "ctrl+bmap", "ctrl+tmap"};
static const uint32_t place_configs[] = {NOCTRL_BMAP, NOCTRL_TMAP, CTRL_BMAP, CTRL_TMAP};

static double places(const struct reproduce_data *d, uint32_t bar, uint32_t w)
{
	uint32_t config = place_configs[bar];

	return reproduce_number(d, config, w, "stats", "gpu.offload_place_ps") / reproduce_time_ps(d, config, w);
}

static const struct reproduce_chart charts[] = {
	{"Places: warp slots of stack SMs held in the mean of the time, of 192", places, place_bars,
	 ARRAY_COUNT(place_bars), NULL, 0, NULL},
	{"Figure 5: candidates by accesses with a fixed offset, in per cent", offset_class, offset_classes,
	 ARRAY_COUNT(offset_classes), NULL, 0, NULL},
};

const struct reproduce_paper reproduce_tom = {
	.name = "tom",
	.title = "TOM (ISCA'16)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	.quick_arguments = quick_arguments,
	.full_arguments = full_arguments,
	.full_sets = "run.instruction_limit_count=2000000000", /* section 5.3 */
	REPRODUCE_TABLE(row),
	.same = same,
	.same_count = ARRAY_COUNT(same),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(mean),
	REPRODUCE_TABLE(figure),
	REPRODUCE_TABLE(chart),
};
