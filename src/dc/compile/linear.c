/* linear.c - control flow by predication (section 3.3): blocks in topological order, loop nest by loop nest.
 *
 * A block's mask is the OR of the masks of the edges into it. Blocks that the same lanes execute share one mask: v has
 * that of u where u dominates v and v post-dominates u in the acyclic graph of their loop nest (inner loops as one
 * node; edges that leave or repeat the loop lead to a sink). Lanes that leave a loop collect in the mask of where they
 * go, lanes that repeat it in the mask of its next round; the loop ends when that is empty. Lanes that return are in no
 * mask more.
 */
#include "dc/compile/priv.h"

#include <string.h>

#define TOP UINT32_MAX
#define NONE UINT32_MAX

struct lin {
	struct dcc *c;
	struct dcc_linear *l;
	const struct ptx_cfg *cfg;
	uint32_t *rpo_at;        /* [block_count] */
	struct dcc_guard *mask;  /* [block_count]: of a block; of a loop's header: of its rounds */
	struct dcc_guard *entry; /* [loop_count]: lanes that enter the loop */
	uint32_t *next;          /* [loop_count]: mask of the next round */
	bool *assigned;          /* [masks]: has been written in linear order */
	bool *has_barrier;       /* [block_count]: a barrier can be reached from its beginning */
	uint32_t mask_cap;
};

/* ---- steps ---- */

static struct dcc_step *add_step(struct lin *n, enum dcc_step_kind kind, uint32_t block, bool is_edge)
{
	struct dcc_step s = {.kind = (uint8_t)kind,
			     .block = block,
			     .is_edge = is_edge,
			     .guard = {NONE, false},
			     .pred = NONE,
			     .inst = NONE};

	g_array_append_val(n->l->steps, s);
	return &g_array_index(n->l->steps, struct dcc_step, n->l->steps->len - 1);
}

static struct dc_source pred_source(struct dcc_guard g)
{
	if (g.pred == NONE)
		return (struct dc_source){.kind = DC_SRC_IMM, .imm = !g.negate};
	return (struct dc_source){.kind = DC_SRC_PRED, .host = g.pred, .negate = g.negate};
}

static void add_mask(struct lin *n, uint32_t block, bool is_edge, uint32_t to, enum dc_mask_op op, struct dc_source a,
		     struct dc_source b)
{
	struct dcc_step *s = add_step(n, DCC_MASK, block, is_edge);

	s->pred = to;
	s->mask_op = (uint8_t)op;
	s->mask_src[0] = a;
	s->mask_src[1] = b;
}

static uint32_t new_mask(struct lin *n)
{
	if (n->l->pred_count == n->mask_cap) {
		n->mask_cap *= 2;
		n->assigned = g_renew(bool, n->assigned, n->mask_cap);
	}
	n->assigned[n->l->pred_count] = false;
	return n->l->pred_count++;
}

/* ---- the graph of one loop nest ---- */

/* The node of a block in the nest of loop `at`: itself, or the header of the inner loop that it is in; NONE: it is not
 * in this loop. */
static uint32_t node_of(const struct lin *n, uint32_t block, uint32_t at)
{
	uint32_t loop = n->cfg->blocks[block].loop, node = block;

	while (loop != at) {
		if (loop == TOP)
			return NONE;
		node = n->cfg->loops[loop].header;
		loop = n->cfg->loops[loop].parent;
	}
	return node;
}

/* The inner loop whose node this block is in nest `at`, or NONE. */
static uint32_t loop_of_node(const struct lin *n, uint32_t node, uint32_t at)
{
	uint32_t loop = n->cfg->blocks[node].loop;

	if (loop == at)
		return NONE;
	while (n->cfg->loops[loop].parent != at)
		loop = n->cfg->loops[loop].parent;
	return loop;
}

static int compare_u32(const void *a, const void *b, void *rpo_at)
{
	const uint32_t x = ((uint32_t *)rpo_at)[*(const uint32_t *)a], y = ((uint32_t *)rpo_at)[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

struct nest {
	uint32_t *nodes, count;
	uint32_t *index; /* [block_count]: place of a node */
	GArray **succs;  /* [count]: places; `count` is the sink */
	uint32_t *idom, *ipdom;
};

static void add_edge(struct nest *g, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < g->succs[from]->len; k++)
		if (g_array_index(g->succs[from], uint32_t, k) == to)
			return;
	g_array_append_val(g->succs[from], to);
}

static void add_edges_of(const struct lin *n, struct nest *g, uint32_t at, uint32_t block)
{
	const struct ptx_block *b = &n->cfg->blocks[block];
	const struct ptx_inst *last = &n->cfg->func->insts[b->last];
	const uint32_t from = g->index[node_of(n, block, at)];
	const bool leaves = ptx_inst_ends_block(last) && !ptx_inst_is_branch(last);

	for (uint32_t k = 0; k < b->succ_count; k++) {
		uint32_t to = node_of(n, b->succs[k], at);

		if (to == NONE || (at != TOP && b->succs[k] == n->cfg->loops[at].header))
			add_edge(g, from, g->count);
		else if (g->index[to] != from)
			add_edge(g, from, g->index[to]);
	}
	if (leaves)
		add_edge(g, from, g->count);
}

static uint32_t meet(const uint32_t *dom, uint32_t a, uint32_t b, bool up)
{
	while (a != b) {
		while (up ? a > b : a < b)
			a = dom[a];
		while (up ? b > a : b < a)
			b = dom[b];
	}
	return a;
}

static void set_dominators(struct nest *g)
{
	for (uint32_t v = 0; v <= g->count; v++)
		g->idom[v] = g->ipdom[v] = NONE;
	g->idom[0] = 0;
	for (uint32_t u = 0; u < g->count; u++)
		for (uint32_t k = 0; k < g->succs[u]->len; k++) {
			uint32_t v = g_array_index(g->succs[u], uint32_t, k);

			g->idom[v] = g->idom[v] == NONE ? u : meet(g->idom, g->idom[v], u, true);
		}
	g->ipdom[g->count] = g->count;
	for (uint32_t u = g->count; u-- > 0;)
		for (uint32_t k = 0; k < g->succs[u]->len; k++) {
			uint32_t v = g_array_index(g->succs[u], uint32_t, k);

			g->ipdom[u] = g->ipdom[u] == NONE ? v : meet(g->ipdom, g->ipdom[u], v, false);
		}
}

static void nest_build(const struct lin *n, struct nest *g, uint32_t at)
{
	const struct ptx_cfg *cfg = n->cfg;
	GArray *nodes = g_array_new(FALSE, TRUE, sizeof(uint32_t));

	g->index = g_new(uint32_t, cfg->block_count);
	for (uint32_t b = 0; b < cfg->block_count; b++) {
		g->index[b] = NONE;
		if (cfg->blocks[b].is_reachable && node_of(n, b, at) == b)
			g_array_append_val(nodes, b);
	}
	g_array_sort_with_data(nodes, compare_u32, n->rpo_at);
	g->count = nodes->len;
	g->nodes = (uint32_t *)(void *)g_array_free(nodes, FALSE);
	g->succs = g_new(GArray *, g->count + 1);
	for (uint32_t k = 0; k <= g->count; k++) {
		g->succs[k] = g_array_new(FALSE, TRUE, sizeof(uint32_t));
		if (k < g->count)
			g->index[g->nodes[k]] = k;
	}
	for (uint32_t b = 0; b < cfg->block_count; b++)
		if (cfg->blocks[b].is_reachable && node_of(n, b, at) != NONE)
			add_edges_of(n, g, at, b);
	for (uint32_t k = 0; k < g->count; k++)
		if (!g->succs[k]->len)
			add_edge(g, k, g->count);
	g->idom = g_new(uint32_t, g->count + 1);
	g->ipdom = g_new(uint32_t, g->count + 1);
	set_dominators(g);
}

static void nest_free(struct nest *g)
{
	for (uint32_t k = 0; k <= g->count; k++)
		g_array_free(g->succs[k], TRUE);
	g_free(g->succs);
	g_free(g->nodes);
	g_free(g->index);
	g_free(g->idom);
	g_free(g->ipdom);
}

static bool post_dominates(const struct nest *g, uint32_t v, uint32_t u)
{
	while (u < v)
		u = g->ipdom[u];
	return u == v;
}

/* ---- masks ---- */

static struct dcc_guard *node_mask(struct lin *n, uint32_t node, uint32_t at)
{
	uint32_t loop = loop_of_node(n, node, at);

	return loop == NONE ? &n->mask[node] : &n->entry[loop];
}

static void choose_masks(struct lin *n, const struct nest *g, uint32_t at)
{
	for (uint32_t v = 0; v < g->count; v++) {
		struct dcc_guard *m = node_mask(n, g->nodes[v], at);
		uint32_t u = v;

		if (v == 0) {
			if (at == TOP)
				*m = (struct dcc_guard){NONE, false};
			/* Of a loop, the header's mask is that of its rounds, which dcc_loop made. A loop that is
			 * the first of its nest cannot be: two loops would share the header. */
			continue;
		}
		while (u != 0 && !(u != v && post_dominates(g, v, u)))
			u = g->idom[u];
		if (u != v && post_dominates(g, v, u))
			*m = *node_mask(n, g->nodes[u], at);
		else
			*m = (struct dcc_guard){new_mask(n), false};
	}
}

/* Is the mask one that edges into this node have to write? */
static bool is_collected(struct lin *n, const struct nest *g, uint32_t v, uint32_t at)
{
	const struct dcc_guard m = *node_mask(n, g->nodes[v], at);

	for (uint32_t u = 0; u < v; u++)
		if (node_mask(n, g->nodes[u], at)->pred == m.pred)
			return false;
	return m.pred != NONE;
}

/* What an edge out of a block writes: the mask of where it leads, or NONE. *at: the nest of the target. */
static uint32_t target_mask(struct lin *n, uint32_t from, uint32_t to, uint32_t *at)
{
	const struct ptx_cfg *cfg = n->cfg;
	uint32_t loop = cfg->blocks[to].loop;

	if (loop != TOP && cfg->loops[loop].header == to) {
		if (node_of(n, from, loop) != NONE) {
			*at = loop;
			return n->next[loop];
		}
		*at = cfg->loops[loop].parent;
		return n->entry[loop].pred;
	}
	*at = loop;
	return n->mask[to].pred;
}

/* Masks that several nodes share are written by the edges of the first only: marked by `writer`. */
static void collect(struct lin *n, const bool *is_writer, uint32_t from, uint32_t to, struct dcc_guard cond)
{
	const struct dcc_guard own = n->mask[from];
	uint32_t at, mask = target_mask(n, from, to, &at);
	const struct dc_source a = pred_source(own), b = pred_source(cond);

	if (mask == NONE)
		return;
	const bool is_next = at != TOP && n->next[at] == mask && n->cfg->loops[at].header == to;

	if (!is_next && !is_writer[to])
		return;
	if (!n->assigned[mask]) {
		CHECK(n->cfg->blocks[from].loop == at);
		if (cond.pred == NONE || own.pred == NONE)
			add_mask(n, from, true, mask, DC_MASK_MOV, cond.pred == NONE ? a : b, (struct dc_source){0});
		else
			add_mask(n, from, true, mask, DC_MASK_AND, a, b);
		n->assigned[mask] = true;
		return;
	}
	if (cond.pred == NONE || own.pred == NONE) {
		add_mask(n, from, true, mask, DC_MASK_OR, pred_source((struct dcc_guard){mask, false}),
			 cond.pred == NONE ? a : b);
		return;
	}
	uint32_t t = new_mask(n);

	add_mask(n, from, true, t, DC_MASK_AND, a, b);
	add_mask(n, from, true, mask, DC_MASK_OR, pred_source((struct dcc_guard){mask, false}),
		 pred_source((struct dcc_guard){t, false}));
}

/* ---- lanes that still come to a barrier ---- */

static bool contains_barrier(const struct ptx_cfg *cfg, uint32_t block)
{
	for (uint32_t n = cfg->blocks[block].first; n <= cfg->blocks[block].last; n++)
		if (dcc_inst_is_barrier(&cfg->func->insts[n]))
			return true;
	return false;
}

static void find_barriers(struct lin *n)
{
	bool changed = true;

	for (uint32_t b = 0; b < n->cfg->block_count; b++)
		n->has_barrier[b] = n->cfg->blocks[b].is_reachable && contains_barrier(n->cfg, b);
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < n->cfg->block_count; b++)
			for (uint32_t k = 0; !n->has_barrier[b] && k < n->cfg->blocks[b].succ_count; k++)
				if (n->cfg->blocks[b].is_reachable && n->has_barrier[n->cfg->blocks[b].succs[k]])
					changed = n->has_barrier[b] = true;
	}
}

/* Do lanes leave those blocks at different places, or some of them while others stay? Where all go by one edge that has
 * no condition, none comes to a barrier later than another. */
static bool lanes_part(const struct lin *n)
{
	uint32_t places = 0;

	for (uint32_t b = 0; b < n->cfg->block_count; b++) {
		const struct ptx_block *x = &n->cfg->blocks[b];
		const struct ptx_inst *last = &n->cfg->func->insts[x->last];
		bool leaves = ptx_inst_ends_block(last) && !ptx_inst_is_branch(last);

		if (!n->has_barrier[b])
			continue;
		for (uint32_t k = 0; k < x->succ_count; k++)
			leaves |= !n->has_barrier[x->succs[k]];
		places += leaves ? (last->has_guard ? 2u : 1u) : 0;
	}
	return places > 1;
}

/* The lanes of this edge come to no barrier more. */
static void leave_barriers(struct lin *n, uint32_t from, struct dcc_guard cond)
{
	const struct dcc_guard own = n->mask[from];
	struct dcc_guard gone = own.pred == NONE ? cond : own;

	if (n->l->comes == NONE || !n->has_barrier[from] || gone.pred == NONE)
		return;
	if (own.pred != NONE && cond.pred != NONE) {
		gone = (struct dcc_guard){new_mask(n), false};
		add_mask(n, from, true, gone.pred, DC_MASK_AND, pred_source(own), pred_source(cond));
	}
	gone.negate = !gone.negate;
	add_mask(n, from, true, n->l->comes, DC_MASK_AND, pred_source((struct dcc_guard){n->l->comes, false}),
		 pred_source(gone));
}

static void edge(struct lin *n, const bool *is_writer, uint32_t from, uint32_t to, struct dcc_guard cond)
{
	if (!n->has_barrier[to])
		leave_barriers(n, from, cond);
	collect(n, is_writer, from, to, cond);
}

/* ---- blocks ---- */

static bool has_body(const struct ptx_cfg *cfg, const struct dc_kernel *k, uint32_t block)
{
	for (uint32_t n = cfg->blocks[block].first; n <= cfg->blocks[block].last; n++) {
		const struct ptx_inst *i = &cfg->func->insts[n];

		if (!dcc_inst_is_control(i) && !(i->dst.kind == PTX_OPND_REG && k->host_of[i->dst.reg] != UINT32_MAX))
			return true;
	}
	return false;
}

struct combined {
	uint32_t reg, mask;
	bool negate;
};

/* The block's mask and the instruction's guard as one predicate; kept until the guard's register is written. */
static struct dcc_guard guard_of(struct lin *n, GArray *known, uint32_t block, const struct ptx_inst *i)
{
	const struct dcc_guard own = n->mask[block], g = {i->guard_reg, i->guard_negate};

	if (!i->has_guard)
		return own;
	if (own.pred == NONE)
		return g;
	for (uint32_t k = 0; k < known->len; k++) {
		const struct combined *x = &g_array_index(known, struct combined, k);

		if (x->reg == g.pred && x->negate == g.negate)
			return (struct dcc_guard){x->mask, false};
	}
	struct combined x = {g.pred, new_mask(n), g.negate};

	add_mask(n, block, false, x.mask, DC_MASK_AND, pred_source(own), pred_source(g));
	g_array_append_val(known, x);
	return (struct dcc_guard){x.mask, false};
}

static void forget(GArray *known, const struct ptx_inst *i)
{
	for (uint32_t k = known->len; k-- > 0;) {
		const struct combined *x = &g_array_index(known, struct combined, k);

		if ((i->dst.kind == PTX_OPND_REG && i->dst.reg == x->reg) ||
		    (i->dst2.kind == PTX_OPND_REG && i->dst2.reg == x->reg))
			g_array_remove_index(known, k);
	}
}

static void emit_body(struct lin *n, uint32_t block)
{
	const struct ptx_cfg *cfg = n->cfg;
	GArray *known = g_array_new(FALSE, TRUE, sizeof(struct combined));

	for (uint32_t k = cfg->blocks[block].first; k <= cfg->blocks[block].last; k++) {
		const struct ptx_inst *i = &cfg->func->insts[k];
		struct dcc_step *s;

		if (dcc_inst_is_control(i) ||
		    (i->dst.kind == PTX_OPND_REG && n->c->kernel->host_of[i->dst.reg] != UINT32_MAX))
			continue;
		struct dcc_guard g = guard_of(n, known, block, i);

		s = add_step(n, DCC_OP, block, false);
		s->inst = k;
		s->guard = g;
		forget(known, i);
	}
	g_array_free(known, TRUE);
}

static void emit_edges(struct lin *n, const bool *is_writer, uint32_t block)
{
	const struct ptx_block *b = &n->cfg->blocks[block];
	const struct ptx_inst *last = &n->cfg->func->insts[b->last];
	const struct dcc_guard always = {NONE, false};

	if (!last->has_guard || !ptx_inst_ends_block(last) || last->op == PTX_OP_TRAP) {
		/* Who traps ends the launch: of a guarded trap all others go on. */
		if (!last->has_guard && ptx_inst_ends_block(last) && !ptx_inst_is_branch(last))
			leave_barriers(n, block, always);
		for (uint32_t k = 0; k < b->succ_count; k++)
			edge(n, is_writer, block, b->succs[k], always);
		return;
	}
	const struct dcc_guard taken = {last->guard_reg, last->guard_negate};
	const struct dcc_guard falls = {last->guard_reg, !last->guard_negate};

	if (last->op == PTX_OP_BRA) {
		uint32_t to = n->cfg->block_of[last->src[0].label];

		if (b->succ_count == 1) {
			edge(n, is_writer, block, to, always);
			return;
		}
		edge(n, is_writer, block, to, taken);
	} else {
		leave_barriers(n, block, taken);
	}
	if (b->last + 1 < n->cfg->func->inst_count)
		edge(n, is_writer, block, n->cfg->block_of[b->last + 1], falls);
}

static void emit_block(struct lin *n, const bool *is_writer, uint32_t block, uint32_t base)
{
	struct dcc_range r = {.block = block, .first = n->l->steps->len};
	const struct dcc_guard m = n->mask[block];
	const bool skips = m.pred != NONE && m.pred != base && has_body(n->cfg, n->c->kernel, block);
	uint32_t label = 0;

	if (skips) {
		struct dcc_step *s = add_step(n, DCC_SKIP, block, false);

		s->pred = m.pred;
		s->label = label = n->l->label_count++;
	}
	emit_body(n, block);
	if (skips)
		add_step(n, DCC_LABEL, block, true)->label = label;
	r.edge = n->l->steps->len;
	emit_edges(n, is_writer, block);
	r.end = n->l->steps->len;
	g_array_append_val(n->l->ranges, r);
}

/* Before a loop: masks outside it that lanes which leave it write for the first time begin empty. */
static void begin_exits(struct lin *n, const bool *is_writer, uint32_t loop)
{
	const struct ptx_loop *lp = &n->cfg->loops[loop];
	const struct dc_source no = {.kind = DC_SRC_IMM, .imm = 0};

	for (uint32_t k = 0; k < lp->block_count; k++) {
		const struct ptx_block *b = &n->cfg->blocks[lp->blocks[k]];

		for (uint32_t s = 0; s < b->succ_count; s++) {
			uint32_t at, mask;

			if (node_of(n, b->succs[s], loop) != NONE)
				continue;
			mask = target_mask(n, lp->blocks[k], b->succs[s], &at);
			if (mask == NONE || n->assigned[mask])
				continue;
			if (!is_writer[b->succs[s]] && !(at != TOP && mask == n->next[at]))
				continue;
			add_mask(n, lp->header, true, mask, DC_MASK_MOV, no, (struct dc_source){0});
			n->assigned[mask] = true;
		}
	}
}

static void emit_nest(struct lin *n, bool *is_writer, uint32_t at, uint32_t base);

/* next of this loop, written first by an inner loop, is emptied there (begin_exits). */
static void emit_loop(struct lin *n, bool *is_writer, uint32_t loop)
{
	const struct dcc_guard entry = n->entry[loop];
	const uint32_t header = n->cfg->loops[loop].header;
	uint32_t rounds, label = n->l->label_count++;
	struct dcc_step *s;

	begin_exits(n, is_writer, loop);
	if (entry.pred != NONE) {
		s = add_step(n, DCC_SKIP, header, true);
		s->pred = entry.pred;
		s->label = label;
	}
	rounds = new_mask(n);
	n->assigned[rounds] = true;
	n->next[loop] = new_mask(n);
	n->mask[header] = (struct dcc_guard){rounds, false};
	add_mask(n, header, true, rounds, DC_MASK_MOV, pred_source(entry), (struct dc_source){0});
	add_step(n, DCC_LOOP, header, true)->label = loop;
	emit_nest(n, is_writer, loop, rounds);
	add_mask(n, header, true, rounds, DC_MASK_MOV, pred_source((struct dcc_guard){n->next[loop], false}),
		 (struct dc_source){0});
	s = add_step(n, DCC_JUMP, header, true);
	s->label = loop;
	s->pred = rounds;
	add_step(n, DCC_LABEL, header, true)->label = label;
}

static void emit_nest(struct lin *n, bool *is_writer, uint32_t at, uint32_t base)
{
	struct nest g;

	nest_build(n, &g, at);
	choose_masks(n, &g, at);
	for (uint32_t v = at == TOP ? 0 : 1; v < g.count; v++)
		is_writer[g.nodes[v]] = is_collected(n, &g, v, at);
	for (uint32_t v = 0; v < g.count; v++) {
		uint32_t loop = loop_of_node(n, g.nodes[v], at);

		if (loop != NONE)
			emit_loop(n, is_writer, loop);
		else
			emit_block(n, is_writer, g.nodes[v], base);
	}
	nest_free(&g);
}

/* Every retreating edge must lead to a block that dominates where it comes from. */
static bool is_reducible(struct lin *n)
{
	const struct ptx_cfg *cfg = n->cfg;

	for (uint32_t b = 0; b < cfg->block_count; b++)
		for (uint32_t k = 0; cfg->blocks[b].is_reachable && k < cfg->blocks[b].succ_count; k++) {
			uint32_t to = cfg->blocks[b].succs[k];

			if (n->rpo_at[to] <= n->rpo_at[b] && !ptx_dominates(cfg, to, b)) {
				dcc_refuse(n->c, &cfg->func->insts[cfg->blocks[to].first],
					   "a loop with several entries, which copies of its blocks do not resolve");
				return false;
			}
		}
	return true;
}

void dcc_linear_build(struct dcc *c, struct dcc_linear *l)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;
	struct lin n = {.c = c, .l = l, .cfg = cfg};
	g_autofree bool *is_writer = g_new0(bool, cfg->block_count);

	*l = (struct dcc_linear){.steps = g_array_new(FALSE, TRUE, sizeof(struct dcc_step)),
				 .ranges = g_array_new(FALSE, TRUE, sizeof(struct dcc_range)),
				 .pred_count = c->func->reg_count};
	n.rpo_at = g_new0(uint32_t, cfg->block_count);
	for (uint32_t k = 0; k < cfg->rpo_count; k++)
		n.rpo_at[cfg->rpo[k]] = k;
	n.mask = l->mask = g_new0(struct dcc_guard, cfg->block_count);
	n.entry = g_new0(struct dcc_guard, cfg->loop_count + 1);
	n.next = g_new0(uint32_t, cfg->loop_count + 1);
	n.mask_cap = 2 * c->func->reg_count + 64;
	n.assigned = g_new0(bool, n.mask_cap);
	n.has_barrier = g_new0(bool, cfg->block_count);
	find_barriers(&n);
	l->comes = NONE;
	if (lanes_part(&n)) {
		l->comes = new_mask(&n);
		add_mask(&n, 0, true, l->comes, DC_MASK_MOV, (struct dc_source){.kind = DC_SRC_IMM, .imm = 1},
			 (struct dc_source){0});
	}
	if (is_reducible(&n))
		emit_nest(&n, is_writer, TOP, NONE);
	g_free(n.rpo_at);
	g_free(n.entry);
	g_free(n.next);
	g_free(n.assigned);
	g_free(n.has_barrier);
}

void dcc_linear_free(struct dcc_linear *l)
{
	g_array_free(l->steps, TRUE);
	g_array_free(l->ranges, TRUE);
	g_free(l->mask);
}
