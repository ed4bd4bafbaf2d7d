/* watch.h - a run of the coprocessor seen from beside it: how far it is, and signals that end it. */
#ifndef STRATA_CSPRUN_WATCH_H
#define STRATA_CSPRUN_WATCH_H

#include "csp/machine.h"
#include "machine/live.h"

/* From here on SIGINT, SIGTERM and SIGHUP stop the machine's run (a second Ctrl-C ends us at once), and another thread
 * writes live (NULL: nobody asks) about twice a second. Both are kept. Once per process. */
void csprun_watch_begin(struct csp_machine *m, struct machine_live *live);
/* The thread ends. Signals are only noted from here on. */
void csprun_watch_end(void);
/* The signal that came; 0: none. */
int csprun_watch_signal(void);

#endif
