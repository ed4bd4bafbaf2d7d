/* Power and area in closed form: published points, equations, the front, technology. */
#include "harness.h"

#include <math.h>

#include "csp/space.h"

#define WITHIN(a, b, share) assert_true(fabs((a) - (b)) <= (share) * fabs((double)(b)))

static void point(const char *machine, struct csp_config *c, struct csp_power *p)
{
	const struct csp_application a = csp_application_default();
	struct harness h;

	harness_begin(&h, machine);
	*c = h.config;
	csp_power_correlation(c, &a, p);
	harness_end(&h);
}

/* Table 3.2, what it is calibrated on. */
static void points(void **state)
{
	struct csp_config c;
	struct csp_power p;

	(void)state;
	point("alpha", &c, &p);
	WITHIN(p.total_w, 11.47, 0.01);
	WITHIN(p.area_mm2, 14.54, 0.01);
	WITHIN(p.gops_per_w, 257, 0.01);
	assert_int_equal(p.cores, 14);
	WITHIN(p.fus, 851.4, 1e-4);
	WITHIN(p.utilisation, 0.951, 0.002);
	point("beta", &c, &p);
	WITHIN(p.total_w, 12.04, 0.01);
	WITHIN(p.area_mm2, 9.73, 0.01);
	WITHIN(p.gops_per_w, 245, 0.01);
}

static void equations(void **state)
{
	(void)state;
	assert_true(csp_ssrf_reads(1024, 64) == 136);
	assert_true(csp_rf_reads(1024, 64, 4) == 34);
	assert_true(csp_rf_reads(1024, 64, 2) == 68);
	assert_true(csp_ssrf_reads(1024, 4) == 32896);
}

/* The sum is of its parts, and a part costs what its events and their number say. */
static void parts(void **state)
{
	struct csp_config c;
	struct csp_power p;
	double sum;

	(void)state;
	point("alpha", &c, &p);
	sum = p.cfma_w + p.registers_w + p.ssrf_w + p.controllers_w + p.network_w + p.links_w + p.logic_w + p.dram_w;
	WITHIN(p.total_w, sum, 1e-12);
	WITHIN(p.cfma_w, 703125.0 * 524288 * c.energy.cfma_pj * 1e-12, 1e-12);
	WITHIN(p.links_w, 8e-12 * (p.from_memory_bytes_per_s + p.to_memory_bytes_per_s), 1e-12);
	WITHIN(p.reads_bytes_per_s, 170 * 512 * 703125.0, 1e-12);
	/* 128 bytes in packets of 144; what is written, samples and visibilities, is answered by 16 bytes for 128. */
	WITHIN(p.from_memory_bytes_per_s, 1.125 * 170 * 512 * 703125 + 0.125 * (5.76e9 + 2.4576e9), 1e-9);
}

static void front(void **state)
{
	const struct csp_application a = csp_application_default();
	struct csp_designs *s = g_new(struct csp_designs, 1);
	struct csp_config c;
	struct csp_power p;

	(void)state;
	point("alpha", &c, &p);
	csp_space_make(&c, &a, s);
	assert_int_equal(s->count, 5 * 6 * 4);
	WITHIN(csp_space_least_power(s)->power.total_w, 11.47, 0.01);
	assert_int_equal(csp_space_least_power(s)->fu_count, 64);
	assert_int_equal(csp_space_least_area(s)->technology, CSP_EDRAM);
	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t j = 0; j < s->count; j++)
			assert_false(s->points[j].is_pareto &&
				     s->points[i].power.total_w < s->points[j].power.total_w &&
				     s->points[i].power.area_mm2 < s->points[j].power.area_mm2);
	assert_true(csp_space_least_power(s)->is_pareto && csp_space_least_area(s)->is_pareto);
	assert_int_equal(csp_space_representative(s, 8)->fu_count, 8);
	g_free(s);
}

/* Traffic beyond twelve links takes another chip with stacks of its own. */
static void chips(void **state)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c;
	struct csp_power p;

	(void)state;
	point("alpha", &c, &p);
	assert_int_equal(p.chips, 1);
	assert_int_equal(p.links, 3);
	c.csp.fu_count = 4;
	csp_power_correlation(&c, &a, &p);
	assert_int_equal(p.chips, 2);
	assert_int_equal(p.stacks, 6);
	assert_true(p.links > 12);
}

static void technology(void **state)
{
	struct csp_config c, scaled;
	struct csp_power p;

	(void)state;
	point("alpha", &c, &p);
	scaled = c;
	csp_scale(&scaled, 0);
	assert_memory_equal(&scaled, &c, sizeof(c));
	csp_scale(&scaled, 2);
	WITHIN(scaled.energy.cfma_mm2, c.energy.cfma_mm2 * 0.53 * 0.53, 1e-12);
	WITHIN(scaled.energy.sram_mm2, c.energy.sram_mm2 * 0.34, 1e-12);
	WITHIN(scaled.energy.controller_mw, c.energy.controller_mw * 0.64, 1e-12);
	WITHIN(scaled.energy.sram_leakage_mw, c.energy.sram_leakage_mw * 0.56, 1e-12);
	WITHIN((double)scaled.csp.clock_khz, 433000 * 1.69, 1e-5);
	/* Power at the new frequency: an event's energy times how often. */
	WITHIN(scaled.energy.cfma_pj * 1.69, c.energy.cfma_pj * 0.64, 1e-9);
	assert_true(scaled.energy.dram_pj == c.energy.dram_pj);
}

/* What a run has cost a component. */
static double charged_pj(const struct harness *h, const char *name)
{
	struct energy_list list = {.count = 0};
	struct energy_report report;

	machine_csp_part.energy(&h->whole, &list);
	energy_account(&list, h->built->ctx.stats, h->result.time_ps, &report);
	for (uint32_t i = 0; i < report.component_count; i++)
		if (!strcmp(report.components[i].name, name))
			return report.components[i].pj;
	fail_msg("no component %s", name);
	return 0;
}

/* A run is charged what the closed form says of its events. */
static void runs(void **state)
{
	const struct csp_define d[] = {{"LINES", 4}, {"TIMES", 20}};
	struct harness h;
	static const char *const machines[] = {"alpha", "beta"};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		harness_begin(&h, machines[i]);
		harness_file(&h, "corr.csp", d, 2);

		const struct csp_costs costs = csp_costs_of(&h.config);
		const double bits = 8.0 * (double)(h.result.from_memory_bytes + h.result.to_memory_bytes);
		const double pj_per_mw = 1e-3 * (double)h.result.time_ps;
		const uint64_t registers = harness_stat(&h, "core.rf_reads") + harness_stat(&h, "core.rf_writes");

		assert_int_equal(h.result.cores, 1);
		WITHIN(charged_pj(&h, "cfma"), (double)h.result.cfmas * h.config.energy.cfma_pj, 1e-12);
		WITHIN(charged_pj(&h, "links"), bits, 1e-12);
		WITHIN(charged_pj(&h, "registers"), (double)registers * costs.rf_pj + costs.leakage_mw * pj_per_mw,
		       1e-12);
		WITHIN(charged_pj(&h, "controllers"), costs.controller_mw * pj_per_mw, 1e-12);
		WITHIN(charged_pj(&h, "dram"), bits * costs.dram_pj + costs.background_mw * pj_per_mw, 1e-12);
		harness_end(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(points), cmocka_unit_test(equations),  cmocka_unit_test(parts), cmocka_unit_test(front),
	    cmocka_unit_test(chips),  cmocka_unit_test(technology), cmocka_unit_test(runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
