/* mem_bench.c - the memory model alone: requests per CPU second through one vault, streaming and random.
 *
 * Usage: mem_bench [requests]. A feeder keeps the vault's queue full; nothing else runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem/map.h"
#include "mem/stack.h"

enum { LINE_BYTES = 128 };

struct feeder {
	struct mem_stack *stack;
	struct mem_req_pool *pool;
	struct mem_map map;
	struct sim_engine *engine;
	struct sim_comp comp;
	uint64_t left, done, address, seed;
	uint32_t write_percent;
	bool is_random;
};

static uint64_t next_random(struct feeder *f)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->seed;
}

static void feed(void *component, uint64_t cycle)
{
	struct feeder *f = component;

	(void)cycle;
	while (f->left && mem_stack_can_accept(f->stack, 0, MEM_READ)) {
		const uint64_t span_bytes = 1ull << 28;
		struct mem_req *r = mem_req_get(f->pool);
		uint64_t addr = f->is_random ? next_random(f) % span_bytes / LINE_BYTES * LINE_BYTES : f->address;
		struct mem_place at = mem_map_place(&f->map, addr);

		memset(r, 0, sizeof(*r));
		f->address += LINE_BYTES;
		r->addr_bytes = addr;
		r->size_bytes = LINE_BYTES;
		r->op = next_random(f) % 100 < f->write_percent ? MEM_WRITE : MEM_READ;
		r->bank = (uint8_t)at.bank;
		r->row = at.row;
		r->column = (uint16_t)at.column_bytes;
		mem_stack_accept(f->stack, r);
		f->left--;
	}
}

static void done(void *ctx, struct mem_req *r)
{
	struct feeder *f = ctx;

	f->done++;
	mem_req_put(f->pool, r);
}

static void room(void *ctx, uint32_t vault)
{
	struct feeder *f = ctx;

	(void)vault;
	feed(f, 0);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const char *name, uint64_t count, bool is_random, uint32_t write_percent)
{
	struct dram_params p;
	const struct sim_param_group g = {"dram", dram_param_rows, dram_param_row_count, &p};
	struct feeder f = {.left = count, .is_random = is_random, .write_percent = write_percent, .seed = 1};
	uint64_t hits, bytes;
	uint32_t dram_domain, feeder_domain;
	double begin, seconds, ns;

	sim_param_defaults(&g);
	p.vault_count = 1;

	struct sim_stats *stats = sim_stats_new();

	f.engine = sim_engine_new();
	if (!sim_domain_add(f.engine, "dram", dram_clock_period(&p), &dram_domain) ||
	    !sim_domain_add(f.engine, "feeder", sim_period_of_ps(1000), &feeder_domain))
		abort();
	f.pool = mem_req_pool_new();
	mem_map_baseline(&f.map, 1, 1, dram_vault_bank_count(&p), (uint32_t)p.row_bytes, LINE_BYTES);

	const struct mem_stack_config c = {.dram = &p,
					   .engine = f.engine,
					   .dram_domain = dram_domain,
					   .done = done,
					   .room = room,
					   .ctx = &f,
					   .stats = stats,
					   .stats_prefix = "vault"};

	f.stack = mem_stack_new(&c);
	f.comp = sim_engine_add(f.engine, feeder_domain, "feeder", feed, &f);
	sim_wake_cycle(f.engine, f.comp, 0);
	begin = cpu_seconds();

	uint64_t ticks = sim_run(f.engine);

	seconds = cpu_seconds() - begin;
	ns = (double)sim_ps_of_units(f.engine, sim_now_units(f.engine)) / 1000;
	sim_stats_value(stats, "vault.row_hits", &hits);
	sim_stats_value(stats, "vault.read_bytes", &bytes);
	printf("%-18s %10.2f M requests/s  %6.3f CPU s  %5.2f ticks/request  %6.2f GB/s modelled  %5.1f %% row hits\n",
	       name, (double)f.done / seconds / 1e6, seconds, (double)ticks / (double)f.done,
	       (double)f.done * LINE_BYTES / ns, 100.0 * (double)hits / (double)f.done);
	mem_stack_free(f.stack);
	sim_engine_free(f.engine);
	sim_stats_free(stats);
	mem_req_pool_free(f.pool);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;

	if (argc > 2 || count == 0) {
		fprintf(stderr, "usage: mem_bench [requests]\n");
		return 2;
	}
	run("streaming reads", count, false, 0);
	run("streaming, 1/3 wr", count, false, 33);
	run("random reads", count, true, 0);
	run("random, 1/3 wr", count, true, 33);
	return 0;
}
