/* buffer_manager.c - one on the GPU: how many places of each unit's three buffers are free, and which blocks wait for
 * them, in order of asking (NSU, SC'17, section 4.3). A block gets all it may ever need at once or nothing, so that
 * what it sends always finds its place, and the units' buffers can block no wire.
 */
#include <glib.h>

#include "base/list.h"
#include "ndp/carry/priv.h"

struct manager_stack {
	struct nsu_credits free;
	BASE_FIFO(struct partition); /* wait */
	uint32_t waiting_count;
};

struct buffer_manager {
	struct split *split;
	struct nsu_credits all;
	struct manager_stack *stacks;
	uint32_t *loads; /* [stack]: see buffer_manager_loads */
};

/* Where pages come on demand no command may wait for a slot: its block's write addresses hold up a page, and the slot
 * may be that of a block which waits for this page. */
static uint64_t command_count(const struct gpu_config *c)
{
	const uint64_t slots = c->nsu.slot_credits ? c->nsu.warp_slot_count : 0;

	return c->gpu.pages == GPU_PAGES_DEMAND ? slots : c->nsu.command_entry_count + slots;
}

struct buffer_manager *buffer_manager_new(struct split *split)
{
	const struct nsu_params *p = &split->gpu->config->nsu;
	struct buffer_manager *m = g_new0(struct buffer_manager, 1);

	m->split = split;
	m->all = (struct nsu_credits){(uint32_t)command_count(split->gpu->config), (uint32_t)p->read_entry_count,
				      (uint32_t)p->write_entry_count};
	m->stacks = g_new0(struct manager_stack, split->gpu->stack_count);
	m->loads = g_new0(uint32_t, split->gpu->stack_count);
	buffer_manager_reset(m);
	return m;
}

void buffer_manager_free(struct buffer_manager *m)
{
	if (!m)
		return;
	g_free(m->stacks);
	g_free(m->loads);
	g_free(m);
}

void buffer_manager_reset(struct buffer_manager *m)
{
	for (uint32_t i = 0; i < m->split->gpu->stack_count; i++)
		m->stacks[i] = (struct manager_stack){.free = m->all};
}

static bool grant(struct manager_stack *s, struct partition *p)
{
	const struct nsu_block *b = p->block;

	if (s->free.commands < 1 || s->free.reads < b->load_entries || s->free.writes < b->store_entries)
		return false;
	s->free.commands--;
	s->free.reads -= b->load_entries;
	s->free.writes -= b->store_entries;
	return true;
}

void buffer_manager_request(struct buffer_manager *m, struct partition *p)
{
	struct manager_stack *s = &m->stacks[p->target];

	p->request_units = sim_now_units(m->split->gpu->engine);
	if (!s->first && gate_is_awake(m->split, p->request_units) && grant(s, p)) {
		partition_granted(p);
		return;
	}
	m->split->partition_stats.credit_waits++;
	s->waiting_count++;
	base_fifo_push(s, p, next);
}

/* Those who wait, as far as there are credits. */
static void grant_waiting(struct buffer_manager *m, struct manager_stack *s)
{
	if (!gate_is_awake(m->split, sim_now_units(m->split->gpu->engine)))
		return;
	while (s->first && grant(s, s->first)) {
		struct partition *p = base_fifo_pop(s, next);

		s->waiting_count--;
		m->split->partition_stats.credit_wait_ps +=
		    sim_ps_of_units(m->split->gpu->engine, sim_now_units(m->split->gpu->engine) - p->request_units);
		partition_granted(p);
	}
}

void buffer_manager_return(struct buffer_manager *m, uint32_t stack, const struct nsu_credits *c)
{
	struct manager_stack *s = &m->stacks[stack];

	s->free.commands += c->commands;
	s->free.reads += c->reads;
	s->free.writes += c->writes;
	CHECK(s->free.commands <= m->all.commands && s->free.reads <= m->all.reads && s->free.writes <= m->all.writes);
	grant_waiting(m, s);
}

static void wake_tick(void *component, uint64_t cycle)
{
	struct buffer_manager *m = component;

	(void)cycle;
	if (m->split->gpu->has_failed)
		return;
	for (uint32_t i = 0; i < m->split->gpu->stack_count; i++)
		grant_waiting(m, &m->stacks[i]);
}

struct sim_comp buffer_manager_comp(struct buffer_manager *m)
{
	return sim_engine_add(m->split->gpu->engine, m->split->gpu->clocks.nsu, "units' power", wake_tick, m);
}

const uint32_t *buffer_manager_loads(struct buffer_manager *m)
{
	for (uint32_t i = 0; i < m->split->gpu->stack_count; i++)
		m->loads[i] = m->all.commands - m->stacks[i].free.commands + m->stacks[i].waiting_count;
	return m->loads;
}

bool buffer_manager_is_idle(const struct buffer_manager *m)
{
	for (uint32_t i = 0; i < m->split->gpu->stack_count; i++) {
		const struct manager_stack *s = &m->stacks[i];

		if (s->first || s->free.commands != m->all.commands || s->free.reads != m->all.reads ||
		    s->free.writes != m->all.writes)
			return false;
	}
	return true;
}
