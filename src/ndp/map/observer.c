/* observer.c - feeds the analyzer and the counters with what instances touch. */
#include "ndp/map/observer.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "base/units.h"
#include "ndp/map/analyzer.h"
#include "ndp/map/foresee.h"
#include "ndp/map/mapping.h"

struct mapping_stats {
#include "sim/stat_fields.inc"
#include "ndp/map/mapping_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc rows[] = {
#define STAT_STRUCT struct mapping_stats
#include "sim/stat_rows.inc"
#include "ndp/map/mapping_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table map_stat_table = {"mapping", rows, ARRAY_COUNT(rows)};

struct map_observer {
	const struct simt_launch *launch; /* of the running kernel */
	struct map_learned *mapping;	  /* NULL: the machine's own stays */
	struct map_instance *instances;	  /* [home SM * slots + slot] */
	uint32_t instance_count, slot_count;
	uint32_t stack_count; /* 0: not one that address bits could choose from */
	uint32_t hash_bit;    /* gpu.map_hash_bit */
	const struct map_params *params;
	const struct gpu_config *config;
	struct map_totals totals;
	struct mapping_stats stats;
};

struct map_observer *map_observer_new(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	uint32_t stacks = (uint32_t)config->gpu.stack_count;
	struct map_learned *mapping = NULL;
	struct map_observer *o;

	if (site->ndp->map.tom_mapping == TOM_MAPPING_LEARNED) {
		mapping = map_learned_new(site, diag);
		if (!mapping)
			return NULL;
	}
	o = g_new0(struct map_observer, 1);
	o->mapping = mapping;
	o->params = &site->ndp->map;
	o->config = config;
	o->stack_count = map_has_bits(stacks) ? stacks : 0;
	o->hash_bit = (uint32_t)config->gpu.map_hash_bit;
	o->slot_count = (uint32_t)config->sm.warp_slot_count;
	o->instance_count = (uint32_t)config->gpu.sm_count * o->slot_count;
	o->instances = g_new0(struct map_instance, o->instance_count);
	return o;
}

void map_observer_free(struct map_observer *o)
{
	if (!o)
		return;
	map_learned_free(o->mapping);
	g_free(o->instances);
	g_free(o);
}

void map_observer_add_stats(struct map_observer *o, struct sim_stats *stats)
{
	sim_stats_add_table(stats, &map_stat_table, &o->stats, sizeof(o->stats));
}

/* A foreseen warp is an instance; of a range that it touches all is moved. */
static void foresee_instance(struct map_observer *o, struct gpu *g, const struct foresee_warp *w,
			     struct map_instance *in)
{
	map_instance_open(in, o->stack_count, o->hash_bit);
	for (uint32_t i = 0; i < w->count; i++) {
		const struct coalesced_line line = {.addr_bytes = w->lines[i]};

		map_instance_touch(in, w->lines[i], gpu_stack_of(g, 0, w->lines[i]));
		map_learned_mark(o->mapping, o->launch, &line, 1);
	}
}

/* Warps run beside each other: their lines come in turns. */
static void foresee_spread(struct map_observer *o, struct gpu *g, const struct foresee *f)
{
	for (uint32_t line = 0; line < FORESEE_LINES_MAX; line++)
		for (uint32_t i = 0; i < f->count; i++)
			if (line < f->warps[i].count)
				map_learned_line(o->mapping, f->warps[i].lines[line],
						 gpu_stack_of(g, 0, f->warps[i].lines[line]));
}

/* The SMs wait while a processor at their clock executes what makes the addresses. The tables that it reads are with
 * the host, as all data are: loads of one warp wait for each other there, those of different warps go on beside
 * them. */
static void foresee(struct map_observer *o, struct gpu *g, struct simt_launch *l)
{
	struct foresee f = {.warps = g_new(struct foresee_warp, FORESEE_WARPS_MAX)};
	struct map_instance *all = g_new0(struct map_instance, FORESEE_WARPS_MAX);
	uint64_t rest = 0, ps;

	foresee_look(&f, l, o->params->tom_learn_code_warp_count, o->params->tom_learn_code_access_count);
	for (uint32_t i = 0; i < f.count; i++)
		foresee_instance(o, g, &f.warps[i], &all[i]);
	foresee_spread(o, g, &f);
	o->stats.foreseen_instructions += f.walked.instructions;
	o->stats.foreseen_lookups += f.walked.lookups;
	ps = base_cycles_ps(f.walked.instructions, o->config->gpu.sm_clock_khz, &rest) +
	     f.lookups_most * gpu_host_latency_ps(g);
	map_learned_foreseen(o->mapping, g, all, f.count, ps);
	g_free(all);
	g_free(f.warps);
}

void map_observer_kernel_begin(struct map_observer *o, struct gpu *g, struct simt_launch *l, uint32_t block_count)
{
	o->launch = l;
	/* Instances of an aborted kernel; of others none is left. */
	for (uint32_t i = 0; i < o->instance_count; i++)
		o->instances[i].is_open = false;
	if (!o->mapping)
		return;
	map_learned_kernel_begin(o->mapping, l, block_count);
	if (o->params->tom_learn_from == TOM_LEARN_FROM_CODE && map_learned_is_learning(o->mapping) && block_count)
		foresee(o, g, l);
}

void map_observer_kernel_end(struct map_observer *o)
{
	const struct map_totals *totals = &o->totals;
	struct mapping_stats *st = &o->stats;
	uint32_t bit = map_oracle_bit(totals), best = bit - MAP_BIT_FIRST;

	st->observed_instances = totals->instances;
	st->observed_accesses = totals->accesses;
	st->stacks_in_force = totals->stacks[MAP_IN_FORCE];
	st->single_in_force = totals->single[MAP_IN_FORCE];
	st->most_used_in_force = totals->most_used[MAP_IN_FORCE];
	st->stacks_best = totals->stacks[best];
	st->single_best = totals->single[best];
	st->most_used_best = totals->most_used[best];
	st->best_bit = totals->instances ? bit : 0;
	if (!o->mapping)
		return;
	map_learned_kernel_end(o->mapping);
	st->learning_ps = map_learned_learning_ps(o->mapping);
	st->dropped_count = map_learned_dropped_count(o->mapping);
	st->relearned_count = map_learned_relearned_count(o->mapping);
	st->later_ranges = map_learned_later_range_count(o->mapping);
	st->remapped_bytes = map_learned_remapped_bytes(o->mapping);
	st->remapped_wire_bytes = map_learned_remapped_wire_bytes(o->mapping);
	st->learned_instances = map_learned_instances(o->mapping);
	st->learned_bit = map_learned_bit(o->mapping);
	st->learned_ranges = map_learned_range_count(o->mapping);
}

bool map_observer_is_settled(const struct map_observer *o)
{
	return !o->mapping || map_learned_is_settled(o->mapping);
}

bool map_observer_is_learning(const struct map_observer *o)
{
	return o->mapping && map_learned_is_learning(o->mapping);
}

static struct map_instance *instance_of(struct map_observer *o, uint32_t home_sm, uint32_t slot)
{
	return &o->instances[home_sm * o->slot_count + slot];
}

void map_observer_enter(struct map_observer *o, uint32_t home_sm, uint32_t slot)
{
	if (o->stack_count)
		map_instance_open(instance_of(o, home_sm, slot), o->stack_count, o->hash_bit);
}

void map_observer_touch(struct map_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot,
			const struct coalesced_line *lines, uint32_t count)
{
	struct map_instance *in = instance_of(o, home_sm, slot);
	bool is_first_touch = !in->has_touched;

	if (!in->is_open)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t stack = gpu_stack_of(g, home_sm, lines[i].addr_bytes);

		map_instance_touch(in, lines[i].addr_bytes, stack);
		if (o->mapping)
			map_learned_line(o->mapping, lines[i].addr_bytes, stack);
	}
	if (!o->mapping)
		return;
	map_learned_mark(o->mapping, o->launch, lines, count);
	map_learned_instance_touched(o->mapping, g, is_first_touch, o->instances, o->instance_count);
}

void map_observer_left(struct map_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot)
{
	struct map_instance *in = instance_of(o, home_sm, slot);

	if (o->mapping)
		map_learned_instance_ended(o->mapping, g, in);
	map_instance_close(in, &o->totals);
}

void map_observer_resumed(struct map_observer *o)
{
	/* What follows is seen under the learned mapping, the first one or a later one. */
	if (map_learned_resumed(o->mapping))
		o->totals = (struct map_totals){0};
	memset(o->instances, 0, o->instance_count * sizeof(*o->instances));
}

void map_observer_access(struct map_observer *o, struct gpu *g, struct mem_req *r)
{
	if (!o->mapping)
		return;
	map_learned_look(o->mapping, g, o->instances, o->instance_count);
	map_learned_place(o->mapping, r);
}

void map_observer_maps(struct map_observer *o, struct gpu_mapper *out)
{
	if (o->mapping)
		*out = (struct gpu_mapper){map_learned_map_of, o->mapping};
}
