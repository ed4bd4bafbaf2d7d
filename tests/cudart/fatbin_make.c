/* fatbin_make.c - writes a fat binary, for programs that clang builds without a toolkit.
 *
 *   fatbin_make raw|lz4|zstd OUTPUT ENTRY...
 *
 * An entry is ptx:SM:FILE, or code:SM:FILE for bytes that stand for machine code. The layout is that of nvcc 13
 * (cuda/fatbin.h).
 */
#include <glib.h>
#include <lz4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ENTRY_HEADER_BYTES = 64 };

static void put(GByteArray *out, uint64_t value, guint bytes)
{
	g_byte_array_append(out, (const guint8 *)&value, bytes);
}

static void pad(GByteArray *out)
{
	while (out->len % 8)
		put(out, 0, 1);
}

/* Bytes after compression; flag is what the entry's flags say of it. */
static gchar *pack(const char *how, const gchar *text, gsize bytes, gsize *packed_bytes, uint64_t *flag)
{
	if (!strcmp(how, "zstd")) {
		gsize room = ZSTD_compressBound(bytes);
		gchar *packed = g_malloc(room);

		*packed_bytes = ZSTD_compress(packed, room, text, bytes, 19);
		*flag = 0x8000;
		return packed;
	}

	int room = LZ4_compressBound((int)bytes);
	gchar *packed = g_malloc((gsize)room);

	*packed_bytes = (gsize)LZ4_compress_default(text, packed, (int)bytes, room);
	*flag = 0x2000;
	return packed;
}

static void add_entry(GByteArray *out, const char *how, guint kind, guint sm, const gchar *data, gsize bytes)
{
	gsize packed_bytes = 0;
	uint64_t flags = 0x11, compression = 0;
	g_autofree gchar *packed = NULL;

	if (strcmp(how, "raw") && kind == 1)
		packed = pack(how, data, bytes, &packed_bytes, &compression);

	gsize payload_bytes = packed ? packed_bytes : bytes;

	put(out, kind, 2);
	put(out, 0x101, 2);
	put(out, ENTRY_HEADER_BYTES, 4);
	put(out, (payload_bytes + 7) / 8 * 8, 8);
	put(out, packed_bytes, 4);
	put(out, 0, 4);
	put(out, 0, 2);
	put(out, 9, 2);
	put(out, sm, 4);
	put(out, 0, 8);
	put(out, flags | compression, 8);
	put(out, 0, 8);
	put(out, packed ? bytes : 0, 8);
	g_byte_array_append(out, (const guint8 *)(packed ? packed : data), (guint)payload_bytes);
	pad(out);
}

static int usage(void)
{
	fprintf(stderr, "usage: fatbin_make raw|lz4|zstd OUTPUT ptx:SM:FILE|code:SM:FILE...\n");
	return 2;
}

int main(int argc, char **argv)
{
	GByteArray *out = g_byte_array_new();

	if (argc < 3)
		return usage();
	put(out, 0xba55ed50, 4);
	put(out, 1, 2);
	put(out, 16, 2);
	put(out, 0, 8);
	for (int i = 3; i < argc; i++) {
		g_auto(GStrv) parts = g_strsplit(argv[i], ":", 3);
		g_autofree gchar *data = NULL;
		gsize bytes;

		if (g_strv_length(parts) != 3)
			return usage();
		if (!g_file_get_contents(parts[2], &data, &bytes, NULL)) {
			fprintf(stderr, "fatbin_make: cannot read %s\n", parts[2]);
			return 1;
		}
		/* PTX is stored with its NUL. */
		add_entry(out, argv[1], !strcmp(parts[0], "ptx") ? 1 : 2, (guint)atoi(parts[1]), data,
			  bytes + !strcmp(parts[0], "ptx"));
	}

	uint64_t entry_bytes = out->len - 16;

	memcpy(out->data + 8, &entry_bytes, sizeof(entry_bytes));
	if (!g_file_set_contents(argv[2], (const gchar *)out->data, (gssize)out->len, NULL)) {
		fprintf(stderr, "fatbin_make: cannot write %s\n", argv[2]);
		return 1;
	}
	g_byte_array_free(out, TRUE);
	return 0;
}
