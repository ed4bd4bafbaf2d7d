/* ptx.c - strata ptx: what the PTX front end and the candidate analysis make of a file. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/options.h"
#include "cli/ptx_duality.h"
#include "ndp/blocks/candidates.h"
#include "nsu/code.h"
#include "ptx/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_about about = {
    .name = "ptx",
    .usage = "strata ptx check|show|candidates|nsu|duality FILE...",
    .summary = "check       reports every mistake with file:line:column, and what this simulator does not support\n"
	       "show        prints every function decoded: blocks, edges, dominators, loops, live ranges\n"
	       "candidates  lists the blocks that TOM's static selection would offload, with live-ins, live-outs,\n"
	       "            score, tags and condition\n"
	       "nsu         lists the offload blocks of NSU with the code of both sides, score, registers and buffers\n"
	       "duality     lists the VLIW code of Duality Cache: words, arrays, registers, spills, expected cycles",
    .examples = "  strata ptx check kernel.ptx\n"
	"  strata ptx candidates kernel.ptx\n"
	"  strata ptx duality --kernel saxpy kernel.ptx",
};

/* Functions that cannot run; an entry without reason is no error of the module. */
static uint32_t report_unsupported(const struct ptx_module *m)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->func_count; i++) {
		const struct ptx_func *f = m->funcs[i];

		if (!f->unsupported)
			continue;
		fprintf(stderr, "%s:%u: unsupported: %s: %s\n", m->name, f->unsupported_line, f->name, f->unsupported);
		count++;
	}
	return count;
}

static int check(const struct ptx_module *m)
{
	uint32_t body_count = 0, entry_count = 0;
	uint32_t unsupported_count = report_unsupported(m);

	for (uint32_t i = 0; i < m->func_count; i++) {
		body_count += m->funcs[i]->has_body;
		entry_count += m->funcs[i]->is_entry;
	}
	printf("%s: PTX %u.%u for %s, %u functions, %u of them kernels, %u cannot run\n", m->name, m->version_major,
	       m->version_minor, m->target ? m->target : "no target", body_count, entry_count, unsupported_count);
	return unsupported_count ? CLI_FAILED : CLI_OK;
}

static int show(const struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->func_count; i++) {
		if (!m->funcs[i]->has_body)
			continue;

		struct ptx_cfg *cfg = ptx_cfg_build(m->funcs[i]);
		struct ptx_alloc *alloc = ptx_alloc_build(cfg, NULL);

		ptx_print_func(stdout, m->funcs[i], cfg, alloc);
		ptx_alloc_free(alloc);
		ptx_cfg_free(cfg);
	}
	return CLI_OK;
}

static int candidates(const struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->func_count; i++) {
		const struct ptx_func *f = m->funcs[i];

		if (!f->has_body || !f->is_entry)
			continue;

		struct ptx_cfg *cfg = ptx_cfg_build(f);
		struct ndp_candidate_set *set = ndp_candidates_find(cfg, &ndp_cost_default);

		ndp_candidates_print(stdout, set);
		ndp_candidates_free(set);
		ptx_cfg_free(cfg);
	}
	return CLI_OK;
}

static int nsu(const struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->func_count; i++) {
		const struct ptx_func *f = m->funcs[i];

		if (!f->has_body || !f->is_entry)
			continue;

		struct ptx_cfg *cfg = ptx_cfg_build(f);
		struct nsu_code_params params = nsu_code_default;
		struct nsu_code *code;

		params.params_are_apart = true;
		code = nsu_code_build(cfg, &params);

		nsu_code_print(stdout, code);
		nsu_code_free(code);
		ptx_cfg_free(cfg);
	}
	return CLI_OK;
}

/* What duality is asked for. */
static struct cli_duality duality_options;

static int duality(const struct ptx_module *m)
{
	return cli_ptx_duality(m, &duality_options);
}

static const struct action {
	const char *name;
	int (*run)(const struct ptx_module *m);
} actions[] = {{"check", check}, {"show", show}, {"candidates", candidates}, {"nsu", nsu}, {"duality", duality}};

static int run_file(const struct action *action, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	gsize length;
	struct base_diag_list diag;
	int exit_status = CLI_USAGE;

	if (!g_file_get_contents(path, &text, &length, &error)) {
		/* GLib's own text depends on the locale. */
		cli_error("cannot read %s: %s", path, access(path, R_OK) ? strerror(errno) : error->message);
		return CLI_USAGE;
	}
	base_diag_init(&diag);

	struct ptx_module *m = ptx_module_parse(path, text, length, &diag);

	if (m) {
		exit_status = action->run(m);
		ptx_module_free(m);
	} else {
		cli_diag_print(&diag);
	}
	base_diag_free(&diag);
	return exit_status;
}

static const struct action *find_action(const char *name)
{
	const char *names[ARRAY_COUNT(actions)];

	for (uint32_t i = 0; i < ARRAY_COUNT(actions); i++) {
		names[i] = actions[i].name;
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	}

	const char *nearest = base_nearest_name(name, names, ARRAY_COUNT(names));

	if (nearest)
		cli_error("ptx: unknown action '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("ptx: unknown action '%s'; expected check, show, candidates, nsu or duality", name);
	return NULL;
}

static bool has_duality_options(const struct cli_duality *o)
{
	return o->kernel || o->block || o->grid || o->params->len || o->is_plain || o->is_open || o->without ||
	       o->after || o->is_summary;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	int exit_status = CLI_OK;

	(void)paths;
	if (!words->words->len || words->program) {
		cli_error("ptx: expected check, show, candidates, nsu or duality, and a file; see `strata ptx --help`");
		return CLI_USAGE;
	}

	const struct action *action = find_action(words->words->pdata[0]);

	if (!action)
		return CLI_USAGE;
	if (strcmp(action->name, "duality") && has_duality_options(ctx)) {
		cli_error("ptx: `strata ptx %s` takes files only; the options are of `strata ptx duality`",
			  action->name);
		return CLI_USAGE;
	}
	if (words->words->len == 1) {
		cli_error("ptx: expected a file: strata ptx %s FILE", action->name);
		return CLI_USAGE;
	}
	for (uint32_t i = 1; i < words->words->len; i++) {
		int status = run_file(action, words->words->pdata[i]);

		exit_status = MAX(exit_status, status);
	}
	return exit_status;
}

int cli_ptx(int argc, char **argv)
{
	struct cli_duality *o = &duality_options;
	const struct cli_option options[] = {
	    {"kernel", CLI_TEXT, &o->kernel, "K", "duality: only this kernel", 0},
	    {"block", CLI_TEXT, &o->block, "X,Y,Z", "duality: threads of a block, known at launch", 0},
	    {"grid", CLI_TEXT, &o->grid, "X,Y,Z", "duality: blocks, known at launch", 0},
	    {"param", CLI_LIST, &o->params, "P=V", "duality: a parameter, by name or number, known at launch", 0},
	    {"plain", CLI_FLAG, &o->is_plain, NULL, "duality: the plain translator: one array, no optimisation", 0},
	    {"open", CLI_FLAG, &o->is_open, NULL, "duality: sums of floats are not normalised", 0},
	    {"without", CLI_TEXT, &o->without, "A,B", "duality: without isolate, balance, unroll, schedule", 0},
	    {"after", CLI_TEXT, &o->after, "PASS", "duality: the function as this pass of the compiler leaves it", 0},
	    {"summary", CLI_FLAG, &o->is_summary, NULL, "duality: counts only, no words", 0},
	    {0}};

	return cli_command(&about, options, argc, argv, run_words, o);
}
