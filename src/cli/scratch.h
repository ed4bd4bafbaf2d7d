/* scratch.h - a temporary directory for the sessions and results of one command. */
#ifndef STRATA_CLI_SCRATCH_H
#define STRATA_CLI_SCRATCH_H

/* Its path, or NULL after a printed message; free with cli_scratch_remove. */
char *cli_scratch_make(void);
/* Removes the directory and the files in it. */
void cli_scratch_remove(char *dir);

#endif
