/* clean.c - section 5.5.1 of the thesis on near-data processors (NDPs) on memory channels: CLEAN, whose kernels are the
 * CPU's or in Verilog beside the memory. */
#include "base/check.h"
#include "reproduce/claim.h"

#include <math.h>

static const char clean[] = "clean";
static const char *const workloads[] = {clean};

/* Section 5.5.1: two cores with a cache of 64 KB each, one channel. Memory was touched before. */
#define SYSTEM                                                                                                        \
	"cpu.page_fault_ps=0 cpu.core_count=2 cpu.l1_bytes=32768 cpu.l2_bytes=65536 cpu.llc_bytes=1024 "              \
	"cpu.channel_count=1 ddr.memory.channel_count=4 ddr.memory.capacity_bytes=32GiB channel.ndp_count=1 "
#define DESIGN SYSTEM "ndp.hdl=clean"

/* One side by who finds and who subtracts, in the order of MODES. */
#define NAMED(quick, full, who) #quick " (full " #full "), " who
#define SIDE(RUN, quick, full)                                                                                        \
	RUN(CPU_##quick, NAMED(quick, full, "CPU"), "channel-hdl", DESIGN, "", quick, full)                           \
	RUN(FIND_##quick, NAMED(quick, full, "FindMax"), "channel-hdl", DESIGN, " --find ndp", quick, full)           \
	RUN(SUBTRACT_##quick, NAMED(quick, full, "SubtractPSF"), "channel-hdl", DESIGN, " --subtract ndp", quick,     \
	    full)                                                                                                     \
	RUN(BOTH_##quick, NAMED(quick, full, "both"), "channel-hdl", DESIGN, " --find ndp --subtract ndp", quick,     \
	    full)

#define RUNS(RUN)                                                                                                     \
	SIDE(RUN, 64, 64)                                                                                             \
	SIDE(RUN, 128, 128)                                                                                           \
	SIDE(RUN, 192, 256)                                                                                           \
	SIDE(RUN, 256, 384)                                                                                           \
	SIDE(RUN, 384, 1024)                                                                                          \
	SIDE(RUN, 512, 2048)                                                                                          \
	RUN(CORES, "64 NDP cores, both", "channel-ndp", SYSTEM, " --find ndp --subtract ndp", 512, 2048)

enum { CPU, FIND, SUBTRACT, BOTH, MODES };
enum { SIDES = 6 };

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
#define RUN(id, name, machine, sets, more, quick, full) \
	{id, clean, "--iterations 20 --side " #quick more, "--iterations 20 --side " #full more},
    RUNS(RUN)
#undef RUN
};

static const uint32_t sides[2][SIDES] = {{64, 128, 256, 384, 1024, 2048}, {64, 128, 192, 256, 384, 512}};

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

static double iteration(data *d, uint32_t config)
{
	return reproduce_number(d, config, 0, "measures", "iteration_time");
}

static double speedup(data *d, uint32_t side, uint32_t mode)
{
	return iteration(d, side * MODES + CPU) / iteration(d, side * MODES + mode);
}

static double best_side(data *d, row_of *row)
{
	uint32_t best = 0;

	(void)row;
	for (uint32_t s = 0; s < SIDES; s++) {
		if (isnan(speedup(d, s, FIND)))
			return NAN;
		if (speedup(d, s, FIND) > speedup(d, best, FIND))
			best = s;
	}
	return sides[d->is_quick][best];
}

static double least_of_largest(data *d, row_of *row)
{
	const uint32_t s = SIDES - 1;

	(void)row;
	return fmin(fmin(speedup(d, s, FIND), speedup(d, s, SUBTRACT)), speedup(d, s, BOTH));
}

static double one_to_both(data *d, row_of *row)
{
	(void)row;
	return fmax(speedup(d, 0, FIND), speedup(d, 0, SUBTRACT)) / speedup(d, 0, BOTH);
}

static const struct reproduce_row rows[] = {
    {"CH5-01", best_side, FIND_64, CPU_64, clean, 0, NULL},
    {"CH5-02", least_of_largest, FIND_512, CPU_512, clean, 0, NULL},
    {"CH5-03", one_to_both, FIND_64, BOTH_64, clean, 0, NULL},
};

/* ---- figures ---- */

static const char *const mode_bars[] = {"FindMax", "SubtractPSF", "both"};
static const char *const side_groups[] = {"1st side", "2nd", "3rd", "4th", "5th", "the largest"};

static double speedup_bar(data *d, uint32_t bar, uint32_t group)
{
	return speedup(d, group, FIND + bar);
}

static const char *const kind_bars[] = {"us an iteration", "MB over the channel", "power model, mJ"};
static const char *const kind_groups[] = {"CPU", "64 NDP cores", "Verilog"};

static double kind_bar(data *d, uint32_t bar, uint32_t group)
{
	static const uint32_t of[] = {CPU_512, CORES, BOTH_512};
	const uint32_t config = of[group];

	if (bar == 0)
		return iteration(d, config);
	if (bar == 1)
		return (reproduce_number(d, config, 0, "stats", "cpu.up_bytes") +
			reproduce_number(d, config, 0, "stats", "cpu.down_bytes")) *
		       1e-6;
	return reproduce_number(d, config, 0, "power_model_total_pj", NULL) * 1e-9;
}

#define CHART(title, of, bars, groups) {title, of, bars, ARRAY_COUNT(bars), groups, ARRAY_COUNT(groups)}

static const struct reproduce_chart charts[] = {
	CHART("Figure 5.13b: speedup over the CPU, by side", speedup_bar, mode_bars, side_groups),
	CHART("The largest image by kind of NDP", kind_bar, kind_bars, kind_groups),
};

const struct reproduce_paper reproduce_clean = {
	.name = "clean",
	.title = "CLEAN beside a memory channel (PhD thesis 2017, section 5.5.1)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	REPRODUCE_TABLE(cell),
	.full_sets = "",
	REPRODUCE_TABLE(row),
	REPRODUCE_TABLE(chart),
};
