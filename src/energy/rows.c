/* rows.c - the rows of energy tables, one by one, for who lists them. */
#include "base/check.h"
#include "energy/events.h"

#include <string.h>

/* The scope of a component; some other table of the list may have declared it. */
static enum energy_scope scope_of(const struct energy_list *list, const char *component)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct energy_table *t = list->items[i].table;

		for (uint32_t k = 0; k < t->component_count; k++)
			if (!strcmp(t->components[k].name, component))
				return t->components[k].scope;
	}
	UNREACHABLE("a row of an energy table whose component no table declares");
}

static enum energy_row_kind kind_of(enum energy_unit unit)
{
	static const enum energy_row_kind kinds[] = {[ENERGY_EACH] = ENERGY_ROW_EVENT,
						     [ENERGY_BITS] = ENERGY_ROW_BITS,
						     [ENERGY_SCALED] = ENERGY_ROW_SCALED};

	return kinds[unit];
}

static void each_of_table(const struct energy_list *list, uint32_t index, energy_row_fn *fn, void *ctx)
{
	const struct energy_table *t = list->items[index].table;
	struct energy_row row = {.of = list->items[index].of, .params = list->items[index].params};

	for (uint32_t i = 0; i < t->event_count; i++) {
		row.component = t->events[i].component;
		row.kind = t->events[i].is_instead ? ENERGY_ROW_INSTEAD : kind_of(t->events[i].unit);
		row.parameter = t->events[i].parameter;
		row.terms = t->events[i].terms;
		row.scope = scope_of(list, row.component);
		fn(ctx, &row);
	}
	for (uint32_t i = 0; i < t->wire_count; i++) {
		const struct energy_wire *w = &t->wires[i];

		row.terms = w->terms;
		row.component = w->active;
		row.kind = ENERGY_ROW_BITS;
		row.parameter = w->active_parameter;
		row.scope = scope_of(list, row.component);
		fn(ctx, &row);
		row.component = w->idle;
		row.kind = ENERGY_ROW_IDLE;
		row.parameter = w->idle_parameter;
		row.scope = scope_of(list, row.component);
		fn(ctx, &row);
	}
	row.terms = NULL;
	for (uint32_t i = 0; i < t->power_count; i++) {
		row.component = t->powers[i].component;
		row.kind = ENERGY_ROW_POWER;
		row.parameter = t->powers[i].parameter;
		row.scope = scope_of(list, row.component);
		fn(ctx, &row);
	}
}

void energy_list_each(const struct energy_list *list, energy_row_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < list->count; i++)
		each_of_table(list, i, fn, ctx);
}
