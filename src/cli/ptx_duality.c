/* ptx_duality.c - see ptx_duality.h. Every kernel that is shown was checked behind every pass. */
#include "cli/ptx_duality.h"

#include "cli/options.h"
#include "dc/compile/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM_MAX = 1 << 30 };

static bool parse_dims(const char *option, const char *text, uint32_t dims[3])
{
	g_auto(GStrv) parts = NULL;

	if (!text)
		return true;
	parts = g_strsplit(text, ",", 4);
	if (g_strv_length(parts) > 3 || !*parts) {
		cli_error("ptx: --%s %s; expected X, X,Y or X,Y,Z", option, text);
		return false;
	}
	for (uint32_t k = 0; k < 3; k++) {
		dims[k] = 1;
		if (k < g_strv_length(parts) && !cli_number_parse("ptx", option, parts[k], DIM_MAX, &dims[k]))
			return false;
	}
	return true;
}

static const struct ptx_var *find_param(const struct ptx_func *f, const char *name)
{
	char *end;
	const unsigned long number = strtoul(name, &end, 10);

	if (*name && !*end)
		return number < f->param_count ? &f->params[number] : NULL;
	for (uint32_t k = 0; k < f->param_count; k++)
		if (!strcmp(f->params[k].name, name))
			return &f->params[k];
	return NULL;
}

/* NAME=VALUE or NUMBER=VALUE; a parameter that the kernel does not have is no mistake, for a file has several. */
static bool set_param(const struct ptx_func *f, const char *text, uint8_t *params, uint8_t *known)
{
	g_auto(GStrv) parts = g_strsplit(text, "=", 2);
	const struct ptx_var *v;
	uint64_t value;
	char *end;

	if (g_strv_length(parts) != 2 || !*parts[1]) {
		cli_error("ptx: --param %s; expected NAME=VALUE or NUMBER=VALUE", text);
		return false;
	}
	errno = 0;
	value = strtoull(parts[1], &end, 0);
	v = find_param(f, parts[0]);
	if (v && ptx_type_is_float(v->type)) {
		double d = g_ascii_strtod(parts[1], &end);
		float single = (float)d;

		value = 0;
		memcpy(&value, v->size_bytes == 8 ? (void *)&d : (void *)&single, v->size_bytes == 8 ? 8 : 4);
	}
	if (*end || errno) {
		cli_error("ptx: --param %s: %s is no number", text, parts[1]);
		return false;
	}
	if (v && v->size_bytes <= 8) {
		memcpy(params + v->offset_bytes, &value, v->size_bytes);
		memset(known + v->offset_bytes, 1, v->size_bytes);
	}
	return true;
}

static bool switch_off(struct dc_options *o, const char *text)
{
	g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);
	struct {
		const char *name;
		bool *on;
	} switches[] = {
	    {"isolate", &o->isolate}, {"balance", &o->balance}, {"unroll", &o->unroll}, {"schedule", &o->schedule},
	    {"elide", &o->keep}};

	for (uint32_t n = 0; names[n] && *names[n]; n++) {
		uint32_t k = 0;

		while (k < G_N_ELEMENTS(switches) && strcmp(switches[k].name, names[n]))
			k++;
		if (k == G_N_ELEMENTS(switches)) {
			cli_error("ptx: --without %s; expected isolate, balance, unroll, schedule or elide", names[n]);
			return false;
		}
		*switches[k].on = false;
	}
	return true;
}

/* What --after asks for, and what the checks behind passes have found. */
struct showing {
	const struct cli_duality *o;
	const char *kernel;
	uint32_t count; /* how often the pass has been run */
	bool is_wrong;
};

static void show_after(void *self, const char *pass, const struct dc_kernel *k)
{
	struct showing *s = self;

	if (s->o->after && !strcmp(s->o->after, pass))
		dc_print_pass(stdout, k, pass, ++s->count);
}

static void say_wrong(void *self, const char *pass, const char *what)
{
	struct showing *s = self;

	if (!s->is_wrong)
		cli_error("kernel %s: a mistake of the compiler's pass %s: %s", s->kernel, pass, what);
	s->is_wrong = true;
}

static int show(const struct ptx_func *f, const struct dc_options *options, const struct cli_duality *o)
{
	struct showing s = {.o = o, .kernel = f->name};
	const struct dc_watch watch = {&s, show_after, say_wrong};
	struct dc_options watched = *options;
	struct base_diag_list diag;
	struct dc_kernel *k;
	int status = CLI_OK;

	watched.audit = true;
	watched.watch = &watch;
	base_diag_init(&diag);
	k = dc_compile(f, &watched, &diag);
	if (!k) {
		cli_diag_print(&diag);
		status = CLI_FAILED;
	} else if (!o->after) {
		dc_print(stdout, k, o->is_summary);
	} else if (!s.count) {
		printf("kernel %s: pass %s was not run\n", f->name, o->after);
	}
	if (s.is_wrong)
		status = CLI_UNABLE;
	dc_kernel_free(k);
	base_diag_free(&diag);
	return status;
}

static bool pass_is_known(const char *name)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (uint32_t n = 0; n < dc_pass_count(); n++) {
		if (!dc_pass_is_shown(n))
			continue;
		if (!name || !strcmp(name, dc_pass_name(n)))
			return true;
		g_string_append_printf(all, "%s%s", all->len ? ", " : "", dc_pass_name(n));
	}
	cli_error("ptx: --after %s; expected one of %s", name, all->str);
	return false;
}

static bool is_shown(const struct ptx_func *f, const struct cli_duality *o)
{
	return f->is_entry && f->has_body && (!o->kernel || !strcmp(o->kernel, f->name));
}

/* Every --param names a parameter of a kernel that is shown. */
static bool params_are_known(const struct ptx_module *m, const struct cli_duality *o)
{
	for (uint32_t k = 0; k < o->params->len; k++) {
		g_auto(GStrv) parts = g_strsplit(o->params->pdata[k], "=", 2);
		bool is_known = false;

		for (uint32_t n = 0; n < m->func_count && !is_known; n++)
			is_known = is_shown(m->funcs[n], o) && find_param(m->funcs[n], parts[0]);
		if (!is_known) {
			cli_error("ptx: --param %s: no kernel of %s that is shown has this parameter",
				  (char *)o->params->pdata[k], m->name);
			return false;
		}
	}
	return true;
}

int cli_ptx_duality(const struct ptx_module *m, const struct cli_duality *o)
{
	struct dc_options options = o->is_plain ? dc_options_plain : dc_options_full;
	int status = CLI_OK;
	bool is_found = false;

	for (uint32_t n = 0; n < m->func_count; n++)
		is_found = is_found || is_shown(m->funcs[n], o);
	if (!is_found && o->kernel) {
		cli_error("ptx: %s has no kernel %s", m->name, o->kernel);
		return CLI_USAGE;
	}
	if (!pass_is_known(o->after) || !switch_off(&options, o->without) ||
	    !parse_dims("block", o->block, options.block) ||
	    !parse_dims("grid", o->grid, options.grid) || !params_are_known(m, o))
		return CLI_USAGE;
	options.open = o->is_open && options.keep;
	for (uint32_t n = 0; n < m->func_count; n++) {
		const struct ptx_func *f = m->funcs[n];
		g_autofree uint8_t *params = g_malloc0(f->param_bytes + 8), *known = g_malloc0(f->param_bytes + 8);

		if (!is_shown(f, o))
			continue;
		for (uint32_t k = 0; k < o->params->len; k++)
			if (!set_param(f, o->params->pdata[k], params, known))
				return CLI_USAGE;
		options.params = params;
		options.param_known = known;
		const int shown = show(f, &options, o);

		status = MAX(status, shown);
	}
	return status;
}
