/* options.h - the command lines of the commands: declared in tables, parsed and printed by one parser.
 *
 * "--name value" and "--name=value" are the same. "--" ends the options; what follows is a program and its arguments,
 * kept apart in program. Mistakes are printed with a did-you-mean and end in CLI_USAGE.
 */
#ifndef STRATA_CLI_OPTIONS_H
#define STRATA_CLI_OPTIONS_H

#include "cli/message.h"
#include "cli/paths.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* CLI_FAILED: a program did not pass; CLI_UNABLE: Strata itself could not do its part. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_UNABLE = 125, CLI_INTERRUPTED = 130 };

enum { EXIT_BY_SIGNAL = 128 }; /* and the signal's number: the exit status that shells give a program that one ended */

enum cli_option_kind { CLI_FLAG, CLI_TEXT, CLI_LIST };

struct cli_option {
	const char *name; /* without the dashes */
	enum cli_option_kind kind;
	void *out;           /* bool *, const char ** or GPtrArray ** of const char * (texts of argv) */
	const char *metavar; /* NULL for flags */
	const char *doc;
	char letter; /* of its short form, or 0 */
};

/* A command's own description, for --help. */
struct cli_about {
	const char *name;  /* "run" */
	const char *usage; /* "strata run [options] NAME | -- program args" */
	const char *summary;
	const char *examples; /* a command line in each line of the text */
};

struct cli_words {
	GPtrArray *words; /* what stands before "--" and is no option */
	char **program;   /* what follows "--", NULL-terminated, or NULL */
};

/* What a command does once its line is parsed; the exit status. */
typedef int (*cli_run_words)(void *ctx, const struct cli_words *words, const struct cli_paths *paths);

/* Parses a command's line into the options' places, runs it with ctx, and frees the words and the lists. argv[0] is the
 * command's name. The exit status: that of run, CLI_OK after --help, CLI_USAGE after a message. */
int cli_command(const struct cli_about *about, const struct cli_option *options, int argc, char **argv,
		cli_run_words run, void *ctx);

/* A number of 1 to max that an option gives; text NULL: 0. False after a message. */
bool cli_number_parse(const char *command, const char *option, const char *text, uint32_t max, uint32_t *out);

#endif
