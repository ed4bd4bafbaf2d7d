/* advise_walk.c - the recording of advise_walk.h, walked. */
#include "report/advise_walk.h"

#include "report/rows.h"
#include "threads/trace.h"

#include <glib.h>
#include <string.h>

enum { CLAIM_BYTES = 128, CACHE_LINES_MAX = 64 }; /* what an NDP-AP has, and locks; of a core's cache */
enum { STRETCHES = 4096 };			  /* of the threads' time, in which what is shared has sums */

/* ---- the machine ---- */

struct costs {
	uint32_t ndp_count, core_count; /* cores of an NDP */
	double cycle_s, class_s[THREAD_CLASS_COUNT];
	uint64_t line_bytes, page_bytes;
	uint32_t cache_lines, point_lines;
	double link_s, local_s, remote_s, miss_s; /* there and back; an access; what the NDP-AP lacks takes more */
	double call_s, wake_s, fault_s;
	double point, down, up, memory; /* bytes a second: the NDP-AP; of one channel, of one memory */
	double message_bytes;
};

static const enum sim_reckoned class_cycles[THREAD_CLASS_COUNT] = {
#define THREAD_CLASS(name, cycles, text) [THREAD_CLASS_##name] = SIM_RECKONED_ndp_##name##_cycles,
#include "threads/classes.def"
#undef THREAD_CLASS
};

static void ways_find(struct costs *c, const json_t *m)
{
	const double memory_s = report_reckoned(m, SIM_RECKONED_memory_s);

	c->link_s = report_reckoned(m, SIM_RECKONED_ndp_link_s);
	c->local_s = c->link_s + report_reckoned(m, SIM_RECKONED_ndp_translation_s) +
		     report_reckoned(m, SIM_RECKONED_ndp_directory_s) + memory_s;
	c->remote_s = c->link_s + 2 * report_reckoned(m, SIM_RECKONED_ndp_message_s) +
		      report_reckoned(m, SIM_RECKONED_point_s) + (double)c->line_bytes / c->down;
	c->miss_s = report_reckoned(m, SIM_RECKONED_point_bus_s) + 2 * report_reckoned(m, SIM_RECKONED_channel_s) +
		    memory_s + CLAIM_BYTES / c->up;
}

static void costs_find(struct costs *c, const json_t *m)
{
	*c = (struct costs){.ndp_count = (uint32_t)report_reckoned(m, SIM_RECKONED_ndps),
			    .core_count = (uint32_t)report_reckoned(m, SIM_RECKONED_ndp_cores),
			    .cycle_s = report_reckoned(m, SIM_RECKONED_ndp_cycle_s),
			    .line_bytes = (uint64_t)report_reckoned(m, SIM_RECKONED_access_bytes),
			    .page_bytes = (uint64_t)report_reckoned(m, SIM_RECKONED_page_bytes),
			    .call_s = report_reckoned(m, SIM_RECKONED_call_s),
			    .wake_s = report_reckoned(m, SIM_RECKONED_wake_s),
			    .fault_s = report_reckoned(m, SIM_RECKONED_fault_s),
			    .point = report_reckoned(m, SIM_RECKONED_point_bytes_per_s),
			    .down = report_reckoned(m, SIM_RECKONED_down_bytes_per_s),
			    .up = report_reckoned(m, SIM_RECKONED_up_bytes_per_s),
			    .memory = report_reckoned(m, SIM_RECKONED_memory_bytes_per_s),
			    .message_bytes = report_reckoned(m, SIM_RECKONED_message_bytes)};
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		c->class_s[i] = report_reckoned(m, class_cycles[i]) * c->cycle_s;
	c->cache_lines = MIN((uint32_t)(report_reckoned(m, SIM_RECKONED_ndp_cache_bytes) / (double)c->line_bytes),
			     CACHE_LINES_MAX);
	c->point_lines = MAX((uint32_t)(report_reckoned(m, SIM_RECKONED_point_bytes) / CLAIM_BYTES), 1);
	ways_find(c, m);
}

/* ---- what threads share ---- */

/* Seconds that one of it works at its full rate: in all, and in each stretch of the threads' time. */
struct shared {
	double all_s, in_s[STRETCHES];
};

/* The NDP-AP; then of each NDP the channel down and up, and the memory. */
enum shared_kind { POINT, DOWN, UP, MEMORY, SHARED_KINDS };

struct demand {
	struct shared *shared;
	uint32_t ndp_count;
	double stretch_s; /* how long one is */
};

static uint32_t shared_count(uint32_t ndp_count)
{
	return 1 + (SHARED_KINDS - 1) * ndp_count;
}

static struct shared *shared_of(const struct demand *d, enum shared_kind kind, uint32_t ndp)
{
	return &d->shared[kind == POINT ? 0 : 1 + (kind - 1) * d->ndp_count + ndp];
}

/* Two stretches become one, until there is one for that time. */
static void stretches_reach(struct demand *d, double clock_s)
{
	while (clock_s >= d->stretch_s * STRETCHES) {
		for (uint32_t i = 0; i < shared_count(d->ndp_count); i++) {
			double *in_s = d->shared[i].in_s;

			for (uint32_t k = 0; k < STRETCHES / 2; k++)
				in_s[k] = in_s[2 * k] + in_s[2 * k + 1];
			memset(in_s + STRETCHES / 2, 0, STRETCHES / 2 * sizeof(*in_s));
		}
		d->stretch_s *= 2;
	}
}

static void demand_add(struct demand *d, enum shared_kind kind, uint32_t ndp, double clock_s, double work_s)
{
	struct shared *s = shared_of(d, kind, ndp);

	stretches_reach(d, clock_s);
	s->all_s += work_s;
	s->in_s[(uint32_t)(clock_s / d->stretch_s)] += work_s;
}

/* The most that one of this kind has to do in all. */
static double demand_most(const struct demand *d, enum shared_kind kind)
{
	double most = 0;

	for (uint32_t ndp = 0; ndp < (kind == POINT ? 1 : d->ndp_count); ndp++)
		most = MAX(most, shared_of(d, kind, ndp)->all_s);
	return most;
}

/* By how much longer the threads take than they would alone: in each stretch they wait for what has more to do than
 * the stretch is long, and go on by themselves where nothing has. */
static double demand_waiting(const struct demand *d)
{
	double all = 0;

	for (uint32_t k = 0; k < STRETCHES; k++) {
		double most = 0;

		for (uint32_t i = 0; i < shared_count(d->ndp_count); i++)
			most = MAX(most, d->shared[i].in_s[k]);
		all += MAX(most - d->stretch_s, 0);
	}
	return all;
}

/* ---- the walk ---- */

struct lane {
	double clock_s;
	uint64_t lines[CACHE_LINES_MAX]; /* of its core's cache, the latest first */
	uint32_t line_count;
	uint64_t waits_for; /* address of a word */
	bool is_awake;
};

struct walk {
	struct costs c;
	GArray *lanes;	   /* struct lane, by thread */
	GHashTable *homes; /* page -> its NDP + 1 */
	GHashTable *wakes; /* address -> double *: when it was woken last */
	GHashTable *changes; /* line of CLAIM_BYTES -> how many accesses changed it */
	uint64_t *point;     /* the NDP-AP's cache, directly mapped: line + 1 */
	struct demand demand;
	uint64_t most_changes;
	uint32_t awake_count, next_home;
	struct report_advise_walk *out;
};

static struct lane *lane_of(struct walk *w, uint32_t thread)
{
	if (thread >= w->lanes->len)
		g_array_set_size(w->lanes, thread + 1);
	return &g_array_index(w->lanes, struct lane, thread);
}

static uint32_t ndp_of(const struct walk *w, uint32_t thread)
{
	return MIN(thread / w->c.core_count, w->c.ndp_count - 1);
}

static void awake_set(struct walk *w, uint32_t thread, bool is_awake)
{
	struct lane *l = lane_of(w, thread);

	if (l->is_awake != is_awake)
		w->awake_count += is_awake ? 1 : -1U;
	l->is_awake = is_awake;
}

/* A page is behind the channel whose NDP touches it first; those of the program's first thread go round. */
static uint32_t home_of(struct walk *w, uint32_t thread, uint64_t address, bool *is_new)
{
	gpointer key = GSIZE_TO_POINTER(address / w->c.page_bytes);
	uint32_t home = GPOINTER_TO_UINT(g_hash_table_lookup(w->homes, key));

	*is_new = !home;
	if (!home) {
		home = 1 + (thread ? ndp_of(w, thread) : w->next_home++ % w->c.ndp_count);
		g_hash_table_insert(w->homes, key, GUINT_TO_POINTER(home));
	}
	return home - 1;
}

/* Is it among the latest ones? It is the latest afterwards. */
static bool touch(const struct walk *w, struct lane *l, uint64_t line)
{
	uint32_t at = 0;
	bool is_there;

	while (at < l->line_count && l->lines[at] != line)
		at++;
	is_there = at < l->line_count;
	if (!is_there && l->line_count < w->c.cache_lines)
		l->line_count++;
	if (!l->line_count)
		return false;
	at = MIN(at, l->line_count - 1);
	memmove(l->lines + 1, l->lines, at * sizeof(l->lines[0]));
	l->lines[0] = line;
	return is_there;
}

static bool changes(enum thread_kind kind)
{
	return kind != THREAD_READ && kind != THREAD_ATOMIC_READ && kind != THREAD_PREFETCH;
}

static bool is_exchange(enum thread_kind kind)
{
	return kind == THREAD_RMW || kind == THREAD_CMPXCHG;
}

static void change(struct walk *w, uint64_t claimed)
{
	gpointer key = GSIZE_TO_POINTER(claimed);
	const gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(w->changes, key)) + 1;

	g_hash_table_insert(w->changes, key, GSIZE_TO_POINTER(count));
	w->most_changes = MAX(w->most_changes, count);
}

/* Seconds. A message goes up for it, and one of the NDP-AP to the NDP brings a line's bytes: of a read, or of the lock
 * of what is changed. */
static double remote(struct walk *w, double now_s, uint32_t ndp, uint32_t home, uint64_t line,
		     enum thread_kind kind)
{
	const uint64_t claimed = line * w->c.line_bytes / CLAIM_BYTES;
	uint64_t *kept = &w->point[claimed % w->c.point_lines];
	const double bytes = (double)w->c.line_bytes;
	double time_s = w->c.remote_s;

	w->out->remote++;
	demand_add(&w->demand, UP, ndp, now_s, w->c.message_bytes / w->c.up);
	demand_add(&w->demand, DOWN, ndp, now_s, bytes / w->c.down);
	demand_add(&w->demand, POINT, 0, now_s, bytes / w->c.point);
	if (changes(kind))
		change(w, claimed);
	if (*kept != claimed + 1) {
		*kept = claimed + 1;
		demand_add(&w->demand, UP, home, now_s, CLAIM_BYTES / w->c.up);
		time_s += w->c.miss_s;
	}
	/* The thread goes on when its store is under way. */
	return changes(kind) && !is_exchange(kind) ? w->c.link_s : time_s + (is_exchange(kind) ? w->c.link_s : 0);
}

static double local(struct walk *w, double now_s, uint32_t ndp, bool is_there, enum thread_kind kind)
{
	if (is_there && !changes(kind)) {
		w->out->hits++;
		return 0;
	}
	demand_add(&w->demand, MEMORY, ndp, now_s, (double)w->c.line_bytes / w->c.memory);
	return changes(kind) && !is_exchange(kind) ? w->c.link_s : w->c.local_s;
}

static void access_line(struct walk *w, struct lane *l, uint32_t thread, uint32_t home, uint64_t line,
			enum thread_kind kind)
{
	const uint32_t ndp = ndp_of(w, thread);

	w->out->accesses++;
	if (home != ndp)
		l->clock_s += remote(w, l->clock_s, ndp, home, line, kind);
	else
		l->clock_s += local(w, l->clock_s, ndp, touch(w, l, line), kind);
}

/* The program's first thread is on the CPU while no other one is awake: its time there is known from the run. */
static bool is_on_cpu(const struct walk *w, uint32_t thread)
{
	return !thread && w->awake_count <= 1;
}

static void touch_memory(struct walk *w, const struct thread_record *r)
{
	const uint64_t first = r->address / w->c.line_bytes,
		       last = (r->address + MAX(r->bytes, 1) - 1) / w->c.line_bytes;
	struct lane *l = lane_of(w, r->thread);
	bool is_new;
	const uint32_t home = home_of(w, r->thread, r->address, &is_new);

	if (is_on_cpu(w, r->thread) || r->access == THREAD_PREFETCH)
		return;
	l->clock_s += is_new ? w->c.fault_s : 0;
	for (uint64_t line = first; line <= last; line++)
		access_line(w, l, r->thread, home, line, r->access);
}

static void wake(struct walk *w, double now_s, uint64_t address)
{
	double *at = g_hash_table_lookup(w->wakes, GSIZE_TO_POINTER(address));

	if (!at) {
		at = g_new(double, 1);
		g_hash_table_insert(w->wakes, GSIZE_TO_POINTER(address), at);
	}
	*at = now_s;
}

static void event(struct walk *w, const struct thread_record *r)
{
	struct lane *l = lane_of(w, r->thread);
	const double *woken;

	switch (r->event) {
	case THREAD_CREATE:
		l->clock_s += w->c.call_s;
		awake_set(w, (uint32_t)r->value, true); /* lanes may move */
		lane_of(w, (uint32_t)r->value)->clock_s = lane_of(w, r->thread)->clock_s;
		return;
	case THREAD_END:
		awake_set(w, r->thread, false);
		return;
	case THREAD_WAIT:
		l->clock_s += w->c.call_s;
		l->waits_for = r->value;
		awake_set(w, r->thread, false);
		return;
	case THREAD_RESUME:
		woken = g_hash_table_lookup(w->wakes, GSIZE_TO_POINTER(l->waits_for));
		l->clock_s = MAX(l->clock_s, woken ? *woken + w->c.wake_s : 0);
		awake_set(w, r->thread, true);
		return;
	case THREAD_WAKE:
		l->clock_s += w->c.call_s;
		wake(w, l->clock_s, r->value);
		return;
	case THREAD_EVENT_COUNT:
		return;
	}
}

static void record(struct walk *w, const struct thread_record *r)
{
	struct lane *l = lane_of(w, r->thread);

	for (uint32_t i = 0; !is_on_cpu(w, r->thread) && i < THREAD_CLASS_COUNT; i++)
		l->clock_s += (double)r->counts[i] * w->c.class_s[i];
	if (r->kind == THREAD_RECORD_ACCESS)
		touch_memory(w, r);
	else if (r->kind == THREAD_RECORD_EVENT)
		event(w, r);
}

/* ---- the whole ---- */

static void sum_up(struct walk *w)
{
	for (guint i = 0; i < w->lanes->len; i++)
		w->out->threads_s = MAX(w->out->threads_s, g_array_index(w->lanes, struct lane, i).clock_s);
	w->out->line_s = (double)w->most_changes * w->c.remote_s;
	w->out->point_s = demand_most(&w->demand, POINT);
	w->out->down_s = demand_most(&w->demand, DOWN);
	w->out->up_s = demand_most(&w->demand, UP);
	w->out->memory_s = demand_most(&w->demand, MEMORY);
	w->out->shared_s = w->out->threads_s + demand_waiting(&w->demand);
}

static void walk_new(struct walk *w, const json_t *ndps, struct report_advise_walk *out)
{
	*out = (struct report_advise_walk){0};
	*w = (struct walk){.out = out};
	costs_find(&w->c, ndps);
	w->lanes = g_array_new(FALSE, TRUE, sizeof(struct lane));
	w->homes = g_hash_table_new(NULL, NULL);
	w->wakes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	w->changes = g_hash_table_new(NULL, NULL);
	w->point = g_new0(uint64_t, w->c.point_lines);
	/* No finer than an access to another channel: what waits for less is under way beside others. */
	w->demand = (struct demand){.shared = g_new0(struct shared, shared_count(w->c.ndp_count)),
				    .ndp_count = w->c.ndp_count,
				    .stretch_s = w->c.remote_s + w->c.miss_s};
	awake_set(w, 0, true);
}

static void walk_free(struct walk *w)
{
	g_array_free(w->lanes, TRUE);
	g_hash_table_destroy(w->homes);
	g_hash_table_destroy(w->wakes);
	g_hash_table_destroy(w->changes);
	g_free(w->point);
	g_free(w->demand.shared);
}

bool report_advise_walk(const char *trace, const json_t *ndps, struct report_advise_walk *out, const char **why)
{
	struct thread_trace *t = thread_trace_open(trace, why);
	enum thread_trace_next next;
	struct thread_record r;
	struct walk w;

	if (!t)
		return false;
	walk_new(&w, ndps, out);
	while ((next = thread_trace_read(t, &r, why)) == THREAD_TRACE_RECORD)
		record(&w, &r);
	sum_up(&w);
	walk_free(&w);
	thread_trace_close(t);
	return next == THREAD_TRACE_DONE;
}
