/* test_tables.c - what ISCA'19 states exactly: geometry (claim D1 (a)), Tables 2 and 4, and the model of power. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/energy.h"
#include "dc/system/system.h"

static struct dc_params params(void)
{
	struct dc_params p;
	const struct sim_param_group group = {
	    .prefix = "duality", .rows = dc_param_rows, .row_count = dc_param_row_count, .values = &p};

	sim_param_defaults(&group);
	p.socket_count = 2;
	return p;
}

static void is_near(double value, double expected, double within)
{
	if (fabs(value - expected) > within)
		fail_msg("%g, expected %g", value, expected);
}

static void test_geometry(void **state)
{
	const struct dc_params p = params();

	(void)state;
	assert_int_equal(dc_arrays(&p), 4480);		/* Table 2: 35 MB of 8 KB */
	assert_int_equal(dc_bit_line_alus(&p), 1146880); /* section 1 */
	assert_int_equal(dc_block_count(&p), 560);	/* section 5.2: 280 of each socket */
	assert_int_equal(dc_block_count(&p) * DC_BLOCK_LANES, 573440);
	is_near(dc_resources_ratio(&p, 30, 2, 1024), 9.33, 0.005); /* 2.2: against two CTAs on each of 30 SMs */
	is_near(dc_threads_ratio(&p, 3840), 149.3, 0.05);	   /* 5.1: 150 x */
}

static void test_placement(void **state)
{
	(void)state;
	assert_int_equal(dc_ctas_per_block(1024, 256), 4);
	assert_int_equal(dc_ctas_per_block(1024, 1024), 1);
	assert_int_equal(dc_ctas_per_block(1024, 32), 32);
	assert_int_equal(dc_ctas_per_block(1024, 96), 8);  /* two in a bank of 256, none across banks */
	assert_int_equal(dc_ctas_per_block(1024, 288), 2); /* whole banks: two of them */
	assert_int_equal(dc_ctas_per_block(1024, 640), 1);
	assert_int_equal(dc_ctas_per_block(1024, 1), 32); /* lanes come by warps */
	assert_int_equal(dc_ctas_per_block(1024, 1056), 0);
	assert_int_equal(dc_ctas_per_block(4096, 256), 16); /* the plain translator: 4K threads */
}

static void test_area_and_power(void **state)
{
	struct dc_params p = params();

	(void)state;
	is_near(dc_area_added_mm2(&p), 15.77, 1e-9);
	is_near(dc_area_total_mm2(&p), 471.77, 1e-9);
	is_near(100 * dc_area_added_mm2(&p) / dc_areas[0].area_mm2, 3.46, 0.005);
	/* Half the ways have half the peripherals, one transpose unit of four a quarter of their area. */
	p.way_count /= 2;
	is_near(dc_area_added_mm2(&p), 15.77 - 3.15 / 2, 1e-9);
	p.tmu_count = 1;
	is_near(dc_area_added_mm2(&p), 15.77 - 3.15 / 2 - 5.32 * 3 / 4, 1e-9);
	p.slice_count /= 2;
	is_near(dc_area_added_mm2(&p), (15.77 - 3.15 / 2 - 5.32 * 3 / 4) / 2, 1e-9);
	is_near(dc_power_total_w(), 148.41, 1e-9); /* the table prints 148.40 */
}

static void test_servers(void **state)
{
	static const struct {
		const char *name;
		double mm2, w;
	} rows[] = {{"cpu-server", 912, 290}, {"gpu-server", 1383, 540}, {"duality", 942, 296}};

	(void)state;
	assert_int_equal(dc_server_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(dc_servers[i].name, rows[i].name);
		is_near(dc_server_mm2(&dc_servers[i]), rows[i].mm2, 1e-9);
		is_near(dc_server_w(&dc_servers[i]), rows[i].w,
			1e-9); /* the GPU server's 640 W is not its parts' sum */
	}
}

/* 2.96 W of peripherals, 10 % of arrays at work, 1.25 operations a word: what the default parameter is. */
static void test_array_energy(void **state)
{
	const struct dc_params p = params();

	(void)state;
	is_near(dc_array_pj(2.96, dc_arrays(&p), 0.1, 1.25, 2.5e9), p.array_pj, 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_geometry), cmocka_unit_test(test_placement),	  cmocka_unit_test(test_area_and_power),
	    cmocka_unit_test(test_servers),  cmocka_unit_test(test_array_energy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
