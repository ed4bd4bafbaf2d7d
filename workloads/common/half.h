/* Half precision (IEEE 754 binary16) on the host: what a program stores for its kernels, and what they read from it. */
#ifndef HALF_H
#define HALF_H

#include <stdint.h>
#include <string.h>

/* Rounded to nearest even; below 2^-14 in magnitude it is 0. |value| must be below 65,520. */
static inline uint16_t half_from(float value)
{
	uint32_t bits, magnitude, sign;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	magnitude = bits & 0x7fffffff;
	if (magnitude < 0x38800000)
		return (uint16_t)sign;
	magnitude += 0xfff + (magnitude >> 13 & 1);
	return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

/* Exact. `half` is 0 or normal. */
static inline float half_value(uint16_t half)
{
	const uint32_t magnitude = half & 0x7fff;
	uint32_t bits = (uint32_t)(half & 0x8000) << 16;
	float value;

	if (magnitude)
		bits |= (magnitude << 13) + 0x38000000;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

#endif
