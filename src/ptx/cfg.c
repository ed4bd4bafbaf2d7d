/* cfg.c - basic blocks, dominators, post-dominators and natural loops of one function.
 *
 * Dominators follow Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): intersect along reverse
 * post order until nothing changes. Post-dominators are the dominators of the reversed graph from a virtual exit, which
 * every returning block and every block that cannot reach a return has an edge to.
 */
#include "ptx/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"

/* Adjacency by ranges: the neighbours of node n are to[at[n]] .. to[at[n + 1] - 1]. */
struct edges {
	uint32_t *at, *to;
};

struct graph {
	uint32_t count;
	struct edges out, in;
};

static void edges_free(struct edges *e)
{
	free(e->at);
	free(e->to);
}

static void graph_free(struct graph *g)
{
	edges_free(&g->out);
	edges_free(&g->in);
}

static struct edges edges_reverse(const struct edges *e, uint32_t count)
{
	struct edges r = {ptx_zeroed(count + 2, sizeof(uint32_t)), ptx_zeroed(e->at[count], sizeof(uint32_t))};

	for (uint32_t k = 0; k < e->at[count]; k++)
		r.at[e->to[k] + 2]++;
	for (uint32_t n = 1; n < count + 2; n++)
		r.at[n] += r.at[n - 1];
	/* at[n + 1] is where the next edge of n goes, and ends as the end of n. */
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t k = e->at[n]; k < e->at[n + 1]; k++)
			r.to[r.at[e->to[k] + 1]++] = n;
	return r;
}

/* Nodes reachable from root along out, in post order; position of each in number (UINT32_MAX: unreachable). */
static uint32_t post_order(const struct edges *out, uint32_t count, uint32_t root, uint32_t *order, uint32_t *number)
{
	uint32_t *stack = ptx_zeroed(count, sizeof(uint32_t)), *next = ptx_zeroed(count, sizeof(uint32_t));
	uint32_t depth = 0, done = 0;

	for (uint32_t n = 0; n < count; n++) {
		number[n] = UINT32_MAX;
		next[n] = UINT32_MAX;
	}
	stack[depth++] = root;
	next[root] = out->at[root];
	while (depth) {
		uint32_t n = stack[depth - 1];

		if (next[n] == out->at[n + 1]) {
			number[n] = done;
			order[done++] = n;
			depth--;
			continue;
		}
		uint32_t to = out->to[next[n]++];
		if (next[to] == UINT32_MAX) {
			next[to] = out->at[to];
			stack[depth++] = to;
		}
	}
	free(stack);
	free(next);
	return done;
}

static uint32_t intersect(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (number[a] < number[b])
			a = idom[a];
		while (number[b] < number[a])
			b = idom[b];
	}
	return a;
}

/* idom of the root is the root; of unreachable nodes PTX_NO_BLOCK. */
static void dominators(const struct edges *out, const struct edges *in, uint32_t count, uint32_t root, uint32_t *idom)
{
	uint32_t *order = ptx_zeroed(count, sizeof(uint32_t)), *number = ptx_zeroed(count, sizeof(uint32_t));
	uint32_t done = post_order(out, count, root, order, number);
	bool changed = true;

	for (uint32_t n = 0; n < count; n++)
		idom[n] = PTX_NO_BLOCK;
	idom[root] = root;
	while (changed) {
		changed = false;
		for (uint32_t k = done - 1; k-- > 0;) {
			uint32_t n = order[k], best = PTX_NO_BLOCK;

			for (uint32_t e = in->at[n]; e < in->at[n + 1]; e++) {
				uint32_t from = in->to[e];

				if (idom[from] != PTX_NO_BLOCK)
					best = best == PTX_NO_BLOCK ? from : intersect(idom, number, best, from);
			}
			if (best != idom[n]) {
				idom[n] = best;
				changed = true;
			}
		}
	}
	free(order);
	free(number);
}

static bool ends_path(const struct ptx_inst *i)
{
	return !i->has_guard && ptx_inst_ends_block(i);
}

static void mark_targets(const struct ptx_func *f, bool *leader)
{
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_inst *i = &f->insts[n];

		if (i->op == PTX_OP_BRA)
			leader[i->src[0].label] = true;
		if (i->op == PTX_OP_BRX)
			for (uint32_t k = 0; k < i->src[1].elem_count; k++)
				leader[i->src[1].elems[k].label] = true;
		if (ptx_inst_ends_block(i) && n + 1 < f->inst_count)
			leader[n + 1] = true;
	}
}

static void find_blocks(struct ptx_cfg *c)
{
	const struct ptx_func *f = c->func;
	bool *leader = ptx_zeroed(f->inst_count + 1, sizeof(bool));

	leader[0] = true;
	mark_targets(f, leader);
	for (uint32_t n = 0; n < f->inst_count; n++)
		c->block_count += leader[n];
	c->blocks = ptx_zeroed(c->block_count, sizeof(*c->blocks));
	c->block_of = ptx_zeroed(f->inst_count, sizeof(uint32_t));
	for (uint32_t n = 0, b = UINT32_MAX; n < f->inst_count; n++) {
		if (leader[n]) {
			b++;
			c->blocks[b].first = n;
		}
		c->blocks[b].last = n;
		c->block_of[n] = b;
	}
	free(leader);
}

static void add_succ(struct ptx_block *b, uint32_t to)
{
	for (uint32_t k = 0; k < b->succ_count; k++)
		if (b->succs[k] == to)
			return;
	b->succs[b->succ_count++] = to;
}

/* A list of thousands of targets must not cost its square: equal neighbours after sorting are the same edge. */
static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void link_brx(struct ptx_cfg *c, struct ptx_block *b, const struct ptx_inst *i)
{
	uint32_t count = i->src[1].elem_count, kept = 0;

	for (uint32_t k = 0; k < count; k++)
		b->succs[b->succ_count++] = c->block_of[i->src[1].elems[k].label];
	qsort(b->succs, b->succ_count, sizeof(uint32_t), compare_u32);
	for (uint32_t k = 0; k < b->succ_count; k++)
		if (!k || b->succs[k] != b->succs[k - 1])
			b->succs[kept++] = b->succs[k];
	b->succ_count = kept;
}

static void link_blocks(struct ptx_cfg *c)
{
	for (uint32_t n = 0; n < c->block_count; n++) {
		struct ptx_block *b = &c->blocks[n];
		const struct ptx_inst *i = &c->func->insts[b->last];
		bool falls = !ends_path(i) && n + 1 < c->block_count;

		b->succs = ptx_zeroed((i->op == PTX_OP_BRX ? i->src[1].elem_count : 1u) + 1u, sizeof(uint32_t));
		if (falls)
			add_succ(b, n + 1);
		if (i->op == PTX_OP_BRA)
			add_succ(b, c->block_of[i->src[0].label]);
		if (i->op == PTX_OP_BRX)
			link_brx(c, b, i);
	}
}

static void fill_preds(struct ptx_cfg *c, const struct edges *in)
{
	for (uint32_t n = 0; n < c->block_count; n++) {
		struct ptx_block *b = &c->blocks[n];

		b->pred_count = in->at[n + 1] - in->at[n];
		b->preds = ptx_zeroed(b->pred_count, sizeof(uint32_t));
		memcpy(b->preds, in->to + in->at[n], b->pred_count * sizeof(uint32_t));
	}
}

/* Blocks, and the virtual exit as node block_count where to_exit says so. */
static struct graph graph_build(const struct ptx_cfg *c, const bool *to_exit)
{
	struct graph g = {.count = c->block_count + 1};
	uint32_t edge_count = 0, e = 0;

	for (uint32_t n = 0; n < c->block_count; n++)
		edge_count += c->blocks[n].succ_count + to_exit[n];
	g.out.at = ptx_zeroed(g.count + 1, sizeof(uint32_t));
	g.out.to = ptx_zeroed(edge_count, sizeof(uint32_t));
	for (uint32_t n = 0; n < c->block_count; n++) {
		g.out.at[n] = e;
		for (uint32_t k = 0; k < c->blocks[n].succ_count; k++)
			g.out.to[e++] = c->blocks[n].succs[k];
		if (to_exit[n])
			g.out.to[e++] = c->block_count;
	}
	g.out.at[c->block_count] = g.out.at[g.count] = e;
	g.in = edges_reverse(&g.out, g.count);
	return g;
}

static void set_dominators(struct ptx_cfg *c, const struct graph *g)
{
	uint32_t *idom = ptx_zeroed(g->count, sizeof(uint32_t));

	dominators(&g->out, &g->in, g->count, 0, idom);
	for (uint32_t n = 0; n < c->block_count; n++) {
		c->blocks[n].is_reachable = idom[n] != PTX_NO_BLOCK;
		c->blocks[n].idom = n == 0 ? PTX_NO_BLOCK : idom[n];
	}
	free(idom);
}

/* Blocks from which no path returns get an edge to the exit, so that post-dominance is defined for all. */
static void set_post_dominators(struct ptx_cfg *c, bool *to_exit)
{
	struct graph g = graph_build(c, to_exit);
	uint32_t *order = ptx_zeroed(g.count, sizeof(uint32_t)), *number = ptx_zeroed(g.count, sizeof(uint32_t));
	uint32_t *ipdom = ptx_zeroed(g.count, sizeof(uint32_t));

	post_order(&g.in, g.count, c->block_count, order, number);
	for (uint32_t n = 0; n < c->block_count; n++)
		to_exit[n] |= number[n] == UINT32_MAX;
	graph_free(&g);
	g = graph_build(c, to_exit);
	dominators(&g.in, &g.out, g.count, c->block_count, ipdom);
	for (uint32_t n = 0; n < c->block_count; n++)
		c->blocks[n].ipdom = ipdom[n];
	graph_free(&g);
	free(order);
	free(number);
	free(ipdom);
}

static void set_rpo(struct ptx_cfg *c, const struct graph *g)
{
	uint32_t *order = ptx_zeroed(g->count, sizeof(uint32_t)), *number = ptx_zeroed(g->count, sizeof(uint32_t));
	uint32_t done = post_order(&g->out, g->count, 0, order, number);

	c->rpo = ptx_zeroed(c->block_count, sizeof(uint32_t));
	while (done-- > 0)
		if (order[done] != c->block_count)
			c->rpo[c->rpo_count++] = order[done];
	free(order);
	free(number);
}

/* Everything that reaches a latch without passing the header. work and stamp are scratch of block_count. */
static void fill_loop(const struct ptx_cfg *c, struct ptx_loop *l, uint32_t id, uint32_t *work, uint32_t *stamp)
{
	uint32_t depth = 0;
	const struct ptx_block *h = &c->blocks[l->header];

	stamp[l->header] = id;
	l->block_count = 1;
	for (uint32_t k = 0; k < h->pred_count; k++) {
		uint32_t from = h->preds[k];

		if (c->blocks[from].is_reachable && ptx_dominates(c, l->header, from)) {
			l->latch = from > l->latch || l->latch == PTX_NO_BLOCK ? from : l->latch;
			if (stamp[from] != id) {
				stamp[from] = id;
				work[depth++] = from;
			}
		}
	}
	while (depth) {
		const struct ptx_block *b = &c->blocks[work[--depth]];

		l->block_count++;
		for (uint32_t k = 0; k < b->pred_count; k++) {
			if (stamp[b->preds[k]] != id && c->blocks[b->preds[k]].is_reachable) {
				stamp[b->preds[k]] = id;
				work[depth++] = b->preds[k];
			}
		}
	}
	l->blocks = ptx_zeroed(l->block_count, sizeof(uint32_t));
	for (uint32_t n = 0, k = 0; n < c->block_count; n++)
		if (stamp[n] == id)
			l->blocks[k++] = n;
}

/* Outer loops have more blocks than those inside them. */
static int compare_loops(const void *a, const void *b)
{
	const struct ptx_loop *x = a, *y = b;

	if (x->block_count != y->block_count)
		return x->block_count > y->block_count ? -1 : 1;
	return x->header < y->header ? -1 : x->header > y->header;
}

static bool is_header(const struct ptx_cfg *c, uint32_t n)
{
	for (uint32_t k = 0; k < c->blocks[n].pred_count; k++)
		if (c->blocks[c->blocks[n].preds[k]].is_reachable && ptx_dominates(c, n, c->blocks[n].preds[k]))
			return c->blocks[n].is_reachable;
	return false;
}

static void find_loops(struct ptx_cfg *c)
{
	uint32_t *work = ptx_zeroed(c->block_count, sizeof(uint32_t));
	uint32_t *stamp = ptx_zeroed(c->block_count, sizeof(uint32_t));

	for (uint32_t n = 0; n < c->block_count; n++)
		c->loop_count += is_header(c, n);
	c->loops = ptx_zeroed(c->loop_count, sizeof(*c->loops));
	for (uint32_t n = 0, k = 0; n < c->block_count; n++) {
		c->blocks[n].loop = UINT32_MAX;
		if (is_header(c, n)) {
			c->loops[k] = (struct ptx_loop){.header = n, .latch = PTX_NO_BLOCK};
			fill_loop(c, &c->loops[k], k + 1, work, stamp);
			k++;
		}
	}
	qsort(c->loops, c->loop_count, sizeof(*c->loops), compare_loops);
	for (uint32_t k = 0; k < c->loop_count; k++) {
		/* Larger loops were entered before, so the header's loop so far is the parent. */
		c->loops[k].parent = c->blocks[c->loops[k].header].loop;
		for (uint32_t n = 0; n < c->loops[k].block_count; n++)
			c->blocks[c->loops[k].blocks[n]].loop = k;
	}
	free(work);
	free(stamp);
}

struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f)
{
	CHECK(f->has_body && f->inst_count);
	struct ptx_cfg *c = ptx_zeroed(1, sizeof(*c));

	c->func = f;
	find_blocks(c);
	link_blocks(c);
	bool *to_exit = ptx_zeroed(c->block_count, sizeof(bool));
	for (uint32_t n = 0; n < c->block_count; n++) {
		const struct ptx_inst *i = &f->insts[c->blocks[n].last];

		to_exit[n] = ptx_inst_ends_block(i) && !ptx_inst_is_branch(i);
	}
	struct graph g = graph_build(c, to_exit);
	fill_preds(c, &g.in);
	set_dominators(c, &g);
	set_rpo(c, &g);
	graph_free(&g);
	set_post_dominators(c, to_exit);
	find_loops(c);
	ptx_liveness_build(c);
	free(to_exit);
	return c;
}

void ptx_cfg_free(struct ptx_cfg *c)
{
	if (!c)
		return;
	for (uint32_t n = 0; n < c->block_count; n++) {
		free(c->blocks[n].succs);
		free(c->blocks[n].preds);
	}
	for (uint32_t n = 0; n < c->loop_count; n++)
		free(c->loops[n].blocks);
	free(c->blocks);
	free(c->block_of);
	free(c->rpo);
	free(c->loops);
	free(c->live_in);
	free(c->live_out);
	free(c);
}

bool ptx_dominates(const struct ptx_cfg *c, uint32_t a, uint32_t b)
{
	if (!c->blocks[a].is_reachable || !c->blocks[b].is_reachable)
		return a == b;
	while (b != a && b != 0)
		b = c->blocks[b].idom;
	return b == a;
}
