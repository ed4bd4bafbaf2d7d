/* team.h - threads that do the parts of one step of the simulation together.
 *
 * A step (sim_team_run) is a set of items, each of which any thread may do; the caller's thread is one of the team and
 * returns when all are done. An item has a home, the thread that does it as long as that one keeps up: what belongs to
 * an item stays in that thread's cache, and to fetch it from there takes longer than to wait for a thread that is a
 * little behind. The caller does what those have left that have not come in time: nobody waits for long for a thread
 * that the host does not run, but for an item that it has begun.
 *
 * Nothing that a run computes may depend on who does an item; so the team may leave all of a step to the caller.
 * Now and then it tries for some milliseconds whether steps go faster with the others or without them (more threads
 * than free cores; items that are short for what must pass between the cores), and keeps to that for a while.
 */
#ifndef STRATA_SIM_TEAM_H
#define STRATA_SIM_TEAM_H

#include <stdint.h>

enum { SIM_TEAM_MAX = 64 }; /* threads */

struct sim_team;

/* thread: who does it, 0 is the caller. */
typedef void (*sim_team_fn)(void *ctx, uint32_t thread, uint32_t item);

/* So many threads, the caller's included: 2 to SIM_TEAM_MAX. Items are numbers below item_count. NULL: the host gives
 * no threads. */
struct sim_team *sim_team_new(uint32_t thread_count, uint32_t item_count);
void sim_team_free(struct sim_team *t);
/* How many there are: the host may give fewer. */
uint32_t sim_team_threads(const struct sim_team *t);

/* Does fn(ctx, thread, item) for each of the items, which are in ascending order. */
void sim_team_run(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx);
/* Does so where items last for milliseconds: the others have theirs without a trial. */
void sim_team_run_long(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx);

#endif
