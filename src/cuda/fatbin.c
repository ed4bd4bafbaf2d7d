/* fatbin.c - reading fat binaries: entries, choice, LZ4 and zstd. */
#include "cuda/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { KIND_PTX = 1, KIND_MACHINE_CODE = 2 };
enum { ENTRY_HEADER_BYTES = 64 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
enum { SM_LIST_MAX = 16 };

struct entry {
	uint32_t kind, sm;
	uint64_t flags, compressed_bytes, unpacked_bytes;
	const uint8_t *payload;
	uint64_t payload_bytes;
	uint64_t offset; /* in the container, for messages */
	uint32_t register_max;
};

/* A container that is being read. */
struct reader {
	const uint8_t *data;
	size_t size_bytes, at;
	const char *name;
	struct base_diag_list *diag;
};

static uint16_t read_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t read_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t read_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Appends "NAME: error: fat binary, byte OFFSET: WHAT". Returns false. */
static bool invalid(const struct reader *r, uint64_t offset, const char *what)
{
	base_diag_error(r->diag, (struct base_place){r->name, 0, 0}, "fat binary, byte %" PRIu64 ": %s", offset, what);
	return false;
}

size_t cuda_fatbin_size(const void *data, size_t limit_bytes)
{
	const uint8_t *p = data;
	uint64_t header_bytes, entry_bytes;

	if (limit_bytes < CUDA_FATBIN_HEADER_BYTES || read_u32(p) != CUDA_FATBIN_MAGIC || read_u16(p + 4) != 1)
		return 0;
	header_bytes = read_u16(p + 6);
	entry_bytes = read_u64(p + 8);
	if (header_bytes < CUDA_FATBIN_HEADER_BYTES || entry_bytes > CUDA_FATBIN_MAX_BYTES ||
	    header_bytes + entry_bytes > limit_bytes)
		return 0;
	return header_bytes + entry_bytes;
}

/* N of "-maxrregcount=N" in the entry's command line, 0 without. What lies outside the header is not there. */
static uint32_t register_max(const uint8_t *header, uint32_t header_bytes)
{
	static const char key[] = "-maxrregcount=";
	const uint32_t options = read_u32(header + 20);
	uint32_t n = 0;

	if (!options || options > header_bytes || header_bytes - options < 8)
		return 0;

	const uint32_t offset = read_u32(header + options), length = read_u32(header + options + 4);

	if (offset > header_bytes || length > header_bytes - offset)
		return 0;

	const char *text = (const char *)header + offset, *at = memmem(text, length, key, strlen(key));

	for (at = at ? at + strlen(key) : text + length; at < text + length && *at >= '0' && *at <= '9'; at++)
		n = n < 1000 ? 10 * n + (uint32_t)(*at - '0') : n;
	return n;
}

/* Reads the entry at r->at and moves behind it. False after a message. */
static bool next_entry(struct reader *r, struct entry *e)
{
	const uint8_t *p = r->data + r->at;
	uint64_t room = r->size_bytes - r->at, header_bytes, payload_bytes;

	if (room < ENTRY_HEADER_BYTES)
		return invalid(r, r->at, "the container ends in the header of an entry");
	header_bytes = read_u32(p + 4);
	payload_bytes = read_u64(p + 8);
	if (header_bytes < ENTRY_HEADER_BYTES || header_bytes > room)
		return invalid(r, r->at + 4, "bad size of an entry's header");
	if (payload_bytes > room - header_bytes)
		return invalid(r, r->at + 8, "an entry is longer than what is left of the container");
	*e = (struct entry){
		.kind = read_u16(p),
		.sm = read_u32(p + 28),
		.flags = read_u64(p + 40),
		.compressed_bytes = read_u32(p + 16),
		.unpacked_bytes = read_u64(p + 56),
		.payload = p + header_bytes,
		.payload_bytes = payload_bytes,
		.offset = r->at,
		.register_max = register_max(p, (uint32_t)header_bytes),
	};
	r->at += header_bytes + payload_bytes;
	return true;
}

/* ---- unpacking ---- */

static bool unpack(const struct reader *r, const struct entry *e, char *text)
{
	size_t unpacked;

	if (e->flags & FLAG_ZSTD) {
		unpacked = ZSTD_decompress(text, e->unpacked_bytes, e->payload, e->compressed_bytes);
		if (ZSTD_isError(unpacked) || unpacked != e->unpacked_bytes)
			return invalid(r, e->offset, "the zstd data is damaged");
		return true;
	}

	int got = LZ4_decompress_safe((const char *)e->payload, text, (int)e->compressed_bytes, (int)e->unpacked_bytes);

	if (got < 0 || (uint64_t)got != e->unpacked_bytes)
		return invalid(r, e->offset, "the LZ4 data is damaged");
	return true;
}

static bool take_text(const struct reader *r, const struct entry *e, struct cuda_fatbin_ptx *out)
{
	bool is_packed = e->compressed_bytes != 0;
	uint64_t size_bytes = is_packed ? e->unpacked_bytes : e->payload_bytes;

	if (is_packed && !(e->flags & (FLAG_LZ4 | FLAG_ZSTD)))
		return invalid(r, e->offset + 40, "unknown compression (expected LZ4 or zstd)");
	if (is_packed && e->compressed_bytes > e->payload_bytes)
		return invalid(r, e->offset + 16, "the compressed data is longer than its entry");
	if (size_bytes > CUDA_FATBIN_MAX_BYTES)
		return invalid(r, e->offset + 56, "the PTX claims to be larger than 256 MiB");

	char *text = malloc(size_bytes + 1);

	if (!text)
		return invalid(r, e->offset, "no memory to unpack the PTX");
	if (!is_packed) {
		memcpy(text, e->payload, size_bytes);
	} else if (!unpack(r, e, text)) {
		free(text);
		return false;
	}
	text[size_bytes] = '\0';
	*out = (struct cuda_fatbin_ptx){text, strlen(text), e->sm, e->register_max};
	return true;
}

/* ---- choosing ---- */

static bool is_better(const struct entry *e, const struct entry *best, uint32_t capability)
{
	if (!best->payload)
		return true;
	if ((e->sm <= capability) != (best->sm <= capability))
		return e->sm <= capability;
	return e->sm <= capability ? e->sm > best->sm : e->sm < best->sm;
}

static void no_ptx(const struct reader *r, const uint32_t *sms, uint32_t count)
{
	char list[SM_LIST_MAX * 16] = "";

	for (uint32_t i = 0; i < count; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%ssm_%u", i ? ", " : "", sms[i]);
	base_diag_error(r->diag, (struct base_place){r->name, 0, 0},
			"the program holds machine code (%s) and no PTX, which is what Strata runs; "
			"add PTX with nvcc's -gencode arch=compute_%u,code=compute_%u, or compile with -arch=sm_%u",
			list, sms[0], sms[0], sms[0]);
}

enum cuda_fatbin_status cuda_fatbin_choose(const void *data, size_t limit_bytes, uint32_t capability, const char *name,
					   struct cuda_fatbin_ptx *out, struct base_diag_list *diag)
{
	struct reader r = {data, cuda_fatbin_size(data, limit_bytes), 0, name, diag};
	struct entry e, best = {0};
	uint32_t sms[SM_LIST_MAX], sm_count = 0;

	if (!r.size_bytes) {
		invalid(&r, 0, "bad header of the container");
		return CUDA_FATBIN_INVALID;
	}
	for (r.at = read_u16(r.data + 6); r.at < r.size_bytes;) {
		if (!next_entry(&r, &e))
			return CUDA_FATBIN_INVALID;
		if (e.kind == KIND_PTX && is_better(&e, &best, capability))
			best = e;
		if (e.kind == KIND_MACHINE_CODE && sm_count < SM_LIST_MAX)
			sms[sm_count++] = e.sm;
	}
	if (best.payload)
		return take_text(&r, &best, out) ? CUDA_FATBIN_FOUND : CUDA_FATBIN_INVALID;
	if (!sm_count)
		return CUDA_FATBIN_EMPTY;
	no_ptx(&r, sms, sm_count);
	return CUDA_FATBIN_NO_PTX;
}
