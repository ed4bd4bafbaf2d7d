/* flow.h - what hangs on what: what a place of the program says of values to a core that issues out of order. */
#ifndef STRATA_CPU_FLOW_H
#define STRATA_CPU_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_FLOW_STEPS = 8, CPU_FLOW_SLOTS = 256 };

/* A slot is a value of the thread; who uses it has it so many units after it is there. */
enum cpu_flow_kind {
	CPU_FLOW_NONE,
	CPU_FLOW_VALUE,	  /* instructions make the slot's next value of its last one, */
	CPU_FLOW_INPUT,	  /* and of this slot's: of the VALUE before */
	CPU_FLOW_ADDRESS, /* of the access */
	CPU_FLOW_DATA,	  /* that it stores */
	CPU_FLOW_BRANCH,  /* of the branch behind it: its condition */
};

struct cpu_flow {
	uint32_t issue_slots; /* that the instructions take */
	uint8_t slot;	      /* of a load: of what it gives; 0: nothing hangs on it */
	uint8_t step_count;
	uint32_t block;	 /* the block of the program that begins here; 0: none does */
	uint32_t branch; /* the conditional branch behind this; 0: there is none */
	uint32_t taken;	 /* the block to which it goes if it is taken */
	bool is_known; /* all that the access hangs on is here, and its thread need not wait for it */
	struct {
		uint8_t kind, slot; /* enum cpu_flow_kind */
		uint64_t units;
	} steps[CPU_FLOW_STEPS];
};

#endif
