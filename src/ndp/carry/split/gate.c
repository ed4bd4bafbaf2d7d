/* gate.c - power gating of the units and of the network between the stacks, where nothing is offloaded (NSU, SC'17,
 * section 5). They are one domain: a packet may go to any unit, over any router.
 *
 *   a kernel without blocks: gated from its launch on; one with blocks: its launch wakes the domain
 *   no block under way for nsu.gate_idle_cycles -> gated -> a block begins -> nsu.wake_cycles -> it may have buffers
 *
 * Nothing ticks while the domain is gated or idle: what has passed is counted when a block begins and at a kernel's
 * end.
 */
#include "ndp/carry/priv.h"

static uint64_t now_of(const struct split *split)
{
	return sim_now_units(split->gpu->engine);
}

static uint64_t units_of(const struct split *split, uint64_t nsu_cycles)
{
	return nsu_cycles * sim_period_units(split->gpu->engine, split->gpu->clocks.nsu);
}

void gate_new(struct split *split)
{
	const struct nsu_params *p = &split->gpu->config->nsu;
	struct power_gate *t = &split->gate;

	t->is_there = p->gate_idle_cycles != 0;
	if (!t->is_there)
		return;
	t->idle_units = units_of(split, p->gate_idle_cycles);
	t->wake_units = units_of(split, p->wake_cycles);
}

static bool has_blocks(const struct simt_program *p)
{
	for (uint32_t i = 0; i < p->inst_count; i++)
		if (p->insts[i].mark)
			return true;
	return false;
}

/* The domain is on from the kernel's begin. */
static void launch_wakes(struct split *split)
{
	struct power_gate *t = &split->gate;

	split->partition_stats.wakes += t->is_gated;
	t->is_gated = t->is_new_kernel = false;
	t->idle_since_units = t->begin_units;
}

/* It was gated from then until now. */
static void count_gated(struct split *split, uint64_t from_units)
{
	split->partition_stats.gated_ps += sim_ps_of_units(split->gpu->engine, now_of(split) - from_units);
}

void gate_kernel_begin(struct split *split)
{
	split->gate.begin_units = now_of(split);
	split->gate.is_new_kernel = true;
	split->gate.awake_units = 0;
}

void gate_block_begins(struct split *split)
{
	struct power_gate *t = &split->gate;

	if (!t->is_there || t->block_count++)
		return;
	if (t->is_new_kernel)
		launch_wakes(split);
	if (now_of(split) - t->idle_since_units < t->idle_units)
		return;
	count_gated(split, t->idle_since_units + t->idle_units);
	split->partition_stats.wakes++;
	t->awake_units = now_of(split) + t->wake_units;
	sim_wake_units(split->gpu->engine, t->comp, t->awake_units);
}

void gate_block_ends(struct split *split)
{
	struct power_gate *t = &split->gate;

	if (t->is_there && --t->block_count == 0)
		t->idle_since_units = now_of(split);
}

void gate_kernel_end(struct split *split, const struct simt_program *p)
{
	struct power_gate *t = &split->gate;

	if (!t->is_there)
		return;
	if (t->is_new_kernel && !has_blocks(p)) {
		t->is_gated = true;
		count_gated(split, t->begin_units);
		return;
	}
	if (t->is_new_kernel)
		launch_wakes(split);
	if (now_of(split) - t->idle_since_units < t->idle_units)
		return;
	t->is_gated = true;
	count_gated(split, t->idle_since_units + t->idle_units);
}
