/* homes.c - lists of ranges, and the one call that declares them. */
#include "common/homes.h"

#include <stdlib.h>
#include <string.h>

CUdeviceptr workload_managed_copy(const void *source, size_t bytes)
{
	CUdeviceptr address;

	WORKLOAD_CUDA(cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL));
	memcpy((void *)(uintptr_t)address, source, bytes);
	return address;
}

static void *grown(void *array, size_t count, size_t element_bytes)
{
	void *more = realloc(array, count * element_bytes);

	if (!more)
		workload_fail("out of memory");
	return more;
}

/* For one more range and one more home. */
static void make_room(struct workload_homes *h)
{
	if (h->count + 1 < h->cap && h->home_count + 1 < h->cap)
		return;
	h->cap = h->cap ? 2 * h->cap : 64;
	h->addresses = grown(h->addresses, h->cap, sizeof(*h->addresses));
	h->sizes = grown(h->sizes, h->cap, sizeof(*h->sizes));
	h->firsts = grown(h->firsts, h->cap, sizeof(*h->firsts));
}

void workload_home(struct workload_homes *h)
{
	make_room(h);
	h->firsts[h->home_count++] = h->count;
}

void workload_home_range(struct workload_homes *h, CUdeviceptr address, size_t bytes)
{
	make_room(h);
	h->addresses[h->count] = address;
	h->sizes[h->count++] = bytes;
}

void workload_homes_declare(struct workload_homes *h)
{
	CUresult (*prefetch)(CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *, size_t, unsigned long long,
			     CUstream) = NULL;
	CUmemLocation *locations = workload_host_alloc(h->home_count, sizeof(*locations));
	CUdriverProcAddressQueryResult found;
	CUstream stream;

	for (size_t i = 0; i < h->home_count; i++)
		locations[i] = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
	if (cuGetProcAddress("cuMemPrefetchBatchAsync", (void **)&prefetch, 13000, 0, &found) || !prefetch)
		workload_fail("the driver has no cuMemPrefetchBatchAsync: homes need CUDA 13");
	WORKLOAD_CUDA(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	WORKLOAD_CUDA(prefetch(h->addresses, h->sizes, h->count, locations, h->firsts, h->home_count, 0, stream));
	WORKLOAD_CUDA(cuStreamSynchronize(stream));
	WORKLOAD_CUDA(cuStreamDestroy(stream));
	free(locations);
	free(h->addresses);
	free(h->sizes);
	free(h->firsts);
	*h = (struct workload_homes){0};
}
