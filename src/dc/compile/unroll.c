/* unroll.c - loops of fixed length (section 3.3): the trip count is known, by the code or by the launch.
 *
 * An innermost loop with one back edge and one exit, left when a counter that it adds a constant to reaches a bound
 * that is known. Every round becomes a copy of the body, in which the counter is a constant and values of the round
 * have registers of their own: what depends on nothing but the counter is then thread-independent. */
#include "dc/compile/priv.h"
#include "dc/param.h"

#include <string.h>

#include "simt/alu/alu.h"

enum { ROUNDS_MAX = 1024, DEPTH_MAX = 16 };

struct shape {
	uint32_t loop, exit_block, exit_to; /* exit_to: block outside */
	bool exit_when;                     /* leaves when the predicate is this */
	uint32_t counter, add, setp;        /* register; instructions */
	bool tests_new;                     /* the comparison reads the counter after the addition */
	uint64_t first, rounds, last;       /* values of the counter; times that the body is done */
	uint32_t insts;
};

struct unroller {
	struct dcc *c;
	struct ptx_cfg *cfg;
	uint32_t *defs; /* [reg_count] */
	uint32_t *def_at;
};

/* ---- values known before the launch ---- */

/* A parameter whose bytes are in the block, and known: from then on the words depend on them. */
static bool read_param(const struct dcc *c, const struct ptx_inst *i, uint64_t *v)
{
	const uint64_t block_bytes = c->entry->param_bytes;
	const uint32_t bytes = ptx_type_bytes(i->type);
	uint64_t at;

	if (!dc_param_place(i, block_bytes, &at) || !dc_param_read(c->o->params, block_bytes, at, i->type, v))
		return false;
	for (uint32_t b = 0; b < bytes && c->o->param_known; b++)
		if (!c->o->param_known[at + b])
			return false;
	if (c->o->param_used)
		memset(c->o->param_used + at, 1, bytes);
	return true;
}

static bool evaluate_reg(const struct unroller *u, uint32_t reg, uint32_t depth, uint64_t *v);

static bool evaluate_operand(const struct unroller *u, const struct ptx_operand *o, uint32_t depth, uint64_t *v)
{
	const uint32_t c = o->component ? o->component - 1u : 0;

	*v = o->imm;
	if (o->kind == PTX_OPND_IMM)
		return true;
	if (o->kind == PTX_OPND_SREG && c < 3 && (o->sreg == PTX_SREG_NTID || o->sreg == PTX_SREG_NCTAID)) {
		*v = o->sreg == PTX_SREG_NTID ? u->c->o->block[c] : u->c->o->grid[c];
		return *v != 0;
	}
	return o->kind == PTX_OPND_REG && !o->negate && evaluate_reg(u, o->reg, depth + 1, v);
}

/* One instruction on known sources, as lane 0 of a warp computes it. *flag: its predicate. */
static bool compute(const struct ptx_inst *i, const uint64_t *src, uint64_t *out, bool *flag)
{
	_Alignas(64) uint64_t rows[4][32], d[32] = {0};
	const void *in[4] = {rows[0], rows[1], rows[2], rows[3]};
	struct simt_alu alu;
	const char *why;
	uint32_t result;

	if (!simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why) || alu.aux_kind != SIMT_AUX_CONST)
		return false;
	for (uint32_t k = 0; k < i->src_count && k < 4; k++)
		rows[k][0] = src[k];
	result = alu.fn(d, in, 1, alu.aux);
	*out = alu.dst_bytes == 8 ? d[0] : d[0] & UINT32_MAX;
	*flag = result & 1;
	return true;
}

static bool evaluate_inst(const struct unroller *u, const struct ptx_inst *i, uint32_t depth, uint64_t *v)
{
	uint64_t src[4] = {0};
	bool flag;

	if (dc_param_is_load(i))
		return read_param(u->c, i, v);
	for (uint32_t k = 0; k < i->src_count; k++)
		if (k >= 4 || !evaluate_operand(u, &i->src[k], depth, &src[k]))
			return false;
	if (i->op == PTX_OP_MOV && i->src_count == 1) {
		*v = src[0];
		return true;
	}
	return compute(i, src, v, &flag);
}

static bool evaluate_reg(const struct unroller *u, uint32_t reg, uint32_t depth, uint64_t *v)
{
	const struct ptx_inst *i = &u->c->func->insts[u->def_at[reg]];

	if (u->defs[reg] != 1 || i->has_guard || depth > DEPTH_MAX || i->dst.kind != PTX_OPND_REG)
		return false;
	return evaluate_inst(u, i, depth, v);
}

/* ---- the loop's shape ---- */

static bool is_inside(const struct unroller *u, uint32_t loop, uint32_t inst)
{
	uint32_t l = u->cfg->blocks[u->cfg->block_of[inst]].loop;

	while (l != UINT32_MAX && l != loop)
		l = u->cfg->loops[l].parent;
	return l == loop;
}

static bool dominates(const struct unroller *u, uint32_t first, uint32_t second)
{
	const uint32_t a = u->cfg->block_of[first], b = u->cfg->block_of[second];

	return a == b ? first < second : ptx_dominates(u->cfg, a, b);
}

/* One back edge, one exit, no inner loop. */
static bool find_exit(const struct unroller *u, struct shape *s)
{
	const struct ptx_loop *l = &u->cfg->loops[s->loop];
	uint32_t exits = 0, backs = 0;

	for (uint32_t k = 0; k < u->cfg->loop_count; k++)
		if (u->cfg->loops[k].parent == s->loop)
			return false;
	for (uint32_t k = 0; k < l->block_count; k++) {
		const struct ptx_block *b = &u->cfg->blocks[l->blocks[k]];
		const struct ptx_inst *last = &u->c->func->insts[b->last];

		s->insts += b->last - b->first + 2;
		if (ptx_inst_ends_block(last) && last->op != PTX_OP_BRA)
			return false;
		for (uint32_t n = 0; n < b->succ_count; n++) {
			const bool inside = u->cfg->blocks[b->succs[n]].loop == s->loop;

			backs += b->succs[n] == l->header;
			if (inside)
				continue;
			exits++;
			s->exit_block = l->blocks[k];
			s->exit_to = b->succs[n];
		}
	}
	return exits == 1 && backs == 1 && u->cfg->blocks[s->exit_block].succ_count == 2 &&
	       (s->exit_block == l->latch || s->exit_block == l->header);
}

/* The counter: what the comparison before the exit reads, an addition of a constant, a value before the loop. */
static bool find_counter(const struct unroller *u, struct shape *s)
{
	const struct ptx_func *f = u->c->func;
	const struct ptx_inst *bra = &f->insts[u->cfg->blocks[s->exit_block].last], *p, *add = NULL;
	uint32_t inside = 0, outside = 0, init = 0;

	if (!bra->has_guard || u->defs[bra->guard_reg] != 1)
		return false;
	s->setp = u->def_at[bra->guard_reg];
	p = &f->insts[s->setp];
	if (p->op != PTX_OP_SETP || p->has_guard || p->mods.boolop || p->dst2.kind != PTX_OPND_NONE ||
	    p->src[0].kind != PTX_OPND_REG || !is_inside(u, s->loop, s->setp) ||
	    !dominates(u, s->setp, u->cfg->blocks[s->exit_block].last))
		return false;
	s->counter = p->src[0].reg;
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_inst *i = &f->insts[n];

		if (i->dst.kind != PTX_OPND_REG || i->dst.reg != s->counter)
			continue;
		if (is_inside(u, s->loop, n)) {
			inside++;
			s->add = n;
			add = i;
		} else {
			outside++;
			init = n;
		}
	}
	if (inside != 1 || outside != 1 || u->defs[s->counter] != 2 ||
	    (add->op != PTX_OP_ADD && add->op != PTX_OP_SUB) || add->has_guard || add->src[0].kind != PTX_OPND_REG ||
	    add->src[0].reg != s->counter || f->insts[init].has_guard ||
	    !dominates(u, init, u->cfg->blocks[u->cfg->loops[s->loop].header].first))
		return false;
	if (!dominates(u, s->add, u->cfg->blocks[u->cfg->loops[s->loop].latch].last))
		return false;
	s->tests_new = dominates(u, s->add, s->setp);
	if (!s->tests_new && !dominates(u, s->setp, s->add))
		return false;
	s->exit_when = (u->cfg->block_of[bra->src[0].label] == s->exit_to) != bra->guard_negate;
	return evaluate_inst(u, &f->insts[init], 0, &s->first);
}

static bool count_rounds(const struct unroller *u, struct shape *s)
{
	const struct ptx_func *f = u->c->func;
	const struct ptx_inst *add = &f->insts[s->add], *setp = &f->insts[s->setp];
	const bool at_header =
	    s->exit_block == u->cfg->loops[s->loop].header && s->exit_block != u->cfg->loops[s->loop].latch;
	uint64_t step, bound, value = s->first, next;
	bool flag;

	if (!evaluate_operand(u, &add->src[1], 0, &step) || !evaluate_operand(u, &setp->src[1], 0, &bound))
		return false;
	for (s->rounds = 0; s->rounds < ROUNDS_MAX; s->rounds++) {
		uint64_t sum[4] = {value, step}, test[4] = {0, bound};

		if (!compute(add, sum, &next, &flag))
			return false;
		test[0] = s->tests_new ? next : value;
		if (!compute(setp, test, &bound, &flag) && flag)
			return false;
		bound = test[1];
		if (flag == s->exit_when) {
			s->rounds += !at_header;
			s->last = at_header && !s->tests_new ? value : next;
			return s->rounds * s->insts <= u->c->o->unroll_insts;
		}
		value = next;
	}
	return false;
}

/* Every reader of the counter is certainly before or certainly after the addition. */
static bool readers_are_ordered(const struct unroller *u, const struct shape *s)
{
	struct ptx_reg_use use;

	for (uint32_t n = 0; n < u->c->func->inst_count; n++) {
		bool reads = false;

		if (!is_inside(u, s->loop, n) || n == s->add)
			continue;
		ptx_inst_regs(&u->c->func->insts[n], &use);
		for (uint32_t k = 0; k < use.read_count; k++)
			reads |= use.reads[k] == s->counter;
		if (reads && !dominates(u, s->add, n) && !dominates(u, n, s->add))
			return false;
	}
	return true;
}

/* ---- copies ---- */

struct copy {
	const struct unroller *u;
	const struct shape *s;
	uint32_t *name;         /* [reg_count before]: register of the round, or itself */
	uint32_t before, after; /* registers of the counter in the round */
	uint32_t old_regs;
};

static void rename_operand(struct copy *k, struct ptx_operand *o, bool is_new)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX && o->reg < k->old_regs)
		o->reg = o->reg == k->s->counter ? (is_new ? k->after : k->before) : k->name[o->reg];
	if (!o->elem_count)
		return;
	o->elems = ptx_arena_copy(k->u->c->arena, o->elems, o->elem_count * sizeof(*o->elems));
	for (uint32_t e = 0; e < o->elem_count; e++)
		rename_operand(k, &o->elems[e], is_new);
}

static void constant(struct dcc *c, uint32_t reg, uint64_t value, const struct ptx_inst *like)
{
	const enum ptx_type type = ptx_type_bytes(c->func->regs[reg].type) == 8 ? PTX_B64 : PTX_B32;
	struct ptx_inst mov = {.op = PTX_OP_MOV,
			       .type = type,
			       .dst = dcc_reg(reg),
			       .src_count = 1,
			       .line = like->line,
			       .col = like->col,
			       .text = like->text};

	mov.src[0] = dcc_imm(type == PTX_B32 ? value & UINT32_MAX : value, type);
	dcc_emit(c, &mov);
}

/* Labels of a round's blocks are numbered past those of the function: fixed by fix_rounds. */
static uint32_t label_of(const struct unroller *u, uint32_t round, uint32_t block)
{
	return u->c->func->inst_count + 1 + round * u->cfg->block_count + block;
}

static void emit_bra(struct dcc *c, const struct ptx_inst *like, uint32_t label)
{
	struct ptx_inst bra = {
	    .op = PTX_OP_BRA, .src_count = 1, .line = like->line, .col = like->col, .text = like->text};

	bra.src[0] = (struct ptx_operand){.kind = PTX_OPND_LABEL, .label = label, .reg = UINT32_MAX};
	dcc_emit(c, &bra);
}

static uint32_t successor(const struct copy *k, uint32_t round, uint32_t to)
{
	const struct unroller *u = k->u;
	const uint32_t header = u->cfg->loops[k->s->loop].header;

	if (u->cfg->blocks[to].loop != k->s->loop)
		return u->cfg->blocks[to].first;
	return label_of(u, to == header ? round + 1 : round, to);
}

static void emit_end(struct copy *k, uint32_t round, uint32_t block, bool leaves)
{
	const struct unroller *u = k->u;
	const struct ptx_block *b = &u->cfg->blocks[block];
	const struct ptx_inst *last = &u->c->func->insts[b->last];

	if (block == k->s->exit_block) {
		const uint32_t stay = b->succs[0] == k->s->exit_to ? b->succs[1] : b->succs[0];

		if (leaves) {
			constant(u->c, k->s->counter, k->s->last, last);
			emit_bra(u->c, last, u->cfg->blocks[k->s->exit_to].first);
		} else {
			emit_bra(u->c, last, successor(k, round, stay));
		}
		return;
	}
	if (last->op == PTX_OP_BRA && last->has_guard && b->succ_count == 2) {
		struct ptx_inst bra = *last;

		bra.guard_reg = k->name[bra.guard_reg];
		bra.src[0].label = successor(k, round, u->cfg->block_of[last->src[0].label]);
		dcc_emit(u->c, &bra);
		emit_bra(u->c, last, successor(k, round, u->cfg->block_of[b->last + 1]));
		return;
	}
	emit_bra(u->c, last, successor(k, round, b->succs[0]));
}

static void emit_round(struct copy *k, uint32_t round, uint64_t value, uint64_t next, bool is_last, bool at_header)
{
	const struct unroller *u = k->u;
	const struct ptx_loop *l = &u->cfg->loops[k->s->loop];
	struct dcc *c = u->c;

	constant(c, k->before, value, &c->func->insts[k->s->add]);
	constant(c, k->after, next, &c->func->insts[k->s->add]);
	for (uint32_t n = 0; n < l->block_count; n++) {
		/* The header first: it is where the round begins. */
		const uint32_t block = n == 0                         ? l->header
				       : l->blocks[n - 1] < l->header ? l->blocks[n - 1]
								      : l->blocks[n];
		const struct ptx_block *b = &u->cfg->blocks[block];

		c->map[label_of(u, round, block)] = c->insts->len - (block == l->header ? 2 : 0);
		if (is_last && at_header && block != l->header)
			continue;
		for (uint32_t i = b->first; i <= b->last; i++) {
			struct ptx_inst inst = c->func->insts[i];
			const bool is_new = i != k->s->add && dominates(u, k->s->add, i);

			if (i == k->s->add || inst.op == PTX_OP_BRA)
				continue;
			if (inst.has_guard)
				inst.guard_reg = k->name[inst.guard_reg];
			for (uint32_t o = 0; o < inst.src_count; o++)
				rename_operand(k, &inst.src[o], is_new);
			rename_operand(k, &inst.dst, is_new);
			rename_operand(k, &inst.dst2, is_new);
			dcc_emit(c, &inst);
		}
		emit_end(k, round, block, is_last);
	}
}

/* Values of one round: written once in the loop, for all its lanes, and read in the same round only. */
static void name_values(struct copy *k, uint32_t reg_count)
{
	const struct unroller *u = k->u;
	const struct ptx_loop *l = &u->cfg->loops[k->s->loop];
	const uint64_t *in = u->cfg->live_in + (size_t)l->header * u->cfg->live_words;
	const uint64_t *out = u->cfg->live_in + (size_t)k->s->exit_to * u->cfg->live_words;

	for (uint32_t r = 0; r < reg_count; r++) {
		const uint32_t at = u->def_at[r];

		k->name[r] = r;
		if (u->defs[r] == 1 && is_inside(u, k->s->loop, at) && !u->c->func->insts[at].has_guard &&
		    !((in[r / 64] | out[r / 64]) >> r % 64 & 1))
			k->name[r] = dcc_reg_new(u->c, u->c->func->regs[r].type);
	}
}

static void emit_loop(const struct unroller *u, const struct shape *s)
{
	struct dcc *c = u->c;
	const uint32_t reg_count = c->func->reg_count, header = u->cfg->loops[s->loop].header;
	const bool at_header = s->exit_block == header && header != u->cfg->loops[s->loop].latch;
	const uint64_t copies = s->rounds + at_header;
	struct copy k = {.u = u, .s = s, .name = g_new0(uint32_t, reg_count + 1), .old_regs = reg_count};
	uint64_t value = s->first, next = 0, step = 0;
	const enum ptx_type type = c->func->regs[s->counter].type;
	bool flag;

	CHECK(evaluate_operand(u, &c->func->insts[s->add].src[1], 0, &step));
	for (uint64_t round = 0; round < copies; round++) {
		uint64_t sum[4] = {value, step};

		CHECK(compute(&c->func->insts[s->add], sum, &next, &flag));
		name_values(&k, reg_count);
		k.before = dcc_reg_new(c, type);
		k.after = dcc_reg_new(c, type);
		emit_round(&k, (uint32_t)round, value, next, round + 1 == copies, at_header);
		value = next;
	}
	g_free(k.name);
}

/* The function with the loop's rounds where its header was. */
static void rewrite(const struct unroller *u, const struct shape *s)
{
	struct dcc *c = u->c;
	const struct ptx_func *f = c->func;
	const uint32_t header = u->cfg->loops[s->loop].header;
	const uint64_t labels = f->inst_count + 2 + (s->rounds + 2) * u->cfg->block_count;

	dcc_rewrite_begin(c);
	c->map = g_renew(uint32_t, c->map, labels);
	for (uint32_t b = 0; b < u->cfg->block_count; b++) {
		const struct ptx_block *x = &u->cfg->blocks[b];
		const struct ptx_inst *last = &f->insts[x->last];

		if (b == header) {
			dcc_rewrite_at(c, x->first);
			emit_loop(u, s);
			continue;
		}
		if (x->loop == s->loop)
			continue;
		for (uint32_t n = x->first; n <= x->last; n++) {
			dcc_rewrite_at(c, n);
			dcc_emit(c, &f->insts[n]);
		}
		/* What it falls through to may have moved. */
		if ((!ptx_inst_ends_block(last) || last->has_guard) && x->last + 1 < f->inst_count)
			emit_bra(c, last, x->last + 1);
	}
	dcc_rewrite_end(c);
	c->kernel->counts.unrolled++;
}

void dcc_unroll(struct dcc *c)
{
	struct unroller u = {c, ptx_cfg_build(c->func), g_new0(uint32_t, c->func->reg_count + 1),
			     g_new0(uint32_t, c->func->reg_count + 1)};
	struct ptx_reg_use use;
	bool done = false;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		ptx_inst_regs(&c->func->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++) {
			u.defs[use.writes[k]]++;
			u.def_at[use.writes[k]] = n;
		}
	}
	for (uint32_t l = u.cfg->loop_count; l-- > 0 && !done;) {
		struct shape s = {.loop = l};

		if (find_exit(&u, &s) && find_counter(&u, &s) && count_rounds(&u, &s) && readers_are_ordered(&u, &s)) {
			rewrite(&u, &s);
			done = true;
		}
	}
	ptx_cfg_free(u.cfg);
	g_free(u.defs);
	g_free(u.def_at);
}
