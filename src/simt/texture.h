/* texture.h - texture and surface objects: what tex, tld4, txq, suld, sust, sured and suq read and write.
 *
 * Texels lie in device memory, row by row and slice by slice, whatever they were bound from (linear memory, pitched
 * memory, an array); the modelled texture unit has no other layout. An object is a 64-bit handle, as a texture object
 * of the driver API or as the value of a .texref or .surfref module variable. A .samplerref variable holds a packed
 * sampler instead (ptx/ptx.h, ptx_sampler).
 */
#ifndef STRATA_SIMT_TEXTURE_H
#define STRATA_SIMT_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum simt_texel { SIMT_TEXEL_U8, SIMT_TEXEL_U16, SIMT_TEXEL_U32, SIMT_TEXEL_S8, SIMT_TEXEL_S16, SIMT_TEXEL_S32,
		  SIMT_TEXEL_F16, SIMT_TEXEL_F32 };

/* Coordinates outside the texture (CUDA C++ Programming Guide, Texture Fetching; wrap and mirror need normalised
 * coordinates, else they clamp). The values are those of CUaddress_mode. */
enum simt_tex_address { SIMT_TEX_WRAP, SIMT_TEX_CLAMP, SIMT_TEX_MIRROR, SIMT_TEX_BORDER };

/* Sides of up to 2^17 texels have this many mipmap levels. */
enum { SIMT_TEX_LEVELS_MAX = 18 };

/* One mipmap level. */
struct simt_tex_image {
	uint64_t addr;		/* device address of texel (0, 0, 0) */
	uint64_t pitch_bytes;	/* from row to row */
	uint64_t slice_bytes;	/* from slice or layer to the next */
	uint32_t width, height, depth; /* texels; 1 where there is no such dimension */
};

struct simt_tex_sampler {
	uint8_t address[3];	/* enum simt_tex_address */
	bool is_linear_filter;	/* else point */
	bool is_linear_mip;	/* between two mipmap levels; else the nearest one */
	bool is_normalized;	/* coordinates run from 0 to 1 */
	float lod_bias, lod_min, lod_max; /* levels */
	float border[4];	/* what lies outside with SIMT_TEX_BORDER */
};

struct simt_tex_desc {
	struct simt_tex_image image[SIMT_TEX_LEVELS_MAX];
	uint32_t levels;	/* of image in use; at least 1 */
	uint32_t layers;	/* 0: not layered; 6 per cube */
	uint8_t channels;	/* 1, 2, 4 */
	uint8_t texel;		/* enum simt_texel */
	bool is_cube;		/* layers are the faces +x -x +y -y +z -z of cubes */
	bool is_integer_read;	/* integer texels are read as they are, not as normalised floats */
	bool is_srgb;		/* unsigned bytes of colour channels are sRGB, read as linear floats */
	bool is_linear_memory;	/* 1D linear memory: integer coordinates, no filter, out of range reads zero */
	bool is_pitch_linear;	/* rows in plain memory, not an array: suq.memory_layout */
	struct simt_tex_sampler sampler;
};

struct simt_textures;

struct simt_textures *simt_textures_new(void);
void simt_textures_free(struct simt_textures *t);
/* Registers a copy of desc. Returns its handle, never 0. */
uint64_t simt_texture_create(struct simt_textures *t, const struct simt_tex_desc *desc);
/* False if there is no such object. */
bool simt_texture_destroy(struct simt_textures *t, uint64_t handle);
/* The object means something else from now on; false if there is no such object. */
bool simt_texture_update(struct simt_textures *t, uint64_t handle, const struct simt_tex_desc *desc);
/* NULL if there is no such object. Valid until it is destroyed. */
const struct simt_tex_desc *simt_texture_get(const struct simt_textures *t, uint64_t handle);

#endif
