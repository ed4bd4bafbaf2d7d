/* csp.c - strata csp: programs for the coprocessor assembled and run. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/csp_space.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/provenance.h"
#include "csp/machine.h"
#include "machine/json.h"
#include "machine/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_about about = {
    .name = "csp",
    .usage = "strata csp asm|run FILE | space  [--machine M] [--set K=V] [--define NAME=VALUE] [--json FILE]",
    .summary = "Assembles a program for the radio-astronomy coprocessor, or runs it on a modelled one. Machines are\n"
	       "alpha, beta and any file that ends in .yaml; programs of ours are in workloads/csp.\n"
	       "`strata csp space` prints power and area of the machine and the Pareto front of its design space.",
};

enum { DEFINES_MAX = 64 };

struct csp_options {
	const char *machine, *json, *nodes;
	GPtrArray *sets, *defines;
	bool audit, is_all;
};

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

static bool config_load(const struct cli_paths *paths, const struct csp_options *o, struct csp_config *c,
			struct base_diag_list *diag)
{
	GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
	struct sim_search search;
	bool is_ok;

	for (uint32_t i = 0; i < paths->machines.dir_count; i++)
		g_ptr_array_add(dirs, g_build_filename(paths->machines.dirs[i], "csp", NULL));
	search = (struct sim_search){(const char *const *)dirs->pdata, dirs->len};
	is_ok = csp_config_load(o->machine ? o->machine : "alpha", &search, c, diag);
	for (uint32_t i = 0; is_ok && i < o->sets->len; i++)
		is_ok = csp_config_set(c, o->sets->pdata[i], "--set", diag);
	g_ptr_array_free(dirs, TRUE);
	return is_ok && csp_config_check(c, diag);
}

/* ---- asm ---- */

static void expr_text(const struct csp_expr *e, GString *out)
{
	for (uint32_t i = 0; i < e->index_count; i++)
		g_string_append_printf(out, "%si%u", i ? "+" : "", e->index[i]);
	if (e->constant || !e->index_count)
		g_string_append_printf(out, e->index_count ? "%+lld" : "%lld", (long long)e->constant);
}

static void operand_text(const struct csp_operand *o, GString *out)
{
	static const char *const files[] = {
	    [CSP_REGISTERS] = "r", [CSP_SCALARS] = "s", [CSP_VECTORS] = "v", [CSP_LINES] = ""};

	if (o->space == CSP_ZERO) {
		g_string_append(out, "zero");
		return;
	}
	g_string_append_printf(out, "%s[", files[o->space]);
	expr_text(&o->base, out);
	if (o->stride.constant != 1 || o->stride.index_count) {
		g_string_append_c(out, ':');
		expr_text(&o->stride, out);
	}
	g_string_append_c(out, ']');
}

static bool has_value(enum csp_op op)
{
	return op != CSP_CORE && op != CSP_END && op != CSP_JUMP && op != CSP_BRANCH && op != CSP_LOAD &&
	       op != CSP_STORE && op != CSP_CFMA && op != CSP_HALT;
}

static bool has_index(enum csp_op op)
{
	return op <= CSP_CORE || (op >= CSP_BRANCH && op <= CSP_BNE);
}

static void instr_print(uint32_t number, const struct csp_instr *x)
{
	GString *s = g_string_new(csp_op_name(x->op));
	const char *comma = " ";

	if (x->is_conjugate || x->is_negative)
		g_string_append_printf(s, ".%s%s", x->is_conjugate ? "c" : "", x->is_negative ? "n" : "");
	if (has_index(x->op)) {
		g_string_append_printf(s, "%si%u", comma, x->index);
		comma = ", ";
	}
	if (x->op >= CSP_MUL && x->op <= CSP_REV)
		g_string_append_printf(s, "%si%u", comma, x->source);
	if (has_value(x->op)) {
		g_string_append(s, comma);
		expr_text(&x->value, s);
		comma = ", ";
	}
	for (uint32_t i = 0; i < x->operand_count; i++) {
		g_string_append(s, comma);
		operand_text(&x->operands[i], s);
		comma = ", ";
	}
	if (x->operand_count && (x->count.constant != 1 || x->count.index_count)) {
		g_string_append(s, " x");
		expr_text(&x->count, s);
	}
	for (uint32_t i = 0; i < x->target_count; i++)
		g_string_append_printf(s, "%s@%u", i || has_index(x->op) ? ", " : " ", x->targets[i]);
	printf("%5u  line %-5u %s\n", number, x->line, s->str);
	g_string_free(s, TRUE);
}

static void program_print(const struct csp_program *p)
{
	for (uint32_t i = 0; i < p->instr_count; i++) {
		for (uint32_t c = 0; c < p->core_count; c++)
			if (p->entries[c] == i)
				printf("core %u:\n", c);
		instr_print(i, &p->instrs[i]);
	}
	printf("%u instructions\n", p->instr_count);
}

static json_t *program_json(const struct csp_program *p)
{
	json_t *o = json_object(), *entries = json_array();

	put_text(o, "program", p->path);
	put_int(o, "instructions", p->instr_count);
	for (uint32_t i = 0; i < p->core_count; i++)
		json_array_append_new(entries,
				      p->entries[i] == UINT32_MAX ? json_null() : json_integer(p->entries[i]));
	json_object_set_new(o, "entries", entries);
	put_int(o, "data", p->data_count);
	put_int(o, "checks", p->check_count);
	return o;
}

/* ---- run ---- */

static void put_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		     const struct sim_hist *hist)
{
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);

	if (!hist)
		put_int(ctx, key, value);
}

static json_t *run_json(const char *file, struct csp_config *c, const struct csp_machine *m,
			const struct csp_result *r)
{
	json_t *o = json_object(), *energy = json_object(), *stats = json_object(), *units = json_object();
	struct sim_param_groups groups;
	char hash[32];

	csp_config_groups(c, &groups);
	g_snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)csp_machine_hash(m));
	put_text(o, "program", file);
	put_text(o, "machine", c->about.name);
	put_int(o, "cycles", r->cycles);
	put_int(o, "time_ps", r->time_ps);
	put_int(o, "cores", r->cores);
	put_int(o, "cfmas", r->cfmas);
	put_real(o, "utilisation", r->utilisation);
	put_int(o, "from_memory_bytes", r->from_memory_bytes);
	put_int(o, "to_memory_bytes", r->to_memory_bytes);
	put_int(o, "checks", r->checks);
	put_int(o, "checks_passed", r->checks_passed);
	put_real(o, "worst_error", r->worst_error);
	json_object_set_new(o, "verified",
			    json_boolean(r->checks && r->checks == r->checks_passed && !r->was_limited));
	json_object_set_new(o, "was_limited", json_boolean(r->was_limited));
	put_real(o, "energy_total_pj", r->energy.total_pj);
	for (uint32_t i = 0; i < r->energy.component_count; i++)
		put_real(energy, r->energy.components[i].name, r->energy.components[i].pj);
	json_object_set_new(o, "energy_pj", energy);
	sim_stats_each(csp_machine_stats(m), put_stat, stats);
	json_object_set_new(o, "stats", stats);
	put_text(o, "run_hash", hash);
	put_real(o, "host_seconds", r->host_seconds);
	json_object_set_new(o, "params", machine_params_json(&groups, units));
	put_text(units, "time_ps", "ps");
	put_text(units, "energy_pj", "pJ");
	put_text(units, "energy_total_pj", "pJ");
	put_text(units, "utilisation", "of the functional units of the cores that have a program, 0 to 1");
	put_text(units, "worst_error", "the largest error of all checks over its bound");
	json_object_set_new(o, "units", units);
	cli_provenance_put(o);
	return o;
}

static void run_print(const char *file, const struct csp_config *c, const struct csp_result *r)
{
	const double seconds = (double)r->time_ps * 1e-12;

	printf("%s on %s: %llu cycles, %.6g us, %u core%s\n", file, c->about.name, (unsigned long long)r->cycles,
	       seconds * 1e6, r->cores, r->cores == 1 ? "" : "s");
	if (!r->cycles)
		return;
	printf("  functional units  %5.1f %% of the time, %.4g GFLOPS (8 for a complex multiply-add)\n",
	       100 * r->utilisation, 8e-9 * (double)r->cfmas / seconds);
	printf("  memory            %.4g GB/s from it, %.4g GB/s to it, packets whole\n",
	       1e-9 * (double)r->from_memory_bytes / seconds, 1e-9 * (double)r->to_memory_bytes / seconds);
	printf("  power             %.4g W:", 1e-12 * r->energy.total_pj / seconds);
	for (uint32_t i = 0; i < r->energy.component_count; i++)
		printf(" %s %.3g", r->energy.components[i].name, 1e-12 * r->energy.components[i].pj / seconds);
	putchar('\n');
	if (r->was_limited)
		printf("  ended by csp.limit_cycles; nothing is checked\n");
	else if (r->checks)
		printf("  checks            %u of %u passed, the largest error %.3g of its bound\n", r->checks_passed,
		       r->checks, r->worst_error);
	else
		printf("  checks            the program has none\n");
}

static int run(const struct csp_options *o, const char *file, struct csp_config *c, const struct csp_program *p,
	       struct base_diag_list *diag)
{
	struct csp_machine *m = csp_machine_new(c, p, o->audit, diag);
	struct csp_result r;
	int exit_status = CLI_USAGE;

	if (m && csp_machine_data(m, diag) && csp_machine_run(m, &r, diag)) {
		json_t *out = run_json(file, c, m, &r);

		exit_status = r.checks == r.checks_passed ? CLI_OK : CLI_FAILED;
		if (!cli_json_keep(o->json, out))
			exit_status = CLI_UNABLE;
		json_decref(out);
		run_print(file, c, &r);
	}
	csp_machine_free(m);
	return exit_status;
}

static int csp(const struct csp_options *o, bool is_run, const char *file)
{
	struct csp_define defines[DEFINES_MAX];
	struct base_diag_list diag;
	struct csp_config config;
	struct cli_paths paths;
	uint32_t define_count;
	struct csp_program *p = NULL;
	int exit_status = CLI_USAGE;

	base_diag_init(&diag);
	cli_paths_find(&paths);
	if (defines_read(o->defines, defines, &define_count) && config_load(&paths, o, &config, &diag))
		p = csp_assemble_file(file, &config, defines, define_count, &diag);
	if (p && is_run) {
		exit_status = run(o, file, &config, p, &diag);
	} else if (p) {
		json_t *out = program_json(p);

		exit_status = cli_json_keep(o->json, out) ? CLI_OK : CLI_UNABLE;
		json_decref(out);
		program_print(p);
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	csp_program_free(p);
	for (uint32_t i = 0; i < define_count; i++)
		g_free((char *)defines[i].name);
	cli_paths_free(&paths);
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

static int space(const struct csp_options *o)
{
	struct base_diag_list diag;
	struct csp_config config;
	struct cli_paths paths;
	int exit_status = CLI_USAGE, nodes;

	base_diag_init(&diag);
	cli_paths_find(&paths);
	if (nodes_read(o->nodes, &nodes) && config_load(&paths, o, &config, &diag))
		exit_status = cli_csp_space(&config, nodes, o->is_all, o->json);
	cli_diag_print(&diag);
	base_diag_free(&diag);
	cli_paths_free(&paths);
	return exit_status;
}

/* Each verb takes its own options and no others. */
static bool is_sound(const struct csp_options *o, const char *verb, const struct cli_words *words)
{
	const bool is_space = !strcmp(verb, "space");

	if (!is_space && strcmp(verb, "asm") && strcmp(verb, "run"))
		cli_error("csp: expected asm, run or space; see `strata csp --help`");
	else if (words->words->len != (is_space ? 1 : 2) || words->program)
		cli_error(is_space ? "csp: space takes no program" : "csp: expected one program, `strata csp %s FILE`",
			  verb);
	else if (is_space && (o->defines->len || o->audit))
		cli_error("csp: space runs no program: it takes no --define and no --audit");
	else if (!is_space && (o->nodes || o->is_all))
		cli_error("csp: --nodes and --all are for `strata csp space`");
	else
		return cli_output_check(about.name, "json", o->json);
	return false;
}

int cli_csp(int argc, char **argv)
{
	struct csp_options o = {.sets = g_ptr_array_new(), .defines = g_ptr_array_new()};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "alpha (the default), beta, or a file that ends in .yaml", 0},
	    {"set", CLI_LIST, o.sets, "K=V", "override one parameter of the machine", 0},
	    {"define", CLI_LIST, o.defines, "NAME=VALUE", "a constant of the program, in place of its own", 0},
	    {"audit", CLI_FLAG, &o.audit, NULL, "have the auditor watch every DRAM command", 0},
	    {"all", CLI_FLAG, &o.is_all, NULL, "space: print every point", 0},
	    {"nodes", CLI_TEXT, &o.nodes, "N", "space: so many process nodes after 14 nm (before: negative)", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the results there as JSON", 0},
	    {0},
	};
	struct cli_words words;
	enum cli_parse parsed = cli_options_parse(&about, options, argc, argv, &words);
	const char *verb = parsed == CLI_PARSED && words.words->len ? words.words->pdata[0] : "";
	int exit_status = parsed == CLI_PARSE_HELP ? CLI_OK : CLI_USAGE;

	if (parsed == CLI_PARSED && is_sound(&o, verb, &words))
		exit_status = *verb == 's' ? space(&o) : csp(&o, *verb == 'r', words.words->pdata[1]);
	g_ptr_array_free(words.words, TRUE);
	g_ptr_array_free(o.sets, TRUE);
	g_ptr_array_free(o.defines, TRUE);
	return exit_status;
}
