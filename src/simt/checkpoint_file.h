/* checkpoint_file.h - the bytes of a checkpoint, through zstd, and its records. Private to checkpoint*.c.
 *
 * A head, then records of a kind each: a batch begins (the memory's hashes), a launch, a range of memory as the
 * batch before it has left it, and at the end the mark. zstd's checksum covers all of it.
 */
#ifndef STRATA_SIMT_CHECKPOINT_FILE_H
#define STRATA_SIMT_CHECKPOINT_FILE_H

#include <glib.h>
#include <stdio.h>
#include <zstd.h>

#include "simt/checkpoint.h"

enum checkpoint_kind {
	CHECKPOINT_BATCH = 'B',
	CHECKPOINT_LAUNCH = 'L',
	CHECKPOINT_RANGE = 'R',
	CHECKPOINT_MARK = 'M'
};

enum { CHECKPOINT_NAME_MAX = 1 << 20, CHECKPOINT_TEXT_MAX = 1 << 30 };

/* A launch as the file has it, followed by its kernel's name and by what it has printed. */
struct checkpoint_launch {
	uint32_t grid[3], block[3], shared_bytes, name_bytes, text_bytes, padding;
	uint64_t params_hash, program_hash;
	struct simt_saved_counts counts;
};

/* What a program could not tell from l by another launch of it. */
void checkpoint_launch_of(const struct simt_launch *l, struct checkpoint_launch *out);

/* ---- out ---- */

struct checkpoint_writer {
	FILE *file;
	ZSTD_CCtx *zstd;
	char packed[1 << 16];
	int error; /* errno of the first one */
};
/* False: w->error says why. */
bool checkpoint_writer_open(struct checkpoint_writer *w, const char *path);
void checkpoint_put(struct checkpoint_writer *w, const void *data, size_t bytes);
void checkpoint_put_kind(struct checkpoint_writer *w, enum checkpoint_kind kind);
/* False: not all of it is in the file, w->error says why. */
bool checkpoint_writer_close(struct checkpoint_writer *w, bool is_complete);

/* ---- in ---- */

struct checkpoint_reader {
	FILE *file;
	ZSTD_DCtx *zstd;
	char packed[1 << 16];
	ZSTD_inBuffer in;
	size_t left;	 /* what zstd expects behind what was read; 0: nothing, and the checksum is right */
	const char *why; /* what is wrong with it; NULL: nothing so far */
	int kind;	 /* of the next record; 0: none is left */
};
/* False: r->why says why. */
bool checkpoint_reader_open(struct checkpoint_reader *r, const char *path);
bool checkpoint_get(struct checkpoint_reader *r, void *out, size_t bytes);
/* Reads what the next record is, once all of the one before is read. False: there is none, or it is wrong. */
bool checkpoint_next(struct checkpoint_reader *r);
/* A launch, with its name and its text, which become the caller's. */
bool checkpoint_get_launch(struct checkpoint_reader *r, struct checkpoint_launch *out, char **name, char **text);
void checkpoint_reader_close(struct checkpoint_reader *r);

/* ---- memory ---- */

enum { CHECKPOINT_PAGE_BYTES = 4096 };

/* Where it is, and what it holds. */
struct checkpoint_hashes {
	uint64_t places, bytes;
};

/* What kernels can reach, page by page as hashes. */
struct checkpoint_image {
	GArray *regions; /* struct checkpoint_range */
	GArray *pages;	 /* uint64_t, region by region */
	struct checkpoint_hashes hashes;
};
struct checkpoint_range {
	uint64_t addr, bytes;
};
void checkpoint_image_take(struct checkpoint_image *i, const struct simt_memory *m);
void checkpoint_image_free(struct checkpoint_image *i);
/* Writes the pages of its regions that are not what they were. */
void checkpoint_image_put_changes(const struct checkpoint_image *i, struct checkpoint_writer *w);
/* Is all of it in an allocation that kernels may write? */
bool checkpoint_range_is_there(const struct checkpoint_range *range, const struct simt_memory *m);

#endif
