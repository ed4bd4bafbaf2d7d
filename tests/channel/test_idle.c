/* Near-data processors that nobody uses: processors have the same counters and times as without them, where pages lie
 * equally; their regions need no directory and no message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

static void processors_only(struct rig *r, uint64_t ndp_count, bool is_extended, uint64_t rate, struct cpu_stats *out,
			    uint64_t *end_ps)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};

	rig_defaults(r);
	r->cpu_params.dram_mbytes_per_s = rate;
	r->params.ndp_count = ndp_count;
	r->params.extended_bus = is_extended;
	rig_open(r, true);
	r->units = r->cpu_units;
	for (uint32_t i = 0; i < 100000; i++) {
		const uint32_t unit = rig_next(r);

		rig_access(r, unit, rig_random(r, 40) * 4096 + rig_random(r, 4 * RIG_LINE_BYTES), 8,
			   ops[rig_random(r, G_N_ELEMENTS(ops))]);
	}
	*out = *cpu_system_stats(r->cpu);
	*end_ps = sim_now_ps(r->ctx.engine);
}

static void test_equal(void **state)
{
	(void)state;
	for (uint64_t rate = 0; rate <= 2000; rate += 2000) {
		struct rig with, without;
		struct cpu_stats a, b;
		uint64_t a_ps, b_ps;

		processors_only(&without, 0, false, rate, &a, &a_ps);
		processors_only(&with, 2, false, rate, &b, &b_ps);
		assert_memory_equal(&a, &b, sizeof(a));
		assert_true(a_ps == b_ps);

		const struct channel_stats *n = channel_system_stats(with.near);

		assert_true(n->summary_lookups > 0);
		assert_int_equal(n->summary_hits, n->summary_lookups);
		assert_true(n->invalidates > 0);
		assert_int_equal(n->forwards + n->directory_lookups + n->directory_reads + n->directory_writes +
				     n->messages_up + n->messages_down + n->claims,
				 0);
		rig_close(&with);
		rig_close(&without);
	}
}

/* What they are spared: a bus that reaches to the NDPs asks all of these for each of its requests. */
static void test_extended_bus(void **state)
{
	struct rig with, without;
	struct cpu_stats a, b;
	uint64_t a_ps, b_ps;

	(void)state;
	processors_only(&without, 2, false, 48000, &a, &a_ps);
	processors_only(&with, 2, true, 48000, &b, &b_ps);

	const struct channel_stats *n = channel_system_stats(with.near);

	sim_run(with.ctx.engine);
	print_message("%.2f times as long\n", (double)b_ps / (double)a_ps);
	assert_true(b_ps > a_ps * 103 / 100);
	assert_int_equal(n->bus_snoops, cpu_system_stats(with.cpu)->misses);
	assert_int_equal(n->messages_down, 2 * n->bus_snoops);
	assert_int_equal(n->messages_up, 2 * n->bus_snoops);
	rig_close(&with);
	rig_close(&without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal), cmocka_unit_test(test_extended_bus)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
