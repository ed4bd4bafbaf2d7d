// Work in pieces on several streams with pinned memory: copies in, kernels, copies out; events, waits, callbacks.
#include "program.h"

enum { STREAMS = 4, PIECE = 8192, N = STREAMS * PIECE };

__global__ void saxpy(float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	y[i] = a * x[i] + y[i];
}

__global__ void twice(int *p)
{
	*p *= 2;
}

__global__ void plus_one(int *p)
{
	*p += 1;
}

static int calls, order[8];

static void note(void *data)
{
	order[calls++] = *(int *)data;
}

static void note_stream(cudaStream_t, cudaError_t status, void *data)
{
	order[calls++] = status == cudaSuccess ? *(int *)data : -1;
}

int main()
{
	cudaStream_t s[STREAMS], other;
	cudaEvent_t start, end, middle;
	float *x, *y, *dx, *dy, milliseconds = -1;

	OK(cudaMallocHost(&x, N * sizeof(float)));
	OK(cudaMallocHost(&y, N * sizeof(float)));
	OK(cudaMalloc(&dx, N * sizeof(float)));
	OK(cudaMalloc(&dy, N * sizeof(float)));
	for (int i = 0; i < N; i++) {
		x[i] = (float)(i % 1000);
		y[i] = (float)(i % 7);
	}
	OK(cudaEventCreate(&start));
	OK(cudaEventCreateWithFlags(&end, cudaEventDefault));
	OK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
	for (int k = 0; k < STREAMS; k++)
		OK(cudaStreamCreateWithFlags(&s[k], k % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
	OK(cudaEventRecord(start));
	for (int k = 0; k < STREAMS; k++) {
		int at = k * PIECE;

		OK(cudaMemcpyAsync(dx + at, x + at, PIECE * sizeof(float), cudaMemcpyHostToDevice, s[k]));
		OK(cudaMemcpyAsync(dy + at, y + at, PIECE * sizeof(float), cudaMemcpyHostToDevice, s[k]));
		saxpy<<<PIECE / 256, 256, 0, s[k]>>>(2.0f, dx + at, dy + at);
		OK(cudaMemcpyAsync(y + at, dy + at, PIECE * sizeof(float), cudaMemcpyDeviceToHost, s[k]));
	}
	OK(cudaEventRecord(end));
	LAUNCHED();
	for (int k = 0; k < STREAMS; k++)
		OK(cudaStreamQuery(s[k]));
	OK(cudaEventSynchronize(end));
	OK(cudaEventQuery(end));
	OK(cudaEventElapsedTime(&milliseconds, start, end));
	CHECK(milliseconds > 0);
	for (int i = 0; i < N; i++)
		CHECK(y[i] == 2.0f * (i % 1000) + i % 7);

	/* Two streams in turn, ordered by events: ((3 * 2) + 1) * 2. */
	int *p, numbers[] = {1, 2, 3};

	OK(cudaMallocManaged(&p, sizeof(int)));
	*p = 3;
	twice<<<1, 1, 0, s[1]>>>(p);
	OK(cudaEventRecord(middle, s[1]));
	OK(cudaStreamWaitEvent(s[3], middle, 0));
	plus_one<<<1, 1, 0, s[3]>>>(p);
	OK(cudaEventRecord(middle, s[3]));
	OK(cudaStreamWaitEvent(s[1], middle, 0));
	twice<<<1, 1, 0, s[1]>>>(p);
	OK(cudaStreamSynchronize(s[1]));
	CHECK(*p == 14);

	OK(cudaLaunchHostFunc(s[0], note, &numbers[0]));
	OK(cudaStreamAddCallback(s[0], note_stream, &numbers[1], 0));
	OK(cudaLaunchHostFunc(s[0], note, &numbers[2]));
	OK(cudaStreamSynchronize(s[0]));
	CHECK(calls == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);

	unsigned int flags = 7;
	int priority = 7, least, greatest;

	OK(cudaStreamGetFlags(s[1], &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	OK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, greatest));
	OK(cudaStreamGetPriority(other, &priority));
	CHECK(priority == greatest);
	OK(cudaStreamDestroy(other));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, middle));
	for (int k = 0; k < STREAMS; k++)
		OK(cudaStreamDestroy(s[k]));
	OK(cudaEventDestroy(start));
	OK(cudaEventDestroy(end));
	OK(cudaEventDestroy(middle));
	OK(cudaFreeHost(x));
	OK(cudaFreeHost(y));
	return 0;
}
