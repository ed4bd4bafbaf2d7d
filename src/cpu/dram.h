/* dram.h - the memory behind the channels, seen from their far end: queues with priorities, in front of the banks of
 * mem/ or of a rate and a latency. */
#ifndef STRATA_CPU_DRAM_H
#define STRATA_CPU_DRAM_H

#include "base/list.h"
#include "cpu/common.h"
#include "net/wire.h"

/* Who asks, the first served first. */
enum cpu_dram_class {
	CPU_DRAM_DIRECTORY,
	CPU_DRAM_CPU,
	CPU_DRAM_LOCAL,
	CPU_DRAM_BACKGROUND, /* when nobody else wants the memory */
	CPU_DRAM_CLASS_COUNT
};

/* Within what it is about; its owner keeps it until done. */
struct cpu_dram_access {
	struct cpu_event event;
	uint64_t line;
	uint32_t offset, bytes; /* in the line */
	bool is_write;
	uint8_t class; /* enum cpu_dram_class */
	struct cpu_dram_access *next;
	struct cpu_trail *trail; /* whose way it is on; NULL: nobody's */
	void (*done)(void *self, struct cpu_dram_access *a);
	void *self;
};

struct cpu_dram_queue {
	BASE_FIFO(struct cpu_dram_access);
};

struct cpu_dram_channel {
	struct cpu_event event; /* the next access may begin; of the rate */
	struct cpu_dram *dram;
	struct cpu_dram_queue queues[CPU_DRAM_CLASS_COUNT];
	uint32_t waiting; /* a bit for each class of which accesses wait */
	struct net_wire wire; /* of the rate: cpu.dram_mbytes_per_s */
	bool is_waiting, is_late;
};

struct cpu_dram {
	struct cpu_common *c;
	struct mem_memory *memory;
	struct cpu_dram_channel *channels;
	uint64_t latency_units;
	uint32_t under_way; /* accesses, waiting ones as well */
};

/* The channel that the line is behind. */
uint32_t cpu_dram_channel_of(const struct cpu_dram *d, uint64_t line);
/* Begins when its turn comes. */
void cpu_dram_access_now(struct cpu_dram *d, struct cpu_dram_access *a);
/* Accesses that wait for their turn. */
uint32_t cpu_dram_waiting(const struct cpu_dram *d);
/* By the memory. */
void cpu_dram_done(struct cpu_dram *d, struct mem_req *q);
void cpu_dram_room(struct cpu_dram *d);

void cpu_dram_init(struct cpu_dram *d, struct cpu_common *c, struct mem_memory *memory);
void cpu_dram_free(struct cpu_dram *d);

#endif
