/* kernels.c - five kernels, by number: the instructions that they execute are counted by the test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 14 };
static double x[N], y[N], z[N];
static int column[8 * N], row[N + 1], next[N];
static double value[8 * N];
static uint32_t histogram[256];

__attribute__((noinline)) static void triad(int rounds)
{
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < N; i++)
			x[i] = y[i] + 3.0 * z[i];
		__asm__ volatile("" ::: "memory");
	}
}

__attribute__((noinline)) static void sparse(int rounds)
{
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < N; i++) {
			double sum = 0;

			for (int k = row[i]; k < row[i + 1]; k++)
				sum += value[k] * x[column[k]];
			y[i] = sum;
		}
}

__attribute__((noinline)) static int chase(int rounds)
{
	int at = 0;

	for (int r = 0; r < rounds * N; r++)
		at = next[at];
	return at;
}

__attribute__((noinline)) static void count(int rounds)
{
	uint32_t state = 1;

	for (int r = 0; r < rounds * N; r++) {
		state = state * 1664525 + 1013904223;
		histogram[state >> 24]++;
	}
}

static int order(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

/* Quick, in place: not the C library's. */
__attribute__((noinline)) static void sort(int *a, int n)
{
	while (n > 1) {
		int pivot = a[n / 2], i = 0, k = n - 1;

		while (i <= k) {
			while (order(&a[i], &pivot) < 0)
				i++;
			while (order(&a[k], &pivot) > 0)
				k--;
			if (i <= k) {
				int swap = a[i];

				a[i++] = a[k];
				a[k--] = swap;
			}
		}
		sort(a, k + 1);
		a += i;
		n -= i;
	}
}

int main(int argc, char **argv)
{
	int kernel = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; i < N; i++) {
		y[i] = i;
		z[i] = 2 * i;
		row[i + 1] = row[i] + i % 8;
		next[i] = (i + 4097) % N;
	}
	for (int k = 0; k < 8 * N; k++) {
		column[k] = (int)(k * 7919L % N);
		value[k] = k;
	}
	switch (kernel) {
	case 1:
		triad(rounds);
		break;
	case 2:
		sparse(rounds);
		break;
	case 3:
		printf("%d\n", chase(rounds));
		break;
	case 4:
		count(rounds);
		break;
	case 5:
		for (int r = 0; r < rounds; r++) {
			for (int i = 0; i < N; i++)
				column[i] = (int)((i + r) * 7919L % N);
			sort(column, N);
		}
	}
	return 0;
}
