/* split.h - private to the split carrier: blocks that run in two parts (NSU, SC'17, section 4). The GPU's warp
 * computes the addresses and sends packets; a SIMD unit in the target stack computes the values. Parts of this file by
 * .c:
 *
 *   split.c           the GPU's warp: OFLD.BEG, memory instructions, OFLD.END
 *   packet_buffer.c   an SM's pending and ready packets, and their way into the crossbar
 *   buffer_manager.c  credits for the units' buffers
 *   packet.c          packets: pool, sizes, where each goes from an L2 slice, a link or a vault
 *   nsu.c             the unit: warps, instructions
 *   nsu_buffer.c      the unit's buffers and what enters them; its writes
 *   gate.c            the units' and the network's power where nothing is offloaded
 *   nsu_cache.c       the unit's read-only cache and the GPU's directory of it
 */
#ifndef STRATA_NDP_CARRY_SPLIT_H
#define STRATA_NDP_CARRY_SPLIT_H

#include <glib.h>

#include "gpu/coalesce.h"
#include "ndp/carry/carry.h"
#include "ndp/carry/split/nsu_audit.h"
#include "net/queue.h"
#include "nsu/exec.h"
#include "sim/engine.h"

struct carry;
struct gpu;
struct mem_req;
struct nsu;
struct sm;
struct sm_warp;

struct partition_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/split/partition_stats.def"
#include "sim/stat_end.inc"
};

/* The order of the packets' statistics. */
enum packet_kind {
	PACKET_COMMAND,	   /* SM -> unit */
	PACKET_READ,	   /* SM -> vault of the line: read and forward */
	PACKET_DATA,	   /* cache or vault -> unit */
	PACKET_ADDRESS,	   /* SM -> unit: where a store goes */
	PACKET_WRITE,	   /* unit -> vault of the line */
	PACKET_WRITTEN,	   /* vault -> unit */
	PACKET_INVALIDATE, /* vault -> L2 slice and L1 */
	PACKET_ANSWER,	   /* unit -> SM: the block has ended */
	PACKET_CREDIT,	   /* unit -> buffer manager, when nothing else took the credits along */
	PACKET_FETCH,	   /* unit <-> its stack: instructions, constants */
	PACKET_HELD,	   /* SM -> unit: a read of words that its cache holds */
	PACKET_KIND_COUNT
};

struct packet_stats {
#include "sim/stat_fields.inc"
#include "ndp/carry/split/packet_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table carry_partition_stat_table, carry_packet_stat_table, carry_nsu_stat_table;

/* What a request of kind MEM_KIND_PASSING is: its owner. */
struct packet {
	struct partition *p; /* NULL: of no block */
	struct packet *next_free;
	uint32_t lanes;
	uint16_t seq;		/* memory instruction of the block; of a fetch: enum nsu_memory */
	uint8_t kind;
	uint8_t target; /* stack of the unit */
	uint32_t begin_pc; /* of the block that it is for */
	/* reads: */
	uint32_t words; /* of the line */
	uint8_t line;	/* place in the unit's cache */
	bool turn;	/* see nsu_cache.c */
	bool fills;	/* the unit keeps the data there */
};

/* Places in a unit's buffers. */
struct nsu_credits {
	uint32_t commands, reads, writes;
};

enum partition_state {
	PARTITION_BEGIN, /* OFLD.BEG has not issued */
	PARTITION_RUNS,
	PARTITION_ENDS,	 /* OFLD.END has not issued */
	PARTITION_WAITS, /* for the unit's answer */
};

/* One instance of a block. */
struct partition {
	struct split *split;
	struct sm_warp *home;
	struct nsu_program *program;
	const struct nsu_block *block;	   /* of it */
	uint32_t number;		   /* of the block */
	const struct carry_block *registers; /* live-ins and live-outs as scoreboard ids */
	BASE_LINKS(struct partition) live;
	struct partition *next;		/* waiting for credits, or movable */
	struct partition *next_command; /* in the unit's command buffer */
	struct nsu_warp *exec; /* values: the unit's warp and its registers */
	uint64_t begin_units, request_units;
	uint8_t state;
	uint8_t target;
	uint32_t mask; /* lanes that entered */
	bool has_target, is_granted;
	bool has_command, has_command_place; /* its packet has been made, has a place in the pending buffer */
	bool waits_room;  /* home warp: for a place in the pending buffer, or for the grant */
	bool is_movable;
	bool is_running; /* in a slot of the unit */
	bool has_run;    /* all but its last instruction */
	bool is_answered;
	uint32_t seq;		/* memory instructions that have issued */
	struct queue pending;	/* its packets in the pending buffer */
	uint32_t reserved_count; /* places in it for lines that have issued */
	uint32_t rdf_count, rdf_hit_count, wta_count;
	/* at the unit */
	uint32_t slot;
	uint64_t placed_units; /* since when it has it */
	uint32_t acks_left; /* writes under way */
	struct partition_entry *entries; /* [block's memory instructions], grows */
	uint32_t entry_cap;
};

/* One memory instruction of an instance. */
struct partition_entry {
	uint32_t arrived;     /* lanes whose words or addresses are in the unit's buffer */
	uint32_t lane_bytes;  /* of a lane's words in packets */
	uint32_t entry_count; /* places in the unit's buffer */
	bool is_store, is_issued, is_misaligned;
	struct simt_access access; /* once it has issued: lanes, addresses, and the bytes loaded */
};

/* Credits of a unit on their way with a packet. */
struct credit_flight {
	uint64_t arrival_units;
	struct nsu_credits credits;
};

/* Credits that ride over a stack's RX. */
struct credit_flights {
	BASE_RING(struct credit_flight);
};

/* See gate.c; times in units of the engine. */
struct power_gate {
	bool is_there;	    /* the machine has it */
	bool is_gated;	    /* when the last kernel ended */
	bool is_new_kernel; /* no block has begun in it */
	uint64_t block_count; /* under way */
	uint64_t begin_units, idle_since_units, awake_units;
	uint64_t idle_units, wake_units; /* what the parameters say */
	struct sim_comp comp;
};

/* The carrier. */
struct split {
	struct carry *carry;
	struct gpu *gpu;
	const struct gpu_ext *ext;
	struct partition *partitions_free, *partitions_live;
	struct packet_buffer **buffers; /* [SM] */
	struct buffer_manager *manager;
	struct nsu **nsus;		/* [stack] */
	struct nsu_audit *audit;	/* of the directory of their caches; NULL: off */
	struct credit_flights *flights; /* [stack] */
	struct packet *packets_free;
	GPtrArray *packet_chunks;
	uint64_t packet_count;		       /* on their way */
	uint32_t *write_lines;		       /* [stack]: write addresses whose invalidation has not come back */
	uint32_t *writes_sent;			/* [stack]: of them, those that have left the pending buffer */
	bool gpu_invalidates;			/* nsu.invalidate_by: SMs keep the addresses of blocks' stores, */
	uint32_t *kept;				/* [SM]: so many */
	uint16_t invalidate_port, credit_port; /* packets to a slice, to the buffer manager */
	uint16_t *sm_ports;		       /* [SM]: packets to it */
	struct power_gate gate;
	struct partition_stats partition_stats;
	struct packet_stats packet_stats;
};

/* ---- split.c ---- */
/* Registers of p's lanes in a packet. */
static inline uint32_t partition_registers_bytes(const struct partition *p, uint32_t words, uint32_t preds)
{
	return 4 * (words * (uint32_t)__builtin_popcount(p->mask) + preds);
}
/* The pending buffer has places again. */
void partition_room(struct split *split, struct sm *sm);
/* Credits have been granted. */
void partition_granted(struct partition *p);
/* Its unit has done its part; p may be no more. */
void partition_answered(struct partition *p);

/* ---- packet_buffer.c ---- */
struct packet_buffer;
struct packet_buffer *packet_buffer_new(struct split *split, struct sm *sm);
void packet_buffer_free(struct packet_buffer *b);
void packet_buffer_reset(struct packet_buffer *b);
bool packet_buffer_is_idle(const struct packet_buffer *b);
/* Places of the pending buffer, for packets of a block that has no credits yet. False: too few. */
bool packet_buffer_reserve(struct packet_buffer *b, struct partition *p, uint32_t count);
/* A packet of p. False: no place now, for a block that has credits; others have reserved. */
bool packet_buffer_put(struct packet_buffer *b, struct partition *p, struct mem_req *r);
void packet_buffer_granted(struct packet_buffer *b, struct partition *p);
void packet_buffer_tick(struct packet_buffer *b); /* one cycle */
bool packet_buffer_has_work(const struct packet_buffer *b); /* in the next cycle */

/* ---- buffer_manager.c ---- */
struct buffer_manager;
struct buffer_manager *buffer_manager_new(struct split *split);
void buffer_manager_free(struct buffer_manager *m);
void buffer_manager_reset(struct buffer_manager *m);
/* Asks for the buffers of p's target; partition_granted when it has them, perhaps at once. */
void buffer_manager_request(struct buffer_manager *m, struct partition *p);
void buffer_manager_return(struct buffer_manager *m, uint32_t stack, const struct nsu_credits *c);
/* A new component, to be woken when the units' power is on: who waits for it may have his credits then. */
struct sim_comp buffer_manager_comp(struct buffer_manager *m);
/* [stack]: blocks that have credits for a command or wait for them; the manager's, until the next call. */
const uint32_t *buffer_manager_loads(struct buffer_manager *m);
/* Nobody waits and all credits are home. */
bool buffer_manager_is_idle(const struct buffer_manager *m);

/* ---- gate.c ---- */
void gate_new(struct split *split);
void gate_kernel_begin(struct split *split);
void gate_kernel_end(struct split *split, const struct simt_program *p);
void gate_block_begins(struct split *split);
void gate_block_ends(struct split *split);
/* Are the units on? If not, buffer_manager_awake is called when they are. */
static inline bool gate_is_awake(const struct split *split, uint64_t now_units)
{
	return now_units >= split->gate.awake_units;
}

/* ---- packet.c ---- */
struct mem_req *packet_new(struct split *split, enum packet_kind kind, struct partition *p);
void packet_free(struct split *split, struct mem_req *r);
void packet_count(struct split *split, const struct mem_req *r); /* it leaves */
/* A read has found its line: it becomes the data on their way to the unit. */
void packet_becomes_data(struct split *split, struct mem_req *r);
/* Words of the lanes; with their offsets if the unit's cache has to know these. */
uint32_t packet_data_bytes(const struct packet *k);
static inline struct packet *packet_of(const struct mem_req *r)
{
	return r->owner;
}
/* A memory has done a unit's read or write: a read becomes the data, a write the acknowledgment; of its line the
 * slice and the SM's L1 are rid. */
void packet_served(struct split *split, struct mem_req *r, uint32_t where);
/* A write address for a line of the stack leaves. */
void packet_write_begins(struct split *split, uint32_t stack);
void packet_write_ends(struct split *split, uint32_t stack);
/* Lanes of the entry whose first byte lies in the line. */
uint32_t partition_lanes(const struct partition_entry *e, uint64_t line_addr_bytes);
void packets_reset(struct split *split);

/* ---- nsu.c, nsu_buffer.c ---- */
struct nsu *nsu_new(struct split *split, uint32_t stack);
void nsu_free(struct nsu *u);
void nsu_reset(struct nsu *u);
bool nsu_is_idle(const struct nsu *u);
void nsu_kernel_begin(struct nsu *u);
void nsu_kernel_end(struct nsu *u);
void nsu_room(struct nsu *u);			 /* a vault or the network takes writes again */
/* The command that begins a block, which has its credit. */
void nsu_take_command(struct nsu *u, struct partition *p);
void nsu_issued(struct nsu *u, struct partition *p); /* a memory instruction without lanes has issued */
/* nsu_cache.c: a read leaves its SM for the unit. True: the unit holds its words, and the packet is now PACKET_HELD;
 * else the unit keeps the data if the packet now says fills. */
bool nsu_cache_ask(struct nsu *u, struct mem_req *r);
/* The line is written: no unit holds it any more. */
void nsu_cache_drop(struct split *split, uint64_t addr_bytes);
/* Credits that leave with the next packet over the stack's link; all zero: none. */
struct nsu_credits nsu_credits_take(struct nsu *u);

#endif
