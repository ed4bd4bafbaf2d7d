/* coalesce.c - see coalesce.h. */
#include "gpu/coalesce.h"

#include <string.h>

enum { LINE_SHIFT = 7, TABLE_SIZE = 128, BANKS_MAX = 64 };

/* Do all 32 lanes access consecutive elements? The loop has no exit so that it is vectorised. */
static bool is_contiguous(const uint64_t *addr, uint32_t bytes)
{
	uint64_t differs = 0;

	for (uint32_t i = 0; i < 32; i++)
		differs |= addr[i] ^ (addr[0] + (uint64_t)i * bytes);
	return differs == 0;
}

static uint32_t words_of(uint64_t addr, uint32_t bytes)
{
	uint32_t first = (uint32_t)(addr & (COALESCE_LINE_BYTES - 1)) / 4;
	uint32_t last = (uint32_t)((addr & (COALESCE_LINE_BYTES - 1)) + bytes - 1) / 4;
	uint32_t count = (last > 31 ? 31 : last) - first + 1;

	return (count == 32 ? UINT32_MAX : (1u << count) - 1) << first;
}

static uint32_t lines_contiguous(uint64_t first, uint32_t bytes, struct coalesced_line *lines)
{
	uint64_t end = first + 32 * (uint64_t)bytes;
	uint32_t n = 0;

	for (uint64_t a = first; a < end; n++) {
		uint64_t line = a & ~(uint64_t)(COALESCE_LINE_BYTES - 1);
		uint64_t stop = line + COALESCE_LINE_BYTES < end ? line + COALESCE_LINE_BYTES : end;
		uint32_t mask = words_of(a, (uint32_t)(stop - a));

		lines[n].addr_bytes = line;
		lines[n].word_mask = mask;
		lines[n].word_count = (uint16_t)(bytes < 4 ? (stop - a) / bytes : (uint32_t)__builtin_popcount(mask));
		a = stop;
	}
	return n;
}

/* Small hash table from line number to index, so that 32 different lines cost 32 probes. */
struct line_table {
	uint8_t index[TABLE_SIZE]; /* + 1; 0 = empty */
};

static struct coalesced_line *find_line(struct line_table *t, struct coalesced_line *lines, uint32_t *count,
					uint64_t line)
{
	uint32_t slot = (uint32_t)((line >> LINE_SHIFT) * 0x9e3779b97f4a7c15ull >> 57);

	for (;; slot = (slot + 1) & (TABLE_SIZE - 1)) {
		uint32_t i = t->index[slot];

		if (i == 0)
			break;
		if (lines[i - 1].addr_bytes == line)
			return &lines[i - 1];
	}
	t->index[slot] = (uint8_t)++*count;
	lines[*count - 1] = (struct coalesced_line){.addr_bytes = line};
	return &lines[*count - 1];
}

static void touch_line(struct coalesced_line *l, uint32_t words)
{
	l->word_mask |= words;
	l->word_count = (uint16_t)(l->word_count + __builtin_popcount(words));
}

uint32_t coalesce_lines(const uint64_t *addr, uint32_t mask, uint32_t bytes, struct coalesced_line *lines)
{
	struct line_table t;
	struct coalesced_line *l = lines;
	uint32_t count = 0;

	if (mask == UINT32_MAX && is_contiguous(addr, bytes))
		return lines_contiguous(addr[0], bytes, lines);
	memset(&t, 0, sizeof(t));
	for (uint32_t m = mask; m; m &= m - 1) {
		uint64_t a = addr[__builtin_ctz(m)], line = a & ~(uint64_t)(COALESCE_LINE_BYTES - 1);
		uint64_t end = a + bytes - 1;

		if (count == 0 || l->addr_bytes != line)
			l = find_line(&t, lines, &count, line);
		touch_line(l, words_of(a, bytes));
		if (((a ^ end) & ~(uint64_t)(COALESCE_LINE_BYTES - 1)) != 0) {
			line += COALESCE_LINE_BYTES;
			l = find_line(&t, lines, &count, line);
			touch_line(l, words_of(line, (uint32_t)(end - line) + 1));
		}
	}
	return count;
}

/* Lanes at each word of the line. */
static void count_lanes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint64_t line, uint8_t lanes[32])
{
	memset(lanes, 0, 32);
	for (uint32_t m = mask; m; m &= m - 1) {
		const uint64_t first = addr[__builtin_ctz(m)] & ~3ull, end = addr[__builtin_ctz(m)] + bytes;

		for (uint64_t word = first; word < end; word += 4)
			if ((word & ~(uint64_t)(COALESCE_LINE_BYTES - 1)) == line)
				lanes[(word & (COALESCE_LINE_BYTES - 1)) / 4]++;
	}
}

/* For each part of access_bytes the most lanes at a word of it. */
static uint32_t accesses_of(const uint8_t lanes[32], uint32_t access_bytes)
{
	uint32_t sum = 0;

	for (uint32_t first = 0; first < 32; first += access_bytes / 4) {
		uint32_t most = 0;

		for (uint32_t w = first; w < first + access_bytes / 4; w++)
			most = lanes[w] > most ? lanes[w] : most;
		sum += most;
	}
	return sum;
}

uint32_t coalesce_squeeze(struct coalesced_line *lines, uint32_t count)
{
	const uint32_t line_words = COALESCE_LINE_BYTES / 4;
	uint32_t words = 0, kept = 0;

	for (uint32_t i = 0; i < count; i++)
		words += (uint32_t)__builtin_popcount(lines[i].word_mask);
	for (; words; kept++) {
		const uint32_t own = words < line_words ? words : line_words;

		lines[kept].word_mask = own < line_words ? (1u << own) - 1 : UINT32_MAX;
		lines[kept].word_count = (uint16_t)own;
		words -= own;
	}
	return kept;
}

void coalesce_atomics(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t access_bytes,
		      struct coalesced_line *lines, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct coalesced_line *l = &lines[i];
		uint8_t lanes[32];

		if (l->word_count == __builtin_popcount(l->word_mask)) { /* no word twice */
			l->access_count =
			    (uint16_t)(coalesce_sector_bytes(l->word_mask, access_bytes) / access_bytes);
			continue;
		}
		count_lanes(addr, mask, bytes, l->addr_bytes, lanes);
		l->access_count = (uint16_t)accesses_of(lanes, access_bytes);
	}
}

static void touch_bytes(struct mem_req_bytes *b, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		b->mask[i / 64] |= 1ull << i % 64;
}

void coalesce_bytes(const uint64_t *addr, uint32_t mask, uint32_t bytes, const struct coalesced_line *lines,
		    uint32_t count, struct mem_req_bytes *out)
{
	memset(out, 0, count * sizeof(*out));
	for (uint32_t m = mask; m; m &= m - 1) {
		const uint64_t first = addr[__builtin_ctz(m)], end = first + bytes;

		for (uint32_t i = 0; i < count; i++) {
			const uint64_t line = lines[i].addr_bytes, stop = line + COALESCE_LINE_BYTES;
			const uint64_t from = first > line ? first : line, to = end < stop ? end : stop;

			if (from < to)
				touch_bytes(&out[i], (uint32_t)(from - line), (uint32_t)(to - from));
		}
	}
}

struct mem_req_bytes coalesce_bytes_of_words(uint32_t word_mask)
{
	struct mem_req_bytes b = {{0, 0}};

	for (uint32_t m = word_mask; m; m &= m - 1)
		touch_bytes(&b, 4 * (uint32_t)__builtin_ctz(m), 4);
	return b;
}

uint32_t coalesce_sector_bytes(uint32_t word_mask, uint32_t sector_bytes)
{
	uint32_t sector_words = sector_bytes / 4, bytes = 0;

	for (uint32_t m = word_mask; m; bytes += sector_bytes) {
		uint32_t first = (uint32_t)__builtin_ctz(m) & ~(sector_words - 1);

		m &= first + sector_words >= 32 ? 0 : UINT32_MAX << (first + sector_words);
	}
	return bytes;
}

/* Passes of one group: the largest number of different words that fall into one bank. */
static uint32_t group_passes(const uint64_t *words, uint32_t count, uint32_t bank_count, bool is_atomic)
{
	uint64_t seen[BANKS_MAX][32];
	uint8_t used[BANKS_MAX];
	uint32_t passes = 1;

	memset(used, 0, bank_count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bank = (uint32_t)words[i] & (bank_count - 1), k = 0;

		while (k < used[bank] && (is_atomic || seen[bank][k] != words[i]))
			k++;
		if (k < used[bank] || k == 32)
			continue;
		seen[bank][used[bank]++] = words[i];
		if (used[bank] > passes)
			passes = used[bank];
	}
	return passes;
}

uint32_t coalesce_bank_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t bank_count, bool is_atomic)
{
	uint32_t lane_words = bytes <= 4 ? 1 : bytes / 4, group_lanes = 32 / lane_words, passes = 0;

	if (mask == UINT32_MAX && bytes == 4 && bank_count == 32 && is_contiguous(addr, bytes))
		return 1;
	for (uint32_t first = 0; first < 32; first += group_lanes) {
		uint64_t words[32];
		uint32_t n = 0;

		for (uint32_t lane = first; lane < first + group_lanes; lane++) {
			if (!(mask >> lane & 1))
				continue;
			for (uint32_t w = 0; w < lane_words; w++)
				words[n++] = addr[lane] / 4 + w;
		}
		if (n)
			passes += group_passes(words, n, bank_count, is_atomic);
	}
	return passes;
}

uint32_t coalesce_distinct_words(const uint64_t *addr, uint32_t mask)
{
	uint64_t seen[32];
	uint32_t count = 0;

	for (uint32_t m = mask; m; m &= m - 1) {
		uint64_t word = addr[__builtin_ctz(m)] / 4;
		uint32_t k = 0;

		while (k < count && seen[k] != word)
			k++;
		if (k == count)
			seen[count++] = word;
	}
	return count;
}
