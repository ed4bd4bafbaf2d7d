/* csp_why.c - strata csp why: the account of a run, and the program again with one resource made ideal. */
#include "cli/csp_why.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cli/csp_result.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "csp/machine.h"
#include "report/report.h"
#include "report/why.h"

static const struct {
	const char *name, *what, *settings;
} cases[] = {
#define CASE(name, what, settings) {name, what, settings},
#include "cli/csp_cases.def"
#undef CASE
};

/* False: it changes nothing here, or makes no machine. */
static bool case_apply(const char *settings, const struct csp_config *base, struct csp_config *out)
{
	g_auto(GStrv) list = g_strsplit(settings, " ", -1);
	struct base_diag_list diag;
	bool is_ok = true;

	*out = *base;
	base_diag_init(&diag);
	for (char **setting = list; is_ok && *setting; setting++)
		is_ok = csp_config_set(out, *setting, "a case", &diag);
	is_ok = is_ok && csp_config_check(out, &diag) && memcmp(out, base, sizeof(*base)) != 0;
	base_diag_free(&diag);
	return is_ok;
}

/* False: the program did not come to its end, perhaps because of a signal. */
static bool case_run(const struct cli_csp_run *o, const struct csp_config *config, const struct csp_program *program,
		     struct csp_result *r)
{
	struct base_diag_list diag;
	struct csp_machine *m;
	bool is_ok;

	base_diag_init(&diag);
	m = csp_machine_new(config, program, 0, &diag);
	is_ok = m && csp_machine_data(m, &diag) && cli_csp_inputs(m, o->inputs, &diag);
	if (is_ok && !cli_csp_was_interrupted()) {
		cli_csp_signals_catch(m);
		is_ok = csp_machine_run(m, r, &diag) && !r->was_limited;
		cli_csp_signals_catch(NULL);
	}
	csp_machine_free(m);
	base_diag_free(&diag);
	return is_ok && !cli_csp_was_interrupted();
}

/* Until the last of them, or a signal. */
static json_t *what_if(const struct cli_csp_run *o, const struct csp_config *base, const struct csp_program *program,
		       double time_ps)
{
	json_t *rows = json_array();
	struct cli_progress progress;

	cli_progress_begin(&progress);
	for (size_t i = 0; i < ARRAY_COUNT(cases) && !cli_csp_was_interrupted(); i++) {
		struct csp_config config;
		struct csp_result r;

		cli_progress_draw(&progress, (double)i / ARRAY_COUNT(cases),
				  "what if: %zu of %zu ideal resources tried, now %s", i, ARRAY_COUNT(cases),
				  cases[i].name);
		if (case_apply(cases[i].settings, base, &config) && case_run(o, &config, program, &r))
			report_insert(rows, "speedup",
				      json_pack("{s:s, s:s, s:s, s:f, s:f, s:b}", "name", cases[i].name, "what",
						cases[i].what, "settings", cases[i].settings, "time_ps",
						(double)r.time_ps, "speedup", time_ps / (double)r.time_ps, "verified",
						cli_csp_status(&r) == CLI_OK && r.checks));
	}
	cli_progress_clear(&progress);
	return rows;
}

int cli_csp_explain(const struct cli_csp_run *options, const struct csp_config *config,
		    const struct csp_program *program, json_t *run)
{
	json_t *why = report_why(run, NULL), *rows;
	int exit_status = CLI_OK;

	cli_csp_signals_catch(NULL);
	report_why_print(stdout, why);
	fflush(stdout);
	rows = what_if(options, config, program, report_number(run, "time_ps", NULL));
	cli_csp_signals_release();
	report_what_if_print(stdout, rows);
	json_object_set_new(why, "what_if", rows);
	json_object_set(why, "run", run);
	if (!cli_json_keep(options->json, why))
		exit_status = CLI_UNABLE;
	if (cli_csp_was_interrupted()) {
		cli_error("csp why: interrupted: %zu machines with an ideal resource have run", json_array_size(rows));
		exit_status = CLI_INTERRUPTED;
	}
	json_decref(why);
	return exit_status;
}
