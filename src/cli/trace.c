/* trace.c - strata trace: records a program's threads, and prints what a trace holds. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/elf_file.h"
#include "cli/inspect.h"
#include "cli/job.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "cli/wait.h"
#include "machine/cpu.h"
#include "threads/record/record.h"
#include "threads/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_UNITS = 4, LINE_BYTES = 64 };

static const struct cli_about about = {
    .name = "trace",
    .usage = "strata trace record -o FILE [--threads N] [--set record.NAME=VALUE] [--qemu] -- PROGRAM [ARGS]\n"
	     "       strata trace replay FILE [--machine M] [--set GROUP.NAME=VALUE] [--json RESULTS]\n"
	     "       strata trace info|show FILE",
    .summary =
	"record  runs a program that strata cc has built on N simulated hardware threads with fixed costs, and\n"
	"        writes what its threads did; the exit status is the program's. With --qemu any program of Linux on\n"
	"        x86-64 or aarch64, as it is, in QEMU's user mode\n"
	"replay  runs what a trace holds on a machine with processors: `strata run` of it, with its results\n"
	"info    prints sums: accesses by kind and size, instructions by class, memory, threads\n"
	"show    prints every record; with --lines the lines of 64 bytes that are accessed, as strata mem reads them\n"
	"params  prints what --set can change, with the defaults",
    .examples = "  strata trace record -o t.zst --threads 8 -- ./program\n"
	"  strata trace replay t.zst --machine channel-ndp --json r.json",
};

struct trace_options {
	const char *out, *threads, *machine, *json;
	GPtrArray *sets;
	bool as_lines, by_qemu;
};

static bool read_params(const struct trace_options *o, struct record_params *params)
{
	struct sim_param_groups groups = {.count = 0};
	struct base_diag_list diag;
	bool is_good = true;

	base_diag_init(&diag);
	record_params_groups(params, &groups);
	sim_param_defaults(&groups.items[0]);
	for (guint i = 0; i < o->sets->len; i++) {
		g_autofree char *key = g_strdup(o->sets->pdata[i]);
		char *value = strchr(key, '=');

		if (value)
			*value++ = '\0';
		else
			base_diag_error(&diag, (struct base_place){0}, "trace: --set %s: expected NAME=VALUE", key);
		if (value)
			sim_param_set(groups.items, groups.count, key, value, (struct base_place){0}, &diag);
	}
	if (diag.error_count) {
		cli_diag_print(&diag);
		is_good = false;
	}
	base_diag_free(&diag);
	return is_good;
}

/* The program of QEMU's that executes it; NULL after a message, with the exit status. */
static char *emulator_of(const char *program, int *exit_status)
{
	enum { X86_64 = 62, AARCH64 = 183 }; /* e_machine */
	g_autofree char *data = NULL;
	struct elf_file elf = {.is_elf = false};
	const char *name;
	char *emulator;
	gsize size;

	if (g_file_get_contents(program, &data, &size, NULL))
		elf_open((const uint8_t *)data, size, &elf);
	name = !elf.is_elf || !elf.is_64 || !elf.is_little ? NULL
	       : elf.machine == X86_64			   ? "qemu-x86_64"
	       : elf.machine == AARCH64			   ? "qemu-aarch64"
							   : NULL;
	if (!name) {
		cli_error("trace record --qemu: %s is no program for x86-64 or aarch64", program);
		*exit_status = CLI_USAGE;
		return NULL;
	}
	emulator = g_find_program_in_path(name);
	if (!emulator)
		cli_error("trace record --qemu: %s is not installed (Debian: qemu-user)", name);
	*exit_status = CLI_UNABLE;
	return emulator;
}

/* As a value in QEMU's options, where a comma is doubled. */
static char *quoted(const char *value)
{
	g_auto(GStrv) parts = g_strsplit(value, ",", -1);

	return g_strjoinv(",,", parts);
}

/* ---- record ---- */

struct watch {
	const char *out;
	struct cli_progress progress;
};

static void draw(void *ctx)
{
	struct watch *w = ctx;
	struct stat st;

	if (cli_progress_is_due(&w->progress) && !stat(w->out, &st))
		cli_progress_draw(&w->progress, 0, "recording, %.1f MB so far", (double)st.st_size / 1e6);
}

/* The program with its recorder, which writes the trace; its exit status, or 128 and the signal that ended it. */
static int run_recorded(const char *program, char **argv, const char *out)
{
	struct watch watch = {.out = out};
	bool is_timed_out;
	int status;
	pid_t pid;

	cli_progress_begin(&watch.progress);
	if (watch.progress.is_shown)
		cli_wait_tick(draw, &watch);
	cli_wait_begin();
	fflush(NULL);
	pid = fork();
	if (!pid) {
		cli_wait_child();
		signal(SIGPIPE, SIG_DFL);
		execv(program, argv);
		cli_error("trace record: cannot start %s: %s", program, strerror(errno));
		_exit(CLI_UNABLE);
	}
	if (pid < 0) {
		cli_error("trace record: cannot start %s: %s", program, strerror(errno));
		return CLI_UNABLE;
	}
	status = cli_wait(pid, 0, &is_timed_out);
	cli_progress_clear(&watch.progress);
	if (status == CLI_WAIT_UNKNOWN)
		return CLI_UNABLE;
	return WIFSIGNALED(status) ? EXIT_BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* QEMU executes the program, with our plugin in it. */
static int record_by_qemu(const struct trace_options *o, const struct cli_words *words, const struct cli_paths *paths,
			  const char *program, uint32_t units)
{
	int exit_status;
	g_autofree char *emulator = emulator_of(program, &exit_status);
	g_autofree char *plugin = g_build_filename(paths->threads_dir, "strata-qemu.so", NULL);
	g_autofree char *file = quoted(plugin), *out = quoted(o->out);
	g_autofree char *spec = g_strdup_printf("file=%s,out=%s,units=%u", file, out, units);
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();

	if (!emulator)
		return exit_status;
	g_ptr_array_add(arguments, emulator);
	g_ptr_array_add(arguments, (gpointer)(uintptr_t)"-plugin");
	g_ptr_array_add(arguments, spec);
	g_ptr_array_add(arguments, (gpointer)(uintptr_t)program);
	for (char **word = words->program + 1; *word; word++)
		g_ptr_array_add(arguments, *word);
	g_ptr_array_add(arguments, NULL);
	return run_recorded(emulator, (char **)arguments->pdata, o->out);
}

static int record(const struct trace_options *o, const struct cli_words *words, const struct cli_paths *paths)
{
	struct record_params params;
	uint32_t units = DEFAULT_UNITS;

	if (!o->out || !words->program || !words->program[0]) {
		cli_error("trace record: expected -o FILE and, after '--', a program; see `strata trace --help`");
		return CLI_USAGE;
	}
	if (o->threads && !cli_number_parse("trace", "threads", o->threads, THREAD_UNITS_MAX, &units))
		return CLI_USAGE;
	if (o->by_qemu && o->sets->len) {
		cli_error("trace record --qemu: QEMU's threads run on the host and have no costs to --set");
		return CLI_USAGE;
	}
	if (!read_params(o, &params) || !cli_output_check("trace record", "out", o->out))
		return CLI_USAGE;

	g_autofree char *program = g_find_program_in_path(words->program[0]);
	g_autofree char *model = g_build_filename(paths->threads_dir, "strata-record.so", NULL);
	g_autofree char *options = record_options(&params, o->out, units);

	if (!program) {
		cli_error("trace record: %s: no such program", words->program[0]);
		return CLI_USAGE;
	}
	if (o->by_qemu)
		return record_by_qemu(o, words, paths, program, units);
	if (!cli_is_of_threads(program)) {
		cli_error("trace record: %s was not built with strata cc or strata c++; --qemu records it as it is",
			  words->program[0]);
		return CLI_USAGE;
	}
	if (!cli_is_of_this_version(program)) {
		cli_error("trace record: %s was built by strata cc of another version; build it again",
			  words->program[0]);
		return CLI_USAGE;
	}
	g_setenv("STRATA_THREADS_MODEL", model, TRUE);
	g_setenv("STRATA_THREADS_OPTIONS", options, TRUE);
	return run_recorded(program, words->program, o->out);
}

/* False after a message. */
static bool is_trace(const char *path)
{
	const char *why = NULL;
	struct thread_trace *t = thread_trace_open(path, &why);

	if (!t)
		cli_error("%s: %s", path, why);
	else
		thread_trace_close(t);
	return t;
}

/* strata run of the program that stands for the recorded one. */
static int replay(const struct trace_options *o, const char *file, const struct cli_paths *paths)
{
	g_autofree char *program = g_build_filename(paths->threads_dir, "strata-replay", NULL);
	g_autofree char *path = g_canonicalize_filename(file, NULL);
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	const char *machine = o->machine ? o->machine : "channel-cpu";
	struct machine_session session;

	if (!is_trace(file) || !cli_machine_load(paths, machine, o->sets, &session))
		return CLI_USAGE;
	if (!machine_cpu_params(&session.config)) {
		cli_error("trace replay: machine '%s' has no processors; --machine channel-cpu has", machine);
		return CLI_USAGE;
	}
	g_ptr_array_add(words, (gpointer)(uintptr_t)"strata");
	g_ptr_array_add(words, (gpointer)(uintptr_t)"run");
	g_ptr_array_add(words, (gpointer)(uintptr_t)"--machine");
	g_ptr_array_add(words, (gpointer)(uintptr_t)machine);
	for (guint i = 0; i < o->sets->len; i++) {
		g_ptr_array_add(words, (gpointer)(uintptr_t)"--set");
		g_ptr_array_add(words, o->sets->pdata[i]);
	}
	if (o->json) {
		g_ptr_array_add(words, (gpointer)(uintptr_t)"--json");
		g_ptr_array_add(words, (gpointer)(uintptr_t)o->json);
	}
	g_ptr_array_add(words, (gpointer)(uintptr_t)"--");
	g_ptr_array_add(words, program);
	g_ptr_array_add(words, path);
	g_ptr_array_add(words, NULL);
	execv("/proc/self/exe", (char **)words->pdata);
	cli_error("trace replay: cannot start strata run: %s", strerror(errno));
	return CLI_UNABLE;
}

static void print_counts(const struct thread_record *r)
{
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		if (r->counts[i])
			printf(" %s=%lu", thread_class_names[i], r->counts[i]);
	putchar('\n');
}

static void show_record(const struct thread_record *r)
{
	if (r->kind == THREAD_RECORD_END) {
		printf("end at %lu ps", r->turn_ps);
		print_counts(r);
		return;
	}
	printf("thread %u unit %u ", r->thread, r->unit);
	switch (r->kind) {
	case THREAD_RECORD_ACCESS:
		printf("%s 0x%lx %u", thread_kind_names[r->access], r->address, r->bytes);
		break;
	case THREAD_RECORD_FENCE:
		fputs("fence", stdout);
		break;
	default:
		printf(r->event == THREAD_CREATE ? "%s %lu" : "%s 0x%lx", thread_event_names[r->event], r->value);
	}
	print_counts(r);
}

/* The form "ramulator" of traces of requests. */
static void show_lines(const struct thread_record *r)
{
	if (r->kind != THREAD_RECORD_ACCESS)
		return;

	bool is_write = r->access == THREAD_WRITE || r->access == THREAD_ATOMIC_WRITE || r->access == THREAD_RMW ||
			r->access == THREAD_CMPXCHG;

	for (uint64_t line = r->address / LINE_BYTES; line <= (r->address + r->bytes - 1) / LINE_BYTES; line++)
		printf("0x%lx %c\n", line * LINE_BYTES, is_write ? 'W' : 'R');
}

struct sums {
	uint64_t accesses[THREAD_KIND_COUNT], bytes[THREAD_KIND_COUNT], counts[THREAD_CLASS_COUNT];
	uint64_t events[THREAD_EVENT_COUNT], fences, end_ps;
	uint64_t by_size[8]; /* 1, 2, 4 ... 64, other */
	uint32_t thread_count;
	GHashTable *lines, *pages;
};

static void add(struct sums *s, const struct thread_record *r)
{
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		s->counts[i] += r->counts[i];
	if (r->kind != THREAD_RECORD_END)
		s->thread_count = MAX(s->thread_count, r->thread + 1);
	switch (r->kind) {
	case THREAD_RECORD_FENCE:
		s->fences++;
		return;
	case THREAD_RECORD_EVENT:
		s->events[r->event]++;
		return;
	case THREAD_RECORD_END:
		s->end_ps = r->turn_ps;
		return;
	case THREAD_RECORD_ACCESS:
		break;
	}
	s->accesses[r->access]++;
	s->bytes[r->access] += r->bytes;
	s->by_size[r->bytes && r->bytes <= 64 && !(r->bytes & (r->bytes - 1)) ? __builtin_ctz(r->bytes) : 7]++;
	for (uint64_t line = r->address / LINE_BYTES; line <= (r->address + MAX(r->bytes, 1) - 1) / LINE_BYTES;
	     line++) {
		g_hash_table_add(s->lines, (gpointer)line);
		g_hash_table_add(s->pages, (gpointer)(line * LINE_BYTES / 4096));
	}
}

static void print_sums(const struct sums *s, const struct thread_trace *t)
{
	uint64_t instructions = 0, accesses = 0;

	for (uint32_t i = 0; i < THREAD_KIND_COUNT; i++)
		accesses += s->accesses[i];
	for (uint32_t i = 0; i < THREAD_CLASS_lane_integer; i++)
		instructions += s->counts[i];
	printf("time            %lu ps on %u hardware threads\n", s->end_ps, thread_trace_unit_count(t));
	printf("threads         %u\n", s->thread_count);
	printf("instructions    %lu\n", instructions);
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		if (s->counts[i])
			printf("  %-15s %lu\n", thread_class_names[i], s->counts[i]);
	printf("accesses        %lu\n", accesses);
	for (uint32_t i = 0; i < THREAD_KIND_COUNT; i++)
		if (s->accesses[i])
			printf("  %-15s %lu, %lu bytes\n", thread_kind_names[i], s->accesses[i], s->bytes[i]);
	fputs("  of bytes       ", stdout);
	for (uint32_t i = 0; i < ARRAY_COUNT(s->by_size); i++)
		if (s->by_size[i])
			i < 7 ? printf(" %u: %lu", 1u << i, s->by_size[i]) : printf(" other: %lu", s->by_size[i]);
	printf("\nmemory          %u lines of %u bytes in %u pages of 4096\n", g_hash_table_size(s->lines), LINE_BYTES,
	       g_hash_table_size(s->pages));
	printf("fences          %lu\n", s->fences);
	for (uint32_t i = 0; i < THREAD_EVENT_COUNT; i++)
		if (s->events[i])
			printf("%-15s %lu\n", thread_event_names[i], s->events[i]);
	printf("recorded with\n%s", thread_trace_parameters(t));
}

static int read_file(const char *path, void (*show)(const struct thread_record *r))
{
	struct sums sums = {.lines = g_hash_table_new(NULL, NULL), .pages = g_hash_table_new(NULL, NULL)};
	const char *why = NULL;
	struct thread_trace *t = thread_trace_open(path, &why);
	enum thread_trace_next next = THREAD_TRACE_WRONG;
	struct thread_record r;

	if (t)
		while ((next = thread_trace_read(t, &r, &why)) == THREAD_TRACE_RECORD) {
			if (show)
				show(&r);
			else
				add(&sums, &r);
			if (ferror(stdout))
				break;
		}
	if (next == THREAD_TRACE_WRONG)
		cli_error("%s: %s", path, why);
	else if (!show)
		print_sums(&sums, t);
	if (t)
		thread_trace_close(t);
	g_hash_table_destroy(sums.lines);
	g_hash_table_destroy(sums.pages);
	return next == THREAD_TRACE_WRONG ? CLI_USAGE : CLI_OK;
}

static int list_params(void)
{
	struct sim_param_groups groups = {.count = 0};
	struct record_params params;
	char value[64];

	record_params_groups(&params, &groups);

	const struct sim_param_group *g = &groups.items[0];

	sim_param_defaults(g);
	for (uint32_t i = 0; i < g->row_count; i++) {
		sim_param_format(g, &g->rows[i], value, sizeof(value));
		printf("%s.%-22s %-12s %s (%s)\n", g->prefix, g->rows[i].name, value, g->rows[i].doc,
		       g->rows[i].source);
	}
	return CLI_OK;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct trace_options *o = ctx;
	const char *action = words->words->len ? words->words->pdata[0] : "";
	static const char *const names[] = {"record", "replay", "info", "show", "params"};

	if (o->by_qemu && strcmp(action, "record")) {
		cli_error("trace: --qemu is of `strata trace record`");
		return CLI_USAGE;
	}
	if (!strcmp(action, "record") && words->words->len == 1)
		return record(o, words, paths);
	if (!strcmp(action, "replay") && words->words->len == 2)
		return replay(o, words->words->pdata[1], paths);
	if (!strcmp(action, "params") && words->words->len == 1)
		return list_params();
	if ((!strcmp(action, "info") || !strcmp(action, "show")) && words->words->len == 2)
		return read_file(words->words->pdata[1], strcmp(action, "show") ? NULL
							 : o->as_lines          ? show_lines
										: show_record);

	const char *nearest = base_nearest_name(action, names, ARRAY_COUNT(names));

	if (nearest && strcmp(nearest, action))
		cli_error("trace: unknown action '%s'; did you mean '%s'?", action, nearest);
	else
		cli_error("trace: expected record, replay FILE, info FILE, show FILE or params; see "
			  "`strata trace --help`");
	return CLI_USAGE;
}

int cli_trace(int argc, char **argv)
{
	struct trace_options o = {0};
	const struct cli_option options[] = {
	    {"out", CLI_TEXT, &o.out, "FILE", "record: the trace, compressed by zstd", 'o'},
	    {"threads", CLI_TEXT, &o.threads, "N", "record: simulated hardware threads (default 4)", 0},
	    {"set", CLI_LIST, &o.sets, "NAME=VALUE",
	     "record: a cost; `strata trace params` lists them. replay: a parameter of the machine", 0},
	    {"machine", CLI_TEXT, &o.machine, "M", "replay: a machine with processors (default channel-cpu)", 'm'},
	    {"json", CLI_TEXT, &o.json, "FILE", "replay: the results", 0},
	    {"qemu", CLI_FLAG, &o.by_qemu, NULL, "record: a program as it is, executed by QEMU", 0},
	    {"lines", CLI_FLAG, &o.as_lines, NULL, "show: lines of 64 bytes, a request per line", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
