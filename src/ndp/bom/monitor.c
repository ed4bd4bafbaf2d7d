/* monitor.c - the block offload monitor of BOM (MSc thesis 2017), chapter 5: records how long the blocks of every GPU
 * core take, selects slow ones, and moves those that pass its checks to a PIM core.
 *
 * It looks at a core whenever one of its blocks completes, and at all cores every ndp.bom_look_cycles. What carries a
 * block is ndp/carry/cta.c.
 */
#include <glib.h>

#include "base/check.h"
#include "ndp/bom/hint.h"
#include "ndp/bom/pace.h"
#include "ndp/bom/select.h"
#include "ndp/carry/carry.h"
#include "ndp/mechanism.h"

struct bom_stats {
#include "sim/stat_fields.inc"
#include "ndp/bom/bom_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct bom_stats
#include "sim/stat_rows.inc"
#include "ndp/bom/bom_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_table bom_stat_table = {"bom", stat_rows, ARRAY_COUNT(stat_rows)};

/* The L1D of a GPU core when counting began (ndp.bom_rates). */
struct l1_base {
	uint64_t reads, misses;
};

struct monitor {
	const struct gpu_config *config;
	const struct bom_params *params;
	struct bom_core *cores; /* [GPU core] */
	struct l1_base *bases;	/* [GPU core] */
	uint32_t *rooms;	/* [PIM core] */
	uint32_t core_count, pim_count, pim_turn;
	uint64_t begin_cycle, begin_busy_ps; /* of the kernel; of all links, both directions, by then */
	struct bom_pace pace;
	uint64_t pace_cycle, pace_instructions; /* end and begin of the step */
	bool uses_shared;
	double memory_share;
	struct bom_stats stats;
};

static void *monitor_create(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	if (config->gpu.stack_sm_count == 0) {
		base_diag_error(diag, (struct base_place){0},
				"ndp.mechanism = bom needs SMs in the stacks: set gpu.stack_sm_count to 1 or more");
		return NULL;
	}
	if (config->l2.write_policy != MEM_CACHE_WRITE_POLICY_THROUGH) {
		base_diag_error(diag, (struct base_place){0},
				"l2.write_policy = back: PIM cores read memory past the L2, so that stores must reach "
				"it (BOM section 4.3); set it to through");
		return NULL;
	}

	struct monitor *b = g_new0(struct monitor, 1);

	b->config = config;
	b->params = &site->ndp->bom;
	b->core_count = (uint32_t)config->gpu.sm_count;
	b->pim_count = (uint32_t)(config->gpu.stack_count * config->gpu.stack_sm_count);
	b->cores = g_new0(struct bom_core, b->core_count);
	b->bases = g_new0(struct l1_base, b->core_count);
	b->rooms = g_new0(uint32_t, b->pim_count);
	bom_pace_begin(&b->pace, b->params->bom_interval_cycles);
	return b;
}

static void monitor_free(void *ctx)
{
	struct monitor *b = ctx;

	g_free(b->cores);
	g_free(b->bases);
	g_free(b->rooms);
	g_free(b);
}

static void monitor_add_stats(void *ctx, struct sim_stats *stats)
{
	struct monitor *b = ctx;

	sim_stats_add_table(stats, &bom_stat_table, &b->stats, sizeof(b->stats));
	sim_stats_law(stats, "bom.offload_count = gpu.cta_moves");
	sim_stats_law(stats, "bom.wait_count = gpu.cta_gathers");
}

static uint64_t links_busy_ps(const struct monitor *b, const struct gpu *g)
{
	uint64_t ps = 0;

	for (uint32_t s = 0; s < b->config->gpu.stack_count; s++)
		ps += gpu_link_busy_ps(g, s, false) + gpu_link_busy_ps(g, s, true);
	return ps;
}

static void monitor_kernel_begin(void *ctx, struct gpu *g, struct simt_launch *l, struct simt_program *p)
{
	struct monitor *b = ctx;

	/* PIM cores that have shared memory take such blocks, contents and all. */
	b->uses_shared = p->shared_static_bytes + l->shared_dynamic_bytes > 0 &&
			 !b->config->gpu.stack_sm_shared && !b->config->gpu.stack_sm_shared_stays;
	b->memory_share = b->params->bom_min_memory_share > 0 ? bom_memory_share(p) : 1;
	gpu_follow_reads(g);
	for (uint32_t i = 0; i < b->core_count; i++) {
		bom_core_begin(&b->cores[i], b->params->bom_mean == BOM_MEAN_KERNEL);
		if (b->params->bom_rates != BOM_RATES_RUN)
			gpu_l1d_reads(g, i, &b->bases[i].reads, &b->bases[i].misses);
	}
	b->begin_cycle = gpu_now_cycles(g);
	b->begin_busy_ps = links_busy_ps(b, g);
	b->pace_cycle = gpu_now_cycles(g) + b->params->bom_climb_cycles;
	b->pace_instructions = gpu_thread_instructions(g);
}

/* ---- questions ---- */

/* Misses per read since counting began; negative: the core has read nothing. */
static double miss_rate(const struct monitor *b, const struct gpu *g, uint32_t core)
{
	uint64_t reads, misses;

	gpu_l1d_reads(g, core, &reads, &misses);
	reads -= b->bases[core].reads;
	misses -= b->bases[core].misses;
	return reads ? (double)misses / (double)reads : -1;
}

/* Over the cores that have read anything. */
static double mean_miss_rate(const struct monitor *b, const struct gpu *g)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->core_count; i++) {
		double rate = miss_rate(b, g, i);

		sum += rate < 0 ? 0 : rate;
		count += rate >= 0;
	}
	return count ? sum / count : 0;
}

static const double ps_per_khz_cycle = 1e9; /* of a clock of 1 kHz */

/* Of the kernel's time, the mean over the wires to and from all stacks. */
static double traffic_share(const struct monitor *b, const struct gpu *g)
{
	double cycles = (double)(gpu_now_cycles(g) - b->begin_cycle);
	double ps = cycles * ps_per_khz_cycle / (double)b->config->gpu.sm_clock_khz;

	return cycles > 0 ? (double)(links_busy_ps(b, g) - b->begin_busy_ps) /
				(ps * 2 * (double)b->config->gpu.stack_count)
			  : 0;
}

static uint32_t destination(struct monitor *b, const struct gpu *g)
{
	for (uint32_t i = 0; i < b->pim_count; i++)
		b->rooms[i] = gpu_cta_room(g, b->core_count + i);
	return bom_destination(b->rooms, b->pim_count, b->pim_turn);
}

static void count_verdict(struct bom_stats *st, enum bom_verdict v, bool waits)
{
	uint64_t *const counts[] = {
	    [BOM_KEEP_WARPS] = &st->warps_count,     [BOM_KEEP_MISS_RATE] = &st->miss_rate_count,
	    [BOM_KEEP_MSHRS] = &st->mshr_count,	     [BOM_KEEP_TRAFFIC] = &st->traffic_count,
	    [BOM_KEEP_STORES] = &st->stores_count,   [BOM_KEEP_DIVERGED] = &st->diverged_count,
	    [BOM_KEEP_ISSUED] = &st->issued_count,   [BOM_KEEP_BARRIER] = &st->barrier_count,
	    [BOM_KEEP_SHARED] = &st->shared_count,   [BOM_KEEP_HINT] = &st->hint_count,
	    [BOM_KEEP_FULL] = &st->full_count,	     [BOM_LEAVE] = waits ? &st->wait_count : &st->offload_count,
	};

	++*counts[v];
}

/* ---- decisions ---- */

static const char *const reasons[] = {
    [BOM_KEEP_WARPS] = "too few warps left",
    [BOM_KEEP_MISS_RATE] = "its SM's miss rate is not above the mean",
    [BOM_KEEP_MSHRS] = "few of its SM's MSHRs are in use",
    [BOM_KEEP_TRAFFIC] = "little traffic on the links",
    [BOM_KEEP_STORES] = "stores under way",
    [BOM_KEEP_DIVERGED] = "diverged",
    [BOM_KEEP_ISSUED] = "loads or results under way",
    [BOM_KEEP_BARRIER] = "at a barrier",
    [BOM_KEEP_SHARED] = "it uses shared memory",
    [BOM_KEEP_HINT] = "too few memory instructions",
    [BOM_KEEP_FULL] = "the stacks' SMs are full",
    [BOM_LEAVE] = NULL,
};

static enum bom_verdict judge(struct monitor *b, struct gpu *g, uint32_t core, uint64_t cta, uint32_t pim)
{
	const struct bom_params *p = b->params;
	struct carry_cta_state state = carry_cta_state(g, core, cta);
	const struct bom_situation s = {
	    .active_warps = state.active_warps,
	    .min_warps = (uint32_t)p->bom_min_warp_count,
	    .miss_rate = miss_rate(b, g, core),
	    .mean_miss_rate = mean_miss_rate(b, g),
	    .checks_miss_rate = p->bom_miss_rate,
	    .moves_diverged = p->bom_diverged,
	    .mshr_share = gpu_l1d_mshr_share(g, core),
	    .min_mshr_share = p->bom_min_mshr_share,
	    .traffic_share = traffic_share(b, g),
	    .min_traffic_share = p->bom_min_traffic_share,
	    .drain = (enum bom_drain)p->bom_drain,
	    .waits = p->bom_wait_cycles > 0,
	    .has_stores = state.has_stores,
	    .has_loads = state.has_loads,
	    .is_issued = state.is_issued,
	    .is_diverged = state.is_diverged,
	    .at_barrier = state.at_barrier,
	    .uses_shared = b->uses_shared,
	    .memory_share = b->memory_share,
	    .min_memory_share = p->bom_min_memory_share,
	    .has_room = pim < b->pim_count ||
			(p->bom_when_full == BOM_FULL_WAIT && p->bom_wait_cycles > 0),
	};

	return bom_judge(&s);
}

static void leave(struct monitor *b, struct gpu *g, uint32_t core, uint64_t cta, uint32_t pim)
{
	const struct bom_params *p = b->params;
	const struct carry_cta_order o = {
	    .from_sm = core,
	    .cta = cta,
	    .to_sm = pim < b->pim_count ? b->core_count + pim : CARRY_NO_SM,
	    .latency_cycles = (uint32_t)p->bom_latency_cycles,
	    .is_free = !p->bom_packets,
	    .converges = !p->bom_diverged,
	    .stops = p->bom_stops,
	    .wait_cycles = p->bom_wait_cycles,
	};

	if (pim < b->pim_count)
		b->pim_turn = (pim + 1) % b->pim_count;
	else
		b->stats.room_wait_count++;
	if (p->bom_wait_cycles) {
		bom_core_block(&b->cores[core], cta)->is_waiting = true;
		carry_cta_gather(g, &o);
		return;
	}
	carry_cta_move(g, core, cta, o.to_sm, o.latency_cycles, o.is_free);
	bom_core_left(&b->cores[core], cta);
}

/* A block that waits stands (in time) or has waited in vain. A core whose block stays may send another at once. */
static bool monitor_cta_gathered(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta, bool is_in_time)
{
	struct monitor *b = ctx;
	struct bom_core *c = &b->cores[sm];
	struct bom_block *x = bom_core_block(c, cta);
	uint64_t now = gpu_now_cycles(g);
	bool has_warps = carry_cta_state(g, sm, cta).active_warps >= b->params->bom_min_warp_count;

	if (is_in_time && has_warps) {
		b->stats.offload_count++;
		bom_core_left(c, cta);
		return true;
	}
	b->stats.late_count += !is_in_time;
	b->stats.warps_count += is_in_time;
	x->is_waiting = false;
	x->look_cycle = now + b->params->bom_look_cycles;
	c->offload_cycle = now;
	return false;
}

/* A place for a block that was selected without one. */
static uint32_t monitor_cta_place(void *ctx, struct gpu *g)
{
	struct monitor *b = ctx;
	const uint32_t pim = destination(b, g);

	if (pim == b->pim_count)
		return CARRY_NO_SM;
	b->pim_turn = (pim + 1) % b->pim_count;
	return b->core_count + pim;
}

/* True: the core is done with until its next look. */
static bool look_at_block(struct monitor *b, struct gpu *g, uint32_t core, struct bom_block *x, uint64_t now)
{
	const struct bom_params *p = b->params;
	const struct bom_slowness slow = {p->bom_slow_ratio, (uint32_t)p->bom_later_count};
	struct bom_core *c = &b->cores[core];
	enum bom_case which =
	    now < x->look_cycle || x->is_waiting ? BOM_CASE_NONE : bom_case_of(c, x, &slow, now);

	if (which == BOM_CASE_NONE)
		return false;
	b->stats.slow_block_count += which == BOM_CASE_SLOW_BLOCK;
	b->stats.slow_core_count += which == BOM_CASE_SLOW_CORE;
	if (now < c->offload_cycle) {
		b->stats.pace_count++;
		return true;
	}

	uint32_t pim = destination(b, g);
	enum bom_verdict v = judge(b, g, core, x->cta, pim);

	count_verdict(&b->stats, v, p->bom_wait_cycles > 0);
	carry_cta_offered(g, reasons[v]);
	x->look_cycle = now + p->bom_look_cycles;
	if (v != BOM_LEAVE)
		return false;
	c->offload_cycle = now + b->pace.interval_cycles;
	leave(b, g, core, x->cta, pim);
	return true;
}

static void look_at_core(struct monitor *b, struct gpu *g, uint32_t core, uint64_t now)
{
	struct bom_core *c = &b->cores[core];
	uint32_t count = c->count;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = (c->turn + k) % count;

		if (!look_at_block(b, g, core, &c->blocks[i], now))
			continue;
		c->turn = i;
		return;
	}
	c->turn = count ? (c->turn + 1) % count : 0;
}

/* ---- events ---- */

static bool is_pim(const struct monitor *b, uint32_t sm)
{
	return sm >= b->core_count;
}

static void monitor_cta_placed(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct monitor *b = ctx;

	if (!is_pim(b, sm))
		bom_core_placed(&b->cores[sm], cta, gpu_now_cycles(g));
}

static void monitor_cta_done(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct monitor *b = ctx;
	uint64_t now = gpu_now_cycles(g);

	if (is_pim(b, sm))
		return;
	bom_core_done(&b->cores[sm], cta, now);
	look_at_core(b, g, sm, now);
}

static void pace_look(struct monitor *b, struct gpu *g, uint64_t now)
{
	uint64_t instructions = gpu_thread_instructions(g);

	if (b->params->bom_pace != BOM_PACE_CLIMB || now < b->pace_cycle)
		return;
	bom_pace_step(&b->pace, instructions - b->pace_instructions);
	b->pace_cycle = now + b->params->bom_climb_cycles;
	b->pace_instructions = instructions;
	b->stats.pace_steps++;
	if (b->pace.interval_cycles > b->stats.interval_max_cycles)
		b->stats.interval_max_cycles = b->pace.interval_cycles;
}

static uint64_t monitor_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct monitor *b = ctx;
	uint64_t now = gpu_now_cycles(g);

	(void)cycle;
	pace_look(b, g, now);
	for (uint32_t i = 0; i < b->core_count; i++)
		look_at_core(b, g, i, now);
	for (uint32_t i = 0; i < b->core_count && b->params->bom_rates == BOM_RATES_LOOK; i++)
		gpu_l1d_reads(g, i, &b->bases[i].reads, &b->bases[i].misses);
	return b->params->bom_look_cycles;
}

/* What it hears of where SMs tick beside each other is held; and of what other SMs have read it sees what they had. */
static enum gpu_beside monitor_beside(const void *ctx)
{
	(void)ctx;
	return GPU_BESIDE_NOW;
}

static bool monitor_learns(const void *ctx)
{
	const struct monitor *b = ctx;

	return b->params->bom_pace == BOM_PACE_CLIMB;
}

static uint32_t monitor_storage(const struct ndp_site *site, struct ndp_storage *items)
{
	const struct gpu_config *config = site->gpu;
	const char *const source = "BOM (MSc thesis 2017) section 5.4.1; widths are a choice";
	uint64_t slots = config->sm.cta_slot_count, cores = config->gpu.sm_count;
	uint32_t n = 0;

	items[n++] = (struct ndp_storage){"launch time, reference time (32 bits each) and a 2-bit count per block",
					  66 * slots, cores, "SM", source};
	items[n++] = (struct ndp_storage){"completed blocks (32 bits) and their times (48)", 80, cores, "SM", source};
	items[n++] = (struct ndp_storage){"reads and misses of the L1D", 64, cores, "SM", source};
	return n;
}

static void monitor_stats(const struct ndp_site *site, struct sim_stat_tables *out)
{
	(void)site;
	sim_stat_tables_add(out, &bom_stat_table);
}

#define EXPLAIN_LINKAGE static
#define EXPLAIN_TABLE bom_explain
#define EXPLAIN_ROWS "ndp/bom/bom_explain.def"
#include "sim/explain.inc"

const struct ndp_mechanism ndp_bom = {
    .explain = &bom_explain,
    .stats = monitor_stats,
    .ops =
	{
	    .name = "bom",
	    .kernel_begin = monitor_kernel_begin,
	    .cta_placed = monitor_cta_placed,
	    .cta_done = monitor_cta_done,
	    .cta_gathered = monitor_cta_gathered,
	    .cta_place = monitor_cta_place,
	    .beside = monitor_beside,
	    .learns = monitor_learns,
	    .epoch = monitor_epoch,
	    .epoch_cycles = 1,
	    .add_stats = monitor_add_stats,
	    .free = monitor_free,
	},
    .create = monitor_create,
    .storage = monitor_storage,
};
