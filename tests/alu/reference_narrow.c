/* reference_narrow.c - floats of 8 and 6 bits by trying all codes, tf32 by arithmetic, szext and fns bit by bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static const struct format {
	const char *name;
	int digits, bias, sign_bit;
	uint32_t most, nan;
} formats[] = {
	{"e4m3x2", 3, 7, 7, 0x7e, 0x7f},
	{"e5m2x2", 2, 15, 7, 0x7b, 0x7f},
	{"e2m3x2", 3, 1, 5, 0x1f, 0x1f},
	{"e3m2x2", 2, 3, 5, 0x1f, 0x1f},
};

static double magnitude(const struct format *f, uint32_t code)
{
	const int exponent = (int)(code >> f->digits), fraction = (int)(code & ((1u << f->digits) - 1));

	if (strcmp(f->name, "e4m3x2") == 0 && code == 0x7f)
		return NAN;
	if (strcmp(f->name, "e5m2x2") == 0 && exponent == 31)
		return fraction ? NAN : INFINITY;
	return exponent ? ldexp((1 << f->digits) + fraction, exponent - f->bias - f->digits)
			: ldexp(fraction, 1 - f->bias - f->digits);
}

static double narrow(const struct format *f, uint32_t code)
{
	const double m = magnitude(f, code & ((1u << f->sign_bit) - 1));

	return code >> f->sign_bit & 1 ? -m : m;
}

/* The nearest code, the even one of two that are as near. */
static uint32_t nearest(const struct format *f, double x)
{
	const double size = fmin(fabs(x), magnitude(f, f->most));
	uint32_t best = 0;

	if (isnan(x))
		return f->nan;
	for (uint32_t code = 0; code <= f->most; code++) {
		const double new = fabs(magnitude(f, code) - size), old = fabs(magnitude(f, best) - size);

		if (new < old || (new == old && !(code & 1)))
			best = code;
	}
	return best | (uint32_t)!!signbit(x) << f->sign_bit;
}

static double f32_value(uint64_t bits)
{
	const uint32_t u = (uint32_t)bits;
	float v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

static double f16_value(uint64_t bits)
{
	const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
	const double m = exponent == 31 ? (fraction ? NAN : INFINITY)
			 : exponent	? ldexp(1024 + fraction, exponent - 25)
					: ldexp(fraction, -24);

	return bits & 0x8000 ? -m : m;
}

/* Of values that a half has. */
static uint32_t f16_bits(double x)
{
	const uint32_t sign = signbit(x) ? 0x8000 : 0;
	int exponent;
	const double m = frexp(fabs(x), &exponent);

	if (isnan(x))
		return 0x7fff;
	if (isinf(x))
		return sign | 0x7c00;
	if (x == 0 || exponent < -13)
		return sign | (uint32_t)ldexp(fabs(x), 24);
	return sign | (uint32_t)(exponent + 14) << 10 | (uint32_t)ldexp(m * 2 - 1, 10);
}

static double relu(double x, bool wanted)
{
	return wanted && x <= 0 ? 0 : x;
}

static bool narrow_form(const char *key, const struct format *f, struct reference_lane *l)
{
	const bool is_relu = strstr(key, "_relu") != NULL;

	if (strstr(key, "f16x2_e")) {
		l->dst = f16_bits(relu(narrow(f, l->src[0] & 0xff), is_relu)) |
			 (uint64_t)f16_bits(relu(narrow(f, l->src[0] >> 8 & 0xff), is_relu)) << 16;
		return true;
	}

	const bool from_f32 = strstr(key, "x2_f32") != NULL;
	const double high = from_f32 ? f32_value(l->src[0]) : f16_value(l->src[0] >> 16 & 0xffff);
	const double low = from_f32 ? f32_value(l->src[1]) : f16_value(l->src[0] & 0xffff);

	l->dst = nearest(f, relu(low, is_relu)) | nearest(f, relu(high, is_relu)) << 8;
	return true;
}

static bool tf32_form(const char *key, struct reference_lane *l)
{
	const double x = f32_value(l->src[0]), size = fabs(x);
	int exponent;

	frexp(size, &exponent);
	const double place = ldexp(1, (exponent < -125 ? -125 : exponent) - 11), q = size / place;
	const double r = (strstr(key, "_rna_") ? floor(q + 0.5) : strstr(key, "_rz_") ? floor(q) : rint(q)) * place;
	const double most = ldexp(2047, 117);
	const float v = (float)(isinf(x) || r > most ? (strstr(key, "satfinite") ? most : INFINITY) : r);
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	l->dst = isnan(x) ? 0x7fffffff : bits | (signbit(x) ? 0x80000000 : 0);
	if (strstr(key, "_relu") && !isnan(x) && signbit(x))
		l->dst = 0;
	return true;
}

static bool szext_form(const char *key, struct reference_lane *l)
{
	const uint32_t b = (uint32_t)l->src[1];
	const uint32_t n = strstr(key, "wrap") ? b % 32 : b > 32 ? 32 : b;
	uint32_t r = 0;

	for (uint32_t k = 0; k < 32 && n; k++) {
		const uint32_t from = k < n ? k : n - 1;

		if (k < n || strstr(key, "_s32"))
			r |= (uint32_t)(l->src[0] >> from & 1) << k;
	}
	l->dst = r;
	return true;
}

static bool fns_form(struct reference_lane *l)
{
	const uint32_t mask = (uint32_t)l->src[0];
	const int64_t offset = (int32_t)l->src[2], step = offset < 0 ? -1 : 1;
	int64_t count = llabs(offset) - 1;

	l->dst = UINT32_MAX;
	if (offset == 0) {
		if (l->src[1] < 32 && mask >> l->src[1] & 1)
			l->dst = l->src[1];
		return true;
	}
	for (int64_t at = (int64_t)l->src[1]; at >= 0 && at < 32; at += step) {
		if (!(mask >> at & 1))
			continue;
		if (count-- == 0) {
			l->dst = (uint64_t)at;
			break;
		}
	}
	return true;
}

bool reference_narrow(const char *key, struct reference_lane *l)
{
	if (strncmp(key, "szext", 5) == 0)
		return szext_form(key, l);
	if (strncmp(key, "fns", 3) == 0)
		return fns_form(l);
	if (strstr(key, "tf32"))
		return tf32_form(key, l);
	for (unsigned int k = 0; k < sizeof(formats) / sizeof(formats[0]); k++)
		if (strstr(key, formats[k].name))
			return narrow_form(key, &formats[k], l);
	return false;
}
