/* section.h - included before everything in the runtime's files: their code has a section of its own, so that a message
 * can name the program's function rather than one of ours. So have the variables of what is not modelled, behind all
 * that is: where those lie, and with them a run's time, is not a matter of the scheduler's variables. */
#ifndef STRATA_THREADS_RT_SECTION_H
#define STRATA_THREADS_RT_SECTION_H

#pragma clang section text = "strata_text"
#ifndef STRATA_IS_MODELLED
#pragma clang section bss = "strata_variables" rodata = "strata_constants"
#endif

#endif
