/* core.c - a core: its controller runs ahead of its functional units and its memory unit, and computes in order.
 *
 * The controller takes an instruction a cycle. It hands vector instructions to the functional units once all their
 * operands are there or on their way through the pipeline, up to issue_entry_count of them before the first begins; it
 * waits for lines that are still on their way. So the time of every multiply-add is known when the controller comes to
 * it. What it does alone it does at once, ahead of simulated time; loads, stores and signals it meets at their time.
 */
#include "csp/priv.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/check.h"
#include "net/channel.h"

enum { AHEAD_MAX = 1 << 16 }; /* instructions without a look at simulated time */

/* FOR_LINE: it is on its way; FOR_UNIT: the memory unit has others before. */
enum outcome { GOES_ON, WAITS_FOR_TIME, WAITS_FOR_LINE, WAITS_FOR_UNIT, WAITS_FOR_SIGNAL, ENDS };

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct csp_core_stats
#include "sim/stat_rows.inc"
#include "csp/csp_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table csp_core_stat_table = {"core", stat_rows, ARRAY_COUNT(stat_rows)};

#define EXPLAIN_TABLE csp_explain
#define EXPLAIN_ROWS "csp/csp_explain.def"
#include "sim/explain.inc"

/* ---- building ---- */

void csp_core_init(struct csp_core *c, struct csp_machine *m, uint32_t number)
{
	const struct csp_params *p = &m->config->csp;

	c->machine = m;
	c->number = number;
	c->m = (uint32_t)p->fu_count;
	c->rf_count = csp_register_count(p);
	c->ssrf_count = csp_ssrf_line_count(p);
	c->rf = g_aligned_alloc0((size_t)c->rf_count * 2 * c->m, sizeof(float), HOST_LINE_BYTES);
	c->ssrf = g_aligned_alloc0((size_t)c->ssrf_count * 2 * c->m, sizeof(float), HOST_LINE_BYTES);
	c->zero = g_aligned_alloc0((size_t)2 * c->m, sizeof(float), HOST_LINE_BYTES);
	c->rf_times = g_new0(struct csp_register_time, c->rf_count);
	c->ssrf_times = g_new0(struct csp_register_time, c->ssrf_count);
	c->starts.cap = (uint32_t)p->issue_entry_count;
	c->starts.items = g_new0(uint64_t, c->starts.cap);
	c->signals.cap = CSP_SIGNALS_MAX;
	c->signals.items = g_new0(uint64_t, c->signals.cap);
	c->loads.cap = c->stores.cap = (uint32_t)p->load_entry_count;
	c->loads.items = g_new0(struct csp_access, c->loads.cap);
	c->stores.items = g_new0(struct csp_access, c->stores.cap);
	c->transfers = g_new0(struct csp_transfer, p->line_entry_count);
	for (uint32_t i = 0; i < p->line_entry_count; i++)
		base_stack_push(&c->free, &c->transfers[i], next);
	c->line_count = csp_core_line_count(p, number);
	c->vault_count = csp_core_vault_count(p, number);
	csp_core_place(p, (uint32_t)m->config->dram.vault_count, number, &c->stack, &c->first_vault);
	c->blocked_from = CSP_PENDING;
	c->pc = UINT32_MAX;
	c->is_halted = true;
	c->comp = sim_engine_add(m->ctx->engine, m->domain, "core", csp_core_tick, c);
	sim_stats_add_table(m->ctx->stats, &csp_core_stat_table, &c->stats, sizeof(c->stats));
}

void csp_core_load(struct csp_core *c)
{
	c->pc = c->machine->program->entries[c->number];
	c->is_halted = c->pc == UINT32_MAX;
	if (c->machine->is_accounted)
		csp_account_init(c);
}

void csp_core_release(struct csp_core *c)
{
	csp_account_release(c);
	csp_order_release(c);
	g_aligned_free(c->rf);
	g_aligned_free(c->ssrf);
	g_aligned_free(c->zero);
	g_free(c->rf_times);
	g_free(c->ssrf_times);
	g_free(c->starts.items);
	g_free(c->signals.items);
	g_free(c->loads.items);
	g_free(c->stores.items);
	g_free(c->transfers);
	if (c->lines)
		munmap(c->lines, c->mapped_bytes);
}

/* ---- numbers ---- */

static int64_t value_of(const struct csp_core *c, const struct csp_expr *e)
{
	uint64_t v = (uint64_t)e->constant; /* wraps */

	for (uint32_t i = 0; i < e->index_count; i++)
		v += (uint64_t)c->index[e->index[i]];
	return (int64_t)v;
}

/* The places that count repetitions touch, if all are below limit; or a mistake. */
static bool reach(struct csp_core *c, const struct csp_instr *x, const struct csp_operand *o, uint32_t count,
		  uint64_t limit, int64_t *first, int64_t *stride)
{
	static const char *const names[] = {[CSP_REGISTERS] = "register r",
					    [CSP_SCALARS] = "scalar s",
					    [CSP_VECTORS] = "vector v",
					    [CSP_LINES] = "line "};
	__int128 last;

	*first = value_of(c, &o->base);
	*stride = value_of(c, &o->stride);
	last = (__int128)*first + (__int128)*stride * (count - 1);
	if (*first >= 0 && (uint64_t)*first < limit && last >= 0 && last < (__int128)limit)
		return true;
	if (*first >= 0 && (uint64_t)*first < limit)
		*first = last < 0 ? -1 : last > INT64_MAX ? INT64_MAX : (int64_t)last;
	csp_mistake(c, x, "%s[%lld]: there are 0 to %llu", names[o->space], (long long)*first,
		    (unsigned long long)limit - 1);
	return false;
}

static bool count_of(struct csp_core *c, const struct csp_instr *x, uint32_t *count)
{
	const int64_t v = value_of(c, &x->count);

	if (v < 0 || v > UINT16_MAX) {
		csp_mistake(c, x, "x%lld: an instruction is repeated 0 to %u times", (long long)v, UINT16_MAX);
		return false;
	}
	*count = (uint32_t)v;
	return true;
}

/* ---- functional units ---- */

struct vector_op {
	int64_t d, d_stride, c, c_stride, a, a_stride, b, b_stride;
	uint32_t count;
	bool has_addend;
};

static bool vector_read(struct csp_core *c, const struct csp_instr *x, struct vector_op *v)
{
	v->has_addend = x->operands[1].space == CSP_REGISTERS;
	v->c = v->c_stride = 0;
	if (!count_of(c, x, &v->count) || !v->count)
		return !c->machine->mistake;
	return reach(c, x, &x->operands[0], v->count, c->rf_count, &v->d, &v->d_stride) &&
	       (!v->has_addend || reach(c, x, &x->operands[1], v->count, c->rf_count, &v->c, &v->c_stride)) &&
	       reach(c, x, &x->operands[2], v->count, c->rf_count, &v->a, &v->a_stride) &&
	       reach(c, x, &x->operands[3], v->count, (uint64_t)c->ssrf_count * c->m, &v->b, &v->b_stride);
}

/* What the operands wait for, if for anything. */
static enum outcome pending(const struct vector_op *v, const struct csp_core *c)
{
	for (uint32_t i = 0; i < v->count; i++) {
		if (c->rf_times[v->d + i * v->d_stride].ready == CSP_PENDING ||
		    (v->has_addend && c->rf_times[v->c + i * v->c_stride].ready == CSP_PENDING) ||
		    c->rf_times[v->a + i * v->a_stride].ready == CSP_PENDING ||
		    c->ssrf_times[(v->b + i * v->b_stride) / c->m].ready == CSP_PENDING)
			return WAITS_FOR_LINE;
		if (c->rf_times[v->d + i * v->d_stride].free == CSP_PENDING)
			return WAITS_FOR_UNIT;
	}
	return GOES_ON;
}

/* Times and values of the repetitions, from the cycle `at` on. */
static void vector_do(struct csp_core *c, const struct csp_instr *x, const struct vector_op *v, uint64_t at)
{
	const uint64_t stages = c->machine->config->csp.stage_count;
	const uint32_t m = c->m;
	csp_cfma_fn *cfma = c->machine->cfma;
	uint64_t waited_cycles = 0;

	for (uint32_t i = 0; i < v->count; i++) {
		const uint32_t d = (uint32_t)(v->d + i * v->d_stride), n = (uint32_t)(v->c + i * v->c_stride);
		const uint32_t a = (uint32_t)(v->a + i * v->a_stride), b = (uint32_t)(v->b + i * v->b_stride);
		struct csp_register_time *dt = &c->rf_times[d], *ct = &c->rf_times[n], *at_ = &c->rf_times[a];
		struct csp_register_time *bt = &c->ssrf_times[b / m];
		const float *vector = csp_vector(c->ssrf, b / m, m);
		float re = vector[b % m], im = vector[m + b % m];
		uint64_t start = base_max_u64(base_max_u64(at, at_->ready), base_max_u64(bt->ready, dt->free));

		if (v->has_addend)
			start = base_max_u64(start, ct->ready);
		waited_cycles += start - at;
		if (x->is_negative) {
			re = -re;
			im = -im;
		}
		cfma(csp_vector(c->rf, d, m), v->has_addend ? csp_vector(c->rf, n, m) : c->zero,
		     csp_vector(c->rf, a, m), re, x->is_conjugate ? -im : im, m);
		at_->free = base_max_u64(at_->free, start + 1);
		bt->free = base_max_u64(bt->free, start + 1);
		if (v->has_addend)
			ct->free = base_max_u64(ct->free, start + 1);
		dt->ready = start + stages;
		c->fu_last_cycle = base_max_u64(c->fu_last_cycle, start + stages);
		at = start + 1;
	}
	c->fu_free_cycle = at;
	if (unlikely(c->machine->is_accounted))
		csp_account_vector(c, v->count, waited_cycles);
	c->stats.operand_wait_cycles += waited_cycles;
	c->stats.cfma_cycles += v->count;
	c->stats.cfmas += (uint64_t)v->count * m;
	c->stats.rf_reads += (uint64_t)v->count * m * (1 + v->has_addend);
	c->stats.rf_writes += (uint64_t)v->count * m;
	c->stats.ssrf_reads += v->count;
}

static enum outcome vector_issue(struct csp_core *c, const struct csp_instr *x, uint64_t cycle)
{
	struct vector_op v;
	enum outcome wait;
	uint64_t at;

	if (!vector_read(c, x, &v))
		return ENDS;
	if (!v.count)
		return GOES_ON;
	wait = pending(&v, c);
	if (wait != GOES_ON)
		return wait;
	if (unlikely(c->machine->is_accounted))
		csp_account_go_on(c, cycle);
	if (c->starts.count == c->starts.cap) {
		c->local_cycle = base_max_u64(c->local_cycle, *base_ring_first(&c->starts));
		base_ring_pop(&c->starts);
	}
	at = base_max_u64(c->local_cycle, c->fu_free_cycle);
	if (unlikely(c->machine->is_accounted))
		csp_account_begin(c, at);
	*base_ring_push(&c->starts) = at;
	vector_do(c, x, &v, at);
	c->stats.vector_instructions++;
	return GOES_ON;
}

/* ---- the memory unit's orders ---- */

static struct csp_access *access_push(struct csp_access_queue *q)
{
	return base_ring_push(q);
}

/* The value is there at once; who reads the register in time waits for the line. */
static void load_values(struct csp_core *c, const struct csp_access *a)
{
	const bool is_vector = a->space == CSP_VECTORS;
	struct csp_register_time *times = is_vector ? c->ssrf_times : c->rf_times;
	float *file = is_vector ? c->ssrf : c->rf;

	for (uint32_t i = 0; i < a->count; i++) {
		const uint32_t reg = (uint32_t)(a->reg + i * a->reg_stride);

		memcpy(csp_vector(file, reg, c->m), c->lines + (uint64_t)(a->line + i * a->line_stride) * 2 * c->m,
		       c->machine->line_bytes);
		times[reg].ready = CSP_PENDING;
		times[reg].loads++;
	}
}

static void store_values(struct csp_core *c, struct csp_access *a)
{
	struct csp_core *target = &c->machine->cores[a->target];

	for (uint32_t i = 0; i < a->count; i++) {
		const uint32_t reg = (uint32_t)(a->reg + i * a->reg_stride);

		memcpy(target->lines + (uint64_t)(a->line + i * a->line_stride) * 2 * c->m,
		       csp_vector(c->rf, reg, c->m), c->machine->line_bytes);
		a->ready_cycle = base_max_u64(a->ready_cycle, c->rf_times[reg].ready);
		c->rf_times[reg].free = CSP_PENDING;
		c->rf_times[reg].stores++;
	}
}

static bool is_any_loading(const struct csp_core *c, const struct csp_access *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (c->rf_times[a->reg + i * a->reg_stride].ready == CSP_PENDING)
			return true;
	return false;
}

static enum outcome load_issue(struct csp_core *c, const struct csp_instr *x)
{
	const struct csp_operand *to = &x->operands[0];
	const bool is_vector = to->space == CSP_VECTORS;
	struct csp_access a = {.target = c->number, .space = to->space};

	if (!count_of(c, x, &a.count))
		return ENDS;
	if (!a.count)
		return GOES_ON;
	if (!reach(c, x, to, a.count, is_vector ? c->ssrf_count : c->rf_count, &a.reg, &a.reg_stride) ||
	    !reach(c, x, &x->operands[1], a.count, c->line_count, &a.line, &a.line_stride))
		return ENDS;
	if (csp_queue_is_full(&c->loads))
		return WAITS_FOR_UNIT;
	if (!csp_order_load(c, x, &a))
		return ENDS;
	load_values(c, &a);
	*(is_vector ? &c->stats.ssrf_lines : &c->stats.load_lines) += a.count;
	*(is_vector ? &c->stats.ssrf_writes : &c->stats.rf_writes) += (uint64_t)a.count * c->m;
	c->stats.load_bytes += (uint64_t)a.count * c->machine->line_bytes;
	*access_push(&c->loads) = a;
	return GOES_ON;
}

static enum outcome store_issue(struct csp_core *c, const struct csp_instr *x)
{
	struct csp_access a = {.target = c->number, .space = CSP_REGISTERS};

	if (x->op == CSP_SEND) {
		const int64_t core = value_of(c, &x->value);

		if (core < 0 || core >= c->machine->core_count) {
			csp_mistake(c, x, "send to core %lld: there are 0 to %u", (long long)core,
				    c->machine->core_count - 1);
			return ENDS;
		}
		a.target = (uint32_t)core;
	}
	if (!count_of(c, x, &a.count))
		return ENDS;
	if (!a.count)
		return GOES_ON;
	if (!reach(c, x, &x->operands[0], a.count, c->machine->cores[a.target].line_count, &a.line, &a.line_stride) ||
	    !reach(c, x, &x->operands[1], a.count, c->rf_count, &a.reg, &a.reg_stride))
		return ENDS;
	if (is_any_loading(c, &a))
		return WAITS_FOR_LINE;
	if (csp_queue_is_full(&c->stores))
		return WAITS_FOR_UNIT;
	if (!csp_order_store(c, &a))
		return ENDS;
	store_values(c, &a);
	*(a.target == c->number ? &c->stats.store_lines : &c->stats.send_lines) += a.count;
	c->stats.store_bytes += (uint64_t)a.count * c->machine->line_bytes;
	c->stats.rf_reads += (uint64_t)a.count * c->m;
	*access_push(&c->stores) = a;
	return GOES_ON;
}

/* ---- signals ---- */

static enum outcome signal_issue(struct csp_core *c, const struct csp_instr *x)
{
	const int64_t number = value_of(c, &x->value);
	struct sim_engine *e = c->machine->ctx->engine;
	struct csp_core *to;
	uint64_t units, *place;

	if (number < 0 || number >= c->machine->core_count) {
		csp_mistake(c, x, "signal to core %lld: there are 0 to %u", (long long)number,
			    c->machine->core_count - 1);
		return ENDS;
	}
	if (c->stores.count || c->stores_under_way)
		return WAITS_FOR_LINE;
	to = &c->machine->cores[number];
	if (to->signals.count == to->signals.cap) {
		csp_mistake(c, x, "core %lld has %d signals that it has not waited for", (long long)number,
			    CSP_SIGNALS_MAX);
		return ENDS;
	}
	units = sim_now_units(e) + sim_units_of_ps(e, c->machine->config->csp.signal_ps);
	place = base_ring_push(&to->signals);
	*place = units;
	csp_order_signal(c, to, (uint32_t)(place - to->signals.items));
	sim_wake_units(e, to->comp, units);
	c->stats.signals++;
	return GOES_ON;
}

static enum outcome wait_issue(struct csp_core *c, const struct csp_instr *x)
{
	const int64_t count = value_of(c, &x->value);
	const uint64_t now = sim_now_units(c->machine->ctx->engine);

	if (count < 0 || count > CSP_SIGNALS_MAX) {
		csp_mistake(c, x, "wait %lld: a core waits for 0 to %d signals", (long long)count, CSP_SIGNALS_MAX);
		return ENDS;
	}
	if (count && (c->signals.count < count || *base_ring_at(&c->signals, (uint32_t)count - 1) > now))
		return WAITS_FOR_SIGNAL;
	for (uint32_t i = 0; i < count; i++) {
		csp_order_wait(c, c->signals.first);
		base_ring_pop(&c->signals);
	}
	return GOES_ON;
}

static enum outcome arrived_issue(struct csp_core *c, const struct csp_instr *x)
{
	struct csp_input *in = &c->machine->input;
	const int64_t count = value_of(c, &x->value);

	if (in->core != c) {
		csp_mistake(c, x, "nothing arrives: '.arrivals' says what does, and where");
		return ENDS;
	}
	if (count < 0 || (uint64_t)count > in->group_count - in->taken_groups) {
		csp_mistake(c, x, "arrived %lld: of %llu groups of lines %llu have been waited for", (long long)count,
			    (unsigned long long)in->group_count, (unsigned long long)in->taken_groups);
		return ENDS;
	}
	if (count && (in->taken_groups + (uint64_t)count > in->written_groups ||
		      in->group_units[in->taken_groups + (uint64_t)count - 1] > sim_now_units(c->machine->ctx->engine)))
		return WAITS_FOR_SIGNAL;
	in->taken_groups += (uint64_t)count;
	csp_order_arrived(c, in->taken_groups);
	return GOES_ON;
}

/* ---- the controller ---- */

static int64_t reversed(uint64_t value, int64_t bits)
{
	uint64_t out = 0;

	for (int64_t i = 0; i < bits; i++)
		out |= (value >> i & 1) << (bits - 1 - i);
	return (int64_t)out;
}

static bool compute(struct csp_core *c, const struct csp_instr *x)
{
	const int64_t by = value_of(c, &x->value), from = c->index[x->source];

	if ((x->op == CSP_DIV || x->op == CSP_MOD) && !by) {
		csp_mistake(c, x, "%s by %lld", csp_op_name(x->op), (long long)by);
		return false;
	}
	if (x->op == CSP_REV && (by < 0 || by > 32)) {
		csp_mistake(c, x, "rev of %lld bits: 0 to 32", (long long)by);
		return false;
	}
	c->index[x->index] = x->op == CSP_SET	? by
			     : x->op == CSP_MUL ? (int64_t)((uint64_t)from * (uint64_t)by)
			     : x->op == CSP_DIV ? (by == -1 ? (int64_t)(0 - (uint64_t)from) : from / by) /* wraps */
			     : x->op == CSP_MOD ? (by == -1 ? 0 : from % by)
			     : x->op == CSP_AND ? (from & by)
						: reversed((uint64_t)from, by);
	return true;
}

static bool loop_begin(struct csp_core *c, const struct csp_instr *x)
{
	const int64_t count = value_of(c, &x->value);

	if (count < 0) {
		csp_mistake(c, x, "loop %lld: 0 times or more", (long long)count);
		return false;
	}
	if (!count) {
		c->pc = x->targets[0];
		return true;
	}
	if (c->loop_count == CSP_LOOPS_MAX) {
		csp_mistake(c, x, "loops more than %d deep: is one left by a jump?", CSP_LOOPS_MAX);
		return false;
	}
	c->loops[c->loop_count++] = (struct csp_loop){c->pc, count};
	c->pc++;
	return true;
}

static bool loop_end(struct csp_core *c, const struct csp_instr *x)
{
	struct csp_loop *l = c->loop_count ? &c->loops[c->loop_count - 1] : NULL;

	if (!l || l->begin != x->targets[0]) {
		csp_mistake(c, x, "the end of a loop that is not the one under way: is one entered or left by a jump?");
		return false;
	}
	if (--l->left) {
		c->pc = l->begin + 1;
	} else {
		c->loop_count--;
		c->pc++;
	}
	return true;
}

static bool is_taken(const struct csp_core *c, const struct csp_instr *x)
{
	const int64_t a = c->index[x->index], b = value_of(c, &x->value);

	return x->op == CSP_BLT ? a < b : x->op == CSP_BGE ? a >= b : x->op == CSP_BEQ ? a == b : a != b;
}

/* Instructions that need no other part of the core; pc is moved. */
static bool control(struct csp_core *c, const struct csp_instr *x)
{
	switch (x->op) {
	case CSP_LOOP:
		return loop_begin(c, x);
	case CSP_END:
		return loop_end(c, x);
	case CSP_JUMP:
		c->pc = x->targets[0];
		return true;
	case CSP_BRANCH: {
		const int64_t i = c->index[x->index];

		c->pc = i >= 0 && i < x->target_count ? x->targets[i] : c->pc + 1;
		return true;
	}
	case CSP_BLT:
	case CSP_BGE:
	case CSP_BEQ:
	case CSP_BNE:
		c->pc = is_taken(c, x) ? x->targets[0] : c->pc + 1;
		return true;
	case CSP_CORE:
		c->index[x->index] = c->number;
		break;
	default:
		if (!compute(c, x))
			return false;
	}
	c->pc++;
	return true;
}

static bool is_timed(enum csp_op op)
{
	return op == CSP_LOAD || op == CSP_STORE || op == CSP_SEND || op == CSP_SIGNAL || op == CSP_WAIT ||
	       op == CSP_ARRIVED || op == CSP_HALT;
}

static enum outcome timed(struct csp_core *c, const struct csp_instr *x)
{
	switch (x->op) {
	case CSP_LOAD:
		return load_issue(c, x);
	case CSP_STORE:
	case CSP_SEND:
		return store_issue(c, x);
	case CSP_SIGNAL:
		return signal_issue(c, x);
	case CSP_WAIT:
		return wait_issue(c, x);
	case CSP_ARRIVED:
		return arrived_issue(c, x);
	default:
		c->is_halted = true;
		return ENDS;
	}
}

static void account(struct csp_core *c, enum outcome o, uint64_t cycle)
{
	static const enum csp_wait waits[] = {[WAITS_FOR_LINE] = CSP_WAITS_FOR_LINE,
					      [WAITS_FOR_UNIT] = CSP_WAITS_FOR_UNIT,
					      [WAITS_FOR_SIGNAL] = CSP_WAITS_FOR_SIGNAL,
					      [ENDS] = CSP_WAITS_NOT};

	if (waits[o] == CSP_WAITS_NOT)
		csp_account_go_on(c, cycle);
	else
		csp_account_wait(c, waits[o], base_max_u64(c->local_cycle, cycle));
}

/* One instruction, at local_cycle or later. */
static enum outcome step(struct csp_core *c, uint64_t cycle)
{
	const struct csp_instr *x = &c->machine->program->instrs[c->pc];
	enum outcome o = GOES_ON;

	if (is_timed(x->op)) {
		if (c->local_cycle > cycle)
			return WAITS_FOR_TIME;
		o = timed(c, x);
		if (unlikely(c->machine->is_accounted))
			account(c, o, cycle);
		c->pc += o == GOES_ON;
	} else if (x->op == CSP_CFMA) {
		o = vector_issue(c, x, cycle);
		if (unlikely(c->machine->is_accounted))
			account(c, o, cycle);
		c->pc += o == GOES_ON;
	} else if (!control(c, x)) {
		return ENDS;
	}
	if (o == GOES_ON || x->op == CSP_HALT) {
		c->stats.instructions++;
		c->local_cycle++;
	}
	return o;
}

static void waited(struct csp_core *c, uint64_t cycle)
{
	const enum csp_op op = c->machine->program->instrs[c->pc].op;
	const bool is_for_signal = op == CSP_WAIT || op == CSP_ARRIVED;

	if (c->blocked_from == CSP_PENDING || c->blocked_from >= cycle)
		return;
	*(is_for_signal ? &c->stats.signal_wait_cycles : &c->stats.memory_wait_cycles) += cycle - c->blocked_from;
	c->blocked_from = cycle;
}

static void controller(struct csp_core *c, uint64_t cycle)
{
	enum outcome o = GOES_ON;

	waited(c, cycle);
	if (c->blocked_from != CSP_PENDING)
		c->local_cycle = base_max_u64(c->local_cycle, cycle);
	for (uint32_t i = 0; o == GOES_ON && i < AHEAD_MAX; i++) {
		o = step(c, cycle);
		if (o == GOES_ON)
			c->blocked_from = CSP_PENDING;
	}
	if (o == GOES_ON || o == WAITS_FOR_TIME)
		sim_wake_cycle(c->machine->ctx->engine, c->comp, base_max_u64(c->local_cycle, cycle + 1));
	else if (o != ENDS && c->blocked_from == CSP_PENDING)
		c->blocked_from = base_max_u64(c->local_cycle, cycle);
}

void csp_core_tick(void *component, uint64_t cycle)
{
	struct csp_core *c = component;
	const bool is_over = c->is_halted || c->machine->mistake;

	if (!is_over)
		controller(c, cycle);
	csp_memory_tick(c, cycle);
	if (c->is_halted) {
		const uint64_t ended = base_max_u64(c->local_cycle, c->fu_last_cycle);

		c->stats.end_cycles = base_max_u64(c->stats.end_cycles, base_max_u64(cycle, ended));
	}
}

const char *csp_core_waits_for(const struct csp_core *c)
{
	return c->machine->program->instrs[c->pc].op == CSP_WAIT ? "a signal that nobody sends" : "memory";
}
