/* over_time.c - see over_time.h. */
#include "machine/over_time.h"

#include "base/check.h"

static json_t *numbers_json(const uint64_t *values, uint32_t count)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(out, json_integer((json_int_t)values[i]));
	return out;
}

static json_t *gauges_json(const struct sim_sampler *s, uint32_t rows)
{
	json_t *out = json_object();
	const uint32_t *values;
	const char *name;

	for (uint32_t i = 0; (values = sim_sampler_gauge(s, i, &name)); i++) {
		json_t *list = json_array();

		for (uint32_t row = 0; row < rows; row++)
			json_array_append_new(list, json_integer(values[row]));
		json_object_set_new(out, name, list);
	}
	return out;
}

/* Of all parts, row by row. */
static json_t *sums_json(const json_t *parts, uint32_t rows)
{
	json_t *out = json_array(), *part;
	size_t i;

	for (uint32_t row = 0; row < rows; row++) {
		json_int_t sum = 0;

		json_array_foreach(parts, i, part)
			sum += json_integer_value(json_array_get(part, row));
		json_array_append_new(out, json_integer(sum));
	}
	return out;
}

static void put_counts(json_t *o, const struct sim_sampler *s, uint32_t rows)
{
	json_t *counters = json_object(), *parts = json_object();
	struct sim_sampled c;

	for (uint32_t i = 0; sim_sampler_count(s, i, 0, &c); i++) {
		json_t *values = json_array();

		for (uint32_t part = 0; part < c.part_count; part++) {
			sim_sampler_count(s, i, part, &c);
			json_array_append_new(values, numbers_json(c.rows, rows));
		}
		json_object_set_new(counters, c.name, sums_json(values, rows));
		if (c.part_count > 1)
			json_object_set_new(parts, c.name, json_pack("{s:s, s:O}", "part", c.part, "values", values));
		json_decref(values);
	}
	json_object_set_new(o, "counters", counters);
	json_object_set_new(o, "parts", parts);
}

json_t *machine_samples_json(const struct sim_sampler *s)
{
	const uint64_t *start_ps, *end_ps;
	uint32_t rows;
	json_t *o;

	if (!s)
		return json_null();
	o = json_object();
	rows = sim_sampler_rows(s, &start_ps, &end_ps);
	json_object_set_new(o, "start_ps", numbers_json(start_ps, rows));
	json_object_set_new(o, "end_ps", numbers_json(end_ps, rows));
	json_object_set_new(o, "gauges", gauges_json(s, rows));
	put_counts(o, s, rows);
	return o;
}

json_t *machine_spans_json(const struct sim_span *items, uint32_t count)
{
	json_t *track = json_array(), *name = json_array(), *start = json_array(), *end = json_array(),
	       *counts = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const bool is_one = items[i].name != SIM_SPAN_SEVERAL;

		json_array_append_new(track, json_integer(items[i].track));
		json_array_append_new(name, is_one ? json_integer((json_int_t)items[i].name) : json_null());
		json_array_append_new(start, json_integer((json_int_t)items[i].start_ps));
		json_array_append_new(end, json_integer((json_int_t)items[i].end_ps));
		json_array_append_new(counts, json_integer(items[i].count));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "track", track, "name", name, "start_ps", start, "end_ps", end,
			 "count", counts);
}

static json_t *command_names_json(void)
{
	json_t *out = json_array();

	for (uint32_t c = 0; c < DRAM_COMMAND_COUNT; c++)
		json_array_append_new(out, json_string(dram_command_name((enum dram_command)c)));
	return out;
}

json_t *machine_commands_json(const struct mem_command_log *log)
{
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

void machine_over_time_refuse(const char *group, const char *lacks, const struct machine_over_time *set,
			      struct base_diag_list *diag)
{
	const struct {
		const char *name;
		uint64_t value;
	} keys[] = {{"sample_ps", set->sample_ps}, {"span_count", set->span_count}, {"dram_log_ps", set->dram_log_ps}};

	for (uint32_t i = 0; i < ARRAY_COUNT(keys); i++)
		if (keys[i].value)
			base_diag_error(diag, (struct base_place){0}, "%s.%s: the machine has no %s", group,
					keys[i].name, lacks);
}
