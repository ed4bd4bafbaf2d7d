/* omp_loops.c - target teams distribute parallel for: shapes, schedules, collapse, simd, reductions, mathematics. */
#include <math.h>
#include <omp.h>

#include "check.h"

enum { N = 5000, ROWS = 30, COLS = 41 };

static float a[N], b[N];
static double wave[N];
static int grid[ROWS][COLS], shape[4];

static void axpy(int teams, int threads)
{
	memset(shape, 0, sizeof(shape));
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) map(to : a) \
	map(from : b) map(tofrom : shape)
	for (int i = 0; i < N; i++) {
		b[i] = 2 * a[i] + 1;
		if (i == 0) {
			shape[0] = omp_get_num_teams();
			shape[1] = omp_get_num_threads();
			shape[2] = omp_is_initial_device();
		}
	}
	for (int i = 0; i < N; i++)
		check_value("axpy", i, b[i], 2 * a[i] + 1);
	check_value("teams", teams, shape[0], teams);
	check_that(shape[1] >= 1 && shape[1] <= threads, "threads", threads, shape[1], threads);
	check_value("initial device", 0, shape[2], 0);
}

static void reductions(void)
{
	double sum = 5, sum_host = 5;
	int high = 0, high_host = 0, all = 1;
	unsigned odd = 0, odd_host = 0;

#pragma omp target teams distribute parallel for simd num_teams(6) map(to : a) map(tofrom : sum, high, odd, all) \
	reduction(+ : sum) reduction(max : high) reduction(^ : odd) reduction(&& : all)
	for (int i = 0; i < N; i++) {
		sum += a[i];
		high = (int)a[i] > high ? (int)a[i] : high;
		odd ^= (unsigned)a[i] * 2654435761u;
		all = all && a[i] >= 0;
	}
	for (int i = 0; i < N; i++) {
		sum_host += a[i];
		high_host = (int)a[i] > high_host ? (int)a[i] : high_host;
		odd_host ^= (unsigned)a[i] * 2654435761u;
	}
	check_near("sum", 0, sum, sum_host, 1e-12);
	check_value("max", 0, high, high_host);
	check_value("xor", 0, odd, odd_host);
	check_value("and", 0, all, 1);
}

static void collapsed(void)
{
#pragma omp target teams distribute parallel for collapse(2) schedule(static, 3) num_teams(4) map(from : grid)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			grid[i][j] = 1000 * i + j;
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			check_value("collapse", i * COLS + j, grid[i][j], 1000 * i + j);
}

/* Rows over teams, columns over threads, with a loop for simd lanes inside. */
static void split(void)
{
#pragma omp target teams distribute num_teams(5) map(tofrom : grid)
	for (int i = 0; i < ROWS; i++) {
		int base = i * i;

#pragma omp parallel for schedule(dynamic, 4)
		for (int j = 0; j < COLS; j++) {
			int sum = 0;

#pragma omp simd reduction(+ : sum)
			for (int k = 0; k < 16; k++)
				sum += j * k;
			grid[i][j] += base + sum;
		}
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			check_value("split", i * COLS + j, grid[i][j], 1000 * i + j + i * i + 120 * j);
}

static void mathematics(void)
{
#pragma omp target teams distribute parallel for num_teams(8) map(from : wave)
	for (int i = 0; i < N; i++)
		wave[i] = sin(0.01 * i) * exp(-0.001 * i) + cbrt((double)i);
	for (int i = 0; i < N; i++)
		check_near("wave", i, wave[i], sin(0.01 * i) * exp(-0.001 * i) + cbrt((double)i), 1e-12);
}

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = (float)(i * 31 % 1009);
	axpy(1, 32);
	axpy(7, 64);
	axpy(20, 256);
	reductions();
	collapsed();
	split();
	mathematics();
	return check_report("omp_loops");
}
