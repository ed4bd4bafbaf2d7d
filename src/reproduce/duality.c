/* duality.c - Duality Cache (ISCA'19): kernels of a GPU in the last-level caches of two processors. */
#include "reproduce/claim.h"
#include "reproduce/duality_tables.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Table 3: Rodinia's programs, and OpenACC's. */
static const char backprop[] = "backprop", bfs[] = "bfs", btree[] = "btree", dwt2d[] = "dwt2d", hotspot[] = "hotspot",
		  hotspot3d[] = "hotspot3d", hybridsort[] = "hybridsort", nw[] = "nw",
		  streamcluster[] = "streamcluster", gaussian[] = "gaussian", heartwall[] = "heartwall",
		  leukocyte[] = "leukocyte", lud[] = "lud", nn[] = "nn", lavamd[] = "lavamd",
		  tricubic[] = "acc-tricubic";
/* In place of a workload's name: the mean of a suite. */
static const char rodinia[] = "Rodinia", openacc[] = "OpenACC";
/* Each with what it is told in a quick and in a full run: Rodinia's default, or Table 3's. First those of which enough
 * control blocks can be at work, see FULL_BLOCKS. */
#define LARGE_PROGRAMS(PROGRAM, config, more)                                                                 \
	PROGRAM(config, backprop, "--inputs 36864" more, "--inputs 65536" more)                               \
	PROGRAM(config, bfs, "--nodes 65536" more, "--nodes 1000000" more)                                    \
	PROGRAM(config, btree, "--finds 2240 --ranges 2240" more,                                             \
		"--records 1000000 --finds 10000 --ranges 6000" more)                                         \
	PROGRAM(config, hotspot, "--side 576 --steps 2" more, "--side 512 --steps 60" more)                   \
	PROGRAM(config, nn, "--places 1048576" more, "--places 1048576" more)
/* With section 5.4's variant where it is asked for. */
#define RODINIA(PROGRAM, config, variant, more)                                                               \
	LARGE_PROGRAMS(PROGRAM, config, more)                                                                 \
	PROGRAM(config, dwt2d, "--side 512" more, "--side 1024" more)                                         \
	PROGRAM(config, hotspot3d, "--nx 512 --ny 512 --steps 1" more, "--nx 512 --ny 512 --steps 100" more)  \
	PROGRAM(config, hybridsort, "--numbers 65536" more, "--numbers 4194304" more)                         \
	PROGRAM(config, nw, "--length 512" more, "--length 2048" more)                                        \
	PROGRAM(config, streamcluster, "--size small" more, "--points 65536 --dimensions 256" more)           \
	PROGRAM(config, gaussian, "--unknowns 128" more, "--unknowns 1024" more)                              \
	PROGRAM(config, heartwall, "--size small" variant more, "--size paper --frames 20" variant more)      \
	PROGRAM(config, leukocyte, "--size small" variant more, "--size paper" variant more)                  \
	PROGRAM(config, lud, "--rows 128" more, "--rows 1024" more)                                           \
	PROGRAM(config, lavamd, "--boxes 3" more, "--boxes 10" more)
/* 262,144 points, and Table 3's 256 x 128 x 1,024. */
#define CUBE "--nx 128 --ny 64 --nz 32"
#define OPENACC(PROGRAM, config, more)                                                                        \
	PROGRAM(config, "acc-divergence", CUBE, "--size paper" more)                                          \
	PROGRAM(config, "acc-gradient", CUBE, "--size paper" more)                                            \
	PROGRAM(config, "acc-lapgsrb", CUBE, "--size paper" more)                                             \
	PROGRAM(config, "acc-laplacian", CUBE, "--size paper" more)                                           \
	PROGRAM(config, tricubic, CUBE, "--size paper" more)                                                  \
	PROGRAM(config, "acc-tricubic2", CUBE, "--size paper" more)                                           \
	PROGRAM(config, "acc-uxx1", CUBE, "--size paper" more)                                                \
	PROGRAM(config, "acc-vecadd", CUBE, "--size paper" more)                                              \
	PROGRAM(config, "acc-wave13pt", CUBE, "--size paper" more)                                            \
	PROGRAM(config, "acc-gameoflife", "--size paper", "--size paper" more)                                \
	PROGRAM(config, "acc-gaussblur", "--size paper", "--size paper" more)                                 \
	PROGRAM(config, "acc-matvec", "--size paper", "--size paper" more)                                    \
	PROGRAM(config, "acc-whispering", "--size paper", "--size paper" more)

static const char *const workloads[] = {
#define NAME(config, name, ...) name,
	RODINIA(NAME, 0, "", "") OPENACC(NAME, 0, "")
#undef NAME
};
enum {
#define ONE(...) +1
	RODINIA_COUNT = 0 RODINIA(ONE, 0, "", ""),
#undef ONE
};

/* What is run: a configuration each, with its machine and settings. */
#define ALLOCATED "duality.cache_choice=analysed"
#define CONFIGS(CONFIG)                                                                                       \
	CONFIG(GPU, "GPU server", "gpu-server", "")                                                           \
	/* Section 5.2 D: how many ways stay cache was changed for applications; by the analysis of 3.5. */   \
	CONFIG(DUALITY, "Duality Cache", "duality", ALLOCATED)                                                \
	/* Section 5.3: the same memory on both sides. */                                                     \
	CONFIG(GDDR5, "Duality Cache, GDDR5", "duality-gddr5", ALLOCATED)                                     \
	/* Section 5.5: the simple translator. */                                                             \
	CONFIG(PLAIN, "ISA translator", "duality", ALLOCATED " duality.compiler=plain")                       \
	/* Section 3.1: as many iterations of CORDIC as float needs, results cut off. */                      \
	CONFIG(TRUNCATE, "truncated", "duality",                                                              \
	       ALLOCATED " duality.rounding=truncate duality.cordic_iterations_count=17")                     \
	/* Section 3.4: chains of floats become trees as those of integers do, which changes their sums. */   \
	CONFIG(BALANCED, "float chains balanced", "duality", ALLOCATED " duality.balance_floats=true")        \
	/* Section 3.1.1: what is added next is not normalised, which changes sums. */                        \
	CONFIG(OPEN, "sums not normalised", "duality", ALLOCATED " duality.elide_normalisation=true")         \
	/* Section 5.5: so many of the 20 ways of a slice stay cache; nine are 31.5 MB. */                    \
	CONFIG(WAYS_1, "3.5 MB of cache", "duality", "duality.cache_way_count=1")                             \
	CONFIG(WAYS_2, "7 MB of cache", "duality", "duality.cache_way_count=2")                               \
	CONFIG(WAYS_4, "14 MB of cache", "duality", "duality.cache_way_count=4")                              \
	CONFIG(WAYS_6, "21 MB of cache", "duality", "duality.cache_way_count=6")                              \
	CONFIG(WAYS_9, "31.5 MB of cache", "duality", "duality.cache_way_count=9")                            \
	/* Only the ways that no control block needs: the paper's default, and the base of figure 14. */      \
	CONFIG(FIXED, "no way kept", "duality", "duality.cache_choice=fixed")                                 \
	/* Section 5.4: small kernels on the host's cores. */                                                 \
	CONFIG(HYBRID, "small kernels on the host", "duality", ALLOCATED " duality.host_kernels=small")       \
	/* The paper is silent about how its two processors are connected: as if data were near. */           \
	CONFIG(NO_LINK, "no link", "duality", ALLOCATED " duality.link_mbytes_per_s=0")                       \
	CONFIG(GDDR5_NO_LINK, "GDDR5, no link", "duality-gddr5", ALLOCATED " duality.link_mbytes_per_s=0")    \
	/* Section 5.4: the sources before they were changed. */                                              \
	CONFIG(ORIGINAL, "original source", "duality", ALLOCATED)                                             \
	/* Section 5.2: the paper does not say on how many of the processors' cores. */                       \
	CONFIG(CPU, "CPU server", "cpu-server", "")                                                           \
	CONFIG(CPU_1, "CPU server, one core", "cpu-server", "cpu.core_count=1")

enum {
#define CONFIG(id, ...) id,
	CONFIGS(CONFIG)
#undef CONFIG
};

_Static_assert(DUALITY == (int)REPRODUCE_DUALITY, "whose machine has the geometry");

static const struct reproduce_config configs[] = {
#define CONFIG(id, name, machine, sets) [id] = {name, machine, sets},
	CONFIGS(CONFIG)
#undef CONFIG
};

#define UNROLLED " --variant unrolled"
#define CELL(config, workload, quick, full) {config, workload, quick, full},
#define EACH(config) RODINIA(CELL, config, UNROLLED, "") OPENACC(CELL, config, "")
/* Results are as near as this where they are cut off, or added up in another order (docs/duality.md). */
#define RODINIA_NEARLY(config) RODINIA(CELL, config, UNROLLED, " --tolerance 0.01")
/* By threads, to which the variant is nothing. */
#define BY_THREADS(config) RODINIA(CELL, config, "", "") OPENACC(CELL, config, "")
#define LARGE(config) LARGE_PROGRAMS(CELL, config, "")

static const struct reproduce_cell cells[] = {
	EACH(GPU)
	EACH(DUALITY)
	EACH(GDDR5)
	EACH(FIXED)
	EACH(PLAIN)
	RODINIA_NEARLY(TRUNCATE)
	RODINIA_NEARLY(BALANCED)
	RODINIA_NEARLY(OPEN)
	EACH(NO_LINK)
	EACH(GDDR5_NO_LINK)
	LARGE(WAYS_1)
	LARGE(WAYS_2)
	LARGE(WAYS_4)
	LARGE(WAYS_6)
	LARGE(WAYS_9)
	CELL(HYBRID, lud, "--rows 128", "--rows 1024")
	CELL(ORIGINAL, leukocyte, "--size small", "--size paper")
	CELL(ORIGINAL, heartwall, "--size small", "--size paper --frames 20")
	BY_THREADS(CPU)
	BY_THREADS(CPU_1)
};

/* The same work by threads. */
static const char *const program_endings[ARRAY_COUNT(configs)] = {[CPU] = "-omp", [CPU_1] = "-omp"};

/* ---- numbers of a run ---- */

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;
typedef double quantity(data *d, uint32_t config, uint32_t w);

static double stat(data *d, uint32_t config, uint32_t w, const char *name)
{
	return reproduce_number(d, config, w, "stats", name);
}

static double param(data *d, uint32_t config, uint32_t w, const char *name)
{
	return reproduce_number(d, config, w, "params", name);
}

/* With copies. Of threads what their program has timed: without the making of its input, and of them. */
static double server_ps(data *d, uint32_t config, uint32_t w)
{
	if (config == CPU || config == CPU_1)
		return 1e6 * reproduce_number(d, config, w, "measures", "steps");
	return reproduce_number(d, config, w, "total_time_ps", NULL);
}

/* What control blocks compute of the time that they are at work, in the mean. */
static double compute_share(data *d, uint32_t config, uint32_t w)
{
	return stat(d, config, w, "duality.compute_cycles") / stat(d, config, w, "duality.active_block_cycles");
}

static double compute_ps(data *d, uint32_t config, uint32_t w)
{
	return reproduce_time_ps(d, config, w) * compute_share(d, config, w);
}

static double blocks(data *d, uint32_t w)
{
	return stat(d, FIXED, w, "duality.active_block_cycles") / stat(d, FIXED, w, "duality.kernel_cycles");
}

/* Operands that lanes load and store, spilled ones too. */
static double lane_accesses(data *d, uint32_t config, uint32_t w)
{
	return stat(d, config, w, "duality.access_lanes");
}

/* ---- energy of servers ---- */

static double component(data *d, uint32_t config, uint32_t w, const char *name)
{
	return reproduce_number(d, config, w, "energy_pj", name);
}

static double load_store_pj(data *d, uint32_t config, uint32_t w)
{
	return component(d, config, w, "dc_load_store");
}

static double in_arrays_pj(data *d, uint32_t config, uint32_t w)
{
	return component(d, config, w, "dc_compute");
}

/* The GPU server's two processors are those of the other: a core waits for the GPU, from the first copy to the last.
 * What copies take of wires is as much a bit as that of a kernel's accesses to the host. */
static double gpu_server_pj(data *d, uint32_t w)
{
	const double mw = param(d, DUALITY, w, "duality.host_mw") +
			  param(d, DUALITY, w, "duality.socket_count") * param(d, DUALITY, w, "duality.idle_mw");
	const double copied = reproduce_number(d, GPU, w, "copy_bytes_to_device", NULL) +
			      reproduce_number(d, GPU, w, "copy_bytes_to_host", NULL);

	return reproduce_energy_pj(d, GPU, w) + server_ps(d, GPU, w) * mw * 1e-3 +
	       copied * 8 * param(d, GPU, w, "energy.host_wire_pj");
}

/* Table 2's 290 W while both processors work, and their memory, whose refreshes and static power are for that time. */
static double cpu_server_pj(data *d, uint32_t w)
{
	const struct reproduce_row cpu_server = {0};
	const double ps = server_ps(d, CPU, w), all_ps = reproduce_number(d, CPU, w, "total_time_ps", NULL);
	const double used = component(d, CPU, w, "ddr.dram_activate") + component(d, CPU, w, "ddr.dram_row_buffer");
	const double passed = component(d, CPU, w, "ddr.dram_refresh") + component(d, CPU, w, "ddr.dram_static");

	return ps * duality_server_w(d, &cpu_server) + used + passed * ps / all_ps;
}

static double compute_energy_share(data *d, uint32_t w)
{
	return 100 * in_arrays_pj(d, DUALITY, w) / reproduce_energy_pj(d, DUALITY, w);
}

/* ---- means ---- */

/* Of which programs a mean is: those from first on, before end. */
struct suite {
	uint32_t first, end;
};

static struct suite suite_of(data *d, const char *workload)
{
	const uint32_t all = d->paper->workload_count;

	if (workload == rodinia)
		return (struct suite){0, RODINIA_COUNT};
	return workload == openacc ? (struct suite){RODINIA_COUNT, all} : (struct suite){0, all};
}

/* Geometric: `of` with `against` over `of` with `config`, of what `against` runs. */
static double mean_gain(data *d, quantity *of, row_of *row)
{
	const struct suite suite = suite_of(d, row->workload);
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t w = suite.first; w < suite.end; w++) {
		if (!reproduce_is_run(d->paper, row->against, w))
			continue;
		sum += log(of(d, row->against, w) / of(d, row->config, w));
		count++;
	}
	return exp(sum / count);
}

/* Of a suite, of all programs (NULL), or of one. */
static double gain_of(data *d, quantity *of, row_of *row)
{
	uint32_t w;

	if (!row->workload || row->workload == rodinia || row->workload == openacc)
		return mean_gain(d, of, row);
	w = reproduce_workload(d, row->workload);
	return of(d, row->against, w) / of(d, row->config, w);
}

/* ---- measures of rows ---- */

static double server_speedup(data *d, row_of *row)
{
	return gain_of(d, server_ps, row);
}

static double kernel_speedup(data *d, row_of *row)
{
	return gain_of(d, reproduce_time_ps, row);
}

static double compute_speedup(data *d, row_of *row)
{
	return gain_of(d, compute_ps, row);
}

/* In per cent, of all programs. */
static double accesses_saved(data *d, row_of *row)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += 1 - lane_accesses(d, row->config, w) / lane_accesses(d, row->against, w);
	return 100 * sum / d->paper->workload_count;
}

/* Of all programs, geometric. */
static double energy_reduction(data *d, row_of *row)
{
	double sum = 0;

	(void)row;
	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += log(gpu_server_pj(d, w) / reproduce_energy_pj(d, DUALITY, w));
	return exp(sum / d->paper->workload_count);
}

static double energy_reduction_of_cpu(data *d, row_of *row)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += log(cpu_server_pj(d, w) / reproduce_energy_pj(d, row->config, w));
	return exp(sum / d->paper->workload_count);
}

/* Energy over time, on both sides. */
static double power_reduction(data *d, row_of *row)
{
	return energy_reduction(d, row) / mean_gain(d, server_ps, row);
}

static double compute_energy(data *d, row_of *row)
{
	return compute_energy_share(d, reproduce_workload(d, row->workload));
}

/* How many programs' arrays take a fifth of the energy or more, but for tricubic. */
static double compute_energy_above_20(data *d, row_of *row)
{
	uint32_t count = 0;

	(void)row;
	for (uint32_t w = 0; w < d->paper->workload_count; w++) {
		const double share = compute_energy_share(d, w);

		if (isnan(share))
			return NAN;
		count += share >= 20 && w != reproduce_workload(d, tricubic);
	}
	return count;
}

/* Of Rodinia: an operation of this kind with nothing saved over one as it was, weighted by how often. */
static double latency(data *d, const char *kind, const char *which)
{
	char name[64];
	double cycles = 0, operations = 0;

	for (uint32_t w = 0; w < RODINIA_COUNT; w++) {
		snprintf(name, sizeof(name), "duality.%s_%s", kind, which);
		cycles += stat(d, DUALITY, w, name);
		snprintf(name, sizeof(name), "duality.%s_operations", kind);
		operations += stat(d, DUALITY, w, name);
	}
	return cycles / operations;
}

static double latency_gain(data *d, row_of *row)
{
	return latency(d, row->stat, "base_cycles") / latency(d, row->stat, "cycles");
}

/* Multiplications and divisions together. */
static double fmul_fdiv_gain(data *d, row_of *row)
{
	static const char *const kinds[] = {"fmul", "fdiv"};
	double base = 0, opt = 0;

	(void)row;
	for (uint32_t w = 0; w < RODINIA_COUNT; w++) {
		for (uint32_t k = 0; k < ARRAY_COUNT(kinds); k++) {
			char name[64];

			snprintf(name, sizeof(name), "duality.%s_base_cycles", kinds[k]);
			base += stat(d, DUALITY, w, name);
			snprintf(name, sizeof(name), "duality.%s_cycles", kinds[k]);
			opt += stat(d, DUALITY, w, name);
		}
	}
	return base / opt;
}

enum { DIFFERENCES = 5 }; /* none, one, two, three, more */
static const char *const differences[DIFFERENCES] = {"0", "1", "2", "3", "more"};

static double with_differences(data *d, uint32_t count)
{
	char name[64];
	double sum = 0;

	snprintf(name, sizeof(name), "duality.fadd_differences_%s", differences[count]);
	for (uint32_t w = 0; w < RODINIA_COUNT; w++)
		sum += stat(d, DUALITY, w, name);
	return sum;
}

static double difference_mode(data *d, row_of *row)
{
	uint32_t mode = 0;

	(void)row;
	for (uint32_t k = 0; k < DIFFERENCES; k++) {
		if (isnan(with_differences(d, k)))
			return NAN;
		if (with_differences(d, k) > with_differences(d, mode))
			mode = k;
	}
	return mode;
}

static double one_difference_share(data *d, row_of *row)
{
	double all = 0;

	(void)row;
	for (uint32_t k = 0; k < DIFFERENCES; k++)
		all += with_differences(d, k);
	return 100 * with_differences(d, 1) / all;
}

/* ---- cache allocation ---- */

enum { FULL_BLOCKS = 512 }; /* section 5.5: "CB utilization >= 512" */

static const char *const large[] = {
#define NAME(config, name, ...) name,
	LARGE_PROGRAMS(NAME, 0, "")
#undef NAME
};

typedef double of_large(data *d, uint32_t w);

/* Of the programs that fill the control blocks, geometric. */
static double large_mean(data *d, of_large *of)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(large); i++) {
		const uint32_t w = reproduce_workload(d, large[i]);

		if (isnan(blocks(d, w)))
			return NAN;
		if (blocks(d, w) < FULL_BLOCKS)
			continue;
		sum += log(of(d, w));
		count++;
	}
	return exp(sum / count);
}

static double gain_of_choice(data *d, uint32_t w)
{
	return reproduce_speedup(d, DUALITY, FIXED, w);
}

static double gain_of_9(data *d, uint32_t w)
{
	return reproduce_speedup(d, WAYS_9, FIXED, w);
}

static double compute_of_9(data *d, uint32_t w)
{
	return compute_ps(d, WAYS_9, w) / compute_ps(d, FIXED, w);
}

static double cache_gain(data *d, row_of *row)
{
	(void)row;
	return large_mean(d, gain_of_choice);
}

static double cache_gain_9(data *d, row_of *row)
{
	(void)row;
	return large_mean(d, gain_of_9);
}

static double cache_compute_9(data *d, row_of *row)
{
	(void)row;
	return large_mean(d, compute_of_9);
}

static double large_count(data *d, row_of *row)
{
	uint32_t count = 0;

	(void)row;
	for (uint32_t i = 0; i < ARRAY_COUNT(large); i++)
		count += blocks(d, reproduce_workload(d, large[i])) >= FULL_BLOCKS;
	return count;
}

/* ---- launches ---- */

static json_t *launches(data *d, uint32_t config, const char *workload)
{
	return json_object_get(d->runs[config * d->paper->workload_count + reproduce_workload(d, workload)],
			       "kernels");
}

static uint64_t product(const json_t *of, const char *name)
{
	const json_t *sides = json_object_get(of, name);
	uint64_t all = 1;

	for (size_t i = 0; i < json_array_size(sides); i++)
		all *= (uint64_t)json_integer_value(json_array_get(sides, i));
	return all;
}

/* In threads. */
static double smallest_launch(data *d, row_of *row)
{
	const json_t *all = launches(d, row->config, row->workload);
	double least = NAN;

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *l = json_array_get(all, i);

		least = fmin((double)(product(l, "grid") * product(l, "block")), least);
	}
	return least;
}

/* Needs programs that are not there; papers/duality/explanations.csv says which. */
static double no_program(data *d, row_of *row)
{
	(void)d;
	(void)row;
	return NAN;
}

#define ABSENT(id) {id, no_program, 0, 0, NULL, 0, NULL}
#define EXACT(id, measure, tolerance) {id, measure, 0, 0, NULL, tolerance, NULL}
#define PART(id, measure, part, tolerance) {id, measure, part, 0, NULL, tolerance, NULL}

/* Who is faster, and whose energy is less, turns at 1. */
static const struct reproduce_turn turns[] = {
    {server_speedup, 1, NULL},   {kernel_speedup, 1, NULL},	       {compute_speedup, 1, NULL},
    {energy_reduction, 1, NULL}, {energy_reduction_of_cpu, 1, NULL}, {power_reduction, 1, NULL},
};

static const struct reproduce_row rows[] = {
	{"DC-01", server_speedup, DUALITY, GPU, rodinia, 1.4, NULL},
	{"DC-02", server_speedup, DUALITY, GPU, openacc, 1.5, NULL},
	{"DC-03", server_speedup, DUALITY, CPU, rodinia, 27, NULL},
	{"DC-04", server_speedup, DUALITY, CPU, openacc, 3.6, NULL},
	{"DC-05", kernel_speedup, GDDR5, GPU, rodinia, 0.6, NULL},
	{"DC-06", kernel_speedup, GDDR5, GPU, openacc, 0.7, NULL},
	{"DC-07", energy_reduction, DUALITY, GPU, NULL, 2.2, NULL},
	{"DC-08", energy_reduction_of_cpu, DUALITY, CPU, NULL, 8, NULL},
	{"DC-09", power_reduction, DUALITY, GPU, NULL, 0.4, NULL},
	EXACT("DC-10", duality_area_added_share, 0.05),
	EXACT("DC-11", duality_area_added, 0.05),
	EXACT("DC-12", duality_resources, 0.05),
	EXACT("DC-13", duality_threads, 1),
	{"DC-14", server_speedup, DUALITY, GPU, hotspot3d, 0, NULL},
	{"DC-15", server_speedup, DUALITY, GPU, streamcluster, 0, NULL},
	{"DC-16", kernel_speedup, DUALITY, ORIGINAL, leukocyte, 3.5, NULL},
	{"DC-17", kernel_speedup, DUALITY, ORIGINAL, heartwall, 4, NULL},
	{"DC-18", kernel_speedup, HYBRID, DUALITY, lud, 0.7, NULL},
	{"DC-19", latency_gain, DUALITY, DUALITY, NULL, 5, "mul"},
	{"DC-20", latency_gain, DUALITY, DUALITY, NULL, 2.1, "fadd"},
	EXACT("DC-21", difference_mode, 0),
	EXACT("DC-22", cache_gain, 1),
	{"DC-23", compute_speedup, DUALITY, PLAIN, NULL, 0.25, NULL},
	{"DC-24", accesses_saved, DUALITY, PLAIN, NULL, 8, NULL},
	{"DC-25", kernel_speedup, DUALITY, PLAIN, NULL, 0.1, NULL},
	{"DC-26", compute_energy, DUALITY, DUALITY, tricubic, 10, NULL},
	{"DC-27", smallest_launch, DUALITY, 0, lud, 0, NULL},
	EXACT("DC-28", fmul_fdiv_gain, 0),
	ABSENT("DC-29"),
	ABSENT("DC-30"),
	ABSENT("DC-31"),
	ABSENT("DC-32"),
	EXACT("DC-T1-01", duality_cycles_add, 0),
	EXACT("DC-T1-02", duality_cycles_sub, 0),
	EXACT("DC-T1-03", duality_cycles_logic, 0),
	EXACT("DC-T1-04", duality_cycles_mul, 0),
	EXACT("DC-T1-05", duality_cycles_mul_signed, 0),
	EXACT("DC-T1-06", duality_cycles_div, 0),
	EXACT("DC-T1-07", duality_cycles_div_signed, 0),
	EXACT("DC-T1-08", duality_cycles_shift, 0),
	EXACT("DC-T1-09", duality_cycles_sin, 0),
	EXACT("DC-T1-10", duality_cycles_exp, 0),
	EXACT("DC-T1-11", duality_cycles_log, 0),
	PART("DC-T2-01", duality_server_mm2, 0, 0.5),
	PART("DC-T2-02", duality_server_w, 0, 0.5),
	PART("DC-T2-03", duality_server_mm2, 1, 0.5),
	PART("DC-T2-04", duality_server_w, 1, 0.5),
	PART("DC-T2-05", duality_server_mm2, 2, 0.5),
	PART("DC-T2-06", duality_server_w, 2, 0.5),
	PART("DC-T4-01", duality_area_overhead, 1, 0.005),
	PART("DC-T4-02", duality_area_overhead, 2, 0.005),
	PART("DC-T4-03", duality_area_overhead, 3, 0.005),
	PART("DC-T4-04", duality_area_overhead, 4, 0.005),
	PART("DC-T4-05", duality_area_overhead, 5, 0.005),
	EXACT("DC-T4-06", duality_area_total, 0.005),
	EXACT("DC-T4-07", duality_power_total, 0.005),
};

/* ---- claims ---- */

#define SERVER(workload) OF(server_speedup, DUALITY, GPU, workload)
#define KERNELS(workload) OF(kernel_speedup, GDDR5, GPU, workload)
#define OPERATION(kind) .measure = latency_gain, .stat = (kind)
#define ALL(measure_) OF(measure_, DUALITY, DUALITY, NULL)

static const struct reproduce_claim claims[] = {
	{"D1 (a)", "a socket has {=0} arrays, {=1} control blocks and {=2} ALUs", "{0:.0}, {1:.0}, {2:.0}",
	 {NEAR(4480, 0, ALL(duality_arrays)), NEAR(280, 0, ALL(duality_socket_blocks)),
	  NEAR(1146880, 0, ALL(duality_bit_line_alus))}},
	{"D1 (b)", "Table 1's formulas to the cycle with nothing saved", "{0:.0} of 11 are not",
	 {MUST(NOT_EXCEED, 0, ALL(duality_table_1_off))}},
	/* 3.6 and 4.0 within a factor of 1.6. */
	{"D2 (a)", "Rodinia between {=0} and {=1} times as fast as on the GPU server, OpenACC between {=2} and {=3}",
	 "{0:.2}, {2:.2} x",
	 {MUST(REACH, 2.25, SERVER(rodinia)), MUST(NOT_EXCEED, 5.76, SERVER(rodinia)),
	  MUST(REACH, 2.5, SERVER(openacc)), MUST(NOT_EXCEED, 6.4, SERVER(openacc))}},
	{"D2 (b)", "hotspot3D and streamcluster are slower", "{0:.2}, {1:.2} x",
	 {MUST(BE_BELOW, 1, SERVER(hotspot3d)), MUST(BE_BELOW, 1, SERVER(streamcluster))}},
	/* 1.92 and 2.39 within a factor of 1.4. */
	{"D2 (c)", "kernels alone, GDDR5 on both: Rodinia between {=0} and {=1} x, OpenACC between {=2} and {=3}",
	 "{0:.2}, {2:.2} x",
	 {MUST(REACH, 1.37, KERNELS(rodinia)), MUST(NOT_EXCEED, 2.69, KERNELS(rodinia)),
	  MUST(REACH, 1.71, KERNELS(openacc)), MUST(NOT_EXCEED, 3.35, KERNELS(openacc))}},
	{"D2 (d)", "which is below the servers'", "Rodinia {0:.2} x, servers {1:.2} x; OpenACC {2:.2} x, {3:.2} x",
	 {MUST_THAN(BE_BELOW, 0, 1, KERNELS(rodinia)), SHOWN(SERVER(rodinia)),
	  MUST_THAN(BE_BELOW, 0, 3, KERNELS(openacc)), SHOWN(SERVER(openacc))}},
	{"D2 (e)", "as (a) and (c), without a link between the processors",
	 "servers {0:.2}, {1:.2} x; kernels {2:.2}, {3:.2} x",
	 {MUST(REACH, 2.25, OF(server_speedup, NO_LINK, GPU, rodinia)),
	  MUST(REACH, 2.5, OF(server_speedup, NO_LINK, GPU, openacc)),
	  MUST(REACH, 1.37, OF(kernel_speedup, GDDR5_NO_LINK, GPU, rodinia)),
	  MUST(REACH, 1.71, OF(kernel_speedup, GDDR5_NO_LINK, GPU, openacc))}},
	{"D3 (a)", "integer multiplication is at least {=0} x, float addition at least {=1} x faster",
	 "{0:.1}, {1:.1} x",
	 {MUST(REACH, 8, OPERATION("mul")), MUST(REACH, 4, OPERATION("fadd"))}},
	{"D3 (b)", "both gain more than float multiplication", "{0:.1}, {1:.1}, {2:.1} x",
	 {MUST_THAN(EXCEED, 0, 2, OPERATION("mul")), MUST_THAN(EXCEED, 0, 2, OPERATION("fadd")),
	  SHOWN(OPERATION("fmul"))}},
	{"D3 (c)", "most float additions see one exponent difference", "{0:.1} %",
	 {MUST(EXCEED, 50, ALL(one_difference_share))}},
	{"D4 (a)", "compute {=0} x faster than the plain translator's, within {~0}", "{0:.2} x", {PUBLISHED("DC-23")}},
	{"D4 (b)", "{=0} % fewer accesses, within {~0}", "{0:.1} %", {PUBLISHED("DC-24")}},
	{"D4 (c)", "{=0} x in all, within {~0}", "{0:.2} x", {PUBLISHED("DC-25")}},
	{"D4 (d)", "as (a), of Rodinia, with chains of floats balanced as well, which changes sums",
	 "{0:.3} x, without that {1:.3} x",
	 {NEAR(1.52, 0.25, OF(compute_speedup, BALANCED, PLAIN, rodinia)),
	  SHOWN(OF(compute_speedup, DUALITY, PLAIN, rodinia))}},
	{"D4 (e)", "as (a), of Rodinia, without normalising between additions, which changes sums",
	 "{0:.3} x, with that {1:.3} x",
	 {NEAR(1.52, 0.25, OF(compute_speedup, OPEN, PLAIN, rodinia)),
	  SHOWN(OF(compute_speedup, DUALITY, PLAIN, rodinia))}},
	{"D5 (a)",
	 "31.5 MB of cache, 512 control blocks: compute {=0} to {=1} x as long, all at least {=2} x faster",
	 "compute {0:.2} x as long, all {2:.2} x faster, {3:.0} programs",
	 {MUST(REACH, 1.6, ALL(cache_compute_9)), MUST(NOT_EXCEED, 2.2, ALL(cache_compute_9)),
	  MUST(REACH, 2, ALL(cache_gain_9)), SHOWN(ALL(large_count))}},
	{"D5 (b)", "leukocyte and heartwall unrolled: at least {=0} x faster", "{0:.1}, {1:.1} x",
	 {MUST(REACH, 5, OF(kernel_speedup, DUALITY, ORIGINAL, leukocyte)),
	  MUST(REACH, 5, OF(kernel_speedup, DUALITY, ORIGINAL, heartwall))}},
	{"D5 (c)", "lud {=0} x faster with small kernels on the host, within {~0}", "{0:.2} x",
	 {NEAR(2.26, 0.7, OF(kernel_speedup, HYBRID, DUALITY, lud))}},
	/* 5.85 within a factor of 1.6. */
	{"D6 (a)", "energy between {=0} and {=1} times below the GPU server's", "{0:.2} x",
	 {MUST(REACH, 3.66, ALL(energy_reduction)), MUST(NOT_EXCEED, 9.36, ALL(energy_reduction))}},
	{"D6 (b)", "arrays take less than 20 % of it, but {=1} % in tricubic, within {~1}",
	 "{0:.0} programs above 20 %, tricubic {1:.1} %",
	 {MUST(NOT_EXCEED, 0, ALL(compute_energy_above_20)),
	  NEAR(30.7, 10, OF(compute_energy, DUALITY, DUALITY, tricubic))}},
};

/* ---- figures ---- */

static double time_bar(data *d, quantity *gpu, uint32_t config, uint32_t bar, uint32_t group)
{
	const double whole = gpu(d, GPU, group), share = compute_share(d, config, group);
	const double kernels = reproduce_time_ps(d, config, group);

	switch (bar) {
	case 0: return reproduce_time_ps(d, GPU, group) / whole;
	case 1: return kernels * share / whole;
	default: return kernels * (1 - share) / whole;
	}
}

static const char *const server_bars[] = {"GPU: kernels", "Duality Cache: compute", "Duality Cache: memory",
					  "GPU: copies"};

static double server_bar(data *d, uint32_t bar, uint32_t group)
{
	if (bar == 3)
		return 1 - reproduce_time_ps(d, GPU, group) / server_ps(d, GPU, group);
	return time_bar(d, server_ps, DUALITY, bar, group);
}

static double kernel_bar(data *d, uint32_t bar, uint32_t group)
{
	return time_bar(d, reproduce_time_ps, GDDR5, bar, group);
}

static const char *const energy_bars[] = {"CPU and DRAM", "loads and stores", "computation"};

static double energy_bar(data *d, uint32_t bar, uint32_t group)
{
	const double of[] = {0, load_store_pj(d, DUALITY, group), in_arrays_pj(d, DUALITY, group)};

	return (bar ? of[bar] : reproduce_energy_pj(d, DUALITY, group) - of[1] - of[2]) / gpu_server_pj(d, group);
}

static const char *const block_bars[] = {"control blocks at work"};

static double block_bar(data *d, uint32_t bar, uint32_t group)
{
	(void)bar;
	return blocks(d, group);
}

static const char *const mean_bars[] = {"GPU server", "CPU server", "CPU server, one core"};
static const char *const mean_groups[] = {rodinia, openacc};

static double mean_bar(data *d, uint32_t bar, uint32_t group)
{
	const uint32_t against[] = {GPU, CPU, CPU_1};
	const struct reproduce_row row = {
	    .config = DUALITY, .against = against[bar], .workload = mean_groups[group]};

	return mean_gain(d, server_ps, &row);
}

static const char *const launch_bars[] = {"bfs", "lud"};
static const char *const launch_groups[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};

static double launch_bar(data *d, uint32_t bar, uint32_t group)
{
	const json_t *l = json_array_get(launches(d, DUALITY, launch_bars[bar]), group);

	return l ? log2((double)product(l, "grid")) : NAN;
}

static const char *const kinds[] = {"mul", "div", "fadd", "fmul", "fma", "fdiv"};
static const char *const latency_bars[] = {"base", "opt"};

static double latency_bar(data *d, uint32_t bar, uint32_t group)
{
	return latency(d, kinds[group], bar ? "cycles" : "base_cycles");
}

static const char *const compiler_bars[] = {"compute", "all", "accesses"};

static double compiler_bar(data *d, uint32_t bar, uint32_t group)
{
	quantity *const of[] = {compute_ps, reproduce_time_ps, lane_accesses};

	return of[bar](d, PLAIN, group) / of[bar](d, DUALITY, group);
}

static const char *const way_bars[] = {"0", "3.5 MB", "7 MB", "14 MB", "21 MB", "31.5 MB", "by analysis"};

static double ways_of(data *d, quantity *of, uint32_t bar, uint32_t group)
{
	const uint32_t w = reproduce_workload(d, large[group]);

	if (bar == ARRAY_COUNT(way_bars) - 1)
		return of(d, DUALITY, w) / of(d, FIXED, w);
	return of(d, bar ? WAYS_1 + bar - 1 : FIXED, w) / of(d, FIXED, w);
}

static double ways_compute_bar(data *d, uint32_t bar, uint32_t group)
{
	return ways_of(d, compute_ps, bar, group);
}

static double ways_bar(data *d, uint32_t bar, uint32_t group)
{
	return ways_of(d, reproduce_time_ps, bar, group);
}

static const char *const truncated_bars[] = {"all", "compute"};

static double truncated_bar(data *d, uint32_t bar, uint32_t group)
{
	quantity *const of = bar ? compute_ps : reproduce_time_ps;

	return of(d, TRUNCATE, group) / of(d, DUALITY, group);
}

static const char *const no_link_bars[] = {"DDR4", "GDDR5"};

static double no_link_bar(data *d, uint32_t bar, uint32_t group)
{
	return bar ? reproduce_time_ps(d, GDDR5_NO_LINK, group) / reproduce_time_ps(d, GDDR5, group)
		   : reproduce_time_ps(d, NO_LINK, group) / reproduce_time_ps(d, DUALITY, group);
}

#define CHART(title, of, bars, groups) {title, of, bars, ARRAY_COUNT(bars), groups, ARRAY_COUNT(groups), NULL}
#define EACH_CHART(title, of, bars) {title, of, bars, ARRAY_COUNT(bars), NULL, 0, NULL}

static const struct reproduce_chart charts[] = {
	EACH_CHART("Figure 6: time of the server over the GPU server's", server_bar, server_bars),
	{"Figure 7: kernels alone, GDDR5 on both, over the GPU's", kernel_bar, server_bars, 3, NULL, 0, NULL},
	EACH_CHART("Figure 8: energy over the GPU server's", energy_bar, energy_bars),
	EACH_CHART("Figure 9: control blocks", block_bar, block_bars),
	CHART("Figure 10: mean speedup over servers", mean_bar, mean_bars, mean_groups),
	CHART("Figure 11: CTAs of the first launches, powers of two", launch_bar, launch_bars, launch_groups),
	CHART("Figure 12: cycles of an operation", latency_bar, latency_bars, kinds),
	EACH_CHART("Figure 13: the plain translator over the compiler", compiler_bar, compiler_bars),
	CHART("Figure 14: compute time by what stays cache", ways_compute_bar, way_bars, large),
	CHART("Figure 14: time by what stays cache", ways_bar, way_bars, large),
	EACH_CHART("Truncated results over rounded ones", truncated_bar, truncated_bars),
	EACH_CHART("Without a link between the processors: time over that with it", no_link_bar, no_link_bars),
};

const struct reproduce_paper reproduce_duality = {
	.name = "duality",
	.title = "Duality Cache (ISCA 2019)",
	REPRODUCE_TABLE(config),
	REPRODUCE_TABLE(workload),
	REPRODUCE_TABLE(cell),
	.program_endings = program_endings,
	.full_sets = "", /* section 4: to their end */
	REPRODUCE_TABLE(row),
	REPRODUCE_TABLE(claim),
	REPRODUCE_TABLE(chart),
	REPRODUCE_TABLE(turn),
};
