/* unmodelled.h - what is a run worth, where some of the program's code takes no simulated time? */
#ifndef STRATA_BASE_UNMODELLED_H
#define STRATA_BASE_UNMODELLED_H

/* Of all instructions that the program has executed: with a larger share in such code each table marks the run. */
#define BASE_UNMODELLED_MARKED 0.05

#endif
