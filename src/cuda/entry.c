/* entry.c - entry points by name. */
#include "cuda/driver.h"
#include "cuda/symbols.h"

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, cuuint64_t flags,
			     CUdriverProcAddressQueryResult *status)
{
	if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM || cuda_version < 2000)
		return CUDA_ERROR_INVALID_VALUE;

	bool is_known;
	void *found = cuda_symbol_find(symbol, cuda_version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
				       &is_known);

	if (status)
		*status = found	     ? CU_GET_PROC_ADDRESS_SUCCESS
			  : is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
				     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	*function = found;
	return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int cuda_version, cuuint64_t flags);
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **function,
								 int cuda_version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(symbol, function, cuda_version, flags, NULL);
}

/* Tables of functions that only NVIDIA's own libraries know. They ask, and go on without. */
CUresult cuGetExportTable(const void **table, const CUuuid *id);
__attribute__((visibility("default"))) CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
