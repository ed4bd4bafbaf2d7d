/* texref.c - texture and surface references: module variables of type .texref and .surfref, set up by the host.
 *
 * A reference owns a texture object; its variable holds the object's handle while the settings make sense together, and
 * zero otherwise. Settings take effect at once, hence for every later launch.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/texture.h"

/* Both kinds; a surface reference uses only the array. */
struct CUtexref_st {
	struct cuda_object object;
	struct CUmod_st *module; /* NULL: made by cuTexRefCreate */
	uint64_t addr;		 /* of the variable; 0: none */
	uint64_t handle;	 /* 0 until something was bound */
	const char *name;	 /* in the module */
	bool is_bound;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	CUarray_format format;
	int channels;
};

static void destroy_reference(struct cuda_object *o)
{
	struct CUtexref_st *r = (struct CUtexref_st *)o;

	if (r->handle)
		simt_texture_destroy(cuda_driver.textures, r->handle);
	cuda_object_remove(o);
	free(r);
}

bool cuda_reference_is_of(const struct cuda_object *o, const struct CUmod_st *m)
{
	return (o->kind == CUDA_KIND_TEXREF || o->kind == CUDA_KIND_SURFREF) &&
	       ((const struct CUtexref_st *)o)->module == m;
}

/* Makes the object and the variable what the settings say. */
static void refresh(struct CUtexref_st *r)
{
	struct simt_tex_desc t = {0};
	uint64_t value = 0;

	if (r->is_bound && cuda_texture_resource(&t, &r->resource) == CUDA_SUCCESS &&
	    (r->object.kind == CUDA_KIND_SURFREF || cuda_texture_sampling(&t, &r->texture) == CUDA_SUCCESS)) {
		if (r->handle)
			simt_texture_update(cuda_driver.textures, r->handle, &t);
		else
			r->handle = simt_texture_create(cuda_driver.textures, &t);
		value = r->handle;
	}
	if (!r->addr)
		return;
	simt_memory_touch(cuda_driver.mem);
	memcpy((void *)(uintptr_t)r->addr, &value, sizeof(value));
}

static struct CUtexref_st *new_reference(struct CUctx_st *ctx, enum cuda_kind kind)
{
	struct CUtexref_st *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->channels = 1;
	r->format = CU_AD_FORMAT_FLOAT;
	r->texture.maxMipmapLevelClamp = SIMT_TEX_LEVELS_MAX;
	cuda_object_add(&r->object, kind, ctx, destroy_reference);
	return r;
}

/* The reference to a module's variable, made at the first request. */
static CUresult find_reference(CUmodule module, const char *name, enum cuda_kind kind, enum ptx_type type,
			       struct CUtexref_st **found)
{
	uint64_t addr, size_bytes;

	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	for (struct cuda_object *o = module->object.ctx->first; o; o = o->next) {
		struct CUtexref_st *r = (struct CUtexref_st *)o;

		if (o->kind == kind && r->module == module && !strcmp(r->name, name)) {
			*found = r;
			return CUDA_SUCCESS;
		}
	}

	const struct ptx_var *v = ptx_module_var(module->ptx, name);

	if (!v || v->type != type || !simt_module_var(module->simt, name, &addr, &size_bytes))
		return CUDA_ERROR_NOT_FOUND;

	struct CUtexref_st *r = new_reference(module->object.ctx, kind);

	if (!r)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r->module = module;
	r->addr = addr;
	r->name = v->name;
	*found = r;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetTexRef(CUtexref *texref, CUmodule module, const char *name)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!texref || !name)
		return CUDA_ERROR_INVALID_VALUE;
	return find_reference(module, name, CUDA_KIND_TEXREF, PTX_TEXREF, texref);
}

CUresult cuModuleGetSurfRef(CUsurfref *surfref, CUmodule module, const char *name)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!surfref || !name)
		return CUDA_ERROR_INVALID_VALUE;
	return find_reference(module, name, CUDA_KIND_SURFREF, PTX_SURFREF, (struct CUtexref_st **)surfref);
}

CUresult cuTexRefCreate(CUtexref *texref)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!texref)
		return CUDA_ERROR_INVALID_VALUE;
	*texref = new_reference(call.ctx, CUDA_KIND_TEXREF);
	return *texref ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* First lines of what works on a live texture reference. */
#define TEXREF_CALL(texref) \
	CUDA_CALL(CUDA_NEEDS_HEALTH); \
	if (!cuda_object_is(texref, CUDA_KIND_TEXREF)) \
		return CUDA_ERROR_INVALID_HANDLE

CUresult cuTexRefDestroy(CUtexref texref)
{
	TEXREF_CALL(texref);
	if (texref->module)
		return CUDA_ERROR_INVALID_VALUE; /* it goes with its module */
	destroy_reference(&texref->object);
	return CUDA_SUCCESS;
}

/* ---- what it reads ---- */

static CUresult bind(struct CUtexref_st *r, const CUDA_RESOURCE_DESC *resource)
{
	struct simt_tex_desc t = {0};
	CUresult result = cuda_texture_resource(&t, resource);

	if (result != CUDA_SUCCESS)
		return result;
	r->resource = *resource;
	r->is_bound = true;
	refresh(r);
	return CUDA_SUCCESS;
}

CUresult cuTexRefSetArray(CUtexref texref, CUarray array, unsigned int flags)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};

	TEXREF_CALL(texref);
	if (flags != CU_TRSA_OVERRIDE_FORMAT)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = bind(texref, &resource);

	if (result == CUDA_SUCCESS) {
		texref->format = array->desc.Format;
		texref->channels = (int)array->desc.NumChannels;
	}
	return result;
}

CUresult cuTexRefSetMipmappedArray(CUtexref texref, CUmipmappedArray array, unsigned int flags)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
				       .res.mipmap.hMipmappedArray = array};

	TEXREF_CALL(texref);
	return flags == CU_TRSA_OVERRIDE_FORMAT ? bind(texref, &resource) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTexRefSetAddress_v2(size_t *offset_bytes, CUtexref texref, CUdeviceptr address, size_t bytes)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

	TEXREF_CALL(texref);
	resource.res.linear.devPtr = address;
	resource.res.linear.format = texref->format;
	resource.res.linear.numChannels = (unsigned int)texref->channels;
	resource.res.linear.sizeInBytes = bytes;

	CUresult result = bind(texref, &resource);

	if (result == CUDA_SUCCESS && offset_bytes)
		*offset_bytes = 0; /* a texture may begin at any texel's address */
	return result;
}

CUresult cuTexRefSetAddress2D_v3(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
				 size_t pitch_bytes)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};

	TEXREF_CALL(texref);
	if (!descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	resource.res.pitch2D.devPtr = address;
	resource.res.pitch2D.format = descriptor->Format;
	resource.res.pitch2D.numChannels = descriptor->NumChannels;
	resource.res.pitch2D.width = descriptor->Width;
	resource.res.pitch2D.height = descriptor->Height;
	resource.res.pitch2D.pitchInBytes = pitch_bytes;
	return bind(texref, &resource);
}

/* Of linear memory; arrays and rows say their own. */
CUresult cuTexRefSetFormat(CUtexref texref, CUarray_format format, int channels_count)
{
	TEXREF_CALL(texref);
	if (!cuda_format_bytes(format) || (channels_count != 1 && channels_count != 2 && channels_count != 4))
		return CUDA_ERROR_INVALID_VALUE;
	texref->format = format;
	texref->channels = channels_count;
	if (texref->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
		texref->resource.res.linear.format = format;
		texref->resource.res.linear.numChannels = (unsigned int)channels_count;
	}
	refresh(texref);
	return CUDA_SUCCESS;
}

/* ---- how it reads ---- */

/* Takes over changed settings if they are valid for any texture. */
static CUresult set_texture(struct CUtexref_st *r, const CUDA_TEXTURE_DESC *d)
{
	struct simt_tex_desc t = {.levels = 1};
	CUresult result = cuda_texture_sampling(&t, d);

	if (result != CUDA_SUCCESS)
		return result;
	r->texture = *d;
	refresh(r);
	return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddressMode(CUtexref texref, int dimension, CUaddress_mode mode)
{
	TEXREF_CALL(texref);
	if (dimension < 0 || dimension > 2)
		return CUDA_ERROR_INVALID_VALUE;

	CUDA_TEXTURE_DESC d = texref->texture;

	d.addressMode[dimension] = mode;
	return set_texture(texref, &d);
}

/* Setters of one field each. */
#define SETTER(name, type, field) \
	CUresult name(CUtexref texref, type value) \
	{ \
		TEXREF_CALL(texref); \
		CUDA_TEXTURE_DESC d = texref->texture; \
\
		d.field = value; \
		return set_texture(texref, &d); \
	}
SETTER(cuTexRefSetFilterMode, CUfilter_mode, filterMode)
SETTER(cuTexRefSetMipmapFilterMode, CUfilter_mode, mipmapFilterMode)
SETTER(cuTexRefSetMipmapLevelBias, float, mipmapLevelBias)
SETTER(cuTexRefSetMaxAnisotropy, unsigned int, maxAnisotropy)
SETTER(cuTexRefSetFlags, unsigned int, flags)

CUresult cuTexRefSetMipmapLevelClamp(CUtexref texref, float least, float most)
{
	TEXREF_CALL(texref);
	texref->texture.minMipmapLevelClamp = least;
	texref->texture.maxMipmapLevelClamp = most;
	refresh(texref);
	return CUDA_SUCCESS;
}

CUresult cuTexRefSetBorderColor(CUtexref texref, float *color)
{
	TEXREF_CALL(texref);
	if (!color)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(texref->texture.borderColor, color, sizeof(texref->texture.borderColor));
	refresh(texref);
	return CUDA_SUCCESS;
}

/* ---- questions ---- */

static bool is_bound_to(const struct CUtexref_st *r, CUresourcetype type)
{
	return r->is_bound && r->resource.resType == type;
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!address ||
	    (!is_bound_to(texref, CU_RESOURCE_TYPE_LINEAR) && !is_bound_to(texref, CU_RESOURCE_TYPE_PITCH2D)))
		return CUDA_ERROR_INVALID_VALUE;
	*address = is_bound_to(texref, CU_RESOURCE_TYPE_LINEAR) ? texref->resource.res.linear.devPtr
								: texref->resource.res.pitch2D.devPtr;
	return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!array || !is_bound_to(texref, CU_RESOURCE_TYPE_ARRAY))
		return CUDA_ERROR_INVALID_VALUE;
	*array = texref->resource.res.array.hArray;
	return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!array || !is_bound_to(texref, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY))
		return CUDA_ERROR_INVALID_VALUE;
	*array = texref->resource.res.mipmap.hMipmappedArray;
	return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref texref, int dimension)
{
	TEXREF_CALL(texref);
	if (!mode || dimension < 0 || dimension > 2)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = texref->texture.addressMode[dimension];
	return CUDA_SUCCESS;
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels_count, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!format || !channels_count)
		return CUDA_ERROR_INVALID_VALUE;
	*format = texref->format;
	*channels_count = texref->channels;
	return CUDA_SUCCESS;
}

#define GETTER(name, type, field) \
	CUresult name(type *value, CUtexref texref) \
	{ \
		TEXREF_CALL(texref); \
		if (!value) \
			return CUDA_ERROR_INVALID_VALUE; \
		*value = (type)texref->texture.field; \
		return CUDA_SUCCESS; \
	}
GETTER(cuTexRefGetFilterMode, CUfilter_mode, filterMode)
GETTER(cuTexRefGetMipmapFilterMode, CUfilter_mode, mipmapFilterMode)
GETTER(cuTexRefGetMipmapLevelBias, float, mipmapLevelBias)
GETTER(cuTexRefGetMaxAnisotropy, int, maxAnisotropy)
GETTER(cuTexRefGetFlags, unsigned int, flags)

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!least || !most)
		return CUDA_ERROR_INVALID_VALUE;
	*least = texref->texture.minMipmapLevelClamp;
	*most = texref->texture.maxMipmapLevelClamp;
	return CUDA_SUCCESS;
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref texref)
{
	TEXREF_CALL(texref);
	if (!color)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(color, texref->texture.borderColor, sizeof(texref->texture.borderColor));
	return CUDA_SUCCESS;
}

/* ---- surfaces ---- */

CUresult cuSurfRefSetArray(CUsurfref surfref, CUarray array, unsigned int flags)
{
	struct CUtexref_st *r = (struct CUtexref_st *)surfref;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};

	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(r, CUDA_KIND_SURFREF) || !cuda_object_is(array, CUDA_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags || !cuda_array_takes_surface(array))
		return CUDA_ERROR_INVALID_VALUE;
	return bind(r, &resource);
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surfref)
{
	const struct CUtexref_st *r = (const struct CUtexref_st *)surfref;

	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(r, CUDA_KIND_SURFREF))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!array || !r->is_bound)
		return CUDA_ERROR_INVALID_VALUE;
	*array = r->resource.res.array.hArray;
	return CUDA_SUCCESS;
}
