/* families.c - reads the families of workloads; the levels, and which machine is of which. */
#include "cli/families.h"

#include "base/check.h"
#include "base/diag.h"
#include "cli/job.h"
#include "cli/message.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/csp.h"
#include "machine/hdl.h"
#include "machine/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels ---- */

static const char of_kernels[] = "cuda,openacc";
/* Without it nothing says what such a unit waits for; kernels always have their stalls. */
static const char account[] = "run.account=true";

const struct cli_level cli_levels[] = {
    {"cpu", "openmp", "channel-cpu", account},
    {"gpu", of_kernels, "bench-baseline", NULL},
    {"tom", of_kernels, "bench-tom", NULL},
    {"nsu", of_kernels, "bench-nsu", NULL},
    {"bom", of_kernels, "bench-bom", NULL},
    {"duality", of_kernels, "duality", NULL},
    {"channel-cores", "openmp", "channel-ndp", "channel.place=flat run.account=true"},
    {"channel-hardware", "verilog", "channel-hdl", account},
    {"csp", "csp", "csp-alpha", account},
};
const uint32_t cli_level_count = ARRAY_COUNT(cli_levels);

static bool is_listed(const char *words, const char *word)
{
	g_auto(GStrv) all = g_strsplit(words, ",", -1);

	return g_strv_contains((const char *const *)all, word);
}

bool cli_level_runs(const struct cli_level *level, const struct cli_family_form *form)
{
	return is_listed(level->forms, form->form) && (!form->levels || is_listed(form->levels, level->name));
}

static const struct cli_level *level_named(const char *name)
{
	for (uint32_t i = 0; i < cli_level_count; i++)
		if (!strcmp(cli_levels[i].name, name))
			return &cli_levels[i];
	return NULL;
}

/* A GPU's level is its mechanism, which may be one that nobody has a level for here. */
static struct cli_level level_of_gpu(const struct machine_config *c)
{
	const char *mechanism = ndp_mechanism_name((uint32_t)machine_ndp_site(c).ndp->choice.mechanism);
	const char *name = strcmp(mechanism, "none") ? mechanism : "gpu";
	const struct cli_level *level = level_named(name);

	return level ? *level : (struct cli_level){.name = name, .forms = of_kernels};
}

bool cli_level_of(const struct machine_config *c, struct cli_level *out)
{
	const char *name = NULL;

	if (machine_config_has_gpu(c)) {
		*out = level_of_gpu(c);
		return true;
	}
	if (machine_csp_config(c))
		name = "csp";
	else if (machine_cpu_params(c))
		name = machine_hdl_params(c) ? "channel-hardware" : machine_channel_params(c) ? "channel-cores" : "cpu";
	else if (machine_config_runs_kernels(c))
		name = "duality";
	if (name)
		*out = *level_named(name);
	return name;
}

/* ---- families ---- */

static void form_free(void *form)
{
	struct cli_family_form *f = form;

	g_free(f->family);
	g_free(f->form);
	g_free(f->workload);
	g_free(f->arguments[0]);
	g_free(f->arguments[1]);
	g_free(f->levels);
	g_free(f->time);
	g_strfreev(f->sets);
	g_free(f);
}

/* The form that a workload is one of. */
static const char *form_of(const struct cli_workload *w)
{
	if (w->part)
		return w->part->name;
	return w->is_of_threads ? "openmp" : w->is_openacc ? "openacc" : "cuda";
}

static const struct cli_workload *workload_find(const GPtrArray *workloads, const char *name)
{
	for (uint32_t i = 0; i < workloads->len; i++) {
		const struct cli_workload *w = workloads->pdata[i];

		if (!strcmp(w->name, name))
			return w;
	}
	return NULL;
}

/* A line that is being read. */
struct line {
	const struct cli_paths *paths;
	struct cli_families *families;
	struct base_diag_list *diag;
	struct base_place at; /* col: of the field that is looked at */
};

static void program_check(const struct line *l, const struct cli_family_form *f)
{
	static const char threads[] = "openmp";

	if (!f->program) {
		base_diag_error(l->diag, l->at, "no workload '%s'; `strata list workloads` prints them", f->workload);
		return;
	}

	const char *own = form_of(f->program);

	if (strcmp(own, f->form) != 0 && !(!strcmp(f->form, "verilog") && !strcmp(own, threads)))
		base_diag_error(l->diag, l->at, "%s is no %s program: it is one of %s", f->workload, f->form, own);
}

static void levels_check(const struct line *l, const struct cli_family_form *f)
{
	g_auto(GStrv) names = g_strsplit(f->levels ? f->levels : "", ",", -1);

	for (char **name = names; *name; name++)
		if (!level_named(*name))
			base_diag_error(l->diag, l->at, "no level '%s'", *name);
		else if (!cli_level_runs(level_named(*name), f))
			base_diag_error(l->diag, l->at, "level '%s' runs no %s program", *name, f->form);
}

/* Settings are for the machines of all levels that run the form: else a form would be found wanting when it runs. */
static void sets_check(const struct line *l, const struct cli_family_form *f)
{
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);
	g_autoptr(GPtrArray) sets = g_ptr_array_new();

	for (char **set = f->sets; *set; set++)
		g_ptr_array_add(sets, *set);
	for (uint32_t i = 0; i < cli_level_count; i++)
		if (cli_level_runs(&cli_levels[i], f) &&
		    !cli_machine_load(l->paths, cli_levels[i].machine, sets, session))
			base_diag_error(l->diag, l->at, "'%s' of level '%s' does not take these settings",
					cli_levels[i].machine, cli_levels[i].name);
}

static void key_take(const struct line *l, struct cli_family_form *f, const char *field)
{
	static const char *const keys[] = {"small", "paper", "levels", "set", "time"};
	const char *equals = strchr(field, '=');
	g_autofree char *key = g_strndup(field, equals ? (size_t)(equals - field) : strlen(field));

	if (!equals) {
		base_diag_error(l->diag, l->at, "expected KEY=VALUE, found '%s'", field);
	} else if (!strcmp(key, "small") || !strcmp(key, "paper")) {
		char **to = &f->arguments[!strcmp(key, "paper")];

		g_free(*to);
		*to = g_strdup(equals + 1);
	} else if (!strcmp(key, "levels")) {
		g_free(f->levels);
		f->levels = g_strdup(equals + 1);
		levels_check(l, f);
	} else if (!strcmp(key, "set")) {
		g_strfreev(f->sets);
		f->sets = g_strsplit(equals + 1, " ", -1);
	} else if (!strcmp(key, "time")) {
		g_free(f->time);
		f->time = g_strdup(equals + 1);
	} else {
		const char *nearest = base_nearest_name(key, keys, ARRAY_COUNT(keys));

		base_diag_error(l->diag, l->at, "no key '%s'%s%s%s", key, nearest ? "; did you mean '" : "",
				nearest ? nearest : "", nearest ? "'?" : "");
	}
}

static void form_take(struct line *l, char **fields)
{
	struct cli_family_form *f = g_new0(struct cli_family_form, 1);
	const bool is_csp = !strcmp(fields[1], "csp");
	struct base_place at = l->at; /* of the settings, which are those of the levels that a later field may name */
	uint32_t column = 1;

	f->family = g_strdup(fields[0]);
	f->form = g_strdup(fields[1]);
	f->workload = g_strdup(fields[2]);
	f->program = workload_find(l->families->workloads, f->workload);
	f->arguments[0] = g_strdup(is_csp ? "" : "--size small");
	f->arguments[1] = g_strdup(is_csp ? "" : "--size paper");
	g_ptr_array_add(l->families->forms, f);
	for (uint32_t i = 0; fields[i]; column += (uint32_t)strlen(fields[i]) + 1, i++) {
		l->at.col = column;
		if (i == 2)
			program_check(l, f);
		if (i > 2)
			key_take(l, f, fields[i]);
		if (f->sets && g_str_has_prefix(fields[i], "set="))
			at.col = column;
	}
	l->at = at;
	if (f->sets)
		sets_check(l, f);
}

/* The forms of a family are behind each other. */
static void order_check(const struct line *l)
{
	const GPtrArray *forms = l->families->forms;
	const struct cli_family_form *last = forms->pdata[forms->len - 1];

	for (uint32_t i = 0; i + 2 < forms->len; i++) {
		const struct cli_family_form *f = forms->pdata[i], *next = forms->pdata[i + 1];

		if (!strcmp(f->family, last->family) && strcmp(next->family, last->family) != 0)
			base_diag_error(l->diag, l->at, "family '%s' stands in two places", last->family);
	}
}

static void line_take(struct line *l, const char *text)
{
	static const char *const forms[] = {"cuda", "openacc", "openmp", "verilog", "csp"};
	g_auto(GStrv) fields = g_strsplit(text, "\t", -1);
	bool is_form = false;

	l->at.col = 1;
	if (!*text || *text == '#')
		return;
	if (g_strv_length(fields) < 3) {
		base_diag_error(l->diag, l->at, "expected a family, a form and a workload, with tabs between");
		return;
	}
	for (uint32_t i = 0; i < ARRAY_COUNT(forms); i++)
		is_form = is_form || !strcmp(fields[1], forms[i]);
	if (!is_form) {
		l->at.col = (uint32_t)strlen(fields[0]) + 2;
		base_diag_error(l->diag, l->at, "no form '%s', expected cuda, openacc, openmp, verilog or csp",
				fields[1]);
		return;
	}
	form_take(l, fields);
	l->at.col = 1;
	order_check(l);
}

bool cli_families_read(const struct cli_paths *paths, struct cli_families *out)
{
	const char *own = getenv("STRATA_FAMILIES");
	const char *path = own && *own ? own : paths->family_list;
	struct base_diag_list diag;
	struct line line = {.paths = paths, .families = out, .diag = &diag, .at = {.file = path}};
	g_autofree char *text = NULL;

	*out = (struct cli_families){.forms = g_ptr_array_new_with_free_func(form_free),
				     .workloads = cli_workloads_read(paths)};
	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		cli_error("cannot read the families of workloads, %s", path);
		return false;
	}

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	base_diag_init(&diag);
	for (line.at.line = 1; lines[line.at.line - 1]; line.at.line++)
		line_take(&line, lines[line.at.line - 1]);

	const bool is_ok = !diag.error_count;

	cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_ok;
}

void cli_families_free(struct cli_families *f)
{
	g_ptr_array_free(f->forms, TRUE);
	cli_workloads_free(f->workloads);
}
