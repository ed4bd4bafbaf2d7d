/* order.c - vector clocks of cores, and marks of lines. */
#include "csp/order.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "csp/priv.h"

/* The cores, and the transceivers. */
static uint32_t agents(const struct csp_core *c)
{
	return c->machine->core_count + 1;
}

bool csp_order_init(struct csp_core *c)
{
	struct csp_order *o = &c->order;
	void *map;

	o->mapped_bytes = c->line_count * sizeof(*o->marks);
	map = mmap(NULL, o->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	o->marks = map;
	o->clock = g_new0(uint32_t, agents(c));
	o->clock[c->number] = 1;
	o->signal_clocks = g_new0(uint32_t, (size_t)CSP_SIGNALS_MAX * agents(c));
	return true;
}

void csp_order_release(struct csp_core *c)
{
	struct csp_order *o = &c->order;

	if (o->marks)
		munmap(o->marks, o->mapped_bytes);
	g_free(o->clock);
	g_free(o->signal_clocks);
}

bool csp_order_load(struct csp_core *c, const struct csp_instr *x, const struct csp_access *a)
{
	struct csp_order *o = &c->order;

	for (uint32_t i = 0; o->marks && i < a->count; i++) {
		const int64_t line = a->line + i * a->line_stride;
		struct csp_mark *k = &o->marks[line];

		if (k->sender == agents(c) && k->sent > o->clock[k->sender - 1]) {
			csp_mistake(c, x, "line %lld, which arrives: no 'arrived' since says that it is there",
				    (long long)line);
			return false;
		}
		if (k->sender && k->sent > o->clock[k->sender - 1]) {
			csp_mistake(c, x, "line %lld, which core %u has sent: no signal since says that it is there",
				    (long long)line, k->sender - 1);
			return false;
		}
		k->read = o->clock[c->number];
		k->reader = c->pc;
	}
	return true;
}

bool csp_order_store(struct csp_core *c, const struct csp_access *a)
{
	struct csp_core *target = &c->machine->cores[a->target];
	const bool is_sent = target != c;

	for (uint32_t i = 0; target->order.marks && i < a->count; i++) {
		const int64_t line = a->line + i * a->line_stride;
		struct csp_mark *k = &target->order.marks[line];

		if (is_sent && k->read > c->order.clock[target->number]) {
			csp_mistake(target, &c->machine->program->instrs[k->reader],
				    "line %lld, which core %u sends afterwards, and no signal says when",
				    (long long)line, c->number);
			return false;
		}
		if (k->sender == agents(c) && k->sent > c->order.clock[k->sender - 1]) {
			csp_mistake(c, &c->machine->program->instrs[c->pc],
				    "line %lld, which arrives afterwards, or nobody knows when", (long long)line);
			return false;
		}
		k->sender = is_sent ? c->number + 1 : 0;
		k->sent = c->order.clock ? c->order.clock[c->number] : 0;
	}
	return true;
}

void csp_order_arrivals(struct csp_core *c, uint64_t first, uint64_t count, uint64_t each)
{
	for (uint64_t i = 0; i < count; i++)
		c->order.marks[first + i] =
		    (struct csp_mark){.sender = agents(c), .sent = (uint32_t)(i / each) + 1};
}

void csp_order_arrived(struct csp_core *c, uint64_t groups)
{
	c->order.clock[agents(c) - 1] = (uint32_t)groups;
}

void csp_order_signal(struct csp_core *c, struct csp_core *to, uint32_t place)
{
	const uint32_t count = agents(c);

	if (!c->order.marks)
		return;
	memcpy(&to->order.signal_clocks[(size_t)place * count], c->order.clock, count * sizeof(*c->order.clock));
	c->order.clock[c->number]++;
}

void csp_order_wait(struct csp_core *c, uint32_t place)
{
	const uint32_t count = agents(c);

	for (uint32_t i = 0; c->order.marks && i < count; i++) {
		const uint32_t known = c->order.signal_clocks[(size_t)place * count + i];

		if (known > c->order.clock[i])
			c->order.clock[i] = known;
	}
}
