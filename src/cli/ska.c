/* ska.c - strata ska: what telescopes ask of their computers. */
#include "cli/command.h"

#include "cli/keep.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/provenance.h"
#include "machine/json.h"
#include "machine/tables.h"
#include "ska/innovation.h"
#include "ska/model.h"

#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "ska",
    .usage = "strata ska [NAME|FILE.yaml ...] [--set K=V] [--show STEP] [--json FILE]",
    .summary = "Computes what radio telescopes need: operations and data per second of each step, and, for a device\n"
	       "(--set device.peak_gops=N --set device.gops_per_w=N), nodes and power. Without names: the four\n"
	       "telescopes of the PhD thesis, ska-low, ska-mid, ska-survey and ska1-low.",
    .examples = "  strata ska\n"
	"  strata ska ska-low --show all\n"
	"  strata ska --set device.peak_gops=10000 --set device.gops_per_w=50",
};

static const char *const telescopes[] = {"ska-low", "ska-mid", "ska-survey", "ska1-low", NULL};

struct ska_options {
	const char *json, *show;
	GPtrArray *sets;
	bool is_innovation;
};

/* A value with the prefix that leaves one to three digits before the point. */
static const char *scaled(double value, const char *unit, char *buf, size_t bytes)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z"};
	uint32_t i = 0;

	for (; value >= 999.95 && i + 1 < G_N_ELEMENTS(prefixes); i++)
		value /= 1000;
	g_snprintf(buf, bytes, "%.*f %s%s", value < 10 ? 2 : value < 100 ? 1 : 0, value, prefixes[i], unit);
	return buf;
}

static void print_terms(const struct ska_step *s)
{
	char text[64];

	printf("    %s\n", s->equation);
	for (uint32_t i = 0; i < s->term_count; i++)
		printf("      %-32s = %.10g %s\n", s->terms[i].symbol, s->terms[i].value, s->terms[i].unit);
	printf("      %-32s = %.10g ops/s (%s)\n", s->name, s->ops_per_s,
	       scaled(s->ops_per_s, "ops/s", text, sizeof(text)));
}

static void print_rates(const struct ska_result *r)
{
	const struct {
		const char *name, *unit;
		double value;
	} rows[] = {
	    {"out of the antennas", "B/s", r->rates.antennas},
	    {"out of stations or dishes", "B/s", r->rates.stations},
	    {"out of the correlator", "B/s", r->rates.visibilities},
	    {"into the imaging", "B/s", r->rates.imaging_in},
	    {"images", "B/s", r->rates.images},
	    {"visibility buffers", "B", r->rates.visibility_buffer_bytes},
	    {"correlator's input buffers", "B", r->rates.correlator_buffer_bytes},
	};
	char text[64];

	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++)
		printf("  %-30s %12s\n", rows[i].name, scaled(rows[i].value, rows[i].unit, text, sizeof(text)));
}

static void print_telescope(const struct ska_telescope *t, const struct ska_result *r, const char *show)
{
	char ops[64], power[64];

	printf("%s: %s\n", t->about.name, t->about.summary);
	printf("  %-8s %-22s %14s %12s %12s\n", "", "step", "operations", r->nodes > 0 ? "nodes" : "",
	       r->power_w > 0 ? "power" : "");
	for (uint32_t i = 0; i <= r->step_count; i++) {
		const bool is_sum = i == r->step_count;
		const struct ska_step *s = is_sum ? NULL : &r->steps[i];
		const double nodes = is_sum ? r->nodes : s->nodes, power_w = is_sum ? r->power_w : s->power_w;

		printf("  %-8s %-22s %14s", is_sum ? "" : s->subsystem, is_sum ? "all" : s->name,
		       scaled(is_sum ? r->ops_per_s : s->ops_per_s, "ops/s", ops, sizeof(ops)));
		if (nodes > 0)
			printf(" %12.0f", nodes);
		if (power_w > 0)
			printf(" %12s", scaled(power_w, "W", power, sizeof(power)));
		putchar('\n');
		if (!is_sum && show && (!strcmp(show, "all") || !strcmp(show, s->name)))
			print_terms(s);
	}
	print_rates(r);
}

static json_t *step_json(const struct ska_step *s)
{
	json_t *o = json_object(), *terms = json_array();

	put_text(o, "subsystem", s->subsystem);
	put_text(o, "step", s->name);
	put_text(o, "equation", s->equation);
	put_real(o, "ops_per_s", s->ops_per_s);
	json_object_set_new(o, "nodes", s->nodes > 0 ? json_real(s->nodes) : json_null());
	json_object_set_new(o, "power_w", s->power_w > 0 ? json_real(s->power_w) : json_null());
	for (uint32_t i = 0; i < s->term_count; i++) {
		json_t *x = json_object();

		put_text(x, "symbol", s->terms[i].symbol);
		put_real(x, "value", s->terms[i].value);
		put_text(x, "unit", s->terms[i].unit);
		json_array_append_new(terms, x);
	}
	json_object_set_new(o, "intermediates", terms);
	return o;
}

static json_t *telescope_json(struct ska_telescope *t, const struct ska_result *r)
{
	json_t *o = json_object(), *steps = json_array(), *rates = json_object(), *units = json_object();
	struct sim_param_groups groups;

	ska_telescope_groups(t, &groups);
	put_text(o, "telescope", t->about.name);
	put_text(o, "summary", t->about.summary);
	for (uint32_t i = 0; i < r->step_count; i++)
		json_array_append_new(steps, step_json(&r->steps[i]));
	json_object_set_new(o, "steps", steps);
	put_real(o, "ops_per_s", r->ops_per_s);
	json_object_set_new(o, "nodes", r->nodes > 0 ? json_real(r->nodes) : json_null());
	json_object_set_new(o, "power_w", r->power_w > 0 ? json_real(r->power_w) : json_null());
	put_real(o, "dump_s", r->dump_s);
	put_real(o, "baselines", r->baselines);
	put_real(rates, "antennas", r->rates.antennas);
	put_real(rates, "stations", r->rates.stations);
	put_real(rates, "visibilities", r->rates.visibilities);
	put_real(rates, "imaging_in", r->rates.imaging_in);
	put_real(rates, "images", r->rates.images);
	json_object_set_new(o, "bytes_per_s", rates);
	put_real(o, "visibility_buffer_bytes", r->rates.visibility_buffer_bytes);
	put_real(o, "correlator_buffer_bytes", r->rates.correlator_buffer_bytes);
	json_object_set_new(o, "params", machine_params_json(&groups, units));
	json_object_set_new(o, "units", units);
	cli_provenance_put(o);
	return o;
}

/* "strata ska --show NAME" of a step that no telescope has. */
static bool is_step_known(const struct ska_options *o, const struct ska_result *results, uint32_t count)
{
	const char *names[SKA_STEPS_MAX + 2]; /* with "all" and the end */
	const struct ska_result *r = &results[0];
	uint32_t n = 0;

	if (!o->show || !strcmp(o->show, "all"))
		return true;
	for (uint32_t i = 0; i < count; i++) {
		if (ska_step_find(&results[i], o->show))
			return true;
		if (results[i].step_count > r->step_count)
			r = &results[i];
	}
	for (; n < r->step_count; n++)
		names[n] = r->steps[n].name;
	names[n++] = "all";

	const char *nearest = base_nearest_name(o->show, names, n);
	g_autofree char *all = NULL;

	names[n] = NULL;
	all = g_strjoinv(", ", (char **)names);
	if (nearest)
		cli_error("ska: no step '%s'; did you mean '%s'?", o->show, nearest);
	else
		cli_error("ska: no step '%s'; steps are %s", o->show, all);
	return false;
}

static bool load(const char *name, const struct sim_search *search, const struct ska_options *o,
		 struct ska_telescope *t, struct base_diag_list *diag)
{
	if (!ska_telescope_load(name, search, t, diag))
		return false;
	for (uint32_t i = 0; i < o->sets->len; i++)
		if (!ska_telescope_set(t, o->sets->pdata[i], "--set", diag))
			return false;
	return ska_telescope_check(t, diag);
}

static int print_all(const struct ska_options *o, struct ska_telescope *items, const struct ska_result *results,
		     uint32_t count)
{
	json_t *array = json_array();
	int exit_status = CLI_OK;

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, telescope_json(&items[i], &results[i]));
	if (!cli_json_keep(o->json, array))
		exit_status = CLI_UNABLE;
	json_decref(array);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		print_telescope(&items[i], &results[i], o->show);
	}
	return exit_status;
}

static int print_innovation(const struct cli_paths *paths)
{
	g_autofree char *path = g_build_filename(paths->papers, "ska", "top500.csv", NULL);
	struct base_diag_list diag;
	struct ska_systems s;
	int exit_status = CLI_USAGE;

	base_diag_init(&diag);
	if (ska_systems_read(path, &s, &diag)) {
		exit_status = CLI_OK;
		printf("%-20s %-8s %-7s %10s %10s %12s %11s %11s\n", "system", "date", "kind", "TFLOPS", "kW",
		       "performance", "efficiency", "innovation");
		for (uint32_t i = 0; i < s.count; i++) {
			const struct ska_system *x = &s.items[i];

			printf("%-20s %-8s %-7s %10.1f %10.1f", x->name, x->date,
			       x->kind == SKA_CUSTOM ? "custom" : x->kind == SKA_COTS ? "cots" : "", x->tflops,
			       x->kilowatts);
			if (i)
				printf(" %12.2f %11.2f %11.2f", x->performance, x->efficiency, x->innovation);
			putchar('\n');
		}
		printf("mean of custom systems %.2f, of commercial parts %.2f\n",
		       ska_innovation_mean(&s, SKA_CUSTOM, NULL), ska_innovation_mean(&s, SKA_COTS, NULL));
		printf("until " SKA_KNOWN_UNTIL ", which chapter 2 could know: %.2f and %.2f\n",
		       ska_innovation_mean(&s, SKA_CUSTOM, SKA_KNOWN_UNTIL),
		       ska_innovation_mean(&s, SKA_COTS, SKA_KNOWN_UNTIL));
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return exit_status;
}

static int ska(const struct cli_paths *paths, const struct ska_options *o, const char *const *names, uint32_t count)
{
	g_autofree char *dir = g_build_filename(paths->papers, "ska", "telescopes", NULL);
	const char *const dirs[] = {dir};
	const struct sim_search search = {dirs, 1};
	struct ska_telescope *items = g_new0(struct ska_telescope, count);
	struct ska_result *results = g_new0(struct ska_result, count);
	struct base_diag_list diag;
	bool is_ok = true;
	int exit_status = CLI_USAGE;

	base_diag_init(&diag);
	for (uint32_t i = 0; i < count && is_ok; i++) {
		is_ok = load(names[i], &search, o, &items[i], &diag);
		if (is_ok)
			ska_model(&items[i], &results[i]);
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	if (is_ok && is_step_known(o, results, count))
		exit_status = print_all(o, items, results, count);
	g_free(items);
	g_free(results);
	return exit_status;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	const struct ska_options *o = ctx;
	const uint32_t given = words->words->len;

	if (words->program) {
		cli_error("ska: unexpected '--'; see `strata ska --help`");
		return CLI_USAGE;
	}
	if (o->is_innovation && (given || o->json || o->show || o->sets->len)) {
		cli_error("ska: --innovation takes no telescope and no other option");
		return CLI_USAGE;
	}
	if (!cli_output_check(about.name, "json", o->json))
		return CLI_USAGE;
	return o->is_innovation ? print_innovation(paths)
	       : given          ? ska(paths, o, (const char *const *)words->words->pdata, given)
				: ska(paths, o, telescopes, G_N_ELEMENTS(telescopes) - 1);
}

int cli_ska(int argc, char **argv)
{
	struct ska_options o = {0};
	const struct cli_option options[] = {
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter of all telescopes", 0},
	    {"show", CLI_TEXT, &o.show, "STEP", "print the equation and every intermediate of a step, or of all", 0},
	    {"innovation", CLI_FLAG, &o.is_innovation, NULL,
	     "instead: equation (1.1) over the fastest supercomputers since 2007", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all numbers there as a JSON array", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
