/* options.c - one parser and one printer for the tables of all commands. */
#include "cli/options.h"

#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 24 };

static void print_help(const struct cli_about *about, const struct cli_option *options)
{
	printf("usage: %s\n\n%s\n\n", about->usage, about->summary);
	for (const struct cli_option *o = options; o->name; o++) {
		const char letter[] = {'-', o->letter, ',', ' ', '\0'};
		g_autofree char *left = g_strdup_printf("%s--%s%s%s", o->letter ? letter : "", o->name,
							o->metavar ? " " : "", o->metavar ? o->metavar : "");

		printf("  %-22s %s\n", left, o->doc);
	}
	printf("  %-22s %s\n", "--help", "print this");
	if (about->examples)
		printf("\nexamples:\n%s\n", about->examples);
}

static const struct cli_option *find(const struct cli_option *options, const char *name, size_t length)
{
	for (const struct cli_option *o = options; o->name; o++)
		if (strlen(o->name) == length && !strncmp(o->name, name, length))
			return o;
	return NULL;
}

static const struct cli_option *find_letter(const struct cli_option *options, char letter)
{
	for (const struct cli_option *o = options; o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

/* After a word, which may be meant as a program with options of its own. */
static void unknown(const struct cli_about *about, const struct cli_option *options, const char *arg, size_t length,
		    const GPtrArray *words)
{
	const char *names[OPTIONS_MAX + 1];
	uint32_t count = 0;
	g_autofree char *name = g_strndup(arg, length);
	const bool of_program = words->len > 0 && strstr(about->usage, "-- PROGRAM");
	const char *behind = of_program ? " (a program's own options go behind it, after '--')" : "";

	for (const struct cli_option *o = options; o->name && count < OPTIONS_MAX; o++)
		names[count++] = o->name;
	names[count++] = "help";

	const char *nearest = *name == '-' ? base_nearest_name(name + strspn(name, "-"), names, count) : NULL;

	if (nearest)
		cli_error("%s: unknown option '%s'; did you mean '--%s'?%s", about->name, name, nearest, behind);
	else
		cli_error("%s: unknown option '%s'; see `strata %s --help`%s", about->name, name, about->name, behind);
}

static void store(const struct cli_option *o, const char *value)
{
	if (o->kind == CLI_FLAG)
		*(bool *)o->out = true;
	else if (o->kind == CLI_TEXT)
		*(const char **)o->out = value;
	else
		g_ptr_array_add(*(GPtrArray **)o->out, (char *)value);
}

/* The option at argv[*i], behind words; steps over its value. */
static bool parse_option(const struct cli_about *about, const struct cli_option *options, int argc, char **argv, int *i,
			 const GPtrArray *words)
{
	const char *arg = argv[*i];
	const char *equals = strchr(arg, '=');
	size_t length = equals ? (size_t)(equals - arg) : strlen(arg);
	const bool is_long = g_str_has_prefix(arg, "--");
	const struct cli_option *o = is_long ? find(options, arg + 2, length - 2) : find_letter(options, arg[1]);

	if (!o) {
		unknown(about, options, arg, length, words);
		return false;
	}
	if (o->kind == CLI_FLAG && equals) {
		cli_error("%s: --%s takes no value", about->name, o->name);
		return false;
	}
	if (o->kind == CLI_TEXT && *(const char **)o->out) {
		cli_error("%s: --%s is given twice", about->name, o->name);
		return false;
	}
	if (o->kind == CLI_FLAG) {
		store(o, NULL);
		return true;
	}

	/* "-j4" is "-j 4". */
	const char *joined = !is_long && arg[2] ? arg + 2 : is_long && equals ? equals + 1 : NULL;
	const char *value = joined ? joined : *i + 1 < argc ? argv[++*i] : "";

	if (!*value || (!joined && !strcmp(value, "--"))) {
		cli_error("%s: --%s needs a value: --%s %s", about->name, o->name, o->name, o->metavar);
		return false;
	}
	store(o, value);
	return true;
}

enum parse { PARSED, HELPED, WRONG };

static enum parse parse(const struct cli_about *about, const struct cli_option *options, int argc, char **argv,
			struct cli_words *words)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			words->program = &argv[i + 1];
			break;
		}
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			print_help(about, options);
			return HELPED;
		}
		/* For the build, which makes the manual pages, and for shells: only as the single word. */
		if (argc == 2 && !strcmp(argv[i], "--man")) {
			cli_manual_print(about, options);
			return HELPED;
		}
		if (argc == 2 && !strcmp(argv[i], "--complete")) {
			cli_shell_print(options);
			return HELPED;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			g_ptr_array_add(words->words, argv[i]);
		else if (!parse_option(about, options, argc, argv, &i, words->words))
			return WRONG;
	}
	return PARSED;
}

int cli_command(const struct cli_about *about, const struct cli_option *options, int argc, char **argv,
		cli_run_words run, void *ctx)
{
	struct cli_words words = {.words = g_ptr_array_new()};
	int exit_status = CLI_USAGE;

	for (const struct cli_option *o = options; o->name; o++)
		if (o->kind == CLI_LIST)
			*(GPtrArray **)o->out = g_ptr_array_new();

	const enum parse parsed = parse(about, options, argc, argv, &words);

	if (parsed == HELPED) {
		exit_status = CLI_OK;
	} else if (parsed == PARSED) {
		struct cli_paths paths;

		cli_paths_find(&paths);
		exit_status = run(ctx, &words, &paths);
		cli_paths_free(&paths);
	}
	for (const struct cli_option *o = options; o->name; o++)
		if (o->kind == CLI_LIST)
			g_ptr_array_free(*(GPtrArray **)o->out, TRUE);
	g_ptr_array_free(words.words, TRUE);
	return exit_status;
}

bool cli_number_parse(const char *command, const char *option, const char *text, uint32_t max, uint32_t *out)
{
	guint64 value = 0;

	*out = 0;
	if (!text)
		return true;
	if (!g_ascii_string_to_unsigned(text, 10, 1, max, &value, NULL)) {
		cli_error("%s: bad --%s '%s', expected a number of 1 to %u", command, option, text, max);
		return false;
	}
	*out = (uint32_t)value;
	return true;
}
