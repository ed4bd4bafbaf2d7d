// The other half of rdc.cu.
__device__ int shared_state = 1;
__constant__ int offsets[3] = {100, 200, 300};

__device__ int twice(int x)
{
	return 2 * x;
}

static __device__ int square(int x)
{
	return x * x;
}

typedef int (*operation)(int);
__device__ operation chosen = square;

__global__ void set(int value)
{
	shared_state = value;
}

int set_state(int value)
{
	set<<<1, 1>>>(value);
	return cudaGetLastError() != cudaSuccess;
}
