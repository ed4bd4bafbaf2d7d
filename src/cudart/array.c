/* array.c - CUDA arrays and the description of their elements. */
#include "cudart/array.h"
#include "cudart/priv.h"

/* ---- element formats ---- */

CUDART_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
							      enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

bool cudart_format_to_driver(const struct cudaChannelFormatDesc *f, CUarray_format *format, unsigned int *channels)
{
	static const struct {
		enum cudaChannelFormatKind kind;
		int bits;
		CUarray_format format;
	} rows[] = {
		{cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
		{cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
		{cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
		{cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
		{cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
		{cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
		{cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
		{cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
	};

	/* One, two or four components of the same size. */
	*channels = f->w ? 4 : f->z ? 3 : f->y ? 2 : 1;
	if (*channels == 3 || (*channels >= 2 && f->y != f->x) || (*channels == 4 && (f->z != f->x || f->w != f->x)))
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].kind == f->f && rows[i].bits == f->x) {
			*format = rows[i].format;
			return true;
		}
	}
	return false;
}

struct cudaChannelFormatDesc cudart_format_from_driver(CUarray_format format, unsigned int channels)
{
	int bits = 32;
	enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;

	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		bits = 8;
		break;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		bits = 16;
		break;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		break;
	}
	if (format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
	    format == CU_AD_FORMAT_SIGNED_INT32)
		kind = cudaChannelFormatKindSigned;
	if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT)
		kind = cudaChannelFormatKindFloat;
	return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
					      channels > 3 ? bits : 0, kind};
}

/* ---- arrays ---- */

static cudaError_t create(cudaArray_t *array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			  unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {.Width = extent.width, .Height = extent.height, .Depth = extent.depth,
				     .Flags = flags}; /* the flags have the driver's numbers */

	CUDART_ENTER();
	if (!array || !format)
		return cudart_fail(cudaErrorInvalidValue);
	if (!cudart_format_to_driver(format, &d.Format, &d.NumChannels))
		return cudart_fail(cudaErrorInvalidChannelDescriptor);
	return cudart_result(cuArray3DCreate((CUarray *)array, &d));
}

CUDART_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
				       size_t height, unsigned int flags)
{
	return create(array, format, (struct cudaExtent){width, height, 0}, flags);
}

CUDART_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
					 struct cudaExtent extent, unsigned int flags)
{
	return create(array, format, extent, flags);
}

CUDART_API cudaError_t cudaFreeArray(cudaArray_t array)
{
	CUDART_ENTER();
	return array ? cudart_result(cuArrayDestroy((CUarray)array)) : cudaSuccess;
}

CUDART_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
					unsigned int *flags, cudaArray_t array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	CUDART_ENTER();

	CUresult result = cuArray3DGetDescriptor(&d, (CUarray)array);

	if (result != CUDA_SUCCESS)
		return cudart_result(result);
	if (format)
		*format = cudart_format_from_driver(d.Format, d.NumChannels);
	if (extent)
		*extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
	if (flags)
		*flags = d.Flags;
	return cudaSuccess;
}

CUDART_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
	CUDART_ENTER();
	if (!format)
		return cudart_fail(cudaErrorInvalidValue);
	return cudaArrayGetInfo(format, NULL, NULL, (cudaArray_t)array);
}

/* ---- mipmapped arrays ---- */

CUDART_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
						struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {.Width = extent.width, .Height = extent.height, .Depth = extent.depth,
				     .Flags = flags};

	CUDART_ENTER();
	if (!array || !format)
		return cudart_fail(cudaErrorInvalidValue);
	if (!cudart_format_to_driver(format, &d.Format, &d.NumChannels))
		return cudart_fail(cudaErrorInvalidChannelDescriptor);
	return cudart_result(cuMipmappedArrayCreate((CUmipmappedArray *)array, &d, levels));
}

CUDART_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
						  unsigned int number)
{
	CUDART_ENTER();
	if (!level)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_result(cuMipmappedArrayGetLevel((CUarray *)level, (CUmipmappedArray)array, number));
}

CUDART_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	CUDART_ENTER();
	return array ? cudart_result(cuMipmappedArrayDestroy((CUmipmappedArray)array)) : cudaSuccess;
}
