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

/* What is planted: a mistake of the protocol, or one of the directory's items. */
struct mistake {
	enum coh_fault fault;
	enum channel_item_fault item_fault;
};

static enum found run(struct mistake mistake, bool has_bytes)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	const enum coh_fault fault = mistake.fault;
	struct rig r;

	rig_defaults(&r);
	r.params.fault = fault;
	r.params.item_fault = mistake.item_fault;
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
static enum found run_apart(enum found (*run_it)(struct mistake mistake, bool has_bytes), struct mistake mistake,
			    bool has_bytes)
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
		_exit((int)run_it(mistake, has_bytes));
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

static const char *const names[] = {"not found", "the reference", "all wait", "one of our checks",
				    "copies of two kinds differ"};

static void test_faults(void **state)
{
	uint32_t missed = 0;

	(void)state;
	for (enum coh_fault fault = COH_FAULT_NONE; fault < COH_FAULT_COUNT; fault++) {
		const enum found found = run_apart(run, (struct mistake){.fault = fault}, false);
		const enum found with_bytes = run_apart(run, (struct mistake){.fault = fault}, true);

		print_message("%s: %s; with bytes: %s\n", fault ? coh_faults[fault].text : "none", names[found],
			      names[with_bytes]);
		missed += (found == NOT_FOUND) != (fault == COH_FAULT_NONE);
		missed += (with_bytes == NOT_FOUND) != (fault == COH_FAULT_NONE) || with_bytes == COPIES_DIFFER;
	}
	assert_int_equal(missed, 0);
}

/* Lines of more items of either channel than its cache has: 24 pages are 12 frames of each, of which four are an
 * item's. */
static enum found run_items(struct mistake mistake, bool has_bytes)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_PREFETCH};
	struct rig r;

	rig_defaults(&r);
	r.params.item_fault = mistake.item_fault;
	r.has_bytes = has_bytes;
	r.cpu_params.values = CPU_VALUES_BYTES;
	rig_open(&r, true);
	r.state = 11;
	for (uint32_t i = 0; i < 50000; i++) {
		const uint32_t unit = rig_next(&r);

		if (unit == RIG_UNITS_MAX)
			return BY_WAITING;
		rig_access(&r, unit, rig_random(&r, 24) * 4096 + rig_random(&r, 4 * RIG_LINE_BYTES),
			   1 + (uint32_t)rig_random(&r, 60), ops[rig_random(&r, G_N_ELEMENTS(ops))]);
		if (r.wrong || r.stale == STALE_MAX)
			return BY_REFERENCE;
	}
	return r.stale ? BY_REFERENCE : NOT_FOUND;
}

static void test_items(void **state)
{
	uint32_t missed = 0;

	(void)state;
	for (uint32_t fault = CHANNEL_ITEM_NONE; fault < CHANNEL_ITEM_KEPT; fault++) {
		const struct mistake mistake = {.item_fault = (enum channel_item_fault)fault};
		const enum found found = run_apart(run_items, mistake, true);

		print_message("item %u: %s\n", fault, names[found]);
		missed += (found == NOT_FOUND) != (fault == CHANNEL_ITEM_NONE) || found == COPIES_DIFFER;
	}
	assert_int_equal(missed, 0);
}

/* Alone, to its end; the first byte that it reads. */
static uint8_t alone(struct rig *r, uint32_t unit, uint64_t address, enum cpu_op op)
{
	rig_settle(r);
	rig_access(r, unit, address, 8, op);
	rig_settle(r);
	return r->read[unit];
}

enum { CPU = 0, NDP = 4, PAGE = 4096, PAGES = 64 };

/* An NDP core has a line, modified; then another one of its NDP changes lines of more items than the cache has. */
static void push_out(struct rig *r)
{
	for (uint64_t page = 0; page < PAGES; page += 2)
		alone(r, NDP + (page != 0), page * PAGE, CPU_WRITE);
}

/* The cache has an item of which one page is touched and the NDP's when all lines of the region become the NDP's; one
 * of its other pages is touched and written there, and then the region has no state any more. */
static void leave_summary(struct rig *r)
{
	alone(r, NDP, 2 * PAGE, CPU_READ);
	channel_claim(r->near, r->ready_ps[CPU], 0, 4 * PAGE, CHANNEL_OWNER_NDP);
	alone(r, NDP, 0, CPU_WRITE);
	alone(r, CPU, 2 * PAGE, CPU_WRITE);
}

/* What a processor reads of the line that the NDP core has modified. */
static bool reads_newest(void (*prepare)(struct rig *r), enum channel_item_fault fault)
{
	struct rig r;
	bool is_newest;

	rig_defaults(&r);
	r.has_bytes = true;
	r.cpu_params.values = CPU_VALUES_BYTES;
	r.params.item_fault = fault;
	rig_open(&r, true);
	prepare(&r);
	is_newest = alone(&r, CPU, 0, CPU_READ) == r.program[0];
	assert_int_equal(r.stale, !is_newest);
	rig_drop(&r);
	return is_newest;
}

static void test_wrong_items(void **state)
{
	(void)state;
	assert_true(reads_newest(push_out, CHANNEL_ITEM_NONE));
	assert_false(reads_newest(push_out, CHANNEL_ITEM_LOST));
	assert_true(reads_newest(leave_summary, CHANNEL_ITEM_NONE));
	assert_false(reads_newest(leave_summary, CHANNEL_ITEM_KEPT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_items),
					   cmocka_unit_test(test_wrong_items)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
