/* sort.c - chapter 7 of the thesis on near-data processors (NDPs) on memory channels: mergesort by the CPU and by merge
 * cores beside the memory, at the same time. */
#include "base/check.h"
#include "reproduce/claim.h"

#include <math.h>

static const char mergesort[] = "mergesort";
static const char *const workloads[] = {mergesort};

/* Table 7.1, and section 7.2: a POWER8 of 4.2 GHz, 8 threads a core of which 4 sort (section 7.4); caches of 128 KB,
 * none behind them. Memory was touched before. */
#define CPU(cores, channels, controllers, gigabytes)                                                                  \
	"cpu.page_fault_ps=0 cpu.clock_khz=4200000 cpu.smt_count=8 cpu.issue_count=8 cpu.l2_bytes=131072 "            \
	"cpu.llc_bytes=1024 cpu.core_count=" #cores " cpu.channel_count=" #channels                                   \
	" ddr.memory.channel_count=" #controllers " ddr.memory.capacity_bytes=" #gigabytes "GiB "
#define ONE(cores) CPU(cores, 1, 4, 32)
#define TWO CPU(2, 2, 8, 64)
#define FOUR CPU(4, 4, 16, 128)
/* Lines go round the channels where no NDP needs its own data in one place (section 5.3.3). */
#define NO_NDP "channel.ndp_count=0 cpu.placement=line"
#define NDPS(count) "channel.ndp_count=" #count

#define SORT(RUN, id, name, machine, sets, threads, ndps)                                                             \
	RUN(id, name, machine, sets, "--threads " #threads " --ndps " #ndps " --items 262144",                         \
	    "--threads " #threads " --ndps " #ndps " --items 4194304")
/* Of less: the first points of figure 7.6. */
#define LESS(RUN, id, name, machine, sets, threads, ndps)                                                             \
	RUN(id, name, machine, sets, "--threads " #threads " --ndps " #ndps " --items 65536",                         \
	    "--threads " #threads " --ndps " #ndps " --items 1048576")

#define RUNS(RUN)                                                                                                     \
	SORT(RUN, CPU_1, "1 core", "channel-ndp", ONE(1) NO_NDP, 4, 1)                                                \
	SORT(RUN, CPU_2, "2 cores", "channel-ndp", ONE(2) NO_NDP, 8, 1)                                               \
	SORT(RUN, NDP_1, "1 core, 1 NDP", "channel-hdl", ONE(1) NDPS(1), 4, 1)                                        \
	SORT(RUN, NDP_1_CORES_2, "2 cores, 1 NDP", "channel-hdl", ONE(2) NDPS(1), 8, 1)                               \
	LESS(RUN, LESS_CPU_1, "less, 1 core", "channel-ndp", ONE(1) NO_NDP, 4, 1)                                     \
	LESS(RUN, LESS_CPU_2, "less, 2 cores", "channel-ndp", ONE(2) NO_NDP, 8, 1)                                    \
	LESS(RUN, LESS_NDP_1, "less, 1 core, 1 NDP", "channel-hdl", ONE(1) NDPS(1), 4, 1)                             \
	LESS(RUN, LESS_NDP_1_CORES_2, "less, 2 cores, 1 NDP", "channel-hdl", ONE(2) NDPS(1), 8, 1)                    \
	SORT(RUN, CHANNELS_2, "2 cores, 2 channels", "channel-ndp", TWO NO_NDP, 8, 1)                                 \
	SORT(RUN, CHANNELS_4, "4 cores, 4 channels", "channel-ndp", FOUR NO_NDP, 16, 1)                               \
	SORT(RUN, NDP_2, "2 cores, 2 NDPs", "channel-hdl", TWO NDPS(2), 8, 2)                                         \
	SORT(RUN, NDP_4, "4 cores, 4 NDPs", "channel-hdl", FOUR NDPS(4), 16, 4)                                       \
	SORT(RUN, SOFTWARE, "1 core, 64 NDP cores", "channel-ndp", ONE(1) NDPS(1), 4, 1)

enum {
#define RUN(id, ...) id,
	RUNS(RUN)
#undef RUN
};

static const struct reproduce_config configs[] = {
#define RUN(id, name, machine, sets, ...) [id] = {name, machine, sets, NULL},
	RUNS(RUN)
#undef RUN
};

static const struct reproduce_cell cells[] = {
#define RUN(id, name, machine, sets, quick, full) {id, mergesort, quick, full},
	RUNS(RUN)
#undef RUN
};

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

/* ---- numbers of a run ---- */

static double said(data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, 0, "measures", name);
}

static double parameter(data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, 0, "params", name);
}

static double sort_time(data *d, uint32_t config)
{
	return said(d, config, "sort_time");
}

/* Bytes that were read from the memory, and written to it; what a run without accelerators does not count is none. */
static double or_none(double x)
{
	return isnan(x) ? 0 : x;
}

static double loads(data *d, uint32_t config)
{
	return said(d, config, "cpu.up_bytes") + or_none(said(d, config, "ndp.read_bytes"));
}

static double stores(data *d, uint32_t config)
{
	return said(d, config, "cpu.down_bytes") + or_none(said(d, config, "ndp.write_bytes"));
}

static double channel_bytes(data *d, uint32_t config)
{
	return said(d, config, "cpu.up_bytes") + said(d, config, "cpu.down_bytes");
}

/* ---- measures of rows ---- */

static double speedup(data *d, row_of *row)
{
	return sort_time(d, row->against) / sort_time(d, row->config);
}

/* Equation 7.1; config: log2 of the items, against: log2 of the switch value. */
static double bound(data *d, row_of *row)
{
	(void)d;
	return (double)row->config / row->against;
}

/* Equation 7.2. */
static double limit(data *d, row_of *row)
{
	return parameter(d, row->config, "cpu.dram_mbytes_per_s") /
	       (parameter(d, row->config, "cpu.up_mbytes_per_s") + parameter(d, row->config, "cpu.down_mbytes_per_s"));
}

static double from_mean_of_bounds(data *d, row_of *row)
{
	const double mean = (said(d, row->config, "speedup_least") + said(d, row->config, "speedup_most")) / 2;

	return 100 * fabs(speedup(d, row) / mean - 1);
}

static double measured(data *d, row_of *row)
{
	return said(d, row->config, row->stat);
}

static double stores_change(data *d, row_of *row)
{
	return 100 * (stores(d, row->config) / stores(d, row->against) - 1);
}

static double loads_change(data *d, row_of *row)
{
	return 100 * (loads(d, row->config) / loads(d, row->against) - 1);
}

static double channel_ratio(data *d, row_of *row)
{
	return channel_bytes(d, row->config) / channel_bytes(d, row->against);
}

static double not_known(data *d, row_of *row)
{
	(void)d;
	(void)row;
	return NAN;
}

/* An item read and one written a cycle. */
static double core_bandwidth(data *d, row_of *row)
{
	enum { ITEM_BYTES = 16 };

	return 2 * ITEM_BYTES * parameter(d, row->config, "ndp.clock_khz") * 1e-6;
}

static double added_power(data *d, uint32_t config)
{
	return parameter(d, config, "channel.ndp_count") *
	       (parameter(d, config, "channel.ndp_mw") + parameter(d, config, "channel.manager_mw")) * 1e-3;
}

static double power(data *d, row_of *row)
{
	return added_power(d, row->config);
}

/* Section 7.5.3: of a system of 400 W with four channels, whose part a run's channels are. */
static double power_share(data *d, uint32_t config)
{
	enum { SYSTEM_W = 400, SYSTEM_CHANNELS = 4 };

	return added_power(d, config) * SYSTEM_CHANNELS / parameter(d, config, "cpu.channel_count") / SYSTEM_W;
}

static double power_change(data *d, row_of *row)
{
	return 100 * power_share(d, row->config);
}

static double energy_saving(data *d, row_of *row)
{
	return speedup(d, row) / (1 + power_share(d, row->config));
}

#define ROW(id, measure, config, against, tolerance, stat)                                                            \
	{                                                                                                             \
		id, measure, config, against, mergesort, tolerance, stat                                              \
	}

static const struct reproduce_row rows[] = {
    ROW("CH7-01a", bound, 20, 11, 0.03, NULL),
    ROW("CH7-01b", bound, 20, 7, 0.03, NULL),
    ROW("CH7-02a", bound, 22, 11, 0.03, NULL),
    ROW("CH7-02b", bound, 22, 7, 0.03, NULL),
    ROW("CH7-03", limit, NDP_1, NDP_1, 0.1, NULL),
    ROW("CH7-04", speedup, NDP_1, CPU_1, 0.25, NULL),
    ROW("CH7-05", from_mean_of_bounds, NDP_1, CPU_1, 0, NULL),
    ROW("CH7-06", measured, NDP_1_CORES_2, NDP_1_CORES_2, 20, "switch_most_share"),
    ROW("CH7-07", speedup, NDP_2, NDP_1, 0.2, NULL),
    ROW("CH7-08", speedup, NDP_4, NDP_1, 0.4, NULL),
    ROW("CH7-09", stores_change, NDP_1, CPU_1, 15, NULL),
    ROW("CH7-10", not_known, CPU_1, CPU_1, 0, NULL),
    ROW("CH7-11", core_bandwidth, NDP_1, NDP_1, 0, NULL),
    ROW("CH7-12", power, NDP_4, NDP_4, 0, NULL),
    ROW("CH7-13", power_change, NDP_4, NDP_4, 0.6, NULL),
    ROW("CH7-14", speedup, NDP_1_CORES_2, CPU_2, 0.2, NULL),
    ROW("CH7-15", speedup, NDP_1, CPU_1, 0.25, NULL),
    ROW("CH7-16", speedup, NDP_1, CPU_1, 0.25, NULL),
    ROW("CH7-17", energy_saving, NDP_1_CORES_2, CPU_2, 0.2, NULL),
    ROW("CH7-18", energy_saving, NDP_1, CPU_1, 0.25, NULL),
};

/* ---- claims ---- */

#define WITH(measure_, config_, against_) .measure = (measure_), .config = (config_), .against = (against_)

static const struct reproduce_claim claims[] = {
	{"V9 (a)", "the bounds of equation 7.1 are {=0} and {=1} for 1 Mi items, {=2} and {=3} for 4 Mi, with switch "
		   "values of 2048 and 256",
	 "{0:.2}, {1:.2}, {2:.2}, {3:.2}",
	 {NEAR(1.82, 0.01, WITH(bound, 20, 11)), NEAR(2.5, 0.01, WITH(bound, 20, 8)),
	  NEAR(2, 0.01, WITH(bound, 22, 11)), NEAR(2.75, 0.01, WITH(bound, 22, 8))}},
	{"V9 (b)", "one core and one NDP are {=0} to {=1} times as fast as the core", "{0:.2}",
	 {MUST(REACH, 2, WITH(speedup, NDP_1, CPU_1)), MUST(NOT_EXCEED, 2.8, WITH(speedup, NDP_1, CPU_1))}},
	{"V9 (c)", "two cores have the largest switch value {=0} % of the time, within {~0}", "{0:.0} %",
	 {NEAR(42, 20, .measure = measured, .config = NDP_1_CORES_2, .stat = "switch_most_share")}},
	{"V9 (d)", "two NDPs are {=0} times as fast as one, four {=1} times", "{0:.2}, {1:.2}",
	 {PUBLISHED("CH7-07"), PUBLISHED("CH7-08")}},
	{"V9 (e)", "with an NDP there are {=0} % more stores, fewer loads, and less on the channel",
	 "{0:+.0} %, {1:+.0} %; {2:.2} of the bytes",
	 {PUBLISHED("CH7-09"), MUST(BE_BELOW, 0, WITH(loads_change, NDP_1, CPU_1)),
	  MUST(BE_BELOW, 1, WITH(channel_ratio, NDP_1, CPU_1))}},
};

/* Numbers that claims judge; and the thesis says the largest speedup three times. */
static const struct reproduce_same same[] = {
	{"CH7-01a", "V9 (a)"}, {"CH7-02a", "V9 (a)"},
	{"CH7-06", "V9 (c)"}, {"CH7-07", "V9 (d)"},  {"CH7-08", "V9 (d)"},
	{"CH7-09", "V9 (e)"}, {"CH7-15", "CH7-04"}, {"CH7-16", "CH7-04"},
};

/* ---- figures ---- */

static const char *const system_groups[] = {"1 core", "2 cores", "1 core, 1 NDP", "2 cores, 1 NDP"};
static const char *const size_bars[] = {"less", "the most"};

static double system_bar(data *d, uint32_t bar, uint32_t group)
{
	return said(d, (bar ? CPU_1 : LESS_CPU_1) + group, "rate");
}

static const char *const speedup_groups[] = {"1 core", "2 cores"};

static double speedup_bar(data *d, uint32_t bar, uint32_t group)
{
	const uint32_t of = (bar ? CPU_1 : LESS_CPU_1) + group;

	return sort_time(d, of) / sort_time(d, of + NDP_1 - CPU_1);
}

static const char *const channel_groups[] = {"1 channel", "2 channels", "4 channels"};
static const char *const channel_bars[] = {"CPU", "CPU and NDPs"};

static double channel_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[][3] = {{CPU_1, CHANNELS_2, CHANNELS_4}, {NDP_1, NDP_2, NDP_4}};

	return said(d, of[bar][group], "rate");
}

/* Figure 7.7b: all work, then NDPs alone, then the CPU alone. */
static const char *const share_bars[] = {"both", "NDPs alone", "CPU alone"};

static double share_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[] = {NDP_1, NDP_2, NDP_4};
	const double all = sort_time(d, of[group]), cpu = said(d, of[group], "cpu_time");
	const double near = said(d, of[group], "near_time");

	return 100 * (bar == 0 ? cpu : bar == 1 ? near - cpu : all - near) / all;
}

static const char *const movement_bars[] = {"loads", "stores", "channel"};
static const char *const movement_groups[] = {"1 core, 1 NDP"};

static double movement_bar(data *d, uint32_t bar, uint32_t group)
{
	static double (*const of[])(data *, uint32_t) = {loads, stores, channel_bytes};

	(void)group;
	return 100 * of[bar](d, NDP_1) / of[bar](d, CPU_1);
}

static const char *const kind_groups[] = {"CPU", "CPU and 64 NDP cores", "CPU and merge cores"};
static const char *const kind_bars[] = {"ms", "MB over the channel", "power model, mJ", "counted events, mJ"};

static double kind_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[] = {CPU_1, SOFTWARE, NDP_1};
	static const char *const energies[] = {"power_model_total_pj", "energy_total_pj"};
	const uint32_t config = of[group];

	if (bar == 0)
		return sort_time(d, config) * 1e3;
	return bar == 1 ? channel_bytes(d, config) * 1e-6
			: reproduce_number(d, config, 0, energies[bar - 2], NULL) * 1e-9;
}

#define CHART(title, of, bars, groups) {title, of, bars, ARRAY_COUNT(bars), groups, ARRAY_COUNT(groups), NULL}

static const struct reproduce_chart charts[] = {
	CHART("Figure 7.6a: million items per second", system_bar, size_bars, system_groups),
	CHART("Figure 7.6b: speedup by one NDP", speedup_bar, size_bars, speedup_groups),
	CHART("Figure 7.7a: million items per second", channel_bar, channel_bars, channel_groups),
	CHART("Figure 7.7b: who works, % of the time", share_bar, share_bars, channel_groups),
	CHART("Figure 7.8b: % of one core's", movement_bar, movement_bars, movement_groups),
	CHART("Mergesort by kind of NDP", kind_bar, kind_bars, kind_groups),
};

const struct reproduce_paper reproduce_sort = {
	.name = "sort",
	.title = "Sorting beside memory channels (PhD thesis 2017, chapter 7)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	REPRODUCE_TABLE(cell),
	.full_sets = "",
	REPRODUCE_TABLE(row),
	.same = same,
	.same_count = ARRAY_COUNT(same),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(chart),
};
