/* event.h - what an event is, for those that wait for one. */
#ifndef STRATA_CUDA_EVENT_H
#define STRATA_CUDA_EVENT_H

#include "cuda/driver.h"

struct CUevent_st {
	struct cuda_object object;
	unsigned int flags;
	bool is_recorded;
	uint64_t time_ps; /* when everything before the last record has ended; 0 without one */
	uint64_t capture_id; /* of the capture in which it was last recorded; 0: it was not in one */
	GArray *capture_nodes; /* CUgraphNode: what it then stood for; NULL without a capture */
};

/* What e stands for ends at time_ps. */
void cuda_event_record(struct CUevent_st *e, uint64_t time_ps);

#endif
