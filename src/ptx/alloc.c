/* alloc.c - linear scan over live ranges: where the registers' values are while a program executes. How many registers
 * the hardware would give a thread is demand.c's answer.
 *
 * A range is the hull, in text order, of all points where the register is live: block boundaries come from the
 * liveness sets, so a value that is live around a loop covers the whole loop. Position 2n is where instruction n reads,
 * 2n + 1 where it writes: a result may take the slot of an operand that dies there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"

struct range {
	uint32_t reg, start, end;
	uint32_t width; /* slots */
	uint32_t align;
	uint32_t slot;
};

/* Slots in use, and the ranges that hold them as a heap with the earliest end first. */
struct pool {
	uint64_t *used;
	uint32_t words, high;
	struct range **heap;
	uint32_t heap_count;
};

static void cover(struct range *r, uint32_t at)
{
	if (r->start == UINT32_MAX || at < r->start)
		r->start = at;
	if (at > r->end)
		r->end = at;
}

static void cover_set(struct range *ranges, const uint64_t *set, uint32_t words, uint32_t at)
{
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1)
			cover(&ranges[w * 64 + (uint32_t)__builtin_ctzll(bits)], at);
}

static struct range *find_ranges(const struct ptx_cfg *c)
{
	const struct ptx_func *f = c->func;
	struct range *ranges = ptx_zeroed(f->reg_count, sizeof(*ranges));
	struct ptx_reg_use use;

	for (uint32_t r = 0; r < f->reg_count; r++)
		ranges[r] = (struct range){.reg = r,
					   .start = UINT32_MAX,
					   .width = ptx_reg_slots(&f->regs[r]),
					   .align = ptx_type_bytes(f->regs[r].type) > 4 ? 2 : 1};
	for (uint32_t b = 0; b < c->block_count; b++) {
		cover_set(ranges, c->live_in + (size_t)b * c->live_words, c->live_words, c->blocks[b].first * 2);
		cover_set(ranges, c->live_out + (size_t)b * c->live_words, c->live_words, c->blocks[b].last * 2 + 1);
	}
	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &use);
		for (uint32_t k = 0; k < use.read_count; k++)
			cover(&ranges[use.reads[k]], n * 2);
		for (uint32_t k = 0; k < use.write_count; k++)
			cover(&ranges[use.writes[k]], n * 2 + 1);
	}
	return ranges;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = *(struct range *const *)a, *y = *(struct range *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void heap_push(struct pool *p, struct range *r)
{
	uint32_t at = p->heap_count++;

	while (at && p->heap[(at - 1) / 2]->end > r->end) {
		p->heap[at] = p->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	p->heap[at] = r;
}

static struct range *heap_pop(struct pool *p)
{
	struct range *top = p->heap[0], *last = p->heap[--p->heap_count];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = at * 2 + 1;

		if (child >= p->heap_count)
			break;
		if (child + 1 < p->heap_count && p->heap[child + 1]->end < p->heap[child]->end)
			child++;
		if (p->heap[child]->end >= last->end)
			break;
		p->heap[at] = p->heap[child];
		at = child;
	}
	p->heap[at] = last;
	return top;
}

static void mark(struct pool *p, const struct range *r, bool used)
{
	uint64_t bits = ((1ull << r->width) - 1) << (r->slot % 64);

	if (used)
		p->used[r->slot / 64] |= bits;
	else
		p->used[r->slot / 64] &= ~bits;
}

/* The lowest free run of width slots, aligned, inside one 64-slot word. */
static uint32_t find_free(const struct pool *p, uint32_t width, uint32_t align)
{
	for (uint32_t w = 0; w < p->words; w++) {
		uint64_t run = ~p->used[w];

		for (uint32_t k = 1; k < width; k++)
			run &= ~p->used[w] >> k;
		if (align == 2)
			run &= 0x5555555555555555ull;
		if (run)
			return w * 64 + (uint32_t)__builtin_ctzll(run);
	}
	UNREACHABLE("the pool has room for all registers at once");
}

/* Numbers the ranges of list in order of their start; returns the number of slots needed. */
static uint32_t scan(struct range **list, uint32_t count)
{
	uint64_t total = 0;

	for (uint32_t k = 0; k < count; k++)
		total += list[k]->width;
	/* Runs stay inside a word: at worst a run of up to 8 leaves 7 slots of a word unused. */
	struct pool p = {.words = (uint32_t)(total / 56 + 2)};
	p.used = ptx_zeroed(p.words, sizeof(uint64_t));
	p.heap = ptx_zeroed(count, sizeof(*p.heap));
	qsort(list, count, sizeof(*list), compare_ranges);
	for (uint32_t k = 0; k < count; k++) {
		while (p.heap_count && p.heap[0]->end < list[k]->start)
			mark(&p, heap_pop(&p), false);
		list[k]->slot = find_free(&p, list[k]->width, list[k]->align);
		mark(&p, list[k], true);
		heap_push(&p, list[k]);
		if (list[k]->slot + list[k]->width > p.high)
			p.high = list[k]->slot + list[k]->width;
	}
	free(p.used);
	free(p.heap);
	return p.high;
}

/* Slots from first on for the ranges of list with elements of this many slots; returns the first slot behind them. */
static uint32_t number_by_width(struct ptx_alloc *a, struct range **list, uint32_t count, uint32_t align,
				uint32_t first)
{
	struct range **same = ptx_zeroed(count, sizeof(*same));
	uint32_t same_count = 0, end;

	for (uint32_t k = 0; k < count; k++)
		if (list[k]->align == align)
			same[same_count++] = list[k];
	end = first + scan(same, same_count);
	for (uint32_t k = 0; k < same_count; k++)
		a->slot[same[k]->reg] = first + same[k]->slot;
	free(same);
	return end;
}

struct ptx_alloc *ptx_alloc_build(const struct ptx_cfg *c, const struct ptx_call_need *need)
{
	const struct ptx_func *f = c->func;
	struct ptx_alloc *a = ptx_zeroed(1, sizeof(*a));
	struct range *ranges = find_ranges(c);
	struct range **list = ptx_zeroed(f->reg_count, sizeof(*list));
	uint32_t count = 0;

	a->slot = ptx_zeroed(f->reg_count, sizeof(uint32_t));
	memset(a->slot, 0xff, f->reg_count * sizeof(uint32_t));
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (ranges[r].start != UINT32_MAX && f->regs[r].type != PTX_PRED)
			list[count++] = &ranges[r];
	a->whole_count = scan(list, count);
	a->wide_slot_count = number_by_width(a, list, count, 2, 0);
	a->slot_count = number_by_width(a, list, count, 1, a->wide_slot_count);
	count = 0;
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (ranges[r].start != UINT32_MAX && f->regs[r].type == PTX_PRED)
			list[count++] = &ranges[r];
	a->pred_count = scan(list, count);
	for (uint32_t k = 0; k < count; k++)
		a->slot[list[k]->reg] = list[k]->slot;
	a->live_max = ptx_live_max(c);
	a->register_count = ptx_demand_max(c, need);
	free(list);
	free(ranges);
	return a;
}

void ptx_alloc_free(struct ptx_alloc *a)
{
	if (a)
		free(a->slot);
	free(a);
}
