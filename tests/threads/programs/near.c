/* near.c - on the NDPs of machine channel-ndp: where pages and threads are, and that it matters. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"

#include <sched.h>
#include <strata/ndp.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 1 << 13, NDP = 3, OTHER = 5, PAGE = 65536 };

long get_mempolicy(int *mode, unsigned long *mask, unsigned long bits, void *at, unsigned long flags);

static int node_of(void *p)
{
	int node = -1;

	EXPECT(get_mempolicy(&node, NULL, 0, p, 3) == 0);
	return node;
}

static uint64_t time_of_sum(const volatile uint64_t *p)
{
	uint64_t begin = strata_time_ps(), sum = 0;

	for (int i = 0; i < COUNT; i++)
		sum += p[i];
	EXPECT(sum == COUNT);
	return strata_time_ps() - begin;
}

/* A page that is mapped again is a new one, and its translation. */
static void use_maps(void)
{
	void *at = NULL;

	strata_reset_statistics();
	for (int i = 0; i < 3; i++) {
		char *p = mmap(at, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		EXPECT(p != MAP_FAILED && (!at || p == at));
		/* A whole page, wherever the map begins; lines that no cache has. */
		((volatile char *)((uintptr_t)p / PAGE * PAGE))[PAGE + i * 1024] = 1;
		EXPECT(munmap(at = p, 2 * PAGE) == 0);
	}
	EXPECT(strata_statistic("channel.page_faults") >= 3 && strata_statistic("channel.tlb_misses") >= 2);
	/* The sum of a distribution, which has no value by its own name, as a count has no sum. */
	EXPECT(strata_statistic("channel.local_latency_ps.sum") || strata_statistic("channel.remote_latency_ps.sum"));
	EXPECT(strata_statistic("channel.local.sum") == UINT64_MAX);
	EXPECT(strata_statistic("channel.local_latency_ps") == UINT64_MAX);
	strata_reset_statistics();
	EXPECT(strata_statistic("channel.remote_latency_ps.sum") == 0);
}

/* Lines that the NDP had are its own after a phase that keeps caches, the processors' after a cold one. */
static uint64_t claims_after(enum strata_caches caches, const volatile uint64_t *p)
{
	time_of_sum(p);
	strata_modelling_end();
	strata_modelling_begin(caches);
	strata_reset_statistics();
	time_of_sum(p);
	return strata_statistic("channel.claims");
}

int main(void)
{
	const uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), cores = strata_ndp_cores();
	uint64_t *own = strata_alloc_on(COUNT * 8, NDP), *other = strata_alloc_on(COUNT * 8, OTHER);
	uint64_t *touched = strata_alloc_first_touch(COUNT * 8);
	uint32_t where[4];

	EXPECT(strata_ndp_count() == 8 && cores == 64 && strata_channel_count() == 8);
	for (int i = 0; i < COUNT; i++)
		own[i] = other[i] = 1;
	EXPECT(node_of(own) == NDP + 1 && node_of(other) == OTHER + 1);
	EXPECT(strata_run_on_ndp(NDP, 7) == 0 && (uint32_t)sched_getcpu() == cpus + NDP * cores + 7);
	touched[0] = 1;
	EXPECT(node_of(touched) == NDP + 1);
	time_of_sum(own); /* the CPU's copies go */
	time_of_sum(other);
	EXPECT(time_of_sum(own) * 3 / 2 < time_of_sum(other));
	use_maps();
	EXPECT(claims_after(STRATA_CACHES_KEPT, own) < 100 && claims_after(STRATA_CACHES_COLD, own) >= COUNT * 8 / 128);
	EXPECT(strata_flush(own, COUNT * 8) == 0 && strata_remote_cacheable(other, COUNT * 8, 1) == 0);
	EXPECT(strata_run_on_cpu(STRATA_ANY) == 0 && strata_team_on_ndp(2) == 0);
#pragma omp parallel num_threads(4)
	{
		uint32_t unit = (uint32_t)sched_getcpu();

#pragma omp critical
		for (uint32_t i = 0; i < 4; i++)
			if (unit == cpus + 2 * cores + i || (!i && unit < cpus))
				where[i] = unit;
	}
	for (uint32_t i = 0; i < 4; i++)
		EXPECT(i ? where[i] == cpus + 2 * cores + i : where[0] < cpus);
	puts("near: all right");
	return 0;
}
