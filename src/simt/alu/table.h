/* table.h - the second reading of a .def: its rows as data. Included by a kernel file after its functions; leaves the
 * ROW macros defined for one more reading of the .def. */
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROWS
#undef ROWC
#undef ROWP
#undef ROWH1
#undef ROWH2
#undef ROWH3
#undef ROWPH
#undef ROWPX
#undef ROWT
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
#define ROW_PRED(name, u, aux, pred, T, dst, returns)                                                                  \
	{#name, {.fn = k_##name, .aux_kind = aux, .unit = SIMT_UNIT_##u, .issue_slots = 1,                             \
		 .src_bytes = {BYTES_##T, BYTES_##T, pred}, .dst_bytes = dst, .returns_mask = returns}},
#define ROW_PREDS(first, rest, u, T, dst, returns)                                                                     \
	ROW_PRED(first##rest, u, SIMT_AUX_CONST, 0, T, dst, returns)                                                   \
	ROW_PRED(first##and_##rest, u, SIMT_AUX_PRED, 1, T, dst, returns)                                              \
	ROW_PRED(first##or_##rest, u, SIMT_AUX_PRED, 1, T, dst, returns)                                               \
	ROW_PRED(first##xor_##rest, u, SIMT_AUX_PRED, 1, T, dst, returns)
#define ROWP(cmp, ftz, u, T, expr)                                                                                     \
	ROW_PREDS(setp_, cmp##_##ftz##T, u, T, 0, true)                                                                \
	ROW_PREDS(set_, cmp##_##ftz##u32_##T, u, T, 4, false)                                                          \
	ROW_PREDS(set_, cmp##_##ftz##f32_##T, u, T, 4, false)                                                          \
	ROW_PREDS(set_, cmp##_##ftz##f16_##T, u, T, 4, false)                                                          \
	ROW_PREDS(set_, cmp##_##ftz##bf16_##T, u, T, 4, false)
#define ROWPH(cmp, ftz, u, T, expr)                                                                                    \
	ROWP(cmp, ftz, u, T, expr)                                                                                     \
	ROW_PREDS(set_, cmp##_##ftz##u16_##T, u, T, 4, false)
#define ROWPX(cmp, ftz, u, T, expr)                                                                                    \
	ROW_PREDS(setp_, cmp##_##ftz##T##x2, u, u32, 1, true)                                                          \
	ROW_PREDS(set_, cmp##_##ftz##T##x2_##T##x2, u, u32, 4, false)                                                  \
	ROW_PREDS(set_, cmp##_##ftz##u32_##T##x2, u, u32, 4, false)
#define ROWT(test, u, T, expr)                                                                                         \
	{"testp_" #test "_" #T, {.fn = k_testp_##test##_##T, .unit = SIMT_UNIT_##u, .issue_slots = 1,                  \
				 .src_bytes = {BYTES_##T}, .returns_mask = true}},
#define ROW4(id, u, slots, TD, TA, TB, TC, TE, expr)                                                                   \
	{#id, {.fn = k_##id, .unit = SIMT_UNIT_##u, .issue_slots = slots,                                              \
	       .src_bytes = {BYTES_##TA, BYTES_##TB, BYTES_##TC, BYTES_##TE}, .dst_bytes = BYTES_##TD}},
#define ROWX(id, u, slots, kind, dst, s0, s1, s2, s3, returns)                                                         \
	{#id, {.fn = k_##id, .aux_kind = SIMT_AUX_##kind, .unit = SIMT_UNIT_##u, .issue_slots = slots,                 \
	       .src_bytes = {s0, s1, s2, s3}, .dst_bytes = dst, .returns_mask = returns}},
#define ROWH1(op, mods, T, expr)                                                                                       \
	ROW1(op##_##mods##T, FP32, 1, LANE_RN, T, T, expr) ROW1(op##_##mods##T##x2, FP32, 1, LANE_RN, u32, u32, expr)
#define ROWH2(op, mods, T, expr)                                                                                       \
	ROW2(op##_##mods##T, FP32, 1, LANE_RN, T, T, T, expr)                                                          \
	ROW2(op##_##mods##T##x2, FP32, 1, LANE_RN, u32, u32, u32, expr)
#define ROWH3(op, mods, T, expr)                                                                                       \
	ROW3(op##_##mods##T, FP32, 1, LANE_RN, T, T, T, T, expr)                                                       \
	ROW3(op##_##mods##T##x2, FP32, 1, LANE_RN, u32, u32, u32, u32, expr)
