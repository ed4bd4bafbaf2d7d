/* split.c - node splitting: loops with several entries get one. Predication keeps loops whose header dominates them;
 * where a program jumps into the middle of one, the block that it enters is copied for those who come from outside, and
 * the next, until they come to the header. */
#include "dc/compile/priv.h"

#include <string.h>

enum { COPIES_MAX = 64, INSTS_MAX = 1 << 14 };

struct splitter {
	struct dcc *c;
	const struct ptx_cfg *cfg;
	uint32_t *rpo_at; /* [block_count] */
	bool *is_there;   /* [block_count]: in the loop that is looked at */
};

static void reach(const struct splitter *s, uint32_t from, uint32_t not, bool backwards, bool *seen)
{
	GArray *stack = g_array_new(FALSE, TRUE, sizeof(uint32_t));

	g_array_append_val(stack, from);
	while (stack->len) {
		const uint32_t b = g_array_index(stack, uint32_t, stack->len - 1);
		const struct ptx_block *x = &s->cfg->blocks[b];
		const uint32_t *const next = backwards ? x->preds : x->succs;

		g_array_set_size(stack, stack->len - 1);
		if (seen[b] || !x->is_reachable || (not != PTX_NO_BLOCK && ptx_dominates(s->cfg, b, not ) && b != not ))
			continue;
		seen[b] = true;
		for (uint32_t k = 0; k < (backwards ? x->pred_count : x->succ_count); k++)
			g_array_append_val(stack, next[k]);
	}
	g_array_free(stack, TRUE);
}

/* The loop around a block, without the loops around that one: what it reaches and is reached by past its dominators. */
static void find_loop(const struct splitter *s, uint32_t block)
{
	const uint32_t count = s->cfg->block_count;
	g_autofree bool *behind = g_new0(bool, count), *before = g_new0(bool, count);

	reach(s, block, block, false, behind);
	reach(s, block, block, true, before);
	for (uint32_t b = 0; b < count; b++)
		s->is_there[b] = behind[b] && before[b];
}

static bool is_entered(const struct splitter *s, uint32_t block)
{
	const struct ptx_block *x = &s->cfg->blocks[block];

	for (uint32_t k = 0; k < x->pred_count; k++)
		if (s->cfg->blocks[x->preds[k]].is_reachable && !s->is_there[x->preds[k]])
			return true;
	return false;
}

/* The shortest block that a loop is entered by beside its first one; PTX_NO_BLOCK: all loops have one entry. */
static uint32_t find_second_entry(struct splitter *s)
{
	for (uint32_t b = 0; b < s->cfg->block_count; b++)
		for (uint32_t k = 0; s->cfg->blocks[b].is_reachable && k < s->cfg->blocks[b].succ_count; k++) {
			const uint32_t to = s->cfg->blocks[b].succs[k];
			uint32_t best = PTX_NO_BLOCK, least = UINT32_MAX;

			if (s->rpo_at[to] > s->rpo_at[b] || ptx_dominates(s->cfg, to, b))
				continue;
			find_loop(s, to);
			for (uint32_t e = 0; e < s->cfg->block_count; e++) {
				const uint32_t insts = s->cfg->blocks[e].last - s->cfg->blocks[e].first;

				if (e != to && s->is_there[e] && is_entered(s, e) && insts < least) {
					best = e;
					least = insts;
				}
			}
			return best == PTX_NO_BLOCK ? to : best;
		}
	return PTX_NO_BLOCK;
}

static void emit_bra(struct dcc *c, const struct ptx_inst *like, uint32_t label)
{
	struct ptx_inst bra = {
	    .op = PTX_OP_BRA, .src_count = 1, .line = like->line, .col = like->col, .text = like->text};

	bra.src[0] = (struct ptx_operand){.kind = PTX_OPND_LABEL, .label = label, .reg = UINT32_MAX};
	dcc_emit(c, &bra);
}

static bool falls_through(const struct ptx_inst *last)
{
	return !ptx_inst_ends_block(last) || last->has_guard;
}

/* The function with a copy of the block at its end, to which those who come from outside the loop go. */
static void copy_block(struct splitter *s, uint32_t block)
{
	struct dcc *c = s->c;
	const struct ptx_func *f = c->func;
	const struct ptx_block *x = &s->cfg->blocks[block];
	const uint32_t label = f->inst_count + 1;

	dcc_rewrite_begin(c);
	c->map = g_renew(uint32_t, c->map, f->inst_count + 2);
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const uint32_t from = s->cfg->block_of[n];
		const bool is_outside = s->cfg->blocks[from].is_reachable && !s->is_there[from];
		struct ptx_inst i = f->insts[n];

		dcc_rewrite_at(c, n);
		if (is_outside && i.op == PTX_OP_BRA && i.src[0].label == x->first)
			i.src[0].label = label;
		dcc_emit(c, &i);
		if (is_outside && n + 1 == x->first && falls_through(&i))
			emit_bra(c, &i, label);
	}
	c->map[label] = c->insts->len;
	for (uint32_t n = x->first; n <= x->last; n++)
		dcc_emit(c, &f->insts[n]);
	if (falls_through(&f->insts[x->last]) && x->last + 1 < f->inst_count)
		emit_bra(c, &f->insts[x->last], x->last + 1);
	dcc_rewrite_end(c);
}

/* True: a block was copied. */
static bool split_one(struct dcc *c)
{
	struct ptx_cfg *cfg = ptx_cfg_build(c->func);
	struct splitter s = {c, cfg, g_new(uint32_t, cfg->block_count + 1), g_new0(bool, cfg->block_count + 1)};
	uint32_t entry;

	for (uint32_t k = 0; k < cfg->rpo_count; k++)
		s.rpo_at[cfg->rpo[k]] = k;
	entry = find_second_entry(&s);
	if (entry != PTX_NO_BLOCK)
		copy_block(&s, entry);
	g_free(s.rpo_at);
	g_free(s.is_there);
	ptx_cfg_free(cfg);
	return entry != PTX_NO_BLOCK;
}

/* ---- several blocks at once ---- */

/* Blocks of the loop that its entries but the header reach before they come to it: in `set`; their instructions. */
static uint32_t find_set(const struct splitter *s, uint32_t header, bool *set)
{
	GArray *stack = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	uint32_t insts = 0;

	for (uint32_t b = 0; b < s->cfg->block_count; b++) {
		set[b] = false;
		if (s->is_there[b] && b != header && is_entered(s, b))
			g_array_append_val(stack, b);
	}
	while (stack->len) {
		const uint32_t b = g_array_index(stack, uint32_t, stack->len - 1);
		const struct ptx_block *x = &s->cfg->blocks[b];

		g_array_set_size(stack, stack->len - 1);
		if (set[b] || b == header || !s->is_there[b])
			continue;
		set[b] = true;
		insts += x->last - x->first + 1;
		g_array_append_vals(stack, x->succs, x->succ_count);
	}
	g_array_free(stack, TRUE);
	return insts;
}

/* A block as those who are outside of the loop, or in a copy of a part of it, name it. */
static uint32_t label_of(const struct splitter *s, const bool *set, uint32_t block)
{
	return set[block] ? s->c->func->inst_count + 1 + block : s->cfg->blocks[block].first;
}

static void emit_outside(const struct splitter *s, const bool *set, uint32_t n, bool is_last)
{
	struct ptx_inst i = s->c->func->insts[n];

	if (i.op == PTX_OP_BRA)
		i.src[0].label = label_of(s, set, s->cfg->block_of[i.src[0].label]);
	dcc_emit(s->c, &i);
	if (is_last && falls_through(&i) && n + 1 < s->c->func->inst_count)
		emit_bra(s->c, &i, label_of(s, set, s->cfg->block_of[n + 1]));
}

/* The function with copies of the set's blocks at its end, which those who come from outside the loop go through until
 * they come to its header. */
static void copy_set(struct splitter *s, const bool *set)
{
	struct dcc *c = s->c;
	const uint32_t count = c->func->inst_count;

	dcc_rewrite_begin(c);
	c->map = g_renew(uint32_t, c->map, count + 2 + s->cfg->block_count);
	for (uint32_t n = 0; n < count; n++) {
		const struct ptx_block *x = &s->cfg->blocks[s->cfg->block_of[n]];

		dcc_rewrite_at(c, n);
		if (x->is_reachable && !s->is_there[s->cfg->block_of[n]])
			emit_outside(s, set, n, n == x->last);
		else
			dcc_emit(c, &c->func->insts[n]);
	}
	/* What fell through at the end is still the end: copies stand behind its return. */
	for (uint32_t b = 0; b < s->cfg->block_count; b++) {
		if (!set[b])
			continue;
		c->map[count + 1 + b] = c->insts->len;
		for (uint32_t n = s->cfg->blocks[b].first; n <= s->cfg->blocks[b].last; n++)
			emit_outside(s, set, n, n == s->cfg->blocks[b].last);
	}
	dcc_rewrite_end(c);
}

/* The loop with several entries gets the one of them as its header that leaves the least to copy. */
static bool split_loop(struct dcc *c)
{
	struct ptx_cfg *cfg = ptx_cfg_build(c->func);
	struct splitter s = {c, cfg, g_new(uint32_t, cfg->block_count + 1), g_new0(bool, cfg->block_count + 1)};
	g_autofree bool *set = g_new0(bool, cfg->block_count + 1), *best = g_new0(bool, cfg->block_count + 1);
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < cfg->rpo_count; k++)
		s.rpo_at[cfg->rpo[k]] = k;
	if (find_second_entry(&s) != PTX_NO_BLOCK)
		for (uint32_t b = 0; b < cfg->block_count; b++) {
			const uint32_t insts = s.is_there[b] && is_entered(&s, b) ? find_set(&s, b, set) : UINT32_MAX;

			if (insts >= least)
				continue;
			least = insts;
			memcpy(best, set, cfg->block_count * sizeof(*best));
		}
	if (least != UINT32_MAX)
		copy_set(&s, best);
	for (uint32_t b = 0; least != UINT32_MAX && b < cfg->block_count; b++)
		c->kernel->counts.split += best[b];
	g_free(s.rpo_at);
	g_free(s.is_there);
	ptx_cfg_free(cfg);
	return least != UINT32_MAX;
}

void dcc_split(struct dcc *c)
{
	const struct ptx_func before = *c->func;
	uint32_t copies = 0;

	for (; copies < COPIES_MAX && c->func->inst_count < INSTS_MAX && split_one(c); copies++)
		c->kernel->counts.split++;
	if (copies < COPIES_MAX && c->func->inst_count < INSTS_MAX)
		return;
	/* A round of the loop misses the block that was to be its one entry, so that copies never end: other ones. */
	c->kernel->counts.split -= copies;
	*c->func = before;
	for (copies = 0; copies < COPIES_MAX && c->func->inst_count < INSTS_MAX && split_loop(c); copies++)
		continue;
}
