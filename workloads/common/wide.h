/*
 * wide.h - kernels for vectors of four and of eight lanes. They are in a header of the program, which is included once
 * for each LANES, the eight between WIDE_BEGIN and WIDE_END, since AVX is not in the base instruction set; WIDE(name)
 * is a name of such a header. wide_check ends the program where the processor has no AVX.
 */
#ifndef WIDE_H
#define WIDE_H

#include "common/workload.h"

#define WIDE__(name, lanes) name##_##lanes
#define WIDE_(name, lanes) WIDE__(name, lanes)
#define WIDE(name) WIDE_(name, LANES)

#define WIDE_BEGIN _Pragma("clang attribute push(__attribute__((target(\"avx\"))), apply_to = function)")
#define WIDE_END _Pragma("clang attribute pop")

enum { WIDE_LEAST = 4, WIDE_MOST = 8 };

/* For the table of a program's numbers. */
#define WIDE_COUNT {"lanes", "floats of a vector: 4, or 8 of AVX", 4, 4, WIDE_LEAST, WIDE_MOST, WIDE_LEAST, NULL}

typedef float wide_4 __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float))));
typedef float wide_8 __attribute__((vector_size(8 * sizeof(float)), aligned(sizeof(float))));

static inline bool wide_check(unsigned int lanes)
{
	if (lanes == WIDE_MOST && !__builtin_cpu_supports("avx"))
		workload_fail("eight lanes need a processor with AVX");
	return lanes == WIDE_MOST;
}

#endif
