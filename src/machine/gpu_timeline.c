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

void machine_gpu_timeline(const struct machine_config *config, const struct machine *m, json_t *o)
{
	const struct gpu *gpu = machine_gpu(m);

	json_object_set_new(o, "samples", machine_samples_json(gpu ? gpu_sampler_of(gpu) : NULL));
	json_object_set_new(o, "spans", machine_gpu_config(config)->gpu.span_count ? spans_json(gpu) : json_null());
	json_object_set_new(o, "dram_commands", machine_commands_json(gpu ? gpu_command_log(gpu) : NULL));
}
