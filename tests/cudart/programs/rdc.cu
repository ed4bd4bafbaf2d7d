// Relocatable device code: the kernel is here; the variable, the function and the function pointer are in rdc_device.cu.
#include <stdio.h>

extern __device__ int shared_state;
extern __constant__ int offsets[3];
extern __device__ int twice(int x);
typedef int (*operation)(int);
extern __device__ operation chosen;

__global__ void kernel(int *p)
{
	p[threadIdx.x] = twice(shared_state) + offsets[threadIdx.x % 3] + chosen(threadIdx.x);
}

extern int set_state(int value);

int main()
{
	int *p, values[6];

	if (set_state(20) || cudaMalloc(&p, sizeof(values)) != cudaSuccess)
		return 1;
	kernel<<<1, 6>>>(p);
	if (cudaMemcpy(values, p, sizeof(values), cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	for (int i = 0; i < 6; i++)
		if (values[i] != 40 + 100 * (i % 3 + 1) + i * i) {
			printf("element %d is %d\n", i, values[i]);
			return 1;
		}
	return 0;
}
