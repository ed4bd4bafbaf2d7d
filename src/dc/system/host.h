/* host.h - the host's cores, for kernels that run there: cores of the CPU model (cpu/core.h) on a bus of their own,
 * whose home is the last level that computes at other times. */
#ifndef STRATA_DC_SYSTEM_HOST_H
#define STRATA_DC_SYSTEM_HOST_H

#include "cpu/core.h"
#include "dc/system/host_price.h"
#include "dc/system/priv.h"

enum { DC_HOST_VALUES = CPU_FLOW_SLOTS - 1 /* that a core knows, the last ones */, DC_HOST_ITEMS = 4 * SIMT_LANES };

/* A value of a warp's register, in one of its vectors: its number, from 1, and how long after its operands, or after
 * its line, it is there. 0: nothing waits for it. */
struct dc_host_result {
	uint64_t number, cycles;
};

/* What a core does of a step, one after the other: instructions, an access with its instruction, or the end of several
 * accesses that make one value. */
enum dc_host_kind { DC_HOST_PASS, DC_HOST_ACCESS, DC_HOST_JOIN, DC_HOST_FENCE };
struct dc_host_item {
	uint8_t kind, vector; /* enum dc_host_kind; which of the warp's vectors */
	uint8_t op;	      /* enum cpu_op */
	bool is_apart;	      /* an access of one lane, whose vector has others */
	uint32_t bytes, lanes;
	uint64_t address;
};

/* A core, and the thread of OpenMP that it runs. */
struct dc_host_run {
	struct dc_host *host;
	struct cpu_thread *thread;
	struct cpu_event event; /* it goes on */
	uint64_t now_ps, begin_ps;
	/* CTAs of its own: every `stride`th from next_cta on. Those that have begun take turns. */
	uint64_t next_cta, end_cta;
	struct simt_cta **ctas;
	uint32_t cta_count, cta_room, cta, warp;
	uint32_t steps; /* of the warp's turn */
	/* the step */
	struct simt_step step;
	const struct simt_warp *stepped;
	struct dc_host_item items[DC_HOST_ITEMS];
	uint32_t item_count, item;
	bool has_room, has_passed, is_fencing, is_done;
	/* values: [scoreboard ids][vectors], of the warp that has stepped last */
	struct dc_host_result *values;
	uint64_t value_count;	 /* so far, of all its warps */
	uint64_t pieces[SIMT_LANES]; /* numbers of the values of accesses that make one together */
	uint32_t piece_count;
	uint32_t block; /* of the branch before: where it went; 0: none */
};

struct dc_host {
	struct dc_system *system;
	struct cpu_params p;
	struct cpu_common common;
	struct cpu_bus bus;
	struct cpu_pages pages;
	struct cpu_core *cores;
	struct dc_host_run *runs; /* a core each */
	uint32_t writer;	  /* the core that gives a line away */
	bool is_warm;		  /* caches may have lines */
	bool is_broken;		  /* ended from outside while it ran: nothing runs there any more */
	/* the launch */
	struct simt_launch *launch;
	const uint32_t *uses; /* [instructions of the program]: see host_uses.c */
	uint32_t vectors;     /* of a warp, in the form that was chosen for the launch */
	uint32_t running, threads;
	uint64_t stride, shared_bytes, shared; /* of a core; where the first one's is */
	uint64_t warp_instructions, end_ps;
	bool is_waiting, is_over; /* CTAs take turns; no instruction begins any more */
};

/* host_home.c: the cores, and what is behind their bus. */
struct dc_host *dc_host_new(struct dc_system *s, const struct cpu_params *p);
void dc_host_free(struct dc_host *h);
/* All lines leave the private caches; those that were modified lie in the ways, dirty. */
void dc_host_leaves(struct dc_host *h);

/* host_run.c: a core from its first CTA on: it begins at begin_ps. */
void dc_host_begins(struct dc_host_run *r);
/* By the core: what it waited for is done. */
void dc_host_goes_on(struct dc_host_run *r, uint64_t time_ps);

/* host_step.c: what the core has to do for the step that its warp has done. */
void dc_host_plan(struct dc_host_run *r, const struct simt_warp *w);
/* An item's price. */
struct dc_host_price dc_host_price(const struct dc_host_run *r, const struct dc_host_item *item);
/* For each instruction of the program, how many instructions of a core come between a load and its use, with so many
 * vectors in a warp. To be freed with g_free. */
uint32_t *dc_host_uses(const struct simt_program *p, uint32_t vectors);

#endif
