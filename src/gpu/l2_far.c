/* l2_far.c - two partitions of the L2. Each line is at home in one slice. SMs of the other partition reach it
 * through the slice at the same place in their own, its mirror, and over a link between the two, which has wires for
 * requests and for answers, as the crossbar has. What a read has brought may stay in the mirror as a copy; writes and
 * atomics are done at home, and are acknowledged when no copy of the line is left.
 *
 * Nobody waits in a circle: answers are always taken in the end, for they go on to the crossbar; an answer for the
 * mirror has a queue of its own; a request from the mirror waits for memory only, since fetches from there leave MSHRs
 * to it.
 */
#include <glib.h>

#include "gpu/l2_inside.h"
#include "mem/sectors.h"

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct l2_far_stats
#include "sim/stat_rows.inc"
#include "gpu/l2_far_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_l2_far_stat_table = {"l2_far", stat_rows, ARRAY_COUNT(stat_rows)};

/* Does its answer go to the other partition? It is the mirror's, or that of an SM there. */
static bool is_from_mirror(const struct l2_slice *s, const struct mem_req *r)
{
	const struct net_port *to = net_port_of(&s->gpu->ports, r);

	if (to->place == GPU_PLACE_SLICE)
		return to->number == s->mirror->index;
	return partition_of_cluster(s->gpu, to->number) != s->index / s->gpu->partition_slices;
}

/* ---- run.audit: no copy is older than a write that has been acknowledged ---- */

/* Of a sector, or of the line where lines have none: the numbers of writes. */
struct line {
	uint64_t written, acknowledged; /* the last one so far, and of those that are acknowledged */
	uint64_t sent, copied; /* the last one before the mirror was sent it, and before what it has as a copy */
};

struct l2_far_audit {
	uint64_t write_count;
	GHashTable *lines;  /* struct line of a sector */
	GHashTable *writes; /* the number of a write that is not acknowledged yet */
};

static void audit_free(struct l2_far_audit *a)
{
	if (!a)
		return;
	g_hash_table_unref(a->lines);
	g_hash_table_unref(a->writes);
	g_free(a);
}

static struct l2_far_audit *audit_new(void)
{
	struct l2_far_audit *a = g_new0(struct l2_far_audit, 1);

	a->lines = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	a->writes = g_hash_table_new(g_direct_hash, g_direct_equal);
	return a;
}

/* Of what is at home in s, from this sector on. */
static struct line *audit_line(const struct l2_slice *s, uint64_t sector_addr_bytes)
{
	void *key = GSIZE_TO_POINTER(sector_addr_bytes);
	struct line *l = g_hash_table_lookup(s->far_audit->lines, key);

	if (!l) {
		l = g_new0(struct line, 1);
		g_hash_table_insert(s->far_audit->lines, key, l);
	}
	return l;
}

/* The sectors that r asks for, a bit each; bit 0: the line, where it has none. */
static uint32_t audit_sectors(const struct l2_slice *s, const struct mem_req *r)
{
	return s->sector_bytes ? mem_sectors_of(mem_req_bytes_of((struct mem_req *)(uintptr_t)r), s->sector_bytes,
						mem_cache_line_bytes(s->cache) / s->sector_bytes)
			       : 1;
}

/* The same of an answer, which has no bytes any more. */
static uint32_t audit_filled(const struct l2_slice *s, const struct mem_req *f)
{
	const uint64_t offset = f->addr_bytes - mem_cache_line_of(s->cache, f->addr_bytes);

	if (!s->sector_bytes)
		return 1;
	return ((UINT32_C(1) << f->size_bytes / s->sector_bytes) - 1) << offset / s->sector_bytes;
}

static struct line *audit_next(const struct l2_slice *s, uint64_t addr_bytes, uint32_t *sectors)
{
	const uint32_t sector = (uint32_t)__builtin_ctz(*sectors);

	*sectors &= *sectors - 1;
	return audit_line(s, mem_cache_line_of(s->cache, addr_bytes) + sector * s->sector_bytes);
}

static void audit_done(const struct l2_slice *s, const struct mem_req *r)
{
	struct l2_far_audit *a = s->far_audit;

	if (likely(!a) || (r->op == MEM_READ && !is_from_mirror(s, r)))
		return;
	if (r->op != MEM_READ)
		g_hash_table_insert(a->writes, (void *)(uintptr_t)r, GSIZE_TO_POINTER(++a->write_count));
	for (uint32_t sectors = audit_sectors(s, r); sectors;) {
		struct line *l = audit_next(s, r->addr_bytes, &sectors);

		if (r->op == MEM_READ)
			l->sent = l->written;
		else
			l->written = a->write_count;
	}
}

static void audit_acknowledged(const struct l2_slice *s, const struct mem_req *r)
{
	uint64_t number;

	if (likely(!s->far_audit) || r->op == MEM_READ)
		return;
	number = GPOINTER_TO_SIZE(g_hash_table_lookup(s->far_audit->writes, r));
	g_hash_table_remove(s->far_audit->writes, r);
	for (uint32_t sectors = audit_sectors(s, r); sectors;) {
		struct line *l = audit_next(s, r->addr_bytes, &sectors);

		l->acknowledged = MAX(l->acknowledged, number);
	}
}

/* ---- requests ---- */

/* A request for the mirror takes a place there only when it is taken from the link. */
enum l2_room l2_far_room(const struct l2_slice *s, const struct mem_req *r)
{
	const bool is_home = l2_is_home(s, r);
	const uint32_t replies = is_home && is_from_mirror(s, r) ? s->far_answers.count
								 : s->hits.count + s->replies.count;
	const uint32_t misses = is_home ? s->misses.count : s->far_requests.count;

	if (replies >= s->queue_cap)
		return L2_ROOM_NO_REPLY;
	return misses < s->queue_cap ? L2_ROOM : L2_ROOM_NO_MISS;
}

struct mem_req *l2_far_peek(struct l2_slice *s)
{
	return net_channel_peek(s->mirror->far_request);
}

void l2_far_pop(struct l2_slice *s)
{
	net_channel_pop(s->mirror->far_request);
	s->far_stats.requests++;
}

static void send_home(struct l2_slice *s, struct mem_req *r)
{
	r->slice = (uint16_t)s->mirror->index;
	s->far_stats.passed++;
	queue_push(&s->far_requests, r);
}

bool l2_far_may_fetch(const struct l2_slice *s, const struct mem_req *r)
{
	const struct mem_req_bytes *bytes = mem_req_bytes_of((struct mem_req *)(uintptr_t)r);

	return s->far_fetches < s->far_fetch_max || mem_cache_holds(s->cache, r->addr_bytes, bytes);
}

void l2_far_fetch(struct l2_slice *s, struct mem_req *f)
{
	const uint64_t offset = f->addr_bytes - mem_cache_line_of(s->cache, f->addr_bytes);

	if (s->sector_bytes) {
		struct mem_req_bytes bytes = {{0, 0}};

		for (uint64_t at = offset; at < offset + f->size_bytes; at += s->sector_bytes) {
			const uint32_t sector = (uint32_t)at / s->sector_bytes;
			const struct mem_req_bytes b = mem_sector_bytes(sector, s->sector_bytes);

			bytes.mask[0] |= b.mask[0];
			bytes.mask[1] |= b.mask[1];
		}
		*mem_req_bytes_of(f) = bytes;
	}
	s->far_fetches++;
	send_home(s, f);
}

void l2_far_fetched(struct l2_slice *s, const struct mem_req *f, bool is_kept)
{
	s->far_fetches--;
	s->far_stats.copies += is_kept;
	if (likely(!s->mirror->far_audit) || !is_kept)
		return;
	for (uint32_t sectors = audit_filled(s, f); sectors;) {
		struct line *l = audit_next(s->mirror, f->addr_bytes, &sectors);

		l->copied = l->sent;
	}
}

void l2_far_wake(const struct l2_slice *s, uint64_t cycle)
{
	if (l2_slice_can_take(s) && net_channel_peek(s->mirror->far_answer))
		sim_wake_cycle(s->gpu->engine, s->comp, cycle + 1);
}

void l2_far_warmed(struct l2_slice *s, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write)
{
	const uint32_t count = s->sector_bytes ? mem_cache_line_bytes(s->cache) / s->sector_bytes : 1;
	uint32_t sectors = s->sector_bytes ? mem_sectors_of(bytes, s->sector_bytes, count) : 1;

	if (is_write)
		mem_cache_invalidate_line(s->mirror->cache, addr_bytes);
	while (unlikely(s->mirror->far_audit != NULL) && !is_write && sectors) {
		struct line *l = audit_next(s->mirror, addr_bytes, &sectors);

		l->copied = l->written;
	}
}

static void drop_copy(struct l2_slice *s, uint64_t addr_bytes)
{
	if (!mem_cache_has_line(s->cache, addr_bytes))
		return;
	s->far_stats.copies_dropped++;
	mem_cache_invalidate_line(s->cache, addr_bytes);
}

void l2_far_pass(struct l2_slice *s, struct mem_req *r)
{
	if (r->op != MEM_READ)
		drop_copy(s, r->addr_bytes);
	send_home(s, r);
}

void l2_far_hit(struct l2_slice *s, const struct mem_req *r)
{
	const bool is_home = l2_is_home(s, r);

	if (r->op != MEM_READ)
		return;
	s->far_stats.copy_hits += !is_home;
	s->far_stats.hits += is_home && is_from_mirror(s, r);
	if (likely(!s->mirror->far_audit) || is_home)
		return;
	for (uint32_t sectors = audit_sectors(s, r); sectors;) {
		const struct line *l = audit_next(s->mirror, r->addr_bytes, &sectors);

		CHECK(l->copied >= l->acknowledged); /* else the copy is stale */
	}
}

/* ---- answers ---- */

/* It is acknowledged, or its line is here: on its way to the mirror, or false. */
static bool answer_mirror(struct l2_slice *s, struct mem_req *r, uint64_t ready_units)
{
	audit_acknowledged(s, r);
	if (r->op == MEM_ATOMIC)
		net_port_served(net_port_of(&s->gpu->ports, r), r, r->stack);
	if (!is_from_mirror(s, r))
		return false;
	mem_req_answer(r);
	r->ready_units = ready_units;
	queue_push(&s->far_answers, r);
	return true;
}

/* Has the mirror a copy that is older than this write? One of its own SMs has dropped it on its way, and what has been
 * asked for since comes behind it. */
static bool has_old_copy(const struct l2_slice *s, const struct mem_req *r)
{
	return r->op != MEM_READ && s->gpu->config->gpu.l2_far_copies && !is_from_mirror(s, r) &&
	       mem_cache_has_line(s->mirror->cache, r->addr_bytes);
}

bool l2_far_answer(struct l2_slice *s, struct mem_req *r, uint64_t ready_units)
{
	struct mem_req *m;

	if (!l2_is_home(s, r))
		return false;
	audit_done(s, r);
	if (likely(!has_old_copy(s, r)))
		return answer_mirror(s, r, ready_units);
	m = mem_req_get(s->gpu->pool);
	*m = *r;
	m->next = NULL;
	mem_req_set_message(m, 0); /* the header holds the address */
	m->port = s->mirror->port_first + PORT_COPY_DROP;
	m->owner = r;
	m->ready_units = ready_units;
	s->far_stats.waited_writes++;
	queue_push(&s->far_answers, m);
	return true;
}

void l2_far_drop(void *self, struct mem_req *m)
{
	struct l2_slice *s = self;

	drop_copy(s, m->addr_bytes);
	m->port = s->mirror->port_first + PORT_COPY_DROPPED;
	m->ready_units = sim_now_units(s->gpu->engine);
	queue_push(&s->far_answers, m);
}

void l2_far_dropped(void *self, struct mem_req *m)
{
	struct l2_slice *s = self;
	struct mem_req *r = m->owner;
	const uint64_t now = sim_now_units(s->gpu->engine);

	mem_req_put(s->gpu->pool, m);
	CHECK(!answer_mirror(s, r, now));
	mem_req_answer(r);
	r->ready_units = now;
	queue_push(&s->replies, r);
}

void l2_far_take(struct l2_slice *s, uint64_t now)
{
	struct net_channel *from = s->mirror->far_answer;
	struct mem_req *r;

	while (l2_slice_can_take(s) && (r = net_channel_peek(from))) {
		const struct net_port *to = net_port_of(&s->gpu->ports, r);

		net_channel_pop(from);
		l2_inputs_go_on(s);
		if (to->place == GPU_PLACE_SLICE) {
			net_port_done(to, r);
		} else {
			r->ready_units = now;
			queue_push(&s->replies, r);
		}
	}
	if (!l2_slice_can_take(s))
		s->has_refused = true; /* the stack may find it full */
}

/* ---- links ---- */

static void send(struct l2_slice *s, struct queue *q, struct net_channel *link, uint64_t now)
{
	const uint32_t header_bytes = (uint32_t)s->gpu->config->xbar.header_bytes;

	while (q->first) {
		if (q->first->ready_units > now) {
			sim_wake_units(s->gpu->engine, s->comp, q->first->ready_units);
			return;
		}
		if (!net_channel_ready(link, &s->comp))
			return;

		struct mem_req *r = queue_pop(q);

		net_channel_send(link, r, packet_bytes(r, header_bytes, header_bytes), now);
	}
}

void l2_far_send(struct l2_slice *s, uint64_t now)
{
	send(s, &s->far_requests, s->far_request, now);
	send(s, &s->far_answers, s->far_answer, now);
}

/* As many packets as are on a link's way at a time, and a queue of them. */
static struct net_channel *link_new(struct l2_slice *s, const char *prefix)
{
	const struct gpu_params *p = &s->gpu->config->gpu;
	struct sim_engine *e = s->gpu->engine;
	const uint64_t period = sim_period_units(e, s->gpu->clocks.l2);
	const uint64_t way_units = p->l2_far_latency_cycles * sim_period_units(e, s->gpu->clocks.sm);
	const struct net_channel_config c = {
	    .engine = e,
	    .flit_units = period,
	    .flit_bytes = (uint32_t)p->l2_far_bytes,
	    .latency_units = way_units,
	    .depth_packets = (uint32_t)((way_units + period - 1) / period + p->l2_queue_count),
	    .receiver = s->mirror->comp,
	    .has_receiver = true,
	    .stats = s->gpu->stats,
	    .stats_prefix = prefix,
	};

	return net_channel_new(&c);
}

void l2_far_connect(struct gpu *g)
{
	for (uint32_t i = 0; g->partition_slices && i < g->slice_count; i++) {
		struct l2_slice *s = g->slices[i];

		s->mirror = g->slices[(i + g->partition_slices) % g->slice_count];
		s->far_fetch_max = (uint32_t)g->config->l2.mshr_count / 2;
		s->far_audit = g->audits ? audit_new() : NULL;
		s->far_request = link_new(s, "l2_far_request");
		s->far_answer = link_new(s, "l2_far_answer");
		sim_stats_add_table(g->stats, &gpu_l2_far_stat_table, &s->far_stats, sizeof(s->far_stats));
	}
}

bool l2_far_is_idle(const struct l2_slice *s)
{
	return !s->mirror || (s->far_requests.count + s->far_answers.count == 0 && !s->inputs[L2_FROM_LINK].held &&
			      s->far_fetches == 0 && net_channel_is_idle(s->far_request) &&
			      net_channel_is_idle(s->far_answer));
}

void l2_far_reset(struct l2_slice *s)
{
	if (!s->mirror)
		return;
	s->far_requests = s->far_answers = (struct queue){0};
	s->far_fetches = 0;
	net_channel_reset(s->far_request);
	net_channel_reset(s->far_answer);
	if (s->far_audit) {
		audit_free(s->far_audit);
		s->far_audit = audit_new();
	}
}

void l2_far_free(struct l2_slice *s)
{
	if (!s->mirror)
		return;
	audit_free(s->far_audit);
	net_channel_free(s->far_request);
	net_channel_free(s->far_answer);
}
