/* trace.c - reading traces: bytes, from a file as it is or through zstd, lines, and what a line says. */
#include "memory/trace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/check.h"

enum {
	TEXT_BYTES = 1 << 17,
	LINE_BYTES_MAX = 4096,
	WORDS_MAX = 3,
	SHOWN_BYTES = 40, /* of a word, in messages */
	MAGIC_BYTES = 4,
};

static const uint8_t zstd_magic[MAGIC_BYTES] = {0x28, 0xb5, 0x2f, 0xfd}; /* RFC 8878, section 3.1.1 */

struct memory_trace {
	const char *name;
	enum memory_trace_format format;
	int fd;
	bool is_ended, has_failed, has_first;
	uint32_t line;
	uint64_t last_cycle;
	struct memory_access first;
	struct base_diag_list *diag;

	ZSTD_DCtx *unpacker; /* NULL: the file is text */
	ZSTD_inBuffer in;
	bool is_frame_open; /* the packed data may not end here */

	size_t begin, end; /* of the text that is not read yet */
	char text[TEXT_BYTES];
	uint8_t packed[TEXT_BYTES];
};

/* A part of a line. */
struct word {
	const char *text;
	size_t length;
};

static void fail(struct memory_trace *t, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void fail(struct memory_trace *t, uint32_t column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g_autofree char *text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	base_diag_error(t->diag, (struct base_place){t->name, column ? t->line : 0, column}, "%s", text);
	t->has_failed = t->is_ended = true;
}

/* ---- bytes ---- */

/* At most size bytes; 0: the end, or a failure. */
static size_t read_file(struct memory_trace *t, void *out, size_t size)
{
	ssize_t got;

	do
		got = read(t->fd, out, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		fail(t, 0, "cannot read the trace: %s", strerror(errno));
	return got > 0 ? (size_t)got : 0;
}

/* Unpacks something into what is free behind the text. False: there is no more. */
static bool unpack(struct memory_trace *t)
{
	ZSTD_outBuffer out = {t->text + t->end, TEXT_BYTES - t->end, 0};

	while (out.pos == 0) {
		if (t->in.pos == t->in.size) {
			t->in = (ZSTD_inBuffer){t->packed, read_file(t, t->packed, TEXT_BYTES), 0};
			if (t->in.size == 0 && t->is_frame_open && !t->has_failed)
				fail(t, 0, "the zstd data ends in the middle");
			if (t->in.size == 0)
				return false;
		}

		const size_t left = ZSTD_decompressStream(t->unpacker, &out, &t->in);

		if (ZSTD_isError(left)) {
			fail(t, 0, "the zstd data is damaged: %s", ZSTD_getErrorName(left));
			return false;
		}
		t->is_frame_open = left != 0;
	}
	t->end += out.pos;
	return true;
}

/* Puts more text behind what there is. False: there is no more. */
static bool fill(struct memory_trace *t)
{
	if (t->begin) {
		memmove(t->text, t->text + t->begin, t->end - t->begin);
		t->end -= t->begin;
		t->begin = 0;
	}
	if (t->unpacker)
		return unpack(t);

	const size_t got = read_file(t, t->text + t->end, TEXT_BYTES - t->end);

	t->end += got;
	return got != 0;
}

/* The first bytes say how it is packed. */
static void open_packed(struct memory_trace *t)
{
	while (t->end < MAGIC_BYTES && fill(t))
		;
	if (t->end < MAGIC_BYTES || memcmp(t->text, zstd_magic, MAGIC_BYTES) != 0)
		return;
	t->unpacker = ZSTD_createDCtx();
	CHECK(t->unpacker);
	t->in = (ZSTD_inBuffer){t->packed, t->end, 0};
	memcpy(t->packed, t->text, t->end);
	t->end = 0;
	t->is_frame_open = true;
}

/* ---- lines ---- */

/* The next line without its end. False: there is none. */
static bool next_line(struct memory_trace *t, struct word *line)
{
	size_t searched = 0;

	if (t->is_ended)
		return false;
	for (;;) {
		const char *from = t->text + t->begin;
		const char *newline = memchr(from + searched, '\n', t->end - t->begin - searched);

		if (newline) {
			*line = (struct word){from, (size_t)(newline - from)};
			t->begin += line->length + 1;
			break;
		}
		searched = t->end - t->begin;
		if (searched > LINE_BYTES_MAX)
			break;
		if (fill(t))
			continue;
		t->is_ended = true;
		*line = (struct word){t->text + t->begin, t->end - t->begin};
		t->begin = t->end;
		if (t->has_failed || line->length == 0)
			return false;
		break;
	}
	t->line++;
	if (searched > LINE_BYTES_MAX || line->length > LINE_BYTES_MAX) {
		fail(t, 1, "the line is longer than %d bytes: no trace", LINE_BYTES_MAX);
		return false;
	}
	return true;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The words of a line, and one more that is empty, where it ends. Returns how many there are, at most WORDS_MAX + 1. */
static uint32_t words_of(struct word line, struct word words[WORDS_MAX + 1])
{
	const char *at = line.text, *end = line.text + line.length;
	uint32_t count = 0;

	for (;;) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#' || count == WORDS_MAX + 1)
			break;

		const char *begin = at;

		while (at < end && !is_blank(*at) && *at != '#')
			at++;
		words[count++] = (struct word){begin, (size_t)(at - begin)};
	}
	for (uint32_t i = count; i <= WORDS_MAX; i++)
		words[i] = (struct word){at, 0};
	return count;
}

static inline bool is_word(struct word w, const char *text)
{
	return strlen(text) == w.length && !g_ascii_strncasecmp(w.text, text, w.length);
}

/* Decimal, or hexadecimal after 0x, of 64 bits. */
static inline bool number_of(struct word w, uint64_t *out)
{
	const bool is_hex = w.length > 2 && w.text[0] == '0' && (w.text[1] == 'x' || w.text[1] == 'X');
	const uint64_t base = is_hex ? 16 : 10;
	uint64_t value = 0;

	for (size_t i = is_hex ? 2 : 0; i < w.length; i++) {
		const char c = w.text[i];
		uint64_t digit;

		if (c >= '0' && c <= '9')
			digit = (uint64_t)(c - '0');
		else if (is_hex && isxdigit((unsigned char)c))
			digit = (uint64_t)(tolower((unsigned char)c) - 'a' + 10);
		else
			return false;
		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = value;
	return w.length > 0;
}

/* ---- what a line says ---- */

static bool expected(struct memory_trace *t, struct word line, struct word found, const char *what)
{
	const uint32_t column = (uint32_t)(found.text - line.text) + 1;
	g_autofree char *shown = g_utf8_make_valid(found.text, (gssize)MIN(found.length, (size_t)SHOWN_BYTES));

	if (found.length)
		fail(t, column, "expected %s, found '%s%s'", what, shown, found.length > SHOWN_BYTES ? "..." : "");
	else
		fail(t, column, "expected %s, found the end of the line", what);
	return false;
}

static const char address_form[] = "an address (decimal, or hexadecimal after 0x) of 64 bits";

static bool read_ramulator(struct memory_trace *t, struct word line, const struct word *w, struct memory_access *out)
{
	if (!number_of(w[0], &out->addr_bytes))
		return expected(t, line, w[0], address_form);
	out->is_write = is_word(w[1], "W");
	return out->is_write || is_word(w[1], "R") || expected(t, line, w[1], "R or W");
}

static bool read_loadstore(struct memory_trace *t, struct word line, const struct word *w, struct memory_access *out)
{
	out->is_write = is_word(w[0], "ST");
	if (!out->is_write && !is_word(w[0], "LD"))
		return expected(t, line, w[0], "LD or ST");
	return number_of(w[1], &out->addr_bytes) || expected(t, line, w[1], address_form);
}

static bool read_place(struct memory_trace *t, struct word line, struct word place, struct memory_access *out)
{
	const char *at = place.text, *end = place.text + place.length;

	for (out->part_count = 0; out->part_count < MEMORY_TRACE_PARTS_MAX; at++) {
		struct word part = {at, 0};
		uint64_t number;

		while (at < end && *at != ',')
			at++;
		part.length = (size_t)(at - part.text);
		if (!number_of(part, &number) || number > UINT32_MAX)
			break;
		out->parts[out->part_count++] = (uint32_t)number;
		if (at == end)
			return true;
	}
	return expected(t, line, place, "a place, such as 0,1,2,3,100,32 (up to eight numbers below 2^32)");
}

static bool read_readwrite(struct memory_trace *t, struct word line, const struct word *w, struct memory_access *out)
{
	out->is_write = is_word(w[0], "W");
	if (!out->is_write && !is_word(w[0], "R"))
		return expected(t, line, w[0], "R or W");
	return read_place(t, line, w[1], out);
}

static bool read_dramsim3(struct memory_trace *t, struct word line, const struct word *w, struct memory_access *out)
{
	if (!number_of(w[0], &out->addr_bytes))
		return expected(t, line, w[0], address_form);
	out->is_write = is_word(w[1], "WRITE");
	if (!out->is_write && !is_word(w[1], "READ"))
		return expected(t, line, w[1], "READ or WRITE");
	if (!number_of(w[2], &out->cycle))
		return expected(t, line, w[2], "a cycle (decimal, or hexadecimal after 0x) of 64 bits");
	if (out->cycle < t->last_cycle || out->cycle > MEMORY_TRACE_CYCLE_MAX) {
		g_autofree char *what = out->cycle < t->last_cycle ?
			g_strdup_printf("a cycle of at least %" G_GUINT64_FORMAT ", the one before", t->last_cycle) :
			g_strdup_printf("a cycle of at most %llu", MEMORY_TRACE_CYCLE_MAX);

		return expected(t, line, w[2], what);
	}
	t->last_cycle = out->cycle;
	return true;
}

static const struct form {
	const char *name, *shown;
	uint32_t words;
	bool has_cycles;
	bool (*read)(struct memory_trace *t, struct word line, const struct word *w, struct memory_access *out);
} forms[] = {
	[MEMORY_TRACE_RAMULATOR] = {"ramulator", "ADDRESS R|W", 2, false, read_ramulator},
	[MEMORY_TRACE_LOADSTORE] = {"loadstore", "LD|ST ADDRESS", 2, false, read_loadstore},
	[MEMORY_TRACE_READWRITE] = {"readwrite", "R|W CHANNEL,...,ROW,COLUMN", 2, false, read_readwrite},
	[MEMORY_TRACE_DRAMSIM3] = {"dramsim3", "ADDRESS READ|WRITE CYCLE", 3, true, read_dramsim3},
};

/* By the first words; MEMORY_TRACE_ANY: of no form. What is wrong behind them is told as a mistake in the form. */
static enum memory_trace_format format_of(const struct word *w, uint32_t count)
{
	uint64_t number;

	if (is_word(w[0], "LD") || is_word(w[0], "ST"))
		return MEMORY_TRACE_LOADSTORE;
	if (is_word(w[0], "R") || is_word(w[0], "W"))
		return MEMORY_TRACE_READWRITE;
	if (!number_of(w[0], &number))
		return MEMORY_TRACE_ANY;
	if (count >= 3 || is_word(w[1], "READ") || is_word(w[1], "WRITE"))
		return MEMORY_TRACE_DRAMSIM3;
	return MEMORY_TRACE_RAMULATOR;
}

static bool read_next(struct memory_trace *t, struct memory_access *out)
{
	struct word line, words[WORDS_MAX + 1];
	uint32_t count = 0;

	do {
		if (!next_line(t, &line))
			return false;
		count = words_of(line, words);
	} while (count == 0);
	if (t->format == MEMORY_TRACE_ANY)
		t->format = format_of(words, count);
	if (t->format == MEMORY_TRACE_ANY)
		return expected(t, line, words[0],
				"a request, ADDRESS R|W, LD|ST ADDRESS, R|W PLACE or ADDRESS READ|WRITE CYCLE, of a "
				"trace");

	const struct form *form = &forms[t->format];

	out->cycle = MEMORY_TRACE_NO_CYCLE;
	out->part_count = 0;
	if (!form->read(t, line, words, out))
		return false;
	if (count == form->words)
		return true;

	g_autofree char *what = g_strdup_printf("the end of the line (%s: %s)", form->name, form->shown);

	return expected(t, line, words[form->words], what);
}

bool memory_trace_next(struct memory_trace *t, struct memory_access *out)
{
	if (likely(!t->has_first))
		return read_next(t, out);
	t->has_first = false;
	*out = t->first;
	return true;
}

/* ---- the file ---- */

bool memory_trace_format_find(const char *name, enum memory_trace_format *format)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (!strcmp(forms[i].name, name)) {
			*format = (enum memory_trace_format)i;
			return true;
		}
	}
	return false;
}

struct memory_trace *memory_trace_open_fd(int fd, const char *name, enum memory_trace_format format,
					  struct base_diag_list *diag)
{
	struct memory_trace *t = g_new(struct memory_trace, 1);

	memset(t, 0, offsetof(struct memory_trace, text));
	t->fd = fd;
	t->name = name;
	t->format = format;
	t->diag = diag;
	open_packed(t);
	t->has_first = read_next(t, &t->first);
	if (t->has_first)
		return t;
	if (!t->has_failed)
		fail(t, 0, "the trace has no requests");
	memory_trace_close(t);
	return NULL;
}

struct memory_trace *memory_trace_open(const char *path, enum memory_trace_format format, struct base_diag_list *diag)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return memory_trace_open_fd(fd, path, format, diag);
	base_diag_error(diag, (struct base_place){path, 0, 0}, "cannot read the trace: %s", strerror(errno));
	return NULL;
}

void memory_trace_close(struct memory_trace *t)
{
	if (!t)
		return;
	ZSTD_freeDCtx(t->unpacker);
	close(t->fd);
	g_free(t);
}

bool memory_trace_has_cycles(const struct memory_trace *t)
{
	return forms[t->format].has_cycles;
}

bool memory_trace_has_failed(const struct memory_trace *t)
{
	return t->has_failed;
}

void memory_trace_refuse(struct memory_trace *t, const char *text)
{
	fail(t, 1, "%s", text);
}
