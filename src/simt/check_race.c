/* check_race.c - the shadow of a CTA's shared memory: which bytes are written, who touched them last, and whether
 * something orders that with the access at hand.
 *
 * Every warp has a clock, which grows when it hands over what it did: at a barrier, a fence, a warp barrier. seen[w][v]
 * is the clock of warp v up to which warp w knows what v did. An access of v with a larger clock is not ordered before
 * one of w. Inside a warp, a larger clock is the proof that a warp barrier lies between. This is the epoch scheme of
 * FastTrack (PLDI'09) with warps for threads; barriers join clocks, and so do ordered accesses to the same address
 * (PTX ISA, Memory Consistency Model: morally strong) between fences.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"

enum { WARPS = SIMT_CHECK_WARPS_MAX, LOCKSTEP_SM_MAX = 69 };

struct mark {
	uint32_t clock; /* 0: nobody */
	uint16_t thread;
	bool is_strong;
	uint32_t pc, step; /* of the program; of the warp */
};

/* Two readers suffice: whoever writes, one of two different threads is another one. */
struct cell {
	struct mark write, read[2];
};

/* What a warp had seen when it wrote to an address after a fence. */
struct handover {
	uint64_t key; /* address + 1; 0: free */
	uint32_t seen[WARPS];
};

struct simt_check_cta {
	uint32_t warp_count, shared_bytes;
	uint32_t shift;      /* a cell covers 1 << shift bytes: no access of the program is smaller */
	bool is_lockstep;    /* lanes of a warp cannot overtake each other */
	uint32_t clock_base; /* clocks of earlier CTAs in this shadow are below */
	struct cell *cells;
	uint8_t *written;
	uint32_t seen[WARPS][WARPS], arrived[SIMT_BARRIER_COUNT][WARPS], exited[WARPS], fenced[WARPS][WARPS];
	bool has_fenced[WARPS];
	const struct simt_exec *waits_at[WARPS]; /* the barrier instruction at which lanes of the warp wait */
	struct handover *handovers;
	uint32_t handover_count, handover_cap;
	struct simt_check_far *far;
	uint32_t global_shift; /* as shift, in global memory */
};

/* ---- life ---- */

static uint32_t smallest_access(const struct simt_program_priv *p, enum simt_space area)
{
	uint32_t bytes = 4;

	for (uint32_t i = 0; i < p->pub.inst_count; i++) {
		const bool is_there =
		    p->insts[i].space == area || p->insts[i].space == SIMT_MEM_GENERIC;

		if (is_there && p->insts[i].flags & (SIMT_LOAD | SIMT_STORE) && p->execs[i].mem->align < bytes)
			bytes = p->execs[i].mem->align;
	}
	return bytes;
}

/* Since sm_70 lanes are scheduled on their own (CUDA C++ Programming Guide, Independent Thread Scheduling). */
static bool is_lockstep(const struct ptx_module *m)
{
	return m->target && !strncmp(m->target, "sm_", 3) && atoi(m->target + 3) <= LOCKSTEP_SM_MAX;
}

struct simt_check_cta *simt_check_cta_new(const struct simt_launch *l, const struct simt_cta *c)
{
	const struct simt_program_priv *p = simt_program_of(l);
	struct simt_check_cta *s = calloc(1, sizeof(*s));

	CHECK(s && c->warp_count <= WARPS);
	s->warp_count = c->warp_count;
	s->shared_bytes = c->shared_bytes;
	s->shift = (uint32_t)__builtin_ctz(smallest_access(p, SIMT_MEM_SHARED));
	s->global_shift = (uint32_t)__builtin_ctz(smallest_access(p, SIMT_MEM_GLOBAL));
	s->far = simt_check_far_new(l);
	s->is_lockstep = is_lockstep(p->module->ptx);
	s->cells = calloc((c->shared_bytes >> s->shift) + 1, sizeof(*s->cells));
	s->written = calloc(c->shared_bytes + 1, 1);
	CHECK(s->cells && s->written);
	return s;
}

void simt_check_cta_free(struct simt_check_cta *s)
{
	if (!s)
		return;
	free(s->cells);
	free(s->written);
	free(s->handovers);
	simt_check_far_free(s->far);
	free(s);
}

void simt_check_cta_begin(struct simt_check_cta *s, uint64_t linear_index)
{
	uint32_t last = s->clock_base;

	simt_check_far_begin(s->far, linear_index);
	for (uint32_t w = 0; w < s->warp_count; w++)
		last = s->seen[w][w] > last ? s->seen[w][w] : last;
	if (last > UINT32_MAX / 2) {
		memset(s->cells, 0, ((s->shared_bytes >> s->shift) + 1) * sizeof(*s->cells));
		last = 0;
	}
	s->clock_base = last;
	for (uint32_t w = 0; w < s->warp_count; w++) {
		for (uint32_t v = 0; v < s->warp_count; v++)
			s->seen[w][v] = last + (w == v);
	}
	memset(s->arrived, 0, sizeof(s->arrived));
	memset(s->exited, 0, sizeof(s->exited));
	memset(s->has_fenced, 0, sizeof(s->has_fenced));
	memset(s->waits_at, 0, sizeof(s->waits_at));
	memset(s->written, 0, s->shared_bytes);
	if (s->handover_count)
		memset(s->handovers, 0, s->handover_cap * sizeof(*s->handovers));
	s->handover_count = 0;
}

/* ---- what orders warps ---- */

static void join(const struct simt_check_cta *s, uint32_t *to, const uint32_t *from)
{
	for (uint32_t v = 0; v < s->warp_count; v++)
		to[v] = from[v] > to[v] ? from[v] : to[v];
}

static void tick(struct simt_check_cta *s, uint32_t w)
{
	s->seen[w][w]++;
}

/* All lanes of a warp that wait at an aligned barrier must have come to the same instruction (PTX ISA, bar); not
 * necessarily at once: a lane that polled memory comes later. */
static void check_aligned(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t mask)
{
	const struct simt_exec **waits_at = &w->cta->check->waits_at[w->index_in_cta];
	const struct simt_exec *other = *waits_at;

	*waits_at = e;
	if (!other || other == e)
		return;
	struct simt_finding *f =
	    simt_check_note(l, w, e, (uint32_t)__builtin_ctz(mask), SIMT_FINDING_BARRIER, other);

	if (f)
		simt_check_text(f, "lanes 0x%08x of a warp wait at one aligned barrier, others of it at another",
				mask);
}

void simt_check_arrive(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t id,
		       uint32_t mask)
{
	struct simt_check_cta *s = w->cta->check;
	const bool is_aligned = e->ptx->op == PTX_OP_BAR || e->ptx->mods.aligned;

	join(s, s->arrived[id], s->seen[w->index_in_cta]);
	simt_check_far_arrive(s->far, w->index_in_cta, id);
	tick(s, w->index_in_cta);
	if (is_aligned && e->ptx->mods.bar != PTX_BAR_ARRIVE)
		check_aligned(l, w, e, mask);
}

void simt_check_release(struct simt_warp *w, uint32_t id)
{
	struct simt_check_cta *s = w->cta->check;

	s->waits_at[w->index_in_cta] = NULL;
	join(s, s->seen[w->index_in_cta], s->arrived[id]);
	join(s, s->seen[w->index_in_cta], s->exited);
	simt_check_far_release(s->far, w->index_in_cta, id);
}

void simt_check_barrier_reset(struct simt_cta *c, uint32_t id)
{
	memset(c->check->arrived[id], 0, sizeof(c->check->arrived[id]));
	simt_check_far_barrier_reset(c->check->far, id);
}

void simt_check_warp_done(struct simt_warp *w)
{
	struct simt_check_cta *s = w->cta->check;

	join(s, s->exited, s->seen[w->index_in_cta]);
	simt_check_far_warp_done(s->far, w->index_in_cta);
}

void simt_check_warp_sync(struct simt_warp *w)
{
	tick(w->cta->check, w->index_in_cta);
}

/* Clocks of the CTA's warps from 1 on, as the warp has seen them; 0: nothing. */
static void clocks_of(const struct simt_check_cta *s, uint32_t w, uint32_t *clock)
{
	for (uint32_t v = 0; v < s->warp_count; v++)
		clock[v] = s->seen[w][v] - s->clock_base;
}

void simt_check_fence(struct simt_warp *w, bool is_wide)
{
	struct simt_check_cta *s = w->cta->check;
	const uint32_t i = w->index_in_cta;

	if (is_wide) {
		uint32_t clock[WARPS];

		clocks_of(s, i, clock);
		simt_check_far_fence(s->far, i, clock);
	}
	memcpy(s->fenced[i], s->seen[i], sizeof(s->fenced[i]));
	s->has_fenced[i] = true;
	tick(s, i);
}

static struct handover *find_handover(struct simt_check_cta *s, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (s->handover_cap - 1);

	while (s->handovers[i].key && s->handovers[i].key != key)
		i = (i + 1) & (s->handover_cap - 1);
	return &s->handovers[i];
}

static void grow_handovers(struct simt_check_cta *s)
{
	struct handover *old = s->handovers;
	const uint32_t old_cap = s->handover_cap;

	s->handover_cap = old_cap ? 2 * old_cap : 64;
	s->handovers = calloc(s->handover_cap, sizeof(*s->handovers));
	CHECK(s->handovers);
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].key)
			*find_handover(s, old[i].key) = old[i];
	free(old);
}

void simt_check_strong(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, bool is_shared)
{
	struct simt_check_cta *s = a->w->cta->check;
	const uint32_t w = a->w->index_in_cta, sem = a->e->ptx->mods.sem;

	if (a->is_store && (sem == PTX_RELEASE || sem == PTX_ACQ_REL || sem == PTX_SC))
		simt_check_fence(a->w, simt_check_is_wide(a->e));
	if (!s->has_fenced[w] && !s->handover_count)
		return;
	SIMT_FOR_LANES(lane, mask) {
		const uint64_t key = addr[lane] + (is_shared ? SIMT_SHARED_WINDOW : 0) + 1;

		if (2 * s->handover_count >= s->handover_cap)
			grow_handovers(s);
		struct handover *h = find_handover(s, key);

		if (a->is_load && h->key)
			join(s, s->seen[w], h->seen);
		if (!a->is_store || !s->has_fenced[w])
			continue;
		s->handover_count += !h->key;
		h->key = key;
		join(s, h->seen, s->fenced[w]);
	}
}

/* ---- races ---- */

static bool is_ordered(const struct simt_check_cta *s, const struct mark *m, uint32_t warp)
{
	const uint32_t other = m->thread / SIMT_LANES;

	if (m->clock <= s->clock_base)
		return true;
	return other == warp ? m->clock < s->seen[warp][warp] : m->clock <= s->seen[warp][other];
}

void simt_check_lane_bytes(const struct simt_warp_state *s, const struct simt_mem_op *op, uint32_t lane, uint8_t *to)
{
	for (uint32_t k = 0; k < op->vec; k++) {
		uint64_t v = op->elem[k].bytes ? simt_lane_get(simt_row(s, op->elem[k]), op->elem[k].bytes, lane) : 0;

		memcpy(to + k * op->bytes, &v, op->bytes);
	}
}

/* Two writes of the same bytes leave the same memory in either order. The earlier one is in memory, except where it
 * belongs to this very instruction. */
static bool is_same_write(const struct simt_check_access *a, const struct mark *m, uint32_t lane, uint32_t at,
			  uint32_t cell_at, uint32_t cell_bytes, const uint64_t *offset)
{
	uint8_t mine[16], other[16];
	const bool is_same_step = m->step == (uint32_t)a->w->instruction_count &&
				  m->thread / SIMT_LANES == a->w->index_in_cta;

	if (a->is_atomic || a->has_no_value)
		return false;
	simt_check_lane_bytes(a->w->state, a->op, lane, mine);
	if (!is_same_step)
		return !memcmp(mine + (cell_at - at), a->w->cta->shared + cell_at, cell_bytes);
	const uint32_t lane_of = m->thread % SIMT_LANES, other_at = (uint32_t)offset[lane_of];

	if (cell_at < other_at || cell_at + cell_bytes > other_at + a->bytes)
		return true; /* the lane's mark is of another part */
	simt_check_lane_bytes(a->w->state, a->op, lane_of, other);
	return !memcmp(mine + (cell_at - at), other + (cell_at - other_at), cell_bytes);
}

static void note_race(const struct simt_check_access *a, uint32_t lane, const struct mark *m, bool m_writes,
		      uint32_t cell_at)
{
	const struct simt_exec *other = &simt_program_of(a->l)->execs[m->pc];
	struct simt_finding *f = simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_RACE, other);
	const uint32_t *b = a->l->block;

	if (!f)
		return;
	const bool is_same_warp = m->thread / SIMT_LANES == a->w->index_in_cta;

	simt_check_text(f, "%s of shared memory at offset %u, which thread (%u,%u,%u) %s%s",
			a->is_atomic  ? "atomic"
			: a->is_store ? "write"
				      : "read",
			cell_at, m->thread % b[0], m->thread / b[0] % b[1], m->thread / b[0] / b[1],
			m_writes ? "wrote" : "read",
			!is_same_warp ? " with no barrier between"
			: m->step == (uint32_t)a->w->instruction_count
			    ? " with another value in the same instruction"
			    : " in the same warp with no __syncwarp() between");
}

static bool conflicts(const struct simt_check_access *a, const struct mark *m, uint32_t lane)
{
	const struct simt_check_cta *s = a->w->cta->check;
	const uint32_t warp = a->w->index_in_cta, thread = warp * SIMT_LANES + lane;

	if (!m->clock || m->thread == thread || (m->is_strong && a->is_strong) || is_ordered(s, m, warp))
		return false;
	/* In lockstep only one instruction's own writes can collide inside a warp. */
	return !(s->is_lockstep && m->thread / SIMT_LANES == warp && m->step != (uint32_t)a->w->instruction_count);
}

static void check_cell(const struct simt_check_access *a, uint32_t lane, const uint64_t *offset, uint32_t cell_at,
		       uint32_t cell_bytes, struct cell *cell)
{
	struct simt_check_cta *s = a->w->cta->check;
	const uint32_t warp = a->w->index_in_cta;
	const struct mark mine = {.clock = s->seen[warp][warp],
				  .thread = (uint16_t)(warp * SIMT_LANES + lane),
				  .is_strong = a->is_strong,
				  .pc = (uint32_t)(a->e - simt_program_of(a->l)->execs),
				  .step = (uint32_t)a->w->instruction_count};

	if (conflicts(a, &cell->write, lane) &&
	    !(a->is_store && is_same_write(a, &cell->write, lane, (uint32_t)offset[lane], cell_at, cell_bytes, offset)))
		note_race(a, lane, &cell->write, true, cell_at);
	if (a->is_store) {
		for (uint32_t k = 0; k < 2; k++) {
			if (!conflicts(a, &cell->read[k], lane))
				continue;
			note_race(a, lane, &cell->read[k], false, cell_at);
			break;
		}
		cell->write = mine;
		return;
	}
	struct mark *r = cell->read;

	if (!r[0].clock || r[0].thread == mine.thread || is_ordered(s, &r[0], warp))
		r[0] = mine;
	else if (!r[1].clock || r[1].thread == mine.thread || is_ordered(s, &r[1], warp))
		r[1] = mine;
}

static bool is_shared_written(const struct simt_check_cta *s, uint64_t at, uint32_t bytes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bytes; i++)
		count += s->written[at + i];
	return count == bytes;
}

void simt_check_shared(const struct simt_check_access *a, uint32_t mask, const uint64_t *offset)
{
	struct simt_check_cta *s = a->w->cta->check;
	const uint32_t cell_bytes = 1u << s->shift;

	if (a->is_strong)
		simt_check_strong(a, mask, offset, true);
	SIMT_FOR_LANES(lane, mask) {
		const uint64_t at = offset[lane];

		/* What the device's run-time reserves it also clears. */
		if (a->is_load && at >= simt_program_of(a->l)->shared_reserved_bytes &&
		    !is_shared_written(s, at, a->bytes)) {
			struct simt_finding *f =
			    simt_check_note(a->l, a->w, a->e, lane, SIMT_FINDING_UNINITIALISED, NULL);

			if (f)
				simt_check_text(f, "%s of %u bytes of shared memory at offset %llu",
						a->is_atomic ? "atomic" : "read", a->bytes, (unsigned long long)at);
		}
		for (uint32_t k = 0; k < a->bytes; k += cell_bytes)
			check_cell(a, lane, offset, (uint32_t)at + k, cell_bytes, &s->cells[(at + k) >> s->shift]);
	}
	if (a->is_store) {
		SIMT_FOR_LANES(lane, mask)
			memset(&s->written[offset[lane]], 1, a->bytes);
	}
}

void simt_check_device(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr)
{
	const struct simt_check_cta *s = a->w->cta->check;
	uint32_t clock[WARPS];

	if (a->is_strong)
		simt_check_strong(a, mask, addr, false);
	if (simt_check_far_is_alone(s->far))
		return;
	clocks_of(s, a->w->index_in_cta, clock);
	simt_check_global(a, mask, addr, s->far, clock, s->global_shift);
}
