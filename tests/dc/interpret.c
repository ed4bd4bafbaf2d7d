/* interpret.c - see interpret.h. Registers, predicates and spill slots begin with poison. */
#include "interpret.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { GROUPS = 32, LANES = GROUPS * 32, WORDS_MAX = 20 * 1000 * 1000 };

struct run {
	const struct dc_kernel *k;
	const struct simt_module *m;
	const struct simt_launch *l;
	struct interpreted *counts;
	uint32_t reg[DC_ARRAYS][DC_REGS][LANES];
	uint32_t pred[256][GROUPS];
	uint32_t *spill; /* [slots][LANES] */
	uint32_t launched[GROUPS];
	uint64_t *host;
	uint32_t cta[3], threads;
	uint8_t *shared, *local;
	uint64_t shared_bytes, local_bytes;
	char **text;
	uint32_t word;
};

/* What a word writes, after all of it has read. */
struct write {
	uint32_t *to;
	uint32_t mask, value[32];
};

static bool fail(struct run *r, const char *what, uint64_t value)
{
	if (!*r->text)
		*r->text = g_strdup_printf("word %u: %s %llx", r->word, what, (unsigned long long)value);
	return false;
}

static uint32_t guard(const struct run *r, struct dc_guard g, uint32_t group)
{
	uint32_t m = g.pred == DC_NO_PRED ? UINT32_MAX : r->pred[g.pred][group];

	return r->launched[group] & (g.negate ? ~m : m);
}

static uint32_t pred_of(const struct run *r, const struct dc_source *s, uint32_t group)
{
	uint32_t m = s->kind == DC_SRC_PRED ? r->pred[s->pred][group] : s->imm ? UINT32_MAX : 0;

	return s->negate ? ~m : m;
}

static uint32_t sreg(const struct run *r, const struct ptx_operand *o, uint32_t lane)
{
	const uint32_t *n = r->l->block, c = o->component ? o->component - 1u : 0;
	const uint32_t id[3] = {lane % n[0], lane / n[0] % n[1], lane / n[0] / n[1]};

	switch (o->sreg) {
	case PTX_SREG_TID:
		return id[c];
	case PTX_SREG_CTAID:
		return r->cta[c];
	case PTX_SREG_NTID:
		return n[c];
	case PTX_SREG_NCTAID:
		return r->l->grid[c];
	case PTX_SREG_LANEID:
		return lane % 32;
	case PTX_SREG_WARPID:
		return lane / 32;
	case PTX_SREG_WARP_SZ:
		return 32;
	case PTX_SREG_LANEMASK_LT:
		return (1u << lane % 32) - 1;
	case PTX_SREG_LANEMASK_EQ:
		return 1u << lane % 32;
	case PTX_SREG_LANEMASK_LE:
		return (2u << lane % 32) - 1;
	case PTX_SREG_LANEMASK_GT:
		return ~((2u << lane % 32) - 1);
	case PTX_SREG_LANEMASK_GE:
		return ~((1u << lane % 32) - 1);
	default:
		return 0;
	}
}

static uint64_t extend(uint64_t v, uint32_t have, uint32_t want, bool is_signed)
{
	return have < want ? (is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v) : want == 4 ? (uint32_t)v : v;
}

/* A source in one lane, and its width. */
static uint64_t source(const struct run *r, const struct dc_source *s, const struct ptx_operand *o, uint32_t lane,
		       uint32_t *bytes)
{
	uint64_t v;

	*bytes = 8;
	switch (s->kind) {
	case DC_SRC_LOC:
		v = r->reg[s->loc.array][s->loc.lo][lane];
		if (s->loc.hi == DC_NO_REG)
			*bytes = 4;
		else
			v |= (uint64_t)r->reg[s->loc.array][s->loc.hi][lane] << 32;
		return v;
	case DC_SRC_IMM:
		return s->imm;
	case DC_SRC_HOST:
		return r->host[s->host];
	case DC_SRC_SREG:
		*bytes = 4;
		return sreg(r, o, lane);
	default:
		return 0;
	}
}

static enum ptx_type source_type(const struct ptx_inst *i, uint32_t s)
{
	return i->op == PTX_OP_CVT || i->op == PTX_OP_SET || (i->op == PTX_OP_SLCT && s == 2) ? i->type2 : i->type;
}

static void put(GArray *writes, uint32_t *to, uint32_t mask, const uint64_t *v, uint32_t shift)
{
	struct write w = {.to = to, .mask = mask};

	for (uint32_t k = 0; k < 32; k++)
		w.value[k] = (uint32_t)(v[k] >> shift);
	g_array_append_val(writes, w);
}

static void put_loc(struct run *r, GArray *writes, struct dc_loc d, uint32_t group, uint32_t mask, const uint64_t *v)
{
	if (d.lo == DC_NO_REG)
		return;
	put(writes, &r->reg[d.array][d.lo][group * 32], mask, v, 0);
	if (d.hi != DC_NO_REG)
		put(writes, &r->reg[d.array][d.hi][group * 32], mask, v, 32);
}

/* Predicates are 32 lanes in a word: one "lane" of a write. */
static void put_pred(struct run *r, GArray *writes, uint16_t pred, uint32_t group, uint32_t mask, uint32_t bits)
{
	struct write w = {.to = &r->pred[pred][group], .mask = 1};

	if (pred == DC_NO_PRED)
		return;
	w.value[0] = (r->pred[pred][group] & ~mask) | (bits & mask);
	g_array_append_val(writes, w);
}

/* ---- arithmetic ---- */

static void pred_logic(struct run *r, GArray *writes, const struct dc_slot *s, uint32_t g, uint32_t mask)
{
	uint32_t a = pred_of(r, &s->src[0], g), b = s->src_count > 1 ? pred_of(r, &s->src[1], g) : 0;
	uint32_t v = s->inst->op == PTX_OP_AND   ? a & b
		     : s->inst->op == PTX_OP_OR  ? a | b
		     : s->inst->op == PTX_OP_XOR ? a ^ b
		     : s->inst->op == PTX_OP_NOT ? ~a
						 : a;

	put_pred(r, writes, s->pred_dst, g, mask, v);
}

static uint32_t second(uint32_t boolop, uint32_t p, uint32_t c)
{
	return boolop == PTX_BOOL_AND ? c & ~p : boolop == PTX_BOOL_OR ? c | ~p : ~p;
}

static bool alu(struct run *r, GArray *writes, const struct dc_slot *s, uint32_t g, uint32_t mask)
{
	const struct ptx_inst *i = s->inst;
	_Alignas(64) uint64_t wide[5][32];
	_Alignas(64) uint32_t narrow[5][32];
	const void *rows[4] = {narrow[0], narrow[1], narrow[2], narrow[3]};
	struct simt_alu f = {0};
	const char *why = NULL;
	uint64_t v[32] = {0};
	uint32_t aux, result, to = s->dst.hi == DC_NO_REG ? 4 : 8, bytes;

	if (i->op == PTX_OP_MOV) {
		for (uint32_t k = 0; k < 32; k++) {
			v[k] = source(r, &s->src[0], &i->src[0], g * 32 + k, &bytes);
			v[k] = extend(v[k], bytes, to, ptx_type_is_signed(i->type));
		}
		put_loc(r, writes, s->dst, g, mask, v);
		return true;
	}
	if (!simt_alu_find(i, SIMT_ISA_PORTABLE, &f, &why))
		return fail(r, i->text ? i->text : why, 0);
	aux = f.aux;
	for (uint32_t k = 0; k < s->src_count; k++) {
		const uint32_t want = f.src_bytes[k] == 8 ? 8 : 4;

		if (s->src[k].kind == DC_SRC_PRED || f.src_bytes[k] == 1) {
			aux = pred_of(r, &s->src[k], g);
			continue;
		}
		for (uint32_t lane = 0; lane < 32; lane++) {
			uint64_t x = source(r, &s->src[k], &i->src[k], g * 32 + lane, &bytes);

			wide[k][lane] = extend(x, bytes, want, ptx_type_is_signed(source_type(i, k)));
			narrow[k][lane] = (uint32_t)wide[k][lane];
		}
		rows[k] = want == 8 ? (const void *)wide[k] : narrow[k];
	}
	if (f.aux_kind == SIMT_AUX_CONST)
		aux = f.aux;
	result = f.fn(f.dst_bytes == 8 ? (void *)wide[4] : narrow[4], rows, mask, aux);
	if (s->pred_dst != DC_NO_PRED)
		put_pred(r, writes, s->pred_dst, g, mask, result);
	if (s->pred_dst2 != DC_NO_PRED)
		put_pred(r, writes, s->pred_dst2, g, mask, second(i->mods.boolop, result, aux));
	if (f.dst_bytes != 4 && f.dst_bytes != 8)
		return true;
	for (uint32_t lane = 0; lane < 32; lane++)
		v[lane] = extend(f.dst_bytes == 8 ? wide[4][lane] : narrow[4][lane], f.dst_bytes, to,
				 ptx_type_is_signed(i->type));
	put_loc(r, writes, s->dst, g, mask, v);
	return true;
}

static bool slot(struct run *r, GArray *writes, const struct dc_slot *s)
{
	for (uint32_t g = 0; g < GROUPS; g++) {
		const uint32_t mask = guard(r, s->guard, g);
		uint64_t v[32];
		uint32_t bytes;

		if (s->kind == DC_SLOT_MASK) {
			uint32_t a = pred_of(r, &s->src[0], g), b = s->src_count > 1 ? pred_of(r, &s->src[1], g) : 0;

			put_pred(r, writes, s->pred_dst, g, UINT32_MAX,
				 s->mask_op == DC_MASK_AND  ? a & b
				 : s->mask_op == DC_MASK_OR ? a | b
							    : a);
			continue;
		}
		if (!mask)
			continue;
		if (s->kind == DC_SLOT_COPY) {
			for (uint32_t k = 0; k < 32; k++)
				v[k] = source(r, &s->src[0], NULL, g * 32 + k, &bytes);
			put_loc(r, writes, s->dst, g, mask, v);
		} else if (s->kind == DC_SLOT_ALU) {
			if (s->inst->type == PTX_PRED)
				pred_logic(r, writes, s, g, mask);
			else if (!alu(r, writes, s, g, mask))
				return false;
		}
	}
	/* Scratch: anything, in all lanes. */
	for (uint32_t n = 0; n < DC_REGS; n++)
		for (uint32_t g = 0; s->scratch_regs >> n & 1 && g < GROUPS; g++) {
			uint64_t v[32];

			for (uint32_t k = 0; k < 32; k++)
				v[k] = 0xbad00000u + k;
			put_loc(r, writes, (struct dc_loc){s->dst.array, (uint8_t)n, DC_NO_REG}, g, UINT32_MAX, v);
		}
	return true;
}

/* ---- memory ---- */

static uint8_t *place(struct run *r, const struct dc_box *b, uint32_t lane, uint64_t bytes)
{
	uint32_t width, space = b->space;
	uint64_t at = source(r, &b->src[0], NULL, lane, &width) + (uint64_t)b->offset, var_bytes = 0, var = 0;

	if (b->has_base)
		at = (uint64_t)(int64_t)(int32_t)source(r, &b->src[0], NULL, lane, &width) + (uint64_t)b->offset +
		     source(r, &b->src[b->src_count - 1], NULL, lane, &width);
	else if (width == 4)
		at = (uint32_t)source(r, &b->src[0], NULL, lane, &width) + (uint64_t)b->offset;
	if (b->var && simt_module_var(r->m, b->var->name, &var, &var_bytes))
		at += var;
	if (!space && at >= SIMT_SHARED_WINDOW && at < SIMT_SHARED_WINDOW + SIMT_WINDOW_BYTES) {
		space = PTX_SHARED;
		at -= SIMT_SHARED_WINDOW;
	} else if (!space && at >= SIMT_LOCAL_WINDOW && at < SIMT_LOCAL_WINDOW + SIMT_WINDOW_BYTES) {
		space = PTX_LOCAL;
		at -= SIMT_LOCAL_WINDOW;
	}
	if (space == PTX_SHARED)
		return at + bytes <= r->shared_bytes ? r->shared + at : NULL;
	if (space == PTX_LOCAL)
		return at + bytes <= r->local_bytes ? r->local + lane * r->local_bytes + at : NULL;
	if (space == PTX_PARAM_ENTRY)
		return at < r->k->param_bytes && bytes <= r->k->param_bytes - at
			   ? (uint8_t *)(uintptr_t)r->l->params + at
			   : NULL;
	return simt_memory_find(r->l->mem, at, bytes) ? (uint8_t *)(uintptr_t)at : NULL;
}

static uint64_t load(const uint8_t *at, uint32_t bytes, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, at, bytes);
	return is_signed ? (uint64_t)((int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes)) : v;
}

static uint64_t atomic(const struct ptx_inst *i, uint64_t old, uint64_t b, uint64_t c)
{
	const bool is_signed = ptx_type_is_signed(i->type);
	float x, y;

	switch (i->mods.atom) {
	case PTX_ATOM_ADD:
		if (i->type != PTX_F32)
			return old + b;
		memcpy(&x, &old, 4);
		memcpy(&y, &b, 4);
		x += y;
		old = 0;
		memcpy(&old, &x, 4);
		return old;
	case PTX_ATOM_AND:
		return old & b;
	case PTX_ATOM_OR:
		return old | b;
	case PTX_ATOM_XOR:
		return old ^ b;
	case PTX_ATOM_EXCH:
		return b;
	case PTX_ATOM_CAS:
		return old == b ? c : old;
	case PTX_ATOM_MIN:
		return is_signed ? ((int64_t)old < (int64_t)b ? old : b) : MIN(old, b);
	case PTX_ATOM_MAX:
		return is_signed ? ((int64_t)old > (int64_t)b ? old : b) : MAX(old, b);
	case PTX_ATOM_INC:
		return old >= b ? 0 : old + 1;
	case PTX_ATOM_DEC:
		return !old || old > b ? b : old - 1;
	default:
		return old;
	}
}

static uint64_t operand(struct run *r, const struct dc_box *b, uint32_t s, uint32_t lane, const struct ptx_inst *i)
{
	uint32_t width, bytes = ptx_type_bytes(i->type);
	uint64_t v = s < b->src_count ? source(r, &b->src[s], NULL, lane, &width) : 0;

	return load((const uint8_t *)&v, bytes, ptx_type_is_signed(i->type));
}

static bool access_memory(struct run *r, GArray *writes, const struct dc_box *b, uint32_t g, uint32_t mask)
{
	const struct ptx_inst *i = b->inst;
	const uint32_t bytes = ptx_type_bytes(i->type), vec = MAX(i->mods.vec, 1u);
	uint64_t v[DC_ELEMS][32] = {{0}};

	for (uint32_t k = 0; k < 32; k++) {
		const uint32_t lane = g * 32 + k;
		uint8_t *at;

		if (!(mask >> k & 1))
			continue;
		at = place(r, b, lane, (uint64_t)bytes * vec);
		if (!at)
			return fail(r, "access outside memory, lane", lane);
		for (uint32_t e = 0; e < vec; e++) {
			uint64_t x = load(at + e * bytes, bytes, ptx_type_is_signed(i->type));

			v[e][k] = x;
			if (i->op == PTX_OP_ST)
				x = operand(r, b, 1 + e, lane, i);
			else if (i->op != PTX_OP_LD && i->op != PTX_OP_LDU)
				x = atomic(i, x, operand(r, b, 1 + e, lane, i), operand(r, b, 2, lane, i));
			else
				continue;
			memcpy(at + e * bytes, &x, bytes);
		}
	}
	for (uint32_t e = 0; e < b->elem_count && i->dst.kind != PTX_OPND_NONE; e++)
		put_loc(r, writes, b->dst[e], g, mask, v[e]);
	return true;
}

/* ---- warps ---- */

static bool warp_op(struct run *r, GArray *writes, const struct dc_box *b, uint32_t g, uint32_t mask)
{
	const struct ptx_inst *i = b->inst;
	uint64_t v[32] = {0};
	uint32_t p = 0, width, all = 0;

	for (uint32_t k = 0; k < 32 && i->op == PTX_OP_SHFL; k++) {
		const uint32_t lane = g * 32 + k, by = (uint32_t)source(r, &b->src[1], NULL, lane, &width) & 31;
		const uint32_t clamp = (uint32_t)source(r, &b->src[2], NULL, lane, &width), seg = clamp >> 8 & 31;
		const uint32_t max = (k & seg) | (clamp & 31 & ~seg), min = k & seg;
		int32_t j = (int32_t)k;
		bool in;

		j = i->mods.shfl == PTX_SHFL_UP     ? j - (int32_t)by
		    : i->mods.shfl == PTX_SHFL_DOWN ? j + (int32_t)by
		    : i->mods.shfl == PTX_SHFL_BFLY ? (int32_t)(k ^ by)
						    : (int32_t)(min | (by & ~seg));
		in = i->mods.shfl == PTX_SHFL_UP ? j >= (int32_t)max : j <= (int32_t)max;
		p |= (uint32_t)in << k;
		v[k] = source(r, &b->src[0], NULL, g * 32 + (in ? (uint32_t)j : k), &width);
	}
	if (i->op == PTX_OP_VOTE) {
		const uint32_t a = pred_of(r, &b->src[0], g) & mask;

		all = i->mods.vote == PTX_VOTE_ALL   ? a == mask
		      : i->mods.vote == PTX_VOTE_ANY ? a != 0
						     : a == mask || !a;
		p = all ? UINT32_MAX : 0;
		for (uint32_t k = 0; k < 32; k++)
			v[k] = a;
	} else if (i->op == PTX_OP_ACTIVEMASK) {
		for (uint32_t k = 0; k < 32; k++)
			v[k] = mask;
	} else if (i->op != PTX_OP_SHFL) {
		return fail(r, "a warp operation that is not interpreted:", i->op);
	}
	if (b->pred_dst != DC_NO_PRED)
		put_pred(r, writes, b->pred_dst, g, mask, p);
	if (b->elem_count)
		put_loc(r, writes, b->dst[0], g, mask, v);
	return true;
}

static bool box(struct run *r, GArray *writes, const struct dc_box *b)
{
	for (uint32_t g = 0; g < GROUPS; g++) {
		const uint32_t mask = guard(r, b->guard, g);
		uint64_t v[32];
		uint32_t width;

		if (!mask)
			continue;
		switch (b->kind) {
		case DC_BOX_SPILL:
			for (uint32_t k = 0; k < 32; k++)
				v[k] = source(r, &b->src[0], NULL, g * 32 + k, &width);
			put(writes, &r->spill[b->spill * LANES + g * 32], mask, v, 0);
			if (b->src[0].loc.hi != DC_NO_REG)
				put(writes, &r->spill[(b->spill + 1) * LANES + g * 32], mask, v, 32);
			break;
		case DC_BOX_FILL:
			for (uint32_t k = 0; k < 32; k++) {
				v[k] = r->spill[b->spill * LANES + g * 32 + k];
				if (b->dst[0].hi != DC_NO_REG)
					v[k] |= (uint64_t)r->spill[(b->spill + 1) * LANES + g * 32 + k] << 32;
			}
			put_loc(r, writes, b->dst[0], g, mask, v);
			break;
		case DC_BOX_MEMORY:
			if (!access_memory(r, writes, b, g, mask))
				return false;
			break;
		case DC_BOX_WARP:
			if (!warp_op(r, writes, b, g, mask))
				return false;
			break;
		case DC_BOX_TRAP:
			return fail(r, "trap in group", g);
		default:
			break;
		}
	}
	r->counts->accesses += b->kind == DC_BOX_MEMORY;
	r->counts->spills += b->kind == DC_BOX_SPILL || b->kind == DC_BOX_FILL;
	return true;
}

/* ---- the host ---- */

static bool host_values(struct run *r)
{
	for (uint32_t n = 0; n < r->k->host_count; n++) {
		const struct dc_host_value *h = &r->k->hosts[n];
		const struct ptx_inst *i = h->inst;
		struct dc_slot s = {.kind = DC_SLOT_ALU,
				    .inst = i,
				    .src_count = h->src_count,
				    .pred_dst = DC_NO_PRED,
				    .pred_dst2 = DC_NO_PRED,
				    .dst = {0, 0, 1}};
		GArray *writes;
		uint64_t at = 0, bytes;

		if (i->op == PTX_OP_LD && i->mods.space != PTX_CONST) {
			r->host[n] = load(r->l->params + i->src[0].var->offset_bytes + i->src[0].offset,
					  ptx_type_bytes(i->type), ptx_type_is_signed(i->type));
			continue;
		}
		if (i->src_count && i->src[0].var) {
			if (!simt_module_var(r->m, i->src[0].var->name, &at, &bytes))
				return fail(r, "a variable without address", n);
			at += (uint64_t)i->src[0].offset;
			r->host[n] = i->op == PTX_OP_LD ? load((uint8_t *)(uintptr_t)at, ptx_type_bytes(i->type),
							       ptx_type_is_signed(i->type))
							: at;
			continue;
		}
		if (ptx_type_bytes(r->k->func->regs[h->reg].type) < 8)
			s.dst.hi = DC_NO_REG;
		for (uint32_t k = 0; k < h->src_count; k++) {
			s.src[k] = h->src[k];
			/* Values of 32 bits are extended by the type of who reads them. */
			if (s.src[k].kind == DC_SRC_HOST && ptx_type_bytes(r->k->func->regs[i->src[k].reg].type) < 8 &&
			    ptx_type_is_signed(source_type(i, k)))
				s.src[k] = (struct dc_source){
				    .kind = DC_SRC_IMM, .imm = (uint64_t)(int64_t)(int32_t)r->host[h->src[k].host]};
		}
		writes = g_array_new(FALSE, TRUE, sizeof(struct write));
		if (!alu(r, writes, &s, 0, 1)) {
			g_array_free(writes, TRUE);
			return false;
		}
		r->host[n] = g_array_index(writes, struct write, 0).value[0];
		if (writes->len > 1)
			r->host[n] |= (uint64_t)g_array_index(writes, struct write, 1).value[0] << 32;
		g_array_free(writes, TRUE);
	}
	return true;
}

static void apply(GArray *writes)
{
	for (uint32_t n = 0; n < writes->len; n++) {
		struct write *w = &g_array_index(writes, struct write, n);

		for (uint32_t k = 0; k < 32; k++)
			if (w->mask >> k & 1)
				w->to[k] = w->value[k];
	}
	g_array_set_size(writes, 0);
}

static bool any(const struct run *r, uint16_t pred)
{
	uint32_t set = 0;

	for (uint32_t g = 0; g < GROUPS; g++)
		set |= r->pred[pred][g] & r->launched[g];
	return set != 0;
}

static bool run_cta(struct run *r)
{
	GArray *writes = g_array_new(FALSE, TRUE, sizeof(struct write));
	bool ok = true;
	uint32_t executed = 0;

	for (r->word = 0; ok;) {
		const struct dc_word *w = &r->k->words[r->word];
		uint32_t longest = 1;

		if (++executed > WORDS_MAX)
			ok = fail(r, "no end", 0);
		r->counts->words++;
		if (w->flow == DC_FLOW_SKIP && !any(r, w->flow_pred)) {
			r->word = w->target;
			r->counts->compute_cycles++;
			continue;
		}
		for (uint32_t a = 0; a < DC_ARRAYS && ok; a++) {
			ok = slot(r, writes, &w->slot[a]);
			longest = MAX(longest, w->slot[a].cycles);
		}
		if (ok && w->box.kind)
			ok = box(r, writes, &w->box);
		r->counts->compute_cycles += longest;
		apply(writes);
		if (w->flow == DC_FLOW_END)
			break;
		r->word = w->flow == DC_FLOW_JUMP && any(r, w->flow_pred) ? w->target : r->word + 1;
		if (r->word >= r->k->word_count)
			ok = fail(r, "past the end", 0);
	}
	g_array_free(writes, TRUE);
	return ok;
}

static void poison(struct run *r)
{
	for (uint32_t n = 0; n < sizeof(r->reg) / 4; n++)
		((uint32_t *)r->reg)[n] = 0xdeadf00du ^ n * 0x01000193u;
	for (uint32_t n = 0; n < sizeof(r->pred) / 4; n++)
		((uint32_t *)r->pred)[n] = 0x5a5a5a5au ^ n * 0x01000193u;
	for (uint32_t n = 0; n < r->k->spill_slots * LANES; n++)
		r->spill[n] = 0xcafe0000u + n;
}

bool interpret(const struct dc_kernel *k, const struct simt_module *m, const struct simt_launch *l,
	       struct interpreted *counts, char **text)
{
	struct interpreted none = {0};
	struct run *r = g_new0(struct run, 1);
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	bool ok;

	*r = (struct run){.k = k, .m = m, .l = l, .counts = counts ? counts : &none, .text = text};
	r->threads = l->block[0] * l->block[1] * l->block[2];
	CHECK(r->threads <= LANES);
	r->spill = g_new0(uint32_t, (size_t)(k->spill_slots + 1) * LANES);
	r->host = g_new0(uint64_t, k->host_count + 1);
	r->shared_bytes = k->shared_bytes + l->shared_dynamic_bytes + 16;
	r->shared = g_malloc0(r->shared_bytes);
	r->local_bytes = k->local_bytes + 16;
	r->local = g_malloc0(r->local_bytes * LANES);
	for (uint32_t g = 0; g < GROUPS; g++)
		for (uint32_t lane = 0; lane < 32; lane++)
			r->launched[g] |= (uint32_t)(g * 32 + lane < r->threads) << lane;
	*text = NULL;
	ok = host_values(r);
	for (uint64_t c = 0; c < ctas && ok; c++) {
		r->cta[0] = (uint32_t)(c % l->grid[0]);
		r->cta[1] = (uint32_t)(c / l->grid[0] % l->grid[1]);
		r->cta[2] = (uint32_t)(c / l->grid[0] / l->grid[1]);
		poison(r);
		ok = run_cta(r);
	}
	g_free(r->spill);
	g_free(r->host);
	g_free(r->shared);
	g_free(r->local);
	g_free(r);
	return ok;
}
