/* cfma.c - one source, compiled for each instruction set (CSP_CFMA_NAME). */
#include "csp/cfma.h"

#ifdef CSP_CFMA_NAME
csp_cfma_fn CSP_CFMA_NAME;

void CSP_CFMA_NAME(float *d, const float *c, const float *a, float b_re, float b_im, uint32_t m)
{
	const float *c_im = c + m, *a_im = a + m;
	float *d_im = d + m;

	/* Only whole vectors may be the same: an element is read before it is written. */
#pragma omp simd
	for (uint32_t i = 0; i < m; i++) {
		const float re = __builtin_fmaf(a[i], b_re, c[i]), im = __builtin_fmaf(a[i], b_im, c_im[i]);
		const float re_all = __builtin_fmaf(-a_im[i], b_im, re), im_all = __builtin_fmaf(a_im[i], b_re, im);

		d[i] = re_all;
		d_im[i] = im_all;
	}
}
#else
#ifdef __x86_64__
csp_cfma_fn csp_cfma_avx2, csp_cfma_avx512;
#endif

csp_cfma_fn *csp_cfma_find(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
		return csp_cfma_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return csp_cfma_avx2;
#endif
	return csp_cfma_portable;
}
#endif
