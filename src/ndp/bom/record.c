/* record.c - times of resident and of completed blocks, per core. */
#include "ndp/bom/record.h"

#include "base/check.h"

void bom_core_begin(struct bom_core *c, bool forgets)
{
	c->count = 0;
	c->turn = 0;
	if (forgets)
		c->done_count = c->done_cycles = 0;
}

struct bom_block *bom_core_block(struct bom_core *c, uint64_t cta)
{
	uint32_t i = 0;

	while (i < c->count && c->blocks[i].cta != cta)
		i++;
	CHECK(i < c->count);
	return &c->blocks[i];
}

void bom_core_placed(struct bom_core *c, uint64_t cta, uint64_t cycle)
{
	CHECK(c->count < BOM_BLOCKS_MAX);
	c->blocks[c->count++] = (struct bom_block){.cta = cta, .launch_cycle = cycle};
}

/* Takes a block out; the order of the others stays. */
static struct bom_block take(struct bom_core *c, uint64_t cta)
{
	uint32_t i = (uint32_t)(bom_core_block(c, cta) - c->blocks);
	struct bom_block b = c->blocks[i];

	for (c->count--; i < c->count; i++)
		c->blocks[i] = c->blocks[i + 1];
	return b;
}

uint64_t bom_core_done(struct bom_core *c, uint64_t cta, uint64_t cycle)
{
	struct bom_block b = take(c, cta);
	uint64_t cycles = cycle - b.launch_cycle;

	c->done_count++;
	c->done_cycles += cycles;
	for (uint32_t i = 0; i < c->count; i++) {
		struct bom_block *x = &c->blocks[i];

		if (x->launch_cycle == b.launch_cycle && !b.reference_cycles)
			x->reference_cycles = cycles;
		x->later_count += x->launch_cycle < b.launch_cycle;
	}
	return cycles;
}

void bom_core_left(struct bom_core *c, uint64_t cta)
{
	take(c, cta);
}
