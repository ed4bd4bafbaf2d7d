/* schema.c - the steps from each version of the run store to the next. */
#include "report/schema.h"

#include <glib.h>

/* Step i leads from version i to i + 1. A step that was released is never changed: stores exist that have had it. */
static const char *const steps[] = {
    "CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, stored_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
    " workload TEXT, args TEXT, machine TEXT, mechanism TEXT, verified INTEGER, exit_status INTEGER, fault TEXT,"
    " cycles INTEGER, time_ps INTEGER, total_time_ps INTEGER, warp_instructions INTEGER, thread_instructions INTEGER,"
    " ipc REAL, energy_total_pj REAL, host_seconds REAL, peak_rss_bytes INTEGER, run_hash TEXT, result TEXT);"
    "CREATE TABLE IF NOT EXISTS stats(run_id INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value,"
    " unit TEXT, PRIMARY KEY(run_id, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS params(run_id INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value,"
    " unit TEXT, PRIMARY KEY(run_id, name)) WITHOUT ROWID;"
    "ALTER TABLE runs ADD COLUMN verified_by TEXT;"
    "ALTER TABLE runs ADD COLUMN not_verified TEXT;"
    "ALTER TABLE runs ADD COLUMN launches INTEGER;"
    "ALTER TABLE runs ADD COLUMN launches_refused INTEGER;"
    "ALTER TABLE runs ADD COLUMN launches_faulted INTEGER;"
    "ALTER TABLE runs ADD COLUMN timed_out TEXT;"
    "ALTER TABLE runs ADD COLUMN version TEXT;"
    "ALTER TABLE runs ADD COLUMN source_commit TEXT;"
    "ALTER TABLE runs ADD COLUMN program_path TEXT;"
    "ALTER TABLE runs ADD COLUMN program_sha256 TEXT;"
    "ALTER TABLE runs ADD COLUMN machine_file TEXT;"
    "ALTER TABLE runs ADD COLUMN machine_text TEXT;"
    "ALTER TABLE runs ADD COLUMN host TEXT;"
    "ALTER TABLE runs ADD COLUMN date TEXT;"
    "ALTER TABLE runs ADD COLUMN command_line TEXT;"
    "ALTER TABLE runs ADD COLUMN run_key TEXT;"
    "CREATE INDEX runs_by_key ON runs(run_key);",
};

const char *const report_schema_fields[] = {
    "workload",
    "args",
    "machine",
    "mechanism",
    "verified",
    "exit_status",
    "fault",
    "cycles",
    "time_ps",
    "total_time_ps",
    "warp_instructions",
    "thread_instructions",
    "ipc",
    "energy_total_pj",
    "host_seconds",
    "peak_rss_bytes",
    "run_hash",
    "verified_by",
    "not_verified",
    "launches",
    "launches_refused",
    "launches_faulted",
    "timed_out",
    "version",
    "source_commit",
    "program_path",
    "program_sha256",
    "machine_file",
    "machine_text",
    "host",
    "date",
    "command_line",
    "run_key",
};

const uint32_t report_schema_field_count = G_N_ELEMENTS(report_schema_fields);

static char *version_read(sqlite3 *db, int *version)
{
	sqlite3_stmt *stmt = NULL;
	int status = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL);

	if (status == SQLITE_OK)
		status = sqlite3_step(stmt);
	if (status == SQLITE_ROW)
		*version = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return status == SQLITE_ROW ? NULL : g_strdup(sqlite3_errmsg(db));
}

static char *step_take(sqlite3 *db, int version)
{
	g_autofree char *stamp = g_strdup_printf("PRAGMA user_version = %d", version + 1);

	if (sqlite3_exec(db, steps[version], NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, stamp, NULL, NULL, NULL) != SQLITE_OK)
		return g_strdup(sqlite3_errmsg(db));
	return NULL;
}

/* A version that this Strata does not know is a failure. */
static char *version_known(sqlite3 *db, int *version)
{
	const int newest = (int)G_N_ELEMENTS(steps);
	char *message = version_read(db, version);

	if (!message && (*version < 0 || *version > newest))
		message =
		    g_strdup_printf("its tables have version %d, and this Strata knows them up to %d: a newer one "
				    "has written it",
				    *version, newest);
	return message;
}

char *report_schema_check(sqlite3 *db)
{
	int version = 0;

	return version_known(db, &version);
}

char *report_schema_upgrade(sqlite3 *db)
{
	const int newest = (int)G_N_ELEMENTS(steps);
	int version = 0;
	char *message = version_known(db, &version);

	for (; !message && version < newest; version++)
		message = step_take(db, version);
	return message;
}
