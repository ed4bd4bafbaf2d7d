// Heat that spreads over a chip: a stencil with a border of shared memory, several steps between two grids.
#include <math.h>

#include "program.h"

enum { SIZE = 60, BLOCK = 12, STEPS = 6 };

__global__ void spread(const float *from, float *to, const float *power, int n, float k)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;

	/* Each thread brings in what is left of the bordered tile, with the edge of the chip repeated. */
	for (int i = threadIdx.y * BLOCK + threadIdx.x; i < (BLOCK + 2) * (BLOCK + 2); i += BLOCK * BLOCK) {
		int u = (int)(blockIdx.x * BLOCK) + i % (BLOCK + 2) - 1;
		int v = (int)(blockIdx.y * BLOCK) + i / (BLOCK + 2) - 1;

		u = min(max(u, 0), n - 1);
		v = min(max(v, 0), n - 1);
		tile[i / (BLOCK + 2)][i % (BLOCK + 2)] = from[v * n + u];
	}
	__syncthreads();
	if (x >= n || y >= n)
		return;

	int i = threadIdx.x + 1, j = threadIdx.y + 1;
	float middle = tile[j][i];

	to[y * n + x] = middle + power[y * n + x] +
			k * (tile[j][i - 1] + tile[j][i + 1] + tile[j - 1][i] + tile[j + 1][i] - 4 * middle);
}

static float at(const float *p, int x, int y)
{
	x = x < 0 ? 0 : x >= SIZE ? SIZE - 1 : x;
	y = y < 0 ? 0 : y >= SIZE ? SIZE - 1 : y;
	return p[y * SIZE + x];
}

int main()
{
	static float host[2][SIZE * SIZE], power[SIZE * SIZE], result[SIZE * SIZE];
	float *device[2], *device_power;
	const float k = 0.125f;

	for (int i = 0; i < SIZE * SIZE; i++) {
		host[0][i] = 300.0f + i % 11;
		power[i] = i % 97 == 0 ? 2.0f : 0.0f;
	}
	for (int i = 0; i < 2; i++)
		OK(cudaMalloc(&device[i], sizeof(power)));
	OK(cudaMalloc(&device_power, sizeof(power)));
	OK(cudaMemcpy(device[0], host[0], sizeof(power), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(device_power, power, sizeof(power), cudaMemcpyHostToDevice));
	for (int s = 0; s < STEPS; s++) {
		const float *from = host[s % 2];
		float *to = host[(s + 1) % 2];

		spread<<<dim3(SIZE / BLOCK, SIZE / BLOCK), dim3(BLOCK, BLOCK)>>>(device[s % 2], device[(s + 1) % 2],
										  device_power, SIZE, k);
		for (int y = 0; y < SIZE; y++) {
			for (int x = 0; x < SIZE; x++)
				to[y * SIZE + x] = at(from, x, y) + power[y * SIZE + x] +
						   k * (at(from, x - 1, y) + at(from, x + 1, y) + at(from, x, y - 1) +
							at(from, x, y + 1) - 4 * at(from, x, y));
		}
	}
	LAUNCHED();
	OK(cudaMemcpy(result, device[STEPS % 2], sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < SIZE * SIZE; i++)
		CHECK(fabsf(result[i] - host[STEPS % 2][i]) < 1e-3f);
	return 0;
}
