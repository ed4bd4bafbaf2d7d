/* bench.c - strata bench: families of programs at every level of near-data processing that has a form of them. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/batch.h"
#include "cli/families.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "cli/timeout.h"
#include "report/bench.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "bench",
    .usage = "strata bench [--machines A,B,...] [options] FAMILY...",
    .summary =
	"Runs an algorithm in its forms (CUDA, OpenACC, OpenMP, Verilog, programs of the coprocessor), which have\n"
	"the same input, at every level of near-data processing that runs one of them, and prints a table of each:\n"
	"time of the kernels and of the whole program, energy of the parts that all count, bytes by wire, and why.\n"
	"`strata list families` prints the families. A pair that cannot run says why in its row. Each run is in the\n"
	"run store as soon as it has ended.",
    .examples = "  strata bench hotspot bfs\n"
		"  strata bench --machines channel-cpu,gpu-server,duality --json rows.json lud",
};

enum { SLOTS_MAX = 4096 };

struct bench_options {
	const char *machines, *json, *size, *jobs, *timeout, *threads;
	GPtrArray *sets;
	bool is_resumed, is_sampled;
	uint32_t slots, thread_count;
};

/* A machine of --machines, or one of a set that is named there. */
struct chosen {
	char *name;
	uint32_t level;	  /* its place among cli_levels; cli_level_count: none of these */
	bool is_of_a_set; /* what it runs no form of is left out without a word */
};

/* A form on a machine, and its job if it can run. */
struct pair {
	const struct cli_family_form *form;
	struct cli_level level;
	struct machine_session session;
	GPtrArray *targets; /* one, or none */
	bool is_in_full; /* though it was to be sampled */
	char *not_run;
	struct cli_job *job;
};

struct bench {
	const struct bench_options *options;
	const struct cli_paths *paths;
	struct cli_families families;
	GPtrArray *names; /* struct chosen *, of --machines; none: the levels' own */
	GPtrArray *pairs; /* struct pair * */
	struct cli_shared shared;
	struct cli_batch batch;
	char *dir; /* scratch */
	uint32_t reused_count;
	bool is_kept;
};

static void pair_free(void *of)
{
	struct pair *p = of;

	cli_targets_free(p->targets);
	g_free(p->not_run);
	g_free(p);
}

/* ---- families that were asked for ---- */

static void family_unknown(const struct bench *b, const char *name)
{
	g_autofree const char **names = g_new0(const char *, b->families.forms->len + 1);

	for (uint32_t i = 0; i < b->families.forms->len; i++)
		names[i] = ((struct cli_family_form *)b->families.forms->pdata[i])->family;

	const char *nearest = base_nearest_name(name, names, b->families.forms->len);

	if (nearest)
		cli_error("bench: no family '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("bench: no family '%s'; `strata list families` prints them", name);
}

static bool has_family(const struct bench *b, const char *name)
{
	for (uint32_t i = 0; i < b->families.forms->len; i++)
		if (!strcmp(((struct cli_family_form *)b->families.forms->pdata[i])->family, name))
			return true;
	return false;
}

static bool families_check(const struct bench *b, const GPtrArray *words)
{
	if (!words->len) {
		cli_error("bench: expected a family; `strata list families` prints them");
		return false;
	}
	for (uint32_t i = 0; i < words->len; i++) {
		if (!has_family(b, words->pdata[i])) {
			family_unknown(b, words->pdata[i]);
			return false;
		}
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(words->pdata[i], words->pdata[k])) {
				cli_error("bench: the family '%s' is given twice", (const char *)words->pdata[i]);
				return false;
			}
	}
	return true;
}

/* ---- pairs ---- */

/* A machine that has no mode without timing cannot be sampled, and takes each program in full. */
static void sample(const struct bench *b, const char *name, GPtrArray *sets, bool *is_in_full)
{
	static const char sampled[] = "run.mode=sampled";

	*is_in_full = false;
	if (!b->options->is_sampled)
		return;
	g_ptr_array_insert(sets, 0, (gpointer)sampled);
	*is_in_full = !cli_machine_is_legal(b->paths, name, sets);
	if (*is_in_full)
		g_ptr_array_remove_index(sets, 0);
}

/* Of the level, of the form, and then the user's, which may say something else. */
static bool machine_make(struct bench *b, const char *name, const struct cli_level *level,
			 const struct cli_family_form *form, struct machine_session *out, bool *is_in_full)
{
	g_autoptr(GPtrArray) sets = g_ptr_array_new();
	g_auto(GStrv) own = g_strsplit(level && level->set ? level->set : "", " ", -1);

	for (char **set = own; *set; set++)
		g_ptr_array_add(sets, *set);
	for (char **set = form ? form->sets : NULL; set && *set; set++)
		g_ptr_array_add(sets, *set);
	for (uint32_t i = 0; i < b->options->sets->len; i++)
		g_ptr_array_add(sets, b->options->sets->pdata[i]);

	g_autoptr(GPtrArray) read = cli_shared_of(&b->shared, b->paths, name, sets);

	sample(b, name, read, is_in_full);
	return cli_machine_load(b->paths, name, read, out);
}

static bool target_make(const struct bench *b, struct pair *p)
{
	const bool is_paper = b->options->size && !strcmp(b->options->size, "paper");
	const char *absent = cli_workload_absent(b->paths, p->form->program);
	g_autoptr(GPtrArray) words = g_ptr_array_new();

	if (absent) {
		p->not_run = g_strdup_printf("%s is not built: %s", p->form->workload, absent);
		return true;
	}
	g_ptr_array_add(words, p->form->workload);
	if (!cli_targets_resolve(b->paths, about.name, words, NULL, NULL, p->targets))
		return false;
	cli_target_arguments_add(p->targets->pdata[0], p->form->arguments[is_paper]);
	return true;
}

/* False after a message, of a mistake of the user's. */
static bool pair_add(struct bench *b, const struct cli_family_form *form, const struct cli_level *level,
		     const char *machine)
{
	struct pair *p = g_new0(struct pair, 1);

	*p = (struct pair){.form = form, .level = *level, .targets = g_ptr_array_new()};
	g_ptr_array_add(b->pairs, p);
	if (!machine_make(b, machine, level, form, &p->session, &p->is_in_full)) {
		g_autofree char *shown = cli_name_shown(machine);

		g_strlcpy(p->session.machine, shown, sizeof(p->session.machine));
		p->not_run = g_strdup("there is no such machine with these settings here, see the message");
		return !b->names->len && !b->options->sets->len;
	}
	return target_make(b, p);
}

/* The forms of a family that the level runs, on the machine. False after a message. */
static bool level_add(struct bench *b, const char *family, const struct cli_level *level, const char *machine,
		      uint32_t *count)
{
	for (uint32_t i = 0; i < b->families.forms->len; i++) {
		const struct cli_family_form *form = b->families.forms->pdata[i];

		if (strcmp(form->family, family) != 0 || !cli_level_runs(level, form))
			continue;
		if (!pair_add(b, form, level, machine))
			return false;
		++*count;
	}
	return true;
}

static bool machine_add(struct bench *b, const char *family, const struct chosen *chosen, uint32_t *count)
{
	const char *machine = chosen->name;
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);
	struct cli_level level = {.name = NULL};
	uint32_t own_count = 0;
	bool is_in_full;

	if (!machine_make(b, machine, NULL, NULL, session, &is_in_full))
		return false;
	if (cli_level_of(&session->config, &level) && !level_add(b, family, &level, machine, &own_count))
		return false;
	if (!own_count && !chosen->is_of_a_set)
		cli_error("bench: %s has no form that '%s' runs, of level %s; left out", family, session->machine,
			  level.name ? level.name : "none");
	*count += own_count;
	return true;
}

static bool family_add(struct bench *b, const char *family)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->names->len; i++)
		if (!machine_add(b, family, b->names->pdata[i], &count))
			return false;
	for (uint32_t i = 0; !b->names->len && i < cli_level_count; i++)
		if (!level_add(b, family, &cli_levels[i], cli_levels[i].machine, &count))
			return false;
	if (!count)
		cli_error("bench: nothing runs a form of %s", family);
	return count;
}

/* ---- machines that were asked for ---- */

static void chosen_free(void *of)
{
	struct chosen *c = of;

	g_free(c->name);
	g_free(c);
}

static void name_add(GPtrArray *to, const char *name, uint32_t level, bool is_of_a_set)
{
	struct chosen *c = g_new0(struct chosen, 1);

	*c = (struct chosen){.name = g_strdup(name), .level = level, .is_of_a_set = is_of_a_set};
	g_ptr_array_add(to, c);
}

static gint by_level(gconstpointer a, gconstpointer b)
{
	const struct chosen *first = *(struct chosen *const *)a, *second = *(struct chosen *const *)b;

	return first->level == second->level ? strcmp(first->name, second->name)
					     : (first->level > second->level) - (first->level < second->level);
}

static uint32_t level_of(const struct bench *b, const char *name)
{
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	struct cli_level level;
	uint32_t i = 0;

	if (!cli_machine_load(b->paths, name, none, session) || !cli_level_of(&session->config, &level))
		return cli_level_count;
	while (i < cli_level_count && strcmp(cli_levels[i].name, level.name) != 0)
		i++;
	return i;
}

/* What is no machine stands for all machines whose names begin so, with a '-' behind it, in the order of levels. */
static void set_add(struct bench *b, const char *name)
{
	g_auto(GStrv) all = sim_description_names(&b->paths->machines);
	g_autofree char *begin = g_strconcat(name, "-", NULL);
	g_autoptr(GPtrArray) set = g_ptr_array_new();

	for (char **one = all; *one && !g_strv_contains((const char *const *)all, name); one++)
		if (g_str_has_prefix(*one, begin))
			name_add(set, *one, level_of(b, *one), true);
	g_ptr_array_sort(set, by_level);
	if (!set->len)
		name_add(b->names, name, 0, false);
	for (uint32_t i = 0; i < set->len; i++)
		g_ptr_array_add(b->names, set->pdata[i]);
}

static bool are_different(const struct bench *b)
{
	for (uint32_t i = 0; i < b->names->len; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct chosen *one = b->names->pdata[i], *other = b->names->pdata[k];

			if (!strcmp(one->name, other->name)) {
				cli_error("bench: the machine '%s' is given twice in --machines", one->name);
				return false;
			}
		}
	return true;
}

static bool machines_find(struct bench *b)
{
	g_auto(GStrv) names = g_strsplit(b->options->machines ? b->options->machines : "", ",", -1);

	for (char **name = names; *name; name++) {
		if (!**name) {
			cli_error("bench: empty name in --machines; write --machines A,B");
			return false;
		}
		set_add(b, *name);
	}
	return are_different(b);
}

/* ---- jobs ---- */

static bool job_make(struct bench *b, struct pair *p, const struct cli_models *models)
{
	struct cli_job *job = &b->batch.jobs[b->batch.job_count];

	*job = (struct cli_job){.target = p->targets->pdata[0], .machine = &p->session, .is_captured = true};
	p->not_run = cli_job_why_not(job);
	if (p->not_run)
		return true;
	p->job = job;
	job->run_key = cli_run_key(job, models);
	b->batch.job_count++;
	if (b->options->is_resumed && cli_job_reuse(job)) {
		b->reused_count++;
		return true;
	}
	return cli_job_prepare(job, b->dir, b->batch.job_count - 1);
}

static bool jobs_make(struct bench *b)
{
	struct cli_models models = cli_models_read(b->paths);
	bool is_ok = true;

	b->batch.jobs = g_new0(struct cli_job, b->pairs->len + 1);
	for (uint32_t i = 0; is_ok && i < b->pairs->len; i++) {
		struct pair *p = b->pairs->pdata[i];

		is_ok = p->not_run || job_make(b, p, &models);
	}
	cli_models_free(&models);
	return is_ok;
}

static void keep(void *ctx, struct cli_job *job)
{
	struct bench *b = ctx;

	if (!cli_runs_keep(job->results))
		b->is_kept = false;
}

/* ---- results ---- */

static const char *why_not_run(const struct pair *p)
{
	if (p->not_run)
		return p->not_run;
	if (!cli_job_is_finished(p->job))
		return "interrupted";
	if (report_is_untimed(p->job->result))
		return "nothing of it was timed";
	return report_has_run(p->job->result) ? NULL : "it has no results";
}

/* Rows of a family are behind each other. */
static json_t *family_rows(const struct bench *b, const char *family, const json_t **runs)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < b->pairs->len; i++) {
		const struct pair *p = b->pairs->pdata[i];
		const struct report_bench_pair pair = {.family = family,
						       .form = p->form->form,
						       .level = p->level.name,
						       .machine = p->session.machine,
						       .time = p->form->time,
						       .is_in_full = p->is_in_full,
						       .run = p->job && p->job->result ? p->job->result : NULL,
						       .not_run = why_not_run(p)};

		if (strcmp(p->form->family, family) != 0)
			continue;
		runs[json_array_size(rows)] = pair.run;
		json_array_append_new(rows, report_bench_row(&pair));
	}
	return rows;
}

/* False: its forms are not of one input. */
static bool family_finish(const struct bench *b, const char *family, json_t *all, bool is_first)
{
	g_autofree const json_t **runs = g_new0(const json_t *, b->pairs->len + 1);
	json_t *rows = family_rows(b, family, runs);
	g_autofree char *differs = report_bench_finish(rows, runs);

	if (!is_first)
		putchar('\n');
	report_bench_print(stdout, rows);
	if (differs)
		printf("these rows are not of the same input: %s\n", differs);
	json_array_extend(all, rows);
	json_decref(rows);
	return !differs;
}

static bool are_verified(const struct bench *b)
{
	for (uint32_t i = 0; i < b->batch.job_count; i++)
		if (cli_job_not_verified(&b->batch.jobs[i]))
			return false;
	return true;
}

static int finish(struct bench *b, const GPtrArray *words)
{
	json_t *all = json_array();
	bool is_one_input = true;

	for (uint32_t i = 0; i < words->len; i++)
		is_one_input = family_finish(b, words->pdata[i], all, !i) && is_one_input;
	b->is_kept = cli_json_keep(b->options->json, all) && b->is_kept;
	json_decref(all);
	fflush(stdout);
	if (b->reused_count)
		cli_error("%u of %u runs were in the store", b->reused_count, b->batch.job_count);
	if (b->batch.is_interrupted) {
		cli_error("interrupted: what has run is kept; --resume goes on from there");
		return CLI_INTERRUPTED;
	}
	if (b->batch.exit_status != CLI_OK)
		return b->batch.exit_status;
	if (!b->is_kept)
		return CLI_UNABLE;
	return is_one_input && are_verified(b) ? CLI_OK : CLI_FAILED;
}

static int run_all(struct bench *b, const GPtrArray *words)
{
	int exit_status = CLI_UNABLE;

	b->dir = cli_scratch_make();
	if (!b->dir)
		return CLI_UNABLE;
	b->batch = (struct cli_batch){
	    .paths = b->paths,
	    .done = keep,
	    .ctx = b,
	    .slots = b->options->slots,
	    .threads = b->options->thread_count,
	};
	b->is_kept = true;
	if (jobs_make(b)) {
		cli_batch_run(&b->batch);
		exit_status = finish(b, words);
	}
	for (uint32_t i = 0; i < b->batch.job_count; i++)
		cli_job_free(&b->batch.jobs[i]);
	g_free(b->batch.jobs);
	cli_scratch_remove(b->dir);
	return exit_status;
}

/* ---- the command line ---- */

static bool values_parse(struct bench_options *o)
{
	if (o->size && strcmp(o->size, "small") != 0 && strcmp(o->size, "paper") != 0) {
		cli_error("bench: bad --size '%s', expected small or paper", o->size);
		return false;
	}
	return cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots) &&
	       cli_threads_divide(about.name, o->threads, &o->thread_count, &o->slots) &&
	       cli_timeout_add(about.name, o->timeout, o->sets) && cli_output_check(about.name, "json", o->json);
}

static bool pairs_make(struct bench *b, const GPtrArray *words)
{
	for (uint32_t i = 0; i < words->len; i++)
		if (!family_add(b, words->pdata[i]))
			return false;
	return cli_shared_check(&b->shared, about.name);
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct bench_options *o = ctx;
	struct bench b = {.options = o, .paths = paths};
	int exit_status = CLI_USAGE;

	if (words->program) {
		cli_error("bench: a family, no program after '--'; workloads/families.list, or the file that "
			  "STRATA_FAMILIES names, declares them");
		return CLI_USAGE;
	}
	b.pairs = g_ptr_array_new_with_free_func(pair_free);
	b.names = g_ptr_array_new_with_free_func(chosen_free);
	cli_shared_init(&b.shared, false);
	if (cli_families_read(paths, &b.families) && families_check(&b, words->words) && values_parse(o) &&
	    machines_find(&b) && pairs_make(&b, words->words) && cli_store_check(about.name))
		exit_status = run_all(&b, words->words);
	g_ptr_array_free(b.pairs, TRUE);
	g_ptr_array_free(b.names, TRUE);
	cli_shared_free(&b.shared);
	cli_families_free(&b.families);
	return exit_status;
}

int cli_bench(int argc, char **argv)
{
	struct bench_options o = {0};
	const struct cli_option options[] = {
	    {"machines", CLI_TEXT, &o.machines, "A,B,...",
	     "these machines, at the level that each is of; what is no machine stands for all machines A-...: one, "
	     "bench (default: a machine for each level)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter on all machines; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "the input's size: small (default) or paper", 0},
	    {"sampled", CLI_FLAG, &o.is_sampled, NULL,
	     "time parts of kernels, and estimate the rest, on machines that can: their times have an error", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    CLI_THREADS_OPTION(&o.threads),
	    {"resume", CLI_FLAG, &o.is_resumed, NULL, "take runs from the store that are there, verified", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all rows there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
