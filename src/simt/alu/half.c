/* half.c - f16 and bf16 kernels. */
#include "simt/alu/lane.h"
#include "simt/alu/clamp.h"
#include "simt/alu/half.h"
#include "simt/alu/sfu.h"

#define HALF_ADD(x, y) ((x) + (y))
#define HALF_SUB(x, y) ((x) - (y))
#define HALF_MUL(x, y) ((x) * (y))
#define HALF_FMA(T, of) half_##T(half_sum_odd((double)of(a) * (double)of(b), (double)of(c)), HALF_RN)
#define HALF_PAIR(low, high) ((uint32_t)(low) | (uint32_t)(high) << 16)

static inline uint16_t half_ftz(uint16_t h)
{
	return h & 0x7c00 ? h : h & 0x8000;
}

static inline uint16_t half_sat(uint16_t h)
{
	const uint32_t u = h;

	return (uint16_t)(u > 0x7c00 ? 0 : u > 0x3c00 ? 0x3c00 : u);
}

/* Negative numbers to +0; NaN becomes the canonical one. */
static inline uint16_t half_relu(uint16_t h, uint32_t inf)
{
	return (uint16_t)((h & 0x7fffu) > inf ? FLT_NAN_HALF : h & 0x8000 ? 0 : h);
}

/* Patterns as integers in the order of their values, -0 below +0. */
static inline int32_t half_order(uint16_t h)
{
	return h & 0x8000 ? -1 - (h & 0x7fff) : h;
}

static inline uint16_t half_select(uint16_t less, uint16_t a, uint16_t b, uint32_t inf)
{
	const int a_nan = (a & 0x7fffu) > inf, b_nan = (b & 0x7fffu) > inf;

	return (uint16_t)((a_nan & b_nan) ? FLT_NAN_HALF : a_nan ? b : b_nan ? a : less ? a : b);
}

static inline uint16_t half_min(uint16_t a, uint16_t b, uint32_t inf)
{
	return half_select(half_order(a) < half_order(b), a, b, inf);
}

static inline uint16_t half_max(uint16_t a, uint16_t b, uint32_t inf)
{
	return half_select(half_order(a) > half_order(b), a, b, inf);
}

static inline uint16_t half_nan_wins(uint16_t r, uint16_t a, uint16_t b, uint32_t inf)
{
	return (((a & 0x7fffu) > inf) | ((b & 0x7fffu) > inf)) ? FLT_NAN_HALF : r;
}

static inline uint16_t half_xorsign(uint16_t r, uint16_t a, uint16_t b, uint32_t inf)
{
	return (uint16_t)(r > inf ? r : r | ((a ^ b) & 0x8000));
}

#include "simt/alu/narrow.h"

#include "simt/alu/functions.h"
#include "simt/alu/half.def"

static const struct simt_alu_row half_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/half.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_half) = {half_rows, sizeof(half_rows) / sizeof(half_rows[0])};
