// Kernels in all their forms: templates, lambdas' cousins, function pointers, dynamic shared memory, launches by pointer
// and by structure, attributes and occupancy.
#include "program.h"

enum { N = 256 };

typedef int (*operation)(int, int);

__device__ int add(int a, int b)
{
	return a + b;
}

__device__ int multiply(int a, int b)
{
	return a * b;
}

__device__ operation operations[2] = {add, multiply};

template <class T, int Factor> __global__ void scale(T *p, T offset)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = (T)(p[blockIdx.x * blockDim.x + threadIdx.x] * Factor + offset);
}

template <class F> __global__ void apply(int *p, F f)
{
	p[threadIdx.x] = f(p[threadIdx.x], (int)threadIdx.x);
}

struct polynomial {
	int a, b;
	__device__ int operator()(int x, int i) const
	{
		return a * x * i + b;
	}
};

__global__ void choose(int *p, int which)
{
	p[threadIdx.x] = operations[which](p[threadIdx.x], 3);
}

__global__ void reverse(int *p, int n)
{
	extern __shared__ int buffer[];

	for (int i = threadIdx.x; i < n; i += blockDim.x)
		buffer[i] = p[i];
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = buffer[n - 1 - i];
}

struct wide {
	double d;
	char c;
	short s[3];
	float4 f;
};

__global__ void parameters(char a, double b, wide w, short c, int *out)
{
	out[0] = a + (int)b + (int)w.d + w.c + w.s[2] + (int)w.f.w + c;
}

__global__ void __launch_bounds__(128, 2) bounded(int *p)
{
	p[0] = blockDim.x;
}

__global__ void shape(int *p)
{
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

	p[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

static void iota(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = i;
}

static void test_forms(int *p)
{
	float *f;

	iota(p, N);
	scale<int, 3><<<N / 64, 64>>>(p, 5);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(p[i] == 3 * i + 5);
	OK(cudaMallocManaged(&f, N * sizeof(float)));
	f[0] = 1.5f;
	scale<float, 2><<<1, 1>>>(f, 0.25f);
	LAUNCHED();
	CHECK(f[0] == 3.25f);
	OK(cudaFree(f));

	iota(p, N);
	apply<<<1, 64>>>(p, polynomial{2, 7});
	LAUNCHED();
	for (int i = 0; i < 64; i++)
		CHECK(p[i] == 2 * i * i + 7);
	for (int which = 0; which < 2; which++) {
		iota(p, N);
		choose<<<1, 64>>>(p, which);
		LAUNCHED();
		for (int i = 0; i < 64; i++)
			CHECK(p[i] == (which ? i * 3 : i + 3));
	}

	wide w = {1000.0, 1, {0, 0, 20}, make_float4(0, 0, 0, 300)};

	parameters<<<1, 1>>>(3, 4000.5, w, -7, p);
	LAUNCHED();
	CHECK(p[0] == 3 + 4000 + 1000 + 1 + 20 + 300 - 7);

	shape<<<dim3(3, 2, 2), dim3(4, 2, 2)>>>(p);
	LAUNCHED();
	for (int i = 0; i < 12 * 16; i++)
		CHECK(p[i] == i / 16 * 1000 + i % 16);
}

static void test_pointers(int *p)
{
	int n = 100, offset = 4;
	void *arguments[] = {&p, &n}, *scale_arguments[] = {&p, &offset};

	iota(p, N);
	OK(cudaLaunchKernel((const void *)reverse, dim3(1), dim3(32), arguments, n * sizeof(int), 0));
	LAUNCHED();
	for (int i = 0; i < n; i++)
		CHECK(p[i] == n - 1 - i);

	/* A pointer to a kernel starts it as its name does. */
	void (*kernel)(int *, int) = scale<int, 10>;

	iota(p, N);
	kernel<<<N / 32, 32>>>(p, 1);
	LAUNCHED();
	OK(cudaLaunchKernel(kernel, dim3(1), dim3(1), scale_arguments));
	LAUNCHED();
	CHECK(p[0] == 1 * 10 + 4 && p[255] == 2551);

	cudaLaunchConfig_t config = {};

	config.gridDim = dim3(1);
	config.blockDim = dim3(64);
	config.dynamicSmemBytes = n * sizeof(int);
	iota(p, N);
	OK(cudaLaunchKernelEx(&config, reverse, p, n));
	LAUNCHED();
	CHECK(p[0] == n - 1 && p[n - 1] == 0);
}

static void test_attributes(int *p)
{
	cudaFuncAttributes a;
	cudaDeviceProp device;
	int blocks = 0, grid = 0, size = 0;
	size_t shared = 0;

	OK(cudaGetDeviceProperties(&device, 0));
	OK(cudaFuncGetAttributes(&a, bounded));
	CHECK(a.maxThreadsPerBlock == 128 && a.numRegs > 0);
	bounded<<<1, 256>>>(p);
	CHECK(cudaGetLastError() != cudaSuccess);
	bounded<<<1, 128>>>(p);
	LAUNCHED();

	/* More dynamic shared memory than the usual limit has to be asked for. */
	int n = (int)(device.sharedMemPerBlockOptin / sizeof(int));

	if (device.sharedMemPerBlockOptin > device.sharedMemPerBlock) {
		int *q;

		OK(cudaMallocManaged(&q, n * sizeof(int)));
		iota(q, n);
		reverse<<<1, 256, n * sizeof(int)>>>(q, n);
		CHECK(cudaGetLastError() != cudaSuccess);
		OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * (int)sizeof(int)));
		reverse<<<1, 256, n * sizeof(int)>>>(q, n);
		LAUNCHED();
		CHECK(q[0] == n - 1 && q[n - 1] == 0);
		OK(cudaFree(q));
	}
	OK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));

	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape, 128, 0));
	CHECK(blocks >= 1 && blocks * 128 <= device.maxThreadsPerMultiProcessor);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, bounded));
	CHECK(size > 0 && size <= 128 && grid % device.multiProcessorCount == 0);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, shape, 1, 128));
	CHECK(shared > 0 && shared <= device.sharedMemPerMultiprocessor);
	FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, (const void *)&device));
}

int main()
{
	int *p;

	OK(cudaMallocManaged(&p, N * sizeof(int)));
	test_forms(p);
	test_pointers(p);
	test_attributes(p);
	OK(cudaFree(p));
	return 0;
}
