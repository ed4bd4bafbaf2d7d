/* fill.c - memsets: lines and rectangles of 1, 2 and 4 byte elements. */
#include <string.h>

#include "cuda/driver.h"
#include "cuda/perthread.h"

static void fill_row(uint64_t addr, uint32_t value, uint32_t element_bytes, uint64_t count)
{
	if (element_bytes == 1) {
		memset((void *)addr, (int)value, count);
		return;
	}
	if (element_bytes == 2) {
		for (uint64_t i = 0; i < count; i++)
			((uint16_t *)addr)[i] = (uint16_t)value;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		((uint32_t *)addr)[i] = value;
}

static CUresult fill(struct CUctx_st *ctx, uint64_t addr, uint64_t pitch_bytes, uint32_t value, uint32_t element_bytes,
		     uint64_t width, uint64_t height, CUstream stream)
{
	CUresult result = cuda_stream_check(stream);
	uint64_t row_bytes, skip_bytes, bytes;

	if (result != CUDA_SUCCESS || !width || !height)
		return result;
	if (__builtin_mul_overflow(width, element_bytes, &row_bytes) || addr % element_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (height > 1 && (pitch_bytes < row_bytes || pitch_bytes % element_bytes))
		return CUDA_ERROR_INVALID_VALUE;
	if (__builtin_mul_overflow(height - 1, pitch_bytes, &skip_bytes) ||
	    __builtin_add_overflow(skip_bytes, row_bytes, &bytes) || !cuda_range_is_device(addr, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	for (uint64_t y = 0; y < height; y++) {
		fill_row(addr + y * pitch_bytes, value, element_bytes, width);
		cuda_check_written(addr + y * pitch_bytes, row_bytes);
	}
	cuda_time_fill(ctx, stream, addr, row_bytes * height);
	return CUDA_SUCCESS;
}

#define FILL(bits, type)                                                                                               \
	CUresult cuMemsetD##bits##Async(CUdeviceptr address, type value, size_t count, CUstream stream)                \
	{                                                                                                              \
		CUDA_CALL(CUDA_NEEDS_HEALTH);                                                                          \
		return fill(call.ctx, address, 0, value, sizeof(type), count, 1, stream);                              \
	}                                                                                                              \
	CUDA_PER_THREAD(cuMemsetD##bits##Async, _ptsz, CUdeviceptr, type, size_t, CUstream);                           \
	CUresult cuMemsetD##bits##_v2(CUdeviceptr address, type value, size_t count)                                   \
	{                                                                                                              \
		return cuMemsetD##bits##Async(address, value, count, NULL);                                            \
	}                                                                                                              \
	CUDA_PER_THREAD(cuMemsetD##bits##_v2, _ptds, CUdeviceptr, type, size_t);                                       \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr address, size_t pitch_bytes, type value, size_t width,           \
					  size_t height, CUstream stream)                                              \
	{                                                                                                              \
		CUDA_CALL(CUDA_NEEDS_HEALTH);                                                                          \
		return fill(call.ctx, address, pitch_bytes, value, sizeof(type), width, height, stream);               \
	}                                                                                                              \
	CUDA_PER_THREAD(cuMemsetD2D##bits##Async, _ptsz, CUdeviceptr, size_t, type, size_t, size_t, CUstream);         \
	CUresult cuMemsetD2D##bits##_v2(CUdeviceptr address, size_t pitch_bytes, type value, size_t width,             \
					size_t height)                                                                 \
	{                                                                                                              \
		return cuMemsetD2D##bits##Async(address, pitch_bytes, value, width, height, NULL);                     \
	}                                                                                                              \
	CUDA_PER_THREAD(cuMemsetD2D##bits##_v2, _ptds, CUdeviceptr, size_t, type, size_t, size_t)

FILL(8, unsigned char);
FILL(16, unsigned short);
FILL(32, unsigned int);
