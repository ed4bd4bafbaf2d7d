/* unsupported.h - what unsupported.c may know of the runtime; it cannot include cuda_runtime_api.h, which gives its
 * functions their real types. */
#ifndef STRATA_CUDART_UNSUPPORTED_H
#define STRATA_CUDART_UNSUPPORTED_H

/* Prints the name once. Returns cudaErrorNotSupported, recorded. */
int cudart_unsupported_call(const char *name);

#endif
