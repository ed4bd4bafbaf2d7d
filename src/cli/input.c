/* input.c - copies of standard input and of the working directory, one per run. */
#include "cli/input.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 65536, PATIENCE_MS = 1000, NAMES_AT_ONCE = 256 };

/* The next bytes of standard input; 0 at its end, -1 with errno. Tells once that it waits. */
static ssize_t input_read(char *buffer, bool *has_told)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t length;

	if (!*has_told && !poll(&in, 1, PATIENCE_MS)) {
		cli_error("waiting for the end of standard input, which every run gets a copy of; </dev/null for none");
		*has_told = true;
	}
	do
		length = read(STDIN_FILENO, buffer, COPY_BYTES);
	while (length < 0 && errno == EINTR);
	return length;
}

static bool input_write(FILE *to)
{
	char buffer[COPY_BYTES];
	bool has_told = false;
	ssize_t length;

	while ((length = input_read(buffer, &has_told)) > 0)
		if (fwrite(buffer, 1, (size_t)length, to) != (size_t)length)
			return false;
	return !length;
}

char *cli_input_copy(const char *dir)
{
	const int flags = fcntl(STDIN_FILENO, F_GETFL);

	/* Closed, and not readable, is as good as empty. */
	if (isatty(STDIN_FILENO) || flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
		return g_strdup("/dev/null");

	char *path = g_build_filename(dir, "stdin", NULL);
	FILE *f = fopen(path, "wb");
	bool is_copied = f && input_write(f);
	int error = errno;

	if (f && fclose(f) && is_copied) {
		is_copied = false;
		error = errno;
	}
	if (is_copied)
		return path;
	cli_error("cannot copy standard input to %s: %s", path, strerror(error));
	g_free(path);
	return NULL;
}

/* cp knows links, modes, times, sparse files and clones. */
static bool names_copy(GPtrArray *words, const char *to)
{
	g_autofree char *message = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;
	bool is_run;

	g_ptr_array_add(words, NULL);
	is_run = g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &message,
			      &status, &error);
	if (is_run && !status)
		return true;
	cli_error("cannot copy the working directory to %s: %s", to, is_run ? g_strchomp(message) : error->message);
	return false;
}

static GPtrArray *copy_words(const char *to)
{
	const char *const first[] = {"cp", "-a", "--reflink=auto", "-t", to, "--"};
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < G_N_ELEMENTS(first); i++)
		g_ptr_array_add(words, g_strdup(first[i]));
	return words;
}

bool cli_cwd_copy(const char *to)
{
	GDir *dir = g_dir_open(".", 0, NULL);
	const char *name = "";
	bool is_ok = dir && !g_mkdir_with_parents(to, 0777);

	if (!is_ok)
		cli_error("cannot copy the working directory to %s: %s", to, strerror(errno));
	while (is_ok && name) {
		GPtrArray *words = copy_words(to);
		const uint32_t before = words->len;

		while (words->len < NAMES_AT_ONCE && (name = g_dir_read_name(dir)))
			if (strcmp(name, ".strata"))
				g_ptr_array_add(words, g_strdup(name));
		is_ok = words->len == before || names_copy(words, to);
		g_ptr_array_free(words, TRUE);
	}
	if (dir)
		g_dir_close(dir);
	return is_ok;
}
