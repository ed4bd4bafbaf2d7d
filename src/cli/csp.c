/* csp.c - strata csp: what the assembler makes of a program for the coprocessor, and its design space. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/csp_asm.h"
#include "cli/csp_space.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/paths.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_about about = {
    .name = "csp",
    .usage = "strata csp asm FILE  [--machine M] [--set K=V] [--define NAME=VALUE] [--json FILE]\n"
	     "       strata csp space  [--machine M] [--set K=V] [--nodes N] [--all] [--json FILE]",
    .summary = "Assembles a program for the radio-astronomy coprocessor and prints what the assembler makes of it, or\n"
	       "prints power and area of the coprocessor and the Pareto front of its design space. Programs run as\n"
	       "all others do: `strata run --machine csp-alpha -- FILE.csp`.",
    .examples = "  strata csp asm fft2.csp\n"
	"  strata csp space --machine csp-beta --nodes 2",
};

enum { DEFINES_MAX = 64 };

struct csp_options {
	const char *machine, *json, *nodes;
	GPtrArray *sets, *defines;
	bool is_all;
};

static const char *machine_of(const struct csp_options *o)
{
	return o->machine ? o->machine : "csp-alpha";
}

/* "NAME=VALUE" texts as the assembler takes them; the names are to be freed. */
static bool defines_read(const GPtrArray *texts, struct csp_define *out, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 0; i < texts->len; i++) {
		const char *text = texts->pdata[i], *equals = strchr(text, '=');
		char *end;
		long long value;

		if (*count == DEFINES_MAX) {
			cli_error("csp: more than %d --define", DEFINES_MAX);
			return false;
		}
		value = equals ? strtoll(equals + 1, &end, 10) : 0;
		if (!equals || equals == text || end == equals + 1 || *end || value < 0 || value > 1 << 30) {
			cli_error("csp: bad --define '%s', expected NAME=VALUE, a whole number up to 2^30", text);
			return false;
		}
		out[(*count)++] = (struct csp_define){g_strndup(text, (size_t)(equals - text)), value};
	}
	return true;
}

static int assemble(const struct csp_options *o, const char *file, const struct cli_paths *paths)
{
	struct csp_define defines[DEFINES_MAX];
	struct base_diag_list diag;
	struct csp_config config;
	uint32_t define_count;
	struct csp_program *p = NULL;
	int exit_status = CLI_USAGE;

	base_diag_init(&diag);
	if (defines_read(o->defines, defines, &define_count) &&
	    cli_csp_config_load(paths, machine_of(o), o->sets, &config))
		p = csp_assemble_file(file, &config, defines, define_count, &diag);
	if (p) {
		json_t *out = cli_csp_program_json(p);

		exit_status = cli_json_keep(o->json, out) ? CLI_OK : CLI_UNABLE;
		json_decref(out);
		cli_csp_program_print(p);
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	csp_program_free(p);
	for (uint32_t i = 0; i < define_count; i++)
		g_free((char *)defines[i].name);
	return exit_status;
}

/* "-2" to "4". */
static bool nodes_read(const char *text, int *nodes)
{
	char *end;
	const long value = text ? strtol(text, &end, 10) : 0;

	*nodes = (int)value;
	if (!text || (end != text && !*end && value >= -8 && value <= 8))
		return true;
	cli_error("csp: bad --nodes '%s', expected process nodes after 14 nm, -8 to 8", text);
	return false;
}

static int space(const struct csp_options *o, const struct cli_paths *paths)
{
	struct csp_config config;
	int nodes;

	if (!nodes_read(o->nodes, &nodes) || !cli_csp_config_load(paths, machine_of(o), o->sets, &config))
		return CLI_USAGE;
	return cli_csp_space(machine_of(o), &config, nodes, o->is_all, o->json);
}

static void unknown(const char *verb)
{
	static const char *const verbs[] = {"asm", "space"};
	const char *nearest = base_nearest_name(verb, verbs, ARRAY_COUNT(verbs));

	if (!strcmp(verb, "run") || !strcmp(verb, "why"))
		cli_error("csp: programs of the coprocessor run as all others do: `strata %s --machine %s -- FILE.csp`",
			  verb, machine_of(&(struct csp_options){0}));
	else if (nearest)
		cli_error("csp: unknown action '%s'; did you mean '%s'?", verb, nearest);
	else
		cli_error("csp: expected asm or space; see `strata csp --help`");
}

/* Each verb takes its own options and no others. */
static bool is_sound(const struct csp_options *o, const char *verb, const struct cli_words *words)
{
	const bool is_space = !strcmp(verb, "space");

	if (!is_space && strcmp(verb, "asm"))
		unknown(verb);
	else if (words->words->len != (is_space ? 1 : 2) || words->program)
		cli_error(is_space ? "csp: space takes no program" : "csp: expected one program, `strata csp %s FILE`",
			  verb);
	else if (is_space && o->defines->len)
		cli_error("csp: space takes no program, and no --define");
	else if (!is_space && (o->nodes || o->is_all))
		cli_error("csp: --nodes and --all are for `strata csp space`");
	else
		return cli_output_check(about.name, "json", o->json);
	return false;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct csp_options *o = ctx;
	const char *verb = words->words->len ? words->words->pdata[0] : "";

	if (!is_sound(o, verb, words))
		return CLI_USAGE;
	return *verb == 's' ? space(o, paths) : assemble(o, words->words->pdata[1], paths);
}

int cli_csp(int argc, char **argv)
{
	struct csp_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "the machine: a name or a .yaml file (default csp-alpha)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter of the machine", 0},
	    {"define", CLI_LIST, &o.defines, "NAME=VALUE", "asm: a constant of the program, in place of its own", 0},
	    {"all", CLI_FLAG, &o.is_all, NULL, "space: print every point", 0},
	    {"nodes", CLI_TEXT, &o.nodes, "N", "space: so many process nodes after 14 nm (before: negative)", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the results there as JSON", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
