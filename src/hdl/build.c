/* build.c - Verilator, the compiler and the kept libraries. */
#include "hdl/build.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const struct base_place nowhere = {0};

/* Runs a command; its standard error is ours. Its standard output goes to *out, or nowhere. */
static bool run(const char *const *words, char **out, struct base_diag_list *diag)
{
	const GSpawnFlags flags = G_SPAWN_SEARCH_PATH | (out ? 0 : G_SPAWN_STDOUT_TO_DEV_NULL);
	g_autoptr(GError) error = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)(uintptr_t)words, NULL, flags, NULL, NULL, out, NULL, &status, &error)) {
		base_diag_error(diag, nowhere, "ndp.hdl: cannot start %s: %s (Debian: verilator, g++, make)", words[0],
				error->message);
		return false;
	}
	if (g_spawn_check_wait_status(status, NULL))
		return true;
	base_diag_error(diag, nowhere, "ndp.hdl: %s refuses the design; what it says is above", words[0]);
	return false;
}

static bool is_there(const char *tool, struct base_diag_list *diag)
{
	g_autofree char *path = g_find_program_in_path(tool);

	if (!path)
		base_diag_error(diag, nowhere, "ndp.hdl needs %s, which is not installed (Debian: %s)", tool, tool);
	return path;
}

char *hdl_design_find(const struct hdl_sources *from, const char *name, struct base_diag_list *diag)
{
	g_autofree char *own = g_strconcat(name, ".v", NULL);
	g_autofree char *path = strchr(name, '/') ? g_strdup(name) : g_build_filename(from->designs, own, NULL);

	if (!access(path, R_OK))
		return g_steal_pointer(&path);
	if (strchr(name, '/'))
		base_diag_error(diag, nowhere, "ndp.hdl = %s: %s", name, strerror(errno));
	else
		base_diag_error(diag, nowhere,
				"ndp.hdl = %s: there is no design of ours of this name; a file has a '/': ./%s", name,
				name);
	return NULL;
}

/* ---- what decides the library ---- */

static bool add_file(GChecksum *sum, const char *folder, const char *name, struct base_diag_list *diag)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;

	if (!g_file_get_contents(path, &text, &size, &error)) {
		base_diag_error(diag, nowhere, "ndp.hdl: %s", error->message);
		return false;
	}
	g_checksum_update(sum, (const guchar *)text, (gssize)size);
	return true;
}

static char *key_of(const struct hdl_sources *from, const char *file, const char *include, struct base_diag_list *diag)
{
	const char *const version[] = {"verilator", "--version", NULL};
	const char *const preprocess[] = {"verilator", "-E", "-P", include, file, NULL};
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *text = NULL, *tool = NULL;

	if (!run(version, &tool, diag) || !run(preprocess, &text, diag) ||
	    !add_file(sum, from->shim, "shim.cpp", diag) || !add_file(sum, from->shim, "ports.h", diag))
		return NULL;
	g_checksum_update(sum, (const guchar *)tool, -1);
	g_checksum_update(sum, (const guchar *)text, -1);
	return g_strdup(g_checksum_get_string(sum));
}

/* ---- building ---- */

static void remove_folder(const char *path)
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

/* In its folder: the model's C++ by Verilator, with our part, as one library. */
static bool make_library(const struct hdl_sources *from, const char *file, const char *include, const char *folder,
			 struct base_diag_list *diag)
{
	g_autofree char *shim = g_build_filename(from->shim, "shim.cpp", NULL);
	g_autofree char *absolute = g_canonicalize_filename(file, NULL);
	g_autofree char *shim_path = g_canonicalize_filename(shim, NULL);
	g_autofree char *ports = g_canonicalize_filename(from->shim, NULL);
	g_autofree char *flags = g_strdup_printf("-fPIC -O2 -I%s", ports);
	const char *const words[] = {"verilator",  "--cc",     "--exe",       "--build", "-O3",          "-Wno-fatal",
				     "--x-assign", "0",        "--x-initial", "0",       "--top-module", "ndp",
				     "--prefix",   "Vndp",     "-Mdir",       folder,    include,        "-CFLAGS",
				     flags,        "-LDFLAGS", "-shared",     "-o",      "design.so",    absolute,
				     shim_path,    NULL};

	return run(words, NULL, diag);
}

char *hdl_design_build(const struct hdl_sources *from, const char *file, struct base_diag_list *diag)
{
	g_autofree char *folder_of_file = g_path_get_dirname(file);
	g_autofree char *include = g_strconcat("-I", folder_of_file, NULL);
	g_autofree char *kept = g_build_filename(g_get_user_cache_dir(), "strata", "hdl", NULL);
	g_autofree char *key = NULL, *name = NULL, *scratch = NULL, *made = NULL;
	bool is_made;

	if (!is_there("verilator", diag) || !is_there("make", diag) || !is_there("g++", diag))
		return NULL;
	key = key_of(from, file, include, diag);
	if (!key)
		return NULL;
	name = g_strdup_printf("%s/%s.so", kept, key);
	if (!access(name, R_OK))
		return g_steal_pointer(&name);
	scratch = g_build_filename(kept, "make-XXXXXX", NULL);
	if (g_mkdir_with_parents(kept, 0777) || !g_mkdtemp(scratch)) {
		base_diag_error(diag, nowhere, "ndp.hdl: cannot write to %s: %s", kept, strerror(errno));
		return NULL;
	}
	made = g_build_filename(scratch, "design.so", NULL);
	is_made = make_library(from, file, include, scratch, diag);
	if (is_made && g_rename(made, name)) {
		base_diag_error(diag, nowhere, "ndp.hdl: cannot keep %s: %s", name, strerror(errno));
		is_made = false;
	}
	remove_folder(scratch);
	return is_made ? g_steal_pointer(&name) : NULL;
}
