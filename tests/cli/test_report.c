/* Reports from result objects made by hand: order of stalls, the comparison's ratios, the store's rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/demangle.h"
#include "report/memory.h"
#include "report/report.h"
#include "report/roofline.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static json_t *make_run(const char *workload, const char *machine, int time_ps, double energy_pj)
{
	json_t *run =
	    json_pack("{s:s, s:[s], s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:f, s:f}", "workload", workload, "args", "x",
		      "machine", machine, "mechanism", "none", "verified", 1, "exit_status", 0, "cycles", 100,
		      "time_ps", time_ps, "total_time_ps", 3000000 + time_ps, "ipc", 2.5, "energy_total_pj", energy_pj);

	json_object_set_new(run, "stats",
			    json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i}}", "sm.scheduler_cycles", 100,
				      "sm.issued_cycles", 40, "sm.stall_lsu", 10, "sm.stall_memory", 30,
				      "sm.stall_fence", 0, "sm.stall_idle", 20, "memory.write_latency_ps", "count", 4,
				      "sum", 40, "p50", 9));
	json_object_set_new(run, "params", json_pack("{s:i, s:s}", "gpu.sm_count", 68, "sm.scheduler", "gto"));
	json_object_set_new(run, "units",
			    json_pack("{s:s, s:s}", "sm.scheduler_cycles", "cycles", "memory.write_latency_ps", "ps"));
	return run;
}

static void test_top_waits(void **state)
{
	json_t *run = make_run("w", "m", 1, 1);
	struct report_wait waits[4];
	struct report_waiting whose;

	(void)state;
	assert_int_equal(report_top_waits(run, waits, 4, &whose), 3);
	assert_string_equal(waits[0].name, "memory");
	assert_string_equal(waits[1].name, "idle");
	assert_string_equal(waits[2].name, "lsu");
	assert_true(waits[0].share == 0.3);
	assert_string_equal(whose.of, "the schedulers");
	assert_true(whose.used == 0.4);
	assert_int_equal(report_top_waits(run, waits, 2, NULL), 2);
	assert_string_equal(waits[1].name, "idle");
	json_decref(run);
}

static char *comparison_of(const json_t *runs, uint32_t workload_count)
{
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *f = open_memstream(&text, &size_bytes);

	const struct report_comparison comparison = {"base", workload_count};

	report_comparison_print(f, runs, &comparison);
	fclose(f);

	char *copy = strdup(text);

	free(text);
	return copy;
}

static void test_comparison(void **state)
{
	json_t *runs = json_array();

	(void)state;
	json_array_append_new(runs, make_run("w", "base", 4000000, 10));
	json_array_append_new(runs, make_run("w", "fast", 1000000, 20));
	json_array_append_new(runs, make_run("v", "base", 1000000, 10));
	json_array_append_new(runs, make_run("v", "fast", 1000000, 5));

	char *text = comparison_of(runs, 2);

	/* 4 times and 1 times as fast: the mean is 2. Energy doubled and halved: the mean is 1. */
	assert_non_null(strstr(text, "   4.00x    1.75x")); /* of 7 us and 4 us the whole program */
	assert_non_null(strstr(text, "geo. mean   base"));
	assert_non_null(strstr(text, "   2.00x  memory 30 %"));

	const char *mean = strstr(text, "of 2 of 2 workloads\n");

	assert_non_null(mean);
	mean += strlen("of 2 of 2 workloads\n");
	assert_non_null(strstr(mean, "2.00x"));
	assert_non_null(strstr(mean, "2.00x    1.32x")); /* the root of 7/4 and 1 */
	assert_non_null(strstr(mean, "1.00x  of 2 of 2 workloads"));
	free(text);
	json_decref(runs);
}

static char *summary_of(const json_t *run)
{
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *f = open_memstream(&text, &size_bytes);

	report_summary_print(f, run);
	fclose(f);
	return text;
}

/* Why instances of blocks stayed, where the counts add up, and what became of the mapping. */
static void test_offloads(void **state)
{
	static const struct {
		int full, learned, pauses;
		const char *instances, *mapping;
	} cases[] = {
	    {20, 64, 1, "30 of 100 instances of blocks (30.0 %); stayed: 50 mapping being learned, 20 stack "
	     "SM full\n",
	     "learned after 3.000 us of kernels from 64 instances\n"},
	    {21, 0, 1, "30 of 100 instances of blocks (30.0 %)\n", "not learned: no instance in 3.000 us"},
	    {21, 0, 0, "30 of 100 instances of blocks (30.0 %)\n", "in the host's memory to the end, 3.000 us"},
	};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		json_t *run = make_run("w", "m", 1, 1);

		json_t *stats = json_pack("{s:i, s:i, s:i}", "tom.instance_count", 100, "tom.offloaded_count", 30,
					  "tom.learning_count", 50);

		json_object_set_new(stats, "tom.full_count", json_integer(cases[i].full));
		json_object_set_new(stats, "mapping.learning_ps", json_integer(3000000));
		json_object_set_new(stats, "mapping.learned_instances", json_integer(cases[i].learned));
		json_object_set_new(stats, "gpu.pauses", json_integer(cases[i].pauses));
		json_object_set_new(run, "stats", stats);
		json_object_set_new(run, "params", json_pack("{s:s}", "ndp.tom_mapping", "learned"));
		json_object_set_new(run, "parts", json_pack("[s]", "ndp"));
		json_object_set_new(run, "mechanism", json_string("tom"));

		char *text = summary_of(run);

		assert_non_null(strstr(text, cases[i].instances));
		assert_non_null(strstr(text, cases[i].mapping));
		free(text);
		json_decref(run);
	}
}

static void test_comparison_of_a_failure(void **state)
{
	json_t *runs = json_array();

	(void)state;
	json_array_append_new(runs, make_run("w", "base", 4000000, 10));
	json_array_append_new(runs,
			      json_pack("{s:s, s:s, s:b, s:i, s:s}", "workload", "w", "machine", "fast", "verified", 0,
					"exit_status", 139, "not_verified", "nothing was measured"));

	char *text = comparison_of(runs, 1);

	assert_non_null(strstr(text, "no results (exit status 139): nothing was measured"));
	free(text);
	json_decref(runs);
}

static json_t *make_wrong_run(const char *workload, const char *machine, int time_ps)
{
	json_t *run = make_run(workload, machine, time_ps, 10);

	json_object_set_new(run, "verified", json_false());
	json_object_set_new(run, "not_verified", json_string("1 of 2 launches were refused"));
	return run;
}

/* A run that is not verified has no ratios, is in no mean, and is nobody's base, even as the first one that there is;
 * nor is another machine's run the base when the first machine's is missing. */
static void test_comparison_of_wrong_runs(void **state)
{
	json_t *runs = json_array();

	(void)state;
	json_array_append_new(runs, make_run("u", "base", 4000000, 10));
	json_array_append_new(runs, make_wrong_run("u", "fast", 1000000));
	json_array_append_new(runs, make_wrong_run("v", "base", 4000000));
	json_array_append_new(runs, make_run("v", "fast", 1000000, 10));
	json_array_append_new(runs, make_run("w", "fast", 2000000, 10));
	json_array_append_new(runs, make_run("x", "base", 4000000, 10));
	json_array_append_new(runs, make_run("x", "fast", 2000000, 10));

	char *text = comparison_of(runs, 5);

	assert_non_null(strstr(text, "NOT VERIFIED: 1 of 2 launches were refused"));
	assert_null(strstr(text, "4.00x"));
	assert_non_null(strstr(text, "of 2 of 5 workloads"));
	assert_non_null(strstr(text, "of 1 of 5 workloads"));

	const char *mean = strstr(text, "geo. mean");

	assert_non_null(mean);
	/* Of x alone: of 4 us and 2 us in kernels, 7 us and 5 us the whole program, the same energy. */
	assert_non_null(strstr(mean, "   2.00x    1.40x"));
	assert_non_null(strstr(mean, "   1.00x  of 1 of 5 workloads"));
	free(text);
	json_decref(runs);
}

/* Processes of a script are rows of their own. */
static void test_comparison_of_processes(void **state)
{
	json_t *runs = json_array();

	(void)state;
	for (int process = 1; process <= 2; process++) {
		json_t *base = make_run("s", "base", 1000000 * process, 10), *fast = make_run("s", "fast", 500000, 10);

		json_object_set_new(base, "process", json_integer(process));
		json_object_set_new(fast, "process", json_integer(process));
		json_array_append_new(runs, base);
		json_array_append_new(runs, fast);
	}

	char *text = comparison_of(runs, 1);

	assert_non_null(strstr(text, "s #2 "));
	assert_non_null(strstr(text, "   4.00x"));
	assert_non_null(strstr(text, "of 2 of 2 workloads"));
	free(text);
	json_decref(runs);
}

/* What nobody counts is no 0; energies of different parts have a mark; a program with other arguments is another. */
static void test_comparison_of_what_is_not_counted(void **state)
{
	json_t *runs = json_array(), *base = make_run("w", "base", 4000000, 10e9);
	json_t *other = make_run("w", "other", 2000000, 5e9), *args = make_run("w", "args", 1000000, 10e9);

	(void)state;
	json_object_set_new(base, "traffic_bytes",
			    json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "tx", 1000, "rx", 2000, "stack_to_stack", 0,
				      "dram_read", 3000, "dram_write", 4000, "dram", 7000));
	json_object_set_new(other, "traffic_bytes",
			    json_pack("{s:n, s:n, s:n, s:n, s:n, s:i}", "tx", "rx", "stack_to_stack", "dram_read",
				      "dram_write", "dram", 9000));
	json_object_set_new(base, "energy_scope", json_pack("[s, s]", "cores", "memory"));
	json_object_set_new(base, "energy_not_counted", json_array());
	json_object_set_new(other, "energy_scope", json_pack("[s]", "memory"));
	json_object_set_new(other, "energy_not_counted", json_pack("[s]", "cores"));
	json_object_set_new(args, "args", json_pack("[s]", "y"));
	json_array_append_new(runs, base);
	json_array_append_new(runs, other);
	json_array_append_new(runs, args);

	char *text = comparison_of(runs, 1);

	assert_non_null(strstr(text, "     0.001     0.002     0.000     0.007    10.0000   1.00x  memory 30 %\n"));
	assert_non_null(strstr(text, "         -         -         -     0.009     5.0000   0.50x* memory 30 %\n"));
	assert_non_null(strstr(text, "energy of other: memory; not counted: cores\n"));
	assert_non_null(strstr(text, "* energies of different parts"));
	assert_null(strstr(text, "4.00x"));
	free(text);
	json_decref(runs);
}

/* Of a memory that was a rate, older results have its bytes among the statistics; who counts nothing has none. */
static void test_dram_bytes(void **state)
{
	json_t *run = make_run("w", "m", 1000000, 10);
	double bytes;

	(void)state;
	assert_false(report_dram_bytes(run, &bytes));
	json_object_set_new(run, "traffic_bytes", json_pack("{s:i, s:i}", "dram_read", 0, "dram_write", 0));
	json_object_set_new(json_object_get(run, "stats"), "cpu.rated_bytes", json_integer(12542080));
	assert_true(report_dram_bytes(run, &bytes));
	assert_true(bytes == 12542080);
	json_object_set_new(json_object_get(run, "traffic_bytes"), "dram", json_integer(5));
	assert_true(report_dram_bytes(run, &bytes));
	assert_true(bytes == 5);
	json_decref(run);
}

static void test_same_work(void **state)
{
	static const struct {
		const char *key, *of_a, *of_b;
		bool is_same;
	} cases[] = {
	    {"machine", "m", "n", true},	     {"workload", "w", "v", false},
	    {"input_sha256", "a", "b", false},	     {"program_sha256", "a", "b", true},
	    {"program_path", "/a/w", "/b/w", true},
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		json_t *a = make_run("w", "m", 1, 1), *b = make_run("w", "m", 2, 1);

		json_object_set_new(a, cases[i].key, json_string(cases[i].of_a));
		json_object_set_new(b, cases[i].key, json_string(cases[i].of_b));
		assert_int_equal(report_is_same_work(a, b), cases[i].is_same);
		/* Of a user's programs of one name both the path and the text differ. */
		json_object_set_new(b, "program_sha256", json_string("other"));
		json_object_set_new(b, "program_path", json_string("other"));
		json_object_set_new(a, "program_sha256", json_string("a"));
		json_object_set_new(a, "program_path", json_string("a"));
		assert_false(report_is_same_work(a, b));
		json_object_set_new(a, "verified_by", json_string("workload"));
		json_object_set_new(b, "verified_by", json_string("workload"));
		assert_int_equal(report_is_same_work(a, b), cases[i].is_same);
		json_decref(a);
		json_decref(b);
	}
}

/* What of the program is timed makes other work of it; a parameter that is not written is none, as in results of before
 * it was there. */
static void test_same_part(void **state)
{
	static const struct {
		const char *of_a, *of_b, *part;
		bool is_same;
	} cases[] = {
	    {"{}", "{\"run.only\": \"none\", \"run.fast_forward\": \"none\", \"run.instruction_limit_count\": 0}", "",
	     true},
	    {"{\"run.only\": \"2\"}", "{\"run.only\": \"2\", \"run.seed\": 7}", "run.only=2", true},
	    {"{\"run.only\": \"2\"}", "{\"run.only\": \"3\"}", "run.only=2", false},
	    {"{\"run.fast_forward\": \"k\"}", "{}", "run.fast_forward=k", false},
	    {"{\"run.only\": \"k\", \"run.instruction_limit_count\": 5}", "{\"run.only\": \"k\"}",
	     "run.only=k run.instruction_limit_count=5", false},
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		json_t *a = make_run("w", "m", 1, 1), *b = make_run("w", "m", 2, 1);
		g_autofree char *part = NULL;

		json_object_set_new(a, "program_path", json_string("/w"));
		json_object_set_new(b, "program_path", json_string("/w"));
		json_object_set_new(a, "params", json_loads(cases[i].of_a, 0, NULL));
		json_object_set_new(b, "params", json_loads(cases[i].of_b, 0, NULL));
		part = report_part(a);
		assert_string_equal(part, cases[i].part);
		assert_int_equal(report_is_same_work(a, b), cases[i].is_same);
		json_decref(a);
		json_decref(b);
	}
}

/* The per_s of a roof. */
static double roof_of(const json_t *roofline, const char *name)
{
	const json_t *roof;
	size_t i;

	json_array_foreach(json_object_get(roofline, "roofs"), i, roof)
		if (!strcmp(json_string_value(json_object_get(roof, "name")), name))
			return report_number(roof, "per_s", NULL);
	return 0;
}

/* Every roof of a GPU, of numbers that are all different. */
static void test_roofs(void **state)
{
	json_t *run = make_run("w", "m", 1000000, 10), *roofline;

	(void)state;
	json_object_set_new(run, "params",
			    json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "gpu.sm_count", 5,
				      "gpu.stack_count", 2, "gpu.stack_sm_count", 3, "gpu.sm_clock_khz", 1000000,
				      "sm.scheduler_count", 4, "sm.int_interval_cycles", 1,
				      "sm.imul_interval_cycles", 2, "sm.fp32_interval_cycles", 8,
				      "sm.fp64_interval_cycles", 16, "sm.sfu_interval_cycles", 32));
	json_object_set_new(run, "peak_bytes_per_s",
			    json_pack("{s:i, s:i, s:i, s:i}", "tx", 100, "rx", 200, "stack_to_stack", 300, "dram",
				      400));
	json_object_set_new(run, "account", json_pack("{s:{}, s:[]}", "parts", "kernels"));
	roofline = report_roofline(run);
	/* 11 SMs at 1 GHz with 4 schedulers each, or one unit for all of them. */
	assert_true(roof_of(roofline, "issue") == 44e9);
	assert_true(roof_of(roofline, "integer units") == 44e9 * 32);
	assert_true(roof_of(roofline, "multipliers") == 44e9 * 16);
	assert_true(roof_of(roofline, "fp32 units") == 44e9 * 4);
	assert_true(roof_of(roofline, "fp64 units") == 44e9 * 2);
	assert_true(roof_of(roofline, "SFUs") == 11e9);
	assert_true(roof_of(roofline, "links, GPU to stacks") == 100);
	assert_true(roof_of(roofline, "links, stacks to GPU") == 200);
	assert_true(roof_of(roofline, "links between stacks") == 300);
	assert_true(roof_of(roofline, "DRAM of the stacks") == 400);
	json_decref(roofline);
	json_decref(run);
}

static void test_idle_ndps(void **state)
{
	json_t *run = make_run("w", "m", 1000000, 10);

	(void)state;
	json_object_set_new(run, "channels", json_pack("{s:i, s:i}", "up_bytes", 1, "down_bytes", 1));
	json_object_set_new(run, "params", json_pack("{s:i, s:i}", "channel.ndp_count", 32, "channel.core_count", 16));
	for (uint32_t i = 0; i < 2; i++) {
		static const char line[] = "0 of 512 ran anything: channel.place=flat, or <strata/ndp.h>\n";

		json_object_set_new(json_object_get(run, "stats"), "channel.instructions", json_integer(i));

		char *text = summary_of(run);

		assert_int_equal(strstr(text, line) != NULL, i == 0);
		free(text);
	}
	json_decref(run);
}

static void put_sums(json_t *run, const char *mechanism, int launches, int ctas, int instructions)
{
	json_object_set_new(run, "mechanism", json_string(mechanism));
	json_object_set_new(run, "kernel_sums",
			    json_pack("[{s:s, s:i, s:i, s:i}]", "name", "k", "launches", launches, "cta_count", ctas,
				      "thread_instructions", instructions));
}

static void test_copied(void **state)
{
	static const char *const hashes[][2] = {
	    {"first", NULL}, {"base", "00000000000000aa"}, {"same", "00000000000000aa"}, {"other", "00000000000000ab"},
	    {"another", "00000000000000ac"},
	};
	json_t *runs = json_array();

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(hashes); i++) {
		json_t *run = make_run("w", hashes[i][0], 1000000, 10);

		put_sums(run, "none", 1, 1, 1);
		json_object_set_new(run, "copied_to_host_hash",
				    hashes[i][1] ? json_string(hashes[i][1]) : json_null());
		json_array_append_new(runs, run);
	}
	report_work_compare(runs, "base");
	for (size_t i = 0; i < G_N_ELEMENTS(hashes); i++) {
		const json_t *run = json_array_get(runs, i);
		const char *from = json_string_value(json_object_get(run, "copied_bytes_differ_from"));

		assert_string_equal(from ? from : "", i > 2 ? "base" : "");
	}

	char *text = comparison_of(runs, 1);

	assert_non_null(strstr(text, "w: other bytes were copied to the host than on base: on other, another\n"));
	free(text);
	json_decref(runs);
}

static void test_work(void **state)
{
	json_t *runs = json_array();
	static const struct {
		const char *machine, *mechanism;
		int launches, ctas, instructions;
		const char *what; /* that differs from the base, or NULL */
	} rows[] = {
	    {"first", "none", 1, 8, 100, "launches"}, {"base", "none", 2, 8, 100, NULL},
	    {"ctas", "none", 2, 9, 100, "ctas"},      {"instructions", "none", 2, 8, 101, "thread_instructions"},
	    {"mechanism", "tom", 2, 8, 101, NULL},    {"mechanism2", "tom", 2, 7, 101, "ctas"},
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		json_t *run = make_run("w", rows[i].machine, 1000000, 10);

		put_sums(run, rows[i].mechanism, rows[i].launches, rows[i].ctas, rows[i].instructions);
		json_array_append_new(runs, run);
	}
	report_work_compare(runs, "base");
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		json_t *differences = json_object_get(json_array_get(runs, i), "work_differs");

		assert_int_equal(json_array_size(differences), rows[i].what ? 1 : 0);
		if (rows[i].what)
			assert_string_equal(json_string_value(json_object_get(json_array_get(differences, 0), "what")),
					    rows[i].what);
	}

	char *text = comparison_of(runs, 1);

	assert_non_null(strstr(text, "w: different work: kernel k has 9 ctas on ctas, 8 on base\n"));
	free(text);
	json_decref(runs);
}

static int64_t query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);

	int64_t value = sqlite3_column_int64(stmt, 0);

	sqlite3_finalize(stmt);
	return value;
}

static void test_store(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *folder = g_build_filename(dir, "new", NULL);
	g_autofree char *path = g_build_filename(folder, "runs.db", NULL);
	json_t *runs = json_array();
	sqlite3 *db;

	(void)state;
	json_array_append_new(runs, make_run("w", "base", 4000000, 10));
	json_array_append_new(runs, make_run("w", "fast", 1000000, 20));
	assert_null(report_store_add(path, runs));
	assert_null(report_store_add(path, runs));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(query(db, "SELECT count(*) FROM runs"), 4);
	assert_int_equal(query(db, "SELECT time_ps FROM runs WHERE machine = 'fast' LIMIT 1"), 1000000);
	assert_int_equal(query(db, "SELECT verified FROM runs LIMIT 1"), 1);
	assert_int_equal(query(db, "SELECT value FROM stats WHERE run_id = 1 AND name = 'memory.write_latency_ps.p50'"),
			 9);
	assert_int_equal(query(db, "SELECT count(*) FROM stats WHERE name = 'sm.scheduler_cycles' AND unit = 'cycles'"),
			 4);
	assert_int_equal(query(db, "SELECT value FROM params WHERE run_id = 4 AND name = 'gpu.sm_count'"), 68);
	sqlite3_close(db);
	g_unlink(path);
	g_rmdir(folder);
	g_rmdir(dir);
	json_decref(runs);
}

/* A store of before versions were counted gets the new columns and keeps its runs; one of a newer Strata is refused; so
 * is a foreign table, which stays as it is. A check changes nothing. */
static void test_store_versions(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "runs.db", NULL);
	json_t *runs = json_pack("[o]", make_run("w", "base", 4000000, 10));
	g_autofree char *newer = NULL, *foreign = NULL;
	sqlite3 *db;

	(void)state;
	json_object_set_new(json_array_get(runs, 0), "run_key", json_string("abc"));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(
		db,
		"CREATE TABLE runs(id INTEGER PRIMARY KEY, stored_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
		" workload TEXT, args TEXT, machine TEXT, mechanism TEXT, verified INTEGER, exit_status INTEGER,"
		" fault TEXT, cycles INTEGER, time_ps INTEGER, total_time_ps INTEGER, warp_instructions INTEGER,"
		" thread_instructions INTEGER, ipc REAL, energy_total_pj REAL, host_seconds REAL,"
		" peak_rss_bytes INTEGER, run_hash TEXT, result TEXT); INSERT INTO runs(workload) VALUES('old')",
		NULL, NULL, NULL),
	    SQLITE_OK);
	assert_null(report_store_check(path));
	assert_int_equal(query(db, "PRAGMA user_version"), 0);
	assert_null(report_store_add(path, runs));
	assert_int_equal(query(db, "PRAGMA user_version"), 1);
	assert_int_equal(query(db, "SELECT count(*) FROM runs WHERE workload = 'old' OR run_key = 'abc'"), 2);
	assert_int_equal(query(db, "SELECT count(*) FROM stats WHERE name = 'none'"), 0);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 9", NULL, NULL, NULL), SQLITE_OK);
	newer = report_store_check(path);
	assert_non_null(strstr(newer, "a newer one has written it"));
	assert_int_equal(
	    sqlite3_exec(db, "DROP TABLE runs; CREATE TABLE runs(x); PRAGMA user_version = 0", NULL, NULL, NULL),
	    SQLITE_OK);
	foreign = report_store_check(path);
	assert_non_null(strstr(foreign, "workload"));
	assert_int_equal(query(db, "SELECT count(*) FROM pragma_table_info('runs')"), 1);
	sqlite3_close(db);
	g_unlink(path);
	g_rmdir(dir);
	json_decref(runs);
}

static void test_store_find(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "runs.db", NULL);
	json_t *runs = json_array(), *found;

	(void)state;
	for (int process = 1; process <= 3; process++) {
		json_t *run = make_run("s", "base", 1000000, 10);

		json_object_set_new(run, "run_key", json_string("abc"));
		json_object_set_new(run, "process", json_integer(process));
		json_array_append_new(runs, run);
	}
	assert_null(report_store_find(path, "abc"));
	assert_null(report_store_add(path, runs));
	assert_null(report_store_add(path, runs));
	assert_null(report_store_find(path, "abd"));
	found = report_store_find(path, "abc");
	assert_int_equal(json_array_size(found), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(report_number(json_array_get(found, i), "process", NULL), i + 1);
	json_decref(found);
	json_object_set_new(json_array_get(runs, 1), "verified", json_false());
	assert_null(report_store_add(path, runs));
	assert_null(report_store_find(path, "abc"));
	g_unlink(path);
	g_rmdir(dir);
	json_decref(runs);
}

static void test_store_refused(void **state)
{
	json_t *runs = json_array();

	(void)state;
	json_array_append_new(runs, make_run("w", "base", 4000000, 10));

	g_autofree char *message = report_store_add("/dev/null/runs.db", runs);

	assert_non_null(message);
	assert_non_null(strstr(message, "/dev/null/runs.db"));
	json_decref(runs);
}

static void test_json_whole_or_nothing(void **state)
{
	json_t *runs = json_array();

	(void)state;
	assert_false(report_json_write("/nonexistent/folder/x.json", runs));
	json_decref(runs);
}

/* Two pieces of work, one of them without an engine. */
static void test_demangle(void **state)
{
	static const char *const texts[][2] = {
	    {"kernel _Z4badkPi, a.ptx line 3", "kernel badk(int*), a.ptx line 3"},
	    {"_Z1kPf", "k(float*)"},
	    {"no_Z1kPf, _Znothing _Z", "no_Z1kPf, _Znothing _Z"},
	    {"", ""},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *text = report_demangle(texts[i][0]);

		assert_string_equal(text, texts[i][1]);
	}
}

static void test_title_cut(void **state)
{
	static const struct {
		const char *title;
		size_t width;
		const char *cut;
	} cases[] = {
	    {"gather(float*, float const*, int const*, int)", 60, "gather(float*, float const*, int const*, int)"},
	    {"gather(float*, float const*, int const*, int)", 20, "gather(...)"},
	    {"void reduce<float, 256>(float*)", 20, "reduce<...>(...)"},
	    {"void reduce<float, 256>(float*, int)", 30, "reduce<float, 256>(...)"},
	    {"(anonymous namespace)::kernel(int*, int*)", 34, "(anonymous namespace)::kernel(...)"},
	    {"f(void (*)(int), int)", 10, "f(...)"},
	    {"a_name_of_c_that_is_very_long", 12, "a_name_of..."},
	    {"gr\303\266\303\237er_als_alles", 8, "gr\303\266\303\237e..."},
	    {"", 5, ""},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *cut = report_title_cut(cases[i].title, cases[i].width);

		assert_string_equal(cut, cases[i].cut);
		assert_true((size_t)g_utf8_strlen(cut, -1) <= cases[i].width);
	}
}

static void test_trace(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "trace.json", NULL);
	json_t *run = make_run("w", "base", 4000000, 10), *event;
	uint32_t kernels = 0, functions = 0, rows = 0;
	size_t i;

	(void)state;
	json_object_set_new(run, "timeline",
			    json_pack("[{s:s,s:s,s:i,s:i,s:i,s:i},{s:s,s:s,s:i,s:i,s:i,s:i}]", "kind", "kernel", "name",
				      "_Z1kPf", "stream", 3, "start_ps", 1000000, "end_ps", 3500000, "launch", 7,
				      "kind", "host function", "name", "host function", "stream", 3, "start_ps",
				      3500000, "end_ps", 3600000, "bytes", 0));
	json_object_set_new(run, "kernels",
			    json_pack("[{s:s,s:i,s:[iii],s:i,s:i}]", "name", "_Z1kPf", "number", 7, "grid", 5, 1, 1,
				      "cycles", 100, "thread_instructions", 250));
	report_titles_add(run);
	assert_true(report_trace_write(path, run));

	json_t *trace = json_load_file(path, 0, NULL);

	assert_non_null(trace);
	json_array_foreach(json_object_get(trace, "traceEvents"), i, event) {
		const char *name = json_string_value(json_object_get(event, "name"));

		rows += !strcmp(name, "thread_name") && report_number(event, "pid", NULL) == 1;
		functions += !strcmp(name, "host function");
		if (strcmp(name, "k(float*)"))
			continue;
		kernels++;

		const json_t *args = json_object_get(event, "args");

		assert_null(json_object_get(args, "bytes"));
		assert_int_equal(json_integer_value(json_array_get(json_object_get(args, "grid"), 0)), 5);
		assert_true(report_number(args, "ipc", NULL) == 2.5);
		assert_string_equal(json_string_value(json_object_get(args, "symbol")), "_Z1kPf");
		assert_true(report_number(event, "ts", NULL) == 1);
		assert_true(report_number(event, "dur", NULL) == 2.5);
		assert_int_equal(report_number(event, "tid", NULL), report_number(event, "pid", NULL) == 1 ? 3 : 0);
	}
	/* In its stream and on its engine; the host function has none; the stream is named once. */
	assert_int_equal(kernels, 2);
	assert_int_equal(functions, 1);
	assert_int_equal(rows, 1);
	assert_false(report_trace_write("/nonexistent/folder/x.json", run));
	g_unlink(path);
	g_rmdir(dir);
	json_decref(trace);
	json_decref(run);
}

/* ---- memories ---- */

static json_t *make_point(double rate, double mean, bool is_saturated)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:b}", "rate_gbytes_per_s", rate, "gbytes_per_s", rate,
			 "latency_mean_ns", mean, "latency_p99_ns", 2 * mean, "is_saturated", is_saturated);
}

static json_t *make_memory(const char *name, double peak)
{
	json_t *run = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "memory", name,
				"stream", "random", "requests", 1000, "request_bytes", 64, "reads", 1000, "writes", 0,
				"window", 64, "gbytes_per_s", peak / 2, "peak_gbytes_per_s", peak,
				"latency_mean_ns", 100.0, "latency_p50_ns", 90.0, "energy_pj", 512000.0,
				"host_seconds", 0.5);

	json_object_set_new(run, "curve",
			    json_pack("[o, o, o]", make_point(peak / 4, 50, false), make_point(peak / 2, 80, false),
				      make_point(peak * 0.6, 90000, true)));
	return run;
}

static char *memories_printed(const json_t *runs)
{
	char *text = NULL;
	size_t size_bytes = 0;
	FILE *f = open_memstream(&text, &size_bytes);

	report_memory_print(f, runs);
	fclose(f);
	return text;
}

static void test_memories(void **state)
{
	json_t *runs = json_pack("[o]", make_memory("one", 10));
	char *text = memories_printed(runs);

	(void)state;
	assert_non_null(strstr(text, "one, random: 1000 requests of 64 bytes, 64 under way\n"));
	assert_non_null(strstr(text, "bandwidth      5.000 GB/s of 10.000 (50.0 %)"));
	assert_non_null(strstr(text, "0.512 uJ, 1.00 pJ per bit"));
	free(text);
	json_array_append_new(runs, make_memory("a-longer-name", 20));
	text = memories_printed(runs);
	assert_non_null(strstr(text, "\none            random      5.000   50.0 %     100.0      90.0"));
	assert_non_null(strstr(text, "\na-longer-name  random     10.000   50.0 %"));
	free(text);
	json_array_clear(runs);
	text = memories_printed(runs);
	assert_string_equal(text, "");
	free(text);
	json_decref(runs);
}

static char *picture_of(const json_t *runs)
{
	g_autofree char *dir = g_dir_make_tmp("strata-report-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "curve.svg", NULL);
	char *text;

	assert_true(report_curve_write(path, runs));
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_unlink(path);
	g_rmdir(dir);
	return text;
}

/* Scales: a picture of 84,56 to 724,476; bandwidth from 0 to 16 and linear, latency from 50 to 500 and logarithmic. */
static void test_curve(void **state)
{
	json_t *runs = json_pack("[o]", make_memory("<a&b>", 20));
	g_autofree char *one = picture_of(runs);

	(void)state;
	assert_non_null(strstr(one, ">&lt;a&amp;b&gt;, random</text>"));
	assert_null(strstr(one, "<a&b>"));
	assert_non_null(strstr(one, "M284.0 476.0 L484.0 390.3 L564.0 -891.2")); /* which the frame cuts off */
	assert_non_null(strstr(one, "<circle cx=\"484.0\" cy=\"390.3\""));
	assert_null(strstr(one, "<circle cx=\"564.0\""));
	/* Far apart: both scales are logarithmic. Nothing at all is an empty frame. */
	json_array_append_new(runs, make_memory("wide", 800));

	g_autofree char *two = picture_of(runs);

	assert_non_null(strstr(two, ">wide, random</text>"));
	assert_null(strstr(two, "nan"));
	assert_null(strstr(two, "inf"));
	json_array_clear(runs);

	g_autofree char *none = picture_of(runs);

	assert_true(g_str_has_suffix(none, "</svg>\n"));
	assert_null(strstr(none, "nan"));
	assert_false(report_curve_write("/nonexistent/curve.svg", runs));
	json_decref(runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_top_waits),
	    cmocka_unit_test(test_comparison), cmocka_unit_test(test_offloads),
	    cmocka_unit_test(test_comparison_of_a_failure),
	    cmocka_unit_test(test_comparison_of_what_is_not_counted),
	    cmocka_unit_test(test_dram_bytes),
	    cmocka_unit_test(test_same_work),
	    cmocka_unit_test(test_same_part),
	    cmocka_unit_test(test_roofs),
	    cmocka_unit_test(test_idle_ndps),
	    cmocka_unit_test(test_title_cut),
	    cmocka_unit_test(test_comparison_of_wrong_runs),
	    cmocka_unit_test(test_comparison_of_processes),
	    cmocka_unit_test(test_work),
	    cmocka_unit_test(test_copied),
	    cmocka_unit_test(test_store),
	    cmocka_unit_test(test_store_versions),
	    cmocka_unit_test(test_store_find),
	    cmocka_unit_test(test_store_refused),
	    cmocka_unit_test(test_json_whole_or_nothing),
	    cmocka_unit_test(test_demangle),
	    cmocka_unit_test(test_trace),
	    cmocka_unit_test(test_memories), cmocka_unit_test(test_curve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
