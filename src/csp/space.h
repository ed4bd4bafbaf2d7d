/* space.h - the design space of section 3.4.2: widths, entries, technologies and shapes, and which are best. */
#ifndef STRATA_CSP_SPACE_H
#define STRATA_CSP_SPACE_H

#include "csp/power.h"

struct csp_point {
	uint32_t fu_count, ssrf_entry_count, register_count;
	enum csp_technology technology;
	enum csp_shape shape;
	struct csp_power power;
	bool is_pareto; /* no other needs less power and no more area, or less area and no more power */
};

enum { CSP_POINTS_MAX = 256 };

struct csp_designs {
	struct csp_point points[CSP_POINTS_MAX]; /* by width, entries, technology, shape */
	uint32_t count;
};

/* Every combination of 4 to 64 units, 2 to 64 entries, SRAM and eDRAM, narrow and wide, with all else as in base; the
 * thesis prints what it varied, not which values. base is checked. */
void csp_space_make(const struct csp_config *base, const struct csp_application *a, struct csp_designs *out);
/* The point of a width whose power^2 * area is least (section 3.4.2); NULL: none of this width. */
const struct csp_point *csp_space_representative(const struct csp_designs *s, uint32_t fu_count);
/* The designs of least power and of least area. */
const struct csp_point *csp_space_least_power(const struct csp_designs *s);
const struct csp_point *csp_space_least_area(const struct csp_designs *s);

#endif
