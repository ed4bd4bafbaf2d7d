/* pages.h - where in the memory a program's pages lie: frames in the order of first touch. */
#ifndef STRATA_CPU_PAGES_H
#define STRATA_CPU_PAGES_H

#include "cpu/common.h"

struct cpu_pages {
	struct cpu_common *c;
	GHashTable *frames; /* of pages, + 1 */
	GArray *gone;       /* frames of pages that were unmapped, as above: the last one is the next */
	uint64_t frame_count, frames_max;
};

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes);
void cpu_pages_free(struct cpu_pages *p);
/* The frame of a page that the core touches; calls the user's full where there is none. */
uint64_t cpu_pages_frame(struct cpu_pages *p, uint32_t core, uint64_t page);
bool cpu_pages_is_touched(const struct cpu_pages *p, uint64_t page);
/* Pages from first to before end have no frames any more. */
void cpu_pages_unmap(struct cpu_pages *p, uint64_t first, uint64_t end);

#endif
