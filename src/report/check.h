/* check.h - is a stored result what one must be? Asked once, where results are read from a store or file, so that who
 * prints or draws them meets no text that is none. */
#ifndef STRATA_REPORT_CHECK_H
#define STRATA_REPORT_CHECK_H

#include <jansson.h>

/* NULL, or "timeline/0/kind is a number, expected a text" of the first field of fields.def that is wrong; freed with
 * g_free. */
char *report_check(const json_t *run);
/* The same of the file of a sweep, and sweep_fields.def. */
char *report_sweep_check(const json_t *sweep);
/* The same of a file of strata why, but for its run, and tried_fields.def. */
char *report_tried_check(const json_t *tried);
/* The result that a store's text is, checked. NULL: the text is NULL, is no JSON, or a field is wrong, as *wrong says,
 * which is freed with g_free. */
json_t *report_result_read(const char *text, char **wrong);

#endif
