/* cpu_account.h - the account of processors and what is beside their memory, in the results. Between the files of
 * parts.h. */
#ifndef STRATA_MACHINE_CPU_ACCOUNT_H
#define STRATA_MACHINE_CPU_ACCOUNT_H

#include <jansson.h>

#include "machine/machine.h"

/* How many units the machine's account has: hardware threads; cores of NDPs, or accesses of accelerators and then
 * these. */
uint32_t machine_cpu_account_units(const struct machine_config *c);
/* core_account (docs/results.md), if there is one: by hardware thread and NDP core, whose parts add up to time_ps each,
 * by line of the program, by channel, and by accelerator. */
void machine_cpu_account(const struct machine *m, json_t *fields, json_t *units);

#endif
