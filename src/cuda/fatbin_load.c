/* fatbin_load.c - fat binaries as images of modules: one PTX is loaded, several are linked first. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "cuda/fatbin.h"

/* What the file that holds the image is called, or NAME. Owned by the caller (g_free). */
static char *image_name(const void *image, const char *name)
{
	Dl_info info;

	return dladdr(image, &info) && info.dli_fname && *info.dli_fname ? g_path_get_basename(info.dli_fname)
									  : g_strdup(name);
}

/* cuda_fatbin_choose with its messages printed. CUDA_FATBIN_EMPTY is CUDA_SUCCESS and leaves out->text NULL. */
static CUresult choose(const void *data, size_t limit_bytes, const char *name, struct cuda_jit *j,
		       struct cuda_fatbin_ptx *out)
{
	struct base_diag_list diag;
	CUresult result = CUDA_SUCCESS;

	base_diag_init(&diag);
	out->text = NULL;
	switch (cuda_fatbin_choose(data, limit_bytes, cuda_jit_capability(j), name, out, &diag)) {
	case CUDA_FATBIN_FOUND:
	case CUDA_FATBIN_EMPTY:
		break;
	case CUDA_FATBIN_NO_PTX:
		result = CUDA_ERROR_NO_BINARY_FOR_GPU;
		break;
	case CUDA_FATBIN_INVALID:
		result = CUDA_ERROR_INVALID_IMAGE;
		break;
	}
	if (result != CUDA_SUCCESS) {
		char *log = base_diag_join(&diag);

		cuda_jit_finish(j, "", log);
		free(log);
		if (!cuda_jit_has_error_log(j))
			machine_print_diag(&diag);
	}
	base_diag_free(&diag);
	return result;
}

static CUresult load_one(struct CUctx_st *ctx, const void *container, size_t limit_bytes, const char *name,
			 struct cuda_jit *j, CUmodule *module)
{
	struct cuda_fatbin_ptx ptx;
	CUresult result = choose(container, limit_bytes, name, j, &ptx);

	if (result == CUDA_SUCCESS && !ptx.text) {
		machine_message("%s: error: the fat binary is empty", name);
		result = CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	if (result == CUDA_SUCCESS) {
		cuda_jit_limit_registers(j, ptx.register_max);
		result = cuda_module_load(ctx, name, ptx.text, ptx.size_bytes, j, module);
	}
	free(ptx.text);
	return result;
}

/* Adds the PTX of one container to the link; an empty container adds nothing. */
static CUresult add_linked(CUlinkState state, const void *container, const char *name, uint32_t index,
			   struct cuda_jit *j)
{
	CUjit_option option = CU_JIT_MAX_REGISTERS;
	struct cuda_fatbin_ptx ptx;
	char object[256];
	CUresult result;
	void *value;

	snprintf(object, sizeof(object), "%s, object %u", name, index);
	result = choose(container, SIZE_MAX, object, j, &ptx);
	if (result == CUDA_SUCCESS && ptx.text) {
		value = (void *)(uintptr_t)ptx.register_max;
		result = cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, ptx.text, ptx.size_bytes + 1, object, 1, &option,
					  &value);
	}
	free(ptx.text);
	return result;
}

static CUresult load_linked(struct CUctx_st *ctx, const void *const *containers, const char *name, struct cuda_jit *j,
			    CUmodule *module)
{
	CUlinkState state;
	void *image;
	size_t bytes;
	CUresult result = cuLinkCreate_v2(0, NULL, NULL, &state);

	if (result != CUDA_SUCCESS)
		return result;
	for (uint32_t i = 0; result == CUDA_SUCCESS && containers[i]; i++)
		result = add_linked(state, containers[i], name, i + 1, j);
	if (result == CUDA_SUCCESS)
		result = cuLinkComplete(state, &image, &bytes);
	if (result == CUDA_SUCCESS)
		result = cuda_module_load(ctx, name, image, strlen(image), j, module);
	cuLinkDestroy(state);
	return result;
}

CUresult cuda_fatbin_load(struct CUctx_st *ctx, const void *image, size_t limit_bytes, const char *name,
			  struct cuda_jit *j, CUmodule *module)
{
	struct cuda_fatbin_wrapper wrapper = {0};
	g_autofree char *file = image_name(image, name);

	memcpy(&wrapper.magic, image, sizeof(wrapper.magic));
	if (wrapper.magic != CUDA_FATBIN_WRAPPER_MAGIC)
		return load_one(ctx, image, limit_bytes, file, j, module);
	if (limit_bytes != SIZE_MAX) {
		machine_message("%s: error: the file begins like the wrapper of a fat binary, which only memory can "
				"hold", name);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	memcpy(&wrapper, image, sizeof(wrapper));
	if (wrapper.version == 2 && wrapper.linked && wrapper.linked[0])
		return load_linked(ctx, wrapper.linked, file, j, module);
	if ((wrapper.version != 1 && wrapper.version != 2) || !wrapper.container) {
		machine_message("%s: error: the wrapper of the fat binary has version %u, expected 1 or 2", file,
				wrapper.version);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	return load_one(ctx, wrapper.container, SIZE_MAX, file, j, module);
}
