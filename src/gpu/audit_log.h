/* audit_log.h - what SMs tell the auditor (gpu/ext.h, struct gpu_audit_ops). Where they tick beside each other each
 * thread keeps what its SMs say, in the order in which it happens, and the first thread tells the auditor after the
 * SMs' first halves (gpu/beside.h). What SMs of different threads say in one cycle has no order: the auditor compares
 * what one SM's program has stored and loads, and a thread's requests are its own until the cycle is over.
 */
#ifndef STRATA_GPU_AUDIT_LOG_H
#define STRATA_GPU_AUDIT_LOG_H

#include "gpu/priv.h"

enum audit_event {
	AUDIT_STORE,
	AUDIT_LOAD,
	AUDIT_HIT,
	AUDIT_FILL,
	AUDIT_STORE_ISSUED,
	AUDIT_STORE_SENT,
	AUDIT_STORE_ACKNOWLEDGED,
};

struct audit_record {
	enum audit_event event;
	uint32_t number; /* SM; of AUDIT_STORE_ISSUED, lines */
	const struct sm_warp *warp;
	struct mem_req *request;
	struct mem_req as; /* what the request was: it may be another's when the auditor hears of it */
	uint64_t value;	   /* issue_units, or a CTA's index */
};

struct audit_log {
	struct audit_record *records;
	uint32_t count, cap;
};

/* The SM says so, at once or when its turn comes. Only where there is an auditor. */
void audit_say(struct sm *sm, const struct audit_record *r);
static inline void audit_store(struct sm *sm, struct mem_req *r, const struct sm_warp *w, uint64_t issue_units)
{
	audit_say(sm, &(struct audit_record){AUDIT_STORE, .warp = w, .request = r, .value = issue_units});
}
/* The warp has what r brings. */
static inline void audit_load(struct sm *sm, const struct sm_warp *w, struct mem_req *r, uint64_t issue_units)
{
	audit_say(sm, &(struct audit_record){AUDIT_LOAD, .warp = w, .request = r, .value = issue_units});
}
/* The L1 answers r, a load of the warp. */
static inline void audit_hit(struct sm *sm, const struct sm_warp *w, struct mem_req *r)
{
	audit_say(sm, &(struct audit_record){AUDIT_HIT, sm->index, .request = r});
	audit_load(sm, w, r, r->issue_units);
}
/* All that is in the log; it is empty then. */
void audit_log_tell(struct gpu *g, struct audit_log *log);
void audit_log_free(struct audit_log *log);

#endif
