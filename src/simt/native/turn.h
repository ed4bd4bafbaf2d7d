/* turn.h - what a kernel's host code and simt/ know of each other: a turn of one warp.
 *
 * This text is also the first part of every host code's source, so that it includes nothing when STRATA_NATIVE_CODE is
 * defined; layouts that change here change the source, and with it the name under which code is kept.
 */
#ifndef STRATA_SIMT_NATIVE_TURN_H
#define STRATA_SIMT_NATIVE_TURN_H

#ifndef STRATA_NATIVE_CODE
#include <stdbool.h>
#include <stdint.h>
#endif

/* Bounds of the allocation an instruction last hit. */
struct simt_hint {
	uint64_t lo, hi;
	bool is_readonly;
};

/* SIMT_POLL_STRONG of simt/priv.h, which this text cannot include. */
enum { NATIVE_POLL_STRONG = 1 << 10 };

/* How a turn ended. */
enum native_end {
	NATIVE_OVER,   /* it is used up, or the warp has ended or waits, or there was a fault */
	NATIVE_INSIDE, /* pc is inside a run of instructions that is one piece of code, or the turn ends inside it */
};

/* A warp's turn. What host code reads of the warp is copied here, and anew by each call below, since an instruction may
 * move rows, lanes and pc. */
struct native_turn {
	uint8_t *frame;         /* rows of the running function */
	const uint8_t *special; /* rows of special registers */
	const uint8_t *consts;  /* rows of constants, for those that differ by lane (%laneid) */
	uint32_t *pred;         /* predicates of the running function */
	uint16_t *polled;       /* what lanes that only poll are known by: see simt_spin_check */
	uint32_t *spin_count, *spin_budget;
	struct simt_hint *hints; /* by pc */
	uint8_t *shared;
	const uint8_t *params; /* the kernel's */
	uint64_t local_at;     /* the frame in local memory */
	uint32_t shared_bytes;
	uint32_t pc, lanes, live, rpc;
	int32_t left;         /* instructions of the turn; below zero: so many were computed ahead */
	int32_t is_strict;    /* all ones: nothing is computed ahead; else 0 */
	uint32_t is_observed; /* each access is to be told */
	uint64_t idle;        /* lanes that a guard has kept from instructions, since `left` was last looked at */
	/* Executes the instruction at pc, which goes on behind it, on some of the lanes. 0: there was a fault. */
	int32_t (*one)(struct native_turn *t, uint32_t pc, uint32_t lanes);
	/* Executes and counts any instruction. 0: the turn is over. */
	int32_t (*step)(struct native_turn *t, uint32_t pc);
	/* Executes and counts a barrier or an exit of all running lanes. 0: the turn is over. */
	int32_t (*halt)(struct native_turn *t, uint32_t pc);
	/* Lanes `on` of a branch go to target, the others on, and they meet at rpc; it is counted already. */
	void (*part)(struct native_turn *t, uint32_t on, uint32_t target, uint32_t rpc);
	/* Control has come to pc, where the running lanes wait for others (rpc). */
	void (*meet)(struct native_turn *t, uint32_t pc);
};

#endif
