/* arena.h - memory that lives exactly as long as one module.
 *
 * Allocation only grows; everything is freed at once. Blocks come zeroed. Running out of memory aborts (CHECK).
 */
#ifndef STRATA_PTX_ARENA_H
#define STRATA_PTX_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct ptx_arena_chunk;

struct ptx_arena {
	struct ptx_arena_chunk *chunks;
	size_t used_bytes, size_bytes; /* of the newest chunk */
};

/* Zeroed memory, aligned for any object; size 0 gives a valid pointer. */
void *ptx_arena_alloc(struct ptx_arena *a, size_t size_bytes);
/* A zeroed array; count * size_bytes may not overflow. */
void *ptx_arena_array(struct ptx_arena *a, size_t count, size_t size_bytes);
/* A copy of data[0..size). */
void *ptx_arena_copy(struct ptx_arena *a, const void *data, size_t size_bytes);
/* A copy of text[0..length) with a NUL after it. */
char *ptx_arena_text(struct ptx_arena *a, const char *text, size_t length);
char *ptx_arena_printf(struct ptx_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Moves everything that from holds to a, where it lives on at the same address; from is empty after it. */
void ptx_arena_join(struct ptx_arena *a, struct ptx_arena *from);
void ptx_arena_free(struct ptx_arena *a);

#endif
