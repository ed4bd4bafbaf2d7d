/* main.c - the commands and what their exit status means. */
#include "base/check.h"
#include "base/diag.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/provenance.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
    {"run", cli_run, "run a program or workload on a modelled machine"},
    {"compare", cli_compare, "run programs on several machines side by side and print the table"},
    {"bench", cli_bench, "run an algorithm in its forms at every level of near-data processing, in one table"},
    {"check", cli_check, "run a program under the memory checker and print what its kernels did wrong"},
    {"reproduce", cli_reproduce, "run a paper's evaluation and print its numbers beside ours"},
    {"mem", cli_mem, "measure a memory by itself: bandwidth, latency and energy under a stream of requests"},
    {"advise", cli_advise, "predict which level of near-data processing would serve a program"},
    {"why", cli_why, "say where a run's time goes, what bounds it, and what each resource is worth"},
    {"correlate", cli_correlate, "print measured times of kernels or programs beside modelled ones"},
    {"report", cli_report, "draw runs side by side on one HTML page"},
    {"timeline", cli_timeline, "write what a run did over time, for Perfetto"},
    {"sweep", cli_sweep, "run machines with many settings, here or on a cluster, and print the best"},
    {"top", cli_top, "show the simulations that are under way: how far, how fast, what they wait for"},
    {"runs", cli_runs, "list, show, compare, remove or export the runs that were kept"},
    {"csp", cli_csp, "the radio-astronomy coprocessor: what its assembler makes of a program, its design space"},
    {"ska", cli_ska, "compute what radio telescopes need: operations, data rates, nodes, power"},
    {"list", cli_list, "print parameters, statistics, machines, memories, workloads or mechanisms"},
    {"cc", cli_cc, "compile C for simulated threads: takes clang's arguments"},
    {"c++", cli_cxx, "compile C++, likewise"},
    {"trace", cli_trace, "record what the threads of such a program do, and print it"},
    {"ptx", cli_ptx, "check a PTX file, show it decoded, or list its offload candidates"},
};

static int help(FILE *out)
{
	fputs("usage: strata COMMAND [options]\n\n"
	      "Strata runs CUDA, OpenACC and threaded C programs on modelled machines: time, traffic, energy.\n\n",
	      out);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(out,
		"\n`strata COMMAND --help` prints a command's options; `strata --version` the version.\n\n"
		"examples:\n%s\n",
		cli_manual_examples);
	return CLI_OK;
}

/* The manual page, or the commands' names for shells. */
static int describe(bool is_manual)
{
	struct cli_summary all[ARRAY_COUNT(commands)];

	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		all[i] = (struct cli_summary){commands[i].name, commands[i].summary};
		if (!is_manual)
			printf("%s\t\t%s\n", commands[i].name, commands[i].summary);
	}
	if (is_manual)
		cli_manual_main_print(all, ARRAY_COUNT(all));
	return CLI_OK;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	static const char *const options[] = {"--help", "--version"};
	const char *names[ARRAY_COUNT(commands)];
	const bool is_option = *name == '-';

	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		names[i] = commands[i].name;

	const char *nearest = is_option ? base_nearest_name(name, options, ARRAY_COUNT(options))
					: base_nearest_name(name, names, ARRAY_COUNT(commands));

	if (nearest)
		cli_error("unknown %s '%s'; did you mean '%s'?", is_option ? "option" : "command", name, nearest);
	else
		cli_error("unknown %s '%s'; see `strata --help`", is_option ? "option" : "command", name);
	return CLI_USAGE;
}

/* strata help [COMMAND] */
static int help_of(int argc, char **argv)
{
	static char option[] = "--help";
	const struct command *c = argc ? find(argv[0]) : NULL;
	char *words[] = {argc ? argv[0] : option, option, NULL};

	if (!argc)
		return help(stdout);
	if (argc == 1 && c)
		return c->run(2, words);
	if (argc == 1)
		return unknown(argv[0]);
	cli_error("help: expected one command");
	return CLI_USAGE;
}

/* `strata ... | head`: the reader has what it wanted. */
static bool has_reader_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

/* Results that did not get out, to a full disk say, are no success. */
static int finish_output(int exit_status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || has_reader_gone())
		return exit_status;
	cli_error("cannot write all of the standard output");
	return exit_status ? exit_status : CLI_UNABLE;
}

/* Files that are opened later must not get these numbers: the store would get what is printed. Reading is an error of
 * the standard output's and writing one of the input's, as when they are closed. */
static void standard_files_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	standard_files_hold();
	/* A reader of our output that goes must not take the run with it. */
	signal(SIGPIPE, SIG_IGN);
	/* A parent that ignores SIGCHLD hands that on, and then nobody learns how a program has ended. */
	signal(SIGCHLD, SIG_DFL);
	cli_provenance_begin(argc, argv);
	if (argc < 2) {
		help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return finish_output(help_of(argc - 2, argv + 2));
	if (argc == 2 && (!strcmp(argv[1], "--man") || !strcmp(argv[1], "--complete")))
		return finish_output(describe(!strcmp(argv[1], "--man")));
	if (!strcmp(argv[1], "--version") && argc > 2) {
		cli_error("--version: takes no words");
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("strata %s\n", cli_version());
		return finish_output(CLI_OK);
	}

	const struct command *c = find(argv[1]);

	return c ? finish_output(c->run(argc - 1, argv + 1)) : unknown(argv[1]);
}
