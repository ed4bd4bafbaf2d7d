/* texture_desc.c - what a texture reads and how, from the driver's descriptions to the simulator's. */
#include <string.h>

#include "base/check.h"
#include "cuda/texture.h"

static bool format_texel(CUarray_format f, uint8_t *texel)
{
	switch (f) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
		*texel = SIMT_TEXEL_U8;
		return true;
	case CU_AD_FORMAT_UNSIGNED_INT16:
		*texel = SIMT_TEXEL_U16;
		return true;
	case CU_AD_FORMAT_UNSIGNED_INT32:
		*texel = SIMT_TEXEL_U32;
		return true;
	case CU_AD_FORMAT_SIGNED_INT8:
		*texel = SIMT_TEXEL_S8;
		return true;
	case CU_AD_FORMAT_SIGNED_INT16:
		*texel = SIMT_TEXEL_S16;
		return true;
	case CU_AD_FORMAT_SIGNED_INT32:
		*texel = SIMT_TEXEL_S32;
		return true;
	case CU_AD_FORMAT_HALF:
		*texel = SIMT_TEXEL_F16;
		return true;
	case CU_AD_FORMAT_FLOAT:
		*texel = SIMT_TEXEL_F32;
		return true;
	}
	return false;
}

static bool set_format(struct simt_tex_desc *t, CUarray_format format, unsigned int channels)
{
	t->channels = (uint8_t)channels;
	return format_texel(format, &t->texel) && (channels == 1 || channels == 2 || channels == 4);
}

static void set_image(struct simt_tex_image *image, const struct CUarray_st *a)
{
	image->addr = a->addr;
	image->pitch_bytes = a->pitch_bytes;
	image->slice_bytes = a->slice_bytes;
	image->width = (uint32_t)a->desc.Width;
	image->height = (uint32_t)a->rows;
	image->depth = a->desc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) ? 1 : (uint32_t)a->slices;
}

static void set_array(struct simt_tex_desc *t, const struct CUarray_st *a)
{
	set_format(t, a->desc.Format, a->desc.NumChannels);
	t->is_cube = a->desc.Flags & CUDA_ARRAY3D_CUBEMAP;
	t->layers = t->is_cube || a->desc.Flags & CUDA_ARRAY3D_LAYERED ? (uint32_t)a->slices : 0;
	t->levels = 1;
	set_image(&t->image[0], a);
}

static void set_mipmap(struct simt_tex_desc *t, const struct CUmipmappedArray_st *m)
{
	set_array(t, m->level[0]);
	t->levels = m->levels;
	for (uint32_t i = 1; i < m->levels; i++)
		set_image(&t->image[i], m->level[i]);
}

/* Whether memory begins there. How far it reaches is no matter of the texture but of each fetch, which may fault: the
 * interface does not have such a check, and programs make textures that are longer than what they read of them. */
static bool begins_on_device(uint64_t addr, uint64_t texel_bytes)
{
	return cuda_range_is_device(addr, texel_bytes);
}

static CUresult set_linear(struct simt_tex_desc *t, uint64_t addr, CUarray_format format, unsigned int channels,
			   uint64_t bytes)
{
	uint64_t texels;

	if (!set_format(t, format, channels) ||
	    !begins_on_device(addr, (uint64_t)cuda_format_bytes(format) * channels))
		return CUDA_ERROR_INVALID_VALUE;
	texels = bytes / (cuda_format_bytes(format) * channels);
	if (!texels || texels > 1u << 28 || addr + bytes < addr)
		return CUDA_ERROR_INVALID_VALUE;
	t->image[0] = (struct simt_tex_image){addr, bytes, bytes, (uint32_t)texels, 1, 1};
	t->levels = 1;
	t->is_linear_memory = true;
	return CUDA_SUCCESS;
}

static CUresult set_pitch2d(struct simt_tex_desc *t, uint64_t addr, CUarray_format format, unsigned int channels,
			    uint64_t width, uint64_t height, uint64_t pitch_bytes)
{
	if (!set_format(t, format, channels) || !width || !height || width > 131072 || height > 65000 ||
	    pitch_bytes < width * cuda_format_bytes(format) * channels || pitch_bytes > 2097120 ||
	    !begins_on_device(addr, (uint64_t)cuda_format_bytes(format) * channels) ||
	    addr + height * pitch_bytes < addr)
		return CUDA_ERROR_INVALID_VALUE;
	t->image[0] = (struct simt_tex_image){addr, pitch_bytes, pitch_bytes * height, (uint32_t)width,
					      (uint32_t)height, 1};
	t->levels = 1;
	t->is_pitch_linear = true;
	return CUDA_SUCCESS;
}

CUresult cuda_texture_resource(struct simt_tex_desc *t, const CUDA_RESOURCE_DESC *r)
{
	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		if (!cuda_object_is(r->res.array.hArray, CUDA_KIND_ARRAY))
			return CUDA_ERROR_INVALID_HANDLE;
		set_array(t, r->res.array.hArray);
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_LINEAR:
		return set_linear(t, r->res.linear.devPtr, r->res.linear.format, r->res.linear.numChannels,
				  r->res.linear.sizeInBytes);
	case CU_RESOURCE_TYPE_PITCH2D:
		return set_pitch2d(t, r->res.pitch2D.devPtr, r->res.pitch2D.format, r->res.pitch2D.numChannels,
				   r->res.pitch2D.width, r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		if (!cuda_object_is(r->res.mipmap.hMipmappedArray, CUDA_KIND_MIPMAP))
			return CUDA_ERROR_INVALID_HANDLE;
		set_mipmap(t, r->res.mipmap.hMipmappedArray);
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda_texture_sampling(struct simt_tex_desc *t, const CUDA_TEXTURE_DESC *d)
{
	const unsigned int known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
				   CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
	struct simt_tex_sampler *s = &t->sampler;

	for (uint32_t i = 0; i < 3; i++) {
		if ((unsigned int)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		s->address[i] = (uint8_t)d->addressMode[i];
	}
	if ((unsigned int)d->filterMode > CU_TR_FILTER_MODE_LINEAR || d->flags & ~known ||
	    (unsigned int)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR || d->maxAnisotropy > 16)
		return CUDA_ERROR_INVALID_VALUE;
	if (d->flags & CU_TRSF_SEAMLESS_CUBEMAP)
		return cuda_not_supported("CU_TRSF_SEAMLESS_CUBEMAP");
	if (d->maxAnisotropy > 1 && t->levels > 1)
		return cuda_not_supported("maxAnisotropy above 1 for a mipmapped texture");
	s->is_linear_filter = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
	s->is_linear_mip = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
	s->is_normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
	s->lod_bias = d->mipmapLevelBias;
	s->lod_min = d->minMipmapLevelClamp;
	s->lod_max = d->maxMipmapLevelClamp;
	memcpy(s->border, d->borderColor, sizeof(s->border));
	t->is_integer_read = d->flags & CU_TRSF_READ_AS_INTEGER;
	t->is_srgb = d->flags & CU_TRSF_SRGB;
	return CUDA_SUCCESS;
}

/* ---- views ---- */

static uint32_t texel_bytes(const struct simt_tex_desc *t)
{
	static const uint8_t bytes[] = {[SIMT_TEXEL_U8] = 1,  [SIMT_TEXEL_U16] = 2, [SIMT_TEXEL_U32] = 4,
					[SIMT_TEXEL_S8] = 1,  [SIMT_TEXEL_S16] = 2, [SIMT_TEXEL_S32] = 4,
					[SIMT_TEXEL_F16] = 2, [SIMT_TEXEL_F32] = 4};

	return bytes[t->texel] * (uint32_t)t->channels;
}

/* CUresourceViewFormat goes through the formats in this order, each with 1, 2 and 4 channels. */
static const CUarray_format view_formats[] = {
	CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
	CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT,
};

static bool is_size_of(const struct simt_tex_desc *t, const CUDA_RESOURCE_VIEW_DESC *v)
{
	const struct simt_tex_image *i = &t->image[0];

	return (!v->width || v->width == i->width) && (!v->height || v->height == i->height) &&
	       (!v->depth || v->depth == (t->layers ? t->layers : i->depth));
}

CUresult cuda_texture_view(struct simt_tex_desc *t, const CUDA_RESOURCE_VIEW_DESC *v)
{
	static const unsigned int counts[] = {1, 2, 4};
	const unsigned int at = (unsigned int)v->format - 1;
	const uint32_t bytes = texel_bytes(t);

	if (at >= 3 * ARRAY_COUNT(view_formats))
		return cuda_not_supported("a resource view of a block-compressed format");
	if (t->is_linear_memory || t->is_pitch_linear)
		return CUDA_ERROR_INVALID_VALUE;

	const CUarray_format format = view_formats[at / 3];

	if (cuda_format_bytes(format) * counts[at % 3] != bytes || !is_size_of(t, v) ||
	    v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= t->levels ||
	    v->firstLayer > v->lastLayer || v->lastLayer >= (t->layers ? t->layers : 1))
		return CUDA_ERROR_INVALID_VALUE;
	set_format(t, format, counts[at % 3]);
	t->levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
	memmove(t->image, t->image + v->firstMipmapLevel, t->levels * sizeof(t->image[0]));
	if (t->layers)
		t->layers = v->lastLayer - v->firstLayer + 1;
	for (uint32_t i = 0; i < t->levels; i++)
		t->image[i].addr += v->firstLayer * t->image[i].slice_bytes;
	return CUDA_SUCCESS;
}
