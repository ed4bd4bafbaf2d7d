/* icarus.c - designs as programs of Icarus Verilog's vvp, in a library that starts it and speaks to it. */
#include <string.h>

#include "hdl/backend.h"

static const char *const needs[] = {"iverilog", "iverilog", "vvp", "iverilog", "gcc", "gcc", NULL};
static const char *const parts[] = {"vpi.c", "vpi.v", "ports.h", NULL};

#define COMPILE "gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-I.", "-o", "design.so", "vpi.c"

static char *text(const struct hdl_making *m, GString *said)
{
	g_autofree char *include = g_strconcat("-I", m->folder, NULL);
	const char *const version[] = {"iverilog", "-V", NULL}, *const compiler[] = {"gcc", "--version", NULL};
	const char *const preprocess[] = {"iverilog", "-g2012", "-E", "-o", "/dev/stdout", include, m->file, NULL};
	const char *const options[] = {COMPILE, NULL};
	g_autofree char *all = g_strjoinv(" ", (char **)(uintptr_t)options);
	g_autofree char *tool = NULL, *cc = NULL, *design = NULL;
	g_autoptr(GString) about_version = g_string_new(NULL); /* it says there where it looks for parts of its own */

	if (!hdl_tool_run(NULL, version, &tool, about_version) || !hdl_tool_run(NULL, compiler, &cc, said) ||
	    !hdl_tool_run(NULL, preprocess, &design, said))
		return NULL;
	*strchrnul(tool, '\n') = '\0';
	return g_strconcat(tool, cc, all, design, NULL);
}

static bool make(const struct hdl_making *m, GString *said, bool *is_refused)
{
	const char *const program[] = {"iverilog", "-g2012",  "-s",	    "strata_shim", "-o", "design.vvp", "-I",
				       m->folder,  "-y", m->folder, "-Y", ".sv", "vpi.v", m->file, NULL};
	const char *const compile[] = {COMPILE, NULL};
	const char *const check[] = {"vvp", "-n", "-m", "./design.so", "design.vvp", "+ports", NULL};

	*is_refused = !hdl_tool_run(m->scratch, program, NULL, said);
	return !*is_refused && hdl_tool_run(m->scratch, compile, NULL, said) &&
	       hdl_tool_run(m->scratch, check, NULL, said);
}

const struct hdl_backend hdl_icarus = {.tool = "iverilog", .needs = needs, .parts = parts, .text = text, .make = make};
