/* unsupported.c - every entry point of the interface, weak: it exists so that programs link, and says that it does
 * nothing. Another file's definition of the same name takes its place.
 *
 * Built without cuda_runtime_api.h: the arguments are never read, so each is defined without any.
 */
#include "cudart/unsupported.h"

#define SYMBOL(name)                                                                                                   \
	__attribute__((weak, visibility("default"))) int name(void);                                                   \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return cudart_unsupported_call(#name);                                                                 \
	}
#include "cudart/symbols.def"
#undef SYMBOL
