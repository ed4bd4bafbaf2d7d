// Device code that the program loads by itself, its kernels and variables; parameters of kernels; copies in batches.
#include <string.h>

#include "program.h"

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
			  ".visible .global .align 4 .u32 step = 3;\n"
			  ".visible .entry fill(.param .u64 p, .param .u32 first)\n"
			  "{\n .reg .b64 %d<4>;\n .reg .b32 %r<4>;\n"
			  " ld.param.u64 %d1, [p];\n ld.param.u32 %r1, [first];\n mov.u32 %r2, %tid.x;\n"
			  " ld.global.u32 %r3, [step];\n mad.lo.u32 %r1, %r2, %r3, %r1;\n mul.wide.u32 %d2, %r2, 4;\n"
			  " add.u64 %d3, %d1, %d2;\n st.global.u32 [%d3], %r1;\n ret;\n}\n";

enum { N = 32 };

struct pair {
	double x;
	char c;
};

__global__ void takes(char c, struct pair p, int *out)
{
	*out = c + p.c;
}

static void libraries()
{
	cudaLibrary_t library;
	cudaKernel_t kernel, all[2];
	struct cudaFuncAttributes attributes;
	unsigned int count, first = 100, step = 5, values[N];
	void *p, *variable;
	size_t bytes;

	OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernelCount(&count, library));
	CHECK(count == 1);
	OK(cudaLibraryEnumerateKernels(all, 1, library));
	OK(cudaLibraryGetKernel(&kernel, library, "fill"));
	CHECK(kernel == all[0]);
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&all[1], library, "none"));
	OK(cudaLibraryGetGlobal(&variable, &bytes, library, "step"));
	CHECK(bytes == 4);
	OK(cudaMemcpy(variable, &step, 4, cudaMemcpyHostToDevice));
	OK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
	CHECK(attributes.ptxVersion == 75);
	OK(cudaMalloc(&p, sizeof(values)));

	void *arguments[] = {&p, &first};

	OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(N), arguments, 0, 0));
	OK(cudaMemcpy(values, p, sizeof(values), cudaMemcpyDeviceToHost));
	for (unsigned int i = 0; i < N; i++)
		CHECK(values[i] == 100 + 5 * i);
	OK(cudaLibraryUnload(library));
	FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, (const void *)kernel));
	OK(cudaFree(p));
}

static void parameters()
{
	size_t offset, bytes;

	OK(cudaFuncGetParamInfo((const void *)takes, 1, &offset, &bytes));
	CHECK(offset == 8 && bytes == sizeof(struct pair));
	OK(cudaFuncGetParamInfo((const void *)takes, 2, &offset, NULL));
	CHECK(offset == 24);
	FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)takes, 3, &offset, &bytes));
}

#if CUDART_VERSION >= 13000
static void batches()
{
	int from[2][N], back[2][N], *device;
	cudaStream_t stream;
	struct cudaMemcpyAttributes attributes;
	size_t first = 0;

	for (int i = 0; i < N; i++) {
		from[0][i] = i;
		from[1][i] = -i;
	}
	memset(&attributes, 0, sizeof(attributes));
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	OK(cudaMalloc(&device, sizeof(from)));
	OK(cudaStreamCreate(&stream));

	void *sources[2] = {from[0], from[1]}, *places[2] = {device + N, device}, *backs[2] = {back[0], back[1]};
	size_t sizes[2] = {sizeof(from[0]), sizeof(from[1])};

	OK(cudaMemcpyBatchAsync(places, sources, sizes, 2, &attributes, &first, 1, stream));
	OK(cudaMemcpyBatchAsync(backs, places, sizes, 2, &attributes, &first, 1, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(!memcmp(from, back, sizeof(from)));
	FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(places, sources, sizes, 2,
							  &attributes, &first, 1, (cudaStream_t)0));
}
#else
static void batches()
{
}
#endif

int main()
{
	libraries();
	parameters();
	batches();
	return 0;
}
