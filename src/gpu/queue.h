/* queue.h - requests in order of arrival, chained through their own next field; nothing is allocated. A zeroed queue is
 * empty. A request may be in one queue at a time.
 */
#ifndef STRATA_GPU_QUEUE_H
#define STRATA_GPU_QUEUE_H

#include "mem/req.h"

#include <stddef.h>
#include <stdint.h>

struct queue {
	struct mem_req *first, *last; /* last: valid only while first is */
	uint32_t count;
};

static inline void queue_push(struct queue *q, struct mem_req *r)
{
	r->next = NULL;
	if (q->first)
		q->last->next = r;
	else
		q->first = r;
	q->last = r;
	q->count++;
}

/* The oldest request. The queue must not be empty. */
static inline struct mem_req *queue_pop(struct queue *q)
{
	struct mem_req *r = q->first;

	q->first = r->next;
	q->count--;
	return r;
}

#endif
