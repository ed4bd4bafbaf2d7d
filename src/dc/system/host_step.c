/* host_step.c - what a step of a warp is on a core of the host: instructions by the CPU model's classes, and accesses:
 * one for lanes of a vector that lie beside each other, or that read the same place, and one for each lane else. */
#include <string.h>

#include "dc/system/host.h"

struct dc_host_price dc_host_price(const struct dc_host_run *r, const struct dc_host_item *item)
{
	const struct dc_host *h = r->host;

	if (item->kind == DC_HOST_ACCESS)
		return dc_host_access_price(h->system->p, &h->p, item->is_apart);
	if (item->kind != DC_HOST_PASS)
		return (struct dc_host_price){.instructions = 0};
	return dc_host_price_of(h->system->p, &h->p, r->step.inst, SIMT_LANES / h->vectors, item->lanes);
}

/* ---- accesses ---- */

static struct dc_host_item *add_item(struct dc_host_run *r, enum dc_host_kind kind, uint32_t vector, uint32_t lanes)
{
	struct dc_host_item *item = &r->items[r->item_count++];

	CHECK(r->item_count <= DC_HOST_ITEMS);
	*item = (struct dc_host_item){.kind = (uint8_t)kind, .vector = (uint8_t)vector, .lanes = lanes};
	return item;
}

static void add_access(struct dc_host_run *r, uint32_t vector, enum cpu_op op, uint64_t address, uint32_t bytes)
{
	struct dc_host_item *last = r->item_count ? &r->items[r->item_count - 1] : NULL, *item;
	const uint64_t most = r->host->system->p->host_vector_bytes;
	const bool is_atomic = op == CPU_ATOMIC || op == CPU_COMPARE;

	/* Lanes beside each other are one access of the vector, and those that read the same one as well. */
	if (last && last->kind == DC_HOST_ACCESS && last->vector == vector && last->op == op && !is_atomic &&
	    r->host->vectors < SIMT_LANES) {
		if (op == CPU_READ && address == last->address && bytes == last->bytes / last->lanes)
			return;
		if (address == last->address + last->bytes && last->bytes + bytes <= most) {
			last->bytes += bytes;
			last->lanes++;
			return;
		}
	}
	item = add_item(r, DC_HOST_ACCESS, vector, 1);
	item->op = (uint8_t)op;
	item->address = address;
	item->bytes = bytes;
}

/* Of a CTA's shared memory, which is its core's: no other thread of the host has it, and so atomics are none. */
static void add_shared(struct dc_host_run *r, uint32_t vector, uint64_t offset, uint32_t bytes)
{
	const struct dc_host *h = r->host;
	const uint64_t address = h->shared + (uint64_t)(r - h->runs) * h->shared_bytes + offset;
	const uint32_t flags = r->step.inst->flags;

	if (flags & SIMT_LOAD)
		add_access(r, vector, CPU_READ, address, bytes);
	if (flags & SIMT_STORE)
		add_access(r, vector, CPU_WRITE, address, bytes);
}

static enum cpu_op op_of(const struct simt_inst *inst)
{
	if (inst->flags & SIMT_ATOMIC)
		return inst->ptx->mods.atom == PTX_ATOM_CAS ? CPU_COMPARE : CPU_ATOMIC;
	return inst->flags & SIMT_STORE ? CPU_WRITE : CPU_READ;
}

static void add_lane(struct dc_host_run *r, uint32_t vector, uint32_t lane, uint32_t bytes)
{
	const struct simt_step *step = &r->step;
	const uint32_t bit = UINT32_C(1) << lane;
	const bool is_shared = step->space == SIMT_MEM_SHARED;

	if (step->access_mask & bit && !is_shared)
		add_access(r, vector, step->inst->flags & SIMT_COPY ? CPU_READ : op_of(step->inst), step->addr[lane],
			   bytes);
	if ((step->access_mask & bit && is_shared) || step->shared_mask & bit)
		add_shared(r, vector, step->addr[lane], bytes);
	if (step->inst->flags & SIMT_COPY && step->copy_mask & bit) {
		const uint64_t shared = r->host->shared + (uint64_t)(r - r->host->runs) * r->host->shared_bytes;

		add_access(r, vector, CPU_WRITE, shared + step->copy_at[lane], bytes);
	}
}

/* A kernel's parameters are the loop's: in registers. */
static bool is_access(const struct simt_step *step)
{
	return step->inst->flags & (SIMT_LOAD | SIMT_STORE | SIMT_COPY) && step->space != SIMT_MEM_PARAM &&
	       (step->access_mask | step->shared_mask);
}

/* Of a vector's accesses, where there are several, those of one lane each. */
static void find_apart(struct dc_host_run *r, uint32_t first)
{
	for (uint32_t i = first; r->host->vectors < SIMT_LANES && r->item_count > first + 1 && i < r->item_count; i++)
		r->items[i].is_apart = r->items[i].lanes == 1;
}

static void plan_accesses(struct dc_host_run *r)
{
	const struct simt_inst *inst = r->step.inst;
	const uint32_t vectors = r->host->vectors, lanes = SIMT_LANES / vectors;
	const uint32_t bytes = (uint32_t)inst->access_bytes * MAX(inst->vec, 1);

	for (uint32_t v = 0; v < vectors; v++) {
		const uint32_t before = r->item_count;

		for (uint32_t lane = v * lanes; lane < (v + 1) * lanes; lane++)
			add_lane(r, v, lane, MAX(bytes, 1));
		find_apart(r, before);
		if (r->item_count > before + 1 && inst->write_count)
			add_item(r, DC_HOST_JOIN, v, 0);
	}
}

static void plan_instructions(struct dc_host_run *r)
{
	const uint32_t vectors = r->host->vectors, lanes = SIMT_LANES / vectors;
	const uint32_t all = lanes == SIMT_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;

	for (uint32_t v = 0; v < vectors; v++) {
		const uint32_t mask = r->step.exec_mask >> v * lanes & all;

		if (mask)
			add_item(r, DC_HOST_PASS, v, (uint32_t)__builtin_popcount(mask));
	}
}

void dc_host_plan(struct dc_host_run *r, const struct simt_warp *w)
{
	struct dc_host *h = r->host;
	const struct simt_inst *inst = r->step.inst;

	r->item = r->item_count = 0;
	if (r->stepped != w) {
		memset(r->values, 0, sizeof(*r->values) * h->launch->program->sb_count * h->vectors);
		r->stepped = w;
	}
	h->warp_instructions++;
	if (inst->flags & SIMT_FENCE)
		add_item(r, DC_HOST_FENCE, 0, 0);
	else if (is_access(&r->step))
		plan_accesses(r);
	else
		plan_instructions(r);
}

/* ---- how far a load is from its use ---- */

static bool reads(const struct simt_program *p, const struct simt_inst *inst, const struct simt_inst *load)
{
	for (uint32_t i = 0; i < inst->read_count; i++)
		for (uint32_t k = 0; k < load->write_count; k++)
			if (p->sb[inst->sb_first + i] == p->sb[load->sb_first + load->read_count + k])
				return true;
	return false;
}

uint32_t *dc_host_uses(const struct simt_program *p, uint32_t vectors)
{
	enum { MOST = 64 };
	uint32_t *uses = g_new0(uint32_t, p->inst_count);

	for (uint32_t pc = 0; pc < p->inst_count; pc++) {
		uint32_t next = pc + 1;

		if (!(p->insts[pc].flags & SIMT_LOAD) || !p->insts[pc].write_count)
			continue;
		while (next < p->inst_count && next <= pc + MOST && !reads(p, &p->insts[next], &p->insts[pc]) &&
		       !(p->insts[next].flags & (SIMT_BRANCH | SIMT_EXIT)) && p->insts[next].func == p->insts[pc].func)
			next++;
		uses[pc] = (next - pc - 1) * vectors;
	}
	return uses;
}
