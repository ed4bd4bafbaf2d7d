/* kept.c - finds the libraries that are kept. */
#include "base/kept.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *base_kept_name(const struct base_kept *k, const char *key, const char *library)
{
	g_autofree char *contents = NULL, *sum = NULL;
	gsize size;

	if (!g_file_get_contents(library, &contents, &size, NULL))
		return NULL;
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)contents, size);
	return g_strdup_printf("%s/%s-%.*s.so", k->folder, key, k->sum_digits, sum);
}

bool base_kept_is_ours(const char *path, unsigned kind)
{
	struct stat st;

	return !lstat(path, &st) && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() && !(st.st_mode & 022);
}

char *base_kept_find(const struct base_kept *k, const char *key)
{
	GDir *dir = g_dir_open(k->folder, 0, NULL);
	char *found = NULL;
	const char *name;

	while (dir && !found && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(k->folder, name, NULL), *right = NULL;

		if (!g_str_has_prefix(name, key) || (k->is_of_user_only && !base_kept_is_ours(path, S_IFREG)))
			continue;
		right = base_kept_name(k, key, path);
		if (right && !strcmp(path, right))
			found = g_steal_pointer(&path);
		else
			g_remove(path);
	}
	if (dir)
		g_dir_close(dir);
	return found;
}
