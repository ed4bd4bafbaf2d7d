/*
 * hpcg - the High Performance Conjugate Gradient benchmark by its specification (Dongarra, Heroux, Luszczek,
 * SAND2013-8752 and version 3): conjugate gradients with a multigrid preconditioner of four levels, tests of symmetry
 * and convergence, and its counts of operations and bytes.
 *
 * As in the NDP thesis, section 6.4: a cube of the grid for each near-data processor (NDP), block multi-coloured
 * Gauss-Seidel, nested OpenMP, and the optimisations of 6.4.2 as options.
 */
#include "common/teams.h"
#include "hpcg.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {
    .name = "hpcg",
    .summary = "HPCG: conjugate gradients, preconditioned by multigrid, for a sparse matrix of 27 points a row.",
    .small_size = "8 x 8 x 8 points, 2 iterations",
    .paper_size = "64 x 64 x 64 points, 50 iterations",
};

enum {
	SIDE,
	NDPS,
	WHERE,
	ITERATIONS,
	WARM,
	THREADS,
	REGION,
	CLAIM,
	PREFETCH,
	AHEAD,
	BLOCK,
	VALIDATE,
	RATING,
	DO,
	REMOTE
};
enum { REMOTE_INHIBITED, REMOTE_CACHEABLE };
enum { DO_SOLVE, DO_EXCHANGE };
enum { ON_NDPS, ON_CPU };
enum { REGION_ONE, REGION_EACH };
enum { CLAIM_MATRIX, CLAIM_NOTHING, CLAIM_ALL };
enum { VALIDATE_ALL, VALIDATE_RESULT };
static const char *const remotes[] = {"inhibited", "cacheable"};
static const char *const works[] = {"solve", "exchange"};
static const char *const places[] = {"ndps", "cpu"};
static const char *const regions[] = {"one", "each"};
static const char *const claims[] = {"matrix", "nothing", "all"};
static const char *const prefetches[] = {"none", "linear", "indirect"};
static const char *const validations[] = {"all", "result"};
static const struct workload_count counts[] = {
    {"side", "points of a part's side", 8, 64, HPCG_SIDE_MULTIPLE, 256, HPCG_SIDE_MULTIPLE, NULL},
    {"ndps", "parts, cubes of that side, each with its team of threads: 1, 2, 4 or 8", 1, 1, 1, HPCG_PARTS_MAX, 1,
     NULL},
    {"where", "the solver; a machine without NDPs has only the CPU", ON_NDPS, ON_NDPS, 0, ON_CPU, 1, places},
    {"iterations", "of conjugate gradients, which are timed", 2, 50, 1, 1000, 1, NULL},
    {"warm", "of them before, modelled and not timed", 0, 0, 0, 1000, 1, NULL},
    {"threads", "threads of a team; 0: as many as there are cores for each", 0, 0, 0, 4096, 1, NULL},
    {"region", "parallel regions: one on top of all kernels, or one for each", REGION_ONE, REGION_ONE, 0, REGION_EACH,
     1, regions},
    {"claim", "what the NDPs own before the start", CLAIM_MATRIX, CLAIM_MATRIX, 0, CLAIM_ALL, 1, claims},
    {"prefetch", "by software: what is read in order, and the vector's elements that columns name", HPCG_NO_PREFETCH,
     HPCG_NO_PREFETCH, 0, HPCG_INDIRECT, 1, prefetches},
    {"ahead", "nonzeros, or elements, that it is ahead", 16, 16, 2, HPCG_PAD, 2, NULL},
    {"block", "points of a block's side on the finest level, halved with each level", 4, 4, 1, 64, 1, NULL},
    {"validate", "the problem and HPCG's tests as well, or only the result", VALIDATE_ALL, VALIDATE_ALL, 0,
     VALIDATE_RESULT, 1, validations},
    {"rating", "iterations of HPCG's reference, whose residual the rated ones reach; 0: none is rated", 50, 50, 0, 1000,
     1, NULL},
    {"do", "the solver, or only exchanges of neighbours' values, as many as iterations", DO_SOLVE, DO_SOLVE, 0,
     DO_EXCHANGE, 1, works},
    {"remote", "neighbours' values in NDPs' caches: not, or until they are flushed", REMOTE_INHIBITED, REMOTE_INHIBITED,
     0, REMOTE_CACHEABLE, 1, remotes},
};

static struct hpcg_counted counted[] = {
    {.name = "channel.directory_bytes"}, {.name = "channel.near_bytes"},      {.name = "channel.remote_bytes"},
    {.name = "channel.processor_bytes"}, {.name = "channel.remote_reads"},    {.name = "channel.point_lookups"},
    {.name = "channel.point_hits"},      {.name = "channel.point_out_bytes"}, {.name = "cpu.up_bytes"},
    {.name = "cpu.down_bytes"},          {.name = "channel.instructions"},
    /* Of NDP cores: with a thread that runs, and what their loads and stores waited for the NDP-M and others'. */
    {.name = "channel.awake_ps"},	      {.name = "channel.local_latency_ps.sum"},
    {.name = "channel.join_wait_ps"},	      {.name = "channel.remote_latency_ps.sum"},
};

/* ---- what HPCG counts ---- */

/* Of one set. A sweep forward and one backward are two products. */
static double operations(const struct hpcg *h, double iterations)
{
	const double rows = (double)hpcg_rows(h, 0), nonzeros = (double)hpcg_nonzeros(h, 0);
	double sum = 2 * (3 * iterations + 1) * 2 * rows + (iterations + 1) * 2 * nonzeros; /* dots, WAXPBY, SpMV */

	for (uint32_t level = 0; level < HPCG_LEVELS; level++)
		sum += iterations * (level + 1 < HPCG_LEVELS ? 4 + 2 + 4 : 4) * (double)hpcg_nonzeros(h, level);
	return sum;
}

/* Bytes of one product of a matrix: values and columns, the result read and written. */
static double product_bytes(const struct hpcg *h, uint32_t level, double passes)
{
	return passes * (double)hpcg_nonzeros(h, level) * (sizeof(double) + sizeof(uint32_t)) +
	       2 * (double)hpcg_rows(h, level) * sizeof(double);
}

/* As reported: each vector comes once, however often it is read. */
static double bytes(const struct hpcg *h, double iterations)
{
	const double rows = (double)hpcg_rows(h, 0), vectors = 3 * iterations + 1;
	double sum = vectors * (2 * rows + 1) * sizeof(double) + /* dot products */
		     vectors * 3 * rows * sizeof(double) +       /* WAXPBY */
		     (iterations + 1) * product_bytes(h, 0, 1);

	for (uint32_t level = 0; level < HPCG_LEVELS; level++)
		sum +=
		    iterations * (level + 1 < HPCG_LEVELS ? 2 * product_bytes(h, level, 2) + product_bytes(h, level, 1)
							  : product_bytes(h, level, 2));
	return sum;
}

static const struct hpcg_counted *count_of(const char *name)
{
	uint32_t i = 0;

	while (strcmp(counted[i].name, name))
		i++;
	return &counted[i];
}

/* Where the machine has them. */
static void counted_say(double seconds)
{
	static const char *const requesters[] = {"channel.directory_bytes", "channel.near_bytes",
						 "channel.remote_bytes", "channel.processor_bytes"};
	double memory = 0;

	for (uint32_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (counted[i].value != UINT64_MAX)
			workload_measure(counted[i].name, (double)counted[i].value, "");
	if (count_of("channel.near_bytes")->value == UINT64_MAX)
		return;
	for (uint32_t i = 0; i < sizeof(requesters) / sizeof(requesters[0]); i++)
		memory += (double)count_of(requesters[i])->value;
	workload_measure("measured_bandwidth", memory / seconds * 1e-9, "GB/s");
}

static void say(const struct hpcg *h, const struct hpcg_solve *s)
{
	const double done = s->done;

	workload_measure("time", s->seconds, "s");
	workload_measure("exchange_time", s->exchange_seconds, "s");
	counted_say(s->seconds);
	if (s->is_exchange)
		return;
	workload_measure("GFLOPS", operations(h, done) / s->seconds * 1e-9, "Gflop/s");
	workload_measure("reported_bandwidth", bytes(h, done) / s->seconds * 1e-9, "GB/s");
	workload_measure("residual", s->residual / s->first_residual, "of the first");
}

/* ---- the result ---- */

/* To the bit, with any number of threads anywhere. */
static bool result_check(const struct hpcg *h, const struct hpcg_solve *s)
{
	double *x[HPCG_PARTS_MAX], residual;
	uint32_t wanted;
	bool right;

	wanted = hpcg_reference(h, HPCG_COLOURED, s->iterations, 0, x, &residual);
	right = wanted == s->done;
	if (!right)
		fprintf(stderr, "hpcg: %u iterations, expected %u\n", s->done, wanted);
	for (uint32_t part = 0; part < h->part_count; part++) {
		right = right &&
			workload_same_f64("solution", h->parts[part]->x, x[part], h->parts[part]->levels[0].rows, 0);
		free(x[part]);
	}
	return right;
}

/* Another order of rows may converge slower, which HPCG charges: to the reference's residual it may take more. */
static void rate(const struct hpcg *h, const struct hpcg_solve *s, uint32_t reference)
{
	double *x[HPCG_PARTS_MAX], wanted, reached;
	uint32_t taken;

	hpcg_reference(h, HPCG_NATURAL, reference, 0, x, &wanted);
	for (uint32_t part = 0; part < h->part_count; part++)
		free(x[part]);
	taken = hpcg_reference(h, HPCG_COLOURED, 10 * reference, wanted, x, &reached);
	for (uint32_t part = 0; part < h->part_count; part++)
		free(x[part]);
	workload_measure("rated_iterations", taken, "iterations");
	workload_measure("rating", operations(h, s->done) / s->seconds * 1e-9 * reference / taken, "Gflop/s");
}

static bool validate(struct hpcg_solve s, uint64_t seed)
{
	s.is_exchange = false;
	return hpcg_problem_check(s.h, seed) && hpcg_symmetry_check(&s, seed) && hpcg_convergence_check(&s);
}

static void claim(const struct hpcg *h, uint32_t what)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t i = 0; i < HPCG_MEMORIES; i++) {
			const struct hpcg_memory *m = &h->parts[part]->memories[i];

			if (what == CLAIM_NOTHING || (what == CLAIM_MATRIX && i != HPCG_MATRIX))
				continue;
			workload_touch(m->at, m->bytes);
			strata_claim(m->at, m->bytes, STRATA_NDP_OWNED);
		}
}

static void cacheable_mark(const struct hpcg *h)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t level = 0; level < HPCG_LEVELS; level++) {
			const struct hpcg_level *l = &h->parts[part]->levels[level];

			for (uint32_t turn = 0; turn < 2; turn++)
				strata_remote_cacheable(l->out[turn], l->outgoing * sizeof(double), true);
		}
}

static void solve(struct hpcg_solve *s, uint32_t claimed)
{
	strata_modelling_begin(STRATA_CACHES_COLD);
	if (s->h->is_placed)
		claim(s->h, claimed);
	if (s->is_cacheable)
		cacheable_mark(s->h);
	hpcg_begin(s);
	hpcg_solve(s);
	strata_modelling_end();
}

static struct hpcg problem(const struct workload_options *o)
{
	const uint32_t parts = o->counts[NDPS];
	const bool is_placed = o->counts[WHERE] == ON_NDPS && strata_ndp_count();

	if (parts & (parts - 1))
		workload_fail("--ndps wants a power of two, not %u", parts);
	if (o->counts[DO] == DO_EXCHANGE && parts == 1)
		workload_fail("--do exchange wants neighbours: --ndps 2 or more");
	if (is_placed && parts > strata_ndp_count())
		workload_fail("--ndps %u, but the machine has %u", parts, strata_ndp_count());
	return (struct hpcg){
	    .side = o->counts[SIDE], .block = o->counts[BLOCK], .part_count = parts, .is_placed = is_placed};
}

/* The teams' sizes: of the CPU's alone as its processors are divided among them. */
static uint32_t threads_wanted(const struct workload_options *o, const struct hpcg *h)
{
	if (o->counts[THREADS] || h->is_placed)
		return o->counts[THREADS];
	return ((uint32_t)omp_get_num_procs() + h->part_count - 1) / h->part_count;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct hpcg h = problem(&o);
	struct hpcg_solve s = {.h = &h,
			       .threads = threads_wanted(&o, &h),
			       .is_one_region = o.counts[REGION] == REGION_ONE,
			       .is_cacheable = o.counts[REMOTE] == REMOTE_CACHEABLE,
			       .prefetch = o.counts[PREFETCH],
			       .prefetch_ahead = o.counts[AHEAD],
			       .is_preconditioned = true,
			       .is_exchange = o.counts[DO] == DO_EXCHANGE,
			       .warm = o.counts[WARM],
			       .iterations = o.counts[ITERATIONS],
			       .counted = counted,
			       .counted_count = sizeof(counted) / sizeof(counted[0])};
	bool right = true;

	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	strata_modelling_end();
	hpcg_make(&h);
	if (o.counts[VALIDATE] == VALIDATE_ALL)
		right = validate(s, o.seed);
	if (right) {
		hpcg_halo_fill(&h, o.seed);
		solve(&s, o.counts[CLAIM]);
		right = s.is_exchange ? hpcg_halo_check(&h) : result_check(&h, &s);
	}
	if (right) {
		say(&h, &s);
		if (o.counts[RATING] && !s.is_exchange)
			rate(&h, &s, o.counts[RATING]);
	}
	hpcg_free(&h);
	return workload_finish(right, "%u parts of %u x %u x %u points, %u iterations", h.part_count, h.side, h.side,
			       h.side, s.done);
}
