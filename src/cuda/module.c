/* module.c - PTX modules: loading from memory and file, kernels, variables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/driver.h"

/* ---- images ---- */

/* First four bytes of what toolchains write beside PTX. LLVM: Bitcode file format, Magic Numbers; the last as nvcc
 * -ltoir of CUDA 13.0 writes it. */
enum { ELF_MAGIC = 0x464c457f, BITCODE_MAGIC = (int)0xdec04342, BITCODE_WRAPPER_MAGIC = 0x0b17c0de,
       LTO_IR_MAGIC = 0x7f4e43ed };

/* What an image is that is not PTX text, in words; NULL: it may be PTX. */
static const char *image_kind(const unsigned char *bytes, CUresult *result)
{
	uint32_t magic = 0;

	/* Byte by byte: a shorter text ends in NUL. */
	for (uint32_t i = 0; i < 4 && (i == 0 || bytes[i - 1]); i++)
		magic |= (uint32_t)bytes[i] << (8 * i);
	*result = CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (magic == ELF_MAGIC)
		return "this is a cubin for a real GPU";
	if (magic == (uint32_t)BITCODE_MAGIC || magic == BITCODE_WRAPPER_MAGIC)
		return "this is compiler bitcode";
	if (magic == LTO_IR_MAGIC)
		return "this is intermediate code for link-time optimisation";
	*result = CUDA_ERROR_INVALID_IMAGE;
	if (!bytes[0])
		return "the image is empty";
	for (uint32_t i = 0; i < 4 && bytes[i]; i++)
		if ((bytes[i] < ' ' && !strchr("\t\n\v\f\r", bytes[i])) || bytes[i] > '~')
			return "the image is neither PTX text nor any known binary";
	return NULL;
}

CUresult cuda_image_check(const void *image, const char *what, struct cuda_jit *j)
{
	CUresult result;
	const char *kind = image_kind(image, &result);

	if (!kind)
		return CUDA_SUCCESS;

	char *text = g_strdup_printf("%s: error: %s; expected PTX text (compile with -ptx)", what, kind);

	if (j && cuda_jit_has_error_log(j))
		cuda_jit_finish(j, "", text);
	else
		machine_message("%s", text);
	g_free(text);
	return result;
}

char *cuda_file_read(const char *path, size_t *size_bytes)
{
	gchar *text;
	gsize length;
	GError *error = NULL;

	if (!g_file_get_contents(path, &text, &length, &error)) {
		machine_message("error: %s", error->message);
		g_error_free(error);
		return NULL;
	}
	*size_bytes = length;
	return text;
}

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

CUresult cuda_image_load(struct CUctx_st *ctx, const void *image, struct cuda_jit *j, CUmodule *module)
{
	char name[32];

	snprintf(name, sizeof(name), "module-%llu.ptx", (unsigned long long)++cuda_driver.next_id);
	if (cuda_image_is_fatbin(image))
		return cuda_fatbin_load(ctx, image, SIZE_MAX, name, j, module);

	CUresult result = cuda_image_check(image, name, j);

	if (result != CUDA_SUCCESS)
		return result;
	return cuda_module_load(ctx, name, image, strlen(image), j, module);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!module || !path)
		return CUDA_ERROR_INVALID_VALUE;

	size_t size_bytes;
	char *text = cuda_file_read(path, &size_bytes);

	if (!text)
		return CUDA_ERROR_FILE_NOT_FOUND;

	struct cuda_jit j = {0};
	CUresult result;

	if (cuda_image_is_fatbin(text))
		result = cuda_fatbin_load(call.ctx, text, size_bytes, path, &j, module);
	else if ((result = cuda_image_check(text, path, &j)) == CUDA_SUCCESS)
		result = cuda_module_load(call.ctx, path, text, size_bytes, &j, module);
	g_free(text);
	return result;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;

	struct cuda_jit j = {0};

	return cuda_image_load(call.ctx, image, &j, module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options_count, CUjit_option *options,
			    void **values)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;

	struct cuda_jit j;
	CUresult result = cuda_jit_parse(&j, options_count, options, values);

	return result == CUDA_SUCCESS ? cuda_image_load(call.ctx, image, &j, module) : result;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fat_binary)
{
	return cuModuleLoadData(module, fat_binary);
}

CUresult cuModuleUnload(CUmodule module)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);

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

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return cuda_function_program(function) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	function = cuda_function_of(function);
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	*state = function->program ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
	return CUDA_SUCCESS;
}
