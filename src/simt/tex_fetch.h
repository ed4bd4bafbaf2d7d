/* tex_fetch.h - what one lane's texture fetch returns. Not for other folders. */
#ifndef STRATA_SIMT_TEX_FETCH_H
#define STRATA_SIMT_TEX_FETCH_H

#include "simt/memory.h"
#include "simt/texture.h"

/* Four channels: floats if is_float, else integers extended to 32 bits. */
struct simt_texel_value {
	float f[4];
	uint32_t i[4];
	bool is_float;
	uint64_t addr; /* of the first texel read; 0 if none was */
};

/* Where a lane reads. */
struct simt_tex_at {
	float x[3];	   /* coordinates as given, or a direction from the cube's centre */
	int32_t i[3];	   /* the same as integers, if is_int: texels, no filter */
	int32_t offset[3]; /* texels added to them */
	uint32_t dims;	   /* 1 to 3 of them are used */
	uint32_t layer;	   /* of a layered texture; number of the cube */
	float lod;	   /* level of detail before bias and limits */
	bool is_int, is_cube;
};

uint32_t simt_texel_bytes(const struct simt_tex_desc *d);
/* The object's texels are read as floats: they are floats, or integers that are normalised. */
bool simt_texel_is_float(const struct simt_tex_desc *d);

/* One texel: address modes are applied to (x, y, z). False if the texture's memory is not allocated. */
bool simt_texel_read(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		     uint32_t level, const int32_t at[3], uint32_t layer, struct simt_texel_value *v);

/* A fetch with the sampler's filter. Weights have 8 fraction bits (CUDA C++ Programming Guide, Linear Filtering). */
bool simt_tex_fetch(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		    const struct simt_tex_at *at, struct simt_texel_value *v);
/* The four texels that a bilinear fetch would use, channel c of each, in tld4's order. */
bool simt_tex_gather(const struct simt_memory *m, const struct simt_tex_desc *d, const struct simt_tex_sampler *s,
		     const struct simt_tex_at *at, uint32_t c, struct simt_texel_value *v);
/* The level of detail of a pixel whose texture coordinates change by dx and dy to its neighbours (tex.grad). */
float simt_tex_gradient_lod(const struct simt_tex_desc *d, const struct simt_tex_sampler *s, uint32_t dims,
			    const float dx[3], const float dy[3]);

#endif
