/* unsupported.h - what unsupported.c may know of the driver; it cannot include cuda.h, which gives its functions
 * their real types. */
#ifndef STRATA_CUDA_UNSUPPORTED_H
#define STRATA_CUDA_UNSUPPORTED_H

/* Prints the name once. Returns CUDA_ERROR_NOT_SUPPORTED, or CUDA_ERROR_NOT_INITIALIZED before cuInit. */
int cuda_unsupported_call(const char *name);

#endif
