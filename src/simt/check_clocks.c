/* check_clocks.c - what is known of other CTAs' clocks: a tree by CTA that is never changed, so that who takes it over
 * from another one shares it. Joining two trees looks only at where they differ: a counter that every CTA of a grid
 * increments costs the logarithm of their number each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_priv.h"

enum { FAN_BITS = 2, FAN = 1 << FAN_BITS };

struct simt_clocks {
	uint32_t refs, warp_count; /* 0: a node with children, else a CTA's */
};

struct node {
	struct simt_clocks head;
	struct simt_clocks *child[FAN];
};

struct leaf {
	struct simt_clocks head;
	uint32_t clock[];
};

struct simt_clocks *simt_clocks_ref(struct simt_clocks *c)
{
	if (c)
		c->refs++;
	return c;
}

void simt_clocks_drop(struct simt_clocks *c)
{
	if (!c || --c->refs)
		return;
	if (!c->warp_count)
		for (uint32_t i = 0; i < FAN; i++)
			simt_clocks_drop(((struct node *)c)->child[i]);
	free(c);
}

static struct node *new_node(void)
{
	struct node *n = calloc(1, sizeof(*n));

	CHECK(n);
	n->head.refs = 1;
	return n;
}

static struct leaf *new_leaf(uint32_t warp_count, const uint32_t *clock)
{
	struct leaf *l = malloc(sizeof(*l) + warp_count * sizeof(*l->clock));

	CHECK(l && warp_count);
	l->head = (struct simt_clocks){.refs = 1, .warp_count = warp_count};
	memcpy(l->clock, clock, warp_count * sizeof(*l->clock));
	return l;
}

struct simt_clocks *simt_clocks_of_cta(uint32_t levels, uint32_t cta, uint32_t warp_count, const uint32_t *clock)
{
	struct simt_clocks *c = &new_leaf(warp_count, clock)->head;

	for (uint32_t i = 0; i < levels; i++) {
		struct node *n = new_node();

		n->child[cta >> FAN_BITS * i & (FAN - 1)] = c;
		c = &n->head;
	}
	return c;
}

uint32_t simt_clocks_levels(uint64_t cta_count)
{
	uint32_t levels = 0;

	while ((cta_count - 1) >> FAN_BITS * levels)
		levels++;
	return levels;
}

uint32_t simt_clocks_get(const struct simt_clocks *c, uint32_t levels, uint32_t cta, uint32_t warp)
{
	for (uint32_t i = levels; c && i-- > 0;)
		c = ((const struct node *)c)->child[cta >> FAN_BITS * i & (FAN - 1)];
	return c ? ((const struct leaf *)c)->clock[warp] : 0;
}

static bool covers(const struct leaf *a, const struct leaf *b)
{
	for (uint32_t i = 0; i < a->head.warp_count; i++)
		if (a->clock[i] < b->clock[i])
			return false;
	return true;
}

static struct simt_clocks *join_leaves(struct simt_clocks *a, struct simt_clocks *b)
{
	struct leaf *x = (struct leaf *)a, *y = (struct leaf *)b;

	if (covers(x, y))
		return simt_clocks_ref(a);
	if (covers(y, x))
		return simt_clocks_ref(b);
	struct leaf *l = new_leaf(a->warp_count, x->clock);

	for (uint32_t i = 0; i < a->warp_count; i++)
		l->clock[i] = y->clock[i] > l->clock[i] ? y->clock[i] : l->clock[i];
	return &l->head;
}

struct simt_clocks *simt_clocks_join(struct simt_clocks *a, struct simt_clocks *b)
{
	if (a == b || !b)
		return simt_clocks_ref(a);
	if (!a)
		return simt_clocks_ref(b);
	if (a->warp_count)
		return join_leaves(a, b);
	struct node *x = (struct node *)a, *y = (struct node *)b, joined = {0};
	bool is_a = true, is_b = true;

	for (uint32_t i = 0; i < FAN; i++) {
		joined.child[i] = simt_clocks_join(x->child[i], y->child[i]);
		is_a &= joined.child[i] == x->child[i];
		is_b &= joined.child[i] == y->child[i];
	}
	if (is_a || is_b) {
		for (uint32_t i = 0; i < FAN; i++)
			simt_clocks_drop(joined.child[i]);
		return simt_clocks_ref(is_a ? a : b);
	}
	struct node *n = new_node();

	memcpy(n->child, joined.child, sizeof(n->child));
	return &n->head;
}

void simt_clocks_add(struct simt_clocks **to, struct simt_clocks *c)
{
	struct simt_clocks *joined = simt_clocks_join(*to, c);

	simt_clocks_drop(*to);
	*to = joined;
}

void simt_clocks_set(struct simt_clocks **to, struct simt_clocks *c)
{
	simt_clocks_ref(c);
	simt_clocks_drop(*to);
	*to = c;
}
