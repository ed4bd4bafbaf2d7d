/* array.h - formats of elements, as the runtime and as the driver describe them. */
#ifndef STRATA_CUDART_ARRAY_H
#define STRATA_CUDART_ARRAY_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

/* False when the driver has no such format. */
bool cudart_format_to_driver(const struct cudaChannelFormatDesc *f, CUarray_format *format, unsigned int *channels);
struct cudaChannelFormatDesc cudart_format_from_driver(CUarray_format format, unsigned int channels);

#endif
