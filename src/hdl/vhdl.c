/* vhdl.c - designs in VHDL, as the Verilog that GHDL's synthesis makes of them. */
#include <string.h>

#include "hdl/backend.h"

static const char *const suffixes[] = {".vhd", ".vhdl", NULL};

bool hdl_vhdl_is(const char *file)
{
	return g_str_has_suffix(file, suffixes[0]) || g_str_has_suffix(file, suffixes[1]);
}

/* GHDL learns which units are in which files; of two entities of a name it takes the one in the last, which is ours. */
static bool import(const char *file, const char *workdir, GString *said)
{
	g_autofree char *folder = g_path_get_dirname(file), *base = g_path_get_basename(file);
	g_autoptr(GPtrArray) names = hdl_tool_names(folder, suffixes);
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	for (const char *const *word = (const char *const[]){"ghdl", "-i", "--std=08", workdir, NULL}; *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	for (uint32_t i = 0; i < names->len; i++)
		if (strcmp(names->pdata[i], base))
			g_ptr_array_add(words, g_build_filename(folder, names->pdata[i], NULL));
	g_ptr_array_add(words, g_strdup(file));
	g_ptr_array_add(words, NULL);
	return hdl_tool_run(NULL, (const char *const *)words->pdata, NULL, said);
}

char *hdl_vhdl_text(const char *file, const char *scratch, GString *said)
{
	g_autofree char *workdir = g_strconcat("--workdir=", scratch, NULL), *text = NULL;
	const char *const words[] = {"ghdl", "--synth", "--std=08", workdir, "--out=verilog", "ndp", NULL};
	g_autoptr(GString) of_others = g_string_new(NULL); /* warnings that several designs lie in the folder */

	if (!import(file, workdir, of_others)) {
		g_string_append(said, of_others->str);
		return NULL;
	}
	return hdl_tool_run(NULL, words, &text, said) ? g_steal_pointer(&text) : NULL;
}
