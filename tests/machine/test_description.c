/* Machine descriptions: what is read, what is inherited, and the exact message of every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/description.h"
#include "machine/memories.h"
#include "machine/parts.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const good_dirs[] = {"good", TEST_MACHINES};
static const struct sim_search search = {good_dirs, 2};
static const char *const standard_dirs[] = {"standards"};
static const struct sim_search standards = {standard_dirs, 1};

static void test_inherits_in_order(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("top", &search, &standards, &d, &diag));
	assert_string_equal(d.about.name, "top");
	assert_string_equal(d.about.summary, "");
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 20);
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_clock_khz, 1000000);
	assert_int_equal(machine_gpu_config(&d.config)->l2.size_bytes, 2 << 20);
	assert_int_equal(machine_gpu_config(&d.config)->sm.scheduler, 0);
	assert_int_equal(machine_gpu_config(&d.config)->dram.vault_count, 16);
	base_diag_free(&diag);
}

/* A rule across parameters names the file, line and column of the value that breaks it, or the option. */
static void refused_at(const char *name, const char *setting, const char *text)
{
	struct machine_description d;
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_true(machine_description_load(name, &search, &standards, &d, &diag));
	assert_true(!setting || machine_description_set(&d.config, setting, "--set", &standards, &diag));
	assert_false(machine_config_check(&d.config, &diag));
	assert_int_equal(diag.error_count, 1);
	if (!strstr(diag.first->text, text))
		fail_msg("expected '%s', got '%s'", text, diag.first->text);
	base_diag_free(&diag);
}

static void test_rates_beyond_the_timing(void **state)
{
	(void)state;
	refused_at("fast_copy", NULL, "good/fast_copy.yaml:4:19: error: dram.data_rate_mbps = 8000: states 64 GB/s");
	refused_at("fast_memory", NULL,
		   "good/fast_memory.yaml:6:21: error: memory 'ddr': dram.data_rate_mbps = 3200: states");
	refused_at("fast_copy", "dram.data_rate_mbps=10Gb/s",
		   "--set: error: dram.data_rate_mbps = 10000: states 80 GB/s");
}

static void test_overrides_after_description(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("base", &search, &standards, &d, &diag));
	assert_true(machine_description_set(&d.config, "gpu.sm_count=3", "--set", &standards, &diag));
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 3);
	assert_false(machine_description_set(&d.config, "gpu.sm_count", "--set", &standards, &diag));
	assert_false(machine_description_set(&d.config, "=3", "--set", &standards, &diag));
	assert_false(machine_description_set(&d.config, "gpu.sm_count=", "--set", &standards, &diag));
	assert_false(machine_description_set(&d.config, "gpu.sm_cuont=3", "--set", &standards, &diag));
	assert_int_equal(diag.error_count, 4);
	assert_int_equal(machine_gpu_config(&d.config)->gpu.sm_count, 3);
	base_diag_free(&diag);
}

/* Every machine we ship is read without a message and can be built. */
static void test_shipped_machines(void **state)
{
	const char *const dirs[] = {TEST_MACHINES}, *const memory_dirs[] = {TEST_MEMORIES};
	const struct sim_search shipped = {dirs, 1}, memories = {memory_dirs, 1};
	g_auto(GStrv) names = sim_description_names(&shipped);

	(void)state;
	assert_true(g_strv_length(names) >= 6);
	for (char **name = names; *name; name++) {
		struct machine_description d;
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_true(machine_description_load(*name, &shipped, &memories, &d, &diag));
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
	assert_true(machine_description_load("tom-baseline", &search, &standards, &d, &diag));

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
	assert_false(machine_description_load("tom-idael", &search, &standards, &d, &diag));
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
	assert_false(machine_description_load(path, &search, &standards, &d, &diag));

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

	assert_false(machine_description_load(path, &search, &standards, &d, &diag));
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

/* A standard's values, then the file's own, wherever they stand; of the energy what the standard's file gives. */
static void test_dram_by_standard(void **state)
{
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("with-host", &search, &standards, &d, &diag));
	assert_int_equal(machine_gpu_config(&d.config)->dram.vault_count, 2);
	assert_int_equal(machine_gpu_config(&d.config)->dram.t_cl, 40);
	assert_int_equal(machine_gpu_config(&d.config)->dram.t_rp, 15);
	assert_int_equal(machine_gpu_config(&d.config)->dram.t_rcd, 11);
	assert_true(machine_energy_params(&d.config)->dram_static_mw == 77);
	assert_true(machine_energy_params(&d.config)->dram_activate_pj == 9);
	assert_int_equal(machine_memories_of(&d.config)->host, 1);
	/* The same, one after the other. */
	assert_true(machine_description_set(&d.config, "dram.t_rp=16", "--set", &standards, &diag));
	assert_true(machine_description_set(&d.config, "dram.standard=near", "--set", &standards, &diag));
	assert_int_equal(machine_gpu_config(&d.config)->dram.t_rp, 30);
	base_diag_free(&diag);
}

static void test_memories_by_name(void **state)
{
	const struct machine_memory *ddr, *far, *own;
	struct machine_description d;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(machine_description_load("server", &search, &standards, &d, &diag));
	assert_false(machine_config_has_gpu(&d.config));
	ddr = machine_memory_find(&d.config, "ddr", (struct base_place){0}, &diag);
	far = machine_memory_find(&d.config, "far", (struct base_place){0}, &diag);
	own = machine_memory_find(&d.config, "own", (struct base_place){0}, &diag);
	assert_true(ddr && far && own);
	assert_int_equal(ddr->memory.channel_count, 6);
	assert_int_equal(ddr->dram.t_cl, 41);
	assert_int_equal(ddr->dram.t_rp, 30);
	assert_int_equal(ddr->dram.queue_entries, 48);
	assert_int_equal(ddr->link.queue_entries, 7);
	assert_true(ddr->energy.dram_static_mw == 5 && far->energy.dram_static_mw == 77);
	assert_false(ddr->link.is_present);
	assert_true(far->link.is_present);
	assert_int_equal(far->link.latency_ps, 20000);
	assert_int_equal(far->memory.channel_count, 3);
	assert_int_equal(own->dram.t_rp, 12);
	assert_int_equal(own->dram.t_cl, 11);
	assert_true(machine_config_check(&d.config, &diag));

	/* As overrides. */
	assert_true(machine_description_set(&d.config, "own.dram.t_rp=13", "--set", &standards, &diag));
	assert_int_equal(own->dram.t_rp, 13);
	assert_true(machine_description_set(&d.config, "own.standard=near", "--set", &standards, &diag));
	assert_int_equal(own->dram.t_rp, 30);
	assert_true(machine_description_set(&d.config, "memories.more=linked", "--set", &standards, &diag));
	assert_int_equal(machine_memories_of(&d.config)->count, 4);
	assert_true(machine_description_set(&d.config, "more.link.latency_ps=1ns", "--set", &standards, &diag));
	assert_true(machine_description_set(&d.config, "host.memory=more", "--set", &standards, &diag));
	assert_int_equal(machine_memories_of(&d.config)->host, 4);

	assert_null(machine_memory_find(&d.config, "fare", (struct base_place){0}, &diag));
	assert_string_equal(diag.last->text, "error: no memory 'fare' in the machine; did you mean 'far'?");
	assert_false(machine_description_set(&d.config, "ddr.dram.t_cll=1", "--set", &standards, &diag));
	assert_string_equal(diag.last->text,
			    "--set: error: unknown parameter 'ddr.dram.t_cll'; did you mean 'ddr.dram.t_cl'?");
	assert_false(machine_description_set(&d.config, "ddr.standard=naer", "--set", &standards, &diag));
	assert_string_equal(diag.last->text, "--set: error: no memory standard 'naer'; did you mean 'near'?");
	assert_false(machine_description_set(&d.config, "memories.one_more=near", "--set", &standards, &diag));
	assert_string_equal(diag.last->text, "--set: error: memory 'one_more': a machine has at most 4 by name");
	base_diag_free(&diag);

	base_diag_init(&diag);
	assert_true(machine_description_set(&d.config, "far.memory.line_bytes=96", "--set", &standards, &diag));
	assert_false(machine_config_check(&d.config, &diag));
	assert_string_equal(diag.first->text,
			    "--set: error: memory 'far': memory.line_bytes = 96: is not a power of two");
	base_diag_free(&diag);
}

static void check_same(const struct machine_config *a, const struct machine_config *b)
{
	struct machine_config copies[] = {*a, *b};
	struct sim_param_groups groups[2];

	machine_config_groups(&copies[0], &groups[0]);
	machine_config_groups(&copies[1], &groups[1]);
	assert_int_equal(groups[0].count, groups[1].count);
	for (uint32_t g = 0; g < groups[0].count; g++) {
		const struct sim_param_group *one = &groups[0].items[g], *other = &groups[1].items[g];

		assert_string_equal(one->prefix, other->prefix);
		for (uint32_t i = 0; i < one->row_count; i++)
			if (sim_param_value(one, &one->rows[i]) != sim_param_value(other, &other->rows[i]))
				fail_msg("%s.%s differs", one->prefix, one->rows[i].name);
	}
}

/* The text of a machine is that machine. */
static void test_text(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "again.yaml", NULL);
	const char *const names[] = {"tom-baseline", "tom-ctrl-tmap", "nsu-dyn-cache", "bom", "server", "with-host",
				     "host-apart"};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct machine_description d, again;
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_true(machine_description_load(names[i], &search, &standards, &d, &diag));

		g_autofree char *text = machine_description_text(&d.config);

		/* A group has one heading, though several parts have parameters in it. */
		assert_ptr_equal(strstr(text, "ndp:\n"), g_strrstr(text, "ndp:\n"));
		assert_true(g_file_set_contents(path, text, -1, NULL));
		assert_true(machine_description_load(path, &search, &standards, &again, &diag));

		g_autofree char *again_text = machine_description_text(&again.config);

		assert_string_equal(again_text, text);
		check_same(&d.config, &again.config);
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
	    cmocka_unit_test(test_rates_beyond_the_timing),
	    cmocka_unit_test(test_unknown_machine),   cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_large_files),	      cmocka_unit_test(test_dram_by_standard),
	    cmocka_unit_test(test_memories_by_name),  cmocka_unit_test(test_text),
	};

	if (chdir(TEST_DIR))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
