#include <strata/kernel.h>

#include "../common/lanes.h"
#include "adamw.h"

/* Four parameters per thread: four arrays are read, three are written. */
extern "C" __global__ void adamw_step(float *values, float *means, float *squares, const float *gradients,
				      unsigned int count, float mean_correction, float square_correction)
{
	unsigned int i = (blockIdx.x * blockDim.x + threadIdx.x) * ADAMW_LANE;
	struct lanes_f4 value, mean, square, gradient;

	if (i >= count)
		return;
	value = lanes_load_f4(values + i);
	mean = lanes_load_f4(means + i);
	square = lanes_load_f4(squares + i);
	gradient = lanes_load_f4(gradients + i);
	adamw_update(&value.x, &mean.x, &square.x, gradient.x, mean_correction, square_correction);
	adamw_update(&value.y, &mean.y, &square.y, gradient.y, mean_correction, square_correction);
	adamw_update(&value.z, &mean.z, &square.z, gradient.z, mean_correction, square_correction);
	adamw_update(&value.w, &mean.w, &square.w, gradient.w, mean_correction, square_correction);
	lanes_store_f4(values + i, value);
	lanes_store_f4(means + i, mean);
	lanes_store_f4(squares + i, square);
}
