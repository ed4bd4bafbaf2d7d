/* acc_routines.c - routines of every level, recursion, mathematics, printf, variables on the device. */
#include <math.h>

#include "check.h"

enum { ROWS = 24, COLS = 96 };

static int matrix[ROWS][COLS], result[ROWS][COLS];
static float angle[ROWS * COLS], sine[ROWS * COLS], mixed[ROWS * COLS];

static int scale = 3;
#pragma acc declare copyin(scale)

#pragma acc routine seq
static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

#pragma acc routine vector
static void fill_row(int row, int base)
{
#pragma acc loop vector
	for (int j = 0; j < COLS; j++)
		matrix[row][j] = base + scale * j;
}
#pragma acc declare create(matrix)

#pragma acc routine worker
static void add_rows(int first, int count)
{
#pragma acc loop worker
	for (int i = first; i < first + count; i++) {
#pragma acc loop vector
		for (int j = 0; j < COLS; j++)
			matrix[i][j] += i;
	}
}

#pragma acc routine gang
static void double_all(void)
{
#pragma acc loop gang worker vector
	for (int i = 0; i < ROWS * COLS; i++)
		matrix[i / COLS][i % COLS] *= 2;
}

static void matrices(void)
{
#pragma acc parallel num_gangs(6) num_workers(2) vector_length(32)
	{
#pragma acc loop gang
		for (int i = 0; i < ROWS; i++)
			fill_row(i, 100 * i);
	}
#pragma acc parallel num_gangs(4) num_workers(3) vector_length(32)
	{
#pragma acc loop gang
		for (int i = 0; i < ROWS; i += 6)
			add_rows(i, 6);
	}
#pragma acc parallel num_gangs(7) num_workers(2) vector_length(32)
	double_all();
	/* GCC 12 drops `update` of a variable that is on the device by `declare`. */
#pragma acc parallel loop copyout(result)
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			result[i][j] = matrix[i][j];
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			check_value("matrix", i * COLS + j, result[i][j], 2 * (100 * i + 3 * j + i));
}

static void mathematics(void)
{
	int total = 0;

	for (int i = 0; i < ROWS * COLS; i++)
		angle[i] = 0.01f * (float)i;
#pragma acc parallel loop copyin(angle) copyout(sine, mixed) reduction(+ : total)
	for (int i = 0; i < ROWS * COLS; i++) {
		sine[i] = sinf(angle[i]);
		mixed[i] = (float)(exp(-angle[i]) + pow(angle[i], 1.5) + sqrt(angle[i]) + log(angle[i] + 1));
		total += fibonacci(i % 9);
		if (i == 1000)
			printf("row %d of the device says %s %.2f\n", i / COLS, "hello", 2.5);
	}
	for (int i = 0; i < ROWS * COLS; i++) {
		double x = angle[i];

		check_near("sinf", i, sine[i], sin(x), 1e-6);
		check_near("exp, pow, sqrt, log", i, mixed[i], exp(-x) + pow(x, 1.5) + sqrt(x) + log(x + 1), 1e-6);
		total -= fibonacci(i % 9);
	}
	check_value("fibonacci", 0, total, 0);
}

int main(void)
{
	matrices();
	mathematics();
	return check_report("acc_routines");
}
