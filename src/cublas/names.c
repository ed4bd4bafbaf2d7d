/* names.c - every function of the library, weak: it exists so that programs link, and says that it is not modelled.
 * Another file's definition of the same name takes its place. BLAS_NAMES is the list of the library.
 *
 * Built without cublas_api.h: the arguments are never read, so each is defined without any.
 */
__attribute__((visibility("default"))) int strata_blas_unsupported(const char *name);

#define SYMBOL(name)                                                                                                   \
	__attribute__((weak, visibility("default"))) int name(void);                                                   \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return strata_blas_unsupported(#name);                                                                 \
	}
#include BLAS_NAMES
#undef SYMBOL
