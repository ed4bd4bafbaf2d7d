/* packet_buffer.c - an SM's packets before they leave (NSU, SC'17, section 4.1): the pending buffer holds those of
 * blocks whose target's buffers have not been granted, the ready buffer those that may leave. In a cycle one packet
 * becomes ready and one leaves for the crossbar.
 *
 * Both are first in, first out, the pending buffer per block: packets of a block that has its grant pass those of
 * blocks that wait. In strict order they would wait behind these, which may wait for just the places that the first
 * holds; see docs/decisions/0012.
 */
#include <glib.h>

#include "base/list.h"
#include "ndp/carry/priv.h"

struct packet_buffer {
	struct split *split;
	struct sm *sm;
	uint32_t pending_cap, ready_cap;
	uint32_t pending_count; /* with reserved places */
	struct queue ready;
	struct {
		BASE_FIFO(struct partition);
	} movable; /* granted, with packets in the pending buffer */
};

struct packet_buffer *packet_buffer_new(struct split *split, struct sm *sm)
{
	const struct nsu_params *p = &sm->gpu->config->nsu;
	struct packet_buffer *b = g_new0(struct packet_buffer, 1);

	b->split = split;
	b->sm = sm;
	b->pending_cap = (uint32_t)p->pending_entry_count;
	b->ready_cap = (uint32_t)p->ready_entry_count;
	return b;
}

void packet_buffer_free(struct packet_buffer *b)
{
	g_free(b);
}

void packet_buffer_reset(struct packet_buffer *b)
{
	*b = (struct packet_buffer){
	    .split = b->split,
	    .sm = b->sm,
	    .pending_cap = b->pending_cap,
	    .ready_cap = b->ready_cap,
	};
}

bool packet_buffer_is_idle(const struct packet_buffer *b)
{
	return b->pending_count == 0 && b->ready.count == 0 && !b->movable.first;
}

static void count_pending(struct packet_buffer *b)
{
	struct partition_stats *st = &b->split->partition_stats;

	if (b->pending_count > st->pending_max)
		st->pending_max = b->pending_count;
}

static void put_ready(struct packet_buffer *b, struct mem_req *r)
{
	struct partition_stats *st = &b->split->partition_stats;

	queue_push(&b->ready, r);
	if (packet_of(r)->kind == PACKET_ADDRESS)
		b->split->writes_sent[r->stack]++;
	if (b->ready.count > st->ready_max)
		st->ready_max = b->ready.count;
}

bool packet_buffer_reserve(struct packet_buffer *b, struct partition *p, uint32_t count)
{
	if (b->pending_count + count > b->pending_cap)
		return false;
	b->pending_count += count;
	p->reserved_count += count;
	count_pending(b);
	return true;
}

static void make_movable(struct packet_buffer *b, struct partition *p)
{
	if (p->is_movable)
		return;
	p->is_movable = true;
	base_fifo_push(&b->movable, p, next);
}

/* The order of a block's packets is kept: straight to the ready buffer only when none is pending. */
bool packet_buffer_put(struct packet_buffer *b, struct partition *p, struct mem_req *r)
{
	bool is_direct = p->is_granted && !p->pending.count;

	if (is_direct && b->ready.count >= b->ready_cap && !p->reserved_count)
		return false;
	is_direct &= b->ready.count < b->ready_cap;
	if (p->reserved_count) {
		p->reserved_count--;
		b->pending_count -= is_direct;
	} else if (!is_direct) {
		if (b->pending_count == b->pending_cap)
			return false;
		b->pending_count++;
		count_pending(b);
	}
	b->split->partition_stats.buffer_puts++;
	if (is_direct) {
		put_ready(b, r);
	} else {
		queue_push(&p->pending, r);
		if (p->is_granted)
			make_movable(b, p);
	}
	return true;
}

void packet_buffer_granted(struct packet_buffer *b, struct partition *p)
{
	if (p->pending.count)
		make_movable(b, p);
}

static void move_one(struct packet_buffer *b)
{
	struct partition *p = b->movable.first;

	put_ready(b, queue_pop(&p->pending));
	b->split->partition_stats.buffer_puts++;
	b->pending_count--;
	if (p->pending.count)
		return;
	b->movable.first = p->next;
	p->is_movable = false;
}

/* A load's line may be with the unit, or in the SM's own cache; what the unit will keep does not come from there. */
static void leave(struct packet_buffer *b, struct mem_req *r)
{
	struct sm *sm = b->sm;
	struct split *split = b->split;
	struct packet *k = packet_of(r);

	if (k->kind == PACKET_READ && nsu_cache_ask(split->nsus[k->target], r))
		k->p->rdf_hit_count++;
	if (k->kind == PACKET_READ && !k->fills) {
		split->partition_stats.l1_probes++;
		if (mem_cache_probe(sm->l1d, r->addr_bytes)) {
			split->partition_stats.read_l1_hits++;
			k->p->rdf_hit_count++;
			packet_becomes_data(split, r);
			port_push_packet(sm, r);
			return;
		}
	}
	packet_count(split, r);
	split->partition_stats.l2_probes += k->kind == PACKET_READ;
	port_push_packet(sm, r);
}

void packet_buffer_tick(struct packet_buffer *b)
{
	struct sm *sm = b->sm;

	if (b->ready.count) {
		if (port_has_room(sm, 1)) {
			leave(b, queue_pop(&b->ready));
			sm->lsu_waits_fill = 0;
		} else {
			sm->ext_waits_port = true;
		}
	}
	if (b->movable.first && b->ready.count < b->ready_cap) {
		move_one(b);
		partition_room(b->split, sm);
	}
}

bool packet_buffer_has_work(const struct packet_buffer *b)
{
	if (b->movable.first && b->ready.count < b->ready_cap)
		return true;
	return b->ready.count && !b->sm->ext_waits_port;
}
