/* data.c - signals and tables that a program's data directives put into memory. */
#include "csp/synthetic.h"

#include <math.h>

#include "base/bits.h"
#include "base/check.h"
#include "csp/priv.h"

static const double pi = 3.14159265358979323846;

/* splitmix64 (Steele, Lea, Flood, OOPSLA'14): the nth number of a seed. */
static uint64_t random_at(uint64_t seed, uint64_t n)
{
	uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15ull + n * 0xd1342543de82ef95ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Of 8 bits, -127 to 127; the sum of four has a bell's shape. */
static int32_t noise(uint64_t bits)
{
	return ((int32_t)(bits & 63) + (int32_t)(bits >> 6 & 63) + (int32_t)(bits >> 12 & 63) +
		(int32_t)(bits >> 18 & 63) - 126) / 2;
}

float complex csp_signal_sample(uint64_t time, uint64_t antenna, uint64_t seed)
{
	const double period = 64, wave = 37; /* samples of the tone; antennas along its front */
	const double phase = 2 * pi * (fmod((double)time, period) / period + fmod((double)antenna, wave) / wave);
	const uint64_t bits = random_at(seed, time << 20 ^ antenna);
	const double re = round(60 * cos(phase)) + noise(bits), im = round(60 * sin(phase)) + noise(bits >> 24);

	return (float)(fmax(-127, fmin(127, re)) / 128) + (float)(fmax(-127, fmin(127, im)) / 128) * I;
}

float csp_filter_weight(uint32_t channel, uint32_t tap, uint32_t channel_count, uint32_t tap_count)
{
	const double n = (double)tap * channel_count + channel, length = (double)tap_count * channel_count;
	const double x = (n + 0.5 - length / 2) / channel_count;
	const double window = 0.54 - 0.46 * cos(2 * pi * (n + 0.5) / length);

	return (float)(window * (fabs(x) < 1e-12 ? 1 : sin(pi * x) / (pi * x)));
}

float complex csp_twiddle(uint64_t k, uint64_t n)
{
	const double angle = -2 * pi * (double)(k % n) / (double)n;

	return (float)cos(angle) + (float)sin(angle) * I;
}

uint32_t csp_bit_reverse(uint32_t value, uint32_t bits)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < bits; i++)
		out |= (value >> i & 1) << (bits - 1 - i);
	return out;
}

int64_t csp_matrix_lines(int64_t window, int64_t scale, int64_t lanes)
{
	return scale * scale * (window + lanes + 1) * window;
}

/* ---- into memory ---- */

static void put(struct csp_machine *m, uint32_t core, uint64_t line, uint32_t lane, float complex value)
{
	float *v = csp_machine_line(m, core, line);
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;

	v[lane] = crealf(value);
	v[lanes + lane] = cimagf(value);
}

/* The nth value of a table that begins at a line. */
static void put_word(struct csp_machine *m, uint32_t core, uint64_t line, uint64_t word, float complex value)
{
	const uint64_t lanes = m->config->csp.fu_count;

	put(m, core, line + word / lanes, (uint32_t)(word % lanes), value);
}

/* .data signal LINE, TIMES, LINES, SEED: samples of LINES * M antennas, time after time. */
static void signal_make(struct csp_machine *m, uint32_t core, const int64_t *v)
{
	const uint64_t lanes = m->config->csp.fu_count;

	for (int64_t t = 0; t < v[1]; t++)
		for (int64_t l = 0; l < v[2]; l++)
			for (uint32_t j = 0; j < lanes; j++)
				put(m, core, (uint64_t)(v[0] + t * v[2] + l), j,
				    csp_signal_sample((uint64_t)t, (uint64_t)l * lanes + j, (uint64_t)v[3]));
}

/* .data weights LINE, CHANNELS, TAPS: the taps of a channel, then of the next. */
static void weights_make(struct csp_machine *m, uint32_t core, const int64_t *v)
{
	for (int64_t c = 0; c < v[1]; c++)
		for (int64_t k = 0; k < v[2]; k++)
			put_word(m, core, (uint64_t)v[0], (uint64_t)(c * v[2] + k),
				 csp_filter_weight((uint32_t)c, (uint32_t)k, (uint32_t)v[1], (uint32_t)v[2]));
}

/* .data twiddle2 LINE, POINTS: by stage, then by offset: exp(-2 pi i offset / (2 half)). */
static void twiddle2_make(struct csp_machine *m, uint32_t core, const int64_t *v)
{
	uint64_t word = 0;

	for (uint64_t half = 1; half < (uint64_t)v[1]; half *= 2)
		for (uint64_t offset = 0; offset < half; offset++)
			put_word(m, core, (uint64_t)v[0], word++, csp_twiddle(offset, 2 * half));
}

/* .data twiddle8 LINE, POINTS: by pass, by offset, then the seven factors of an eight-point group: one of its first
 * stage, two of its second, four of its third. */
static void twiddle8_make(struct csp_machine *m, uint32_t core, const int64_t *v)
{
	uint64_t word = 0;

	for (uint64_t step = 1; step < (uint64_t)v[1]; step *= 8)
		for (uint64_t offset = 0; offset < step; offset++)
			for (uint64_t half = 1; half <= 4; half *= 2)
				for (uint64_t t = 0; t < half; t++)
					put_word(m, core, (uint64_t)v[0], word++,
						 csp_twiddle(offset + t * step, 2 * half * step));
}

/* .data matrix LINE, W, SCALE, SEED: a convolution matrix of SCALE * SCALE parts, each W rows of W pixels, for windows
 * that begin at any place of a line: part after part, of each the places -W to M, of each the rows, a line each. */
static void matrix_make(struct csp_machine *m, uint32_t core, const int64_t *v)
{
	const int64_t lanes = (int64_t)m->config->csp.fu_count, width = v[1], parts = v[2] * v[2];
	uint64_t line = (uint64_t)v[0];

	for (int64_t part = 0; part < parts; part++)
		for (int64_t place = -width; place <= lanes; place++)
			for (int64_t row = 0; row < width; row++, line++)
				for (int64_t x = place < 0 ? -place : 0; x < width && place + x < lanes; x++)
					put(m, core, line, (uint32_t)(place + x),
					    csp_signal_sample((uint64_t)(part * width + row), (uint64_t)x,
							      (uint64_t)v[3]));
}

/* Words of a table, 0: the directive is wrong; what says why. */
static uint64_t table_words(const struct csp_directive *d, const char **what)
{
	const uint64_t points = (uint64_t)d->values[1];

	switch (d->kind) {
	case CSP_DATA_WEIGHTS:
		*what = "weights of 1 to 65536 channels and 1 to 64 taps";
		return points <= 65536 && d->values[2] <= 64 ? points * (uint64_t)d->values[2] : 0;
	case CSP_DATA_TWIDDLE2:
		*what = "a power of two of 2 to 65536 points";
		return points >= 2 && points <= 65536 && base_is_power_of_two(points) ? points - 1 : 0;
	default:
		*what = "8, 64, 512, 4096 or 32768 points";
		return points == 8 || points == 64 || points == 512 || points == 4096 || points == 32768 ? points - 1 :
													  0;
	}
}

static bool table_fits(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag)
{
	const char *what;
	const uint64_t words = table_words(d, &what), lanes = m->config->csp.fu_count;

	if (words)
		return csp_directive_lines(m, d, d->values[0], (int64_t)((words + lanes - 1) / lanes), diag);
	base_diag_error(diag, csp_directive_place(d), ".%s: expected %s", csp_directive_name(d->kind), what);
	return false;
}

/* Do the lines exist? */
static bool is_sound(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag)
{
	const int64_t *v = d->values, lanes = (int64_t)m->config->csp.fu_count;

	if (d->kind != CSP_DATA_SIGNAL && d->kind != CSP_DATA_MATRIX)
		return table_fits(m, d, diag);
	if (!v[1] || !v[2]) {
		base_diag_error(diag, csp_directive_place(d), ".%s: of nothing: a count is 0",
				csp_directive_name(d->kind));
		return false;
	}
	if (d->kind == CSP_DATA_SIGNAL)
		return csp_directive_lines(m, d, v[0], v[1] * v[2], diag);
	if (v[1] > CSP_WINDOW_MAX || v[2] > CSP_SCALE_MAX) {
		base_diag_error(diag, csp_directive_place(d), ".%s: a window is up to %d wide, a scale up to %d",
				csp_directive_name(d->kind), CSP_WINDOW_MAX, CSP_SCALE_MAX);
		return false;
	}
	return csp_directive_lines(m, d, v[0], csp_matrix_lines(v[1], v[2], lanes), diag);
}

bool csp_data_make(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag)
{
	static void (*const makers[])(struct csp_machine *, uint32_t, const int64_t *) = {
	    [CSP_DATA_SIGNAL] = signal_make,
	    [CSP_DATA_WEIGHTS] = weights_make,
	    [CSP_DATA_TWIDDLE2] = twiddle2_make,
	    [CSP_DATA_TWIDDLE8] = twiddle8_make,
	    [CSP_DATA_MATRIX] = matrix_make,
	};

	if (!is_sound(m, d, diag))
		return false;
	for (uint32_t i = d->first_core; i <= d->last_core; i++)
		makers[d->kind](m, i, d->values);
	return true;
}
