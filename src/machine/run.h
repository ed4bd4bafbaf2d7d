/* run.h - a program's run on the machine that the session describes, whichever door it came through.
 *
 * A door calls machine_run_begin at the program's first call, machine_run_keep between two calls, and machine_run_end
 * when the program ends. In between it reports what the program does: kernels with machine_run_launch, all else on the
 * timeline. The results, those so far, the messages, Ctrl-C and the limits of time come with that.
 *
 * There is one run per process. It is read and written with the door's lock held, but for what the watcher
 * of interrupt.c says in passing, is_wall_over and is_keep_due, and for what it asks in passing: the device's progress,
 * running_kernel and launch_count.
 */
#ifndef STRATA_MACHINE_RUN_H
#define STRATA_MACHINE_RUN_H

#include <pthread.h>

#include "device/device.h"
#include "device/host.h"
#include "device/run.h"
#include "machine/kernels.h"
#include "machine/live.h"
#include "machine/timeline.h"

/* machine_run.ended: the program has ended by itself; it still ran when these results were written, and no newer ones
 * have replaced them. */
#define MACHINE_ENDED_BY_EXIT "exit"
#define MACHINE_ENDED_UNSEEN "_exit or killed"

struct machine_run {
	const struct machine_session *session;
	struct machine *machine; /* NULL: nothing of it is in the results */
	struct device *device;	 /* its */
	struct machine_kernels *kernels;
	struct machine_sums *sums; /* of each kernel */
	uint64_t kernel_time_ps, kernel_cycles; /* in all of them */
	struct machine_timeline *timeline; /* settled for the results; may be NULL there */
	const char *name; /* the machine's */
	const struct host_params *host;
	const struct run_params *params;
	bool is_checked;	    /* the memory checker is asked for */
	char *fault;		    /* text of the first one, or NULL */
	volatile bool is_wall_over; /* the limits of time have been reached */
	bool is_simulated_over;
	bool is_interrupted; /* by a signal */
	volatile bool is_keep_due; /* machine_run_keep has something to do */
	struct machine_live *live;		 /* NULL: nobody asks */
	const char *volatile running_kernel; /* of kernels; NULL: none runs */
	uint64_t launch_count;
	const char *range; /* of the program, which run.only names; NULL: none */
	bool has_unmodelled; /* false: nobody has counted these, or not all of them */
	uint64_t unmodelled_instructions; /* that the program has executed in code that is not modelled */
	/* of this process, when the results are written */
	const char *ended;   /* "signal" (that asked for it), "timeout", or one of the above */
	double host_seconds; /* CPU seconds */
	uint64_t peak_rss_bytes;
	uint32_t host_threads; /* that did the simulation; 0 or 1: one */
	/* run.c's */
	bool is_written;	   /* the results, to their end */
	uint64_t kept_work_count;  /* of the timeline, in the results so far */
	volatile uint64_t keep_cost_ns; /* of writing these */
};

/* What the run needs of the door. */
struct machine_door {
	pthread_mutex_t *lock; /* recursive: held in every call of the door */
	/* Makes what the door needs of a machine that is there. False after a message: there is no room for it. */
	bool (*open)(struct machine_run *run);
	/* Just before the results are written for the last time. is_complete: the program has ended by itself. */
	void (*close)(struct machine_run *run, bool is_complete);
	/* Is the calling thread in a range of this name? NULL: programs that come through the door name none. */
	bool (*is_in_range)(const char *name);
};

enum machine_begin {
	MACHINE_BEGUN,
	MACHINE_REFUSED,   /* by the session's file or the machine's parameters */
	MACHINE_NO_MEMORY, /* on this host; a process that strata has started does not come back, it ends with 125 */
};

/* Reads the session, builds the machine and begins to watch for signals and for the limit of time; prints why not.
 * Called once, with the lock held; run and door are kept. */
enum machine_begin machine_run_begin(struct machine_run *run, const struct machine_door *door);
/* Between two calls of the program, with the lock held, and if is_keep_due: writes the results so far, where there is
 * something new, for a program that will be killed or leave by _exit. */
void machine_run_keep(struct machine_run *run);
/* The program ends: a kernel that another thread still runs is ended, the results are written, and a signal that came
 * meanwhile ends the process. Called without the lock; returns with it. */
void machine_run_end(struct machine_run *run);
/* Frees what it made. */
void machine_run_free(struct machine_run *run);

/* Where a thread leaves the door, without the lock: once the run is ending, those that do not bring the end about stay
 * for some seconds, in which the process ends. What the program would make of a kernel that has been ended must not
 * decide how it ends. */
void machine_run_wait(void);

/* The program says that a part of it that is of interest begins, or ends. */
void machine_run_region(struct machine_run *run, bool is_begin);

/* Runs l, which the host gave to the stream at given_ps, when stream and device are free, no earlier than ready_ps, and
 * adds it to the results. False: it faulted or was ended, l->fault says why. */
bool machine_run_launch(struct machine_run *run, struct simt_launch *l, struct machine_stream *stream,
			uint64_t given_ps, uint64_t ready_ps, struct device_result *result);

#endif
