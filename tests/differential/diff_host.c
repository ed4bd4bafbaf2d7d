/* diff_host.c - runs every generated function on the device and on the host and compares the results bit for bit.
 * An ordinary driver API program. Exit status: 0 all agree, 1 a result differs, 2 the driver refused something.
 *
 *   diff_host [FUNCTION...]    only these; all without
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "diff_types.h"
#include "functions.h"

static const char ptx[] =
#include "kernels.ptx.h"
	;

enum { COUNT = 333, BLOCK = 64, SHOWN = 3 };

static const struct {
	const char *name, *kernel;
	uint64_t (*function)(uint64_t a, uint64_t b, uint64_t c);
} functions[] = {
#define X(f) {#f, "k_" #f, f},
	DIFF_LIST(X)
#undef X
};

static uint64_t inputs[3][COUNT], outputs[COUNT];

static void need(CUresult result, const char *what)
{
	const char *text = NULL;

	if (result == CUDA_SUCCESS)
		return;
	cuGetErrorString(result, &text);
	fprintf(stderr, "diff_host: %s: %s\n", what, text ? text : "unknown error");
	exit(2);
}

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Edges of the integer and float formats, small numbers, floats about 1, and anything. */
static uint64_t input_value(uint64_t *state)
{
	static const uint64_t edges[] = {
		0, 1, 2, 31, 32, 63, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3f800000, 0xbf800000,
		0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff, 0x4f000000,
		0x4b800001, 0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000,
		0x0010000000000000, 0x000fffffffffffff, 0x8000000000000001, 0x7fefffffffffffff, 0x43e0000000000000,
		0x41dfffffffc00000, 0x36a0000000000000, 0x47efffffffffffff,
	};
	const uint64_t r = random_next(state), v = random_next(state);

	switch (r & 7) {
	case 0:
	case 1:
		return edges[(r >> 8) % (sizeof edges / sizeof edges[0])];
	case 2:
		return v & 1023;
	case 3:
		return (v & 0x87ffffff) | 0x38000000;
	case 4:
		return (v & 0x80ffffffffffffff) | 0x3f00000000000000;
	case 5:
		return (v & 0x83ffffffffffffff) | 0x4000000000000000;
	default:
		return v;
	}
}

static int compare(size_t k)
{
	int wrong = 0;

	for (int i = 0; i < COUNT; i++) {
		const uint64_t want = functions[k].function(inputs[0][i], inputs[1][i], inputs[2][i]);

		if (outputs[i] != want && ++wrong <= SHOWN)
			printf("%s(%#llx, %#llx, %#llx): device %#llx, host %#llx\n", functions[k].name,
			       (unsigned long long)inputs[0][i], (unsigned long long)inputs[1][i],
			       (unsigned long long)inputs[2][i], (unsigned long long)outputs[i],
			       (unsigned long long)want);
	}
	return wrong;
}

static bool is_wanted(size_t k, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], functions[k].name) == 0)
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUdeviceptr rows[3], out;
	uint64_t state = 20;
	int ran = 0, failed = 0;

	need(cuInit(0), "cuInit");
	need(cuDeviceGet(&device, 0), "cuDeviceGet");
	need(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	need(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
	need(cuMemAlloc(&out, sizeof outputs), "cuMemAlloc");
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < COUNT; i++)
			inputs[k][i] = k && i % 16 == 5 ? inputs[0][i] : input_value(&state);
		need(cuMemAlloc(&rows[k], sizeof inputs[k]), "cuMemAlloc");
		need(cuMemcpyHtoD(rows[k], inputs[k], sizeof inputs[k]), "cuMemcpyHtoD");
	}
	for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
		unsigned int count = COUNT;
		void *params[] = {&out, &rows[0], &rows[1], &rows[2], &count};
		CUfunction kernel;

		if (!is_wanted(k, argc, argv))
			continue;
		need(cuMemsetD8(out, 0xa5, sizeof outputs), "cuMemsetD8");
		need(cuModuleGetFunction(&kernel, module, functions[k].kernel), functions[k].kernel);
		need(cuLaunchKernel(kernel, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL),
		     functions[k].kernel);
		need(cuMemcpyDtoH(outputs, out, sizeof outputs), functions[k].kernel);
		ran++;
		failed += compare(k) != 0;
	}
	need(cuCtxDestroy(context), "cuCtxDestroy");
	printf("%d functions on %d inputs each: %d differ\n", ran, COUNT, failed);
	return failed || ran == 0;
}
