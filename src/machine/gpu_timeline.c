/* gpu_timeline.c - what a GPU was asked to keep for timelines, as columns of numbers. */
#include "machine/gpu_timeline.h"

#include <glib.h>

#include "gpu/gpu.h"
#include "machine/over_time.h"
#include "machine/parts.h"

static json_t *spans_json(const struct gpu *gpu)
{
	static const char *const names[] = {
	    [GPU_SPANS_CTAS] = "ctas", [GPU_SPANS_BLOCKS] = "blocks", [GPU_SPANS_PAUSES] = "pauses"};
	json_t *o = json_object();

	for (uint32_t kind = 0; gpu && kind < GPU_SPANS_COUNT; kind++) {
		const struct sim_span *items;
		const uint32_t count = gpu_spans_of(gpu, (enum gpu_spans)kind, &items);

		json_object_set_new(o, names[kind], machine_spans_json(items, count));
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

/* Columns; null: none were kept. */
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

	json_object_set_new(o, "samples", machine_samples_json(gpu ? gpu_sampler_of(gpu) : NULL));
	json_object_set_new(o, "spans", machine_gpu_config(config)->gpu.span_count ? spans_json(gpu) : json_null());
	json_object_set_new(o, "dram_commands", dram_commands_json(gpu));
}
