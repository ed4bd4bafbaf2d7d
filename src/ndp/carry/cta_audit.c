/* cta_audit.c - where each CTA is, and what of it is under way. */
#include "ndp/carry/cta_audit.h"

#include <glib.h>
#include <stdbool.h>

enum cta_state { RUNS, STOPPED, UNDER_WAY };

struct cta {
	enum cta_state state;
	uint32_t sm;	      /* where it is, or was last */
	uint64_t ready_cycle; /* of all that it has computed */
	uint64_t store_line_count;
	uint64_t digest, bytes_left;
};

struct cta_audit {
	GHashTable *ctas;     /* index + 1 -> struct cta */
	GHashTable *requests; /* of stores -> index + 1 */
	uint32_t *resident_counts; /* [SM] */
	uint32_t sm_count;
};

struct cta_audit *cta_audit_new(uint32_t sm_count)
{
	struct cta_audit *a = g_new0(struct cta_audit, 1);

	a->ctas = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	a->requests = g_hash_table_new(NULL, NULL);
	a->resident_counts = g_new0(uint32_t, sm_count);
	a->sm_count = sm_count;
	return a;
}

void cta_audit_free(struct cta_audit *a)
{
	if (!a)
		return;
	g_hash_table_destroy(a->ctas);
	g_hash_table_destroy(a->requests);
	g_free(a->resident_counts);
	g_free(a);
}

void cta_audit_kernel(struct cta_audit *a)
{
	g_hash_table_remove_all(a->ctas);
	g_hash_table_remove_all(a->requests);
	for (uint32_t i = 0; i < a->sm_count; i++)
		a->resident_counts[i] = 0;
}

const char *cta_audit_end(const struct cta_audit *a, uint64_t *cta)
{
	GHashTableIter i;
	gpointer key;

	g_hash_table_iter_init(&i, a->ctas);
	if (!g_hash_table_iter_next(&i, &key, NULL))
		return NULL;
	*cta = (uint64_t)(uintptr_t)key - 1;
	return "it has not come to its end";
}

static gpointer key_of(uint64_t cta)
{
	return (gpointer)(uintptr_t)(cta + 1);
}

static struct cta *find(const struct cta_audit *a, uint64_t cta)
{
	return g_hash_table_lookup(a->ctas, key_of(cta));
}

static const char *count(struct cta_audit *a, uint32_t sm, int change, uint32_t resident_count)
{
	a->resident_counts[sm] += (uint32_t)change;
	return a->resident_counts[sm] == resident_count ? NULL : "places at its SM are not those of the CTAs there";
}

/* Why it cannot run at the SM. */
static const char *misplaced(const struct cta *c, uint32_t sm)
{
	if (!c)
		return "it runs and has never been placed, or has ended";
	if (c->state != RUNS)
		return "it runs while it is moved";
	return c->sm == sm ? NULL : "it runs where it is not";
}

const char *cta_audit_placed(struct cta_audit *a, uint64_t cta, uint32_t sm, uint32_t resident_count)
{
	struct cta *c = g_new0(struct cta, 1);

	c->sm = sm;
	if (!g_hash_table_insert(a->ctas, key_of(cta), c))
		return "it is placed twice";
	return count(a, sm, 1, resident_count);
}

const char *cta_audit_done(struct cta_audit *a, uint64_t cta, uint32_t sm, uint32_t resident_count)
{
	const char *why = misplaced(find(a, cta), sm);

	g_hash_table_remove(a->ctas, key_of(cta));
	return why ? why : count(a, sm, -1, resident_count);
}

const char *cta_audit_stepped(struct cta_audit *a, uint64_t cta, uint32_t sm, uint64_t ready_cycle)
{
	struct cta *c = find(a, cta);
	const char *why = misplaced(c, sm);

	if (!why && ready_cycle > c->ready_cycle)
		c->ready_cycle = ready_cycle;
	return why;
}

void cta_audit_store_issued(struct cta_audit *a, uint64_t cta, uint32_t line_count)
{
	find(a, cta)->store_line_count += line_count;
}

void cta_audit_store_sent(struct cta_audit *a, uint64_t cta, const void *request)
{
	g_hash_table_insert(a->requests, (gpointer)request, key_of(cta));
}

void cta_audit_store_acknowledged(struct cta_audit *a, const void *request)
{
	struct cta *c = g_hash_table_lookup(a->ctas, g_hash_table_lookup(a->requests, request));

	g_hash_table_remove(a->requests, request);
	if (c) /* it may have ended */
		c->store_line_count--;
}

const char *cta_audit_stopped(struct cta_audit *a, uint64_t cta, uint64_t digest, uint64_t context_bytes)
{
	struct cta *c = find(a, cta);

	if (!c || c->state != RUNS)
		return "it is to move and does not run";
	c->state = STOPPED;
	c->digest = digest;
	c->bytes_left = context_bytes;
	return NULL;
}

const char *cta_audit_starts(struct cta_audit *a, uint64_t cta, uint64_t digest, uint64_t message_bytes)
{
	struct cta *c = g_new0(struct cta, 1);

	c->state = UNDER_WAY;
	c->digest = digest;
	c->bytes_left = message_bytes;
	return g_hash_table_insert(a->ctas, key_of(cta), c) ? NULL : "it begins twice";
}

void cta_audit_packet(struct cta_audit *a, uint64_t cta, uint32_t bytes)
{
	find(a, cta)->bytes_left -= bytes;
}

const char *cta_audit_leaves(struct cta_audit *a, uint64_t cta, uint64_t now_cycle, uint32_t load_count)
{
	struct cta *c = find(a, cta);

	if (!c || c->state != STOPPED)
		return "it leaves and was not to move";
	c->state = UNDER_WAY;
	if (load_count)
		return "it leaves with a load under way";
	if (c->store_line_count)
		return "it leaves before a store is acknowledged";
	return c->ready_cycle > now_cycle ? "it leaves with an instruction in the pipeline" : NULL;
}

const char *cta_audit_left(struct cta_audit *a, uint64_t cta, uint32_t resident_count, uint32_t slot_count)
{
	return slot_count ? "it leaves warps behind" : count(a, find(a, cta)->sm, -1, resident_count);
}

const char *cta_audit_arrives(struct cta_audit *a, uint64_t cta, uint32_t sm, uint64_t digest)
{
	struct cta *c = find(a, cta);

	if (!c || c->state != UNDER_WAY)
		return "it arrives and has not left";
	if (c->bytes_left)
		return "it arrives without a part of its context";
	if (c->digest != digest)
		return "it arrives changed";
	c->state = RUNS;
	c->sm = sm;
	a->resident_counts[sm]++; /* looked at when the next one comes or goes there */
	return NULL;
}
