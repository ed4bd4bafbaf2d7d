/* reference_integer.c - the integer forms of the tables, bit by bit or in wide integers. */
#include "reference.h"

#include <stddef.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static int bits_of(const char *t)
{
	return t[1] == '8' ? 8 : t[1] == '1' ? 16 : t[1] == '3' ? 32 : 64;
}

static uint64_t low(wide v, int n)
{
	return (uint64_t)v & (n == 64 ? UINT64_MAX : (1ull << n) - 1);
}

static wide number(uint64_t bits, int n, bool is_signed)
{
	const uint64_t v = low((wide)bits, n);

	return is_signed && v >> (n - 1) & 1 ? (wide)v - ((wide)1 << n) : (wide)v;
}

static bool has(const char *const *word, int count, const char *what)
{
	for (int i = 1; i < count; i++)
		if (is(word[i], what))
			return true;
	return false;
}

/* Bit i of a word that goes on with its sign (or zeros) for ever. */
static uint64_t bit_at(uint64_t v, uint32_t i, uint32_t n, bool is_signed)
{
	return i < n ? v >> i & 1 : is_signed ? v >> (n - 1) & 1 : 0;
}

static wide clamp(wide v, wide least, wide most)
{
	return v < least ? least : v > most ? most : v;
}

/* add, sub, mul, mad and their carrying kin: the exact value, then the part asked for. */
static bool sums(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const char *t = word[count - 1];
	const int n = bits_of(t);
	const bool is_signed = t[0] == 's', chained = is(op, "addc") || is(op, "subc") || is(op, "madc");
	const bool cc = has(word, count, "cc"), hi = has(word, count, "hi");
	const bool product = is(op, "mul") || is(op, "mad") || is(op, "madc");
	const wide a = number(l->src[0], n, is_signed), b = number(l->src[1], n, is_signed);
	const int m = has(word, count, "wide") ? 2 * n : n;
	wide v, c = chained ? l->bit : 0;

	if (has(word, count, "sat") && !product) {
		v = clamp(is(op, "add") ? a + b : a - b, INT32_MIN, INT32_MAX);
		l->dst = low(v, n);
		return true;
	}
	if (!product) {
		v = op[0] == 'a' ? (wide)low(a, n) + (wide)low(b, n) + c : (wide)low(a, n) - (wide)low(b, n) - c;
		l->mask = cc && (op[0] == 'a' ? v >> n != 0 : v < 0);
	} else {
		const uwide exact = (uwide)a * (uwide)b;
		const uint64_t part = hi ? (is_signed ? low((wide)exact >> n, n) : low((wide)(exact >> n), n))
					 : low((wide)exact, m);
		const wide third = is(op, "mul") ? 0 : (wide)low((wide)l->src[2], m);
		if (has(word, count, "sat")) {
			v = clamp((wide)(int32_t)part + (int32_t)l->src[2], INT32_MIN, INT32_MAX);
			l->dst = low(v, 32);
			return true;
		}
		v = (wide)part + third + c;
		l->mask = cc && v >> m != 0;
	}
	l->dst = low(v, m);
	if (n == 16 && is_signed && m == 16 && l->dst >> 15)
		l->dst |= 0xffff0000;
	return true;
}

static bool product24(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const bool is_signed = word[count - 1][0] == 's';
	const wide p = number(l->src[0], 24, is_signed) * number(l->src[1], 24, is_signed);
	wide v = has(word, count, "hi") ? p >> 16 : p;

	if (has(word, count, "sat"))
		v = clamp(v + (int32_t)l->src[2], INT32_MIN, INT32_MAX);
	else if (is(op, "mad24"))
		v += (wide)l->src[2];
	l->dst = low(v, 32);
	return true;
}

static uint64_t extended(wide v, const char *t)
{
	const int n = bits_of(t);
	const uint64_t u = low(v, n);

	return n == 16 && t[0] == 's' && u >> 15 ? u | 0xffff0000 : u;
}

static bool divide(const char *op, const char *t, struct reference_lane *l)
{
	const int n = bits_of(t);
	const wide a = number(l->src[0], n, t[0] == 's'), b = number(l->src[1], n, t[0] == 's');
	const wide v = is(op, "div") ? (b ? a / b : -1) : (b ? a % b : a);

	l->dst = extended(v, t);
	return true;
}

static bool fields(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const char *t = word[count - 1];
	const uint32_t n = (uint32_t)bits_of(t);
	const bool is_signed = t[0] == 's';
	const uint64_t a = low((wide)l->src[0], (int)n), b = low((wide)l->src[1], (int)n);
	uint64_t r = 0;

	if (is(op, "bfe")) {
		const uint32_t pos = l->src[1] & 255, len = l->src[2] & 255;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t from = i < len ? pos + i : pos + len - 1;
			if (i < len || (is_signed && len))
				r |= bit_at(a, from, n, is_signed) << i;
		}
	} else if (is(op, "bfi")) {
		const uint32_t pos = l->src[2] & 255, len = l->src[3] & 255;
		r = b;
		for (uint32_t i = 0; i < len && pos + i < n; i++)
			r = (r & ~(1ull << (pos + i))) | (bit_at(a, i, n, false) << (pos + i));
	} else if (is(op, "bfind") || is(op, "clz")) {
		const uint64_t v = is_signed && a >> (n - 1) & 1 ? low((wide)~a, (int)n) : a;
		int at = (int)n - 1;
		while (at >= 0 && !(v >> at & 1))
			at--;
		r = is(op, "clz") || (has(word, count, "shiftamt") && at >= 0) ? n - 1 - (uint32_t)at : (uint32_t)at;
	} else if (is(op, "bmsk")) {
		const bool wrap = has(word, count, "wrap");
		const uint64_t pos = wrap ? a & 31 : a, len = wrap ? b & 31 : b;
		for (uint64_t i = 0; i < 32; i++)
			r |= (uint64_t)(i >= pos && i - pos < len) << i;
	} else if (is(op, "brev")) {
		for (uint32_t i = 0; i < n; i++)
			r |= (a >> i & 1) << (n - 1 - i);
	} else {
		for (uint32_t i = 0; i < n; i++)
			r += a >> i & 1;
	}
	l->dst = r;
	return true;
}

static bool shift(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const char *t = word[count - 1];
	const uint32_t n = (uint32_t)bits_of(t);
	uint64_t r = 0;

	if (is(op, "shf")) {
		uint32_t by = (uint32_t)l->src[2];
		by = has(word, count, "wrap") ? by & 31 : by > 32 ? 32 : by;
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t at = has(word, count, "l") ? 32 + i - by : i + by;
			r |= (at < 32 ? l->src[0] >> at & 1 : at < 64 ? l->src[1] >> (at - 32) & 1 : 0) << i;
		}
		l->dst = r;
		return true;
	}
	const uint64_t a = low((wide)l->src[0], (int)n), by = l->src[1];
	for (uint64_t i = 0; i < n; i++)
		r |= (is(op, "shl") ? (i >= by ? a >> (i - by) & 1 : 0)
				    : bit_at(a, i + by > 1000 ? 1000 : (uint32_t)(i + by), n, t[0] == 's'))
		     << i;
	l->dst = extended((wide)r, t);
	return true;
}

/* Result byte k takes byte pick[mode][n][k] of the eight; the tables of the PTX ISA, prmt. */
static bool permute(const char *mode, struct reference_lane *l)
{
	static const struct {
		const char *mode;
		uint16_t pick[4];
	} tables[] = {
		{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
		{"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
		{"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
	};
	uint8_t bytes[8];
	uint32_t pick = (uint32_t)l->src[2];

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		if (is(tables[i].mode, mode))
			pick = tables[i].pick[l->src[2] & 3];
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(l->src[i / 4] >> (8 * (i % 4)));
	for (int k = 0; k < 4; k++) {
		const uint32_t s = pick >> (4 * k) & 15;
		l->dst |= (uint64_t)(s & 8 ? (bytes[s & 7] >= 128 ? 255 : 0) : bytes[s]) << (8 * k);
	}
	return true;
}

static bool dots(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const bool a_signed = word[count - 2][0] == 's', b_signed = word[count - 1][0] == 's';
	const int parts = is(op, "dp4a") ? 4 : 2, n = 32 / parts, skip = has(word, count, "hi") ? 16 : 0;
	wide v = (wide)l->src[2];

	for (int k = 0; k < parts; k++)
		v += number(l->src[0] >> (n * k), n, a_signed) * number(l->src[1] >> (skip + 8 * k), 8, b_signed);
	l->dst = low(v, 32);
	return true;
}

static bool logic(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	if (is(op, "lop3")) {
		const bool pred = count > 2;
		const uint64_t table = pred ? l->src[3] : l->aux;
		for (int i = 0; i < 32; i++)
			l->dst |=
			    (table >> ((l->src[0] >> i & 1) << 2 | (l->src[1] >> i & 1) << 1 | (l->src[2] >> i & 1)) &
			     1)
			    << i;
		const bool p = l->dst != 0;
		l->mask = pred && (has(word, count, "and")  ? p && l->bit
				   : has(word, count, "or") ? p || l->bit
							    : p != l->bit);
		return true;
	}
	const int n = bits_of(word[count - 1]);
	const uint64_t a = l->src[0], b = l->src[1];

	l->dst = low((wide)(is(op, "and") ? a & b : is(op, "or") ? a | b : is(op, "xor") ? a ^ b : is(op, "not") ? ~a :
			    is(op, "cnot") ? low((wide)a, n) == 0 : a), n);
	return true;
}

static bool choose(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	if (is(op, "selp")) {
		l->dst = low((wide)(l->bit ? l->src[0] : l->src[1]), bits_of(word[count - 1]));
		return true;
	}
	const uint32_t c = (uint32_t)l->src[2];
	const bool nan = (c & 0x7fffffff) > 0x7f800000, ftz = has(word, count, "ftz");
	const bool zero = (c & 0x7fffffff) == 0 || (ftz && !(c & 0x7f800000));
	const bool first = is(word[count - 1], "f32") ? !nan && (zero || !(c >> 31)) : !(c >> 31);

	l->dst = low((wide)(first ? l->src[0] : l->src[1]), bits_of(word[count - 2]));
	return true;
}

static bool order(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const char *t = word[count - 1];
	const int n = bits_of(t);
	const wide a = number(l->src[0], n, t[0] == 's'), b = number(l->src[1], n, t[0] == 's');
	wide v = is(op, "min")   ? (a < b ? a : b)
		 : is(op, "max") ? (a > b ? a : b)
		 : is(op, "abs") ? (a < 0 ? -a : a)
				 : -a;

	if (is(op, "sad")) {
		l->dst = low((a < b ? b - a : a - b) + (wide)l->src[2], n);
		return true;
	}
	if (has(word, count, "relu") && v < 0)
		v = 0;
	l->dst = extended(v, t);
	return true;
}

/* Two lanes of 16 bits, each by itself. */
static bool pairs(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	const char *t = word[count - 1];

	for (int at = 0; at < 32; at += 16) {
		const wide a = number(l->src[0] >> at, 16, t[0] == 's'), b = number(l->src[1] >> at, 16, t[0] == 's');
		wide v = is(op, "add") ? a + b : (a < b) == is(op, "min") ? a : b;

		if (has(word, count, "relu"))
			v = clamp(v, 0, 0x7fff);
		l->dst |= low(v, 16) << at;
	}
	return true;
}

bool reference_integer(const char *op, const char *const *word, int count, struct reference_lane *l)
{
	static const struct {
		const char *ops;
		bool (*form)(const char *, const char *const *, int, struct reference_lane *);
	} kinds[] = {
		{" add sub addc subc mul mad madc ", sums}, {" mul24 mad24 ", product24},
		{" bfe bfi bfind clz bmsk brev popc ", fields}, {" shl shr shf ", shift}, {" dp2a dp4a ", dots},
		{" and or xor not cnot mov lop3 ", logic}, {" selp slct ", choose}, {" min max abs neg sad ", order},
	};
	char name[16] = " ";

	if (strstr(word[count - 1], "16x2"))
		return pairs(op, word, count, l);
	if (is(op, "div") || is(op, "rem"))
		return divide(op, word[count - 1], l);
	if (is(op, "prmt"))
		return permute(count == 3 ? word[1] : "", l);
	strcat(strcat(name, op), " ");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strstr(kinds[i].ops, name))
			return kinds[i].form(op, word, count, l);
	return false;
}
