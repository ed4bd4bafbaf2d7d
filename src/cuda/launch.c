/* launch.c - kernels: their attributes, checking a launch, running it on the modelled device. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cuda/capture.h"
#include "cuda/children.h"
#include "cuda/driver.h"
#include "cuda/launch.h"
#include "cuda/perthread.h"

/* ---- attributes ---- */

static int attribute(CUdevice_attribute a)
{
	bool is_known;

	return cuda_device_attribute(a, &is_known);
}

/* What the text alone says of a kernel that cannot be decoded: an instruction in it is not executed. */
static uint64_t static_shared_bytes(const struct CUfunc_st *f)
{
	return f->program ? f->program->shared_static_bytes : f->func->static_shared_bytes;
}

static uint64_t max_dynamic_shared_bytes(const struct CUfunc_st *f)
{
	uint64_t limit = (uint64_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);

	if (f->max_dynamic_shared_bytes >= 0)
		return (uint64_t)f->max_dynamic_shared_bytes;
	return static_shared_bytes(f) < limit ? limit - static_shared_bytes(f) : 0;
}

uint32_t cuda_function_ctas_per_sm(struct CUfunc_st *f, uint32_t threads, uint64_t dynamic_bytes,
				   struct base_diag_list *diag)
{
	struct base_diag_list own;

	base_diag_init(&own);

	const struct device *d = cuda_driver.run.device;
	uint32_t count = d->ops->ctas_fit(d, f->program, threads, dynamic_bytes, diag ? diag : &own);

	base_diag_free(&own);
	return count;
}

/* .reqntid or .maxntid, limit without either. */
static int declared_threads(const struct ptx_func *func, uint32_t limit)
{
	const uint32_t *d = func->reqntid[0] ? func->reqntid : func->maxntid;
	uint64_t threads = 1;

	for (uint32_t i = 0; i < 3 && threads <= limit; i++)
		threads *= d[i] ? d[i] : 1;
	return (int)(d[0] && threads < limit ? threads : limit);
}

/* Registers of the kernel's own code. */
static int allocated_registers(const struct ptx_func *func)
{
	struct ptx_cfg *cfg = ptx_cfg_build(func);
	struct ptx_alloc *alloc = ptx_alloc_build(cfg, NULL);
	const int count = (int)alloc->register_count;

	ptx_alloc_free(alloc);
	ptx_cfg_free(cfg);
	return count;
}

/* The registers that the kernel takes suffice for a CTA, in every mode: a caller computes with both numbers. */
static bool registers_suffice(const struct CUfunc_st *f, uint32_t threads)
{
	const struct device *d = cuda_driver.run.device;

	return f->program->slot_count <= d->ops->registers_per_thread(d, (threads + SIMT_LANES - 1) / SIMT_LANES);
}

/* Most threads of a CTA that fit, in whole warps. */
static int max_threads(struct CUfunc_st *f)
{
	uint32_t limit = (uint32_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);

	if (!f->program)
		return declared_threads(f->func, limit);
	if (f->program->max_threads_per_cta < limit)
		limit = f->program->max_threads_per_cta;
	while (limit > SIMT_LANES &&
	       (!registers_suffice(f, limit) || !cuda_function_ctas_per_sm(f, limit, 0, NULL)))
		limit = (limit - 1) / SIMT_LANES * SIMT_LANES;
	return (int)limit;
}

static int constant_bytes(const struct CUfunc_st *f)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < f->module->ptx->var_count; i++) {
		if (f->module->ptx->vars[i]->space == PTX_CONST)
			sum += f->module->ptx->vars[i]->size_bytes;
	}
	return (int)sum;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction function)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!value || (unsigned int)a > CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		return CUDA_ERROR_INVALID_VALUE;
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;

	const struct ptx_module *ptx = function->module->ptx;
	const struct simt_program *p = cuda_function_program(function);
	const char *target = ptx->target ? strchr(ptx->target, '_') : NULL;

	switch (a) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = max_threads(function);
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)static_shared_bytes(function);
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*value = constant_bytes(function);
		break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = (int)(p ? p->local_bytes_per_thread : function->func->frame_local_bytes);
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = p ? (int)p->slot_count : allocated_registers(function->func);
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: /* the virtual architecture, not the version of the language */
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = target ? atoi(target + 1) : 0;
		break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 0;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)max_dynamic_shared_bytes(function);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = function->carveout_percent;
		break;
	}
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute a, int value)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (a == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		function->carveout_percent = value; /* a hint; L1 and shared memory are separate here */
		return CUDA_SUCCESS;
	}
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_function_program(function);
	if (value < 0 || (uint64_t)value + static_shared_bytes(function) >
				 (uint64_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
		return CUDA_ERROR_INVALID_VALUE;
	function->max_dynamic_shared_bytes = value;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return (unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
										: CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	*module = function->module;
	return CUDA_SUCCESS;
}

/* ---- checking a launch ---- */

static CUresult refuse(struct cuda_launch *l, CUresult result, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps why the launch does not begin. Returns result. */
static CUresult refuse(struct cuda_launch *l, CUresult result, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(l->reason, sizeof(l->reason), fmt, args);
	va_end(args);
	return result;
}

static const char *first_text(const struct base_diag_list *diag)
{
	return diag->first ? diag->first->text : "";
}

CUresult cuda_launch_check_shape(struct cuda_launch *l)
{
	static const CUdevice_attribute grid_max[3] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
						       CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
						       CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
	static const CUdevice_attribute block_max[3] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
							CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
							CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};

	const uint32_t threads_max = (uint32_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	/* No product of the dimensions can overflow before each was checked. */
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1];

	l->threads = threads > 1024 || threads * l->block[2] > 1024 ? UINT32_MAX : (uint32_t)threads * l->block[2];
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t grid = (uint32_t)attribute(grid_max[i]), block = (uint32_t)attribute(block_max[i]);

		if (!l->grid[i] || l->grid[i] > grid)
			return refuse(l, CUDA_ERROR_INVALID_VALUE, "the grid's dimension %u is %u; expected 1 to %u", i,
				      l->grid[i], grid);
		if (!l->block[i] || l->block[i] > block)
			return refuse(l, CUDA_ERROR_INVALID_VALUE, "the block's dimension %u is %u; expected 1 to %u",
				      i, l->block[i], block);
	}
	return l->threads > threads_max
		       ? refuse(l, CUDA_ERROR_INVALID_VALUE, "a block of %ux%ux%u threads; at most %u are possible",
				l->block[0], l->block[1], l->block[2], threads_max)
		       : CUDA_SUCCESS;
}

static CUresult check_resources(struct cuda_launch *l)
{
	struct base_diag_list diag;
	CUresult result = CUDA_SUCCESS;

	if (l->dynamic_bytes > max_dynamic_shared_bytes(l->f))
		return refuse(l, CUDA_ERROR_INVALID_VALUE,
			      "%u bytes of dynamic shared memory; the kernel may have %llu (cuFuncSetAttribute)",
			      l->dynamic_bytes, (unsigned long long)max_dynamic_shared_bytes(l->f));
	cuda_function_fit(l->f, l->threads);
	base_diag_init(&diag);

	uint64_t per_sm = cuda_function_ctas_per_sm(l->f, l->threads, l->dynamic_bytes, &diag);

	if (!per_sm) {
		machine_print_diag(&diag);
		result = refuse(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "%s", first_text(&diag));
	} else if (l->threads > l->f->program->max_threads_per_cta) {
		result = refuse(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
				"error: kernel %s was compiled for CTAs of at most %u threads; this launch has %u",
				l->f->func->name, l->f->program->max_threads_per_cta, l->threads);
		machine_message("%s", l->reason);
	} else if (l->is_cooperative) {
		uint64_t room = per_sm * cuda_driver.run.device->traits.multiprocessor_count;

		if ((uint64_t)l->grid[0] * l->grid[1] > room ||
		    (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > room)
			result = refuse(l, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
					"a cooperative grid of %ux%ux%u CTAs; %llu have room at once", l->grid[0],
					l->grid[1], l->grid[2], (unsigned long long)room);
	}
	base_diag_free(&diag);
	return result;
}

/* The parameter block, from either form; *block is malloc'ed. */
static CUresult gather_params(const struct CUfunc_st *f, void **params, void **extra, uint8_t **block)
{
	const struct ptx_func *func = f->func;
	const void *buffer = NULL;
	const size_t *buffer_bytes = NULL;

	if (params && extra)
		return CUDA_ERROR_INVALID_VALUE;
	for (void **e = extra; e && *e != CU_LAUNCH_PARAM_END; e += 2) {
		if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = e[1];
		else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE)
			buffer_bytes = e[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}

	bool has_buffer = buffer && buffer_bytes;

	if (func->param_count && !params && !has_buffer)
		return CUDA_ERROR_INVALID_VALUE;
	if (has_buffer && *buffer_bytes < func->param_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; params && i < func->param_count; i++) {
		if (!params[i])
			return CUDA_ERROR_INVALID_VALUE;
	}
	*block = calloc(1, f->program->param_bytes + 1);
	if (!*block)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (has_buffer)
		memcpy(*block, buffer, func->param_bytes);
	for (uint32_t i = 0; params && i < func->param_count; i++)
		memcpy(*block + func->params[i].offset_bytes, params[i], func->params[i].size_bytes);
	return CUDA_SUCCESS;
}

/* ---- running ---- */

static const CUresult fault_results[] = {
	[SIMT_FAULT_ADDRESS] = CUDA_ERROR_ILLEGAL_ADDRESS,
	[SIMT_FAULT_ALIGNMENT] = CUDA_ERROR_MISALIGNED_ADDRESS,
	[SIMT_FAULT_TRAP] = CUDA_ERROR_LAUNCH_FAILED,
	[SIMT_FAULT_ASSERT] = CUDA_ERROR_ASSERT,
	[SIMT_FAULT_BARRIER] = CUDA_ERROR_LAUNCH_TIMEOUT,
	[SIMT_FAULT_STACK] = CUDA_ERROR_HARDWARE_STACK_ERROR,
	[SIMT_FAULT_INSTRUCTION] = CUDA_ERROR_INVALID_PC,
	[SIMT_FAULT_STOPPED] = CUDA_ERROR_LAUNCH_TIMEOUT,
	[SIMT_FAULT_TIMEOUT] = CUDA_ERROR_LAUNCH_TIMEOUT,
};

static void print_text(void *ctx, const char *text, uint32_t bytes)
{
	(void)ctx;
	fwrite(text, 1, bytes, stdout);
}

/* Runs s when its stream and the device are free, by the program's time. */
static bool run_timed(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, struct simt_launch *s)
{
	struct device_result result;
	bool is_right;

	if (!l->depth)
		cuda_time_issue();
	is_right = machine_run_launch(&cuda_driver.run, s, cuda_time_stream(ctx, stream), cuda_time_now_ps(),
				      l->ready_ps, &result);
	l->end_ps = result.end_ps;
	return is_right;
}

CUresult cuda_launch_grid(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block,
			  void *asked)
{
	struct cuda_driver *d = &cuda_driver;
	struct base_diag_list diag;
	struct simt_launch s = {
		.program = l->f->program,
		.mem = d->mem,
		.textures = d->textures,
		.params = block,
		.shared_dynamic_bytes = l->dynamic_bytes,
		.stack_bytes = (uint32_t)ctx->limits[CU_LIMIT_STACK_SIZE],
		.grid_id = machine_kernels_counts(d->run.kernels).ran + 1,
		.sm_count = (uint32_t)d->run.device->traits.multiprocessor_count,
		.print = print_text,
		.is_cooperative = l->is_cooperative,
		.ask = cuda_children_ask,
		.ask_ctx = asked,
	};

	memcpy(s.grid, l->grid, sizeof(s.grid));
	memcpy(s.block, l->block, sizeof(s.block));
	base_diag_init(&diag);

	l->has_run = simt_launch_begin(&s, d->run.device->ops->warp_capacity(d->run.device), &diag);
	if (!l->has_run)
		refuse(l, CUDA_ERROR_OUT_OF_MEMORY, "%s", first_text(&diag));
	machine_print_diag(&diag);
	base_diag_free(&diag);
	if (!l->has_run)
		return CUDA_ERROR_OUT_OF_MEMORY;

	bool is_right = run_timed(ctx, l, stream, &s);

	simt_launch_end(&s);
	cuda_check_launched();
	if (is_right)
		return CUDA_SUCCESS;
	ctx->sticky = fault_results[s.fault.kind];
	if (s.fault.kind != SIMT_FAULT_STOPPED)
		machine_message("%s", s.fault.text);
	return ctx->sticky;
}

CUresult cuda_launch_prepare(struct cuda_launch *l, void **params, void **extra, uint8_t **block)
{
	CUresult result;

	*block = NULL;
	l->f = cuda_function_of(l->f);
	if (!cuda_object_is(l->f, CUDA_KIND_FUNCTION))
		return refuse(l, CUDA_ERROR_INVALID_HANDLE, "not a kernel's handle");
	if (cuda_driver.run.is_wall_over)
		return refuse(l, CUDA_ERROR_LAUNCH_TIMEOUT, "the limit of wall-clock time has been reached");
	if ((result = cuda_launch_check_shape(l)) != CUDA_SUCCESS)
		return result;
	if (!cuda_function_program(l->f)) {
		machine_message("error: kernel %s cannot be launched: it needs what is named above", l->f->func->name);
		return refuse(l, CUDA_ERROR_NOT_SUPPORTED, "%s", l->f->refusal ? l->f->refusal : "");
	}
	if ((result = check_resources(l)) == CUDA_SUCCESS)
		result = gather_params(l->f, params, extra, block);
	return result;
}

static CUresult launch(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, void **params, void **extra)
{
	struct capture_branch *branch;
	uint8_t *block;
	CUresult result = cuda_stream_check(stream);

	if (result != CUDA_SUCCESS)
		return refuse(l, result, "not a stream's handle");
	if ((result = cuda_capture_enter(ctx, stream, true, &branch)) != CUDA_SUCCESS)
		return refuse(l, result, "a stream is capturing");
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return launch(call.ctx, l, stream, params, extra);
}

void cuda_launch_refused(const char *kernel, const char *reason)
{
	struct cuda_driver *d = &cuda_driver;

	pthread_mutex_lock(&d->lock);
	if (d->is_initialised && !d->is_shut_down && !d->is_forked) {
		machine_kernels_refuse(d->run.kernels, kernel, reason);
		cuda_check_refused(kernel, reason);
	}
	pthread_mutex_unlock(&d->lock);
}

/* A launch in any form: it runs, or is counted as refused. */
static CUresult launch_or_count(struct cuda_launch *l, CUstream stream, void **params, void **extra)
{
	CUresult result = launch_if_healthy(l, stream, params, extra);
	const char *text = cuda_error_text(result);

	if (l->has_run || l->is_kept)
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
