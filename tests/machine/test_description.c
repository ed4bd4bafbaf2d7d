/* Machine descriptions: what is read, what is inherited, and the exact message of every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/description.h"
#include "machine/parts.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const good_dirs[] = {"good", TEST_MACHINES};
static const struct sim_search search = {good_dirs, 2};

static void test_inherits_in_order(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("top", &search, &d, &diag));
	assert_string_equal(d.about.name, "top");
	assert_string_equal(d.about.summary, "");
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 20);
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_clock_khz, 1000000);
	assert_int_equal(machine_gpu_config(&d.config)->l2.size_bytes, 2 << 20);
	assert_int_equal(machine_gpu_config(&d.config)->sm.scheduler, 0);
	assert_int_equal(machine_gpu_config(&d.config)->dram.vault_count, 16);
	base_diag_free(&diag);
}

static void test_overrides_after_description(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("base", &search, &d, &diag));
	assert_true(machine_description_set(&d.config, "gpu.sm_count=3", "--set", &diag));
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 3);
	assert_false(machine_description_set(&d.config, "gpu.sm_count", "--set", &diag));
	assert_false(machine_description_set(&d.config, "=3", "--set", &diag));
	assert_false(machine_description_set(&d.config, "gpu.sm_count=", "--set", &diag));
	assert_false(machine_description_set(&d.config, "gpu.sm_cuont=3", "--set", &diag));
	assert_int_equal(diag.error_count, 4);
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 3);
	base_diag_free(&diag);
}

/* Every machine we ship is read without a message and can be built. */
static void test_shipped_machines(void **state)
{
	const char *const dirs[] = {TEST_MACHINES};
	const struct sim_search shipped = {dirs, 1};
	g_auto(GStrv) names = sim_description_names(&shipped);

	(void)state;
	assert_true(g_strv_length(names) >= 6);
	for (char **name = names; *name; name++) {
		struct machine_description d;
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_true(machine_description_load(*name, &shipped, &d, &diag));
		assert_true(machine_config_check(&d.config, &diag));
		assert_true(*d.about.summary);
		base_diag_free(&diag);
	}
}

/* The file says every number of Table 1, and the tables' defaults are the same machine: both must agree. */
static void test_baseline_is_the_default(void **state)
{
	struct machine_config defaults;
	struct machine_description d;
	struct base_diag_list diag;
	struct sim_param_groups ours, theirs;

	(void)state;
	base_diag_init(&diag);
	machine_config_defaults(&defaults, machine_parts);
	assert_true(machine_description_load("tom-baseline", &search, &d, &diag));

	machine_config_groups(&defaults, &ours);
	machine_config_groups(&d.config, &theirs);
	for (uint32_t g = 0; g < ours.count; g++) {
		const struct sim_param_group *our = &ours.items[g], *their = &theirs.items[g];

		for (uint32_t i = 0; i < our->row_count; i++)
			if (sim_param_value(our, &our->rows[i]) != sim_param_value(their, &their->rows[i]))
				fail_msg("%s.%s differs", our->prefix, our->rows[i].name);
	}
	base_diag_free(&diag);
}

static void test_unknown_machine(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_false(machine_description_load("tom-idael", &search, &d, &diag));
	assert_string_equal(diag.first->text, "error: no machine 'tom-idael'; did you mean 'tom-ideal'?");
	base_diag_free(&diag);
}

/* The messages of bad/NAME.yaml are bad/NAME.err. With TEST_REBASELINE in the environment they are written instead. */
static void check_bad(const char *file)
{
	g_autofree char *path = g_build_filename("bad", file, NULL);
	g_autofree char *golden_path = g_strdup_printf("%.*s.err", (int)(strlen(path) - strlen(".yaml")), path);
	g_autofree char *golden = NULL;
	struct machine_description d;
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_false(machine_description_load(path, &search, &d, &diag));

	char *joined = base_diag_join(&diag);
	g_autofree char *text = g_strconcat(joined, "\n", NULL);

	free(joined);
	if (getenv("TEST_REBASELINE"))
		assert_true(g_file_set_contents(golden_path, text, -1, NULL));
	assert_true(g_file_get_contents(golden_path, &golden, NULL, NULL));
	assert_string_equal(text, golden);
	base_diag_free(&diag);
}

static void test_bad_files(void **state)
{
	GDir *dir = g_dir_open("bad", 0, NULL);
	const char *file;
	uint32_t count = 0;

	(void)state;
	assert_non_null(dir);
	while ((file = g_dir_read_name(dir))) {
		if (!g_str_has_suffix(file, ".yaml"))
			continue;
		check_bad(file);
		count++;
	}
	g_dir_close(dir);
	assert_true(count >= 30);
}

/* Texts of nearly a MiB that are no machine descriptions: one message, in no time. */
static void check_large(const char *begin, const char *repeated, uint32_t count, const char *message)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "large.yaml", NULL);
	GString *text = g_string_new(begin);
	struct machine_description d;
	struct base_diag_list diag;

	for (uint32_t i = 0; i < count; i++)
		g_string_append_printf(text, repeated, i);
	assert_true(g_file_set_contents(path, text->str, -1, NULL));
	base_diag_init(&diag);

	const clock_t begin_clocks = clock();

	assert_false(machine_description_load(path, &search, &d, &diag));
	assert_true(clock() - begin_clocks < 5 * CLOCKS_PER_SEC);

	char *joined = base_diag_join(&diag);

	assert_non_null(strstr(joined, message));
	free(joined);
	base_diag_free(&diag);
	g_string_free(text, TRUE);
	g_unlink(path);
	g_rmdir(dir);
}

static void test_large_files(void **state)
{
	(void)state;
	check_large("gpu: ", "[", 200000, "more than 64 lists and mappings in each other");
	check_large("gpu:\n  ", "\n  [", 200000, "more than 64 lists and mappings in each other");
	/* All at the top: nothing of it is looked up. */
	check_large("", "x%u: 1\n", 60000, "more than 4096 values");
}

/* The text of a machine is that machine. */
static void test_text(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "again.yaml", NULL);
	const char *const names[] = {"tom-baseline", "tom-ctrl-tmap", "nsu-dyn-cache", "bom"};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct machine_description d, again;
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_true(machine_description_load(names[i], &search, &d, &diag));

		g_autofree char *text = machine_description_text(&d.config);

		/* A group has one heading, though several parts have parameters in it. */
		assert_ptr_equal(strstr(text, "ndp:\n"), g_strrstr(text, "ndp:\n"));
		assert_true(g_file_set_contents(path, text, -1, NULL));
		assert_true(machine_description_load(path, &search, &again, &diag));

		g_autofree char *again_text = machine_description_text(&again.config);

		assert_string_equal(again_text, text);
		base_diag_free(&diag);
	}
	g_unlink(path);
	g_rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inherits_in_order), cmocka_unit_test(test_overrides_after_description),
	    cmocka_unit_test(test_shipped_machines),  cmocka_unit_test(test_baseline_is_the_default),
	    cmocka_unit_test(test_unknown_machine),   cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_large_files),	      cmocka_unit_test(test_text),
	};

	if (chdir(TEST_DIR))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
