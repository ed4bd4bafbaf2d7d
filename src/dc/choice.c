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

/* Its operations, or, if that is longer, the lines that are asked for the first time. */
static double host_us(const struct dc_params *p, const struct dc_estimate *e, const struct dc_estimate_place *at,
		      const struct simt_launch *l)
{
	const double operations = e->operations * (double)threads_of(l) * (double)ctas_of(l);
	const double cores = (double)MIN(p->host_core_count, ctas_of(l));

	const double operations_us = operations / (cores * (double)p->host_ops_per_cycle) /
				     ((double)p->host_clock_khz / 1e3);
	const double lines_us = (double)at->units * e->fresh_lines * (double)at->line_bytes /
				at->memory_bytes_per_cycle / ((double)p->clock_khz / 1e3);

	return MAX(operations_us, lines_us);
}

struct dc_choice dc_choose(const struct dc_params *p, const struct dc_kernel *k, const struct simt_launch *l,
			   struct dc_placing placing, double memory_bytes_per_s)
{
	struct dc_choice c = {.cache_ways = (uint32_t)p->cache_way_count};
	const uint32_t half = ((uint32_t)p->way_count - 1) / 2;
	struct dc_estimate_place at;
	struct dc_estimate e;

	if (l->is_cooperative || placing.waits || (p->cache_choice == DC_FIXED && p->host_kernels != DC_HOST_SMALL))
		return c;
	e = dc_estimate(k, lanes_of(k), (uint32_t)p->line_bytes, (double)p->analysis_rounds_count);
	at = place_of(p, k, l, placing.is_spread, memory_bytes_per_s);
	if (p->cache_choice == DC_ANALYSED)
		c.cache_ways = dc_estimate_ways(&e, &at, c.cache_ways, half);
	if (p->host_kernels != DC_HOST_SMALL)
		return c;
	c.arrays_us = dc_estimate_cycles(&e, &at, c.cache_ways) / ((double)p->clock_khz / 1e3);
	c.host_us = host_us(p, &e, &at, l);
	c.is_host = c.host_us < c.arrays_us;
	return c;
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
