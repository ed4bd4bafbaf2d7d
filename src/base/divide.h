/* divide.h - division by a number that stays the same, by multiplication: addresses are divided often. */
#ifndef STRATA_BASE_DIVIDE_H
#define STRATA_BASE_DIVIDE_H

#include <stdint.h>

struct base_divisor {
	uint64_t count, inverse; /* floor((2^64 - 1) / count) */
};

/* count: at least 1. */
static inline struct base_divisor base_divisor_of(uint64_t count)
{
	return (struct base_divisor){count, UINT64_MAX / count};
}

/* n / count, exactly, for n below 2^63; *rest is n mod count. */
static inline uint64_t base_divide(uint64_t n, const struct base_divisor *d, uint64_t *rest)
{
	uint64_t quotient = (uint64_t)((unsigned __int128)n * d->inverse >> 64);
	uint64_t left = n - quotient * d->count;

	if (left >= d->count) { /* the rounded inverse falls short by at most one */
		left -= d->count;
		quotient++;
	}
	*rest = left;
	return quotient;
}

#endif
