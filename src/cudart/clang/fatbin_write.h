/* fatbin_write.h - builds fat binaries, for programs that clang builds and for tests. The layout is
 * that of nvcc 13, see cuda/fatbin.h. */
#ifndef STRATA_CUDART_CLANG_FATBIN_WRITE_H
#define STRATA_CUDART_CLANG_FATBIN_WRITE_H

#include <glib.h>
#include <stdbool.h>

enum fatbin_packing {
	FATBIN_RAW,
	FATBIN_LZ4,
	FATBIN_ZSTD,
};

enum fatbin_kind {
	FATBIN_PTX = 1,
	FATBIN_CODE = 2, /* machine code; any bytes will do */
};

/* An empty container; the caller frees it. */
GByteArray *fatbin_begin(void);
/* Appends an entry; machine code is never packed. */
void fatbin_add(GByteArray *out, enum fatbin_packing packing, enum fatbin_kind kind, guint sm, const void *data,
		gsize bytes);
/* Writes the length into the header. */
void fatbin_end(GByteArray *out);

#endif
