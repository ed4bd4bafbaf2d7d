/* coh.c - the rows, and finding one. */
#include "coh/coh.h"

#include <stdio.h>

#include "base/check.h"

#define ROW(agent, state, event, condition, next, first, second, ...) \
	{COH_##agent##_##state, COH_EV_##event, COH_##condition, COH_##agent##_##next, \
	 {COH_DO_##first, COH_DO_##second}},
#define COH_ROW(...) ROW(__VA_ARGS__, NOTHING, NOTHING)
const struct coh_row coh_rows[] = {
#include "coh/coh.def"
#include "coh/coh_software.def"
};
enum { SOFTWARE_ROWS = 2 };
#undef COH_ROW
#define COH_FAULT(name, agent, state, event, condition, next, action, text) \
	[COH_FAULT_##name] = {text, ROW(agent, state, event, condition, next, action, NOTHING)},
const struct coh_mistake coh_faults[] = {
#include "coh/coh_faults.def"
};
#undef COH_FAULT
#undef ROW
#define ROW(agent, state, event, condition, next, ...) #agent " " #state " " #event " " #condition,
#define COH_ROW(...) ROW(__VA_ARGS__)
static const char *const names[] = {
#include "coh/coh.def"
};
#undef COH_ROW

const uint32_t coh_row_count = ARRAY_COUNT(names);
_Static_assert(ARRAY_COUNT(coh_rows) == ARRAY_COUNT(names) + SOFTWARE_ROWS, "those of software come behind");
_Static_assert(ARRAY_COUNT(coh_rows) <= COH_ROWS_MAX, "counts has a place for each row");

_Static_assert(ARRAY_COUNT(coh_faults) == COH_FAULT_COUNT, "each mistake has a row");

const char *coh_row_name(uint32_t row)
{
	return names[row];
}

static bool is_in_place_of(const struct coh_row *mistake, const struct coh_row *r)
{
	return r->state == mistake->state && r->event == mistake->event && r->condition == mistake->condition;
}

static void put_row(struct coh_table *t, uint32_t number)
{
	const struct coh_row *r = &coh_rows[number];

	if (r->condition != COH_HELD)
		t->find[r->state][r->event][0] = (uint8_t)(number + 1);
	if (r->condition != COH_FREE)
		t->find[r->state][r->event][1] = (uint8_t)(number + 1);
}

void coh_table_by_software(struct coh_table *t)
{
	for (uint32_t i = 0; i < SOFTWARE_ROWS; i++)
		put_row(t, coh_row_count + i);
}

/* The row of the mistake is not to be found: coh_find_slow decides. */
void coh_table_init(struct coh_table *t, enum coh_fault fault, uint64_t fault_every)
{
	*t = (struct coh_table){.fault = fault, .fault_every = fault_every};
	for (uint32_t i = 0; i < coh_row_count; i++) {
		const struct coh_row *r = &coh_rows[i];

		if (fault && is_in_place_of(&coh_faults[fault].row, r))
			continue;
		put_row(t, i);
	}
}

static const char *const state_names[] = {
#define COH_STATE(agent, name) #agent " " #name,
#include "coh/coh_words.def"
};
static const char *const event_names[] = {
#define COH_EVENT(name) #name,
#include "coh/coh_words.def"
};

const struct coh_row *coh_find_slow(struct coh_table *t, enum coh_state state, enum coh_event event, bool is_held)
{
	char what[128];

	for (uint32_t i = 0; t->fault && i < coh_row_count; i++) {
		const struct coh_row *r = &coh_rows[i], *mistake = &coh_faults[t->fault].row;

		if (!is_in_place_of(mistake, r) || r->state != state || r->event != event ||
		    r->condition == (is_held ? COH_FREE : COH_HELD))
			continue;
		t->counts[i]++;
		return ++t->fault_chances % t->fault_every ? r : mistake;
	}
	snprintf(what, sizeof(what), "coherence: no row for %s at %s", state_names[state], event_names[event]);
	base_bug_at(__FILE__, __LINE__, what);
}
