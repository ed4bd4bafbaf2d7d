/* Simulated time of whole programs as the driver's calls show it: with round costs every figure has a closed form.
 *
 * With the argument "measured" only what host.code = measured adds is tested: the session is the process's.
 */
#include <pthread.h>
#include <time.h>

#include "common.h"

/* us: a call 1, giving work 2, starting a kernel 4, a copy's set-up 10, a host function 50; one byte 1 ns over the
 * wires and 2 ns through a staging buffer. */
static const char session[] = "machine = test\nhost.call_ps = 1us\nhost.issue_ps = 2us\nhost.launch_ps = 4us\n"
			      "host.alloc_ps = 7us\nhost.callback_ps = 50us\nhost.pcie_latency_ps = 10us\n"
			      "host.pcie_bandwidth_mbytes_per_s = 1000\nhost.pcie_overhead_bytes = 0\n"
			      "host.memcpy_mbytes_per_s = 500\n"
			      "gpu.child_issue_ps = 1ms\ngpu.child_launch_ps = 10ms\n";

enum { BYTES = 100000, CALL_US = 1, ISSUE_US = 2, START_US = 4, COPY_US = 110, STAGED_US = 210 };

struct rig {
	CUcontext c;
	CUstream s[2], apart; /* two blocking streams and one that is not */
	CUevent e[4];
	CUdeviceptr d[2];
	void *pinned[2], *pageable;
};

static struct rig rig_begin(void)
{
	struct rig r = {.c = begin(), .pageable = calloc(1, BYTES)};

	for (int i = 0; i < 2; i++) {
		OK(cuStreamCreate(&r.s[i], CU_STREAM_DEFAULT));
		OK(cuMemAlloc(&r.d[i], BYTES));
		OK(cuMemHostAlloc(&r.pinned[i], BYTES, 0));
		memset(r.pinned[i], i, BYTES);
	}
	OK(cuStreamCreate(&r.apart, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 4; i++)
		OK(cuEventCreate(&r.e[i], 0));
	return r;
}

static void rig_end(struct rig *r)
{
	free(r->pageable);
	OK(cuCtxDestroy(r->c));
}

/* Time between two events, which is expected to be so long, in us. */
static void expect_us(CUevent from, CUevent to, double us)
{
	float ms;

	OK(cuEventSynchronize(from));
	OK(cuEventSynchronize(to));
	OK(cuEventElapsedTime(&ms, from, to));
	if (ms * 1e3 < us - 1e-3 || ms * 1e3 > us + 1e-3)
		fail_msg("%g us, expected %g", ms * 1e3, us);
}

/* Records an event where the host stands: in a stream without work. */
static void mark(struct rig *r, CUevent e)
{
	CUstream idle;

	OK(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
	OK(cuEventRecord(e, idle));
	OK(cuStreamDestroy(idle));
	(void)r;
}

static void synchronous_copies(void **state)
{
	struct rig r = rig_begin();

	(void)state;
	OK(cuEventRecord(r.e[0], NULL));
	OK(cuMemcpyHtoD(r.d[0], r.pinned[0], BYTES));
	OK(cuEventRecord(r.e[1], NULL));
	OK(cuMemcpyDtoH(r.pageable, r.d[0], BYTES));
	OK(cuEventRecord(r.e[2], NULL));
	OK(cuMemcpyDtoD(r.d[1], r.d[0], BYTES));
	mark(&r, r.e[3]);
	expect_us(r.e[0], r.e[1], CALL_US + ISSUE_US + COPY_US + CALL_US);
	expect_us(r.e[1], r.e[2], CALL_US + ISSUE_US + STAGED_US + CALL_US);
	/* Nobody waits for a copy inside the device. Two calls more: the stream of mark, and its event. */
	expect_us(r.e[2], r.e[3], CALL_US + ISSUE_US + 2 * CALL_US);
	rig_end(&r);
}

static void asynchronous_copies(void **state)
{
	struct rig r = rig_begin();

	(void)state;
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	mark(&r, r.e[1]);
	OK(cuEventRecord(r.e[2], r.s[0]));
	assert_int_equal(cuEventQuery(r.e[2]), CUDA_ERROR_NOT_READY);
	assert_int_equal(cuStreamQuery(r.s[0]), CUDA_ERROR_NOT_READY);
	OK(cuEventQuery(r.e[1]));
	OK(cuStreamQuery(r.s[1]));
	expect_us(r.e[0], r.e[1], CALL_US + ISSUE_US + 2 * CALL_US);
	expect_us(r.e[0], r.e[2], CALL_US + ISSUE_US + COPY_US);
	OK(cuStreamQuery(r.s[0]));
	/* From pageable memory the call returns after the copy. */
	OK(cuMemcpyHtoDAsync(r.d[0], r.pageable, BYTES, r.s[0]));
	OK(cuStreamQuery(r.s[0]));
	/* So it does when the memory is marked. */
	OK(cuPointerSetAttribute(&(int){1}, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, r.d[0]));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	OK(cuStreamQuery(r.s[0]));
	rig_end(&r);
}

static void unfinished_events_have_no_time(void **state)
{
	struct rig r = rig_begin();
	float ms;

	(void)state;
	OK(cuEventQuery(r.e[0])); /* never recorded */
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	OK(cuEventRecord(r.e[1], r.s[0]));
	assert_int_equal(cuEventElapsedTime(&ms, r.e[0], r.e[1]), CUDA_ERROR_NOT_READY);
	OK(cuStreamSynchronize(r.s[0]));
	OK(cuEventElapsedTime(&ms, r.e[0], r.e[1]));
	rig_end(&r);
}

static void polling_ends(void **state)
{
	struct rig r = rig_begin();
	int polls = 0;

	(void)state;
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	while (cuStreamQuery(r.s[0]) == CUDA_ERROR_NOT_READY)
		polls++;
	/* Each takes a call's time; the one that sees the end is none of them. */
	assert_int_equal(polls, COPY_US / CALL_US - 1);
	rig_end(&r);
}

/* The time of two pinned copies, one each way, from the first call to the later end. */
static void two_copies(struct rig *r, CUstream first, CUstream second, double us)
{
	OK(cuCtxSynchronize());
	OK(cuEventRecord(r->e[0], r->apart));
	OK(cuMemcpyHtoDAsync(r->d[0], r->pinned[0], BYTES, first));
	OK(cuMemcpyDtoHAsync(r->pinned[1], r->d[1], BYTES, second));
	OK(cuEventRecord(r->e[1], second));
	expect_us(r->e[0], r->e[1], us);
}

static void streams_and_default_streams(void **state)
{
	const double given = CALL_US + ISSUE_US;
	struct rig r = rig_begin();

	(void)state;
	two_copies(&r, r.s[0], r.s[1], 2 * given + COPY_US);
	two_copies(&r, r.s[0], r.s[0], given + 2 * COPY_US);
	two_copies(&r, r.s[0], NULL, given + 2 * COPY_US);
	two_copies(&r, CU_STREAM_LEGACY, r.s[0], given + 2 * COPY_US);
	two_copies(&r, r.apart, NULL, 2 * given + COPY_US);
	two_copies(&r, CU_STREAM_LEGACY, r.apart, 2 * given + COPY_US);
	two_copies(&r, CU_STREAM_PER_THREAD, r.s[0], 2 * given + COPY_US);
	two_copies(&r, CU_STREAM_PER_THREAD, NULL, given + 2 * COPY_US);
	rig_end(&r);
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr destination, const void *source, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoH_v2_ptds(void *destination, CUdeviceptr source, size_t bytes);
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);

static void names_with_a_default_stream_per_thread(void **state)
{
	struct rig r = rig_begin();

	(void)state;
	OK(cuMemcpyHtoDAsync(r.d[1], r.pinned[1], BYTES, r.s[0]));
	OK(cuEventRecord_ptsz(r.e[0], NULL));
	OK(cuMemcpyDtoH_v2_ptds(r.pinned[0], r.d[0], BYTES));
	OK(cuEventRecord_ptsz(r.e[1], NULL));
	/* Beside the other stream's copy; the legacy stream would have waited for it. */
	expect_us(r.e[0], r.e[1], CALL_US + ISSUE_US + COPY_US + CALL_US);
	rig_end(&r);
}

static void kernels_and_copies(void **state)
{
	struct rig r = rig_begin();
	CUfunction f = kernel(PTX_KERNELS, "store");
	uint32_t add = 1;
	void *params[] = {&r.d[1], &add};
	float kernel_ms, both_ms;

	(void)state;
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, r.s[0], params, NULL));
	OK(cuEventRecord(r.e[1], r.s[0]));
	OK(cuEventSynchronize(r.e[1]));
	OK(cuEventElapsedTime(&kernel_ms, r.e[0], r.e[1]));
	assert_true(kernel_ms * 1e3 > CALL_US + ISSUE_US + START_US);
	assert_true(kernel_ms * 1e3 < CALL_US + ISSUE_US + START_US + 10);
	/* Under a longer copy the kernel takes no time of its own: the copy's end counts. */
	OK(cuEventRecord(r.e[0], r.apart));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[1]));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, r.s[0], params, NULL));
	OK(cuEventRecord(r.e[1], r.s[0]));
	OK(cuEventRecord(r.e[2], NULL));
	expect_us(r.e[0], r.e[2], CALL_US + ISSUE_US + COPY_US);
	OK(cuEventElapsedTime(&both_ms, r.e[0], r.e[1]));
	assert_true(both_ms * 1e3 < COPY_US / 2);
	rig_end(&r);
}

static void events_join_streams(void **state)
{
	struct rig r = rig_begin();

	(void)state;
	OK(cuEventRecord(r.e[0], r.apart));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	OK(cuEventRecord(r.e[1], r.s[0]));
	OK(cuStreamWaitEvent(r.apart, r.e[1], 0));
	OK(cuMemcpyDtoHAsync(r.pinned[1], r.d[1], BYTES, r.apart));
	OK(cuEventRecord(r.e[2], r.apart));
	expect_us(r.e[0], r.e[2], CALL_US + ISSUE_US + 2 * COPY_US);
	/* Waiting for an event that was never recorded is waiting for nothing. */
	OK(cuStreamWaitEvent(r.s[0], r.e[3], 0));
	OK(cuStreamQuery(r.s[0]));
	rig_end(&r);
}

static void count_call(void *count)
{
	++*(int *)count;
}

static void host_functions_take_their_place(void **state)
{
	struct rig r = rig_begin();
	int count = 0;

	(void)state;
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	OK(cuLaunchHostFunc(r.s[0], count_call, &count));
	OK(cuEventRecord(r.e[1], r.s[0]));
	expect_us(r.e[0], r.e[1], CALL_US + ISSUE_US + COPY_US + 50);
	assert_int_equal(count, 1);
	rig_end(&r);
}

static void freeing_waits_and_pools_do_not(void **state)
{
	struct rig r = rig_begin();
	CUdeviceptr pooled;

	(void)state;
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuMemcpyHtoDAsync(r.d[0], r.pinned[0], BYTES, r.s[0]));
	OK(cuMemAllocAsync(&pooled, 64, r.s[0]));
	OK(cuMemFreeAsync(pooled, r.s[0]));
	mark(&r, r.e[1]);
	OK(cuMemFree(r.d[1]));
	mark(&r, r.e[2]);
	expect_us(r.e[0], r.e[1], CALL_US + ISSUE_US + 4 * CALL_US);
	expect_us(r.e[0], r.e[2], CALL_US + ISSUE_US + COPY_US + 2 * CALL_US);
	OK(cuEventRecord(r.e[0], NULL));
	OK(cuMemAlloc(&r.d[1], 64));
	mark(&r, r.e[1]);
	expect_us(r.e[0], r.e[1], CALL_US + 7 + 2 * CALL_US);
	rig_end(&r);
}

static void *record_in_thread(void *arg)
{
	struct rig *r = arg;

	OK(cuCtxSetCurrent(r->c));
	OK(cuEventRecord(r->e[1], r->s[1]));
	OK(cuMemcpyHtoD(r->d[0], r->pinned[0], BYTES));
	return NULL;
}

static void threads_have_clocks(void **state)
{
	struct rig r = rig_begin();
	pthread_t thread;

	(void)state;
	mark(&r, r.e[0]);
	assert_int_equal(pthread_create(&thread, NULL, record_in_thread, &r), 0);
	pthread_join(thread, NULL);
	mark(&r, r.e[2]);
	/* The thread begins where this one stands; what it waits for does not hold this one up. */
	expect_us(r.e[0], r.e[1], CALL_US);
	expect_us(r.e[0], r.e[2], 2 * CALL_US);
	/* Waiting for the same work brings the clocks together. */
	OK(cuCtxSynchronize());
	mark(&r, r.e[3]);
	expect_us(r.e[1], r.e[3], CALL_US + ISSUE_US + COPY_US + 2 * CALL_US);
	rig_end(&r);
}

static void pointer_attribute(void **state)
{
	struct rig r = rig_begin();
	int is_synchronous = 7;

	(void)state;
	OK(cuPointerGetAttribute(&is_synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, r.d[0]));
	assert_int_equal(is_synchronous, 0);
	OK(cuPointerSetAttribute(&(int){1}, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, r.d[0]));
	OK(cuPointerGetAttribute(&is_synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, r.d[0]));
	assert_int_equal(is_synchronous, 1);
	rig_end(&r);
}

/* ---- host.code = measured ---- */

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void code_between_calls_counts(void **state)
{
	struct rig r = rig_begin();
	float ms;

	(void)state;
	OK(cuEventRecord(r.e[0], NULL));

	double begin_us = cpu_us(), end_us;

	do
		end_us = cpu_us();
	while (end_us - begin_us < 3000);
	OK(cuEventRecord(r.e[1], NULL));
	OK(cuEventSynchronize(r.e[1]));
	OK(cuEventElapsedTime(&ms, r.e[0], r.e[1]));
	/* host.code_scale_percent = 1000: ten times what lies between the calls. */
	assert_true(ms * 1e3 >= 10 * (end_us - begin_us));
	rig_end(&r);
}

/* ---- kernels that launch kernels ---- */

/* parent(how, count) launches count times: leaf (how 0), or twig, which launches a leaf, all in the stream of the block
 * (how 1), or each in one of its own (how 2), or in one of its own that waits for the one before (how 3). */
#define LAUNCH(kernel)                                                                                                 \
	" mov.u64 %d1, " kernel ";\n st.param.b64 [f], %d1;\n"                                                         \
	" call (b), __cuda_syscall_cnpv2GetParameterBufferV2, (f, g, t, m);\n ld.param.b64 %d2, [b];\n"                \
	" st.param.b64 [f], %d2;\n st.param.b64 [s], %d3;\n"                                                           \
	" call (r), __cuda_syscall_cnpv2LaunchDeviceV2, (f, s);\n"
#define LAUNCHER                                                                                                       \
	" .reg .b64 %d<5>;\n .reg .b32 %r<4>;\n .reg .pred %p<5>;\n"                                                 \
	" .param .b64 f;\n .param .b64 s;\n .param .b64 b;\n"                                                       \
	" .param .b32 r;\n .param .b32 m;\n .param .align 4 .b8 g[12];\n .param .align 4 .b8 t[12];\n"                 \
	" st.param.b32 [g], 1;\n st.param.b32 [g+4], 1;\n st.param.b32 [g+8], 1;\n st.param.b32 [m], 0;\n"             \
	" st.param.b32 [t], 1;\n st.param.b32 [t+4], 1;\n st.param.b32 [t+8], 1;\n mov.u64 %d3, 0;\n"

static const char launching[] = PTX_HEAD
	".extern .func (.param .b64 b) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 f,\n"
	" .param .align 4 .b8 g[12], .param .align 4 .b8 t[12], .param .b32 m);\n"
	".extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
	".extern .func (.param .b32 r) __cuda_syscall_cnpv2StreamCreate(.param .b64 p, .param .b32 f);\n"
	".extern .func (.param .b32 r) __cuda_syscall_cnpv2EventCreate(.param .b64 p, .param .b32 f);\n"
	".extern .func (.param .b32 r) __cuda_syscall_cnpv2EventRecord(.param .b64 e, .param .b64 s);\n"
	".extern .func (.param .b32 r) __cuda_syscall_cnpv2StreamWaitEvent(.param .b64 s, .param .b64 e,\n"
	" .param .b32 f);\n"
	".global .align 8 .u64 stream;\n.global .align 8 .u64 event;\n"
	".visible .entry leaf()\n{\n ret;\n}\n"
	".visible .entry twig()\n{\n" LAUNCHER LAUNCH("leaf") " ret;\n}\n"
	".visible .entry parent(.param .u32 how, .param .u32 count)\n{\n" LAUNCHER
	" ld.param.u32 %r1, [how];\n ld.param.u32 %r2, [count];\n setp.eq.u32 %p1, %r1, 0;\n"
	" setp.lt.u32 %p2, %r1, 2;\n setp.ne.u32 %p3, %r1, 3;\n"
	" mov.u64 %d4, event;\n st.param.b64 [f], %d4;\n st.param.b32 [r], 2;\n"
	" call (m), __cuda_syscall_cnpv2EventCreate, (f, r);\n"
	"NEXT: st.param.b32 [m], 0;\n @%p2 bra GO;\n"
	" mov.u64 %d4, stream;\n st.param.b64 [f], %d4;\n st.param.b32 [r], 1;\n"
	" call (m), __cuda_syscall_cnpv2StreamCreate, (f, r);\n ld.global.u64 %d3, [stream];\n"
	" st.param.b32 [m], 0;\n @%p3 bra GO;\n"
	" ld.global.u64 %d4, [event];\n st.param.b64 [s], %d3;\n st.param.b64 [f], %d4;\n"
	" call (r), __cuda_syscall_cnpv2StreamWaitEvent, (s, f, m);\n"
	"GO: @%p1 bra LEAF;\n" LAUNCH("twig") " bra LAUNCHED;\nLEAF:\n" LAUNCH("leaf")
	"LAUNCHED: @%p3 bra COUNT;\n"
	" ld.global.u64 %d4, [event];\n st.param.b64 [s], %d3;\n st.param.b64 [f], %d4;\n"
	" call (r), __cuda_syscall_cnpv2EventRecord, (f, s);\n"
	"COUNT: sub.u32 %r2, %r2, 1;\n setp.ne.u32 %p4, %r2, 0;\n @%p4 bra NEXT;\n ret;\n}\n";

/* Milliseconds of a launch of parent, without those of the kernels, which are microseconds. */
static int family_ms(struct rig *r, CUfunction f, uint32_t how, uint32_t count)
{
	float ms;

	OK(cuEventRecord(r->e[0], r->apart));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, r->apart, (void *[]){&how, &count}, NULL));
	OK(cuEventRecord(r->e[1], r->apart));
	OK(cuEventSynchronize(r->e[1]));
	OK(cuEventElapsedTime(&ms, r->e[0], r->e[1]));
	return (int)ms;
}

static void kernels_launch_kernels(void **state)
{
	struct rig r = rig_begin();
	CUfunction f = kernel(launching, "parent");

	(void)state;
	/* Each is taken in after the one before; the last can begin 10 ms later. */
	assert_int_equal(family_ms(&r, f, 0, 1), 11);
	assert_int_equal(family_ms(&r, f, 0, 5), 15);
	/* The second twig waits for the leaf of the first, or does not. */
	assert_int_equal(family_ms(&r, f, 1, 2), 11 + 11 + 11);
	assert_int_equal(family_ms(&r, f, 2, 2), 11 + 1 + 11);
	assert_int_equal(family_ms(&r, f, 2, 4), 11 + 3 + 11);
	assert_int_equal(family_ms(&r, f, 3, 3), 11 + 11 + 11 + 11);
	rig_end(&r);
}

static void write_session(const char *more)
{
	char path[] = "strata-test-session-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fputs(session, f);
	fputs(more, f);
	fclose(f);
	setenv("STRATA_SESSION", path, 1);
	cuInit(0);
	unlink(path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronous_copies),
		cmocka_unit_test(asynchronous_copies),
		cmocka_unit_test(unfinished_events_have_no_time),
		cmocka_unit_test(polling_ends),
		cmocka_unit_test(streams_and_default_streams),
		cmocka_unit_test(names_with_a_default_stream_per_thread),
		cmocka_unit_test(kernels_and_copies),
		cmocka_unit_test(events_join_streams),
		cmocka_unit_test(host_functions_take_their_place),
		cmocka_unit_test(freeing_waits_and_pools_do_not),
		cmocka_unit_test(threads_have_clocks),
		cmocka_unit_test(pointer_attribute),
		cmocka_unit_test(kernels_launch_kernels),
	};
	const struct CMUnitTest measured[] = {cmocka_unit_test(code_between_calls_counts)};

	if (argc > 1 && !strcmp(argv[1], "measured")) {
		write_session("host.code = measured\nhost.code_scale_percent = 1000\n");
		return cmocka_run_group_tests(measured, NULL, NULL);
	}
	write_session("");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
