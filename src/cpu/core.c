/* core.c - a core's accesses: hits in its caches, requests for what they lack, stores and prefetches beside them. */
#include "cpu/core.h"

#include "base/check.h"

/* ---- its caches ---- */

static void drop(struct cpu_core *k, struct cpu_tag *tag)
{
	struct cpu_tag *first = cpu_tags_find(&k->l1, tag->line);

	if (first)
		first->state = CPU_INVALID;
	tag->state = CPU_INVALID;
}

static void l1_fill(struct cpu_core *k, const struct cpu_tag *from)
{
	struct cpu_tag *tag = cpu_tags_find(&k->l1, from->line);

	if (!tag)
		tag = cpu_tags_victim(&k->l1, from->line);
	*tag = (struct cpu_tag){.line = from->line, .state = from->state};
	cpu_tags_use(&k->l1, tag);
}

/* The line in the second level, in any state. */
static struct cpu_tag *l2_room(struct cpu_core *k, uint64_t line)
{
	struct cpu_tag *tag = cpu_tags_find(&k->l2, line);

	if (tag)
		return tag;
	tag = cpu_tags_victim(&k->l2, line);
	if (tag->state == CPU_MODIFIED)
		cpu_bus_write_back(k->bus, tag->line, tag->version);
	if (tag->state)
		drop(k, tag);
	*tag = (struct cpu_tag){.line = line, .state = CPU_INVALID};
	return tag;
}

static bool is_enough(const struct cpu_tag *tag, enum cpu_op op)
{
	return tag && (!cpu_is_write(op) || tag->state == CPU_MODIFIED);
}

static void observe(struct cpu_core *k, uint64_t line, enum cpu_op op, struct cpu_tag *second)
{
	const struct cpu_user *user = &k->c->user;

	if (likely(!user->observe) || op == CPU_PREFETCH)
		return;
	if (op != CPU_READ)
		second->version = cpu_version_next(second->version, CPU_VERSION_ALL);
	user->observe(user->self, k->number, line, op != CPU_READ, second->version);
}

/* ---- its accesses ---- */

static void answer(struct cpu_core *k, uint64_t units)
{
	k->c->user.answer(k->c->user.self, k->number, (units + k->c->per_ps - 1) / k->c->per_ps);
}

static uint64_t line_of(struct cpu_core *k, uint64_t address)
{
	const struct cpu_params *p = k->c->p;
	const uint64_t page = address / p->page_bytes;

	if (page != k->last_page) {
		k->last_frame = cpu_pages_frame(k->pages, k->number, page);
		k->last_page = page;
	}
	return (k->last_frame * p->page_bytes + address % p->page_bytes) / p->line_bytes;
}

/* Has the core a store of this line under way? It takes the next one along. */
static bool is_merged(const struct cpu_core *k, const struct cpu_request *r)
{
	for (; r; r = r->waiting)
		if (r->agent == k->number && r->op == CPU_WRITE && !r->tag)
			return true;
	return false;
}

/* The line goes to the bus, or waits for who is there with it. True: the core need not wait. */
static bool miss(struct cpu_core *k, uint64_t line, uint64_t units)
{
	const struct cpu_params *p = k->c->p;
	const struct cpu_request *other = cpu_bus_under_way(k->bus, line);
	const bool is_store = k->op == CPU_WRITE && k->stores < p->store_count;
	const bool is_answer = !is_store && k->op != CPU_PREFETCH;

	if (k->op == CPU_PREFETCH && (other || k->prefetches == p->prefetch_count)) {
		k->c->stats.drops++;
		return true;
	}
	if (k->op == CPU_WRITE && is_merged(k, other)) {
		k->c->stats.merges++;
		return true;
	}
	k->stores += is_store;
	k->prefetches += k->op == CPU_PREFETCH;
	cpu_bus_ask(k->bus, k->number, line, k->op, is_answer, units);
	return !is_answer;
}

/* Does the core's access from where it is. True: it is done, at *units. */
static bool go_on(struct cpu_core *k, uint64_t *units)
{
	const struct cpu_params *p = k->c->p;
	struct cpu_stats *stats = &k->c->stats;
	uint64_t *const counts[] = {&stats->reads, &stats->writes, &stats->atomics, &stats->prefetches};

	for (; k->address < k->end; k->address = (k->address / p->line_bytes + 1) * p->line_bytes) {
		const uint64_t line = line_of(k, k->address);
		struct cpu_tag *first = cpu_tags_find(&k->l1, line), *second;
		const bool waits = k->op == CPU_READ || k->op == CPU_ATOMIC;

		(*counts[k->op])++;
		if (is_enough(first, k->op)) {
			stats->l1_hits++;
			cpu_tags_use(&k->l1, first);
			if (unlikely(k->c->user.observe))
				observe(k, line, k->op, cpu_tags_find(&k->l2, line));
			*units += waits ? cpu_cycles_units(k->c, p->l1_cycles) : 0;
			continue;
		}
		second = cpu_tags_find(&k->l2, line);
		if (is_enough(second, k->op)) {
			stats->l2_hits++;
			cpu_tags_use(&k->l2, second);
			l1_fill(k, second);
			observe(k, line, k->op, second);
			*units += waits ? cpu_cycles_units(k->c, p->l2_cycles) : 0;
			continue;
		}
		if (!miss(k, line, *units + cpu_cycles_units(k->c, p->l2_cycles)))
			return false;
	}
	return true;
}

/* What it did with its line is done: it, or what waited for that, goes on. */
static void complete(struct cpu_core *k, const struct cpu_request *r, uint64_t units)
{
	if (r->tag) { /* its instruction waits for this */
		k->address = (k->address / k->c->p->line_bytes + 1) * k->c->p->line_bytes;
		if (go_on(k, &units))
			answer(k, units);
		return;
	}
	if (r->op == CPU_PREFETCH) {
		k->prefetches--;
		return;
	}
	k->stores--;
	if (k->is_fencing && !k->stores) {
		k->is_fencing = false;
		answer(k, units);
	}
}

uint64_t cpu_core_access(struct cpu_core *k, uint64_t now_ps, uint64_t address, uint32_t size_bytes, enum cpu_op op)
{
	uint64_t units = MAX(now_ps * k->c->per_ps, cpu_now_units(k->c));

	k->address = address;
	k->end = address + size_bytes;
	k->op = op;
	if (!go_on(k, &units))
		return CPU_WAITS;
	return MAX(now_ps, (units + k->c->per_ps - 1) / k->c->per_ps);
}

uint64_t cpu_core_fence(struct cpu_core *k, uint64_t now_ps)
{
	if (!k->stores)
		return now_ps;
	k->is_fencing = true;
	return CPU_WAITS;
}

/* ---- as an agent on the bus ---- */

static enum cpu_state state(const void *core, uint64_t line, cpu_version *version)
{
	const struct cpu_core *k = core;
	const struct cpu_tag *tag = cpu_tags_find(&k->l2, line);

	if (!tag)
		return CPU_INVALID;
	*version = tag->version;
	return (enum cpu_state)tag->state;
}

static void snoop(void *core, uint64_t line, bool is_write)
{
	struct cpu_core *k = core;
	struct cpu_tag *tag = cpu_tags_find(&k->l2, line), *first;

	if (is_write) {
		drop(k, tag);
		return;
	}
	first = cpu_tags_find(&k->l1, line);
	tag->state = CPU_SHARED;
	if (first)
		first->state = CPU_SHARED;
}

static void grant(void *core, const struct cpu_request *r, cpu_version version)
{
	struct cpu_core *k = core;
	const enum cpu_op op = (enum cpu_op)r->op;
	struct cpu_tag *tag = l2_room(k, r->line);

	if (!tag->state)
		tag->version = version;
	if (cpu_is_write(op) || !tag->state)
		tag->state = cpu_is_write(op) ? CPU_MODIFIED : CPU_SHARED;
	cpu_tags_use(&k->l2, tag);
	l1_fill(k, tag);
	observe(k, r->line, op, tag);
	complete(k, r, cpu_now_units(k->c));
}

static bool again(void *core, const struct cpu_request *r)
{
	struct cpu_core *k = core;
	struct cpu_tag *tag = cpu_tags_find(&k->l2, r->line);

	if (!is_enough(tag, (enum cpu_op)r->op))
		return false;
	k->c->stats.l2_hits++;
	observe(k, r->line, (enum cpu_op)r->op, tag);
	l1_fill(k, tag);
	complete(k, r, cpu_now_units(k->c));
	return true;
}

static const struct cpu_agent_ops agent_ops = {.state = state, .snoop = snoop, .grant = grant, .again = again};

enum cpu_state cpu_core_state(const struct cpu_core *k, uint64_t line)
{
	cpu_version version;

	return state(k, line, &version);
}

/* ---- made and freed ---- */

void cpu_core_init(struct cpu_core *k, struct cpu_common *c, struct cpu_bus *bus, struct cpu_pages *pages)
{
	*k = (struct cpu_core){.c = c, .bus = bus, .pages = pages, .last_page = UINT64_MAX};
	cpu_tags_init(&k->l1, c->p->l1_bytes, (uint32_t)c->p->l1_ways_count, c->p->line_bytes);
	cpu_tags_init(&k->l2, c->p->l2_bytes, (uint32_t)c->p->l2_ways_count, c->p->line_bytes);
	k->number = cpu_bus_agent(bus, &agent_ops, k);
}

void cpu_core_cold(struct cpu_core *k)
{
	cpu_tags_clear(&k->l1);
	cpu_tags_clear(&k->l2);
}

void cpu_core_forget_page(struct cpu_core *k)
{
	k->last_page = UINT64_MAX;
}

void cpu_core_free(struct cpu_core *k)
{
	cpu_tags_free(&k->l1);
	cpu_tags_free(&k->l2);
}
