/* unmodelled.h - what is a run worth, where some of the program's code takes no simulated time? */
#ifndef STRATA_BASE_UNMODELLED_H
#define STRATA_BASE_UNMODELLED_H

/* Each table marks a run with a larger share of its instructions in code that is not modelled. */
#define BASE_UNMODELLED_MARKED 0.05

#endif
