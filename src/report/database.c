/* database.c - one transaction on the run store, with the first failure kept. */
#include "report/database.h"

#include "report/schema.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

enum { BUSY_TIMEOUT_MS = 10000 };

void report_db_check(struct report_db *d, int status)
{
	if (!d->message && status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW)
		d->message = g_strdup(d->db ? sqlite3_errmsg(d->db) : sqlite3_errstr(status));
}

static void exec(struct report_db *d, const char *sql)
{
	if (!d->message)
		report_db_check(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

void report_db_bind(struct report_db *d, sqlite3_stmt *stmt, int at, const json_t *v)
{
	if (json_is_boolean(v))
		report_db_check(d, sqlite3_bind_int(stmt, at, json_is_true(v)));
	else if (json_is_integer(v))
		report_db_check(d, sqlite3_bind_int64(stmt, at, json_integer_value(v)));
	else if (json_is_real(v))
		report_db_check(d, sqlite3_bind_double(stmt, at, json_real_value(v)));
	else if (json_is_string(v))
		report_db_check(d, sqlite3_bind_text(stmt, at, json_string_value(v), -1, SQLITE_TRANSIENT));
	else if (json_is_array(v) || json_is_object(v))
		report_db_check(d, sqlite3_bind_text(stmt, at, json_dumps(v, JSON_COMPACT), -1, free));
}

sqlite3_stmt *report_db_prepare(struct report_db *d, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (!d->message)
		report_db_check(d, sqlite3_prepare_v2(d->db, sql, -1, &stmt, NULL));
	return stmt;
}

/* Of a folder the library says that the disk fails. */
static bool is_folder(struct report_db *d, const char *path)
{
	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		d->message = g_strdup("it is a directory");
	return d->message;
}

void report_db_open(struct report_db *d, const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);

	*d = (struct report_db){0};
	if (g_mkdir_with_parents(dir, 0777)) {
		d->message = g_strdup(strerror(errno));
		return;
	}
	if (is_folder(d, path))
		return;
	report_db_check(d, sqlite3_open(path, &d->db));
	sqlite3_busy_timeout(d->db, BUSY_TIMEOUT_MS);
	exec(d, "BEGIN IMMEDIATE");
	if (!d->message)
		d->message = report_schema_upgrade(d->db);
}

void report_db_open_read(struct report_db *d, const char *path)
{
	*d = (struct report_db){0};
	if (is_folder(d, path))
		return;
	report_db_check(d, sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL));
	sqlite3_busy_timeout(d->db, BUSY_TIMEOUT_MS);
	exec(d, "BEGIN");
	if (!d->message)
		d->message = report_schema_check(d->db);
}

char *report_db_close(struct report_db *d, const char *path, bool is_wanted, const char *doing)
{
	if (is_wanted)
		exec(d, "COMMIT");
	if (d->db && (d->message || !is_wanted))
		sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(d->db);

	char *message = d->message ? g_strdup_printf("%s %s: %s", doing, path, d->message) : NULL;

	g_free(d->message);
	return message;
}
