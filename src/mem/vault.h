/* vault.h - one vault: a request queue and the command scheduler over its banks. Private to mem/ and its tests; others
 * use mem/stack.h. A DDR or GDDR channel is a vault with other numbers.
 *
 * A vault is one component of the DRAM clock domain. It issues at most one command per tick, computes the first cycle
 * at which the next command can be legal, and sleeps till then.
 */
#ifndef STRATA_MEM_VAULT_H
#define STRATA_MEM_VAULT_H

#include "mem/dram.h"
#include "net/req.h"
#include "sim/engine.h"
#include "sim/stat.h"

struct vault_stats {
#include "sim/stat_fields.inc"
#include "mem/vault_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_desc vault_stat_rows[];
extern const uint32_t vault_stat_row_count;

struct mem_audit;
struct mem_command_log;
struct mem_vault;

struct mem_vault_config {
	const struct dram_params *dram;	  /* both kept */
	const struct dram_timing *timing; /* of dram */
	struct sim_engine *engine;
	uint32_t dram_domain;
	bool stamps;	      /* requests have them */
	uint32_t index;	      /* within its stack: given to room(), and staggers the refresh */
	struct mem_audit *audit; /* or NULL; not owned */
	struct mem_command_log *log; /* or NULL; not owned */
	uint32_t stack; /* of it, for the log */
	struct mem_vault *partner; /* made before, shares its command bus; or NULL */
	void (*done)(void *ctx, struct mem_req *r);
	void (*room)(void *ctx, uint32_t vault);
	void *ctx;
	struct vault_stats *stats; /* not owned; the vaults of a stack share one, which the caches of the host like */
};

struct mem_vault *mem_vault_new(const struct mem_vault_config *c);
void mem_vault_free(struct mem_vault *v);
/* If not, room() is called when it may. */
bool mem_vault_can_accept(struct mem_vault *v, enum mem_op op);
void mem_vault_accept(struct mem_vault *v, struct mem_req *r);
/* Requests that wait for their column command. */
uint32_t mem_vault_queued(const struct mem_vault *v);
bool mem_vault_is_idle(const struct mem_vault *v);
void mem_vault_reset(struct mem_vault *v);
/* Issues the refreshes that fell due while the vault slept; counts them apart when no kernel ran, and the time of the
 * ranks' states when one did. */
void mem_vault_settle(struct mem_vault *v, bool is_between_kernels);

#endif
