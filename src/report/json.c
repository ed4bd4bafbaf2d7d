/* json.c - writes result objects to a file, whole or not at all. */
#include "report/report.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>

static bool dump(const char *path, const json_t *runs)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;

	bool is_written = !json_dumpf(runs, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) && fputc('\n', f) != EOF;
	int error = errno;

	if (fclose(f))
		return false;
	errno = error;
	return is_written;
}

bool report_json_write(const char *path, const json_t *runs)
{
	/* A device or pipe is written in place; a file is replaced whole. */
	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return dump(path, runs);

	g_autofree char *part = g_strconcat(path, ".part", NULL);

	if (dump(part, runs) && !rename(part, path))
		return true;

	int error = errno;

	unlink(part);
	errno = error;
	return false;
}
