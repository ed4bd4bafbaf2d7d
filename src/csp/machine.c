/* machine.c - the coprocessor as a whole: built, run, its results. */
#include "csp/priv.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/check.h"
#include "mem/vault.h"

/* All of a core's lines, of which the host has those that are touched. */
static bool memory_map(struct csp_core *c, bool sends, struct base_diag_list *diag)
{
	c->mapped_bytes = c->line_count * c->machine->line_bytes;
	c->lines = mmap(NULL, c->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			0);
	if (c->lines != MAP_FAILED && (!sends || csp_order_init(c)))
		return true;
	if (c->lines == MAP_FAILED)
		c->lines = NULL;
	base_diag_error(diag, (struct base_place){0}, "no %llu bytes of address space for the memory of core %u: %s",
			(unsigned long long)c->mapped_bytes, c->number, strerror(errno));
	return false;
}

/* ---- the machine ---- */

static const char core_clock[] = "csp", dram_clock[] = "csp.dram";

bool csp_clock_add(const struct csp_config *c, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, core_clock, sim_period_of_khz(c->csp.clock_khz), &domain) &&
	       sim_domain_add(e, dram_clock, dram_clock_period(&c->dram), &domain);
}

void csp_stat_tables(struct sim_stat_tables *out)
{
	static const char *const links[] = {"link_tx", "link_rx"};

	sim_stat_tables_add_rows(out, "vault", vault_stat_rows, vault_stat_row_count);
	for (uint32_t i = 0; i < ARRAY_COUNT(links); i++)
		sim_stat_tables_add_rows(out, links[i], net_channel_stat_rows, net_channel_stat_row_count);
	sim_stat_tables_add(out, &csp_core_stat_table);
}

struct csp_machine *csp_machine_new(struct sim_ctx *ctx, const struct csp_config *config, bool is_accounted)
{
	struct csp_machine *m = g_new0(struct csp_machine, 1);

	m->ctx = ctx;
	m->config = config;
	m->line_bytes = csp_line_bytes(&config->csp);
	m->block_bytes = MIN((uint32_t)config->csp.block_bytes, m->line_bytes);
	m->blocks_per_line = m->line_bytes / m->block_bytes;
	m->cfma = csp_cfma_find();
	m->is_accounted = is_accounted;
	m->domain = sim_domain_find(ctx->engine, core_clock);
	m->dram_domain = sim_domain_find(ctx->engine, dram_clock);
	if (is_accounted)
		mem_req_pool_stamp(ctx->pool);
	m->core_count = (uint32_t)config->csp.core_count;
	m->cores = g_new0(struct csp_core, m->core_count);
	m->stack_count = (uint32_t)config->csp.stack_count;
	m->stacks = g_new0(struct csp_stack, m->stack_count);
	for (uint32_t i = 0; i < m->stack_count; i++)
		csp_stack_init(&m->stacks[i], m, i);
	for (uint32_t i = 0; i < m->core_count; i++)
		csp_core_init(&m->cores[i], m, i);
	csp_input_init(&m->input, m);
	return m;
}

void csp_machine_limit(struct csp_machine *m, uint64_t units)
{
	m->limit_units = units;
}

bool csp_machine_load(struct csp_machine *m, const struct csp_program *program, struct base_diag_list *diag)
{
	CHECK(!m->program && program->core_count == m->core_count);
	m->program = program;
	bool sends = program->arrivals.count;

	for (uint32_t i = 0; i < program->instr_count; i++)
		sends |= program->instrs[i].op == CSP_SEND;
	for (uint32_t i = 0; i < m->core_count; i++) {
		if (!memory_map(&m->cores[i], sends, diag))
			return false;
		csp_core_load(&m->cores[i]);
	}
	return csp_input_load(&m->input, diag);
}

void csp_machine_free(struct csp_machine *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->core_count; i++)
		csp_core_release(&m->cores[i]);
	csp_input_release(&m->input);
	for (uint32_t i = 0; i < m->stack_count; i++)
		csp_stack_release(&m->stacks[i]);
	g_free(m->cores);
	g_free(m->stacks);
	g_free(m->mistake);
	g_free(m);
}

/* ---- data and checks ---- */

bool csp_machine_data(struct csp_machine *m, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < m->program->data_count; i++)
		if (!csp_data_make(m, &m->program->data[i], diag))
			return false;
	return true;
}

static bool checks_make(struct csp_machine *m, struct csp_result *out, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < m->program->check_count && !m->is_stopped; i++) {
		bool is_ok;

		if (!csp_check_make(m, &m->program->checks[i], &is_ok, &out->worst_error, diag))
			return false;
		if (m->is_stopped)
			break; /* in the middle of it: nothing is known */
		out->checks++;
		out->checks_passed += is_ok;
	}
	return true;
}

/* ---- a run ---- */

static bool all_ended(const struct csp_machine *m, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < m->core_count; i++) {
		const struct csp_core *c = &m->cores[i];
		const struct csp_instr *x;

		if (c->is_halted)
			continue;
		x = &m->program->instrs[c->pc];
		base_diag_error(diag, (struct base_place){.file = x->file, .line = x->line, .col = 1},
				"core %u waits here for ever, for %s", i, csp_core_waits_for(c));
		return false;
	}
	return true;
}

static uint64_t stat(const struct csp_machine *m, const char *key)
{
	uint64_t value = 0;

	CHECK(sim_stats_value(m->ctx->stats, key, &value));
	return value;
}

/* Of what is under way when the run ends before its program, nothing comes back. */
static void results(struct csp_machine *m, struct csp_result *out, bool has_ended)
{
	if (!has_ended)
		mem_req_pool_reset(m->ctx->pool);
	for (uint32_t i = 0; i < m->stack_count; i++)
		mem_stack_settle(m->stacks[i].stack, false);
	out->cycles = has_ended ? stat(m, "core.end_cycles") : sim_cycle_now(m->ctx->engine, m->domain);
	out->time_ps = sim_ps_of_units(m->ctx->engine, out->cycles * sim_period_units(m->ctx->engine, m->domain));
	for (uint32_t i = 0; i < m->core_count; i++)
		if (m->program->entries[i] != UINT32_MAX) {
			out->cores++;
			m->cores[i].stats.on_ps = out->time_ps;
		}
	out->cfmas = stat(m, "core.cfmas");
	if (out->cycles)
		out->utilisation = (double)stat(m, "core.cfma_cycles") / ((double)out->cycles * out->cores);
	out->from_memory_bytes = stat(m, "link_rx.bytes");
	out->to_memory_bytes = stat(m, "link_tx.bytes");
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* To the program's end, or what ends it before. False with messages: that was its mistake. */
static bool simulate(struct csp_machine *m, struct csp_result *out, struct base_diag_list *diag)
{
	struct sim_engine *e = m->ctx->engine;
	bool is_right = true;

	if (m->limit_units)
		sim_limit(e, m->limit_units);
	for (uint32_t i = 0; i < m->core_count; i++)
		if (!m->cores[i].is_halted)
			sim_wake_cycle(e, m->cores[i].comp, 0);
	csp_input_begin(&m->input);
	sim_run(e);
	out->was_limited = sim_was_limited(e);
	if (m->mistake) {
		base_diag_error(diag, (struct base_place){.file = m->program->path}, "%s", m->mistake);
		is_right = false;
	}
	out->was_stopped = is_right && m->is_stopped;
	if (is_right && !out->was_limited && !out->was_stopped)
		is_right = all_ended(m, diag);
	results(m, out, is_right && !out->was_limited && !out->was_stopped);
	return is_right;
}

bool csp_machine_run(struct csp_machine *m, struct csp_result *out, struct base_diag_list *diag)
{
	const double begin = cpu_seconds();
	bool is_right;

	*out = (struct csp_result){0};
	is_right = simulate(m, out, diag);
	out->host_seconds = cpu_seconds() - begin;
	if (is_right && !out->was_limited && !out->was_stopped) {
		if (m->is_accounted)
			csp_account_end(m, out->cycles);
		out->is_accounted = m->is_accounted;
		is_right = checks_make(m, out, diag);
		out->was_stopped = m->is_stopped;
	}
	m->result = *out;
	m->has_run = true;
	return is_right;
}

/* Of the controllers: the functional units go on meanwhile. */
void csp_machine_progress(const struct csp_machine *m, struct sim_progress *out)
{
	const uint64_t now_units = sim_now_units(m->ctx->engine);
	uint64_t memory = 0, signals = 0;

	*out = (struct sim_progress){.time_ps = sim_ps_of_units(m->ctx->engine, now_units), .of = "cores ended"};
	for (uint32_t i = 0; i < m->core_count; i++) {
		const struct csp_core *c = &m->cores[i];
		const struct csp_core_stats *s = &c->stats;

		if (c->pc == UINT32_MAX) /* no program */
			continue;
		out->total++;
		out->done += c->is_halted;
		out->instructions += sim_progress_count(&s->instructions);
		out->accesses += sim_progress_count(&s->load_lines) + sim_progress_count(&s->ssrf_lines) +
				 sim_progress_count(&s->store_lines) + sim_progress_count(&s->send_lines);
		memory += sim_progress_count(&s->memory_wait_cycles);
		signals += sim_progress_count(&s->signal_wait_cycles);
	}
	out->whole = now_units / sim_period_units(m->ctx->engine, m->domain) * out->total;
	sim_progress_spent_add(out, "memory", memory);
	sim_progress_spent_add(out, "signals", signals);
}

void csp_machine_stop(struct csp_machine *m)
{
	m->is_stopped = 1;
	sim_stop(m->ctx->engine);
}

const uint64_t *csp_machine_account(const struct csp_machine *m, uint32_t core, uint32_t instr)
{
	return m->cores[core].account.cells[instr];
}

struct sim_stats *csp_machine_stats(const struct csp_machine *m)
{
	return m->ctx->stats;
}

const struct csp_program *csp_machine_program(const struct csp_machine *m)
{
	return m->program;
}

const struct csp_result *csp_machine_result(const struct csp_machine *m)
{
	return m->has_run ? &m->result : NULL;
}
