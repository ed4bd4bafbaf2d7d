/* keep.c - into the run store and the user's file, and a spare place if they fail. */
#include "cli/keep.h"

#include "cli/options.h"
#include "report/check.h"
#include "report/report.h"
#include "report/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_store_path(void)
{
	const char *path = getenv("STRATA_STORE");

	return path && *path ? path : ".strata/runs.db";
}

static FILE *own_output; /* our standard output, once an option is "-" */

/* Once for a command, whichever options are "-". */
static bool output_take(const char *command, const char *option)
{
	int fd = own_output ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (own_output) {
		cli_error("%s: --%s -: another option has standard output", command, option);
		return false;
	}
	fflush(stdout);
	if (fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		own_output = fdopen(fd, "w");
	if (!own_output)
		cli_error("%s: cannot write --%s -: %s", command, option, strerror(errno));
	return own_output != NULL;
}

bool cli_output_check(const char *command, const char *option, const char *path)
{
	if (!path)
		return true;
	if (!strcmp(path, "-") && (!strcmp(option, "json") || !strcmp(option, "csv")))
		return output_take(command, option);
	if (!strcmp(path, "-")) {
		cli_error("%s: --%s -: expected a file", command, option);
		return false;
	}

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

static bool keep(const char *path, const json_t *value, const char *text, size_t length)
{
	const bool is_own = path && !strcmp(path, "-");
	bool is_kept = true;

	if (is_own)
		is_kept = report_put_to(own_output, value, text, length) && !fflush(own_output);
	else if (path)
		is_kept = value ? report_json_write(path, value) : report_text_write(path, text, length);
	if (!is_kept)
		cli_error("cannot write %s: %s", is_own ? "standard output" : path, strerror(errno));
	return is_kept;
}

bool cli_json_keep(const char *path, const json_t *runs)
{
	return keep(path, runs, NULL, 0);
}

bool cli_text_keep(const char *path, const char *text, size_t length)
{
	return keep(path, NULL, text, length);
}

/* ---- and back ---- */

json_t *cli_run_stored(const char *command, const char *word, int *exit_status)
{
	char *message;
	const uint64_t number = report_runs_number(cli_store_path(), word, &message);
	json_t *run = number ? report_runs_get(cli_store_path(), number, &message) : NULL;

	if (run)
		return run;
	*exit_status = number ? CLI_UNABLE : CLI_USAGE;
	cli_error("%s: %s", command, message);
	g_free(message);
	return NULL;
}

/* The message of the first result that is wrong, or NULL. */
static char *results_check(const json_t *runs)
{
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		g_autofree char *wrong = report_check(run);

		if (wrong)
			return g_strdup_printf("result %zu: %s", i + 1, wrong);
	}
	return NULL;
}

json_t *cli_runs_of_file(const char *command, const char *path, int *exit_status)
{
	json_error_t error;
	json_t *file = json_load_file(path, 0, &error);
	json_t *runs = json_is_object(file) ? json_pack("[O]", file) : json_incref(file);
	g_autofree char *wrong = NULL;

	json_decref(file);
	*exit_status = CLI_USAGE;
	if (!runs) {
		cli_error("%s: cannot read %s: %s", command, path, error.text);
		return NULL;
	}
	if (!json_array_size(runs))
		cli_error("%s: %s holds no results", command, path);
	else if ((wrong = results_check(runs)))
		cli_error("%s: %s: %s", command, path, wrong);
	else
		return runs;
	json_decref(runs);
	return NULL;
}
