/* core.c - a core's threads: instructions that pass, loads and stores that begin, wait and end. */
#include "cpu/core.h"

#include "base/check.h"
#include "cpu/levels.h"

/* Whose request it is, in its tag: what for, the thread, the entry of the load. */
/* A store is FOR_ORDER until its request has its slot, for which its thread waits. FOR_UNTOLD is one that goes on
 * beside its thread, as FOR_STORE, into a line of which there may be copies behind the home. */
/* FOR_FLIGHT, FOR_JOINED and FOR_FLIGHT_WALK are of flights (window.h): a load with a place of its own, one that has
 * another's, a page's entry. */
enum {
	FOR_STORE, FOR_UNTOLD, FOR_ORDER, FOR_LOAD, FOR_ANSWER, FOR_PREFETCH, FOR_STREAM, FOR_WALK, FOR_FLIGHT,
	FOR_JOINED, FOR_FLIGHT_WALK
};

static uint32_t tag_of(uint32_t what, const struct cpu_thread *t, const struct cpu_load *load)
{
	return what | t->index << 4 | (uint32_t)(load ? load - t->loads : 0) << 8;
}

static uint32_t what_of(const struct cpu_request *r)
{
	return r->tag & 15;
}

static bool is_walk(const struct cpu_request *r)
{
	return what_of(r) == FOR_WALK || what_of(r) == FOR_FLIGHT_WALK;
}

/* ---- its caches ---- */

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
		second->version = cpu_make(k->c, line, second->version, CPU_VERSION_ALL);
	user->observe(user->self, k->number, line, op != CPU_READ, second->version);
}

/* ---- its prefetcher ---- */

/* A load got past the first level: the lines that its stream comes to next are asked for. */
static void follow(struct cpu_core *k, const struct cpu_thread *t, uint64_t line, uint64_t units)
{
	const struct cpu_params *p = k->c->p;
	const int64_t lines = (int64_t)(p->page_bytes / p->line_bytes);
	const uint64_t page = line / (uint64_t)lines;
	struct cpu_stream *s;
	int64_t end;

	if (!k->streams.count)
		return;
	s = cpu_streams_find(&k->streams, page, (int64_t)line % lines);
	if (!s)
		return;
	end = s->last + s->stride * (int64_t)p->stream_depth_count;
	for (uint64_t i = 0; i < p->stream_degree_count; i++, s->next += s->stride) {
		const uint64_t next = page * (uint64_t)lines + (uint64_t)s->next;

		if (s->next < 0 || s->next >= lines || (s->stride > 0 ? s->next > end : s->next < end) ||
		    k->streams.under_way == p->stream_line_count || cpu_core_is_l2_full(k))
			return;
		if (cpu_tags_find(&k->l2, next) || cpu_bus_under_way(k->bus, next))
			continue;
		k->streams.under_way++;
		k->c->stats.stream_requests++;
		cpu_bus_ask(k->bus, k->number, next, CPU_PREFETCH, tag_of(FOR_STREAM, t, NULL), units);
	}
}

/* ---- its threads ---- */

static bool go_on(struct cpu_thread *t, uint64_t *units);
static void places_free(struct cpu_core *k, uint64_t units);

/* The driver's clocks are whole ps, the first that is not before; what that is ahead of the thread's time is kept. */
static uint64_t ps_of(struct cpu_thread *t, uint64_t units)
{
	const struct cpu_common *c = t->core->c;
	const uint64_t ps = cpu_ps_from(c, units);

	t->ahead_units = ps * c->per_ps - units;
	return ps;
}

/* The time of a thread that the driver has at now_ps. */
static uint64_t time_of(const struct cpu_thread *t, uint64_t now_ps)
{
	const uint64_t units = now_ps * t->core->c->per_ps;

	return units - MIN(units, t->ahead_units);
}

/* The same, of an access that begins. */
static uint64_t begin_of(const struct cpu_thread *t, uint64_t now_ps)
{
	const uint64_t now = cpu_now_units(t->core->c);

	return now > now_ps * t->core->c->per_ps ? now : time_of(t, now_ps);
}

static void answer(struct cpu_thread *t, uint64_t units)
{
	struct cpu_common *c = t->core->c;

	t->wait = CPU_WAIT_NOT;
	if (unlikely(c->account != NULL))
		cpu_account_settle(c->account, t->unit, (units + c->per_ps - 1) / c->per_ps * c->per_ps);
	c->user.answer(c->user.self, t->unit, ps_of(t, units));
}

static inline void account(const struct cpu_thread *t, enum cpu_part part, uint64_t units)
{
	if (unlikely(t->core->c->account != NULL))
		cpu_account_until(t->core->c->account, t->unit, part, units);
}

static void go_on_and_answer(struct cpu_thread *t, uint64_t units)
{
	if (go_on(t, &units))
		answer(t, units);
}

static void fire_start(void *thread, struct cpu_event *e)
{
	struct cpu_thread *t = thread;

	(void)e;
	go_on_and_answer(t, t->start_units);
}

static void start_at(struct cpu_thread *t, uint64_t units)
{
	t->wait = CPU_WAIT_START;
	t->start_units = units;
	cpu_event_at(&t->core->c->events, &t->start, MAX(units, cpu_now_units(t->core->c)));
}

#include "cpu/smt.inc"

/* When the thread, at units by its instructions alone, is there: loads that it used have come late, other threads have
 * taken issue slots. */
static uint64_t there(struct cpu_thread *t, uint64_t units)
{
	struct cpu_core *k = t->core;

	if (t->stall_units) {
		k->c->stats.use_stalls++;
		k->c->stats.use_stall_ps += t->stall_units / k->c->per_ps;
		units += t->stall_units;
		if (unlikely(k->c->account != NULL))
			cpu_account_trail(k->c->account, t->unit, t->stall_trail,
					  units - t->stall_units - t->stall_from_units, units);
		t->stall_units = 0;
	}
	return issued(t, units);
}

/* The entry has one line less to come. */
static void load_less(struct cpu_thread *t, struct cpu_load *load, const struct cpu_trail *trail)
{
	const uint64_t now = cpu_now_units(t->core->c);

	if (--load->lines)
		return;
	t->load_count--;
	if (load->use_units == CPU_NOT_YET)
		return;
	t->due_count--;
	if (now > load->use_units && now - load->use_units > t->stall_units) {
		t->stall_units = now - load->use_units;
		t->stall_from_units = load->use_units;
		if (unlikely(t->stall_trail != NULL && trail != NULL))
			*t->stall_trail = *trail;
	}
	if (t->wait == CPU_WAIT_LOADS && !t->due_count) {
		const uint64_t begin = there(t, t->begin_units);

		account(t, CPU_PART_JOIN, now);
		start_at(t, MAX(now, begin));
	}
}

static struct cpu_load *load_entry(struct cpu_thread *t)
{
	struct cpu_load *load = t->loads;

	while (load->lines)
		load++;
	*load = (struct cpu_load){.due = t->instructions + t->use, .use_units = CPU_NOT_YET, .lines = 1};
	t->load_count++;
	return load;
}

/* ---- how long it has loads under way ---- */

static void under_end(const struct cpu_core *k, struct cpu_under *u, uint64_t units, uint64_t *ps)
{
	*ps += cpu_under_end(u, units) / k->c->per_ps;
}

/* A load that got past the first level, at units, hits the second. */
static void under_l2_hit(struct cpu_core *k, uint64_t units)
{
	const uint64_t end = units + cpu_cycles_units(k->c, k->c->p->l2_cycles);

	k->c->stats.under_l1_ps += cpu_under_span(&k->under_l1, units, end) / k->c->per_ps;
}

/* A load that goes to the bus, at units; from the first level it began the second one's time before. */
static void load_begin(struct cpu_core *k, uint64_t units)
{
	k->loads++;
	cpu_under_begin(&k->under_l1, units - cpu_cycles_units(k->c, k->c->p->l2_cycles));
	cpu_under_begin(&k->under_l2, units);
}

static void load_end(struct cpu_core *k, uint64_t units)
{
	k->loads--;
	under_end(k, &k->under_l1, units, &k->c->stats.under_l1_ps);
	under_end(k, &k->under_l2, units, &k->c->stats.under_l2_ps);
}

/* A load's line is there: who waits longest for a place goes on; it may need none by now, and the next has it. */
static void place_free(struct cpu_core *k, uint64_t units)
{
	load_end(k, units);
	while (k->placeless.first && k->loads < k->c->p->load_count) {
		struct cpu_thread *t = base_fifo_pop(&k->placeless, next);

		t->wait = CPU_WAIT_NOT;
		account(t, CPU_PART_PLACE, units);
		go_on_and_answer(t, units);
	}
	if (unlikely(k->unloaded.first))
		places_free(k, units);
}

/* A store beside the thread is done; trail: of it. An access that had to wait for that begins, if it need not wait for
 * loads as well. */
static void store_ends(struct cpu_thread *t, bool is_untold, uint64_t units, const struct cpu_trail *trail)
{
	uint64_t begin;

	t->core->stores--;
	t->stores--;
	t->untold -= is_untold;
	if (t->wait != CPU_WAIT_STORES || t->untold)
		return;
	t->wait = CPU_WAIT_LOADS;
	if (t->due_count)
		return;
	begin = there(t, t->begin_units);
	if (unlikely(trail != NULL))
		cpu_account_trail(t->core->c->account, t->unit, trail, 0, units);
	start_at(t, MAX(units, begin));
}

/* trail: of what came last. */
static void fence_ends(struct cpu_thread *t, uint64_t units, const struct cpu_trail *trail)
{
	uint64_t begin;

	if (t->wait != CPU_WAIT_FENCE || t->stores || t->load_count)
		return;
	begin = there(t, t->begin_units);
	if (unlikely(trail != NULL))
		cpu_account_trail(t->core->c->account, t->unit, trail, 0, units);
	answer(t, MAX(units, begin));
}

static uint32_t translation_of(uint64_t page)
{
	return (uint32_t)(page * 0x9e3779b97f4a7c15u >> 32) & (CPU_TRANSLATIONS - 1);
}

static void translated(struct cpu_thread *t, uint64_t page, uint64_t line)
{
	const uint32_t i = translation_of(page);

	t->translations[i].page = page;
	t->translations[i].line = line;
}

static void tlb_fill(struct cpu_core *k, uint64_t page)
{
	struct cpu_tag *tag = cpu_tags_victim(&k->tlb, page);

	/* What is not in the TLB no thread knows by itself. */
	for (uint32_t i = 0; tag->state && i < k->c->p->smt_count; i++) {
		struct cpu_thread *t = &k->threads[i];

		if (t->translations[translation_of(tag->line)].page == tag->line)
			t->translations[translation_of(tag->line)].page = UINT64_MAX;
	}
	k->tlb_pages += !tag->state;
	*tag = (struct cpu_tag){.line = page, .state = CPU_SHARED};
	cpu_tags_use(&k->tlb, tag);
}

/* The page's first line; false: the thread waits, for the page fault's time or for the walk. */
static bool translate(struct cpu_thread *t, uint64_t page, uint64_t *line, uint64_t *units)
{
	struct cpu_core *k = t->core;
	const struct cpu_params *p = k->c->p;
	struct cpu_tag *tag;

	if (!cpu_pages_is_touched(k->pages, page)) {
		cpu_pages_line(k->pages, t->unit, page);
		if (p->page_fault_ps) {
			account(t, CPU_PART_FAULT, *units + p->page_fault_ps * k->c->per_ps);
			start_at(t, *units + p->page_fault_ps * k->c->per_ps);
			return false;
		}
	}
	*line = cpu_pages_line(k->pages, t->unit, page);
	if (!p->tlb_count) {
		translated(t, page, *line);
		return true;
	}
	tag = cpu_tags_find(&k->tlb, page);
	if (!tag) {
		const uint64_t entry = cpu_pages_entry(k->pages, t->unit, page);
		struct cpu_tag *second = cpu_tags_find(&k->l2, entry);

		k->c->stats.walks++;
		if (!second) {
			t->wait = CPU_WAIT_WALK;
			cpu_bus_ask(k->bus, k->number, entry, CPU_READ, tag_of(FOR_WALK, t, NULL),
				    *units + cpu_cycles_units(k->c, p->walk_cycles + p->l2_cycles));
			return false;
		}
		k->c->stats.l2_hits++;
		cpu_tags_use(&k->l2, second);
		*units += cpu_cycles_units(k->c, p->walk_cycles + p->l2_cycles);
		account(t, CPU_PART_WALK, *units);
		tlb_fill(k, page);
	} else {
		cpu_tags_use(&k->tlb, tag);
	}
	translated(t, page, *line);
	return true;
}

/* Has the thread a store of this line under way? It takes the next one along. */
static bool is_merged(const struct cpu_thread *t, const struct cpu_request *r)
{
	for (; r; r = r->waiting)
		if (r->agent == t->core->number &&
		    (r->tag == tag_of(FOR_STORE, t, NULL) || r->tag == tag_of(FOR_UNTOLD, t, NULL)))
			return true;
	return false;
}

/* The tag of a store that goes on beside its thread. */
static uint32_t store_beside(struct cpu_thread *t, uint64_t line)
{
	const bool is_untold = cpu_bus_is_beyond(t->core->bus, line);

	t->untold += is_untold;
	return tag_of(is_untold ? FOR_UNTOLD : FOR_STORE, t, NULL);
}

bool cpu_core_is_untold(const struct cpu_core *k, uint64_t line)
{
	for (const struct cpu_request *r = cpu_bus_under_way(k->bus, line); r; r = r->waiting)
		if (r->agent == k->number && what_of(r) == FOR_UNTOLD)
			return true;
	return false;
}

static bool wait_for_place(struct cpu_thread *t)
{
	struct cpu_core *k = t->core;

	k->c->stats.place_waits++;
	t->wait = CPU_WAIT_PLACE;
	base_fifo_push(&k->placeless, t, next);
	return false;
}

/* The line goes to the bus, or waits for who is there with it. True: the thread need not wait. */
static bool miss(struct cpu_thread *t, uint64_t line, uint64_t units)
{
	struct cpu_core *k = t->core;
	const struct cpu_params *p = k->c->p;
	const struct cpu_request *other = cpu_bus_under_way(k->bus, line);
	uint32_t tag = tag_of(FOR_ANSWER, t, NULL);

	switch (t->op) {
	case CPU_READ:
		load_begin(k, units);
		if (t->use) {
			if (!t->load)
				t->load = load_entry(t);
			t->load->lines++;
			tag = tag_of(FOR_LOAD, t, t->load);
		}
		break;
	case CPU_WRITE:
	case CPU_RELEASE:
		if (is_merged(t, other)) {
			k->c->stats.merges++;
			return true;
		}
		if (k->stores < p->store_count) {
			k->stores++;
			t->stores++;
			tag = cpu_bus_is_elsewhere(k->bus, k->number, line) ? tag_of(FOR_ORDER, t, NULL)
									      : store_beside(t, line);
		}
		break;
	case CPU_PREFETCH:
		if (other || k->prefetches == p->prefetch_count) {
			k->c->stats.drops++;
			return true;
		}
		k->prefetches++;
		tag = tag_of(FOR_PREFETCH, t, NULL);
		break;
	case CPU_ATOMIC:
	case CPU_COMPARE:
		break;
	}
	cpu_bus_ask(k->bus, k->number, line, t->op, tag, units);
	if ((tag & 15) != FOR_ANSWER && (tag & 15) != FOR_ORDER)
		return true;
	account(t, CPU_PART_L2, units);
	t->wait = CPU_WAIT_LINE;
	return false;
}

/* A level answers: how long the thread waits for that. */
static uint64_t hit_units(const struct cpu_thread *t, uint64_t cycles)
{
	const uint64_t use = t->op == CPU_READ ? t->use : 0;

	if (!cpu_needs_old(t->op) || t->op == CPU_PREFETCH || cycles <= use)
		return 0;
	return cpu_cycles_units(t->core->c, cycles - use);
}

static uint64_t atomic_done(const struct cpu_thread *t, uint64_t units)
{
	units += cpu_cycles_units(t->core->c, t->core->c->p->atomic_cycles);
	account(t, CPU_PART_L1, units);
	return units;
}

/* Does the thread's access from where it is. True: it is done, at *units. */
static bool go_on(struct cpu_thread *t, uint64_t *units)
{
	struct cpu_core *k = t->core;
	const struct cpu_params *p = k->c->p;
	struct cpu_stats *stats = &k->c->stats;
	uint64_t *const counts[] = {&stats->reads,	&stats->writes, &stats->atomics,
				    &stats->prefetches, &stats->writes, &stats->atomics};

	for (; t->address < t->end; t->address = (t->address | (p->line_bytes - 1)) + 1) {
		const uint64_t page = t->address >> k->c->page_shift;
		const uint32_t slot = translation_of(page);
		uint64_t line = t->translations[slot].line;
		struct cpu_tag *first, *second;

		if (unlikely(t->translations[slot].page != page) && !translate(t, page, &line, units))
			return false;
		line += (t->address & (p->page_bytes - 1)) >> k->c->line_shift;
		first = cpu_l1_find(k, line);
		if (unlikely(first && first->state == CPU_EXCLUSIVE && cpu_is_write(t->op)))
			cpu_l2_own(k, cpu_tags_find(&k->l2, line));
		if (likely(is_enough(first, t->op))) {
			(*counts[t->op])++;
			stats->l1_hits++;
			cpu_tags_use(&k->l1, first);
			if (unlikely(k->c->user.observe))
				observe(k, line, t->op, cpu_tags_find(&k->l2, line));
			*units += hit_units(t, p->l1_cycles);
			account(t, CPU_PART_L1, *units);
			continue;
		}
		second = cpu_tags_find(&k->l2, line);
		if (unlikely(second && second->state == CPU_EXCLUSIVE && cpu_is_write(t->op)))
			cpu_l2_own(k, second);
		if (t->op == CPU_READ && !is_enough(second, t->op) && k->loads == p->load_count)
			return wait_for_place(t);
		(*counts[t->op])++;

		const uint64_t beyond = *units + cpu_cycles_units(k->c, p->l2_cycles);

		if (is_enough(second, t->op)) {
			stats->l2_hits++;
			stats->stream_useful += second->is_ahead;
			second->is_ahead = false;
			cpu_tags_use(&k->l2, second);
			cpu_l1_fill(k, second);
			observe(k, line, t->op, second);
			if (t->op == CPU_READ) {
				under_l2_hit(k, *units);
				follow(k, t, line, beyond);
			}
			*units += hit_units(t, p->l2_cycles);
			account(t, CPU_PART_L2, *units);
			continue;
		}

		const bool is_done = miss(t, line, beyond);

		if (t->op == CPU_READ)
			follow(k, t, line, beyond);
		if (!is_done)
			return false;
	}
	if (t->load) {
		load_less(t, t->load, NULL);
		t->load = NULL;
	}
	if (t->op == CPU_ATOMIC || t->op == CPU_COMPARE)
		*units = atomic_done(t, *units);
	return true;
}

#include "cpu/window.inc"

/* Behind the line that the thread is at. */
static uint64_t line_end(const struct cpu_thread *t)
{
	return (t->address | (t->core->c->p->line_bytes - 1)) + 1;
}

/* What the thread waited for in its line is done: it goes on behind that. */
static void pass_line(struct cpu_thread *t, const struct cpu_request *r, uint64_t units)
{
	if (unlikely(r->trail != NULL))
		cpu_account_trail(t->core->c->account, t->unit, r->trail, 0, units);
	if (unlikely(t->window != NULL))
		flight_counts(t->core, r, units);
	if (r->op == CPU_READ)
		place_free(t->core, units);
	t->wait = CPU_WAIT_NOT;
	t->address = line_end(t);
	go_on_and_answer(t, units);
}

/* What the request was for is done: who waits for that goes on. */
static void complete(struct cpu_core *k, const struct cpu_request *r, uint64_t units)
{
	struct cpu_thread *t = &k->threads[r->tag >> 4 & 15];

	switch (what_of(r)) {
	case FOR_ANSWER:
		pass_line(t, r, units);
		break;
	case FOR_ORDER: /* another request of the core has brought the line */
		store_ends(t, false, units, r->trail);
		pass_line(t, r, units);
		if (unlikely(t->window != NULL))
			window_stored(t, units, r->trail);
		break;
	case FOR_LOAD:
		load_less(t, &t->loads[r->tag >> 8], r->trail);
		fence_ends(t, units, r->trail);
		place_free(k, units);
		break;
	case FOR_STORE:
	case FOR_UNTOLD:
		store_ends(t, what_of(r) == FOR_UNTOLD, units, r->trail);
		fence_ends(t, units, r->trail);
		if (unlikely(t->window != NULL))
			window_stored(t, units, r->trail);
		break;
	case FOR_PREFETCH:
		k->prefetches--;
		l2_has_room(k, units);
		break;
	case FOR_STREAM:
		k->streams.under_way--;
		l2_has_room(k, units);
		break;
	case FOR_WALK:
		t->wait = CPU_WAIT_NOT;
		account(t, CPU_PART_WALK, units);
		tlb_fill(k, t->address >> k->c->page_shift);
		go_on_and_answer(t, units);
		break;
	case FOR_FLIGHT:
	case FOR_JOINED:
		flight_line(k, r, units);
		break;
	case FOR_FLIGHT_WALK:
		flight_walked(k, r, units);
		break;
	default:
		CHECK(false); /* a request of nobody */
	}
}

/* ---- for the driver ---- */

uint64_t cpu_core_pass(struct cpu_thread *t, uint64_t now_ps, uint32_t instructions, uint64_t units,
		       const struct cpu_flow *flow)
{
	const uint64_t begin = time_of(t, now_ps);

	if (unlikely(t->window != NULL))
		return window_pass(t, now_ps, instructions, units, flow ? flow : &no_flow);
	if (unlikely(t->load_count > t->due_count)) {
		for (uint32_t i = 0; i < t->core->c->p->load_count; i++) {
			struct cpu_load *load = &t->loads[i];

			if (!load->lines || load->use_units != CPU_NOT_YET ||
			    load->due >= t->instructions + instructions)
				continue;
			load->use_units = begin + units * (load->due - t->instructions) / instructions;
			t->due_count++;
		}
	}
	t->instructions += instructions;
	t->issued += instructions;
	t->issued_units += units;
	return ps_of(t, begin + units) - now_ps;
}

uint64_t cpu_core_access(struct cpu_thread *t, uint64_t now_ps, uint64_t address, uint32_t size_bytes, enum cpu_op op,
			 uint32_t use, const struct cpu_flow *flow)
{
	const uint64_t now = begin_of(t, now_ps);
	uint64_t units;

	account(t, CPU_PART_L1, now);
	t->address = address;
	t->end = address + size_bytes;
	t->op = op;
	if (unlikely(t->window != NULL)) {
		t->flow = flow;
		return window_begins(t, issued(t, now));
	}
	t->use = use;
	if (t->due_count || unlikely(t->untold && cpu_is_ordered(op))) {
		t->wait = t->untold && cpu_is_ordered(op) ? CPU_WAIT_STORES : CPU_WAIT_LOADS;
		t->begin_units = now;
		return CPU_WAITS;
	}
	units = there(t, now);
	if (units > now) {
		start_at(t, units);
		return CPU_WAITS;
	}
	if (!go_on(t, &units))
		return CPU_WAITS;
	return ps_of(t, units);
}

uint64_t cpu_core_fence(struct cpu_thread *t, uint64_t now_ps)
{
	const uint64_t now = begin_of(t, now_ps);

	account(t, CPU_PART_L1, now); /* what has happened meanwhile comes first */
	if (unlikely(t->window != NULL))
		return window_fence(t, issued(t, now));
	if (!t->stores && !t->load_count) {
		const uint64_t done = there(t, now);

		return ps_of(t, done);
	}
	t->wait = CPU_WAIT_FENCE;
	t->begin_units = now;
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

	if (is_write && tag->state == CPU_SHARED && cpu_is_faulty(k->c, CPU_FAULT_KEPT))
		return;
	if (is_write) {
		cpu_l2_drop(k, tag);
		return;
	}
	first = cpu_tags_find(&k->l1, line);
	tag->state = CPU_SHARED;
	if (first)
		first->state = CPU_SHARED;
}

/* All others have left the line when they have answered, what they had read of it before included, and nobody gets it
 * before the store is in it: the thread executes that and goes on. */
static void ordered(void *core, struct cpu_request *r)
{
	struct cpu_core *k = core;
	struct cpu_thread *t = &k->threads[r->tag >> 4 & 15];
	const uint64_t answered = cpu_now_units(k->c) + k->c->p->snoop_latency_ps * k->c->per_ps;

	if (what_of(r) != FOR_ORDER)
		return;
	r->tag = store_beside(t, r->line);
	if (unlikely(r->trail != NULL))
		cpu_account_trail(k->c->account, t->unit, r->trail, 0, cpu_now_units(k->c));
	account(t, CPU_PART_SNOOP, answered);
	t->address = line_end(t);
	start_at(t, answered);
}

/* Is somebody of the core waiting for what the prefetcher asked for? */
static bool is_late(const struct cpu_core *k, const struct cpu_request *r)
{
	for (r = r->waiting; r; r = r->waiting)
		if (r->agent == k->number)
			return true;
	return false;
}

static void grant(void *core, const struct cpu_request *r, cpu_version version)
{
	struct cpu_core *k = core;
	const enum cpu_op op = (enum cpu_op)r->op;
	struct cpu_tag *tag = cpu_l2_room(k, r->line);

	if (!tag->state)
		tag->version = version;
	k->c->stats.exclusives += r->is_alone && !tag->state;
	if (cpu_is_write(op) || !tag->state)
		tag->state = cpu_is_write(op) ? CPU_MODIFIED : r->is_alone ? CPU_EXCLUSIVE : CPU_SHARED;
	cpu_tags_use(&k->l2, tag);
	if (what_of(r) == FOR_STREAM) {
		tag->is_ahead = !is_late(k, r);
		k->c->stats.stream_late += !tag->is_ahead;
	} else if (!is_walk(r)) {
		k->c->stats.stream_useful += tag->is_ahead;
		tag->is_ahead = false;
		cpu_l1_fill(k, tag);
		observe(k, r->line, op, tag);
	}
	if (unlikely(k->threads->window != NULL))
		line_comes(k, true, what_of(r) != FOR_STREAM && !is_walk(r));
	complete(k, r, cpu_now_units(k->c));
}

static bool again(void *core, const struct cpu_request *r)
{
	struct cpu_core *k = core;
	struct cpu_tag *tag = cpu_tags_find(&k->l2, r->line);

	if (unlikely(tag && tag->state == CPU_EXCLUSIVE && cpu_is_write((enum cpu_op)r->op)))
		cpu_l2_own(k, tag);
	if (!is_enough(tag, (enum cpu_op)r->op))
		return false;
	k->c->stats.l2_hits++;
	if (!is_walk(r)) {
		observe(k, r->line, (enum cpu_op)r->op, tag);
		cpu_l1_fill(k, tag);
	}
	if (unlikely(k->threads->window != NULL) && what_of(r) != FOR_JOINED)
		line_comes(k, false, !is_walk(r));
	complete(k, r, cpu_now_units(k->c));
	return true;
}

static void at_home(void *core, const struct cpu_request *r, bool is_there)
{
	struct cpu_core *k = core;

	if (r->op != CPU_READ || (what_of(r) != FOR_ANSWER && what_of(r) != FOR_LOAD && what_of(r) != FOR_FLIGHT))
		return;
	if (is_there)
		cpu_under_begin(&k->under_llc, cpu_now_units(k->c));
	else
		under_end(k, &k->under_llc, cpu_now_units(k->c), &k->c->stats.under_llc_ps);
}

static const struct cpu_agent_ops agent_ops = {
    .state = state, .snoop = snoop, .ordered = ordered, .grant = grant, .again = again, .at_home = at_home};

enum cpu_state cpu_core_state(const struct cpu_core *k, uint64_t line)
{
	cpu_version version;

	return state(k, line, &version);
}

/* ---- made and freed ---- */

static void forget_translations(struct cpu_thread *t)
{
	for (uint32_t i = 0; i < CPU_TRANSLATIONS; i++)
		t->translations[i].page = UINT64_MAX;
}

void cpu_core_forget(struct cpu_core *k, uint64_t page)
{
	struct cpu_tag *tag = cpu_tags_find(&k->tlb, page);

	if (tag) {
		tag->state = CPU_INVALID;
		k->tlb_pages--;
	}
	for (uint32_t i = 0; i < k->c->p->smt_count; i++)
		if (k->threads[i].translations[translation_of(page)].page == page)
			k->threads[i].translations[translation_of(page)].page = UINT64_MAX;
}

static void forget_pages(struct cpu_core *k)
{
	cpu_tags_clear(&k->tlb);
	k->tlb_pages = 0;
	for (uint32_t i = 0; i < k->c->p->smt_count; i++)
		forget_translations(&k->threads[i]);
}

void cpu_core_cold(struct cpu_core *k)
{
	cpu_tags_clear(&k->l1);
	cpu_tags_clear(&k->l2);
	forget_pages(k);
}

void cpu_core_init(struct cpu_core *k, struct cpu_common *c, struct cpu_bus *bus, struct cpu_pages *pages)
{
	const struct cpu_params *p = c->p;

	*k = (struct cpu_core){.c = c, .bus = bus, .pages = pages, .running = (uint32_t)p->smt_count};
	cpu_tags_init(&k->l1, p->l1_bytes, (uint32_t)p->l1_ways_count, p->line_bytes);
	cpu_tags_init(&k->l2, p->l2_bytes, (uint32_t)p->l2_ways_count, p->line_bytes);
	cpu_tags_is_part(&k->l1, 1, cpu_place_count(c->p), c->page_shift - c->line_shift);
	cpu_tags_is_part(&k->l2, 1, cpu_place_count(c->p), c->page_shift - c->line_shift);
	cpu_tags_init(&k->tlb, MAX(p->tlb_count, p->tlb_ways_count), (uint32_t)p->tlb_ways_count, 1);
	for (uint32_t i = 0; i < ARRAY_COUNT(k->recent); i++)
		k->recent[i] = k->l1.tags;
	cpu_streams_init(&k->streams, (uint32_t)p->stream_count);
	cpu_branches_init(&k->branches, p);
	k->number = cpu_bus_agent(bus, &agent_ops, k);
	k->threads = g_new0(struct cpu_thread, p->smt_count);
	for (uint32_t i = 0; i < p->smt_count; i++) {
		struct cpu_thread *t = &k->threads[i];

		t->core = k;
		t->index = i;
		t->unit = i * (uint32_t)p->core_count + k->number;
		t->start = (struct cpu_event){.fire = fire_start, .self = t};
		t->loads = g_new0(struct cpu_load, p->load_count);
		if (p->core_model == CPU_CORE_OUT_OF_ORDER)
			window_init(t);
		forget_translations(t);
	}
}

void cpu_core_free(struct cpu_core *k)
{
	for (uint32_t i = 0; i < k->c->p->smt_count; i++) {
		g_free(k->threads[i].loads);
		window_free(&k->threads[i]);
		g_free(k->threads[i].stall_trail);
	}
	g_free(k->threads);
	cpu_streams_free(&k->streams);
	cpu_branches_free(&k->branches);
	cpu_tags_free(&k->l1);
	cpu_tags_free(&k->l2);
	cpu_tags_free(&k->tlb);
}
