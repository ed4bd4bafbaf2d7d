/* dag.c - what an operation of a block waits for, and Bottom-Up Greedy's choice of arrays (Ellis, Bulldog). */
#include "dc/compile/schedule.h"

#include <string.h>

static void edge(struct dcc_dag *d, uint32_t from, uint32_t to)
{
	GArray *preds = d->nodes[to].preds;

	if (from == UINT32_MAX || from == to)
		return;
	for (uint32_t k = preds->len; k-- > 0;)
		if (g_array_index(preds, uint32_t, k) == from)
			return;
	g_array_append_val(preds, from);
	g_array_append_val(d->nodes[from].succs, to);
}

/* The last writer and the readers since of each register and of each row of predicates. */
struct track {
	uint32_t writer;
	GArray *readers;
};

static void track_read(struct dcc_dag *d, struct track *t, uint32_t n)
{
	edge(d, t->writer, n);
	if (!t->readers)
		t->readers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	g_array_append_val(t->readers, n);
}

static void track_write(struct dcc_dag *d, struct track *t, uint32_t n)
{
	edge(d, t->writer, n);
	for (uint32_t k = 0; t->readers && k < t->readers->len; k++)
		edge(d, g_array_index(t->readers, uint32_t, k), n);
	if (t->readers)
		g_array_set_size(t->readers, 0);
	t->writer = n;
}

static struct track *track_new(uint32_t count)
{
	struct track *t = g_new0(struct track, count + 1);

	for (uint32_t k = 0; k < count; k++)
		t[k].writer = UINT32_MAX;
	return t;
}

static void track_free(struct track *t, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (t[k].readers)
			g_array_free(t[k].readers, TRUE);
	g_free(t);
}

static void track_inst(struct dcc_alloc *s, struct dcc_dag *d, struct track *regs, struct track *preds, uint32_t n,
		       const struct ptx_inst *i)
{
	const struct ptx_func *f = s->c->func;
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t k = 0; k < u.read_count; k++) {
		if (f->regs[u.reads[k]].type == PTX_PRED)
			track_read(d, &preds[s->phys[u.reads[k]]], n);
		else
			track_read(d, &regs[u.reads[k]], n);
	}
	for (uint32_t k = 0; k < u.write_count; k++) {
		if (f->regs[u.writes[k]].type == PTX_PRED)
			track_write(d, &preds[s->phys[u.writes[k]]], n);
		else
			track_write(d, &regs[u.writes[k]], n);
	}
}

/* ---- memory ---- */

static bool is_order(const struct ptx_inst *i)
{
	return i->op == PTX_OP_ATOM || i->op == PTX_OP_RED || i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER ||
	       i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || i->op == PTX_OP_CALL || i->op == PTX_OP_TRAP ||
	       i->op == PTX_OP_BRKPT || i->mods.sem != PTX_SEM_WEAK;
}

static bool is_memory(const struct ptx_inst *i)
{
	return i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ST || is_order(i);
}

static uint64_t access_bytes(const struct ptx_inst *i)
{
	return (uint64_t)ptx_type_bytes(i->type) * MAX(i->mods.vec, 1);
}

/* Different spaces, or the same register with ranges apart. version: which writing of a register an address is of. */
static bool is_apart(const struct ptx_func *f, const struct ptx_inst *a, const struct ptx_inst *b,
		     const uint32_t *version_a, const uint32_t *version_b)
{
	const struct ptx_operand *x = &a->src[0], *y = &b->src[0];
	const struct ptx_operand *base_a = &a->src[a->src_count - 1], *base_b = &b->src[b->src_count - 1];

	if (a->mods.space && b->mods.space && a->mods.space != b->mods.space && a->mods.space != PTX_CONST &&
	    b->mods.space != PTX_CONST)
		return true;
	if (a->mods.space != b->mods.space || x->var != y->var || x->reg != y->reg || *version_a != *version_b ||
	    x->kind != PTX_OPND_ADDR || y->kind != PTX_OPND_ADDR)
		return false;
	if (dcc_inst_has_base(f, a) && (!dcc_inst_has_base(f, b) || base_a->reg != base_b->reg))
		return false;
	return x->offset + (int64_t)access_bytes(a) <= y->offset || y->offset + (int64_t)access_bytes(b) <= x->offset;
}

static void order_memory(struct dcc_alloc *s, struct dcc_dag *d)
{
	g_autofree uint32_t *writes = g_new0(uint32_t, s->c->func->reg_count + 1);
	g_autofree uint32_t *version = g_new0(uint32_t, d->count + 1);
	GArray *before = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < d->count; n++) {
		const struct ptx_inst *i;

		if (d->nodes[n].step->kind != DCC_OP)
			continue;
		i = &s->c->func->insts[d->nodes[n].inst];
		if (is_memory(i)) {
			const bool writer = i->op == PTX_OP_ST || is_order(i);

			version[n] = i->src_count && i->src[0].reg < s->c->func->reg_count ? writes[i->src[0].reg] : 0;
			for (uint32_t k = 0; k < before->len; k++) {
				uint32_t m = g_array_index(before, uint32_t, k);
				const struct ptx_inst *j = &s->c->func->insts[d->nodes[m].inst];

				if (is_order(i) || is_order(j) ||
				    ((writer || j->op == PTX_OP_ST) &&
				     !is_apart(s->c->func, j, i, &version[m], &version[n])))
					edge(d, m, n);
			}
			if (is_order(i))
				g_array_set_size(before, 0);
			g_array_append_val(before, n);
		}
		ptx_inst_regs(i, &u);
		for (uint32_t k = 0; k < u.write_count; k++)
			writes[u.writes[k]]++;
	}
	g_array_free(before, TRUE);
}

/* ---- building ---- */

static void add_nodes(struct dcc_alloc *s, const struct dcc_linear *l, const struct dcc_range *r, struct dcc_dag *d)
{
	d->nodes = g_new0(struct dcc_node, r->edge - r->first + 1);
	d->count = 0;
	for (uint32_t k = r->first; k < r->edge; k++) {
		const struct dcc_step *step = &g_array_index(l->steps, struct dcc_step, k);
		struct dcc_node *n = &d->nodes[d->count];

		if (step->kind != DCC_OP && step->kind != DCC_MASK)
			continue;
		*n = (struct dcc_node){.step = step,
				       .inst = step->inst,
				       .guard = step->guard,
				       .word = DC_NO_WORD,
				       .preds = g_array_new(FALSE, TRUE, sizeof(uint32_t)),
				       .succs = g_array_new(FALSE, TRUE, sizeof(uint32_t)),
				       .cycles = 1};
		if (step->kind == DCC_OP) {
			const struct ptx_inst *i = &s->c->func->insts[step->inst];

			n->is_box = dcc_inst_is_box(i);
			n->cycles = n->is_box ? dcc_box_latency(i) : dcc_inst_cycles(s->c->kernel, i);
		}
		d->count++;
	}
}

void dcc_dag_build(struct dcc_alloc *s, const struct dcc_linear *l, const struct dcc_range *r, struct dcc_dag *d)
{
	struct track *regs = track_new(s->c->func->reg_count), *preds = track_new(s->c->kernel->pred_count);

	add_nodes(s, l, r, d);
	for (uint32_t n = 0; n < d->count; n++) {
		const struct dcc_node *x = &d->nodes[n];

		if (x->guard.pred != UINT32_MAX)
			track_read(d, &preds[s->phys[x->guard.pred]], n);
		if (x->step->kind == DCC_OP) {
			track_inst(s, d, regs, preds, n, &s->c->func->insts[x->inst]);
			continue;
		}
		for (uint32_t k = 0; k < 2; k++)
			if (x->step->mask_src[k].kind == DC_SRC_PRED)
				track_read(d, &preds[s->phys[x->step->mask_src[k].host]], n);
		track_write(d, &preds[s->phys[x->step->pred]], n);
	}
	order_memory(s, d);
	for (uint32_t n = d->count; n-- > 0;) {
		struct dcc_node *x = &d->nodes[n];

		for (uint32_t k = 0; k < x->succs->len; k++)
			x->urgency = MAX(x->urgency, d->nodes[g_array_index(x->succs, uint32_t, k)].urgency);
		x->urgency += x->cycles;
	}
	track_free(regs, s->c->func->reg_count);
	track_free(preds, s->c->kernel->pred_count);
}

void dcc_dag_free(struct dcc_dag *d)
{
	for (uint32_t n = 0; n < d->count; n++) {
		g_array_free(d->nodes[n].preds, TRUE);
		g_array_free(d->nodes[n].succs, TRUE);
	}
	g_free(d->nodes);
}

/* ---- Bottom-Up Greedy ---- */

struct bug {
	struct dcc_alloc *s;
	struct dcc_dag *d;
	uint64_t free_at[DC_ARRAYS]; /* when the array's slot is free */
	uint32_t live[DC_ARRAYS];    /* registers of values of the block that are assigned to it */
	uint32_t homes[DC_ARRAYS];
	uint64_t *ready;  /* [nodes]: when its result is there */
	uint32_t *writer; /* [reg_count]: node whose result the register is, at this point of the assignment */
	bool *done;
};

static uint32_t array_of_reg(const struct bug *b, uint32_t reg)
{
	const struct dcc_val *v = &b->s->val[reg];

	if (v->is_global)
		return v->is_slot_home ? DC_ARRAYS : v->home;
	if (v->in) /* there when the block begins */
		return (uint32_t)__builtin_ctz(v->in);
	return b->writer[reg] == UINT32_MAX ? DC_ARRAYS : b->d->nodes[b->writer[reg]].array;
}

static void assign_one(struct bug *b, uint32_t n)
{
	struct dcc_node *x = &b->d->nodes[n];
	const struct ptx_func *f = b->s->c->func;
	const struct ptx_inst *i;
	uint64_t best = UINT64_MAX, begin = 0;
	struct ptx_reg_use u;

	for (uint32_t k = 0; k < x->preds->len; k++)
		begin = MAX(begin, b->ready[g_array_index(x->preds, uint32_t, k)]);
	b->ready[n] = begin + x->cycles;
	if (x->step->kind != DCC_OP)
		return;
	i = &f->insts[x->inst];
	ptx_inst_regs(i, &u);
	for (uint32_t a = 0; a < b->s->c->o->array_count; a++) {
		const uint64_t p = b->live[a] + b->homes[a];
		uint64_t t = MAX(begin, x->is_box ? 0 : b->free_at[a]), cost;

		for (uint32_t k = 0; k < u.read_count && !x->is_box; k++)
			if (f->regs[u.reads[k]].type != PTX_PRED && array_of_reg(b, u.reads[k]) < DC_ARRAYS &&
			    array_of_reg(b, u.reads[k]) != a)
				t += 2u * DC_REG_ROWS * dcc_reg_slots(f, u.reads[k]);
		for (uint32_t k = 0; k < u.write_count; k++)
			if (f->regs[u.writes[k]].type != PTX_PRED && b->s->val[u.writes[k]].is_global &&
			    b->s->val[u.writes[k]].home < DC_ARRAYS && b->s->val[u.writes[k]].home != a)
				t += 2u * DC_REG_ROWS * dcc_reg_slots(f, u.writes[k]);
		cost = t + x->cycles + p * p * b->s->c->o->pressure_cost;
		if (cost < best) {
			best = cost;
			x->array = a;
			b->ready[n] = t + x->cycles;
		}
	}
	if (!x->is_box)
		b->free_at[x->array] = b->ready[n];
	for (uint32_t k = 0; k < u.write_count; k++)
		if (f->regs[u.writes[k]].type != PTX_PRED && !b->s->val[u.writes[k]].is_global) {
			b->writer[u.writes[k]] = n;
			b->live[x->array] += dcc_reg_slots(f, u.writes[k]);
		}
	/* A value whose readers are all assigned is no longer live there. */
	for (uint32_t k = 0; k < u.read_count; k++) {
		const uint32_t w = b->writer[u.reads[k]];
		bool waits = false;

		if (w == UINT32_MAX)
			continue;
		for (uint32_t j = 0; j < b->d->nodes[w].succs->len; j++) {
			uint32_t to = g_array_index(b->d->nodes[w].succs, uint32_t, j);

			waits |= to != n && !b->done[to];
		}
		if (!waits)
			b->live[b->d->nodes[w].array] -=
			    MIN(b->live[b->d->nodes[w].array], dcc_reg_slots(f, u.reads[k]));
	}
}

/* Operands first, the deepest chain first; iterative, for chains may have thousands of operations. */
static void assign_from(struct bug *b, uint32_t root, GArray *stack)
{
	g_array_append_val(stack, root);
	while (stack->len) {
		const uint32_t n = g_array_index(stack, uint32_t, stack->len - 1);
		const struct dcc_node *x = &b->d->nodes[n];
		uint32_t deepest = UINT32_MAX;

		for (uint32_t k = 0; k < x->preds->len; k++) {
			uint32_t p = g_array_index(x->preds, uint32_t, k);

			if (!b->done[p] &&
			    (deepest == UINT32_MAX || b->d->nodes[p].urgency > b->d->nodes[deepest].urgency))
				deepest = p;
		}
		if (deepest != UINT32_MAX && !b->done[n]) {
			g_array_append_val(stack, deepest);
			continue;
		}
		if (!b->done[n]) {
			assign_one(b, n);
			b->done[n] = true;
		}
		g_array_set_size(stack, stack->len - 1);
	}
}

void dcc_dag_assign(struct dcc_alloc *s, struct dcc_dag *d)
{
	struct bug b = {.s = s, .d = d};
	GArray *stack = g_array_new(FALSE, TRUE, sizeof(uint32_t));

	if (s->c->o->array_count > 1) {
		b.ready = g_new0(uint64_t, d->count + 1);
		b.done = g_new0(bool, d->count + 1);
		b.writer = g_new(uint32_t, s->c->func->reg_count + 1);
		memset(b.writer, 0xff, s->c->func->reg_count * sizeof(uint32_t));
		for (uint32_t a = 0; a < DC_ARRAYS; a++)
			for (uint32_t r = 0; r < s->limit; r++)
				b.homes[a] += s->file[a].what[r] != DCC_FREE;
		for (uint32_t n = 0; n < d->count; n++)
			if (!d->nodes[n].succs->len)
				assign_from(&b, n, stack);
		g_free(b.ready);
		g_free(b.done);
		g_free(b.writer);
	}
	g_array_free(stack, TRUE);
}
