/*
 * What the host programs of the workloads share: options, the driver's set-up, random input, and checking of results.
 *
 * Every program follows the same conventions.  Exit status: 0 when all results are right, 1 when one is wrong (the
 * first wrong one is printed), 2 for a wrong command line or when the driver or the host refuses something.
 *
 * The build names the file that holds the kernels, as a C string literal, in WORKLOAD_PTX.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WORKLOAD_EXIT_RIGHT = 0,
	WORKLOAD_EXIT_WRONG = 1,
	WORKLOAD_EXIT_ERROR = 2,
};

/* A number that decides the input's size: --NAME N. Its value follows --size unless it is given. */
struct workload_count {
	const char *name; /* "objects" */
	const char *text; /* for --help */
	unsigned int small, paper;
	unsigned int least, most;
	unsigned int multiple; /* the number must be a multiple of this; 1: any */
};

enum { WORKLOAD_COUNTS_MAX = 4 };

/* What a program says about itself in --help. */
struct workload_about {
	const char *name;
	const char *summary;    /* one line */
	const char *small_size; /* what --size small means */
	const char *paper_size; /* what --size paper means */
};

struct workload_options {
	bool paper;    /* --size paper; otherwise small */
	uint64_t seed; /* --seed N, 1 unless told */
	unsigned int counts[WORKLOAD_COUNTS_MAX]; /* of workload_sized_parse, in its order */
};

/* Parse the command line.  Ends the program with status 0 after --help and with status 2 after a mistake. */
struct workload_options workload_options_parse(const struct workload_about *about, int argc, char **argv);

/* The same for a program whose input's size can be given in numbers, at most WORKLOAD_COUNTS_MAX of them. */
#define WORKLOAD_COUNTS(counts) (counts), sizeof(counts) / sizeof((counts)[0])
struct workload_options workload_sized_parse(const struct workload_about *about, const struct workload_count *counts,
					     unsigned int counts_count, int argc, char **argv);

/* Print "name: message" on stderr and end the program with status 2. */
void workload_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Print "name: what, verified" when `right`; returns the exit status. */
int workload_finish(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Memory of `count` elements, all zero; ends the program when there is none.  Freed with free(). */
void *workload_host_alloc(size_t count, size_t element_bytes);

/* ---- The driver ------------------------------------------------------------------------------------------------- */

/* Make a driver call; end the program with status 2, naming the call and the error, unless it succeeds. */
#define WORKLOAD_CUDA(call) workload_cuda_check((call), #call)
void workload_cuda_check(CUresult result, const char *call);

/* A context on device 0 and one module loaded from `ptx` (text ending in NUL). */
struct workload_gpu {
	CUcontext context;
	CUmodule module;
};

struct workload_gpu workload_gpu_open(const char *ptx);
void workload_gpu_close(struct workload_gpu *gpu);
CUfunction workload_gpu_kernel(const struct workload_gpu *gpu, const char *name);

/* Device memory: plain, and filled from `source`. */
CUdeviceptr workload_device_alloc(size_t bytes);
CUdeviceptr workload_device_copy(const void *source, size_t bytes);

struct workload_dim {
	unsigned int x, y, z;
};

/* Start `kernel` on the default stream; `params` are pointers to its parameters in order. */
void workload_launch(CUfunction kernel, struct workload_dim grid, struct workload_dim block, void **params);

/* The number of CTAs of `block_size` threads that cover `count` elements. */
unsigned int workload_ctas(size_t count, unsigned int block_size);

/* ---- Random input ----------------------------------------------------------------------------------------------- */

/*
 * Numbers by position: the value at (seed, stream, index) does not depend on what was drawn before, so that an input
 * can be made, and made again for the check, in any order and in pieces.
 */
uint64_t workload_random(uint64_t seed, uint32_t stream, uint64_t index);

/* Uniform in [0, 1), a multiple of 2^-24. */
float workload_random_float(uint64_t seed, uint32_t stream, uint64_t index);

/* Standard normal (Box-Muller). */
float workload_random_normal(uint64_t seed, uint32_t stream, uint64_t index);

/* ---- Checks: true when all elements agree; else the first that does not is printed ------------------------------- */

/* Bit for bit.  `first` is the index of element 0 in the message. */
bool workload_same_f32(const char *what, const float *got, const float *want, size_t count, size_t first);
bool workload_same_f64(const char *what, const double *got, const double *want, size_t count, size_t first);
bool workload_same_u32(const char *what, const uint32_t *got, const uint32_t *want, size_t count);

/* |got - want| <= tolerance * max(1, |want|). */
bool workload_close_f32(const char *what, const float *got, const float *want, size_t count, float tolerance);

#endif
