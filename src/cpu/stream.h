/* stream.h - a core's prefetcher: streams of lines that its loads follow, found by their distance within a page. */
#ifndef STRATA_CPU_STREAM_H
#define STRATA_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_stream {
	uint64_t page, used; /* used: when, 0: never */
	int64_t last, next;  /* lines of the page: of the last load; the next to ask for */
	int64_t stride;
	uint32_t steps; /* of this stride, one after the other */
};

struct cpu_streams {
	struct cpu_stream *items;
	uint32_t count, under_way; /* lines asked for that have not come */
	uint64_t clock;
};

void cpu_streams_init(struct cpu_streams *s, uint32_t count);
void cpu_streams_free(struct cpu_streams *s);
/* A load of this line of this page got past the first level. The stream that it continues, if it is known to be one;
 * next is then a line that was not asked for, and stride away from the load at least. */
struct cpu_stream *cpu_streams_find(struct cpu_streams *s, uint64_t page, int64_t line);

#endif
