/* account.h - what an account of time is made of: the parts that time can be, amounts of them, and that they are whole.
 *
 * Who accounts has units whose time it is, and places in the program; each amount of time is one of a unit, of a place
 * and of a part. All parts of a unit are its whole time, and all parts of all places are those of all units.
 *
 * A table of parts is a list of rows, X(enumerator, name, kind, what), that makes the enum and the table:
 *
 *   enum cpu_part { CPU_ACCOUNT_PARTS(ACCOUNT_ENUMERATOR) CPU_PART_COUNT };
 *   static const struct account_row rows[] = {CPU_ACCOUNT_PARTS(ACCOUNT_ROW)};
 *   const struct account_parts cpu_account_parts = {rows, CPU_PART_COUNT};
 *
 * Amounts are arrays with one number for each part, in whatever unit of time the account has.
 */
#ifndef STRATA_ACCOUNT_ACCOUNT_H
#define STRATA_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define ACCOUNT_ENUMERATOR(enumerator, name, kind, what) enumerator,
#define ACCOUNT_ROW(enumerator, name, kind, what) [enumerator] = {#name, what, ACCOUNT_KIND_##kind},

/* What a unit does in a part of its time. */
enum account_kind {
	ACCOUNT_KIND_WORK,   /* its work */
	ACCOUNT_KIND_OWN,    /* it waits for something of itself, or of the system */
	ACCOUNT_KIND_ROOM,   /* it waits for room for one more access */
	ACCOUNT_KIND_MEMORY, /* it waits for data on their way */
	ACCOUNT_KIND_OTHERS, /* it waits for other units: locks, barriers, signals */
	ACCOUNT_KIND_IDLE,   /* it has nothing to do */
	ACCOUNT_KIND_COUNT
};
extern const char *const account_kind_names[ACCOUNT_KIND_COUNT]; /* "work", "own", ... */

struct account_row {
	const char *name, *doc; /* as results name it, and in words */
	enum account_kind kind;
};

struct account_parts {
	const struct account_row *rows;
	uint32_t count;
};

/* NULL: it has no part of this name. */
const struct account_row *account_find(const struct account_parts *parts, const char *name);

uint64_t account_sum(const struct account_parts *parts, const uint64_t *amounts);
void account_add(const struct account_parts *parts, uint64_t *to, const uint64_t *amounts);
bool account_is_same(const struct account_parts *parts, const uint64_t *a, const uint64_t *b);

/* Some amount in a coarser unit, of so many to one: rounded so that all which have the same *before, 0 at first, add up
 * to what all of them are, rounded down. */
uint64_t account_rounded(uint64_t amount, uint64_t per, uint64_t *before);

#endif
