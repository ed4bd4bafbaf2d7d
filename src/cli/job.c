/* job.c - resolves a job's program, runs it behind our driver and reads its result. */
#include "cli/job.h"

#include "base/check.h"
#include "cli/inspect.h"
#include "cli/keep.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/tree.h"
#include "cli/wait.h"
#include "cli/workloads.h"
#include "device/launches.h"
#include "hdl/build.h"
#include "machine/cpu.h"
#include "machine/hdl.h"
#include "machine/run.h"
#include "report/demangle.h"
#include "ndp/registry.h"
#include "report/report.h"
#include "simt/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ROOM_FOR_SUFFIXES_BYTES = 64, /* ".findings", a process's number, ".part", ".lost" */
	OUTPUT_SHOWN_BYTES = 2000
};

static void target_free(struct cli_target *t)
{
	g_free(t->name);
	g_strfreev(t->argv);
	g_free(t->preload);
	g_free(t);
}

void cli_targets_free(GPtrArray *targets)
{
	for (uint32_t i = 0; i < targets->len; i++)
		target_free(targets->pdata[i]);
	g_ptr_array_free(targets, TRUE);
}

static bool is_executable(const char *path, const char *what)
{
	struct stat st;

	if (stat(path, &st))
		cli_error("cannot run %s: %s", what, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		cli_error("cannot run %s: it is a directory", what);
	else if (access(path, X_OK))
		cli_error("cannot run %s: it is not executable", what);
	else
		return true;
	return false;
}

/* A file of a part is what its door is given. */
static struct cli_target *file_target(const struct cli_paths *paths, const struct machine_part *part, const char *file,
				      char **arguments)
{
	struct cli_target *t = g_new0(struct cli_target, 1);
	GStrvBuilder *argv = g_strv_builder_new();
	g_autofree char *name = g_path_get_basename(file);
	g_autofree char *door = cli_door_path(paths, part);

	g_strv_builder_add_many(argv, door, file, NULL);
	g_strv_builder_addv(argv, (const char **)arguments);
	t->name = cli_name_shown(name);
	t->argv = g_strv_builder_end(argv);
	t->own_words = 2;
	t->part = part;
	g_strv_builder_unref(argv);
	return t;
}

static bool add_file(const struct cli_paths *paths, const struct machine_part *part, char **program, GPtrArray *targets)
{
	if (access(program[0], R_OK)) {
		cli_error("cannot read %s: %s", program[0], strerror(errno));
		return false;
	}
	g_ptr_array_add(targets, file_target(paths, part, program[0], program + 1));
	return true;
}

static bool add_program(const struct cli_paths *paths, char **program, const char *command, const char *size,
			GPtrArray *targets)
{
	if (!*program) {
		cli_error("%s: expected a program after '--'", command);
		return false;
	}
	if (size) {
		cli_error("%s: --size is for workloads; give the program its own arguments", command);
		return false;
	}

	if (!*program[0]) {
		cli_error("%s: expected a program after '--', found an empty word", command);
		return false;
	}

	const struct machine_part *part = machine_part_of_file(program[0]);

	if (part)
		return add_file(paths, part, program, targets);

	g_autofree char *found = strchr(program[0], '/') ? g_strdup(program[0]) : g_find_program_in_path(program[0]);

	if (!found) {
		cli_error("cannot run %s: no such program in PATH; write ./%s for one in this directory", program[0],
			  program[0]);
		return false;
	}

	char *preload = NULL;

	if (!is_executable(found, program[0]) || !cli_inspect(paths, found, program[0], &preload)) {
		g_free(preload);
		return false;
	}

	struct cli_target *t = g_new0(struct cli_target, 1);

	t->preload = preload;
	t->is_of_threads = cli_is_of_threads(found);
	t->is_of_this_version = t->is_of_threads && cli_is_of_this_version(found);
	g_autofree char *name = g_path_get_basename(program[0]);

	t->name = cli_name_shown(name);
	t->own_words = 1;
	t->argv = g_strdupv(program);
	g_free(t->argv[0]);
	t->argv[0] = g_steal_pointer(&found);
	g_ptr_array_add(targets, t);
	return true;
}

static void unknown_workload(GPtrArray *workloads, const char *command, const char *name)
{
	const char **names = g_new0(const char *, workloads->len + 1);

	for (uint32_t i = 0; i < workloads->len; i++)
		names[i] = ((struct cli_workload *)workloads->pdata[i])->name;

	const char *nearest = base_nearest_name(name, names, workloads->len);

	if (nearest)
		cli_error("%s: no workload '%s'; did you mean '%s'?", command, name, nearest);
	else
		cli_error(
		    "%s: no workload '%s'; `strata list workloads` prints them, a program of your own goes after '--'",
		    command, name);
	g_free(names);
}

static bool add_workload(const struct cli_paths *paths, GPtrArray *workloads, const char *command, const char *name,
			 const char *size, GPtrArray *targets)
{
	uint32_t i = 0;

	while (i < workloads->len && strcmp(((struct cli_workload *)workloads->pdata[i])->name, name))
		i++;
	if (i == workloads->len) {
		unknown_workload(workloads, command, name);
		return false;
	}

	const struct cli_workload *workload = workloads->pdata[i];
	g_autofree char *path = cli_workload_path(paths, workload);
	const char *absent = cli_workload_absent(paths, workload);

	if (absent) {
		cli_error("%s: %s is not built: %s", command, name, absent);
		return false;
	}
	if (workload->part && size) {
		const char *own = workload->part->files->size;

		cli_error("%s: %s has no --size: its own arguments say how large it is: `strata %s -- %s %s`", command,
			  name, command, path, own ? own : "[ARGUMENTS]");
		return false;
	}

	struct cli_target *t;

	if (workload->part) {
		static char *none[] = {NULL};

		t = file_target(paths, workload->part, path, none);
		t->is_self_checking = true;
		g_ptr_array_add(targets, t);
		return true;
	}
	if (!is_executable(path, name))
		return false;
	t = g_new0(struct cli_target, 1);
	t->own_words = 1;
	t->is_self_checking = true;
	t->is_of_threads = workload->is_of_threads;
	t->is_of_this_version = t->is_of_threads && cli_is_of_this_version(path);
	t->name = g_strdup(name);
	t->argv = g_new0(char *, 4);
	t->argv[0] = g_steal_pointer(&path);
	if (size) {
		t->argv[1] = g_strdup("--size");
		t->argv[2] = g_strdup(size);
	}
	g_ptr_array_add(targets, t);
	return true;
}

static bool is_size_known(const char *command, const char *size)
{
	if (!size || !strcmp(size, "small") || !strcmp(size, "paper"))
		return true;
	cli_error("%s: bad --size '%s', expected small or paper", command, size);
	return false;
}

bool cli_targets_resolve(const struct cli_paths *paths, const char *command, GPtrArray *words, char **program,
			 const char *size, GPtrArray *targets)
{
	if (!is_size_known(command, size))
		return false;
	if (program && words->len) {
		cli_error("%s: '%s' stands before '--'; a workload and a program exclude each other", command,
			  (const char *)words->pdata[0]);
		return false;
	}
	if (program)
		return add_program(paths, program, command, size, targets);
	if (!words->len) {
		cli_error("%s: expected a workload's name, or '--' and a program; see `strata %s --help`", command,
			  command);
		return false;
	}

	GPtrArray *workloads = cli_workloads_read(paths);
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && i < words->len; i++)
		is_ok = add_workload(paths, workloads, command, words->pdata[i], size, targets);
	cli_workloads_free(workloads);
	return is_ok;
}

const char *cli_target_machine(const struct cli_target *t)
{
	if (t->part)
		return t->part->files->machine;
	/* A program after '--' that strata cc has built may be one for GPUs all the same. */
	return t->is_self_checking && t->is_of_threads ? "channel-cpu" : "tom-baseline";
}

void cli_target_arguments_add(struct cli_target *target, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	GStrvBuilder *all = g_strv_builder_new();

	g_strv_builder_addv(all, (const char **)target->argv);
	for (char **word = words; *word; word++)
		if (**word)
			g_strv_builder_add(all, *word);
	g_strfreev(target->argv);
	target->argv = g_strv_builder_end(all);
	g_strv_builder_unref(all);
}

/* False, and none, where it is too long for what processes append to it, or not one line. */
static bool path_give(char to[sizeof(((struct machine_session *)NULL)->result_path)], const char *path)
{
	const size_t bytes = sizeof(((struct machine_session *)NULL)->result_path);
	const bool is_fit = g_strlcpy(to, path, bytes) < bytes - ROOM_FOR_SUFFIXES_BYTES && !strchr(path, '\n');

	if (!is_fit)
		*to = '\0';
	return is_fit;
}

bool cli_job_prepare(struct cli_job *job, const char *dir, uint32_t index)
{
	struct machine_session session = *job->machine;
	g_autofree char *live = cli_live_path(dir, index);

	job->session_path = g_strdup_printf("%s/%u.session", dir, index);
	job->measures_path = g_strdup_printf("%s/%u.measures", dir, index);
	cli_places_name(&job->places, dir, index, job->is_checked ? "findings" : "json");
	CHECK(cli_places_are_empty(&job->places)); /* what another job left would be taken for this one's */
	if (job->is_captured || cli_verify_needs_output(&job->verify))
		job->output_path = g_strdup_printf("%s/%u.out", dir, index);
	job->error_path = job->is_captured ? g_strdup_printf("%s/%u.err", dir, index) : NULL;
	job->check_path = job->verify.command ? g_strdup_printf("%s/%u.check", dir, index) : NULL;
	/* The findings are the results. */
	if (!path_give(session.result_path, job->is_checked ? "" : job->places.path) ||
	    !path_give(session.check_path, job->is_checked ? job->places.path : "")) {
		cli_error("the temporary directory's name is too long or not one line: %s; TMPDIR names another", dir);
		return false;
	}
	session.threads = 0; /* said when it starts */
	path_give(session.live_path, live);
	g_strlcpy(session.program, job->target->name, sizeof(session.program));
	for (uint32_t i = 0; i < MACHINE_SPARES_MAX; i++)
		path_give(session.spare_paths[i], job->places.spares[i]);
	if (machine_session_write(job->session_path, &session))
		return true;
	cli_error("cannot write %s: %s", job->session_path, strerror(errno));
	return false;
}

/* In the child, which cannot become the program: tells the parent why. */
static _Noreturn void give_up(int error_fd)
{
	int error = errno;
	ssize_t length = write(error_fd, &error, sizeof(error));

	_exit(length == sizeof(error) ? 127 : 126);
}

static bool replace_fd(const char *path, int flags, int fd)
{
	int opened = open(path, flags, 0600);
	bool is_replaced = opened >= 0 && dup2(opened, fd) >= 0;

	if (opened >= 0)
		close(opened);
	return is_replaced;
}

/* In the child: where the program reads and writes. stdout_fd: the tee's, or -1. */
static bool place_files(const struct cli_job *job, int stdout_fd)
{
	const int to_write = O_WRONLY | O_CREAT | O_TRUNC;
	const char *input = job->input_path ? job->input_path : job->is_captured ? "/dev/null" : NULL;

	if (input && !replace_fd(input, O_RDONLY, STDIN_FILENO))
		return false;
	if (stdout_fd >= 0)
		return dup2(stdout_fd, STDOUT_FILENO) >= 0;
	if (!job->is_captured)
		return true;
	setpgid(0, 0);
	return replace_fd(job->output_path, to_write, STDOUT_FILENO) &&
	       replace_fd(job->error_path, to_write, STDERR_FILENO);
}

static bool enter_work_dir(const struct cli_job *job)
{
	if (!job->work_dir)
		return true;
	return !chdir(job->work_dir) && !setenv("PWD", job->work_dir, 1);
}

/* A door finds its program's file also from another directory. */
static char **argv_of(const struct cli_job *job)
{
	char **argv = g_strdupv(job->target->argv), **file = &argv[job->target->own_words - 1];

	if (job->work_dir && file != argv) {
		g_autofree char *relative = *file;

		*file = g_canonicalize_filename(relative, NULL);
	}
	return argv;
}

/* In the child: our driver and runtime first, a fixed address space (device addresses of registered host memory are
 * host addresses, so that a random layout would change cache sets and banks from run to run), and no life of its
 * own. */
static _Noreturn void child(const struct cli_paths *paths, const struct cli_job *job, int stdout_fd, int error_fd)
{
	g_autofree char *libraries = cli_library_path(paths);
	/* Only where it must be: a script would see it as its own name. */
	g_auto(GStrv) argv = argv_of(job);
	g_autofree char *program =
	    job->work_dir ? g_canonicalize_filename(argv[0], NULL) : g_strdup(argv[0]);
	const char *old = getenv("LD_PRELOAD");
	const char *preload = job->target->preload;
	g_autofree char *preloads = g_strjoin(":", preload ? preload : "", old && *old ? old : NULL, NULL);

	g_autofree char *deadline = g_strdup_printf("%" PRIu64, job->deadline_ns);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	cli_wait_child();
	setenv(MACHINE_DEADLINE_VARIABLE, job->deadline_ns ? deadline : "", 1);
	setenv("LD_LIBRARY_PATH", libraries, 1);
	if (preload && *preload)
		setenv("LD_PRELOAD", preloads, 1);
	setenv("STRATA_SESSION", job->session_path, 1);
	setenv("STRATA_MEASURES", job->measures_path, 1);
	if (device_launches_range(machine_run_params(&job->machine->config)->only)) {
		g_autofree char *driver = g_build_filename(paths->driver_dir, "libcuda.so.1", NULL);

		setenv("NVTX_INJECTION64_PATH", driver, 1); /* cuda/nvtx.c */
	}
	if (machine_cpu_params(&job->machine->config)) {
		g_autofree char *model = g_build_filename(paths->threads_dir, "strata-cpu.so", NULL);

		setenv("STRATA_THREADS_MODEL", model, 1);
	}
	personality(ADDR_NO_RANDOMIZE);
	if (!place_files(job, stdout_fd) || !enter_work_dir(job))
		give_up(error_fd);
	execv(program, argv);
	give_up(error_fd);
}

static const char *exec_hint(int error)
{
	if (error == ENOEXEC)
		return "; it is neither a program for this machine nor a script that begins with #!";
	return error == ENOENT ? "; the file is there, the interpreter or loader that it names is not" : "";
}

/* Waits until the child has become the program. False, after a message and with the child gone, when it could not. */
static bool has_become_program(const struct cli_job *job, int error_fd)
{
	int error;
	ssize_t length;

	do
		length = read(error_fd, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	if (length != sizeof(error))
		return true;
	while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
		;
	cli_error("cannot run %s: %s%s", job->target->argv[0], strerror(error), exec_hint(error));
	return false;
}

/* Where the program is a file of a part, or the machine has a part that runs such files. runner: the machine's. */
static char *why_not_file(const struct cli_job *job, const struct machine_part *runner)
{
	const char *target = job->target->name, *machine = job->machine->machine;
	const struct machine_part *part = job->target->part;

	if (job->is_checked)
		return g_strdup_printf("the memory checker is for CUDA kernels, not for %s",
				       part ? part->runs : runner->runs);
	if (part == runner)
		return NULL;
	if (!part || (runner && runner->files))
		return g_strdup_printf("machine '%s' runs %s, FILE%s; %s is none", machine, runner->runs,
				       runner->files->suffix, target);
	return g_strdup_printf("%s is %s, and machine '%s' has none; --machine %s has", target, part->files->program,
			       machine, part->files->machine);
}

char *cli_job_why_not(const struct cli_job *job)
{
	const char *target = job->target->name, *machine = job->machine->machine;
	const struct machine_part *runner = machine_config_runner(&job->machine->config);

	if (job->target->part || (runner && runner->files))
		return why_not_file(job, runner);
	if (!machine_cpu_params(&job->machine->config)) {
		if (!job->target->is_of_threads || !job->target->is_self_checking)
			return NULL;
		return g_strdup_printf("%s is a program of threads, and machine '%s' has no processors; --machine "
				       "channel-cpu has",
				       target, machine);
	}
	if (job->is_checked)
		return g_strdup_printf("machine '%s' has no GPU: the memory checker is for CUDA kernels", machine);
	if (!job->target->is_of_threads)
		return g_strdup_printf("%s was not built with strata cc or strata c++, and machine '%s' has no GPU: "
				       "nothing in it runs this program",
				       target, machine);
	if (!job->target->is_of_this_version)
		return g_strdup_printf("%s was built by strata cc of another version; build it again", target);
	return NULL;
}

bool cli_job_can_run(const struct cli_job *job)
{
	g_autofree char *why_not = cli_job_why_not(job);

	if (why_not)
		cli_error("%s", why_not);
	return !why_not;
}

static int start_child(const struct cli_paths *paths, struct cli_job *job, int stdout_fd)
{
	int error_fds[2], exit_status = CLI_OK;

	if (pipe2(error_fds, O_CLOEXEC)) {
		cli_error("cannot start %s: %s", job->target->name, strerror(errno));
		return CLI_UNABLE;
	}
	job->deadline_ns = machine_run_params(&job->machine->config)->timeout_wall_ns;
	if (job->deadline_ns)
		job->deadline_ns += cli_now_ns();
	fflush(NULL);
	job->pid = fork();
	if (!job->pid)
		child(paths, job, stdout_fd, error_fds[1]);
	if (job->pid < 0) {
		cli_error("cannot start %s: %s", job->target->name, strerror(errno));
		exit_status = CLI_UNABLE;
	}
	close(error_fds[1]);
	if (exit_status == CLI_OK && !has_become_program(job, error_fds[0]))
		exit_status = CLI_USAGE;
	close(error_fds[0]);
	if (exit_status != CLI_OK)
		job->pid = 0;
	return exit_status;
}

/* The session's last line. */
static bool say_threads(const struct cli_job *job)
{
	FILE *f = fopen(job->session_path, "a");
	bool is_said = f != NULL;

	if (f) {
		machine_session_write_threads(f, job->threads);
		is_said = !ferror(f);
		is_said &= !fclose(f);
	}
	if (!is_said)
		cli_error("cannot write %s: %s", job->session_path, strerror(errno));
	return is_said;
}

int cli_job_start(const struct cli_paths *paths, struct cli_job *job)
{
	g_autofree char *driver = g_build_filename(paths->driver_dir, "libcuda.so.1", NULL);
	int stdout_fd = -1, exit_status;

	if (!cli_job_can_run(job))
		return CLI_USAGE;
	if (access(driver, R_OK)) {
		cli_error("cannot find the driver library %s; build or install Strata again", driver);
		return CLI_UNABLE;
	}
	if (job->threads && !say_threads(job))
		return CLI_UNABLE;
	if (job->output_path && !job->is_captured) {
		stdout_fd = cli_tee_start(&job->tee, job->output_path);
		if (stdout_fd < 0)
			return CLI_UNABLE;
	}
	exit_status = start_child(paths, job, stdout_fd);
	if (stdout_fd >= 0)
		close(stdout_fd);
	return exit_status;
}

static json_t *args_json(char **arguments)
{
	json_t *args = json_array();

	/* Arguments are bytes; JSON wants UTF-8. */
	for (char **arg = arguments; *arg; arg++) {
		g_autofree char *text = g_utf8_make_valid(*arg, -1);

		json_array_append_new(args, json_string(text));
	}
	return args;
}

static int exit_status_of(int wait_status)
{
	if (wait_status == CLI_WAIT_UNKNOWN)
		return CLI_UNABLE;
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_BY_SIGNAL + WTERMSIG(wait_status);
}

static json_t *result_of_program(const struct cli_job *job)
{
	json_t *o = json_object();

	json_object_set_new(o, "workload", json_string(job->target->name));
	json_object_set_new(o, "args", args_json(cli_target_arguments(job->target)));
	json_object_set_new(o, "machine", json_string(job->machine->machine));
	json_object_set_new(o, "exit_status", json_integer(job->exit_status));
	json_object_set_new(o, "run_key", job->run_key ? json_string(job->run_key) : json_null());
	return o;
}

/* There are no results of a process that used the driver, or was modelled. */
static void put_missing(const struct cli_job *job, json_t *o, uint32_t number, bool is_lost)
{
	const char *what = "the process was killed, or left by _exit, before it was done with the CUDA driver";

	if (is_lost)
		what = "the results could not be written, see the message above";
	else if (!machine_config_runs_kernels(&job->machine->config))
		what = "the process was killed before its model had come to an end";
	json_object_set_new(o, "process", json_integer(number));
	json_object_set_new(o, "fault", json_string(what));
	json_object_set_new(o, "ended", json_string(is_lost ? "exit" : MACHINE_ENDED_UNSEEN));
}

/* What the process with this number left; NULL: there is none. */
static json_t *result_of_process(struct cli_job *job, uint32_t number)
{
	json_t *written;
	const enum cli_left left = cli_places_read(&job->places, number, &written);
	json_t *o = left == CLI_LEFT_NOTHING ? NULL : result_of_program(job);

	job->is_result_lost = job->is_result_lost || left == CLI_LEFT_LOST;
	if (json_is_object(written))
		json_object_update(o, written);
	else if (o)
		put_missing(job, o, number, left == CLI_LEFT_LOST);
	json_decref(written);
	return o;
}

/* A line's value. Digests of several lines become one, of 48 bits: JSON's numbers have all of them. */
static double measure_of(const json_t *measures, char **fields)
{
	const uint64_t bits = 48, odd = 0x9e3779b97f4a7c15;
	const json_t *before = json_object_get(measures, fields[0]);
	uint64_t digest;

	if (strcmp(fields[2], "digest") != 0)
		return g_ascii_strtod(fields[1], NULL);
	digest = (uint64_t)json_number_value(before) + g_ascii_strtoull(fields[1], NULL, 10);
	return (double)(digest * odd >> (64 - bits));
}

/* What the program says it has measured (workloads/common/program.h): the values by name, and what their units are. */
static void measures_add(const struct cli_job *job, json_t *result)
{
	g_autofree char *text = NULL;
	json_t *measures = json_object(), *units = json_object_get(result, "units");

	if (g_file_get_contents(job->measures_path, &text, NULL, NULL)) {
		g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

		for (char **line = lines; *line; line++) {
			g_auto(GStrv) fields = g_strsplit(*line, "\t", 3);
			g_autofree char *name = NULL;

			if (g_strv_length(fields) != 3)
				continue;
			name = g_strconcat("measures.", fields[0], NULL);
			json_object_set_new(measures, fields[0], json_real(measure_of(measures, fields)));
			json_object_set_new(units, name, json_string(fields[2]));
		}
	}
	if (json_object_size(measures))
		json_object_set(result, "measures", measures);
	json_decref(measures);
}

static void finish(struct cli_job *job)
{

	json_t *one;
	size_t i;

	job->is_done = true;
	job->results = json_array();
	for (uint32_t number = 1; !job->is_checked && (one = result_of_process(job, number)); number++)
		json_array_append_new(job->results, one);
	if (!json_array_size(job->results)) {
		json_array_append_new(job->results, result_of_program(job));
		if (!machine_config_runs_kernels(&job->machine->config))
			json_object_set_new(json_array_get(job->results, 0), "fault",
					    json_string("the process ended before anything was modelled"));
	}
	json_array_foreach(job->results, i, one) {
		/* A process that was killed could not say it. */
		if (job->is_timed_out)
			json_object_set_new(one, "timed_out", json_string("wall"));
		report_titles_add(one);
		cli_verify_judge(job, one);
		cli_provenance_add(job, one);
	}
	job->result = json_array_get(job->results, 0);
	measures_add(job, job->result);
}

bool cli_job_step(struct cli_job *job, int wait_status)
{
	if (wait_status == CLI_WAIT_UNKNOWN)
		cli_error("%s: nobody can tell how it has ended: another has waited for it", job->target->name);
	if (job->is_checking) {
		job->check_status = exit_status_of(wait_status);
	} else {
		job->exit_status = exit_status_of(wait_status);
		cli_tee_end(&job->tee);

		pid_t pid = job->exit_status ? 0 : cli_verify_start(job);

		if (pid > 0) {
			job->is_checking = true;
			job->pid = pid;
			return false;
		}
		job->check_status = pid < 0 ? CLI_UNABLE : 0;
	}
	finish(job);
	return true;
}

bool cli_job_is_finished(const struct cli_job *job)
{
	return job->is_done && (!job->is_asked_to_end || !cli_job_not_verified(job));
}

bool cli_job_reuse(struct cli_job *job)
{
	json_t *results = job->run_key ? report_store_find(cli_store_path(), job->run_key) : NULL, *one;
	size_t i;

	if (!results)
		return false;
	json_array_foreach(results, i, one)
		json_object_set_new(one, "reused", json_true());
	job->results = results;
	job->result = json_array_get(results, 0);
	job->is_done = true;
	return true;
}

int cli_job_exit_status(const struct cli_job *job, bool is_lost)
{
	const bool is_own = job->exit_status && job->exit_status != EXIT_BY_SIGNAL + SIGABRT;

	return is_lost && !is_own ? CLI_UNABLE : job->exit_status;
}

const char *cli_job_not_verified(const struct cli_job *job)
{
	const json_t *one;
	size_t i;

	if (!job->results)
		return "it did not run";
	json_array_foreach(job->results, i, one) {
		if (!json_is_true(json_object_get(one, "verified")))
			return json_string_value(json_object_get(one, "not_verified"));
	}
	return NULL;
}

void cli_job_free(struct cli_job *job)
{
	json_decref(job->results);
	g_free(job->session_path);
	cli_places_free(&job->places);
	g_free(job->output_path);
	g_free(job->error_path);
	g_free(job->measures_path);
	g_free(job->check_path);
	g_free(job->work_dir);
	g_free(job->run_key);
	*job = (struct cli_job){0};
}

void cli_output_print_end(const char *path)
{
	g_autofree char *text = NULL;
	gsize length = 0;

	if (!path || !g_file_get_contents(path, &text, &length, NULL) || !length)
		return;

	const char *end = length > OUTPUT_SHOWN_BYTES ? text + length - OUTPUT_SHOWN_BYTES : text;

	fprintf(stderr, "%s%s", end, text[length - 1] == '\n' ? "" : "\n");
}
