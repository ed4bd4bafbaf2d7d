/* launches.h - which launches run.only and run.fast_forward name by their numbers. */
#ifndef STRATA_DEVICE_LAUNCHES_H
#define STRATA_DEVICE_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

/* Does the text begin as a number does, signed or not? No kernel's name does. */
bool device_launches_are_numbers(const char *text);
/* "N" or "N-M" with 1 <= N <= M: the first and the last one of run.only. False: it is neither. */
bool device_launches_read(const char *text, uint64_t *first, uint64_t *last);
/* The NAME of run.only = range:NAME; NULL: it is no such choice. */
const char *device_launches_range(const char *text);
/* The ':' of the text that is no "::" of C++, so that no kernel has such a name; NULL: it has none. */
const char *device_launches_colon(const char *text);
/* "N", from 0: how many run.fast_forward skips, less than UINT64_MAX. False: it is no such number. */
bool device_launches_count(const char *text, uint64_t *count);

#endif
