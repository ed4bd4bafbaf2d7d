/* test_tags.c - a processor's or an NDP's cache holds what fits into it: pages of one channel, of some or of all, in a
 * last level of one slice or of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/tags.h"

enum { SLICES_MAX = 16, SHAPE_LINES = 64 };

struct shape {
	uint64_t sets, slices, channels, frame_lines;
	uint32_t ways;
};

/* The i-th line of frames of the first `used` channels; frame f is behind channel f modulo channels. */
static uint64_t line_of(const struct shape *s, uint64_t i, uint64_t used)
{
	const uint64_t frame = i / s->frame_lines;

	return (frame / used * s->channels + frame % used) * s->frame_lines + i % s->frame_lines;
}

static uint64_t second_round_misses(const struct shape *s, struct cpu_tags *slices, uint64_t lines, uint64_t used)
{
	uint64_t misses = 0;

	for (uint32_t round = 0; round < 2; round++) {
		misses = 0;
		for (uint64_t i = 0; i < lines; i++) {
			const uint64_t line = line_of(s, i, used);
			struct cpu_tags *c = &slices[cpu_tags_slice(slices, line)];
			struct cpu_tag *tag = cpu_tags_find(c, line);

			misses += !tag;
			if (!tag) {
				tag = cpu_tags_victim(c, line);
				*tag = (struct cpu_tag){.line = line, .state = 1};
			}
			cpu_tags_use(c, tag);
		}
	}
	return misses;
}

static void hold(const struct shape *s, uint64_t used)
{
	const uint64_t capacity = s->sets * s->ways * s->slices;
	struct cpu_tags slices[SLICES_MAX];
	uint64_t misses;

	for (uint32_t i = 0; i < s->slices; i++) {
		cpu_tags_init(&slices[i], s->sets * s->ways * SHAPE_LINES, s->ways, SHAPE_LINES);
		cpu_tags_is_part(&slices[i], s->slices, s->channels, (uint32_t)__builtin_ctzll(s->frame_lines));
	}
	misses = second_round_misses(s, slices, capacity * 3 / 4, used);
	if (misses)
		fail_msg("%llu sets of %u ways, %llu slices, %llu of %llu channels with frames of %llu lines: %llu of "
			 "%llu missed in the second round",
			 (unsigned long long)s->sets, s->ways, (unsigned long long)s->slices, (unsigned long long)used,
			 (unsigned long long)s->channels, (unsigned long long)s->frame_lines,
			 (unsigned long long)misses, (unsigned long long)(capacity * 3 / 4));
	for (uint32_t i = 0; i < s->slices; i++)
		cpu_tags_free(&slices[i]);
}

static void what_fits_is_held(void **state)
{
	static const uint64_t sets[] = {64, 512, 640}, slices[] = {1, 4, 10}, channels[] = {1, 2, 4, 8},
			      frames[] = {32, 128, 1024};

	(void)state;
	for (uint32_t i = 0; i < 3 * 3 * 4 * 3 * 2; i++) {
		const struct shape s = {.sets = sets[i % 3],
					.slices = slices[i / 3 % 3],
					.channels = channels[i / 9 % 4],
					.frame_lines = frames[i / 36 % 3],
					.ways = i / 108 ? 4 : 8};

		for (uint64_t used = 1; used <= s.channels; used *= 2)
			hold(&s, used);
	}
}

/* Strides that are multiples of the slices, or of the channels' frames, go to all slices. */
static void strides_reach_all_slices(void **state)
{
	(void)state;
	for (uint64_t count = 2; count <= SLICES_MAX; count++)
		for (uint64_t stride = 1; stride <= 4096; stride *= 2) {
			struct cpu_tags c;
			uint64_t seen = 0;

			cpu_tags_init(&c, 64 * SHAPE_LINES, 8, SHAPE_LINES);
			cpu_tags_is_part(&c, count, 4, 6);
			for (uint64_t i = 0; i < 64 * count; i++)
				seen |= 1ull << cpu_tags_slice(&c, i * stride * count);
			assert_int_equal(seen, (1ull << count) - 1);
			cpu_tags_free(&c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_fits_is_held),
					   cmocka_unit_test(strides_reach_all_slices)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
