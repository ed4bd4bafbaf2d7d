/* store.c - the run store: every run with all its statistics and parameters, for SQL. */
#include "report/report.h"

#include "report/check.h"
#include "report/database.h"
#include "report/schema.h"

#include <glib.h>
#include <string.h>

static const char keeping[] = "cannot keep the run in";

static void insert_run(struct report_db *s, const json_t *run)
{
	GString *sql = g_string_new("INSERT INTO runs(");
	GString *marks = g_string_new(NULL);

	for (uint32_t i = 0; i < report_schema_field_count; i++) {
		g_string_append_printf(sql, "%s,", report_schema_fields[i]);
		g_string_append(marks, "?,");
	}
	g_string_append_printf(sql, "result) VALUES(%s?)", marks->str);

	sqlite3_stmt *stmt = report_db_prepare(s, sql->str);

	if (stmt) {
		for (uint32_t i = 0; i < report_schema_field_count; i++)
			report_db_bind(s, stmt, (int)i + 1, json_object_get(run, report_schema_fields[i]));
		report_db_bind(s, stmt, (int)report_schema_field_count + 1, run);
		report_db_check(s, sqlite3_step(stmt));
	}
	sqlite3_finalize(stmt);
	g_string_free(sql, TRUE);
	g_string_free(marks, TRUE);
}

static void insert_value(struct report_db *s, sqlite3_stmt *stmt, sqlite3_int64 run_id, const char *name,
			 const json_t *value, const json_t *unit)
{
	report_db_check(s, sqlite3_reset(stmt));
	report_db_check(s, sqlite3_clear_bindings(stmt));
	report_db_check(s, sqlite3_bind_int64(stmt, 1, run_id));
	report_db_check(s, sqlite3_bind_text(stmt, 2, name, -1, SQLITE_TRANSIENT));
	report_db_bind(s, stmt, 3, value);
	report_db_bind(s, stmt, 4, unit);
	report_db_check(s, sqlite3_step(stmt));
}

/* One row per value; a histogram is "name.count", "name.sum", "name.p50" and so on. */
static void insert_values(struct report_db *s, const char *table, sqlite3_int64 run_id, const json_t *run,
			  const char *key)
{
	g_autofree char *sql = g_strdup_printf("INSERT INTO %s(run_id, name, value, unit) VALUES(?,?,?,?)", table);
	sqlite3_stmt *stmt = report_db_prepare(s, sql);
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

static void insert(struct report_db *s, const json_t *run)
{
	insert_run(s, run);
	if (s->message)
		return;

	sqlite3_int64 run_id = sqlite3_last_insert_rowid(s->db);

	insert_values(s, "stats", run_id, run, "stats");
	insert_values(s, "params", run_id, run, "params");
}

char *report_store_add(const char *path, const json_t *runs)
{
	struct report_db s = {0};
	size_t i;
	const json_t *run;

	report_db_open(&s, path);
	json_array_foreach(runs, i, run) {
		if (!s.message)
			insert(&s, run);
	}
	return report_db_close(&s, path, true, keeping);
}

char *report_store_check(const char *path)
{
	struct report_db s = {0};
	json_t *run = json_pack("{s:s, s:{s:i}, s:{s:i}}", "workload", "", "stats", "none", 0, "params", "none", 0);

	report_db_open(&s, path);
	if (!s.message)
		insert(&s, run);
	json_decref(run);
	return report_db_close(&s, path, false, keeping);
}

/* The rows that the statement gives are a run's processes, the last one first: they were added together. */
static json_t *read_processes(sqlite3_stmt *stmt)
{
	json_t *runs = json_array();
	double process = 0;

	while (process != 1 && sqlite3_step(stmt) == SQLITE_ROW) {
		g_autofree char *wrong = NULL;
		json_t *run = report_result_read((const char *)sqlite3_column_text(stmt, 0), &wrong);
		const bool is_verified = json_is_true(json_object_get(run, "verified"));

		/* What is damaged is run again. */
		process = MAX(report_number(run, "process", NULL), 1);
		if (run)
			json_array_insert_new(runs, 0, run);
		if (!run || !is_verified)
			break;
	}
	if (process == 1 && json_is_true(json_object_get(json_array_get(runs, 0), "verified")))
		return runs;
	json_decref(runs);
	return NULL;
}

json_t *report_store_find(const char *path, const char *key)
{
	struct report_db s = {0};
	json_t *runs = NULL;

	report_db_open(&s, path);

	sqlite3_stmt *stmt = report_db_prepare(&s, "SELECT result FROM runs WHERE run_key = ? ORDER BY id DESC");

	if (stmt) {
		report_db_check(&s, sqlite3_bind_text(stmt, 1, key, -1, SQLITE_TRANSIENT));
		runs = read_processes(stmt);
	}
	sqlite3_finalize(stmt);
	g_free(report_db_close(&s, path, false, keeping));
	return runs;
}
