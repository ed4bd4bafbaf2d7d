// Surface objects: elements of 1 to 16 bytes in arrays of one to three dimensions, and what happens beyond the edge.
#include <string.h>

#include "program.h"

enum { W = 32, H = 8, D = 3 };

template <class T> __global__ void transpose_sign(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
	int x = threadIdx.x, y = blockIdx.x;
	T value = surf2Dread<T>(from, x * (int)sizeof(T), y);

	surf2Dwrite(value, to, (W - 1 - x) * (int)sizeof(T), y);
}

__global__ void read_outside(cudaSurfaceObject_t s, int *out)
{
	out[0] = surf2Dread<int>(s, -4, 0, cudaBoundaryModeZero);
	out[1] = surf2Dread<int>(s, W * 4, H + 5, cudaBoundaryModeClamp);
	surf2Dwrite(99, s, W * 4, 0, cudaBoundaryModeZero);
	surf2Dread(&out[2], s, 4, 1);
}

__global__ void fill_3d(cudaSurfaceObject_t s)
{
	surf3Dwrite((unsigned short)(threadIdx.x + 100 * blockIdx.x + 1000 * blockIdx.y), s, threadIdx.x * 2, blockIdx.x,
		    blockIdx.y);
}

__global__ void increment_1d(cudaSurfaceObject_t s)
{
	unsigned char value = surf1Dread<unsigned char>(s, threadIdx.x);

	surf1Dwrite((unsigned char)(value + 1), s, threadIdx.x);
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
	cudaResourceDesc r;
	cudaSurfaceObject_t s;

	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	OK(cudaCreateSurfaceObject(&s, &r));
	return s;
}

template <class T> static void test_2d(void)
{
	T host[H][W], back[H][W];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t from, to;

	for (size_t i = 0; i < sizeof(host); i++)
		((unsigned char *)host)[i] = (unsigned char)(i * 37 + i / 256);
	OK(cudaMallocArray(&from, &format, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&to, &format, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(from, 0, 0, host, sizeof(host[0]), sizeof(host[0]), H, cudaMemcpyHostToDevice));

	cudaSurfaceObject_t a = surface_of(from), b = surface_of(to);

	transpose_sign<T><<<H, W>>>(a, b);
	LAUNCHED();
	OK(cudaMemcpy2DFromArray(back, sizeof(back[0]), to, 0, 0, sizeof(back[0]), H, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++)
			CHECK(!memcmp(&host[y][x], &back[y][W - 1 - x], sizeof(T)));
	}
	OK(cudaDestroySurfaceObject(a));
	OK(cudaDestroySurfaceObject(b));
	OK(cudaFreeArray(from));
	OK(cudaFreeArray(to));
}

static void test_edges(void)
{
	int host[H][W], *out;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	cudaArray_t array;

	for (int i = 0; i < H * W; i++)
		host[i / W][i % W] = i + 1;
	OK(cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof(host[0]), sizeof(host[0]), H, cudaMemcpyHostToDevice));
	OK(cudaMallocManaged(&out, 3 * sizeof(int)));

	cudaSurfaceObject_t s = surface_of(array);

	read_outside<<<1, 1>>>(s, out);
	LAUNCHED();
	CHECK(out[0] == 0 && out[1] == H * W && out[2] == W + 2);
	OK(cudaDestroySurfaceObject(s));
	OK(cudaFreeArray(array));
	OK(cudaFree(out));
}

static void test_3d(void)
{
	static unsigned short back[D][H][W];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned short>(), f;
	cudaExtent extent = make_cudaExtent(W, H, D), e;
	cudaMemcpy3DParms p;
	cudaArray_t array;
	unsigned int flags;

	OK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore));
	OK(cudaArrayGetInfo(&f, &e, &flags, array));
	CHECK(e.width == W && e.height == H && e.depth == D && f.x == 16 && flags == cudaArraySurfaceLoadStore);

	cudaSurfaceObject_t s = surface_of(array);

	fill_3d<<<dim3(H, D), W>>>(s);
	LAUNCHED();
	memset(&p, 0, sizeof(p));
	p.srcArray = array;
	p.dstPtr = make_cudaPitchedPtr(back, sizeof(back[0][0]), W, H);
	p.extent = extent;
	p.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&p));
	for (int i = 0; i < D * H * W; i++)
		CHECK((&back[0][0][0])[i] == i % W + 100 * (i / W % H) + 1000 * (i / W / H));
	OK(cudaDestroySurfaceObject(s));
	OK(cudaFreeArray(array));
}

static void test_1d(void)
{
	unsigned char host[64], back[64];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
	cudaArray_t array;

	for (int i = 0; i < 64; i++)
		host[i] = (unsigned char)(3 * i);
	OK(cudaMallocArray(&array, &format, 64, 0, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 1, cudaMemcpyHostToDevice));

	cudaSurfaceObject_t s = surface_of(array);

	increment_1d<<<1, 64>>>(s);
	LAUNCHED();
	OK(cudaMemcpy2DFromArray(back, 64, array, 0, 0, 64, 1, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		CHECK(back[i] == (unsigned char)(host[i] + 1));
	OK(cudaDestroySurfaceObject(s));
	OK(cudaFreeArray(array));
}

int main()
{
	test_2d<unsigned char>();
	test_2d<short>();
	test_2d<float>();
	test_2d<int2>();
	test_2d<float4>();
	test_edges();
	test_3d();
	test_1d();
	return 0;
}
