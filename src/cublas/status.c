/* status.c - names of statuses, versions. */
#include <cublasLt.h>

#include "cublas/blas.h"

/* Name and sentence of each status. */
#define STATUSES(X)                                                                                                    \
	X(SUCCESS, "the operation completed successfully")                                                             \
	X(NOT_INITIALIZED, "the library was not initialized")                                                          \
	X(ALLOC_FAILED, "the resource allocation failed")                                                              \
	X(INVALID_VALUE, "an unsupported value or parameter was passed to the function")                               \
	X(ARCH_MISMATCH, "the function requires a feature that the device architecture lacks")                         \
	X(MAPPING_ERROR, "an access to the device's memory failed")                                                    \
	X(EXECUTION_FAILED, "the program failed to execute on the device")                                             \
	X(INTERNAL_ERROR, "an internal operation failed")                                                              \
	X(NOT_SUPPORTED, "the functionality is not supported")                                                         \
	X(LICENSE_ERROR, "the functionality requires a license that is missing")

const char *strata_blas_status_name(cublasStatus_t status, bool is_sentence)
{
	switch (status) {
#define CASE(name, sentence)                                                                                           \
	case CUBLAS_STATUS_##name:                                                                                     \
		return is_sentence ? sentence : "CUBLAS_STATUS_" #name;
		STATUSES(CASE)
#undef CASE
	}
	return is_sentence ? "unknown status" : "CUBLAS_STATUS_UNKNOWN";
}

BLAS_API const char *cublasLtGetStatusName(cublasStatus_t status)
{
	return strata_blas_status_name(status, false);
}

BLAS_API const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return strata_blas_status_name(status, true);
}

BLAS_API size_t cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

BLAS_API size_t cublasLtGetCudartVersion(void)
{
	return CUBLAS_VER_MAJOR * 1000;
}

BLAS_API cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};

	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CUBLAS_STATUS_INVALID_VALUE;
	*value = parts[type];
	return CUBLAS_STATUS_SUCCESS;
}
