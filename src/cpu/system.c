/* system.c - caches, the bus and the channels: one transaction per line, on an engine that others share. */
#include "cpu/system.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "cpu/tags.h"

const struct sim_param_desc cpu_param_rows[] = {
#define PARAM_STRUCT struct cpu_params
#include "sim/param_rows.inc"
#include "cpu/cpu_params.def"
#include "sim/param_end.inc"
};
const uint32_t cpu_param_row_count = ARRAY_COUNT(cpu_param_rows);

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct cpu_stats
#include "sim/stat_rows.inc"
#include "cpu/cpu_stats.def"
#include "sim/stat_end.inc"
};

enum { BUCKETS = 4096, NO_CORE = UINT32_MAX };

/* One line's access that is not answered yet: the transaction itself, or waiting for the line's. */
struct transaction {
	uint64_t line;
	struct transaction *next;    /* of the bucket, or of those who wait for memory's room */
	struct transaction *waiting; /* for this one to end, in the order of coming; of one that waits: the next */
	uint64_t time_units, order;  /* of its event */
	uint32_t core;
	uint8_t op; /* enum cpu_op */
	bool is_answer, from_memory;
	enum { STEP_SNOOP, STEP_SEND, STEP_END, STEP_WRITE } step;
};

/* What a core's one instruction still has to do; from its present line on. */
struct core {
	struct cpu_tags l1, l2;
	uint64_t address, end; /* of the access that waits */
	uint64_t last_page, last_frame;
	uint64_t stores, prefetches; /* under way */
	enum cpu_op op;
	bool is_fencing;
};

struct cpu_system {
	const struct cpu_params *p;
	struct sim_ctx *ctx;
	struct sim_engine *engine;
	struct mem_memory *memory;
	struct cpu_user user;
	struct cpu_stats stats;
	struct sim_comp comp;
	struct core *cores;
	struct cpu_tags llc;
	GHashTable *frames;	/* of pages, + 1 */
	GHashTable *versions;	/* of lines in the memory; NULL: nobody observes */
	uint64_t frame_count, frames_max;
	struct transaction *buckets[BUCKETS], *free;
	struct transaction *refused, **refused_end;
	GPtrArray *events; /* a heap by time and order */
	uint64_t event_order;
	uint64_t *slot_free_units, *up_free_units, *down_free_units;
	uint64_t per_ps, tick_units, up_ps, down_ps;
};

/* ---- parameters ---- */

static bool is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

static bool check_cache(const char *name, uint64_t bytes, uint64_t ways, uint64_t line, struct base_diag_list *diag)
{
	if (bytes % (ways * line) == 0 && bytes)
		return true;
	base_diag_error(diag, (struct base_place){0}, "cpu.%s_bytes = %llu: no whole number of sets of %llu ways", name,
			(unsigned long long)bytes, (unsigned long long)ways);
	return false;
}

bool cpu_params_check(const struct cpu_params *p, const struct memory_params *m, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;

	if (!is_power_of_two(p->line_bytes) || p->line_bytes != m->line_bytes)
		base_diag_error(diag, (struct base_place){0},
				"cpu.line_bytes = %llu: expected a power of two, and the memory's line_bytes, %llu",
				(unsigned long long)p->line_bytes, (unsigned long long)m->line_bytes);
	if (!is_power_of_two(p->page_bytes) || m->capacity_bytes < p->page_bytes)
		base_diag_error(diag, (struct base_place){0},
				"cpu.page_bytes = %llu: expected a power of two, and at most the memory's capacity",
				(unsigned long long)p->page_bytes);
	check_cache("l1", p->l1_bytes, p->l1_ways_count, p->line_bytes, diag);
	check_cache("l2", p->l2_bytes, p->l2_ways_count, p->line_bytes, diag);
	check_cache("llc", p->llc_bytes, p->llc_ways_count, p->line_bytes, diag);
	if (m->channel_count % p->channel_count)
		base_diag_error(diag, (struct base_place){0},
				"cpu.channel_count = %llu: the memory's channel_count, %llu, is no multiple of it",
				(unsigned long long)p->channel_count, (unsigned long long)m->channel_count);
	return diag->error_count == before;
}

/* ---- events ---- */

static struct transaction *event_at(struct cpu_system *s, uint32_t i)
{
	return s->events->pdata[i];
}

static bool is_before(const struct transaction *a, const struct transaction *b)
{
	return a->time_units != b->time_units ? a->time_units < b->time_units : a->order < b->order;
}

static void schedule(struct cpu_system *s, struct transaction *t, uint64_t time_units)
{
	uint32_t i = s->events->len;

	t->time_units = time_units;
	t->order = s->event_order++;
	g_ptr_array_add(s->events, t);
	for (; i && is_before(t, event_at(s, (i - 1) / 2)); i = (i - 1) / 2)
		s->events->pdata[i] = event_at(s, (i - 1) / 2);
	s->events->pdata[i] = t;
	sim_wake_units(s->engine, s->comp, time_units);
}

static struct transaction *next_event(struct cpu_system *s)
{
	struct transaction *first = event_at(s, 0), *last = event_at(s, s->events->len - 1);
	uint32_t count = s->events->len - 1, i = 0;

	g_ptr_array_set_size(s->events, (int)count);
	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && is_before(event_at(s, child + 1), event_at(s, child)))
			child++;
		if (!is_before(event_at(s, child), last))
			break;
		s->events->pdata[i] = event_at(s, child);
	}
	if (count)
		s->events->pdata[i] = last;
	return first;
}

static struct transaction *transaction_new(struct cpu_system *s, uint32_t core, uint64_t line, enum cpu_op op,
					   bool is_answer)
{
	struct transaction *t = s->free;

	if (t)
		s->free = t->next;
	else
		t = g_new(struct transaction, 1);
	*t = (struct transaction){.line = line, .core = core, .op = (uint8_t)op, .is_answer = is_answer};
	return t;
}

static void transaction_put(struct cpu_system *s, struct transaction *t)
{
	t->next = s->free;
	s->free = t;
}

static struct transaction **bucket_of(struct cpu_system *s, uint64_t line)
{
	return &s->buckets[line * 0x9e3779b97f4a7c15u >> 52];
}

static struct transaction *under_way(struct cpu_system *s, uint64_t line)
{
	struct transaction *t = *bucket_of(s, line);

	while (t && t->line != line)
		t = t->next;
	return t;
}

/* ---- the memory ---- */

static uint32_t version_in_memory(const struct cpu_system *s, uint64_t line)
{
	return s->versions ? GPOINTER_TO_UINT(g_hash_table_lookup(s->versions, (gpointer)line)) : 0;
}

/* Offers what t reads or writes; false: it waits for room. */
static bool offer(struct cpu_system *s, struct transaction *t)
{
	const uint64_t address = t->line * s->p->line_bytes;
	const enum mem_op op = t->step == STEP_WRITE ? MEM_WRITE : MEM_READ;

	if (!mem_memory_can_accept(s->memory, address, op))
		return false;

	struct mem_req *r = mem_req_get(s->ctx->pool);

	*r = (struct mem_req){.addr_bytes = address, .size_bytes = (uint16_t)s->p->line_bytes};
	mem_req_set_access(r, op, MEM_KIND_DATA);
	r->issue_units = sim_now_units(s->engine);
	r->owner = t;
	CHECK(mem_memory_offer(s->memory, r));
	return true;
}

static void send(struct cpu_system *s, struct transaction *t)
{
	if (!s->refused && offer(s, t))
		return;
	t->next = NULL;
	*s->refused_end = t;
	s->refused_end = &t->next;
}

void cpu_memory_room(void *system)
{
	struct cpu_system *s = system;

	while (s->refused) {
		struct transaction *t = s->refused, *next = t->next;

		if (!offer(s, t))
			return;
		s->refused = next;
		if (!next)
			s->refused_end = &s->refused;
	}
}

/* A modified line leaves the last level: the memory has its bytes in the order of this, the channel takes its time. */
static void write_to_memory(struct cpu_system *s, uint64_t line, uint32_t version)
{
	const struct mem_place at = mem_memory_place(s->memory, line * s->p->line_bytes);
	const uint32_t channel = at.stack % (uint32_t)s->p->channel_count;
	const uint64_t now = sim_now_units(s->engine);
	struct transaction *t = transaction_new(s, NO_CORE, line, CPU_WRITE, false);

	if (s->versions)
		g_hash_table_insert(s->versions, (gpointer)line, GUINT_TO_POINTER(version));
	s->stats.memory_writes++;
	s->stats.down_bytes += s->p->line_bytes;
	s->stats.down_busy_ps += s->down_ps;
	s->down_free_units[channel] = MAX(now, s->down_free_units[channel]) + s->down_ps * s->per_ps;
	t->step = STEP_WRITE;
	schedule(s, t, s->down_free_units[channel] + s->p->channel_latency_ps * s->per_ps);
}

void cpu_memory_done(void *system, struct mem_req *r)
{
	struct cpu_system *s = system;
	struct transaction *t = r->owner;
	const uint32_t channel = r->stack % (uint32_t)s->p->channel_count;
	const uint64_t now = sim_now_units(s->engine);

	mem_req_put(s->ctx->pool, r);
	if (t->step == STEP_WRITE) {
		transaction_put(s, t);
		return;
	}
	s->stats.up_bytes += s->p->line_bytes;
	s->stats.up_busy_ps += s->up_ps;
	s->up_free_units[channel] = MAX(now, s->up_free_units[channel]) + s->up_ps * s->per_ps;
	t->step = STEP_END;
	schedule(s, t, s->up_free_units[channel] + s->p->channel_latency_ps * s->per_ps);
}

/* ---- coherence ---- */

static void llc_put(struct cpu_system *s, uint64_t line, uint32_t version, bool is_dirty)
{
	struct cpu_tag *tag = cpu_tags_find(&s->llc, line);

	if (!tag) {
		tag = cpu_tags_victim(&s->llc, line);
		if (tag->state == CPU_MODIFIED)
			write_to_memory(s, tag->line, tag->version);
		*tag = (struct cpu_tag){.line = line, .state = CPU_SHARED};
	}
	tag->version = version;
	if (is_dirty)
		tag->state = CPU_MODIFIED;
	cpu_tags_use(&s->llc, tag);
}

static void drop_private(struct core *c, struct cpu_tag *tag)
{
	struct cpu_tag *first = cpu_tags_find(&c->l1, tag->line);

	if (first)
		first->state = CPU_INVALID;
	tag->state = CPU_INVALID;
}

static void write_back(struct cpu_system *s, const struct cpu_tag *tag)
{
	s->stats.l2_write_backs++;
	llc_put(s, tag->line, tag->version, true);
}

static void l1_fill(struct core *c, const struct cpu_tag *from)
{
	struct cpu_tag *tag = cpu_tags_find(&c->l1, from->line);

	if (!tag)
		tag = cpu_tags_victim(&c->l1, from->line);
	*tag = (struct cpu_tag){.line = from->line, .state = from->state};
	cpu_tags_use(&c->l1, tag);
}

/* The line in the core's second level, in any state. */
static struct cpu_tag *l2_room(struct cpu_system *s, struct core *c, uint64_t line)
{
	struct cpu_tag *tag = cpu_tags_find(&c->l2, line);

	if (tag)
		return tag;
	tag = cpu_tags_victim(&c->l2, line);
	if (tag->state == CPU_MODIFIED)
		write_back(s, tag);
	if (tag->state)
		drop_private(c, tag);
	*tag = (struct cpu_tag){.line = line, .state = CPU_INVALID};
	return tag;
}

/* Asks all other caches, and changes them: a line has one writer or any number of readers. Returns the newest version.
 */
static uint32_t snoop(struct cpu_system *s, uint32_t core, uint64_t line, bool is_write, bool from_memory)
{
	struct cpu_tag *last;
	uint32_t version;
	bool modified;

	for (uint32_t i = 0; i < s->p->core_count; i++) {
		struct cpu_tag *tag = i == core ? NULL : cpu_tags_find(&s->cores[i].l2, line);

		if (!tag)
			continue;
		modified = tag->state == CPU_MODIFIED;
		version = tag->version;
		if (is_write) {
			s->stats.invalidations++;
			drop_private(&s->cores[i], tag);
			if (modified)
				return version;
		} else if (modified) {
			struct cpu_tag *first = cpu_tags_find(&s->cores[i].l1, line);

			write_back(s, tag);
			tag->state = CPU_SHARED;
			if (first)
				first->state = CPU_SHARED;
			return version;
		}
	}
	last = cpu_tags_find(&s->llc, line);
	if (last)
		return last->version;
	if (from_memory)
		llc_put(s, line, version_in_memory(s, line), false);
	return version_in_memory(s, line);
}

static void observe(struct cpu_system *s, uint32_t core, uint64_t line, enum cpu_op op, struct cpu_tag *second)
{
	if (likely(!s->user.observe) || op == CPU_PREFETCH)
		return;
	if (op != CPU_READ)
		second->version++;
	s->user.observe(s->user.self, core, line, op != CPU_READ, second->version);
}

/* All caches change at once. */
static void transact(struct cpu_system *s, const struct transaction *t)
{
	struct core *c = &s->cores[t->core];
	const bool is_write = t->op == CPU_WRITE || t->op == CPU_ATOMIC;
	const uint32_t version = snoop(s, t->core, t->line, is_write, t->from_memory);
	struct cpu_tag *tag = l2_room(s, c, t->line);

	if (!tag->state)
		tag->version = version;
	if (is_write || !tag->state)
		tag->state = is_write ? CPU_MODIFIED : CPU_SHARED;
	cpu_tags_use(&c->l2, tag);
	l1_fill(c, tag);
	observe(s, t->core, t->line, (enum cpu_op)t->op, tag);
}

/* ---- transactions ---- */

static void begin(struct cpu_system *s, struct transaction *t, uint64_t units)
{
	struct transaction **bucket = bucket_of(s, t->line);
	uint64_t *bus = s->slot_free_units;
	const uint64_t edge = (units + s->tick_units - 1) / s->tick_units * s->tick_units;

	for (uint32_t i = 1; i < s->p->snoop_bus_count; i++)
		if (s->slot_free_units[i] < *bus)
			bus = &s->slot_free_units[i];

	const uint64_t slot = MAX(edge, *bus);

	*bus = slot + s->tick_units;
	s->stats.misses++;
	s->stats.slots++;
	s->stats.slot_wait_ps += (slot - edge) / s->per_ps;
	t->next = *bucket;
	*bucket = t;
	t->step = STEP_SNOOP;
	schedule(s, t, slot);
}

/* When the queue of writes before the line's channel has room again: now, or later. */
static uint64_t write_queue_end(const struct cpu_system *s, uint64_t line)
{
	const struct mem_place at = mem_memory_place(s->memory, line * s->p->line_bytes);
	const uint64_t full_units = s->p->write_queue_count * s->down_ps * s->per_ps;
	const uint64_t end = s->down_free_units[at.stack % (uint32_t)s->p->channel_count];

	return MAX(sim_now_units(s->engine) + full_units, end) - full_units;
}

/* Its slot has come: who has the line? */
static void look(struct cpu_system *s, struct transaction *t)
{
	const uint64_t now = sim_now_units(s->engine);
	uint64_t ps = s->p->snoop_latency_ps, begin_units = now;
	bool is_modified = false;

	for (uint32_t i = 0; i < s->p->core_count && !is_modified; i++) {
		const struct cpu_tag *tag = i == t->core ? NULL : cpu_tags_find(&s->cores[i].l2, t->line);

		is_modified = tag && tag->state == CPU_MODIFIED;
	}
	t->step = STEP_END;
	if (cpu_tags_find(&s->cores[t->core].l2, t->line)) {
		s->stats.upgrades++;
	} else if (is_modified) {
		s->stats.interventions++;
		ps = s->p->intervention_ps;
	} else if (cpu_tags_find(&s->llc, t->line)) {
		s->stats.llc_hits++;
		ps = s->p->llc_latency_ps;
	} else {
		s->stats.memory_reads++;
		t->step = STEP_SEND;
		t->from_memory = true;
		ps += s->p->channel_latency_ps;
		begin_units = write_queue_end(s, t->line);
		s->stats.write_wait_ps += (begin_units - now) / s->per_ps;
	}
	schedule(s, t, begin_units + ps * s->per_ps);
}

static bool go_on(struct cpu_system *s, uint32_t core, uint64_t *units);

static void answer(struct cpu_system *s, uint32_t core, uint64_t units)
{
	s->user.answer(s->user.self, core, (units + s->per_ps - 1) / s->per_ps);
}

/* What the core did with its line is done: it, or what waited for that, goes on. */
static void complete(struct cpu_system *s, const struct transaction *t, uint64_t units)
{
	struct core *c = &s->cores[t->core];

	if (t->is_answer) {
		c->address = (c->address / s->p->line_bytes + 1) * s->p->line_bytes;
		if (go_on(s, t->core, &units))
			answer(s, t->core, units);
		return;
	}
	if (t->op == CPU_PREFETCH) {
		c->prefetches--;
		return;
	}
	c->stores--;
	if (c->is_fencing && !c->stores) {
		c->is_fencing = false;
		answer(s, t->core, units);
	}
}

static bool is_enough(const struct cpu_tag *tag, enum cpu_op op)
{
	return tag && (op == CPU_READ || op == CPU_PREFETCH || tag->state == CPU_MODIFIED);
}

static void end(struct cpu_system *s, struct transaction *t)
{
	const uint64_t now = sim_now_units(s->engine);
	struct transaction **link = bucket_of(s, t->line), *w = t->waiting;

	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	transact(s, t);
	complete(s, t, now);
	/* Those that waited, in their order: the first that must goes to the bus, the others wait for that. */
	while (w) {
		struct transaction *next = w->waiting, *other = under_way(s, w->line);
		struct cpu_tag *tag = cpu_tags_find(&s->cores[w->core].l2, w->line);

		w->waiting = NULL;
		s->stats.joins_over++;
		if (is_enough(tag, (enum cpu_op)w->op)) {
			s->stats.l2_hits++;
			observe(s, w->core, w->line, (enum cpu_op)w->op, tag);
			l1_fill(&s->cores[w->core], tag);
			complete(s, w, now);
			transaction_put(s, w);
		} else if (other) {
			struct transaction **last = &other->waiting;

			while (*last)
				last = &(*last)->waiting;
			*last = w;
			s->stats.joins++;
		} else {
			begin(s, w, now);
		}
		w = next;
	}
	transaction_put(s, t);
}

static void tick(void *system, uint64_t cycle)
{
	struct cpu_system *s = system;
	const uint64_t now = sim_now_units(s->engine);

	(void)cycle;
	while (s->events->len && event_at(s, 0)->time_units <= now) {
		struct transaction *t = next_event(s);

		switch (t->step) {
		case STEP_SNOOP:
			look(s, t);
			break;
		case STEP_SEND:
		case STEP_WRITE:
			send(s, t);
			break;
		case STEP_END:
			end(s, t);
			break;
		}
	}
}

/* ---- cores ---- */

static uint64_t line_of(struct cpu_system *s, struct core *c, uint64_t address)
{
	const uint64_t page = address / s->p->page_bytes;

	if (page != c->last_page) {
		uint64_t frame = (uint64_t)(uintptr_t)g_hash_table_lookup(s->frames, (gpointer)page);

		if (!frame) {
			if (s->frame_count == s->frames_max)
				s->user.full(s->user.self);
			frame = ++s->frame_count;
			s->stats.pages++;
			g_hash_table_insert(s->frames, (gpointer)page, (gpointer)frame);
		}
		c->last_page = page;
		c->last_frame = frame - 1;
	}
	return (c->last_frame * s->p->page_bytes + address % s->p->page_bytes) / s->p->line_bytes;
}

static uint64_t cycles_units(const struct cpu_system *s, uint64_t cycles)
{
	return cycles * 1000000000 / s->p->clock_khz * s->per_ps;
}

/* Has the core a store of this line under way? It takes the next one along. */
static bool is_merged(const struct transaction *t, uint32_t core)
{
	for (; t; t = t->waiting)
		if (t->core == core && t->op == CPU_WRITE && !t->is_answer)
			return true;
	return false;
}

/* The line goes to the bus, or waits for who is there with it. True: the core need not wait. */
static bool miss(struct cpu_system *s, uint32_t core, uint64_t line, uint64_t units)
{
	struct core *c = &s->cores[core];
	struct transaction *other = under_way(s, line), *t;
	const bool is_store = c->op == CPU_WRITE && c->stores < s->p->store_count;

	if (c->op == CPU_PREFETCH && (other || c->prefetches == s->p->prefetch_count)) {
		s->stats.drops++;
		return true;
	}
	if (c->op == CPU_WRITE && is_merged(other, core)) {
		s->stats.merges++;
		return true;
	}
	c->stores += is_store;
	c->prefetches += c->op == CPU_PREFETCH;
	t = transaction_new(s, core, line, c->op, !is_store && c->op != CPU_PREFETCH);
	if (other) {
		struct transaction **last = &other->waiting;

		while (*last)
			last = &(*last)->waiting;
		*last = t;
		s->stats.joins++;
	} else {
		begin(s, t, units);
	}
	return !t->is_answer;
}

/* Does the core's access from where it is. True: it is done, at *units. */
static bool go_on(struct cpu_system *s, uint32_t core, uint64_t *units)
{
	uint64_t *const counts[] = {&s->stats.reads, &s->stats.writes, &s->stats.atomics, &s->stats.prefetches};
	struct core *c = &s->cores[core];

	for (; c->address < c->end; c->address = (c->address / s->p->line_bytes + 1) * s->p->line_bytes) {
		const uint64_t line = line_of(s, c, c->address);
		struct cpu_tag *first = cpu_tags_find(&c->l1, line), *second;
		const bool waits = c->op == CPU_READ || c->op == CPU_ATOMIC;

		(*counts[c->op])++;
		if (is_enough(first, c->op)) {
			s->stats.l1_hits++;
			cpu_tags_use(&c->l1, first);
			if (unlikely(s->user.observe))
				observe(s, core, line, c->op, cpu_tags_find(&c->l2, line));
			*units += waits ? cycles_units(s, s->p->l1_cycles) : 0;
			continue;
		}
		second = cpu_tags_find(&c->l2, line);
		if (is_enough(second, c->op)) {
			s->stats.l2_hits++;
			cpu_tags_use(&c->l2, second);
			l1_fill(c, second);
			observe(s, core, line, c->op, second);
			*units += waits ? cycles_units(s, s->p->l2_cycles) : 0;
			continue;
		}
		if (!miss(s, core, line, *units + cycles_units(s, s->p->l2_cycles)))
			return false;
	}
	return true;
}

uint64_t cpu_access(struct cpu_system *s, uint32_t core, uint64_t now_ps, uint64_t address, uint32_t size_bytes,
		    enum cpu_op op)
{
	struct core *c = &s->cores[core];
	uint64_t units = MAX(now_ps * s->per_ps, sim_now_units(s->engine));

	c->address = address;
	c->end = address + size_bytes;
	c->op = op;
	if (!go_on(s, core, &units))
		return CPU_WAITS;
	return MAX(now_ps, (units + s->per_ps - 1) / s->per_ps);
}

uint64_t cpu_fence(struct cpu_system *s, uint32_t core, uint64_t now_ps)
{
	struct core *c = &s->cores[core];

	if (!c->stores)
		return now_ps;
	c->is_fencing = true;
	return CPU_WAITS;
}

/* ---- made and freed ---- */

bool cpu_clock_add(const struct cpu_params *p, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, "cpu_bus", sim_period_of_khz(p->bus_khz), &domain);
}

struct cpu_system *cpu_system_new(struct sim_ctx *ctx, const struct cpu_params *p, struct mem_memory *memory,
				  uint64_t memory_bytes)
{
	struct cpu_system *s = g_new0(struct cpu_system, 1);
	const uint32_t domain = sim_domain_find(ctx->engine, "cpu_bus");

	s->p = p;
	s->ctx = ctx;
	s->engine = ctx->engine;
	s->memory = memory;
	s->cores = g_new0(struct core, p->core_count);
	for (uint32_t i = 0; i < p->core_count; i++) {
		cpu_tags_init(&s->cores[i].l1, p->l1_bytes, (uint32_t)p->l1_ways_count, p->line_bytes);
		cpu_tags_init(&s->cores[i].l2, p->l2_bytes, (uint32_t)p->l2_ways_count, p->line_bytes);
		s->cores[i].last_page = UINT64_MAX;
	}
	cpu_tags_init(&s->llc, p->llc_bytes, (uint32_t)p->llc_ways_count, p->line_bytes);
	s->frames = g_hash_table_new(NULL, NULL);
	s->frames_max = memory_bytes / p->page_bytes;
	s->refused_end = &s->refused;
	s->events = g_ptr_array_new();
	s->slot_free_units = g_new0(uint64_t, p->snoop_bus_count);
	s->up_free_units = g_new0(uint64_t, p->channel_count);
	s->down_free_units = g_new0(uint64_t, p->channel_count);
	s->per_ps = sim_units_per_ps(ctx->engine);
	s->tick_units = sim_period_units(ctx->engine, domain);
	s->up_ps = p->line_bytes * 1000000 / p->up_mbytes_per_s;
	s->down_ps = p->line_bytes * 1000000 / p->down_mbytes_per_s;
	s->comp = sim_engine_add(ctx->engine, domain, "cpu", tick, s);
	sim_stats_add(ctx->stats, "cpu", stat_rows, ARRAY_COUNT(stat_rows), &s->stats, sizeof(s->stats));
	sim_stats_law(ctx->stats, "cpu.reads + cpu.writes + cpu.atomics + cpu.prefetches + cpu.joins_over = "
				  "cpu.l1_hits + cpu.l2_hits + cpu.misses + cpu.joins + cpu.merges + cpu.drops");
	sim_stats_law(ctx->stats, "cpu.misses = cpu.upgrades + cpu.interventions + cpu.llc_hits + cpu.memory_reads");
	sim_stats_law(ctx->stats, "cpu.joins = cpu.joins_over");
	sim_stats_law(ctx->stats, "cpu.slots = cpu.misses");
	return s;
}

void cpu_system_connect(struct cpu_system *s, const struct cpu_user *user)
{
	s->user = *user;
	if (user->observe && !s->versions)
		s->versions = g_hash_table_new(NULL, NULL);
}

static void free_all(struct transaction *t)
{
	while (t) {
		struct transaction *next = t->next;

		g_free(t);
		t = next;
	}
}

void cpu_system_free(struct cpu_system *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->p->core_count; i++) {
		cpu_tags_free(&s->cores[i].l1);
		cpu_tags_free(&s->cores[i].l2);
	}
	cpu_tags_free(&s->llc);
	free_all(s->free);
	g_free(s->cores);
	g_hash_table_destroy(s->frames);
	if (s->versions)
		g_hash_table_destroy(s->versions);
	g_ptr_array_free(s->events, TRUE);
	g_free(s->slot_free_units);
	g_free(s->up_free_units);
	g_free(s->down_free_units);
	g_free(s);
}

struct cpu_stats *cpu_system_stats(struct cpu_system *s)
{
	return &s->stats;
}

enum cpu_state cpu_state_of(const struct cpu_system *s, uint32_t core, uint64_t line)
{
	const struct cpu_tag *tag = cpu_tags_find(&s->cores[core].l2, line);

	return tag ? (enum cpu_state)tag->state : CPU_INVALID;
}
