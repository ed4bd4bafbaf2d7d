/* rig.h - processors and near-data processors, driven access by access; every access is checked against the version of
 * the last write of its quarter of a line. */
#ifndef STRATA_TESTS_CHANNEL_RIG_H
#define STRATA_TESTS_CHANNEL_RIG_H

#include "channel/channel.h"
#include "cpu/system.h"
#include "threads/cpu/bytes.h"

enum { RIG_LINE_BYTES = 128, RIG_UNITS_MAX = 1024, RIG_LINES_MAX = 1 << 16,
       RIG_PROGRAM_BYTES = 1 << 20 };

struct rig {
	struct sim_ctx ctx;
	struct memory_params memory_params;
	struct dram_params dram;
	struct cpu_params cpu_params;
	struct channel_params params;
	struct mem_memory *memory;
	struct cpu_system *cpu;
	struct channel_system *near;
	uint32_t cpu_units, units;
	uint64_t ready_ps[RIG_UNITS_MAX]; /* CPU_WAITS: not answered */
	bool claims;			  /* random accesses claim pages as well */
	bool has_software;		  /* they flush, mark, unmap and move pages as well */
	bool has_queues_of_one;		  /* they check how much the memory has under way */
	bool is_near_only;		  /* next_unit asks NDP cores only */
	/* By line, in the order in which lines are seen. */
	GHashTable *lines;
	uint16_t versions[RIG_LINES_MAX][4];
	uint64_t observed, wrong;
	/* Before it is opened: software marks remote ranges that caches may keep. Of these an NDP core may read what
	 * was written before, but nothing older than what it has read or flushed, or than when a page went: by core and
	 * line. */
	bool may_be_old;
	uint16_t (*oldest)[4];
	uint64_t old_reads; /* that were not of the newest, and legal */
	uint32_t open_pages; /* a bit each: they have been marked since their page came */
	uint64_t state; /* of the random numbers */
	bool is_observed;
	bool is_accounted; /* cpu/account.h */
	/* Before it is opened: accesses read and write bytes of a program, and cpu.values is what it says. */
	bool has_bytes;
	struct bytes *bytes;
	uint8_t *program; /* its memory, from address 0 on */
	struct rig_access {
		uint64_t address;
		uint32_t size;
		enum cpu_op op;
	} accesses[RIG_UNITS_MAX];
	/* Bytes; reads that got others than the program's memory has, but for those from before a store of which their
	 * copy had not been told; and those. */
	uint64_t written, stale, before;
	uint8_t read[RIG_UNITS_MAX]; /* the first byte of each unit's last load */
};

/* Small caches, so that lines leave them all the time; two channels with NDPs of four cores. */
void rig_defaults(struct rig *r);
/* As the thesis' table 4.1: 8 channels, all with NDPs. */
void rig_thesis(struct rig *r);
void rig_open(struct rig *r, bool is_observed);
/* What is under way ends, the laws hold; the hash of all statistics and of time. */
uint64_t rig_close(struct rig *r);
/* The same after a fault: nothing is checked. */
void rig_drop(struct rig *r);
uint64_t rig_random(struct rig *r, uint64_t below);
/* The unit that goes on next, after all that the machine does before; time stands where it goes on. RIG_UNITS_MAX: none
 * can, all wait for ever. */
uint32_t rig_next(struct rig *r);
void rig_access(struct rig *r, uint32_t unit, uint64_t address, uint32_t size, enum cpu_op op);
void rig_fence(struct rig *r, uint32_t unit);
/* All that is under way ends; all units go on then. */
void rig_settle(struct rig *r);
/* What software says, by the unit, with which it waits; pages are those of addresses. */
void rig_keep(struct rig *r, uint32_t page, bool is_kept); /* remote lines may stay in caches */
void rig_flush(struct rig *r, uint32_t unit, uint64_t begin, uint64_t end);
void rig_unmap(struct rig *r, uint32_t unit, uint32_t page);
void rig_move(struct rig *r, uint32_t unit, uint32_t page, uint32_t channel);

#endif
