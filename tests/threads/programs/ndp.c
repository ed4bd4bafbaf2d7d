/* ndp.c - <strata/ndp.h> and memory by nodes: "toy" on tests/threads/toy_ndp.c, "teams" there with OpenMP on its NDPs,
 * without an argument on any machine without NDPs, or natively. Also as C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"

#include <strata/ndp.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* As numaif.h and numa.h have them. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) long mbind(void *at, unsigned long bytes, int mode, const unsigned long *mask,
				 unsigned long bits, unsigned flags);
__attribute__((weak)) long get_mempolicy(int *mode, unsigned long *mask, unsigned long bits, void *at,
					 unsigned long flags);
__attribute__((weak)) long set_mempolicy(int mode, const unsigned long *mask, unsigned long bits);
__attribute__((weak)) long move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status,
				      int flags);
__attribute__((weak)) int numa_available(void), numa_max_node(void), numa_node_of_cpu(int), numa_run_on_node(int);
__attribute__((weak)) void *numa_alloc_onnode(size_t bytes, int node), *numa_alloc_interleaved(size_t bytes);
__attribute__((weak)) void numa_free(void *p, size_t bytes);
#ifdef __cplusplus
}
#endif

enum { PAGE = 65536, CPUS = 3, CORES = 4 };
static volatile int sink;
static char received[2][STRATA_MESSAGE_BYTES];
static int started_on;

static void *listen(void *arg)
{
	started_on = sched_getcpu();
	EXPECT(strata_run_on_ndp(1, 2) == 0 && sched_getcpu() == CPUS + CORES + 2);
	EXPECT(strata_receive(received[0], STRATA_MESSAGE_BYTES) == 6);
	EXPECT(strata_receive(received[1], 3) == 5);
	return arg;
}

static void *where(void *arg)
{
	*(int *)arg = sched_getcpu();
	return NULL;
}

static long node_of(void *p)
{
	int node = -1;

	EXPECT(get_mempolicy(&node, NULL, 0, p, 3) == 0);
	return node;
}

static void check_memory(void)
{
	char *on = (char *)strata_alloc_on(3 * PAGE, 2), *all = (char *)strata_alloc_interleaved(6 * PAGE);
	unsigned long third = 1ul << 3;
	void *pages[2];
	int nodes[2] = {1, 3}, status[2];
	uint64_t unmapped;

	EXPECT(on && all && !strata_alloc_on(100, 3));
	EXPECT(node_of(on) == 3 && node_of(on + 2 * PAGE) == 3);
	for (int i = 0; i < 6; i++)
		EXPECT(node_of(all + i * PAGE) == 1 + i % 3);
	EXPECT(mbind(all, 2 * PAGE, 2, &third, 64, 0) == 0 && node_of(all) == 3 && node_of(all + 2 * PAGE) == 3);
	third = 1ul << 4;
	EXPECT(mbind(all, PAGE, 2, &third, 64, 0) == -1 && errno == EINVAL);
	pages[0] = on;
	pages[1] = all;
	EXPECT(move_pages(0, 2, pages, nodes, status, 2) == 0 && status[0] == 1 && status[1] == 3);
	EXPECT(move_pages(0, 2, pages, NULL, status, 0) == 0 && status[0] == 1 && status[1] == 3);
	unmapped = strata_statistic("toy.asked.3"); /* stacks of threads that are no more */
	strata_free(on, 3 * PAGE);
	EXPECT(get_mempolicy(status, NULL, 0, pages[0], 3) == -1);
	EXPECT(strata_statistic("toy.asked.3") == unmapped + 1);
	EXPECT(mprotect(all, PAGE, PROT_READ) == 0 && strata_statistic("toy.asked.4") == 1);

	EXPECT(numa_available() == 0 && numa_max_node() == 3);
	EXPECT(numa_node_of_cpu(2) == 0 && numa_node_of_cpu(CPUS) == 1 && numa_node_of_cpu(CPUS + CORES) == 2);
	on = (char *)numa_alloc_onnode(PAGE, 2);
	EXPECT(on && node_of(on) == 2 && !numa_alloc_onnode(PAGE, 0));
	numa_free(on, PAGE);
	EXPECT(numa_run_on_node(1) == 0 && sched_getcpu() == CPUS);
	EXPECT(numa_run_on_node(0) == 0 && sched_getcpu() < CPUS);
}

static void check_states(int expected)
{
	int data[64] = {0};

	EXPECT(strata_claim(data, sizeof(data), STRATA_SHARED) == 0);
	EXPECT(strata_remote_cacheable(data, sizeof(data), 1) == 0);
	EXPECT(strata_flush(data, sizeof(data)) == 0);
	EXPECT(strata_prefetch(data, sizeof(data)) == 0 && strata_drain() == 0);
	EXPECT(strata_claim(data, sizeof(data), (enum strata_owner)7) == expected);
}

/* Nothing is counted and hardly any time passes where nothing is modelled. */
static void check_phases(void)
{
	uint64_t before, after;

	strata_modelling_end();
	before = strata_time_ps();
	strata_reset_statistics();
	for (int i = 0; i < 100000; i++)
		sink = i;
	after = strata_time_ps();
	EXPECT(strata_statistic("toy.accesses") == 0 && after - before < 1000000);
	strata_modelling_begin(STRATA_CACHES_COLD);
	before = strata_time_ps();
	strata_reset_statistics();
	for (int i = 0; i < 1000; i++)
		sink = i;
	EXPECT(strata_statistic("toy.accesses") >= 1000 && strata_time_ps() - before >= 5000000);
	EXPECT(strata_statistic("toy.nonsense") == UINT64_MAX);
}

static void check_toy(void)
{
	pthread_t t;
	int unit = -1;
	uint64_t sent;

	EXPECT(strata_ndp_count() == 2 && strata_ndp_cores() == CORES && strata_channel_count() == 3);
	EXPECT(sysconf(_SC_NPROCESSORS_ONLN) == CPUS);
	EXPECT(strata_run_on_ndp(2, 0) == ENODEV && strata_run_on_ndp(0, CORES) == EINVAL);
	EXPECT(strata_run_on_ndp(0, 3) == 0 && sched_getcpu() == CPUS + 3);
	EXPECT(strata_run_on_ndp(0, STRATA_ANY) == 0 && sched_getcpu() == CPUS + 3);
	EXPECT(strata_run_on_cpu(1) == 0 && sched_getcpu() == 1);
	EXPECT(strata_run_on_cpu(STRATA_ANY) == 0 && sched_getcpu() == 1);
	EXPECT(strata_receive(received[0], 4) == 0);

	pthread_create(&t, NULL, listen, NULL);
	sent = strata_time_ps();
	EXPECT(strata_send(1, "hello", 6) == 0 && strata_send(1, "again", 5) == 0 && strata_send(5, "", 0) == ENODEV);
	EXPECT(strata_send(1, "", STRATA_MESSAGE_BYTES + 1) == EINVAL);
	pthread_join(t, NULL);
	EXPECT(!strcmp(received[0], "hello") && !memcmp(received[1], "aga", 4) && started_on < CPUS);
	EXPECT(strata_time_ps() - sent >= 24000000);

	EXPECT(strata_team_on_ndp(1) == 0 && strata_team_on_ndp(2) == ENODEV);
	pthread_create(&t, NULL, where, &unit);
	pthread_join(t, NULL);
	EXPECT(unit >= CPUS + CORES && unit < CPUS + 2 * CORES);
#ifdef _OPENMP
	int units[CORES];

	for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(CORES)
		units[omp_get_thread_num()] = sched_getcpu();
		EXPECT(units[0] == 1);
		for (int i = 1; i < CORES; i++)
			EXPECT(round ? units[i] < CPUS : units[i] == CPUS + CORES + i);
		EXPECT(strata_team_on_ndp(STRATA_ANY) == 0);
	}
#endif
	check_memory();
	check_states(EINVAL);
	EXPECT(strata_statistic("toy.asked.5") == 1 && strata_statistic("toy.asked.7") == 1);
	check_phases();
}

#ifdef _OPENMP
/* One team over all cores, then a team for each NDP. */
static void check_teams(void)
{
	int units[2 * CORES], inner[2][CORES];

#pragma omp parallel num_threads(2 * CORES)
	units[omp_get_thread_num()] = sched_getcpu();
	for (int i = 0; i < 2 * CORES; i++)
		EXPECT(units[i] == CPUS + i);
	EXPECT(sched_getcpu() < CPUS);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int team = omp_get_thread_num();

#pragma omp parallel num_threads(CORES)
		inner[team][omp_get_thread_num()] = sched_getcpu();
	}
	for (int i = 0; i < 2 * CORES; i++)
		EXPECT(inner[i / CORES][i % CORES] == CPUS + i);
}
#endif

static void check_without(void)
{
	char *p = (char *)strata_alloc_interleaved(1000);

	EXPECT(strata_ndp_count() == 0 && strata_run_on_ndp(0, 0) == ENODEV && strata_team_on_ndp(0) == ENODEV);
	EXPECT(strata_run_on_cpu(STRATA_ANY) == 0 && strata_team_on_ndp(STRATA_ANY) == 0);
	EXPECT(strata_send(0, "a", 1) == ENODEV && strata_receive(p, 1) == 0);
	EXPECT(p);
	memset(p, 3, 1000);
	strata_free(p, 1000);
	check_states(strata_time_ps() ? EINVAL : 0);
	strata_modelling_end();
	for (int i = 0; i < 1000; i++)
		sink = i;
	strata_modelling_begin(STRATA_CACHES_KEPT);
	if (numa_available && numa_available() == 0 && strata_time_ps()) {
		EXPECT(numa_max_node() == 0 && numa_node_of_cpu(0) == 0);
		EXPECT(set_mempolicy(0, NULL, 0) == 0);
		p = (char *)numa_alloc_interleaved(100);
		EXPECT(p && node_of(p) == 0);
		numa_free(p, 100);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "toy"))
		check_toy();
#ifdef _OPENMP
	else if (argc > 1 && !strcmp(argv[1], "teams"))
		check_teams();
#endif
	else
		check_without();
	puts("ndp: all right");
	return 0;
}
