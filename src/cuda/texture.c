/* texture.c - texture and surface objects. */
#include <stdlib.h>
#include <string.h>

#include "cuda/texture.h"

/* Behind a texture or surface object; found by its number. */
struct object {
	struct cuda_object object;
	uint64_t handle;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	CUDA_RESOURCE_VIEW_DESC view; /* format NONE: there is none */
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
			      const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view,
			      unsigned long long *handle)
{
	struct simt_tex_desc t = {0};
	CUresult result = cuda_texture_resource(&t, resource);

	if (result == CUDA_SUCCESS && texture)
		result = cuda_texture_sampling(&t, texture);
	if (result == CUDA_SUCCESS && view)
		result = cuda_texture_view(&t, view);
	if (result != CUDA_SUCCESS)
		return result;

	struct object *x = calloc(1, sizeof(*x));

	if (!x)
		return CUDA_ERROR_OUT_OF_MEMORY;
	x->resource = *resource;
	if (texture)
		x->texture = *texture;
	if (view)
		x->view = *view;
	x->handle = simt_texture_create(cuda_driver.textures, &t);
	cuda_object_add(&x->object, kind, ctx, destroy_object);
	g_hash_table_insert(by_handle(), &x->handle, x);
	*handle = x->handle;
	return CUDA_SUCCESS;
}

static CUresult destroy_handle(uint64_t handle, enum cuda_kind kind)
{
	struct object *x = find_object(handle, kind);

	if (!x)
		return CUDA_ERROR_INVALID_VALUE;
	destroy_object(&x->object);
	return CUDA_SUCCESS;
}

static CUresult resource_of(uint64_t handle, enum cuda_kind kind, CUDA_RESOURCE_DESC *resource)
{
	const struct object *x = find_object(handle, kind);

	if (!x || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = x->resource;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
			   const CUDA_RESOURCE_VIEW_DESC *view)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!object || !resource || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	if (view && view->format == CU_RES_VIEW_FORMAT_NONE)
		view = NULL;

	return create_object(call.ctx, CUDA_KIND_TEXOBJECT, resource, texture, view, object);
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return destroy_handle(object, CUDA_KIND_TEXOBJECT);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return resource_of(object, CUDA_KIND_TEXOBJECT, resource);
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

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct object *x = find_object(object, CUDA_KIND_TEXOBJECT);

	if (!x || !view || x->view.format == CU_RES_VIEW_FORMAT_NONE)
		return CUDA_ERROR_INVALID_VALUE;
	*view = x->view;
	return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;

	CUarray array = resource->res.array.hArray;

	if (cuda_object_is(array, CUDA_KIND_ARRAY) && !cuda_array_takes_surface(array))
		return CUDA_ERROR_INVALID_VALUE;
	return create_object(call.ctx, CUDA_KIND_SURFOBJECT, resource, NULL, NULL, object);
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return destroy_handle(object, CUDA_KIND_SURFOBJECT);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return resource_of(object, CUDA_KIND_SURFOBJECT, resource);
}
