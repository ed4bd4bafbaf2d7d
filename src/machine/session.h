/* session.h - how the strata command tells the driver library which machine to model, and gets the results back.
 *
 * `strata run` resolves the machine description and overrides into a session file of "key = value" lines, names it in
 * the environment variable STRATA_SESSION and starts the program. The library reads it at the first driver call. When
 * the program ends (exit or destructor), the library writes the results as one JSON object to the result path that the
 * session names; those so far are there before, for a program that is killed. Without STRATA_SESSION the library uses
 * the default machine, says so once on stderr, and prints a three-line summary to stderr at the end.
 */
#ifndef STRATA_MACHINE_SESSION_H
#define STRATA_MACHINE_SESSION_H

#include "base/diag.h"
#include "machine/parts.h"

/* When the program's wall-clock time is over, in ns of CLOCK_MONOTONIC, set with run.timeout_wall_ns. */
#define MACHINE_DEADLINE_VARIABLE "STRATA_DEADLINE_NS"

enum { MACHINE_SPARES_MAX = 2 };

struct machine_session {
	struct machine_config config;
	char machine[128];      /* "tom-baseline" */
	char machine_file[4096]; /* its description, for the command's own records; no part of the session file */
	char result_path[4096]; /* "" = none */
	char design_path[4096]; /* the library of hdl.design; "" = there is none */
	char check_path[4096];  /* where the memory checker's findings go; "" = no checker */
	char spare_paths[MACHINE_SPARES_MAX][4096]; /* for results or findings that find no room there; "" = none */
	char live_path[4096];   /* what the run does now (live.h); "" = nobody asks */
	char program[128];	/* as the command's tables call it, for live_path; "" = not known */
	uint32_t threads;	/* of the host, for one simulation; 0 and 1: one */
	bool is_default;        /* no STRATA_SESSION in the environment */
	uint32_t process;       /* of the session, from 1; 0: not claimed */
};

/* What this process leaves goes to files of its own, since a program may be a script that starts several: result_path,
 * check_path, spare_paths and live_path get ".N" at their ends, and process is N, the first number from 1 that no
 * process has taken; that is the order of their first driver calls. An empty file holds the place until there is
 * something to write. Without paths it is process 1. */
void machine_session_claim(struct machine_session *s);

/* When the time of a program that the command has started is over, as CLOCK_MONOTONIC says it; 0: never, or another has
 * started it. */
uint64_t machine_session_deadline_ns(void);

struct device;
/* Gives the device, which may be NULL, the threads that the session names, or says why one does all. Returns how many
 * do the simulation. */
uint32_t machine_session_use_threads(const struct machine_session *s, struct device *d);

/* Fills *s from the environment. False with messages when the session file is unreadable or wrong. */
bool machine_session_load(struct machine_session *s, struct base_diag_list *diag);
/* Writes a session file (used by the cli). False: errno tells. */
bool machine_session_write(const char *path, const struct machine_session *s);
/* The line of a session that says how many threads of the host; the last one counts. */
void machine_session_write_threads(FILE *session, uint32_t threads);

/* Calls write with the path, and if that fails with the session's spare ones, until one takes what there is; removes
 * older ones that stand behind it. False: none took it; errno is the path's. */
bool machine_session_keep(const struct machine_session *s, const char *path,
			  bool (*write)(const char *path, const void *what), const void *what);

#endif
