/* nsu.c - the evaluation of NSU (SC'17): figures 5 and 7 to 11, sections 4.1.1, 4.2, 5, 6 and 7. */
#include "base/check.h"
#include "ndp/nsu/target_study.h"
#include "reproduce/data.h"

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

/* What a comparison of numbers says when one of them may be missing. */
static int holds(bool is_true, double a, double b)
{
	return isnan(a) || isnan(b) ? -1 : is_true;
}

/* In per cent over the baseline; workload NULL: the mean. */
static double change(const struct reproduce_data *d, uint32_t config, const char *workload)
{
	const struct reproduce_row row = {.config = config, .against = BASE, .workload = workload};

	return reproduce_row_speedup_change(d, &row);
}

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

	for (uint32_t n = 2; n <= NSU_TARGET_ACCESS_MAX; n++)
		worst = target_ratio(n) > target_ratio(worst) ? n : worst;
	return worst;
}

static double target_added(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return 100 * (target_ratio(target_worst()) - 1);
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
	{"NSU-39", registers, NAIVE, BASE, NULL, 0.3, "nsu_control.code_send_words"},
	{"NSU-40", registers, NAIVE, BASE, NULL, 0.3, "nsu_control.code_return_words"},
};

/* ---- claims ---- */

static int n1a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = NAIVE};
	double most = most_except(d, &row);

	snprintf(seen, size, "the least loss is %+.1f %%", most);
	return holds(most < 0, most, 0);
}

static int n1b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = change(d, NAIVE, NULL);

	snprintf(seen, size, "mean %+.1f %%", mean);
	return holds(fabs(mean + 52) <= 15, mean, 0);
}

static int n1c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_stn = change(d, NAIVE, stn);
	uint32_t below = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		below += change_of(d, NAIVE, w) < of_stn;
	snprintf(seen, size, "STN %+.1f %%, %u workloads lose more", of_stn, below);
	return holds(below <= 1 && fabs(of_stn + 86) <= 10, of_stn, change(d, NAIVE, NULL));
}

static int n2a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = MORECORE, .workload = kmn};
	double most = most_except(d, &row);

	snprintf(seen, size, "all but KMN: at most %+.1f %%", most);
	return holds(most <= 5, most, 0);
}

static int n2b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_kmn = change(d, MORECORE, kmn);

	snprintf(seen, size, "KMN %+.1f %%", of_kmn);
	return holds(of_kmn >= 15 && of_kmn <= 35, of_kmn, 0);
}

static int n3a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	static const char *const losers[] = {bprop, bicg, stn, stcl};
	uint32_t losing = 0, gaining = 0;
	double missing = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double best = best_static(d, w);
		bool is_loser = false;

		for (uint32_t i = 0; i < ARRAY_COUNT(losers); i++)
			is_loser = is_loser || !strcmp(losers[i], d->paper->workloads[w]);
		losing += is_loser && best < 0;
		gaining += !is_loser && best > 0;
		missing += best;
	}
	snprintf(seen, size, "%u of BPROP, BICG, STN, STCL lose at every ratio; %u of the other six gain at one",
		 losing, gaining);
	return holds(losing == ARRAY_COUNT(losers) && gaining == 6, missing, 0);
}

static int n3b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_kmn = best_static(d, reproduce_workload(d, kmn)), missing = 0;
	uint32_t above = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		above += best_static(d, w) > of_kmn;
		missing += best_static(d, w);
	}
	snprintf(seen, size, "KMN %+.1f %%, %u workloads gain more", of_kmn, above);
	return holds(above == 0 && fabs(of_kmn - 63.6) <= 20, of_kmn, missing);
}

static int n3c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_bfs = change(d, STATIC_04, bfs);

	snprintf(seen, size, "BFS %+.1f %%", of_bfs);
	return holds(fabs(of_bfs - 31) <= 15, of_bfs, 0);
}

static int n3d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_bicg = change(d, STATIC_015, bicg);

	snprintf(seen, size, "BICG %+.1f %%", of_bicg);
	return holds(of_bicg > 0 && fabs(of_bicg - 11.5) <= 8, of_bicg, 0);
}

static int n4a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = change(d, DYN, NULL);

	snprintf(seen, size, "mean %+.1f %%", mean);
	return holds(mean > 0 && fabs(mean - 14.9) <= 8, mean, 0);
}

static int n4b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = DYN, .workload = kmn};
	double of_kmn = change(d, DYN, kmn), others = most_except(d, &row);

	snprintf(seen, size, "KMN %+.1f %%, the best other %+.1f %%", of_kmn, others);
	return holds(of_kmn > others, of_kmn, others);
}

static int n4c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.workload = vadd};
	double of_vadd = change(d, DYN, vadd), against = dyn_against_static(d, &row);

	snprintf(seen, size, "VADD %+.1f %%, %+.1f %% against its best static ratio", of_vadd, against);
	return holds(of_vadd > 15 && against >= -15, of_vadd, against);
}

static int n4d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_stn = change(d, DYN, stn);

	snprintf(seen, size, "STN %+.1f %%", of_stn);
	return holds(of_stn < 0 && fabs(of_stn + 17) <= 10, of_stn, 0);
}

static int n5a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double with = change(d, CACHE, stn), without = change(d, DYN, stn);

	snprintf(seen, size, "STN %+.1f %% with awareness, %+.1f %% without", with, without);
	return holds(with >= without && with > -5, with, without);
}

static int n5b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double furthest = 0, missing = 0;
	uint32_t which = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		double points = change_of(d, CACHE, w) - change_of(d, DYN, w);

		if (w == reproduce_workload(d, stn))
			continue;
		missing += points;
		if (fabs(points) > fabs(furthest)) {
			furthest = points;
			which = w;
		}
	}
	snprintf(seen, size, "the furthest other is %s, %+.1f points", d->paper->workloads[which], furthest);
	return holds(fabs(furthest) <= 3, furthest, missing);
}

static int n5c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double with = change(d, CACHE, NULL), without = change(d, DYN, NULL);

	snprintf(seen, size, "mean %+.1f %% with awareness, %+.1f %% without", with, without);
	return holds(with > without && fabs(with - without - 3) <= 3, with, without);
}

static double energy_change(const struct reproduce_data *d, uint32_t config)
{
	return 100 * (reproduce_energy_mean(d, config, BASE) - 1);
}

static int n6a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = energy_change(d, DYN);

	snprintf(seen, size, "mean %+.1f %%", mean);
	return holds(mean < 0 && fabs(mean + 7.5) <= 5, mean, 0);
}

static int n6b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double with = energy_change(d, CACHE), without = energy_change(d, DYN);

	snprintf(seen, size, "mean %+.1f %% with awareness, %+.1f %% without", with, without);
	return holds(with < without, with, without);
}

static int n6c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = DYN, .against = BASE};
	uint32_t k = reproduce_workload(d, kmn);
	double least = reproduce_row_energy_least(d, &row);
	double of_kmn = 100 * (reproduce_energy_pj(d, DYN, k) / reproduce_energy_pj(d, BASE, k) - 1);

	snprintf(seen, size, "KMN %+.1f %%, the largest saving %+.1f %%", of_kmn, least);
	return holds(of_kmn <= least, of_kmn, least);
}

static int n6d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = energy_change(d, MORECORE);

	snprintf(seen, size, "mean %+.1f %%", mean);
	return holds(fabs(mean) <= 2, mean, 0);
}

static int n7a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double slow = change(d, SLOW, NULL), fast = change(d, CACHE, NULL);

	snprintf(seen, size, "mean %+.1f %% at 175 MHz, %+.1f %% at 350 MHz", slow, fast);
	return holds(fabs(slow - fast) <= 6, slow, fast);
}

static int n7b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double large = 100 * (reproduce_speedup_mean(d, CACHE_2X, BASE_2X) - 1), normal = change(d, CACHE, NULL);

	snprintf(seen, size, "mean %+.1f %% with twice the SMs, %+.1f %% without", large, normal);
	return holds(large > 0 && large < normal && fabs(large - 11.6) <= 7, large, normal);
}

static int n8a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double most = most_of(d, invalidations, CACHE), mean = mean_of(d, invalidations, CACHE);

	snprintf(seen, size, "at most %.2f %%, mean %.2f %%", most, mean);
	return holds(most <= 3 && mean <= 1, most, mean);
}

static int n8b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double most = most_of(d, code_share, CACHE);

	snprintf(seen, size, "at most %.1f %%", most);
	return holds(most <= 40, most, 0);
}

static int n8c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = mean_of(d, occupancy, CACHE), most = most_of(d, occupancy, CACHE);
	double of_sp = occupancy(d, CACHE, reproduce_workload(d, sp));

	snprintf(seen, size, "mean %.1f %%, SP %.1f %%, most %.1f %%", mean, of_sp, most);
	return holds(mean <= 35 && of_sp >= most, mean, most + of_sp);
}

static int n9(const struct reproduce_data *d, char *seen, uint32_t size)
{
	uint32_t worst = target_worst();
	bool is_falling = true;

	(void)d;
	for (uint32_t n = worst + 1; n <= NSU_TARGET_ACCESS_MAX; n++)
		is_falling = is_falling && target_ratio(n) < target_ratio(n - 1);
	snprintf(seen, size, "largest ratio %.4f at %u accesses, %s after", target_ratio(worst), worst,
		 is_falling ? "falling" : "not falling");
	return is_falling && worst == 6 && fabs(target_ratio(worst) - 1.145) < 0.0005;
}

static const struct reproduce_claim claims[] = {
	{"N1", "N1 (a)", "NaiveNDP slows every workload", true, n1a},
	{"N1", "N1 (b)", "its mean is -52 % within 15", false, n1b},
	{"N1", "N1 (c)", "STN loses most or second most, -86 % within 10", false, n1c},
	{"N2", "N2 (a)", "eight more SMs gain at most 5 % on all but KMN", true, n2a},
	{"N2", "N2 (b)", "KMN gains 15 to 35 % by them", false, n2b},
	{"N3", "N3 (a)", "BPROP, BICG, STN and STCL lose at every ratio from 0.2; each other gains at one", true, n3a},
	{"N3", "N3 (b)", "KMN gains most by its best ratio, 63.6 % within 20", false, n3b},
	{"N3", "N3 (c)", "BFS gains 31 % within 15 at 0.4", false, n3c},
	{"N3", "N3 (d)", "BICG gains 11.5 % within 8 at 0.15", false, n3d},
	{"N4", "N4 (a)", "the hill climbing's mean is +14.9 % within 8", false, n4a},
	{"N4", "N4 (b)", "KMN gains most by it", true, n4b},
	{"N4", "N4 (c)", "VADD is within 15 % of its best ratio, and above +15 %", false, n4c},
	{"N4", "N4 (d)", "STN loses by it, -17 % within 10", false, n4d},
	{"N5", "N5 (a)", "cache awareness does not harm STN, which is then above -5 %", true, n5a},
	{"N5", "N5 (b)", "every other workload is within 3 points of NDP(Dyn)", false, n5b},
	{"N5", "N5 (c)", "the mean is above NDP(Dyn)'s, by 3 points within 3", false, n5c},
	{"N6", "N6 (a)", "NDP(Dyn) saves energy, 7.5 % within 5", false, n6a},
	{"N6", "N6 (b)", "NDP(Dyn)_Cache saves more", true, n6b},
	{"N6", "N6 (c)", "KMN saves most", true, n6c},
	{"N6", "N6 (d)", "Baseline_MoreCore's energy is within 2 % of the baseline's", false, n6d},
	{"N7", "N7 (a)", "the mean at 175 MHz is within 6 points of 350 MHz", false, n7a},
	{"N7", "N7 (b)", "with twice the SMs the gain is above 0, below the default's, 11.6 % within 7", false, n7b},
	{"N8", "N8 (a)", "invalidations add at most 3 % of traffic, 1 % in the mean", false, n8a},
	{"N8", "N8 (b)", "a unit's code takes at most 40 % of its instruction cache", false, n8b},
	{"N8", "N8 (c)", "a unit's warps take at most 35 % of its slots in the mean, SP's most", false, n8c},
	{"N9", "N9", "the first access' stack costs at most 1.145 of the best, at six accesses", true, n9},
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
	 accesses, FIGURE_5_MAX},
	{"Figure 8: cycles without issue, over the baseline's", figure_8, figure_8_bars, ARRAY_COUNT(figure_8_bars),
	 NULL, 0},
	{"Figure 11: NSUs with NDP(Dyn)_Cache", figure_11, figure_11_bars, ARRAY_COUNT(figure_11_bars), NULL, 0},
};

const struct reproduce_paper reproduce_nsu = {
	.name = "nsu",
	.title = "NSU (SC'17)",
	.configs = configs,
	.config_count = ARRAY_COUNT(configs),
	.workloads = workloads,
	.workload_count = ARRAY_COUNT(workloads),
	.quick_arguments = quick_arguments,
	.full_arguments = full_arguments,
	.full_sets = "",
	.rows = rows,
	.row_count = ARRAY_COUNT(rows),
	.claims = claims,
	.claim_count = ARRAY_COUNT(claims),
	.figures = figures,
	.figure_count = ARRAY_COUNT(figures),
	.charts = charts,
	.chart_count = ARRAY_COUNT(charts),
};
