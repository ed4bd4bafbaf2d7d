/* int.h - lane functions of integers: what int.def needs beyond C's operators. */
#ifndef STRATA_SIMT_ALU_INT_H
#define STRATA_SIMT_ALU_INT_H

#include <stdint.h>

static inline uint64_t int_mulhi_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static inline uint64_t int_mulhi_s64(int64_t a, int64_t b)
{
	return (uint64_t)(((__int128)a * b) >> 64);
}

static inline uint32_t int_mulhi_u32(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)a * b) >> 32);
}

static inline uint32_t int_mulhi_s32(int32_t a, int32_t b)
{
	return (uint32_t)(((int64_t)a * b) >> 32);
}

static inline int32_t int_s24(uint32_t a)
{
	return (int32_t)(a << 8) >> 8;
}

static inline int32_t int_sat_s32(int64_t v)
{
	return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

static inline int32_t int_relu(int32_t v)
{
	return v < 0 ? 0 : v;
}

static inline int32_t int_min(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static inline int32_t int_max(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static inline uint32_t int_halves(int32_t low, int32_t high)
{
	return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

static inline int int_slct_ftz(uint32_t f32_bits)
{
	const uint32_t abs = f32_bits & 0x7fffffff;

	return abs < 0x00800000 || (abs <= 0x7f800000 && abs == f32_bits);
}

/* Division by zero: all ones, and the dividend as the remainder. The most negative value over -1: itself, remainder 0.
 *
 * 32-bit quotients come from double arithmetic, which has vector instructions. It is exact: a quotient that is no whole
 * number is at least 2^-32 of itself away from one, and its rounding error at most 2^-53 of it.
 */
static inline double int_to_double(uint32_t v)
{
	return (double)(int32_t)(v ^ 0x80000000u) + 2147483648.0;
}

/* Half of the dividend first, so that the conversion is to a signed integer. */
static inline uint32_t int_quotient_u32(uint32_t a, uint32_t b)
{
	const uint32_t half = (uint32_t)(int32_t)((double)(int32_t)(a >> 1) / int_to_double(b)) << 1;

	return half + (a - half * b >= b);
}

static inline uint32_t int_div_u32(uint32_t a, uint32_t b)
{
	const uint32_t q = int_quotient_u32(a, b ? b : 1);

	return b ? q : UINT32_MAX;
}

static inline uint32_t int_rem_u32(uint32_t a, uint32_t b)
{
	const uint32_t r = a - int_quotient_u32(a, b ? b : 1) * b;

	return b ? r : a;
}

static inline int32_t int_div_s32(int32_t a, int32_t b)
{
	const int32_t q = (int32_t)((double)a / (b == 0 || b == -1 ? 1.0 : (double)b));

	if (b == 0)
		return -1;
	return b == -1 ? (int32_t)(0 - (uint32_t)a) : q;
}

static inline int32_t int_rem_s32(int32_t a, int32_t b)
{
	const uint32_t q = (uint32_t)(int32_t)((double)a / (b == 0 || b == -1 ? 1.0 : (double)b));

	return b == -1 ? 0 : (int32_t)((uint32_t)a - q * (uint32_t)b);
}

static inline int int_div_s16(int a, int b)
{
	return b ? a / b : -1;
}

static inline int int_rem_s16(int a, int b)
{
	return b ? a % b : a;
}

static inline uint64_t int_div_u64(uint64_t a, uint64_t b)
{
	return b ? a / b : UINT64_MAX;
}

static inline uint64_t int_rem_u64(uint64_t a, uint64_t b)
{
	return b ? a % b : a;
}

static inline int64_t int_div_s64(int64_t a, int64_t b)
{
	if (b == 0)
		return -1;
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t int_rem_s64(int64_t a, int64_t b)
{
	if (b == 0)
		return a;
	return b == -1 ? 0 : a % b;
}

static inline uint64_t int_pair(uint32_t lo, uint32_t hi)
{
	return (uint64_t)hi << 32 | lo;
}

/* Position and length are the low bytes of their operands. */
static inline uint32_t int_ones(uint32_t n)
{
	return n > 31 ? UINT32_MAX : (1u << (n & 31)) - 1;
}

static inline uint64_t int_ones64(uint32_t n)
{
	return n > 63 ? UINT64_MAX : (1ull << (n & 63)) - 1;
}

static inline uint32_t int_bfe_u32(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t pos = b & 255, len = c & 255;

	return (pos > 31 ? 0 : a >> (pos & 31)) & int_ones(len);
}

/* The sign fills what lies past the field and past the word. */
static inline uint32_t int_bfe_s32(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t pos = b & 255, len = c & 255, last = pos + len - 1;
	const uint32_t field = (uint32_t)((int32_t)a >> (pos > 31 ? 31 : pos)), keep = int_ones(len);
	const uint32_t sign = len == 0 ? 0 : 0 - (a >> (last > 31 ? 31 : last & 31) & 1);

	return (field & keep) | (sign & ~keep);
}

static inline uint64_t int_bfe_u64(uint64_t a, uint32_t b, uint32_t c)
{
	const uint32_t pos = b & 255, len = c & 255;

	return (pos > 63 ? 0 : a >> (pos & 63)) & int_ones64(len);
}

static inline uint64_t int_bfe_s64(uint64_t a, uint32_t b, uint32_t c)
{
	const uint32_t pos = b & 255, len = c & 255, last = pos + len - 1;
	const uint64_t field = (uint64_t)((int64_t)a >> (pos > 63 ? 63 : pos)), keep = int_ones64(len);
	const uint64_t sign = len == 0 ? 0 : 0 - (a >> (last > 63 ? 63 : last & 63) & 1);

	return (field & keep) | (sign & ~keep);
}

static inline uint32_t int_bfi_u32(uint32_t a, uint32_t b, uint32_t c, uint32_t e)
{
	const uint32_t pos = c & 255, field = pos > 31 ? 0 : int_ones(e & 255) << (pos & 31);

	return (b & ~field) | (a << (pos & 31) & field);
}

static inline uint64_t int_bfi_u64(uint64_t a, uint64_t b, uint32_t c, uint32_t e)
{
	const uint32_t pos = c & 255;
	const uint64_t field = pos > 63 ? 0 : int_ones64(e & 255) << (pos & 63);

	return (b & ~field) | (a << (pos & 63) & field);
}

/* Position of the highest one, all ones if there is none. */
static inline uint32_t int_bfind(uint64_t a)
{
	return a ? 63 - (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

static inline uint32_t int_bfind_amount(uint32_t pos, uint32_t top)
{
	return pos == UINT32_MAX ? pos : top - pos;
}

static inline uint32_t int_bmsk(uint32_t start, uint32_t width)
{
	return int_ones(width) << start;
}

static inline uint32_t int_bmsk_clamp(uint32_t start, uint32_t width)
{
	return start > 31 ? 0 : int_ones(width) << (start & 31);
}

static inline uint32_t int_brev32(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
	return a >> 16 | a << 16;
}

static inline uint32_t int_popc(uint32_t a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	return a * 0x01010101 >> 24;
}

/* One selector nibble per result byte: three bits choose of eight, the fourth replicates the chosen byte's sign. */
static inline uint32_t int_prmt(uint64_t bytes, uint32_t sel)
{
	uint32_t r = 0;

	for (int k = 0; k < 4; k++) {
		const uint32_t s = sel >> (4 * k), v = (uint32_t)(bytes >> (8 * (s & 7))) & 255;

		r |= (s & 8 ? (0 - (v >> 7)) & 255 : v) << (8 * k);
	}
	return r;
}

static inline uint32_t int_prmt_b4e(uint32_t c)
{
	const uint32_t n = c & 3;

	return n | ((n - 1) & 7) << 4 | ((n - 2) & 7) << 8 | ((n - 3) & 7) << 12;
}

/* Edge clamp: bytes left of (right of) the chosen one stay in place. */
static inline uint32_t int_prmt_ecl(uint32_t c)
{
	const uint32_t n = c & 3;

	return n | (n > 1 ? n : 1) << 4 | (n > 2 ? n : 2) << 8 | 3u << 12;
}

static inline uint32_t int_prmt_ecr(uint32_t c)
{
	const uint32_t n = c & 3;

	return (n < 1 ? n : 1) << 4 | (n < 2 ? n : 2) << 8 | n << 12;
}

static inline uint32_t int_byte(uint32_t a, int k, int is_signed)
{
	return is_signed ? (uint32_t)(int32_t)(int8_t)(a >> (8 * k)) : a >> (8 * k) & 255;
}

static inline uint32_t int_dp4(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
	uint32_t r = 0;

	for (int k = 0; k < 4; k++)
		r += int_byte(a, k, a_signed) * int_byte(b, k, b_signed);
	return r;
}

static inline uint32_t int_dp2(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
	const uint32_t lo = a_signed ? (uint32_t)(int32_t)(int16_t)a : a & 65535;
	const uint32_t hi = a_signed ? (uint32_t)((int32_t)a >> 16) : a >> 16;

	return lo * int_byte(b, 0, b_signed) + hi * int_byte(b, 1, b_signed);
}

/* The table's bit for (a, b, c) = (1, 1, 1) is bit 7. All ones or zero per table bit, then a sum of products. */
static inline uint32_t int_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t r = 0;

	for (int k = 0; k < 8; k++)
		r |= (0 - (table >> k & 1)) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	return r;
}

static inline int32_t int_sign_extend(uint32_t a, uint32_t bits)
{
	const uint32_t drop = 32 - bits;

	return bits ? (int32_t)(a << drop) >> drop : 0;
}

static inline uint32_t int_find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
	const int32_t step = offset < 0 ? -1 : 1;
	int64_t left = offset < 0 ? -(int64_t)offset : offset;

	if (!offset)
		return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
	for (int64_t at = base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && !--left)
			return (uint32_t)at;
	return UINT32_MAX;
}

#endif
