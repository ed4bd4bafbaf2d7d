/* translate.c - what an NDP-M's TLB adds to its ERAT. */
#include "channel/priv.h"

/* What a miss of the TLB adds: the NDP-AP walks the table, or the peer itself. */
uint64_t translate_walk_ps(struct ndp_m *m, uint64_t address)
{
	struct channel_system *s = m->s;
	const uint64_t page = address / s->p->tlb_page_bytes;
	struct cpu_tag *tag;

	if (!s->p->tlb_count)
		return 0;
	s->stats.tlb_lookups++;
	tag = cpu_tags_find(&m->tlb, page);
	if (tag) {
		cpu_tags_use(&m->tlb, tag);
		return 0;
	}
	tag = cpu_tags_victim(&m->tlb, page);
	m->tlb_pages += !tag->state;
	*tag = (struct cpu_tag){.line = page, .state = CPU_SHARED};
	cpu_tags_use(&m->tlb, tag);
	s->stats.tlb_misses++;
	if (s->is_peer)
		return s->p->walk_ps;
	message_up(s, m->channel);
	message_down(s, m->channel);
	return s->p->walk_ps + 2 * s->p->message_ps;
}

void translate_init(struct ndp_m *m)
{
	if (m->s->p->tlb_count)
		cpu_tags_init(&m->tlb, m->s->p->tlb_count, (uint32_t)m->s->p->tlb_count, 1);
}

void translate_free(struct ndp_m *m)
{
	if (m->s->p->tlb_count)
		cpu_tags_free(&m->tlb);
}
