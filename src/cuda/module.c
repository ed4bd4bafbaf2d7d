/* module.c - PTX modules: their kernels and variables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/driver.h"

/* ---- modules ---- */

static void destroy_module(struct cuda_object *o)
{
	struct CUmod_st *m = (struct CUmod_st *)o;
	struct cuda_object *next;

	for (struct cuda_object *f = o->ctx->first; f; f = next) {
		next = f->next;
		if ((f->kind == CUDA_KIND_FUNCTION && ((struct CUfunc_st *)f)->module == m) ||
		    cuda_reference_is_of(f, m)) {
			f->destroy(f);
			next = o->ctx->first; /* the list has changed under us */
		}
	}
	cuda_object_remove(o);
	if (m->simt)
		simt_module_unload(m->simt);
	ptx_module_free(m->ptx);
	free(m);
}

CUresult cuda_module_load(struct CUctx_st *ctx, const char *name, const char *text, size_t size_bytes,
			  struct cuda_jit *j, CUmodule *module)
{
	struct base_diag_list diag;
	struct CUmod_st *m = calloc(1, sizeof(*m));
	CUresult result = CUDA_SUCCESS;

	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	base_diag_init(&diag);
	m->ptx = ptx_module_parse(name, text, size_bytes, &diag);
	if (m->ptx)
		cuda_jit_bound(j, m->ptx);
	if (!m->ptx)
		result = CUDA_ERROR_INVALID_PTX;
	else if (!(m->simt = simt_module_load(m->ptx, cuda_driver.mem, &diag)))
		result = CUDA_ERROR_OUT_OF_MEMORY;

	char *log = base_diag_join(&diag), *info = m->ptx ? cuda_jit_note(j, m->ptx) : g_strdup("");

	cuda_jit_finish(j, info, log);
	g_free(info);
	if (result != CUDA_SUCCESS && !cuda_jit_has_error_log(j))
		machine_print_diag(&diag);
	free(log);
	base_diag_free(&diag);
	if (result != CUDA_SUCCESS) {
		if (m->ptx)
			ptx_module_free(m->ptx);
		free(m);
		return result;
	}
	cuda_object_add(&m->object, CUDA_KIND_MODULE, ctx, destroy_module);
	*module = m;
	return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_module(&module->object);
	return CUDA_SUCCESS;
}

/* ---- kernels and variables ---- */

static void destroy_function(struct cuda_object *o)
{
	struct CUfunc_st *f = (struct CUfunc_st *)o;

	cuda_object_remove(o);
	if (f->program)
		simt_program_free(f->program);
	g_free(f->refusal);
	free(f);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!function || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	for (struct cuda_object *o = module->object.ctx->first; o; o = o->next) {
		struct CUfunc_st *f = (struct CUfunc_st *)o;

		if (o->kind == CUDA_KIND_FUNCTION && f->module == module && !strcmp(f->func->name, name)) {
			*function = f;
			return CUDA_SUCCESS;
		}
	}

	const struct ptx_func *func = ptx_module_func(module->ptx, name);

	if (!func || !func->is_entry || !func->has_body)
		return CUDA_ERROR_NOT_FOUND;

	struct CUfunc_st *f = calloc(1, sizeof(*f));

	if (!f)
		return CUDA_ERROR_OUT_OF_MEMORY;
	f->module = module;
	f->func = func;
	f->max_dynamic_shared_bytes = -1;
	f->carveout_percent = -1;
	cuda_object_add(&f->object, CUDA_KIND_FUNCTION, module->object.ctx, destroy_function);
	*function = f;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!name || (!address && !bytes))
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;

	uint64_t addr, size_bytes;

	if (!simt_module_var(module->simt, name, &addr, &size_bytes))
		return CUDA_ERROR_NOT_FOUND;
	if (address)
		*address = addr;
	if (bytes)
		*bytes = size_bytes;
	return CUDA_SUCCESS;
}

/* ---- what a module has, and what its kernels are ---- */

static bool is_kernel(const struct ptx_func *f)
{
	return f->is_entry && f->has_body;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	*count = 0;
	for (uint32_t i = 0; i < module->ptx->func_count; i++)
		*count += is_kernel(module->ptx->funcs[i]);
	return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int functions_count, CUmodule module)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, module);

	CUresult result = CUDA_SUCCESS;
	unsigned int n = 0;

	if (!functions || !functions_count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(module, CUDA_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	for (uint32_t i = 0; result == CUDA_SUCCESS && i < module->ptx->func_count && n < functions_count; i++) {
		if (is_kernel(module->ptx->funcs[i]))
			result = cuModuleGetFunction(&functions[n++], module, module->ptx->funcs[i]->name);
	}
	return result;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}
