/* cpu_over_time.h - what machines with processors, and near-data processors beside them, keep over time. */
#ifndef STRATA_MACHINE_CPU_OVER_TIME_H
#define STRATA_MACHINE_CPU_OVER_TIME_H

#include <jansson.h>

#include "machine/machine.h"

struct cpu_system;

/* Has the processors of a machine that is being built keep what cpu.sample_ps and cpu.span_count ask for. */
void machine_cpu_keep(const struct machine *m, struct cpu_system *s);
/* Puts samples and spans into o; null is what was not asked for. */
void machine_cpu_over_time(const struct machine *m, json_t *o);

#endif
