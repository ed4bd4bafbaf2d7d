/* Kernels that need more registers than they may have: by launch bounds, by CTAs too large for the register file, and in
 * a function that is called. What a thread computes does not depend on where its values are.
 */
#include "program.h"

enum { VALUES = 48, ROUNDS = 2, THREADS = 1024, CTAS = 2 };

/* All values are live around the loop; odd ones change under a condition. */
template <typename T> __host__ __device__ static inline T mixed(unsigned int thread, unsigned int rounds)
{
	T v[VALUES], sum = 0;

#pragma unroll
	for (unsigned int i = 0; i < VALUES; i++)
		v[i] = (T)(thread * (i + 3) % 97);
	for (unsigned int r = 0; r < rounds; r++) {
#pragma unroll
		for (unsigned int i = 0; i < VALUES; i++) {
			T other = v[(i * 7 + 5) % VALUES];

			if (i % 2 == 0)
				v[i] = v[i] + other * (T)(i + 1);
			else if ((unsigned int)((long long)other % 5) == thread % 5)
				v[i] = v[i] - other;
			if (v[i] > (T)1000)
				v[i] = v[i] - (T)997;
			if (v[i] < (T)-1000)
				v[i] = v[i] + (T)1009;
		}
	}
#pragma unroll
	for (unsigned int i = 0; i < VALUES; i++)
		sum = sum * (T)3 + v[i];
	return sum;
}

__global__ void __launch_bounds__(THREADS) bounded(int *out, unsigned int rounds)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;

	out[t] = mixed<int>(t, rounds);
}

__global__ void __launch_bounds__(THREADS) bounded_wide(long long *out, unsigned int rounds)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;

	out[t] = mixed<long long>(t, rounds);
}

__global__ void __launch_bounds__(64, 20) many_ctas(int *out, unsigned int rounds)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;

	out[t] = mixed<int>(t, rounds);
}

__global__ void unbounded(int *out, unsigned int rounds)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;

	out[t] = mixed<int>(t, rounds);
}

__device__ __noinline__ int called(unsigned int thread, unsigned int rounds)
{
	return mixed<int>(thread, rounds);
}

__global__ void __launch_bounds__(THREADS) calls(int *out, unsigned int rounds)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
	int before = mixed<int>(t, 1);

	out[t] = called(t, rounds) + before;
}

template <typename T> static void check(const char *name, void (*kernel)(T *, unsigned int), unsigned int threads, bool twice)
{
	T *out, *host = (T *)malloc(CTAS * threads * sizeof(T));

	OK(cudaMalloc(&out, CTAS * threads * sizeof(T)));
	kernel<<<CTAS, threads>>>(out, ROUNDS);
	OK(cudaGetLastError());
	OK(cudaMemcpy(host, out, CTAS * threads * sizeof(T), cudaMemcpyDeviceToHost));
	for (unsigned int t = 0; t < CTAS * threads; t++) {
		T want = mixed<T>(t, ROUNDS) + (twice ? mixed<T>(t, 1) : 0);

		if (host[t] != want) {
			printf("%s: thread %u has %lld, expected %lld\n", name, t, (long long)host[t], (long long)want);
			exit(1);
		}
	}
	OK(cudaFree(out));
	free(host);
}

int main()
{
	check("bounded", bounded, THREADS, false);
	check("bounded_wide", bounded_wide, THREADS, false);
	check("many_ctas", many_ctas, 64, false);
	check("unbounded, small", unbounded, 64, false);
	check("unbounded", unbounded, THREADS, false);
	check("unbounded, small again", unbounded, 64, false);
	check("calls", calls, THREADS, true);

	cudaFuncAttributes a, b;
	cudaDeviceProp device;

	OK(cudaGetDeviceProperties(&device, 0));
	OK(cudaFuncGetAttributes(&a, bounded));
	OK(cudaFuncGetAttributes(&b, many_ctas));
	/* A machine with 64 registers for each of the threads has room for all values. */
	CHECK((a.localSizeBytes > 0) == (device.regsPerBlock < 64 * THREADS) && b.maxThreadsPerBlock == 64);
	printf("spills: verified\n");
	return 0;
}
