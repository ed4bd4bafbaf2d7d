/* ops.cu - what programs of today live on and the workloads do not have, a kernel for each kind: atomics, textures and
 * surfaces, exchanges between lanes, tensor instructions, asynchronous copies, double precision, wide accesses to
 * shared memory.
 *
 * ops.ptx is made of it by: nvcc -ptx -arch=compute_80 -O3 -fmad=false -o ops.ptx ops.cu
 */
#include <mma.h>

#include "ops.h"

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- atomics ---- */

/* All at one word, with a result; words in a row; two lanes a word; anywhere; other operations and types. */
extern "C" __global__ void atomics_global(unsigned *one, unsigned *places, unsigned *row, unsigned *scattered,
					  unsigned long long *wide, double *doubles, float *floats)
{
	const unsigned t = THREAD, lane = threadIdx.x % 32;

	places[t] = atomicAdd(one, 1u);
	for (unsigned i = 0; i < 4; i++) {
		atomicAdd(row + t % BINS, i);
		atomicAdd(row + lane / 2 + BINS, 1u);
		atomicAdd(scattered + (t * 2654435761u + i * 40503u) % SCATTERED, 1u);
	}
	atomicMin(one + 1, t + 7);
	atomicMax(one + 2, t + 7);
	atomicOr(one + 3, 1u << lane);
	atomicAnd(one + 4, ~(1u << lane));
	atomicXor(one + 5, t);
	atomicInc(one + 6, 100u);
	atomicDec(one + 7, 100u);
	atomicAdd(wide + t % 16, (unsigned long long)t << 32);
	atomicAdd(doubles + t % 8, 0.5);
	atomicAdd(floats + lane, 0.25f);
	atomicExch(scattered + SCATTERED + t % 32, 7u);

	if (lane == 0) {
		unsigned seen = atomicAdd(row + 2 * BINS, 0u), want;

		do {
			want = seen;
			seen = atomicCAS(row + 2 * BINS, want, want + 3);
		} while (seen != want);
	}
}

/* The same in shared memory; sums of the CTAs. */
extern "C" __global__ void atomics_shared(unsigned *out)
{
	__shared__ unsigned few[FEW], bins[CTA_THREADS];
	const unsigned t = threadIdx.x;

	if (t < FEW)
		few[t] = 0;
	bins[t] = 0;
	__syncthreads();
	for (unsigned i = 0; i < 8; i++) {
		atomicAdd(few + (t + i) / 32 % FEW, 1u);
		atomicAdd(bins + (t + i * 32) % CTA_THREADS, i);
	}
	__syncthreads();
	out[THREAD] = bins[t] + (t < FEW ? few[t] << 16 : 0);
}

/* ---- textures and surfaces ---- */

extern "C" __global__ void textures(cudaTextureObject_t line, cudaTextureObject_t plane, cudaSurfaceObject_t surface,
				    float *out)
{
	const unsigned t = THREAD;
	float sum = 0;

	for (unsigned i = 0; i < 4; i++) {
		sum += tex1Dfetch<float>(line, (int)((t * 5 + i * 77) % TEXELS));
		sum += tex2D<float>(plane, (float)(t % SIDE), (float)((t / SIDE + i * 3) % SIDE));
	}
	surf2Dwrite(sum, surface, (int)(t % SIDE * sizeof(float)), (int)(t / SIDE));
	out[t] = sum + surf2Dread<float>(surface, (int)(t % SIDE * sizeof(float)), (int)(t / SIDE));
}

/* ---- between lanes ---- */

extern "C" __global__ void lanes(const unsigned *in, unsigned *out)
{
	const unsigned t = THREAD, lane = threadIdx.x % 32, all = 0xffffffffu;
	unsigned v = in[t], sum = 0;

	for (unsigned d = 1; d < 32; d *= 2)
		v += __shfl_xor_sync(all, v, d);
	sum = v + __shfl_up_sync(all, in[t], 1) + __shfl_down_sync(all, in[t], 2) + __shfl_sync(all, in[t], 31 - lane);
	sum += __ballot_sync(all, in[t] & 1) + (unsigned)__any_sync(all, in[t] == 3) + (unsigned)__all_sync(all, v != 0);
	sum += __match_any_sync(all, in[t] % 4) + __reduce_add_sync(all, lane) + __reduce_max_sync(all, in[t] % 64);
	out[t] = sum;
}

/* ---- tensor instructions ---- */

/* c = a b of each warp: TILE x DEPTH of halves, by wmma. */
extern "C" __global__ void tensor_wmma(const __half *a, const __half *b, float *c)
{
	using namespace nvcuda;
	const unsigned warp = THREAD / 32;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;

	wmma::fill_fragment(z, 0.0f);
	for (unsigned k = 0; k < DEPTH; k += 16) {
		wmma::load_matrix_sync(x, a + warp % 4 * TILE * DEPTH + k, DEPTH);
		wmma::load_matrix_sync(y, b + k * TILE, TILE);
		wmma::mma_sync(z, x, y, z);
	}
	wmma::store_matrix_sync(c + warp * TILE * TILE, z, TILE, wmma::mem_row_major);
}

/* The first eight columns of the same, by mma of halves out of shared memory, and by mma of doubles: eight rows. */
extern "C" __global__ void tensor_mma(const __half *a, const __half *b, const double *da, const double *db, float *c,
				      double *dc)
{
	__shared__ __half at[CTA_THREADS / 32][TILE * 16];
	__shared__ __half bt[CTA_THREADS / 32][16 * 8];
	const unsigned warp = THREAD / 32, here = threadIdx.x / 32, lane = threadIdx.x % 32;
	float z[4] = {0, 0, 0, 0};
	double e[2] = {0, 0};

	for (unsigned k = 0; k < DEPTH; k += 16) {
		unsigned x[4], y[2];

		for (unsigned i = lane; i < TILE * 16; i += 32)
			at[here][i] = a[warp % 4 * TILE * DEPTH + i / 16 * DEPTH + k + i % 16];
		for (unsigned i = lane; i < 16 * 8; i += 32)
			bt[here][i] = b[(k + i / 8) * TILE + i % 8];
		__syncwarp();
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
			     : "r"((unsigned)__cvta_generic_to_shared(&at[here][lane % 16 * 16 + lane / 16 * 8])));
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
			     : "=r"(y[0]), "=r"(y[1])
			     : "r"((unsigned)__cvta_generic_to_shared(&bt[here][lane % 16 * 8])));
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
			     "{%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])
			     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
		__syncwarp();
	}
	for (unsigned k = 0; k < DEPTH; k += 4)
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
			     : "+d"(e[0]), "+d"(e[1])
			     : "d"(da[lane / 4 * DEPTH + k + lane % 4]), "d"(db[(k + lane % 4) * 8 + lane / 4]));
	for (unsigned i = 0; i < 4; i++)
		c[warp * TILE * 8 + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = z[i];
	for (unsigned i = 0; i < 2; i++)
		dc[warp * 64 + lane / 4 * 8 + lane % 4 * 2 + i] = e[i];
}

/* ---- asynchronous copies ---- */

/* Two stages: while one is added up the other comes, 16, 8 or 4 bytes a thread. */
extern "C" __global__ void copies(const float *in, float *out)
{
	__shared__ __align__(16) float stage[2][CTA_THREADS * 4];
	const unsigned t = threadIdx.x, rounds = WORDS / (CTA_THREADS * 4);
	float sum = 0;

#define COPY(k, bytes, how)                                                                                            \
	for (unsigned at = t * (bytes); at < sizeof(stage[0]); at += CTA_THREADS * (bytes))                            \
	asm volatile("cp.async." how ".shared.global [%0], [%1], %2;" ::"r"(                                           \
			 (unsigned)__cvta_generic_to_shared((char *)stage[(k) % 2] + at)),                             \
		     "l"((const char *)(in + (k) * CTA_THREADS * 4) + at), "n"(bytes))
	COPY(0, 16, "cg");
	asm volatile("cp.async.commit_group;");
	for (unsigned k = 0; k < rounds; k++) {
		if (k + 1 < rounds) {
			if (k % 3 == 0)
				COPY(k + 1, 8, "ca");
			else if (k % 3 == 1)
				COPY(k + 1, 4, "ca");
			else
				COPY(k + 1, 16, "cg");
		}
		asm volatile("cp.async.commit_group;");
		asm volatile("cp.async.wait_group 1;");
		__syncthreads();
		for (unsigned i = 0; i < 4; i++)
			sum += stage[k % 2][(t + i * CTA_THREADS + blockIdx.x) % (CTA_THREADS * 4)];
		__syncthreads();
	}
	out[THREAD] = sum;
}

/* ---- double precision ---- */

/* tiny: a denormal, which no sum shows. */
extern "C" __global__ void doubles(const double *in, double *out, float tiny)
{
	for (unsigned i = THREAD; i < WORDS; i += THREADS) {
		const double x = in[i];
		double y = x;

		for (unsigned k = 0; k < 6; k++)
			y = fma(y, x, 0.5) - x;
		out[i] = sqrt(y * y + 1.0) / (x + 2.0) + (double)((float)y + tiny);
	}
}

/* ---- wide accesses to shared memory ---- */

/* Pairs and quadruples: in a row, two apart, and all at one place. */
extern "C" __global__ void wide(float *out)
{
	__shared__ __align__(16) float all[SHARED_FLOATS];
	const unsigned t = threadIdx.x;
	float2 *pairs = (float2 *)all;
	float4 *fours = (float4 *)all;
	float sum = 0;

	for (unsigned i = t; i < SHARED_FLOATS / 4; i += CTA_THREADS)
		fours[i] = make_float4(i, i + 1, i + 2, i + 3);
	__syncthreads();
	for (unsigned k = 0; k < 4; k++) {
		const float2 p = pairs[(t * (k + 1)) % (SHARED_FLOATS / 2)], one = pairs[k];
		const float4 q = fours[(t * 2 + k) % (SHARED_FLOATS / 4)], same = fours[k + 8];

		sum += p.x - p.y + one.x - one.y + q.x + q.y - q.z + q.w + same.x - same.y + same.z + same.w;
	}
	__syncthreads();
	pairs[t] = make_float2(sum, sum + 1);
	__syncthreads();
	out[THREAD] = pairs[(t + 1) % CTA_THREADS].y + sum;
}

/* ---- constants ---- */

__constant__ unsigned table[TABLE];

/* A word for a warp, words in a row, and a word for each lane, all over the table. */
extern "C" __global__ void constants(unsigned *out)
{
	const unsigned t = THREAD;
	unsigned sum = 0;

	for (unsigned i = 0; i < 8; i++)
		sum += table[(t / 32 * 129 + i * 300) % TABLE] + table[(t + i * 500) % TABLE] +
		       table[(t * 37 + i * 129) % TABLE];
	out[t] = sum;
}

/* ---- and what mechanisms move to the memory ---- */

extern "C" __global__ void stream(const unsigned *a, const unsigned *b, unsigned *c, unsigned count)
{
#pragma unroll 1
	for (unsigned i = THREAD; i < count; i += THREADS) {
		unsigned x, y;

		/* Loops do not keep what these read. */
		asm volatile("ld.const.u32 %0, [table];" : "=r"(x));
		asm volatile("ld.const.u32 %0, [table+8192];" : "=r"(y));
		c[i] = a[i] * b[i] + x + y;
	}
}

/* Stores alone, and values that are used after them: a block that adds to what comes back from the memory. */
extern "C" __global__ void marks(unsigned *out, unsigned *last, unsigned count)
{
	unsigned x = THREAD, y = 1, z = 2;

#pragma unroll 1
	for (unsigned round = 0; round < 4; round++) {
#pragma unroll 1
		for (unsigned i = THREAD; i < count; i += THREADS) {
			out[i] = x;
			x = x * 5 + y;
			y += z;
			z ^= x;
		}
	}
	last[THREAD] = x ^ y ^ z;
}
