/* tools.c - commands, and the files that they work on. */
#include "hdl/tools.h"

#include <glib/gstdio.h>
#include <string.h>

static const struct base_place nowhere = {0};

bool hdl_tool_is_there(const char *tool, const char *package, struct base_diag_list *diag)
{
	g_autofree char *path = g_find_program_in_path(tool);

	if (!path)
		base_diag_error(diag, nowhere, "hdl.design needs %s, which is not installed (Debian: %s)", tool,
				package);
	return path;
}

bool hdl_tool_run(const char *folder, const char *const *words, char **out, GString *said)
{
	const GSpawnFlags flags = G_SPAWN_SEARCH_PATH | (out ? 0 : G_SPAWN_STDOUT_TO_DEV_NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *messages = NULL;
	int status;

	if (!g_spawn_sync(folder, (char **)(uintptr_t)words, NULL, flags, NULL, NULL, out, &messages, &status,
			  &error)) {
		g_string_append_printf(said, "%s: %s\n", words[0], error->message);
		return false;
	}
	g_string_append(said, messages);
	return g_spawn_check_wait_status(status, NULL);
}

void hdl_command_add(GPtrArray *command, const char *const *words)
{
	for (; *words; words++)
		g_ptr_array_add(command, g_strdup(*words));
}

bool hdl_command_run(const char *folder, GPtrArray *command, char **out, GString *said)
{
	g_ptr_array_add(command, NULL);
	return hdl_tool_run(folder, (const char *const *)command->pdata, out, said);
}

bool hdl_tool_copy(const char *from, const char *to, const char *name, struct base_diag_list *diag)
{
	g_autofree char *source = g_build_filename(from, name, NULL), *copy = g_build_filename(to, name, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;

	if (g_file_get_contents(source, &text, &size, &error) && g_file_set_contents(copy, text, (gssize)size, &error))
		return true;
	base_diag_error(diag, nowhere, "hdl.design: %s", error->message);
	return false;
}

void hdl_tool_remove_folder(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		g_remove(file);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *hdl_tool_names(const char *folder, const char *const *suffixes)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		for (const char *const *suffix = suffixes; *suffix; suffix++)
			if (g_str_has_suffix(name, *suffix))
				g_ptr_array_add(names, g_strdup(name));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	return names;
}
