/* csv_line.c - splits lines of comma-separated values. */
#include "report/csv_line.h"

#include <glib.h>
#include <string.h>

void report_csv_free(struct report_csv_line *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		g_free(l->fields[i].text);
	g_free(l->fields);
	*l = (struct report_csv_line){0};
}

/* One field from *at on, which is then at its comma or at the line's end. */
static char *field_of(struct report_csv_line *l, const char *line, const char **at)
{
	GString *text = g_string_new(NULL);
	const char *p = *at;

	if (*p == '"') {
		for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
			p += *p == '"';
			g_string_append_c(text, *p);
		}
		if (!*p)
			l->open_col = (uint32_t)(*at - line) + 1;
		p += *p != '\0';
	}
	for (; *p && *p != ','; p++)
		g_string_append_c(text, *p);
	*at = p;
	return g_strstrip(g_string_free(text, FALSE));
}

void report_csv_split(struct report_csv_line *l, const char *line)
{
	GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct report_csv_field));
	const char *at = line;

	report_csv_free(l);
	for (;;) {
		struct report_csv_field f;

		while (*at == ' ' || *at == '\t')
			at++;
		f.col = (uint32_t)(at - line) + 1;
		f.text = field_of(l, line, &at);
		g_array_append_val(fields, f);
		if (!*at)
			break;
		at++;
	}
	l->count = fields->len;
	l->fields = (struct report_csv_field *)(void *)g_array_free(fields, FALSE);
}

int report_csv_column(const struct report_csv_line *l, const char *name)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (!g_ascii_strcasecmp(l->fields[i].text, name))
			return (int)i;
	return -1;
}
