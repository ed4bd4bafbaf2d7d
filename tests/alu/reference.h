/* reference.h - what an instruction form computes on one lane, written a second time and differently: wide integers,
 * the C library under fesetround, and search among all halves. */
#ifndef STRATA_TESTS_ALU_REFERENCE_H
#define STRATA_TESTS_ALU_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_lane {
	uint64_t src[4]; /* bits of the lane, 4-byte lanes zero-extended */
	uint32_t aux;	 /* what the kernel gets */
	bool bit;	 /* this lane's bit of aux */
	uint64_t dst;	 /* result: bits of the lane */
	bool mask;	 /* result: this lane's bit of the returned mask */
	bool skip;	 /* result: the reference cannot decide this one */
};

/* Computes the result of form key (as in the tables). False if the reference does not know the form. */
bool reference_compute(const char *key, struct reference_lane *lane);
/* Its parts, a file each: the integer forms, whose operation and words are given, and those of narrow floats. */
bool reference_integer(const char *op, const char *const *word, int count, struct reference_lane *l);
bool reference_narrow(const char *key, struct reference_lane *l);

#endif
