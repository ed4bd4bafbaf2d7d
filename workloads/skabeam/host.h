/*
 * Input and reference of the beamformer, for the CUDA program and the program of threads. Who includes it defines
 * MULTIPLY_ADD(a, b, c), a times b plus c, as its kernel rounds it.
 */
#ifndef SKABEAM_HOST_H
#define SKABEAM_HOST_H

#include "common/program.h"

struct sample {
	float x_re, x_im, y_re, y_im;
};
struct weight {
	float xx_re, xx_im, xy_re, xy_im, yx_re, yx_im, yy_re, yy_im;
};

enum { SAMPLE_FLOATS = 4, WEIGHT_FLOATS = 8, REAL_OPERATIONS = 32 };

static inline void floats_make(float *out, size_t count, uint64_t seed, uint32_t stream)
{
	for (size_t i = 0; i < count; i++)
		out[i] = workload_random_float(seed, stream, i) - 0.5f;
}

static inline struct sample beam_sample(const struct sample *input, const struct weight *weights, size_t antennas,
					size_t times, size_t time)
{
	struct sample sum = {0, 0, 0, 0};

	for (size_t a = 0; a < antennas; a++) {
		const struct sample s = input[a * times + time];
		const struct weight w = weights[a];

		sum.x_re = MULTIPLY_ADD(w.xx_re, s.x_re, MULTIPLY_ADD(-w.xx_im, s.x_im, sum.x_re));
		sum.x_im = MULTIPLY_ADD(w.xx_re, s.x_im, MULTIPLY_ADD(w.xx_im, s.x_re, sum.x_im));
		sum.x_re = MULTIPLY_ADD(w.xy_re, s.y_re, MULTIPLY_ADD(-w.xy_im, s.y_im, sum.x_re));
		sum.x_im = MULTIPLY_ADD(w.xy_re, s.y_im, MULTIPLY_ADD(w.xy_im, s.y_re, sum.x_im));
		sum.y_re = MULTIPLY_ADD(w.yx_re, s.x_re, MULTIPLY_ADD(-w.yx_im, s.x_im, sum.y_re));
		sum.y_im = MULTIPLY_ADD(w.yx_re, s.x_im, MULTIPLY_ADD(w.yx_im, s.x_re, sum.y_im));
		sum.y_re = MULTIPLY_ADD(w.yy_re, s.y_re, MULTIPLY_ADD(-w.yy_im, s.y_im, sum.y_re));
		sum.y_im = MULTIPLY_ADD(w.yy_re, s.y_im, MULTIPLY_ADD(w.yy_im, s.y_re, sum.y_im));
	}
	return sum;
}

#endif
