/* gemm.cu - products of matrices with one multiply-add of a thread at a time. A block of 256 threads has a square of D,
 * 16 x 16 or 64 x 64, and takes 16 of K at a time into shared memory. */
#include "epilogue.cuh"

enum { SIDE = 16, THREADS = SIDE * SIDE, DEPTH = 16 };

/* The thread's share of a tile of `EACH * SIDE` lines of A or columns of B: where it is in memory and in the tile. */
template <class IN, int EACH> struct loader {
	const IN *at;
	long long apart, step;
	int line, depth;
	int line_apart, depth_apart;
};

/* Lanes go the way in which neighbours in memory are. */
template <class IN, int EACH>
DEVICE struct loader<IN, EACH> loader_of(const IN *matrix, int first_line, long long line_stride,
					 long long depth_stride, bool is_along_k) {
	const int t = (int)threadIdx.x;
	struct loader<IN, EACH> l;

	l.line = is_along_k ? t / DEPTH : t % (EACH * SIDE);
	l.depth = is_along_k ? t % DEPTH : t / (EACH * SIDE);
	l.line_apart = is_along_k ? THREADS / DEPTH : 0;
	l.depth_apart = is_along_k ? 0 : THREADS / (EACH * SIDE);
	l.apart = l.line_apart * line_stride + l.depth_apart * depth_stride;
	l.step = DEPTH * depth_stride;
	l.at = matrix + (first_line + l.line) * line_stride + l.depth * depth_stride;
	return l;
}

template <class IN, int EACH, class S>
DEVICE void load(struct loader<IN, EACH> *l, S (*tile)[EACH * SIDE + 1], int lines, int depth)
{
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int line = l->line + e * l->line_apart, k = l->depth + e * l->depth_apart;

		tile[k][line] = line < lines && k < depth ? to_float(l->at[e * l->apart]) : 0;
	}
	l->at += l->step;
}

template <class IN, class OUT, class S, int EACH> DEVICE void gemm(const struct blas_gemm_args &args)
{
	typedef typename sum_of<IN>::type acc;
	enum {
		TILE = EACH * SIDE,
		LINES = 2 * DEPTH > TILE ? 2 * DEPTH : TILE, /* of A and B, then of D */
		UNROLL = DEPTH / EACH /* the loop over K shall fit an instruction cache of 2 KB */
	};
	__shared__ acc tiles[LINES][TILE + 1];
	acc(*tile_a)[TILE + 1] = tiles, (*tile_b)[TILE + 1] = &tiles[DEPTH];
	const int row = (int)(blockIdx.x % args.m_tiles) * EACH * SIDE;
	const int column = (int)(blockIdx.x / args.m_tiles) * EACH * SIDE;
	const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;

	for (unsigned int batch = blockIdx.z; batch < (unsigned int)args.batch_count; batch += gridDim.z) {
		struct loader<IN, EACH> a = loader_of<IN, EACH>(
		    of_batch<const IN>(args.a, batch), row, args.a.row_stride, args.a.column_stride, args.is_a_along_k);
		struct loader<IN, EACH> b =
		    loader_of<IN, EACH>(of_batch<const IN>(args.b, batch), column, args.b.column_stride,
					args.b.row_stride, args.is_b_along_k);
		acc sums[EACH][EACH] = {};

		for (int k = 0; k < args.k; k += DEPTH) {
			load<IN, EACH, acc>(&a, tile_a, args.m - row, args.k - k);
			load<IN, EACH, acc>(&b, tile_b, args.n - column, args.k - k);
			block_sync(tiles);
#pragma unroll UNROLL
			for (int d = 0; d < DEPTH; d++) {
				acc of_a[EACH], of_b[EACH];

#pragma unroll
				for (int e = 0; e < EACH; e++) {
					of_a[e] = tile_a[d][x + e * SIDE];
					of_b[e] = tile_b[d][y + e * SIDE];
				}
#pragma unroll
				for (int i = 0; i < EACH; i++)
#pragma unroll
					for (int j = 0; j < EACH; j++)
						sums[i][j] = multiply_add(of_a[i], of_b[j], sums[i][j]);
			}
			block_sync(tiles);
		}

		const struct output<OUT, S> o = output_of<OUT, S>(args, batch);

		if (EACH == 1) {
			put(args, o, row + x, column + y, sums[0][0]);
			continue;
		}
#pragma unroll
		for (int j = 0; j < EACH; j++)
#pragma unroll
			for (int i = 0; i < EACH; i++)
				tiles[y + j * SIDE][x + i * SIDE] = sums[i][j];
		block_sync(tiles);
#pragma unroll 1
		for (int i = (int)threadIdx.x; i < TILE * TILE; i += THREADS)
			put(args, o, row + i % TILE, column + i / TILE, tiles[i / TILE][i % TILE]);
		block_sync(tiles);
	}
}

#define GEMM_TILE(suffix, in, out, scale, each, tile)                                                                  \
	extern "C" __global__ __launch_bounds__(THREADS) void blas_gemm_##suffix##_##tile(struct blas_gemm_args args)  \
	{                                                                                                              \
		gemm<in, out, scale, each>(args);                                                                      \
	}
#define GEMM(suffix, in, out, scale)                                                                                   \
	GEMM_TILE(suffix, in, out, scale, 1, 16)                                                                       \
	GEMM_TILE(suffix, in, out, scale, 4, 64)
GEMM(f32, float, float, float)
GEMM(f64, double, double, double)
