/* store.c - the run store: every run with all its statistics and parameters, for SQL. */
#include "report/report.h"

#include "report/schema.h"

#include <errno.h>
#include <glib.h>
#include <sqlite3.h>
#include <string.h>

enum { BUSY_TIMEOUT_MS = 10000 };

struct store {
	sqlite3 *db;
	char *message; /* of the first failure, or NULL */
};

static void check(struct store *s, int status)
{
	if (!s->message && status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW)
		s->message = g_strdup(s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(status));
}

static void exec(struct store *s, const char *sql)
{
	if (!s->message)
		check(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL));
}

static void bind(struct store *s, sqlite3_stmt *stmt, int at, const json_t *v)
{
	if (json_is_boolean(v))
		check(s, sqlite3_bind_int(stmt, at, json_is_true(v)));
	else if (json_is_integer(v))
		check(s, sqlite3_bind_int64(stmt, at, json_integer_value(v)));
	else if (json_is_real(v))
		check(s, sqlite3_bind_double(stmt, at, json_real_value(v)));
	else if (json_is_string(v))
		check(s, sqlite3_bind_text(stmt, at, json_string_value(v), -1, SQLITE_TRANSIENT));
	else if (json_is_array(v) || json_is_object(v))
		check(s, sqlite3_bind_text(stmt, at, json_dumps(v, JSON_COMPACT), -1, free));
}

static sqlite3_stmt *prepare(struct store *s, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (!s->message)
		check(s, sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL));
	return stmt;
}

static void insert_run(struct store *s, const json_t *run)
{
	GString *sql = g_string_new("INSERT INTO runs(");
	GString *marks = g_string_new(NULL);

	for (uint32_t i = 0; i < report_schema_field_count; i++) {
		g_string_append_printf(sql, "%s,", report_schema_fields[i]);
		g_string_append(marks, "?,");
	}
	g_string_append_printf(sql, "result) VALUES(%s?)", marks->str);

	sqlite3_stmt *stmt = prepare(s, sql->str);

	if (stmt) {
		for (uint32_t i = 0; i < report_schema_field_count; i++)
			bind(s, stmt, (int)i + 1, json_object_get(run, report_schema_fields[i]));
		bind(s, stmt, (int)report_schema_field_count + 1, run);
		check(s, sqlite3_step(stmt));
	}
	sqlite3_finalize(stmt);
	g_string_free(sql, TRUE);
	g_string_free(marks, TRUE);
}

static void insert_value(struct store *s, sqlite3_stmt *stmt, sqlite3_int64 run_id, const char *name,
			 const json_t *value, const json_t *unit)
{
	check(s, sqlite3_reset(stmt));
	check(s, sqlite3_clear_bindings(stmt));
	check(s, sqlite3_bind_int64(stmt, 1, run_id));
	check(s, sqlite3_bind_text(stmt, 2, name, -1, SQLITE_TRANSIENT));
	bind(s, stmt, 3, value);
	bind(s, stmt, 4, unit);
	check(s, sqlite3_step(stmt));
}

/* One row per value; a histogram is "name.count", "name.sum", "name.p50" and so on. */
static void insert_values(struct store *s, const char *table, sqlite3_int64 run_id, const json_t *run, const char *key)
{
	g_autofree char *sql = g_strdup_printf("INSERT INTO %s(run_id, name, value, unit) VALUES(?,?,?,?)", table);
	sqlite3_stmt *stmt = prepare(s, sql);
	json_t *units = json_object_get(run, "units"), *values = json_object_get(run, key), *value, *part;
	const char *name, *part_name;

	if (!stmt)
		return;
	json_object_foreach(values, name, value) {
		json_t *unit = json_object_get(units, name);

		if (!json_is_object(value)) {
			insert_value(s, stmt, run_id, name, value, unit);
			continue;
		}
		json_object_foreach(value, part_name, part) {
			g_autofree char *full = g_strconcat(name, ".", part_name, NULL);

			insert_value(s, stmt, run_id, full, part, strcmp(part_name, "count") ? unit : NULL);
		}
	}
	sqlite3_finalize(stmt);
}

static void insert(struct store *s, const json_t *run)
{
	insert_run(s, run);
	if (s->message)
		return;

	sqlite3_int64 run_id = sqlite3_last_insert_rowid(s->db);

	insert_values(s, "stats", run_id, run, "stats");
	insert_values(s, "params", run_id, run, "params");
}

static void open_store(struct store *s, const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);

	if (g_mkdir_with_parents(dir, 0777)) {
		s->message = g_strdup(strerror(errno));
		return;
	}
	check(s, sqlite3_open(path, &s->db));
	sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
	exec(s, "BEGIN IMMEDIATE");
	if (!s->message)
		s->message = report_schema_upgrade(s->db);
}

/* Ends the transaction and the store; the message for the user, or NULL. */
static char *close_store(struct store *s, const char *path, bool is_wanted)
{
	if (is_wanted)
		exec(s, "COMMIT");
	if (s->db && (s->message || !is_wanted))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(s->db);

	char *message = s->message ? g_strdup_printf("cannot keep the run in %s: %s", path, s->message) : NULL;

	g_free(s->message);
	return message;
}

char *report_store_add(const char *path, const json_t *runs)
{
	struct store s = {0};
	size_t i;
	const json_t *run;

	open_store(&s, path);
	json_array_foreach(runs, i, run) {
		if (!s.message)
			insert(&s, run);
	}
	return close_store(&s, path, true);
}

char *report_store_check(const char *path)
{
	struct store s = {0};
	json_t *run = json_pack("{s:s, s:{s:i}, s:{s:i}}", "workload", "", "stats", "none", 0, "params", "none", 0);

	open_store(&s, path);
	if (!s.message)
		insert(&s, run);
	json_decref(run);
	return close_store(&s, path, false);
}

/* The rows that the statement gives are a run's processes, the last one first: they were added together. */
static json_t *read_processes(sqlite3_stmt *stmt)
{
	json_t *runs = json_array();
	double process = 0;

	while (process != 1 && sqlite3_step(stmt) == SQLITE_ROW) {
		json_t *run = json_loads((const char *)sqlite3_column_text(stmt, 0), 0, NULL);
		const bool is_verified = json_is_true(json_object_get(run, "verified"));

		process = MAX(report_number(run, "process", NULL), 1);
		json_array_insert_new(runs, 0, run);
		if (!is_verified)
			break;
	}
	if (process == 1 && json_is_true(json_object_get(json_array_get(runs, 0), "verified")))
		return runs;
	json_decref(runs);
	return NULL;
}

json_t *report_store_find(const char *path, const char *key)
{
	struct store s = {0};
	json_t *runs = NULL;

	open_store(&s, path);

	sqlite3_stmt *stmt = prepare(&s, "SELECT result FROM runs WHERE run_key = ? ORDER BY id DESC");

	if (stmt) {
		check(&s, sqlite3_bind_text(stmt, 1, key, -1, SQLITE_TRANSIENT));
		runs = read_processes(stmt);
	}
	sqlite3_finalize(stmt);
	g_free(close_store(&s, path, false));
	return runs;
}
