#include <strata/kernel.h>

struct __attribute__((aligned(16))) sample {
	float x_re, x_im, y_re, y_im; /* both polarisations */
};

/* A 2 x 2 matrix of complex numbers. */
struct __attribute__((aligned(16))) weight {
	float xx_re, xx_im, xy_re, xy_im, yx_re, yx_im, yy_re, yy_im;
};

/* A time sample of a beam per thread: the sum of all antennas, each times its matrix. Input [antenna][time], weights
 * [beam][antenna], output [beam][time]. */
extern "C" __global__ void beamform(const struct sample *input, const struct weight *weights, struct sample *output,
				    unsigned int antennas, unsigned int times)
{
	const unsigned int time = blockIdx.x * blockDim.x + threadIdx.x, beam = blockIdx.y;
	struct sample sum = {0, 0, 0, 0};

	if (time >= times)
		return;
	for (unsigned int a = 0; a < antennas; a++) {
		const struct sample s = input[a * times + time];
		const struct weight w = weights[beam * antennas + a];

		sum.x_re = fmaf(w.xx_re, s.x_re, fmaf(-w.xx_im, s.x_im, sum.x_re));
		sum.x_im = fmaf(w.xx_re, s.x_im, fmaf(w.xx_im, s.x_re, sum.x_im));
		sum.x_re = fmaf(w.xy_re, s.y_re, fmaf(-w.xy_im, s.y_im, sum.x_re));
		sum.x_im = fmaf(w.xy_re, s.y_im, fmaf(w.xy_im, s.y_re, sum.x_im));
		sum.y_re = fmaf(w.yx_re, s.x_re, fmaf(-w.yx_im, s.x_im, sum.y_re));
		sum.y_im = fmaf(w.yx_re, s.x_im, fmaf(w.yx_im, s.x_re, sum.y_im));
		sum.y_re = fmaf(w.yy_re, s.y_re, fmaf(-w.yy_im, s.y_im, sum.y_re));
		sum.y_im = fmaf(w.yy_re, s.y_im, fmaf(w.yy_im, s.y_re, sum.y_im));
	}
	output[beam * times + time] = sum;
}
