/* database.h - one transaction on the run store, with the first failure kept. */
#ifndef STRATA_REPORT_DATABASE_H
#define STRATA_REPORT_DATABASE_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>

struct report_db {
	sqlite3 *db;
	char *message; /* of the first failure, or NULL; nothing is done after it */
};

/* Begins a transaction on the store at path, made with its folder when missing; its tables get the newest version.
 * Waits at most ten seconds for another process. */
void report_db_open(struct report_db *d, const char *path);
/* The same to read only, from a file that is there; its tables stay as old as they are. */
void report_db_open_read(struct report_db *d, const char *path);
/* Ends it; is_wanted: its changes stay, unless something has failed. "DOING PATH: what failed", to be freed with
 * g_free, or NULL. */
char *report_db_close(struct report_db *d, const char *path, bool is_wanted, const char *doing);

/* Keeps the message of a failure. */
void report_db_check(struct report_db *d, int status);
/* NULL after a failure; to be finalized. */
sqlite3_stmt *report_db_prepare(struct report_db *d, const char *sql);
/* at from 1. An array or object becomes its text, NULL nothing. */
void report_db_bind(struct report_db *d, sqlite3_stmt *stmt, int at, const json_t *v);

#endif
