/* wait.h - waiting for a program, for what the user wishes meanwhile, and for the limit of time.
 *
 * The first Ctrl-C, SIGTERM or SIGHUP is the program's: it ends by itself, and its results are kept. At the second
 * one everything that the program has started is asked to end (SIGTERM), and soon after made to (SIGKILL); so it is
 * when the limit of wall-clock time is over and the program does not end by itself.
 */
#ifndef STRATA_CLI_WAIT_H
#define STRATA_CLI_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on signals wait for cli_wait. Before the first program starts. */
void cli_wait_begin(void);
/* In a child that becomes a program: signals as they were. */
void cli_wait_child(void);

/* While cli_wait waits, tick is called every half second; NULL: nobody is. */
void cli_wait_tick(void (*tick)(void *ctx), void *ctx);
/* Waits until the child has ended; deadline_ns: when its time is over, 0: never. Returns its wait status, and that of
 * an exit with 128 and the signal's number where the user has made it end; CLI_WAIT_UNKNOWN where there is no such
 * child any more. *is_timed_out: it was made to end when its time was over. */
int cli_wait(pid_t pid, uint64_t deadline_ns, bool *is_timed_out);

/* No wait status: nobody can tell how the program has ended. */
enum { CLI_WAIT_UNKNOWN = -1 };

/* How long a program may take to end by itself, after its time is over, and after SIGTERM. */
enum { CLI_WAIT_GRACE_S = 2, CLI_WAIT_KILL_S = 5 };

#endif
