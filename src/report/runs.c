/* runs.c - reads runs from the store, and takes them out. */
#include "report/runs.h"

#include "report/check.h"
#include "report/database.h"
#include "report/report.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char reading[] = "cannot read the store";

/* Of what a list shows; args is the text of an array. */
static const char *fields[] = {
    "id",    "stored_at", "workload", "args",          "machine",         "mechanism", "verified", "exit_status",
    "fault", "cycles",    "time_ps",  "total_time_ps", "energy_total_pj", "run_hash",  "unmodelled_ratio",
    "sampling", NULL,
};
enum { FIELD_COUNT = G_N_ELEMENTS(fields) - 1, EXTRACTED = 2 };
/* The last ones are no columns of their own; of a result that is damaged there are none. */
static const char extracted[] =
    ",CASE WHEN json_valid(result) THEN json_extract(result, '$.unmodelled_ratio') END AS unmodelled_ratio"
    ",CASE WHEN json_valid(result) THEN json_extract(result, '$.sampling') END AS sampling";

/* A store that was only looked at before a run is an empty file. */
static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size;
}

static json_t *value_of(sqlite3_stmt *stmt, int column, const char *name)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	if (!text)
		return json_null();
	if (!strcmp(name, "verified"))
		return json_boolean(sqlite3_column_int(stmt, column));
	if (!strcmp(name, "args") || !strcmp(name, "sampling"))
		return json_loads(text, 0, NULL);
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(stmt, column));
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(stmt, column));
	default:
		return json_string(text);
	}
}

static json_t *head_of(sqlite3_stmt *stmt)
{
	json_t *head = json_object();

	for (size_t i = 0; i < FIELD_COUNT; i++)
		json_object_set_new(head, fields[i], value_of(stmt, (int)i, fields[i]));
	if (json_is_null(json_object_get(head, "sampling"))) /* results have it or not */
		json_object_del(head, "sampling");
	return head;
}

/* What its columns hold is as little to be trusted as the result itself. */
static char *head_check(const json_t *head)
{
	g_autofree char *message = report_check(head);

	if (!message && !json_is_string(json_object_get(head, "stored_at")))
		message = g_strdup("stored_at is no text");
	return message ? g_strdup_printf("run %.0f: %s", report_number(head, "id", NULL), message) : NULL;
}

char *report_runs_check(const json_t *list)
{
	char *message = NULL;
	const json_t *head;
	size_t i;

	json_array_foreach(list, i, head) {
		message = head_check(head);
		if (message)
			break;
	}
	return message;
}

json_t *report_runs_list(const char *path, const struct report_runs_filter *filter, char **message)
{
	struct report_db d;
	json_t *list = json_array();

	*message = NULL;
	if (!is_there(path))
		return list;
	report_db_open_read(&d, path);

	GString *columns = g_string_new(fields[0]);

	for (size_t i = 1; i < FIELD_COUNT - EXTRACTED; i++)
		g_string_append_printf(columns, ",%s", fields[i]);
	g_string_append(columns, extracted);

	g_autofree char *sql = g_strdup_printf(
	    "SELECT %s FROM runs WHERE coalesce(workload, '') GLOB ?1 AND coalesce(machine, '') GLOB ?2 AND"
	    " coalesce(verified, 0) >= ?3 ORDER BY id DESC LIMIT ?4",
	    columns->str);
	sqlite3_stmt *stmt = report_db_prepare(&d, sql);

	if (stmt) {
		int status;

		sqlite3_bind_text(stmt, 1, filter->workload ? filter->workload : "*", -1, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 2, filter->machine ? filter->machine : "*", -1, SQLITE_STATIC);
		sqlite3_bind_int(stmt, 3, filter->is_verified);
		sqlite3_bind_int64(stmt, 4, filter->last ? (int64_t)filter->last : -1);
		while ((status = sqlite3_step(stmt)) == SQLITE_ROW)
			json_array_insert_new(list, 0, head_of(stmt));
		report_db_check(&d, status);
	}
	sqlite3_finalize(stmt);
	g_string_free(columns, TRUE);
	*message = report_db_close(&d, path, false, reading);
	if (!*message)
		return list;
	json_decref(list);
	return NULL;
}

/* The first column of the only row; -1: there is none. */
static int64_t number_of(const char *path, const char *sql, int64_t value, char **message)
{
	struct report_db d;
	int64_t number = -1;

	report_db_open_read(&d, path);

	sqlite3_stmt *stmt = report_db_prepare(&d, sql);

	if (stmt) {
		sqlite3_bind_int64(stmt, 1, value);

		const int status = sqlite3_step(stmt);

		if (status == SQLITE_ROW)
			number = sqlite3_column_int64(stmt, 0);
		report_db_check(&d, status);
	}
	sqlite3_finalize(stmt);
	*message = report_db_close(&d, path, false, reading);
	return number;
}

static bool number_read(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return g_ascii_isdigit(*text) && !*end && !errno;
}

uint64_t report_runs_number(const char *path, const char *word, char **message)
{
	const bool is_last = g_str_has_prefix(word, "last");
	int64_t number = 0, found;

	*message = NULL;
	if (is_last ? (word[4] && (word[4] != '-' || !number_read(word + 5, &number))) : !number_read(word, &number)) {
		*message =
		    g_strdup_printf("'%s' names no run: expected its number, last, or last-1 for the one before", word);
		return 0;
	}
	if (!is_there(path)) {
		*message = g_strdup_printf("there is no store %s: nothing has run here", path);
		return 0;
	}
	found = number_of(path,
			  is_last ? "SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?1"
				  : "SELECT id FROM runs WHERE id = ?1",
			  number, message);
	if (found < 0 && !*message)
		*message = g_strdup_printf("%s has no run '%s'; `strata runs list` prints those it has", path, word);
	return found < 0 ? 0 : (uint64_t)found;
}

json_t *report_runs_get(const char *path, uint64_t number, char **message)
{
	struct report_db d;
	json_t *run = NULL;
	g_autofree char *wrong = NULL;

	report_db_open_read(&d, path);

	sqlite3_stmt *stmt = report_db_prepare(&d, "SELECT result FROM runs WHERE id = ?1");

	if (stmt) {
		sqlite3_bind_int64(stmt, 1, (int64_t)number);

		const int status = sqlite3_step(stmt);

		if (status == SQLITE_ROW)
			run = report_result_read((const char *)sqlite3_column_text(stmt, 0), &wrong);
		report_db_check(&d, status);
	}
	sqlite3_finalize(stmt);
	*message = report_db_close(&d, path, false, reading);
	if (run && !*message)
		return run;
	json_decref(run);
	if (!*message)
		*message = g_strdup_printf("run %llu of %s: %s", (unsigned long long)number, path,
					   wrong ? wrong : "it has no results");
	return NULL;
}

/* The rows are runs, the last one first; a run's processes were added together, with falling numbers from here. */
static void processes_read(struct report_db *d, sqlite3_stmt *stmt, json_t *runs, char **wrong)
{
	double expected = 0;
	int status = SQLITE_DONE;

	while (expected != 1 && !*wrong && (status = sqlite3_step(stmt)) == SQLITE_ROW) {
		json_t *run = report_result_read((const char *)sqlite3_column_text(stmt, 1), wrong);
		const double process = MAX(report_number(run, "process", NULL), 1);

		if (*wrong || (expected > 0 && process != expected - 1)) {
			json_decref(run);
			break;
		}
		json_object_set_new(run, "id", json_integer(sqlite3_column_int64(stmt, 0)));
		json_array_insert_new(runs, 0, run);
		expected = process;
	}
	report_db_check(d, status);
}

json_t *report_runs_newest(const char *path, const char *machine, const char *workload, char **message)
{
	struct report_db d;
	json_t *runs = json_array();
	g_autofree char *wrong = NULL;

	*message = NULL;
	if (!is_there(path))
		return runs;
	report_db_open_read(&d, path);

	sqlite3_stmt *stmt = report_db_prepare(&d, "SELECT id, result FROM runs WHERE machine = ?1 AND time_ps > 0 AND"
						   " (?2 IS NULL OR workload = ?2) ORDER BY id DESC");

	if (stmt) {
		sqlite3_bind_text(stmt, 1, machine, -1, SQLITE_STATIC);
		if (workload)
			sqlite3_bind_text(stmt, 2, workload, -1, SQLITE_STATIC);
		processes_read(&d, stmt, runs, &wrong);
	}
	sqlite3_finalize(stmt);
	*message = report_db_close(&d, path, false, reading);
	if (!*message && wrong)
		*message = g_strdup_printf("a run of %s: %s", path, wrong);
	if (!*message)
		return runs;
	json_decref(runs);
	return NULL;
}

double report_runs_instructions(const char *path, const char *workload, char **args)
{
	static const char sql[] =
	    "SELECT COALESCE(NULLIF(thread_instructions, 0), (SELECT SUM(value) FROM stats WHERE run_id = runs.id AND"
	    " name IN ('cpu.instructions', 'channel.instructions')), 0) FROM runs"
	    " WHERE workload = ? AND args = ? AND verified ORDER BY id DESC LIMIT 1";
	struct report_db s;
	json_t *words = json_array(), *name = json_string(workload);
	sqlite3_stmt *stmt;
	double count = 0;

	for (; *args; args++)
		json_array_append_new(words, json_string(*args));
	report_db_open_read(&s, path);
	stmt = report_db_prepare(&s, sql);
	if (stmt) {
		report_db_bind(&s, stmt, 1, name);
		report_db_bind(&s, stmt, 2, words);
		if (sqlite3_step(stmt) == SQLITE_ROW)
			count = sqlite3_column_double(stmt, 0);
	}
	sqlite3_finalize(stmt);
	g_free(report_db_close(&s, path, false, "cannot read"));
	json_decref(words);
	json_decref(name);
	return count;
}

bool report_runs_remove(const char *path, uint64_t number, char **message)
{
	static const char *const steps[] = {
	    "DELETE FROM stats WHERE run_id = ?1",
	    "DELETE FROM params WHERE run_id = ?1",
	    "DELETE FROM runs WHERE id = ?1",
	};
	struct report_db d;

	report_db_open(&d, path);
	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		sqlite3_stmt *stmt = report_db_prepare(&d, steps[i]);

		if (stmt) {
			sqlite3_bind_int64(stmt, 1, (int64_t)number);
			report_db_check(&d, sqlite3_step(stmt));
		}
		sqlite3_finalize(stmt);
	}
	*message = report_db_close(&d, path, true, "cannot take a run out of");
	return !*message;
}

void report_runs_print(FILE *out, const json_t *list)
{
	static const double ps_per_us = 1e6;
	size_t i, length = 8;
	json_t *run;

	json_array_foreach(list, i, run)
		length = MAX(length, strlen(json_string_value(json_object_get(run, "machine"))));
	fprintf(out, "%6s  %-19s  %-*s  %12s  %-8s  %s\n", "run", "stored (UTC)", (int)length, "machine", "time us",
		"verified", "program");
	json_array_foreach(list, i, run) {
		const json_t *args = json_object_get(run, "args");
		g_autofree char *mark = report_mark(run);
		const char *word;
		size_t at;
		json_t *arg;

		fprintf(out, "%6.0f  %-19s  %-*s  ", report_number(run, "id", NULL),
			json_string_value(json_object_get(run, "stored_at")), (int)length,
			json_string_value(json_object_get(run, "machine")));
		if (json_is_number(json_object_get(run, "time_ps")))
			fprintf(out, "%12.3f", report_number(run, "time_ps", NULL) / ps_per_us);
		else
			fprintf(out, "%12s", "-");
		word = json_string_value(json_object_get(run, "workload"));
		fprintf(out, "  %-8s  %s", json_is_true(json_object_get(run, "verified")) ? "yes" : "NO",
			word ? word : "");
		json_array_foreach(args, at, arg) {
			g_autofree char *shown = json_is_string(arg) ? g_strescape(json_string_value(arg), NULL) : NULL;

			fprintf(out, " %s", shown ? shown : "");
		}
		fprintf(out, "%s%s\n", *mark ? "  " : "", mark);
	}
}
