/* ska_models.c - chapter 2 of the PhD thesis: telescopes and lists of supercomputers, read from a paper's folder. */
#include "reproduce/ska_models.h"

#include "base/check.h"
#include "reproduce/data.h"
#include "ska/innovation.h"
#include "ska/model.h"

#include <math.h>
#include <string.h>

/* False when the description is not there or wrong, and why. device: NULL, or on what it computes. */
static bool telescope(const char *dir, const char *file, const struct ska_device_params *device,
		      struct ska_result *out, char **why)
{
	g_autofree char *path = g_build_filename(dir, file, NULL), *beside = g_path_get_dirname(path);
	const char *const dirs[] = {beside};
	const struct sim_search search = {dirs, 1};
	struct ska_telescope t;
	struct base_diag_list diag;
	bool is_ok;

	base_diag_init(&diag);
	is_ok = ska_telescope_load(path, &search, &t, &diag) && ska_telescope_check(&t, &diag);
	if (!is_ok && why)
		*why = base_diag_join(&diag);
	base_diag_free(&diag);
	if (is_ok && device)
		t.device = *device;
	if (is_ok)
		ska_model(&t, out);
	return is_ok;
}

double ska_rate(const char *dir, const char *const *texts, const double *x, char **why)
{
	struct ska_result r;

	(void)x;
	if (!telescope(dir, texts[0], NULL, &r, why))
		return NAN;

	const struct {
		const char *name;
		double value;
	} rates[] = {
	    {"antennas", r.rates.antennas},
	    {"stations", r.rates.stations},
	    {"visibilities", r.rates.visibilities},
	    {"imaging_in", r.rates.imaging_in},
	    {"images", r.rates.images},
	    {"visibility_buffer_bytes", r.rates.visibility_buffer_bytes},
	    {"correlator_buffer_bytes", r.rates.correlator_buffer_bytes},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rates); i++)
		if (!strcmp(rates[i].name, texts[1]))
			return rates[i].value;
	*why = g_strdup_printf("a telescope has no rate '%s'", texts[1]);
	return NAN;
}

double ska_step_ops(const char *dir, const char *const *texts, const double *x, char **why)
{
	struct ska_result r;
	const struct ska_step *s;

	(void)x;
	s = telescope(dir, texts[0], NULL, &r, why) ? ska_step_find(&r, texts[1]) : NULL;
	return s ? s->ops_per_s : NAN;
}

static bool systems_read(const char *dir, const char *file, struct ska_systems *out, char **why)
{
	g_autofree char *path = g_build_filename(dir, file, NULL);
	struct base_diag_list diag;
	bool is_ok;

	base_diag_init(&diag);
	is_ok = ska_systems_read(path, out, &diag);
	if (!is_ok && why)
		*why = base_diag_join(&diag);
	base_diag_free(&diag);
	return is_ok;
}

double ska_innovation(const char *dir, const char *const *texts, const double *x, char **why)
{
	const bool is_custom = !strcmp(texts[1], "custom");
	struct ska_systems s;

	(void)x;
	if (!is_custom && strcmp(texts[1], "cots") != 0) {
		*why = g_strdup_printf("'%s': expected custom or cots", texts[1]);
		return NAN;
	}
	if (!systems_read(dir, texts[0], &s, why))
		return NAN;
	return ska_innovation_mean(&s, is_custom ? SKA_CUSTOM : SKA_COTS, texts[2]);
}

/* ---- figure 2.6 ---- */

/* The point of a step on nodes of the thesis. False: it is none of the correlator's, or takes no power. */
static bool step_point(const struct ska_step *step, struct reproduce_point *out)
{
	if (strcmp(step->subsystem, "csp") != 0 || step->power_w <= 0)
		return false;
	*out = (struct reproduce_point){step->ops_per_s / 1e12, step->ops_per_s / 1e9 / step->power_w, 2, false, ""};
	g_strlcpy(out->name, step->name, sizeof(out->name));
	return true;
}

/* Nodes: section 3.4.2, 15 cores of 64 units, 92 %, 208 GFLOPS for a watt. */
uint32_t ska_points(const struct reproduce_data *d, struct reproduce_point *out)
{
	const struct ska_device_params node = {
	    .peak_gops = 15 * 64 * 0.433 * 8, .utilisation_percent = 92, .gops_per_w = 208};
	struct ska_systems s;
	struct ska_result r;
	uint32_t count = 0;

	if (!d->dir || !systems_read(d->dir, "top500.csv", &s, NULL))
		return 0;
	for (uint32_t i = 0; i < s.count; i++) {
		const struct ska_system *system = &s.items[i];

		out[count] = (struct reproduce_point){system->tflops, system->tflops / system->kilowatts,
						      system->kind == SKA_COTS, false, ""};
		g_strlcpy(out[count++].name, system->name, REPRODUCE_POINT_NAME_BYTES);
	}
	if (!telescope(d->dir, "telescopes/ska1-low.yaml", &node, &r, NULL))
		return count;
	for (uint32_t i = 0; i < r.step_count; i++)
		count += step_point(&r.steps[i], &out[count]);
	return count;
}
