/* scalar.c - factors of a call: values of the host, or addresses in device memory. */
#include "cublas/blas.h"

#include <string.h>

static float half_value(uint16_t half)
{
	const uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
	const float magnitude = exponent == 31 ? (mantissa ? __builtin_nanf("") : __builtin_inff())
				: exponent     ? __builtin_ldexpf((float)(mantissa | 1024), (int)exponent - 25)
					       : __builtin_ldexpf((float)mantissa, -24);

	return half & 0x8000 ? -magnitude : magnitude;
}

bool strata_blas_scalar(struct blas_scalar *s, const void *at, cudaDataType type, bool is_device)
{
	uint16_t half;

	if (type != CUDA_R_32F && type != CUDA_R_64F && type != CUDA_R_16F && type != CUDA_R_32I)
		return false;
	*s = (struct blas_scalar){.address = is_device ? at : NULL, .is_half = type == CUDA_R_16F};
	if (is_device)
		return true;
	if (type == CUDA_R_16F) {
		memcpy(&half, at, sizeof(half));
		s->value.f = half_value(half);
	} else if (type == CUDA_R_64F) {
		memcpy(&s->value.d, at, sizeof(s->value.d));
	} else {
		memcpy(&s->value.i, at, sizeof(s->value.i));
	}
	return true;
}

bool strata_blas_is_zero(const struct blas_scalar *s, cudaDataType type)
{
	if (s->address)
		return false;
	return type == CUDA_R_64F ? s->value.d == 0 : type == CUDA_R_32I ? s->value.i == 0 : s->value.f == 0;
}
