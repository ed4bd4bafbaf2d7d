/* controller.c - TOM's offload controller (TOM, ISCA'16, sections 3.3 and 4): one logical unit for the GPU, asked at
 * every entry of a warp into a candidate block.
 *
 *   begin of a block -> condition (step 1)
 *     -> at the block's first access to memory: destination, busy channels (step 2), pending requests (step 3)
 *     -> request of tom_latency_cycles, live-ins, PCs and mask -> runs on a stack SM -> acknowledgment with live-outs
 *        and the lines that were written
 *
 * What carries the packets, runs the block and keeps caches coherent is ndp/carry/block.c.
 */
#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "ndp/blocks/auto.h"
#include "ndp/blocks/blocks.h"
#include "ndp/blocks/candidates.h"
#include "ndp/carry/carry.h"
#include "ndp/carry/destination.h"
#include "ndp/ctas/homes.h"
#include "ndp/map/hints.h"
#include "ndp/map/observer.h"
#include "ndp/mechanism.h"
#include "ndp/tom/copies.h"
#include "ndp/tom/decision.h"
#include "ndp/tom/metadata.h"
#include "ndp/tom/monitor.h"
#include "ndp/tom/offsets.h"
#include "ndp/tom/tom_stats.h"

enum { REGISTER_BYTES = 4, PREDICATE_BYTES = 4 };

/* What the controller keeps per stack. */
struct destination {
	uint32_t pending_count;
	double pending_alu;
	struct tom_channel_monitor tx, rx;
};

struct controller {
	const struct gpu_config *config;
	const struct tom_params *params;
	const struct sim_ctx *ctx;
	struct ndp_blocks *blocks; /* of the running kernel */
	bool has_table;		   /* its table has room in shared memory */
	uint32_t table_passes;	   /* to read an entry */
	struct destination *stacks;
	struct carry_chooser chooser;
	uint32_t *loads; /* [stack]: for the chooser */
	uint32_t stack_count, warp_limit;
	struct map_observer *observer;
	struct map_hints *hints; /* NULL: declarations are ignored */
	struct tom_offsets *offsets;
	struct ndp_timed_instance *timed; /* [instance]; NULL: times do not count */
	uint32_t timed_first, instance_count;
	struct ndp_auto *automatic; /* NULL: without ndp.away = auto */
	struct tom_copies copies;
	struct ctas_homes *homes; /* NULL: no CTA begins in a stack */
	struct carry_written written; /* by this launch; tom_flush = written */
	struct ndp_block **home_blocks; /* [instance]: that its warp runs at home; NULL: nobody looks at the caches */
	struct ndp_cost_params cost;
	struct tom_stats stats;
};

static void *controller_create(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	uint32_t before = diag->error_count;
	struct map_observer *observer;
	struct map_hints *hints;

	if (config->gpu.stack_sm_count == 0)
		base_diag_error(diag, (struct base_place){0},
				"ndp.mechanism = tom needs SMs in the stacks: set gpu.stack_sm_count to 1 or more");
	if (config->gpu.stack_sm_ctas)
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_sm_ctas = true: the stack SMs of ndp.mechanism = tom run offloaded blocks "
				"only; set it to false");
	if (config->l2.write_policy != MEM_CACHE_WRITE_POLICY_THROUGH)
		base_diag_error(
		    diag, (struct base_place){0},
		    "l2.write_policy = back: the coherence of ndp.mechanism = tom rests on stores that reach "
		    "memory (TOM section 4.4.2); set it to through");
	observer = map_observer_new(site, diag);
	hints = map_hints_new(site, diag);

	struct ctas_homes *homes = ctas_homes_new(site, diag);

	if (diag->error_count != before) {
		ctas_homes_free(homes);
		map_observer_free(observer);
		map_hints_free(hints);
		return NULL;
	}

	struct controller *t = g_new0(struct controller, 1);

	t->config = config;
	t->params = &site->ndp->tom;
	t->ctx = site->ctx;
	carry_chooser_init(&t->chooser, (enum carry_destination_rule)site->ndp->choice.destination,
			   (uint32_t)site->ndp->choice.destination_access_count,
			   (uint32_t)site->ndp->choice.destination_line_count, (uint32_t)config->gpu.sm_count);
	t->observer = observer;
	t->hints = hints;
	t->homes = homes;
	t->copies.limit_bytes = t->params->tom_copy_bytes;
	t->copies.has_declared = hints != NULL;
	t->offsets = tom_offsets_new((uint32_t)(config->gpu.sm_count * config->sm.warp_slot_count));
	t->table_passes = tom_metadata_passes(t->params, config);
	t->instance_count = (uint32_t)(config->gpu.sm_count * config->sm.warp_slot_count);
	if (t->params->tom_stay_hit_ratio < 1 || site->ndp->choice.away == NDP_AWAY_AUTO)
		t->home_blocks = g_new0(struct ndp_block *, t->instance_count);
	if (site->ndp->choice.timed)
		t->timed = g_new0(struct ndp_timed_instance, t->instance_count);
	t->timed_first = (uint32_t)site->ndp->choice.timed_first_count;
	t->stats.storage_bits = tom_metadata_added_bits(site);
	t->stack_count = (uint32_t)config->gpu.stack_count;
	t->cost = tom_cost_of(t->params, site->ndp->choice.shuffles, config);
	t->warp_limit = t->params->tom_pending_limit_count
			    ? (uint32_t)t->params->tom_pending_limit_count
			    : (uint32_t)(config->gpu.stack_sm_count * config->gpu.stack_sm_warp_slot_count);
	if (site->ndp->choice.away == NDP_AWAY_AUTO)
		t->automatic = ndp_auto_new(site, t->warp_limit * t->stack_count);
	t->stacks = g_new0(struct destination, t->stack_count);
	t->loads = g_new0(uint32_t, t->stack_count);
	for (uint32_t s = 0; s < t->stack_count; s++) {
		tom_monitor_init(&t->stacks[s].tx, t->params->tom_busy_window_ps, t->params->tom_busy_ratio);
		tom_monitor_init(&t->stacks[s].rx, t->params->tom_busy_window_ps, t->params->tom_busy_ratio);
	}
	return t;
}

static void controller_free(void *ctx)
{
	struct controller *t = ctx;

	g_free(t->stacks);
	g_free(t->loads);
	g_free(t->home_blocks);
	g_free(t->timed);
	ndp_auto_free(t->automatic);
	carry_chooser_free(&t->chooser);
	tom_offsets_free(t->offsets);
	map_observer_free(t->observer);
	map_hints_free(t->hints);
	ctas_homes_free(t->homes);
	g_free(t);
}

static void controller_add_stats(void *ctx, struct sim_stats *stats)
{
	struct controller *t = ctx;

	tom_stats_add(&t->stats, stats, true);
	map_observer_add_stats(t->observer, stats);
	if (t->hints)
		map_hints_add_stats(t->hints, stats);
	if (t->homes)
		ctas_homes_add_stats(t->homes, stats);
}

static void count_registers(struct tom_stats *st, const struct ndp_blocks *blocks, const struct simt_program *p)
{
	if (!blocks->count)
		return;
	if (blocks->live_max > st->block_registers)
		st->block_registers = blocks->live_max;
	if (p->entry_alloc->live_max > st->thread_registers)
		st->thread_registers = p->entry_alloc->live_max;
}

static bool table_describes(const void *params, const struct ndp_block *b)
{
	return tom_metadata_describes(params, b);
}

/* What this launch writes, by the addresses of its program's stores. */
static void find_written(struct controller *t, const struct simt_launch *l, const struct simt_program *p)
{
	if (t->params->tom_flush != TOM_FLUSH_WRITTEN && !tom_copies_may_be(&t->copies))
		return;
	if (!t->blocks->has_origins) {
		t->blocks->stores = ndp_store_origins(p);
		t->blocks->loads = ndp_load_origins(p);
		t->blocks->has_origins = true;
	}
	ndp_written_of(&t->blocks->stores, l, &t->written);
	t->copies.of.count = 0;
	if (tom_copies_may_be(&t->copies) && t->blocks->count && !map_observer_is_learning(t->observer))
		tom_copies_begin(&t->copies, t->config, l, &t->blocks->loads, &t->blocks->stores,
				 sim_now_ps(t->ctx->engine), &t->stats);
}

static struct ndp_blocks *blocks_of(struct controller *t, struct simt_program *p)
{
	const struct ndp_block_table table = {.describes = table_describes,
					      .self = t->params,
					      .entry_count = t->params->tom_table_entry_count};
	bool is_new;
	struct ndp_blocks *blocks = ndp_blocks_of(p, &t->cost, &table, &is_new);

	is_new = is_new && !p->is_again;
	t->stats.undescribed_count += is_new ? blocks->undescribed_count : 0;
	t->stats.no_entry_count += is_new ? blocks->no_entry_count : 0;
	return blocks;
}

static uint64_t controller_shared_bytes(void *ctx, struct simt_program *p)
{
	struct controller *t = ctx;

	if (!t->params->tom_table_takes_shared)
		return 0;
	return tom_metadata_table_bytes(t->params, blocks_of(t, p)->count);
}

/* CTAs of this launch may begin in stacks: its blocks stay. While the mapping is being learned no data is there, and
 * while data moves nobody knows where. */
static void offer_ctas(struct controller *t, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	const bool is_placed = !map_observer_is_learning(t->observer) && !map_hints_is_moving(t->hints);
	struct ndp_cta_notes *ctas = is_placed ? ndp_blocks_cta_notes(t->blocks, p) : NULL;
	const bool is_offered = ctas_homes_kernel_begin(t->homes, g, l, ctas, t->blocks->count > 0);

	ndp_blocks_hide(t->blocks, p, is_offered);
	if (is_offered)
		carry_ctas_start(g);
}

static bool controller_cta_start(void *ctx, struct gpu *g, struct simt_cta *cta, uint64_t index,
				 struct carry_start *out)
{
	struct controller *t = ctx;

	return ctas_homes_start(t->homes, g, cta, index, out);
}

static uint32_t controller_cta_back(void *ctx, struct gpu *g)
{
	struct controller *t = ctx;

	return ctas_homes_back(t->homes, g);
}

static void controller_cta_placed(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct controller *t = ctx;

	(void)g, (void)sm;
	if (ctas_homes_is_on(t->homes))
		ctas_homes_placed(t->homes, cta);
}

static bool controller_learns(const void *ctx)
{
	const struct controller *t = ctx;

	return t->homes != NULL;
}

static void controller_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct controller *t = ctx;

	gpu_marks_issue(g, t->params->tom_begin_issues);
	t->blocks = blocks_of(t, p);
	t->has_table = !t->params->tom_table_takes_shared || gpu_taken_shared_bytes(g, p, l->shared_dynamic_bytes);
	count_registers(&t->stats, t->blocks, p);
	tom_offsets_kernel_begin(t->offsets, p, t->blocks);
	map_observer_kernel_begin(t->observer, g, l, t->blocks->count);
	if (t->hints)
		map_hints_kernel_begin(t->hints, g, l);
	find_written(t, l, p);
	for (uint32_t s = 0; s < t->stack_count; s++) { /* a launch that ended in a fault left its blocks behind */
		t->stacks[s].pending_count = 0;
		t->stacks[s].pending_alu = 0;
	}
	if (t->home_blocks)
		memset(t->home_blocks, 0, t->instance_count * sizeof(*t->home_blocks));
	if (t->timed)
		memset(t->timed, 0, t->instance_count * sizeof(*t->timed));
	if (t->automatic)
		ndp_auto_kernel_begin(t->automatic, g, l);
	for (uint32_t i = 0; i < t->blocks->count; i++) {
		t->blocks->items[i].timed.away_count = 0;
		ndp_window_begin(&t->blocks->items[i].window, sim_now_ps(t->ctx->engine));
	}
	if (t->homes)
		offer_ctas(t, g, l, p);
}

/* All channels are sampled at every question, so that each monitor's window is as fine as the others'. */
static void look_at_channels(struct controller *t, struct gpu *g, uint32_t stack, bool *tx_is_busy, bool *rx_is_busy)
{
	bool is_any = t->params->tom_busy_scope == TOM_BUSY_ANY;
	uint64_t now_ps = sim_now_ps(t->ctx->engine);

	*tx_is_busy = *rx_is_busy = false;
	for (uint32_t s = 0; s < t->stack_count; s++) {
		bool tx = tom_monitor_is_busy(&t->stacks[s].tx, now_ps, gpu_link_busy_ps(g, s, false));
		bool rx = tom_monitor_is_busy(&t->stacks[s].rx, now_ps, gpu_link_busy_ps(g, s, true));

		if (is_any || s == stack) {
			*tx_is_busy |= tx;
			*rx_is_busy |= rx;
		}
	}
}

static void count_decision(struct tom_stats *st, enum tom_decision d)
{
	uint64_t *counts[] = {
	    [TOM_OFFLOAD] = &st->offloaded_count,    [TOM_KEEP_CONDITION] = &st->condition_false_count,
	    [TOM_KEEP_TX_BUSY] = &st->tx_busy_count, [TOM_KEEP_RX_BUSY] = &st->rx_busy_count,
	    [TOM_KEEP_FULL] = &st->full_count,       [TOM_KEEP_ALU] = &st->alu_full_count,
	};

	++*counts[d];
}

static const char *const reasons[] = {
    [TOM_OFFLOAD] = NULL,
    [TOM_KEEP_CONDITION] = "its condition is false",
    [TOM_KEEP_TX_BUSY] = "TX busy",
    [TOM_KEEP_RX_BUSY] = "RX busy",
    [TOM_KEEP_FULL] = "the stack's SM is full",
    [TOM_KEEP_ALU] = "the stack SM's arithmetic is full",
};

static uint32_t registers_bytes(uint32_t mask, uint32_t registers, uint32_t predicates)
{
	return registers * REGISTER_BYTES * (uint32_t)__builtin_popcount(mask) + predicates * PREDICATE_BYTES;
}

static void count_pending(struct controller *t, struct destination *d, const struct ndp_block *b)
{
	d->pending_count++;
	d->pending_alu += b->alu_ratio;
	if (d->pending_count > t->stats.pending_max)
		t->stats.pending_max = d->pending_count;
}

static struct carry_verdict request(struct controller *t, const struct ndp_block *b, uint32_t mask, uint32_t stack)
{
	const struct tom_params *p = t->params;
	struct destination *d = &t->stacks[stack];
	struct carry_verdict o = {
	    .way = CARRY_OFFLOAD,
	    .block = &b->block,
	    .stack = stack,
	    .request_bytes =
		(uint32_t)p->tom_packet_bytes + registers_bytes(mask, b->in_register_count, b->in_predicate_count),
	    .reply_bytes = registers_bytes(mask, b->out_register_count, b->out_predicate_count),
	    .reply_line_bytes = p->tom_coherence ? (uint32_t)p->tom_line_address_bytes : 0,
	    .latency_cycles = (uint32_t)p->tom_latency_cycles,
	    .start_cycles = b->constant_count,
	    .invalidate_cycles = (uint32_t)p->tom_invalidate_cycles,
	    .invalidate_lines = p->tom_coherence,
	    .written = p->tom_flush == TOM_FLUSH_WRITTEN ? &t->written : NULL,
	};

	if (p->tom_free_messages) {
		o.is_free = true;
		o.request_bytes = o.reply_bytes = o.reply_line_bytes = 0;
	}
	if (p->tom_pending_from == TOM_PENDING_FROM_DECISION)
		count_pending(t, d, b);
	t->stats.request_bytes += o.request_bytes;
	return o;
}

static uint32_t instance_number(const struct controller *t, uint32_t home_sm, uint32_t slot)
{
	return home_sm * (uint32_t)t->config->sm.warp_slot_count + slot;
}

/* The entry of the table, and the registers of the condition. */
static struct carry_reads controller_block_reads(void *ctx, uint32_t mark)
{
	struct controller *t = ctx;
	const struct ndp_block *b = &t->blocks->items[mark - 1];
	struct carry_reads r = {.passes = t->table_passes};

	if (!t->params->tom_table_reads || !t->has_table || b->window.rest_count)
		return (struct carry_reads){0};
	for (uint32_t i = 0; b->has_condition && i < b->condition_bytes / 4; i++) {
		r.registers[r.register_count++] = (uint16_t)(b->condition_sb + i);
		if (b->is_difference)
			r.registers[r.register_count++] = (uint16_t)(b->less_sb + i);
	}
	t->stats.table_read_count++;
	t->stats.condition_read_count += r.register_count;
	return r;
}

/* ---- the GPU's caches, with tom_stay_hit_ratio ---- */

static bool lives_in_caches(const struct controller *t, const struct ndp_block *b)
{
	return t->params->tom_stay_hit_ratio < 1 && b->hits.lines >= t->params->tom_stay_learn_count &&
	       (double)b->hits.held > t->params->tom_stay_hit_ratio * (double)b->hits.lines;
}

/* A load of a block that its warp runs at home. */
static void look_up(struct controller *t, struct gpu *g, uint32_t home_sm, uint32_t slot,
		    const struct coalesced_line *lines, uint32_t count)
{
	struct ndp_block *b = t->home_blocks[instance_number(t, home_sm, slot)];

	if (!b)
		return;
	for (uint32_t i = 0; i < count; i++)
		b->hits.held += gpu_caches_hold(g, home_sm, lines[i].addr_bytes);
	b->hits.lines += count;
	if (b->hits.lines >= 2 * t->params->tom_stay_learn_count) {
		b->hits.lines /= 2;
		b->hits.held /= 2;
	}
}

/* ---- ndp.away = auto ---- */

/* The block is at home; nothing is read where it rests. */
static struct carry_verdict rest(struct controller *t, const struct ndp_block *b)
{
	t->stats.slow_count++;
	return (struct carry_verdict){.way = CARRY_STAY,
				      .block = &b->block,
				      .is_observed = true,
				      .asks_again = t->params->tom_ask_again,
				      .why = "it took longer in the stacks"};
}

/* Is a link full of what instances at home ask for, beyond what their answers would put there? */
static bool is_relief(const struct controller *t, const struct ndp_block *b)
{
	return (t->automatic->rx_is_full && b->tag & NDP_TAG_RX && 4 * b->hits.held < 3 * b->hits.lines) ||
	       (t->automatic->tx_is_full && b->tag & NDP_TAG_TX);
}

static bool window_lets(struct controller *t, struct gpu *g, struct ndp_block *b, const struct carry_access *a)
{
	struct ndp_auto_asks asks = {.is_counted = b->is_counted,
				     .saves_rx = b->tag & NDP_TAG_RX,
				     .line_count = a->known_count,
				     .busy = b->alu_ratio};
	struct ndp_scene scene;

	ndp_auto_look(t->automatic, g);
	asks.is_relief = is_relief(t, b);
	scene = ndp_auto_scene(t->automatic, g, &asks);
	return ndp_window_may_go(&b->window, &scene);
}

/* ---- what a block asks ---- */

/* Why a block of the warp stays whatever it accesses, or NULL; counted. */
static const char *reason_to_stay(struct controller *t, const struct ndp_block *b, const struct simt_warp *w,
				  bool is_learning)
{
	if (!ndp_block_is_whole(b, w)) {
		t->stats.parted_count++;
		return "its warp's lanes are parted";
	}
	if (is_learning) {
		t->stats.learning_count++;
		return "the mapping is being learned";
	}
	if (lives_in_caches(t, b)) {
		t->stats.cached_count++;
		return "the GPU's caches have what it reads";
	}
	return NULL;
}

/* Step 1. What follows depends on where the block goes: asked again at its first access. */
static struct carry_verdict controller_block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
						 uint32_t mark)
{
	struct controller *t = ctx;
	struct ndp_block *b = &t->blocks->items[mark - 1];
	const char *why = "its condition is false";
	const bool holds = ndp_block_condition_holds(b, w);

	(void)g;
	t->stats.instance_count++;
	if (!t->has_table) {
		t->stats.no_room_count++;
		if (t->home_blocks)
			t->home_blocks[instance_number(t, sm, w->slot)] = NULL;
		return (struct carry_verdict){.way = CARRY_STAY, .block = &b->block, .why = "no room for its table"};
	}
	if (!holds) {
		count_decision(&t->stats, TOM_KEEP_CONDITION);
	} else {
		why = reason_to_stay(t, b, w, map_observer_is_learning(t->observer));
		map_observer_enter(t->observer, sm, w->slot);
		tom_offsets_open(t->offsets, instance_number(t, sm, w->slot), mark - 1);
	}
	if (t->home_blocks)
		t->home_blocks[instance_number(t, sm, w->slot)] = holds ? b : NULL;
	if (t->automatic && holds)
		ndp_visit_open(&t->automatic->visits[instance_number(t, sm, w->slot)], &b->window,
			       sim_now_ps(t->ctx->engine));
	if (t->automatic && !why && holds && ndp_window_rests(&b->window))
		return rest(t, b);
	if (t->timed && holds) {
		struct ndp_timed_instance *i = &t->timed[instance_number(t, sm, w->slot)];

		ndp_timed_open(i, &b->timed, sim_now_ps(t->ctx->engine));
		i->ends_in_access = b->ends_in_access;
	}
	return (struct carry_verdict){
		.way = why ? CARRY_STAY : CARRY_ASK,
		.why = why,
		.is_observed = holds,
		.block = &b->block,
	};
}

static uint32_t controller_ahead(void *ctx)
{
	const struct controller *t = ctx;

	return t->chooser.access_count;
}

static uint32_t choose(struct controller *t, struct gpu *g, const struct carry_access *a)
{
	for (uint32_t s = 0; s < t->stack_count; s++)
		t->loads[s] = t->stacks[s].pending_count;
	return carry_destination(&t->chooser, g, a, t->loads);
}

/* What watches instances at home has one less. */
static void note_offload(struct controller *t, uint32_t instance)
{
	if (t->home_blocks)
		t->home_blocks[instance] = NULL;
	if (t->timed)
		ndp_timed_leave(&t->timed[instance], sim_now_ps(t->ctx->engine));
	if (t->automatic)
		ndp_visit_leave(&t->automatic->visits[instance], sim_now_ps(t->ctx->engine));
}

/* Steps 2 and 3. */
static struct carry_verdict controller_block_access(void *ctx, struct gpu *g, const struct carry_access *a,
						    uint32_t mask, uint32_t mark, uint32_t step_count)
{
	struct controller *t = ctx;
	struct ndp_block *b = &t->blocks->items[mark - 1];
	struct carry_verdict stay = {.block = &b->block, .why = "no access to memory",
				     .asks_again = t->params->tom_ask_again};

	if (a->count == 0) {
		t->stats.no_access_count++;
		return stay;
	}
	t->stats.trial_count += step_count != 0;

	uint32_t stack = choose(t, g, a);
	struct tom_situation s = {
	    .control = (enum tom_control)t->params->tom_control,
	    .condition_holds = true,
	    .tag = b->tag,
	    .pending_count = t->stacks[stack].pending_count,
	    .warp_limit = t->warp_limit,
	    .alu_ratio = b->alu_ratio,
	    .pending_alu = t->stacks[stack].pending_alu,
	    .alu_limit = t->params->tom_alu_warp_count,
	};

	look_at_channels(t, g, stack, &s.tx_is_busy, &s.rx_is_busy);

	enum tom_decision d = tom_decide(&s);

	if (t->automatic && (d == TOM_OFFLOAD || d == TOM_KEEP_FULL) && !window_lets(t, g, b, a)) {
		t->stats.slow_count++;
		stay.why = "it takes longer in the stacks";
		return stay;
	}
	if (d == TOM_OFFLOAD && t->timed && !ndp_timed_may_go(&b->timed, t->timed_first)) {
		t->stats.slow_count++;
		stay.why = "it takes longer in the stacks";
		return stay;
	}
	count_decision(&t->stats, d);
	stay.why = reasons[d];
	if (d != TOM_OFFLOAD)
		return stay;
	note_offload(t, instance_number(t, a->sm, a->slot));
	return request(t, b, mask, stack);
}

static void controller_block_sent(void *ctx, struct gpu *g, const struct carry_verdict *o)
{
	struct controller *t = ctx;

	(void)g;
	if (t->params->tom_pending_from == TOM_PENDING_FROM_SENT)
		count_pending(t, &t->stacks[o->stack], (const struct ndp_block *)o->block); /* its first member */
}

static void controller_block_end(void *ctx, struct gpu *g, uint32_t sm, const struct carry_verdict *o,
				 uint32_t line_count)
{
	struct controller *t = ctx;
	struct destination *d = &t->stacks[o->stack];
	const struct ndp_block *b = (const struct ndp_block *)o->block; /* its first member */

	(void)g;
	(void)sm;
	CHECK(d->pending_count > 0);
	d->pending_count--;
	d->pending_alu = d->pending_count ? d->pending_alu - b->alu_ratio : 0;
	t->stats.answer_bytes += o->reply_bytes + line_count * o->reply_line_bytes;
	t->stats.answer_lines += line_count;
}

static void controller_block_touch(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot,
				   const struct simt_step *step, const struct coalesced_line *lines, uint32_t count)
{
	struct controller *t = ctx;

	if (t->home_blocks && !(step->inst->flags & SIMT_STORE))
		look_up(t, g, home_sm, slot, lines, count);
	if (t->timed)
		t->timed[instance_number(t, home_sm, slot)].accesses++;
	if (t->automatic)
		ndp_visit_access(&t->automatic->visits[instance_number(t, home_sm, slot)],
				 sim_now_ps(t->ctx->engine));
	tom_offsets_touch(t->offsets, instance_number(t, home_sm, slot), step->pc, step->access_mask, step->addr);
	map_observer_touch(t->observer, g, home_sm, slot, lines, count);
}

static void controller_block_left(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot)
{
	struct controller *t = ctx;

	if (t->timed)
		ndp_timed_close(&t->timed[instance_number(t, home_sm, slot)], sim_now_ps(t->ctx->engine));
	if (t->automatic)
		ndp_visit_close(&t->automatic->visits[instance_number(t, home_sm, slot)],
				sim_now_ps(t->ctx->engine));
	map_observer_left(t->observer, g, home_sm, slot);
}

static void controller_resumed(void *ctx, struct gpu *g)
{
	struct controller *t = ctx;

	(void)g;
	if (t->hints)
		map_hints_resumed(t->hints);
	else
		map_observer_resumed(t->observer);
	tom_offsets_forget(t->offsets);
}

/* A copy of a line lies in the vault and the row in which the line lies in its own stack. */
static void read_copy(struct controller *t, const struct gpu *g, uint32_t sm, struct mem_req *r)
{
	const uint32_t stack = gpu_sm_stack(g, sm);

	if (stack == UINT32_MAX || r->stack == stack || r->op != MEM_READ ||
	    !tom_copies_have(&t->copies, r->addr_bytes, sim_now_ps(t->ctx->engine)))
		return;
	r->stack = (uint8_t)stack;
	t->stats.copied_reads++;
}

static void controller_access(void *ctx, struct gpu *g, uint32_t sm, struct mem_req *r)
{
	struct controller *t = ctx;

	map_observer_access(t->observer, g, r);
	if (t->hints)
		map_hints_place(t->hints, r);
	if (t->copies.of.count && r->kind == MEM_KIND_DATA && !r->is_host)
		read_copy(t, g, sm, r);
	if (ctas_homes_is_on(t->homes))
		ctas_homes_access(t->homes, g, sm, r);
}

static enum gpu_beside controller_beside(const void *ctx)
{
	const struct controller *t = ctx;

	/* A loop's round ends, and requests get their places, where SMs tick beside each other: both count for all. */
	if (t->timed || t->automatic || tom_copies_may_be(&t->copies) || ctas_homes_is_on(t->homes))
		return GPU_BESIDE_NEVER;
	return map_observer_is_settled(t->observer) ? GPU_BESIDE_NOW : GPU_BESIDE_NOT_NOW;
}

static void controller_maps(void *ctx, struct gpu_mapper *out)
{
	struct controller *t = ctx;

	if (t->hints)
		map_hints_maps(t->hints, out);
	else
		map_observer_maps(t->observer, out);
}

/* Moves each candidate to the class that it has with this launch. */
static void count_offsets(struct controller *t)
{
	struct tom_stats *st = &t->stats;
	uint64_t nothing_compared = 0;
	uint64_t *classes[] = {
	    [TOM_OFFSET_ALL] = &st->offset_all_count,	[TOM_OFFSET_75] = &st->offset_75_count,
	    [TOM_OFFSET_50] = &st->offset_50_count,	[TOM_OFFSET_25] = &st->offset_25_count,
	    [TOM_OFFSET_0] = &st->offset_0_count,	[TOM_OFFSET_NONE] = &st->offset_none_count,
	    [TOM_OFFSET_CLASSES] = &nothing_compared,
	};

	for (uint32_t i = 0; i < t->blocks->count; i++) {
		struct ndp_offset_share *share = &t->blocks->items[i].offsets, before = *share;

		tom_offsets_add(t->offsets, i, share);
		st->offset_accesses += share->accesses - before.accesses;
		st->offset_fixed += share->fixed - before.fixed;
		--*classes[tom_offset_class_of(&before)];
		++*classes[tom_offset_class_of(share)];
	}
}

static void controller_kernel_end(void *ctx, struct gpu *g, struct simt_launch *l)
{
	struct controller *t = ctx;

	(void)g;
	(void)l;
	for (uint32_t i = 0; t->automatic && i < t->blocks->count; i++)
		ndp_window_end(&t->blocks->items[i].window, t->automatic->begin_ps, sim_now_ps(t->ctx->engine));
	count_offsets(t);
	if (t->homes)
		ctas_homes_kernel_end(t->homes);
	map_observer_kernel_end(t->observer);
}

static void controller_stats(const struct ndp_site *site, struct sim_stat_tables *out)
{
	sim_stat_tables_add(out, &tom_stat_table);
	sim_stat_tables_add(out, &map_stat_table);
	if (!site || site->ndp->ctas.ctas != NDP_CTAS_NONE)
		sim_stat_tables_add(out, &ctas_stat_table);
	if (!site || site->ndp->map.hints != NDP_HINTS_IGNORE)
		sim_stat_tables_add(out, &map_hints_stat_table);
}

#define EXPLAIN_LINKAGE static
#define EXPLAIN_TABLE tom_explain
#define EXPLAIN_ROWS "ndp/tom/tom_explain.def"
#include "sim/explain.inc"

const struct ndp_mechanism ndp_tom = {
    .reads = NDP_READS_DESTINATION | NDP_READS_SHUFFLES | NDP_READS_TIMED | NDP_READS_AWAY | NDP_READS_CTAS,
    .explain = &tom_explain,
    .stats = controller_stats,
    .ops =
	{
	    .name = "tom",
	    .shared_bytes = controller_shared_bytes,
	    .block_reads = controller_block_reads,
	    .kernel_begin = controller_kernel_begin,
	    .block_begin = controller_block_begin,
	    .block_access = controller_block_access,
	    .ahead = controller_ahead,
	    .block_sent = controller_block_sent,
	    .block_end = controller_block_end,
	    .block_touch = controller_block_touch,
	    .block_left = controller_block_left,
	    .resumed = controller_resumed,
	    .access = controller_access,
	    .maps = controller_maps,
	    .beside = controller_beside,
	    .learns = controller_learns,
	    .cta_start = controller_cta_start,
	    .cta_back = controller_cta_back,
	    .cta_placed = controller_cta_placed,
	    .kernel_end = controller_kernel_end,
	    .add_stats = controller_add_stats,
	    .free = controller_free,
	},
    .create = controller_create,
    .storage = tom_metadata_storage,
};
