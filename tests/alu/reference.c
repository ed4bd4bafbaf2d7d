/* reference.c - the tables' forms, one lane at a time, by the words of their keys. */
#include "reference.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct words {
	char text[128];
	char *word[16];
	int count;
};

static void words_split(struct words *w, const char *key)
{
	strcpy(w->text, key);
	w->count = 0;
	for (char *p = strtok(w->text, "_"); p; p = strtok(NULL, "_"))
		w->word[w->count++] = p;
}

static bool words_has(const struct words *w, const char *word)
{
	for (int i = 1; i < w->count; i++)
		if (strcmp(w->word[i], word) == 0)
			return true;
	return false;
}

/* ---- values ---- */

static int type_bits(const char *t)
{
	if (strcmp(t, "bf16") == 0)
		return 16;
	return strstr(t, "x2") ? 32 : t[1] == '8' ? 8 : t[1] == '1' ? 16 : t[1] == '3' ? 32 : 64;
}

static bool type_float(const char *t)
{
	return t[0] == 'f' || strncmp(t, "bf", 2) == 0;
}

static wide value_int(uint64_t bits, const char *t)
{
	const int n = type_bits(t);
	const uint64_t v = n == 64 ? bits : bits & ((1ull << n) - 1);

	return t[0] == 's' && v >> (n - 1) & 1 ? (wide)v - ((wide)1 << n) : (wide)v;
}

/* Bits of a lane: sign-extended to the lane for signed types, else zero-extended. */
static uint64_t lane_int(wide v, const char *t)
{
	const int n = type_bits(t);
	const uint64_t u = (uint64_t)v & (n == 64 ? UINT64_MAX : (1ull << n) - 1);

	if (t[0] == 's' && n < 32 && u >> (n - 1) & 1)
		return (u | ~0ull << n) & UINT32_MAX;
	return u;
}

static float f32_of(uint64_t u)
{
	const uint32_t v = (uint32_t)u;
	float f;

	memcpy(&f, &v, 4);
	return f;
}

static double f64_of(uint64_t u)
{
	double f;

	memcpy(&f, &u, 8);
	return f;
}

static uint64_t f32_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

static uint64_t f64_bits(double f)
{
	uint64_t u;

	memcpy(&u, &f, 8);
	return u;
}

static double half_value(uint32_t h, bool is_bf)
{
	const int digits = is_bf ? 7 : 10, top = is_bf ? 255 : 31, bias = is_bf ? 127 : 15;
	const int e = (int)(h >> digits) & top, m = (int)(h & ((1u << digits) - 1));
	const double sign = h & 0x8000 ? -1.0 : 1.0;

	if (e == top)
		return m ? NAN : sign * INFINITY;
	return sign * (e ? ldexp((1 << digits) + m, e - bias - digits) : ldexp(m, 1 - bias - digits));
}

static double value_float(uint64_t bits, const char *t)
{
	if (strcmp(t, "f64") == 0)
		return f64_of(bits);
	if (strcmp(t, "f32") == 0)
		return (double)f32_of(bits);
	return half_value((uint32_t)bits & 65535, t[0] == 'b');
}

/* Nearest halves below and above by bisection over the positive patterns; the exact value is x plus something of the
 * sign of rest, smaller than any difference that matters. */
static uint32_t half_from(long double x, int rest, bool is_bf, char mode)
{
	const uint32_t inf = is_bf ? 0x7f80 : 0x7c00, sign = signbit(x) ? 0x8000 : 0;
	const long double size = fabsl(x);
	const int more = sign ? -rest : rest;
	uint32_t low = 0, high = inf;

	if (isnan(x))
		return 0x7fff;
	if (isinf(x))
		return sign | inf;
	while (high - low > 1) { /* low <= size < high */
		const uint32_t mid = (low + high) / 2;
		const long double v = half_value(mid, is_bf);
		if (v < size || (v == size && more >= 0))
			low = mid;
		else
			high = mid;
	}
	const long double below = half_value(low, is_bf);
	const long double above =
	    high == inf ? 2 * below - (long double)half_value(low - 1, is_bf) : half_value(high, is_bf);
	const long double twice = 2 * size - (below + above);
	const bool exact = size == below && more == 0;
	bool up = false;

	if (mode == 'n')
		up = twice > 0 || (twice == 0 && (more > 0 || (more == 0 && (low & 1))));
	else if (mode == 'm')
		up = sign && !exact;
	else if (mode == 'p')
		up = !sign && !exact;
	return sign | (up ? high : low);
}

static bool ftz_form(const struct words *w)
{
	return words_has(w, "ftz");
}

static double flush(double v, const char *t, bool on)
{
	const double least = strcmp(t, "f16") == 0 ? 0x1p-14 : strcmp(t, "f64") == 0 ? 0.0 : 0x1p-126;

	return on && fabs(v) < least ? copysign(0.0, v) : v;
}

static char mode_of(const struct words *w)
{
	static const char *const names[] = {"rz", "rm", "rp"};

	for (int i = 0; i < 3; i++)
		if (words_has(w, names[i]))
			return names[i][1];
	return 'n';
}

static void mode_set(char mode)
{
	fesetround(mode == 'z' ? FE_TOWARDZERO : mode == 'm' ? FE_DOWNWARD : mode == 'p' ? FE_UPWARD : FE_TONEAREST);
}

static uint64_t finish_f32(float r, const struct words *w)
{
	if (words_has(w, "sat"))
		return isnan(r) || r <= 0               ? 0
		       : r > 1                          ? f32_bits(1.0f)
		       : (ftz_form(w) && r < 0x1p-126f) ? 0
							: f32_bits(r);
	if (isnan(r))
		return 0x7fffffff;
	return f32_bits((float)flush(r, "f32", ftz_form(w)));
}

static uint64_t finish_f64(double r, const struct words *w, const uint64_t *src, int n)
{
	if (words_has(w, "sat"))
		return isnan(r) || r <= 0 ? 0 : r > 1 ? f64_bits(1.0) : f64_bits(r);
	if (!isnan(r))
		return f64_bits(r);
	for (int i = 0; i < n; i++)
		if (isnan(f64_of(src[i])))
			return src[i] | 1ull << 51;
	return 0xfff8000000000000;
}

static uint64_t finish_half(uint32_t h, const struct words *w, bool is_bf)
{
	const double v = half_value(h, is_bf);

	if (words_has(w, "sat"))
		return isnan(v) || v <= 0 ? 0 : v > 1 ? (is_bf ? 0x3f80 : 0x3c00) : ftz_form(w) && v < 0x1p-14 ? 0 : h;
	if (isnan(v))
		return 0x7fff;
	if (ftz_form(w) && !is_bf && fabs(v) < 0x1p-14)
		h &= 0x8000;
	return words_has(w, "relu") && h & 0x8000 ? 0 : h;
}

/* ---- floating arithmetic ---- */

static bool float_op_f32(const struct words *w, struct reference_lane *l)
{
	const bool ftz = ftz_form(w);
	volatile float a = (float)flush(f32_of(l->src[0]), "f32", ftz), b = (float)flush(f32_of(l->src[1]), "f32", ftz);
	volatile float c = (float)flush(f32_of(l->src[2]), "f32", ftz), r = 0;
	const char *op = w->word[0];

	mode_set(mode_of(w));
	if (strcmp(op, "add") == 0)
		r = a + b;
	else if (strcmp(op, "sub") == 0)
		r = a - b;
	else if (strcmp(op, "mul") == 0)
		r = a * b;
	else if (strcmp(op, "div") == 0)
		r = a / b;
	else if (strcmp(op, "fma") == 0)
		r = fmaf(a, b, c);
	else if (strcmp(op, "rcp") == 0)
		r = 1.0f / a;
	else if (strcmp(op, "sqrt") == 0)
		r = sqrtf(a);
	mode_set('n');
	l->dst = finish_f32(r, w);
	return true;
}

static bool float_op_f64(const struct words *w, struct reference_lane *l)
{
	volatile double a = f64_of(l->src[0]), b = f64_of(l->src[1]), c = f64_of(l->src[2]), r = 0;
	const char *op = w->word[0];
	int n = 2;

	mode_set(mode_of(w));
	if (strcmp(op, "add") == 0)
		r = a + b;
	else if (strcmp(op, "sub") == 0)
		r = a - b;
	else if (strcmp(op, "mul") == 0)
		r = a * b;
	else if (strcmp(op, "div") == 0)
		r = a / b;
	else if (strcmp(op, "fma") == 0)
		r = fma(a, b, c), n = 3;
	else if (strcmp(op, "rcp") == 0)
		r = 1.0 / a, n = 1;
	else if (strcmp(op, "sqrt") == 0)
		r = sqrt(a), n = 1;
	mode_set('n');
	l->dst = finish_f64(r, w, l->src, n);
	return true;
}

static uint64_t half_op(const struct words *w, uint32_t x, uint32_t y, uint32_t z, bool is_bf, bool *skip)
{
	const bool ftz = ftz_form(w) && !is_bf;
	const double a = flush(half_value(x, is_bf), "f16", ftz), b = flush(half_value(y, is_bf), "f16", ftz);
	const double c = flush(half_value(z, is_bf), "f16", ftz);
	const char *op = w->word[0];
	long double p, q;

	/* One long double product, then a sum whose error (if any) is the sign handed to the rounding. */
	if (strcmp(op, "mul") == 0) {
		p = (long double)a * b;
		return finish_half(half_from(p, 0, is_bf, 'n'), w, is_bf);
	}
	p = strcmp(op, "fma") == 0 ? (long double)a * b : (long double)a;
	q = strcmp(op, "fma") == 0 ? (long double)c : strcmp(op, "sub") == 0 ? -(long double)b : (long double)b;
	volatile long double s = p + q, t = s - p, u = s - t;
	const long double error = (p - u) + (q - t);
	*skip = false;
	return finish_half(half_from(s, isfinite(s) ? (error > 0) - (error < 0) : 0, is_bf, 'n'), w, is_bf);
}

/* Factors of a sum of .f32 that are halves, as their .f32. */
static bool mixed_sum(const struct words *w, struct reference_lane *l)
{
	const bool is_bf = w->word[w->count - 1][0] == 'b';

	for (int k = 0; k < (strcmp(w->word[0], "fma") == 0 ? 2 : 1); k++)
		l->src[k] = f32_bits((float)half_value((uint32_t)l->src[k] & 65535, is_bf));
	return float_op_f32(w, l);
}

static bool float_arith(const struct words *w, struct reference_lane *l)
{
	const char *t = w->word[w->count - 1];

	if (w->count > 2 && strcmp(w->word[w->count - 2], "f32") == 0)
		return mixed_sum(w, l);
	if (words_has(w, "approx") || words_has(w, "full"))
		return false;
	if (strcmp(t, "f32") == 0)
		return float_op_f32(w, l);
	if (strcmp(t, "f64") == 0)
		return float_op_f64(w, l);
	const bool is_bf = t[0] == 'b';
	const uint32_t low = (uint32_t)half_op(w, (uint32_t)l->src[0] & 65535, (uint32_t)l->src[1] & 65535,
					       (uint32_t)l->src[2] & 65535, is_bf, &l->skip);
	l->dst = low;
	if (strstr(t, "x2"))
		l->dst |= half_op(w, (uint32_t)l->src[0] >> 16, (uint32_t)l->src[1] >> 16, (uint32_t)l->src[2] >> 16,
				  is_bf, &l->skip)
			  << 16;
	return true;
}

/* min, max of one pair of numbers in the format t. */
static uint64_t float_extreme(const struct words *w, uint64_t x, uint64_t y, const char *t)
{
	const int n = type_bits(t);
	const uint64_t sign = 1ull << (n - 1), nan = n == 16 ? 0x7fff : 0x7fffffff;
	double a = flush(value_float(x, t), t, ftz_form(w)), b = flush(value_float(y, t), t, ftz_form(w));
	const bool least = strcmp(w->word[0], "min") == 0, mag = words_has(w, "xorsign");
	const uint64_t flip = mag ? (x ^ y) & sign : 0;
	uint64_t xb = a == 0 ? x & sign : x, yb = b == 0 ? y & sign : y;

	if (isnan(a) && isnan(b))
		return n == 64 ? x | 1ull << 51 : nan;
	if ((isnan(a) || isnan(b)) && words_has(w, "nan"))
		return nan;
	if (mag)
		a = fabs(a), b = fabs(b), xb &= ~sign, yb &= ~sign;
	if (isnan(a))
		return yb | flip;
	if (isnan(b))
		return xb | flip;
	const bool less = a < b || (a == b && signbit(a) && !signbit(b));
	return (less == least ? xb : yb) | flip;
}

/* ---- conversion ---- */

static double integral(double v, const struct words *w)
{
	if (words_has(w, "rni"))
		return nearbyint(v);
	return words_has(w, "rzi") ? trunc(v) : words_has(w, "rmi") ? floor(v) : words_has(w, "rpi") ? ceil(v) : v;
}

static uint64_t to_int(double v, const char *d, const char *s)
{
	const int n = type_bits(d);
	const wide most = d[0] == 's' ? ((wide)1 << (n - 1)) - 1 : ((wide)1 << n) - 1,
		   least = d[0] == 's' ? -most - 1 : 0;

	if (isnan(v))
		return n == 64 || strcmp(s, "f64") == 0 ? lane_int((wide)1 << (n - 1), d) : 0;
	if (v >= 0x1p65)
		return lane_int(most, d);
	if (v <= -0x1p65)
		return lane_int(least, d);
	const wide i = (wide)v;
	return lane_int(i > most ? most : i < least ? least : i, d);
}

static bool convert(const struct words *w, struct reference_lane *l)
{
	const char *d = w->word[w->count - 2], *s = w->word[w->count - 1];
	const char mode = mode_of(w);

	if (!type_float(d) && !type_float(s)) {
		wide v = value_int(l->src[0], s);
		const int n = type_bits(d);
		const wide most = d[0] == 's' ? ((wide)1 << (n - 1)) - 1 : ((wide)1 << n) - 1,
			   least = d[0] == 's' ? -most - 1 : 0;
		if (words_has(w, "sat"))
			v = v > most ? most : v < least ? least : v;
		l->dst = lane_int(v, d);
		return true;
	}
	if (!type_float(d)) {
		l->dst = to_int(integral(flush(value_float(l->src[0], s), s, ftz_form(w)), w), d, s);
		return true;
	}
	if (strstr(d, "x2")) {
		const bool is_bf = d[0] == 'b';
		l->dst = finish_half(half_from(value_float(l->src[1], s), 0, is_bf, mode), w, is_bf) |
			 finish_half(half_from(value_float(l->src[0], s), 0, is_bf, mode), w, is_bf) << 16;
		return true;
	}
	/* Every source is exact in a long double. */
	volatile long double x = type_float(s) ? (long double)integral(flush(value_float(l->src[0], s), s,
					ftz_form(w) && strcmp(s, "f32") == 0), w)
					       : (long double)value_int(l->src[0], s);
	if (strcmp(d, "f32") == 0) {
		mode_set(mode);
		volatile float r = (float)x;
		mode_set('n');
		l->dst = finish_f32(r, w);
	} else if (strcmp(d, "f64") == 0) {
		mode_set(mode);
		volatile double r = (double)x;
		mode_set('n');
		l->dst = finish_f64(r, w, l->src, strcmp(s, "f64") == 0);
		if (isnan(r) && strcmp(s, "f64") != 0 && !words_has(w, "sat"))
			l->dst = 0x7fffffffe0000000;
	} else {
		struct words plain = *w;
		if (words_has(w, "sat"))
			x = isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x;
		for (int i = 1; i < plain.count; i++)
			if (strcmp(plain.word[i], "ftz") == 0)
				plain.word[i] = (char *)"-";
		l->dst = finish_half(half_from(x, 0, d[0] == 'b', mode), &plain, d[0] == 'b');
	}
	return true;
}

/* ---- comparison ---- */

static bool compare(const char *cmp, uint64_t x, uint64_t y, const char *t, bool ftz)
{
	bool less, equal, unordered = false;
	const size_t n = strlen(cmp);

	if (type_float(t)) {
		const double a = flush(value_float(x, t), t, ftz), b = flush(value_float(y, t), t, ftz);
		less = a < b;
		equal = a == b;
		unordered = isnan(a) || isnan(b);
	} else {
		less = value_int(x, t) < value_int(y, t);
		equal = value_int(x, t) == value_int(y, t);
	}
	if (strcmp(cmp, "num") == 0 || strcmp(cmp, "nan") == 0)
		return (cmp[1] == 'a') == unordered;
	if (unordered)
		return n == 3;
	switch (cmp[0] << 8 | cmp[1]) {
	case 'e' << 8 | 'q':
		return equal;
	case 'n' << 8 | 'e':
		return !equal;
	case 'l' << 8 | 't':
		return less;
	case 'l' << 8 | 'e':
		return less || equal;
	case 'g' << 8 | 't':
		return !less && !equal;
	default:
		return !less;
	}
}

static bool combine(const struct words *w, bool p, bool bit)
{
	return words_has(w, "and") ? p && bit : words_has(w, "or") ? p || bit : words_has(w, "xor") ? p != bit : p;
}

static bool compare_form(const struct words *w, struct reference_lane *l)
{
	const char *s = w->word[w->count - 1], *d = w->word[w->count - 2];
	const bool is_set = strcmp(w->word[0], "set") == 0;
	const int at = words_has(w, "and") || words_has(w, "or") || words_has(w, "xor") ? 2 : 1;
	char t[8];

	strcpy(t, s);
	if (strstr(t, "x2"))
		*strstr(t, "x2") = 0;
	const bool p = combine(w, compare(w->word[at], l->src[0], l->src[1], t, ftz_form(w)), l->bit);
	if (!is_set) {
		l->mask = p;
		return true;
	}
	const bool is_short = type_bits(d) == 16 || strstr(s, "x2");
	const uint64_t one = d[0] == 'u' ? (is_short ? 0xffff : 0xffffffff) : d[0] == 'b' ? 0x3f80
			     : strcmp(d, "f32") == 0					 ? 0x3f800000 : 0x3c00;
	l->dst = p ? one : 0;
	if (strstr(s, "x2") &&
	    combine(w, compare(w->word[at], l->src[0] >> 16, l->src[1] >> 16, t, ftz_form(w)), l->bit))
		l->dst |= one << 16;
	return true;
}

static bool test_form(const struct words *w, struct reference_lane *l)
{
	const bool is_double = strcmp(w->word[2], "f64") == 0;
	const int c = is_double ? fpclassify(f64_of(l->src[0])) : fpclassify(f32_of(l->src[0]));
	const char *q = w->word[1];

	l->mask = strcmp(q, "finite") == 0	 ? c != FP_NAN && c != FP_INFINITE
		  : strcmp(q, "infinite") == 0	 ? c == FP_INFINITE
		  : strcmp(q, "number") == 0	 ? c != FP_NAN
		  : strcmp(q, "notanumber") == 0 ? c == FP_NAN
		  : strcmp(q, "normal") == 0	 ? c == FP_NORMAL
						 : c == FP_SUBNORMAL;
	return true;
}

bool reference_compute(const char *key, struct reference_lane *l)
{
	struct words w;

	l->skip = l->mask = false;
	l->dst = 0;
	if (reference_narrow(key, l))
		return true;
	words_split(&w, key);
	const char *op = w.word[0], *t = w.word[w.count - 1];

	if (strcmp(op, "cvt") == 0)
		return convert(&w, l);
	if (strcmp(op, "setp") == 0 || strcmp(op, "set") == 0)
		return compare_form(&w, l);
	if (strcmp(op, "testp") == 0)
		return test_form(&w, l);
	if (type_float(t) && strcmp(op, "slct") != 0) {
		const uint64_t sign = t[0] == 'f' && type_bits(t) == 64 ? 1ull << 63 : strstr(t, "x2") ? 0x80008000
				      : type_bits(t) == 16			       ? 0x8000 : 0x80000000;
		if (strcmp(op, "abs") == 0 || strcmp(op, "neg") == 0) {
			uint64_t x = l->src[0] & (type_bits(t) == 16 ? 0xffff : UINT64_MAX);
			if (ftz_form(&w) && strcmp(t, "f32") == 0 && !(x & 0x7f800000))
				x &= 0x80000000;
			if (ftz_form(&w) && strcmp(t, "f32") != 0)
				for (int at = 0; at < 32; at += 16)
					if (!(x >> at & 0x7c00))
						x &= ~(0x7fffull << at);
			l->dst = op[0] == 'a' ? x & ~sign : x ^ sign;
			return true;
		}
		if (strcmp(op, "copysign") == 0) {
			l->dst = (l->src[0] & sign) | (l->src[1] & ~sign);
			return true;
		}
		if (strcmp(op, "min") == 0 || strcmp(op, "max") == 0) {
			char one[8];
			strcpy(one, t);
			if (strstr(one, "x2"))
				*strstr(one, "x2") = 0;
			const uint64_t part = type_bits(one) == 16 ? 0xffff : UINT64_MAX;
			const uint64_t kept = words_has(&w, "abs") ? 0x7fffffff : part;
			if (words_has(&w, "three")) {
				l->dst = float_extreme(&w, l->src[1] & kept, l->src[2] & kept, one);
				l->dst = float_extreme(&w, l->src[0] & kept, l->dst, one);
				return true;
			}
			l->dst = float_extreme(&w, l->src[0] & part, l->src[1] & part, one);
			if (strstr(t, "x2"))
				l->dst |= float_extreme(&w, l->src[0] >> 16, l->src[1] >> 16, one) << 16;
			return true;
		}
		return float_arith(&w, l);
	}
	return reference_integer(op, (const char *const *)w.word, w.count, l);
}
