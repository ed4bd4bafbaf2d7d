/* math.c - the functions of mathematics, for programs that are modelled: the plugin sends the program's calls here.
 *
 * The result is the C library's, bit by bit what the program gets without Strata. What it costs is what newlib's
 * function of the same name executes, which strata cc has compiled (build); its result is thrown away, and the
 * exceptions that it raises are taken back. Instruction sets that the host's library chooses for its processor do not
 * matter.
 */
#include "threads/rt/rt.h"

#include <complex.h>
#include <errno.h>
#include <math.h>

/* Not merged into the functions below, which the plugin leaves alone. */
#define OWN static __attribute__((noinline))

/* What a call of newlib's function is surrounded by, while the program is modelled. */
#define MODELLED(call)                                            \
	do {                                                      \
		if (__strata_on) {                                \
			const uint32_t modes = __builtin_ia32_stmxcsr(); \
			const int error = errno;                  \
                                                                  \
			call;                                     \
			errno = error;                            \
			__builtin_ia32_ldmxcsr(modes);            \
		}                                                 \
	} while (0)

#define FUNCTION(type, name, params, args)             \
	type __strata_libm_##name params;              \
	RT_API type __strata_##name params;            \
	RT_API type __strata_##name params             \
	{                                              \
		MODELLED((void)__strata_libm_##name args); \
		return name args;                      \
	}
#define FUNCTION_D_D(t, name) FUNCTION(t, name, (t x), (x))
#define FUNCTION_D_DD(t, name) FUNCTION(t, name, (t x, t y), (x, y))
#define FUNCTION_D_DDD(t, name) FUNCTION(t, name, (t x, t y, t z), (x, y, z))
#define FUNCTION_I_D(t, name) FUNCTION(int, name, (t x), (x))
#define FUNCTION_L_D(t, name) FUNCTION(long, name, (t x), (x))
#define FUNCTION_X_D(t, name) FUNCTION(long long, name, (t x), (x))
#define FUNCTION_D_DI(t, name) FUNCTION(t, name, (t x, int n), (x, n))
#define FUNCTION_D_DL(t, name) FUNCTION(t, name, (t x, long n), (x, n))
#define FUNCTION_D_ID(t, name) FUNCTION(t, name, (int n, t x), (n, x))
#define FUNCTION_C_C(t, name) FUNCTION(t _Complex, name, (t _Complex x), (x))
#define FUNCTION_D_C(t, name) FUNCTION(t, name, (t _Complex x), (x))
#define FUNCTION_C_CC(t, name) FUNCTION(t _Complex, name, (t _Complex x, t _Complex y), (x, y))

/* What a function gives by its pointers is stored as the program would, once. */
OWN void store_int(int *to, int value)
{
	*to = value;
}

OWN void store_double(double *to, double value)
{
	*to = value;
}

OWN void store_float(float *to, float value)
{
	*to = value;
}

/* Newlib's function writes to places of its own. */
#define FUNCTION_D_DPi(t, name)                                   \
	t __strata_libm_##name(t x, int *to);                     \
	RT_API t __strata_##name(t x, int *to);                   \
	RT_API t __strata_##name(t x, int *to)                    \
	{                                                         \
		int value = 0;                                    \
		t result;                                         \
                                                                  \
		MODELLED((void)__strata_libm_##name(x, &value));  \
		result = name(x, &value);                         \
		store_int(to, value);                             \
		return result;                                    \
	}
#define FUNCTION_D_DDPi(t, name)                                    \
	t __strata_libm_##name(t x, t y, int *to);                  \
	RT_API t __strata_##name(t x, t y, int *to);                \
	RT_API t __strata_##name(t x, t y, int *to)                 \
	{                                                           \
		int value = 0;                                      \
		t result;                                           \
                                                                    \
		MODELLED((void)__strata_libm_##name(x, y, &value)); \
		result = name(x, y, &value);                        \
		store_int(to, value);                               \
		return result;                                      \
	}
#define FUNCTION_D_DPd(t, name)                                  \
	t __strata_libm_##name(t x, t *to);                      \
	RT_API t __strata_##name(t x, t *to);                    \
	RT_API t __strata_##name(t x, t *to)                     \
	{                                                        \
		t value = 0, result;                             \
                                                                 \
		MODELLED((void)__strata_libm_##name(x, &value)); \
		result = name(x, &value);                        \
		store_##t(to, value);                            \
		return result;                                   \
	}
#define FUNCTION_V_DPdPd(t, name)                                     \
	void __strata_libm_##name(t x, t *first, t *second);          \
	RT_API void __strata_##name(t x, t *first, t *second);        \
	RT_API void __strata_##name(t x, t *first, t *second)         \
	{                                                             \
		t values[2];                                          \
                                                                      \
		MODELLED(__strata_libm_##name(x, values, values + 1)); \
		name(x, values, values + 1);                          \
		store_##t(first, values[0]);                          \
		store_##t(second, values[1]);                         \
	}

#define MATH_FUNCTION(of_double, of_float, kind) FUNCTION_##kind(double, of_double) FUNCTION_##kind(float, of_float)
#include "threads/math/functions.def"
#undef MATH_FUNCTION

/* Newlib's keep the sign in a structure of the thread. */
double __strata_libm_lgamma(double x)
{
	int sign;

	return __strata_libm_lgamma_r(x, &sign);
}

float __strata_libm_lgammaf(float x)
{
	int sign;

	return __strata_libm_lgammaf_r(x, &sign);
}

/* No storage of the thread's more than without mathematics: it would move what lies beside it. */
int *__strata_libm___errno(void);
int *__strata_libm___errno(void)
{
	return &errno;
}
