/* fill.c - memsets: lines and rectangles of 1, 2 and 4 byte elements. */
#include <string.h>

#include "cuda/capture.h"
#include "cuda/copy.h"
#include "cuda/driver.h"
#include "cuda/perthread.h"

static CUresult fill(struct CUctx_st *ctx, uint64_t addr, uint64_t pitch_bytes, uint32_t value, uint32_t element_bytes,
		     uint64_t width, uint64_t height, CUstream stream)
{
	const CUDA_MEMSET_NODE_PARAMS f = {addr, pitch_bytes, value, element_bytes, width, height};
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS || !branch)
		return result == CUDA_SUCCESS ? cuda_fill_run(ctx, &f, stream) : result;
	if (!width || !height)
		return CUDA_SUCCESS;
	p.memset = (CUDA_MEMSET_NODE_PARAMS_v2){addr, pitch_bytes, value, element_bytes, width, height, NULL};
	return cuda_capture_add(ctx, branch, &p);
}

#define FILL(bits, type)                                                                                               \
	CUresult cuMemsetD##bits##Async(CUdeviceptr address, type value, size_t count, CUstream stream)                \
	{                                                                                                              \
		CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);                                                               \
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
		CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);                                                               \
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
