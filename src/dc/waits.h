/* waits.h - does a kernel wait for what another CTA does? Seen by its loops: control blocks run in lock step, so that a
 * CTA must not wait for one of its own control block. */
#ifndef STRATA_DC_WAITS_H
#define STRATA_DC_WAITS_H

#include "dc/word.h"

/* DC_WAITS_LOCK: a loop that takes a lock, by compare and exchange or exchange, so that the one who has it has begun.
 * DC_WAITS_FLAG: a loop that looks at memory, for who may not have begun. */
enum dc_waits_for { DC_WAITS_NOT, DC_WAITS_LOCK, DC_WAITS_FLAG };

struct dc_waits {
	enum dc_waits_for what;
	const struct ptx_inst *at; /* what the loop looks with; NULL: NOT */
};

/* A loop waits that writes nothing, of which each round does what the one before did, at the same places of global
 * memory, and which is left by nothing but what it finds there: only somebody else can end it. */
struct dc_waits dc_waits_of(const struct dc_kernel *k);

#endif
