/* bom.c - the evaluation of BOM (MSc thesis 2017): figures 2 and 14 to 19, sections 2 and 5.5. */
#include "base/check.h"
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

/* Change over the baseline in per cent. */
static double change_of(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t w)
{
	return 100 * (of(d, config, w) / of(d, BASE, w) - 1);
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

static double points_over_pim(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * (reproduce_speedup_mean(d, row->config, BASE) - reproduce_speedup_mean(d, row->against, BASE));
}

static double stalls_saved(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_least(d, memory_stalls, row->config, stalling, false);
}

static double stalls_kept(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return change_least(d, memory_stalls, row->config, stalling, true);
}

static double bandwidth_gain(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * (reproduce_speedup_mean(d, row->config, row->against) - 1);
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

/* The largest of the three shown: all must be below 1. */
static double block_time_ratio(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double most = 0;

	for (uint32_t i = 0; shown[i]; i++) {
		uint32_t w = reproduce_workload(d, shown[i]);
		double ratio = reproduce_cta_mean_cycles(d, row->config, w) / reproduce_cta_mean_cycles(d, BASE, w);

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
    {"BOM-03", points_over_pim, BOM, PIM, NULL, 6, NULL},
    {"BOM-04", reproduce_row_speedup, BOM, BASE, bfs, 0.5, NULL},
    CHANGE("BOM-05", BOM, mum, 25),
    CHANGE("BOM-06", BOM, lib, 15),
    CHANGE("BOM-07", BOM, btree, 15),
    CHANGE("BOM-08", BOM, lps, 5),
    CHANGE("BOM-09", BOM, sto, 8),
    CHANGE("BOM-10", BOM, nqu, 5),
    CHANGE("BOM-11", BOM, backprop, 0),
    {"BOM-12", stalls_saved, BOM, BASE, NULL, 15, NULL},
    {"BOM-13", stalls_kept, BOM, BASE, NULL, 0, NULL},
    {"BOM-14", bandwidth_gain, BOM, BOM_1X, NULL, 2.5, NULL},
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

static double gain(const struct reproduce_data *d, uint32_t config, const char *workload)
{
	const struct reproduce_row row = {.config = config, .against = BASE, .workload = workload};

	return reproduce_row_speedup_change(d, &row);
}

static int holds(bool is_true, double a, double b)
{
	return isnan(a) || isnan(b) ? -1 : is_true;
}

static int b1a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double pim = gain(d, PIM, NULL), bom = gain(d, BOM, NULL);

	snprintf(seen, size, "GPGPU+PIM %+.1f %%, with BOM %+.1f %%; against 15 cores %+.1f %% and %+.1f %%", pim, bom,
		 100 * (reproduce_speedup_mean(d, PIM, BASE_15) - 1),
		 100 * (reproduce_speedup_mean(d, BOM, BASE_15) - 1));
	return holds(fabs(pim - 36) <= 15 && fabs(bom - 30) <= 15, pim, bom);
}

static int b1b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double pim = gain(d, PIM, NULL), bom = gain(d, BOM, NULL);

	snprintf(seen, size, "GPGPU+PIM %+.1f %%, with BOM %+.1f %%", pim, bom);
	return holds(pim >= bom, pim, bom);
}

static int b2a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_bfs = gain(d, BOM, bfs), of_mum = gain(d, BOM, mum), least = fmin(of_bfs, of_mum);
	uint32_t above = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		const char *name = d->paper->workloads[w];

		above += g_strcmp0(name, bfs) && g_strcmp0(name, mum) && gain(d, BOM, name) > least;
	}
	snprintf(seen, size, "BFS %+.1f %%, MUM %+.1f %%, %u others above one of them", of_bfs, of_mum, above);
	return holds(!above, of_bfs + of_mum, gain(d, BOM, NULL));
}

static int b2b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_lib = gain(d, BOM, lib), of_btree = gain(d, BOM, btree), of_lps = gain(d, BOM, lps);

	snprintf(seen, size, "LIB %+.1f %%, b+tree %+.1f %%, LPS %+.1f %%", of_lib, of_btree, of_lps);
	return holds(of_lib > of_lps && of_btree > of_lps, of_lib + of_btree, of_lps);
}

static int b2c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_nqu = gain(d, BOM, nqu);

	snprintf(seen, size, "NQU %+.1f %%, against 15 cores %+.1f %%", of_nqu,
		 100 * (reproduce_speedup(d, BOM, BASE_15, reproduce_workload(d, nqu)) - 1));
	return holds(fabs(of_nqu) <= 5, of_nqu, 0);
}

static int b2d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_backprop = gain(d, BOM, backprop);
	uint32_t losses = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		losses += gain(d, BOM, d->paper->workloads[w]) < 0;
	snprintf(seen, size, "backprop %+.1f %%, %u workloads lose", of_backprop, losses);
	return holds(of_backprop < 0 && losses == 1, of_backprop, gain(d, BOM, NULL));
}

static int b3a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double least = change_least(d, memory_stalls, BOM, stalling, false);
	uint32_t risen = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		risen += !is_in(stalling, d->paper->workloads[w]) && change_of(d, memory_stalls, BOM, w) >= 0;
	snprintf(seen, size, "the largest fall is %+.1f %%, %u workloads do not fall", least, risen);
	return holds(least <= -40 && !risen, least, 0);
}

static int b3b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = BOM};
	double ratio = block_time_ratio(d, &row);
	uint32_t wider = 0;

	for (uint32_t i = 0; shown[i]; i++) {
		uint32_t w = reproduce_workload(d, shown[i]);
		double range[2];

		for (uint32_t c = 0; c < 2; c++)
			range[c] = reproduce_cta_quantile_cycles(d, c ? BOM : BASE, w, 0.95) -
				   reproduce_cta_quantile_cycles(d, c ? BOM : BASE, w, 0.05);
		wider += !(range[1] < range[0]);
	}
	snprintf(seen, size,
		 "means at most %.2f of the baseline's; of three ranges (5 to 95 %% of blocks) %u are not narrower",
		 ratio, wider);
	return holds(ratio < 1 && !wider, ratio, 0);
}

static int b4a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = BOM, .against = BOM_1X};
	double more = bandwidth_gain(d, &row);

	snprintf(seen, size, "2x is %+.1f %% over 1x", more);
	return holds(more <= 6, more, 0);
}

static int b4b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double bom = change_mean(d, reproduce_energy_pj, BOM), pim = change_mean(d, reproduce_energy_pj, PIM);

	snprintf(seen, size, "with BOM %+.1f %%, without %+.1f %%", bom, pim);
	return holds(fabs(bom + 5) <= 5, bom, pim);
}

static int b4c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double dram = change_mean(d, dram_energy, BOM), all = change_mean(d, reproduce_energy_pj, BOM);

	snprintf(seen, size, "DRAM %+.1f %%, all %+.1f %%", dram, all);
	return holds(dram < all && fabs(dram + 11) <= 8, dram, all);
}

static const struct reproduce_claim claims[] = {
    {"B1", "B1 (a)", "PIM gains 36 % and BOM 30 % in the mean, each within 15", false, b1a},
    {"B1", "B1 (b)", "PIM gains at least as much as BOM", true, b1b},
    {"B2", "B2 (a)", "BFS and MUM gain most with BOM", true, b2a},
    {"B2", "B2 (b)", "LIB and b+tree gain more than LPS", true, b2b},
    {"B2", "B2 (c)", "NQU is within 5 % of the baseline", false, b2c},
    {"B2", "B2 (d)", "backprop is the only loss", true, b2d},
    {"B3", "B3 (a)", "memory stalls fall but in STO, b+tree and backprop, once by 40 % at least", true, b3a},
    {"B3", "B3 (b)", "blocks on GPU cores take less time, in a narrower range", true, b3b},
    {"B4", "B4 (a)", "2x internal bandwidth gains at most 6 % over 1x", false, b4a},
    {"B4", "B4 (b)", "energy falls by 5 % within 5", false, b4b},
    {"B4", "B4 (c)", "DRAM energy falls more than the total, by 11 % within 8", false, b4c},
};

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

static const uint32_t performance[] = {BASE_15, PIM, BOM};
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

#define BARS(title, of, names) {title, of, names, ARRAY_COUNT(names), groups, ARRAY_COUNT(groups)}

static const struct reproduce_chart charts[] = {
	BARS("Figure 16: stalls that wait for memory", stalls_bar, system_names),
	BARS("Figure 18: energy with BOM", bom_energy_bar, energy_names),
	BARS("Figure 19: energy without BOM", pim_energy_bar, energy_names),
};

const struct reproduce_paper reproduce_bom = {
	.name = "bom",
	.title = "BOM (MSc thesis 2017)",
	.configs = configs,
	.config_count = ARRAY_COUNT(configs),
	.workloads = workloads,
	.workload_count = ARRAY_COUNT(workloads),
	.quick_arguments = arguments,
	.full_arguments = arguments,
	.full_sets = "", /* section 5.5: applications run to their end */
	.rows = rows,
	.row_count = ARRAY_COUNT(rows),
	.claims = claims,
	.claim_count = ARRAY_COUNT(claims),
	.figures = figures,
	.figure_count = ARRAY_COUNT(figures),
	.charts = charts,
	.chart_count = ARRAY_COUNT(charts),
};
