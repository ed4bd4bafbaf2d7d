/* validate.c - the invariants of modules, restated independently of the code that establishes them. */
#include "validate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct checker {
	const struct ptx_func *f;
	char *what;
	size_t size_bytes;
};

static bool fails(const struct checker *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fails(const struct checker *v, const char *fmt, ...)
{
	int n = snprintf(v->what, v->size_bytes, "%s: ", v->f ? v->f->name : "module");
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < v->size_bytes)
		vsnprintf(v->what + n, v->size_bytes - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool operand_holds(const struct checker *v, const struct ptx_operand *o, uint32_t n, int depth)
{
	const struct ptx_func *f = v->f;

	if (o->kind > PTX_OPND_LIST)
		return fails(v, "instruction %u: operand of kind %u", n, o->kind);
	if (o->kind == PTX_OPND_REG && o->reg >= f->reg_count)
		return fails(v, "instruction %u: register %u of %u", n, o->reg, f->reg_count);
	if (o->kind == PTX_OPND_REG && o->component > f->regs[o->reg].vec)
		return fails(v, "instruction %u: component %u of a %u-vector", n, o->component, f->regs[o->reg].vec);
	if (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX && (o->reg >= f->reg_count || o->var))
		return fails(v, "instruction %u: address base", n);
	if (o->kind == PTX_OPND_LABEL && o->label >= f->inst_count)
		return fails(v, "instruction %u: label %u of %u", n, o->label, f->inst_count);
	if (o->kind == PTX_OPND_VAR && !o->var)
		return fails(v, "instruction %u: variable missing", n);
	if (o->kind == PTX_OPND_FUNC && !o->func)
		return fails(v, "instruction %u: function missing", n);
	if (o->kind == PTX_OPND_SREG && (unsigned)o->sreg >= PTX_SREG_COUNT)
		return fails(v, "instruction %u: special register %u", n, (unsigned)o->sreg);
	if (o->kind == PTX_OPND_IMM) {
		uint32_t bits = ptx_type_bytes(o->type) * 8;

		if (!bits || (bits < 64 && o->imm >> bits))
			return fails(v, "instruction %u: constant wider than .%s", n, ptx_type_name(o->type));
	}
	if (o->kind != PTX_OPND_VEC && o->kind != PTX_OPND_LIST)
		return o->elem_count == 0 || fails(v, "instruction %u: elements of a scalar", n);
	if (depth > 1)
		return fails(v, "instruction %u: vector of vectors", n);
	for (uint32_t k = 0; k < o->elem_count; k++)
		if (!operand_holds(v, &o->elems[k], n, depth + 1))
			return false;
	return true;
}

static bool inst_holds(const struct checker *v, uint32_t n)
{
	const struct ptx_func *f = v->f;
	const struct ptx_inst *i = &f->insts[n];

	if ((unsigned)i->op >= PTX_OP_COUNT || i->src_count > PTX_SRC_MAX || !i->text)
		return fails(v, "instruction %u: opcode, sources or text", n);
	if ((i->op == PTX_OP_UNSUPPORTED) != (i->unsupported != NULL) || (i->unsupported && !f->unsupported))
		return fails(v, "instruction %u: unsupported without a reason, or the reverse", n);
	if (i->has_guard && (i->guard_reg >= f->reg_count || f->regs[i->guard_reg].type != PTX_PRED))
		return fails(v, "instruction %u: guard", n);
	if (i->loc >= f->module->loc_count)
		return fails(v, "instruction %u: source line %u of %u", n, i->loc, f->module->loc_count);
	if (i->op == PTX_OP_BRA && i->src[0].kind != PTX_OPND_LABEL)
		return fails(v, "instruction %u: branch without label", n);
	if (i->op == PTX_OP_BRX && i->src[1].kind != PTX_OPND_LIST)
		return fails(v, "instruction %u: brx without list", n);
	for (uint32_t k = i->src_count; k < PTX_SRC_MAX; k++)
		if (i->src[k].kind != PTX_OPND_NONE)
			return fails(v, "instruction %u: source past src_count", n);
	for (uint32_t k = 0; k < i->src_count; k++)
		if (!operand_holds(v, &i->src[k], n, 0))
			return false;
	return operand_holds(v, &i->dst, n, 0) && operand_holds(v, &i->dst2, n, 0);
}

static bool params_hold(const struct checker *v, const struct ptx_var *params, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		if (params[k].offset_bytes % params[k].align_bytes)
			return fails(v, "parameter %u is not aligned", k);
		if (k && params[k].offset_bytes < params[k - 1].offset_bytes + params[k - 1].size_bytes)
			return fails(v, "parameter %u overlaps the one before", k);
		if (!v->f->is_prototype && params[k].owner != v->f)
			return fails(v, "parameter %u belongs to another function", k);
	}
	return true;
}

static bool locals_hold(const struct checker *v)
{
	const struct ptx_func *f = v->f;

	for (uint32_t k = 0; k < f->local_count; k++) {
		const struct ptx_var *l = f->locals[k];
		uint64_t end = l->offset_bytes + l->size_bytes;
		uint64_t frame = l->space == PTX_LOCAL        ? f->frame_local_bytes
				 : l->space == PTX_PARAM_CALL ? f->frame_param_bytes
				 : l->space == PTX_SHARED     ? f->static_shared_bytes
							      : UINT64_MAX;

		if (l->owner != f || end > frame || l->offset_bytes % l->align_bytes)
			return fails(v, "variable %s: owner or place", l->name);
	}
	return true;
}

static bool func_holds(struct checker *v, const struct ptx_func *f)
{
	v->f = f;
	if (!params_hold(v, f->params, f->param_count) || !params_hold(v, f->rets, f->ret_count))
		return false;
	if (f->has_body != (f->inst_count > 0))
		return fails(v, "body without instructions, or the reverse");
	for (uint32_t n = 0; n < f->inst_count; n++)
		if (!inst_holds(v, n))
			return false;
	const struct ptx_inst *last = f->inst_count ? &f->insts[f->inst_count - 1] : NULL;
	if (last && (last->has_guard || !ptx_inst_ends_block(last)))
		return fails(v, "control runs off the end");
	return locals_hold(v);
}

static bool var_holds(const struct checker *v, const struct ptx_var *var)
{
	if (var->is_unsized && (var->size_bytes || var->init))
		return fails(v, "variable %s: size", var->name);
	if (!var->align_bytes || (var->align_bytes & (var->align_bytes - 1)))
		return fails(v, "variable %s: alignment %u", var->name, var->align_bytes);
	for (uint32_t k = 0; k < var->reloc_count; k++) {
		const struct ptx_reloc *r = &var->relocs[k];

		if (r->at_bytes + r->bytes > var->size_bytes || !r->var == !r->func)
			return fails(v, "variable %s: address %u", var->name, k);
	}
	return true;
}

bool ptx_validate(const struct ptx_module *m, char *what, size_t size_bytes)
{
	struct checker v = {NULL, what, size_bytes};

	if (!m->version_major || !m->target || (m->address_bits != 32 && m->address_bits != 64))
		return fails(&v, "version, target or address size");
	for (uint32_t k = 0; k < m->var_count; k++)
		if (m->vars[k]->index != k || !var_holds(&v, m->vars[k]))
			return m->vars[k]->index == k ? false : fails(&v, "variable %u has another index", k);
	for (uint32_t k = 0; k < m->func_count; k++)
		if (m->funcs[k]->index != k || !func_holds(&v, m->funcs[k]))
			return m->funcs[k]->index == k ? false : fails(&v, "function %u has another index", k);
	return true;
}
