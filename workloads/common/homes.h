/*
 * What a program declares of its managed memory: ranges that are used together and so should lie together (homes).
 *
 * A home is a location of one cuMemPrefetchBatchAsync, always device 0: a machine whose device has one memory has
 * nothing to do.
 */
#ifndef HOMES_H
#define HOMES_H

#include "common/workload.h"

struct workload_homes {
	CUdeviceptr *addresses;
	size_t *sizes, *firsts; /* firsts: the first range of each home */
	size_t count, home_count, cap;
};

/* Managed memory filled from `source`; freed with cuMemFree. */
CUdeviceptr workload_managed_copy(const void *source, size_t bytes);

/* The ranges that follow have a home of their own. */
void workload_home(struct workload_homes *homes);
void workload_home_range(struct workload_homes *homes, CUdeviceptr address, size_t bytes);
/* Declares all of them, and forgets them. Ends the program when the driver does not know the call (before CUDA 13). */
void workload_homes_declare(struct workload_homes *homes);

#endif
