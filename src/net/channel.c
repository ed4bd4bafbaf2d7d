/* channel.c - one direction of a link: a wire that is reserved packet by packet, a ring of packets, credits.
 *
 * A credit returned by a pop becomes usable credit_units later; times of return are monotone, so a ring holds them.
 * Senders that found no credit queue up; each credit wakes the first of them. The credit is kept for the woken sender
 * (a grant) until it asks again; a grant not taken up within two cycles of the sender's domain lapses, so that a sender
 * which changed its mind costs a delay and not a deadlock. A credit on its way home may be granted before it is there:
 * its sender takes no other, for that may be another's, and since perhaps nothing moves when it lapses, the next sender
 * is woken then.
 */
#include "net/channel.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"

const struct sim_stat_desc net_channel_stat_rows[] = {
#define STAT_STRUCT struct net_channel_stats
#include "sim/stat_rows.inc"
#include "net/channel_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t net_channel_stat_row_count = ARRAY_COUNT(net_channel_stat_rows);

enum { WAITER_LANES = 8 }; /* compared at a time */

struct grant {
	struct sim_comp comp;
	uint64_t from_units, until_units;
};

/* What is looked at most comes first. */
struct net_channel {
	struct sim_engine *engine;
	uint32_t depth, credit_count; /* places in all; usable now */
	struct {
		BASE_RING(struct mem_req *);
	} packets;	     /* in flight or buffered, in order; ready_units is their arrival */
	uint64_t head_units; /* arrival of the first, SIM_NEVER for none */
	uint32_t waiter_count, grant_count;
	uint64_t settled_units; /* until then a waiter that asks again changes nothing */
	struct sim_comp *waiters; /* senders asleep, in order of asking */
	struct grant *grants;

	uint64_t wire_free_units;
	uint64_t frame_start_units; /* of the last frame */
	uint32_t frame_left;	    /* flits that it has room for */
	struct net_channel_config config;
	uint32_t flit_shift; /* log2 of flit_bytes, or UINT32_MAX */
	uint32_t waiter_cap;
	struct {
		BASE_RING(uint64_t);
	} returns; /* when credits on their way back become usable, in order */

	struct net_channel_stats stats;
};

struct net_channel *net_channel_new(const struct net_channel_config *c)
{
	struct net_channel *ch = g_aligned_alloc0(1, sizeof(*ch), HOST_LINE_BYTES);

	CHECK(c->depth_packets >= 1 && c->flit_bytes >= 1 && (!c->frame_flits || c->frame_units));
	ch->config = *c;
	ch->engine = c->engine;
	ch->depth = c->depth_packets;
	ch->flit_shift = c->flit_bytes & (c->flit_bytes - 1) ? UINT32_MAX : (uint32_t)__builtin_ctz(c->flit_bytes);
	ch->head_units = SIM_NEVER;
	ch->packets.items = g_new0(struct mem_req *, c->depth_packets);
	ch->returns.items = g_new0(uint64_t, c->depth_packets);
	ch->packets.cap = ch->returns.cap = c->depth_packets;
	ch->grants = g_new0(struct grant, c->depth_packets);
	ch->waiter_cap = WAITER_LANES;
	ch->waiters = g_new0(struct sim_comp, ch->waiter_cap);
	ch->credit_count = c->depth_packets;
	if (c->stats)
		sim_stats_add(c->stats, c->stats_prefix, net_channel_stat_rows, net_channel_stat_row_count, &ch->stats,
			      sizeof(ch->stats));
	return ch;
}

void net_channel_free(struct net_channel *ch)
{
	if (!ch)
		return;
	g_free(ch->packets.items);
	g_free(ch->returns.items);
	g_free(ch->grants);
	g_free(ch->waiters);
	g_aligned_free(ch);
}

void net_channel_set_receiver(struct net_channel *ch, struct sim_comp receiver)
{
	ch->config.receiver = receiver;
	ch->config.has_receiver = true;
}

static inline bool same_comp(struct sim_comp a, struct sim_comp b)
{
	return ((uint32_t)a.domain << 16 | a.index) == ((uint32_t)b.domain << 16 | b.index);
}

static inline void mature_credits(struct net_channel *ch, uint64_t now)
{
	while (unlikely(ch->returns.count) && *base_ring_first(&ch->returns) <= now) {
		base_ring_pop(&ch->returns);
		ch->credit_count++;
	}
}

static void drop_grant(struct net_channel *ch, uint32_t index)
{
	ch->grant_count--;
	ch->settled_units = 0;
	memmove(&ch->grants[index], &ch->grants[index + 1], (ch->grant_count - index) * sizeof(*ch->grants));
}

static void lapse_grants(struct net_channel *ch, uint64_t now)
{
	while (ch->grant_count && ch->grants[0].until_units < now)
		drop_grant(ch, 0);
}

/* Wakes the first waiter for a credit usable at time_units and keeps that credit for it. */
static void grant_first(struct net_channel *ch, uint64_t time_units)
{
	struct sim_comp w = ch->waiters[0];
	struct sim_engine *e = ch->engine;

	ch->waiter_count--;
	memmove(ch->waiters, ch->waiters + 1, ch->waiter_count * sizeof(*ch->waiters));
	ch->grants[ch->grant_count++] =
	    (struct grant){w, time_units, time_units + 2 * sim_period_units(e, w.domain)};
	sim_wake_units(e, w, time_units);
}

/* Looks at all lanes of a group, so that the compiler uses vector compares; what lies behind the count is no waiter. */
static bool is_waiting(const struct net_channel *ch, struct sim_comp w)
{
	for (uint32_t first = 0; first < ch->waiter_count; first += WAITER_LANES) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < WAITER_LANES; i++)
			found |= (uint32_t)same_comp(ch->waiters[first + i], w) << i;
		if (found & (ch->waiter_count - first >= WAITER_LANES ? ~0u : (1u << (ch->waiter_count - first)) - 1))
			return true;
	}
	return false;
}

static void add_waiter(struct net_channel *ch, struct sim_comp w)
{
	if (is_waiting(ch, w))
		return;
	if (ch->waiter_count == ch->waiter_cap) {
		ch->waiter_cap *= 2;
		ch->waiters = g_renew(struct sim_comp, ch->waiters, ch->waiter_cap);
	}
	ch->waiters[ch->waiter_count++] = w;
}

/* Grants to the waiters what is free by now or on its way back, as far as it is not granted. */
static void grant_waiters(struct net_channel *ch, uint64_t now)
{
	while (ch->waiter_count && ch->grant_count < ch->credit_count + ch->returns.count) {
		uint32_t later = ch->grant_count < ch->credit_count ? 0 : ch->grant_count - ch->credit_count + 1;
		uint64_t time = now;

		if (later)
			time = *base_ring_at(&ch->returns, later - 1);
		grant_first(ch, time > now ? time : now);
	}
	if (ch->config.credit_units && ch->waiter_count && ch->grant_count)
		sim_wake_units(ch->engine, ch->waiters[0], ch->grants[0].until_units + 1);
}

static bool take_grant(struct net_channel *ch, struct sim_comp w, uint64_t now)
{
	for (uint32_t i = 0; i < ch->grant_count; i++) {
		if (same_comp(ch->grants[i].comp, w)) {
			if (ch->credit_count == 0 || ch->grants[i].from_units > now)
				return false; /* awake for another reason, before the credit is usable */
			drop_grant(ch, i);
			return true;
		}
	}
	return false;
}

static bool has_grant(const struct net_channel *ch, struct sim_comp w)
{
	for (uint32_t i = 0; i < ch->grant_count; i++) {
		if (same_comp(ch->grants[i].comp, w))
			return true;
	}
	return false;
}

bool net_channel_ready(struct net_channel *ch, const struct sim_comp *waiter)
{
	uint64_t now = sim_now_units(ch->engine);

	mature_credits(ch, now);
	if (likely(!ch->grant_count && !ch->waiter_count)) {
		if (likely(ch->credit_count))
			return true;
	} else {
		if (waiter && now <= ch->settled_units && is_waiting(ch, *waiter)) {
			ch->stats.full_stalls++;
			return false;
		}
		lapse_grants(ch, now);
		if (waiter && take_grant(ch, *waiter, now))
			return true;
		if (ch->credit_count > ch->grant_count && (!ch->waiter_count || !waiter))
			return true;
	}
	ch->stats.full_stalls++;
	if (waiter && !has_grant(ch, *waiter))
		add_waiter(ch, *waiter);
	grant_waiters(ch, now);
	ch->settled_units = ch->grant_count ? ch->grants[0].until_units : SIM_NEVER;
	return false;
}

static inline uint64_t flits_of(const struct net_channel *ch, uint32_t bytes)
{
	uint32_t up = bytes + ch->config.flit_bytes - 1;

	return ch->flit_shift == UINT32_MAX ? up / ch->config.flit_bytes : up >> ch->flit_shift;
}

uint64_t net_channel_wire_units(const struct net_channel *ch, uint32_t bytes)
{
	return flits_of(ch, bytes) * ch->config.flit_units;
}

/* Reserves frames for flits, with what the last one has room for. Returns the new frames' number, and the start of the
 * packet's first flit. */
static uint64_t reserve_frames(struct net_channel *ch, uint64_t flits, uint64_t earliest, uint64_t *start)
{
	const struct net_channel_config *c = &ch->config;
	const uint64_t first_free = earliest > ch->wire_free_units ? earliest : ch->wire_free_units;
	uint64_t frames;

	if (ch->frame_start_units < earliest)
		ch->frame_left = 0;
	*start = ch->frame_left ? ch->frame_start_units : first_free;
	if (flits <= ch->frame_left) {
		ch->frame_left -= (uint32_t)flits;
		return 0;
	}
	flits -= ch->frame_left;
	frames = (flits + c->frame_flits - 1) / c->frame_flits;
	ch->frame_left = (uint32_t)(frames * c->frame_flits - flits);
	ch->frame_start_units = first_free + (frames - 1) * c->frame_units;
	ch->wire_free_units = ch->frame_start_units + c->frame_units;
	return frames;
}

/* Takes the wire for r, whose ready_units become its arrival. */
static void wire_take(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units)
{
	uint64_t flits = flits_of(ch, bytes), busy = flits * ch->config.flit_units;
	uint64_t start = earliest_units > ch->wire_free_units ? earliest_units : ch->wire_free_units;
	uint64_t wire_bytes = flits * ch->config.flit_bytes;

	if (unlikely(ch->config.frame_flits)) {
		const uint64_t frames = reserve_frames(ch, flits, earliest_units, &start);

		busy = frames * ch->config.frame_units;
		wire_bytes = frames * ch->config.frame_bytes;
	} else {
		ch->wire_free_units = start + busy;
	}
	r->ready_units = ch->wire_free_units + ch->config.latency_units;
	r->next = NULL;
	ch->stats.packets++;
	ch->stats.flits += flits;
	ch->stats.bytes += bytes;
	ch->stats.wire_bytes += wire_bytes;
	ch->stats.busy_units += busy;
	ch->stats.wait_units += start - earliest_units;
}

uint64_t net_channel_send(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units)
{
	uint64_t now = sim_now_units(ch->engine);

	mature_credits(ch, now);
	CHECK(ch->credit_count > 0 && earliest_units >= now);
	ch->credit_count--;
	wire_take(ch, r, bytes, earliest_units);
	if (ch->packets.count == 0)
		ch->head_units = r->ready_units;
	*base_ring_push(&ch->packets) = r;
	if (ch->packets.count > ch->stats.occupancy_max)
		ch->stats.occupancy_max = ch->packets.count;
	if (ch->config.has_receiver)
		sim_wake_units(ch->engine, ch->config.receiver, r->ready_units);
	return ch->wire_free_units;
}

uint64_t net_channel_send_past(struct net_channel *ch, struct mem_req *r, uint32_t bytes, uint64_t earliest_units)
{
	uint64_t now = sim_now_units(ch->engine);

	CHECK(earliest_units >= now);
	wire_take(ch, r, bytes, earliest_units);
	if (ch->waiter_count) { /* the credit that its sender was promised is another's */
		mature_credits(ch, now);
		grant_waiters(ch, now);
		ch->settled_units = ch->grant_count ? ch->grants[0].until_units : SIM_NEVER;
	}
	return ch->wire_free_units;
}

struct mem_req *net_channel_peek(struct net_channel *ch)
{
	return ch->head_units <= sim_now_units(ch->engine) ? *base_ring_first(&ch->packets) : NULL;
}

struct mem_req *net_channel_pop(struct net_channel *ch)
{
	uint64_t now = sim_now_units(ch->engine);
	struct mem_req *r = net_channel_peek(ch);

	CHECK(r);
	base_ring_pop(&ch->packets);
	ch->head_units = ch->packets.count ? (*base_ring_first(&ch->packets))->ready_units : SIM_NEVER;
	mature_credits(ch, now);
	if (ch->config.credit_units) {
		*base_ring_push(&ch->returns) = now + ch->config.credit_units;
	} else {
		ch->credit_count++;
	}
	if (ch->waiter_count) {
		lapse_grants(ch, now);
		grant_waiters(ch, now);
		ch->settled_units = ch->grant_count ? ch->grants[0].until_units : SIM_NEVER;
	}
	return r;
}

bool net_channel_is_idle(const struct net_channel *ch)
{
	return ch->packets.count == 0 && ch->credit_count + ch->returns.count == ch->depth;
}

void net_channel_reset(struct net_channel *ch)
{
	ch->packets.count = ch->returns.count = 0;
	ch->head_units = SIM_NEVER;
	ch->credit_count = ch->depth;
	ch->waiter_count = ch->grant_count = 0;
	ch->settled_units = 0;
	ch->frame_left = 0;
	ch->wire_free_units = sim_now_units(ch->engine);
}

uint64_t net_channel_busy_units(const struct net_channel *ch)
{
	uint64_t now = sim_now_units(ch->config.engine);

	/* From now until the wire is free it is reserved throughout; that time is counted but has not passed. */
	return ch->stats.busy_units - (ch->wire_free_units > now ? ch->wire_free_units - now : 0);
}
