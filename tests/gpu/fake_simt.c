/* fake_simt.c - see fake_simt.h. */
#include "fake_simt.h"

#include "base/check.h"
#include "simt/turn.h"

#include <glib.h>
#include <string.h>

struct fake_program {
	struct simt_program p; /* first */
	struct simt_inst insts[FAKE_INSTS_MAX];
	uint16_t sb[FAKE_INSTS_MAX * FAKE_OPERANDS_MAX];
	struct fake_inst fake[FAKE_INSTS_MAX];
};

struct simt_warp_state {
	uint32_t visits[FAKE_INSTS_MAX];
};

struct simt_cta {
	uint64_t index;
	uint32_t threads, warp_count, done_count, barrier_count;
	struct simt_warp *warps;
	struct simt_warp_state *states;
};

bool fake_has_host, fake_may_wait;
uint32_t fake_trace_count;
uint32_t fake_trace[FAKE_TRACE_MAX];

struct simt_program *fake_program_new(const char *name, const struct fake_inst *insts, uint32_t count)
{
	struct fake_program *f = g_new0(struct fake_program, 1);
	uint32_t sb_max = 0;

	g_assert(count <= FAKE_INSTS_MAX);
	for (uint32_t i = 0; i < count; i++) {
		const struct fake_inst *s = &insts[i];
		uint32_t first = i * FAKE_OPERANDS_MAX, operands = (uint32_t)s->read_count + s->write_count;

		f->fake[i] = *s;
		f->insts[i] = (struct simt_inst){.flags = s->flags | (s->mark ? SIMT_BLOCK_BEGIN : 0),
						 .unit = s->unit,
						 .kind = s->kind,
						 .issue_slots = s->issue_slots,
						 .step_unit = s->unit == SIMT_UNIT_SFU ? SIMT_UNIT_FP32 : s->unit,
						 .space = s->space,
						 .access_bytes = s->access_bytes,
						 .vec = 1,
						 .cache = s->cache,
						 .sem = s->sem,
						 .read_count = s->read_count,
						 .write_count = s->write_count,
						 .sb_first = first,
						 .mark = s->mark};
		f->insts[i].groups = s->groups;
		for (uint32_t k = 0; k < operands; k++) {
			f->sb[first + k] = s->sb[k];
			sb_max = s->sb[k] > sb_max ? s->sb[k] : sb_max;
		}
	}
	f->p.name = name;
	f->p.insts = f->insts;
	f->p.inst_count = count;
	f->p.sb = f->sb;
	f->p.sb_count = sb_max + 1;
	f->p.slot_count = sb_max + 1;
	f->p.max_threads_per_cta = 1024;
	return &f->p;
}

bool simt_memory_has_host(const struct simt_memory *m)
{
	(void)m;
	return fake_has_host;
}

bool simt_memory_is_host(const struct simt_memory *m, uint64_t addr)
{
	(void)m;
	return addr >= FAKE_HOST_MEMORY && addr < 2 * FAKE_HOST_MEMORY;
}

static struct simt_alloc allocation = {.addr = SIMT_ARENA_BASE,
				       .size_bytes = FAKE_MEMORY_BYTES,
				       .kind = SIMT_ALLOC_DEVICE,
				       .is_live = true,
				       .ordinal = 1};

void fake_reallocate(void)
{
	allocation.ordinal++;
}

const struct simt_alloc *simt_memory_find(const struct simt_memory *m, uint64_t addr, uint64_t size_bytes)
{
	(void)m;
	return addr - allocation.addr + size_bytes <= allocation.size_bytes ? &allocation : NULL;
}

const struct simt_alloc *simt_memory_entry(const struct simt_memory *m, uint32_t i)
{
	(void)m;
	return i ? NULL : &allocation;
}

uint64_t simt_memory_capacity_bytes(const struct simt_memory *m)
{
	(void)m;
	return FAKE_MEMORY_BYTES;
}

void fake_program_free(struct simt_program *p)
{
	g_free(p);
}

struct simt_launch fake_launch(const struct simt_program *p, uint32_t ctas, uint32_t threads)
{
	return (struct simt_launch){.program = p, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
}

struct simt_cta *simt_cta_begin(struct simt_launch *l, uint64_t linear_index, uint32_t smid)
{
	struct simt_cta *c = g_new0(struct simt_cta, 1);

	c->index = linear_index;
	c->threads = l->block[0];
	c->warp_count = (c->threads + SIMT_LANES - 1) / SIMT_LANES;
	c->warps = g_new0(struct simt_warp, c->warp_count);
	c->states = g_new0(struct simt_warp_state, c->warp_count);
	for (uint32_t i = 0; i < c->warp_count; i++) {
		uint32_t left = c->threads - i * SIMT_LANES;

		c->warps[i].index_in_cta = i;
		c->warps[i].active_mask = c->warps[i].live_mask = left >= 32 ? UINT32_MAX : (1u << left) - 1;
		c->warps[i].stack_depth = 1;
		c->warps[i].cta = c;
		c->warps[i].smid = smid;
		c->warps[i].state = &c->states[i];
	}
	return c;
}

bool simt_cta_has_room(const struct simt_launch *l)
{
	(void)l;
	return true;
}

bool simt_program_may_wait(const struct simt_program *p)
{
	(void)p;
	return fake_may_wait;
}

void simt_cta_end(struct simt_cta *c)
{
	g_free(c->warps);
	g_free(c->states);
	g_free(c);
}

struct simt_warp *simt_cta_warp(struct simt_cta *c, uint32_t index)
{
	return &c->warps[index];
}

uint32_t simt_cta_warp_count(const struct simt_cta *c)
{
	return c->warp_count;
}

bool simt_warp_is_diverged(const struct simt_warp *w)
{
	return w->stack_depth > 1;
}

uint64_t simt_cta_context_bytes(const struct simt_launch *l, const struct simt_cta *c)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < c->warp_count; i++)
		bytes += 4ull * l->program->slot_count * (uint32_t)__builtin_popcount(c->warps[i].live_mask);
	return bytes;
}

uint64_t simt_cta_digest(const struct simt_launch *l, const struct simt_cta *c)
{
	uint64_t h = 0;

	for (uint32_t w = 0; w < c->warp_count; w++) {
		h = h * 31 + c->warps[w].pc;
		for (uint32_t i = 0; i < l->program->inst_count; i++)
			h = h * 31 + c->warps[w].state->visits[i];
	}
	return h;
}

void simt_cta_move(struct simt_launch *l, struct simt_cta *c, uint32_t smid)
{
	(void)l;
	for (uint32_t i = 0; i < c->warp_count; i++)
		c->warps[i].smid = smid;
}

bool simt_cta_is_done(const struct simt_cta *c)
{
	return c->done_count == c->warp_count;
}

static bool open_barrier(struct simt_cta *c)
{
	if (c->barrier_count == 0 || c->barrier_count + c->done_count < c->warp_count)
		return false;
	c->barrier_count = 0;
	for (uint32_t i = 0; i < c->warp_count; i++)
		c->warps[i].at_barrier = false;
	return true;
}

bool simt_step(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	const struct fake_program *f = (const struct fake_program *)l->program;
	const struct fake_inst *s = &f->fake[w->pc];
	uint32_t visit = w->state->visits[w->pc]++, pc = w->pc;
	uint32_t mask = s->lanes ? w->active_mask & s->lanes : w->active_mask;

	if (fake_trace_count < FAKE_TRACE_MAX)
		fake_trace[fake_trace_count++] = w->index_in_cta;
	*out = (struct simt_step){.inst = &f->insts[pc], .pc = pc, .exec_mask = mask, .space = s->space};
	w->pc++;
	w->instruction_count++;
	if (s->addr) {
		uint64_t thread = w->cta->index * w->cta->threads + w->index_in_cta * SIMT_LANES;

		out->access_mask = mask;
		for (uint32_t i = 0; i < SIMT_LANES; i++)
			out->addr[i] = s->addr(thread + i, visit);
		out->copy_mask = s->flags & SIMT_FROM_SHARED ? mask : 0;
		for (uint32_t i = 0; i < SIMT_LANES && (s->flags & (SIMT_COPY | SIMT_FROM_SHARED)); i++)
			out->copy_at[i] = (s->copy_stride_bytes ? s->copy_stride_bytes : 4) * i;
	}
	w->active_mask = f->fake[w->pc].path ? w->live_mask & f->fake[w->pc].path : w->live_mask;
	if (s->flags & SIMT_EXIT) {
		w->is_done = true;
		w->cta->done_count++;
		out->barrier_opened = open_barrier(w->cta);
	} else if (s->flags & SIMT_BRANCH) {
		out->branched = visit < s->times;
		w->pc = out->branched ? s->branch_to : w->pc;
	} else if (s->flags & SIMT_BARRIER) {
		w->at_barrier = true;
		w->cta->barrier_count++;
		out->barrier_opened = open_barrier(w->cta);
	}
	return true;
}

/* Its instructions touch nothing but their warp and CTA, nor memory. */
void simt_beside_begin(struct simt_beside *b, const struct simt_launch *l)
{
	b->launch = *l;
}

void simt_beside_end(struct simt_beside *b)
{
	(void)b;
}

bool simt_beside_step(struct simt_beside *b, struct simt_warp *w, struct simt_step *out, struct simt_reading *r)
{
	r->mask = 0;
	return simt_step(&b->launch, w, out);
}

void simt_read_again(const struct simt_reading *r)
{
	(void)r;
}

bool simt_written(const struct simt_step *step, uint64_t *first, uint64_t *last)
{
	(void)step;
	(void)first;
	(void)last;
	return false;
}

bool simt_turn(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w, uint32_t count)
{
	for (uint32_t n = 0; n < count && !w->is_done && !w->at_barrier; n++) {
		by->is_faulted = !simt_step(l, w, &by->step);
		if (by->observe && !by->is_faulted)
			by->observe(by->self, w, &by->step);
		++*by->warp_instructions;
		by->thread_instructions += (uint32_t)__builtin_popcount(by->step.exec_mask);
		if (by->is_faulted)
			return false;
	}
	return true;
}

bool simt_run_functional(struct simt_launch *l, uint64_t *warp_instruction_count, uint64_t *thread_instruction_count,
			 const struct simt_limit *limit)
{
	struct simt_step step;

	(void)limit;
	for (uint32_t i = 0; i < l->grid[0]; i++) {
		struct simt_cta *c = simt_cta_begin(l, i, 0);

		for (uint32_t k = 0; !simt_cta_is_done(c); k = (k + 1) % c->warp_count) {
			struct simt_warp *w = &c->warps[k];

			while (!w->is_done && !w->at_barrier) {
				simt_step(l, w, &step);
				++*warp_instruction_count;
				*thread_instruction_count += (uint32_t)__builtin_popcount(step.exec_mask);
			}
		}
		simt_cta_end(c);
	}
	return true;
}

struct simt_where *simt_where_new(const struct simt_launch *l)
{
	(void)l;
	return NULL;
}

void simt_where_add(struct simt_where *where, const struct simt_warp *w)
{
	(void)where;
	(void)w;
}

void simt_where_end(struct simt_where *where, char *text, size_t size_bytes)
{
	(void)where;
	(void)text;
	(void)size_bytes;
}

uint32_t simt_peek_access_at(struct simt_launch *l, struct simt_warp *w, uint32_t pc, uint64_t *addr)
{
	const struct fake_program *f = (const struct fake_program *)l->program;
	const struct fake_inst *s = &f->fake[pc];
	uint64_t thread = w->cta->index * w->cta->threads + w->index_in_cta * SIMT_LANES;

	if (!s->addr || s->space != SIMT_MEM_GLOBAL)
		return 0;
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		addr[i] = s->addr(thread + i, w->state->visits[pc]);
	return s->lanes ? w->active_mask & s->lanes : w->active_mask;
}

uint32_t simt_peek_access(struct simt_launch *l, struct simt_warp *w, uint64_t *addr)
{
	return simt_peek_access_at(l, w, w->pc, addr);
}

void simt_mbarrier_complete(struct simt_cta *c, const struct simt_complete *what)
{
	(void)c;
	(void)what;
	CHECK(!"no program of the fakes copies in bulk");
}

static uint32_t trial_pc;

void simt_trial_begin(struct simt_warp *w)
{
	trial_pc = w->pc;
}

void simt_trial_undo(struct simt_warp *w)
{
	w->pc = trial_pc;
}

void simt_guest_drop(struct simt_launch *l, struct simt_warp *guest)
{
	(void)l;
	g_free(guest->state);
	g_free(guest);
}

/* A guest has its own context and ends at end_pc; the home warp goes on there. */
struct simt_warp *simt_guest_begin(struct simt_launch *l, const struct simt_warp *home, uint32_t begin_pc,
				   uint32_t mask, const uint16_t *live_in_sb, uint32_t live_in_count, uint32_t smid)
{
	struct simt_warp *w = g_new0(struct simt_warp, 1);

	(void)l;
	(void)live_in_sb;
	(void)live_in_count;
	*w = *home;
	w->pc = begin_pc;
	w->active_mask = mask;
	w->smid = smid;
	w->state = g_new0(struct simt_warp_state, 1);
	return w;
}

bool simt_guest_reached(const struct simt_warp *guest, uint32_t end_pc)
{
	return guest->pc == end_pc;
}

void simt_guest_end(struct simt_launch *l, struct simt_warp *home, struct simt_warp *guest, uint32_t end_pc,
		    const uint16_t *live_out_sb, uint32_t live_out_count)
{
	(void)live_out_sb;
	(void)live_out_count;
	home->pc = end_pc;
	simt_guest_drop(l, guest);
}
