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
};
#undef COH_ROW
#undef ROW
#define ROW(agent, state, event, condition, next, ...) #agent " " #state " " #event " " #condition,
#define COH_ROW(...) ROW(__VA_ARGS__)
static const char *const names[] = {
#include "coh/coh.def"
};
#undef COH_ROW

const uint32_t coh_row_count = ARRAY_COUNT(coh_rows);
_Static_assert(ARRAY_COUNT(coh_rows) <= COH_ROWS_MAX, "counts has a place for each row");

const char *coh_row_name(uint32_t row)
{
	return names[row];
}

void coh_table_init(struct coh_table *t, const struct coh_row *rows)
{
	*t = (struct coh_table){.rows = rows};
	for (uint32_t i = 0; i < coh_row_count; i++) {
		const struct coh_row *r = &rows[i];

		if (r->condition != COH_HELD)
			t->find[r->state][r->event][0] = (uint8_t)(i + 1);
		if (r->condition != COH_FREE)
			t->find[r->state][r->event][1] = (uint8_t)(i + 1);
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

	(void)t;
	(void)is_held;
	snprintf(what, sizeof(what), "coherence: no row for %s at %s", state_names[state], event_names[event]);
	base_bug_at(__FILE__, __LINE__, what);
}
