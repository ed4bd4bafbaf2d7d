/* expander.h - a memory behind a link, such as a CXL memory expander: messages in slots, slots in flits, credits, and a
 * controller at the far end. Private to mem/ and its tests; others use mem/memory.h, whose memory may have a link.
 *
 * A read is a header up and a header with data down, a write a header with data up and a completion down, each in whole
 * slots. Messages that wait for the wire share flits; a flit whose turn it is leaves with what there is. The controller
 * takes requests in order, gives each to its vault after controller_latency_ps, and lets those to other vaults pass
 * one whose vault is full: requests to one vault, and so to one address, stay in order.
 */
#ifndef STRATA_MEM_EXPANDER_H
#define STRATA_MEM_EXPANDER_H

#include "base/diag.h"
#include "net/req.h"
#include "sim/ctx.h"
#include "sim/param.h"
#include "sim/stat.h"

struct expander_params {
#include "sim/param_fields.inc"
#include "mem/expander_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc expander_param_rows[];
extern const uint32_t expander_param_row_count;

/* Rules across the parameters, as of the group "link". */
bool mem_expander_check(const struct expander_params *p, struct base_diag_list *diag);
/* What the link carries at most of accesses of line_bytes, in bytes of data per second: share of reads from 0 to 1; the
 * direction that is full first bounds it. */
double mem_expander_peak_bytes_per_s(const struct expander_params *p, uint32_t line_bytes, double read_share);
/* Time that one flit occupies the wire, in units. */
uint64_t mem_expander_flit_units(const struct expander_params *p, const struct sim_engine *e);

struct mem_expander;

struct mem_expander_config {
	const struct expander_params *params; /* kept */
	struct sim_ctx *ctx;
	uint32_t domain; /* clock of both ends: arrivals are looked at on its edges */
	/* At the memory: takes r (stack and vault are set) unless its vault is full; mem_expander_wake when it may have
	 * room. */
	bool (*serve)(void *owner, struct mem_req *r);
	/* At the requester: an answer has arrived; and, after a refusal, there may be room. */
	void (*done)(void *owner, struct mem_req *r);
	void (*room)(void *owner);
	void *owner;
	const char *stats_prefix, *up_prefix, *down_prefix; /* of the controller's statistics and the wires': kept */
};

extern const struct sim_stat_desc mem_expander_stat_rows[];
extern const uint32_t mem_expander_stat_row_count;

struct mem_expander *mem_expander_new(const struct mem_expander_config *c);
void mem_expander_free(struct mem_expander *e);

/* Has the link a place for one more request? If not, room() is called later. */
bool mem_expander_can_accept(struct mem_expander *e);
/* Sends r, for which mem_expander_can_accept has said yes in the same tick. */
void mem_expander_accept(struct mem_expander *e, struct mem_req *r);
/* The memory has served r: its answer goes home. */
void mem_expander_answer(struct mem_expander *e, struct mem_req *r);
/* A vault that was full has room. */
void mem_expander_wake(struct mem_expander *e);
bool mem_expander_is_idle(const struct mem_expander *e);
void mem_expander_reset(struct mem_expander *e);

#endif
