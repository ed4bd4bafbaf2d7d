/* acc_loops.c - parallel and kernels regions in many shapes: gangs, workers, vector lengths, collapse, seq. */
#include "check.h"

enum { N = 3000, ROWS = 37, COLS = 51 };

static float a[N], b[N], c[N];
static int grid[ROWS][COLS], turned[COLS][ROWS];

static void saxpy(int gangs, int workers, int vector)
{
	for (int i = 0; i < N; i++)
		c[i] = -1;
#pragma acc parallel loop gang worker vector num_gangs(gangs) num_workers(workers) vector_length(32) \
	copyin(a, b) copy(c)
	for (int i = 0; i < N; i++)
		c[i] = 3 * a[i] + b[i];
	for (int i = 0; i < N; i++)
		check_value("saxpy", i + vector, c[i], 3 * a[i] + b[i]);
}

/* Three levels, each a loop of its own. */
static void three_levels(void)
{
	static int cube[8][6][70];

#pragma acc parallel num_gangs(5) num_workers(3) vector_length(64) copyout(cube)
	{
#pragma acc loop gang
		for (int i = 0; i < 8; i++) {
#pragma acc loop worker
			for (int j = 0; j < 6; j++) {
#pragma acc loop vector
				for (int k = 0; k < 70; k++)
					cube[i][j][k] = 10000 * i + 100 * j + k;
			}
		}
	}
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 6; j++)
			for (int k = 0; k < 70; k++)
				check_value("three levels", k, cube[i][j][k], 10000 * i + 100 * j + k);
}

static void collapsed(void)
{
#pragma acc parallel loop collapse(2) copyout(grid)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			grid[i][j] = i * COLS + j;
#pragma acc parallel loop gang collapse(2) num_gangs(9) copyin(grid) copyout(turned)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			turned[j][i] = grid[i][j];
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			check_value("turned", i * COLS + j, turned[j][i], i * COLS + j);
}

/* Private arrays, a sequential inner loop, branches that part the lanes of a warp. */
static void private_and_seq(void)
{
	static int out[500];
	int offset = 7, scratch[8];

#pragma acc parallel loop private(scratch) firstprivate(offset) copyout(out)
	for (int i = 0; i < 500; i++) {
		int sum = 0;

#pragma acc loop seq
		for (int k = 0; k < 8; k++)
			scratch[k] = i * k + offset;
		for (int k = 0; k < i % 8; k++) {
			if (k % 2)
				sum += scratch[k];
			else
				sum -= scratch[7 - k];
		}
		out[i] = sum;
	}
	for (int i = 0; i < 500; i++) {
		int sum = 0;

		for (int k = 0; k < i % 8; k++)
			sum += k % 2 ? i * k + offset : -(i * (7 - k) + offset);
		check_value("private", i, out[i], sum);
	}
}

static void kernels(void)
{
#pragma acc kernels copyin(a, b) copyout(c)
	{
		for (int i = 0; i < N; i++)
			c[i] = a[i] * b[i];
		for (int i = 0; i < N; i++)
			c[i] += 1;
	}
	for (int i = 0; i < N; i++)
		check_value("kernels", i, c[i], a[i] * b[i] + 1);
}

int main(void)
{
	for (int i = 0; i < N; i++) {
		a[i] = (float)(i % 97);
		b[i] = (float)(i % 31);
	}
	saxpy(1, 1, 32);
	saxpy(13, 4, 32);
	saxpy(64, 32, 32);
	three_levels();
	collapsed();
	private_and_seq();
	kernels();
	return check_report("acc_loops");
}
