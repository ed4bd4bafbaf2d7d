// Edges of a picture of bytes: a texture with clamped coordinates in, pitched memory out.
#include <string.h>

#include "program.h"

enum { W = 70, H = 45 };

__global__ void sobel(cudaTextureObject_t picture, unsigned char *out, size_t pitch)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= W || y >= H)
		return;

	int p[3][3];

	for (int j = 0; j < 3; j++) {
		for (int i = 0; i < 3; i++)
			p[j][i] = tex2D<unsigned char>(picture, x + i - 0.5f, y + j - 0.5f);
	}

	int across = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
	int down = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];

	out[y * pitch + x] = (unsigned char)min((abs(across) + abs(down)) / 4, 255);
}

static unsigned char picture[H][W], edges[H][W];

static int at(int x, int y)
{
	x = x < 0 ? 0 : x >= W ? W - 1 : x;
	y = y < 0 ? 0 : y >= H ? H - 1 : y;
	return picture[y][x];
}

int main()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
	cudaResourceDesc resource;
	cudaTextureDesc sampling;
	cudaTextureObject_t texture;
	cudaArray_t array;
	unsigned char *out;
	size_t pitch;

	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++)
			picture[y][x] = (x - 30) * (x - 30) + (y - 20) * (y - 20) < 150 ? 200
										: (unsigned char)(x * 2 + y % 3);
	}
	OK(cudaMallocArray(&array, &format, W, H));
	OK(cudaMemcpy2DToArray(array, 0, 0, picture, W, W, H, cudaMemcpyHostToDevice));
	memset(&resource, 0, sizeof(resource));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	memset(&sampling, 0, sizeof(sampling));
	sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
	sampling.filterMode = cudaFilterModePoint;
	sampling.readMode = cudaReadModeElementType;
	OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
	OK(cudaMallocPitch(&out, &pitch, W, H));
	sobel<<<dim3((W + 15) / 16, (H + 7) / 8), dim3(16, 8)>>>(texture, out, pitch);
	LAUNCHED();
	OK(cudaMemcpy2D(edges, W, out, pitch, W, H, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			int across = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
				     2 * at(x - 1, y) - at(x - 1, y + 1);
			int down = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
				   2 * at(x, y - 1) - at(x + 1, y - 1);
			int edge = (abs(across) + abs(down)) / 4;

			CHECK(edges[y][x] == (edge > 255 ? 255 : edge));
		}
	}
	OK(cudaDestroyTextureObject(texture));
	OK(cudaFreeArray(array));
	OK(cudaFree(out));
	return 0;
}
