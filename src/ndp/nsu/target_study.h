/* target_study.h - what it costs to choose a block's target by its first access (NSU, SC'17, section 4.1.1, Figure 5).
 *
 * A block makes `access_count` accesses, each to one of `stack_count` stacks at random. Accesses outside the target
 * cross the memory network. Expected numbers of those, exact up to the rounding of doubles.
 */
#ifndef STRATA_NDP_NSU_TARGET_STUDY_H
#define STRATA_NDP_NSU_TARGET_STUDY_H

#include <stdint.h>

enum { NSU_TARGET_ACCESS_MAX = 128 };

/* The target is the stack of the first access. */
double nsu_target_first(uint32_t access_count, uint32_t stack_count);
/* The target is the stack with most accesses, known beforehand. access_count from 1 to NSU_TARGET_ACCESS_MAX. */
double nsu_target_best(uint32_t access_count, uint32_t stack_count);

#endif
