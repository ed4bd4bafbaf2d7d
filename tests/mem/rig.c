/* rig.c - a stack under test. */
#include "rig.h"

static uint64_t rnd(struct rig *g)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return g->seed >> 33;
}

static void done(void *ctx, struct mem_req *r)
{
	struct rig *g = ctx;

	assert_false(g->is_answered[r->tag]);
	assert_true(r->ready_units <= sim_now_units(g->engine));
	g->is_answered[r->tag] = true;
	g->done_ps[r->tag] = r->ready_units;
	g->order[g->done_count++] = r->tag;
	g->last_done_ps = r->ready_units;
	mem_req_put(g->pool, r);
}

static void room(void *ctx, uint32_t vault)
{
	struct rig *g = ctx;

	(void)vault;
	sim_wake_units(g->engine, g->feeder, sim_now_units(g->engine));
}

struct mem_req *rig_request(struct rig *g, uint64_t addr, enum mem_op op)
{
	struct mem_req *r = mem_req_get(g->pool);
	struct mem_place at = mem_map_place(&g->map, addr);

	memset(r, 0, sizeof(*r));
	r->addr_bytes = addr;
	r->size_bytes = LINE_BYTES;
	r->op = (uint8_t)(op & 3);
	r->vault = (uint8_t)at.vault;
	r->bank = (uint8_t)at.bank;
	r->row = at.row;
	r->column = (uint16_t)at.column_bytes;
	r->tag = g->next_tag++;
	return r;
}

static void feed(void *component, uint64_t cycle)
{
	struct rig *g = component;

	for (uint32_t n = g->gap_cycles ? 1 : 64; n && g->left; n--) {
		if (g->is_kept_full && g->next_tag - g->done_count >= g->p.queue_entries - 2)
			break;

		uint64_t addr = g->span_bytes ? rnd(g) % g->span_bytes / LINE_BYTES * LINE_BYTES : g->address;

		if (!mem_stack_can_accept(g->stack, mem_map_place(&g->map, addr).vault, MEM_READ))
			return;
		g->address += g->stride_bytes;
		mem_stack_accept(g->stack,
				 rig_request(g, addr, rnd(g) % 100 < g->write_percent ? MEM_WRITE : MEM_READ));
		g->left--;
	}
	if (g->left)
		sim_wake_cycle(g->engine, g->feeder, cycle + 1 + (g->gap_cycles ? rnd(g) % g->gap_cycles : 0));
}

struct rig *rig_new(void)
{
	struct rig *g = calloc(1, sizeof(*g));
	const struct sim_param_group group = {"dram", dram_param_rows, dram_param_row_count, &g->p, NULL};

	sim_param_defaults(&group);
	g->seed = 1;
	g->stride_bytes = LINE_BYTES;
	return g;
}

void rig_build(struct rig *g)
{
	uint32_t dram, feeder;

	g->engine = sim_engine_new();
	assert_true(sim_domain_add(g->engine, "dram", sim_period_of_ps(g->p.t_ck_ps), &dram));
	assert_true(sim_domain_add(g->engine, "feeder", sim_period_of_ps(1000), &feeder));
	assert_int_equal(sim_units_per_ps(g->engine), 1);
	g->stats = sim_stats_new();
	g->pool = mem_req_pool_new();
	mem_map_baseline(&g->map, 1, (uint32_t)g->p.vault_count, dram_vault_bank_count(&g->p),
			 (uint32_t)g->p.row_bytes, LINE_BYTES);

	const struct mem_stack_config c = {.dram = &g->p, .engine = g->engine, .done = done, .room = room, .ctx = g,
					   .stats = g->stats, .stats_prefix = "vault", .audit = !g->is_unaudited};

	g->stack = mem_stack_new(&c);
	g->feeder = sim_engine_add(g->engine, feeder, "feeder", feed, g);
}

void rig_free(struct rig *g)
{
	assert_true(mem_stack_is_idle(g->stack));
	mem_stack_free(g->stack);
	mem_req_pool_free(g->pool);
	sim_stats_free(g->stats);
	sim_engine_free(g->engine);
	free(g);
}

uint64_t rig_stat(const struct rig *g, const char *key)
{
	uint64_t value = 0;

	assert_true(sim_stats_value(g->stats, key, &value));
	return value;
}
