/* scratch.c - a locked temporary directory; those of dead commands are removed. */
#include "cli/scratch.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* No other program has such a file: only directories that hold one are ever removed. */
static const char prefix[] = "strata-", lock_name[] = ".strata-scratch-lock", new_name[] = ".strata-scratch-new";

static int lock_fd = -1;

static void remove_files(const char *dir)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);

		unlink(path);
	}
	if (d)
		g_dir_close(d);
	rmdir(dir);
}

/* With a lock that nobody holds: its process has gone. */
static void remove_if_left(const char *dir, void *ctx)
{
	g_autofree char *path = g_build_filename(dir, lock_name, NULL);
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	(void)ctx;
	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		remove_files(dir);
	close(fd);
}

void cli_scratch_each(void (*fn)(const char *dir, void *ctx), void *ctx)
{
	GDir *d = g_dir_open(g_get_tmp_dir(), 0, NULL);
	const char *name;
	struct stat st;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *path = g_build_filename(g_get_tmp_dir(), name, NULL);

		if (g_str_has_prefix(name, prefix) && !lstat(path, &st) && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid())
			fn(path, ctx);
	}
	if (d)
		g_dir_close(d);
}

/* False, with errno, when there is no room for it. The file gets its name when it is locked: a process that begins in
 * between would take the directory for one left behind. */
static bool lock(const char *dir)
{
	g_autofree char *made = g_build_filename(dir, new_name, NULL);
	g_autofree char *path = g_build_filename(dir, lock_name, NULL);

	lock_fd = open(made, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return lock_fd >= 0 && !flock(lock_fd, LOCK_EX | LOCK_NB) && !rename(made, path);
}

char *cli_scratch_make(void)
{
	g_autoptr(GError) error = NULL;
	char *dir;

	cli_scratch_each(remove_if_left, NULL);
	dir = g_dir_make_tmp("strata-XXXXXX", &error);
	if (dir && lock(dir))
		return dir;
	cli_error("cannot make a temporary directory: %s", dir ? strerror(errno) : error->message);
	if (dir)
		cli_scratch_remove(dir);
	return NULL;
}

void cli_scratch_remove(char *dir)
{
	remove_files(dir);
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
	g_free(dir);
}
