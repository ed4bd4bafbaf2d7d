/* memory.cu - source of memory.ptx: spaces, initial values, vectors, atomics, textures (nvcc -ptx -arch=compute_75). */
struct pair {
	double x;
	int n;
	char tag[5];
};

__constant__ float table[2][3] = { { 1, 2, 3 }, { 4, 5 } };
__device__ struct pair pairs[2] = { { 1.5, 3, "ab" }, { -2, 4, "cd" } };
__device__ int counter = 5;
__device__ int *pointer = &counter;
__device__ const char *words[] = { "one", "two" };
__device__ float (*function)(float);
__managed__ int managed = 9;
extern __shared__ float dynamic[];

extern "C" __global__ void spaces(float4 *v, float *f, struct pair p, int n, cudaTextureObject_t t, cudaSurfaceObject_t s)
{
	__shared__ float tile[33][17];
	float local[40];
	int i = threadIdx.x;

	for (int k = 0; k < 40; k++)
		local[(k * 7 + n) % 40] = f[k];
	tile[i][n & 15] = local[i % 40] + table[i & 1][n % 3];
	dynamic[i] = words[i & 1][n & 3] + managed;
	__syncthreads();
	v[i] = make_float4(tile[n & 31][3], dynamic[n], p.x, p.n);
	f[i] = tex2D<float>(t, i, n) + tex1Dfetch<float>(t, i) + __ldg(&f[n]) + pairs[i & 1].x + *pointer + function(f[i]);
	surf2Dwrite(f[i], s, i * 4, n);
	*(volatile float *)&f[n] = 3;
}

extern "C" __global__ void atomics(int *a, unsigned *u, float *f, double *d, unsigned long long *l)
{
	int i = threadIdx.x;

	atomicAdd(a, i);
	a[i] = atomicMin(a + 1, i) + atomicMax(a + 2, i) + atomicExch(a + 3, i) + atomicCAS(a + 4, i, 5) + atomicOr(a + 5, i);
	u[i] = atomicInc(u, 7) + atomicDec(u + 1, 9) + atomicAnd(u + 2, i) + atomicXor(u + 3, i) + atomicAdd_system(u + 4, 1);
	atomicAdd(f, 1.5f);
	d[i] = atomicAdd(d, 2.5);
	l[i] = atomicCAS(l, 1ull, 2ull) + atomicAdd_block(l + 1, 3ull);
	__threadfence();
	__threadfence_system();
	__threadfence_block();
}
