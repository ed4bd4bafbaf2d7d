/*
 * Conjugate gradients on a finite-element brick mesh, as the miniFE proxy application: trilinear elements with a random
 * conductivity each, 27 entries per row of the matrix, in double precision.  The whole iteration is compared bit for
 * bit with the same operations in the same order on the host; beside that the residual that the iteration carries
 * along is compared with the true one, b - A x, and must have fallen.
 */
#include "common/workload.h"
#include "minife/minife.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char minife_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 256, /* as in Mantevo's CUDA version */
	CORNERS = 8,
};

struct minife {
	unsigned int elements[3]; /* along x, y, z; nodes are one more */
	unsigned int nodes[3];
	unsigned int rows_count;
	unsigned int iterations_count;
	double *entries; /* [slot * rows_count + row] */
	unsigned int *columns;
	double *b;
	double *x, *r; /* from the device */
};

/* Where the vectors and the matrix are on the device. */
struct device {
	struct workload_gpu gpu;
	CUfunction matvec, waxpby, dot;
	CUdeviceptr entries, columns, x, r, p, ap, partial;
};

/* The vectors of the iteration on the host. */
struct host {
	double *x, *r, *p, *ap;
};

static unsigned int node_index(const struct minife *work, const unsigned int at[3])
{
	return (at[2] * work->nodes[1] + at[1]) * work->nodes[0] + at[0];
}

/* Stiffness between two corners of a unit cube with trilinear shape functions, by how many coordinates they differ in:
 * 1/3, 0, -1/12, -1/12. */
static double stiffness(unsigned int corner_a, unsigned int corner_b)
{
	static const double by_distance[] = {1.0 / 3, 0.0, -1.0 / 12, -1.0 / 12};
	unsigned int differ = corner_a ^ corner_b;

	return by_distance[(differ & 1) + (differ >> 1 & 1) + (differ >> 2)];
}

/* The slot of the neighbour at corner_b of an element in the row of the node at corner_a: 9 (dz + 1) + 3 (dy + 1) +
 * dx + 1. */
static unsigned int slot_of(unsigned int corner_a, unsigned int corner_b)
{
	unsigned int slot = 0;

	for (int axis = 2; axis >= 0; axis--)
		slot = 3 * slot + 1 + (corner_b >> axis & 1) - (corner_a >> axis & 1);
	return slot;
}

static void element_add(struct minife *work, const unsigned int at[3], double conductivity)
{
	for (unsigned int a = 0; a < CORNERS; a++) {
		unsigned int node_a[3] = {at[0] + (a & 1), at[1] + (a >> 1 & 1), at[2] + (a >> 2)};
		unsigned int row = node_index(work, node_a);

		for (unsigned int b = 0; b < CORNERS; b++) {
			unsigned int node_b[3] = {at[0] + (b & 1), at[1] + (b >> 1 & 1), at[2] + (b >> 2)};
			size_t i = (size_t)slot_of(a, b) * work->rows_count + row;

			work->entries[i] += conductivity * stiffness(a, b);
			work->columns[i] = node_index(work, node_b);
		}
	}
}

/* The elements' stiffness and one on the diagonal, which makes the matrix definite without boundary conditions. */
static void matrix_make(struct minife *work, uint64_t seed)
{
	unsigned int at[3];
	uint64_t element = 0;

	for (size_t i = 0; i < (size_t)MINIFE_SLOTS * work->rows_count; i++)
		work->columns[i] = (unsigned int)(i % work->rows_count);
	for (at[2] = 0; at[2] < work->elements[2]; at[2]++)
		for (at[1] = 0; at[1] < work->elements[1]; at[1]++)
			for (at[0] = 0; at[0] < work->elements[0]; at[0]++)
				element_add(work, at, 0.5 + workload_random_float(seed, 0, element++));
	for (unsigned int row = 0; row < work->rows_count; row++)
		work->entries[(size_t)(MINIFE_SLOTS / 2) * work->rows_count + row] += 1.0;
}

static void input_make(struct minife *work, uint64_t seed)
{
	size_t entries_count;

	for (unsigned int axis = 0; axis < 3; axis++)
		work->nodes[axis] = work->elements[axis] + 1;
	work->rows_count = work->nodes[0] * work->nodes[1] * work->nodes[2];
	entries_count = (size_t)MINIFE_SLOTS * work->rows_count;
	work->entries = workload_host_alloc(entries_count, sizeof(double));
	work->columns = workload_host_alloc(entries_count, sizeof(unsigned int));
	work->b = workload_host_alloc(work->rows_count, sizeof(double));
	work->x = workload_host_alloc(work->rows_count, sizeof(double));
	work->r = workload_host_alloc(work->rows_count, sizeof(double));
	matrix_make(work, seed);
	for (unsigned int row = 0; row < work->rows_count; row++)
		work->b[row] = workload_random_float(seed, 1, row);
}

static unsigned int dot_ctas(const struct minife *work)
{
	unsigned int ctas = workload_ctas(work->rows_count, MINIFE_DOT_THREADS);

	return ctas < MINIFE_DOT_CTAS_MAX ? ctas : MINIFE_DOT_CTAS_MAX;
}

/* ---- The iteration on the device -------------------------------------------------------------------------------- */

static struct workload_dim rows_grid(const struct minife *work)
{
	return (struct workload_dim){workload_ctas(work->rows_count, BLOCK_THREADS), 1, 1};
}

static void device_matvec(struct minife *work, struct device *d)
{
	void *params[] = {&d->entries, &d->columns, &d->p, &d->ap, &work->rows_count};

	workload_launch(d->matvec, rows_grid(work), (struct workload_dim){BLOCK_THREADS, 1, 1}, params);
}

static void device_waxpby(struct minife *work, struct device *d, double alpha, CUdeviceptr x, double beta,
			  CUdeviceptr y, CUdeviceptr w)
{
	void *params[] = {&alpha, &x, &beta, &y, &w, &work->rows_count};

	workload_launch(d->waxpby, rows_grid(work), (struct workload_dim){BLOCK_THREADS, 1, 1}, params);
}

static double device_dot(struct minife *work, struct device *d, CUdeviceptr x, CUdeviceptr y)
{
	unsigned int ctas = dot_ctas(work);
	double partial[MINIFE_DOT_CTAS_MAX];
	void *params[] = {&x, &y, &d->partial, &work->rows_count};
	double sum = 0.0;

	workload_launch(d->dot, (struct workload_dim){ctas, 1, 1}, (struct workload_dim){MINIFE_DOT_THREADS, 1, 1},
			params);
	WORKLOAD_CUDA(cuMemcpyDtoH(partial, d->partial, ctas * sizeof(*partial)));
	for (unsigned int i = 0; i < ctas; i++)
		sum += partial[i];
	return sum;
}

static void device_open(const struct minife *work, struct device *d)
{
	size_t bytes = work->rows_count * sizeof(double);
	double *zero = workload_host_alloc(work->rows_count, sizeof(double));

	d->gpu = workload_gpu_open(minife_ptx);
	d->matvec = workload_gpu_kernel(&d->gpu, "minife_matvec");
	d->waxpby = workload_gpu_kernel(&d->gpu, "minife_waxpby");
	d->dot = workload_gpu_kernel(&d->gpu, "minife_dot");
	d->entries = workload_device_copy(work->entries, MINIFE_SLOTS * bytes);
	d->columns = workload_device_copy(work->columns, MINIFE_SLOTS * work->rows_count * sizeof(unsigned int));
	d->x = workload_device_copy(zero, bytes);
	d->r = workload_device_copy(work->b, bytes);
	d->p = workload_device_copy(work->b, bytes);
	d->ap = workload_device_copy(zero, bytes);
	d->partial = workload_device_alloc(MINIFE_DOT_CTAS_MAX * sizeof(double));
	free(zero);
}

static void device_close(const struct minife *work, struct device *d)
{
	CUdeviceptr *memory[] = {&d->entries, &d->columns, &d->x, &d->r, &d->p, &d->ap, &d->partial};
	size_t bytes = work->rows_count * sizeof(double);

	WORKLOAD_CUDA(cuMemcpyDtoH(work->x, d->x, bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(work->r, d->r, bytes));
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		WORKLOAD_CUDA(cuMemFree(*memory[i]));
	workload_gpu_close(&d->gpu);
}

/* From x = 0, where the residual is b. */
static void device_iterate(struct minife *work)
{
	struct device d;
	double rr;

	device_open(work, &d);
	rr = device_dot(work, &d, d.r, d.r);
	for (unsigned int i = 0; i < work->iterations_count; i++) {
		double before = rr, alpha;

		device_matvec(work, &d);
		alpha = rr / device_dot(work, &d, d.p, d.ap);
		device_waxpby(work, &d, 1.0, d.x, alpha, d.p, d.x);
		device_waxpby(work, &d, 1.0, d.r, -alpha, d.ap, d.r);
		rr = device_dot(work, &d, d.r, d.r);
		device_waxpby(work, &d, 1.0, d.r, rr / before, d.p, d.p);
	}
	device_close(work, &d);
}

/* ---- The same on the host --------------------------------------------------------------------------------------- */

static void host_matvec(const struct minife *work, const double *x, double *y)
{
	for (unsigned int row = 0; row < work->rows_count; row++) {
		double sum = 0.0;

		for (unsigned int slot = 0; slot < MINIFE_SLOTS; slot++) {
			size_t i = (size_t)slot * work->rows_count + row;

			sum += work->entries[i] * x[work->columns[i]];
		}
		y[row] = sum;
	}
}

static void host_waxpby(const struct minife *work, double alpha, const double *x, double beta, const double *y,
			double *w)
{
	for (unsigned int i = 0; i < work->rows_count; i++)
		w[i] = alpha * x[i] + beta * y[i];
}

static double host_dot(const struct minife *work, const double *x, const double *y)
{
	unsigned int stride = dot_ctas(work) * MINIFE_DOT_THREADS;
	double sum = 0.0;

	for (unsigned int first = 0; first < stride; first += MINIFE_DOT_THREADS) {
		double sums[MINIFE_DOT_THREADS] = {0};

		for (unsigned int lane = 0; lane < MINIFE_DOT_THREADS; lane++)
			for (unsigned int i = first + lane; i < work->rows_count; i += stride)
				sums[lane] += x[i] * y[i];
		for (unsigned int half = MINIFE_DOT_THREADS / 2; half; half /= 2)
			for (unsigned int lane = 0; lane < half; lane++)
				sums[lane] += sums[lane + half];
		sum += sums[0];
	}
	return sum;
}

static void host_iterate(const struct minife *work, struct host *h)
{
	double rr;

	memcpy(h->r, work->b, work->rows_count * sizeof(double));
	memcpy(h->p, work->b, work->rows_count * sizeof(double));
	rr = host_dot(work, h->r, h->r);
	for (unsigned int i = 0; i < work->iterations_count; i++) {
		double before = rr, alpha;

		host_matvec(work, h->p, h->ap);
		alpha = rr / host_dot(work, h->p, h->ap);
		host_waxpby(work, 1.0, h->x, alpha, h->p, h->x);
		host_waxpby(work, 1.0, h->r, -alpha, h->ap, h->r);
		rr = host_dot(work, h->r, h->r);
		host_waxpby(work, 1.0, h->r, rr / before, h->p, h->p);
	}
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* The residual that was carried along is b - A x, and is shorter than b: the matrix is definite and well conditioned,
 * so that each iteration shortens it. */
static bool residual_check(const struct minife *work, double *ax)
{
	double length = 0.0, start = 0.0;

	host_matvec(work, work->x, ax);
	for (unsigned int i = 0; i < work->rows_count; i++) {
		double residual = work->b[i] - ax[i];

		if (!(fabs(residual - work->r[i]) <= 1e-9)) {
			fprintf(stderr, "minife: r[%u] is %.17g, b - A x there is %.17g\n", i, work->r[i], residual);
			return false;
		}
		length += residual * residual;
		start += work->b[i] * work->b[i];
	}
	if (length < start)
		return true;
	fprintf(stderr, "minife: the squared residual is %g after starting at %g\n", length, start);
	return false;
}

static bool result_check(const struct minife *work)
{
	struct host h = {
		.x = workload_host_alloc(work->rows_count, sizeof(double)),
		.r = workload_host_alloc(work->rows_count, sizeof(double)),
		.p = workload_host_alloc(work->rows_count, sizeof(double)),
		.ap = workload_host_alloc(work->rows_count, sizeof(double)),
	};
	bool right;

	host_iterate(work, &h);
	right = workload_same_f64("x", work->x, h.x, work->rows_count, 0) &&
		workload_same_f64("r", work->r, h.r, work->rows_count, 0) && residual_check(work, h.ap);
	free(h.x);
	free(h.r);
	free(h.p);
	free(h.ap);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"minife", "Conjugate gradients on a finite-element brick mesh.",
		"40 x 20 x 20 elements, 4 iterations", "128 x 64 x 64 elements (NSU Table 1), 8 iterations"};
	static const struct workload_count counts[] = {
		{"nx", "elements along x", 40, 128, 1, 256, 1, NULL},
		{"ny", "elements along y", 20, 64, 1, 256, 1, NULL},
		{"nz", "elements along z", 20, 64, 1, 256, 1, NULL},
		{"iterations", "iterations", 4, 8, 1, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct minife work = {
		.elements = {options.counts[0], options.counts[1], options.counts[2]},
		.iterations_count = options.counts[3],
	};
	bool right;

	input_make(&work, options.seed);
	device_iterate(&work);
	right = result_check(&work);
	free(work.entries);
	free(work.columns);
	free(work.b);
	free(work.x);
	free(work.r);
	return workload_finish(right, "%u x %u x %u elements, %u iterations", work.elements[0], work.elements[1],
			       work.elements[2], work.iterations_count);
}
