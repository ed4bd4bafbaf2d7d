/* Complex samples of synthetic signals, for the SKA's programs. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "common/program.h"

struct sample {
	float re, im;
};

/* Parts are from -0.5 to 0.5. */
static inline struct sample input_sample(uint64_t seed, size_t i)
{
	return (struct sample){workload_random_float(seed, 0, i) - 0.5f, workload_random_float(seed, 1, i) - 0.5f};
}

#endif
