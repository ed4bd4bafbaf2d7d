/* cache.h - tags and MSHRs of one cache. Timing (ports, queues) belongs to whoever owns the cache.
 *
 * Lines are line_bytes; LRU replacement, the way chosen when the line arrives, or at the miss; write-through or
 * write-back, write-allocate or not, by parameter. A miss reserves its MSHR; requests to a pending line merge; a fill
 * frees the MSHR and returns the chain of merged requests.
 */
#ifndef STRATA_MEM_CACHE_H
#define STRATA_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/map.h"
#include "net/req.h"
#include "sim/param.h"
#include "sim/stat.h"

struct cache_params {
#include "sim/param_fields.inc"
#include "mem/cache_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc cache_param_rows[];
extern const uint32_t cache_param_row_count;

struct cache_stats {
#include "sim/stat_fields.inc"
#include "mem/cache_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_desc cache_stat_rows[];
extern const uint32_t cache_stat_row_count;

enum mem_cache_result {
	MEM_CACHE_HIT,
	MEM_CACHE_MISS,	  /* MSHR reserved: the owner must fetch the line */
	MEM_CACHE_MERGED, /* waits on a pending line's MSHR; the request is chained there */
	MEM_CACHE_STALL,  /* no MSHR, merge place or way: try again after a fill */
	MEM_CACHE_WRITE_THROUGH, /* the write goes on to the next level (line updated if present per policy) */
};

#define MEM_CACHE_WRITE_POLICIES(X) X(MEM_CACHE_WRITE_POLICY_THROUGH, through) X(MEM_CACHE_WRITE_POLICY_BACK, back)
#define MEM_CACHE_INDEX_HASHES(X)                                     \
	X(MEM_CACHE_INDEX_PLAIN, none) X(MEM_CACHE_INDEX_XOR, xor)    \
	X(MEM_CACHE_INDEX_FERMI, fermi)
enum mem_cache_write_policy { MEM_CACHE_WRITE_POLICIES(SIM_PARAM_ENUMERATOR) };
enum mem_cache_index_hash { MEM_CACHE_INDEX_HASHES(SIM_PARAM_ENUMERATOR) };

struct mem_cache;

/* A dirty line that was evicted, and what of it must be written. */
struct mem_cache_victim {
	uint64_t addr_bytes; /* UINT64_MAX: none */
	uint32_t size_bytes;
};

/* Memory of the host that such a cache takes. */
uint64_t mem_cache_host_bytes(const struct cache_params *p);
struct mem_cache *mem_cache_new(const struct cache_params *p, struct sim_stats *stats, const char *prefix);
void mem_cache_free(struct mem_cache *c);

uint32_t mem_cache_line_bytes(const struct mem_cache *c);
/* The line that holds the byte. */
static inline uint64_t mem_cache_line_of(const struct mem_cache *c, uint64_t addr_bytes)
{
	return addr_bytes & -(uint64_t)mem_cache_line_bytes(c);
}

/* The cache, which waits for nothing, loses all lines if its size changes: it has whole ways of so many bytes from now
 * on, one at least and no more than it was made with. */
void mem_cache_resize(struct mem_cache *c, uint64_t size_bytes);

/* A read of the line holding r->addr_bytes. On MISS the returned MSHR index is in *mshr and r is its first chained
 * request; on MERGED r was chained. */
enum mem_cache_result mem_cache_read(struct mem_cache *c, struct mem_req *r, uint32_t *mshr);
/* A write of r->size_bytes. Write-through: returns WRITE_THROUGH, and nothing waits. Write-back: HIT (line dirty),
 * MISS, MERGED or STALL as for a read (the line arrives dirty); without write_allocate a write that finds neither the
 * line nor an MSHR of it is WRITE_THROUGH. Parameters must have been checked (gpu/config.c). */
enum mem_cache_result mem_cache_write(struct mem_cache *c, struct mem_req *r, uint32_t *mshr);
/* Accesses to a cache with sectors, where a request touches bytes of its line: *fetch_mask are the sectors, bit by
 * number, that the owner must fetch for mshr now; 0 with any result but MISS. A MISS may be of a line whose MSHR
 * exists. is_update: a write that reads what it writes, so that it must find it. A write that takes a line in at once
 * (write_validate) evicts: *victim as below. */
enum mem_cache_result mem_cache_read_sectors(struct mem_cache *c, struct mem_req *r, const struct mem_req_bytes *bytes,
					     uint32_t *mshr, uint32_t *fetch_mask);
enum mem_cache_result mem_cache_write_sectors(struct mem_cache *c, struct mem_req *r, const struct mem_req_bytes *bytes,
					      bool is_update, uint32_t *mshr, uint32_t *fetch_mask,
					      struct mem_cache_victim *victim);
/* A sector has arrived: the chain of those who waited for the line when it was the last of its MSHR's, else NULL. */
struct mem_req *mem_cache_fill_sector(struct mem_cache *c, uint32_t mshr, uint32_t sector,
				      struct mem_cache_victim *victim);
/* The cache lies behind a map, so that the lines it sees, or sees most, are those of one part: its sets are chosen by
 * the number of the line within its part. Once, before the first access; all is kept. */
struct mem_cache_part {
	const struct mem_numbering *numbering;
	/* NULL; or the numbering of an address where there are several. It changes while the cache is empty. */
	const struct mem_numbering *(*numbering_of)(const void *self, uint64_t addr_bytes);
	const void *self;
};
void mem_cache_is_part(struct mem_cache *c, const struct mem_cache_part *part);
/* The line of mshr has arrived: inserts it, frees the MSHR, returns the chain (through next) of waiting requests in
 * order of arrival. *victim_addr_bytes is the address of an evicted dirty line or UINT64_MAX. */
struct mem_req *mem_cache_fill(struct mem_cache *c, uint32_t mshr, uint64_t *victim_addr_bytes);
/* What an access leaves in the tags that is only executed for its values: it counts nothing, what it evicts is gone,
 * and a line that is on its way it leaves alone. */
void mem_cache_warm(struct mem_cache *c, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write);
/* The share of the MSHRs that is in use, 0 to 1. */
double mem_cache_mshr_share(const struct mem_cache *c);
uint64_t mem_cache_mshr_addr_bytes(const struct mem_cache *c, uint32_t mshr);
/* Has the line been invalidated on its way? */
bool mem_cache_mshr_is_stale(const struct mem_cache *c, uint32_t mshr);
/* Is the line present? Then it has been used. Allocates nothing; the caller counts. */
bool mem_cache_probe(struct mem_cache *c, uint64_t addr_bytes);
/* Are the bytes of the line present? Changes nothing, counts nothing. */
bool mem_cache_holds(const struct mem_cache *c, uint64_t addr_bytes, const struct mem_req_bytes *bytes);
/* Is some of the line present, or on its way for a read that will find it? Changes nothing, counts nothing. */
bool mem_cache_has_line(const struct mem_cache *c, uint64_t addr_bytes);
/* The line will be looked up or filled soon: has the host fetch what that reads. Changes nothing in the model. */
void mem_cache_prefetch(const struct mem_cache *c, uint64_t addr_bytes);
/* Lines that are on their way are not kept when they arrive, and later reads do not wait for them; those who wait
 * already are answered. */
void mem_cache_invalidate_line(struct mem_cache *c, uint64_t addr_bytes);
/* It does so to the lines of which is_struck, given self and their addresses, is true, and returns how many stay. */
typedef bool mem_cache_test(const void *self, uint64_t addr_bytes);
uint32_t mem_cache_invalidate_some(struct mem_cache *c, mem_cache_test *is_struck, const void *self);
static inline void mem_cache_invalidate_all(struct mem_cache *c)
{
	mem_cache_invalidate_some(c, NULL, NULL);
}
/* Reads accepted so far, and those that did not find their line. */
void mem_cache_reads(const struct mem_cache *c, uint64_t *reads, uint64_t *misses);
bool mem_cache_is_idle(const struct mem_cache *c); /* no MSHR in use */
void mem_cache_reset(struct mem_cache *c);	   /* after an aborted launch: drops MSHRs; tags invalid */

#endif
