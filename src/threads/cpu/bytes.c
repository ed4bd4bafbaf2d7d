/* bytes.c - accesses by unit, stores under way by core. */
#include "threads/cpu/bytes.h"

#include "values/values.h"

#include <glib.h>
#include <string.h>

enum { OTHERS_BYTES = 1024, NOTED = 2 };
#define NO_LINE UINT64_MAX

struct access {
	uint64_t address, page, first_line; /* page: the last one, which begins with that line */
	uint8_t *host;
	uint32_t size, core;
	enum cpu_op op;
	uint32_t noted_count; /* lines that it stores into; the first ones are noted */
	struct store *noted[NOTED];
	uint8_t others[OTHERS_BYTES]; /* the bytes that it uses, where they are not the program's */
};

/* Stores of a core into one line that no version says yet. */
struct store {
	struct store *next;
	uint64_t line;
	uint8_t *host; /* of the line */
	cpu_version quarters;
	uint32_t begin, end;      /* bytes of the line that are written, and those between them */
	bool is_executed, is_new; /* the program has written them; of the access that has just begun */
};

struct bytes {
	struct cpu_system *cpu;
	const struct cpu_params *p;
	uint32_t line_shift, page_shift;
	struct values *values;
	struct access *accesses; /* by unit */
	struct store **stores;   /* by core */
	struct store *free;
};

static uint32_t lines_of_caches(const struct cpu_params *p)
{
	return (uint32_t)((p->core_count * p->l2_bytes + p->llc_bytes) / p->line_bytes);
}

static struct values *make_values(const struct cpu_params *p)
{
	enum { IMAGES = 4 };

	return values_new((uint32_t)p->line_bytes, lines_of_caches(p), IMAGES);
}

struct bytes *bytes_new(struct cpu_system *cpu, const struct cpu_params *p)
{
	struct bytes *b = g_new0(struct bytes, 1);

	b->cpu = cpu;
	b->p = p;
	b->values = make_values(p);
	b->accesses = g_new0(struct access, cpu_unit_count(p));
	b->line_shift = (uint32_t)__builtin_ctzll(p->line_bytes);
	b->page_shift = (uint32_t)__builtin_ctzll(p->page_bytes);
	for (uint32_t i = 0; i < cpu_unit_count(p); i++) {
		b->accesses[i].page = UINT64_MAX;
		b->accesses[i].core = i % (uint32_t)p->core_count;
	}
	b->stores = g_new0(struct store *, p->core_count);
	return b;
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
	const uint32_t quarter = (uint32_t)b->p->line_bytes / 4;
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
	for (uint32_t q = begin / quarter; q * quarter < end; q++)
		s->quarters |= (cpu_version)1 << (16 * q);
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

void bytes_begin(struct bytes *b, uint32_t unit, uint64_t address, void *host, uint32_t size, enum cpu_op op)
{
	struct access *a = &b->accesses[unit];
	uint32_t in_line, count;

	a->address = address;
	a->host = host;
	a->size = size;
	a->op = op;
	a->noted_count = 0;
	if (op != CPU_WRITE && op != CPU_ATOMIC)
		return;
	for (uint32_t offset = 0; offset < size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);
		uint8_t *line_host = a->host + offset - in_line;
		struct store *s;

		if (line == NO_LINE) /* nobody has a copy */
			continue;
		values_before_store(b->values, a->core, line, line_host,
				    values_is_known(b->values, line) ? 0 : cpu_version_now(b->cpu, a->core, line));
		s = note_store(b, a->core, line, line_host, in_line, in_line + count);
		if (a->noted_count < NOTED)
			a->noted[a->noted_count] = s;
		a->noted_count++;
	}
}

static void take(struct store *s, bool is_waiting)
{
	s->is_executed |= s->is_new && !is_waiting;
	s->is_new = false;
}

/* A store that the processors have done already is in no list, and what it says is of no use. */
void bytes_taken(struct bytes *b, uint32_t unit, bool is_waiting)
{
	const struct access *a = &b->accesses[unit];

	if (a->noted_count <= NOTED)
		for (uint32_t i = 0; i < a->noted_count; i++)
			take(a->noted[i], is_waiting);
	else
		for (struct store *s = b->stores[a->core]; s; s = s->next)
			take(s, is_waiting);
}

void bytes_observe(struct bytes *b, uint32_t core, uint64_t line, bool is_write, cpu_version version)
{
	struct store **link = &b->stores[core], *s;
	uint8_t *to;

	if (!is_write)
		return;
	while (*link && (*link)->line != line)
		link = &(*link)->next;
	s = *link;
	values_stored(b->values, core, line, version, s ? s->quarters : CPU_VERSION_ALL);
	if (!s) /* one before has told of its bytes */
		return;
	to = values_target(b->values, core, line, 0, s->host);
	if (s->is_executed && to != s->host)
		memcpy(to + s->begin, s->host + s->begin, s->end - s->begin);
	*link = s->next;
	s->next = b->free;
	b->free = s;
}

void bytes_moved(struct bytes *b, uint64_t line, uint32_t core)
{
	values_moved(b->values, line, core < b->p->core_count ? core : VALUES_NOBODY);
}

static void *target_of(struct bytes *b, uint32_t unit)
{
	const struct access *a = &b->accesses[unit];
	uint32_t in_line, count;
	const uint64_t line = part(b, unit, 0, &in_line, &count);

	return line == NO_LINE || count < a->size
		       ? a->host
			       : values_target(b->values, a->core, line, in_line, a->host);
}

void *bytes_of(struct bytes *b, uint32_t unit)
{
	struct access *a = &b->accesses[unit];
	bool is_other = false;
	uint32_t in_line, count;

	if (a->op == CPU_WRITE || a->op == CPU_ATOMIC)
		return target_of(b, unit);
	if (a->op == CPU_PREFETCH || a->size > OTHERS_BYTES)
		return a->host;
	for (uint32_t offset = 0; offset < a->size; offset += count) {
		const uint64_t line = part(b, unit, offset, &in_line, &count);

		if (line == NO_LINE || !values_is_known(b->values, line))
			continue;
		if (values_read(b->values, a->core, line, cpu_version_now(b->cpu, a->core, line), in_line, count,
				a->others + offset)) {
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
	values_free(b->values);
	b->values = make_values(b->p);
}

void bytes_unmap(struct bytes *b, uint64_t address, uint64_t size)
{
	const uint64_t page = b->p->page_bytes, lines = page / b->p->line_bytes;

	for (uint64_t at = (address + page - 1) / page; at < (address + size) / page; at++)
		if (!cpu_is_untouched(b->cpu, at * page))
			values_forget(b->values, cpu_first_line(b->cpu, 0, at), lines);
	for (uint32_t i = 0; i < cpu_unit_count(b->p); i++)
		b->accesses[i].page = UINT64_MAX;
}

uint64_t bytes_stale(const struct bytes *b)
{
	return values_statistics(b->values)->stale;
}
