#include "cli/scratch.h"

#include "cli/options.h"

#include <unistd.h>

char *cli_scratch_make(void)
{
	GError *error = NULL;
	char *dir = g_dir_make_tmp("strata-XXXXXX", &error);

	if (!dir) {
		cli_error("cannot make a temporary directory: %s", error->message);
		g_error_free(error);
	}
	return dir;
}

void cli_scratch_remove(char *dir)
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
	g_free(dir);
}
