/* advise_walk.h - what the threads of a recorded program would take on cores of near-data processors.
 *
 * A recording (threads/trace.h) of the program with a thread for each of these cores has who touches which line, and
 * who waits for whom; it was made with fixed costs and knows no machine. It is walked once, each thread with a clock of
 * its own. Nothing is queued one after the other: what all threads share has sums over stretches of their time, and
 * where it has more to do than the stretch is long, all take that much longer.
 */
#ifndef STRATA_REPORT_ADVISE_WALK_H
#define STRATA_REPORT_ADVISE_WALK_H

#include <jansson.h>
#include <stdbool.h>

/* Seconds. */
struct report_advise_walk {
	double threads_s; /* until the last thread ends: its instructions, its accesses, its waiting for others */
	double shared_s;  /* the same, with what they wait for what they share; no less than any of the next four */
	double line_s;	  /* the line that most accesses change, one after the other */
	double point_s, down_s, up_s, memory_s; /* bytes over rates: NDP-AP, busiest channel each way, busiest memory */
	/* Of the parallel part: accesses, of which hits of cores' caches, and remote ones. */
	double accesses, hits, remote;
};

/* trace: the file. ndps: what machine_session_json says of the machine. False: *why says what is wrong with the
 * file. */
bool report_advise_walk(const char *trace, const json_t *ndps, struct report_advise_walk *out, const char **why);

#endif
