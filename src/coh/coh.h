/* coh.h - the transitions of coh.def, for who executes them.
 *
 * A state belongs to one agent, so that state, event and whether the line is held elsewhere find the row. Who tests may
 * put a changed table in its place (a planted fault).
 */
#ifndef STRATA_COH_COH_H
#define STRATA_COH_COH_H

#include <stdbool.h>
#include <stdint.h>

enum coh_state {
#define COH_STATE(agent, name) COH_##agent##_##name,
#include "coh/coh_words.def"
	COH_STATE_COUNT
};

enum coh_event {
#define COH_EVENT(name) COH_EV_##name,
#include "coh/coh_words.def"
	COH_EVENT_COUNT
};

enum coh_action {
#define COH_ACTION(name) COH_DO_##name,
#include "coh/coh_words.def"
	COH_ACTION_COUNT
};

enum coh_condition { COH_ANY, COH_FREE, COH_HELD };

enum { COH_ACTIONS_MAX = 2, COH_ROWS_MAX = 128 };

struct coh_row {
	uint8_t state, event, condition, next;
	uint8_t actions[COH_ACTIONS_MAX]; /* then COH_DO_NOTHING */
};

extern const struct coh_row coh_rows[];
extern const uint32_t coh_row_count;
/* "HOME CPU N_READ" */
const char *coh_row_name(uint32_t row);

struct coh_table {
	const struct coh_row *rows;
	uint8_t find[COH_STATE_COUNT][COH_EVENT_COUNT][2]; /* by whether it is held; number + 1, 0: no row */
	uint64_t counts[COH_ROWS_MAX];			   /* how often each was done */
};

/* rows: coh_rows, or a copy of them with changes; kept. */
void coh_table_init(struct coh_table *t, const struct coh_row *rows);

/* The row, counted. That there is none is a failed CHECK: the protocol does not know the event in that state. */
const struct coh_row *coh_find_slow(struct coh_table *t, enum coh_state state, enum coh_event event, bool is_held);
static inline const struct coh_row *coh_find(struct coh_table *t, enum coh_state state, enum coh_event event,
					     bool is_held)
{
	const uint32_t number = t->find[state][event][is_held];

	if (!number)
		return coh_find_slow(t, state, event, is_held);
	t->counts[number - 1]++;
	return &t->rows[number - 1];
}

#endif
