/* offsets.c - distances between the accesses of an instance, and whether they stay the same. */
#include "ndp/tom/offsets.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"

#define NO_ADDRESS UINT64_MAX

/* Whether all values seen are the same. */
struct sameness {
	uint64_t value, count;
	bool differs;
};

/* A memory instruction of a block. */
struct access {
	struct sameness first;	/* distance from the instance's first access, at its first execution */
	struct sameness stride; /* distance from its last execution, at the others */
	struct sameness index;	/* distance from the latest execution of the instance's first instruction */
};

struct instance {
	bool is_open;
	uint32_t block, lane;
	uint32_t leader; /* the first instruction, as its number in the block; valid with first_addr */
	uint64_t first_addr;
};

struct tom_offsets {
	struct instance *instances;
	uint32_t instance_count;
	const struct ndp_blocks *blocks;
	uint32_t *first_access; /* [block]: its first one in accesses; one more entry: their number */
	uint32_t *first_pc;	/* [block]: in access_of */
	uint32_t *access_of;	/* [first_pc + pc - begin]: number in the block */
	struct access *accesses;
	uint64_t *last_addr; /* [instance * access_max + number in the block] */
	uint32_t access_max; /* of a block */
};

struct tom_offsets *tom_offsets_new(uint32_t instance_count)
{
	struct tom_offsets *o = g_new0(struct tom_offsets, 1);

	o->instances = g_new0(struct instance, instance_count);
	o->instance_count = instance_count;
	return o;
}

static void tables_free(struct tom_offsets *o)
{
	g_free(o->first_access);
	g_free(o->first_pc);
	g_free(o->access_of);
	g_free(o->accesses);
	g_free(o->last_addr);
}

void tom_offsets_free(struct tom_offsets *o)
{
	if (!o)
		return;
	tables_free(o);
	g_free(o->instances);
	g_free(o);
}

void tom_offsets_forget(struct tom_offsets *o)
{
	memset(o->instances, 0, o->instance_count * sizeof(*o->instances));
}

void tom_offsets_kernel_begin(struct tom_offsets *o, const struct simt_program *p, const struct ndp_blocks *blocks)
{
	uint32_t pcs = 0, accesses = 0;

	tables_free(o);
	tom_offsets_forget(o);
	o->blocks = blocks;
	o->access_max = 0;
	o->first_access = g_new(uint32_t, blocks->count + 1);
	o->first_pc = g_new(uint32_t, blocks->count + 1);
	for (uint32_t i = 0; i < blocks->count; i++) {
		o->first_pc[i] = pcs;
		pcs += blocks->items[i].block.last_pc - blocks->items[i].block.begin_pc + 1;
	}
	o->access_of = g_new0(uint32_t, pcs + 1);
	for (uint32_t i = 0; i < blocks->count; i++) {
		const struct carry_block *b = &blocks->items[i].block;
		uint32_t count = 0;

		for (uint32_t pc = b->begin_pc; pc <= b->last_pc; pc++) {
			o->access_of[o->first_pc[i] + pc - b->begin_pc] = count;
			count += p->insts[pc].unit == SIMT_UNIT_LDST;
		}
		o->first_access[i] = accesses;
		accesses += count;
		o->access_max = count > o->access_max ? count : o->access_max;
	}
	o->first_access[blocks->count] = accesses;
	o->accesses = g_new0(struct access, accesses + 1);
	o->last_addr = g_new(uint64_t, (size_t)o->instance_count * o->access_max + 1);
}

void tom_offsets_open(struct tom_offsets *o, uint32_t instance, uint32_t block)
{
	o->instances[instance] = (struct instance){.is_open = true, .block = block, .first_addr = NO_ADDRESS};
	memset(&o->last_addr[(size_t)instance * o->access_max], 0xff, o->access_max * sizeof(*o->last_addr));
}

static void see(struct sameness *s, uint64_t value)
{
	if (!s->count++)
		s->value = value;
	s->differs |= s->value != value;
}

void tom_offsets_touch(struct tom_offsets *o, uint32_t instance, uint32_t pc, uint32_t mask, const uint64_t *addr)
{
	struct instance *in = &o->instances[instance];
	uint64_t *last = &o->last_addr[(size_t)instance * o->access_max];

	if (!in->is_open)
		return;

	const struct carry_block *b = &o->blocks->items[in->block].block;

	CHECK(pc >= b->begin_pc && pc <= b->last_pc);

	uint32_t number = o->access_of[o->first_pc[in->block] + pc - b->begin_pc];
	struct access *a = &o->accesses[o->first_access[in->block] + number];

	if (in->first_addr == NO_ADDRESS) {
		in->lane = (uint32_t)__builtin_ctz(mask);
		in->leader = number;
		in->first_addr = last[number] = addr[in->lane];
		return;
	}
	if (!(mask >> in->lane & 1))
		return;

	uint64_t at = addr[in->lane];

	if (last[number] == NO_ADDRESS)
		see(&a->first, at - in->first_addr);
	else
		see(&a->stride, at - last[number]);
	if (number != in->leader)
		see(&a->index, at - last[in->leader]);
	last[number] = at;
}

static uint64_t compared(const struct sameness *s)
{
	return s->count ? s->count - 1 : 0;
}

void tom_offsets_add(const struct tom_offsets *o, uint32_t block, struct ndp_offset_share *share)
{
	for (uint32_t i = o->first_access[block]; i < o->first_access[block + 1]; i++) {
		const struct access *a = &o->accesses[i];
		uint64_t count = compared(&a->first) + compared(&a->stride);
		bool has_index = a->index.count == a->first.count + a->stride.count && !a->index.differs;
		bool has_stride = !a->first.differs && !a->stride.differs;

		share->accesses += count;
		share->fixed += has_index || has_stride ? count : 0;
	}
}

enum tom_offset_class tom_offset_class_of(const struct ndp_offset_share *share)
{
	uint64_t fixed = share->fixed, all = share->accesses;

	if (!all)
		return TOM_OFFSET_CLASSES;
	if (fixed == all)
		return TOM_OFFSET_ALL;
	if (!fixed)
		return TOM_OFFSET_NONE;
	return fixed * 4 >= all * 3 ? TOM_OFFSET_75
	       : fixed * 2 >= all   ? TOM_OFFSET_50
	       : fixed * 4 >= all   ? TOM_OFFSET_25
				    : TOM_OFFSET_0;
}
