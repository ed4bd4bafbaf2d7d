/* tex_ops.c - executes texture fetches and the queries of textures, samplers and surfaces. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/lanes.h"
#include "simt/state.h"
#include "simt/tex_fetch.h"

static uint64_t handle_of(const struct simt_warp_state *s, struct simt_ref r, uint64_t addr, uint32_t lane)
{
	uint64_t handle;

	if (r.bytes)
		return simt_lane_get(simt_row(s, r), r.bytes, lane);
	memcpy(&handle, (const void *)(uintptr_t)addr, sizeof(handle));
	return handle;
}

const struct simt_tex_desc *simt_texture_of_lane(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
						 uint32_t lane)
{
	const struct simt_tex_op *op = e->tex;
	const uint64_t handle = handle_of(w->state, op->handle, op->handle_addr, lane);
	const struct simt_tex_desc *d = simt_texture_get(l->textures, handle);

	if (!d && !op->handle.bytes && !handle)
		simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS, "reference '%s' is not bound to a texture or surface",
			   e->ptx->src[0].var->name);
	else if (!d)
		simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS, "0x%llx is not the handle of a texture or surface object",
			   (unsigned long long)handle);
	return d;
}

/* A .samplerref's settings. What it leaves open, as mipmap filter and border colour, is the texture's. */
static struct simt_tex_sampler unpack_sampler(const struct simt_tex_sampler *texture, uint64_t packed)
{
	static const uint8_t modes[] = {[PTX_ADDR_WRAP] = SIMT_TEX_WRAP,
					[PTX_ADDR_MIRROR] = SIMT_TEX_MIRROR,
					[PTX_ADDR_CLAMP_TO_EDGE] = SIMT_TEX_CLAMP,
					[PTX_ADDR_CLAMP_TO_BORDER] = SIMT_TEX_BORDER};
	struct simt_tex_sampler s = *texture;

	for (uint32_t k = 0; k < 3; k++)
		s.address[k] = modes[packed >> (PTX_SAMPLER_ADDRESS_BITS * k) & 7];
	s.is_linear_filter = packed & PTX_SAMPLER_LINEAR;
	s.is_normalized &= !(packed & PTX_SAMPLER_UNNORMALIZED);
	return s;
}

/* The sampler that goes with a lane's texture: its own or, with a separate one, that. False: fault. */
static bool sampler_of(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
		       const struct simt_tex_desc *d, struct simt_tex_sampler *s)
{
	const struct simt_tex_op *op = e->tex;

	if (!op->has_sampler) {
		*s = d->sampler;
		return true;
	}
	const uint64_t handle = handle_of(w->state, op->sampler, op->sampler_addr, lane);
	const struct simt_tex_desc *other = simt_texture_get(l->textures, handle);

	if (!op->sampler.bytes || handle & PTX_SAMPLER_PACKED) {
		*s = unpack_sampler(&d->sampler, handle);
		return true;
	}
	if (!other) {
		simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS, "0x%llx is not the handle of a sampler or texture object",
			   (unsigned long long)handle);
		return false;
	}
	*s = other->sampler;
	return true;
}

static uint32_t lane_u32(const struct simt_warp_state *s, struct simt_ref r, uint32_t lane)
{
	return r.bytes ? (uint32_t)simt_lane_get(simt_row(s, r), r.bytes, lane) : 0;
}

static float lane_f32(const struct simt_warp_state *s, struct simt_ref r, uint32_t lane)
{
	const uint32_t bits = lane_u32(s, r, lane);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t channel_bits(const struct simt_texel_value *v, uint32_t c)
{
	uint32_t bits;

	if (!v->is_float)
		return v->i[c];
	memcpy(&bits, &v->f[c], sizeof(bits));
	return bits;
}

static uint32_t half_bits(const struct simt_texel_value *v, uint32_t c)
{
	return v->is_float ? simt_float_to_half(v->f[c]) : v->i[c] & 0xffff;
}

static void put_value(struct simt_warp_state *s, const struct simt_exec *e, uint32_t lane,
		      const struct simt_texel_value *v)
{
	const struct simt_tex_op *op = e->tex;
	const enum ptx_type type = e->ptx->type;

	for (uint32_t c = 0; c < op->count; c++) {
		const uint32_t bits = type == PTX_F16X2 ? half_bits(v, 2 * c) | half_bits(v, 2 * c + 1) << 16
				      : type == PTX_F16 ? half_bits(v, c)
							: channel_bits(v, c);

		if (op->value[c].bytes)
			simt_lane_set(simt_row_mut(s, op->value[c]), op->value[c].bytes, lane, bits);
	}
}

/* Where a lane reads, as its operands say. */
static struct simt_tex_at place_of(const struct simt_warp_state *s, const struct simt_exec *e, uint32_t lane,
				   const struct simt_tex_desc *d, const struct simt_tex_sampler *sampler)
{
	const struct simt_tex_op *op = e->tex;
	struct simt_tex_at at = {.dims = op->dims, .layer = lane_u32(s, op->layer, lane), .is_cube = op->is_cube,
				 .is_int = e->ptx->type2 != PTX_F32};
	float dx[3] = {0}, dy[3] = {0};

	for (uint32_t k = 0; k < op->dims; k++) {
		at.x[k] = lane_f32(s, op->coord[k], lane);
		at.i[k] = (int32_t)lane_u32(s, op->coord[k], lane);
		at.offset[k] = (int32_t)lane_u32(s, op->offset[k], lane);
		dx[k] = lane_f32(s, op->dx[k], lane);
		dy[k] = lane_f32(s, op->dy[k], lane);
	}
	if (e->ptx->mods.level == PTX_LEVEL_LEVEL)
		at.lod = at.is_int ? (float)(int32_t)lane_u32(s, op->lod, lane) : lane_f32(s, op->lod, lane);
	else if (e->ptx->mods.level == PTX_LEVEL_GRAD)
		at.lod = simt_tex_gradient_lod(d, sampler, op->dims, dx, dy);
	return at;
}

static enum simt_next fetch(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			    struct simt_texel_value *v)
{
	const struct simt_tex_desc *d = simt_texture_of_lane(l, w, e, lane);
	struct simt_tex_sampler sampler;
	bool ok;

	if (!d || !sampler_of(l, w, e, lane, d, &sampler))
		return SIMT_FAULTED;
	if (e->tex->is_cube && !d->is_cube) {
		simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS, "the texture object is not a cube map");
		return SIMT_FAULTED;
	}

	const struct simt_tex_at at = place_of(w->state, e, lane, d, &sampler);

	if (e->ptx->op == PTX_OP_TLD4)
		ok = simt_tex_gather(l->mem, d, &sampler, &at, e->ptx->mods.query - (uint32_t)PTX_QUERY_COMP_R, v);
	else
		ok = simt_tex_fetch(l->mem, d, &sampler, &at, v);
	if (ok)
		return SIMT_NEXT;
	return simt_fault_access(l, w, e, lane, false, SIMT_MEM_GLOBAL, v->addr, simt_texel_bytes(d), 0);
}

SIMT_RUN(simt_run_tex)
{
	/* A destination may be a coordinate's register: all lanes' fetches only read their own lane. */
	struct simt_texel_value v;

	out->space = SIMT_MEM_TEXTURE;
	SIMT_FOR_LANES(lane, mask) {
		if (fetch(l, w, e, lane, &v) != SIMT_NEXT)
			return SIMT_FAULTED;
		put_value(w->state, e, lane, &v);
		out->addr[lane] = v.addr;
		out->access_mask |= v.addr ? 1u << lane : 0;
	}
	/* All texels are resident: there are no sparse arrays. */
	simt_pred_set(w->state, e->pred_dst2, mask, UINT32_MAX);
	return SIMT_NEXT;
}

uint32_t simt_peek_texture(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t mask,
			   uint64_t *addr)
{
	struct simt_texel_value v;
	uint32_t lanes = 0;

	if (e->ptx->op != PTX_OP_TEX && e->ptx->op != PTX_OP_TLD4)
		return 0;
	SIMT_FOR_LANES(lane, mask) {
		if (fetch(l, w, e, lane, &v) != SIMT_NEXT)
			return 0;
		addr[lane] = v.addr;
		lanes |= v.addr ? 1u << lane : 0;
	}
	return lanes;
}

/* ---- queries ---- */

/* PTX ISA, Channel Data Type and Channel Order Fields: the numbers are OpenCL's. */
static uint32_t data_type(const struct simt_tex_desc *d)
{
	static const uint16_t as_integer[] = {0x10DA, 0x10DB, 0x10DC, 0x10D7, 0x10D8, 0x10D9, 0x10DD, 0x10DE},
			      as_float[] = {0x10D2, 0x10D3, 0x10DC, 0x10D0, 0x10D1, 0x10D9, 0x10DD, 0x10DE};

	return d->is_integer_read ? as_integer[d->texel] : as_float[d->texel];
}

static uint32_t channel_order(const struct simt_tex_desc *d)
{
	return d->channels == 1 ? 0x10B0 : d->channels == 2 ? 0x10B2 : 0x10B5;
}

/* PTX ISA, txq: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border. */
static uint32_t address_mode(const struct simt_tex_sampler *s, uint32_t dim)
{
	static const uint8_t modes[] = {[SIMT_TEX_WRAP] = PTX_ADDR_WRAP,
					[SIMT_TEX_CLAMP] = PTX_ADDR_CLAMP_TO_EDGE,
					[SIMT_TEX_MIRROR] = PTX_ADDR_MIRROR,
					[SIMT_TEX_BORDER] = PTX_ADDR_CLAMP_TO_BORDER};

	return modes[s->address[dim]];
}

static uint32_t answer(const struct simt_tex_desc *d, enum ptx_query query, uint32_t level)
{
	const struct simt_tex_image *image = &d->image[level < d->levels ? level : d->levels - 1];

	switch (query) {
	case PTX_QUERY_WIDTH:
		return image->width;
	case PTX_QUERY_HEIGHT:
		return image->height;
	case PTX_QUERY_DEPTH:
		return image->depth;
	case PTX_QUERY_ARRAY_SIZE:
		return d->is_cube ? d->layers / 6 : d->layers;
	case PTX_QUERY_NUM_MIPMAP_LEVELS:
		return d->levels;
	case PTX_QUERY_NORMALIZED_COORDS:
		return d->sampler.is_normalized;
	case PTX_QUERY_FILTER_MODE:
		return d->sampler.is_linear_filter;
	case PTX_QUERY_ADDR_MODE_0:
	case PTX_QUERY_ADDR_MODE_1:
	case PTX_QUERY_ADDR_MODE_2:
		return address_mode(&d->sampler, query - PTX_QUERY_ADDR_MODE_0);
	case PTX_QUERY_CHANNEL_DATA_TYPE:
		return data_type(d);
	case PTX_QUERY_CHANNEL_ORDER:
		return channel_order(d);
	case PTX_QUERY_MEMORY_LAYOUT:
		return d->is_linear_memory || d->is_pitch_linear;
	case PTX_QUERY_NUM_SAMPLES:
		return 1;
	default:
		UNREACHABLE("decode_query lets these pass");
	}
}

static uint32_t sampler_answer(uint64_t packed, enum ptx_query query)
{
	if (query == PTX_QUERY_FILTER_MODE)
		return !!(packed & PTX_SAMPLER_LINEAR);
	if (query == PTX_QUERY_FORCE_UNNORMALIZED)
		return !!(packed & PTX_SAMPLER_UNNORMALIZED);
	return packed >> (PTX_SAMPLER_ADDRESS_BITS * (query - PTX_QUERY_ADDR_MODE_0)) & 7;
}

SIMT_RUN(simt_run_query)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	(void)out;
	SIMT_FOR_LANES(lane, mask) {
		uint64_t packed = op->has_sampler ? handle_of(s, op->handle, op->handle_addr, lane) : 0;
		uint32_t value;

		if (op->has_sampler) {
			value = sampler_answer(packed, e->ptx->mods.query);
		} else {
			const struct simt_tex_desc *d = simt_texture_of_lane(l, w, e, lane);

			if (!d)
				return SIMT_FAULTED;
			value = answer(d, e->ptx->mods.query, lane_u32(s, op->lod, lane));
		}
		if (op->value[0].bytes)
			simt_lane_set(simt_row_mut(s, op->value[0]), op->value[0].bytes, lane, value);
	}
	return SIMT_NEXT;
}
