/* ender.c - ender HOW [N]: a program whose kernels, or which itself, comes to an end in one of several ways. It looks
 * at no result code unless HOW says so, and its exit status is 0. */
#include <cuda.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.3\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry _Z4goodPj(.param .u64 p)\n"
    "{\n"
    " .reg .b64 %rd<2>;\n .reg .b32 %r<2>;\n"
    " ld.param.u64 %rd1, [p];\n mov.u32 %r1, 7;\n st.global.u32 [%rd1], %r1;\n ret;\n"
    "}\n"
    ".visible .entry unknown(.param .u64 p)\n"
    "{\n"
    " .reg .b64 %rd<2>;\n"
    " alloca.u64 %rd1, 16, 8;\n ret;\n"
    "}\n"
    /* Every warp turns on the spot. */
    ".file 1 \"spin.cu\"\n"
    ".visible .entry spin(.param .u64 p)\n"
    "{\n"
    "$L__loop:\n"
    " .loc 1 7 1\n"
    " bra.uni $L__loop;\n"
    "}\n"
    /* The first warp never comes to the barrier at which the others wait. */
    ".visible .entry stuck(.param .u64 p)\n"
    "{\n"
    " .reg .b32 %r<2>;\n .reg .pred %p<2>;\n"
    " mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 32;\n"
    "@%p1 bra $L__loop;\n"
    " .loc 1 12 1\n"
    " bar.sync 3;\n ret;\n"
    "$L__loop:\n"
    " .loc 1 14 1\n"
    " bra.uni $L__loop;\n"
    "}\n";

static CUmodule module;
static CUdeviceptr out;

static CUresult launch(const char *name, unsigned int ctas, unsigned int threads, CUdeviceptr p)
{
	CUfunction f = NULL;
	void *params[] = {&p};

	cuModuleGetFunction(&f, module, name);
	return cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static void on_signal(int number)
{
	(void)number;
	say("handled");
}

static void *leave(void *arg)
{
	(void)arg;
	sleep(1);
	exit(3);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t thread;
	CUdevice device;
	CUcontext context;

	if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
	    cuCtxCreate(&context, 0, device) != CUDA_SUCCESS || cuModuleLoadData(&module, ptx) != CUDA_SUCCESS ||
	    cuMemAlloc(&out, 4) != CUDA_SUCCESS)
		return 9;
	if (!strcmp(how, "good")) {
		for (unsigned long i = 0; i < count; i++)
			launch("_Z4goodPj", 1, 1, out);
	} else if (!strcmp(how, "refused")) {
		launch("_Z4goodPj", 1, 1, out);
		launch("unknown", 1, 1, out);
		launch("_Z4goodPj", 1, 2000, out);
		launch("_Z4goodPj", 1, 2000, out);
		launch("absent", 1, 1, out);
	} else if (!strcmp(how, "faulted")) {
		launch("_Z4goodPj", 1, 1, out + 4096);
		launch("_Z4goodPj", 1, 1, out);
	} else if (!strcmp(how, "stuck")) {
		return launch("stuck", 2, 128, out) == CUDA_ERROR_LAUNCH_TIMEOUT ? 0 : 8;
	} else if (!strcmp(how, "spin")) {
		say("begun");
		return launch("spin", 4, 256, out) == CUDA_ERROR_LAUNCH_TIMEOUT ? 0 : 8;
	} else if (!strcmp(how, "handler")) {
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
		say("begun");
		launch("spin", 4, 256, out);
	} else if (!strcmp(how, "stubborn")) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		launch("_Z4goodPj", 1, 1, out);
		launch("_Z4goodPj", 1, 1, out);
		say("begun");
		for (;;)
			pause();
	} else if (!strcmp(how, "host")) {
		launch("_Z4goodPj", 1, 1, out);
		say("begun");
		for (;;)
			pause();
	} else if (!strcmp(how, "thread")) {
		pthread_create(&thread, NULL, leave, NULL);
		launch("spin", 4, 256, out);
	} else if (!strcmp(how, "_exit")) {
		launch("_Z4goodPj", 1, 1, out);
		_exit(0);
	} else {
		return 9;
	}
	cuMemFree(out);
	return 0;
}
