/* vhdl.c - designs in VHDL, as the Verilog that GHDL's synthesis makes of them. */
#include <string.h>

#include "hdl/backend.h"

/* A command of GHDL's: what it does, and for which library. */
static GPtrArray *ghdl(const char *what, const char *library, const char *scratch)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(words, g_strdup("ghdl"));
	g_ptr_array_add(words, g_strdup(what));
	g_ptr_array_add(words, g_strdup("--std=08"));
	g_ptr_array_add(words, g_strconcat("--workdir=", scratch, NULL));
	g_ptr_array_add(words, g_strconcat("-P", scratch, NULL)); /* where the other libraries lie */
	g_ptr_array_add(words, g_strconcat("--work=", library, NULL));
	return words;
}

/* GHDL learns which units are in which files; of two entities of a name it takes the one in the last. */
static bool import(const struct hdl_files *f, const char *library, const char *scratch, GString *said)
{
	g_autoptr(GPtrArray) words = ghdl("-i", library, scratch);

	for (uint32_t i = 0; i < f->files->len; i++)
		if (!strcmp(f->libraries->pdata[i], library))
			g_ptr_array_add(words, g_strdup(f->files->pdata[i]));
	return hdl_command_run(NULL, words, NULL, said);
}

static bool import_all(const struct hdl_files *f, const char *scratch, GString *said)
{
	for (uint32_t i = 0; i < f->files->len; i++) {
		bool is_known = false;

		for (uint32_t j = 0; j < i; j++)
			is_known |= !strcmp(f->libraries->pdata[i], f->libraries->pdata[j]);
		if (!is_known && !import(f, f->libraries->pdata[i], scratch, said))
			return false;
	}
	return true;
}

/* Analysis in the order of their uses, package bodies among them, which synthesis by itself takes for outdated. */
static bool analyse(const char *scratch, GString *said)
{
	g_autoptr(GPtrArray) words = ghdl("-m", "work", scratch);

	g_ptr_array_add(words, g_strdup("ndp"));
	return hdl_command_run(NULL, words, NULL, said);
}

static char *synthesise(const struct hdl_files *f, const char *scratch, GString *said)
{
	g_autoptr(GPtrArray) words = ghdl("--synth", "work", scratch);
	char *text = NULL;

	hdl_words_add(words, "-g", f->parameters);
	g_ptr_array_add(words, g_strdup("--out=verilog"));
	g_ptr_array_add(words, g_strdup("ndp"));
	if (hdl_command_run(NULL, words, &text, said))
		return text;
	g_free(text);
	return NULL;
}

char *hdl_vhdl_text(const struct hdl_files *f, const char *scratch, GString *said)
{
	g_autoptr(GString) of_others = g_string_new(NULL); /* warnings that several designs lie in the folder */

	if (!import_all(f, scratch, of_others) || !analyse(scratch, of_others)) {
		g_string_append(said, of_others->str);
		return NULL;
	}
	return synthesise(f, scratch, said);
}
