/* inside.h - the system's parts, for who adds to them: an agent on the bus, what is at the far end of the channels. */
#ifndef STRATA_CPU_INSIDE_H
#define STRATA_CPU_INSIDE_H

#include "cpu/channel.h"
#include "cpu/core.h"
#include "cpu/pages.h"

struct cpu_system {
	struct cpu_common common;
	struct cpu_bus bus;
	struct cpu_channels channels;
	struct cpu_pages pages;
	struct cpu_core *cores;
	struct cpu_thread **threads; /* by unit */
	struct sim_sampler *sampler; /* NULL: off */
	struct sim_spans *spans, *moves; /* NULL: off */
};

#endif
