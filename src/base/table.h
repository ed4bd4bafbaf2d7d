/* table.h - a number for a number, 0 for those that have none, where the numbers that have one lie near one another:
 * the lines of a memory that is used from its beginning. Blocks of 64, made when the first of them gets a number. */
#ifndef STRATA_BASE_TABLE_H
#define STRATA_BASE_TABLE_H

#include <stdint.h>

enum { BASE_TABLE_SHIFT = 6, BASE_TABLE_BLOCK = 1 << BASE_TABLE_SHIFT };

/* A table of zeroes is an empty one. */
struct base_table {
	uint64_t **blocks; /* NULL: none of its numbers has one */
	uint64_t block_count;
};

void base_table_free(struct base_table *t);
/* The block is there afterwards; base_table_set calls it. */
void base_table_make(struct base_table *t, uint64_t block);

static inline uint64_t base_table_get(const struct base_table *t, uint64_t key)
{
	const uint64_t block = key >> BASE_TABLE_SHIFT;

	return block < t->block_count && t->blocks[block] ? t->blocks[block][key % BASE_TABLE_BLOCK] : 0;
}

/* The host fetches it meanwhile, if it is there. */
static inline void base_table_prefetch(const struct base_table *t, uint64_t key)
{
	const uint64_t block = key >> BASE_TABLE_SHIFT;

	if (block < t->block_count && t->blocks[block])
		__builtin_prefetch(&t->blocks[block][key % BASE_TABLE_BLOCK]);
}

static inline void base_table_set(struct base_table *t, uint64_t key, uint64_t value)
{
	const uint64_t block = key >> BASE_TABLE_SHIFT;

	if (block >= t->block_count || !t->blocks[block])
		base_table_make(t, block);
	t->blocks[block][key % BASE_TABLE_BLOCK] = value;
}

#endif
