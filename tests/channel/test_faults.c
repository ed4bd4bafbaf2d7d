/* Planted mistakes of the protocol: the random accesses' reference finds each, or the table has no row for what
 * follows, or all wait for ever. The same where accesses have bytes: what is read is old then, and is what the copy has
 * that answers. SPIN has the same (tests/coh), programs have them in tests/threads/near-values. */
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

enum { STALE_MAX = 200 };
enum found { NOT_FOUND, BY_REFERENCE, BY_WAITING, BY_TABLE, COPIES_DIFFER };

static enum found run(enum coh_fault fault, bool has_bytes)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	struct rig r;

	rig_defaults(&r);
	r.params.fault = fault;
	if (fault == COH_FAULT_ALONE_UNANSWERED)
		r.cpu_params.protocol = CPU_PROTOCOL_MESI;
	r.has_bytes = has_bytes;
	if (has_bytes)
		r.cpu_params.values = CPU_VALUES_BYTES;
	rig_open(&r, true);
	r.state = 5;
	for (uint32_t i = 0; i < 100000; i++) {
		const uint32_t unit = rig_next(&r);

		if (unit == RIG_UNITS_MAX)
			return BY_WAITING;
		rig_access(&r, unit, rig_random(&r, 6) * 4096 + rig_random(&r, 4 * RIG_LINE_BYTES),
			   1 + (uint32_t)rig_random(&r, 60), ops[rig_random(&r, G_N_ELEMENTS(ops))]);
		if (r.wrong || r.stale == STALE_MAX)
			return BY_REFERENCE;
	}
	return r.stale ? BY_REFERENCE : NOT_FOUND;
}

/* In a process of its own, which our own checks may end. */
static enum found run_apart(enum coh_fault fault, bool has_bytes)
{
	FILE *messages = tmpfile();
	char text[4096];
	size_t size;
	pid_t child;
	int status;

	assert_non_null(messages);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (dup2(fileno(messages), STDERR_FILENO) < 0)
			_exit(COPIES_DIFFER);
		_exit((int)run(fault, has_bytes));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	rewind(messages);
	size = fread(text, 1, sizeof(text) - 1, messages);
	text[size] = 0;
	fclose(messages);
	if (strstr(text, "than its copy has")) {
		print_message("%s", text);
		return COPIES_DIFFER;
	}
	return WIFEXITED(status) ? (enum found)WEXITSTATUS(status) : BY_TABLE;
}

static void test_faults(void **state)
{
	static const char *const names[] = {"not found", "the reference", "all wait", "one of our checks",
					    "copies of two kinds differ"};
	uint32_t missed = 0;

	(void)state;
	for (enum coh_fault fault = COH_FAULT_NONE; fault < COH_FAULT_COUNT; fault++) {
		const enum found found = run_apart(fault, false), with_bytes = run_apart(fault, true);

		print_message("%s: %s; with bytes: %s\n", fault ? coh_faults[fault].text : "none", names[found],
			      names[with_bytes]);
		missed += (found == NOT_FOUND) != (fault == COH_FAULT_NONE);
		missed += (with_bytes == NOT_FOUND) != (fault == COH_FAULT_NONE) || with_bytes == COPIES_DIFFER;
	}
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
