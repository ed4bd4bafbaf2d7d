/* account.h - where the schedulers' cycles went, instruction by instruction, and waiting on memory stage by stage of
 * the requests' way (run.account).
 *
 * Every cycle of every scheduler of a kernel is in one cell: issued, or a reason, of one instruction (the one that was
 * issued, or that the best warp waits to issue), or of none (no warp was there). The cells of a reason add up to the
 * statistic of that reason, which is checked at the end of each kernel.
 *
 * Waiting on memory is also attributed to the load that ended it: the cycles from the first one without issue until a
 * warp left off waiting are laid over the stamps of that load's last request (net/stamp.h); each cycle belongs to the
 * stage that the request was in. These parts add up to the reason, too. So do those of waits for instructions and at
 * fences: their cycles are laid over the stamps of the last such request of the SM that was answered in them. Waits of
 * warps whose block is away are laid over the steps of that block, from the decision until its warp goes on.
 *
 * Nothing of it changes the model: an extension looks on, the account looks after every tick of an SM, and requests
 * have stamps. Without run.account there is none of it.
 */
#ifndef STRATA_GPU_ACCOUNT_H
#define STRATA_GPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/account.h"
#include "net/stamp.h"

/* Parts of waiting beside the stages. The time from a load's last stage to its result is the L1's; the last five are
 * what a block that is away waits for. */
#define ACCOUNT_OTHER_PARTS(X)                                                                                     \
	X(ACCOUNT_SHARED, shared, OWN, "shared memory, constants, parameters")                                     \
	X(ACCOUNT_OTHER, other, OWN, "until a warp could go on that waited for something else")                    \
	X(ACCOUNT_OWN_SM, own_sm, OWN, "at the block's own SM: delay, registers, stores before it, addresses")     \
	X(ACCOUNT_ROOM, room, ROOM, "until the stack and the SM's buffers had room for the block")                 \
	X(ACCOUNT_SLOT, slot, ROOM, "at the stack, until a warp slot was free")                                    \
	X(ACCOUNT_RUN, run, WORK, "the block runs at the stack")                                                   \
	X(ACCOUNT_DRAIN, drain, MEMORY, "until its last loads and stores there were done")

enum account_part {
	ACCOUNT_LAST_STAGE = NET_STAGE_COUNT - 1,
	ACCOUNT_OTHER_PARTS(ACCOUNT_ENUMERATOR)
	ACCOUNT_PART_COUNT
};
extern const struct account_parts gpu_account_parts;

/* Steps of a block that is away, in their order, and the part that the time of each is: X(enumerator, part). It has
 * messages to its stack and home, and its operands come there: the stages of these are steps. */
#define ACCOUNT_TRIP_STEPS(X)                           \
	X(ACCOUNT_TRIP_LEAVE, ACCOUNT_OWN_SM)           \
	X(ACCOUNT_TRIP_ROOM, ACCOUNT_ROOM)              \
	X(ACCOUNT_TRIP_XBAR, NET_STAGE_XBAR)            \
	X(ACCOUNT_TRIP_L2, NET_STAGE_L2)                \
	X(ACCOUNT_TRIP_TX, NET_STAGE_TX)                \
	X(ACCOUNT_TRIP_SLOT, ACCOUNT_SLOT)              \
	X(ACCOUNT_TRIP_OPERAND_ROOM, ACCOUNT_ROOM)      \
	X(ACCOUNT_TRIP_OPERAND_XBAR, NET_STAGE_XBAR)    \
	X(ACCOUNT_TRIP_OPERAND_L2, NET_STAGE_L2)        \
	X(ACCOUNT_TRIP_OPERAND_HOST, NET_STAGE_HOST)    \
	X(ACCOUNT_TRIP_OPERAND_TX, NET_STAGE_TX)        \
	X(ACCOUNT_TRIP_OPERAND_QUEUE, NET_STAGE_QUEUE)  \
	X(ACCOUNT_TRIP_OPERAND_BANK, NET_STAGE_BANK)    \
	X(ACCOUNT_TRIP_OPERAND_TSV, NET_STAGE_TSV)      \
	X(ACCOUNT_TRIP_OPERAND_MESH, NET_STAGE_MESH)    \
	X(ACCOUNT_TRIP_RUN, ACCOUNT_RUN)                \
	X(ACCOUNT_TRIP_DRAIN, ACCOUNT_DRAIN)            \
	X(ACCOUNT_TRIP_RX, NET_STAGE_RX)                \
	X(ACCOUNT_TRIP_L2_HOME, NET_STAGE_L2_HOME)      \
	X(ACCOUNT_TRIP_XBAR_HOME, NET_STAGE_XBAR_HOME)

enum account_trip {
#define X(enumerator, part) enumerator,
	ACCOUNT_TRIP_STEPS(X)
#undef X
	ACCOUNT_TRIP_COUNT
};

enum { ACCOUNT_REASON_COUNT = 11 }; /* enum sm_wait */

/* Other waits that end when a request is answered. */
enum account_answer {
	ACCOUNT_FETCH, /* a line of code */
	ACCOUNT_FENCE, /* a store before a fence */
	ACCOUNT_ANSWER_COUNT
};
const char *account_answer_name(uint32_t answer);

/* Scheduler cycles of one instruction. */
struct account_cell {
	uint64_t issued;
	uint64_t stalls[ACCOUNT_REASON_COUNT];
	uint64_t memory[ACCOUNT_PART_COUNT]; /* of the waits that this load ended */
	uint64_t answers[ACCOUNT_ANSWER_COUNT][ACCOUNT_PART_COUNT]; /* of other waits, by the last such answer */
	uint64_t offload[ACCOUNT_PART_COUNT]; /* of waits that the block that begins here ended by coming home */
};

enum { ACCOUNT_REFUSALS = 12 };

/* What a mechanism did with the block that begins at an instruction; with CTAs, at the kernel's first. */
struct account_block {
	bool is_ctas;		 /* it is about the kernel's CTAs */
	uint64_t entries;	 /* of warps into the block; of CTAs: none */
	uint64_t offered, taken; /* each round of an entry that is asked about; looks at a CTA */
	struct {
		const char *why; /* of the program's text: not copied */
		uint64_t count;
	} refused[ACCOUNT_REFUSALS]; /* the rest of the offered; NULL: no more */
	uint64_t request_bytes, answer_bytes; /* registers or contexts that travelled, with what is beside them */
	uint64_t message_bytes; /* of a block in two parts: packets without data, requests and answers among them */
	/* Touched there; hits: of the read ones, those that came from caches of the GPU. */
	uint64_t read_lines, read_hits, write_lines;
	/* From the decision until the warp stood behind it; here, of entries all of whose rounds stayed. Lives of
	 * CTAs. */
	uint64_t there_count, there_ps, here_count, here_ps;
	uint64_t there_parts_ps[ACCOUNT_PART_COUNT]; /* of there_ps; of CTAs: none */
};

struct account_inst {
	struct account_block *ledger; /* NULL: none was offered */
	struct account_cell cell[2]; /* on SMs of the GPU, of the stacks */
	uint32_t line, block;        /* in the PTX text; number of its basic block */
	uint32_t source_line;        /* .loc; 0: there is none */
	char *source_file, *text;    /* or NULL */
};

/* What a kernel uses of what has a rate: X(enumerator, name, statistic). */
#define ACCOUNT_USES(X)                                                  \
	X(ACCOUNT_USE_ISSUE, issue_slots, "sm.issued_cycles")            \
	X(ACCOUNT_USE_WORK, thread_instructions, "sm.thread_instructions") \
	X(ACCOUNT_USE_INT, int_threads, "sm.int_threads")                \
	X(ACCOUNT_USE_IMUL, imul_threads, "sm.imul_threads")             \
	X(ACCOUNT_USE_FP32, fp32_threads, "sm.fp32_threads")             \
	X(ACCOUNT_USE_FP64, fp64_threads, "sm.fp64_threads")             \
	X(ACCOUNT_USE_SFU, sfu_threads, "sm.sfu_threads")                \
	X(ACCOUNT_USE_TX, tx_bytes, "link_tx.wire_bytes")                \
	X(ACCOUNT_USE_RX, rx_bytes, "link_rx.wire_bytes")                \
	X(ACCOUNT_USE_MESH, mesh_bytes, "mesh.wire_bytes")               \
	X(ACCOUNT_USE_DRAM_READ, dram_read_bytes, "vault.read_bytes")    \
	X(ACCOUNT_USE_DRAM_WRITE, dram_write_bytes, "vault.write_bytes") \
	X(ACCOUNT_USE_TIME, time_ps, "gpu.time_ps")

enum account_use {
#define X(enumerator, name, statistic) enumerator,
	ACCOUNT_USES(X)
#undef X
	ACCOUNT_USE_COUNT
};
const char *account_use_name(enum account_use use);

/* A kernel; one more where it was translated anew. */
struct account_kernel {
	char *name;
	/* Uses in all its launches, from one's begin to the next one's: what it has written may end later. */
	uint64_t uses[ACCOUNT_USE_COUNT];
	uint32_t inst_count;
	struct account_inst *insts;
	struct account_cell nowhere[2]; /* no warp, or the SMs were stopped */
};

struct account_stack {
	uint64_t memory[NET_STAGE_COUNT]; /* of waits that a request to this stack ended */
};

struct account_vault {
	uint64_t queue, bank, tsv;
};

/* All that has been attributed. */
struct account {
	struct account_kernel **kernels;
	uint32_t kernel_count, stack_count, vault_count;
	struct account_stack *stacks; /* [stack] */
	struct account_vault *vaults; /* [stack * vault_count + vault] */
	uint64_t rows[NET_ROW_COUNT]; /* of the bank's part */
};

struct gpu;

/* NULL: it is off. */
const struct account *gpu_account_of(const struct gpu *g);
/* Why schedulers issue nothing: enum sm_wait. */
extern const struct account_parts gpu_account_reasons;

#endif
