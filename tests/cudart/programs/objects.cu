// C++ on the device: new and delete, virtual functions, malloc, local arrays, recursion, structures by value.
#include "program.h"

enum { N = 64 };

struct shape {
	__device__ virtual float area(void) const = 0;
	__device__ virtual ~shape()
	{
	}
};

struct square : shape {
	float side;
	__device__ square(float s) : side(s)
	{
	}
	__device__ float area(void) const override
	{
		return side * side;
	}
};

struct rectangle : shape {
	float a, b;
	__device__ rectangle(float x, float y) : a(x), b(y)
	{
	}
	__device__ float area(void) const override
	{
		return a * b;
	}
};

__global__ void areas(float *out)
{
	int i = threadIdx.x;
	shape *s;

	if (i % 2)
		s = new square((float)i);
	else
		s = new rectangle((float)i, 3.0f);
	out[i] = s->area();
	delete s;
}

__device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recurse(int *out)
{
	out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}

// An array that only an index at run time chooses from: it lives in local memory.
__global__ void local(int *out, int step)
{
	int a[16];

	for (int i = 0; i < 16; i++)
		a[i] = i * (int)threadIdx.x;
	for (int i = 0; i < 16; i += step)
		a[(i * 7) % 16] += 1000;

	int sum = 0;

	for (int i = 0; i < 16; i++)
		sum += a[i];
	out[threadIdx.x] = sum + a[threadIdx.x % 16];
}

__global__ void chain(int *out)
{
	int *p = (int *)malloc((threadIdx.x + 1) * sizeof(int));

	if (!p) {
		out[threadIdx.x] = -1;
		return;
	}
	for (unsigned int i = 0; i <= threadIdx.x; i++)
		p[i] = (int)i;
	out[threadIdx.x] = p[threadIdx.x] + p[0];
	free(p);
}

int main()
{
	float *f;
	int *p;
	const int fibonacci_numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};

	OK(cudaMallocManaged(&f, N * sizeof(float)));
	OK(cudaMallocManaged(&p, N * sizeof(int)));
	areas<<<1, N>>>(f);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(f[i] == (i % 2 ? (float)i * i : i * 3.0f));
	recurse<<<1, N>>>(p);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(p[i] == fibonacci_numbers[i % 12]);
	local<<<1, N>>>(p, 3);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		bool is_raised = false;

		for (int k = 0; k < 16; k += 3)
			is_raised |= k * 7 % 16 == i % 16;
		CHECK(p[i] == 120 * i + 6000 + i % 16 * i + (is_raised ? 1000 : 0));
	}
	chain<<<1, N>>>(p);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(p[i] == i);
	return 0;
}
