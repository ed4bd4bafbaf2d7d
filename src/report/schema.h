/* schema.h - the tables of the run store and their versions.
 *
 * `pragma user_version` of a store says which steps of schema.c it has had; 0 is an empty file, or a store of before
 * versions were counted. A store of an older version gets the steps that it lacks, its runs stay.
 */
#ifndef STRATA_REPORT_SCHEMA_H
#define STRATA_REPORT_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

/* Columns of the table runs that are fields of the result object under the same name. */
extern const char *const report_schema_fields[];
extern const uint32_t report_schema_field_count;

/* Inside a transaction: brings the tables to this version. NULL, or the message of what is wrong, to be freed with
 * g_free: an error of SQLite, or a store that a newer Strata has written. */
char *report_schema_upgrade(sqlite3 *db);
/* Says only whether this version's tables are at least as new. NULL, or a message as above. */
char *report_schema_check(sqlite3 *db);

#endif
