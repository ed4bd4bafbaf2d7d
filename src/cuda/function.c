/* function.c - kernels as programs ask about them and set them. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "cuda/launch.h"

/* ---- attributes ---- */

/* What the text alone says of a kernel that cannot be decoded: an instruction in it is not executed. */
static uint64_t static_shared_bytes(const struct CUfunc_st *f)
{
	return f->program ? f->program->shared_static_bytes : f->func->static_shared_bytes;
}

uint64_t cuda_function_dynamic_bytes(const struct CUfunc_st *f)
{
	uint64_t limit = cuda_device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);

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

/* Most threads of a CTA that fit, in whole warps. */
static uint32_t max_threads(struct CUfunc_st *f)
{
	const uint32_t limit = (uint32_t)cuda_driver.run.device->traits.cta_thread_count;

	if (!f->program)
		return (uint32_t)declared_threads(f->func, limit);
	return cuda_function_largest_cta(f, MIN(limit, f->program->max_threads_per_cta));
}

/* Registers per thread, in every mode those of the largest CTA at most: callers divide an SM's registers by this
 * number and the largest CTA's threads, and a product above them would give them no CTA at all. A launch of smaller
 * CTAs has as many as the kernel needs. */
static uint32_t registers(struct CUfunc_st *f)
{
	const struct device *d = cuda_driver.run.device;
	const uint32_t warps = (max_threads(f) + SIMT_LANES - 1) / SIMT_LANES;

	return MIN(f->program->slot_count, d->ops->registers_per_thread(d, warps));
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
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
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
		*value = (int)max_threads(function);
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
		*value = p ? (int)registers(function) : allocated_registers(function->func);
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: /* the virtual architecture, not the version of the language */
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = target ? atoi(target + 1) : 0;
		break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 0;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)cuda_function_dynamic_bytes(function);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = function->carveout_percent;
		break;
	}
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute a, int value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (a == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		function->carveout_percent = value; /* a hint; the GPU looks at occupancy alone */
		return CUDA_SUCCESS;
	}
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_function_program(function);
	if (value < 0 || (uint64_t)value + static_shared_bytes(function) >
				 cuda_device_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
		return CUDA_ERROR_INVALID_VALUE;
	function->max_dynamic_shared_bytes = value;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return (unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
										: CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	*module = function->module;
	return CUDA_SUCCESS;
}

/* ---- names, parameters, loading ---- */

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	*name = function->func->name;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!offset)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (index >= function->func->param_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = function->func->params[index].offset_bytes;
	if (bytes)
		*bytes = function->func->params[index].size_bytes;
	return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return cuda_function_program(function) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	function = cuda_function_of(function);
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	*state = function->program ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
	return CUDA_SUCCESS;
}

/* ---- of any context ---- */

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
	CUfunction function;
	CUresult result = cuKernelGetFunction(&function, kernel);

	return result == CUDA_SUCCESS ? cuFuncGetParamInfo(function, index, offset, bytes) : result;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
	CUfunction function;
	CUresult result = device ? CUDA_ERROR_INVALID_DEVICE : cuKernelGetFunction(&function, kernel);

	return result == CUDA_SUCCESS ? cuFuncGetAttribute(value, attribute, function) : result;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
	CUfunction function;
	CUresult result = device ? CUDA_ERROR_INVALID_DEVICE : cuKernelGetFunction(&function, kernel);

	return result == CUDA_SUCCESS ? cuFuncSetAttribute(function, attribute, value) : result;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	CUfunction function;
	CUresult result = device ? CUDA_ERROR_INVALID_DEVICE : cuKernelGetFunction(&function, kernel);

	return result == CUDA_SUCCESS ? cuFuncSetCacheConfig(function, config) : result;
}
