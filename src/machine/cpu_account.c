/* cpu_account.c - units, lines, channels and accelerators of an account as JSON. */
#include "machine/cpu_account.h"

#include "cpu/account.h"
#include "machine/account.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/hdl.h"
#include "machine/json.h"

uint32_t machine_cpu_account_units(const struct machine_config *c)
{
	const struct channel_params *near = machine_channel_params(c);
	const uint32_t processors = cpu_unit_count(machine_cpu_params(c));

	if (!near)
		return processors;
	return processors + (uint32_t)(near->ndp_count * (near->core_count + (machine_hdl_params(c) != NULL)));
}

static json_t *parts_json(const struct cpu_account *a, uint32_t unit)
{
	uint64_t ps[CPU_PART_COUNT];

	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		ps[i] = cpu_account_ps(a, unit, (enum cpu_part)i);
	return machine_account_json(&cpu_account_parts, ps);
}

/* ---- units ---- */

static json_t *unit_json(const struct cpu_account *a, const struct machine_config *c, uint32_t unit)
{
	const struct cpu_params *p = machine_cpu_params(c);
	const uint32_t cpu_units = cpu_unit_count(p);
	const struct channel_params *near = machine_channel_params(c);
	json_t *o = json_object();

	if (unit < cpu_units) {
		put_int(o, "core", unit % p->core_count);
		put_int(o, "thread", unit / p->core_count);
	} else {
		put_int(o, "ndp", (unit - cpu_units) / near->core_count);
		put_int(o, "core", (unit - cpu_units) % near->core_count);
	}
	json_object_set_new(o, "parts", parts_json(a, unit));
	return o;
}

/* Hardware threads, and cores of NDPs where these are cores. */
static json_t *units_json(const struct cpu_account *a, const struct machine_config *c)
{
	const uint32_t count =
	    machine_hdl_params(c) ? cpu_unit_count(machine_cpu_params(c)) : machine_cpu_account_units(c);
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, unit_json(a, c, i));
	return list;
}

/* ---- lines ---- */

/* Of one function and line, what several addresses have. What is not of cores has none. */
static GPtrArray *lines_of(struct cpu_account *a, bool is_hardware)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (uint32_t i = 0; i < cpu_account_place_count(a); i++) {
		const struct cpu_account_place *p = cpu_account_place(a, i);
		struct cpu_account_place *line = NULL;

		if (p->is_near && is_hardware)
			continue;
		for (uint32_t k = 0; k < lines->len && !line; k++) {
			struct cpu_account_place *l = lines->pdata[k];

			if (l->is_near == p->is_near && l->function == p->function && l->file == p->file &&
			    l->line == p->line && !l->address == !p->address)
				line = l;
		}
		if (!line) {
			line = g_memdup2(p, sizeof(*p));
			g_ptr_array_add(lines, line);
			continue;
		}
		account_add(&cpu_account_parts, line->parts, p->parts);
		for (uint32_t k = 0; k < CPU_COUNT_COUNT; k++)
			line->counts[k] += p->counts[k];
	}
	return lines;
}

static json_t *line_json(const struct cpu_account_place *l, uint64_t per_ps, uint64_t *before)
{
	json_t *o = json_object();
	uint64_t ps[CPU_PART_COUNT];

	put_text(o, "of", l->is_near ? "ndps" : "processors");
	if (l->function && *l->function)
		put_text(o, "function", l->function);
	if (l->line) {
		put_text(o, "file", l->file);
		put_int(o, "line", l->line);
	}
	for (uint32_t k = 0; k < CPU_PART_COUNT; k++)
		ps[k] = account_rounded(l->parts[k], per_ps, before);
	for (uint32_t k = 0; l->is_near && k < CPU_COUNT_COUNT; k++)
		put_int(o, cpu_count_name((enum cpu_count)k), l->counts[k]);
	json_object_set_new(o, "parts", machine_account_json(&cpu_account_parts, ps));
	return o;
}

/* The parts of all lines add up to those of all units. */
static json_t *lines_json(struct cpu_account *a, bool is_hardware)
{
	GPtrArray *lines = lines_of(a, is_hardware);
	json_t *list = json_array();
	uint64_t before = 0;

	for (uint32_t i = 0; i < lines->len; i++) {
		json_t *line = line_json(lines->pdata[i], cpu_account_units_per_ps(a), &before);

		if (json_object_size(json_object_get(line, "parts")))
			json_array_append(list, line);
		json_decref(line);
	}
	g_ptr_array_free(lines, TRUE);
	return list;
}

/* ---- channels ---- */

static json_t *channel_parts(const struct cpu_account *a, uint32_t channel, bool is_near)
{
	uint64_t ps[CPU_PART_COUNT];

	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		ps[i] = cpu_account_channel_ps(a, channel, is_near, (enum cpu_part)i);
	return machine_account_json(&cpu_account_parts, ps);
}

/* What the units of both kinds waited for lines behind each channel. */
static json_t *channels_json(const struct cpu_account *a)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < cpu_account_channel_count(a); i++)
		json_array_append_new(list,
				      json_pack("{s:i, s:o, s:o}", "channel", (int)i, "processors",
						channel_parts(a, i, false), "ndps", channel_parts(a, i, true)));
	return list;
}

/* ---- accelerators ---- */

/* Time and counts of an accelerator's accesses, each with its own time from its asking to its answer. */
static void put_accesses(json_t *o, const struct cpu_account_place *p, uint64_t per_ps)
{
	uint64_t ps[CPU_PART_COUNT];

	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		ps[i] = i == CPU_PART_NONE ? 0 : p->parts[i] / per_ps;
	json_object_set_new(o, "access_parts", machine_account_json(&cpu_account_parts, ps));
	for (uint32_t i = 0; i < CPU_COUNT_COUNT; i++)
		put_int(o, cpu_count_name((enum cpu_count)i), p->counts[i]);
}

static json_t *accelerators_json(struct cpu_account *a, const struct machine *m)
{
	const struct hdl_system *hdl = machine_hdl(m);
	const uint32_t first = machine_cpu_account_units(m->config) - hdl_system_count(hdl);
	json_t *list = json_array();
	uint32_t number = 0;

	for (uint32_t i = 0; i < cpu_account_place_count(a); i++) {
		const struct cpu_account_place *p = cpu_account_place(a, i);
		json_t *o;

		if (!p->hardware)
			continue;
		o = json_object();
		put_text(o, "name", p->hardware);
		put_int(o, "ndp", number);
		put_int(o, "messages", hdl_messages(hdl, number).taken);
		put_int(o, "replies", hdl_messages(hdl, number).replies);
		json_object_set_new(o, "parts", parts_json(a, first + number));
		put_accesses(o, p, cpu_account_units_per_ps(a));
		json_array_append_new(list, o);
		number++;
	}
	return list;
}

/* ---- all of it ---- */

void machine_cpu_account(const struct machine *m, json_t *fields, json_t *units)
{
	const struct machine_config *c = m->config;
	struct cpu_account *a = cpu_system_account_of(machine_cpu(m));
	json_t *o;

	if (!a)
		return;
	o = json_object();
	json_object_set_new(o, "units", units_json(a, c));
	json_object_set_new(o, "lines", lines_json(a, machine_hdl_params(c)));
	json_object_set_new(o, "channels", channels_json(a));
	if (machine_hdl_params(c))
		json_object_set_new(o, "accelerators", accelerators_json(a, m));
	json_object_set_new(o, "parts", machine_account_docs(&cpu_account_parts));
	json_object_set_new(fields, "core_account", o);
	put_text(units, "core_account", "ps");
}
