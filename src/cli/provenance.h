/* provenance.h - what made a result: Strata's version, the program, the machine's text, the host, the date, the command
 * line. All of it goes into every result, so that two runs can be told apart months later. */
#ifndef STRATA_CLI_PROVENANCE_H
#define STRATA_CLI_PROVENANCE_H

#include "cli/paths.h"

#include <jansson.h>

struct cli_job;

/* Called first by main: remembers the command line (strata's own) and the time. */
void cli_provenance_begin(int argc, char **argv);
/* Adds what every result has: version, source_commit, host, date and command_line. */
void cli_provenance_put(json_t *result);
/* "0.1.0 (commit 9620548a1b2c)" */
const char *cli_version(void);
/* Adds version, commit, program_path, program_sha256, machine_file, machine_text, host, date and command_line. */
void cli_provenance_add(const struct cli_job *job, json_t *result);

/* SHA-256 of what machines are modelled by: with a GPU, with processors, with a part that runs files of its own, by its
 * number among the parts. NULL: it cannot be read, or is not there. */
struct cli_models {
	char *driver, *processors, *doors[MACHINE_PARTS_MAX];
};
struct cli_models cli_models_read(const struct cli_paths *paths);
void cli_models_free(struct cli_models *m);

/* SHA-256 of a file in hexadecimal, or NULL when it cannot be read (errno tells). Free with g_free. */
char *cli_file_sha256(const char *path);
/* SHA-256 of everything that decides a run's result: the model's library, program, machine, arguments, standard input
 * and how it is verified. Limits of time do not. NULL when one of the files cannot be read. Free with g_free. */
char *cli_run_key(const struct cli_job *job, const struct cli_models *models);

#endif
