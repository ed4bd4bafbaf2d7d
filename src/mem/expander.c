/* expander.c - two channels and a controller. */
#include "mem/expander.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "net/channel.h"
#include "net/queue.h"

const struct sim_param_desc expander_param_rows[] = {
#define PARAM_STRUCT struct expander_params
#include "sim/param_rows.inc"
#include "mem/expander_params.def"
#include "sim/param_end.inc"
};
const uint32_t expander_param_row_count = ARRAY_COUNT(expander_param_rows);

struct expander_stats {
#include "sim/stat_fields.inc"
#include "mem/expander_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_desc mem_expander_stat_rows[] = {
#define STAT_STRUCT struct expander_stats
#include "sim/stat_rows.inc"
#include "mem/expander_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t mem_expander_stat_row_count = ARRAY_COUNT(mem_expander_stat_rows);

enum { STACKS_MAX = 64 };

struct mem_expander {
	struct mem_expander_config config;
	struct sim_engine *engine;
	struct sim_comp near, far; /* of the requester, of the memory */
	struct net_channel *up, *down;
	uint64_t controller_units;
	struct mem_req *held; /* in the controller, in order of arrival; ready_units: when its pipeline is through */
	struct mem_req **held_end;
	uint32_t held_count;
	struct queue answers; /* wait for the wire */
	bool owes_room;
	uint64_t full_vaults[STACKS_MAX]; /* of this tick, bit per vault: they are asked once */
	struct expander_stats stats;
};

/* ---- parameters ---- */

bool mem_expander_check(const struct expander_params *p, struct base_diag_list *diag)
{
	if (p->flit_slot_count * p->slot_bytes <= p->flit_bytes + p->slot_bytes - 1)
		return true;
	base_diag_error(diag, (struct base_place){0},
			"link.flit_bytes = %llu: less than its link.flit_slot_count = %llu slots of link.slot_bytes = "
			"%llu",
			(unsigned long long)p->flit_bytes, (unsigned long long)p->flit_slot_count,
			(unsigned long long)p->slot_bytes);
	return false;
}

static uint64_t data_slots(const struct expander_params *p, uint64_t bytes)
{
	return (bytes + p->slot_bytes - 1) / p->slot_bytes;
}

double mem_expander_peak_bytes_per_s(const struct expander_params *p, uint32_t line_bytes, double read_share)
{
	const double data = (double)data_slots(p, line_bytes), writes = 1 - read_share;
	const double up = read_share * (double)p->read_slot_count + writes * ((double)p->write_slot_count + data);
	const double down =
	    read_share * ((double)p->answer_slot_count + data) + writes * (double)p->completion_slot_count;
	const double slots_per_s =
	    (double)p->bandwidth_mbytes_per_s * 1e6 / (double)p->flit_bytes * (double)p->flit_slot_count;

	return slots_per_s / (up > down ? up : down) * line_bytes;
}

/* bytes / (10^6 bytes/s) = 10^6 ps; a time that is no whole number of units is rounded up. */
uint64_t mem_expander_flit_units(const struct expander_params *p, const struct sim_engine *e)
{
	return (p->flit_bytes * 1000000 * sim_units_per_ps(e) + p->bandwidth_mbytes_per_s - 1) /
	       p->bandwidth_mbytes_per_s;
}

/* ---- the memory's end ---- */

static uint32_t answer_bytes(const struct expander_params *p, const struct mem_req *r)
{
	const uint64_t slots = r->op == MEM_WRITE ? p->completion_slot_count :
						    p->answer_slot_count + data_slots(p, r->size_bytes);

	return (uint32_t)(slots * p->slot_bytes);
}

static void drain_answers(struct mem_expander *e)
{
	while (e->answers.first && net_channel_ready(e->down, &e->far)) {
		struct mem_req *r = queue_pop(&e->answers);

		net_channel_send(e->down, r, answer_bytes(e->config.params, r), sim_now_units(e->engine));
	}
}

static void take_requests(struct mem_expander *e, uint64_t now)
{
	const struct expander_params *p = e->config.params;
	struct mem_req *r;

	while ((r = net_channel_peek(e->up))) {
		if (e->held_count == p->queue_entries || e->answers.count >= p->depth_count) {
			e->stats.controller_full_stalls++;
			return;
		}
		net_channel_pop(e->up);
		r->ready_units = now + e->controller_units;
		r->next = NULL;
		*e->held_end = r;
		e->held_end = &r->next;
		sim_wake_units(e->engine, e->far, r->ready_units);
		if (++e->held_count > e->stats.controller_max)
			e->stats.controller_max = e->held_count;
	}
}

/* Gives the vaults what they take: the oldest first, and nothing past an older one to the same vault. */
static void serve_held(struct mem_expander *e, uint64_t now)
{
	struct mem_req **at = &e->held, *r;

	memset(e->full_vaults, 0, sizeof(e->full_vaults));
	while ((r = *at) && r->ready_units <= now) {
		const uint64_t vault = 1ull << r->vault, waited = now - r->ready_units;
		struct mem_req *behind = r->next;

		if (e->full_vaults[r->stack] & vault || !e->config.serve(e->config.owner, r)) {
			e->full_vaults[r->stack] |= vault;
			at = &r->next;
			continue;
		}
		*at = behind;
		if (!behind)
			e->held_end = at;
		e->held_count--;
		/* Less than a cycle is the edge, not the vault. */
		if (waited >= sim_period_units(e->engine, e->config.domain)) {
			e->stats.controller_waits++;
			e->stats.controller_wait_units += waited;
		}
	}
}

static void far_tick(void *component, uint64_t cycle)
{
	struct mem_expander *e = component;
	const uint64_t now = sim_now_units(e->engine);

	(void)cycle;
	drain_answers(e);
	take_requests(e, now);
	serve_held(e, now);
	take_requests(e, now);
}

void mem_expander_answer(struct mem_expander *e, struct mem_req *r)
{
	queue_push(&e->answers, r);
	drain_answers(e);
}

void mem_expander_wake(struct mem_expander *e)
{
	sim_wake_units(e->engine, e->far, sim_now_units(e->engine));
}

/* ---- the requester's end ---- */

static void near_tick(void *component, uint64_t cycle)
{
	struct mem_expander *e = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_channel_peek(e->down))) {
		net_channel_pop(e->down);
		e->config.done(e->config.owner, r);
	}
	if (e->owes_room) {
		e->owes_room = false;
		e->config.room(e->config.owner);
	}
}

bool mem_expander_can_accept(struct mem_expander *e)
{
	if (net_channel_ready(e->up, &e->near))
		return true;
	e->owes_room = true;
	return false;
}

void mem_expander_accept(struct mem_expander *e, struct mem_req *r)
{
	const struct expander_params *p = e->config.params;
	const uint64_t slots = r->op == MEM_READ ? p->read_slot_count :
						   p->write_slot_count + data_slots(p, r->size_bytes);

	net_channel_send(e->up, r, (uint32_t)(slots * p->slot_bytes), sim_now_units(e->engine));
}

/* ---- building ---- */

static struct net_channel *wire_new(struct mem_expander *e, const char *prefix, struct sim_comp receiver)
{
	const struct expander_params *p = e->config.params;
	const struct net_channel_config c = {
		.engine = e->engine,
		.flit_bytes = (uint32_t)p->slot_bytes,
		.frame_flits = (uint32_t)p->flit_slot_count,
		.frame_bytes = (uint32_t)p->flit_bytes,
		.frame_units = mem_expander_flit_units(p, e->engine),
		.latency_units = sim_units_of_ps(e->engine, p->latency_ps),
		.credit_units = sim_units_of_ps(e->engine, p->credit_latency_ps),
		.depth_packets = (uint32_t)p->depth_count,
		.receiver = receiver,
		.has_receiver = true,
		.stats = e->config.ctx->stats,
		.stats_prefix = prefix,
	};

	return net_channel_new(&c);
}

struct mem_expander *mem_expander_new(const struct mem_expander_config *c)
{
	struct mem_expander *e = g_new0(struct mem_expander, 1);

	e->config = *c;
	e->engine = c->ctx->engine;
	e->controller_units = sim_units_of_ps(e->engine, c->params->controller_latency_ps);
	e->held_end = &e->held;
	e->near = sim_engine_add(e->engine, c->domain, "link_near", near_tick, e);
	e->far = sim_engine_add(e->engine, c->domain, "link_far", far_tick, e);
	e->up = wire_new(e, c->up_prefix, e->far);
	e->down = wire_new(e, c->down_prefix, e->near);
	sim_stats_add(c->ctx->stats, c->stats_prefix, mem_expander_stat_rows, mem_expander_stat_row_count, &e->stats,
		      sizeof(e->stats));
	return e;
}

void mem_expander_free(struct mem_expander *e)
{
	if (!e)
		return;
	net_channel_free(e->up);
	net_channel_free(e->down);
	g_free(e);
}

bool mem_expander_is_idle(const struct mem_expander *e)
{
	return !e->held && !e->answers.first && net_channel_is_idle(e->up) && net_channel_is_idle(e->down);
}

void mem_expander_reset(struct mem_expander *e)
{
	net_channel_reset(e->up);
	net_channel_reset(e->down);
	e->held = NULL;
	e->held_end = &e->held;
	e->held_count = 0;
	e->answers = (struct queue){0};
	e->owes_room = false;
}
