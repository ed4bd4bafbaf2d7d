/* division.h - how the cores of the host are divided between runs side by side and the threads of each. */
#ifndef STRATA_CLI_DIVISION_H
#define STRATA_CLI_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

enum { CLI_THREADS_AUTO = UINT16_MAX };

struct cli_division {
	uint32_t cores; /* that there are, at least 1 */
	uint32_t slots; /* runs side by side at most, at least 1 */
	uint32_t threads; /* of each run, or CLI_THREADS_AUTO; 0: nobody has said */
	/* Runs that have begun and not ended, and their threads; 0 at first. */
	uint32_t running_count, busy_threads;
};

/* May one more run begin? */
static inline bool cli_division_has_place(const struct cli_division *d)
{
	return d->running_count < d->slots;
}

/* One of waiting_count runs begins. How many threads it has; 0: nobody has said, and it has one. CLI_THREADS_AUTO: the
 * cores that have nothing to do, divided by the runs that begin now; one where there are none. So runs have no more
 * threads together than there are cores, or one each where more run side by side. */
uint32_t cli_division_begin(struct cli_division *d, uint32_t waiting_count);
/* It has ended. */
void cli_division_end(struct cli_division *d, uint32_t threads);

#endif
