/* section.h - included before everything in the runtime's files: their code has a section of its own, so that a message
 * can name the program's function rather than one of ours. */
#ifndef STRATA_THREADS_RT_SECTION_H
#define STRATA_THREADS_RT_SECTION_H

#pragma clang section text = "strata_text"

#endif
