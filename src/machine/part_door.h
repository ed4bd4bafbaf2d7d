/* part_door.h - the main program of a part that runs files of its own (struct machine_files): DOOR FILE [ARGUMENTS].
 *
 * Its exit status is 0; 1 when the program has found its results wrong; 2 after a mistake of the program, or of who
 * started it; 124 at the limit of simulated time; 125 where a file or memory was not to be had; 128 and the number of
 * the signal that ended it.
 */
#ifndef STRATA_MACHINE_PART_DOOR_H
#define STRATA_MACHINE_PART_DOOR_H

#include "base/diag.h"
#include "machine/part.h"
#include "sim/progress.h"

/* How a run came to its end, and what it took. */
struct machine_part_end {
	uint64_t time_ps, cycles;
	bool was_stopped, was_limited; /* asked to stop; at the limit of simulated time */
	bool is_wrong;		       /* by the program's own checks */
};

/* What the door does with its program, in this order. Each is given ctx, and returns false after messages; NULL: there
 * is nothing to do. */
struct machine_part_door {
	const struct machine_part *part;
	/* Reads the program, for the machine's parameters. */
	bool (*read)(void *ctx, const struct machine_config *c, struct base_diag_list *diag);
	/* Puts it into the machine, which stays. */
	bool (*load)(void *ctx, const struct machine *m, struct base_diag_list *diag);
	/* Runs it. False: it did what it may not; *end is then what there was until then. */
	bool (*run)(void *ctx, struct machine_part_end *end, struct base_diag_list *diag);
	/* Leaves what the program leaves, after a run to its end. */
	bool (*keep)(void *ctx, struct base_diag_list *diag);
	/* How far a run is, for another thread; asks it to end at once, from a signal handler. Never NULL. */
	void (*progress)(void *ctx, struct sim_progress *out);
	void (*stop)(void *ctx);
};

/* From the session to its results: main's exit status. */
int machine_part_door_main(const struct machine_part_door *door, void *ctx);

#endif
