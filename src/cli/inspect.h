/* inspect.h - a look at a program before it is started: will our libraries be the ones it uses, and can it work? */
#ifndef STRATA_CLI_INSPECT_H
#define STRATA_CLI_INSPECT_H

#include "cli/paths.h"

/* path: the file to execute; what: how the user called it. False after one message that says what to do, when the
 * program cannot work on Strata. True, perhaps after a warning, when it can or when nothing is known against it;
 * scripts are not looked into. *preload: libraries that must be preloaded because the program would find others
 * first, "" for none; to be freed with g_free. */
bool cli_inspect(const struct cli_paths *paths, const char *path, const char *what, char **preload);

/* Was it built by strata cc or strata c++? */
bool cli_is_of_threads(const char *path);
/* Were all files of such a program built by a plugin like ours? */
bool cli_is_of_this_version(const char *path);

#endif
