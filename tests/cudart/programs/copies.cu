// Copies and fills of every shape and direction, through device memory and arrays, and what is refused.
#include <string.h>

#include "program.h"

enum { W = 40, H = 12, D = 3 };

static unsigned char host[D][H][W], back[D][H][W];

static void fill_host(void)
{
	for (int i = 0; i < W * H * D; i++)
		(&host[0][0][0])[i] = (unsigned char)(i * 7 + i / 256);
	memset(back, 0, sizeof(back));
}

static void test_lines(void)
{
	unsigned char *a, *b;

	fill_host();
	OK(cudaMalloc(&a, sizeof(host)));
	OK(cudaMalloc(&b, sizeof(host)));
	OK(cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, a, sizeof(host), cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(back, b, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(!memcmp(host, back, sizeof(host)));

	/* The direction by the addresses; peers; parts. */
	memset(back, 0, sizeof(back));
	OK(cudaMemset(b, 0, sizeof(host)));
	OK(cudaMemcpy(b, a, sizeof(host), cudaMemcpyDefault));
	OK(cudaMemcpyPeer(a + 10, 0, b, 0, 100));
	OK(cudaMemcpy(back, a, sizeof(host), cudaMemcpyDefault));
	CHECK(!memcmp(back, host, 10) && !memcmp(&back[0][0][10], host, 100));
	OK(cudaMemcpy(back, host, sizeof(host), cudaMemcpyHostToHost));
	CHECK(!memcmp(host, back, sizeof(host)));

	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 4, (cudaMemcpyKind)9));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, sizeof(host) + 100000, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice));
	OK(cudaFree(a));
	OK(cudaFree(b));
}

static void test_rectangles(void)
{
	unsigned char *a;
	size_t pitch;

	fill_host();
	OK(cudaMallocPitch(&a, &pitch, W, H * D));
	OK(cudaMemset2D(a, pitch, 0x5a, W, H * D));
	/* Every second row of the host's, a part of it. */
	OK(cudaMemcpy2D(a + 3, pitch, host, 2 * W, W - 5, H / 2, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2D(back, W, a, pitch, W, H * D, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H * D; y++) {
		for (int x = 0; x < W; x++) {
			bool is_copied = y < H / 2 && x >= 3 && x < W - 2;

			CHECK((&back[0][0][0])[y * W + x] == (is_copied ? host[0][2 * y][x - 3] : 0x5a));
		}
	}
	FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(a, 10, host, W, 20, 2, cudaMemcpyHostToDevice));
	OK(cudaFree(a));
}

static void test_volumes(void)
{
	cudaExtent extent = make_cudaExtent(W, H, D);
	cudaMemcpy3DParms p;
	cudaPitchedPtr a;

	fill_host();
	OK(cudaMalloc3D(&a, extent));
	OK(cudaMemset3D(a, 0x11, extent));
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(host, W, W, H);
	p.srcPos = make_cudaPos(4, 2, 1);
	p.dstPtr = a;
	p.dstPos = make_cudaPos(1, 1, 0);
	p.extent = make_cudaExtent(W - 10, H - 4, D - 1);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	memset(&p, 0, sizeof(p));
	p.srcPtr = a;
	p.dstPtr = make_cudaPitchedPtr(back, W, W, H);
	p.extent = extent;
	p.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3DAsync(&p, 0));
	OK(cudaStreamSynchronize(0));
	for (int z = 0; z < D; z++) {
		for (int y = 0; y < H; y++) {
			for (int x = 0; x < W; x++) {
				bool is_copied = z < D - 1 && y >= 1 && y < H - 3 && x >= 1 && x < W - 9;

				CHECK(back[z][y][x] == (is_copied ? host[z + 1][y + 1][x + 3] : 0x11));
			}
		}
	}
	p.dstArray = (cudaArray_t)a.ptr; /* two destinations */
	FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	OK(cudaFree(a.ptr));
}

static void test_arrays(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar2>();
	cudaArray_t a, b;

	fill_host();
	OK(cudaMallocArray(&a, &format, W / 2, H));
	OK(cudaMallocArray(&b, &format, W / 2, H));
	OK(cudaMemcpy2DToArray(a, 0, 0, host, 0, W, H, cudaMemcpyHostToDevice)); // rows that touch
	OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 4, 2, W - 4, H - 2, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DFromArray(back, W, b, 0, 0, W - 4, H - 2, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H - 2; y++)
		CHECK(!memcmp(back[0][y], &host[0][y + 2][4], W - 4));
	/* Elements are of two bytes, and rows have an end. */
	FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 1, 0, host, W, 4, 1, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, W - 2, 0, host, W, 4, 1, cudaMemcpyHostToDevice));
	OK(cudaFreeArray(a));
	OK(cudaFreeArray(b));
	FAILS(cudaErrorInvalidResourceHandle, cudaFreeArray(a));
	format.y = 3;
	FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &format, 4, 4));
}

int main()
{
	test_lines();
	test_rectangles();
	test_volumes();
	test_arrays();
	return 0;
}
