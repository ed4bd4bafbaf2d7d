/* audit_log.c - what SMs tell the auditor, see audit_log.h. */
#include "gpu/audit_log.h"

#include <glib.h>

#include "gpu/beside.h"

static void tell(const struct gpu *g, const struct audit_record *r)
{
	const struct gpu_audit_ops *ops = g->audit;
	void *self = g->audit_self;

	switch (r->event) {
	case AUDIT_STORE:
		ops->store(self, r->warp, r->request, r->value);
		break;
	case AUDIT_LOAD:
		ops->load(self, r->warp, r->request, r->value);
		break;
	case AUDIT_HIT:
		ops->hit(self, r->number, r->request);
		break;
	case AUDIT_FILL:
		ops->fill(self, r->number, r->request);
		break;
	case AUDIT_STORE_ISSUED:
		ops->store_issued(self, r->value, r->number);
		break;
	case AUDIT_STORE_SENT:
		ops->store_sent(self, r->value, r->request);
		break;
	case AUDIT_STORE_ACKNOWLEDGED:
		ops->store_acknowledged(self, r->request);
		break;
	}
}

static void keep(struct audit_log *log, const struct audit_record *r)
{
	struct audit_record *kept;

	if (log->count == log->cap) {
		log->cap = log->cap ? 2 * log->cap : 64;
		log->records = g_renew(struct audit_record, log->records, log->cap);
	}
	kept = &log->records[log->count++];
	*kept = *r;
	if (r->request)
		kept->as = *r->request;
}

void audit_say(struct sm *sm, const struct audit_record *r)
{
	if (sm->is_beside)
		keep(&sm->beside->hand->audit, r);
	else
		tell(sm->gpu, r);
}

/* A request is known by where it lies: so it is for a moment what it was. */
void audit_log_tell(struct gpu *g, struct audit_log *log)
{
	for (uint32_t i = 0; i < log->count; i++) {
		struct audit_record *r = &log->records[i];
		struct mem_req now;

		if (r->request) {
			now = *r->request;
			*r->request = r->as;
		}
		tell(g, r);
		if (r->request)
			*r->request = now;
	}
	log->count = 0;
}

void audit_log_free(struct audit_log *log)
{
	g_free(log->records);
}
