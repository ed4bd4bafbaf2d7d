/* tensor.cu - products of matrices by the tensor units: f16, bf16, tf32 and s8.
 *
 * mma.m16n8 takes 8 words of 32 bits of K at a time, whatever lies in them (16 f16 or bf16, 8 tf32, 32 s8), and a
 * lane's fragments are the same words of it for all of these types. So tiles are kept as words: a line of the tile is
 * BLAS_TILE_K_WORDS of one row of A, or of one column of B. A block of eight warps has 64 x 64 of D, a warp 32 x 16.
 */
#include "epilogue.cuh"

enum {
	THREADS = 256,
	TILE = 64,
	WORDS = BLAS_TILE_K_WORDS,
	PITCH = WORDS + 4,   /* eight lines and four words of each are in 32 banks */
	CHUNKS = WORDS / 4,  /* of 16 bytes, of a line */
	OUT_PITCH = TILE + 4 /* so are the eight rows and four columns that a warp stores at a time */
};

struct tf32 {
	unsigned int bits;
};

template <class IN> DEVICE IN keep(IN x)
{
	return x;
}

DEVICE struct tf32 keep(float x)
{
	struct tf32 to;

	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(to.bits) : "f"(x));
	return to;
}

/* What lies in a tile: an element of memory as it is, or rounded to tf32. */
template <class IN> struct tile_of {
	typedef IN type;
	typedef float sum;
};

template <> struct tile_of<float> {
	typedef struct tf32 type;
	typedef float sum;
};

template <> struct tile_of<signed char> {
	typedef signed char type;
	typedef int sum;
};

#define MMA_FLOAT(type, name)                                                                                   \
	DEVICE void mma(const type *, float *d, const unsigned int *a, const unsigned int *b)                   \
	{                                                                                                       \
		asm("mma.sync.aligned." name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
		    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
		    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                        \
	}
MMA_FLOAT(struct f16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_FLOAT(struct bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_FLOAT(float, "m16n8k8.row.col.f32.tf32.tf32.f32")

DEVICE void mma(const signed char *, int *d, const unsigned int *a, const unsigned int *b)
{
	asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	    "{%0, %1, %2, %3};"
	    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

typedef unsigned int words4 __attribute__((ext_vector_type(4)));

template <class IN> DEVICE words4 rounded(words4 w, const IN *)
{
	return w;
}

DEVICE words4 rounded(words4 w, const float *)
{
	return {keep(__nvvm_bitcast_i2f((int)w.x)).bits, keep(__nvvm_bitcast_i2f((int)w.y)).bits,
		keep(__nvvm_bitcast_i2f((int)w.z)).bits, keep(__nvvm_bitcast_i2f((int)w.w)).bits};
}

/* The thread's 16 bytes of the tile, as they lie in memory. K ends at 16 bytes. */
template <class IN>
DEVICE void load_wide(const IN *matrix, long long line_stride, int lines, int depth, unsigned int (*tile)[PITCH])
{
	const int line = (int)threadIdx.x / CHUNKS, chunk = (int)threadIdx.x % CHUNKS;
	const int k = chunk * 16 / (int)sizeof(IN);
	words4 words = {0, 0, 0, 0};

	if (line < lines && k < depth)
		words = *(const words4 *)(matrix + line * line_stride + k);
	*(words4 *)&tile[line][chunk * 4] = rounded(words, matrix);
}

/* Element by element, lanes in the direction in which they are neighbours. */
template <class IN>
DEVICE void load_each(const IN *matrix, long long line_stride, long long depth_stride, bool is_along_k, int lines,
		      int depth, unsigned int (*tile)[PITCH])
{
	typedef typename tile_of<IN>::type element;
	const int tile_depth = WORDS * 4 / (int)sizeof(IN);

	for (int i = (int)threadIdx.x; i < TILE * tile_depth; i += THREADS) {
		const int line = is_along_k ? i / tile_depth : i % TILE, k = is_along_k ? i % tile_depth : i / TILE;
		IN x = {};

		if (line < lines && k < depth)
			x = matrix[line * line_stride + k * depth_stride];
		((element *)tile[line])[k] = keep(x);
	}
}

template <class IN>
DEVICE void load(const IN *matrix, long long line_stride, long long depth_stride, bool is_along_k, bool is_wide,
		 int lines, int depth, unsigned int (*tile)[PITCH])
{
	if (is_wide)
		load_wide<IN>(matrix, line_stride, lines, depth, tile);
	else
		load_each<IN>(matrix, line_stride, depth_stride, is_along_k, lines, depth, tile);
}

/* A warp's 32 x 16: two fragments of A, two of B. */
template <class IN>
DEVICE void multiply(const unsigned int (*tile_a)[PITCH], const unsigned int (*tile_b)[PITCH],
		     typename tile_of<IN>::sum (*sums)[2][4])
{
	const int group = (int)threadIdx.x % 32 / 4, at = (int)threadIdx.x % 4;

#pragma unroll
	for (int step = 0; step < WORDS; step += 8) {
		const int w = step + at;
		unsigned int a[2][4], b[2][2];

#pragma unroll
		for (int i = 0; i < 2; i++) {
			a[i][0] = tile_a[i * 16 + group][w];
			a[i][1] = tile_a[i * 16 + group + 8][w];
			a[i][2] = tile_a[i * 16 + group][w + 4];
			a[i][3] = tile_a[i * 16 + group + 8][w + 4];
			b[i][0] = tile_b[i * 8 + group][w];
			b[i][1] = tile_b[i * 8 + group][w + 4];
		}
#pragma unroll
		for (int i = 0; i < 2; i++)
#pragma unroll
			for (int j = 0; j < 2; j++)
				mma((const IN *)0, sums[i][j], a[i], b[j]);
	}
}

/* The block's sums, from the warps' fragments to its tile of D: rows are neighbours, as they are in most matrices. */
template <class SUM> DEVICE void lay_out(SUM (*tile)[OUT_PITCH], const SUM (*sums)[2][4])
{
	const int warp = (int)threadIdx.x / 32, group = (int)threadIdx.x % 32 / 4, at = (int)threadIdx.x % 4;

#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 2; j++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				tile[warp % 4 * 16 + j * 8 + at * 2 + e % 2]
				    [warp / 4 * 32 + i * 16 + group + e / 2 * 8] = sums[i][j][e];
}

template <class IN, class OUT, class S> DEVICE void gemm(const struct blas_gemm_args &args)
{
	typedef typename tile_of<IN>::sum sum;
	__shared__ unsigned int __attribute__((aligned(16))) tiles[TILE][OUT_PITCH]; /* of A and B, then of D */
	unsigned int(*tile_a)[PITCH] = (unsigned int(*)[PITCH])tiles, (*tile_b)[PITCH] = &tile_a[TILE];
	sum(*tile_d)[OUT_PITCH] = (sum(*)[OUT_PITCH])tiles;
	const int row = (int)(blockIdx.x % args.m_tiles) * TILE, column = (int)(blockIdx.x / args.m_tiles) * TILE;
	const int warp = (int)threadIdx.x / 32, tile_depth = WORDS * 4 / (int)sizeof(IN);

	for (unsigned int batch = blockIdx.z; batch < (unsigned int)args.batch_count; batch += gridDim.z) {
		const IN *a = of_batch<const IN>(args.a, batch) + row * args.a.row_stride;
		const IN *b = of_batch<const IN>(args.b, batch) + column * args.b.column_stride;
		sum sums[2][2][4] = {};

		for (int k = 0; k < args.k; k += tile_depth) {
			load<IN>(a, args.a.row_stride, args.a.column_stride, args.is_a_along_k, args.is_a_wide,
				 args.m - row, args.k - k, tile_a);
			load<IN>(b, args.b.column_stride, args.b.row_stride, args.is_b_along_k, args.is_b_wide,
				 args.n - column, args.k - k, tile_b);
			block_sync(tiles);
			multiply<IN>(&tile_a[warp / 4 * 32], &tile_b[warp % 4 * 16], sums);
			block_sync(tiles);
			a += tile_depth * args.a.column_stride;
			b += tile_depth * args.b.row_stride;
		}

		const struct output<OUT, S> o = output_of<OUT, S>(args, batch);

		lay_out(tile_d, sums);
		block_sync(tiles);
#pragma unroll 1
		for (int i = (int)threadIdx.x; i < TILE * TILE; i += THREADS)
			put(args, o, row + i % TILE, column + i / TILE, tile_d[i / TILE][i % TILE]);
		block_sync(tiles);
	}
}

#define TENSOR(suffix, in, out, scale)                                                                         \
	extern "C" __global__ __launch_bounds__(THREADS) void blas_tensor_##suffix(struct blas_gemm_args args) \
	{                                                                                                      \
		gemm<in, out, scale>(args);                                                                    \
	}
TENSOR(f16_f16, struct f16, struct f16, float)
TENSOR(f16_f32, struct f16, float, float)
TENSOR(bf16_bf16, struct bf16, struct bf16, float)
TENSOR(bf16_f32, struct bf16, float, float)
TENSOR(tf32_f32, float, float, float)
TENSOR(s8_s32, signed char, int, int)
TENSOR(s8_f32, signed char, float, float)
