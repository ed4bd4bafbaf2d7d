/* test_matrix.c - mma, wmma and their companions against references that follow the PTX manual's formulas: fragments'
 * places lane by lane, products of integers in 64 bits, those of floats in exact integers cut off as docs/execution.md
 * says. */
#include <math.h>

#include "rig.h"

static uint32_t random_state = 4711;

static uint32_t random_word(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 7 ^ random_state << 13;
}

/* ---- values ---- */

enum kind { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, S32 };
static const uint32_t bits_of_kind[] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 32};

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static double value(enum kind k, uint64_t v)
{
	const int e = v >> 10 & 31;
	const double sign = v >> 15 & 1 ? -1 : 1;

	switch (k) {
	case F16:
		return sign * (e ? ldexp((double)(1024 + (v & 1023)), e - 25) : ldexp((double)(v & 1023), -24));
	case BF16:
		return (double)float_of((uint32_t)v << 16);
	case TF32:
		return (double)float_of((uint32_t)v & ~0x1fffu);
	case F32:
		return (double)float_of((uint32_t)v);
	case F64:
		return double_of(v);
	case S8:
		return (int8_t)v;
	case S4:
		return (int)(v ^ 8) - 8;
	case S32:
		return (int32_t)v;
	default:
		return (double)v;
	}
}

/* Elements of small whole numbers, or of any exponent in a range of 20. */
static uint64_t random_element(enum kind k, bool is_small)
{
	const int n = (int)(random_word() % 17) - 8;
	const float f =
	    is_small ? (float)n : ldexpf((float)(int)(random_word() % 4097 - 2048u), (int)(random_word() % 20) - 12);
	const double d = is_small ? n : (double)(int)random_word() / 65536;
	uint32_t bits;
	uint64_t wide;

	memcpy(&bits, &f, sizeof(bits));
	memcpy(&wide, &d, sizeof(wide));
	switch (k) {
	case F16: {
		const uint32_t sign = random_word() & 0x8000;

		return is_small ? (n == 0 ? 0
					  : (uint64_t)((n < 0 ? 0x8000 : 0) | ((uint32_t)ilogb(abs(n)) + 15) << 10 |
						       (((uint32_t)abs(n) << (10 - ilogb(abs(n)))) & 1023)))
				: sign | (random_word() % 16 + 6) << 10 | (random_word() & 1023);
	}
	case BF16:
		return bits >> 16;
	case TF32:
	case F32:
		return bits;
	case F64:
		return wide;
	case S32:
		return is_small ? (uint32_t)n : random_word();
	default:
		return random_word() & ((1u << bits_of_kind[k]) - 1);
	}
}

/* ---- references of products ---- */

/* x cut off below the bit of weight 2^low, towards zero, in units of it. */
static __int128 cut(double x, int low)
{
	int e;
	const double fraction = frexp(x, &e);
	__int128 whole = (__int128)(int64_t)ldexp(fraction, 60);
	const int shift = low - (e - 60);

	if (x == 0 || shift > 120)
		return 0;
	return shift >= 0 ? (whole < 0 ? -(-whole >> shift) : whole >> shift) : whole << -shift;
}

/* The leading bit's weight. Of a product: the sum of its factors'. */
static int top_of(double x)
{
	return x == 0 ? -1000 : ilogb(x);
}

static double chop_float(double x)
{
	const double step = x == 0 ? 1 : ldexp(1, top_of(x) < -126 ? -149 : top_of(x) - 23);

	return trunc(x / step) * step;
}

/* To nearest even with 11 bits, subnormals included. */
static double round_half(double x)
{
	const double step = x == 0 ? 1 : ldexp(1, top_of(x) < -14 ? -24 : top_of(x) - 10);
	const double r = nearbyint(x / step) * step;

	return fabs(r) > 65504 ? copysign(INFINITY, r) : r;
}

static double float_reference(const double *a, const double *b, double c, uint32_t k, uint32_t block, bool is_half)
{
	for (uint32_t first = 0; first < k; first += block) {
		int top = top_of(c);
		__int128 sum;

		for (uint32_t i = first; i < first + block && i < k; i++)
			if (a[i] != 0 && b[i] != 0 && top_of(a[i]) + top_of(b[i]) > top)
				top = top_of(a[i]) + top_of(b[i]);
		if (top == -1000)
			continue;
		sum = cut(c, top - 24);
		for (uint32_t i = first; i < first + block && i < k; i++)
			sum += cut(a[i] * b[i], top - 24);
		c = ldexp((double)(int64_t)sum, top - 24);
		c = is_half ? round_half(c) : chop_float(c);
	}
	return c;
}

/* ---- mma ---- */

struct form {
	const char *text;
	uint32_t m, n, k;
	enum kind a, b, c, d;
	bool is_saturated, is_and;
};

static const struct form forms[] = {
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, F16, F16, F16, F16, 0, 0},
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16, F16, F32, F32, 0, 0},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16, F16, F16, F16, 0, 0},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16, F16, F32, F32, 0, 0},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, BF16, BF16, F32, F32, 0, 0},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, BF16, BF16, F32, F32, 0, 0},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, TF32, TF32, F32, F32, 0, 0},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32, TF32, F32, F32, 0, 0},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, F64, F64, F64, F64, 0, 0},
    {"m16n8k4.row.col.rn.f64.f64.f64.f64", 16, 8, 4, F64, F64, F64, F64, 0, 0},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, F64, F64, F64, F64, 0, 0},
    {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, F64, F64, F64, F64, 0, 0},
    {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, S8, S8, S32, S32, 0, 0},
    {"m8n8k16.row.col.satfinite.s32.u8.s8.s32", 8, 8, 16, U8, S8, S32, S32, 1, 0},
    {"m16n8k16.row.col.s32.s8.u8.s32", 16, 8, 16, S8, U8, S32, S32, 0, 0},
    {"m16n8k32.row.col.satfinite.s32.u8.u8.s32", 16, 8, 32, U8, U8, S32, S32, 1, 0},
    {"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, S8, S8, S32, S32, 0, 0},
    {"m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, S4, U4, S32, S32, 0, 0},
    {"m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, U4, S4, S32, S32, 0, 0},
    {"m16n8k64.row.col.satfinite.s32.s4.s4.s32", 16, 8, 64, S4, S4, S32, S32, 1, 0},
    {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, B1, B1, S32, S32, 0, 0},
    {"m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, B1, B1, S32, S32, 0, 1},
    {"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, B1, B1, S32, S32, 0, 0},
};

enum { LANE_WORDS = 64, B_WORD = 16, C_WORD = 32, D_WORD = 48, MATRIX_MAX = 4096 };

struct matrices {
	uint64_t a[MATRIX_MAX], b[MATRIX_MAX], c[MATRIX_MAX], d[MATRIX_MAX]; /* a[row][k], b[column][k] */
};

static void element_set(uint32_t *lane_words, enum kind k, uint32_t i, uint64_t v)
{
	const uint32_t bits = bits_of_kind[k], at = i * bits;

	if (bits == 64) {
		memcpy(lane_words + 2 * i, &v, sizeof(v));
		return;
	}
	const uint32_t keep = bits == 32 ? 0 : ~(((1u << bits) - 1) << at % 32);

	lane_words[at / 32] = (lane_words[at / 32] & keep) | (uint32_t)v << at % 32;
}

static uint64_t element_get(const uint32_t *lane_words, enum kind k, uint32_t i)
{
	const uint32_t bits = bits_of_kind[k], at = i * bits;
	uint64_t v;

	if (bits == 64) {
		memcpy(&v, lane_words + 2 * i, sizeof(v));
		return v;
	}
	return lane_words[at / 32] >> at % 32 & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

/* The manual's figures: groupID is lane / 4, threadID_in_group lane % 4. */
static void place_factor(const struct form *f, enum kind kind, uint32_t rows, uint32_t lane, uint32_t i, uint32_t *row,
			 uint32_t *column)
{
	const uint32_t unit = bits_of_kind[kind] >= 32 ? 1 : 32 / bits_of_kind[kind], reg = i / unit;

	(void)f;
	*row = lane / 4 + (rows == 16 && reg % 2 ? 8 : 0);
	*column = lane % 4 * unit + i % unit + (rows == 16 ? reg / 2 : reg) * 4 * unit;
}

static void place_accumulator(uint32_t lane, uint32_t i, uint32_t *row, uint32_t *column)
{
	*row = lane / 4 + (i >= 2 ? 8 : 0);
	*column = lane % 4 * 2 + i % 2;
}

static uint64_t reference(const struct form *f, const struct matrices *x, uint32_t row, uint32_t column)
{
	const uint64_t *a = x->a + row * f->k, *b = x->b + column * f->k, c = x->c[row * f->n + column];
	double va[256], vb[256], sum;
	float narrow;
	uint64_t bits = 0;

	if (f->d == S32) {
		int64_t total = (int32_t)c;

		for (uint32_t k = 0; k < f->k; k++)
			total += f->a == B1 ? (int64_t)(f->is_and ? a[k] & b[k] : a[k] ^ b[k])
					    : (int64_t)value(f->a, a[k]) * (int64_t)value(f->b, b[k]);
		if (f->is_saturated)
			total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
		return (uint32_t)total;
	}
	for (uint32_t k = 0; k < f->k; k++) {
		va[k] = value(f->a, a[k]);
		vb[k] = value(f->b, b[k]);
	}
	sum = value(f->c, c);
	if (f->d == F64) {
		for (uint32_t k = 0; k < f->k; k++)
			sum = fma(va[k], vb[k], sum);
		memcpy(&bits, &sum, sizeof(sum));
		return bits;
	}
	sum = float_reference(va, vb, sum, f->k, f->a == TF32 ? 4 : 8, f->d == F16);
	narrow = (float)sum;
	memcpy(&bits, &narrow, sizeof(narrow));
	return bits;
}

/* A result as a number that reference() gives too: halves as floats. */
static uint64_t result(enum kind d, uint64_t v)
{
	const float f = (float)value(d, v);
	uint32_t bits;

	if (d != F16)
		return v;
	memcpy(&bits, &f, sizeof(bits));
	return (v & 0x7fff) == 0x7c00 ? 0x7f800000u | (uint32_t)(v & 0x8000) << 16 : bits;
}

static void list_registers(char *text, const char *stem, uint32_t count)
{
	text += sprintf(text, "{");
	for (uint32_t k = 0; k < count; k++)
		text += sprintf(text, "%s%s%u", k ? "," : "", stem, k);
	sprintf(text, "}");
}

/* Loads or stores count registers at word `word` of the lane's part. */
static char *move_registers(char *text, bool is_load, const char *stem, uint32_t count, uint32_t word, bool is_wide)
{
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t at = (word + k * (is_wide ? 2 : 1)) * 4;

		text += is_load ? sprintf(text, "ld.global.b%d %s%u, [%%lane+%u];\n", is_wide ? 64 : 32, stem, k, at)
				: sprintf(text, "st.global.b%d [%%lane+%u], %s%u;\n", is_wide ? 64 : 32, at, stem, k);
	}
	return text;
}

static uint32_t register_count(uint32_t rows, uint32_t columns, enum kind k)
{
	const uint32_t count = rows * columns * bits_of_kind[k] / 32 / (k == F64 ? 64 : 32);

	return count;
}

/* op A, B, C from and to the lanes' words, with so many registers. */
static char *product_text(const char *op, const uint32_t *counts, bool is_wide)
{
	static char text[16384];
	char a[128], b[128], c[128], d[128], *at = text;
	static const char *const declare[] = {".b32", ".b64"};

	list_registers(a, "%xa", counts[0]);
	list_registers(b, "%xb", counts[1]);
	list_registers(c, "%xc", counts[2]);
	list_registers(d, "%xd", counts[3]);
	at += sprintf(at,
		      RIG_HEAD ".visible .entry k(.param .u64 out)\n{\n.reg %s %%xa<9>, %%xb<9>, %%xc<9>, %%xd<9>;\n"
			       ".reg .b32 %%t; .reg .b64 %%out, %%lane;\nld.param.u64 %%out, [out]; mov.u32 %%t, "
			       "%%tid.x;\nmad.wide.u32 %%lane, %%t, %d, %%out;\n",
		      declare[is_wide], LANE_WORDS * 4);
	at = move_registers(at, true, "%xa", counts[0], 0, is_wide);
	at = move_registers(at, true, "%xb", counts[1], B_WORD, is_wide);
	at = move_registers(at, true, "%xc", counts[2], C_WORD, is_wide);
	at += sprintf(at, "%s %s, %s, %s, %s;\n", op, d, a, b, c);
	at = move_registers(at, false, "%xd", counts[3], D_WORD, is_wide);
	sprintf(at, "ret;\n}\n");
	return text;
}

static void fill(const struct form *f, struct matrices *x, bool is_small)
{
	for (uint32_t i = 0; i < f->m * f->k; i++)
		x->a[i] = random_element(f->a, is_small);
	for (uint32_t i = 0; i < f->n * f->k; i++)
		x->b[i] = random_element(f->b, is_small);
	for (uint32_t i = 0; i < f->m * f->n; i++)
		x->c[i] = f->is_saturated && i % 2 ? (i % 4 == 1 ? INT32_MAX : (uint32_t)INT32_MIN)
						   : random_element(f->c, is_small);
}

static void hand_out(const struct form *f, const struct matrices *x, uint32_t *words)
{
	uint32_t row, column;

	for (uint32_t lane = 0; lane < 32; lane++) {
		uint32_t *mine = words + lane * LANE_WORDS;

		for (uint32_t i = 0; i < f->m * f->k / 32; i++) {
			place_factor(f, f->a, f->m, lane, i, &row, &column);
			element_set(mine, f->a, i, x->a[row * f->k + column]);
		}
		for (uint32_t i = 0; i < f->n * f->k / 32; i++) {
			place_factor(f, f->b, 8, lane, i, &row, &column);
			element_set(mine + B_WORD, f->b, i, x->b[row * f->k + column]);
		}
		for (uint32_t i = 0; i < f->m * f->n / 32; i++) {
			place_accumulator(lane, i, &row, &column);
			element_set(mine + C_WORD, f->c, i, x->c[row * f->n + column]);
		}
	}
}

static void compare(const struct form *f, const struct matrices *x, const uint32_t *words)
{
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t i = 0; i < f->m * f->n / 32; i++) {
			uint32_t row, column;

			place_accumulator(lane, i, &row, &column);
			const uint64_t got = result(f->d, element_get(words + lane * LANE_WORDS + D_WORD, f->d, i));
			const uint64_t want = reference(f, x, row, column);

			if (got != want && !(f->d != S32 && f->d != F64 && !((got | want) << 33 >> 33)))
				fail_msg("%s: D[%u][%u] is 0x%llx, expected 0x%llx", f->text, row, column,
					 (unsigned long long)got, (unsigned long long)want);
		}
}

static void test_mma(void **state)
{
	static struct matrices x;

	(void)state;
	for (uint32_t n = 0; n < sizeof(forms) / sizeof(forms[0]); n++) {
		const struct form *f = &forms[n];
		const uint32_t counts[] = {register_count(f->m, f->k, f->a), register_count(f->n, f->k, f->b),
					   register_count(f->m, f->n, f->c), register_count(f->m, f->n, f->d)};
		char op[128];

		snprintf(op, sizeof(op), "mma.sync.aligned.%s", f->text);
		for (uint32_t round = 0; round < 6; round++) {
			struct rig r;

			rig_open(&r, product_text(op, counts, f->a == F64));
			assert_true(rig_build(&r, "k"));
			fill(f, &x, round % 2);
			hand_out(f, &x, r.words);
			assert_true(rig_run(&r, NULL, 1, 32, &r.out, 1));
			compare(f, &x, r.words);
			rig_close(&r);
		}
	}
}

/* ---- mma.m8n8k4 of f16: four products ---- */

static void quad_test(bool a_row, bool b_row, enum kind c, enum kind d)
{
	uint64_t a[4][8][4], b[4][8][4], start[4][8][8];
	const uint32_t counts[] = {2, 2, c == F16 ? 4 : 8, d == F16 ? 4 : 8};
	char op[128];
	struct rig r;

	snprintf(op, sizeof(op), "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", a_row ? "row" : "col",
		 b_row ? "row" : "col", d == F16 ? "f16" : "f32", c == F16 ? "f16" : "f32");
	rig_open(&r, product_text(op, counts, false));
	assert_true(rig_build(&r, "k"));
	for (uint32_t i = 0; i < 128; i++) {
		(&a[0][0][0])[i] = random_element(F16, true);
		(&b[0][0][0])[i] = random_element(F16, true);
	}
	for (uint32_t i = 0; i < 256; i++)
		(&start[0][0][0])[i] = random_element(c, true);
#define ROW_OF(type) (type == F16 ? lane % 4 + high : (lane & 1) + (i & 2) + high)
#define COLUMN_OF(type) (type == F16 ? i : (i & 4) + (lane & 2) + (i & 1))
	for (uint32_t lane = 0; lane < 32; lane++) {
		const uint32_t q = lane % 16 / 4, high = lane >= 16 ? 4 : 0;
		uint32_t *mine = r.words + lane * LANE_WORDS;

		for (uint32_t i = 0; i < 4; i++) {
			element_set(mine, F16, i, a_row ? a[q][lane % 4 + high][i] : a[q][i + high][lane % 4]);
			element_set(mine + B_WORD, F16, i, b_row ? b[q][i + high][lane % 4] : b[q][lane % 4 + high][i]);
		}
		for (uint32_t i = 0; i < 8; i++)
			element_set(mine + C_WORD, c, i, start[q][ROW_OF(c)][COLUMN_OF(c)]);
	}
	assert_true(rig_run(&r, NULL, 1, 32, &r.out, 1));
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t i = 0; i < 8; i++) {
			const uint32_t q = lane % 16 / 4, high = lane >= 16 ? 4 : 0;
			const uint32_t row = ROW_OF(d), column = COLUMN_OF(d);
			double sum = value(c, start[q][row][column]);

			for (uint32_t k = 0; k < 4; k++)
				sum += value(F16, a[q][row][k]) * value(F16, b[q][column][k]);
			assert_true(value(d, element_get(r.words + lane * LANE_WORDS + D_WORD, d, i)) == sum);
		}
	rig_close(&r);
}

static void test_quads(void **state)
{
	(void)state;
	for (uint32_t layouts = 0; layouts < 4; layouts++) {
		quad_test(layouts & 1, layouts & 2, F16, F16);
		quad_test(layouts & 1, layouts & 2, F32, F32);
		quad_test(layouts & 1, layouts & 2, F16, F32);
	}
}

/* ---- wmma ---- */

struct wmma {
	const char *shape, *a_name, *b_name, *c_name, *d_name, *types;
	uint32_t m, n, k;
	enum kind a, b, c, d;
};

static const struct wmma wmmas[] = {
    {"m16n16k16", "f16", "f16", "f32", "f32", "f32.f32", 16, 16, 16, F16, F16, F32, F32},
    {"m16n16k16", "f16", "f16", "f16", "f32", "f32.f16", 16, 16, 16, F16, F16, F16, F32},
    {"m32n8k16", "f16", "f16", "f32", "f16", "f16.f32", 32, 8, 16, F16, F16, F32, F16},
    {"m8n32k16", "f16", "f16", "f16", "f16", "f16.f16", 8, 32, 16, F16, F16, F16, F16},
    {"m16n16k16", "bf16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", 16, 16, 16, BF16, BF16, F32, F32},
    {"m32n8k16", "bf16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", 32, 8, 16, BF16, BF16, F32, F32},
    {"m8n32k16", "bf16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", 8, 32, 16, BF16, BF16, F32, F32},
    {"m16n16k8", "tf32", "tf32", "f32", "f32", "f32.tf32.tf32.f32", 16, 16, 8, TF32, TF32, F32, F32},
    {"m8n8k4", "f64", "f64", "f64", "f64", "f64.f64.f64.f64", 8, 8, 4, F64, F64, F64, F64},
    {"m16n16k16", "s8", "s8", "s32", "s32", "s32.s8.s8.s32", 16, 16, 16, S8, S8, S32, S32},
    {"m32n8k16", "u8", "u8", "s32", "s32", "s32.u8.u8.s32", 32, 8, 16, U8, U8, S32, S32},
    {"m8n32k16", "s8", "s8", "s32", "s32", "s32.s8.s8.s32", 8, 32, 16, S8, S8, S32, S32},
    {"m8n8k32", "s4", "s4", "s32", "s32", "s32.s4.s4.s32", 8, 8, 32, S4, S4, S32, S32},
    {"m8n8k32", "u4", "u4", "s32", "s32", "s32.u4.u4.s32", 8, 8, 32, U4, U4, S32, S32},
    {"m8n8k128", "b1", "b1", "s32", "s32", "s32.b1.b1.s32", 8, 8, 128, B1, B1, S32, S32},
};

enum { A_AT = 0, B_AT = 4096, C_AT = 8192, D_AT = 12288 }; /* bytes in the buffer, and in shared memory */

static uint32_t fragment_registers(enum kind k, uint32_t elements, bool is_factor)
{
	return k == F16 && is_factor ? 8 : elements * bits_of_kind[k] / 32 / (k == F64 ? 64 : 32);
}

/* Element (row, column) of a matrix with so many elements from line to line. */
static void memory_set(uint8_t *at, enum kind k, uint32_t i, uint64_t v)
{
	uint32_t word[2] = {0};
	const uint32_t bits = bits_of_kind[k];

	if (bits >= 8) {
		memcpy(at + i * bits / 8, &v, bits / 8);
		return;
	}
	memcpy(word, at + i * bits / 32 * 4, 4);
	element_set(word, k, i % (32 / bits), v);
	memcpy(at + i * bits / 32 * 4, word, 4);
}

static uint64_t memory_get(const uint8_t *at, enum kind k, uint32_t i)
{
	uint64_t v = 0;

	memcpy(&v, at + i * bits_of_kind[k] / 8, bits_of_kind[k] / 8);
	return v;
}

static const char *wmma_text(const struct wmma *w, bool a_row, bool b_row, bool c_row, const uint32_t *strides,
			     bool is_shared)
{
	static char text[16384];
	char a[128], b[128], c[128], d[128], *at = text;
	const bool is_wide = w->a == F64;
	const char *space = is_shared ? ".shared" : "";

	list_registers(a, "%xa", fragment_registers(w->a, w->m * w->k, true));
	list_registers(b, "%xb", fragment_registers(w->b, w->n * w->k, true));
	list_registers(c, "%xc", fragment_registers(w->c, w->m * w->n, false));
	list_registers(d, "%xd", fragment_registers(w->d, w->m * w->n, false));
	at +=
	    sprintf(at,
		    RIG_HEAD ".visible .entry k(.param .u64 out)\n{\n.shared .align 32 .b8 s[16384];\n"
			     ".reg .b%d %%xa<9>, %%xb<9>, %%xc<9>, %%xd<9>; .reg .pred %%p; .reg .b32 %%t, %%v, %%i;\n"
			     ".reg .b64 %%out, %%from, %%base;\nld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n",
		    is_wide ? 64 : 32);
	if (is_shared)
		at += sprintf(at, "mov.u32 %%i, %%t;\nL: mul.wide.u32 %%from, %%i, 4; mov.u64 %%base, s;\n"
				  "add.u64 %%base, %%base, %%from; add.u64 %%from, %%from, %%out;\n"
				  "ld.global.u32 %%v, [%%from]; st.shared.u32 [%%base], %%v;\n"
				  "add.u32 %%i, %%i, 32; setp.lt.u32 %%p, %%i, 4096;\n"
				  "@%%p bra L; bar.sync 0; mov.u64 %%base, s;\n");
	else
		at += sprintf(at, "mov.u64 %%base, %%out;\n");
	at += sprintf(at, "wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%%base+%d], %u;\n", a_row ? "row" : "col", w->shape,
		      space, w->a_name, a, A_AT, strides[0]);
	at += sprintf(at, "wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%%base+%d], %u;\n", b_row ? "row" : "col", w->shape,
		      space, w->b_name, b, B_AT, strides[1]);
	at += sprintf(at, "wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%%base+%d], %u;\n", c_row ? "row" : "col", w->shape,
		      space, w->c_name, c, C_AT, strides[2]);
	at += sprintf(at, "wmma.mma%s.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n", w->a == B1 ? ".xor.popc" : "",
		      a_row ? "row" : "col", b_row ? "row" : "col", w->shape, w->types, d, a, b, c);
	sprintf(at, "wmma.store.d.sync.aligned.%s.%s.global.%s [%%out+%d], %s, %u;\nret;\n}\n", c_row ? "row" : "col",
		w->shape, w->d_name, D_AT, d, strides[3]);
	return text;
}

static void wmma_test(const struct wmma *w, bool a_row, bool b_row, bool c_row, bool is_shared, uint32_t extra)
{
	static struct matrices x;
	const struct form f = {w->types, w->m, w->n, w->k, w->a, w->b, w->c, w->d, false, false};
	const uint32_t pad = w->a == B1 ? 128 * extra : w->a == S4 || w->a == U4 ? 32 * extra : 16 * extra;
	const uint32_t strides[] = {(a_row ? w->k : w->m) + pad, (b_row ? w->n : w->k) + pad,
				    (c_row ? w->n : w->m) + 16 * extra, (c_row ? w->n : w->m) + 16 * extra};
	struct rig r;

	rig_open(&r, wmma_text(w, a_row, b_row, c_row, strides, is_shared));
	assert_true(rig_build(&r, "k"));
	fill(&f, &x, true);
	uint8_t *at = (uint8_t *)r.words;

	for (uint32_t i = 0; i < w->m; i++)
		for (uint32_t k = 0; k < w->k; k++)
			memory_set(at + A_AT, w->a, a_row ? i * strides[0] + k : k * strides[0] + i, x.a[i * w->k + k]);
	for (uint32_t j = 0; j < w->n; j++)
		for (uint32_t k = 0; k < w->k; k++)
			memory_set(at + B_AT, w->b, b_row ? k * strides[1] + j : j * strides[1] + k, x.b[j * w->k + k]);
	for (uint32_t i = 0; i < w->m; i++)
		for (uint32_t j = 0; j < w->n; j++)
			memory_set(at + C_AT, w->c, c_row ? i * strides[2] + j : j * strides[2] + i, x.c[i * w->n + j]);
	assert_true(rig_run(&r, NULL, 1, 32, &r.out, 1));
	for (uint32_t i = 0; i < w->m; i++)
		for (uint32_t j = 0; j < w->n; j++) {
			const uint32_t index = c_row ? i * strides[3] + j : j * strides[3] + i;
			const uint64_t got = result(w->d, memory_get(at + D_AT, w->d, index));

			if (got != reference(&f, &x, i, j) && (got | reference(&f, &x, i, j)) << 33)
				fail_msg("wmma %s %s: D[%u][%u] is 0x%llx, expected 0x%llx", w->shape, w->types, i, j,
					 (unsigned long long)got, (unsigned long long)reference(&f, &x, i, j));
		}
	rig_close(&r);
}

static void test_wmma(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < sizeof(wmmas) / sizeof(wmmas[0]); n++) {
		const struct wmma *w = &wmmas[n];
		const bool is_narrow = bits_of_kind[w->a] < 8;

		for (uint32_t layouts = 0; layouts < 8; layouts++)
			if (!is_narrow || (layouts & 3) == 1)
				wmma_test(w, layouts & 1, layouts & 2, layouts & 4, layouts % 3 == 1, layouts % 2);
	}
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void test_8x8(void **state)
{
	struct rig r;
	static const char text[] = RIG_KERNEL(
	    ".shared .align 16 .b8 s[2048]; mov.u32 %r1, s; mad.lo.u32 %r2, %t, 16, %r1;\n"
	    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%out]; mad.wide.u32 %rd1, %t, 16, %out;\n"
	    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1]; st.shared.v4.u32 [%r2], {%r10, %r11, %r12, %r13};\n"
	    "bar.warp.sync -1;\n"
	    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\n"
	    "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r2];\n"
	    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r16}, [%r2];\n"
	    "movmatrix.sync.aligned.m8n8.trans.b16 %r17, %r10;\n"
	    "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r2+1024], {%r10, %r11, %r12, %r13};\n"
	    "bar.warp.sync -1; ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r2+1024];\n"
	    "mad.wide.u32 %rd1, %t, 64, %out; add.u64 %rd1, %rd1, 4096;\n"
	    "st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13}; st.global.v4.u32 [%rd1+16], {%r14, %r15, %r16, %r17};\n"
	    "st.global.v4.u32 [%rd1+32], {%r20, %r21, %r22, %r23};");
	uint16_t matrix[4][8][8];

	(void)state;
	rig_open(&r, text);
	assert_true(rig_build(&r, "k"));
	for (uint32_t i = 0; i < 256; i++)
		(&matrix[0][0][0])[i] = (uint16_t)random_word();
	memcpy(r.words, matrix, sizeof(matrix));
	assert_true(rig_run(&r, NULL, 1, 32, &r.out, 1));
	for (uint32_t lane = 0; lane < 32; lane++) {
		const uint32_t *got = r.words + 1024 + lane * 16, row = lane / 4, pair = lane % 4 * 2;

		for (uint32_t n = 0; n < 4; n++) {
			assert_int_equal(got[n], matrix[n][row][pair] | (uint32_t)matrix[n][row][pair + 1] << 16);
			if (n < 2)
				assert_int_equal(got[4 + n],
						 matrix[n][pair][row] | (uint32_t)matrix[n][pair + 1][row] << 16);
		}
		assert_int_equal(got[6], got[0]);
		assert_int_equal(got[7], got[4]);
		/* Row `lane` of the transposed matrices. */
		for (uint32_t c = 0; c < 8; c++)
			assert_int_equal(got[8 + c / 2] >> 16 * (c % 2) & 0xffff, matrix[lane / 8][c][lane % 8]);
	}
	rig_close(&r);
}

/* ---- asynchronous copies ---- */

static void test_copies(void **state)
{
	struct rig r;
	static const char text[] = RIG_KERNEL(
	    ".shared .align 16 .b8 s[2048]; mov.u32 %r1, s; mad.lo.u32 %r2, %t, 64, %r1; mad.wide.u32 %rd1, %t, 64, "
	    "%out;\n"
	    "mov.u32 %r9, -1; st.shared.v4.u32 [%r2], {%r9, %r9, %r9, %r9}; st.shared.v4.u32 [%r2+16], {%r9, %r9, %r9, "
	    "%r9};\n"
	    "st.shared.v4.u32 [%r2+32], {%r9, %r9, %r9, %r9}; st.shared.v4.u32 [%r2+48], {%r9, %r9, %r9, %r9};\n"
	    "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.ca.shared.global [%r2+8], [%rd1+8], 8;\n"
	    "cp.async.commit_group; and.b32 %r3, %t, 15; setp.lt.u32 %p1, %t, 20;\n"
	    "cp.async.cg.shared.global.L2::128B [%r2+16], [%rd1+16], 16;\n"
	    "cp.async.ca.shared.global [%r2+32], [%rd1+32], 16, %r3;\n"
	    "cp.async.cg.shared.global [%r2+48], [%rd1+48], 16, %p1;\n"
	    "cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;\n"
	    "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2]; st.global.v4.u32 [%rd1+2048], {%r10, %r11, %r12, "
	    "%r13};\n"
	    "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2+16]; st.global.v4.u32 [%rd1+2064], {%r10, %r11, %r12, "
	    "%r13};\n"
	    "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2+32]; st.global.v4.u32 [%rd1+2080], {%r10, %r11, %r12, "
	    "%r13};\n"
	    "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2+48]; st.global.v4.u32 [%rd1+2096], {%r10, %r11, %r12, "
	    "%r13};");

	(void)state;
	rig_open(&r, text);
	assert_true(rig_build(&r, "k"));
	for (uint32_t i = 0; i < 512; i++)
		r.words[i] = random_word();
	assert_true(rig_run(&r, NULL, 1, 32, &r.out, 1));
	for (uint32_t lane = 0; lane < 32; lane++) {
		const uint8_t *from = (const uint8_t *)(r.words + lane * 16);
		uint8_t want[64];

		memset(want, 0xff, sizeof(want));
		memcpy(want, from, 4);
		memcpy(want + 8, from + 8, 8);
		memcpy(want + 16, from + 16, 16);
		memset(want + 32, 0, 32);
		memcpy(want + 32, from + 32, lane % 16);
		if (lane >= 20)
			memcpy(want + 48, from + 48, 16);
		assert_memory_equal(r.words + 512 + lane * 16, want, sizeof(want));
	}
	rig_close(&r);
}

/* Two warps hand a value over through an object: 64 arrivals a phase, then one thread less. */
static void test_mbarrier(void **state)
{
	struct rig r;
	static const char text[] = RIG_KERNEL(
	    ".shared .align 8 .b64 m; .shared .align 4 .b32 v[64]; mov.u32 %r1, m; mov.u32 %r2, v;\n"
	    "setp.ne.u32 %p1, %t, 0; @%p1 bra INITED; mbarrier.init.shared.b64 [%r1], 64;\nINITED: bar.sync 0;\n"
	    "mad.lo.u32 %r3, %t, 4, %r2; st.shared.u32 [%r3], %t;\n"
	    "mbarrier.arrive.shared.b64 %rd1, [%r1]; mbarrier.pending_count.b64 %r5, %rd1; setp.eq.u32 %p4, %r5, 0;\n"
	    "@%p4 trap; setp.gt.u32 %p4, %r5, 64; @%p4 trap;\n"
	    "W1: mbarrier.test_wait.shared.b64 %p2, [%r1], %rd1; @!%p2 bra W1;\n"
	    "sub.u32 %r4, 63, %t; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r6, [%r4];\n"
	    "mbarrier.arrive.shared.b64 _, [%r1], 1;\nW2: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 1; @!%p2 bra "
	    "W2;\n"
	    "setp.eq.u32 %p3, %t, 5; @%p3 mbarrier.arrive_drop.shared.b64 %rd2, [%r1];\n"
	    "@!%p3 mbarrier.arrive.shared.b64 %rd2, [%r1];\nW3: mbarrier.test_wait.shared.b64 %p2, [%r1], %rd2; @!%p2 "
	    "bra W3;\n"
	    "@%p3 bra DONE; cp.async.mbarrier.arrive.shared.b64 [%r1]; cp.async.mbarrier.arrive.noinc.shared.b64 "
	    "[%r1];\n"
	    "W4: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 1; @!%p2 bra W4;\nDONE: st.global.u32 [%at], %r6;");

	(void)state;
	rig_check(&r, text, 1, 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(r.words[i], 63 - i);
	rig_close(&r);
}

/* Copies of 1040 and 16 bytes by two threads at once, and of none, told to an object that expects some of the bytes
 * before they are copied and some after; what is copied goes back to elsewhere. 1056 bytes: words 0 to 263. */
static void test_bulk(void **state)
{
	struct rig r;
	static const char text[] = RIG_KERNEL(
	    ".shared .align 8 .b64 m; .shared .align 16 .b32 v[512]; mov.u32 %r1, m; mov.u32 %r2, v;\n"
	    "L0: mad.lo.u32 %r3, %t, 4, 0; setp.lt.u32 %p1, %t, 264; st.global.u32 [%at], %t;\n"
	    "setp.ne.u32 %p2, %t, 0; @%p2 bra INITED; mbarrier.init.shared.b64 [%r1], 320;\n"
	    "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1000; INITED: bar.sync 0;\n"
	    "setp.ge.u32 %p3, %t, 3; @%p3 bra COPIED;\n"
	    "setp.eq.u32 %p4, %t, 0; selp.u32 %r4, 1040, 16, %p4; setp.eq.u32 %p5, %t, 2; selp.u32 %r4, 0, %r4, %p5;\n"
	    "selp.u32 %r5, 0, 1040, %p4; add.u32 %r6, %r2, %r5; cvt.u64.u32 %rd1, %r5; add.u64 %rd1, %out, %rd1;\n"
	    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd1], %r4, [%r1];\n"
	    "COPIED: @%p2 bra OTHERS; mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r1], 72;\n"
	    "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 16; bra W;\n"
	    "OTHERS: mbarrier.arrive.shared.b64 %rd2, [%r1];\n"
	    "W: mbarrier.try_wait.shared.b64 %p6, [%r1], %rd2; @!%p6 bra W;\n"
	    "@!%p1 bra ADDED; add.u32 %r3, %r3, %r2; ld.shared.u32 %r7, [%r3]; add.u32 %r7, %r7, 1000;\n"
	    "st.shared.u32 [%r3], %r7; ADDED: fence.proxy.async.shared::cta; bar.sync 0; @%p2 bra DONE;\n"
	    "cp.async.bulk.global.shared::cta.bulk_group [%out+4096], [%r2], 1056; cp.async.bulk.commit_group;\n"
	    "cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; DONE:");

	(void)state;
	rig_check(&r, text, 1, 320);
	for (uint32_t i = 0; i < 264; i++)
		assert_int_equal(r.words[1024 + i], 1000 + i);
	assert_int_equal(r.words[1024 + 264], 0);
	rig_close(&r);
}

/* A phase does not end while bytes are expected, however many have arrived. */
static void test_expected_bytes(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL(".shared .align 8 .b64 m; mov.u32 %r1, m; mbarrier.init.shared.b64 [%r1], 1;\n"
			     "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 32;\n"
			     "mbarrier.arrive.shared.b64 %rd1, [%r1];\n"
			     "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1; selp.u32 %r2, 1, 0, %p1;\n"
			     "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 16;\n"
			     "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1; selp.u32 %r3, 10, 0, %p1;\n"
			     "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 16;\n"
			     "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1; selp.u32 %r4, 100, 0, %p1;\n"
			     "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%at], %r2;"),
		  1, 1);
	assert_int_equal(r.words[0], 100);
	rig_close(&r);
}

/* ---- mistakes ---- */

static void test_faults(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r,
			RIG_KERNEL(".shared .align 32 .b8 s[512]; mov.u32 %r1, s;\n"
				   "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
				   "{%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%r1], 240;"),
			1, 32, SIMT_FAULT_ADDRESS);
	rig_close(&r);
	rig_check_fault(&r,
			RIG_KERNEL(".shared .align 32 .b8 s[1024]; mov.u32 %r1, s;\n"
				   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+8];"),
			1, 32, SIMT_FAULT_ALIGNMENT);
	rig_close(&r);
	rig_check_fault(&r,
			RIG_KERNEL(".shared .align 32 .b8 s[16]; mov.u32 %r1, s;\n"
				   "cp.async.ca.shared.global [%r1], [%out+16384], 16, 4;"),
			1, 1, SIMT_FAULT_ADDRESS);
	rig_close(&r);
	rig_check_fault(&r, RIG_KERNEL("mbarrier.init.b64 [%out], 1;"), 1, 1, SIMT_FAULT_ADDRESS);
	rig_close(&r);
	for (uint32_t i = 0; i < 3; i++) {
		static const struct {
			const char *text;
			enum simt_fault_kind kind;
		} bulk[] = {{RIG_KERNEL(".shared .align 16 .b8 s[64]; mov.u32 %r1, s;\n"
					"cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 24;"),
			     SIMT_FAULT_INSTRUCTION},
			    {RIG_KERNEL(".shared .align 16 .b8 s[64]; mov.u32 %r1, s;\n"
					"cp.async.bulk.global.shared::cta.bulk_group [%out+8], [%r1], 32;"),
			     SIMT_FAULT_ALIGNMENT},
			    {RIG_KERNEL(".shared .align 16 .b8 s[64]; mov.u32 %r1, s;\n"
					"cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 8192;"),
			     SIMT_FAULT_ADDRESS}};

		rig_check_fault(&r, bulk[i].text, 1, 1, bulk[i].kind);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mma),    cmocka_unit_test(test_quads),  cmocka_unit_test(test_wmma),
	    cmocka_unit_test(test_8x8),    cmocka_unit_test(test_copies), cmocka_unit_test(test_mbarrier),
	    cmocka_unit_test(test_bulk),   cmocka_unit_test(test_expected_bytes),
	    cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
