/* Shared by the programs and the kernel of adamw: AdamW's constants (Loshchilov, Hutter, ICLR 2019), and its step. */
#ifndef ADAMW_H
#define ADAMW_H

enum {
	ADAMW_BLOCK_THREADS = 256,
	ADAMW_LANE = 4, /* parameters of a thread */
	ADAMW_STEP = 10, /* the step that is taken: the averages are corrected for it */
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define ADAMW_BOTH static __device__ __forceinline__
#else
#include <math.h>
#define ADAMW_BOTH static inline
#endif

/* One parameter: its value, the averages of its gradient and of the gradient's square.  The corrections are
 * 1 / (1 - beta^step).  Every operation is rounded by itself, so that device and host agree bit for bit. */
ADAMW_BOTH void adamw_update(float *value, float *mean, float *square, float gradient, float mean_correction,
			     float square_correction)
{
	const float m = 0.9f * *mean + 0.1f * gradient;
	const float s = 0.999f * *square + 0.001f * gradient * gradient;
	const float change = m * mean_correction / (sqrtf(s * square_correction) + 1e-8f);

	*mean = m;
	*square = s;
	*value -= 1e-3f * (change + 0.01f * *value);
}

#endif
