/* keep.c - into the run store and the user's file, and a spare place if they fail. */
#include "cli/keep.h"

#include "cli/options.h"
#include "report/report.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_store_path(void)
{
	const char *path = getenv("STRATA_STORE");

	return path && *path ? path : ".strata/runs.db";
}

bool cli_output_check(const char *command, const char *option, const char *path)
{
	if (!path)
		return true;

	g_autofree char *dir = g_path_get_dirname(path);
	bool is_there = g_file_test(path, G_FILE_TEST_EXISTS);

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		cli_error("%s: cannot write --%s %s: it is a directory", command, option, path);
	else if (access(is_there ? path : dir, W_OK))
		cli_error("%s: cannot write --%s %s: %s", command, option, path, strerror(errno));
	else
		return true;
	return false;
}

bool cli_store_check(const char *command)
{
	g_autofree char *message = report_store_check(cli_store_path());

	if (message)
		cli_error("%s: %s; STRATA_STORE=FILE names another place", command, message);
	return !message;
}

/* The file for what the store did not take, in the first folder that does: its path, or NULL. */
static char *unsaved_write(const json_t *runs)
{
	static uint32_t count;
	const char *const folders[] = {".", g_get_tmp_dir(), g_get_home_dir(), "/dev/shm"};
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *date = g_date_time_format(now, "%Y%m%dT%H%M%SZ");
	g_autofree char *name = g_strdup_printf("unsaved-%s-%d-%u.json", date, (int)getpid(), count++);

	for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
		char *path = i ? g_build_filename(folders[i], name, NULL) : g_strdup(name);

		if (report_json_write(path, runs))
			return path;
		g_free(path);
	}
	return NULL;
}

static void unsaved_keep(const json_t *runs, const char *message)
{
	g_autofree char *path = unsaved_write(runs);

	if (path)
		cli_error("%s; it is in %s instead", message, path);
	else
		cli_error("%s; no other folder takes it: the run is lost", message);
}

void cli_unsaved_keep(const json_t *runs)
{
	unsaved_keep(runs, "the run could not be kept in its place");
}

bool cli_runs_keep(const json_t *runs)
{
	g_autofree char *message = report_store_add(cli_store_path(), runs);

	if (message)
		unsaved_keep(runs, message);
	return !message;
}

bool cli_json_keep(const char *path, const json_t *runs)
{
	if (!path || report_json_write(path, runs))
		return true;
	cli_error("cannot write %s: %s", path, strerror(errno));
	return false;
}
