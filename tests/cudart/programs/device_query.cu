// What a program asks about the device: count, properties, attributes, limits, preferences, versions, the bus, peers.
#include <string.h>

#include "program.h"

static int attribute(cudaDeviceAttr a)
{
	int value = -1;

	OK(cudaDeviceGetAttribute(&value, a, 0));
	return value;
}

int main()
{
	cudaDeviceProp p;
	int n = 0, driver = 0, runtime = 0;

	OK(cudaGetDeviceCount(&n));
	CHECK(n == 1);
	OK(cudaSetDevice(0));
	n = 7;
	OK(cudaGetDevice(&n));
	CHECK(n == 0);
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
	FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 3));

	memset(&p, 0xff, sizeof(p));
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(!strncmp(p.name, "Strata ", 7) && p.major == attribute(cudaDevAttrComputeCapabilityMajor));
	CHECK(p.warpSize == 32 && p.warpSize == attribute(cudaDevAttrWarpSize));
	CHECK(p.multiProcessorCount > 0 && p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
	CHECK(p.maxThreadsPerBlock == attribute(cudaDevAttrMaxThreadsPerBlock));
	CHECK(p.maxThreadsDim[2] == attribute(cudaDevAttrMaxBlockDimZ));
	CHECK(p.maxGridSize[0] == attribute(cudaDevAttrMaxGridDimX));
	CHECK((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
	CHECK((int)p.totalConstMem == 65536 && p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
	CHECK(p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
	CHECK((int)p.sharedMemPerMultiprocessor == attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
	CHECK(p.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
	CHECK(p.unifiedAddressing == 1 && p.managedMemory == 1 && p.cooperativeLaunch == 1);
	CHECK(p.memoryPoolsSupported == 1 && p.clusterLaunch == 0);
	CHECK(p.totalGlobalMem > 0 && attribute(cudaDevAttrClockRate) > 0);

	OK(cudaChooseDevice(&n, &p));
	CHECK(n == 0);
	OK(cudaDriverGetVersion(&driver));
	OK(cudaRuntimeGetVersion(&runtime));
	CHECK(runtime == CUDART_VERSION && driver >= runtime);

	size_t before = 0, value = 0;

	OK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
	OK(cudaDeviceSetLimit(cudaLimitStackSize, before + 1024));
	OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
	CHECK(value == before + 1024);

	cudaFuncCache cache = cudaFuncCachePreferNone;

	OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
	OK(cudaDeviceGetCacheConfig(&cache));
	CHECK(cache == cudaFuncCachePreferL1);

	char bus[32];
	int least = 7, greatest = 7, can = 7;

	OK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
	n = 7;
	OK(cudaDeviceGetByPCIBusId(&n, bus));
	CHECK(n == 0);
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(least >= greatest);
	OK(cudaDeviceCanAccessPeer(&can, 0, 0));
	CHECK(can == 0);
	FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));

	unsigned int flags = 0;

	OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	OK(cudaGetDeviceFlags(&flags));
	CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);

	void *function = NULL;
	cudaDriverEntryPointQueryResult found;

	OK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &function, 12000, cudaEnableDefault, &found));
	CHECK(function && found == cudaDriverEntryPointSuccess);

	size_t total = 0;

	OK((cudaError_t)((int (*)(size_t *, size_t *))function)(&value, &total));
	CHECK(total == p.totalGlobalMem && value <= total);
	OK(cudaDeviceReset());
	return 0;
}
