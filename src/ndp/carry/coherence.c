/* coherence.c - numbers every store and compares that with what blocks read. */
#include "ndp/carry/coherence.h"

#include <glib.h>

#include "base/check.h"
#include "gpu/coalesce.h"

#define NEVER UINT64_MAX

/* One store. */
struct record {
	uint64_t order_units; /* loads issued later must see it; NEVER: its block's end has not been seen */
	uint64_t number;      /* of its arrival in DRAM; NEVER: on its way */
	uint64_t line;
	uint32_t home;
	uint32_t next;       /* older record of the line, UINT32_MAX: none */
	uint32_t block_next; /* older record of the block, the same */
	bool is_of_block, is_of_stack; /* of an SM there: what it wrote went past the L2 */
};

struct coherence_audit {
	GArray *records;    /* of this kernel */
	GHashTable *newest; /* line -> index of its newest record + 1 */
	GHashTable *blocks; /* block -> the same */
	GHashTable *old;    /* line -> number of the newest write in a stack by an earlier kernel */
	GHashTable *copies; /* line and cache -> number */
	GHashTable *requests; /* request -> number that a read brings, index of a store's record */
	uint64_t number;    /* of the last write that reached DRAM */
};

struct coherence_audit *coherence_audit_new(void)
{
	struct coherence_audit *a = g_new0(struct coherence_audit, 1);

	a->records = g_array_new(FALSE, FALSE, sizeof(struct record));
	a->newest = g_hash_table_new(NULL, NULL);
	a->blocks = g_hash_table_new(NULL, NULL);
	a->old = g_hash_table_new(NULL, NULL);
	a->copies = g_hash_table_new(NULL, NULL);
	a->requests = g_hash_table_new(NULL, NULL);
	return a;
}

void coherence_audit_free(struct coherence_audit *a)
{
	if (!a)
		return;
	g_array_free(a->records, TRUE);
	g_hash_table_destroy(a->newest);
	g_hash_table_destroy(a->blocks);
	g_hash_table_destroy(a->old);
	g_hash_table_destroy(a->copies);
	g_hash_table_destroy(a->requests);
	g_free(a);
}

static uint64_t get(GHashTable *t, uint64_t key)
{
	return (uint64_t)(uintptr_t)g_hash_table_lookup(t, (gpointer)(uintptr_t)key);
}

static void set(GHashTable *t, uint64_t key, uint64_t value)
{
	g_hash_table_insert(t, (gpointer)(uintptr_t)key, (gpointer)(uintptr_t)value);
}

static struct record *record_at(const struct coherence_audit *a, uint32_t i)
{
	return &g_array_index(a->records, struct record, i);
}

void coherence_audit_kernel(struct coherence_audit *a)
{
	for (uint32_t i = 0; i < a->records->len; i++) {
		const struct record *r = record_at(a, i);

		if (r->is_of_stack && r->number != NEVER && r->number > get(a->old, r->line))
			set(a->old, r->line, r->number);
	}
	g_array_set_size(a->records, 0);
	g_hash_table_remove_all(a->newest);
	g_hash_table_remove_all(a->blocks);
}

static uint64_t key_of(const struct mem_req *r)
{
	return (uint64_t)(uintptr_t)r;
}

void coherence_audit_store(struct coherence_audit *a, uint32_t home, const void *block, bool is_of_stack,
			   const struct mem_req *r, uint64_t now_units)
{
	uint64_t line = r->addr_bytes & ~(uint64_t)(COALESCE_LINE_BYTES - 1);
	const struct record record = {
	    .order_units = block ? NEVER : now_units,
	    .number = NEVER,
	    .line = line,
	    .home = home,
	    .next = (uint32_t)get(a->newest, line) - 1,
	    .block_next = block ? (uint32_t)get(a->blocks, (uint64_t)(uintptr_t)block) - 1 : UINT32_MAX,
	    .is_of_block = block != NULL,
	    .is_of_stack = is_of_stack || block,
	};

	g_array_append_val(a->records, record);
	set(a->newest, line, a->records->len);
	if (block)
		set(a->blocks, (uint64_t)(uintptr_t)block, a->records->len);
	set(a->requests, key_of(r), a->records->len - 1);
}

void coherence_audit_memory(struct coherence_audit *a, const struct mem_req *r, bool is_store)
{
	if (is_store) {
		uint32_t i = (uint32_t)get(a->requests, key_of(r));

		CHECK(i < a->records->len);
		record_at(a, i)->number = ++a->number;
	} else if (r->op == MEM_READ) {
		set(a->requests, key_of(r), a->number);
	}
}

void coherence_audit_block_end(struct coherence_audit *a, const void *block, uint64_t now_units)
{
	uint64_t key = (uint64_t)(uintptr_t)block;

	for (uint32_t i = (uint32_t)get(a->blocks, key) - 1; i != UINT32_MAX; i = record_at(a, i)->block_next)
		record_at(a, i)->order_units = now_units;
	set(a->blocks, key, 0);
}

/* Lines are 128 B and device addresses below 2^47: the low bits and the high ones are free for the cache. */
static uint64_t copy_key(uint32_t cache, uint64_t line_addr_bytes)
{
	return line_addr_bytes ^ (uint64_t)(cache + 1) << 48;
}

void coherence_audit_fill(struct coherence_audit *a, uint32_t cache, const struct mem_req *r)
{
	set(a->copies, copy_key(cache, r->addr_bytes), get(a->requests, key_of(r)));
}

void coherence_audit_hit(struct coherence_audit *a, uint32_t cache, const struct mem_req *r)
{
	set(a->requests, key_of(r), get(a->copies, copy_key(cache, r->addr_bytes)));
}

void coherence_audit_pass(struct coherence_audit *a, const struct mem_req *from, const struct mem_req *to)
{
	set(a->requests, key_of(to), get(a->requests, key_of(from)));
}

bool coherence_audit_is_fresh(const struct coherence_audit *a, uint32_t home, bool is_block, uint64_t since_units,
			      const struct mem_req *brought)
{
	uint64_t line = brought->addr_bytes, number = get(a->requests, key_of(brought));

	if (get(a->old, line) > number)
		return false;
	for (uint32_t i = (uint32_t)get(a->newest, line) - 1; i != UINT32_MAX; i = record_at(a, i)->next) {
		const struct record *r = record_at(a, i);
		bool must_see = r->home == home && r->order_units < since_units && (is_block || r->is_of_block);

		if (must_see && r->number > number)
			return false;
	}
	return true;
}
