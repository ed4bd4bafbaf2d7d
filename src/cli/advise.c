/* advise.c - strata advise: which level of near-data processing would serve a program.
 *
 * Of kernels there are two questions, each from a run without timing on the machine that its levels are compared with:
 * which level in the stacks of --machine, and whether the caches of a server would do better than the GPU of one. Of a
 * program of threads there is one: whether processors on the memory channels would, from a run on the CPU alone and a
 * recording with a thread for each of their cores.
 */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/input.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "cli/timeout.h"
#include "cli/wait.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/parts.h"
#include "machine/result.h"
#include "report/advise.h"
#include "report/advise_cache.h"
#include "report/advise_channel.h"
#include "report/report.h"
#include "threads/model.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cli_about about = {
    .name = "advise",
    .usage = "strata advise [--machine M] [--set K=V] [--json FILE] WORKLOAD | -- PROGRAM [ARGS]",
    .summary =
	"Runs a program without timing and predicts from what its kernels do (reuse, intensity, divergence,\n"
	"where lines lie) which level of near-data processing would serve it best: none, blocks of loops,\n"
	"instructions, or CTAs in the stacks of a GPU, and whether the caches of a server would do better than\n"
	"its GPU. Of a program of threads it predicts, from one run on the CPU and a recording, whether processors\n"
	"on the memory channels would.",
    .examples = "  strata advise kmeans\n"
		"  strata advise --json advice.json bfs\n"
		"  strata advise random-access",
};

enum { RUNS_MAX = 2 };
static const char default_gpu[] = "bench-baseline", gpu_server[] = "gpu-server", cache_server[] = "duality",
		  default_cpu[] = "channel-cpu", ndp_machine[] = "channel-ndp";

struct advise_options {
	const char *machine, *json, *size, *timeout;
	GPtrArray *sets;
};

/* The machines of one question or two, and of what is predicted without a run. */
struct advise_machines {
	struct machine_session runs[RUNS_MAX], caches, ndps;
	uint32_t run_count;
	bool is_of_threads;
};

/* ---- what is said of the runs ---- */

/* No limit of time has ended it, and nobody else. */
static bool is_whole(const struct cli_job *job)
{
	return cli_job_is_finished(job) && !json_is_string(json_object_get(job->result, "timed_out")) &&
	       !json_is_true(json_object_get(job->result, "interrupted"));
}

static bool has_profile(const struct cli_job *job)
{
	return is_whole(job) && json_array_size(json_object_get(job->result, "profile"));
}

static json_t *kernels_advice(const struct advise_machines *m, const struct cli_job *jobs)
{
	const json_t *server = jobs[m->run_count - 1].result;
	json_t *caches = machine_session_json(&m->caches), *advice = report_advise(jobs[0].result);

	json_object_set_new(advice, "server", report_advise_cache(server, report_advise_kernels_s(server), caches));
	report_advise_print(stdout, advice);
	report_advise_cache_print(stdout, json_object_get(advice, "server"));
	json_object_set(advice, "kernels", json_object_get(jobs[0].result, "profile"));
	json_decref(caches);
	return advice;
}

/* The program's child that records it, with the input that it would have; nothing that it prints is of interest. */
static void become_recorder(const struct cli_target *target, char **argv, const char *input)
{
	const int out = open("/dev/null", O_WRONLY | O_CLOEXEC),
		  in = open(target->is_self_checking ? "/dev/null" : input, O_RDONLY | O_CLOEXEC);

	cli_wait_child();
	if (out >= 0 && in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(out, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(CLI_UNABLE);
}

/* A recording with so many threads, by strata trace record; the exit status. */
static int record(const struct cli_target *target, const char *input, const char *path, uint32_t threads,
		  uint64_t deadline_ns)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *count = g_strdup_printf("%u", threads);
	const char *const words[] = {"strata", "trace", "record", "-o", path, "--threads", count, "--",
				     cli_target_file(target)};
	bool is_timed_out;
	int status;
	pid_t pid;

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		g_ptr_array_add(argv, (gpointer)(uintptr_t)words[i]);
	for (char **word = cli_target_arguments(target); *word; word++)
		g_ptr_array_add(argv, *word);
	g_ptr_array_add(argv, NULL);
	cli_wait_begin();
	fflush(NULL);
	pid = fork();
	if (!pid)
		become_recorder(target, (char **)argv->pdata, input);
	if (pid < 0)
		return CLI_UNABLE;
	status = cli_wait(pid, deadline_ns, &is_timed_out);
	return status == CLI_WAIT_UNKNOWN || !WIFEXITED(status) ? CLI_UNABLE : WEXITSTATUS(status);
}

/* What its threads would do on the NDPs' cores. False after a message. */
static bool walk_make(const struct cli_job *job, const char *scratch,
		      const json_t *ndps, struct report_advise_walk *walk)
{
	g_autofree char *path = g_build_filename(scratch, "recording", NULL);
	const double cores =
	    report_number(ndps, "params", "channel.ndp_count") * report_number(ndps, "params", "channel.core_count");
	const char *why = NULL;
	int status;

	*walk = (struct report_advise_walk){0};
	if (!report_advise_is_parallel(job->result))
		return true;
	status = record(job->target, job->input_path, path, (uint32_t)MIN(cores, THREAD_UNITS_MAX), job->deadline_ns);
	if (status) {
		cli_error("advise: a recording of the program with %.0f threads ended with status %d: there is nothing "
			  "to go by; `strata trace record` makes one", cores, status);
		return false;
	}
	if (report_advise_walk(path, ndps, walk, &why))
		return true;
	cli_error("advise: the recording of the program: %s", why);
	return false;
}

static json_t *threads_advice(const struct advise_machines *m, const struct cli_job *jobs, const char *scratch)
{
	json_t *ndps = machine_session_json(&m->ndps), *advice = NULL;
	struct report_advise_walk walk;

	if (walk_make(&jobs[0], scratch, ndps, &walk)) {
		advice = report_advise_channel(jobs[0].result, &walk, ndps);
		report_advise_channel_print(stdout, advice);
	}
	json_decref(ndps);
	return advice;
}

/* NULL after a message: a run did not come to its end, or did nothing to go by. */
static json_t *advice_of(const struct advise_machines *m, const struct cli_job *jobs, const char *scratch)
{
	for (uint32_t i = 0; i < m->run_count; i++) {
		if (m->is_of_threads && !(is_whole(&jobs[i]) && report_has_run(jobs[i].result))) {
			cli_error("advise: the program has not run to its end: there is nothing to go by");
			return NULL;
		}
		if (!m->is_of_threads && !has_profile(&jobs[i])) {
			cli_error("advise: the program has run no kernel to its end: there is nothing to go by");
			return NULL;
		}
	}
	return m->is_of_threads ? threads_advice(m, jobs, scratch) : kernels_advice(m, jobs);
}

/* ---- the runs ---- */

static bool jobs_make(const struct advise_machines *m, const struct cli_target *target, struct cli_job *jobs,
		      const char *scratch, const char *input)
{
	for (uint32_t i = 0; i < m->run_count; i++) {
		jobs[i] = (struct cli_job){
		    .target = target, .machine = &m->runs[i], .is_captured = true, .input_path = input};
		if (!cli_job_prepare(&jobs[i], scratch, i))
			return false;
	}
	return true;
}

/* Whose results were checked, and are not right. */
static bool are_wrong(const struct cli_job *jobs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (cli_job_not_verified(&jobs[i]))
			return true;
	return false;
}

static int advise(const struct cli_paths *paths, const struct cli_target *target, const struct advise_machines *m,
		  const char *json_path)
{
	char *scratch = cli_scratch_make(), *input;
	struct cli_job jobs[RUNS_MAX] = {0};
	struct cli_batch batch = {.paths = paths, .jobs = jobs, .job_count = m->run_count};
	int exit_status = CLI_UNABLE;

	if (!scratch)
		return CLI_UNABLE;
	input = target->is_self_checking ? NULL : cli_input_copy(scratch);
	if ((target->is_self_checking || input) && jobs_make(m, target, jobs, scratch, input)) {
		cli_batch_run(&batch);
		exit_status = batch.is_interrupted ? CLI_INTERRUPTED : batch.exit_status;
		if (batch.is_interrupted)
			cli_error("advise: interrupted before the program had ended: there is nothing to predict from");
	}
	if (exit_status == CLI_OK) {
		json_t *advice = advice_of(m, jobs, scratch);

		exit_status = advice && !are_wrong(jobs, m->run_count) ? CLI_OK : CLI_FAILED;
		if (advice && !cli_json_keep(json_path, advice))
			exit_status = CLI_UNABLE;
		json_decref(advice);
	}
	for (uint32_t i = 0; i < m->run_count; i++)
		cli_job_free(&jobs[i]);
	g_free(input);
	cli_scratch_remove(scratch);
	return exit_status;
}

/* ---- the machines ---- */

/* False after a message: nothing would be left of the GPU beside what is put into the stacks. */
static bool is_large_enough(const struct machine_session *session)
{
	const struct machine_config *c = &session->config;
	const uint64_t sm_count = machine_config_has_gpu(c) ? machine_gpu_config(c)->gpu.sm_count : 0;
	json_t *machine = machine_session_json(session);
	const uint64_t replaced = report_advise_sms_replaced(machine);

	json_decref(machine);
	if (!sm_count || sm_count > replaced)
		return true;
	cli_error("advise: a core in each of the %" PRIu64 " stacks is in the place of an SM: gpu.sm_count = %" PRIu64
		  " must be more than that",
		  replaced, sm_count);
	return false;
}

/* Our settings, then the user's. */
static bool load(const struct cli_paths *paths, const char *name, GPtrArray *sets, const char *const *ours,
		 struct machine_session *out)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	for (; *ours; ours++)
		g_ptr_array_add(all, (void *)*ours);
	for (guint i = 0; sets && i < sets->len; i++)
		g_ptr_array_add(all, sets->pdata[i]);
	return cli_machine_load_estimated(paths, name, all, out);
}

/* False after a message: the user has taken away what advice goes by. */
static bool goes_by(const char *parameter, bool is_on)
{
	if (!is_on)
		cli_error("advise: run.%s = false: there would be nothing to go by", parameter);
	return is_on;
}

/* False after a message: of a machine without a GPU our settings would be the mistake that is reported. */
static bool has_gpu(const struct cli_paths *paths, const char *name)
{
	static const char *const none[] = {NULL};
	g_autofree struct machine_session *bare = g_new0(struct machine_session, 1);

	if (!load(paths, name, NULL, none, bare))
		return false;
	if (!machine_config_has_gpu(&bare->config)) {
		cli_error("advise: of kernels it is asked what a GPU does: machine '%s' has none; --machine %s is one",
			  name, default_gpu);
		return false;
	}
	return true;
}

static bool kernels_machines(const struct cli_paths *paths, struct advise_options *o, struct advise_machines *m)
{
	static const char *const profile[] = {"run.mode=functional", "run.profile=true", NULL}, *const none[] = {NULL};
	g_autoptr(GPtrArray) limits = g_ptr_array_new();
	const char *name = o->machine ? o->machine : default_gpu;

	m->run_count = strcmp(name, gpu_server) ? 2 : 1;
	if (!has_gpu(paths, name) || !cli_timeout_add(about.name, o->timeout, limits) ||
	    !cli_timeout_add(about.name, o->timeout, o->sets) || !load(paths, name, o->sets, profile, &m->runs[0]) ||
	    !is_large_enough(&m->runs[0]) ||
	    !goes_by("profile", machine_run_params(&m->runs[0].config)->profile))
		return false;
	return load(paths, cache_server, NULL, none, &m->caches) &&
	       (m->run_count == 1 || load(paths, gpu_server, limits, profile, &m->runs[1]));
}

static bool threads_machines(const struct cli_paths *paths, struct advise_options *o, struct advise_machines *m)
{
	static const char *const account[] = {"run.account=true", NULL}, *const none[] = {NULL};
	const char *name = o->machine ? o->machine : default_cpu;

	m->run_count = 1;
	if (!cli_timeout_add(about.name, o->timeout, o->sets) || !load(paths, name, o->sets, account, &m->runs[0]))
		return false;
	if (!machine_cpu_params(&m->runs[0].config) || machine_channel_params(&m->runs[0].config)) {
		cli_error("advise: of a program of threads it is asked what a CPU alone does: machine '%s' %s; "
			  "--machine %s is one",
			  name,
			  machine_cpu_params(&m->runs[0].config) ? "has near-data processors beside it"
								 : "has no processors",
			  default_cpu);
		return false;
	}
	return goes_by("account", machine_run_params(&m->runs[0].config)->account) &&
	       load(paths, ndp_machine, NULL, none, &m->ndps);
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct advise_options *o = ctx;
	GPtrArray *targets = g_ptr_array_new();
	g_autofree struct advise_machines *m = g_new0(struct advise_machines, 1);
	const struct cli_target *target;
	int exit_status = CLI_USAGE;

	if (!words->program && words->words->len > 1) {
		cli_error("advise: one workload at a time");
		return CLI_USAGE;
	}
	if (cli_output_check(about.name, "json", o->json) &&
	    cli_targets_resolve(paths, about.name, words->words, words->program, o->size, targets)) {
		target = targets->pdata[0];
		m->is_of_threads = target->is_of_threads;
		if (m->is_of_threads ? threads_machines(paths, o, m) : kernels_machines(paths, o, m))
			exit_status = advise(paths, target, m, o->json);
	}
	cli_targets_free(targets);
	return exit_status;
}

int cli_advise(int argc, char **argv)
{
	struct advise_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M",
	     "a machine with a GPU (default bench-baseline), or with processors alone (channel-cpu)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "a workload's input size: small (default) or paper", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    {"json", CLI_TEXT, &o.json, "FILE", "write it there, with the profile", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
