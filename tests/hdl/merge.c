/* merge.c - merges lists on an accelerator: merge LISTS ITEMS [NDP [FAULT [claimed|constant]]]. FAULT is in the last
 * word of messages; claimed: the NDP owns the lists before; constant: the program itself cannot write the output. It
 * ends with 1 where the output is not the merge. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>
#include <sys/mman.h>

struct item {
	uint64_t key, value;
};

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

static void fill(struct item *items, uint64_t count)
{
	uint64_t key = 0;

	for (uint64_t i = 0; i < count; i++)
		items[i] = (struct item){key += next_random() % 4, next_random()};
}

static int is_merge(const struct item *out, const struct item *a, uint64_t as, const struct item *b, uint64_t bs)
{
	for (uint64_t i = 0, j = 0; i + j < as + bs; out++) {
		const struct item *is = j == bs || (i < as && a[i].key <= b[j].key) ? &a[i++] : &b[j++];

		if (out->key != is->key || out->value != is->value)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	const uint64_t lists = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 64;
	const uint32_t ndp = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	const uint64_t fault = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	const size_t bytes = most * sizeof(struct item);
	struct item *a = strata_alloc_on(lists * bytes, ndp), *b = strata_alloc_on(lists * bytes, ndp);
	struct item *out = strata_alloc_on(2 * lists * bytes, ndp);
	uint64_t counts[2 * lists + 1], begin;
	int is_good = 1;

	if (!strata_accelerator_count()) {
		puts("no accelerator");
		return 3;
	}
	for (uint64_t i = 0; i < lists; i++) {
		counts[2 * i] = i % 4 == 3 ? 0 : most - next_random() % (most / 2 + 1);
		counts[2 * i + 1] = i % 8 == 5 ? 0 : most - next_random() % (most / 2 + 1);
		fill(a + i * most, counts[2 * i]);
		fill(b + i * most, counts[2 * i + 1]);
	}
	if (argc > 5 && !strcmp(argv[5], "constant") && mprotect(out, 2 * lists * bytes, PROT_READ))
		return 6;
	if (strata_accelerator_map(ndp, a, lists * bytes) || strata_accelerator_map(ndp, b, lists * bytes) ||
	    strata_accelerator_map(ndp, out, 2 * lists * bytes))
		return 4;
	if (argc > 5 && !strcmp(argv[5], "claimed")) {
		memset(out, 0, 2 * lists * bytes); /* what nobody has touched cannot be claimed */
		strata_claim(a, lists * bytes, STRATA_NDP_OWNED);
		strata_claim(b, lists * bytes, STRATA_NDP_OWNED);
		strata_claim(out, 2 * lists * bytes, STRATA_NDP_OWNED);
	}
	begin = strata_time_ps();
	for (uint64_t i = 0; i < lists; i++) {
		const uint64_t message[8] = {i,
					     (uint64_t)(a + i * most),
					     counts[2 * i],
					     (uint64_t)(b + i * most),
					     counts[2 * i + 1],
					     (uint64_t)(out + 2 * i * most),
					     0,
					     fault};

		strata_accelerator_send(ndp, message, sizeof(message));
	}
	for (uint64_t i = 0; i < lists; i++) {
		uint64_t reply[8];

		if (strata_accelerator_receive(ndp, reply, sizeof(reply)) != sizeof(reply) || reply[0] >= lists)
			return 5;
	}
	printf("%llu ns\n", (unsigned long long)(strata_time_ps() - begin) / 1000);
	for (uint64_t i = 0; i < lists; i++)
		is_good &= is_merge(out + 2 * i * most, a + i * most, counts[2 * i], b + i * most, counts[2 * i + 1]);
	puts(is_good ? "merged" : "wrong");
	return !is_good;
}
