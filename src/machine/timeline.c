/* timeline.c - when copies, kernels and host functions of a program happen, and how much of them at once. */
#include "machine/timeline.h"

#include <glib.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/units.h"

enum engine { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_DEVICE, ENGINE_COMPUTE, ENGINE_COUNT, ENGINE_NONE };

/* Time in which an engine is at work. Those of one engine are in order and do not touch. */
struct span {
	uint64_t start_ps, end_ps;
};

struct machine_timeline {
	const struct host_params *host;
	const struct run_params *run;
	const struct device_traits *device;
	uint64_t free_ps[ENGINE_COUNT];
	GArray *busy[ENGINE_COUNT]; /* struct span */
	GArray *work;		    /* struct machine_work */
	uint64_t work_count;	    /* with those not kept */
	uint64_t end_ps;	    /* of everything so far */
	bool has_copied_to_host;
	uint64_t copied_hash; /* of what was copied to the host */
	struct machine_copy_stats copy;
	struct machine_program_stats program;
};

static const struct sim_stat_desc copy_rows[] = {
#define STAT_STRUCT struct machine_copy_stats
#include "sim/stat_rows.inc"
#include "machine/copy_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table machine_copy_stat_table = {"copy", copy_rows, ARRAY_COUNT(copy_rows)};
static const struct sim_stat_desc program_rows[] = {
#define STAT_STRUCT struct machine_program_stats
#include "sim/stat_rows.inc"
#include "machine/program_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table machine_program_stat_table = {"program", program_rows, ARRAY_COUNT(program_rows)};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- streams ---- */

uint64_t machine_stream_ready_ps(const struct machine_stream *s)
{
	switch (s->rule) {
	case MACHINE_STREAM_LEGACY:
		return later(s->context->legacy_end_ps, s->context->blocking_end_ps);
	case MACHINE_STREAM_BLOCKING:
		return later(s->end_ps, s->context->legacy_end_ps);
	case MACHINE_STREAM_NON_BLOCKING:
		break;
	}
	return s->end_ps;
}

void machine_stream_extend(struct machine_stream *s, uint64_t end_ps)
{
	struct machine_streams *c = s->context;

	if (s->rule == MACHINE_STREAM_LEGACY)
		c->legacy_end_ps = later(c->legacy_end_ps, end_ps);
	else
		s->end_ps = later(s->end_ps, end_ps);
	if (s->rule == MACHINE_STREAM_BLOCKING)
		c->blocking_end_ps = later(c->blocking_end_ps, end_ps);
	c->end_ps = later(c->end_ps, end_ps);
}

/* ---- building ---- */

struct machine_timeline *machine_timeline_new(const struct host_params *host, const struct run_params *run,
					       const struct device_traits *device, struct sim_stats *stats)
{
	struct machine_timeline *t = g_new0(struct machine_timeline, 1);

	t->host = host;
	t->run = run;
	t->device = device;
	for (uint32_t i = 0; i < ENGINE_COUNT; i++)
		t->busy[i] = g_array_new(FALSE, FALSE, sizeof(struct span));
	t->work = g_array_new(FALSE, FALSE, sizeof(struct machine_work));
	if (stats) {
		sim_stats_add_table(stats, &machine_copy_stat_table, &t->copy, sizeof(t->copy));
		sim_stats_add_table(stats, &machine_program_stat_table, &t->program, sizeof(t->program));
	}
	return t;
}

void machine_timeline_free(struct machine_timeline *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < ENGINE_COUNT; i++)
		g_array_free(t->busy[i], TRUE);
	g_array_free(t->work, TRUE);
	g_free(t);
}

/* ---- work ---- */

static enum engine engine_of(const struct machine_timeline *t, enum machine_work_kind kind)
{
	static const enum engine engines[MACHINE_WORK_KIND_COUNT] = {
	    [MACHINE_WORK_KERNEL] = ENGINE_COMPUTE,	[MACHINE_WORK_TO_DEVICE] = ENGINE_TO_DEVICE,
	    [MACHINE_WORK_TO_HOST] = ENGINE_TO_HOST,	[MACHINE_WORK_ON_DEVICE] = ENGINE_DEVICE,
	    [MACHINE_WORK_FILL] = ENGINE_DEVICE,	[MACHINE_WORK_ON_HOST] = ENGINE_NONE,
	    [MACHINE_WORK_HOST_FUNCTION] = ENGINE_NONE,
	};

	if (kind == MACHINE_WORK_TO_HOST && t->host->copy_engine_count == 1)
		return ENGINE_TO_DEVICE;
	return engines[kind];
}

const char *machine_work_kind_name(enum machine_work_kind kind)
{
	static const char *const names[MACHINE_WORK_KIND_COUNT] = {
	    [MACHINE_WORK_KERNEL] = "kernel",
	    [MACHINE_WORK_TO_DEVICE] = "copy to device",
	    [MACHINE_WORK_TO_HOST] = "copy to host",
	    [MACHINE_WORK_ON_DEVICE] = "copy on device",
	    [MACHINE_WORK_FILL] = "memset",
	    [MACHINE_WORK_ON_HOST] = "copy on host",
	    [MACHINE_WORK_HOST_FUNCTION] = "host function",
	};

	return names[kind];
}

uint64_t machine_timeline_start_ps(const struct machine_timeline *t, enum machine_work_kind kind,
				   const struct machine_stream *s, uint64_t given_ps)
{
	enum engine e = engine_of(t, kind);
	bool is_launched = e == ENGINE_DEVICE || e == ENGINE_COMPUTE;
	uint64_t start = later(given_ps + (is_launched ? t->host->launch_ps : 0), machine_stream_ready_ps(s));

	return e == ENGINE_NONE ? start : later(start, t->free_ps[e]);
}

static uint64_t shared_copy_ps(const struct device_traits *d, uint64_t bytes)
{
	return d->shared_copy_mbytes_per_s ? base_transfer_ps(bytes, d->shared_copy_mbytes_per_s) : 0;
}

uint64_t machine_timeline_copy_ps(const struct machine_timeline *t, enum machine_work_kind kind, uint64_t bytes,
				  bool is_pageable)
{
	const struct host_params *h = t->host;
	struct host_wires w = host_wires_of(h);
	uint64_t staging = is_pageable ? base_transfer_ps(bytes, h->memcpy_mbytes_per_s) : 0;

	switch (kind) {
	case MACHINE_WORK_TO_DEVICE:
	case MACHINE_WORK_TO_HOST:
		if (t->device->shares_memory)
			return shared_copy_ps(t->device, bytes);
		return w.latency_ps + later(base_transfer_ps(host_wire_bytes(&w, bytes), w.mbytes_per_s), staging);
	case MACHINE_WORK_ON_DEVICE:
		return base_transfer_ps(bytes, t->device->copy_mbytes_per_s);
	case MACHINE_WORK_FILL:
		return base_transfer_ps(bytes, t->device->fill_mbytes_per_s);
	case MACHINE_WORK_ON_HOST:
		return base_transfer_ps(bytes, h->memcpy_mbytes_per_s);
	default:
		CHECK(!"a copy or memset");
	}
	return 0;
}

static void count_wires(struct machine_timeline *t, uint64_t bytes, bool is_pageable)
{
	struct host_wires w = host_wires_of(t->host);

	t->copy.wire_bytes += host_wire_bytes(&w, bytes);
	if (is_pageable)
		t->copy.pageable_bytes += bytes;
}

static void count(struct machine_timeline *t, enum machine_work_kind kind, uint64_t duration_ps, uint64_t bytes,
		  bool is_pageable)
{
	struct machine_copy_stats *c = &t->copy;
	struct machine_program_stats *p = &t->program;
	const struct {
		uint64_t *count, *bytes, *ps;
	} counters[MACHINE_WORK_KIND_COUNT] = {
	    [MACHINE_WORK_KERNEL] = {&p->launches, NULL, &p->kernel_ps},
	    [MACHINE_WORK_TO_DEVICE] = {&c->to_device_count, &c->to_device_bytes, &p->to_device_ps},
	    [MACHINE_WORK_TO_HOST] = {&c->to_host_count, &c->to_host_bytes, &p->to_host_ps},
	    [MACHINE_WORK_ON_DEVICE] = {&c->on_device_count, &c->on_device_bytes, &p->on_device_ps},
	    [MACHINE_WORK_FILL] = {&c->fill_count, &c->fill_bytes, &p->fill_ps},
	    [MACHINE_WORK_ON_HOST] = {&c->on_host_count, &c->on_host_bytes, NULL},
	    [MACHINE_WORK_HOST_FUNCTION] = {&p->host_functions, NULL, NULL},
	};

	++*counters[kind].count;
	if (counters[kind].bytes)
		*counters[kind].bytes += bytes;
	if (counters[kind].ps)
		*counters[kind].ps += duration_ps;
	if (kind == MACHINE_WORK_TO_DEVICE || kind == MACHINE_WORK_TO_HOST)
		count_wires(t, bytes, is_pageable);
	if (kind == MACHINE_WORK_TO_HOST || kind == MACHINE_WORK_ON_DEVICE)
		c->dram_read_bytes += bytes;
	if (kind == MACHINE_WORK_TO_DEVICE || kind == MACHINE_WORK_ON_DEVICE || kind == MACHINE_WORK_FILL)
		c->dram_write_bytes += bytes;
}

static void occupy(struct machine_timeline *t, enum engine e, uint64_t start_ps, uint64_t end_ps)
{
	struct span s = {start_ps, end_ps};
	GArray *busy = t->busy[e];
	struct span *last = busy->len ? &g_array_index(busy, struct span, busy->len - 1) : NULL;

	CHECK(start_ps >= t->free_ps[e] && end_ps >= start_ps);
	t->free_ps[e] = end_ps;
	if (end_ps == start_ps)
		return;
	if (last && last->end_ps == start_ps)
		last->end_ps = end_ps;
	else
		g_array_append_val(busy, s);
}

void machine_timeline_add(struct machine_timeline *t, enum machine_work_kind kind, struct machine_stream *s,
			  const char *name, uint64_t start_ps, uint64_t end_ps, uint64_t bytes, bool is_pageable)
{
	struct machine_work w = {kind, s->number, name, start_ps, end_ps, bytes};
	enum engine e = engine_of(t, kind);

	CHECK(start_ps >= machine_stream_ready_ps(s));
	if (e != ENGINE_NONE)
		occupy(t, e, start_ps, end_ps);
	machine_stream_extend(s, end_ps);
	t->end_ps = later(t->end_ps, end_ps);
	count(t, kind, end_ps - start_ps, bytes, is_pageable);
	if (t->work_count++ < t->run->timeline_count)
		g_array_append_val(t->work, w);
}

/* ---- host threads ---- */

uint64_t machine_timeline_host(struct machine_timeline *t, enum machine_host_time what, uint64_t from_ps,
			       uint64_t duration_ps)
{
	uint64_t *const sums[] = {
	    [MACHINE_HOST_CALL] = &t->program.host_call_ps,
	    [MACHINE_HOST_WAIT] = &t->program.host_wait_ps,
	    [MACHINE_HOST_CODE] = &t->program.host_code_ps,
	};

	*sums[what] += duration_ps;
	t->end_ps = later(t->end_ps, from_ps + duration_ps);
	return from_ps + duration_ps;
}

void machine_timeline_count_call(struct machine_timeline *t)
{
	t->program.calls++;
}

/* ---- results ---- */

/* Goes through the spans of all engines at once, from one change to the next. */
void machine_timeline_copied_to_host(struct machine_timeline *t, const void *data, uint64_t bytes)
{
	t->copied_hash = base_hash_add_much(t->has_copied_to_host ? t->copied_hash : BASE_HASH_BEGIN, data, bytes);
	t->has_copied_to_host = true;
}

bool machine_timeline_copied_hash(const struct machine_timeline *t, uint64_t *hash)
{
	*hash = t->copied_hash;
	return t->has_copied_to_host;
}

void machine_timeline_settle(struct machine_timeline *t)
{
	struct machine_program_stats *p = &t->program;
	uint32_t next[ENGINE_COUNT] = {0};
	uint64_t now = 0;

	p->device_busy_ps = p->overlap_ps = p->kernel_overlap_ps = 0;
	for (;;) {
		uint32_t active = 0;
		uint64_t change = UINT64_MAX;
		bool is_kernel = false;

		for (uint32_t e = 0; e < ENGINE_COUNT; e++) {
			const struct span *s = &g_array_index(t->busy[e], struct span, next[e]);

			if (next[e] < t->busy[e]->len && s->end_ps == now)
				s = &g_array_index(t->busy[e], struct span, ++next[e]);
			if (next[e] == t->busy[e]->len)
				continue;

			bool is_active = s->start_ps <= now;
			uint64_t edge = is_active ? s->end_ps : s->start_ps;

			change = edge < change ? edge : change;
			active += is_active;
			is_kernel = is_kernel || (is_active && e == ENGINE_COMPUTE);
		}
		if (change == UINT64_MAX)
			break;
		p->device_busy_ps += active ? change - now : 0;
		p->overlap_ps += active > 1 ? change - now : 0;
		p->kernel_overlap_ps += active > 1 && is_kernel ? change - now : 0;
		now = change;
	}
	p->time_ps = t->end_ps;
	p->device_idle_ps = p->time_ps - p->device_busy_ps;
}

const struct machine_copy_stats *machine_timeline_copies(const struct machine_timeline *t)
{
	return &t->copy;
}

const struct machine_program_stats *machine_timeline_program(const struct machine_timeline *t)
{
	return &t->program;
}

uint64_t machine_timeline_work_count(const struct machine_timeline *t)
{
	return t->work_count;
}

const struct machine_work *machine_timeline_work(const struct machine_timeline *t, uint32_t *count)
{
	*count = t->work->len;
	return (const struct machine_work *)(void *)t->work->data;
}
