/* checkpoint_file.c - the bytes of a checkpoint, through zstd, and its records. */
#include "simt/checkpoint_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "ptx/print.h"
#include "simt/priv.h"

/* Records are as this machine has them in memory; every host that runs Strata is little-endian. */
static const char head[16] = "Strata state 1\n";

enum { LEVEL = 1 }; /* of zstd: pages are written as fast as they are hashed */

static const char no_checkpoint[] = "this is no checkpoint", damaged[] = "the checkpoint is damaged",
		  cut[] = "the checkpoint is cut off: its end is missing";

/* ---- launches ---- */

static uint64_t program_hash(const struct simt_launch *l)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	uint64_t hash;

	CHECK(out);
	ptx_print_module(out, simt_program_of(l)->module->ptx);
	CHECK(!fclose(out));
	hash = base_hash_add_much(BASE_HASH_BEGIN, text, bytes);
	free(text);
	return hash;
}

void checkpoint_launch_of(const struct simt_launch *l, struct checkpoint_launch *out)
{
	*out = (struct checkpoint_launch){
	    .shared_bytes = l->shared_dynamic_bytes,
	    .name_bytes = (uint32_t)strlen(l->program->name),
	    .params_hash = base_hash_add_much(BASE_HASH_BEGIN, l->params, l->params ? l->program->param_bytes : 0),
	    .program_hash = program_hash(l),
	};
	memcpy(out->grid, l->grid, sizeof(out->grid));
	memcpy(out->block, l->block, sizeof(out->block));
}

/* ---- out ---- */

bool checkpoint_writer_open(struct checkpoint_writer *w, const char *path)
{
	w->error = 0;
	w->file = fopen(path, "wbe");
	if (!w->file) {
		w->error = errno;
		return false;
	}
	w->zstd = ZSTD_createCCtx();
	CHECK(w->zstd);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	checkpoint_put(w, head, sizeof(head));
	return true;
}

static void pack(struct checkpoint_writer *w, const void *data, size_t bytes, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {data, bytes, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {w->packed, sizeof(w->packed), 0};

		left = ZSTD_compressStream2(w->zstd, &out, &in, how);
		CHECK(!ZSTD_isError(left));
		if (fwrite(w->packed, 1, out.pos, w->file) != out.pos && !w->error)
			w->error = errno;
	} while (!w->error && (how == ZSTD_e_continue ? in.pos < in.size : left > 0));
}

void checkpoint_put(struct checkpoint_writer *w, const void *data, size_t bytes)
{
	if (!w->error && bytes)
		pack(w, data, bytes, ZSTD_e_continue);
}

void checkpoint_put_kind(struct checkpoint_writer *w, enum checkpoint_kind kind)
{
	const char byte = (char)kind;

	checkpoint_put(w, &byte, 1);
}

bool checkpoint_writer_close(struct checkpoint_writer *w, bool is_complete)
{
	if (is_complete && !w->error)
		pack(w, NULL, 0, ZSTD_e_end);
	ZSTD_freeCCtx(w->zstd);
	if (fclose(w->file) && !w->error)
		w->error = errno;
	w->file = NULL;
	return !w->error;
}

/* ---- in ---- */

static bool fail(struct checkpoint_reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	r->kind = 0;
	return false;
}

static bool refill(struct checkpoint_reader *r)
{
	if (r->in.pos < r->in.size)
		return true;
	r->in = (ZSTD_inBuffer){r->packed, fread(r->packed, 1, sizeof(r->packed), r->file), 0};
	return r->in.size;
}

static bool unpack(struct checkpoint_reader *r, ZSTD_outBuffer *out)
{
	r->left = ZSTD_decompressStream(r->zstd, out, &r->in);
	return !ZSTD_isError(r->left) || fail(r, damaged);
}

bool checkpoint_get(struct checkpoint_reader *r, void *to, size_t bytes)
{
	ZSTD_outBuffer out = {to, bytes, 0};

	if (r->why)
		return false;
	while (out.pos < out.size) {
		const size_t before = out.pos;

		/* What zstd holds back comes without more bytes of the file. */
		if (!unpack(r, &out))
			return false;
		if (out.pos == before && !refill(r))
			return fail(r, cut);
		if (!r->left && out.pos < out.size)
			return fail(r, damaged);
	}
	return true;
}

bool checkpoint_reader_open(struct checkpoint_reader *r, const char *path)
{
	char own[sizeof(head)];

	*r = (struct checkpoint_reader){.left = 1};
	r->file = fopen(path, "rbe");
	if (!r->file)
		return fail(r, strerror(errno));
	r->zstd = ZSTD_createDCtx();
	CHECK(r->zstd);
	if (!checkpoint_get(r, own, sizeof(own)) || memcmp(own, head, sizeof(own))) {
		r->why = no_checkpoint;
		return false;
	}
	return checkpoint_next(r);
}

void checkpoint_reader_close(struct checkpoint_reader *r)
{
	ZSTD_freeDCtx(r->zstd);
	if (r->file)
		fclose(r->file);
}

bool checkpoint_next(struct checkpoint_reader *r)
{
	char kind;

	if (!checkpoint_get(r, &kind, 1))
		return false;
	r->kind = kind;
	return (kind == CHECKPOINT_BATCH || kind == CHECKPOINT_LAUNCH || kind == CHECKPOINT_RANGE ||
		kind == CHECKPOINT_MARK) ||
	       fail(r, damaged);
}

static char *get_text(struct checkpoint_reader *r, uint32_t bytes)
{
	char *text = g_malloc0((size_t)bytes + 1);

	if (checkpoint_get(r, text, bytes))
		return text;
	g_free(text);
	return NULL;
}

bool checkpoint_get_launch(struct checkpoint_reader *r, struct checkpoint_launch *out, char **name, char **text)
{
	*name = *text = NULL;
	if (!checkpoint_get(r, out, sizeof(*out)))
		return false;
	if (out->name_bytes > CHECKPOINT_NAME_MAX || out->text_bytes > CHECKPOINT_TEXT_MAX)
		return fail(r, damaged);
	*name = get_text(r, out->name_bytes);
	*text = *name ? get_text(r, out->text_bytes) : NULL;
	return *text;
}

/* ---- a file by itself ---- */

static bool skip(struct checkpoint_reader *r, uint64_t bytes)
{
	char some[CHECKPOINT_PAGE_BYTES];
	bool is_there = true;

	for (; is_there && bytes; bytes -= MIN(bytes, sizeof(some)))
		is_there = checkpoint_get(r, some, MIN(bytes, sizeof(some)));
	return is_there;
}

static bool skip_record(struct checkpoint_reader *r)
{
	g_autofree char *name = NULL, *text = NULL;
	struct checkpoint_launch launch;
	struct checkpoint_range range;

	switch (r->kind) {
	case CHECKPOINT_BATCH:
		return skip(r, sizeof(struct checkpoint_hashes));
	case CHECKPOINT_LAUNCH:
		return checkpoint_get_launch(r, &launch, &name, &text);
	case CHECKPOINT_RANGE:
		return checkpoint_get(r, &range, sizeof(range)) && skip(r, range.bytes);
	default:
		return false;
	}
}

/* Nothing is behind the mark but zstd's checksum, which is right. */
static bool is_end(struct checkpoint_reader *r)
{
	ZSTD_outBuffer none = {NULL, 0, 0};

	while (r->left) {
		if (!refill(r))
			return fail(r, cut);
		if (!unpack(r, &none))
			return false;
	}
	return !refill(r) || fail(r, damaged);
}

bool simt_checkpoint_check(const char *path, const char **why)
{
	struct checkpoint_reader *r = g_new(struct checkpoint_reader, 1);
	bool is_right = checkpoint_reader_open(r, path);

	while (is_right && r->kind != CHECKPOINT_MARK)
		is_right = skip_record(r) && checkpoint_next(r);
	is_right = is_right && skip(r, sizeof(struct checkpoint_hashes)) && is_end(r);
	*why = r->why;
	checkpoint_reader_close(r);
	g_free(r);
	return is_right;
}

/* ---- memory ---- */

/* What a launch brings along is made for each launch, of a size of the machine's. */
static bool is_held(const struct simt_alloc *a)
{
	return a->is_live && a->kind != SIMT_ALLOC_LOCAL && a->kind != SIMT_ALLOC_PARAM;
}

static uint64_t page_hash(uint64_t addr, uint64_t bytes)
{
	return base_hash_add_much(BASE_HASH_BEGIN, (const void *)(uintptr_t)addr, bytes);
}

static void region_take(struct checkpoint_image *i, const struct checkpoint_range *region)
{
	g_array_append_val(i->regions, *region);
	i->hashes.places = base_hash_word(base_hash_word(i->hashes.places, region->addr), region->bytes);
	for (uint64_t at = 0; at < region->bytes; at += CHECKPOINT_PAGE_BYTES) {
		const uint64_t hash =
		    page_hash(region->addr + at, MIN(CHECKPOINT_PAGE_BYTES, region->bytes - at));

		g_array_append_val(i->pages, hash);
		i->hashes.bytes = base_hash_word(i->hashes.bytes, hash);
	}
}

void checkpoint_image_take(struct checkpoint_image *i, const struct simt_memory *m)
{
	const struct simt_alloc *a;

	if (!i->regions) {
		i->regions = g_array_new(FALSE, FALSE, sizeof(struct checkpoint_range));
		i->pages = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	}
	g_array_set_size(i->regions, 0);
	g_array_set_size(i->pages, 0);
	i->hashes = (struct checkpoint_hashes){BASE_HASH_BEGIN, BASE_HASH_BEGIN};
	for (uint32_t k = 0; (a = simt_memory_entry(m, k)); k++) {
		const struct checkpoint_range region = {a->addr, a->size_bytes};

		if (is_held(a))
			region_take(i, &region);
	}
}

void checkpoint_image_free(struct checkpoint_image *i)
{
	if (!i->regions)
		return;
	g_array_free(i->regions, TRUE);
	g_array_free(i->pages, TRUE);
	*i = (struct checkpoint_image){0};
}

static void put_range(struct checkpoint_writer *w, uint64_t addr, uint64_t end)
{
	const struct checkpoint_range range = {addr, end - addr};

	if (addr == end)
		return;
	checkpoint_put_kind(w, CHECKPOINT_RANGE);
	checkpoint_put(w, &range, sizeof(range));
	checkpoint_put(w, (const void *)(uintptr_t)addr, range.bytes);
}

/* Returns the first page behind the region's. */
static const uint64_t *put_region(struct checkpoint_writer *w, const struct checkpoint_range *region,
				  const uint64_t *page)
{
	uint64_t begin = region->addr, at = begin;
	const uint64_t end = begin + region->bytes;

	for (; at < end; page++) {
		const uint64_t bytes = MIN(CHECKPOINT_PAGE_BYTES, end - at);

		if (page_hash(at, bytes) == *page) {
			put_range(w, begin, at);
			begin = at + bytes;
		}
		at += bytes;
	}
	put_range(w, begin, end);
	return page;
}

void checkpoint_image_put_changes(const struct checkpoint_image *i, struct checkpoint_writer *w)
{
	const uint64_t *page = (const uint64_t *)(const void *)i->pages->data;

	for (guint k = 0; k < i->regions->len; k++)
		page = put_region(w, &g_array_index(i->regions, struct checkpoint_range, k), page);
}

bool checkpoint_range_is_there(const struct checkpoint_range *range, const struct simt_memory *m)
{
	const struct simt_alloc *a = range->bytes ? simt_memory_find(m, range->addr, range->bytes) : NULL;

	return a && is_held(a) && !a->is_readonly;
}
