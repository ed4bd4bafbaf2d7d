/* int.c - integer kernels. */
#include "simt/alu/lane.h"
#include "simt/alu/int.h"

static uint32_t k_lop3_b32(LANE_ARGS)
{
	LANE_OPEN(LANE_RN, u32);
	const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1), *const pc = LANE_ROW(2);
	LANE_LOOP WR_u32(out, i, int_lop3(RD_u32(pa, i), RD_u32(pb, i), RD_u32(pc, i), aux));
	LANE_CLOSE(LANE_RN)
	return 0;
}

/* With a predicate result the table is a row (the fourth source) and aux is the predicate operand. */
static uint32_t int_lop3_pred(LANE_ARGS)
{
	uint32_t bits[32] __attribute__((aligned(64)));
	LANE_OPEN(LANE_RN, u32);
	const void *const pa = LANE_ROW(0), *const pb = LANE_ROW(1), *const pc = LANE_ROW(2), *const pe = LANE_ROW(3);
	LANE_LOOP
	{
		const uint32_t r = int_lop3(RD_u32(pa, i), RD_u32(pb, i), RD_u32(pc, i), RD_u32(pe, i));
		bits[i] = r ? UINT32_MAX : 0;
		WR_u32(out, i, r);
	}
	LANE_CLOSE(LANE_RN)
	return lane_pack(bits) & mask;
}

static uint32_t k_lop3_and_b32(LANE_ARGS)
{
	return int_lop3_pred(d, src, mask, 0) & aux;
}

static uint32_t k_lop3_or_b32(LANE_ARGS)
{
	return int_lop3_pred(d, src, mask, 0) | (aux & mask);
}

static uint32_t k_lop3_xor_b32(LANE_ARGS)
{
	return int_lop3_pred(d, src, mask, 0) ^ (aux & mask);
}

#include "simt/alu/functions.h"
#include "simt/alu/int.def"

static const struct simt_alu_row int_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/int.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_int) = {int_rows, sizeof(int_rows) / sizeof(int_rows[0])};
