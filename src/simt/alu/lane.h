/* lane.h - rows as C sees them, and the frame of every lane kernel. Included only by the kernel files, which are
 * compiled once per instruction set with SIMT_ALU_SUFFIX naming the build.
 *
 * A kernel is one loop over 32 lanes with no dependency between lanes, so that the compiler vectorises it. With a
 * partial mask it computes all lanes into a row of its own and blends: no lane function may fault, whatever the bits.
 */
#ifndef STRATA_SIMT_ALU_LANE_H
#define STRATA_SIMT_ALU_LANE_H

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simt/alu/rows.h"

#define LANE_CAT_(a, b) a##_##b
#define LANE_CAT(a, b) LANE_CAT_(a, b)
#define LANE_BUILD(name) LANE_CAT(name, SIMT_ALU_SUFFIX)

#if defined(__clang__)
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 32; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < 32; i++)
#endif

typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

/* Per PTX type: the C type of a value, how a lane is read and written, the lane's bytes. f16, bf16 and the packed
 * types are handled as their bits. */
typedef uint8_t val_u8;
typedef int8_t val_s8;
typedef uint16_t val_u16;
typedef int16_t val_s16;
typedef uint16_t val_f16;
typedef uint16_t val_bf16;
typedef uint32_t val_f16x2;
typedef uint32_t val_bf16x2;
typedef uint32_t val_u32;
typedef int32_t val_s32;
typedef uint64_t val_u64;
typedef int64_t val_s64;
typedef float val_f32;
typedef double val_f64;

#define RD_u8(p, i) ((uint8_t)((const lane_u32 *)(p))[i])
#define RD_s8(p, i) ((int8_t)((const lane_u32 *)(p))[i])
#define RD_u16(p, i) ((uint16_t)((const lane_u32 *)(p))[i])
#define RD_s16(p, i) ((int16_t)((const lane_u32 *)(p))[i])
#define RD_f16 RD_u16
#define RD_bf16 RD_u16
#define RD_u32(p, i) (((const lane_u32 *)(p))[i])
#define RD_f16x2 RD_u32
#define RD_bf16x2 RD_u32
#define RD_s32(p, i) (((const lane_s32 *)(p))[i])
#define RD_u64(p, i) (((const lane_u64 *)(p))[i])
#define RD_s64(p, i) (((const lane_s64 *)(p))[i])
#define RD_f32(p, i) (((const lane_f32 *)(p))[i])
#define RD_f64(p, i) (((const lane_f64 *)(p))[i])

#define WR_u8(p, i, v) (((lane_u32 *)(p))[i] = (uint8_t)(v))
#define WR_s8(p, i, v) (((lane_u32 *)(p))[i] = (uint32_t)(int32_t)(int8_t)(v))
#define WR_u16(p, i, v) (((lane_u32 *)(p))[i] = (uint16_t)(v))
#define WR_s16(p, i, v) (((lane_u32 *)(p))[i] = (uint32_t)(int32_t)(int16_t)(v))
#define WR_f16 WR_u16
#define WR_bf16 WR_u16
#define WR_u32(p, i, v) (((lane_u32 *)(p))[i] = (uint32_t)(v))
#define WR_f16x2 WR_u32
#define WR_bf16x2 WR_u32
#define WR_s32(p, i, v) (((lane_s32 *)(p))[i] = (int32_t)(v))
#define WR_u64(p, i, v) (((lane_u64 *)(p))[i] = (uint64_t)(v))
#define WR_s64(p, i, v) (((lane_s64 *)(p))[i] = (int64_t)(v))
#define WR_f32(p, i, v) (((lane_f32 *)(p))[i] = (v))
#define WR_f64(p, i, v) (((lane_f64 *)(p))[i] = (v))

enum {
	BYTES_u8 = 4, BYTES_s8 = 4, BYTES_u16 = 4, BYTES_s16 = 4, BYTES_f16 = 4, BYTES_bf16 = 4, BYTES_u32 = 4,
	BYTES_s32 = 4, BYTES_f32 = 4, BYTES_f16x2 = 4, BYTES_bf16x2 = 4, BYTES_u64 = 8, BYTES_s64 = 8, BYTES_f64 = 8,
};

static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
	1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
	1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30,
	1u << 31,
};

static inline void lane_blend4(void *d, const void *from, uint32_t mask)
{
	lane_u32 *out = d;
	const lane_u32 *in = from;
	LANE_LOOP out[i] = mask & lane_bit[i] ? in[i] : out[i];
}

static inline void lane_blend8(void *d, const void *from, uint32_t mask)
{
	lane_u64 *out = d;
	const lane_u64 *in = from;
	LANE_LOOP out[i] = mask & lane_bit[i] ? in[i] : out[i];
}

/* Lanes that are all ones or zero, to one bit each. */
static inline uint32_t lane_pack(const uint32_t *lanes)
{
#if defined(__AVX512F__)
	const __m512i lo = _mm512_load_si512(lanes), hi = _mm512_load_si512(lanes + 16);
	return (uint32_t)_mm512_test_epi32_mask(lo, lo) | (uint32_t)_mm512_test_epi32_mask(hi, hi) << 16;
#elif defined(__AVX2__)
	uint32_t m = 0;
	for (int i = 0; i < 32; i += 8)
		m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(const void *)(lanes + i))) << i;
	return m;
#elif defined(__SSE2__)
	uint32_t m = 0;
	for (int i = 0; i < 32; i += 4)
		m |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(const void *)(lanes + i))) << i;
	return m;
#else
	uint32_t m = 0;
	for (int i = 0; i < 32; i++)
		m |= lanes[i] & lane_bit[i];
	return m;
#endif
}

/* Rounding of a kernel's own operations. The rows pass through the asm, so that no arithmetic on them can move across
 * the switch in either direction. */
enum lane_round { LANE_RN, LANE_RZ, LANE_RM, LANE_RP };

static inline unsigned lane_round_enter(enum lane_round mode, void *out)
{
	unsigned old = 0;
	if (mode == LANE_RN)
		return old;
#if defined(__x86_64__)
	static const unsigned bits[] = {
	    [LANE_RN] = 0, [LANE_RM] = 1u << 13, [LANE_RP] = 2u << 13, [LANE_RZ] = 3u << 13};
	old = _mm_getcsr();
	_mm_setcsr((old & ~(3u << 13)) | bits[mode]);
#else
	static const int dir[] = {
		[LANE_RN] = FE_TONEAREST, [LANE_RM] = FE_DOWNWARD, [LANE_RP] = FE_UPWARD, [LANE_RZ] = FE_TOWARDZERO};
	old = (unsigned)fegetround();
	fesetround(dir[mode]);
#endif
	__asm__ volatile("" : : "r"(out) : "memory");
	return old;
}

static inline void lane_round_leave(enum lane_round mode, void *out, unsigned old)
{
	if (mode == LANE_RN)
		return;
	__asm__ volatile("" : : "r"(out) : "memory");
#if defined(__x86_64__)
	_mm_setcsr(old);
#else
	fesetround((int)old);
#endif
}

#define LANE_ARGS void *d, const void *const *src, uint32_t mask, uint32_t aux
#define LANE_UNUSED __attribute__((unused))
/* The loop of a comparison is there once, and not in each of the dozen kernels that go on from its mask: inlined there,
 * it made half of the whole build's time. */
#define LANE_ONCE __attribute__((noinline))
#define LANE_ROW(n) __builtin_assume_aligned(src[n], 64)

#define LANE_OPEN(mode, TD)                                                                                            \
	uint64_t own[4 * BYTES_##TD] __attribute__((aligned(64)));                                                     \
	void *const out = __builtin_assume_aligned(mask == UINT32_MAX ? d : (void *)own, 64);                          \
	const unsigned saved LANE_UNUSED = lane_round_enter(mode, out)

#define LANE_CLOSE(mode)                                                                                               \
	lane_round_leave(mode, out, saved);                                                                            \
	(void)aux;                                                                                                     \
	if (mask != UINT32_MAX) {                                                                                      \
		if (sizeof own == 128)                                                                                 \
			lane_blend4(d, own, mask);                                                                     \
		else                                                                                                   \
			lane_blend8(d, own, mask);                                                                     \
	}

/* Kernels of one, two and three source rows: expr over a, b, c. */
#define LANE_FN1(id, mode, TD, TA, expr)                                                                               \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		LANE_OPEN(mode, TD);                                                                                   \
		const void *const pa = LANE_ROW(0);                                                                    \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			WR_##TD(out, i, (expr));                                                                       \
		}                                                                                                      \
		LANE_CLOSE(mode)                                                                                       \
		return 0;                                                                                              \
	}

#define LANE_FN2(id, mode, TD, TA, TB, expr)                                                                           \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		LANE_OPEN(mode, TD);                                                                                   \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1);                                           \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			const val_##TB b = RD_##TB(pb, i);                                                             \
			WR_##TD(out, i, (expr));                                                                       \
		}                                                                                                      \
		LANE_CLOSE(mode)                                                                                       \
		return 0;                                                                                              \
	}

#define LANE_FN3(id, mode, TD, TA, TB, TC, expr)                                                                       \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		LANE_OPEN(mode, TD);                                                                                   \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1), *const pc = LANE_ROW(2);                  \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			const val_##TB b = RD_##TB(pb, i);                                                             \
			const val_##TC c = RD_##TC(pc, i);                                                             \
			WR_##TD(out, i, (expr));                                                                       \
		}                                                                                                      \
		LANE_CLOSE(mode)                                                                                       \
		return 0;                                                                                              \
	}

/* Four source rows (the fourth is e), and lop3 (aux is the table). */
#define LANE_FN4(id, TD, TA, TB, TC, TE, expr)                                                                         \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		LANE_OPEN(LANE_RN, TD);                                                                                \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1), *const pc = LANE_ROW(2);                  \
		const void *const pe = LANE_ROW(3);                                                                    \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			const val_##TB b = RD_##TB(pb, i);                                                             \
			const val_##TC c = RD_##TC(pc, i);                                                             \
			const val_##TE e = RD_##TE(pe, i);                                                             \
			WR_##TD(out, i, (expr));                                                                       \
		}                                                                                                      \
		LANE_CLOSE(LANE_RN)                                                                                    \
		return 0;                                                                                              \
	}

/* A choice by predicate mask (aux): p is the lane's bit. */
#define LANE_FNS(id, TD, TA, expr)                                                                                     \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		LANE_OPEN(LANE_RN, TD);                                                                                \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1);                                           \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i), b = RD_##TA(pb, i);                                         \
			const uint32_t p = aux & lane_bit[i];                                                          \
			WR_##TD(out, i, (expr));                                                                       \
		}                                                                                                      \
		LANE_CLOSE(LANE_RN)                                                                                    \
		return 0;                                                                                              \
	}

/* Carry chains: ci is the carry in (0 or 1), t an intermediate, expr the result r, carry the carry out. c is the third
 * row, or the first where there are two. */
#define LANE_FNC(id, n, T, TA, inner, expr, carry)                                                                     \
	static uint32_t k_##id(LANE_ARGS)                                                                              \
	{                                                                                                              \
		uint32_t bits[32] __attribute__((aligned(64)));                                                        \
		LANE_OPEN(LANE_RN, T);                                                                                 \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1), *const pc = LANE_ROW((n) == 3 ? 2 : 0);   \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i), b = RD_##TA(pb, i);                                         \
			const val_##T c LANE_UNUSED = RD_##T(pc, i);                                                   \
			const val_##T ci LANE_UNUSED = aux & lane_bit[i] ? 1 : 0;                                      \
			const val_##T t LANE_UNUSED = (val_##T)(inner);                                                \
			const val_##T r = (val_##T)(expr);                                                             \
			bits[i] = (carry) ? UINT32_MAX : 0;                                                            \
			WR_##T(out, i, r);                                                                             \
		}                                                                                                      \
		LANE_CLOSE(LANE_RN)                                                                                    \
		return lane_pack(bits) & mask;                                                                         \
	}

/* Comparisons. setp gives the mask, set writes one or another value per lane; three forms more combine with a predicate
 * operand (aux). */
static LANE_UNUSED __attribute__((noinline)) uint32_t lane_write_mask(void *d, uint32_t mask, uint32_t set,
								      uint32_t one)
{
	lane_u32 *out = d;
	LANE_LOOP out[i] = mask & lane_bit[i] ? (set & lane_bit[i] ? one : 0) : out[i];
	return 0;
}

#define LANE_SET(name, cmp, ftz, D, T, one, combine)                                                                   \
	static uint32_t k_set_##name##cmp##_##ftz##D##_##T(LANE_ARGS)                                                  \
	{                                                                                                              \
		const uint32_t p = k_setp_##cmp##_##ftz##T(d, src, mask, 0);                                           \
		(void)aux;                                                                                             \
		return lane_write_mask(d, mask, combine, one);                                                         \
	}
#define LANE_SETS(cmp, ftz, D, T, one)                                                                                 \
	LANE_SET(, cmp, ftz, D, T, one, p)                                                                             \
	LANE_SET(and_, cmp, ftz, D, T, one, p & aux)                                                                   \
	LANE_SET(or_, cmp, ftz, D, T, one, p | aux)                                                                    \
	LANE_SET(xor_, cmp, ftz, D, T, one, p ^ aux)

#define LANE_FNP(cmp, ftz, TA, expr)                                                                                   \
	static LANE_ONCE uint32_t k_setp_##cmp##_##ftz##TA(LANE_ARGS)                                                  \
	{                                                                                                              \
		uint32_t bits[32] __attribute__((aligned(64)));                                                        \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1);                                           \
		(void)d;                                                                                               \
		(void)aux;                                                                                             \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			const val_##TA b = RD_##TA(pb, i);                                                             \
			bits[i] = (expr) ? UINT32_MAX : 0;                                                             \
		}                                                                                                      \
		return lane_pack(bits) & mask;                                                                         \
	}                                                                                                              \
	static uint32_t k_setp_and_##cmp##_##ftz##TA(LANE_ARGS)                                                        \
	{                                                                                                              \
		return k_setp_##cmp##_##ftz##TA(d, src, mask, 0) & aux;                                                \
	}                                                                                                              \
	static uint32_t k_setp_or_##cmp##_##ftz##TA(LANE_ARGS)                                                         \
	{                                                                                                              \
		return k_setp_##cmp##_##ftz##TA(d, src, mask, 0) | (aux & mask);                                       \
	}                                                                                                              \
	static uint32_t k_setp_xor_##cmp##_##ftz##TA(LANE_ARGS)                                                        \
	{                                                                                                              \
		return k_setp_##cmp##_##ftz##TA(d, src, mask, 0) ^ (aux & mask);                                       \
	}                                                                                                              \
	LANE_SETS(cmp, ftz, u32, TA, UINT32_MAX)                                                                       \
	LANE_SETS(cmp, ftz, f32, TA, 0x3f800000)                                                                       \
	LANE_SETS(cmp, ftz, f16, TA, LANE_ONE_f16)                                                                     \
	LANE_SETS(cmp, ftz, bf16, TA, LANE_ONE_bf16)

#define LANE_FNT(test, TA, expr)                                                                                       \
	static uint32_t k_testp_##test##_##TA(LANE_ARGS)                                                               \
	{                                                                                                              \
		uint32_t bits[32] __attribute__((aligned(64)));                                                        \
		const void *const pa = LANE_ROW(0);                                                                    \
		(void)d;                                                                                               \
		(void)aux;                                                                                             \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const val_##TA a = RD_##TA(pa, i);                                                             \
			bits[i] = (expr) ? UINT32_MAX : 0;                                                             \
		}                                                                                                      \
		return lane_pack(bits) & mask;                                                                         \
	}

/* Packed halves: p of the low one, q of the high one. */
#define LANE_FNPX(cmp, ftz, T, expr)                                                                                   \
	static LANE_ONCE uint32_t pair_##cmp##_##ftz##T(const void *const *src, int shift)                             \
	{                                                                                                              \
		uint32_t bits[32] __attribute__((aligned(64)));                                                        \
		const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1);                                           \
		LANE_LOOP                                                                                              \
		{                                                                                                      \
			const uint16_t a = (uint16_t)(RD_u32(pa, i) >> shift), b = (uint16_t)(RD_u32(pb, i) >> shift); \
			bits[i] = (expr) ? UINT32_MAX : 0;                                                             \
		}                                                                                                      \
		return lane_pack(bits);                                                                                \
	}                                                                                                              \
	LANE_PAIR(, cmp, ftz, T, p)                                                                                    \
	LANE_PAIR(and_, cmp, ftz, T, p & aux)                                                                          \
	LANE_PAIR(or_, cmp, ftz, T, p | aux)                                                                           \
	LANE_PAIR(xor_, cmp, ftz, T, p ^ aux)

#define LANE_PAIR(name, cmp, ftz, T, combine)                                                                          \
	static uint32_t k_setp_##name##cmp##_##ftz##T##x2(LANE_ARGS)                                                   \
	{                                                                                                              \
		uint32_t p = pair_##cmp##_##ftz##T(src, 16);                                                           \
		(void)aux;                                                                                             \
		*(lane_u32 *)d = (combine) & mask;                                                                     \
		p = pair_##cmp##_##ftz##T(src, 0);                                                                     \
		return (combine) & mask;                                                                               \
	}                                                                                                              \
	static uint32_t k_set_##name##cmp##_##ftz##T##x2_##T##x2(LANE_ARGS)                                            \
	{                                                                                                              \
		uint32_t p = pair_##cmp##_##ftz##T(src, 16);                                                           \
		(void)aux;                                                                                             \
		const uint32_t high = combine;                                                                         \
		p = pair_##cmp##_##ftz##T(src, 0);                                                                     \
		return lane_write_pairs(d, mask, combine, high, LANE_ONE_##T);                                         \
	}                                                                                                              \
	static uint32_t k_set_##name##cmp##_##ftz##u32_##T##x2(LANE_ARGS)                                              \
	{                                                                                                              \
		uint32_t p = pair_##cmp##_##ftz##T(src, 16);                                                           \
		(void)aux;                                                                                             \
		const uint32_t high = combine;                                                                         \
		p = pair_##cmp##_##ftz##T(src, 0);                                                                     \
		return lane_write_pairs(d, mask, combine, high, UINT16_MAX);                                           \
	}
#define LANE_ONE_f16 0x3c00u
#define LANE_ONE_bf16 0x3f80u

static LANE_UNUSED __attribute__((noinline)) uint32_t lane_write_pairs(void *d, uint32_t mask, uint32_t low,
								       uint32_t high, uint32_t one)
{
	lane_u32 *out = d;
	LANE_LOOP
	{
		const uint32_t v = (low & lane_bit[i] ? one : 0) | (high & lane_bit[i] ? one << 16 : 0);
		out[i] = mask & lane_bit[i] ? v : out[i];
	}
	return 0;
}

#endif
