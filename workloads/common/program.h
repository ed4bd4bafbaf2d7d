/*
 * What all workloads share, CUDA programs and programs of threads: options, random input, and checking of results.
 *
 * Every program follows the same conventions.  Exit status: 0 when all results are right, 1 when one is wrong (the
 * first wrong one is printed), 2 for a wrong command line or when something is refused.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WORKLOAD_EXIT_RIGHT = 0,
	WORKLOAD_EXIT_WRONG = 1,
	WORKLOAD_EXIT_ERROR = 2,
};

/* A number that decides the input's size, or what is done: --NAME N. Its value follows --size unless it is given. */
struct workload_count {
	const char *name; /* "objects" */
	const char *text; /* for --help */
	unsigned int small, paper;
	unsigned int least, most;
	unsigned int multiple;	  /* the number must be a multiple of this; 1: any */
	const char *const *words; /* not NULL: --NAME WORD; the number is its index here, up to `most` */
};

enum { WORKLOAD_COUNTS_MAX = 18 };

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

/* Print "name: measure value unit": what the program has measured of itself, by its own clock.  Under strata run it is
 * in the results as well, as "measures". */
void workload_measure(const char *measure, double value, const char *unit);

/* Says of an array that the program works on what its digest is, in the file that strata run has named: a line "input",
 * which is added to those before it. Two programs are compared (strata bench) only where theirs are the same, in one
 * order. Call it where nothing is modelled. */
void workload_input(const void *data, size_t bytes);
/* The same of a number that says what is done with it: steps, a grid's width. */
static inline void workload_input_number(uint64_t number)
{
	workload_input(&number, sizeof(number));
}
/* Of an array that is in pieces: the digest with one more of them; 0 before the first. */
uint64_t workload_digest(uint64_t digest, const void *data, size_t bytes);

/* Read a word of each 64 KB: what is claimed must have been touched, where it is modelled. */
static inline void workload_touch(const void *at, size_t bytes)
{
	const volatile char *p = at;

	for (size_t i = 0; i < bytes; i += 65536)
		(void)p[i];
}

/* Seconds of the monotonic clock; simulated time where the program's threads are. */
double workload_seconds(void);

/* Memory of `count` elements, all zero; ends the program when there is none.  Freed with free(). */
void *workload_host_alloc(size_t count, size_t element_bytes);

/* ---- Random input ----------------------------------------------------------------------------------------------- */

/* The mixing function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t workload_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/*
 * Numbers by position: the value at (seed, stream, index) does not depend on what was drawn before, so that an input
 * can be made, and made again for the check, in any order and in pieces.
 */
static inline uint64_t workload_random(uint64_t seed, uint32_t stream, uint64_t index)
{
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

	return workload_mix(workload_mix(seed + golden * (stream + UINT64_C(1))) + golden * (index + 1));
}

/* Uniform in [0, 1), a multiple of 2^-24. */
float workload_random_float(uint64_t seed, uint32_t stream, uint64_t index);

/* Standard normal (Box-Muller). */
float workload_random_normal(uint64_t seed, uint32_t stream, uint64_t index);

/* ---- Checks: true when all elements agree; else the first that does not is printed ------------------------------- */

/* Bit for bit, floats as --tolerance has it.  `first` is the index of element 0 in the message. */
bool workload_same_f32(const char *what, const float *got, const float *want, size_t count, size_t first);
bool workload_same_f64(const char *what, const double *got, const double *want, size_t count, size_t first);
bool workload_same_u32(const char *what, const uint32_t *got, const uint32_t *want, size_t count);
bool workload_same_u64(const char *what, const uint64_t *got, const uint64_t *want, size_t count);

/* |got - want| <= tolerance * max(1, |want|), or --tolerance if that is more. */
bool workload_close_f32(const char *what, const float *got, const float *want, size_t count, float tolerance);

#endif
