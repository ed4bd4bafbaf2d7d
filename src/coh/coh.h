/* coh.h - the transitions of coh.def, for who executes them.
 *
 * A state belongs to one agent, so that state, event and whether the line is held elsewhere find the row.
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

/* Planted mistakes: coh_faults.def. */
#define COH_FAULTS(X) \
	X(COH_FAULT_NONE, none) \
	X(COH_FAULT_WRITE_PAST_NDP, write_past_ndp) \
	X(COH_FAULT_READ_PAST_NDP, read_past_ndp) \
	X(COH_FAULT_READ_PAST_CPU, read_past_cpu) \
	X(COH_FAULT_WRITE_PAST_CPU, write_past_cpu) \
	X(COH_FAULT_LOST_ACKNOWLEDGED, lost_acknowledged) \
	X(COH_FAULT_CORE_KEPT, core_kept) \
	X(COH_FAULT_LINE_DROPPED, line_dropped) \
	X(COH_FAULT_PROBE_LOST, probe_lost) \
	X(COH_FAULT_PROBE_KEPT, probe_kept) \
	X(COH_FAULT_EVICTION_LOST, eviction_lost) \
	X(COH_FAULT_READ_OWNS, read_owns) \
	X(COH_FAULT_UNLOCKED, unlocked) \
	X(COH_FAULT_POINT_KEPT, point_kept) \
	X(COH_FAULT_POINT_LOST, point_lost) \
	X(COH_FAULT_CHANGE_MISSED, change_missed) \
	X(COH_FAULT_INVALIDATE_KEPT, invalidate_kept) \
	X(COH_FAULT_ALONE_UNANSWERED, alone_unanswered)
#define COH_FAULT_ENUMERATOR(enumerator, name) enumerator,
enum coh_fault { COH_FAULTS(COH_FAULT_ENUMERATOR) COH_FAULT_COUNT };
struct coh_mistake {
	const char *text;
	struct coh_row row; /* done in place of the one with the same state, event and condition */
};
extern const struct coh_mistake coh_faults[COH_FAULT_COUNT]; /* without that of COH_FAULT_NONE */

extern const struct coh_row coh_rows[];
extern const uint32_t coh_row_count; /* of coh.def; behind them come those of coh_software.def */
/* "HOME CPU N_READ" */
const char *coh_row_name(uint32_t row);

struct coh_table {
	uint8_t find[COH_STATE_COUNT][COH_EVENT_COUNT][2]; /* by whether it is held; number + 1, 0: no row */
	uint64_t counts[COH_ROWS_MAX];			   /* how often each was done */
	enum coh_fault fault;
	uint64_t fault_every, fault_chances;
};

/* One in fault_every chances for the mistake is taken. */
void coh_table_init(struct coh_table *t, enum coh_fault fault, uint64_t fault_every);

/* From now on NDP-Ms ask nobody: coh_software.def. */
void coh_table_by_software(struct coh_table *t);

/* The row, counted, or the mistake in its place. That there is none is a failed CHECK: the protocol does not know the
 * event in that state. */
const struct coh_row *coh_find_slow(struct coh_table *t, enum coh_state state, enum coh_event event, bool is_held);
static inline const struct coh_row *coh_find(struct coh_table *t, enum coh_state state, enum coh_event event,
					     bool is_held)
{
	const uint32_t number = t->find[state][event][is_held];

	if (!number)
		return coh_find_slow(t, state, event, is_held);
	t->counts[number - 1]++;
	return &coh_rows[number - 1];
}

#endif
