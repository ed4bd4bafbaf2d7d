/* nsu_audit.c - when words were asked for, and when stores were issued that are done. */
#include "ndp/carry/split/nsu_audit.h"

#include <glib.h>

#include "gpu/coalesce.h"

#define WORDS (COALESCE_LINE_BYTES / 4)

struct nsu_audit {
	GHashTable *stored; /* line -> uint64_t: the latest issue of a store that is done */
	GHashTable **asked; /* [unit] line -> uint64_t[WORDS]: when each word was asked for; 0: never */
	uint32_t unit_count;
};

struct nsu_audit *nsu_audit_new(uint32_t unit_count)
{
	struct nsu_audit *a = g_new0(struct nsu_audit, 1);

	a->unit_count = unit_count;
	a->stored = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	a->asked = g_new0(GHashTable *, unit_count);
	for (uint32_t i = 0; i < unit_count; i++)
		a->asked[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	return a;
}

void nsu_audit_free(struct nsu_audit *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < a->unit_count; i++)
		g_hash_table_destroy(a->asked[i]);
	g_hash_table_destroy(a->stored);
	g_free(a->asked);
	g_free(a);
}

void nsu_audit_kernel(struct nsu_audit *a, uint32_t unit)
{
	g_hash_table_remove_all(a->asked[unit]);
	g_hash_table_remove_all(a->stored);
}

/* The values of a line: count of them, 0 at first. */
static uint64_t *values(GHashTable *t, uint64_t addr_bytes, uint32_t count)
{
	uint64_t line = addr_bytes / COALESCE_LINE_BYTES, *key, *v = g_hash_table_lookup(t, &line);

	if (v)
		return v;
	key = g_new(uint64_t, 1);
	*key = line;
	v = g_new0(uint64_t, count);
	g_hash_table_insert(t, key, v);
	return v;
}

void nsu_audit_stored(struct nsu_audit *a, uint64_t addr_bytes, uint64_t issue_units)
{
	uint64_t *latest = values(a->stored, addr_bytes, 1);

	*latest = MAX(*latest, issue_units);
}

void nsu_audit_asked(struct nsu_audit *a, uint32_t unit, uint64_t addr_bytes, uint32_t words, uint64_t now_units)
{
	uint64_t *asked = values(a->asked[unit], addr_bytes, WORDS);

	for (uint32_t i = 0; i < WORDS; i++) {
		if (words >> i & 1)
			asked[i] = now_units;
	}
}

bool nsu_audit_is_fresh(const struct nsu_audit *a, uint32_t unit, uint64_t addr_bytes, uint32_t words)
{
	uint64_t line = addr_bytes / COALESCE_LINE_BYTES;
	const uint64_t *asked = g_hash_table_lookup(a->asked[unit], &line);
	const uint64_t *stored = g_hash_table_lookup(a->stored, &line);

	for (uint32_t i = 0; i < WORDS; i++) {
		if (words >> i & 1 && (!asked || !asked[i] || (stored && asked[i] < *stored)))
			return false;
	}
	return true;
}
