/* written.c - follows the addresses of stores back to the kernel's parameters. */
#include "ndp/blocks/written.h"

#include <glib.h>
#include <string.h>

#include "ndp/blocks/bits.h"
#include "simt/memory.h"

enum { POINTER_BYTES = 8 };

struct trace {
	const struct ptx_func *fn;
	struct ptx_reg_use *uses; /* [inst_count] */
	bool *is_seen;		  /* [reg_count]: followed, for this store or another */
	struct ndp_origins *out;
};

static bool follow_reg(struct trace *t, uint32_t reg);

static bool take_param(struct trace *t, const struct ptx_inst *i)
{
	const struct ptx_operand *o = &i->src[0];
	uint64_t at;

	if (i->mods.space != PTX_PARAM_ENTRY || i->mods.vec > 1 || o->kind != PTX_OPND_ADDR || !o->var ||
	    o->reg != UINT32_MAX)
		return false;
	at = o->var->offset_bytes + (uint64_t)o->offset;
	if (at % POINTER_BYTES || at / POINTER_BYTES >= NDP_ORIGIN_WORDS)
		return false;
	bits_set(t->out->words, (uint32_t)(at / POINTER_BYTES));
	return true;
}

/* Arithmetic on registers and immediates, whose result is no pointer unless an operand of 8 bytes is one. */
static bool is_plain(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_MOV: case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_MAD: case PTX_OP_SHL:
	case PTX_OP_SHR: case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_NOT: case PTX_OP_NEG:
	case PTX_OP_ABS: case PTX_OP_CVT: case PTX_OP_SELP: case PTX_OP_MIN: case PTX_OP_MAX: case PTX_OP_DIV:
	case PTX_OP_REM:
		break;
	case PTX_OP_CVTA:
		if (i->mods.space != PTX_GLOBAL)
			return false;
		break;
	default:
		return false;
	}
	for (uint32_t s = 0; s < i->src_count; s++)
		if ((i->src[s].kind != PTX_OPND_REG && i->src[s].kind != PTX_OPND_IMM) || i->src[s].elem_count)
			return false;
	return true;
}

static bool follow_inst(struct trace *t, uint32_t k)
{
	const struct ptx_inst *i = &t->fn->insts[k];

	if (i->op == PTX_OP_LD)
		return ptx_type_bytes(i->type) == POINTER_BYTES && take_param(t, i);
	if (!is_plain(i))
		return false;
	for (uint32_t r = 0; r < t->uses[k].read_count; r++)
		if (!follow_reg(t, t->uses[k].reads[r]))
			return false;
	return true;
}

/* All that any instruction writes to the register. False: not known. */
static bool follow_reg(struct trace *t, uint32_t reg)
{
	const struct ptx_reg *r = &t->fn->regs[reg];

	if (ptx_type_bytes(r->type) < POINTER_BYTES || t->is_seen[reg])
		return true;
	t->is_seen[reg] = true;
	for (uint32_t k = 0; k < t->fn->inst_count; k++)
		for (uint32_t w = 0; w < t->uses[k].write_count; w++)
			if (t->uses[k].writes[w] == reg && !follow_inst(t, k))
				return false;
	return true;
}

static void add_access(struct trace *t, const struct ptx_inst *i)
{
	const struct ptx_operand *o = &i->src[0];

	if (i->mods.space == PTX_SHARED)
		return;
	if (i->mods.space == PTX_LOCAL) {
		t->out->local = true;
		return;
	}
	if (o->kind != PTX_OPND_ADDR || o->var || o->reg == UINT32_MAX) {
		t->out->all = true;
		return;
	}
	t->out->all |= !follow_reg(t, o->reg);
}

/* What writes global memory by an address operand, or may be called to. */
static void add_inst(struct trace *t, const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		add_access(t, i);
		return;
	case PTX_OP_CP:
		t->out->all |= i->mods.space != PTX_SHARED;
		return;
	case PTX_OP_CALL:
		t->out->all = true;
		return;
	default:
		return;
	}
}

static void trace_open(struct trace *t, const struct ptx_func *fn, struct ndp_origins *out)
{
	*t = (struct trace){.fn = fn, .out = out};
	t->uses = g_new0(struct ptx_reg_use, fn->inst_count + 1);
	t->is_seen = g_new0(bool, fn->reg_count + 1);
	for (uint32_t k = 0; k < fn->inst_count; k++)
		ptx_inst_regs(&fn->insts[k], &t->uses[k]);
}

static void trace_close(struct trace *t)
{
	g_free(t->uses);
	g_free(t->is_seen);
}

struct ndp_origins ndp_load_origins(const struct simt_program *p)
{
	const struct ptx_func *fn = p->entry;
	struct ndp_origins out = {0};
	struct trace t;

	trace_open(&t, fn, &out);
	for (uint32_t k = 0; k < fn->inst_count; k++)
		if (fn->insts[k].op == PTX_OP_LD && fn->insts[k].mods.space == PTX_GLOBAL)
			add_access(&t, &fn->insts[k]);
	trace_close(&t);
	return out;
}

struct ndp_origins ndp_store_origins(const struct simt_program *p)
{
	const struct ptx_func *fn = p->entry;
	struct ndp_origins out = {0};
	struct trace t;

	trace_open(&t, fn, &out);
	for (uint32_t k = 0; k < fn->inst_count && !out.all; k++) {
		const struct ptx_inst *i = &fn->insts[k];

		add_inst(&t, i);
		/* Surfaces, matrices, bulk copies: what stores and is none of those above. */
		if (p->insts[k].flags & SIMT_STORE && i->op != PTX_OP_ST && i->op != PTX_OP_ATOM && i->op != PTX_OP_RED)
			out.all |= p->insts[k].space != SIMT_MEM_SHARED;
	}
	trace_close(&t);
	return out;
}

static bool add_range(struct carry_written *out, const struct simt_alloc *a)
{
	for (uint32_t i = 0; i < out->count; i++)
		if (out->ranges[i].addr_bytes == a->addr)
			return true;
	if (out->count == CARRY_WRITTEN_MAX)
		return false;
	out->ranges[out->count++] = (struct carry_range){a->addr, a->size_bytes};
	return true;
}

static void add_local(struct carry_written *out, const struct simt_launch *l)
{
	const struct simt_alloc *a;

	for (uint32_t i = 0; (a = simt_memory_entry(l->mem, i)); i++)
		if (a->is_live && a->kind == SIMT_ALLOC_LOCAL)
			out->all |= !add_range(out, a);
}

/* The allocation to which a word of the parameters leads, or NULL. */
static const struct simt_alloc *alloc_of(const struct simt_launch *l, uint32_t word)
{
	uint64_t pointer;

	memcpy(&pointer, l->params + (size_t)word * POINTER_BYTES, sizeof(pointer));
	return simt_memory_find(l->mem, pointer, 1);
}

void ndp_read_of(const struct ndp_origins *o, const struct simt_launch *l, struct carry_written *out)
{
	*out = (struct carry_written){.all = false};
	for (uint32_t word = 0; word < NDP_ORIGIN_WORDS; word++) {
		const struct simt_alloc *a = bits_test(o->words, word) ? alloc_of(l, word) : NULL;

		if (a && a->kind == SIMT_ALLOC_DEVICE)
			add_range(out, a);
	}
}

void ndp_written_of(const struct ndp_origins *o, const struct simt_launch *l, struct carry_written *out)
{
	*out = (struct carry_written){.all = o->all};
	for (uint32_t word = 0; word < NDP_ORIGIN_WORDS && !out->all; word++) {
		const struct simt_alloc *a;

		if (!bits_test(o->words, word))
			continue;
		a = alloc_of(l, word);
		out->all = !a || a->kind == SIMT_ALLOC_REGISTERED || a->kind == SIMT_ALLOC_MAPPED || !add_range(out, a);
	}
	if (o->local)
		add_local(out, l);
}
