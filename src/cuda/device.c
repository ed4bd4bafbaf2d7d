/* device.c - the one device: the modelled machine as programs ask about it. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cuda/driver.h"

/* Programs compute the peak bandwidth as 2 x clock x width / 8 (double data rate). The machine's is that of its links,
 * which is what an SM can get; clock and width are chosen so that the product is right. */
enum { BUS_BITS_PER_MEMORY = 256 };

static int bus_width_bits(const struct device_traits *t)
{
	return (int)(t->memory_count * BUS_BITS_PER_MEMORY);
}

static int bus_clock_khz(const struct device_traits *t)
{
	return (int)(t->memory_mbytes_per_s * 1000 / (2 * BUS_BITS_PER_MEMORY / 8));
}

int cuda_device_attribute(CUdevice_attribute a, bool *is_known)
{
	const struct device_traits *t = &cuda_driver.run.device->traits;
	const struct host_params *host = cuda_driver.run.host;

	*is_known = true;
	switch (a) {
#define ATTR(name, value)                                                                                              \
	case CU_DEVICE_ATTRIBUTE_##name:                                                                               \
		return (int)(value);
#include "cuda/attributes.def"
#undef ATTR
	default:
		*is_known = false;
		return 0;
	}
}

uint32_t cuda_device_limit(CUdevice_attribute a)
{
	bool is_known;

	return (uint32_t)cuda_device_attribute(a, &is_known);
}

CUresult cuda_device_check(CUdevice device)
{
	return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (ordinal)
		return CUDA_ERROR_INVALID_DEVICE;
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = 1;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!name || length <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)length, "Strata %s", cuda_driver.run.name);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(uuid->bytes, "Strata device 0", sizeof(uuid->bytes));
	return CUDA_SUCCESS;
}

#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = simt_memory_capacity_bytes(cuda_driver.mem);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;

	bool is_known;
	int v = cuda_device_attribute(attribute, &is_known);

	if (!is_known)
		return CUDA_ERROR_INVALID_VALUE;
	*value = v;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;

	const struct {
		CUdevice_attribute attribute;
		int *value;
	} rows[] = {
		{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &p->maxThreadsPerBlock},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &p->maxThreadsDim[0]},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &p->maxThreadsDim[1]},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &p->maxThreadsDim[2]},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &p->maxGridSize[0]},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &p->maxGridSize[1]},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &p->maxGridSize[2]},
		{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &p->sharedMemPerBlock},
		{CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &p->totalConstantMemory},
		{CU_DEVICE_ATTRIBUTE_WARP_SIZE, &p->SIMDWidth},
		{CU_DEVICE_ATTRIBUTE_MAX_PITCH, &p->memPitch},
		{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &p->regsPerBlock},
		{CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &p->clockRate},
		{CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &p->textureAlign},
	};
	bool is_known;

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		*rows[i].value = cuda_device_attribute(rows[i].attribute, &is_known);
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;

	bool is_known;

	*major = cuda_device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &is_known);
	*minor = cuda_device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &is_known);
	return CUDA_SUCCESS;
}

static const char pci_bus_id[] = "0000:00:00.0";

CUresult cuDeviceGetPCIBusId(char *bus_id, int length, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!bus_id || length < (int)sizeof(pci_bus_id))
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	strcpy(bus_id, pci_bus_id);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *bus_id)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!device || !bus_id)
		return CUDA_ERROR_INVALID_VALUE;
	if (strcmp(bus_id, pci_bus_id) && strcmp(bus_id, "00:00.0") && strcmp(bus_id, "0000:00:00"))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!can_access)
		return CUDA_ERROR_INVALID_VALUE;
	if (device || peer)
		return CUDA_ERROR_INVALID_DEVICE;
	*can_access = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice destination)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	(void)source, (void)destination;
	if (!value || attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
	    attribute > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_ERROR_INVALID_DEVICE; /* a pair of different devices is needed, and there is one */
}
