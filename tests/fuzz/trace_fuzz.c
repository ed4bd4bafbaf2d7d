/* trace_fuzz.c - seeded mutants of traces, plain and packed, through the reader.
 *
 *   trace_fuzz COUNT [SEED]
 *
 * A mutant is read to its end: either all of it, and then nothing is said, or up to a mistake, of which there is one
 * message with a place in the file. What is read is in order. The sanitizer build finds reads outside of buffers. The
 * reader has to come to every kind of answer, or the mutations would be too tame.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/check.h"
#include "memory/trace.h"

enum { LINES = 40, TEXT_BYTES = 4096, AREA_BYTES = 3 * TEXT_BYTES, FORM_COUNT = 5, SEED_COUNT = 2 * FORM_COUNT };

enum answer { WHOLE, WRONG_LINE, WRONG_DATA, NO_REQUEST, ANSWER_COUNT };

struct seed {
	uint8_t bytes[AREA_BYTES];
	size_t size;
};

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t below(uint64_t bound)
{
	return (uint32_t)((next_random() >> 33) % bound);
}

/* ---- what is mutated ---- */

/* form: 0 Ramulator, 1 loads and stores, 2 DRAMsim3, 3 a mixture of what is allowed in the first, 4 places. */
static size_t text_of(uint32_t form, char *out)
{
	size_t length = 0;

	for (uint32_t i = 0; i < LINES; i++) {
		const unsigned long long addr = next_random() >> below(64);
		char *at = out + length;
		const size_t left = TEXT_BYTES - length;

		if (form == 1)
			length += (size_t)snprintf(at, left, "%s 0x%llx\n", below(2) ? "LD" : "st", addr);
		else if (form == 2)
			length += (size_t)snprintf(at, left, "0x%llx %s %u\n", addr, below(2) ? "READ" : "WRITE",
						   i * 9);
		else if (form == 4)
			length += (size_t)snprintf(at, left, "%s %u,%u,0x%x,%u,%u\n", below(2) ? "R" : "w", below(8),
						   below(4), below(16), below(1u << 20), below(64));
		else if (form == 3 && below(2))
			length += (size_t)snprintf(at, left, "\t%llu W\r\n# a comment\n\n", addr);
		else
			length += (size_t)snprintf(at, left, "0x%llx R\n", addr);
	}
	return length;
}

static void seed_make(struct seed *s, uint32_t index)
{
	char text[TEXT_BYTES];
	const size_t length = text_of(index % FORM_COUNT, text);

	if (index < FORM_COUNT) {
		memcpy(s->bytes, text, length);
		s->size = length;
		return;
	}
	/* Two frames, so that one begins in the middle. */
	s->size = ZSTD_compress(s->bytes, AREA_BYTES, text, length / 2, 1);
	s->size += ZSTD_compress(s->bytes + s->size, AREA_BYTES - s->size, text + length / 2, length - length / 2, 1);
}

static void mutate_once(struct seed *s)
{
	static const char *const parts[] = {
		"0x", "R", "W", "LD", "ST", "READ", "WRITE", "#", ",", "\n", " ", "\t", "\r", "",
		"18446744073709551616", "0xffffffffffffffff", "0xfffffffffffffffff", "-1"};
	const char *part = parts[below(ARRAY_COUNT(parts))];
	const size_t length = strlen(part), at = below(s->size);

	switch (below(5)) {
	case 0:
		s->bytes[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		s->bytes[at] = (uint8_t)next_random();
		break;
	case 2: /* put in */
		if (s->size + length > AREA_BYTES)
			break;
		memmove(s->bytes + at + length, s->bytes + at, s->size - at);
		memcpy(s->bytes + at, part, length);
		s->size += length;
		break;
	case 3: /* put over */
		memcpy(s->bytes + at, part, at + length <= s->size ? length : 0);
		break;
	default: { /* taken out */
		const size_t count = below(s->size - at < 64 ? s->size - at : 64);

		memmove(s->bytes + at, s->bytes + at + count, s->size - at - count);
		s->size -= count;
	}
	}
}

/* ---- running ---- */

static void wrong(const char *what)
{
	fprintf(stderr, "trace_fuzz: %s\n", what);
	exit(1);
}

static enum answer answer_of(const struct base_diag_list *diag)
{
	const char *text = diag->first->text;

	if (!strncmp(text, "mutant:", 7) && text[7] != ' ')
		return WRONG_LINE;
	return strstr(text, "has no requests") ? NO_REQUEST : WRONG_DATA;
}

static enum answer read_all(int fd)
{
	struct memory_access a;
	struct base_diag_list diag;
	uint64_t last_cycle = 0;
	enum answer answer = WHOLE;

	base_diag_init(&diag);

	const enum memory_trace_format format =
		below(2) ? MEMORY_TRACE_ANY : (enum memory_trace_format)below(MEMORY_TRACE_ANY + 1);
	struct memory_trace *t = memory_trace_open_fd(fd, "mutant", format, &diag);

	while (t && memory_trace_next(t, &a)) {
		if ((a.cycle != MEMORY_TRACE_NO_CYCLE) != memory_trace_has_cycles(t))
			wrong("a cycle where the form has none, or none where it has");
		if (a.part_count > MEMORY_TRACE_PARTS_MAX)
			wrong("a place of too many numbers");
		if (memory_trace_has_cycles(t) && (a.cycle < last_cycle || a.cycle > MEMORY_TRACE_CYCLE_MAX))
			wrong("cycles fall");
		last_cycle = a.cycle;
	}
	if ((!t || memory_trace_has_failed(t)) != (diag.error_count == 1) || diag.error_count > 1)
		wrong("not one message for a mistake");
	if (diag.error_count)
		answer = answer_of(&diag);
	memory_trace_close(t);
	base_diag_free(&diag);
	return answer;
}

static enum answer run(const struct seed *s)
{
	const int fd = memfd_create("mutant", 0);

	if (fd < 0 || write(fd, s->bytes, s->size) != (ssize_t)s->size || lseek(fd, 0, SEEK_SET) != 0)
		wrong("no file in memory");
	return read_all(fd);
}

int main(int argc, char **argv)
{
	static struct seed seeds[SEED_COUNT], mutant;
	uint32_t counts[ANSWER_COUNT] = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: trace_fuzz COUNT [SEED]\n");
		return 2;
	}
	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x5354524154410001;
	for (uint32_t i = 0; i < SEED_COUNT; i++)
		seed_make(&seeds[i], i);
	for (long i = atol(argv[1]); i > 0; i--) {
		mutant = seeds[below(SEED_COUNT)];
		for (uint32_t k = below(5); k > 0 && mutant.size; k--)
			mutate_once(&mutant);
		if (below(8) == 0 && mutant.size)
			mutant.size = below(mutant.size);
		counts[run(&mutant)]++;
	}
	printf("%u whole, %u with a wrong line, %u with wrong data, %u without a request\n", counts[WHOLE],
	       counts[WRONG_LINE], counts[WRONG_DATA], counts[NO_REQUEST]);
	for (uint32_t i = 0; i < ANSWER_COUNT; i++)
		if (!counts[i])
			return 1;
	return 0;
}
