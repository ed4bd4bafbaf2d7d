/* arguments.c - reads --define, --input and --output. */
#include "csprun/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "machine/message.h"

enum { DEFINE_MAX = 1 << 30 };

/* The name before '='; NULL after a message: the text has not both. */
static char *name_of(const char *option, const char *text, const char *expected)
{
	const char *equals = strchr(text, '=');

	if (equals && equals > text && equals[1])
		return g_strndup(text, (size_t)(equals - text));
	machine_message("error: bad --%s '%s', expected %s", option, text, expected);
	return NULL;
}

static bool add_define(struct csprun_arguments *a, const char *text)
{
	static const char expected[] = "NAME=VALUE, a whole number up to 2^30";
	char *name = name_of("define", text, expected), *end;
	long long number;

	if (!name)
		return false;
	number = strtoll(strchr(text, '=') + 1, &end, 10);
	if (*end || number < 0 || number > DEFINE_MAX) {
		machine_message("error: bad --define '%s', expected %s", text, expected);
		g_free(name);
		return false;
	}
	const struct csp_define define = {name, number};

	g_array_append_val(a->defines, define);
	return true;
}

static bool add_port(GArray *ports, const char *option, const char *text)
{
	g_autofree char *expected =
	    g_strdup_printf("NAME=FILE; the program's .%s lines have the names", option);
	struct csprun_port port = {.name = name_of(option, text, expected)};

	if (!port.name)
		return false;
	port.path = strchr(text, '=') + 1;
	g_array_append_val(ports, port);
	return true;
}

static bool add(struct csprun_arguments *a, const char *option, const char *text)
{
	static const char *const options[] = {"define", "input", "output"};
	const char *nearest;

	if (!strcmp(option, "define"))
		return add_define(a, text);
	if (!strcmp(option, "input"))
		return add_port(a->inputs, option, text);
	if (!strcmp(option, "output"))
		return add_port(a->outputs, option, text);
	nearest = base_nearest_name(option, options, ARRAY_COUNT(options));
	machine_message("error: a program of the coprocessor takes no '--%s'%s%s%s", option,
			nearest ? "; did you mean '--" : "; it takes --define, --input and --output",
			nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

/* "--NAME TEXT" or "--NAME=TEXT"; *at is then behind it. */
static bool read_option(struct csprun_arguments *a, int argc, char **argv, int *at)
{
	const char *word = argv[(*at)++], *equals = strchr(word, '=');
	g_autofree char *option = NULL;

	if (strncmp(word, "--", 2)) {
		machine_message("error: a program of the coprocessor takes no '%s'; it takes --define, --input and "
				"--output",
				word);
		return false;
	}
	option = equals ? g_strndup(word + 2, (size_t)(equals - word - 2)) : g_strdup(word + 2);
	if (!equals && *at == argc) {
		machine_message("error: %s: expected a value behind it", word);
		return false;
	}
	return add(a, option, equals ? equals + 1 : argv[(*at)++]);
}

bool csprun_arguments_read(struct csprun_arguments *a, int argc, char **argv)
{
	int at = 2;

	*a = (struct csprun_arguments){.defines = g_array_new(FALSE, FALSE, sizeof(struct csp_define)),
				       .inputs = g_array_new(FALSE, FALSE, sizeof(struct csprun_port)),
				       .outputs = g_array_new(FALSE, FALSE, sizeof(struct csprun_port))};
	if (argc < 2) {
		machine_message("error: expected FILE.csp");
		return false;
	}
	a->file = argv[1];
	while (at < argc)
		if (!read_option(a, argc, argv, &at))
			return false;
	return true;
}

static void ports_free(GArray *ports)
{
	for (uint32_t i = 0; i < ports->len; i++)
		g_free(g_array_index(ports, struct csprun_port, i).name);
	g_array_free(ports, TRUE);
}

void csprun_arguments_free(struct csprun_arguments *a)
{
	for (uint32_t i = 0; i < a->defines->len; i++)
		g_free((char *)(uintptr_t)g_array_index(a->defines, struct csp_define, i).name);
	g_array_free(a->defines, TRUE);
	ports_free(a->inputs);
	ports_free(a->outputs);
}
