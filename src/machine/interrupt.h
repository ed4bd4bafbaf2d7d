/* interrupt.h - what ends a run from outside, and writes its results meanwhile: for run.c alone. */
#ifndef STRATA_MACHINE_INTERRUPT_H
#define STRATA_MACHINE_INTERRUPT_H

#include "machine/run.h"

/* Watches for SIGINT, SIGTERM and SIGHUP, where the program leaves them alone, and for the limit of wall-clock time.
 * Once per process; keeps run and door. */
void machine_interrupt_install(struct machine_run *run, const struct machine_door *door);
/* At the program's end: signals are only noted, so that none keeps the results from being written, and every thread but
 * the calling one waits where it leaves the door (machine_run_wait) ... */
void machine_interrupt_hold(void);
/* ... and what came meanwhile ends the program now. */
void machine_interrupt_end(void);

/* Closes the door and writes the results, once. With the lock held. (run.c) */
void machine_run_write(struct machine_run *run, const char *ended);

/* What CLOCK_MONOTONIC says. */
uint64_t machine_now_ns(void);

#endif
