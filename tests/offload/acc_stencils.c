/* acc_stencils.c - what numerical suites are made of: arrays passed with their bounds, stencils in two and three
 * dimensions under a time loop, matrix products, statistics, elimination. The host computes the same by plain loops. */
#include "check.h"

enum { N = 38, M = 26, D = 10, STEPS = 3 };

static double a[N][N], b[N][N], c[N][N], host_a[N][N], host_b[N][N];
static double cube[D][D][D], host_cube[D][D][D];

static double seed(int i, int j, int k)
{
	return (i * 7 + j * 3 + k) % 101 / 101.0;
}

static void fill(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = host_a[i][j] = seed(i, j, 0);
			b[i][j] = host_b[i][j] = seed(j, i, 5);
			c[i][j] = -1;
		}
}

static void compare(const char *what, double got[N][N], double want[N][N])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			check_near(what, i * N + j, got[i][j], want[i][j], 1e-12);
}

static double average(int n, double m[n][n], int i, int j)
{
	return 0.2 * (m[i][j] + m[i][j - 1] + m[i][j + 1] + m[i + 1][j] + m[i - 1][j]);
}

static void host_jacobi(void)
{
	for (int t = 0; t < STEPS; t++) {
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				host_b[i][j] = average(N, host_a, i, j);
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				host_a[i][j] = host_b[i][j];
	}
}

/* A region per step: the launches order what one step hands to the next. */
static void jacobi_by_regions(int n, double x[n][n], double y[n][n])
{
#pragma acc data copy(x[0:n][0:n]) create(y[0:n][0:n])
	for (int t = 0; t < STEPS; t++) {
#pragma acc parallel loop num_gangs(7) present(x[0:n][0:n], y[0:n][0:n])
		for (int i = 1; i < n - 1; i++)
#pragma acc loop
			for (int j = 1; j < n - 1; j++)
				y[i][j] = 0.2 * (x[i][j] + x[i][j - 1] + x[i][j + 1] + x[i + 1][j] + x[i - 1][j]);
#pragma acc parallel loop num_gangs(7) present(x[0:n][0:n], y[0:n][0:n])
		for (int i = 1; i < n - 1; i++)
#pragma acc loop
			for (int j = 1; j < n - 1; j++)
				x[i][j] = y[i][j];
	}
}

/* One kernels region around the time loop: the compiler makes the kernels. */
static void jacobi_in_kernels(int n, double x[n][n], double y[n][n])
{
#pragma acc kernels copy(x[0:n][0:n]) create(y[0:n][0:n])
	for (int t = 0; t < STEPS; t++) {
#pragma acc loop independent
		for (int i = 1; i < n - 1; i++)
#pragma acc loop independent
			for (int j = 1; j < n - 1; j++)
				y[i][j] = 0.2 * (x[i][j] + x[i][j - 1] + x[i][j + 1] + x[i + 1][j] + x[i - 1][j]);
#pragma acc loop independent
		for (int i = 1; i < n - 1; i++)
#pragma acc loop independent
			for (int j = 1; j < n - 1; j++)
				x[i][j] = y[i][j];
	}
}

/* Two loops in one parallel region: there is no barrier between gangs, so that only one gang is right. */
static void jacobi_by_one_gang(int n, double x[n][n], double y[n][n])
{
#pragma acc parallel num_gangs(1) copy(x[0:n][0:n]) create(y[0:n][0:n])
	for (int t = 0; t < STEPS; t++) {
#pragma acc loop
		for (int i = 1; i < n - 1; i++)
#pragma acc loop
			for (int j = 1; j < n - 1; j++)
				y[i][j] = 0.2 * (x[i][j] + x[i][j - 1] + x[i][j + 1] + x[i + 1][j] + x[i - 1][j]);
#pragma acc loop
		for (int i = 1; i < n - 1; i++)
#pragma acc loop
			for (int j = 1; j < n - 1; j++)
				x[i][j] = y[i][j];
	}
}

static void stencils(void)
{
	fill();
	host_jacobi();
	jacobi_by_regions(N, a, b);
	compare("a region per step", a, host_a);
	fill();
	host_jacobi();
	jacobi_in_kernels(N, a, b);
	compare("one kernels region", a, host_a);
	fill();
	host_jacobi();
	jacobi_by_one_gang(N, a, b);
	compare("one gang", a, host_a);
}

static void three_dimensions(int n, double x[n][n][n], double y[n][n][n])
{
#pragma acc kernels copyin(x[0:n][0:n][0:n]) copy(y[0:n][0:n][0:n])
	{
#pragma acc loop independent
		for (int i = 1; i < n - 1; i++)
#pragma acc loop independent
			for (int j = 1; j < n - 1; j++)
#pragma acc loop independent
				for (int k = 1; k < n - 1; k++)
					y[i][j][k] = x[i - 1][j][k] - 6 * x[i][j][k] + x[i + 1][j][k] +
						     2 * x[i][j - 1][k] + 3 * x[i][j][k + 1];
	}
}

static void cubes(void)
{
	for (int i = 0; i < D * D * D; i++)
		(&cube[0][0][0])[i] = seed(i / D / D, i / D % D, i % D);
	memset(host_cube, 0, sizeof(host_cube));
	three_dimensions(D, cube, host_cube);
	for (int i = 1; i < D - 1; i++)
		for (int j = 1; j < D - 1; j++)
			for (int k = 1; k < D - 1; k++)
				check_near("cube", i, host_cube[i][j][k],
					   cube[i - 1][j][k] - 6 * cube[i][j][k] + cube[i + 1][j][k] +
						   2 * cube[i][j - 1][k] + 3 * cube[i][j][k + 1],
					   1e-12);
}

/* Gangs over rows, workers over columns, the sum over the lanes. */
static void product(int n, double x[n][n], double y[n][n], double z[n][n])
{
#pragma acc parallel loop gang num_gangs(9) num_workers(4) vector_length(32) copyin(x[0:n][0:n], y[0:n][0:n]) \
	copyout(z[0:n][0:n])
	for (int i = 0; i < n; i++)
#pragma acc loop worker
		for (int j = 0; j < n; j++) {
			double sum = 0;

#pragma acc loop vector reduction(+ : sum)
			for (int k = 0; k < n; k++)
				sum += x[i][k] * y[k][j];
			z[i][j] = sum;
		}
}

static void products(void)
{
	fill();
	product(N, a, b, c);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			check_near("product", i * N + j, c[i][j], sum, 1e-9);
		}
}

/* Means of the rows, taken from what each row is; parts of the arrays only. */
static void centre(int rows, int columns, double x[N][N], double mean[rows])
{
#pragma acc data copy(x[0:rows][0:columns]) copyout(mean[0:rows])
	{
#pragma acc parallel loop gang
		for (int i = 0; i < rows; i++) {
			double sum = 0;

#pragma acc loop vector reduction(+ : sum)
			for (int j = 0; j < columns; j++)
				sum += x[i][j];
			mean[i] = sum / columns;
		}
#pragma acc parallel loop collapse(2)
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				x[i][j] -= mean[i];
	}
}

static void means(void)
{
	double mean[M];

	fill();
	centre(M, N, a, mean);
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int j = 0; j < N; j++)
			sum += host_a[i][j];
		if (i < M)
			check_near("mean", i, mean[i], sum / N, 1e-12);
		for (int j = 0; j < N; j++)
			check_near("centred", i * N + j, a[i][j], host_a[i][j] - (i < M ? sum / N : 0), 1e-12);
	}
}

static void eliminate(int n, double x[n][n])
{
#pragma acc data copy(x[0:n][0:n])
	for (int k = 0; k < n - 1; k++) {
#pragma acc parallel loop num_gangs(5)
		for (int i = k + 1; i < n; i++)
			x[i][k] /= x[k][k];
#pragma acc parallel loop num_gangs(5)
		for (int i = k + 1; i < n; i++)
#pragma acc loop
			for (int j = k + 1; j < n; j++)
				x[i][j] -= x[i][k] * x[k][j];
	}
}

static void eliminations(void)
{
	enum { SIDE = 12 };
	static double x[SIDE][SIDE], want[SIDE][SIDE];

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			x[i][j] = want[i][j] = seed(i, j, 0) + (i == j ? SIDE : 0);
	eliminate(SIDE, x);
	for (int k = 0; k < SIDE - 1; k++)
		for (int i = k + 1; i < SIDE; i++) {
			want[i][k] /= want[k][k];
			for (int j = k + 1; j < SIDE; j++)
				want[i][j] -= want[i][k] * want[k][j];
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			check_near("eliminated", i * SIDE + j, x[i][j], want[i][j], 1e-12);
}

int main(void)
{
	stencils();
	cubes();
	products();
	means();
	eliminations();
	return check_report("acc_stencils");
}
