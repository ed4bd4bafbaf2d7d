/* page.h - a report: one HTML page that needs nothing else, from result objects and the files of sweeps. */
#ifndef STRATA_REPORT_PAGE_H
#define STRATA_REPORT_PAGE_H

#include <jansson.h>
#include <stddef.h>

struct report_page {
	const json_t *runs;	/* an array of result objects that have a measured run */
	const json_t *tried;	/* of each run what strata why --json has of it, with cause and what_if, or null */
	const json_t *sweeps;	/* an array of what `strata sweep --json` writes; runs or sweeps are not empty */
	json_t *left_out;	/* an array of texts: which were asked for, and are not on the page */
	const char *version;	/* of Strata */
};

/* The page of the runs. Those of the same work are compared with the first of it. Length in *length; to be freed with
 * g_free. */
char *report_page(const struct report_page *page, size_t *length);

#endif
