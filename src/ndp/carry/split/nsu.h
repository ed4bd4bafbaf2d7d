/* nsu.h - private to nsu*.c: a SIMD unit in a stack (NSU, SC'17, section 4.5). */
#ifndef STRATA_NDP_CARRY_NSU_H
#define STRATA_NDP_CARRY_NSU_H

#include "base/list.h"
#include "mem/tags.h"
#include "ndp/carry/priv.h"

/* Why a warp of a unit cannot issue; in the order in which a cycle without issue is attributed. */
enum nsu_wait {
	NSU_WAIT_EXECUTION,
	NSU_WAIT_FETCH,
	NSU_WAIT_CONSTANT, /* NSU_WAIT_FETCH + NSU_CONSTANTS */
	NSU_WAIT_ROOM,
	NSU_WAIT_DATA,
	NSU_WAIT_ADDRESS,
	NSU_WAIT_ACKS,
	NSU_WAIT_IDLE,
	NSU_WAIT_COUNT
};

struct nsu_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/split/nsu_stats.def"
#include "sim/stat_end.inc"
};

enum { NSU_WARPS_MAX = 64 };

/* What a unit reads through a cache, from its own stack's copy. */
enum nsu_memory { NSU_CODE, NSU_CONSTANTS, NSU_MEMORY_COUNT };

struct nsu_slot {
	struct partition *p; /* NULL: free */
	uint64_t ready_cycle; /* NSU_WAIT_EXECUTION: until then */
	uint64_t line[NSU_MEMORY_COUNT]; /* that the warp has, + 1; of constants, for one read */
	uint64_t *sb;	      /* [sb_cap]: cycle at which a register is ready */
};

/* Writes of a store on their way out, one line per cycle. */
struct nsu_store {
	struct partition *p; /* NULL: none */
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint32_t count, next, seq;
};

struct nsu {
	struct split *split;
	struct gpu *gpu;
	uint16_t port; /* of packets that end at the unit, or ask for what does */
	struct sim_comp comp;
	uint32_t stack, slot_count;
	struct nsu_slot slots[NSU_WARPS_MAX];
	uint64_t resident, ready, waiting[NSU_WAIT_COUNT]; /* masks over slots */
	uint32_t last;					   /* slot that issued last */
	uint64_t issue_free;				   /* cycle from which the next instruction may issue */
	uint32_t lane_interval;				   /* cycles of an instruction of 32 lanes */
	uint32_t latency[SIMT_UNIT_COUNT], interval[SIMT_UNIT_COUNT];
	uint64_t unit_free[SIMT_UNIT_COUNT]; /* cycle from which it takes an instruction, where they overlap */
	bool overlaps;
	uint32_t sb_cap;

	struct {
		BASE_FIFO(struct partition);
	} commands; /* wait for a slot */
	struct nsu_credits used, all, credits;		/* entries in use; of the buffers; to be returned */
	uint64_t credit_cycle;				/* when credits leave without company */
	uint32_t credit_pc;				/* the block that the first of them is of */
	bool has_credit_packet;				/* waits for the link */

	struct {
		MEM_TAGS(struct nsu_cache_line); /* one set of ways */
	} cache; /* read only, with the GPU's directory of it; way_count 0: there is none */

	struct nsu_store store;
	struct queue out; /* writes and fetches that wait for a vault or the network */
	uint32_t write_cap;
	struct mem_cache *memory[NSU_MEMORY_COUNT];
	struct mem_req *spare;
	uint64_t refused[NSU_MEMORY_COUNT]; /* slots whose read found no MSHR */
	uint8_t *touched; /* [code instruction]: run in this kernel */
	uint32_t touched_cap;
	uint64_t code_bytes;

	uint64_t accounted; /* cycles before it are attributed */
	uint8_t reason;	    /* of those since */
	struct nsu_stats stats;
};

/* nsu_buffer.c */
extern const struct net_port_ops nsu_port_ops;
void nsu_out_drain(struct nsu *u);
/* The next line of the store that is being written, if there is room. */
void nsu_store_step(struct nsu *u);
/* A command, read or write entry is used, by a block. */
void nsu_release(struct nsu *u, const struct partition *of, struct nsu_credits c);
void nsu_credits_due(struct nsu *u, uint64_t cycle);
void nsu_fetch(struct nsu *u, enum nsu_memory from, uint64_t addr_bytes, uint32_t mshr);

/* Data or an address for an entry of the buffers. */
void nsu_take_entry(struct nsu *u, const struct packet *k);

/* nsu_cache.c: data that the cache keeps, a read of what it holds (taken over). */
void nsu_cache_fill(struct nsu *u, const struct packet *k);
void nsu_cache_read(struct nsu *u, struct mem_req *r);
void nsu_cache_new(struct nsu *u);
void nsu_cache_free(struct nsu *u);
void nsu_cache_kernel_begin(struct nsu *u); /* empty */
bool nsu_cache_is_idle(const struct nsu *u);
void nsu_cache_reset(struct nsu *u);

/* nsu.c */
void nsu_start(struct nsu *u); /* commands take free slots */
void nsu_wake_slot(struct nsu *u, uint32_t slot, enum nsu_wait reason); /* if it waits for just that */
void nsu_fetched(struct nsu *u, struct mem_req *r);
static inline uint64_t nsu_cycle(const struct nsu *u)
{
	return sim_cycle_now(u->gpu->engine, u->gpu->clocks.nsu);
}

#endif
