/* tags.h - the lines that a cache holds: sets of ways, least recently used first out. */
#ifndef STRATA_CPU_TAGS_H
#define STRATA_CPU_TAGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "cpu/version.h"

struct cpu_tag {
	uint64_t line;
	cpu_version version;
	uint64_t used : 48;
	uint64_t state : 8;    /* enum cpu_state; 0: nothing here */
	uint64_t is_ahead : 1; /* a prefetcher brought it, and nobody has used it yet */
	uint64_t is_kept : 1;  /* an NDP-AP has asked for more of it: it does not make room */
};

#define CPU_TAG_USED_MAX ((1ull << 48) - 1)

struct cpu_tags {
	struct cpu_tag *tags;
	uint64_t *lines; /* of tags, so that looking for one touches little memory; the tags lie behind them */
	uint64_t set_count, mask, clock; /* mask: of the set, where set_count is a power of two */
	uint32_t way_count;
	bool has_mask;
	void *memory; /* of both */
};

/* bytes is a multiple of ways * line_bytes; any number of sets. */
static inline void cpu_tags_init(struct cpu_tags *c, uint64_t bytes, uint32_t ways, uint64_t line_bytes)
{
	const uint64_t count = bytes / line_bytes;

	*c = (struct cpu_tags){.set_count = count / ways, .way_count = ways};
	c->mask = c->set_count - 1;
	c->has_mask = !(c->set_count & c->mask);
	/* Of a large cache the host has only what is used. */
	c->memory = g_malloc0(count * (sizeof(*c->lines) + sizeof(*c->tags)) + HOST_LINE_BYTES);
	c->lines = (uint64_t *)(((uintptr_t)c->memory + HOST_LINE_BYTES - 1) & ~(uintptr_t)(HOST_LINE_BYTES - 1));
	c->tags = (struct cpu_tag *)(void *)(c->lines + count);
}

static inline void cpu_tags_clear(struct cpu_tags *c)
{
	for (uint64_t i = 0; i < c->set_count * c->way_count; i++)
		c->tags[i].state = 0;
}

static inline void cpu_tags_free(struct cpu_tags *c)
{
	g_free(c->memory);
}

/* Of the first way of the line's set. */
static inline uint64_t cpu_tags_set(const struct cpu_tags *c, uint64_t line)
{
	return (c->has_mask ? line & c->mask : line % c->set_count) * c->way_count;
}

/* NULL: it is not there. */
static inline struct cpu_tag *cpu_tags_find(const struct cpu_tags *c, uint64_t line)
{
	const uint64_t set = cpu_tags_set(c, line);

	for (uint64_t i = set; i < set + c->way_count; i++)
		if (c->lines[i] == line && c->tags[i].state)
			return &c->tags[i];
	return NULL;
}

/* Where the line goes, with what is there; who asks puts it there. */
static inline struct cpu_tag *cpu_tags_victim(const struct cpu_tags *c, uint64_t line)
{
	const uint64_t set = cpu_tags_set(c, line);
	uint64_t oldest = set;

	for (uint64_t i = set; i < set + c->way_count; i++) {
		if (!c->tags[i].state) {
			oldest = i;
			break;
		}
		if (c->tags[i].used < c->tags[oldest].used)
			oldest = i;
	}
	c->lines[oldest] = line;
	return &c->tags[oldest];
}

/* Who chooses the place himself: it is the line's from now on. */
static inline void cpu_tags_take(const struct cpu_tags *c, const struct cpu_tag *tag, uint64_t line)
{
	c->lines[tag - c->tags] = line;
}

static inline void cpu_tags_use(struct cpu_tags *c, struct cpu_tag *tag)
{
	tag->used = ++c->clock & CPU_TAG_USED_MAX;
}

#endif
