/*
 * Device functions that name their rounding (rn to nearest even, rz to zero, ru up, rd down), conversions, and the
 * functions that are exact: one PTX instruction each, with a few that are two or three. Not included by hand: include
 * <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_ROUNDING_H
#define STRATA_DEVICE_ROUNDING_H

/* f(suffix, PTX rounding) for each of the four. */
#define STRATA_ROUNDINGS(f) f(rn, rn) f(rz, rz) f(ru, rp) f(rd, rm)

/* ---- Arithmetic ------------------------------------------------------------------------------------------------- */

/* The compiler fuses plain products and sums, and the built-in functions that it takes for plain ones; what names its
 * rounding is to stay one instruction. */
#define STRATA_ARITHMETIC(s, r)                                                                                        \
	STRATA_NV float __nv_fadd_##s(float a, float b)                                                                \
	{                                                                                                              \
		float result;                                                                                          \
                                                                                                                       \
		asm("add." #r ".f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));                                     \
		return result;                                                                                         \
	}                                                                                                              \
	STRATA_NV float __nv_fmul_##s(float a, float b)                                                                \
	{                                                                                                              \
		float result;                                                                                          \
                                                                                                                       \
		asm("mul." #r ".f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));                                     \
		return result;                                                                                         \
	}                                                                                                              \
	STRATA_NV float __nv_fsub_##s(float a, float b)                                                                \
	{                                                                                                              \
		return __nv_fadd_##s(a, -b);                                                                           \
	}                                                                                                              \
	STRATA_NV double __nv_dadd_##s(double a, double b)                                                             \
	{                                                                                                              \
		double result;                                                                                         \
                                                                                                                       \
		asm("add." #r ".f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));                                     \
		return result;                                                                                         \
	}                                                                                                              \
	STRATA_NV double __nv_dmul_##s(double a, double b)                                                             \
	{                                                                                                              \
		double result;                                                                                         \
                                                                                                                       \
		asm("mul." #r ".f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));                                     \
		return result;                                                                                         \
	}                                                                                                              \
	STRATA_NV double __nv_dsub_##s(double a, double b)                                                             \
	{                                                                                                              \
		return __nv_dadd_##s(a, -b);                                                                           \
	}                                                                                                              \
	STRATA_NV float __nv_fdiv_##s(float a, float b)                                                                \
	{                                                                                                              \
		return __nvvm_div_##r##_f(a, b);                                                                       \
	}                                                                                                              \
	STRATA_NV float __nv_frcp_##s(float a)                                                                         \
	{                                                                                                              \
		return __nvvm_rcp_##r##_f(a);                                                                          \
	}                                                                                                              \
	STRATA_NV float __nv_fsqrt_##s(float a)                                                                        \
	{                                                                                                              \
		return __nvvm_sqrt_##r##_f(a);                                                                         \
	}                                                                                                              \
	STRATA_NV float __nv_fmaf_##s(float a, float b, float c)                                                       \
	{                                                                                                              \
		return __nvvm_fma_##r##_f(a, b, c);                                                                    \
	}                                                                                                              \
	STRATA_NV float __nv_fmaf_ieee_##s(float a, float b, float c)                                                  \
	{                                                                                                              \
		return __nvvm_fma_##r##_f(a, b, c);                                                                    \
	}                                                                                                              \
	STRATA_NV double __nv_ddiv_##s(double a, double b)                                                             \
	{                                                                                                              \
		return __nvvm_div_##r##_d(a, b);                                                                       \
	}                                                                                                              \
	STRATA_NV double __nv_drcp_##s(double a)                                                                       \
	{                                                                                                              \
		return __nvvm_rcp_##r##_d(a);                                                                          \
	}                                                                                                              \
	STRATA_NV double __nv_dsqrt_##s(double a)                                                                      \
	{                                                                                                              \
		return __nvvm_sqrt_##r##_d(a);                                                                         \
	}                                                                                                              \
	STRATA_NV double __nv_fma_##s(double a, double b, double c)                                                    \
	{                                                                                                              \
		return __nvvm_fma_##r##_d(a, b, c);                                                                    \
	}
STRATA_ROUNDINGS(STRATA_ARITHMETIC)
#undef STRATA_ARITHMETIC

/* ---- Conversions ------------------------------------------------------------------------------------------------ */

#define STRATA_CONVERT(s, r)                                                                                           \
	STRATA_NV int __nv_float2int_##s(float x)                                                                      \
	{                                                                                                              \
		return __nvvm_f2i_##r(x);                                                                              \
	}                                                                                                              \
	STRATA_NV unsigned int __nv_float2uint_##s(float x)                                                            \
	{                                                                                                              \
		return (unsigned int)__nvvm_f2ui_##r(x);                                                               \
	}                                                                                                              \
	STRATA_NV long long __nv_float2ll_##s(float x)                                                                 \
	{                                                                                                              \
		return __nvvm_f2ll_##r(x);                                                                             \
	}                                                                                                              \
	STRATA_NV unsigned long long __nv_float2ull_##s(float x)                                                       \
	{                                                                                                              \
		return (unsigned long long)__nvvm_f2ull_##r(x);                                                        \
	}                                                                                                              \
	STRATA_NV int __nv_double2int_##s(double x)                                                                    \
	{                                                                                                              \
		return __nvvm_d2i_##r(x);                                                                              \
	}                                                                                                              \
	STRATA_NV unsigned int __nv_double2uint_##s(double x)                                                          \
	{                                                                                                              \
		return (unsigned int)__nvvm_d2ui_##r(x);                                                               \
	}                                                                                                              \
	STRATA_NV long long __nv_double2ll_##s(double x)                                                               \
	{                                                                                                              \
		return __nvvm_d2ll_##r(x);                                                                             \
	}                                                                                                              \
	STRATA_NV unsigned long long __nv_double2ull_##s(double x)                                                     \
	{                                                                                                              \
		return (unsigned long long)__nvvm_d2ull_##r(x);                                                        \
	}                                                                                                              \
	STRATA_NV float __nv_double2float_##s(double x)                                                                \
	{                                                                                                              \
		return __nvvm_d2f_##r(x);                                                                              \
	}                                                                                                              \
	STRATA_NV float __nv_int2float_##s(int x)                                                                      \
	{                                                                                                              \
		return __nvvm_i2f_##r(x);                                                                              \
	}                                                                                                              \
	STRATA_NV float __nv_uint2float_##s(unsigned int x)                                                            \
	{                                                                                                              \
		return __nvvm_ui2f_##r(x);                                                                             \
	}                                                                                                              \
	STRATA_NV float __nv_ll2float_##s(long long x)                                                                 \
	{                                                                                                              \
		return __nvvm_ll2f_##r(x);                                                                             \
	}                                                                                                              \
	STRATA_NV float __nv_ull2float_##s(unsigned long long x)                                                       \
	{                                                                                                              \
		return __nvvm_ull2f_##r(x);                                                                            \
	}                                                                                                              \
	STRATA_NV double __nv_ll2double_##s(long long x)                                                               \
	{                                                                                                              \
		return __nvvm_ll2d_##r(x);                                                                             \
	}                                                                                                              \
	STRATA_NV double __nv_ull2double_##s(unsigned long long x)                                                     \
	{                                                                                                              \
		return __nvvm_ull2d_##r(x);                                                                            \
	}
STRATA_ROUNDINGS(STRATA_CONVERT)
#undef STRATA_CONVERT
#undef STRATA_ROUNDINGS

STRATA_NV double __nv_int2double_rn(int x)
{
	return (double)x;
}

STRATA_NV double __nv_uint2double_rn(unsigned int x)
{
	return (double)x;
}

STRATA_NV unsigned short __nv_float2half_rn(float x)
{
	unsigned short h;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
	return h;
}

STRATA_NV float __nv_half2float(unsigned short h)
{
	float x;

	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
	return x;
}

/* ---- Exact functions of one argument or two --------------------------------------------------------------------- */

#define STRATA_EXACT(type, f, builtin)                                                                                 \
	STRATA_NV type __nv_fabs##f(type x)                                                                            \
	{                                                                                                              \
		return __builtin_fabs##f(x);                                                                           \
	}                                                                                                              \
	STRATA_NV type __nv_ceil##f(type x)                                                                            \
	{                                                                                                              \
		return __builtin_ceil##f(x);                                                                           \
	}                                                                                                              \
	STRATA_NV type __nv_floor##f(type x)                                                                           \
	{                                                                                                              \
		return __builtin_floor##f(x);                                                                          \
	}                                                                                                              \
	STRATA_NV type __nv_trunc##f(type x)                                                                           \
	{                                                                                                              \
		return __builtin_trunc##f(x);                                                                          \
	}                                                                                                              \
	STRATA_NV type __nv_rint##f(type x)                                                                            \
	{                                                                                                              \
		return __builtin_rint##f(x);                                                                           \
	}                                                                                                              \
	STRATA_NV type __nv_nearbyint##f(type x)                                                                       \
	{                                                                                                              \
		return __builtin_rint##f(x);                                                                           \
	}                                                                                                              \
	/* Halves away from zero; the sign of a zero result is that of x. */                                           \
	STRATA_NV type __nv_round##f(type x)                                                                           \
	{                                                                                                              \
		type whole = __builtin_trunc##f(x), rest = __builtin_fabs##f(x - whole);                               \
                                                                                                                       \
		return rest >= (type)0.5 ? whole + __nv_copysign##f((type)1, x) : whole;                               \
	}                                                                                                              \
	STRATA_NV type __nv_fmin##f(type a, type b)                                                                    \
	{                                                                                                              \
		return __nvvm_fmin_##builtin(a, b);                                                                    \
	}                                                                                                              \
	STRATA_NV type __nv_fmax##f(type a, type b)                                                                    \
	{                                                                                                              \
		return __nvvm_fmax_##builtin(a, b);                                                                    \
	}                                                                                                              \
	STRATA_NV type __nv_fma##f(type a, type b, type c)                                                             \
	{                                                                                                              \
		return __nvvm_fma_rn_##builtin(a, b, c);                                                               \
	}                                                                                                              \
	STRATA_NV type __nv_sqrt##f(type x)                                                                            \
	{                                                                                                              \
		return __nvvm_sqrt_rn_##builtin(x);                                                                    \
	}                                                                                                              \
	STRATA_NV type __nv_fdim##f(type a, type b)                                                                    \
	{                                                                                                              \
		return a <= b ? (type)0 : a - b;                                                                       \
	}                                                                                                              \
	STRATA_NV long long __nv_llrint##f(type x)                                                                     \
	{                                                                                                              \
		return __nvvm_##builtin##2ll_rn(x);                                                                    \
	}                                                                                                              \
	STRATA_NV long long __nv_llround##f(type x)                                                                    \
	{                                                                                                              \
		return __nvvm_##builtin##2ll_rz(__nv_round##f(x));                                                     \
	}

STRATA_NV float __nv_copysignf(float x, float sign)
{
	return __nv_int_as_float((__nv_float_as_int(x) & 0x7fffffff) | (__nv_float_as_int(sign) & ~0x7fffffff));
}

STRATA_NV double __nv_copysign(double x, double sign)
{
	const unsigned long long top = 1ull << 63;

	return __nv_longlong_as_double((long long)((__nv_double_as_longlong(x) & ~top) |
						   (__nv_double_as_longlong(sign) & top)));
}

STRATA_EXACT(float, f, f)
STRATA_EXACT(double, , d)
#undef STRATA_EXACT

STRATA_NV float __nv_saturatef(float x)
{
	return __nvvm_saturate_f(x);
}

STRATA_NV int __nv_signbitf(float x)
{
	return __nv_float_as_int(x) < 0;
}

STRATA_NV int __nv_signbitd(double x)
{
	return __nv_double2hiint(x) < 0;
}

STRATA_NV int __nv_isnanf(float x)
{
	return x != x;
}

STRATA_NV int __nv_isnand(double x)
{
	return x != x;
}

STRATA_NV int __nv_isinff(float x)
{
	return __builtin_fabsf(x) == __builtin_inff();
}

STRATA_NV int __nv_isinfd(double x)
{
	return __builtin_fabs(x) == __builtin_inf();
}

STRATA_NV int __nv_finitef(float x)
{
	return __builtin_fabsf(x) < __builtin_inff();
}

STRATA_NV int __nv_isfinited(double x)
{
	return __builtin_fabs(x) < __builtin_inf();
}

STRATA_NV float __nv_nanf(const signed char *)
{
	return __builtin_nanf("");
}

STRATA_NV double __nv_nan(const signed char *)
{
	return __builtin_nan("");
}

#endif
