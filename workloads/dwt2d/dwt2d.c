/*
 * Wavelet transform of the three colours of an image, reversible (5/3, as JPEG 2000's): rows, then columns, then the
 * quarter that is left.  Compared with the same transform on the host, and turned back into the image.
 */
#include "common/workload.h"

#include <stdlib.h>
#include <string.h>

static const char dwt2d_ptx[] =
#include WORKLOAD_PTX
    ;

enum { COLOURS = 3, CTA_X = 32, CTA_Y = 8 };

struct image {
	unsigned int side, levels;
	int *colours[COLOURS]; /* [row * side + column] */
};

static size_t pixels_count(const struct image *image)
{
	return (size_t)image->side * image->side;
}

/* Smooth with some noise. */
static void image_make(struct image *image, uint64_t seed)
{
	for (unsigned int c = 0; c < COLOURS; c++) {
		image->colours[c] = workload_host_alloc(pixels_count(image), sizeof(int));
		for (size_t i = 0; i < pixels_count(image); i++) {
			int slope = (int)((i % image->side + i / image->side) * 200 / (2 * image->side));

			image->colours[c][i] = slope + (int)(workload_random(seed, c, i) % 56) - 128;
		}
	}
}

static void level_launch(CUfunction kernel, CUdeviceptr from, CUdeviceptr to, unsigned int side, unsigned int width,
			 bool is_along_rows)
{
	unsigned int stride = is_along_rows ? 1 : width, line = is_along_rows ? width : 1;
	unsigned int x = is_along_rows ? side / 2 : side, y = is_along_rows ? side : side / 2;
	void *params[] = {&from, &to, &side, &side, &stride, &line};

	workload_launch(kernel, (struct workload_dim){workload_ctas(x, CTA_X), workload_ctas(y, CTA_Y), 1},
			(struct workload_dim){CTA_X, CTA_Y, 1}, params);
}

static void transform_run(const struct image *image, int *const result[COLOURS])
{
	struct workload_gpu gpu = workload_gpu_open(dwt2d_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "dwt2d_level");
	size_t bytes = pixels_count(image) * sizeof(int);

	for (unsigned int c = 0; c < COLOURS; c++) {
		CUdeviceptr pixels = workload_device_copy(image->colours[c], bytes);
		CUdeviceptr halves = workload_device_alloc(bytes);

		for (unsigned int level = 0; level < image->levels; level++) {
			level_launch(kernel, pixels, halves, image->side >> level, image->side, true);
			level_launch(kernel, halves, pixels, image->side >> level, image->side, false);
		}
		WORKLOAD_CUDA(cuMemcpyDtoH(result[c], pixels, bytes));
		WORKLOAD_CUDA(cuMemFree(pixels));
		WORKLOAD_CUDA(cuMemFree(halves));
	}
	workload_gpu_close(&gpu);
}

static void line_forward(int *samples, size_t stride, size_t count, int *scratch)
{
	int *low = scratch, *high = scratch + count / 2;

	for (size_t i = 0; i < count / 2; i++) {
		int next = samples[(2 * i + 2 < count ? 2 * i + 2 : 2 * i) * stride];

		high[i] = samples[(2 * i + 1) * stride] - ((samples[2 * i * stride] + next) >> 1);
	}
	for (size_t i = 0; i < count / 2; i++)
		low[i] = samples[2 * i * stride] + ((high[i > 0 ? i - 1 : 0] + high[i] + 2) >> 2);
	for (size_t i = 0; i < count; i++)
		samples[i * stride] = scratch[i];
}

static void line_backward(int *samples, size_t stride, size_t count, int *scratch)
{
	for (size_t i = 0; i < count / 2; i++) {
		int high = samples[(count / 2 + i) * stride];
		int before = i > 0 ? samples[(count / 2 + i - 1) * stride] : high;

		scratch[2 * i] = samples[i * stride] - ((before + high + 2) >> 2);
	}
	for (size_t i = 0; i < count / 2; i++) {
		int next = scratch[2 * i + 2 < count ? 2 * i + 2 : 2 * i];

		scratch[2 * i + 1] = samples[(count / 2 + i) * stride] + ((scratch[2 * i] + next) >> 1);
	}
	for (size_t i = 0; i < count; i++)
		samples[i * stride] = scratch[i];
}

typedef void line_transform(int *samples, size_t stride, size_t count, int *scratch);

static void lines_transform(const struct image *image, int *pixels, size_t side, bool is_along_rows,
			    line_transform *transform)
{
	int *scratch = workload_host_alloc(side, sizeof(int));

	for (size_t i = 0; i < side; i++)
		transform(pixels + (is_along_rows ? i * image->side : i), is_along_rows ? 1 : image->side, side,
			  scratch);
	free(scratch);
}

/* A colour, against the transform of the host; what is turned back must be the colour. Overwrites both. */
static bool colour_check(struct image *image, unsigned int c, int *got)
{
	const size_t bytes = pixels_count(image) * sizeof(int);
	int *want = workload_host_alloc(pixels_count(image), sizeof(int));
	bool right;

	memcpy(want, image->colours[c], bytes);
	for (unsigned int level = 0; level < image->levels; level++) {
		lines_transform(image, want, image->side >> level, true, line_forward);
		lines_transform(image, want, image->side >> level, false, line_forward);
	}
	right = workload_same_u32("coefficient", (const uint32_t *)got, (const uint32_t *)want, pixels_count(image));
	for (unsigned int level = image->levels; level-- > 0;) {
		lines_transform(image, got, image->side >> level, false, line_backward);
		lines_transform(image, got, image->side >> level, true, line_backward);
	}
	right = right && workload_same_u32("pixel", (const uint32_t *)got, (const uint32_t *)image->colours[c],
					   pixels_count(image));
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"dwt2d", "Reversible wavelet transform of an image.",
						    "256 x 256 pixels, 3 levels", "1,024 x 1,024 pixels, 3 levels"};
	static const struct workload_count counts[] = {
	    {"side", "rows and columns of pixels", 256, 1024, 64, 16384, 64, NULL},
	    {"levels", "levels of the transform", 3, 3, 1, 6, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct image image = {.side = options.counts[0], .levels = options.counts[1]};
	int *got[COLOURS];
	bool right = true;

	image_make(&image, options.seed);
	for (unsigned int c = 0; c < COLOURS; c++)
		got[c] = workload_host_alloc(pixels_count(&image), sizeof(int));
	for (unsigned int c = 0; c < COLOURS; c++)
		workload_input(image.colours[c], pixels_count(&image) * sizeof(int));
	workload_input_number(image.levels);
	transform_run(&image, got);
	for (unsigned int c = 0; c < COLOURS; c++) {
		right = right && colour_check(&image, c, got[c]);
		free(image.colours[c]);
		free(got[c]);
	}
	return workload_finish(right, "%u x %u pixels, %u levels", image.side, image.side, image.levels);
}
