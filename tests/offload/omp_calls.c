/* omp_calls.c - what needs the soft stacks: arrays on the stack, their addresses given away, recursion, calls through
 * pointers, functions called by simd lanes, malloc and printf on the device. */
#include <omp.h>

#include "check.h"

enum { N = 600 };

#pragma omp declare target
static int square(int v)
{
	return v * v;
}

static int negate(int v)
{
	return -v;
}

static int plus_seven(int v)
{
	return v + 7;
}

static int (*const table[3])(int) = {square, negate, plus_seven};

__attribute__((noinline)) static int apply(int (*f)(int), int v)
{
	return f(v);
}

__attribute__((noinline)) static void fill(int *to, int n, int seed)
{
	for (int i = 0; i < n; i++)
		to[i] = seed + i * i;
}

__attribute__((noinline)) static int sum_of(const int *from, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += from[i];
	return sum;
}

/* Each depth has an array of its own. */
__attribute__((noinline)) static int deep(int n)
{
	int mine[4];

	fill(mine, 4, n);
	return n ? deep(n - 1) + sum_of(mine, 4) : sum_of(mine, 4);
}

/* A frame of more than the 128 bytes that GCC 12 reserves on a lane's stack: the rest lies below the kernel's frame. */
__attribute__((noinline)) static int from_large_frame(int n)
{
	int mine[100];

	fill(mine, 100, n);
	return sum_of(mine, 100);
}
#pragma omp end declare target

static int results[3][N], sums[N], depths[N], chained[N];

static void indirect(void)
{
#pragma omp target teams distribute parallel for num_teams(4) map(from : results, chained)
	for (int i = 0; i < N; i++) {
		int v = i;

		for (int k = 0; k < 3; k++)
			results[k][i] = apply(table[k], i);
		/* Lanes of one warp go to different functions. */
		for (int k = 0; k < 4; k++)
			v = apply(table[(i + k) % 3], v % 1000);
		chained[i] = v;
	}
	for (int i = 0; i < N; i++) {
		int v = i;

		check_value("square", i, results[0][i], i * i);
		check_value("negate", i, results[1][i], -i);
		check_value("plus seven", i, results[2][i], i + 7);
		for (int k = 0; k < 4; k++)
			v = table[(i + k) % 3](v % 1000);
		check_value("chain", i, chained[i], v);
	}
}

static void stacks(void)
{
#pragma omp target teams distribute parallel for num_teams(3) map(from : sums, depths)
	for (int i = 0; i < N; i++) {
		int mine[50];

		fill(mine, 50, i);
		sums[i] = sum_of(mine, i % 50);
		depths[i] = deep(i % 12);
	}
	for (int i = 0; i < N; i++) {
		int mine[50];

		fill(mine, 50, i);
		check_value("array", i, sums[i], sum_of(mine, i % 50));
		check_value("recursion", i, depths[i], deep(i % 12));
	}
}

static void lanes_stacks(void)
{
#pragma omp target teams distribute parallel for simd num_teams(3) map(from : sums)
	for (int i = 0; i < N; i++)
		sums[i] = from_large_frame(i);
	for (int i = 0; i < N; i++)
		check_value("lane's stack", i, sums[i], from_large_frame(i));
}

static void heap_and_print(void)
{
	int total = 0;

#pragma omp target map(tofrom : total)
	{
		int *p = malloc(100 * sizeof(int));

		fill(p, 100, 0);
		total = sum_of(p, 100);
		free(p);
		printf("the device says %d, %s, %.3f\n", total, "text", 0.125);
	}
	check_value("malloc", 0, total, 328350);
}

int main(void)
{
	indirect();
	stacks();
	lanes_stacks();
	heap_and_print();
	return check_report("omp_calls");
}
