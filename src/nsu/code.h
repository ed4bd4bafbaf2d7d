/* code.h - offload blocks of a kernel and the NSU code made of them (NSU, SC'17, section 3).
 *
 * A block is a run of instructions inside one basic block of the entry function. When an instance of it is offloaded,
 * the GPU computes addresses and issues the loads and stores as packets; an NSU, a SIMD unit in the memory stack,
 * receives the data and the write addresses and does the arithmetic:
 *
 *   GPU                                         NSU
 *     OFLD.BEG  start pc, R1, 2 loads, 1 store    OFLD.BEG  R0
 *     ld        F1, [R9]     read and forward     ld        R1
 *     mul @NSU  F2, F0, F1                        mul       R1, R0, R1
 *     add       R10, R1, R7  address
 *     st        [R10], F2    write address        st        R1
 *     OFLD.END  -                                 OFLD.END  -
 *
 * OFLD.BEG and OFLD.END take no place in the PTX: the first belongs to begin_pc, the second to last_pc, which is never
 * an instruction that runs on the GPU alone. Everything here is a pure function of the program; nothing knows time.
 *
 * What the paper leaves open is chosen as docs/nsu-code.md says.
 */
#ifndef STRATA_NSU_CODE_H
#define STRATA_NSU_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/cfg.h"

struct nsu_code_params {
	/* 32-bit registers per thread of an NSU warp; a block that needs more is not made. Choice: the paper gives no
	 * size; 32 keep 48 warps within 196,608 bytes. */
	uint32_t register_count;
	uint32_t pred_count; /* predicates, likewise. Choice: 8 */
	/* Loads and stores of a block at most: values of the sequence number. Choice: 8 bits. */
	uint32_t access_count_max;
	/* PTX instructions of a block at most, those of the GPU included: bounds the search. Choice: 1024. */
	uint32_t length_max;
	/* Read-data and write-address entries of a block at most: what an NSU has, or the block could never be granted
	 * its buffers. NSU (SC'17) Table 2. */
	uint32_t load_entries_max, store_entries_max;
	/* What sending or returning a predicate costs in equation 1, per thread. Choice: 32, a register like any other,
	 * so that a load and the test of its value are no gain; the packet itself needs one bit. */
	uint32_t predicate_bits;
	/* A load may follow a store of the block whose address derives from another pointer parameter. The code is then
	 * right only for launches in which code->apart holds. */
	bool params_are_apart;
	/* A unit has no kernel parameters: what it needs of them comes as registers, loaded before the block begins.
	 * Else it reads them from its constant cache, as .const variables. */
	bool params_are_live_ins;
	uint32_t inst_bytes; /* of one NSU instruction, for the instruction cache: NSU (SC'17) Figure 3 steps by 8 */
};
extern const struct nsu_code_params nsu_code_default; /* 32, 8, 256, 1024, 256, 256, 32, false, true, 8 */

/* Strings of a .pragma: what lies between them is made into blocks where it can be, whatever they score. Each run of
 * instructions of a basic block is as few blocks as possible, from its first instruction on. */
#define NSU_PRAGMA_BEGIN "strata offload begin"
#define NSU_PRAGMA_END "strata offload end"

enum nsu_block_kind {
	NSU_BLOCK_SCORED,   /* equation 1 is positive */
	NSU_BLOCK_INDIRECT, /* one load whose address derives from a loaded value, whatever its score */
	NSU_BLOCK_DIRECTED, /* the programmer says so, by pragmas, whatever its score */
};

/* What a PTX instruction of a block is when an instance of the block is offloaded. */
enum nsu_role {
	NSU_ROLE_NONE,  /* not in a block */
	NSU_ROLE_GPU,   /* executes on the GPU as always: addresses, and what depends on no data of the block */
	NSU_ROLE_NSU,   /* @NSU: the GPU skips it */
	NSU_ROLE_BOTH,  /* executes on both sides: an address and an NSU instruction need it */
	NSU_ROLE_LOAD,  /* the GPU sends read-and-forward packets; the NSU takes the data */
	NSU_ROLE_STORE, /* the GPU sends write-address packets; the NSU writes */
};
const char *nsu_role_name(enum nsu_role role); /* "gpu", "@NSU", ... */

enum nsu_op {
	NSU_OP_BEG,  /* registers from the command packet */
	NSU_OP_LOAD, /* next read-data entries into registers */
	NSU_OP_ALU,
	NSU_OP_CONST, /* load from the constant cache: kernel parameter or .const variable at a fixed address */
	NSU_OP_STORE, /* registers to the addresses of the next write-address entries */
	NSU_OP_END,   /* waits for the write acknowledgments, returns registers */
	NSU_OP_COUNT
};

/* One instruction of NSU code. */
struct nsu_inst {
	uint8_t op;                /* enum nsu_op */
	uint8_t access_bytes, vec; /* LOAD, STORE, CONST: bytes of an element, elements; the lane moves their product */
	uint8_t entry_count;       /* LOAD: read-data entries, STORE: write-address entries, of 32 words */
	uint8_t sequence;          /* LOAD, STORE: number in the block, from 0: the packet ID's sequence number */
	uint8_t read_count, write_count;
	uint32_t sb_first; /* NSU scoreboard ids at code->sb[sb_first]: reads, then writes */
	uint32_t gpu_pc;   /* the PTX instruction it comes from; BEG, END: the block's first and last */
	uint32_t block;
};

struct nsu_block {
	uint32_t begin_pc, last_pc, end_pc; /* PTX instructions in text order; end_pc = last_pc + 1 */
	enum nsu_block_kind kind;
	int32_t score_bits;     /* equation 1 per thread, in bits */
	uint32_t traffic_bytes; /* GPUTrafficReduction per thread */
	/* Virtual registers of the function, ascending: what OFLD.BEG sends and OFLD.END returns. */
	uint32_t *live_in, live_in_count;
	uint32_t *live_out, live_out_count;
	/* Live-ins and live-outs in packets: 32-bit words per thread, and predicates, of one bit per thread. */
	uint32_t send_words, send_preds, return_words, return_preds;
	uint32_t load_count, store_count;     /* instructions */
	uint32_t load_entries, store_entries; /* buffer entries they need: 64-bit accesses take two, and so on */
	uint32_t alu_count, const_count;
	uint32_t first_inst, inst_count;     /* of code->insts, BEG and END included */
	uint32_t register_count, pred_count; /* NSU registers it uses */
	/* NSU register of virtual register r inside this block: slot[r], a predicate number for predicates, UINT32_MAX:
	 * none. A 64-bit register has slot[r], which is even, and the next one. */
	uint32_t *slot;
};

enum { NSU_ORIGIN_MAX = 512 }; /* 8-byte words of a parameter block that are followed as pointers */

struct nsu_code {
	const struct ptx_func *func;
	struct nsu_code_params params;
	struct nsu_block *blocks; /* in text order */
	uint32_t block_count;
	struct nsu_inst *insts; /* of all blocks, contiguous: instruction i lies at byte i * inst_bytes */
	uint32_t inst_count;
	/* Scoreboard ids of NSU instructions: registers, then pred_first + predicate. All are below sb_count. */
	uint16_t *sb;
	uint32_t pred_first, sb_count;
	uint32_t register_count, pred_count; /* the largest of any block */
	uint8_t *role;                       /* [func->inst_count], enum nsu_role */
	uint32_t *block_of;                  /* [func->inst_count]: block number + 1, 0: none */
	/* Words of the parameter block, a bit each: pointers that the blocks need in an allocation each. None without
	 * params_are_apart. */
	uint64_t apart[NSU_ORIGIN_MAX / 64];
};

/* Finds the blocks of an entry function and generates their NSU code. Never NULL; a function may have no block. */
struct nsu_code *nsu_code_build(const struct ptx_cfg *cfg, const struct nsu_code_params *p);
void nsu_code_free(struct nsu_code *c);

/* Both sides of every block as NSU (SC'17) Figure 3 shows them, with score, lengths and registers. */
void nsu_code_print(FILE *out, const struct nsu_code *c);

#endif
