/* toy.h - a policy of a few lines, outside src/: of the entries into candidate blocks it sends each third one, or as
 * ndp.toy_each_count says, to a stack's SM, one stack after the other. What a new policy on an existing carrier needs
 * is here, and nothing else.
 */
#ifndef STRATA_TESTS_NDP_TOY_H
#define STRATA_TESTS_NDP_TOY_H

#include "ndp/mechanism.h"

extern const struct ndp_mechanism ndp_toy;

#endif
