/* fatbin_write.c - puts images one after the other behind their headers. */
#include "cudart/clang/fatbin_write.h"

#include <lz4.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

enum { CONTAINER_HEADER_BYTES = 16, ENTRY_HEADER_BYTES = 64 };

static void put(GByteArray *out, uint64_t value, guint bytes)
{
	g_byte_array_append(out, (const guint8 *)&value, bytes);
}

GByteArray *fatbin_begin(void)
{
	GByteArray *out = g_byte_array_new();

	put(out, 0xba55ed50, 4);
	put(out, 1, 2);
	put(out, CONTAINER_HEADER_BYTES, 2);
	put(out, 0, 8);
	return out;
}

void fatbin_end(GByteArray *out)
{
	uint64_t bytes = out->len - CONTAINER_HEADER_BYTES;

	memcpy(out->data + 8, &bytes, sizeof(bytes));
}

/* The packed bytes; flag is what the entry's flags say of them. */
static gchar *pack(enum fatbin_packing packing, const void *data, gsize bytes, gsize *packed_bytes, uint64_t *flag)
{
	if (packing == FATBIN_ZSTD) {
		gsize room = ZSTD_compressBound(bytes);
		gchar *packed = g_malloc(room);

		*packed_bytes = ZSTD_compress(packed, room, data, bytes, 19);
		*flag = 0x8000;
		return packed;
	}

	int room = LZ4_compressBound((int)bytes);
	gchar *packed = g_malloc((gsize)room);

	*packed_bytes = (gsize)LZ4_compress_default(data, packed, (int)bytes, room);
	*flag = 0x2000;
	return packed;
}

void fatbin_add(GByteArray *out, enum fatbin_packing packing, enum fatbin_kind kind, guint sm, const void *data,
		gsize bytes)
{
	gsize packed_bytes = 0;
	uint64_t flags = 0x11; /* 64-bit, Linux */
	g_autofree gchar *packed = NULL;

	if (packing != FATBIN_RAW && kind == FATBIN_PTX) {
		uint64_t flag;

		packed = pack(packing, data, bytes, &packed_bytes, &flag);
		flags |= flag;
	}

	gsize payload_bytes = packed ? packed_bytes : bytes;

	put(out, kind, 2);
	put(out, 0x101, 2);
	put(out, ENTRY_HEADER_BYTES, 4);
	put(out, (payload_bytes + 7) / 8 * 8, 8);
	put(out, packed_bytes, 8);
	put(out, 9ull << 16, 4); /* PTX 9.0 */
	put(out, sm, 4);
	put(out, 0, 8);
	put(out, flags, 8);
	put(out, 0, 8);
	put(out, packed ? bytes : 0, 8);
	g_byte_array_append(out, packed ? (const guint8 *)packed : data, (guint)payload_bytes);
	while (out->len % 8)
		put(out, 0, 1);
}
