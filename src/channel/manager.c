/* manager.c - the NDP-M of a channel: requests of its NDP and of the bus for lines of its memory, one after the other
 * where they concern one line, by the rows of HOME in coh/coh.def. */
#include "channel/priv.h"

#include "base/check.h"

struct ndp_m *channel_manager_of(struct channel_system *s, uint64_t line)
{
	const uint64_t channel = cpu_line_channel(s->c, line);

	return channel < s->p->ndp_count ? &s->ms[channel] : NULL;
}

cpu_version channel_memory_version(const struct channel_system *s, uint64_t line)
{
	return s->is_observed ? base_table_get(&s->versions, line) : 0;
}

static void set_memory_version(struct channel_system *s, uint64_t line, cpu_version version)
{
	if (s->is_observed)
		base_table_set(&s->versions, line, version);
}

/* Written by an NDP: the bus finds it as well. */
static void store_near(struct channel_system *s, uint64_t line, cpu_version version, cpu_version quarters)
{
	if (!s->is_observed)
		return;
	version = cpu_version_merge(channel_memory_version(s, line), version, quarters);
	set_memory_version(s, line, version);
	cpu_channels_store(s->channels, line, version);
}

/* ---- lines and requests ---- */

/* l: NULL, or the line's. */
static enum coh_state state_of(const struct ndp_m *m, const struct mshr *l, uint64_t line)
{
	if (!l)
		return channel_directory_resting(m, index_of(m, line));
	return l->serving ? (enum coh_state)l->state : channel_directory_resting(m, l->index);
}

static struct near_request *request_new(struct ndp_m *m, uint64_t line, enum coh_event event)
{
	struct near_request *r = base_pool_take(&m->s->request_pool, next);

	*r = (struct near_request){.m = m, .line = line, .index = index_of(m, line), .event = (uint8_t)event};
	return r;
}

static void send_or_store(struct near_request *r);

/* Its copy is that of the memory now. */
static void take_version(struct near_request *r)
{
	struct channel_system *s = r->m->s;

	r->version = channel_memory_version(s, r->line);
	channel_moved(s, r->line, r->core ? quarters_of(r->quarter, r->quarters) : CPU_VERSION_ALL, CPU_NOBODY);
}

/* Its place is free from now on. */
static void put_request(struct near_request *r)
{
	*(r->core ? &r->m->local_taken : &r->m->processors_taken) -= 1;
	base_pool_put(&r->m->s->request_pool, r, next);
}

static void memory_read(void *self, struct cpu_dram_access *a)
{
	struct near_request *r = base_owner(a, struct near_request, dram);

	r->is_reading = false;
	if (r->is_ended) {
		put_request(r);
		channel_queue_room(self);
		return;
	}
	if (!r->is_read)
		take_version(r);
	r->is_read = true;
	if (r->is_served && !r->is_snooping)
		send_or_store(r);
}

static void read_memory(struct near_request *r)
{
	struct channel_system *s = r->m->s;
	const uint32_t bytes = r->core ? r->quarters * QUARTER_BYTES : LINE_BYTES;

	if (r->core)
		s->stats.near_bytes += bytes;
	else if (r->bus->agent >= s->points[0].agent)
		s->stats.remote_bytes += bytes;
	else
		s->stats.processor_bytes += bytes;
	r->is_reading = true;
	r->dram = (struct cpu_dram_access){.line = r->line,
					   .offset = r->core ? r->quarter * QUARTER_BYTES : 0,
					   .bytes = bytes,
					   .class = r->core ? CPU_DRAM_LOCAL : CPU_DRAM_CPU,
					   .trail = r->trail,
					   .done = memory_read,
					   .self = r->m};
	cpu_dram_access_now(&s->channels->dram, &r->dram);
}

static void write_done(void *self, struct cpu_dram_access *a)
{
	struct near_write *w = base_owner(a, struct near_write, dram);

	(void)self;
	base_pool_put(&w->m->s->write_pool, w, next);
	if (w->has_place) {
		w->m->local_writes--;
		channel_queue_room(w->m);
	}
}

static void write_memory(struct ndp_m *m, uint64_t line, uint32_t quarter, uint32_t quarters, bool has_place)
{
	struct near_write *w = base_pool_take(&m->s->write_pool, next);

	*w = (struct near_write){.m = m,
				 .has_place = has_place,
				 .dram = {.line = line,
					  .offset = quarter * QUARTER_BYTES,
					  .bytes = quarters * QUARTER_BYTES,
					  .is_write = true,
					  .class = CPU_DRAM_LOCAL,
					  .done = write_done,
					  .self = m}};
	m->local_writes += has_place;
	m->s->stats.near_bytes += w->dram.bytes;
	cpu_dram_access_now(&m->s->channels->dram, &w->dram);
}

/* ---- one step of a line ---- */

static void fire_acknowledge(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);
	const struct acknowledge_message a = g->acknowledge;

	base_pool_put(&s->message_pool, g, next);
	cpu_bus_acknowledge(s->bus, a.bus, a.is_lost);
}

static void acknowledge(struct near_request *r, bool is_lost)
{
	struct channel_system *s = r->m->s;
	struct message *g = channel_message_new(s, fire_acknowledge);

	g->acknowledge = (struct acknowledge_message){.bus = r->bus, .is_lost = is_lost};
	cpu_event_at(&s->c->events, &g->event, channel_message_up(s, r->m->channel));
}

static void line_ended(struct ndp_m *m, struct mshr *l);

static void request_ended(struct near_request *r)
{
	r->dram.trail = NULL; /* its owner goes on */
	if (r->is_reading)
		r->is_ended = true;
	else
		put_request(r);
}

static void fire_grant(void *self, struct cpu_event *e)
{
	struct message *g = message_of(e);
	struct channel_system *s = self;
	const struct grant_message grant = g->grant;

	base_pool_put(&s->message_pool, g, next);
	channel_core_grant(&grant);
}

static void grant(struct near_request *r)
{
	struct channel_system *s = r->m->s;
	struct message *g = channel_message_new(s, fire_grant);
	const bool is_owned = r->event == COH_EV_N_WRITE;

	if (s->p->cache_bytes) {
		channel_sharers_add(r->m, request_granule(r), r->core->number, is_owned);
	} else if (is_owned) {
		const cpu_version quarters = quarters_of(r->quarter, r->quarters);

		r->version = cpu_make(s->c, r->line, channel_memory_version(s, r->line), quarters);
		store_near(s, r->line, r->version, quarters);
		write_memory(r->m, r->line, r->quarter, r->quarters, true);
		channel_observe(s, r->core->unit, r->line, quarters, true, r->version);
		channel_moved(s, r->line, quarters, r->core->unit);
	} else if (!r->is_prefetch) {
		channel_observe(s, r->core->unit, r->line, quarters_of(r->quarter, r->quarters), false, r->version);
	}
	g->grant = (struct grant_message){.core = r->core,
					  .granule = request_granule(r),
					  .version = r->version,
					  .is_owned = is_owned,
					  .has_old = r->is_read};
	cpu_trail_step(r->trail, CPU_PART_LINK, now_units(s) + ps_units(s, s->p->core_link_ps));
	channel_core_send(r->core, &g->event);
}

/* What was asked for is there, or needs no data: it goes, and the line is free for the next. */
static void send(struct near_request *r)
{
	struct ndp_m *m = r->m;
	struct mshr *l = channel_mshr_find(m, r->line);

	if (r->core)
		grant(r);
	else
		cpu_channels_line_up(m->s->channels, r->bus, r->version);
	if (l->serving == r)
		l->serving = NULL;
	else
		l->reads--;
	request_ended(r);
	line_ended(m, l);
	channel_queue_room(m);
}

/* An upgrade of what the core has: nothing but the right to write is missing. */
static bool has_copy(const struct near_request *r)
{
	const bool is_write = r->core && r->event == COH_EV_N_WRITE;
	const struct sharers *h = is_write ? channel_sharers_find(r->m, request_granule(r)) : NULL;

	return h && h->cores >> r->core->number & 1;
}

/* Of a core without a cache, which sends what it writes, or what the NDP-M is to make of the old bytes. */
static bool is_store(const struct near_request *r)
{
	return r->core && !r->m->s->p->cache_bytes && r->event == COH_EV_N_WRITE;
}

/* Nothing is read for it. */
static bool brings_data(const struct near_request *r)
{
	return is_store(r) && !r->needs_old;
}

static bool store(struct cpu_event *e)
{
	struct near_request *r = request_of(e);

	if (r->m->local_writes >= r->m->s->p->local_queue_count)
		return false;
	cpu_trail_step(r->trail, CPU_PART_HUB, now_units(r->m->s));
	send(r);
	return true;
}

static void send_or_store(struct near_request *r)
{
	if (r->is_storing)
		return;
	r->is_storing = is_store(r);
	if (!r->is_storing)
		send(r);
	else if (!channel_queue_enter(r->m, &r->m->gates[GATE_STORES], &r->step, store))
		r->m->s->stats.write_queue_waits++;
}

static void serve_data(struct near_request *r)
{
	r->is_served = true;
	if (!r->is_read && !r->is_reading && has_copy(r)) {
		r->m->s->stats.upgrades++;
		r->version = channel_memory_version(r->m->s, r->line);
		r->is_read = true;
	}
	if (r->core && r->m->s->p->extended_bus && !r->is_snooped) {
		r->is_snooping = r->is_snooped = true;
		channel_point_snoop(r);
	}
	if (!r->is_read && !brings_data(r)) {
		if (!r->is_reading)
			read_memory(r);
	} else if (!r->is_snooping) {
		send_or_store(r);
	}
}

void channel_manager_snooped(struct near_request *r)
{
	r->is_snooping = false;
	if (!r->is_read && !brings_data(r))
		return;
	cpu_trail_step(r->trail, CPU_PART_CLAIM, now_units(r->m->s));
	send_or_store(r);
}

/* Does what the row says; true: the same request again, in the state that it is now. */
static bool act(struct mshr *l, struct near_request *r, enum coh_action action)
{
	struct ndp_m *m = r->m;

	switch (action) {
	case COH_DO_LINE_UP:
	case COH_DO_GRANT_SHARED:
	case COH_DO_GRANT_OWNED:
		if (action != COH_DO_GRANT_OWNED && r->event != COH_EV_C_WRITE) { /* beside other reads */
			l->serving = NULL;
			l->reads++;
		}
		serve_data(r);
		return false;
	case COH_DO_ACK_UP:
	case COH_DO_NACK_UP:
		acknowledge(r, action == COH_DO_NACK_UP);
		l->serving = NULL;
		request_ended(r);
		line_ended(m, l);
		channel_queue_room(m);
		return false;
	case COH_DO_CLAIM_SHARED:
	case COH_DO_CLAIM_OWNED:
		if (m->s->p->overlapped_read && !brings_data(r) && !has_copy(r))
			read_memory(r);
		r->is_snooped = true;
		channel_point_claim(m, r->line, action == COH_DO_CLAIM_OWNED);
		return false;
	case COH_DO_PROBE_SHARED:
	case COH_DO_PROBE_INVALID:
		channel_probe_send(l, r, action == COH_DO_PROBE_INVALID);
		return false;
	case COH_DO_AGAIN:
		return true;
	default:
		UNREACHABLE("an action that is no answer to a request");
	}
}

/* The directory's state is not yet the one that it will have. DROP_N: it is. */
static bool is_in_transit(enum coh_state state)
{
	return state == COH_HOME_CPU_S || state == COH_HOME_CPU_N || state == COH_HOME_SHR_N ||
	       state == COH_HOME_DROP_S || state == COH_HOME_DROP_C;
}

static void step(struct ndp_m *m, struct mshr *l, struct near_request *r, enum coh_event event)
{
	for (;;) {
		const enum coh_state before = state_of(m, l, l->line);
		const struct coh_row *row = coh_find(&m->s->table, before, event, channel_probe_is_due(r));

		channel_directory_transit(m, l->index,
					  is_in_transit((enum coh_state)row->next) - is_in_transit(before));
		l->serving = r;
		l->state = row->next;
		channel_directory_rest(m, l->index, (enum coh_state)row->next);
		if (!act(l, r, (enum coh_action)row->actions[0]))
			return;
		event = (enum coh_event)r->event;
	}
}

/* May it begin, with what is under way? Reads of a line that nobody has to be asked for go beside each other. */
static bool may_begin(const struct ndp_m *m, const struct mshr *l, const struct near_request *r)
{
	const enum coh_state state = state_of(m, l, l->line);

	if (l->serving)
		return false;
	if (!l->reads)
		return true;
	if (r->event == COH_EV_N_READ)
		return m->s->asks_nobody || state == COH_HOME_SHR ||
		       (state == COH_HOME_NDP && !channel_probe_is_due(r));
	return r->event == COH_EV_C_READ && state != COH_HOME_NDP;
}

static bool begin_line(struct cpu_event *e)
{
	const struct near_request *r = request_of(e);
	struct mshr *l;

	if (!channel_directory_may_set(r->m, r->index))
		return false;
	l = channel_mshr_find(r->m, r->line);
	l->is_held_up = false;
	line_ended(r->m, l);
	return true;
}

/* True: the first request waits until it can change the directory. */
static bool is_held_up(struct ndp_m *m, struct mshr *l)
{
	if (!l->is_held_up && unlikely(!channel_directory_may_set(m, l->index))) {
		l->is_held_up = true;
		m->s->stats.directory_queue_waits++;
		channel_queue_enter(m, &m->gates[GATE_LINES], &l->first->step, begin_line);
	}
	return l->is_held_up;
}

static void line_ended(struct ndp_m *m, struct mshr *l)
{
	while (l->first && may_begin(m, l, l->first) && !is_held_up(m, l)) {
		struct near_request *r = base_fifo_pop(l, next);

		l->is_beginning++;
		cpu_trail_step(r->trail, CPU_PART_ORDER, now_units(m->s));
		step(m, l, r, (enum coh_event)r->event);
		l->is_beginning--;
	}
	if (!l->first && !l->serving && !l->reads && !l->is_beginning)
		channel_mshr_put(m, l);
}

void channel_manager_ready(struct near_request *r)
{
	struct ndp_m *m = r->m;
	struct mshr *l = channel_mshr_get(m, r->line, r->index);

	cpu_trail_step(r->trail, CPU_PART_DIRECTORY, now_units(m->s));
	if (l->first || !may_begin(m, l, r))
		m->s->stats.order_waits++;
	base_fifo_push(l, r, next);
	if (!l->is_beginning)
		line_ended(m, l);
}

/* ---- from the cores ---- */

static bool take_local(struct cpu_event *e)
{
	struct near_request *r = request_of(e);
	struct ndp_m *m = r->m;

	if (m->local_taken == m->s->p->local_queue_count)
		return false;
	m->local_taken++;
	cpu_trail_step(r->trail, CPU_PART_HUB, now_units(m->s));
	channel_directory_look_up(m, r, now_units(m->s));
	return true;
}

/* Behind the lines that its core has written back; what waits for a place is in nobody's way. */
static bool ask(struct cpu_event *e)
{
	struct near_request *r = request_of(e);

	if (!channel_queue_enter(r->m, &r->m->gates[GATE_LOCAL], e, take_local))
		r->m->s->stats.local_queue_waits++;
	return true;
}

static void fire_ask(void *self, struct cpu_event *e)
{
	struct near_request *r = request_of(e);

	(void)self;
	channel_queue_enter(r->m, &r->core->gate, e, ask);
}

void channel_manager_ask(struct ndp_core *core, uint64_t granule, enum cpu_op op, uint64_t units,
			 struct cpu_trail *trail)
{
	struct channel_system *s = core->s;
	const uint64_t line = granule >> s->granule_shift;
	struct near_request *r = request_new(core->m, line, cpu_is_write(op) ? COH_EV_N_WRITE : COH_EV_N_READ);

	r->core = core;
	r->quarter = (uint8_t)((granule & (s->granules - 1)) * s->granule_quarters);
	r->quarters = (uint8_t)s->granule_quarters;
	r->is_prefetch = op == CPU_PREFETCH;
	r->needs_old = cpu_needs_old(op);
	r->step.fire = fire_ask;
	r->step.self = core->m;
	s->stats.local++;
	if (unlikely(s->c->account != NULL))
		cpu_account_count(s->c->account, core->unit, CPU_COUNT_LOCAL);
	r->trail = trail;
	units += ps_units(s, s->p->core_link_ps + s->p->erat_ps);
	cpu_trail_step(trail, CPU_PART_LINK, units);
	channel_translate(core, units, &r->step, trail);
	channel_mshr_fetch(core->m, granule);
}

/* The line as the memory has it now reaches who waits for it. */
static void brought(struct mshr *l)
{
	struct near_request *r = l ? l->serving : NULL;

	if (!r || !r->core)
		return;
	if (r->is_reading || r->is_read) {
		r->m->s->stats.dropped_reads++;
		r->m->s->stats.dropped_bytes += r->quarters * QUARTER_BYTES;
	}
	take_version(r);
	r->is_read = true;
}

static bool take_written(struct cpu_event *e)
{
	struct message *g = message_of(e);
	struct channel_system *s = g->event.self;
	const struct written_message w = g->written;
	struct ndp_m *m = w.core->m;
	const uint64_t line = w.granule >> s->granule_shift;
	const uint32_t quarter = (uint32_t)(w.granule & (s->granules - 1)) * s->granule_quarters;
	struct mshr *l = channel_mshr_find(m, line);
	const struct sharers *h = channel_sharers_find(m, w.granule);
	const struct coh_row *row;

	if (m->local_writes >= s->p->local_queue_count)
		return false;
	row = coh_find(&s->table, state_of(m, l, line), COH_EV_N_LINE, false);
	base_pool_put(&s->message_pool, g, next);
	if (h && h->owner == w.core->number + 1)
		channel_sharers_drop(m, w.granule, w.core->number);
	if (row->actions[0] == COH_DO_STORE) {
		store_near(s, line, w.version, quarters_of(quarter, s->granule_quarters));
		write_memory(m, line, quarter, s->granule_quarters, true);
		s->stats.near_write_back_bytes += s->granule_quarters * QUARTER_BYTES;
	}
	if (l && l->serving && l->serving->core && request_granule(l->serving) == w.granule)
		brought(l);
	return true;
}

static void fire_written(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct ndp_core *core = message_of(e)->written.core;

	if (!channel_queue_enter(core->m, &core->gate, e, take_written))
		s->stats.write_queue_waits++;
}

void channel_manager_write_back(struct ndp_core *core, uint64_t granule, cpu_version version)
{
	struct channel_system *s = core->s;
	struct message *g = channel_message_new(s, fire_written);

	channel_moved(s, granule >> s->granule_shift,
		      quarters_of((uint32_t)(granule & (s->granules - 1)) * s->granule_quarters, s->granule_quarters),
		      core->unit);
	g->written = (struct written_message){.core = core, .granule = granule, .version = version};
	cpu_event_at(&s->c->events, &g->event, now_units(s) + ps_units(s, s->p->core_link_ps + s->p->erat_ps));
}

static bool take_answer(struct cpu_event *e)
{
	struct message *g = message_of(e);
	struct channel_system *s = g->event.self;
	struct ndp_m *m = g->answer.core->m;
	struct mshr *l = channel_mshr_find(m, g->answer.granule >> s->granule_shift);

	CHECK(l && l->probes);
	if (!channel_directory_may_set(m, l->index))
		return false;
	base_pool_put(&s->message_pool, g, next);
	cpu_trail_step(l->serving->trail, CPU_PART_PROBE, now_units(s));
	if (!--l->probes)
		step(m, l, l->serving, COH_EV_PROBED);
	return true;
}

static void fire_answered(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct ndp_core *core = message_of(e)->answer.core;

	if (!channel_queue_enter(core->m, &core->gate, e, take_answer))
		s->stats.directory_queue_waits++;
}

void channel_manager_answer(struct ndp_core *core, uint64_t granule)
{
	struct channel_system *s = core->s;
	struct message *g = channel_message_new(s, fire_answered);

	g->answer = (struct answer_message){.core = core, .granule = granule};
	cpu_event_at(&s->c->events, &g->event, now_units(s) + ps_units(s, s->p->core_link_ps + s->p->erat_ps));
}

/* ---- from the bus ---- */

static bool invalidate_comes(struct cpu_event *e)
{
	struct near_request *r = request_of(e);

	cpu_trail_step(r->trail, CPU_PART_CLAIM, now_units(r->m->s));
	channel_directory_look_up(r->m, r, now_units(r->m->s));
	return true;
}

static void fire_invalidate(void *self, struct cpu_event *e)
{
	struct ndp_m *m = self;

	channel_queue_enter(m, &m->gates[GATE_DOWN], e, invalidate_comes);
}

/* A read does not go before a line that the NDP-M has not taken, and waits where the channel's own queue is full. */
static bool is_behind_lines(const struct ndp_m *m, uint64_t line)
{
	const struct channel_system *s = m->s;

	return m->gates[GATE_DOWN].count &&
	       (m->gates[GATE_DOWN].count >= s->c->p->write_queue_count || base_map_get(&s->channels->writes, line));
}

static bool take_from_bus(struct cpu_event *e)
{
	struct near_request *r = request_of(e);
	struct ndp_m *m = r->m;
	struct channel_system *s = m->s;

	if (m->processors_taken == s->p->processor_queue_count)
		return false;
	if (r->event != COH_EV_C_INVALIDATE && unlikely(is_behind_lines(m, r->line)))
		return false;
	m->processors_taken++;
	cpu_trail_step(r->trail, CPU_PART_HUB, now_units(s));
	if (r->event == COH_EV_C_INVALIDATE) {
		r->step.fire = fire_invalidate;
		r->step.self = m;
		cpu_event_at(&s->c->events, &r->step, channel_message_down(s, m->channel));
	} else {
		channel_directory_look_up(m, r, now_units(s));
	}
	return true;
}

static void enter_from_bus(struct near_request *r)
{
	if (!channel_queue_enter(r->m, &r->m->gates[GATE_PROCESSORS], &r->step, take_from_bus))
		r->m->s->stats.processor_queue_waits++;
}

bool channel_manager_read(void *system, struct cpu_request *bus)
{
	struct channel_system *s = system;
	struct ndp_m *m = channel_manager_of(s, bus->line);
	struct near_request *r;

	if (!m)
		return false;
	r = request_new(m, bus->line, cpu_is_write((enum cpu_op)bus->op) ? COH_EV_C_WRITE : COH_EV_C_READ);
	r->bus = bus;
	r->trail = bus->trail;
	enter_from_bus(r);
	return true;
}

void channel_manager_invalidate(struct ndp_m *m, struct cpu_request *bus)
{
	struct near_request *r = request_new(m, bus->line, COH_EV_C_INVALIDATE);

	r->bus = bus;
	r->trail = bus->trail;
	cpu_trail_channel(r->trail, m->channel);
	enter_from_bus(r);
}

static bool take_line(struct cpu_event *e)
{
	struct cpu_channel_access *a = base_owner(e, struct cpu_channel_access, dram.event);
	struct cpu_channels *h = e->self;
	struct channel_system *s = h->near->self;
	const uint64_t line = a->dram.line;
	struct ndp_m *m = channel_manager_of(s, line);
	struct mshr *l;

	if (m->processor_writes == s->p->processor_queue_count)
		return false;
	m->processor_writes++;
	set_memory_version(s, line, a->version);
	s->stats.processor_write_back_bytes += LINE_BYTES;
	l = channel_mshr_find(m, line);
	coh_find(&s->table, state_of(m, l, line), COH_EV_C_LINE, false);
	brought(l);
	cpu_channels_take(h, a);
	return true;
}

bool channel_manager_write(void *system, struct cpu_channel_access *a)
{
	struct channel_system *s = system;
	struct ndp_m *m = channel_manager_of(s, a->dram.line);

	if (!m) {
		set_memory_version(s, a->dram.line, a->version);
		return false;
	}
	if (!channel_queue_enter(m, &m->gates[GATE_DOWN], &a->dram.event, take_line))
		s->stats.write_queue_waits++;
	return true;
}

void channel_manager_written(void *system, uint64_t line)
{
	struct ndp_m *m = channel_manager_of(system, line);

	if (!m)
		return;
	m->processor_writes--;
	channel_queue_room(m);
}

static bool take_acknowledgment(struct cpu_event *e)
{
	struct message *g = message_of(e);
	struct ndp_m *m = g->claimed.m;
	struct mshr *l = channel_mshr_find(m, g->claimed.line);

	CHECK(l && l->serving);
	if (!channel_directory_may_set(m, l->index))
		return false;
	base_pool_put(&m->s->message_pool, g, next);
	cpu_trail_step(l->serving->trail, CPU_PART_CLAIM, now_units(m->s));
	step(m, l, l->serving, COH_EV_ACK);
	return true;
}

void channel_manager_acknowledged(struct cpu_event *e)
{
	struct ndp_m *m = message_of(e)->claimed.m;

	if (!channel_queue_enter(m, &m->gates[GATE_DOWN], e, take_acknowledgment))
		m->s->stats.directory_queue_waits++;
}

/* ---- software's claims ---- */

/* A core's request, or a line that it wrote back, may be on the way: claims wait for neither. */
bool channel_manager_is_busy(struct ndp_m *m, uint64_t line)
{
	struct channel_system *s = m->s;

	if (channel_mshr_find(m, line))
		return true;
	for (uint32_t i = 0; i < s->granules; i++) {
		const struct sharers *h = channel_sharers_find(m, line * s->granules + i);

		if (h && h->owner &&
		    !channel_core_owns(&s->cores[m->channel * s->p->core_count + h->owner - 1], h->key))
			return true;
	}
	for (uint32_t i = 0; i < s->p->core_count; i++)
		if (channel_core_asks(&s->cores[m->channel * s->p->core_count + i], line))
			return true;
	return false;
}

/* What is under way is about lines that a core has still, or that a request is for. */
void channel_manager_cold(struct ndp_m *m)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (uint32_t i = 0; i <= m->sharer_mask; i++) {
		const uint64_t line = m->sharers[i].key >> m->s->granule_shift;

		if (m->sharers[i].cores)
			g_array_append_val(lines, line);
	}
	for (uint32_t i = 0; i < LINE_BUCKETS; i++)
		for (const struct mshr *l = m->lines[i]; l; l = l->next)
			g_array_append_val(lines, l->line);
	channel_directory_cold(m, (const uint64_t *)(void *)lines->data, lines->len);
	g_array_free(lines, TRUE);
}

void channel_manager_store(struct ndp_m *m, uint64_t line, cpu_version version)
{
	store_near(m->s, line, version, CPU_VERSION_ALL);
	write_memory(m, line, 0, QUARTERS, false);
}

void channel_manager_take(struct ndp_m *m, uint64_t line, bool is_invalid)
{
	struct channel_system *s = m->s;

	for (uint32_t i = 0; i < s->granules; i++) {
		const uint64_t granule = line * s->granules + i;
		struct sharers *h = channel_sharers_find(m, granule);
		uint64_t cores = h ? h->cores : 0;

		for (; cores; cores &= cores - 1) {
			const uint32_t core = (uint32_t)__builtin_ctzll(cores);
			cpu_version version;

			if (channel_core_take(&s->cores[m->channel * s->p->core_count + core], granule, is_invalid,
					      &version)) {
				const cpu_version quarters =
				    quarters_of(i * s->granule_quarters, s->granule_quarters);

				channel_moved(s, line, quarters, s->cores[m->channel * s->p->core_count + core].unit);
				store_near(s, line, version, quarters);
				write_memory(m, line, i * s->granule_quarters, s->granule_quarters, false);
				s->stats.near_write_back_bytes += s->granule_quarters * QUARTER_BYTES;
				h->owner = 0;
			}
			if (is_invalid)
				channel_sharers_drop(m, granule, core);
		}
	}
}

/* ---- made and freed ---- */

void channel_manager_init(struct ndp_m *m, struct channel_system *s, uint32_t channel)
{
	*m = (struct ndp_m){.s = s, .channel = channel};
	channel_sharers_init(m);
	channel_directory_init(m);
	channel_translate_init(m);
}

void channel_manager_free(struct ndp_m *m)
{
	channel_directory_free(m);
	channel_sharers_free(m);
	channel_queue_free(m);
	channel_translate_free(m);
}
