/* section.h - included before everything in the runtime's files: their code has a section of its own, so that a message
 * can name the program's function rather than one of ours.
 *
 * Where the program's data lie, and with them a run's time, is not a matter of our code. They begin at a multiple of
 * 1 MB (strata cc), and after the linker's tables at a page (start.c; RT_SEEN); behind them are the variables of what
 * is modelled, and behind all the others, which have a section for it.
 */
#ifndef STRATA_THREADS_RT_SECTION_H
#define STRATA_THREADS_RT_SECTION_H

#pragma clang section text = "strata_text"
#ifndef STRATA_IS_MODELLED
#pragma clang section bss = "strata_variables" rodata = "strata_constants"
#endif

#endif
