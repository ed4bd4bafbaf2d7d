/* verilator.c - designs as C++ by Verilator. */
#include <string.h>

#include "base/check.h"
#include "hdl/backend.h"

static const char *const needs[] = {"verilator", "verilator", "make", "make", "g++", "g++", NULL};
static const char *const parts[] = {"shim.cpp", "ports.h", NULL};

/* How designs are built. Verilator's own makefiles optimise for size, which makes a design a third slower. Nobody takes
 * the place of the library's functions: calls within it that know so are inlined, or go by no table. */
#define OPTIONS                                                                                                        \
	"--cc", "--exe", "-O3", "-Wno-fatal", "--x-assign", "0", "--x-initial", "0", "--top-module", "ndp",            \
	    "--prefix", "Vndp", "-CFLAGS", "-fPIC -I. -fno-semantic-interposition", "-LDFLAGS",                        \
	    "-shared -Wl,-Bsymbolic-functions"
#define MAKE "make", "-s", "-f", "Vndp.mk", "OPT_FAST=-O3", "OPT_GLOBAL=-O2"

/* Of what it includes from elsewhere as well: the preprocessed text. */
static char *text(const struct hdl_making *m, GString *said)
{
	g_autofree char *include = g_strconcat("-I", m->folder, NULL);
	const char *const version[] = {"verilator", "--version", NULL}, *const compiler[] = {"g++", "--version", NULL};
	const char *const preprocess[] = {"verilator", "-E", "-P", include, m->file, NULL};
	const char *const options[] = {OPTIONS, MAKE, NULL};
	g_autofree char *all = g_strjoinv(" ", (char **)(uintptr_t)options);
	g_autofree char *tool = NULL, *cxx = NULL, *design = NULL;

	if (!hdl_tool_run(NULL, version, &tool, said) || !hdl_tool_run(NULL, compiler, &cxx, said) ||
	    !hdl_tool_run(NULL, preprocess, &design, said))
		return NULL;
	return g_strconcat(tool, cxx, all, m->is_waved ? " waved" : "", design, NULL);
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
	g_string_append(said, "ndp.wave needs zlib's header, which is not installed (Debian: zlib1g-dev)\n");
	return false;
}

/* GHDL gives registers their first values in a way of which Verilator warns. */
static const char *no_warnings_of(const struct hdl_making *m)
{
	return m->is_vhdl ? "-Wno-INITIALDLY" : "-Wno-fatal";
}

/* The model's C++ by Verilator, with our part, as one library. make knows no names with spaces, so all of them are the
 * folder's own. */
static bool make(const struct hdl_making *m, GString *said, bool *is_refused)
{
	g_autofree char *include = g_strconcat("-I", m->folder, NULL);
	const char *const verilate[] = {"verilator", OPTIONS, no_warnings_of(m), "-Mdir", ".", include, "-o",
					"design.so", m->file, "shim.cpp", m->is_waved ? "--trace-fst" : NULL,
					"-CFLAGS", "-DHDL_WAVE", NULL};
	const char *const compile[] = {MAKE, NULL};

	*is_refused = false;
	if (m->is_waved && !has_zlib(said))
		return false;
	if (!hdl_tool_run(m->scratch, verilate, NULL, said)) {
		*is_refused = true;
		return false;
	}
	return list_registers(m->scratch, said) && hdl_tool_run(m->scratch, compile, NULL, said);
}

const struct hdl_backend hdl_verilator = {
    .tool = "verilator", .needs = needs, .parts = parts, .text = text, .make = make};
