/* manual.c - manual pages from the commands' tables, and what shells complete. */
#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

/* A text in troff: its own words keep their meaning, and a line that begins with a dot is no request. */
static void put(const char *text)
{
	bool is_line_begin = true;

	for (; *text; text++) {
		if (is_line_begin && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		is_line_begin = *text == '\n';
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void put_lines(const char *text)
{
	fputs(".nf\n", stdout);
	put(text);
	fputs("\n.fi\n", stdout);
}

static void head(const char *page, const char *what)
{
	g_autofree char *upper = g_ascii_strup(page, -1);

	printf(".TH %s 1 \"\" \"Strata\" \"Strata\"\n.SH NAME\n", upper);
	put(page);
	fputs(" \\- ", stdout);
	put(what);
	putchar('\n');
}

const char cli_manual_examples[] = "  strata run vectoradd\n"
				   "  strata compare --machines tom-baseline,tom-ctrl-tmap kmeans\n"
				   "  strata why --machine tom-ctrl-tmap -- ./program\n"
				   "  strata runs list";

static const char footer[] = ".SH SEE ALSO\n.BR strata (1)\n.PP\nThe manual in docs/ has a page for each subject.\n";

void cli_manual_print(const struct cli_about *about, const struct cli_option *options)
{
	g_autofree char *page = g_strconcat("strata-", about->name, NULL);
	g_autofree char *first = g_strdelimit(g_strndup(about->summary, strcspn(about->summary, ".:")), "\n", ' ');

	head(page, first);
	fputs(".SH SYNOPSIS\n", stdout);
	put_lines(about->usage);
	fputs(".SH DESCRIPTION\n", stdout);
	put_lines(about->summary);
	fputs(".SH OPTIONS\n", stdout);
	for (const struct cli_option *o = options; o->name; o++) {
		fputs(".TP\n", stdout);
		if (o->letter)
			printf("\\fB\\-%c\\fR, ", o->letter);
		fputs("\\fB\\-\\-", stdout);
		put(o->name);
		fputs("\\fR", stdout);
		if (o->metavar) {
			fputs(" \\fI", stdout);
			put(o->metavar);
			fputs("\\fR", stdout);
		}
		putchar('\n');
		put(o->doc);
		putchar('\n');
	}
	if (about->examples) {
		fputs(".SH EXAMPLES\n", stdout);
		put_lines(about->examples);
	}
	fputs(footer, stdout);
}

void cli_manual_main_print(const struct cli_summary *commands, uint32_t count)
{
	head("strata", "simulator for near-data processing");
	fputs(".SH SYNOPSIS\n.B strata\n.I COMMAND\n[options]\n.SH DESCRIPTION\nStrata runs CUDA, OpenACC and OpenMP "
	      "programs, and programs of threads, unchanged on modelled machines, and measures time, traffic and "
	      "energy.\n.SH COMMANDS\n",
	      stdout);
	for (uint32_t i = 0; i < count; i++) {
		printf(".TP\n.B ");
		put(commands[i].name);
		putchar('\n');
		put(commands[i].summary);
		putchar('\n');
	}
	fputs(
	    ".SH EXIT STATUS\n0: done. 1: a run is not verified. 2: a mistake in what was asked for. 125: Strata could "
	    "not do its part. 130: interrupted.\n.SH FILES\n.TP\n.I .strata/runs.db\nthe runs that were made in this "
	    "directory\n.SH ENVIRONMENT\n.TP\n.B STRATA_STORE\nanother place for the runs\n.TP\n.B STRATA_MACHINES\na "
	    "folder of machines, before Strata's own\n.TP\n.B STRATA_MEMORIES\na folder of memories, likewise\n",
	    stdout);
	fputs(".SH EXAMPLES\n", stdout);
	put_lines(cli_manual_examples);
	fputs(".SH SEE ALSO\n", stdout);
	for (uint32_t i = 0; i < count; i++) {
		if (strpbrk(commands[i].name, "+") || !strcmp(commands[i].name, "cc"))
			continue;
		fputs(".BR strata\\-", stdout);
		put(commands[i].name);
		fputs(" (1),\n", stdout);
	}
	fputs("and the manual in docs/.\n", stdout);
}

void cli_shell_print(const struct cli_option *options)
{
	for (const struct cli_option *o = options; o->name; o++)
		printf("--%s\t%s\t%s\n", o->name, o->metavar ? o->metavar : "", o->doc);
}
