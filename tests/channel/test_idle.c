/* Near-data processors that nobody uses: processors have the same counters and times as without them, where pages lie
 * equally; their regions need no directory and no message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

static void processors_only(struct rig *r, uint64_t ndp_count, uint64_t rate, struct cpu_stats *out, uint64_t *end_ps)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};

	rig_defaults(r);
	r->cpu_params.dram_mbytes_per_s = rate;
	r->params.ndp_count = ndp_count;
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

		processors_only(&without, 0, rate, &a, &a_ps);
		processors_only(&with, 2, rate, &b, &b_ps);
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
