// The error state: what is returned, what is kept, what goes with the next call, and what only a reset ends.
#include <string.h>

#include "program.h"

__global__ void store(int *p, int value)
{
	*p = value;
}

__global__ void stop(void)
{
	asm volatile("trap;");
}

static void test_kept(void)
{
	int *p = NULL;

	CHECK(cudaGetLastError() == cudaSuccess);
	CHECK(cudaMalloc((void **)NULL, 4) == cudaErrorInvalidValue);
	OK(cudaMalloc(&p, 4)); /* a success does not clear it */
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaGetLastError() == cudaSuccess);

	/* A launch that cannot start leaves its error, and the device is fine. */
	store<<<1, 100000>>>(p, 1);
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	store<<<0, 32>>>(p, 1);
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	store<<<1, 32, 1 << 30>>>(p, 1);
	CHECK(cudaGetLastError() != cudaSuccess);
	store<<<1, 1>>>(p, 5);
	LAUNCHED();

	int value = 0;

	OK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
	CHECK(value == 5);
	OK(cudaFree(p));
}

/* After a fault every call returns it, until the device is reset; what the program had is gone then. */
static void test_fault(cudaError_t expected)
{
	int *p;

	CHECK(cudaDeviceSynchronize() == expected);
	CHECK(cudaMalloc(&p, 4) == expected);
	CHECK(cudaGetLastError() == expected);
	CHECK(cudaGetLastError() == expected);
	OK(cudaDeviceReset());
	CHECK(cudaGetLastError() == cudaSuccess);
	OK(cudaMalloc(&p, 4));
	store<<<1, 1>>>(p, 9);
	LAUNCHED();
	OK(cudaFree(p));
}

int main()
{
	test_kept();
	store<<<1, 1>>>((int *)16, 1);
	test_fault(cudaErrorIllegalAddress);
	stop<<<1, 1>>>();
	test_fault(cudaErrorLaunchFailure);
	store<<<1, 1>>>((int *)0x700000000002, 1);
	CHECK(cudaDeviceSynchronize() != cudaSuccess);
	OK(cudaDeviceReset());

	CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
	CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	return 0;
}
