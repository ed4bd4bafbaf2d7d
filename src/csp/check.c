/* check.c - what a program has computed beside the host's double precision, with a bound for each value.
 *
 * u = 2^-24 is the rounding of single precision. A sum of n products of which each is rounded twice deviates by at most
 * (2 n + 2) u times the sum of the products' magnitudes; a transform of n points by 8 log2(n) u times the sum of the
 * magnitudes of its input, twiddle factors rounded as well (Higham, Accuracy and Stability of Numerical Algorithms,
 * sections 3.1 and 24.1).
 */
#include <complex.h>
#include <glib.h>
#include <math.h>

#include "base/bits.h"
#include "base/check.h"
#include "csp/priv.h"
#include "csp/synthetic.h"

static const double rounding = 0x1p-24, tiny = 0x1p-126, pi = 3.14159265358979323846;

struct verdict {
	bool is_ok;
	double worst;
};

static double complex get(struct csp_machine *m, uint32_t core, uint64_t line, uint32_t lane)
{
	const float *v = csp_machine_line(m, core, line);

	return v[lane] + v[m->config->csp.fu_count + lane] * (double complex)I;
}

static void compare(struct verdict *v, double complex ours, double complex reference, double bound)
{
	const double error = cabs(ours - reference) / (bound + tiny);

	if (!(error <= 1)) /* not a number is no agreement */
		v->is_ok = false;
	v->worst = fmax(v->worst, error);
}

/* .check fir IN, LINES, OUT, OUTPUTS, CHANNELS, TAPS: of LINES lines of signals, time after time; OUTPUTS outputs of
 * each channel. Channel c of output k of line g is at OUT + (g OUTPUTS + k) CHANNELS + c with its bits reversed. */
static void check_fir(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint64_t lines = (uint64_t)v[1], outputs = (uint64_t)v[3], channels = (uint64_t)v[4];
	const uint32_t taps = (uint32_t)v[5], lanes = (uint32_t)m->config->csp.fu_count;
	const uint32_t bits = base_log2(channels);

	for (uint64_t i = 0; i < lines * outputs * channels * lanes; i++) {
		const uint32_t lane = (uint32_t)(i % lanes), c = (uint32_t)(i / lanes % channels);
		const uint64_t k = i / lanes / channels % outputs, g = i / lanes / channels / outputs;
		double complex sum = 0;
		double size = 0;

		for (uint32_t t = 0; t < taps; t++) {
			const double w = csp_filter_weight(c, t, (uint32_t)channels, taps);
			const double complex x =
			    get(m, core, (uint64_t)v[0] + ((k + t) * channels + c) * lines + g, lane);

			sum += w * x;
			size += cabs(w * x);
		}
		compare(out,
			get(m, core, (uint64_t)v[2] + (g * outputs + k) * channels + csp_bit_reverse(c, bits), lane),
			sum, (2 * taps + 2) * rounding * size);
	}
}

/* In place, input in order of reversed bits. */
static void transform(double complex *x, uint32_t n)
{
	for (uint32_t half = 1; half < n; half *= 2)
		for (uint32_t offset = 0; offset < half; offset++) {
			const double complex w = cexp(-I * pi * offset / half);

			for (uint32_t i = offset; i < n; i += 2 * half) {
				const double complex a = x[i], b = w * x[i + half];

				x[i] = a + b;
				x[i + half] = a - b;
			}
		}
}

/* .check fft IN, OUT, COUNT, POINTS: COUNT transforms one after the other; in order of reversed bits, out in order. */
static void check_fft(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint32_t points = (uint32_t)v[3], lanes = (uint32_t)m->config->csp.fu_count;
	double complex *x = g_new(double complex, points);

	for (uint64_t b = 0; b < (uint64_t)v[2]; b++)
		for (uint32_t lane = 0; lane < lanes; lane++) {
			double size = 0;

			for (uint32_t i = 0; i < points; i++) {
				x[i] = get(m, core, (uint64_t)v[0] + b * points + i, lane);
				size += cabs(x[i]);
			}
			transform(x, points);
			for (uint32_t i = 0; i < points; i++)
				compare(out, get(m, core, (uint64_t)v[1] + b * points + i, lane), x[i],
					8 * base_log2(points) * rounding * size);
		}
	g_free(x);
}

/* From order into order of reversed bits. */
static void reverse(double complex *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t j = csp_bit_reverse(i, base_log2(n));
		const double complex kept = x[i];

		if (j > i) {
			x[i] = x[j];
			x[j] = kept;
		}
	}
}

/* Of the rows of a matrix, which become its columns. */
static void transform_rows(double complex *x, uint32_t side)
{
	for (uint64_t row = 0; row < side; row++) {
		reverse(x + row * side, side);
		transform(x + row * side, side);
	}
	for (uint64_t row = 0; row < side; row++)
		for (uint64_t column = 0; column < row; column++) {
			const double complex kept = x[row * side + column];

			x[row * side + column] = x[column * side + row];
			x[column * side + row] = kept;
		}
}

/* .check fft2d IN, OUT, COUNT, SIDE: COUNT times a matrix of SIDE * SIDE points for each unit, its rows one after the
 * other, in order. */
static void check_fft2d(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint32_t side = (uint32_t)v[3], lanes = (uint32_t)m->config->csp.fu_count;
	const uint64_t points = (uint64_t)side * side;
	double complex *x = g_new(double complex, points);

	for (uint64_t i = 0; i < (uint64_t)v[2] * lanes && !m->is_stopped; i++) {
		const uint64_t first = i / lanes * points;
		const uint32_t lane = (uint32_t)(i % lanes);
		double size = 0;

		for (uint64_t j = 0; j < points; j++) {
			x[j] = get(m, core, (uint64_t)v[0] + first + j, lane);
			size += cabs(x[j]);
		}
		transform_rows(x, side);
		transform_rows(x, side);
		for (uint64_t j = 0; j < points; j++)
			compare(out, get(m, core, (uint64_t)v[1] + first + j, lane), x[j],
				8 * base_log2(points) * rounding * size);
	}
	g_free(x);
}

/* .check corr IN, TIMES, LINES, OUT: the sum over time of line L times each value of line S conjugated, S up to L; that
 * of value w is at OUT + (L (L + 1) / 2 + S) M + w. */
static void check_corr(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint64_t times = (uint64_t)v[1], lines = (uint64_t)v[2];
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;
	double complex *sums = g_new(double complex, lanes);
	double *sizes = g_new(double, lanes);

	for (uint64_t l = 0; l < lines && !m->is_stopped; l++)
		for (uint64_t i = 0; i < (l + 1) * lanes; i++) {
			const uint64_t s = i / lanes;
			const uint32_t w = (uint32_t)(i % lanes);

			for (uint32_t j = 0; j < lanes; j++)
				sums[j] = sizes[j] = 0;
			for (uint64_t t = 0; t < times; t++) {
				const float *a = csp_machine_line(m, core, (uint64_t)v[0] + t * lines + l);
				const float *b = csp_machine_line(m, core, (uint64_t)v[0] + t * lines + s);
				const double re = b[w], im = b[lanes + w], b_size = fabs(re) + fabs(im);

				for (uint32_t j = 0; j < lanes; j++) {
					const double a_re = a[j], a_im = a[lanes + j];

					sums[j] += a_re * re + a_im * im + (a_im * re - a_re * im) * (double complex)I;
					sizes[j] += (fabs(a_re) + fabs(a_im)) * b_size;
				}
			}
			for (uint32_t j = 0; j < lanes; j++)
				compare(out, get(m, core, (uint64_t)v[3] + l * (l + 1) / 2 * lanes + i, j), sums[j],
					(2 * (double)times + 2) * rounding * sizes[j]);
		}
	g_free(sums);
	g_free(sizes);
}

/* .check beam IN, WEIGHTS, OUT, ANTENNAS, BLOCKS, BEAMS: in, x and y of each antenna of each block of M samples;
 * weights xx, xy, yx, yy of each beam of each antenna, value after value. Beam b of block t is at
 * OUT + (t BEAMS + b) 2: x, y. */
static void check_beam(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint64_t antennas = (uint64_t)v[3], beams = (uint64_t)v[5], all = (uint64_t)v[4] * beams * 2;
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;

	for (uint64_t i = 0; i < all * lanes && !m->is_stopped; i++) {
		const uint32_t lane = (uint32_t)(i % lanes);
		const uint64_t line = i / lanes, block = line / (2 * beams), beam = line / 2 % beams;
		double complex sum = 0;
		double size = 0;

		for (uint64_t a = 0; a < antennas; a++)
			for (uint64_t from = 0; from < 2; from++) {
				const uint64_t w = (a * beams + beam) * 4 + line % 2 * 2 + from;
				const double complex product =
				    get(m, core, (uint64_t)v[0] + (block * antennas + a) * 2 + from, lane) *
				    get(m, core, (uint64_t)v[1] + w / lanes, (uint32_t)(w % lanes));

				sum += product;
				size += 2 * cabs(product);
			}
		compare(out, get(m, core, (uint64_t)v[2] + line, lane), sum,
			(2 * 2 * (double)antennas + 2) * rounding * size);
	}
}

/* .check phase IN, COEFFICIENTS, OUT, SIGNALS, BLOCKS: BLOCKS lines of samples of each signal, each times the signal's
 * coefficient, which are value after value. */
static void check_phase(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint64_t lines = (uint64_t)v[3] * (uint64_t)v[4];
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;

	for (uint64_t i = 0; i < lines * lanes && !m->is_stopped; i++) {
		const uint64_t line = i / lanes, signal = line / (uint64_t)v[4];
		const uint32_t lane = (uint32_t)(i % lanes);
		const double complex factor = get(m, core, (uint64_t)v[1] + signal / lanes, (uint32_t)(signal % lanes));
		const double complex product = get(m, core, (uint64_t)v[0] + line, lane) * factor;

		compare(out, get(m, core, (uint64_t)v[2] + line, lane), product, 4 * rounding * 2 * cabs(product));
	}
}

/* Where a window begins, in pixels. A track begins where a recurrence says, which stands for the geometry of baselines;
 * each place of it is a pixel further down and to the right. */
struct place {
	uint64_t state, row, column;
};

static void place_next(struct place *p, uint64_t visibility, const int64_t *v)
{
	const uint64_t side = (uint64_t)v[4], track = (uint64_t)v[7], stay = (uint64_t)v[8];
	const uint64_t room = side - (uint64_t)v[5] - track / stay;

	if (visibility % track == 0) {
		p->state = (p->state * 1021 + 12345) % 1048573;
		p->column = p->state % room;
		p->row = p->state / room % room;
	} else if (visibility % track % stay == 0) {
		p->column++;
		p->row++;
	}
}

/* Sums of a grid, with the sum of their terms' magnitudes and their number. */
struct pixel {
	double complex sum;
	double size;
	uint32_t count;
};

/* A visibility times its part of the matrix. A pixel of a row is in the line of a place at which the row begins with
 * the line, or whole lines before it. */
static void grid_add(struct csp_machine *m, uint32_t core, const int64_t *v, uint64_t k, const struct place *p,
		     struct pixel *grid)
{
	const uint64_t lanes = m->config->csp.fu_count, side = (uint64_t)v[4], window = (uint64_t)v[5];
	const uint64_t part = k * 7 % ((uint64_t)v[6] * (uint64_t)v[6]);
	const double complex a = get(m, core, (uint64_t)v[0] + k / lanes, (uint32_t)(k % lanes));

	for (uint64_t i = 0; i < window * window; i++) {
		const uint64_t x = i % window, y = i / window, from = window - x / lanes * lanes; /* of its place */
		const uint64_t line = (part * (window + lanes + 1) + from) * window + y;
		const double complex product = a * get(m, core, (uint64_t)v[1] + line, (uint32_t)(x % lanes));
		struct pixel *to = &grid[(p->row + y) * side + p->column + x];

		to->sum += product;
		to->size += 2 * cabs(product);
		to->count++;
	}
}

/* .check grid IN, TABLE, OUT, COUNT, SIDE, W, SCALE, TRACK, STAY: COUNT visibilities, value after value; each times
 * part 7 k mod SCALE^2 of the matrix of .data matrix, W x W values, added to the grid of SIDE rows of SIDE pixels that
 * was 0; TRACK visibilities from where the recurrence says, STAY of them in a place. */
static void check_grid(struct csp_machine *m, uint32_t core, const int64_t *v, struct verdict *out)
{
	const uint64_t side = (uint64_t)v[4];
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;
	struct pixel *grid = g_new0(struct pixel, side * side);
	struct place p = {.state = 1};

	for (uint64_t k = 0; k < (uint64_t)v[3] && !m->is_stopped; k++) {
		place_next(&p, k, v);
		grid_add(m, core, v, k, &p, grid);
	}
	for (uint64_t i = 0; i < side * side && !m->is_stopped; i++)
		compare(out, get(m, core, (uint64_t)v[2] + i / lanes, (uint32_t)(i % lanes)), grid[i].sum,
			(2 * 2 * (double)grid[i].count + 2) * rounding * grid[i].size);
	g_free(grid);
}

static bool is_fft_length(int64_t v)
{
	return v > 0 && v <= 65536 && base_is_power_of_two((uint64_t)v);
}

/* Whoever compares nothing agrees with everything. */
static bool is_empty(const struct csp_directive *d)
{
	const int64_t *v = d->values;

	if (d->kind == CSP_CHECK_FIR)
		return !v[1] || !v[3];
	if (d->kind == CSP_CHECK_BEAM)
		return !v[3] || !v[4] || !v[5];
	if (d->kind == CSP_CHECK_PHASE)
		return !v[3] || !v[4];
	if (d->kind == CSP_CHECK_GRID)
		return !v[3] || !v[4] || !v[5] || !v[6] || !v[7] || !v[8];
	return d->kind == CSP_CHECK_FFT || d->kind == CSP_CHECK_FFT2D ? !v[2] : !v[1] || !v[2];
}

static bool is_sound_grid(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag)
{
	const int64_t *v = d->values, lanes = (int64_t)m->config->csp.fu_count, side = v[4];

	if (side > 16384 || side % lanes || v[5] > CSP_WINDOW_MAX || v[6] > CSP_SCALE_MAX || v[7] / v[8] >= side ||
	    v[5] + v[7] / v[8] >= side) {
		base_diag_error(
		    diag, csp_directive_place(d),
		    ".%s: a side is a multiple of %lld up to 16384 and wider than a track, a window up to %d, a "
		    "scale up to %d",
		    csp_directive_name(d->kind), (long long)lanes, CSP_WINDOW_MAX, CSP_SCALE_MAX);
		return false;
	}
	return csp_directive_lines(m, d, v[0], v[3] / lanes + (v[3] % lanes != 0), diag) &&
	       csp_directive_lines(m, d, v[1], csp_matrix_lines(v[5], v[6], lanes), diag) &&
	       csp_directive_lines(m, d, v[2], side * side / lanes, diag);
}

/* Do the lines exist, and are the numbers such as the check takes? */
static bool is_sound(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag)
{
	const int64_t *v = d->values, lanes = (int64_t)m->config->csp.fu_count;

	if (is_empty(d)) {
		base_diag_error(diag, csp_directive_place(d), ".%s: of nothing: a count is 0",
				csp_directive_name(d->kind));
		return false;
	}
	if (d->kind == CSP_CHECK_GRID)
		return is_sound_grid(m, d, diag);
	if (d->kind == CSP_CHECK_CORR)
		return csp_directive_lines(m, d, v[0], v[1] * v[2], diag) &&
		       csp_directive_lines(m, d, v[3], v[2] <= 65536 ? v[2] * (v[2] + 1) / 2 * lanes : INT64_MAX / 2,
					   diag);
	if (d->kind == CSP_CHECK_PHASE) {
		const int64_t lines = v[3] <= INT32_MAX && v[4] <= INT32_MAX ? v[3] * v[4] : INT64_MAX / 2;

		return csp_directive_lines(m, d, v[0], lines, diag) &&
		       csp_directive_lines(m, d, v[1], v[3] / lanes + (v[3] % lanes != 0), diag) &&
		       csp_directive_lines(m, d, v[2], lines, diag);
	}
	if (d->kind == CSP_CHECK_BEAM) {
		const bool is_small = v[3] <= 65536 && v[4] <= 65536 && v[5] <= 65536;

		return csp_directive_lines(m, d, v[0], is_small ? v[3] * v[4] * 2 : INT64_MAX / 2, diag) &&
		       csp_directive_lines(m, d, v[1], (v[3] * v[5] * 4 + lanes - 1) / lanes, diag) &&
		       csp_directive_lines(m, d, v[2], v[4] * v[5] * 2, diag);
	}
	if (!is_fft_length(d->kind == CSP_CHECK_FIR ? v[4] : v[3]) ||
	    (d->kind == CSP_CHECK_FIR && (v[1] > 65536 || v[3] > 65536 || v[5] < 1 || v[5] > 64))) {
		base_diag_error(diag, csp_directive_place(d),
				".%s: points or channels are a power of two up to 65536, taps 1 to 64",
				csp_directive_name(d->kind));
		return false;
	}
	if (d->kind == CSP_CHECK_FFT)
		return csp_directive_lines(m, d, v[0], v[2] * v[3], diag) &&
		       csp_directive_lines(m, d, v[1], v[2] * v[3], diag);
	if (d->kind == CSP_CHECK_FFT2D) {
		const int64_t lines = v[2] <= 65536 ? v[2] * v[3] * v[3] : INT64_MAX / 2;

		return csp_directive_lines(m, d, v[0], lines, diag) && csp_directive_lines(m, d, v[1], lines, diag);
	}
	return csp_directive_lines(m, d, v[0], (v[3] + v[5] - 1) * v[4] * v[1], diag) &&
	       csp_directive_lines(m, d, v[2], v[3] * v[4] * v[1], diag);
}

bool csp_check_make(struct csp_machine *m, const struct csp_directive *d, bool *is_ok, double *worst,
		    struct base_diag_list *diag)
{
	static void (*const checks[])(struct csp_machine *, uint32_t, const int64_t *, struct verdict *) = {
	    [CSP_CHECK_FIR] = check_fir,   [CSP_CHECK_FFT] = check_fft,   [CSP_CHECK_FFT2D] = check_fft2d,
	    [CSP_CHECK_CORR] = check_corr, [CSP_CHECK_BEAM] = check_beam, [CSP_CHECK_GRID] = check_grid,
	    [CSP_CHECK_PHASE] = check_phase,
	};
	struct verdict v = {.is_ok = true};

	if (!is_sound(m, d, diag))
		return false;
	for (uint32_t i = d->first_core; i <= d->last_core; i++)
		checks[d->kind](m, i, d->values, &v);
	*is_ok = v.is_ok;
	*worst = fmax(*worst, v.worst);
	return true;
}
