/* pages.h - where in the memory a program's pages lie. A page gets a frame when it is first touched; caches and bus
 * know lines by their frame. */
#ifndef STRATA_CPU_PAGES_H
#define STRATA_CPU_PAGES_H

#include "cpu/common.h"

struct cpu_pages {
	struct cpu_common *c;
	GHashTable *frames; /* of pages, + 1 */
	/* By channel; of all, where lines go round the channels. Frame f is behind channel f modulo channel_count. */
	GArray **gone; /* frames of pages that were unmapped: the last one is the next */
	uint64_t *frame_counts, frames_max;
	uint32_t channel_count, turn; /* turn: of the page that comes next */
};

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes);
void cpu_pages_free(struct cpu_pages *p);
/* The first line of a page that the unit touches; calls the user's full where there is no frame. */
uint64_t cpu_pages_line(struct cpu_pages *p, uint32_t unit, uint64_t page);
/* The line that has the page's entry of the table of pages, whose pages lie as any others. */
uint64_t cpu_pages_entry(struct cpu_pages *p, uint32_t unit, uint64_t page);
bool cpu_pages_is_touched(const struct cpu_pages *p, uint64_t page);
/* Pages from first to before end have no frames any more. */
void cpu_pages_unmap(struct cpu_pages *p, uint64_t first, uint64_t end);

/* Of a line, in the memory: cpu.placement. */
uint64_t cpu_line_address(const struct cpu_common *c, uint64_t line);

#endif
