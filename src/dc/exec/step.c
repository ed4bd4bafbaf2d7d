/* step.c - a control block executes a word. */
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dc/array/complement.h"
#include "dc/array/cordic.h"
#include "dc/array/gradual.h"
#include "dc/array/newton.h"
#include "dc/array/open.h"
#include "dc/array/truncate.h"
#include "dc/exec/priv.h"

enum { FIRST_LINES = 256 };

struct dc_block *dc_block_new(const struct dc_program *p, uint32_t index, uint32_t *registers)
{
	struct dc_block *b = g_new0(struct dc_block, 1);
	const uint32_t preds = p->kernel->pred_count + 1;

	b->program = p;
	b->index = index;
	b->regs = registers;
	b->preds = g_new0(uint32_t, (size_t)preds * p->warps);
	b->next_preds = g_new0(uint32_t, (size_t)preds * p->warps);
	b->dirty = g_new0(uint16_t, preds);
	b->is_dirty = g_new0(uint8_t, preds);
	b->carry = g_new0(uint32_t, p->warps);
	b->arrived = g_new0(uint16_t, (size_t)p->warps * DC_BARRIERS);
	b->line_room = FIRST_LINES;
	b->lines = g_new(uint64_t, b->line_room);
	b->line_bytes = g_new(uint32_t, b->line_room);
	return b;
}

void dc_block_free(struct dc_block *b)
{
	if (!b)
		return;
	g_free(b->preds);
	g_free(b->next_preds);
	g_free(b->dirty);
	g_free(b->is_dirty);
	g_free(b->carry);
	g_free(b->arrived);
	g_free(b->lines);
	g_free(b->line_bytes);
	g_free(b);
}

void dc_block_begin(struct dc_block *b, const struct dc_warp *warps, uint32_t count, const struct dc_segments *segments)
{
	CHECK(count <= b->program->warps);
	b->segments = *segments;
	b->word = 0;
	b->warp_count = count;
	b->launched_lanes = 0;
	b->idle_rounds = b->rounds = b->last_hash = 0;
	memset(b->arrived, 0, sizeof(*b->arrived) * b->program->warps * DC_BARRIERS);
	for (uint32_t w = 0; w < b->program->warps; w++) {
		b->launched[w] = w < count ? warps[w].launched : 0;
		if (w < count)
			b->warps[w] = warps[w];
		b->launched_lanes += (uint32_t)__builtin_popcount(b->launched[w]);
	}
}

uint32_t dc_block_word(const struct dc_block *b)
{
	return b->word;
}

static uint32_t line_new(struct dc_block *b, struct dc_access *a, uint64_t line)
{
	if (a->line_count == b->line_room) {
		b->line_room *= 2;
		b->lines = a->lines = g_renew(uint64_t, b->lines, b->line_room);
		b->line_bytes = a->line_bytes = g_renew(uint32_t, b->line_bytes, b->line_room);
	}
	b->lines[a->line_count] = line;
	b->line_bytes[a->line_count] = 0;
	return a->line_count++;
}

/* A line of an access, once. */
void dc_line_add(struct dc_block *b, struct dc_access *a, uint64_t address, uint32_t bytes)
{
	const uint64_t line_bytes = b->program->params.line_bytes;
	struct dc_line_set *set = b->program->lines;

	/* Neighbours access the same line: that of the lane before. */
	if (a->line_count && address - b->lines[b->last_line] < line_bytes &&
	    address + bytes - b->lines[b->last_line] <= line_bytes) {
		b->line_bytes[b->last_line] += bytes;
		return;
	}
	for (uint64_t line = address & ~(line_bytes - 1); line < address + bytes; line += line_bytes) {
		const uint64_t begin = line > address ? line : address;
		const uint64_t end = line + line_bytes < address + bytes ? line + line_bytes : address + bytes;
		uint32_t at = (uint32_t)((line / line_bytes) * 0x9e3779b97f4a7c15ull >> 40) & set->mask;

		while (set->entries[at].gen == set->gen && set->entries[at].line != line)
			at = (at + 1) & set->mask;
		if (set->entries[at].gen != set->gen)
			set->entries[at] = (struct dc_line_entry){line, set->gen, line_new(b, a, line)};
		b->last_line = set->entries[at].at;
		b->line_bytes[b->last_line] += (uint32_t)(end - begin);
	}
}

void dc_lines_begin(struct dc_block *b, uint32_t lines_per_lane)
{
	struct dc_line_set *set = b->program->lines;
	uint32_t room = b->program->lanes * 2; /* a power of two, as it is */

	while (room < b->program->lanes * 2 * lines_per_lane)
		room *= 2;
	CHECK(room <= set->room);
	set->mask = room - 1;
	if (++set->gen)
		return;
	memset(set->entries, 0, sizeof(*set->entries) * set->room);
	set->gen = 1;
}

bool dc_fault(struct simt_launch *l, const struct dc_block *b, const struct ptx_inst *i, uint32_t warp, uint32_t lane,
	      enum simt_fault_kind kind, const char *fmt, ...)
{
	const struct dc_warp *w = &b->warps[warp];
	const uint64_t thread = (uint64_t)w->warp * DC_ROW_WORDS + lane;
	char what[512];
	va_list ap;

	if (l->fault.kind)
		return false;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	l->fault.kind = kind;
	snprintf(l->fault.text, sizeof(l->fault.text),
		 "kernel %s, %s line %u (%s), CTA (%u,%u,%u), thread (%llu,%llu,%llu): %s", b->program->kernel->name,
		 simt_program_module_name(b->program->program), i ? i->line : 0,
		 i && i->text ? i->text : i ? ptx_op_name(i->op) : "spill", w->cta_id[0], w->cta_id[1], w->cta_id[2],
		 (unsigned long long)(thread % l->block[0]), (unsigned long long)(thread / l->block[0] % l->block[1]),
		 (unsigned long long)(thread / l->block[0] / l->block[1]), what);
	return false;
}

/* ---- special registers ---- */

static uint64_t time_ns(const struct dc_block *b)
{
	return (uint64_t)((unsigned __int128)b->cycle * 1000000 / b->program->params.clock_khz);
}

uint64_t dc_special(const struct dc_block *b, const struct simt_launch *l, const struct ptx_operand *o, uint32_t warp,
		    uint32_t lane)
{
	const struct dc_warp *w = &b->warps[warp];
	const uint64_t thread = (uint64_t)w->warp * DC_ROW_WORDS + lane;
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	const uint32_t k = o->component - 1u;

	switch (o->sreg) {
	case PTX_SREG_TID:
		return k == 0	? thread % l->block[0]
		       : k == 1 ? thread / l->block[0] % l->block[1]
		       : k == 2 ? thread / l->block[0] / l->block[1]
				: 0;
	case PTX_SREG_CLUSTERID: /* clusters of one CTA */
	case PTX_SREG_CTAID: return k < 3 ? w->cta_id[k] : 0;
	case PTX_SREG_CLUSTER_NCTAID: return k < 3;
	case PTX_SREG_CLUSTER_NCTARANK: return 1;
	case PTX_SREG_NTID: return k < 3 ? l->block[k] : 0;
	case PTX_SREG_NCLUSTERID:
	case PTX_SREG_NCTAID: return k < 3 ? l->grid[k] : 0;
	case PTX_SREG_LANEID: return lane;
	case PTX_SREG_LANEMASK_EQ: return 1u << lane;
	case PTX_SREG_LANEMASK_LT: return (1u << lane) - 1;
	case PTX_SREG_LANEMASK_LE: return lane == 31 ? UINT32_MAX : (2u << lane) - 1;
	case PTX_SREG_LANEMASK_GT: return lane == 31 ? 0 : ~((2u << lane) - 1);
	case PTX_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
	case PTX_SREG_WARPID: return w->warp;
	case PTX_SREG_NWARPID: return (threads + DC_ROW_WORDS - 1) / DC_ROW_WORDS;
	case PTX_SREG_GRIDID: return l->grid_id;
	case PTX_SREG_NSMID: return l->sm_count;
	case PTX_SREG_DYNAMIC_SMEM_SIZE: return l->shared_dynamic_bytes;
	case PTX_SREG_AGGR_SMEM_SIZE:
	case PTX_SREG_TOTAL_SMEM_SIZE: return b->program->kernel->shared_bytes + l->shared_dynamic_bytes;
	case PTX_SREG_WARP_SZ: return DC_ROW_WORDS;
	case PTX_SREG_SMID: return b->index;
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK64: return b->cycle;
	case PTX_SREG_CLOCK_HI: return b->cycle >> 32;
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO: return time_ns(b);
	case PTX_SREG_GLOBALTIMER_HI: return time_ns(b) >> 32;
	default: return 0; /* %pm: nothing sets them; no shared memory is reserved */
	}
}

/* ---- slots ---- */

/* A number of a row: of pairs each half is one. */
struct format {
	uint64_t exponent, fraction; /* their bits */
	uint32_t halves, bits;
};

static struct format format_of(uint32_t e, uint32_t m, uint32_t times)
{
	return (struct format){.exponent = ((1ull << e) - 1) << (m - 1), .fraction = (1ull << (m - 1)) - 1,
			       .halves = times, .bits = e + m};
}

/* f16, bf16, f32 and f64; others have too few bits of exponent to do without denormal numbers. */
static bool has_flush(const struct format *f)
{
	return f->bits == 16 || f->bits >= 32;
}

/* Is there one in the row, whether or not its lane takes part? Seldom; without a branch. */
static bool may_flush(const void *row, const struct format *f)
{
	uint64_t found = 0;

	const uint32_t *words = row, exponent = (uint32_t)f->exponent, fraction = (uint32_t)f->fraction;
	const uint64_t *longs = row;

	if (f->bits == 64) {
		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			found |= (longs[i] & f->exponent ? 0 : longs[i]) & f->fraction;
		return found;
	}
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		found |= (words[i] & exponent ? 0 : words[i]) & fraction;
	for (uint32_t i = 0; f->halves == 2 && i < DC_ROW_WORDS; i++)
		found |= (words[i] >> 16 & exponent ? 0 : words[i] >> 16) & fraction;
	return found;
}

static uint64_t lane_value(const void *row, uint32_t bytes, uint32_t lane)
{
	return bytes == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static void lane_set(void *row, uint32_t bytes, uint32_t lane, uint64_t value)
{
	if (bytes == 8)
		((uint64_t *)row)[lane] = value;
	else
		((uint32_t *)row)[lane] = (uint32_t)value;
}

/* Denormals become zeros of their sign; how many there were. */
static uint32_t flush(void *row, const struct format *f, uint32_t mask)
{
	const uint32_t bytes = f->bits == 64 ? 8 : 4;
	uint32_t count = 0;

	if (!has_flush(f) || !may_flush(row, f))
		return 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t value = lane_value(row, bytes, lane);

		for (uint32_t half = 0; half < f->halves; half++) {
			const uint64_t part = value >> half * f->bits;

			if (part & f->exponent || !(part & f->fraction))
				continue;
			value &= ~(f->fraction << half * f->bits);
			count++;
		}
		lane_set(row, bytes, lane, value);
	}
	return count;
}

/* Arrays of a bank that an operation works in: code of one array has other lanes in each. */
static uint32_t arrays_at_work(const struct dc_program *p)
{
	return p->lanes / DC_BLOCK_LANES;
}

static void count(struct dc_program *p, const struct dc_exec *e, uint64_t lanes, uint64_t cycles,
		  const struct dc_block *b)
{
	struct dc_exec_counts *c = &p->counts;

	c->slots++;
	c->lane_operations += lanes;
	c->active_lane_cycles += lanes * cycles;
	c->lane_cycles += b->launched_lanes * cycles;
	c->array_cycles += cycles * arrays_at_work(p);
	c->operations[e->use.op]++;
	c->cycles[e->use.op] += cycles;
	c->base_cycles[e->use.op] += e->base_cycles;
	if (e->use.op == DC_OP_COMPLEMENT)
		c->conversions_made++;
	else
		c->conversions_kept += dc_use_operands_kept(&e->use) + dc_use_keeps_result(&e->use);
}

static uint64_t taken(const struct dc_program *p, uint64_t cycles)
{
	return p->params.operations_are_free ? 1 : cycles;
}

static void count_differences(struct dc_program *p, const struct dc_facts *f)
{
	const uint32_t count =
	    (uint32_t)(__builtin_popcountll(f->differences[0]) + __builtin_popcountll(f->differences[1]));

	p->counts.differences[count < DC_DIFFERENCES_COUNT ? count : DC_DIFFERENCES_COUNT - 1]++;
}

struct rows {
	_Alignas(64) uint64_t src[DC_ALU_SRCS][DC_ROW_WORDS];
	_Alignas(64) uint64_t out[DC_ROW_WORDS];
};

static void lane_ids(const struct dc_block *b, const struct simt_launch *l, const struct dc_slot *s,
		     const struct dc_exec *e, uint32_t warp, void *out)
{
	for (uint32_t lane = 0; lane < DC_ROW_WORDS; lane++) {
		const uint64_t v = dc_special(b, l, &s->inst->src[0], warp, lane);

		if (e->dst_bytes == 8)
			((uint64_t *)out)[lane] = v;
		else
			((uint32_t *)out)[lane] = (uint32_t)v;
	}
}

/* Sources that lie in two's complement, as the numbers that they are. */
static void take_kept(const struct dc_exec *e, const void **src, struct rows *r)
{
	for (uint32_t k = 0; k < e->src_count; k++) {
		if (!(e->use.kept >> k & 1))
			continue;
		dc_complement_row(&e->use, src[k], r->src[k]);
		src[k] = r->src[k];
	}
}

/* Sources without denormals: copied where there are some. */
static void flush_sources(struct dc_program *p, const struct dc_exec *e, const void **src, struct rows *r,
			  uint32_t mask)
{
	const struct format f = format_of(e->use.e, e->use.m, e->use.op == DC_OP_FLOAT_TO_FLOAT ? 1 : e->use.times);

	for (uint32_t k = 0; k < e->src_count; k++) {
		if (!e->from[k].want || !has_flush(&f) || !may_flush(src[k], &f) ||
		    (e->use.kept & DC_KEPT_OPEN && e->use.kept >> k & 1))
			continue;
		if (src[k] != r->src[k]) {
			memcpy(r->src[k], src[k], (size_t)DC_ROW_WORDS * e->from[k].want);
			src[k] = r->src[k];
		}
		p->counts.denormals += flush(r->src[k], &f, mask);
	}
}

/* duality.elide_normalisation: sums of open numbers, and conversions to and from them. */
static void open_values(const struct dc_exec *e, const void *const *src, uint32_t mask, void *out)
{
	const uint32_t bytes = e->dst_bytes;
	const bool stays = dc_use_keeps_result(&e->use);
	const uint64_t flip = (uint64_t)e->use.is_difference << (e->use.n - 1);

	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);
		const uint64_t x = lane_value(src[0], bytes, lane);

		lane_set(out, bytes, lane,
			 e->use.op == DC_OP_FADD ? dc_open_add(&e->use, x, lane_value(src[1], bytes, lane) ^ flip)
			 : stays		 ? dc_open_of(&e->use, x)
						 : dc_open_to(&e->use, x));
	}
}

/* duality.rounding=truncate: the integer formulas. */
static void truncated(const struct dc_exec *e, const struct ptx_inst *i, const void *const *src, uint32_t mask,
		      void *out)
{
	const uint32_t bytes = e->dst_bytes;

	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);
		const uint64_t x = lane_value(src[0], bytes, lane), y = lane_value(src[1], bytes, lane);
		const uint64_t sign = 1ull << (8 * bytes - 1);
		uint64_t value;

		switch (e->use.op) {
		case DC_OP_FADD: value = dc_truncated_add(&e->use, x, i->op == PTX_OP_SUB ? y ^ sign : y); break;
		case DC_OP_FMUL: value = dc_truncated_mul(&e->use, x, y); break;
		case DC_OP_FDIV: value = dc_truncated_div(&e->use, x, y); break;
		default: value = dc_truncated_fma(&e->use, x, y, lane_value(src[2], bytes, lane)); break;
		}
		lane_set(out, bytes, lane, value);
	}
}

/* Of the results. */
static uint32_t flush_results(const struct dc_exec *e, void *out, uint32_t mask)
{
	const struct dc_use *u = &e->use;
	const struct format f = u->op == DC_OP_FLOAT_TO_FLOAT ? format_of(u->to_e, u->to_m, u->times)
							      : format_of(u->e, u->m, u->times);

	return e->use.op == DC_OP_FLOAT_TO_INT ? 0 : flush(out, &f, mask);
}

/* What the arrays compute by routines of their own, and PTX leaves open. */
static void compute_own(const struct dc_program *p, const struct dc_exec *e, const void *const *src, void *out)
{
	switch ((enum dc_own)e->own) {
	case DC_OWN_CORDIC:
		dc_cordic((enum dc_function)e->function, p->params.arith.cordic_iterations, src[0], out);
		break;
	case DC_OWN_TANH: dc_tanh(p->params.arith.cordic_iterations, src[0], out); break;
	case DC_OWN_RSQRT32: dc_rsqrt32(src[0], out); break;
	case DC_OWN_NEWTON32: dc_newton32(src[0], out); break;
	case DC_OWN_RSQRT64: dc_rsqrt64(src[0], out); break;
	case DC_OWN_NONE: break;
	}
}

/* A reciprocal is a quotient of one: operands that are so. */
static void quotient_of(const struct dc_exec *e, const void *const *src, uint64_t *ones, const void **quotient)
{
	const uint64_t one = ((1ull << (e->use.e - 1)) - 1) << (e->use.m - 1);
	uint32_t *words = (uint32_t *)ones;

	for (uint32_t i = 0; i < DC_ROW_WORDS; i++) {
		if (e->use.n > 32)
			ones[i] = one;
		else
			words[i] = (uint32_t)one;
	}
	quotient[0] = ones;
	quotient[1] = src[0];
}

static bool is_reciprocal(const struct dc_exec *e)
{
	return e->use.op == DC_OP_FDIV && e->src_count == 1;
}

/* Pairs: the lower halves' facts, then the upper ones'. */
static void add_facts(const struct dc_program *p, const struct dc_exec *e, struct dc_facts *facts,
		      const void *const *src, uint32_t mask)
{
	uint32_t upper[DC_ALU_SRCS][DC_ROW_WORDS];
	const void *halves[DC_ALU_SRCS], *quotient[2];
	uint64_t ones[DC_ROW_WORDS];

	if (is_reciprocal(e)) {
		quotient_of(e, src, ones, quotient);
		src = quotient;
	}
	dc_facts_add(facts, &e->use, &p->params.arith, src, mask);
	if (e->use.times == 1)
		return;
	for (uint32_t k = 0; k < DC_ALU_SRCS; k++) {
		halves[k] = upper[k];
		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			upper[k][i] = ((const uint32_t *)src[k])[i] >> 16;
	}
	dc_facts_add(&facts[1], &e->use, &p->params.arith, halves, mask);
}

/* Which halves have to be done again. */
static void note_denormals(const struct dc_program *p, const struct dc_exec *e, const void *const *src, const void *out,
			   uint32_t mask, bool *again)
{
	uint64_t ones[DC_ROW_WORDS];
	const void *quotient[2];

	if (is_reciprocal(e)) {
		quotient_of(e, src, ones, quotient);
		src = quotient;
	}
	for (uint32_t half = 0; half < e->use.times; half++)
		again[half] = again[half] || dc_gradual_needs(&e->use, &p->params.arith, src, out, mask, half);
}

static void alu_warp(struct dc_program *p, struct dc_block *b, const struct simt_launch *l, const struct dc_slot *s,
		     const struct dc_exec *e, struct dc_facts *facts, bool *again, uint32_t warp, uint32_t mask)
{
	struct rows r;
	const void *src[DC_ALU_SRCS] = {dc_zero_row, dc_zero_row, dc_zero_row, dc_zero_row};
	uint32_t second = 0, result = 0, pred = 0, pred2 = 0;
	const bool is_open = e->use.kept & DC_KEPT_OPEN;

	for (uint32_t k = 0; k < e->src_count; k++)
		if (e->from[k].want)
			src[k] = dc_row_of(b, &e->from[k], warp, r.src[k]);
	if (e->pred.kind != DC_SRC_NONE)
		pred = dc_pred_source(b, &e->pred, warp);
	if (e->pred2.kind != DC_SRC_NONE)
		pred2 = dc_pred_source(b, &e->pred2, warp);
	if (e->use.kept & DC_KEPT_OPERANDS && !is_open)
		take_kept(e, src, &r);
	if (e->flushes_operands)
		flush_sources(p, e, src, &r, mask);
	if (facts)
		add_facts(p, e, facts, src, mask);
	if (e->is_exact)
		dc_exact_take(p->exact, e, warp, src);
	if (e->run == DC_RUN_LANE)
		lane_ids(b, l, s, e, warp, r.out);
	else if (is_open)
		open_values(e, src, mask, r.out);
	else if (e->is_truncated)
		truncated(e, s->inst, src, mask, r.out);
	else if (e->own != DC_OWN_NONE)
		compute_own(p, e, src, r.out);
	else
		result = dc_value(e, src, pred, pred2, &b->carry[warp], r.out, mask, &second);
	if (e->dst_bytes) {
		if (e->flushes_result && !is_open)
			p->counts.denormals += flush_results(e, r.out, mask);
		if (e->is_gradual)
			note_denormals(p, e, src, r.out, mask, again);
		if (dc_use_keeps_result(&e->use) && !is_open)
			dc_complement_row(&e->use, r.out, r.out);
		dc_row_put(b, &s->dst, warp, r.out, e->dst_bytes, e->is_dst_signed, mask);
	}
	if (s->pred_dst != DC_NO_PRED)
		dc_pred_write(b, s->pred_dst, warp, mask, result);
	if (s->pred_dst2 != DC_NO_PRED)
		dc_pred_write(b, s->pred_dst2, warp, mask, second);
}

static uint64_t alu(struct dc_program *p, struct dc_block *b, const struct simt_launch *l, const struct dc_slot *s,
		    const struct dc_exec *e)
{
	struct dc_facts facts[2];
	uint64_t lanes = 0, cycles = 0;
	const bool has_facts = e->has_facts && p->params.savings;
	bool again[2] = {false, false}; /* a half has denormals */

	for (uint32_t half = 0; has_facts && half < e->use.times; half++)
		dc_facts_begin(&facts[half]);
	for (uint32_t w = 0; w < b->warp_count; w++) {
		const uint32_t mask = dc_guard_mask(b, &s->guard, w);

		if (!mask)
			continue;
		lanes += (uint32_t)__builtin_popcount(mask);
		alu_warp(p, b, l, s, e, has_facts ? facts : NULL, again, w, mask);
	}
	for (uint32_t half = 0; has_facts && half < e->use.times; half++)
		cycles += dc_cycles(&e->use, &p->params.arith, p->params.savings, &facts[half]);
	if (!has_facts)
		cycles = e->fixed_cycles;
	for (uint32_t half = 0; half < 2; half++)
		if (again[half]) {
			cycles += dc_gradual_cycles(&e->use, &p->params.arith);
			p->again_rows += dc_gradual_rows(&e->use);
			p->counts.gradual++;
		}
	if (e->is_exact && lanes) {
		dc_exact_run(p->exact, p, b, s, e);
		dc_exact_compare(p->exact, b, s, e, cycles);
	}
	cycles = taken(p, cycles);
	p->counts.fma_separated += e->is_half_fma && lanes;
	count(p, e, lanes, cycles, b);
	if (has_facts && lanes && e->use.op == DC_OP_FADD)
		count_differences(p, facts);
	return cycles;
}

static uint64_t copy(struct dc_program *p, struct dc_block *b, const struct dc_slot *s)
{
	const struct dc_loc *from = &s->src[0].loc;
	const struct dc_use use = {.op = DC_OP_COPY_ARRAY, .n = s->dst.hi == DC_NO_REG ? 32 : 64, .times = 1};
	const struct dc_exec e = {.use = use, .base_cycles = dc_base_cycles(&use, &p->params.arith)};
	uint64_t lanes = 0;

	for (uint32_t w = 0; w < b->warp_count; w++) {
		const uint32_t mask = dc_guard_mask(b, &s->guard, w);
		struct dc_loc half = s->dst;

		if (!mask)
			continue;
		lanes += (uint32_t)__builtin_popcount(mask);
		half.hi = DC_NO_REG;
		dc_row_put(b, &half, w, dc_reg_row(b, from->array, from->lo, w), 4, false, mask);
		if (s->dst.hi == DC_NO_REG)
			continue;
		half.lo = s->dst.hi;
		dc_row_put(b, &half, w, dc_reg_row(b, from->array, from->hi, w), 4, false, mask);
	}
	count(p, &e, lanes, taken(p, e.base_cycles), b);
	return taken(p, e.base_cycles);
}

static uint64_t masks(struct dc_program *p, struct dc_block *b, const struct dc_slot *s)
{
	const struct dc_use use = {.op = DC_OP_PREDICATE, .n = 1, .times = 1};
	const struct dc_exec e = {.use = use, .base_cycles = 1};

	for (uint32_t w = 0; w < b->warp_count; w++) {
		const uint32_t x = dc_pred_source(b, &s->src[0], w);
		const uint32_t y = s->mask_op == DC_MASK_MOV ? 0 : dc_pred_source(b, &s->src[1], w);

		dc_pred_write(b, s->pred_dst, w, b->launched[w],
			      s->mask_op == DC_MASK_AND ? x & y
			      : s->mask_op == DC_MASK_OR ? x | y
							 : x);
	}
	count(p, &e, b->launched_lanes, 1, b);
	return 1;
}

static uint64_t slot(struct dc_program *p, struct dc_block *b, const struct simt_launch *l, const struct dc_slot *s,
		     const struct dc_exec *e)
{
	switch ((enum dc_slot_kind)s->kind) {
	case DC_SLOT_ALU: return alu(p, b, l, s, e);
	case DC_SLOT_COPY: return copy(p, b, s);
	case DC_SLOT_MASK: return masks(p, b, s);
	case DC_SLOT_NONE:
	case DC_SLOT_BUSY: break;
	}
	return 0;
}

/* ---- flow ---- */

static bool any_lane(const struct dc_block *b, uint32_t pred)
{
	for (uint32_t w = 0; w < b->warp_count; w++)
		if (b->launched[w] & dc_pred_of(b, pred, w))
			return true;
	return false;
}

/* Predicates written in this word become those of the next. */
static void commit(struct dc_block *b)
{
	const uint32_t warps = b->program->warps;

	for (uint32_t i = 0; i < b->dirty_count; i++) {
		const uint32_t pred = b->dirty[i];

		memcpy(b->preds + (uint64_t)pred * warps, b->next_preds + (uint64_t)pred * warps,
		       warps * sizeof(*b->preds));
		b->is_dirty[pred] = 0;
	}
	b->dirty_count = 0;
}

/* FNV-1a over registers and predicates. */
static uint64_t state_hash(const struct dc_block *b)
{
	const struct dc_program *p = b->program;
	uint64_t hash = 0xcbf29ce484222325;

	for (uint64_t i = 0; i < (uint64_t)p->kernel->array_count * DC_REGS * p->lanes; i++)
		hash = (hash ^ b->regs[i]) * 0x100000001b3;
	for (uint64_t i = 0; i < (uint64_t)p->kernel->pred_count * p->warps; i++)
		hash = (hash ^ b->preds[i]) * 0x100000001b3;
	return hash;
}

/* A loop that goes round and changes nothing: lanes that wait for others of their control block, which wait for them.
 */
static bool makes_progress(const struct dc_program *p, struct dc_block *b, struct simt_launch *l,
			   const struct dc_word *w)
{
	enum { ROUNDS_A_LOOK = 1024 };
	const struct ptx_inst *inst = &p->kernel->func->insts[p->kernel->cfg->blocks[w->block].first];
	uint64_t hash;

	if (++b->rounds % ROUNDS_A_LOOK)
		return true;
	hash = state_hash(b);
	b->idle_rounds = hash == b->last_hash ? b->idle_rounds + ROUNDS_A_LOOK : 0;
	b->last_hash = hash;
	if (b->idle_rounds < p->params.progress_rounds)
		return true;
	return dc_fault(
	    l, b, inst, 0, 0, SIMT_FAULT_BARRIER,
	    "a loop without progress: in %llu rounds no lane left it and nothing changed; lanes of a control "
	    "block run in lock step, so that one must not wait for another%s",
	    (unsigned long long)b->idle_rounds,
	    b->warp_count && b->warps[0].cta != b->warps[b->warp_count - 1].cta
		? "; this one holds several CTAs, of which each has one of its own with --set duality.placement=spread"
		: ", nor for a CTA that has not begun");
}

static bool flow(const struct dc_program *p, struct dc_block *b, struct simt_launch *l, const struct dc_word *w,
		 struct dc_step *out)
{
	b->word++;
	if (w->flow == DC_FLOW_END) {
		out->is_done = true;
	} else if (w->flow == DC_FLOW_JUMP && any_lane(b, w->flow_pred)) {
		b->word = w->target;
		out->jumped = true;
		return makes_progress(p, b, l, w);
	}
	return true;
}

bool dc_block_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, uint64_t cycle,
		   struct dc_step *out)
{
	const struct dc_word *w = &p->kernel->words[b->word];
	uint64_t longest = 1;

	*out = (struct dc_step){.executed = b->word, .access.lines = b->lines, .access.line_bytes = b->line_bytes};
	b->cycle = cycle;
	p->again_rows = 0;
	p->counts.words++;
	if (w->flow == DC_FLOW_SKIP && !any_lane(b, w->flow_pred)) {
		p->counts.skips++;
		b->word = w->target;
		out->cycles = 1;
		return true;
	}
	/* What the C-Box reads is what was there before the slots write. */
	if (w->box.kind != DC_BOX_NONE && !dc_box_step(p, b, l, w, out))
		return false;
	for (uint32_t a = 0; a < DC_ARRAYS; a++) {
		const uint64_t cycles = slot(p, b, l, &w->slot[a], &p->slots[b->word * DC_ARRAYS + a]);

		longest = cycles > longest ? cycles : longest;
	}
	commit(b);
	out->cycles = longest;
	out->again_rows = p->params.operations_are_free ? 0 : p->again_rows;
	return flow(p, b, l, w, out);
}
