/* build.c - Verilator, the compiler and the kept libraries. */
#include "hdl/build.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

static const struct base_place nowhere = {0};

/* Runs a command in a folder (NULL: ours); its standard error is ours. Its standard output goes to *out, or nowhere. */
static bool run(const char *folder, const char *const *words, char **out, struct base_diag_list *diag)
{
	const GSpawnFlags flags = G_SPAWN_SEARCH_PATH | (out ? 0 : G_SPAWN_STDOUT_TO_DEV_NULL);
	g_autoptr(GError) error = NULL;
	int status;

	if (!g_spawn_sync(folder, (char **)(uintptr_t)words, NULL, flags, NULL, NULL, out, NULL, &status, &error)) {
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

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All Verilog beside it: modules are looked for there, too. */
static bool add_folder(GChecksum *sum, const char *folder, struct base_diag_list *diag)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;
	bool is_good = dir;

	while (dir && (name = g_dir_read_name(dir)))
		if (g_str_has_suffix(name, ".v") || g_str_has_suffix(name, ".sv") || g_str_has_suffix(name, ".vh") ||
		    g_str_has_suffix(name, ".svh"))
			g_ptr_array_add(names, g_strdup(name));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	for (uint32_t i = 0; is_good && i < names->len; i++)
		is_good = add_file(sum, folder, names->pdata[i], diag);
	return is_good;
}

/* How designs are built. Verilator's own makefiles optimise for size, which makes a design a third slower. */
#define BUILD_OPTIONS                                                                                                  \
	"--cc", "--exe", "--build", "-O3", "-Wno-fatal", "--x-assign", "0", "--x-initial", "0", "--top-module", "ndp", \
	    "--prefix", "Vndp", "-CFLAGS", "-fPIC -I.", "-MAKEFLAGS", "OPT_FAST=-O2", "-MAKEFLAGS", "OPT_GLOBAL=-O2",  \
	    "-LDFLAGS", "-shared"

/* Of what it includes from elsewhere as well: the preprocessed text. */
static char *key_of(const struct hdl_sources *from, const char *file, const char *folder, struct base_diag_list *diag)
{
	g_autofree char *include = g_strconcat("-I", folder, NULL);
	const char *const version[] = {"verilator", "--version", NULL}, *const compiler[] = {"g++", "--version", NULL};
	const char *const preprocess[] = {"verilator", "-E", "-P", include, file, NULL};
	const char *const options[] = {BUILD_OPTIONS};
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *text = NULL, *tool = NULL, *cxx = NULL;

	if (!run(NULL, version, &tool, diag) || !run(NULL, compiler, &cxx, diag) ||
	    !run(NULL, preprocess, &text, diag) || !add_folder(sum, folder, diag) ||
	    !add_file(sum, from->shim, "shim.cpp", diag) || !add_file(sum, from->shim, "ports.h", diag))
		return NULL;
	g_checksum_update(sum, (const guchar *)tool, -1);
	g_checksum_update(sum, (const guchar *)cxx, -1);
	g_checksum_update(sum, (const guchar *)text, -1);
	for (uint32_t i = 0; i < ARRAY_COUNT(options); i++)
		g_checksum_update(sum, (const guchar *)options[i], -1);
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

static bool copy_file(const char *from, const char *to, const char *name, struct base_diag_list *diag)
{
	g_autofree char *source = g_build_filename(from, name, NULL), *copy = g_build_filename(to, name, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;

	if (g_file_get_contents(source, &text, &size, &error) && g_file_set_contents(copy, text, (gssize)size, &error))
		return true;
	base_diag_error(diag, nowhere, "ndp.hdl: %s", error->message);
	return false;
}

/* In the folder: the model's C++ by Verilator, with our part, as one library. make knows no names with spaces, so all
 * of them are the folder's own. */
static bool make_library(const struct hdl_sources *from, const char *file, const char *folder_of_file,
			 const char *folder, struct base_diag_list *diag)
{
	g_autofree char *absolute = g_canonicalize_filename(file, NULL);
	g_autofree char *beside = g_canonicalize_filename(folder_of_file, NULL);
	g_autofree char *include = g_strconcat("-I", beside, NULL);
	const char *const words[] = {"verilator", BUILD_OPTIONS, "-Mdir",  ".",        include,
				     "-o",        "design.so",   absolute, "shim.cpp", NULL};

	return copy_file(from->shim, folder, "shim.cpp", diag) && copy_file(from->shim, folder, "ports.h", diag) &&
	       run(folder, words, NULL, diag);
}

/* Kept libraries are named KEY-SUM.so, by the checksum of what is in them, so that a damaged one is not loaded. */
static char *kept_name(const char *folder, const char *key, const char *library)
{
	g_autofree char *contents = NULL, *sum = NULL;
	gsize size;

	if (!g_file_get_contents(library, &contents, &size, NULL))
		return NULL;
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)contents, size);
	return g_strdup_printf("%s/%s-%s.so", folder, key, sum);
}

/* The kept library of this key, or NULL; damaged ones are removed. */
static char *find_kept(const char *folder, const char *key)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	char *found = NULL;
	const char *name;

	while (dir && !found && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL), *right = NULL;

		if (!g_str_has_prefix(name, key))
			continue;
		right = kept_name(folder, key, path);
		if (right && !strcmp(path, right))
			found = g_steal_pointer(&path);
		else
			g_remove(path);
	}
	if (dir)
		g_dir_close(dir);
	return found;
}

char *hdl_design_build(const struct hdl_sources *from, const char *file, struct base_diag_list *diag)
{
	g_autofree char *folder_of_file = g_path_get_dirname(file);
	g_autofree char *kept = g_build_filename(g_get_user_cache_dir(), "strata", "hdl", NULL);
	g_autofree char *key = NULL, *name = NULL, *scratch = NULL, *made = NULL;
	bool is_made;

	if (!is_there("verilator", diag) || !is_there("make", diag) || !is_there("g++", diag))
		return NULL;
	key = key_of(from, file, folder_of_file, diag);
	if (!key)
		return NULL;
	name = find_kept(kept, key);
	if (name)
		return g_steal_pointer(&name);
	scratch = g_build_filename(kept, "make-XXXXXX", NULL);
	if (g_mkdir_with_parents(kept, 0777) || !g_mkdtemp(scratch)) {
		base_diag_error(diag, nowhere, "ndp.hdl: cannot write to %s: %s", kept, strerror(errno));
		return NULL;
	}
	made = g_build_filename(scratch, "design.so", NULL);
	is_made = make_library(from, file, folder_of_file, scratch, diag);
	if (is_made) {
		name = kept_name(kept, key, made);
		if (!name || g_rename(made, name)) {
			base_diag_error(diag, nowhere, "ndp.hdl: cannot keep %s: %s", made, strerror(errno));
			is_made = false;
		}
	}
	remove_folder(scratch);
	return is_made ? g_steal_pointer(&name) : NULL;
}
