/* video.c - kernels of the video instructions. What differs between their many forms is in aux (video.h); the compilers
 * that emit them are rare, so these loops favour being short over being fast. */
#include "simt/alu/lane.h"
#include "simt/alu/video.h"

/* Byte or half of a word, or the word, extended as its type says. */
static inline int64_t video_part(uint32_t word, uint32_t sel, int is_signed)
{
	uint32_t v = word, bits = 32;

	if (sel >= PTX_SEL_B0 && sel <= PTX_SEL_B3) {
		v = word >> (8 * (sel - PTX_SEL_B0)) & 255;
		bits = 8;
	} else if (sel == PTX_SEL_H0 || sel == PTX_SEL_H1) {
		v = word >> (16 * (sel - PTX_SEL_H0)) & 65535;
		bits = 16;
	}
	return is_signed ? (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits) : (int64_t)v;
}

static inline uint32_t video_bits(uint32_t sel)
{
	return sel == PTX_SEL_NONE ? 32 : sel >= PTX_SEL_H0 ? 16 : 8;
}

static inline int64_t video_saturate(int64_t v, uint32_t bits, int is_signed)
{
	const int64_t most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
	const int64_t least = is_signed ? -(1ll << (bits - 1)) : 0;

	return v < least ? least : v > most ? most : v;
}

static inline int64_t video_cmp(int64_t a, int64_t b, uint32_t aux)
{
	const int order = (a > b) - (a < b);

	switch (aux >> VIDEO_CMP & 7) {
	case 0:
		return order == 0;
	case 1:
		return order != 0;
	case 2:
		return order < 0;
	case 3:
		return order <= 0;
	case 4:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* The amount is unsigned; wrapped to five bits or clamped to 32. */
static inline uint32_t video_amount(int64_t b, uint32_t aux)
{
	const uint32_t n = (uint32_t)b;

	return aux & VIDEO_WRAP ? n & 31 : n > 32 ? 32 : n;
}

static inline int64_t video_shl(int64_t a, int64_t b, uint32_t aux)
{
	return (int64_t)(int32_t)((uint64_t)a << video_amount(b, aux));
}

static inline int64_t video_shr(int64_t a, int64_t b, uint32_t aux)
{
	return a >> video_amount(b, aux);
}

/* Half the sum, rounded away from zero where it is not an integer. */
static inline int64_t video_average(int64_t a, int64_t b)
{
	const int64_t sum = a + b;

	return (sum + (sum >= 0)) >> 1;
}

static inline uint32_t video_second(uint32_t r, uint32_t c, uint32_t aux)
{
	switch (aux >> VIDEO_SECOND & 3) {
	case PTX_VSECOND_ADD:
		return r + c;
	case PTX_VSECOND_MIN:
		return aux & VIDEO_SIGNED_D ? ((int32_t)r < (int32_t)c ? r : c) : r < c ? r : c;
	case PTX_VSECOND_MAX:
		return aux & VIDEO_SIGNED_D ? ((int32_t)r > (int32_t)c ? r : c) : r > c ? r : c;
	default:
		return r;
	}
}

static inline uint32_t video_finish(int64_t v, uint32_t c, uint32_t aux)
{
	const uint32_t sel = aux >> VIDEO_SEL_D & 7, bits = video_bits(sel);
	const uint32_t r = (uint32_t)(aux & VIDEO_SAT ? video_saturate(v, bits, aux & VIDEO_SIGNED_D) : v);

	if (sel == PTX_SEL_NONE)
		return video_second(r, c, aux);
	const uint32_t at = bits == 8 ? 8 * (sel - PTX_SEL_B0) : 16 * (sel - PTX_SEL_H0);
	const uint32_t field = ((1u << bits) - 1) << at;

	return (c & ~field) | (r << at & field);
}

#define ROWX(...)
#define ROWV(op, expr)                                                                                                 \
	static uint32_t k_##op(LANE_ARGS)                                                                              \
	{                                                                                                              \
		lane_u32 *out = d;                                                                                     \
		const uint32_t third = (aux >> VIDEO_SEL_D & 7) | (aux >> VIDEO_SECOND & 3);                           \
		for (int i = 0; i < 32; i++) {                                                                         \
			if (!(mask >> i & 1))                                                                          \
				continue;                                                                              \
			const int64_t a = video_part(RD_u32(src[0], i), aux & 7, aux & VIDEO_SIGNED_A);                \
			const int64_t b = video_part(RD_u32(src[1], i), aux >> VIDEO_SEL_B & 7, aux & VIDEO_SIGNED_B); \
			out[i] = video_finish(expr, third ? RD_u32(src[2], i) : 0, aux);                              \
		}                                                                                                      \
		return 0;                                                                                              \
	}
/* SIMD: parts under the mask are the results, the others c's; with .add the results are summed into c. */
#define LANE_FNV(op, parts, expr)                                                                                      \
	static uint32_t k_##op##parts(LANE_ARGS)                                                                       \
	{                                                                                                              \
		lane_u32 *out = d;                                                                                     \
		const uint32_t bits = 32 / parts, add = (aux >> VIDEO_SECOND & 3) == PTX_VSECOND_ADD;                  \
		const uint32_t first = parts == 4 ? PTX_SEL_B0 : PTX_SEL_H0;                                           \
		for (int i = 0; i < 32; i++) {                                                                         \
			if (!(mask >> i & 1))                                                                          \
				continue;                                                                              \
			uint32_t r = RD_u32(src[2], i);                                                                \
			for (uint32_t k = 0; k < parts; k++) {                                                         \
				if (!(aux >> (VIDEO_MASK + k) & 1))                                                    \
					continue;                                                                      \
				const int64_t a = video_part(RD_u32(src[0], i), first + k, aux & VIDEO_SIGNED_A);      \
				const int64_t b = video_part(RD_u32(src[1], i), first + k, aux & VIDEO_SIGNED_B);      \
				int64_t v = (expr);                                                                    \
				if (aux & VIDEO_SAT)                                                                   \
					v = video_saturate(v, bits, aux & VIDEO_SIGNED_D);                             \
				const uint32_t field = ((1u << bits) - 1) << (bits * k);                               \
				r = add ? r + (uint32_t)v : (r & ~field) | ((uint32_t)v << (bits * k) & field);        \
			}                                                                                              \
			out[i] = r;                                                                                    \
		}                                                                                                      \
		return 0;                                                                                              \
	}
#define ROWVS(op, expr) LANE_FNV(op, 2, expr) LANE_FNV(op, 4, expr)
#include "simt/alu/video.def"

/* (a * b) + c, each sign a choice, one more with .po, shifted right. */
static uint32_t k_vmad(LANE_ARGS)
{
	lane_u32 *out = d;
	const int any_signed = (aux & (VIDEO_SIGNED_A | VIDEO_SIGNED_B)) != 0;

	for (int i = 0; i < 32; i++) {
		if (!(mask >> i & 1))
			continue;
		const int64_t a = video_part(RD_u32(src[0], i), aux & 7, aux & VIDEO_SIGNED_A);
		const int64_t b = video_part(RD_u32(src[1], i), aux >> VIDEO_SEL_B & 7, aux & VIDEO_SIGNED_B);
		const uint32_t word = RD_u32(src[2], i);
		const int is_signed = any_signed || aux & (VIDEO_NEGATE_AB | VIDEO_NEGATE_C);
		const __int128 c = is_signed ? (__int128)(int32_t)word : (__int128)word, product = (__int128)a * b;
		__int128 v = (aux & VIDEO_NEGATE_AB ? -product : product) + (aux & VIDEO_NEGATE_C ? -c : c);

		v = (v + !!(aux & VIDEO_PLUS_ONE)) >> (aux >> VIDEO_SHIFT & 15);
		if (aux & VIDEO_SAT) {
			const __int128 most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
			v = v < least ? least : v > most ? most : v;
		}
		out[i] = (uint32_t)v;
	}
	return 0;
}

#include "simt/alu/table.h"
#undef ROWV
#undef ROWVS
#define ROWV(op, expr) ROWX(op, INT, 4, CONST, 4, 4, 4, 4, 0, false)
#define ROWVS(op, expr) ROWV(op##2, expr) ROWV(op##4, expr)
static const struct simt_alu_row video_rows[] = {
#include "simt/alu/video.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_video) = {video_rows, sizeof(video_rows) / sizeof(video_rows[0])};
