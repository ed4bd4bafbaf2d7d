/* trace_spans.c - what a machine kept for its timeline, as trace events: CTAs on SMs and in caches, offloaded blocks in
 * stacks, pauses, threads on cores, moves of pages, and the DRAM commands of a window. Events of a row must not
 * overlap, so a track gets as many rows as it needs.
 */
#include "report/trace.h"

#include <glib.h>
#include <stdlib.h>

#include "report/report.h"

/* One entry of run.spans.*. */
struct span {
	double start_ps, end_ps;
	json_int_t track, name, count;
	bool is_several; /* it stands for some with different names */
	uint32_t lane;	 /* of its track, from 0 */
};

/* What the entries of a kind are, and how they are called. */
struct kind {
	const char *key, *process;
	int number; /* of the process */
	char *(*track_title)(const json_t *run, json_int_t track);
	char *(*title)(GHashTable *launches, const struct span *s);
};

/* ---- reading ---- */

static double parameter(const json_t *run, const char *key)
{
	return report_number(json_object_get(run, "params"), key, NULL);
}

static double column_item(const json_t *o, const char *column, size_t i)
{
	return json_number_value(json_array_get(json_object_get(o, column), i));
}

static int by_track_and_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return (x->end_ps > y->end_ps) - (x->end_ps < y->end_ps);
}

static GArray *spans_of(const json_t *columns)
{
	GArray *out = g_array_new(FALSE, FALSE, sizeof(struct span));

	for (size_t i = 0; i < json_array_size(json_object_get(columns, "track")); i++) {
		const struct span s = {
		    .start_ps = column_item(columns, "start_ps", i),
		    .end_ps = column_item(columns, "end_ps", i),
		    .track = (json_int_t)column_item(columns, "track", i),
		    .name = (json_int_t)column_item(columns, "name", i),
		    .count = (json_int_t)column_item(columns, "count", i),
		    .is_several = json_is_null(json_array_get(json_object_get(columns, "name"), i)),
		};

		g_array_append_val(out, s);
	}
	if (out->len)
		qsort(out->data, out->len, sizeof(struct span), by_track_and_start);
	return out;
}

/* Each goes to the first lane of its track that is free. */
static void find_lanes(GArray *spans)
{
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(double)); /* of the last entry of each lane */

	for (guint i = 0; i < spans->len; i++) {
		struct span *s = &g_array_index(spans, struct span, i);

		if (i && s->track != s[-1].track)
			g_array_set_size(ends, 0);
		while (s->lane < ends->len && g_array_index(ends, double, s->lane) > s->start_ps)
			s->lane++;
		if (s->lane == ends->len)
			g_array_append_val(ends, s->end_ps);
		g_array_index(ends, double, s->lane) = s->end_ps;
	}
	g_array_free(ends, TRUE);
}

/* ---- titles ---- */

static char *sm_title(const json_t *run, json_int_t track)
{
	const json_int_t sm_count = (json_int_t)parameter(run, "gpu.sm_count");
	const json_int_t per_stack = (json_int_t)parameter(run, "gpu.stack_sm_count");

	if (track < sm_count || !per_stack)
		return g_strdup_printf("SM %lld", (long long)track);
	return g_strdup_printf("SM %lld, in stack %lld", (long long)track, (long long)((track - sm_count) / per_stack));
}

static char *stack_title(const json_t *run, json_int_t track)
{
	(void)run;
	return g_strdup_printf("stack %lld", (long long)track);
}

static char *pause_title(const json_t *run, json_int_t track)
{
	(void)run, (void)track;
	return g_strdup("all SMs");
}

/* Hardware threads of the processors, then cores of the NDPs, as struct machine's units are numbered. */
static char *unit_title(const json_t *run, json_int_t track)
{
	const json_int_t cores = (json_int_t)parameter(run, "cpu.core_count");
	const json_int_t threads = (json_int_t)parameter(run, "cpu.smt_count");
	const json_int_t near_cores = (json_int_t)parameter(run, "channel.core_count");
	const json_int_t near = track - cores * threads;

	if (near >= 0 && near_cores)
		return g_strdup_printf("NDP %lld core %lld", (long long)(near / near_cores),
				       (long long)(near % near_cores));
	if (threads <= 1 || !cores)
		return g_strdup_printf("core %lld", (long long)track);
	return g_strdup_printf("core %lld thread %lld", (long long)(track % cores), (long long)(track / cores));
}

static char *channel_title(const json_t *run, json_int_t track)
{
	(void)run;
	return g_strdup_printf("to channel %lld", (long long)track);
}

static char *control_block_title(const json_t *run, json_int_t track)
{
	const json_int_t slices =
	    (json_int_t)parameter(run, "duality.slice_count") * (json_int_t)parameter(run, "duality.socket_count");

	if (!slices)
		return g_strdup_printf("control block %lld", (long long)track);
	return g_strdup_printf("slice %lld, control block %lld", (long long)(track % slices),
			       (long long)(track / slices));
}

static char *thread_name(GHashTable *launches, const struct span *s)
{
	(void)launches;
	if (s->is_several)
		return g_strdup_printf("%lld turns of several threads", (long long)s->count);
	if (s->count > 1)
		return g_strdup_printf("thread %lld, %lld turns", (long long)s->name, (long long)s->count);
	return g_strdup_printf("thread %lld", (long long)s->name);
}

static char *move_name(GHashTable *launches, const struct span *s)
{
	(void)launches;
	if (s->is_several)
		return g_strdup_printf("%lld pages from several channels", (long long)s->count);
	if (s->count > 1)
		return g_strdup_printf("%lld pages from channel %lld", (long long)s->count, (long long)s->name);
	return g_strdup_printf("a page from channel %lld", (long long)s->name);
}

static char *cta_name(GHashTable *launches, const struct span *s)
{
	const json_t *kernel = g_hash_table_lookup(launches, GSIZE_TO_POINTER((gsize)s->name));
	const char *title = json_string_value(json_object_get(kernel, "title"));

	if (!title)
		title = json_string_value(json_object_get(kernel, "name"));
	if (s->is_several)
		return g_strdup_printf("%lld CTAs of several kernels", (long long)s->count);
	if (!title)
		return g_strdup_printf("launch %lld", (long long)s->name);
	return s->count > 1 ? g_strdup_printf("%s, %lld CTAs", title, (long long)s->count) : g_strdup(title);
}

/* As many CTAs as the control block holds at once. */
static char *fill_name(GHashTable *launches, const struct span *s)
{
	struct span one = *s;
	g_autofree char *kernel = NULL;

	one.count = 1;
	if (s->is_several)
		return g_strdup_printf("%lld fillings by several kernels", (long long)s->count);
	kernel = cta_name(launches, &one);
	return s->count > 1 ? g_strdup_printf("%s, %lld fillings", kernel, (long long)s->count)
			    : g_steal_pointer(&kernel);
}

static char *block_name(GHashTable *launches, const struct span *s)
{
	(void)launches;
	if (s->is_several)
		return g_strdup_printf("%lld blocks of several lines", (long long)s->count);
	if (s->count > 1)
		return g_strdup_printf("%lld blocks at line %lld", (long long)s->count, (long long)s->name);
	return g_strdup_printf("block at line %lld", (long long)s->name);
}

static char *pause_name(GHashTable *launches, const struct span *s)
{
	(void)launches;
	return s->count > 1 ? g_strdup_printf("%lld pauses", (long long)s->count) : g_strdup("pages move");
}

static const struct kind kinds[] = {
    {"ctas", "CTAs", TRACE_PROCESS_CTAS, sm_title, cta_name},
    {"blocks", "offloaded blocks", TRACE_PROCESS_BLOCKS, stack_title, block_name},
    {"pauses", "pauses of the GPU", TRACE_PROCESS_PAUSES, pause_title, pause_name},
    {"threads", "threads on cores", TRACE_PROCESS_THREADS, unit_title, thread_name},
    {"control_blocks", "CTAs in caches", TRACE_PROCESS_CONTROL_BLOCKS, control_block_title, fill_name},
    {"moves", "moves of pages", TRACE_PROCESS_MOVES, channel_title, move_name},
};

/* ---- events ---- */

enum { LANES_MAX = 4096 }; /* more than there are warps of a stack: the row of lane l of track t is t * LANES_MAX + l */

static void add_kind(json_t *events, const struct kind *k, const json_t *run, GHashTable *launches)
{
	GArray *spans = spans_of(json_object_get(json_object_get(run, "spans"), k->key));
	json_int_t lanes_named = 0, track = -1;

	find_lanes(spans);
	if (spans->len)
		trace_add_name(events, "process_name", k->number, 0, k->process);
	for (guint i = 0; i < spans->len; i++) {
		const struct span *s = &g_array_index(spans, struct span, i);
		const json_int_t row = s->track * LANES_MAX + MIN(s->lane, LANES_MAX - 1);
		g_autofree char *title = k->title(launches, s), *track_title = k->track_title(run, s->track);

		if (s->track != track)
			lanes_named = 0;
		track = s->track;
		for (; lanes_named <= s->lane; lanes_named++)
			trace_add_name(events, "thread_name", k->number, track * LANES_MAX + lanes_named, track_title);
		trace_add_span(events, title, k->key, k->number, row, s->start_ps, s->end_ps,
			       json_pack("{s:I}", "count", s->count));
	}
	g_array_free(spans, TRUE);
}

enum { VAULTS_MAX = 64, BANKS_MAX = 64 }; /* of a stack, as dram.vault_count; of a vault, over its ranks */

/* Stack n of processors' memory is behind channel n modulo channel_count. */
static char *bank_title(const json_t *run, json_int_t stack, json_int_t vault, json_int_t bank)
{
	const json_int_t channels =
	    parameter(run, "cpu.core_count") > 0 ? (json_int_t)parameter(run, "cpu.channel_count") : 0;
	g_autofree char *channel = channels ? g_strdup_printf("channel %lld, ", (long long)(stack % channels)) : NULL;

	return g_strdup_printf("%sstack %lld vault %lld bank %lld", channel ? channel : "", (long long)stack,
			       (long long)vault, (long long)bank);
}

/* A row for each bank of each vault that had a command. */
static void add_commands(json_t *events, const json_t *run)
{
	const json_t *log = json_object_get(run, "dram_commands"), *names = json_object_get(log, "names");
	const double clock_ps = report_number(log, "clock_ps", NULL);
	GHashTable *named = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (size_t i = 0; i < json_array_size(json_object_get(log, "at_ps")); i++) {
		const json_int_t stack = (json_int_t)column_item(log, "stack", i),
				 vault = (json_int_t)column_item(log, "vault", i),
				 bank = (json_int_t)column_item(log, "bank", i);
		const size_t command = (size_t)column_item(log, "command", i);
		const gint64 row = (stack * VAULTS_MAX + vault) * BANKS_MAX + bank;
		const double at_ps = column_item(log, "at_ps", i);

		if (!g_hash_table_contains(named, &row)) {
			g_autofree char *title = bank_title(run, stack, vault, bank);

			if (!g_hash_table_size(named))
				trace_add_name(events, "process_name", TRACE_PROCESS_DRAM, 0, "DRAM commands");
			g_hash_table_add(named, g_memdup2(&row, sizeof(row)));
			trace_add_name(events, "thread_name", TRACE_PROCESS_DRAM, row, title);
		}
		trace_add_span(events, json_string_value(json_array_get(names, command)), "dram", TRACE_PROCESS_DRAM,
			       row, at_ps, at_ps + clock_ps, json_pack("{s:f}", "row", column_item(log, "row", i)));
	}
	g_hash_table_unref(named);
}

void trace_add_spans(json_t *events, const json_t *run, GHashTable *launches)
{
	for (uint32_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		add_kind(events, &kinds[i], run, launches);
	add_commands(events, run);
}
