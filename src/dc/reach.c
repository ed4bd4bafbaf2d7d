/* reach.c - see reach.h. */
#include "dc/reach.h"

#include <glib.h>
#include <string.h>

#include "ptx/cfg.h"
#include "simt/alu/alu.h"

enum { THREADS_MAX = 1024, DEPTH_MAX = 64, NOT_YET = 0, KNOWN, UNKNOWN };

struct dc_reach {
	const struct ptx_func *f;
	struct ptx_cfg *cfg;
	uint32_t block[3], threads, words;
	uint64_t *masks; /* [inst_count][words]: threads that do it */
	/* registers */
	uint32_t *defs, *def_at;
	uint8_t *state;
	uint64_t **values; /* [threads], of a predicate 0 or 1 */
};

/* ---- values that a thread's place decides ---- */

static bool value_of_place(const struct dc_reach *r, const struct ptx_operand *o, uint32_t thread, uint64_t *v)
{
	const uint32_t place[3] = {thread % r->block[0], thread / r->block[0] % r->block[1],
				   thread / r->block[0] / r->block[1]};
	const uint32_t c = o->component ? o->component - 1u : 0;

	if (c > 2)
		return false;
	switch (o->sreg) {
	case PTX_SREG_TID: *v = place[c]; return true;
	case PTX_SREG_NTID: *v = r->block[c]; return true;
	case PTX_SREG_LANEID: *v = thread % 32; return true;
	default: return false;
	}
}

static const uint64_t *values_of(struct dc_reach *r, uint32_t reg, uint32_t depth);

/* An operand's value in each thread. */
static bool read_operand(struct dc_reach *r, const struct ptx_operand *o, uint32_t depth, uint64_t *out)
{
	const uint64_t *from;

	if (o->kind == PTX_OPND_SREG) {
		for (uint32_t t = 0; t < r->threads; t++)
			if (!value_of_place(r, o, t, &out[t]))
				return false;
		return true;
	}
	if (o->kind == PTX_OPND_IMM) {
		for (uint32_t t = 0; t < r->threads; t++)
			out[t] = o->imm;
		return true;
	}
	from = o->kind == PTX_OPND_REG && !o->negate && !o->component ? values_of(r, o->reg, depth) : NULL;
	if (from)
		memcpy(out, from, r->threads * sizeof(*out));
	return from != NULL;
}

static bool logic(const struct ptx_inst *i, const uint64_t *a, const uint64_t *b, uint64_t *out, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		switch (i->op) {
		case PTX_OP_MOV: out[t] = a[t]; break;
		case PTX_OP_NOT: out[t] = !a[t]; break;
		case PTX_OP_AND: out[t] = a[t] & b[t]; break;
		case PTX_OP_OR: out[t] = a[t] | b[t]; break;
		case PTX_OP_XOR: out[t] = a[t] ^ b[t]; break;
		default: return false;
		}
	return true;
}

/* Registers of 16 bits and less have bits above that are somebody's choice. */
static bool is_narrow(const struct ptx_inst *i)
{
	return ptx_type_bytes(i->type) < 4 || (i->op == PTX_OP_CVT && ptx_type_bytes(i->type2) < 4);
}

static bool has_predicate(const struct dc_reach *r, const struct ptx_inst *i)
{
	for (uint32_t k = 0; k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_REG && r->f->regs[i->src[k].reg].type == PTX_PRED)
			return true;
	return false;
}

/* One thread at a time, as lane 0 of a warp. */
static bool compute(const struct dc_reach *r, const struct ptx_inst *i, uint64_t *const src[3], uint64_t *out)
{
	_Alignas(64) uint64_t rows[3][32] = {{0}}, d[32] = {0};
	const void *in[4] = {rows[0], rows[1], rows[2], rows[0]};
	struct simt_alu alu;
	const char *why;

	if (has_predicate(r, i) || is_narrow(i) || !simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why) ||
	    alu.aux_kind != SIMT_AUX_CONST || alu.returns_mask != (i->op == PTX_OP_SETP))
		return false;
	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t result;

		for (uint32_t k = 0; k < i->src_count; k++)
			rows[k][0] = src[k][t];
		result = alu.fn(d, in, 1, alu.aux);
		out[t] = alu.returns_mask ? result & 1 : alu.dst_bytes == 8 ? d[0] : d[0] & UINT32_MAX;
	}
	return true;
}

static bool evaluate(struct dc_reach *r, const struct ptx_inst *i, uint32_t depth, uint64_t *out)
{
	g_autofree uint64_t *room = g_new(uint64_t, 3 * (size_t)r->threads);
	uint64_t *const src[3] = {room, room + r->threads, room + 2 * (size_t)r->threads};

	if (i->src_count > 3 || i->op == PTX_OP_LD || i->op == PTX_OP_ATOM)
		return false;
	for (uint32_t k = 0; k < i->src_count; k++)
		if (!read_operand(r, &i->src[k], depth + 1, src[k]))
			return false;
	if (i->type == PTX_PRED || (i->op == PTX_OP_MOV && i->src_count == 1))
		return logic(i, src[0], src[1], out, r->threads);
	return compute(r, i, src, out);
}

/* NULL: other things decide it, too. */
static const uint64_t *values_of(struct dc_reach *r, uint32_t reg, uint32_t depth)
{
	const struct ptx_inst *i = &r->f->insts[r->def_at[reg]];

	if (r->state[reg] != NOT_YET)
		return r->values[reg];
	r->state[reg] = UNKNOWN;
	if (r->defs[reg] != 1 || i->has_guard || i->dst.kind != PTX_OPND_REG || i->dst.reg != reg || depth > DEPTH_MAX)
		return NULL;
	r->values[reg] = g_new(uint64_t, r->threads);
	if (evaluate(r, i, depth, r->values[reg])) {
		r->state[reg] = KNOWN;
		return r->values[reg];
	}
	g_free(r->values[reg]);
	r->values[reg] = NULL;
	return NULL;
}

static void find_definitions(struct dc_reach *r)
{
	struct ptx_reg_use use;

	for (uint32_t n = 0; n < r->f->inst_count; n++) {
		ptx_inst_regs(&r->f->insts[n], &use);
		for (uint32_t w = 0; w < use.write_count; w++) {
			r->defs[use.writes[w]]++;
			r->def_at[use.writes[w]] = n;
		}
	}
}

/* ---- threads ---- */

/* Of the threads in from those that the guard lets; all where other things decide it, too. */
static void let(struct dc_reach *r, const struct ptx_inst *i, const uint64_t *from, bool when, uint64_t *out)
{
	const uint64_t *values = i->has_guard ? values_of(r, i->guard_reg, 0) : NULL;

	memcpy(out, from, r->words * sizeof(*out));
	if (!i->has_guard && !when)
		memset(out, 0, r->words * sizeof(*out));
	for (uint32_t t = 0; values && t < r->threads; t++)
		if ((values[t] != i->guard_negate) != when)
			out[t / 64] &= ~(UINT64_C(1) << t % 64);
}

static bool add(uint64_t *to, const uint64_t *more, uint32_t words)
{
	bool changed = false;

	for (uint32_t w = 0; w < words; w++) {
		changed |= (more[w] & ~to[w]) != 0;
		to[w] |= more[w];
	}
	return changed;
}

/* What leaves a block goes to its successors. */
static bool leave(struct dc_reach *r, uint32_t b, uint64_t *in)
{
	const struct ptx_block *block = &r->cfg->blocks[b];
	const struct ptx_inst *last = &r->f->insts[block->last];
	const bool parts = last->op == PTX_OP_BRA && last->src[0].kind == PTX_OPND_LABEL;
	const bool ends = last->op == PTX_OP_EXIT || last->op == PTX_OP_RET;
	g_autofree uint64_t *goes = g_new(uint64_t, r->words), *stays = g_new(uint64_t, r->words);
	const uint32_t target = parts && last->src[0].label < r->f->inst_count ? r->cfg->block_of[last->src[0].label]
									       : UINT32_MAX;
	bool changed = false;

	memcpy(goes, in + (size_t)b * r->words, r->words * sizeof(*goes));
	memcpy(stays, goes, r->words * sizeof(*stays));
	if (parts)
		let(r, last, in + (size_t)b * r->words, true, goes);
	if (parts || ends)
		let(r, last, in + (size_t)b * r->words, false, stays);
	for (uint32_t s = 0; s < block->succ_count; s++) {
		const uint32_t to = block->succs[s];

		if (to >= r->cfg->block_count)
			continue;
		if (parts && to == target)
			changed |= add(in + (size_t)to * r->words, goes, r->words);
		if (!parts || to != target || to == b + 1)
			changed |= add(in + (size_t)to * r->words, stays, r->words);
	}
	return changed;
}

static void spread(struct dc_reach *r)
{
	g_autofree uint64_t *in = g_new0(uint64_t, (size_t)(r->cfg->block_count + 1) * r->words);

	for (uint32_t t = 0; t < r->threads; t++)
		in[t / 64] |= UINT64_C(1) << t % 64;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = 0; k < r->cfg->rpo_count; k++)
			changed |= leave(r, r->cfg->rpo[k], in);
	}
	for (uint32_t n = 0; n < r->f->inst_count; n++)
		let(r, &r->f->insts[n], in + (size_t)r->cfg->block_of[n] * r->words, true,
		    r->masks + (size_t)n * r->words);
}

struct dc_reach *dc_reach_new(const struct ptx_func *f, const uint32_t block[3])
{
	const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	struct dc_reach *r;

	if (!f->inst_count || !threads || threads > THREADS_MAX)
		return NULL;
	r = g_new0(struct dc_reach, 1);
	r->f = f;
	memcpy(r->block, block, sizeof(r->block));
	r->threads = (uint32_t)threads;
	r->words = (r->threads + 63) / 64;
	r->masks = g_new0(uint64_t, (size_t)f->inst_count * r->words);
	r->defs = g_new0(uint32_t, f->reg_count + 1);
	r->def_at = g_new0(uint32_t, f->reg_count + 1);
	r->state = g_new0(uint8_t, f->reg_count + 1);
	r->values = g_new0(uint64_t *, f->reg_count + 1);
	r->cfg = ptx_cfg_build(f);
	find_definitions(r);
	spread(r);
	ptx_cfg_free(r->cfg);
	r->cfg = NULL;
	return r;
}

void dc_reach_free(struct dc_reach *r)
{
	if (!r)
		return;
	for (uint32_t n = 0; n < r->f->reg_count; n++)
		g_free(r->values[n]);
	g_free(r->values);
	g_free(r->state);
	g_free(r->def_at);
	g_free(r->defs);
	g_free(r->masks);
	g_free(r);
}

double dc_reach_share(const struct dc_reach *r, const struct ptx_inst *i, uint32_t lanes)
{
	uint32_t groups = 0, with = 0;
	const uint64_t *mask;

	if (!r || i < r->f->insts || i >= r->f->insts + r->f->inst_count)
		return 1;
	mask = r->masks + (size_t)(i - r->f->insts) * r->words;
	for (uint32_t first = 0; first < r->threads; first += lanes) {
		bool has = false;

		for (uint32_t t = first; t < MIN(first + lanes, r->threads); t++)
			has |= mask[t / 64] >> t % 64 & 1;
		groups++;
		with += has;
	}
	return (double)with / groups;
}
