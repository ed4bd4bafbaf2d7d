/* cause.c - the experiment that is worth most, and what others say about findings. */
#include "report/cause.h"

#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, least_worth = 1.03;

/* ---- the cause ---- */

/* What an experiment is worth, of the measured time (the kernels') or of the program's. */
struct candidate {
	const json_t *row;
	double worth;
	bool is_of_program;
};

static double worth_of(const json_t *row, bool is_of_program)
{
	const double measured = report_number(row, "speedup", NULL), times = report_number(row, "times", NULL);

	if (is_of_program)
		return report_number(row, "program_speedup", NULL);
	/* With less of something it takes no longer: a program with more to do at a time would gain so much. */
	if (times > 0)
		return measured * least_worth >= 1 ? measured * times : 0;
	return measured;
}

/* Whose results are wrong where the run's are right has done something else. */
static bool is_as_right(const json_t *run, const json_t *row)
{
	return json_is_true(json_object_get(row, "verified")) || !json_is_true(json_object_get(run, "verified"));
}

/* The best of them that is worth something; row NULL: there is none. */
static struct candidate most_of(const json_t *run, const json_t *what_if, bool is_of_program, bool is_best)
{
	struct candidate found = {.worth = least_worth, .is_of_program = is_of_program};
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)what_if, i, row) {
		const double worth = worth_of(row, is_of_program);

		if (json_is_true(json_object_get(row, "is_best")) == is_best && worth >= found.worth &&
		    is_as_right(run, row)) {
			found.row = row;
			found.worth = worth;
		}
	}
	return found;
}

/* A bound of what could be gained is none where a part is worth something. */
static struct candidate most(const json_t *run, const json_t *what_if, bool is_of_program)
{
	const struct candidate part = most_of(run, what_if, is_of_program, false);

	return part.row ? part : most_of(run, what_if, is_of_program, true);
}

static const char *text(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

/* " --set A=1 --set B=2" of "A=1 B=2" */
static char *options_of(const char *setting)
{
	g_auto(GStrv) words = g_strsplit(setting ? setting : "", " ", -1);
	GString *out = g_string_new(NULL);

	for (char **word = words; *word; word++)
		if (**word)
			g_string_append_printf(out, " --set %s", *word);
	return g_string_free(out, FALSE);
}

static json_t *no_cause(const json_t *what_if)
{
	g_autofree char *sentence =
	    g_strdup_printf("there is no single cause: none of the %zu machines that were tried is worth more than "
			    "3 %%",
			    json_array_size(what_if));

	return json_pack("{s:n, s:n, s:n, s:s}", "name", "worth", "setting", "sentence", sentence);
}

static char *fewer_sentence(const json_t *row, double time_ps)
{
	return g_strdup_printf("the cause is %s: with %s the kernels take %.3f us, with all of them %.3f us: a "
			       "program with work for all would do up to %.0f times as much in that time",
			       text(row, "name"), text(row, "what"), report_number(row, "time_ps", NULL) / ps_per_us,
			       time_ps / ps_per_us, report_number(row, "times", NULL));
}

/* what: whose time it is, "the kernels take". */
static char *ideal_sentence(const struct candidate *c, const char *what, double time_ps)
{
	g_autofree char *options = options_of(text(c->row, "setting"));
	const bool is_best = json_is_true(json_object_get(c->row, "is_best"));

	return g_strdup_printf("the cause is %s%s: with %s %s %.3f us, not %.3f us: %.2fx;%s",
			       is_best ? "no part by itself, and at most " : "", text(c->row, "name"),
			       text(c->row, "what"), what, time_ps / c->worth / ps_per_us, time_ps / ps_per_us,
			       c->worth, options);
}

static json_t *cause_json(const json_t *run, const struct candidate *c, bool has_kernels)
{
	const double time_ps = report_number(run, c->is_of_program ? "total_time_ps" : "time_ps", NULL);
	const bool is_of_kernels = has_kernels && !c->is_of_program;
	g_autofree char *sentence =
	    report_has(c->row, "times", NULL)
		? fewer_sentence(c->row, time_ps)
		: ideal_sentence(c, is_of_kernels ? "the kernels take" : "the program takes", time_ps);

	return json_pack("{s:s, s:f, s:s, s:s, s:s, s:O, s:f, s:s}", "name", text(c->row, "name"), "worth", c->worth,
			 "setting", text(c->row, "setting"), "of", is_of_kernels ? "kernels" : "program", "what",
			 text(c->row, "what"), "is_best", json_object_get(c->row, "is_best"), "time_ps", time_ps,
			 "sentence", sentence);
}

json_t *report_cause(const json_t *run, const json_t *what_if)
{
	const bool has_kernels = json_is_object(json_object_get(run, "program"));
	const struct candidate measured = most(run, what_if, false);
	const struct candidate program = has_kernels ? most(run, what_if, true) : (struct candidate){.row = NULL};
	const double all_ps = report_number(run, "total_time_ps", NULL);
	/* Kernels in no time would be worth less. */
	const bool are_kernels_little = all_ps < least_worth * (all_ps - report_number(run, "time_ps", NULL));
	const bool is_program_first = program.row && (!measured.row || are_kernels_little);
	json_t *cause;

	if (!measured.row && !program.row)
		return no_cause(what_if);
	cause = cause_json(run, is_program_first ? &program : &measured, has_kernels);
	if (measured.row && program.row && measured.row != program.row)
		json_object_set_new(cause, "other",
				    cause_json(run, is_program_first ? &measured : &program, has_kernels));
	return cause;
}

/* ---- findings ---- */

static const json_t *experiment(const json_t *what_if, const char *name)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)what_if, i, row)
		if (!strcmp(text(row, "name"), name))
			return row;
	return NULL;
}

static void amend(json_t *findings, const char *sentence, const json_t *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(findings, i, one) {
		if (strcmp(json_string_value(one), sentence) != 0)
			continue;

		g_autofree char *amended =
		    g_strdup_printf("%s; but that is no cause: %s is worth %.2fx", sentence, text(row, "what"),
				    worth_of(row, false));

		json_array_set_new(findings, i, json_string(amended));
		return;
	}
}

void report_findings_try(const json_t *run, const struct machine_explain *rows, const json_t *what_if,
			 json_t *findings)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_finding *f = rows->items[i]->findings; f->when; f++) {
			const json_t *row = f->of ? experiment(what_if, f->of) : NULL;
			const bool is_contradicted = row && worth_of(row, false) < least_worth;
			g_autofree char *sentence = is_contradicted ? report_finding_sentence(run, f) : NULL;

			if (sentence)
				amend(findings, sentence, row);
		}
}
