/* array.c - CUDA arrays: rows of texels in device memory, padded to the texture unit's alignment. */
#include <stdlib.h>

#include "cuda/driver.h"

enum { ROW_ALIGN_BYTES = 32 }; /* CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT */

uint32_t cuda_format_bytes(CUarray_format f)
{
	switch (f) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	}
	return 0;
}

static void destroy_array(struct cuda_object *o)
{
	struct CUarray_st *a = (struct CUarray_st *)o;

	cuda_object_remove(o);
	simt_memory_release(cuda_driver.mem, a->addr);
	free(a);
}

bool cuda_array_takes_surface(const struct CUarray_st *a)
{
	return a->is_level || a->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST;
}

static uint64_t at_least_1(uint64_t n)
{
	return n ? n : 1;
}

CUresult cuda_array_create(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d, CUarray *array)
{
	const unsigned int known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
				   CUDA_ARRAY3D_TEXTURE_GATHER;
	uint64_t component = cuda_format_bytes(d->Format), row_bytes, slice_bytes, bytes;

	if (!d->Width || !component || (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) ||
	    d->Flags & ~known || (d->Depth && !d->Height && !(d->Flags & CUDA_ARRAY3D_LAYERED)))
		return CUDA_ERROR_INVALID_VALUE;
	if (d->Flags & CUDA_ARRAY3D_CUBEMAP &&
	    (d->Width != d->Height || !d->Depth || d->Depth % 6 ||
	     (d->Depth != 6 && !(d->Flags & CUDA_ARRAY3D_LAYERED))))
		return CUDA_ERROR_INVALID_VALUE;

	struct CUarray_st *a = calloc(1, sizeof(*a));

	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	a->desc = *d;
	a->element_bytes = (uint32_t)(component * d->NumChannels);
	a->rows = at_least_1(d->Height);
	a->slices = at_least_1(d->Depth);
	if (__builtin_mul_overflow(d->Width, a->element_bytes, &row_bytes) ||
	    __builtin_add_overflow(row_bytes, ROW_ALIGN_BYTES - 1, &row_bytes) ||
	    __builtin_mul_overflow(row_bytes / ROW_ALIGN_BYTES * ROW_ALIGN_BYTES, a->rows, &slice_bytes) ||
	    __builtin_mul_overflow(slice_bytes, a->slices, &bytes) ||
	    !(a->addr = simt_memory_alloc(cuda_driver.mem, bytes, cuda_driver.run.params->allocation_bytes,
					SIMT_ALLOC_DEVICE))) {
		free(a);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	a->pitch_bytes = row_bytes / ROW_ALIGN_BYTES * ROW_ALIGN_BYTES;
	a->slice_bytes = slice_bytes;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	cuda_object_add(&a->object, CUDA_KIND_ARRAY, ctx, destroy_array);
	*array = a;
	return CUDA_SUCCESS;
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!array || !descriptor)
		return CUDA_ERROR_INVALID_VALUE;

	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = descriptor->Width, .Height = descriptor->Height,
					   .Format = descriptor->Format, .NumChannels = descriptor->NumChannels};

	return cuda_array_create(call.ctx, &d, array);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, array);
	if (!descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(array, CUDA_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	*descriptor = (CUDA_ARRAY_DESCRIPTOR){array->desc.Width, array->desc.Height, array->desc.Format,
					      array->desc.NumChannels};
	return CUDA_SUCCESS;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!array || !descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_array_create(call.ctx, descriptor, array);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, array);
	if (!descriptor)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(array, CUDA_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	*descriptor = array->desc;
	return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, array);
	if (!cuda_object_is(array, CUDA_KIND_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (array->is_level)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	cuda_time_wait_ps(call.ctx->streams.end_ps);
	destroy_array(&array->object);
	return CUDA_SUCCESS;
}
