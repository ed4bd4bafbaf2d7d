/* tom.c - the evaluation of TOM (ISCA'16): figures 2, 3, 5, 6, 8 to 13 and sections 3.1.5, 4.4.2, 6.1 to 6.6. */
#include "base/check.h"
#include "ndp/tom/candidates.h"
#include "reproduce/data.h"

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
 * it between stacks. */
static const struct reproduce_config configs[] = {
	[BASE] = {"baseline", "tom-baseline", "", NULL},
	[IDEAL] = {"ideal", "tom-ideal", "", NULL},
	[NOCTRL_BMAP] = {"no-ctrl+bmap", "tom-noctrl-bmap", "", NULL},
	[NOCTRL_TMAP] = {"no-ctrl+tmap", "tom-noctrl-tmap", "", NULL},
	[CTRL_BMAP] = {"ctrl+bmap", "tom-ctrl-bmap", "", NULL},
	[CTRL_TMAP] = {"ctrl+tmap", "tom-ctrl-tmap", "", NULL},
	[CTRL_ORACLE] = {"ctrl+oracle", "tom-ctrl-bmap", "", oracle_mapping},
	[WARPS_2X] = {"ctrl+tmap, 2x warps", "tom-ctrl-tmap", "gpu.stack_sm_warp_slot_count=96", NULL},
	[WARPS_4X] = {"ctrl+tmap, 4x warps", "tom-ctrl-tmap", "gpu.stack_sm_warp_slot_count=192", NULL},
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
	"--paths 16384 --rates 40 --steps 2",
	"--size paper",
	"--data 19 --kernel 10",
	"--pairs 512 --elements 16384",
	"--elements 16777216",
};
/* Full runs: TOM states no sizes, but that runs end after 2 billion instructions and use more than half of the
 * bandwidth (section 5.3). Where a program's own paper size is too short or too small for that: KM has Rodinia's KDD
 * Cup data in full, RD is repeated as the CUDA SDK's does, LIB and SP have four and eight times a quick run's data.
 * HW's templates are the largest with which a link is busy by half; Rodinia's would spend all these instructions in
 * the convolution, out of shared memory and L1s. */
static const char *const full_arguments[] = {
	"--size paper",
	"--size paper",
	"--objects 494020 --features 34 --iterations 2",
	"--size paper",
	"--side 11 --reach 8 --frames 14",
	"--paths 65536 --rates 40 --steps 2",
	"--size paper",
	"--size paper",
	"--pairs 4096 --elements 16384",
	"--size paper --iterations 20",
};
_Static_assert(ARRAY_COUNT(quick_arguments) == ARRAY_COUNT(workloads), "one per workload");
_Static_assert(ARRAY_COUNT(full_arguments) == ARRAY_COUNT(workloads), "one per workload");
static const char rd[] = "reduction", km[] = "kmeans", bfs[] = "bfs", lib[] = "libor";

/* ---- measures ---- */

static double static_words(double trips)
{
	/* Section 3.1.5: five live-ins, no live-out, one load and one store per iteration. */
	struct tom_bandwidth b = tom_bandwidth_change(&tom_cost_default, 5, 0, trips, trips);

	return b.tx_words + b.rx_words;
}

static double libor_once(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return static_words(1);
}

static double libor_four(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return static_words(4);
}

static double libor_threshold(const struct reproduce_data *d, const struct reproduce_row *row)
{
	double trips = 1;

	(void)d;
	(void)row;
	while (static_words(trips) >= 0)
		trips++;
	return trips;
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

/* Difference between two changes over the baseline, in percentage points. */
static double speedup_points(const struct reproduce_data *d, uint32_t config, uint32_t against)
{
	return 100 * (reproduce_speedup_mean(d, config, BASE) - reproduce_speedup_mean(d, against, BASE));
}

static double speedup_difference(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return fabs(speedup_points(d, row->config, row->against));
}

static double traffic_difference(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * (reproduce_traffic_mean(d, row->against, BASE) - reproduce_traffic_mean(d, row->config, BASE));
}

static double coherence_overhead(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return 100 * (reproduce_speedup_mean(d, row->config, row->against) - 1);
}

static double gain_over_bmap(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return speedup_points(d, row->config, row->against);
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
	{"TOM-23", gain_over_bmap, CTRL_TMAP, CTRL_BMAP, NULL, 6, NULL},
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
	{"TOM-52", coherence_overhead, INCOHERENT, CTRL_TMAP, NULL, 1.8, NULL},
	{"TOM-53", added_mm2, CTRL_TMAP, BASE, NULL, 0.02, "tom.storage_bits"},
	{"TOM-54", added_share, CTRL_TMAP, BASE, NULL, 0.004, "tom.storage_bits"},
	{"TOM-55", mmu_share, CTRL_TMAP, BASE, NULL, 0, "mmu.storage_bits"},
	{"TOM-56", libor_once, BASE, BASE, NULL, 0, NULL},
	{"TOM-57", libor_four, BASE, BASE, NULL, 0, NULL},
	{"TOM-58", libor_threshold, BASE, BASE, NULL, 0, NULL},
};

/* ---- claims ---- */

static double change(const struct reproduce_data *d, uint32_t config, const char *workload)
{
	double ratio = workload ? reproduce_speedup(d, config, BASE, reproduce_workload(d, workload))
				: reproduce_speedup_mean(d, config, BASE);

	return 100 * (ratio - 1);
}

static double traffic_change(const struct reproduce_data *d, uint32_t config)
{
	return 100 * (reproduce_traffic_mean(d, config, BASE) - 1);
}

static double energy_change(const struct reproduce_data *d, uint32_t config)
{
	return 100 * (reproduce_energy_mean(d, config, BASE) - 1);
}

/* What a comparison of numbers says when one of them may be missing. */
static int holds(bool is_true, double a, double b)
{
	return isnan(a) || isnan(b) ? -1 : is_true;
}

static int t2a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = CTRL_TMAP, .against = BASE};
	double least = reproduce_row_speedup_least(d, &row);

	snprintf(seen, size, "the least gain is %+.1f %%", least);
	return holds(least > 0, least, 0);
}

static int t2b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double mean = change(d, CTRL_TMAP, NULL);

	snprintf(seen, size, "mean %+.1f %%", mean);
	return holds(fabs(mean - 30) <= 12, mean, 0);
}

static int t2c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_rd = change(d, CTRL_TMAP, rd);
	uint32_t above = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		above += change(d, CTRL_TMAP, d->paper->workloads[w]) > of_rd;
	snprintf(seen, size, "RD %+.1f %%, %u workloads gain more", of_rd, above);
	return holds(above <= 1 && fabs(of_rd - 76) <= 30, of_rd, change(d, CTRL_TMAP, NULL));
}

static int t3a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double t = change(d, NOCTRL_TMAP, NULL), b = change(d, NOCTRL_BMAP, NULL);

	snprintf(seen, size, "no-ctrl+tmap %+.1f %%, no-ctrl+bmap %+.1f %%", t, b);
	return holds(t < 0 && b < 0, t, b);
}

static int t3b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double without = change(d, NOCTRL_TMAP, lib), with = change(d, CTRL_TMAP, lib);

	snprintf(seen, size, "LIB %+.1f %% without control, %+.1f %% with it", without, with);
	return holds(without < 0 && with > 0, without, with);
}

static int t4a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double t = change(d, CTRL_TMAP, NULL), b = change(d, CTRL_BMAP, NULL);

	snprintf(seen, size, "ctrl+tmap %+.1f %%, ctrl+bmap %+.1f %%", t, b);
	return holds(t > b, t, b);
}

static int t4b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double of_km = change(d, CTRL_TMAP, km) - change(d, CTRL_BMAP, km);
	double of_rd = change(d, CTRL_TMAP, rd) - change(d, CTRL_BMAP, rd);

	snprintf(seen, size, "KM gains %+.1f points, RD %+.1f", of_km, of_rd);
	return holds(of_km >= 10 && of_rd >= 10, of_km, of_rd);
}

static int t4c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	uint32_t others = 0;
	double of_bfs = change(d, CTRL_TMAP, bfs) - change(d, CTRL_BMAP, bfs);

	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		const char *name = d->paper->workloads[w];

		others += w != reproduce_workload(d, bfs) && change(d, CTRL_TMAP, name) < change(d, CTRL_BMAP, name);
	}
	snprintf(seen, size, "BFS %+.1f points, %u others lose", of_bfs, others);
	return holds(of_bfs < 0 && !others, of_bfs, change(d, CTRL_TMAP, NULL) - change(d, CTRL_BMAP, NULL));
}

static int t4d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double o = change(d, CTRL_ORACLE, bfs), t = change(d, CTRL_TMAP, bfs), b = change(d, CTRL_BMAP, bfs);

	snprintf(seen, size, "BFS: oracle %+.1f %%, tmap %+.1f %%, bmap %+.1f %%", o, t, b);
	return holds(o > t && o > b, o, t + b);
}

static int t3c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row without = {.config = NOCTRL_TMAP}, with = {.config = CTRL_TMAP};
	double all = offloaded_share(d, &without), some = offloaded_share(d, &with);

	snprintf(seen, size, "offloaded instructions %.1f %% without control, %.1f %% with it", all, some);
	return holds(fabs(all - 46.4) <= 12 && fabs(some - 15.7) <= 7, all, some);
}

static int t5a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double without = traffic_change(d, NOCTRL_TMAP), with = traffic_change(d, CTRL_TMAP);

	snprintf(seen, size, "no-ctrl %+.1f %%, ctrl %+.1f %%", without, with);
	return holds(without < with && with < 0, without, with);
}

static int t6a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double four = traffic_change(d, WARPS_4X), one = traffic_change(d, CTRL_TMAP);

	snprintf(seen, size, "4x %+.1f %%, 1x %+.1f %%", four, one);
	return holds(four < one, four, one);
}

static int t6b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double points = speedup_points(d, WARPS_4X, CTRL_TMAP);

	snprintf(seen, size, "4x is %+.1f points from 1x", points);
	return holds(fabs(points) <= 5, points, 0);
}

static int t6c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double ratio = reproduce_speedup(d, WARPS_4X, CTRL_TMAP, reproduce_workload(d, rd));

	snprintf(seen, size, "RD with 4x runs at %.2f of 1x", ratio);
	return holds(ratio < 1, ratio, 0);
}

static int t7a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double points = speedup_points(d, INTERNAL_1X, CTRL_TMAP);

	snprintf(seen, size, "1x is %+.1f points from 2x", points);
	return holds(fabs(points) <= 5, points, 0);
}

static int t7b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double eighth = change(d, CROSS_0125X, NULL), quarter = change(d, CROSS_025X, NULL);

	snprintf(seen, size, "0.125x %+.1f %%, 0.25x %+.1f %%", eighth, quarter);
	return holds(eighth < quarter, eighth, quarter);
}

static int t7c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double quarter = change(d, CROSS_025X, NULL), half = change(d, CTRL_TMAP, NULL);
	double whole = change(d, CROSS_1X, NULL);

	snprintf(seen, size, "0.25x %+.1f %%, 0.5x %+.1f %%, 1x %+.1f %%", quarter, half, whole);
	return holds(fabs(quarter - whole) <= 5 && fabs(half - whole) <= 5, quarter + half, whole);
}

static int t8a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double best = stat_share(d, CTRL_BMAP, "mapping.most_used_best", "mapping.observed_accesses");
	double base = stat_share(d, CTRL_BMAP, "mapping.most_used_in_force", "mapping.observed_accesses");

	snprintf(seen, size, "best %.1f %%, baseline %.1f %%", best, base);
	return holds(fabs(best - 75) <= 12 && fabs(base - 38) <= 12 && best >= 1.5 * base, best, base);
}

static int t8b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double learned = stat_share(d, CTRL_TMAP, "mapping.most_used_in_force", "mapping.observed_accesses");
	double best = stat_share(d, CTRL_TMAP, "mapping.most_used_best", "mapping.observed_accesses");

	snprintf(seen, size, "learned %.1f %%, best for the same instances %.1f %%", learned, best);
	return holds(best - learned <= 6, best, learned);
}

static int t9a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double energy = energy_change(d, CTRL_TMAP);

	snprintf(seen, size, "ctrl+tmap %+.1f %%", energy);
	return holds(energy < 0, energy, 0);
}

static int t9b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double energy = energy_change(d, NOCTRL_BMAP);

	snprintf(seen, size, "no-ctrl+bmap %+.1f %%", energy);
	return holds(energy > 0, energy, 0);
}

static int t9c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	const struct reproduce_row row = {.config = INCOHERENT, .against = CTRL_TMAP};
	double overhead = coherence_overhead(d, &row);

	snprintf(seen, size, "coherence costs %.2f %%", overhead);
	return holds(overhead <= 3, overhead, 0);
}

static int t9d(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double ideal = reproduce_speedup_mean(d, IDEAL, BASE), real = reproduce_speedup_mean(d, CTRL_TMAP, BASE);

	snprintf(seen, size, "ideal %.2fx, ctrl+tmap %.2fx", ideal, real);
	return holds(ideal > real, ideal, real);
}

static int t1a(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double words = static_words(1);

	(void)d;
	snprintf(seen, size, "%+.2f words", words);
	return words == 110.25;
}

static int t1b(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double words = static_words(4);

	(void)d;
	snprintf(seen, size, "%+.2f words", words);
	return words == -39;
}

static int t1c(const struct reproduce_data *d, char *seen, uint32_t size)
{
	double trips = libor_threshold(d, NULL);

	snprintf(seen, size, "%.0f iterations", trips);
	return trips == 4;
}

static const struct reproduce_claim claims[] = {
	{"T1", "T1 (a)", "LIB's loop counted once costs 110.25 words", true, t1a},
	{"T1", "T1 (b)", "four iterations of it save 39 words", true, t1b},
	{"T1", "T1 (c)", "four iterations are the fewest that pay", true, t1c},
	{"T2", "T2 (a)", "ctrl+tmap speeds up every workload", true, t2a},
	{"T2", "T2 (b)", "its mean is +30 % within 12", false, t2b},
	{"T2", "T2 (c)", "RD gains most or second most, +76 % within 30", false, t2c},
	{"T3", "T3 (a)", "without control the mean is a loss with both mappings", true, t3a},
	{"T3", "T3 (b)", "LIB loses without control and gains with it", true, t3b},
	{"T3", "T3 (c)", "it offloads 46.4 % within 12 of the instructions, with control 15.7 % within 7", false, t3c},
	{"T4", "T4 (a)", "the learned mapping beats the baseline mapping in the mean", true, t4a},
	{"T4", "T4 (b)", "KM and RD gain at least 10 points by it", false, t4b},
	{"T4", "T4 (c)", "BFS alone loses by it", true, t4c},
	{"T4", "T4 (d)", "BFS with the oracle's mapping is above both", true, t4d},
	{"T5", "T5 (a)", "uncontrolled offloading saves more traffic than controlled, which saves some", true, t5a},
	{"T6", "T6 (a)", "four times the warps save more traffic", true, t6a},
	{"T6", "T6 (b)", "at a speed-up within 5 points", false, t6b},
	{"T6", "T6 (c)", "RD is slower with them", true, t6c},
	{"T7", "T7 (a)", "1x internal bandwidth is within 5 points of 2x", false, t7a},
	{"T7", "T7 (b)", "0.125x between stacks is slower than 0.25x", true, t7b},
	{"T7", "T7 (c)", "0.25x to 1x are within 5 points", false, t7c},
	{"T8", "T8 (a)", "the best mapping co-locates 75 % within 12, the baseline 38 %, ratio 1.5", false, t8a},
	{"T8", "T8 (b)", "the learned mapping is within 6 points of the best", false, t8b},
	{"T9", "T9 (a)", "ctrl+tmap saves energy", true, t9a},
	{"T9", "T9 (b)", "no-ctrl+bmap costs energy", true, t9b},
	{"T9", "T9 (c)", "coherence costs at most 3 %", false, t9c},
	{"T9", "T9 (d)", "the ideal system is above ctrl+tmap", true, t9d},
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

static const struct reproduce_chart charts[] = {
	{"Figure 5: candidates by accesses with a fixed offset, in per cent", offset_class, offset_classes,
	 ARRAY_COUNT(offset_classes), NULL, 0},
};

const struct reproduce_paper reproduce_tom = {
	.name = "tom",
	.title = "TOM (ISCA'16)",
	.configs = configs,
	.config_count = ARRAY_COUNT(configs),
	.workloads = workloads,
	.workload_count = ARRAY_COUNT(workloads),
	.quick_arguments = quick_arguments,
	.full_arguments = full_arguments,
	.full_sets = "run.instruction_limit_count=2000000000", /* section 5.3 */
	.rows = rows,
	.row_count = ARRAY_COUNT(rows),
	.claims = claims,
	.claim_count = ARRAY_COUNT(claims),
	.figures = figures,
	.figure_count = ARRAY_COUNT(figures),
	.charts = charts,
	.chart_count = ARRAY_COUNT(charts),
};
