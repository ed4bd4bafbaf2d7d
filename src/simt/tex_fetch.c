/* tex_fetch.c - addressing, filtering and conversion of texels (CUDA C++ Programming Guide, Texture Fetching). */
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
static bool address(const struct simt_tex_desc *d, uint32_t dim, int32_t size, int32_t *i)
{
	uint8_t mode = d->address[dim];

	if (!d->is_normalized && (mode == SIMT_TEX_WRAP || mode == SIMT_TEX_MIRROR))
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

static void convert_channel(const struct simt_tex_desc *d, const uint8_t *at, uint32_t c, struct simt_texel_value *v)
{
	uint32_t raw = 0;

	memcpy(&raw, at, channel_bytes[d->texel]);
	switch ((enum simt_texel)d->texel) {
	case SIMT_TEXEL_U8:
		v->i[c] = raw;
		v->f[c] = (float)raw / 255.0f;
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

static bool reads_float(const struct simt_tex_desc *d)
{
	if (d->texel == SIMT_TEXEL_F16 || d->texel == SIMT_TEXEL_F32)
		return true;
	return !d->is_integer_read && d->texel != SIMT_TEXEL_U32 && d->texel != SIMT_TEXEL_S32;
}

bool simt_tex_fetch_int(const struct simt_memory *m, const struct simt_tex_desc *d, const int32_t at[3], uint32_t layer,
			struct simt_texel_value *v)
{
	const int32_t size[3] = {(int32_t)d->width, (int32_t)d->height, (int32_t)d->depth};
	int32_t i[3] = {at[0], at[1], at[2]};
	bool inside = true;

	*v = (struct simt_texel_value){.is_float = reads_float(d)};
	set_missing(d, v);
	for (uint32_t k = 0; k < 3 && inside; k++)
		inside = d->is_linear_memory ? i[k] >= 0 && i[k] < size[k] : address(d, k, size[k], &i[k]);
	if (!inside) {
		for (uint32_t c = 0; c < 4; c++)
			v->f[c] = 0, v->i[c] = 0;
		return true;
	}
	if (d->layers)
		i[2] = (int32_t)(layer < d->layers ? layer : d->layers - 1);
	v->addr = d->addr + (uint64_t)i[2] * d->slice_bytes + (uint64_t)i[1] * d->pitch_bytes +
		  (uint64_t)i[0] * simt_texel_bytes(d);
	if (!simt_memory_find(m, v->addr, simt_texel_bytes(d)))
		return false;
	for (uint32_t c = 0; c < d->channels; c++)
		convert_channel(d, (const uint8_t *)(uintptr_t)v->addr + c * channel_bytes[d->texel], c, v);
	return true;
}

/* Unnormalised coordinate; wrap and mirror are applied to the texel index later. */
static float scale(const struct simt_tex_desc *d, float x, uint32_t size)
{
	return d->is_normalized ? x * (float)size : x;
}

/* The index below x, kept where an int can hold it; NaN reads texel 0. */
static int32_t floor_index(float x)
{
	if (!(x == x))
		return 0;
	return x < -1e9f ? -1000000000 : x > 1e9f ? 1000000000 : (int32_t)floorf(x);
}

static bool fetch_linear(const struct simt_memory *m, const struct simt_tex_desc *d, const float x[3], uint32_t dims,
			 uint32_t layer, struct simt_texel_value *v)
{
	int32_t base[3] = {0};
	float weight[3] = {0};
	double sum[4] = {0};
	uint64_t addr = 0;

	for (uint32_t k = 0; k < dims; k++) {
		base[k] = floor_index(x[k] - 0.5f);
		weight[k] = rintf((x[k] - 0.5f - (float)base[k]) * 256.0f) / 256.0f;
	}
	for (uint32_t corner = 0; corner < 1u << dims; corner++) {
		int32_t at[3] = {base[0], base[1], base[2]};
		double w = 1;

		for (uint32_t k = 0; k < dims; k++) {
			at[k] += corner >> k & 1;
			w *= corner >> k & 1 ? weight[k] : 1.0f - weight[k];
		}
		if (!simt_tex_fetch_int(m, d, at, layer, v))
			return false;
		if (!addr)
			addr = v->addr;
		for (uint32_t c = 0; c < 4; c++)
			sum[c] += w * v->f[c];
	}
	for (uint32_t c = 0; c < 4; c++)
		v->f[c] = (float)sum[c];
	v->addr = addr;
	return true;
}

bool simt_tex_fetch_float(const struct simt_memory *m, const struct simt_tex_desc *d, const float at[3], uint32_t dims,
			  uint32_t layer, struct simt_texel_value *v)
{
	const uint32_t size[3] = {d->width, d->height, d->depth};
	float x[3] = {0};
	int32_t i[3] = {0};

	for (uint32_t k = 0; k < dims; k++) {
		x[k] = scale(d, at[k], size[k]);
		i[k] = floor_index(x[k]);
	}
	if (d->is_linear_filter && reads_float(d) && !d->is_linear_memory)
		return fetch_linear(m, d, x, dims, layer, v);
	return simt_tex_fetch_int(m, d, i, layer, v);
}

bool simt_tex_gather(const struct simt_memory *m, const struct simt_tex_desc *d, const float at[3], uint32_t layer,
		     uint32_t c, struct simt_texel_value *v)
{
	static const int32_t step[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	const int32_t x = floor_index(scale(d, at[0], d->width) - 0.5f),
		      y = floor_index(scale(d, at[1], d->height) - 0.5f);
	struct simt_texel_value one;

	*v = (struct simt_texel_value){.is_float = reads_float(d)};
	for (uint32_t k = 0; k < 4; k++) {
		const int32_t i[3] = {x + step[k][0], y + step[k][1], 0};

		if (!simt_tex_fetch_int(m, d, i, layer, &one))
			return false;
		v->f[k] = one.f[c];
		v->i[k] = one.i[c];
		v->addr = one.addr;
	}
	return true;
}
