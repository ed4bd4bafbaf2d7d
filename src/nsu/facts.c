/* facts.c - classes, reads with their definitions, liveness and addresses of a function's instructions. */
#include "nsu/facts.h"

#include <glib.h>
#include <string.h>

#include "nsu/origin.h"

/* ---- classes ---- */

/* What a thread can ask only of the SM it runs on. */
static bool reads_sreg(const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_SREG)
		return o->sreg != PTX_SREG_WARP_SZ;
	for (uint32_t e = 0; e < o->elem_count; e++)
		if (reads_sreg(&o->elems[e]))
			return true;
	return false;
}

static bool names_thread_memory(const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_VAR && o->var && o->var->space != PTX_GLOBAL && o->var->space != PTX_CONST;
}

bool nsu_is_fixed(const struct ptx_inst *i)
{
	const struct ptx_operand *a = &i->src[0];

	return i->op == PTX_OP_LD && (i->mods.space == PTX_PARAM_ENTRY || i->mods.space == PTX_CONST) &&
	       a->kind == PTX_OPND_ADDR && a->reg == UINT32_MAX && a->var && a->offset >= 0 &&
	       (uint64_t)a->offset + nsu_access_bytes(i) <= a->var->size_bytes;
}

/* Ordered accesses would need the GPU's cooperation; generic addresses may be shared memory. */
static enum nsu_class class_of_access(const struct ptx_inst *i, const struct nsu_code_params *p)
{
	const bool is_store = i->op == PTX_OP_ST;

	if (i->mods.sem != PTX_SEM_WEAK || i->mods.cache == PTX_CV)
		return NSU_CLASS_FORBIDDEN;
	if (i->mods.space == PTX_GLOBAL)
		return is_store ? NSU_CLASS_STORE : NSU_CLASS_LOAD;
	if (is_store || (i->mods.space != PTX_PARAM_ENTRY && i->mods.space != PTX_CONST))
		return NSU_CLASS_FORBIDDEN;
	if (i->mods.space == PTX_PARAM_ENTRY && p->params_are_live_ins)
		return NSU_CLASS_GPU;
	return nsu_is_fixed(i) ? NSU_CLASS_CONST : NSU_CLASS_GPU;
}

static enum nsu_class class_of_op(const struct ptx_inst *i, const struct nsu_code_params *p)
{
	switch (i->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
		return class_of_access(i, p);
	/* the carry flag is a register that no packet can name */
	case PTX_OP_ADDC:
	case PTX_OP_SUBC:
	case PTX_OP_MADC:
	/* synchronisation, control, other threads' registers, the texture and tensor units */
	case PTX_OP_ACTIVEMASK:
	case PTX_OP_APPLYPRIORITY:
	case PTX_OP_ATOM:
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
	case PTX_OP_BRA:
	case PTX_OP_BRKPT:
	case PTX_OP_BRX:
	case PTX_OP_CALL:
	case PTX_OP_CP:
	case PTX_OP_CREATEPOLICY:
	case PTX_OP_DISCARD:
	case PTX_OP_ELECT:
	case PTX_OP_EXIT:
	case PTX_OP_FENCE:
	case PTX_OP_GETCTARANK:
	case PTX_OP_GRIDDEPCONTROL:
	case PTX_OP_ISTYPEP:
	case PTX_OP_LDMATRIX:
	case PTX_OP_MATCH:
	case PTX_OP_MBARRIER:
	case PTX_OP_MEMBAR:
	case PTX_OP_MMA:
	case PTX_OP_MOVMATRIX:
	case PTX_OP_NANOSLEEP:
	case PTX_OP_PMEVENT:
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
	case PTX_OP_RED:
	case PTX_OP_REDUX:
	case PTX_OP_RET:
	case PTX_OP_SETMAXNREG:
	case PTX_OP_SHFL:
	case PTX_OP_STMATRIX:
	case PTX_OP_SULD:
	case PTX_OP_SUQ:
	case PTX_OP_SURED:
	case PTX_OP_SUST:
	case PTX_OP_TEX:
	case PTX_OP_TLD4:
	case PTX_OP_TRAP:
	case PTX_OP_TXQ:
	case PTX_OP_UNSUPPORTED:
	case PTX_OP_VOTE:
	case PTX_OP_WMMA:
		return NSU_CLASS_FORBIDDEN;
	/* address spaces are the GPU's matter */
	case PTX_OP_CVTA:
		return i->mods.space == PTX_GLOBAL || i->mods.space == PTX_CONST ? NSU_CLASS_ALU : NSU_CLASS_GPU;
	case PTX_OP_ISSPACEP:
		return NSU_CLASS_GPU;
	default:
		return NSU_CLASS_ALU;
	}
}

static enum nsu_class class_of(const struct ptx_func *f, const struct ptx_inst *i, const struct ptx_reg_use *use,
			       const struct nsu_code_params *p)
{
	const enum nsu_class c = class_of_op(i, p);

	for (uint32_t k = 0; k < use->read_count; k++)
		if (f->regs[use->reads[k]].vec > 1)
			return NSU_CLASS_FORBIDDEN;
	for (uint32_t k = 0; k < use->write_count; k++)
		if (f->regs[use->writes[k]].vec > 1)
			return NSU_CLASS_FORBIDDEN;
	if (i->mods.cc)
		return NSU_CLASS_FORBIDDEN;
	if (c != NSU_CLASS_ALU)
		return c;
	for (uint32_t s = 0; s < i->src_count; s++)
		if (reads_sreg(&i->src[s]) || names_thread_memory(&i->src[s]) || i->src[s].kind == PTX_OPND_FUNC)
			return NSU_CLASS_GPU;
	return c;
}

/* ---- reads ---- */

struct read_list {
	struct nsu_facts *f;
	GArray *reads;
	const uint32_t *last_def; /* [reg_count], of the basic block so far */
};

static void add_read(const struct read_list *l, uint32_t reg, enum nsu_use use)
{
	const struct nsu_read r = {reg, l->last_def[reg], (uint8_t)use};

	g_array_append_val(l->reads, r);
}

static void add_operand(const struct read_list *l, const struct ptx_operand *o, enum nsu_use use)
{
	if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX))
		add_read(l, o->reg, use);
	for (uint32_t e = 0; e < o->elem_count; e++)
		add_operand(l, &o->elems[e], use);
}

/* The value of a store is its second source; a cache policy, the last one, stays on the GPU like the address. */
static enum nsu_use use_of_source(enum nsu_class c, uint32_t source)
{
	if (c == NSU_CLASS_LOAD || (c == NSU_CLASS_STORE && source != 1))
		return NSU_USE_ADDRESS;
	return NSU_USE_VALUE;
}

static void list_reads(const struct read_list *l, uint32_t k)
{
	const struct ptx_inst *i = &l->f->func->insts[k];
	const struct ptx_reg_use *use = &l->f->uses[k];

	if (i->has_guard)
		add_read(l, i->guard_reg, NSU_USE_GUARD);
	for (uint32_t s = 0; s < i->src_count; s++)
		add_operand(l, &i->src[s], use_of_source((enum nsu_class)l->f->class_of[k], s));
	for (uint32_t w = 0; w < use->write_count; w++)
		if (!ptx_write_is_total(l->f->func, i, use->writes[w]))
			add_read(l, use->writes[w], NSU_USE_OLD);
}

static void find_reads(struct nsu_facts *f)
{
	const struct ptx_func *fn = f->func;
	g_autofree uint32_t *last_def = g_new(uint32_t, fn->reg_count + 1);
	struct read_list l = {f, g_array_new(FALSE, FALSE, sizeof(struct nsu_read)), last_def};

	for (uint32_t k = 0; k < fn->inst_count; k++) {
		if (k == f->cfg->blocks[f->cfg->block_of[k]].first)
			memset(last_def, 0xff, (fn->reg_count + 1) * sizeof(*last_def));
		f->first_read[k] = l.reads->len;
		list_reads(&l, k);
		for (uint32_t w = 0; w < f->uses[k].write_count; w++)
			last_def[f->uses[k].writes[w]] = k;
	}
	f->first_read[fn->inst_count] = l.reads->len;
	f->reads = (struct nsu_read *)(void *)g_array_free(l.reads, FALSE);
}

/* ---- indirect loads ---- */

static bool is_memory_value(const struct ptx_inst *i)
{
	return ptx_inst_is_load(i) || i->op == PTX_OP_ATOM;
}

struct derivation {
	const struct nsu_facts *f;
	GPtrArray **defs; /* [reg_count]: instructions that write the register; NULL: none */
	bool *seen;       /* [inst_count]: asked already */
};

static bool inst_derives(const struct derivation *d, uint32_t k);

/* The definition in the same basic block if there is one, else every definition in the function. */
static bool read_derives(const struct derivation *d, const struct nsu_read *read)
{
	const GPtrArray *defs = d->defs[read->reg];

	if (read->def != NSU_NO_INST)
		return inst_derives(d, read->def);
	for (guint n = 0; n < (defs ? defs->len : 0); n++)
		if (inst_derives(d, GPOINTER_TO_UINT(defs->pdata[n])))
			return true;
	return false;
}

/* Does the instruction's result derive from memory? */
static bool inst_derives(const struct derivation *d, uint32_t k)
{
	const struct nsu_facts *f = d->f;

	if (is_memory_value(&f->func->insts[k]))
		return true;
	if (d->seen[k])
		return false;
	d->seen[k] = true;
	for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
		if ((f->reads[r].use == NSU_USE_VALUE || f->reads[r].use == NSU_USE_OLD) &&
		    read_derives(d, &f->reads[r]))
			return true;
	return false;
}

static GPtrArray **find_defs(const struct nsu_facts *f)
{
	GPtrArray **defs = g_new0(GPtrArray *, f->func->reg_count + 1);

	for (uint32_t k = 0; k < f->func->inst_count; k++)
		for (uint32_t w = 0; w < f->uses[k].write_count; w++) {
			GPtrArray **list = &defs[f->uses[k].writes[w]];

			if (!*list)
				*list = g_ptr_array_new();
			g_ptr_array_add(*list, GUINT_TO_POINTER(k));
		}
	return defs;
}

static void find_indirect(struct nsu_facts *f, GPtrArray **defs)
{
	const struct ptx_func *fn = f->func;
	g_autofree bool *seen = g_new(bool, fn->inst_count + 1);
	const struct derivation d = {f, defs, seen};

	for (uint32_t k = 0; k < fn->inst_count; k++) {
		if (f->class_of[k] != NSU_CLASS_LOAD)
			continue;
		memset(seen, 0, (fn->inst_count + 1) * sizeof(*seen));
		for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
			f->is_indirect[k] |= f->reads[r].use == NSU_USE_ADDRESS && read_derives(&d, &f->reads[r]);
	}
}

/* ---- addresses ---- */

/* One step back: reg = other + constant, in the same basic block. */
static bool step_back(const struct nsu_facts *f, struct nsu_address *a)
{
	const struct ptx_inst *i = a->def == NSU_NO_INST ? NULL : &f->func->insts[a->def];
	const uint32_t reads = i ? f->first_read[a->def + 1] - f->first_read[a->def] : 0;

	if (!i || i->has_guard || reads != 1 || f->class_of[a->def] != NSU_CLASS_ALU)
		return false;
	const struct nsu_read *r = &f->reads[f->first_read[a->def]];

	if (ptx_type_bytes(f->func->regs[r->reg].type) != 8 || ptx_type_bytes(i->type) != 8)
		return false;
	if (i->op == PTX_OP_ADD && i->src[1].kind == PTX_OPND_IMM && i->src[0].kind == PTX_OPND_REG)
		a->offset = (int64_t)((uint64_t)a->offset + i->src[1].imm);
	else if (!(i->op == PTX_OP_MOV && i->src[0].kind == PTX_OPND_REG) &&
		 !(i->op == PTX_OP_CVTA && i->mods.space == PTX_GLOBAL))
		return false;
	a->reg = r->reg;
	a->def = r->def;
	return true;
}

struct nsu_address nsu_address_of(const struct nsu_facts *f, uint32_t k)
{
	const struct ptx_operand *o = &f->func->insts[k].src[0];
	struct nsu_address a = {UINT32_MAX, NSU_NO_INST, o->var, o->offset};

	if (o->kind == PTX_OPND_IMM)
		a.offset = (int64_t)o->imm;
	if (o->kind != PTX_OPND_REG && (o->kind != PTX_OPND_ADDR || o->var))
		return a;
	a.reg = o->reg;
	a.var = NULL;
	if (a.reg == UINT32_MAX)
		return a;
	for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
		if (f->reads[r].use == NSU_USE_ADDRESS && f->reads[r].reg == a.reg)
			a.def = f->reads[r].def;
	while (step_back(f, &a))
		;
	return a;
}

/* ---- sizes ---- */

uint32_t nsu_access_bytes(const struct ptx_inst *i)
{
	return ptx_type_bytes(i->type) * (i->mods.vec ? i->mods.vec : 1);
}

uint32_t nsu_access_entries(const struct ptx_inst *i)
{
	return (nsu_access_bytes(i) + 3) / 4;
}

uint32_t nsu_reg_bits(const struct ptx_func *f, uint32_t reg)
{
	if (f->regs[reg].type == PTX_PRED)
		return 1;
	return ptx_type_bytes(f->regs[reg].type) == 8 ? 64 : 32;
}

/* ---- all of them ---- */

const uint64_t *nsu_live_after(const struct nsu_facts *f, uint32_t k)
{
	const uint32_t b = f->cfg->block_of[k];

	if (k == f->cfg->blocks[b].last)
		return f->cfg->live_out + (size_t)b * f->cfg->live_words;
	return f->live_before + (size_t)(k + 1) * f->cfg->live_words;
}

/* What flows into the addresses of loads and stores, from anywhere in the function. */
static void find_derived(struct nsu_facts *f)
{
	GPtrArray **defs = find_defs(f);

	find_indirect(f, defs);
	for (uint32_t k = 0; k < f->func->inst_count; k++) {
		const bool is_access = f->class_of[k] == NSU_CLASS_LOAD || f->class_of[k] == NSU_CLASS_STORE;

		f->origin[k] = is_access ? nsu_origin_of(f, defs, k) : NSU_NO_ORIGIN;
	}
	for (uint32_t r = 0; r < f->func->reg_count; r++)
		if (defs[r])
			g_ptr_array_free(defs[r], TRUE);
	g_free(defs);
}

struct nsu_facts *nsu_facts_new(const struct ptx_cfg *cfg, const struct nsu_code_params *p)
{
	const struct ptx_func *fn = cfg->func;
	struct nsu_facts *f = g_new0(struct nsu_facts, 1);

	f->cfg = cfg;
	f->func = fn;
	f->class_of = g_new0(uint8_t, fn->inst_count + 1);
	f->uses = g_new0(struct ptx_reg_use, fn->inst_count + 1);
	f->first_read = g_new0(uint32_t, fn->inst_count + 1);
	f->live_before = g_new0(uint64_t, (size_t)(fn->inst_count + 1) * cfg->live_words + 1);
	f->is_indirect = g_new0(bool, fn->inst_count + 1);
	f->origin = g_new(uint16_t, fn->inst_count + 1);
	for (uint32_t k = 0; k < fn->inst_count; k++) {
		ptx_inst_regs(&fn->insts[k], &f->uses[k]);
		f->class_of[k] = (uint8_t)class_of(fn, &fn->insts[k], &f->uses[k], p);
	}
	for (uint32_t b = 0; b < cfg->block_count; b++)
		ptx_live_block(cfg, b, f->live_before + (size_t)cfg->blocks[b].first * cfg->live_words);
	find_reads(f);
	find_derived(f);
	return f;
}

void nsu_facts_free(struct nsu_facts *f)
{
	g_free(f->class_of);
	g_free(f->uses);
	g_free(f->reads);
	g_free(f->first_read);
	g_free(f->live_before);
	g_free(f->is_indirect);
	g_free(f->origin);
	g_free(f);
}
