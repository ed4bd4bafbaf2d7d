/* sources.c - which files a program's text is in. */
#include "csp/program.h"

#include <glib.h>
#include <string.h>

enum { DEEP_MAX = 64 }; /* deeper than the assembler goes */

/* The name in '.include "NAME"'; NULL: the line says something else. Freed with g_free. */
static char *included(char *line)
{
	static const char word[] = "include";
	char *at = line, *end;

	line[strcspn(line, ";#")] = '\0';
	at += strspn(at, " \t\r");
	if (*at++ != '.')
		return NULL;
	at += strspn(at, " \t");
	if (strncmp(at, word, strlen(word)))
		return NULL;
	at += strlen(word);
	at += strspn(at, " \t");
	end = *at == '"' ? strchr(at + 1, '"') : NULL;
	return end ? g_strndup(at + 1, (size_t)(end - at - 1)) : NULL;
}

char *csp_include_path(const char *file, const char *name)
{
	g_autofree char *dir = g_path_get_dirname(file);

	return strcmp(dir, ".") ? g_build_filename(dir, name, NULL) : g_strdup(name);
}

/* False: one cannot be read. */
static bool add(GPtrArray *files, const char *path, uint32_t depth)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	bool is_ok = depth < DEEP_MAX && g_file_get_contents(path, &text, NULL, NULL);

	if (!is_ok)
		return false;
	g_ptr_array_add(files, g_strdup(path));
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; is_ok && *line; line++) {
		g_autofree char *name = included(*line);
		g_autofree char *inner = name ? csp_include_path(path, name) : NULL;

		is_ok = !inner || add(files, inner, depth + 1);
	}
	return is_ok;
}

char **csp_sources(const char *path)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	if (!add(files, path, 0)) {
		g_ptr_array_free(files, TRUE);
		return NULL;
	}
	g_ptr_array_add(files, NULL);
	return (char **)g_ptr_array_free(files, FALSE);
}
