/* list.c - strata list: what is declared, as text or JSON. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/families.h"
#include "cli/list_tables.h"
#include "cli/options.h"
#include "cli/workloads.h"
#include "machine/cpu.h"
#include "machine/parts.h"
#include "memory/measure.h"
#include "ndp/registry.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define STORAGE_MACHINE "tom-ctrl-bmap" /* whose mechanism's storage, where none is given */

static const struct cli_about about = {
    .name = "list",
    .usage = "strata list params|stats|energy|machines|memories|memory-params|workloads|families|\n"
	     "            mechanisms|storage [PATTERN] [--machine M] [--part P,...] [--json]",
    .summary = "Prints what is declared: every parameter that --set and machine files take, every statistic that a\n"
	       "run counts and every row of its energy, part by part; the machines, memories, workloads, families of\n"
	       "workloads (for strata bench) and near-data mechanisms by name; every parameter of memories and of\n"
	       "streams (for strata mem); and what a machine's mechanism stores. PATTERN: only names that match it,\n"
	       "with * and ? as in a shell.",
    .examples = "  strata list machines\n"
	"  strata list params 'l2.*'\n"
	"  strata list params --json\n"
	"  strata list storage --machine tom-ctrl-tmap",
};

static void put(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

/* What `strata mem --set` and the files of memories take. */
static bool list_memory_params(const struct cli_list_request *request, json_t *list)
{
	struct memory_standard memory;
	struct memory_stream_params stream;
	struct sim_param_groups groups;

	(void)request;
	memory_standard_defaults(&memory);
	memory_standard_groups(&memory, &groups);
	sim_param_groups_add(&groups, "stream", memory_stream_param_rows, memory_stream_param_row_count, &stream);
	sim_param_defaults(&groups.items[groups.count - 1]);
	cli_list_groups(list, NULL, &groups);
	return true;
}

static bool list_machines(const struct cli_list_request *request, json_t *list)
{
	g_auto(GStrv) names = sim_description_names(&request->paths->machines);
	bool is_ok = true;

	for (char **name = names; *name; name++) {
		struct base_diag_list diag;
		struct machine_description d;
		json_t *o = json_object();

		base_diag_init(&diag);
		if (!machine_description_load(*name, &request->paths->machines, &request->paths->memories, &d, &diag)) {
			cli_diag_print(&diag);
			is_ok = false;
		}
		put(o, "name", *name);
		put(o, "summary", d.about.summary);
		json_array_append_new(list, o);
		base_diag_free(&diag);
	}
	return is_ok;
}

static bool list_memories(const struct cli_list_request *request, json_t *list)
{
	const double giga = 1e9;
	g_auto(GStrv) names = sim_description_names(&request->paths->memories);
	bool is_ok = true;

	for (char **name = names; *name; name++) {
		struct base_diag_list diag;
		struct memory_standard m;
		json_t *o = json_object();

		base_diag_init(&diag);
		if (!memory_standard_load(*name, &request->paths->memories, &m, &diag)) {
			cli_diag_print(&diag);
			is_ok = false;
		}
		put(o, "name", *name);
		put(o, "summary", m.about.summary);
		json_object_set_new(o, "peak_gbytes_per_s",
				    json_real(memory_measure_peak_bytes_per_s(&m, 1) / giga));
		json_array_append_new(list, o);
		base_diag_free(&diag);
	}
	return is_ok;
}

static bool list_storage(const struct cli_list_request *request, json_t *list)
{
	struct machine_description d;
	struct ndp_storage items[NDP_STORAGE_MAX];
	uint32_t count = 0;

	if (!cli_list_machine(request, STORAGE_MACHINE, &d))
		return false;
	if (machine_config_has_gpu(&d.config)) {
		const struct ndp_site site = machine_ndp_site(&d.config);

		count = ndp_mechanism_storage(&site, items);
	}
	for (uint32_t i = 0; i < count; i++) {
		json_t *o = json_object();

		put(o, "name", items[i].what);
		json_object_set_new(o, "bits", json_integer((json_int_t)items[i].bits));
		json_object_set_new(o, "count", json_integer((json_int_t)items[i].count));
		put(o, "of", items[i].of);
		put(o, "source", items[i].source);
		json_array_append_new(list, o);
	}
	return true;
}

static const char *runs_of(const struct cli_workload *w)
{
	if (w->part)
		return w->part->runs;
	return w->is_of_threads ? MACHINE_RUNS_THREADS : MACHINE_RUNS_KERNELS;
}

static const char *kind_of(const struct cli_workload *w)
{
	if (w->part)
		return w->part->name;
	return w->is_of_threads ? "threads" : w->is_openacc ? "openacc" : "cuda";
}

/* All, or those that the given machine can run. */
static bool list_workloads(const struct cli_list_request *request, json_t *list)
{
	GPtrArray *workloads;
	struct machine_description d;
	const struct machine_part *runner;
	bool is_ok;

	if (!cli_list_machine(request, NULL, &d))
		return false;
	runner = request->machine ? machine_config_runner(&d.config) : NULL;
	workloads = cli_workloads_read(request->paths);
	for (uint32_t i = 0; i < workloads->len; i++) {
		const struct cli_workload *w = workloads->pdata[i];
		json_t *o;

		if (request->machine && (!runner || strcmp(runner->runs, runs_of(w)) != 0))
			continue;
		o = json_object();
		put(o, "name", w->name);
		put(o, "summary", w->summary);
		put(o, "source", w->source);
		put(o, "program", w->program);
		put(o, "kind", kind_of(w));
		if (cli_workload_absent(request->paths, w))
			put(o, "not_built", cli_workload_absent(request->paths, w));
		json_array_append_new(list, o);
	}
	if (!workloads->len)
		cli_error("no workloads: %s is missing", request->paths->workload_list);
	is_ok = workloads->len;
	cli_workloads_free(workloads);
	return is_ok;
}

/* A family has a row, and each of its forms another one in it. */
static bool list_families(const struct cli_list_request *request, json_t *list)
{
	struct cli_families families;
	const bool is_ok = cli_families_read(request->paths, &families);
	json_t *o = NULL;

	for (uint32_t i = 0; is_ok && i < families.forms->len; i++) {
		const struct cli_family_form *f = families.forms->pdata[i];

		if (!o || strcmp(json_string_value(json_object_get(o, "name")), f->family) != 0) {
			o = json_pack("{s:s, s:s, s:[]}", "name", f->family, "summary", f->program->summary, "forms");
			json_array_append_new(list, o);
		}
		json_array_append_new(json_object_get(o, "forms"),
				      json_pack("{s:s, s:s, s:s, s:s, s:s?}", "form", f->form, "workload", f->workload,
						"small", f->arguments[0], "paper", f->arguments[1], "levels",
						f->levels));
	}
	cli_families_free(&families);
	return is_ok;
}

static bool list_mechanisms(const struct cli_list_request *request, json_t *list)
{
	const char *name;

	(void)request;
	for (uint32_t i = 0; (name = ndp_mechanism_name(i)); i++) {
		json_t *o = json_object();

		put(o, "name", name);
		json_array_append_new(list, o);
	}
	return true;
}

static const struct listing {
	const char *name;
	bool (*list)(const struct cli_list_request *request, json_t *out);
	bool is_of_machine, is_of_parts; /* --machine, and --part, say of which */
} listings[] = {
    {"params", cli_list_params, true, true},
    {"stats", cli_list_stats, true, true},
    {"energy", cli_list_energy, true, true},
    {"machines", list_machines, false, false},
    {"memories", list_memories, false, false},
    {"memory-params", list_memory_params, false, false},
    {"workloads", list_workloads, true, false},
    {"families", list_families, false, false},
    {"mechanisms", list_mechanisms, false, false},
    {"storage", list_storage, true, false},
};

static void print_range(const json_t *o)
{
	const char *choices = json_string_value(json_object_get(o, "choices"));

	if (choices)
		printf(" (%s)", choices);
	else if (json_object_get(o, "min"))
		printf(" (%.15g to %.15g)", json_number_value(json_object_get(o, "min")),
		       json_number_value(json_object_get(o, "max")));
}

/* " [cuda hotspot, openmp hotspot-omp]" */
static void print_forms(const json_t *forms)
{
	size_t i;
	json_t *form;

	json_array_foreach((json_t *)(uintptr_t)forms, i, form)
		printf("%s%s %s%s", i ? ", " : " [", json_string_value(json_object_get(form, "form")),
		       json_string_value(json_object_get(form, "workload")), i + 1 < json_array_size(forms) ? "" : "]");
}

/* name, then what there is: default and range, unit, doc, peak, source. */
static void print_text(const json_t *list)
{
	size_t i;
	json_t *o;

	json_array_foreach(list, i, o) {
		const char *value = json_string_value(json_object_get(o, "default"));
		const char *unit = json_string_value(json_object_get(o, "unit"));
		const char *doc = json_string_value(json_object_get(o, json_object_get(o, "doc") ? "doc" : "summary"));
		const char *source = json_string_value(json_object_get(o, "source"));

		printf("%s", json_string_value(json_object_get(o, "name")));
		if (value)
			printf(" = %s", value);
		if (unit && *unit)
			printf(" %s", unit);
		if (json_object_get(o, "bits"))
			printf(": %lld bits, in %lld %s%s", json_integer_value(json_object_get(o, "bits")),
			       json_integer_value(json_object_get(o, "count")),
			       json_string_value(json_object_get(o, "of")),
			       json_integer_value(json_object_get(o, "count")) == 1 ? "" : "s");
		print_range(o);
		if (doc && *doc)
			printf(": %s", doc);
		if (json_object_get(o, "read_with"))
			printf("; read with %s", json_string_value(json_object_get(o, "read_with")));
		if (json_object_get(o, "peak_gbytes_per_s"))
			printf("; peak %.1f GB/s", json_number_value(json_object_get(o, "peak_gbytes_per_s")));
		if (source && *source)
			printf(" [%s]", source);
		print_forms(json_object_get(o, "forms"));
		if (json_object_get(o, "not_built"))
			printf(" (not built: %s)", json_string_value(json_object_get(o, "not_built")));
		putchar('\n');
	}
}

static const struct listing *find_listing(const char *name)
{
	const char *names[ARRAY_COUNT(listings)];

	for (uint32_t i = 0; i < ARRAY_COUNT(listings); i++) {
		names[i] = listings[i].name;
		if (!strcmp(listings[i].name, name))
			return &listings[i];
	}

	const char *nearest = base_nearest_name(name, names, ARRAY_COUNT(names));

	if (nearest)
		cli_error("list: nothing called '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("list: nothing called '%s'; expected params, stats, energy, machines, memories, "
			  "memory-params, workloads, families, mechanisms or storage",
			  name);
	return NULL;
}

/* False after a message: there is none. */
static bool keep_matching(json_t *list, const char *pattern)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *name = json_object_get(json_array_get(list, i), "name");

		if (!g_pattern_match_simple(pattern, json_string_value(name)))
			json_array_remove(list, i);
	}
	if (!json_array_size(list))
		cli_error("list: no name matches '%s'", pattern);
	return json_array_size(list);
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct cli_list_request *request = ctx;

	if (words->words->len < 1 || words->words->len > 2 || words->program) {
		cli_error("list: expected one of params, stats, energy, machines, memories, memory-params, workloads, "
			  "mechanisms, storage, and at most one pattern of names");
		return CLI_USAGE;
	}

	const struct listing *listing = find_listing(words->words->pdata[0]);

	if (!listing)
		return CLI_USAGE;
	if (request->machine && !listing->is_of_machine) {
		cli_error("list: --machine goes with params, stats, energy, storage and workloads only");
		return CLI_USAGE;
	}
	if (request->parts && !listing->is_of_parts) {
		cli_error("list: --part goes with params, stats and energy only");
		return CLI_USAGE;
	}
	request->paths = paths;

	json_t *list = json_array();
	bool is_ok = listing->list(request, list);

	if (words->words->len > 1)
		is_ok = keep_matching(list, words->words->pdata[1]) && is_ok;

	if (request->is_json) {
		json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		print_text(list);
	}
	json_decref(list);
	return is_ok ? CLI_OK : CLI_USAGE;
}

int cli_list(int argc, char **argv)
{
	struct cli_list_request request = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &request.machine, "M",
	     "params: whose values; stats, energy: what it counts; workloads: what it can run;\n"
	     "storage: whose mechanism (default " STORAGE_MACHINE ")",
	     0},
	    {"part", CLI_TEXT, &request.parts, "P,...", "params, stats, energy: only of these parts of machines", 0},
	    {"json", CLI_FLAG, &request.is_json, NULL, "print a JSON array of objects", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &request);
}
