/* check_priv.h - what the parts of the checker share. Not for other folders. */
#ifndef STRATA_SIMT_CHECK_PRIV_H
#define STRATA_SIMT_CHECK_PRIV_H

#include "simt/build.h"
#include "simt/check.h"
#include "simt/state.h"

enum { SIMT_CHECK_FINDINGS_MAX = 10000, SIMT_CHECK_WARPS_MAX = 32, SIMT_CHECK_RECORDS_KEPT = 1024 };

struct simt_check_global;

struct simt_check {
	struct simt_memory *mem;
	uint8_t *written; /* one bit per byte of the arena */
	uint64_t written_bytes;
	struct simt_check_global *global;
	struct simt_finding *findings;
	uint64_t *keys; /* of host findings */
	uint32_t count, cap;
	uint64_t dropped;
	char **names; /* interned strings */
	uint32_t name_count, name_cap;
};

/* ---- findings (check_findings.c) ---- */

/* One more access of lane. other: the instruction of the earlier access of a race, or NULL. The text is made by the
 * caller only when this returns a finding: it is new. */
struct simt_finding *simt_check_note(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				     uint32_t lane, enum simt_finding_kind kind, const struct simt_exec *other);
/* Notes a finding of a thread by its number in its CTA, count times. */
struct simt_finding *simt_check_note_at(struct simt_launch *l, const uint32_t *cta, uint32_t thread,
					const struct simt_exec *e, enum simt_finding_kind kind,
					const struct simt_exec *other, uint64_t count);
void simt_check_text(struct simt_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- which bytes are written (check_memory.c) ---- */

void simt_check_set(struct simt_check *c, uint64_t addr, uint64_t bytes, bool is_written);
/* bytes: 1 to 16, not across an alignment boundary of that size. Memory outside the arena is the host's: written. */
bool simt_check_is_written(const struct simt_check *c, uint64_t addr, uint32_t bytes);

/* ---- shared memory (check_race.c) ---- */

struct simt_check_access {
	struct simt_launch *l;
	struct simt_warp *w;
	const struct simt_exec *e;
	const struct simt_mem_op *op;
	uint32_t bytes; /* of one lane's access */
	bool is_load, is_store, is_atomic, is_strong;
	bool has_no_value; /* op names no rows with what is written: two writes are taken to differ */
};

/* The lanes access shared memory at these offsets, all in bounds. */
void simt_check_shared(const struct simt_check_access *a, uint32_t mask, const uint64_t *offset);
/* The lanes access memory in an ordered way: it may hand over what other warps of the CTA did. */
void simt_check_strong(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, bool is_shared);
/* The lanes access global memory, all in bounds. */
void simt_check_device(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr);
/* What the lane of a store writes, op->vec * op->bytes of them. */
void simt_check_lane_bytes(const struct simt_warp_state *s, const struct simt_mem_op *op, uint32_t lane, uint8_t *to);

/* ---- clocks of other CTAs' warps (check_clocks.c); NULL: none ---- */

struct simt_clocks;

/* How many levels the trees of a grid with so many CTAs have. */
uint32_t simt_clocks_levels(uint64_t cta_count);
struct simt_clocks *simt_clocks_of_cta(uint32_t levels, uint32_t cta, uint32_t warp_count, const uint32_t *clock);
struct simt_clocks *simt_clocks_ref(struct simt_clocks *c);
void simt_clocks_drop(struct simt_clocks *c);
/* A new reference to what has the larger clock of each warp. */
struct simt_clocks *simt_clocks_join(struct simt_clocks *a, struct simt_clocks *b);
/* *to becomes its join with c; becomes c. */
void simt_clocks_add(struct simt_clocks **to, struct simt_clocks *c);
void simt_clocks_set(struct simt_clocks **to, struct simt_clocks *c);
/* 0: nothing is known of the warp. */
uint32_t simt_clocks_get(const struct simt_clocks *c, uint32_t levels, uint32_t cta, uint32_t warp);

/* ---- what orders CTAs (check_grid.c) ---- */

struct simt_check_far; /* a CTA's part in it */

struct simt_check_far *simt_check_far_new(const struct simt_launch *l);
void simt_check_far_free(struct simt_check_far *f);
void simt_check_far_begin(struct simt_check_far *f, uint64_t cta);
void simt_check_far_arrive(struct simt_check_far *f, uint32_t warp, uint32_t id);
void simt_check_far_release(struct simt_check_far *f, uint32_t warp, uint32_t id);
void simt_check_far_barrier_reset(struct simt_check_far *f, uint32_t id);
void simt_check_far_warp_done(struct simt_check_far *f, uint32_t warp);
/* Does the instruction order CTAs? Those of the CTA's scope do not, nor those of a cluster's, which is one CTA. */
bool simt_check_is_wide(const struct simt_exec *e);
/* clock: of the CTA's warps, as the warp has seen them. */
void simt_check_far_fence(struct simt_check_far *f, uint32_t warp, const uint32_t *clock);
void simt_check_far_strong(struct simt_check_far *f, const struct simt_check_access *a, uint32_t mask,
			   const uint64_t *addr, const uint32_t *clock);
/* Does the warp know anything of other CTAs? */
bool simt_check_far_has_taken(const struct simt_check_far *f, uint32_t warp);
/* Is what a warp of another CTA did up to its clock, a read perhaps, ordered before what this warp writes? */
bool simt_check_far_knows(const struct simt_check_far *f, uint32_t warp, uint32_t cta, uint32_t of_warp, uint32_t clock,
			  bool is_read);
/* The warp's clock at its last fence, 0 without one. */
uint32_t simt_check_far_fence_clock(const struct simt_check_far *f, uint32_t warp);
uint32_t simt_check_far_cta(const struct simt_check_far *f);
uint32_t simt_check_far_launch(const struct simt_check_far *f);
bool simt_check_far_is_alone(const struct simt_check_far *f);
/* A place for the number of the record of what the warp did last at pc, shared with others. */
uint32_t *simt_check_far_record(struct simt_check_far *f, uint32_t warp, uint32_t pc);

/* ---- who accessed global memory (check_global.c) ---- */

struct simt_check_global *simt_check_global_new(void);
void simt_check_global_free(struct simt_check_global *g);
/* The number of a launch that begins. */
uint32_t simt_check_global_begin(struct simt_check *c);
/* A block of the device's heap has a new owner. */
void simt_check_global_forget(struct simt_check *c, uint64_t addr, uint64_t bytes);
/* clock: of the CTA's warps, as the warp has seen them. No access of the program is smaller than 1 << shift bytes. */
void simt_check_global(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, struct simt_check_far *f,
		       const uint32_t *clock, uint32_t shift);

#endif
