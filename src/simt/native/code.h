/* code.h - the part of host code that is the same for all kernels: rows, masks and accesses to memory.
 *
 * It is compiled as text only, behind turn.h and the lane functions of alu/, and needs no header of the system.
 */
#ifndef STRATA_SIMT_NATIVE_CODE_H
#define STRATA_SIMT_NATIVE_CODE_H

#define NATIVE_INLINE static inline __attribute__((always_inline, unused))
#define NATIVE_PART static __attribute__((noinline))
#define NATIVE_ALL 0xffffffffu
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Vectors have 8 lanes, as many as words of 32 bits fit, also where a loop has wider ones. */
#if defined(__clang__) && defined(__AVX__)
#define LANES                                                                                                         \
	_Pragma("clang loop vectorize(assume_safety) vectorize_width(8) interleave(disable)") for (int i = 0; i < 32; \
												   i++)
#elif defined(__clang__)
#define LANES _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int i = 0; i < 32; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < 32; i++)
#endif
#define SOME_LANES(i, lanes) for (uint32_t m_ = (lanes), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)
/* The values of the lane functions, as alu/lane.h names them. */
typedef uint8_t val_u8;
typedef int8_t val_s8;
typedef uint16_t val_u16;
typedef int16_t val_s16;
typedef uint16_t val_f16;
typedef uint16_t val_bf16;
typedef uint32_t val_u32;
typedef int32_t val_s32;
typedef uint64_t val_u64;
typedef int64_t val_s64;
typedef float val_f32;
typedef double val_f64;
#define ROW4(at) ((uint32_t *)__builtin_assume_aligned((void *)(at), 64))
#define ROW8(at) ((uint64_t *)__builtin_assume_aligned((void *)(at), 64))

static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Lanes that are all ones or zero, to one bit each. */
NATIVE_INLINE uint32_t native_pack(const uint32_t *lanes)
{
	uint32_t m = 0;
#if defined(__AVX__)
	typedef float eight __attribute__((vector_size(32)));

	for (int i = 0; i < 32; i += 8)
		m |= (uint32_t)__builtin_ia32_movmskps256(*(const eight *)(lanes + i)) << i;
#elif defined(__SSE__)
	typedef float four __attribute__((vector_size(16)));

	for (int i = 0; i < 32; i += 4)
		m |= (uint32_t)__builtin_ia32_movmskps(*(const four *)(lanes + i)) << i;
#else
	for (int i = 0; i < 32; i++)
		m |= lanes[i] & lane_bit[i];
#endif
	return m;
}

NATIVE_INLINE uint32_t native_count(uint32_t lanes)
{
	return lanes == NATIVE_ALL ? 32 : (uint32_t)__builtin_popcount(lanes);
}

/* A branch back of lanes that others have parted from: false where they may only poll, which the interpreter decides.
 */
NATIVE_INLINE uint32_t native_goes_back(struct native_turn *t)
{
	const uint32_t polled = *t->polled, weight = polled & NATIVE_POLL_STRONG ? NATIVE_POLL_STRONG : polled;

	if (*t->spin_count + weight >= *t->spin_budget)
		return 0;
	*t->spin_count += weight;
	*t->polled = 0;
	return 1;
}

/* ---- accesses ----
 *
 * at[i] is a lane's address, relative to base. Each of these answers whether the common case holds; all others are the
 * interpreter's, which then does the whole instruction. */

/* Eight words of 32 bits, four of 64: what compilers do with four of these they do not do by themselves. */
typedef uint32_t native_v32 __attribute__((vector_size(32)));
typedef uint64_t native_v64 __attribute__((vector_size(32)));

NATIVE_INLINE uint32_t native_is_zero(native_v64 v)
{
#if defined(__AVX__)
	typedef long long four __attribute__((vector_size(32)));

	return (uint32_t)__builtin_ia32_ptestz256((four)v, (four)v);
#else
	return !(v[0] | v[1] | v[2] | v[3]);
#endif
}

/* Does each lane's number follow the one before, `step` (or 0: none) on? In both halves of the warp, each from where it
 * begins: what two rows of 16 threads do. */
NATIVE_INLINE uint32_t native_follows_64(const uint64_t *row, uint64_t step)
{
	const native_v64 *at = (const native_v64 *)row, lanes = {0, step, 2 * step, 3 * step};
	native_v64 low = lanes + row[0], high = lanes + row[16], differs = {0};

	if (row[1] - row[0] != step)
		return 0;
	for (int i = 0; i < 4; i++, low += 4 * step, high += 4 * step)
		differs |= (at[i] ^ low) | (at[i + 4] ^ high);
	return native_is_zero(differs);
}

NATIVE_INLINE uint32_t native_follows_32(const uint32_t *row, uint32_t step)
{
	const native_v32 *at = (const native_v32 *)row;
	const native_v32 lanes = {0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step};
	native_v32 low = lanes + row[0], high = lanes + row[16], differs = {0};

	if (row[1] - row[0] != step)
		return 0;
	for (int i = 0; i < 2; i++, low += 8 * step, high += 8 * step)
		differs |= (at[i] ^ low) | (at[i + 2] ^ high);
	return native_is_zero((native_v64)differs);
}

/* May all bytes from at on, in what has room for so many, be accessed? */
NATIVE_INLINE uint32_t native_is_in_room(uint64_t room, uint64_t at, uint64_t bytes, uint64_t natural)
{
	return room >= bytes && at <= room - bytes && !(at & (natural - 1));
}

/* May all bytes from at on be accessed, by what the instruction last hit? */
NATIVE_INLINE uint32_t native_is_inside(const struct simt_hint *h, uint64_t at, uint64_t bytes, uint64_t natural,
					uint32_t is_store)
{
	return native_is_in_room(h->hi - h->lo, at - h->lo, bytes, 1) && !(at & (natural - 1)) &&
	       !(is_store && h->is_readonly);
}

/* The top bit of `outside` is set by a place below lo (the difference is negative) or above the last one. */
NATIVE_INLINE uint32_t native_are_inside(const uint64_t *at, uint32_t lanes, uint64_t lo, uint64_t room, uint64_t bytes,
					 uint64_t natural)
{
	const uint64_t last = room - bytes;
	uint64_t low = 0, outside = 0;

	if (room < bytes)
		return 0;
	if (lanes == NATIVE_ALL) {
		for (int i = 0; i < 32; i++) {
			low |= at[i];
			outside |= (at[i] - lo) | (last - (at[i] - lo));
		}
	} else {
		SOME_LANES(i, lanes)
		{
			low |= at[i];
			outside |= (at[i] - lo) | (last - (at[i] - lo));
		}
	}
	return !(outside >> 63) && !(low & (natural - 1));
}

NATIVE_INLINE uint32_t native_hits(const struct simt_hint *h, const uint64_t *at, uint32_t lanes, uint64_t bytes,
				   uint64_t natural, uint32_t is_store)
{
	return !(is_store && h->is_readonly) && native_are_inside(at, lanes, h->lo, h->hi - h->lo, bytes, natural);
}

#define NATIVE_LOAD(name, row_type, type)                                                                        \
	NATIVE_INLINE void native_load_##name(row_type *row, uintptr_t base, const uint64_t *at, uint32_t lanes) \
	{                                                                                                        \
		if (lanes == NATIVE_ALL) {                                                                       \
			for (int i = 0; i < 32; i++)                                                             \
				row[i] = (row_type) * (const type *)(base + at[i]);                              \
			return;                                                                                  \
		}                                                                                                \
		SOME_LANES(i, lanes)                                                                             \
		row[i] = (row_type) * (const type *)(base + at[i]);                                              \
	}
#define NATIVE_STORE(name, row_type, type)                                                              \
	NATIVE_INLINE void native_store_##name(const row_type *row, uintptr_t base, const uint64_t *at, \
					       uint32_t lanes)                                          \
	{                                                                                               \
		if (lanes == NATIVE_ALL) {                                                              \
			for (int i = 0; i < 32; i++)                                                    \
				*(type *)(base + at[i]) = (type)row[i];                                 \
			return;                                                                         \
		}                                                                                       \
		SOME_LANES(i, lanes)                                                                    \
		*(type *)(base + at[i]) = (type)row[i];                                                 \
	}
/* By the bytes of the row's lanes, the kind of number in memory and its bytes. */
NATIVE_LOAD(4u1, uint32_t, uint8_t)
NATIVE_LOAD(4s1, uint32_t, int8_t)
NATIVE_LOAD(4u2, uint32_t, uint16_t)
NATIVE_LOAD(4s2, uint32_t, int16_t)
NATIVE_LOAD(4u4, uint32_t, uint32_t)
NATIVE_LOAD(4s4, uint32_t, uint32_t)
NATIVE_LOAD(4u8, uint32_t, uint64_t)
NATIVE_LOAD(4s8, uint32_t, uint64_t)
NATIVE_LOAD(8u1, uint64_t, uint8_t)
NATIVE_LOAD(8s1, uint64_t, int8_t)
NATIVE_LOAD(8u2, uint64_t, uint16_t)
NATIVE_LOAD(8s2, uint64_t, int16_t)
NATIVE_LOAD(8u4, uint64_t, uint32_t)
NATIVE_LOAD(8s4, uint64_t, int32_t)
NATIVE_LOAD(8u8, uint64_t, uint64_t)
NATIVE_LOAD(8s8, uint64_t, uint64_t)
NATIVE_STORE(41, uint32_t, uint8_t)
NATIVE_STORE(42, uint32_t, uint16_t)
NATIVE_STORE(44, uint32_t, uint32_t)
NATIVE_STORE(48, uint32_t, uint64_t)
NATIVE_STORE(81, uint64_t, uint8_t)
NATIVE_STORE(82, uint64_t, uint16_t)
NATIVE_STORE(84, uint64_t, uint32_t)
NATIVE_STORE(88, uint64_t, uint64_t)

#endif
