/* model.c - the equations. */
#include "ska/model.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

static const double khz = 1e3, seconds_per_ns = 1e-9, giga = 1e9;

/* Quantities that several equations share. */
struct shared {
	double stations, antennas, polarisations, beams, products; /* products: of the polarisations of a baseline */
	double beam_samples;					    /* per second, of all beams and polarisations */
	double channels;					    /* of all sub-bands */
	double baselines, dump_s, visibilities;			    /* visibilities: per second */
};

static struct shared shared_of(const struct ska_telescope *t)
{
	struct shared s = {
	    .stations = (double)t->station.stations_count,
	    .antennas = (double)t->station.antennas_count,
	    .polarisations = (double)t->station.polarisations_count,
	    .beams = (double)t->station.beams_count,
	    .channels = (double)t->csp.sub_bands_count * (double)t->csp.channels_count,
	};

	s.products = s.polarisations * s.polarisations;
	s.beam_samples = s.stations * s.beams * s.polarisations * t->csp.sample_khz * khz;
	s.baselines = 0.5 * s.stations * s.stations;
	s.dump_s = (double)t->csp.dump_samples_count * s.channels / (t->csp.sample_khz * khz);
	s.visibilities = s.baselines * s.products * s.beams * s.channels / s.dump_s;
	return s;
}

static struct ska_step *step_add(struct ska_result *r, const char *subsystem, const char *name, const char *equation)
{
	struct ska_step *s = &r->steps[r->step_count++];

	CHECK(r->step_count <= SKA_STEPS_MAX);
	s->subsystem = subsystem;
	s->name = name;
	s->equation = equation;
	return s;
}

static double term(struct ska_step *s, const char *symbol, double value, const char *unit)
{
	CHECK(s->term_count < SKA_TERMS_MAX);
	s->terms[s->term_count++] = (struct ska_term){symbol, unit, value};
	return value;
}

/* (2.1): real samples. */
static void station_steps(const struct ska_telescope *t, const struct shared *s, struct ska_result *r)
{
	struct ska_step *c = step_add(r, "station", "station channelization",
				      "(2.1): Samples_sec * (2 N_taps + 5 * 0.5 * log2(2 N_bands)), per antenna and "
				      "polarisation");
	double samples = term(c, "Samples_sec", t->station.sample_khz * khz, "1/s");
	double fir = term(c, "2 N_taps", 2 * (double)t->station.taps_count, "ops");
	double fft = term(c, "5 * 0.5 * log2(2 N_bands)", 2.5 * log2(2 * (double)t->station.bands_count), "ops");
	double signals = term(c, "antennas * polarisations", s->stations * s->antennas * s->polarisations, "");
	struct ska_step *b;

	c->ops_per_s = samples * (fir + fft) * signals;
	b = step_add(r, "station", "beamforming", "section 2.3.1: 14 per sample of an antenna and beam");
	samples = term(b, "complex samples of an antenna", t->station.sample_khz * khz / 2, "1/s");
	signals = term(b, "antennas * beams", s->stations * s->antennas * s->beams, "");
	b->ops_per_s = term(b, "8 multiplications and 6 additions", 14, "ops") * samples * signals;
}

/* (2.1) for complex samples: a real tap on a complex sample takes two multiplications and two additions, the first no
 * addition; the transform is complex. */
static void csp_steps(const struct ska_telescope *t, const struct shared *s, struct ska_result *r)
{
	struct ska_step *x = step_add(r, "csp", "FIR", "(2.1) for complex samples: 4 N_taps - 2 per sample");
	double samples = term(x, "samples of all beams", s->beam_samples, "1/s");
	double ops = term(x, "4 N_taps - 2", 4 * (double)t->csp.taps_count - 2, "ops");

	x->ops_per_s = samples * ops;
	x = step_add(r, "csp", "FFT", "(2.1) for complex samples: 5 log2(N_ch) per sample");
	samples = term(x, "samples of all beams", s->beam_samples, "1/s");
	ops = term(x, "5 log2(N_ch)", 5 * log2((double)t->csp.channels_count), "ops");
	x->ops_per_s = samples * ops;
	x = step_add(r, "csp", "corrections", "section 3.2.1: phase shift and bandpass of each sample");
	samples = term(x, "samples of all beams", s->beam_samples, "1/s");
	ops = term(x, "operations", (double)t->csp.correction_ops_count, "ops");
	x->ops_per_s = samples * ops;
	x = step_add(r, "csp", "correlation",
		     "(2.2): 8 * Samples_sec * 0.5 * N_stat^2 per channel, for each product of polarisations and beam");
	samples = term(x, "Samples_sec of a channel", t->csp.sample_khz * khz / s->channels, "1/s");
	term(x, "0.5 N_stat^2", s->baselines, "");
	term(x, "products of polarisations", s->products, "");
	term(x, "channels", s->channels, "");
	x->ops_per_s = 8 * samples * s->baselines * s->products * s->channels * s->beams;
	x = step_add(r, "csp", "RFI removal", "section 2.3.2: per sample that comes in, a visibility");
	samples = term(x, "visibilities", s->visibilities, "1/s");
	ops = term(x, "operations", (double)t->csp.rfi_ops_count, "ops");
	x->ops_per_s = samples * ops;
}

static void grid_steps(const struct ska_imaging_params *p, const struct shared *s, struct ska_result *r)
{
	const double w = (double)p->w_matrix_pixels, o = (double)p->upscaling_factor;
	const double n_iter = (double)p->iterations_count;
	struct ska_step *x = step_add(r, "sdp", "convolution matrices",
				      "(2.3): 5 N_iter / (S_sec C_chan) * W^2 O^2 log2(W^2 O^2), per channel and "
				      "baseline");
	double pixels = term(x, "W^2 O^2", w * w * o * o, "pixels");
	double per_s = term(x, "N_iter / (S_sec C_chan)",
			    n_iter / (p->matrix_valid_ns * seconds_per_ns * p->matrix_channels_count), "1/s");

	term(x, "channels * baselines * beams", s->channels * s->baselines * s->beams, "");
	x->ops_per_s = 5 * per_s * pixels * log2(pixels) * s->channels * s->baselines * s->beams;
	x = step_add(r, "sdp", "gridding",
		     "(2.4): (6 + 2) N_iter N_bl / T_dump * W^2 per channel, for each product of polarisations and "
		     "beam");
	per_s = term(x, "N_iter N_bl / T_dump", n_iter * s->baselines / s->dump_s, "1/s");
	pixels = term(x, "W^2", w * w, "pixels");
	term(x, "channels * products * beams", s->channels * s->products * s->beams, "");
	x->ops_per_s = 8 * per_s * pixels * s->channels * s->products * s->beams;
}

static void image_steps(const struct ska_imaging_params *p, const struct shared *s, struct ska_result *r)
{
	const double side = (double)p->image_pixels, n_iter = (double)p->iterations_count;
	const double images = s->channels * s->products * s->beams;
	struct ska_step *x = step_add(r, "sdp", "re-projection",
				      "section 2.3.3: 50 per pixel and channel, for each snapshot and loop");
	double per_s = term(x, "N_iter / Snapshots_sec", n_iter / (p->snapshot_ns * seconds_per_ns), "1/s");
	double pixels = term(x, "R^2", side * side, "pixels");
	double ops = term(x, "operations", (double)p->reprojection_ops_count, "ops");
	double share;

	term(x, "channels * products * beams", images, "");
	x->ops_per_s = ops * per_s * pixels * images;
	x = step_add(r, "sdp", "snapshot FFT", "(2.5): 5 N_iter / Snapshots_sec * R^2 log2(R^2) per channel");
	term(x, "N_iter / Snapshots_sec", per_s, "1/s");
	term(x, "R^2", pixels, "pixels");
	term(x, "channels * products * beams", images, "");
	x->ops_per_s = 5 * per_s * pixels * log2(pixels) * images;
	x = step_add(r, "sdp", "deconvolution",
		     "(2.6): 3 N_mc N_iter / Measurement_sec * (N_pp / N_pi)^2 * N_al per channel");
	term(x, "N_mc", p->minor_cycles_count, "");
	per_s = term(x, "N_iter / Measurement_sec", n_iter / (p->measurement_ns * seconds_per_ns), "1/s");
	share = term(x, "(N_pp / N_pi)^2", (double)p->patch_pixels / side * ((double)p->patch_pixels / side), "");
	term(x, "N_al", p->active_pixels, "pixels");
	term(x, "channels * beams", s->channels * s->beams, "");
	x->ops_per_s = 3 * p->minor_cycles_count * per_s * share * p->active_pixels * s->channels * s->beams;
}

static struct ska_rates rates_of(const struct ska_telescope *t, const struct shared *s)
{
	const double side = (double)t->imaging.image_pixels, measurement_s = t->imaging.measurement_ns * seconds_per_ns;
	const double sample_bytes = (double)t->csp.sample_bits / 8;
	struct ska_rates r = {
	    .antennas = s->stations * s->antennas * s->polarisations * t->station.sample_khz * khz *
			(double)t->station.sample_bits / 8,
	    .stations = s->beam_samples * (double)t->csp.input_bits / 8,
	    .visibilities = s->visibilities * sample_bytes,
	    .images = s->channels * s->beams * side * side * (double)t->imaging.pixel_bits / 8 / measurement_s,
	};

	r.imaging_in = r.visibilities * (double)t->imaging.iterations_count;
	r.visibility_buffer_bytes = 2 * r.visibilities * measurement_s;
	r.correlator_buffer_bytes = 2 * s->beam_samples * s->dump_s * sample_bytes;
	return r;
}

static void nodes_count(const struct ska_device_params *d, struct ska_result *r)
{
	const double node = d->peak_gops * giga * d->utilisation_percent / 100;

	for (uint32_t i = 0; i < r->step_count; i++) {
		struct ska_step *s = &r->steps[i];

		s->nodes = node > 0 ? ceil(s->ops_per_s / node) : 0;
		s->power_w = d->gops_per_w > 0 ? s->ops_per_s / (d->gops_per_w * giga) : 0;
		r->ops_per_s += s->ops_per_s;
		r->nodes += s->nodes;
		r->power_w += s->power_w;
	}
}

void ska_model(const struct ska_telescope *t, struct ska_result *out)
{
	const struct shared s = shared_of(t);

	*out = (struct ska_result){.dump_s = s.dump_s, .baselines = s.baselines};
	if (t->station.antennas_count)
		station_steps(t, &s, out);
	csp_steps(t, &s, out);
	grid_steps(&t->imaging, &s, out);
	image_steps(&t->imaging, &s, out);
	out->rates = rates_of(t, &s);
	nodes_count(&t->device, out);
}

const struct ska_step *ska_step_find(const struct ska_result *r, const char *name)
{
	for (uint32_t i = 0; i < r->step_count; i++)
		if (!strcmp(r->steps[i].name, name))
			return &r->steps[i];
	return NULL;
}
