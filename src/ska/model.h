/* model.h - the computing that a telescope needs, step by step: equations (2.1) to (2.6) of the thesis.
 *
 * All of double precision; operation counts are of real additions and multiplications. A baseline is a pair of
 * stations, N_stat^2 / 2 of them, as equation (2.2) counts.
 */
#ifndef STRATA_SKA_MODEL_H
#define STRATA_SKA_MODEL_H

#include "ska/telescope.h"

enum { SKA_TERMS_MAX = 12, SKA_STEPS_MAX = 12 };

/* An intermediate of a step. */
struct ska_term {
	const char *symbol, *unit;
	double value;
};

struct ska_step {
	const char *subsystem; /* "station", "csp", "sdp" */
	const char *name;      /* "channelization" */
	const char *equation;  /* where it stands, and its form */
	struct ska_term terms[SKA_TERMS_MAX];
	uint32_t term_count;
	double ops_per_s;
	double nodes, power_w; /* of the device; 0: none is given */
};

/* Data rates and stores, in bytes per second and bytes. */
struct ska_rates {
	double antennas, stations, visibilities, imaging_in, images; /* out of the converters, beamformers, ... */
	double visibility_buffer_bytes; /* two of them: one is filled while the other is read */
	double correlator_buffer_bytes; /* all samples of a dump, twice, in all sub-bands */
};

struct ska_result {
	struct ska_step steps[SKA_STEPS_MAX];
	uint32_t step_count;
	struct ska_rates rates;
	double dump_s, baselines;
	double ops_per_s, nodes, power_w; /* of all steps */
};

void ska_model(const struct ska_telescope *t, struct ska_result *out);
/* NULL when there is none of the name ("correlation"). */
const struct ska_step *ska_step_find(const struct ska_result *r, const char *name);

#endif
