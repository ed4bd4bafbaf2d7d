/* common.h - what the driver's tests share: a context, small kernels, captured stderr and stdout. */
#ifndef TESTS_CUDA_COMMON_H
#define TESTS_CUDA_COMMON_H

#include <cuda.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), CUDA_SUCCESS)

#define PTX_HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"

/* store: p[tid] = tid + add, for one CTA. wild: writes to the address it is given. */
#define PTX_KERNELS                                                                                                    \
	PTX_HEAD ".visible .global .align 4 .b8 table[16] = {1,0,0,0,2,0,0,0,3,0,0,0,4,0,0,0};\n"                      \
		 ".visible .entry store(.param .u64 p, .param .u32 add)\n"                                             \
		 "{\n .reg .b64 %rd<4>;\n .reg .b32 %r<4>;\n"                                                          \
		 " ld.param.u64 %rd1, [p];\n ld.param.u32 %r1, [add];\n mov.u32 %r2, %tid.x;\n"                        \
		 " add.u32 %r3, %r2, %r1;\n mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd3, %rd1, %rd2;\n"                  \
		 " st.global.u32 [%rd3], %r3;\n ret;\n}\n"                                                             \
		 ".visible .entry wild(.param .u64 p)\n"                                                               \
		 "{\n .reg .b64 %rd<2>;\n .reg .b32 %r<2>;\n"                                                          \
		 " ld.param.u64 %rd1, [p];\n mov.u32 %r1, 7;\n st.global.u32 [%rd1], %r1;\n ret;\n}\n"                 \
		 ".visible .entry small() .maxntid 64, 1, 1\n{\n ret;\n}\n"                                            \
		 ".visible .entry shared()\n{\n .shared .align 4 .b8 s[4096];\n .reg .b32 %r<2>;\n"                    \
		 " mov.u32 %r1, 0;\n st.shared.u32 [s], %r1;\n ret;\n}\n"

static inline CUcontext begin(void)
{
	CUcontext c;

	OK(cuInit(0));
	OK(cuCtxCreate(&c, 0, 0));
	return c;
}

static inline CUfunction kernel(const char *ptx, const char *name)
{
	CUmodule m;
	CUfunction f;

	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, name));
	return f;
}

static inline CUresult launch1(CUfunction f, unsigned int threads, void **params)
{
	return cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
}

/* Redirects fd into a file; capture_end gives the text back (malloc'ed) and restores fd. */
struct capture {
	int fd, saved;
	FILE *file;
};

static inline struct capture capture_begin(int fd)
{
	struct capture c = {fd, dup(fd), tmpfile()};

	fflush(NULL);
	assert_non_null(c.file);
	dup2(fileno(c.file), fd);
	return c;
}

static inline char *capture_end(struct capture *c)
{
	fflush(NULL);
	dup2(c->saved, c->fd);
	close(c->saved);

	long length = lseek(fileno(c->file), 0, SEEK_END);
	char *text = calloc(1, (size_t)length + 1);

	assert_int_equal(pread(fileno(c->file), text, (size_t)length, 0), length);
	fclose(c->file);
	return text;
}

#endif
