/* host_run.c - a core of the host runs CTAs: steps of their warps, in the order of time of all cores.
 *
 * A warp runs until a barrier, its end, or the end of its turn, then the next one of its CTA does: the loops over a
 * CTA's threads between barriers. A core that is ahead of the machine's time waits before it steps an instruction that
 * touches memory, so that values are those of this order. */
#include "dc/system/host.h"

enum { TURN_STEPS = 1000, AHEAD_PS = 1000000 };

/* ---- values that wait for others ---- */

static struct dc_host_result *value_of(struct dc_host_run *r, uint16_t sb, uint32_t vector)
{
	return &r->values[(uint64_t)sb * r->host->vectors + vector];
}

static uint8_t slot_of(uint64_t number)
{
	return (uint8_t)(1 + number % DC_HOST_VALUES);
}

/* What has been computed so many values ago is there: its place is another's. */
static bool is_known(const struct dc_host_run *r, uint64_t number)
{
	return number && r->value_count - number < DC_HOST_VALUES - 1;
}

static void add_step(struct cpu_flow *flow, enum cpu_flow_kind kind, uint8_t slot, uint64_t units)
{
	if (flow->step_count == CPU_FLOW_STEPS)
		return;
	flow->steps[flow->step_count].kind = (uint8_t)kind;
	flow->steps[flow->step_count].slot = slot;
	flow->steps[flow->step_count++].units = units;
}

/* The registers from first to before end that the instruction reads, each slot once, with the longest of its waits. */
static void hang_on_reads(struct dc_host_run *r, struct cpu_flow *flow, uint32_t vector, uint32_t first, uint32_t end,
			  enum cpu_flow_kind kind)
{
	const struct simt_inst *inst = r->step.inst;
	const uint16_t *sb = &r->host->launch->program->sb[inst->sb_first];
	const uint32_t from = flow->step_count;

	for (uint32_t i = first; i < end; i++) {
		const struct dc_host_result *v = value_of(r, sb[i], vector);
		const uint64_t units = cpu_cycles_units(&r->host->common, v->cycles);
		uint32_t k = from;

		if (!is_known(r, v->number))
			continue;
		while (k < flow->step_count && flow->steps[k].slot != slot_of(v->number))
			k++;
		if (k < flow->step_count)
			flow->steps[k].units = MAX(flow->steps[k].units, units);
		else
			add_step(flow, kind, slot_of(v->number), units);
	}
}

static void writes_are(struct dc_host_run *r, uint32_t vector, uint64_t number, uint64_t cycles)
{
	const struct simt_inst *inst = r->step.inst;
	const uint16_t *sb = &r->host->launch->program->sb[inst->sb_first + inst->read_count];

	for (uint32_t i = 0; i < inst->write_count; i++)
		*value_of(r, sb[i], vector) = (struct dc_host_result){number, cycles};
}

/* ---- items ---- */

/* False: the core waits, and comes back to the item. */
static bool is_answered(struct dc_host_run *r, uint64_t done_ps)
{
	if (done_ps == CPU_WAITS)
		return false;
	r->now_ps = done_ps;
	return true;
}

static void pass(struct dc_host_run *r, const struct dc_host_price *price, struct cpu_flow *flow)
{
	struct dc_host *h = r->host;

	flow->issue_slots = price->slots;
	flow->block = r->block;
	r->block = 0;
	h->common.stats.instructions += price->instructions;
	r->now_ps += cpu_core_pass(r->thread, r->now_ps, price->instructions,
				   cpu_cycles_units(&h->common, price->cycles), flow);
}

static bool has_room(struct dc_host_run *r)
{
	if (r->has_room || !r->thread->window)
		return true;
	r->has_room = true;
	return is_answered(r, cpu_core_room(r->thread, r->now_ps));
}

/* A branch's condition is its first operand, the guard; blocks are named by where a branch went. */
enum { WENT_ON = 1, WENT_AWAY };

static bool is_predicted(const struct dc_host_run *r)
{
	return r->step.inst->flags & SIMT_BRANCH && r->step.inst->ptx->has_guard && r->thread->window;
}

static bool do_pass(struct dc_host_run *r, const struct dc_host_item *item)
{
	const struct simt_inst *inst = r->step.inst;
	const struct dc_host_price price = dc_host_price(r, item);
	struct cpu_flow flow = {.issue_slots = 0};

	if (!has_room(r))
		return false;
	if (is_predicted(r)) {
		hang_on_reads(r, &flow, item->vector, 0, 1, CPU_FLOW_BRANCH);
		flow.branch = r->step.pc + 1;
		flow.taken = WENT_AWAY;
		pass(r, &price, &flow);
		r->block = r->step.branched ? WENT_AWAY : WENT_ON;
		return true;
	}
	if (inst->write_count && r->thread->window) {
		add_step(&flow, CPU_FLOW_VALUE, slot_of(++r->value_count), 0);
		hang_on_reads(r, &flow, item->vector, 0, inst->read_count, CPU_FLOW_INPUT);
		writes_are(r, item->vector, r->value_count, price.latency);
	}
	pass(r, &price, &flow);
	return true;
}

/* Accesses of a vector's lanes give one value together. */
static bool do_join(struct dc_host_run *r, const struct dc_host_item *item)
{
	const struct dc_host_price none = {.instructions = 0};

	while (r->thread->window && r->piece_count > 1) {
		struct cpu_flow flow = {.issue_slots = 0};

		if (!has_room(r))
			return false;
		r->has_room = false;
		add_step(&flow, CPU_FLOW_VALUE, slot_of(++r->value_count), 0);
		while (r->piece_count && flow.step_count < CPU_FLOW_STEPS)
			add_step(&flow, CPU_FLOW_INPUT, slot_of(r->pieces[--r->piece_count]), 0);
		pass(r, &none, &flow);
		r->pieces[r->piece_count++] = r->value_count;
	}
	if (r->piece_count)
		writes_are(r, item->vector, r->pieces[0], 0);
	r->piece_count = 0;
	return true;
}

/* The operands of the address come first, behind the guard: a register of 64 bits has two places. */
static void hang_access(struct dc_host_run *r, struct cpu_flow *flow, const struct dc_host_item *item)
{
	const struct simt_inst *inst = r->step.inst;
	const uint32_t guard = inst->ptx->has_guard, all = inst->read_count;
	const uint32_t address = item->op == CPU_READ ? all : MIN(all, guard + 2);

	hang_on_reads(r, flow, item->vector, 0, address, CPU_FLOW_ADDRESS);
	hang_on_reads(r, flow, item->vector, address, all, CPU_FLOW_DATA);
}

/* The value of a load is where it was dispatched; a vector of one access has it at once. */
static void loads(struct dc_host_run *r, const struct dc_host_item *item)
{
	const struct dc_host_item *next = item + 1;
	const bool is_last = next == r->items + r->item_count || next->vector != item->vector;

	if (!r->step.inst->write_count || item->op == CPU_WRITE)
		return;
	CHECK(r->piece_count < SIMT_LANES);
	r->pieces[r->piece_count++] = r->value_count;
	if (is_last) {
		writes_are(r, item->vector, r->value_count, 0);
		r->piece_count = 0;
	}
}

static bool do_access(struct dc_host_run *r, const struct dc_host_item *item)
{
	const struct dc_host_price price = dc_host_price(r, item);
	struct cpu_flow flow = {.is_known = true}, none = {.issue_slots = 0};

	if (!has_room(r))
		return false;
	if (!r->has_passed) {
		pass(r, &price, &none);
		r->has_passed = true;
		if (r->thread->window) {
			hang_access(r, &flow, item);
			flow.slot = item->op == CPU_WRITE ? 0 : slot_of(++r->value_count);
		}
		loads(r, item);
		return is_answered(r, cpu_core_access(r->thread, r->now_ps, item->address, item->bytes,
						      (enum cpu_op)item->op, r->host->uses[r->step.pc], &flow));
	}
	return true; /* it has been answered */
}

static bool do_fence(struct dc_host_run *r)
{
	if (r->has_passed)
		return true;
	r->has_passed = true;
	return is_answered(r, cpu_core_fence(r->thread, r->now_ps));
}

static bool do_item(struct dc_host_run *r, const struct dc_host_item *item)
{
	switch ((enum dc_host_kind)item->kind) {
	case DC_HOST_PASS:
		return do_pass(r, item);
	case DC_HOST_ACCESS:
		return do_access(r, item);
	case DC_HOST_JOIN:
		return do_join(r, item);
	case DC_HOST_FENCE:
		return do_fence(r);
	}
	return true;
}

/* ---- CTAs and warps ---- */

static void begin_cta(struct dc_host_run *r)
{
	struct dc_host *h = r->host;

	r->ctas[r->cta_count++] = simt_cta_begin(h->launch, r->next_cta, (uint32_t)(r - h->runs));
	r->next_cta += h->stride;
	h->system->next_cta++;
}

static void begin_ctas(struct dc_host_run *r)
{
	while (r->next_cta < r->end_cta && r->cta_count < r->cta_room && simt_cta_has_room(r->host->launch))
		begin_cta(r);
}

static void end_cta(struct dc_host_run *r)
{
	simt_cta_end(r->ctas[r->cta]);
	r->ctas[r->cta] = r->ctas[--r->cta_count];
	r->host->system->stats.host_ctas++;
	r->stepped = NULL;
}

/* The warp that steps next; NULL: the core has no more CTAs, or none of them can go on yet. */
static struct simt_warp *next_warp(struct dc_host_run *r)
{
	uint32_t looked = 0;

	begin_ctas(r);
	while (r->cta_count) {
		struct simt_cta *c;

		if (r->cta >= r->cta_count)
			r->cta = 0;
		c = r->ctas[r->cta];
		for (; r->warp < simt_cta_warp_count(c); r->warp++, r->steps = 0) {
			struct simt_warp *w = simt_cta_warp(c, r->warp);

			if (!w->is_done && !w->at_barrier && r->steps < TURN_STEPS)
				return w;
		}
		r->warp = 0;
		if (!simt_cta_is_done(c)) {
			r->cta++;
		} else {
			end_cta(r);
			begin_ctas(r);
		}
		CHECK(++looked < 1u << 30);
	}
	return NULL;
}

/* ---- time ---- */

static void go(struct dc_host_run *r);
static void done(struct dc_host_run *r);

static void fire(void *run, struct cpu_event *e)
{
	struct dc_host_run *r = run;

	(void)e;
	if (r->is_fencing)
		done(r);
	else
		go(r);
}

static void come_back(struct dc_host_run *r)
{
	struct cpu_common *c = &r->host->common;

	r->event = (struct cpu_event){.fire = fire, .self = r};
	cpu_event_at(&c->events, &r->event, MAX(r->now_ps * c->per_ps, cpu_now_units(c)));
}

static bool is_ahead(const struct dc_host_run *r, uint64_t by_ps)
{
	return r->now_ps > cpu_now_units(&r->host->common) / r->host->common.per_ps + by_ps;
}

static void done(struct dc_host_run *r)
{
	struct dc_host *h = r->host;

	r->is_done = true;
	h->end_ps = dc_max(h->end_ps, r->now_ps);
	h->system->stats.host_core_ps += r->now_ps - r->begin_ps;
	h->running--;
}

static void finish(struct dc_host_run *r)
{
	if (!r->is_fencing) {
		r->is_fencing = true;
		if (!is_answered(r, cpu_core_fence(r->thread, r->now_ps)))
			return;
	}
	done(r);
}

static bool touches_memory(const struct simt_inst *inst)
{
	return inst->flags & (SIMT_LOAD | SIMT_STORE | SIMT_COPY | SIMT_MATRIX | SIMT_BARRIER);
}

/* True: the items of the warp's next step are there. */
static bool step(struct dc_host_run *r, struct simt_warp *w)
{
	struct dc_host *h = r->host;

	if (!simt_step(h->launch, w, &r->step)) {
		h->is_over = true;
		return false;
	}
	r->steps++;
	h->system->stats.host_operations += simt_lane_count(r->step.exec_mask);
	dc_host_plan(r, w);
	return true;
}

static void go(struct dc_host_run *r)
{
	struct dc_host *h = r->host;

	for (;;) {
		struct simt_warp *w;

		for (; r->item < r->item_count; r->item++) {
			if (!do_item(r, &r->items[r->item]))
				return;
			r->has_room = r->has_passed = false;
		}
		h->is_over |= h->system->stop != 0;
		w = h->is_over ? NULL : next_warp(r);
		if (!w) {
			finish(r);
			return;
		}
		if (is_ahead(r, touches_memory(simt_next(h->launch, w)) ? 0 : AHEAD_PS)) {
			come_back(r);
			return;
		}
		step(r, w);
	}
}

void dc_host_goes_on(struct dc_host_run *r, uint64_t time_ps)
{
	if (r->host->is_broken || r->is_done)
		return;
	r->now_ps = time_ps;
	come_back(r);
}

void dc_host_begins(struct dc_host_run *r)
{
	r->is_fencing = r->is_done = r->has_room = r->has_passed = false;
	r->item = r->item_count = r->piece_count = r->cta = r->cta_count = r->warp = r->steps = r->block = 0;
	r->stepped = NULL;
	r->now_ps = r->begin_ps;
	come_back(r);
}
