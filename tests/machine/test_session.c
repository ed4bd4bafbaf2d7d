/* Sessions and results: what strata writes is what the library reads, and what the library writes is what is promised.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/check.h"
#include "machine/machine.h"
#include "machine/memories.h"
#include "machine/result.h"
#include "machine/session.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *scratch;

static char *path_of(const char *name)
{
	return g_build_filename(scratch, name, NULL);
}

static void test_default_without_session(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;

	(void)state;
	unsetenv("STRATA_SESSION");
	base_diag_init(&diag);
	assert_true(machine_session_load(&s, &diag));
	assert_true(s.is_default);
	assert_string_equal(s.machine, "tom-baseline");
	assert_int_equal(machine_gpu_config(&s.config)->gpu.sm_count, 68);
	base_diag_free(&diag);
}

static void set(struct machine_session *s, const char *key, const char *value, struct base_diag_list *diag)
{
	assert_true(machine_config_set(&s->config, key, value, (struct base_place){0}, diag));
}

static void test_round_trip(void **state)
{
	struct machine_session s, t;
	struct base_diag_list diag;
	g_autofree char *path = path_of("session");

	(void)state;
	base_diag_init(&diag);
	unsetenv("STRATA_SESSION");
	assert_true(machine_session_load(&s, &diag));
	set(&s, "gpu.sm_count", "7", &diag);
	set(&s, "sm.scheduler", "lrr", &diag);
	set(&s, "energy.tsv_pj", "0.1", &diag);
	set(&s, "run.audit", "true", &diag);
	assert_non_null(machine_memory_need(&s.config, "ddr", (struct base_place){0}, &diag));
	assert_non_null(machine_memory_need(&s.config, "far", (struct base_place){0}, &diag));
	set(&s, "far.dram.t_cl", "13", &diag);
	set(&s, "far.link.is_present", "true", &diag);
	set(&s, "ddr.energy.tsv_pj", "0.2", &diag);
	set(&s, "host.memory", "far", &diag);
	g_strlcpy(s.machine, "a machine = with signs", sizeof(s.machine));
	g_strlcpy(s.result_path, "/nowhere/with spaces = and signs.json", sizeof(s.result_path));
	g_strlcpy(s.spare_paths[0], "/near", sizeof(s.spare_paths[0]));
	g_strlcpy(s.spare_paths[1], "/far", sizeof(s.spare_paths[1]));
	assert_true(machine_session_write(path, &s));
	setenv("STRATA_SESSION", path, 1);
	assert_true(machine_session_load(&t, &diag));
	assert_false(t.is_default);
	assert_string_equal(t.machine, s.machine);
	assert_string_equal(t.result_path, s.result_path);
	assert_string_equal(t.spare_paths[0], "/near");
	assert_string_equal(t.spare_paths[1], "/far");
	assert_memory_equal(&t.config, &s.config, sizeof(s.config));
	base_diag_free(&diag);
}

/* Each process of a session gets the next free number and files of its own. */
/* A process that an internal error ends leaves the mark of lost results. */
static void test_bug_is_marked(void **state)
{
	g_autofree char *path = path_of("bug"), *first = path_of("bug.1"), *lost = path_of("bug.1.lost");
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct machine_session s = {0};

		g_strlcpy(s.result_path, path, sizeof(s.result_path));
		machine_session_claim(&s);
		if (access(lost, F_OK))
			base_bug_at("here.c", 1, "for the test");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_int_equal(g_unlink(first), 0);
	assert_int_equal(g_unlink(lost), 0);
}

/* Takes the number of refusals to give before it writes. */
static bool write_after(const char *path, const void *what)
{
	uint32_t *refusals = *(uint32_t *const *)what;

	if (*refusals) {
		--*refusals;
		errno = *refusals ? EACCES : ENOSPC;
		return false;
	}
	return g_file_set_contents(path, path, -1, NULL);
}

/* What finds no room goes to the spare places, and back when there is room again. */
static void test_spare(void **state)
{
	struct machine_session s = {0};
	g_autofree char *path = path_of("main"), *near = path_of("near"), *far = path_of("far");
	g_autofree char *near_1 = path_of("near.1"), *far_1 = path_of("far.1");
	uint32_t refusals, *at = &refusals;

	(void)state;
	g_strlcpy(s.result_path, path, sizeof(s.result_path));
	g_strlcpy(s.spare_paths[0], near, sizeof(s.spare_paths[0]));
	g_strlcpy(s.spare_paths[1], far, sizeof(s.spare_paths[1]));
	machine_session_claim(&s);
	assert_string_equal(s.spare_paths[0], near_1);
	assert_string_equal(s.spare_paths[1], far_1);
	refusals = 2;
	assert_true(machine_session_keep(&s, s.result_path, write_after, &at));
	assert_true(g_file_test(far_1, G_FILE_TEST_EXISTS));
	assert_false(g_file_test(near_1, G_FILE_TEST_EXISTS));
	refusals = 1;
	assert_true(machine_session_keep(&s, s.result_path, write_after, &at));
	assert_true(g_file_test(near_1, G_FILE_TEST_EXISTS));
	assert_false(g_file_test(far_1, G_FILE_TEST_EXISTS));
	refusals = 0;
	assert_true(machine_session_keep(&s, s.result_path, write_after, &at));
	assert_false(g_file_test(near_1, G_FILE_TEST_EXISTS));
	refusals = 3;
	assert_false(machine_session_keep(&s, s.result_path, write_after, &at));
	assert_int_equal(errno, EACCES);
	assert_int_equal(g_unlink(s.result_path), 0);
}

static void test_claim(void **state)
{
	struct machine_session one = {0}, two = {0}, checked = {0}, none = {0};
	g_autofree char *path = path_of("claimed");
	g_autofree char *first = path_of("claimed.1"), *second = path_of("claimed.2"), *third = path_of("claimed.3");

	(void)state;
	g_strlcpy(one.result_path, path, sizeof(one.result_path));
	g_strlcpy(two.result_path, path, sizeof(two.result_path));
	g_strlcpy(checked.check_path, path, sizeof(checked.check_path));
	machine_session_claim(&one);
	machine_session_claim(&two);
	machine_session_claim(&checked);
	machine_session_claim(&none);
	assert_string_equal(one.result_path, first);
	assert_string_equal(two.result_path, second);
	assert_string_equal(checked.check_path, third);
	assert_int_equal(two.process, 2);
	assert_int_equal(none.process, 1);
	assert_int_equal(g_unlink(first), 0);
	assert_int_equal(g_unlink(second), 0);
	assert_int_equal(g_unlink(third), 0);
}

static void test_bad_session(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;
	g_autofree char *path = path_of("bad");
	g_autofree char *expected = g_strdup_printf("%s:2:1: error: expected 'key = value', found 'nonsense'", path);

	(void)state;
	base_diag_init(&diag);
	assert_true(g_file_set_contents(path, "# comment\nnonsense\ngpu.sm_count = -1\n", -1, NULL));
	setenv("STRATA_SESSION", path, 1);
	assert_false(machine_session_load(&s, &diag));
	assert_int_equal(diag.error_count, 2);
	assert_string_equal(diag.first->text, expected);
	base_diag_free(&diag);

	setenv("STRATA_SESSION", "/nonexistent/session", 1);
	assert_false(machine_session_load(&s, &diag));
	assert_int_equal(diag.error_count, 1);
	base_diag_free(&diag);
}

static void test_contradictory_machine(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;

	(void)state;
	unsetenv("STRATA_SESSION");
	base_diag_init(&diag);
	assert_true(machine_session_load(&s, &diag));
	set(&s, "gpu.stack_count", "3", &diag);
	assert_null(machine_new(&s.config, false, &diag));
	assert_true(diag.error_count > 0);
	base_diag_free(&diag);
}

/* The fields that the list and docs/results.md promise. */
static const char *const promised[] = {
    "machine",
    "mechanism",
    "fault",
    "process",
    "launches",
    "launches_refused",
    "launches_faulted",
    "refusals",
    "timed_out",
    "interrupted",
    "ended",
    "cycles",
    "time_ps",
    "total_time_ps",
    "program",
    "timeline",
    "timeline_count",
    "warp_instructions",
    "thread_instructions",
    "ipc",
    "stalls",
    "traffic_bytes",
    "peak_bytes_per_s",
    "stacks",
    "l1",
    "l2",
    "energy_pj",
    "energy_total_pj",
    "host_seconds",
    "peak_rss_bytes",
    "host_threads",
    "kernels",
    "kernel_sums",
    "stats",
    "params",
    "units",
    "run_hash",
};

static json_t *write_and_read(struct machine_session *s, struct machine *machine)
{
	static const struct device_traits device;
	struct machine_timeline *timeline = machine_timeline_new(
	    machine_host_params(&s->config), machine_run_params(&s->config), &device, NULL);
	g_autofree char *path = path_of("result.json");
	struct machine_kernels *kernels = machine_kernels_new(1);
	const struct machine_kernel kernel = {
	    .name = "k",
	    .grid = {2, 1, 1},
	    .block = {64, 1, 1},
	    .result = {.cycles = 10, .warp_instructions = 3, .thread_instructions = 96, .cta_count = 2},
	};
	const struct machine_run run = {.session = s,
					.machine = machine,
					.kernels = kernels,
					.timeline = timeline,
					.host_seconds = 0.5,
					.peak_rss_bytes = 7};

	machine_kernels_add(kernels, &kernel);
	g_strlcpy(s->result_path, path, sizeof(s->result_path));
	machine_timeline_settle(timeline);
	assert_true(machine_result_write(&run));
	machine_timeline_free(timeline);
	machine_kernels_free(kernels);

	json_t *o = json_load_file(path, 0, NULL);

	assert_non_null(o);
	return o;
}

static void check_fields(const json_t *o)
{
	for (uint32_t i = 0; i < G_N_ELEMENTS(promised); i++)
		if (!json_object_get(o, promised[i]))
			fail_msg("no field %s", promised[i]);
}

static void test_result_without_gpu(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;

	(void)state;
	unsetenv("STRATA_SESSION");
	base_diag_init(&diag);
	assert_true(machine_session_load(&s, &diag));

	json_t *o = write_and_read(&s, NULL);

	check_fields(o);
	assert_int_equal(json_integer_value(json_object_get(o, "thread_instructions")), 96);
	assert_int_equal(json_array_size(json_object_get(o, "kernels")), 1);
	json_decref(o);
	base_diag_free(&diag);
}

static void test_result_of_gpu(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;
	const char *key;
	json_t *value;

	(void)state;
	unsetenv("STRATA_SESSION");
	base_diag_init(&diag);
	assert_true(machine_session_load(&s, &diag));

	struct machine *machine = machine_new(&s.config, false, &diag);

	assert_non_null(machine);

	json_t *o = write_and_read(&s, machine), *units = json_object_get(o, "units");

	check_fields(o);
	assert_int_equal(json_array_size(json_object_get(o, "stacks")), 4);
	assert_true(json_object_size(json_object_get(o, "stalls")) >= 8);
	assert_true(json_object_size(json_object_get(o, "stats")) >= 100);
	json_object_foreach(json_object_get(o, "stats"), key, value) if (!json_object_get(units, key))
	    fail_msg("statistic %s has no unit", key);
	/* TOM (ISCA'16) Table 1: 4 links of 80 GB/s, half of it in each direction, 640 GB/s in the stacks. */
	json_t *peaks = json_object_get(o, "peak_bytes_per_s");

	assert_true(json_number_value(json_object_get(peaks, "tx")) == 160e9);
	assert_true(json_number_value(json_object_get(peaks, "dram")) == 640e9);
	json_decref(o);
	machine_free(machine);
	base_diag_free(&diag);
}

static void test_result_unwritable(void **state)
{
	struct machine_session s;
	struct base_diag_list diag;

	(void)state;
	unsetenv("STRATA_SESSION");
	base_diag_init(&diag);
	assert_true(machine_session_load(&s, &diag));

	const struct machine_run run = {.session = &s};

	g_strlcpy(s.result_path, "/nonexistent/result.json", sizeof(s.result_path));
	errno = 0;
	assert_false(machine_result_write(&run));
	assert_int_equal(errno, ENOENT);
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_default_without_session),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_spare),
	    cmocka_unit_test(test_claim),
	    cmocka_unit_test(test_bug_is_marked),
	    cmocka_unit_test(test_bad_session),
	    cmocka_unit_test(test_contradictory_machine),
	    cmocka_unit_test(test_result_without_gpu),
	    cmocka_unit_test(test_result_of_gpu),
	    cmocka_unit_test(test_result_unwritable),
	};
	static const char *const files[] = {"session", "bad", "result.json"};

	scratch = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	if (!scratch)
		return 1;

	int failures = cmocka_run_group_tests(tests, NULL, NULL);

	for (uint32_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = path_of(files[i]);

		g_unlink(path);
	}
	g_rmdir(scratch);
	g_free(scratch);
	return failures;
}
