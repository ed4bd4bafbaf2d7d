/* host_home.c - what is behind the bus of the host's cores: the ways of the slices, which are the last level, and the
 * memory behind them. A core belongs to a socket; lines of another one cross the link. */
#include "dc/system/host.h"

static uint64_t cycle_now(const struct dc_system *s)
{
	const uint64_t period = sim_period_units(s->ctx->engine, s->domain);

	return (sim_now_units(s->ctx->engine) + period - 1) / period;
}

static uint32_t socket_of_core(const struct dc_host *h, uint32_t core)
{
	return core * (uint32_t)h->system->p->socket_count / (uint32_t)h->p.core_count;
}

/* ---- the home of lines ---- */

static void read_line(void *self, struct cpu_request *r)
{
	struct dc_host *h = self;

	dc_host_read(h->system, r, socket_of_core(h, r->agent), cycle_now(h->system));
}

void dc_host_line(struct dc_system *s, struct cpu_request *r, uint64_t at)
{
	struct dc_host *h = s->host;
	const uint64_t units = at * sim_period_units(s->ctx->engine, s->domain);

	if (!h->is_broken)
		cpu_bus_end_at(&h->bus, r, dc_max(units, cpu_now_units(&h->common)));
}

static void write_back(void *self, uint64_t line, cpu_version version, uint32_t socket)
{
	struct dc_host *h = self;
	struct dc_system *s = h->system;

	(void)version;
	(void)socket; /* of the caches that compute */
	dc_host_write(s, line << s->line_shift, socket_of_core(h, h->writer), cycle_now(s));
}

static bool holds(const void *self, const struct cpu_request *r)
{
	const struct dc_host *h = self;
	const bool is_write = cpu_is_write((enum cpu_op)r->op);

	return dc_host_holds(h->system, r->line << h->system->line_shift, socket_of_core(h, r->agent), is_write);
}

/* A line that private caches share is to be written: copies of it in other sockets' ways go. The bus waits for that. */
static bool invalidate(void *self, struct cpu_request *r)
{
	struct dc_host *h = self;
	struct dc_system *s = h->system;
	const uint64_t at = dc_host_invalidates(s, r->line << s->line_shift, cycle_now(s));

	r->asked_units = dc_max(r->asked_units, at * sim_period_units(s->ctx->engine, s->domain));
	return false;
}

static bool shares(void *self, uint64_t line)
{
	struct dc_host *h = self;

	return dc_host_has_copies(h->system, line << h->system->line_shift);
}

/* The caches of other sockets that must leave the line, or have it alone, are asked across the link, each socket
 * once. */
static uint64_t snoop(void *self, const struct cpu_request *r)
{
	struct dc_host *h = self;
	struct dc_system *s = h->system;
	const struct cpu_common *c = &h->common;
	const uint32_t own = socket_of_core(h, r->agent);
	enum cpu_state states[DC_SOCKETS_MAX] = {CPU_INVALID};
	uint64_t end = 0;

	for (uint32_t i = 0; i < h->p.core_count; i++) {
		const enum cpu_state state = cpu_core_state(&h->cores[i], r->line);
		const uint32_t socket = socket_of_core(h, i);

		if (socket != own && (state > CPU_SHARED || (state && cpu_is_write((enum cpu_op)r->op))))
			states[socket] = MAX(states[socket], state);
	}
	for (uint32_t k = 0; k < s->p->socket_count; k++) {
		const bool has_line = states[k] > CPU_SHARED;
		const uint64_t until_ps = has_line ? h->p.intervention_ps : h->p.snoop_latency_ps;
		uint64_t at;

		if (!states[k])
			continue;
		at = dc_host_crosses(s, r->line << s->line_shift, own, k, has_line, cycle_now(s));
		if (at)
			end = MAX(end, at * sim_period_units(s->ctx->engine, s->domain) + until_ps * c->per_ps);
	}
	return end;
}

static cpu_version version_of(const void *self, uint64_t line)
{
	(void)self;
	(void)line;
	return 0;
}

static const struct cpu_home_ops home_ops = {.read = read_line,
					     .write_back = write_back,
					     .holds = holds,
					     .invalidate = invalidate,
					     .shares = shares,
					     .version = version_of};
/* Of more than one socket. */
static const struct cpu_home_ops home_over_link_ops = {.read = read_line,
						       .write_back = write_back,
						       .holds = holds,
						       .invalidate = invalidate,
						       .shares = shares,
						       .snoop = snoop,
						       .version = version_of};

/* ---- for the cores ---- */

static void answer(void *self, uint32_t unit, uint64_t time_ps)
{
	struct dc_host *h = self;

	dc_host_goes_on(&h->runs[unit], time_ps);
}

static void moved(void *self, uint64_t line, uint32_t core)
{
	struct dc_host *h = self;

	(void)line;
	if (core != CPU_NOBODY)
		h->writer = core;
}

void dc_host_leaves(struct dc_host *h)
{
	struct dc_system *s = h->system;

	for (uint32_t i = 0; h->is_warm && i < h->p.core_count; i++) {
		const struct cpu_tags *l2 = &h->cores[i].l2;

		for (uint64_t k = 0; k < l2->set_count * l2->way_count; k++) {
			if (l2->tags[k].state != CPU_MODIFIED)
				continue;
			s->stats.host_written_lines++;
			dc_host_write(s, l2->tags[k].line << s->line_shift, socket_of_core(h, i), dc_now(s));
		}
		cpu_core_cold(&h->cores[i]);
	}
	h->is_warm = false;
}

/* ---- made and freed ---- */

static void common_init(struct dc_host *h)
{
	struct dc_system *s = h->system;
	struct sim_engine *e = s->ctx->engine;
	struct cpu_common *c = &h->common;

	*c = (struct cpu_common){
	    .p = &h->p,
	    .ctx = s->ctx,
	    .user = {.answer = answer, .moved = moved, .self = h},
	    .per_ps = sim_units_per_ps(e),
	    .cycle_units = sim_period_units(e, sim_domain_find(e, "cpu_core")),
	    .line_shift = s->line_shift,
	    .page_shift = (uint32_t)__builtin_ctzll(h->p.page_bytes)};
	cpu_events_init(&c->events, e, sim_domain_find(e, "cpu_bus"));
	cpu_common_divide(c);
}

struct dc_host *dc_host_new(struct dc_system *s, const struct cpu_params *p)
{
	struct dc_host *h = g_new0(struct dc_host, 1);
	struct cpu_common *c = &h->common;

	h->system = s;
	h->p = *p;
	h->p.llc_bytes = 0; /* the home has it */
	common_init(h);
	cpu_bus_init(&h->bus, c, sim_domain_find(s->ctx->engine, "cpu_bus"), (uint32_t)p->core_count);
	cpu_bus_home(&h->bus, s->p->socket_count > 1 ? &home_over_link_ops : &home_ops, h);
	cpu_pages_init(&h->pages, c, s->behind.bytes);
	h->pages.is_flat = true;
	h->cores = g_new0(struct cpu_core, p->core_count);
	h->runs = g_new0(struct dc_host_run, p->core_count);
	for (uint32_t i = 0; i < p->core_count; i++) {
		cpu_core_init(&h->cores[i], c, &h->bus, &h->pages);
		h->runs[i].host = h;
		h->runs[i].thread = &h->cores[i].threads[0];
	}
	cpu_stats_add(s->ctx, &c->stats);
	return h;
}

void dc_host_free(struct dc_host *h)
{
	if (!h)
		return;
	for (uint32_t i = 0; i < h->p.core_count; i++) {
		cpu_core_free(&h->cores[i]);
		g_free(h->runs[i].ctas);
		g_free(h->runs[i].values);
	}
	g_free(h->cores);
	g_free(h->runs);
	cpu_pages_free(&h->pages);
	cpu_bus_free(&h->bus);
	cpu_events_free(&h->common.events);
	g_free(h);
}
