/* ska.c - chapter 2 of the PhD thesis: what the SKA needs, and how its kernels do on computers of today. */
#include "reproduce/data.h"

#include "base/check.h"
#include "ska/innovation.h"
#include "ska/model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const double day_s = 86400, peta = 1e15, exa = 1e18;

/* ---- the model ---- */

/* False when the description is not there; a wrong one is the user's, who sees what is wrong by `strata ska NAME`. */
static bool telescope(const struct reproduce_data *d, const char *name, struct ska_result *out)
{
	struct ska_telescope t;
	struct base_diag_list diag;
	bool is_ok;

	if (!d->dir)
		return false;

	g_autofree char *dir = g_build_filename(d->dir, "telescopes", NULL);
	const char *const dirs[] = {dir};
	const struct sim_search search = {dirs, 1};

	base_diag_init(&diag);
	is_ok = ska_telescope_load(name, &search, &t, &diag) && ska_telescope_check(&t, &diag);
	base_diag_free(&diag);
	if (is_ok)
		ska_model(&t, out);
	return is_ok;
}

static const char *const instruments[] = {"ska-low", "ska-mid", "ska-survey"};

/* The largest of one number of the three instruments of chapter 2. */
static double largest(const struct reproduce_data *d, double (*of)(const struct ska_result *r))
{
	double most = NAN;

	for (uint32_t i = 0; i < ARRAY_COUNT(instruments); i++) {
		struct ska_result r;

		if (!telescope(d, instruments[i], &r))
			return NAN;
		most = fmax(isnan(most) ? 0 : most, of(&r));
	}
	return most;
}

static double buffer_pb(const struct ska_result *r)
{
	return r->rates.visibility_buffer_bytes / peta;
}

static double most_pops(const struct ska_result *r)
{
	double most = 0;

	for (uint32_t i = 0; i < r->step_count; i++)
		most = fmax(most, r->steps[i].ops_per_s / peta);
	return most;
}

static double row_buffer(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)row;
	return largest(d, buffer_pb);
}

static double row_requirement(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)row;
	return largest(d, most_pops);
}

/* Chapter 3 counts the 131,072 antennas of SKA1-Low. */
static double row_raw(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct ska_result r;

	(void)row;
	return telescope(d, "ska1-low", &r) ? r.rates.antennas * day_s / exa : NAN;
}

static double row_archive(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct ska_result r;

	(void)row;
	return telescope(d, "ska1-low", &r) ? r.rates.images * day_s / peta : NAN;
}

/* Up to the list that the paper of chapter 2 could know. */
static double row_innovation(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct base_diag_list diag;
	struct ska_systems s;
	bool is_ok;

	(void)row;
	if (!d->dir)
		return NAN;

	g_autofree char *path = g_build_filename(d->dir, "top500.csv", NULL);

	base_diag_init(&diag);
	is_ok = ska_systems_read(path, &s, &diag);
	base_diag_free(&diag);
	if (!is_ok)
		return NAN;
	return ska_innovation_mean(&s, SKA_CUSTOM, "2013-06") / ska_innovation_mean(&s, SKA_COTS, "2013-06");
}

/* ---- the kernels on a GPU ---- */

static const struct reproduce_config configs[] = {{"GTX 480", "gtx480", "", NULL}};
static const char *const kernels[] = {"skachan", "skacorr", "skagrid", "skafft", "skabeam"};
/* As docs/csp.md has them. */
static const char *const arguments[] = {
    "--signals 64 --spectra 16",
    "--signals 256 --samples 256",
    "--visibilities 4096 --side 512",
    "--matrices 16",
    "--antennas 64 --samples 4096 --beams 4",
};

/* Useful operations over what all lanes could do: 15 SMs of 32 lanes at 1.4 GHz, two operations each. */
static double share(const struct reproduce_data *d, const char *kernel)
{
	const double peak_ops_per_ps = 15 * 32 * 2 * 1.4e-3;
	const uint32_t workload = reproduce_workload(d, kernel);
	const double ops = reproduce_number(d, 0, workload, "measures", "operations");

	return 100 * ops / (reproduce_time_ps(d, 0, workload) * peak_ops_per_ps);
}

static double row_share(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return share(d, row->workload);
}

/* Of the four kernels that chapter 2 is about. */
static double row_share_mean(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)row;
	return (share(d, "skachan") + share(d, "skacorr") + share(d, "skagrid") + share(d, "skafft")) / 4;
}

/* ---- what no model of ours has ---- */

static double row_absent(const struct reproduce_data *d, const struct reproduce_row *row)
{
	(void)d;
	(void)row;
	return NAN;
}

#define ABSENT(id_) {.id = (id_), .measure = row_absent}

static const struct reproduce_row rows[] = {
    ABSENT("SKA-01"),
    ABSENT("SKA-02"),
    {.id = "SKA-03", .measure = row_share, .workload = "skachan", .tolerance = 5},
    ABSENT("SKA-04"),
    {.id = "SKA-05", .measure = row_share, .workload = "skacorr", .tolerance = 5},
    ABSENT("SKA-06"),
    ABSENT("SKA-07"),
    ABSENT("SKA-08"),
    {.id = "SKA-09", .measure = row_share, .workload = "skafft", .tolerance = 1.25}, /* 7.5 to 10 */
    {.id = "SKA-10", .measure = row_share, .workload = "skagrid", .tolerance = 2.5},
    ABSENT("SKA-11"),
    ABSENT("SKA-12"),
    ABSENT("SKA-13"),
    ABSENT("SKA-14"),
    ABSENT("SKA-15"),
    ABSENT("SKA-16"),
    ABSENT("SKA-17"),
    ABSENT("SKA-18"),
    ABSENT("SKA-19"),
    ABSENT("SKA-20"),
    ABSENT("SKA-21"),
    ABSENT("SKA-22"),
    ABSENT("SKA-23"),
    ABSENT("SKA-24"),
    ABSENT("SKA-25"),
    ABSENT("SKA-26"),
    ABSENT("SKA-27"),
    ABSENT("SKA-28"),
    ABSENT("SKA-29"),
    ABSENT("SKA-30"),
    ABSENT("SKA-31"),
    ABSENT("SKA-32"),
    ABSENT("SKA-33"),
    ABSENT("SKA-34"),
    ABSENT("SKA-35"),
    {.id = "SKA-36", .measure = row_buffer},
    {.id = "SKA-37", .measure = row_requirement},
    {.id = "SKA-38", .measure = row_raw, .tolerance = 0.5}, /* as printed: a whole number */
    {.id = "SKA-39", .measure = row_archive, .tolerance = 0.5},
    {.id = "SKA-40", .measure = row_share_mean, .tolerance = 20}, /* 10 to 50 */
    {.id = "SKA-41", .measure = row_innovation, .tolerance = 0.5}, /* 2 to 3 */
};

/* ---- figure 2.3 ---- */

static const char *const steps[] = {
    "station channelization", "beamforming", "FIR",	     "FFT",	     "corrections",  "correlation",
    "RFI removal",	      "convolution matrices", "gridding", "re-projection", "snapshot FFT", "deconvolution",
};

/* Powers of ten above 10 Gops/s, of which the plot has about eight. */
static double requirement(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	struct ska_result r;
	const struct ska_step *s = telescope(d, instruments[bar], &r) ? ska_step_find(&r, steps[group]) : NULL;

	return s && s->ops_per_s > 0 ? fmax(0, log10(s->ops_per_s / 1e10)) : NAN;
}

static const struct reproduce_chart charts[] = {
    {"Figure 2.3: operations per second, in powers of ten of 10 Gops/s (8: an exa-operation)", requirement,
     instruments, ARRAY_COUNT(instruments), steps, ARRAY_COUNT(steps)},
};

const struct reproduce_paper reproduce_ska = {
    .name = "ska",
    .title = "The requirements of the SKA (PhD thesis, chapter 2)",
    .configs = configs,
    .config_count = ARRAY_COUNT(configs),
    .workloads = kernels,
    .workload_count = ARRAY_COUNT(kernels),
    .full_arguments = arguments,
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .charts = charts,
    .chart_count = ARRAY_COUNT(charts),
};
