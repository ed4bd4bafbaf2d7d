/* omp_threads.c - threads of one team that wait for each other: barrier, single, master, critical, atomic, locks,
 * ordered, sections, nested loops, and teams that meet in atomics only. */
#include <omp.h>

#include "check.h"

enum { N = 400 };

static int phase_a[N], phase_b[N], order[64];

static void barriers(int threads)
{
	int singles = 0, masters = 0, wrong = 0, used = 0;

#pragma omp target map(from : phase_a, phase_b) map(tofrom : singles, masters, wrong, used)
#pragma omp parallel num_threads(threads)
	{
		int me = omp_get_thread_num(), count = omp_get_num_threads();

		for (int i = me; i < N; i += count)
			phase_a[i] = i + 1;
#pragma omp barrier
		for (int i = me; i < N; i += count)
			phase_b[i] = phase_a[(i + 1) % N] + phase_a[(i + N - 1) % N];
#pragma omp single
		{
			singles++;
			used = count;
		}
#pragma omp master
		masters++;
#pragma omp for schedule(dynamic, 7)
		for (int i = 0; i < N; i++)
			if (phase_b[i] != (i + 1) % N + (i + N - 1) % N + 2) {
#pragma omp atomic
				wrong++;
			}
	}
	check_that(used >= 1 && used <= threads, "threads", threads, used, threads);
	check_value("single", threads, singles, 1);
	check_value("master", threads, masters, 1);
	check_value("barrier", threads, wrong, 0);
	for (int i = 0; i < N; i++)
		check_value("phases", i, phase_b[i], (i + 1) % N + (i + N - 1) % N + 2);
}

static void exclusion(void)
{
	int in_critical = 0, in_lock = 0, by_atomic = 0, captured = 0, used = 0;

#pragma omp target map(tofrom : in_critical, in_lock, by_atomic, captured, used)
	{
		omp_lock_t lock;

		omp_init_lock(&lock);
#pragma omp parallel num_threads(8)
		for (int k = 0; k < 10; k++) {
			int mine;

			if (!k && !omp_get_thread_num())
				used = omp_get_num_threads();

#pragma omp critical
			in_critical += 2;
			omp_set_lock(&lock);
			in_lock += 3;
			omp_unset_lock(&lock);
#pragma omp atomic
			by_atomic += 5;
#pragma omp atomic capture
			mine = captured++;
			if (mine < 0)
				in_lock = -1000;
		}
		omp_destroy_lock(&lock);
	}
	/* As many as the device has registers for. */
	check_that(used > 1 && used <= 8, "threads", 0, used, 8);
	check_value("critical", 0, in_critical, 20 * used);
	check_value("lock", 0, in_lock, 30 * used);
	check_value("atomic", 0, by_atomic, 50 * used);
	check_value("capture", 0, captured, 10 * used);
}

static void ordered_and_sections(void)
{
	int at = 0, left = 0, right = 0;

#pragma omp target map(from : order) map(tofrom : at, left, right)
	{
#pragma omp parallel for ordered schedule(static, 1) num_threads(6)
		for (int i = 0; i < 64; i++) {
#pragma omp ordered
			order[at++] = i;
		}
#pragma omp parallel sections num_threads(3)
		{
#pragma omp section
			left = 1;
#pragma omp section
			right = 2;
		}
	}
	for (int i = 0; i < 64; i++)
		check_value("ordered", i, order[i], i);
	check_value("left", 0, left, 1);
	check_value("right", 0, right, 2);
}

static void many_teams(void)
{
	int sum = 0, inner[33] = {0};

#pragma omp target teams distribute num_teams(11) thread_limit(128) map(tofrom : sum, inner)
	for (int team = 0; team < 33; team++) {
		int mine = 0;

#pragma omp parallel for reduction(+ : mine)
		for (int i = 0; i < 100; i++) {
			mine += i + team;
#pragma omp atomic
			sum += i;
		}
		inner[team] = mine;
	}
	check_value("sum of teams", 0, sum, 33 * 4950);
	for (int team = 0; team < 33; team++)
		check_value("inner", team, inner[team], 4950 + 100 * team);
}

int main(void)
{
	barriers(1);
	barriers(3);
	barriers(8);
	exclusion();
	ordered_and_sections();
	many_teams();
	return check_report("omp_threads");
}
