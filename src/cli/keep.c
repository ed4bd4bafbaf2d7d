#include "cli/keep.h"

#include "cli/options.h"
#include "report/report.h"

#include <errno.h>
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
	json_t *none = json_array();
	g_autofree char *message = report_store_add(cli_store_path(), none);

	json_decref(none);
	if (message)
		cli_error("%s: %s; STRATA_STORE=FILE names another place", command, message);
	return !message;
}

bool cli_runs_keep(const char *json_path, const json_t *runs)
{
	bool is_ok = true;

	if (json_path && !report_json_write(json_path, runs)) {
		cli_error("cannot write %s: %s", json_path, strerror(errno));
		is_ok = false;
	}

	g_autofree char *message = report_store_add(cli_store_path(), runs);

	if (message)
		cli_error("%s", message);
	return is_ok && !message;
}
