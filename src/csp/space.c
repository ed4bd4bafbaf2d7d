/* space.c - the sweep and its front. */
#include "csp/space.h"

#include "base/check.h"

static void point_make(const struct csp_config *base, const struct csp_application *a, struct csp_point *p)
{
	struct csp_config c = *base;

	c.csp.fu_count = p->fu_count;
	c.csp.ssrf_entry_count = p->ssrf_entry_count;
	c.csp.rf_register_count = 0;
	c.csp.rf_technology = p->technology;
	c.csp.rf_shape = p->shape;
	p->register_count = csp_register_count(&c.csp);
	csp_power_correlation(&c, a, &p->power);
}

static bool is_better(const struct csp_point *a, const struct csp_point *b)
{
	return a->power.total_w <= b->power.total_w && a->power.area_mm2 <= b->power.area_mm2 &&
	       (a->power.total_w < b->power.total_w || a->power.area_mm2 < b->power.area_mm2);
}

static void front_find(struct csp_designs *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		s->points[i].is_pareto = true;
		for (uint32_t j = 0; j < s->count && s->points[i].is_pareto; j++)
			s->points[i].is_pareto = !is_better(&s->points[j], &s->points[i]);
	}
}

void csp_space_make(const struct csp_config *base, const struct csp_application *a, struct csp_designs *out)
{
	enum { FUS_MIN = 4, FUS_MAX = 64, ENTRIES_MIN = 2, ENTRIES_MAX = 64, KINDS = 2 };

	out->count = 0;
	for (uint32_t m = FUS_MIN; m <= FUS_MAX; m *= 2)
		for (uint32_t entries = ENTRIES_MIN; entries <= ENTRIES_MAX; entries *= 2)
			for (uint32_t kind = 0; kind < KINDS * KINDS; kind++) {
				struct csp_point *p = &out->points[out->count++];

				CHECK(out->count <= CSP_POINTS_MAX);
				*p = (struct csp_point){.fu_count = m,
							.ssrf_entry_count = entries,
							.technology = (enum csp_technology)(kind / KINDS),
							.shape = (enum csp_shape)(kind % KINDS)};
				point_make(base, a, p);
			}
	front_find(out);
}

/* The least of a number over the points of a width (0: all). */
static const struct csp_point *least(const struct csp_designs *s, uint32_t fu_count,
				     double (*of)(const struct csp_power *p))
{
	const struct csp_point *best = NULL;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct csp_point *p = &s->points[i];

		if ((!fu_count || p->fu_count == fu_count) && (!best || of(&p->power) < of(&best->power)))
			best = p;
	}
	return best;
}

static double power2_area(const struct csp_power *p)
{
	return p->total_w * p->total_w * p->area_mm2;
}

static double power_of(const struct csp_power *p)
{
	return p->total_w;
}

static double area_of(const struct csp_power *p)
{
	return p->area_mm2;
}

const struct csp_point *csp_space_representative(const struct csp_designs *s, uint32_t fu_count)
{
	return least(s, fu_count, power2_area);
}

const struct csp_point *csp_space_least_power(const struct csp_designs *s)
{
	return least(s, 0, power_of);
}

const struct csp_point *csp_space_least_area(const struct csp_designs *s)
{
	return least(s, 0, area_of);
}
