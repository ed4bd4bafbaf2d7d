/* error.c - the error state of threads and of the context, names and texts, messages. */
#include <glib.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/demangle.h"
#include "cudart/priv.h"
#include "cudart/unsupported.h"

static _Thread_local cudaError_t last;
/* The context's fault, for all threads; cudaSuccess while there is none. */
static _Atomic int fault;

/* ---- names and texts ---- */

static const struct error_row {
	cudaError_t code;
	const char *name, *text;
} rows[] = {
#define ERROR(code, text) {code, #code, text},
#include "cudart/error.def"
#undef ERROR
};

static const struct error_row *find(int code)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if ((int)rows[i].code == code)
			return &rows[i];
	}
	return NULL;
}

CUDART_API const char *cudaGetErrorName(cudaError_t error)
{
	const struct error_row *row = find((int)error);

	return row ? row->name : "unrecognized error code";
}

CUDART_API const char *cudaGetErrorString(cudaError_t error)
{
	const struct error_row *row = find((int)error);

	return row ? row->text : "unrecognized error code";
}

/* ---- state ---- */

cudaError_t cudart_error(CUresult result)
{
	/* The two lists share their numbers since CUDA 10.1, up to a few codes that only one of them has. */
	return find((int)result) ? (cudaError_t)result : cudaErrorUnknown;
}

bool cudart_is_sticky(cudaError_t e)
{
	switch (e) {
	case cudaErrorECCUncorrectable:
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
		return true;
	default:
		return false;
	}
}

void cudart_fault(cudaError_t e)
{
	atomic_store(&fault, (int)e);
}

void cudart_forget_fault(void)
{
	atomic_store(&fault, cudaSuccess);
	last = cudaSuccess;
}

cudaError_t cudart_fail(cudaError_t e)
{
	if (e != cudaSuccess)
		last = e;
	if (cudart_is_sticky(e))
		cudart_fault(e);
	return e;
}

cudaError_t cudart_result(CUresult result)
{
	return result == CUDA_SUCCESS ? cudaSuccess : cudart_fail(cudart_error(result));
}

CUDART_API cudaError_t cudaPeekAtLastError(void)
{
	int lost = atomic_load(&fault);

	return lost ? (cudaError_t)lost : last;
}

CUDART_API cudaError_t cudaGetLastError(void)
{
	cudaError_t e = cudaPeekAtLastError();

	last = cudaSuccess;
	return e;
}

/* ---- messages ---- */

void cudart_message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);

	g_autofree char *text = g_strdup_vprintf(fmt, args);

	va_end(args);

	g_autofree char *plain = base_demangle(text), *line = g_strconcat("strata: ", plain, "\n", NULL);
	size_t length = strlen(line);

	/* One write per message, so that messages of several processes do not mix. */
	fflush(stdout);
	for (size_t done = 0; done < length;) {
		ssize_t n = write(STDERR_FILENO, line + done, length - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
}

cudaError_t cudart_not_supported(const char *name)
{
	static GHashTable *named;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!named)
		named = g_hash_table_new(g_str_hash, g_str_equal);

	bool is_new = g_hash_table_add(named, (gpointer)name);

	pthread_mutex_unlock(&lock);
	if (is_new)
		cudart_message("%s is not supported", name);
	return cudart_fail(cudaErrorNotSupported);
}

int cudart_unsupported_call(const char *name)
{
	return (int)cudart_not_supported(name);
}
