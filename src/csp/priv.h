/* priv.h - what the files of csp/ share: cores, lines under way, the machine. */
#ifndef STRATA_CSP_PRIV_H
#define STRATA_CSP_PRIV_H

#include <signal.h>

#include "base/list.h"
#include "csp/account.h"
#include "csp/cfma.h"
#include "csp/machine.h"
#include "csp/order.h"
#include "mem/stack.h"
#include "net/channel.h"
#include "net/queue.h"

#define CSP_PENDING UINT64_MAX /* a cycle that is not known yet */
enum { CSP_SIGNALS_MAX = 1024 };

struct csp_core_stats {
#include "sim/stat_fields.inc"
#include "csp/csp_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table csp_core_stat_table;

struct csp_core;

/* A line on its way; its blocks are requests of their own. */
struct csp_transfer {
	struct csp_core *core;	   /* whose register it is; NULL: it has arrived (input.c) */
	struct csp_transfer *next; /* free ones */
	uint32_t target;	   /* core whose memory it is */
	uint64_t line;
	uint32_t reg;		   /* register, or vector of the shared register file */
	enum csp_space space;
	bool is_store;
	uint32_t sent_blocks, blocks_left; /* sent; not answered yet */
};

/* A load or store in the memory unit: count lines, of which `next` is the next to go. */
struct csp_access {
	uint32_t target;
	enum csp_space space;
	int64_t line, line_stride, reg, reg_stride;
	uint32_t count, next;
	uint64_t ready_cycle; /* store: when the last of its registers has been computed */
};

struct csp_access_queue {
	BASE_RING(struct csp_access);
};

struct csp_loop {
	uint32_t begin; /* number of the loop instruction */
	int64_t left;
};

/* When a register can be read, and when it can be written, in cycles of the core; CSP_PENDING: a line is on its way. */
struct csp_register_time {
	uint64_t ready, free;
	uint32_t loads, stores; /* under way */
};

struct csp_core {
	struct csp_machine *machine;
	uint32_t number;
	struct sim_comp comp;
	/* controller */
	uint32_t pc;
	int64_t index[CSP_INDEX_COUNT];
	struct csp_loop loops[CSP_LOOPS_MAX];
	uint32_t loop_count;
	uint64_t local_cycle;  /* the controller's next one */
	uint64_t blocked_from; /* since when it waits; CSP_PENDING: it does not */
	bool is_halted;
	/* functional units */
	uint64_t fu_free_cycle, fu_last_cycle;
	struct csp_times {
		BASE_RING(uint64_t);
	} starts; /* when the last vector instructions began */
	float *rf, *ssrf, *zero; /* register or vector after the other, m real and m imaginary parts each */
	struct csp_register_time *rf_times, *ssrf_times;
	uint32_t rf_count, ssrf_count, m;
	/* memory unit */
	struct csp_access_queue loads, stores;
	struct csp_transfer *current; /* whose blocks are being sent */
	struct csp_transfer *free, *transfers;
	uint32_t under_way, stores_under_way;
	uint64_t sent_cycle; /* of the last block + 1 */
	/* memory */
	float *lines;
	uint64_t line_count, mapped_bytes;
	uint32_t stack, first_vault, vault_count;
	/* signals */
	struct csp_times signals; /* when they arrive, in units */
	struct csp_order order;
	struct csp_account account;
	struct csp_core_stats stats;
};

/* What the transceivers bring to a core's memory, line by line, over the link of its stack as its stores go. */
struct csp_input {
	struct csp_machine *machine;
	struct sim_comp comp;
	struct csp_core *core; /* NULL: nothing arrives */
	uint64_t first, count, each, line_units;
	uint64_t begun, group_count, written_groups, taken_groups; /* lines; groups of `each` of them */
	uint32_t *left;	       /* [group_count]: lines that are not written yet */
	uint64_t *group_units; /* [group_count]: when the core learns that they are */
	struct csp_transfer *transfers, *free, *current;
};

/* A stack and its link. */
struct csp_stack {
	struct csp_machine *machine;
	uint32_t index;
	struct mem_stack *stack;
	struct net_channel *tx, *rx;
	struct sim_comp far, near;
	struct queue answers; /* wait for rx */
};

struct csp_machine {
	struct sim_ctx *ctx;
	const struct csp_config *config;
	const struct csp_program *program; /* NULL: not loaded */
	uint64_t limit_units;		   /* 0: none */
	struct csp_result result;
	uint32_t domain, dram_domain;
	uint32_t line_bytes, block_bytes, blocks_per_line;
	bool is_accounted;
	bool has_run;
	csp_cfma_fn *cfma;
	struct csp_core *cores;
	uint32_t core_count;
	struct csp_stack *stacks;
	uint32_t stack_count;
	struct csp_input input;
	volatile sig_atomic_t is_stopped; /* from outside */
	char *mistake; /* of the program, at run time; NULL: none */
};

/* mistake.c */
/* The program has done what it may not: ends the run with a message at the line of the instruction. */
void csp_mistake(struct csp_core *c, const struct csp_instr *x, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* core.c */
void csp_core_init(struct csp_core *c, struct csp_machine *m, uint32_t number);
/* The machine's program is there. */
void csp_core_load(struct csp_core *c);
void csp_core_release(struct csp_core *c);
void csp_core_tick(void *component, uint64_t cycle);
/* What a core that has not ended waits for. */
const char *csp_core_waits_for(const struct csp_core *c);
static inline float *csp_vector(float *file, uint32_t number, uint32_t m)
{
	return file + (uint64_t)number * 2 * m;
}

/* input.c */
void csp_input_init(struct csp_input *in, struct csp_machine *m);
void csp_input_release(struct csp_input *in);
/* The program is there, and its cores' memories. False with a message. */
bool csp_input_load(struct csp_input *in, struct base_diag_list *diag);
/* The run begins. */
void csp_input_begin(struct csp_input *in);
/* A line is written. */
void csp_input_written(struct csp_input *in, struct csp_transfer *x);

/* memory.c */
/* A block of the line goes over the link, which is ready. */
void csp_block_send(struct csp_machine *m, struct csp_transfer *x, struct net_channel *tx);
void csp_stack_init(struct csp_stack *s, struct csp_machine *m, uint32_t index);
void csp_stack_release(struct csp_stack *s);
/* The memory unit at a cycle: sends a block, if it has one and the link takes it. */
void csp_memory_tick(struct csp_core *c, uint64_t cycle);
static inline bool csp_queue_is_full(const struct csp_access_queue *q)
{
	return q->count == q->cap;
}

#endif
