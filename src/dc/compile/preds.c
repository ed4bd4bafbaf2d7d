/* preds.c - predicates and masks in rows: linear scan over linear code. A predicate has the same row in every array, so
 * that it guards operations of all of them. */
#include "dc/compile/priv.h"

struct interval {
	uint32_t pred, first, last;
};

static void touch(struct interval *at, uint32_t pred, uint32_t step)
{
	if (pred == UINT32_MAX)
		return;
	at[pred].pred = pred;
	at[pred].first = MIN(at[pred].first, step);
	at[pred].last = MAX(at[pred].last, step);
}

static void touch_operand(const struct ptx_func *f, struct interval *at, const struct ptx_operand *o, uint32_t step)
{
	if (o->kind == PTX_OPND_REG && f->regs[o->reg].type == PTX_PRED)
		touch(at, o->reg, step);
	for (uint32_t k = 0; k < o->elem_count; k++)
		touch_operand(f, at, &o->elems[k], step);
}

static void touch_inst(const struct ptx_func *f, struct interval *at, const struct ptx_inst *i, uint32_t step)
{
	if (i->has_guard)
		touch(at, i->guard_reg, step);
	touch_operand(f, at, &i->dst, step);
	touch_operand(f, at, &i->dst2, step);
	for (uint32_t s = 0; s < i->src_count; s++)
		touch_operand(f, at, &i->src[s], step);
}

static void fill(const struct dcc *c, const struct dcc_linear *l, struct interval *at)
{
	for (uint32_t n = 0; n < l->steps->len; n++) {
		const struct dcc_step *s = &g_array_index(l->steps, struct dcc_step, n);

		touch(at, s->pred, n);
		touch(at, s->guard.pred, n);
		for (uint32_t k = 0; k < 2; k++)
			if (s->kind == DCC_MASK && s->mask_src[k].kind == DC_SRC_PRED)
				touch(at, s->mask_src[k].host, n);
		if (s->kind != DCC_OP)
			continue;
		touch_inst(c->func, at, &c->func->insts[s->inst], n);
		if (dcc_inst_is_barrier(&c->func->insts[s->inst]))
			touch(at, l->comes, n);
	}
	/* A block's operations may change places: what a block uses, it uses from its first step to its last. */
	for (uint32_t r = 0; r < l->ranges->len; r++) {
		const struct dcc_range *x = &g_array_index(l->ranges, struct dcc_range, r);

		for (uint32_t p = 0; p < l->pred_count; p++)
			if (at[p].first >= x->first && at[p].first < x->edge && at[p].last >= x->edge)
				at[p].first = x->first;
	}
}

/* A predicate that is used inside a loop and outside, or carried from round to round, has its row for all of it. */
static void extend(const struct dcc *c, const struct dcc_linear *l, struct interval *at)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;
	g_autofree uint32_t *begin = g_new0(uint32_t, cfg->loop_count + 1);

	for (uint32_t n = 0; n < l->steps->len; n++) {
		const struct dcc_step *s = &g_array_index(l->steps, struct dcc_step, n);
		const uint64_t *live;

		if (s->kind == DCC_LOOP)
			begin[s->label] = n;
		if (s->kind != DCC_JUMP)
			continue;
		live = cfg->live_in + (size_t)cfg->loops[s->label].header * cfg->live_words;
		for (uint32_t p = 0; p < l->pred_count; p++) {
			const uint32_t b = begin[s->label];
			bool inside = at[p].first <= n && at[p].last >= b && at[p].first <= at[p].last;
			bool outside = at[p].first < b || at[p].last > n;
			bool carried = p < c->func->reg_count && live[p / 64] >> p % 64 & 1;

			if (inside && (outside || carried)) {
				at[p].first = MIN(at[p].first, b);
				at[p].last = MAX(at[p].last, n);
			}
		}
	}
}

static int compare_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->pred < y->pred ? -1 : x->pred > y->pred;
}

uint16_t *dcc_preds(struct dcc *c, const struct dcc_linear *l)
{
	g_autofree struct interval *at = g_new(struct interval, l->pred_count + 1);
	uint16_t *phys = g_new(uint16_t, l->pred_count + 1);
	GArray *busy_until = g_array_new(FALSE, TRUE, sizeof(uint32_t)); /* step + 1 from which the row is free */

	for (uint32_t p = 0; p < l->pred_count; p++) {
		at[p] = (struct interval){p, UINT32_MAX, 0};
		phys[p] = DC_NO_PRED;
	}
	fill(c, l, at);
	extend(c, l, at);
	qsort(at, l->pred_count, sizeof(*at), compare_first);
	for (uint32_t n = 0; n < l->pred_count && at[n].first != UINT32_MAX; n++) {
		uint32_t row = 0;
		const uint32_t until = at[n].last + 1;

		while (row < busy_until->len && g_array_index(busy_until, uint32_t, row) > at[n].first)
			row++;
		if (row == busy_until->len)
			g_array_append_val(busy_until, until);
		g_array_index(busy_until, uint32_t, row) = until;
		phys[at[n].pred] = (uint16_t)row;
	}
	c->kernel->pred_count = busy_until->len;
	g_array_free(busy_until, TRUE);
	return phys;
}
