/* live.h - the files of machine/live.h from outside: of the programs that one command runs, and of all of this user. */
#ifndef STRATA_CLI_LIVE_H
#define STRATA_CLI_LIVE_H

#include <jansson.h>
#include <stdint.h>

/* The path of the session of job `index` in a command's scratch directory: each process appends its number. g_free. */
char *cli_live_path(const char *dir, uint32_t index);

/* Appends to the JSON array runs the objects of the directory's processes that are alive, each with
 *   elapsed_s    since the process began
 *   age_s        of what the object says
 * and the kernel's name as its author wrote it. */
void cli_live_read(const char *dir, void *runs);
/* Appends those of the processes of one job, whose session file has that path. */
void cli_live_read_job(const char *session_path, json_t *runs);
/* An array of all runs of this user whose commands have this TMPDIR, the oldest process first. */
json_t *cli_live_all(void);

/* "3.21 ms" and the like, of picoseconds. */
const char *cli_live_time(double ps, char out[32]);
/* "1.2 M" */
const char *cli_live_count(double count, char out[32]);
/* What it does: "kernel 3 bfs(int*): 40 % of 512 CTAs". g_free. */
char *cli_live_doing(const json_t *run);
/* What most of its units' time is spent on, at most two purposes: "memory 62 %, issued 20 %". g_free. */
char *cli_live_spent(const json_t *run);

#endif
