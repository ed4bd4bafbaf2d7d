/* written.h - which allocations a launch writes, as far as its code tells before it runs. */
#ifndef STRATA_NDP_BLOCKS_WRITTEN_H
#define STRATA_NDP_BLOCKS_WRITTEN_H

#include "ndp/carry/carry.h"

/* The 8-byte words of the parameter block from which the addresses of a program's stores and atomics derive, or of its
 * loads; all: some of them may go anywhere, because an address comes from memory, from a variable, or from a function
 * that is called. */
enum { NDP_ORIGIN_WORDS = 256 };
struct ndp_origins {
	uint64_t words[NDP_ORIGIN_WORDS / 64];
	bool all, local; /* local: local memory too */
};
struct ndp_origins ndp_store_origins(const struct simt_program *p);
struct ndp_origins ndp_load_origins(const struct simt_program *p);

/* The allocations that the launch writes by these origins, into *out: a pointer of a parameter may be moved within its
 * allocation only. Where it leads to none, or two names may be of one memory (registered memory of the host), all are
 * written. */
void ndp_written_of(const struct ndp_origins *o, const struct simt_launch *l, struct carry_written *out);

/* The allocations of device memory to which these pointers lead, as many as there is room for. */
void ndp_read_of(const struct ndp_origins *o, const struct simt_launch *l, struct carry_written *out);

#endif
