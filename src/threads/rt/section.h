/* section.h - included before everything in the runtime's files: their code has a section of its own, so that a message
 * can name the program's function rather than one of ours.
 *
 * Where the program's data lie, and with them a run's time, is not a matter of our code. They begin at a multiple of
 * 1 MB (strata cc), the zeroed ones at a page (start.c); behind them are the variables of what is modelled, and behind
 * all the others, each in a section of their own, which the linker lays out in the order in which it meets them.
 */
#ifndef STRATA_THREADS_RT_SECTION_H
#define STRATA_THREADS_RT_SECTION_H

#pragma clang section text = "strata_text"
#ifdef STRATA_IS_MODELLED
#pragma clang section bss = "strata_modelled"
#else
#pragma clang section bss = "strata_variables" rodata = "strata_constants"
#endif

#endif
