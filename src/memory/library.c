/* library.c - libstrata-mem: a memory, its context and its answers behind an opaque handle. */
#include <strata/mem.h>

#include <dlfcn.h>
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "energy/events.h"
#include "mem/memory.h"
#include "memory/standard.h"
#include "sim/ctx.h"

/* A request's time of offer lies in issue_units, its user in owner. */
struct strata_mem {
	struct sim_ctx ctx;
	struct mem_memory *memory;
	struct memory_standard standard;
	struct energy_list energy;
	uint64_t capacity_bytes, answered_count, units_per_ps;
	uint32_t line_bytes, domain;
	bool is_running, is_doomed; /* doomed: freed from a callback */
	void (*done)(void *ctx, const struct strata_mem_answer *answer);
	void (*room)(void *ctx);
	void *done_ctx, *room_ctx;
	GArray *stats; /* of struct stat_name */
	char error[160];
};

struct stat_name {
	char *key;
	const struct sim_stat_desc *row;
};

static void __attribute__((format(printf, 2, 3))) mistake(struct strata_mem *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->error, sizeof(m->error), fmt, ap);
	va_end(ap);
}

/* ---- making a memory ---- */

/* Beside the library: PREFIX/LIBDIR/libstrata-mem.so.0; where it was built, the sources'. Free with g_free. */
static char *own_dir(void)
{
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)own_dir, &info) && info.dli_fname) {
		g_autofree char *dir = g_path_get_dirname(info.dli_fname);
		g_autofree char *build = g_build_filename(dir, "..", "..", "build.ninja", NULL);
		char *installed = g_build_filename(dir, STRATA_MEMORIES_FROM_LIBDIR, NULL);

		if (!access(installed, F_OK))
			return installed;
		g_free(installed);
		if (!access(build, F_OK))
			return g_strdup(STRATA_SOURCE_DIR "/memories");
	}
	return g_strdup(STRATA_MEMORIES_DIR);
}

static bool load(struct strata_mem *m, const char *name_or_path, const char *const *overrides, size_t override_count,
		 struct base_diag_list *diag)
{
	const char *users = getenv("STRATA_MEMORIES");
	g_autofree char *own = own_dir();
	const char *const dirs[] = {users && *users ? users : own, own};
	const struct sim_search search = {dirs, users && *users ? 2 : 1};

	if (!memory_standard_load(name_or_path, &search, &m->standard, diag))
		return false;
	for (size_t i = 0; i < override_count; i++) {
		if (overrides[i])
			memory_standard_set(&m->standard, overrides[i], "override", diag);
		else
			base_diag_error(diag, (struct base_place){"override", 0, 0}, "number %zu of %zu is NULL", i + 1,
					override_count);
	}
	return !diag->error_count && memory_standard_check(&m->standard, diag);
}

static inline uint64_t ps_up(const struct strata_mem *m, uint64_t units)
{
	const uint64_t units_per_ps = m->units_per_ps;

	return likely(units_per_ps == 1) ? units : units / units_per_ps + (units % units_per_ps != 0);
}

static void request_done(void *ctx, struct mem_req *r)
{
	struct strata_mem *m = ctx;
	const struct strata_mem_answer answer = {
		.user = r->owner,
		.addr_bytes = r->addr_bytes,
		.size_bytes = r->size_bytes,
		.op = r->op == MEM_WRITE ? STRATA_MEM_WRITE : STRATA_MEM_READ,
		.offered_ps = ps_up(m, r->issue_units),
		.done_ps = ps_up(m, sim_now_units(m->ctx.engine)),
	};

	m->answered_count++;
	mem_req_put(m->ctx.pool, r);
	if (m->done)
		m->done(m->done_ctx, &answer);
}

static void queue_has_room(void *ctx, uint32_t stack, uint32_t vault)
{
	struct strata_mem *m = ctx;

	(void)stack;
	(void)vault;
	if (m->room)
		m->room(m->room_ctx);
}

static void add_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		     const struct sim_hist *hist)
{
	struct strata_mem *m = ctx;
	const struct stat_name name = {g_strconcat(prefix, ".", row->name, NULL), row};

	(void)value;
	(void)hist;
	g_array_append_val(m->stats, name);
}

static bool build(struct strata_mem *m, struct base_diag_list *diag)
{
	const struct mem_memory_config c = {
		.memory = &m->standard.memory,
		.dram = &m->standard.dram,
		.link = &m->standard.link,
		.clock = "dram",
		.stats_prefix = "memory",
		.vault_prefix = "vault",
		.up_prefix = "link_up",
		.down_prefix = "link_down",
		.done = request_done,
		.room = queue_has_room,
		.ctx = m,
	};

	sim_ctx_open(&m->ctx, false);
	m->ctx.pool = mem_req_pool_new();
	if (!mem_memory_clock_add(&m->ctx, &c)) {
		base_diag_error(diag, (struct base_place){0}, "the memory's clock period is no fraction of a "
							      "picosecond that 10^4 s can be counted in");
		return false;
	}
	m->memory = mem_memory_new(&m->ctx, &c);
	m->domain = mem_memory_domain(m->memory);
	m->units_per_ps = sim_units_per_ps(m->ctx.engine);
	m->capacity_bytes = m->standard.memory.capacity_bytes;
	m->line_bytes = (uint32_t)m->standard.memory.line_bytes;
	memory_energy_add(&m->energy, NULL, &m->standard.memory, &m->standard.dram, &m->standard.link,
			  &m->standard.energy);
	m->stats = g_array_new(FALSE, FALSE, sizeof(struct stat_name));
	sim_stats_each(m->ctx.stats, add_stat, m);
	return true;
}

strata_mem *strata_mem_new(const char *name_or_path, const char *const *overrides, size_t override_count, char **error)
{
	struct strata_mem *m = g_new0(struct strata_mem, 1);
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!name_or_path || (override_count && !overrides))
		base_diag_error(&diag, (struct base_place){0}, "no name of a memory, or no overrides where some are");
	else if (load(m, name_or_path, overrides, override_count, &diag))
		build(m, &diag);
	if (error)
		*error = diag.error_count ? base_diag_join(&diag) : NULL;
	if (diag.error_count) {
		strata_mem_free(m);
		m = NULL;
	}
	base_diag_free(&diag);
	return m;
}

void strata_mem_free(strata_mem *m)
{
	if (!m)
		return;
	if (m->is_running) {
		m->is_doomed = true;
		m->done = NULL;
		m->room = NULL;
		return;
	}
	mem_memory_free(m->memory);
	if (m->ctx.pool) {
		mem_req_pool_reset(m->ctx.pool);
		mem_req_pool_free(m->ctx.pool);
	}
	sim_ctx_close(&m->ctx);
	for (guint i = 0; m->stats && i < m->stats->len; i++)
		g_free(g_array_index(m->stats, struct stat_name, i).key);
	if (m->stats)
		g_array_free(m->stats, TRUE);
	g_free(m);
}

const char *strata_mem_error(const strata_mem *m)
{
	return m->error;
}

const char *strata_mem_version(void)
{
	return STRATA_VERSION;
}

/* ---- what it is ---- */

const char *strata_mem_name(const strata_mem *m)
{
	return m->standard.about.name;
}

const char *strata_mem_summary(const strata_mem *m)
{
	return m->standard.about.summary;
}

uint64_t strata_mem_capacity_bytes(const strata_mem *m)
{
	return m->capacity_bytes;
}

uint32_t strata_mem_line_bytes(const strata_mem *m)
{
	return m->line_bytes;
}

double strata_mem_peak_bytes_per_s(const strata_mem *m)
{
	return mem_memory_peak_bytes_per_s(&m->standard.memory, &m->standard.dram);
}

void strata_mem_clock(const strata_mem *m, uint64_t *num_ps, uint64_t *den)
{
	*num_ps = sim_period_units(m->ctx.engine, m->domain);
	*den = m->units_per_ps;
}

static bool is_inside(struct strata_mem *m, uint64_t addr_bytes)
{
	if (likely(addr_bytes < m->capacity_bytes))
		return true;
	mistake(m, "address 0x%llx is beyond the memory's 0x%llx bytes", (unsigned long long)addr_bytes,
		(unsigned long long)m->capacity_bytes);
	return false;
}

bool strata_mem_map(strata_mem *m, uint64_t addr_bytes, struct strata_mem_place *out)
{
	if (!is_inside(m, addr_bytes))
		return false;

	const struct mem_place at = mem_memory_place(m->memory, addr_bytes);

	*out = (struct strata_mem_place){at.stack, at.vault, at.bank, at.row, at.column_bytes};
	return true;
}

/* ---- requests ---- */

void strata_mem_on_done(strata_mem *m, void (*done)(void *ctx, const struct strata_mem_answer *answer), void *ctx)
{
	m->done = done;
	m->done_ctx = ctx;
}

void strata_mem_on_room(strata_mem *m, void (*room)(void *ctx), void *ctx)
{
	m->room = room;
	m->room_ctx = ctx;
}

enum strata_mem_offered strata_mem_offer(strata_mem *m, uint64_t addr_bytes, uint32_t size_bytes,
					 enum strata_mem_op op, void *user)
{
	if (unlikely(!is_inside(m, addr_bytes)))
		return STRATA_MEM_WRONG;
	if (unlikely(!size_bytes || (addr_bytes & (m->line_bytes - 1)) + size_bytes > m->line_bytes)) {
		mistake(m, "%u bytes at 0x%llx are not 1 to %u within one line", size_bytes,
			(unsigned long long)addr_bytes, m->line_bytes);
		return STRATA_MEM_WRONG;
	}

	const struct mem_place at = mem_memory_place(m->memory, addr_bytes);
	const enum mem_op mem_op = op == STRATA_MEM_WRITE ? MEM_WRITE : MEM_READ;

	if (!mem_memory_has_room(m->memory, &at, mem_op))
		return STRATA_MEM_FULL;

	struct mem_req *r = mem_req_get(m->ctx.pool);

	r->addr_bytes = addr_bytes;
	r->issue_units = sim_now_units(m->ctx.engine);
	r->next = NULL;
	r->owner = user;
	r->size_bytes = (uint16_t)size_bytes;
	r->is_host = false;
	mem_req_set_access(r, mem_op, MEM_KIND_DATA);
	mem_memory_accept(m->memory, r, &at);
	return STRATA_MEM_TAKEN;
}

bool strata_mem_has_room(strata_mem *m, uint64_t addr_bytes)
{
	return is_inside(m, addr_bytes) && mem_memory_can_accept(m->memory, addr_bytes, MEM_READ);
}

uint64_t strata_mem_pending(const strata_mem *m)
{
	return mem_req_outstanding(m->ctx.pool);
}

/* ---- time ---- */

uint64_t strata_mem_now_ps(const strata_mem *m)
{
	return ps_up(m, sim_now_units(m->ctx.engine));
}

uint64_t strata_mem_next_ps(strata_mem *m)
{
	const uint64_t units = sim_next_units(m->ctx.engine);

	return units == SIM_NEVER ? STRATA_MEM_NEVER : ps_up(m, units);
}

/* SIM_NEVER: as long as there is something to do. */
static uint64_t run_to(struct strata_mem *m, uint64_t units)
{
	const uint64_t answered = m->answered_count;
	uint64_t count;

	if (m->is_running) {
		mistake(m, "time cannot pass in a callback");
		return 0;
	}
	m->is_running = true;
	if (units == SIM_NEVER)
		sim_run(m->ctx.engine);
	else
		sim_run_until(m->ctx.engine, units);
	m->is_running = false;
	count = m->answered_count - answered;
	if (m->is_doomed)
		strata_mem_free(m);
	return count;
}

uint64_t strata_mem_run_until(strata_mem *m, uint64_t time_ps)
{
	uint64_t units;

	if (time_ps == STRATA_MEM_NEVER)
		return run_to(m, SIM_NEVER);
	if (time_ps > UINT64_MAX / 2 / m->units_per_ps) { /* refreshes to come must still be counted in 64 bits */
		mistake(m, "%llu ps is too far away", (unsigned long long)time_ps);
		return 0;
	}
	units = time_ps * m->units_per_ps;
	return units < sim_now_units(m->ctx.engine) ? 0 : run_to(m, units);
}

uint64_t strata_mem_tick(strata_mem *m)
{
	const uint64_t period = sim_period_units(m->ctx.engine, m->domain);
	const uint64_t edge = sim_cycle_now(m->ctx.engine, m->domain) * period;

	return run_to(m, edge > sim_now_units(m->ctx.engine) ? edge : edge + period);
}

/* ---- results ---- */

static bool read_stat(struct strata_mem *m, const struct stat_name *name, struct strata_mem_stat *out)
{
	*out = (struct strata_mem_stat){.name = name->key, .unit = name->row->unit, .doc = name->row->doc};
	if (!m->is_running) /* refreshes that are due while vaults sleep; in a callback the last ones may lack */
		mem_memory_settle(m->memory, false);
	if (name->row->kind != SIM_STAT_HIST)
		return sim_stats_value(m->ctx.stats, name->key, &out->value);

	struct sim_hist hist;

	out->is_histogram = true;
	sim_stats_hist(m->ctx.stats, name->key, &hist);
	out->value = hist.count;
	out->mean = hist.count ? (double)hist.sum / (double)hist.count : 0;
	out->p50 = sim_hist_quantile(&hist, 0.5);
	out->p99 = sim_hist_quantile(&hist, 0.99);
	out->p999 = sim_hist_quantile(&hist, 0.999);
	out->max = hist.max;
	return true;
}

size_t strata_mem_stat_count(const strata_mem *m)
{
	return m->stats->len;
}

bool strata_mem_stat_at(strata_mem *m, size_t index, struct strata_mem_stat *out)
{
	return index < m->stats->len && read_stat(m, &g_array_index(m->stats, struct stat_name, index), out);
}

bool strata_mem_stat_find(strata_mem *m, const char *name, struct strata_mem_stat *out)
{
	for (guint i = 0; i < m->stats->len; i++) {
		const struct stat_name *s = &g_array_index(m->stats, struct stat_name, i);

		if (!strcmp(s->key, name))
			return read_stat(m, s, out);
	}
	mistake(m, "no statistic '%s'", name);
	return false;
}

static void account(struct strata_mem *m, struct energy_report *out)
{
	if (!m->is_running)
		mem_memory_settle(m->memory, false);
	energy_account(&m->energy, m->ctx.stats, sim_now_ps(m->ctx.engine), out);
}

double strata_mem_energy_pj(strata_mem *m)
{
	struct energy_report report;

	account(m, &report);
	return report.total_pj;
}

bool strata_mem_energy_at(strata_mem *m, size_t index, const char **component, double *pj)
{
	struct energy_report report;

	account(m, &report);
	if (index >= report.component_count)
		return false;
	*component = report.components[index].name;
	*pj = report.components[index].pj;
	return true;
}
