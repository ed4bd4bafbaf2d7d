/* store.c - the run store: every run with all its statistics and parameters, for SQL. */
#include "report/report.h"

#include <errno.h>
#include <glib.h>
#include <sqlite3.h>
#include <string.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, stored_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
    " workload TEXT, args TEXT, machine TEXT, mechanism TEXT, verified INTEGER, exit_status INTEGER, fault TEXT,"
    " cycles INTEGER, time_ps INTEGER, total_time_ps INTEGER, warp_instructions INTEGER, thread_instructions INTEGER,"
    " ipc REAL, energy_total_pj REAL, host_seconds REAL, peak_rss_bytes INTEGER, run_hash TEXT, result TEXT);"
    "CREATE TABLE IF NOT EXISTS stats(run_id INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value,"
    " unit TEXT, PRIMARY KEY(run_id, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS params(run_id INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value,"
    " unit TEXT, PRIMARY KEY(run_id, name)) WITHOUT ROWID;";

/* The columns of runs that are fields of the object under the same name, in the order of the statement. */
static const char *const fields[] = {
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
};

struct store {
	sqlite3 *db;
	int status; /* first failure, or SQLITE_OK */
};

static void check(struct store *s, int status)
{
	if (s->status == SQLITE_OK && status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW)
		s->status = status;
}

static void exec(struct store *s, const char *sql)
{
	if (s->status == SQLITE_OK)
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

	if (s->status == SQLITE_OK)
		check(s, sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL));
	return stmt;
}

static void insert_run(struct store *s, const json_t *run)
{
	GString *sql = g_string_new("INSERT INTO runs(");
	GString *marks = g_string_new(NULL);

	for (uint32_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_string_append_printf(sql, "%s,", fields[i]);
		g_string_append(marks, "?,");
	}
	g_string_append_printf(sql, "result) VALUES(%s?)", marks->str);

	sqlite3_stmt *stmt = prepare(s, sql->str);

	if (stmt) {
		for (uint32_t i = 0; i < G_N_ELEMENTS(fields); i++)
			bind(s, stmt, (int)i + 1, json_object_get(run, fields[i]));
		bind(s, stmt, (int)G_N_ELEMENTS(fields) + 1, run);
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
	json_object_foreach(values, name, value)
	{
		json_t *unit = json_object_get(units, name);

		if (!json_is_object(value)) {
			insert_value(s, stmt, run_id, name, value, unit);
			continue;
		}
		json_object_foreach(value, part_name, part)
		{
			g_autofree char *full = g_strconcat(name, ".", part_name, NULL);

			insert_value(s, stmt, run_id, full, part, strcmp(part_name, "count") ? unit : NULL);
		}
	}
	sqlite3_finalize(stmt);
}

static void insert(struct store *s, const json_t *run)
{
	insert_run(s, run);

	sqlite3_int64 run_id = sqlite3_last_insert_rowid(s->db);

	insert_values(s, "stats", run_id, run, "stats");
	insert_values(s, "params", run_id, run, "params");
}

char *report_store_add(const char *path, const json_t *runs)
{
	g_autofree char *dir = g_path_get_dirname(path);
	struct store s = {0};
	size_t i;
	json_t *run;

	if (g_mkdir_with_parents(dir, 0777))
		return g_strdup_printf("cannot keep the run in %s: %s", path, strerror(errno));
	s.status = sqlite3_open(path, &s.db);
	sqlite3_busy_timeout(s.db, 60000);
	exec(&s, "BEGIN IMMEDIATE");
	exec(&s, schema);
	json_array_foreach(runs, i, run)
	{
		if (s.status == SQLITE_OK)
			insert(&s, run);
	}
	exec(&s, "COMMIT");

	char *message = s.status == SQLITE_OK
			    ? NULL
			    : g_strdup_printf("cannot keep the run in %s: %s", path, sqlite3_errstr(s.status));

	if (message)
		sqlite3_exec(s.db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(s.db);
	return message;
}
