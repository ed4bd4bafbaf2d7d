/* req.h - the one memory request: the same struct from the core to the bank, whoever issues it.
 *
 * Requests carry no data (values are computed by simt/ when the access executes); they carry what timing, traffic and
 * energy depend on. They come from a pool; the issuer allocates, and the one who consumes the answer frees.
 */
#ifndef STRATA_NET_REQ_H
#define STRATA_NET_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

enum mem_op {
	MEM_READ, MEM_WRITE, MEM_ATOMIC,
	MEM_MESSAGE, /* no access: goes to its port */
};
enum mem_kind {
	MEM_KIND_DATA, /* of the program */
	MEM_KIND_CODE,
	MEM_KIND_TABLE,	 /* page tables */
	MEM_KIND_PASSING, /* the program's, for who reads and writes past the caches: they are left as they are */
};

/* One cache line of the host. */
struct mem_req {
	uint64_t addr_bytes;	 /* of the line or of the part transferred */
	uint64_t issue_units;	 /* when the core issued it: latency statistics */
	uint64_t ready_units;	 /* when it is at the end of the way that it is on: a channel, the L2's pipeline */
	struct mem_req *next;	 /* for whoever holds it: queue, MSHR chain, freelist */
	void *owner;		 /* its port's own, */
	uint32_t tag;		 /* and this: nobody else looks at them */
	uint32_t payload_bytes : 24; /* what it carries now on a wire, beside the header: mem_req_set_payload */
	uint32_t access_count : 8;   /* of an atomic: accesses that it takes where it executes, one after the other */
	uint32_t row;
	uint16_t column;	 /* byte offset in the row */
	uint16_t size_bytes;	 /* data bytes read or written */
	uint16_t port;		 /* where its answer goes, see net/port.h */
	uint16_t slice;		 /* L2 slice on its way */
	uint8_t stack;		 /* destination, from the address mapping */
	uint8_t vault, bank;
	uint8_t op : 2;		 /* enum mem_op */
	uint8_t kind : 2;	 /* enum mem_kind */
	bool is_reply : 1;
	bool is_host : 1;	 /* goes to the host's memory, not to a stack */
	bool brings_data : 1;	 /* its answer carries size_bytes: reads, and atomics whose result is used */
	uint8_t store_bank : 1;	 /* of the SM's count of stores not yet in memory */
};
_Static_assert(sizeof(struct mem_req) == 64, "a request fills one cache line of the host");

enum { MEM_REQ_PAYLOAD_MAX = (1 << 24) - 1, MEM_REQ_ACCESSES_MAX = 255 };

static inline void mem_req_set_payload(struct mem_req *r, uint32_t bytes)
{
	CHECK(bytes <= MEM_REQ_PAYLOAD_MAX);
	r->payload_bytes = bytes & MEM_REQ_PAYLOAD_MAX;
}

/* What it is, and what that makes it carry; size_bytes must be set. is_host is left. */
static inline void mem_req_set_access(struct mem_req *r, enum mem_op op, enum mem_kind kind)
{
	r->op = (uint8_t)(op & 3);
	r->kind = (uint8_t)(kind & 3);
	r->is_reply = false;
	r->brings_data = op == MEM_READ;
	mem_req_set_payload(r, op == MEM_READ ? 0 : r->size_bytes);
}

static inline void mem_req_set_message(struct mem_req *r, uint32_t payload_bytes)
{
	r->op = MEM_MESSAGE;
	r->kind = MEM_KIND_DATA;
	r->is_reply = false;
	r->is_host = false;
	r->brings_data = false;
	mem_req_set_payload(r, payload_bytes);
}

/* The access is done: from now on it is its answer. */
static inline void mem_req_answer(struct mem_req *r)
{
	r->is_reply = true;
	mem_req_set_payload(r, r->brings_data ? r->size_bytes : 0);
}

/* Which bytes of its line a request reads or writes, bit by byte: behind the request, where the pool makes room for
 * them, and nowhere else. Lines have 128 B there. */
struct mem_req_bytes {
	uint64_t mask[2];
};

/* Only of a pool that makes room for stamps or bytes. */
static inline struct mem_req_bytes *mem_req_bytes_of(struct mem_req *r)
{
	return (struct mem_req_bytes *)(r + 1);
}

struct mem_req_pool;

struct mem_req_pool *mem_req_pool_new(void);
/* Makes room for stamps (net/stamp.h) behind every request; before the first is taken. */
void mem_req_pool_stamp(struct mem_req_pool *p);
/* Makes room for bytes behind every request; before the first is taken. */
void mem_req_pool_bytes(struct mem_req_pool *p);
/* CHECKs that every request came back. */
void mem_req_pool_free(struct mem_req_pool *p);
struct mem_req *mem_req_get(struct mem_req_pool *p); /* fields undefined; pool grows by whole chunks */
void mem_req_put(struct mem_req_pool *p, struct mem_req *r);
/* Requests that one thread takes without the pool, which others use meanwhile. A zeroed stash is empty. */
struct mem_req_stash {
	struct mem_req *free;
	uint32_t count;
	int32_t taken; /* and not put back */
};
/* Settles what was taken and put since the last time, and makes it hold count requests, to twice as many. */
void mem_req_stash_fill(struct mem_req_pool *p, struct mem_req_stash *s, uint32_t count);
static inline struct mem_req *mem_req_stash_get(struct mem_req_stash *s)
{
	struct mem_req *r = s->free;

	CHECK(s->count);
	s->free = r->next;
	s->count--;
	s->taken++;
	return r;
}
static inline void mem_req_stash_put(struct mem_req_stash *s, struct mem_req *r)
{
	r->next = s->free;
	s->free = r;
	s->count++;
	s->taken--;
}
uint64_t mem_req_outstanding(const struct mem_req_pool *p);
/* After an aborted launch: all requests are free again. */
void mem_req_pool_reset(struct mem_req_pool *p);

#endif
