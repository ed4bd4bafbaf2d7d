/* surf_ops.c - executes surface instructions: suld, sust, sured. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/lanes.h"
#include "simt/state.h"
#include "simt/tex_fetch.h"

static int64_t clamp_to(int64_t i, int64_t last)
{
	return i < 0 ? 0 : i > last ? last : i;
}

/* Bytes of a lane's access: as many as the instruction says, or a formatted sample. */
static uint32_t access_bytes(const struct simt_exec *e, const struct simt_tex_desc *d)
{
	if (e->ptx->op == PTX_OP_SUST && !e->ptx->mods.b_form)
		return simt_texel_bytes(d);
	return (uint32_t)e->tex->bytes * e->tex->count;
}

/* Byte, row and slice of a lane's access, as given. */
static void surface_place(const struct simt_warp_state *s, const struct simt_exec *e, uint32_t lane,
			  const struct simt_tex_desc *d, int64_t i[3])
{
	const struct simt_tex_op *op = e->tex;

	for (uint32_t k = 0; k < 3; k++)
		i[k] = k < op->dims ? (int32_t)simt_lane_get(simt_row(s, op->coord[k]), op->coord[k].bytes, lane) : 0;
	if (op->layer.bytes)
		i[2] = (int64_t)simt_lane_get(simt_row(s, op->layer), op->layer.bytes, lane);
	if (!e->ptx->mods.b_form)
		i[0] *= simt_texel_bytes(d); /* counted in samples */
}

/* Address of a lane's surface access. *addr 0: outside, and the access is dropped (.zero). */
static enum simt_next surface_address(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				      uint32_t lane, bool is_store, uint64_t *addr)
{
	const struct simt_tex_desc *d = simt_texture_of_lane(l, w, e, lane);
	int64_t i[3], last[3];
	bool inside = true;

	*addr = 0;
	if (!d)
		return SIMT_FAULTED;

	const struct simt_tex_image *image = &d->image[0];
	const uint32_t bytes = access_bytes(e, d), slices = d->layers ? d->layers : image->depth;

	last[0] = (int64_t)image->width * simt_texel_bytes(d) - bytes;
	last[1] = (int64_t)image->height - 1;
	last[2] = (int64_t)slices - 1;
	surface_place(w->state, e, lane, d, i);
	for (uint32_t k = 0; k < 3; k++)
		inside &= i[k] >= 0 && i[k] <= last[k];
	if (!inside && e->ptx->mods.clamp == PTX_CLAMP_ZERO)
		return SIMT_NEXT;
	if (!inside && (e->ptx->mods.clamp != PTX_CLAMP_CLAMP || last[0] < 0))
		return simt_fault(l, w, e, lane, SIMT_FAULT_ADDRESS,
				  "surface access outside the surface: byte %lld, row %lld, slice %lld of %u x %u x %u "
				  "texels of %u bytes",
				  (long long)i[0], (long long)i[1], (long long)i[2], image->width, image->height,
				  slices, simt_texel_bytes(d));
	for (uint32_t k = 0; k < 3; k++)
		i[k] = clamp_to(i[k], last[k]);
	*addr = image->addr + (uint64_t)i[2] * image->slice_bytes + (uint64_t)i[1] * image->pitch_bytes +
		(uint64_t)i[0];
	if (i[0] % bytes)
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
	SIMT_FOR_LANES(lane, mask) {
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

/* One channel of a formatted store: 32 bits, a float for float formats, to the surface's type (PTX ISA, sust.p). */
static void put_channel(const struct simt_tex_desc *d, uint8_t *at, uint32_t bits)
{
	uint16_t half;
	float f;

	switch ((enum simt_texel)d->texel) {
	case SIMT_TEXEL_U8:
	case SIMT_TEXEL_S8:
		*at = (uint8_t)bits;
		break;
	case SIMT_TEXEL_U16:
	case SIMT_TEXEL_S16:
		memcpy(at, &bits, 2);
		break;
	case SIMT_TEXEL_F16:
		memcpy(&f, &bits, sizeof(f));
		half = simt_float_to_half(f);
		memcpy(at, &half, sizeof(half));
		break;
	default:
		memcpy(at, &bits, sizeof(bits));
	}
}

SIMT_RUN(simt_run_sust_formatted)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	if (surface_addresses(l, w, e, mask, true, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	SIMT_FOR_LANES(lane, out->access_mask) {
		const struct simt_tex_desc *d = simt_texture_of_lane(l, w, e, lane);
		const uint32_t step = simt_texel_bytes(d) / d->channels;

		for (uint32_t c = 0; c < op->count && c < d->channels; c++)
			put_channel(d, (uint8_t *)(uintptr_t)out->addr[lane] + c * step,
				    (uint32_t)simt_lane_get(simt_row(s, op->value[c]), op->value[c].bytes, lane));
	}
	return SIMT_NEXT;
}

/* A formatted reduction takes signed integers where the surface holds them. */
static simt_atom_fn reduction(const struct simt_exec *e, const struct simt_tex_desc *d)
{
	if (e->ptx->mods.b_form || d->texel != SIMT_TEXEL_S32)
		return e->tex->atom;
	return simt_atom_find((enum ptx_atom)e->ptx->mods.atom, PTX_S32);
}

SIMT_RUN(simt_run_sured)
{
	struct simt_warp_state *s = w->state;
	const struct simt_tex_op *op = e->tex;

	if (surface_addresses(l, w, e, mask, true, out) != SIMT_NEXT)
		return SIMT_FAULTED;
	SIMT_FOR_LANES(lane, out->access_mask)
		reduction(e, simt_texture_of_lane(l, w, e, lane))((void *)(uintptr_t)out->addr[lane],
			  simt_lane_get(simt_row(s, op->value[0]), op->value[0].bytes, lane), 0);
	return SIMT_NEXT;
}
