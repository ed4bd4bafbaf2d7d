/* trace.c - traces of threads: bytes out and in, through zstd. */
#include "threads/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

const char *const thread_kind_names[THREAD_KIND_COUNT] = {"read", "write",   "atomic-read", "atomic-write",
							  "rmw",  "cmpxchg", "prefetch"};
const char *const thread_event_names[THREAD_EVENT_COUNT] = {"create", "end", "wait", "resume", "wake"};
const char *const thread_class_names[THREAD_CLASS_COUNT] = {
#define THREAD_CLASS(name, cycles, text) #name,
#include "threads/classes.def"
#undef THREAD_CLASS
};

static const char magic[8] = "STRATHR1";

enum {
	TAG_SIZE_OTHER = 7,  /* of an access, bits 0 to 2: the size follows; below it the size is a power of two */
	TAG_KIND_SHIFT = 3,  /* bits 3 to 5 */
	TAG_COUNTS = 1 << 6, /* instructions follow */
	TAG_TURN = 0x80,
	TAG_COUNTS_ALONE,
	TAG_FENCE,
	TAG_EVENT,
	TAG_END = 0xff,
	ROOM = 1 << 16,
	RECORD_MAX = 512, /* bytes of the longest record */
	LEVEL = 3,
	TEXT_MAX = 1 << 16,
};

/* What is kept of each thread between its records, on both sides. */
struct lane {
	uint64_t address;
	uint64_t counts[THREAD_CLASS_COUNT];
	bool has_counts;
};

struct lanes {
	struct lane *items;
	uint32_t count;
};

static struct lane *lane_of(struct lanes *l, uint32_t thread)
{
	if (thread >= l->count) {
		uint32_t count = thread + 64;
		struct lane *items = realloc(l->items, count * sizeof(items[0]));

		if (!items)
			return NULL;
		memset(items + l->count, 0, (count - l->count) * sizeof(items[0]));
		l->items = items;
		l->count = count;
	}
	return &l->items[thread];
}

struct thread_trace_writer {
	FILE *file;
	ZSTD_CCtx *zstd;
	uint8_t bytes[ROOM], packed[ROOM];
	size_t used;
	struct lanes lanes;
	uint32_t thread, unit; /* whose turn it is */
	uint64_t turn_ps;
	int error;
};

static void put_out(struct thread_trace_writer *w, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {w->bytes, w->used, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {w->packed, sizeof(w->packed), 0};

		left = ZSTD_compressStream2(w->zstd, &out, &in, how);
		if (ZSTD_isError(left)) {
			w->error = EIO;
			break;
		}
		if (fwrite(w->packed, 1, out.pos, w->file) != out.pos && !w->error)
			w->error = errno;
	} while (how == ZSTD_e_continue ? in.pos < in.size : left > 0);
	w->used = 0;
}

static void room(struct thread_trace_writer *w)
{
	if (w->used + RECORD_MAX > ROOM)
		put_out(w, ZSTD_e_continue);
}

static void put_number(struct thread_trace_writer *w, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		w->bytes[w->used++] = (uint8_t)(n | 0x80);
	w->bytes[w->used++] = (uint8_t)n;
}

static void put_signed(struct thread_trace_writer *w, uint64_t difference)
{
	put_number(w, difference << 1 ^ (uint64_t)((int64_t)difference >> 63));
}

static void put_text(struct thread_trace_writer *w, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		room(w);
		w->bytes[w->used++] = (uint8_t)text[i];
	}
}

struct thread_trace_writer *thread_trace_create(const char *path, const char *parameters, uint32_t unit_count)
{
	struct thread_trace_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->file = fopen(path, "wbe");
	w->zstd = ZSTD_createCCtx();
	if (!w->file || !w->zstd) {
		int error = w->file ? ENOMEM : errno;

		ZSTD_freeCCtx(w->zstd);
		if (w->file)
			fclose(w->file);
		free(w);
		errno = error;
		return NULL;
	}
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	w->thread = UINT32_MAX;
	put_text(w, magic, sizeof(magic));
	put_number(w, unit_count);
	put_number(w, strlen(parameters));
	put_text(w, parameters, strlen(parameters));
	return w;
}

/* The lane whose turn it is from now on. */
static struct lane *turn(struct thread_trace_writer *w, const struct thread_at *at)
{
	struct lane *l;

	room(w);
	l = lane_of(&w->lanes, at->thread);
	if (!l) {
		fputs("strata: no memory for the trace\n", stderr);
		abort();
	}
	if (w->thread != at->thread || w->unit != at->unit) {
		w->bytes[w->used++] = TAG_TURN;
		put_number(w, at->thread);
		put_number(w, at->unit);
		put_signed(w, at->now_ps - w->turn_ps);
		w->thread = at->thread;
		w->unit = at->unit;
		w->turn_ps = at->now_ps;
	}
	return l;
}

static void put_counts(struct thread_trace_writer *w, struct lane *l)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		mask |= (uint64_t)(l->counts[i] != 0) << i;
	put_number(w, mask);
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		if (l->counts[i])
			put_number(w, l->counts[i]);
	memset(l->counts, 0, sizeof(l->counts));
	l->has_counts = false;
}

static void put_counts_alone(struct thread_trace_writer *w, struct lane *l)
{
	if (!l->has_counts)
		return;
	w->bytes[w->used++] = TAG_COUNTS_ALONE;
	put_counts(w, l);
}

void thread_trace_count(struct thread_trace_writer *w, const struct thread_at *at, const uint16_t *counts)
{
	struct lane *l = at->thread < w->lanes.count ? &w->lanes.items[at->thread] : turn(w, at);

	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		l->counts[i] += counts[i];
	l->has_counts = true;
}

void thread_trace_access(struct thread_trace_writer *w, const struct thread_at *at, uint64_t address, uint32_t bytes,
			 enum thread_kind kind)
{
	struct lane *l = turn(w, at);
	bool is_power = bytes && !(bytes & (bytes - 1)) && bytes <= 64;
	uint32_t tag = is_power ? (uint32_t)__builtin_ctz(bytes) : TAG_SIZE_OTHER;

	tag |= (uint32_t)kind << TAG_KIND_SHIFT | (l->has_counts ? TAG_COUNTS : 0);
	w->bytes[w->used++] = (uint8_t)tag;
	if (!is_power)
		put_number(w, bytes);
	if (l->has_counts)
		put_counts(w, l);
	put_signed(w, address - l->address);
	l->address = address;
}

void thread_trace_fence(struct thread_trace_writer *w, const struct thread_at *at)
{
	put_counts_alone(w, turn(w, at));
	w->bytes[w->used++] = TAG_FENCE;
}

void thread_trace_event(struct thread_trace_writer *w, const struct thread_at *at, enum thread_event event,
			uint64_t value)
{
	/* How long a thread waited is seen from the turns, even where nobody else had one. */
	if (event == THREAD_WAIT || event == THREAD_RESUME)
		w->unit = THREAD_UNITS_MAX;
	put_counts_alone(w, turn(w, at));
	w->bytes[w->used++] = (uint8_t)(TAG_EVENT + event);
	put_number(w, value);
}

bool thread_trace_end(struct thread_trace_writer *w, const struct thread_at *at)
{
	int error;

	for (uint32_t i = 0; i < w->lanes.count; i++) {
		const struct thread_at last = {.unit = w->unit, .thread = i, .now_ps = at->now_ps};

		if (w->lanes.items[i].has_counts)
			put_counts_alone(w, turn(w, &last));
	}
	turn(w, at);
	w->bytes[w->used++] = TAG_END;
	put_number(w, at->now_ps);
	put_out(w, ZSTD_e_end);
	error = w->error;
	if (fclose(w->file) && !error)
		error = errno;
	ZSTD_freeCCtx(w->zstd);
	free(w->lanes.items);
	free(w);
	errno = error;
	return !error;
}

/* Reading. */
struct thread_trace {
	FILE *file;
	ZSTD_DCtx *zstd;
	uint8_t packed[ROOM], bytes[ROOM];
	ZSTD_inBuffer in;
	size_t used, at;
	bool is_over, is_bad; /* the file; what zstd found */
	bool has_ended;       /* the end's record has been read */
	struct lanes lanes;
	struct thread_record now; /* whose turn */
	char *parameters;
	uint32_t unit_count;
};

static const char *const cut = "the trace is cut off: its end is missing";
static const char *const damaged = "the trace is damaged";

static bool fill(struct thread_trace *t)
{
	t->used = t->at = 0;
	while (!t->used && !t->is_bad) {
		ZSTD_outBuffer out = {t->bytes, sizeof(t->bytes), 0};

		if (t->in.pos == t->in.size && !t->is_over) {
			t->in = (ZSTD_inBuffer){t->packed, fread(t->packed, 1, sizeof(t->packed), t->file), 0};
			t->is_over = !t->in.size;
		}
		t->is_bad = ZSTD_isError(ZSTD_decompressStream(t->zstd, &out, &t->in));
		t->used = out.pos;
		if (t->is_over && !out.pos)
			return false;
	}
	return !t->is_bad;
}

static bool get_byte(struct thread_trace *t, uint8_t *out)
{
	if (t->at == t->used && !fill(t))
		return false;
	*out = t->bytes[t->at++];
	return true;
}

static bool get_number(struct thread_trace *t, uint64_t *out)
{
	uint8_t b;

	*out = 0;
	for (uint32_t shift = 0; shift < 64; shift += 7) {
		if (!get_byte(t, &b))
			return false;
		*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	t->is_bad = true;
	return false;
}

static bool get_signed(struct thread_trace *t, uint64_t *out)
{
	uint64_t n;

	if (!get_number(t, &n))
		return false;
	*out = n >> 1 ^ -(n & 1);
	return true;
}

static bool get_head(struct thread_trace *t)
{
	uint8_t head[sizeof(magic)];
	uint64_t units, length;

	for (size_t i = 0; i < sizeof(head); i++)
		if (!get_byte(t, &head[i]))
			return false;
	if (memcmp(head, magic, sizeof(head)) || !get_number(t, &units) || units > THREAD_UNITS_MAX ||
	    !get_number(t, &length) || length > TEXT_MAX)
		return false;
	t->unit_count = (uint32_t)units;
	t->parameters = calloc(1, length + 1);
	for (uint64_t i = 0; i < length; i++)
		if (!t->parameters || !get_byte(t, (uint8_t *)&t->parameters[i]))
			return false;
	return true;
}

struct thread_trace *thread_trace_open(const char *path, const char **why)
{
	struct thread_trace *t = calloc(1, sizeof(*t));

	if (!t) {
		*why = strerror(ENOMEM);
		return NULL;
	}
	t->file = fopen(path, "rbe");
	if (!t->file) {
		*why = strerror(errno);
		free(t);
		return NULL;
	}
	t->zstd = ZSTD_createDCtx();
	t->now.thread = UINT32_MAX;
	if (!t->zstd || !get_head(t)) {
		*why = "this is no trace of threads";
		thread_trace_close(t);
		return NULL;
	}
	return t;
}

static bool get_counts(struct thread_trace *t, uint64_t *counts)
{
	uint64_t mask, n;

	if (!get_number(t, &mask) || mask >> THREAD_CLASS_COUNT)
		return false;
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		if (mask >> i & 1) {
			if (!get_number(t, &n))
				return false;
			counts[i] += n;
		}
	return true;
}

static bool get_turn(struct thread_trace *t)
{
	uint64_t thread, unit, difference;

	if (!get_number(t, &thread) || !get_number(t, &unit) || !get_signed(t, &difference) ||
	    thread >= THREAD_TRACE_THREADS_MAX || unit >= THREAD_UNITS_MAX)
		return false;
	t->now.thread = (uint32_t)thread;
	t->now.unit = (uint32_t)unit;
	t->now.turn_ps += difference;
	return true;
}

static bool get_access(struct thread_trace *t, uint8_t tag, struct lane *l, struct thread_record *out)
{
	uint64_t bytes = 1u << (tag & 7), difference;

	out->kind = THREAD_RECORD_ACCESS;
	out->access = (enum thread_kind)(tag >> TAG_KIND_SHIFT & 7);
	if (out->access >= THREAD_KIND_COUNT || ((tag & 7) == TAG_SIZE_OTHER && !get_number(t, &bytes)) ||
	    (tag & TAG_COUNTS && !get_counts(t, l->counts)) || !get_signed(t, &difference))
		return false;
	l->address += difference;
	out->address = l->address;
	out->bytes = (uint32_t)bytes;
	return true;
}

/* A record's rest, by its tag; false: it is none, or it is wrong. */
static bool get_record(struct thread_trace *t, uint8_t tag, struct lane *l, struct thread_record *out)
{
	if (tag < TAG_TURN)
		return get_access(t, tag, l, out);
	if (tag == TAG_FENCE) {
		out->kind = THREAD_RECORD_FENCE;
		return true;
	}
	if (tag == TAG_END) {
		out->kind = THREAD_RECORD_END;
		t->has_ended = true;
		return get_number(t, &out->turn_ps);
	}
	if (tag < TAG_EVENT || tag >= TAG_EVENT + THREAD_EVENT_COUNT)
		return false;
	out->kind = THREAD_RECORD_EVENT;
	out->event = (enum thread_event)(tag - TAG_EVENT);
	return get_number(t, &out->value);
}

enum thread_trace_next thread_trace_read(struct thread_trace *t, struct thread_record *out, const char **why)
{
	struct lane *l = NULL;
	uint8_t tag;

	if (t->has_ended)
		return THREAD_TRACE_DONE;
	for (;;) {
		if (!get_byte(t, &tag)) {
			*why = t->is_bad ? damaged : cut;
			return THREAD_TRACE_WRONG;
		}
		*why = damaged;
		if (tag == TAG_TURN) {
			if (!get_turn(t))
				return THREAD_TRACE_WRONG;
			continue;
		}
		l = t->now.thread == UINT32_MAX ? NULL : lane_of(&t->lanes, t->now.thread);
		if (!l)
			return THREAD_TRACE_WRONG;
		if (tag != TAG_COUNTS_ALONE)
			break;
		if (!get_counts(t, l->counts))
			return THREAD_TRACE_WRONG;
	}
	*out = t->now;
	if (!get_record(t, tag, l, out))
		return THREAD_TRACE_WRONG;
	if (out->kind == THREAD_RECORD_END) { /* with what is left of all threads */
		for (uint32_t i = 0; i < t->lanes.count; i++)
			for (uint32_t c = 0; c < THREAD_CLASS_COUNT; c++)
				out->counts[c] += t->lanes.items[i].counts[c];
		return THREAD_TRACE_RECORD;
	}
	memcpy(out->counts, l->counts, sizeof(l->counts));
	memset(l->counts, 0, sizeof(l->counts));
	return THREAD_TRACE_RECORD;
}

const char *thread_trace_parameters(const struct thread_trace *t)
{
	return t->parameters;
}

uint32_t thread_trace_unit_count(const struct thread_trace *t)
{
	return t->unit_count;
}

void thread_trace_close(struct thread_trace *t)
{
	fclose(t->file);
	ZSTD_freeDCtx(t->zstd);
	free(t->lanes.items);
	free(t->parameters);
	free(t);
}
