/* unsupported.c - entry points that exist so that programs link, and say that they do nothing.
 *
 * Built without cuda.h: their arguments are never read, so each is defined without any.
 */
#include "cuda/unsupported.h"

#define UNSUPPORTED(name)                                                                                              \
	__attribute__((visibility("default"))) int name(void);                                                         \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return cuda_unsupported_call(#name);                                                                   \
	}
#include "cuda/unsupported.def"
#undef UNSUPPORTED
