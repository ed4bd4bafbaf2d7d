/* test_untimed.c - what the driver says of kernels in a session that computes values only. */
#include "common.h"

enum { LIVE = 160, SM_REGISTERS = 32768, LANES = 32, CTA_MAX = 1024, UNIT = 8 /* per thread, of an allocation */ };

static const char session[] = "machine = test\nrun.mode = functional\nsm.register_count = 32768\n";

/* sum: p[LIVE] = p[0] * p[LIVE - 1] + p[1] * p[LIVE - 2] + ..., with LIVE values live at once. */
static char *text_of_sum(void)
{
	char *text = malloc(200 + LIVE * 100), *at = text;

	at += sprintf(at, PTX_HEAD ".visible .entry sum(.param .u64 p)\n{\n .reg .b64 %%d;\n .reg .b32 %%r<%d>;\n"
				   " ld.param.u64 %%d, [p];\n mov.u32 %%r%d, 0;\n", LIVE + 1, LIVE);
	for (int i = 0; i < LIVE; i++)
		at += sprintf(at, " ld.global.u32 %%r%d, [%%d+%d];\n", i, 4 * i);
	for (int i = 0; i < LIVE; i++)
		at += sprintf(at, " mad.lo.u32 %%r%d, %%r%d, %%r%d, %%r%d;\n", LIVE, i, LIVE - 1 - i, LIVE);
	sprintf(at, " st.global.u32 [%%d+%d], %%r%d;\n ret;\n}\n", 4 * LIVE, LIVE);
	return text;
}

static uint32_t sum_of(CUfunction f, unsigned int threads)
{
	uint32_t in[LIVE + 1], got;
	CUdeviceptr p;
	void *params[] = {&p};

	for (uint32_t i = 0; i <= LIVE; i++)
		in[i] = i;
	OK(cuMemAlloc(&p, sizeof(in)));
	OK(cuMemcpyHtoD(p, in, sizeof(in)));
	OK(launch1(f, threads, params));
	OK(cuMemcpyDtoH(&got, p + 4 * LIVE, 4));
	OK(cuMemFree(p));
	return got;
}

/* GCC's run-time library divides an SM's registers by these two: a product above them gives it no CTA at all. */
static void registers_and_threads_agree(void **state)
{
	CUcontext c = begin();
	char *text = text_of_sum();
	CUfunction f = kernel(text, "sum");
	int registers, threads;

	(void)state;
	OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
	OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
	assert_int_equal(threads, CTA_MAX); /* which the kernel reaches by spilling */
	assert_true(registers > 0 && registers * threads <= SM_REGISTERS);
	assert_true((registers + UNIT) * (threads + LANES) > SM_REGISTERS);
	free(text);
	OK(cuCtxDestroy(c));
}

/* A launch that wants more is not refused: it spills. */
static void more_threads_run(void **state)
{
	CUcontext c = begin();
	char *text = text_of_sum();
	CUfunction f = kernel(text, "sum");
	uint32_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < LIVE; i++)
		sum += i * (LIVE - 1 - i);
	assert_int_equal(sum_of(f, CTA_MAX), sum);
	free(text);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_and_threads_agree),
		cmocka_unit_test(more_threads_run),
	};
	char path[] = "strata-test-session-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	fputs(session, f);
	fclose(f);
	setenv("STRATA_SESSION", path, 1);
	cuInit(0);
	unlink(path);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
