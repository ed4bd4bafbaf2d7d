/*
 * blocks.h - a block of samples of a beam, as many at once as LANES have parts of (common/wide.h): x_re, x_im, y_re,
 * y_im of a sample, or what they are multiplied by; with eight lanes those of the next sample as well.
 */
typedef float WIDE(parts) __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

#if LANES == 8
#define ALL(a, b, c, d) a, b, c, d, a, b, c, d
#define EACH(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#else
#define ALL(a, b, c, d) a, b, c, d
#define EACH(a, b, c, d) a, b, c, d
#endif

static void WIDE(block_compute)(const struct sample *input, const struct weight *weights, struct sample *output,
				size_t antennas, size_t times, size_t first, size_t count)
{
	enum { SAMPLES_OF = LANES / SAMPLE_FLOATS };
	WIDE(parts) sums[BLOCK / SAMPLES_OF] = {0};
	const size_t vectors = count / SAMPLES_OF;

	for (size_t a = 0; a < antennas; a++) {
		const struct weight w = weights[a];
		const WIDE(parts) xi = {ALL(-w.xx_im, w.xx_im, -w.yx_im, w.yx_im)};
		const WIDE(parts) xr = {ALL(w.xx_re, w.xx_re, w.yx_re, w.yx_re)};
		const WIDE(parts) yi = {ALL(-w.xy_im, w.xy_im, -w.yy_im, w.yy_im)};
		const WIDE(parts) yr = {ALL(w.xy_re, w.xy_re, w.yy_re, w.yy_re)};

		for (size_t t = 0; t < vectors; t++) {
			const WIDE(parts) s =
				*(const WIDE(parts) *)(const void *)&input[a * times + first + SAMPLES_OF * t];
			const WIDE(parts) x = __builtin_shufflevector(s, s, EACH(0, 1, 0, 1));
			const WIDE(parts) y = __builtin_shufflevector(s, s, EACH(2, 3, 2, 3));
			const WIDE(parts) x_turned = __builtin_shufflevector(s, s, EACH(1, 0, 1, 0));
			const WIDE(parts) y_turned = __builtin_shufflevector(s, s, EACH(3, 2, 3, 2));

			sums[t] = xr * x + (xi * x_turned + sums[t]);
			sums[t] = yr * y + (yi * y_turned + sums[t]);
		}
	}
	for (size_t t = 0; t < vectors; t++)
		*(WIDE(parts) *)(void *)&output[first + SAMPLES_OF * t] = sums[t];
#if LANES == 8
	if (count % SAMPLES_OF)
		block_compute_4(input, weights, output, antennas, times, first + count - 1, 1);
#endif
}
#undef ALL
#undef EACH
