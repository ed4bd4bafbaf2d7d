/* test_link.c - cuLink*: objects in memory and in files, logs, the life of the image, mistakes. */
#include "common.h"

/* main writes twice(21) + base to p; twice and base are the other object's. */
#define MAIN_OBJECT                                                                                                    \
	PTX_HEAD ".extern .func (.param .u32 r) twice(.param .u32 a);\n.extern .global .u32 base;\n"                   \
		 ".visible .entry main(.param .u64 p)\n"                                                               \
		 "{\n .reg .b64 %d;\n .reg .b32 %r<3>;\n .param .u32 in, out;\n"                                       \
		 " st.param.u32 [in], 21;\n call (out), twice, (in);\n ld.param.u32 %r1, [out];\n"                     \
		 " ld.global.u32 %r2, [base];\n add.u32 %r1, %r1, %r2;\n ld.param.u64 %d, [p];\n"                      \
		 " st.global.u32 [%d], %r1;\n ret;\n}\n"
#define LIBRARY_OBJECT                                                                                                 \
	PTX_HEAD ".visible .global .u32 base = 100;\n"                                                                 \
		 ".visible .func (.param .u32 r) twice(.param .u32 a)\n"                                               \
		 "{\n .reg .b32 %r<3>;\n ld.param.u32 %r1, [a];\n add.u32 %r2, %r1, %r1;\n st.param.u32 [r], %r2;\n"   \
		 " ret;\n}\n"

static uint32_t run_main(const void *image)
{
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	uint32_t value = 0;
	void *params[] = {&p};

	OK(cuModuleLoadData(&m, image));
	OK(cuModuleGetFunction(&f, m, "main"));
	OK(cuMemAlloc(&p, 4));
	OK(launch1(f, 1, params));
	OK(cuMemcpyDtoH(&value, p, 4));
	OK(cuMemFree(p));
	OK(cuModuleUnload(m));
	return value;
}

static CUresult add(CUlinkState l, const char *text, size_t bytes, const char *name)
{
	return cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, bytes, name, 0, NULL, NULL);
}

static void two_objects(void **state)
{
	CUcontext c = begin();
	CUlinkState l;
	void *image, *again;
	size_t bytes, bytes_again;

	(void)state;
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), "main.o"));
	/* The size may leave the NUL out; the name may be missing. */
	OK(add(l, LIBRARY_OBJECT, strlen(LIBRARY_OBJECT), NULL));
	OK(cuLinkComplete(l, &image, &bytes));
	assert_int_equal(strlen(image) + 1, bytes);
	OK(cuLinkComplete(l, &again, &bytes_again));
	assert_ptr_equal(again, image);
	assert_int_equal(bytes_again, bytes);
	assert_int_equal(add(l, PTX_HEAD, sizeof(PTX_HEAD), "late"), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(run_main(image), 142);

	/* A copy of the image outlives the link, and can be linked again. */
	char *copy = malloc(bytes);

	memcpy(copy, image, bytes);
	OK(cuLinkDestroy(l));
	assert_int_equal(run_main(copy), 142);
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, copy, bytes, "linked before", 0, NULL, NULL));
	OK(add(l, PTX_HEAD ".visible .entry more() { ret; }\n", 100, "more"));
	OK(cuLinkComplete(l, &image, &bytes));
	assert_int_equal(run_main(image), 142);
	free(copy);
	OK(cuLinkDestroy(l));
	OK(cuCtxDestroy(c));
}

static void files(void **state)
{
	CUcontext c = begin();
	CUlinkState l;
	void *image;
	char path[] = "/tmp/strata-link-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, LIBRARY_OBJECT, strlen(LIBRARY_OBJECT)), strlen(LIBRARY_OBJECT));
	close(fd);
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddFile(l, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
	unlink(path);

	struct capture err = capture_begin(STDERR_FILENO);

	assert_int_equal(cuLinkAddFile(l, CU_JIT_INPUT_PTX, path, 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
	free(capture_end(&err));
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), "main.o"));
	OK(cuLinkComplete(l, &image, NULL));
	assert_int_equal(run_main(image), 142);
	OK(cuLinkDestroy(l));
	OK(cuCtxDestroy(c));
}

/* The PTX as the only entry of a fat binary, raw; size in *bytes. */
static unsigned char *fatbin_of(const char *text, size_t *bytes)
{
	const size_t length = strlen(text) + 1, padded = (length + 7) & ~(size_t)7;
	const uint16_t halves[] = {1, 16, 1, 0x101};
	const uint32_t magic = 0xba55ed50, entry_header = 64, sm = 70;
	const uint64_t content = 64 + padded, payload = padded;
	unsigned char *at = calloc(1, 80 + padded);

	memcpy(at, &magic, 4);
	memcpy(at + 4, halves, 4);
	memcpy(at + 8, &content, 8);
	memcpy(at + 16, halves + 2, 4);
	memcpy(at + 20, &entry_header, 4);
	memcpy(at + 24, &payload, 8);
	memcpy(at + 16 + 28, &sm, 4);
	memcpy(at + 80, text, length);
	*bytes = 80 + padded;
	return at;
}

static void fat_binaries(void **state)
{
	CUcontext c = begin();
	CUlinkState l;
	void *image;
	size_t bytes;
	unsigned char *library = fatbin_of(LIBRARY_OBJECT, &bytes);
	struct {
		uint32_t magic, version;
		void *container, *unused;
	} wrapper = {0x466243b1, 1, library, NULL};

	(void)state;
	for (int wrapped = 0; wrapped < 2; wrapped++) {
		OK(cuLinkCreate(0, NULL, NULL, &l));
		OK(cuLinkAddData(l, CU_JIT_INPUT_FATBINARY, wrapped ? (void *)&wrapper : library,
				 wrapped ? sizeof(wrapper) : bytes, "library", 0, NULL, NULL));
		OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), "main"));
		OK(cuLinkComplete(l, &image, NULL));
		assert_int_equal(run_main(image), 142);
		OK(cuLinkDestroy(l));
	}

	/* Without its end; half a wrapper. */
	struct capture err = capture_begin(STDERR_FILENO);

	OK(cuLinkCreate(0, NULL, NULL, &l));
	assert_int_equal(cuLinkAddData(l, CU_JIT_INPUT_FATBINARY, library, bytes - 8, "cut", 0, NULL, NULL),
			 CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(cuLinkAddData(l, CU_JIT_INPUT_FATBINARY, &wrapper, 8, "cut", 0, NULL, NULL),
			 CUDA_ERROR_INVALID_IMAGE);
	OK(cuLinkDestroy(l));

	char *text = capture_end(&err);

	assert_non_null(strstr(text, "cut: "));
	free(text);
	free(library);
	OK(cuCtxDestroy(c));
}

/* Options that ask for both logs, as the link state keeps them. */
struct logs {
	char info[256], error[512];
	CUjit_option options[4];
	void *values[4];
};

static void logs_init(struct logs *g)
{
	*g = (struct logs){
	    .options = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
			CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
	    .values = {g->info, (void *)sizeof(g->info), g->error, (void *)sizeof(g->error)}};
}

static void logs(void **state)
{
	CUcontext c = begin();
	CUlinkState l;
	struct logs g;
	void *image;

	(void)state;
	logs_init(&g);
	OK(cuLinkCreate(4, g.options, g.values, &l));
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), "main.o"));
	OK(add(l, LIBRARY_OBJECT, sizeof(LIBRARY_OBJECT), "library.o"));
	OK(cuLinkComplete(l, &image, NULL));
	assert_string_equal(g.info, "2 objects linked: 2 functions, 1 variables");
	assert_string_equal(g.error, "");
	assert_int_equal((size_t)g.values[1], strlen(g.info));
	OK(cuLinkDestroy(l));

	/* An object that does not parse, then a link that fails: both are in the log, and nothing goes to stderr. */
	struct capture err = capture_begin(STDERR_FILENO);

	logs_init(&g);
	OK(cuLinkCreate(4, g.options, g.values, &l));
	assert_int_equal(add(l, PTX_HEAD "bad\n", 100, "bad.o"), CUDA_ERROR_INVALID_PTX);
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), "main.o"));
	assert_int_equal(cuLinkComplete(l, &image, NULL), CUDA_ERROR_INVALID_PTX);
	assert_non_null(strstr(g.error, "bad.o:4:1: error: "));
	assert_non_null(strstr(g.error, "\nmain.o:12: error: 'twice', used by 'main', is not defined in any of"));
	assert_non_null(strstr(g.error, "\nmain.o:14: error: 'base', used by 'main', is not defined in any of"));
	assert_int_equal(cuLinkComplete(l, &image, NULL), CUDA_ERROR_INVALID_HANDLE);
	OK(cuLinkDestroy(l));

	char *text = capture_end(&err);

	assert_string_equal(text, "");
	free(text);
	OK(cuCtxDestroy(c));
}

/* many: 40 values of p are live at once; p[0] becomes the sum of p[i] * p[39 - i]. */
static char *many_registers(const char *name)
{
	char *text = malloc(16384), *at = text;

	at += sprintf(at, PTX_HEAD ".visible .entry %s(.param .u64 p)\n{\n .reg .b64 %%d;\n .reg .b32 %%r<42>;\n"
				   " ld.param.u64 %%d, [p];\n", name);
	for (int i = 0; i < 40; i++)
		at += sprintf(at, " ld.global.u32 %%r%d, [%%d+%d];\n", i, 4 * i);
	at += sprintf(at, " mov.u32 %%r40, 0;\n");
	for (int i = 0; i < 40; i++)
		at += sprintf(at, " mad.lo.u32 %%r40, %%r%d, %%r%d, %%r40;\n", i, 39 - i);
	sprintf(at, " st.global.u32 [%%d], %%r40;\n ret;\n}\n");
	return text;
}

static int attribute(CUfunction f, CUfunction_attribute a)
{
	int value = 0;

	OK(cuFuncGetAttribute(&value, a, f));
	return value;
}

static int registers(CUfunction f)
{
	return attribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS);
}

static void expect_right_sum(CUfunction f)
{
	uint32_t in[40], sum = 0, got;
	CUdeviceptr p;
	void *params[] = {&p};

	for (uint32_t i = 0; i < 40; i++)
		in[i] = i * i + 1;
	for (uint32_t i = 0; i < 40; i++)
		sum += in[i] * in[39 - i];
	OK(cuMemAlloc(&p, sizeof(in)));
	OK(cuMemcpyHtoD(p, in, sizeof(in)));
	OK(launch1(f, 32, params));
	OK(cuMemcpyDtoH(&got, p, 4));
	assert_int_equal(got, sum);
	OK(cuMemFree(p));
}

static CUfunction function_of(const void *image, const char *name, CUjit_option option, uintptr_t value)
{
	void *values[] = {(void *)value};
	CUmodule m;
	CUfunction f;

	OK(cuModuleLoadDataEx(&m, image, 1, &option, values));
	OK(cuModuleGetFunction(&f, m, name));
	return f;
}

/* Whether the compiled kernel keeps registers in local memory. */
static bool spills(CUfunction f)
{
	return attribute(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) > 0;
}

static void bounds_of_modules(void **state)
{
	CUcontext c = begin();
	char *text = many_registers("many");
	CUfunction f = function_of(text, "many", CU_JIT_MAX_REGISTERS, 0);

	(void)state;
	assert_false(spills(f)); /* as many registers as it needs, whatever the largest CTA would have */
	f = function_of(text, "many", CU_JIT_MAX_REGISTERS, 24);
	assert_true(registers(f) <= 24);
	assert_true(attribute(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) > 0);
	expect_right_sum(f);
	assert_true(spills(function_of(text, "many", CU_JIT_THREADS_PER_BLOCK, 1024)));
	assert_false(spills(function_of(text, "many", CU_JIT_THREADS_PER_BLOCK, 64)));
	f = function_of(text, "many", CU_JIT_MAX_THREADS_PER_BLOCK, 1024);
	assert_true(registers(f) <= 32 && spills(f));
	f = function_of(text, "many", CU_JIT_MAX_THREADS_PER_BLOCK, 96);
	assert_int_equal(attribute(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 96);

	CUjit_option both[] = {CU_JIT_MAX_THREADS_PER_BLOCK, CU_JIT_MIN_CTA_PER_SM};
	void *values[] = {(void *)256, (void *)4};
	CUmodule m;

	OK(cuModuleLoadDataEx(&m, text, 2, both, values));
	OK(cuModuleGetFunction(&f, m, "many"));
	assert_true(registers(f) <= 32);
	free(text);
	OK(cuCtxDestroy(c));
}

/* An instruction needs its operands in registers: two are too few. Said once. */
static void bound_out_of_reach(void **state)
{
	CUcontext c = begin();
	char *text = many_registers("many"), *at;
	struct capture err = capture_begin(STDERR_FILENO);
	CUfunction f = function_of(text, "many", CU_JIT_MAX_REGISTERS, 2);

	(void)state;
	assert_true(registers(f) > 2);
	expect_right_sum(f);
	expect_right_sum(f);
	free(text);
	text = capture_end(&err);
	at = strstr(text, "kernel many: spilling reaches ");
	assert_non_null(at);
	assert_non_null(strstr(at, " registers per thread, not the bound of 2; SMs hold CTAs as for "));
	assert_null(strstr(at + strlen("kernel many: spilling"), "spilling"));
	free(text);
	OK(cuCtxDestroy(c));
}

/* The image carries the bounds: of the link, or of one object alone. */
static void bounds_of_links(void **state)
{
	CUcontext c = begin();
	char *one = many_registers("one"), *two = many_registers("two");
	CUjit_option option = CU_JIT_MAX_REGISTERS;
	void *value = (void *)24, *image;
	CUlinkState l;
	CUfunction f;

	(void)state;
	OK(cuLinkCreate(1, &option, &value, &l));
	OK(add(l, one, strlen(one), "one"));
	OK(cuLinkComplete(l, &image, NULL));
	f = kernel(image, "one");
	assert_true(registers(f) <= 24);
	expect_right_sum(f);
	OK(cuLinkDestroy(l));

	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, one, strlen(one), "one", 1, &option, &value));
	OK(add(l, two, strlen(two), "two"));
	OK(cuLinkComplete(l, &image, NULL));
	f = kernel(image, "one");
	assert_true(registers(f) <= 24);
	assert_false(spills(kernel(image, "two")));
	OK(cuLinkDestroy(l));
	free(one);
	free(two);
	OK(cuCtxDestroy(c));
}

static CUresult load_with(CUjit_option option, uintptr_t value)
{
	void *values[] = {(void *)value};
	CUmodule m;
	CUlinkState l;
	CUresult result = cuModuleLoadDataEx(&m, PTX_HEAD, 1, &option, values);

	assert_int_equal(cuLinkCreate(1, &option, values, &l), result);
	return result;
}

static void other_options(void **state)
{
	CUcontext c = begin();
	struct capture err = capture_begin(STDERR_FILENO);
	CUjit_option options[] = {CU_JIT_TARGET, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
	char info[256];
	void *values[] = {(void *)90, info, (void *)sizeof(info)};
	CUmodule m;

	(void)state;
	OK(load_with(CU_JIT_OPTIMIZATION_LEVEL, 4));
	OK(load_with(CU_JIT_SPLIT_COMPILE, 0));
	OK(load_with(CU_JIT_TARGET, 0x20000 + 100));
	assert_int_equal(load_with(CU_JIT_OPTIMIZATION_LEVEL, 5), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(load_with(CU_JIT_CACHE_MODE, 3), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(load_with(CU_JIT_TARGET, 7), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(load_with((CUjit_option)35, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(load_with(CU_JIT_GLOBAL_SYMBOL_COUNT, 1), CUDA_ERROR_NOT_SUPPORTED);

	char *text = capture_end(&err);

	assert_non_null(strstr(text, "CU_JIT_GLOBAL_SYMBOL_NAMES"));
	free(text);
	OK(cuModuleLoadDataEx(&m, PTX_HEAD, 3, options, values));
	assert_non_null(strstr(info, "CU_JIT_TARGET 90 is above the device's compute capability"));
	OK(cuCtxDestroy(c));
}

static void mistakes(void **state)
{
	CUcontext c = begin();
	CUlinkState l;
	void *image;
	size_t bytes;

	(void)state;
	assert_int_equal(cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuLinkCreate(0, NULL, NULL, &l));
	assert_int_equal(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(add(l, NULL, 4, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(add(l, PTX_HEAD, 0, NULL), CUDA_ERROR_INVALID_VALUE);

	/* Without a log the messages go to stderr, with a number for an object that has no name. */
	struct capture err = capture_begin(STDERR_FILENO);

	assert_int_equal(cuLinkAddData(l, CU_JIT_INPUT_OBJECT, (char[]){"x"}, 2, "host.o", 0, NULL, NULL),
			 CUDA_ERROR_NOT_SUPPORTED);
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), NULL));
	assert_int_equal(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_INVALID_PTX);

	char *text = capture_end(&err);

	assert_non_null(strstr(text, "object-1:12: error: 'twice'"));
	free(text);
	OK(cuLinkDestroy(l));
	assert_int_equal(cuLinkDestroy(l), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_INVALID_HANDLE);

	/* What is not destroyed goes with its context. */
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(add(l, MAIN_OBJECT, sizeof(MAIN_OBJECT), NULL));
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_objects),
	    cmocka_unit_test(files),
	    cmocka_unit_test(fat_binaries),
	    cmocka_unit_test(logs),
	    cmocka_unit_test(bounds_of_modules),
	    cmocka_unit_test(bounds_of_links),
	    cmocka_unit_test(bound_out_of_reach),
	    cmocka_unit_test(other_options),
	    cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
