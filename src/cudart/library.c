/* library.c - libraries of device code that the program loads by itself, and their kernels. */
#include "cudart/priv.h"

CUDART_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit_options,
					   void **jit_values, unsigned int jit_count, enum cudaLibraryOption *options,
					   void **values, unsigned int options_count)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryLoadData(library, code, (CUjit_option *)jit_options, jit_values, jit_count,
					       (CUlibraryOption *)options, values, options_count));
}

CUDART_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
					       enum cudaJitOption *jit_options, void **jit_values,
					       unsigned int jit_count, enum cudaLibraryOption *options, void **values,
					       unsigned int options_count)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryLoadFromFile(library, path, (CUjit_option *)jit_options, jit_values, jit_count,
						   (CUlibraryOption *)options, values, options_count));
}

CUDART_API cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryUnload(library));
}

CUDART_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryGetKernel(kernel, library, name));
}

CUDART_API cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryGetKernelCount(count, library));
}

CUDART_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int kernels_count,
						   cudaLibrary_t library)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryEnumerateKernels(kernels, kernels_count, library));
}

CUDART_API cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryGetGlobal((CUdeviceptr *)pointer, bytes, library, name));
}

CUDART_API cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	CUDART_ENTER();
	return cudart_result(cuLibraryGetManaged((CUdeviceptr *)pointer, bytes, library, name));
}

CUDART_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
						       int value, int device)
{
	CUDART_ENTER();
	if (device)
		return cudart_fail(cudaErrorInvalidDevice);
	return cudaFuncSetAttribute(kernel, attribute, value);
}
