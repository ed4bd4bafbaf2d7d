/* test_parts.c - caches that see a part of the lines hold what fits into them: three quarters of their lines, read
 * twice, miss nothing in the second round, whatever the numbers of stacks, slices, sets and ways, the map and the hash.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "rig.h"
#include "rounds.h"

enum { SETTINGS_MAX = 32, LINE_BYTES = 128 };

struct settings {
	char text[SETTINGS_MAX][24];
	const char *items[SETTINGS_MAX + 1];
	uint32_t count;
};

static void set(struct settings *s, const char *key, const char *value)
{
	assert_true(s->count + 2 <= SETTINGS_MAX);
	s->items[s->count++] = key;
	snprintf(s->text[s->count], sizeof(s->text[0]), "%s", value);
	s->items[s->count] = s->text[s->count];
	s->count++;
	s->items[s->count] = NULL;
}

static void set_number(struct settings *s, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	set(s, key, text);
}

/* ---- the slices of the L2 ---- */

struct shape {
	const char *map, *hash;
	uint32_t stacks, slices, vaults, ways, sets, map_bit;
};

static uint64_t misses_of(const struct shape *shape, uint64_t first, uint64_t lines)
{
	struct settings s = {.count = 0};
	struct rig r;
	uint64_t misses;

	set(&s, "run.audit", "false");
	set(&s, "gpu.address_map", shape->map);
	set(&s, "l2.index_hash", shape->hash);
	set_number(&s, "gpu.stack_count", shape->stacks);
	set_number(&s, "gpu.l2_slices_per_stack_count", shape->slices);
	set_number(&s, "dram.vault_count", shape->vaults);
	set_number(&s, "l2.way_count", shape->ways);
	set_number(&s, "gpu.map_bit", shape->map_bit);
	set_number(&s, "l2.size_bytes",
		   (uint64_t)shape->stacks * shape->slices * shape->ways * shape->sets * LINE_BYTES);
	rig_open(&r, NULL, NULL, s.items);
	misses = rounds_slices(r.gpu, first, lines);
	rig_close(&r);
	return misses;
}

static void hold(const struct shape *shape, uint32_t quarters, double share)
{
	const uint64_t capacity = (uint64_t)shape->stacks * shape->slices * shape->ways * shape->sets;
	const uint64_t lines = capacity * quarters / 4;
	/* Of four ways one is left for the lines before and behind what is aligned. */
	const uint64_t first = RIG_MEMORY + (shape->ways % 4 ? 0 : 37 * LINE_BYTES);
	const uint64_t misses = misses_of(shape, first, lines);

	if ((double)misses > share * (double)lines)
		fail_msg("%s, bit %u, %s: %u stacks x %u slices (%u vaults), %u sets of %u ways: %llu of %llu lines "
			 "missed in the second round",
			 shape->map, shape->map_bit, shape->hash, shape->stacks, shape->slices, shape->vaults,
			 shape->sets, shape->ways, (unsigned long long)misses, (unsigned long long)lines);
}

static void each_hash(struct shape shape)
{
	static const char *const hashes[] = {"none", "xor", "fermi"};
	/* Hashes turn an aligned range in itself; where stacks are divided out, a slice's begins anywhere. */
	const uint32_t count = shape.ways % 4 && !base_is_power_of_two(shape.stacks) ? 1 : ARRAY_COUNT(hashes);

	for (uint32_t i = 0; i < count; i++) {
		shape.hash = hashes[i];
		if (i < 2 || shape.sets == 32 || shape.sets == 64)
			hold(&shape, 3, 0);
	}
}

/* Is a range of a line for each set of each slice in all of them? Banks change with the row only. */
static bool reaches_all(const struct shape *s)
{
	return s->slices <= s->vaults || !strcmp(s->map, "divided") || s->vaults * s->sets >= 4096 / LINE_BYTES * 2;
}

static void each_cache(struct shape shape)
{
	static const uint32_t ways[] = {1, 2, 4, 24};

	for (uint32_t i = 0; i < ARRAY_COUNT(ways); i++)
		for (shape.sets = 8; shape.sets <= 256; shape.sets *= 2) {
			shape.ways = ways[i];
			if (reaches_all(&shape) &&
			    (uint64_t)shape.stacks * shape.slices * shape.ways * shape.sets * LINE_BYTES <=
				4 << 20)
				each_hash(shape);
		}
}

/* Slices divide a stack's vaults; more of them, the banks. */
static void each_slice_count(struct shape shape, const uint32_t *vaults, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (shape.slices = 1; shape.slices <= 16; shape.slices *= 4) {
			shape.vaults = vaults[i];
			if (shape.slices <= shape.vaults ? shape.vaults % shape.slices == 0
							 : shape.slices % shape.vaults == 0)
				each_cache(shape);
		}
}

static void baseline(void **state)
{
	static const uint32_t vaults[] = {16, 2};

	(void)state;
	for (uint32_t stacks = 1; stacks <= 16; stacks *= 2)
		each_slice_count((struct shape){.map = "baseline", .stacks = stacks, .map_bit = 7}, vaults, 2);
}

static void divided(void **state)
{
	static const uint32_t vaults[] = {16, 1, 12};
	static const uint32_t stacks[] = {1, 4, 3, 6};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(stacks); i++)
		each_slice_count((struct shape){.map = "divided", .stacks = stacks[i], .map_bit = 7}, vaults, 3);
}

/* A range that lies in one stack as a whole does not fit the others' slices: the bits are below the sets' size. */
static void two_bit(void **state)
{
	(void)state;
	for (uint32_t bit = 7; bit <= 12; bit++)
		for (uint32_t stacks = 2; stacks <= 8; stacks *= 2)
			for (uint32_t sets = 32; sets <= 128; sets *= 2) {
				struct shape shape = {.map = "two_bit", .stacks = stacks, .map_bit = bit,
						      .slices = 4, .vaults = 16, .ways = 8, .sets = sets};

				if (LINE_BYTES << base_log2(4 * sets * stacks) >= 1 << bit << base_log2(stacks))
					each_hash(shape);
			}
}

/* Where chance has put the pages, some sets have more than their share: half of the lines, and few of them miss. */
static void random_page(void **state)
{
	(void)state;
	for (uint32_t stacks = 2; stacks <= 16; stacks *= 2)
		for (uint32_t slices = 1; slices <= 16; slices *= 4)
			for (uint32_t sets = 32; sets <= 128; sets *= 2) {
				struct shape shape = {.map = "random_page", .stacks = stacks, .map_bit = 7,
						      .hash = "xor", .slices = slices, .vaults = 16, .ways = 16,
						      .sets = sets};

				if (stacks * slices * sets >= 2048)
					hold(&shape, 2, 0.1);
			}
}

/* ---- caches of the stacks' SMs ---- */

static void hold_in_stack(const struct settings *s, uint32_t stacks)
{
	for (uint32_t has_all = 0; has_all < 2; has_all++) {
		struct rig r;
		uint64_t lines, misses;

		rig_open(&r, NULL, NULL, s->items);
		lines = r.config.l1d.size_bytes / r.config.l1d.line_bytes * 3 / 4;
		misses = rounds_stack(r.gpu, gpu_stack_sm(r.gpu, stacks - 1, 0)->l1d, stacks - 1, RIG_MEMORY, lines,
				      has_all);
		if (misses)
			fail_msg("%u stacks, %llu ways, map %llu, %s: %llu of %llu lines missed in the second round",
				 stacks, (unsigned long long)r.config.l1d.way_count,
				 (unsigned long long)r.config.gpu.address_map, has_all ? "all lines" : "the stack's",
				 (unsigned long long)misses, (unsigned long long)lines);
		rig_close(&r);
	}
}

static void stack_caches(void **state)
{
	static const char *const maps[] = {"baseline", "two_bit"}, *const hashes[] = {"none", "xor"};

	(void)state;
	for (uint32_t stacks = 2; stacks <= 16; stacks *= 2)
		for (uint32_t ways = 1; ways <= 8; ways *= 2)
			for (uint32_t i = 0; i < 4; i++) {
				struct settings s = {.count = 0};

				set(&s, "run.audit", "false");
				set(&s, "gpu.address_map", maps[i & 1]);
				set(&s, "l1d.index_hash", hashes[i >> 1]);
				set(&s, "gpu.map_bit", "8");
				set(&s, "gpu.stack_sm_count", "1");
				set_number(&s, "gpu.stack_count", stacks);
				set_number(&s, "l1d.way_count", ways);
				hold_in_stack(&s, stacks);
			}
}

/* ---- an extension's maps ---- */

enum { RANGE_BYTES = 1 << 20 };

/* Every second range is laid out by other bits of the address, as a learned mapping does it. */
static const struct gpu_map *other_of(const void *self, uint64_t addr_bytes)
{
	return addr_bytes / RANGE_BYTES % 2 ? self : NULL;
}

static void place_other(void *self, uint32_t sm, struct mem_req *r)
{
	const struct gpu_map *map = other_of(self, r->addr_bytes);
	struct mem_place at;

	(void)sm;
	if (!map)
		return;
	at = mem_map_place(&map->places, r->addr_bytes);
	r->stack = (uint8_t)at.stack;
	r->vault = (uint8_t)at.vault;
}

static void two_maps(void **state)
{
	static const struct gpu_ext_ops ops = {.place = place_other};
	static const char *const settings[] = {"run.audit", "false", "l2.size_bytes", "4194304",
					       "l2.way_count", "8", NULL};
	struct gpu_ext ext = {.ops = &ops};
	struct gpu_map map;
	struct rig r;

	(void)state;
	for (uint32_t bit = 7; bit <= 16; bit++) {
		rig_open(&r, NULL, NULL, settings);
		gpu_map_two_bit(&r.config, bit, LINE_BYTES, &map);
		ext.self = &map;
		r.gpu->placer = &ext;
		r.gpu->mapper = (struct gpu_mapper){other_of, &map};
		for (uint32_t i = 0; i < r.gpu->slice_count; i++)
			l2_slice_map(r.gpu->slices[i]);
		assert_int_equal(rounds_slices(r.gpu, RIG_MEMORY, 3 * RANGE_BYTES / LINE_BYTES), 0);
		r.gpu->placer = NULL;
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(baseline), cmocka_unit_test(divided), cmocka_unit_test(two_bit),
	    cmocka_unit_test(random_page), cmocka_unit_test(stack_caches), cmocka_unit_test(two_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
