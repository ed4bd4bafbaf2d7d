/* inline.c - calls become what they call, level by level. Parameters and results of functions are registers: one for
 * each offset of a call's .param variables. */
#include "dc/compile/priv.h"

enum { LEVELS_MAX = 16, INSTS_MAX = 1 << 16 };

/* A part of a call's .param variable. */
struct slot {
	const struct ptx_var *var;
	int64_t offset;
	uint32_t bytes, reg;
};

struct inliner {
	struct dcc *c;
	GArray *slots;
	uint32_t labels; /* used so far, of the function and of what is inlined into it */
};

static uint32_t slot_reg(struct inliner *n, const struct ptx_inst *i, const struct ptx_var *var, int64_t offset,
			 uint32_t bytes)
{
	struct slot s = {var, offset, bytes, 0};

	for (uint32_t k = 0; k < n->slots->len; k++) {
		const struct slot *x = &g_array_index(n->slots, struct slot, k);

		if (x->var != var)
			continue;
		if (x->offset == offset && x->bytes == bytes)
			return x->reg;
		if (x->offset < offset + bytes && offset < x->offset + x->bytes)
			dcc_refuse(n->c, i, "a parameter of a call that is read otherwise than written");
	}
	s.reg = dcc_reg_new(n->c, bytes == 8 ? PTX_B64 : PTX_B32);
	g_array_append_val(n->slots, s);
	return s.reg;
}

static bool is_call_param(const struct ptx_inst *i)
{
	return (i->op == PTX_OP_LD || i->op == PTX_OP_ST) && i->src[0].var && i->src[0].var->space == PTX_PARAM_CALL;
}

/* ld.param and st.param of calls: moves; what is narrower than a register is extended by its type. */
static void emit_param(struct inliner *n, const struct ptx_inst *i)
{
	const uint32_t bytes = ptx_type_bytes(i->type);
	const struct ptx_operand none = {0};
	struct ptx_inst out = *i;
	uint32_t reg;

	if (i->mods.vec > 1 || i->src[0].reg != UINT32_MAX) {
		dcc_refuse(n->c, i, "a vector or an indexed parameter of a call");
		return;
	}
	reg = slot_reg(n, i, i->src[0].var, i->src[0].offset, bytes);
	out.mods = (struct ptx_mods){0};
	out.op = PTX_OP_MOV;
	out.src_count = 1;
	out.type = bytes == 8 ? PTX_B64 : PTX_B32;
	if (i->op == PTX_OP_LD) {
		out.src[0] = dcc_reg(reg);
		if (bytes < 4) {
			out.op = PTX_OP_CVT;
			out.type = ptx_type_is_signed(i->type) ? PTX_S32 : PTX_U32;
			out.type2 = bytes == 1 ? (ptx_type_is_signed(i->type) ? PTX_S8 : PTX_U8)
					       : (ptx_type_is_signed(i->type) ? PTX_S16 : PTX_U16);
		}
	} else {
		out.dst = dcc_reg(reg);
		out.src[0] = i->src[1];
	}
	for (uint32_t k = 1; k < PTX_SRC_MAX; k++)
		out.src[k] = none;
	dcc_emit(n->c, &out);
}

/* ---- a call ---- */

struct callee {
	struct inliner *n;
	const struct ptx_inst *call;
	const struct ptx_func *f;
	uint32_t first_reg, first_label;
};

static const struct ptx_var *actual(const struct callee *k, const struct ptx_var *var)
{
	for (uint32_t p = 0; p < k->f->param_count; p++)
		if (var == &k->f->params[p] && p < k->call->src[1].elem_count)
			return k->call->src[1].elems[p].var;
	for (uint32_t p = 0; p < k->f->ret_count; p++)
		if (var == &k->f->rets[p])
			return k->call->dst.kind != PTX_OPND_LIST  ? k->call->dst.var
			       : p < k->call->dst.elem_count ? k->call->dst.elems[p].var
							     : var;
	return var;
}

static void translate(const struct callee *k, struct ptx_operand *o)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX && !o->var)
		o->reg += k->first_reg;
	if (o->kind == PTX_OPND_LABEL)
		o->label += k->first_label;
	if (o->var)
		o->var = actual(k, o->var);
	if (!o->elem_count)
		return;
	o->elems = ptx_arena_copy(k->n->c->arena, o->elems, o->elem_count * sizeof(*o->elems));
	for (uint32_t e = 0; e < o->elem_count; e++)
		translate(k, &o->elems[e]);
}

static void emit_callee(struct callee *k)
{
	struct dcc *c = k->n->c;

	k->first_reg = c->func->reg_count;
	k->first_label = k->n->labels;
	k->n->labels += k->f->inst_count + 1;
	c->map = g_renew(uint32_t, c->map, k->n->labels);
	if (k->call->has_guard)
		dcc_branch_around(c, k->call, k->first_label + k->f->inst_count);
	for (uint32_t r = 0; r < k->f->reg_count; r++) {
		uint32_t reg = dcc_reg_new(c, k->f->regs[r].type);

		c->func->regs[reg].vec = k->f->regs[r].vec;
	}
	for (uint32_t i = 0; i < k->f->inst_count; i++) {
		struct ptx_inst inst = k->f->insts[i];

		c->map[k->first_label + i] = c->insts->len;
		if (inst.has_guard)
			inst.guard_reg += k->first_reg;
		translate(k, &inst.dst);
		translate(k, &inst.dst2);
		for (uint32_t s = 0; s < inst.src_count; s++)
			translate(k, &inst.src[s]);
		if (inst.op == PTX_OP_RET) {
			inst.op = PTX_OP_BRA;
			inst.mods = (struct ptx_mods){0};
			inst.src_count = 1;
			inst.src[0] = (struct ptx_operand){
			    .kind = PTX_OPND_LABEL, .reg = UINT32_MAX, .label = k->first_label + k->f->inst_count};
		}
		dcc_emit(c, &inst);
	}
	c->map[k->first_label + k->f->inst_count] = c->insts->len;
}

static const struct ptx_func *callee_of(struct inliner *n, const struct ptx_inst *i)
{
	const struct ptx_func *f = i->src[0].kind == PTX_OPND_FUNC ? i->src[0].func : NULL;

	if (f && !f->has_body && !f->alias && ptx_module_func(n->c->entry->module, f->name))
		f = ptx_module_func(n->c->entry->module, f->name);
	while (f && f->alias)
		f = f->alias;
	if (!f) {
		dcc_refuse(n->c, i, "a call through a pointer");
		return NULL;
	}
	if (!f->has_body) {
		dcc_refuse(n->c, i, "a call of a function that the host would serve");
		return NULL;
	}
	for (uint32_t p = 0; p < f->param_count; p++)
		if (f->params[p].space == PTX_REG || p >= i->src[1].elem_count || !i->src[1].elems[p].var) {
			dcc_refuse(n->c, i, "a call with parameters in registers");
			return NULL;
		}
	return f;
}

static bool inline_level(struct inliner *n)
{
	struct dcc *c = n->c;
	bool any = false;

	dcc_rewrite_begin(c);
	n->labels = c->func->inst_count + 1;
	for (uint32_t i = 0; i < c->func->inst_count && !c->failed; i++) {
		const struct ptx_inst *inst = &c->func->insts[i];
		struct callee k = {.n = n, .call = inst};

		dcc_rewrite_at(c, i);
		if (inst->op != PTX_OP_CALL) {
			dcc_emit(c, inst);
			continue;
		}
		any = true;
		k.f = callee_of(n, inst);
		if (k.f)
			emit_callee(&k);
	}
	dcc_rewrite_end(c);
	return any && !c->failed;
}

static void emit_params(struct inliner *n)
{
	struct dcc *c = n->c;

	dcc_rewrite_begin(c);
	for (uint32_t i = 0; i < c->func->inst_count && !c->failed; i++) {
		dcc_rewrite_at(c, i);
		if (is_call_param(&c->func->insts[i]))
			emit_param(n, &c->func->insts[i]);
		else
			dcc_emit(c, &c->func->insts[i]);
	}
	dcc_rewrite_end(c);
}

/* The first call that is left has its line. */
static void refuse_calls(struct dcc *c)
{
	const struct ptx_inst *call = NULL;

	for (uint32_t i = c->func->inst_count; i-- > 0;)
		if (c->func->insts[i].op == PTX_OP_CALL)
			call = &c->func->insts[i];
	dcc_refuse(c, call, "recursion, or calls that go deeper than %u", LEVELS_MAX);
}

void dcc_inline(struct dcc *c)
{
	struct inliner n = {.c = c, .slots = g_array_new(FALSE, TRUE, sizeof(struct slot))};
	uint32_t level = 0;

	while (inline_level(&n))
		if (++level > LEVELS_MAX || c->func->inst_count > INSTS_MAX)
			refuse_calls(c);
	if (!c->failed)
		emit_params(&n);
	g_array_free(n.slots, TRUE);
}
