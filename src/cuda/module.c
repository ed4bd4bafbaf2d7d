/* module.c - PTX modules: loading from memory and file with the JIT options, kernels, variables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/driver.h"

/* ---- options ---- */

CUresult cuda_jit_parse(struct cuda_jit *j, unsigned int count, CUjit_option *options, void **values)
{
	memset(j, 0, sizeof(*j));
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	j->count = count;
	j->options = options;
	j->values = values;
	for (unsigned int i = 0; i < count; i++) {
		switch (options[i]) {
		case CU_JIT_INFO_LOG_BUFFER:
			j->info = values[i];
			break;
		case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			j->info_bytes = (unsigned int)(uintptr_t)values[i];
			break;
		case CU_JIT_ERROR_LOG_BUFFER:
			j->error = values[i];
			break;
		case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			j->error_bytes = (unsigned int)(uintptr_t)values[i];
			break;
		case CU_JIT_MAX_REGISTERS:
			/* Registers are PTX's virtual ones: there is no allocator to limit. */
			cuda_not_supported("CU_JIT_MAX_REGISTERS (the module loads without it)");
			break;
		default:
			/* The others steer a compiler that is not there; none changes what a program computes. */
			if ((unsigned int)options[i] > CU_JIT_CACHE_MODE)
				return CUDA_ERROR_INVALID_VALUE;
		}
	}
	return CUDA_SUCCESS;
}

static size_t fill_log(char *buffer, size_t size_bytes, const char *text)
{
	if (!buffer || !size_bytes)
		return 0;

	size_t length = strlen(text) + 1 < size_bytes ? strlen(text) : size_bytes - 1;

	memcpy(buffer, text, length);
	buffer[length] = '\0';
	return length;
}

void cuda_jit_finish(struct cuda_jit *j, const char *info, const char *error)
{
	size_t info_used = fill_log(j->info, j->info_bytes, info);
	size_t error_used = fill_log(j->error, j->error_bytes, error);

	for (unsigned int i = 0; i < j->count; i++) {
		if (j->options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			j->values[i] = (void *)(uintptr_t)info_used;
		if (j->options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			j->values[i] = (void *)(uintptr_t)error_used;
		if (j->options[i] == CU_JIT_WALL_TIME) {
			const float host_ms = 0; /* host time is never shown */

			memcpy(&j->values[i], &host_ms, sizeof(host_ms));
		}
	}
}

/* ---- images ---- */

CUresult cuda_image_check(const void *image, const char *what)
{
	const unsigned char *bytes = image;
	uint32_t magic = 0;

	/* Byte by byte: a shorter text ends in NUL. */
	for (uint32_t i = 0; i < 4 && (i == 0 || bytes[i - 1]); i++)
		magic |= (uint32_t)bytes[i] << (8 * i);
	if (!memcmp(&magic, "\177ELF", 4)) {
		cuda_message("%s: error: this is a cubin for a real GPU; expected PTX text (compile with -ptx)", what);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	if (!bytes[0]) {
		cuda_message("%s: error: the image is empty; expected PTX text", what);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	for (uint32_t i = 0; i < 4 && bytes[i]; i++) {
		if ((bytes[i] < ' ' && !strchr("\t\n\v\f\r", bytes[i])) || bytes[i] > '~') {
			cuda_message("%s: error: the image is neither PTX text nor any known binary", what);
			return CUDA_ERROR_INVALID_IMAGE;
		}
	}
	return CUDA_SUCCESS;
}

char *cuda_file_read(const char *path, size_t *size_bytes)
{
	gchar *text;
	gsize length;
	GError *error = NULL;

	if (!g_file_get_contents(path, &text, &length, &error)) {
		cuda_message("error: %s", error->message);
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
	if (!m->ptx)
		result = CUDA_ERROR_INVALID_PTX;
	else if (!(m->simt = simt_module_load(m->ptx, cuda_driver.mem, &diag)))
		result = CUDA_ERROR_OUT_OF_MEMORY;

	char *log = base_diag_join(&diag);

	cuda_jit_finish(j, "", log);
	if (result != CUDA_SUCCESS && !(j->error && j->error_bytes))
		cuda_print_diag(&diag);
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

static CUresult load_image(struct CUctx_st *ctx, const void *image, struct cuda_jit *j, CUmodule *module)
{
	char name[32];

	snprintf(name, sizeof(name), "module-%llu.ptx", (unsigned long long)++cuda_driver.next_id);
	if (cuda_image_is_fatbin(image))
		return cuda_fatbin_load(ctx, image, SIZE_MAX, name, j, module);

	CUresult result = cuda_image_check(image, name);

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
	else if ((result = cuda_image_check(text, path)) == CUDA_SUCCESS)
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

	return load_image(call.ctx, image, &j, module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options_count, CUjit_option *options,
			    void **values)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;

	struct cuda_jit j;
	CUresult result = cuda_jit_parse(&j, options_count, options, values);

	return result == CUDA_SUCCESS ? load_image(call.ctx, image, &j, module) : result;
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
