/* symbols.h - what symbols.c has for the driver and wants from it; it cannot include cuda.h, which gives its functions
 * their real types. */
#ifndef STRATA_CUDA_SYMBOLS_H
#define STRATA_CUDA_SYMBOLS_H

#include <stdbool.h>

/* The function of this plain name in the newest form that a client of this version knows, NULL if there is none. A
 * function for the thread's own default stream is preferred where is_per_thread. *is_known: a newer client has one. */
void *cuda_symbol_find(const char *name, int version, bool is_per_thread, bool *is_known);

/* Prints the name once. Returns CUDA_ERROR_NOT_SUPPORTED, or CUDA_ERROR_NOT_INITIALIZED before cuInit. */
int cuda_unsupported_call(const char *name);
/* The same for a form of CUDA 3.1. Returns CUDA_ERROR_INVALID_CONTEXT, as for a context of a newer version. */
int cuda_old_call(const char *name);

#endif
