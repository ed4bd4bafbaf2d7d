/* tags.h - the lines that a cache holds: sets of ways, least recently used first out.
 *
 * Where pages have channels, every channel_count-th frame is a channel's, and what is near it sees these alone; a slice
 * sees every slice_count-th line. Such a cache goes by the line's number among those: sets would stay empty otherwise.
 */
#ifndef STRATA_CPU_TAGS_H
#define STRATA_CPU_TAGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/divide.h"
#include "cpu/version.h"
#include "mem/tags.h"

struct cpu_tag {
	MEM_TAG;	       /* state: enum cpu_state */
	uint64_t is_ahead : 1; /* a prefetcher brought it, and nobody has used it yet */
	uint64_t is_kept : 1;  /* an NDP-AP has asked for more of it: it does not make room */
	cpu_version version;
};

/* Channels of frames of 1 << frame_shift lines; slices, of which the cache is one. */
struct cpu_parts {
	struct base_divisor channels, slices;
	uint32_t frame_shift;
};

struct cpu_tags {
	MEM_TAGS(struct cpu_tag);
	struct cpu_parts *parts; /* NULL: its sets see all lines alike */
	bool has_mask;           /* set_count is a power of two */
};

/* bytes is a multiple of ways * line_bytes; any number of sets. */
static inline void cpu_tags_init(struct cpu_tags *c, uint64_t bytes, uint32_t ways, uint64_t line_bytes)
{
	*c = (struct cpu_tags){0};
	mem_tags_init(c, bytes / line_bytes / ways, ways);
	c->has_mask = base_is_power_of_two(c->set_count);
}

/* It is one of slice_count; 1 << frame_shift of its lines are a frame of one of channel_count channels. Before the
 * first line. */
static inline void cpu_tags_is_part(struct cpu_tags *c, uint64_t slice_count, uint64_t channel_count,
				    uint32_t frame_shift)
{
	/* All sets have a line of a frame, whichever frame it is. */
	if (slice_count == 1 && (channel_count == 1 || (c->has_mask && c->set_count <= UINT64_C(1) << frame_shift)))
		return;
	c->parts = g_new(struct cpu_parts, 1);
	*c->parts = (struct cpu_parts){base_divisor_of(channel_count), base_divisor_of(slice_count), frame_shift};
}

/* The line's number among those of its channel. */
static inline uint64_t cpu_parts_number(const struct cpu_parts *p, uint64_t line, uint64_t *channel)
{
	return base_divide(line >> p->frame_shift, &p->channels, channel) << p->frame_shift |
	       (line & ((UINT64_C(1) << p->frame_shift) - 1));
}

/* The slice of the line: each has one of slice_count successive lines of a channel, in an order that a hash turns, so
 * that no stride of lines stays in one. */
static inline uint32_t cpu_tags_slice(const struct cpu_tags *c, uint64_t line)
{
	const struct cpu_parts *p = c->parts;
	uint64_t channel, rest, group;

	if (!p)
		return 0;
	group = base_divide(cpu_parts_number(p, line, &channel), &p->slices, &rest);
	base_divide(rest + ((group * p->channels.count + channel) * 0x9e3779b97f4a7c15u >> 32), &p->slices, &rest);
	return (uint32_t)rest;
}

/* Lines of different channels begin at different sets, so that those of all channels together have all sets, too. */
static inline uint64_t cpu_tags_number(const struct cpu_tags *c, uint64_t line)
{
	const struct cpu_parts *p = c->parts;
	uint64_t channel, rest;
	const uint64_t in_slice = base_divide(cpu_parts_number(p, line, &channel), &p->slices, &rest);

	return in_slice + base_divide(channel * c->set_count, &p->channels, &rest);
}

static inline void cpu_tags_clear(struct cpu_tags *c)
{
	mem_tags_clear(c);
}

static inline void cpu_tags_free(struct cpu_tags *c)
{
	g_free(c->parts);
	mem_tags_free(c);
}

/* The number of the line's set. */
static inline uint64_t cpu_tags_set(const struct cpu_tags *c, uint64_t line)
{
	const uint64_t number = unlikely(c->parts != NULL) ? cpu_tags_number(c, line) : line;

	return likely(c->has_mask) ? number & (c->set_count - 1) : number % c->set_count;
}

/* The way that holds the line, or NULL. */
static inline struct cpu_tag *cpu_tags_find(const struct cpu_tags *c, uint64_t line)
{
	return mem_tags_find(c, cpu_tags_set(c, line), line);
}

/* The way is the line's from now on; who asks writes the line into it. */
static inline void cpu_tags_take(const struct cpu_tags *c, const struct cpu_tag *tag, uint64_t line)
{
	mem_tags_take(c, tag, line);
}

/* The way that the line takes, with what is still in it; who asks writes the line into it. */
static inline struct cpu_tag *cpu_tags_victim(const struct cpu_tags *c, uint64_t line)
{
	struct cpu_tag *tag = mem_tags_victim(c, cpu_tags_set(c, line), way, true);

	mem_tags_take(c, tag, line);
	return tag;
}

static inline void cpu_tags_use(struct cpu_tags *c, struct cpu_tag *tag)
{
	mem_tags_use(c, tag);
}

#endif
