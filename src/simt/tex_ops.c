/* tex_ops.c - decodes and executes texture and surface instructions. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/lanes.h"
#include "simt/state.h"
#include "simt/tex_fetch.h"

/* ---- decoding ---- */

static uint32_t geometry_dims(const struct ptx_inst *i)
{
	switch (i->mods.geom) {
	case PTX_1D:
	case PTX_A1D:
		return 1;
	case PTX_2D:
	case PTX_A2D:
		return 2;
	case PTX_3D:
		return 3;
	default:
		return 0;
	}
}

static bool is_layered(const struct ptx_inst *i)
{
	return i->mods.geom == PTX_A1D || i->mods.geom == PTX_A2D;
}

static void decode_handle(struct simt_build *b, struct simt_tex_op *op, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_VAR)
		op->handle_addr = simt_module_var_addr(b->m, o->var);
	else
		op->handle = simt_operand_ref(b, o, 8);
}

static void decode_coords(struct simt_build *b, struct simt_tex_op *op, const struct ptx_operand *o)
{
	const uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;
	uint32_t first = is_layered(b->i);

	op->dims = (uint8_t)geometry_dims(b->i);
	if (!op->dims) {
		simt_build_error(
		    b, "cube and multi-sample textures are not supported; expected .1d, .2d, .3d, .a1d or .a2d");
		return;
	}
	if (count < first + op->dims || count > SIMT_ELEMS) {
		simt_build_error(b, "expected %u coordinates, found %u", first + op->dims, count);
		return;
	}
	for (uint32_t k = 0; k < first + op->dims; k++) {
		struct simt_ref r = simt_operand_ref(b, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, 4);

		if (first && !k)
			op->layer = r;
		else
			op->coord[k - first] = r;
	}
}

static void decode_values(struct simt_build *b, struct simt_tex_op *op, const struct ptx_operand *o, uint32_t bytes)
{
	const uint32_t count = o->kind == PTX_OPND_VEC ? o->elem_count : 1;

	op->count = (uint8_t)(count < SIMT_ELEMS ? count : SIMT_ELEMS);
	for (uint32_t k = 0; k < op->count; k++)
		op->value[k] = simt_operand_ref(b, o->kind == PTX_OPND_VEC ? &o->elems[k] : o, bytes);
}

static void decode_fetch(struct simt_build *b, struct simt_tex_op *op, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	if (i->op == PTX_OP_TEX && i->src_count > 2 && i->src[2].kind != PTX_OPND_NONE)
		simt_build_error(
		    b, "separate samplers (.independent texturing mode) are not supported; use texture objects");
	if (i->type == PTX_F16 || i->type == PTX_F16X2)
		simt_build_error(b, "half-precision texture results are not supported; fetch .f32 and convert");
	if (i->op == PTX_OP_TLD4 && i->mods.geom != PTX_2D && i->mods.geom != PTX_A2D)
		simt_build_error(b, "tld4 needs .2d or .a2d");
	decode_coords(b, op, &i->src[1]);
	decode_values(b, op, &i->dst, 4);
	e->run = i->op == PTX_OP_TEX ? simt_run_tex : simt_run_tld4;
}

static void decode_surface(struct simt_build *b, struct simt_inst *inst, struct simt_tex_op *op, struct simt_exec *e)
{
	const struct ptx_inst *i = b->i;

	op->bytes = (uint8_t)ptx_type_bytes(i->type);
	inst->access_bytes = op->bytes;
	if (i->mods.b_form != 1)
		simt_build_error(b, "formatted surface access (.p) is not supported; expected .b");
	decode_coords(b, op, &i->src[1]);
	if (i->op == PTX_OP_SULD) {
		decode_values(b, op, &i->dst, op->bytes);
		e->run = simt_run_suld;
		return;
	}
	decode_values(b, op, &i->src[2], op->bytes);
	e->run = i->op == PTX_OP_SUST ? simt_run_sust : simt_run_sured;
	if (i->op != PTX_OP_SURED)
		return;
	op->atom = simt_atom_find((enum ptx_atom)i->mods.atom, i->type);
	if (!op->atom)
		simt_build_error(b, "this surface reduction is not defined for type .%s", ptx_type_name(i->type));
}

static void decode_query(struct simt_build *b, struct simt_tex_op *op, struct simt_exec *e)
{
	switch (b->i->mods.query) {
	case PTX_QUERY_WIDTH:
	case PTX_QUERY_HEIGHT:
	case PTX_QUERY_DEPTH:
	case PTX_QUERY_ARRAY_SIZE:
	case PTX_QUERY_NUM_MIPMAP_LEVELS:
	case PTX_QUERY_NUM_SAMPLES:
	case PTX_QUERY_NORMALIZED_COORDS:
		break;
	default:
		simt_build_error(
		    b, "this query is not supported; expected width, height, depth, array_size, num_mipmap_levels, "
		       "num_samples or normalized_coords");
	}
	decode_values(b, op, &b->i->dst, 4);
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
	decode_handle(b, op, &i->src[0]);
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

/* ---- execution ---- */

static uint32_t lane_u32(const struct simt_warp_state *s, struct simt_ref r, uint32_t lane)
{
	return (uint32_t)simt_lane_get(simt_row(s, r), r.bytes, lane);
}

/* The object that a lane means, or NULL with the fault set. */
static const struct simt_tex_desc *object_of(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
					     uint32_t lane)
{
	const struct simt_tex_op *op = e->tex;
	uint64_t handle;

	if (op->handle.bytes)
		handle = simt_lane_get(simt_row(w->state, op->handle), op->handle.bytes, lane);
	else
		memcpy(&handle, (const void *)(uintptr_t)op->handle_addr, sizeof(handle));
	const struct simt_tex_desc *d = simt_texture_get(l->textures, handle);

	if (!d)
		simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS, "0x%llx is not the handle of a texture or surface object",
			   (unsigned long long)handle);
	return d;
}

static void put_value(struct simt_warp_state *s, const struct simt_tex_op *op, uint32_t lane,
		      const struct simt_texel_value *v)
{
	for (uint32_t c = 0; c < op->count; c++) {
		uint32_t bits = v->i[c];

		if (v->is_float)
			memcpy(&bits, &v->f[c], sizeof(bits));
		if (op->value[c].bytes)
			simt_lane_set(simt_row_mut(s, op->value[c]), op->value[c].bytes, lane, bits);
	}
}

static enum simt_next fetch(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			    struct simt_texel_value *v)
{
	const struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;
	const struct simt_tex_desc *d = object_of(l, w, e, lane);
	uint32_t layer = op->layer.bytes ? lane_u32(s, op->layer, lane) : 0, raw[3] = {0};
	float x[3] = {0};
	int32_t i[3] = {0};
	bool ok;

	if (!d)
		return SIMT_FAULTED;
	for (uint32_t k = 0; k < op->dims; k++)
		raw[k] = lane_u32(s, op->coord[k], lane);
	memcpy(x, raw, sizeof(x));
	memcpy(i, raw, sizeof(i));
	if (e->ptx->op == PTX_OP_TLD4)
		ok = simt_tex_gather(l->mem, d, x, layer, e->ptx->mods.query - (uint32_t)PTX_QUERY_COMP_R, v);
	else if (e->ptx->type2 == PTX_F32)
		ok = simt_tex_fetch_float(l->mem, d, x, op->dims, layer, v);
	else
		ok = simt_tex_fetch_int(l->mem, d, i, layer, v);
	if (ok)
		return SIMT_NEXT;
	return simt_fault_access(l, w, e, lane, false, SIMT_MEM_GLOBAL, v->addr, simt_texel_bytes(d), 0);
}

SIMT_RUN(simt_run_tex)
{
	/* A destination may be a coordinate's register: all lanes' fetches only read their own lane. */
	struct simt_texel_value v;

	out->space = SIMT_MEM_TEXTURE;
	SIMT_FOR_LANES(lane, mask)
	{
		if (fetch(l, w, e, lane, &v) != SIMT_NEXT)
			return SIMT_FAULTED;
		put_value(w->state, e->tex, lane, &v);
		out->addr[lane] = v.addr;
		out->access_mask |= v.addr ? 1u << lane : 0;
	}
	return SIMT_NEXT;
}

uint32_t simt_peek_texture(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t mask,
			   uint64_t *addr)
{
	struct simt_texel_value v;
	uint32_t lanes = 0;

	if (e->ptx->op != PTX_OP_TEX && e->ptx->op != PTX_OP_TLD4)
		return 0;
	SIMT_FOR_LANES(lane, mask)
	{
		if (fetch(l, w, e, lane, &v) != SIMT_NEXT)
			return 0;
		addr[lane] = v.addr;
		lanes |= v.addr ? 1u << lane : 0;
	}
	return lanes;
}

SIMT_RUN(simt_run_tld4)
{
	return simt_run_tex(l, w, e, mask, out);
}

SIMT_RUN(simt_run_query)
{
	struct simt_warp_state *s = w->state;

	(void)out;
	SIMT_FOR_LANES(lane, mask)
	{
		const struct simt_tex_desc *d = object_of(l, w, e, lane);
		uint32_t value = 1; /* mipmap levels, samples */

		if (!d)
			return SIMT_FAULTED;
		if (e->ptx->mods.query == PTX_QUERY_WIDTH)
			value = d->width;
		else if (e->ptx->mods.query == PTX_QUERY_HEIGHT)
			value = d->height;
		else if (e->ptx->mods.query == PTX_QUERY_DEPTH)
			value = d->depth;
		else if (e->ptx->mods.query == PTX_QUERY_ARRAY_SIZE)
			value = d->layers;
		else if (e->ptx->mods.query == PTX_QUERY_NORMALIZED_COORDS)
			value = d->is_normalized;
		if (e->tex->value[0].bytes)
			simt_lane_set(simt_row_mut(s, e->tex->value[0]), e->tex->value[0].bytes, lane, value);
	}
	return SIMT_NEXT;
}

/* ---- surfaces ---- */

static int64_t clamp_to(int64_t i, int64_t last)
{
	return i < 0 ? 0 : i > last ? last : i;
}

/* Address of a lane's surface access; x is in bytes. *addr 0: outside, and the access is dropped (.zero). */
static enum simt_next surface_address(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				      uint32_t lane, bool is_store, uint64_t *addr)
{
	const struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;
	const struct simt_tex_desc *d = object_of(l, w, e, lane);
	const uint32_t bytes = (uint32_t)op->bytes * op->count;
	int64_t i[3] = {0}, last[3];
	bool inside = true;

	*addr = 0;
	if (!d)
		return SIMT_FAULTED;
	last[0] = (int64_t)d->width * simt_texel_bytes(d) - bytes;
	last[1] = (int64_t)d->height - 1;
	last[2] = (int64_t)(d->layers ? d->layers : d->depth) - 1;
	for (uint32_t k = 0; k < op->dims; k++)
		i[k] = (int32_t)lane_u32(s, op->coord[k], lane);
	if (op->layer.bytes)
		i[2] = lane_u32(s, op->layer, lane);
	for (uint32_t k = 0; k < 3; k++)
		inside &= i[k] >= 0 && i[k] <= last[k];
	if (!inside && e->ptx->mods.clamp == PTX_CLAMP_ZERO)
		return SIMT_NEXT;
	if (!inside && e->ptx->mods.clamp != PTX_CLAMP_CLAMP)
		return simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS,
				  "surface access outside the surface: byte %lld, row %lld, slice %lld of %u x %u x %u "
				  "texels of %u bytes",
				  (long long)i[0], (long long)i[1], (long long)i[2], d->width, d->height,
				  d->layers ? d->layers : d->depth, simt_texel_bytes(d));
	for (uint32_t k = 0; k < 3; k++)
		i[k] = clamp_to(i[k], last[k]);
	*addr = d->addr + (uint64_t)i[2] * d->slice_bytes + (uint64_t)i[1] * d->pitch_bytes + (uint64_t)i[0];
	if (*addr % bytes)
		return simt_fault_align(l, w, e, lane, is_store, *addr, bytes);
	if (!simt_memory_find(l->mem, *addr, bytes))
		return simt_fault_access(l, w, e, lane, is_store, SIMT_MEM_GLOBAL, *addr, bytes, 0);
	return SIMT_NEXT;
}

/* Fills addr for all lanes; *inside are those that touch memory. */
static enum simt_next surface_addresses(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
					uint32_t mask, bool is_store, struct simt_step *out)
{
	out->space = SIMT_MEM_TEXTURE;
	SIMT_FOR_LANES(lane, mask)
	{
		if (surface_address(l, w, e, lane, is_store, &out->addr[lane]) != SIMT_NEXT)
			return SIMT_FAULTED;
		out->access_mask |= out->addr[lane] ? 1u << lane : 0;
	}
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_suld)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	if (surface_addresses(l, w, e, mask, false, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	for (uint32_t k = 0; k < op->count; k++) {
		if (!op->value[k].bytes)
			continue;
		void *row = simt_row_mut(s, op->value[k]);

		SIMT_FOR_LANES(lane, mask & ~out->access_mask)
		simt_lane_set(row, op->value[k].bytes, lane, 0);
		simt_gather(row, op->value[k].bytes, (uint64_t)k * op->bytes, out->addr, op->bytes, false,
			    out->access_mask);
	}
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_sust)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	if (surface_addresses(l, w, e, mask, true, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	for (uint32_t k = 0; k < op->count; k++)
		if (op->value[k].bytes)
			simt_scatter(simt_row(s, op->value[k]), op->value[k].bytes, (uint64_t)k * op->bytes, out->addr,
				     op->bytes, out->access_mask);
	return SIMT_NEXT;
}

SIMT_RUN(simt_run_sured)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	if (surface_addresses(l, w, e, mask, true, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	SIMT_FOR_LANES(lane, out->access_mask)
	op->atom((void *)(uintptr_t)out->addr[lane], simt_lane_get(simt_row(s, op->value[0]), op->value[0].bytes, lane),
		 0);
	return SIMT_NEXT;
}
