/* builtin_types.h - the types of the runtime API under an older name. */
#ifdef __NVCC__
#include_next <builtin_types.h>
#else
#include <driver_types.h>
#include <vector_functions.h>
#endif
