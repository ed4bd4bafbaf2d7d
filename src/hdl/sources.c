/* sources.c - which files a design is made of. */
#include "hdl/sources.h"

#include <errno.h>
#include <string.h>

#include "hdl/file_list.h"
#include "hdl/tools.h"

static const char *const verilog_suffixes[] = {".v", ".sv", NULL};
static const char *const vhdl_suffixes[] = {".vhd", ".vhdl", NULL};

enum { FOLDERS_MAX = 1000, DEPTH_MAX = 16 };

static const struct base_place nowhere = {0};

static bool has_suffix(const char *file, const char *const *suffixes)
{
	for (const char *const *suffix = suffixes; *suffix; suffix++)
		if (g_str_has_suffix(file, *suffix))
			return true;
	return false;
}

bool hdl_file_is_vhdl(const char *file)
{
	return has_suffix(file, vhdl_suffixes);
}

struct hdl_files *hdl_files_new(const char *top)
{
	struct hdl_files *f = g_new0(struct hdl_files, 1);

	f->top = g_strdup(top);
	f->files = g_ptr_array_new_with_free_func(g_free);
	f->libraries = g_ptr_array_new_with_free_func(g_free);
	f->folders = g_ptr_array_new_with_free_func(g_free);
	f->defines = g_ptr_array_new_with_free_func(g_free);
	f->parameters = g_ptr_array_new_with_free_func(g_free);
	return f;
}

void hdl_files_free(struct hdl_files *f)
{
	if (!f)
		return;
	g_free(f->top);
	g_ptr_array_unref(f->files);
	g_ptr_array_unref(f->libraries);
	g_ptr_array_unref(f->folders);
	g_ptr_array_unref(f->defines);
	g_ptr_array_unref(f->parameters);
	g_free(f);
}

void hdl_files_add(struct hdl_files *f, const char *file, const char *library)
{
	g_ptr_array_add(f->files, g_strdup(file));
	g_ptr_array_add(f->libraries, g_strdup(library));
}

void hdl_words_add(GPtrArray *command, const char *prefix, const GPtrArray *words)
{
	for (uint32_t i = 0; i < words->len; i++)
		g_ptr_array_add(command, g_strconcat(prefix, words->pdata[i], NULL));
}

char *hdl_parameters_text(const struct hdl_files *f)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < f->parameters->len; i++) {
		const char *pair = f->parameters->pdata[i], *equals = strchr(pair, '=');

		g_string_append_printf(text, "%s.%.*s(%s)", i ? ", " : "#(", (int)(equals - pair), pair, equals + 1);
	}
	return g_string_free(g_string_append(text, f->parameters->len ? ")" : ""), FALSE);
}

/* ---- what a file declares and uses ---- */

struct source {
	char *path;
	GHashTable *units;    /* names of the modules, interfaces and packages in it; entities and packages of VHDL */
	GHashTable *packages; /* those of them that are packages */
	GHashTable *words;    /* all identifiers, in lower case for VHDL */
	bool is_visited;
};

static void source_free(gpointer source)
{
	struct source *s = source;

	g_free(s->path);
	g_hash_table_unref(s->units);
	g_hash_table_unref(s->packages);
	g_hash_table_unref(s->words);
	g_free(s);
}

static char *without_comments(const char *text, bool is_vhdl)
{
	const char *pattern = is_vhdl ? "--[^\n]*" : "//[^\n]*|/\\*.*?\\*/";
	g_autoptr(GRegex) comment = g_regex_new(pattern, G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);

	return g_regex_replace_literal(comment, text, -1, 0, " ", 0, NULL);
}

/* Adds the last group of each match to a set. */
static void add_matches(GHashTable *to, const char *text, const char *pattern)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_RAW, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	for (g_regex_match(regex, text, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL))
		g_hash_table_add(to, g_match_info_fetch(match, g_match_info_get_match_count(match) - 1));
}

static GHashTable *name_set(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* NULL after a message. */
static struct source *source_read(const char *path, struct base_diag_list *diag)
{
	const bool is_vhdl = hdl_file_is_vhdl(path);
	g_autofree char *raw = NULL, *text = NULL, *lower = NULL;
	g_autoptr(GError) error = NULL;
	struct source *s;

	if (!g_file_get_contents(path, &raw, NULL, &error)) {
		base_diag_error(diag, nowhere, "hdl.design: %s", error->message);
		return NULL;
	}
	text = without_comments(raw, is_vhdl);
	lower = is_vhdl ? g_ascii_strdown(text, -1) : g_strdup(text);
	s = g_new0(struct source, 1);
	*s = (struct source){g_strdup(path), name_set(), name_set(), name_set(), false};
	add_matches(s->words, lower, "[A-Za-z_][A-Za-z0-9_$]*");
	add_matches(s->packages, lower,
		    is_vhdl ? "\\bpackage\\s+(?!body\\b)([a-z]\\w*)\\s+is\\b"
			    : "\\bpackage\\s+(?:(?:automatic|static)\\s+)?([A-Za-z_]\\w*)\\s*;");
	add_matches(s->units, lower,
		    is_vhdl ? "\\b(?:entity|package)\\s+(?!body\\b)([a-z]\\w*)\\s+is\\b"
			    : "\\b(?:module|interface|package)\\s+(?:(?:automatic|static)\\s+)?([A-Za-z_]\\w*)");
	return s;
}

/* NULL after a message. */
static GPtrArray *sources_read(GPtrArray *paths, struct base_diag_list *diag)
{
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(source_free);

	for (uint32_t i = 0; i < paths->len; i++) {
		struct source *s = source_read(paths->pdata[i], diag);

		if (!s)
			return NULL;
		g_ptr_array_add(sources, s);
	}
	return g_steal_pointer(&sources);
}

/* ---- folders ---- */

/* The folder and those below it, without hidden ones. False after a message. */
static bool add_tree(GPtrArray *to, const char *folder, uint32_t depth, struct base_diag_list *diag)
{
	g_autoptr(GPtrArray) names = NULL;

	if (to->len == FOLDERS_MAX || depth > DEPTH_MAX) {
		base_diag_error(diag, nowhere,
				"hdl.design: %s has more than %u folders below it, or deeper than %u; expected a "
				"design's own folder, or a file list",
				(char *)to->pdata[0], FOLDERS_MAX, DEPTH_MAX);
		return false;
	}
	g_ptr_array_add(to, g_strdup(folder));
	names = hdl_tool_names(folder, (const char *const[]){"", NULL});
	for (uint32_t i = 0; i < names->len; i++) {
		g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);

		if (*(const char *)names->pdata[i] != '.' && g_file_test(path, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && !add_tree(to, path, depth + 1, diag))
			return false;
	}
	return true;
}

static void add_files_of(GPtrArray *to, const char *folder, const char *const *suffixes)
{
	g_autoptr(GPtrArray) names = hdl_tool_names(folder, suffixes);

	for (uint32_t i = 0; i < names->len; i++)
		g_ptr_array_add(to, g_build_filename(folder, names->pdata[i], NULL));
}

/* ---- Verilog: what a design uses, packages before who uses them ---- */

static bool is_named_after(const struct source *s, const char *unit)
{
	g_autofree char *base = g_path_get_basename(s->path);
	char *dot = strrchr(base, '.');

	if (dot)
		*dot = '\0';
	return !strcmp(base, unit);
}

/* Of the files that declare a unit the one that is named after it, or the first; NULL: none does. */
static struct source *declaring(GPtrArray *sources, const char *unit, bool is_package)
{
	struct source *found = NULL;

	for (uint32_t i = 0; i < sources->len; i++) {
		struct source *s = sources->pdata[i];

		if (!g_hash_table_contains(is_package ? s->packages : s->units, unit))
			continue;
		if (is_named_after(s, unit))
			return s;
		found = found ? found : s;
	}
	return found;
}

/* The file, after those whose packages it uses; and, if all is asked for, with those whose units it uses. */
static void visit(struct hdl_files *f, GPtrArray *sources, struct source *s, bool is_all)
{
	g_autoptr(GList) words = NULL;

	if (s->is_visited)
		return;
	s->is_visited = true;
	words = g_list_sort(g_hash_table_get_keys(s->words), (GCompareFunc)strcmp);
	for (GList *word = words; word; word = word->next) {
		struct source *of = declaring(sources, word->data, true);

		if (of && !g_hash_table_contains(s->units, word->data))
			visit(f, sources, of, is_all);
	}
	hdl_files_add(f, s->path, "work");
	for (GList *word = words; is_all && word; word = word->next) {
		struct source *of = declaring(sources, word->data, false);

		if (of && !g_hash_table_contains(s->units, word->data))
			visit(f, sources, of, is_all);
	}
}

static bool find_verilog_file(struct hdl_files *f, const char *file, struct base_diag_list *diag)
{
	g_autofree char *folder = g_path_get_dirname(file);
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free), sources = NULL;

	g_ptr_array_add(f->folders, g_strdup(folder));
	add_files_of(paths, folder, verilog_suffixes);
	sources = sources_read(paths, diag);
	if (!sources)
		return false;
	for (uint32_t i = 0; i < sources->len; i++) {
		struct source *s = sources->pdata[i];

		if (!strcmp(s->path, file))
			visit(f, sources, s, false);
	}
	if (!f->files->len) /* a name that does not end as those of Verilog do */
		hdl_files_add(f, file, "work");
	return true;
}

/* ---- VHDL: all files of the folder, which GHDL puts into order ---- */

/* Files below a folder whose name a clause "library NAME;" has are of that library. */
static const char *library_of(const char *folder, const char *file, GPtrArray *sources)
{
	const char *rest = file + strlen(folder) + 1, *slash = strchr(rest, '/');
	g_autofree char *name = slash ? g_ascii_strdown(rest, slash - rest) : NULL;

	for (uint32_t i = 0; name && i < sources->len; i++) {
		const struct source *s = sources->pdata[i];

		if (g_hash_table_contains(s->words, "library") && g_hash_table_contains(s->words, name))
			return g_intern_string(name);
	}
	return "work";
}

/* The design is the last, because of two entities of a name GHDL takes the later. Folders that are no library are only
 * looked into where the whole folder is the design. */
static bool find_vhdl(struct hdl_files *f, const char *folder, const char *design, bool is_tree,
		      struct base_diag_list *diag)
{
	g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free), sources = NULL;

	f->is_vhdl = true;
	if (is_tree ? !add_tree(folders, folder, 0, diag) : false)
		return false;
	if (!is_tree) {
		g_autoptr(GPtrArray) names = hdl_tool_names(folder, (const char *const[]){"", NULL});

		g_ptr_array_add(folders, g_strdup(folder));
		for (uint32_t i = 0; i < names->len; i++)
			g_ptr_array_add(folders, g_build_filename(folder, names->pdata[i], NULL));
	}
	for (uint32_t i = 0; i < folders->len; i++)
		add_files_of(paths, folders->pdata[i], vhdl_suffixes);
	sources = sources_read(paths, diag);
	if (!sources)
		return false;
	for (uint32_t i = 0; i < paths->len; i++) {
		const char *library = library_of(folder, paths->pdata[i], sources);
		g_autofree char *of = g_path_get_dirname(paths->pdata[i]);

		if (strcmp(paths->pdata[i], design) && (is_tree || strcmp(library, "work") || !strcmp(of, folder)))
			hdl_files_add(f, paths->pdata[i], library);
	}
	hdl_files_add(f, design, "work");
	return true;
}

/* ---- a folder ---- */

static bool find_folder(struct hdl_files *f, const char *folder, struct base_diag_list *diag)
{
	g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free), sources = NULL;
	struct source *top = NULL;

	if (!add_tree(folders, folder, 0, diag))
		return false;
	for (uint32_t i = 0; i < folders->len; i++) {
		add_files_of(paths, folders->pdata[i], verilog_suffixes);
		add_files_of(paths, folders->pdata[i], vhdl_suffixes);
	}
	sources = sources_read(paths, diag);
	for (uint32_t i = 0; sources && i < sources->len; i++) {
		struct source *s = sources->pdata[i];

		if (!g_hash_table_contains(s->units, "ndp"))
			continue;
		if (top) {
			base_diag_error(diag, nowhere,
					"hdl.design = %s: %s and %s both have a module or entity ndp; name one of "
					"them, or a file list",
					folder, top->path, s->path);
			return false;
		}
		top = s;
	}
	if (!top) {
		if (sources)
			base_diag_error(diag, nowhere,
					"hdl.design = %s: no file in it or below has a module or entity ndp", folder);
		return false;
	}
	if (hdl_file_is_vhdl(top->path))
		return find_vhdl(f, folder, top->path, true, diag);
	for (uint32_t i = 0; i < folders->len; i++)
		g_ptr_array_add(f->folders, g_strdup(folders->pdata[i]));
	visit(f, sources, top, true);
	return true;
}

/* ---- parameters and defines ---- */

static bool is_name(const char *text, size_t length)
{
	if (!length || g_ascii_isdigit(*text))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!g_ascii_isalnum(text[i]) && text[i] != '_' && text[i] != '$')
			return false;
	return true;
}

/* False after a message. */
static bool add_pairs(GPtrArray *to, const char *key, const char *text, bool needs_value, struct base_diag_list *diag)
{
	g_auto(GStrv) words = g_strsplit(text, ",", -1);

	for (char **word = words; *text && *word; word++) {
		const char *equals = strchrnul(*word, '=');

		if (!is_name(*word, (size_t)(equals - *word)) || (needs_value && (!*equals || !equals[1]))) {
			base_diag_error(diag, nowhere, "%s = %s: '%s' is no %s; expected them separated by commas", key,
					text, *word, needs_value ? "NAME=VALUE" : "NAME or NAME=VALUE");
			return false;
		}
		g_ptr_array_add(to, g_strdup(*word));
	}
	return true;
}

struct hdl_files *hdl_files_find(const char *path, const char *defines, const char *parameters,
				 struct base_diag_list *diag)
{
	g_autofree char *top = g_canonicalize_filename(path, NULL), *folder = g_path_get_dirname(top);
	struct hdl_files *f = hdl_files_new(top);
	bool is_good;

	if (g_file_test(top, G_FILE_TEST_IS_DIR))
		is_good = find_folder(f, top, diag);
	else if (g_str_has_suffix(top, ".f"))
		is_good = hdl_file_list_read(f, top, diag);
	else if (hdl_file_is_vhdl(top))
		is_good = find_vhdl(f, folder, top, false, diag);
	else
		is_good = find_verilog_file(f, top, diag);
	if (is_good && add_pairs(f->defines, "hdl.defines", defines, false, diag) &&
	    add_pairs(f->parameters, "hdl.parameters", parameters, true, diag))
		return f;
	hdl_files_free(f);
	return NULL;
}
