/* planted.c - planted PTX NAME: launches kernel NAME of the file on a buffer of 100 words, in more CTAs than one if the
 * name says so, or makes the mistake in host calls that NAME stands for. The exit status is 0 unless something is
 * missing. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 100, THREADS = 128, CTAS = 4 };

static CUdeviceptr buffer(void)
{
	CUdeviceptr p;

	if (cuMemAlloc(&p, WORDS * 4) != CUDA_SUCCESS)
		exit(3);
	return p;
}

static void launch(CUmodule module, const char *name, CUdeviceptr out)
{
	CUfunction f;
	unsigned int n = 4;
	void *params[] = {&out, &n};

	if (cuModuleGetFunction(&f, module, name) != CUDA_SUCCESS) {
		fprintf(stderr, "planted: no kernel %s\n", name);
		exit(3);
	}
	cuLaunchKernel(f, strstr(name, "ctas") ? CTAS : 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
}

static __attribute__((noinline)) CUdeviceptr forget(void)
{
	return buffer();
}

/* Mistakes of host code. True if name is one. */
static int host_mistake(const char *name, CUdeviceptr out)
{
	if (!strcmp(name, "leak")) {
		for (int i = 0; i < 3; i++)
			forget();
	} else if (!strcmp(name, "double_free")) {
		CUdeviceptr p = buffer();

		cuMemFree(p);
		cuMemFree(p);
	} else if (!strcmp(name, "free_inside")) {
		cuMemFree(out + 16);
	} else if (!strcmp(name, "free_nothing")) {
		cuMemFree(0x1234);
	} else {
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUdeviceptr out, freed;
	int keeps_unwritten;

	if (argc != 3 || cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
	    cuCtxCreate(&context, 0, device) != CUDA_SUCCESS || cuModuleLoad(&module, argv[1]) != CUDA_SUCCESS)
		return 3;
	out = buffer();
	keeps_unwritten = !strcmp(argv[2], "unwritten") || !strcmp(argv[2], "unwritten_byte");
	if (!keeps_unwritten)
		cuMemsetD32(out, 0, WORDS);
	if (!strcmp(argv[2], "unwritten_byte"))
		cuMemsetD2D8(out, 4, 1, 3, WORDS);
	if (!strcmp(argv[2], "use_freed")) {
		freed = buffer();
		cuMemFree(freed);
		launch(module, argv[2], freed);
	} else if (!host_mistake(argv[2], out)) {
		launch(module, argv[2], out);
	}
	cuMemFree(out);
	/* A kernel that ended badly has taken its context along: nothing can be freed any more. */
	return 0;
}
