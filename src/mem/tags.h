/* tags.h - which lines a table of sets and ways holds, and which of a set's has to go: that which was used longest ago.
 *
 * A way is a struct of its owner's with the fields of MEM_TAG; a table is any struct with the fields of MEM_TAGS. Its
 * owner says which set a line has. A look-up reads the marks of the set, a byte a way that is made of its line, eight
 * at a time, and then only a way that a mark may stand for: large tables are more than the host's caches hold, and
 * each way that is read is a line of the host's memory. Host memory that no line has used is never touched.
 *
 * The tags of mem/cache.h are of another kind: sets of at most 64 ways that lie in one piece with their ranks.
 */
#ifndef STRATA_MEM_TAGS_H
#define STRATA_MEM_TAGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

/* The line or other key of a way, when it was last used, and what it is; state 0: the way is empty. */
#define MEM_TAG                                                                                         \
	uint64_t line;                                                                                  \
	uint64_t used : 48, state : 8

#define MEM_TAGS(type)                                                                                  \
	type *tags;	/* [set_count][way_count] */                                                    \
	uint8_t *marks; /* [set_count][way_count]; 0: the way has never had a line */                   \
	uint64_t set_count, clock;                                                                      \
	uint32_t way_count

enum { MEM_MARKS_AT_ONCE = 8 };
#define MEM_TAG_USED_MAX ((UINT64_C(1) << 48) - 1)

static inline uint8_t mem_tag_mark(uint64_t line)
{
	return (uint8_t)((uint32_t)line * 0x9e3779b1u >> 24 | 1);
}

/* Which of eight ways have the mark that `marks` is eight times: bit 7 of their bytes. Above a way that has it others
 * may be among them, and the last of the eight may be the next set's; their lines are others. */
static inline uint64_t mem_marks_match(const uint8_t *eight, uint64_t marks)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x;

	memcpy(&x, eight, sizeof(x));
	x ^= marks;
	return (x - ones) & ~x & ones << 7;
}

/* Zeroed memory for a table, of which the host has only what is used; it begins with one of the host's lines. */
static inline void *mem_tags_memory(uint64_t bytes)
{
	char *memory = g_malloc0(bytes + 2 * HOST_LINE_BYTES);
	char *begin = memory + 2 * HOST_LINE_BYTES - (uintptr_t)memory % HOST_LINE_BYTES;

	((char **)(void *)begin)[-1] = memory;
	return begin;
}

/* Makes t a table of empty ways. Behind the last set lie some more: look-ups read eight marks. */
#define mem_tags_init(t, sets, ways)                                                                    \
	do {                                                                                            \
		__typeof__(t) t_ = (t);                                                                 \
		uint64_t places_;                                                                       \
                                                                                                        \
		t_->set_count = (sets);                                                                 \
		t_->way_count = (ways);                                                                 \
		t_->clock = 0;                                                                          \
		places_ = t_->set_count * t_->way_count + MEM_MARKS_AT_ONCE;                            \
		t_->tags = mem_tags_memory(places_ * (sizeof(*t_->tags) + 1));                          \
		t_->marks = (uint8_t *)(t_->tags + places_);                                            \
	} while (0)

#define mem_tags_free(t) g_free((t)->tags ? ((void **)(void *)(t)->tags)[-1] : NULL)

/* Yields the address of the way of the set that has the line, or NULL. */
#define mem_tags_find(t, set, key)                                                                      \
	({                                                                                              \
		__label__ there_;                                                                       \
		__typeof__(t) t_ = (t);                                                                 \
		const uint64_t key_ = (key), marks_ = mem_tag_mark(key_) * UINT64_C(0x0101010101010101); \
		uint64_t way_ = (set) * t_->way_count;                                                  \
		const uint64_t end_ = way_ + t_->way_count;                                             \
		__typeof__(*t_->tags) *found_;                                                          \
                                                                                                        \
		do {                                                                                    \
			uint64_t left_ = mem_marks_match(t_->marks + way_, marks_);                     \
                                                                                                        \
			for (; left_; left_ &= left_ - 1) {                                             \
				found_ = t_->tags + way_ + (uint32_t)__builtin_ctzll(left_) / 8;        \
				if (likely(found_->line == key_ && found_->state))                      \
					goto there_;                                                    \
			}                                                                               \
			way_ += MEM_MARKS_AT_ONCE;                                                      \
		} while (way_ < end_);                                                                  \
		found_ = NULL;                                                                          \
	there_:                                                                                         \
		found_;                                                                                 \
	})

/* For a look-up to come, whose marks are at hand: the host fetches the ways that it will read. */
#define mem_tags_prefetch(t, set, key)                                                                  \
	do {                                                                                            \
		__typeof__(t) t_ = (t);                                                                 \
		const uint64_t marks_ = mem_tag_mark(key) * UINT64_C(0x0101010101010101);               \
		uint64_t way_ = (set) * t_->way_count;                                                  \
		const uint64_t end_ = way_ + t_->way_count;                                             \
                                                                                                        \
		for (; way_ < end_; way_ += MEM_MARKS_AT_ONCE) {                                        \
			const uint64_t match_ = mem_marks_match(t_->marks + way_, marks_);              \
                                                                                                        \
			if (match_)                                                                     \
				__builtin_prefetch(t_->tags + way_ + (uint32_t)__builtin_ctzll(match_) / 8); \
		}                                                                                       \
	} while (0)

/* Yields the address of the way that a new line takes in the set: the first empty one, otherwise the one used longest
 * ago, both of those for which may_go is true, an expression about a way by the name `way`; NULL: there is none. What
 * is in it is still there. */
#define mem_tags_victim(t, set, way, may_go)                                                            \
	({                                                                                              \
		__typeof__(t) t_ = (t);                                                                 \
		__typeof__(*t_->tags) *way = t_->tags + (set) * t_->way_count, *victim_ = NULL;         \
		const __typeof__(*t_->tags) *const end_ = way + t_->way_count;                          \
                                                                                                        \
		for (; way < end_; way++) {                                                             \
			if (!(may_go))                                                                  \
				continue;                                                               \
			if (!way->state) {                                                              \
				victim_ = way;                                                          \
				break;                                                                  \
			}                                                                               \
			if (!victim_ || way->used < victim_->used)                                      \
				victim_ = way;                                                          \
		}                                                                                       \
		victim_;                                                                                \
	})

/* Makes the way, one of its set, that of the line from now on; its owner writes the fields of MEM_TAG. */
#define mem_tags_take(t, tag, key) ((t)->marks[(tag) - (t)->tags] = mem_tag_mark(key))

/* Makes the way the one that was used last. */
#define mem_tags_use(t, tag) ((tag)->used = ++(t)->clock & MEM_TAG_USED_MAX)

/* Empties all ways. */
#define mem_tags_clear(t)                                                                               \
	do {                                                                                            \
		__typeof__(t) t_ = (t);                                                                 \
                                                                                                        \
		for (uint64_t i_ = 0; i_ < t_->set_count * t_->way_count; i_++)                         \
			t_->tags[i_].state = 0;                                                         \
	} while (0)

#endif
