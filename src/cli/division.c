/* division.c - cores for runs, see division.h. */
#include "cli/division.h"

#include "base/check.h"
#include "sim/team.h"

#include <glib.h>

static uint32_t share(const struct cli_division *d, uint32_t waiting_count)
{
	const uint32_t idle = d->cores - MIN(d->cores, d->busy_threads);
	const uint32_t beginning = MIN(waiting_count, d->slots - d->running_count);

	return CLAMP(idle / beginning, 1, SIM_TEAM_MAX);
}

uint32_t cli_division_begin(struct cli_division *d, uint32_t waiting_count)
{
	uint32_t threads = d->threads;

	CHECK(cli_division_has_place(d) && waiting_count);
	if (threads == CLI_THREADS_AUTO)
		threads = share(d, waiting_count);
	d->running_count++;
	d->busy_threads += MAX(threads, 1);
	return threads;
}

void cli_division_end(struct cli_division *d, uint32_t threads)
{
	CHECK(d->running_count);
	d->running_count--;
	d->busy_threads -= MAX(threads, 1);
}
