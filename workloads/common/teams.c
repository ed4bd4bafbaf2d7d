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
	void (*work)(void *self, const struct workload_part *part);
	void *self;
	struct workload_part *parts;
};

static void part_do(void *self, uint32_t i)
{
	const struct division *d = self;

	d->work(d->self, &d->parts[i]);
}

uint32_t workload_jobs(enum workload_who who)
{
	return who == WORKLOAD_APART ? 2 : 1;
}

void workload_divide(enum workload_who who, uint32_t ndps, void (*work)(void *self, const struct workload_part *part),
		     void *self)
{
	const uint32_t on_cpu = who != WORKLOAD_NDPS, on_ndps = who == WORKLOAD_CPU ? 0 : ndps;
	const uint32_t count = on_cpu + on_ndps;
	struct workload_part *parts = workload_host_alloc(count, sizeof(*parts));
	uint32_t *places = workload_host_alloc(count, sizeof(*places));
	pthread_barrier_t barriers[2];
	const struct division d = {work, self, parts};

	for (uint32_t i = 0; i < count; i++) {
		const bool is_second = who == WORKLOAD_APART && i;

		places[i] = i < on_cpu ? STRATA_ANY : i - on_cpu;
		parts[i] = (struct workload_part){.job = is_second,
						  .number = i - is_second,
						  .count = who == WORKLOAD_APART ? (i ? on_ndps : 1) : count,
						  .barrier = &barriers[is_second]};
	}
	for (uint32_t job = 0; job < workload_jobs(who); job++)
		pthread_barrier_init(&barriers[job], NULL, job ? on_ndps : parts[0].count);
	workload_teams(count, places, part_do, (void *)&d);
	for (uint32_t job = 0; job < workload_jobs(who); job++)
		pthread_barrier_destroy(&barriers[job]);
	free(parts);
	free(places);
}

void workload_part_wait(const struct workload_part *part)
{
	if (part->count > 1)
		pthread_barrier_wait(part->barrier);
}
