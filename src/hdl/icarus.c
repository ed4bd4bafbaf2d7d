/* icarus.c - designs as programs of Icarus Verilog's vvp, in a library that starts it and speaks to it. */
#include <string.h>

#include "hdl/backend.h"

static const char *const needs[] = {"iverilog", "iverilog", "vvp", "iverilog", "gcc", "gcc", NULL};
static const char *const parts[] = {"vpi.c", "vpi.v", "ports.h", "ports.def", NULL};

#define COMPILE "gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-I.", "-o", "design.so", "vpi.c"

static GPtrArray *iverilog(const struct hdl_files *f)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(words, g_strdup("iverilog"));
	g_ptr_array_add(words, g_strdup("-g2012"));
	hdl_words_add(words, "-I", f->folders);
	hdl_words_add(words, "-y", f->folders);
	g_ptr_array_add(words, g_strdup("-Y.sv"));
	hdl_words_add(words, "-D", f->defines);
	return words;
}

static char *text(const struct hdl_making *m, GString *said)
{
	const char *const version[] = {"iverilog", "-V", NULL}, *const compiler[] = {"gcc", "--version", NULL};
	const char *const options[] = {COMPILE, NULL};
	g_autoptr(GPtrArray) preprocess = iverilog(m->files);
	g_autofree char *all = g_strjoinv(" ", (char **)(uintptr_t)options);
	g_autofree char *tool = NULL, *cc = NULL, *design = NULL, *parameters = NULL;
	g_autoptr(GString) about_version = g_string_new(NULL); /* it says there where it looks for parts of its own */

	hdl_command_add(preprocess, (const char *const[]){"-E", "-o", "/dev/stdout", NULL});
	hdl_words_add(preprocess, "", m->files->files);
	if (!hdl_tool_run(NULL, version, &tool, about_version) || !hdl_tool_run(NULL, compiler, &cc, said) ||
	    !hdl_command_run(NULL, preprocess, &design, said))
		return NULL;
	*strchrnul(tool, '\n') = '\0';
	parameters = hdl_parameters_text(m->files);
	return g_strconcat(tool, cc, all, parameters, design, NULL);
}

/* A port that vpi.v connects and the module does not have is an error of iverilog's, with a place in vpi.v, which is
 * not the user's. */
static void explain_ports(const char *of_tool, GString *said)
{
	g_autoptr(GRegex) line = g_regex_new("port ``(\\w+)'' is not a port of ndp", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	for (g_regex_match(line, of_tool, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 1);

		g_string_append_printf(said, "hdl.design: module ndp has no port %s\n", name);
	}
}

static bool write_parameters(const struct hdl_making *m, GString *said)
{
	g_autofree char *text = hdl_parameters_text(m->files);
	g_autofree char *path = g_build_filename(m->scratch, "parameters.vh", NULL);
	g_autoptr(GError) error = NULL;

	if (g_file_set_contents(path, text, -1, &error))
		return true;
	g_string_append_printf(said, "%s\n", error->message);
	return false;
}

static bool make(const struct hdl_making *m, GString *said, bool *is_refused)
{
	g_autoptr(GPtrArray) program = iverilog(m->files);
	g_autoptr(GString) of_tool = g_string_new(NULL);
	const char *const compile[] = {COMPILE, NULL};
	const char *const check[] = {"vvp", "-n", "-m", "./design.so", "design.vvp", "+ports", NULL};

	*is_refused = false;
	if (!write_parameters(m, said))
		return false;
	hdl_command_add(program, (const char *const[]){"-I.", "-s", "strata_shim", "-o", "design.vvp", NULL});
	hdl_words_add(program, "", m->files->files);
	g_ptr_array_add(program, g_strdup("vpi.v"));
	*is_refused = !hdl_command_run(m->scratch, program, NULL, of_tool);
	explain_ports(of_tool->str, said);
	g_string_append(said, of_tool->str);
	return !*is_refused && hdl_tool_run(m->scratch, compile, NULL, said) &&
	       hdl_tool_run(m->scratch, check, NULL, said);
}

const struct hdl_backend hdl_icarus = {.tool = "iverilog", .needs = needs, .parts = parts, .text = text, .make = make};
