/* cpu_over_time.c - see cpu_over_time.h. */
#include "machine/cpu_over_time.h"

#include <glib.h>

#include "base/check.h"
#include "machine/channel.h"
#include "machine/cpu.h"
#include "machine/memories.h"
#include "machine/over_time.h"

/* Vaults are in the order of the stacks, which go round the channels. */
static uint32_t channel_of_vault(const void *machine, uint32_t vault, uint32_t vault_count)
{
	const struct machine *m = machine;
	const uint64_t stacks = machine_memories_of(m->config)->items[0].memory.channel_count;

	return (uint32_t)(vault / (vault_count / stacks) % machine_cpu_params(m->config)->channel_count);
}

static uint32_t channel_count(const void *machine)
{
	const struct machine *m = machine;

	return (uint32_t)machine_cpu_params(m->config)->channel_count;
}

static uint64_t up_bytes(const void *machine, uint32_t channel)
{
	return cpu_channel_bytes(machine_cpu(machine), channel, CPU_WAY_UP);
}

static uint64_t down_bytes(const void *machine, uint32_t channel)
{
	return cpu_channel_bytes(machine_cpu(machine), channel, CPU_WAY_DOWN);
}

static uint64_t rated_bytes(const void *machine, uint32_t channel)
{
	return cpu_channel_bytes(machine_cpu(machine), channel, CPU_WAY_RATED);
}

static uint32_t memory_requests(const void *machine)
{
	return cpu_memory_under_way(machine_cpu(machine));
}

/* In front of the memory and in it. */
static uint32_t memory_waiting(const void *machine)
{
	const struct machine *m = machine;

	return cpu_memory_waiting(machine_cpu(m)) + mem_memory_queued(machine_memory_built(m, 0));
}

static uint32_t cpu_tlbs(const void *machine)
{
	return cpu_tlb_pages(machine_cpu(machine));
}

static uint32_t near_tlbs(const void *machine)
{
	const struct channel_system *near = machine_channel(machine);

	return near ? channel_tlb_pages(near) : 0;
}

static const struct sim_gauge gauges[] = {
    {"requests", memory_requests},
    {"vault_requests", memory_waiting},
    {"cpu_tlb_pages", cpu_tlbs},
    {"channel_tlb_pages", near_tlbs},
};

static const struct sim_sample_count counts[] = {
    {.name = "cpu.instructions"},
    {.name = "cpu.awake_ps"},
    {.name = "cpu.reads"},
    {.name = "cpu.writes"},
    {.name = "cpu.atomics"},
    {.name = "cpu.l1_hits"},
    {.name = "cpu.l2_hits"},
    {.name = "cpu.misses"},
    {.name = "cpu.llc_hits"},
    {.name = "cpu.interventions"},
    {.name = "cpu.memory_reads"},
    {.name = "cpu.memory_writes"},
    {.name = "cpu.walks"},
    {.name = "cpu.page_moves"},
    {.name = "cpu.slots"},
    {.name = "cpu.slot_wait_ps"},
    {.name = "cpu.up_bytes", .read = up_bytes, .part_count = channel_count, .part = "channel"},
    {.name = "cpu.down_bytes", .read = down_bytes, .part_count = channel_count, .part = "channel"},
    {.name = "cpu.rated_bytes", .read = rated_bytes, .part_count = channel_count, .part = "channel"},
    {.name = "channel.instructions"},
    {.name = "channel.awake_ps"},
    {.name = "channel.reads"},
    {.name = "channel.writes"},
    {.name = "channel.atomics"},
    {.name = "channel.hits"},
    {.name = "channel.local"},
    {.name = "channel.remote_reads"},
    {.name = "channel.remote_writes"},
    {.name = "channel.remote_atomics"},
    {.name = "channel.tlb_lookups"},
    {.name = "channel.tlb_misses"},
    {.name = "channel.summary_lookups"},
    {.name = "channel.summary_hits"},
    {.name = "channel.directory_lookups"},
    {.name = "channel.directory_misses"},
    {.name = "channel.directory_bytes"},
    {.name = "channel.near_bytes"},
    {.name = "channel.remote_bytes"},
    {.name = "channel.processor_bytes"},
    {.name = "channel.claims"},
    {.name = "channel.invalidates"},
    {.name = "channel.forwards"},
    {.name = "channel.message_bytes"},
};

/* Counts of the memory have its name before theirs. */
static const char *const vault_counts[] = {"vault.read_bytes", "vault.write_bytes"};

void machine_cpu_keep(const struct machine *m, struct cpu_system *s)
{
	const struct cpu_params *p = machine_cpu_params(m->config);
	const struct channel_params *near = machine_channel_params(m->config);
	const uint32_t units = cpu_unit_count(p) + (near ? (uint32_t)(near->ndp_count * near->core_count) : 0);
	struct sim_sample_count all[ARRAY_COUNT(counts) + ARRAY_COUNT(vault_counts)];
	const struct sim_sample_table table = {.counts = all,
					       .count_count = ARRAY_COUNT(all),
					       .gauges = gauges,
					       .gauge_count = ARRAY_COUNT(gauges),
					       .self = m};

	memcpy(all, counts, sizeof(counts));
	for (uint32_t i = 0; i < ARRAY_COUNT(vault_counts); i++) {
		g_autofree char *name =
		    g_strconcat(machine_memories_of(m->config)->items[0].name, ".", vault_counts[i], NULL);

		all[ARRAY_COUNT(counts) + i] = (struct sim_sample_count){
		    .name = g_intern_string(name), .part_of = channel_of_vault, .part = "channel"};
	}
	cpu_system_keep(s, p->sample_ps ? sim_sampler_new(m->ctx.engine, m->ctx.stats, p->sample_ps, &table) : NULL,
			p->span_count ? sim_spans_new((uint32_t)p->span_count, units) : NULL,
			p->span_count ? sim_spans_new((uint32_t)p->span_count, (uint32_t)p->channel_count) : NULL);
}

static json_t *spans_json(const struct sim_spans *spans)
{
	const struct sim_span *items;
	const uint32_t count = sim_spans_read(spans, &items);

	return machine_spans_json(items, count);
}

void machine_cpu_over_time(const struct machine *m, json_t *o)
{
	const struct cpu_system *s = machine_cpu(m);
	json_t *spans = cpu_system_spans(s) ? json_object() : json_null();

	if (cpu_system_spans(s)) {
		json_object_set_new(spans, "threads", spans_json(cpu_system_spans(s)));
		json_object_set_new(spans, "moves", spans_json(cpu_system_moves(s)));
	}
	json_object_set_new(o, "samples", machine_samples_json(cpu_system_sampler(s)));
	json_object_set_new(o, "spans", spans);
	json_object_set_new(o, "dram_commands", machine_commands_json(machine_memory_log(m)));
}
