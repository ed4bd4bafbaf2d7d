/* watch.h - a run seen from beside it: how far it is, and signals that end it. Of doors whose model is their process's
 * own work; the driver's runs have interrupt.h. */
#ifndef STRATA_MACHINE_WATCH_H
#define STRATA_MACHINE_WATCH_H

#include "machine/live.h"

/* What is watched: is asked from another thread, and told to stop from a signal handler. */
struct machine_watched {
	void (*progress)(void *ctx, struct sim_progress *out);
	void (*stop)(void *ctx);
	void *ctx;
};

/* From here on SIGINT, SIGTERM and SIGHUP stop the run (a second Ctrl-C ends us at once), and another thread writes
 * live (NULL: nobody asks) about twice a second. Both are kept. Once per process. */
void machine_watch_begin(const struct machine_watched *run, struct machine_live *live);
/* The thread ends. Signals are only noted from here on. */
void machine_watch_end(void);
/* The signal that came; 0: none. */
int machine_watch_signal(void);

#endif
