/* stop.c - what users read where a launch was ended from outside: the same of every device. */
#include "device/device.h"

#include "base/check.h"

const char *device_stop_text(enum device_stop why)
{
	switch (why) {
	case DEVICE_STOP_USER: return "stopped by the user";
	case DEVICE_STOP_WALL: return "ended by the limit of wall-clock time (run.timeout_wall_ns)";
	case DEVICE_STOP_SIMULATED: return "ended by the limit of simulated time (run.timeout_simulated_ps)";
	case DEVICE_STOP_NONE: break;
	}
	UNREACHABLE("a launch that nothing has stopped");
}

enum simt_fault_kind device_stop_kind(enum device_stop why)
{
	return why == DEVICE_STOP_USER ? SIMT_FAULT_STOPPED : SIMT_FAULT_TIMEOUT;
}
