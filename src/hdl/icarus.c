/* icarus.c - designs as programs of Icarus Verilog's vvp, in a library that starts it and speaks to it. */
#include <string.h>

#include "hdl/backend.h"
#include "hdl/ports.h"

static const char *const needs[] = {"iverilog", "iverilog", "vvp", "iverilog", "gcc", "gcc", NULL};
static const char *const parts[] = {"vpi.c", "vpi.v", "ports.h", "port_shapes.h", "ports.def", NULL};

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

/* One of the signals of each memory port: " name_0, name_1"; before: what stands before each, as ".name_0(". */
static void add_each(GString *to, const struct hdl_making *m, const char *format)
{
	for (uint32_t i = 0; i < m->port_count; i++) {
		g_autofree char *number = g_strdup_printf("%u", i);
		g_autoptr(GString) one = g_string_new(format);

		g_string_replace(one, "#", number, 0);
		g_string_append_printf(to, "%s%s", i ? ", " : "", one->str);
	}
}

/* ports.vh, for vpi.v: what depends on the number and the width of the memory ports. Free with g_free. */
static char *ports_text(const struct hdl_making *m)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "`define PORT_COUNT %u\n`define PORT_BITS %u\n`define SIZE_BITS %u\n",
			       m->port_count, 8 * m->port_bytes, hdl_size_bits(m->port_bytes));
	g_string_append(text, "`define ANSWERS ");
	add_each(text, m, "answer_#");
	g_string_append(text, "\n`define ADDRESSES ");
	add_each(text, m, "request_address_#");
	g_string_append(text, "\n`define SIZES ");
	add_each(text, m, "request_bytes_#");
	g_string_append(text, "\n`define DATA ");
	add_each(text, m, "request_data_#");
	g_string_append(text, "\n`define CONNECTIONS ");
	add_each(text, m,
		 ".request_address_#(request_address_#), .request_bytes_#(request_bytes_#), "
		 ".request_data_#(request_data_#), .answer_#(answer_#)");
	return g_string_free(g_string_append_c(text, '\n'), FALSE);
}

static char *text(const struct hdl_making *m, GString *said)
{
	const char *const version[] = {"iverilog", "-V", NULL}, *const compiler[] = {"gcc", "--version", NULL};
	const char *const options[] = {COMPILE, NULL};
	g_autoptr(GPtrArray) preprocess = iverilog(m->files);
	g_autofree char *all = g_strjoinv(" ", (char **)(uintptr_t)options);
	g_autofree char *tool = NULL, *cc = NULL, *design = NULL, *parameters = NULL;
	g_autofree char *ports = NULL;
	g_autoptr(GString) about_version = g_string_new(NULL); /* it says there where it looks for parts of its own */

	hdl_command_add(preprocess, (const char *const[]){"-E", "-o", "/dev/stdout", NULL});
	hdl_words_add(preprocess, "", m->files->files);
	if (!hdl_tool_run(NULL, version, &tool, about_version) || !hdl_tool_run(NULL, compiler, &cc, said) ||
	    !hdl_command_run(NULL, preprocess, &design, said))
		return NULL;
	*strchrnul(tool, '\n') = '\0';
	parameters = hdl_parameters_text(m->files);
	ports = ports_text(m);
	return g_strconcat(tool, cc, all, ports, parameters, design, NULL);
}

/* Whether it is one of a memory port behind the first, which a design for fewer of them has not. */
static bool is_of_more_ports(const char *name)
{
	const char *digits = strrchr(name, '_');

	return digits && g_ascii_isdigit(digits[1]) && strcmp(digits, "_0");
}

/* A port that vpi.v connects and the module does not have is an error of iverilog's, with a place in vpi.v, which is
 * not the user's. */
static void explain_ports(const struct hdl_making *m, const char *of_tool, GString *said)
{
	g_autoptr(GRegex) line = g_regex_new("port ``(\\w+)'' is not a port of ndp", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	for (g_regex_match(line, of_tool, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 1);

		g_string_append_printf(said, "hdl.design: %s: module ndp has no port %s", m->name, name);
		if (is_of_more_ports(name)) {
			g_string_append_printf(said, ", and hdl.port_count = %u\n", m->port_count);
			break;
		}
		g_string_append_c(said, '\n');
	}
}

static bool write_part(const struct hdl_making *m, const char *name, const char *text, GString *said)
{
	g_autofree char *path = g_build_filename(m->scratch, name, NULL);
	g_autoptr(GError) error = NULL;

	if (g_file_set_contents(path, text, -1, &error))
		return true;
	g_string_append_printf(said, "%s\n", error->message);
	return false;
}

static bool write_parts(const struct hdl_making *m, GString *said)
{
	g_autofree char *parameters = hdl_parameters_text(m->files), *ports = ports_text(m);

	return write_part(m, "parameters.vh", parameters, said) && write_part(m, "ports.vh", ports, said);
}

static bool make(const struct hdl_making *m, GString *said, bool *is_refused)
{
	g_autoptr(GPtrArray) program = iverilog(m->files);
	g_autoptr(GString) of_tool = g_string_new(NULL);
	g_autofree char *count = g_strdup_printf("-DHDL_PORT_COUNT=%u", m->port_count);
	g_autofree char *bytes = g_strdup_printf("-DHDL_PORT_BYTES=%u", m->port_bytes);
	g_autofree char *name = g_strconcat("+ports=", m->name, NULL);
	const char *const compile[] = {COMPILE, count, bytes, NULL};
	const char *const check[] = {"vvp", "-n", "-m", "./design.so", "design.vvp", name, NULL};

	*is_refused = false;
	if (!write_parts(m, said))
		return false;
	hdl_command_add(program, (const char *const[]){"-I.", "-s", "strata_shim", "-o", "design.vvp", NULL});
	hdl_words_add(program, "", m->files->files);
	g_ptr_array_add(program, g_strdup("vpi.v"));
	*is_refused = !hdl_command_run(m->scratch, program, NULL, of_tool);
	explain_ports(m, of_tool->str, said);
	g_string_append(said, of_tool->str);
	return !*is_refused && hdl_tool_run(m->scratch, compile, NULL, said) &&
	       hdl_tool_run(m->scratch, check, NULL, said);
}

const struct hdl_backend hdl_icarus = {.tool = "iverilog", .needs = needs, .parts = parts, .text = text, .make = make};
