/* order.h - which line of which core's memory is sent before it is read. Private to csp/.
 *
 * Cores share no memory; what one sends to another is there when a signal says so, which a core sends after its
 * lines. So a line may be read if a chain of signals leads from its sending to the reading, and sent anew if one
 * leads from the reading to the sending. Each core keeps how far it knows of every other (a vector clock); a signal
 * carries that, and each line when it was sent and read last. Only programs that send lines are looked at; no time is
 * taken.
 */
#ifndef STRATA_CSP_ORDER_H
#define STRATA_CSP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csp_access;
struct csp_core;
struct csp_instr;

/* What is known of a line. */
struct csp_mark {
	uint32_t sender; /* number + 1; 0: its own core, or nobody; cores + 1: the transceivers */
	uint32_t sent;	 /* the sender's clock */
	uint32_t read;	 /* the clock of its own core; 0: not read */
	uint32_t reader; /* instruction that read it */
};

struct csp_order {
	struct csp_mark *marks; /* [line]; NULL: not looked at */
	size_t mapped_bytes;
	uint32_t *clock;	 /* [core], and of what has arrived; of itself from 1 on */
	uint32_t *signal_clocks; /* [place in the ring of signals][core] */
};

/* The core is looked at from now on. False: there is no address space. */
bool csp_order_init(struct csp_core *c);
void csp_order_release(struct csp_core *c);
/* Lines of its own memory, or for a send of the target's. False: in no order; a mistake of the reader's line. */
bool csp_order_load(struct csp_core *c, const struct csp_instr *x, const struct csp_access *a);
bool csp_order_store(struct csp_core *c, const struct csp_access *a);
/* Lines of the core arrive in groups of so many; it knows of the first so many groups. */
void csp_order_arrivals(struct csp_core *c, uint64_t first, uint64_t count, uint64_t each);
void csp_order_arrived(struct csp_core *c, uint64_t groups);
/* A signal goes to the place of the ring of the other core; one is taken from the place of its own. */
void csp_order_signal(struct csp_core *c, struct csp_core *to, uint32_t place);
void csp_order_wait(struct csp_core *c, uint32_t place);

#endif
