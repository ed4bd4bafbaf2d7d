/* program.h - what the test programs share: a check of every call and of every result. */
#ifndef STRATA_TEST_PROGRAM_H
#define STRATA_TEST_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

/* The call succeeds. */
#define OK(call)                                                                                                       \
	do {                                                                                                           \
		cudaError_t ok_error = (call);                                                                         \
                                                                                                                       \
		if (ok_error != cudaSuccess) {                                                                         \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(ok_error));   \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* The call returns this error, which is then forgotten. */
#define FAILS(error, call)                                                                                             \
	do {                                                                                                           \
		cudaError_t fails_error = (call);                                                                      \
                                                                                                                       \
		cudaGetLastError();                                                                                    \
		if (fails_error != (error)) {                                                                          \
			fprintf(stderr, "%s:%d: %s: %s, not " #error "\n", __FILE__, __LINE__, #call,                  \
				cudaGetErrorName(fails_error));                                                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                       \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* After a launch: it started, and it ended well. */
#define LAUNCHED()                                                                                                     \
	do {                                                                                                           \
		OK(cudaGetLastError());                                                                                \
		OK(cudaDeviceSynchronize());                                                                           \
	} while (0)

/* A small generator, so that programs need no library for their data: Numerical Recipes' constants. */
static inline unsigned int next_random(unsigned int *state)
{
	return *state = *state * 1664525u + 1013904223u;
}

#endif
