/* csv_line.c - lines of comma-separated values: split, and written. */
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

/* ---- writing ---- */

void report_csv_put(GString *out, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		g_string_append(out, text);
		return;
	}
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

void report_csv_put_value(GString *out, const json_t *v)
{
	if (json_is_string(v))
		report_csv_put(out, json_string_value(v));
	else if (json_is_real(v))
		g_string_append_printf(out, "%.15g", json_real_value(v));
	else if (json_is_integer(v))
		g_string_append_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_boolean(v))
		g_string_append(out, json_is_true(v) ? "true" : "false");
}

void report_csv_put_args(GString *out, const json_t *args)
{
	GString *line = g_string_new(NULL);
	size_t i;
	json_t *arg;

	json_array_foreach((json_t *)(uintptr_t)args, i, arg)
		g_string_append_printf(line, "%s%s", i ? " " : "", json_string_value(arg));
	report_csv_put(out, line->str);
	g_string_free(line, TRUE);
}
