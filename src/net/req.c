/* req.c - the request pool: a freelist over chunks. */
#include "net/req.h"

#include <glib.h>
#include <stdlib.h>

#include "base/list.h"
#include "net/stamp.h"

enum { CHUNK_REQS = 4096 };

struct mem_req_pool {
	size_t req_bytes; /* with what lies behind it */
	struct mem_req *free;
	uint64_t outstanding_count;
	GPtrArray *chunks;
};

static void thread_chunk(struct mem_req_pool *p, uint8_t *chunk)
{
	for (uint32_t i = CHUNK_REQS; i-- > 0;) {
		struct mem_req *r = (struct mem_req *)(chunk + i * p->req_bytes);

		base_stack_push(&p->free, r, next);
	}
}

struct mem_req_pool *mem_req_pool_new(void)
{
	struct mem_req_pool *p = g_new0(struct mem_req_pool, 1);

	p->req_bytes = sizeof(struct mem_req);
	p->chunks = g_ptr_array_new_with_free_func(free);
	return p;
}

/* What lies behind a request has this many bytes at least. */
static void room(struct mem_req_pool *p, size_t behind_bytes)
{
	const size_t bytes = sizeof(struct mem_req) + behind_bytes;

	CHECK(!p->chunks->len);
	p->req_bytes = MAX(p->req_bytes, (bytes + HOST_LINE_BYTES - 1) / HOST_LINE_BYTES * HOST_LINE_BYTES);
}

void mem_req_pool_bytes(struct mem_req_pool *p)
{
	room(p, sizeof(struct mem_req_bytes));
}

void mem_req_pool_stamp(struct mem_req_pool *p)
{
	room(p, sizeof(struct mem_req_bytes) + sizeof(struct net_stamps));
}

void mem_req_pool_free(struct mem_req_pool *p)
{
	if (!p)
		return;
	CHECK(p->outstanding_count == 0);
	g_ptr_array_free(p->chunks, TRUE);
	g_free(p);
}

static void grow(struct mem_req_pool *p)
{
	uint8_t *chunk = aligned_alloc(HOST_LINE_BYTES, CHUNK_REQS * p->req_bytes);

	CHECK(chunk);
	g_ptr_array_add(p->chunks, chunk);
	thread_chunk(p, chunk);
}

struct mem_req *mem_req_get(struct mem_req_pool *p)
{
	if (unlikely(!p->free))
		grow(p);
	p->outstanding_count++;
	return base_stack_pop(&p->free, next);
}

void mem_req_stash_fill(struct mem_req_pool *p, struct mem_req_stash *s, uint32_t count)
{
	p->outstanding_count += (uint64_t)(int64_t)s->taken;
	s->taken = 0;
	for (; s->count > 2 * count; s->count--) {
		struct mem_req *r = base_stack_pop(&s->free, next);

		base_stack_push(&p->free, r, next);
	}
	for (; s->count < count; s->count++) {
		struct mem_req *r;

		if (unlikely(!p->free))
			grow(p);
		r = base_stack_pop(&p->free, next);
		base_stack_push(&s->free, r, next);
	}
}

void mem_req_put(struct mem_req_pool *p, struct mem_req *r)
{
	CHECK(p->outstanding_count > 0);
	p->outstanding_count--;
	base_stack_push(&p->free, r, next);
}

uint64_t mem_req_outstanding(const struct mem_req_pool *p)
{
	return p->outstanding_count;
}

void mem_req_pool_reset(struct mem_req_pool *p)
{
	p->free = NULL;
	p->outstanding_count = 0;
	for (uint32_t i = p->chunks->len; i-- > 0;)
		thread_chunk(p, p->chunks->pdata[i]);
}
