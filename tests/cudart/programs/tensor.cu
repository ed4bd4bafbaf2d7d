// Matrix products with nvcuda::wmma in every type that nvcc has, and with mma, ldmatrix and stmatrix written in PTX.
// Whole numbers: every order of the sum gives the same result.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "program.h"

using namespace nvcuda;

enum { TILES = 3, BLOCK_WARPS = 3 };

/* One warp a tile of C = A * B + C, TILES tiles deep; A by rows, B by columns, both from global memory. */
template <int M, int N, int K, typename IN, typename FRAGMENT, typename OUT>
__global__ void products(const IN *a, const IN *b, OUT *c)
{
	wmma::fragment<wmma::matrix_a, M, N, K, FRAGMENT, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, M, N, K, FRAGMENT, wmma::col_major> y;
	wmma::fragment<wmma::accumulator, M, N, K, OUT> sum;
	int tile = blockIdx.x * BLOCK_WARPS + threadIdx.x / 32, row = tile / TILES * M, column = tile % TILES * N;

	wmma::load_matrix_sync(sum, c + row * TILES * N + column, TILES * N, wmma::mem_row_major);
	for (int k = 0; k < TILES * K; k += K) {
		wmma::load_matrix_sync(x, a + row * TILES * K + k, TILES * K);
		wmma::load_matrix_sync(y, b + column * TILES * K + k, TILES * K);
		wmma::mma_sync(sum, x, y, sum);
	}
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = sum.x[i] + sum.x[i];
	wmma::store_matrix_sync(c + row * TILES * N + column, sum, TILES * N, wmma::mem_row_major);
}

template <int M, int N, int K, typename IN, typename FRAGMENT, typename OUT> static void check_products(int low, int high)
{
	enum { ROWS = TILES * M, COLUMNS = TILES * N, DEPTH = TILES * K };
	IN *a, *b;
	OUT *c;
	unsigned int state = 12 + M + N;
	static int x[ROWS * DEPTH], y[COLUMNS * DEPTH], z[ROWS * COLUMNS];

	OK(cudaMallocManaged((void **)&a, sizeof(*a) * ROWS * DEPTH));
	OK(cudaMallocManaged((void **)&b, sizeof(*b) * COLUMNS * DEPTH));
	OK(cudaMallocManaged((void **)&c, sizeof(*c) * ROWS * COLUMNS));
	for (int i = 0; i < ROWS * DEPTH; i++)
		a[i] = IN((float)(x[i] = low + (int)(next_random(&state) >> 16) % (high - low + 1)));
	for (int i = 0; i < COLUMNS * DEPTH; i++)
		b[i] = IN((float)(y[i] = low + (int)(next_random(&state) >> 16) % (high - low + 1)));
	for (int i = 0; i < ROWS * COLUMNS; i++)
		c[i] = OUT((float)(z[i] = i % 9));
	products<M, N, K, IN, FRAGMENT, OUT><<<TILES, BLOCK_WARPS * 32>>>(a, b, c);
	LAUNCHED();
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			int sum = z[i * COLUMNS + j];

			for (int k = 0; k < DEPTH; k++)
				sum += x[i * DEPTH + k] * y[j * DEPTH + k];
			CHECK((double)c[i * COLUMNS + j] == 2 * sum);
		}
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(c));
}

/* D = A * B of 16 x 16 and 16 x 8 halves in shared memory, by ldmatrix and mma. */
__global__ void by_hand(const half *a, const half *b, float *d)
{
	__shared__ __align__(16) half x[16 * 16], y[8 * 16];
	unsigned int lane = threadIdx.x, at, r[4], s[2];
	float sum[4] = {0, 0, 0, 0};

	for (unsigned int i = lane; i < 16 * 16; i += 32)
		x[i] = a[i];
	for (unsigned int i = lane; i < 8 * 16; i += 32)
		y[i] = b[i];
	__syncwarp();
	at = (unsigned int)__cvta_generic_to_shared(x + lane % 16 * 16 + lane / 16 * 8);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"(at));
	at = (unsigned int)__cvta_generic_to_shared(y + lane % 8 * 16 + lane / 8 % 2 * 8);
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(s[0]), "=r"(s[1]) : "r"(at));
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
		     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]));
	for (unsigned int i = 0; i < 4; i++)
		d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

static void check_by_hand()
{
	half *a, *b;
	float *d;

	OK(cudaMallocManaged((void **)&a, 16 * 16 * sizeof(*a)));
	OK(cudaMallocManaged((void **)&b, 8 * 16 * sizeof(*b)));
	OK(cudaMallocManaged((void **)&d, 16 * 8 * sizeof(*d)));
	for (int i = 0; i < 16 * 16; i++)
		a[i] = half((float)(i % 11 - 5));
	for (int i = 0; i < 8 * 16; i++)
		b[i] = half((float)(i % 7 - 3));
	by_hand<<<1, 32>>>(a, b, d);
	LAUNCHED();
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 8; j++) {
			int sum = 0;

			for (int k = 0; k < 16; k++)
				sum += ((i * 16 + k) % 11 - 5) * ((j * 16 + k) % 7 - 3);
			CHECK(d[i * 8 + j] == (float)sum);
		}
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(d));
}

int main()
{
	check_products<16, 16, 16, half, half, float>(-4, 4);
	check_products<32, 8, 16, half, half, float>(-4, 4);
	check_products<8, 32, 16, half, half, half>(-2, 2);
	check_products<16, 16, 16, half, half, half>(-2, 2);
	check_products<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(-8, 8);
	check_products<16, 16, 8, float, wmma::precision::tf32, float>(-100, 100);
	check_products<8, 8, 4, double, double, double>(-1000, 1000);
	check_products<16, 16, 16, signed char, signed char, int>(-128, 127);
	check_products<32, 8, 16, unsigned char, unsigned char, int>(0, 255);
	check_by_hand();
	puts("tensor: right");
	return 0;
}
