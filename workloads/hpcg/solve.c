/*
 * solve.c - conjugate gradients with a V-cycle, by a team of threads for each part.
 *
 * In one region all threads of a team run the solver, and share the kernels' loops; otherwise its first thread does,
 * and each kernel is a region of its own. All compute the same scalars, so that all take the same way.
 */
#include "common/teams.h"
#include "kernels.h"

#include <math.h>
#include <omp.h>

enum { DOTS = 3 }; /* sums of parts: one is filled, one is read, one is left from before */

enum job { SOLVE, MATRIX, PRECONDITIONER };

struct shared {
	struct hpcg_solve *s;
	enum job job;
	pthread_barrier_t parts; /* one thread of each */
	double sums[DOTS][HPCG_PARTS_MAX];
};

/* Of a thread that runs the solver. */
struct self {
	struct shared *shared;
	struct hpcg_solve s; /* a copy, because it is looked at all the time: it lies where the thread is */
	struct hpcg_part *part;
	uint32_t number, part_count;
	int threads;
	uint32_t exchanges, dots;
	double exchange_seconds; /* of the team's first thread */
};

static bool is_first(void)
{
	return !omp_get_thread_num();
}

static void parts_wait(struct self *self)
{
	if (self->part_count > 1)
		pthread_barrier_wait(&self->shared->parts);
}

/* All threads of all teams. */
static void all_wait(struct self *self)
{
#pragma omp barrier
	if (self->part_count > 1) {
		if (is_first())
			parts_wait(self);
#pragma omp barrier
	}
}

static void run(const struct self *self, hpcg_kernel *kernel, struct hpcg_work w)
{
	w.part = self->part;
	w.prefetch = self->s.prefetch;
	w.ahead = self->s.prefetch_ahead;
	if (self->s.is_one_region) {
		kernel(&w);
		return;
	}
#pragma omp parallel num_threads(self->threads)
	kernel(&w);
}

static struct hpcg_level *level_of(const struct self *self, uint32_t number)
{
	return &self->part->levels[number];
}

/* x's halo gets what the neighbours have. Who fills one of two buffers again has met all that read it since. */
static void exchange(struct self *self, const struct hpcg_level *l, double *x)
{
	const struct hpcg_work w = {
	    .level = l, .x = x, .w = x, .turn = self->exchanges++ % 2, .is_cacheable = self->s.is_cacheable};
	double begin = 0;

	if (self->part_count == 1)
		return;
	if (is_first())
		begin = workload_seconds();
	run(self, hpcg_pack, w);
	if (is_first())
		parts_wait(self);
#pragma omp barrier
	run(self, hpcg_take, w);
	if (is_first())
		self->exchange_seconds += workload_seconds() - begin;
}

static void multiply(struct self *self, uint32_t level, double *x, double *to)
{
	const struct hpcg_level *l = level_of(self, level);

	exchange(self, l, x);
	run(self, hpcg_multiply, (struct hpcg_work){.level = l, .x = x, .w = to});
}

/* Values of neighbours are as they were before. */
static void smooth(struct self *self, uint32_t level, const double *r, double *x)
{
	const struct hpcg_work w = {.level = level_of(self, level), .y = r, .w = x};

	exchange(self, w.level, x);
	run(self, hpcg_sweep_forward, w);
	run(self, hpcg_sweep_backward, w);
}

/* x of r: smooth, take what is left to the coarser grid, bring its correction back, smooth. */
static void cycle(struct self *self, uint32_t level, const double *r, double *x)
{
	const struct hpcg_level *l = level_of(self, level), *coarse = l + 1;

	run(self, hpcg_clear, (struct hpcg_work){.level = l, .w = x});
	smooth(self, level, r, x);
	if (level + 1 == HPCG_LEVELS)
		return;
	multiply(self, level, x, l->ax);
	run(self, hpcg_restrict, (struct hpcg_work){.level = coarse, .x = r, .y = l->ax, .w = coarse->r});
	cycle(self, level + 1, coarse->r, coarse->x);
	run(self, hpcg_prolong, (struct hpcg_work){.level = coarse, .x = coarse->x, .w = x});
	smooth(self, level, r, x);
}

/* The order of all sums is that of ranges and parts, whoever computes them. */
static double dot(struct self *self, const double *x, const double *y)
{
	double *sums = self->shared->sums[self->dots++ % DOTS];

	run(self, hpcg_dot, (struct hpcg_work){.level = level_of(self, 0), .x = x, .y = y});
	if (is_first()) {
		double sum = 0, all = 0;

		for (uint32_t i = 0; i < HPCG_RANGES; i++)
			sum += self->part->sums[i];
		sums[self->number] = sum;
		parts_wait(self);
		for (uint32_t p = 0; p < self->part_count; p++)
			all += sums[p];
		self->part->dot_value = all;
	}
#pragma omp barrier
	return self->part->dot_value;
}

static void add(struct self *self, const double *x, double beta, const double *y, double *to)
{
	run(self, hpcg_add, (struct hpcg_work){.level = level_of(self, 0), .x = x, .y = y, .beta = beta, .w = to});
}

static void copy(struct self *self, const double *x, double *to)
{
	run(self, hpcg_copy, (struct hpcg_work){.level = level_of(self, 0), .x = x, .w = to});
}

struct ended {
	uint32_t iterations;
	double first, last; /* residuals */
};

/* p is the next direction: z, and what remains of the last one. */
static double turn(struct self *self, uint32_t iteration, double before)
{
	struct hpcg_part *p = self->part;
	double rz;

	if (self->s.is_preconditioned)
		cycle(self, 0, p->r, p->z);
	else
		copy(self, p->r, p->z);
	rz = dot(self, p->r, p->z);
	if (iteration)
		add(self, p->z, rz / before, p->p, p->p);
	else
		copy(self, p->z, p->p);
	return rz;
}

static struct ended gradients(struct self *self, uint32_t iterations)
{
	struct hpcg_part *p = self->part;
	struct ended e = {0, 0, 0};
	double rz = 0;

	run(self, hpcg_clear, (struct hpcg_work){.level = level_of(self, 0), .w = p->x});
	copy(self, p->x, p->p);
	multiply(self, 0, p->p, p->ap);
	add(self, p->b, -1, p->ap, p->r);
	e.first = e.last = sqrt(dot(self, p->r, p->r));
	for (; e.iterations < iterations && e.last > e.first * self->s.tolerance; e.iterations++) {
		double alpha;

		rz = turn(self, e.iterations, rz);
		multiply(self, 0, p->p, p->ap);
		alpha = rz / dot(self, p->p, p->ap);
		add(self, p->x, alpha, p->p, p->x);
		add(self, p->r, -alpha, p->ap, p->r);
		e.last = sqrt(dot(self, p->r, p->r));
	}
	return e;
}

/* Nothing but neighbours' values of p. */
static struct ended exchanges(struct self *self, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		exchange(self, level_of(self, 0), self->part->p);
	return (struct ended){.iterations = count};
}

/* By one thread of all. */
static void counting_end(struct hpcg_solve *s)
{
	for (uint32_t i = 0; i < s->counted_count; i++)
		s->counted[i].value = strata_statistic(s->counted[i].name);
}

static void solve(struct self *self)
{
	struct hpcg_solve *s = self->shared->s;
	const bool is_counter = !self->number && is_first();
	double begin = 0;
	struct ended e;

	if (s->warm && !s->is_exchange)
		gradients(self, s->warm);
	all_wait(self);
	if (is_counter) {
		strata_reset_statistics();
		begin = workload_seconds();
	}
	self->exchange_seconds = 0;
	all_wait(self);
	e = s->is_exchange ? exchanges(self, s->iterations) : gradients(self, s->iterations);
	all_wait(self);
	if (is_counter) {
		s->seconds = workload_seconds() - begin;
		counting_end(s);
		s->exchange_seconds = self->exchange_seconds;
		s->done = e.iterations;
		s->first_residual = e.first;
		s->residual = e.last;
	}
}

static void job_do(struct self *self)
{
	struct hpcg_part *p = self->part;

	if (self->shared->job == SOLVE)
		solve(self);
	else if (self->shared->job == MATRIX)
		multiply(self, 0, p->p, p->z);
	else
		cycle(self, 0, p->r, p->z);
}

/* Of the team of the calling thread. */
static int threads_of(const struct hpcg_solve *s)
{
	return s->threads ? (int)s->threads : omp_get_max_threads();
}

static void part_do(void *shared, uint32_t number)
{
	struct shared *all = shared;
	const struct self self = {.shared = all,
				  .s = *all->s,
				  .part = all->s->h->parts[number],
				  .number = number,
				  .part_count = all->s->h->part_count,
				  .threads = threads_of(all->s)};

	if (!all->s->is_one_region) {
		struct self own = self;

		job_do(&own);
		return;
	}
#pragma omp parallel num_threads(self.threads)
	{
		struct self own = self;

		job_do(&own);
	}
}

static void teams_do(const struct hpcg *h, void (*work)(void *self, uint32_t part), void *self)
{
	uint32_t places[HPCG_PARTS_MAX];

	for (uint32_t part = 0; part < h->part_count; part++)
		places[part] = h->is_placed ? part : STRATA_ANY;
	workload_teams(h->part_count, places, work, self);
}

static void part_begin(void *solve, uint32_t part)
{
	(void)part;
	/* Of an empty region nothing would be left. */
#pragma omp parallel num_threads(threads_of(solve))
	{
#pragma omp barrier
	}
}

void hpcg_begin(struct hpcg_solve *s)
{
	teams_do(s->h, part_begin, s);
}

static void job_by_all(struct hpcg_solve *s, enum job job)
{
	struct shared all = {.s = s, .job = job};

	pthread_barrier_init(&all.parts, NULL, s->h->part_count);
	teams_do(s->h, part_do, &all);
	pthread_barrier_destroy(&all.parts);
}

void hpcg_solve(struct hpcg_solve *s)
{
	job_by_all(s, SOLVE);
}

void hpcg_apply_matrix(struct hpcg_solve *s)
{
	job_by_all(s, MATRIX);
}

void hpcg_apply_preconditioner(struct hpcg_solve *s)
{
	job_by_all(s, PRECONDITIONER);
}
