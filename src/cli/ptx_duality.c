/* ptx_duality.c - see ptx_duality.h. */
#include "cli/ptx_duality.h"

#include "cli/options.h"
#include "dc/compile/compile.h"

#include <stdio.h>
#include <string.h>

static bool switch_off(struct dc_options *o, const char *text)
{
	g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);
	struct {
		const char *name;
		bool *on;
	} switches[] = {{"isolate", &o->isolate}, {"schedule", &o->schedule}};

	for (uint32_t n = 0; names[n] && *names[n]; n++) {
		uint32_t k = 0;

		while (k < G_N_ELEMENTS(switches) && strcmp(switches[k].name, names[n]))
			k++;
		if (k == G_N_ELEMENTS(switches)) {
			cli_error("ptx: --without %s; expected isolate or schedule", names[n]);
			return false;
		}
		*switches[k].on = false;
	}
	return true;
}

static int show(const struct ptx_func *f, const struct dc_options *options, const struct cli_duality *o)
{
	struct base_diag_list diag;
	struct dc_kernel *k;
	int status = CLI_OK;

	base_diag_init(&diag);
	k = dc_compile(f, options, &diag);
	if (!k) {
		cli_diag_print(&diag);
		status = CLI_FAILED;
	} else {
		dc_print(stdout, k, o->is_summary);
		dc_kernel_free(k);
	}
	base_diag_free(&diag);
	return status;
}

int cli_ptx_duality(const struct ptx_module *m, const struct cli_duality *o)
{
	struct dc_options options = o->is_plain ? dc_options_plain : dc_options_full;
	int status = CLI_OK;
	bool found = false;

	if (!switch_off(&options, o->without))
		return CLI_USAGE;
	for (uint32_t n = 0; n < m->func_count; n++) {
		const struct ptx_func *f = m->funcs[n];

		if (!f->is_entry || !f->has_body || (o->kernel && strcmp(o->kernel, f->name)))
			continue;
		found = true;
		const int shown = show(f, &options, o);

		status = MAX(status, shown);
	}
	if (!found && o->kernel) {
		cli_error("ptx: %s has no kernel %s", m->name, o->kernel);
		return CLI_USAGE;
	}
	return status;
}
