/* units.h - conversions between units of time and rates. */
#ifndef STRATA_BASE_UNITS_H
#define STRATA_BASE_UNITS_H

#include <stdint.h>

#define BASE_PS_PER_NS 1000ull
#define BASE_PS_PER_US 1000000ull
#define BASE_PS_PER_MS 1000000000ull /* also: the period of 1 kHz in ps */
#define BASE_PS_PER_S 1000000000000ull
#define BASE_BYTES_PER_MBYTE 1000000ull
#define BASE_BITS_PER_BYTE 8

/* How long so many bytes take at a rate, rounded down. */
static inline uint64_t base_transfer_ps(uint64_t bytes, uint64_t mbytes_per_s)
{
	return (uint64_t)((unsigned __int128)bytes * (BASE_PS_PER_S / BASE_BYTES_PER_MBYTE) / mbytes_per_s);
}

/* Cycles of a clock in whole ps, rounded down; *rest, 0 at first, keeps what is left, so that the sum of all calls is
 * exact. */
static inline uint64_t base_cycles_ps(uint64_t cycles, uint64_t khz, uint64_t *rest)
{
	const unsigned __int128 all = (unsigned __int128)cycles * BASE_PS_PER_MS + *rest;

	if ((uint64_t)(all >> 64) == 0) {
		*rest = (uint64_t)all % khz;
		return (uint64_t)all / khz;
	}
	*rest = (uint64_t)(all % khz);
	return (uint64_t)(all / khz);
}

#endif
