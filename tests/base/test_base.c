/* Chains, words, hashes and conversions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "base/table.h"
#include "base/units.h"

struct item {
	int value;
	struct item *behind;
};

struct line {
	BASE_FIFO(struct item);
};

/* First in, first out; one that has run empty takes items again, and another's `behind` is forgotten. */
static void test_fifo(void **state)
{
	struct item items[3] = {{.value = 1}, {.value = 2}, {.value = 3}};
	struct line line = {0}, other = {0};

	(void)state;
	items[1].behind = &items[0];
	base_fifo_push(&line, &items[0], behind);
	base_fifo_push(&line, &items[1], behind);
	assert_int_equal(base_fifo_pop(&line, behind)->value, 1);
	base_fifo_push(&line, &items[2], behind);
	assert_int_equal(base_fifo_pop(&line, behind)->value, 2);
	base_fifo_push(&other, base_fifo_pop(&line, behind), behind);
	assert_null(line.first);
	base_fifo_push(&line, &items[0], behind);
	assert_ptr_equal(line.first, &items[0]);
	assert_ptr_equal(other.first, &items[2]);
	assert_null(line.first->behind);
}

struct member {
	uint32_t value;
	struct member *under;
	BASE_LINKS(struct member) others;
};

static void test_stack_and_list(void **state)
{
	struct member m[3] = {{.value = 1}, {.value = 2}, {.value = 3}}, *top = NULL, *list = NULL;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		base_stack_push(&top, &m[i], under);
		base_list_push(&list, &m[i], others);
	}
	assert_int_equal(base_stack_pop(&top, under)->value, 3);
	assert_int_equal(base_stack_pop(&top, under)->value, 2);
	assert_ptr_equal(top, &m[0]);
	base_list_remove(&list, &m[1], others); /* in the middle, in front, the last one */
	assert_ptr_equal(list, &m[2]);
	assert_ptr_equal(m[2].others.next, &m[0]);
	assert_ptr_equal(m[0].others.prev, &m[2]);
	base_list_remove(&list, &m[2], others);
	assert_ptr_equal(list, &m[0]);
	assert_null(m[0].others.prev);
	base_list_remove(&list, &m[0], others);
	assert_null(list);
}

static void test_ring(void **state)
{
	uint32_t places[3], next_in = 0, next_out = 0;
	struct {
		BASE_RING(uint32_t);
	} ring = {.items = places, .cap = 3};

	(void)state;
	for (uint32_t round = 0; round < 10; round++) {
		while (ring.count < (round & 1 ? 2u : 3u))
			*base_ring_push(&ring) = next_in++;
		for (uint32_t i = 0; i < ring.count; i++)
			assert_int_equal(*base_ring_at(&ring, i), next_out + i);
		for (uint32_t i = 0; i < 2; i++, next_out++)
			base_ring_pop(&ring);
	}
	assert_int_equal(next_in - next_out, ring.count);
}

static void test_bits(void **state)
{
	(void)state;
	assert_int_equal(base_log2(1), 0);
	assert_int_equal(base_log2(1ull << 40), 40);
	assert_int_equal(base_max_u64(3, UINT64_MAX), UINT64_MAX);
	assert_int_equal(base_min_u64(3, UINT64_MAX), 3);
	/* Round robin: the next above, then from the lowest again. */
	assert_int_equal(base_bit_after(0x29, 0), 3);
	assert_int_equal(base_bit_after(0x29, 3), 5);
	assert_int_equal(base_bit_after(0x29, 5), 0);
	assert_int_equal(base_bit_after(1ull << 63 | 2, 63), 1);
	assert_int_equal(base_bit_after(1ull << 63, 62), 63);
}

/* Published values of FNV-1a. */
static void test_hash(void **state)
{
	(void)state;
	assert_int_equal(base_hash_add(BASE_HASH_BEGIN, "a", 1), 0xaf63dc4c8601ec8cull);
	assert_int_equal(base_hash_add(base_hash_add(BASE_HASH_BEGIN, "foo", 3), "bar", 3), 0x85944171f73967e8ull);
}

/* In ps; the third would overflow 64 bits on the way. */
static void say(void *ctx, char *buf, unsigned long size_bytes)
{
	snprintf(buf, size_bytes, "%s", (const char *)ctx);
}

/* Every machine of the process says where it stands, the newest first; one that is gone does not. */
static void test_bug_states(void **state)
{
	struct base_bug_state first = {say, "first", NULL}, gone = {say, "gone", NULL}, last = {say, "last", NULL};
	char text[512] = "";
	int out[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		dup2(out[1], STDERR_FILENO);
		base_bug_state_add(&first);
		base_bug_state_add(&gone);
		base_bug_state_add(&last);
		base_bug_state_remove(&gone);
		base_bug_at("here.c", 7, "for the test");
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "strata: internal error at here.c:7: for the test\n"
				  "strata: state: last\nstrata: state: first\n");
	close(out[0]);
	close(out[1]);
}

static void test_transfer(void **state)
{
	(void)state;
	assert_int_equal(base_transfer_ps(3, 2000), 1500);
	assert_int_equal(base_transfer_ps(12000000000ull, 8000), 1500 * BASE_PS_PER_MS);
	assert_int_equal(base_transfer_ps(1ull << 50, 1000000), (uint64_t)1 << 50);
	assert_int_equal(base_transfer_ps(1, 3000000), 0);
}

/* Against a list of all keys: neighbours, keys that are far apart, and taking out, which closes gaps. */
static void test_map(void **state)
{
	enum { KEYS = 700, ROUNDS = 40000 };
	uint64_t values[KEYS] = {0}, random = 1, count = 0;
	struct base_map m;

	(void)state;
	base_map_init(&m);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;

		const uint32_t k = (uint32_t)(random >> 33) % KEYS;
		const uint64_t value = random >> 60 < 7 ? 0 : random >> 8, key = k < KEYS / 2 ? k : (uint64_t)k << 40;

		base_map_set(&m, key, value);
		count = count - (values[k] > 0) + (value > 0);
		values[k] = value;
		assert_int_equal(m.count, count);
		assert_true(m.count <= (m.mask + 1) / 2);
		if (i % 100 == 0 || i > ROUNDS - 10)
			for (uint32_t n = 0; n < KEYS; n++)
				assert_int_equal(base_map_get(&m, n < KEYS / 2 ? n : (uint64_t)n << 40), values[n]);
	}
	base_map_free(&m);
}

/* Against a list: keys of many blocks, and of one that comes long before others; what has no number is 0. */
static void test_table(void **state)
{
	enum { KEYS = 1000, ROUNDS = 20000 };
	uint64_t values[KEYS] = {0}, random = 1;
	struct base_table t = {0};

	(void)state;
	assert_int_equal(base_table_get(&t, UINT64_MAX), 0);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;

		const uint32_t k = (uint32_t)(random >> 33) % KEYS;

		values[k] = random >> 60 < 7 ? 0 : random >> 8;
		base_table_set(&t, k < KEYS / 2 ? k : 5000 * (uint64_t)k, values[k]);
		for (uint32_t n = 0; n < KEYS; n += i % 100 ? 97 : 1)
			assert_int_equal(base_table_get(&t, n < KEYS / 2 ? n : 5000 * (uint64_t)n), values[n]);
	}
	assert_int_equal(base_table_get(&t, UINT64_MAX), 0);
	base_table_free(&t);
	assert_int_equal(base_table_get(&t, 1), 0);
}

/* Of a pool items that came back are taken first; a ring that is full grows, and keeps its order round the end. */
static void test_pool_and_growing_ring(void **state)
{
	BASE_POOL(struct member) pool = {NULL, NULL};
	struct member *a = base_pool_take(&pool, under), *b, *all[100];
	struct {
		BASE_RING(uint32_t);
	} ring = {0};
	uint32_t next = 0;

	(void)state;
	assert_int_equal(a->value, 0);
	base_pool_put(&pool, a, under);
	b = base_pool_take(&pool, under);
	assert_ptr_equal(a, b);
	base_pool_reset(&pool, under); /* nobody has b any more */
	for (uint32_t i = 0; i < ARRAY_COUNT(all); i++) {
		all[i] = base_pool_take(&pool, under);
		all[i]->value = i + 1;
	}
	for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
		assert_int_equal(all[i]->value, i + 1);
	base_pool_free(&pool); /* with all that are in use: the leak checker looks */
	assert_null(pool.unused);
	assert_null(pool.blocks);
	for (uint32_t i = 0; i < 100; i++) {
		base_ring_grow(&ring);
		*base_ring_push(&ring) = i;
		if (i % 3 == 0) {
			assert_int_equal(*base_ring_first(&ring), next++);
			base_ring_pop(&ring);
		}
	}
	for (; ring.count; next++) {
		assert_int_equal(*base_ring_first(&ring), next);
		base_ring_pop(&ring);
	}
	assert_int_equal(next, 100);
	g_free(ring.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_stack_and_list), cmocka_unit_test(test_pool_and_growing_ring),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_bug_states),
		cmocka_unit_test(test_transfer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
