/* model.c - the model that runs a program's threads on the processors of the session's machine (cpu/system.h).
 *
 * Which bytes an access uses says bytes.h. It is called with all accesses in the order of time, for what one core does
 * to its caches another one sees.
 */
#include "base/check.h"
#include "base/unmodelled.h"
#include "machine/kernels.h"
#include "machine/memories.h"
#include "machine/message.h"
#include "threads/cpu/host.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_MISTAKE = 2, EXIT_TIMEOUT = 124, EXIT_OWN_FAILURE = 125 };

static void come_back_if_new(struct host *h)
{
	if (!h->next_units || h->asked != cpu_events_asked(h->cpu))
		host_come_back(h);
}

static void look(struct host *h, const struct thread_at *at, bool is_ordered);
_Noreturn static void fail_for_design(void *self, const char *text);

/* As far as nobody looks, and to the end of the ps in which a thread goes on. Also what has come up for the time at
 * which the machine stands already. */
static void advance(void *self, uint64_t until_ps, uint64_t others_ps)
{
	struct host *h = self;
	uint64_t last_ps;

	if (until_ps >= h->look_ps)
		look(h, &(struct thread_at){.now_ps = until_ps}, true);
	last_ps = MAX(until_ps, MIN(others_ps, h->look_ps - 1));
	h->is_advancing = true;
	sim_limit(h->engine, last_ps > SIM_NEVER / h->per_ps ? SIM_NEVER : last_ps * h->per_ps);
	sim_run(h->engine);
	sim_limit(h->engine, SIM_NEVER);
	h->is_advancing = false;
	sim_run_until(h->engine, (sim_now_units(h->engine) + h->per_ps - 1) / h->per_ps * h->per_ps);
	h->told_units = SIM_NEVER;
	host_come_back(h);
}

static void resume(struct host *h, uint32_t thread, uint64_t time_ps, void *bytes)
{
	if (h->is_advancing)
		sim_stop(h->engine);
	h->runtime->resume(thread, time_ps, bytes);
}

static void resume_for_message(void *self, uint32_t thread, uint64_t time_ps)
{
	resume(self, thread, time_ps, NULL);
}

/* ---- the account ---- */

/* What the runtime does is its caller's. */
const void *host_place(struct host *h, const struct thread_at *at)
{
	if (at->thread >= h->places->len)
		g_ptr_array_set_size(h->places, (gint)at->thread + 1);
	if (h->runtime->is_program && h->runtime->is_program(at->place))
		h->places->pdata[at->thread] = (gpointer)(uintptr_t)at->place;
	return h->places->pdata[at->thread];
}

/* The thread leaves its unit: waits for something, or ends. Nobody's code is what waits for work. */
static void account_rest(struct host *h, const struct thread_at *at, enum thread_event event)
{
	static const enum cpu_part waits[] = {
	    [THREAD_FOR_OTHER] = CPU_PART_SYNC,	 [THREAD_FOR_LOCK] = CPU_PART_MUTEX,
	    [THREAD_FOR_BARRIER] = CPU_PART_BARRIER, [THREAD_FOR_JOIN] = CPU_PART_ENDING,
	    [THREAD_FOR_WORK] = CPU_PART_WORK,
	};
	const enum cpu_part part = event == THREAD_WAIT ? waits[at->waits_for] : CPU_PART_NONE;

	host_account_hook(h, at);
	h->between[at->unit] = (uint8_t)part;
	if (part == CPU_PART_NONE || part == CPU_PART_WORK)
		cpu_account_at(h->account, at->unit, NULL);
}

/* Functions and lines, where the program's debug information has them. */
static void account_sources(struct host *h)
{
	const uint32_t count = cpu_account_place_count(h->account);
	g_autofree const void **addresses = g_new0(const void *, count);
	g_autofree struct thread_source *sources = g_new0(struct thread_source, count);
	uint32_t known = 0;

	if (!h->runtime->sources)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (cpu_account_place(h->account, i)->address)
			addresses[known++] = cpu_account_place(h->account, i)->address;
	h->runtime->sources(addresses, known, sources);
	known = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cpu_account_place *p = cpu_account_place(h->account, i);

		if (!p->address)
			continue;
		p->function = g_intern_string(sources[known].function);
		p->file = g_intern_string(sources[known].file);
		p->line = sources[known++].line;
	}
}

/* An access, or a fence, that is done at once or waits. */
static inline void account_done(struct host *h, const struct thread_at *at, uint64_t done_ps)
{
	if (unlikely(h->account != NULL)) {
		h->between[at->unit] = done_ps == CPU_WAITS ? CPU_PART_ENDED : CPU_PART_SYSTEM;
		if (done_ps != CPU_WAITS)
			cpu_account_settle(h->account, at->unit, done_ps * h->per_ps);
	}
}

/* At the end of the program everybody is where it ended. */
static void account_end(struct host *h, uint64_t now_ps)
{
	for (uint32_t i = 0; h->account && i < h->model.machine.unit_count; i++) {
		cpu_account_back(h->account, i, now_ps * h->per_ps);
		cpu_account_until(h->account, i, (enum cpu_part)h->between[i], now_ps * h->per_ps);
	}
	if (!h->account)
		return;
	cpu_account_check(h->account);
	account_sources(h);
}

static void answer(void *self, uint32_t unit, uint64_t time_ps)
{
	struct host *h = self;
	const struct waiting *w;

	if (!h->runtime) /* the program has ended */
		return;
	if (h->accelerators && unit >= h->cpu_units) {
		accelerators_answered(h->accelerators, unit, time_ps);
		return;
	}
	w = &h->waiting[unit];
	if (unlikely(h->account != NULL))
		h->between[unit] = CPU_PART_SYSTEM;
	resume(h, w->thread, time_ps, w->bytes && h->bytes ? bytes_of(h->bytes, unit) : w->bytes);
}

static void observe(void *self, uint32_t core, uint64_t line, bool is_write, cpu_version version)
{
	bytes_observe(((struct host *)self)->bytes, core, line, is_write, version);
}

static void moved(void *self, uint64_t line, uint32_t core)
{
	bytes_moved(((struct host *)self)->bytes, line, core);
}

static cpu_version make(void *self, uint64_t line, cpu_version version, cpu_version quarters)
{
	return bytes_make(((struct host *)self)->bytes, line, version, quarters);
}

static void see(void *self, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write, cpu_version version)
{
	bytes_see(((struct host *)self)->bytes, unit, line, quarters, is_write, version);
}

static void moved_near(void *self, uint64_t line, cpu_version quarters, uint32_t unit)
{
	bytes_moved_near(((struct host *)self)->bytes, line, quarters, unit);
}

static void ahead(void *self, uint64_t line)
{
	bytes_ahead(((struct host *)self)->bytes, line);
}

static void full(void *self, uint32_t unit)
{
	struct host *h = self;

	if (h->accelerators && unit >= h->cpu_units)
		fail_for_design(h, "an accelerator touches more memory than the machine has");
	h->runtime->fail(h->waiting[unit].thread, "touches more memory than the machine has");
}

/* ---- bytes that copies have ---- */

/* Before the unit's next access: the one before may have been the first to find such bytes. */
static void note_reader(struct host *h, const struct thread_at *at)
{
	uint32_t unit;

	if (h->foreign_place)
		return;
	if (bytes_foreign(h->bytes, &unit))
		h->foreign_place = h->readers[unit];
	else
		h->readers[at->unit] = at->place;
}

/* Code without hooks has written the program's memory. */
static void tell_foreign(struct host *h, const struct thread_at *at)
{
	struct thread_source source = {.line = 0};
	uint32_t unit;
	const uint64_t foreign = bytes_foreign(h->bytes, &unit);

	if (!foreign)
		return;
	note_reader(h, at);
	if (h->foreign_place && h->runtime->sources)
		h->runtime->sources(&h->foreign_place, 1, &source);
	machine_message("note: %" PRIu64 " reads found bytes that code without hooks had written, the first in %s at "
			"%s:%u",
			foreign, *source.function ? source.function : "?", *source.file ? source.file : "?",
			source.line);
}

/* Nothing that the machine has to do before now_ps is left: the runtime has seen to it. */
static void sample(struct host *h, uint64_t now_ps)
{
	while (h->sampler && sim_sampler_due_units(h->sampler) <= now_ps * h->per_ps) {
		awake_until(h->awake, sim_sampler_due_units(h->sampler) / h->per_ps);
		sim_sampler_row(h->sampler);
	}
}

/* ---- the end ---- */

static void stuck(void *self)
{
	const struct host *h = self;

	if (h->accelerators)
		accelerators_stuck(h->accelerators);
}

/* What the program has executed in functions without hooks. A part of it, where that is enough to say so. */
static void take_unmodelled(struct host *h)
{
	struct machine_run *run = &h->run;
	const uint64_t modelled = h->stats->instructions + (h->near ? channel_system_stats(h->near)->instructions : 0);
	double all;

	if (!h->runtime->unmodelled)
		return;
	run->has_unmodelled = h->runtime->unmodelled(&run->unmodelled_instructions);
	all = (double)(modelled + run->unmodelled_instructions);
	run->has_unmodelled |= (double)run->unmodelled_instructions > BASE_UNMODELLED_MARKED * all;
}

/* What is under way ends, then the laws hold and the results are written. */
static void end_as(struct host *h, const struct thread_at *at, const char *ended)
{
	const struct machine *m = h->run.machine;
	const char *broken;
	struct rusage usage;

	host_run_until(h, at->now_ps);
	sample(h, at->now_ps);
	awake_end(h->awake, at->now_ps);
	if (h->accelerators)
		accelerators_stop(h->accelerators, at->now_ps);
	account_end(h, at->now_ps);
	if (h->readers)
		tell_foreign(h, at);
	take_unmodelled(h);
	h->runtime = NULL;
	sim_run(h->engine);
	for (uint32_t i = 0; i < machine_memories_of(&h->session.config)->count; i++)
		mem_memory_settle(machine_memory_built(m, i), false);
	if (h->sampler)
		sim_sampler_end(h->sampler, at->now_ps * h->per_ps);
	broken = sim_stats_broken_law(m->ctx.stats);
	if (broken) {
		machine_message("error: a law does not hold: %s", broken);
		_exit(EXIT_OWN_FAILURE);
	}
	if (h->bytes && bytes_stale(h->bytes))
		machine_message("note: %" PRIu64 " reads had bytes that were not the newest", bytes_stale(h->bytes));
	getrusage(RUSAGE_SELF, &usage);
	h->run.kernel_time_ps = at->now_ps;
	h->run.kernel_cycles = (uint64_t)((unsigned __int128)at->now_ps * h->per_ps / cpu_cycle_units(h->cpu));
	h->run.host_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	h->run.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	h->run.ended = ended;
	if (*h->session.result_path && !machine_result_write(&h->run)) {
		machine_message("error: cannot write the results to %s: %s", h->session.result_path, strerror(errno));
		machine_result_lost(h->session.result_path);
	}
}

/* The results so far are kept; the command ends a program whose time is over by a signal. */
static void end_by_signal(struct host *h, const struct thread_at *at)
{
	const uint64_t deadline_ns = machine_session_deadline_ns();

	h->run.is_wall_over = deadline_ns && machine_live_now_ns() >= deadline_ns;
	h->run.is_interrupted = !h->run.is_wall_over;
	machine_message("%s: keeping the results so far", h->run.is_wall_over ? "the time is over" : "interrupted");
	end_as(h, at, h->run.is_wall_over ? "timeout" : "signal");
}

/* Also called by our own end of the process. */
static void end(void *self, const struct thread_at *at, int signal)
{
	struct host *h = self;

	if (h->runtime && signal)
		end_by_signal(h, at);
	else if (h->runtime)
		end_as(h, at, MACHINE_ENDED_BY_EXIT);
}

/* The results so far are kept. */
_Noreturn static void end_by_limit(struct host *h, const struct thread_at *at)
{
	h->run.is_simulated_over = true;
	end_as(h, at, "timeout");
	machine_message("error: ended by the limit of simulated time (run.timeout_simulated_ps)");
	_exit(EXIT_TIMEOUT);
}

/* ---- how far it is ---- */

enum {
	LOOK_MIN_NS = MACHINE_LIVE_PERIOD_NS / 16, /* of host time between two looks at its clock, */
	LOOK_MAX_NS = MACHINE_LIVE_PERIOD_NS / 4,  /* about */
};
#define LOOK_STEP_MAX_PS (1ull << 50)

static void tell(struct host *h, uint64_t now_ps)
{
	const struct channel_stats *near = h->near ? channel_system_stats(h->near) : NULL;
	const struct cpu_stats *s = h->stats;
	struct sim_progress p = {.time_ps = now_ps, .whole = now_ps * h->cpu_units};

	p.instructions = s->instructions + (near ? near->instructions : 0);
	p.accesses = s->reads + s->writes + s->atomics + (near ? near->reads + near->writes + near->atomics : 0);
	sim_progress_spent_add(&p, "loads", s->use_stall_ps);
	sim_progress_spent_add(&p, "issue slots", s->issue_wait_ps);
	machine_live_write(h->live, &p, NULL, 0);
}

/* The step follows the host's speed: what is simulated does not depend on it. */
static void look_at_clock(struct host *h, uint64_t now_ps)
{
	const uint64_t now_ns = machine_live_now_ns(), since_ns = now_ns - h->looked_ns;

	if (since_ns < LOOK_MIN_NS)
		h->look_step_ps = MIN(2 * h->look_step_ps, LOOK_STEP_MAX_PS);
	else if (since_ns > LOOK_MAX_NS)
		h->look_step_ps = MAX(h->look_step_ps / 2, 1);
	h->looked_ns = now_ns;
	h->clock_ps = h->live ? now_ps + h->look_step_ps : UINT64_MAX;
	if (now_ns - h->told_ns < MACHINE_LIVE_PERIOD_NS)
		return;
	h->told_ns = now_ns;
	tell(h, now_ps);
}

/* is_ordered: nobody does anything before this time any more. */
static void look(struct host *h, const struct thread_at *at, bool is_ordered)
{
	uint64_t due_ps = UINT64_MAX;

	if (is_ordered)
		sample(h, at->now_ps);
	if (at->now_ps >= h->limit_ps) {
		if (is_ordered)
			end_by_limit(h, at);
		h->runtime->event(h->limit_ps); /* when the others are there */
	}
	if (at->now_ps >= h->clock_ps)
		look_at_clock(h, at->now_ps);
	if (h->sampler)
		due_ps = (sim_sampler_due_units(h->sampler) + h->per_ps - 1) / h->per_ps;
	h->look_ps = MIN(h->limit_ps, MIN(h->clock_ps, due_ps));
}

/* In the middle of a cycle, from where the machine cannot go on to its end: there are no results. */
_Noreturn static void fail_for_design(void *self, const char *text)
{
	struct host *h = self;

	h->runtime = NULL;
	machine_message("error: %s", text);
	_exit(EXIT_MISTAKE);
}

/* Before instructions pass, what is not needed before most of them. */
static __attribute__((noinline, cold)) void prepare(struct host *h, const struct thread_at *at, struct costs *of,
						    const uint16_t *counts, struct cost *c)
{
	if (at->now_ps >= h->look_ps)
		look(h, at, false);
	if (h->awake_threads[at->unit] != at->thread) {
		awake_runs(h->awake, at->unit, at->thread, at->now_ps);
		if (at->unit < h->cpu_units)
			cpu_runs(h->cpu, at->unit, true);
	}
	if (c->counts != counts)
		cost_of(of, counts, c);
	host_account_hook(h, at);
}

/* What hangs on what at a site. */
static const struct cpu_flow *flow_of(struct host *h, const struct thread_site *site, const uint16_t *counts)
{
	struct flow *f;

	if (likely(!h->flows))
		return NULL;
	f = &h->flows[(uintptr_t)counts / 4 % COSTS];
	if (unlikely(f->counts != counts))
		flow_make(&h->cpu_costs, site, counts, f);
	return &f->flow;
}

/* As cpu_pass, of an NDP's core. */
static uint64_t pass_near(struct host *h, uint32_t unit, uint64_t units)
{
	uint64_t *ahead = &h->near_ahead_units[unit - h->cpu_units], ps, rest;

	if (units <= *ahead) {
		*ahead -= units;
		return 0;
	}
	ps = base_divide(units - *ahead + h->per_ps - 1, &h->by_per_ps, &rest);
	*ahead += ps * h->per_ps - units;
	return ps;
}

static inline uint64_t pass_cpu(struct host *h, const struct thread_at *at, const uint16_t *counts,
				const struct cost *c)
{
	uint64_t ps;

	if (likely(!h->flows))
		return cpu_pass(h->cpu, at->unit, at->now_ps, c->instructions, c->units, NULL);
	ps = cpu_pass(h->cpu, at->unit, at->now_ps, c->instructions, c->units, flow_of(h, at->site, counts));
	come_back_if_new(h); /* what waited for values may have begun */
	return ps;
}

/* A site's counts do not change. */
static uint64_t compute(void *self, const struct thread_at *at, const uint16_t *counts)
{
	struct host *h = self;
	const bool is_near = at->unit >= h->cpu_units;
	struct costs *of = is_near ? &h->near_costs : &h->cpu_costs;
	struct cost *c = &of->sites[(uintptr_t)counts / 4 % COSTS];
	uint64_t ps;

	if (unlikely(at->now_ps >= h->look_ps || h->awake_threads[at->unit] != at->thread || c->counts != counts ||
		     h->account != NULL))
		prepare(h, at, of, counts, c);
	*of->instructions += c->instructions;
	if (is_near)
		ps = pass_near(h, at->unit, c->units);
	else
		ps = pass_cpu(h, at, counts, c);
	if (unlikely(h->account != NULL))
		cpu_account_until(h->account, at->unit, CPU_PART_COMPUTE, (at->now_ps + ps) * h->per_ps);
	return ps;
}

/* Of an NDP core's cache. NULL: its access is no hit that is one whatever others do before others_ps. */
static inline __attribute__((always_inline)) void *hit_as(struct host *h, const struct thread_at *at,
							  uint64_t others_ps, uint64_t address, void *bytes,
							  uint32_t size, bool is_write)
{
	struct channel_hit hit;

	if (unlikely(h->readers != NULL)) {
		note_reader(h, at);
		bytes_before_hit(h->bytes, at->unit, address, bytes, size, is_write);
	}
	if (!channel_ahead(h->near, at->unit - h->cpu_units, at->now_ps, others_ps, address, size,
			   is_write ? CPU_WRITE : CPU_READ, &hit))
		return NULL;
	return h->bytes ? bytes_hit(h->bytes, at->unit, &hit, address, bytes, size, is_write) : bytes;
}

static void *hit(struct host *h, const struct thread_at *at, uint64_t others_ps, uint64_t address, void *bytes,
		 uint32_t size, enum thread_kind kind)
{
	if (kind == THREAD_READ)
		return hit_as(h, at, others_ps, address, bytes, size, false);
	return kind == THREAD_WRITE ? hit_as(h, at, others_ps, address, bytes, size, true) : NULL;
}

/* The program's bytes of a line that comes: others go on before it needs them. */
static inline void fetch_line(void *bytes, uint64_t line_bytes)
{
	char *first = (char *)((uintptr_t)bytes & -line_bytes);

	for (uint64_t i = 0; i < line_bytes; i += HOST_LINE_BYTES)
		__builtin_prefetch(first + i);
}

static inline bool is_free(const struct host *h, uint64_t address)
{
	return h->params->stack == CPU_STACK_FREE &&
	       address - THREAD_STACKS_BEGIN < THREAD_STACKS_END - THREAD_STACKS_BEGIN;
}

static struct thread_answer cpu_model_access(void *self, const struct thread_at *at, uint64_t address, void *bytes,
					     uint32_t size, enum thread_kind kind)
{
	static const enum cpu_op ops[THREAD_KIND_COUNT] = {
	    [THREAD_READ] = CPU_READ,
	    [THREAD_WRITE] = CPU_WRITE,
	    [THREAD_ATOMIC_READ] = CPU_READ,
	    [THREAD_ATOMIC_WRITE] = CPU_RELEASE,
	    [THREAD_RMW] = CPU_ATOMIC,
	    [THREAD_CMPXCHG] = CPU_COMPARE,
	    [THREAD_PREFETCH] = CPU_PREFETCH,
	};
	struct host *h = self;
	uint64_t done;
	void *hit_bytes;

	if (unlikely(at->now_ps >= h->look_ps))
		look(h, at, true);
	if (!size || is_free(h, address))
		return (struct thread_answer){at->now_ps, bytes};
	/* What the machine had to do until now it has done. */
	if (h->model.machine.ahead_ps && at->unit >= h->cpu_units) {
		hit_bytes = hit(h, at, at->now_ps, address, bytes, size, kind);
		if (hit_bytes)
			return (struct thread_answer){at->now_ps, hit_bytes};
	}
	host_account_hook(h, at);
	host_run_until(h, at->now_ps);
	h->waiting[at->unit] = (struct waiting){at->thread, bytes};
	if (unlikely(h->readers != NULL))
		note_reader(h, at);
	if (h->bytes)
		bytes_begin(h->bytes, at->unit, address, bytes, size, ops[kind]);
	if (at->unit < h->cpu_units)
		done = cpu_access(h->cpu, at->unit, at->now_ps, address, size, ops[kind], at->site->use,
				  flow_of(h, at->site, at->site->counts));
	else
		done = channel_access(h->near, at->unit - h->cpu_units, at->now_ps, address, size, ops[kind]);
	if (h->bytes) {
		bytes_taken(h->bytes, at->unit, done == CPU_WAITS);
		if (done != CPU_WAITS)
			bytes = bytes_of(h->bytes, at->unit);
	}
	if (done == CPU_WAITS)
		fetch_line(bytes, at->unit < h->cpu_units ? h->params->line_bytes : h->near_params->access_bytes);
	come_back_if_new(h);
	account_done(h, at, done);
	return (struct thread_answer){done == CPU_WAITS ? THREAD_WAITS : done, bytes};
}

static void *access_ahead(void *self, const struct thread_at *at, uint64_t others_ps, uint64_t address, void *bytes,
			  uint32_t size, enum thread_kind kind)
{
	struct host *h = self;

	if (at->now_ps >= h->look_ps || !size || is_free(h, address))
		return NULL;
	return hit(h, at, others_ps, address, bytes, size, kind);
}

static uint64_t fence(void *self, const struct thread_at *at)
{
	struct host *h = self;
	uint64_t done;

	host_account_hook(h, at);
	h->waiting[at->unit] = (struct waiting){at->thread, NULL};
	if (at->unit < h->cpu_units)
		done = cpu_fence(h->cpu, at->unit, at->now_ps);
	else
		done = channel_fence(h->near, at->unit - h->cpu_units, at->now_ps);
	account_done(h, at, done);
	return done == CPU_WAITS ? THREAD_WAITS : done;
}

static void note(void *self, const struct thread_at *at, enum thread_event event, uint64_t value)
{
	struct host *h = self;

	(void)value;
	if (h->bytes && (event == THREAD_WAKE || event == THREAD_CREATE))
		bytes_tell(h->bytes, at->unit);
	if (event != THREAD_WAIT && event != THREAD_END)
		return;
	if (at->unit < h->cpu_units && h->awake_threads[at->unit] == at->thread)
		cpu_runs(h->cpu, at->unit, false);
	awake_rests(h->awake, at->unit, at->thread, at->now_ps);
	if (unlikely(h->account != NULL))
		account_rest(h, at, event);
}

/* Of threads of OpenMP regions: see channel.place. */
static uint32_t unit_for(void *self, const struct thread_place *place)
{
	const struct host *h = self;
	const uint32_t cores = (uint32_t)h->near_params->core_count, ndps = (uint32_t)h->near_params->ndp_count;

	if (!place->level || h->near_params->place == CHANNEL_PLACE_CPU)
		return THREAD_UNIT_ANY;
	if (h->near_params->place == CHANNEL_PLACE_FLAT)
		return h->cpu_units + place->thread % (cores * ndps);
	if (place->level == 1)
		return h->cpu_units + place->thread % ndps * cores;
	return h->cpu_units + place->team % ndps * cores + place->thread % cores;
}

static void set_costs(struct host *h, const struct cpu_params *p)
{
	const struct channel_params *n = h->near_params;
	const bool is_hardware = machine_hdl_params(&h->session.config);
	const uint32_t ndps = n && !is_hardware ? (uint32_t)n->ndp_count : 0;

	costs_of_cpu(&h->cpu_costs, p, cpu_cycle_units(h->cpu), &h->stats->instructions);
	if (p->core_model == CPU_CORE_OUT_OF_ORDER) {
		costs_are_of_window(&h->cpu_costs);
		h->flows = g_new0(struct flow, COSTS);
	}
	h->cpu_units = cpu_unit_count(p);
	if (n)
		costs_of_ndp(&h->near_costs, n, channel_cycle_units(h->near),
			     &channel_system_stats(h->near)->instructions);
	h->model = (struct thread_model){
	    .machine = {.unit_count = h->cpu_units + ndps * (n ? (uint32_t)n->core_count : 0),
			.cpu_unit_count = h->cpu_units,
			.ndp_count = ndps,
			.accelerator_count = is_hardware ? (uint32_t)n->ndp_count : 0,
			.processor_count =
			    n && n->place == CHANNEL_PLACE_FLAT ? (uint32_t)(n->ndp_count * n->core_count) : 0,
			.node_count = p->placement != CPU_PLACE_LINE ? cpu_place_count(p) : 0,
			.quantum_ps = 0,
			.line_bytes = (uint32_t)p->line_bytes,
			.page_bytes = p->page_bytes,
			.wants_unmodelled = true,
			.slice_ps = p->slice_ps,
			.system_call_ps = p->system_call_ps,
			.wake_ps = p->wake_ps,
			.create_ps = p->create_ps,
			.ends_before_calls = p->core_model == CPU_CORE_OUT_OF_ORDER,
			.ahead_ps = ndps && n->cache_bytes ? n->core_link_ps : 0},
	    .self = h,
	    .compute = compute,
	    .access = cpu_model_access,
	    .ahead = access_ahead,
	    .fence = fence,
	    .advance = advance,
	    .event = note,
	    .ask = host_answer,
	    .unit_for = n ? unit_for : NULL,
	    .stuck = stuck,
	    .end = end,
	};
}

/* An account is of the order of time, and so is which chance a planted mistake takes. */
static bool is_ordered(const struct host *h)
{
	return h->account || h->params->fault != CPU_FAULT_NONE ||
	       (h->near_params &&
		(h->near_params->fault != COH_FAULT_NONE || h->near_params->item_fault != CHANNEL_ITEM_NONE));
}

static bool open_machine(struct host *h, struct base_diag_list *diag)
{
	const struct cpu_params *p;

	if (!machine_session_load(&h->session, diag))
		return false;
	p = machine_cpu_params(&h->session.config);
	if (!p) {
		machine_message("error: machine '%s' has no processors", h->session.machine);
		return false;
	}
	h->run = (struct machine_run){.session = &h->session,
				      .name = h->session.machine,
				      .host = machine_host_params(&h->session.config),
				      .params = machine_run_params(&h->session.config)};
	h->run.machine = machine_new(&h->session.config, h->run.params->audit, diag);
	if (!h->run.machine)
		return false;
	machine_session_claim(&h->session);
	machine_session_use_threads(&h->session, NULL);
	h->run.kernels = machine_kernels_new(1);
	h->cpu = machine_cpu(h->run.machine);
	h->stats = cpu_system_stats(h->cpu);
	h->near = machine_channel(h->run.machine);
	h->near_params = machine_channel_params(&h->session.config);
	h->engine = h->run.machine->ctx.engine;
	h->per_ps = sim_units_per_ps(h->engine);
	h->by_per_ps = base_divisor_of(h->per_ps);
	h->reset = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	h->params = p;
	h->limit_ps = h->run.params->timeout_simulated_ps ? h->run.params->timeout_simulated_ps : UINT64_MAX;
	h->live = machine_live_new(h->session.live_path, h->session.machine, h->session.program);
	h->look_step_ps = 1;
	h->looked_ns = h->told_ns = machine_live_now_ns();
	h->told_units = SIM_NEVER;
	set_costs(h, p);
	h->waiting = g_new0(struct waiting, h->model.machine.unit_count);
	h->near_ahead_units = g_new0(uint64_t, h->model.machine.unit_count - h->cpu_units);
	h->awake = awake_new(h->model.machine.unit_count, h->cpu_units, (uint32_t)p->core_count, &h->stats->awake_ps,
			     h->near ? &channel_system_stats(h->near)->awake_ps : NULL, cpu_system_spans(h->cpu));
	h->awake_threads = awake_threads(h->awake);
	for (uint32_t unit = 0; unit < h->cpu_units; unit++)
		cpu_runs(h->cpu, unit, false); /* none has begun */
	h->sampler = cpu_system_sampler(h->cpu);
	if (h->sampler)
		sim_sampler_begin(h->sampler, 0);
	h->account = cpu_system_account_of(h->cpu);
	h->places = h->account ? g_ptr_array_new() : NULL;
	if (is_ordered(h))
		h->model.machine.ahead_ps = 0;
	h->between = g_malloc(h->model.machine.unit_count);
	memset(h->between, CPU_PART_NONE, h->model.machine.unit_count);
	return true;
}

__attribute__((visibility("default"))) thread_model_make strata_thread_model;
struct thread_model *strata_thread_model(const struct thread_runtime *runtime, const char *options)
{
	struct host *h = g_new0(struct host, 1);
	struct cpu_user user = {.answer = answer, .full = full, .self = h};
	struct base_diag_list diag;
	bool is_open;

	(void)options;
	base_diag_init(&diag);
	is_open = open_machine(h, &diag);
	machine_print_diag(&diag);
	base_diag_free(&diag);
	if (!is_open)
		return NULL;
	h->runtime = runtime;
	if (h->params->values != CPU_VALUES_NONE) {
		h->bytes = bytes_new(h->cpu, h->params, h->near_params);
		user.observe = observe;
		user.moved = moved;
	}
	if (h->params->values == CPU_VALUES_BYTES) {
		user.make = make;
		h->readers = g_new0(const void *, h->model.machine.unit_count);
	}
	cpu_system_connect(h->cpu, &user);
	if (h->bytes && h->near) {
		const struct channel_observer observer = {.see = see, .moved = moved_near, .ahead = ahead, .self = h};

		channel_system_observe(h->near, &observer);
	}
	if (machine_hdl(h->run.machine)) {
		h->accelerators =
			accelerators_new(machine_hdl(h->run.machine), h->session.design_path, h->bytes,
					 (struct accelerator_user){fail_for_design, resume_for_message, h});
		if (!h->accelerators)
			return NULL;
	}
	return &h->model;
}
