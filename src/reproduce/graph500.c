/* graph500.c - section 6.5 of the thesis on near-data processors (NDPs) on memory channels: Graph500 on two to eight
 * NDPs, and on a POWER8 of four channels; and of its chapter 8 what can be run: all memory behind a link of an SMP, and
 * random reads. */
#include "base/check.h"
#include "reproduce/claim.h"

#include <math.h>

static const char graph500[] = "graph500", channel[] = "channel";
static const char *const workloads[] = {graph500, channel};

enum { CORES = 64 }; /* of an NDP, table 6.1 */

/* Table 6.1 and section 6.5.1; memory was touched before. The associativity is not said. */
#define SIX                                                                                                           \
	"cpu.page_fault_ps=0 channel.directory_cache_bytes=16384 channel.cache_ways_count=4 "                         \
	"channel.access_bytes=64 cpu.dram_mbytes_per_s="
/* 4 x DDR4-3200 at 60 %. A quick run has an eighth of each NDP: of its cores, its memory's and its channel's rates, and
 * of what the NDP-AP takes and gives; and of its cache, for a graph that is as much smaller and more. */
#define FULL_RATE "61440 "
#define EIGHTH                                                                                                        \
	"cpu.dram_mbytes_per_s=7680 channel.core_count=8 channel.directory_cache_bytes=2048 "                         \
	"cpu.up_mbytes_per_s=2500 cpu.down_mbytes_per_s=1250 channel.point_in_mbytes_per_s=16000 "                    \
	"channel.point_out_mbytes_per_s=8000 channel.point_cache_bytes="
#define CACHE(bytes) "channel.cache_bytes=" #bytes " "
#define POINT_CACHE(kb) "channel.point_cache_bytes=" #kb "KiB"

/* Scales of quick runs: a core has as many vertices as beside 20 for the thesis' 25. */
#define QUICK_23 "15"
#define QUICK_24 "16"
#define QUICK_25 "17"
#define QUICK_26 "18"
/* And the choice of a direction as the thesis' reference has it: edges are counted where it asks. */
#define BASELINE "--vertices sorted --adjacency heaviest --count top-down "
#define SEARCH(RUN, id, name, sets, quick_kb, kb, ndps, scale, more)                                                  \
	RUN(id, name, "channel-ndp", SIX FULL_RATE sets POINT_CACHE(kb), EIGHTH #quick_kb, graph500,                  \
	    BASELINE "--roots 1 --ndps " #ndps " --scale " QUICK_##scale " " more,                                    \
	    BASELINE "--roots 4 --ndps " #ndps " --scale " #scale " " more)
#define BASE(RUN, id, name, sets, more) \
	SEARCH(RUN, id, name, CACHE(4096) sets, 16384, 128, 8, 25, "--alpha 50 " more)
/* phi of section 6.5.2; frontiers of quick runs are larger beside their graphs. */
#define PHI_25 "--summary 650"
#define PHI_23 "--summary 1400"
#define POINT(RUN, scale, kb, quick_bytes)                                                                            \
	SEARCH(RUN, S_##scale##_##kb, "scale " #scale ", NDP-AP " #kb " KB, summary", CACHE(4096), quick_bytes, kb,   \
	       8, scale, "--alpha 50 " PHI_##scale)
#define NO_SUMMARY(RUN, kb, quick_bytes)                                                                              \
	SEARCH(RUN, P_25_##kb, "NDP-AP " #kb " KB, no summary", CACHE(4096), quick_bytes, kb, 8, 25, "--alpha 50")
/* All of section 6.5.2. */
#define LAST(RUN, ndps, scale)                                                                                        \
	SEARCH(RUN, N_##ndps##_##scale, #ndps " NDPs, scale " #scale, CACHE(4096) "channel.point_atomics=1 ", 16384,  \
	       128, ndps, scale, "--alpha 50 " PHI_25 " --remote cacheable --prefetch unvisited")
#define UNVISITED(RUN, id, name, ndps, scale, more)                                                                   \
	SEARCH(RUN, id, name, CACHE(4096), 16384, 128, ndps, scale, "--alpha 50 --unvisited predecessors" more)
#define READS(RUN, access)                                                                                            \
	RUN(IOPS_##access, "random reads of " #access " B, 8 NDPs", "channel-ndp",                                    \
	    "cpu.page_fault_ps=0 channel.cache_ways_count=4 channel.cache_bytes=4096 channel.access_bytes=" #access,  \
	    "", channel, "--ndps 8 --order random --prefetch 1 --state shared --kbytes 262144 --each 100 --filled 0", \
	    "--ndps 8 --order random --prefetch 1 --state shared --kbytes 1048576 --each 2000 --filled 0")
#define SMALL_CACHES "cpu.l1_bytes=8192 cpu.l2_bytes=16384 cpu.llc_bytes="
#define POWER8(RUN, id, name, sets, quick_sets, quick, full)                                                          \
	RUN(id, name, "channel-power8", "cpu.page_fault_ps=0 " sets, quick_sets, graph500,                            \
	    BASELINE "--where cpu --scale " quick, BASELINE "--where cpu --scale " full)

#define RUNS(RUN)                                                                                                     \
	BASE(RUN, BASELINE_25, "baseline", "", "")                                                                    \
	BASE(RUN, ALPHA_14, "alpha 14", "", "--alpha 14")                                                             \
	NO_SUMMARY(RUN, 8, 1024)                                                                                      \
	NO_SUMMARY(RUN, 32, 4096)                                                                                     \
	POINT(RUN, 25, 8, 1024)                                                                                       \
	POINT(RUN, 25, 16, 2048)                                                                                      \
	POINT(RUN, 25, 32, 4096)                                                                                      \
	POINT(RUN, 25, 64, 8192)                                                                                      \
	POINT(RUN, 25, 128, 16384)                                                                                    \
	POINT(RUN, 23, 8, 1024)                                                                                       \
	POINT(RUN, 23, 128, 16384)                                                                                    \
	SEARCH(RUN, ALWAYS, "NDP-AP 32 KB, always a summary", CACHE(4096), 4096, 32, 8, 25, "--alpha 50 --summary 1") \
	SEARCH(RUN, CACHE_512, "caches of 512 B", CACHE(512), 16384, 128, 8, 25, "--alpha 50")                        \
	BASE(RUN, ATOMICS, "atomics at the NDP-AP", "channel.point_atomics=1 ", "")                                   \
	BASE(RUN, CACHEABLE, "remote frontiers cacheable", "", "--remote cacheable")                                  \
	BASE(RUN, AHEAD_BITMAP, "prefetch of the bitmap", "", "--prefetch unvisited")                                 \
	UNVISITED(RUN, ARRAY_8, "unvisited by an array, 8 NDPs", 8, 25, "")                                           \
	UNVISITED(RUN, AHEAD_8, "and prefetched, 8 NDPs", 8, 25, " --prefetch unvisited")                             \
	UNVISITED(RUN, ARRAY_2, "unvisited by an array, 2 NDPs", 2, 24, "")                                           \
	UNVISITED(RUN, AHEAD_2, "and prefetched, 2 NDPs", 2, 24, " --prefetch unvisited")                             \
	LAST(RUN, 2, 24)                                                                                              \
	LAST(RUN, 2, 25)                                                                                              \
	LAST(RUN, 4, 25)                                                                                              \
	LAST(RUN, 8, 25)                                                                                              \
	LAST(RUN, 4, 26)                                                                                              \
	LAST(RUN, 8, 26)                                                                                              \
	/* Table 6.3: 10 cores of 4.2 GHz, four channels. Bitmaps fit the last level, and not the second. */          \
	POWER8(RUN, CPU, "POWER8, 4 channels",                                                                        \
	       "cpu.clock_khz=4200000 cpu.channel_count=4 ddr.memory.channel_count=16 "                               \
	       "ddr.memory.capacity_bytes=128GiB",                                                                    \
	       SMALL_CACHES "1048576", QUICK_25 " --roots 1 --alpha 50", "25 --roots 4 --alpha 50")                   \
	/* Section 8.3: one core of four threads, and its part of the last level. */                                  \
	POWER8(RUN, LOCAL, "one core, memory local", "cpu.core_count=1 cpu.smt_count=4", SMALL_CACHES "131072",       \
	       QUICK_25 " --roots 1", "23 --roots 4")                                                                 \
	POWER8(RUN, REMOTE, "one core, memory behind a link",                                                         \
	       "cpu.core_count=1 cpu.smt_count=4 cpu.smp_hop_count=1", SMALL_CACHES "131072", QUICK_25 " --roots 1",  \
	       "23 --roots 4")                                                                                        \
	READS(RUN, 32)                                                                                                \
	READS(RUN, 64)                                                                                                \
	RUN(IOPS_CPU, "random reads, POWER8", "channel-power8", "cpu.page_fault_ps=0", "", channel,                   \
	    "--where cpu --order random --prefetch 1 --kbytes 1048576 --each 500 --filled 0",                         \
	    "--where cpu --order random --prefetch 1 --kbytes 8388608 --each 10000 --filled 0")

enum {
#define RUN(id, ...) id,
	RUNS(RUN)
#undef RUN
};

static const struct reproduce_config configs[] = {
#define RUN(id, name, machine, sets, quick_sets, ...) [id] = {name, machine, sets, NULL},
    RUNS(RUN)
#undef RUN
};

static const char *const quick_sets[] = {
#define RUN(id, name, machine, sets, quick_sets, ...) [id] = quick_sets,
    RUNS(RUN)
#undef RUN
};

static const struct reproduce_cell cells[] = {
#define RUN(id, name, machine, sets, quick_sets, workload, quick, full) {id, workload, quick, full},
    RUNS(RUN)
#undef RUN
};

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

/* ---- numbers of a run ---- */

static double said(data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, reproduce_workload(d, graph500), "measures", name);
}

static double parameter(data *d, uint32_t config, uint32_t workload, const char *name)
{
	return reproduce_number(d, config, workload, "params", name);
}

/* Of whole NDPs, where a run has a part of each. */
static double whole(data *d, uint32_t config)
{
	return config == CPU ? 1 : CORES / parameter(d, config, 0, "channel.core_count");
}

static double gteps_of(data *d, uint32_t config)
{
	return said(d, config, "harmonic_mean_TEPS") * whole(d, config) * 1e-9;
}

static const char *const directions[] = {"top_down", "bottom_up"};
enum { TOP_DOWN, BOTTOM_UP };

static double directed(data *d, uint32_t config, uint32_t direction, const char *name)
{
	g_autofree char *full = g_strdup_printf("%s.%s", directions[direction], name);

	return said(d, config, full);
}

/* Of all levels. */
static double counted(data *d, uint32_t config, const char *name)
{
	return directed(d, config, TOP_DOWN, name) + directed(d, config, BOTTOM_UP, name);
}

static double remote_accesses(data *d, uint32_t config, uint32_t direction)
{
	return directed(d, config, direction, "channel.remote_reads") +
	       directed(d, config, direction, "channel.remote_writes") +
	       directed(d, config, direction, "channel.remote_atomics");
}

/* Of what leaves the cores, in per cent. */
static double remote_share(data *d, uint32_t config, uint32_t direction)
{
	const double remote = remote_accesses(d, config, direction);

	return 100 * remote / (remote + directed(d, config, direction, "channel.local"));
}

static double directed_hits(data *d, uint32_t config, uint32_t direction)
{
	return 100 * directed(d, config, direction, "channel.point_hits") /
	       directed(d, config, direction, "channel.point_lookups");
}

static double all_hits(data *d, uint32_t config)
{
	return 100 * counted(d, config, "channel.point_hits") / counted(d, config, "channel.point_lookups");
}

/* GB/s of whole NDPs while levels are searched. */
static double level_rate(data *d, uint32_t config, double bytes)
{
	return bytes / counted(d, config, "time") * whole(d, config) * 1e-9;
}

static double memory_rate(data *d, uint32_t config)
{
	return level_rate(d, config,
			  counted(d, config, "channel.near_bytes") + counted(d, config, "channel.remote_bytes") +
			      counted(d, config, "channel.processor_bytes") +
			      counted(d, config, "channel.directory_bytes"));
}

/* ---- measures of rows ---- */

static double gteps(data *d, row_of *row)
{
	return gteps_of(d, row->config);
}

static double ratio(data *d, row_of *row)
{
	return gteps_of(d, row->config) / gteps_of(d, row->against);
}

static double change(data *d, row_of *row)
{
	return 100 * (ratio(d, row) - 1);
}

/* Of two sizes, the mean. */
static double ahead_change(data *d, row_of *row)
{
	const row_of eight = {.config = AHEAD_8, .against = ARRAY_8}, two = {.config = AHEAD_2, .against = ARRAY_2};

	(void)row;
	return (change(d, &eight) + change(d, &two)) / 2;
}

static double top_down_remote(data *d, row_of *row)
{
	return remote_share(d, row->config, TOP_DOWN);
}

static double top_down_hits(data *d, row_of *row)
{
	return directed_hits(d, row->config, TOP_DOWN);
}

static double bottom_up_remote(data *d, row_of *row)
{
	return remote_share(d, row->config, BOTTOM_UP);
}

static double bottom_up_hits(data *d, row_of *row)
{
	return directed_hits(d, row->config, BOTTOM_UP);
}

/* In points. */
static double hit_change(data *d, row_of *row)
{
	return all_hits(d, row->config) - all_hits(d, row->against);
}

static double hit_decrease(data *d, row_of *row)
{
	return -hit_change(d, row);
}

/* In per cent of what it was. */
static double hit_growth(data *d, row_of *row)
{
	return 100 * (all_hits(d, row->config) / all_hits(d, row->against) - 1);
}

/* Of summaries, in points, over the NDP-AP's caches with both. */
static double summary_hits(data *d, row_of *row)
{
	const row_of small = {.config = S_25_8, .against = P_25_8}, middle = {.config = S_25_32, .against = P_25_32},
		     large = {.config = S_25_128, .against = BASELINE_25};

	(void)row;
	return (hit_change(d, &small) + hit_change(d, &middle) + hit_change(d, &large)) / 3;
}

static double memory_of_one(data *d, row_of *row)
{
	return memory_rate(d, row->config) / 8;
}

static double memory_of_all(data *d, row_of *row)
{
	return memory_rate(d, row->config);
}

static double memory_growth(data *d, row_of *row)
{
	return 100 * (memory_rate(d, row->config) / memory_rate(d, row->against) - 1);
}

/* What the NDP-AP gives to NDPs. */
static double between(data *d, row_of *row)
{
	return level_rate(d, row->config, counted(d, row->config, "channel.point_out_bytes"));
}

/* At 1 GHz; of whole NDPs. */
static double atomics_cycles(data *d, row_of *row)
{
	return directed(d, row->config, TOP_DOWN, "time") * 1e9 / whole(d, row->config) /
	       directed(d, row->config, TOP_DOWN, "channel.remote_atomics");
}

/* Locked accesses: atomics and stores. */
static double lock_share(data *d, row_of *row)
{
	return 100 * directed(d, row->config, TOP_DOWN, "channel.lock_waits") /
	       remote_accesses(d, row->config, TOP_DOWN);
}

static double lock_wait_ns(data *d, row_of *row)
{
	return directed(d, row->config, TOP_DOWN, "channel.lock_wait_ps") /
	       directed(d, row->config, TOP_DOWN, "channel.lock_waits") * 1e-3;
}

static double writes_change(data *d, row_of *row)
{
	return 100 * (counted(d, row->config, "channel.data_up_bytes") /
			  counted(d, row->against, "channel.data_up_bytes") -
		      1);
}

static double reads_reduction(data *d, row_of *row)
{
	return counted(d, row->against, "channel.remote_reads") / counted(d, row->config, "channel.remote_reads");
}

static double power(data *d, uint32_t config, uint32_t ndps)
{
	return ndps *
		   (parameter(d, config, 0, "channel.ndp_mw") + parameter(d, config, 0, "channel.manager_mw")) * 1e-3 +
	       parameter(d, config, 0, "channel.point_count") * parameter(d, config, 0, "channel.point_mw") * 1e-3;
}

/* Four NDPs add 15 % to a system's power, section 6.5.3. */
static double energy_saving(data *d, row_of *row)
{
	return ratio(d, row) / 1.15;
}

/* Against 11.16 GTEPS of a Xeon E5-4640 of which 75 % of 95 W are used, section 6.5.3. */
static double efficiency(data *d, row_of *row)
{
	return 100 * (gteps_of(d, row->config) / power(d, row->config, 4) / (11.16 / 71) - 1);
}

static double iops(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, channel);

	return reproduce_number(d, row->config, w, "measures", "bandwidth") /
	       reproduce_number(d, row->against, w, "measures", "bandwidth");
}

/* Of each core a load and its prefetches. */
static double ndp_outstanding(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, channel);

	return parameter(d, row->config, w, "channel.ndp_count") * parameter(d, row->config, w, "channel.core_count") *
	       (1 + parameter(d, row->config, w, "channel.prefetch_count"));
}

/* Of each core its loads and the lines of its streams. */
static double cpu_outstanding(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, channel);

	return parameter(d, row->config, w, "cpu.core_count") *
	       (parameter(d, row->config, w, "cpu.load_count") + parameter(d, row->config, w, "cpu.stream_line_count"));
}

static double not_known(data *d, row_of *row)
{
	(void)d;
	(void)row;
	return NAN;
}

#define ROW(id, measure, config, against, tolerance) {id, measure, config, against, graph500, tolerance, NULL}

static const struct reproduce_row rows[] = {
    ROW("CH6G-01", ratio, N_4_25, CPU, 1),
    ROW("CH6G-02", ratio, N_4_25, CPU, 1),
    ROW("CH6G-03", change, BASELINE_25, ALPHA_14, 4),
    ROW("CH6G-04", top_down_remote, BASELINE_25, BASELINE_25, 10),
    ROW("CH6G-05", top_down_hits, BASELINE_25, BASELINE_25, 10),
    ROW("CH6G-06", bottom_up_remote, BASELINE_25, BASELINE_25, 10),
    ROW("CH6G-07", bottom_up_hits, BASELINE_25, BASELINE_25, 10),
    ROW("CH6G-08", change, S_23_128, S_23_8, 14),
    ROW("CH6G-09", change, S_25_128, S_25_8, 20),
    ROW("CH6G-10", change, S_25_32, P_25_32, 3),
    ROW("CH6G-11", summary_hits, S_25_32, P_25_32, 3),
    ROW("CH6G-12", hit_growth, S_25_128, S_25_8, 20),
    ROW("CH6G-13", change, BASELINE_25, CACHE_512, 8),
    ROW("CH6G-14", memory_of_one, BASELINE_25, BASELINE_25, 3),
    ROW("CH6G-15", atomics_cycles, ATOMICS, ATOMICS, 20),
    ROW("CH6G-16", lock_share, BASELINE_25, BASELINE_25, 1),
    ROW("CH6G-17", lock_wait_ns, BASELINE_25, BASELINE_25, 0),
    ROW("CH6G-18", writes_change, ATOMICS, BASELINE_25, 8),
    ROW("CH6G-19", change, ATOMICS, BASELINE_25, 0),
    ROW("CH6G-20", reads_reduction, CACHEABLE, BASELINE_25, 1),
    ROW("CH6G-21", hit_decrease, CACHEABLE, BASELINE_25, 5),
    ROW("CH6G-22", change, CACHEABLE, BASELINE_25, 8),
    ROW("CH6G-23", ahead_change, AHEAD_8, ARRAY_8, 10.5),
    ROW("CH6G-24", ratio, N_4_25, N_2_25, 0.15),
    ROW("CH6G-25", ratio, N_8_25, N_4_25, 0.22),
    ROW("CH6G-26", ratio, N_8_26, N_4_25, 0.2),
    ROW("CH6G-27", memory_of_all, N_8_25, N_8_25, 30),
    ROW("CH6G-28", between, N_8_25, N_8_25, 24),
    ROW("CH6G-29", memory_of_all, N_2_25, N_2_25, 10),
    ROW("CH6G-30", between, N_2_25, N_2_25, 7),
    ROW("CH6G-31", memory_growth, N_8_26, N_8_25, 10),
    ROW("CH6G-32", gteps, N_4_25, N_4_25, 4),
    ROW("CH6G-33", gteps, N_4_26, N_4_26, 4),
    ROW("CH6G-34", gteps, N_8_25, N_8_25, 5),
    ROW("CH6G-35", gteps, N_8_26, N_8_26, 6),
    ROW("CH6G-36", gteps, CPU, CPU, 1),
    ROW("CH6G-37", not_known, CPU, CPU, 0),
    ROW("CH6G-38", not_known, CPU, CPU, 0),
    ROW("CH6G-39", not_known, CPU, CPU, 0),
    ROW("CH6G-40", ratio, N_4_25, CPU, 1),
    ROW("CH6G-41", energy_saving, N_4_25, CPU, 0.9),
    ROW("CH6G-42", efficiency, N_4_25, N_4_25, 30),
    ROW("CH8-01", change, REMOTE, LOCAL, 5),
    ROW("CH8-02", iops, IOPS_64, IOPS_CPU, 0),
    ROW("CH8-03", iops, IOPS_32, IOPS_CPU, 0),
    ROW("CH8-04", ndp_outstanding, IOPS_32, IOPS_32, 0),
    ROW("CH8-05", cpu_outstanding, IOPS_CPU, IOPS_CPU, 100),
};

/* ---- claims ---- */

#define WITH(measure_, config_, against_) .measure = (measure_), .config = (config_), .against = (against_)

static const struct reproduce_claim claims[] = {
    {"V6 (a)",
     "from two to four NDPs the same graph is searched {=0} times as fast, within {~0}, from four to eight {=1}",
     "{0:.2}, {1:.2}",
     {PUBLISHED("CH6G-24"), PUBLISHED("CH6G-25")}},
    {"V6 (b)",
     "from the bottom up more accesses are remote than from the top down, and more of them hit in the NDP-AP",
     "{1:.0} and {0:.0} %; {3:.0} and {2:.0} %",
     {SHOWN(WITH(top_down_remote, BASELINE_25, BASELINE_25)),
      MUST_THAN(EXCEED, 0, 0, WITH(bottom_up_remote, BASELINE_25, BASELINE_25)),
      SHOWN(WITH(top_down_hits, BASELINE_25, BASELINE_25)),
      MUST_THAN(EXCEED, 0, 2, WITH(bottom_up_hits, BASELINE_25, BASELINE_25))}},
    {"V6 (c)",
     "an NDP-AP with a cache of 128 KB instead of 8 is worth {=0} % and more, and more for the larger graph",
     "{0:+.0}, {1:+.0} %",
     {MUST(REACH, 25, WITH(change, S_23_128, S_23_8)), MUST_THAN(EXCEED, 0, 0, WITH(change, S_25_128, S_25_8))}},
    {"V6 (d)",
     "remote frontiers that are cached are worth {=0} %, within {~0}, prefetching {=1} %, within {~1}, and atomics at "
     "the NDP-AP less than {=2} %",
     "{0:+.1}, {1:+.1}, {2:+.1} %",
     {PUBLISHED("CH6G-22"), PUBLISHED("CH6G-23"), MUST(BE_BELOW, 2, WITH(change, ATOMICS, BASELINE_25))}},
    {"V8 (d)",
     "four NDPs search {=0} to {=1} times as fast as a CPU of four channels",
     "{0:.2}",
     {MUST(REACH, 2.5, WITH(ratio, N_4_25, CPU)), MUST(NOT_EXCEED, 4.8, WITH(ratio, N_4_25, CPU))}},
};

/* Numbers that claims judge; and the thesis says the speedup three times. */
static const struct reproduce_same same[] = {
    {"CH6G-01", "CH6G-40"}, {"CH6G-02", "CH6G-40"}, {"CH6G-19", "V6 (d)"}, {"CH6G-22", "V6 (d)"},
    {"CH6G-23", "V6 (d)"},  {"CH6G-24", "V6 (a)"},  {"CH6G-25", "V6 (a)"},
};

/* ---- figures ---- */

static const char *const point_groups[] = {"8 KB", "16 KB", "32 KB", "64 KB", "128 KB"};
static const char *const point_bars[] = {"GTEPS", "hits, %", "GB/s in", "GB/s out"};

static double point_bar(data *d, uint32_t bar, uint32_t group)
{
	const uint32_t config = S_25_8 + group;

	if (bar < 2)
		return bar ? all_hits(d, config) : gteps_of(d, config);
	return level_rate(d, config,
			  counted(d, config, bar == 2 ? "channel.point_in_bytes" : "channel.point_out_bytes"));
}

static const char *const step_groups[] = {"alpha 14",  "baseline",	   "512 B caches", "always a summary, 32 KB",
					  "summary, 32 KB", "none, 32 KB", "atomics",	   "cacheable", "all"};
static const char *const step_bars[] = {"GTEPS"};

static double step_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[] = {ALPHA_14, BASELINE_25, CACHE_512, ALWAYS, S_25_32, P_25_32, ATOMICS, CACHEABLE,
				      N_8_25};

	(void)bar;
	return gteps_of(d, of[group]);
}

static const char *const size_groups[] = {"2 NDPs", "4 NDPs", "8 NDPs"};
static const char *const size_bars[] = {"scale 24", "scale 25", "scale 26"};

static double size_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[][3] = {
	    {N_2_24, UINT32_MAX, UINT32_MAX}, {N_2_25, N_4_25, N_8_25}, {UINT32_MAX, N_4_26, N_8_26}};

	return of[bar][group] == UINT32_MAX ? NAN : gteps_of(d, of[bar][group]);
}

#define CHART(title, of, bars, groups) {title, of, bars, ARRAY_COUNT(bars), groups, ARRAY_COUNT(groups), NULL}

static const struct reproduce_chart charts[] = {
    CHART("Figures 6.9 and 6.10: the NDP-AP's cache, scale 25", point_bar, point_bars, point_groups),
    CHART("Section 6.5.2: 8 NDPs, scale 25", step_bar, step_bars, step_groups),
    CHART("Figure 6.11: GTEPS", size_bar, size_bars, size_groups),
};

const struct reproduce_paper reproduce_graph500 = {
    .name = "graph500",
    .title = "Graph500 beside memory channels (PhD thesis 2017, section 6.5)",
    REPRODUCE_TABLE(config),
    REPRODUCE_TABLE(workload),
    REPRODUCE_TABLE(cell),
    .quick_sets = quick_sets,
    .full_sets = "",
    REPRODUCE_TABLE(row),
    .same = same,
    .same_count = ARRAY_COUNT(same),
    REPRODUCE_TABLE(claim),
    REPRODUCE_TABLE(chart),
};
