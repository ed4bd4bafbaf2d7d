/* streams.h - the same requests for every simulator: lines of 64 bytes of a DRAM channel, read by C and C++.
 *
 * An address is [row][bank in its group][bank group][column][byte of the line]; who maps addresses otherwise must be
 * set to this order.
 */
#ifndef STRATA_BENCH_PEERS_STREAMS_H
#define STRATA_BENCH_PEERS_STREAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LINE_BITS = 6, COLUMN_BITS = 7 };

enum stream_kind {
	STREAM_SEQUENTIAL,   /* reads, line after line: a whole row of one bank, then the next bank group's */
	STREAM_INTERLEAVED,  /* reads, each in the next bank group */
	STREAM_COPY,	     /* two sequential reads, one sequential write */
	STREAM_RANDOM,	     /* reads, anywhere in 1 GiB */
	STREAM_RANDOM_WRITES, /* the same, each third request a write */
	STREAM_CHASE,	     /* random reads, one under way at a time */
	STREAM_CONFLICT,     /* reads of one bank, each of another row */
	STREAM_KINDS
};
static const char *const stream_names[STREAM_KINDS] = {"sequential",	"interleaved", "copy",	  "random",
						       "random-writes", "chase",       "conflict"};

struct stream {
	enum stream_kind kind;
	uint32_t group_bits, bank_bits;
	uint64_t index, random;
	uint64_t addr_bytes; /* the request that stream_next has made */
	bool is_write;
};

/* false: there is no stream of that name. */
static inline bool stream_init(struct stream *s, const char *name, uint32_t group_bits, uint32_t bank_bits)
{
	memset(s, 0, sizeof(*s));
	s->group_bits = group_bits;
	s->bank_bits = bank_bits;
	s->random = 88172645463325252ull;
	for (int i = 0; i < STREAM_KINDS; i++) {
		s->kind = (enum stream_kind)i;
		if (!strcmp(name, stream_names[i]))
			return true;
	}
	return false;
}

static inline bool stream_writes(const struct stream *s)
{
	return s->kind == STREAM_COPY || s->kind == STREAM_RANDOM_WRITES;
}

/* Requests under way at most; those with writes are bounded by the queues alone. */
static inline uint64_t stream_window(const struct stream *s)
{
	return s->kind == STREAM_CHASE ? 1 : stream_writes(s) ? UINT64_MAX : 32;
}

static inline uint64_t stream_random_line(struct stream *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random >> 8 & ((1ull << 30) - 1) & ~63ull;
}

static inline void stream_next(struct stream *s)
{
	const uint32_t group_at = LINE_BITS + COLUMN_BITS, bank_at = group_at + s->group_bits;
	const uint32_t row_at = bank_at + s->bank_bits;
	const uint64_t i = s->index++, groups = 1ull << s->group_bits;

	s->is_write = stream_writes(s) && i % 3 == 2;
	switch (s->kind) {
	case STREAM_SEQUENTIAL:
		s->addr_bytes = i << LINE_BITS;
		break;
	case STREAM_INTERLEAVED:
		s->addr_bytes = (i / groups >> COLUMN_BITS) << bank_at | i % groups << group_at |
				(i / groups & ((1u << COLUMN_BITS) - 1)) << LINE_BITS;
		break;
	case STREAM_COPY:
		s->addr_bytes = (i % 3 << 30) + (i % 3 << bank_at) + (i / 3 << LINE_BITS);
		break;
	case STREAM_CONFLICT:
		s->addr_bytes = (i * 7919 & 65535) << row_at;
		break;
	default:
		s->addr_bytes = stream_random_line(s);
		break;
	}
}

#endif
