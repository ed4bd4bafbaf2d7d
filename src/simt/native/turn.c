/* turn.c - a turn of a warp in its kernel's host code, and when a kernel gets one.
 *
 * A turn has the instructions that the interpreter's would have, in the same order with those of other warps as far as
 * any of them could tell: arithmetic of one warp is seen by no other, so that a run of it may be computed as a whole
 * when the turn ends inside. The rest of it is then counted in the warp's next turns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/check.h"
#include "simt/native/native.h"
#include "simt/state.h"
#include "simt/turn.h"

/* Interpreted warp instructions of a kernel after which it is worth looking for kept code (which takes some ms), and
 * compiling it (which takes about as long as so many instructions, 0.3 to 2 s). */
enum { LOOK_AFTER = 100000, COMPILE_AFTER = 20000000 };

_Static_assert((int)NATIVE_POLL_STRONG == (int)SIMT_POLL_STRONG, "turn.h has it as priv.h");

struct turn {
	struct native_turn pub; /* first */
	struct simt_turner *by;
	struct simt_launch *l;
	struct simt_warp *w;
	struct simt_step *out;
	int32_t from; /* left when instructions were last counted */
};

static void read_warp(struct turn *t)
{
	struct simt_warp *w = t->w;
	struct simt_warp_state *s = w->state;

	t->pub.frame = (uint8_t *)s->base[SIMT_BASE_FRAME];
	t->pub.pred = s->pred;
	t->pub.local_at = s->frame.local_at;
	t->pub.pc = w->pc;
	t->pub.lanes = w->active_mask;
	t->pub.live = w->live_mask;
	t->pub.rpc = s->rpc;
}

/* Counts what was done since the last time, by the lanes that still run. */
static void settle(struct turn *t)
{
	const int32_t now = t->pub.left > 0 ? t->pub.left : 0;
	const uint64_t count = (uint64_t)(t->from - now);

	/* What is ahead was computed by the lanes of now: they may meet others before it is counted. */
	if (t->pub.left < 0 && t->from > 0)
		t->w->state->ahead_lanes = t->pub.lanes;
	t->from = now;
	*t->by->warp_instructions += count;
	t->by->thread_instructions += count * simt_lane_count(t->pub.lanes) - t->pub.idle;
	t->pub.idle = 0;
	t->w->instruction_count += count;
	t->l->state->steps += count;
}

static int32_t one(struct native_turn *pub, uint32_t pc, uint32_t lanes)
{
	struct turn *t = (struct turn *)pub;
	const struct simt_program_priv *p = simt_program_of(t->l);
	const struct simt_exec *e = &p->execs[pc];

	t->w->pc = pc;
	/* The addresses stay: they are written by whom they matter to. */
	t->out->inst = &p->insts[pc];
	t->out->pc = pc;
	t->out->exec_mask = lanes;
	t->out->access_mask = t->out->shared_mask = 0;
	t->out->space = SIMT_MEM_NONE;
	t->out->barrier_opened = t->out->branched = false;
	if (e->run(t->l, t->w, e, lanes, t->out) != SIMT_NEXT) {
		settle(t);
		t->by->is_faulted = true;
		return 0;
	}
	if (pub->is_observed)
		t->by->observe(t->by->self, t->w, t->out);
	return 1;
}

static int32_t step(struct native_turn *pub, uint32_t pc)
{
	struct turn *t = (struct turn *)pub;

	settle(t);
	t->w->pc = pc;
	t->by->is_faulted = !simt_step_now(t->l, t->w, t->out);
	if (pub->is_observed && !t->by->is_faulted)
		t->by->observe(t->by->self, t->w, t->out);
	++*t->by->warp_instructions;
	t->by->thread_instructions += simt_lane_count(t->out->exec_mask);
	t->from = --pub->left;
	if (t->by->is_faulted || t->w->is_done || t->w->at_barrier)
		return 0;
	read_warp(t);
	return 1;
}

/* A barrier or an exit of all running lanes, most often all that are left: a step without what nobody asks for. */
static int32_t halt(struct native_turn *pub, uint32_t pc)
{
	struct turn *t = (struct turn *)pub;
	struct simt_warp *w = t->w;
	const struct simt_exec *e = &simt_program_of(t->l)->execs[pc];
	enum simt_next next;

	if (unlikely(pub->is_observed || pub->lanes != w->live_mask || w->state->split_count != 1))
		return step(pub, pc);
	pub->left--;
	settle(t);
	w->pc = pc;
	next = e->run(t->l, w, e, pub->lanes, t->out);
	t->by->is_faulted = next == SIMT_FAULTED;
	if (next == SIMT_NEXT)
		simt_stack_goto(w, pc + 1);
	if (w->is_done || w->at_barrier || t->by->is_faulted)
		return 0;
	read_warp(t);
	return 1;
}

static void part(struct native_turn *pub, uint32_t on, uint32_t target, uint32_t rpc)
{
	struct turn *t = (struct turn *)pub;
	struct simt_warp *w = t->w;
	const uint32_t pcs[2] = {target, pub->pc + 1}, masks[2] = {on, pub->lanes & ~on};

	settle(t);
	w->pc = pub->pc;
	simt_stack_save(w);
	simt_stack_diverge(w, pcs, masks, 2, rpc);
	read_warp(t);
}

static void meet(struct native_turn *pub, uint32_t pc)
{
	struct turn *t = (struct turn *)pub;

	settle(t);
	simt_stack_goto(t->w, pc);
	read_warp(t);
}

/* What the warp has done ahead is of this turn, as far as that goes. */
static uint32_t take_ahead(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w, uint32_t count)
{
	const uint32_t taken = w->state->ahead < count ? w->state->ahead : count;

	w->state->ahead -= taken;
	*by->warp_instructions += taken;
	by->thread_instructions += (uint64_t)taken * simt_lane_count(w->state->ahead_lanes);
	w->instruction_count += taken;
	l->state->steps += taken;
	return count - taken;
}

/* What stays the same for a warp as long as it runs. */
static struct turn *turn_new(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w)
{
	struct simt_warp_state *s = w->state;
	struct turn *t = s->turn ? s->turn : calloc(1, sizeof(*t));

	CHECK(t);
	s->turn = t;
	t->by = by;
	t->l = l;
	t->w = w;
	t->out = &by->step;
	t->pub.special = s->special;
	t->pub.consts = s->base[SIMT_BASE_CONST];
	t->pub.polled = &s->polled;
	t->pub.spin_count = &s->spin_count;
	t->pub.spin_budget = &s->spin_budget;
	t->pub.hints = l->state->hints;
	t->pub.shared = w->cta->shared;
	t->pub.shared_bytes = w->cta->shared_bytes;
	t->pub.params = (const uint8_t *)(uintptr_t)l->state->param_addr;
	t->pub.one = one;
	t->pub.step = step;
	t->pub.halt = halt;
	t->pub.part = part;
	t->pub.meet = meet;
	return t;
}

static inline void native_turn(struct simt_turner *by, native_fn fn, struct simt_launch *l, struct simt_warp *w,
			       uint32_t count)
{
	struct simt_warp_state *s = w->state;
	struct turn *t = s->turn;
	uint32_t ahead = s->ahead;

	if (unlikely(!t || t->by != by || t->l != l))
		t = turn_new(by, l, w);
	/* What is ahead counts for the lanes that computed it: most often for those that go on. */
	if (unlikely(ahead >= count || (ahead && s->ahead_lanes != w->active_mask))) {
		count = take_ahead(by, l, w, count);
		if (!count)
			return;
		ahead = 0;
	}
	s->ahead = 0;
	t->pub.is_strict = by->is_strict ? -1 : 0;
	t->pub.is_observed = by->observe != NULL;
	t->from = (int32_t)count;
	t->pub.left = (int32_t)(count - ahead);
	read_warp(t);
	do {
		const enum native_end end = fn(&t->pub);

		if (w->is_done || w->at_barrier || by->is_faulted)
			return;
		settle(t);
		w->pc = t->pub.pc;
		if (t->pub.left < 0)
			s->ahead = (uint32_t)-t->pub.left;
		if (end == NATIVE_INSIDE && t->pub.left > 0)
			step(&t->pub, w->pc);
	} while (unlikely(t->pub.left > 0 && !by->is_faulted && !w->is_done && !w->at_barrier));
}

static void interpreted_turn(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w, uint32_t count)
{
	uint64_t threads = 0;
	uint32_t n = 0;
	bool ok = true;

	while (n < count && !w->is_done && !w->at_barrier && ok) {
		ok = simt_step(l, w, &by->step);
		if (unlikely(by->observe != NULL) && ok)
			by->observe(by->self, w, &by->step);
		threads += simt_lane_count(by->step.exec_mask);
		n++;
		++*by->warp_instructions; /* now, since the device's clock counts them */
	}
	by->thread_instructions += threads;
	by->is_faulted = !ok;
	if (likely(!l->state->apart)) /* else other threads count as well */
		simt_program_of(l)->native->interpreted += n;
}

/* ---- whether a kernel has host code ---- */

static void load(const struct simt_program_priv *p, bool may_compile)
{
	struct simt_native *n = p->native;

	if (!n->text && !n->why)
		n->text = native_text(p, &n->why);
	if (n->text)
		native_load(n, p->isa, may_compile);
	if (!n->fn && !n->why)
		return;
	g_free(n->text);
	n->text = NULL;
}

/* The kernel's host code, if it has some by now; else why it has none. */
static native_fn code_of(const struct simt_turner *by, struct simt_launch *l)
{
	const struct simt_program_priv *p = simt_program_of(l);
	struct simt_native *n = p->native;

	l->interpreted_why = NULL;
	if (likely(n->fn && by->code != SIMT_CODE_INTERPRETED && !l->state->check_grid))
		return n->fn;
	if (by->code == SIMT_CODE_INTERPRETED)
		l->interpreted_why = "as run.functional says";
	else if (l->state->check_grid)
		l->interpreted_why = "each access is checked";
	if (l->interpreted_why)
		return NULL;
	if (!n->why) {
		if (by->code == SIMT_CODE_COMPILED || n->interpreted >= COMPILE_AFTER) {
			load(p, true);
		} else if (n->interpreted >= LOOK_AFTER && !n->is_tried) {
			n->is_tried = true;
			load(p, false);
		}
	}
	if (!n->fn)
		l->interpreted_why = n->why ? n->why : "it has not run for long enough";
	return n->fn;
}

bool simt_turn_is_settled(const struct simt_turner *by, struct simt_launch *l)
{
	return code_of(by, l) || by->code == SIMT_CODE_INTERPRETED || simt_program_of(l)->native->why;
}

bool simt_turn(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w, uint32_t count)
{
	const native_fn fn = code_of(by, l);
	const uint64_t before = *by->warp_instructions;

	CHECK(!w->state->is_guest);
	if (fn) {
		native_turn(by, fn, l, w, count);
		l->compiled_warp_instructions += *by->warp_instructions - before;
	} else {
		interpreted_turn(by, l, w, count);
	}
	return !by->is_faulted;
}

bool simt_cta_turn(struct simt_turner *by, struct simt_launch *l, struct simt_cta *c, uint32_t count)
{
	const native_fn fn = code_of(by, l);
	const uint64_t before = *by->warp_instructions;

	for (uint32_t i = 0; i < c->warp_count && !by->is_faulted; i++) {
		struct simt_warp *w = &c->warps[i];

		if (w->is_done || w->at_barrier)
			continue;
		if (fn)
			native_turn(by, fn, l, w, count);
		else
			interpreted_turn(by, l, w, count);
	}
	if (fn)
		l->compiled_warp_instructions += *by->warp_instructions - before;
	return !by->is_faulted;
}

/* ---- programs ---- */

void simt_native_begin(struct simt_program_priv *p)
{
	p->native = g_new0(struct simt_native, 1);
}

void simt_native_end(struct simt_program_priv *p)
{
	if (p->native)
		native_unload(p->native);
	g_free(p->native);
}
