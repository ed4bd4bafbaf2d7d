/* math.c - every function of src/threads/math/functions.def on a few hundred numbers: prints a sum over the bits of the
 * results for each, and what a call costs in ns of the clock; with an argument, on an NDP. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strata/ndp.h>

enum { CALLS = 200 };

static volatile double start = 0.01;
static uint64_t bits;

static void add(const void *p, size_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	bits = bits * 31 + v;
}

static uint64_t now_ps(void)
{
	return strata_time_ps();
}

/* Values of x from 0.01 to some hundreds, y and n beside it. */
#define CALL_ALL(type, name, statement)                                                      \
	do {                                                                                 \
		const uint64_t from = now_ps();                                              \
                                                                                             \
		for (int k = 0; k < CALLS; k++) {                                            \
			const type x = (type)(start * (1 + k * k)), y = (type)(start * k);   \
			const int n = k % 7;                                                 \
                                                                                             \
			(void)y;                                                             \
			(void)n;                                                             \
			statement;                                                           \
		}                                                                            \
		fprintf(stderr, "%s %.2f\n", #name, (double)(now_ps() - from) / 1000 / CALLS); \
		printf("%s %016lx\n", #name, bits);                                          \
	} while (0)
#define RESULT(type, expression)                  \
	do {                                      \
		const type result = (expression); \
                                                  \
		add(&result, sizeof(result));     \
	} while (0)
#define COMPLEX(type, expression)                      \
	do {                                           \
		const type _Complex c = (expression);  \
		const type parts[2] = {(type)creal(c), (type)cimag(c)}; \
                                                       \
		add(&parts[0], sizeof(type));          \
		add(&parts[1], sizeof(type));          \
	} while (0)
#define BOTH(t, call, to_type, to)          \
	do {                                \
		to_type to = 0;             \
                                            \
		RESULT(t, call);            \
		add(&to, sizeof(to));       \
	} while (0)
#define CALL_D_D(t, name) CALL_ALL(t, name, RESULT(t, name(x)))
#define CALL_D_DD(t, name) CALL_ALL(t, name, RESULT(t, name(x, y)))
#define CALL_D_DDD(t, name) CALL_ALL(t, name, RESULT(t, name(x, y, x)))
#define CALL_I_D(t, name) CALL_ALL(t, name, RESULT(int, name(x)))
#define CALL_L_D(t, name) CALL_ALL(t, name, RESULT(long, name(x)))
#define CALL_X_D(t, name) CALL_ALL(t, name, RESULT(long long, name(x)))
#define CALL_D_DI(t, name) CALL_ALL(t, name, RESULT(t, name(x, n)))
#define CALL_D_DL(t, name) CALL_ALL(t, name, RESULT(t, name(x, (long)n)))
#define CALL_D_ID(t, name) CALL_ALL(t, name, RESULT(t, name(n, x)))
#define CALL_D_DPi(t, name) CALL_ALL(t, name, BOTH(t, name(x, &to), int, to))
#define CALL_D_DPd(t, name) CALL_ALL(t, name, BOTH(t, name(x, &to), t, to))
#define CALL_D_DDPi(t, name) CALL_ALL(t, name, BOTH(t, name(x, y, &to), int, to))
#define CALL_V_DPdPd(t, name) CALL_ALL(t, name, BOTH(t, (name(x, &to, &(t){0}), to), t, to))
#define CALL_C_C(t, name) CALL_ALL(t, name, COMPLEX(t, name(x + y * (t _Complex)I)))
#define CALL_D_C(t, name) CALL_ALL(t, name, RESULT(t, name(x + y * (t _Complex)I)))
#define CALL_C_CC(t, name) CALL_ALL(t, name, COMPLEX(t, name(x + y * (t _Complex)I, y + (t _Complex)I)))
#define MATH_FUNCTION(of_double, of_float, kind) CALL_##kind(double, of_double); CALL_##kind(float, of_float);

/* As loops that the compiler makes vectors of, or operations of its own where errno does not count. */
static double in_loops(void)
{
	double a[64], sum = 0;

	for (int i = 0; i < 64; i++)
		a[i] = start * i;
	for (int i = 0; i < 64; i++)
		a[i] = floor(a[i]) + exp(a[i]) + sin(a[i]) + sqrt(a[i]);
	for (int i = 0; i < 64; i++)
		sum += fmod(a[i], 0.7);
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		strata_run_on_ndp(0, 0);
	CALL_ALL(double, divide, RESULT(double, 1 / x));
	CALL_ALL(double, sqrt, RESULT(double, sqrt(x)));
#include "threads/math/functions.def"
	printf("loops %a\n", in_loops());
	return 0;
}
