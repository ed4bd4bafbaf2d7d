/* pages.c - a table of the pages touched. */
#include "cpu/pages.h"

uint64_t cpu_pages_frame(struct cpu_pages *p, uint32_t core, uint64_t page)
{
	uint64_t frame = (uint64_t)(uintptr_t)g_hash_table_lookup(p->frames, (gpointer)page);

	if (!frame) {
		if (p->frame_count == p->frames_max)
			p->c->user.full(p->c->user.self, core);
		frame = ++p->frame_count;
		p->c->stats.pages++;
		g_hash_table_insert(p->frames, (gpointer)page, (gpointer)frame);
	}
	return frame - 1;
}

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes)
{
	*p = (struct cpu_pages){.c = c,
				.frames = g_hash_table_new(NULL, NULL),
				.frames_max = memory_bytes / c->p->page_bytes};
}

void cpu_pages_free(struct cpu_pages *p)
{
	g_hash_table_destroy(p->frames);
}
