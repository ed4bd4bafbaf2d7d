/* device.h - a Duality Cache behind the table that doors use (device/device.h). */
#ifndef STRATA_DC_DEVICE_H
#define STRATA_DC_DEVICE_H

#include "dc/system/system.h"

struct dc_device;

/* Keeps system and params. memory_mbytes_per_s: of its memory, all channels. */
struct dc_device *dc_device_new(struct dc_system *system, const struct dc_params *p, uint64_t memory_mbytes_per_s);
void dc_device_free(struct dc_device *d);
struct device dc_device_table(struct dc_device *d);

#endif
