/* priv.h - what the files of the CUDA runtime share: the entry guard, error state, kernels and variables.
 *
 * The runtime sits on the driver API and on nothing below it; it links to libcuda.so.1 like any program. The same files
 * are built once per major version of the interface, with CUDART_VERSION 11080, 12080 or 13000; where a layout or a
 * meaning differs the code asks for CUDART_VERSION.
 *
 * An entry point looks like this:
 *
 *	CUDART_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
 *	{
 *		CUDART_ENTER();			// start the driver, make a context current; returns when it cannot
 *		if (!pointer)
 *			return cudart_fail(cudaErrorInvalidValue);
 *		return cudart_result(cuMemAlloc((CUdeviceptr *)pointer, bytes));
 *	}
 *	CUDART_PTSZ(...);			// only if the interface has the per-thread name
 *
 * Every way out goes through cudart_fail or cudart_result, which record an error for cudaGetLastError, or is a plain
 * `return cudaSuccess`. Every name of the interface that no file defines is defined by unsupported.c (symbols.def).
 */
#ifndef STRATA_CUDART_PRIV_H
#define STRATA_CUDART_PRIV_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUDART_API __attribute__((visibility("default")))

/* CUDART_PTSZ(name, (parameters), (arguments)): name_ptsz, which a program calls that was compiled for per-thread
 * default streams. It takes the same parameters and passes these arguments on, with cudart_per_thread(stream). */
#define CUDART_PTSZ(name, params, args)                                                                                \
	CUDART_API cudaError_t name##_ptsz params;                                                                     \
	CUDART_API cudaError_t name##_ptsz params                                                                      \
	{                                                                                                              \
		return name args;                                                                                      \
	}                                                                                                              \
	_Static_assert(1, "")

/* No stream means the calling thread's own. */
static inline cudaStream_t cudart_per_thread(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

/* The same entry point under its per-thread name, where no stream is involved. */
#define CUDART_ALIAS(name, suffix) \
	extern __typeof__(name) name##suffix __attribute__((alias(#name), visibility("default")))

/* ---- entry guard (context.c) ---- */

/* Starts the driver at the first call and makes the primary context current for threads without a context. Returns why
 * it cannot, recorded. */
cudaError_t cudart_enter(void);

/* First statement of entry points that need the device. */
#define CUDART_ENTER()                                                                                                 \
	do {                                                                                                           \
		cudaError_t enter_error = cudart_enter();                                                              \
		if (enter_error != cudaSuccess)                                                                        \
			return enter_error;                                                                            \
	} while (0)

/* For calls that need the driver and no context. Returns why it cannot start, recorded. */
cudaError_t cudart_start(void);

/* The id of the current context; ids are never used twice. Call after cudart_enter. */
void cudart_context_id(uint64_t *id);

/* ---- error state (error.c) ---- */

/* The runtime's code for a driver's. */
cudaError_t cudart_error(CUresult result);
/* Records e as the thread's last error, unless it is cudaSuccess. Returns e. */
cudaError_t cudart_fail(cudaError_t e);
/* Both: translates, records, returns. */
cudaError_t cudart_result(CUresult result);
/* Whether e means that the context is lost: only cudaDeviceReset clears such an error. */
bool cudart_is_sticky(cudaError_t e);
/* Remembers a fault that no call has returned yet (a kernel failed after its launch had succeeded). */
void cudart_fault(cudaError_t e);
/* After a reset: the context's faults are gone. */
void cudart_forget_fault(void);

/* Names what is missing on stderr, once per name and process. Returns cudaErrorNotSupported, recorded. */
cudaError_t cudart_not_supported(const char *name);
/* One line "strata: ..." on stderr. */
void cudart_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- kernels and variables of the program (registration.c) ---- */

/* The driver's function for what a program passes as a kernel: the address of the host stub, the handle that
 * __cudaGetKernel gave, or a kernel of a cudaLibrary_t. Loads the module that holds it at the first need.
 * Returns cudaErrorInvalidDeviceFunction for anything else, and why the module cannot be loaded (after a message). Not
 * recorded. */
cudaError_t cudart_function(const void *kernel, CUfunction *function);
/* What a program passes as the kernel that is this function of the driver; NULL if it has not used it yet. */
const void *cudart_function_host(CUfunction function);
/* The kernel's name as registered, or NULL. */
const char *cudart_function_name(const void *kernel);
/* Device address and size of a variable, by the address of its host shadow; cudaErrorInvalidSymbol without one. Not
 * recorded. Either output may be NULL. */
cudaError_t cudart_variable(const void *symbol, CUdeviceptr *address, size_t *bytes);

#endif
