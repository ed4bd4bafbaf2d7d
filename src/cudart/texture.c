/* texture.c - texture and surface objects. */
#include <string.h>

#include "cudart/array.h"
#include "cudart/priv.h"

/* ---- descriptions ---- */

static cudaError_t resource_to_driver(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *d)
{
	bool is_known = true;

	memset(d, 0, sizeof(*d));
	d->resType = (CUresourcetype)r->resType;
	switch (r->resType) {
	case cudaResourceTypeArray:
		d->res.array.hArray = (CUarray)r->res.array.array;
		break;
	case cudaResourceTypeMipmappedArray:
		d->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		is_known = cudart_format_to_driver(&r->res.linear.desc, &d->res.linear.format,
						   &d->res.linear.numChannels);
		d->res.linear.devPtr = (CUdeviceptr)r->res.linear.devPtr;
		d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		break;
	case cudaResourceTypePitch2D:
		is_known = cudart_format_to_driver(&r->res.pitch2D.desc, &d->res.pitch2D.format,
						   &d->res.pitch2D.numChannels);
		d->res.pitch2D.devPtr = (CUdeviceptr)r->res.pitch2D.devPtr;
		d->res.pitch2D.width = r->res.pitch2D.width;
		d->res.pitch2D.height = r->res.pitch2D.height;
		d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		break;
	default:
		return cudaErrorInvalidValue;
	}
	return is_known ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

static void resource_from_driver(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *r)
{
	memset(r, 0, sizeof(*r));
	r->resType = (enum cudaResourceType)d->resType;
	switch (d->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		r->res.array.array = (cudaArray_t)d->res.array.hArray;
		break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		r->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
		break;
	case CU_RESOURCE_TYPE_LINEAR:
		r->res.linear.devPtr = (void *)d->res.linear.devPtr;
		r->res.linear.desc = cudart_format_from_driver(d->res.linear.format, d->res.linear.numChannels);
		r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		r->res.pitch2D.devPtr = (void *)d->res.pitch2D.devPtr;
		r->res.pitch2D.desc = cudart_format_from_driver(d->res.pitch2D.format, d->res.pitch2D.numChannels);
		r->res.pitch2D.width = d->res.pitch2D.width;
		r->res.pitch2D.height = d->res.pitch2D.height;
		r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		break;
	}
}

/* Kind and size in bits of the elements that a resource holds. */
static cudaError_t resource_format(const struct cudaResourceDesc *r, struct cudaChannelFormatDesc *f)
{
	switch (r->resType) {
	case cudaResourceTypeArray:
		return cudaGetChannelDesc(f, r->res.array.array);
	case cudaResourceTypeLinear:
		*f = r->res.linear.desc;
		return cudaSuccess;
	case cudaResourceTypePitch2D:
		*f = r->res.pitch2D.desc;
		return cudaSuccess;
	default:
		*f = (struct cudaChannelFormatDesc){.f = cudaChannelFormatKindNone};
		return cudaSuccess;
	}
}

/* What of a resource's kind of elements decides how it is sampled. */
static cudaError_t check_sampling(const struct cudaTextureDesc *t, const struct cudaChannelFormatDesc *f)
{
	bool is_integer = f->f == cudaChannelFormatKindSigned || f->f == cudaChannelFormatKindUnsigned;

	if (!is_integer)
		return cudaSuccess;
	/* Integers become floats of [0, 1] or [-1, 1] only from 8 and 16 bits, and only floats can be filtered. */
	if (t->readMode == cudaReadModeNormalizedFloat)
		return f->x == 32 ? cudaErrorInvalidNormSetting : cudaSuccess;
	return t->filterMode == cudaFilterModeLinear ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

static void sampling_to_driver(const struct cudaTextureDesc *t, CUDA_TEXTURE_DESC *d)
{
	memset(d, 0, sizeof(*d));
	for (int i = 0; i < 3; i++)
		d->addressMode[i] = (CUaddress_mode)t->addressMode[i];
	d->filterMode = (CUfilter_mode)t->filterMode;
	if (t->readMode == cudaReadModeElementType)
		d->flags |= CU_TRSF_READ_AS_INTEGER;
	if (t->normalizedCoords)
		d->flags |= CU_TRSF_NORMALIZED_COORDINATES;
	if (t->sRGB)
		d->flags |= CU_TRSF_SRGB;
	if (t->disableTrilinearOptimization)
		d->flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
	d->maxAnisotropy = t->maxAnisotropy;
	d->mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode;
	d->mipmapLevelBias = t->mipmapLevelBias;
	d->minMipmapLevelClamp = t->minMipmapLevelClamp;
	d->maxMipmapLevelClamp = t->maxMipmapLevelClamp;
	memcpy(d->borderColor, t->borderColor, sizeof(d->borderColor));
}

static void sampling_from_driver(const CUDA_TEXTURE_DESC *d, struct cudaTextureDesc *t)
{
	memset(t, 0, sizeof(*t));
	for (int i = 0; i < 3; i++)
		t->addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
	t->filterMode = (enum cudaTextureFilterMode)d->filterMode;
	t->readMode = d->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
	t->normalizedCoords = !!(d->flags & CU_TRSF_NORMALIZED_COORDINATES);
	t->sRGB = !!(d->flags & CU_TRSF_SRGB);
	t->disableTrilinearOptimization = !!(d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
	t->maxAnisotropy = d->maxAnisotropy;
	t->mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode;
	t->mipmapLevelBias = d->mipmapLevelBias;
	t->minMipmapLevelClamp = d->minMipmapLevelClamp;
	t->maxMipmapLevelClamp = d->maxMipmapLevelClamp;
	memcpy(t->borderColor, d->borderColor, sizeof(t->borderColor));
}

/* ---- textures ---- */

static cudaError_t create_texture(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
				  const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
	struct cudaChannelFormatDesc format;
	CUDA_RESOURCE_DESC r;
	CUDA_TEXTURE_DESC t;
	CUDA_RESOURCE_VIEW_DESC v = {0};

	CUDART_ENTER();
	if (!object || !resource || !texture)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = resource_format(resource, &format);

	if (e == cudaSuccess)
		e = check_sampling(texture, &format);
	if (e == cudaSuccess)
		e = resource_to_driver(resource, &r);
	if (e != cudaSuccess)
		return cudart_fail(e);
	sampling_to_driver(texture, &t);
	if (view) {
		v.format = (CUresourceViewFormat)view->format; /* the same numbers */
		v.width = view->width;
		v.height = view->height;
		v.depth = view->depth;
		v.firstMipmapLevel = view->firstMipmapLevel;
		v.lastMipmapLevel = view->lastMipmapLevel;
		v.firstLayer = view->firstLayer;
		v.lastLayer = view->lastLayer;
	}
	return cudart_result(cuTexObjectCreate(object, &r, &t, view ? &v : NULL));
}

CUDART_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
					       const struct cudaTextureDesc *texture,
					       const struct cudaResourceViewDesc *view)
{
	return create_texture(object, resource, texture, view);
}

CUDART_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	CUDART_ENTER();
	return cudart_result(cuTexObjectDestroy(object));
}

CUDART_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
	CUDA_RESOURCE_DESC d;

	CUDART_ENTER();
	if (!resource)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuTexObjectGetResourceDesc(&d, object));

	if (e == cudaSuccess)
		resource_from_driver(&d, resource);
	return e;
}

CUDART_API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t object)
{
	CUDA_TEXTURE_DESC d;

	CUDART_ENTER();
	if (!texture)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuTexObjectGetTextureDesc(&d, object));

	if (e == cudaSuccess)
		sampling_from_driver(&d, texture);
	return e;
}

#if CUDART_VERSION < 12000
/* 11.8 gave the longer texture description, and the calls that take it, names of their own. */
CUDART_API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
						  const struct cudaTextureDesc *texture,
						  const struct cudaResourceViewDesc *view);
CUDART_API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
						  const struct cudaTextureDesc *texture,
						  const struct cudaResourceViewDesc *view)
{
	return create_texture(object, resource, texture, view);
}
#endif

/* ---- surfaces ---- */

CUDART_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC d;

	CUDART_ENTER();
	if (!object || !resource)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = resource_to_driver(resource, &d);

	return e == cudaSuccess ? cudart_result(cuSurfObjectCreate(object, &d)) : cudart_fail(e);
}

CUDART_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	CUDART_ENTER();
	return cudart_result(cuSurfObjectDestroy(object));
}

CUDART_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
	CUDA_RESOURCE_DESC d;

	CUDART_ENTER();
	if (!resource)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuSurfObjectGetResourceDesc(&d, object));

	if (e == cudaSuccess)
		resource_from_driver(&d, resource);
	return e;
}
