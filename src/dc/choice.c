/* choice.c - see choice.h. */
#include "dc/choice.h"

#include <glib.h>
#include <math.h>

#include "base/units.h"
#include "dc/estimate.h"
#include "dc/system/system.h"

enum { WAY_BYTES = DC_BANKS * DC_ARRAYS * DC_ROWS * DC_BANK_LANES / 8 };

static uint64_t ctas_of(const struct simt_launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static uint64_t threads_of(const struct simt_launch *l)
{
	return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}

static uint32_t lanes_of(const struct dc_kernel *k)
{
	return DC_BLOCK_LANES * DC_ARRAYS / k->array_count;
}

static struct dc_estimate_place place_of(const struct dc_params *p, const struct dc_kernel *k,
					 const struct simt_launch *l, bool is_spread,
					 double memory_bytes_per_s)
{
	const uint64_t lanes = lanes_of(k), most = dc_ctas_per_block((uint32_t)lanes, (uint32_t)threads_of(l));
	const uint64_t in_block = is_spread ? MIN(most, 1) : most;
	const uint64_t ctas = ctas_of(l), parts = (threads_of(l) + lanes - 1) / lanes;

	return (struct dc_estimate_place){
	    .units = in_block ? (ctas + in_block - 1) / in_block : ctas * parts,
	    .segment_bytes = (k->shared_bytes + l->shared_dynamic_bytes) * MAX(in_block, 1) +
			     ((k->local_bytes + 3) / 4 + k->spill_slots) * 4 * lanes,
	    .slices = (uint32_t)(p->socket_count * p->slice_count),
	    .ways = (uint32_t)p->way_count,
	    .unused_is_cache = p->unused_is_cache,
	    .way_bytes = WAY_BYTES,
	    .line_bytes = p->line_bytes,
	    .memory_bytes_per_cycle = memory_bytes_per_s / ((double)p->clock_khz * 1e3)};
}

/* Cycles of the links for a line, of which one of the sockets has its home, with all who send lines of theirs. */
static double link_cycles(const struct dc_params *p, double active)
{
	const double sockets = (double)p->socket_count, bytes = (double)(p->line_bytes + p->link_message_bytes);
	const double bytes_per_cycle =
	    2 * (double)p->link_mbytes_per_s * BASE_BYTES_PER_MBYTE / ((double)p->clock_khz * 1e3);

	return p->link_mbytes_per_s ? active * (1 - 1 / sockets) * bytes / bytes_per_cycle : 0;
}

struct dc_prices dc_prices_of(const struct dc_params *p, const struct simt_launch *l, uint32_t array_count,
			      double memory_bytes_per_s)
{
	enum { ROWS = 96 }; /* of an address and a value */
	const uint64_t lanes = DC_BLOCK_LANES * DC_ARRAYS / array_count, threads = threads_of(l), ctas = ctas_of(l);
	const uint64_t in_block = dc_ctas_per_block((uint32_t)lanes, (uint32_t)threads);
	const uint64_t units = in_block ? (ctas + in_block - 1) / in_block : ctas * ((threads + lanes - 1) / lanes);
	const uint64_t slices = p->socket_count * p->slice_count;
	const uint64_t most = slices * (p->way_count - p->cache_way_count), active = MAX(MIN(units, most), 1);
	const double sharers = (double)((active + slices - 1) / slices);
	const uint64_t ways = slices * p->cache_way_count + (p->unused_is_cache ? most - active : 0);
	const double line_bytes = (double)p->line_bytes, cycles_per_s = (double)p->clock_khz * 1e3;

	return (struct dc_prices){
	    .lanes = (uint32_t)MIN(lanes, threads * (in_block ? MIN(in_block, ctas) : ctas)),
	    .line_bytes = (uint32_t)p->line_bytes,
	    .fixed_cycles = (double)(p->llc_latency_ps + (p->link_mbytes_per_s ? p->link_latency_ps : 0)) *
				cycles_per_s / 1e12 +
			    sharers * ROWS * DC_BANKS / (double)(p->tmu_count * p->tmu_rows_per_cycle),
	    .line_cycles = fmax(sharers / (double)p->mshr_lines_per_cycle, link_cycles(p, (double)active)),
	    .memory_cycles = (double)active * line_bytes * cycles_per_s / memory_bytes_per_s,
	    .cache_lines = (double)ways * WAY_BYTES / line_bytes / (double)active};
}

/* ---- where it runs ---- */

/* What is reckoned of either side has the same lines, and the same links and memory for them. An access in the arrays
 * costs what the compiler was told, but for its lines. */
static void reckon(const struct dc_host_machine *m, const struct dc_kernel *k, const struct simt_launch *l,
		   const struct dc_estimate_place *at, struct dc_choice *c)
{
	const struct dc_params *p = m->p;
	const double rounds = (double)p->analysis_rounds_count, cycles_per_us = (double)p->clock_khz / 1e3;
	const struct dc_prices prices = dc_prices_of(p, l, k->array_count, m->memory_bytes_per_s);
	const struct dc_estimate e =
	    dc_estimate(k, lanes_of(k), l->block, (uint32_t)p->line_bytes, rounds, (uint32_t)prices.fixed_cycles);
	const double lines = (double)at->units * e.fresh_lines, link_us = link_cycles(p, lines) / cycles_per_us;
	const double home_us = link_cycles(p, (double)at->units * e.home_lines) / cycles_per_us;
	const double memory_us = lines * (double)at->line_bytes / at->memory_bytes_per_cycle / cycles_per_us;
	g_autofree double *times = dc_host_rounds(l->program, k, rounds);

	c->arrays_us = dc_estimate_cycles(&e, at, c->cache_ways) / cycles_per_us + fmax(0, home_us - memory_us);
	c->host_lanes = dc_host_form(m, l->program, times, l->block);
	c->host_us = dc_host_us(m, l, times, c->host_lanes, lines, link_us);
	c->is_host = c->host_us < c->arrays_us;
}

struct dc_choice dc_choose(const struct dc_host_machine *m, const struct dc_kernel *k, const struct simt_launch *l,
			   struct dc_placing placing)
{
	const struct dc_params *p = m->p;
	struct dc_choice c = {.cache_ways = (uint32_t)p->cache_way_count};
	const uint32_t half = ((uint32_t)p->way_count - 1) / 2;
	struct dc_estimate_place at;
	struct dc_estimate e;

	if (l->is_cooperative || placing.waits || (p->cache_choice == DC_FIXED && p->host_kernels != DC_HOST_SMALL))
		return c;
	at = place_of(p, k, l, placing.is_spread, m->memory_bytes_per_s);
	if (p->cache_choice == DC_ANALYSED) {
		e = dc_estimate(k, lanes_of(k), l->block, (uint32_t)p->line_bytes, (double)p->analysis_rounds_count,
				DC_ACCESS_CYCLES);
		c.cache_ways = dc_estimate_ways(&e, &at, c.cache_ways, half);
	}
	if (p->host_kernels == DC_HOST_SMALL)
		reckon(m, k, l, &at, &c);
	return c;
}
