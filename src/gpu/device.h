/* device.h - the timed GPU as a device for the doors. */
#ifndef STRATA_GPU_DEVICE_H
#define STRATA_GPU_DEVICE_H

#include "device/device.h"
#include "gpu/gpu.h"

/* What programs are told of a GPU. */
struct device_traits gpu_device_traits(const struct gpu_config *c);
/* The device that g is, as long as g lives. */
struct device gpu_device(struct gpu *g);

#endif
