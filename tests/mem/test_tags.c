/* test_tags.c - a table of tags against a naive list of what each set used, in order; sets of 1 to 20 ways, ways that
 * may not go, keys that share marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem/tags.h"

enum { SETS = 4, WAYS_MAX = 20, STEPS = 20000 };

struct tag {
	MEM_TAG;
	bool is_kept;
};

struct table {
	MEM_TAGS(struct tag);
};

/* The lines of a set, the one used last first. */
struct naive {
	uint64_t lines[WAYS_MAX];
	uint32_t count;
};

static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static uint32_t place_of(const struct naive *n, uint64_t line)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (n->lines[i] == line)
			return i;
	return n->count;
}

static void remove_at(struct naive *n, uint32_t at)
{
	n->count--;
	for (; at < n->count; at++)
		n->lines[at] = n->lines[at + 1];
}

static void to_front(struct naive *n, uint64_t line)
{
	for (uint32_t i = n->count++; i; i--)
		n->lines[i] = n->lines[i - 1];
	n->lines[0] = line;
}

/* The line of the set that must go: the one used longest ago that is not kept; UINT64_MAX: none may. */
static uint64_t must_go(struct table *t, const struct naive *n, uint64_t set)
{
	for (uint32_t i = n->count; i; i--)
		if (!mem_tags_find(t, set, n->lines[i - 1])->is_kept)
			return n->lines[i - 1];
	return UINT64_MAX;
}

static void insert(struct table *t, struct naive *n, uint64_t set, uint64_t line)
{
	const uint64_t goes = n->count == t->way_count ? must_go(t, n, set) : 0;
	struct tag *tag = mem_tags_victim(t, set, way, !way->is_kept);

	if (goes == UINT64_MAX) {
		assert_null(tag);
		return;
	}
	assert_non_null(tag);
	assert_int_equal((uint64_t)(tag - t->tags) / t->way_count, set);
	if (n->count < t->way_count) {
		assert_int_equal(tag->state, 0);
	} else {
		assert_int_equal(tag->line, goes);
		remove_at(n, place_of(n, goes));
	}
	mem_tags_take(t, tag, line);
	*tag = (struct tag){.line = line, .state = 1};
	mem_tags_use(t, tag);
	to_front(n, line);
}

static void step(struct table *t, struct naive *sets, uint64_t *state)
{
	/* Multiples of 2^32 have one mark, that of 0. */
	const uint64_t key = draw(state) % (3 * SETS * t->way_count), line = draw(state) % 4 ? key : key << 32;
	const uint64_t set = key % SETS;
	struct naive *n = &sets[set];
	struct tag *tag = mem_tags_find(t, set, line);

	assert_int_equal(tag != NULL, place_of(n, line) < n->count);
	if (!tag) {
		insert(t, n, set, line);
		return;
	}
	assert_int_equal(tag->line, line);
	remove_at(n, place_of(n, line));
	if (draw(state) % 8 == 0) {
		*tag = (struct tag){0};
		return;
	}
	tag->is_kept = draw(state) % 8 == 0;
	mem_tags_use(t, tag);
	to_front(n, line);
}

static void holds_what_a_list_holds(void **unused)
{
	(void)unused;
	for (uint32_t ways = 1; ways <= WAYS_MAX; ways++) {
		struct naive sets[SETS] = {0};
		struct table t;
		uint64_t state = ways;

		mem_tags_init(&t, SETS, ways);
		assert_int_equal((uintptr_t)t.tags % HOST_LINE_BYTES, 0);
		for (uint32_t i = 0; i < STEPS; i++)
			step(&t, sets, &state);
		mem_tags_clear(&t);
		for (uint32_t i = 0; i < SETS; i++)
			for (uint32_t k = 0; k < sets[i].count; k++)
				assert_null(mem_tags_find(&t, i, sets[i].lines[k]));
		mem_tags_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_a_list_holds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
