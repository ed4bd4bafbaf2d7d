/* spread.c - a launch without timing by several threads of the host, where its CTAs cannot tell in which order they
 * run.
 *
 * The CTAs are cut into pieces in their order, and each thread takes the next one. Results are those of one thread:
 * what is stored, because apart.c has shown it; counts, because they are sums. Where something goes wrong, a fault or a
 * load that goes where stores go, what was stored is put back, and one thread does the launch; a launch that can do
 * nothing of the kind but fault at a known place keeps no copies: there the first CTA that faults is the one, and those
 * before it are done.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sim/team.h"
#include "simt/apart.h"
#include "simt/functional.h"
#include "simt/state.h"

enum {
	PIECES = 64,
	CTAS_LEAST = 32,
	COPY_BYTES_MAX = 64 << 20, /* of what a launch may store, kept until it is over */
};

struct piece {
	uint64_t warps, threads, steps, compiled;
	bool has_failed;
	struct simt_fault fault;
};

struct spread {
	const struct simt_runner *r;
	struct simt_apart apart;
	uint64_t first_cta; /* of the pieces */
	struct piece pieces[PIECES];
	_Atomic uint32_t next, failed; /* the least piece that has failed; PIECES: none */
	uint8_t *copies;
};

bool simt_spread_helps(const struct simt_runner *r)
{
	return r->l->state->cta_count >= CTAS_LEAST && r->limit.team_items > 1 && !r->limit.observe &&
	       !r->limit.warp_instructions && !r->limit.thread_instructions && r->limit.resident_ctas <= 1;
}

static uint64_t piece_begin(const struct spread *s, uint32_t piece)
{
	const uint64_t count = s->r->end_cta - s->first_cta;

	return s->first_cta + count / PIECES * piece + count % PIECES * piece / PIECES;
}

/* ---- what stores may change ---- */

/* Copies what is live of the hulls to the copies, or back. */
static void copies_move(struct spread *s, bool back)
{
	const struct simt_memory *mem = s->r->l->mem;
	uint8_t *at = s->copies;
	const struct simt_alloc *a;

	for (uint32_t h = 0; h < s->apart.hull_count; h++) {
		const struct simt_hull *hull = &s->apart.hulls[h];

		for (uint32_t i = 0; (a = simt_memory_entry(mem, i)); i++) {
			const uint64_t from = a->addr > hull->from ? a->addr : hull->from;
			const uint64_t end = a->addr + a->size_bytes, to = end < hull->to ? end : hull->to;

			if (!a->is_live || from >= to)
				continue;
			if (back)
				memcpy((void *)(uintptr_t)from, at, to - from);
			else
				memcpy(at, (const void *)(uintptr_t)from, to - from);
			at += to - from;
		}
	}
}

/* ---- a thread's part ---- */

static void lower(_Atomic uint32_t *least, uint32_t value)
{
	uint32_t now = atomic_load(least);

	while (value < now && !atomic_compare_exchange_weak(least, &now, value))
		;
}

static void piece_run(struct spread *s, uint32_t number, struct simt_launch *view, struct simt_runner *r)
{
	struct piece *p = &s->pieces[number];
	const uint64_t steps = view->state->steps;

	*r = (struct simt_runner){.l = view,
				  .next_cta = piece_begin(s, number),
				  .end_cta = piece_begin(s, number + 1),
				  .by = {.code = s->r->by.code, .warp_instructions = &p->warps},
				  .limit = s->r->limit};
	view->compiled_warp_instructions = 0;
	p->has_failed = !simt_runner_run(r);
	p->threads = r->by.thread_instructions;
	p->steps = view->state->steps - steps;
	p->compiled = view->compiled_warp_instructions;
	if (!p->has_failed)
		return;
	p->fault = view->fault;
	lower(&s->failed, number);
}

static void thread_run(void *ctx, uint32_t thread, uint32_t item)
{
	struct spread *s = ctx;
	struct simt_beside view = {.launch.state = NULL};
	struct simt_runner *r = malloc(sizeof(*r));
	uint32_t number;

	(void)thread, (void)item;
	CHECK(r);
	simt_beside_begin(&view, s->r->l);
	view.launch.state->all_ctas = view.launch.state->free_ctas = NULL;
	view.launch.state->apart = &s->apart;
	while ((number = atomic_fetch_add(&s->next, 1)) < PIECES && number < atomic_load(&s->failed))
		piece_run(s, number, &view.launch, r);
	simt_cta_free_all(view.launch.state);
	simt_beside_end(&view);
	free(r);
}

/* ---- the launch ---- */

/* Adds up what the pieces have done, up to the first that has failed. False: one has. */
static bool pieces_add(struct spread *s, struct simt_runner *r)
{
	struct simt_launch *l = r->l;
	const uint32_t failed = atomic_load(&s->failed);

	for (uint32_t i = 0; i < PIECES && i <= failed; i++) {
		*r->by.warp_instructions += s->pieces[i].warps;
		r->by.thread_instructions += s->pieces[i].threads;
		l->state->steps += s->pieces[i].steps;
		l->compiled_warp_instructions += s->pieces[i].compiled;
	}
	if (failed == PIECES)
		return true;
	l->fault = s->pieces[failed].fault;
	return false;
}

static bool run_together(struct spread *s, struct simt_runner *r)
{
	uint32_t items[SIM_TEAM_MAX];
	uint32_t count = sim_team_threads(r->limit.team);

	count = count < r->limit.team_items ? count : r->limit.team_items;
	for (uint32_t i = 0; i < count; i++)
		items[i] = i;
	atomic_store(&s->next, 0);
	atomic_store(&s->failed, PIECES);
	sim_team_run_long(r->limit.team, items, count, thread_run, s);
	r->l->is_spread = true;
	return pieces_add(s, r);
}

/* CTAs one after the other until it is known whether the kernel gets host code. */
static bool run_until_settled(struct spread *s, struct simt_runner *r)
{
	const uint64_t end = r->end_cta, each = end / PIECES + 1;
	bool ok = true;

	while (ok && r->next_cta < end && !simt_turn_is_settled(&r->by, r->l)) {
		r->end_cta = r->next_cta + each < end ? r->next_cta + each : end;
		ok = simt_runner_run(r);
	}
	r->end_cta = end;
	s->first_cta = r->next_cta;
	return ok;
}

/* What a launch has added to counts, to be taken back. */
struct counts {
	uint64_t warps, threads, steps, compiled;
};

static struct counts counts_of(const struct simt_runner *r)
{
	return (struct counts){*r->by.warp_instructions, r->by.thread_instructions, r->l->state->steps,
			       r->l->compiled_warp_instructions};
}

/* As if nothing had been done. */
static void begin_again(struct spread *s, struct simt_runner *r, const struct counts *before)
{
	struct simt_launch *l = r->l;

	copies_move(s, true);
	*r->by.warp_instructions = before->warps;
	r->by.thread_instructions = before->threads;
	r->by.is_faulted = false;
	l->state->steps = before->steps;
	l->compiled_warp_instructions = before->compiled;
	l->fault.kind = SIMT_FAULT_NONE;
	l->fault.text[0] = '\0';
	l->is_spread = false;
	r->next_cta = 0;
	r->running_count = 0;
	simt_cta_free_all(l->state);
}

static bool is_stopped(const struct simt_runner *r)
{
	return r->limit.stop && *r->limit.stop;
}

bool simt_spread_run(struct simt_runner *r)
{
	struct spread *s = calloc(1, sizeof(*s));
	const struct counts before = counts_of(r);
	bool ok;

	CHECK(s);
	s->r = r;
	if (!simt_apart_find(&s->apart, r->l) || (s->apart.needs_copies && s->apart.hull_bytes > COPY_BYTES_MAX)) {
		simt_apart_free(&s->apart);
		free(s);
		return simt_runner_run(r);
	}
	if (s->apart.needs_copies) {
		s->copies = malloc(s->apart.hull_bytes + 1);
		CHECK(s->copies);
		copies_move(s, false);
	}
	ok = run_until_settled(s, r) && (s->first_cta == r->end_cta || run_together(s, r));
	if (!ok && s->copies && !is_stopped(r)) {
		begin_again(s, r, &before);
		ok = simt_runner_run(r);
	}
	free(s->copies);
	simt_apart_free(&s->apart);
	free(s);
	return ok;
}
