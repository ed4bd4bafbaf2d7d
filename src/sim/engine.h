/* engine.h - simulated time: clock domains, sleeping components, and a total order of events.
 *
 * Time is an unsigned 64-bit count of *units*. One unit is 1/D picoseconds, where D is chosen when the domains are
 * added such that the period of every clock domain is a whole number of units (1.4 GHz, 1.25 GHz and tCK = 1.5 ns
 * give D = 7). Cycle n of a domain is at exactly n * period_units; nothing is ever rounded or accumulated, so
 * domains never drift.
 *
 * A component belongs to one domain and sleeps until somebody wakes it for a cycle. All components woken for the same
 * cycle of a domain tick in the order in which they were added. Domains whose edges coincide tick in the order in
 * which they were added. This is the total order of the simulation: no tie is ever broken by anything else.
 *
 * A tick at cycle c may wake any component for a time >= now. Waking a component of the same domain in the current
 * cycle is legal only for a component that comes later in the order (it then ticks in this cycle); waking one that
 * has had its turn, or itself, moves to the next cycle.
 */
#ifndef STRATA_SIM_ENGINE_H
#define STRATA_SIM_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NEVER UINT64_MAX

enum { SIM_DOMAIN_MAX = 16 };

enum { SIM_COMPS_MAX = 4096 }; /* components of a domain */

struct sim_engine;

typedef void (*sim_tick_fn)(void *component, uint64_t cycle);

/* A component's place in the engine: by value, valid for the engine's life. */
struct sim_comp {
	uint16_t domain;
	uint16_t index; /* order within the domain */
};

/* An exact frequency: millihertz would not hold 2000/3 MHz, so a fraction: period = num / den picoseconds. */
struct sim_period {
	uint64_t num_ps, den;
};

/* period of a frequency given in kHz (1 .. 100 GHz): num = 10^9, den = khz, reduced. */
struct sim_period sim_period_of_khz(uint64_t khz);
/* period given in whole picoseconds. */
struct sim_period sim_period_of_ps(uint64_t ps);

/* An engine without domains. Free with sim_engine_free. */
struct sim_engine *sim_engine_new(void);
void sim_engine_free(struct sim_engine *e);

/* Adds a clock domain (its name is unique and kept, not copied) and puts its number into *domain. All come before
 * the first component, and before anybody asks for units: each may change what a unit is. False, and no domain, if the
 * periods have no common unit small enough to count 10^4 simulated seconds in 64 bits; the caller reports that as the
 * user's mistake. */
bool sim_domain_add(struct sim_engine *e, const char *name, struct sim_period period, uint32_t *domain);

/* Adds a component to a domain, in tick order; only before the first run. */
struct sim_comp sim_engine_add(struct sim_engine *e, uint32_t domain, const char *name, sim_tick_fn tick,
			       void *component);

/* From now on the component ticks with tick. */
void sim_engine_tick_with(struct sim_engine *e, struct sim_comp c, sim_tick_fn tick);

/* What every engine begins with: for sim_now_units alone. */
struct sim_clock {
	uint64_t now_units;
};

static inline uint64_t sim_now_units(const struct sim_engine *e)
{
	return ((const struct sim_clock *)e)->now_units;
}

/* The number of a domain that has been added. */
uint32_t sim_domain_find(const struct sim_engine *e, const char *name);
uint64_t sim_period_units(const struct sim_engine *e, uint32_t domain);
uint64_t sim_units_per_ps(const struct sim_engine *e); /* D */
uint64_t sim_ps_of_units(const struct sim_engine *e, uint64_t units); /* rounded down */
uint64_t sim_now_ps(const struct sim_engine *e); /* rounded down */
/* The units that a duration takes. */
uint64_t sim_units_of_ps(const struct sim_engine *e, uint64_t ps);
/* The domain's current cycle: of the tick in progress, or the first cycle at or after now. */
uint64_t sim_cycle_now(const struct sim_engine *e, uint32_t domain);

/* Wakes the component for a cycle of its own domain; waking for the past is a bug. Several wakes for different
 * cycles all happen; for the same cycle they are one. */
void sim_wake_cycle(struct sim_engine *e, struct sim_comp c, uint64_t cycle);
/* Wakes it for the first of its cycles at or after a time in units. */
void sim_wake_units(struct sim_engine *e, struct sim_comp c, uint64_t time_units);

/* For a tick that does those of others as well: takes the wakes of count components from first on for the cycle that
 * ticks now. The bit of component i of the domain is bits[i / 64] >> i % 64; bits has words for all of its components.
 * Returns how many there are. */
uint32_t sim_take_due(struct sim_engine *e, struct sim_comp first, uint32_t count, uint64_t *bits);
/* From now on it is c that ticks, of the domain that ticks. */
void sim_take_turn(struct sim_engine *e, struct sim_comp c);

/* Takes a wake for a cycle that has not ticked yet back, whoever asked for it; there may be none. */
void sim_cancel(struct sim_engine *e, struct sim_comp c, uint64_t cycle);

/* Runs until no component is scheduled, sim_stop was called, or the next tick lies behind the limit. Returns the number
 * of ticks executed. */
uint64_t sim_run(struct sim_engine *e);
/* Runs every tick up to and at time_units, which is not before now, and moves time there: for whoever drives the engine
 * from outside, in steps. Ends earlier, at the tick that it came to, after sim_stop or at the limit. */
uint64_t sim_run_until(struct sim_engine *e, uint64_t time_units);
/* Moves time to time_units; the caller knows by sim_next_units that no tick is due until then. */
void sim_pass_units(struct sim_engine *e, uint64_t time_units);
/* When the next tick is due; SIM_NEVER: nobody is scheduled. */
uint64_t sim_next_units(struct sim_engine *e);
/* The component that ticks or ticked last: its name, and its number in its domain. */
const char *sim_last_tick(const struct sim_engine *e, uint32_t *index);
/* Asks sim_run to return after the current tick (also from a signal handler); between two runs, the next one to return
 * at once. Pending wakes stay. */
void sim_stop(struct sim_engine *e);
/* Takes a stop back that no run has seen. */
void sim_resume(struct sim_engine *e);
/* No tick after limit_units is executed; SIM_NEVER, as at the beginning: no limit. */
void sim_limit(struct sim_engine *e, uint64_t limit_units);
/* The last run ended because of the limit. */
bool sim_was_limited(const struct sim_engine *e);
/* Forgets all pending wakes (after an aborted launch); time stands. */
void sim_cancel_all(struct sim_engine *e);
/* Moves time forward to time_units with nothing scheduled before it: for host-side delays between launches. */
void sim_advance_units(struct sim_engine *e, uint64_t time_units);
/* Advances to time_ps, unless time is there already. */
void sim_advance_ps(struct sim_engine *e, uint64_t time_ps);

#endif
