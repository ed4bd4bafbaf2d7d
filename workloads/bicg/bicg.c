/*
 * The two matrix-vector products of a BiCGStab step: s = A^T r with coalesced accesses, q = A p with one line per
 * thread.  The matrix is made by position, row by row, so that the host never holds it.  Both products are compared bit
 * for bit with the same sums on the host, and with sums in double precision.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

static const char bicg_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 256, /* Polybench's; one thread per row or column, so that few SMs have any */
};

struct bicg {
	unsigned int size; /* rows, and columns */
	uint64_t seed;
	float *row; /* the row of A that was made last */
	float *r, *p;
	float *s, *q;
};

static void row_make(struct bicg *work, unsigned int row)
{
	for (unsigned int column = 0; column < work->size; column++)
		work->row[column] = workload_random_float(work->seed, 0, (uint64_t)row * work->size + column);
}

static void input_make(struct bicg *work)
{
	float **vectors[] = {&work->row, &work->r, &work->p, &work->s, &work->q};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		*vectors[i] = workload_host_alloc(work->size, sizeof(float));
	for (unsigned int i = 0; i < work->size; i++) {
		work->r[i] = workload_random_float(work->seed, 1, i);
		work->p[i] = workload_random_float(work->seed, 2, i);
	}
}

static void products_compute(struct bicg *work)
{
	struct workload_gpu gpu = workload_gpu_open(bicg_ptx);
	size_t bytes = work->size * sizeof(float);
	CUdeviceptr a = workload_device_alloc(work->size * bytes);
	CUdeviceptr r = workload_device_copy(work->r, bytes);
	CUdeviceptr p = workload_device_copy(work->p, bytes);
	CUdeviceptr s = workload_device_alloc(bytes);
	CUdeviceptr q = workload_device_alloc(bytes);
	struct workload_dim grid = {workload_ctas(work->size, BLOCK_THREADS), 1, 1};
	struct workload_dim block = {BLOCK_THREADS, 1, 1};
	void *transposed_params[] = {&a, &r, &s, &work->size, &work->size};
	void *direct_params[] = {&a, &p, &q, &work->size, &work->size};

	for (unsigned int row = 0; row < work->size; row++) {
		row_make(work, row);
		WORKLOAD_CUDA(cuMemcpyHtoD(a + row * bytes, work->row, bytes));
	}
	workload_launch(workload_gpu_kernel(&gpu, "bicg_transposed"), grid, block, transposed_params);
	workload_launch(workload_gpu_kernel(&gpu, "bicg_direct"), grid, block, direct_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->s, s, bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(work->q, q, bytes));
	WORKLOAD_CUDA(cuMemFree(a));
	WORKLOAD_CUDA(cuMemFree(r));
	WORKLOAD_CUDA(cuMemFree(p));
	WORKLOAD_CUDA(cuMemFree(s));
	WORKLOAD_CUDA(cuMemFree(q));
	workload_gpu_close(&gpu);
}

static bool products_check(struct bicg *work)
{
	unsigned int size = work->size;
	float *want = workload_host_alloc(2 * (size_t)size, sizeof(float));
	double *exact = workload_host_alloc(2 * (size_t)size, sizeof(double));
	float *rounded = workload_host_alloc(2 * (size_t)size, sizeof(float));
	bool right;

	for (unsigned int row = 0; row < size; row++) {
		row_make(work, row);
		for (unsigned int column = 0; column < size; column++) {
			float element = work->row[column];

			want[column] = fmaf(element, work->r[row], want[column]);
			want[size + row] = fmaf(element, work->p[column], want[size + row]);
			exact[column] += (double)element * work->r[row];
			exact[size + row] += (double)element * work->p[column];
		}
	}
	for (size_t i = 0; i < 2 * (size_t)size; i++)
		rounded[i] = (float)exact[i];
	right = workload_same_f32("s", work->s, want, size, 0) &&
		workload_same_f32("q", work->q, want + size, size, 0) &&
		workload_close_f32("s", work->s, rounded, size, 1e-4f) &&
		workload_close_f32("q", work->q, rounded + size, size, 1e-4f);
	free(want);
	free(exact);
	free(rounded);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"bicg", "Matrix-vector products of a BiCGStab step: s = A^T r, q = A p.", "1,024 x 1,024 matrix",
		"6,144 x 6,144 matrix (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"rows", "rows and columns of the matrix", 1024, 6144, 1, 32768, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct bicg work = {.size = options.counts[0], .seed = options.seed};
	bool right;

	input_make(&work);
	products_compute(&work);
	right = products_check(&work);
	free(work.row);
	free(work.r);
	free(work.p);
	free(work.s);
	free(work.q);
	return workload_finish(right, "%u x %u matrix", work.size, work.size);
}
