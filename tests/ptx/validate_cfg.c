/* validate_cfg.c - the analyses against their definitions, by the slowest and plainest means.
 *
 * a dominates b: without a, b cannot be reached from the entry. Post-dominance likewise towards the exit. A register is
 * live where some path reads it before it is replaced. Two registers live at one point never share a slot.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"
#include "validate.h"

struct checker {
	const struct ptx_cfg *c;
	char *what;
	size_t size_bytes;
};

static bool fails(const struct checker *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fails(const struct checker *v, const char *fmt, ...)
{
	int n = snprintf(v->what, v->size_bytes, "%s: ", v->c->func->name);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < v->size_bytes)
		vsnprintf(v->what + n, v->size_bytes - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

/* Marks what is reachable from start along successors, or predecessors if back, never entering without. */
static void reach(const struct ptx_cfg *c, uint32_t start, uint32_t without, bool back, bool *seen)
{
	uint32_t *work = ptx_zeroed(c->block_count, sizeof(uint32_t)), depth = 0;

	if (start != without && !seen[start]) {
		seen[start] = true;
		work[depth++] = start;
	}
	while (depth) {
		const struct ptx_block *b = &c->blocks[work[--depth]];
		uint32_t count = back ? b->pred_count : b->succ_count;

		for (uint32_t k = 0; k < count; k++) {
			uint32_t to = back ? b->preds[k] : b->succs[k];

			if (to != without && !seen[to]) {
				seen[to] = true;
				work[depth++] = to;
			}
		}
	}
	free(work);
}

static bool returns(const struct ptx_cfg *c, uint32_t n)
{
	const struct ptx_inst *i = &c->func->insts[c->blocks[n].last];

	return ptx_inst_ends_block(i) && !ptx_inst_is_branch(i);
}

/* Blocks from which the exit can be reached without passing block without; endless blocks count as exits. */
static void reach_exit(const struct ptx_cfg *c, const bool *endless, uint32_t without, bool *seen)
{
	for (uint32_t n = 0; n < c->block_count; n++)
		if (returns(c, n) || (endless && endless[n]))
			reach(c, n, without, true, seen);
}

static bool blocks_hold(const struct checker *v)
{
	const struct ptx_cfg *c = v->c;
	uint32_t at = 0;

	for (uint32_t n = 0; n < c->block_count; n++) {
		const struct ptx_block *b = &c->blocks[n];

		if (b->first != at || b->last < b->first)
			return fails(v, "block %u begins at %u", n, b->first);
		for (uint32_t k = b->first; k < b->last; k++)
			if (ptx_inst_ends_block(&c->func->insts[k]) || c->block_of[k] != n)
				return fails(v, "instruction %u inside block %u", k, n);
		at = b->last + 1;
	}
	return at == c->func->inst_count || fails(v, "blocks end at %u", at);
}

static bool dominators_hold(const struct checker *v)
{
	const struct ptx_cfg *c = v->c;
	bool *seen = ptx_zeroed(c->block_count, sizeof(bool)), *all = ptx_zeroed(c->block_count, sizeof(bool));
	bool ok = true;

	reach(c, 0, UINT32_MAX, false, all);
	for (uint32_t a = 0; ok && a < c->block_count; a++) {
		memset(seen, 0, c->block_count);
		reach(c, 0, a, false, seen);
		ok = all[a] == c->blocks[a].is_reachable || fails(v, "reachability of block %u", a);
		for (uint32_t b = 0; ok && b < c->block_count; b++)
			if (all[a] && all[b] && ptx_dominates(c, a, b) == seen[b])
				ok = fails(v, "block %u dominates %u: %d", a, b, !seen[b]);
	}
	free(seen);
	free(all);
	return ok;
}

/* ipdom is the post-dominator that every other post-dominator post-dominates. */
static bool post_dominator_holds(const struct checker *v, const bool *endless, uint32_t n)
{
	const struct ptx_cfg *c = v->c;
	uint32_t p = c->blocks[n].ipdom;
	bool *seen = ptx_zeroed(c->block_count, sizeof(bool));
	bool ok = true;

	for (uint32_t a = 0; ok && a < c->block_count; a++) {
		memset(seen, 0, c->block_count);
		reach_exit(c, endless, a, seen);
		bool is_post = a != n && !seen[n];
		if (a == p && !is_post)
			ok = fails(v, "block %u does not post-dominate %u", p, n);
		else if (is_post && a != p && (p == c->block_count || seen[p]))
			ok = fails(v, "block %u post-dominates %u, and its ipdom is %u", a, n, p);
	}
	free(seen);
	return ok;
}

static bool post_dominators_hold(const struct checker *v)
{
	const struct ptx_cfg *c = v->c;
	bool *endless = ptx_zeroed(c->block_count, sizeof(bool)), *seen = ptx_zeroed(c->block_count, sizeof(bool));
	bool ok = true;

	reach_exit(c, NULL, UINT32_MAX, seen);
	for (uint32_t n = 0; n < c->block_count; n++)
		endless[n] = !seen[n];
	for (uint32_t n = 0; ok && n < c->block_count; n++)
		ok = post_dominator_holds(v, endless, n);
	free(endless);
	free(seen);
	return ok;
}

static bool loop_has(const struct ptx_loop *l, uint32_t block)
{
	for (uint32_t k = 0; k < l->block_count; k++)
		if (l->blocks[k] == block)
			return true;
	return false;
}

static bool loops_hold(const struct checker *v)
{
	const struct ptx_cfg *c = v->c;

	for (uint32_t k = 0; k < c->loop_count; k++) {
		const struct ptx_loop *l = &c->loops[k];

		if (!loop_has(l, l->header) || !loop_has(l, l->latch))
			return fails(v, "loop %u lacks its header or latch", k);
		if (l->parent != UINT32_MAX && (l->parent >= k || !loop_has(&c->loops[l->parent], l->header)))
			return fails(v, "loop %u: parent", k);
		for (uint32_t n = 0; n < l->block_count; n++) {
			const struct ptx_block *b = &c->blocks[l->blocks[n]];

			if (!ptx_dominates(c, l->header, l->blocks[n]))
				return fails(v, "loop %u: header does not dominate block %u", k, l->blocks[n]);
			for (uint32_t e = 0; l->blocks[n] != l->header && e < b->pred_count; e++)
				if (c->blocks[b->preds[e]].is_reachable && !loop_has(l, b->preds[e]))
					return fails(v, "loop %u is entered at block %u", k, l->blocks[n]);
		}
	}
	return true;
}

/* Live registers before an instruction follow from those after it, by definition. */
static bool liveness_holds(const struct checker *v)
{
	const struct ptx_cfg *c = v->c;
	uint64_t *now = ptx_zeroed(c->live_words, sizeof(uint64_t));
	bool ok = true;

	for (uint32_t b = 0; ok && b < c->block_count; b++) {
		const uint64_t *in = c->live_in + (size_t)b * c->live_words,
			       *out = c->live_out + (size_t)b * c->live_words;

		for (uint32_t k = 0; ok && k < c->blocks[b].succ_count; k++)
			for (uint32_t w = 0; ok && w < c->live_words; w++)
				if (c->live_in[(size_t)c->blocks[b].succs[k] * c->live_words + w] & ~out[w] & in[w])
					ok = fails(v, "live into block %u, through block %u, not out of it",
						   c->blocks[b].succs[k], b);
		ptx_live_before(c, c->blocks[b].first, now);
		if (ok && memcmp(now, in, c->live_words * sizeof(uint64_t)) != 0)
			ok = fails(v, "live before block %u", b);
	}
	free(now);
	return ok;
}

static uint32_t width(const struct ptx_reg *r)
{
	return r->type == PTX_PRED ? 1u : (ptx_type_bytes(r->type) > 4 ? 2u : 1u) * r->vec;
}

static bool share(const struct ptx_func *f, const struct ptx_alloc *a, uint32_t x, uint32_t y)
{
	if ((f->regs[x].type == PTX_PRED) != (f->regs[y].type == PTX_PRED))
		return false;
	return a->slot[x] < a->slot[y] + width(&f->regs[y]) && a->slot[y] < a->slot[x] + width(&f->regs[x]);
}

/* Everything live before an instruction, and everything it writes beside what is live after it, is apart. */
static bool apart(const struct checker *v, const struct ptx_alloc *a, const uint64_t *live, uint32_t n)
{
	const struct ptx_func *f = v->c->func;

	for (uint32_t x = 0; x < f->reg_count; x++) {
		if (!ptx_bit(live, x))
			continue;
		if (a->slot[x] == UINT32_MAX)
			return fails(v, "register %s is live and has no slot", f->regs[x].name);
		bool is_wide = ptx_type_bytes(f->regs[x].type) > 4;

		if (is_wide && a->slot[x] % 2)
			return fails(v, "register %s has an odd slot", f->regs[x].name);
		if (f->regs[x].type != PTX_PRED && is_wide != (a->slot[x] < a->wide_slot_count))
			return fails(v, "register %s is among slots of the other width", f->regs[x].name);
		for (uint32_t y = 0; y < x; y++)
			if (ptx_bit(live, y) && share(f, a, x, y))
				return fails(v, "registers %s and %s share a slot at instruction %u", f->regs[x].name,
					     f->regs[y].name, n);
	}
	return true;
}

static bool alloc_holds(const struct checker *v, const struct ptx_alloc *a)
{
	const struct ptx_cfg *c = v->c;
	uint64_t *live = ptx_zeroed(c->live_words, sizeof(uint64_t));
	struct ptx_reg_use use;
	bool ok = a->live_max <= a->slot_count || fails(v, "%u slots, %u live", a->slot_count, a->live_max);

	for (uint32_t n = 0; ok && n < c->func->inst_count; n++) {
		ptx_live_before(c, n, live);
		ok = apart(v, a, live, n);
		if (n == c->blocks[c->block_of[n]].last)
			memcpy(live, c->live_out + (size_t)c->block_of[n] * c->live_words,
			       c->live_words * sizeof(uint64_t));
		else
			ptx_live_before(c, n + 1, live);
		ptx_inst_regs(&c->func->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++)
			ptx_bit_set(live, use.writes[k]);
		ok = ok && apart(v, a, live, n);
	}
	free(live);
	return ok;
}

bool ptx_validate_cfg(const struct ptx_cfg *c, const struct ptx_alloc *a, char *what, size_t size_bytes)
{
	struct checker v = {c, what, size_bytes};

	return blocks_hold(&v) && dominators_hold(&v) && post_dominators_hold(&v) && loops_hold(&v) &&
	       liveness_holds(&v) && alloc_holds(&v, a);
}
