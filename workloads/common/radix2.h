/*
 * Transforms in place, LANES lines side by side in the lanes of vectors. A line's points are in the order of
 * reversed bits before. Factors: of the stage with butterflies `half` apart at [half - 1]. Included for each LANES
 * (common/wide.h).
 */
typedef float WIDE(radix2_lines) __attribute__((vector_size(LANES * sizeof(float))));

typedef struct {
	WIDE(radix2_lines) re, im;
} WIDE(radix2_point);

static inline void WIDE(radix2_butterfly)(WIDE(radix2_point) *a, WIDE(radix2_point) *b, float w_re,
					  float w_im)
{
	const WIDE(radix2_lines) re = w_re * b->re + -(w_im * b->im);
	const WIDE(radix2_lines) im = w_re * b->im + w_im * b->re;

	b->re = a->re - re;
	b->im = a->im - im;
	a->re += re;
	a->im += im;
}

/* Two stages at once, of butterflies half and 2 half apart: four points are in registers meanwhile. */
static inline void WIDE(radix2_two_stages)(WIDE(radix2_point) *x, unsigned int half, unsigned int offset,
				     const float *factor_re, const float *factor_im)
{
	const unsigned int first = half - 1 + offset, second = 2 * half - 1 + offset;
	WIDE(radix2_point) a = x[0], b = x[half], c = x[2 * half], d = x[3 * half];

	WIDE(radix2_butterfly)(&a, &b, factor_re[first], factor_im[first]);
	WIDE(radix2_butterfly)(&c, &d, factor_re[first], factor_im[first]);
	WIDE(radix2_butterfly)(&a, &c, factor_re[second], factor_im[second]);
	WIDE(radix2_butterfly)(&b, &d, factor_re[second + half], factor_im[second + half]);
	x[0] = a;
	x[half] = b;
	x[2 * half] = c;
	x[3 * half] = d;
}

/* By the operations of radix 2, and so to the same bits; points are read and written once for two stages, as of radix
 * 4. Of an odd number of stages the first one is alone. */
static inline void WIDE(radix2_transform)(WIDE(radix2_point) *x, unsigned int points, const float *factor_re,
				    const float *factor_im)
{
	unsigned int half = 1;

	if (__builtin_ctz(points) % 2) {
		for (unsigned int i = 0; i < points; i += 2)
			WIDE(radix2_butterfly)(&x[i], &x[i + 1], factor_re[0], factor_im[0]);
		half = 2;
	}
	for (; half < points; half *= 4)
		for (unsigned int offset = 0; offset < half; offset++)
			for (unsigned int i = offset; i < points; i += 4 * half)
				WIDE(radix2_two_stages)(&x[i], half, offset, factor_re, factor_im);
}
