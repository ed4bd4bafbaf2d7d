// Streams and events: order of work and callbacks, waits, time that is the device's, flags, priorities, ids.
#include <stdio.h>
#include <string.h>

__device__ int value;

__global__ void set(int v)
{
	value = v;
}

__global__ void spin(int n)
{
	for (int i = 0; i < n; i++)
		atomicAdd(&value, 1);
}

static char order[16];

static void note(void *data)
{
	strcat(order, (const char *)data);
}

static void called(cudaStream_t stream, cudaError_t status, void *data)
{
	if (status == cudaSuccess)
		strcat(order, (const char *)data);
}

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

static int events(cudaStream_t s, cudaStream_t t)
{
	cudaEvent_t start, middle, end, untimed;
	float first = 0, second = 0, whole = 0;

	CHECK(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&middle) == cudaSuccess);
	CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync) == cudaSuccess);
	CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
	CHECK(cudaEventElapsedTime(&whole, start, end) == cudaErrorInvalidResourceHandle);
	CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
	CHECK(cudaEventRecord(start, s) == cudaSuccess);
	spin<<<1, 32, 0, s>>>(10);
	CHECK(cudaEventRecord(middle, s) == cudaSuccess);
	spin<<<1, 32, 0, s>>>(1000);
	CHECK(cudaEventRecord(end, s) == cudaSuccess);
	CHECK(cudaStreamWaitEvent(t, end, 0) == cudaSuccess);
	CHECK(cudaEventSynchronize(end) == cudaSuccess && cudaEventQuery(end) == cudaSuccess);
	CHECK(cudaEventElapsedTime(&first, start, middle) == cudaSuccess);
	CHECK(cudaEventElapsedTime(&second, middle, end) == cudaSuccess);
	CHECK(cudaEventElapsedTime(&whole, start, end) == cudaSuccess);
	CHECK(first > 0 && second > 2 * first);
	CHECK(whole > 0.99f * (first + second) && whole < 1.01f * (first + second));
	CHECK(cudaEventRecord(untimed, s) == cudaSuccess && cudaEventSynchronize(untimed) == cudaSuccess);
	CHECK(cudaEventElapsedTime(&whole, start, untimed) == cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	CHECK(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(middle) == cudaSuccess);
	CHECK(cudaEventDestroy(end) == cudaSuccess && cudaEventDestroy(untimed) == cudaSuccess);
	return 0;
}

static int properties(cudaStream_t s, cudaStream_t t)
{
	unsigned int flags = 9;
	int priority = 9, least = 9, greatest = 9;
	unsigned long long first = 0, second = 0, third = 0;

	CHECK(cudaStreamGetFlags(s, &flags) == cudaSuccess && flags == cudaStreamDefault);
	CHECK(cudaStreamGetFlags(t, &flags) == cudaSuccess && flags == cudaStreamNonBlocking);
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && least >= greatest);
	CHECK(cudaStreamGetPriority(s, &priority) == cudaSuccess && priority <= least && priority >= greatest);
	CHECK(cudaStreamGetId(s, &first) == cudaSuccess && cudaStreamGetId(t, &second) == cudaSuccess);
	CHECK(cudaStreamGetId(0, &third) == cudaSuccess && first != second && first != third && second != third);
	return 0;
}

int main()
{
	cudaStream_t s, t;
	int got = 0;
	char a[] = "a", b[] = "b", c[] = "c";

	CHECK(cudaStreamCreate(&s) == cudaSuccess);
	CHECK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -1) == cudaSuccess);
	set<<<1, 1, 0, s>>>(41);
	CHECK(cudaLaunchHostFunc(s, note, a) == cudaSuccess);
	CHECK(cudaStreamAddCallback(s, called, b, 0) == cudaSuccess);
	set<<<1, 1, 0, s>>>(42);
	CHECK(cudaLaunchHostFunc(s, note, c) == cudaSuccess);
	CHECK(cudaMemcpyFromSymbolAsync(&got, value, sizeof(got), 0, cudaMemcpyDeviceToHost, s) == cudaSuccess);
	CHECK(cudaStreamSynchronize(s) == cudaSuccess && cudaStreamQuery(s) == cudaSuccess);
	CHECK(got == 42 && !strcmp(order, "abc"));
	if (events(s, t) || properties(s, t))
		return 1;
	CHECK(cudaStreamDestroy(s) == cudaSuccess && cudaStreamDestroy(t) == cudaSuccess);
	CHECK(cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess);
	CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
	return 0;
}
