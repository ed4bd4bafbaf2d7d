/* registration.h - the handles that programs get for their kernels. */
#ifndef STRATA_CUDART_REGISTRATION_H
#define STRATA_CUDART_REGISTRATION_H

#include "cudart/priv.h"

/* The handle of the kernel with this host stub; cudart_function accepts it. Not recorded. */
cudaError_t cudart_kernel_handle(const void *host, const void **handle);

#endif
