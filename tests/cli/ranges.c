/* ranges.c - launches in ranges of NVTX, for the test of run.only = range:NAME: a launch has as many CTAs as its number
 * among them, which is in the comments beside it. The sum of all is checked, and so is what NVTX answers. */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAUNCHES = 11, CTAS = LAUNCHES * (LAUNCHES + 1) / 2 };

static const char ptx[] = ".version 6.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".visible .entry step(.param .u64 sum) {\n"
			  "  .reg .b64 %d<2>;\n"
			  "  ld.param.u64 %d1, [sum];\n"
			  "  red.global.add.u32 [%d1], 1;\n"
			  "  ret;\n"
			  "}\n";

static CUcontext context;
static CUfunction function;
static CUdeviceptr sum;
static pthread_barrier_t barrier;

static void check(CUresult result, const char *what)
{
	if (result != CUDA_SUCCESS) {
		printf("ranges: %s: error %d\n", what, (int)result);
		exit(1);
	}
}

static void step(unsigned ctas)
{
	void *arguments[] = {&sum};

	check(cuLaunchKernel(function, ctas, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "launch");
}

static void is(int value, int wanted, const char *what)
{
	if (getenv("NVTX_INJECTION64_PATH") && value != wanted) {
		printf("ranges: %s is %d, not %d\n", what, value, wanted);
		exit(1);
	}
}

/* Another thread's ranges are its own; what has been started is everybody's. */
static void *beside(void *unused)
{
	check(cuCtxSetCurrent(context), "context");
	step(5); /* phase */
	nvtxRangePushA("train");
	step(6); /* phase, train */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	is(nvtxRangePop(), 0, "the thread's range");
	return unused;
}

static void pushed(void)
{
	is(nvtxRangePushA("train"), 0, "the depth of a range");
	step(2); /* train */
	is(nvtxRangePushA("inner"), 1, "the depth of a range within it");
	step(3); /* train, inner */
	is(nvtxRangePop(), 1, "the depth of the range that ended first");
	step(4); /* train */
	is(nvtxRangePop(), 0, "the depth of the range that ended last");
	is(nvtxRangePop(), -1, "a range that is not there");
}

static void started(void)
{
	const nvtxRangeId_t id = nvtxRangeStartA("phase");
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, beside, NULL);
	pthread_barrier_wait(&barrier);
	step(7); /* phase */
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	nvtxRangeEnd(id);
	step(8);
}

static void in_domain(void)
{
	const nvtxDomainHandle_t domain = nvtxDomainCreateA("D");
	const nvtxEventAttributes_t epoch = {.version = NVTX_VERSION,
					     .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
					     .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
					     .message.registered = nvtxDomainRegisterStringA(domain, "epoch")};

	nvtxDomainRangePushEx(domain, &epoch);
	nvtxRangePop(); /* of the default domain: there is none */
	step(9);	/* D@epoch */
	is(nvtxDomainRangePop(domain), 0, "the domain's range");
	step(10);
}

static void wide(void)
{
	nvtxRangePushW(L"gr\u00f6\u00dfe");
	step(11); /* größe */
	nvtxRangePop();
}

int main(void)
{
	unsigned result = 0;
	CUmodule module;
	CUdevice device;

	check(cuInit(0), "init");
	check(cuDeviceGet(&device, 0), "device");
	check(cuDevicePrimaryCtxRetain(&context, device), "context");
	check(cuCtxSetCurrent(context), "context");
	check(cuModuleLoadData(&module, ptx), "module");
	check(cuModuleGetFunction(&function, module, "step"), "function");
	check(cuMemAlloc(&sum, sizeof(result)), "memory");
	check(cuMemsetD32(sum, 0, 1), "memset");
	step(1);
	pushed();
	started();
	in_domain();
	wide();
	check(cuMemcpyDtoH(&result, sum, sizeof(result)), "copy");
	printf("ranges: %u CTAs\n", result);
	return result != CTAS;
}
