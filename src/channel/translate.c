/* translate.c - the TLB of an NDP-M, behind its ERAT: what it lacks the NDP-AP walks for. */
#include "channel/priv.h"

static void fill(struct ndp_m *m, uint64_t page)
{
	struct cpu_tag *tag = cpu_tags_victim(&m->tlb, page);

	m->tlb_pages += !tag->state;
	*tag = (struct cpu_tag){.line = page, .state = CPU_SHARED};
	cpu_tags_use(&m->tlb, tag);
}

static void go_on(struct translation *t)
{
	struct channel_system *s = t->core->s;
	struct cpu_event *then = t->then;

	cpu_trail_step(t->trail, CPU_PART_WALK, now_units(s));
	base_pool_put(&s->translation_pool, t, links.next);
	then->fire(then->self, then);
}

static struct translation *walk_of(const struct ndp_m *m, uint64_t page)
{
	struct translation *t = m->walks;

	while (t && t->page != page)
		t = t->links.next;
	return t;
}

static void fire_look_up(void *self, struct cpu_event *e)
{
	struct ndp_m *m = self;
	struct translation *t = translation_of(e), *other;
	struct cpu_tag *tag = cpu_tags_find(&m->tlb, t->page);

	m->s->stats.tlb_lookups++;
	if (tag) {
		cpu_tags_use(&m->tlb, tag);
		go_on(t);
		return;
	}
	m->s->stats.tlb_misses++;
	other = walk_of(m, t->page);
	if (other) {
		base_fifo_push(&other->waiting, t, links.next);
		return;
	}
	m->s->stats.walks++;
	base_list_push(&m->walks, t, links);
	channel_point_walk(m, t);
}

void channel_translate(struct ndp_core *core, uint64_t units, struct cpu_event *e, struct cpu_trail *trail)
{
	struct channel_system *s = core->s;
	struct translation *t;

	if (likely(!s->p->tlb_count)) {
		cpu_event_at(&s->c->events, e, units);
		return;
	}
	t = base_pool_take(&s->translation_pool, links.next);
	*t = (struct translation){.event = {.fire = fire_look_up, .self = core->m},
				  .core = core,
				  .then = e,
				  .trail = trail,
				  .page = core->address / s->p->tlb_page_bytes};
	cpu_event_at(&s->c->events, &t->event, units);
}

/* Behind it go on those that have waited, in the order of coming. */
void channel_translate_walked(struct translation *t)
{
	struct ndp_m *m = t->core->m;
	__typeof__(t->waiting) others = t->waiting;

	base_list_remove(&m->walks, t, links);
	if (!t->is_old)
		fill(m, t->page);
	go_on(t);
	while (others.first)
		go_on(base_fifo_pop(&others, links.next));
}

bool channel_translate_has(const struct ndp_m *m, uint64_t address)
{
	const uint64_t page = address / m->s->p->tlb_page_bytes;

	return m->s->p->tlb_count && (cpu_tags_find(&m->tlb, page) || walk_of(m, page));
}

void channel_translate_forget(struct ndp_m *m, uint64_t address)
{
	const uint64_t page = address / m->s->p->tlb_page_bytes;
	struct cpu_tag *tag = m->s->p->tlb_count ? cpu_tags_find(&m->tlb, page) : NULL;
	struct translation *t = walk_of(m, page);

	if (tag) {
		tag->state = CPU_INVALID;
		m->tlb_pages--;
	}
	if (t)
		t->is_old = true;
}

void channel_translate_cold(struct ndp_m *m)
{
	if (m->s->p->tlb_count)
		cpu_tags_clear(&m->tlb);
	m->tlb_pages = 0;
}

/* A table has 512 entries; addresses have 48 bits. */
static uint32_t levels(uint64_t page_bytes)
{
	enum { ADDRESS_BITS = 48, INDEX_BITS = 9 };
	const uint32_t rest = ADDRESS_BITS - MIN(ADDRESS_BITS - 1, 63 - (uint32_t)__builtin_clzll(page_bytes));

	return (rest + INDEX_BITS - 1) / INDEX_BITS;
}

void channel_translate_init(struct ndp_m *m)
{
	if (!m->s->p->tlb_count)
		return;
	cpu_tags_init(&m->tlb, m->s->p->tlb_count, (uint32_t)m->s->p->tlb_count, 1);
	m->s->walk_levels = levels(m->s->p->tlb_page_bytes);
}

void channel_translate_free(struct ndp_m *m)
{
	if (m->s->p->tlb_count)
		cpu_tags_free(&m->tlb);
}
