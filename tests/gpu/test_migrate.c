/* CTAs that move from SMs of the GPU to SMs of the stacks while they run: none is lost, doubled or changed (run.audit
 * compares their state), none of their warps issues on the way, and the packets weigh what the context does. */
#include <stdlib.h>

#include "base/check.h"
#include "rig.h"

enum { CTAS = 48, THREADS = 128, WARPS = THREADS / 32, ROUNDS = 12, SLOTS = 5 };

/* Moves whatever it may, and remembers what it was told. */
struct mover {
	struct carry_policy ops;
	uint32_t gpu_sms, stack_sms;
	uint32_t latency_cycles;
	bool is_free, moves_diverged;
	uint32_t moves_max; /* 0: no limit */
	uint32_t resident[CTAS], placed[CTAS], done[CTAS], moved[CTAS];
	uint32_t moves, done_in_stacks, turn;
	bool has_seen_loads, has_seen_stores, has_seen_issued, has_seen_barrier;
};

static uint64_t scattered(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (thread * 2654435761u + visit * 40503u) % (1 << 20) * 4;
}

static uint64_t stream(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (1 << 24) + (uint64_t)visit * 65536 + thread * 4;
}

static void placed(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct mover *m = ctx;

	(void)g;
	assert_int_equal(m->placed[cta]++, 0);
	m->resident[cta] = sm;
}

static void done(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct mover *m = ctx;

	assert_int_equal(m->placed[cta], 1);
	assert_int_equal(m->done[cta]++, 0);
	assert_int_equal(m->resident[cta], sm);
	m->done_in_stacks += gpu_sm_stack(g, sm) != UINT32_MAX;
}

static bool try_move(struct mover *m, struct gpu *g, uint64_t cta)
{
	struct carry_cta_state s = carry_cta_state(g, m->resident[cta], cta);

	m->has_seen_loads |= s.has_loads;
	m->has_seen_stores |= s.has_stores;
	m->has_seen_issued |= s.is_issued;
	m->has_seen_barrier |= s.at_barrier;
	if (s.active_warps == 0 || s.at_barrier)
		return false;
	for (uint32_t k = 0; k < m->stack_sms; k++) {
		uint32_t to = m->gpu_sms + (m->turn + k) % m->stack_sms;

		if (!gpu_cta_room(g, to))
			continue;
		carry_cta_move(g, m->resident[cta], cta, to, m->latency_cycles, m->is_free);
		m->resident[cta] = to;
		m->moved[cta]++;
		m->moves++;
		m->turn++;
		return true;
	}
	return false;
}

static uint64_t epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct mover *m = ctx;

	(void)cycle;
	for (uint32_t cta = 0; cta < CTAS; cta++) {
		if (m->placed[cta] && !m->done[cta] && !m->moved[cta] &&
		    (!m->moves_max || m->moves < m->moves_max) && try_move(m, g, cta))
			break;
	}
	return 97;
}

static const struct carry_policy ops = {
    .name = "mover", .cta_placed = placed, .cta_done = done, .epoch = epoch, .epoch_cycles = 300};

/* Loads whose values are used at once or much later, stores, a barrier at which warps meet, and a loop. */
static const struct fake_inst work[] = {
    FAKE_LOAD(1, scattered),
    FAKE_ALU(SIMT_UNIT_FP32, 2, 1),
    FAKE_STORE(2, stream),
    FAKE_LOAD(3, scattered),
    FAKE_ALU(SIMT_UNIT_SFU, 4, 2),
    FAKE_BARRIER,
    FAKE_LOOP(0, ROUNDS - 1),
    FAKE_EXIT,
};

#define SMALL                                                                                                      \
	"gpu.sm_count", "2", "gpu.stack_sm_count", "1", "gpu.stack_sm_caches", "false", "gpu.stack_sm_l2_invalidate", \
	    "true"

static void run(struct rig *r, struct mover *m, const char *const *settings)
{
	m->gpu_sms = 2;
	m->stack_sms = 4;
	rig_open(r, &ops, m, settings);
	rig_run(r, work, ARRAY_COUNT(work), CTAS, THREADS);
}

static void check_all(struct rig *r, const struct mover *m)
{
	for (uint32_t i = 0; i < CTAS; i++)
		assert_int_equal(m->done[i], 1);
	assert_true(m->moves > 8);
	assert_int_equal(rig_stat(r, "gpu.cta_moves"), m->moves);
	assert_int_equal(rig_stat(r, "gpu.cta_arrivals"), m->moves);
	assert_int_equal(rig_stat(r, "sm.ctas"), CTAS);
	assert_int_equal(rig_stat(r, "sm.ctas_done"), CTAS);
	assert_int_equal(m->done_in_stacks, m->moves);
	assert_int_equal(rig_stat(r, "sm.warp_instructions"), CTAS * WARPS * (7 * ROUNDS + 1));
	assert_true(rig_stat(r, "sm.stall_move") > 0);
}

static void moves_free(void **state)
{
	static const char *const settings[] = {SMALL, NULL};
	struct mover m = {.is_free = true, .latency_cycles = 3};
	struct rig r;

	(void)state;
	run(&r, &m, settings);
	check_all(&r, &m);
	assert_int_equal(rig_stat(&r, "gpu.cta_context_bytes"), 0);
	assert_int_equal(rig_stat(&r, "l2_slice.offload_packets"), 0);
	assert_true(m.has_seen_loads && m.has_seen_stores && m.has_seen_issued && m.has_seen_barrier);
	assert_true(rig_stat(&r, "gpu.l2_invalidations") > 0);
	rig_close(&r);
}

/* Registers of all threads, in packets of 128 B and what is left. */
static void moves_in_packets(void **state)
{
	static const char *const settings[] = {SMALL, NULL};
	const uint64_t bytes = THREADS * 4 * SLOTS;
	struct mover m = {.latency_cycles = 3};
	struct rig r;

	(void)state;
	run(&r, &m, settings);
	check_all(&r, &m);
	assert_int_equal(rig_stat(&r, "gpu.cta_context_bytes"), m.moves * bytes);
	assert_int_equal(rig_stat(&r, "l2_slice.offload_packets"), m.moves * (bytes / 128));
	rig_close(&r);
}

static void moves_with_smallest_queues(void **state)
{
	static const char *const settings[] = {
	    SMALL, "sm.miss_queue_count", "1", "link.depth_count", "1", "xbar.depth_count", "1", "sm.store_count", "1",
	    "gpu.l2_queue_count", "1", "l1d.mshr_count", "1", "l2.mshr_count", "1", "mesh.depth_count", "1",
	    "gpu.stack_sm_warp_slot_count", "4", NULL};
	struct mover m = {.latency_cycles = 0};
	struct rig r;

	(void)state;
	run(&r, &m, settings);
	check_all(&r, &m);
	rig_close(&r);
}

static void moves_on_a_free_mesh(void **state)
{
	static const char *const settings[] = {SMALL, "gpu.mesh_is_free", "true", "dram.queue_entries", "2",
					     "dram.write_high_count", "1", "dram.write_low_count", "0", NULL};
	struct mover m = {.latency_cycles = 3};
	struct rig r;

	(void)state;
	run(&r, &m, settings);
	check_all(&r, &m);
	rig_close(&r);
}

/* The order, then the latency to the cycle: a CTA with nothing in flight leaves that much later. */
static uint64_t move_cycles(const char *latency)
{
	static const char *const settings[] = {SMALL, NULL};
	struct mover m = {.latency_cycles = (uint32_t)strtoul(latency, NULL, 10), .is_free = true, .moves_max = 1};
	struct sim_hist whole, drain;
	struct rig r;

	run(&r, &m, settings);
	assert_true(sim_stats_hist(r.ctx.stats, "gpu.cta_move_cycles", &whole));
	assert_true(sim_stats_hist(r.ctx.stats, "gpu.cta_drain_cycles", &drain));
	assert_int_equal(whole.count, 1);
	rig_close(&r);
	return whole.sum - drain.sum;
}

static void latency_to_the_cycle(void **state)
{
	(void)state;
	assert_int_equal(move_cycles("0"), 0);
	assert_int_equal(move_cycles("3"), 3);
	assert_int_equal(move_cycles("250"), 250);
}

/* Past the limit what has left, and what has not, still runs to its end. */
static void instruction_limit(void **state)
{
	static const char *const settings[] = {SMALL, "run.instruction_limit_count", "60000", NULL};
	struct mover m = {.latency_cycles = 40};
	struct rig r;

	(void)state;
	run(&r, &m, settings);
	assert_true(m.moves > 0);
	assert_int_equal(rig_stat(&r, "sm.warp_instructions") + rig_stat(&r, "gpu.untimed_warp_instructions"),
			 CTAS * WARPS * (7 * ROUNDS + 1));
	rig_close(&r);
}

/* The CTA scheduler fills the SMs of the stacks too, when it may. */
static void ctas_start_in_stacks(void **state)
{
	static const char *const both[] = {SMALL, "gpu.stack_sm_ctas", "true", NULL};
	static const char *const gpu_only[] = {SMALL, NULL};
	struct rig r;
	uint64_t cycles;

	(void)state;
	rig_open(&r, NULL, NULL, both);
	cycles = rig_run(&r, work, ARRAY_COUNT(work), CTAS, THREADS);
	assert_int_equal(rig_stat(&r, "sm.ctas_done"), CTAS);
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t ctas;

		assert_true(sim_stats_instance_value(r.ctx.stats, "sm.ctas", i, &ctas));
		assert_int_equal(ctas, CTAS / 6);
	}
	rig_close(&r);
	assert_true(cycles < rig_cycles(gpu_only, work, ARRAY_COUNT(work), CTAS, THREADS));
}

static uint64_t same(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return RIG_MEMORY;
}

/* All SMs of the stacks load from one vault, which is full: none is done long before another. */
static void full_vault_serves_in_turn(void **state)
{
	static const struct fake_inst loads[] = {
	    FAKE_LOAD(1, same), FAKE_LOAD(2, same), FAKE_LOAD(3, same), FAKE_LOAD(4, same), FAKE_LOAD(5, same),
	    FAKE_LOAD(6, same), FAKE_LOOP(0, 15), FAKE_EXIT,
	};
	static const char *const settings[] = {SMALL, "gpu.stack_sm_ctas", "true", "gpu.mesh_is_free", "true", NULL};
	uint64_t least = UINT64_MAX, most = 0;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, loads, ARRAY_COUNT(loads), CTAS, THREADS);
	assert_true(rig_stat(&r, "vault.queue_full_stalls") > 0);
	for (uint32_t i = 2; i < 6; i++) {
		uint64_t cycles, ctas;

		assert_true(sim_stats_instance_value(r.ctx.stats, "sm.cta_cycles", i, &cycles));
		assert_true(sim_stats_instance_value(r.ctx.stats, "sm.ctas_done", i, &ctas));
		assert_int_equal(ctas, CTAS / 6);
		least = cycles < least ? cycles : least;
		most = cycles > most ? cycles : most;
	}
	assert_true(most < least + least / 8);
	rig_close(&r);
}

/* The first warp's loads are near, the other's far. */
static uint64_t near_or_far(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + thread % 32 * 4 + (thread < 32 ? 0 : 4096 + (uint64_t)visit * 128);
}

/* Looks at the CTA in each cycle; orders it to move when its first warp has ended. */
static uint64_t early_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct mover *m = ctx;
	struct carry_cta_state s;

	(void)cycle;
	if (m->moves)
		return 0;
	s = carry_cta_state(g, 0, 0);
	if (s.active_warps != 1)
		return 1;
	m->has_seen_stores = s.has_stores;
	m->moves++;
	m->resident[0] = m->gpu_sms;
	carry_cta_move(g, 0, 0, m->gpu_sms, 0, true);
	return 0;
}

/* A warp that has ended leaves its store behind: the CTA has it under way, and waits for it before it leaves. */
static void stores_of_ended_warps(void **state)
{
	static const struct fake_inst early[] = {
	    FAKE_LOAD(1, near_or_far),
	    FAKE_ALU(SIMT_UNIT_FP32, 2, 1),
	    FAKE_LOOP(0, 15),
	    FAKE_STORE(2, stream),
	    FAKE_EXIT,
	};
	static const struct carry_policy early_ops = {
	    .name = "early", .cta_placed = placed, .cta_done = done, .epoch = early_epoch, .epoch_cycles = 100};
	/* The way of a store and back takes far longer than the other warp's next load. */
	static const char *const settings[] = {SMALL, "link.latency_ps", "100000", NULL};
	struct mover m = {.gpu_sms = 2, .stack_sms = 4};
	struct sim_hist drain;
	struct rig r;

	(void)state;
	rig_open(&r, &early_ops, &m, settings);
	rig_run(&r, early, ARRAY_COUNT(early), 1, 64);
	assert_int_equal(m.done_in_stacks, 1);
	assert_true(m.has_seen_stores);
	assert_true(sim_stats_hist(r.ctx.stats, "gpu.cta_drain_cycles", &drain));
	assert_true(drain.sum > 280);
	rig_close(&r);
}

/* ---- CTAs that gather first ---- */

struct gatherer {
	struct mover mover; /* the first: what placed and done know */
	uint64_t wait_cycles;
	bool stops, leaves;
	uint32_t orders, in_time, late;
};

/* Orders the CTA to move as soon as one of its warps waits at the barrier. */
static uint64_t gather_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct gatherer *m = ctx;
	struct carry_cta_order o = {.from_sm = 0, .to_sm = 2, .is_free = true, .converges = true};

	(void)cycle;
	if (m->orders || !m->wait_cycles)
		return 0;
	if (!carry_cta_state(g, 0, 0).at_barrier)
		return 1;
	o.stops = m->stops;
	o.wait_cycles = m->wait_cycles;
	m->orders++;
	carry_cta_gather(g, &o);
	return 0;
}

static bool gathered(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta, bool is_in_time)
{
	struct gatherer *m = ctx;

	m->in_time += is_in_time;
	m->late += !is_in_time;
	if (is_in_time)
		assert_false(carry_cta_state(g, sm, cta).at_barrier);
	if (is_in_time && m->leaves)
		m->mover.resident[cta] = 2;
	return m->leaves;
}

/* Returns the kernel's cycles. */
static uint64_t gather_run(struct gatherer *m)
{
	static const struct fake_inst meet[] = {
	    FAKE_LOAD(1, near_or_far), FAKE_ALU(SIMT_UNIT_FP32, 2, 1), FAKE_BARRIER, FAKE_LOOP(0, 7), FAKE_EXIT,
	};
	static const struct carry_policy gather_ops = {.name = "gatherer",
						       .cta_placed = placed,
						       .cta_done = done,
						       .epoch = gather_epoch,
						       .epoch_cycles = 1,
						       .cta_gathered = gathered};
	static const char *const settings[] = {SMALL, NULL};
	uint64_t cycles;
	struct rig r;

	rig_open(&r, &gather_ops, m, settings);
	rig_run(&r, meet, ARRAY_COUNT(meet), 1, 64);
	assert_int_equal(m->mover.done[0], 1);
	assert_int_equal(rig_stat(&r, "gpu.cta_gathers"), m->orders);
	assert_int_equal(rig_stat(&r, "gpu.cta_moves") + rig_stat(&r, "gpu.cta_releases"), m->orders);
	assert_int_equal(rig_stat(&r, "gpu.cta_moves"), m->leaves ? m->in_time : 0);
	assert_int_equal(rig_stat(&r, "sm.warp_instructions"), 2 * (4 * 8 + 1));
	cycles = rig_stat(&r, "gpu.cycles");
	rig_close(&r);
	return cycles;
}

/* A CTA at a barrier passes it, and leaves. Whether its warps stop for that or go on. */
static void gathers_behind_a_barrier(void **state)
{
	struct gatherer stops = {.wait_cycles = 100000, .stops = true, .leaves = true};
	struct gatherer runs = {.wait_cycles = 100000, .leaves = true};

	(void)state;
	gather_run(&stops);
	assert_int_equal(stops.in_time, 1);
	assert_int_equal(stops.mover.done_in_stacks, 1);
	gather_run(&runs);
	assert_int_equal(runs.in_time, 1);
	assert_int_equal(runs.mover.done_in_stacks, 1);
}

/* One whose time is up before goes on where it is. */
static void gathers_too_late(void **state)
{
	struct gatherer m = {.wait_cycles = 2, .stops = true, .leaves = true};

	(void)state;
	gather_run(&m);
	assert_int_equal(m.late, 1);
	assert_int_equal(m.in_time, 0);
	assert_int_equal(m.mover.done_in_stacks, 0);
}

/* A limit that has become meaningless makes no kernel longer. */
static void limit_ends_with_the_gathering(void **state)
{
	struct gatherer never = {.wait_cycles = 0}, kept = {.wait_cycles = 1000000};

	(void)state;
	assert_true(gather_run(&kept) < gather_run(&never) + 50);
	assert_int_equal(kept.in_time, 1);
}

/* Two CTAs are ordered to no SM in particular; the one that has room for a CTA has it for the first, and when that has
 * ended there for the second, which stands until then, or goes on when its time is up. */
struct queue {
	struct mover mover; /* the first: what placed and done know */
	uint64_t wait_cycles, second_place_cycle, first_done_cycle;
	uint32_t orders, asked, late, stands;
};

enum { PIM = 2 };

static uint64_t queue_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct queue *m = ctx;

	(void)cycle;
	for (; m->orders < 2; m->orders++) {
		const struct carry_cta_order o = {.from_sm = m->mover.resident[m->orders],
						  .to_sm = CARRY_NO_SM,
						  .cta = m->orders,
						  .is_free = true,
						  .stops = true,
						  .wait_cycles = m->wait_cycles};

		carry_cta_gather(g, &o);
	}
	return 0;
}

static uint32_t queue_place(void *ctx, struct gpu *g)
{
	struct queue *m = ctx;

	m->asked++;
	return gpu_cta_room(g, PIM) ? PIM : CARRY_NO_SM;
}

static bool queue_gathered(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta, bool is_in_time)
{
	struct queue *m = ctx;

	(void)sm;
	m->late += !is_in_time;
	if (!is_in_time)
		return false;
	m->mover.resident[cta] = PIM;
	if (m->stands++)
		m->second_place_cycle = gpu_now_cycles(g);
	return true;
}

static void queue_done(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	struct queue *m = ctx;

	done(ctx, g, sm, cta);
	if (!m->first_done_cycle)
		m->first_done_cycle = gpu_now_cycles(g);
}

static void queue_run(struct queue *m)
{
	static const struct fake_inst rounds[] = {
	    FAKE_LOAD(1, near_or_far), FAKE_ALU(SIMT_UNIT_FP32, 2, 1), FAKE_LOOP(0, 15), FAKE_EXIT,
	};
	static const struct carry_policy queue_ops = {.name = "queue",
						.cta_placed = placed,
						.cta_done = queue_done,
						.epoch = queue_epoch,
						.epoch_cycles = 100,
						.cta_place = queue_place,
						.cta_gathered = queue_gathered};
	static const char *const settings[] = {SMALL, "gpu.stack_sm_warp_slot_count", "2", NULL};
	struct rig r;

	rig_open(&r, &queue_ops, m, settings);
	rig_run(&r, rounds, ARRAY_COUNT(rounds), 2, 64);
	assert_int_equal(m->mover.done[0] + m->mover.done[1], 2);
	assert_int_equal(rig_stat(&r, "sm.warp_instructions"), 4 * (3 * 16 + 1));
	assert_int_equal(rig_stat(&r, "gpu.cta_moves") + rig_stat(&r, "gpu.cta_releases"), 2);
	rig_close(&r);
}

static void waits_for_a_place(void **state)
{
	struct queue waits = {.wait_cycles = 1000000}, hasty = {.wait_cycles = 50};

	(void)state;
	queue_run(&waits);
	assert_int_equal(waits.late, 0);
	assert_int_equal(waits.mover.done_in_stacks, 2);
	assert_true(waits.asked > 2);
	assert_in_range(waits.second_place_cycle, waits.first_done_cycle, waits.first_done_cycle + 2);
	queue_run(&hasty);
	assert_int_equal(hasty.late, 1);
	assert_int_equal(hasty.mover.done_in_stacks, 1);
}

/* The second CTA has the place, the first one waits for one, and gets it when the second does not go after all. */
struct giver {
	struct queue queue; /* the first */
	uint64_t back_cycle, first_cycle;
};

static uint64_t giver_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct giver *m = ctx;

	(void)cycle;
	for (; m->queue.orders < 2; m->queue.orders++) {
		const bool has_place = m->queue.orders == 1;
		const struct carry_cta_order o = {.from_sm = m->queue.mover.resident[m->queue.orders],
						  .to_sm = has_place ? PIM : CARRY_NO_SM,
						  .cta = m->queue.orders,
						  .is_free = true,
						  .stops = true,
						  .wait_cycles = 1000000};

		carry_cta_gather(g, &o);
	}
	return 0;
}

static uint32_t giver_place(void *ctx, struct gpu *g)
{
	struct giver *m = ctx;

	m->queue.asked++;
	return m->queue.orders > 1 && gpu_cta_room(g, PIM) ? PIM : CARRY_NO_SM;
}

static bool giver_gathered(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta, bool is_in_time)
{
	struct giver *m = ctx;

	(void)sm;
	assert_true(is_in_time);
	*(cta ? &m->back_cycle : &m->first_cycle) = gpu_now_cycles(g);
	if (!cta)
		m->queue.mover.resident[0] = PIM;
	return !cta;
}

static void a_place_that_is_given_back_is_taken(void **state)
{
	static const struct fake_inst rounds[] = {
	    FAKE_LOAD(1, near_or_far), FAKE_ALU(SIMT_UNIT_FP32, 2, 1), FAKE_LOOP(0, 63), FAKE_EXIT,
	};
	static const struct carry_policy giver_ops = {.name = "giver",
						.cta_placed = placed,
						.cta_done = done,
						.epoch = giver_epoch,
						.epoch_cycles = 100,
						.cta_place = giver_place,
						.cta_gathered = giver_gathered};
	static const char *const settings[] = {SMALL, "gpu.stack_sm_warp_slot_count", "2", NULL};
	struct giver m = {.back_cycle = 0};
	struct rig r;

	(void)state;
	rig_open(&r, &giver_ops, &m, settings);
	rig_run(&r, rounds, ARRAY_COUNT(rounds), 2, 64);
	assert_int_equal(m.queue.mover.done_in_stacks, 1);
	assert_int_equal(rig_stat(&r, "gpu.cta_moves"), 1);
	assert_int_equal(rig_stat(&r, "gpu.cta_releases"), 1);
	assert_in_range(m.first_cycle, m.back_cycle, m.back_cycle + 1);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(moves_free),	     cmocka_unit_test(moves_in_packets),
	    cmocka_unit_test(moves_with_smallest_queues), cmocka_unit_test(moves_on_a_free_mesh),
	    cmocka_unit_test(latency_to_the_cycle),  cmocka_unit_test(instruction_limit),
	    cmocka_unit_test(ctas_start_in_stacks),  cmocka_unit_test(full_vault_serves_in_turn),
	    cmocka_unit_test(stores_of_ended_warps), cmocka_unit_test(gathers_behind_a_barrier),
	    cmocka_unit_test(gathers_too_late),	     cmocka_unit_test(limit_ends_with_the_gathering),
	    cmocka_unit_test(waits_for_a_place),     cmocka_unit_test(a_place_that_is_given_back_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
