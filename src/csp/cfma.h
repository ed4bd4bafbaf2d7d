/* cfma.h - what the functional units of a core compute, all in lock step: d = c + a b in single precision.
 *
 * A vector is m real parts, then m imaginary parts. Four fused multiply-adds, each rounded once, in this order:
 *	re = fma(-a.im, b.im, fma(a.re, b.re, c.re))    im = fma(a.im, b.re, fma(a.re, b.im, c.im))
 * so every host computes the same bits.
 */
#ifndef STRATA_CSP_CFMA_H
#define STRATA_CSP_CFMA_H

#include <stdint.h>

typedef void csp_cfma_fn(float *d, const float *c, const float *a, float b_re, float b_im, uint32_t m);

/* The fastest of this host. d may be c or a. */
csp_cfma_fn *csp_cfma_find(void);
csp_cfma_fn csp_cfma_portable;

#endif
