/* split.c - the GPU's part of a partitioned block (NSU, SC'17, section 4.1).
 *
 *   marked instruction -> policy: CARRY_SPLIT -> live-ins ready -> OFLD.BEG
 *     -> address arithmetic executes, what is marked @NSU passes as no operation
 *     -> each memory instruction: lines -> LSU -> one packet per line -> packet buffer; the first one names the target,
 *        the stack that most of its lines lie in, and asks for the places of the whole block in that unit's buffers
 *     -> OFLD.END: waits for the unit's answer -> live-outs written, the warp goes on behind the block
 *
 * Values: a load's are read when it issues here and stored in the instance, as the entry of the unit's read-data buffer
 * that its packets will fill; a store's are written when the unit executes it.
 */
#include <glib.h>
#include <string.h>

#include "ndp/carry/priv.h"

enum { WORD_BYTES = 4 };

static const struct sim_stat_desc partition_stat_rows[] = {
#define STAT_STRUCT struct partition_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/split/partition_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_partition_stat_table = {"partition", partition_stat_rows,
							 ARRAY_COUNT(partition_stat_rows)};
static const struct sim_stat_desc packet_stat_rows[] = {
#define STAT_STRUCT struct packet_stats
#include "sim/stat_rows.inc"
#include "ndp/carry/split/packet_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table carry_packet_stat_table = {"packet", packet_stat_rows, ARRAY_COUNT(packet_stat_rows)};

static struct packet_buffer *packets_of(const struct sm *sm, const struct partition *p)
{
	return p->split->buffers[sm->index];
}

/* ---- instances ---- */

static struct partition *instance_new(struct split *split, struct sm_warp *w)
{
	const struct carry_verdict *offload = &entry_of(split->carry, w)->offload;
	const struct nsu_block *b = &offload->program->code->blocks[offload->partition];
	struct partition *p = split->partitions_free;
	uint32_t count = b->load_count + b->store_count;
	struct partition_entry *entries;
	uint32_t cap;

	if (p)
		base_stack_pop(&split->partitions_free, next);
	else
		p = g_new0(struct partition, 1);
	entries = p->entries;
	cap = p->entry_cap;
	if (cap < count) {
		entries = g_renew(struct partition_entry, entries, count);
		cap = count;
	}
	*p = (struct partition){
	    .split = split,
	    .home = w,
	    .program = offload->program,
	    .block = b,
	    .number = offload->partition,
	    .registers = offload->block,
	    .entries = entries,
	    .entry_cap = cap,
	};
	for (uint32_t i = 0; i < count; i++) {
		entries[i].arrived = 0;
		entries[i].is_issued = false;
	}
	p->mask = w->w->active_mask;
	p->begin_units = sim_now_units(split->gpu->engine);
	p->has_command_place = split->gpu->config->nsu.free_messages; /* it needs none */
	base_list_push(&split->partitions_live, p, live);
	gate_block_begins(split);
	split->partition_stats.blocks++;
	return p;
}

static void instance_free(struct split *split, struct partition *p)
{
	if (p->exec) /* its kernel was aborted */
		nsu_warp_drop(p->program, p->exec);
	gate_block_ends(split);
	base_list_remove(&split->partitions_live, p, live);
	base_stack_push(&split->partitions_free, p, next);
}

/* ---- OFLD.BEG ---- */

enum { INSIDE = 1 << GPU_POINT_EVALUATE | 1 << GPU_POINT_ISSUE };

static struct partition **partition_of(const struct split *split, const struct sm_warp *w)
{
	return sm_ext_state(split->ext, w);
}

/* The block carrier has left a warp at its block's begin to this one: it waits for its live-ins first. */
static bool enter(void *self, struct sm *sm, struct sm_warp *w)
{
	struct split *split = self;
	struct entry *e = entry_of(split->carry, w);
	const struct carry_block *b = e->offload.block;
	uint32_t ready = 0;

	if (!e->is_split || *partition_of(split, w))
		return false;
	for (uint32_t i = 0; i < b->live_in_count; i++)
		ready = w->sb[b->live_in_sb[i]] > ready ? w->sb[b->live_in_sb[i]] : ready;
	if (ready == SM_SB_PENDING) {
		sm_set_wait(sm, w, SM_WAIT_MEMORY);
		return true;
	}
	if (ready >> 1 > sm->now) {
		sm_set_wait(sm, w, ready & 1 ? SM_WAIT_MEMORY : SM_WAIT_EXECUTION);
		w->ready = ready >> 1;
		sm_wheel_add(sm, w);
		return true;
	}
	*partition_of(split, w) = instance_new(split, w);
	account_trip_begin(split->gpu, w, b->begin_pc);
	sm_watch(split->ext, w, INSIDE);
	sm->schedulers[w->scheduler].unstopped |= 1ull << w->bit;
	return false;
}

/* The unit's part is done: the warp has the live-outs, and the registers are free. */
static void exec_end(struct gpu *g, struct partition *p)
{
	nsu_warp_end(p->program, g->launch, p->exec, p->home->w);
	p->exec = NULL;
}

static void begin_issue(struct sm *sm, struct partition *p)
{
	struct gpu *g = sm->gpu;

	p->exec = nsu_warp_begin(p->program, g->launch, p->home->w, p->number);
	p->state = PARTITION_RUNS;
}

static enum nsu_role role_of(const struct partition *p)
{
	return (enum nsu_role)p->program->code->role[p->home->w->pc];
}

/* ---- memory instructions ---- */

/* The block's first access, at first_pc, touches these lines. */
static uint32_t target_of(const struct split *split, struct sm_warp *w, uint32_t first_pc,
			  const struct coalesced_line *lines, uint32_t count)
{
	struct carry *c = split->carry;
	const uint32_t accesses = carry_accesses(c);
	uint64_t addr[CARRY_ACCESSES_MAX * COALESCE_LINES_MAX];
	struct carry_access a = {.sm = w->sm->index, .slot = w->slot, .lines = addr, .count = count,
				 .known_count = count};

	for (uint32_t i = 0; i < count; i++)
		addr[i] = lines[i].addr_bytes;
	if (unlikely(accesses > 1))
		a.known_count += carry_lines_ahead(c->gpu, w->w, first_pc, entry_of(c, w)->offload.block, accesses - 1,
						   addr + count);
	return c->policy->target(c->policy_ctx, c->gpu, &a, buffer_manager_loads(split->manager));
}

static void name_target(struct partition *p, uint32_t target)
{
	p->has_target = true;
	p->target = (uint8_t)target;
	buffer_manager_request(p->split->manager, p);
}

/* Waits for the grant, or for places in the pending buffer. */
static void wait_room(struct sm *sm, struct partition *p)
{
	p->split->partition_stats.pending_stalls++;
	p->waits_room = true;
	sm_set_wait(sm, p->home, SM_WAIT_OFFLOAD);
}

/* Aligned: lane i accesses word i of the line (NSU Figure 4); of wider words, several lines hold them in this order. */
static bool is_misaligned(const struct simt_access *a)
{
	uint32_t first = (uint32_t)__builtin_ctz(a->mask);
	uint64_t base = a->addr[first] - (uint64_t)first * a->lane_bytes;

	if (base % COALESCE_LINE_BYTES)
		return true;
	for (uint32_t m = a->mask; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);

		if (a->addr[lane] != base + (uint64_t)lane * a->lane_bytes)
			return true;
	}
	return false;
}

/* Issues the load or store the warp stands at. False: a fault, or it waits; the warp has been put where it belongs. */
static bool access_issue(struct sm *sm, struct sm_warp *w, struct partition *p)
{
	struct gpu *g = sm->gpu;
	bool is_store = role_of(p) == NSU_ROLE_STORE;
	struct partition_entry *e = &p->entries[p->seq];
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint32_t count;

	CHECK(p->seq < p->block->load_count + p->block->store_count);
	if (!simt_capture(g->launch, w->w, &e->access, &g->step)) {
		sm_fail(sm);
		return false;
	}
	count = e->access.mask ? coalesce_lines(e->access.addr, e->access.mask, e->access.lane_bytes, lines) : 0;
	if (count && !p->has_target)
		name_target(p, target_of(p->split, w, g->step.pc, lines, count));
	if (count && !p->is_granted) {
		if (!packet_buffer_reserve(packets_of(sm, p), p, count + !p->has_command_place)) {
			wait_room(sm, p);
			return false;
		}
		p->has_command_place = true;
	}
	e->is_issued = true;
	e->is_store = is_store;
	e->is_misaligned = count && is_misaligned(&e->access);
	e->entry_count = (e->access.lane_bytes + WORD_BYTES - 1) / WORD_BYTES;
	e->lane_bytes = e->entry_count * WORD_BYTES;
	sm_count_issue(sm, &g->step);
	if (entry_of(p->split->carry, w)->is_observed)
		ask_observe(p->split->carry, w, &g->step, lines, count);
	if (count)
		lsu_issue_carried(sm, w, p->split->ext, p->seq, lines, count);
	else if (p->is_running)
		nsu_issued(p->split->nsus[p->target], p);
	*(is_store ? &p->wta_count : &p->rdf_count) += count;
	p->seq++;
	return true;
}

static struct mem_req *command_new(struct partition *p)
{
	struct mem_req *r = packet_new(p->split, PACKET_COMMAND, p);

	r->stack = p->target;
	r->vault = (uint8_t)p->home->slot;
	packet_of(r)->lanes = p->mask;
	mem_req_set_payload(r, partition_registers_bytes(p, p->block->send_words, p->block->send_preds));
	return r;
}

static bool command_put(struct sm *sm, struct partition *p)
{
	struct mem_req *r;

	if (p->has_command || p->split->gpu->config->nsu.free_messages)
		return true;
	r = command_new(p);
	if (!packet_buffer_put(packets_of(sm, p), p, r)) {
		packet_free(p->split, r);
		return false;
	}
	p->has_command = true;
	account_trip_step(sm->gpu, p->home, ACCOUNT_TRIP_LEAVE);
	return true;
}

/* The SM keeps the address of a store's line until its block ends. */
static void address_kept(struct split *split, const struct sm *sm)
{
	if (split->gpu_invalidates && ++split->kept[sm->index] > split->partition_stats.kept_max)
		split->partition_stats.kept_max = split->kept[sm->index];
}

static bool line_packet(void *self, struct sm *sm, struct lsu_entry *l, const struct coalesced_line *line)
{
	struct partition *p = *partition_of(self, &sm->warps[l->slot]);
	const struct partition_entry *e = &p->entries[l->access];
	bool is_store = e->is_store;
	struct mem_req *r;
	struct packet *k;

	if (!command_put(sm, p)) {
		p->split->partition_stats.ready_stalls++;
		return false;
	}
	r = packet_new(p->split, is_store ? PACKET_ADDRESS : PACKET_READ, p);
	k = packet_of(r);
	r->addr_bytes = line->addr_bytes;
	r->size_bytes = (uint16_t)coalesce_sector_bytes(line->word_mask, sm->sector_bytes);
	k->lanes = partition_lanes(e, line->addr_bytes);
	k->seq = (uint16_t)l->access;
	k->words = line->word_mask;
	mem_req_set_payload(r, e->is_misaligned ? (uint32_t)__builtin_popcount(k->lanes) : 0);
	sm_place(sm, r);
	if (!packet_buffer_put(packets_of(sm, p), p, r)) {
		packet_free(p->split, r);
		p->split->partition_stats.ready_stalls++;
		return false;
	}
	if (is_store) {
		p->split->partition_stats.write_lines++;
		packet_write_begins(p->split, r->stack);
		address_kept(p->split, sm);
	} else {
		p->split->partition_stats.read_lines++;
	}
	return true;
}

/* ---- OFLD.END ---- */

static void ledger_add(struct gpu *g, const struct partition *p)
{
	struct account_block *row = account_block_at(g, p->registers->begin_pc);

	if (!g->config->nsu.free_messages) {
		row->request_bytes += partition_registers_bytes(p, p->block->send_words, p->block->send_preds);
		row->answer_bytes += partition_registers_bytes(p, p->block->return_words, p->block->return_preds);
	}
	row->read_lines += p->rdf_count;
	row->read_hits += p->rdf_hit_count;
	row->write_lines += p->wta_count;
}

/* The block's writes are in memory: the SM drops their lines from its L1, and tells the L2 to. Returns their number. */
static uint32_t lines_drop(struct sm *sm, const struct partition *p)
{
	struct split *split = p->split;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint32_t dropped = 0;

	for (uint32_t i = 0; i < p->seq; i++) {
		const struct simt_access *a = &p->entries[i].access;
		uint32_t count = p->entries[i].is_store && a->mask
				     ? coalesce_lines(a->addr, a->mask, a->lane_bytes, lines)
				     : 0;

		dropped += count;
		while (count--) {
			mem_cache_invalidate_line(sm->l1d, lines[count].addr_bytes);
			port_invalidate(sm, lines[count].addr_bytes);
			nsu_cache_drop(split, lines[count].addr_bytes);
			if (unlikely(split->audit))
				nsu_audit_stored(split->audit, lines[count].addr_bytes,
						 sim_now_units(split->gpu->engine));
		}
	}
	CHECK(dropped == p->wta_count);
	split->kept[sm->index] -= dropped;
	split->partition_stats.kept_drops += dropped;
	return dropped;
}

/* The warp goes on behind the block. */
static void resume(struct sm *sm, struct sm_warp *w, uint32_t dropped)
{
	const uint32_t cycles = dropped * (uint32_t)sm->gpu->config->nsu.invalidate_cycles;

	if (cycles)
		sm_fetch_start(sm, w, w->w->pc, sm->now + cycles);
	else
		sm_fetch_advance(sm, w, w->w->pc);
	sm_evaluate(sm, w);
	sm_wake(sm, sm->now);
}

/* The unit has answered, and the warp has issued OFLD.END. */
static void finish(struct sm *sm, struct partition *p)
{
	struct gpu *g = sm->gpu;
	struct split *split = p->split;
	struct carry *c = split->carry;
	struct sm_warp *w = p->home;
	const struct carry_block *b = p->registers;
	const uint32_t dropped = split->gpu_invalidates ? lines_drop(sm, p) : 0;

	CHECK(p->state == PARTITION_WAITS && p->pending.count == 0 && p->reserved_count == 0);
	exec_end(g, p);
	for (uint32_t i = 0; i < b->live_out_count; i++)
		w->sb[b->live_out_sb[i]] = sm->now << 1;
	p->split->partition_stats.answers++;
	sim_hist_add(&p->split->partition_stats.block_latency_ps,
		     sim_ps_of_units(g->engine, sim_now_units(g->engine) - p->begin_units));
	if (unlikely(g->account != NULL))
		ledger_add(g, p);
	account_trip_end(g, w);
	if (c->policy->partition_end) {
		const struct carry_split_result result = {
		    .block = p->number,
		    .read_lines = p->rdf_count,
		    .read_hits = p->rdf_hit_count,
		    .write_lines = p->wta_count,
		};

		c->policy->partition_end(c->policy_ctx, g, sm->index, &result);
	}
	*partition_of(split, w) = NULL;
	sm_unwatch(split->ext, w, INSIDE);
	sm->schedulers[w->scheduler].unstopped &= ~(1ull << w->bit);
	ask_split_end(c, w);
	instance_free(split, p);
	resume(sm, w, dropped);
}

/* False: it waits for room. */
static bool end_issue(struct sm *sm, struct partition *p)
{
	if (!p->has_target) /* no lane of the block has touched memory: any unit will do */
		name_target(p, sm->index & (sm->gpu->stack_count - 1));
	if (!p->has_command && p->rdf_count + p->wta_count == 0) {
		if (!p->is_granted || !command_put(sm, p)) {
			wait_room(sm, p);
			return false;
		}
	}
	p->state = PARTITION_WAITS;
	if (p->is_answered) {
		p->split->partition_stats.early_answers++;
		finish(sm, p);
		return true;
	}
	sm_set_wait(sm, p->home, SM_WAIT_OFFLOAD);
	return true;
}

/* ---- the warp's way through the block ---- */

/* Puts a warp inside a block into its set; false: as any other warp. */
static bool evaluate(void *self, struct sm *sm, struct sm_warp *w)
{
	struct partition *p = *partition_of(self, w);

	if (p->state == PARTITION_WAITS || p->waits_room) {
		if (w->wait != SM_WAIT_OFFLOAD)
			sm_set_wait(sm, w, SM_WAIT_OFFLOAD);
		return true;
	}
	if (p->state != PARTITION_RUNS) {
		sm_set_ready(sm, w, SIMT_UNIT_CTRL);
		return true;
	}
	if (role_of(p) != NSU_ROLE_NSU || w->fetch_ready > sm->now)
		return false;
	sm_set_ready(sm, w, SIMT_UNIT_CTRL);
	return true;
}

/* The warp has done its part of the instruction; after the block's last it waits there, see nsu_warp_end. */
static void skip_issue(struct sm *sm, struct partition *p)
{
	struct sm_warp *w = p->home;

	if (w->w->pc == p->block->last_pc) {
		p->state = PARTITION_ENDS;
		return;
	}
	simt_skip(sm->gpu->launch, w->w);
	sm_fetch_advance(sm, w, w->w->pc);
}

/* Issues what it stands at; false: an instruction like any other. */
static bool issue(void *self, struct sm *sm, struct sm_warp *w)
{
	struct partition *p = *partition_of(self, w);
	struct partition_stats *st = &p->split->partition_stats;
	bool has_issued = true;

	if (p->state == PARTITION_BEGIN) {
		begin_issue(sm, p);
		st->boundary_instructions++;
	} else if (p->state == PARTITION_ENDS) {
		has_issued = end_issue(sm, p);
		st->boundary_instructions += has_issued;
	} else if (role_of(p) == NSU_ROLE_NSU) {
		sm_count_threads(sm->gpu, (uint32_t)__builtin_popcount(w->w->active_mask));
		skip_issue(sm, p);
		st->skipped_instructions++;
		st->issued_instructions--;
	} else if (role_of(p) == NSU_ROLE_LOAD || role_of(p) == NSU_ROLE_STORE) {
		has_issued = access_issue(sm, w, p);
		if (has_issued)
			skip_issue(sm, p);
	} else {
		st->issued_instructions++;
		return false;
	}
	st->issued_instructions += has_issued;
	if (!sm->gpu->has_failed)
		sm_evaluate(sm, w);
	return true;
}

static void go_on(struct sm *sm, struct partition *p)
{
	p->waits_room = false;
	account_trip_room(sm->gpu, p->home);
	sm_evaluate(sm, p->home);
	sm_wake(sm, sm->now);
}

void partition_room(struct split *split, struct sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = sm->schedulers[i].waiting[SM_WAIT_OFFLOAD]; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			struct partition *p = *partition_of(split, w);

			if (p && p->waits_room)
				go_on(sm, p);
		}
	}
}

void partition_granted(struct partition *p)
{
	struct sm *sm = p->home->sm;

	sm_touch(sm);
	p->is_granted = true;
	if (sm->gpu->config->nsu.free_messages) {
		p->has_command = true;
		account_trip_step(sm->gpu, p->home, ACCOUNT_TRIP_ROOM);
		nsu_take_command(p->split->nsus[p->target], p);
	}
	packet_buffer_granted(packets_of(sm, p), p);
	sm->lsu_waits_fill = 0;
	if (p->waits_room)
		go_on(sm, p);
	sm_wake(sm, sm->now);
}

static void answer_take(void *self, struct mem_req *r)
{
	struct sm *sm = self;
	struct split *split = gpu_ext_self(sm->gpu, &carry_split_ops);
	struct packet *k = packet_of(r);

	sm_touch(sm);
	if (k->kind == PACKET_INVALIDATE) {
		mem_cache_invalidate_line(sm->l1d, r->addr_bytes);
		if (unlikely(split->audit))
			nsu_audit_stored(split->audit, r->addr_bytes, r->issue_units);
		packet_free(split, r);
		return;
	}
	CHECK(k->kind == PACKET_ANSWER);
	account_trip_home(sm->gpu, k->p->home, r);
	partition_answered(k->p);
	packet_free(split, r);
}

void partition_answered(struct partition *p)
{
	struct sm *sm = p->home->sm;

	CHECK(!p->is_answered);
	sm_touch(sm);
	p->is_answered = true;
	/* The unit may be done while the warp still fetches the block's last instructions. */
	if (p->state == PARTITION_WAITS)
		finish(sm, p);
}

/* ---- an SM ---- */

static void sm_tick(void *self, struct sm *sm)
{
	packet_buffer_tick(((struct split *)self)->buffers[sm->index]);
}

static bool sm_has_work(void *self, const struct sm *sm)
{
	return packet_buffer_has_work(((struct split *)self)->buffers[sm->index]);
}

/* ---- a kernel ---- */

/* The GPU's part of a block up to its last instruction. */
static bool gpu_part_end(struct gpu *g, struct partition *p)
{
	struct simt_warp *w = p->home->w;

	while (p->state == PARTITION_RUNS) {
		enum nsu_role role = (enum nsu_role)p->program->code->role[w->pc];
		struct partition_entry *e = &p->entries[p->seq];

		if (role == NSU_ROLE_LOAD || role == NSU_ROLE_STORE) {
			if (!simt_capture(g->launch, w, &e->access, &g->step))
				return false;
			p->seq++;
		}
		if (w->pc == p->block->last_pc)
			p->state = PARTITION_WAITS;
		else if (role != NSU_ROLE_GPU && role != NSU_ROLE_BOTH)
			simt_skip(g->launch, w);
		else if (!gpu_untimed_step(g, w))
			return false;
	}
	return true;
}

/* Blocks under way in two parts: one that has not begun stays at home. */
static bool finish_untimed(void *self)
{
	struct split *split = self;
	struct gpu *g = split->gpu;

	for (struct partition *p = split->partitions_live; p; p = p->live.next) {
		const struct nsu_inst *inst;

		if (p->state == PARTITION_BEGIN)
			continue;
		if (!gpu_part_end(g, p)) {
			g->has_failed = true;
			return false;
		}
		while ((inst = nsu_warp_next(p->program, p->exec))->op != NSU_OP_END) {
			struct simt_access *a = &p->entries[inst->sequence].access;

			nsu_warp_step(p->program, g->launch, p->exec, a);
			if (inst->op == NSU_OP_STORE)
				simt_access_write(a);
			g->totals.untimed_warp_instructions++;
		}
		exec_end(g, p);
	}
	return true;
}

static void kernel_begin(void *self, struct simt_launch *l, struct simt_program *p)
{
	struct split *split = self;

	(void)l, (void)p;
	gate_kernel_begin(split);
	for (uint32_t i = 0; i < split->gpu->stack_count; i++)
		nsu_kernel_begin(split->nsus[i]);
}

static void kernel_end(void *self, struct simt_launch *l)
{
	gate_kernel_end(self, l->program);
}

/* Every packet has come to its end, every credit is home, every buffer is empty. */
static void check_end(void *self)
{
	struct split *split = self;

	CHECK(!split->partitions_live);
	CHECK(split->packet_count == 0 && buffer_manager_is_idle(split->manager));
	for (uint32_t i = 0; i < split->gpu->sm_total; i++)
		CHECK(packet_buffer_is_idle(split->buffers[i]));
	for (uint32_t i = 0; i < split->gpu->stack_count; i++) {
		nsu_kernel_end(split->nsus[i]);
		CHECK(nsu_is_idle(split->nsus[i]) && split->write_lines[i] == 0 && !split->flights[i].count);
	}
}

static bool is_idle(void *self)
{
	return !((const struct split *)self)->partitions_live;
}

static void reset(void *self)
{
	struct split *split = self;

	while (split->partitions_live)
		instance_free(split, split->partitions_live);
	packets_reset(split);
	memset(split->kept, 0, split->gpu->sm_count * sizeof(*split->kept));
	buffer_manager_reset(split->manager);
	for (uint32_t i = 0; i < split->gpu->sm_total; i++)
		packet_buffer_reset(split->buffers[i]);
	for (uint32_t i = 0; i < split->gpu->stack_count; i++) {
		nsu_reset(split->nsus[i]);
		split->flights[i].count = 0;
	}
}

/* ---- the memory side ---- */

static uint32_t addresses_under_way(void *self, uint32_t stack)
{
	return ((const struct split *)self)->writes_sent[stack];
}

static void slice_written(void *self, uint64_t addr_bytes)
{
	nsu_cache_drop(self, addr_bytes);
}

static void store_answered(void *self, const struct mem_req *r)
{
	struct split *split = self;

	if (split->audit)
		nsu_audit_stored(split->audit, r->addr_bytes, r->issue_units);
}

static void stack_room(void *self, uint32_t stack)
{
	nsu_room(((struct split *)self)->nsus[stack]);
}

/* The packet just sent takes the unit's credits along. */
static void rx_sent(void *self, uint32_t stack, const struct mem_req *r)
{
	struct split *split = self;
	struct credit_flights *f = &split->flights[stack];
	struct nsu_credits c;

	if (split->gpu->config->nsu.free_messages) /* they do not travel */
		return;
	c = nsu_credits_take(split->nsus[stack]);
	if (c.commands | c.reads | c.writes)
		*base_ring_push(f) = (struct credit_flight){r->ready_units, c};
}

/* Credits that have arrived with their packets. */
static void rx_tick(void *self, uint32_t stack)
{
	struct split *split = self;
	struct credit_flights *f = &split->flights[stack];
	uint64_t now = sim_now_units(split->gpu->engine);

	while (f->count && base_ring_first(f)->arrival_units <= now) {
		const struct nsu_credits c = base_ring_first(f)->credits;

		base_ring_pop(f);
		buffer_manager_return(split->manager, stack, &c);
	}
}

/* ---- packets that end at the GPU ---- */

/* An invalidation has come to its slice; from there it goes on to its SM. */
static void take_invalidation(void *self, struct mem_req *r)
{
	struct split *split = self;
	struct l2_slice *s = split->gpu->slices[r->slice];

	packet_write_ends(split, r->stack);
	l2_slice_drop(s, r->addr_bytes);
	nsu_cache_drop(split, r->addr_bytes);
	r->port = (uint16_t)r->tag;
	l2_slice_reply(s, r);
}

/* Credits came along with it, see rx_sent. */
static void take_credit(void *self, struct mem_req *r)
{
	packet_free(self, r);
}

static void ports_new(struct split *split)
{
	static const struct net_port_ops invalidate_ops = {.done = take_invalidation};
	static const struct net_port_ops credit_ops = {.done = take_credit}, sm_ops = {.done = answer_take};

	split->invalidate_port = net_port_add(&split->gpu->ports, &invalidate_ops, split, GPU_PLACE_SLICE, 0);
	split->credit_port = net_port_add(&split->gpu->ports, &credit_ops, split, GPU_PLACE_LINK, 0);
	split->sm_ports = g_new(uint16_t, split->gpu->sm_count);
	for (uint32_t i = 0; i < split->gpu->sm_count; i++)
		split->sm_ports[i] = net_port_add(&split->gpu->ports, &sm_ops, split->gpu->sms[i], GPU_PLACE_CLUSTER,
						  split->gpu->sms[i]->cluster);
}

/* ---- building ---- */

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	struct split *split = self;

	split->gpu = g;
	split->ext = e;
	g->units = e;
	sim_stats_add_table(g->stats, &carry_partition_stat_table, &split->partition_stats,
			    sizeof(split->partition_stats));
	sim_stats_add_table(g->stats, &carry_packet_stat_table, &split->packet_stats, sizeof(split->packet_stats));
	sim_stats_law(g->stats, "partition.blocks = partition.answers");
	sim_stats_law(g->stats, "network.packets = network.delivered");
	split->packet_chunks = g_ptr_array_new_with_free_func(g_free);
	split->write_lines = g_new0(uint32_t, g->stack_count);
	split->writes_sent = g_new0(uint32_t, g->stack_count);
	split->kept = g_new0(uint32_t, g->sm_count);
	split->gpu_invalidates = g->config->nsu.invalidate_by == NSU_BY_GPU;
	split->manager = buffer_manager_new(split);
	split->flights = g_new0(struct credit_flights, g->stack_count);
	if (g->audits && g->config->nsu.cache_bytes)
		split->audit = nsu_audit_new(g->stack_count);
	split->nsus = g_new0(struct nsu *, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++) {
		split->flights[i].cap = (uint32_t)g->config->link.depth_count;
		split->flights[i].items = g_new0(struct credit_flight, split->flights[i].cap);
		split->nsus[i] = nsu_new(split, i);
	}
}

static void complete(void *self)
{
	struct split *split = self;

	ports_new(split);
	gate_new(split);
	if (split->gate.is_there)
		split->gate.comp = buffer_manager_comp(split->manager);
	split->buffers = g_new0(struct packet_buffer *, split->gpu->sm_total);
	for (uint32_t i = 0; i < split->gpu->sm_total; i++)
		split->buffers[i] = packet_buffer_new(split, split->gpu->sms[i]);
}

static void split_free(void *self)
{
	struct split *split = self;

	for (uint32_t i = 0; i < split->gpu->sm_total; i++)
		packet_buffer_free(split->buffers[i]);
	for (uint32_t i = 0; i < split->gpu->stack_count; i++) {
		nsu_free(split->nsus[i]);
		g_free(split->flights[i].items);
	}
	while (split->partitions_free) {
		struct partition *p = base_stack_pop(&split->partitions_free, next);

		g_free(p->entries);
		g_free(p);
	}
	nsu_audit_free(split->audit);
	buffer_manager_free(split->manager);
	g_ptr_array_free(split->packet_chunks, TRUE);
	g_free(split->write_lines);
	g_free(split->writes_sent);
	g_free(split->kept);
	g_free(split->flights);
	g_free(split->nsus);
	g_free(split->buffers);
	g_free(split->sm_ports);
	g_free(split);
}

struct split *split_new(struct carry *c)
{
	struct split *split = g_new0(struct split, 1);

	split->carry = c;
	return split;
}

const struct gpu_ext_ops carry_split_ops = {
    .warp_bytes = sizeof(struct partition *),
    .build = build,
    .complete = complete,
    .free = split_free,
    .check_end = check_end,
    .kernel_begin = kernel_begin,
    .kernel_end = kernel_end,
    .reset = reset,
    .is_idle = is_idle,
    .finish_untimed = finish_untimed,
    .evaluate = evaluate,
    .enter = enter,
    .issue = issue,
    .line = line_packet,
    .sm_tick = sm_tick,
    .sm_has_work = sm_has_work,
    .addresses_under_way = addresses_under_way,
    .slice_written = slice_written,
    .store_answered = store_answered,
    .stack_room = stack_room,
    .rx_sent = rx_sent,
    .rx_tick = rx_tick,
};
