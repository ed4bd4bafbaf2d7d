/* file_list.c - a design's file list: words on lines, with comments behind // or #. */
#include "hdl/file_list.h"

#include <string.h>

enum { DEPTH_MAX = 16 };

struct list {
	struct hdl_files *f;
	struct base_diag_list *diag;
	const char *path;
	char *folder, *library;
	struct base_place at; /* of the word that is read */
	uint32_t depth;
};

static bool read_list(struct list *l);

static char *from_here(const struct list *l, const char *name)
{
	return g_canonicalize_filename(name, l->folder);
}

/* One word that is no name of a file may need the next: it is in *pending then. */
static bool add_folder(struct list *l, const char *name)
{
	g_autofree char *folder = from_here(l, name);

	if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
		base_diag_error(l->diag, l->at, "hdl.design: there is no folder %s", folder);
		return false;
	}
	g_ptr_array_add(l->f->folders, g_steal_pointer(&folder));
	return true;
}

static bool add_plus(struct list *l, const char *word)
{
	const bool is_define = g_str_has_prefix(word, "+define+");
	g_auto(GStrv) parts = g_strsplit(strchr(word + 1, '+') + 1, "+", -1);

	for (char **part = parts; *part; part++) {
		if (is_define)
			g_ptr_array_add(l->f->defines, g_strdup(*part));
		else if (!add_folder(l, *part))
			return false;
	}
	return true;
}

static bool add_file(struct list *l, const char *word)
{
	g_autofree char *file = from_here(l, word);
	const bool is_vhdl = hdl_file_is_vhdl(file);

	if (!g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
		base_diag_error(l->diag, l->at, "hdl.design: there is no file %s", file);
		return false;
	}
	if (l->f->files->len && is_vhdl != l->f->is_vhdl) {
		base_diag_error(l->diag, l->at, "hdl.design: %s: a design is in Verilog or in VHDL, not in both", word);
		return false;
	}
	l->f->is_vhdl = is_vhdl;
	hdl_files_add(l->f, file, l->library);
	return true;
}

static bool include(struct list *l, const char *word)
{
	g_autofree char *path = from_here(l, word);
	struct list inner = {.f = l->f, .diag = l->diag, .path = path, .depth = l->depth + 1, .at = l->at};

	if (inner.depth > DEPTH_MAX) {
		base_diag_error(l->diag, l->at, "hdl.design: file lists include each other more than %u deep",
				DEPTH_MAX);
		return false;
	}
	return read_list(&inner);
}

static bool with_option(struct list *l, char option, const char *word)
{
	switch (option) {
	case 'y':
		return add_folder(l, word);
	case 'f':
		return include(l, word);
	default:
		g_free(l->library);
		l->library = g_ascii_strdown(word, -1);
		return true;
	}
}

/* *pending: an option that waits for its word, or 0. */
static bool take(struct list *l, const char *word, char *pending)
{
	const char option = *pending;

	*pending = 0;
	if (option)
		return with_option(l, option, word);
	if (g_str_has_prefix(word, "+incdir+") || g_str_has_prefix(word, "+define+"))
		return add_plus(l, word);
	if (g_str_has_prefix(word, "-G") && strchr(word, '=')) {
		g_ptr_array_add(l->f->parameters, g_strdup(word + 2));
		return true;
	}
	if (!strcmp(word, "-y") || !strcmp(word, "-f") || !strcmp(word, "-work")) {
		*pending = word[1];
		return true;
	}
	if (*word != '-' && *word != '+')
		return add_file(l, word);
	base_diag_error(l->diag, l->at,
			"hdl.design: '%s' is not known here; expected a file, +incdir+FOLDER, +define+NAME=VALUE, "
			"-y FOLDER, -GNAME=VALUE, -work LIBRARY or -f LIST",
			word);
	return false;
}

static bool read_line(struct list *l, char *line, char *pending)
{
	char *at = line, *comment = strstr(line, "//");

	if (comment)
		*comment = '\0';
	line[strcspn(line, "#\r")] = '\0';
	while (*(at += strspn(at, " \t"))) {
		const size_t length = strcspn(at, " \t");
		g_autofree char *word = g_strndup(at, length);

		l->at.col = (uint32_t)(at - line) + 1;
		if (!take(l, word, pending))
			return false;
		at += length;
	}
	return true;
}

static bool read_list(struct list *l)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	g_autoptr(GError) error = NULL;
	char pending = 0;
	bool is_good;

	if (!g_file_get_contents(l->path, &text, NULL, &error)) {
		base_diag_error(l->diag, l->at, "hdl.design: %s", error->message);
		return false;
	}
	l->folder = g_path_get_dirname(l->path);
	l->library = g_strdup("work");
	l->at = (struct base_place){.file = l->path};
	g_ptr_array_add(l->f->folders, g_strdup(l->folder));
	lines = g_strsplit(text, "\n", -1);
	is_good = true;
	for (char **line = lines; is_good && *line; line++) {
		l->at.line++;
		is_good = read_line(l, *line, &pending);
	}
	if (is_good && pending) {
		base_diag_error(l->diag, l->at, "hdl.design: the list ends behind -%s, which needs a word",
				pending == 'w' ? "work" : (char[]){pending, '\0'});
		is_good = false;
	}
	g_free(l->folder);
	g_free(l->library);
	return is_good;
}

bool hdl_file_list_read(struct hdl_files *f, const char *path, struct base_diag_list *diag)
{
	struct list l = {.f = f, .diag = diag, .path = path};

	if (!read_list(&l))
		return false;
	if (f->files->len)
		return true;
	base_diag_error(diag, (struct base_place){.file = path}, "hdl.design: the list names no file");
	return false;
}
