/* experiments.c - experiments as runs of the sweep's runner, and what came of them. */
#include "cli/experiments.h"

#include "cli/keep.h"
#include "cli/machines.h"
#include "cli/options.h"
#include "cli/sweep_runs.h"
#include "cli/workloads.h"
#include "experiment/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char command[] = "reproduce";

enum status { IS_OK, IS_OUTSIDE, IS_ABSENT, STATUSES };
static const char *const statuses[STATUSES] = {"ok", "outside", "absent"};

/* One experiment that was asked for. */
struct row {
	const struct reproduce_experiment *of;
	uint32_t first_run;			/* of its sides, in their order */
	const struct experiment_expression *is; /* of its runs; NULL: it has none */
	double measured;			/* per cent; NAN: not known */
	char *why;				/* it is not known */
};

struct work {
	const struct cli_experiments *e;
	GPtrArray *workloads;
	GArray *rows; /* struct row */
	struct experiment runs;
	struct experiment_names *names;
	struct sweep_plan plan;
	struct cli_sweep sweep;
	struct row *row; /* whose number is computed */
	uint32_t had_count, done_count; /* distinct runs, before and now */
};

/* ---- which ---- */

static bool is_of(const struct reproduce_experiment *x, const char *id)
{
	return g_strv_contains((const char *const *)x->ids, id);
}

static bool is_asked(const struct cli_experiments *e, const struct reproduce_experiment *x)
{
	for (uint32_t i = 0; i < e->ids->len; i++)
		if (is_of(x, e->ids->pdata[i]))
			return true;
	return !e->ids->len;
}

static void unknown(const struct cli_experiments *e, const struct reproduce_published_set *published, const char *id)
{
	guint count;
	g_autofree gpointer *names = g_hash_table_get_keys_as_array(published->experiments, &count);
	const char *nearest = base_nearest_name(id, (const char *const *)names, count);

	if (!count)
		cli_error("%s: %s has no experiments", command, e->name);
	else if (nearest)
		cli_error("%s: %s has no experiment of '%s'; did you mean '%s'?", command, e->name, id, nearest);
	else
		cli_error("%s: %s has no experiment of '%s'; without ids all of them run", command, e->name, id);
}

static bool ids_check(const struct cli_experiments *e, const struct reproduce_published_set *published)
{
	for (uint32_t i = 0; i < e->ids->len; i++) {
		if (!g_hash_table_contains(published->experiments, e->ids->pdata[i])) {
			unknown(e, published, e->ids->pdata[i]);
			return false;
		}
	}
	if (!e->ids->len && !published->experiment_rows->len) {
		unknown(e, published, "");
		return false;
	}
	return true;
}

/* ---- their runs ---- */

static void blame(const struct reproduce_experiment *x, const char *what)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	base_diag_error(&diag, x->at, "%s", what);
	cli_diag_print(&diag);
	base_diag_free(&diag);
}

/* The settings of a side. The second machine may read none of the change, which is left out of it; all else that is
 * set must be read. Free the array. */
static GPtrArray *sets_of(const struct cli_paths *paths, const struct reproduce_side_run *side, bool is_second)
{
	const uint32_t needed = is_second ? side->own_count : side->sets->len;
	struct cli_shared shared;
	GPtrArray *read;

	cli_shared_init(&shared, true);
	read = cli_shared_of(&shared, paths, side->machine, side->sets);
	cli_shared_free(&shared);
	for (uint32_t i = 0; i < needed; i++) {
		if (g_ptr_array_find(read, side->sets->pdata[i], NULL))
			continue;
		g_ptr_array_unref(read); /* loading the machine with all of them says why not */
		return g_ptr_array_ref(side->sets);
	}
	return read;
}

static char *joined(const GPtrArray *words)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < words->len; i++)
		g_string_append_printf(text, "%s%s", i ? " " : "", (const char *)words->pdata[i]);
	return g_string_free(text, FALSE);
}

static void run_add(struct work *w, const struct row *row, const struct reproduce_side_run *side, char *sets)
{
	struct experiment_run *run = g_new0(struct experiment_run, 1);
	g_auto(GStrv) words = g_strsplit(side->program, " ", 2);

	run->id = g_strdup_printf("run_%u", w->runs.runs ? w->runs.runs->len : 0);
	run->name = g_strdup(run->id);
	run->machine = g_strdup(side->machine);
	run->program = g_strdup(words[0]);
	run->arguments = g_strdup(words[1] ? words[1] : "");
	run->sets = sets;
	run->at = row->of->at;
	experiment_add(&w->runs, run);
	sweep_plan_add(&w->plan, run);
}

/* False after a message: there is no such program. One that is not built is why the row has no number. */
static bool program_check(const struct work *w, struct row *row, const char *program)
{
	g_auto(GStrv) words = g_strsplit(program, " ", 2);
	const struct cli_workload *workload = cli_workload_find(w->workloads, words[0]);
	const char *absent = workload ? cli_workload_absent(w->e->paths, workload) : NULL;

	if (!workload) {
		g_autofree char *what = cli_workload_unknown(w->workloads, words[0]);

		blame(row->of, what);
	} else if (absent && !row->why) {
		row->why = g_strdup_printf("%s is not built: %s", words[0], absent);
	}
	return workload != NULL;
}

/* False after a message: there is no such machine. */
static bool run_make(struct work *w, const struct row *row, const struct reproduce_side_run *side, bool is_second)
{
	g_autofree struct machine_session *session = g_new(struct machine_session, 1);
	g_autoptr(GPtrArray) sets = sets_of(w->e->paths, side, is_second);

	if (!cli_machine_load(w->e->paths, side->machine, sets, session)) {
		blame(row->of, "this experiment has no machine");
		return false;
	}
	run_add(w, row, side, joined(sets));
	return true;
}

/* The runs of a row, if all of their programs are there. */
static bool row_make(struct work *w, struct row *row)
{
	const uint32_t count = reproduce_experiment_side_count(row->of);
	struct reproduce_side_run sides[REPRODUCE_SIDES];
	bool is_ok = true;

	for (uint32_t i = 0; i < count; i++) {
		sides[i] = reproduce_experiment_side(row->of, i, w->e->folder);
		is_ok = is_ok && program_check(w, row, sides[i].program);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (is_ok && !row->why)
			is_ok = run_make(w, row, &sides[i], i >= REPRODUCE_OVER_WITHOUT);
		reproduce_side_run_free(&sides[i]);
	}
	return is_ok;
}

/* False after messages, one for each row that cannot be. */
static bool rows_make(struct work *w, const struct reproduce_published_set *published)
{
	bool is_ok = true;

	for (uint32_t i = 0; i < published->experiment_rows->len; i++) {
		struct row row = {.of = published->experiment_rows->pdata[i],
				  .first_run = w->runs.runs ? w->runs.runs->len : 0,
				  .measured = NAN};

		if (!is_asked(w->e, row.of))
			continue;
		is_ok = row_make(w, &row) && is_ok;
		g_array_append_val(w->rows, row);
	}
	return is_ok;
}

/* Reads what is computed of the runs. False after messages. */
static bool expressions_read(struct work *w)
{
	struct base_diag_list diag;
	bool is_ok;

	if (!w->runs.runs)
		return true;
	base_diag_init(&diag);
	w->names = experiment_names_new(&w->runs, NULL, w->e->folder);
	for (uint32_t i = 0; i < w->rows->len; i++) {
		struct row *row = &g_array_index(w->rows, struct row, i);
		char *names[REPRODUCE_SIDES];

		if (row->why)
			continue;
		for (uint32_t side = 0; side < reproduce_experiment_side_count(row->of); side++)
			names[side] = ((struct experiment_run *)w->runs.runs->pdata[row->first_run + side])->id;

		g_autofree char *text = reproduce_experiment_expression(row->of, names);

		row->is = experiment_expression_of(w->names, text, row->of->at, &diag);
		if (row->is)
			experiment_check(w->names, row->is, 0, &diag);
	}
	is_ok = !diag.error_count;
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_ok;
}

/* ---- what came of them ---- */

/* A field of a run; without it the row says why. */
static double field(void *ctx, uint32_t run, const char *path, struct base_place at, bool is_needed)
{
	static const char *const sides[REPRODUCE_SIDES] = {"the run without the change", "the run with the change",
							   "the second machine's without the change",
							   "the second machine's with the change"};
	struct work *w = ctx;
	json_t *results = cli_sweep_results(&w->sweep, run), *result = json_array_get(results, 0);
	const char *reason = json_string_value(json_object_get(result, "not_verified"));
	const char *side = sides[run - w->row->first_run];
	double x = NAN;

	(void)at, (void)is_needed;
	if (!w->row->why && !json_is_true(json_object_get(result, "verified")))
		w->row->why = g_strdup_printf("%s is not verified: %s", side, reason ? reason : "it is not there");
	else if (!w->row->why && !reproduce_result_field(result, path, &x))
		w->row->why = g_strdup_printf("%s has no number %s", side, path);
	json_decref(results);
	return w->row->why ? NAN : x;
}

static void measure(struct work *w)
{
	for (uint32_t i = 0; i < w->rows->len; i++) {
		w->row = &g_array_index(w->rows, struct row, i);
		if (w->row->is)
			w->row->measured = experiment_number(w->names, w->row->is, 0, field, w);
		if (!isfinite(w->row->measured) && !w->row->why)
			w->row->why = g_strdup_printf("%s is 0 where it is divided by", w->row->of->of);
	}
}

static enum status status_of(const struct row *row)
{
	if (row->why)
		return IS_ABSENT;
	return row->measured >= row->of->least && row->measured <= row->of->most ? IS_OK : IS_OUTSIDE;
}

static void row_print(FILE *out, const struct row *row)
{
	const struct reproduce_experiment *x = row->of;
	g_autofree char *ids = g_strjoinv(", ", x->ids);
	g_autofree char *band = g_strdup_printf("%g to %g %%", x->least, x->most);
	g_autofree char *measured = row->why ? g_strdup("-  ") : g_strdup_printf("%+.1f %%", row->measured);

	fprintf(out, "%-8s %10s  %-16s  %s: %s, %s, %s: %s%s%s", statuses[status_of(row)], measured, band, ids,
		x->machine, x->program, x->change, x->of, *x->over ? " over " : "", x->over);
	if (row->why)
		fprintf(out, " [%s]", row->why);
	fputc('\n', out);
}

static int print(FILE *out, const struct work *w)
{
	uint32_t counts[STATUSES] = {0};

	fprintf(out, "%-8s %10s  %-16s  %s\n", "status", "measured", "expected",
		"ids: machine, program, change of its command line: number, which changes by so much");
	for (uint32_t i = 0; i < w->rows->len; i++) {
		const struct row *row = &g_array_index(w->rows, struct row, i);

		row_print(out, row);
		counts[status_of(row)]++;
	}
	fprintf(out, "\n%s: %u experiments: %u ok, %u outside, %u absent; %u runs done now, %u were there\n",
		w->e->name, w->rows->len, counts[IS_OK], counts[IS_OUTSIDE], counts[IS_ABSENT],
		w->done_count - w->had_count, w->had_count);
	return counts[IS_OK] == w->rows->len ? CLI_OK : CLI_FAILED;
}

static json_t *row_json(const struct row *row)
{
	const struct reproduce_experiment *x = row->of;
	json_t *ids = json_array();

	for (char **id = x->ids; *id; id++)
		json_array_append_new(ids, json_string(*id));
	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:o, s:f, s:f, s:o, s:s, s:o}", "ids", ids, "machine", x->machine,
			 "program", x->program, "change", x->change, "of", x->of, "over",
			 *x->over ? json_string(x->over) : json_null(), "least", x->least, "most", x->most, "measured",
			 row->why ? json_null() : json_real(row->measured), "status", statuses[status_of(row)], "note",
			 json_string(row->why ? row->why : ""));
}

static bool json_write(const struct work *w)
{
	json_t *array = json_array();
	bool is_written;

	for (uint32_t i = 0; i < w->rows->len; i++)
		json_array_append_new(array, row_json(&g_array_index(w->rows, struct row, i)));
	is_written = cli_json_keep(w->e->json, array);
	json_decref(array);
	return is_written;
}

/* ---- the whole ---- */

/* Distinct runs that are done. */
static uint32_t done_count(const struct cli_sweep *s)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (uint32_t run = 0; run < s->keys->len; run++)
		if (cli_sweep_is_done(s, run))
			g_hash_table_add(seen, s->keys->pdata[run]);
	return g_hash_table_size(seen);
}

static int runs_do(struct work *w)
{
	int exit_status;

	if (!cli_sweep_prepare(&w->sweep))
		return CLI_USAGE;
	if (!cli_sweep_files_check(&w->sweep))
		return CLI_UNABLE;
	cli_sweep_forget_unverified(&w->sweep);
	w->had_count = done_count(&w->sweep);
	exit_status = cli_sweep_run(&w->sweep, 0, 1);
	w->done_count = done_count(&w->sweep);
	if (exit_status == CLI_INTERRUPTED)
		cli_error("interrupted: what has ended is kept in %s; the same command goes on from there", w->e->dir);
	return exit_status;
}

static int all_do(struct work *w)
{
	int exit_status = runs_do(w);

	if (exit_status != CLI_OK)
		return exit_status;
	measure(w);
	exit_status = print(stdout, w);
	return json_write(w) ? exit_status : CLI_UNABLE;
}

static void work_free(struct work *w)
{
	for (uint32_t i = 0; i < w->rows->len; i++)
		g_free(g_array_index(w->rows, struct row, i).why);
	g_array_free(w->rows, TRUE);
	cli_sweep_free(&w->sweep);
	sweep_plan_free(&w->plan);
	if (w->names)
		experiment_names_free(w->names);
	experiment_free(&w->runs);
	cli_workloads_free(w->workloads);
}

int cli_experiments_run(const struct cli_experiments *e, const struct reproduce_published_set *published)
{
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	struct work w = {.e = e};
	int exit_status = CLI_USAGE;

	if (!ids_check(e, published))
		return CLI_USAGE;
	w.workloads = cli_workloads_read(e->paths);
	w.rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	sweep_plan_init(&w.plan);
	w.sweep = (struct cli_sweep){.paths = e->paths,
				     .command = command,
				     .plan = &w.plan,
				     .sets = none,
				     .dir = e->dir,
				     .slots = e->slots,
				     .threads = e->threads};
	if (rows_make(&w, published) && expressions_read(&w))
		exit_status = all_do(&w);
	work_free(&w);
	return exit_status;
}
