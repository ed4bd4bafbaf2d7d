/* levels.h - the two private caches of a core: what is in the first level is in the second as well. */
#ifndef STRATA_CPU_LEVELS_H
#define STRATA_CPU_LEVELS_H

#include "cpu/core.h"

static inline void cpu_l2_drop(struct cpu_core *k, struct cpu_tag *tag)
{
	struct cpu_tag *first = cpu_tags_find(&k->l1, tag->line);

	if (first)
		first->state = CPU_INVALID;
	tag->state = CPU_INVALID;
	k->c->stats.stream_useless += tag->is_ahead;
	tag->is_ahead = false;
}

static inline struct cpu_tag **cpu_l1_recent(struct cpu_core *k, uint64_t line)
{
	return &k->recent[line & (ARRAY_COUNT(k->recent) - 1)];
}

static inline struct cpu_tag *cpu_l1_find(struct cpu_core *k, uint64_t line)
{
	struct cpu_tag **recent = cpu_l1_recent(k, line), *tag;

	if (likely((*recent)->line == line && (*recent)->state))
		return *recent;
	tag = cpu_tags_find(&k->l1, line);
	if (tag)
		*recent = tag;
	return tag;
}

static inline void cpu_l1_fill(struct cpu_core *k, const struct cpu_tag *from)
{
	struct cpu_tag *tag = cpu_tags_find(&k->l1, from->line);

	if (!tag)
		tag = cpu_tags_victim(&k->l1, from->line);
	*tag = (struct cpu_tag){.line = from->line, .state = from->state};
	cpu_tags_use(&k->l1, tag);
	*cpu_l1_recent(k, from->line) = tag;
}

/* A modified line goes, for another that needs its place. */
static inline void cpu_l2_leave(struct cpu_core *k, const struct cpu_tag *tag)
{
	if (cpu_is_faulty(k->c, CPU_FAULT_LOST))
		return;
	cpu_moved(k->c, tag->line, k->number);
	cpu_bus_write_back(k->bus, k->number, tag->line, tag->version);
}

/* The line in the second level, in any state. */
static inline struct cpu_tag *cpu_l2_room(struct cpu_core *k, uint64_t line)
{
	struct cpu_tag *tag = cpu_tags_find(&k->l2, line);

	if (tag)
		return tag;
	tag = cpu_tags_victim(&k->l2, line);
	if (tag->state == CPU_MODIFIED)
		cpu_l2_leave(k, tag);
	if (tag->state)
		cpu_l2_drop(k, tag);
	*tag = (struct cpu_tag){.line = line, .state = CPU_INVALID};
	return tag;
}

/* A line that is the core's alone is written without anybody's being asked. */
static inline void cpu_l2_own(struct cpu_core *k, struct cpu_tag *second)
{
	struct cpu_tag *first = cpu_tags_find(&k->l1, second->line);

	k->c->stats.silent_upgrades++;
	second->state = CPU_MODIFIED;
	if (first)
		first->state = CPU_MODIFIED;
}

#endif
