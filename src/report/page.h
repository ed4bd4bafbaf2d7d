/* page.h - a report: one HTML page that needs nothing else, from result objects. */
#ifndef STRATA_REPORT_PAGE_H
#define STRATA_REPORT_PAGE_H

#include <jansson.h>
#include <stddef.h>

/* The page of the runs (an array of at least one result object); the first is what others are compared with. Length in
 * *length; to be freed with g_free. version: of Strata. */
char *report_page(const json_t *runs, const char *version, size_t *length);

#endif
