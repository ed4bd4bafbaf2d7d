/* test_driver.c - what the driver does when it is used right, and how kernels' failures show. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>

#include "common.h"

/* ---- memory ---- */

static uint64_t next_random(uint64_t *s)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return *s >> 33;
}

/* Random boxes host -> device -> device -> host, against the same boxes copied by hand. */
static void random_boxes(void **state)
{
	enum { PITCH = 96, ROWS = 40, BYTES = PITCH * ROWS };
	static uint8_t host[BYTES], expected[BYTES], got[BYTES];
	CUcontext c = begin();
	CUdeviceptr d;
	uint64_t seed = 1;

	(void)state;
	OK(cuMemAlloc(&d, BYTES));
	OK(cuMemsetD8(d, 0, BYTES));
	for (int round = 0; round < 300; round++) {
		size_t w = 1 + next_random(&seed) % PITCH, h = 1 + next_random(&seed) % ROWS;
		size_t sx = next_random(&seed) % (PITCH - w + 1), sy = next_random(&seed) % (ROWS - h + 1);
		size_t dx = next_random(&seed) % (PITCH - w + 1), dy = next_random(&seed) % (ROWS - h + 1);
		CUDA_MEMCPY2D box = {.srcXInBytes = sx, .srcY = sy,
				     .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host,
				     .srcPitch = PITCH, .dstXInBytes = dx, .dstY = dy,
				     .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = d, .dstPitch = PITCH,
				     .WidthInBytes = w, .Height = h};

		for (size_t i = 0; i < BYTES; i++)
			host[i] = (uint8_t)next_random(&seed);
		for (size_t y = 0; y < h; y++)
			memcpy(&expected[(dy + y) * PITCH + dx], &host[(sy + y) * PITCH + sx], w);
		OK(cuMemcpy2D(&box));
		OK(cuMemcpyDtoH(got, d, BYTES));
		assert_memory_equal(got, expected, BYTES);
	}
	OK(cuCtxDestroy(c));
}

static void arrays_and_slices(void **state)
{
	enum { W = 7, H = 5, D = 3 };
	uint32_t in[D][H][W], out[D][H][W] = {0};
	CUcontext c = begin();
	CUarray a;
	const CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = W, .Height = H, .Depth = D,
					      .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};

	(void)state;
	for (uint32_t i = 0; i < W * H * D; i++)
		((uint32_t *)in)[i] = i * 2654435761u;
	OK(cuArray3DCreate(&a, &desc));

	CUDA_MEMCPY3D to = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = W * 4, .srcHeight = H,
			    .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = a, .WidthInBytes = W * 4, .Height = H,
			    .Depth = D};
	CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = a, .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = out, .dstPitch = W * 4, .dstHeight = H, .WidthInBytes = W * 4, .Height = H,
			      .Depth = D};

	OK(cuMemcpy3D(&to));
	OK(cuMemcpy3D(&back));
	assert_memory_equal(in, out, sizeof(in));
	back.srcZ = 1;
	assert_int_equal(cuMemcpy3D(&back), CUDA_ERROR_INVALID_VALUE);
	OK(cuArrayDestroy(a));
	OK(cuCtxDestroy(c));
}

/* Memory and arrays begin on pages of run.allocation_bytes, 2 MB unless set. */
static void allocations_begin_pages(void **state)
{
	enum { PAGE_BYTES = 2 << 20 };
	const CUDA_ARRAY_DESCRIPTOR desc = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	CUcontext c = begin();
	CUdeviceptr first, last;
	CUarray between;

	(void)state;
	OK(cuMemAlloc(&first, 16));
	OK(cuArrayCreate(&between, &desc));
	OK(cuMemAlloc(&last, 16));
	assert_int_equal(first % PAGE_BYTES, 0);
	assert_int_equal(last - first, 2 * PAGE_BYTES);
	OK(cuCtxDestroy(c));
}

static void fills(void **state)
{
	uint16_t got[64];
	CUcontext c = begin();
	CUdeviceptr d;

	(void)state;
	OK(cuMemAlloc(&d, sizeof(got)));
	OK(cuMemsetD32(d, 0x00020001, 32));
	OK(cuMemsetD2D16(d, 32, 9, 3, 4));
	OK(cuMemcpyDtoH(got, d, sizeof(got)));
	for (int i = 0; i < 64; i++)
		assert_int_equal(got[i], i % 16 < 3 ? 9 : 1 + i % 2);
	OK(cuCtxDestroy(c));
}

static void pointers(void **state)
{
	CUcontext c = begin(), owner;
	CUdeviceptr d, base, m;
	size_t bytes;
	unsigned int type;
	int is_managed;
	char host[64];

	(void)state;
	OK(cuMemAlloc(&d, 1000));
	OK(cuMemGetAddressRange(&base, &bytes, d + 999));
	assert_int_equal(base, d);
	assert_int_equal(bytes, 1000);
	OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d));
	assert_ptr_equal(owner, c);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
	assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
	OK(cuMemAllocManaged(&m, 64, CU_MEM_ATTACH_GLOBAL));
	OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
	assert_int_equal(is_managed, 1);
	memset((void *)m, 5, 64);
	OK(cuMemcpy(d, m, 64));
	OK(cuMemcpy((CUdeviceptr)host, d, 64));
	assert_int_equal(host[63], 5);
	OK(cuCtxDestroy(c));
}

static int prefetched_to(CUdeviceptr address)
{
	int device;

	OK(cuMemRangeGetAttribute(&device, sizeof(device), CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, address, 1));
	return device;
}

static void managed_batches(void **state)
{
	CUcontext c = begin();
	CUmemLocation to[] = {{CU_MEM_LOCATION_TYPE_HOST, 0}, {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	size_t sizes[] = {64, 64, 64}, first[] = {0, 1}, both_first[] = {0, 0}, late[] = {0, 3};
	CUdeviceptr m[3], d, mixed[3];
	CUstream s;

	(void)state;
	for (int i = 0; i < 3; i++)
		OK(cuMemAllocManaged(&m[i], 64, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAlloc(&d, 64));
	OK(cuStreamCreate(&s, CU_STREAM_DEFAULT));
	OK(cuMemPrefetchBatchAsync(m, sizes, 3, to, first, 2, 0, s));
	assert_int_equal(prefetched_to(m[0]), CU_DEVICE_CPU);
	assert_int_equal(prefetched_to(m[1]), 0);
	assert_int_equal(prefetched_to(m[2]), 0);
	OK(cuMemDiscardBatchAsync(m, sizes, 3, 0, s));
	OK(cuMemDiscardAndPrefetchBatchAsync(m, sizes, 3, to, first, 1, 0, CU_STREAM_PER_THREAD));
	assert_int_equal(prefetched_to(m[2]), CU_DEVICE_CPU);
	/* All or nothing: one of the ranges is not managed. */
	memcpy(mixed, m, sizeof(mixed));
	mixed[2] = d;
	assert_int_equal(cuMemPrefetchBatchAsync(mixed, sizes, 3, &to[1], first, 1, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemDiscardBatchAsync(mixed, sizes, 3, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(prefetched_to(m[0]), CU_DEVICE_CPU);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, both_first, 2, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, late, 2, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, &first[1], 1, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, first, 0, 0, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, first, 2, 1, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, first, 2, 0, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemDiscardBatchAsync(m, sizes, 3, 0, CU_STREAM_LEGACY), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemDiscardBatchAsync(m, sizes, 0, 0, s), CUDA_ERROR_INVALID_VALUE);
	to[1].id = 1;
	assert_int_equal(cuMemPrefetchBatchAsync(m, sizes, 3, to, first, 2, 0, s), CUDA_ERROR_INVALID_DEVICE);
	OK(cuCtxDestroy(c));
}

static void pools_by_location(void **state)
{
	CUcontext c = begin();
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, other = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
	CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device};
	CUmemoryPool dflt, own, got;

	(void)state;
	OK(cuDeviceGetDefaultMemPool(&dflt, 0));
	OK(cuMemGetDefaultMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
	assert_ptr_equal(got, dflt);
	OK(cuMemPoolCreate(&own, &props));
	OK(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, own));
	OK(cuMemGetMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
	assert_ptr_equal(got, own);
	OK(cuDeviceGetMemPool(&got, 0));
	assert_ptr_equal(got, own);
	assert_int_equal(cuMemGetMemPool(&got, &other, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(cuMemGetMemPool(&got, NULL, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemGetMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_INVALID), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemGetDefaultMemPool(&got, &host, CU_MEM_ALLOCATION_TYPE_PINNED),
			 CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(cuMemGetMemPool(&got, &device, CU_MEM_ALLOCATION_TYPE_MANAGED), CUDA_ERROR_NOT_SUPPORTED);
	OK(cuCtxDestroy(c));
}

/* ---- modules and launches ---- */

static void both_argument_forms(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "store");
	CUdeviceptr d;
	uint32_t got[32], add = 100;
	struct {
		CUdeviceptr p;
		uint32_t add;
	} packed;
	size_t size = sizeof(packed);
	void *params[] = {&d, &add};
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 CU_LAUNCH_PARAM_END};

	(void)state;
	OK(cuMemAlloc(&d, sizeof(got)));
	OK(launch1(f, 32, params));
	OK(cuMemcpyDtoH(got, d, sizeof(got)));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(got[i], 100 + i);
	packed.p = d;
	packed.add = 200;
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	OK(cuMemcpyDtoH(got, d, sizeof(got)));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(got[i], 200 + i);
	OK(cuCtxDestroy(c));
}

static void globals(void **state)
{
	CUcontext c = begin();
	CUmodule m;
	CUdeviceptr d;
	size_t bytes;
	uint32_t got[4];

	(void)state;
	OK(cuModuleLoadData(&m, PTX_KERNELS));
	OK(cuModuleGetGlobal(&d, &bytes, m, "table"));
	assert_int_equal(bytes, 16);
	OK(cuMemcpyDtoH(got, d, bytes));
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(got[i], i + 1);
	assert_int_equal(cuMemFree(d), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxDestroy(c));
}

static void jit_log(void **state)
{
	char log[512] = "";
	CUcontext c = begin();
	CUmodule m;
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof(log)};
	struct capture err = capture_begin(STDERR_FILENO);
	CUresult result = cuModuleLoadDataEx(&m, PTX_HEAD ".visible .entry k()\n{\n add.u32 %r1, 2;\n}\n", 2, options,
					     values);
	char *text = capture_end(&err);

	(void)state;
	assert_int_equal(result, CUDA_ERROR_INVALID_PTX);
	assert_string_equal(text, "");
	assert_non_null(strstr(log, ".ptx:6:"));
	assert_non_null(strstr(log, "error"));
	assert_int_equal((size_t)values[1], strlen(log));
	free(text);
	OK(cuCtxDestroy(c));
}

static void unsupported_instruction(void **state)
{
	CUcontext c = begin();
	CUmodule m;
	CUfunction bad, good;
	CUdeviceptr d;
	uint32_t add = 0;
	void *params[] = {&d, &add};

	(void)state;
	OK(cuModuleLoadData(&m, PTX_KERNELS ".visible .entry bad()\n{\n .reg .b32 %r<2>;\n"
					    " wgmma.fence.sync.aligned;\n ret;\n}\n"));
	OK(cuModuleGetFunction(&bad, m, "bad"));
	OK(cuModuleGetFunction(&good, m, "store"));

	struct capture err = capture_begin(STDERR_FILENO);
	CUresult first = launch1(bad, 32, NULL), second = launch1(bad, 32, NULL);
	char *text = capture_end(&err);

	assert_int_equal(first, CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(second, CUDA_ERROR_NOT_SUPPORTED);
	assert_non_null(strstr(text, "wgmma"));
	free(text);
	OK(cuMemAlloc(&d, 128));
	OK(launch1(good, 32, params));
	OK(cuCtxDestroy(c));
}

static void printed_text(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(
		PTX_HEAD ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
			 ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
			 ".visible .entry k()\n{\n .reg .b64 %rd<3>;\n .reg .b32 %r<2>;\n"
			 " mov.u64 %rd1, text;\n cvta.global.u64 %rd2, %rd1;\n"
			 " { .param .b64 p0;\n st.param.b64 [p0], %rd2;\n .param .b64 p1;\n st.param.b64 [p1], 0;\n"
			 " .param .b32 r0;\n call.uni (r0), vprintf, (p0, p1);\n ld.param.b32 %r1, [r0]; }\n ret;\n}\n",
		"k");
	struct capture out = capture_begin(STDOUT_FILENO);
	CUresult result = launch1(f, 2, NULL);
	char *text = capture_end(&out);

	(void)state;
	assert_int_equal(result, CUDA_SUCCESS);
	assert_string_equal(text, "hi\nhi\n");
	free(text);
	OK(cuCtxDestroy(c));
}

static void illegal_address(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "wild");
	CUdeviceptr d, p;
	void *params[] = {&p};

	(void)state;
	OK(cuMemAlloc(&d, 100));
	p = d + (1 << 20);

	struct capture err = capture_begin(STDERR_FILENO);
	CUresult result = launch1(f, 1, params);
	char *text = capture_end(&err);

	assert_int_equal(result, CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_non_null(strstr(text, "kernel wild"));
	assert_non_null(strstr(text, "thread"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
	free(text);
	/* The context is dead, and says so, until it is destroyed; the process and a new context live. */
	assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_int_equal(cuMemAlloc(&d, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_int_equal(launch1(f, 1, params), CUDA_ERROR_ILLEGAL_ADDRESS);
	OK(cuCtxDestroy(c));
	c = begin();
	f = kernel(PTX_KERNELS, "wild");
	OK(cuMemAlloc(&p, 4));
	OK(launch1(f, 1, params));
	OK(cuCtxDestroy(c));
}

/* ---- time ---- */

static void event_times(void **state)
{
	enum { BYTES = 1 << 20 };
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "store");
	CUevent e[4];
	CUdeviceptr d;
	uint32_t add = 0;
	void *params[] = {&d, &add}, *host = calloc(1, BYTES);
	float ms;

	(void)state;
	OK(cuMemAlloc(&d, BYTES));
	for (int i = 0; i < 4; i++)
		OK(cuEventCreate(&e[i], 0));
	OK(cuEventRecord(e[0], NULL));
	OK(cuMemcpyHtoD(d, host, BYTES));
	OK(cuEventRecord(e[1], CU_STREAM_PER_THREAD));
	OK(launch1(f, 32, params));
	OK(cuEventRecord(e[2], NULL));
	OK(cuEventRecord(e[3], NULL));
	OK(cuEventSynchronize(e[3]));
	/* A copy from pageable memory takes the set-up time and its bytes at 4 GB/s, 1 us + 262.144 us; its call 2 us,
	 * the event's 0.5 us. */
	OK(cuEventElapsedTime(&ms, e[0], e[1]));
	assert_true(ms > 0.26564f && ms < 0.26565f);
	/* A launch takes 5 us and the kernel's time. */
	OK(cuEventElapsedTime(&ms, e[1], e[2]));
	assert_true(ms > 0.005f && ms < 0.02f);
	OK(cuEventElapsedTime(&ms, e[2], e[3]));
	assert_true(ms == 0.0f);
	OK(cuEventElapsedTime(&ms, e[1], e[0]));
	assert_true(ms < 0.0f);
	free(host);
	OK(cuCtxDestroy(c));
}

static void count_call(void *count)
{
	CUdeviceptr p;

	++*(int *)count;
	assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_PERMITTED);
}

static void host_functions(void **state)
{
	CUcontext c = begin();
	CUstream s;
	int count = 0;

	(void)state;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuLaunchHostFunc(s, count_call, &count));
	OK(cuStreamSynchronize(s));
	assert_int_equal(count, 1);
	OK(cuStreamQuery(s));
	OK(cuCtxDestroy(c));
}

/* ---- threads and processes ---- */

/* A host function that runs until another thread has destroyed what it was given to. */
static struct {
	CUcontext c;
	CUstream s;
	sem_t begun, destroyed;
} outlived;

static void outlive(void *unused)
{
	(void)unused;
	sem_post(&outlived.begun);
	sem_wait(&outlived.destroyed);
}

static void call_back(CUstream s, CUresult result, void *unused)
{
	(void)s;
	(void)result;
	outlive(unused);
}

static void *destroy_stream(void *unused)
{
	OK(cuCtxSetCurrent(outlived.c));
	sem_wait(&outlived.begun);
	OK(cuStreamDestroy(outlived.s));
	sem_post(&outlived.destroyed);
	return unused;
}

static void *destroy_context(void *unused)
{
	sem_wait(&outlived.begun);
	OK(cuCtxDestroy(outlived.c));
	sem_post(&outlived.destroyed);
	return unused;
}

static void host_functions_outlive_their_stream(void **state)
{
	static void *(*const destroy[])(void *) = {destroy_stream, destroy_context};
	pthread_t t;

	(void)state;
	for (int i = 0; i < 4; i++) {
		outlived.c = begin();
		sem_init(&outlived.begun, 0, 0);
		sem_init(&outlived.destroyed, 0, 0);
		OK(cuStreamCreate(&outlived.s, i & 1 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
		assert_int_equal(pthread_create(&t, NULL, destroy[i / 2], NULL), 0);
		if (i & 1)
			OK(cuStreamAddCallback(outlived.s, call_back, NULL, 0));
		else
			OK(cuLaunchHostFunc(outlived.s, outlive, NULL));
		pthread_join(t, NULL);
		if (destroy[i / 2] == destroy_stream)
			OK(cuCtxDestroy(outlived.c));
	}
}

static void *work_in_thread(void *arg)
{
	CUcontext c, current;
	CUdeviceptr d;
	uint32_t got[32], add = *(uint32_t *)arg;
	void *params[] = {&d, &add};

	OK(cuCtxGetCurrent(&current));
	assert_null(current);
	c = begin();

	CUfunction f = kernel(PTX_KERNELS, "store");

	for (int i = 0; i < 20; i++) {
		OK(cuMemAlloc(&d, sizeof(got)));
		OK(launch1(f, 32, params));
		OK(cuMemcpyDtoH(got, d, sizeof(got)));
		assert_int_equal(got[31], add + 31);
		OK(cuMemFree(d));
	}
	OK(cuCtxDestroy(c));
	return NULL;
}

static void two_threads(void **state)
{
	pthread_t t[2];
	uint32_t add[2] = {1000, 2000};

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, work_in_thread, &add[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static volatile bool is_over;

static void *launch_on(void *arg)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "small");

	while (!is_over)
		OK(launch1(f, 64, NULL));
	OK(cuCtxDestroy(c));
	return arg;
}

/* The driver is not there after a fork: no call of the child hangs, although the lock may be that of a thread which it
 * does not have. */
static void forked_child(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "small");
	pthread_t t;
	int status;

	(void)state;
	is_over = false;
	assert_int_equal(pthread_create(&t, NULL, launch_on, NULL), 0);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			CUdeviceptr p;
			bool is_refused;

			alarm(20);
			is_refused = cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED &&
				     launch1(f, 64, NULL) == CUDA_ERROR_NOT_INITIALIZED;
			_exit(is_refused && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
		}
		waitpid(child, &status, 0);
		assert_int_equal(status, 0);
	}
	is_over = true;
	pthread_join(t, NULL);
	OK(cuCtxDestroy(c));
}

/* A signal ends a child as if the driver were not there. */
static void signalled_child(void **state)
{
	CUcontext c = begin();
	int status;

	(void)state;

	pid_t child = fork();

	if (!child) {
		alarm(5);
		for (;;)
			pause();
	}
	assert_int_equal(kill(child, SIGTERM), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	OK(cuCtxDestroy(c));
}

/* ---- resources ---- */

static void occupancy(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "shared");
	int n, slots, per_sm, block, grid, sms;
	size_t bytes;

	(void)state;
	OK(cuDeviceGetAttribute(&slots, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 0));
	OK(cuDeviceGetAttribute(&per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0));
	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 32, 0));
	assert_int_equal(n, slots);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 32, 8192));
	assert_int_equal(n, per_sm / (4096 + 8192));
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, n, 32));
	assert_true(bytes >= 8192);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, block, 0));
	assert_int_equal(grid, n * sms);
	/* The dispatcher's rule is the same: exactly this many CTAs make a cooperative grid. */
	OK(cuLaunchCooperativeKernel(f, (unsigned int)grid, 1, 1, (unsigned int)block, 1, 1, 0, NULL, NULL));
	assert_int_equal(cuLaunchCooperativeKernel(f, (unsigned int)grid + 1, 1, 1, (unsigned int)block, 1, 1, 0, NULL,
						   NULL),
			 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
	assert_int_equal(n, 4096);
	OK(cuCtxDestroy(c));
}

static void context_frees_all(void **state)
{
	size_t before, after, total;
	CUcontext c = begin();
	CUdeviceptr d;

	(void)state;
	OK(cuMemGetInfo(&before, &total));
	OK(cuCtxDestroy(c));
	c = begin();
	OK(cuMemAlloc(&d, 1 << 20));
	kernel(PTX_KERNELS, "store");
	OK(cuCtxDestroy(c));
	c = begin();
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_boxes),	       cmocka_unit_test(arrays_and_slices),
		cmocka_unit_test(allocations_begin_pages),
		cmocka_unit_test(fills),	       cmocka_unit_test(pointers),
		cmocka_unit_test(managed_batches),     cmocka_unit_test(pools_by_location),
		cmocka_unit_test(both_argument_forms), cmocka_unit_test(globals),
		cmocka_unit_test(jit_log),	       cmocka_unit_test(unsupported_instruction),
		cmocka_unit_test(printed_text),
		cmocka_unit_test(illegal_address),     cmocka_unit_test(event_times),
		cmocka_unit_test(host_functions),      cmocka_unit_test(host_functions_outlive_their_stream),
		cmocka_unit_test(two_threads),
		cmocka_unit_test(forked_child),        cmocka_unit_test(signalled_child),
		cmocka_unit_test(occupancy),
		cmocka_unit_test(context_frees_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
