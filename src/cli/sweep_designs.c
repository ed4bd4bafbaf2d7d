/* sweep_designs.c - designs of the coprocessor with the settings of each point. */
#include "cli/sweep_designs.h"

#include "cli/csp_space.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/sweep_table.h"
#include "csp/power.h"
#include "machine/json.h"

/* The closed forms of a design; NULL after messages: its settings are none. */
static json_t *design_json(const struct cli_sweep *s, const char *design, char **point)
{
	const struct csp_application a = csp_application_default();
	g_autoptr(GPtrArray) sets = g_ptr_array_new();
	struct csp_config config;
	json_t *o;

	for (uint32_t i = 0; i < s->sets->len; i++)
		g_ptr_array_add(sets, s->sets->pdata[i]);
	for (; *point; point++)
		g_ptr_array_add(sets, *point);
	if (!cli_csp_config_load(s->paths, design, sets, &config))
		return NULL;
	o = json_object();
	cli_csp_design_put(o, &config, &a);
	return o;
}

/* Takes result; NULL: the point is left out. */
static json_t *run_json(const struct cli_sweep *s, uint32_t point, const char *design, json_t *result)
{
	json_t *o = json_pack("{s:i, s:o, s:s, s:s, s:b, s:b}", "point", (int)point, "settings",
			      cli_sweep_settings(s->plan->points->pdata[point]), "machine", design, "workload", "-",
			      "done", result != NULL, "verified", result != NULL);

	json_object_set_new(o, "objectives", cli_sweep_objectives(s->plan, result));
	json_object_set_new(o, "result", result ? result : json_null());
	return o;
}

/* All points of all designs; false after messages. */
static bool runs_make(const struct cli_sweep *s, json_t *runs, uint32_t *left_count)
{
	for (uint32_t point = 0; point < s->plan->points->len; point++)
		for (uint32_t i = 0; i < s->plan->designs->len; i++) {
			const char *design = s->plan->designs->pdata[i];
			char **settings = s->plan->points->pdata[point];
			g_autofree char *text = g_strjoinv(" ", settings);
			json_t *result = design_json(s, design, settings);

			json_array_append_new(runs, run_json(s, point, design, result));
			if (result)
				continue;
			cli_error("sweep: point %u (%s) is no design%s", point, text,
				  s->leaves_out ? ", left out" : "; --skip-invalid leaves such points out");
			if (!s->leaves_out)
				return false;
			++*left_count;
		}
	return true;
}

int cli_sweep_designs(const struct cli_sweep *s, const char *name, const char *json)
{
	json_t *runs = json_array(), *sweep;
	uint32_t left_count = 0;
	int exit_status = CLI_USAGE;

	if (!runs_make(s, runs, &left_count)) {
		json_decref(runs);
		return CLI_USAGE;
	}
	g_autofree bool *is_own = g_new(bool, json_array_size(runs) + 1);

	for (size_t i = 0; i < json_array_size(runs); i++)
		is_own[i] = true;
	cli_sweep_front_mark(s->plan->objectives, runs, is_own);
	sweep = cli_sweep_pack(s->plan, name, (uint32_t)json_array_size(runs) - left_count, left_count, runs);
	if (cli_sweep_fields_check(s, runs))
		exit_status = cli_json_keep(json, sweep) ? CLI_OK : CLI_UNABLE;
	if (exit_status != CLI_USAGE)
		cli_sweep_print(stdout, sweep);
	json_decref(sweep);
	return exit_status;
}
