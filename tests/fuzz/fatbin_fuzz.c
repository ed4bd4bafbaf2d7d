/* fatbin_fuzz.c - seeded mutants of fat binaries through the reader and, where it finds PTX, through the parser.
 *
 *   fatbin_fuzz COUNT PTX_FILE [SEED]
 *
 * Every mutant lies directly before a page that cannot be read, so that reading behind its end crashes in any build;
 * the sanitizer build finds the rest. The reader has to come to every kind of answer, or the mutations would be too
 * tame.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/fatbin.h"
#include "cudart/clang/fatbin_write.h"
#include "ptx/ptx.h"

enum { SEED_COUNT = 7, CAPABILITY = 70, AREA_BYTES = 1 << 16 };

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t below(uint32_t bound)
{
	return (uint32_t)(next_random() >> 33) % bound;
}

/* ---- what is mutated ---- */

static GByteArray *seed_of(uint32_t index, const char *ptx, gsize bytes)
{
	GByteArray *out = fatbin_begin();

	switch (index) {
	case 0:
	case 1:
	case 2:
		fatbin_add(out, (enum fatbin_packing)index, FATBIN_PTX, 75, ptx, bytes);
		break;
	case 3: /* several, packed in different ways */
		fatbin_add(out, FATBIN_RAW, FATBIN_CODE, 60, ptx, 100);
		fatbin_add(out, FATBIN_RAW, FATBIN_PTX, 50, ptx, bytes);
		fatbin_add(out, FATBIN_LZ4, FATBIN_PTX, 60, ptx, bytes);
		fatbin_add(out, FATBIN_ZSTD, FATBIN_PTX, 80, ptx, bytes);
		break;
	case 4:
		fatbin_add(out, FATBIN_RAW, FATBIN_CODE, 75, ptx, 100);
		break;
	case 5:
		break;
	default: /* text without its NUL */
		fatbin_add(out, FATBIN_RAW, FATBIN_PTX, 70, ptx, (bytes - 1) / 8 * 8);
	}
	fatbin_end(out);
	return out;
}

/* Numbers that headers break on. */
static uint64_t odd_number(uint32_t size_bytes)
{
	const uint64_t numbers[] = {0, 1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 255, 0x2000, 0x8000, 0xa000,
				    0x7fffffff, 0x80000000, 0xffffffff, 1ull << 28, (1ull << 28) + 1, 1ull << 32,
				    INT64_MAX, UINT64_MAX, UINT64_MAX - 15, size_bytes, size_bytes - 16,
				    size_bytes - 80, next_random(), below(4096)};

	return numbers[below(sizeof(numbers) / sizeof(*numbers))];
}

static void mutate_field(uint8_t *p, uint32_t size_bytes)
{
	static const uint8_t widths[] = {1, 2, 4, 8};
	uint32_t width = widths[below(4)];
	/* Mostly the two headers at the start. */
	uint32_t at = below(4) ? below(80) / width * width : below(size_bytes);
	uint64_t value = odd_number(size_bytes);

	if (at + width <= size_bytes)
		memcpy(p + at, &value, width);
}

static void mutate_bytes(uint8_t *p, uint32_t size_bytes)
{
	uint32_t at = below(size_bytes), from = below(size_bytes), count = 1 + below(32);

	switch (below(3)) {
	case 0:
		p[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		p[at] = (uint8_t)next_random();
		break;
	default:
		if (at + count <= size_bytes && from + count <= size_bytes)
			memmove(p + at, p + from, count);
	}
}

/* Changes p in place; returns how many bytes of it are left. */
static uint32_t mutate(uint8_t *p, uint32_t size_bytes)
{
	for (uint32_t i = 1 + below(4); i > 0; i--) {
		if (below(2))
			mutate_field(p, size_bytes);
		else
			mutate_bytes(p, size_bytes);
	}
	return below(4) ? size_bytes : 1 + below(size_bytes);
}

/* ---- running ---- */

static enum cuda_fatbin_status read_one(const uint8_t *data, uint32_t size_bytes)
{
	struct cuda_fatbin_ptx ptx;
	struct base_diag_list diag;

	base_diag_init(&diag);

	enum cuda_fatbin_status status = cuda_fatbin_choose(data, size_bytes, CAPABILITY, "mutant", &ptx, &diag);
	bool has_message = status == CUDA_FATBIN_NO_PTX || status == CUDA_FATBIN_INVALID;

	if (has_message != (diag.error_count == 1)) {
		fprintf(stderr, "fatbin_fuzz: status %d came with %u messages\n", (int)status, diag.error_count);
		exit(1);
	}
	if (status == CUDA_FATBIN_FOUND) {
		ptx_module_free(ptx_module_parse("mutant", ptx.text, ptx.size_bytes, &diag));
		free(ptx.text);
	}
	base_diag_free(&diag);
	return status;
}

static uint8_t *guarded_area(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *p = mmap(NULL, AREA_BYTES + page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + AREA_BYTES, page_bytes, PROT_NONE)) {
		perror("fatbin_fuzz");
		exit(1);
	}
	return p + AREA_BYTES;
}

int main(int argc, char **argv)
{
	uint32_t counts[CUDA_FATBIN_INVALID + 1] = {0};
	GByteArray *seeds[SEED_COUNT];
	uint8_t *end = guarded_area();
	gchar *ptx;
	gsize bytes;

	if (argc < 3 || !g_file_get_contents(argv[2], &ptx, &bytes, NULL)) {
		fprintf(stderr, "usage: fatbin_fuzz COUNT PTX_FILE [SEED]\n");
		return 2;
	}
	state = argc > 3 ? strtoull(argv[3], NULL, 0) : 0x5354524154410001;
	for (uint32_t i = 0; i < SEED_COUNT; i++)
		seeds[i] = seed_of(i, ptx, bytes + 1);
	for (long i = atol(argv[1]); i > 0; i--) {
		const GByteArray *seed = seeds[below(SEED_COUNT)];
		uint8_t mutant[AREA_BYTES];
		uint32_t left;

		memcpy(mutant, seed->data, seed->len);
		left = mutate(mutant, seed->len);
		memcpy(end - left, mutant, left);
		counts[read_one(end - left, left)]++;
	}
	for (uint32_t i = 0; i < SEED_COUNT; i++)
		g_byte_array_free(seeds[i], TRUE);
	g_free(ptx);
	printf("%u with PTX, %u without, %u empty, %u refused\n", counts[CUDA_FATBIN_FOUND], counts[CUDA_FATBIN_NO_PTX],
	       counts[CUDA_FATBIN_EMPTY], counts[CUDA_FATBIN_INVALID]);
	for (uint32_t i = 0; i <= CUDA_FATBIN_INVALID; i++) {
		if (!counts[i])
			return 1;
	}
	return 0;
}
