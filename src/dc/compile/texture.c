/* texture.c - fetches from textures become loads (section 3.5: texture memory is remapped to global memory).
 *
 * An object's texels lie in device memory, row by row. What the object is, the launch knows, and so the compiler does
 * where the handle is a parameter of the kernel, or a variable's value: a fetch of one texel is then the coordinates'
 * indexes, held inside or tested as the object's address modes say, a load, and the conversion of its format. What a
 * texture unit filters, layers, cubes and mipmaps are not replaced.
 */
#include "dc/compile/priv.h"
#include "dc/param.h"

#include <string.h>

#include "simt/texture.h"

enum { DIMS = 3, CHANNELS = 4, FAR_INDEX = 1000000000 /* as far as a coordinate may be from the object */ };

static const struct ptx_operand none;

struct fetch {
	struct dcc *c;
	const struct ptx_inst *i;
	const struct simt_tex_desc *d;
	uint32_t dims;
	struct ptx_operand inside; /* predicate; NONE: all lanes are */
};

/* ---- which object ---- */

/* The one instruction that writes a register, without guard; NULL: there are others. */
static const struct ptx_inst *definition(const struct dcc *c, uint32_t reg)
{
	const struct ptx_inst *found = NULL;
	struct ptx_reg_use use;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		ptx_inst_regs(&c->func->insts[n], &use);
		for (uint32_t w = 0; w < use.write_count; w++) {
			if (use.writes[w] != reg)
				continue;
			if (found || c->func->insts[n].has_guard)
				return NULL;
			found = &c->func->insts[n];
		}
	}
	return found;
}

/* The parameter that a handle is. */
static bool param_of(const struct dcc *c, const struct ptx_operand *o, uint64_t *at)
{
	enum { MOVES_MAX = 16 };

	for (uint32_t moves = 0; moves < MOVES_MAX && o->kind == PTX_OPND_REG; moves++) {
		const struct ptx_inst *i = definition(c, o->reg);

		if (!i || i->dst.kind != PTX_OPND_REG)
			return false;
		if (dc_param_is_load(i))
			return ptx_type_bytes(i->type) == 8 && dc_param_place(i, c->entry->param_bytes, at);
		if (i->op != PTX_OP_MOV)
			return false;
		o = &i->src[0];
	}
	return false;
}

static const struct simt_tex_desc *object_of(const struct dcc *c, const struct ptx_operand *o)
{
	uint64_t at = 0;

	if (!c->o->texture)
		return NULL;
	if (o->kind == PTX_OPND_VAR || (o->kind == PTX_OPND_ADDR && o->reg == UINT32_MAX && o->var))
		return o->offset ? NULL : c->o->texture(c->o->texture_self, o->var, 0);
	return param_of(c, o, &at) ? c->o->texture(c->o->texture_self, NULL, at) : NULL;
}

/* ---- what can be replaced ---- */

static uint32_t dims_of(const struct ptx_inst *i)
{
	return i->mods.geom == PTX_1D ? 1 : i->mods.geom == PTX_2D ? 2 : i->mods.geom == PTX_3D ? 3 : 0;
}

static uint32_t channel_bytes(const struct simt_tex_desc *d)
{
	static const uint8_t bytes[] = {1, 2, 4, 1, 2, 4, 2, 4};

	return bytes[d->texel];
}

static bool is_float(const struct simt_tex_desc *d)
{
	return d->texel == SIMT_TEXEL_F16 || d->texel == SIMT_TEXEL_F32 ||
	       (!d->is_integer_read && d->texel != SIMT_TEXEL_U32 && d->texel != SIMT_TEXEL_S32);
}

static bool is_filtered(const struct ptx_inst *i, const struct simt_tex_desc *d)
{
	return d->sampler.is_linear_filter && i->type2 == PTX_F32 && is_float(d) && !d->is_linear_memory;
}

static bool is_plain(const struct ptx_inst *i, const struct simt_tex_desc *d)
{
	const struct simt_tex_image *image = &d->image[0];
	const uint64_t row = MAX(image->pitch_bytes, (uint64_t)image->width * channel_bytes(d) * d->channels);
	const bool has_sampler = i->src_count > 2 && i->src[2].kind != PTX_OPND_NONE;

	return dims_of(i) && i->mods.vec == CHANNELS && i->mods.level == PTX_LEVEL_NONE && !has_sampler &&
	       i->dst2.kind == PTX_OPND_NONE && i->dst.kind == PTX_OPND_VEC && ptx_type_bytes(i->type) == 4 &&
	       i->type != PTX_F16X2 && d->levels == 1 && !d->layers && !d->is_cube && !d->is_srgb &&
	       !is_filtered(i, d) && image->slice_bytes * (image->depth - 1) + row * image->height <= UINT32_MAX;
}

/* ---- indexes ---- */

static struct ptx_operand element(const struct ptx_operand *list, uint32_t k)
{
	return list->kind == PTX_OPND_VEC ? list->elems[k] : *list;
}

static bool has_one_bit(uint64_t n)
{
	return !(n & (n - 1));
}

static struct ptx_operand scaled(struct dcc *c, struct ptx_operand a, uint64_t by)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, PTX_U32));
	struct ptx_inst *i;

	if (has_one_bit(by))
		return dcc_temp(c, PTX_OP_SHL, PTX_B32, a, dcc_imm((uint64_t)__builtin_ctzll(by), PTX_U32));
	i = dcc_op(c, PTX_OP_MUL, PTX_U32, d, a, dcc_imm(by, PTX_U32), none);
	i->mods.part = PTX_LO_HALF;
	i->has_guard = false;
	return d;
}

/* a modulo n, not negative. */
static struct ptx_operand modulo(struct dcc *c, struct ptx_operand a, uint32_t n)
{
	struct ptx_operand rest, up;

	if (has_one_bit(n))
		return dcc_temp(c, PTX_OP_AND, PTX_B32, a, dcc_imm(n - 1, PTX_U32));
	rest = dcc_temp(c, PTX_OP_REM, PTX_S32, a, dcc_imm(n, PTX_S32));
	up = dcc_temp(c, PTX_OP_ADD, PTX_S32, rest, dcc_imm(n, PTX_S32));
	return dcc_temp_selp(c, PTX_S32, up, rest, dcc_temp_setp(c, PTX_LT, PTX_S32, rest, dcc_imm(0, PTX_S32)));
}

static struct ptx_operand held(struct dcc *c, struct ptx_operand a, int32_t least, int32_t most)
{
	a = dcc_temp(c, PTX_OP_MAX, PTX_S32, a, dcc_imm((uint64_t)(int64_t)least, PTX_S32));
	return dcc_temp(c, PTX_OP_MIN, PTX_S32, a, dcc_imm((uint64_t)(int64_t)most, PTX_S32));
}

static void test(struct fetch *f, struct ptx_operand index, uint32_t size)
{
	const struct ptx_operand is = dcc_temp_setp(f->c, PTX_LT, PTX_U32, index, dcc_imm(size, PTX_U32));

	f->inside = f->inside.kind == PTX_OPND_NONE ? is : dcc_temp(f->c, PTX_OP_AND, PTX_PRED, f->inside, is);
}

/* The texel that a coordinate is in, whether there is one or not. */
static struct ptx_operand coordinate(struct fetch *f, uint32_t dim, uint32_t size)
{
	struct ptx_operand at = element(&f->i->src[1], dim), x = at, offset;
	struct ptx_inst *cvt;

	if (f->i->type2 == PTX_F32) {
		if (f->d->sampler.is_normalized) {
			const float by = (float)size;
			uint32_t bits;

			memcpy(&bits, &by, sizeof(bits));
			x = dcc_temp(f->c, PTX_OP_MUL, PTX_F32, at, dcc_imm(bits, PTX_F32));
		}
		at = dcc_reg(dcc_reg_new(f->c, PTX_S32));
		cvt = dcc_op(f->c, PTX_OP_CVT, PTX_S32, at, x, none, none);
		cvt->type2 = PTX_F32;
		cvt->mods.round = PTX_RMI;
		cvt->has_guard = false;
		at = held(f->c, at, -FAR_INDEX, FAR_INDEX);
	}
	if (f->i->src_count <= 3 || f->i->src[3].kind == PTX_OPND_NONE)
		return at;
	offset = element(&f->i->src[3], dim);
	return dcc_temp(f->c, PTX_OP_ADD, PTX_S32, at, offset);
}

static struct ptx_operand index_of(struct fetch *f, uint32_t dim, uint32_t size)
{
	const struct simt_tex_sampler *s = &f->d->sampler;
	struct ptx_operand at = coordinate(f, dim, size), back;
	enum simt_tex_address mode = s->address[dim];

	if (!s->is_normalized && (mode == SIMT_TEX_WRAP || mode == SIMT_TEX_MIRROR))
		mode = SIMT_TEX_CLAMP;
	if (f->d->is_linear_memory)
		mode = SIMT_TEX_BORDER;
	switch (mode) {
	case SIMT_TEX_WRAP:
		return modulo(f->c, at, size);
	case SIMT_TEX_MIRROR:
		at = modulo(f->c, at, 2 * size);
		back = dcc_temp(f->c, PTX_OP_SUB, PTX_S32, dcc_imm(2 * size - 1, PTX_S32), at);
		return dcc_temp(f->c, PTX_OP_MIN, PTX_S32, at, back);
	case SIMT_TEX_CLAMP:
		return held(f->c, at, 0, (int32_t)size - 1);
	default:
		test(f, at, size);
		return at;
	}
}

static struct ptx_operand address(struct fetch *f)
{
	const struct simt_tex_image *image = &f->d->image[0];
	const uint32_t sizes[DIMS] = {image->width, image->height, image->depth};
	const uint64_t bytes[DIMS] = {channel_bytes(f->d) * f->d->channels, image->pitch_bytes, image->slice_bytes};
	struct ptx_operand sum = none;

	for (uint32_t k = 0; k < f->dims; k++) {
		const struct ptx_operand one = scaled(f->c, index_of(f, k, sizes[k]), bytes[k]);

		sum = k ? dcc_temp(f->c, PTX_OP_ADD, PTX_U32, sum, one) : one;
	}
	return dcc_temp(f->c, PTX_OP_ADD, PTX_U64, dcc_temp_cvt(f->c, PTX_U64, PTX_U32, sum),
			dcc_imm(image->addr, PTX_U64));
}

/* ---- texels ---- */

static enum ptx_type loaded_type(const struct simt_tex_desc *d)
{
	static const uint8_t types[] = {PTX_U8, PTX_U16, PTX_B32, PTX_S8, PTX_S16, PTX_B32, PTX_B16, PTX_B32};

	return (enum ptx_type)types[d->texel];
}

/* What is outside has: its colour's channels, of linear memory zeros. */
static uint32_t outside(const struct simt_tex_desc *d, uint32_t channel)
{
	uint32_t bits = 0;

	if (!d->is_linear_memory)
		memcpy(&bits, &d->sampler.border[channel], sizeof(bits));
	return bits;
}

/* Lanes that load: those that the instruction's guard lets, and that are inside. */
static void guard_is(struct fetch *f, struct ptx_inst *load)
{
	const struct ptx_inst *i = f->i;
	struct ptx_operand lets = i->has_guard ? dcc_reg(i->guard_reg) : none;

	load->has_guard = i->has_guard;
	load->guard_reg = i->guard_reg;
	load->guard_negate = i->guard_negate;
	if (f->inside.kind == PTX_OPND_NONE)
		return;
	if (i->has_guard && i->guard_negate)
		lets = dcc_temp(f->c, PTX_OP_NOT, PTX_PRED, lets, none);
	load->has_guard = true;
	load->guard_negate = false;
	load->guard_reg = i->has_guard ? dcc_temp(f->c, PTX_OP_AND, PTX_PRED, lets, f->inside).reg : f->inside.reg;
}

/* A register is 32 bits of an array, or a half. */
static void load(struct fetch *f, struct ptx_operand at, struct ptx_operand out[CHANNELS])
{
	const uint32_t count = f->d->channels;
	struct ptx_inst ld = {.op = PTX_OP_LD,
			      .type = loaded_type(f->d),
			      .src_count = 1,
			      .line = f->i->line,
			      .col = f->i->col,
			      .loc = f->i->loc,
			      .text = f->i->text};

	for (uint32_t k = 0; k < count; k++) {
		out[k] = dcc_reg(dcc_reg_new(f->c, ld.type == PTX_B16 ? PTX_B16 : PTX_B32));
		dcc_op(f->c, PTX_OP_MOV, ld.type == PTX_B16 ? PTX_B16 : PTX_B32, out[k], dcc_imm(0, PTX_U32), none,
		       none)
		    ->has_guard = false;
	}
	ld.mods.space = PTX_GLOBAL;
	ld.mods.vec = count > 1 ? (uint8_t)count : 0;
	ld.src[0] = (struct ptx_operand){.kind = PTX_OPND_ADDR, .reg = at.reg};
	ld.dst = count > 1 ? (struct ptx_operand){.kind = PTX_OPND_VEC,
						  .reg = UINT32_MAX,
						  .elem_count = (uint8_t)count,
						  .elems = ptx_arena_copy(f->c->arena, out, count * sizeof(*out))}
			   : out[0];
	guard_is(f, &ld);
	dcc_emit(f->c, &ld);
}

static struct ptx_operand quotient(struct dcc *c, struct ptx_operand a, enum ptx_type from, float by)
{
	struct ptx_operand d = dcc_reg(dcc_reg_new(c, PTX_F32)), q = dcc_reg(dcc_reg_new(c, PTX_F32));
	struct ptx_inst *i = dcc_op(c, PTX_OP_CVT, PTX_F32, d, a, none, none);
	uint32_t bits;

	i->type2 = from;
	i->mods.round = PTX_RN;
	i->has_guard = false;
	memcpy(&bits, &by, sizeof(bits));
	i = dcc_op(c, PTX_OP_DIV, PTX_F32, q, d, dcc_imm(bits, PTX_F32), none);
	i->mods.round = PTX_RN;
	i->has_guard = false;
	return q;
}

static struct ptx_operand not_below_minus_one(struct dcc *c, struct ptx_operand a)
{
	return dcc_temp(c, PTX_OP_MAX, PTX_F32, a, dcc_imm(0xbf800000, PTX_F32));
}

static struct ptx_operand converted(struct fetch *f, struct ptx_operand a)
{
	struct dcc *c = f->c;

	if (f->d->texel == SIMT_TEXEL_F16)
		return dcc_temp_cvt(c, PTX_F32, PTX_F16, a);
	if (!is_float(f->d))
		return a;
	switch ((enum simt_texel)f->d->texel) {
	case SIMT_TEXEL_U8: return quotient(c, a, PTX_U32, 255.0f);
	case SIMT_TEXEL_U16: return quotient(c, a, PTX_U32, 65535.0f);
	case SIMT_TEXEL_S8: return not_below_minus_one(c, quotient(c, a, PTX_S32, 127.0f));
	case SIMT_TEXEL_S16: return not_below_minus_one(c, quotient(c, a, PTX_S32, 32767.0f));
	default: return a;
	}
}

/* Channels that the format has not: 0, 0 and 1. */
static struct ptx_operand missing(struct fetch *f, uint32_t channel)
{
	const uint32_t one = is_float(f->d) ? 0x3f800000 : 1;

	if (channel < CHANNELS - 1)
		return dcc_imm(0, PTX_U32);
	if (f->inside.kind == PTX_OPND_NONE || !f->d->is_linear_memory)
		return dcc_imm(one, PTX_U32);
	return dcc_temp_selp(f->c, PTX_B32, dcc_imm(one, PTX_U32), dcc_imm(0, PTX_U32), f->inside);
}

bool dcc_lower_texture(struct dcc *c, const struct ptx_inst *i)
{
	struct fetch f = {.c = c, .i = i, .dims = dims_of(i)};
	struct ptx_operand out[CHANNELS];

	if (i->op != PTX_OP_TEX)
		return false;
	f.d = object_of(c, &i->src[0]);
	if (!f.d || !is_plain(i, f.d))
		return false;
	load(&f, address(&f), out);
	for (uint32_t k = 0; k < CHANNELS && k < i->dst.elem_count; k++) {
		if (k >= f.d->channels) {
			out[k] = missing(&f, k);
			continue;
		}
		out[k] = converted(&f, out[k]);
		if (f.inside.kind != PTX_OPND_NONE)
			out[k] = dcc_temp_selp(c, PTX_B32, out[k], dcc_imm(outside(f.d, k), PTX_U32), f.inside);
	}
	for (uint32_t k = 0; k < CHANNELS && k < i->dst.elem_count; k++)
		if (i->dst.elems[k].kind == PTX_OPND_REG)
			dcc_mov(c, PTX_B32, i->dst.elems[k], out[k]);
	return true;
}
