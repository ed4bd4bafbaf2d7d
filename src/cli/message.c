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

static void text_print(const char *text)
{
	fprintf(stderr, "%s%s\n", g_str_has_prefix(text, "error: ") ? "strata: " : "", text);
}

void cli_diag_print(const struct base_diag_list *diag)
{
	for (const struct base_diag *d = diag->first; d; d = d->next)
		text_print(d->text);
	if (diag->error_count > BASE_DIAG_MAX)
		fprintf(stderr, "... and %u more errors\n", diag->error_count - BASE_DIAG_MAX);
}

void cli_diag_print_once(const char *of, const struct base_diag_list *diag)
{
	static GHashTable *said;

	if (!said)
		said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (const struct base_diag *d = diag->first; d; d = d->next)
		if (g_hash_table_add(said, g_strdup_printf("%s\n%s", of, d->text)))
			text_print(d->text);
}

char *cli_name_shown(const char *name)
{
	char *shown = g_utf8_make_valid(name, -1);

	for (char *c = shown; *c; c++)
		if (g_ascii_iscntrl(*c))
			*c = '?';
	return shown;
}
