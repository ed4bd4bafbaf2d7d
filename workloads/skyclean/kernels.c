/* kernels.c - the kernels of CLEAN, in parts. */
#include "clean.h"

#include <math.h>

struct overlap overlap_of(uint32_t side, uint32_t index)
{
	const int32_t n = (int32_t)side, x = (int32_t)(index % side), y = (int32_t)(index / side);
	const int32_t x_shift = x - n / 2, y_shift = y - n / 2;

	return (struct overlap){.x_begin = x_shift > 0 ? (uint32_t)x_shift : 0,
				.x_end = x_shift < 0 ? (uint32_t)(n + x_shift) : side,
				.y_begin = y_shift > 0 ? (uint32_t)y_shift : 0,
				.y_end = y_shift < 0 ? (uint32_t)(n + y_shift) : side,
				.x_shift = x_shift,
				.y_shift = y_shift};
}

/* In lanes, which a vector unit compares at once. */
static float largest_of(const float *pixels, uint32_t count)
{
	enum { LANES = 8 };
	float lanes[LANES], best;
	uint32_t i = 0;

	for (uint32_t k = 0; k < LANES; k++)
		lanes[k] = pixels[0];
	for (; i + LANES <= count; i += LANES)
		for (uint32_t k = 0; k < LANES; k++)
			lanes[k] = pixels[i + k] > lanes[k] ? pixels[i + k] : lanes[k];
	best = lanes[0];
	for (uint32_t k = 1; k < LANES; k++)
		best = lanes[k] > best ? lanes[k] : best;
	for (; i < count; i++)
		best = pixels[i] > best ? pixels[i] : best;
	return best;
}

struct peak find_part(const struct picture *p, uint32_t part, uint32_t parts)
{
	enum { BLOCK = 256 };
	const uint32_t count = p->side * p->side;
	const uint32_t begin = (uint32_t)((uint64_t)count * part / parts);
	const uint32_t end = (uint32_t)((uint64_t)count * (part + 1) / parts);
	struct peak best = {NAN, begin};

	for (uint32_t at = begin; at < end; at += BLOCK) {
		const float largest = largest_of(p->image + at, end - at < BLOCK ? end - at : BLOCK);

		if (at == begin || largest > best.value)
			best = (struct peak){largest, at};
	}
	while (begin < end && p->image[best.index] != best.value)
		best.index++;
	return best;
}

void subtract_part(const struct picture *p, uint32_t index, float factor, uint32_t part, uint32_t parts)
{
	const struct overlap o = overlap_of(p->side, index);
	const uint32_t rows = o.y_end - o.y_begin, begin = o.y_begin + rows * part / parts;
	const uint32_t end = o.y_begin + rows * (part + 1) / parts;

	for (uint32_t y = begin; y < end; y++) {
		float *row = p->image + (size_t)y * p->side;
		const float *psf = p->psf + (ptrdiff_t)((int32_t)y - o.y_shift) * (ptrdiff_t)p->side - o.x_shift;

		for (uint32_t x = o.x_begin; x < o.x_end; x++)
			row[x] -= factor * psf[x];
	}
}

struct peak peak_of(const struct peak *peaks, uint32_t count)
{
	struct peak best = peaks[0];

	for (uint32_t i = 1; i < count; i++)
		if (peaks[i].value > best.value || isnan(best.value))
			best = peaks[i];
	return best;
}
