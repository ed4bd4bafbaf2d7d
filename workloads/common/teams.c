/* teams.c - a thread at each place, which makes the others there. */
#include "common/teams.h"

#include <omp.h>
#include <stdlib.h>

struct team {
	void (*work)(void *self, uint32_t i);
	void *self;
	uint32_t number, threads;
};

static void *team_do(void *arg)
{
	const struct team *t = arg;

	omp_set_num_threads((int)t->threads);
	t->work(t->self, t->number);
	return NULL;
}

static void team_start(struct team *t, uint32_t ndp, pthread_t *thread)
{
	if (strata_team_on_ndp(ndp))
		workload_fail("there is no NDP %u", ndp);
	if (pthread_create(thread, NULL, team_do, t))
		workload_fail("no thread for team %u", t->number);
	strata_team_on_ndp(STRATA_ANY);
}

void workload_teams(uint32_t count, const uint32_t *ndps, void (*work)(void *self, uint32_t i), void *self)
{
	struct team *teams;
	pthread_t *threads;

	if (count == 1 && ndps[0] == STRATA_ANY) {
		work(self, 0);
		return;
	}
	teams = workload_host_alloc(count, sizeof(*teams));
	threads = workload_host_alloc(count, sizeof(*threads));
	for (uint32_t i = 0; i < count; i++) {
		teams[i] = (struct team){work, self, i,
					 ndps[i] == STRATA_ANY ? (uint32_t)omp_get_num_procs() : strata_ndp_cores()};
		team_start(&teams[i], ndps[i], &threads[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(teams);
	free(threads);
}

const char *const workload_who_words[] = {"cpu", "ndps", "apart", "shared"};

struct division {
	workload_part_work *work;
	void *self;
	struct workload_part *parts;
	pthread_barrier_t begin;
	double *begins, *ends; /* [teams]: seconds */
};

/* All begin when all threads are there. */
static void part_do(void *division, uint32_t i)
{
	struct division *d = division;

#pragma omp parallel
	{
#pragma omp barrier
	}
	pthread_barrier_wait(&d->begin);
	d->begins[i] = workload_seconds();
	d->work(d->self, &d->parts[i]);
	d->ends[i] = workload_seconds();
}

uint32_t workload_jobs(enum workload_who who)
{
	return who == WORKLOAD_APART ? 2 : 1;
}

uint32_t workload_parts(enum workload_who who, uint32_t ndps, uint32_t job)
{
	switch (who) {
	case WORKLOAD_CPU:
		return 1;
	case WORKLOAD_APART:
		return job ? ndps : 1;
	case WORKLOAD_SHARED:
		return ndps + 1;
	default:
		return ndps;
	}
}

static double teams_do(struct division *d, uint32_t count, const uint32_t *places)
{
	double begin, end;

	d->begins = workload_host_alloc(count, sizeof(*d->begins));
	d->ends = workload_host_alloc(count, sizeof(*d->ends));
	pthread_barrier_init(&d->begin, NULL, count);
	workload_teams(count, places, part_do, d);
	pthread_barrier_destroy(&d->begin);
	begin = d->begins[0];
	end = d->ends[0];
	for (uint32_t i = 1; i < count; i++) {
		begin = d->begins[i] < begin ? d->begins[i] : begin;
		end = d->ends[i] > end ? d->ends[i] : end;
	}
	free(d->begins);
	free(d->ends);
	return end - begin;
}

static double alone(workload_part_work *work, void *self)
{
	const struct workload_part all = {.count = 1};
	const double begin = workload_seconds();

	work(self, &all);
	return workload_seconds() - begin;
}

double workload_divide(enum workload_who who, uint32_t ndps, workload_part_work *work, void *self)
{
	const uint32_t on_cpu = who != WORKLOAD_NDPS, count = on_cpu + (who == WORKLOAD_CPU ? 0 : ndps);
	struct division d = {.work = work, .self = self};
	pthread_barrier_t barriers[2];
	uint32_t *places;
	double seconds;

	if (who == WORKLOAD_CPU)
		return alone(work, self);
	d.parts = workload_host_alloc(count, sizeof(*d.parts));
	places = workload_host_alloc(count, sizeof(*places));
	for (uint32_t i = 0; i < count; i++) {
		const bool is_second = who == WORKLOAD_APART && i;

		places[i] = i < on_cpu || !strata_ndp_count() ? STRATA_ANY : i - on_cpu;
		d.parts[i] = (struct workload_part){.job = is_second,
						    .number = i - is_second,
						    .count = workload_parts(who, ndps, is_second),
						    .barrier = &barriers[is_second]};
	}
	for (uint32_t job = 0; job < workload_jobs(who); job++)
		pthread_barrier_init(&barriers[job], NULL, workload_parts(who, ndps, job));
	seconds = teams_do(&d, count, places);
	for (uint32_t job = 0; job < workload_jobs(who); job++)
		pthread_barrier_destroy(&barriers[job]);
	free(d.parts);
	free(places);
	return seconds;
}

void workload_part_wait(const struct workload_part *part)
{
	if (part->count > 1)
		pthread_barrier_wait(part->barrier);
}
