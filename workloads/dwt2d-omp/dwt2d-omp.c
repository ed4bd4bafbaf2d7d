/*
 * Wavelet transform of the three colours of an image by threads, reversible (5/3, as JPEG 2000's): rows, then columns,
 * then the quarter that is left; lines for each thread, columns as many side by side as a cache's line has pixels.
 */
#include "common/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"dwt2d-omp", "Reversible wavelet transform of an image, by threads.",
					    "256 x 256 pixels, 3 levels", "1,024 x 1,024 pixels, 3 levels"};
static const struct workload_count counts[] = {
	{"side", "rows and columns of pixels", 256, 1024, 64, 16384, 64, NULL},
	{"levels", "levels of the transform", 3, 3, 1, 6, 1, NULL},
};

enum { COLOURS = 3, BESIDE = 16 /* columns that are transformed together: a line of the cache */ };

struct image {
	size_t side;
	unsigned int levels;
	int *colours[COLOURS], *halves; /* [row * side + column] */
};

static size_t pixels_count(const struct image *image)
{
	return image->side * image->side;
}

static struct image image_make(unsigned int side, unsigned int levels, uint64_t seed)
{
	struct image image = {.side = side, .levels = levels};

	image.halves = workload_host_alloc(pixels_count(&image), sizeof(int));
	for (unsigned int c = 0; c < COLOURS; c++) {
		image.colours[c] = workload_host_alloc(pixels_count(&image), sizeof(int));
		for (size_t i = 0; i < pixels_count(&image); i++) {
			const int slope = (int)((i % side + i / side) * 200 / (2 * side));

			image.colours[c][i] = slope + (int)(workload_random(seed, c, i) % 56) - 128;
		}
	}
	return image;
}

static void image_free(struct image *image)
{
	free(image->halves);
	for (unsigned int c = 0; c < COLOURS; c++)
		free(image->colours[c]);
}

/* Lines of `count` samples, `beside` of them next to each other, to `to`: the lower half, then the upper one. */
static void forward(const int *from, int *to, size_t stride, size_t count, size_t beside)
{
	const size_t half = count / 2;

	for (size_t i = 0; i < half; i++) {
		const int *even = from + 2 * i * stride, *next = 2 * i + 2 < count ? even + 2 * stride : even;

		for (size_t k = 0; k < beside; k++)
			to[(half + i) * stride + k] = even[stride + k] - ((even[k] + next[k]) >> 1);
	}
	for (size_t i = 0; i < half; i++) {
		const int *before = to + (half + (i > 0 ? i - 1 : 0)) * stride, *high = to + (half + i) * stride;

		for (size_t k = 0; k < beside; k++)
			to[i * stride + k] = from[2 * i * stride + k] + ((before[k] + high[k] + 2) >> 2);
	}
}

static void level(const struct image *image, int *pixels, size_t side, bool is_team)
{
	const size_t beside = side < BESIDE ? side : BESIDE;
	int *halves = image->halves;

#pragma omp parallel for if (is_team)
	for (size_t row = 0; row < side; row++)
		forward(pixels + row * image->side, halves + row * image->side, 1, side, 1);
#pragma omp parallel for if (is_team)
	for (size_t column = 0; column < side; column += beside)
		forward(halves + column, pixels + column, image->side, side,
			side - column < beside ? side - column : beside);
}

static void transform(const struct image *image, bool is_team)
{
	for (unsigned int c = 0; c < COLOURS; c++)
		for (unsigned int n = 0; n < image->levels; n++)
			level(image, image->colours[c], image->side >> n, is_team);
}

/* A line back, to itself. */
static void backward(int *samples, size_t stride, size_t count, int *scratch)
{
	const size_t half = count / 2;

	for (size_t i = 0; i < half; i++) {
		const int high = samples[(half + i) * stride], before = i > 0 ? samples[(half + i - 1) * stride] : high;

		scratch[2 * i] = samples[i * stride] - ((before + high + 2) >> 2);
	}
	for (size_t i = 0; i < half; i++)
		scratch[2 * i + 1] = samples[(half + i) * stride] +
				     ((scratch[2 * i] + scratch[2 * i + 2 < count ? 2 * i + 2 : 2 * i]) >> 1);
	for (size_t i = 0; i < count; i++)
		samples[i * stride] = scratch[i];
}

static void transform_back(const struct image *image, int *pixels)
{
	for (unsigned int n = image->levels; n-- > 0;) {
		const size_t side = image->side >> n;

		for (size_t column = 0; column < side; column++)
			backward(pixels + column, image->side, side, image->halves);
		for (size_t row = 0; row < side; row++)
			backward(pixels + row * image->side, 1, side, image->halves);
	}
}

/* As one thread computes it, and turned back the image. Overwrites got. */
static bool image_check(struct image *got, const struct image *want, const struct image *before)
{
	for (unsigned int c = 0; c < COLOURS; c++) {
		if (!workload_same_u32("coefficient", (const uint32_t *)got->colours[c],
				       (const uint32_t *)want->colours[c], pixels_count(got)))
			return false;
		transform_back(got, got->colours[c]);
		if (!workload_same_u32("pixel", (const uint32_t *)got->colours[c], (const uint32_t *)before->colours[c],
				       pixels_count(got)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct image got, want, before;
	double begin;
	bool right;

	strata_modelling_end();
	got = image_make(o.counts[0], o.counts[1], o.seed);
	want = image_make(o.counts[0], o.counts[1], o.seed);
	before = image_make(o.counts[0], o.counts[1], o.seed);
	for (unsigned int c = 0; c < COLOURS; c++)
		workload_input(got.colours[c], pixels_count(&got) * sizeof(int));
	workload_input_number(got.levels);
	begin = steps_begin();
	transform(&got, true);
	steps_end(begin);
	transform(&want, false);
	right = image_check(&got, &want, &before);
	image_free(&got);
	image_free(&want);
	image_free(&before);
	return workload_finish(right, "%u x %u pixels, %u levels", o.counts[0], o.counts[0], o.counts[1]);
}
