/* FIR -> FFT -> correlation on the chip beside the same in double precision on the host; the shipped programs check
 * themselves, and see what is wrong. */
#include "harness.h"

#include <complex.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#include "csp/synthetic.h"

static void shipped(const char *machine, const char *name, const struct csp_define *defines, uint32_t count)
{
	struct harness h;

	harness_begin(&h, machine);
	harness_file(&h, name, defines, count);
	assert_true(h.result.checks > 0);
	assert_int_equal(h.result.checks_passed, h.result.checks);
	assert_true(h.result.worst_error < 1);
	harness_end(&h);
}

static void programs(void **state)
{
	const struct csp_define small[] = {{"LINES", 4}, {"TIMES", 20}};
	const struct csp_define fft2[] = {{"LOG", 6}, {"POINTS", 64}};
	const struct csp_define one[] = {{"LINES", 1}};
	const struct csp_define beam[] = {{"ANTENNAS", 16}, {"BLOCKS", 5}};
	const struct csp_define phase[] = {{"BLOCKS", 3}};
	const struct csp_define grid[] = {{"COUNT", 512}, {"SIDE", 128}, {"SCALE", 2}};

	(void)state;
	shipped("alpha", "corr.csp", small, 2);
	shipped("beta", "corr.csp", small, 2);
	shipped("alpha", "fft8.csp", NULL, 0);
	shipped("beta", "fft8.csp", NULL, 0);
	shipped("alpha", "fft2.csp", fft2, 2);
	shipped("beta", "fft2.csp", fft2, 2);
	shipped("alpha", "fir.csp", one, 1);
	shipped("beta", "fir.csp", one, 1);
	shipped("alpha", "chan.csp", one, 1);
	shipped("beta", "chan.csp", one, 1);
	shipped("beta", "node.csp", NULL, 0);
	shipped("alpha", "beam.csp", beam, 2);
	shipped("beta", "beam.csp", beam, 2);
	shipped("alpha", "phase.csp", phase, 1);
	shipped("beta", "phase.csp", phase, 1);
	shipped("alpha", "gridding.csp", grid, 3);
	shipped("beta", "gridding.csp", grid, 3);
}

/* Other widths of the machine compute the same. */
static void widths(void **state)
{
	static const char *const sets[] = {"csp.fu_count=8", "csp.fu_count=16", "csp.fu_count=128"};
	const struct csp_define small[] = {{"LINES", 8}, {"TIMES", 12}};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(sets); i++) {
		struct harness h;

		harness_begin(&h, "alpha");
		harness_set(&h, sets[i]);
		harness_file(&h, "corr.csp", small, 2);
		assert_int_equal(h.result.checks_passed, 1);
		harness_end(&h);
	}
}

/* Lines that the schedule reads: every pair one line of scalars a step, every visit one line of the units; equation
 * (3.1) exactly, (3.2) rounded up to whole visits. */
static void schedule(void **state)
{
	const struct csp_define d[] = {{"LINES", 16}, {"TIMES", 10}};
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	harness_file(&h, "corr.csp", d, 2);
	assert_int_equal(harness_stat(&h, "core.ssrf_lines"), 136 * 10);
	assert_int_equal(harness_stat(&h, "core.load_lines"), 40 * 10);
	assert_int_equal(harness_stat(&h, "core.store_lines"), 136 * 64);
	assert_int_equal(harness_stat(&h, "core.cfma_cycles"), 136 * 64 * 10);
	assert_int_equal(harness_stat(&h, "core.operand_wait_cycles"), 0);
	harness_end(&h);
	harness_begin(&h, "beta");
	harness_file(&h, "corr.csp", d, 2);
	assert_int_equal(harness_stat(&h, "core.ssrf_lines"), 136 * 10);
	assert_int_equal(harness_stat(&h, "core.load_lines"), 72 * 10);
	harness_end(&h);
}

/* The transform reads and writes its points once where they all fit, twice where they do not; both keep the units at
 * 24 multiply-adds for eight points and pass. */
static void transform_sweeps(void **state)
{
	enum { TRANSFORMS = 4, POINTS = 512, FACTOR_LINES = 8 };
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	harness_file(&h, "fft8.csp", NULL, 0);
	assert_int_equal(harness_stat(&h, "core.load_lines"), TRANSFORMS * POINTS);
	assert_int_equal(harness_stat(&h, "core.store_lines"), TRANSFORMS * POINTS);
	assert_int_equal(harness_stat(&h, "core.ssrf_lines"), FACTOR_LINES);
	assert_int_equal(harness_stat(&h, "core.cfma_cycles"), TRANSFORMS * POINTS * 9);
	harness_end(&h);
	harness_begin(&h, "beta");
	harness_file(&h, "fft8.csp", NULL, 0);
	assert_int_equal(harness_stat(&h, "core.load_lines"), 2 * TRANSFORMS * POINTS);
	assert_int_equal(harness_stat(&h, "core.store_lines"), 2 * TRANSFORMS * POINTS);
	assert_int_equal(harness_stat(&h, "core.ssrf_lines"), 1 + 2 * 8 * TRANSFORMS);
	assert_int_equal(harness_stat(&h, "core.cfma_cycles"), TRANSFORMS * POINTS * 9);
	harness_end(&h);
}

/* Rows and columns read and write every point once each, whatever the registers hold. */
static void transform_2d(void **state)
{
	static const char *const machines[] = {"alpha", "beta"};
	enum { PASSES = 2, STAGES = 7 };

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(machines); i++) {
		const struct csp_define d = {"COUNT", i + 1};
		const uint32_t lines = (i + 1) * PASSES * 128 * 128;
		struct harness h;

		harness_begin(&h, machines[i]);
		harness_file(&h, "fft2d.csp", &d, 1);
		assert_int_equal(harness_stat(&h, "core.load_lines"), lines);
		assert_int_equal(harness_stat(&h, "core.store_lines"), lines);
		assert_int_equal(h.result.checks_passed, 1);
		assert_int_equal(harness_stat(&h, "core.ssrf_lines"), 3);
		assert_int_equal(harness_stat(&h, "core.cfma_cycles"), lines * STAGES);
		harness_end(&h);
	}
}

/* A wrong output does not pass, nor one of a wrong input or factor. */
static void checks_see(void **state)
{
	static const struct {
		const char *name;
		uint64_t line;
		bool is_before; /* the run: a factor or weight */
		uint32_t define_count;
	} cases[] = {{"fft8.csp", 16 + 7, false, 0},
		     {"fft8.csp", 3, true, 0},
		     {"corr.csp", 5, false, 2},
		     {"fir.csp", 4096 + 3, false, 1},
		     {"fir.csp", 9, true, 1},
		     {"beam.csp", 16 + 5, false, 0},
		     {"beam.csp", 3, false, 0},
		     {"phase.csp", 8 + 4096 + 5, false, 0},
		     {"phase.csp", 3, false, 0},
		     {"fft2d.csp", 16 + 2 * 16384 + 129, false, 0},
		     {"fft2d.csp", 2, true, 0}};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct csp_define d[] = {{"LINES", 4}, {"TIMES", 20}};
		g_autofree char *path = g_build_filename(PROGRAMS_DIR, cases[i].name, NULL);
		struct harness h;
		double worst = 0;
		bool is_ok;

		harness_begin(&h, "alpha");
		harness_build(&h, csp_assemble_file(path, &h.config, d, cases[i].define_count, &h.diag));
		if (cases[i].is_before)
			csp_machine_line(h.machine, 0, cases[i].line)[1] += 0.5f;
		harness_run(&h);
		assert_int_equal(h.result.checks_passed, !cases[i].is_before);
		if (!cases[i].is_before) {
			csp_machine_line(h.machine, 0, cases[i].line)[1] += 1;
			assert_true(csp_check_make(h.machine, &h.program->checks[0], &is_ok, &worst, &h.diag));
			assert_false(is_ok);
			assert_true(worst > 1);
		}
		harness_end(&h);
	}
}

/* ---- gridding ---- */

/* A window that is wider than a line of the machine, as wide, narrower. */
static void grid_widths(void **state)
{
	static const struct {
		const char *set;
		uint32_t window;
	} cases[] = {{"csp.fu_count=8", 9}, {"csp.fu_count=16", 16}, {"csp.fu_count=128", 16}};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct csp_define d[] = {{"COUNT", 256}, {"SIDE", 128}, {"SCALE", 2}, {"W", cases[i].window}};
		struct harness h;

		harness_begin(&h, "alpha");
		harness_set(&h, cases[i].set);
		harness_file(&h, "gridding.csp", d, 4);
		assert_int_equal(h.result.checks_passed, 1);
		harness_end(&h);
	}
}

/* A step of eight visibilities reads and writes its window's rows once for each line of the grid that it reaches into,
 * a row more than the window since that moves; the matrix' rows come from memory for each visibility. */
static void grid_traffic(void **state)
{
	enum { COUNT = 512, STEP = 8, W = 16 };
	const struct csp_define d[] = {{"COUNT", COUNT}, {"SIDE", 128}, {"SCALE", 2}};
	struct harness h;
	uint64_t passes;

	(void)state;
	harness_begin(&h, "beta");
	harness_file(&h, "gridding.csp", d, 3);
	passes = harness_stat(&h, "core.store_lines") / (W + 1);
	assert_true(passes > COUNT / STEP && passes < 2 * COUNT / STEP); /* some windows reach into two lines */
	assert_int_equal(harness_stat(&h, "core.store_lines"), passes * (W + 1));
	assert_int_equal(harness_stat(&h, "core.load_lines"), passes * (W + 1 + STEP * W));
	assert_int_equal(harness_stat(&h, "core.cfma_cycles"), passes * STEP * W);
	assert_int_equal(harness_stat(&h, "core.ssrf_lines"), COUNT / 64);
	harness_end(&h);
}

/* Programs that grid wrongly are found. */
static void grid_check_sees(void **state)
{
	static const struct {
		const char *right, *wrong;
	} cases[] = {
	    /* a row further down; the window stays; a column to the right; one line of the grid */
	    {"mul i6, i4, LINES\n", "mul i6, i4, LINES\n set i6, i6 + LINES\n"},
	    {"cfma r[i13 + ROWS], r[i13 + ROWS]", "cfma r[ROWS], r[ROWS]"},
	    {"i12 + i3 + i13 + W\n", "i12 + i3 + i13 + W + 1\n"},
	    {"beq i2, 0, GRID_STEP", "jump GRID_STEP"},
	    /* another part; one visibility is dropped; other places; old visibilities */
	    {"mul i12, i12, 7\n", "mul i12, i12, 5\n"},
	    {"    set i12, i8 + i10\n", "    set i12, i8 + i10\n beq i12, 77, GRID_LOAD\n"},
	    {"set i0, i0 + 12345", "set i0, i0 + 12346"},
	    {"[i6 + IN]", "[IN]"},
	};
	const struct csp_define d[] = {{"COUNT", 256}, {"SIDE", 128}, {"SCALE", 2}};
	g_autofree char *path = g_build_filename(PROGRAMS_DIR, "gridding.csp", NULL), *text = NULL;

	(void)state;
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(GStrv) parts = g_strsplit(text, cases[i].right, -1);
		g_autofree char *wrong = g_strjoinv(cases[i].wrong, parts);
		struct harness h;

		assert_int_equal(g_strv_length(parts), 2);
		harness_begin(&h, "alpha");
		harness_build(&h, csp_assemble(wrong, path, &h.config, d, 3, &h.diag));
		harness_run(&h);
		assert_int_equal(h.result.checks, 1);
		if (h.result.checks_passed)
			fail_msg("not seen: %s", cases[i].wrong);
		assert_true(h.result.worst_error > 1);
		harness_end(&h);
	}
}

/* What is no table and no grid is refused. */
static void grid_mistakes(void **state)
{
	static const struct {
		const char *text, *message;
		bool is_data;
	} cases[] = {
	    {".core 0\n.data matrix 0, 0, 1, 1\n", "a count is 0", true},
	    {".core 0\n.data matrix 0, 16, 65, 1\n", "a scale up to 64", true},
	    {".core 0\n.data matrix 1572863, 16, 1, 1\n", "core 0 has 1572864", true},
	    {".core 0\n.check grid 0, 1, 9, 8, 100, 4, 1, 8, 4\n", "a multiple of 64 up to 16384", false},
	    {".core 0\n.check grid 0, 1, 9, 8, 64, 60, 1, 16, 4\n", "wider than a track", false},
	    {".core 0\n.check grid 0, 1, 1572864, 8, 64, 4, 1, 8, 4\n", "core 0 has 1572864", false},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct harness h;

		harness_begin(&h, "alpha");
		h.program = csp_assemble(cases[i].text, "text", &h.config, NULL, 0, &h.diag);
		assert_non_null(h.program);
		harness_build_bare(&h);
		assert_true(csp_machine_load(h.machine, h.program, &h.diag));
		assert_int_equal(csp_machine_data(h.machine, &h.diag), !cases[i].is_data);
		if (!cases[i].is_data)
			assert_false(csp_machine_run(h.machine, &h.result, &h.diag));
		assert_non_null(strstr(h.diag.first->text, "text:2:1: error:"));
		if (!strstr(h.diag.first->text, cases[i].message))
			fail_msg("%s", h.diag.first->text);
		harness_end(&h);
	}
}

/* ---- the whole chain ---- */

enum { CHANNELS = 512, TAPS = 8, WORKERS = 14 };

/* Of one signal: outputs of all channels, in double precision. */
static void channelize(uint32_t signal, double complex (*spectra)[CHANNELS], uint32_t outputs)
{
	double complex x[CHANNELS];

	for (uint32_t k = 0; k < outputs; k++) {
		for (uint32_t c = 0; c < CHANNELS; c++) {
			x[c] = 0;
			for (uint32_t t = 0; t < TAPS; t++)
				x[c] += csp_filter_weight(c, t, CHANNELS, TAPS) *
					csp_signal_sample((uint64_t)(k + t) * CHANNELS + c, signal, 1);
		}
		for (uint32_t n = 0; n < CHANNELS; n++) {
			spectra[k][n] = 0;
			for (uint32_t c = 0; c < CHANNELS; c++)
				spectra[k][n] += x[c] * cexp(-2 * G_PI * I * ((double)(n * c % CHANNELS) / CHANNELS));
		}
	}
}

/* Antenna signals through the filter, the transform, the copy between cores and the correlation, of all 15 cores at
 * once, beside the host. Sums of a channel: n products of spectra, whose own error is that of filter and transform. */
static void whole_chain(void **state)
{
	enum { CHOSEN = 6, K = 8 };
	static const uint32_t chosen[CHOSEN] = {0, 1, 37, 64, 127, 255}; /* signals */
	const double u = 0x1p-24;
	static double complex spectra[CHOSEN][K][CHANNELS];
	struct harness h;
	double worst = 0;

	(void)state;
	harness_begin(&h, "alpha");
	harness_file(&h, "node.csp", NULL, 0);
	assert_int_equal(h.result.checks_passed, 3);
	for (uint32_t i = 0; i < CHOSEN; i++)
		channelize(chosen[i], spectra[i], K);
	for (uint32_t i = 0; i < CHOSEN; i++)
		for (uint32_t j = 0; j <= i; j++)
			for (uint32_t n = 0; n < CHANNELS; n++) {
				const uint32_t m = (uint32_t)h.config.csp.fu_count;
				const uint32_t l = chosen[i] / m, s = chosen[j] / m;
				const uint64_t lines = 4, each = (CHANNELS + WORKERS - 1) / WORKERS;
				const uint64_t pair = l * (l + 1) / 2 + s, pairs = lines * (lines + 1) / 2 * m;
				const float *v = csp_machine_line(h.machine, n % WORKERS,
								  each * K * lines + n / WORKERS * pairs + pair * m +
								      chosen[j] % m);
				double complex sum = 0;
				double size = 0, error;

				for (uint32_t k = 0; k < K; k++) {
					sum += spectra[i][k][n] * conj(spectra[j][k][n]);
					size += cabs(spectra[i][k][n]) * cabs(spectra[j][k][n]);
				}
				/* Inputs are below 1 and the weights of a filter add up to less than 2: a spectrum
				 * deviates by less than (2 TAPS + 2 + 8 * 9) u * 2 * CHANNELS, by which each product
				 * does. */
				error = cabs(v[chosen[i] % m] + v[m + chosen[i] % m] * I - sum);
				size = (2 * K + 2) * u * size;
				for (uint32_t k = 0; k < K; k++)
					size += (2 * TAPS + 2 + 72) * u * 2 * CHANNELS *
						(cabs(spectra[i][k][n]) + cabs(spectra[j][k][n]) + 1e-3);
				worst = fmax(worst, error / size);
			}
	print_message("largest error of a visibility: %.3g of its bound\n", worst);
	assert_true(worst > 0 && worst < 1);
	harness_end(&h);
}

/* The same bits, time and statistics again. */
static void deterministic(void **state)
{
	const struct csp_define d[] = {{"LINES", 4}, {"TIMES", 30}};
	uint64_t hashes[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct harness h;

		harness_begin(&h, "alpha");
		harness_file(&h, "corr.csp", d, 2);
		hashes[i] = sim_ctx_hash(&h.built->ctx);
		harness_end(&h);
	}
	assert_int_equal(hashes[0], hashes[1]);
}

/* Who compares nothing does not pass. */
static void checks_of_nothing(void **state)
{
	static const char *const texts[] = {".core 0\n.check corr 0, 0, 1, 9\n", ".core 0\n.check fft 0, 9, 0, 8\n",
					    ".core 0\n.check fir 0, 1, 99, 0, 8, 1\n",
					    ".core 0\n.check beam 0, 1, 99, 0, 8, 1\n",
					    ".core 0\n.check phase 0, 1, 9, 0, 8\n",
					    ".core 0\n.check grid 0, 1, 99, 0, 64, 4, 1, 8, 4\n"};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct harness h;

		harness_begin(&h, "alpha");
		harness_build(&h, csp_assemble(texts[i], "text", &h.config, NULL, 0, &h.diag));
		assert_false(csp_machine_run(h.machine, &h.result, &h.diag));
		assert_non_null(strstr(h.diag.first->text, "text:2:1: error:"));
		assert_non_null(strstr(h.diag.first->text, "a count is 0"));
		harness_end(&h);
	}
}

/* What a file brings in comes out again in its order; of a wrong size it is refused. */
static void files(void **state)
{
	static const char text[] = ".core 0, 1\n.input a, 5, 2\n.output b, 9, 2\n load r[0], [5] x2\n"
				   " store [9], r[0] x2\n";
	g_autofree char *path = NULL, *got = NULL;
	const int fd = g_file_open_tmp("strata-test-XXXXXX", &path, NULL);
	float values[2 * 2 * 64 * 2]; /* cores, lines, units, parts */
	struct harness h;
	gsize bytes;

	(void)state;
	assert_true(fd >= 0 && !close(fd));
	for (uint32_t i = 0; i < G_N_ELEMENTS(values); i++)
		values[i] = (float)i;
	harness_begin(&h, "alpha");
	harness_build(&h, csp_assemble(text, "text", &h.config, NULL, 0, &h.diag));
	assert_true(g_file_set_contents(path, (const char *)values, 8, NULL));
	assert_false(csp_machine_input(h.machine, "a", path, &h.diag));
	assert_non_null(strstr(h.diag.first->text, "input 'a' takes 2048"));
	assert_false(csp_machine_input(h.machine, "b", path, &h.diag));
	assert_true(g_file_set_contents(path, (const char *)values, sizeof(values), NULL));
	assert_true(csp_machine_input(h.machine, "a", path, &h.diag));
	assert_true(csp_machine_line(h.machine, 1, 6)[2] == 2 * (128 + 64 + 2)); /* the third unit's real part */
	harness_run(&h);
	assert_true(csp_machine_output(h.machine, "b", path, &h.diag));
	assert_true(g_file_get_contents(path, &got, &bytes, NULL));
	assert_int_equal(bytes, sizeof(values));
	assert_memory_equal(got, values, sizeof(values));
	harness_end(&h);
	g_unlink(path);
}

/* Cycles of a program whose checks all pass. */
static uint64_t cycles_of(const char *name, const struct csp_define *defines, uint32_t count)
{
	struct harness h;
	uint64_t cycles;

	harness_begin(&h, "beta");
	harness_file(&h, name, defines, count);
	assert_true(h.result.checks > 0);
	assert_int_equal(h.result.checks_passed, h.result.checks);
	cycles = h.result.cycles;
	harness_end(&h);
	return cycles;
}

/* A batch more takes what its channelization takes or its correlation, whichever is longer, for they are at the same
 * time, and what the one loses by lines of the others on its stack's link: a quarter of the shorter one at least is
 * hidden. One after the other, as in node.csp, it takes both. What arrives, which chan.csp and node.csp find there,
 * takes the link besides: 4,096 samples of two lines of 512 bytes, in four packets each. */
static void batches(void **state)
{
	const struct csp_define two[] = {{"BATCHES", 2}}, four[] = {{"BATCHES", 4}};
	const uint64_t channelized = cycles_of("chan.csp", NULL, 0), both = cycles_of("node.csp", NULL, 0);
	const uint64_t correlated = both - channelized, longer = MAX(channelized, correlated);
	const uint64_t arriving = UINT64_C(4096) * 2 * (512 + 4 * 16) * 433 / 60000;
	const uint64_t each = (cycles_of("stream.csp", four, 1) - cycles_of("stream.csp", two, 1)) / 2;

	(void)state;
	print_message("%" G_GUINT64_FORMAT " cycles of a batch: %" G_GUINT64_FORMAT " channelized, %" G_GUINT64_FORMAT
		      " correlated\n",
		      each, channelized, correlated);
	assert_in_range(each, longer * 98 / 100, both - (both - longer) / 4 + arriving);
}

/* Without the second half of its memory a core has samples overwritten that it has not read: that is told. */
static void batches_need_room(void **state)
{
	const struct csp_define one_half[] = {{"HALF", 0}, {"SUMS", 1184}};
	g_autofree char *path = g_build_filename(PROGRAMS_DIR, "stream.csp", NULL);
	struct harness h;

	(void)state;
	harness_begin(&h, "beta");
	harness_build(&h, csp_assemble_file(path, &h.config, one_half, G_N_ELEMENTS(one_half), &h.diag));
	assert_false(csp_machine_run(h.machine, &h.result, &h.diag));
	print_message("%s\n", h.diag.first->text);
	assert_non_null(strstr(h.diag.first->text, "line"));
	harness_end(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs),		 cmocka_unit_test(widths),
	    cmocka_unit_test(schedule),		 cmocka_unit_test(checks_see),
	    cmocka_unit_test(transform_sweeps),	 cmocka_unit_test(transform_2d),
	    cmocka_unit_test(checks_of_nothing), cmocka_unit_test(files),
	    cmocka_unit_test(grid_widths),	 cmocka_unit_test(grid_traffic),
	    cmocka_unit_test(grid_check_sees),	 cmocka_unit_test(grid_mistakes),
	    cmocka_unit_test(batches),		 cmocka_unit_test(batches_need_room),
	    cmocka_unit_test(whole_chain),	 cmocka_unit_test(deterministic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
