/* complement.c - see complement.h. */
#include "dc/array/complement.h"

enum { LANES = 32 };

uint64_t dc_complement(const struct dc_use *use, uint64_t raw)
{
	const uint64_t fraction = (1ull << (use->m - 1)) - 1;

	return raw >> (use->n - 1) & 1 ? (raw & ~fraction) | (-(raw & fraction) & fraction) : raw;
}

void dc_complement_row(const struct dc_use *use, const void *from, void *to)
{
	if (use->n > 32) {
		for (uint32_t i = 0; i < LANES; i++)
			((uint64_t *)to)[i] = dc_complement(use, ((const uint64_t *)from)[i]);
		return;
	}
	for (uint32_t i = 0; i < LANES; i++) {
		const uint32_t x = ((const uint32_t *)from)[i], fraction = (1u << (use->m - 1)) - 1;
		const uint32_t negative = 0u - (x >> (use->n - 1));

		((uint32_t *)to)[i] = (x & ~fraction) | (((x ^ negative) - negative) & fraction);
	}
}
