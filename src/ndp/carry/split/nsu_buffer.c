/* nsu_buffer.c - the buffers of a SIMD unit (NSU, SC'17, sections 4.1 and 4.3): commands, read data and write addresses
 * that come in, writes that go out, credits that go back.
 *
 * An entry of the read-data or write-address buffer belongs to one memory instruction of one block; packets of the same
 * instruction merge by their masks. It is in use from the first packet until the instruction has taken it; what it
 * occupies has been reserved by the GPU's buffer manager.
 */
#include "ndp/carry/split/nsu.h"

/* ---- in ---- */

void nsu_take_command(struct nsu *u, struct partition *p)
{
	u->stats.buffer_writes++;
	u->used.commands++;
	CHECK(u->used.commands <= u->all.commands);
	if (u->used.commands > u->stats.commands_max)
		u->stats.commands_max = u->used.commands;
	base_fifo_push(&u->commands, p, next_command);
	nsu_start(u);
}

static void count_entries(struct nsu *u, bool is_write, uint32_t entries)
{
	uint32_t *used = is_write ? &u->used.writes : &u->used.reads;
	uint64_t *max = is_write ? &u->stats.writes_max : &u->stats.reads_max;

	*used += entries;
	CHECK(*used <= (is_write ? u->all.writes : u->all.reads));
	if (*used > *max)
		*max = *used;
}

void nsu_take_entry(struct nsu *u, const struct packet *k)
{
	struct partition *p = k->p;
	struct partition_entry *e = &p->entries[k->seq];

	CHECK((e->arrived & k->lanes) == 0 && (k->lanes & ~e->access.mask) == 0);
	if (!e->arrived)
		count_entries(u, e->is_store, e->entry_count);
	e->arrived |= k->lanes;
	if (e->arrived == e->access.mask && p->is_running)
		nsu_wake_slot(u, p->slot, e->is_store ? NSU_WAIT_ADDRESS : NSU_WAIT_DATA);
}

static void written(struct nsu *u, struct partition *p)
{
	CHECK(p->acks_left);
	if (--p->acks_left == 0)
		nsu_wake_slot(u, p->slot, NSU_WAIT_ACKS);
}

/* A packet that ends here. */
static void take(void *self, struct mem_req *r)
{
	struct nsu *u = self;
	struct packet *k = packet_of(r);

	switch ((enum packet_kind)k->kind) {
	case PACKET_COMMAND:
		account_trip_out(u->gpu, k->p->home, r);
		nsu_take_command(u, k->p);
		break;
	case PACKET_DATA:
		if (k->fills)
			nsu_cache_fill(u, k);
		/* fallthrough */
	case PACKET_ADDRESS:
		account_trip_operand(u->gpu, k->p->home, r);
		u->stats.buffer_writes++;
		nsu_take_entry(u, k);
		break;
	case PACKET_HELD:
		account_trip_operand(u->gpu, k->p->home, r);
		u->stats.buffer_writes++;
		nsu_cache_read(u, r);
		return;
	case PACKET_WRITTEN:
		written(u, k->p);
		break;
	case PACKET_FETCH:
		nsu_fetched(u, r);
		break;
	default:
		UNREACHABLE("a packet that no unit takes");
	}
	packet_free(u->split, r);
}

static void served(void *self, struct mem_req *r, uint32_t where)
{
	struct nsu *u = self;

	packet_served(u->split, r, where);
}

const struct net_port_ops nsu_port_ops = {.done = take, .served = served};

void nsu_issued(struct nsu *u, struct partition *p)
{
	if (!p->is_running)
		return;
	nsu_wake_slot(u, p->slot, NSU_WAIT_DATA);
	nsu_wake_slot(u, p->slot, NSU_WAIT_ADDRESS);
}

/* ---- out ---- */

void nsu_out_drain(struct nsu *u)
{
	while (u->out.first) {
		struct mem_req *next = u->out.first->next;

		if (!logic_layer_unit_offer(u->gpu->stacks[u->stack], u->out.first))
			return;
		u->out.first = next;
		u->out.count--;
	}
}

void nsu_room(struct nsu *u)
{
	sim_wake_units(u->gpu->engine, u->comp, sim_now_units(u->gpu->engine));
}

static void out_push(struct nsu *u, struct mem_req *r)
{
	if (u->out.first || !logic_layer_unit_offer(u->gpu->stacks[u->stack], r))
		queue_push(&u->out, r);
}

void nsu_store_step(struct nsu *u)
{
	struct nsu_store *s = &u->store;
	const struct coalesced_line *l = &s->lines[s->next];
	struct gpu *g = u->gpu;
	struct partition *p = s->p;
	const struct partition_entry *e;
	struct mem_req *r;
	struct packet *k;

	if (!p || u->out.count >= u->write_cap)
		return;
	e = &p->entries[s->seq];
	r = packet_new(u->split, PACKET_WRITE, p);
	k = packet_of(r);
	r->addr_bytes = l->addr_bytes;
	r->size_bytes = (uint16_t)coalesce_sector_bytes(l->word_mask, (uint32_t)g->config->sm.sector_bytes);
	k->seq = (uint16_t)s->seq;
	k->lanes = partition_lanes(e, l->addr_bytes);
	mem_req_set_payload(r, (uint32_t)__builtin_popcount(k->lanes) * e->lane_bytes);
	sm_place(p->home->sm, r);
	r->is_host = g->has_host_memory && host_link_has(g, r->addr_bytes);
	packet_count(u->split, r);
	if (r->stack == u->stack)
		u->stats.local_writes++;
	else
		u->stats.remote_writes++;
	out_push(u, r);
	if (++s->next < s->count)
		return;
	s->p = NULL;
	for (uint64_t m = u->waiting[NSU_WAIT_ROOM]; m; m &= m - 1)
		nsu_wake_slot(u, (uint32_t)__builtin_ctzll(m), NSU_WAIT_ROOM);
}

void nsu_fetch(struct nsu *u, enum nsu_memory from, uint64_t addr_bytes, uint32_t mshr)
{
	struct gpu *g = u->gpu;
	struct mem_req *r = packet_new(u->split, PACKET_FETCH, NULL);
	struct mem_place at = mem_map_place(&g->map.places, addr_bytes);

	r->addr_bytes = addr_bytes;
	r->size_bytes = (uint16_t)mem_cache_line_bytes(u->memory[from]);
	r->port = u->port;
	r->stack = (uint8_t)u->stack;
	r->vault = (uint8_t)at.vault;
	r->bank = (uint8_t)at.bank;
	r->row = at.row;
	r->column = (uint16_t)at.column_bytes;
	r->tag = mshr;
	packet_of(r)->seq = (uint16_t)from;
	mem_req_set_payload(r, r->size_bytes);
	packet_count(u->split, r);
	out_push(u, r);
}

/* ---- credits ---- */

void nsu_release(struct nsu *u, const struct partition *of, struct nsu_credits c)
{
	const struct nsu_params *p = &u->gpu->config->nsu;
	bool is_first = !(u->credits.commands | u->credits.reads | u->credits.writes);

	u->stats.buffer_reads++;
	u->credits.commands += c.commands;
	u->credits.reads += c.reads;
	u->credits.writes += c.writes;
	if (!is_first)
		return;
	u->credit_pc = of->registers->begin_pc;
	u->credit_cycle = nsu_cycle(u) + (p->free_messages ? 1 : p->credit_return_cycles);
	sim_wake_cycle(u->gpu->engine, u->comp, u->credit_cycle);
}

struct nsu_credits nsu_credits_take(struct nsu *u)
{
	struct nsu_credits c = u->credits;

	u->credits = (struct nsu_credits){0};
	u->has_credit_packet = false;
	return c;
}

void nsu_credits_due(struct nsu *u, uint64_t cycle)
{
	struct gpu *g = u->gpu;
	struct mem_req *r;

	if (!(u->credits.commands | u->credits.reads | u->credits.writes) || u->has_credit_packet)
		return;
	if (cycle < u->credit_cycle)
		return;
	if (g->config->nsu.free_messages) {
		const struct nsu_credits c = nsu_credits_take(u);

		buffer_manager_return(u->split->manager, u->stack, &c);
		return;
	}
	u->has_credit_packet = true;
	r = packet_new(u->split, PACKET_CREDIT, NULL);
	packet_of(r)->begin_pc = u->credit_pc;
	r->stack = (uint8_t)u->stack;
	packet_count(u->split, r);
	logic_layer_reply(g->stacks[u->stack], r);
}
