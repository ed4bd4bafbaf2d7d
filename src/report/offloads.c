/* offloads.c - the summary's lines about blocks: how many left the GPU, why the others stayed, and what became of the
 * learned mapping. */
#include "report/offloads.h"

#include "report/report.h"

#include <glib.h>

static const double ps_per_us = 1e6;

/* Why instances stayed; all of them and the offloaded ones are all instances. */
static const struct {
	const char *key, *why;
} reasons[] = {
    {"tom.condition_false_count", "condition false"}, {"tom.learning_count", "mapping being learned"},
    {"tom.full_count", "stack SM full"},	      {"tom.tx_busy_count", "TX busy"},
    {"tom.rx_busy_count", "RX busy"},		      {"tom.alu_full_count", "stack SM's arithmetic full"},
    {"tom.no_access_count", "no access to memory"},   {"tom.no_room_count", "no room for the metadata table"},
};

static double stat_of(const json_t *run, const char *key)
{
	return report_number(run, "stats", key);
}

static void print_instances(FILE *out, const json_t *run)
{
	const double instances = stat_of(run, "tom.instance_count"), offloaded = stat_of(run, "tom.offloaded_count");
	const char *separator = "; stayed: ";
	double stayed = 0;

	if (instances <= 0)
		return;
	fprintf(out, "  offloaded      %.0f of %.0f instances of blocks (%.1f %%)", offloaded, instances,
		100 * offloaded / instances);
	for (uint32_t i = 0; i < G_N_ELEMENTS(reasons); i++)
		stayed += stat_of(run, reasons[i].key);
	/* tom-ideal may let a block wait for a full stack SM: it is then counted there and leaves. */
	for (uint32_t i = 0; i < G_N_ELEMENTS(reasons) && offloaded + stayed == instances; i++) {
		if (stat_of(run, reasons[i].key) <= 0)
			continue;
		fprintf(out, "%s%.0f %s", separator, stat_of(run, reasons[i].key), reasons[i].why);
		separator = ", ";
	}
	fputc('\n', out);
}

/* Whether a stack's SM is full is asked in bursts: how full it is in the mean is another matter. */
static void print_places(FILE *out, const json_t *run)
{
	const double held_ps = stat_of(run, "gpu.offload_place_ps"), time_ps = report_number(run, "time_ps", NULL);
	const double places = report_number(run, "params", "gpu.stack_count") *
			      report_number(run, "params", "gpu.stack_sm_count") *
			      report_number(run, "params", "gpu.stack_sm_warp_slot_count");

	if (held_ps > 0 && time_ps > 0)
		fprintf(out, "  places         %.1f of %.0f warp slots of stack SMs held, mean of kernels' time\n",
			held_ps / time_ps, places);
}

static void print_mapping(FILE *out, const json_t *run)
{
	const char *mapping = json_string_value(json_object_get(json_object_get(run, "params"), "ndp.tom_mapping"));
	const double us = stat_of(run, "mapping.learning_ps") / ps_per_us;
	const double instances = stat_of(run, "mapping.learned_instances");

	if (g_strcmp0(mapping, "learned"))
		return;
	fprintf(out, "  mapping        ");
	if (instances > 0)
		fprintf(out, "learned after %.3f us of kernels from %.0f instances\n", us, instances);
	else if (stat_of(run, "gpu.pauses") > 0)
		fprintf(out,
			"not learned: no instance in %.3f us of kernels (ndp.tom_learn_bound_ps); data lies as "
			"gpu.address_map says\n",
			us);
	else if (us > 0)
		fprintf(out,
			"not learned: all data was in the host's memory to the end, %.3f us of kernels, which had "
			"too few instances (ndp.tom_learn_min_count) and too little time (ndp.tom_learn_bound_ps)\n",
			us);
	else
		fprintf(out, "nothing to learn from: no kernel has a block that could leave\n");
}

void report_offloads_print(FILE *out, const json_t *run)
{
	print_instances(out, run);
	print_places(out, run);
	print_mapping(out, run);
}
