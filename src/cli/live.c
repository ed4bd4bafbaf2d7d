/* live.c - reads what runs say about themselves, and words for it. */
#include "cli/live.h"

#include "cli/scratch.h"
#include "machine/live.h"
#include "report/demangle.h"
#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SPENT_SHOWN = 2 };

char *cli_live_path(const char *dir, uint32_t index)
{
	return g_strdup_printf("%s/%u.live", dir, index);
}

/* ---- files ---- */

/* Since the process with this beginning, of /proc, began. */
static double elapsed_s(uint64_t start)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return MAX((double)now.tv_sec + (double)now.tv_nsec * 1e-9 - (double)start / (double)sysconf(_SC_CLK_TCK), 0);
}

static double age_s(const char *path)
{
	struct timespec now;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now);
	if (stat(path, &st))
		return 0;
	return MAX((double)(now.tv_sec - st.st_mtim.tv_sec) + (double)(now.tv_nsec - st.st_mtim.tv_nsec) * 1e-9, 0);
}

/* NULL: it is none, or its process has gone; its number may be another's by now. */
static json_t *file_read(const char *path)
{
	json_t *run = json_load_file(path, 0, NULL);
	const uint64_t start = (uint64_t)report_number(run, "start", NULL);
	const char *kernel = json_string_value(json_object_get(run, "kernel"));

	if (!json_is_object(run) || !start || machine_process_start((pid_t)report_number(run, "pid", NULL)) != start) {
		json_decref(run);
		return NULL;
	}
	json_object_set_new(run, "elapsed_s", json_real(elapsed_s(start)));
	json_object_set_new(run, "age_s", json_real(age_s(path)));
	if (kernel) {
		g_autofree char *title = report_demangle(kernel);

		json_object_set_new(run, "kernel", json_string(title));
	}
	return run;
}

/* "0.live.1", not "0.live.1.part". */
static bool is_live(const char *name)
{
	const char *at = strstr(name, ".live."), *number = at ? at + strlen(".live.") : "";

	return *number && strspn(number, "0123456789") == strlen(number);
}

/* Those whose names begin so. */
static void read_some(const char *dir, const char *begin, json_t *runs)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		json_t *run = is_live(name) && g_str_has_prefix(name, begin) ? file_read(path) : NULL;

		if (run)
			json_array_append_new(runs, run);
	}
	if (d)
		g_dir_close(d);
}

void cli_live_read(const char *dir, void *runs)
{
	read_some(dir, "", runs);
}

void cli_live_read_job(const char *session_path, json_t *runs)
{
	g_autofree char *dir = g_path_get_dirname(session_path), *name = g_path_get_basename(session_path);
	g_autofree char *begin = g_strdup_printf("%.*s.live.", (int)strcspn(name, "."), name);

	read_some(dir, begin, runs);
}

static int by_age(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = report_number(*a, "start", NULL), y = report_number(*b, "start", NULL);

	if (x < y || x > y)
		return x < y ? -1 : 1;
	return report_number(*a, "pid", NULL) < report_number(*b, "pid", NULL) ? -1 : 1;
}

json_t *cli_live_all(void)
{
	json_t *found = json_array(), *out = json_array(), *run;
	g_autofree json_t **sorted = NULL;
	size_t i;

	cli_scratch_each(cli_live_read, found);
	sorted = g_new(json_t *, json_array_size(found) + 1);
	json_array_foreach(found, i, run)
		sorted[i] = run;
	qsort(sorted, json_array_size(found), sizeof(sorted[0]), by_age);
	for (i = 0; i < json_array_size(found); i++)
		json_array_append(out, sorted[i]);
	json_decref(found);
	return out;
}

/* ---- words ---- */

/* Three digits before or behind the point, in the largest unit of which there is one at least. */
static const char *scaled(double value, const char *const *units, double step, char out[32])
{
	uint32_t i = 0;

	while (units[i + 1] && value >= step) {
		value /= step;
		i++;
	}
	g_snprintf(out, 32, "%.*f %s", value >= 100 || (!i && floor(value) >= value) ? 0 : value >= 10 ? 1 : 2, value,
		   units[i]);
	return g_strchomp(out);
}

const char *cli_live_time(double ps, char out[32])
{
	static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};

	return scaled(ps, units, 1000, out);
}

const char *cli_live_count(double count, char out[32])
{
	static const char *const units[] = {"", "k", "M", "G", "T", NULL};

	return scaled(count, units, 1000, out);
}

char *cli_live_doing(const json_t *run)
{
	const char *kernel = json_string_value(json_object_get(run, "kernel"));
	const char *of = json_string_value(json_object_get(run, "of"));
	const double total = report_number(run, "total", NULL), done = report_number(run, "done", NULL);
	const double kernels = report_number(run, "kernels", NULL);
	const bool is_counted = of && total > 0 && (kernel || kernels == 0);
	GString *text = g_string_new(NULL);

	if (kernel)
		g_string_append_printf(text, "kernel %.0f %s", kernels, kernel);
	else if (kernels > 0)
		g_string_append_printf(text, "host code, %.0f kernels done", kernels);
	if (is_counted)
		g_string_append_printf(text, "%s%.0f %% of %.0f %s", text->len ? ": " : "", 100 * done / total, total,
				       of);
	return g_string_free(text, FALSE);
}

char *cli_live_spent(const json_t *run)
{
	json_t *spent = json_object_get(run, "spent"), *value;
	GString *text = g_string_new(NULL);
	const char *what;
	double below = INFINITY;

	for (uint32_t shown = 0; shown < SPENT_SHOWN; shown++) {
		const char *best = NULL;
		double most = 0.005; /* what is not a hundredth is not worth a word */

		json_object_foreach(spent, what, value) {
			const double share = json_number_value(value);

			if (share < below && share > most) {
				most = share;
				best = what;
			}
		}
		if (!best)
			break;
		g_string_append_printf(text, "%s%s %.0f %%", text->len ? ", " : "", best, 100 * most);
		below = most;
	}
	return g_string_free(text, FALSE);
}
