/* beside.c - the published and the measured numbers of each quantity as pairs of bars. */
#include "reproduce/beside.h"

#include "reproduce/bars.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { ROWS_LEAST = 2, ROWS_MOST = 40 }; /* of a drawing: more would not be told apart */

/* Rows of one quantity and unit. */
struct rows {
	const struct reproduce_outcome *of[ROWS_MOST];
	char *names[ROWS_MOST];
	uint32_t count;
};

static bool has_both(const struct reproduce_outcome *o)
{
	return o->published && o->status != REPRODUCE_INPUT && isfinite(o->published->value) && isfinite(o->measured);
}

static bool is_of(const struct reproduce_outcome *o, const struct reproduce_outcome *first)
{
	return has_both(o) && !strcmp(o->published->quantity, first->published->quantity) &&
	       !strcmp(o->published->unit, first->published->unit);
}

/* A row that none before it is like. */
static bool is_first(const struct reproduce_outcomes *o, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (is_of(&o->items[k], &o->items[i]))
			return false;
	return true;
}

static double value(const void *ctx, uint32_t bar, uint32_t group)
{
	const struct reproduce_outcome *o = ((const struct rows *)ctx)->of[group];

	return bar ? o->measured : o->published->value;
}

static const char *bar_name(const void *ctx, uint32_t bar)
{
	(void)ctx;
	return bar ? "measured" : "published";
}

static const char *group_name(const void *ctx, uint32_t group)
{
	return ((const struct rows *)ctx)->names[group];
}

static void rows_write(FILE *out, const struct reproduce_outcome *first, const struct rows *rows)
{
	const struct reproduce_published *p = first->published;
	g_autofree char *title =
	    g_strdup_printf("Published and measured: %s%s%s", p->quantity, *p->unit ? ", " : "", p->unit);
	g_autofree char *escaped = g_markup_escape_text(title, -1);

	fprintf(out, "<h3>%s</h3>", escaped);
	reproduce_bars_write(out, &(struct reproduce_bars){.title = title,
							   .bar_count = 2,
							   .group_count = rows->count,
							   .least_top = 0.2,
							   .value = value,
							   .bar_name = bar_name,
							   .group_name = group_name,
							   .ctx = rows});
}

static void quantity_write(FILE *out, const struct reproduce_outcomes *o, uint32_t first)
{
	g_autofree struct rows *rows = g_new0(struct rows, 1);

	for (uint32_t i = first; i < o->count && rows->count < ROWS_MOST; i++)
		if (is_of(&o->items[i], &o->items[first])) {
			const struct reproduce_published *p = o->items[i].published;

			rows->names[rows->count] =
			    g_strdup_printf("%s%s%s", p->workload, *p->workload ? ", " : "",
					    *p->configuration ? p->configuration : o->items[i].id);
			rows->of[rows->count++] = &o->items[i];
		}
	if (rows->count >= ROWS_LEAST)
		rows_write(out, &o->items[first], rows);
	for (uint32_t i = 0; i < rows->count; i++)
		g_free(rows->names[i]);
}

void reproduce_beside_write(FILE *out, const struct reproduce_outcomes *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (has_both(&o->items[i]) && is_first(o, i))
			quantity_write(out, o, i);
}
