/* lanes.c - gathers and scatters of every width. */
#include "simt/lanes.h"

#include <string.h>

#include "base/check.h"

#define GATHER(name, row_type, type)                                                                 \
	static void name(row_type *restrict row, uint64_t base, const uint64_t *addr, uint32_t mask) \
	{                                                                                            \
		if (mask == SIMT_FULL_MASK) {                                                        \
			for (uint32_t i = 0; i < SIMT_LANES; i++)                                    \
				row[i] = (row_type) * (const type *)(uintptr_t)(base + addr[i]);     \
			return;                                                                      \
		}                                                                                    \
		SIMT_FOR_LANES(lane, mask)                                                           \
		row[lane] = (row_type) * (const type *)(uintptr_t)(base + addr[lane]);               \
	}
GATHER(gather_u8, uint32_t, uint8_t)
GATHER(gather_s8, uint32_t, int8_t)
GATHER(gather_u16, uint32_t, uint16_t)
GATHER(gather_s16, uint32_t, int16_t)
GATHER(gather_32, uint32_t, uint32_t)
GATHER(gather_u8_64, uint64_t, uint8_t)
GATHER(gather_s8_64, uint64_t, int8_t)
GATHER(gather_u16_64, uint64_t, uint16_t)
GATHER(gather_s16_64, uint64_t, int16_t)
GATHER(gather_u32_64, uint64_t, uint32_t)
GATHER(gather_s32_64, uint64_t, int32_t)
GATHER(gather_64, uint64_t, uint64_t)
GATHER(gather_64_32, uint32_t, uint64_t)

void simt_gather(void *row, uint32_t row_bytes, uint64_t base, const uint64_t *addr, uint32_t bytes, bool is_signed,
		 uint32_t mask)
{
	const bool wide = row_bytes == 8;

	switch (bytes) {
	case 1:
		wide ? (is_signed ? gather_s8_64 : gather_u8_64)(row, base, addr, mask)
		     : (is_signed ? gather_s8 : gather_u8)(row, base, addr, mask);
		break;
	case 2:
		wide ? (is_signed ? gather_s16_64 : gather_u16_64)(row, base, addr, mask)
		     : (is_signed ? gather_s16 : gather_u16)(row, base, addr, mask);
		break;
	case 4:
		wide ? (is_signed ? gather_s32_64 : gather_u32_64)(row, base, addr, mask)
		     : gather_32(row, base, addr, mask);
		break;
	default:
		wide ? gather_64(row, base, addr, mask) : gather_64_32(row, base, addr, mask);
	}
}

#define SCATTER(name, row_type, type)                                                             \
	static void name(const row_type *row, uint64_t base, const uint64_t *addr, uint32_t mask) \
	{                                                                                         \
		if (mask == SIMT_FULL_MASK) {                                                     \
			for (uint32_t i = 0; i < SIMT_LANES; i++)                                 \
				*(type *)(uintptr_t)(base + addr[i]) = (type)row[i];              \
			return;                                                                   \
		}                                                                                 \
		SIMT_FOR_LANES(lane, mask)                                                        \
		*(type *)(uintptr_t)(base + addr[lane]) = (type)row[lane];                        \
	}
SCATTER(scatter_8, uint32_t, uint8_t)
SCATTER(scatter_16, uint32_t, uint16_t)
SCATTER(scatter_32, uint32_t, uint32_t)
SCATTER(scatter_8_64, uint64_t, uint8_t)
SCATTER(scatter_16_64, uint64_t, uint16_t)
SCATTER(scatter_32_64, uint64_t, uint32_t)
SCATTER(scatter_64, uint64_t, uint64_t)
SCATTER(scatter_64_32, uint32_t, uint64_t)

void simt_scatter(const void *row, uint32_t row_bytes, uint64_t base, const uint64_t *addr, uint32_t bytes,
		  uint32_t mask)
{
	const bool wide = row_bytes == 8;

	switch (bytes) {
	case 1:
		wide ? scatter_8_64(row, base, addr, mask) : scatter_8(row, base, addr, mask);
		break;
	case 2:
		wide ? scatter_16_64(row, base, addr, mask) : scatter_16(row, base, addr, mask);
		break;
	case 4:
		wide ? scatter_32_64(row, base, addr, mask) : scatter_32(row, base, addr, mask);
		break;
	default:
		wide ? scatter_64(row, base, addr, mask) : scatter_64_32(row, base, addr, mask);
	}
}

/* ---- 16-bit floats ---- */

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

float simt_half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;

	if (exponent == 31)
		return float_of(sign | 0x7f800000u | fraction << 13);
	if (!exponent) {
		/* fraction * 2^-24 is exact in single precision */
		float f = (float)fraction * 0x1p-24f;

		return float_of(sign | bits_of(f));
	}
	return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* Drops `drop` low bits of v, to nearest, ties to even. */
static uint32_t round_bits(uint32_t v, uint32_t drop)
{
	uint32_t half = 1u << (drop - 1), rest = v & ((half << 1) - 1), r = v >> drop;

	return r + (rest > half || (rest == half && (r & 1)));
}

uint16_t simt_float_to_half(float f)
{
	uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, mag = bits & 0x7fffffff;

	if (mag > 0x7f800000)
		return 0x7fff;
	if (mag >= 0x477ff000) /* 65520 and above round to infinity */
		return (uint16_t)(sign | 0x7c00);
	if (mag < 0x33000000) /* below half of the least subnormal */
		return (uint16_t)sign;
	if (mag < 0x38800000) {
		uint32_t shift = 126 - (mag >> 23), significand = (mag & 0x7fffff) | 0x800000;

		return (uint16_t)(sign | round_bits(significand, shift));
	}
	return (uint16_t)(sign | (round_bits(mag, 13) - (112u << 10)));
}

float simt_bf16_to_float(uint16_t h)
{
	return float_of((uint32_t)h << 16);
}

uint16_t simt_float_to_bf16(float f)
{
	uint32_t bits = bits_of(f);

	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	return (uint16_t)round_bits(bits, 16);
}

/* ---- atomics ---- */

/* ATOM(name, type, expression of the new value in old, b, c) */
#define ATOM(name, type, value)                                     \
	static uint64_t name(void *p, uint64_t b64, uint64_t c64)   \
	{                                                           \
		type *const at = p;                                 \
		const type old = *at, b = (type)b64, c = (type)c64; \
                                                                    \
		(void)b, (void)c;                                   \
		*at = (type)(value);                                \
		return (uint64_t)old;                               \
	}
#define ATOM_BITS(bits)                                                                         \
	ATOM(atom_and_##bits, uint##bits##_t, old &b)                                           \
	ATOM(atom_or_##bits, uint##bits##_t, old | b)                                           \
	ATOM(atom_xor_##bits, uint##bits##_t, old ^ b)                                          \
	ATOM(atom_exch_##bits, uint##bits##_t, b)                                               \
	ATOM(atom_cas_##bits, uint##bits##_t, old == b ? c : old)                               \
	ATOM(atom_add_##bits, uint##bits##_t, old + b)                                          \
	ATOM(atom_inc_##bits, uint##bits##_t, old >= b ? 0 : old + 1)                           \
	ATOM(atom_dec_##bits, uint##bits##_t, old == 0 || old > b ? b : old - 1)                \
	ATOM(atom_umin_##bits, uint##bits##_t, old < b ? old : b)                               \
	ATOM(atom_umax_##bits, uint##bits##_t, old > b ? old : b)                               \
	ATOM(atom_smin_##bits, uint##bits##_t, (int##bits##_t)old < (int##bits##_t)b ? old : b) \
	ATOM(atom_smax_##bits, uint##bits##_t, (int##bits##_t)old > (int##bits##_t)b ? old : b)
ATOM_BITS(32)
ATOM_BITS(64)
ATOM(atom_cas_16, uint16_t, old == b ? c : old)
ATOM(atom_exch_16, uint16_t, b)

/* A NaN result is the canonical one, as of add.f32. */
static uint64_t atom_add_f32(void *p, uint64_t b, uint64_t c)
{
	uint32_t old;

	(void)c;
	memcpy(&old, p, sizeof(old));
	float sum = float_of(old) + float_of((uint32_t)b);
	uint32_t bits = sum != sum ? 0x7fffffff : bits_of(sum);

	memcpy(p, &bits, sizeof(bits));
	return old;
}

static uint32_t flush(uint32_t bits)
{
	return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

uint64_t simt_atom_add_f32_flush(void *p, uint64_t b, uint64_t c)
{
	uint32_t old, now;

	memcpy(&old, p, sizeof(old));
	now = flush(old);
	memcpy(p, &now, sizeof(now));
	atom_add_f32(p, flush((uint32_t)b), c);
	memcpy(&now, p, sizeof(now));
	now = flush(now);
	memcpy(p, &now, sizeof(now));
	return old;
}

static uint64_t atom_add_f64(void *p, uint64_t b, uint64_t c)
{
	uint64_t old;
	double x, y;

	(void)c;
	memcpy(&old, p, sizeof(old));
	memcpy(&x, p, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	x += y;
	memcpy(p, &x, sizeof(x));
	return old;
}

typedef uint16_t (*half_fn)(uint16_t, uint16_t);

static uint16_t half_add(uint16_t a, uint16_t b)
{
	return simt_float_to_half(simt_half_to_float(a) + simt_half_to_float(b));
}

static uint16_t bf16_add(uint16_t a, uint16_t b)
{
	return simt_float_to_bf16(simt_bf16_to_float(a) + simt_bf16_to_float(b));
}

/* min and max return the number when one operand is NaN; -0 is less than +0. */
static bool float_less(float a, float b)
{
	return a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
}

#define HALF_PICK(name, to_float, first_if)             \
	static uint16_t name(uint16_t a, uint16_t b)    \
	{                                               \
		float x = to_float(a), y = to_float(b); \
                                                        \
		if (x != x && y != y)                   \
			return 0x7fff;                  \
		if (x != x || y != y)                   \
			return x != x ? b : a;          \
		return first_if ? a : b;                \
	}
HALF_PICK(half_min, simt_half_to_float, float_less(x, y))
HALF_PICK(half_max, simt_half_to_float, float_less(y, x))
HALF_PICK(bf16_min, simt_bf16_to_float, float_less(x, y))
HALF_PICK(bf16_max, simt_bf16_to_float, float_less(y, x))

static uint64_t atom_16(void *p, uint64_t b, half_fn fn)
{
	uint16_t *at = p, old = *at;

	*at = fn(old, (uint16_t)b);
	return old;
}

static uint64_t atom_16x2(void *p, uint64_t b, half_fn fn)
{
	uint32_t *at = p, old = *at;

	*at = fn((uint16_t)old, (uint16_t)b) | (uint32_t)fn((uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
	return old;
}

#define ATOM_HALF(fn)                                                   \
	static uint64_t atom_##fn(void *p, uint64_t b, uint64_t c)      \
	{                                                               \
		(void)c;                                                \
		return atom_16(p, b, fn);                               \
	}                                                               \
	static uint64_t atom_##fn##_x2(void *p, uint64_t b, uint64_t c) \
	{                                                               \
		(void)c;                                                \
		return atom_16x2(p, b, fn);                             \
	}
ATOM_HALF(half_add)
ATOM_HALF(half_min)
ATOM_HALF(half_max)
ATOM_HALF(bf16_add)
ATOM_HALF(bf16_min)
ATOM_HALF(bf16_max)

static simt_atom_fn find_integer(enum ptx_atom op, bool wide, bool is_signed)
{
	switch (op) {
	case PTX_ATOM_AND:
		return wide ? atom_and_64 : atom_and_32;
	case PTX_ATOM_OR:
		return wide ? atom_or_64 : atom_or_32;
	case PTX_ATOM_XOR:
		return wide ? atom_xor_64 : atom_xor_32;
	case PTX_ATOM_CAS:
		return wide ? atom_cas_64 : atom_cas_32;
	case PTX_ATOM_EXCH:
		return wide ? atom_exch_64 : atom_exch_32;
	case PTX_ATOM_ADD:
		return wide ? atom_add_64 : atom_add_32;
	case PTX_ATOM_INC:
		return wide ? atom_inc_64 : atom_inc_32;
	case PTX_ATOM_DEC:
		return wide ? atom_dec_64 : atom_dec_32;
	case PTX_ATOM_MIN:
		return is_signed ? (wide ? atom_smin_64 : atom_smin_32) : (wide ? atom_umin_64 : atom_umin_32);
	case PTX_ATOM_MAX:
		return is_signed ? (wide ? atom_smax_64 : atom_smax_32) : (wide ? atom_umax_64 : atom_umax_32);
	default:
		return NULL;
	}
}

static simt_atom_fn find_half(enum ptx_atom op, enum ptx_type t)
{
	static const simt_atom_fn fns[4][3] = {
	    {atom_half_add, atom_half_min, atom_half_max},
	    {atom_half_add_x2, atom_half_min_x2, atom_half_max_x2},
	    {atom_bf16_add, atom_bf16_min, atom_bf16_max},
	    {atom_bf16_add_x2, atom_bf16_min_x2, atom_bf16_max_x2},
	};
	uint32_t row = t == PTX_F16 ? 0 : t == PTX_F16X2 ? 1 : t == PTX_BF16 ? 2 : 3;

	return op == PTX_ATOM_ADD   ? fns[row][0]
	       : op == PTX_ATOM_MIN ? fns[row][1]
	       : op == PTX_ATOM_MAX ? fns[row][2]
				    : NULL;
}

simt_atom_fn simt_atom_find(enum ptx_atom op, enum ptx_type t)
{
	switch (t) {
	case PTX_U32:
	case PTX_S32:
	case PTX_B32:
		return find_integer(op, false, t == PTX_S32);
	case PTX_U64:
	case PTX_S64:
	case PTX_B64:
		return find_integer(op, true, t == PTX_S64);
	case PTX_B16:
		return op == PTX_ATOM_CAS ? atom_cas_16 : op == PTX_ATOM_EXCH ? atom_exch_16 : NULL;
	case PTX_F32:
		return op == PTX_ATOM_ADD ? atom_add_f32 : op == PTX_ATOM_EXCH ? atom_exch_32 : NULL;
	case PTX_F64:
		return op == PTX_ATOM_ADD ? atom_add_f64 : op == PTX_ATOM_EXCH ? atom_exch_64 : NULL;
	case PTX_F16:
	case PTX_F16X2:
	case PTX_BF16:
	case PTX_BF16X2:
		return find_half(op, t);
	default:
		return NULL;
	}
}
