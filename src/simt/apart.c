/* apart.c - finds launches whose CTAs cannot tell in which order they run: see apart.h.
 *
 * What a register holds is found from the one instruction that writes it. Forms are sums over whole numbers: where one
 * could leave its register's range, nothing is known of it.
 */
#include "simt/apart.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/cfg.h"
#include "simt/build.h"
#include "simt/state.h"

enum { DIMS = 6, CTA_DIMS = 3, DEPTH_MAX = 64 };

/* base + sum of each[k] * n[k]; n: %ctaid.x, .y, .z, %tid.x, .y, .z. */
struct form {
	bool is_known;
	int64_t base, each[DIMS];
};

enum progress { PROGRESS_NONE, PROGRESS_FINDING, PROGRESS_FOUND };

struct finder {
	const struct simt_launch *l;
	const struct ptx_func *f;
	uint32_t *writer; /* [reg_count]: pc of the one that writes it + 1; 0: nobody, UINT32_MAX: several */
	struct form *forms;
	uint8_t *progress; /* [reg_count]: enum progress */
	uint32_t depth;
};

/* An access of global memory whose address is known. */
struct known {
	struct form at;
	int64_t low, high; /* the first and the last byte that it may touch */
	uint32_t bytes;
	bool is_store;
};

static int64_t count_of(const struct simt_launch *l, uint32_t dim)
{
	return dim < CTA_DIMS ? l->grid[dim] : l->block[dim - CTA_DIMS];
}

/* ---- sums ---- */

/* *sum += a * b. False: it is too large. */
static bool add_product(int64_t *sum, int64_t a, int64_t b)
{
	int64_t product;

	return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static bool bounds_of(const struct simt_launch *l, const struct form *f, int64_t *low, int64_t *high)
{
	*low = *high = f->base;
	for (uint32_t k = 0; k < DIMS; k++)
		if (!add_product(f->each[k] < 0 ? low : high, f->each[k], count_of(l, k) - 1))
			return false;
	return true;
}

static const struct form unknown;

static struct form constant(int64_t value)
{
	return (struct form){.is_known = true, .base = value};
}

/* a * times + b */
static struct form sum(const struct form *a, int64_t times, const struct form *b)
{
	struct form s = *b;

	if (!a->is_known || !b->is_known || !add_product(&s.base, a->base, times))
		return unknown;
	for (uint32_t k = 0; k < DIMS; k++)
		if (!add_product(&s.each[k], a->each[k], times))
			return unknown;
	return s;
}

static bool is_constant(const struct form *f)
{
	for (uint32_t k = 0; k < DIMS; k++)
		if (f->each[k])
			return false;
	return f->is_known;
}

static struct form product(const struct form *a, const struct form *b)
{
	const struct form none = constant(0);

	if (is_constant(b))
		return sum(a, b->base, &none);
	return is_constant(a) ? sum(b, a->base, &none) : unknown;
}

/* ---- what registers hold ---- */

static bool is_whole(enum ptx_type type)
{
	return type == PTX_U32 || type == PTX_S32 || type == PTX_B32 || type == PTX_U64 || type == PTX_S64 ||
	       type == PTX_B64;
}

/* The number is the same whether its bits are signed or not. */
static struct form in_range(const struct finder *s, struct form f, enum ptx_type type)
{
	const int64_t most = ptx_type_bytes(type) == 8 ? INT64_MAX / 2 : INT32_MAX;
	int64_t low, high;

	if (!f.is_known || !is_whole(type) || !bounds_of(s->l, &f, &low, &high) || low < 0 || high > most)
		return unknown;
	return f;
}

static struct form of_register(struct finder *s, uint32_t reader, uint32_t reg);

static struct form of_special(const struct finder *s, const struct ptx_operand *o)
{
	struct form f = constant(0);
	const uint32_t k = o->component - 1u;

	if (k >= 3)
		return unknown;
	switch (o->sreg) {
	case PTX_SREG_TID:
		f.each[CTA_DIMS + k] = 1;
		return f;
	case PTX_SREG_CTAID:
		f.each[k] = 1;
		return f;
	case PTX_SREG_NTID:
		return constant(s->l->block[k]);
	case PTX_SREG_NCTAID:
		return constant(s->l->grid[k]);
	default:
		return unknown;
	}
}

static struct form of_variable(const struct finder *s, const struct ptx_operand *o)
{
	const uint64_t addr =
	    o->var->space == PTX_GLOBAL ? simt_module_var_addr(simt_program_of(s->l)->module, o->var) : 0;

	return addr ? constant((int64_t)addr + o->offset) : unknown;
}

static struct form of_operand(struct finder *s, uint32_t reader, const struct ptx_operand *o)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		return o->negate || o->component ? unknown : of_register(s, reader, o->reg);
	case PTX_OPND_IMM:
		return o->is_float_literal ? unknown : constant((int64_t)o->imm);
	case PTX_OPND_SREG:
		return of_special(s, o);
	case PTX_OPND_VAR:
		return o->var ? of_variable(s, o) : unknown;
	default:
		return unknown;
	}
}

static struct form of_param(const struct finder *s, const struct simt_exec *e)
{
	const struct simt_mem_op *op = e->mem;
	uint64_t value = 0;

	if (op->addr.bytes || op->vec != 1 || op->offset < 0 || (op->bytes != 4 && op->bytes != 8) ||
	    (uint64_t)op->offset + op->bytes > s->l->program->param_bytes)
		return unknown;
	memcpy(&value, (const uint8_t *)(uintptr_t)s->l->state->param_addr + op->offset, op->bytes);
	return op->bytes == 4 && value > INT32_MAX ? unknown : constant((int64_t)value);
}

static struct form of_mad(struct finder *s, uint32_t pc)
{
	const struct ptx_inst *i = &s->f->insts[pc];
	const struct form a = of_operand(s, pc, &i->src[0]), b = of_operand(s, pc, &i->src[1]);
	const struct form c = i->op == PTX_OP_MAD ? of_operand(s, pc, &i->src[2]) : constant(0), p = product(&a, &b);
	const struct form as[2] = {in_range(s, a, PTX_U32), in_range(s, b, PTX_U32)};

	if (i->mods.part == PTX_LO_HALF || (i->mods.part == PTX_WIDE && as[0].is_known && as[1].is_known))
		return sum(&p, 1, &c);
	return unknown;
}

static struct form of_shift(struct finder *s, uint32_t pc)
{
	const struct ptx_inst *i = &s->f->insts[pc];
	const struct form a = of_operand(s, pc, &i->src[0]), by = of_operand(s, pc, &i->src[1]), none = constant(0);

	return is_constant(&by) && by.base >= 0 && by.base < 32 ? sum(&a, (int64_t)1 << by.base, &none) : unknown;
}

static struct form of_instruction(struct finder *s, uint32_t pc)
{
	const struct ptx_inst *i = &s->f->insts[pc];
	const struct simt_exec *e = &simt_program_of(s->l)->execs[pc];
	struct form a, b;

	if (i->has_guard || i->mods.sat || i->mods.cc || e->aux_kind == SIMT_AUX_CARRY)
		return unknown;
	if (e->run == simt_run_load_param)
		return of_param(s, e);
	if (!is_whole(i->type) && i->op != PTX_OP_CVTA)
		return unknown;
	switch (i->op) {
	case PTX_OP_MOV:
		return of_operand(s, pc, &i->src[0]);
	case PTX_OP_CVT: /* registers may be wider than what it reads and gives */
		a = of_operand(s, pc, &i->src[0]);
		return in_range(s, in_range(s, a, i->type2), i->type);
	case PTX_OP_CVTA:
		a = of_operand(s, pc, &i->src[0]);
		b = constant((int64_t)e->imm);
		return e->run == simt_run_cvta && !e->aux ? sum(&a, 1, &b) : e->run == simt_run_mov ? a : unknown;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		a = of_operand(s, pc, &i->src[0]);
		b = of_operand(s, pc, &i->src[1]);
		return sum(&b, i->op == PTX_OP_SUB ? -1 : 1, &a);
	case PTX_OP_MUL:
	case PTX_OP_MAD:
		return of_mad(s, pc);
	case PTX_OP_SHL:
		return of_shift(s, pc);
	default:
		return unknown;
	}
}

/* The one instruction that writes a register, if whoever reads it comes from there. False: there is none such. */
static bool find_writer(const struct finder *s, uint32_t reader, uint32_t reg, uint32_t *pc)
{
	const struct ptx_cfg *cfg = s->l->program->entry_cfg;
	const uint32_t writer = s->writer[reg];

	if (!writer || writer == UINT32_MAX)
		return false;
	*pc = writer - 1;
	/* Else it is one of several that the instruction writes. */
	if (s->f->insts[*pc].dst.kind != PTX_OPND_REG || s->f->insts[*pc].dst.reg != reg)
		return false;
	if (cfg->block_of[*pc] == cfg->block_of[reader])
		return *pc < reader;
	return ptx_dominates(cfg, cfg->block_of[*pc], cfg->block_of[reader]);
}

static struct form of_register(struct finder *s, uint32_t reader, uint32_t reg)
{
	uint32_t pc;

	if (!find_writer(s, reader, reg, &pc))
		return unknown;
	if (s->progress[reg] == PROGRESS_FOUND)
		return s->forms[reg];
	if (s->progress[reg] == PROGRESS_FINDING || s->depth == DEPTH_MAX)
		return unknown;
	s->progress[reg] = PROGRESS_FINDING;
	s->depth++;

	const struct form f = of_instruction(s, pc);

	s->depth--;
	s->forms[reg] = in_range(s, f, s->f->regs[reg].type);
	s->progress[reg] = PROGRESS_FOUND;
	return s->forms[reg];
}

static void finder_begin(struct finder *s, const struct simt_launch *l)
{
	struct ptx_reg_use use;

	*s = (struct finder){.l = l, .f = l->program->entry};
	s->writer = calloc(s->f->reg_count + 1, sizeof(*s->writer));
	s->forms = calloc(s->f->reg_count + 1, sizeof(*s->forms));
	s->progress = calloc(s->f->reg_count + 1, sizeof(*s->progress));
	CHECK(s->writer && s->forms && s->progress);
	for (uint32_t pc = 0; pc < s->f->inst_count; pc++) {
		ptx_inst_regs(&s->f->insts[pc], &use);
		for (uint32_t w = 0; w < use.write_count; w++)
			s->writer[use.writes[w]] = s->writer[use.writes[w]] ? UINT32_MAX : pc + 1;
	}
}

static void finder_end(struct finder *s)
{
	free(s->writer);
	free(s->forms);
	free(s->progress);
}

/* ---- bounds that a branch gives ---- */

/* Does control come into [from, to) from nowhere but pc from - 1? */
static bool is_entered_from_above(const struct ptx_func *f, uint32_t from, uint32_t to)
{
	for (uint32_t pc = 0; pc < f->inst_count; pc++) {
		const struct ptx_inst *i = &f->insts[pc];

		if (i->op == PTX_OP_BRX)
			return false;
		if (i->op == PTX_OP_BRA && i->src[0].label >= from && i->src[0].label < to && (pc < from || pc >= to))
			return false;
	}
	return true;
}

/* The branch at pc leaves out what follows where a form is not below a bound: the form, and its greatest number there.
 */
static bool is_bound(struct finder *s, uint32_t pc, struct form *f, int64_t *most)
{
	const struct ptx_inst *i = &s->f->insts[pc], *test;
	struct form limit;
	uint32_t writer;

	if (i->op != PTX_OP_BRA || !i->has_guard || i->guard_negate || i->src[0].label <= pc)
		return false;
	if (!find_writer(s, pc, i->guard_reg, &writer))
		return false;
	test = &s->f->insts[writer];
	if (test->op != PTX_OP_SETP || test->has_guard || test->mods.boolop != PTX_BOOL_NONE ||
	    (test->type != PTX_U32 && test->type != PTX_S32) || (test->mods.cmp != PTX_GE && test->mods.cmp != PTX_GT))
		return false;
	*f = of_operand(s, writer, &test->src[0]);
	limit = of_operand(s, writer, &test->src[1]);
	if (!f->is_known || !is_constant(&limit) || limit.base < 0 || limit.base > INT32_MAX)
		return false;
	*most = test->mods.cmp == PTX_GE ? limit.base - 1 : limit.base;
	return true;
}

/* The greatest address is bound by that of a form of which it is a multiple. */
static void bind(struct known *k, const struct form *by, int64_t most)
{
	int64_t times = 0, high;

	for (uint32_t d = 0; d < DIMS && !times; d++)
		times = by->each[d] ? k->at.each[d] / by->each[d] : 0;
	if (times <= 0)
		return;
	for (uint32_t d = 0; d < DIMS; d++) {
		int64_t rest = k->at.each[d];

		if (!add_product(&rest, by->each[d], -times) || rest)
			return;
	}
	high = k->at.base + (int64_t)k->bytes - 1;
	if (!add_product(&high, by->base, -times) || !add_product(&high, most, times))
		return;
	k->high = high < k->high ? high : k->high;
}

static void bind_by_branches(struct finder *s, uint32_t pc, struct known *k)
{
	for (uint32_t b = 0; b < pc; b++) {
		struct form by;
		int64_t most;

		if (is_bound(s, b, &by, &most) && s->f->insts[b].src[0].label > pc &&
		    is_entered_from_above(s->f, b + 1, s->f->insts[b].src[0].label))
			bind(k, &by, most);
	}
}

/* ---- accesses ---- */

static bool is_global(const struct simt_mem_op *op)
{
	return op->area == SIMT_AREA_GLOBAL || op->area == SIMT_AREA_GENERIC;
}

static bool find_known(struct finder *s, uint32_t pc, struct known *k)
{
	const struct simt_exec *e = &simt_program_of(s->l)->execs[pc];
	const struct simt_mem_op *op = e->mem;
	const struct ptx_operand *o = &s->f->insts[pc].src[0];
	struct form base = constant(0), offset = constant(op->offset);

	if (op->is_frame_local || op->addr.bytes == 4)
		return false;
	if (op->addr.bytes)
		base = o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_REG ? of_register(s, pc, o->reg) : unknown;
	*k = (struct known){.at = sum(&base, 1, &offset), .bytes = op->align, .is_store = e->run == simt_run_store};
	if (!k->at.is_known || !bounds_of(s->l, &k->at, &k->low, &k->high) || k->low < 0 || k->high > INT64_MAX / 2)
		return false;
	k->high += op->align - 1;
	bind_by_branches(s, pc, k);
	return true;
}

/* May CTAs run any instruction but loads and stores of global memory in any order? */
static bool is_free(const struct simt_launch *l, uint32_t pc)
{
	const struct simt_program_priv *p = simt_program_of(l);
	const struct simt_inst *i = &p->insts[pc];

	if (i->flags & (SIMT_SPILL | SIMT_COPY | SIMT_COPY_WAIT) || p->execs[pc].ptx->op == PTX_OP_CALL)
		return false;
	return !(i->flags & SIMT_OUTSIDE) || i->flags & SIMT_EXIT;
}

static bool is_access(const struct simt_exec *e)
{
	return (e->run == simt_run_load || e->run == simt_run_store) && is_global(e->mem);
}

static bool program_is_free(const struct simt_launch *l)
{
	const struct simt_program_priv *p = simt_program_of(l);

	if (l->is_cooperative || l->state->check_grid || l->state->local_warp_bytes || p->has_clock ||
	    p->pub.inst_count != p->pub.entry->inst_count || simt_memory_tolerates_pages(l->mem) ||
	    simt_program_may_wait(l->program))
		return false;
	for (uint32_t pc = 0; pc < p->pub.inst_count; pc++)
		if (!is_access(&p->execs[pc]) && !is_free(l, pc))
			return false;
	return true;
}

/* ---- are they apart? ---- */

/* Numbers of dimensions that have more than one, by what each step moves, least first. */
static uint32_t dims_in_order(const struct simt_launch *l, const struct form *f, uint32_t *dims)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < DIMS; k++) {
		uint32_t at = count;

		if (count_of(l, k) < 2)
			continue;
		for (; at && f->each[dims[at - 1]] > f->each[k]; at--)
			dims[at] = dims[at - 1];
		dims[at] = k;
		count++;
	}
	return count;
}

/* Can threads of different CTAs touch one byte by a and b? Their addresses differ by a sum over dimensions. Let the
 * greatest step of those in which the threads differ be taken: if it is more than all smaller ones can take back, and
 * what the two accesses differ in besides, they do not meet. */
static bool never_meet(const struct simt_launch *l, const struct known *a, const struct known *b)
{
	uint32_t dims[DIMS];
	int64_t reach = a->at.base > b->at.base ? a->at.base - b->at.base : b->at.base - a->at.base;
	bool differ = false;

	if (a->high < b->low || b->high < a->low)
		return true;
	if (memcmp(a->at.each, b->at.each, sizeof(a->at.each)) != 0)
		return false;
	reach += (int64_t)(a->bytes > b->bytes ? a->bytes : b->bytes) - 1;

	const uint32_t count = dims_in_order(l, &a->at, dims);

	for (uint32_t i = 0; i < count; i++) {
		const int64_t each = a->at.each[dims[i]];

		differ |= dims[i] < CTA_DIMS;
		if (each < 0 || (differ && each <= reach) || !add_product(&reach, each, count_of(l, dims[i]) - 1))
			return false;
	}
	return true;
}

/* The bytes of a store lie in the device's memory, each at one address only. */
static bool is_in_device(const struct simt_launch *l, const struct simt_hull *h)
{
	const struct simt_alloc *a;
	bool is_any = false;

	for (uint32_t i = 0; (a = simt_memory_entry(l->mem, i)); i++) {
		if (!a->is_live || a->addr >= h->to || a->addr + a->size_bytes <= h->from)
			continue;
		if (a->kind != SIMT_ALLOC_DEVICE && a->kind != SIMT_ALLOC_MODULE)
			return false;
		is_any = true;
	}
	return is_any;
}

static bool add_hull(struct simt_apart *a, const struct simt_launch *l, const struct known *k)
{
	const struct simt_hull h = {(uint64_t)k->low, (uint64_t)k->high + 1};

	for (uint32_t i = 0; i < a->hull_count; i++)
		if (a->hulls[i].from == h.from && a->hulls[i].to == h.to)
			return true;
	if (a->hull_count == SIMT_APART_STORES || h.from >= h.to || !is_in_device(l, &h))
		return false;
	a->hulls[a->hull_count++] = h;
	a->hull_bytes += h.to - h.from;
	return true;
}

static bool meets_hull(const struct simt_apart *a, const struct known *k)
{
	for (uint32_t i = 0; i < a->hull_count; i++)
		if ((uint64_t)k->low < a->hulls[i].to && (uint64_t)k->high >= a->hulls[i].from)
			return true;
	return false;
}

static bool compare_all(const struct simt_launch *l, const struct known *all, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = i; k < count; k++)
			if ((all[i].is_store || all[k].is_store) && !never_meet(l, &all[i], &all[k]))
				return false;
	return true;
}

/* Loads and stores of global memory: known ones are compared with each other, others are watched, if they are loads. */
static bool find_accesses(struct finder *s, struct simt_apart *a, struct known *all)
{
	const struct simt_program_priv *p = simt_program_of(s->l);
	uint32_t count = 0, kept = 0;

	for (uint32_t pc = 0; pc < p->pub.inst_count; pc++) {
		struct known *k = &all[count];

		a->needs_copies |= p->execs[pc].run == simt_run_bra && p->execs[pc].branch->target <= pc;
		a->needs_copies |= p->execs[pc].run == simt_run_brx;
		if (!is_access(&p->execs[pc]))
			continue;
		if (find_known(s, pc, k)) {
			if (k->is_store && !add_hull(a, s->l, k))
				return false;
			count++;
		} else if (p->execs[pc].run == simt_run_store) {
			return false;
		} else {
			a->is_watched[pc] = true;
			a->needs_copies = true;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (all[i].is_store || meets_hull(a, &all[i]))
			all[kept++] = all[i];
	return compare_all(s->l, all, kept);
}

bool simt_apart_find(struct simt_apart *a, const struct simt_launch *l)
{
	struct finder s = {.l = l};
	struct known *all;
	bool ok;

	*a = (struct simt_apart){.hull_count = 0};
	if (!program_is_free(l))
		return false;
	all = calloc(l->program->inst_count + 1, sizeof(*all));
	a->is_watched = calloc(l->program->inst_count + 1, sizeof(*a->is_watched));
	CHECK(all && a->is_watched);
	finder_begin(&s, l);
	ok = find_accesses(&s, a, all);
	finder_end(&s);
	free(all);
	if (!ok)
		simt_apart_free(a);
	return ok;
}

void simt_apart_free(struct simt_apart *a)
{
	free(a->is_watched);
	*a = (struct simt_apart){.hull_count = 0};
}
