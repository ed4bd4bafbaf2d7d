/* l2.c - one L2 slice: takes requests from its crossbar port in order, answers hits after the hit latency, sends
 * misses, write-throughs and packets of near-data mechanisms to its stack's TX channel, those of host memory to the
 * host's wires. Atomics execute here.
 *
 * A slice's own requests (line fetches, write-backs, the write-through of an atomic) have ports of their own here; so
 * have messages to it. What is for others passes through: behind the crossbar, or in the stack.
 */
#include "base/bits.h"
#include "gpu/accounting.h"
#include "gpu/l2_inside.h"
#include "mem/sectors.h"

#include <glib.h>
#include <string.h>

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct l2_stats
#include "sim/stat_rows.inc"
#include "gpu/l2_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_l2_stat_table = {"l2_slice", stat_rows, ARRAY_COUNT(stat_rows)};

/* A request of the slice itself, at the place of r's line. */
static struct mem_req *own_request(struct l2_slice *s, const struct mem_req *r, uint16_t port, enum mem_op op,
				   uint32_t size_bytes)
{
	struct mem_req *f = mem_req_get(s->gpu->pool);

	*f = *r;
	f->next = NULL;
	f->size_bytes = (uint16_t)size_bytes;
	mem_req_set_access(f, op, (enum mem_kind)r->kind);
	f->port = s->port_first + port;
	f->owner = NULL;
	if (unlikely(s->gpu->account)) {
		net_stamps_clear(f);
		net_stamp(f, NET_STAGE_L2, sim_now_units(s->gpu->engine));
	}
	return f;
}

/* To who has asked for it: an SM, behind the queue for the crossbar, or one of the other partition. */
static void reply(struct l2_slice *s, struct queue *q, struct mem_req *r, uint64_t ready_units)
{
	if (unlikely(s->mirror != NULL) && l2_far_answer(s, r, ready_units))
		return;
	if (r->op != MEM_MESSAGE)
		mem_req_answer(r);
	r->ready_units = ready_units;
	queue_push(q, r);
}

/* The result of an atomic on its way to memory: its SM hears when it is there. */
static void atomic_write(struct l2_slice *s, const struct mem_req *r, uint32_t size_bytes)
{
	struct mem_req *w = own_request(s, r, PORT_ATOMIC, MEM_WRITE, size_bytes);

	w->tag = r->port;
	queue_push(&s->misses, w);
}

/* The accesses of an atomic hold the slice from the cycle on; what holds it already may be their tags. */
static void atomic_hold(struct l2_slice *s, const struct mem_req *r, uint64_t cycle)
{
	const uint64_t cycles = r->access_count * s->gpu->config->gpu.l2_atomic_interval_cycles;

	s->stats.atomic_words += r->size_bytes / 4u;
	s->free_cycle = base_max_u64(s->free_cycle, cycle + cycles);
}

/* The line is here: the atomic is done, its result goes on to memory unless the L2 keeps it. */
static void atomic_do(struct l2_slice *s, struct queue *q, struct mem_req *r, uint64_t ready_units)
{
	if (!s->is_write_back) {
		uint32_t sector = (uint32_t)s->gpu->config->sm.sector_bytes;
		uint32_t bytes = (r->size_bytes + sector - 1) / sector * sector;
		uint32_t line_bytes = mem_cache_line_bytes(s->cache);

		atomic_write(s, r, bytes < line_bytes ? bytes : line_bytes);
	} else if (likely(!s->mirror)) { /* else when no copy of the line is left */
		net_port_served(net_port_of(&s->gpu->ports, r), r, r->stack);
	}
	reply(s, q, r, ready_units);
}

static void write_back(struct l2_slice *s, const struct mem_req *by, uint64_t addr_bytes, uint32_t size_bytes)
{
	struct mem_place p = mem_map_place(&gpu_map_of(s->gpu, addr_bytes)->places, addr_bytes);
	struct mem_req *w = own_request(s, by, PORT_WRITE, MEM_WRITE, size_bytes);

	w->addr_bytes = addr_bytes;
	w->vault = (uint8_t)p.vault;
	w->bank = (uint8_t)p.bank;
	w->row = p.row;
	w->column = (uint16_t)p.column_bytes;
	queue_push(&s->misses, w);
}

/* So many sectors from the lowest on are fetched together. */
static uint32_t fetched_together(const struct l2_slice *s, uint32_t sectors)
{
	const uint32_t from = sectors >> __builtin_ctz(sectors);

	return s->gpu->config->gpu.l2_fetches_runs ? (uint32_t)__builtin_ctz(~from) : 1;
}

/* From memory, or from the partition whose line it is. */
static void fetch_send(struct l2_slice *s, struct mem_req *f)
{
	if (likely(l2_is_home(s, f)))
		queue_push(&s->misses, f);
	else
		l2_far_fetch(s, f);
}

/* Requests for sectors of r's line, one for each, or for those that lie together. */
static void fetch_sectors(struct l2_slice *s, const struct mem_req *r, uint32_t mshr, uint32_t sectors)
{
	const uint32_t offset = (uint32_t)(r->addr_bytes - mem_cache_line_of(s->cache, r->addr_bytes));

	while (sectors) {
		const uint32_t first = (uint32_t)__builtin_ctz(sectors), count = fetched_together(s, sectors);
		const uint32_t at = first * s->sector_bytes;
		struct mem_req *f = own_request(s, r, PORT_FILL, MEM_READ, count * s->sector_bytes);

		f->addr_bytes += at - offset;
		f->column = (uint16_t)(f->column + at - offset);
		f->tag = mshr;
		fetch_send(s, f);
		sectors &= ~(((1u << count) - 1) << first);
	}
}

static void fetch(struct l2_slice *s, const struct mem_req *r, uint32_t mshr)
{
	const uint32_t offset = (uint32_t)(r->addr_bytes - mem_cache_line_of(s->cache, r->addr_bytes));
	struct mem_req *f = own_request(s, r, PORT_FILL, MEM_READ, mem_cache_line_bytes(s->cache));

	f->addr_bytes -= offset;
	f->column = (uint16_t)(f->column - offset);
	f->tag = mshr;
	fetch_send(s, f);
}

static bool goes_to_host(const struct gpu *g, const struct mem_req *r)
{
	if (r->is_host || !g->has_host_memory || r->op == MEM_MESSAGE)
		return r->is_host;
	return host_link_has(g, r->addr_bytes);
}

/* A write that waits for the link and touches r's bytes or their neighbours, in r's line: a write buffer's entry.
 * The host's wires have no such buffer. */
static struct mem_req *waiting_write(const struct l2_slice *s, const struct mem_req *r)
{
	const uint64_t in_line = mem_cache_line_bytes(s->cache) - 1, end = r->addr_bytes + r->size_bytes;

	if (r->op != MEM_WRITE || r->kind == MEM_KIND_PASSING || !s->gpu->config->gpu.l2_merges_writes ||
	    goes_to_host(s->gpu, r))
		return NULL;
	for (struct mem_req *w = s->misses.first; w; w = w->next) {
		if (w->op == MEM_WRITE && (w->addr_bytes ^ r->addr_bytes) <= in_line &&
		    w->kind != MEM_KIND_PASSING && w->port != s->port_first + PORT_ATOMIC &&
		    w->port != s->port_first + PORT_WRITE && w->addr_bytes <= end &&
		    r->addr_bytes <= w->addr_bytes + w->size_bytes)
			return w;
	}
	return NULL;
}

/* Puts a write of the slice itself in w's place in the queue, which brings w, and what joins it, to memory. */
static struct mem_req *become_merged(struct l2_slice *s, struct mem_req *w)
{
	struct mem_req *m = mem_req_get(s->gpu->pool);

	*m = *w;
	if (unlikely(s->gpu->account)) {
		net_stamps_clear(m);
		net_stamps_join(m, w);
	}
	m->port = s->port_first + PORT_MERGED;
	m->owner = w;
	if (s->misses.first == w) {
		s->misses.first = m;
	} else {
		struct mem_req *before = s->misses.first;

		while (before->next != w)
			before = before->next;
		before->next = m;
	}
	if (s->misses.last == w)
		s->misses.last = m;
	w->next = NULL;
	return m;
}

/* r goes to memory with a write that waits already; false: there is none. */
static bool merge_write(struct l2_slice *s, struct mem_req *r)
{
	struct mem_req *w = waiting_write(s, r);
	uint64_t begin, end;

	if (!w)
		return false;
	if (w->port != s->port_first + PORT_MERGED)
		w = become_merged(s, w);
	begin = w->addr_bytes < r->addr_bytes ? w->addr_bytes : r->addr_bytes;
	end = w->addr_bytes + w->size_bytes;
	end = end > r->addr_bytes + r->size_bytes ? end : r->addr_bytes + r->size_bytes;
	w->column = (uint16_t)(w->column - (w->addr_bytes - begin));
	w->addr_bytes = begin;
	w->size_bytes = (uint16_t)(end - begin);
	mem_req_set_payload(w, w->size_bytes);
	r->next = w->owner;
	w->owner = r;
	s->stats.merged_writes++;
	return true;
}

/* Accesses the tags; what is missing is fetched. */
static enum mem_cache_result access_sectors(struct l2_slice *s, struct mem_req *r, bool is_write)
{
	const struct mem_req_bytes *bytes = mem_req_bytes_of(r);
	struct mem_cache_victim victim = {.addr_bytes = UINT64_MAX};
	uint32_t mshr, sectors;
	const enum mem_cache_result result =
	    is_write ? mem_cache_write_sectors(s->cache, r, bytes, r->op == MEM_ATOMIC, &mshr, &sectors, &victim)
		     : mem_cache_read_sectors(s->cache, r, bytes, &mshr, &sectors);

	if (result == MEM_CACHE_MISS)
		fetch_sectors(s, r, mshr, sectors);
	if (victim.addr_bytes != UINT64_MAX)
		write_back(s, r, victim.addr_bytes, victim.size_bytes);
	return result;
}

static enum mem_cache_result access_line(struct l2_slice *s, struct mem_req *r, bool is_write)
{
	uint32_t mshr;
	const enum mem_cache_result result =
	    is_write ? mem_cache_write(s->cache, r, &mshr) : mem_cache_read(s->cache, r, &mshr);

	if (result == MEM_CACHE_MISS)
		fetch(s, r, mshr);
	return result;
}

/* Looks the request up. False: no MSHR, it is held. */
static ALWAYS_INLINE bool look_up(struct l2_slice *s, struct mem_req *r, uint64_t now, bool has_mirror)
{
	bool is_write = r->op == MEM_WRITE || (r->op == MEM_ATOMIC && s->is_write_back);

	switch (s->sector_bytes ? access_sectors(s, r, is_write) : access_line(s, r, is_write)) {
	case MEM_CACHE_HIT:
		if (unlikely(s->gpu->audit) && r->op == MEM_READ)
			s->gpu->audit->hit(s->gpu->audit_self, UINT32_MAX, r);
		if (has_mirror)
			l2_far_hit(s, r);
		if (r->op == MEM_ATOMIC) {
			atomic_hold(s, r, sim_cycle_now(s->gpu->engine, s->gpu->clocks.l2));
			atomic_do(s, &s->hits, r, now + s->hit_units);
		} else {
			reply(s, &s->hits, r, now + s->hit_units);
		}
		return true;
	case MEM_CACHE_MISS:
	case MEM_CACHE_MERGED:
		return true;
	case MEM_CACHE_WRITE_THROUGH:
		if (r->op == MEM_ATOMIC) { /* write-back without write allocation: still done here */
			atomic_hold(s, r, sim_cycle_now(s->gpu->engine, s->gpu->clocks.l2));
			atomic_write(s, r, r->size_bytes);
			reply(s, &s->hits, r, now + s->hit_units);
		} else if (!merge_write(s, r)) {
			queue_push(&s->misses, r);
		}
		return true;
	default:
		s->stats.mshr_full_stalls++;
		return false;
	}
}

/* Room for what r, which waits, may bring. */
static bool has_room_for(const struct l2_slice *s, const struct mem_req *r)
{
	if (unlikely(s->mirror != NULL))
		return l2_far_room(s, r) == L2_ROOM;
	return s->hits.count + s->replies.count < s->queue_cap &&
	       (s->misses.count + s->forwards.count < s->queue_cap || waiting_write(s, r));
}

/* The same, counted. */
static ALWAYS_INLINE bool has_room(struct l2_slice *s, const struct mem_req *r, bool has_mirror)
{
	if (has_mirror) {
		const enum l2_room room = l2_far_room(s, r);

		s->stats.reply_full_stalls += room == L2_ROOM_NO_REPLY;
		s->stats.miss_full_stalls += room == L2_ROOM_NO_MISS;
		return room == L2_ROOM;
	}
	if (s->hits.count + s->replies.count >= s->queue_cap) {
		s->stats.reply_full_stalls++;
		return false;
	}
	if (!has_room_for(s, r)) {
		s->stats.miss_full_stalls++;
		return false;
	}
	return true;
}

/* A read that is for a stack looks for its line and leaves the cache as it is. */
static void pass(struct l2_slice *s, struct mem_req *r, uint64_t now)
{
	if (r->op == MEM_READ && mem_cache_probe(s->cache, r->addr_bytes)) {
		net_port_served(net_port_of(&s->gpu->ports, r), r, GPU_AT_L2);
		r->ready_units = now + s->hit_units;
		queue_push(&s->forwards, r);
	} else {
		queue_push(&s->misses, r);
	}
}

/* A line of the other partition: a read may find a copy, all else goes on to where the line is at home. */
static bool process_far(struct l2_slice *s, struct mem_req *r, uint64_t now)
{
	if (r->op != MEM_READ || !s->gpu->config->gpu.l2_far_copies) {
		l2_far_pass(s, r);
		return true;
	}
	if (!l2_far_may_fetch(s, r)) {
		s->stats.mshr_full_stalls++;
		return false;
	}
	return look_up(s, r, now, true);
}

static ALWAYS_INLINE bool process(struct l2_slice *s, struct mem_req *r, uint64_t now, bool has_mirror)
{
	const struct net_port *to;

	if (unlikely(r->kind == MEM_KIND_PASSING)) {
		pass(s, r, now);
		return true;
	}
	if (likely(r->op != MEM_MESSAGE)) {
		if (unlikely(s->gpu->units) && r->op != MEM_READ)
			s->gpu->units->ops->slice_written(s->gpu->units->self, r->addr_bytes);
		if (has_mirror && !l2_is_home(s, r))
			return process_far(s, r, now);
		return look_up(s, r, now, has_mirror);
	}
	to = net_port_of(&s->gpu->ports, r);
	if (to->place == GPU_PLACE_SLICE) {
		net_port_done(to, r);
		return true;
	}
	s->stats.offload_packets++;
	queue_push(&s->misses, r);
	return true;
}

/* Packets by which a store or a reduction is acknowledged. */
static uint32_t ack_count(const struct gpu *g, const struct mem_req *r)
{
	const uint32_t sector_bytes = (uint32_t)g->config->sm.sector_bytes;

	if (likely(!g->config->gpu.l2_ack_per_sector))
		return 1;
	return r->op == MEM_ATOMIC ? r->access_count
				   : (r->size_bytes + sector_bytes - 1) / sector_bytes;
}

/* What an answer takes on the crossbar: acknowledgments have a flit each, at least. */
static uint32_t reply_bytes(const struct gpu *g, const struct mem_req *r)
{
	const uint32_t header_bytes = (uint32_t)g->config->xbar.header_bytes;
	const uint32_t flit_bytes = (uint32_t)g->config->xbar.flit_bytes;
	const uint32_t count = r->payload_bytes || r->op == MEM_MESSAGE ? 1 : ack_count(g, r);

	if (count == 1)
		return packet_bytes(r, header_bytes, header_bytes);
	return count * ((header_bytes + flit_bytes - 1) / flit_bytes * flit_bytes);
}

enum sent { SENT_NOTHING, SENT_ONE, SENT_BLOCKED };

static enum sent send_reply(struct l2_slice *s, struct queue *q, uint64_t now)
{
	struct gpu *g = s->gpu;
	struct mem_req *r = q->first;
	const struct net_port *to;

	if (!r || r->ready_units > now)
		return SENT_NOTHING;
	to = net_port_of(&g->ports, r);
	if (!net_xbar_ready(g->replies, s->index, to->number, &s->comp))
		return SENT_BLOCKED; /* woken when the port or the output is free */
	queue_pop(q);
	account_arrived(g, r, NET_STAGE_L2_HOME);
	net_port_soon(to, r);
	net_xbar_send(g->replies, s->index, to->number, r, reply_bytes(g, r), now);
	return SENT_ONE;
}

/* The oldest first, but a head that waits for a place in the crossbar is asked for before: the place that is kept for
 * this slice is no one else's until then, and slices keeping each other's would wait for ever. */
static enum sent send_next(struct l2_slice *s, uint64_t now)
{
	const struct mem_req *hit = s->hits.first, *fill = s->replies.first;
	struct queue *q = hit && (!fill || hit->ready_units < fill->ready_units) ? &s->hits : &s->replies;
	enum sent sent;

	if (s->blocked)
		q = s->blocked;
	sent = send_reply(s, q, now);
	s->blocked = sent == SENT_BLOCKED ? q : NULL;
	return sent;
}

static void send_misses(struct l2_slice *s, uint64_t now)
{
	const struct mem_req *next;

	while ((next = s->misses.first)) {
		if (goes_to_host(s->gpu, next)) {
			struct mem_req *r = queue_pop(&s->misses);

			r->is_host = true;
			host_link_send(s->gpu->host_link, r, now);
			continue;
		}
		if (!net_channel_ready(s->tx, &s->comp))
			break;

		struct mem_req *r = queue_pop(&s->misses);

		net_channel_send(s->tx, r, packet_bytes(r, (uint32_t)s->gpu->config->link.header_bytes, 0), now);
	}
}

/* Answers for a stack's SM or unit. */
static void send_forwards(struct l2_slice *s, uint64_t now)
{
	struct gpu *g = s->gpu;
	uint32_t header_bytes = (uint32_t)g->config->link.header_bytes;

	while (s->forwards.first) {
		struct mem_req *r = s->forwards.first;
		struct net_channel *tx = logic_layer_tx(g->stacks[net_port_of(&g->ports, r)->number]);

		if (r->ready_units > now) {
			sim_wake_units(g->engine, s->comp, r->ready_units);
			return;
		}
		if (!net_channel_ready(tx, &s->comp))
			return;
		queue_pop(&s->forwards);
		net_channel_send(tx, r, packet_bytes(r, header_bytes, header_bytes), now);
	}
}

/* Packets that the tags have nothing to do with. */
static void take_passing(struct l2_slice *s, uint64_t now)
{
	while (s->passing.first && s->passing.first->ready_units <= now &&
	       s->misses.count + s->forwards.count < s->queue_cap) {
		struct mem_req *r = queue_pop(&s->passing);

		if (unlikely(s->gpu->account != NULL)) {
			net_stamp(r, NET_STAGE_XBAR, r->ready_units);
			net_stamp(r, NET_STAGE_L2, now);
		}
		s->stats.requests++;
		s->stats.offload_packets++;
		queue_push(&s->misses, r);
	}
}

static void wake_next(struct l2_slice *s, uint64_t cycle, bool is_blocked, bool may_have_more)
{
	struct gpu *g = s->gpu;
	const struct mem_req *next;

	if (s->passing.first && s->passing.first->ready_units > sim_now_units(g->engine))
		sim_wake_units(g->engine, s->comp, s->passing.first->ready_units);
	else if (s->passing.first && s->misses.count + s->forwards.count < s->queue_cap)
		sim_wake_cycle(g->engine, s->comp, cycle + 1);
	if (s->replies.first && !is_blocked)
		sim_wake_cycle(g->engine, s->comp, cycle + 1);
	if (s->hits.first && !is_blocked)
		sim_wake_units(g->engine, s->comp,
			       s->hits.first->ready_units > sim_now_units(g->engine) ? s->hits.first->ready_units
										     : sim_now_units(g->engine) + 1);
	if (unlikely(s->mirror != NULL))
		l2_far_wake(s, cycle);
	/* Without room, or held for an MSHR: what makes room wakes the slice. */
	for (uint32_t i = 0; may_have_more && i < (s->mirror ? L2_INPUT_COUNT : 1); i++) {
		next = s->inputs[i].held && s->inputs[i].waits_fill ? NULL : l2_waiting_at(s, i);
		if (next && has_room_for(s, next))
			sim_wake_cycle(g->engine, s->comp, s->free_cycle > cycle ? s->free_cycle : cycle + 1);
	}
}

/* The crossbar's latency has the pipeline before the tags behind it; that is the L2's. */
static void account_entered(const struct gpu *g, struct mem_req *r)
{
	if (unlikely(g->account != NULL))
		net_stamp(r, NET_STAGE_XBAR,
			  r->ready_units -
			      g->config->gpu.l2_entry_cycles * sim_period_units(g->engine, g->clocks.sm));
}

/* Sectors are looked up so many at a time, where lines have some. */
static uint64_t tag_accesses(const struct l2_slice *s, struct mem_req *r)
{
	const uint64_t at_once = s->gpu->config->gpu.l2_lookup_sector_count;
	uint64_t sectors;

	if (likely(!s->sector_bytes) || r->op == MEM_MESSAGE)
		return 1;
	sectors = (uint64_t)__builtin_popcount(mem_sectors_of(mem_req_bytes_of(r), s->sector_bytes,
							      mem_cache_line_bytes(s->cache) / s->sector_bytes));
	return base_max_u64(1, (sectors + at_once - 1) / at_once);
}

/* The first request of the input leaves the network. */
static void pop(struct l2_slice *s, uint32_t input)
{
	if (likely(input == L2_FROM_XBAR)) {
		account_entered(s->gpu, net_xbar_pop(s->gpu->requests, s->index));
		s->stats.requests++;
	} else {
		l2_far_pop(s);
	}
}

/* False: no request is waiting at the input. What a slice without a mirror does is compiled by itself. */
static ALWAYS_INLINE bool take_request(struct l2_slice *s, uint32_t input, uint64_t cycle, uint64_t now,
				       bool has_mirror)
{
	struct gpu *g = s->gpu;
	struct l2_input *in = &s->inputs[input];
	struct mem_req *r = l2_waiting_at(s, input);

	if (!r)
		return false;
	if (!has_room(s, r, has_mirror))
		return true;
	if (!in->held)
		pop(s, input);
	if (unlikely(g->account != NULL))
		net_stamp(r, NET_STAGE_L2, now);
	s->free_cycle = cycle + g->config->gpu.l2_interval_cycles * tag_accesses(s, r);
	in->held = process(s, r, now, has_mirror) ? NULL : r;
	in->waits_fill = in->held != NULL;
	return true;
}

/* The inputs in turn: one whose request cannot go on holds up nobody at the other. */
static bool take_any(struct l2_slice *s, uint64_t cycle, uint64_t now)
{
	bool may_have_more = false;

	if (likely(!s->mirror))
		return take_request(s, L2_FROM_XBAR, cycle, now, false);
	for (uint32_t i = 0; i < L2_INPUT_COUNT; i++) {
		const uint32_t input = (s->turn + i) % L2_INPUT_COUNT;

		if (cycle < s->free_cycle || (s->inputs[input].held && s->inputs[input].waits_fill))
			may_have_more = true;
		else
			may_have_more |= take_request(s, input, cycle, now, true);
	}
	s->turn = (s->turn + 1) % L2_INPUT_COUNT;
	return may_have_more;
}

static void slice_tick(void *component, uint64_t cycle)
{
	struct l2_slice *s = component;
	uint64_t now = sim_now_units(s->gpu->engine);
	bool may_have_more = true;
	enum sent sent;

	if (unlikely(s->mirror != NULL))
		l2_far_take(s, now);
	sent = send_next(s, now);
	if (unlikely(s->passing.first))
		take_passing(s, now);
	if (cycle >= s->free_cycle)
		may_have_more = take_any(s, cycle, now);
	send_misses(s, now);
	if (unlikely(s->mirror != NULL))
		l2_far_send(s, now);
	if (unlikely(s->forwards.first))
		send_forwards(s, now);
	if (s->has_refused && l2_slice_can_take(s)) {
		s->has_refused = false;
		logic_layer_slice_room(s->stack);
	}
	wake_next(s, cycle, sent == SENT_BLOCKED, may_have_more);
}

bool l2_slice_can_take(const struct l2_slice *s)
{
	return s->replies.count < s->queue_cap;
}

static uint32_t sector_of(const struct l2_slice *s, const struct mem_req *f)
{
	return (uint32_t)(f->addr_bytes - mem_cache_line_of(s->cache, f->addr_bytes)) / s->sector_bytes;
}

/* The sectors that f brings: who waited for the line, if nothing of it is still on its way. */
static struct mem_req *fill_sectors(struct l2_slice *s, const struct mem_req *f, struct mem_cache_victim *victim)
{
	const uint32_t first = sector_of(s, f), end = first + f->size_bytes / s->sector_bytes;
	struct mem_req *r = NULL;

	for (uint32_t i = first; i < end; i++) {
		struct mem_cache_victim other;

		r = mem_cache_fill_sector(s->cache, f->tag, i, &other);
		if (i == first) /* the line has its way from then on */
			*victim = other;
	}
	return r;
}

/* A line, or the last sector of those that are waited for, has arrived: answers all requests that waited for it. */
static void take_line(void *self, struct mem_req *f)
{
	struct l2_slice *s = self;
	struct mem_cache_victim victim = {.size_bytes = mem_cache_line_bytes(s->cache)};
	uint64_t now = sim_now_units(s->gpu->engine);
	bool is_kept = !mem_cache_mshr_is_stale(s->cache, f->tag);
	struct mem_req *r =
	    s->sector_bytes ? fill_sectors(s, f, &victim)
			    : mem_cache_fill(s->cache, f->tag, &victim.addr_bytes);

	if (unlikely(s->gpu->audit) && is_kept)
		s->gpu->audit->fill(s->gpu->audit_self, UINT32_MAX, f);
	if (unlikely(!l2_is_home(s, f)))
		l2_far_fetched(s, f, is_kept);
	if (victim.addr_bytes != UINT64_MAX)
		write_back(s, f, victim.addr_bytes, victim.size_bytes);
	while (r) {
		struct mem_req *next = r->next;

		if (unlikely(s->gpu->account))
			net_stamps_join(r, f);
		if (unlikely(s->gpu->audit) && r->op == MEM_READ)
			s->gpu->audit->pass(s->gpu->audit_self, f, r);
		if (r->op == MEM_ATOMIC) {
			/* Its tags have been looked up: the slice is held again. */
			atomic_hold(s, r, base_max_u64(s->free_cycle,
						       sim_cycle_now(s->gpu->engine, s->gpu->clocks.l2)));
			atomic_do(s, &s->replies, r, now);
		} else {
			reply(s, &s->replies, r, now);
		}
		r = next;
	}
	mem_req_put(s->gpu->pool, f);
}

static void take_written(void *self, struct mem_req *r)
{
	struct l2_slice *s = self;

	mem_req_put(s->gpu->pool, r);
}

/* Each of the writes that became this one is in memory: before whoever asks for what is there now. */
static void merged_served(void *self, struct mem_req *r, uint32_t where)
{
	struct l2_slice *s = self;

	for (struct mem_req *w = r->owner; w; w = w->next) {
		net_port_served(net_port_of(&s->gpu->ports, w), w, where);
		if (unlikely(s->gpu->audit))
			s->gpu->audit->memory(s->gpu->audit_self, w, true);
	}
}

static void take_merged(void *self, struct mem_req *r)
{
	struct l2_slice *s = self;
	uint64_t now = sim_now_units(s->gpu->engine);

	for (struct mem_req *w = r->owner, *next; w; w = next) {
		next = w->next;
		if (unlikely(s->gpu->account))
			net_stamps_join(w, r);
		reply(s, &s->replies, w, now);
	}
	mem_req_put(s->gpu->pool, r);
}

/* An atomic's result is in memory. Its SM must know where blocks and CTAs wait for that. */
static void take_atomic(void *self, struct mem_req *r)
{
	struct l2_slice *s = self;

	r->port = (uint16_t)r->tag;
	if (!s->gpu->stack_sm_count) {
		net_port_served(net_port_of(&s->gpu->ports, r), r, r->stack);
		mem_req_put(s->gpu->pool, r);
		return;
	}
	mem_req_set_message(r, 0);
	l2_slice_reply(s, r);
}

static void take_drop(void *self, struct mem_req *r)
{
	struct l2_slice *s = self;

	mem_cache_invalidate_line(s->cache, r->addr_bytes);
	mem_req_put(s->gpu->pool, r);
}

/* Something for an SM or a unit in the stack goes over the host's wires: there, or back. */
static void pass_host(struct l2_slice *s, const struct net_port *to, struct mem_req *r, uint64_t now)
{
	if (!r->is_reply) {
		r->slice = slice_of_place(s->gpu, r->stack, r);
		host_link_send(s->gpu->host_link, r, now);
		return;
	}
	net_port_served(to, r, GPU_AT_HOST);
	r->ready_units = now;
	queue_push(&s->forwards, r);
}

bool l2_slice_is_passed(const struct gpu *g, const struct mem_req *r)
{
	return r->op == MEM_MESSAGE && g->config->gpu.l2_messages_pass &&
	       net_port_of(&g->ports, r)->place == GPU_PLACE_STACK;
}

/* The pipeline before the tags is the end of the crossbar's latency. */
void l2_slice_pass(struct l2_slice *s, struct mem_req *r)
{
	struct gpu *g = s->gpu;

	r->ready_units -= g->config->gpu.l2_entry_cycles * sim_period_units(g->engine, g->clocks.sm);
	queue_push(&s->passing, r);
	sim_wake_units(g->engine, s->comp, r->ready_units);
}

void l2_slice_take(struct l2_slice *s, struct mem_req *r)
{
	uint64_t now = sim_now_units(s->gpu->engine);
	const struct net_port *to = net_port_of(&s->gpu->ports, r);

	l2_inputs_go_on(s);
	if (to->place == GPU_PLACE_SLICE)
		net_port_done(to, r);
	else if (to->place == GPU_PLACE_STACK)
		pass_host(s, to, r, now);
	else
		reply(s, &s->replies, r, now);
	if (!l2_slice_can_take(s))
		s->has_refused = true;
	sim_wake_units(s->gpu->engine, s->comp, now);
}

void l2_slice_reply(struct l2_slice *s, struct mem_req *r)
{
	reply(s, &s->replies, r, sim_now_units(s->gpu->engine));
}

void l2_slice_drop(struct l2_slice *s, uint64_t addr_bytes)
{
	mem_cache_invalidate_line(s->cache, addr_bytes);
}

uint16_t l2_slice_drop_port(const struct l2_slice *s)
{
	return s->port_first + PORT_DROP;
}

void l2_slice_warm(struct l2_slice *s, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write)
{
	mem_cache_warm(s->cache, addr_bytes, bytes, is_write);
	if (unlikely(s->mirror != NULL))
		l2_far_warmed(s, addr_bytes, bytes, is_write);
}

void l2_slice_prefetch(const struct l2_slice *s, uint64_t addr_bytes)
{
	mem_cache_prefetch(s->cache, addr_bytes);
}

bool l2_slice_holds(const struct l2_slice *s, uint64_t line_addr_bytes)
{
	static const struct mem_req_bytes any = {{0}};

	return mem_cache_holds(s->cache, line_addr_bytes, &any);
}

void l2_slice_invalidate_all(struct l2_slice *s)
{
	mem_cache_invalidate_all(s->cache);
}

static void ports_new(struct l2_slice *s)
{
	static const struct net_port_ops ops[] = {
	    [PORT_FILL] = {.done = take_line},
	    [PORT_WRITE] = {.done = take_written},
	    [PORT_ATOMIC] = {.done = take_atomic},
	    [PORT_DROP] = {.done = take_drop},
	    [PORT_MERGED] = {.done = take_merged, .served = merged_served},
	    [PORT_COPY_DROP] = {.done = l2_far_drop},
	    [PORT_COPY_DROPPED] = {.done = l2_far_dropped},
	};

	s->port_first = (uint16_t)s->gpu->ports.count;
	for (uint32_t i = 0; i < ARRAY_COUNT(ops); i++)
		net_port_add(&s->gpu->ports, &ops[i], s, GPU_PLACE_SLICE, s->index);
}

struct l2_slice *l2_slice_new(struct gpu *g, uint32_t index, struct logic_layer *stack)
{
	const struct gpu_config *c = g->config;
	struct l2_slice *s = g_new0(struct l2_slice, 1);

	s->gpu = g;
	s->index = index;
	ports_new(s);
	s->stack = stack;
	s->tx = logic_layer_tx(stack);
	s->cache = mem_cache_new(&g->slice_params, g->stats, "l2");
	s->sector_bytes = (uint32_t)c->l2.sector_bytes;
	s->queue_cap = (uint32_t)c->gpu.l2_queue_count;
	s->hit_units = c->l2.hit_latency_cycles * sim_period_units(g->engine, g->clocks.l2);
	s->is_write_back = c->l2.write_policy == MEM_CACHE_WRITE_POLICY_BACK;
	s->comp = sim_engine_add(g->engine, g->clocks.l2, "l2", slice_tick, s);
	net_xbar_set_receiver(g->requests, index, s->comp);
	sim_stats_add_table(g->stats, &gpu_l2_stat_table, &s->stats, sizeof(s->stats));
	return s;
}

static const struct mem_numbering *numbering_of(const void *self, uint64_t addr_bytes)
{
	return &gpu_map_of(self, addr_bytes)->of_slice;
}

void l2_slice_map(struct l2_slice *s)
{
	const struct gpu *g = s->gpu;

	mem_cache_is_part(s->cache, &(struct mem_cache_part){.numbering = &g->map.of_slice,
							     .numbering_of = g->mapper.map_of ? numbering_of : NULL,
							     .self = g});
}

const struct mem_cache *l2_slice_cache(const struct l2_slice *s)
{
	return s->cache;
}

void l2_slice_free(struct l2_slice *s)
{
	if (!s)
		return;
	l2_far_free(s);
	mem_cache_free(s->cache);
	g_free(s);
}

bool l2_slice_is_idle(const struct l2_slice *s)
{
	return s->hits.count + s->replies.count + s->misses.count + s->forwards.count + s->passing.count == 0 &&
	       !s->inputs[L2_FROM_XBAR].held && mem_cache_is_idle(s->cache) && l2_far_is_idle(s);
}

void l2_slice_reset(struct l2_slice *s)
{
	s->hits = s->replies = s->misses = s->forwards = s->passing = (struct queue){0};
	s->free_cycle = 0;
	s->has_refused = false;
	memset(s->inputs, 0, sizeof(s->inputs));
	s->blocked = NULL;
	l2_far_reset(s);
	mem_cache_reset(s->cache);
}
