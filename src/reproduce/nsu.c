/* nsu.c - the evaluation of NSU (SC'17): figures 5 and 7 to 11, sections 4.1.1, 4.2, 5, 6 and 7. */
#include "base/check.h"
#include "ndp/nsu/target_study.h"
#include "reproduce/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	BASE,
	MORECORE,
	NAIVE,
	STATIC_015,
	STATIC_02,
	STATIC_04,
	STATIC_06,
	STATIC_08,
	DYN,
	CACHE,
	SLOW,
	BASE_2X,
	CACHE_2X,
	DYN_TMAP,
};

/* Names as in the paper's figures. NDP(1.0) is NaiveNDP: every instance of every block. Section 7.3 doubles the compute
 * units, section 7.6 halves the units' clock. */
static const struct reproduce_config configs[] = {
	[BASE] = {"Baseline", "nsu-baseline", "", NULL},
	[MORECORE] = {"Baseline_MoreCore", "nsu-morecore", "", NULL},
	[NAIVE] = {"NaiveNDP", "nsu-naive", "", NULL},
	[STATIC_015] = {"NDP(0.15)", "nsu-static", "ndp.nsu_ratio=0.15", NULL},
	[STATIC_02] = {"NDP(0.2)", "nsu-static", "ndp.nsu_ratio=0.2", NULL},
	[STATIC_04] = {"NDP(0.4)", "nsu-static", "ndp.nsu_ratio=0.4", NULL},
	[STATIC_06] = {"NDP(0.6)", "nsu-static", "ndp.nsu_ratio=0.6", NULL},
	[STATIC_08] = {"NDP(0.8)", "nsu-static", "ndp.nsu_ratio=0.8", NULL},
	[DYN] = {"NDP(Dyn)", "nsu-dyn", "", NULL},
	[CACHE] = {"NDP(Dyn)_Cache", "nsu-dyn-cache", "", NULL},
	[SLOW] = {"NDP(Dyn)_Cache, 175 MHz", "nsu-dyn-cache", "nsu.clock_khz=175000", NULL},
	[BASE_2X] = {"Baseline, 2x SMs", "nsu-baseline", "gpu.sm_count=128", NULL},
	[CACHE_2X] = {"NDP(Dyn)_Cache, 2x SMs", "nsu-dyn-cache", "gpu.sm_count=128", NULL},
	[DYN_TMAP] = {"NDP(Dyn), TOM's mapping", "nsu-dyn-tmap", "", NULL}, /* beyond the paper */
};

/* Section 7.1's sweep, 1.0 last. */
static const uint32_t static_configs[] = {STATIC_02, STATIC_04, STATIC_06, STATIC_08, NAIVE};

/* Table 1, by our names: BPROP, BFS, BICG, FWT, KMN, MiniFE, SP, STN, STCL, VADD. */
static const char *const workloads[] = {"backprop", "bfs",	  "bicg",    "fwt",	      "kmeans",
					"minife",   "scalarprod", "stencil", "streamcluster", "vectoradd"};
static const char bprop[] = "backprop", bfs[] = "bfs", bicg[] = "bicg", kmn[] = "kmeans", sp[] = "scalarprod",
		  stn[] = "stencil", stcl[] = "streamcluster", vadd[] = "vectoradd";

/* Inputs of a quick run: the paper's shapes, made so much smaller that a run takes seconds; several waves of CTAs, more
 * data than the L2, and some ten epochs or more of the hill climbing. */
static const char *const quick_arguments[] = {
	"--inputs 65536",
	"--nodes 100000",
	"--rows 2048",
	"--data 18 --kernel 14",
	"--objects 28000 --features 46 --iterations 1 --by-object 1",
	"--nx 96 --ny 48 --nz 48 --iterations 1",
	"--pairs 512 --elements 12288",
	"--nx 256 --ny 256 --nz 24 --sweeps 2",
	"--points 16384 --dimensions 128 --candidates 2",
	"--elements 5000000",
};
/* Table 1's. It lists no block of a kernel that turns KMN's features, so none does: see decision 0014. */
static const char *const full_arguments[] = {
	"--size paper", "--size paper", "--size paper", "--size paper", "--size paper --by-object 1",
	"--size paper", "--size paper", "--size paper", "--size paper", "--size paper",
};
_Static_assert(ARRAY_COUNT(quick_arguments) == ARRAY_COUNT(workloads), "one per workload");
_Static_assert(ARRAY_COUNT(full_arguments) == ARRAY_COUNT(workloads), "one per workload");

/* ---- measures ---- */

static double change_of(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return 100 * (reproduce_speedup(d, config, BASE, w) - 1);
}

/* The largest change of a workload over the static ratios; NAN when one is missing. */
static double best_static(const struct reproduce_data *d, uint32_t w)
{
	double best = -100;

	for (uint32_t i = 0; i < ARRAY_COUNT(static_configs); i++) {
		double of = change_of(d, static_configs[i], w);

		if (isnan(of))
			return NAN;
		best = of > best ? of : best;
	}
	return best;
}

static double best_static_of(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return best_static(d, reproduce_workload(d, row->workload));
}

/* How many workloads gain more by their best static ratio than row->workload by its own. */
static double best_static_above(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double limit = best_static_of(d, row);
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double best = best_static(d, w);

		if (isnan(best))
			return NAN;
		count += best > limit;
	}
	return count;
}

/* Section 7.1: those that lose at every ratio. */
static const char *const static_losers[] = {bprop, bicg, stn, stcl};

/* How many of the losers lose (is_loser) or of the others gain, by their best static ratio. */
static double as_section_7_1(const struct reproduce_data *d, bool is_loser)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double best = best_static(d, w);
		bool is_listed = false;

		if (isnan(best))
			return NAN;
		for (uint32_t i = 0; i < ARRAY_COUNT(static_losers); i++)
			is_listed = is_listed || !strcmp(static_losers[i], d->paper->workloads[w]);
		count += is_listed == is_loser && (is_loser ? best < 0 : best > 0);
	}
	return count;
}

static double losers_losing(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)row;
	return as_section_7_1(d, true);
}

static double others_gaining(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)row;
	return as_section_7_1(d, false);
}

/* Section 7.1's "several other workloads": FWT, MiniFE, SP and VADD by elimination. */
static double best_static_others(const struct reproduce_data *d, const struct reproduce_row *row)
{
	static const char *const others[] = {"fwt", "minife", "scalarprod", "vectoradd"};
	double sum = 0;

	(void)row;
	for (uint32_t i = 0; i < ARRAY_COUNT(others); i++)
		sum += best_static(d, reproduce_workload(d, others[i]));
	return sum / ARRAY_COUNT(others);
}

/* The largest change of a configuration, of all workloads or of all but row->workload. */
static double most_except(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double most = -100;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double of = change_of(d, row->config, w);

		if (row->workload && w == reproduce_workload(d, row->workload))
			continue;
		if (isnan(of))
			return NAN;
		most = of > most ? of : most;
	}
	return most;
}

static double dyn_against_static(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t w = reproduce_workload(d, row->workload);

	return 100 * ((100 + change_of(d, DYN, w)) / (100 + best_static(d, w)) - 1);
}

/* The ratio furthest from 1 of all workloads but row->workload. */
static double ratio_furthest(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double furthest = 1;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double ratio = reproduce_speedup(d, row->config, row->against, w);

		if (w == reproduce_workload(d, row->workload))
			continue;
		if (isnan(ratio))
			return NAN;
		furthest = fabs(ratio - 1) > fabs(furthest - 1) ? ratio : furthest;
	}
	return furthest;
}

/* The workload other than row->workload whose changes are furthest apart, and by how many percentage points. */
static double points_find(const struct reproduce_data *d, const struct reproduce_row *row, uint32_t *which)
{
	double furthest = 0;

	*which = 0;
	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double points = change_of(d, row->config, w) - change_of(d, row->against, w);

		if (w == reproduce_workload(d, row->workload))
			continue;
		if (isnan(points))
			return NAN;
		if (fabs(points) > fabs(furthest)) {
			furthest = points;
			*which = w;
		}
	}
	return furthest;
}

static double points_furthest(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t which;

	return points_find(d, row, &which);
}

static double workload_furthest(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t which;

	return isnan(points_find(d, row, &which)) ? NAN : (double)which;
}

static double stat(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *name)
{
	return reproduce_number(d, config, w, "stats", name);
}

static double param(const struct reproduce_data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, 0, "params", name);
}

static double l2_read_hits(const struct reproduce_data *d, const struct reproduce_row *row)
{
	uint32_t w = reproduce_workload(d, row->workload);

	return 100 * stat(d, row->config, w, "l2.read_hits") / stat(d, row->config, w, "l2.reads");
}

typedef double of_workload(const struct reproduce_data *d, uint32_t config, uint32_t w);

static double mean_of(const struct reproduce_data *d, of_workload *of, uint32_t config)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += of(d, config, w);
	return sum / d->paper->workload_count;
}

static double most_of(const struct reproduce_data *d, of_workload *of, uint32_t config)
{
	double most = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double value = of(d, config, w);

		if (isnan(value))
			return NAN;
		most = value > most ? value : most;
	}
	return most;
}

/* Section 4.2: invalidations in per cent of the traffic of the GPU's links without them. */
static double invalidations(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	double bytes = stat(d, config, w, "packet.invalidation_bytes");
	double all = reproduce_number(d, config, w, "traffic_bytes", "tx") +
		     reproduce_number(d, config, w, "traffic_bytes", "rx");

	return 100 * bytes / (all - bytes);
}

/* Section 7.5: warps in per cent of a unit's slots, over the time of the kernels. */
static double occupancy(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return 100 * stat(d, config, w, "nsu.warp_cycles") /
	       (stat(d, config, w, "nsu.cycles") * param(d, config, "nsu.warp_slot_count"));
}

/* Section 7.5: code that ran, in per cent of the instruction cache. */
static double code_share(const struct reproduce_data *d, uint32_t config, uint32_t w)
{
	return 100 * stat(d, config, w, "nsu.code_bytes") / param(d, config, "nsu.inst_cache_bytes");
}

static double invalidations_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return mean_of(d, invalidations, row->config);
}

static double invalidations_most(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return most_of(d, invalidations, row->config);
}

/* Of one workload. */
static double occupancy_of(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return occupancy(d, row->config, reproduce_workload(d, row->workload));
}

static double occupancy_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return mean_of(d, occupancy, row->config);
}

static double occupancy_most(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return most_of(d, occupancy, row->config);
}

static double code_share_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return mean_of(d, code_share, row->config);
}

static double code_share_most(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return most_of(d, code_share, row->config);
}

/* Entries of 8 B (Table 2). */
static double buffer_kb(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return (param(d, row->config, "nsu.pending_entry_count") + param(d, row->config, "nsu.ready_entry_count")) * 8 /
	       1024;
}

/* Caches and scratchpad of Table 2; register files are not counted. */
static double buffer_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double sms = param(d, row->config, "gpu.sm_count");
	double per_sm = param(d, row->config, "l1d.size_bytes") + param(d, row->config, "l1i.size_bytes") +
			param(d, row->config, "sm.shared_bytes");

	return 100 * sms * buffer_kb(d, row) * 1024 / (sms * per_sm + param(d, row->config, "l2.size_bytes"));
}

/* Section 5: 32-bit registers per thread that a block sends or returns, mean over the blocks of all workloads. */
static double registers(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double words = 0, blocks = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		words += stat(d, row->config, w, row->stat);
		blocks += stat(d, row->config, w, "nsu_control.code_blocks");
	}
	return words / blocks;
}

static double target_ratio(uint32_t access_count)
{
	return nsu_target_first(access_count, 8) / nsu_target_best(access_count, 8);
}

/* The number of accesses at which the first access' stack is the worst target. */
static uint32_t target_worst(void)
{
	uint32_t worst = 2;
	double most = target_ratio(worst);

	for (uint32_t n = worst + 1; n <= NSU_TARGET_ACCESS_MAX; n++) {
		double ratio = target_ratio(n);

		if (ratio > most) {
			most = ratio;
			worst = n;
		}
	}
	return worst;
}

static double target_added(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return 100 * (target_ratio(target_worst()) - 1);
}

static double target_most(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return target_ratio(target_worst());
}

static double target_most_accesses(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return target_worst();
}

/* 1: the ratio falls with every access more than the worst number; 0: it does not. */
static double target_falls(const struct reproduce_data *d, const struct reproduce_row *row)
{
	bool is_falling = true;

	(void)d;
	(void)row;
	for (uint32_t n = target_worst() + 1; n <= NSU_TARGET_ACCESS_MAX; n++)
		is_falling = is_falling && target_ratio(n) < target_ratio(n - 1);
	return is_falling;
}

/* ---- rows ---- */

#define CHANGE(id, c, a, w, t) {id, reproduce_row_speedup_change, c, a, w, t, NULL}

static const struct reproduce_row rows[] = {
	CHANGE("NSU-01", DYN, BASE, kmn, 20),
	CHANGE("NSU-02", CACHE, BASE, NULL, 8),
	CHANGE("NSU-03", DYN, BASE, NULL, 8),
	CHANGE("NSU-04", NAIVE, BASE, stn, 10),
	CHANGE("NSU-05", NAIVE, BASE, NULL, 15),
	{"NSU-06", most_except, NAIVE, BASE, NULL, 0, NULL},
	{"NSU-07", most_except, MORECORE, BASE, kmn, 0, NULL},
	CHANGE("NSU-08", MORECORE, BASE, kmn, 10),
	{"NSU-09", best_static_of, NAIVE, BASE, kmn, 20, NULL},
	{"NSU-10", best_static_others, NAIVE, BASE, NULL, 10, NULL},
	CHANGE("NSU-11", STATIC_04, BASE, bfs, 15),
	{"NSU-12", best_static_of, NAIVE, BASE, bprop, 0, NULL},
	{"NSU-13", best_static_of, NAIVE, BASE, bicg, 0, NULL},
	{"NSU-14", best_static_of, NAIVE, BASE, stn, 0, NULL},
	{"NSU-15", best_static_of, NAIVE, BASE, stcl, 0, NULL},
	CHANGE("NSU-16", STATIC_015, BASE, bicg, 8),
	{"NSU-17", l2_read_hits, BASE, BASE, stn, 15, NULL},
	CHANGE("NSU-19", DYN, BASE, vadd, 10),
	{"NSU-20", dyn_against_static, DYN, BASE, vadd, 6, NULL},
	CHANGE("NSU-21", DYN, BASE, stn, 10),
	{"NSU-22", reproduce_row_speedup, CACHE, DYN, stn, 0, NULL},
	{"NSU-23", ratio_furthest, CACHE, DYN, stn, 0.03, NULL},
	CHANGE("NSU-24", CACHE_2X, BASE_2X, NULL, 7),
	{"NSU-25", reproduce_row_energy_least, DYN, BASE, NULL, 15, NULL},
	{"NSU-26", reproduce_row_energy_change, DYN, BASE, NULL, 5, NULL},
	{"NSU-27", reproduce_row_energy_change, CACHE, BASE, NULL, 5, NULL},
	{"NSU-28", reproduce_row_energy_change, MORECORE, BASE, NULL, 2, NULL},
	{"NSU-29", buffer_kb, NAIVE, BASE, NULL, 0.01, NULL},
	{"NSU-30", buffer_share, NAIVE, BASE, NULL, 0.3, NULL},
	{"NSU-31", code_share_mean, CACHE, BASE, NULL, 15, NULL},
	{"NSU-32", occupancy_most, CACHE, BASE, NULL, 15, NULL},
	{"NSU-33", occupancy_mean, CACHE, BASE, NULL, 12, NULL},
	CHANGE("NSU-34", SLOW, BASE, kmn, 20),
	CHANGE("NSU-35", SLOW, BASE, NULL, 8),
	{"NSU-36", invalidations_most, CACHE, BASE, NULL, 1.5, NULL},
	{"NSU-37", invalidations_mean, CACHE, BASE, NULL, 0.6, NULL},
	{"NSU-38", target_added, BASE, BASE, NULL, 0, NULL},
	{"NSU-39", registers, NAIVE, BASE, NULL, 0.1, "nsu_control.code_send_words"}, /* a quarter of either */
	{"NSU-40", registers, NAIVE, BASE, NULL, 0.12, "nsu_control.code_return_words"},
};

/* ---- claims ---- */

#define GAIN(config, workload) OF(reproduce_row_speedup_change, config, BASE, workload)
#define ENERGY(config) OF(reproduce_row_energy_change, config, BASE, NULL)

static const char *const falling[] = {"not falling", "falling"};

static const struct reproduce_claim claims[] = {
	{"N1 (a)", "NaiveNDP slows every workload", "the least loss is {0:+.1} %",
	 {MUST(BE_BELOW, 0, OF(most_except, NAIVE, BASE, NULL))}},
	{"N1 (b)", "its mean is {=0:+} % within {~0}", "mean {0:+.1} %", {PUBLISHED("NSU-05")}},
	{"N1 (c)", "STN loses most or second most, {=0:+} % within {~0}", "STN {0:+.1} %, {1} workloads lose more",
	 {PUBLISHED("NSU-04"), MUST(NOT_EXCEED, 1, OF(reproduce_row_speedup_below, NAIVE, BASE, stn))}},
	{"N2 (a)", "eight more SMs gain at most {=0} % on all but KMN", "all but KMN: at most {0:+.1} %",
	 {MUST(NOT_EXCEED, 5, OF(most_except, MORECORE, BASE, kmn))}},
	{"N2 (b)", "KMN gains {=0} to {=1} % by them", "KMN {0:+.1} %",
	 {MUST(REACH, 15, GAIN(MORECORE, kmn)), MUST(NOT_EXCEED, 35, GAIN(MORECORE, kmn))}},
	{"N3 (a)", "BPROP, BICG, STN and STCL lose at every ratio from 0.2; each other gains at one",
	 "{0} of BPROP, BICG, STN, STCL lose at every ratio; {1} of the other six gain at one",
	 {MUST(REACH, 4, OF(losers_losing, NAIVE, BASE, NULL)),
	  MUST(REACH, 6, OF(others_gaining, NAIVE, BASE, NULL))}},
	{"N3 (b)", "KMN gains most by its best ratio, {=0} % within {~0}", "KMN {0:+.1} %, {1} workloads gain more",
	 {PUBLISHED("NSU-09"), MUST(NOT_EXCEED, 0, OF(best_static_above, NAIVE, BASE, kmn))}},
	{"N3 (c)", "BFS gains {=0} % within {~0} at 0.4", "BFS {0:+.1} %", {PUBLISHED("NSU-11")}},
	{"N3 (d)", "BICG gains {=0} % within {~0} at 0.15", "BICG {0:+.1} %",
	 {PUBLISHED("NSU-16"), MUST(EXCEED, 0, GAIN(STATIC_015, bicg))}},
	{"N4 (a)", "the hill climbing's mean is {=0:+} % within {~0}", "mean {0:+.1} %",
	 {PUBLISHED("NSU-03"), MUST(EXCEED, 0, GAIN(DYN, NULL))}},
	{"N4 (b)", "KMN gains most by it", "KMN {0:+.1} %, the best other {1:+.1} %",
	 {MUST_THAN(EXCEED, 0, 1, GAIN(DYN, kmn)), SHOWN(OF(most_except, DYN, BASE, kmn))}},
	{"N4 (c)", "VADD is within {=1} % of its best ratio, and above {=0:+} %",
	 "VADD {0:+.1} %, {1:+.1} % against its best static ratio",
	 {MUST(EXCEED, 15, GAIN(DYN, vadd)), MUST(REACH, -15, OF(dyn_against_static, DYN, BASE, vadd))}},
	{"N4 (d)", "STN loses by it, {=0:+} % within {~0}", "STN {0:+.1} %",
	 {PUBLISHED("NSU-21"), MUST(BE_BELOW, 0, GAIN(DYN, stn))}},
	{"N5 (a)", "cache awareness does not harm STN, which is then above {=2:+} %",
	 "STN {0:+.1} % with awareness, {1:+.1} % without",
	 {MUST_THAN(REACH, 0, 1, GAIN(CACHE, stn)), SHOWN(GAIN(DYN, stn)), MUST(EXCEED, -5, GAIN(CACHE, stn))}},
	{"N5 (b)", "every other workload is within {~1} points of NDP(Dyn)",
	 "the furthest other is {0:s}, {1:+.1} points",
	 {WORD(workloads, NOTHING, 0, OF(workload_furthest, CACHE, DYN, stn)),
	  NEAR(0, 3, OF(points_furthest, CACHE, DYN, stn))}},
	{"N5 (c)", "the mean is above NDP(Dyn)'s, by {=2} points within {~2}",
	 "mean {0:+.1} % with awareness, {1:+.1} % without",
	 {MUST_THAN(EXCEED, 0, 1, GAIN(CACHE, NULL)), SHOWN(GAIN(DYN, NULL)),
	  NEAR(3, 3, OF(reproduce_row_speedup_points, CACHE, DYN, NULL))}},
	{"N6 (a)", "NDP(Dyn) saves energy, {=0} % within {~0}", "mean {0:+.1} %",
	 {PUBLISHED("NSU-26"), MUST(BE_BELOW, 0, ENERGY(DYN))}},
	{"N6 (b)", "NDP(Dyn)_Cache saves more", "mean {0:+.1} % with awareness, {1:+.1} % without",
	 {MUST_THAN(BE_BELOW, 0, 1, ENERGY(CACHE)), SHOWN(ENERGY(DYN))}},
	{"N6 (c)", "KMN saves most", "KMN {0:+.1} %, the largest saving {1:+.1} %",
	 {MUST_THAN(NOT_EXCEED, 0, 1, OF(reproduce_row_energy_change, DYN, BASE, kmn)),
	  SHOWN(OF(reproduce_row_energy_least, DYN, BASE, NULL))}},
	{"N6 (d)", "Baseline_MoreCore's energy is within {~0} % of the baseline's", "mean {0:+.1} %",
	 {PUBLISHED("NSU-28")}},
	{"N7 (a)", "the mean at 175 MHz is within {~0} points of 350 MHz",
	 "mean {0:+.1} % at 175 MHz, {1:+.1} % at 350 MHz",
	 {NEAR_TERM(1, 6, GAIN(SLOW, NULL)), SHOWN(GAIN(CACHE, NULL))}},
	{"N7 (b)", "with twice the SMs the gain is above {=2}, below the default's, {=0} % within {~0}",
	 "mean {0:+.1} % with twice the SMs, {1:+.1} % without",
	 {PUBLISHED("NSU-24"), SHOWN(GAIN(CACHE, NULL)),
	  MUST(EXCEED, 0, OF(reproduce_row_speedup_change, CACHE_2X, BASE_2X, NULL)),
	  MUST_THAN(BE_BELOW, 0, 1, OF(reproduce_row_speedup_change, CACHE_2X, BASE_2X, NULL))}},
	{"N8 (a)", "invalidations add at most {=0} % of traffic, {=1} % in the mean",
	 "at most {0:.2} %, mean {1:.2} %",
	 {MUST(NOT_EXCEED, 3, OF(invalidations_most, CACHE, BASE, NULL)),
	  MUST(NOT_EXCEED, 1, OF(invalidations_mean, CACHE, BASE, NULL))}},
	{"N8 (b)", "a unit's code takes at most {=0} % of its instruction cache", "at most {0:.1} %",
	 {MUST(NOT_EXCEED, 40, OF(code_share_most, CACHE, BASE, NULL))}},
	{"N8 (c)", "a unit's warps take at most {=0} % of its slots in the mean, SP's most",
	 "mean {0:.1} %, SP {1:.1} %, most {2:.1} %",
	 {MUST(NOT_EXCEED, 35, OF(occupancy_mean, CACHE, BASE, NULL)),
	  MUST_THAN(REACH, 0, 2, OF(occupancy_of, CACHE, BASE, sp)), SHOWN(OF(occupancy_most, CACHE, BASE, NULL))}},
	{"N9", "the first access' stack costs at most {=0} of the best, at six accesses",
	 "largest ratio {0:.4} at {1} accesses, {2:s} after",
	 {NEAR(1.145, 0.0005, OF(target_most, BASE, BASE, NULL)),
	  NEAR(6, 0, OF(target_most_accesses, BASE, BASE, NULL)),
	  WORD(falling, REACH, 1, OF(target_falls, BASE, BASE, NULL))}},
};

/* Numbers that claims judge. */
static const struct reproduce_same same[] = {
	{"NSU-03", "N4 (a)"}, {"NSU-04", "N1 (c)"}, {"NSU-05", "N1 (b)"}, {"NSU-06", "N1 (a)"}, {"NSU-07", "N2 (a)"},
	{"NSU-08", "N2 (b)"}, {"NSU-09", "N3 (b)"}, {"NSU-11", "N3 (c)"}, {"NSU-12", "N3 (a)"}, {"NSU-13", "N3 (a)"},
	{"NSU-14", "N3 (a)"}, {"NSU-15", "N3 (a)"}, {"NSU-16", "N3 (d)"}, {"NSU-19", "N4 (c)"}, {"NSU-20", "N4 (c)"},
	{"NSU-21", "N4 (d)"}, {"NSU-22", "N5 (a)"}, {"NSU-23", "N5 (b)"}, {"NSU-24", "N7 (b)"}, {"NSU-26", "N6 (a)"},
	{"NSU-28", "N6 (d)"}, {"NSU-33", "N8 (c)"}, {"NSU-36", "N8 (a)"}, {"NSU-37", "N8 (a)"}, {"NSU-38", "N9"},
};

static const struct reproduce_mean means[] = {
	{best_static_others, "arithmetic mean"}, {code_share_mean, "arithmetic mean"},
	{occupancy_mean, "arithmetic mean"},	 {invalidations_mean, "arithmetic mean"},
	{registers, "arithmetic mean"},
};

/* ---- figures ---- */

enum { FIGURE_5_MAX = 24 };
static const char *const accesses[FIGURE_5_MAX] = {"1",	 "2",  "3",  "4",  "5",	 "6",  "7",  "8",
						   "9",	 "10", "11", "12", "13", "14", "15", "16",
						   "17", "18", "19", "20", "21", "22", "23", "24"};
static const char *const targets[] = {"first access' stack, per access", "best stack, per access", "first over best"};

static double figure_5(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	uint32_t n = group + 1;

	(void)d;
	if (bar < 2)
		return (bar ? nsu_target_best(n, 8) : nsu_target_first(n, 8)) / n;
	return n > 1 ? target_ratio(n) : NAN;
}

/* The paper's classes of scheduler cycles without issue. */
static const char *const execution_busy[] = {"sm.stall_lsu", "sm.stall_unit", NULL};
static const char *const dependency[] = {"sm.stall_execution", "sm.stall_memory", "sm.stall_fence", NULL};
static const char *const idle[] = {"sm.stall_fetch", "sm.stall_barrier", "sm.stall_offload",
				   "sm.stall_pause", "sm.stall_idle",	 NULL};
static const char *const *const stall_classes[] = {execution_busy, dependency, idle};
static const char *const figure_8_bars[] = {"Baseline: ExecUnitBusy", "Baseline: Dependency stall",
					    "Baseline: Warp idle",    "NaiveNDP: ExecUnitBusy",
					    "NaiveNDP: Dependency stall", "NaiveNDP: Warp idle"};

static double stalls(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *const *names)
{
	double sum = 0;

	for (; *names; names++)
		sum += stat(d, config, w, *names);
	return sum;
}

static double figure_8(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	double all = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(stall_classes); i++)
		all += stalls(d, BASE, group, stall_classes[i]);
	return stalls(d, bar < 3 ? BASE : NAIVE, group, stall_classes[bar % 3]) / all;
}

static const char *const figure_11_bars[] = {"instruction cache use", "warp occupancy"};

static double figure_11(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	return (bar ? occupancy : code_share)(d, CACHE, group) / 100;
}

static const uint32_t figure_7[] = {MORECORE, NAIVE};
static const uint32_t figure_9[] = {STATIC_02, STATIC_04, STATIC_06, STATIC_08, NAIVE, DYN, CACHE};
static const uint32_t figure_10[] = {MORECORE, NAIVE, DYN, CACHE};
static const uint32_t clocks[] = {CACHE, SLOW};
static const uint32_t mappings[] = {DYN, DYN_TMAP};

static const struct reproduce_figure figures[] = {
	{"Figure 7: speed-up without control", REPRODUCE_PLOT_SPEEDUP, figure_7, ARRAY_COUNT(figure_7)},
	{"Figure 9: speed-up by ratio (NaiveNDP: 1.0), hill climbing, cache awareness", REPRODUCE_PLOT_SPEEDUP,
	 figure_9, ARRAY_COUNT(figure_9)},
	{"Traffic of links and network", REPRODUCE_PLOT_TRAFFIC, figure_10, ARRAY_COUNT(figure_10)},
	{"Figure 10: energy", REPRODUCE_PLOT_ENERGY, figure_10, ARRAY_COUNT(figure_10)},
	{"Section 7.6: speed-up with slower NSUs", REPRODUCE_PLOT_SPEEDUP, clocks, ARRAY_COUNT(clocks)},
	{"Beyond the paper: speed-up with TOM's learned mapping", REPRODUCE_PLOT_SPEEDUP, mappings,
	 ARRAY_COUNT(mappings)},
	{"Beyond the paper: traffic with TOM's learned mapping", REPRODUCE_PLOT_TRAFFIC, mappings,
	 ARRAY_COUNT(mappings)},
};

static const struct reproduce_chart charts[] = {
	{"Figure 5: accesses outside the target, by accesses of a block", figure_5, targets, ARRAY_COUNT(targets),
	 accesses, FIGURE_5_MAX, NULL},
	{"Figure 8: cycles without issue, over the baseline's", figure_8, figure_8_bars, ARRAY_COUNT(figure_8_bars),
	 NULL, 0, NULL},
	{"Figure 11: NSUs with NDP(Dyn)_Cache", figure_11, figure_11_bars, ARRAY_COUNT(figure_11_bars), NULL, 0,
	 NULL},
};

const struct reproduce_paper reproduce_nsu = {
	.name = "nsu",
	.title = "NSU (SC'17)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	.quick_arguments = quick_arguments,
	.full_arguments = full_arguments,
	.full_sets = "",
	REPRODUCE_TABLE(row),
	.same = same,
	.same_count = ARRAY_COUNT(same),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(mean),
	REPRODUCE_TABLE(figure),
	REPRODUCE_TABLE(chart),
};
