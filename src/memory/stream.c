/* stream.c - the rules that make requests. */
#include "memory/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

const struct sim_param_desc memory_stream_param_rows[] = {
#define PARAM_STRUCT struct memory_stream_params
#include "sim/param_rows.inc"
#include "memory/stream_params.def"
#include "sim/param_end.inc"
};
const uint32_t memory_stream_param_row_count = ARRAY_COUNT(memory_stream_param_rows);

bool memory_stream_kind_find(const char *name, enum memory_stream_kind *kind)
{
#define STREAM_NAME(enumerator, name) #name,
	static const char *const names[] = {MEMORY_STREAMS(STREAM_NAME)};
#undef STREAM_NAME

	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		if (!strcmp(names[i], name)) {
			*kind = (enum memory_stream_kind)i;
			return true;
		}
	}
	return false;
}

bool memory_stream_init(struct memory_stream *s, enum memory_stream_kind kind, const struct memory_stream_params *p,
			const struct memory_stream_target *target, struct memory_trace *trace,
			struct base_diag_list *diag)
{
	const struct base_place nowhere = {0};
	const uint32_t before = diag->error_count;
	const uint32_t line_bytes = (uint32_t)target->memory->line_bytes;
	const uint64_t bytes = p->request_bytes ? p->request_bytes : line_bytes;
	const uint64_t span_bytes = p->span_bytes ? p->span_bytes : target->memory->capacity_bytes;

	if (!base_is_power_of_two(bytes) || bytes > line_bytes)
		base_diag_error(diag, nowhere,
				"stream.request_bytes: %llu is no power of two up to the memory's line of %u bytes",
				(unsigned long long)bytes, line_bytes);
	if (span_bytes > target->memory->capacity_bytes || span_bytes < bytes)
		base_diag_error(diag, nowhere,
				"stream.span_bytes: %llu is not between a request and the memory's %llu bytes",
				(unsigned long long)span_bytes, (unsigned long long)target->memory->capacity_bytes);
	if (kind == MEMORY_STRIDED && (p->stride_bytes % bytes || p->stride_bytes > span_bytes))
		base_diag_error(diag, nowhere,
				"stream.stride_bytes: %llu is no multiple of the request's %llu bytes within the span",
				(unsigned long long)p->stride_bytes, (unsigned long long)bytes);
	if (p->rate_mbytes_per_s && p->rate_percent > 0)
		base_diag_error(diag, nowhere,
				"stream.rate_percent: stream.rate_mbytes_per_s is given too; one is enough");
	if (kind == MEMORY_CHASE && (p->rate_mbytes_per_s || p->rate_percent > 0))
		base_diag_error(diag, nowhere, "a chase sends when the answer is there: it takes no rate");
	if (p->window_count && (p->rate_mbytes_per_s || p->rate_percent > 0))
		base_diag_error(diag, nowhere, "stream.window_count: requests that come at a rate have no window");
	if (p->window_count && trace && memory_trace_has_cycles(trace) && p->trace_times)
		base_diag_error(diag, nowhere,
				"a window does not go with a trace that says when its requests come; "
				"stream.trace_times=false leaves that out");
	if (kind != MEMORY_TRACE && p->request_count == 0)
		base_diag_error(diag, nowhere, "stream.request_count: 0 requests; only a trace has an end of its own");
	if (trace && memory_trace_has_cycles(trace) && p->trace_times && (p->rate_mbytes_per_s || p->rate_percent > 0))
		base_diag_error(diag, nowhere,
				"a rate does not go with a trace that says when its requests come; "
				"stream.trace_times=false leaves that out");
	if (diag->error_count != before)
		return false;
	*s = (struct memory_stream){
		.kind = kind,
		.request_bytes = (uint32_t)bytes,
		.left = p->request_count ? p->request_count : UINT64_MAX,
		.span_bytes = span_bytes / bytes * bytes,
		.stride_bytes = kind == MEMORY_STRIDED ? p->stride_bytes : bytes,
		.random = p->seed,
		.write_percent = p->write_percent,
		.trace = trace,
		.shape = mem_memory_shape(target->memory, target->dram),
		.pseudo_count = (uint32_t)target->dram->pseudo_count,
		.burst_bytes = (uint32_t)dram_column_bytes(target->dram),
	};
	mem_order_init(&s->order, (enum mem_order_name)target->memory->address_map, &s->shape,
		       target->memory->address_xor);
	return true;
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA'14): any seed will do. */
static inline uint64_t next_random(struct memory_stream *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* A whole number below the bound, evenly. */
static inline uint64_t random_below(struct memory_stream *s, uint64_t bound)
{
	return (uint64_t)((unsigned __int128)next_random(s) * bound >> 64);
}

static inline uint64_t strided_addr(struct memory_stream *s)
{
	const uint64_t addr = s->next_addr_bytes;

	s->next_addr_bytes += s->stride_bytes;
	if (s->next_addr_bytes >= s->span_bytes) {
		s->pass_addr_bytes += s->request_bytes;
		if (s->pass_addr_bytes >= s->stride_bytes)
			s->pass_addr_bytes = 0;
		s->next_addr_bytes = s->pass_addr_bytes;
	}
	return addr;
}

static bool refuse(struct memory_stream *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct memory_stream *s, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memory_trace_refuse(s->trace, text);
	return false;
}

/* The numbers of a place, as far as the memory has what they count. */
enum { CHANNEL, PSEUDO, RANK, GROUP, BANK, ROW, COLUMN, FIELD_COUNT };

static bool read_place(struct memory_stream *s, const struct memory_access *a, uint64_t values[FIELD_COUNT])
{
	const struct mem_shape *m = &s->shape;
	const struct {
		const char *name;
		uint64_t count;
		bool is_there;
	} fields[FIELD_COUNT] = {
		[CHANNEL] = {"channel", (uint64_t)m->stack_count * m->vault_count / s->pseudo_count, true},
		[PSEUDO] = {"pseudo channel", s->pseudo_count, s->pseudo_count > 1},
		[RANK] = {"rank", m->rank_count, false},
		[GROUP] = {"bank group", m->group_count, m->group_count > 1},
		[BANK] = {"bank", m->bank_count / m->group_count, true},
		[ROW] = {"row", m->row_count, true},
		[COLUMN] = {"column", m->row_bytes / s->burst_bytes, true},
	};
	uint32_t count = 0, next = 0;

	for (uint32_t i = 0; i < FIELD_COUNT; i++)
		count += fields[i].is_there;
	if (a->part_count != count && a->part_count != count + 1)
		return refuse(s, "%u numbers, where a place of this memory has %u, or %u with the rank", a->part_count,
			      count, count + 1);
	for (uint32_t i = 0; i < FIELD_COUNT; i++) {
		values[i] = 0;
		if (!fields[i].is_there && (i != RANK || a->part_count == count))
			continue;
		values[i] = a->parts[next++];
		if (values[i] >= fields[i].count)
			return refuse(s, "%s %llu of a memory that has %llu", fields[i].name,
				      (unsigned long long)values[i], (unsigned long long)fields[i].count);
	}
	return true;
}

static bool find_place(struct memory_stream *s, struct memory_access *a)
{
	const struct mem_shape *m = &s->shape;
	uint64_t values[FIELD_COUNT];

	if (!read_place(s, a, values))
		return false;

	const uint64_t vault = values[CHANNEL] * s->pseudo_count + values[PSEUDO];
	const struct mem_place at = {
		.stack = (uint32_t)(vault / m->vault_count),
		.vault = (uint32_t)(vault % m->vault_count),
		.bank = (uint32_t)(values[RANK] * m->bank_count + values[BANK] * m->group_count + values[GROUP]),
		.row = (uint32_t)values[ROW],
		.column_bytes = (uint32_t)values[COLUMN] * s->burst_bytes,
	};

	a->addr_bytes = mem_order_address(&s->order, &at);
	return true;
}

static bool trace_next(struct memory_stream *s, struct memory_access *out)
{
	if (!memory_trace_next(s->trace, out) || (out->part_count && !find_place(s, out)))
		return false;
	out->addr_bytes = out->addr_bytes % s->span_bytes / s->request_bytes * s->request_bytes;
	return true;
}

bool memory_stream_next(struct memory_stream *s, struct memory_access *out)
{
	if (!s->left)
		return false;
	s->left--;
	if (s->kind == MEMORY_TRACE)
		return trace_next(s, out);
	out->cycle = MEMORY_TRACE_NO_CYCLE;
	out->is_write = s->write_percent && random_below(s, 100) < s->write_percent;
	if (s->kind == MEMORY_RANDOM || s->kind == MEMORY_CHASE)
		out->addr_bytes = random_below(s, s->span_bytes / s->request_bytes) * s->request_bytes;
	else
		out->addr_bytes = strided_addr(s);
	return true;
}
