/* table.c - blocks of a table, and the list of them, which grows. */
#include "base/table.h"

#include <glib.h>
#include <string.h>

void base_table_make(struct base_table *t, uint64_t block)
{
	if (block >= t->block_count) {
		const uint64_t count = MAX(block + 1, 2 * t->block_count);

		t->blocks = g_renew(uint64_t *, t->blocks, count);
		memset(t->blocks + t->block_count, 0, (count - t->block_count) * sizeof(*t->blocks));
		t->block_count = count;
	}
	if (!t->blocks[block])
		t->blocks[block] = g_new0(uint64_t, BASE_TABLE_BLOCK);
}

void base_table_free(struct base_table *t)
{
	for (uint64_t i = 0; i < t->block_count; i++)
		g_free(t->blocks[i]);
	g_free(t->blocks);
	*t = (struct base_table){0};
}
