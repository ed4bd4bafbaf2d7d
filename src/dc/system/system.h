/* system.h - the caches of a server as a machine: control blocks, the C-Box of each slice, ways that are cache, the
 * link between sockets, and the host core that feeds words.
 *
 * Everything is counted in cycles of the arrays' clock. A control block runs ahead through words that touch nothing but
 * its arrays and meets the others' time at each access; values are computed then, so accesses happen in the order of
 * time.
 */
#ifndef STRATA_DC_SYSTEM_SYSTEM_H
#define STRATA_DC_SYSTEM_SYSTEM_H

#include "cpu/system.h"
#include "dc/system/params.h"
#include "device/device.h"
#include "sim/ctx.h"
#include "sim/sample.h"
#include "sim/spans.h"

struct dc_system;

bool dc_clock_add(const struct dc_params *p, struct sim_engine *e);
/* The memory behind: its capacity, and what the lowest part of its addresses goes round: so many channels, each of
 * which takes so many bytes before the next. */
struct dc_behind {
	uint64_t bytes, interleave_bytes;
	uint32_t channel_count;
};
/* What a core of the host is, by the CPU model's parameters (group "cpu") and those of the machine that say so, too. */
struct cpu_params dc_host_params(const struct dc_params *p, const struct cpu_params *cores);
/* p is kept. The memory's done and room are dc_memory_done and _room. */
struct dc_system *dc_system_new(struct sim_ctx *ctx, const struct dc_params *p, struct mem_memory *memory,
				struct dc_behind behind);
/* The cores that kernels run on which the arrays do not have, or that are small; before the first launch, and with the
 * CPU model's clocks (cpu_clock_add). p: of dc_host_params; is copied. */
void dc_system_host(struct dc_system *s, const struct cpu_params *p);
void dc_system_free(struct dc_system *s);
void dc_memory_done(void *system, struct mem_req *r);
void dc_memory_room(void *system);

/* Control blocks that this launch can have at once: all but the ways that stay cache. */
uint32_t dc_system_blocks(const struct dc_system *s);
/* CTAs of so many threads that a control block of these lanes holds; 0: one CTA needs several. */
uint32_t dc_ctas_per_block(uint32_t lanes, uint32_t threads);
/* Runs a launch to its end; cache_ways of each slice stay cache, at least as many as duality.cache_way_count;
 * is_spread: each CTA has a control block of its own while there are some. False: l->fault says why. */
bool dc_system_launch(struct dc_system *s, struct dc_program *p, struct simt_launch *l, uint32_t cache_ways,
		      bool is_spread, struct device_result *result);
/* Runs a launch on the host's cores, which are there (dc_system_host): see host.c; is_waiting: CTAs wait for each
 * other, and take turns; lanes: of the vectors that its threads run in. */
bool dc_system_run_on_host(struct dc_system *s, struct simt_launch *l, bool is_waiting, uint32_t lanes,
			   struct device_result *result);
/* Between launches: the host has written bytes of device memory. */
void dc_system_host_wrote(struct dc_system *s, uint64_t address, uint64_t bytes);
/* Async-signal-safe. */
void dc_system_stop(struct dc_system *s, enum device_stop why);
/* run.audit: does someone look after what the compiler makes? */
bool dc_system_is_audited(const struct dc_system *s);
uint64_t dc_system_now_ps(const struct dc_system *s);
/* See device_ops.progress. */
void dc_system_progress(const struct dc_system *s, struct sim_progress *out);
void dc_system_advance_ps(struct dc_system *s, uint64_t time_ps);
struct dc_stats *dc_system_stats(struct dc_system *s);
/* Ends launches at this time. */
void dc_system_limit(struct dc_system *s, uint64_t limit_units);
/* What duality.sample_ps and duality.span_count have had kept; NULL: off. Of spans, tracks are control blocks, names
 * the launches' numbers from 1. */
const struct sim_sampler *dc_system_sampler(const struct dc_system *s);
const struct sim_spans *dc_system_spans(const struct dc_system *s);

#endif
