/* classify.h - the class of an instruction, from what QEMU's disassembler says of it.
 */
#ifndef STRATA_THREADS_QEMU_CLASSIFY_H
#define STRATA_THREADS_QEMU_CLASSIFY_H

#include <stdint.h>

#include "threads/site.h"

/* What the instruction's accesses are besides reads and writes. A store that an exclusive load allows is one write,
 * which QEMU executes as a compare and exchange. */
enum qemu_atomic { QEMU_PLAIN, QEMU_ORDERED, QEMU_STORE, QEMU_CHANGE, QEMU_COMPARE, QEMU_FENCE };

/* Adds the instruction to counts; text: NULL or empty where QEMU has no disassembler, then it is one on integers. */
enum qemu_atomic qemu_classify(const char *target, const char *text, uint16_t counts[THREAD_CLASS_COUNT]);

#endif
