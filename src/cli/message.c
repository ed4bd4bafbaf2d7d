/* message.c - lines on stderr. */
#include "cli/message.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>

void cli_error(const char *fmt, ...)
{
	va_list ap;

	fputs("strata: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void cli_diag_print(const struct base_diag_list *diag)
{
	for (const struct base_diag *d = diag->first; d; d = d->next)
		fprintf(stderr, "%s%s\n", g_str_has_prefix(d->text, "error: ") ? "strata: " : "", d->text);
	if (diag->error_count > BASE_DIAG_MAX)
		fprintf(stderr, "... and %u more errors\n", diag->error_count - BASE_DIAG_MAX);
}
