/* nsu_cache.c - the small read-only cache that NSU (SC'17) section 7.1 suggests for the units, and the GPU's directory
 * of what each holds.
 *
 *   read leaves its SM -> directory of the target: all words sent already? -> a header goes instead of the data
 *                                                  line read before?       -> L2 or vault; the unit keeps the words
 *                                                  else                    -> as without a cache; the line is noted
 *
 * Both sides of a line stand in one struct. The GPU fills: every read passes the directory, so that it knows the unit's
 * lines exactly. Packets may arrive in another order than they were sent in: a header that is before its words waits in
 * its entry of the read-data buffer, and a place takes another line only when no packet for it is under way, so that
 * one bit (turn) tells the words of a line from those of the line before.
 *
 * Coherence is the L2's: a store that reaches the L2, or the invalidation after a unit's write, takes the line out of
 * the directory. For the same reason what is kept comes from the L2 or a vault, not from an L1, which may be stale.
 */
#include "ndp/carry/split/nsu.h"

#include <glib.h>
#include <string.h>

enum { NSU_LINE_KNOWN = 1 };

struct nsu_cache_line {
	/* the GPU's directory */
	MEM_TAG;	    /* line: address / line; state: NSU_LINE_KNOWN */
	uint32_t words;	    /* that the unit has or will get; 0: none, the line has been read once */
	uint32_t under_way; /* packets for this place */
	bool turn;
	/* the unit's */
	bool unit_turn;
	uint32_t unit_words; /* that are here */
	struct queue waiting; /* headers that came before their words */
};

static struct nsu_cache_line *find(const struct nsu *u, uint64_t addr_bytes)
{
	return mem_tags_find(&u->cache, 0, addr_bytes / COALESCE_LINE_BYTES);
}

/* A line is read that the directory does not know; its next read fills. Nothing is noted while packets are under way
 * for all places. */
static void note(struct nsu *u, uint64_t addr_bytes)
{
	const uint64_t line = addr_bytes / COALESCE_LINE_BYTES;
	struct nsu_cache_line *l = mem_tags_victim(&u->cache, 0, place, !place->under_way);

	if (!l)
		return;
	mem_tags_take(&u->cache, l, line);
	l->line = line;
	l->state = NSU_LINE_KNOWN;
	mem_tags_use(&u->cache, l);
	l->words = 0;
	l->turn = !l->turn;
}

static uint64_t flits_bytes(const struct gpu *g, uint32_t payload_bytes)
{
	const struct link_params *l = &g->config->link;

	return (l->header_bytes + payload_bytes + l->flit_bytes - 1) / l->flit_bytes * l->flit_bytes;
}

/* run.audit: the verdict on a read, against what the auditor has seen. */
static void audit(struct nsu *u, const struct mem_req *r, const struct packet *k)
{
	struct nsu_audit *a = u->split->audit;

	if (k->kind == PACKET_HELD)
		CHECK(nsu_audit_is_fresh(a, u->stack, r->addr_bytes, k->words));
	else
		nsu_audit_asked(a, u->stack, r->addr_bytes, k->words, sim_now_units(u->gpu->engine));
}

bool nsu_cache_ask(struct nsu *u, struct mem_req *r)
{
	struct partition_stats *st = &u->split->partition_stats;
	struct packet *k = packet_of(r);
	struct nsu_cache_line *l;

	if (!u->cache.way_count)
		return false;
	st->directory_probes++;
	l = find(u, r->addr_bytes);
	if (l && !(k->words & ~l->words)) {
		st->read_unit_hits++;
		st->unit_hit_bytes += flits_bytes(u->gpu, packet_data_bytes(k));
		k->kind = PACKET_HELD;
		r->op = MEM_MESSAGE;
	} else if (l) {
		l->words |= k->words;
		k->fills = true;
	} else {
		note(u, r->addr_bytes);
		return false;
	}
	mem_tags_use(&u->cache, l);
	l->under_way++;
	k->line = (uint8_t)(l - u->cache.tags);
	k->turn = l->turn;
	if (unlikely(u->split->audit))
		audit(u, r, k);
	return k->kind == PACKET_HELD;
}

void nsu_cache_drop(struct split *split, uint64_t addr_bytes)
{
	for (uint32_t i = 0; i < split->gpu->stack_count && split->nsus[i]->cache.way_count; i++) {
		struct nsu_cache_line *l = find(split->nsus[i], addr_bytes);

		split->partition_stats.directory_probes++;
		if (!l)
			continue;
		split->partition_stats.unit_drops += l->words != 0;
		l->state = 0;
	}
}

/* The line as the unit has it; words of the place's line before are gone. */
static struct nsu_cache_line *at_unit(struct nsu *u, const struct packet *k)
{
	struct nsu_cache_line *l = &u->cache.tags[k->line];

	if (l->unit_turn != k->turn) {
		CHECK(!l->waiting.count);
		l->unit_turn = k->turn;
		l->unit_words = 0;
	}
	return l;
}

static void serve(struct nsu *u, struct nsu_cache_line *l, struct mem_req *r)
{
	u->stats.cache_reads++;
	l->under_way--;
	nsu_take_entry(u, packet_of(r));
	packet_free(u->split, r);
}

void nsu_cache_fill(struct nsu *u, const struct packet *k)
{
	struct nsu_cache_line *l = at_unit(u, k);
	struct queue waiting = l->waiting;

	u->stats.cache_fills++;
	l->under_way--;
	l->unit_words |= k->words;
	l->waiting = (struct queue){0};
	while (waiting.count) {
		struct mem_req *r = queue_pop(&waiting);

		if (packet_of(r)->words & ~l->unit_words)
			queue_push(&l->waiting, r);
		else
			serve(u, l, r);
	}
}

void nsu_cache_read(struct nsu *u, struct mem_req *r)
{
	struct nsu_cache_line *l = at_unit(u, packet_of(r));

	if (packet_of(r)->words & ~l->unit_words) {
		u->stats.cache_waits++;
		queue_push(&l->waiting, r);
		return;
	}
	serve(u, l, r);
}

void nsu_cache_new(struct nsu *u)
{
	const uint64_t line_count = u->gpu->config->nsu.cache_bytes / COALESCE_LINE_BYTES;

	if (line_count)
		mem_tags_init(&u->cache, 1, (uint32_t)line_count);
}

void nsu_cache_free(struct nsu *u)
{
	mem_tags_free(&u->cache);
}

void nsu_cache_kernel_begin(struct nsu *u)
{
	mem_tags_clear(&u->cache);
	if (u->split->audit)
		nsu_audit_kernel(u->split->audit, u->stack);
}

bool nsu_cache_is_idle(const struct nsu *u)
{
	for (uint32_t i = 0; i < u->cache.way_count; i++) {
		if (u->cache.tags[i].under_way || u->cache.tags[i].waiting.count)
			return false;
	}
	return true;
}

void nsu_cache_reset(struct nsu *u)
{
	if (u->cache.way_count)
		memset(u->cache.tags, 0, u->cache.way_count * sizeof(*u->cache.tags));
}
