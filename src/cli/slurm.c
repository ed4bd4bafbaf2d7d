/* slurm.c - submits a sweep's parts as a job array, and looks for what they leave. What is done is what has a file: a
 * job's state decides nothing but whether to wait. */
#include "cli/slurm.h"

#include "cli/options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS_DEFAULT = 64, POLL_S = 2, EMPTY_POLLS = 2 };

static volatile sig_atomic_t was_interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	was_interrupted = 1;
}

/* What a command prints; NULL when it fails, with *error set (g_free). words are taken. */
static char *output_of(GPtrArray *words, char **error)
{
	g_autoptr(GError) failure = NULL;
	g_autofree char *err = NULL;
	char *out = NULL;
	int status = 0;

	*error = NULL;
	g_ptr_array_add(words, NULL);
	if (!g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status,
			  &failure))
		*error = g_strdup(failure->message);
	else if (status)
		*error = g_strdup(g_strstrip(err));
	g_ptr_array_free(words, TRUE);
	if (!*error)
		return out;
	g_free(out);
	return NULL;
}

static GPtrArray *words_new(const char *first)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(words, g_strdup(first));
	return words;
}

static void quote(GString *line, const char *word)
{
	g_autofree char *quoted = g_shell_quote(word);

	g_string_append_printf(line, " %s", quoted);
}

/* The script of a task: this program, on its part. */
static char *script_write(const struct cli_slurm *s, uint32_t task_count)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *here = g_get_current_dir();
	g_autoptr(GError) error = NULL;
	GString *text = g_string_new("#!/bin/sh\ncd");
	char *path = g_build_filename(s->sweep->dir, "task.sh", NULL);

	quote(text, here);
	g_string_append(text, " && exec");
	quote(text, self);
	g_string_append(text, " sweep");
	quote(text, s->path);
	for (uint32_t i = 0; i < s->sets->len; i++) {
		g_string_append(text, " --set");
		quote(text, s->sets->pdata[i]);
	}
	if (s->sweep->verify.command) {
		g_string_append(text, " --verify");
		quote(text, s->sweep->verify.command);
	}
	if (s->sweep->verify.text) {
		g_string_append(text, " --expect");
		quote(text, s->sweep->verify.text);
	}
	if (s->slots) {
		g_string_append(text, " -j");
		quote(text, s->slots);
	}
	if (s->threads) {
		g_string_append(text, " --threads");
		quote(text, s->threads);
	}
	g_string_append_printf(text, "%s --part \"$((SLURM_ARRAY_TASK_ID + 1))/%u\"\n",
			       s->sweep->leaves_out ? " --skip-invalid" : "", task_count);
	if (!g_file_set_contents(path, text->str, (gssize)text->len, &error)) {
		cli_error("sweep: %s", error->message);
		g_free(path);
		path = NULL;
	}
	g_string_free(text, TRUE);
	return path;
}

/* Slurm's own limit for the numbers in an array, or 1001. */
static uint32_t array_limit(void)
{
	GPtrArray *words = words_new("scontrol");
	g_autofree char *error = NULL, *out = NULL;
	const char *found;

	g_ptr_array_add(words, g_strdup("show"));
	g_ptr_array_add(words, g_strdup("config"));
	out = output_of(words, &error);
	found = out ? strstr(out, "MaxArraySize") : NULL;
	found = found ? strchr(found, '=') : NULL;
	return found ? (uint32_t)strtoul(found + 1, NULL, 10) : 1001;
}

/* The number of the job, or NULL after a message. */
static char *submit(const struct cli_slurm *s, const char *script, uint32_t task_count)
{
	GPtrArray *words = words_new("sbatch");
	g_autofree char *error = NULL;
	g_auto(GStrv) more = NULL;
	g_autoptr(GError) wrong = NULL;
	char *job;

	g_ptr_array_add(words, g_strdup("--parsable"));
	g_ptr_array_add(words, g_strdup_printf("--array=0-%u", task_count - 1));
	g_ptr_array_add(words, g_strdup("--job-name=strata"));
	g_ptr_array_add(words, g_strdup_printf("--output=%s/task-%%a.log", s->sweep->dir));
	if (s->sbatch && *s->sbatch && !g_shell_parse_argv(s->sbatch, NULL, &more, &wrong)) {
		cli_error("sweep: bad --sbatch: %s", wrong->message);
		g_ptr_array_free(words, TRUE);
		return NULL;
	}
	for (char **word = more; word && *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	g_ptr_array_add(words, g_strdup(script));
	job = output_of(words, &error);
	if (!job) {
		cli_error("sweep: sbatch failed: %s", error);
		return NULL;
	}
	job[strcspn(job, ";\n")] = '\0'; /* "JOB;CLUSTER" */
	return job;
}

/* Is something of the job in the queue? A job that Slurm does not know is not; while Slurm does not answer it may be.
 */
static bool is_queued(const char *job)
{
	GPtrArray *words = words_new("squeue");
	g_autofree char *error = NULL, *out = NULL;
	static const char *const more[] = {"-h", "-r", "-t", "PD,R,CG,CF,S", "-j"};

	for (size_t i = 0; i < G_N_ELEMENTS(more); i++)
		g_ptr_array_add(words, g_strdup(more[i]));
	g_ptr_array_add(words, g_strdup(job));
	out = output_of(words, &error);
	return out ? *g_strstrip(out) : !strstr(error, "Invalid job id");
}

static void cancel(const char *job)
{
	GPtrArray *words = words_new("scancel");
	g_autofree char *error = NULL;

	g_ptr_array_add(words, g_strdup(job));
	g_free(output_of(words, &error));
	if (error)
		cli_error("sweep: scancel %s failed: %s", job, error);
}

/* Until the array has left the queue, or all is done: files may come a little later than the queue says. */
static void wait_for(const struct cli_slurm *s, const char *job)
{
	const uint32_t all = s->sweep->keys->len - s->sweep->left_count;
	uint32_t empty = 0;
	struct cli_sweep_progress progress;

	cli_sweep_progress_begin(&progress, s->sweep, false);
	while (!was_interrupted && empty < EMPTY_POLLS) {
		const uint32_t done = cli_sweep_done_count(s->sweep);

		cli_sweep_progress_draw(&progress, done, all, job);
		if (done == all)
			break;
		empty = is_queued(job) ? 0 : empty + 1;
		sleep(POLL_S);
	}
	cli_progress_clear(&progress.progress);
}

/* One array. False after a message. */
static bool round_run(const struct cli_slurm *s, uint32_t missing)
{
	const uint32_t wanted = s->task_count ? s->task_count : TASKS_DEFAULT;
	const uint32_t limit = array_limit(), count = MIN(MIN(wanted, missing), limit > 2 ? limit - 1 : 1);
	g_autofree char *script = script_write(s, count);
	g_autofree char *job = script ? submit(s, script, count) : NULL;

	if (!job)
		return false;
	wait_for(s, job);
	if (was_interrupted)
		cancel(job);
	return true;
}

int cli_slurm_run(const struct cli_slurm *s)
{
	const struct sigaction action = {.sa_handler = on_interrupt};
	const uint32_t all = s->sweep->keys->len - s->sweep->left_count;
	uint32_t done = cli_sweep_done_count(s->sweep), before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (done < all && !was_interrupted) {
		before = done;
		if (!round_run(s, all - done))
			return CLI_UNABLE;
		done = cli_sweep_done_count(s->sweep);
		if (done == before && !was_interrupted) {
			cli_error("sweep: the job array has ended and none of the %u missing runs is there; its output "
				  "is in %s/task-*.log",
				  all - done, s->sweep->dir);
			return CLI_UNABLE;
		}
	}
	return was_interrupted ? CLI_INTERRUPTED : CLI_OK;
}
