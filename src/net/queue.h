/* queue.h - requests in order of arrival, chained through their own next field; nothing is allocated. A zeroed queue is
 * empty. A request may be in one queue at a time.
 */
#ifndef STRATA_NET_QUEUE_H
#define STRATA_NET_QUEUE_H

#include "base/list.h"
#include "net/req.h"

#include <stdint.h>

struct queue {
	BASE_FIFO(struct mem_req);
	uint32_t count;
};

static inline void queue_push(struct queue *q, struct mem_req *r)
{
	base_fifo_push(q, r, next);
	q->count++;
}

/* The oldest request. The queue must not be empty. */
static inline struct mem_req *queue_pop(struct queue *q)
{
	q->count--;
	return base_fifo_pop(q, next);
}

#endif
