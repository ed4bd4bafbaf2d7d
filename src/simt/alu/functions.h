/* functions.h - the first reading of a .def: its rows as functions. */
#define ROW1(id, u, slots, mode, TD, TA, expr) LANE_FN1(id, mode, TD, TA, expr)
#define ROW2(id, u, slots, mode, TD, TA, TB, expr) LANE_FN2(id, mode, TD, TA, TB, expr)
#define ROW3(id, u, slots, mode, TD, TA, TB, TC, expr) LANE_FN3(id, mode, TD, TA, TB, TC, expr)
#define ROWS(id, u, slots, TD, TA, expr) LANE_FNS(id, TD, TA, expr)
#define ROWC(id, u, slots, n, T, TA, inner, expr, carry) LANE_FNC(id, n, T, TA, inner, expr, carry)
#define ROWP(cmp, ftz, u, T, expr) LANE_FNP(cmp, ftz, T, expr)
#define ROWPH(cmp, ftz, u, T, expr)                                                                                    \
	LANE_FNP(cmp, ftz, T, expr)                                                                                    \
	LANE_SETS(cmp, ftz, u16, T, UINT16_MAX)
#define ROWPX(cmp, ftz, u, T, expr) LANE_FNPX(cmp, ftz, T, expr)
#define ROWT(test, u, T, expr) LANE_FNT(test, T, expr)
#define ROW4(id, u, slots, TD, TA, TB, TC, TE, expr) LANE_FN4(id, TD, TA, TB, TC, TE, expr)
/* A kernel written by hand, named k_<id>: functions.h has nothing to do. */
#define ROWX(id, u, slots, kind, dst, s0, s1, s2, s3, returns)
/* Halves: the lane function, then the row of one and the row of a pair. */
#define ROWH1(op, mods, T, expr)                                                                                       \
	static inline __attribute__((always_inline)) uint16_t h_##op##_##mods##T(uint16_t a)                           \
	{                                                                                                              \
		return (uint16_t)(expr);                                                                               \
	}                                                                                                              \
	LANE_FN1(op##_##mods##T, LANE_RN, T, T, h_##op##_##mods##T(a))                                                 \
	LANE_FN1(op##_##mods##T##x2, LANE_RN, u32, u32,                                                                \
		 HALF_PAIR(h_##op##_##mods##T((uint16_t)a), h_##op##_##mods##T((uint16_t)(a >> 16))))
#define ROWH2(op, mods, T, expr)                                                                                       \
	static inline __attribute__((always_inline)) uint16_t h_##op##_##mods##T(uint16_t a, uint16_t b)               \
	{                                                                                                              \
		return (uint16_t)(expr);                                                                               \
	}                                                                                                              \
	LANE_FN2(op##_##mods##T, LANE_RN, T, T, T, h_##op##_##mods##T(a, b))                                           \
	LANE_FN2(op##_##mods##T##x2, LANE_RN, u32, u32, u32,                                                           \
		 HALF_PAIR(h_##op##_##mods##T((uint16_t)a, (uint16_t)b),                                               \
			   h_##op##_##mods##T((uint16_t)(a >> 16), (uint16_t)(b >> 16))))
#define ROWH3(op, mods, T, expr)                                                                                       \
	static inline __attribute__((always_inline)) uint16_t h_##op##_##mods##T(uint16_t a, uint16_t b, uint16_t c)   \
	{                                                                                                              \
		return (uint16_t)(expr);                                                                               \
	}                                                                                                              \
	LANE_FN3(op##_##mods##T, LANE_RN, T, T, T, T, h_##op##_##mods##T(a, b, c))                                     \
	LANE_FN3(op##_##mods##T##x2, LANE_RN, u32, u32, u32, u32,                                                      \
		 HALF_PAIR(h_##op##_##mods##T((uint16_t)a, (uint16_t)b, (uint16_t)c),                                  \
			   h_##op##_##mods##T((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16))))
