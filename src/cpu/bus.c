/* bus.c - requests from their slot to their end, and what they change in the caches. */
#include "cpu/bus.h"

#include "base/check.h"

/* ---- requests ---- */

static struct cpu_request *request_new(struct cpu_bus *b)
{
	struct cpu_request *r = b->free;

	if (r)
		b->free = r->next;
	else
		r = g_new(struct cpu_request, 1);
	return r;
}

static struct cpu_request *request_of(struct cpu_event *e)
{
	return (struct cpu_request *)e;
}

static void request_put(struct cpu_bus *b, struct cpu_request *r)
{
	r->next = b->free;
	b->free = r;
}

static struct cpu_request **bucket_of(struct cpu_bus *b, uint64_t line)
{
	return &b->buckets[line * 0x9e3779b97f4a7c15u >> 52];
}

static struct cpu_request *under_way(const struct cpu_bus *b, uint64_t line)
{
	struct cpu_request *r = b->buckets[line * 0x9e3779b97f4a7c15u >> 52];

	while (r && r->line != line)
		r = r->next;
	return r;
}

const struct cpu_request *cpu_bus_under_way(const struct cpu_bus *b, uint64_t line)
{
	return under_way(b, line);
}

static enum cpu_state state_of(const struct cpu_bus *b, uint32_t agent, uint64_t line, uint32_t *version)
{
	return b->agents[agent].ops->state(b->agents[agent].self, line, version);
}

/* ---- the last level ---- */

static void llc_put(struct cpu_bus *b, uint64_t line, uint32_t version, bool is_dirty)
{
	struct cpu_tag *tag = cpu_tags_find(&b->llc, line);

	if (!tag) {
		tag = cpu_tags_victim(&b->llc, line);
		if (tag->state == CPU_MODIFIED) {
			b->c->stats.memory_writes++;
			b->home_ops->write_back(b->home, tag->line, tag->version);
		}
		*tag = (struct cpu_tag){.line = line, .state = CPU_SHARED};
	}
	tag->version = version;
	if (is_dirty)
		tag->state = CPU_MODIFIED;
	cpu_tags_use(&b->llc, tag);
}

void cpu_bus_write_back(struct cpu_bus *b, uint64_t line, uint32_t version)
{
	b->c->stats.l2_write_backs++;
	llc_put(b, line, version, true);
}

/* ---- from the slot to the end ---- */

/* Asks all other agents, and changes them: a line has one writer or any number of readers. Returns the newest version.
 */
static uint32_t snoop(struct cpu_bus *b, const struct cpu_request *r, bool is_from_home)
{
	const bool is_write = cpu_is_write((enum cpu_op)r->op);
	struct cpu_tag *last;
	uint32_t version;

	for (uint32_t i = 0; i < b->agent_count; i++) {
		const enum cpu_state state = i == r->agent ? CPU_INVALID : state_of(b, i, r->line, &version);
		const bool modified = state == CPU_MODIFIED;

		if (!state || (!is_write && !modified))
			continue;
		b->c->stats.invalidations += is_write;
		if (!is_write)
			cpu_bus_write_back(b, r->line, version);
		b->agents[i].ops->snoop(b->agents[i].self, r->line, is_write);
		if (modified)
			return version;
	}
	last = cpu_tags_find(&b->llc, r->line);
	if (last)
		return last->version;
	version = b->home_ops->version(b->home, r->line);
	if (is_from_home)
		llc_put(b, r->line, version, false);
	return version;
}

static void begin(struct cpu_bus *b, struct cpu_request *r, uint64_t units);

static void wait_for(struct cpu_bus *b, struct cpu_request *other, struct cpu_request *r)
{
	struct cpu_request **last = &other->waiting;

	while (*last)
		last = &(*last)->waiting;
	*last = r;
	b->c->stats.joins++;
}

static void end(struct cpu_bus *b, struct cpu_request *r, bool is_from_home)
{
	const uint64_t now = cpu_now_units(b->c);
	struct cpu_request **link = bucket_of(b, r->line), *w = r->waiting;

	while (*link != r)
		link = &(*link)->next;
	*link = r->next;

	const uint32_t version = snoop(b, r, is_from_home);

	b->agents[r->agent].ops->grant(b->agents[r->agent].self, r, version);
	/* Those that waited, in their order: the first that must goes to the bus, the others wait for that. */
	while (w) {
		struct cpu_request *next = w->waiting, *other = under_way(b, w->line);

		w->waiting = NULL;
		b->c->stats.joins_over++;
		if (b->agents[w->agent].ops->again(b->agents[w->agent].self, w))
			request_put(b, w);
		else if (other)
			wait_for(b, other, w);
		else
			begin(b, w, now);
		w = next;
	}
	request_put(b, r);
}

static void fire_end(void *bus, struct cpu_event *e)
{
	end(bus, request_of(e), false);
}

static void fire_end_from_home(void *bus, struct cpu_event *e)
{
	end(bus, request_of(e), true);
}

void cpu_bus_end_at(struct cpu_bus *b, struct cpu_request *r, uint64_t units)
{
	r->event.fire = fire_end_from_home;
	r->event.self = b;
	cpu_event_at(&b->c->events, &r->event, units);
}

/* Its slot has come: who has the line? */
static void look(void *bus, struct cpu_event *e)
{
	struct cpu_bus *b = bus;
	struct cpu_request *r = request_of(e);
	const struct cpu_params *p = b->c->p;
	struct cpu_stats *stats = &b->c->stats;
	uint64_t ps;
	uint32_t version;
	bool is_modified = false;

	for (uint32_t i = 0; i < b->agent_count && !is_modified; i++)
		is_modified = i != r->agent && state_of(b, i, r->line, &version) == CPU_MODIFIED;
	if (state_of(b, r->agent, r->line, &version)) {
		stats->upgrades++;
		ps = p->snoop_latency_ps;
	} else if (is_modified) {
		stats->interventions++;
		ps = p->intervention_ps;
	} else if (cpu_tags_find(&b->llc, r->line)) {
		stats->llc_hits++;
		ps = p->llc_latency_ps;
	} else {
		stats->memory_reads++;
		b->home_ops->read(b->home, r);
		return;
	}
	r->event.fire = fire_end;
	cpu_event_at(&b->c->events, e, cpu_now_units(b->c) + ps * b->c->per_ps);
}

static void begin(struct cpu_bus *b, struct cpu_request *r, uint64_t units)
{
	struct cpu_request **bucket = bucket_of(b, r->line);
	uint64_t *bus = b->slot_free_units;
	const uint64_t edge = (units + b->tick_units - 1) / b->tick_units * b->tick_units;

	for (uint32_t i = 1; i < b->c->p->snoop_bus_count; i++)
		if (b->slot_free_units[i] < *bus)
			bus = &b->slot_free_units[i];

	const uint64_t slot = MAX(edge, *bus);

	*bus = slot + b->tick_units;
	b->c->stats.misses++;
	b->c->stats.slots++;
	b->c->stats.slot_wait_ps += (slot - edge) / b->c->per_ps;
	r->next = *bucket;
	*bucket = r;
	r->event.fire = look;
	r->event.self = b;
	cpu_event_at(&b->c->events, &r->event, slot);
}

void cpu_bus_ask(struct cpu_bus *b, uint32_t agent, uint64_t line, enum cpu_op op, uint32_t tag, uint64_t units)
{
	struct cpu_request *r = request_new(b), *other = under_way(b, line);

	*r = (struct cpu_request){.line = line, .agent = agent, .tag = tag, .op = (uint8_t)op};
	if (other)
		wait_for(b, other, r);
	else
		begin(b, r, units);
}

/* ---- made and freed ---- */

void cpu_bus_init(struct cpu_bus *b, struct cpu_common *c, uint32_t domain, uint32_t agents_max)
{
	*b = (struct cpu_bus){.c = c, .agents_max = agents_max};
	b->agents = g_new0(struct cpu_agent, agents_max);
	cpu_tags_init(&b->llc, c->p->llc_bytes, (uint32_t)c->p->llc_ways_count, c->p->line_bytes);
	b->slot_free_units = g_new0(uint64_t, c->p->snoop_bus_count);
	b->tick_units = sim_period_units(c->events.engine, domain);
}

void cpu_bus_home(struct cpu_bus *b, const struct cpu_home_ops *ops, void *self)
{
	b->home_ops = ops;
	b->home = self;
}

uint32_t cpu_bus_agent(struct cpu_bus *b, const struct cpu_agent_ops *ops, void *self)
{
	CHECK(b->agent_count < b->agents_max);
	b->agents[b->agent_count] = (struct cpu_agent){ops, self};
	return b->agent_count++;
}

void cpu_bus_free(struct cpu_bus *b)
{
	while (b->free) {
		struct cpu_request *next = b->free->next;

		g_free(b->free);
		b->free = next;
	}
	cpu_tags_free(&b->llc);
	g_free(b->slot_free_units);
	g_free(b->agents);
}
