/* tex_fetch.c - one texel: address modes, conversion (CUDA C++ Programming Guide, Texture Fetching). */
#include "simt/tex_fetch.h"

#include <math.h>
#include <string.h>

#include "simt/lanes.h"

static const uint8_t channel_bytes[] = {1, 2, 4, 1, 2, 4, 2, 4};

uint32_t simt_texel_bytes(const struct simt_tex_desc *d)
{
	return channel_bytes[d->texel] * (uint32_t)d->channels;
}

static int32_t modulo(int32_t i, int32_t n)
{
	int32_t r = i % n;

	return r < 0 ? r + n : r;
}

/* Applies an address mode to a texel index; false: the border. Wrap and mirror exist for normalised coordinates only.
 */
static bool address(const struct simt_tex_sampler *s, uint32_t dim, int32_t size, int32_t *i)
{
	uint8_t mode = s->address[dim];

	if (!s->is_normalized && (mode == SIMT_TEX_WRAP || mode == SIMT_TEX_MIRROR))
		mode = SIMT_TEX_CLAMP;
	if (*i >= 0 && *i < size)
		return true;
	switch (mode) {
	case SIMT_TEX_WRAP:
		*i = modulo(*i, size);
		return true;
	case SIMT_TEX_MIRROR:
		*i = modulo(*i, 2 * size);
		if (*i >= size)
			*i = 2 * size - 1 - *i;
		return true;
	case SIMT_TEX_CLAMP:
		*i = *i < 0 ? 0 : size - 1;
		return true;
	default:
		return false;
	}
}

static void set_missing(const struct simt_tex_desc *d, struct simt_texel_value *v)
{
	for (uint32_t c = d->channels; c < 4; c++) {
		v->f[c] = c == 3 ? 1.0f : 0.0f;
		v->i[c] = c == 3;
	}
}

/* IEC 61966-2-1: from a coded byte to linear intensity. */
static float linear_of_srgb(uint32_t byte)
{
	const double c = byte / 255.0;

	return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static void convert_channel(const struct simt_tex_desc *d, const uint8_t *at, uint32_t c, struct simt_texel_value *v)
{
	uint32_t raw = 0;

	memcpy(&raw, at, channel_bytes[d->texel]);
	switch ((enum simt_texel)d->texel) {
	case SIMT_TEXEL_U8:
		v->i[c] = raw;
		v->f[c] = d->is_srgb && c < 3 ? linear_of_srgb(raw) : (float)raw / 255.0f;
		break;
	case SIMT_TEXEL_U16:
		v->i[c] = raw;
		v->f[c] = (float)raw / 65535.0f;
		break;
	case SIMT_TEXEL_S8:
		v->i[c] = (uint32_t)(int8_t)raw;
		v->f[c] = fmaxf((float)(int8_t)raw / 127.0f, -1.0f);
		break;
	case SIMT_TEXEL_S16:
		v->i[c] = (uint32_t)(int16_t)raw;
		v->f[c] = fmaxf((float)(int16_t)raw / 32767.0f, -1.0f);
		break;
	case SIMT_TEXEL_F16:
		v->f[c] = simt_half_to_float((uint16_t)raw);
		break;
	case SIMT_TEXEL_F32:
		memcpy(&v->f[c], &raw, sizeof(raw));
		break;
	default: /* 32-bit integers are never normalised */
		v->i[c] = raw;
	}
}

bool simt_texel_is_float(const struct simt_tex_desc *d)
{
	if (d->texel == SIMT_TEXEL_F16 || d->texel == SIMT_TEXEL_F32)
		return true;
	return !d->is_integer_read && d->texel != SIMT_TEXEL_U32 && d->texel != SIMT_TEXEL_S32;
}

/* A read outside: the border colour's channels that the format has, bit by bit for integers. Beyond linear memory all
 * is zero. */
static void set_border(const struct simt_tex_desc *d, const struct simt_tex_sampler *s, struct simt_texel_value *v)
{
	if (d->is_linear_memory)
		return;
	set_missing(d, v);
	for (uint32_t c = 0; c < d->channels; c++) {
		v->f[c] = s->border[c];
		memcpy(&v->i[c], &v->f[c], sizeof(v->i[c]));
	}
}

bool simt_texel_read(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		     uint32_t level, const int32_t at[3], uint32_t layer, struct simt_texel_value *v)
{
	const struct simt_tex_image *image = &d->image[level];
	const int32_t size[3] = {(int32_t)image->width, (int32_t)image->height, (int32_t)image->depth};
	int32_t i[3] = {at[0], at[1], at[2]};
	bool inside = true;

	*v = (struct simt_texel_value){.is_float = simt_texel_is_float(d)};
	for (uint32_t k = 0; k < 3 && inside; k++)
		inside = d->is_linear_memory ? i[k] >= 0 && i[k] < size[k] : address(s, k, size[k], &i[k]);
	if (!inside) {
		set_border(d, s, v);
		return true;
	}
	set_missing(d, v);
	if (d->layers)
		i[2] = (int32_t)(layer < d->layers ? layer : d->layers - 1);
	v->addr = image->addr + (uint64_t)i[2] * image->slice_bytes + (uint64_t)i[1] * image->pitch_bytes +
		  (uint64_t)i[0] * simt_texel_bytes(d);
	if (!simt_memory_find(m, v->addr, simt_texel_bytes(d)) &&
	    !(simt_memory_tolerates_pages(m) && simt_memory_shares_page(m, v->addr, simt_texel_bytes(d))))
		return false;
	for (uint32_t c = 0; c < d->channels; c++)
		convert_channel(d, (const uint8_t *)(uintptr_t)v->addr + c * channel_bytes[d->texel], c, v);
	return true;
}
