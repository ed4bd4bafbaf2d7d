/* channel.c - chapter 4 of the thesis on near-data processors (NDPs) on a CPU's memory channels: the synthetic
 * benchmarks of section 4.8 and Graph500 of section 4.9. */
#include "base/check.h"
#include "reproduce/claim.h"

#include <math.h>
#include <string.h>

enum { MESSAGE_BYTES = 12 }; /* thesis table 4.1 */
static const char channel[] = "channel", graph500[] = "graph500", sort[] = "sort";
static const char *const workloads[] = {channel, graph500, sort};

#define ONE_CHANNEL "cpu.channel_count=1 ddr.memory.channel_count=4 ddr.memory.capacity_bytes=32GiB"
/* Memory that is measured was touched before: the first accesses take no page faults. */
#define TOUCHED "cpu.page_fault_ps=0"
/* Section 4.8.1: the summary of the directory (ECD-S) is not used. */
#define NO_SUMMARY TOUCHED " channel.summary_percent=0"
/* Section 4.9: an ECD-$ of 8 KB, an NDP-AP's cache of 64 KB. */
#define SMALL TOUCHED " channel.directory_cache_bytes=8192 channel.point_cache_bytes="

/* Sections 4.8.1 and 4.8.4: prefetching one ahead, here the line after the one that is read. */
#define LINE_AHEAD " --prefetch 4"

/* What is run: a configuration each, with its machine and settings, its workload, and what that is told in a quick and
 * in a full run. */
#define STREAM(RUN, id, name, sets, state, more)                                                                      \
	RUN(id, name, "channel-ndp", sets, channel, "--kbytes 4096 --state " state more,                              \
	    "--kbytes 16384 --state " state more)
/* Section 4.8.1: uniformly random pieces of 1 GB, all Shared; of so many per cent of it the summary holds. */
#define RANDOM(RUN, percent)                                                                                          \
	RUN(RANDOM_##percent, "random read, " #percent " % summarised", "channel-ndp",                                \
	    TOUCHED " channel.summary_percent=" #percent, channel,                                                    \
	    "--order random --state shared --prefetch 1 --filled 0 --kbytes 1048576 --each 1000",                     \
	    "--order random --state shared --prefetch 1 --filled 0 --kbytes 1048576 --each 8000")
#define PATTERN(RUN, id, pattern, ndps, more)                                                                         \
	RUN(id, pattern more, "channel-ndp", TOUCHED, channel,                                                        \
	    "--pattern " pattern " --ndps " ndps " --kbytes 2048" more,                                               \
	    "--pattern " pattern " --ndps " ndps " --kbytes 8192" more)
#define SNOOP(RUN, buses, ndps)                                                                                       \
	RUN(SNOOP_##buses##_##ndps, "CPU owned, " #buses " snoop buses, " #ndps " NDPs", "channel-ndp",               \
	    NO_SUMMARY " cpu.snoop_bus_count=" #buses, channel, "--kbytes 1024 --ndps " #ndps LINE_AHEAD,             \
	    "--kbytes 8192 --ndps " #ndps LINE_AHEAD)
#define COPIES(RUN, buses)                                                                                            \
	RUN(COPIES_##buses, "8 NDPs copy, " #buses " snoop buses", "channel-ndp",                                     \
	    NO_SUMMARY " cpu.snoop_bus_count=" #buses, channel,                                                       \
	    "--pattern copy --prefetch 1 --kbytes 1024 --ndps 8", "--pattern copy --prefetch 1 --kbytes 8192 --ndps 8")
#define GRAPH(RUN, id, name, sets, ndps, quick_scale, full_scale)                                                     \
	RUN(id, name, "channel-ndp", sets, graph500, "--roots 4 --ndps " ndps " --scale " quick_scale,                \
	    "--roots 4 --ndps " ndps " --scale " full_scale)

#define RUNS(RUN)                                                                                                     \
	/* Section 4.8.3: the CPU copies, on one channel; more than its caches of 85 MB hold. */                      \
	RUN(CPU_COPY, "CPU copies, 1 channel", "channel-cpu", TOUCHED " " ONE_CHANNEL, channel,                       \
	    "--where cpu --pattern copy --prefetch 16 --kbytes 131072",                                               \
	    "--where cpu --pattern copy --prefetch 16 --kbytes 524288")                                               \
	/* Section 4.7: an access of the CPU that goes to the memory. */                                              \
	RUN(CPU_CHASE, "CPU chases", "channel-cpu", TOUCHED " cpu.llc_bytes=1MiB", channel,                           \
	    "--where cpu --order chase --threads 1 --kbytes 65536 --each 20000",                                      \
	    "--where cpu --order chase --threads 1 --kbytes 262144 --each 100000")                                    \
	/* Section 4.5.5, of a POWER8: lines that two cores have, each written by one; they fit the second levels. */  \
	RUN(CPU_INVALIDATES, "CPU invalidates", "channel-power8", TOUCHED, channel,                                   \
	    "--where cpu --pattern invalidate --kbytes 2048", "--where cpu --pattern invalidate --kbytes 2048")       \
	STREAM(RUN, SHARED, "stream, Shared", NO_SUMMARY, "shared", "")                                               \
	STREAM(RUN, OWNED, "stream, CPU owned", NO_SUMMARY, "cpu", "")                                                \
	STREAM(RUN, SHARED_AHEAD, "stream, Shared, prefetch", NO_SUMMARY, "shared", LINE_AHEAD)                       \
	STREAM(RUN, OWNED_AHEAD, "stream, CPU owned, prefetch", NO_SUMMARY, "cpu", LINE_AHEAD)                        \
	RANDOM(RUN, 100)                                                                                              \
	RANDOM(RUN, 75)                                                                                               \
	RANDOM(RUN, 50)                                                                                               \
	RANDOM(RUN, 25)                                                                                               \
	RANDOM(RUN, 0)                                                                                                \
	PATTERN(RUN, ONE_READ, "one-to-one", "2", "")                                                                 \
	PATTERN(RUN, ONE_WRITE, "one-to-one", "2", " --access write")                                                 \
	RUN(ONE_RANDOM_READ, "one-to-one --order random", "channel-ndp", TOUCHED, channel,                            \
	    "--pattern one-to-one --ndps 2 --order random --kbytes 262144 --each 2000 --filled 0",                     \
	    "--pattern one-to-one --ndps 2 --order random --kbytes 1048576 --each 4000 --filled 0")                   \
	RUN(ONE_RANDOM_WRITE, "one-to-one --order random --access write", "channel-ndp", TOUCHED, channel,            \
	    "--pattern one-to-one --ndps 2 --order random --access write --kbytes 65536 --each 2000",                  \
	    "--pattern one-to-one --ndps 2 --order random --access write --kbytes 262144 --each 4000")                \
	PATTERN(RUN, BROADCAST, "broadcast", "8", "")                                                                 \
	PATTERN(RUN, SCATTER, "scatter", "8", "")                                                                     \
	PATTERN(RUN, GATHER, "gather", "8", "")                                                                       \
	PATTERN(RUN, REDUCE, "reduce", "8", "")                                                                       \
	PATTERN(RUN, ALL_GATHER, "all-gather", "8", "")                                                               \
	PATTERN(RUN, ALL_REDUCE, "all-reduce", "8", "")                                                               \
	/* Section 4.8.3: 8 MB of the source are in a cache of the CPU, modified. */                                  \
	RUN(COPY_SMALL, "an NDP copies 8 MB", "channel-ndp", NO_SUMMARY, channel,                                     \
	    "--pattern copy --prefetch 1 --dirty 8 --kbytes 8192",                                                    \
	    "--pattern copy --prefetch 1 --dirty 8 --kbytes 8192")                                                    \
	RUN(COPY_LARGE, "an NDP copies the most", "channel-ndp", NO_SUMMARY, channel,                                 \
	    "--pattern copy --prefetch 1 --dirty 8 --kbytes 65536",                                                   \
	    "--pattern copy --prefetch 1 --dirty 8 --kbytes 524288")                                                  \
	SNOOP(RUN, 1, 1)                                                                                              \
	SNOOP(RUN, 1, 2)                                                                                              \
	SNOOP(RUN, 1, 4)                                                                                              \
	SNOOP(RUN, 1, 8)                                                                                              \
	SNOOP(RUN, 2, 1)                                                                                              \
	SNOOP(RUN, 2, 2)                                                                                              \
	SNOOP(RUN, 2, 4)                                                                                              \
	SNOOP(RUN, 2, 8)                                                                                              \
	SNOOP(RUN, 4, 1)                                                                                              \
	SNOOP(RUN, 4, 2)                                                                                              \
	SNOOP(RUN, 4, 4)                                                                                              \
	SNOOP(RUN, 4, 8)                                                                                              \
	RUN(SHARED_8, "Shared, 8 NDPs", "channel-ndp", NO_SUMMARY, channel,                                           \
	    "--kbytes 1024 --ndps 8 --state shared" LINE_AHEAD,                                                       \
	    "--kbytes 8192 --ndps 8 --state shared" LINE_AHEAD)                                                     \
	COPIES(RUN, 1)                                                                                                \
	COPIES(RUN, 2)                                                                                                \
	COPIES(RUN, 4)                                                                                                \
	RUN(NDP_CHASE, "an NDP's core chases", "channel-ndp", TOUCHED, channel,                                       \
	    "--order chase --threads 1 --kbytes 262144 --each 5000 --state shared",                                   \
	    "--order chase --threads 1 --kbytes 262144 --each 50000 --state shared")                                   \
	RUN(REMOTE_CHASE, "an NDP's core chases in another's memory", "channel-ndp", TOUCHED, channel,                \
	    "--pattern one-to-one --ndps 2 --order chase --threads 1 --kbytes 4096 --each 5000",                      \
	    "--pattern one-to-one --ndps 2 --order chase --threads 1 --kbytes 65536 --each 50000")                    \
	/* A program that knows nothing of NDPs, on a machine with idle ones and on the same without. One that \
	 * claims, as that of the patterns does, has less to do where there are none. */                       \
	RUN(IDLE, "CPU, NDPs idle", "channel-ndp", TOUCHED " channel.place=cpu", sort, "--size small",         \
	    "--size small")                                                                                    \
	RUN(NONE, "CPU, no NDPs", "channel-ndp", TOUCHED " channel.place=cpu channel.ndp_count=0", sort,       \
	    "--size small", "--size small")                                                                    \
	/* Section 4.9: strong scaling, and weak. */                                                                  \
	RUN(GRAPH_CPU, "Graph500, CPU", "channel-cpu", TOUCHED, graph500, "--roots 4 --scale 18",                     \
	    "--roots 4 --scale 21")                                                                                   \
	GRAPH(RUN, GRAPH_1, "Graph500, 1 NDP", SMALL "65536", "1", "18", "21")                                        \
	GRAPH(RUN, GRAPH_2, "Graph500, 2 NDPs", SMALL "65536", "2", "18", "21")                                       \
	GRAPH(RUN, GRAPH_4, "Graph500, 4 NDPs", SMALL "65536", "4", "18", "21")                                       \
	GRAPH(RUN, GRAPH_8, "Graph500, 8 NDPs", SMALL "65536", "8", "18", "21")                                       \
	GRAPH(RUN, WEAK_1, "Graph500, weak, 1 NDP", SMALL "65536", "1", "15", "18")                                   \
	GRAPH(RUN, WEAK_2, "Graph500, weak, 2 NDPs", SMALL "65536", "2", "16", "19")                                  \
	GRAPH(RUN, WEAK_4, "Graph500, weak, 4 NDPs", SMALL "65536", "4", "17", "20")                                  \
	GRAPH(RUN, POINT_32K, "Graph500, 4 NDPs, NDP-AP 32 KB", SMALL "32768", "4", "18", "21")                       \
	GRAPH(RUN, POINT_512K, "Graph500, 4 NDPs, NDP-AP 512 KB", SMALL "524288", "4", "18", "21")                    \
	GRAPH(RUN, POINT_80M, "Graph500, 4 NDPs, NDP-AP 80 MB", SMALL "83886080", "4", "18", "21")                    \
	GRAPH(RUN, UNSUMMARISED, "Graph500, 8 NDPs, no ECD-S", SMALL "65536 channel.summary_percent=0", "8", "18", "21")

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
#define RUN(id, name, machine, sets, workload, quick, full) {id, workload, quick, full},
	RUNS(RUN)
#undef RUN
};

/* ---- numbers of a run ---- */

/* What the program has measured, by name. */
static double said(const struct reproduce_data *d, uint32_t config, const char *workload, const char *name)
{
	return reproduce_number(d, config, reproduce_workload(d, workload), "measures", name);
}

static double bandwidth(const struct reproduce_data *d, uint32_t config)
{
	return said(d, config, channel, "bandwidth");
}

static double teps(const struct reproduce_data *d, uint32_t config)
{
	return said(d, config, graph500, "harmonic_mean_TEPS");
}

/* What was counted while Graph500 searched. */
static double counted(const struct reproduce_data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, reproduce_workload(d, graph500), "stats", name);
}

static double remote_of(const struct reproduce_data *d, uint32_t config)
{
	return counted(d, config, "channel.remote_reads") + counted(d, config, "channel.remote_writes") +
	       counted(d, config, "channel.remote_atomics");
}

static double memory_bytes(const struct reproduce_data *d, uint32_t config)
{
	return counted(d, config, "channel.directory_bytes") + counted(d, config, "channel.near_bytes") +
	       counted(d, config, "channel.remote_bytes") + counted(d, config, "channel.processor_bytes") +
	       counted(d, config, "channel.processor_write_back_bytes");
}

/* ---- measures of rows ---- */

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

/* By the name of row->stat. */
static double measured(data *d, row_of *row)
{
	return said(d, row->config, row->workload ? row->workload : channel, row->stat);
}

/* Bytes that the machine has counted meanwhile, per second. */
static double rate(data *d, row_of *row)
{
	return measured(d, row) / said(d, row->config, channel, "measured_time") * 1e-9;
}

/* Lines, without messages and the data between NDPs and the NDP-AP: from the memory that is accessed, and back. */
static double lines_up(data *d, row_of *row)
{
	return (said(d, row->config, channel, "cpu.up_bytes") - said(d, row->config, channel, "channel.data_up_bytes") -
		MESSAGE_BYTES * said(d, row->config, channel, "channel.messages_up")) /
	       said(d, row->config, channel, "measured_time") * 1e-9;
}

static double lines_down(data *d, row_of *row)
{
	return (said(d, row->config, channel, "cpu.down_bytes") -
		said(d, row->config, channel, "channel.data_down_bytes") -
		MESSAGE_BYTES * said(d, row->config, channel, "channel.messages_down")) /
	       said(d, row->config, channel, "measured_time") * 1e-9;
}

/* Each way. */
static double message_rate(data *d, row_of *row)
{
	return said(d, row->config, channel, "channel.message_bytes") / 2 /
	       said(d, row->config, channel, "measured_time") * 1e-9;
}

static double message_share(data *d, row_of *row)
{
	return message_rate(d, row) / bandwidth(d, row->config);
}

static double bandwidth_ratio(data *d, row_of *row)
{
	return bandwidth(d, row->config) / bandwidth(d, row->against);
}

/* How much of what CPU-owned data cost prefetching gives back. */
static double gap_closed(data *d, row_of *row)
{
	const double lost = bandwidth(d, SHARED) - bandwidth(d, OWNED);

	(void)row;
	return 100 * (bandwidth(d, OWNED_AHEAD) - bandwidth(d, OWNED)) / lost;
}

static double not_monotonic(data *d, row_of *row)
{
	uint32_t count = 0;

	(void)row;
	for (uint32_t c = RANDOM_100; c < RANDOM_0; c++) {
		if (isnan(bandwidth(d, c)) || isnan(bandwidth(d, c + 1)))
			return NAN;
		count += bandwidth(d, c) <= bandwidth(d, c + 1);
	}
	return count;
}

static double hit_rate(data *d, row_of *row)
{
	return 100 * said(d, row->config, channel, "channel.point_hits") /
	       said(d, row->config, channel, "channel.point_lookups");
}

/* Of the bus' 2 GHz; requests and acknowledgments both count. */
static double ticks_per_message(data *d, row_of *row)
{
	return said(d, row->config, channel, "measured_time") * 2e9 /
	       (said(d, row->config, channel, "channel.messages_up") +
		said(d, row->config, channel, "channel.messages_down"));
}

static double latency_saved(data *d, row_of *row)
{
	return 100 * (1 - said(d, row->config, channel, "time_per_access") /
			      said(d, row->against, channel, "time_per_access"));
}

/* The most of the runs of one number of snoop buses. */
static double snoop_most(data *d, row_of *row)
{
	double most = 0;

	for (uint32_t c = row->config; c < row->config + 4; c++) {
		if (isnan(bandwidth(d, c)))
			return NAN;
		most = fmax(most, bandwidth(d, c));
	}
	return most;
}

static double gteps(data *d, row_of *row)
{
	return teps(d, row->config) * 1e-9;
}

static double teps_ratio(data *d, row_of *row)
{
	return teps(d, row->config) / teps(d, row->against);
}

static double teps_change(data *d, row_of *row)
{
	return 100 * (teps_ratio(d, row) - 1);
}

/* From 1 to 8 NDPs is three doublings. */
static double doubling(data *d, row_of *row)
{
	return cbrt(teps_ratio(d, row));
}

static double remote_share(data *d, row_of *row)
{
	const double remote = remote_of(d, row->config);

	return 100 * remote / (remote + counted(d, row->config, "channel.local"));
}

static double in_to_out(data *d, row_of *row)
{
	return counted(d, row->config, "channel.point_in_bytes") / counted(d, row->config, "channel.point_out_bytes");
}

static double graph_hit_rate(data *d, row_of *row)
{
	return 100 * counted(d, row->config, "channel.point_hits") / counted(d, row->config, "channel.point_lookups");
}

/* By the name of row->stat, in per cent. */
static double count_change(data *d, row_of *row)
{
	return 100 * (counted(d, row->config, row->stat) / counted(d, row->against, row->stat) - 1);
}

static double directory_miss_rate(data *d, row_of *row)
{
	return 100 * counted(d, row->config, "channel.directory_misses") /
	       counted(d, row->config, "channel.directory_lookups");
}

static double directory_share(data *d, row_of *row)
{
	return 100 * counted(d, row->config, "channel.directory_bytes") / memory_bytes(d, row->config);
}

/* Of all that the channels carry. */
static double coherence_share(data *d, row_of *row)
{
	return 100 * counted(d, row->config, "channel.message_bytes") /
	       (counted(d, row->config, "cpu.up_bytes") + counted(d, row->config, "cpu.down_bytes"));
}

static double graph_message_rate(data *d, row_of *row)
{
	return counted(d, row->config, "channel.message_bytes") /
	       reproduce_time_ps(d, row->config, reproduce_workload(d, graph500)) * 1e3;
}

/* Two bits for a line. */
static double directory_size(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, channel);

	return 100 * 2 / (8 * reproduce_number(d, row->config, w, "params", "cpu.line_bytes"));
}

/* What an idle NDP costs the CPU's programs, in ps, and how often it was asked. */
static double idle_cost(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, sort);

	return fabs(reproduce_time_ps(d, row->config, w) - reproduce_time_ps(d, row->against, w));
}

static double idle_work(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, sort);

	return reproduce_number(d, row->config, w, "stats", "channel.directory_lookups") +
	       reproduce_number(d, row->config, w, "stats", "channel.forwards");
}

/* Section 4.9.3: powers over the run's time. */
static double power_w(data *d, uint32_t config, const char *part)
{
	const uint32_t w = reproduce_workload(d, graph500);

	return reproduce_number(d, config, w, "power_model_pj", part) / reproduce_time_ps(d, config, w);
}

static double parameter(data *d, uint32_t config, const char *name)
{
	return reproduce_number(d, config, reproduce_workload(d, graph500), "params", name);
}

/* What the NDPs and what they need take, less what the CPU's cores would take awake and do not. */
static double net_power(data *d, row_of *row)
{
	const double cores_w =
		parameter(d, row->config, "cpu.core_count") * parameter(d, row->config, "cpu.core_mw") * 1e-3;

	return power_w(d, row->config, "ndps") + power_w(d, row->config, "ndp_managers") +
	       power_w(d, row->config, "ndp_points") - (cores_w - power_w(d, row->config, "cores"));
}

/* Of the whole server, for one edge. */
static double energy_ratio(data *d, row_of *row)
{
	const uint32_t w = reproduce_workload(d, graph500);

	return reproduce_number(d, row->config, w, "power_model_w", NULL) /
	       reproduce_number(d, row->against, w, "power_model_w", NULL) / teps_ratio(d, row);
}

static double ndp_power(data *d, row_of *row)
{
	return power_w(d, row->config, "ndps") / parameter(d, row->config, "channel.ndp_count");
}

#define ROW(id, measure, config, against, tolerance, stat)                                                            \
	{                                                                                                             \
		id, measure, config, against, channel, tolerance, stat                                                \
	}
#define SAID(id, config, stat, tolerance) ROW(id, measured, config, config, tolerance, stat)

static const struct reproduce_row rows[] = {
    SAID("CH4-01", SHARED, "bandwidth", 2.9),
    SAID("CH4-02", OWNED, "bandwidth", 2.4),
    ROW("CH4-03", message_rate, OWNED, OWNED, 0.25, NULL),
    ROW("CH4-04", rate, SHARED, SHARED, 0.5, "channel.directory_bytes"),
    ROW("CH4-05", bandwidth_ratio, RANDOM_0, RANDOM_100, 0.05, NULL),
    SAID("CH4-06", ONE_READ, "bandwidth", 0.7),
    ROW("CH4-07", hit_rate, ONE_READ, ONE_READ, 2, NULL),
    SAID("CH4-08", ONE_WRITE, "bandwidth", 0.7),
    ROW("CH4-09", hit_rate, ONE_WRITE, ONE_WRITE, 2, NULL),
    SAID("CH4-10", ONE_RANDOM_READ, "bandwidth", 0.35),
    ROW("CH4-11", lines_up, ONE_RANDOM_READ, ONE_RANDOM_READ, 1.4, NULL),
    ROW("CH4-12", hit_rate, ONE_RANDOM_READ, ONE_RANDOM_READ, 3, NULL),
    SAID("CH4-13", ONE_RANDOM_WRITE, "bandwidth", 0.175),
    ROW("CH4-14", lines_down, ONE_RANDOM_WRITE, ONE_RANDOM_WRITE, 0.7, NULL),
    ROW("CH4-15", hit_rate, ONE_RANDOM_WRITE, ONE_RANDOM_WRITE, 2, NULL),
    SAID("CH4-16", BROADCAST, "bandwidth", 4.9),
    SAID("CH4-17", SCATTER, "bandwidth", 1.4),
    SAID("CH4-18", GATHER, "bandwidth", 0.7),
    SAID("CH4-19", ALL_GATHER, "bandwidth", 4.5),
    SAID("CH4-20", CPU_COPY, "bandwidth", 1),
    ROW("CH4-21", ticks_per_message, COPY_LARGE, COPY_LARGE, 1, NULL),
    ROW("CH4-22", snoop_most, SNOOP_1_1, SNOOP_1_1, 0, NULL),
    ROW("CH4-23", snoop_most, SNOOP_2_1, SNOOP_2_1, 0, NULL),
    /* Measured on a machine. */
    SAID("CH4-24", CPU_INVALIDATES, "bandwidth", 42),
    ROW("CH4-25", latency_saved, NDP_CHASE, CPU_CHASE, 3, NULL),
    ROW("CH4-26", gteps, GRAPH_1, GRAPH_1, 0.5, NULL),
    ROW("CH4-27", teps_ratio, GRAPH_8, GRAPH_CPU, 0.5, NULL),
    ROW("CH4-28", remote_share, GRAPH_2, GRAPH_2, 3, NULL),
    ROW("CH4-29", remote_share, GRAPH_8, GRAPH_8, 5, NULL),
    ROW("CH4-30", doubling, GRAPH_8, GRAPH_1, 0.1, NULL),
    ROW("CH4-31", doubling, GRAPH_8, WEAK_1, 0.15, NULL),
    ROW("CH4-32", in_to_out, GRAPH_4, GRAPH_4, 0.4, NULL),
    ROW("CH4-33", graph_hit_rate, POINT_32K, POINT_32K, 1, NULL),
    ROW("CH4-34", graph_hit_rate, POINT_512K, POINT_512K, 5, NULL),
    ROW("CH4-35", teps_change, POINT_512K, POINT_32K, 4, NULL),
    ROW("CH4-36", count_change, POINT_512K, POINT_32K, 5, "channel.point_in_bytes"),
    ROW("CH4-37", graph_hit_rate, POINT_80M, POINT_80M, 5, NULL),
    ROW("CH4-38", teps_change, POINT_80M, POINT_32K, 8, NULL),
    ROW("CH4-39", directory_miss_rate, GRAPH_8, GRAPH_8, 0, NULL),
    ROW("CH4-40", count_change, UNSUMMARISED, GRAPH_8, 10, "channel.directory_lookups"),
    ROW("CH4-41", directory_share, UNSUMMARISED, UNSUMMARISED, 0, NULL),
    ROW("CH4-42", coherence_share, GRAPH_8, GRAPH_8, 2, NULL),
    ROW("CH4-43", graph_message_rate, GRAPH_1, GRAPH_1, 0.01, NULL),
    ROW("CH4-44", teps_change, GRAPH_8, UNSUMMARISED, 5, NULL),
    ROW("CH4-45", net_power, GRAPH_8, GRAPH_8, 1, NULL),
    ROW("CH4-46", energy_ratio, GRAPH_8, GRAPH_CPU, 0.1, NULL),
    ROW("CH4-47", ndp_power, GRAPH_8, GRAPH_8, 0, NULL),
    ROW("CH4-48", directory_size, CPU_CHASE, CPU_CHASE, 0.01, NULL),
};

/* ---- claims ---- */

#define WITH(measure_, config_, against_) .measure = (measure_), .config = (config_), .against = (against_)
#define BANDWIDTH(config_) .measure = measured, .config = (config_), .workload = channel, .stat = "bandwidth"
#define TIME(config_) .measure = measured, .config = (config_), .workload = channel, .stat = "time_per_access"

static const struct reproduce_claim claims[] = {
	{"V1 (a)", "an NDP streams {=0} GB/s of Shared and {=1} GB/s of CPU-owned data, within 10 %",
	 "{0:.1}, {1:.1} GB/s",
	 {PUBLISHED("CH4-01"), PUBLISHED("CH4-02")}},
	{"V1 (b)", "messages are 12 bytes each way for 128 of data", "{0:.4} of the data",
	 {NEAR(0.09375, 0.01, WITH(message_share, OWNED, OWNED))}},
	{"V1 (c)", "prefetching gives back at least {=0} % of what CPU-owned data costs", "{0:.0} %",
	 {MUST(REACH, 50, WITH(gap_closed, OWNED, OWNED))}},
	{"V1 (d)", "random reads without summaries have {=0} of the bandwidth, and the more, the more are summarised",
	 "{0:.2}; {1} steps are no gain",
	 {PUBLISHED("CH4-05"), MUST(NOT_EXCEED, 0, WITH(not_monotonic, RANDOM_0, RANDOM_100))}},
	{"V2 (a)", "one to one: {=0}, {=1}, {=2}, {=3} GB/s, within 7 %", "{0:.2}, {1:.2}, {2:.2}, {3:.2}",
	 {PUBLISHED("CH4-06"), PUBLISHED("CH4-08"), PUBLISHED("CH4-10"), PUBLISHED("CH4-13")}},
	{"V2 (b)", "broadcast within 7 % of 64 to 70, scatter, gather, all-gather: {=2}, {=3}, {=4} GB/s",
	 "{0:.1}, {2:.1}, {3:.1}, {4:.1}",
	 {MUST(REACH, 0.93 * 64, BANDWIDTH(BROADCAST)), MUST(NOT_EXCEED, 1.07 * 70, BANDWIDTH(BROADCAST)),
	  PUBLISHED("CH4-17"), PUBLISHED("CH4-18"), PUBLISHED("CH4-19")}},
	{"V2 (c)", "the NDP-AP's hit rates: {=0}, {=1}, {=2}, {=3} %", "{0:.1}, {1:.1}, {2:.1}, {3:.1}",
	 {PUBLISHED("CH4-07"), PUBLISHED("CH4-09"), PUBLISHED("CH4-12"), PUBLISHED("CH4-15")}},
	{"V2 (d)", "reductions are bound as their gathers are", "reduce {0:.1} GB/s, all-reduce {1:.1}",
	 {NEAR(10, 0.7, BANDWIDTH(REDUCE)), SHOWN(BANDWIDTH(ALL_REDUCE))}},
	{"V3 (a)", "NDPs claim at most {=0} GB/s with one snoop bus, {=1} with two", "{0:.0}, {1:.0}; with four {2:.0}",
	 {MUST(NOT_EXCEED, 256, WITH(snoop_most, SNOOP_1_1, SNOOP_1_1)),
	  MUST(NOT_EXCEED, 512, WITH(snoop_most, SNOOP_2_1, SNOOP_2_1)),
	  SHOWN(WITH(snoop_most, SNOOP_4_1, SNOOP_4_1))}},
	{"V3 (b)", "with two buses eight NDPs reach {=0} of the bandwidth on Shared data at least",
	 "{0:.2}; copies with 1, 2, 4 buses {1:.0}, {2:.0}, {3:.0} GB/s",
	 {MUST(REACH, 0.85, WITH(bandwidth_ratio, SNOOP_2_8, SHARED_8)), SHOWN(BANDWIDTH(COPIES_1)),
	  SHOWN(BANDWIDTH(COPIES_2)), SHOWN(BANDWIDTH(COPIES_4))}},
	{"V3 (c)", "an NDP copies a small set slower than a CPU, a large one faster",
	 "CPU {0:.1}, small {1:.1}, large {2:.1} GB/s",
	 {PUBLISHED("CH4-20"), MUST_THAN(BE_BELOW, 0, 0, BANDWIDTH(COPY_SMALL)),
	  MUST_THAN(EXCEED, 0, 0, BANDWIDTH(COPY_LARGE))}},
	{"V4 (b)", "no directory access and no forwarding for what is CPU owned", "{0:.0} of a CPU's program",
	 {MUST(NOT_EXCEED, 0, WITH(idle_work, IDLE, IDLE))}},
	{"V4 (c)", "a CPU's program takes the same time with idle NDPs and without", "{0:.0} ps apart",
	 {MUST(NOT_EXCEED, 0, WITH(idle_cost, IDLE, NONE))}},
	{"V5 (a)", "without ECD-S the directory takes above {=0} % of the memory's traffic, with it the run is faster",
	 "{0:.1} %, {1:+.1} %",
	 {MUST(EXCEED, 15, WITH(directory_share, UNSUMMARISED, UNSUMMARISED)),
	  NEAR(10, 5, WITH(teps_change, GRAPH_8, UNSUMMARISED))}},
	{"V5 (b)", "hit rate and speed rise with the NDP-AP's cache",
	 "{0:.1}, {1:.1}, {2:.1} %; speed {3:+.1}, {4:+.1} %",
	 {SHOWN(WITH(graph_hit_rate, POINT_32K, POINT_32K)),
	  MUST_THAN(EXCEED, 0, 0, WITH(graph_hit_rate, POINT_512K, POINT_512K)),
	  MUST_THAN(EXCEED, 0, 1, WITH(graph_hit_rate, POINT_80M, POINT_80M)),
	  MUST(EXCEED, 0, WITH(teps_change, POINT_512K, POINT_32K)),
	  MUST_THAN(EXCEED, 0, 3, WITH(teps_change, POINT_80M, POINT_32K))}},
	{"V5 (c)", "coherence takes at most {=0} % of the channels' traffic", "{0:.2} %",
	 {MUST(NOT_EXCEED, 4, WITH(coherence_share, GRAPH_8, GRAPH_8))}},
	/* What the review of the issue asks to show of the machine. */
	{"CPU (a)", "an access of the CPU's that goes to the memory takes {=0} ns within {~0}", "{0:.1} ns",
	 {NEAR(80, 4, TIME(CPU_CHASE))}},
	{"CPU (b)", "the bus takes invalidations of at most {=0} GB/s", "{0:.1} GB/s",
	 {MUST(NOT_EXCEED, 512, BANDWIDTH(CPU_INVALIDATES))}},
	{"NDP (a)", "an NDP's access takes {=0} ns within {~0}, a remote one {=1} to {=2} ns", "{0:.1}, {1:.1} ns",
	 {NEAR(60, 5, TIME(NDP_CHASE)), MUST(REACH, 180, TIME(REMOTE_CHASE)),
	  MUST(NOT_EXCEED, 240, TIME(REMOTE_CHASE))}},
};

/* ---- figures ---- */

static const char *const bus_names[] = {"1 bus", "2 buses", "4 buses"};
static const char *const ndp_names[] = {"1 NDP", "2 NDPs", "4 NDPs", "8 NDPs"};

static double snoop_bar(data *d, uint32_t bar, uint32_t group)
{
	return bandwidth(d, SNOOP_1_1 + bar * 4 + group);
}

static const char *const states[] = {"Shared", "CPU owned", "Shared, prefetch", "CPU owned, prefetch"};
static const char *const stream_bars[] = {"GB/s"};

static double stream_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return bandwidth(d, SHARED + group);
}

static const char *const shares[] = {"100 %", "75 %", "50 %", "25 %", "0 %"};

static double random_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return bandwidth(d, RANDOM_100 + group);
}

static const char *const patterns[] = {"read",	  "write",  "random read", "random write", "broadcast",
				       "scatter", "gather", "reduce",	   "all-gather",   "all-reduce"};

static double pattern_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return bandwidth(d, ONE_READ + group);
}

static const char *const hits_bars[] = {"% hits"};

static double pattern_hits_bar(data *d, uint32_t bar, uint32_t group)
{
	const row_of row = {.config = ONE_READ + group};

	(void)bar;
	return hit_rate(d, &row);
}

static const char *const copy_groups[] = {"CPU", "NDP, 8 MB", "NDP, the most"};

static double copy_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[] = {CPU_COPY, COPY_SMALL, COPY_LARGE};

	(void)bar;
	return bandwidth(d, of[group]);
}

static double copies_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return bandwidth(d, COPIES_1 + group);
}

static const char *const graph_bars[] = {"GTEPS"};
static const char *const graph_groups[] = {"CPU", "1 NDP", "2 NDPs", "4 NDPs", "8 NDPs"};

static double graph_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return teps(d, GRAPH_CPU + group) * 1e-9;
}

static const char *const traffic_bars[] = {"up", "down", "messages", "into the NDP-AP", "out of it"};
static const char *const traffic_names[] = {"cpu.up_bytes", "cpu.down_bytes", "channel.message_bytes",
					    "channel.point_in_bytes", "channel.point_out_bytes"};

static double traffic_bar(data *d, uint32_t bar, uint32_t group)
{
	const uint32_t w = reproduce_workload(d, graph500), config = GRAPH_1 + group;

	return counted(d, config, traffic_names[bar]) / reproduce_time_ps(d, config, w) * 1e3;
}

static const char *const point_bars[] = {"% hits", "in, % of 32 KB's", "GTEPS, % of 32 KB's"};
static const char *const point_groups[] = {"32 KB", "512 KB", "80 MB"};

static double point_bar(data *d, uint32_t bar, uint32_t group)
{
	const row_of row = {.config = POINT_32K + group};
	static const char in[] = "channel.point_in_bytes";

	if (!bar)
		return graph_hit_rate(d, &row);
	return 100 * (bar == 1 ? counted(d, row.config, in) / counted(d, POINT_32K, in)
			       : teps(d, row.config) / teps(d, POINT_32K));
}

static const char *const summary_bars[] = {"million look-ups", "% misses", "% of the memory's traffic"};
static const char *const summary_groups[] = {"with ECD-S", "without"};

static double summary_bar(data *d, uint32_t bar, uint32_t group)
{
	const row_of row = {.config = group ? UNSUMMARISED : GRAPH_8};

	if (!bar)
		return counted(d, row.config, "channel.directory_lookups") * 1e-6;
	return bar == 1 ? directory_miss_rate(d, &row) : directory_share(d, &row);
}

#define CHART(title, of, bars, groups) {title, of, bars, ARRAY_COUNT(bars), groups, ARRAY_COUNT(groups), NULL}

static const struct reproduce_chart charts[] = {
	CHART("Figure 4.8a: streaming reads of local memory", stream_bar, stream_bars, states),
	CHART("Figure 4.8b: random reads, by what is summarised", random_bar, stream_bars, shares),
	CHART("Figure 4.9: one to one, and many NDPs", pattern_bar, stream_bars, patterns),
	CHART("Figure 4.9: hits of the NDP-AP's cache", pattern_hits_bar, hits_bars, patterns),
	CHART("Figure 4.10: copies, 8 MB of them modified in the CPU's caches", copy_bar, stream_bars, copy_groups),
	CHART("Figure 4.11a: streaming reads of CPU-owned data, GB/s", snoop_bar, bus_names, ndp_names),
	CHART("Figure 4.11b: copies by 8 NDPs, GB/s", copies_bar, stream_bars, bus_names),
	CHART("Figure 4.13: Graph500", graph_bar, graph_bars, graph_groups),
	CHART("Figure 4.14a: channels and NDP-AP while searching, GB/s", traffic_bar, traffic_bars, ndp_names),
	CHART("Figure 4.14b: the NDP-AP's cache, 4 NDPs", point_bar, point_bars, point_groups),
	CHART("Figure 4.15: the directory's cache, 8 NDPs", summary_bar, summary_bars, summary_groups),
};

const struct reproduce_paper reproduce_channel = {
	.name = "channel",
	.title = "Near-data processors on memory channels (PhD thesis 2017, chapter 4)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	REPRODUCE_TABLE(cell),
	.full_sets = "", /* section 4.9: to their end */
	REPRODUCE_TABLE(row),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(chart),
};
