/* tensor.c - see tensor.h. */
#include "simt/tensor.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "simt/lanes.h"

/* ---- forms ---- */

/* 32 one-bit elements are one. */
static void gather_bits(struct ptx_fragment *f)
{
	f->inner /= 32;
	f->count /= 32;
	f->per_reg = 1;
	f->bits = 32;
}

bool simt_tensor_find(const struct ptx_inst *i, struct simt_tensor *out)
{
	*out = (struct simt_tensor){
	    .a_layout = i->mods.a_layout,
	    .b_layout = i->mods.b_layout,
	    .round = i->mods.round,
	    .is_satfinite = i->mods.satfinite,
	    .is_and = i->mods.atom == PTX_ATOM_AND,
	};
	if (!ptx_mma_find(i, &out->mma))
		return false;
	if (out->mma.a.type == PTX_B1)
		gather_bits(&out->mma.a);
	if (out->mma.b.type == PTX_B1)
		gather_bits(&out->mma.b);
	return true;
}

/* Cost of one multiply-add, in sixteenths of that of 16-bit elements: the ratios of the A100's data sheet. */
static uint32_t cost_of(enum ptx_type t)
{
	switch (t) {
	case PTX_F64:
		return 256;
	case PTX_TF32:
		return 32;
	case PTX_S8:
	case PTX_U8:
		return 8;
	case PTX_S4:
	case PTX_U4:
		return 4;
	case PTX_B1:
		return 1;
	default:
		return 16;
	}
}

uint8_t simt_tensor_slots(const struct simt_tensor *t)
{
	const struct ptx_mma *m = &t->mma;
	const uint32_t products = (uint32_t)m->m * m->n * m->k * (m->is_quad ? 4 : 1);
	const uint32_t slots = products * cost_of(m->a.type) / 16 / SIMT_TENSOR_SLOT;

	CHECK(slots >= 1 && slots <= UINT8_MAX);
	return (uint8_t)slots;
}

/* ---- fragments ---- */

static const struct ptx_fragment *fragment_of(const struct ptx_mma *m, enum ptx_matrix_name which)
{
	switch (which) {
	case PTX_MATRIX_A:
		return &m->a;
	case PTX_MATRIX_B:
		return &m->b;
	case PTX_MATRIX_C:
		return &m->c;
	default:
		return &m->d;
	}
}

/* mma.m8n8k4 of f16 (PTX ISA, its figures): lanes q, q + 1, q + 2, q + 3 and the same ones 16 further on compute one
 * product; the matrices of the four products are one behind the other. */
static uint32_t quad_place(const struct simt_tensor *t, enum ptx_matrix_name which, uint32_t lane, uint32_t e)
{
	const struct ptx_fragment *f = fragment_of(&t->mma, which);
	const uint32_t quad = lane % 16 / 4, half = lane / 16 * 4, in_quad = lane % 4;
	uint32_t outer = in_quad + half, inner = e;

	if (which == PTX_MATRIX_A || which == PTX_MATRIX_B) {
		const uint8_t along = which == PTX_MATRIX_A ? PTX_ROW : PTX_COL;

		if ((which == PTX_MATRIX_A ? t->a_layout : t->b_layout) != along) {
			outer = e + half;
			inner = in_quad;
		}
	} else if (f->type == PTX_F32) {
		outer = (lane & 1) + (e & 2) + half;
		inner = (e & 4) + (lane & 2) + (e & 1);
	}
	return (quad * 8 + outer) * f->inner + inner;
}

/* All others are made of tiles of 8 by 4 registers (A, B) or 8 by 8 elements (C, D), one register or pair a lane; tiles
 * follow each other along the outer dimension first. So PTX ISA has it for mma; for wmma it is our choice. */
uint32_t simt_fragment_place(const struct simt_tensor *t, enum ptx_matrix_name which, uint32_t lane, uint32_t e)
{
	const struct ptx_fragment *f = fragment_of(&t->mma, which);
	const uint32_t run = which == PTX_MATRIX_A || which == PTX_MATRIX_B ? f->per_reg : 2;

	if (t->mma.is_quad)
		return quad_place(t, which, lane, e);
	const uint32_t distinct = f->outer * f->inner / 32u, tiles = f->outer / 8u;
	const uint32_t tile = e % distinct / run;
	const uint32_t outer = tile % tiles * 8 + lane / 4, inner = (tile / tiles * 4 + lane % 4) * run + e % run;

	return outer * f->inner + inner;
}

/* ---- floating point ---- */

struct number {
	double value;
	int32_t exponent; /* of the leading bit; EXPONENT_OF_ZERO */
};
enum { EXPONENT_OF_ZERO = -100000, FRACTION_BITS = 24 };

static double value_of(enum ptx_type t, uint64_t bits)
{
	const uint32_t word = (uint32_t)(t == PTX_TF32 ? bits & 0xffffe000u : bits);
	double d;
	float f;

	switch (t) {
	case PTX_F16:
		return (double)simt_half_to_float((uint16_t)bits);
	case PTX_BF16:
		return (double)simt_bf16_to_float((uint16_t)bits);
	case PTX_F64:
		memcpy(&d, &bits, sizeof(d));
		return d;
	default:
		memcpy(&f, &word, sizeof(f));
		return (double)f;
	}
}

/* All values are normal as doubles, or zero; infinities and NaNs are found by their sum. */
static struct number number_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (struct number){value, value == 0 ? EXPONENT_OF_ZERO : (int32_t)(bits >> 52 & 0x7ff) - 1023};
}

static double power_of_two(int32_t exponent)
{
	const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* The double towards zero. */
static float truncated(double d)
{
	const float f = (float)d;

	if (fabs((double)f) > fabs(d) && fabs(d) < 0x1p128)
		return nextafterf(f, 0);
	return f;
}

static uint64_t bits_of_float(double d)
{
	const float f = truncated(d);
	uint32_t bits;

	if (isnan(d))
		return 0x7fffffff;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* To nearest even, at once: an inexact float's last bit stands for what was cut off. */
static uint64_t bits_of_half(double d)
{
	float f = truncated(d);
	uint32_t bits;

	if (isnan(d))
		return 0x7fff;
	memcpy(&bits, &f, sizeof(bits));
	bits |= (double)f != d;
	memcpy(&f, &bits, sizeof(f));
	return simt_float_to_half(f);
}

static uint64_t bits_of(enum ptx_type t, double d)
{
	return t == PTX_F16 ? bits_of_half(d) : bits_of_float(d);
}

/* c and count products, each cut off FRACTION_BITS below the largest one's leading bit, then added. Exact in a double.
 */
static double block_sum(double c, const struct number *a, const struct number *b, uint32_t count)
{
	double plain = c;
	int32_t top = number_of(c).exponent;
	int64_t sum;

	for (uint32_t k = 0; k < count; k++) {
		const int32_t e = a[k].exponent + b[k].exponent;

		plain += a[k].value * b[k].value;
		top = e > top ? e : top;
	}
	if (!isfinite(plain) || top < EXPONENT_OF_ZERO / 2)
		return plain;
	const double scale = power_of_two(FRACTION_BITS - top);

	sum = (int64_t)(c * scale);
	for (uint32_t k = 0; k < count; k++)
		sum += (int64_t)(a[k].value * b[k].value * scale);
	return (double)sum / scale;
}

/* One element of D: blocks of products along k, the sum in the format of D after each. */
static uint64_t float_element(const struct ptx_mma *m, const struct number *a, const struct number *b, uint64_t c)
{
	const uint32_t block = m->a.type == PTX_TF32 ? 4 : 8;
	enum ptx_type type = m->c.type;

	for (uint32_t k = 0; k < m->k; k += block) {
		c = bits_of(m->d.type, block_sum(value_of(type, c), a + k, b + k, m->k - k < block ? m->k - k : block));
		type = m->d.type;
	}
	return c;
}

static void float_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			  uint64_t *d)
{
	struct number x[SIMT_MATRIX_ELEMS_MAX], y[SIMT_MATRIX_ELEMS_MAX];
	const struct ptx_mma *m = &t->mma;
	const uint32_t count = m->is_quad ? 4 : 1;

	for (uint32_t i = 0; i < count * m->m * m->k; i++)
		x[i] = number_of(value_of(m->a.type, a[i]));
	for (uint32_t i = 0; i < count * m->n * m->k; i++)
		y[i] = number_of(value_of(m->a.type, b[i]));
	for (uint32_t i = 0; i < count * m->m; i++)
		for (uint32_t j = 0; j < m->n; j++) {
			const uint32_t column = i / m->m * m->n + j, at = i * m->n + j;

			d[at] = float_element(m, &x[i * m->k], &y[column * m->k], c[at]);
		}
}

static int direction_of(uint8_t round)
{
	return round == PTX_RZ   ? FE_TOWARDZERO
	       : round == PTX_RM ? FE_DOWNWARD
	       : round == PTX_RP ? FE_UPWARD
				 : FE_TONEAREST;
}

/* One multiply-add after the other, k ascending, each rounded. */
static void double_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			   uint64_t *d)
{
	const struct ptx_mma *m = &t->mma;
	const int before = fegetround();

	fesetround(direction_of(t->round));
	for (uint32_t i = 0; i < m->m; i++)
		for (uint32_t j = 0; j < m->n; j++) {
			double sum = value_of(PTX_F64, c[i * m->n + j]);

			for (uint32_t k = 0; k < m->k; k++)
				sum = fma(value_of(PTX_F64, a[i * m->k + k]), value_of(PTX_F64, b[j * m->k + k]), sum);
			memcpy(&d[i * m->n + j], &sum, sizeof(sum));
		}
	fesetround(before);
}

/* ---- integers ---- */

static int32_t integer_of(const struct ptx_fragment *f, uint64_t bits)
{
	const uint32_t shift = 32u - f->bits;

	return ptx_type_is_signed(f->type) ? (int32_t)((uint32_t)bits << shift) >> shift : (int32_t)bits;
}

static uint64_t saturated(int64_t sum, bool is_satfinite)
{
	if (is_satfinite)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

static void integer_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			    uint64_t *d)
{
	int32_t x[SIMT_MATRIX_ELEMS_MAX], y[SIMT_MATRIX_ELEMS_MAX];
	const struct ptx_mma *m = &t->mma;

	for (uint32_t i = 0; i < (uint32_t)m->m * m->k; i++)
		x[i] = integer_of(&m->a, a[i]);
	for (uint32_t i = 0; i < (uint32_t)m->n * m->k; i++)
		y[i] = integer_of(&m->b, b[i]);
	for (uint32_t i = 0; i < m->m; i++)
		for (uint32_t j = 0; j < m->n; j++) {
			int32_t sum = 0; /* at most 64 products of 16 bits */

			for (uint32_t k = 0; k < m->k; k++)
				sum += x[i * m->k + k] * y[j * m->k + k];
			d[i * m->n + j] = saturated((int64_t)(int32_t)c[i * m->n + j] + sum, t->is_satfinite);
		}
}

static void bit_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			uint64_t *d)
{
	const struct ptx_mma *m = &t->mma;
	const uint32_t words = m->k / 32;

	for (uint32_t i = 0; i < m->m; i++)
		for (uint32_t j = 0; j < m->n; j++) {
			int64_t sum = (int32_t)c[i * m->n + j];

			for (uint32_t k = 0; k < words; k++) {
				const uint64_t x = a[i * words + k], y = b[j * words + k];

				sum += __builtin_popcountll(t->is_and ? x & y : x ^ y);
			}
			d[i * m->n + j] = saturated(sum, t->is_satfinite);
		}
}

void simt_tensor_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			 uint64_t *d)
{
	switch (t->mma.a.type) {
	case PTX_F64:
		double_product(t, a, b, c, d);
		return;
	case PTX_B1:
		bit_product(t, a, b, c, d);
		return;
	case PTX_F16:
	case PTX_BF16:
	case PTX_TF32:
		float_product(t, a, b, c, d);
		return;
	default:
		integer_product(t, a, b, c, d);
	}
}
