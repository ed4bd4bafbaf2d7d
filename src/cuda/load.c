/* load.c - modules from memory and from files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

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
