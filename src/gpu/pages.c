/* pages.c - see pages.h. */
#include "gpu/pages.h"

#include <glib.h>
#include <string.h>

#include "base/list.h"
#include "gpu/accounting.h"
#include "gpu/l2_inside.h"
#include "simt/memory.h"

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct pages_stats
#include "sim/stat_rows.inc"
#include "gpu/pages_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_pages_stat_table = {"pages", stat_rows, ARRAY_COUNT(stat_rows)};

/* Of a page: the number of the newest allocation when it came. Memory that was allocated later is with the host. */
enum { PAGE_ABSENT = 0 };
#define PAGE_COMING UINT32_MAX

/* A page on its way. */
struct swap {
	bool is_used;
	uint64_t page;
	uint32_t newest; /* allocation that it has */
	uint64_t asked_units, due_units; /* due_units: of the step that it is in */
	uint32_t stack;
	uint32_t sent_count, written_count; /* lines */
	struct swap *next;
};

struct swap_fifo {
	BASE_FIFO(struct swap);
};

struct pages {
	struct gpu *gpu;
	struct sim_comp comp; /* L2 clock */
	uint16_t port;	      /* of written lines */
	uint64_t fetch_units;
	uint32_t page_shift, line_bytes, line_count; /* line_count: of a page */
	uint32_t *state;		     /* [page of the device's memory] */
	uint64_t page_count;
	uint32_t newest;	  /* allocation, when the kernel began */
	struct swap *swaps;	  /* [swap_count]: as many as SMs may wait for */
	uint32_t swap_count;
	struct swap_fifo vacant;
	struct swap_fifo asked;	  /* until the data leave the host */
	struct swap_fifo crossing; /* on the wires */
	struct swap_fifo *held;	  /* [stack]: here, until the stack has no write address under way */
	struct swap_fifo writing;
	bool *is_waiting; /* [SM] */
	struct pages_stats stats;
};

static uint64_t now_of(const struct pages *p)
{
	return sim_now_units(p->gpu->engine);
}

/* ---- which pages are here ---- */

static void come(struct pages *p, uint64_t page, uint32_t ordinal)
{
	struct gpu *g = p->gpu;
	struct swap *s = base_fifo_pop(&p->vacant, next);
	struct mem_req r = {.addr_bytes = SIMT_ARENA_BASE + (page << p->page_shift), .kind = MEM_KIND_DATA};

	gpu_place(g, 0, &r);
	*s = (struct swap){.is_used = true,
			   .page = page,
			   .newest = MAX(p->newest, ordinal),
			   .asked_units = now_of(p),
			   .stack = r.stack};
	s->due_units = host_link_ask(g->host_link, s->asked_units) + p->fetch_units;
	p->state[page] = PAGE_COMING;
	base_fifo_push(&p->asked, s, next);
	sim_wake_units(g->engine, p->comp, s->due_units);
}

/* Asks for the line's page if it is absent. */
static bool is_here(struct pages *p, uint64_t line_addr_bytes)
{
	const uint64_t page = (line_addr_bytes - SIMT_ARENA_BASE) >> p->page_shift;
	const struct simt_alloc *a;

	if (page >= p->page_count)
		return true;
	if (p->state[page] == PAGE_COMING)
		return false;
	/* A line may begin before its allocation, whose addresses are multiples of more than a line. */
	a = simt_memory_find(p->gpu->launch->mem, line_addr_bytes, 1);
	if (!a || (a->kind != SIMT_ALLOC_DEVICE && a->kind != SIMT_ALLOC_MANAGED) || a->ordinal <= p->state[page])
		return true;
	come(p, page, a->ordinal);
	return false;
}

bool pages_are_here(struct pages *p, struct sm *sm, const struct lsu_entry *e)
{
	bool all = true;

	for (uint32_t i = 0; i < e->count; i++)
		all &= is_here(p, e->lines[i].addr_bytes);
	p->stats.waits += !all && !p->is_waiting[sm->index];
	p->is_waiting[sm->index] = sm->lsu_waits_walk = !all;
	return all;
}

/* A page is here: who waits may look again. */
static void wake_waiting(struct pages *p)
{
	for (uint32_t i = 0; i < p->gpu->sm_total; i++) {
		struct sm *sm = p->gpu->sms[i];

		if (!p->is_waiting[i])
			continue;
		sm_touch(sm);
		sm->lsu_waits_walk = false;
		sm_wake(sm, sm->now);
	}
}

/* ---- to the stack ---- */

static void take_written(void *self, struct mem_req *r)
{
	struct pages *p = self;
	struct swap *s = r->owner;
	struct sim_engine *e = p->gpu->engine;

	mem_req_put(p->gpu->pool, r);
	p->stats.written_lines++;
	if (++s->written_count < p->line_count)
		return;
	p->state[s->page] = s->newest;
	p->stats.swapped_in++;
	sim_hist_add(&p->stats.latency_ps, sim_ps_of_units(e, now_of(p) - s->asked_units));
	s->is_used = false;
	base_fifo_push(&p->vacant, s, next);
	wake_waiting(p);
}

/* A write past the tags, to the stack behind what waits for its link; false: there is no room. */
static bool slice_takes(struct l2_slice *s, struct mem_req *r)
{
	if (s->misses.count + s->forwards.count >= s->queue_cap)
		return false;
	queue_push(&s->misses, r);
	sim_wake_units(s->gpu->engine, s->comp, sim_now_units(s->gpu->engine));
	return true;
}

/* The next line of the page; false: its slice has no room. */
static bool write_line(struct pages *p, struct swap *s)
{
	struct gpu *g = p->gpu;
	struct mem_req *r = mem_req_get(g->pool);

	*r = (struct mem_req){
	    .addr_bytes = SIMT_ARENA_BASE + (s->page << p->page_shift) + (uint64_t)s->sent_count * p->line_bytes,
	    .size_bytes = (uint16_t)p->line_bytes,
	    .issue_units = now_of(p),
	    .port = p->port,
	    .owner = s,
	    .kind = MEM_KIND_DATA,
	};
	gpu_place(g, 0, r);
	mem_req_set_access(r, MEM_WRITE, MEM_KIND_PASSING);
	r->slice = slice_of_place(g, r->stack, r);
	if (unlikely(g->account != NULL))
		net_stamps_clear(r);
	if (!slice_takes(g->slices[r->slice], r)) {
		mem_req_put(g->pool, r);
		return false;
	}
	s->sent_count++;
	return true;
}

static uint32_t addresses_under_way(const struct pages *p, uint32_t stack)
{
	const struct gpu_ext *units = p->gpu->units;

	return units ? units->ops->addresses_under_way(units->self, stack) : 0;
}

static void write_begins(struct pages *p, struct swap *s)
{
	CHECK(addresses_under_way(p, s->stack) == 0); /* else a unit may write what the frame held before */
	base_fifo_push(&p->writing, s, next);
	sim_wake_units(p->gpu->engine, p->comp, now_of(p));
}

void pages_are_clear(struct pages *p, uint32_t stack)
{
	while (p->held[stack].first) {
		struct swap *s = base_fifo_pop(&p->held[stack], next);

		p->stats.write_wait_ps += sim_ps_of_units(p->gpu->engine, now_of(p) - s->due_units);
		write_begins(p, s);
	}
}

/* All its data are at the GPU. */
static void arrived(struct pages *p, struct swap *s)
{
	if (!addresses_under_way(p, s->stack)) {
		write_begins(p, s);
		return;
	}
	p->stats.write_waits++;
	base_fifo_push(&p->held[s->stack], s, next);
}

/* ---- time ---- */

static void tick(void *component, uint64_t cycle)
{
	struct pages *p = component;
	struct gpu *g = p->gpu;
	const uint64_t now = now_of(p);

	if (g->has_failed)
		return;
	while (p->asked.first && p->asked.first->due_units <= now) {
		struct swap *s = base_fifo_pop(&p->asked, next);

		s->due_units = host_link_bring(g->host_link, 1ull << p->page_shift, s->due_units);
		base_fifo_push(&p->crossing, s, next);
		sim_wake_units(g->engine, p->comp, s->due_units);
	}
	while (p->crossing.first && p->crossing.first->due_units <= now)
		arrived(p, base_fifo_pop(&p->crossing, next));
	if (p->writing.first && write_line(p, p->writing.first) && p->writing.first->sent_count == p->line_count)
		base_fifo_pop(&p->writing, next);
	if (p->writing.first)
		sim_wake_cycle(g->engine, p->comp, cycle + 1);
	if (p->crossing.first)
		sim_wake_units(g->engine, p->comp, p->crossing.first->due_units);
	if (p->asked.first)
		sim_wake_units(g->engine, p->comp, p->asked.first->due_units);
}

/* ---- a kernel ---- */

void pages_kernel_begin(struct pages *p)
{
	const struct simt_memory *m = p->gpu->launch->mem;
	const struct simt_alloc *a;

	if (!p->state) {
		p->page_count = simt_memory_capacity_bytes(m) >> p->page_shift;
		p->state = g_new0(uint32_t, p->page_count);
	}
	for (uint32_t i = 0; (a = simt_memory_entry(m, i)); i++)
		p->newest = MAX(p->newest, a->ordinal);
}

bool pages_are_idle(const struct pages *p)
{
	for (uint32_t i = 0; i < p->swap_count; i++) {
		if (p->swaps[i].is_used)
			return false;
	}
	return true;
}

static void all_vacant(struct pages *p)
{
	p->vacant = p->asked = p->crossing = p->writing = (struct swap_fifo){0};
	memset(p->held, 0, p->gpu->stack_count * sizeof(*p->held));
	memset(p->is_waiting, 0, p->gpu->sm_total * sizeof(*p->is_waiting));
	for (uint32_t i = 0; i < p->swap_count; i++) {
		p->swaps[i].is_used = false;
		base_fifo_push(&p->vacant, &p->swaps[i], next);
	}
}

void pages_reset(struct pages *p)
{
	for (uint32_t i = 0; i < p->swap_count; i++) {
		if (p->swaps[i].is_used)
			p->state[p->swaps[i].page] = PAGE_ABSENT;
	}
	all_vacant(p);
}

/* ---- building ---- */

struct pages *pages_new(struct gpu *g)
{
	static const struct net_port_ops ops = {.done = take_written};
	struct pages *p = g_new0(struct pages, 1);

	p->gpu = g;
	p->page_shift = (uint32_t)__builtin_ctzll(g->config->gpu.page_bytes);
	p->line_bytes = (uint32_t)g->config->l2.line_bytes;
	p->line_count = (uint32_t)g->config->gpu.page_bytes / p->line_bytes;
	p->fetch_units = sim_units_of_ps(g->engine, g->config->gpu.page_fetch_ps);
	p->swap_count = g->sm_total * COALESCE_LINES_MAX;
	p->swaps = g_new0(struct swap, p->swap_count);
	p->held = g_new0(struct swap_fifo, g->stack_count);
	p->is_waiting = g_new0(bool, g->sm_total);
	all_vacant(p);
	p->port = net_port_add(&g->ports, &ops, p, GPU_PLACE_SLICE, 0);
	p->comp = sim_engine_add(g->engine, g->clocks.l2, "pages", tick, p);
	sim_stats_add_table(g->stats, &gpu_pages_stat_table, &p->stats, sizeof(p->stats));
	return p;
}

void pages_free(struct pages *p)
{
	if (!p)
		return;
	g_free(p->state);
	g_free(p->swaps);
	g_free(p->held);
	g_free(p->is_waiting);
	g_free(p);
}
