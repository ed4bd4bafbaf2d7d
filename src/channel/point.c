/* point.c - the NDP-AP on the system bus: claims lines for the NDP-Ms, reads, locks and writes remote ones for them,
 * and answers what processors' writes and TLB commands need not ask the NDP-Ms. */
#include "channel/priv.h"

#include "base/check.h"

static struct ndp_point *point_of(struct channel_system *s, uint32_t channel)
{
	return &s->points[channel % s->p->point_count];
}

/* ---- links ---- */

/* What is between its cores and an NDP-AP, which is at the bus; of a peer it is between that and the bus. */

/* From an NDP to its NDP-AP, or from a peer's own to the bus. */
static uint64_t request_up(const struct ndp_point *a)
{
	return a->s->is_peer ? channel_message_up(a->s, a->number) : now_units(a->s);
}

/* A line, or the right to write one, from the bus. */
static uint64_t grant_down(struct ndp_point *a, bool has_line)
{
	struct channel_system *s = a->s;

	if (!s->is_peer)
		return now_units(s);
	return has_line ? cpu_channels_down(s->channels, a->number, LINE_BYTES, s->message_ps)
			: channel_message_down(s, a->number);
}

/* See struct cpu_agent_ops. The answer is on the wire from now on, which is when those of the message before may be. */
static uint64_t ask_peer(void *self, uint64_t line, bool is_modified)
{
	struct ndp_point *a = self;
	struct channel_system *s = a->s;
	const uint64_t now = now_units(s), there = channel_message_down(s, a->number);
	const uint64_t back = is_modified ? cpu_channels_up(s->channels, a->number, LINE_BYTES, s->message_ps)
					  : channel_message_up(s, a->number);

	(void)line;
	s->stats.link_snoops++;
	return there + (back - now);
}

/* ---- the copy of the summary ---- */

static enum coh_state shadow_state(const struct channel_system *s, uint32_t channel, uint64_t region)
{
	static const enum coh_state states[] = {COH_SHADOW_ALL_CPU, COH_SHADOW_ALL_NDP, COH_SHADOW_ALL_SHR,
						COH_SHADOW_UNDEFINED};

	return states[s->shadow[channel][region]];
}

static void shadow_at(struct channel_system *s, uint32_t channel, uint64_t region, enum coh_event event, bool *forward)
{
	uint8_t *at = &s->shadow[channel][region];
	const struct coh_row *row = coh_find(&s->table, shadow_state(s, channel, region), event, false);

	*forward = row->actions[0] == COH_DO_FORWARD;
	if (row->next == COH_SHADOW_UNDEFINED)
		*at = NEAR_UNDEFINED;
}

static void fire_summarised(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);
	const struct summary_message summary = g->summary;

	base_pool_put(&s->message_pool, g, next);
	/* Software's claims may have overtaken it. */
	if (summary.m->regions[summary.region].state == summary.state)
		s->shadow[summary.m->channel][summary.region] = summary.state;
}

void channel_point_summarised(struct ndp_m *m, uint64_t region, enum near_state state)
{
	struct message *g = channel_message_new(m->s, fire_summarised);

	g->summary = (struct summary_message){.m = m, .region = region, .state = (uint8_t)state};
	cpu_event_at(&m->s->c->events, &g->event, channel_message_up(m->s, m->channel));
}

void channel_point_changed(struct ndp_m *m, uint64_t region)
{
	bool is_forwarded;

	shadow_at(m->s, m->channel, region, COH_EV_CHANGE, &is_forwarded);
}

bool channel_point_invalidate(void *system, struct cpu_request *r)
{
	struct channel_system *s = system;
	struct ndp_m *m = channel_manager_of(s, r->line);
	bool is_forwarded;

	if (!m)
		return false;
	s->stats.invalidates++;
	shadow_at(s, m->channel, channel_region_of(m, r->line), COH_EV_INVALIDATE, &is_forwarded);
	if (s->asks_nobody || (!is_forwarded && s->p->shadow_filter))
		return false;
	s->stats.forwards++;
	channel_manager_invalidate(m, r);
	return true;
}

static void fire_forget(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);

	channel_translate_forget(g->forget.m, g->forget.address);
	base_pool_put(&s->message_pool, g, next);
}

/* The home's NDP-M may have what the region's state does not deny; the NDP-AP knows of all for what it has walked. The
 * answer is on the wire from now on, which is when those of the message before may be. */
uint64_t channel_point_tlb_command(struct ndp_m *m, uint64_t line, uint64_t address)
{
	struct channel_system *s = m->s;
	const bool is_home = channel_manager_of(s, line) == m;
	const bool is_known = is_home && s->shadow[m->channel][channel_region_of(m, line)] == NEAR_CPU;
	struct message *g;
	uint64_t there, back;

	s->stats.tlb_commands += is_home;
	if (is_known && (s->p->shadow_filter || s->asks_nobody) && !channel_translate_has(m, address))
		return 0;
	s->stats.tlb_forwards++;
	g = channel_message_new(s, fire_forget);
	g->forget = (struct forget_message){.m = m, .address = address};
	there = channel_message_down(s, m->channel) + ps_units(s, s->is_peer ? 0 : s->p->point_ps);
	back = channel_message_up(s, m->channel) - now_units(s);
	cpu_event_at(&s->c->events, &g->event, there);
	return there + back;
}

bool channel_point_shares(void *system, uint64_t line)
{
	struct channel_system *s = system;
	struct ndp_m *m = channel_manager_of(s, line);
	const struct coh_row *row;

	if (!m)
		return false;
	row = coh_find(&s->table, shadow_state(s, m->channel, channel_region_of(m, line)), COH_EV_ALONE, false);
	s->stats.shared_answers += row->actions[0] == COH_DO_SHARED;
	return row->actions[0] == COH_DO_SHARED;
}

bool channel_point_is_beyond(void *system, uint64_t line)
{
	struct channel_system *s = system;
	const struct ndp_m *m = channel_manager_of(s, line);

	return m && s->shadow[m->channel][channel_region_of(m, line)] != NEAR_CPU;
}

/* ---- a bus that reaches to the NDPs ---- */

static void fire_snooped(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);
	struct near_request *r = g->snoop.request;

	base_pool_put(&s->message_pool, g, next);
	channel_manager_snooped(r);
}

static void fire_snoop_down(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);

	g->event.fire = fire_snooped;
	cpu_event_at(&s->c->events, e, channel_message_down(s, g->snoop.request->m->channel));
}

static void fire_snoop(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);

	g->event.fire = fire_snoop_down;
	cpu_event_at(&s->c->events, e,
		     cpu_bus_slot_beside(s->bus, now_units(s)) + ps_units(s, s->c->p->snoop_latency_ps));
}

void channel_point_snoop(struct near_request *r)
{
	struct channel_system *s = r->m->s;
	struct message *g = channel_message_new(s, fire_snoop);

	g->snoop.request = r;
	cpu_event_at(&s->c->events, &g->event, channel_message_up(s, r->m->channel));
}

/* The answers are on the wires from now on, which is when those of the message before may be. */
uint64_t channel_point_ask_all(void *system)
{
	struct channel_system *s = system;
	const uint64_t now = now_units(s);
	uint64_t last = now;

	s->stats.bus_snoops++;
	for (uint32_t i = 0; i < s->p->ndp_count; i++) {
		const uint64_t there = channel_message_down(s, i), back = channel_message_up(s, i) - now;

		last = MAX(last, there + back);
	}
	return last;
}

/* ---- claims of lines for the NDP-Ms ---- */

static void fire_acknowledged(void *self, struct cpu_event *e)
{
	(void)self;
	channel_manager_acknowledged(e);
}

static void fire_send_acknowledgment(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct message *g = message_of(e);

	g->event.fire = fire_acknowledged;
	cpu_event_at(&s->c->events, e, channel_message_down(s, g->claimed.m->channel));
}

static void claimed(void *self, struct cpu_claim *c)
{
	struct channel_system *s = self;
	struct claim *claim = base_owner(c, struct claim, claim);
	struct message *g = channel_message_new(s, fire_send_acknowledgment);

	g->claimed = (struct claimed_message){.m = claim->m, .line = c->line};
	base_pool_put(&s->claim_pool, claim, next);
	cpu_event_at(&s->c->events, &g->event, now_units(s) + ps_units(s, s->is_peer ? 0 : s->p->point_bus_ps));
}

static void fire_claim(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct claim *claim = claim_of(e);

	channel_point_changed(claim->m, channel_region_of(claim->m, claim->claim.line));
	cpu_bus_claim(s->bus, &claim->claim, now_units(s));
}

void channel_point_claim(struct ndp_m *m, uint64_t line, bool is_write)
{
	struct channel_system *s = m->s;
	struct claim *claim = base_pool_take(&s->claim_pool, next);

	s->stats.claims++;
	*claim = (struct claim){.claim = {.event = {.fire = fire_claim, .self = s},
					  .line = line,
					  .is_write = is_write,
					  .done = claimed,
					  .self = s},
				.m = m};
	cpu_event_at(&s->c->events, &claim->claim.event,
		     channel_message_up(s, m->channel) + ps_units(s, s->is_peer ? 0 : s->p->point_ps));
}

/* ---- remote accesses ---- */

static struct remote **bucket_of(struct ndp_point *a, uint64_t line)
{
	return &a->waiting[line * 0x9e3779b97f4a7c15u >> 54];
}

static enum coh_state state_of(const struct cpu_tag *tag)
{
	static const enum coh_state states[] = {[CPU_INVALID] = COH_POINT_INVALID,
						[CPU_SHARED] = COH_POINT_SHARED,
						[CPU_MODIFIED] = COH_POINT_MODIFIED,
						[POINT_RESERVED] = COH_POINT_INVALID,
						[POINT_LOCKED] = COH_POINT_LOCKED};

	return tag ? states[tag->state] : COH_POINT_INVALID;
}

/* The access, a write's until its data have left, has a place of its NDP-M's queue no longer. */
static void leave_queue(struct ndp_m *m)
{
	m->remote_taken--;
	channel_queue_room(m);
}

static void fire_data(void *self, struct cpu_event *e)
{
	struct remote *r = remote_of(e);
	struct ndp_m *m = r->m;
	const bool is_over = r->coh_event != COH_EV_R_WRITE;

	(void)self;
	channel_core_remote(r->core, r);
	if (is_over)
		leave_queue(m);
}

static void fire_data_down(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct remote *r = remote_of(e);
	const uint64_t bytes = r->answer_bytes;
	uint64_t there = now_units(s);

	if (!s->is_peer) {
		there = cpu_channels_down(s->channels, r->m->channel, bytes, s->message_ps);
		s->stats.data_down_bytes += bytes;
	}
	r->event.fire = fire_data;
	cpu_trail_step(r->trail, CPU_PART_DOWN, there);
	cpu_trail_step(r->trail, CPU_PART_LINK, there + ps_units(s, s->p->core_link_ps));
	cpu_event_at(&s->c->events, e, there + ps_units(s, s->p->core_link_ps));
}

/* The access' bytes, or its atomic's result, leave for the core. */
static void data_down(struct ndp_point *a, struct remote *r, uint64_t from_units)
{
	struct channel_system *s = a->s;
	const uint64_t bytes = r->answer_bytes;
	const uint64_t out = net_wire_send(&a->out, from_units, bytes);

	s->stats.point_out_bytes += bytes;
	r->event.fire = fire_data_down;
	cpu_trail_step(r->trail, CPU_PART_POINT, out);
	cpu_event_at(&s->c->events, &r->event, out);
}

static void fire_fetched(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct remote *r = remote_of(e);
	struct ndp_core *core = r->core;
	const uint64_t granule = (r->line * QUARTERS + r->quarter) >> s->quarters_shift;

	base_pool_put(&s->remote_pool, r, next);
	channel_core_fetched(core, granule);
	leave_queue(core->m);
}

/* Of a prefetch the core is told. */
static void fetched(struct ndp_point *a, struct remote *r, uint64_t from_units)
{
	const uint64_t there = from_units + ps_units(a->s, a->s->p->core_link_ps);

	r->event.fire = fire_fetched;
	cpu_trail_step(r->trail, CPU_PART_POINT, from_units);
	cpu_trail_step(r->trail, CPU_PART_LINK, there);
	cpu_event_at(&a->s->c->events, &r->event, there);
}

static void walk_step(struct ndp_point *a, struct remote *r, uint64_t from_units);

/* A way for the line that nobody has locked or asked for; NULL: all are. */
static struct cpu_tag *room(struct ndp_point *a, uint64_t line)
{
	struct cpu_tag *oldest = mem_tags_victim(&a->cache, cpu_tags_set(&a->cache, line), way,
						 !way->state || (way->state < POINT_RESERVED && !way->is_kept));

	if (oldest && oldest->state) {
		const struct coh_row *row = coh_find(&a->s->table, state_of(oldest), COH_EV_EVICT, false);

		if (row->actions[0] == COH_DO_WRITE_BACK) {
			a->s->stats.point_write_backs++;
			if (a->s->is_peer)
				cpu_channels_up(a->s->channels, a->number, LINE_BYTES, 0);
			cpu_bus_write_beside(a->s->bus, oldest->line, oldest->version);
		}
	}
	return oldest;
}

static bool is_asked_for(struct ndp_point *a, uint64_t line)
{
	for (const struct remote *r = *bucket_of(a, line); r; r = r->next)
		if (r->line == line && r->is_asking)
			return true;
	return false;
}

/* False: the line has no place in the cache, and there is no room for one. */
static bool has_asked(struct ndp_point *a, struct remote *r, struct cpu_tag *tag)
{
	if (is_asked_for(a, r->line))
		return true;
	if (!tag) {
		tag = room(a, r->line);
		if (!tag)
			return false;
		*tag = (struct cpu_tag){.line = r->line, .state = POINT_RESERVED};
		cpu_tags_take(&a->cache, tag, r->line);
	}
	tag->is_kept = true;
	r->is_asking = true;
	cpu_bus_ask(a->s->bus, a->agent, r->line, r->coh_event == COH_EV_R_READ ? CPU_READ : CPU_WRITE, 0,
		    request_up(a));
	return true;
}

static struct point_queue *placeless_of(struct ndp_point *a, uint64_t line)
{
	return &a->placeless[cpu_tags_set(&a->cache, line)];
}

static void ask_bus(struct ndp_point *a, struct remote *r, struct cpu_tag *tag)
{
	struct point_queue *q = placeless_of(a, r->line);

	if (has_asked(a, r, tag))
		return;
	r->is_placeless = true;
	base_fifo_push(q, r, next_placeless);
}

/* A request on the bus may just take the line, or a claim waits for it: who would lock it asks for it behind them, and
 * does not lock it again and again before them. */
static bool is_wanted(const struct ndp_point *a, uint64_t line, bool is_granted)
{
	return cpu_bus_under_way(a->s->bus, line) || (!is_granted && cpu_bus_is_claimed(a->s->bus, line));
}

/* Goes as far as it can. True: it is done with the cache; its answer leaves from from_units on. is_granted: the line
 * has just come for those that wait. */
static bool serve(struct ndp_point *a, struct remote *r, uint64_t from_units, bool is_granted)
{
	struct channel_system *s = a->s;
	struct cpu_tag *tag = cpu_tags_find(&a->cache, r->line);
	const struct coh_row *row = coh_find(&s->table, state_of(tag), (enum coh_event)r->coh_event, false);
	const enum coh_action action = (enum coh_action)row->actions[0];
	const bool is_taken = r->coh_event == COH_EV_R_WRITE && is_wanted(a, r->line, is_granted);

	if (!r->is_looked_up) {
		r->is_looked_up = true;
		s->stats.point_lookups++;
		s->stats.point_hits += action == COH_DO_DATA_DOWN || action == COH_DO_EXECUTE;
	}
	if (action == COH_DO_WAIT) {
		if (!r->is_waiting)
			r->waiting_units = now_units(s);
		s->stats.lock_waits += !r->is_waiting;
		r->is_waiting = true;
		return false;
	}
	if (action == COH_DO_ASK_SHARED || action == COH_DO_ASK_OWNED || (action == COH_DO_DATA_DOWN && is_taken)) {
		ask_bus(a, r, tag);
		return false;
	}
	if (r->is_waiting)
		s->stats.lock_wait_ps += (now_units(s) - r->waiting_units) / s->c->per_ps;
	cpu_tags_use(&a->cache, tag);
	if (r->walk) {
		walk_step(a, r, from_units);
		return true;
	}
	if (r->is_prefetch) {
		fetched(a, r, from_units);
		return true;
	}
	if (action == COH_DO_EXECUTE)
		tag->version = cpu_make(s->c, r->line, tag->version, quarters_of(r->quarter, r->quarters));
	r->version = tag->version;
	if (row->next == COH_POINT_LOCKED)
		tag->state = POINT_LOCKED;
	if (r->coh_event != COH_EV_R_WRITE)
		channel_observe(s, r->core->unit, r->line, quarters_of(r->quarter, r->quarters),
				action == COH_DO_EXECUTE, r->version);
	channel_moved(s, r->line, quarters_of(r->quarter, r->quarters),
		      action == COH_DO_EXECUTE ? r->core->unit : CPU_NOBODY);
	data_down(a, r, from_units);
	return true;
}

/* Those that wait for the line, in their order. */
static void serve_line(struct ndp_point *a, uint64_t line, uint64_t from_units, bool is_granted)
{
	for (struct remote **link = bucket_of(a, line); *link;) {
		struct remote *r = *link, *next = r->next;

		if (r->line == line && !r->is_asking && serve(a, r, from_units, is_granted))
			*link = next;
		else
			link = &r->next;
	}
}

/* There may be room again where the line is: who has waited longest takes it. */
static void serve_placeless(struct ndp_point *a, uint64_t line)
{
	struct point_queue *q = placeless_of(a, line);

	while (q->first && has_asked(a, q->first, cpu_tags_find(&a->cache, q->first->line)))
		base_fifo_pop(q, next_placeless)->is_placeless = false;
}

/* The line that some of them want has come by another one's request. */
static void drop_placeless(struct ndp_point *a, uint64_t line)
{
	struct point_queue *q = placeless_of(a, line), old = *q;

	*q = (struct point_queue){0};
	while (old.first) {
		struct remote *r = base_fifo_pop(&old, next_placeless);

		if (r->line == line)
			r->is_placeless = false;
		else
			base_fifo_push(q, r, next_placeless);
	}
}

static void arrive(struct ndp_point *a, struct remote *r)
{
	struct remote **last;
	bool is_first = true;

	for (last = bucket_of(a, r->line); *last; last = &(*last)->next)
		is_first &= (*last)->line != r->line;
	if (is_first && serve(a, r, now_units(a->s), false))
		return;
	r->next = NULL;
	for (last = bucket_of(a, r->line); *last; last = &(*last)->next)
		;
	*last = r;
}

static void fire_arrived(void *self, struct cpu_event *e)
{
	struct remote *r = remote_of(e);

	arrive(point_of(self, r->m->channel), r);
}

/* ---- walks of the tables ---- */

static void fire_walked(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct remote *r = remote_of(e);
	struct translation *t = r->walk;

	base_pool_put(&s->remote_pool, r, next);
	channel_translate_walked(t);
}

static void fire_walk_ends(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct remote *r = remote_of(e);

	r->event.fire = fire_walked;
	cpu_event_at(&s->c->events, e, s->is_peer ? now_units(s) : channel_message_down(s, r->m->channel));
}

/* Reads the entry of the next table. An NDP-M's pages are entries of the processors' own table where they are as large;
 * the other tables are beside that. */
static void fire_walk(void *self, struct cpu_event *e)
{
	enum { INDEX_BITS = 9, HUGE_TABLES = 16 };
	struct channel_system *s = self;
	struct remote *r = remote_of(e);
	struct translation *t = r->walk;
	const uint32_t first = s->p->tlb_page_bytes == s->c->p->page_bytes ? 0 : HUGE_TABLES;

	t->level--;
	r->is_looked_up = r->is_waiting = false;
	r->line = cpu_pages_table_entry(s->pages, t->core->unit, first + t->level, t->page >> INDEX_BITS * t->level);
	s->stats.walk_reads++;
	arrive(point_of(s, r->m->channel), r);
}

/* An entry is there from from_units on: the next one, or the translation. */
static void walk_step(struct ndp_point *a, struct remote *r, uint64_t from_units)
{
	r->event.fire = r->walk->level ? fire_walk : fire_walk_ends;
	cpu_event_at(&a->s->c->events, &r->event, from_units + ps_units(a->s, a->s->p->walk_step_ps));
}

void channel_point_walk(struct ndp_m *m, struct translation *t)
{
	struct channel_system *s = m->s;
	struct remote *r = base_pool_take(&s->remote_pool, next);

	t->level = s->walk_levels;
	*r = (struct remote){
	    .event = {.fire = fire_walk, .self = s}, .walk = t, .core = t->core, .m = m, .coh_event = COH_EV_R_READ};
	cpu_event_at(&s->c->events, &r->event,
		     s->is_peer ? now_units(s) : channel_message_up(s, m->channel) + ps_units(s, s->p->point_ps));
}

/* ---- accesses on their way ---- */

static bool take_remote(struct cpu_event *e)
{
	struct remote *r = remote_of(e);
	struct channel_system *s = e->self;
	uint64_t there;

	if (r->m->remote_taken == s->p->remote_queue_count)
		return false;
	r->m->remote_taken++;
	cpu_trail_step(r->trail, CPU_PART_HUB, now_units(s));
	there = s->is_peer ? now_units(s) : channel_message_up_with(s, r->m->channel, r->operand_bytes);
	r->event.fire = fire_arrived;
	cpu_trail_step(r->trail, CPU_PART_UP, there);
	cpu_event_at(&s->c->events, e, there + ps_units(s, s->p->point_ps));
	return true;
}

static bool ask(struct cpu_event *e)
{
	struct remote *r = remote_of(e);

	if (!channel_queue_enter(r->m, &r->m->gates[GATE_REMOTE], e, take_remote))
		r->m->s->stats.remote_queue_waits++;
	return true;
}

static void fire_up(void *self, struct cpu_event *e)
{
	struct remote *r = remote_of(e);

	(void)self;
	channel_queue_enter(r->m, &r->core->gate, e, ask);
}

/* What the access has to move by its kind, for the law that this, and no more, has been moved. */
static void count_needed(struct channel_system *s, const struct remote *r)
{
	const uint32_t written = r->coh_event == COH_EV_R_WRITE ? r->quarters * QUARTER_BYTES : r->operand_bytes;

	s->stats.needed_up_bytes += s->is_peer ? 0 : written;
	s->stats.needed_down_bytes += r->is_prefetch ? 0 : r->answer_bytes;
}

void channel_point_ask(struct ndp_core *core, uint64_t granule, uint32_t bytes, enum cpu_op op, uint64_t units,
		       struct cpu_trail *trail)
{
	struct channel_system *s = core->s;
	struct remote *r = base_pool_take(&s->remote_pool, next);
	const bool is_write = cpu_is_write(op), is_executed = cpu_is_atomic(op) && s->p->point_atomics;

	*r = (struct remote){.event = {.fire = fire_up, .self = s},
			     .core = core,
			     .trail = trail,
			     .m = core->m,
			     .line = granule >> s->granule_shift,
			     .quarter = (uint8_t)((granule & (s->granules - 1)) * s->granule_quarters),
			     .quarters = (uint8_t)s->granule_quarters,
			     .operand_bytes = (uint8_t)(is_executed ? cpu_operands(op) * bytes : 0),
			     .answer_bytes = (uint8_t)(is_executed ? bytes : s->granule_quarters * QUARTER_BYTES),
			     .is_prefetch = op == CPU_PREFETCH,
			     .coh_event = is_executed ? COH_EV_R_ATOMIC : is_write ? COH_EV_R_WRITE : COH_EV_R_READ};
	count_needed(s, r);
	*(is_executed ? &s->stats.remote_atomics : is_write ? &s->stats.remote_writes : &s->stats.remote_reads) += 1;
	if (unlikely(s->c->account != NULL))
		cpu_account_count(s->c->account, core->unit,
				  is_executed ? CPU_COUNT_REMOTE_ATOMICS
				  : is_write  ? CPU_COUNT_REMOTE_WRITES
					      : CPU_COUNT_REMOTE_READS);
	units += ps_units(s, s->p->core_link_ps + s->p->erat_ps);
	cpu_trail_step(trail, CPU_PART_LINK, units);
	channel_translate(core, units, &r->event, trail);
}

static void fire_returned(void *self, struct cpu_event *e)
{
	struct channel_system *s = self;
	struct remote *r = remote_of(e);
	struct ndp_point *a = point_of(s, r->m->channel);
	struct cpu_tag *tag = cpu_tags_find(&a->cache, r->line);
	const uint64_t line = r->line;

	s->stats.point_lookups++;
	s->stats.point_hits++;
	coh_find(&s->table, state_of(tag), COH_EV_R_RETURN, false);
	tag->state = CPU_MODIFIED;
	tag->version = r->version;
	channel_moved(s, line, quarters_of(r->quarter, r->quarters), r->core->unit);
	cpu_tags_use(&a->cache, tag);
	base_pool_put(&s->remote_pool, r, next);
	cpu_bus_unlocked(s->bus, line);
	serve_line(a, line, now_units(s), false);
	serve_placeless(a, line);
}

static bool return_up(struct cpu_event *e)
{
	struct remote *r = remote_of(e);
	struct channel_system *s = e->self;
	const uint64_t bytes = r->quarters * QUARTER_BYTES;

	r->event.fire = fire_returned;
	if (s->is_peer) {
		cpu_event_at(&s->c->events, e, now_units(s));
	} else {
		s->stats.data_up_bytes += bytes;
		cpu_event_at(&s->c->events, e, cpu_channels_up(s->channels, r->m->channel, bytes, s->message_ps));
	}
	leave_queue(r->m);
	return true;
}

static void fire_return_up(void *self, struct cpu_event *e)
{
	struct remote *r = remote_of(e);

	(void)self;
	channel_queue_enter(r->m, &r->core->gate, e, return_up);
}

void channel_point_return(struct remote *r)
{
	struct channel_system *s = r->core->s;

	r->event.fire = fire_return_up;
	cpu_event_at(&s->c->events, &r->event, now_units(s) + ps_units(s, s->p->core_link_ps + s->p->erat_ps));
}

/* ---- as an agent on the bus ---- */

static enum cpu_state state(const void *self, uint64_t line, cpu_version *version)
{
	const struct ndp_point *a = self;
	const struct cpu_tag *tag = cpu_tags_find(&a->cache, line);

	if (!tag || tag->state == POINT_RESERVED)
		return CPU_INVALID;
	*version = tag->version;
	return tag->state == POINT_LOCKED ? CPU_MODIFIED : (enum cpu_state)tag->state;
}

static void snoop(void *self, uint64_t line, bool is_write)
{
	struct ndp_point *a = self;
	struct cpu_tag *tag = cpu_tags_find(&a->cache, line);
	const struct coh_row *row =
	    coh_find(&a->s->table, state_of(tag), is_write ? COH_EV_ANOTHER_WRITES : COH_EV_ANOTHER_READS, false);

	if (row->next == COH_POINT_INVALID)
		tag->state = tag->is_kept ? POINT_RESERVED : CPU_INVALID;
	else if (row->next == COH_POINT_SHARED)
		tag->state = CPU_SHARED;
}

static bool is_locked(const void *self, uint64_t line)
{
	const struct ndp_point *a = self;
	const struct cpu_tag *tag = cpu_tags_find(&a->cache, line);

	return tag && tag->state == POINT_LOCKED;
}

/* What was asked for is there: the line may go, and those that wait are served. */
static void come(struct ndp_point *a, uint64_t line, uint64_t from_units)
{
	bool has_placeless = false;

	cpu_tags_find(&a->cache, line)->is_kept = false;
	for (struct remote *r = *bucket_of(a, line); r; r = r->next)
		if (r->line == line) {
			r->is_asking = false;
			has_placeless |= r->is_placeless;
		}
	if (has_placeless)
		drop_placeless(a, line);
	serve_line(a, line, from_units, true);
	serve_placeless(a, line);
}

static void grant(void *self, const struct cpu_request *r, cpu_version version)
{
	struct ndp_point *a = self;
	struct channel_system *s = a->s;
	struct cpu_tag *tag = cpu_tags_find(&a->cache, r->line);
	const bool is_write = cpu_is_write((enum cpu_op)r->op), is_new = tag->state == POINT_RESERVED;
	const struct coh_row *row =
	    coh_find(&s->table, state_of(tag), is_write ? COH_EV_GRANT_WRITE : COH_EV_GRANT_READ, false);
	uint64_t units = grant_down(a, is_new);

	if (is_new) {
		tag->version = version;
		s->stats.point_in_bytes += LINE_BYTES;
		units = net_wire_send(&a->in, units, LINE_BYTES) + ps_units(s, s->p->point_bus_ps);
	}
	tag->state = row->next == COH_POINT_MODIFIED ? CPU_MODIFIED : CPU_SHARED;
	cpu_tags_use(&a->cache, tag);
	come(a, r->line, units);
}

static bool again(void *self, const struct cpu_request *r)
{
	struct ndp_point *a = self;
	struct cpu_tag *tag = cpu_tags_find(&a->cache, r->line);

	if (tag->state != CPU_MODIFIED && (tag->state != CPU_SHARED || cpu_is_write((enum cpu_op)r->op)))
		return false;
	come(a, r->line, now_units(a->s));
	return true;
}

static const struct cpu_agent_ops agent_ops = {
    .state = state, .snoop = snoop, .grant = grant, .again = again, .is_locked = is_locked};
static const struct cpu_agent_ops peer_ops = {
    .state = state, .snoop = snoop, .grant = grant, .again = again, .is_locked = is_locked, .ask = ask_peer};

void channel_point_init(struct ndp_point *a, struct channel_system *s, uint32_t number)
{
	*a = (struct ndp_point){.s = s,
				.number = number,
				.in = net_wire_of_rate(s->p->point_in_mbytes_per_s, s->c->per_ps),
				.out = net_wire_of_rate(s->p->point_out_mbytes_per_s, s->c->per_ps)};
	cpu_tags_init(&a->cache, s->p->point_cache_bytes, (uint32_t)s->p->point_cache_ways_count, LINE_BYTES);
	cpu_tags_is_part(&a->cache, 1, cpu_place_count(s->c->p), s->c->page_shift - s->c->line_shift);
	a->placeless = g_new0(struct point_queue, a->cache.set_count);
	a->agent = cpu_bus_agent(s->bus, s->is_peer ? &peer_ops : &agent_ops, a);
	s->bus->has_links |= s->is_peer;
	s->bus->agents[a->agent].is_beside_llc = true;
	s->bus->has_locks = true;
}

void channel_point_cold(struct ndp_point *a)
{
	for (uint64_t i = 0; i < a->cache.set_count * a->cache.way_count; i++) {
		struct cpu_tag *tag = &a->cache.tags[i];

		if (tag->state && tag->state < POINT_RESERVED)
			tag->state = tag->is_kept ? POINT_RESERVED : CPU_INVALID;
	}
}

void channel_point_free(struct ndp_point *a)
{
	cpu_tags_free(&a->cache);
	g_free(a->placeless);
}
