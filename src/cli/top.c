/* top.c - strata top: the runs of this user that are under way, again and again. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "report/report.h"

#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL_DEFAULT_S = 1, INTERVAL_MAX_S = 3600, OLD_S = 5 };

static const struct cli_about about = {
    .name = "top",
    .usage = "strata top [--once] [--interval S] [--json FILE]",
    .summary =
	"Shows the simulations of this user that are under way on this host: how long they run, how far they are,\n"
	"how fast they simulate, and what the machines' units spend their time on. On a terminal again every\n"
	"second until Ctrl-C; once where the output is none, with --once, or with --json.",
    .examples = "  strata top\n"
	"  strata top --json now.json",
};

struct top_options {
	const char *json, *interval;
	bool is_once;
	uint32_t interval_s;
};

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
	(void)number;
	is_over = 1;
}

/* ---- the table ---- */

/* A line of at most so many columns; 0: no limit. */
static void print_line(const char *text, uint32_t columns)
{
	const glong length = g_utf8_strlen(text, -1);
	g_autofree char *shown = g_utf8_substring(text, 0, columns ? MIN(length, (glong)columns) : length);

	fputs(g_strchomp(shown), stdout);
}

static char *row(const json_t *run)
{
	const double age = report_number(run, "age_s", NULL), rate = report_number(run, "simulated_ps_per_s", NULL);
	const double instructions = report_number(run, "instructions_per_s", NULL);
	g_autofree char *doing = cli_live_doing(run), *spent = cli_live_spent(run), *old = NULL, *per_s = NULL;
	char elapsed[32], time[32], speed[32], count[32], since[32];

	/* The host's own work, or a machine that waits for something which never comes. */
	if (age > OLD_S)
		old = g_strdup_printf("nothing new for %s; ", cli_duration(age, since));
	per_s = g_strdup_printf("%s/s", cli_live_time(rate, speed));
	return g_strdup_printf("%7.0f %10s %-18s %-18s %9s %11s %8s  %s%s%s%s", report_number(run, "pid", NULL),
			       cli_duration(report_number(run, "elapsed_s", NULL), elapsed),
			       json_string_value(json_object_get(run, "program")),
			       json_string_value(json_object_get(run, "machine")),
			       cli_live_time(report_number(run, "time_ps", NULL), time), per_s,
			       cli_live_count(instructions, count), old ? old : "", doing,
			       *doing && *spent ? "; " : "", spent);
}

static void print(const json_t *runs, const char *line_end, uint32_t columns)
{
	g_autofree char *head = g_strdup_printf("%7s %10s %-18s %-18s %9s %11s %8s  %s", "PID", "TIME", "PROGRAM",
						"MACHINE", "SIMULATED", "RATE", "INSTR/S", "DOING; TIME SPENT ON");
	const json_t *run;
	size_t i;

	if (!json_array_size(runs)) {
		print_line("no simulation is under way", columns);
		fputs(line_end, stdout);
		return;
	}
	print_line(head, columns);
	fputs(line_end, stdout);
	json_array_foreach(runs, i, run) {
		g_autofree char *text = row(run);

		print_line(text, columns);
		fputs(line_end, stdout);
	}
}

/* ---- once, or again and again ---- */

static json_t *units(void)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "runs.elapsed_s", "s", "runs.age_s", "s",
			 "runs.time_ps", "ps", "runs.period_s", "s", "runs.simulated_ps_per_s", "ps/s",
			 "runs.instructions_per_s", "1/s", "runs.start", "ticks of /proc since the host began",
			 "runs.spent", "of the units' time in the last period, 0 to 1");
}

static int once(const struct top_options *o)
{
	json_t *runs = cli_live_all(), *all;
	int exit_status = CLI_OK;

	if (o->json) {
		all = json_pack("{s:O, s:o}", "runs", runs, "units", units());
		exit_status = cli_json_keep(o->json, all) ? CLI_OK : CLI_UNABLE;
		json_decref(all);
	} else {
		print(runs, "\n", 0);
	}
	json_decref(runs);
	return exit_status;
}

/* Drawn over what was there, so that nothing flickers. */
static int again(const struct top_options *o)
{
	const struct sigaction action = {.sa_handler = on_signal};
	const struct timespec pause = {.tv_sec = o->interval_s};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	fputs("\033[2J", stdout);
	while (!is_over) {
		json_t *runs = cli_live_all();

		fputs("\033[H", stdout);
		print(runs, "\033[K\n", cli_terminal_columns(STDOUT_FILENO));
		fputs("\033[J", stdout);
		json_decref(runs);
		if (fflush(stdout))
			return CLI_UNABLE;
		nanosleep(&pause, NULL); /* a signal ends it */
	}
	return CLI_OK;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct top_options *o = ctx;

	(void)paths;
	if (words->program || words->words->len) {
		cli_error("top: takes no words; it shows all runs of this user");
		return CLI_USAGE;
	}
	if (o->interval && (o->is_once || o->json)) {
		cli_error("top: --once and --json look once: --interval goes without them");
		return CLI_USAGE;
	}
	if (!cli_number_parse(about.name, "interval", o->interval, INTERVAL_MAX_S, &o->interval_s) ||
	    !cli_output_check(about.name, "json", o->json))
		return CLI_USAGE;
	if (!o->interval_s)
		o->interval_s = INTERVAL_DEFAULT_S;
	return o->is_once || o->json || !isatty(STDOUT_FILENO) ? once(o) : again(o);
}

int cli_top(int argc, char **argv)
{
	struct top_options o = {0};
	const struct cli_option options[] = {
	    {"once", CLI_FLAG, &o.is_once, NULL, "print what is now, and end", 0},
	    {"interval", CLI_TEXT, &o.interval, "S", "seconds between two looks (default 1)", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write what is now there, and end", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
