/* decode_tex.c - texture and surface instructions into their execution records. */
#include <string.h>

#include "simt/build.h"
#include "simt/lanes.h"

static uint32_t geometry_dims(const struct ptx_inst *i)
{
	switch (i->mods.geom) {
	case PTX_1D:
	case PTX_A1D:
		return 1;
	case PTX_2D:
	case PTX_A2D:
		return 2;
	default: /* 3D and directions from a cube's centre */
		return 3;
	}
}

static bool is_layered(const struct ptx_inst *i)
{
	return i->mods.geom == PTX_A1D || i->mods.geom == PTX_A2D || i->mods.geom == PTX_ACUBE;
}

static bool is_cube(const struct ptx_inst *i)
{
	return i->mods.geom == PTX_CUBE || i->mods.geom == PTX_ACUBE;
}

static void decode_handle(struct simt_build *b, const struct ptx_operand *o, struct simt_ref *handle, uint64_t *addr)
{
	if (o->kind == PTX_OPND_REG) {
		*handle = simt_operand_ref(b, o, 8);
		return;
	}
	*addr = simt_module_var_addr(b->m, o->var);
	if (!*addr)
		simt_build_error(b, "'%s' is declared but not defined", o->var->name);
	else
		*addr += (uint64_t)o->offset;
}

/* The elements of a vector operand, or the one value that it is. */
static uint32_t decode_list(struct simt_build *b, const struct ptx_operand *o, uint32_t bytes, uint32_t max,
			    struct simt_ref *refs)
{
	const uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;

	for (uint32_t k = 0; k < count && k < max; k++)
		refs[k] = simt_operand_ref(b, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, bytes);
	return count;
}

static void decode_coords(struct simt_build *b, struct simt_tex_op *op, const struct ptx_operand *o)
{
	const uint32_t first = is_layered(b->i);
	struct simt_ref refs[SIMT_ELEMS] = {0};

	op->dims = (uint8_t)geometry_dims(b->i);
	op->is_cube = is_cube(b->i);

	const uint32_t count = decode_list(b, o, 4, SIMT_ELEMS, refs);

	if (count < first + op->dims || count > SIMT_ELEMS) {
		simt_build_error(b, "expected %u coordinates, found %u", first + op->dims, count);
		return;
	}
	if (first)
		op->layer = refs[0];
	memcpy(op->coord, refs + first, op->dims * sizeof(refs[0]));
}

static void decode_values(struct simt_build *b, struct simt_tex_op *op, const struct ptx_operand *o, uint32_t bytes)
{
	const uint32_t count = decode_list(b, o, bytes, SIMT_ELEMS, op->value);

	op->count = (uint8_t)(count < SIMT_ELEMS ? count : SIMT_ELEMS);
}

/* Level or gradients, then offsets. */
static void decode_fetch_extras(struct simt_build *b, struct simt_tex_op *op)
{
	const struct ptx_inst *i = b->i;
	uint32_t at = 3;

	if (i->mods.level == PTX_LEVEL_LEVEL) {
		op->lod = simt_operand_ref(b, &i->src[at++], 4);
	} else if (i->mods.level == PTX_LEVEL_GRAD) {
		decode_list(b, &i->src[at++], 4, op->dims, op->dx);
		decode_list(b, &i->src[at++], 4, op->dims, op->dy);
	}
	if (i->src_count <= at)
		return;
	if (op->is_cube)
		simt_build_error(b, "a cube map takes no offsets");
	else if (decode_list(b, &i->src[at], 4, op->dims, op->offset) < op->dims)
		simt_build_error(b, "expected %u offsets", op->dims);
}

static void decode_fetch(struct simt_build *b, struct simt_tex_op *op, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	if (i->src_count > 2 && i->src[2].kind != PTX_OPND_NONE) {
		decode_handle(b, &i->src[2], &op->sampler, &op->sampler_addr);
		op->has_sampler = true;
	}
	if (i->op == PTX_OP_TLD4 && i->mods.geom != PTX_2D && i->mods.geom != PTX_A2D && !is_cube(i))
		simt_build_error(b, "tld4 needs .2d, .a2d, .cube or .acube");
	if (i->mods.vec != (i->type == PTX_F16X2 ? 2 : 4))
		simt_build_error(b, "expected .v%u for results of type .%s", i->type == PTX_F16X2 ? 2 : 4,
				 ptx_type_name(i->type));
	decode_coords(b, op, &i->src[1]);
	decode_values(b, op, &i->dst, 4);
	decode_fetch_extras(b, op);
	e->pred_dst2 = simt_pred_dst(b, &i->dst2);
	e->run = simt_run_tex;
}

static void decode_surface(struct simt_build *b, struct simt_inst *inst, struct simt_tex_op *op, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	op->bytes = (uint8_t)ptx_type_bytes(i->type);
	inst->access_bytes = op->bytes;
	if (is_cube(i)) {
		simt_build_error(b, "a surface has no cube geometry; expected .1d, .2d, .3d, .a1d or .a2d");
		return;
	}
	decode_coords(b, op, &i->src[1]);
	if (i->op == PTX_OP_SULD) {
		if (!i->mods.b_form)
			simt_build_error(b, "'suld.p' is not defined; expected suld.b");
		decode_values(b, op, &i->dst, op->bytes);
		e->run = simt_run_suld;
		return;
	}
	decode_values(b, op, &i->src[2], op->bytes);
	if (i->op == PTX_OP_SUST) {
		if (!i->mods.b_form && op->bytes != 4)
			simt_build_error(b, "'sust.p' needs the type .b32");
		e->run = i->mods.b_form ? simt_run_sust : simt_run_sust_formatted;
		return;
	}
	e->run = simt_run_sured;
	op->atom = simt_atom_find((enum ptx_atom)i->mods.atom, i->type);
	if (!op->atom)
		simt_build_error(b, "this surface reduction is not defined for type .%s", ptx_type_name(i->type));
}

static void decode_query(struct simt_build *b, struct simt_tex_op *op, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	const struct ptx_operand *o = &i->src[0];
	const enum ptx_query query = i->mods.query;
	const bool of_sampler = query == PTX_QUERY_FILTER_MODE || query == PTX_QUERY_FORCE_UNNORMALIZED ||
				(query >= PTX_QUERY_ADDR_MODE_0 && query <= PTX_QUERY_ADDR_MODE_2);

	op->has_sampler = o->kind == PTX_OPND_VAR && o->var->type == PTX_SAMPLERREF;
	if (query >= PTX_QUERY_COMP_R || op->has_sampler > of_sampler ||
	    (query == PTX_QUERY_FORCE_UNNORMALIZED && !op->has_sampler))
		simt_build_error(b, "a %s has no such field", op->has_sampler ? "sampler" : "texture or surface");
	if (i->src_count > 1)
		op->lod = simt_operand_ref(b, &i->src[1], 4);
	decode_values(b, op, &i->dst, 4);
	e->run = simt_run_query;
}

bool simt_decode_texture(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;
	struct simt_tex_op *op;

	if (i->op != PTX_OP_TEX && i->op != PTX_OP_TLD4 && i->op != PTX_OP_TXQ && i->op != PTX_OP_SUQ &&
	    i->op != PTX_OP_SULD && i->op != PTX_OP_SUST && i->op != PTX_OP_SURED)
		return false;
	op = simt_own(b->p, sizeof(*op));
	e->tex = op;
	decode_handle(b, &i->src[0], &op->handle, &op->handle_addr);
	inst->unit = SIMT_UNIT_LDST;
	inst->space = SIMT_MEM_TEXTURE;
	inst->access_bytes = 4;
	inst->vec = i->mods.vec ? i->mods.vec : 1;
	if (i->op == PTX_OP_TXQ || i->op == PTX_OP_SUQ) {
		inst->space = SIMT_MEM_NONE;
		inst->unit = SIMT_UNIT_INT;
		decode_query(b, op, e);
		return true;
	}
	inst->flags |= i->op == PTX_OP_SUST ? SIMT_STORE : SIMT_LOAD;
	if (i->op == PTX_OP_SURED)
		inst->flags |= SIMT_STORE | SIMT_ATOMIC;
	if (i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4)
		decode_fetch(b, op, e);
	else
		decode_surface(b, inst, op, e);
	return true;
}
