/* scratch.h - a temporary directory for the sessions and results of one command.
 *
 * Its file .strata-scratch-lock is locked as long as the process lives, however it ends; the next command removes
 * directories whose process has gone. */
#ifndef STRATA_CLI_SCRATCH_H
#define STRATA_CLI_SCRATCH_H

/* Its path, or NULL after a printed message; free with cli_scratch_remove. Removes those left behind by processes that
 * were killed. */
char *cli_scratch_make(void);
/* Removes the directory and the files in it. */
void cli_scratch_remove(char *dir);

/* Calls fn for each directory of this user that begins like ours, in any order; some may be of dead commands. */
void cli_scratch_each(void (*fn)(const char *dir, void *ctx), void *ctx);

#endif
