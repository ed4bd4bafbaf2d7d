/* mapping.c - learning, the choice of bits, and the move of what was touched. */
#include "ndp/map/mapping.h"

#include <glib.h>
#include <math.h>

#include "base/check.h"
#include "base/units.h"
#include "mem/map.h"
#include "net/network.h"
#include "simt/memory.h"

enum { RANGE_BITS = 97 }; /* of the memory allocation table: begin and length of 48 bits, and the mark */

enum state { WAITING, LEARNING, STOPPING, REGULAR, CHANGING };

/* One entry of the memory allocation table that has its bit set. */
struct range {
	uint64_t addr_bytes, size_bytes;
};

struct map_learned {
	const struct gpu_config *config;
	const struct map_params *params;
	const struct sim_ctx *ctx;
	enum state state;
	uint64_t instance_target; /* of the learning phase */
	struct map_judged judged;
	struct map_spread spread;
	uint64_t dropped_count;
	uint32_t running_count; /* instances that have touched memory and not ended */
	bool has_begun;		/* one has touched memory: tom_learn_limit_ps counts from begin_ps of the phase */
	uint64_t begin_ps;
	uint64_t kernel_begin_ps, learning_ps;
	struct map_judged window; /* tom_relearn: instances since the last comparison */
	uint64_t relearned_count, remapped_bytes, remapped_wire_bytes;
	uint64_t later_range_count, later_bytes; /* tom_learn_every_kernel: marked after the phase; not yet moved */
	uint32_t bit, next_bit; /* next_bit: from the next map_learned_resumed on */
	struct range *ranges;
	uint32_t range_count, range_cap;
	struct gpu_map map; /* by the learned bits */
	uint8_t *page_is_learned; /* [page - page_first] */
	uint64_t page_first, page_count;
	uint32_t page_shift;
};

struct map_learned *map_learned_new(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	uint64_t page_bytes = site->ndp->map.tom_mapping_page_bytes;
	struct map_learned *m;

	if (!map_has_bits((uint32_t)config->gpu.stack_count))
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_count = %llu: ndp.tom_mapping = learned chooses address bits, which is "
				"2, 4, 8 or 16 stacks",
				(unsigned long long)config->gpu.stack_count);
	if (config->gpu.pages == GPU_PAGES_DEMAND)
		base_diag_error(diag, (struct base_place){0},
				"gpu.pages = demand: ndp.tom_mapping = learned keeps data with the host by itself, and "
				"moves pages; set one of the two to another value");
	if (page_bytes & (page_bytes - 1))
		base_diag_error(diag, (struct base_place){0},
				"ndp.tom_mapping_page_bytes = %llu: expected a power of two",
				(unsigned long long)page_bytes);
	if (diag->error_count)
		return NULL;
	m = g_new0(struct map_learned, 1);
	m->config = config;
	m->params = &site->ndp->map;
	m->ctx = site->ctx;
	m->page_shift = (uint32_t)__builtin_ctzll(page_bytes);
	m->range_cap = (uint32_t)m->params->tom_mapping_range_count;
	m->ranges = g_new0(struct range, m->range_cap);
	return m;
}

void map_learned_free(struct map_learned *m)
{
	if (!m)
		return;
	g_free(m->ranges);
	g_free(m->page_is_learned);
	g_free(m);
}

bool map_learned_is_settled(const struct map_learned *m)
{
	return (m->state == WAITING || m->state == REGULAR) && !m->params->tom_relearn;
}

bool map_learned_is_learning(const struct map_learned *m)
{
	return m->state == LEARNING || m->state == STOPPING;
}

void map_learned_kernel_begin(struct map_learned *m, const struct simt_launch *l, uint32_t block_count)
{
	const struct map_params *p = m->params;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t warps = (threads + SIMT_LANES - 1) / SIMT_LANES * l->grid[0] * l->grid[1] * l->grid[2];
	double share;

	m->kernel_begin_ps = sim_now_ps(m->ctx->engine);
	m->running_count = 0;
	if (m->state != WAITING || !block_count)
		return;
	/* All instances are not known beforehand: as if every warp ran every candidate once. */
	share = ceil(p->tom_learn_ratio * (double)warps * block_count);
	m->instance_target =
		share > (double)p->tom_learn_min_count ? (uint64_t)share : p->tom_learn_min_count;
	m->state = LEARNING;
}

static bool range_has(const struct range *r, uint64_t addr_bytes)
{
	return addr_bytes - r->addr_bytes < r->size_bytes;
}

static void mark_line(struct map_learned *m, const struct simt_launch *l, uint64_t line)
{
	const struct simt_alloc *a;

	for (uint32_t i = 0; i < m->range_count; i++) {
		if (range_has(&m->ranges[i], line))
			return;
	}
	/* Local memory is an allocation too. A full table marks no more. */
	a = m->range_count < m->range_cap ? simt_memory_find(l->mem, line, 1) : NULL;
	if (!a)
		return;
	m->ranges[m->range_count++] = (struct range){a->addr, a->size_bytes};
	if (m->state == REGULAR && !m->params->tom_relearn) {
		m->later_range_count++;
		m->later_bytes += a->size_bytes;
	}
}

void map_learned_mark(struct map_learned *m, const struct simt_launch *l, const struct coalesced_line *lines,
		      uint32_t count)
{
	if (m->state == REGULAR && !m->bit)
		return;
	if (m->state != LEARNING && !m->params->tom_relearn &&
	    !(m->params->tom_learn_every_kernel && m->state == REGULAR && m->judged.instances))
		return;
	for (uint32_t i = 0; i < count; i++)
		mark_line(m, l, lines[i].addr_bytes);
}

/* Time in kernels since the phase began. */
static uint64_t phase_ps(const struct map_learned *m)
{
	return m->learning_ps + sim_now_ps(m->ctx->engine) - m->kernel_begin_ps;
}

static void stop(struct map_learned *m, struct gpu *g, uint64_t least_ps)
{
	m->state = STOPPING;
	m->next_bit = m->params->tom_learn_even_ratio > 0 ?
			  map_even_bit(&m->spread, m->judged.stacks, m->params->tom_learn_even_ratio) :
			  map_best_bit(m->judged.stacks);
	m->learning_ps = phase_ps(m);
	carry_pause(g, least_ps);
}

/* The running instances, all[count], are judged by what they have touched so far. */
static void stop_early(struct map_learned *m, struct gpu *g, struct map_instance *all, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		map_instance_judge(&all[i], &m->judged);
	stop(m, g, m->params->tom_interrupt_ps);
}

void map_learned_foreseen(struct map_learned *m, struct gpu *g, struct map_instance *all, uint32_t count, uint64_t ps)
{
	for (uint32_t i = 0; i < count; i++)
		map_instance_judge(&all[i], &m->judged);
	if (m->judged.instances)
		stop(m, g, ps);
}

void map_learned_instance_touched(struct map_learned *m, struct gpu *g, bool is_first_touch, struct map_instance *all,
				  uint32_t count)
{
	const struct map_params *p = m->params;

	if (m->state != LEARNING)
		return;
	m->running_count += is_first_touch;
	if (!m->has_begun) {
		m->has_begun = true;
		m->begin_ps = phase_ps(m);
	}
	if (phase_ps(m) - m->begin_ps < p->tom_learn_limit_ps ||
	    m->judged.instances + m->running_count < p->tom_learn_min_count)
		return;
	stop_early(m, g, all, count);
}

void map_learned_line(struct map_learned *m, uint64_t line_addr_bytes, uint32_t stack_in_force)
{
	if (m->state == LEARNING && m->params->tom_learn_even_ratio > 0)
		map_spread_touch(&m->spread, (uint32_t)m->config->gpu.stack_count,
				 (uint32_t)m->config->gpu.map_hash_bit, line_addr_bytes, stack_in_force);
}

void map_learned_look(struct map_learned *m, struct gpu *g, struct map_instance *all, uint32_t count)
{
	if (m->state == LEARNING && phase_ps(m) >= m->params->tom_learn_bound_ps)
		stop_early(m, g, all, count);
}

static uint64_t marked_bytes(const struct map_learned *m)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < m->range_count; i++)
		bytes += m->ranges[i].size_bytes;
	return bytes;
}

static enum net_topology topology_of(const struct gpu_config *c)
{
	return c->nsu.is_present ? (enum net_topology)c->nsu.topology : NET_FULL;
}

/* Links that a byte crosses, when every stack sends to every other alike. */
static double mean_hops(const struct gpu_config *c)
{
	uint32_t stacks = (uint32_t)c->gpu.stack_count, hops = 0;

	for (uint32_t i = 0; i < stacks * stacks; i++)
		hops += i / stacks == i % stacks ? 0
						 : net_network_hops(topology_of(c), stacks, i / stacks, i % stacks);
	return (double)hops / (stacks * (stacks - 1));
}

/* Bytes per second that all links between the stacks carry together. */
static double links_bytes_per_s(const struct gpu_config *c)
{
	return (double)c->mesh.bandwidth_mbytes_per_s * BASE_BYTES_PER_MBYTE *
	       net_network_link_count(topology_of(c), (uint32_t)c->gpu.stack_count);
}

uint64_t map_wire_bytes(const struct gpu_config *c, uint64_t bytes)
{
	return (uint64_t)((double)bytes * mean_hops(c));
}

uint64_t map_wires_ps(const struct gpu_config *c, uint64_t wire_bytes)
{
	return (uint64_t)((double)wire_bytes * BASE_PS_PER_S / links_bytes_per_s(c));
}

/* Ranges of these bytes stay where they are in the address space; all but one line in stack_count get another stack,
 * whichever bits it were and are. They cross the links between the stacks, all at their full rate. */
static void change(struct map_learned *m, struct gpu *g, uint32_t bit, uint64_t range_bytes)
{
	const struct gpu_config *c = m->config;
	uint64_t bytes = range_bytes / c->gpu.stack_count * (c->gpu.stack_count - 1);
	uint64_t wire_bytes = map_wire_bytes(c, bytes);

	m->state = CHANGING;
	m->next_bit = bit;
	m->remapped_bytes += bytes;
	m->remapped_wire_bytes += wire_bytes;
	carry_pause(g, m->params->tom_interrupt_ps + map_wires_ps(c, wire_bytes));
}

static void relearn(struct map_learned *m, struct gpu *g, struct map_instance *in)
{
	const struct map_params *p = m->params;
	const uint64_t *stacks = m->window.stacks;
	uint32_t best;

	if (!map_instance_judge(in, &m->window) || m->window.instances < p->tom_relearn_window_count)
		return;
	best = map_best_bit(stacks);
	if ((double)stacks[m->bit - MAP_BIT_FIRST] - (double)stacks[best - MAP_BIT_FIRST] >=
	    p->tom_relearn_gain * (double)m->window.instances) {
		m->relearned_count++;
		change(m, g, best, marked_bytes(m));
	}
	m->window = (struct map_judged){0};
}

void map_learned_instance_ended(struct map_learned *m, struct gpu *g, struct map_instance *in)
{
	if (m->state == REGULAR && m->params->tom_relearn && m->bit)
		relearn(m, g, in);
	else if (m->state == REGULAR && m->later_bytes)
		change(m, g, m->bit, m->later_bytes);
	if (m->state != LEARNING || !map_instance_judge(in, &m->judged))
		return;
	CHECK(m->running_count);
	m->running_count--;
	if (m->judged.instances >= m->instance_target)
		stop(m, g, m->params->tom_interrupt_ps);
}

void map_learned_kernel_end(struct map_learned *m)
{
	switch (m->state) {
	case LEARNING:
		m->learning_ps = phase_ps(m);
		break;
	case STOPPING: /* aborted before the SMs stood still: nothing has changed */
		m->state = LEARNING;
		break;
	case CHANGING:
		m->state = REGULAR;
		break;
	default:
		break;
	}
}

static void pages_mark(struct map_learned *m)
{
	uint64_t last = 0;

	if (!m->range_count)
		return;
	m->page_first = UINT64_MAX;
	for (uint32_t i = 0; i < m->range_count; i++) {
		uint64_t first = m->ranges[i].addr_bytes >> m->page_shift;
		uint64_t end = (m->ranges[i].addr_bytes + m->ranges[i].size_bytes - 1) >> m->page_shift;

		m->page_first = first < m->page_first ? first : m->page_first;
		last = end > last ? end : last;
	}
	m->page_count = last - m->page_first + 1;
	g_free(m->page_is_learned); /* of the mapping before */
	m->page_is_learned = g_new0(uint8_t, m->page_count);
	for (uint32_t i = 0; i < m->range_count; i++) {
		uint64_t end = (m->ranges[i].addr_bytes + m->ranges[i].size_bytes - 1) >> m->page_shift;

		for (uint64_t p = m->ranges[i].addr_bytes >> m->page_shift; p <= end; p++)
			m->page_is_learned[p - m->page_first] = 1;
	}
}

bool map_learned_resumed(struct map_learned *m)
{
	bool is_first = m->state == STOPPING;

	CHECK(m->state == STOPPING || m->state == CHANGING);
	m->bit = m->next_bit;
	if (m->bit) {
		gpu_map_two_bit(m->config, m->bit, 1u << MAP_BIT_FIRST, &m->map);
		pages_mark(m);
	} else {
		m->dropped_count++;
		m->range_count = 0;
	}
	m->later_bytes = 0;
	m->state = REGULAR;
	return is_first;
}

const struct gpu_map *map_learned_map_of(const void *learned, uint64_t addr_bytes)
{
	const struct map_learned *m = learned;
	const uint64_t page = (addr_bytes >> m->page_shift) - m->page_first;

	return page < m->page_count && m->page_is_learned[page] ? &m->map : NULL;
}

void map_learned_place(const struct map_learned *m, struct mem_req *r)
{
	const struct gpu_map *map = map_learned_map_of(m, r->addr_bytes);
	struct mem_place p;

	if (map_learned_is_learning(m)) {
		r->is_host = r->kind != MEM_KIND_CODE && r->kind != MEM_KIND_TABLE;
		return;
	}
	if (!map)
		return;
	p = mem_map_place(&map->places, r->addr_bytes);
	r->stack = (uint8_t)p.stack;
	r->vault = (uint8_t)p.vault;
	r->bank = (uint8_t)p.bank;
	r->row = p.row;
	r->column = (uint16_t)p.column_bytes;
}

uint32_t map_learned_bit(const struct map_learned *m)
{
	return map_learned_instances(m) ? m->bit : 0;
}

uint32_t map_learned_range_count(const struct map_learned *m)
{
	return m->range_count;
}

uint64_t map_learned_instances(const struct map_learned *m)
{
	return m->state == REGULAR || m->state == CHANGING ? m->judged.instances : 0;
}

uint64_t map_learned_dropped_count(const struct map_learned *m)
{
	return m->dropped_count;
}

uint64_t map_learned_relearned_count(const struct map_learned *m)
{
	return m->relearned_count;
}

uint64_t map_learned_later_range_count(const struct map_learned *m)
{
	return m->later_range_count;
}

uint64_t map_learned_remapped_bytes(const struct map_learned *m)
{
	return m->remapped_bytes;
}

uint64_t map_learned_remapped_wire_bytes(const struct map_learned *m)
{
	return m->remapped_wire_bytes;
}

uint64_t map_learned_learning_ps(const struct map_learned *m)
{
	return m->learning_ps;
}

uint32_t map_learned_storage(const struct ndp_site *site, struct ndp_storage *items)
{
	const struct gpu_config *c = site->gpu;
	const struct map_params *p = &site->ndp->map;

	if (p->tom_mapping != TOM_MAPPING_LEARNED)
		return 0;
	items[0] = (struct ndp_storage){"memory map analyzer",
					MAP_COUNT * c->gpu.stack_count * c->sm.warp_slot_count, c->gpu.sm_count,
					"SM", "TOM (ISCA'16) section 6.6: 1920 bits"};
	items[1] = (struct ndp_storage){"memory allocation table", p->tom_mapping_range_count * RANGE_BITS, 1,
					"GPU", "TOM (ISCA'16) section 6.6: 9700 bits"};
	return 2;
}
