/* decide.c - asks ratio, hill climbing and benefit for every instance; counts why. */
#include "ndp/nsu/decide.h"

#include "base/check.h"
#include "ndp/nsu/benefit.h"
#include "ndp/nsu/climb.h"
#include "ndp/nsu/draw.h"

#include <glib.h>
#include <math.h>

enum { WARP_LANES = 32, WORD_BYTES = 4, WARP_PREDICATE_BYTES = 4 };

struct control_stats {
#include "sim/stat_fields.inc"
#include "ndp/nsu/nsu_control_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc rows[] = {
#define STAT_STRUCT struct control_stats
#include "sim/stat_rows.inc"
#include "ndp/nsu/nsu_control_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table nsu_control_stat_table = {"nsu_control", rows, ARRAY_COUNT(rows)};

struct block {
	struct nsu_benefit benefit;
	struct ndp_timed timed;
	struct ndp_window window;
	uint32_t instruction_count; /* of a warp that runs it */
	double *scores;		    /* [trace_count], after each epoch; NAN: not known */
	char *name;		    /* of that series */
};

struct kernel {
	struct block *blocks;
	uint32_t block_count;
};

/* One value per epoch. */
enum trace { TRACE_CYCLE, TRACE_RATIO, TRACE_IPC, TRACE_OFFLOADED, TRACE_COUNT };

static const char *const trace_names[TRACE_COUNT][2] = {
	[TRACE_CYCLE] = {"nsu.epoch_end", "SM cycles in kernels"},
	[TRACE_RATIO] = {"nsu.ratio", "after the epoch"},
	[TRACE_IPC] = {"nsu.block_ipc", "warp instructions of blocks per SM cycle"},
	[TRACE_OFFLOADED] = {"nsu.offloaded", "share of the epoch's instances"},
};

struct nsu_decider {
	const struct nsu_control_params *params;
	struct nsu_climb climb;
	struct nsu_benefit_params benefit;
	struct nsu_draw draw, probe_draw;
	bool is_timed; /* ndp.timed */
	bool has_windows; /* ndp.away = auto */
	uint32_t timed_first;
	GHashTable *kernels;	/* name -> struct kernel * */
	struct kernel *running; /* NULL: a kernel without blocks, or none */
	uint64_t base_cycle;	/* in kernels, where the running kernel began */
	uint64_t epoch_end;	/* in kernels */
	uint64_t instructions;	/* of blocks in this epoch */
	uint64_t epoch_instances, epoch_offloaded;
	uint32_t epochs_to_decay;
	uint32_t trace_count, trace_cap;
	double *trace[TRACE_COUNT];
	struct control_stats stats;
};

static bool has_epochs(const struct nsu_decider *d)
{
	return d->params->nsu_decision == NSU_DECIDE_CLIMB || d->params->nsu_cache_aware;
}

static struct nsu_climb_params climb_params(const struct nsu_control_params *p)
{
	return (struct nsu_climb_params){
		.ratio_init = p->nsu_climb_init_ratio,
		.step_max = p->nsu_climb_step_max_ratio,
		.step_min = p->nsu_climb_step_min_ratio,
		.step_unit = p->nsu_climb_step_unit_ratio,
		.window = (uint32_t)p->nsu_climb_window_count,
		.starts_down = p->nsu_climb_first == NSU_CLIMB_DOWN,
		.moves_by_unit = p->nsu_climb_move == NSU_CLIMB_BY_UNIT,
		.guards_old_ratio = p->nsu_climb_guard == NSU_CLIMB_GUARD_OLD,
		.grows_at_least_step = p->nsu_climb_least_step_grows,
	};
}

static bool climb_is_possible(const struct nsu_control_params *p, struct base_diag_list *diag)
{
	if (p->nsu_climb_step_min_ratio > p->nsu_climb_step_max_ratio) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.nsu_climb_step_min_ratio = %g is above ndp.nsu_climb_step_max_ratio = %g; "
				"lower it",
				p->nsu_climb_step_min_ratio, p->nsu_climb_step_max_ratio);
		return false;
	}
	return true;
}

static void kernel_free(void *data)
{
	struct kernel *k = data;

	for (uint32_t i = 0; i < k->block_count; i++) {
		g_free(k->blocks[i].scores);
		g_free(k->blocks[i].name);
	}
	g_free(k->blocks);
	g_free(k);
}

struct nsu_decider *nsu_decider_new(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct nsu_control_params *p = &site->ndp->nsu;

	if (p->nsu_decision == NSU_DECIDE_CLIMB && !climb_is_possible(p, diag))
		return NULL;

	struct nsu_decider *d = g_new0(struct nsu_decider, 1);
	struct nsu_climb_params climb = climb_params(p);

	d->params = p;
	nsu_climb_init(&d->climb, &climb);
	d->benefit = (struct nsu_benefit_params){
		.as_printed = p->nsu_benefit_form == NSU_BENEFIT_PRINTED,
		.line_bytes = (uint32_t)site->gpu->l1d.line_bytes,
		.learn_count = (uint32_t)p->nsu_benefit_learn_count,
		.decay_epoch_count = (uint32_t)p->nsu_benefit_decay_count,
		.probe_ratio = p->nsu_benefit_probe_ratio,
	};
	d->is_timed = site->ndp->choice.timed;
	d->has_windows = site->ndp->choice.away == NDP_AWAY_AUTO;
	d->timed_first = (uint32_t)site->ndp->choice.timed_first_count;
	d->draw.seed = site->seed;
	d->probe_draw.seed = ~site->seed;
	d->kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, kernel_free);
	d->epoch_end = p->nsu_epoch_cycles;
	d->epochs_to_decay = d->benefit.decay_epoch_count;
	d->trace_cap = has_epochs(d) ? (uint32_t)p->nsu_trace_count : 0;
	for (uint32_t i = 0; i < TRACE_COUNT; i++)
		d->trace[i] = g_new0(double, d->trace_cap + 1);
	return d;
}

void nsu_decider_free(struct nsu_decider *d)
{
	for (uint32_t i = 0; i < TRACE_COUNT; i++)
		g_free(d->trace[i]);
	g_hash_table_unref(d->kernels);
	g_free(d);
}

void nsu_decider_add_stats(struct nsu_decider *d, struct sim_stats *stats)
{
	sim_stats_add_table(stats, &nsu_control_stat_table, &d->stats, sizeof(d->stats));
	sim_stats_law(stats, "nsu_control.instances = nsu_control.offloaded + nsu_control.kept_by_ratio + "
			     "nsu_control.kept_by_benefit + nsu_control.kept_by_time");
	sim_stats_law(stats, "nsu_control.offloaded = partition.blocks");
}

/* ---- kernels ---- */

static void block_init(struct nsu_decider *d, struct block *b, const struct nsu_block *code)
{
	uint32_t words = code->send_words + code->return_words, predicates = code->send_preds + code->return_preds;

	b->benefit.overhead_bytes = words * WORD_BYTES * WARP_LANES + predicates * WARP_PREDICATE_BYTES;
	b->benefit.store_bytes = code->store_entries * WORD_BYTES * WARP_LANES;
	b->instruction_count = code->last_pc - code->begin_pc + 1;
	if (d->params->nsu_cache_aware) {
		b->scores = g_new(double, d->trace_cap + 1);
		for (uint32_t i = 0; i < d->trace_cap; i++)
			b->scores[i] = NAN;
	}
}

static struct kernel *kernel_new(struct nsu_decider *d, const char *name, const struct nsu_code *code)
{
	struct kernel *k = g_new0(struct kernel, 1);

	k->block_count = code->block_count;
	k->blocks = g_new0(struct block, code->block_count + 1);
	for (uint32_t i = 0; i < code->block_count; i++) {
		block_init(d, &k->blocks[i], &code->blocks[i]);
		k->blocks[i].name = g_strdup_printf("nsu.benefit %s %u", name, i + 1);
		d->stats.code_send_words += code->blocks[i].send_words;
		d->stats.code_return_words += code->blocks[i].return_words;
	}
	d->stats.kernels += code->block_count > 0;
	d->stats.code_blocks += code->block_count;
	return k;
}

void nsu_decider_kernel_begin(struct nsu_decider *d, const char *kernel, const struct nsu_code *code, uint64_t cycle,
			      uint64_t now_ps)
{
	d->running = g_hash_table_lookup(d->kernels, kernel);
	if (!d->running || d->running->block_count != code->block_count) {
		d->running = kernel_new(d, kernel, code);
		g_hash_table_insert(d->kernels, g_strdup(kernel), d->running);
	}
	d->base_cycle = cycle;
	for (uint32_t i = 0; i < d->running->block_count; i++) { /* a launch that ended in a fault left them behind */
		d->running->blocks[i].timed.away_count = 0;
		ndp_window_begin(&d->running->blocks[i].window, now_ps);
	}
}

/* Epochs that ended while the last accesses were under way are at their end now. */
void nsu_decider_kernel_end(struct nsu_decider *d, uint64_t cycle)
{
	if (has_epochs(d) && cycle > d->base_cycle)
		nsu_decider_epoch(d, cycle - d->base_cycle);
	d->running = NULL;
}

/* ---- decisions ---- */

static double ratio_of(const struct nsu_decider *d)
{
	switch (d->params->nsu_decision) {
	case NSU_DECIDE_STATIC:
		return d->params->nsu_ratio;
	case NSU_DECIDE_CLIMB:
		return nsu_climb_ratio(&d->climb);
	default:
		return 1;
	}
}

static bool decide(struct nsu_decider *d, const struct block *b, const char **why)
{
	if (d->params->nsu_cache_aware && b->benefit.is_suppressed) {
		bool is_probe = nsu_draw(&d->probe_draw, d->benefit.probe_ratio);

		d->stats.probes += is_probe;
		d->stats.kept_by_benefit += !is_probe;
		*why = "no benefit was seen";
		return is_probe;
	}

	bool is_drawn = nsu_draw(&d->draw, ratio_of(d));

	d->stats.kept_by_ratio += !is_drawn;
	*why = "the ratio of offloading";
	return is_drawn;
}

/* As many of the block as take no longer away than at home are there. */
static bool is_too_slow(struct nsu_decider *d, struct block *b, const char **why)
{
	if (!d->is_timed || ndp_timed_may_go(&b->timed, d->timed_first))
		return false;
	d->stats.kept_by_time++;
	*why = "it takes longer at the units";
	return true;
}

struct ndp_window *nsu_decider_window(struct nsu_decider *d, uint32_t block)
{
	CHECK(d->running && block < d->running->block_count);
	return &d->running->blocks[block].window;
}

bool nsu_decider_saves(const struct nsu_decider *d, uint32_t block)
{
	const struct nsu_benefit *b = &d->running->blocks[block].benefit;

	return !b->instance_count || nsu_benefit_score(b, &d->benefit) > 0;
}

/* The block's window, in what the machine is like now. */
static bool window_keeps(struct nsu_decider *d, struct block *b, const struct ndp_scene *scene, const char **why)
{
	if (!scene || (!ndp_window_rests(&b->window) && ndp_window_may_go(&b->window, scene)))
		return false;
	d->stats.kept_by_time++;
	*why = "it takes longer at the units";
	return true;
}

struct ndp_timed *nsu_decider_timed(struct nsu_decider *d, uint32_t block)
{
	CHECK(d->running && block < d->running->block_count);
	return d->is_timed ? &d->running->blocks[block].timed : NULL;
}

bool nsu_decider_offload(struct nsu_decider *d, uint32_t block, const struct ndp_scene *scene, const char **why)
{
	CHECK(d->running && block < d->running->block_count);

	struct block *b = &d->running->blocks[block];
	bool is_offloaded = decide(d, b, why) && !is_too_slow(d, b, why) && !window_keeps(d, b, scene, why);

	d->stats.instances++;
	d->epoch_instances++;
	if (is_offloaded) {
		d->stats.offloaded++;
		d->epoch_offloaded++;
	} else {
		d->instructions += b->instruction_count;
	}
	return is_offloaded;
}

void nsu_decider_ended(struct nsu_decider *d, uint32_t block, uint32_t read_count, uint32_t hit_count)
{
	CHECK(d->running && block < d->running->block_count);

	struct block *b = &d->running->blocks[block];

	d->instructions += b->instruction_count;
	if (d->params->nsu_cache_aware || d->has_windows)
		nsu_benefit_add(&b->benefit, &d->benefit, read_count, hit_count);
}

/* ---- epochs ---- */

static void scores_note(struct nsu_decider *d)
{
	GHashTableIter iter;
	void *data;

	g_hash_table_iter_init(&iter, d->kernels);
	while (g_hash_table_iter_next(&iter, NULL, &data)) {
		struct kernel *k = data;

		for (uint32_t i = 0; i < k->block_count; i++) {
			struct block *b = &k->blocks[i];

			if (b->scores && b->benefit.instance_count)
				b->scores[d->trace_count] = (double)nsu_benefit_score(&b->benefit, &d->benefit);
		}
	}
}

static void trace_note(struct nsu_decider *d, double ipc)
{
	if (d->trace_count == d->trace_cap)
		return;
	d->trace[TRACE_CYCLE][d->trace_count] = (double)d->epoch_end;
	d->trace[TRACE_RATIO][d->trace_count] = ratio_of(d);
	d->trace[TRACE_IPC][d->trace_count] = ipc;
	d->trace[TRACE_OFFLOADED][d->trace_count] =
	    d->epoch_instances ? (double)d->epoch_offloaded / (double)d->epoch_instances : 0;
	scores_note(d);
	d->trace_count++;
}

static void sums_decay(struct nsu_decider *d)
{
	GHashTableIter iter;
	void *data;

	if (--d->epochs_to_decay)
		return;
	d->epochs_to_decay = d->benefit.decay_epoch_count;
	g_hash_table_iter_init(&iter, d->kernels);
	while (g_hash_table_iter_next(&iter, NULL, &data)) {
		struct kernel *k = data;

		for (uint32_t i = 0; i < k->block_count; i++)
			nsu_benefit_decay(&k->blocks[i].benefit);
	}
}

static void epoch_end(struct nsu_decider *d)
{
	double ipc = (double)d->instructions / (double)d->params->nsu_epoch_cycles;

	if (d->params->nsu_decision == NSU_DECIDE_CLIMB && ipc > 0) {
		nsu_climb_epoch(&d->climb, ipc);
		d->stats.climbs++;
		d->stats.ratio_millionths += (uint64_t)lround(nsu_climb_ratio(&d->climb) * 1e6);
	}
	trace_note(d, ipc);
	sums_decay(d);
	d->stats.epochs++;
	d->instructions = d->epoch_instances = d->epoch_offloaded = 0;
	d->epoch_end += d->params->nsu_epoch_cycles;
}

bool nsu_decider_learns(const struct nsu_decider *d)
{
	return has_epochs(d);
}

uint64_t nsu_decider_epoch(struct nsu_decider *d, uint64_t kernel_cycle)
{
	if (!has_epochs(d))
		return 0;
	while (d->epoch_end <= d->base_cycle + kernel_cycle)
		epoch_end(d);

	return d->epoch_end - d->base_cycle - kernel_cycle;
}

/* ---- traces ---- */

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The blocks' series in the order of the kernels' names. */
static uint32_t scores_series(struct nsu_decider *d, struct gpu_series *items, uint32_t cap)
{
	guint name_count;
	const char **names = (const char **)g_hash_table_get_keys_as_array(d->kernels, &name_count);
	uint32_t n = 0;

	qsort(names, name_count, sizeof(*names), name_compare);
	for (uint32_t k = 0; k < name_count; k++) {
		const struct kernel *kernel = g_hash_table_lookup(d->kernels, names[k]);

		for (uint32_t i = 0; i < kernel->block_count && n < cap; i++) {
			const struct block *b = &kernel->blocks[i];

			if (b->scores)
				items[n++] = (struct gpu_series){b->name, "bytes of a warp", b->scores, d->trace_count};
		}
	}
	g_free(names);
	return n;
}

uint32_t nsu_decider_series(struct nsu_decider *d, struct gpu_series *items, uint32_t cap)
{
	uint32_t n = 0;

	if (!has_epochs(d))
		return 0;
	for (; n < TRACE_COUNT && n < cap; n++)
		items[n] = (struct gpu_series){trace_names[n][0], trace_names[n][1], d->trace[n], d->trace_count};
	return n + scores_series(d, items + n, cap - n);
}
