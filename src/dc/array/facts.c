/* facts.c - what the operands of 32 lanes say about how long an operation takes. */
#include <math.h>

#include "dc/array/newton.h"
#include "dc/array/open.h"

enum { LANES = 32 };

void dc_facts_begin(struct dc_facts *f)
{
	*f = (struct dc_facts){.zero_residues = ~0ull};
}

static uint32_t bits_of(uint64_t x)
{
	return x ? 64 - (uint32_t)__builtin_clzll(x) : 0;
}

static bool is_in(uint32_t mask, uint32_t lane)
{
	return mask >> lane & 1;
}

/* ---- integers ---- */

static uint64_t low_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* The operand of a lane: as unsigned, or sign-extended from n bits. */
static uint64_t value_of(const struct dc_use *use, const void *row, uint32_t lane)
{
	const uint64_t raw =
	    (use->n > 32 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane]) & low_bits(use->n);

	return use->is_signed && raw >> (use->n - 1) & 1 ? raw | ~low_bits(use->n) : raw;
}

/* OR over lanes of 32-bit words, without branches. */
static void or_words(struct dc_facts *f, const struct dc_use *use, const uint32_t *a, const uint32_t *b, uint32_t mask)
{
	uint32_t or_a = 0, or_b = 0, negative = 0, in[LANES];
	const uint32_t flip = use->is_signed ? UINT32_MAX : 0;
	const uint32_t shift = 32u - use->n;

	for (uint32_t i = 0; i < LANES; i++)
		in[i] = 0u - (mask >> i & 1);
	for (uint32_t i = 0; i < LANES; i++) {
		const uint32_t x = a[i] << shift, y = b[i] << shift;
		const uint32_t sign_x = (uint32_t)((int32_t)x >> 31) & flip,
			       sign_y = (uint32_t)((int32_t)y >> 31) & flip;

		or_a |= ((x ^ sign_x) & in[i]) >> shift;
		or_b |= ((y ^ sign_y) & in[i]) >> shift;
		negative |= (sign_x | sign_y) & in[i];
	}
	/* What is skipped are rows of the multiplier as it is: negative ones have more. */
	f->or_a |= or_a & (uint32_t)low_bits(use->n);
	f->or_b |= or_b & (uint32_t)low_bits(use->n);
	f->any_negative |= negative != 0;
}

static void or_longs(struct dc_facts *f, const struct dc_use *use, const void *a, const void *b, uint32_t mask)
{
	for (uint32_t i = 0; i < LANES; i++) {
		if (!is_in(mask, i))
			continue;
		const uint64_t x = value_of(use, a, i), y = value_of(use, b, i);
		const uint64_t sign_x = use->is_signed ? (uint64_t)((int64_t)x >> 63) : 0;
		const uint64_t sign_y = use->is_signed ? (uint64_t)((int64_t)y >> 63) : 0;

		f->or_a |= x ^ sign_x;
		f->or_b |= y ^ sign_y;
		f->any_negative |= (sign_x | sign_y) != 0;
	}
}

/* Rows of a signed multiplier that hold a one somewhere: the value's own bits, not its magnitude's. */
static void mul_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	struct dc_use plain = *use;
	struct dc_facts own = {0};

	if (use->n <= 32)
		or_words(f, use, src[0], src[1], mask);
	else
		or_longs(f, use, src[0], src[1], mask);
	if (!use->is_signed) {
		f->multiplier_rows = f->or_b;
		return;
	}
	plain.is_signed = false;
	if (use->n <= 32)
		or_words(&own, &plain, src[0], src[1], mask);
	else
		or_longs(&own, &plain, src[0], src[1], mask);
	f->multiplier_rows |= own.or_b;
}

static void div_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	for (uint32_t i = 0; i < LANES; i++) {
		if (!is_in(mask, i))
			continue;
		uint64_t a = value_of(use, src[0], i), b = value_of(use, src[1], i);

		if (use->is_signed) {
			f->any_negative |= (int64_t)a < 0 || (int64_t)b < 0;
			a = ((int64_t)a < 0 ? -a : a) & low_bits(use->n);
			b = ((int64_t)b < 0 ? -b : b) & low_bits(use->n);
		}
		f->or_a |= a;
		f->or_b |= b;
		if (!b) {
			f->any_zero_divisor = true;
			f->zero_residues = 0; /* its digits are ones */
			continue;
		}
		if (bits_of(a) + 1 > bits_of(b) && bits_of(a) - bits_of(b) + 1 > f->digits)
			f->digits = bits_of(a) - bits_of(b) + 1;
		/* Iteration k from the last: the residue before it is (a >> k) less what B took away above. */
		for (uint64_t left = f->zero_residues; left; left &= left - 1) {
			const uint32_t k = (uint32_t)__builtin_ctzll(left);
			const uint64_t above = k >= 63 ? 0 : a >> (k + 1);

			if (k >= bits_of(a))
				break; /* nothing of the dividend has come */
			if ((a >> k & 1) || above % b)
				f->zero_residues &= ~(1ull << k);
		}
	}
}

/* ---- floating point ---- */

/* A number taken apart: m bits of mantissa, 0 for what is zero, and for denormals, which are none here. */
struct parts {
	bool is_negative;
	int64_t exponent;
	uint64_t mantissa;
};

static struct parts parts_of(const struct dc_use *use, const void *row, uint32_t lane)
{
	const uint32_t n = use->n, low = use->m - 1u;
	const uint64_t raw = n > 32 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
	struct parts p = {.is_negative = raw >> (n - 1) & 1, .exponent = (int64_t)(raw >> low & low_bits(use->e))};

	if (p.exponent)
		p.mantissa = (raw & low_bits(low)) | 1ull << low;
	return p;
}

typedef __int128 wide;

static uint32_t wide_bits(unsigned __int128 x)
{
	const uint64_t high = (uint64_t)(x >> 64);

	return high ? 64 + bits_of(high) : bits_of((uint64_t)x);
}

static void set_bit(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= 1ull << bit % 64;
}

struct term {
	bool is_negative;
	int64_t exponent;
	wide mantissa; /* p bits */
};

/* Algorithm 1 on one lane: its difference, and where the sum's leading one is. */
static void add_lane(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, uint32_t p, struct term x,
		     struct term y)
{
	const uint32_t g = a->is_truncated ? 0 : 2;

	if (x.exponent < y.exponent) {
		const struct term t = x;

		f->any_swap = true;
		x = y;
		y = t;
	}
	const uint64_t k = (uint64_t)(x.exponent - y.exponent);
	const wide xm = (x.mantissa << g) * (x.is_negative ? -1 : 1);
	wide ym = (y.mantissa << g) * (y.is_negative ? -1 : 1);
	bool is_sticky = false;

	if (k < p + g) {
		set_bit(f->differences, (uint32_t)k);
		is_sticky = g && (ym & (((wide)1 << k) - 1)) != 0;
		ym >>= k;
	} else {
		f->any_rest = true;
		is_sticky = g && ym != 0;
		ym = ym < 0 ? -1 : 0;
	}
	wide sum = xm + ym;

	/* What was dropped makes a negative sum's magnitude less. In two's complement: the first that is no sign. */
	if (sum < 0)
		sum = is_sticky || dc_use_keeps_result(use) ? ~sum : -sum;
	if (sum)
		set_bit(f->shifts, p + g + 1 - wide_bits((unsigned __int128)sum));
}

static struct term term_of(struct parts p)
{
	return (struct term){p.is_negative, p.exponent, (wide)p.mantissa};
}

/* The same for numbers of up to 32 bits with 24 of mantissa, 32 lanes without a branch: sums fit 32 bits. */
struct lanes32 {
	uint32_t differences, shifts, rest, swaps;
};

/* The thread sanitizer is not there yet when the loader asks which clone it is to be. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_ISA
#endif

FOR_EACH_ISA static struct lanes32 add_lanes(const uint32_t *a, const uint32_t *b, uint32_t mask, uint32_t flip,
					     uint32_t e, uint32_t m, uint32_t g, bool keeps)
{
	struct lanes32 out = {0};
	const uint32_t low = m - 1, all = (1u << e) - 1, count = m + g, sign_bit = e + m - 1;

	for (uint32_t i = 0; i < LANES; i++) {
		const uint32_t in = 0u - (mask >> i & 1), second = b[i] ^ flip;
		const uint32_t ea = a[i] >> low & all, eb = second >> low & all;
		const uint32_t ma = ea ? (a[i] & ((1u << low) - 1)) | 1u << low : 0;
		const uint32_t mb = eb ? (second & ((1u << low) - 1)) | 1u << low : 0;
		const uint32_t na = 0u - (a[i] >> sign_bit & 1), nb = 0u - (second >> sign_bit & 1);
		const uint32_t is_swapped = 0u - (uint32_t)(ea < eb);
		const uint32_t far = ea < eb ? eb - ea : ea - eb;
		const uint32_t is_rest = 0u - (uint32_t)(far >= count), k = far < count ? far : count;
		const uint32_t x = is_swapped ? mb : ma, y = is_swapped ? ma : mb;
		const uint32_t nx = is_swapped ? nb : na, ny = is_swapped ? na : nb;
		const int32_t xs = (int32_t)(((x << g) ^ nx) - nx), ys = (int32_t)(((y << g) ^ ny) - ny);
		const uint32_t dropped = is_rest ? (uint32_t)ys : (uint32_t)ys & ((1u << k) - 1);
		const int32_t sum = xs + (is_rest ? ys >> 31 : ys >> k);
		const uint32_t negative = (uint32_t)(sum >> 31), one = keeps || (g && dropped) ? 0 : 1;
		const uint32_t magnitude = ((uint32_t)sum ^ negative) + (negative & one);
		/* The leading one alone, so that the conversion to float is exact: its exponent is where it is. */
		const float leading = (float)(int32_t)(magnitude & ~(magnitude >> 1));
		uint32_t place;

		__builtin_memcpy(&place, &leading, sizeof(place));
		place = count + 1 - ((place >> 23) - 126);
		out.differences |= in & ~is_rest & 1u << k;
		out.rest |= in & is_rest;
		out.swaps |= in & is_swapped;
		out.shifts |= magnitude ? in & 1u << (place & 31) : 0;
	}
	return out;
}

static void add_lanes_facts(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a,
			    const void *const *src, uint32_t mask)
{
	const uint32_t flip = use->is_difference ? 1u << (use->n - 1) : 0;
	const struct lanes32 l =
	    add_lanes(src[0], src[1], mask, flip, use->e, use->m, a->is_truncated ? 0 : 2, dc_use_keeps_result(use));

	f->differences[0] |= l.differences;
	f->shifts[0] |= l.shifts;
	f->any_rest |= l.rest != 0;
	f->any_swap |= l.swaps != 0;
}

FOR_EACH_ISA static uint32_t mantissas_or(const uint32_t *b, uint32_t mask, uint32_t e, uint32_t m)
{
	const uint32_t low = m - 1, all = (1u << e) - 1;
	uint32_t or_b = 0;

	for (uint32_t i = 0; i < LANES; i++) {
		const uint32_t in = 0u - (mask >> i & 1);

		or_b |= b[i] >> low & all ? in & ((b[i] & ((1u << low) - 1)) | 1u << low) : 0;
	}
	return or_b;
}

static void fadd_facts(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, const void *const *src,
		       uint32_t mask)
{
	if (use->n <= 32) {
		add_lanes_facts(f, use, a, src, mask);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		struct term second = term_of(parts_of(use, src[1], i));

		second.is_negative ^= use->is_difference;
		if (is_in(mask, i))
			add_lane(f, use, a, use->m, term_of(parts_of(use, src[0], i)), second);
	}
}

static void fmul_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	if (use->n <= 32) {
		f->or_b |= mantissas_or(src[1], mask, use->e, use->m);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++)
		f->or_b |= is_in(mask, i) ? parts_of(use, src[1], i).mantissa : 0;
}

/* Eight lanes of 64 bits. Comparisons give all ones or zeros. */
typedef uint64_t u64x8 __attribute__((vector_size(64)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef double f64x8 __attribute__((vector_size(64)));

struct lanes64 {
	u64x8 differences, shifts, rest, swaps, or_b;
};

/* fma of numbers of up to 32 bits: products of 48, sums of 51. */
FOR_EACH_ISA static void fma_lanes(struct lanes64 *out, const uint32_t *a, const uint32_t *b, const uint32_t *c,
				   uint32_t mask, uint32_t e, uint32_t m, uint32_t g, bool keeps)
{
	const uint64_t count = 2 * m + g, bias = (1u << (e - 1)) - 2, all = (1u << e) - 1, hidden = 1ull << (m - 1);
	const u64x8 bit = {1, 2, 4, 8, 16, 32, 64, 128}, one = {1, 1, 1, 1, 1, 1, 1, 1};
	const u64x8 is_exact = one * (uint64_t)(g ? 0 : UINT64_MAX), is_one = one * (uint64_t)!keeps;

	for (uint32_t i = 0; i < LANES; i += 8) {
		u32x8 raw_a, raw_b, raw_c;

		__builtin_memcpy(&raw_a, a + i, sizeof(raw_a));
		__builtin_memcpy(&raw_b, b + i, sizeof(raw_b));
		__builtin_memcpy(&raw_c, c + i, sizeof(raw_c));

		const u64x8 x = __builtin_convertvector(raw_a, u64x8), y = __builtin_convertvector(raw_b, u64x8),
			    z = __builtin_convertvector(raw_c, u64x8);
		const u64x8 in = (u64x8)((bit & (mask >> i)) != 0);
		const u64x8 ex = x >> (m - 1) & all, ey = y >> (m - 1) & all, ez = z >> (m - 1) & all;
		const u64x8 mx = ((x & (hidden - 1)) | hidden) & (u64x8)(ex != 0);
		const u64x8 my = ((y & (hidden - 1)) | hidden) & (u64x8)(ey != 0);
		const u64x8 mz = ((z & (hidden - 1)) | hidden) & (u64x8)(ez != 0);
		/* Exponents with the bias added, so that they are not negative; that of a product of zero is 0. */
		const u64x8 is_zero = (u64x8)(mx == 0) | (u64x8)(my == 0);
		const u64x8 ep = ((ex + ey) & ~is_zero) | (bias & is_zero), es = ez + bias;
		const u64x8 np = -((x ^ y) >> (e + m - 1) & 1), ns = -(z >> (e + m - 1) & 1);
		const u64x8 p = ((mx * my << g) ^ np) - np, s = ((mz << (m + g)) ^ ns) - ns;
		const u64x8 is_swapped = (u64x8)(ep < es);
		const u64x8 far = ((es - ep) & is_swapped) | ((ep - es) & ~is_swapped);
		const u64x8 is_rest = (u64x8)(far >= count), k = (far & ~is_rest) | (count & is_rest);
		const u64x8 first = (s & is_swapped) | (p & ~is_swapped), second = (p & is_swapped) | (s & ~is_swapped);
		const u64x8 sign = -(second >> 63), dropped = second & (is_rest | ((one << k) - 1));
		const u64x8 sum = first + ((sign & is_rest) | ((((second ^ sign) >> k) ^ sign) & ~is_rest));
		const u64x8 negative = -(sum >> 63), adds = ((u64x8)(dropped == 0) | is_exact) & negative & is_one;
		const u64x8 magnitude = (sum ^ negative) + adds;
		/* As a double, exactly: its exponent says where the leading one is. */
		const u64x8 biased = magnitude | 0x4330000000000000;
		const u64x8 bits = ((u64x8)((f64x8)biased - 0x1p52) >> 52) - 1022;

		out->or_b |= in & my;
		out->differences |= in & ~is_rest & one << k;
		out->rest |= in & is_rest;
		out->swaps |= in & is_swapped;
		out->shifts |= in & (u64x8)(magnitude != 0) & one << ((count + 1 - bits) & 63);
	}
}

static uint64_t or_lanes(const u64x8 *x)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < 8; i++)
		all |= (*x)[i];
	return all;
}

static void fma_lanes_facts(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a,
			    const void *const *src, uint32_t mask)
{
	struct lanes64 l = {0};

	fma_lanes(&l, src[0], src[1], src[2], mask, use->e, use->m, a->is_truncated ? 0 : 2,
		  dc_use_keeps_result(use));
	f->or_b |= or_lanes(&l.or_b);
	f->differences[0] |= or_lanes(&l.differences);
	f->shifts[0] |= or_lanes(&l.shifts);
	f->any_rest |= or_lanes(&l.rest) != 0;
	f->any_swap |= or_lanes(&l.swaps) != 0;
}

/* ---- digits ---- */

enum { ALL_DIGITS = 1000 };

static uint32_t zeros_of(uint64_t x)
{
	return (uint32_t)__builtin_ctzll(x);
}

static void need(uint32_t *digits, uint32_t lane)
{
	if (lane > *digits)
		*digits = lane;
}

/* Digits of x by y, mantissas of w rows, until nothing is left: of one that ends its last that is not zero. By zero x
 * itself moves up and out. */
static uint32_t quotient_digits(uint64_t x, uint64_t y, uint32_t w)
{
	if (!x)
		return 0;
	if (!y)
		return w - zeros_of(x) + 1;
	if (x % (y >> zeros_of(y)))
		return ALL_DIGITS;
	return zeros_of(y) - zeros_of(x) + 1; /* of y's zeros as many as x has are gone in the first digit or before */
}

/* Digits of a root of m + 1 rows until nothing is left. */
static uint32_t root_digits(uint64_t mantissa, bool is_even, uint32_t m, uint32_t digits)
{
	const uint64_t x = mantissa << is_even;
	const uint32_t low = 2 * digits - (m + 1);

	if (!x)
		return 0;

	const uint32_t zeros = zeros_of(x) + low;
	const uint64_t odd = x >> zeros_of(x), root = (uint64_t)llrint(sqrt((double)odd));

	return zeros % 2 || root * root != odd ? ALL_DIGITS : digits - zeros / 2;
}

static void fdiv_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t x = parts_of(use, src[0], i).mantissa, y = parts_of(use, src[1], i).mantissa;

		if (!is_in(mask, i))
			continue;
		f->or_b |= y;
		if (f->digits < ALL_DIGITS)
			need(&f->digits, quotient_digits(x, y, use->m));
	}
}

static void root_facts(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, const void *const *src,
		       uint32_t mask)
{
	const bool has_quotient = use->op == DC_OP_FRSQRT;
	const uint32_t m = use->m, digits = has_quotient || !a->is_truncated ? m + 1 : m;

	for (uint32_t i = 0; i < LANES; i++) {
		const struct parts p = parts_of(use, src[0], i);

		if (!is_in(mask, i))
			continue;
		if (f->digits < ALL_DIGITS)
			need(&f->digits, root_digits(p.mantissa, !(p.exponent & 1), m, digits));
		if (!has_quotient)
			continue;

		const uint64_t root = p.mantissa ? dc_root_digits(p.mantissa, !(p.exponent & 1), m) : 0;

		f->or_b |= root;
		need(&f->more_digits, quotient_digits(1ull << m, root, m + 1));
	}
}

/* The product as a number of 2 m bits whose hidden one would be its highest, plus the addend as one of that kind. */
static void fma_facts(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, const void *const *src,
		      uint32_t mask)
{
	const int64_t bias = (int64_t)low_bits(use->e - 1u);

	if (use->n <= 32) {
		fma_lanes_facts(f, use, a, src, mask);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		if (!is_in(mask, i))
			continue;
		const struct parts x = parts_of(use, src[0], i), y = parts_of(use, src[1], i),
				   z = parts_of(use, src[2], i);
		const bool is_zero = !x.mantissa || !y.mantissa;
		const struct term product = {x.is_negative != y.is_negative,
					     is_zero ? 0 : x.exponent + y.exponent - bias + 1,
					     (wide)x.mantissa * (wide)y.mantissa};
		const struct term addend = {z.is_negative, z.exponent, (wide)z.mantissa << use->m};

		f->or_b |= y.mantissa;
		add_lane(f, use, a, 2u * use->m, product, addend);
	}
}

/* ---- conversions ---- */

static uint64_t integer_of(const struct dc_use *use, const void *row, uint32_t lane)
{
	const uint64_t raw = (use->bits > 32 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane]) &
			     low_bits(use->bits);
	const bool is_negative = use->is_signed && raw >> (use->bits - 1) & 1;

	return is_negative ? -raw & low_bits(use->bits) : raw;
}

static void to_float_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t x = is_in(mask, i) ? integer_of(use, src[0], i) : 0;

		if (x)
			set_bit(f->shifts, use->bits - bits_of(x));
	}
}

/* Exponents that occur of those below `end`: bit j for 2^j. */
static void exponent_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask,
			   int64_t end, bool is_beyond_rest)
{
	const int64_t bias = (int64_t)low_bits(use->e - 1u), top = (int64_t)low_bits(use->e);

	for (uint32_t i = 0; i < LANES; i++) {
		if (!is_in(mask, i))
			continue;
		const int64_t exponent = parts_of(use, src[0], i).exponent, j = exponent - bias;

		if (j >= 0 && j < end && exponent < top)
			set_bit(f->shifts, (uint32_t)j);
		else
			f->any_rest |= j < 0 || is_beyond_rest;
	}
}

void dc_facts_add(struct dc_facts *f, const struct dc_use *use, const struct dc_arith *a, const void *const *src,
		  uint32_t mask)
{
	if (!mask)
		return;
	f->any_lane = true;
	if (use->kept & DC_KEPT_OPEN) {
		dc_open_facts(f, use, src, mask);
		return;
	}
	switch (use->op) {
	case DC_OP_MUL:
	case DC_OP_MAD: mul_facts(f, use, src, mask); break;
	case DC_OP_DIV: div_facts(f, use, src, mask); break;
	case DC_OP_FADD: fadd_facts(f, use, a, src, mask); break;
	case DC_OP_FMUL: fmul_facts(f, use, src, mask); break;
	case DC_OP_FMA: fma_facts(f, use, a, src, mask); break;
	case DC_OP_FDIV: fdiv_facts(f, use, src, mask); break;
	case DC_OP_FSQRT:
	case DC_OP_FRSQRT: root_facts(f, use, a, src, mask); break;
	case DC_OP_INT_TO_FLOAT: to_float_facts(f, use, src, mask); break;
	case DC_OP_FLOAT_TO_INT: exponent_facts(f, use, src, mask, use->bits, true); break;
	case DC_OP_FLOAT_ROUND: exponent_facts(f, use, src, mask, use->m - 1, false); break;
	default: break;
	}
}
