/* pages.c - a table of the pages touched. */
#include "cpu/pages.h"

uint64_t cpu_pages_frame(struct cpu_pages *p, uint32_t core, uint64_t page)
{
	uint64_t frame = (uint64_t)(uintptr_t)g_hash_table_lookup(p->frames, (gpointer)page);

	if (!frame) {
		if (p->gone->len) {
			frame = g_array_index(p->gone, uint64_t, p->gone->len - 1);
			g_array_set_size(p->gone, p->gone->len - 1);
		} else {
			if (p->frame_count == p->frames_max)
				p->c->user.full(p->c->user.self, core);
			frame = ++p->frame_count;
		}
		p->c->stats.pages++;
		g_hash_table_insert(p->frames, (gpointer)page, (gpointer)frame);
	}
	return frame - 1;
}

bool cpu_pages_is_touched(const struct cpu_pages *p, uint64_t page)
{
	return g_hash_table_contains(p->frames, (gpointer)page);
}

void cpu_pages_unmap(struct cpu_pages *p, uint64_t first, uint64_t end)
{
	for (uint64_t page = first; page < end; page++) {
		uint64_t frame = (uint64_t)(uintptr_t)g_hash_table_lookup(p->frames, (gpointer)page);

		if (!frame)
			continue;
		g_hash_table_remove(p->frames, (gpointer)page);
		g_array_append_val(p->gone, frame);
	}
}

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes)
{
	*p = (struct cpu_pages){.c = c,
				.frames = g_hash_table_new(NULL, NULL),
				.gone = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
				.frames_max = memory_bytes / c->p->page_bytes};
}

void cpu_pages_free(struct cpu_pages *p)
{
	g_hash_table_destroy(p->frames);
	g_array_free(p->gone, TRUE);
}
