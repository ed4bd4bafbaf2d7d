/* where.c - where the warps of a launch stand that is ended from outside: warps at the same place are one group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/state.h"

enum {
	GROUPS_MAX = 64, /* other places are only counted */
	GROUPS_SHOWN = 6,
	NO_BARRIER = UINT8_MAX,
};

struct group {
	uint32_t pc;
	uint8_t wait;	 /* enum simt_wait */
	uint8_t barrier; /* waits there; NO_BARRIER: does not */
	uint64_t warps;
	uint64_t partial; /* of them with other lanes elsewhere */
	uint32_t cta[3], warp; /* the first */
};

struct simt_where {
	const struct simt_launch *l;
	struct group groups[GROUPS_MAX];
	uint32_t count;
	uint64_t others;
};

struct simt_where *simt_where_new(const struct simt_launch *l)
{
	struct simt_where *where = calloc(1, sizeof(*where));

	CHECK(where);
	where->l = l;
	return where;
}

static struct group *group_of(struct simt_where *where, uint32_t pc, uint8_t wait, uint8_t barrier)
{
	for (uint32_t i = 0; i < where->count; i++) {
		struct group *g = &where->groups[i];

		if (g->pc == pc && g->wait == wait && g->barrier == barrier)
			return g;
	}
	if (where->count == GROUPS_MAX)
		return NULL;
	where->groups[where->count] = (struct group){.pc = pc, .wait = wait, .barrier = barrier};
	return &where->groups[where->count++];
}

/* A waiting split has gone on to the instruction behind the one at which it waits, if that one lies before it. */
static uint32_t waiting_pc(const struct simt_launch *l, uint32_t pc, uint8_t wait)
{
	return wait == SIMT_WAIT_BARRIER && pc && l->program->insts[pc - 1].flags & SIMT_BARRIER ? pc - 1 : pc;
}

void simt_where_add(struct simt_where *where, const struct simt_warp *w)
{
	const struct simt_warp_state *s = w->state;

	if (w->is_done)
		return;
	for (uint32_t i = 0; i < s->split_count; i++) {
		const struct simt_split *split = &s->splits[i];
		const bool is_current = i == s->current;
		const uint32_t pc = is_current ? w->pc : split->stack[split->depth - 1].pc;
		const uint32_t lanes = is_current ? w->active_mask : split->stack[split->depth - 1].mask;
		struct group *g = group_of(where, waiting_pc(where->l, pc, split->wait), split->wait,
					   split->wait == SIMT_WAIT_BARRIER ? split->barrier_id : NO_BARRIER);

		if (!g) {
			where->others++;
			continue;
		}
		if (!g->warps++) {
			memcpy(g->cta, w->cta->id, sizeof(g->cta));
			g->warp = w->index_in_cta;
		}
		g->partial += lanes != w->live_mask;
	}
}

static int more_warps(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->warps != y->warps)
		return x->warps < y->warps ? 1 : -1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Snprintf behind what is there. */
static void add(char *text, size_t size_bytes, const char *more)
{
	size_t length = strlen(text);

	snprintf(text + length, size_bytes - length, "%s", more);
}

static void add_group(const struct simt_where *where, const struct group *g, char *text, size_t size_bytes)
{
	const struct ptx_module *m = simt_program_of(where->l)->module->ptx;
	const struct ptx_inst *inst = where->l->program->insts[g->pc].ptx;
	const struct ptx_loc *loc = inst->loc ? &m->locs[inst->loc] : NULL;
	char more[512];

	snprintf(more, sizeof(more), "; %llu warp%s %s", (unsigned long long)g->warps, g->warps == 1 ? "" : "s",
		 g->wait == SIMT_WAIT_BARRIER ? "at barrier " : g->wait == SIMT_WAIT_SYNC ? "waiting for lanes " : "");
	add(text, size_bytes, more);
	if (g->barrier != NO_BARRIER) {
		snprintf(more, sizeof(more), "%u ", g->barrier);
		add(text, size_bytes, more);
	}
	add(text, size_bytes, "at ");
	if (loc && loc->line && loc->file < m->file_count && m->files[loc->file]) {
		snprintf(more, sizeof(more), "%s:%u, ", m->files[loc->file], loc->line);
		add(text, size_bytes, more);
	}
	snprintf(more, sizeof(more), "%s line %u (%s), first CTA (%u,%u,%u) warp %u%s", m->name, inst->line,
		 inst->text ? inst->text : ptx_op_name(inst->op), g->cta[0], g->cta[1], g->cta[2], g->warp,
		 g->partial ? ", only some lanes" : "");
	add(text, size_bytes, more);
}

void simt_where_end(struct simt_where *where, char *text, size_t size_bytes)
{
	char more[64];

	qsort(where->groups, where->count, sizeof(where->groups[0]), more_warps);
	for (uint32_t i = 0; i < where->count; i++) {
		if (i < GROUPS_SHOWN)
			add_group(where, &where->groups[i], text, size_bytes);
		else
			where->others += where->groups[i].warps;
	}
	if (where->others) {
		snprintf(more, sizeof(more), "; %llu at other places", (unsigned long long)where->others);
		add(text, size_bytes, more);
	}
	free(where);
}
