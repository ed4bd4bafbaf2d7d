/*
 * Transforms of radix 2 in place, four lines side by side in the lanes of vectors. A line's points are in the order of
 * reversed bits before. Factors: of the stage with butterflies `half` apart at [half - 1].
 */
#ifndef RADIX2_H
#define RADIX2_H

enum { RADIX2_LINES = 4 };
typedef float radix2_lines __attribute__((vector_size(RADIX2_LINES * sizeof(float))));

struct radix2_point {
	radix2_lines re, im;
};

static inline void radix2_butterfly(struct radix2_point *a, struct radix2_point *b, float w_re, float w_im)
{
	const radix2_lines re = w_re * b->re + -(w_im * b->im), im = w_re * b->im + w_im * b->re;

	b->re = a->re - re;
	b->im = a->im - im;
	a->re += re;
	a->im += im;
}

static inline void radix2_transform(struct radix2_point *x, unsigned int points, const float *factor_re,
				    const float *factor_im)
{
	for (unsigned int half = 1; half < points; half *= 2)
		for (unsigned int offset = 0; offset < half; offset++)
			for (unsigned int i = offset; i < points; i += 2 * half)
				radix2_butterfly(&x[i], &x[i + half], factor_re[half - 1 + offset],
						 factor_im[half - 1 + offset]);
}

#endif
