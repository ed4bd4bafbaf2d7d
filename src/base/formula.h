/* formula.h - arithmetic over named numbers, as rows of tables write it: "stat.sm.issued_cycles / time_s".
 *
 * + - * /, parentheses, a minus before a term, numbers, and names: letters, digits, '_' and '.'; a letter first. What a
 * name is, its scope says. Functions:
 *   min(A, B, ...)  max(A, B, ...)
 *   where(A, B)         B where A is above 0, otherwise missing
 *   missing(A)          1 where A is missing, otherwise 0
 *   most(LIST, A)       the largest A of the list's items, missing if it has none
 *   total(LIST, A)      their sum
 *   count(LIST)         how many there are
 * Within most() and total() the names that begin with "own." are the item's; elsewhere they are of whatever the formula
 * is about, where that is something (has_own). A number that is missing is NAN, and makes
 * what is computed from it missing. A division by 0 is missing, too.
 */
#ifndef STRATA_BASE_FORMULA_H
#define STRATA_BASE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

/* What the names are. ctx is the caller's. */
struct base_formula_scope {
	/* The number of a name; NAN: it is missing. */
	double (*value)(void *ctx, const char *name);
	/* How many items a list has; 0 if there is no such list. */
	size_t (*count)(void *ctx, const char *list);
	/* The number of a name, without its "own.", of an item of a list. */
	double (*own)(void *ctx, const char *list, size_t item, const char *name);
	/* The formula is of an item itself: outside most() and total() value is asked for "own." names, too. */
	bool has_own;
	void *ctx;
};

/* The value of the formula. Its text is one that base_formula_check has accepted: anything else is a failed CHECK. */
double base_formula_value(const char *text, const struct base_formula_scope *scope);

/* Is it a formula? Calls name (if not NULL) for every name in it, is_list for those of lists; false where it is none,
 * or where a call returned false. */
bool base_formula_check(const char *text, bool (*name)(void *ctx, const char *name, bool is_list), void *ctx);

#endif
