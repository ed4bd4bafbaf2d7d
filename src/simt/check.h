/* check.h - the memory checker: what kernels do to memory that they must not do, found while they run.
 *
 * A checker is attached to a memory before the first module is loaded; programs decoded afterwards run their memory
 * instructions through it. Without one nothing is compiled in: the decoder stores another function in the record.
 *
 * It keeps one bit per byte of device memory (has it been written?) and per CTA a shadow of shared memory. A wrong
 * access is noted and left out, a wrong read gives 0, and the kernel goes on, so that one run finds all. Findings of
 * one kind at one instruction are one entry with a count. What counts as a race: docs/check.md.
 */
#ifndef STRATA_SIMT_CHECK_H
#define STRATA_SIMT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/memory.h"

struct simt_check;

/* X(id, name in reports) */
#define SIMT_FINDINGS(X)                                                                                         \
	X(BOUNDS, "out-of-bounds")    /* outside every allocation, the CTA's shared or the thread's own memory */ \
	X(FREED, "use-after-free")    /* inside an allocation that has been freed */                             \
	X(READONLY, "read-only")      /* a write to constant or parameter memory */                              \
	X(MISALIGNED, "misaligned")   /* the address is no multiple of the access's size */                      \
	X(UNINITIALISED, "uninitialised") /* a read of bytes that nobody has written */                          \
	X(RACE, "race")               /* two threads, the same bytes, a write, nothing that orders them */   \
	X(BARRIER, "barrier")         /* lanes of a warp wait at different aligned barriers */       \
	X(WARP, "warp-sync")          /* a warp-wide instruction with lanes that do not take part in it */       \
	X(FAULT, "fault")             /* the kernel ended: a trap, an assertion, a deadlock... */                \
	X(REFUSED, "refused")         /* a launch that did not begin */                                          \
	X(TIMEOUT, "timeout")         /* a kernel that a limit of time ended */                                  \
	X(FREE, "invalid-free")       /* a free of what is no allocation, or no longer one */                    \
	X(LEAK, "leak")               /* never freed */

enum simt_finding_kind {
#define SIMT_FINDING_ID(id, name) SIMT_FINDING_##id,
	SIMT_FINDINGS(SIMT_FINDING_ID)
#undef SIMT_FINDING_ID
	    SIMT_FINDING_COUNT
};

/* "out-of-bounds" */
const char *simt_finding_name(enum simt_finding_kind kind);

/* A place in a kernel's text. Strings live as long as the checker. */
struct simt_check_place {
	const char *ptx_name, *ptx_text; /* file, and the instruction as written; NULL: not at an instruction */
	uint32_t ptx_line;
	const char *file; /* of .loc; NULL: none */
	uint32_t line, col;
};

struct simt_finding {
	enum simt_finding_kind kind;
	const char *kernel; /* NULL: a finding about the host's calls */
	struct simt_check_place at, other; /* other: of a race, the earlier access */
	uint32_t cta[3], thread[3]; /* of the first time */
	uint64_t count;     /* accesses of single threads, or calls */
	char *text;         /* what happened the first time */
};

/* Attaches a new checker to the memory, which must be fresh. Freed with simt_check_free after the memory. */
struct simt_check *simt_check_new(struct simt_memory *m);
void simt_check_free(struct simt_check *c);

/* The host wrote device memory. */
void simt_check_written(struct simt_check *c, uint64_t addr, uint64_t bytes);
/* The host copied device memory: what was unwritten in the source is unwritten in the destination. */
void simt_check_copied(struct simt_check *c, uint64_t to, uint64_t from, uint64_t bytes);
/* A finding about a call of the host. Findings with the same key (a call site, say) are merged; 0: never. */
void simt_check_host(struct simt_check *c, enum simt_finding_kind kind, uint64_t key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* In the order in which they were first seen. */
uint32_t simt_check_finding_count(const struct simt_check *c);
const struct simt_finding *simt_check_finding(const struct simt_check *c, uint32_t i);
/* Different findings beyond the limit of 10000, which are only counted. */
uint64_t simt_check_dropped_count(const struct simt_check *c);

#endif
