/* event.h - what an event is, for those that wait for one. */
#ifndef STRATA_CUDA_EVENT_H
#define STRATA_CUDA_EVENT_H

#include "cuda/driver.h"

struct CUevent_st {
	struct cuda_object object;
	unsigned int flags;
	bool is_recorded;
	uint64_t time_ps; /* when everything before the last record has ended; 0 without one */
};

#endif
