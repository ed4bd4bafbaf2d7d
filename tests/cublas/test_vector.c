/* test_vector.c - vectors of libcublas: every operation on both types, increments of either sign, both pointer modes,
 * and magnitudes at the ends of the types' ranges; handles and their settings; copies from and to the host. */
#include "common.h"

static cublasHandle_t handle;

/* Element i of a vector of n, by its increment. */
static int64_t at(int64_t i, int64_t n, int64_t inc)
{
	return inc < 0 ? (i - n + 1) * inc : i * inc;
}

static int64_t room(int64_t n, int64_t inc)
{
	return n ? (n - 1) * llabs(inc) + 1 : 1;
}

/* A number, or where the device finds it: by turns. */
static CUdeviceptr cell;
static bool is_device;

static void next_mode(void)
{
	is_device = !is_device;
	OK(cublasSetPointerMode(handle, is_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
}

static const void *factor(double value, cudaDataType type, void *on_host)
{
	put(on_host, 0, type, value);
	if (!is_device)
		return on_host;
	OK(cuMemcpyHtoD(cell, on_host, size_of(type)));
	return (const void *)cell;
}

static void *result_at(void *on_host)
{
	return is_device ? (void *)cell : on_host;
}

static double result(void *on_host, cudaDataType type)
{
	if (is_device)
		OK(cuMemcpyDtoH(on_host, cell, size_of(type)));
	return get(on_host, 0, type);
}

static void axpy_and_scal(cudaDataType type, int n, int incx, int incy)
{
	struct array x = array_new(type, room(n, incx), 1), y = array_new(type, room(n, incy), 0);
	double *expected = calloc((size_t)n + 1, sizeof(double)), on_host;
	const cudaDataType of_factor = type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
	const double unit = epsilon(type) * 4;

	for (int i = 0; i < n; i++)
		expected[i] = element(&y, at(i, n, incy)) - 0.75 * element(&x, at(i, n, incx));
	next_mode();
	if (type == CUDA_R_32F)
		OK(cublasSaxpy(handle, n, factor(-0.75, type, &on_host), (float *)x.at, incx, (float *)y.at, incy));
	else if (type == CUDA_R_64F)
		OK(cublasDaxpy_64(handle, n, factor(-0.75, type, &on_host), (double *)x.at, incx, (double *)y.at,
				  incy));
	else
		OK(cublasAxpyEx(handle, n, factor(-0.75, of_factor, &on_host), of_factor, (void *)x.at, type, incx,
				(void *)y.at, type, incy, CUDA_R_32F));
	array_to_host(&y);
	for (int i = 0; i < n; i++)
		NEAR(element(&y, at(i, n, incy)), expected[i], unit, "axpy of %d, increments %d, %d", n, incx, incy);
	array_to_host(&x);
	if (type == CUDA_R_32F)
		OK(cublasSscal(handle, n, factor(0.5, type, &on_host), (float *)x.at, abs(incx)));
	else if (type == CUDA_R_64F)
		OK(cublasDscal(handle, n, factor(0.5, type, &on_host), (double *)x.at, abs(incx)));
	else
		OK(cublasScalEx(handle, n, factor(0.5, of_factor, &on_host), of_factor, (void *)x.at, type, abs(incx),
				CUDA_R_32F));
	for (int i = 0; i < n; i++)
		expected[i] = element(&x, at(i, n, abs(incx))) * 0.5;
	array_to_host(&x);
	for (int i = 0; i < n; i++)
		NEAR(element(&x, at(i, n, abs(incx))), expected[i], epsilon(type), "scal of %d, increment %d", n, incx);
	free(expected);
	array_free(&x);
	array_free(&y);
}

static void copy_and_swap(cudaDataType type, int n, int incx, int incy)
{
	struct array x = array_new(type, room(n, incx), 0), y = array_new(type, room(n, incy), 1),
		     z = array_new(type, n, 0);
	struct array old_x = x, old_y = y;

	old_x.values = memcpy(malloc(x.bytes), x.values, (size_t)x.count * size_of(type));
	old_y.values = memcpy(malloc(y.bytes), y.values, (size_t)y.count * size_of(type));
	if (type == CUDA_R_32F) {
		OK(cublasScopy(handle, n, (float *)x.at, incx, (float *)z.at, 1));
		OK(cublasSswap(handle, n, (float *)x.at, incx, (float *)y.at, incy));
	} else {
		OK(cublasDcopy(handle, n, (double *)x.at, incx, (double *)z.at, 1));
		OK(cublasDswap(handle, n, (double *)x.at, incx, (double *)y.at, incy));
	}
	array_to_host(&x);
	array_to_host(&y);
	array_to_host(&z);
	for (int i = 0; i < n; i++) {
		NEAR(element(&z, i), element(&old_x, at(i, n, incx)), 0, "copy of %d, increment %d", n, incx);
		NEAR(element(&y, at(i, n, incy)), element(&old_x, at(i, n, incx)), 0, "swap of %d: y", n);
		NEAR(element(&x, at(i, n, incx)), element(&old_y, at(i, n, incy)), 0, "swap of %d: x", n);
	}
	free(old_x.values);
	free(old_y.values);
	array_free(&x);
	array_free(&y);
	array_free(&z);
}

static void dots(cudaDataType type, int n, int incx, int incy)
{
	struct array x = array_new(type, room(n, incx), 1), y = array_new(type, room(n, incy), 0);
	double sum = 0, magnitude = 0, on_host = 0;
	const cudaDataType sums = type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;

	for (int i = 0; i < n; i++) {
		sum += element(&x, at(i, n, incx)) * element(&y, at(i, n, incy));
		magnitude += fabs(element(&x, at(i, n, incx)) * element(&y, at(i, n, incy)));
	}
	next_mode();
	if (type == CUDA_R_32F)
		OK(cublasSdot(handle, n, (float *)x.at, incx, (float *)y.at, incy, result_at(&on_host)));
	else if (type == CUDA_R_64F)
		OK(cublasDdot(handle, n, (double *)x.at, incx, (double *)y.at, incy, result_at(&on_host)));
	else
		OK(cublasDotEx(handle, n, (void *)x.at, type, incx, (void *)y.at, type, incy, result_at(&on_host), type,
			       CUDA_R_32F));
	NEAR(result(&on_host, type), sum, magnitude * n * epsilon(sums) + fabs(sum) * epsilon(type) * 1.1,
	     "dot of %d, increments %d, %d", n, incx, incy);
	array_free(&x);
	array_free(&y);
}

static void of_one(cudaDataType type, int n, int incx)
{
	struct array x = array_new(type, room(n, incx), 0);
	double sum = 0, squares = 0, most = -1, least = 3, on_host = 0;
	int first_most = 0, first_least = 0;
	const double unit = epsilon(type);
	const bool is_single = type == CUDA_R_32F;

	if (n > 40) /* equal ones: the first counts */
		put(x.values, at(33, n, incx), type, element(&x, at(7, n, incx)));
	array_to_device(&x);
	for (int i = 0; i < n; i++) {
		const double value = fabs(element(&x, at(i, n, incx)));

		sum += value;
		squares += value * value;
		first_most = value > most ? i + 1 : first_most;
		most = fmax(most, value);
		first_least = value < least ? i + 1 : first_least;
		least = fmin(least, value);
	}
	next_mode();
	OK(is_single ? cublasSasum(handle, n, (float *)x.at, incx, result_at(&on_host))
		     : cublasDasum(handle, n, (double *)x.at, incx, result_at(&on_host)));
	NEAR(result(&on_host, type), sum, sum * n * unit, "asum of %d", n);
	OK(is_single ? cublasSnrm2(handle, n, (float *)x.at, incx, result_at(&on_host))
		     : cublasDnrm2(handle, n, (double *)x.at, incx, result_at(&on_host)));
	NEAR(result(&on_host, type), sqrt(squares), sqrt(squares) * (n + 2) * unit, "nrm2 of %d", n);
	OK(is_single ? cublasIsamax(handle, n, (float *)x.at, incx, result_at(&on_host))
		     : cublasIdamax(handle, n, (double *)x.at, incx, result_at(&on_host)));
	NEAR(result(&on_host, CUDA_R_32I), first_most, 0, "amax of %d", n);
	OK(is_single ? cublasIsamin(handle, n, (float *)x.at, incx, result_at(&on_host))
		     : cublasIdamin(handle, n, (double *)x.at, incx, result_at(&on_host)));
	NEAR(result(&on_host, CUDA_R_32I), first_least, 0, "amin of %d", n);
	array_free(&x);
}

/* Squares that a double cannot hold; and no elements. */
static void ends(void)
{
	struct array x = array_new(CUDA_R_64F, 300, 0);
	double on_host;
	int64_t index;

	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	for (int i = 0; i < 300; i++)
		put(x.values, i, CUDA_R_64F, 3e200);
	array_to_device(&x);
	OK(cublasDnrm2(handle, 300, (double *)x.at, 1, &on_host));
	NEAR(on_host, 3e200 * sqrt(300), 1e188, "nrm2 of large numbers");
	for (int i = 0; i < 300; i++)
		put(x.values, i, CUDA_R_64F, 3e-200);
	array_to_device(&x);
	OK(cublasDnrm2(handle, 300, (double *)x.at, 1, &on_host));
	NEAR(on_host, 3e-200 * sqrt(300), 1e-212, "nrm2 of small numbers");
	OK(cublasDnrm2(handle, 0, (double *)x.at, 1, &on_host));
	NEAR(on_host, 0, 0, "nrm2 of nothing");
	OK(cublasIdamax_64(handle, 5, (double *)x.at, 0, &index));
	SAME(index, 0);
	OK(cublasIdamax_64(handle, 5, (double *)x.at, 1, &index));
	SAME(index, 1);
	SAME(cublasDdot(handle, 3, NULL, 1, (double *)x.at, 1, &on_host), CUBLAS_STATUS_INVALID_VALUE);
	array_free(&x);
}

static void settings(void)
{
	cublasPointerMode_t pointer_mode;
	cublasMath_t math_mode;
	cublasAtomicsMode_t atomics_mode;
	cudaStream_t got;
	CUstream stream;
	int version, major;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cublasSetStream(handle, stream));
	OK(cublasGetStream(handle, &got));
	SAME(got == stream, 1);
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	OK(cublasGetPointerMode(handle, &pointer_mode));
	SAME(pointer_mode, CUBLAS_POINTER_MODE_DEVICE);
	SAME(cublasSetPointerMode(handle, (cublasPointerMode_t)2), CUBLAS_STATUS_INVALID_VALUE);
	OK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
	OK(cublasGetMathMode(handle, &math_mode));
	SAME(math_mode, CUBLAS_TF32_TENSOR_OP_MATH);
	OK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
	OK(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
	OK(cublasGetAtomicsMode(handle, &atomics_mode));
	SAME(atomics_mode, CUBLAS_ATOMICS_ALLOWED);
	OK(cublasGetVersion(handle, &version));
	OK(cublasGetProperty(MAJOR_VERSION, &major));
	SAME(version / 10000, major);
	SAME(major, 13);
	SAME(cublasGetProperty((libraryPropertyType)3, &major), CUBLAS_STATUS_INVALID_VALUE);
	OK(cublasSetWorkspace(handle, (void *)cell, 0));
	SAME(cublasSetWorkspace(handle, (void *)(cell + 4), 64), CUBLAS_STATUS_INVALID_VALUE);
	SAME(strcmp(cublasGetStatusName(CUBLAS_STATUS_ALLOC_FAILED), "CUBLAS_STATUS_ALLOC_FAILED"), 0);
	SAME(strlen(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED)) > 0, 1);
}

static void copies(void)
{
	enum { ROWS = 5, COLUMNS = 4, LD = 7, DEVICE_LD = 6 };
	float in[LD * COLUMNS], out[LD * COLUMNS] = {0};
	CUdeviceptr d;

	for (int i = 0; i < LD * COLUMNS; i++)
		in[i] = (float)i;
	OK(cuMemAlloc(&d, sizeof(float) * DEVICE_LD * COLUMNS));
	OK(cublasSetMatrix(ROWS, COLUMNS, sizeof(float), in, LD, (void *)d, DEVICE_LD));
	OK(cublasGetMatrix(ROWS, COLUMNS, sizeof(float), (void *)d, DEVICE_LD, out, LD));
	for (int i = 0; i < LD * COLUMNS; i++)
		NEAR((double)out[i], i % LD < ROWS ? i : 0, 0, "matrix from and to the host: %d", i);
	OK(cublasSetVector(6, sizeof(float), in, 3, (void *)d, 2));
	OK(cublasGetVector(6, sizeof(float), (void *)d, 2, out, 1));
	for (int i = 0; i < 6; i++)
		NEAR((double)out[i], 3 * i, 0, "vector from and to the host: %d", i);
	SAME(cublasSetMatrix(ROWS, COLUMNS, sizeof(float), in, ROWS - 1, (void *)d, DEVICE_LD),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasSetVector(1, sizeof(float), in, 0, (void *)d, 1), CUBLAS_STATUS_INVALID_VALUE);
	OK(cuMemFree(d));
}

int main(void)
{
	static const int sizes[] = {1, 31, 257, 4000}, increments[][2] = {{1, 1}, {2, 3}, {-1, 2}, {-2, -1}};

	OK(cublasCreate(&handle));
	if (mistakes)
		return test_end("vector");
	OK(cuMemAlloc(&cell, 256));
	for (int s = 0; s < 4; s++)
		for (int i = 0; i < 4; i++)
			for (int t = 0; t < 4; t++) {
				const cudaDataType type =
				    (const cudaDataType[]){CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF}[t];

				axpy_and_scal(type, sizes[s], increments[i][0], increments[i][1]);
				dots(type, sizes[s], increments[i][0], increments[i][1]);
				if (t > 1)
					continue;
				copy_and_swap(type, sizes[s], increments[i][0], increments[i][1]);
				of_one(type, sizes[s], abs(increments[i][0]));
			}
	/* A dot of 40000 needs more than the blocks of a grid. */
	dots(CUDA_R_32F, 40000, 1, 1);
	ends();
	copies();
	settings();
	OK(cuMemFree(cell));
	OK(cublasDestroy(handle));
	return test_end("vector");
}
