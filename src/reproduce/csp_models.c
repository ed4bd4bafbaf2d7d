/* csp_models.c - the coprocessor's closed forms (csp/power.h, csp/space.h) as functions of numbers: chapter 3 of the
 * PhD thesis.
 *
 * A machine is given by its units per core, entries of the shared file, technology (0: SRAM, 1: eDRAM) and shape
 * (0: narrow, 1: wide) of its registers; a design by its number in the space, from 0 on. */
#include "reproduce/csp_models.h"

#include "csp/space.h"

#include <glib.h>
#include <math.h>

/* All else as it is by default, which is what the thesis has; of the space all is computed at once. */
static void machine_of(const double *x, struct csp_config *c)
{
	csp_config_defaults(c);
	c->csp.fu_count = (uint64_t)x[0];
	c->csp.ssrf_entry_count = (uint64_t)x[1];
	c->csp.rf_technology = (uint64_t)x[2];
	c->csp.rf_shape = (uint64_t)x[3];
}

static bool is_machine(const double *x)
{
	return x[0] >= 1 && x[1] >= 1 && x[2] >= 0 && x[3] >= 0;
}

static struct csp_power correlation_of(const double *x)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c;
	struct csp_power p;

	machine_of(x, &c);
	csp_power_correlation(&c, &a, &p);
	return p;
}

static struct csp_power channelization_of(const double *x)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c;
	struct csp_power p;

	machine_of(x, &c);
	csp_power_channelization(&c, &a, &p);
	return p;
}

static const struct csp_designs *space(void)
{
	static struct csp_designs designs;

	if (!designs.count) {
		const struct csp_application a = csp_application_default();
		struct csp_config c;

		csp_config_defaults(&c);
		csp_space_make(&c, &a, &designs);
	}
	return &designs;
}

/* NULL: there is no such design. */
static const struct csp_point *design_of(const double *x)
{
	return x[0] >= 0 && x[0] < space()->count ? &space()->points[(uint32_t)x[0]] : NULL;
}

#define CORRELATION(name, number)                                 \
	double csp_correlation_##name(const double *x)            \
	{                                                         \
		if (!is_machine(x))                               \
			return NAN;                               \
		const struct csp_power p = correlation_of(x);     \
                                                                  \
		return number;                                    \
	}
#define CHANNELIZATION(name, number)                              \
	double csp_channelization_##name(const double *x)         \
	{                                                         \
		if (!is_machine(x))                               \
			return NAN;                               \
		const struct csp_power p = channelization_of(x);  \
                                                                  \
		return number;                                    \
	}
#define DESIGN_POWER(name, number)                                \
	double csp_design_##name(const double *x)                 \
	{                                                         \
		if (!design_of(x))                                \
			return NAN;                               \
		const struct csp_power p = design_of(x)->power;   \
                                                                  \
		return number;                                    \
	}
CSP_POWERS(CORRELATION)
CSP_POWERS(CHANNELIZATION)
CSP_POWERS(DESIGN_POWER)

#define DESIGN(name, field)                                           \
	double csp_design_##name(const double *x)                     \
	{                                                             \
		return design_of(x) ? (double)design_of(x)->field : NAN; \
	}
CSP_DESIGNS(DESIGN)

double csp_design_representative(const double *x)
{
	const struct csp_point *p = x[0] >= 1 ? csp_space_representative(space(), (uint32_t)x[0]) : NULL;

	return p ? (double)(p - space()->points) : NAN;
}

double csp_node_io_w(const double *x)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c;
	uint32_t transceivers;

	if (!is_machine(x))
		return NAN;
	machine_of(x, &c);
	return csp_power_io_w(&c, &a, &transceivers);
}

double csp_node_transceivers(const double *x)
{
	const struct csp_application a = csp_application_default();
	struct csp_config c;
	uint32_t transceivers = 0;

	if (!is_machine(x))
		return NAN;
	machine_of(x, &c);
	csp_power_io_w(&c, &a, &transceivers);
	return transceivers;
}

/* ---- figure 3.7 ---- */

static void published_point(struct reproduce_point *p, const char *name, uint32_t series, double gops_per_w, double w,
			    double area_mm2)
{
	*p = (struct reproduce_point){1 / gops_per_w, area_mm2 / (gops_per_w * w), series, true, ""};
	g_strlcpy(p->name, name, sizeof(p->name));
}

uint32_t csp_design_points(const struct reproduce_data *d, struct reproduce_point *out)
{
	enum { WIDTHS = 5 };
	const struct csp_designs *all = space();
	uint32_t count = 0;

	(void)d;
	for (uint32_t i = 0; i < all->count; i++) {
		const struct csp_point *p = &all->points[i];
		struct reproduce_point *q = &out[count++];

		*q = (struct reproduce_point){1 / p->power.gops_per_w, 1 / p->power.gops_per_mm2,
					      (uint32_t)log2(p->fu_count / 4.0), false, ""};
		g_snprintf(q->name, sizeof(q->name), "%u units, %u entries, %s, %s%s", p->fu_count,
			   p->ssrf_entry_count, p->technology == CSP_SRAM ? "SRAM" : "eDRAM",
			   p->shape == CSP_NARROW ? "narrow" : "wide", p->is_pareto ? ", on the front" : "");
	}
	/* Table 3.2: efficiency, power and area. */
	published_point(&out[count++], "alpha", WIDTHS - 1, 257, 11.47, 14.54);
	published_point(&out[count++], "beta", WIDTHS - 1, 245, 12.04, 9.73);
	return count;
}
