/* fatbin_make.c - writes a fat binary, for programs that clang builds without a toolkit.
 *
 *   fatbin_make raw|lz4|zstd OUTPUT ENTRY...
 *
 * An entry is ptx:SM:FILE, or code:SM:FILE for bytes that stand for machine code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/clang/fatbin_write.h"

static int usage(void)
{
	fprintf(stderr, "usage: fatbin_make raw|lz4|zstd OUTPUT ptx:SM:FILE|code:SM:FILE...\n");
	return 2;
}

static bool add(GByteArray *out, enum fatbin_packing packing, const char *entry)
{
	g_auto(GStrv) parts = g_strsplit(entry, ":", 3);
	g_autofree gchar *data = NULL;
	gsize bytes;

	if (g_strv_length(parts) != 3 || (strcmp(parts[0], "ptx") && strcmp(parts[0], "code")))
		return false;
	if (!g_file_get_contents(parts[2], &data, &bytes, NULL)) {
		fprintf(stderr, "fatbin_make: cannot read %s\n", parts[2]);
		return false;
	}
	if (!strcmp(parts[0], "ptx"))
		fatbin_add(out, packing, FATBIN_PTX, (guint)atoi(parts[1]), data, bytes + 1); /* with its NUL */
	else
		fatbin_add(out, packing, FATBIN_CODE, (guint)atoi(parts[1]), data, bytes);
	return true;
}

int main(int argc, char **argv)
{
	GByteArray *out = fatbin_begin();
	enum fatbin_packing packing;

	if (argc < 3)
		return usage();
	packing = !strcmp(argv[1], "zstd") ? FATBIN_ZSTD : !strcmp(argv[1], "lz4") ? FATBIN_LZ4 : FATBIN_RAW;
	for (int i = 3; i < argc; i++) {
		if (!add(out, packing, argv[i]))
			return usage();
	}
	fatbin_end(out);
	if (!g_file_set_contents(argv[2], (const gchar *)out->data, (gssize)out->len, NULL)) {
		fprintf(stderr, "fatbin_make: cannot write %s\n", argv[2]);
		return 1;
	}
	g_byte_array_free(out, TRUE);
	return 0;
}
