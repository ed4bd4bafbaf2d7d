/* check_priv.h - what the parts of the checker share. Not for other folders. */
#ifndef STRATA_SIMT_CHECK_PRIV_H
#define STRATA_SIMT_CHECK_PRIV_H

#include "simt/build.h"
#include "simt/check.h"
#include "simt/state.h"

enum { SIMT_CHECK_FINDINGS_MAX = 10000, SIMT_CHECK_WARPS_MAX = 32 };

struct simt_check {
	struct simt_memory *mem;
	uint8_t *written; /* one bit per byte of the arena */
	uint64_t written_bytes;
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
/* The lanes access global memory in an ordered way: it may hand over what other warps did. */
void simt_check_strong(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, bool is_shared);

#endif
