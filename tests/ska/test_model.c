/* Every number of chapters 2 and 3 that the equations give, and what is said of a wrong description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ska/innovation.h"
#include "ska/model.h"

static const char *const dirs[] = {PAPERS_DIR "/ska/telescopes"};
static const struct sim_search search = {dirs, 1};

static void load(const char *name, struct ska_telescope *t, struct ska_result *r)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!ska_telescope_load(name, &search, t, &diag) || !ska_telescope_check(t, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	ska_model(t, r);
}

static double ops(const struct ska_result *r, const char *step)
{
	const struct ska_step *s = ska_step_find(r, step);

	assert_non_null(s);
	return s->ops_per_s;
}

#define SAME(a, b) assert_true(fabs((a) - (b)) <= 1e-12 * fabs(b))

/* Equation (2.1) to (2.6) by hand: whole numbers, and the same again from the model. */
static void equations_by_hand(void **state)
{
	struct ska_telescope t;
	struct ska_result r;

	(void)state;
	load("ska1-low", &t, &r);
	/* 512 * 256 * 2 signals of 600 MS/s: 2 * 16 + 2.5 * log2(1024) */
	SAME(ops(&r, "station channelization"), 262144.0 * 600e6 * (32 + 25));
	SAME(ops(&r, "beamforming"), 14 * 131072.0 * 300e6);
	SAME(ops(&r, "FIR"), 30 * 1024 * 360e6);
	SAME(ops(&r, "FFT"), 45 * 1024 * 360e6);
	SAME(ops(&r, "corrections"), 14 * 1024 * 360e6);
	SAME(ops(&r, "correlation"), 8 * 131072.0 * 4 * 360e6);
	SAME(r.dump_s, 1200 * 262144.0 / 360e6);
	SAME(ops(&r, "RFI removal"), 268 * 131072.0 * 4 * 262144 / r.dump_s);
	SAME(ops(&r, "convolution matrices"),
	     5 * 10 / (10.0 * 10) * 57600 * log2(57600) * 262144 * 131072);
	SAME(ops(&r, "gridding"), 8 * 10 * 131072 / r.dump_s * 900 * 262144 * 4);
	SAME(ops(&r, "re-projection"), 50 * 10 / 100.0 * 16384 * 16384 * 262144 * 4);
	SAME(ops(&r, "snapshot FFT"), 5 * 10 / 100.0 * 16384 * 16384 * 28 * 262144 * 4);
	SAME(ops(&r, "deconvolution"), 3 * 1e5 * 10 / 21600 / 64 * 1e6 * 262144);
}

/* Table 3.1 and sections 3.2.1, 3.4.2, to the digits that are printed. */
static void published(void **state)
{
	struct ska_telescope t;
	struct ska_result r;
	const double gibi = 1073741824;

	(void)state;
	load("ska1-low", &t, &r);
	assert_int_equal(round(ops(&r, "FIR") / 1e10), 1106);
	assert_int_equal(round(ops(&r, "FFT") / 1e10), 1659);
	assert_int_equal(round((ops(&r, "FIR") + ops(&r, "FFT")) / 1e11), 276);
	assert_int_equal(round(ops(&r, "corrections") / 1e11), 52);
	assert_int_equal(round(ops(&r, "correlation") / 1e13), 151);
	assert_int_equal(round(8 * r.rates.stations / 1e11), 59);		    /* Tb/s */
	assert_true(r.rates.correlator_buffer_bytes / 512 == 9.375 * gibi);	    /* of a sub-band */
	assert_int_equal(round(r.rates.correlator_buffer_bytes / 512 / 14 / gibi * 1024), 686);
	assert_int_equal(round(r.rates.visibilities / 512 / 1e7), 246);		    /* GB/s of a sub-band */
	assert_int_equal(round(r.rates.stations * 4 / 512 / 1e7), 576);		    /* the same, 64 bits a sample */
	assert_int_equal(round(r.rates.antennas * 86400 / 1e18), 14);		    /* EB a day */
	load("ska-low", &t, &r);
	assert_true(r.rates.visibility_buffer_bytes > 100e15);
	assert_int_equal(t.station.stations_count * t.station.antennas_count, 262144);
}

static void devices(void **state)
{
	struct ska_telescope t;
	struct ska_result r;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	load("ska1-low", &t, &r);
	assert_true(r.nodes == 0 && r.power_w == 0);
	assert_true(ska_telescope_set(&t, "device.peak_gops=3000", "--set", &diag));
	assert_true(ska_telescope_set(&t, "device.utilisation_percent=50", "--set", &diag));
	assert_true(ska_telescope_set(&t, "device.gops_per_w=100", "--set", &diag));
	ska_model(&t, &r);
	assert_true(ska_step_find(&r, "correlation")->nodes == ceil(8 * 131072.0 * 4 * 360e6 / 1.5e12));
	SAME(ska_step_find(&r, "correlation")->power_w, 8 * 131072.0 * 4 * 360e6 / 100e9);
	base_diag_free(&diag);
}

/* A dish with one feed has no step of its own. */
static void dishes(void **state)
{
	struct ska_telescope t;
	struct ska_result r;

	(void)state;
	load("ska-mid", &t, &r);
	assert_null(ska_step_find(&r, "beamforming"));
	assert_true(r.rates.antennas == 0);
	SAME(ops(&r, "correlation"), 8 * 0.5 * 254 * 254 * 4 * 2.5e9);
	load("ska-survey", &t, &r);
	SAME(ops(&r, "beamforming"), 14 * 500e6 * 96 * 94 * 36);
}

static void wrong(const char *text, const char *expected)
{
	g_autofree char *path = NULL;
	const int fd = g_file_open_tmp("strata-test-XXXXXX.yaml", &path, NULL);
	struct ska_telescope t;
	struct base_diag_list diag;

	assert_true(fd >= 0 && !close(fd));
	assert_true(g_file_set_contents(path, text, -1, NULL));
	base_diag_init(&diag);
	assert_false(ska_telescope_load(path, &search, &t, &diag) && ska_telescope_check(&t, &diag));
	assert_non_null(diag.first);
	if (!strstr(diag.first->text, expected))
		fail_msg("'%s' has no '%s'", diag.first->text, expected);
	base_diag_free(&diag);
	g_unlink(path);
}

/* Line and unit of each mistake; what is not stated is named. */
static void mistakes(void **state)
{
	(void)state;
	wrong("extends: ska1-low\nstation:\n  sample_khz: 4 parsec\n", ":3:15: error: station.sample_khz: bad value");
	wrong("extends: ska1-low\nstation:\n  sample_khz: 4 parsec\n", "kHz, MHz, GHz");
	wrong("extends: ska1-low\nimaging:\n  snapshot_ns: 0\n", "expected 1 to 1e+18 ns");
	wrong("extends: ska1-low\nstation:\n  antenas_count: 2\n", "did you mean 'station.antennas_count'");
	wrong("extends: ska1-low\nimaging:\n  patch_pixels: 20000\n", "larger than the image of 16384 pixels");
	wrong("station:\n  stations_count: 2\n", "station.antennas_count is missing");
	wrong("extends: ska1-low\ndevice:\n  gops_per_w: 2\n", "without device.peak_gops");
}

static void innovation(void **state)
{
	struct base_diag_list diag;
	struct ska_systems s;

	(void)state;
	base_diag_init(&diag);
	assert_true(ska_systems_read(PAPERS_DIR "/ska/top500.csv", &s, &diag));
	assert_int_equal(s.count, 9);
	assert_true(s.items[0].innovation == 0);
	/* The best efficiency so far is Roadrunner's, not that of Jaguar before it. */
	SAME(s.items[3].innovation, 2566.0 / 1759 * (2566.0 / 4040) / (1026 / 2345.5));
	SAME(ska_innovation_mean(&s, SKA_COTS, "2010-11"), (s.items[2].innovation + s.items[3].innovation) / 2);
	assert_true(ska_innovation_mean(&s, SKA_CUSTOM, "2000-01") == 0);
	assert_false(ska_systems_read(PAPERS_DIR "/ska/none.csv", &s, &diag));
	base_diag_free(&diag);
}

static void lists_with_mistakes(void **state)
{
	static const char *const cases[][2] = {
	    {"a,2001-01,5,6\n", ":2:1: error: expected 5 fields, found 4"},
	    {"a,2001-01,5x,6,cots\n", "bad performance '5x', expected a number above 0, in TFLOPS"},
	    {"a,2001-01,5,0,cots\n", "bad power '0'"},
	    {"a,2001-01,5,6,mine\n", "bad kind 'mine'"},
	};
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "strata-test-systems.csv", NULL);

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat("head\n", cases[i][0], NULL);
		struct base_diag_list diag;
		struct ska_systems s;

		assert_true(g_file_set_contents(path, text, -1, NULL));
		base_diag_init(&diag);
		assert_false(ska_systems_read(path, &s, &diag));
		assert_non_null(strstr(diag.first->text, cases[i][1]));
		base_diag_free(&diag);
	}
	g_unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equations_by_hand), cmocka_unit_test(published),  cmocka_unit_test(devices),
	    cmocka_unit_test(dishes),		 cmocka_unit_test(mistakes),   cmocka_unit_test(innovation),
	    cmocka_unit_test(lists_with_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
