/* program.c - builds a program: which functions it needs, where their code, constants and memory lie. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/tables.h"
#include "simt/build.h"
#include "simt/state.h"

struct owned {
	struct owned *next;
	_Alignas(16) uint8_t bytes[];
};

void *simt_own(struct simt_program_priv *p, size_t bytes)
{
	struct owned *o = calloc(1, sizeof(*o) + bytes);

	CHECK(o);
	o->next = p->owned;
	p->owned = o;
	return o->bytes;
}

void simt_owned_free(struct simt_program_priv *p)
{
	for (struct owned *o = p->owned, *next; o; o = next) {
		next = o->next;
		free(o);
	}
	p->owned = NULL;
}

static void *grow(void *at, uint32_t *cap, uint32_t need, size_t size)
{
	if (need <= *cap)
		return at;
	*cap = *cap * 2 > need ? *cap * 2 : need + 16;
	at = realloc(at, *cap * size);
	CHECK(at);
	return at;
}

void simt_build_error(struct simt_build *b, const char *fmt, ...)
{
	char text[384];
	va_list ap;

	if (b->failed)
		return;
	b->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	base_diag_error(b->diag, (struct base_place){b->m->ptx->name, b->i->line, b->i->col}, "kernel %s: %s: %s",
			b->p->pub.name, b->i->text ? b->i->text : ptx_op_name(b->i->op), text);
}

/* ---- functions ---- */

static enum simt_builtin builtin_named(const char *name)
{
	static const struct {
		const char *name;
		enum simt_builtin builtin;
	} names[] = {
	    {"vprintf", SIMT_BUILTIN_VPRINTF},
	    {"malloc", SIMT_BUILTIN_MALLOC},
	    {"free", SIMT_BUILTIN_FREE},
	    {"__assertfail", SIMT_BUILTIN_ASSERTFAIL},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		if (!strcmp(name, names[i].name))
			return names[i].builtin;
	return simt_child_builtin(name);
}

static enum simt_builtin builtin_of(const struct ptx_func *f)
{
	return f->has_body ? SIMT_BUILTIN_NONE : builtin_named(f->name);
}

bool simt_builtin_is(const char *name)
{
	return builtin_named(name) != SIMT_BUILTIN_NONE;
}

/* The definition behind a declaration, if there is one. */
static const struct ptx_func *definition(const struct simt_build *b, const struct ptx_func *f)
{
	f = simt_func_unaliased(f);
	if (f->has_body)
		return f;
	const struct ptx_func *d = ptx_module_func(b->m->ptx, f->name);

	return d ? d : f;
}

/* Libraries (CUB, libcu++) choose bulk copies and what comes with them by the architecture they are compiled for. */
static const char *hint_of(const struct ptx_module *m, const struct ptx_func *f)
{
	unsigned target;

	if (f->has_clusters || !m->target || sscanf(m->target, "sm_%3u", &target) != 1 || target < 90)
		return "";
	return "; where a library chose this, compile for compute_80";
}

static void add_func(struct simt_build *b, const struct ptx_func *ptx, const struct ptx_inst *from)
{
	struct simt_program_priv *p = b->p;
	const struct ptx_func *f = definition(b, ptx);

	if (p->func_of_index[f->index]) {
		p->func_of_index[ptx->index] = p->func_of_index[f->index];
		return;
	}
	enum simt_builtin builtin = builtin_of(f);
	struct base_place at = {b->m->ptx->name, from ? from->line : f->line, from ? from->col : 0};

	if (!f->has_body && !builtin) {
		base_diag_error(b->diag, at, "kernel %s calls %s, which is declared but not defined in the module",
				p->pub.name, f->name);
		return;
	}
	if (builtin == SIMT_BUILTIN_DEVICE_RUNTIME) {
		if (!b->is_refused_device_runtime)
			base_diag_error(b->diag, at,
					"kernel %s asks the device runtime for what is not supported: it calls %s",
					p->pub.name, f->name);
		b->is_refused_device_runtime = true;
		return;
	}
	if (f->unsupported) {
		at.line = f->unsupported_line;
		at.col = 0;
		base_diag_error(b->diag, at, "kernel %s cannot run: %s%s", p->pub.name, f->unsupported,
				hint_of(b->m->ptx, f));
		return;
	}
	p->funcs = grow(p->funcs, &b->func_cap, p->func_count + 1, sizeof(*p->funcs));
	struct simt_program_func *pf = &p->funcs[p->func_count++];

	*pf = (struct simt_program_func){.ptx = f, .builtin = builtin};
	p->func_of_index[f->index] = p->func_of_index[ptx->index] = p->func_count;
}

static void add_taken(struct simt_build *b, const struct ptx_operand *o)
{
	/* A kernel's address is for launching it, not for calling it. */
	if (o->kind == PTX_OPND_FUNC && !o->func->is_entry)
		add_func(b, o->func, NULL);
	for (uint32_t i = 0; i < o->elem_count; i++)
		add_taken(b, &o->elems[i]);
}

static void add_callees(struct simt_build *b, const struct ptx_func *f)
{
	for (uint32_t k = 0; k < f->inst_count; k++) {
		const struct ptx_inst *i = &f->insts[k];

		if (i->op == PTX_OP_CALL && i->src[0].kind == PTX_OPND_FUNC)
			add_func(b, i->src[0].func, i);
		else if (i->op == PTX_OP_CALL)
			b->has_indirect = true;
		else
			for (uint32_t s = 0; s < i->src_count; s++)
				add_taken(b, &i->src[s]);
	}
}

/* A call through a pointer can reach every function whose address a variable holds, whether this kernel names the
 * variable or not: another kernel may have made an object with that table, the host may have read the pointer. */
static void add_address_taken(struct simt_build *b)
{
	const struct ptx_module *ptx = b->m->ptx;

	for (uint32_t v = 0; v < ptx->var_count; v++)
		for (uint32_t r = 0; r < ptx->vars[v]->reloc_count; r++) {
			const struct ptx_func *f = ptx->vars[v]->relocs[r].func;

			if (f && !f->is_entry && (definition(b, f)->has_body || builtin_of(f)))
				add_func(b, f, NULL);
		}
}

static void find_functions(struct simt_build *b, const struct ptx_func *entry)
{
	bool taken = false;

	add_func(b, entry, NULL);
	for (uint32_t i = 0; i < b->p->func_count; i++) {
		if (!b->p->funcs[i].builtin)
			add_callees(b, b->p->funcs[i].ptx);
		if (i + 1 == b->p->func_count && b->has_indirect && !taken) {
			taken = true;
			add_address_taken(b);
		}
	}
}

/* ---- shared and local variables ---- */

static void place_var(struct simt_build *b, const struct ptx_var *v)
{
	if (v->owner || (v->space != PTX_SHARED && v->space != PTX_LOCAL) || v->is_unsized)
		return;
	for (uint32_t i = 0; i < b->placed_count; i++)
		if (b->placed[i].var == v)
			return;
	uint64_t *end = v->space == PTX_SHARED ? &b->shared_bytes : &b->local_bytes;
	uint64_t align = v->align_bytes ? v->align_bytes : 1;

	*end = (*end + align - 1) & ~(align - 1);
	b->placed = grow(b->placed, &b->placed_cap, b->placed_count + 1, sizeof(*b->placed));
	b->placed[b->placed_count++] = (struct simt_placed_var){v, *end};
	*end += v->size_bytes;
}

static void place_operand(struct simt_build *b, const struct ptx_operand *o)
{
	if (o->var)
		place_var(b, o->var);
	for (uint32_t i = 0; i < o->elem_count; i++)
		place_operand(b, &o->elems[i]);
}

static void align_local(struct simt_build *b, const struct ptx_var *v)
{
	if (v->space == PTX_LOCAL && v->align_bytes > b->local_align)
		b->local_align = v->align_bytes;
}

static void find_local_align(struct simt_build *b)
{
	const struct ptx_module *m = b->m->ptx;

	b->local_align = 16;
	for (uint32_t i = 0; i < m->var_count; i++)
		align_local(b, m->vars[i]);
	for (uint32_t n = 0; n < b->p->func_count; n++)
		for (uint32_t i = 0; !b->p->funcs[n].builtin && i < b->p->funcs[n].ptx->local_count; i++)
			align_local(b, b->p->funcs[n].ptx->locals[i]);
}

static bool names_reserved(const struct ptx_func *f)
{
	for (uint32_t k = 0; k < f->inst_count; k++)
		for (uint32_t s = 0; s < f->insts[k].src_count; s++) {
			const struct ptx_operand *o = &f->insts[k].src[s];

			if (o->kind == PTX_OPND_SREG && o->sreg >= PTX_SREG_RESERVED_SMEM_BEGIN &&
			    o->sreg <= PTX_SREG_RESERVED_SMEM_1)
				return true;
		}
	return false;
}

static void lay_out_memory(struct simt_build *b)
{
	for (uint32_t n = 0; n < b->p->func_count; n++)
		if (names_reserved(b->p->funcs[n].ptx))
			b->shared_bytes = b->p->shared_reserved_bytes = SIMT_RESERVED_SHARED_BYTES;
	for (uint32_t n = 0; n < b->p->func_count; n++) {
		struct simt_program_func *f = &b->p->funcs[n];

		if (f->builtin)
			continue;
		b->shared_bytes = (b->shared_bytes + 127) & ~127ull;
		f->shared_base = b->shared_bytes;
		b->shared_bytes += f->ptx->static_shared_bytes;
		for (uint32_t k = 0; k < f->ptx->inst_count; k++)
			for (uint32_t s = 0; s < f->ptx->insts[k].src_count; s++)
				place_operand(b, &f->ptx->insts[k].src[s]);
	}
	/* Dynamic shared memory begins behind the static part. */
	b->shared_bytes = (b->shared_bytes + 15) & ~15ull;
	b->p->pub.shared_static_bytes = b->shared_bytes;
	b->p->pub.local_bytes_per_thread += simt_local_aligned(b, b->local_bytes);
	if (b->p->is_recursive)
		b->p->pub.local_bytes_per_thread += simt_local_aligned(b, SIMT_RECURSION_BYTES);
	/* The stack grows down, as on hardware: the entry function's frame lies above those of its callees. */
	b->p->local_fixed = SIMT_LOCAL_BASE + b->p->pub.local_bytes_per_thread - simt_local_aligned(b, b->local_bytes);
	b->p->local_entry = b->p->local_fixed - b->p->funcs[0].local_bytes;
}

bool simt_is_frame_local(const struct simt_build *b, const struct ptx_var *v)
{
	return v->space == PTX_LOCAL && v->owner && b->func_index != 0;
}

uint64_t simt_var_offset(struct simt_build *b, const struct ptx_var *v)
{
	switch (v->space) {
	case PTX_SHARED:
		if (v->is_unsized)
			return b->p->pub.shared_static_bytes;
		if (v->owner)
			return b->f->shared_base + v->offset_bytes;
		break;
	case PTX_LOCAL:
		if (v->owner)
			return v->offset_bytes + (b->func_index ? 0 : b->p->local_entry);
		break;
	case PTX_PARAM_ENTRY:
	case PTX_PARAM_CALL:
		return v->offset_bytes;
	default: {
		uint64_t addr = simt_module_var_addr(b->m, v);

		if (!addr)
			simt_build_error(b, "variable %s is declared .extern and not defined in the module", v->name);
		return addr;
	}
	}
	for (uint32_t i = 0; i < b->placed_count; i++)
		if (b->placed[i].var == v)
			return b->placed[i].offset + (v->space == PTX_LOCAL ? b->p->local_fixed : 0);
	UNREACHABLE("every shared and local variable in an operand was placed");
}

/* ---- rows ---- */

static struct simt_ref new_const_row(struct simt_build *b, const void *row, uint32_t bytes)
{
	struct simt_program_priv *p = b->p;
	uint32_t size = bytes * SIMT_LANES, at;

	for (at = 0; at + size <= p->rows_bytes; at += SIMT_ROW_BYTES)
		if (!memcmp(p->rows + at, row, size))
			return (struct simt_ref){at, SIMT_BASE_CONST, (uint8_t)bytes};
	p->rows = grow(p->rows, &b->rows_cap, p->rows_bytes + size, 1);
	at = p->rows_bytes;
	memcpy(p->rows + at, row, size);
	p->rows_bytes += size;
	return (struct simt_ref){at, SIMT_BASE_CONST, (uint8_t)bytes};
}

struct simt_ref simt_const_row(struct simt_build *b, uint64_t value, uint32_t bytes)
{
	uint64_t row[SIMT_LANES];

	bytes = bytes == 8 ? 8 : 4;
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		simt_lane_set(row, bytes, i, value);
	return new_const_row(b, row, bytes);
}

static uint32_t lanemask(enum ptx_sreg s, uint32_t lane)
{
	uint32_t eq = 1u << lane;

	switch (s) {
	case PTX_SREG_LANEMASK_EQ:
		return eq;
	case PTX_SREG_LANEMASK_LE:
		return eq | (eq - 1);
	case PTX_SREG_LANEMASK_LT:
		return eq - 1;
	case PTX_SREG_LANEMASK_GE:
		return ~(eq - 1);
	case PTX_SREG_LANEMASK_GT:
		return ~(eq | (eq - 1));
	default:
		return lane;
	}
}

static bool is_clock(enum ptx_sreg s)
{
	return s >= PTX_SREG_CLOCK && s <= PTX_SREG_GLOBALTIMER_HI;
}

static uint32_t sreg_bytes(enum ptx_sreg s)
{
	return ptx_type_bytes(ptx_sreg_type(s)) == 8 ? 8 : 4;
}

static struct simt_ref sreg_ref(struct simt_build *b, const struct ptx_operand *o)
{
	struct simt_program_priv *p = b->p;
	uint32_t bytes = sreg_bytes(o->sreg), component = o->component ? o->component : 1;

	if (o->sreg == PTX_SREG_WARP_SZ)
		return simt_const_row(b, SIMT_LANES, 4);
	if (o->sreg == PTX_SREG_LANEID || (o->sreg >= PTX_SREG_LANEMASK_EQ && o->sreg <= PTX_SREG_LANEMASK_GT)) {
		uint32_t row[SIMT_LANES];

		for (uint32_t i = 0; i < SIMT_LANES; i++)
			row[i] = lanemask(o->sreg, i);
		return new_const_row(b, row, 4);
	}
	if (o->sreg == PTX_SREG_ENVREG)
		component = (uint32_t)o->offset + 1;
	if (o->sreg == PTX_SREG_PM || o->sreg == PTX_SREG_PM64)
		component = 1;
	p->has_clock |= is_clock(o->sreg);
	for (uint32_t i = 0; i < p->sreg_count; i++)
		if (p->sregs[i].sreg == o->sreg && p->sregs[i].component == component)
			return (struct simt_ref){p->sregs[i].off, SIMT_BASE_SPECIAL, (uint8_t)bytes};
	p->sregs = grow(p->sregs, &b->sreg_cap, p->sreg_count + 1, sizeof(*p->sregs));
	p->sregs[p->sreg_count++] = (struct simt_sreg_use){
	    .sreg = (uint8_t)o->sreg,
	    .component = (uint8_t)component,
	    .is_of_place = simt_special_is_of_place((enum ptx_sreg)o->sreg),
	    .off = p->special_bytes,
	};
	struct simt_ref r = {p->special_bytes, SIMT_BASE_SPECIAL, (uint8_t)bytes};

	p->special_bytes += bytes * SIMT_LANES;
	return r;
}

enum ptx_type simt_reg_type(const struct simt_build *b, uint32_t reg)
{
	return b->f->ptx->regs[reg].type;
}

struct simt_ref simt_reg_ref(struct simt_build *b, uint32_t reg, uint32_t elem)
{
	uint32_t bytes = ptx_type_bytes(simt_reg_type(b, reg)) == 8 ? 8 : 4;

	return (struct simt_ref){(b->f->alloc->slot[reg] + elem * bytes / 4) * SIMT_ROW_BYTES, SIMT_BASE_FRAME,
				 (uint8_t)bytes};
}

struct simt_ref simt_operand_ref(struct simt_build *b, const struct ptx_operand *o, uint32_t bytes)
{
	switch (o->kind) {
	case PTX_OPND_NONE:
	case PTX_OPND_SINK:
		return (struct simt_ref){0};
	case PTX_OPND_REG:
		if (simt_reg_type(b, o->reg) == PTX_PRED)
			break;
		return simt_reg_ref(b, o->reg, o->component ? o->component - 1 : 0);
	case PTX_OPND_IMM:
		return simt_const_row(b, o->imm, bytes);
	case PTX_OPND_SREG:
		return sreg_ref(b, o);
	case PTX_OPND_FUNC:
		return simt_const_row(b, simt_func_addr(definition(b, o->func)), bytes);
	case PTX_OPND_VAR:
		if (!simt_is_frame_local(b, o->var))
			return simt_const_row(b, simt_var_offset(b, o->var) + (uint64_t)o->offset, bytes);
		break;
	default:
		break;
	}
	simt_build_error(b, "an operand of this kind is not supported here");
	return simt_const_row(b, 0, bytes);
}

bool simt_is_pred(const struct simt_build *b, const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_REG && simt_reg_type(b, o->reg) == PTX_PRED;
}

struct simt_pred_ref simt_pred_operand(struct simt_build *b, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG)
		return (struct simt_pred_ref){b->f->alloc->slot[o->reg], o->negate ? UINT32_MAX : 0};
	if (o->kind == PTX_OPND_SREG && o->sreg == PTX_SREG_IS_EXPLICIT_CLUSTER)
		return (struct simt_pred_ref){SIMT_NO_PRED, b->p->funcs[0].ptx->has_clusters ? UINT32_MAX : 0};
	if (o->kind != PTX_OPND_IMM)
		simt_build_error(b, "expected a predicate");
	return (struct simt_pred_ref){SIMT_NO_PRED, (o->imm != 0) != o->negate ? UINT32_MAX : 0};
}

uint32_t simt_pred_dst(struct simt_build *b, const struct ptx_operand *o)
{
	return simt_is_pred(b, o) ? b->f->alloc->slot[o->reg] : SIMT_NO_PRED;
}

/* ---- scoreboard ids ---- */

static void sb_reg(struct simt_build *b, uint32_t reg, uint8_t *count)
{
	const struct ptx_reg *r = &b->f->ptx->regs[reg];
	uint32_t first = b->f->alloc->slot[reg], n = 1;

	if (r->type == PTX_PRED)
		first += b->p->pub.sb_pred_first;
	else
		n = (ptx_type_bytes(r->type) == 8 ? 2u : 1u) * (r->vec ? r->vec : 1);
	for (uint32_t k = 0; k < n && *count < UINT8_MAX; k++, ++*count) {
		b->p->sb = grow(b->p->sb, &b->sb_cap, b->sb_count + 1, sizeof(*b->p->sb));
		b->p->sb[b->sb_count++] = (uint16_t)(first + k);
	}
}

static void list_scoreboard(struct simt_build *b, struct simt_inst *inst)
{
	struct ptx_reg_use use;

	ptx_inst_regs(b->i, &use);
	inst->sb_first = b->sb_count;
	for (uint32_t k = 0; k < use.read_count; k++)
		sb_reg(b, use.reads[k], &inst->read_count);
	for (uint32_t k = 0; k < use.write_count; k++)
		sb_reg(b, use.writes[k], &inst->write_count);
}

/* ---- code ---- */

static bool needs_ret(const struct ptx_func *f)
{
	const struct ptx_inst *last = f->inst_count ? &f->insts[f->inst_count - 1] : NULL;

	if (!last || last->has_guard || (last->op != PTX_OP_RET && last->op != PTX_OP_EXIT))
		return true;
	for (uint32_t k = 0; k < f->inst_count; k++) {
		const struct ptx_inst *i = &f->insts[k];

		if ((i->op == PTX_OP_BRA || i->op == PTX_OP_BRX) && i->src[0].kind == PTX_OPND_LABEL &&
		    i->src[0].label >= f->inst_count)
			return true;
	}
	return false;
}

static void lay_out_code(struct simt_build *b)
{
	uint32_t pc = 0;

	for (uint32_t n = 0; n < b->p->func_count; n++) {
		struct simt_program_func *f = &b->p->funcs[n];

		f->first_pc = pc;
		f->inst_count = f->builtin ? 0 : f->ptx->inst_count + needs_ret(f->ptx);
		pc += f->inst_count;
	}
	b->p->pub.inst_count = pc;
	b->p->insts = calloc(pc + 1, sizeof(*b->p->insts));
	b->p->execs = calloc(pc + 1, sizeof(*b->p->execs));
	CHECK(b->p->insts && b->p->execs);
}

static void decode_all(struct simt_build *b)
{
	static const struct ptx_inst implicit_ret = {.op = PTX_OP_RET, .text = "(end of function)"};

	for (uint32_t n = 0; n < b->p->func_count; n++) {
		b->f = &b->p->funcs[n];
		b->func_index = n;
		for (uint32_t k = 0; k < b->f->inst_count; k++) {
			b->pc = b->f->first_pc + k;
			b->i = k < b->f->ptx->inst_count ? &b->f->ptx->insts[k] : &implicit_ret;
			b->failed = false;
			struct simt_inst *inst = &b->p->insts[b->pc];

			inst->ptx = b->i;
			inst->line = b->i->line;
			inst->func = n;
			list_scoreboard(b, inst);
			simt_decode(b, inst, &b->p->execs[b->pc]);
		}
	}
}

void simt_rows_align(struct simt_program_priv *p)
{
	uint8_t *aligned = aligned_alloc(64, (p->rows_bytes + SIMT_ROW_BYTES) & ~63u);

	CHECK(aligned);
	if (p->rows_bytes)
		memcpy(aligned, p->rows, p->rows_bytes);
	free(p->rows);
	p->rows = aligned;
}

static bool is_shared_var(const struct ptx_operand *o)
{
	if (o->var && o->var->space == PTX_SHARED)
		return true;
	for (uint32_t i = 0; i < o->elem_count; i++)
		if (is_shared_var(&o->elems[i]))
			return true;
	return false;
}

static bool joins_threads(const struct ptx_inst *i)
{
	if (ptx_inst_is_barrier(i) || ptx_inst_is_warp_wide(i))
		return true;
	for (uint32_t s = 0; s < i->src_count; s++)
		if (is_shared_var(&i->src[s]))
			return true;
	return false;
}

static bool threads_communicate(const struct simt_program_priv *p)
{
	if (p->pub.shared_static_bytes)
		return true;
	for (uint32_t n = 0; n < p->func_count; n++)
		for (uint32_t k = 0; !p->funcs[n].builtin && k < p->funcs[n].ptx->inst_count; k++)
			if (joins_threads(&p->funcs[n].ptx->insts[k]))
				return true;
	return false;
}

static void publish(struct simt_build *b, const struct ptx_func *entry)
{
	struct simt_program *pub = &b->p->pub;
	const uint32_t *n = entry->reqntid[0] ? entry->reqntid : entry->maxntid;
	uint64_t threads = n[0] ? (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1) : UINT32_MAX;

	pub->entry = b->p->funcs[0].ptx; /* with spills */
	pub->insts = b->p->insts;
	pub->sb = b->p->sb;
	pub->param_bytes = entry->param_bytes;
	pub->max_threads_per_cta = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
	pub->threads_communicate = threads_communicate(b->p);
	pub->entry_cfg = b->p->funcs[0].cfg;
	pub->entry_alloc = b->p->funcs[0].alloc;
	simt_rows_align(b->p);
}

struct simt_program *simt_program_build(const struct simt_module *m, const char *entry, enum simt_isa isa,
					const struct simt_register_bounds *bounds, struct base_diag_list *diag)
{
	static const struct simt_register_bounds unbounded = {SIMT_REGISTER_MAX, SIMT_REGISTER_MAX};
	const struct ptx_func *f = ptx_module_func(m->ptx, entry);
	uint32_t errors = diag->error_count;

	if (!f || !f->is_entry || !f->has_body) {
		base_diag_error(diag, (struct base_place){m->ptx->name, 0, 0}, "no kernel named %s in the module",
				entry);
		return NULL;
	}
	struct simt_program_priv *p = calloc(1, sizeof(*p));
	struct simt_build b = {.p = p, .m = m, .isa = isa, .diag = diag};

	CHECK(p);
	p->module = m;
	p->isa = isa;
	simt_native_begin(p);
	p->pub.name = f->name;
	p->func_of_index = calloc(m->ptx->func_count + 1, sizeof(*p->func_of_index));
	CHECK(p->func_of_index);
	find_functions(&b, f);
	if (diag->error_count == errors) {
		find_local_align(&b);
		simt_registers_allocate(&b, bounds ? bounds : &unbounded);
		lay_out_memory(&b);
		lay_out_code(&b);
		decode_all(&b);
		simt_outside_mark(p);
		publish(&b, f);
	}
	free(b.placed);
	if (diag->error_count == errors)
		return &p->pub;
	simt_program_free(&p->pub);
	return NULL;
}

void simt_program_free(struct simt_program *pub)
{
	struct simt_program_priv *p = (struct simt_program_priv *)pub;

	if (!p)
		return;
	if (pub->guest_free)
		pub->guest_free(pub->guest_data);
	simt_native_end(p);
	simt_owned_free(p);
	for (uint32_t i = 0; i < p->func_count; i++) {
		if (p->funcs[i].alloc)
			ptx_alloc_free(p->funcs[i].alloc);
		if (p->funcs[i].cfg)
			ptx_cfg_free(p->funcs[i].cfg);
		ptx_spill_free(p->funcs[i].spill);
	}
	free(p->funcs);
	free(p->func_of_index);
	free(p->insts);
	free(p->execs);
	free(p->sb);
	free(p->rows);
	free(p->sregs);
	free(p);
}

void simt_program_mark(struct simt_program *pub, uint32_t pc, uint32_t value)
{
	struct simt_program_priv *p = (struct simt_program_priv *)pub;

	CHECK(pc < pub->inst_count);
	p->insts[pc].mark = value;
	if (value)
		p->insts[pc].flags |= SIMT_BLOCK_BEGIN;
	else
		p->insts[pc].flags &= ~(uint32_t)SIMT_BLOCK_BEGIN;
}
