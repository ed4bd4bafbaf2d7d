/* account.h - where the time of each accelerator, and of its accesses, went (run.account; cpu/account.h).
 *
 * What a design does inside nobody sees. Cycles of its clock in which it asks, is answered, takes a message, or has
 * nothing under way, are the design's; those in which it would ask and there is no place for one more access under way
 * are of that; the others, in which it has something under way, are laid over the way of the access whose answer ends
 * them, or are the design's if it asks again first. Where it is not stepped it has no message.
 *
 * Its accesses have time of their own, each from its asking to its answer: together they are a place of the account
 * that has the accelerator's name.
 */
#ifndef STRATA_HDL_ACCOUNT_H
#define STRATA_HDL_ACCOUNT_H

#include "cpu/account.h"

struct hdl_account;

/* Units of the account from first_unit on are accesses, access_count of each accelerator, then the accelerators.
 * cycle_units: of the design's clock. design: its name. account: NULL where nobody accounts, then the result is. */
struct hdl_account *hdl_account_new(struct cpu_account *account, uint32_t first_unit, uint32_t accelerator_count,
				    uint32_t access_count, uint64_t cycle_units, const char *design);
void hdl_account_free(struct hdl_account *h);

/* An access, whose place was nobody's since its last answer, begins. */
void hdl_account_access(struct hdl_account *h, uint32_t access, uint64_t units);

struct hdl_cycle {
	bool is_own;	      /* asks, takes a message, or has nothing under way */
	bool is_without_place; /* would ask */
	const struct cpu_trail *answered; /* the way of an access that is answered, or NULL */
};
/* A cycle of the accelerator begins at units. */
void hdl_account_cycle(struct hdl_account *h, uint32_t accelerator, uint64_t units, const struct hdl_cycle *c);

/* The program has ended; is_under_way: by access, its answer has not come. */
void hdl_account_end(struct hdl_account *h, uint64_t units, bool (*is_under_way)(const void *self, uint32_t access),
		     const void *self);

#endif
