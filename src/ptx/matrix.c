/* matrix.c - see matrix.h. */
#include "ptx/matrix.h"

#include "base/check.h"

#define T(t) (1u << PTX_##t)

static const struct row {
	enum ptx_op op;
	enum ptx_shape shape;
	uint32_t elements, accumulators; /* bit sets of enum ptx_type */
} rows[] = {
#define MMA(op, shape, elements, accumulators) {PTX_OP_##op, PTX_##shape, elements, accumulators},
#include "ptx/ptx_mma.def"
#undef MMA
};

static const struct {
	uint16_t m, n, k;
} sizes[] = {
    [PTX_M8N8] = {8, 8, 0},       [PTX_M8N8K4] = {8, 8, 4},       [PTX_M8N8K16] = {8, 8, 16},
    [PTX_M8N8K32] = {8, 8, 32},   [PTX_M8N8K128] = {8, 8, 128},   [PTX_M16N8K4] = {16, 8, 4},
    [PTX_M16N8K8] = {16, 8, 8},   [PTX_M16N8K16] = {16, 8, 16},   [PTX_M16N8K32] = {16, 8, 32},
    [PTX_M16N8K64] = {16, 8, 64}, [PTX_M16N8K128] = {16, 8, 128}, [PTX_M16N8K256] = {16, 8, 256},
    [PTX_M16N16K8] = {16, 16, 8}, [PTX_M16N16K16] = {16, 16, 16}, [PTX_M32N8K16] = {32, 8, 16},
    [PTX_M8N32K16] = {8, 32, 16},
};

void ptx_shape_size(enum ptx_shape s, uint16_t *m, uint16_t *n, uint16_t *k)
{
	CHECK((unsigned)s < ARRAY_COUNT(sizes));
	*m = sizes[s].m;
	*n = sizes[s].n;
	*k = sizes[s].k;
}

static uint8_t bits_of(enum ptx_type t)
{
	switch (t) {
	case PTX_B1:
		return 1;
	case PTX_S4:
	case PTX_U4:
		return 4;
	default:
		return (uint8_t)(8 * ptx_type_bytes(t));
	}
}

static struct ptx_fragment fragment(const struct row *r, enum ptx_type type, uint16_t outer, uint16_t inner,
				    bool is_factor)
{
	struct ptx_fragment f = {.type = type, .outer = outer, .inner = inner, .bits = bits_of(type)};

	f.reg_bytes = f.bits == 64 ? 8 : 4;
	f.per_reg = (uint8_t)(f.bits < 32 ? 32 / f.bits : 1);
	f.count = (uint16_t)(outer * inner / 32);
	if (r->op == PTX_OP_MMA && r->shape == PTX_M8N8K4 && (r->elements & T(F16)))
		f.count = (uint16_t)(4 * f.count);
	if (r->op == PTX_OP_WMMA && (r->elements & T(F16)) && is_factor)
		f.count = 16;
	f.reg_count = (uint8_t)(f.count / f.per_reg);
	CHECK(f.reg_count && f.reg_count <= PTX_FRAGMENT_REGS_MAX);
	return f;
}

static bool has(uint32_t set, enum ptx_type t)
{
	return set >> t & 1;
}

static void fill(const struct row *r, const enum ptx_type *t, struct ptx_mma *out)
{
	out->is_quad = r->op == PTX_OP_MMA && r->shape == PTX_M8N8K4 && has(r->elements, PTX_F16);
	if (has(r->accumulators, t[0]))
		out->d = fragment(r, t[0], out->m, out->n, false);
	if (has(r->elements, t[1]))
		out->a = fragment(r, t[1], out->m, out->k, true);
	if (has(r->elements, t[2]))
		out->b = fragment(r, t[2], out->n, out->k, true);
	if (has(r->accumulators, t[3]))
		out->c = fragment(r, t[3], out->m, out->n, false);
}

/* Types of D, A, B and C as the instruction gives them; a load or store gives one. */
static uint32_t list_types(const struct ptx_inst *i, enum ptx_type *t)
{
	const uint8_t name = i->mods.matrix;

	t[0] = t[1] = t[2] = t[3] = PTX_TYPE_NONE;
	if (i->op == PTX_OP_WMMA && i->mods.wmma != PTX_WMMA_MMA) {
		t[name == PTX_MATRIX_D ? 0 : name] = i->type;
		return name == PTX_MATRIX_A || name == PTX_MATRIX_B ? 2 : 1;
	}
	t[0] = i->type;
	t[1] = i->type3 ? i->type2 : PTX_F16; /* wmma.mma of f16 names only D and C */
	t[2] = i->type3 ? i->type3 : PTX_F16;
	t[3] = i->type3 ? i->type4 : i->type2;
	return 3;
}

bool ptx_mma_find(const struct ptx_inst *i, struct ptx_mma *out)
{
	enum ptx_type t[4];
	const uint32_t wants = list_types(i, t); /* bit 0: accumulators, bit 1: elements */

	*out = (struct ptx_mma){0};
	ptx_shape_size((enum ptx_shape)i->mods.shape, &out->m, &out->n, &out->k);
	for (uint32_t r = 0; r < ARRAY_COUNT(rows); r++) {
		if (rows[r].op != i->op || rows[r].shape != (enum ptx_shape)i->mods.shape)
			continue;
		if ((wants & 2) &&
		    (!has(rows[r].elements | T(TYPE_NONE), t[1]) || !has(rows[r].elements | T(TYPE_NONE), t[2])))
			continue;
		if ((wants & 1) && (!has(rows[r].accumulators | T(TYPE_NONE), t[0]) ||
				    !has(rows[r].accumulators | T(TYPE_NONE), t[3])))
			continue;
		fill(&rows[r], t, out);
		return true;
	}
	return false;
}
