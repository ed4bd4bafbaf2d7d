/* check.c - strata check: one program under the memory checker, its findings, and what they make of its exit status. */
#include "cli/batch.h"
#include "cli/command.h"

#include "base/check.h"
#include "base/diag.h"
#include "cli/keep.h"
#include "cli/single.h"
#include "report/demangle.h"
#include "report/report.h"
#include "simt/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_about about = {
    .name = "check",
    .usage = "strata check [options] WORKLOAD  |  strata check [options] -- PROGRAM [ARGS]",
    .summary = "Runs a program under the memory checker and prints what its kernels did wrong. Values only, no\n"
	       "timing, unless --set run.mode=timing is given. The exit status is 1 if there are findings, 2 for a\n"
	       "wrong command line, 130 after Ctrl-C, else the program's.",
    .examples = "  strata check kmeans\n"
	"  strata check --limit 10 -- ./program",
};

enum { LIMIT_DEFAULT = 100 };

struct check_options {
	struct cli_single_options single;
	const char *limit;
	GPtrArray *skips;
	uint64_t limit_count;
	bool is_skipped[SIMT_FINDING_COUNT];
};

/* ---- options ---- */

static bool parse_limit(struct check_options *o)
{
	char *end;

	o->limit_count = LIMIT_DEFAULT;
	if (!o->limit)
		return true;
	errno = 0;
	o->limit_count = strtoull(o->limit, &end, 10);
	if (*o->limit >= '0' && *o->limit <= '9' && !*end && !errno)
		return true;
	cli_error("check: bad --limit '%s', expected a number of findings", o->limit);
	return false;
}

static bool parse_skip(struct check_options *o, const char *name)
{
	const char *names[SIMT_FINDING_COUNT];

	for (uint32_t k = 0; k < SIMT_FINDING_COUNT; k++) {
		names[k] = simt_finding_name((enum simt_finding_kind)k);
		if (!strcmp(names[k], name)) {
			o->is_skipped[k] = true;
			return true;
		}
	}

	const char *nearest = base_nearest_name(name, names, SIMT_FINDING_COUNT);
	g_autofree char *all = NULL;

	if (nearest) {
		cli_error("check: no kind of finding is called '%s'; did you mean '%s'?", name, nearest);
		return false;
	}
	for (uint32_t k = 0; k < SIMT_FINDING_COUNT; k++) {
		char *more = g_strconcat(all ? all : "", all ? ", " : "", names[k], NULL);

		g_free(all);
		all = more;
	}
	cli_error("check: no kind of finding is called '%s'; there are %s", name, all);
	return false;
}

static bool parse_values(struct check_options *o)
{
	bool is_ok = parse_limit(o);

	for (uint32_t i = 0; is_ok && i < o->skips->len; i++)
		is_ok = parse_skip(o, o->skips->pdata[i]);
	return is_ok;
}

/* ---- findings ---- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static long long number_of(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

/* "file.cu:12:9 (a.ptx line 45: st.global.f32 [%rd10], %f3;)", or only what there is. */
static void print_place(const json_t *at)
{
	if (json_object_get(at, "source") && json_is_string(json_object_get(at, "source")))
		printf("%s:%lld:%lld (%s line %lld: %s)", text_of(at, "source"), number_of(at, "line"),
		       number_of(at, "column"), text_of(at, "ptx"), number_of(at, "ptx_line"),
		       text_of(at, "instruction"));
	else
		printf("%s line %lld: %s", text_of(at, "ptx"), number_of(at, "ptx_line"), text_of(at, "instruction"));
}

static void print_triple(const char *name, const json_t *v)
{
	long long n[3];

	for (size_t i = 0; i < 3; i++)
		n[i] = (long long)json_integer_value(json_array_get(v, i));
	printf("%s (%lld,%lld,%lld)", name, n[0], n[1], n[2]);
}

static void print_finding(const json_t *f)
{
	const json_t *at = json_object_get(f, "at"), *other = json_object_get(f, "other");
	const long long count = number_of(f, "count");
	g_autofree char *text = report_demangle(text_of(f, "text"));
	g_autofree char *kernel = report_demangle(text_of(f, "kernel"));

	printf("%s: %s\n", text_of(f, "kind"), text);
	if (json_is_object(at)) {
		printf("    at ");
		print_place(at);
		putchar('\n');
	}
	if (json_is_object(other)) {
		printf("    other access at ");
		print_place(other);
		putchar('\n');
	}
	if (json_is_string(json_object_get(f, "kernel"))) {
		printf("    in kernel %s, ", kernel);
		print_triple("CTA", json_object_get(f, "cta"));
		print_triple(", thread", json_object_get(f, "thread"));
		if (count > 1)
			printf(", and %lld more like it", count - 1);
		putchar('\n');
	} else if (count > 1) {
		printf("    and %lld more like it\n", count - 1);
	}
}

static bool is_wanted(const struct check_options *o, const json_t *finding)
{
	const char *kind = text_of(finding, "kind");

	for (uint32_t k = 0; k < SIMT_FINDING_COUNT; k++)
		if (o->is_skipped[k] && !strcmp(simt_finding_name((enum simt_finding_kind)k), kind))
			return false;
	return true;
}

static json_t *wanted_findings(const struct check_options *o, const json_t *written)
{
	json_t *all = json_object_get(written, "findings"), *wanted = json_array();
	size_t i;
	json_t *f;

	json_array_foreach(all, i, f)
		if (is_wanted(o, f))
			json_array_append(wanted, f);
	return wanted;
}

static void print_findings(const struct check_options *o, const json_t *findings, const json_t *written)
{
	const size_t count = json_array_size(findings);
	const long long dropped = number_of(written, "dropped"), launches = number_of(written, "launches");
	const long long refused = number_of(written, "launches_refused");
	long long accesses = dropped;
	size_t i;
	json_t *f;

	json_array_foreach(findings, i, f) {
		accesses += number_of(f, "count");
		if (i < o->limit_count)
			print_finding(f);
	}
	if (count > o->limit_count)
		printf("%zu more finding%s not printed; --limit N prints more, --json FILE writes all\n",
		       count - (size_t)o->limit_count, count - o->limit_count == 1 ? " is" : "s are");
	if (dropped)
		printf("%lld accesses more are like none of these, which are as many as are kept\n", dropped);
	if (count)
		printf("check: %zu finding%s (%lld times), ", count, count == 1 ? "" : "s", accesses);
	else
		printf("check: no findings, ");
	printf("%lld kernel launch%s", launches, launches == 1 ? "" : "es");
	if (refused)
		printf(", %lld of them refused", refused);
	putchar('\n');
	if (!json_is_true(json_object_get(written, "is_complete")))
		printf("check: the program did not end by itself; leaks were not looked for\n");
}

static json_t *result_json(const struct cli_job *job, json_t *findings, const json_t *written)
{
	static const char *const kept[] = {
	    "workload", "args", "machine", "exit_status", "version", "source_commit", "program_path",
	    "program_sha256", "machine_file", "machine_text", "host", "date", "command_line",
	};
	static const char *const passed[] = {"launches", "launches_refused", "is_complete", "dropped"};
	json_t *o = json_object();

	for (uint32_t i = 0; i < ARRAY_COUNT(kept); i++)
		json_object_set(o, kept[i], json_object_get(job->result, kept[i]));
	for (uint32_t i = 0; i < ARRAY_COUNT(passed); i++)
		json_object_set(o, passed[i], json_object_get(written, passed[i]));
	json_object_set(o, "findings", findings);
	return o;
}

static bool keep(const struct check_options *o, const struct cli_job *job, json_t *findings, const json_t *written)
{
	json_t *result = result_json(job, findings, written);
	bool is_kept = cli_json_keep(o->single.json, result);

	json_decref(result);
	return is_kept;
}

static void add_number(json_t *sum, const json_t *part, const char *key)
{
	json_object_set_new(sum, key, json_integer((json_int_t)(number_of(sum, key) + number_of(part, key))));
}

/* The findings of all processes of the program in one object; NULL: there are none. *is_lost: some could not be
 * written. */
static json_t *load_findings(const struct cli_job *job, bool *is_lost)
{
	json_t *all = json_pack("{s:[]}", "findings");
	uint32_t count = 0;

	*is_lost = false;
	for (uint32_t number = 1;; number++) {
		json_t *one;
		const enum cli_left left = cli_places_read(&job->places, number, &one);

		if (left == CLI_LEFT_NOTHING)
			break;
		*is_lost = *is_lost || left == CLI_LEFT_LOST;
		count += one != NULL;
		json_array_extend(json_object_get(all, "findings"), json_object_get(one, "findings"));
		add_number(all, one, "dropped");
		add_number(all, one, "launches");
		add_number(all, one, "launches_refused");
		json_object_set_new(all, "is_complete",
				    json_boolean((number == 1 || json_is_true(json_object_get(all, "is_complete"))) &&
						 json_is_true(json_object_get(one, "is_complete"))));
		json_decref(one);
	}
	if (!count) {
		json_decref(all);
		return NULL;
	}
	return all;
}

static int report(const struct cli_job *job, void *ctx)
{
	const struct check_options *o = ctx;
	bool is_lost;
	json_t *written = load_findings(job, &is_lost);

	if (!written) {
		if (is_lost)
			printf("check: the findings could not be written, see the message above\n");
		else
			printf("check: nothing was checked: the program did not use the CUDA driver, or ended before "
			       "it could say\n");
		return job->exit_status || is_lost ? cli_job_exit_status(job, is_lost) : CLI_FAILED;
	}

	json_t *findings = wanted_findings(o, written);
	const bool has_findings = json_array_size(findings);
	int exit_status = cli_job_exit_status(job, is_lost);

	print_findings(o, findings, written);
	fflush(stdout);
	if (exit_status != CLI_INTERRUPTED && has_findings)
		exit_status = CLI_FAILED;
	if (!keep(o, job, findings, written) && !exit_status)
		exit_status = CLI_UNABLE;
	json_decref(findings);
	json_decref(written);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct check_options *o = ctx;
	const struct cli_single single = {
	    .about = &about, .options = &o->single, .is_checked = true, .report = report, .ctx = o};

	/* Before the user's own settings, which may say otherwise. */
	g_ptr_array_insert(o->single.sets, 0, "run.mode=functional");
	return parse_values(o) ? cli_single_run(&single, words, paths) : CLI_USAGE;
}

int cli_check(int argc, char **argv)
{
	struct check_options o = {0};
	const struct cli_option options[] = {
	    CLI_SINGLE_OPTIONS(o.single, "write the findings there as a JSON object"),
	    CLI_THREADS_OPTION(&o.single.threads),
	    {"limit", CLI_TEXT, &o.limit, "N", "print at most N findings (default 100)", 0},
	    {"skip", CLI_LIST, &o.skips, "KIND", "leave out findings of this kind, such as leak; several times", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
