/* toy.h - a device of a hundred lines, as a part of machines: lanes that work, and a port to a memory that answers
 * after a latency. Its program is a text of lines "work OPERATIONS" and "load BYTES", done one after the other. */
#ifndef STRATA_TEST_TOY_H
#define STRATA_TEST_TOY_H

#include "machine/part.h"
#include "machine/part_door.h"

extern const struct machine_part machine_toy_part;

struct toy_step {
	bool is_load;
	uint64_t amount;
};

struct toy;

/* The device of a machine. */
struct toy *toy_of(const struct machine *m);
/* Does these steps, which are kept. */
void toy_run(struct toy *t, const struct toy_step *steps, uint32_t count, struct machine_part_end *end);
/* For another thread, and for a signal handler. */
void toy_progress(const struct toy *t, struct sim_progress *out);
void toy_stop(struct toy *t);

#endif
