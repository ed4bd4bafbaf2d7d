/* launch.c - checking a launch, and running it on the modelled device. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cuda/driver.h"
#include "cuda/launch.h"

/* ---- checking a launch ---- */

CUresult cuda_launch_because(struct cuda_launch *l, CUresult result, const char *fmt, ...)
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
	static const CUdevice_attribute grid_max[3] = {
	    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
	static const CUdevice_attribute block_max[3] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
							CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
							CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};

	/* What programs are told is what every CTA may have; of threads that do not communicate there may be more. */
	const uint32_t threads_max = (uint32_t)cuda_driver.run.device->traits.cta_thread_count;
	uint64_t threads;

	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t grid = cuda_device_limit(grid_max[i]), told = cuda_device_limit(block_max[i]);
		const uint32_t block = i < 2 ? MAX(told, threads_max) : told;

		if (!l->grid[i] || l->grid[i] > grid)
			return cuda_launch_because(l, CUDA_ERROR_INVALID_VALUE,
						   "the grid's dimension %u is %u; expected 1 to %u", i, l->grid[i],
						   grid);
		if (!l->block[i] || l->block[i] > block)
			return cuda_launch_because(l, CUDA_ERROR_INVALID_VALUE,
						   "the block's dimension %u is %u; expected 1 to %u", i, l->block[i],
						   block);
	}
	/* Of dimensions that were checked: no product overflows. */
	threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	l->threads = (uint32_t)MIN(threads, UINT32_MAX);
	return l->threads > threads_max ? cuda_launch_because(l, CUDA_ERROR_INVALID_VALUE,
							      "a block of %ux%ux%u threads; at most %u are possible",
							      l->block[0], l->block[1], l->block[2], threads_max)
					: CUDA_SUCCESS;
}

static CUresult check_resources(struct cuda_launch *l)
{
	struct base_diag_list diag;
	CUresult result = CUDA_SUCCESS;

	if (l->dynamic_bytes > cuda_function_dynamic_bytes(l->f))
		return cuda_launch_because(
		    l, CUDA_ERROR_INVALID_VALUE,
		    "%u bytes of dynamic shared memory; the kernel may have %llu (cuFuncSetAttribute)",
		    l->dynamic_bytes, (unsigned long long)cuda_function_dynamic_bytes(l->f));
	cuda_function_fit(l->f, l->threads);
	base_diag_init(&diag);

	uint64_t per_sm = cuda_function_ctas_per_sm(l->f, l->threads, l->dynamic_bytes, &diag);

	if (!per_sm) {
		machine_print_diag(&diag);
		result = cuda_launch_because(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "%s", first_text(&diag));
	} else if (l->threads > l->f->program->max_threads_per_cta) {
		result = cuda_launch_because(
		    l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
		    "error: kernel %s was compiled for CTAs of at most %u threads; this launch has %u",
		    l->f->func->name, l->f->program->max_threads_per_cta, l->threads);
		machine_message("%s", l->reason);
	} else if (l->is_cooperative) {
		uint64_t room = per_sm * cuda_driver.run.device->traits.multiprocessor_count;

		if ((uint64_t)l->grid[0] * l->grid[1] > room || (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > room)
			result = cuda_launch_because(l, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
						     "a cooperative grid of %ux%ux%u CTAs; %llu have room at once",
						     l->grid[0], l->grid[1], l->grid[2], (unsigned long long)room);
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

/* False: the device refuses the kernel, as cuda_launch_prepare does what no device has. */
static bool is_accepted(struct cuda_launch *l, struct simt_launch *s)
{
	struct device *d = cuda_driver.run.device;

	if (!d->ops->accepts || d->ops->accepts(d, s))
		return true;
	machine_message("error: %s", s->fault.text);
	cuda_launch_because(l, CUDA_ERROR_NOT_SUPPORTED, "%s", s->fault.text);
	simt_launch_end(s);
	l->has_run = false;
	return false;
}

CUresult cuda_launch_grid(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block,
			  cuda_launch_ask *ask, void *asked)
{
	struct cuda_driver *d = &cuda_driver;
	struct base_diag_list diag;
	struct simt_launch s = {
		.program = l->f->program,
		.mem = d->mem,
		.textures = d->textures,
		.cta_threads_max = (uint32_t)d->run.device->traits.cta_thread_count,
		.params = block,
		.shared_dynamic_bytes = l->dynamic_bytes,
		.stack_bytes = (uint32_t)ctx->limits[CU_LIMIT_STACK_SIZE],
		.grid_id = machine_kernels_counts(d->run.kernels).ran + 1,
		.sm_count = (uint32_t)d->run.device->traits.multiprocessor_count,
		.print = print_text,
		.is_cooperative = l->is_cooperative,
		.ask = ask,
		.ask_ctx = asked,
	};

	memcpy(s.grid, l->grid, sizeof(s.grid));
	memcpy(s.block, l->block, sizeof(s.block));
	base_diag_init(&diag);

	l->has_run = simt_launch_begin(&s, d->run.device->ops->warp_capacity(d->run.device), &diag);
	if (!l->has_run)
		cuda_launch_because(l, CUDA_ERROR_OUT_OF_MEMORY, "%s", first_text(&diag));
	machine_print_diag(&diag);
	base_diag_free(&diag);
	if (!l->has_run)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!is_accepted(l, &s))
		return CUDA_ERROR_NOT_SUPPORTED;

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
		return cuda_launch_because(l, CUDA_ERROR_INVALID_HANDLE, "not a kernel's handle");
	if (cuda_driver.run.is_wall_over)
		return cuda_launch_because(l, CUDA_ERROR_LAUNCH_TIMEOUT,
					   "the limit of wall-clock time has been reached");
	if ((result = cuda_launch_check_shape(l)) != CUDA_SUCCESS)
		return result;
	if (!cuda_function_program(l->f)) {
		machine_message("error: kernel %s cannot be launched: it needs what is named above", l->f->func->name);
		return cuda_launch_because(l, CUDA_ERROR_NOT_SUPPORTED, "%s", l->f->refusal ? l->f->refusal : "");
	}
	if ((result = check_resources(l)) == CUDA_SUCCESS)
		result = gather_params(l->f, params, extra, block);
	return result;
}

void cuda_launch_refused(const char *kernel, const char *reason)
{
	struct cuda_driver *d = &cuda_driver;

	if (d->is_forked)
		return; /* a child's copy of the lock may be held for ever */
	pthread_mutex_lock(&d->lock);
	if (d->is_initialised && !d->is_shut_down) {
		machine_kernels_refuse(d->run.kernels, kernel, reason);
		cuda_check_refused(kernel, reason);
	}
	pthread_mutex_unlock(&d->lock);
}
