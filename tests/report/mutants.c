/* mutants FILE.json: a stored result in which one value after the other has another type, or is not there, and its text
 * cut off: either the check names the field, or all that reads results prints something, and no "(null)" among it. */
#include "report/check.h"
#include "report/page.h"
#include "report/report.h"
#include "report/runs.h"
#include "report/why.h"

#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMBERS_WHOLE = 8, MEMBERS_STEP = 48, ITEMS = 1, CUTS = 100 };

static json_t *original; /* whole */
static json_t *mutant;
static GString *place;
static uint32_t mutant_count, refused_count, failed_count;

static void crash(int signal_number)
{
	(void)signal_number;
	dprintf(STDERR_FILENO, "mutants: FAILED: a crash with %s\n", place->str);
	_exit(1);
}

static void fail(const char *what)
{
	if (failed_count++ < 20)
		fprintf(stderr, "mutants: FAILED: %s: %s\n", place->str, what);
}

/* ---- the readers ---- */

static void read_text(FILE *f)
{
	json_t *why = report_why(mutant, original), *difference = report_runs_difference(original, mutant);
	json_t *back = report_runs_difference(mutant, original);
	json_t *both = json_pack("[o, o]", json_deep_copy(original), json_deep_copy(mutant));
	const struct report_comparison comparison = {json_string_value(json_object_get(original, "machine")), 1};

	report_summary_print(f, mutant);
	if (report_has_run(mutant))
		report_why_print(f, why);
	report_runs_difference_print(f, difference, UINT32_MAX);
	report_runs_difference_print(f, back, UINT32_MAX);
	report_work_compare(both, comparison.base);
	report_comparison_print(f, both, &comparison);
	json_decref(why);
	json_decref(difference);
	json_decref(back);
	json_decref(both);
}

static void read_files(void)
{
	json_t *runs = json_pack("[O]", mutant), *none = json_array();
	const struct report_page what = {.runs = runs, .sweeps = none, .left_out = none, .version = "test"};
	g_autofree char *csv = report_runs_csv(runs);
	size_t length;

	if (!g_str_has_prefix(csv, "args,"))
		fail("no table");
	if (!report_trace_write("/dev/null", mutant))
		fail("no timeline");
	if (mutant_count % 64 == 0) {
		g_autofree char *page = report_page(&what, &length);

		if (strstr(page, "(null)"))
			fail("(null) on the page");
	}
	json_decref(runs);
	json_decref(none);
}

static void read_all(void)
{
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *f = open_memstream(&text, &size_bytes);

	read_text(f);
	fclose(f);
	if (strstr(text, "(null)"))
		fail("(null) is printed");
	free(text);
	read_files();
}

/* The mutant as it is now. */
static void try_mutant(void)
{
	g_autofree char *wrong = report_check(mutant);

	mutant_count++;
	if (wrong)
		refused_count++;
	else
		read_all();
}

/* ---- mutations ---- */

static json_t *other_value(uint32_t kind)
{
	switch (kind) {
	case 0:
		return json_null();
	case 1:
		return json_integer(5);
	case 2:
		return json_string("x");
	case 3:
		return json_pack("[s]", "x");
	default:
		return json_pack("{s:i}", "x", 5);
	}
}

static void mutate(json_t *at);

/* One member of an object: other types, not there, and then what is in it. */
static void mutate_member(json_t *object, const char *key)
{
	json_t *value = json_incref(json_object_get(object, key)), *put_back;
	const size_t length = place->len;

	g_string_append_printf(place, "/%s", key);
	for (uint32_t kind = 0; kind < 5; kind++) {
		json_object_set_new(object, key, other_value(kind));
		try_mutant();
	}
	put_back = json_copy(object); /* members keep their order */
	json_object_del(object, key);
	try_mutant();
	json_object_clear(object);
	json_object_update(object, put_back);
	json_object_set_new(object, key, value);
	json_decref(put_back);
	mutate(value);
	g_string_truncate(place, length);
}

static void mutate_item(json_t *array, size_t i)
{
	json_t *value = json_incref(json_array_get(array, i));
	const size_t length = place->len;

	g_string_append_printf(place, "/%zu", i);
	for (uint32_t kind = 0; kind < 5; kind++) {
		json_array_set_new(array, i, other_value(kind));
		try_mutant();
	}
	json_array_set_new(array, i, value);
	mutate(value);
	g_string_truncate(place, length);
}

/* Of large objects, and of arrays, some. */
static void mutate(json_t *at)
{
	g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
	const char *key;
	json_t *value;

	json_object_foreach(at, key, value) g_ptr_array_add(keys, g_strdup(key));
	for (uint32_t i = 0; i < keys->len; i += keys->len > MEMBERS_WHOLE && !g_str_equal(place->str, "")
							     ? MEMBERS_STEP
							     : 1)
		mutate_member(at, keys->pdata[i]);
	for (size_t i = 0; i < MIN(json_array_size(at), ITEMS); i++)
		mutate_item(at, i);
}

/* A text that ends too early is no result. */
static void cut_off(void)
{
	char *text = json_dumps(original, JSON_COMPACT);
	const size_t length = strlen(text);

	g_string_assign(place, "a text that is cut off");
	for (uint32_t i = 0; i < CUTS; i++) {
		g_autofree char *begin = g_strndup(text, length * i / CUTS), *wrong = NULL;
		json_t *run = report_result_read(begin, &wrong);

		if (run || !wrong)
			fail("it is taken");
		json_decref(run);
	}
	free(text);
}

int main(int argc, char **argv)
{
	json_t *file = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL;
	g_autofree char *wrong = NULL;

	original = json_incref(json_is_array(file) ? json_array_get(file, 0) : file);
	json_decref(file);
	place = g_string_new(NULL);
	signal(SIGSEGV, crash);
	signal(SIGABRT, crash);
	wrong = report_check(original);
	if (wrong) {
		fprintf(stderr, "mutants: FAILED: %s: %s\n", argv[1], wrong);
		return 1;
	}
	mutant = json_deep_copy(original);
	mutate(mutant);
	if (!json_equal(mutant, original))
		fail("the original is not back");
	cut_off();
	json_decref(mutant);
	json_decref(original);
	g_string_free(place, TRUE);
	printf("mutants: %u mutants, %u refused, %u failed\n", mutant_count, refused_count, failed_count);
	return failed_count || !refused_count;
}
