/* host.h - parameters of the host that a device hangs on: "host"; and its wires. */
#ifndef STRATA_DEVICE_HOST_H
#define STRATA_DEVICE_HOST_H

#include "sim/param.h"

#define HOST_LINKS(X) X(HOST_PCIE, pcie) X(HOST_NVLINK, nvlink)
#define HOST_ACCESS_WIRES(X) X(HOST_ACCESS_SHARED, shared) X(HOST_ACCESS_LATENCY_ONLY, latency_only)
#define HOST_CODES(X) X(HOST_CODE_NONE, none) X(HOST_CODE_MEASURED, measured)
enum host_link_kind { HOST_LINKS(SIM_PARAM_ENUMERATOR) };
enum host_access_wires { HOST_ACCESS_WIRES(SIM_PARAM_ENUMERATOR) };
enum host_code { HOST_CODES(SIM_PARAM_ENUMERATOR) };

struct host_params {
#include "sim/param_fields.inc"
#include "device/host_params.def"
#include "sim/param_end.inc"
};

/* Adds the table, bound to *p, which stays the caller's and must outlive out. */
void host_params_groups(struct host_params *p, struct sim_param_groups *out);

/* The wires between host and device, as host.link chooses them. */
struct host_wires {
	uint64_t mbytes_per_s, payload_bytes, overhead_bytes, latency_ps;
};

struct host_wires host_wires_of(const struct host_params *h);
/* What data of this size is on the wires, in packets. */
uint64_t host_wire_bytes(const struct host_wires *w, uint64_t bytes);

#endif
