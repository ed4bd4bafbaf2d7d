/* progress.h - a line on a terminal that says how far something long is; where the standard error is none nothing, or
 * plain lines.
 *
 * A command begins one, draws it when it is due, and clears it before it prints anything else.
 */
#ifndef STRATA_CLI_PROGRESS_H
#define STRATA_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_progress {
	uint64_t begin_ns, next_ns; /* begin; when the line is drawn again */
	bool is_shown, has_line;    /* is it drawn; is the line on the terminal */
	bool is_plain;		    /* there is no terminal: lines below each other */
};

void cli_progress_begin(struct cli_progress *p);
/* For who is watched through a pipe, as processes of mpirun are: without a terminal a line of its own every 5 s. */
void cli_progress_begin_plain(struct cli_progress *p);
/* Twice a second where there is a terminal, every 5 seconds for plain lines; false everywhere else. */
bool cli_progress_is_due(struct cli_progress *p);
/* Since it began. */
double cli_progress_s(const struct cli_progress *p);
/* "12 s, about 30 s left: TEXT", as much of it as the line holds. done: 0 to 1, of which the time that is left follows;
 * 0: not known. */
void cli_progress_draw(struct cli_progress *p, double done, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void cli_progress_clear(struct cli_progress *p);

/* "12 s", "3 min 20 s", "5 h 10 min". */
const char *cli_duration(double seconds, char out[32]);
/* Columns of the terminal, or 80. */
uint32_t cli_terminal_columns(int fd);

#endif
