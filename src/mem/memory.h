/* memory.h - a whole memory: stacks of vaults, the address map in front of them, and their clock, as one object; with a
 * link and a controller between it and its owner where there is one (mem/expander.h).
 *
 * Several memories live in one context, each with a clock domain and a prefix of statistics of its own. The owner
 * offers requests by address and gets each back through done() exactly once.
 *
 *	struct sim_ctx ctx;                         sim_ctx_open, then
 *	mem_memory_clock_add(&ctx, &config)         for every memory, before any component is made
 *	m = mem_memory_new(&ctx, &config)
 *	if (!mem_memory_offer(m, r))                full: room() tells when to try again
 *	sim_run(ctx.engine)
 */
#ifndef STRATA_MEM_MEMORY_H
#define STRATA_MEM_MEMORY_H

#include "mem/dram.h"
#include "mem/expander.h"
#include "mem/order.h"
#include "net/req.h"
#include "sim/ctx.h"
#include "sim/param.h"
#include "sim/stat.h"

/* Vaults of all stacks: components of one clock, beside a link and those who ask. */
enum { MEM_MEMORY_VAULTS_MAX = SIM_COMPS_MAX / 2 };

struct memory_params {
#include "sim/param_fields.inc"
#include "mem/memory_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc memory_param_rows[];
extern const uint32_t memory_param_row_count;

/* Rules across the parameters of both groups, those of dram_params_check included. */
bool mem_memory_check(const struct memory_params *m, const struct dram_params *d, struct base_diag_list *diag);
/* What there is of each field; the parameters have passed the check. */
struct mem_shape mem_memory_shape(const struct memory_params *m, const struct dram_params *d);
/* All data buses together, in bytes per second. */
double mem_memory_peak_bytes_per_s(const struct memory_params *m, const struct dram_params *d);

struct mem_command_log;
struct mem_memory;

struct mem_memory_config {
	const struct memory_params *memory; /* both kept, and checked before */
	const struct dram_params *dram;
	const struct expander_params *link; /* kept; NULL, or not is_present: requests go to the vaults directly */
	const char *clock;	  /* name of its clock domain, unlike any other of the engine: kept */
	const char *stats_prefix; /* of its own statistics: kept */
	const char *vault_prefix; /* of its vaults': kept. Energy is counted for "vault" */
	const char *up_prefix, *down_prefix; /* of the link's wires: kept; NULL where there is none */
	/* A request is done; called at its completion time, with a link when its answer has arrived. */
	void (*done)(void *ctx, struct mem_req *r);
	/* After a refused request: that vault has room again, or the link, which is then asked for every vault that was
	 * refused. May be NULL: the owner tries at times of its own. */
	void (*room)(void *ctx, uint32_t stack, uint32_t vault);
	void *ctx;
	struct mem_command_log *log; /* for the commands of its vaults; NULL: none; not owned */
	bool stamps; /* requests have stamps (net/stamp.h), which vaults note */
};

/* Adds the memory's clock domain to the context's engine; false if its period has no common unit with the others'. */
bool mem_memory_clock_add(struct sim_ctx *ctx, const struct mem_memory_config *c);

/* Adds the tables of what it counts, under the prefixes of the configuration; link NULL: as if there were one. */
void mem_memory_stat_tables(const struct mem_memory_config *c, struct sim_stat_tables *out);

struct mem_memory *mem_memory_new(struct sim_ctx *ctx, const struct mem_memory_config *c);
void mem_memory_free(struct mem_memory *m);

/* Where a byte below the memory's capacity lies. */
struct mem_place mem_memory_place(const struct mem_memory *m, uint64_t addr_bytes);
/* Has the vault of this address, or the link, room for one request? If not, room() is called later. */
bool mem_memory_can_accept(struct mem_memory *m, uint64_t addr_bytes, enum mem_op op);
/* Takes the request over unless its vault or the link is full (room() is then called later). addr_bytes, size_bytes and
 * op must be set, the bytes lie within one line and below the capacity; stack, vault, bank, row and column are filled
 * in. May be called at any time and in any domain, also from done() and room(). MEM_ATOMIC is served as a read. */
bool mem_memory_offer(struct mem_memory *m, struct mem_req *r);

/* An offer in two steps, for who makes the request once there is room: at is its place (mem_memory_place). A
 * refusal makes room() be called; the request may be accepted if there is room and it lies within its line. */
bool mem_memory_has_room(struct mem_memory *m, const struct mem_place *at, enum mem_op op);
void mem_memory_accept(struct mem_memory *m, struct mem_req *r, const struct mem_place *at);

/* Requests that wait in its vaults. */
uint32_t mem_memory_queued(const struct mem_memory *m);
/* Nothing queued, nothing in flight. */
bool mem_memory_is_idle(const struct mem_memory *m);
/* Drops everything queued; banks keep their state. */
void mem_memory_reset(struct mem_memory *m);
/* Issues the refreshes that fell due while vaults slept, before statistics are read; see mem_stack_settle. */
void mem_memory_settle(struct mem_memory *m, bool is_between_kernels);

/* Its clock's domain in the engine. */
uint32_t mem_memory_domain(const struct mem_memory *m);

#endif
