/* texture.c - texture and surface objects, and the references that module variables are. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "simt/texture.h"

/* ---- descriptions ---- */

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

static void set_array(struct simt_tex_desc *t, const struct CUarray_st *a)
{
	bool is_layered = a->desc.Flags & CUDA_ARRAY3D_LAYERED;

	set_format(t, a->desc.Format, a->desc.NumChannels);
	t->addr = a->addr;
	t->pitch_bytes = a->pitch_bytes;
	t->slice_bytes = a->slice_bytes;
	t->width = (uint32_t)a->desc.Width;
	t->height = (uint32_t)a->rows;
	t->depth = is_layered ? 1 : (uint32_t)a->slices;
	t->layers = is_layered ? (uint32_t)a->slices : 0;
}

static CUresult set_linear(struct simt_tex_desc *t, uint64_t addr, CUarray_format format, unsigned int channels,
			   uint64_t bytes)
{
	uint64_t texels;

	if (!set_format(t, format, channels) || !cuda_range_is_device(addr, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	texels = bytes / (cuda_format_bytes(format) * channels);
	if (!texels || texels > 1u << 28)
		return CUDA_ERROR_INVALID_VALUE;
	t->addr = addr;
	t->width = (uint32_t)texels;
	t->height = t->depth = 1;
	t->pitch_bytes = t->slice_bytes = bytes;
	t->is_linear_memory = true;
	return CUDA_SUCCESS;
}

static CUresult set_pitch2d(struct simt_tex_desc *t, uint64_t addr, CUarray_format format, unsigned int channels,
			    uint64_t width, uint64_t height, uint64_t pitch_bytes)
{
	if (!set_format(t, format, channels) || !width || !height || width > 131072 || height > 65000 ||
	    pitch_bytes < width * cuda_format_bytes(format) * channels || pitch_bytes > 2097120 ||
	    !cuda_range_is_device(addr, (height - 1) * pitch_bytes + width * cuda_format_bytes(format) * channels))
		return CUDA_ERROR_INVALID_VALUE;
	t->addr = addr;
	t->width = (uint32_t)width;
	t->height = (uint32_t)height;
	t->depth = 1;
	t->pitch_bytes = pitch_bytes;
	t->slice_bytes = pitch_bytes * height;
	return CUDA_SUCCESS;
}

static CUresult set_resource(struct simt_tex_desc *t, const CUDA_RESOURCE_DESC *r)
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
		return cuda_not_supported("a texture of a mipmapped array");
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_sampling(struct simt_tex_desc *t, const CUDA_TEXTURE_DESC *d)
{
	const unsigned int known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
				   CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;

	for (uint32_t i = 0; i < 3; i++) {
		if ((unsigned int)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		t->address[i] = (uint8_t)d->addressMode[i];
	}
	if ((unsigned int)d->filterMode > CU_TR_FILTER_MODE_LINEAR || d->flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	if (d->flags & CU_TRSF_SRGB)
		return cuda_not_supported("CU_TRSF_SRGB");
	for (uint32_t i = 0; i < 4; i++) {
		if (d->borderColor[i] != 0)
			return cuda_not_supported("a border colour that is not zero");
	}
	t->is_linear_filter = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
	t->is_normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
	t->is_integer_read = d->flags & CU_TRSF_READ_AS_INTEGER;
	return CUDA_SUCCESS;
}

/* ---- objects ---- */

/* Behind a texture or surface object; found by its number. */
struct object {
	struct cuda_object object;
	uint64_t handle;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
};

static GHashTable *by_handle(void)
{
	static GHashTable *table;

	if (!table)
		table = g_hash_table_new(g_int64_hash, g_int64_equal);
	return table;
}

static void destroy_object(struct cuda_object *o)
{
	struct object *x = (struct object *)o;

	g_hash_table_remove(by_handle(), &x->handle);
	simt_texture_destroy(cuda_driver.textures, x->handle);
	cuda_object_remove(o);
	free(x);
}

static struct object *find_object(uint64_t handle, enum cuda_kind kind)
{
	struct object *x = g_hash_table_lookup(by_handle(), &handle);

	return x && x->object.kind == kind ? x : NULL;
}

static CUresult create_object(struct CUctx_st *ctx, enum cuda_kind kind, const CUDA_RESOURCE_DESC *resource,
			      const CUDA_TEXTURE_DESC *texture, uint64_t *handle)
{
	struct simt_tex_desc t = {0};
	CUresult result = set_resource(&t, resource);

	if (result == CUDA_SUCCESS && texture)
		result = set_sampling(&t, texture);
	if (result != CUDA_SUCCESS)
		return result;

	struct object *x = calloc(1, sizeof(*x));

	if (!x)
		return CUDA_ERROR_OUT_OF_MEMORY;
	x->resource = *resource;
	if (texture)
		x->texture = *texture;
	x->handle = simt_texture_create(cuda_driver.textures, &t);
	cuda_object_add(&x->object, kind, ctx, destroy_object);
	g_hash_table_insert(by_handle(), &x->handle, x);
	*handle = x->handle;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
			   const CUDA_RESOURCE_VIEW_DESC *view)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!object || !resource || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	if (view && view->format != CU_RES_VIEW_FORMAT_NONE)
		return cuda_not_supported("cuTexObjectCreate with a resource view");

	uint64_t handle;
	CUresult result = create_object(call.ctx, CUDA_KIND_TEXOBJECT, resource, texture, &handle);

	if (result == CUDA_SUCCESS)
		*object = handle;
	return result;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_TEXOBJECT);

	if (!x)
		return CUDA_ERROR_INVALID_VALUE;
	destroy_object(&x->object);
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_TEXOBJECT);

	if (!x || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = x->resource;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_TEXOBJECT);

	if (!x || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	*texture = x->texture;
	return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t handle;
	CUresult result = create_object(call.ctx, CUDA_KIND_SURFOBJECT, resource, NULL, &handle);

	if (result == CUDA_SUCCESS)
		*object = handle;
	return result;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_SURFOBJECT);

	if (!x)
		return CUDA_ERROR_INVALID_VALUE;
	destroy_object(&x->object);
	return CUDA_SUCCESS;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_SURFOBJECT);

	if (!x || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = x->resource;
	return CUDA_SUCCESS;
}
