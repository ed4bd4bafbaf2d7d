// Matrix product by tiles in shared memory, for sizes that the tile does not divide.
#include "program.h"

enum { TILE = 16, M = 50, K = 37, N = 70 };

__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
		int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;

		ta[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
		tb[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}

int main()
{
	static float a[M * K], b[K * N], c[M * N];
	float *da, *db, *dc;

	/* Small whole numbers: the sums are exact in any order. */
	for (int i = 0; i < M * K; i++)
		a[i] = (float)(i % 13 - 6);
	for (int i = 0; i < K * N; i++)
		b[i] = (float)(i % 7 - 3);
	OK(cudaMalloc(&da, sizeof(a)));
	OK(cudaMalloc(&db, sizeof(b)));
	OK(cudaMalloc(&dc, sizeof(c)));
	OK(cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice));
	matmul<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE)>>>(da, db, dc, M, K, N);
	LAUNCHED();
	OK(cudaMemcpy(c, dc, sizeof(c), cudaMemcpyDeviceToHost));
	for (int i = 0; i < M; i++) {
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < K; k++)
				sum += a[i * K + k] * b[k * N + j];
			CHECK(c[i * N + j] == sum);
		}
	}
	OK(cudaFree(da));
	OK(cudaFree(db));
	OK(cudaFree(dc));
	return 0;
}
