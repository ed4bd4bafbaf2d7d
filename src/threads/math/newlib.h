/* newlib.h - included before everything in newlib's files. What is an instruction is none of their functions, and
 * their code has a section of its own: it is neither the program's nor the runtime's, whose calls wait for their turn.
 */
#include <math.h>

#pragma clang section text = "strata_math"

#define fabs(x) __builtin_fabs(x)
#define fabsf(x) __builtin_fabsf(x)
#define sqrt(x) __builtin_sqrt(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define __ieee754_sqrt(x) __builtin_sqrt(x)
#define __ieee754_sqrtf(x) __builtin_sqrtf(x)
