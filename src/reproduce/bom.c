/* bom.c - the evaluation of BOM (MSc thesis 2017): figures 2 and 14 to 19, sections 2 and 5.5. */
#include "base/check.h"
#include "reproduce/claim.h"
#include "reproduce/cta_times.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>

enum {
	BASE,
	PIM,
	BOM,
	BOM_1X,
	BASE_15,
	DIVERGED,
};

/* Names as in the thesis's figures. Its baseline has "the same number of cores" and is a GTX 480 (section 5.5.1): 23
 * cores or 15. What is compared with is the former. */
static const struct reproduce_config configs[] = {
    [BASE] = {"baseline", "bom-baseline", "", NULL},
    [PIM] = {"GPGPU+PIM", "bom-pim", "", NULL},
    [BOM] = {"GPGPU+PIM+BOM", "bom", "", NULL},
    /* Section 5.5.5: as much bandwidth inside a stack as outside; the default is twice as much. */
    [BOM_1X] = {"GPGPU+PIM+BOM, 1x internal", "bom", "dram.data_rate_mbps=625", NULL},
    [BASE_15] = {"baseline, 15 cores", "bom-baseline-15", "", NULL},
    /* Section 5.2's future work: what its rule about divergence costs. */
    [DIVERGED] = {"GPGPU+PIM+BOM, diverged blocks too", "bom", "ndp.bom_diverged=true", NULL},
};

/* Table 3, by our names: BFS, LIB, LPS, MUM, NQU, RAY, STO, b+tree, backprop, gaussian. The thesis states no sizes but
 * where its programs are from. The first seven are GPGPU-Sim's and have the inputs of its paper (Bakhoda et al.,
 * ISPASS'09, section 2.4 and Table 1); b+tree and backprop have those of Rodinia's run scripts, gaussian one of
 * Rodinia's matrices. They are small: a quick run has them too. */
static const char *const workloads[] = {"bfs", "libor",    "lps",   "mum",      "nqueens",
					"ray", "storegpu", "btree", "backprop", "gaussian"};
static const char *const arguments[] = {
    "--nodes 65536", "--size paper", "--size paper", "--size paper",   "--size paper",
    "--size paper",  "--size paper", "--size paper", "--inputs 65536", "--unknowns 208",
};
_Static_assert(ARRAY_COUNT(arguments) == ARRAY_COUNT(workloads), "one entry per workload");

static const char bfs[] = "bfs", lib[] = "libor", lps[] = "lps", mum[] = "mum", nqu[] = "nqueens", sto[] = "storegpu";
static const char btree[] = "btree", backprop[] = "backprop";

/* Section 5.5.4: whose stalls do not fall. */
static const char *const stalling[] = {sto, btree, backprop, NULL};
/* Figure 15 shows three benchmarks and does not say which: those that section 5.5.2 names first as gaining most. */
static const char *const shown[] = {bfs, mum, lib, NULL};

/* ---- quantities of a run ---- */

/* Equation (2): energy per bit moved, of the DRAM layers and, in a stack, of the logic layer. */
static double dram_energy(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	static const char *const parts[] = {"dram_activate", "dram_row_buffer", "tsv", "logic_layer"};
	double sum = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(parts); i++)
		sum += reproduce_number(d, config, w, "energy_pj", parts[i]);
	return sum;
}

/* Equation (1). */
static double link_energy(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return reproduce_number(d, config, w, "energy_pj", "link_active") +
	       reproduce_number(d, config, w, "energy_pj", "link_idle");
}

/* Scheduler cycles of all cores in which warps had nothing but loads to wait for. */
static double memory_stalls(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return reproduce_number(d, config, w, "stalls", "memory");
}

typedef double quantity(const struct reproduce_data *d, uint32_t config, uint32_t workload);

/* Change over a baseline in per cent. */
static double change_over(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t against, uint32_t w)
{
	return 100 * (of(d, config, w) / of(d, against, w) - 1);
}

static double change_of(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t w)
{
	return change_over(d, of, config, BASE, w);
}

/* Blocks that left for a PIM core. Where none did, a run says nothing of moving them. */
static double moved(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return reproduce_number(d, config, w, "stats", "bom.offload_count");
}

/* The change of row->workload; NAN also where no block moved: the number is then that of a machine of 15 cores. */
static double moved_change(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return moved(d, row->config, reproduce_workload(d, row->workload)) > 0 ? reproduce_row_speedup_change(d, row)
									       : NAN;
}

static double change_mean(const struct reproduce_data *d, quantity *of, uint32_t config)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += change_of(d, of, config, w);
	return sum / d->paper->workload_count;
}

static bool is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (*names == name || !g_strcmp0(*names, name))
			return true;
	return false;
}

/* The least change of the workloads that are in names (or are not); NAN when a run is missing. */
static double change_least(const struct reproduce_data *d, quantity *of, uint32_t config, const char *const *names,
			   bool is_wanted)
{
	double least = INFINITY;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double change = change_of(d, of, config, w);

		if (is_in(names, d->paper->workloads[w]) != is_wanted)
			continue;
		if (isnan(change))
			return NAN;
		least = fmin(least, change);
	}
	return least;
}

static const char *const none[] = {NULL};

/* ---- rows ---- */

/* The smaller fall of a quantity: against 23 cores, and against 15. */
static double change_of_both(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t w)
{
	return fmax(change_of(d, of, config, w), change_over(d, of, config, BASE_15, w));
}

/* The largest fall, of workloads of which a block moved; NAN: of none. */
static double stalls_saved(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double least = INFINITY;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double change = change_of_both(d, memory_stalls, row->config, w);

		if (isnan(change) || isnan(moved(d, row->config, w)))
			return NAN;
		if (!is_in(stalling, d->paper->workloads[w]) && moved(d, row->config, w) > 0)
			least = fmin(least, change);
	}
	return isinf(least) ? NAN : least;
}

static double stalls_kept(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_least(d, memory_stalls, row->config, stalling, true);
}

static double dram_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_mean(d, dram_energy, row->config);
}

static double dram_least(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_least(d, dram_energy, row->config, none, false);
}

static double link_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_mean(d, link_energy, row->config);
}

/* The largest of the three shown, over the shorter of both baselines: all must be below 1. */
static double block_time_ratio(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double most = 0;

	for (uint32_t i = 0; shown[i]; i++) {
		uint32_t w = reproduce_workload(d, shown[i]);
		double ratio = reproduce_cta_mean_cycles(d, row->config, w) /
			       fmin(reproduce_cta_mean_cycles(d, BASE, w), reproduce_cta_mean_cycles(d, BASE_15, w));

		if (isnan(ratio))
			return NAN;
		most = fmax(most, ratio);
	}
	return most;
}

/* Figure 2's benchmark is not named; section 2 gives graphs as the example. The figure averages six blocks at a time,
 * so the extremes are left out. */
static double fast_block(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return reproduce_cta_quantile_cycles(d, row->config, reproduce_workload(d, bfs), 0.05);
}

static double slow_block(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return reproduce_cta_quantile_cycles(d, row->config, reproduce_workload(d, bfs), 0.95);
}

#define CHANGE(id, c, w, t)                                           \
	{                                                             \
		id, reproduce_row_speedup_change, c, BASE, w, t, NULL \
	}

static const struct reproduce_row rows[] = {
    CHANGE("BOM-01", BOM, NULL, 15),
    CHANGE("BOM-02", PIM, NULL, 15),
    {"BOM-03", reproduce_row_speedup_points, BOM, PIM, NULL, 6, NULL},
    {"BOM-04", reproduce_row_speedup, BOM, BASE, bfs, 0.5, NULL},
    CHANGE("BOM-05", BOM, mum, 25),
    CHANGE("BOM-06", BOM, lib, 15),
    CHANGE("BOM-07", BOM, btree, 15),
    {"BOM-08", moved_change, BOM, BASE, lps, 5, NULL},
    {"BOM-09", moved_change, BOM, BASE, sto, 8, NULL},
    {"BOM-10", moved_change, BOM, BASE, nqu, 5, NULL},
    CHANGE("BOM-11", BOM, backprop, 0),
    {"BOM-12", stalls_saved, BOM, BASE, NULL, 15, NULL},
    {"BOM-13", stalls_kept, BOM, BASE, NULL, 0, NULL},
    {"BOM-14", reproduce_row_speedup_change, BOM, BOM_1X, NULL, 2.5, NULL},
    /* The thesis does not say whether with or without BOM: with it. */
    {"BOM-15", reproduce_row_energy_change, BOM, BASE, NULL, 5, NULL},
    {"BOM-16", reproduce_row_energy_least, BOM, BASE, NULL, 10, NULL},
    {"BOM-17", dram_mean, BOM, BASE, NULL, 8, NULL},
    {"BOM-18", dram_least, BOM, BASE, NULL, 15, NULL},
    {"BOM-19", link_mean, BOM, BASE, NULL, 5, NULL},
    {"BOM-20", block_time_ratio, BOM, BASE, NULL, 0, NULL},
    {"BOM-21", fast_block, BASE, BASE, bfs, 350, NULL},
    {"BOM-22", slow_block, BASE, BASE, bfs, 2000, NULL},
};

/* ---- claims ---- */

/* How many workloads but BFS and MUM gain more than one of these two. */
static double above_bfs_or_mum(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t of_bfs = reproduce_workload(d, bfs), of_mum = reproduce_workload(d, mum), count = 0;
	double least = fmin(reproduce_speedup(d, row->config, row->against, of_bfs),
			    reproduce_speedup(d, row->config, row->against, of_mum));

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double ratio = reproduce_speedup(d, row->config, row->against, w);

		if (isnan(ratio))
			return NAN;
		count += w != of_bfs && w != of_mum && ratio > least;
	}
	return count;
}

/* How many workloads whose stalls should fall have stalls that do not, against 23 cores or 15, or no moved block. */
static double stalls_not_falling(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		count += !is_in(stalling, d->paper->workloads[w]) &&
			 (moved(d, row->config, w) <= 0 || change_of_both(d, memory_stalls, row->config, w) >= 0);
	return isnan(stalls_saved(d, row)) ? NAN : (double)count;
}

/* From the 5 % of blocks with the shortest times to the 5 % with the longest, in cycles. */
static double block_time_range(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return reproduce_cta_quantile_cycles(d, config, w, 0.95) - reproduce_cta_quantile_cycles(d, config, w, 0.05);
}

/* Of the workloads shown. */
static double ranges_not_narrower(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t count = 0;

	for (uint32_t i = 0; shown[i]; i++) {
		uint32_t w = reproduce_workload(d, shown[i]);
		double more = block_time_range(d, row->config, w) -
			      fmin(block_time_range(d, BASE, w), block_time_range(d, BASE_15, w));

		if (isnan(more))
			return NAN;
		count += more >= 0;
	}
	return count;
}

#define GAIN(config, workload) OF(reproduce_row_speedup_change, config, BASE, workload)
#define OVER_15(config, workload) OF(reproduce_row_speedup_change, config, BASE_15, workload)
#define ENERGY(config) OF(reproduce_row_energy_change, config, BASE, NULL)

static const struct reproduce_claim claims[] = {
	{"B1 (a)", "PIM gains {=0} % and BOM {=1} % in the mean, each within {~0}",
	 "GPGPU+PIM {0:+.1} %, with BOM {1:+.1} %; against 15 cores {2:+.1} % and {3:+.1} %; diverged blocks too "
	 "{4:+.1} %",
	 {PUBLISHED("BOM-02"), PUBLISHED("BOM-01"), SHOWN(OVER_15(PIM, NULL)), SHOWN(OVER_15(BOM, NULL)),
	  SHOWN(GAIN(DIVERGED, NULL))}},
	{"B1 (b)", "PIM gains at least as much as BOM", "GPGPU+PIM {0:+.1} %, with BOM {1:+.1} %",
	 {MUST_THAN(REACH, 0, 1, GAIN(PIM, NULL)), SHOWN(GAIN(BOM, NULL))}},
	{"B2 (a)", "BFS and MUM gain most with BOM",
	 "BFS {0:+.1} %, MUM {1:+.1} %, {2} others above one of them; against 15 cores {3:+.1} %, {4:+.1} %, {5}",
	 {SHOWN(GAIN(BOM, bfs)), SHOWN(GAIN(BOM, mum)), MUST(NOT_EXCEED, 0, OF(above_bfs_or_mum, BOM, BASE, NULL)),
	  SHOWN(OVER_15(BOM, bfs)), SHOWN(OVER_15(BOM, mum)), SHOWN(OF(above_bfs_or_mum, BOM, BASE_15, NULL))}},
	{"B2 (b)", "LIB and b+tree gain more than LPS",
	 "LIB {0:+.1} %, b+tree {1:+.1} %, LPS {2:+.1} %; against 15 cores {3:+.1} %, {4:+.1} %, {5:+.1} %",
	 {MUST_THAN(EXCEED, 0, 2, GAIN(BOM, lib)), MUST_THAN(EXCEED, 0, 2, GAIN(BOM, btree)), SHOWN(GAIN(BOM, lps)),
	  SHOWN(OVER_15(BOM, lib)), SHOWN(OVER_15(BOM, btree)), SHOWN(OVER_15(BOM, lps))}},
	{"B2 (c)", "NQU is within {~0} % of the baseline", "NQU {0:+.1} %, against 15 cores {1:+.1} %",
	 {PUBLISHED("BOM-10"), SHOWN(OVER_15(BOM, nqu))}},
	{"B2 (d)", "backprop is the only loss",
	 "backprop {0:+.1} %, {1} workloads lose; against 15 cores {2:+.1} %, {3}",
	 {MUST(BE_BELOW, 0, GAIN(BOM, backprop)), NEAR(1, 0, OF(reproduce_row_speedup_losers, BOM, BASE, NULL)),
	  SHOWN(OVER_15(BOM, backprop)), SHOWN(OF(reproduce_row_speedup_losers, BOM, BASE_15, NULL))}},
	{"B3 (a)",
	 "memory stalls fall but in STO, b+tree and backprop, once by {=0} % at least, by moved blocks, over 23 cores "
	 "and 15",
	 "the largest fall is {0:+.1} %, {1} workloads do not fall or move no block",
	 {MUST(NOT_EXCEED, -40, OF(stalls_saved, BOM, BASE, NULL)),
	  MUST(NOT_EXCEED, 0, OF(stalls_not_falling, BOM, BASE, NULL))}},
	{"B3 (b)", "blocks on GPU cores take less time, in a narrower range, than on 23 cores and on 15",
	 "means at most {0:.2} of the baseline's; of three ranges (5 to 95 % of blocks) {1} are not narrower",
	 {MUST(BE_BELOW, 1, OF(block_time_ratio, BOM, BASE, NULL)),
	  MUST(NOT_EXCEED, 0, OF(ranges_not_narrower, BOM, BASE, NULL))}},
	{"B4 (a)", "2x internal bandwidth gains at most {=0} % over 1x", "2x is {0:+.1} % over 1x",
	 {MUST(NOT_EXCEED, 6, OF(reproduce_row_speedup_change, BOM, BOM_1X, NULL))}},
	{"B4 (b)", "energy falls by {=0} % within {~0}", "with BOM {0:+.1} %, without {1:+.1} %",
	 {PUBLISHED("BOM-15"), SHOWN(ENERGY(PIM))}},
	{"B4 (c)", "DRAM energy falls more than the total, by {=0} % within {~0}", "DRAM {0:+.1} %, all {1:+.1} %",
	 {PUBLISHED("BOM-17"), SHOWN(ENERGY(BOM)), MUST_THAN(BE_BELOW, 0, 1, OF(dram_mean, BOM, BASE, NULL))}},
};

static const struct reproduce_same same[] = {
	{"BOM-01", "B1 (a)"}, {"BOM-02", "B1 (a)"}, {"BOM-10", "B2 (c)"}, {"BOM-11", "B2 (d)"}, {"BOM-12", "B3 (a)"},
	{"BOM-14", "B4 (a)"}, {"BOM-15", "B4 (b)"}, {"BOM-17", "B4 (c)"}, {"BOM-20", "B3 (b)"},
};

static const struct reproduce_mean means[] = {{dram_mean, "arithmetic mean"}, {link_mean, "arithmetic mean"}};

/* ---- figures ---- */

static const char *const groups[] = {"bfs",      "libor", "lps",      "mum",      "nqueens", "ray",
				     "storegpu", "btree", "backprop", "gaussian", "mean"};
_Static_assert(ARRAY_COUNT(groups) == ARRAY_COUNT(workloads) + 1, "the workloads and their mean");

static const uint32_t systems[] = {PIM, BOM};
static const char *const system_names[] = {"GPGPU+PIM", "GPGPU+PIM+BOM"};

/* Relative to the baseline; the last group is the mean. */
static double ratio_bar(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t group)
{
	double change = group < d->paper->workload_count ? change_of(d, of, config, group) : change_mean(d, of, config);

	return 1 + change / 100;
}

static double stalls_bar(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	return ratio_bar(d, memory_stalls, systems[bar], group);
}

static quantity *const energies[] = {reproduce_energy_pj, dram_energy, link_energy};
static const char *const energy_names[] = {"all", "DRAM", "off-chip links"};

static double bom_energy_bar(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	return ratio_bar(d, energies[bar], BOM, group);
}

static double pim_energy_bar(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	return ratio_bar(d, energies[bar], PIM, group);
}

static const uint32_t performance[] = {BASE_15, PIM, BOM, DIVERGED};
static const uint32_t bandwidths[] = {BOM_1X, BOM};
static const uint32_t baseline[] = {BASE};
static const uint32_t block_times[] = {BASE, PIM, BOM};

static const struct reproduce_figure figures[] = {
	{"Figure 2: execution times of blocks on the baseline", REPRODUCE_PLOT_CTA_TIMES, baseline,
	 ARRAY_COUNT(baseline)},
	{"Figure 14: speed-up", REPRODUCE_PLOT_SPEEDUP, performance, ARRAY_COUNT(performance)},
	{"Figure 15: execution times of blocks on GPU cores", REPRODUCE_PLOT_CTA_TIMES, block_times,
	 ARRAY_COUNT(block_times)},
	{"Figure 17: internal bandwidth as large as external, and twice as large", REPRODUCE_PLOT_SPEEDUP, bandwidths,
	 ARRAY_COUNT(bandwidths)},
};

#define BARS(title, of, names) {title, of, names, ARRAY_COUNT(names), groups, ARRAY_COUNT(groups), NULL}

static const struct reproduce_chart charts[] = {
	BARS("Figure 16: stalls that wait for memory", stalls_bar, system_names),
	BARS("Figure 18: energy with BOM", bom_energy_bar, energy_names),
	BARS("Figure 19: energy without BOM", pim_energy_bar, energy_names),
};

const struct reproduce_paper reproduce_bom = {
	.name = "bom",
	.title = "BOM (MSc thesis 2017)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	.quick_arguments = arguments,
	.full_arguments = arguments,
	.full_sets = "", /* section 5.5: applications run to their end */
	REPRODUCE_TABLE(row),
	.same = same,
	.same_count = ARRAY_COUNT(same),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(mean),
	REPRODUCE_TABLE(figure),
	REPRODUCE_TABLE(chart),
};
