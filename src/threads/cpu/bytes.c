/* bytes.c - accesses by unit, stores under way by core. */
#include "threads/cpu/bytes.h"

#include "base/check.h"
#include "values/copies.h"
#include "values/values.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OTHERS_BYTES = 1024, NOTED = 2 };
#define NO_LINE UINT64_MAX

struct access {
	uint64_t address, page, first_line; /* page: the last one, which begins with that line */
	uint8_t *host;
	uint64_t answered; /* the line that a store was answered for; NO_LINE: none yet */
	uint32_t size, holder; /* holder: the cache that answers the unit */
	enum cpu_op op;
	bool is_open;		/* it has not been answered */
	bool is_other;		/* some copy that answered had other bytes: they are in others */
	bool is_before;		/* these are from before a store of which the copy has not been told */
	bool is_coming;		/* of an NDP: a copy has been written by it, and its instruction is executed later */
	uint32_t noted_count; /* lines that it stores into; the first ones are noted */
	struct store *noted[NOTED];
	uint8_t *others; /* OTHERS_BYTES that it uses, where they are not the program's */
	/* Where copies have bytes: that it waits; of a store, when it began, and what the program writes, until it is
	 * known to have done so. */
	bool is_waiting;
	uint64_t moment;
	uint8_t *target;
};

/* Stores of a core into one line that no version says yet. */
struct store {
	struct store *next;
	uint64_t line;
	uint8_t *host; /* of the line */
	uint32_t begin, end;      /* bytes of the line that are written, and those between them */
	bool is_executed, is_new; /* the program has written them; of the access that has just begun */
};

struct bytes {
	struct cpu_system *cpu;
	const struct cpu_params *p;
	uint32_t line_shift, page_shift;
	uint32_t units, cpu_units, lines; /* lines: of all caches */
	uint32_t first_near; /* of a unit beside the memory its cache's number is this and its own, modulo 2^32 */
	uint64_t stale, before; /* reads before all was forgotten */
	uint32_t coming;	/* accesses of NDPs that is_coming */
	bool has_near;
	struct values *values;
	struct access *accesses; /* by unit */
	uint8_t *others;	 /* of all */
	struct store **stores;   /* by core of the processors */
	struct store *free;
	/* cpu.values=bytes; NULL, else */
	struct copies *copies;
	uint32_t executed;	/* a unit whose store is executed when the next access begins; CPU_NOBODY: none */
	uint32_t foreign_unit;
	uint64_t foreign, compared, forked;
};

static uint64_t lines_of_caches(const struct cpu_params *p, const struct channel_params *near)
{
	uint64_t lines = (p->core_count * p->l2_bytes + p->llc_bytes) / p->line_bytes;

	if (near)
		lines += near->ndp_count * near->core_count * (near->cache_bytes / near->access_bytes) +
			 near->point_count * near->point_cache_bytes / p->line_bytes;
	return lines;
}

/* What is to be compared with all copies forgets as little as it can. */
static struct values *make_values(const struct bytes *b)
{
	enum { IMAGES = 4, IMAGES_BYTES = 16 << 20, LINES_ALL = 1 << 22, IMAGES_ALL = 64, IMAGES_BYTES_ALL = 1 << 30 };

	if (b->copies)
		return values_new((uint32_t)b->p->line_bytes, LINES_ALL, IMAGES_ALL, IMAGES_BYTES_ALL);
	return values_new((uint32_t)b->p->line_bytes, b->lines, IMAGES, IMAGES_BYTES);
}

/* The cache that answers a unit. */
static uint32_t holder_of(const struct bytes *b, uint32_t unit)
{
	return unit < b->cpu_units ? unit % (uint32_t)b->p->core_count : b->first_near + unit;
}

struct bytes *bytes_new(struct cpu_system *cpu, const struct cpu_params *p, const struct channel_params *near)
{
	struct bytes *b = g_new0(struct bytes, 1);

	b->cpu = cpu;
	b->p = p;
	b->line_shift = (uint32_t)__builtin_ctzll(p->line_bytes);
	b->page_shift = (uint32_t)__builtin_ctzll(p->page_bytes);
	b->cpu_units = b->units = cpu_unit_count(p);
	b->first_near = (uint32_t)p->core_count - b->cpu_units;
	b->has_near = near;
	if (near)
		b->units += (uint32_t)(near->ndp_count * near->core_count);
	b->lines = (uint32_t)lines_of_caches(p, near);
	b->executed = CPU_NOBODY;
	if (p->values == CPU_VALUES_BYTES)
		b->copies = copies_new((uint32_t)p->line_bytes);
	b->values = make_values(b);
	b->accesses = g_new0(struct access, b->units);
	b->others = g_malloc((size_t)b->units * OTHERS_BYTES);
	for (uint32_t i = 0; i < b->units; i++) {
		b->accesses[i].page = UINT64_MAX;
		b->accesses[i].holder = holder_of(b, i);
		b->accesses[i].others = b->others + (size_t)i * OTHERS_BYTES;
	}
	b->stores = g_new0(struct store *, p->core_count);
	return b;
}

void bytes_free(struct bytes *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->p->core_count; i++)
		while (b->stores[i]) {
			struct store *next = b->stores[i]->next;

			g_free(b->stores[i]);
			b->stores[i] = next;
		}
	while (b->free) {
		struct store *next = b->free->next;

		g_free(b->free);
		b->free = next;
	}
	g_free(b->stores);
	g_free(b->accesses);
	g_free(b->others);
	copies_free(b->copies);
	values_free(b->values);
	g_free(b);
}

/* NO_LINE: the page is not touched yet, and this is not to be what touches it. */
static uint64_t line_at(struct bytes *b, uint32_t unit, uint64_t address)
{
	struct access *a = &b->accesses[unit];

	if (address >> b->page_shift != a->page) {
		if (cpu_is_untouched(b->cpu, address))
			return NO_LINE;
		a->page = address >> b->page_shift;
		a->first_line = cpu_first_line(b->cpu, unit, a->page);
	}
	return a->first_line + ((address & (b->p->page_bytes - 1)) >> b->line_shift);
}

static struct store *note_store(struct bytes *b, uint32_t core, uint64_t line, uint8_t *host, uint32_t begin,
				uint32_t end)
{
	struct store *s = b->stores[core];

	while (s && s->line != line)
		s = s->next;
	if (!s) {
		s = b->free;
		if (s)
			b->free = s->next;
		else
			s = g_new(struct store, 1);
		*s = (struct store){.next = b->stores[core], .line = line, .host = host, .begin = begin, .end = end};
		b->stores[core] = s;
	}
	s->begin = MIN(s->begin, begin);
	s->end = MAX(s->end, end);
	s->is_new = true;
	return s;
}

/* Line by line what is in [offset, size) of the access: its line, the offset in it, the bytes of it. */
static uint64_t part(struct bytes *b, uint32_t unit, uint32_t offset, uint32_t *in_line, uint32_t *count)
{
	const struct access *a = &b->accesses[unit];
	const uint32_t line_bytes = (uint32_t)b->p->line_bytes;
	const uint64_t address = a->address + offset;

	*in_line = (uint32_t)address & (line_bytes - 1);
	*count = MIN(line_bytes - *in_line, a->size - offset);
	return line_at(b, unit, address);
}

/* An NDP core's access within one line: each answer is for that one. The offset in it. */
static inline bool is_in_line(const struct bytes *b, uint32_t unit, uint32_t *in_line)
{
	const struct access *a = &b->accesses[unit];

	*in_line = (uint32_t)a->address & ((uint32_t)b->p->line_bytes - 1);
	return unit >= b->cpu_units && *in_line + a->size <= b->p->line_bytes;
}

/* ---- where copies have bytes ---- */

/* Is a store of the unit's core into the line under way? */
static bool is_early(const struct bytes *b, uint32_t unit, uint64_t line)
{
	const struct store *s = unit < b->cpu_units ? b->stores[b->accesses[unit].holder] : NULL;

	while (s && s->line != line)
		s = s->next;
	return s;
}

/* What the unit's store has written into this line, or (NO_LINE) into all of its lines. What it wrote into a copy that
 * was not the newest is of a line that is compared no longer. */
static void take_written(struct bytes *b, uint32_t unit, uint64_t only)
{
	const struct access *a = &b->accesses[unit];
	uint32_t in_line, count;

	for (uint32_t offset = 0; a->target == a->host && offset < a->size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);

		if (line != NO_LINE && (only == NO_LINE || only == line))
			copies_write(b->copies, line, a->moment, a->is_waiting || is_early(b, unit, line), in_line,
				     count, a->host + offset);
	}
}

/* The unit's store has been executed. */
static void settle(struct bytes *b, uint32_t unit)
{
	take_written(b, unit, NO_LINE);
	b->accesses[unit].target = NULL;
}

/* A store into the line comes, over what others have written that were answered and have gone no further. */
static void take_others(struct bytes *b, uint32_t unit, uint64_t line)
{
	for (uint32_t i = 0; i < b->units; i++)
		if (i != unit && b->accesses[i].target)
			take_written(b, i, line);
}

/* A store that did not wait is executed before anything else is. */
static inline void settle_executed(struct bytes *b)
{
	if (likely(b->executed == CPU_NOBODY))
		return;
	settle(b, b->executed);
	b->executed = CPU_NOBODY;
}

/* What values.h knows of a version. */
static inline cpu_version counts_of(const struct bytes *b, uint64_t line, cpu_version version)
{
	return unlikely(b->copies != NULL) ? copies_counts(b->copies, line, version) : version;
}

/* Has a store that is perhaps executed, perhaps not, something to do with the byte? */
static bool is_in_doubt(const struct bytes *b, const uint8_t *host)
{
	for (uint32_t i = 0; i < b->units; i++) {
		const struct access *a = &b->accesses[i];

		if (a->target && host >= a->host && host < a->host + a->size)
			return true;
	}
	return false;
}

struct difference {
	struct bytes *b;
	uint32_t unit, offset;
	uint64_t line;
	cpu_version version;
	uint8_t byte;
	bool is_own;
};

static void describe(void *difference, char *text, unsigned long size)
{
	const struct difference *d = difference;

	snprintf(text, size,
		 "unit %u reads byte %u of line %" PRIu64 " in version %016" PRIx64 ", %s: %02x, by %s; its copy: %02x",
		 d->unit, d->offset, d->line, d->version,
		 copies_is_newest(d->b->copies, d->line, d->version, d->offset) ? "the newest" : "an old one", d->byte,
		 d->is_own ? "the program's memory" : "kept bytes",
		 (unsigned int)copies_byte(d->b->copies, d->line, d->version, d->offset));
}

/* What the unit reads (is, where the program has them in host) are the bytes of the copy that answers it. What code
 * without hooks has written is the newest from now on, whether the unit reads it there or as it was kept before a store
 * that is under way. */
static void compare(struct bytes *b, uint32_t unit, uint64_t line, cpu_version version, uint32_t offset, uint32_t size,
		    const uint8_t *is, const uint8_t *host, bool is_before)
{
	bool is_foreign = false;
	uint32_t at = 0;

	if (copies_is_forked(b->copies, line)) {
		b->forked++;
		return;
	}
	b->compared++;
	for (;; at++) {
		struct difference d = {.b = b, .unit = unit, .line = line, .version = version, .is_own = is == host};
		struct base_bug_state state = {.describe = describe, .ctx = &d};

		at += copies_differ(b->copies, line, version, offset + at, size - at, is + at, is_before);
		if (at == size)
			break;
		if (is_in_doubt(b, host + at))
			continue;
		if (is[at] == host[at] && copies_is_newest(b->copies, line, version, offset + at)) {
			is_foreign = true;
			copies_adopt(b->copies, line, version, offset + at, is[at]);
			continue;
		}
		d.offset = offset + at;
		d.byte = is[at];
		base_bug_state_add(&state);
		base_bug_at(__FILE__, __LINE__, "an access reads other bytes than its copy has");
	}
	if (is_foreign && !b->foreign++)
		b->foreign_unit = unit;
}

cpu_version bytes_make(struct bytes *b, uint64_t line, cpu_version version, cpu_version quarters)
{
	settle_executed(b);
	return copies_make(b->copies, line, version, quarters);
}

/* ---- accesses ---- */

void bytes_begin(struct bytes *b, uint32_t unit, uint64_t address, void *host, uint32_t size, enum cpu_op op)
{
	struct access *a = &b->accesses[unit];
	uint32_t in_line, count;

	if (unlikely(b->copies != NULL)) {
		settle_executed(b);
		settle(b, unit);
		a->moment = copies_moment(b->copies);
	}
	a->address = address;
	a->host = host;
	a->answered = NO_LINE;
	a->size = size;
	a->op = op;
	a->is_open = true;
	a->is_other = a->is_before = false;
	a->noted_count = 0;
	if (unit >= b->cpu_units || !cpu_is_write(op))
		return;
	for (uint32_t offset = 0; offset < size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);
		uint8_t *line_host = a->host + offset - in_line;
		struct store *s;

		if (line == NO_LINE) /* nobody has a copy */
			continue;
		if (unlikely(b->copies != NULL))
			copies_begin(b->copies, line, line_host);
		values_before_store(b->values, a->holder, line, line_host, CPU_VERSION_ALL);
		s = note_store(b, a->holder, line, line_host, in_line, in_line + count);
		if (a->noted_count < NOTED)
			a->noted[a->noted_count] = s;
		a->noted_count++;
	}
}

/* Is there a copy of the line that has more than the program's memory? */
static bool is_ahead(const struct bytes *b, uint64_t line)
{
	for (uint32_t i = b->cpu_units; b->coming && i < b->units; i++)
		if (b->accesses[i].is_coming && b->accesses[i].answered == line)
			return true;
	return false;
}

/* The store is executed. Who is told of it later has what was there before, unless it has seen a store already that the
 * same request is for, or nobody knows yet what was there. */
static void executed(struct bytes *b, uint32_t unit, struct store *s)
{
	if (unlikely(b->copies != NULL))
		take_others(b, unit, s->line);
	if (b->has_near && !s->is_executed && cpu_is_untold(b->cpu, unit, s->line) && !is_ahead(b, s->line)) {
		values_before_store(b->values, b->accesses[unit].holder, s->line, s->host, CPU_VERSION_ALL);
		values_untold(b->values, s->line);
	}
	s->is_executed = true;
}

static void take(struct bytes *b, uint32_t unit, struct store *s, bool is_waiting)
{
	if (s->is_new && !is_waiting)
		executed(b, unit, s);
	s->is_new = false;
}

/* A store that the processors have done already is in no list, and what it says is of no use. */
void bytes_taken(struct bytes *b, uint32_t unit, bool is_waiting)
{
	struct access *a = &b->accesses[unit];

	a->is_open = a->is_waiting = is_waiting;
	if (unit >= b->cpu_units)
		return;
	if (a->noted_count <= NOTED)
		for (uint32_t i = 0; i < a->noted_count; i++)
			take(b, unit, a->noted[i], is_waiting);
	else
		for (struct store *s = b->stores[a->holder]; s; s = s->next)
			take(b, unit, s, is_waiting);
}

/* True: a copy of the unit's, of this version, has other bytes than the program's memory, and they are in out. A
 * processor's stores are seen by all processors at once, for who has the line leaves it before. */
static bool read_copy(struct bytes *b, uint32_t unit, uint64_t line, cpu_version version, uint32_t offset,
		      uint32_t size, void *out, bool *is_before)
{
	const uint32_t holder = b->accesses[unit].holder;

	*is_before = false;
	if (unit < b->cpu_units)
		return values_read(b->values, holder, line, counts_of(b, line, version), offset, size, out);
	return values_read_before(b->values, holder, line, counts_of(b, line, version), offset, size, out, is_before);
}

/* The part of a load that a copy answers now, in these quarters. */
static void see_load(struct bytes *b, uint32_t unit, uint64_t line, cpu_version quarters, cpu_version version)
{
	const uint32_t quarter = (uint32_t)b->p->line_bytes / 4, first = (uint32_t)__builtin_ctzll(quarters) / 16;
	const uint32_t begin = first * quarter,
		       end = begin + (uint32_t)(quarters * CPU_VERSION_ALL >> 48) * quarter; /* their number: a sum */
	struct access *a = &b->accesses[unit];
	uint32_t in_line, count;

	for (uint32_t offset = 0; offset < a->size; offset += count) {
		uint32_t from, to, at;
		bool is_other, is_before;

		if (is_in_line(b, unit, &in_line))
			count = a->size;
		else if (part(b, unit, offset, &in_line, &count) != line)
			continue;
		from = MAX(in_line, begin);
		to = MIN(in_line + count, end);
		if (from >= to)
			continue;
		at = offset + from - in_line;
		is_other = read_copy(b, unit, line, version, from, to - from, a->others + at, &is_before);
		if (unlikely(b->copies != NULL))
			compare(b, unit, line, version, from, to - from, (is_other ? a->others : a->host) + at,
				a->host + at, is_before);
		if (is_other) {
			if (!a->is_other)
				memcpy(a->others, a->host, at);
			a->is_other = true;
			a->is_before |= is_before;
		} else if (a->is_other) {
			memcpy(a->others + at, a->host + at, to - from);
		}
	}
}

static void see_store(struct bytes *b, uint32_t unit, uint64_t line, cpu_version quarters, cpu_version version)
{
	struct access *a = &b->accesses[unit];
	uint32_t in_line, count, offset = 0;

	if (!is_in_line(b, unit, &in_line))
		while (part(b, unit, offset, &in_line, &count) != line)
			offset += count;
	a->answered = line;
	b->coming += !a->is_coming;
	a->is_coming = true;
	if (unlikely(b->copies != NULL))
		copies_begin(b->copies, line, a->host + offset - in_line);
	values_before_store(b->values, a->holder, line, a->host + offset - in_line, quarters);
	values_stored(b->values, a->holder, line, counts_of(b, line, version), quarters);
}

void bytes_see(struct bytes *b, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write, cpu_version version)
{
	settle_executed(b);
	if (is_write)
		see_store(b, unit, line, quarters, version);
	else if (b->accesses[unit].size <= OTHERS_BYTES)
		see_load(b, unit, line, quarters, version);
}

/* What the unit's access before this one has written belongs to versions before those that come now. */
void bytes_before_hit(struct bytes *b, uint32_t unit, uint64_t address, void *host, uint32_t size, bool is_write)
{
	if (unlikely(b->copies != NULL))
		bytes_begin(b, unit, address, host, size, is_write ? CPU_WRITE : CPU_READ);
}

/* Mostly nobody else has had these bytes since the unit did, and there is nothing to keep of them. */
void *bytes_hit(struct bytes *b, uint32_t unit, const struct channel_hit *hit, uint64_t address, void *host,
		uint32_t size, bool is_write)
{
	if (likely(!b->copies)) {
		const uint32_t holder = b->first_near + unit;

		if (likely(is_write
			       ? values_stored_again(b->values, holder, hit->line, hit->version, hit->quarters)
			       : values_is_newest(b->values, hit->line, hit->version)))
			return host;
		bytes_begin(b, unit, address, host, size, is_write ? CPU_WRITE : CPU_READ);
	}
	bytes_see(b, unit, hit->line, hit->quarters, is_write, hit->version);
	bytes_taken(b, unit, false);
	return bytes_of(b, unit);
}

void bytes_observe(struct bytes *b, uint32_t core, uint64_t line, bool is_write, cpu_version version)
{
	struct store **link = &b->stores[core], *s;
	bool is_private;

	settle_executed(b);
	if (!is_write) {
		for (uint32_t unit = core; b->has_near && unit < b->cpu_units; unit += (uint32_t)b->p->core_count)
			if (b->accesses[unit].is_open && b->accesses[unit].op == CPU_READ)
				bytes_see(b, unit, line, CPU_VERSION_ALL, false, version);
		return;
	}
	while (*link && (*link)->line != line)
		link = &(*link)->next;
	s = *link;
	is_private = values_stored(b->values, core, line, counts_of(b, line, version), CPU_VERSION_ALL);
	if (!s) /* one before has told of its bytes */
		return;
	if (unlikely(s->is_executed && is_private)) {
		uint8_t *to = values_target(b->values, core, line, 0, s->host);

		memcpy(to + s->begin, s->host + s->begin, s->end - s->begin);
	}
	*link = s->next;
	s->next = b->free;
	b->free = s;
}

void bytes_moved(struct bytes *b, uint64_t line, uint32_t core)
{
	values_moved(b->values, line, core < b->p->core_count ? core : VALUES_NOBODY, CPU_VERSION_ALL);
}

void bytes_moved_near(struct bytes *b, uint64_t line, cpu_version quarters, uint32_t unit)
{
	values_moved(b->values, line, unit == CPU_NOBODY ? VALUES_NOBODY : b->accesses[unit].holder, quarters);
}

void bytes_ahead(const struct bytes *b, uint64_t line)
{
	values_prefetch(b->values, line);
}

static void *target_of(struct bytes *b, uint32_t unit)
{
	const struct access *a = &b->accesses[unit];
	uint32_t in_line, count = a->size;
	uint64_t line = a->answered;

	if (line == NO_LINE || !is_in_line(b, unit, &in_line))
		line = part(b, unit, 0, &in_line, &count);
	return line == NO_LINE || count < a->size ? a->host
						  : values_target(b->values, a->holder, line, in_line, a->host);
}

/* What the program writes there is looked at when it has done so: now, or before the unit's next access. */
static void *target_with_copies(struct bytes *b, uint32_t unit)
{
	struct access *a = &b->accesses[unit];

	settle_executed(b);
	a->target = target_of(b, unit);
	if (!a->is_waiting)
		b->executed = unit;
	return a->target;
}

/* The unit's store has waited, and is executed now: those of its lines that no version says yet have it before that. */
static void execute(struct bytes *b, uint32_t unit)
{
	const struct access *a = &b->accesses[unit];
	uint32_t in_line, count;

	for (uint32_t offset = 0; offset < a->size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);

		for (struct store *s = b->stores[a->holder]; s; s = s->next)
			if (s->line == line)
				executed(b, unit, s);
	}
}

void *bytes_of(struct bytes *b, uint32_t unit)
{
	struct access *a = &b->accesses[unit];
	bool is_other = false;
	uint32_t in_line, count;

	if (cpu_is_write(a->op)) {
		b->coming -= a->is_coming;
		a->is_coming = false;
		if (a->is_waiting && unit < b->cpu_units && b->stores[a->holder])
			execute(b, unit);
		return likely(!b->copies) ? target_of(b, unit) : target_with_copies(b, unit);
	}
	a->is_open = false;
	/* Between NDPs and processors a line has moved on by now: what counts is the copy that answered. A load that
	 * does not wait for its line has the newest bytes. */
	if (b->has_near)
		return a->is_other ? a->others : a->host;
	if (a->op == CPU_PREFETCH || a->size > OTHERS_BYTES)
		return a->host;
	for (uint32_t offset = 0; offset < a->size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);

		if (line == NO_LINE || !values_is_known(b->values, line))
			continue;
		const cpu_version version = cpu_version_now(b->cpu, a->holder, line);
		const bool is_part = values_read(b->values, a->holder, line, counts_of(b, line, version), in_line,
						 count, a->others + offset);

		if (unlikely(b->copies != NULL))
			compare(b, unit, line, version, in_line, count, (is_part ? a->others : a->host) + offset,
				a->host + offset, false);
		if (is_part) {
			if (!is_other)
				memcpy(a->others, a->host, offset);
			is_other = true;
		} else if (is_other) {
			memcpy(a->others + offset, a->host + offset, count);
		}
	}
	return is_other ? a->others : a->host;
}

void bytes_forget_all(struct bytes *b)
{
	b->stale += values_statistics(b->values)->stale;
	b->before += values_statistics(b->values)->before;
	values_free(b->values);
	b->values = make_values(b);
	if (!b->copies)
		return;
	settle_executed(b);
	copies_forget_all(b->copies);
}

void bytes_unmap(struct bytes *b, uint64_t address, uint64_t size)
{
	const uint64_t page = b->p->page_bytes, lines = page / b->p->line_bytes;

	if (b->copies)
		settle_executed(b);
	for (uint64_t at = (address + page - 1) / page; at < (address + size) / page; at++)
		if (!cpu_is_untouched(b->cpu, at * page)) {
			values_forget(b->values, cpu_first_line(b->cpu, 0, at), lines);
			if (b->copies)
				copies_forget(b->copies, cpu_first_line(b->cpu, 0, at), lines);
		}
	for (uint32_t i = 0; i < b->units; i++)
		b->accesses[i].page = UINT64_MAX;
}

uint64_t bytes_stale(const struct bytes *b)
{
	return b->stale + values_statistics(b->values)->stale;
}

uint64_t bytes_before(const struct bytes *b)
{
	return b->before + values_statistics(b->values)->before;
}

bool bytes_is_before(const struct bytes *b, uint32_t unit)
{
	return b->accesses[unit].is_before;
}

void bytes_tell(struct bytes *b, uint32_t unit)
{
	if (!b->has_near || unit >= b->cpu_units)
		return;
	for (const struct store *s = b->stores[b->accesses[unit].holder]; s; s = s->next)
		values_told(b->values, s->line);
}

uint64_t bytes_foreign(const struct bytes *b, uint32_t *unit)
{
	*unit = b->foreign_unit;
	return b->foreign;
}

uint64_t bytes_compared(const struct bytes *b)
{
	return b->compared;
}
