/* stack.h - a memory stack: vaults behind a logic-layer switch. GDDR and DDR channels are stacks with other numbers.
 *
 * The owner hands requests to the stack's vault queues (mem_stack_accept, when mem_stack_can_accept) and gets each
 * back through done() exactly once: reads when the last byte has crossed the TSVs, writes when their last byte
 * has (the acknowledgment). Each vault is a component of its own in the DRAM
 * clock domain and sleeps when its queue is empty; refreshes that fall due meanwhile are issued, at their
 * own cycles, when it wakes.
 */
#ifndef STRATA_MEM_STACK_H
#define STRATA_MEM_STACK_H

#include "mem/dram.h"
#include "net/req.h"
#include "sim/engine.h"
#include "sim/stat.h"

struct mem_command_log;
struct mem_stack;

struct mem_stack_config {
	const struct dram_params *dram; /* kept */
	struct sim_engine *engine;
	uint32_t dram_domain;
	uint32_t index; /* stack number, for messages */
	/* A request is done; called at its completion time (sim_now_units) or later in the same cycle. */
	void (*done)(void *ctx, struct mem_req *r);
	/* A vault queue has room again after a refused request (mem_stack_can_accept was false). */
	void (*room)(void *ctx, uint32_t vault);
	void *ctx;
	struct sim_stats *stats;     /* may be NULL */
	const char *stats_prefix;    /* of the group that has one instance per stack: kept */
	bool stamps;		     /* requests have stamps (net/stamp.h): note when queue, bank and TSVs are left */
	struct mem_command_log *log; /* for the commands of its vaults; NULL: none; not owned */
	bool audit;		     /* attach the independent command auditor; a violation is a failed CHECK */
};

struct mem_stack *mem_stack_new(const struct mem_stack_config *c);
void mem_stack_free(struct mem_stack *s);

/* Has the vault's queue room for one more request (reads and writes share it)? A refused vault calls room() later. */
bool mem_stack_can_accept(struct mem_stack *s, uint32_t vault, enum mem_op op);
/* r->vault, bank, row, column and size_bytes must be set, and stay within one row. MEM_ATOMIC is served as a read: who
 * performs the operation writes the result by a request of its own. May be called at any time and in any domain. */
void mem_stack_accept(struct mem_stack *s, struct mem_req *r);

/* Requests that wait in the queues of its vaults. */
uint32_t mem_stack_queued(const struct mem_stack *s);
/* Nothing queued, nothing in flight. */
bool mem_stack_is_idle(const struct mem_stack *s);
/* After an aborted launch: drops everything queued (banks keep their state). */
void mem_stack_reset(struct mem_stack *s);

/* Issues the refreshes that fell due while vaults slept, up to now: when a kernel ends, and (is_between_kernels:
 * counted apart as well) when the next begins. */
void mem_stack_settle(struct mem_stack *s, bool is_between_kernels);

#endif
