/* input.c - what the items are; built without hooks, for it is no part of what is modelled. */
#include "sort.h"

/* One by one: the same in any number of parts. */
void items_input(const struct sorting *s)
{
	uint64_t digest = 0;

	for (uint32_t p = 0; p < s->part_count; p++)
		for (uint64_t i = 0; i < s->parts[p].items; i++)
			digest = workload_digest(digest, &s->parts[p].buffers[0][i], sizeof(struct item));
	workload_input_number(digest);
}
