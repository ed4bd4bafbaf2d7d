/* Shared by the host program and the kernels. */
#ifndef HYBRIDSORT_H
#define HYBRIDSORT_H

#define HYBRIDSORT_BUCKETS 1024 /* Rodinia's */
#define HYBRIDSORT_FIRST 4      /* numbers that a thread sorts at first */

#if defined(__CUDA__) || defined(__CUDACC__)
#define HYBRIDSORT_DEVICE static __device__ __forceinline__
#else
#define HYBRIDSORT_DEVICE static inline
#endif

/* The bucket of a number in [0, 1). */
HYBRIDSORT_DEVICE unsigned int hybridsort_bucket(float value)
{
	return (unsigned int)(value * HYBRIDSORT_BUCKETS);
}

#endif
