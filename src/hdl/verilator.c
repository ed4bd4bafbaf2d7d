/* verilator.c - designs as C++ by Verilator. */
#include <string.h>

#include "base/check.h"
#include "hdl/backend.h"
#include "hdl/port_shapes.h"

static const char *const needs[] = {"verilator", "verilator", "make", "make", "g++", "g++", NULL};
static const char *const parts[] = {"shim.cpp", "print.h", "ports.h", "ports.def", NULL};

/* How designs are built. Verilator's own makefiles optimise for size, which makes a design a third slower. Nobody takes
 * the place of the library's functions: calls within it that know so are inlined, or go by no table. */
#define FUNCTIONS "-include print.h -DVL_PRINTF=hdl_print -DVL_USER_FATAL -DVL_USER_STOP -DVL_USER_FINISH"
#define OPTIONS                                                                                                        \
	"--cc", "--exe", "-O3", "-Wno-fatal", "--x-assign", "0", "--top-module", "ndp", "--prefix", "Vndp", "-CFLAGS", \
	    "-fPIC -I. -fno-semantic-interposition " FUNCTIONS, "-LDFLAGS",                                            \
	    "-shared -Wl,-Bsymbolic-functions"
#define MAKE "make", "-s", "-f", "Vndp.mk", "OPT_FAST=-O3", "OPT_GLOBAL=-O2"

/* The options that say what the design is, and its files. */
static GPtrArray *verilator(const struct hdl_files *f)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(words, g_strdup("verilator"));
	hdl_words_add(words, "-I", f->folders);
	hdl_words_add(words, "-D", f->defines);
	hdl_words_add(words, "-G", f->parameters);
	hdl_words_add(words, "", f->files);
	return words;
}

/* Registers without a first value: 0, or what the run says (shim.cpp). */
static const char *initial(const struct hdl_making *m)
{
	return m->is_random ? "unique" : "0";
}

/* The memory ports, for shim.cpp. Free with g_free. */
static char *ports_of(const struct hdl_making *m)
{
	return g_strdup_printf("-DHDL_PORT_COUNT=%u -DHDL_PORT_BYTES=%u", m->port_count, m->port_bytes);
}

/* Of what it includes from elsewhere as well: the preprocessed text. */
static char *text(const struct hdl_making *m, GString *said)
{
	const char *const version[] = {"verilator", "--version", NULL}, *const compiler[] = {"g++", "--version", NULL};
	const char *const options[] = {OPTIONS, MAKE, NULL};
	g_autoptr(GPtrArray) preprocess = verilator(m->files);
	g_autofree char *all = g_strjoinv(" ", (char **)(uintptr_t)options);
	g_autofree char *tool = NULL, *cxx = NULL, *design = NULL, *parameters = NULL;
	g_autofree char *ports = ports_of(m);

	hdl_command_add(preprocess, (const char *const[]){"-E", "-P", NULL});
	if (!hdl_tool_run(NULL, version, &tool, said) || !hdl_tool_run(NULL, compiler, &cxx, said) ||
	    !hdl_command_run(NULL, preprocess, &design, said))
		return NULL;
	parameters = hdl_parameters_text(m->files);
	return g_strconcat(tool, cxx, all, m->is_waved ? " waved " : " ", initial(m), " ", ports, " ",
			   parameters, design, NULL);
}

/* A register of Verilator's C++, "ndp__DOT__cores__BRA__0__KET____DOT__state", as Verilog names it. */
static char *verilog_name(const char *cxx)
{
	GString *name = g_string_new(cxx);

	g_string_replace(name, "__BRA__", "[", 0);
	g_string_replace(name, "__KET__", "]", 0);
	g_string_replace(name, "__DOT__", ".", 0);
	return g_string_free(name, FALSE);
}

/* registers.inc, for shim.cpp: a line REGISTER("NAME", MEMBER, BITS) for each of the design's signals that Verilator
 * has kept, which are its registers and some of its wires. A header of another form has none. */
static bool list_registers(const char *scratch, GString *said)
{
	g_autofree char *header = g_build_filename(scratch, "Vndp___024root.h", NULL), *in = NULL;
	g_autofree char *inc = g_build_filename(scratch, "registers.inc", NULL);
	g_autoptr(GRegex) member =
	    g_regex_new("^ *(?:CData|SData|IData|QData|VlWide<[0-9]+>)/\\*([0-9]+):0\\*/ (ndp__DOT__\\w+);$",
			G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GString) lines = g_string_new(NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GError) error = NULL;

	if (g_file_get_contents(header, &in, NULL, &error)) {
		for (g_regex_match(member, in, 0, &match); g_match_info_matches(match);
		     g_match_info_next(match, NULL)) {
			g_autofree char *last = g_match_info_fetch(match, 1), *cxx = g_match_info_fetch(match, 2);
			g_autofree char *name = verilog_name(cxx);

			g_string_append_printf(lines, "REGISTER(\"%s\", %s, %s + 1)\n", name, cxx, last);
		}
		if (g_file_set_contents(inc, lines->str, -1, &error))
			return true;
	}
	g_string_append_printf(said, "%s\n", error->message);
	return false;
}

/* FST is packed by zlib. */
static bool has_zlib(GString *said)
{
	const char *const words[] = {"g++", "-E", "-include", "zlib.h", "-x", "c++", "/dev/null", NULL};
	g_autofree char *out = NULL;
	g_autoptr(GString) missing = g_string_new(NULL);

	if (hdl_tool_run(NULL, words, &out, missing))
		return true;
	g_string_append(said, "hdl.wave needs zlib's header, which is not installed (Debian: zlib1g-dev)\n");
	return false;
}

/* GHDL gives registers their first values in a way of which Verilator warns. */
static const char *no_warnings_of(const struct hdl_making *m)
{
	return m->is_vhdl ? "-Wno-INITIALDLY" : "-Wno-fatal";
}

/* ---- the module's ports, by the C++ that Verilator makes of it ---- */

static bool check_port(struct hdl_shapes *shapes, const GMatchInfo *match, GString *said)
{
	g_autofree char *way = g_match_info_fetch(match, 1), *name = g_match_info_fetch(match, 2);
	g_autofree char *last = g_match_info_fetch(match, 3);
	char text[512];

	if (hdl_shape_check(shapes, name, (uint32_t)g_ascii_strtoull(last, NULL, 10) + 1, !strcmp(way, "IN"), text,
			    sizeof(text)))
		return true;
	g_string_append_printf(said, "%s\n", text);
	return false;
}

/* Whether the design is one for such memory ports; false after one message. */
static bool is_of_shape(const struct hdl_shapes *shapes, const GRegex *line, const char *in, GString *said)
{
	g_autoptr(GMatchInfo) match = NULL;
	char text[512];

	for (g_regex_match(line, in, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 2), *last = g_match_info_fetch(match, 3);

		if (!hdl_shape_is_other(shapes, name, (uint32_t)g_ascii_strtoull(last, NULL, 10) + 1, text,
					sizeof(text)))
			continue;
		g_string_append_printf(said, "%s\n", text);
		return false;
	}
	return true;
}

/* All that is missing, too much or different is said, but for what follows from other memory ports. */
static bool check_ports(const struct hdl_making *m, GString *said)
{
	g_autofree char *header = g_build_filename(m->scratch, "Vndp.h", NULL), *in = NULL;
	g_autoptr(GRegex) line = g_regex_new("^ *VL_(INOUT|IN|OUT)(?:8|16|64|W)?\\(&(\\w+),(\\d+),0[,)]",
					     G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GError) error = NULL;
	struct hdl_shapes shapes;
	bool is_good = true;

	if (!g_file_get_contents(header, &in, NULL, &error)) {
		g_string_append_printf(said, "%s\n", error->message);
		return false;
	}
	hdl_shapes_init(&shapes, m->name, m->port_count, m->port_bytes);
	if (!is_of_shape(&shapes, line, in, said))
		return false;
	for (g_regex_match(line, in, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL))
		is_good &= check_port(&shapes, match, said);
	for (uint32_t i = 0; i < shapes.count; i++) {
		const struct hdl_shape *row = &shapes.rows[i];

		if (!row->is_needed || row->is_there)
			continue;
		g_string_append_printf(said, "hdl.design: %s: module ndp has no port %s (%s of %u bits)\n", m->name,
				       row->name, row->is_in ? "input" : "output", row->bits);
		is_good = false;
	}
	return is_good;
}

/* The model's C++ by Verilator, with our part, as one library. make knows no names with spaces, so all of them are the
 * folder's own. */
static bool make(const struct hdl_making *m, GString *said, bool *is_refused)
{
	g_autoptr(GPtrArray) verilate = verilator(m->files);
	const char *const compile[] = {MAKE, NULL};
	g_autofree char *ports = NULL;

	*is_refused = false;
	if (m->is_waved && !has_zlib(said))
		return false;
	hdl_command_add(verilate, (const char *const[]){OPTIONS, "--x-initial", initial(m), no_warnings_of(m), "-Mdir",
							".", "-o", "design.so", "shim.cpp", NULL});
	ports = ports_of(m);
	hdl_command_add(verilate, (const char *const[]){"-CFLAGS", ports, NULL});
	if (m->is_waved)
		hdl_command_add(verilate, (const char *const[]){"--trace-fst", "-CFLAGS", "-DHDL_WAVE", NULL});
	if (!hdl_command_run(m->scratch, verilate, NULL, said)) {
		*is_refused = true;
		return false;
	}
	return check_ports(m, said) && list_registers(m->scratch, said) &&
	       hdl_tool_run(m->scratch, compile, NULL, said);
}

const struct hdl_backend hdl_verilator = {
    .tool = "verilator", .needs = needs, .parts = parts, .text = text, .make = make};
