/* packet.c - packets of partitioned blocks (NSU, SC'17, Figure 4): a header flit with packet id, address, mask and
 * target, and the payload. A packet is a memory request with a struct packet as its owner; on its way it changes its
 * kind: a read becomes the data, a write its acknowledgment.
 */
#include <glib.h>
#include <string.h>

#include "gpu/pages.h"
#include "ndp/carry/split/nsu.h"

enum { POOL_CHUNK = 256 };

static enum mem_op op_of(enum packet_kind kind)
{
	if (kind == PACKET_WRITE)
		return MEM_WRITE;
	return kind == PACKET_READ || kind == PACKET_FETCH ? MEM_READ : MEM_MESSAGE;
}

/* Where the packet, or what it asks for, goes. */
static uint16_t port_of(const struct split *split, enum packet_kind kind, const struct partition *p)
{
	switch (kind) {
	case PACKET_INVALIDATE:
		return split->invalidate_port;
	case PACKET_CREDIT:
		return split->credit_port;
	case PACKET_ANSWER:
		return split->sm_ports[p->home->sm->index];
	default:
		return p ? split->nsus[p->target]->port : 0;
	}
}

static void chunk_free(struct split *split, struct packet *chunk)
{
	for (uint32_t i = 0; i < POOL_CHUNK; i++)
		base_stack_push(&split->packets_free, &chunk[i], next_free);
}

struct mem_req *packet_new(struct split *split, enum packet_kind kind, struct partition *p)
{
	struct mem_req *r = mem_req_get(split->gpu->pool);
	struct packet *k;

	if (!split->packets_free) {
		k = g_new(struct packet, POOL_CHUNK);
		g_ptr_array_add(split->packet_chunks, k);
		chunk_free(split, k);
	}
	k = base_stack_pop(&split->packets_free, next_free);
	split->packet_count++;
	*k = (struct packet){.p = p,
			     .kind = (uint8_t)kind,
			     .target = p ? p->target : 0,
			     .begin_pc = p ? p->registers->begin_pc : 0};
	*r = (struct mem_req){
	    .issue_units = sim_now_units(split->gpu->engine),
	    .owner = k,
	    .tag = SM_NO_ACCESS,
	    .op = op_of(kind) & 3,
	    .kind = MEM_KIND_PASSING,
	    .port = port_of(split, kind, p),
	};
	if (unlikely(split->gpu->account != NULL))
		net_stamps_clear(r);
	return r;
}

void packet_free(struct split *split, struct mem_req *r)
{
	struct packet *k = packet_of(r);

	base_stack_push(&split->packets_free, k, next_free);
	split->packet_count--;
	mem_req_put(split->gpu->pool, r);
}

/* Of the block that it is for, in its ledger: not what data need anyway, nor what units fetch for all blocks. */
static bool is_message(enum packet_kind kind)
{
	return kind != PACKET_DATA && kind != PACKET_WRITE && kind != PACKET_WRITTEN && kind != PACKET_FETCH;
}

void packet_count(struct split *split, const struct mem_req *r)
{
	const struct link_params *l = &split->gpu->config->link;
	const struct packet *k = packet_of(r);
	const uint64_t whole = l->header_bytes + r->payload_bytes;
	const uint64_t bytes = (whole + l->flit_bytes - 1) / l->flit_bytes * l->flit_bytes;

	split->packet_stats.packets[k->kind]++;
	split->packet_stats.bytes[k->kind] += bytes;
	if (unlikely(split->gpu->account != NULL) && is_message((enum packet_kind)k->kind))
		account_block_at(split->gpu, k->begin_pc)->message_bytes += bytes;
}

static void packet_becomes(struct split *split, struct mem_req *r, enum packet_kind kind, uint32_t payload_bytes)
{
	struct packet *k = packet_of(r);

	k->kind = (uint8_t)kind;
	mem_req_set_payload(r, payload_bytes);
	r->op = MEM_MESSAGE;
	packet_count(split, r);
}

uint32_t partition_lanes(const struct partition_entry *e, uint64_t line_addr_bytes)
{
	uint32_t lanes = 0;

	for (uint32_t m = e->access.mask; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);

		lanes |= (uint32_t)(e->access.addr[lane] / COALESCE_LINE_BYTES == line_addr_bytes / COALESCE_LINE_BYTES)
			 << lane;
	}
	return lanes;
}

uint32_t packet_data_bytes(const struct packet *k)
{
	const struct partition_entry *e = &k->p->entries[k->seq];

	return (uint32_t)__builtin_popcount(k->lanes) * (e->lane_bytes + (k->fills && e->is_misaligned));
}

void packet_becomes_data(struct split *split, struct mem_req *r)
{
	packet_becomes(split, r, PACKET_DATA, packet_data_bytes(packet_of(r)));
}

/* ---- writes under way, per stack ---- */

void packet_write_begins(struct split *split, uint32_t stack)
{
	if (++split->write_lines[stack] > split->partition_stats.write_max)
		split->partition_stats.write_max = split->write_lines[stack];
}

void packet_write_ends(struct split *split, uint32_t stack)
{
	CHECK(split->write_lines[stack]);
	CHECK(split->writes_sent[stack]);
	split->write_lines[stack]--;
	if (--split->writes_sent[stack] == 0 && unlikely(split->gpu->pages != NULL))
		pages_are_clear(split->gpu->pages, stack);
}

/* After each write of a unit, the line must not stay in the GPU's caches (NSU section 4.2): in the L2, and in the L1 of
 * the SM that the packet id names. */
static struct mem_req *invalidation(struct split *split, uint32_t stack, const struct mem_req *written)
{
	struct mem_req *r = packet_new(split, PACKET_INVALIDATE, NULL);

	packet_of(r)->begin_pc = packet_of(written)->begin_pc;
	r->addr_bytes = written->addr_bytes;
	r->tag = split->sm_ports[packet_of(written)->p->home->sm->index];
	r->stack = (uint8_t)stack;
	r->slice = slice_of_place(split->gpu, stack, written);
	packet_count(split, r);
	return r;
}

void packet_served(struct split *split, struct mem_req *r, uint32_t where)
{
	switch ((enum packet_kind)packet_of(r)->kind) {
	case PACKET_READ:
		if (where == GPU_AT_L2) {
			split->partition_stats.read_l2_hits++;
			packet_of(r)->p->rdf_hit_count++;
		}
		packet_becomes_data(split, r);
		return;
	case PACKET_WRITE:
		if (split->gpu_invalidates)
			packet_write_ends(split, where == GPU_AT_HOST ? r->stack : where);
		else if (where == GPU_AT_HOST)
			l2_slice_take(split->gpu->slices[r->slice], invalidation(split, r->stack, r));
		else
			logic_layer_reply(split->gpu->stacks[where], invalidation(split, where, r));
		packet_becomes(split, r, PACKET_WRITTEN, 0);
		return;
	default:
		return;
	}
}

void packets_reset(struct split *split)
{
	memset(split->write_lines, 0, split->gpu->stack_count * sizeof(*split->write_lines));
	memset(split->writes_sent, 0, split->gpu->stack_count * sizeof(*split->writes_sent));
	split->packets_free = NULL;
	split->packet_count = 0;
	for (uint32_t i = 0; i < split->packet_chunks->len; i++)
		chunk_free(split, split->packet_chunks->pdata[i]);
}
