/* nsu.c - the SIMD unit in a stack's logic layer (NSU, SC'17, section 4.5): up to 48 warps, each runs the code of one
 * block; one instruction issues at a time, for as many cycles as its 32 lanes need. No data cache but nsu_cache.c's, no
 * translation: loads take what the read-data buffer holds, stores go where the write-address buffer says.
 *
 *   free -> running <-> waiting for data, addresses, results, code -> waiting for write acknowledgments -> free
 */
#include <glib.h>
#include <string.h>

#include "ndp/carry/split/nsu.h"

#include "base/bits.h"

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct nsu_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/split/nsu_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_nsu_stat_table = {"nsu", stat_rows, ARRAY_COUNT(stat_rows)};

/* The units' code lies behind the kernel's own, the parameters behind the code. */
enum { CODE_OFFSET_BYTES = 0x80000, PARAM_OFFSET_BYTES = 0xf0000, CACHE_WAYS = 4, CACHE_MSHRS = 2 };

/* ---- cycles ---- */

/* Attributes the cycles before this one: the issue was held by an instruction, or the reason holds. */
static void account(struct nsu *u, uint64_t cycle)
{
	uint64_t passed = cycle - u->accounted, held = 0;

	if (cycle <= u->accounted)
		return;
	if (u->issue_free > u->accounted)
		held = u->issue_free < cycle ? u->issue_free - u->accounted : passed;
	u->stats.issued_cycles += held;
	u->stats.stalls[u->reason] += passed - held;
	u->stats.cycles += passed;
	u->stats.warp_cycles += passed * (uint64_t)__builtin_popcountll(u->resident);
	u->accounted = cycle;
}

static uint8_t stall_reason(const struct nsu *u)
{
	for (uint32_t i = 0; i < NSU_WAIT_IDLE; i++) {
		if (u->waiting[i])
			return (uint8_t)i;
	}
	return NSU_WAIT_IDLE;
}

/* ---- warps ---- */

static void set_ready(struct nsu *u, uint32_t slot)
{
	u->ready |= 1ull << slot;
	sim_wake_units(u->gpu->engine, u->comp, sim_now_units(u->gpu->engine));
}

void nsu_wake_slot(struct nsu *u, uint32_t slot, enum nsu_wait reason)
{
	uint64_t bit = 1ull << slot;

	if (!(u->waiting[reason] & bit))
		return;
	account(u, nsu_cycle(u));
	u->waiting[reason] &= ~bit;
	set_ready(u, slot);
}

static void slot_start(struct nsu *u, uint32_t slot, struct partition *p)
{
	struct nsu_slot *s = &u->slots[slot];
	uint32_t sb_count = p->program->code->sb_count;

	if (sb_count > u->sb_cap) {
		u->sb_cap = sb_count;
		for (uint32_t i = 0; i < u->slot_count; i++)
			u->slots[i].sb = g_renew(uint64_t, u->slots[i].sb, sb_count);
	}
	if (p->program->code->inst_count > u->touched_cap) {
		u->touched = g_renew(uint8_t, u->touched, p->program->code->inst_count);
		memset(u->touched + u->touched_cap, 0, p->program->code->inst_count - u->touched_cap);
		u->touched_cap = p->program->code->inst_count;
	}
	s->p = p;
	account_trip_step(u->gpu, p->home, ACCOUNT_TRIP_SLOT);
	memset(s->line, 0, sizeof(s->line));
	memset(s->sb, 0, sb_count * sizeof(*s->sb));
	p->slot = slot;
	p->placed_units = sim_now_units(u->gpu->engine);
	p->is_running = true;
	u->resident |= 1ull << slot;
	u->stats.blocks++;
	if ((uint32_t)__builtin_popcountll(u->resident) > u->stats.warps_max)
		u->stats.warps_max = (uint32_t)__builtin_popcountll(u->resident);
	set_ready(u, slot);
}

void nsu_start(struct nsu *u)
{
	uint64_t all = UINT64_MAX >> (64 - u->slot_count);

	while (u->commands.first && u->resident != all) {
		struct partition *p = u->commands.first;

		account(u, nsu_cycle(u));
		u->commands.first = p->next_command;
		u->used.commands--;
		if (!u->gpu->config->nsu.slot_credits)
			nsu_release(u, p, (struct nsu_credits){.commands = 1});
		slot_start(u, (uint32_t)__builtin_ctzll(~u->resident), p);
	}
}

/* ---- code and constants ---- */

/* True when the warp has the line. */
static bool has_line(struct nsu *u, struct nsu_slot *s, enum nsu_memory from, uint64_t addr_bytes)
{
	uint64_t *reads = from == NSU_CODE ? &u->stats.fetches : &u->stats.constant_reads;
	uint64_t *misses = from == NSU_CODE ? &u->stats.fetch_misses : &u->stats.constant_misses;
	uint64_t line = mem_cache_line_of(u->memory[from], addr_bytes);
	uint32_t mshr;

	if (line + 1 == s->line[from])
		return true;
	u->spare->addr_bytes = line;
	u->spare->tag = (uint32_t)(s - u->slots);
	switch (mem_cache_read(u->memory[from], u->spare, &mshr)) {
	case MEM_CACHE_HIT:
		++*reads;
		s->line[from] = line + 1;
		return true;
	case MEM_CACHE_MISS:
		++*reads;
		++*misses;
		nsu_fetch(u, from, u->spare->addr_bytes, mshr);
		u->spare = mem_req_get(u->gpu->pool);
		return false;
	case MEM_CACHE_MERGED:
		++*reads;
		++*misses;
		u->spare = mem_req_get(u->gpu->pool);
		return false;
	default:
		u->refused[from] |= 1ull << (s - u->slots);
		return false;
	}
}

static bool has_code(struct nsu *u, struct nsu_slot *s)
{
	uint32_t inst_bytes = s->p->program->code->params.inst_bytes;

	return has_line(u, s, NSU_CODE,
			u->gpu->code_base + CODE_OFFSET_BYTES + (uint64_t)s->p->exec->inst * inst_bytes);
}

/* What the warp's next instruction, a CONST, reads is there, or no lane reads it. */
static bool has_constant(struct nsu *u, struct nsu_slot *s)
{
	const struct partition *p = s->p;
	bool is_param;
	uint64_t at;

	if (!nsu_warp_mask(p->program, p->exec))
		return true;
	nsu_warp_constant(p->program, p->exec, &is_param, &at);
	return has_line(u, s, NSU_CONSTANTS, is_param ? u->gpu->code_base + PARAM_OFFSET_BYTES + at : at);
}

void nsu_fetched(struct nsu *u, struct mem_req *r)
{
	uint32_t from = packet_of(r)->seq;
	enum nsu_wait wait = NSU_WAIT_FETCH + from;
	uint64_t victim;
	struct mem_req *q = mem_cache_fill(u->memory[from], r->tag, &victim);

	while (q) {
		struct mem_req *next = q->next;

		u->slots[q->tag].line[from] = r->addr_bytes + 1;
		nsu_wake_slot(u, q->tag, wait);
		mem_req_put(u->gpu->pool, q);
		q = next;
	}
	for (uint64_t m = u->refused[from]; m; m &= m - 1)
		nsu_wake_slot(u, (uint32_t)__builtin_ctzll(m), wait);
	u->refused[from] = 0;
}

static void touch_code(struct nsu *u, const struct partition *p)
{
	if (u->touched[p->exec->inst])
		return;
	u->touched[p->exec->inst] = 1;
	u->code_bytes += p->program->code->params.inst_bytes;
	if (u->code_bytes > u->stats.code_bytes)
		u->stats.code_bytes = u->code_bytes;
}

/* ---- issue ---- */

static uint64_t operands_ready(const struct nsu_slot *s, const struct nsu_inst *inst)
{
	const uint16_t *sb = s->p->program->code->sb + inst->sb_first;
	uint64_t ready = 0;

	for (uint32_t i = 0; i < (uint32_t)inst->read_count + inst->write_count; i++)
		ready = s->sb[sb[i]] > ready ? s->sb[sb[i]] : ready;
	return ready;
}

static bool entry_is_complete(const struct partition_entry *e)
{
	return e->is_issued && e->arrived == e->access.mask;
}

static enum simt_unit unit_of(const struct partition *p, const struct nsu_inst *inst)
{
	if (inst->op == NSU_OP_ALU)
		return (enum simt_unit)p->program->program->insts[inst->gpu_pc].unit;
	return inst->op == NSU_OP_BEG || inst->op == NSU_OP_END ? SIMT_UNIT_CTRL : SIMT_UNIT_LDST;
}

/* Why the warp cannot issue now; NSU_WAIT_COUNT: it can. */
static enum nsu_wait wait_of(struct nsu *u, struct nsu_slot *s, uint64_t cycle)
{
	const struct partition *p = s->p;
	const struct nsu_inst *inst = nsu_warp_next(p->program, p->exec);
	uint64_t unit_free;

	if (!has_code(u, s))
		return NSU_WAIT_FETCH;
	s->ready_cycle = operands_ready(s, inst);
	unit_free = u->unit_free[unit_of(p, inst)];
	s->ready_cycle = unit_free > s->ready_cycle ? unit_free : s->ready_cycle;
	if (s->ready_cycle > cycle)
		return NSU_WAIT_EXECUTION;
	if (inst->op == NSU_OP_LOAD && !entry_is_complete(&p->entries[inst->sequence]))
		return NSU_WAIT_DATA;
	if (inst->op == NSU_OP_STORE && !entry_is_complete(&p->entries[inst->sequence]))
		return NSU_WAIT_ADDRESS;
	if (inst->op == NSU_OP_CONST && !has_constant(u, s))
		return NSU_WAIT_CONSTANT;
	if (inst->op == NSU_OP_STORE && u->store.p)
		return NSU_WAIT_ROOM;
	if (inst->op == NSU_OP_END && p->acks_left)
		return NSU_WAIT_ACKS;
	return NSU_WAIT_COUNT;
}

static void count_issue(struct nsu *u, const struct nsu_inst *inst, enum simt_unit unit, uint32_t threads)
{
	uint64_t *const counts[SIMT_UNIT_COUNT] = {
	    [SIMT_UNIT_INT] = &u->stats.int_threads,	 [SIMT_UNIT_IMUL] = &u->stats.imul_threads,
	    [SIMT_UNIT_FP32] = &u->stats.fp32_threads,	 [SIMT_UNIT_FP64] = &u->stats.fp64_threads,
	    [SIMT_UNIT_SFU] = &u->stats.sfu_threads,	 [SIMT_UNIT_LDST] = &u->stats.memory_threads,
	    [SIMT_UNIT_CTRL] = &u->stats.control_threads,
	};

	u->stats.warp_instructions++;
	u->stats.thread_instructions += threads;
	*counts[unit] += threads;
	u->stats.register_reads += inst->read_count;
	u->stats.register_writes += inst->write_count;
}

static void take_load(struct nsu *u, const struct partition *p, struct partition_entry *e)
{
	if (e->arrived)
		u->used.reads -= e->entry_count;
	nsu_release(u, p, (struct nsu_credits){.reads = e->entry_count});
}

/* The store's values reach memory now; its lines leave one per cycle. */
static void take_store(struct nsu *u, struct partition *p, const struct nsu_inst *inst)
{
	struct partition_entry *e = &p->entries[inst->sequence];
	uint32_t bytes = (uint32_t)inst->access_bytes * inst->vec;

	if (e->arrived)
		u->used.writes -= e->entry_count;
	nsu_release(u, p, (struct nsu_credits){.writes = e->entry_count});
	if (!e->access.mask)
		return;
	simt_access_write(&e->access);
	u->store.count = coalesce_lines(e->access.addr, e->access.mask, bytes, u->store.lines);
	u->store.p = p;
	u->store.next = 0;
	u->store.seq = inst->sequence;
	p->acks_left += u->store.count;
}

static void answer_send(struct nsu *u, struct partition *p)
{
	struct gpu *g = u->gpu;
	struct mem_req *r = packet_new(u->split, PACKET_ANSWER, p);

	mem_req_set_payload(r, partition_registers_bytes(p, p->block->return_words, p->block->return_preds));
	packet_of(r)->lanes = p->mask;
	r->stack = (uint8_t)u->stack;
	r->slice = slice_of(g, u->stack, p->home->slot);
	packet_count(u->split, r);
	logic_layer_reply(g->stacks[u->stack], r);
}

/* All but its last instruction has issued, which waits for acknowledgments. */
static void run_ends(const struct nsu *u, struct partition *p)
{
	if (!p->has_run)
		account_trip_step(u->gpu, p->home, ACCOUNT_TRIP_RUN);
	p->has_run = true;
}

static void end(struct nsu *u, uint32_t slot)
{
	struct gpu *g = u->gpu;
	struct partition *p = u->slots[slot].p;

	gpu_span(g, GPU_SPANS_BLOCKS, u->stack, g->launch->program->insts[p->registers->begin_pc].line,
		 p->placed_units);
	run_ends(u, p);
	account_trip_step(g, p->home, ACCOUNT_TRIP_DRAIN);
	p->is_running = false;
	u->slots[slot].p = NULL;
	u->resident &= ~(1ull << slot);
	if (g->config->nsu.slot_credits)
		nsu_release(u, p, (struct nsu_credits){.commands = 1});
	if (!g->config->nsu.free_messages)
		answer_send(u, p);
	nsu_start(u);
	if (g->config->nsu.free_messages)
		partition_answered(p); /* and is no more */
}

static void results_ready(struct nsu *u, struct nsu_slot *s, const struct nsu_inst *inst, uint64_t at)
{
	const uint16_t *writes = s->p->program->code->sb + inst->sb_first + inst->read_count;

	(void)u;
	for (uint32_t i = 0; i < inst->write_count; i++)
		s->sb[writes[i]] = at;
}

static void execute(struct nsu *u, uint32_t slot, uint64_t cycle)
{
	struct nsu_slot *s = &u->slots[slot];
	struct partition *p = s->p;
	const struct nsu_inst *inst = nsu_warp_next(p->program, p->exec);
	const struct simt_inst *gpu_inst = &p->program->program->insts[inst->gpu_pc];
	enum simt_unit unit = unit_of(p, inst);
	uint32_t steps = inst->op == NSU_OP_ALU && gpu_inst->issue_slots ? gpu_inst->issue_slots - 1u : 0;
	uint64_t done = cycle + u->lane_interval * u->interval[unit];
	struct partition_entry *e = &p->entries[inst->sequence];

	count_issue(u, inst, unit, (uint32_t)__builtin_popcount(nsu_warp_mask(p->program, p->exec)));
	touch_code(u, p);
	u->issue_free = u->overlaps && unit != SIMT_UNIT_CTRL ? cycle + u->lane_interval : done;
	if (u->overlaps)
		u->unit_free[unit] = done;
	if (steps) {
		done += steps * u->lane_interval * u->interval[gpu_inst->step_unit];
		if (u->overlaps)
			u->unit_free[gpu_inst->step_unit] = done;
		else
			u->issue_free = done;
	}
	results_ready(u, s, inst, done - 1 + u->latency[unit]);
	if (inst->op == NSU_OP_END) {
		end(u, slot);
		return;
	}
	nsu_warp_step(p->program, u->gpu->launch, p->exec, &e->access);
	if (inst->op == NSU_OP_LOAD)
		take_load(u, p, e);
	else if (inst->op == NSU_OP_STORE)
		take_store(u, p, inst);
	else if (inst->op == NSU_OP_CONST)
		s->line[NSU_CONSTANTS] = 0;
	u->ready |= 1ull << slot;
}

/* Loose round robin over the warps that may issue; those that cannot wait from now on. True: one has issued. */
static bool schedule(struct nsu *u, uint64_t cycle)
{
	while (u->ready) {
		uint32_t slot = base_bit_after(u->ready, u->last);
		enum nsu_wait wait = wait_of(u, &u->slots[slot], cycle);

		u->ready &= ~(1ull << slot);
		if (wait == NSU_WAIT_COUNT) {
			u->last = slot;
			execute(u, slot, cycle);
			return true;
		}
		u->waiting[wait] |= 1ull << slot;
		if (wait == NSU_WAIT_ACKS)
			run_ends(u, u->slots[slot].p);
	}
	return false;
}

/* Warps whose results are there may issue; returns when the next one's are. */
static uint64_t results_due(struct nsu *u, uint64_t cycle)
{
	uint64_t next = UINT64_MAX;

	for (uint64_t m = u->waiting[NSU_WAIT_EXECUTION]; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);

		if (u->slots[slot].ready_cycle <= cycle) {
			u->waiting[NSU_WAIT_EXECUTION] &= ~(1ull << slot);
			u->ready |= 1ull << slot;
		} else if (u->slots[slot].ready_cycle < next) {
			next = u->slots[slot].ready_cycle;
		}
	}
	return next;
}

static void nsu_tick(void *component, uint64_t cycle)
{
	struct nsu *u = component;
	uint64_t next;

	if (u->gpu->has_failed)
		return;
	account(u, cycle);
	nsu_out_drain(u);
	nsu_store_step(u);
	nsu_credits_due(u, cycle);
	results_due(u, cycle);
	while (u->issue_free <= cycle && schedule(u, cycle))
		; /* what holds the issue for no cycle leaves it to the next */
	u->reason = stall_reason(u);
	next = results_due(u, cycle);
	if (u->ready)
		next = u->issue_free < next ? u->issue_free : next;
	if (u->store.p && u->out.count < u->write_cap)
		next = cycle + 1;
	if (next != UINT64_MAX)
		sim_wake_cycle(u->gpu->engine, u->comp, next > cycle ? next : cycle + 1);
}

/* ---- building ---- */

/* The execution units of an SM; what has to do with memory takes one cycle here, and the block's boundaries theirs. */
static void units_init(struct nsu *u, const struct gpu_config *c)
{
	sm_unit_times(&c->sm, u->latency, u->interval);
	u->latency[SIMT_UNIT_LDST] = u->interval[SIMT_UNIT_LDST] = 1;
	u->latency[SIMT_UNIT_CTRL] = 1;
	u->interval[SIMT_UNIT_CTRL] = (uint32_t)c->nsu.boundary_cycles;
	u->overlaps = c->nsu.units_overlap;
	u->lane_interval = SIMT_LANES / (uint32_t)c->nsu.lane_count;
}

static struct mem_cache *cache_new(const struct gpu_config *c, uint64_t size_bytes)
{
	struct cache_params p = c->l1i;

	p.size_bytes = size_bytes;
	p.way_count = p.size_bytes / p.line_bytes;
	if (p.way_count > CACHE_WAYS)
		p.way_count = CACHE_WAYS;
	p.mshr_count = CACHE_MSHRS;
	p.mshr_merge_count = NSU_WARPS_MAX;
	p.is_perfect = false; /* that of the SMs says nothing of units */
	return mem_cache_new(&p, NULL, NULL);
}

struct nsu *nsu_new(struct split *split, uint32_t stack)
{
	struct gpu *g = split->gpu;
	const struct nsu_params *p = &g->config->nsu;
	struct nsu *u = g_new0(struct nsu, 1);

	u->split = split;
	u->gpu = g;
	g->spare_count++;
	u->stack = stack;
	u->slot_count = (uint32_t)p->warp_slot_count;
	u->write_cap = (uint32_t)p->write_queue_count;
	u->all = (struct nsu_credits){(uint32_t)p->command_entry_count, (uint32_t)p->read_entry_count,
				      (uint32_t)p->write_entry_count};
	units_init(u, g->config);
	u->memory[NSU_CODE] = cache_new(g->config, p->inst_cache_bytes);
	u->memory[NSU_CONSTANTS] = cache_new(g->config, p->const_cache_bytes);
	nsu_cache_new(u);
	u->port = net_port_add(&g->ports, &nsu_port_ops, u, GPU_PLACE_STACK, stack);
	u->spare = mem_req_get(g->pool);
	u->last = 63;
	u->reason = NSU_WAIT_IDLE;
	sim_stats_add_table(g->stats, &carry_nsu_stat_table, &u->stats, sizeof(u->stats));
	u->comp = sim_engine_add(g->engine, g->clocks.nsu, "nsu", nsu_tick, u);
	return u;
}

void nsu_free(struct nsu *u)
{
	if (!u)
		return;
	mem_req_put(u->gpu->pool, u->spare);
	for (uint32_t i = 0; i < NSU_MEMORY_COUNT; i++)
		mem_cache_free(u->memory[i]);
	nsu_cache_free(u);
	for (uint32_t i = 0; i < u->slot_count; i++)
		g_free(u->slots[i].sb);
	g_free(u->touched);
	g_free(u);
}

/* ---- kernels ---- */

void nsu_kernel_begin(struct nsu *u)
{
	for (uint32_t i = 0; i < NSU_MEMORY_COUNT; i++)
		mem_cache_invalidate_all(u->memory[i]);
	nsu_cache_kernel_begin(u);
	if (u->touched_cap)
		memset(u->touched, 0, u->touched_cap);
	u->code_bytes = 0;
	u->accounted = nsu_cycle(u);
	u->reason = NSU_WAIT_IDLE;
}

void nsu_kernel_end(struct nsu *u)
{
	account(u, nsu_cycle(u));
}

bool nsu_is_idle(const struct nsu *u)
{
	return !u->resident && !u->commands.first && !u->out.first && !u->store.p &&
	       mem_cache_is_idle(u->memory[NSU_CODE]) && mem_cache_is_idle(u->memory[NSU_CONSTANTS]) &&
	       nsu_cache_is_idle(u) &&
	       !(u->used.commands | u->used.reads | u->used.writes) &&
	       !(u->credits.commands | u->credits.reads | u->credits.writes);
}

void nsu_reset(struct nsu *u)
{
	u->resident = u->ready = 0;
	memset(u->waiting, 0, sizeof(u->waiting));
	for (uint32_t i = 0; i < u->slot_count; i++)
		u->slots[i].p = NULL;
	u->commands.first = NULL;
	u->used = u->credits = (struct nsu_credits){0};
	u->has_credit_packet = false;
	u->store.p = NULL;
	u->out = (struct queue){0};
	for (uint32_t i = 0; i < NSU_MEMORY_COUNT; i++) {
		u->refused[i] = 0;
		mem_cache_reset(u->memory[i]);
	}
	nsu_cache_reset(u);
	u->spare = mem_req_get(u->gpu->pool); /* the pool was emptied */
	u->reason = NSU_WAIT_IDLE;
}
