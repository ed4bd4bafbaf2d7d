/* control.cu - source of control.ptx: calls, recursion, virtual functions, switches, loops, warp operations
 * (nvcc -ptx -lineinfo -arch=compute_75, paths of .file cut). */
#include <assert.h>
#include <stdio.h>

struct shape {
	__device__ virtual int area(int x) const = 0;
};
struct square : shape {
	__device__ int area(int x) const override { return x * x; }
};
struct line : shape {
	__device__ int area(int x) const override { return x + 1; }
};

__device__ int __noinline__ fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void __launch_bounds__(256, 2) calls(int *a, int n)
{
	int i = threadIdx.x;
	shape *s = i & 1 ? (shape *)new square : (shape *)new line;

	a[i] = s->area(n) + fibonacci(n);
	printf("%d %f\n", a[i], 1.5 * n);
	assert(a[i] != 7);
	delete s;
}

extern "C" __global__ void loops(int *a, int n)
{
	int i = threadIdx.x, sum = 0;

	for (int x = 0; x < n; x++) {
		for (int y = x; y < n; y += 3) {
			if (a[y] == 3)
				break;
			if (a[y] < 0)
				continue;
			sum += a[x] * a[y];
		}
		while (sum & 1)
			sum = sum * 3 + a[sum & 15];
	}
	switch (a[i]) {
	case 0: sum += 5; break;
	case 1: sum *= a[3]; break;
	case 2: sum -= a[n]; /* falls through */
	case 3: sum ^= 99; break;
	case 4: sum = a[sum & 3]; break;
	case 5: return;
	case 9: asm volatile("trap;"); break;
	default: sum = -1;
	}
	a[i] = sum;
}

extern "C" __global__ void warps(int *a, unsigned *b)
{
	int i = threadIdx.x;
	unsigned m = __activemask();

	a[i] = __shfl_sync(m, a[i], 3) + __shfl_xor_sync(m, a[i], 1) + __shfl_down_sync(m, a[i], 2, 16) + __shfl_up_sync(m, a[i], 4);
	b[i] = __ballot_sync(m, a[i] & 1) + __all_sync(m, a[i]) + __any_sync(m, a[i]) + __match_any_sync(m, a[i]);
	__syncwarp(m);
	b[i] += __syncthreads_count(a[i]) + __syncthreads_and(a[i]) + __syncthreads_or(a[i]) + clock64() + clock();
	asm volatile("{ .reg .pred q; setp.ne.s32 q, %0, 0; @q bra DONE; bar.arrive 1, 64; DONE: nanosleep.u32 20; }" ::"r"(a[i]));
	__nanosleep(100);
}
