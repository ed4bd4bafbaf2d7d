/* roofline_roofs.h - roofs of a machine, and kernels under them. Between the files of roofline.h. */
#ifndef STRATA_REPORT_ROOFLINE_ROOFS_H
#define STRATA_REPORT_ROOFLINE_ROOFS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { REPORT_ROOFS_MAX = 16 };

struct report_roof {
	const char *name;
	bool is_unit;
	const char *uses[2]; /* of a kernel's "uses", their sum; the second may be NULL */
	double per_s;        /* at most; 0: the machine has no such roof */
};

/* kernels: objects with name and "uses", which has time_ps, the work, and what the roofs are of. work: in words. */
json_t *report_roofline_of(const json_t *kernels, const char *work, const char *work_key,
			   const struct report_roof *roofs, uint32_t count);
/* Of caches that compute: kernels; of processors and NDPs on channels, and of the coprocessor: the program. */
json_t *report_roofline_caches(const json_t *run);
json_t *report_roofline_channels(const json_t *run);
json_t *report_roofline_units(const json_t *run);

#endif
