/* list.h - chains of objects through a field of their own, and rings; only pools and rings that grow allocate.
 * An object is in one chain per field.
 *
 * A FIFO is any struct with the fields of BASE_FIFO; zeroed, it is empty. Its owner may read `first`, and walk. A stack
 * (a free list) is a pointer to its top. A list, which any item may leave, is a pointer to its first; its items have a
 * field of BASE_LINKS. A ring is any struct with the fields of BASE_RING: cap items of its owner, of which count are
 * in use. Pools and rings that grow are for owners that have GLib.
 */
#ifndef STRATA_BASE_LIST_H
#define STRATA_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* The object whose field the pointer points to. */
#define base_owner(pointer, type, field) ((type *)(void *)((char *)(pointer) - offsetof(type, field)))

#define BASE_FIFO(type) type *first, *last /* last: valid only while there is a first */

/* Appends item; link is the name of its field that holds the next one. */
#define base_fifo_push(fifo, item, link)                \
	do {                                            \
		__typeof__(fifo) onto_ = (fifo);        \
		__typeof__(item) added_ = (item);        \
                                                        \
		added_->link = NULL;                     \
		if (onto_->first)                       \
			onto_->last->link = added_;      \
		else                                    \
			onto_->first = added_;           \
		onto_->last = added_;                    \
	} while (0)

/* Removes the oldest item and yields it. The FIFO must not be empty. */
#define base_fifo_pop(fifo, link)                           \
	({                                                  \
		__typeof__(fifo) fifo_ = (fifo);            \
		__typeof__(fifo_->first) item_ = fifo_->first; \
                                                            \
		fifo_->first = item_->link;                 \
		item_;                                      \
	})

/* Takes item, which must be in the FIFO, out of it: a walk, for FIFOs that are short. */
#define base_fifo_remove(fifo, item, link)                              \
	do {                                                            \
		__typeof__(fifo) from_ = (fifo);                        \
		__typeof__(item) taken_ = (item);                       \
		__typeof__(from_->first) *at_ = &from_->first, before_ = NULL; \
                                                                        \
		while (*at_ != taken_) {                                \
			before_ = *at_;                                 \
			at_ = &before_->link;                           \
		}                                                       \
		*at_ = taken_->link;                                    \
		if (from_->last == taken_)                              \
			from_->last = before_;                          \
	} while (0)

/* Puts item on top; top is the address of the pointer to it. */
#define base_stack_push(top, item, link)           \
	do {                                       \
		__typeof__(top) top_ = (top);      \
		__typeof__(item) item_ = (item);   \
                                                   \
		item_->link = *top_;               \
		*top_ = item_;                     \
	} while (0)

/* Removes the top and yields it. The stack must not be empty. */
#define base_stack_pop(top, link)                \
	({                                       \
		__typeof__(top) top_ = (top);    \
		__typeof__(*top_) item_ = *top_; \
                                                 \
		*top_ = item_->link;             \
		item_;                           \
	})

/* A pool: items of one type, in blocks that it owns. Those that are not in use are a stack through `link`, a field of
 * theirs that is the user's while an item is in use. Zeroed, a pool is empty. */
struct base_block {
	_Alignas(16) struct base_block *next; /* items follow */
};

enum { BASE_POOL_ITEMS = 32 }; /* of a block */

#define BASE_POOL(type)                              \
	struct {                                     \
		type *unused;                        \
		struct base_block *blocks; /* all */ \
	}

/* The items of a block become unused. */
#define base_pool_fill(pool, block, link)                                                       \
	do {                                                                                    \
		__typeof__((pool)->unused) items_ = (void *)((block) + 1);                      \
                                                                                                \
		_Static_assert(_Alignof(__typeof__(*items_)) <= 16, "the blocks' alignment");   \
		for (int i_ = BASE_POOL_ITEMS; i_-- > 0;)                                       \
			base_stack_push(&(pool)->unused, &items_[i_], link);                    \
	} while (0)

/* Yields an item: as it was put back, or all zero where it is new. */
#define base_pool_take(pool, link)                                                                            \
	({                                                                                                    \
		__typeof__(pool) pool_ = (pool);                                                              \
                                                                                                              \
		if (unlikely(!pool_->unused)) {                                                               \
			struct base_block *block_ =                                                           \
			    g_malloc0(sizeof(*block_) + BASE_POOL_ITEMS * sizeof(*pool_->unused));            \
                                                                                                              \
			base_stack_push(&pool_->blocks, block_, next);                                        \
			base_pool_fill(pool_, block_, link);                                                  \
		}                                                                                             \
		base_stack_pop(&pool_->unused, link);                                                         \
	})

#define base_pool_put(pool, item, link) base_stack_push(&(pool)->unused, (item), link)

/* Whoever had items has none: all are unused. */
#define base_pool_reset(pool, link)                                                              \
	do {                                                                                     \
		__typeof__(pool) reset_ = (pool);                                                \
                                                                                                 \
		reset_->unused = NULL;                                                           \
		for (struct base_block *block_ = reset_->blocks; block_; block_ = block_->next)  \
			base_pool_fill(reset_, block_, link);                                    \
	} while (0)

/* All items go back to the heap, those in use as well; the pool is empty. */
#define base_pool_free(pool)                                            \
	do {                                                            \
		__typeof__(pool) freed_ = (pool);                       \
                                                                        \
		freed_->unused = NULL;                                  \
		while (freed_->blocks)                                  \
			g_free(base_stack_pop(&freed_->blocks, next));  \
	} while (0)

#define BASE_LINKS(type)           \
	struct {                   \
		type *next, *prev; \
	}

/* Puts item before the others; list is the address of the pointer to the first. */
#define base_list_push(list, item, link)                   \
	do {                                               \
		__typeof__(list) list_ = (list);           \
		__typeof__(item) item_ = (item);           \
                                                           \
		item_->link.prev = NULL;                   \
		item_->link.next = *list_;                 \
		if (item_->link.next)                      \
			item_->link.next->link.prev = item_; \
		*list_ = item_;                            \
	} while (0)

/* Takes item, which must be in the list, out of it; list is the address of the pointer to the first. */
#define base_list_remove(list, item, link)                                   \
	do {                                                                 \
		__typeof__(list) list_ = (list);                             \
		__typeof__(item) item_ = (item);                             \
                                                                             \
		*(item_->link.prev ? &item_->link.prev->link.next : list_) = item_->link.next; \
		if (item_->link.next)                                        \
			item_->link.next->link.prev = item_->link.prev;      \
	} while (0)

#define BASE_RING(type)             \
	type *items; /* [cap] */    \
	uint32_t cap, first, count

/* The address of the oldest, of the i-th in use (the oldest is 0). */
#define base_ring_first(ring) (&(ring)->items[(ring)->first])
#define base_ring_at(ring, i)                                                     \
	({                                                                        \
		__typeof__(ring) ring_ = (ring);                                  \
		uint32_t at_ = ring_->first + (i);                                \
                                                                                  \
		&ring_->items[at_ >= ring_->cap ? at_ - ring_->cap : at_];        \
	})

/* Yields the address of one more, the youngest. There must be room. */
#define base_ring_push(ring)                                                              \
	({                                                                                \
		__typeof__(ring) push_ring_ = (ring);                                     \
                                                                                          \
		CHECK(push_ring_->count < push_ring_->cap);                               \
		base_ring_at(push_ring_, push_ring_->count++);                            \
	})

/* Makes room for one more, twice as much as there was, where there is none. */
#define base_ring_grow(ring)                                                                                 \
	do {                                                                                                 \
		__typeof__(ring) grown_ = (ring);                                                            \
		const uint32_t cap_ = grown_->cap ? 2 * grown_->cap : 4;                                     \
		__typeof__(grown_->items) items_;                                                            \
                                                                                                             \
		if (likely(grown_->count < grown_->cap))                                                     \
			break;                                                                               \
		items_ = g_malloc_n(cap_, sizeof(*items_));                                                  \
		for (uint32_t i_ = 0; i_ < grown_->count; i_++)                                              \
			items_[i_] = *base_ring_at(grown_, i_);                                              \
		g_free(grown_->items);                                                                       \
		grown_->items = items_;                                                                      \
		grown_->cap = cap_;                                                                          \
		grown_->first = 0;                                                                           \
	} while (0)

/* Removes the oldest; what lies there stays until it is pushed over. */
#define base_ring_pop(ring)                                                               \
	do {                                                                              \
		__typeof__(ring) ring_ = (ring);                                          \
                                                                                          \
		CHECK(ring_->count);                                                      \
		ring_->first = ring_->first + 1 == ring_->cap ? 0 : ring_->first + 1;     \
		ring_->count--;                                                           \
	} while (0)

#endif
