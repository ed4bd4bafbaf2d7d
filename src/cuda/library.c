/* library.c - libraries: images that belong to no context; a context gets its module of one when it first needs it. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "cuda/fatbin.h"

struct instance {
	uint64_t context_id; /* never used twice: a context that ended took its module with it */
	CUmodule module;
};

struct CUlib_st {
	struct cuda_object object;
	const void *image;
	void *own_image;    /* the copy, or NULL where the caller keeps it */
	GArray *instances;  /* struct instance */
	GPtrArray *kernels; /* CUkernel, owned, made when they are asked for */
};

struct CUkern_st {
	struct cuda_object object;
	struct CUlib_st *library;
	char *name;
};

/* ---- images ---- */

/* PTX and bare containers are copied; what a wrapper points to is part of the program and stays. NULL: nothing to copy.
 */
static void *copy_image(const void *image)
{
	uint32_t magic;
	size_t bytes;

	if (!cuda_image_is_fatbin(image))
		return g_strdup(image);
	memcpy(&magic, image, sizeof(magic));
	bytes = magic == CUDA_FATBIN_MAGIC ? cuda_fatbin_size(image, SIZE_MAX) : 0;
	return bytes ? g_memdup2(image, bytes) : NULL;
}

static CUresult check_options(const CUlibraryOption *options, void **values, unsigned int count, bool *is_preserved)
{
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < count; i++) {
		if (options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
			return cuda_not_supported("CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE");
		if (options[i] != CU_LIBRARY_BINARY_IS_PRESERVED)
			return CUDA_ERROR_INVALID_VALUE;
		*is_preserved = values[i] != NULL;
	}
	return CUDA_SUCCESS;
}

/* The library's module in the current context. j takes the log of the first load; NULL: none. */
static CUresult module_of(struct CUlib_st *library, struct cuda_jit *j, CUmodule *module)
{
	struct cuda_jit none = {0};
	struct CUctx_st *ctx = cuda_context_current();
	struct instance new;
	CUresult result;

	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	for (guint i = 0; i < library->instances->len; i++) {
		const struct instance *known = &g_array_index(library->instances, struct instance, i);

		if (known->context_id == ctx->id) {
			*module = known->module;
			return CUDA_SUCCESS;
		}
	}
	result = cuda_image_load(ctx, library->image, j ? j : &none, &new.module);
	if (result != CUDA_SUCCESS)
		return result;
	new.context_id = ctx->id;
	g_array_append_val(library->instances, new);
	*module = new.module;
	return CUDA_SUCCESS;
}

/* ---- libraries ---- */

static void destroy_kernel(gpointer p)
{
	CUkernel k = p;

	cuda_object_remove(&k->object);
	g_free(k->name);
	free(k);
}

static void destroy_library(struct cuda_object *o)
{
	struct CUlib_st *l = (struct CUlib_st *)o;

	for (guint i = 0; i < l->instances->len; i++) {
		CUmodule m = g_array_index(l->instances, struct instance, i).module;

		if (cuda_object_is(m, CUDA_KIND_MODULE) &&
		    m->object.ctx->id == g_array_index(l->instances, struct instance, i).context_id)
			m->object.destroy(&m->object);
	}
	cuda_object_remove(o);
	g_array_free(l->instances, TRUE);
	g_ptr_array_free(l->kernels, TRUE);
	g_free(l->own_image);
	free(l);
}

/* Takes own_image over. Mistakes of the image show here where there is a context, else at the library's first use. */
static CUresult library_new(CUlibrary *library, const void *image, void *own_image, struct cuda_jit *j)
{
	struct CUlib_st *l = calloc(1, sizeof(*l));
	CUresult result = CUDA_SUCCESS;
	CUmodule module;

	if (!l) {
		g_free(own_image);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	l->image = image;
	l->own_image = own_image;
	l->instances = g_array_new(FALSE, FALSE, sizeof(struct instance));
	l->kernels = g_ptr_array_new_with_free_func(destroy_kernel);
	cuda_object_add(&l->object, CUDA_KIND_LIBRARY, NULL, destroy_library);
	if (cuda_context_current())
		result = module_of(l, j, &module);
	if (result != CUDA_SUCCESS)
		destroy_library(&l->object);
	else
		*library = l;
	return result;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options, void **jit_values,
			   unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int options_count)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	bool is_preserved = false;
	struct cuda_jit j;
	CUresult result;

	if (!library || !image)
		return CUDA_ERROR_INVALID_VALUE;
	if ((result = check_options(options, values, options_count, &is_preserved)) != CUDA_SUCCESS ||
	    (result = cuda_jit_parse(&j, jit_count, jit_options, jit_values)) != CUDA_SUCCESS)
		return result;

	void *own = is_preserved ? NULL : copy_image(image);

	return library_new(library, own ? own : image, own, &j);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
			       unsigned int jit_count, CUlibraryOption *options, void **values,
			       unsigned int options_count)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	bool is_preserved;
	struct cuda_jit j;
	size_t bytes;
	CUresult result;

	if (!library || !path)
		return CUDA_ERROR_INVALID_VALUE;
	if ((result = check_options(options, values, options_count, &is_preserved)) != CUDA_SUCCESS ||
	    (result = cuda_jit_parse(&j, jit_count, jit_options, jit_values)) != CUDA_SUCCESS)
		return result;

	char *text = cuda_file_read(path, &bytes);

	if (!text)
		return CUDA_ERROR_FILE_NOT_FOUND;
	if (cuda_image_is_fatbin(text) && !cuda_fatbin_size(text, bytes)) {
		machine_message("%s: error: the file is not a whole fat binary", path);
		g_free(text);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	return library_new(library, text, text, &j);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!cuda_object_is(library, CUDA_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_library(&library->object);
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, library);
	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(library, CUDA_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	return module_of(library, NULL, module);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
	CUmodule module;
	CUresult result = cuLibraryGetModule(&module, library);

	return result == CUDA_SUCCESS ? cuModuleGetGlobal_v2(address, bytes, module, name) : result;
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
	CUmodule module;
	CUresult result = name ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;

	for (uint32_t i = 0; result == CUDA_SUCCESS && i < module->ptx->var_count; i++) {
		if (module->ptx->vars[i]->is_managed && !strcmp(module->ptx->vars[i]->name, name))
			return cuModuleGetGlobal_v2(address, bytes, module, name);
	}
	return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* ---- kernels ---- */

static CUresult kernel_of(struct CUlib_st *library, const char *name, CUkernel *kernel)
{
	for (guint i = 0; i < library->kernels->len; i++) {
		*kernel = g_ptr_array_index(library->kernels, i);
		if (!strcmp((*kernel)->name, name))
			return CUDA_SUCCESS;
	}

	CUkernel k = calloc(1, sizeof(*k));

	if (!k)
		return CUDA_ERROR_OUT_OF_MEMORY;
	k->library = library;
	k->name = g_strdup(name);
	cuda_object_add(&k->object, CUDA_KIND_KERNEL, NULL, NULL);
	g_ptr_array_add(library->kernels, k);
	*kernel = k;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	CUmodule module;
	CUfunction function;
	CUresult result = kernel && name ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;

	if (result == CUDA_SUCCESS)
		result = cuModuleGetFunction(&function, module, name);
	if (result != CUDA_SUCCESS)
		return result;
	CUDA_CALL(CUDA_NEEDS_INIT);
	return kernel_of(library, name, kernel);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
	CUmodule module;
	CUresult result = cuLibraryGetModule(&module, library);

	return result == CUDA_SUCCESS ? cuModuleGetFunctionCount(count, module) : result;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int kernels_count, CUlibrary library)
{
	CUmodule module;
	CUresult result = kernels && kernels_count ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;
	unsigned int n = 0;

	for (uint32_t i = 0; result == CUDA_SUCCESS && i < module->ptx->func_count && n < kernels_count; i++) {
		const struct ptx_func *f = module->ptx->funcs[i];

		if (f->is_entry && f->has_body)
			result = cuLibraryGetKernel(&kernels[n++], library, f->name);
	}
	return result;
}

CUfunction cuda_function_of(CUfunction handle)
{
	CUkernel kernel = (CUkernel)(void *)handle;
	CUmodule module;
	CUfunction function;

	if (!cuda_driver.objects || !cuda_object_is(kernel, CUDA_KIND_KERNEL) ||
	    module_of(kernel->library, NULL, &module) != CUDA_SUCCESS ||
	    cuModuleGetFunction(&function, module, kernel->name) != CUDA_SUCCESS)
		return handle;
	return function;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, kernel);

	CUmodule module;

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(kernel, CUDA_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	call.result = module_of(kernel->library, NULL, &module);
	return call.result == CUDA_SUCCESS ? cuModuleGetFunction(function, module, kernel->name) : call.result;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!library)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(kernel, CUDA_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	*library = kernel->library;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(kernel, CUDA_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	*name = kernel->name;
	return CUDA_SUCCESS;
}
