/* channel_descriptor.h - cudaCreateChannelDesc<T>() for scalars and vectors of 1, 2 and 4 components. */
#ifndef STRATA_CHANNEL_DESCRIPTOR_H
#define STRATA_CHANNEL_DESCRIPTOR_H

#ifdef __NVCC__
#include_next <channel_descriptor.h>
#else

#include <cuda_runtime_api.h>

#ifdef __cplusplus

/* Types without a format do not link. */
template <class T> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void);

#define STRATA_CHANNELS(type, x, y, z, w, kind)                                                                        \
	template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>(void)                        \
	{                                                                                                              \
		return cudaCreateChannelDesc(8 * (int)sizeof(x), 8 * (int)(y), 8 * (int)(z), 8 * (int)(w),             \
					     cudaChannelFormatKind##kind);                                             \
	}
#define STRATA_CHANNELS_OF(type, name, kind)                                                                           \
	STRATA_CHANNELS(type, type, 0, 0, 0, kind)                                                                     \
	STRATA_CHANNELS(name##1, type, 0, 0, 0, kind)                                                                  \
	STRATA_CHANNELS(name##2, type, sizeof(type), 0, 0, kind)                                                       \
	STRATA_CHANNELS(name##4, type, sizeof(type), sizeof(type), sizeof(type), kind)
STRATA_CHANNELS(char, char, 0, 0, 0, Signed)
STRATA_CHANNELS_OF(signed char, char, Signed)
STRATA_CHANNELS_OF(unsigned char, uchar, Unsigned)
STRATA_CHANNELS_OF(short, short, Signed)
STRATA_CHANNELS_OF(unsigned short, ushort, Unsigned)
STRATA_CHANNELS_OF(int, int, Signed)
STRATA_CHANNELS_OF(unsigned int, uint, Unsigned)
STRATA_CHANNELS_OF(float, float, Float)
#undef STRATA_CHANNELS_OF
#undef STRATA_CHANNELS

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#endif

#endif
#endif
