/* toy.h - a policy of a few lines, outside src/: of the entries into TOM's candidate blocks it sends every third to a
 * stack's SM, one stack after the other. What a new policy on an existing carrier needs is here, and nothing else.
 */
#ifndef STRATA_TESTS_NDP_TOY_H
#define STRATA_TESTS_NDP_TOY_H

#include "ndp/mechanism.h"

enum { TOY_EACH = 3 };

extern const struct ndp_mechanism ndp_toy;

#endif
