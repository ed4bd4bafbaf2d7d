/* fit.c - leaves out columns of a table until its lines fit the terminal. */
#include "report/fit.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int report_terminal_width(FILE *out)
{
	struct winsize size;
	const int fd = fileno(out);

	return fd >= 0 && isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

FILE *report_fit_begin(struct report_fit *fit)
{
	*fit = (struct report_fit){.memory = NULL};
	fit->memory = open_memstream(&fit->text, &fit->length);
	return fit->memory;
}

/* A row may end in a sentence, which no column less makes fit: so much of what is behind the headings counts. A line
 * without columns does not. */
enum { LAST_WORDS = 6 };

/* Characters of a line, without the marks of its columns. */
static glong length_of(char *const *cells)
{
	glong length = 0;

	for (; *cells; cells++)
		length += g_utf8_strlen(*cells, -1);
	return length;
}

static bool do_fit(const GPtrArray *lines, int width)
{
	const glong most = length_of(lines->pdata[0]) + LAST_WORDS;

	for (uint32_t i = 0; i < lines->len; i++)
		if (g_strv_length(lines->pdata[i]) > 1 && MIN(length_of(lines->pdata[i]), most) > width)
			return false;
	return true;
}

static bool is_title(const char *cell, const char *title)
{
	g_autofree char *text = g_strstrip(g_strdup(cell));

	return !strcmp(text, title);
}

/* Empties the column of that heading; false: there is none. */
static bool column_leave_out(GPtrArray *lines, const char *title)
{
	char **head = lines->pdata[0];
	guint which = 1;

	while (which < g_strv_length(head) && !is_title(head[which], title))
		which++;
	if (which >= g_strv_length(head))
		return false;
	for (uint32_t i = 0; i < lines->len; i++)
		if (which < g_strv_length(lines->pdata[i]))
			*((char **)lines->pdata[i])[which] = '\0';
	return true;
}

static void lines_free(void *cells)
{
	g_strfreev(cells);
}

char *report_fit_text(const char *text, int width, const char *const order[], const char *rest)
{
	g_auto(GStrv) all = g_strsplit(text, "\n", -1);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(lines_free);
	g_autoptr(GString) left_out = g_string_new(NULL);
	GString *fitting = g_string_new(NULL);

	for (char **line = all; *line; line++)
		g_ptr_array_add(lines, g_strsplit(*line, REPORT_FIT_COLUMN, -1));
	for (uint32_t i = 0; width && order[i] && !do_fit(lines, width); i++)
		if (column_leave_out(lines, order[i]))
			g_string_append_printf(left_out, "%s%s", left_out->len ? ", " : "", order[i]);
	for (uint32_t i = 0; i < lines->len; i++) {
		g_autofree char *line = g_strjoinv("", lines->pdata[i]);

		g_string_append_printf(fitting, "%s%s", i ? "\n" : "", line);
	}
	if (left_out->len)
		g_string_append_printf(fitting, "left out, as the terminal has %d columns: %s; %s\n", width,
				       left_out->str, rest);
	return g_string_free(fitting, FALSE);
}

void report_fit_end(struct report_fit *fit, FILE *out, const char *const order[], const char *rest)
{
	g_autofree char *fitting = NULL;

	fclose(fit->memory);
	fitting = report_fit_text(fit->text, report_terminal_width(out), order, rest);
	fputs(fitting, out);
	free(fit->text);
}
