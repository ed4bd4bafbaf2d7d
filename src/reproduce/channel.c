/* channel.c - chapter 4 of the thesis on near-data processors on a CPU's memory channels: sections 4.8 and 4.9. */
#include "base/check.h"
#include "reproduce/claim.h"

#include <math.h>
#include <string.h>

static const char channel[] = "channel";
static const char *const workloads[] = {channel};

#define ONE_CHANNEL "cpu.channel_count=1 ddr.memory.channel_count=4 ddr.memory.capacity_bytes=32GiB"

/* What is run: a configuration each, with what its workload is told in a quick and in a full run.
 * The CPU's caches hold 85 MB: what it streams is larger. */
#define RUNS(RUN)                                                                                                     \
	/* Section 4.8.3: one channel. */                                                                              \
	RUN(CPU_COPY, "CPU copies, 1 channel", "channel-cpu", ONE_CHANNEL, channel,                                    \
	    "--where cpu --pattern copy --prefetch 16 --kbytes 131072",                                                \
	    "--where cpu --pattern copy --prefetch 16 --kbytes 524288")                                                \
	/* Section 4.7: an access of the CPU that goes to the memory. */                                               \
	RUN(CPU_CHASE, "CPU chases", "channel-cpu", "cpu.llc_bytes=1MiB", channel,                                     \
	    "--where cpu --order chase --threads 1 --kbytes 65536 --each 20000",                                       \
	    "--where cpu --order chase --threads 1 --kbytes 262144 --each 100000")                                     \
	/* Section 4.5.5: lines that two cores have, each written by one; they fit the second levels. */               \
	RUN(CPU_INVALIDATES, "CPU invalidates", "channel-cpu", "", channel,                                            \
	    "--where cpu --pattern invalidate --kbytes 2048", "--where cpu --pattern invalidate --kbytes 2048")

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

/* ---- rows ---- */

/* What the program has measured, by the name of row->stat. */
static double measured(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return reproduce_number(d, row->config, reproduce_workload(d, row->workload), "measures", row->stat);
}

/* The machine with near-data processors is not there yet: no run, no number. */
static double needs_ndps(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return NAN;
}

#define MEASURED(id, config, stat, tolerance)                               \
	{                                                                    \
		id, measured, config, config, channel, tolerance, stat         \
	}
#define ABSENT(id)                                           \
	{                                                     \
		id, needs_ndps, CPU_COPY, CPU_COPY, NULL, 0, "" \
	}

static const struct reproduce_row rows[] = {
    ABSENT("CH4-01"),
    ABSENT("CH4-02"),
    ABSENT("CH4-03"),
    ABSENT("CH4-04"),
    ABSENT("CH4-05"),
    ABSENT("CH4-06"),
    ABSENT("CH4-07"),
    ABSENT("CH4-08"),
    ABSENT("CH4-09"),
    ABSENT("CH4-10"),
    ABSENT("CH4-11"),
    ABSENT("CH4-12"),
    ABSENT("CH4-13"),
    ABSENT("CH4-14"),
    ABSENT("CH4-15"),
    ABSENT("CH4-16"),
    ABSENT("CH4-17"),
    ABSENT("CH4-18"),
    ABSENT("CH4-19"),
    MEASURED("CH4-20", CPU_COPY, "bandwidth", 1),
    ABSENT("CH4-21"),
    ABSENT("CH4-22"),
    ABSENT("CH4-23"),
    /* Measured on a machine. */
    MEASURED("CH4-24", CPU_INVALIDATES, "bandwidth", 42),
    ABSENT("CH4-25"),
    ABSENT("CH4-26"),
    ABSENT("CH4-27"),
    ABSENT("CH4-28"),
    ABSENT("CH4-29"),
    ABSENT("CH4-30"),
    ABSENT("CH4-31"),
    ABSENT("CH4-32"),
    ABSENT("CH4-33"),
    ABSENT("CH4-34"),
    ABSENT("CH4-35"),
    ABSENT("CH4-36"),
    ABSENT("CH4-37"),
    ABSENT("CH4-38"),
    ABSENT("CH4-39"),
    ABSENT("CH4-40"),
    ABSENT("CH4-41"),
    ABSENT("CH4-42"),
    ABSENT("CH4-43"),
    ABSENT("CH4-44"),
    ABSENT("CH4-45"),
    ABSENT("CH4-46"),
    ABSENT("CH4-47"),
    ABSENT("CH4-48"),
};

/* ---- claims ---- */

#define OURS(config_, stat_) .measure = measured, .config = (config_), .workload = channel, .stat = (stat_)

static const struct reproduce_claim claims[] = {
	{"V3 (c)", "a CPU alone copies at {=0} GB/s, which its channel allows, within {~0}", "{0:.2} GB/s",
	 {PUBLISHED("CH4-20")}},
	/* The calibration that the review asks for. */
	{"CPU (a)", "an access of the CPU's that goes to the memory takes {=0} ns within {~0}", "{0:.1} ns",
	 {NEAR(80, 4, OURS(CPU_CHASE, "time_per_access"))}},
	{"CPU (b)", "the bus takes invalidations of at most {=0} GB/s", "{0:.1} GB/s",
	 {MUST(NOT_EXCEED, 512, OURS(CPU_INVALIDATES, "bandwidth"))}},
};

const struct reproduce_paper reproduce_channel = {
	.name = "channel",
	.title = "Near-data processors on memory channels (PhD thesis 2017, chapter 4)",
	.configs = configs,
	.config_count = ARRAY_COUNT(configs),
	.workloads = workloads,
	.workload_count = ARRAY_COUNT(workloads),
	.cells = cells,
	.cell_count = ARRAY_COUNT(cells),
	.full_sets = "", /* section 4.9: to their end */
	.rows = rows,
	.row_count = ARRAY_COUNT(rows),
	.claims = claims,
	.claim_count = ARRAY_COUNT(claims),
};
