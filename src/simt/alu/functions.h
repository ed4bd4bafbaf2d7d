/* functions.h - the first reading of a .def: its rows as functions. */
#define ROW1(id, u, slots, mode, TD, TA, expr) LANE_FN1(id, mode, TD, TA, expr)
#define ROW2(id, u, slots, mode, TD, TA, TB, expr) LANE_FN2(id, mode, TD, TA, TB, expr)
#define ROW3(id, u, slots, mode, TD, TA, TB, TC, expr) LANE_FN3(id, mode, TD, TA, TB, TC, expr)
#define ROWS(id, u, slots, TD, TA, expr) LANE_FNS(id, TD, TA, expr)
#define ROWC(id, u, slots, n, T, TA, inner, expr, carry) LANE_FNC(id, n, T, TA, inner, expr, carry)
#define ROWP(id, u, TA, TB, expr) LANE_FNP(id, TA, TB, expr)
#define ROW4(id, u, slots, TD, TA, TB, TC, TE, expr) LANE_FN4(id, TD, TA, TB, TC, TE, expr)
/* A kernel written by hand, named k_<id>: functions.h has nothing to do. */
#define ROWX(id, u, slots, kind, dst, s0, s1, s2, s3, returns)
