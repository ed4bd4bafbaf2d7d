/* gpu_timeline.c - what a GPU was asked to keep for timelines, as columns of numbers. */
#include "machine/gpu_timeline.h"

#include <glib.h>

#include "gpu/gpu.h"
#include "machine/parts.h"

static json_t *numbers_json(const uint64_t *values, uint32_t count)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(out, json_integer((json_int_t)values[i]));
	return out;
}

/* NULL: nothing was sampled. */
static json_t *samples_json(const struct gpu *gpu)
{
	struct gpu_samples samples;
	json_t *o, *gauges, *counters;

	if (!gpu || !gpu_samples_of(gpu, &samples))
		return json_null();
	o = json_object();
	gauges = json_object();
	counters = json_object();
	json_object_set_new(o, "start_ps", numbers_json(samples.start_ps, samples.count));
	json_object_set_new(o, "end_ps", numbers_json(samples.end_ps, samples.count));
	for (uint32_t g = 0; g < samples.gauge_count; g++) {
		json_t *values = json_array();

		for (uint32_t i = 0; i < samples.count; i++)
			json_array_append_new(values, json_integer(samples.gauges[g][i]));
		json_object_set_new(gauges, samples.gauge_names[g], values);
	}
	json_object_set_new(o, "gauges", gauges);
	for (uint32_t i = 0; i < samples.counter_count; i++)
		json_object_set_new(counters, samples.names[i], numbers_json(samples.counters[i], samples.count));
	json_object_set_new(o, "counters", counters);
	return o;
}

/* Columns, one item each per entry. NULL: nothing was kept. */
static json_t *spans_json(const struct gpu *gpu)
{
	static const char *const names[] = {
	    [GPU_SPANS_CTAS] = "ctas", [GPU_SPANS_BLOCKS] = "blocks", [GPU_SPANS_PAUSES] = "pauses"};
	json_t *o = json_object();

	for (uint32_t kind = 0; gpu && kind < GPU_SPANS_COUNT; kind++) {
		const struct sim_span *items;
		const uint32_t count = gpu_spans_of(gpu, (enum gpu_spans)kind, &items);
		json_t *track = json_array(), *name = json_array(), *start = json_array(), *end = json_array(),
		       *counts = json_array();

		for (uint32_t i = 0; i < count; i++) {
			const bool is_one = items[i].name != SIM_SPAN_SEVERAL;

			json_array_append_new(track, json_integer(items[i].track));
			json_array_append_new(name,
					      is_one ? json_integer((json_int_t)items[i].name) : json_null());
			json_array_append_new(start, json_integer((json_int_t)items[i].start_ps));
			json_array_append_new(end, json_integer((json_int_t)items[i].end_ps));
			json_array_append_new(counts, json_integer(items[i].count));
		}
		json_object_set_new(o, names[kind],
				    json_pack("{s:o, s:o, s:o, s:o, s:o}", "track", track, "name", name, "start_ps",
					      start, "end_ps", end, "count", counts));
	}
	return o;
}

static json_t *command_names_json(void)
{
	json_t *out = json_array();

	for (uint32_t c = 0; c < DRAM_COMMAND_COUNT; c++)
		json_array_append_new(out, json_string(dram_command_name((enum dram_command)c)));
	return out;
}

/* Columns as above; null: none were kept. */
static json_t *dram_commands_json(const struct gpu *gpu)
{
	const struct mem_command_log *log = gpu ? gpu_command_log(gpu) : NULL;
	json_t *at = json_array(), *command = json_array(), *stack = json_array(), *vault = json_array(),
	       *bank = json_array(), *row = json_array(), *o;

	for (uint32_t i = 0; log && i < log->count; i++) {
		const struct mem_command *c = &log->items[i];

		json_array_append_new(at, json_integer((json_int_t)c->at_ps));
		json_array_append_new(command, json_integer(c->command));
		json_array_append_new(stack, json_integer(c->stack));
		json_array_append_new(vault, json_integer(c->vault));
		json_array_append_new(bank, json_integer(c->bank));
		json_array_append_new(row, json_integer(c->row));
	}
	o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "at_ps", at, "command", command, "stack", stack, "vault",
		      vault, "bank", bank, "row", row, "names", command_names_json());
	if (!log) {
		json_decref(o);
		return json_null();
	}
	json_object_set_new(o, "from_ps", json_integer((json_int_t)log->from_ps));
	json_object_set_new(o, "to_ps", json_integer((json_int_t)log->to_ps));
	json_object_set_new(o, "left_out_count", json_integer((json_int_t)log->left_out_count));
	json_object_set_new(o, "clock_ps", json_integer((json_int_t)log->clock_ps));
	return o;
}

void machine_gpu_timeline(const struct machine_config *config, const struct machine *m, json_t *o)
{
	const struct gpu *gpu = machine_gpu(m);

	json_object_set_new(o, "samples", samples_json(gpu));
	json_object_set_new(o, "spans", machine_gpu_config(config)->gpu.span_count ? spans_json(gpu) : json_null());
	json_object_set_new(o, "dram_commands", dram_commands_json(gpu));
}
