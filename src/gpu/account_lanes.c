/* account_lanes.c - what was attributed on several threads, see account_lanes.h. */
#include "gpu/account_lanes.h"

#include <glib.h>
#include <string.h>

/* Of two structures of numbers of 64 bits each. */
static void numbers_take(void *to, void *from, size_t bytes)
{
	uint64_t *sum = to, *part = from;

	for (size_t i = 0; i < bytes / sizeof(*sum); i++)
		sum[i] += part[i];
	memset(part, 0, bytes);
}

static void cells_take(struct account_lane *lane, uint32_t word, struct account_kernel *k)
{
	for (; lane->touched[word]; lane->touched[word] &= lane->touched[word] - 1) {
		const uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(lane->touched[word]);

		numbers_take(i == k->inst_count ? &k->nowhere[0] : &k->insts[i].cell[0], &lane->cells[i],
			     sizeof(struct account_cell));
	}
}

void account_lanes_take(struct account_lanes *l, struct account *all, struct account_kernel *k)
{
	for (uint32_t i = 0; k && i < l->count; i++) {
		struct account_lane *lane = &l->items[i];

		for (uint32_t w = 0; w <= l->cell_count / 64; w++)
			cells_take(lane, w, k);
		numbers_take(all->stacks, lane->stacks, all->stack_count * sizeof(*lane->stacks));
		numbers_take(all->vaults, lane->vaults,
			     (size_t)all->stack_count * all->vault_count * sizeof(*lane->vaults));
		numbers_take(all->rows, lane->rows, sizeof(lane->rows));
	}
}

void account_lanes_fit(struct account_lanes *l, const struct account_kernel *k)
{
	const uint32_t count = k->inst_count + 1;

	if (count <= l->cell_count)
		return;
	l->cell_count = count;
	for (uint32_t i = 0; i < l->count; i++) {
		g_free(l->items[i].cells);
		g_free(l->items[i].touched);
		l->items[i].cells = g_new0(struct account_cell, count);
		l->items[i].touched = g_new0(uint64_t, count / 64 + 1);
	}
}

void account_lanes_new(struct account_lanes *l, const struct account *all, uint32_t count)
{
	l->count = count;
	l->items = g_new0(struct account_lane, count);
	for (uint32_t i = 0; i < count; i++) {
		l->items[i].touched = g_new0(uint64_t, 1);
		l->items[i].stacks = g_new0(struct account_stack, all->stack_count);
		l->items[i].vaults = g_new0(struct account_vault, (size_t)all->stack_count * all->vault_count);
	}
}

void account_lanes_free(struct account_lanes *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		g_free(l->items[i].cells);
		g_free(l->items[i].touched);
		g_free(l->items[i].stacks);
		g_free(l->items[i].vaults);
	}
	g_free(l->items);
}
