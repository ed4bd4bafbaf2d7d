// Stream-ordered allocation: from the default pool, from pools of the program's own, and what pools count.
#include <string.h>

#include "program.h"

enum { N = 4096 };

__global__ void iota(int *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	p[i] = i;
}

static unsigned long long get(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
	unsigned long long value = 0;

	OK(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

/* What CUDA 13 has: pools by location, and batches of managed memory. */
static void by_location(cudaStream_t stream, cudaMemPool_t first)
{
#if CUDART_VERSION >= 13000
	struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	cudaMemPool_t now;

	OK(cudaMemGetDefaultMemPool(&now, &device, cudaMemAllocationTypePinned));
	CHECK(now == first);
	OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, first));
	OK(cudaMemGetMemPool(&now, &device, cudaMemAllocationTypePinned));
	CHECK(now == first);

	void *managed[2];
	size_t bytes[2] = {4096, 4096}, begin[1] = {0};
	int at;

	for (int i = 0; i < 2; i++)
		OK(cudaMallocManaged(&managed[i], bytes[i]));
	OK(cudaMemPrefetchBatchAsync(managed, bytes, 2, &device, begin, 1, 0, stream));
	OK(cudaMemRangeGetAttribute(&at, sizeof(at), cudaMemRangeAttributeLastPrefetchLocation, managed[1], bytes[1]));
	CHECK(at == 0);
	OK(cudaMemDiscardBatchAsync(managed, bytes, 2, 0, stream));
	OK(cudaMemDiscardAndPrefetchBatchAsync(managed, bytes, 2, &device, begin, 1, 0, stream));
	FAILS(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(managed, bytes, 2, 0, cudaStreamLegacy));
	for (int i = 0; i < 2; i++)
		OK(cudaFree(managed[i]));
#else
	(void)stream, (void)first;
#endif
}

int main()
{
	cudaStream_t stream;
	cudaMemPool_t first, now, own;
	int *p, *q, can = 0;
	static int back[N];

	OK(cudaDeviceGetAttribute(&can, cudaDevAttrMemoryPoolsSupported, 0));
	CHECK(can);
	OK(cudaStreamCreate(&stream));
	OK(cudaDeviceGetDefaultMemPool(&first, 0));
	OK(cudaMallocAsync(&p, N * sizeof(int), stream));
	iota<<<N / 256, 256, 0, stream>>>(p);
	OK(cudaMemcpyAsync(back, p, sizeof(back), cudaMemcpyDeviceToHost, stream));
	CHECK(get(first, cudaMemPoolAttrUsedMemCurrent) == N * sizeof(int));
	OK(cudaFreeAsync(p, stream));
	OK(cudaStreamSynchronize(stream));
	for (int i = 0; i < N; i++)
		CHECK(back[i] == i);
	CHECK(get(first, cudaMemPoolAttrUsedMemCurrent) == 0);
	CHECK(get(first, cudaMemPoolAttrUsedMemHigh) == N * sizeof(int));

	unsigned long long zero = 0, threshold = 1 << 20;

	OK(cudaMemPoolSetAttribute(first, cudaMemPoolAttrUsedMemHigh, &zero));
	CHECK(get(first, cudaMemPoolAttrUsedMemHigh) == 0);
	OK(cudaMemPoolSetAttribute(first, cudaMemPoolAttrReleaseThreshold, &threshold));
	CHECK(get(first, cudaMemPoolAttrReleaseThreshold) == threshold);
	OK(cudaMemPoolTrimTo(first, 0));

	cudaMemPoolProps properties;

	memset(&properties, 0, sizeof(properties));
	properties.allocType = cudaMemAllocationTypePinned;
	properties.location.type = cudaMemLocationTypeDevice;
	properties.maxSize = 100000;
	OK(cudaMemPoolCreate(&own, &properties));
	OK(cudaMallocFromPoolAsync(&p, 60000, own, stream));
	FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&q, 60000, own, stream));
	OK(cudaDeviceSetMemPool(0, own));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == own);
	OK(cudaMallocAsync(&q, 20000, stream));
	CHECK(get(own, cudaMemPoolAttrUsedMemCurrent) == 80000);

	cudaMemAccessFlags flags;

	OK(cudaMemPoolGetAccess(&flags, own, &properties.location));
	CHECK(flags == cudaMemAccessFlagsProtReadWrite);
	/* A pool that is destroyed keeps the memory that is in use, and the device goes back to its default pool. */
	OK(cudaMemPoolDestroy(own));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == first);
	iota<<<16, 256, 0, stream>>>(p);
	OK(cudaFreeAsync(p, stream));
	OK(cudaFree(q));
	FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(first));
	by_location(stream, first);
	OK(cudaStreamDestroy(stream));
	LAUNCHED();
	return 0;
}
