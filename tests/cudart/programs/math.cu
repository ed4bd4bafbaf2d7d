// The functions of <math.h> on the device, against the host's in double precision. Bounds are in units in the last place.
// For single precision the host works in double, for double in long double.
#include <math.h>

#include "program.h"

#define FUNCTIONS_1(_)                                                                                                 \
	_(sin, 2, 2, -60.0, 60.0) _(cos, 2, 2, -60.0, 60.0) _(tan, 4, 3, -60.0, 60.0) _(asin, 3, 3, -1.0, 1.0)         \
	_(acos, 3, 3, -1.0, 1.0) _(atan, 3, 2, -20.0, 20.0) _(sinh, 4, 3, -40.0, 40.0) _(cosh, 3, 3, -40.0, 40.0)      \
	_(tanh, 3, 3, -5.0, 5.0) _(asinh, 4, 3, -50.0, 50.0) _(acosh, 4, 3, 1.0, 90.0) _(atanh, 4, 3, -0.99, 0.99)     \
	_(exp, 3, 2, -80.0, 80.0) _(exp2, 2, 2, -120.0, 120.0) _(expm1, 3, 2, -10.0, 10.0)                             \
	_(log, 2, 2, 1e-30, 50.0) _(log2, 3, 2, 1e-30, 50.0) _(log10, 3, 2, 1e-30, 50.0) _(log1p, 3, 2, -0.99, 20.0)   \
	_(cbrt, 2, 2, -90.0, 90.0) _(sqrt, 1, 1, 0.0, 90.0) _(erf, 2, 3, -5.0, 5.0) _(erfc, 4, 6, -5.0, 9.0)           \
	_(tgamma, 2, 25, 0.1, 30.0) _(lgamma, 4, 50, 3.0, 90.0)                                                        \
	_(floor, 0, 0, -9.0, 9.0) _(ceil, 0, 0, -9.0, 9.0) _(trunc, 0, 0, -9.0, 9.0) _(round, 0, 0, -9.0, 9.0)         \
	_(rint, 0, 0, -9.0, 9.0) _(fabs, 0, 0, -9.0, 9.0) _(logb, 0, 0, 1e-30, 50.0)
#define FUNCTIONS_2(_)                                                                                                 \
	_(pow, 3, 4, 0.01, 30.0, -15.0, 15.0) _(atan2, 4, 3, -9.0, 9.0, -9.0, 9.0)                                     \
	_(fmod, 0, 0, -900.0, 900.0, 0.01, 9.0) _(hypot, 3, 3, -9.0, 9.0, -9.0, 9.0)                                   \
	_(remainder, 0, 0, -900.0, 900.0, 0.01, 9.0) _(fmin, 0, 0, -9.0, 9.0, -9.0, 9.0)                               \
	_(fmax, 0, 0, -9.0, 9.0, -9.0, 9.0) _(fdim, 1, 0, -9.0, 9.0, -9.0, 9.0)                                        \
	_(copysign, 0, 0, -9.0, 9.0, -9.0, 9.0)

enum { COUNT = 512 };

#define KERNELS_1(name, single_ulp, double_ulp, low, high)                                                                \
	__global__ void run_##name(const float *x, float *y, const double *dx, double *dy)                                \
	{                                                                                                              \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                                         \
                                                                                                                       \
		y[i] = name##f(x[i]);                                                                                     \
		dy[i] = name(dx[i]);                                                                                      \
	}
FUNCTIONS_1(KERNELS_1)

#define KERNELS_2(name, single_ulp, double_ulp, low, high, low2, high2)                                                   \
	__global__ void run_##name(const float *x, float *y, const double *dx, double *dy)                                \
	{                                                                                                              \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                                         \
                                                                                                                       \
		y[i] = name##f(x[i], x[i + COUNT]);                                                                       \
		dy[i] = name(dx[i], dx[i + COUNT]);                                                                       \
	}
FUNCTIONS_2(KERNELS_2)

static float *x, *y;
static double *dx, *dy;

static double uniform(unsigned int *state, double low, double high)
{
	return low + (high - low) * (next_random(state) >> 8) / 16777216.0;
}

// Distance in units in the last place of a number with this many bits of mantissa.
static double ulps(long double got, long double want, int bits, int least_exponent)
{
	int e;

	if (got == want || (got != got && want != want))
		return 0;
	frexpl(want, &e);
	return (double)(fabsl(got - want) / ldexpl(1, (e < least_exponent ? least_exponent : e) - bits));
}

static void fill(double low, double high, double low2, double high2)
{
	unsigned int state = 12345;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)(dx[i] = uniform(&state, low, high));
		x[i + COUNT] = (float)(dx[i + COUNT] = uniform(&state, low2, high2));
	}
}

static int failures;

static void compare(const char *name, double single_worst, double double_worst, double single_ulp, double double_ulp)
{
	if (getenv("MATH_PRINT"))
		printf("%-10s single %6.2f (%g)  double %6.2f (%g)\n", name, single_worst, single_ulp, double_worst,
		       double_ulp);
	if (single_worst > single_ulp || double_worst > double_ulp) {
		fprintf(stderr, "%s: %g ulp single, %g ulp double\n", name, single_worst, double_worst);
		failures++;
	}
}

int main()
{
	OK(cudaMallocManaged(&x, 2 * COUNT * sizeof(*x)));
	OK(cudaMallocManaged(&y, COUNT * sizeof(*y)));
	OK(cudaMallocManaged(&dx, 2 * COUNT * sizeof(*dx)));
	OK(cudaMallocManaged(&dy, COUNT * sizeof(*dy)));

#define RUN(f, arguments_f, arguments_d, single_ulp, double_ulp)                                                       \
	run_##f<<<COUNT / 64, 64>>>(x, y, dx, dy);                                                                     \
	LAUNCHED();                                                                                                    \
	{                                                                                                              \
		double single = 0, twice = 0;                                                                          \
                                                                                                                       \
		for (int i = 0; i < COUNT; i++) {                                                                      \
			single = fmax(single, ulps(y[i], f arguments_f, 24, -125));                                    \
			twice = fmax(twice, ulps(dy[i], f##l arguments_d, 53, -1021));                                 \
		}                                                                                                      \
		compare(#f, single, twice, single_ulp, double_ulp);                                                    \
	}
#define TEST_1(f, single_ulp, double_ulp, low, high)                                                                   \
	fill(low, high, 0, 1);                                                                                         \
	RUN(f, ((double)x[i]), (dx[i]), single_ulp, double_ulp)
#define TEST_2(f, single_ulp, double_ulp, low, high, low2, high2)                                                      \
	fill(low, high, low2, high2);                                                                                  \
	RUN(f, ((double)x[i], (double)x[i + COUNT]), (dx[i], dx[i + COUNT]), single_ulp, double_ulp)
	FUNCTIONS_1(TEST_1)
	TEST_1(sin, 2, 2, 1e5, 1e20);
	TEST_1(cos, 2, 2, -1e9, -1e5);
	TEST_1(tan, 4, 3, 1e5, 1e12);
	FUNCTIONS_2(TEST_2)
	return failures != 0;
}
