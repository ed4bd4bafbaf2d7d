/* arena.c - chunked bump allocation for one module. */
#include "ptx/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { ALIGN_BYTES = 16, CHUNK_BYTES_MIN = 4096, CHUNK_BYTES_MAX = 1 << 20 };

struct ptx_arena_chunk {
	struct ptx_arena_chunk *next;
	_Alignas(ALIGN_BYTES) unsigned char data[];
};

static void arena_grow(struct ptx_arena *a, size_t need_bytes)
{
	size_t size = a->size_bytes ? a->size_bytes * 2 : CHUNK_BYTES_MIN;

	if (size > CHUNK_BYTES_MAX)
		size = CHUNK_BYTES_MAX;
	if (size < need_bytes)
		size = need_bytes;
	struct ptx_arena_chunk *c = calloc(1, sizeof(*c) + size);
	CHECK(c);
	c->next = a->chunks;
	a->chunks = c;
	a->used_bytes = 0;
	a->size_bytes = size;
}

void *ptx_arena_alloc(struct ptx_arena *a, size_t size_bytes)
{
	CHECK(size_bytes < SIZE_MAX / 2);
	size_t need = (size_bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);

	if (!a->chunks || a->size_bytes - a->used_bytes < need)
		arena_grow(a, need);
	void *p = a->chunks->data + a->used_bytes;
	a->used_bytes += need;
	return p;
}

void *ptx_arena_array(struct ptx_arena *a, size_t count, size_t size_bytes)
{
	CHECK(!size_bytes || count < SIZE_MAX / 2 / size_bytes);
	return ptx_arena_alloc(a, count * size_bytes);
}

void *ptx_arena_copy(struct ptx_arena *a, const void *data, size_t size_bytes)
{
	void *p = ptx_arena_alloc(a, size_bytes);

	if (size_bytes)
		memcpy(p, data, size_bytes);
	return p;
}

char *ptx_arena_text(struct ptx_arena *a, const char *text, size_t length)
{
	char *p = ptx_arena_alloc(a, length + 1);

	if (length)
		memcpy(p, text, length);
	return p;
}

char *ptx_arena_printf(struct ptx_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	int length = vasprintf(&text, fmt, ap);
	va_end(ap);
	CHECK(length >= 0);
	char *p = ptx_arena_text(a, text, (size_t)length);
	free(text);
	return p;
}

void ptx_arena_join(struct ptx_arena *a, struct ptx_arena *from)
{
	struct ptx_arena_chunk **tail = &a->chunks;

	if (!a->chunks)
		a->used_bytes = a->size_bytes = 0; /* the newest chunk is none of ours to fill */
	while (*tail)
		tail = &(*tail)->next;
	*tail = from->chunks;
	from->chunks = NULL;
	from->used_bytes = from->size_bytes = 0;
}

void ptx_arena_free(struct ptx_arena *a)
{
	while (a->chunks) {
		struct ptx_arena_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	a->used_bytes = a->size_bytes = 0;
}
