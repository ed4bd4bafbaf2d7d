/* leagues.c - OpenMP's teams, target regions on the host, and loops whose iterations wait for named other ones. */
#include "check.h"

#include <omp.h>
#include <string.h>

enum { SIDE = 40, COUNT = 1003, CUBE = 9 };
static int grid[SIDE][SIDE], cube[CUBE][CUBE][CUBE], seen[COUNT], sums[8];

/* Each point needs those above and on the left. */
static void wavefront(void)
{
	memset(grid, 0, sizeof(grid));
	for (int i = 0; i < SIDE; i++)
		grid[i][0] = grid[0][i] = 1;
#pragma omp parallel for ordered(2) num_threads(4)
	for (int i = 1; i < SIDE; i++)
		for (int j = 1; j < SIDE; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 10007;
#pragma omp ordered depend(source)
		}
	for (int i = 1; i < SIDE; i++)
		for (int j = 1; j < SIDE; j++)
			EXPECT(grid[i][j] == (grid[i - 1][j] + grid[i][j - 1]) % 10007);
	printf("wavefront %d\n", grid[SIDE - 1][SIDE - 1]);
}

/* More loops than a team has places for, of other schedules, downwards, and with a sink that is no iteration. */
static void chains(void)
{
	int last[4] = {0};

#pragma omp parallel num_threads(4)
	for (int round = 0; round < 12; round++) {
#pragma omp for ordered(1) schedule(dynamic, 2)
		for (int i = 60; i > 0; i -= 2) {
#pragma omp ordered depend(sink : i + 2)
			last[0] = 3 * last[0] % 1009 + i;
#pragma omp ordered depend(source)
		}
#pragma omp for ordered(1) schedule(static, 1) nowait
		for (long i = -20; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
			last[1] = (last[1] + (int)i * last[0]) % 1009;
#pragma omp ordered depend(source)
		}
#pragma omp for schedule(guided) ordered
		for (int i = 0; i < 10; i++)
#pragma omp ordered
			last[2] = 2 * last[2] % 1009 + i;
	}
	printf("chains %d %d %d\n", last[0], last[1], last[2]);
}

static void cubes(void)
{
#pragma omp parallel for ordered(3) num_threads(3) schedule(dynamic)
	for (int i = 0; i < CUBE; i++)
		for (int j = 0; j < CUBE; j++)
			for (int k = 0; k < CUBE; k++) {
#pragma omp ordered depend(sink : i - 1, j + 1, k) depend(sink : i, j - 1, k + 1) depend(sink : i, j, k - 1)
				cube[i][j][k] = 1 + (i && j + 1 < CUBE ? cube[i - 1][j + 1][k] : 0) +
						(j && k + 1 < CUBE ? cube[i][j - 1][k + 1] : 0) +
						(k ? cube[i][j][k - 1] : 0);
				cube[i][j][k] %= 10007;
#pragma omp ordered depend(source)
			}
	printf("cube %d\n", cube[CUBE - 1][CUBE - 1][CUBE - 1]);
}

static void once_each(int from)
{
	for (int i = 0; i < COUNT; i++)
		EXPECT(seen[i] == (i >= from));
	memset(seen, 0, sizeof(seen));
}

static void teams(void)
{
	long sum = 0;
	int last = -1, wrong = 0;

	EXPECT(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp teams num_teams(5) thread_limit(3) reduction(+ : sum, wrong)
	{
		wrong += omp_get_num_teams() != 5 || omp_get_num_threads() != 1 || omp_get_thread_num() != 0 ||
			 omp_get_level() != 0;
		sum += omp_get_team_num();
#pragma omp parallel reduction(+ : wrong)
		wrong += omp_get_num_threads() > 3 || omp_get_num_teams() != 5 || omp_get_level() != 1;
	}
	EXPECT(sum == 10 && !wrong);
#pragma omp teams distribute num_teams(3)
	for (int i = 0; i < COUNT; i++) {
		seen[i]++;
		sums[omp_get_team_num()]++;
	}
	once_each(0);
	EXPECT(sums[0] + sums[1] + sums[2] == COUNT && sums[0] > 300 && sums[2] > 300);
#pragma omp teams distribute parallel for num_teams(4) thread_limit(2) lastprivate(last) reduction(+ : sum)
	for (int i = 7; i < COUNT; i++) {
		seen[i]++;
		sum += i;
		last = i;
	}
	once_each(7);
	EXPECT(last == COUNT - 1);
#pragma omp teams distribute dist_schedule(static, 10) num_teams(7)
	for (unsigned long i = 3; i < COUNT; i++)
		seen[i]++;
	once_each(3);
#pragma omp teams distribute num_teams(9)
	for (int i = 5; i > 0; i--)
		seen[COUNT - i]++;
	once_each(COUNT - 5);
	printf("teams %ld\n", sum);
}

static void targets(void)
{
	double sum = 0;

#pragma omp target map(tofrom : sum)
	sum = omp_is_initial_device();
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < COUNT; i++)
		sum += i;
	printf("target %g\n", sum);
}

int main(void)
{
	wavefront();
	chains();
	cubes();
	teams();
	targets();
	return 0;
}
