/* command_log.h - the DRAM commands of a window of simulated time, of all vaults that were given the log. */
#ifndef STRATA_MEM_COMMAND_LOG_H
#define STRATA_MEM_COMMAND_LOG_H

#include "mem/dram.h"

enum { MEM_COMMANDS_MAX = 262144 }; /* kept of a window, as parameters say */

struct mem_command {
	uint64_t at_ps; /* its first clock edge, rounded down */
	uint32_t row;	/* of ACT and of columns */
	uint8_t command; /* enum dram_command */
	uint8_t stack, vault, bank; /* bank: any of the rank for a command to all its banks */
};

/* A window, and its commands: of each vault in the order of time, the vaults as they came. */
struct mem_command_log {
	uint64_t from_ps, to_ps; /* without to_ps */
	uint64_t clock_ps;	 /* of the commands, rounded down */
	uint32_t cap, count;
	uint64_t left_out_count; /* commands in the window for which there was no room */
	struct mem_command *items; /* [cap] */
};

struct mem_command_log *mem_command_log_new(uint64_t from_ps, uint64_t length_ps, uint64_t clock_ps, uint32_t cap);
/* l may be NULL. */
void mem_command_log_free(struct mem_command_log *l);
/* Keeps c if it lies in the window and there is room. */
void mem_command_log_add(struct mem_command_log *l, const struct mem_command *c);

#endif
