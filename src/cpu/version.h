/* version.h - versions of lines: they show which write a copy has, and are followed while somebody observes. */
#ifndef STRATA_CPU_VERSION_H
#define STRATA_CPU_VERSION_H

#include <stdint.h>

/* A version has 16 bits for each of a line's four quarters, the first in the lowest; they count writes, modulo 65536. A
 * processor's write makes a new version of all four. */
typedef uint64_t cpu_version;

#define CPU_VERSION_ALL 0x0001000100010001ull

/* quarters: a 1 in the place of each that is written. */
static inline cpu_version cpu_version_next(cpu_version v, cpu_version quarters)
{
	const cpu_version top = 0x8000800080008000;

	return ((v & ~top) + quarters) ^ (v & top);
}

/* into, with these quarters of from. */
static inline cpu_version cpu_version_merge(cpu_version into, cpu_version from, cpu_version quarters)
{
	const cpu_version mask = quarters * 0xffff;

	return (into & ~mask) | (from & mask);
}

#endif
