/* serial.c - planes, and the cycles that algorithms are made of. */
#include "dc/array/serial.h"

#include <string.h>

#include "base/check.h"

enum { SENSED_MAX = 64 }; /* word-lines of an array at once: what was shown in silicon */

/* Rows that nothing has written since the last operation hold zeros already. */
void dc_serial_begin(struct dc_serial *s, uint32_t savings)
{
	memset(s->row, 0, sizeof(s->row[0]) * (s->most_row + 1));
	memset(&s->carry, 0, sizeof(s->carry));
	memset(&s->tag, 0, sizeof(s->tag));
	memset(&s->guard, 0xff, sizeof(s->guard));
	s->is_tagged = false;
	s->cycles = 0;
	s->most_row = 0;
	s->savings = savings;
}

/* Row r, column c to row c, column r: blocks of half the size change places, down to single bits. */
static void transpose(uint64_t *rows)
{
	uint64_t mask = 0x00000000ffffffffull;

	for (uint32_t half = 32; half; half /= 2, mask ^= mask << half)
		for (uint32_t r = 0; r < 64; r = (r + half + 1) & ~half) {
			const uint64_t t = ((rows[r] >> half) ^ rows[r + half]) & mask;

			rows[r] ^= t << half;
			rows[r + half] ^= t;
		}
}

void dc_serial_put(struct dc_serial *s, uint32_t first, uint32_t n, const uint64_t *values)
{
	uint64_t block[64];

	CHECK(n <= 64 && first + n <= DC_SERIAL_ROWS);
	for (uint32_t w = 0; w < DC_COLUMN_WORDS; w++) {
		memcpy(block, values + w * 64, sizeof(block));
		transpose(block);
		for (uint32_t r = 0; r < n; r++)
			s->row[first + r].w[w] = block[r];
	}
	if (n && first + n - 1 > s->most_row)
		s->most_row = first + n - 1;
}

void dc_serial_get(const struct dc_serial *s, uint32_t first, uint32_t n, uint64_t *values)
{
	for (uint32_t w = 0; w < DC_COLUMN_WORDS; w++) {
		uint64_t *block = values + w * 64;

		for (uint32_t r = 0; r < 64; r++)
			block[r] = r < n ? s->row[first + r].w[w] : 0;
		transpose(block);
	}
}

static uint64_t enable(const struct dc_serial *s, uint32_t i)
{
	return s->is_tagged ? s->guard.w[i] & s->tag.w[i] : s->guard.w[i];
}

static void reads(const struct dc_serial *s, uint32_t row)
{
	if (s->watch && row != DC_NO_ROW)
		s->watch->reads(s->watch->self, s->cycles, row);
}

static void reads_all(const struct dc_serial *s, uint32_t first, uint32_t count)
{
	for (uint32_t r = first; s->watch && r < first + count; r++)
		reads(s, r);
}

/* A cycle that writes row d. */
static struct dc_plane *begin(struct dc_serial *s, uint32_t d)
{
	CHECK(d < DC_SERIAL_ROWS);
	if (s->watch)
		s->watch->writes(s->watch->self, s->cycles, d, s->is_tagged);
	s->cycles++;
	s->most_row = d > s->most_row ? d : s->most_row;
	return &s->row[d];
}

#define WRITE(d, expression)                                                                                           \
	do {                                                                                                           \
		struct dc_plane *to = begin(s, d);                                                                     \
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {                                                       \
			const uint64_t on = enable(s, i);                                                              \
			to->w[i] = (to->w[i] & ~on) | ((expression) & on);                                             \
		}                                                                                                      \
	} while (0)

void dc_serial_copy(struct dc_serial *s, uint32_t d, uint32_t a)
{
	reads(s, a);
	WRITE(d, s->row[a].w[i]);
}

void dc_serial_not(struct dc_serial *s, uint32_t d, uint32_t a)
{
	reads(s, a);
	WRITE(d, ~s->row[a].w[i]);
}

void dc_serial_and(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b)
{
	reads(s, a);
	reads(s, b);
	WRITE(d, s->row[a].w[i] & s->row[b].w[i]);
}

void dc_serial_or(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b)
{
	reads(s, a);
	reads(s, b);
	WRITE(d, s->row[a].w[i] | s->row[b].w[i]);
}

void dc_serial_xor(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b)
{
	reads(s, a);
	reads(s, b);
	WRITE(d, s->row[a].w[i] ^ s->row[b].w[i]);
}

void dc_serial_add(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b)
{
	struct dc_plane *to;

	reads(s, a);
	reads(s, b);
	to = begin(s, d);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
		const uint64_t x = s->row[a].w[i], y = s->row[b].w[i], c = s->carry.w[i], on = enable(s, i);

		to->w[i] = (to->w[i] & ~on) | ((x ^ y ^ c) & on);
		s->carry.w[i] = (x & y) | ((x ^ y) & c);
	}
}

void dc_serial_add_one(struct dc_serial *s, uint32_t d, uint32_t a)
{
	struct dc_plane *to;

	reads(s, a);
	to = begin(s, d);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
		const uint64_t x = s->row[a].w[i], c = s->carry.w[i], on = enable(s, i);

		to->w[i] = (to->w[i] & ~on) | ((x ^ c) & on);
		s->carry.w[i] = x & c;
	}
}

void dc_serial_write_carry(struct dc_serial *s, uint32_t d)
{
	WRITE(d, s->carry.w[i]);
}

void dc_serial_tag(struct dc_serial *s, uint32_t a, bool is_inverted)
{
	reads(s, a);
	s->cycles++;
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->tag.w[i] = s->row[a].w[i] ^ (is_inverted ? ~0ull : 0);
}

void dc_serial_tag_differs(struct dc_serial *s, uint32_t a, uint32_t b)
{
	reads(s, a);
	reads(s, b);
	s->cycles++;
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->tag.w[i] = s->row[a].w[i] ^ s->row[b].w[i];
}

void dc_serial_fill(struct dc_serial *s, uint32_t first, uint32_t count, bool value)
{
	CHECK(count >= 1 && count <= SENSED_MAX);
	for (uint32_t r = first; r < first + count; r++) {
		WRITE(r, value ? ~0ull : 0);
		s->cycles -= r > first;
	}
}

static uint64_t all_of(const struct dc_serial *s, uint32_t first, uint32_t count, uint32_t i)
{
	uint64_t x = ~0ull;

	for (uint32_t r = first; r < first + count; r++)
		x &= s->row[r].w[i];
	return x;
}

static uint64_t none_of(const struct dc_serial *s, uint32_t first, uint32_t count, uint32_t i)
{
	uint64_t x = 0;

	for (uint32_t r = first; r < first + count; r++)
		x |= s->row[r].w[i];
	return ~x;
}

void dc_serial_all(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count)
{
	CHECK(count <= 2 * SENSED_MAX);
	reads_all(s, first, count);
	WRITE(d, all_of(s, first, count, i));
}

void dc_serial_none(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count)
{
	CHECK(count <= 2 * SENSED_MAX);
	reads_all(s, first, count);
	WRITE(d, none_of(s, first, count, i));
}

bool dc_serial_are_set(struct dc_serial *s, uint32_t first, uint32_t count)
{
	uint64_t clear = 0;

	CHECK(count <= SENSED_MAX);
	reads_all(s, first, count);
	s->cycles++;
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		clear |= ~all_of(s, first, count, i) & s->guard.w[i];
	return !clear;
}

void dc_serial_same(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count)
{
	CHECK(count <= 2 * SENSED_MAX);
	reads_all(s, first, count);
	WRITE(d, all_of(s, first, count, i) | none_of(s, first, count, i));
}

void dc_serial_some(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count, uint32_t also)
{
	CHECK(count <= 2 * SENSED_MAX);
	reads_all(s, first, count);
	reads(s, also);
	WRITE(d, ~none_of(s, first, count, i) | (also == DC_NO_ROW ? 0 : s->row[also].w[i]));
}

void dc_serial_add_bit(struct dc_serial *s, uint32_t d, uint32_t a, bool bit)
{
	const uint64_t y = bit ? ~0ull : 0;
	struct dc_plane *to;

	reads(s, a);
	to = begin(s, d);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
		const uint64_t x = a == DC_NO_ROW ? 0 : s->row[a].w[i], c = s->carry.w[i], on = enable(s, i);

		to->w[i] = (to->w[i] & ~on) | ((x ^ y ^ c) & on);
		s->carry.w[i] = (x & y) | ((x ^ y) & c);
	}
}

/* AND of the rows where the value has ones; NOR of those where it has zeros. */
void dc_serial_search(struct dc_serial *s, uint32_t first, uint32_t n, uint64_t value)
{
	reads_all(s, first, n);
	s->cycles += 2;
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
		uint64_t ones = ~0ull, zeros = 0;

		for (uint32_t r = 0; r < n; r++) {
			if (value >> r & 1)
				ones &= s->row[first + r].w[i];
			else
				zeros |= s->row[first + r].w[i];
		}
		s->tag.w[i] = ones & ~zeros;
	}
}

void dc_serial_set_carry(struct dc_serial *s, bool value)
{
	memset(&s->carry, value ? 0xff : 0, sizeof(s->carry));
}

void dc_serial_set_carry_row(struct dc_serial *s, uint32_t a, bool is_inverted)
{
	reads(s, a);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->carry.w[i] = s->row[a].w[i] ^ (is_inverted ? ~0ull : 0);
}

void dc_serial_tagged(struct dc_serial *s, bool is_tagged)
{
	s->is_tagged = is_tagged;
}

bool dc_serial_any(const struct dc_serial *s)
{
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		if (s->tag.w[i] & s->guard.w[i])
			return true;
	return false;
}

void dc_serial_idle(struct dc_serial *s, uint64_t cycles)
{
	s->cycles += cycles;
}

uint32_t dc_serial_width(struct dc_serial *s, uint32_t first, uint32_t n)
{
	uint32_t width = n;

	while (width) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= s->row[first + width - 1].w[i] & s->guard.w[i];
		if (any)
			break;
		width--;
	}
	return width;
}

uint32_t dc_serial_zeros(const struct dc_serial *s, uint32_t first, uint32_t n)
{
	for (uint32_t zeros = 0; zeros < n; zeros++)
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			if (s->row[first + zeros].w[i] & s->guard.w[i])
				return zeros;
	return n;
}
