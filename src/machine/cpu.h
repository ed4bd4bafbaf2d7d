/* cpu.h - the processors of a machine without a GPU: the group "cpu", in front of the first of its memories. */
#ifndef STRATA_MACHINE_CPU_H
#define STRATA_MACHINE_CPU_H

#include "cpu/system.h"
#include "machine/machine.h"

extern const struct machine_part machine_cpu_part;

/* NULL: the machine has none. */
const struct cpu_params *machine_cpu_params(const struct machine_config *c);
struct cpu_system *machine_cpu(const struct machine *m);

#endif
