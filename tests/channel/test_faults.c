/* Planted mistakes of the protocol: the random accesses' reference finds each, or the table has no row for what
 * follows, or all wait for ever. SPIN has the same (tests/coh), programs have them in tests/threads/near-values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

enum found { NOT_FOUND, BY_REFERENCE, BY_WAITING, BY_TABLE };

static enum found run(enum coh_fault fault)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	struct rig r;

	rig_defaults(&r);
	r.params.fault = fault;
	if (fault == COH_FAULT_ALONE_UNANSWERED)
		r.cpu_params.protocol = CPU_PROTOCOL_MESI;
	rig_open(&r, true);
	r.state = 5;
	for (uint32_t i = 0; i < 100000; i++) {
		const uint32_t unit = rig_next(&r);

		if (unit == RIG_UNITS_MAX)
			return BY_WAITING;
		rig_access(&r, unit, rig_random(&r, 6) * 4096 + rig_random(&r, 4 * RIG_LINE_BYTES),
			   1 + (uint32_t)rig_random(&r, 60), ops[rig_random(&r, G_N_ELEMENTS(ops))]);
		if (r.wrong)
			return BY_REFERENCE;
	}
	return NOT_FOUND;
}

/* In a process of its own, which our own checks may end. */
static enum found run_apart(enum coh_fault fault)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(BY_TABLE);
		_exit((int)run(fault));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? (enum found)WEXITSTATUS(status) : BY_TABLE;
}

static void test_faults(void **state)
{
	static const char *const names[] = {"not found", "the reference", "all wait", "one of our checks"};
	uint32_t missed = 0;

	(void)state;
	for (enum coh_fault fault = COH_FAULT_NONE; fault < COH_FAULT_COUNT; fault++) {
		const enum found found = run_apart(fault);

		print_message("%s: %s\n", fault ? coh_faults[fault].text : "none", names[found]);
		missed += (found == NOT_FOUND) != (fault == COH_FAULT_NONE);
	}
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
