/* measure.c - the source of a stream, and the clockwork of a run. */
#include "memory/measure.h"

#include <glib.h>
#include <time.h>

#include "base/check.h"
#include "base/list.h"
#include "base/units.h"
#include "net/req.h"

enum {
	WINDOW_PER_VAULT_COUNT = 64,
	WAITING_PER_VAULT_COUNT = 256,
	SECONDS_MAX = 10000, /* what the engine can count, whatever the clock */
};

/* When the requests of an open loop come: n * whole + n * part / parts units. */
struct pace {
	uint64_t whole, part, parts;
	uint64_t next_units, next_part;
};

/* Requests to one vault that it has refused, in their order. */
struct lane {
	BASE_FIFO(struct mem_req);
	bool is_called; /* it has had room since */
};

struct memory_measure {
	struct memory_measure_config config;
	struct sim_ctx ctx;
	struct mem_memory *memory;
	struct sim_comp comp;
	struct memory_stream stream;
	struct memory_latency_record *latencies;

	struct memory_access next;
	uint64_t next_units; /* since when it has waited, or when it comes */
	bool has_next, is_over, is_paced, is_timed, is_awake, was_stopped;
	uint64_t under_way, window; /* those that wait included */
	struct lane *lanes;	    /* [stack * vault_count + vault] */
	uint32_t vault_count, waiting_count;
	uint32_t *called, called_count; /* lanes to be looked at at the next edge, each once */
	uint64_t cycle_units;	    /* of a trace's cycles */
	struct pace pace;

	uint64_t done_count, write_count, last_units;
	uint64_t taken_units, last_due_units; /* when the memory took the last request, and when that had come */
	double rate_bytes_per_s;
};

static void wake(struct memory_measure *m)
{
	if (m->is_awake)
		return;
	m->is_awake = true;
	sim_wake_units(m->ctx.engine, m->comp, sim_now_units(m->ctx.engine) + 1);
}

static void done(void *ctx, struct mem_req *r)
{
	struct memory_measure *m = ctx;
	const uint64_t now = sim_now_units(m->ctx.engine);

	memory_latency_add(m->latencies, now - r->issue_units, r->op == MEM_WRITE);
	m->write_count += r->op == MEM_WRITE;
	m->done_count++;
	m->under_way--;
	m->last_units = now;
	mem_req_put(m->ctx.pool, r);
	if (!m->is_over)
		wake(m);
	else if (m->under_way == 0)
		sim_stop(m->ctx.engine);
}

static void room(void *ctx, uint32_t stack, uint32_t vault)
{
	struct memory_measure *m = ctx;
	const uint32_t index = stack * m->vault_count + vault;
	struct lane *l = &m->lanes[index];

	if (!l->first || l->is_called)
		return;
	l->is_called = true;
	m->called[m->called_count++] = index;
	m->is_awake = false; /* for a later edge only, perhaps */
	wake(m);
}

/* When the request that is taken from the stream now comes. */
static uint64_t due_units(struct memory_measure *m, uint64_t now)
{
	struct pace *p = &m->pace;
	uint64_t due;

	if (!m->is_timed)
		return now;
	if (!m->is_paced)
		return m->next.cycle * m->cycle_units;
	due = p->next_units;
	p->next_units += p->whole;
	p->next_part += p->part;
	if (p->next_part >= p->parts) {
		p->next_part -= p->parts;
		p->next_units++;
	}
	return due;
}

static inline bool take_next(struct memory_measure *m, uint64_t now)
{
	if (m->has_next)
		return true;
	m->was_stopped = m->config.is_stopped && atomic_load_explicit(m->config.is_stopped, memory_order_relaxed);
	if (m->was_stopped)
		return false;
	m->has_next = memory_stream_next(&m->stream, &m->next);
	if (m->has_next)
		m->next_units = due_units(m, now);
	return m->has_next;
}

static struct lane *lane_of(struct memory_measure *m, uint64_t addr_bytes)
{
	const struct mem_place at = mem_memory_place(m->memory, addr_bytes);

	return &m->lanes[at.stack * m->vault_count + at.vault];
}

/* To the memory, or behind others that wait for its vault. */
static void send(struct memory_measure *m)
{
	struct mem_req *r = mem_req_get(m->ctx.pool);

	*r = (struct mem_req){
		.addr_bytes = m->next.addr_bytes,
		.size_bytes = (uint16_t)m->stream.request_bytes,
		.issue_units = m->next_units,
	};
	mem_req_set_access(r, m->next.is_write ? MEM_WRITE : MEM_READ, MEM_KIND_DATA);
	m->has_next = false;
	m->under_way++;
	m->last_due_units = m->next_units;
	m->taken_units = sim_now_units(m->ctx.engine);
	if (likely(!m->waiting_count || !lane_of(m, r->addr_bytes)->first) && likely(mem_memory_offer(m->memory, r)))
		return;
	base_fifo_push(lane_of(m, r->addr_bytes), r, next);
	m->waiting_count++;
}

/* What waits for vaults that have had room since goes first. */
static void send_waiting(struct memory_measure *m)
{
	const uint32_t count = m->called_count;

	m->called_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct lane *l = &m->lanes[m->called[i]];

		l->is_called = false;
		while (l->first) {
			struct mem_req *next = l->first->next;

			if (!mem_memory_offer(m->memory, l->first))
				break;
			l->first = next;
			m->waiting_count--;
			m->taken_units = sim_now_units(m->ctx.engine);
		}
	}
}

static void source_tick(void *component, uint64_t cycle)
{
	struct memory_measure *m = component;
	const uint64_t now = sim_now_units(m->ctx.engine);

	(void)cycle;
	m->is_awake = false;
	if (m->config.progress) {
		atomic_store_explicit(&m->config.progress->done_count, m->done_count, memory_order_relaxed);
		atomic_store_explicit(&m->config.progress->now_units, now, memory_order_relaxed);
	}
	if (m->called_count)
		send_waiting(m);
	while (m->under_way < m->window) {
		if (!take_next(m, now)) {
			m->is_over = true;
			break;
		}
		if (m->next_units > now) {
			m->is_awake = true;
			sim_wake_units(m->ctx.engine, m->comp, m->next_units);
			return;
		}
		send(m);
	}
	if (m->is_over && m->under_way == 0)
		sim_stop(m->ctx.engine);
}

/* ---- the run ---- */

double memory_measure_peak_bytes_per_s(const struct memory_standard *s, double read_share)
{
	const double buses = mem_memory_peak_bytes_per_s(&s->memory, &s->dram);

	if (!s->link.is_present)
		return buses;
	return MIN(buses, mem_expander_peak_bytes_per_s(&s->link, (uint32_t)s->memory.line_bytes, read_share));
}

/* Of a stream that writes as often as it is told to. */
static double nominal_peak_bytes_per_s(const struct memory_measure_config *c)
{
	return memory_measure_peak_bytes_per_s(c->memory, 1 - (double)c->stream->write_percent / 100);
}

/* The rate that is asked for; 0: none. */
static double rate_bytes_per_s(const struct memory_measure_config *c)
{
	if (c->stream->rate_percent > 0)
		return nominal_peak_bytes_per_s(c) * c->stream->rate_percent / 100;
	return (double)c->stream->rate_mbytes_per_s * BASE_BYTES_PER_MBYTE;
}

/* Of the reads and writes that there were. */
static double measured_peak_bytes_per_s(const struct memory_measure *m)
{
	if (!m->done_count)
		return nominal_peak_bytes_per_s(&m->config);
	return memory_measure_peak_bytes_per_s(m->config.memory,
					       1 - (double)m->write_count / (double)m->done_count);
}

static uint64_t vault_count(const struct memory_measure *m)
{
	return m->config.memory->memory.channel_count * m->config.memory->dram.vault_count;
}

/* By the rate that is asked for, if any: every so many units a request. */
static void set_pace(struct memory_measure *m)
{
	const uint64_t bytes = m->stream.request_bytes;
	const unsigned __int128 units = (unsigned __int128)bytes * BASE_PS_PER_S * sim_units_per_ps(m->ctx.engine);
	const double rate = rate_bytes_per_s(&m->config);

	if (rate <= 0)
		return;

	const uint64_t whole_rate = (uint64_t)(rate + 0.5);

	m->rate_bytes_per_s = rate;
	m->is_paced = m->is_timed = true;
	m->pace = (struct pace){
		.whole = (uint64_t)(units / whole_rate), .part = (uint64_t)(units % whole_rate), .parts = whole_rate};
}

static void set_times(struct memory_measure *m)
{
	const struct memory_measure_config *c = &m->config;

	set_pace(m);
	m->cycle_units = sim_period_units(m->ctx.engine, mem_memory_domain(m->memory));
	if (c->stream->trace_clock_ps)
		m->cycle_units = sim_units_of_ps(m->ctx.engine, c->stream->trace_clock_ps);
	if (c->trace && !m->is_paced && c->stream->trace_times)
		m->is_timed = memory_trace_has_cycles(c->trace);
	m->window = c->stream->window_count ? c->stream->window_count : WINDOW_PER_VAULT_COUNT * vault_count(m);
	if (c->kind == MEMORY_CHASE)
		m->window = 1;
	if (m->is_timed)
		m->window = WAITING_PER_VAULT_COUNT * vault_count(m);
}

static bool stream_init(const struct memory_measure_config *c, struct memory_stream *s, struct base_diag_list *diag)
{
	const struct memory_stream_target target = {&c->memory->memory, &c->memory->dram};

	if (!memory_stream_init(s, c->kind, c->stream, &target, c->trace, diag))
		return false;

	const double rate = rate_bytes_per_s(c);
	/* A trace has one at least. */
	const double bytes = (double)s->request_bytes * (double)MAX(c->stream->request_count, 1);

	if (rate > 0 && (rate < 1 || bytes / rate > SECONDS_MAX)) {
		base_diag_error(diag, (struct base_place){0},
				"the rate of %g bytes per second is too low: the requests would come for more than "
				"%d simulated seconds",
				rate, SECONDS_MAX);
		return false;
	}
	return true;
}

bool memory_measure_check(const struct memory_measure_config *c, struct base_diag_list *diag)
{
	struct memory_stream s;

	return stream_init(c, &s, diag);
}

struct memory_measure *memory_measure_new(const struct memory_measure_config *c, struct base_diag_list *diag)
{
	struct memory_measure *m = g_new0(struct memory_measure, 1);
	const struct mem_memory_config memory = {.memory = &c->memory->memory,
						 .dram = &c->memory->dram,
						 .link = &c->memory->link,
						 .clock = "memory",
						 .stats_prefix = "memory",
						 .vault_prefix = "vault",
						 .up_prefix = "link_up",
						 .down_prefix = "link_down",
						 .done = done,
						 .room = room,
						 .ctx = m};

	m->config = *c;
	if (!stream_init(c, &m->stream, diag)) {
		g_free(m);
		return NULL;
	}
	sim_ctx_open(&m->ctx, c->audit);
	m->ctx.pool = mem_req_pool_new();
	CHECK(mem_memory_clock_add(&m->ctx, &memory)); /* the only clock */
	/* Before the memory's parts: what is sent at an edge is seen at that edge. */
	m->comp = sim_engine_add(m->ctx.engine, sim_domain_find(m->ctx.engine, memory.clock), "source", source_tick, m);
	m->vault_count = (uint32_t)c->memory->dram.vault_count;
	m->lanes = g_new0(struct lane, vault_count(m));
	m->called = g_new(uint32_t, vault_count(m));
	m->memory = mem_memory_new(&m->ctx, &memory);
	m->latencies = memory_latency_record_new(c->kind == MEMORY_TRACE ? 0 : c->stream->request_count,
						 MEMORY_LATENCY_EXACT_MAX);
	set_times(m);
	return m;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t stat_of(const struct memory_measure *m, const char *key)
{
	uint64_t value = 0;

	CHECK(sim_stats_value(m->ctx.stats, key, &value));
	return value;
}

/* What the memory's own statistics say. */
static void read_stats(const struct memory_measure *m, struct memory_result *out)
{
	static const char *const states[] = {[MEMORY_OPEN] = "vault.open_cycles",
					     [MEMORY_PRECHARGED] = "vault.precharged_cycles",
					     [MEMORY_POWER_DOWN] = "vault.power_down_cycles",
					     [MEMORY_SELF_REFRESH] = "vault.self_refresh_cycles"};
	const double rank_cycles = (double)stat_of(m, "vault.rank_cycles");
	const double bus_units = (double)m->last_units * (double)vault_count(m);
	const struct memory_standard *s = m->config.memory;
	struct energy_list energy = {.count = 0};

	if (bus_units > 0)
		out->bus_utilisation = (double)stat_of(m, "vault.tsv_busy_units") / bus_units;
	if (m->done_count)
		out->row_hit_ratio = (double)stat_of(m, "vault.row_hits") / (double)m->done_count;
	out->refresh_count = stat_of(m, "vault.refreshes");
	out->bank_refresh_count = stat_of(m, "vault.bank_refreshes");
	out->management_count = stat_of(m, "vault.managements");
	for (uint32_t i = 0; i < MEMORY_POWER_STATE_COUNT && rank_cycles > 0; i++)
		out->power_state[i] = (double)stat_of(m, states[i]) / rank_cycles;
	memory_energy_add(&energy, NULL, &s->memory, &s->dram, &s->link, &s->energy);
	energy_account(&energy, m->ctx.stats, out->time_ps, &out->energy);
}

void memory_measure_run(struct memory_measure *m, struct memory_result *out)
{
	const double begin = cpu_seconds(), giga = 1e9;

	sim_wake_cycle(m->ctx.engine, m->comp, 0);
	if (m->config.progress)
		atomic_store(&m->config.progress->units_per_ps, sim_units_per_ps(m->ctx.engine));
	sim_run(m->ctx.engine);
	mem_memory_settle(m->memory, false);
	CHECK(m->under_way == 0);
	*out = (struct memory_result){
		.request_count = m->done_count,
		.read_count = m->done_count - m->write_count,
		.write_count = m->write_count,
		.request_bytes = m->stream.request_bytes,
		.moved_bytes = m->done_count * m->stream.request_bytes,
		.time_ps = sim_ps_of_units(m->ctx.engine, m->last_units),
		.rate_gbytes_per_s = m->rate_bytes_per_s / giga,
		.window_count = m->is_timed ? 0 : (uint32_t)m->window,
		.peak_gbytes_per_s = measured_peak_bytes_per_s(m) / giga,
		.latency_unit_ns = 1e-3 / (double)sim_units_per_ps(m->ctx.engine),
		.is_interrupted = m->was_stopped,
		.is_saturated = m->is_timed && m->taken_units - m->last_due_units > m->taken_units / 100,
		.host_seconds = cpu_seconds() - begin,
	};
	if (out->time_ps)
		out->gbytes_per_s = (double)out->moved_bytes * 1e3 / (double)out->time_ps;
	read_stats(m, out);
	out->has_exact_percentiles = memory_latency_read(m->latencies, out->latency);
}

struct sim_stats *memory_measure_stats(const struct memory_measure *m)
{
	return m->ctx.stats;
}

void memory_measure_free(struct memory_measure *m)
{
	if (!m)
		return;
	mem_memory_free(m->memory);
	mem_req_pool_free(m->ctx.pool);
	sim_ctx_close(&m->ctx);
	memory_latency_record_free(m->latencies);
	g_free(m->lanes);
	g_free(m->called);
	g_free(m);
}
