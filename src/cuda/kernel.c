/* kernel.c - launching a kernel, in each of its forms. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda/driver.h"
#include "cuda/launch.h"
#include "cuda/perthread.h"

static CUresult launch(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, void **params, void **extra)
{
	struct capture_branch *branch;
	uint8_t *block;
	CUresult result = cuda_stream_check(stream);

	if (result != CUDA_SUCCESS)
		return cuda_launch_because(l, result, "not a stream's handle");
	if ((result = cuda_capture_enter(ctx, stream, true, &branch)) != CUDA_SUCCESS)
		return cuda_launch_because(l, result, "a stream is capturing");
	if ((result = cuda_launch_prepare(l, params, extra, &block)) != CUDA_SUCCESS)
		return result;
	if (branch) {
		l->is_kept = true;
		return cuda_capture_kernel(ctx, branch, l, block);
	}
	result = cuda_launch_run(ctx, l, stream, block);
	free(block);
	return result;
}

static CUresult launch_if_healthy(struct cuda_launch *l, CUstream stream, void **params, void **extra)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return launch(call.ctx, l, stream, params, extra);
}

/* A launch in any form: it runs, or is counted as refused. */
static CUresult launch_or_count(struct cuda_launch *l, CUstream stream, void **params, void **extra)
{
	CUresult result = launch_if_healthy(l, stream, params, extra);
	const char *text = cuda_error_text(result);

	if (l->has_run || l->is_kept || cuda_driver.is_forked) /* a child's copy of the lock may be held for ever */
		return result;
	/* The table of handles is there as soon as there is a handle. */
	pthread_mutex_lock(&cuda_driver.lock);

	bool is_known = cuda_driver.objects && cuda_object_is(l->f, CUDA_KIND_FUNCTION);

	cuda_launch_refused(is_known ? l->f->func->name : NULL,
			    *l->reason ? l->reason : text ? text : "unknown error");
	pthread_mutex_unlock(&cuda_driver.lock);
	return result;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
			unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
			CUstream stream, void **params, void **extra)
{
	struct cuda_launch l = {.f = function, .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
			   .dynamic_bytes = shared_bytes};

	return launch_or_count(&l, stream, params, extra);
}
CUDA_PER_THREAD(cuLaunchKernel, _ptsz, CUfunction, unsigned int, unsigned int, unsigned int, unsigned int,
		unsigned int, unsigned int, unsigned int, CUstream, void **, void **);

/* Attributes that ask for what is not modelled are refused; those that only advise change nothing. */
static CUresult apply(struct cuda_launch *l, const CUlaunchAttribute *a)
{
	switch (a->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: /* a permission to overlap with the launch before */
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->is_cooperative = a->value.cooperative;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		return a->value.clusterDim.x == 1 && a->value.clusterDim.y == 1 && a->value.clusterDim.z == 1
			       ? CUDA_SUCCESS
			       : cuda_not_supported("a launch with clusters of more than one block");
	default:
		return cuda_not_supported("a launch attribute of cuLaunchKernelEx");
	}
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
	CUresult result = c && (c->attrs || !c->numAttrs) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	struct cuda_launch l = {.f = function};

	for (unsigned int i = 0; result == CUDA_SUCCESS && i < c->numAttrs; i++)
		result = apply(&l, &c->attrs[i]);
	if (result != CUDA_SUCCESS) {
		cuda_launch_refused(NULL, cuda_error_text(result));
		return result;
	}

	const uint32_t grid[3] = {c->gridDimX, c->gridDimY, c->gridDimZ};
	const uint32_t block[3] = {c->blockDimX, c->blockDimY, c->blockDimZ};

	memcpy(l.grid, grid, sizeof(grid));
	memcpy(l.block, block, sizeof(block));
	l.dynamic_bytes = c->sharedMemBytes;
	return launch_or_count(&l, c->hStream, params, extra);
}
CUDA_PER_THREAD(cuLaunchKernelEx, _ptsz, const CUlaunchConfig *, CUfunction, void **, void **);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
				   unsigned int block_x, unsigned int block_y, unsigned int block_z,
				   unsigned int shared_bytes, CUstream stream, void **params)
{
	struct cuda_launch l = {.f = function, .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
			   .dynamic_bytes = shared_bytes, .is_cooperative = true};

	return launch_or_count(&l, stream, params, NULL);
}
CUDA_PER_THREAD(cuLaunchCooperativeKernel, _ptsz, CUfunction, unsigned int, unsigned int, unsigned int, unsigned int,
		unsigned int, unsigned int, unsigned int, CUstream, void **);
