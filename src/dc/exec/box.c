/* box.c - the C-Box's operations but for memory: shuffles and votes among the 32 lanes of a warp, barriers. */
#include "dc/exec/priv.h"

#define FOR_LANES(lane, mask)                                                                                          \
	for (uint32_t left_##lane = (mask), lane; left_##lane && (lane = (uint32_t)__builtin_ctz(left_##lane), true);  \
	     left_##lane &= left_##lane - 1)

/* One warp's part of a warp-wide operation. */
struct warp_op {
	struct dc_block *b;
	const struct dc_box *box;
	uint32_t warp, all; /* lanes that execute it */
	uint64_t result[DC_ROW_WORDS];
	uint32_t pred;
};

static uint64_t source(const struct warp_op *o, uint32_t k, uint32_t lane)
{
	return k < o->box->src_count ? dc_lane_of(o->b, &o->box->src[k], o->warp, lane) : 0;
}

/* Lanes that a lane's member mask names, of those that are there. */
static uint32_t team(const struct warp_op *o, uint32_t k, uint32_t lane)
{
	return o->box->inst->mods.sync ? (uint32_t)source(o, k, lane) & o->all : o->all;
}

/* The formulas of the PTX ISA (shfl): the source lane, or UINT32_MAX where it is out of range. */
static uint32_t shuffle_source(enum ptx_shfl mode, uint32_t lane, uint32_t b, uint32_t c)
{
	const uint32_t segment = c >> 8 & 31, step = b & 31;
	const int32_t bound = (int32_t)((lane & segment) | (c & 31 & ~segment));
	int32_t from;

	switch (mode) {
	case PTX_SHFL_UP: from = (int32_t)lane - (int32_t)step; break;
	case PTX_SHFL_DOWN: from = (int32_t)(lane + step); break;
	case PTX_SHFL_BFLY: from = (int32_t)(lane ^ step); break;
	default: from = (int32_t)((lane & segment) | (step & ~segment)); break;
	}
	return (mode == PTX_SHFL_UP ? from >= bound : from <= bound) ? (uint32_t)from & 31 : UINT32_MAX;
}

static void shuffle(struct warp_op *o)
{
	const enum ptx_shfl mode = (enum ptx_shfl)o->box->inst->mods.shfl;

	FOR_LANES(lane, o->all) {
		const uint32_t from = shuffle_source(mode, lane, (uint32_t)source(o, 1, lane),
						     (uint32_t)source(o, 2, lane));
		const uint32_t at = from == UINT32_MAX ? lane : from;

		o->pred |= (uint32_t)(from != UINT32_MAX) << lane;
		/* From a lane that does not execute it: zero, as simt/ has it. */
		o->result[lane] = o->all >> at & 1 ? source(o, 0, at) : 0;
	}
}

static void vote(struct warp_op *o)
{
	uint32_t yes = 0;

	FOR_LANES(lane, o->all)
		yes |= (uint32_t)(source(o, 0, lane) & 1) << lane;
	FOR_LANES(lane, o->all) {
		const uint32_t of = team(o, 1, lane);

		switch ((enum ptx_vote)o->box->inst->mods.vote) {
		case PTX_VOTE_ALL: o->result[lane] = !(of & ~yes); break;
		case PTX_VOTE_ANY: o->result[lane] = (of & yes) != 0; break;
		case PTX_VOTE_UNI: o->result[lane] = !(of & ~yes) || !(of & yes); break;
		default: o->result[lane] = of & yes; break;
		}
		o->pred |= (uint32_t)(o->result[lane] != 0) << lane;
	}
}

static void match(struct warp_op *o)
{
	FOR_LANES(lane, o->all) {
		const uint32_t of = team(o, 1, lane);
		uint32_t same = 0;

		FOR_LANES(other, of)
			same |= (uint32_t)(source(o, 0, other) == source(o, 0, lane)) << other;
		o->pred |= (uint32_t)(same == of) << lane;
		o->result[lane] = o->box->inst->mods.match == PTX_MATCH_ANY ? same : same == of ? of : 0;
	}
}

static uint32_t reduce_two(enum ptx_atom op, bool is_signed, uint32_t a, uint32_t b)
{
	const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

	switch (op) {
	case PTX_ATOM_ADD: return a + b;
	case PTX_ATOM_AND: return a & b;
	case PTX_ATOM_OR: return a | b;
	case PTX_ATOM_XOR: return a ^ b;
	case PTX_ATOM_MIN: return less ? a : b;
	default: return less ? b : a;
	}
}

static void reduce(struct warp_op *o)
{
	const struct ptx_inst *i = o->box->inst;

	FOR_LANES(lane, o->all) {
		uint32_t of = team(o, 1, lane), value;

		of = of >> lane & 1 ? of : o->all;
		value = (uint32_t)source(o, 0, (uint32_t)__builtin_ctz(of));
		FOR_LANES(other, of & (of - 1))
			value = reduce_two((enum ptx_atom)i->mods.atom, i->type == PTX_S32, value,
					   (uint32_t)source(o, 0, other));
		o->result[lane] = value;
	}
}

static void elect(struct warp_op *o)
{
	FOR_LANES(lane, o->all) {
		const uint32_t of = team(o, 0, lane), leader = (uint32_t)__builtin_ctz(of ? of : o->all);

		o->result[lane] = leader;
		o->pred |= (uint32_t)(leader == lane) << lane;
	}
}

static void compute(struct warp_op *o)
{
	switch (o->box->inst->op) {
	case PTX_OP_SHFL: shuffle(o); return;
	case PTX_OP_VOTE: vote(o); return;
	case PTX_OP_MATCH: match(o); return;
	case PTX_OP_REDUX: reduce(o); return;
	case PTX_OP_ELECT: elect(o); return;
	default: /* activemask */
		FOR_LANES(lane, o->all)
			o->result[lane] = o->all;
		return;
	}
}

static void count(struct dc_access *a, uint32_t warp, uint32_t mask)
{
	a->lanes += (uint32_t)__builtin_popcount(mask);
	a->banks |= 1u << warp * DC_ROW_WORDS / DC_BANK_LANES;
}

static void finish(struct dc_access *a, const struct dc_box *box)
{
	a->banks = (uint32_t)__builtin_popcount(a->banks);
	a->kind = a->lanes ? box->kind : DC_BOX_NONE;
	for (uint32_t k = 0; k < box->src_count; k++)
		if (box->src[k].kind == DC_SRC_LOC || box->src[k].kind == DC_SRC_PRED)
			a->out_rows += box->src[k].kind == DC_SRC_LOC ? DC_REG_ROWS : 1;
	a->in_rows = box->elem_count ? DC_REG_ROWS : 1;
}

static void warp_wide(struct dc_block *b, const struct dc_box *box, struct dc_access *out)
{
	for (uint32_t warp = 0; warp < b->warp_count; warp++) {
		struct warp_op o = {.b = b, .box = box, .warp = warp, .all = dc_guard_mask(b, &box->guard, warp)};

		if (!o.all)
			continue;
		count(out, warp, o.all);
		compute(&o);
		if (box->elem_count)
			FOR_LANES(lane, o.all)
				dc_lane_put(b, &box->dst[0], warp, lane, o.result[lane]);
		if (box->pred_dst != DC_NO_PRED)
			dc_pred_write(b, box->pred_dst, warp, o.all, o.pred);
	}
	finish(out, box);
}

/* ---- barriers ---- */

struct tally {
	bool is_and, is_or;
	uint32_t popc;
};

/* bar.red over the lanes of a CTA, whose warps follow each other. */
static struct tally tally_of(const struct dc_block *b, const struct dc_box *box, uint32_t first, uint32_t end)
{
	struct tally t = {.is_and = true};

	for (uint32_t warp = first; warp < end; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp), yes = dc_pred_source(b, &box->src[2], warp);

		t.is_and = t.is_and && !(mask & ~yes);
		t.is_or = t.is_or || (mask & yes);
		t.popc += (uint32_t)__builtin_popcount(mask & yes);
	}
	return t;
}

/* Lanes of a warp that may still come to a barrier. */
static uint32_t comes_of(const struct dc_block *b, const struct dc_box *box, uint32_t warp)
{
	return b->launched[warp] & (box->comes == DC_NO_PRED ? UINT32_MAX : dc_pred_of(b, box->comes, warp));
}

/* Number and count may be left out. */
static bool has_operand(const struct dc_box *box, uint32_t k)
{
	return k < box->src_count && box->src[k].kind != DC_SRC_NONE;
}

/* A barrier of a CTA, warps first to end - 1. */
struct meeting {
	uint32_t first, end;
	uint32_t id, count; /* what the warp that came last says; count 0: all */
	uint32_t missing;   /* a warp with lanes that come later, or end */
};

/* The warps whose lanes of the guard are here arrive, as 32 threads each (PTX ISA, bar). */
static bool arrive(struct dc_block *b, struct simt_launch *l, const struct dc_box *box, struct meeting *m)
{
	m->missing = m->end;
	for (uint32_t warp = m->first; warp < m->end; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp), others = comes_of(b, box, warp) & ~mask;
		const uint32_t lane = mask ? (uint32_t)__builtin_ctz(mask) : 0;

		if (others)
			m->missing = warp;
		if (!mask)
			continue;
		m->id = has_operand(box, 0) ? (uint32_t)dc_lane_of(b, &box->src[0], warp, lane) : 0;
		m->count = has_operand(box, 1) ? (uint32_t)dc_lane_of(b, &box->src[1], warp, lane) : 0;
		if (m->id >= DC_BARRIERS)
			return dc_fault(l, b, box->inst, warp, lane, SIMT_FAULT_BARRIER,
					"barrier number %u; expected 0 to %u", m->id, DC_BARRIERS - 1);
		if (has_operand(box, 1) && (!m->count || m->count % DC_ROW_WORDS))
			return dc_fault(l, b, box->inst, warp, lane, SIMT_FAULT_BARRIER,
					"barrier thread count %u; expected a multiple of %u", m->count, DC_ROW_WORDS);
		if (others)
			return dc_fault(l, b, box->inst, warp, (uint32_t)__builtin_ctz(others), SIMT_FAULT_BARRIER,
					"this lane comes to barrier %u later than others of its warp, or never; lanes "
					"of a control block run in lock step, and none waits",
					m->id);
		b->arrived[m->first * DC_BARRIERS + m->id] += DC_ROW_WORDS;
	}
	return true;
}

/* All that the barrier waits for have come: now, or before to an arrive. */
static bool is_complete(struct dc_block *b, struct simt_launch *l, const struct dc_box *box, const struct meeting *m)
{
	const uint32_t missing = m->missing < m->end ? m->missing : m->first;
	uint16_t *arrived = &b->arrived[m->first * DC_BARRIERS + m->id];
	const uint32_t others = comes_of(b, box, missing) & ~dc_guard_mask(b, &box->guard, missing);

	if (m->count ? *arrived < m->count : m->missing < m->end)
		return dc_fault(l, b, box->inst, missing, others ? (uint32_t)__builtin_ctz(others) : 0,
				SIMT_FAULT_BARRIER,
				"barrier %u has %u threads of its CTA, and this one is not among them; lanes of a "
				"control block run in lock step, and none waits",
				m->id, *arrived);
	*arrived = 0;
	return true;
}

static void answer(struct dc_block *b, const struct dc_box *box, const struct meeting *m, struct dc_access *out)
{
	const struct tally t = tally_of(b, box, m->first, m->end);
	const bool is_true = box->inst->mods.atom == PTX_ATOM_AND ? t.is_and : t.is_or;

	for (uint32_t warp = m->first; warp < m->end; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp);

		count(out, warp, mask);
		if (box->pred_dst != DC_NO_PRED)
			dc_pred_write(b, box->pred_dst, warp, mask, is_true ? UINT32_MAX : 0);
		if (box->elem_count)
			FOR_LANES(lane, mask)
				dc_lane_put(b, &box->dst[0], warp, lane, t.popc);
	}
}

static bool barrier(struct dc_block *b, struct simt_launch *l, const struct dc_box *box, struct dc_access *out)
{
	const struct ptx_inst *i = box->inst;
	struct meeting m = {0};

	for (; m.first < b->warp_count; m.first = m.end) {
		uint32_t lanes = 0;

		for (m.end = m.first; m.end < b->warp_count && b->warps[m.end].cta == b->warps[m.first].cta; m.end++)
			lanes |= dc_guard_mask(b, &box->guard, m.end);
		if (!lanes)
			continue;
		if (!arrive(b, l, box, &m))
			return false;
		if (i->mods.bar != PTX_BAR_ARRIVE && !is_complete(b, l, box, &m))
			return false;
		if (i->mods.bar == PTX_BAR_RED)
			answer(b, box, &m, out);
	}
	if (i->mods.bar == PTX_BAR_RED)
		finish(out, box);
	else
		out->kind = DC_BOX_NONE; /* lock step: all that come are here */
	return true;
}

static bool trap(struct dc_block *b, struct simt_launch *l, const struct dc_box *box)
{
	for (uint32_t warp = 0; warp < b->warp_count; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp);

		const uint32_t lane = mask ? (uint32_t)__builtin_ctz(mask) : 0;

		if (mask && box->src_count == 2) /* of what brx was */
			return dc_fault(l, b, box->inst, warp, lane, SIMT_FAULT_INSTRUCTION,
					"brx.idx index %u; the target list has %u labels",
					(uint32_t)dc_lane_of(b, &box->src[0], warp, lane),
					(uint32_t)dc_lane_of(b, &box->src[1], warp, lane));
		if (mask)
			return dc_fault(l, b, box->inst, warp, lane, SIMT_FAULT_TRAP, "trap");
	}
	return true;
}

bool dc_box_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, const struct dc_word *w,
		 struct dc_step *out)
{
	switch ((enum dc_box_kind)w->box.kind) {
	case DC_BOX_MEMORY: return dc_memory_step(p, b, l, w, &out->access);
	case DC_BOX_SPILL:
	case DC_BOX_FILL: return dc_spill_step(p, b, w, &out->access);
	case DC_BOX_WARP: warp_wide(b, &w->box, &out->access); return true;
	case DC_BOX_BARRIER: return barrier(b, l, &w->box, &out->access);
	case DC_BOX_TRAP: return trap(b, l, &w->box);
	case DC_BOX_FENCE: return true;
	case DC_BOX_CALL: UNREACHABLE("a call that dc_program_new refuses");
	case DC_BOX_NONE: break;
	}
	return true;
}
