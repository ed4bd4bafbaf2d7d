/*
 * matrices.h - rows and columns of matrices, LANES at once (common/wide.h).
 */
#include "common/radix2.h"

#if LANES == 8
/* LANES rows of the side, from vectors of four points of each. */
static void rows_take_8(const struct tables *t, const struct sample *rows, radix2_point_8 *x)
{
	for (size_t i = 0; i < t->side; i += 4) {
		wide_8 v[8];

		for (size_t l = 0; l < 8; l++)
			v[l] = *(const wide_8 *)&rows[l * t->side + i].re;
		transpose_8(v);
		for (size_t k = 0; k < 4; k++)
			x[t->place[i + k]] = (radix2_point_8){v[2 * k], v[2 * k + 1]};
	}
}

static void rows_put_8(const struct tables *t, struct sample *rows, const radix2_point_8 *x)
{
	for (size_t i = 0; i < t->side; i += 4) {
		wide_8 v[8];

		for (size_t k = 0; k < 4; k++) {
			v[2 * k] = x[i + k].re;
			v[2 * k + 1] = x[i + k].im;
		}
		transpose_8(v);
		for (size_t l = 0; l < 8; l++)
			*(wide_8 *)&rows[l * t->side + i].re = v[l];
	}
}

/* As many columns, whose points of a row lie side by side, parts in turns. */
static void columns_take_8(const struct tables *t, const struct sample *first, radix2_point_8 *x)
{
	for (size_t i = 0; i < t->side; i++) {
		const wide_8 a = *(const wide_8 *)&first[i * t->side].re;
		const wide_8 b = *(const wide_8 *)&first[i * t->side + 4].re;

		x[t->place[i]].re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
		x[t->place[i]].im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
	}
}

static void columns_put_8(const struct tables *t, struct sample *first, const radix2_point_8 *x)
{
	for (size_t i = 0; i < t->side; i++) {
		const wide_8 re = x[i].re, im = x[i].im;

		*(wide_8 *)&first[i * t->side].re = __builtin_shufflevector(re, im, 0, 8, 1, 9, 2, 10, 3, 11);
		*(wide_8 *)&first[i * t->side + 4].re = __builtin_shufflevector(re, im, 4, 12, 5, 13, 6, 14, 7, 15);
	}
}

static void lines_compute_8(const struct tables *t, struct sample *first, size_t step)
{
	radix2_point_8 x[SKAFFT_SIDE_MAX];

	(step == 1 ? rows_take_8 : columns_take_8)(t, first, x);
	radix2_transform_8(x, t->side, t->factor_re, t->factor_im);
	(step == 1 ? rows_put_8 : columns_put_8)(t, first, x);
}
#else
/* LANES rows, whose points are a `step` of 1 apart, or columns, whose points are a side apart. */
static void lines_compute_4(const struct tables *t, struct sample *first, size_t step)
{
	const size_t between = step == 1 ? t->side : 1;
	radix2_point_4 x[SKAFFT_SIDE_MAX];

	for (size_t i = 0; i < t->side; i++)
		for (size_t l = 0; l < LANES; l++) {
			x[t->place[i]].re[l] = first[i * step + l * between].re;
			x[t->place[i]].im[l] = first[i * step + l * between].im;
		}
	radix2_transform_4(x, t->side, t->factor_re, t->factor_im);
	for (size_t i = 0; i < t->side; i++)
		for (size_t l = 0; l < LANES; l++)
			first[i * step + l * between] = (struct sample){x[i].re[l], x[i].im[l]};
}
#endif

static void WIDE(matrices_compute)(const struct tables *t, struct sample *x, size_t count)
{
	const size_t side = t->side, groups = side / LANES;

#pragma omp for
	for (size_t i = 0; i < count * groups; i++)
		WIDE(lines_compute)(t, x + i * LANES * side, 1);
#pragma omp for nowait
	for (size_t i = 0; i < count * groups; i++)
		WIDE(lines_compute)(t, x + i / groups * side * side + i % groups * LANES, side);
}
