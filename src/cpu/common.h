/* common.h - what all parts of the system share. */
#ifndef STRATA_CPU_COMMON_H
#define STRATA_CPU_COMMON_H

#include "base/divide.h"
#include "cpu/account.h"
#include "cpu/events.h"
#include "cpu/system.h"

struct cpu_common {
	const struct cpu_params *p;
	struct sim_ctx *ctx;
	struct cpu_user user;
	struct cpu_stats stats;
	struct cpu_events events;
	struct cpu_account *account; /* NULL: it is off */
	uint64_t per_ps; /* units of the engine's time */
	uint64_t cycle_units; /* of a core's clock, exactly */
	/* By per_ps, the places of pages, the striped channels, those of a socket, and the stacks behind each: every
	 * access divides by them. */
	struct base_divisor by_per_ps, by_places, by_striped, by_sockets_channels, by_stacks;
	uint32_t line_shift, page_shift;
	uint64_t fault_chances;
	uint32_t stack_count; /* of the memory, round which lines go; where cpu.placement is by page */
};

static inline uint64_t cpu_now_units(const struct cpu_common *c)
{
	return sim_now_units(c->events.engine);
}

/* When what it divides by is known. */
static inline void cpu_common_divide(struct cpu_common *c)
{
	c->by_per_ps = base_divisor_of(c->per_ps);
	c->by_places = base_divisor_of(cpu_place_count(c->p));
	c->by_striped = base_divisor_of(c->p->striped_count ? c->p->striped_count : 1);
	c->by_sockets_channels = base_divisor_of(c->p->channel_count / c->p->socket_count);
	c->by_stacks = base_divisor_of(c->stack_count ? c->stack_count / c->p->channel_count : 1);
}

/* The first ps that is not before. */
static inline uint64_t cpu_ps_from(const struct cpu_common *c, uint64_t units)
{
	uint64_t rest;
	const uint64_t ps = base_divide(units, &c->by_per_ps, &rest);

	return ps + (rest > 0);
}

static inline uint64_t cpu_cycles_units(const struct cpu_common *c, uint64_t cycles)
{
	return cycles * c->cycle_units;
}

/* See struct cpu_user. */
static inline void cpu_moved(const struct cpu_common *c, uint64_t line, uint32_t core)
{
	if (unlikely(c->user.moved))
		c->user.moved(c->user.self, line, core);
}

/* The same. */
static inline cpu_version cpu_make(const struct cpu_common *c, uint64_t line, cpu_version version,
				   cpu_version quarters)
{
	return unlikely(c->user.make) ? c->user.make(c->user.self, line, version, quarters)
				      : cpu_version_next(version, quarters);
}

/* Does the planted mistake happen here? */
static inline bool cpu_is_faulty(struct cpu_common *c, enum cpu_fault fault)
{
	return unlikely(c->p->fault == fault) && ++c->fault_chances % c->p->fault_every_count == 0;
}

#endif
