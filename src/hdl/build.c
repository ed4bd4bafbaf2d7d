/* build.c - which tool makes a design's library, and the kept libraries. */
#include "hdl/build.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/kept.h"
#include "hdl/backend.h"

static const struct base_place nowhere = {0};

char *hdl_design_find(const struct hdl_sources *from, const char *name, struct base_diag_list *diag)
{
	g_autofree char *verilog = g_strconcat(name, ".v", NULL), *vhdl = g_strconcat(name, ".vhd", NULL);
	g_autofree char *path = strchr(name, '/') ? g_strdup(name) : g_build_filename(from->designs, verilog, NULL);

	if (!strchr(name, '/') && access(path, R_OK)) {
		g_free(path);
		path = g_build_filename(from->designs, vhdl, NULL);
	}
	if (!access(path, R_OK))
		return g_steal_pointer(&path);
	if (strchr(name, '/'))
		base_diag_error(diag, nowhere, "hdl.design = %s: %s", name, strerror(errno));
	else
		base_diag_error(diag, nowhere,
				"hdl.design = %s: there is no design of ours of this name; a file has a '/': ./%s",
				name, name);
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
		base_diag_error(diag, nowhere, "hdl.design: %s", error->message);
		return false;
	}
	g_checksum_update(sum, (const guchar *)text, (gssize)size);
	return true;
}

/* All Verilog of its folders: modules and includes are looked for there, too. */
static bool add_folder(GChecksum *sum, const char *folder, struct base_diag_list *diag)
{
	static const char *const suffixes[] = {".v", ".sv", ".vh", ".svh", NULL};
	g_autoptr(GPtrArray) names = hdl_tool_names(folder, suffixes);
	bool is_good = true;

	for (uint32_t i = 0; is_good && i < names->len; i++)
		is_good = add_file(sum, folder, names->pdata[i], diag);
	return is_good;
}

static bool add_folders(GChecksum *sum, const struct hdl_files *f, struct base_diag_list *diag)
{
	bool is_good = true;

	for (uint32_t i = 0; is_good && i < f->folders->len; i++)
		is_good = add_folder(sum, f->folders->pdata[i], diag);
	return is_good;
}

/* *key: NULL where the tool refuses the design. False after a message. */
static bool key_of(const struct hdl_backend *by, const struct hdl_making *m, GString *said, char **key,
		   struct base_diag_list *diag)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *text = by->text(m, said);

	*key = NULL;
	if (!text)
		return true;
	g_checksum_update(sum, (const guchar *)text, -1);
	if (!add_folders(sum, m->files, diag))
		return false;
	for (const char *const *part = by->parts; *part; part++)
		if (!add_file(sum, m->shim, *part, diag))
			return false;
	*key = g_strdup(g_checksum_get_string(sum));
	return true;
}

/* ---- what is kept ---- */

static struct base_kept kept_in(const char *folder)
{
	return (struct base_kept){.folder = folder, .sum_digits = 64};
}

/* The library made by that tool moves to those that are kept. */
static char *keep(const char *kept, const char *key, const char *scratch, struct base_diag_list *diag)
{
	const struct base_kept libraries = kept_in(kept);
	g_autofree char *made = g_build_filename(scratch, "design.so", NULL);
	g_autofree char *name = base_kept_name(&libraries, key, made);

	if (name && !g_rename(made, name))
		return g_steal_pointer(&name);
	base_diag_error(diag, nowhere, "hdl.design: cannot keep %s: %s", made, strerror(errno));
	return NULL;
}

/* ---- building ---- */

static bool copy_parts(const struct hdl_backend *by, const struct hdl_making *m, struct base_diag_list *diag)
{
	for (const char *const *part = by->parts; *part; part++)
		if (!hdl_tool_copy(m->shim, m->scratch, *part, diag))
			return false;
	return true;
}

static bool has_tools(const struct hdl_backend *by, struct base_diag_list *diag)
{
	for (const char *const *need = by->needs; *need; need += 2)
		if (!hdl_tool_is_there(need[0], need[1], diag))
			return false;
	return true;
}

/* A line of ours, "hdl.design: ...", names the design's mistake: it is what is said, and what the tools make of the
 * same mistake is not. False: there is none. */
static bool say_ours(GString *said, gsize from, struct base_diag_list *diag)
{
	g_auto(GStrv) lines = g_strsplit(said->str + from, "\n", -1);
	bool is_any = false;

	for (char **line = lines; *line; line++)
		if (g_str_has_prefix(*line, "hdl.design: ")) {
			base_diag_error(diag, nowhere, "%s", *line);
			is_any = true;
		}
	if (is_any)
		g_string_truncate(said, from);
	return is_any;
}

/* Why there is no library: in one of our lines, or in what the tools have said. */
static void say_failed(GString *said, gsize from, bool *is_refused, struct base_diag_list *diag)
{
	if (say_ours(said, from, diag))
		*is_refused = false;
	else if (!*is_refused)
		base_diag_error(diag, nowhere,
				"hdl.design: no library can be made of the design; what the tools say is above");
}

/* One that this tool has made or makes now; NULL with *is_refused: the tool does not take the design, and says why;
 * NULL else: after a message. */
static char *library_by(const struct hdl_backend *by, const struct hdl_making *of, GString *said, bool *is_refused,
			struct base_diag_list *diag)
{
	g_autofree char *kept = g_build_filename(g_get_user_cache_dir(), "strata", "hdl", NULL);
	g_autofree char *scratch = g_build_filename(kept, "make-XXXXXX", NULL), *key = NULL;
	const struct base_kept libraries = kept_in(kept);
	struct hdl_making m = *of;
	char *name = NULL;

	*is_refused = false;
	if (!has_tools(by, diag) || !key_of(by, &m, said, &key, diag))
		return NULL;
	*is_refused = !key;
	name = key ? base_kept_find(&libraries, key) : NULL;
	if (!key || name)
		return name;
	if (g_mkdir_with_parents(kept, 0777) || !g_mkdtemp(scratch)) {
		base_diag_error(diag, nowhere, "hdl.design: cannot write to %s: %s", kept, strerror(errno));
		return NULL;
	}
	m.scratch = scratch;
	if (copy_parts(by, &m, diag)) {
		const gsize from = said->len;

		if (by->make(&m, said, is_refused))
			name = keep(kept, key, scratch, diag);
		else
			say_failed(said, from, is_refused, diag);
	}
	hdl_tool_remove_folder(scratch);
	return name;
}

static void refuse(const char *tool, struct base_diag_list *diag)
{
	base_diag_error(diag, nowhere, "hdl.design: %s refuses the design; what it says is above", tool);
}

/* What the first tool refuses, the other may take: then that is said, and not why. */
static char *library_by_any(const struct hdl_making *m, GString *said, struct base_diag_list *diag)
{
	g_autoptr(GString) said_then = g_string_new(NULL);
	g_autofree char *there = g_find_program_in_path(hdl_icarus.tool);
	struct base_diag_list of_icarus;
	bool is_refused;
	char *library = library_by(&hdl_verilator, m, said, &is_refused, diag);

	if (library || !is_refused)
		return library;
	base_diag_init(&of_icarus);
	if (there)
		library = library_by(&hdl_icarus, m, said_then, &is_refused, &of_icarus);
	base_diag_free(&of_icarus);
	if (library)
		g_string_printf(
		    said,
		    "hdl.design: verilator refuses the design, so Icarus Verilog simulates it, which is slower\n");
	else
		refuse("verilator", diag);
	return library;
}

static char *library_of(const struct hdl_making *m, const struct hdl_params *p, GString *said,
			struct base_diag_list *diag)
{
	const struct hdl_backend *by = p->simulator == HDL_SIMULATOR_ICARUS ? &hdl_icarus : &hdl_verilator;
	bool is_refused;
	char *library;

	if (p->simulator == HDL_SIMULATOR_ANY)
		return library_by_any(m, said, diag);
	library = library_by(by, m, said, &is_refused, diag);
	if (is_refused)
		refuse(by->tool, diag);
	return library;
}

/* The design as a file in Verilog, in the folder. NULL after a message. Free with g_free. */
static char *verilog_of(const struct hdl_files *files, const char *folder, GString *said, struct base_diag_list *diag)
{
	g_autofree char *to = g_build_filename(folder, "ndp.v", NULL), *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!hdl_tool_is_there("ghdl", "ghdl", diag))
		return NULL;
	text = hdl_vhdl_text(files, folder, said);
	if (!text) {
		refuse("ghdl", diag);
		return NULL;
	}
	if (g_file_set_contents(to, text, -1, &error))
		return g_steal_pointer(&to);
	base_diag_error(diag, nowhere, "hdl.design: %s", error->message);
	return NULL;
}

static char *build_vhdl(struct hdl_making *m, const struct hdl_params *p, GString *said, struct base_diag_list *diag)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *folder = g_dir_make_tmp("strata-hdl-XXXXXX", &error), *verilog = NULL;
	struct hdl_files *made = NULL;
	char *library = NULL;

	if (!folder) {
		base_diag_error(diag, nowhere, "hdl.design: %s", error->message);
		return NULL;
	}
	verilog = verilog_of(m->files, folder, said, diag);
	made = verilog ? hdl_files_find(verilog, "", "", diag) : NULL;
	m->files = made;
	m->is_vhdl = true;
	if (made)
		library = library_of(m, p, said, diag);
	hdl_files_free(made);
	hdl_tool_remove_folder(folder);
	return library;
}

char *hdl_design_build(const struct hdl_sources *from, const char *file, const struct hdl_params *p,
		       struct base_diag_list *diag)
{
	g_autoptr(GString) said = g_string_new(NULL);
	struct hdl_files *files = hdl_files_find(file, p->defines, p->parameters, diag);
	struct hdl_making m = {.files = files,
				.shim = from->shim,
				.name = p->design,
				.port_count = (uint32_t)p->port_count,
				.port_bytes = (uint32_t)p->port_bytes,
				.is_waved = *p->wave,
				.is_random = p->initial_seed != 0};
	char *library;

	if (!files)
		return NULL;
	library = files->is_vhdl ? build_vhdl(&m, p, said, diag) : library_of(&m, p, said, diag);
	hdl_files_free(files);
	fputs(said->str, stderr);
	return library;
}
