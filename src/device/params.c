/* params.c - the tables of "run" and "host", and what the host's wires carry. */
#include "base/check.h"
#include "device/host.h"
#include "device/run.h"

static const struct sim_param_desc run_rows[] = {
#define PARAM_STRUCT struct run_params
#include "sim/param_rows.inc"
#include "device/run_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc host_rows[] = {
#define PARAM_STRUCT struct host_params
#include "sim/param_rows.inc"
#include "device/host_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_when run_whens[] = {
    {"sample_*", "run.mode", "sampled"},
    {0},
};
static const struct sim_param_when host_whens[] = {
    {"pcie_*", "host.link", "pcie"},
    {"nvlink_*", "host.link", "nvlink"},
    {"code_scale_percent", "host.code", "measured"},
    {0},
};

void run_params_groups(struct run_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "run", run_rows, ARRAY_COUNT(run_rows), p);
	sim_param_groups_when(out, run_whens);
}

void host_params_groups(struct host_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "host", host_rows, ARRAY_COUNT(host_rows), p);
	sim_param_groups_when(out, host_whens);
}

struct host_wires host_wires_of(const struct host_params *h)
{
	const struct host_wires pcie = {h->pcie_bandwidth_mbytes_per_s, h->pcie_payload_bytes,
					h->pcie_overhead_bytes, h->pcie_latency_ps};
	const struct host_wires nvlink = {h->nvlink_bandwidth_mbytes_per_s, h->nvlink_payload_bytes,
					  h->nvlink_overhead_bytes, h->nvlink_latency_ps};

	return h->link == HOST_NVLINK ? nvlink : pcie;
}

uint64_t host_wire_bytes(const struct host_wires *w, uint64_t bytes)
{
	return bytes + (bytes / w->payload_bytes + !!(bytes % w->payload_bytes)) * w->overhead_bytes;
}
