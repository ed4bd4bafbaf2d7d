/* table.h - the second reading of a .def: its rows as data. Included by a kernel file after its functions; leaves the
 * ROW macros defined for one more reading of the .def. */
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROWS
#undef ROWC
#undef ROWP
#undef ROWX
#undef ROW4

#define ROW1(id, u, slots, mode, TD, TA, expr)                                                                         \
	{#id, {.fn = k_##id, .unit = SIMT_UNIT_##u, .issue_slots = slots, .src_bytes = {BYTES_##TA},                   \
	       .dst_bytes = BYTES_##TD}},
#define ROW2(id, u, slots, mode, TD, TA, TB, expr)                                                                     \
	{#id, {.fn = k_##id, .unit = SIMT_UNIT_##u, .issue_slots = slots, .src_bytes = {BYTES_##TA, BYTES_##TB},       \
	       .dst_bytes = BYTES_##TD}},
#define ROW3(id, u, slots, mode, TD, TA, TB, TC, expr)                                                                 \
	{#id, {.fn = k_##id, .unit = SIMT_UNIT_##u, .issue_slots = slots,                                              \
	       .src_bytes = {BYTES_##TA, BYTES_##TB, BYTES_##TC}, .dst_bytes = BYTES_##TD}},
#define ROWS(id, u, slots, TD, TA, expr)                                                                               \
	{#id, {.fn = k_##id, .aux_kind = SIMT_AUX_PRED, .unit = SIMT_UNIT_##u, .issue_slots = slots,                   \
	       .src_bytes = {BYTES_##TA, BYTES_##TA, 1}, .dst_bytes = BYTES_##TD}},
#define ROWC(id, u, slots, n, T, TA, inner, expr, carry)                                                               \
	{#id, {.fn = k_##id, .aux_kind = SIMT_AUX_CARRY, .unit = SIMT_UNIT_##u, .issue_slots = slots,                  \
	       .src_bytes = {BYTES_##TA, BYTES_##TA, (n) == 3 ? BYTES_##T : 0}, .dst_bytes = BYTES_##T,                \
	       .returns_mask = true}},
#define ROWP_(name, u, aux, pred, TA, TB)                                                                              \
	{#name, {.fn = k_##name, .aux_kind = aux, .unit = SIMT_UNIT_##u, .issue_slots = 1,                             \
		 .src_bytes = {BYTES_##TA, BYTES_##TB, pred}, .returns_mask = true}},
#define ROWP(id, u, TA, TB, expr)                                                                                      \
	ROWP_(setp_##id, u, SIMT_AUX_CONST, 0, TA, TB)                                                                 \
	ROWP_(setp_and_##id, u, SIMT_AUX_PRED, 1, TA, TB)                                                              \
	ROWP_(setp_or_##id, u, SIMT_AUX_PRED, 1, TA, TB)                                                               \
	ROWP_(setp_xor_##id, u, SIMT_AUX_PRED, 1, TA, TB)
#define ROW4(id, u, slots, TD, TA, TB, TC, TE, expr)                                                                   \
	{#id, {.fn = k_##id, .unit = SIMT_UNIT_##u, .issue_slots = slots,                                              \
	       .src_bytes = {BYTES_##TA, BYTES_##TB, BYTES_##TC, BYTES_##TE}, .dst_bytes = BYTES_##TD}},
#define ROWX(id, u, slots, kind, dst, s0, s1, s2, s3, returns)                                                         \
	{#id, {.fn = k_##id, .aux_kind = SIMT_AUX_##kind, .unit = SIMT_UNIT_##u, .issue_slots = slots,                 \
	       .src_bytes = {s0, s1, s2, s3}, .dst_bytes = dst, .returns_mask = returns}},
