// The error state: what stays until it is read, what a thread sees of another's, and what only a reset clears.
#include <pthread.h>
#include <stdio.h>

__global__ void nothing()
{
}

__global__ void store(int *p)
{
	*p = 1;
}

__device__ int survivor = 7;

__global__ void add(int n)
{
	survivor += n;
}

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

static int ordinary()
{
	cudaEvent_t unmade = (cudaEvent_t)0x1234;

	CHECK(cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess);
	CHECK(cudaSetDevice(77) == cudaErrorInvalidDevice);
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
	CHECK(cudaDeviceSynchronize() == cudaSuccess); // a success does not clear it
	CHECK(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
	CHECK(cudaEventSynchronize(unmade) == cudaErrorInvalidResourceHandle);
	CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice); // the last one counts
	CHECK(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
	return 0;
}

static int launches()
{
	int unregistered = 0;

	nothing<<<0, 32>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	nothing<<<1, 1025>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	nothing<<<dim3(1, 65536), 32>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	nothing<<<1, 32, 1 << 30>>>();
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaLaunchKernel(&unregistered, dim3(1), dim3(1), 0, 0, 0) == cudaErrorInvalidDeviceFunction);
	CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
	nothing<<<1, 32>>>();
	CHECK(cudaGetLastError() == cudaSuccess);
	return 0;
}

static void *other_thread(void *result)
{
	// Errors belong to the thread that made them.
	((int *)result)[0] = cudaGetLastError() == cudaSuccess;
	cudaSetDevice(99);
	return 0;
}

static void *after_fault(void *result)
{
	// A fault belongs to the context, and so to every thread.
	((int *)result)[0] = cudaDeviceSynchronize() == cudaErrorIllegalAddress;
	return 0;
}

static int threads(void *(*body)(void *))
{
	pthread_t t;
	int result = 0;

	pthread_create(&t, 0, body, &result);
	pthread_join(t, 0);
	return result;
}

static int faults()
{
	void *p;
	int got = 0;

	add<<<1, 1>>>(5);
	store<<<1, 1>>>((int *)64);
	CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
	CHECK(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
	nothing<<<1, 1>>>();
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
	CHECK(threads(after_fault));
	CHECK(cudaDeviceReset() == cudaSuccess && cudaGetLastError() == cudaSuccess);
	// A new context: code and variables are loaded anew.
	add<<<1, 1>>>(1);
	CHECK(cudaMemcpyFromSymbol(&got, survivor, sizeof(got)) == cudaSuccess && got == 8);
	return 0;
}

int main()
{
	if (ordinary() || launches())
		return 1;
	cudaSetDevice(77);
	CHECK(threads(other_thread));
	CHECK(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
	puts(cudaGetErrorName(cudaErrorLaunchFailure));
	puts(cudaGetErrorName((cudaError_t)12345));
	CHECK(cudaGetErrorString(cudaErrorInvalidValue)[0]);
	return faults();
}
