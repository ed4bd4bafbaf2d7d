/* rows_fixture.h - operand rows for the arithmetic tests: random patterns mixed with the values where rules change. */
#ifndef STRATA_TESTS_ALU_ROWS_FIXTURE_H
#define STRATA_TESTS_ALU_ROWS_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simt/alu/rows.h"
#include "simt/alu/video.h"

struct fixture {
	uint64_t src[4][32] __attribute__((aligned(64)));
	uint64_t dst[32] __attribute__((aligned(64)));
	uint64_t state;
};

static inline uint64_t fixture_random(struct fixture *f)
{
	uint64_t z = f->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline uint32_t fixture_value32(struct fixture *f)
{
	static const uint32_t special[] = {
		0,	    1,		2,	    31,		32,	    33,		0x7f,	    0x80,	0xff,
		0x7fff, 0x8000, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
		0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000,
		0x40200000, 0x00800000, 0x007fffff, 0x807fffff, 0x80800000,
		0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
		0x7f800001, 0x7fc00000, 0xffc12345, 0x4f000000, 0x4effffff,
		0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000,
		0xdf000000, 0x3c003c00, 0x7c007c00, 0xfc007e01, 0x04000001,
		0x03ff83ff, 0x7bfffbff, 0x477fe000, 0x477ff000,
		0x33000000, 0x33800000, 0x00010080, 0x80008000, 0x3f803f80,
	};
	const uint64_t r = fixture_random(f);

	switch (r >> 60 & 7) {
	case 0:
	case 1:
	case 2:
		return special[(uint32_t)r % (sizeof special / sizeof special[0])];
	case 3:
		return (uint32_t)r & 63; /* shift amounts and positions */
	case 4:
		return (((uint32_t)r & 0x0fffffff) | 0x38000000) ^ ((uint32_t)(r >> 33) & 0x80000000); /* about 1 */
	default:
		return (uint32_t)r;
	}
}

static inline uint64_t fixture_value64(struct fixture *f)
{
	static const uint64_t special[] = {
		0, 1, UINT64_MAX, INT64_MAX, 1ull << 63, (1ull << 63) + 1, UINT32_MAX, 1ull << 32, 1ull << 53,
		(1ull << 53) + 1,
		0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x0010000000000000, 0x000fffffffffffff,
		0x800fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
		0x7ff8000000000000, 0xfff8123400000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
		0x43e0000000000000, 0x43f0000000000000, 0xc3e0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
		0x36a0000000000000, 0x3690000000000000, 0x380fffffc0000000, 0x40effe0000000000, 0x40efff0000000000,
		0x4330000000000001, 0x3ff8000000000000, 0x4004000000000000, 0x8000000000000000, 0x3e60000000000000,
	};
	const uint64_t r = fixture_random(f);

	switch (r >> 60 & 7) {
	case 0:
	case 1:
	case 2:
		return special[(uint32_t)r % (sizeof special / sizeof special[0])];
	case 3:
		return fixture_random(f) >> (r & 63);
	case 4:
		return ((fixture_random(f) >> 4) & 0x00ffffffffffffff) | 0x3f00000000000000 | (r << 63);
	case 5:
		return ((fixture_random(f) >> 6) & 0x03ffffffffffffff) | 0x3e00000000000000;
	default:
		return fixture_random(f);
	}
}

static inline void fixture_fill(struct fixture *f, const struct simt_alu *alu)
{
	for (int k = 0; k < 4; k++) {
		uint32_t *lanes = (uint32_t *)f->src[k];

		for (int i = 0; i < 32; i++) {
			if (alu->src_bytes[k] == 8)
				f->src[k][i] = fixture_value64(f);
			else
				lanes[i] = fixture_value32(f);
		}
	}
	/* Equal operands and near ones, where comparisons and cancellation are decided. */
	for (int i = 0; i < 6 && alu->src_bytes[0] == alu->src_bytes[1]; i++) {
		const int at = (int)(fixture_random(f) & 31), bytes = alu->src_bytes[0];
		memcpy((char *)f->src[1] + at * bytes, (char *)f->src[0] + at * bytes, (size_t)bytes);
	}
}

/* What the instruction's aux may be: a random predicate or carry mask, a lop3 table, a video form. */
static inline uint32_t fixture_aux(struct fixture *f, const struct simt_alu_row *row)
{
	uint32_t u = (uint32_t)fixture_random(f);

	if (row->key[0] != 'v')
		return row->alu.aux_kind == SIMT_AUX_CONST ? u & 255 : u;
	for (int at = 0; at < 9; at += 3)
		if ((u >> at & 7) > PTX_SEL_H1)
			u &= ~(7u << at);
	return u;
}

static inline uint32_t fixture_run(struct fixture *f, const struct simt_alu_row *row, uint32_t mask, uint32_t aux)
{
	const void *src[4];

	for (int k = 0; k < 4; k++)
		src[k] = row->alu.src_bytes[k] > 1 ? f->src[k] : NULL;
	return row->alu.fn(row->alu.dst_bytes ? f->dst : NULL, src, mask, aux);
}

#endif
