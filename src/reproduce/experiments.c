/* experiments.c - a row of experiments.csv as two runs, or four, and an expression over them. */
#include "reproduce/experiments.h"

#include <string.h>

/* The fields of a row. */
enum { FIELD_IDS, FIELD_MACHINE, FIELD_PROGRAM, FIELD_CHANGE, FIELD_OF, FIELD_OVER, FIELD_LEAST, FIELD_MOST };

/* The words of a text, without empty ones. */
static char **words_of(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, " ", -1);
	GStrvBuilder *words = g_strv_builder_new();
	char **all;

	for (char **part = parts; *part; part++)
		if (**part)
			g_strv_builder_add(words, *part);
	all = g_strv_builder_end(words);
	g_strv_builder_unref(words);
	return all;
}

/* Applies settings to a run, and where it is a change also machines and a program, until their end; false at a word
 * that is none of these, which *wrong is. */
static bool options_apply(char **words, bool is_change, struct reproduce_side_run *run, const char **wrong)
{
	for (; *words; words += 2) {
		const char *value = words[1];

		*wrong = g_intern_string(*words);
		if (value && !strcmp(*words, "--set") && strchr(value, '=')) {
			g_ptr_array_add(run->sets, g_strdup(value));
		} else if (value && is_change && !strcmp(*words, "--machine")) {
			g_free(run->machine);
			run->machine = g_strdup(value);
		} else if (value && is_change && !strcmp(*words, "--")) {
			g_free(run->program);
			run->program = g_strjoinv(" ", words + 1);
			return true;
		} else {
			return false;
		}
	}
	return true;
}

static struct reproduce_side_run run_new(const char *program)
{
	return (struct reproduce_side_run){.program = g_strdup(program),
					   .sets = g_ptr_array_new_with_free_func(g_free)};
}

/* "M --set K=V" */
static bool machine_apply(const char *text, struct reproduce_side_run *run, const char **wrong)
{
	g_auto(GStrv) words = words_of(text);
	bool is_ok;

	run->machine = g_strdup(*words ? *words : "");
	is_ok = !*words || options_apply(words + 1, false, run, wrong);
	run->own_count = run->sets->len;
	return is_ok;
}

static bool change_apply(const char *text, struct reproduce_side_run *run, const char **wrong)
{
	g_auto(GStrv) words = words_of(text);

	return options_apply(words, true, run, wrong);
}

static double number_read(const char *text, struct base_place at, struct base_diag_list *diag)
{
	char *end;
	const double x = g_ascii_strtod(text, &end);

	if (end == text || *end)
		base_diag_error(diag, at, "'%s' is no number", text);
	return x;
}

/* Is the text a machine with settings, or a change? */
static void text_check(bool (*apply)(const char *, struct reproduce_side_run *, const char **), const char *text,
		       const char *expected, struct base_place at, struct base_diag_list *diag)
{
	struct reproduce_side_run run = run_new("");
	const char *wrong = "";

	if (!apply(text, &run, &wrong))
		base_diag_error(diag, at, "'%s' at '%s': expected %s", text, wrong, expected);
	reproduce_side_run_free(&run);
}

static void check(const struct reproduce_experiment *x, struct base_diag_list *diag)
{
	static const char of_machine[] = "a machine with settings, `M --set K=V`";

	if (!*x->machine)
		base_diag_error(diag, x->at, "expected %s", of_machine);
	text_check(machine_apply, x->machine, of_machine, x->at, diag);
	text_check(machine_apply, x->over, of_machine, x->at, diag);
	text_check(change_apply, x->change, "`--set K=V`, `--machine M` or `-- PROGRAM ARGUMENTS`", x->at, diag);
	if (!*x->program || !*x->change || !*x->of)
		base_diag_error(diag, x->at, "expected a program, a change and a field of the results");
	if (x->least > x->most)
		base_diag_error(diag, x->at, "a band goes up: from %g to %g %% does not", x->least, x->most);
}

struct reproduce_experiment *reproduce_experiment_read(char *const *fields, struct base_place at,
						       struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;
	struct reproduce_experiment *x = g_new0(struct reproduce_experiment, 1);

	*x = (struct reproduce_experiment){
	    .ids = g_strsplit(fields[FIELD_IDS], ",", -1),
	    .machine = g_strdup(fields[FIELD_MACHINE]),
	    .program = g_strdup(fields[FIELD_PROGRAM]),
	    .change = g_strdup(fields[FIELD_CHANGE]),
	    .of = g_strdup(fields[FIELD_OF]),
	    .over = g_strdup(fields[FIELD_OVER]),
	    .least = number_read(fields[FIELD_LEAST], at, diag),
	    .most = number_read(fields[FIELD_MOST], at, diag),
	    .at = {g_intern_string(at.file), at.line, at.col},
	};
	check(x, diag);
	if (diag->error_count == before)
		return x;
	reproduce_experiment_free(x);
	return NULL;
}

void reproduce_experiment_free(struct reproduce_experiment *x)
{
	g_strfreev(x->ids);
	g_free(x->machine);
	g_free(x->program);
	g_free(x->change);
	g_free(x->of);
	g_free(x->over);
	g_free(x);
}

uint32_t reproduce_experiment_side_count(const struct reproduce_experiment *x)
{
	return *x->over ? REPRODUCE_SIDES : REPRODUCE_OVER_WITHOUT;
}

/* A machine of a file is found from the paper's folder. */
static void machine_find(char **machine, const char *dir)
{
	char *found;

	if ((!strchr(*machine, '/') && !g_str_has_suffix(*machine, ".yaml")) || g_path_is_absolute(*machine))
		return;
	found = g_build_filename(dir, *machine, NULL);
	g_free(*machine);
	*machine = found;
}

struct reproduce_side_run reproduce_experiment_side(const struct reproduce_experiment *x, enum reproduce_side side,
						    const char *dir)
{
	struct reproduce_side_run run = run_new(x->program);
	const char *wrong;

	machine_apply(side < REPRODUCE_OVER_WITHOUT ? x->machine : x->over, &run, &wrong);
	if (side == REPRODUCE_WITH || side == REPRODUCE_OVER_WITH)
		change_apply(x->change, &run, &wrong);
	machine_find(&run.machine, dir);
	return run;
}

void reproduce_side_run_free(struct reproduce_side_run *run)
{
	g_free(run->machine);
	g_free(run->program);
	g_ptr_array_unref(run->sets);
}

/* The number of one run: a field, or one over another. */
static char *number_of(const struct reproduce_experiment *x, const char *run)
{
	g_auto(GStrv) fields = g_strsplit(x->of, "/", 2);

	return fields[1] ? g_strdup_printf("%s[%s] / %s[%s]", run, fields[0], run, fields[1])
			 : g_strdup_printf("%s[%s]", run, fields[0]);
}

/* The number that moves: of a side, over the second machine's where there is one. */
static char *moving(const struct reproduce_experiment *x, char *const *names, enum reproduce_side side)
{
	g_autofree char *own = number_of(x, names[side]);
	g_autofree char *other = *x->over ? number_of(x, names[side + REPRODUCE_OVER_WITHOUT]) : NULL;

	return other ? g_strdup_printf("(%s) / (%s)", own, other) : g_steal_pointer(&own);
}

char *reproduce_experiment_expression(const struct reproduce_experiment *x, char *const *names)
{
	g_autofree char *without = moving(x, names, REPRODUCE_WITHOUT);
	g_autofree char *with = moving(x, names, REPRODUCE_WITH);

	return g_strdup_printf("100 * ((%s) / (%s) - 1)", with, without);
}

/* Adds the numbers at a path below a value: names have dots as well, "stats" holds "gpu.cta_cycles", which holds "sum".
 * False: there is none. */
static bool path_add(const json_t *of, const char *path, double *x)
{
	const json_t *value = json_object_get(of, path);
	bool is_any = json_is_number(value);
	size_t i;

	if (json_is_array(of)) {
		json_array_foreach(of, i, value)
			is_any |= path_add(value, path, x);
		return is_any;
	}
	*x += json_number_value(value);
	for (const char *dot = strchr(path, '.'); !is_any && dot; dot = strchr(dot + 1, '.')) {
		g_autofree char *outer = g_strndup(path, (size_t)(dot - path));

		is_any = path_add(json_object_get(of, outer), dot + 1, x);
	}
	return is_any;
}

bool reproduce_result_field(const json_t *run, const char *path, double *x)
{
	*x = 0;
	return path_add(run, path, x);
}
