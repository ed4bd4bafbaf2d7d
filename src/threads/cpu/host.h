/* host.h - what the model that runs a program's threads is made of; a part of model.c and questions.c. */
#ifndef STRATA_THREADS_CPU_HOST_H
#define STRATA_THREADS_CPU_HOST_H

#include "base/check.h"
#include "base/divide.h"
#include "cpu/account.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/hdl.h"
#include "machine/live.h"
#include "machine/result.h"
#include "machine/session.h"
#include "threads/cpu/accelerators.h"
#include "threads/cpu/awake.h"
#include "threads/cpu/bytes.h"
#include "threads/cpu/costs.h"
#include "threads/model.h"

#include <glib.h>

/* Whose access a core waits for, and with which bytes it goes on where no versions are followed. */
struct waiting {
	uint32_t thread;
	void *bytes; /* NULL: of a fence */
};

struct host {
	struct thread_model model;
	const struct thread_runtime *runtime;
	struct machine_session session;
	struct machine_run run;
	struct cpu_system *cpu;
	struct cpu_stats *stats;
	struct sim_engine *engine;
	struct waiting *waiting; /* by unit */
	struct bytes *bytes;     /* NULL: the newest are everybody's */
	struct cpu_account *account; /* NULL: it is off */
	uint8_t *between; /* by unit: the part of what is between its hooks, enum cpu_part */
	const void **readers;  /* with cpu.values=bytes: where each unit's access is; or NULL */
	const void *foreign_place; /* the read that first found bytes which no store had written; or NULL */
	GPtrArray *places; /* of an account, by thread: where it was last in the program's own code; or NULL */
	struct sim_sampler *sampler; /* NULL: off */
	struct awake *awake;
	const uint32_t *awake_threads; /* its own */
	GHashTable *reset;       /* statistics when they were reset, by name */
	const struct cpu_params *params;
	uint64_t limit_ps;   /* run.timeout_simulated_ps */
	struct machine_live *live;
	/* When anything is looked at next, and the host's clock; how much later that once more; when that was. */
	uint64_t look_ps, clock_ps, look_step_ps, looked_ns, told_ns;
	uint64_t told_units; /* when the runtime comes back */
	/* When the machine has something to do, if nothing was put off since; 0: that is to be found out. */
	uint64_t next_units, asked;
	uint64_t per_ps; /* units of the engine's time */
	struct base_divisor by_per_ps;
	uint64_t *near_ahead_units; /* of NDPs' cores: their clocks are so much later than their times */
	bool is_advancing; /* see advance */
	struct channel_system *near; /* NULL: no NDPs */
	const struct channel_params *near_params;
	struct accelerators *accelerators; /* NULL: none; else all NDPs are */
	uint32_t cpu_units; /* those of NDPs come after them */
	struct costs cpu_costs, near_costs;
	struct flow *flows; /* NULL: cores issue in order */
};

/* Has the runtime come back when the machine has something to do. */
static inline void host_come_back(struct host *h)
{
	const uint64_t next = sim_next_units(h->engine);

	h->next_units = next;
	h->asked = cpu_events_asked(h->cpu);
	if (next == SIM_NEVER || next == h->told_units)
		return;
	h->told_units = next;
	h->runtime->event((next + h->per_ps - 1) / h->per_ps);
}

/* Until the time of an access or a question. */
static inline void host_run_until(struct host *h, uint64_t now_ps)
{
	const uint64_t units = now_ps * h->per_ps;

	if (units <= sim_now_units(h->engine))
		return;
	if (units < h->next_units && h->asked == cpu_events_asked(h->cpu)) {
		sim_pass_units(h->engine, units);
	} else {
		sim_run_until(h->engine, units);
		h->next_units = 0;
	}
}

/* ---- the account ---- */

/* Where the thread is in the program's own code. */
const void *host_place(struct host *h, const struct thread_at *at);

/* The unit is at its next hook: what was between is no access and no instruction. */
static inline void host_account_hook(struct host *h, const struct thread_at *at)
{
	if (unlikely(h->account != NULL)) {
		cpu_account_until(h->account, at->unit, (enum cpu_part)h->between[at->unit], at->now_ps * h->per_ps);
		h->between[at->unit] = CPU_PART_SYSTEM;
		cpu_account_at(h->account, at->unit, host_place(h, at));
	}
}

/* See thread_model.ask. */
struct thread_reply host_answer(void *self, const struct thread_at *at, const struct thread_ask *ask);

#endif
