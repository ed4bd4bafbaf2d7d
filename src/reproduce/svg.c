/* svg.c - puts a drawing with its title and key into the page, and into a link that saves it. */
#include "reproduce/svg.h"

#include "reproduce/colour.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Pixels: of a line of the key, of a character, of the title. */
enum { LINE = 16, CHARACTER = 6, TITLE_CHARACTER = 8, TITLE_HEIGHT = 22, SYMBOL = 16 };

FILE *reproduce_svg_begin(struct reproduce_svg *s)
{
	*s = (struct reproduce_svg){.body = NULL};
	s->body = open_memstream(&s->text, &s->length);
	return s->body;
}

/* The key as SVG, from y on; returns where it ends. */
static double key_write(GString *out, const struct reproduce_svg_key *key, double width, double y)
{
	double x = 0;

	for (uint32_t i = 0; i < key->count; i++) {
		g_autofree char *name = g_markup_escape_text(key->name(key->ctx, i), -1);
		const double wide = SYMBOL + CHARACTER * (double)strlen(key->name(key->ctx, i)) + SYMBOL;
		const char *colour = reproduce_colour(i);

		if (x > 0 && x + wide > width) {
			x = 0;
			y += LINE;
		}
		if (key->is_round)
			g_string_append_printf(out, "<circle cx='%.0f' cy='%.0f' r='4' fill='%s'/>", x + 5, y + 8,
					       colour);
		else
			g_string_append_printf(out, "<rect x='%.0f' y='%.0f' width='9' height='9' fill='%s'/>", x,
					       y + 4, colour);
		g_string_append_printf(out, "<text x='%.0f' y='%.0f'>%s</text>", x + SYMBOL, y + 12, name);
		x += wide;
	}
	if (key->count)
		y += LINE;
	if (key->more) {
		g_string_append_printf(out, "<text x='0' y='%.0f'>%s</text>", y + 12, key->more);
		y += LINE;
	}
	return y;
}

/* above: pixels for the title, 0 without it. */
static char *whole(const char *body, const char *title, double width, double height, double above)
{
	const double wide = above > 0 ? MAX(width, TITLE_CHARACTER * (double)strlen(title)) : width;
	GString *out = g_string_new(NULL);

	g_string_append_printf(out,
			       "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 %.0f "
			       "%.0f %.0f' role='img' aria-label='%s'><style>text{font:11px sans-serif}</style>",
			       wide, height + above, -above, wide, height + above, title);
	if (above > 0)
		g_string_append_printf(out, "<text x='0' y='-8' style='font-weight:bold'>%s</text>", title);
	g_string_append_printf(out, "%s</svg>", body);
	return g_string_free(out, FALSE);
}

/* A name of a file: what is no letter or figure is a dash. */
static char *file_name(const char *title)
{
	return g_strcanon(g_strdup(title), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS, '-');
}

void reproduce_svg_end(struct reproduce_svg *s, FILE *page, double width, double height, const char *title,
		       const struct reproduce_svg_key *key)
{
	g_autofree char *escaped = g_markup_escape_text(title, -1), *name = file_name(title);
	g_autofree char *shown = NULL, *saved = NULL, *link = NULL;
	g_autoptr(GString) body = NULL;

	fclose(s->body);
	body = g_string_new(s->text);
	free(s->text);
	height = key_write(body, key, width, height);
	shown = whole(body->str, escaped, width, height, 0);
	saved = whole(body->str, escaped, width, height, TITLE_HEIGHT);
	link = g_uri_escape_string(saved, "/:=' ;,()", FALSE);
	fprintf(page, "<figure>%s<p><a download='%s.svg' href=\"data:image/svg+xml,%s\">SVG</a></p></figure>\n", shown,
		name, link);
}
