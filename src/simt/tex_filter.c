/* tex_filter.c - from coordinates to texels: cube faces, linear filter, mipmap levels, gathers (CUDA C++ Programming
 * Guide, Texture Fetching and Cubemap Textures).
 */
#include <math.h>
#include <string.h>

#include "simt/tex_fetch.h"

/* What a fetch has in common for all its texels. */
struct fetch {
	const struct simt_memory *mem;
	const struct simt_tex_desc *desc;
	const struct simt_tex_sampler *sampler;
	const struct simt_tex_at *at;
};

/* The index below x, kept where an int can hold it; NaN reads texel 0. */
static int32_t floor_index(float x)
{
	if (!(x == x))
		return 0;
	return x < -1e9f ? -1000000000 : x > 1e9f ? 1000000000 : (int32_t)floorf(x);
}

/* Coordinates in texels of a level, and the layer. */
struct place {
	float x[3];
	uint32_t layer;
};

/* The face that a direction hits and where: the axis with the largest part, z before y before x where they are equal.
 */
static void place_on_cube(const float d[3], uint32_t *face, float st[2])
{
	const float x = d[0], y = d[1], z = d[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
	float m, s, t;

	if (az >= ax && az >= ay) {
		*face = signbit(z) ? 5 : 4;
		m = az, s = signbit(z) ? -x : x, t = -y;
	} else if (ay >= ax) {
		*face = signbit(y) ? 3 : 2;
		m = ay, s = x, t = signbit(y) ? -z : z;
	} else {
		*face = signbit(x) ? 1 : 0;
		m = ax, s = signbit(x) ? z : -z, t = -y;
	}
	st[0] = (s / m + 1.0f) / 2.0f;
	st[1] = (t / m + 1.0f) / 2.0f;
}

static struct place place_of(const struct fetch *f, uint32_t level)
{
	const struct simt_tex_image *image = &f->desc->image[level];
	const float size[3] = {(float)image->width, (float)image->height, (float)image->depth};
	struct place p = {.layer = f->at->layer};
	uint32_t face;

	if (f->at->is_cube) {
		const uint32_t cubes = f->desc->layers / 6, cube = p.layer < cubes ? p.layer : cubes ? cubes - 1 : 0;

		place_on_cube(f->at->x, &face, p.x);
		p.layer = cube * 6 + face;
		p.x[0] *= size[0];
		p.x[1] *= size[1];
		return p;
	}
	for (uint32_t k = 0; k < f->at->dims; k++)
		p.x[k] = f->sampler->is_normalized ? f->at->x[k] * size[k] : f->at->x[k];
	return p;
}

static uint32_t dims_of(const struct fetch *f)
{
	return f->at->is_cube ? 2 : f->at->dims;
}

static bool read_point(const struct fetch *f, uint32_t level, struct simt_texel_value *v)
{
	const struct place p = place_of(f, level);
	int32_t i[3] = {0};

	for (uint32_t k = 0; k < dims_of(f); k++)
		i[k] = (f->at->is_int ? f->at->i[k] : floor_index(p.x[k])) + f->at->offset[k];
	return simt_texel_read(f->mem, f->desc, f->sampler, level, i, p.layer, v);
}

static bool read_linear(const struct fetch *f, uint32_t level, struct simt_texel_value *v)
{
	const struct place p = place_of(f, level);
	const uint32_t dims = dims_of(f);
	int32_t base[3] = {0};
	float weight[3] = {0};
	double sum[4] = {0};
	uint64_t addr = 0;

	for (uint32_t k = 0; k < dims; k++) {
		base[k] = floor_index(p.x[k] - 0.5f);
		weight[k] = rintf((p.x[k] - 0.5f - (float)base[k]) * 256.0f) / 256.0f;
		base[k] += f->at->offset[k];
	}
	for (uint32_t corner = 0; corner < 1u << dims; corner++) {
		int32_t i[3] = {base[0], base[1], base[2]};
		double w = 1;
		uint32_t side = corner;

		for (uint32_t k = 0; k < dims; k++, side >>= 1) {
			i[k] += (int32_t)(side & 1);
			w *= side & 1 ? weight[k] : 1.0f - weight[k];
		}
		if (!simt_texel_read(f->mem, f->desc, f->sampler, level, i, p.layer, v))
			return false;
		if (!addr)
			addr = v->addr;
		for (uint32_t c = 0; c < 4; c++)
			sum[c] += w != 0 ? w * v->f[c] : 0;
	}
	for (uint32_t c = 0; c < 4; c++)
		v->f[c] = (float)sum[c];
	v->addr = addr;
	return true;
}

static bool filters(const struct fetch *f)
{
	return f->sampler->is_linear_filter && !f->at->is_int && simt_texel_is_float(f->desc) &&
	       !f->desc->is_linear_memory;
}

static bool read_level(const struct fetch *f, uint32_t level, struct simt_texel_value *v)
{
	return filters(f) ? read_linear(f, level, v) : read_point(f, level, v);
}

/* Bias and limits of the sampler, then those of the levels there are. */
static float limited_lod(const struct fetch *f)
{
	float lod = f->at->lod + f->sampler->lod_bias;

	lod = fmaxf(lod, f->sampler->lod_min);
	lod = fminf(lod, f->sampler->lod_max);
	return fminf(fmaxf(lod, 0), (float)(f->desc->levels - 1));
}

bool simt_tex_fetch(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		    const struct simt_tex_at *at, struct simt_texel_value *v)
{
	const struct fetch f = {m, d, s, at};

	if (d->levels <= 1)
		return read_level(&f, 0, v);

	const float lod = limited_lod(&f);
	const uint32_t low = (uint32_t)lod;
	const float part = rintf((lod - (float)low) * 256.0f) / 256.0f;

	if (!s->is_linear_mip || !simt_texel_is_float(d))
		return read_level(&f, low + (part > 0.5f), v);
	if (part == 0)
		return read_level(&f, low, v);

	struct simt_texel_value fine;

	if (!read_level(&f, low, &fine) || !read_level(&f, low + 1, v))
		return false;
	for (uint32_t c = 0; c < 4; c++)
		v->f[c] = (float)((1.0 - part) * fine.f[c] + (double)part * v->f[c]);
	v->addr = fine.addr;
	return true;
}

bool simt_tex_gather(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		     const struct simt_tex_at *at, uint32_t c, struct simt_texel_value *v)
{
	static const int32_t step[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	const struct fetch f = {m, d, s, at};
	const struct place p = place_of(&f, 0);
	const int32_t x = floor_index(p.x[0] - 0.5f) + at->offset[0], y = floor_index(p.x[1] - 0.5f) + at->offset[1];
	struct simt_texel_value one;

	*v = (struct simt_texel_value){.is_float = simt_texel_is_float(d)};
	for (uint32_t k = 0; k < 4; k++) {
		const int32_t i[3] = {x + step[k][0], y + step[k][1], 0};

		if (!simt_texel_read(m, d, s, 0, i, p.layer, &one))
			return false;
		v->f[k] = one.f[c];
		v->i[k] = one.i[c];
		v->addr = one.addr;
	}
	return true;
}

static float length_in_texels(const struct simt_tex_desc *d, const struct simt_tex_sampler *s, uint32_t dims,
			      const float step[3])
{
	const float size[3] = {(float)d->image[0].width, (float)d->image[0].height, (float)d->image[0].depth};
	float sum = 0;

	for (uint32_t k = 0; k < dims; k++) {
		float texels = s->is_normalized ? step[k] * size[k] : step[k];

		sum += texels * texels;
	}
	return sqrtf(sum);
}

float simt_tex_gradient_lod(const struct simt_tex_desc *d, const struct simt_tex_sampler *s, uint32_t dims,
			    const float dx[3], const float dy[3])
{
	const float longest = fmaxf(length_in_texels(d, s, dims, dx), length_in_texels(d, s, dims, dy));

	return longest > 0 ? log2f(longest) : -(float)SIMT_TEX_LEVELS_MAX;
}
