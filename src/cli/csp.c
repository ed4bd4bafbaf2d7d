/* csp.c - strata csp: programs for the coprocessor assembled and run. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/csp_asm.h"
#include "cli/csp_machine.h"
#include "cli/csp_run.h"
#include "cli/csp_space.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/paths.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_about about = {
    .name = "csp",
    .usage = "strata csp asm|run|why FILE  [--machine M] [--set K=V] [--define NAME=VALUE] [--json FILE]\n"
	     "       strata csp run|why FILE ... [--input NAME=FILE] [--output NAME=FILE]\n"
	     "       strata csp space  [--machine M] [--set K=V] [--nodes N] [--all] [--json FILE]",
    .summary = "Assembles a program for the radio-astronomy coprocessor, or runs it on a modelled one. Machines are\n"
	       "alpha, beta and any file that ends in .yaml; programs of ours are in workloads/csp.\n"
	       "`strata csp why` says where the units' cycles went, and runs it again with one resource ideal.\n"
	       "`strata csp space` prints power and area of the machine and the Pareto front of its design space.",
    .examples = "  strata csp run fft2.csp\n"
	"  strata csp run fft2.csp --machine beta --json r.json\n"
	"  strata csp why fft2.csp\n"
	"  strata csp space --nodes 2",
};

enum { DEFINES_MAX = 64 };

struct csp_options {
	const char *machine, *json, *nodes;
	GPtrArray *sets, *defines, *inputs, *outputs;
	bool audit, account, is_all;
};

static const char *machine_of(const struct csp_options *o)
{
	return o->machine ? o->machine : "alpha";
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

static int csp(const struct csp_options *o, const char *verb, const char *file, const struct cli_paths *paths)
{
	const bool is_explained = !strcmp(verb, "why"), is_run = is_explained || !strcmp(verb, "run");
	struct csp_define defines[DEFINES_MAX];
	struct base_diag_list diag;
	struct csp_config config;
	uint32_t define_count;
	struct csp_program *p = NULL;
	int exit_status = CLI_USAGE;

	base_diag_init(&diag);
	if (defines_read(o->defines, defines, &define_count) &&
	    cli_csp_machine_load(paths, machine_of(o), o->sets, &config, &diag))
		p = csp_assemble_file(file, &config, defines, define_count, &diag);
	if (p && is_run) {
		const struct cli_csp_run run = {.json = o->json,
						.inputs = o->inputs,
						.outputs = o->outputs,
						.defines = o->defines,
						.watch = (o->audit ? CSP_AUDIT : 0) |
							 (o->account || is_explained ? CSP_ACCOUNT : 0),
						.is_explained = is_explained};

		exit_status = cli_csp_run(&run, file, &config, p, &diag);
	} else if (p) {
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
	struct base_diag_list diag;
	struct csp_config config;
	int exit_status = CLI_USAGE, nodes;

	base_diag_init(&diag);
	if (nodes_read(o->nodes, &nodes) && cli_csp_machine_load(paths, machine_of(o), o->sets, &config, &diag))
		exit_status = cli_csp_space(&config, nodes, o->is_all, o->json);
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return exit_status;
}

static bool ports_check(const GPtrArray *texts, const char *option)
{
	for (uint32_t i = 0; i < texts->len; i++) {
		const char *text = texts->pdata[i], *equals = strchr(text, '=');

		if (equals && equals > text && equals[1])
			continue;
		cli_error("csp: bad --%s '%s', expected NAME=FILE; the program's .%s lines have the names", option,
			  text, option);
		return false;
	}
	return true;
}

static void unknown(const char *verb)
{
	static const char *const verbs[] = {"asm", "run", "space", "why"};
	const char *nearest = base_nearest_name(verb, verbs, ARRAY_COUNT(verbs));

	if (nearest)
		cli_error("csp: unknown action '%s'; did you mean '%s'?", verb, nearest);
	else
		cli_error("csp: expected asm, run, why or space; see `strata csp --help`");
}

/* Each verb takes its own options and no others. */
static bool is_sound(const struct csp_options *o, const char *verb, const struct cli_words *words)
{
	const bool is_space = !strcmp(verb, "space"), is_run = !strcmp(verb, "run") || !strcmp(verb, "why");

	if (!is_space && strcmp(verb, "asm") && !is_run)
		unknown(verb);
	else if (words->words->len != (is_space ? 1 : 2) || words->program)
		cli_error(is_space ? "csp: space takes no program" : "csp: expected one program, `strata csp %s FILE`",
			  verb);
	else if (is_space && o->defines->len)
		cli_error("csp: space takes no program, and no --define");
	else if (!is_run && (o->audit || o->account || o->inputs->len || o->outputs->len))
		cli_error("csp: --audit, --account, --input and --output are for `strata csp run` and `why`");
	else if (!is_space && (o->nodes || o->is_all))
		cli_error("csp: --nodes and --all are for `strata csp space`");
	else
		return ports_check(o->inputs, "input") && ports_check(o->outputs, "output") &&
		       cli_output_check(about.name, "json", o->json) &&
		       (!is_run || cli_store_check(about.name));
	return false;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct csp_options *o = ctx;
	const char *verb = words->words->len ? words->words->pdata[0] : "";

	if (!is_sound(o, verb, words))
		return CLI_USAGE;
	return *verb == 's' ? space(o, paths) : csp(o, verb, words->words->pdata[1], paths);
}

int cli_csp(int argc, char **argv)
{
	struct csp_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "alpha (the default), beta, or a file that ends in .yaml", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter of the machine", 0},
	    {"define", CLI_LIST, &o.defines, "NAME=VALUE", "a constant of the program, in place of its own", 0},
	    {"input", CLI_LIST, &o.inputs, "NAME=FILE", "run: the file's values into the program's input", 0},
	    {"output", CLI_LIST, &o.outputs, "NAME=FILE", "run: the program's output into the file", 0},
	    {"audit", CLI_FLAG, &o.audit, NULL, "run: have the auditor watch every DRAM command", 0},
	    {"account", CLI_FLAG, &o.account, NULL, "run: where the units' cycles went, for strata why RUN", 0},
	    {"all", CLI_FLAG, &o.is_all, NULL, "space: print every point", 0},
	    {"nodes", CLI_TEXT, &o.nodes, "N", "space: so many process nodes after 14 nm (before: negative)", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the results there as JSON", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
