/* Planted mistakes of the protocol, each by changing one row or switching one rule off: the random accesses' reference
 * finds it, or the table has no row for what follows, or all wait for ever. SPIN has the same (tests/coh/faults). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

enum found { NOT_FOUND, BY_REFERENCE, BY_WAITING, BY_TABLE };

static const struct fault {
	const char *text, *row;
	int next;   /* -1: as it is */
	int action; /* -1: as it is */
} faults[] = {
    {"none", NULL, -1, -1},
    {"a processor's write does not look for the NDP's copies", "HOME SHR C_INVALIDATE HELD", COH_HOME_CPU,
     COH_DO_AGAIN},
    {"a processor reads past an NDP's modified copy", "HOME NDP C_READ HELD", COH_HOME_SHR, COH_DO_AGAIN},
    {"an NDP reads past a processor's modified copy", "HOME CPU N_READ ANY", COH_HOME_SHR, COH_DO_AGAIN},
    {"an NDP writes what processors have", "HOME SHR N_WRITE ANY", COH_HOME_NDP, COH_DO_AGAIN},
    {"a claim does not change the copy of the summary", "SHADOW ALL_CPU CHANGE ANY", COH_SHADOW_ALL_CPU, -1},
    {"the NDP-AP keeps an Invalidate for a region that is not the processors'", "SHADOW UNDEFINED INVALIDATE ANY", -1,
     COH_DO_MIRROR},
    {"an Invalidate that lost its line is acknowledged", "HOME NDP C_INVALIDATE ANY", -1, COH_DO_ACK_UP},
    {"an NDP's cache leaves a modified line without writing it back", "NEAR MODIFIED TO_INVALID ANY", -1,
     COH_DO_ANSWER},
    {"an NDP's cache keeps a line that it was to leave", "NEAR SHARED TO_INVALID ANY", COH_NEAR_SHARED, -1},
    {"a modified line makes room without being written back", "NEAR MODIFIED EVICT ANY", -1, COH_DO_NOTHING},
    {"an NDP core's write leaves another core's copy", "HOME NDP N_WRITE HELD", COH_HOME_NDP, COH_DO_GRANT_OWNED},
    {"the NDP-AP does not lock a line for a remote write", "POINT MODIFIED R_WRITE ANY", COH_POINT_MODIFIED, -1},
    {"the NDP-AP keeps a line that a processor writes", "POINT SHARED ANOTHER_WRITES ANY", COH_POINT_SHARED, -1},
    {"the NDP-AP's modified line makes room without being written back", "POINT MODIFIED EVICT ANY", -1,
     COH_DO_NOTHING},
    {"a line written back by an NDP is dropped", "HOME NDP N_LINE ANY", -1, COH_DO_NOTHING},
    {"a grant to read is one to write", "NEAR WAIT_S GRANT ANY", COH_NEAR_MODIFIED, -1},
};

static enum found run(const struct coh_row *rows)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	struct rig r;

	rig_defaults(&r);
	r.rows = rows;
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
static enum found run_apart(const struct coh_row *rows)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(BY_TABLE);
		_exit((int)run(rows));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? (enum found)WEXITSTATUS(status) : BY_TABLE;
}

static void test_faults(void **state)
{
	static const char *const names[] = {"not found", "the reference", "all wait", "one of our checks"};
	struct coh_row *rows = g_memdup2(coh_rows, coh_row_count * sizeof(*rows));
	uint32_t missed = 0;

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		const struct fault *f = &faults[i];
		uint32_t row = 0;
		enum found found;

		while (f->row && strcmp(coh_row_name(row), f->row))
			assert_true(++row < coh_row_count);
		memcpy(rows, coh_rows, coh_row_count * sizeof(*rows));
		if (f->next >= 0)
			rows[row].next = (uint8_t)f->next;
		if (f->action >= 0) {
			rows[row].actions[0] = (uint8_t)f->action;
			rows[row].actions[1] = COH_DO_NOTHING;
		}
		found = run_apart(rows);
		print_message("%s: %s\n", f->text, names[found]);
		missed += (found == NOT_FOUND) != !f->row;
	}
	g_free(rows);
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
