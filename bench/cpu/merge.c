/* merge.c - merge LISTS ITEMS: pairs of sorted lists of so many 16-byte items, merged by the accelerator of NDP 0
 * (workloads/hdl/merge.v). Nothing but the merges is modelled. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strata/ndp.h>

struct item {
	uint64_t key, value;
};

static void fill(struct item *items, uint64_t count, uint64_t step)
{
	for (uint64_t i = 0; i < count; i++)
		items[i] = (struct item){i * step, i};
}

static int is_sorted(const struct item *items, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++)
		if (items[i - 1].key > items[i].key)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	const uint64_t lists = argc > 1 ? strtoull(argv[1], NULL, 10) : 4;
	const uint64_t items = argc > 2 ? strtoull(argv[2], NULL, 10) : 4096;
	const uint64_t bytes = items * sizeof(struct item);
	struct item *in = strata_alloc_on(2 * lists * bytes, 0), *out = strata_alloc_on(2 * lists * bytes, 0);
	int is_good = 1;

	strata_modelling_end();
	for (uint64_t i = 0; i < 2 * lists; i++)
		fill(in + i * items, items, 2 + i % 2);
	strata_modelling_begin(STRATA_CACHES_COLD);
	if (strata_accelerator_map(0, in, 2 * lists * bytes) || strata_accelerator_map(0, out, 2 * lists * bytes))
		return 2;
	for (uint64_t i = 0; i < lists; i++) {
		const uint64_t message[8] = {i,     (uint64_t)(in + 2 * i * items),
					     items, (uint64_t)(in + (2 * i + 1) * items),
					     items, (uint64_t)(out + 2 * i * items)};

		strata_accelerator_send(0, message, sizeof(message));
	}
	for (uint64_t i = 0; i < lists; i++) {
		uint64_t reply[8];

		strata_accelerator_receive(0, reply, sizeof(reply));
	}
	strata_modelling_end();
	for (uint64_t i = 0; i < lists; i++)
		is_good &= is_sorted(out + 2 * i * items, 2 * items);
	printf("merge %lu x %lu: %s\n", (unsigned long)lists, (unsigned long)items, is_good ? "sorted" : "wrong");
	return !is_good;
}
