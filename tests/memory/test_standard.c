/* Memories by name: what is read, what is inherited, and the exact message of every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/standard.h"

static const char *const good_dirs[] = {"good", TEST_MEMORIES};
static const struct sim_search search = {good_dirs, 2};

static void test_inherits(void **state)
{
	struct memory_standard s;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(memory_standard_load("top", &search, &s, &diag));
	assert_true(memory_standard_check(&s, &diag));
	assert_string_equal(s.about.name, "top");
	assert_string_equal(s.about.summary, "");
	assert_int_equal(s.memory.channel_count, 2);
	assert_int_equal(s.memory.capacity_bytes, 4ull << 30);
	assert_int_equal(s.memory.address_map, MEM_ORDER_GROUPS);
	assert_int_equal(s.dram.vault_count, 1);
	assert_int_equal(s.dram.t_cl, 13);
	assert_true(s.energy.dram_row_buffer_pj == 10);
	base_diag_free(&diag);
}

static void test_overrides(void **state)
{
	struct memory_standard s;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_true(memory_standard_load("base", &search, &s, &diag));
	assert_true(memory_standard_set(&s, "dram.t_cl=20", "override", &diag));
	assert_true(memory_standard_set(&s, "energy.tsv_pj = 0.5", "override", &diag));
	assert_int_equal(s.dram.t_cl, 20);
	assert_true(s.energy.tsv_pj == 0.5);
	assert_false(memory_standard_set(&s, "dram.t_cl", "override", &diag));
	assert_false(memory_standard_set(&s, "energy.l1_access_pj=1", "override", &diag));
	assert_string_equal(diag.first->text, "override: error: expected group.name=value, found 'dram.t_cl'");
	assert_int_equal(diag.error_count, 2);
	base_diag_free(&diag);
}

/* Every memory we ship is read without a message, keeps the rules and says what it is. */
static void test_shipped_memories(void **state)
{
	const char *const dirs[] = {TEST_MEMORIES};
	const struct sim_search shipped = {dirs, 1};
	g_auto(GStrv) names = sim_description_names(&shipped);

	(void)state;
	assert_true(g_strv_length(names) >= 1);
	for (char **name = names; *name; name++) {
		struct memory_standard s;
		struct base_diag_list diag;

		base_diag_init(&diag);

		bool is_good = memory_standard_load(*name, &shipped, &s, &diag) && memory_standard_check(&s, &diag);

		if (!is_good)
			fail_msg("%s", diag.first->text);
		assert_true(*s.about.summary);
		base_diag_free(&diag);
	}
}

/* What would be refreshed for ever is refused; where an access just fits, it is not. */
static void test_refresh_leaves_time(void **state)
{
	static const struct {
		const char *name, *sets[3], *text;
	} rows[] = {
		/* At 10 ns per tCK: 35 for the refresh, tRC of 56 and tRCD of 17. */
		{"ddr4-2400", {"dram.t_refi_ns=1080", "dram.t_rfc_ns=350", "dram.data_rate_mbps=200"},
		 "dram.t_refi_ns: 108 tCK, of which a refresh takes 35, leave no time for an access"},
		{"ddr4-2400", {"dram.t_refi_ns=1090", "dram.t_rfc_ns=350", "dram.data_rate_mbps=200"}, NULL},
		{"hbm3-6400", {"dram.t_refi_ns=500", "dram.t_rrefd_ns=25.6", "dram.t_rfc_ns=160"}, NULL},
		{"hbm3-6400", {"dram.t_refi_ns=500", "dram.t_rrefd_ns=25.7", "dram.t_rfc_ns=160"},
		 "dram.t_refi_ns: 800 tCK for the refreshes of 16 banks, where each needs 51, leave no time for "
		 "accesses"},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct memory_standard s;
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_true(memory_standard_load(rows[i].name, &search, &s, &diag));
		for (uint32_t k = 0; k < G_N_ELEMENTS(rows[i].sets); k++)
			assert_true(memory_standard_set(&s, rows[i].sets[k], "override", &diag));
		assert_true(dram_params_check(&s.dram, &diag) == !rows[i].text);
		if (rows[i].text)
			assert_non_null(strstr(diag.first->text, rows[i].text));
		base_diag_free(&diag);
	}
}

static void test_unknown_memory(void **state)
{
	struct memory_standard s;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_false(memory_standard_load("ddr3-1660", &search, &s, &diag));
	assert_string_equal(diag.first->text, "error: no memory 'ddr3-1660'; did you mean 'ddr3-1600'?");
	base_diag_free(&diag);
}

/* The messages of bad/NAME.yaml are bad/NAME.err. With TEST_REBASELINE in the environment they are written instead. */
static void check_bad(const char *file)
{
	g_autofree char *path = g_build_filename("bad", file, NULL);
	g_autofree char *golden_path = g_strdup_printf("%.*s.err", (int)(strlen(path) - strlen(".yaml")), path);
	g_autofree char *golden = NULL;
	struct memory_standard s;
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_false(memory_standard_load(path, &search, &s, &diag));

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
	assert_true(count >= 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inherits),	   cmocka_unit_test(test_overrides),
	    cmocka_unit_test(test_shipped_memories), cmocka_unit_test(test_refresh_leaves_time),
	    cmocka_unit_test(test_unknown_memory),   cmocka_unit_test(test_bad_files),
	};

	if (chdir(TEST_DIR))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
