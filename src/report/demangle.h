/* demangle.h - kernel names as the program's author wrote them (base/demangle.h), whole and as far as they fit. */
#ifndef STRATA_REPORT_DEMANGLE_H
#define STRATA_REPORT_DEMANGLE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/demangle.h"

static inline char *report_demangle(const char *text)
{
	return base_demangle(text);
}

/* The title of a kernel in the results: its "title", or its "name" demangled, as a new text. */
json_t *report_title(const json_t *kernel);
/* What of a title fits into so many characters: all of it; without its parameters ("gather(...)"), and then without
 * what its templates are made of ("reduce<...>(...)"); its begin and "...". To be freed with g_free. */
char *report_title_cut(const char *title, size_t width);

/* A title as any demangler would write it: without spaces that mean nothing, const behind its type, numbers in template
 * arguments without their types. To be freed with g_free. */
char *report_title_canonical(const char *title);
/* A title without its parameters and the type that it returns, "gather<int>"; and without what its template is made of,
 * unless has_templates: "gather". To be freed with g_free. */
char *report_title_base(const char *title, bool has_templates);

/* Adds "title" to every object of the run's kernels, kernel_sums, refusals and timeline that names a kernel. */
void report_titles_add(json_t *run);

#endif
