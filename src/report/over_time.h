/* over_time.h - what was sampled, as the parts' rows draw it. Not for other folders. */
#ifndef STRATA_REPORT_OVER_TIME_H
#define STRATA_REPORT_OVER_TIME_H

#include <jansson.h>

/* Per SERIES: title, unit and values, one for each stretch of the run's samples, null where it is missing. */
json_t *report_series(const json_t *run);
/* Per MAP: title, and the names of its counts in the samples. */
json_t *report_maps(const json_t *run);

#endif
