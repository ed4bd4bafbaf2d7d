/* launch.c - launches, and the pool of CTAs whose state is reused. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/service.h"
#include "simt/state.h"

/* ---- launches ---- */

static bool check_dimensions(const struct simt_launch *l, struct base_diag_list *diag)
{
	static const uint32_t grid_max[3] = {INT32_MAX, 65535, 65535};
	const uint32_t threads_max = l->cta_threads_max ? l->cta_threads_max : SIMT_CTA_THREADS_MAX;
	const uint32_t side_max = threads_max > SIMT_CTA_THREADS_MAX ? threads_max : SIMT_CTA_THREADS_MAX;
	const uint32_t block_max[3] = {side_max, side_max, 64};
	const uint32_t kernel_max =
	    l->program->max_threads_per_cta < threads_max ? l->program->max_threads_per_cta : threads_max;
	const struct base_place nowhere = {0};
	const uint32_t errors = diag->error_count;

	for (uint32_t k = 0; k < 3; k++) {
		if (!l->block[k] || l->block[k] > block_max[k])
			base_diag_error(diag, nowhere, "kernel %s: block dimension %c is %u; expected 1 to %u",
					l->program->name, 'x' + (int)k, l->block[k], block_max[k]);
		if (!l->grid[k] || l->grid[k] > grid_max[k])
			base_diag_error(diag, nowhere, "kernel %s: grid dimension %c is %u; expected 1 to %u",
					l->program->name, 'x' + (int)k, l->grid[k], grid_max[k]);
	}
	if (diag->error_count != errors)
		return false;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (threads > kernel_max)
		base_diag_error(diag, nowhere, "kernel %s: %llu threads per CTA; the kernel allows at most %u",
				l->program->name, (unsigned long long)threads, kernel_max);
	return diag->error_count == errors;
}

static bool no_room_for_local(const struct simt_launch *l, uint32_t warps, struct base_diag_list *diag)
{
	base_diag_error(diag, (struct base_place){0},
			"kernel %s: no room in device memory for %llu bytes of local memory per thread of %u warps",
			l->program->name, (unsigned long long)(l->state->local_bytes + l->state->below_bytes), warps);
	return false;
}

/* What is left of a thread's stack below the frames that the program is known to need. Apart from these, so that it
 * costs no time when, as nearly always, nothing touches it. Where device memory has no room for it, only a program that
 * counts on it, because it recurses, does not run. */
static bool place_below(struct simt_launch *l, uint32_t warps, struct base_diag_list *diag)
{
	struct simt_launch_state *st = l->state;
	const bool is_recursive = simt_program_of(l)->is_recursive;
	const uint64_t known = is_recursive ? SIMT_RECURSION_BYTES : st->local_bytes;

	if (!st->local_addr || l->stack_bytes <= known)
		return true;
	st->below_bytes = (l->stack_bytes - known + 15) & ~15ull;
	st->below_warp_bytes = st->below_bytes / 4 * SIMT_ROW_BYTES;
	CHECK(st->below_bytes <= SIMT_LOCAL_BASE);
	st->below_addr = simt_memory_alloc(l->mem, st->below_warp_bytes * warps, 1, SIMT_ALLOC_LOCAL);
	if (st->below_addr)
		return true;
	if (is_recursive)
		return no_room_for_local(l, warps, diag);
	st->below_bytes = 0;
	return true;
}

static bool place_local(struct simt_launch *l, uint32_t warps, struct base_diag_list *diag)
{
	struct simt_launch_state *st = l->state;

	st->local_bytes = l->program->local_bytes_per_thread;
	st->local_warp_bytes = (st->local_bytes + 3) / 4 * SIMT_ROW_BYTES;
	st->local_slots = warps;
	if (!st->local_warp_bytes)
		return true;
	st->local_addr = simt_memory_alloc(l->mem, st->local_warp_bytes * warps, 1, SIMT_ALLOC_LOCAL);
	if (!st->local_addr)
		return no_room_for_local(l, warps, diag);
	st->local_free = malloc(warps * sizeof(*st->local_free));
	CHECK(st->local_free);
	for (uint32_t i = 0; i < warps; i++)
		st->local_free[i] = warps - 1 - i;
	st->local_free_count = warps;
	return true;
}

static bool place_params(struct simt_launch *l, struct base_diag_list *diag)
{
	uint64_t bytes = l->program->param_bytes;

	l->state->param_addr = simt_memory_alloc(l->mem, bytes + 8, 1, SIMT_ALLOC_PARAM);
	if (!l->state->param_addr) {
		base_diag_error(diag, (struct base_place){0}, "kernel %s: no room in device memory for its parameters",
				l->program->name);
		return false;
	}
	if (bytes)
		memcpy((void *)(uintptr_t)l->state->param_addr, l->params, bytes);
	return true;
}

/* What the compiler calls the grid's workspace: 8 bytes, zero at the start, whose upper half is the counter of the
 * grid-wide barrier of cooperative groups (as nvcc 11 to 13 compiles it). Kernels find it in %envreg1 and %envreg2. */
static bool place_workspace(struct simt_launch *l, struct base_diag_list *diag)
{
	const uint64_t bytes = 8;

	if (!l->is_cooperative)
		return true;
	l->state->workspace_addr = simt_memory_alloc(l->mem, bytes, 1, SIMT_ALLOC_MODULE);
	if (!l->state->workspace_addr) {
		base_diag_error(diag, (struct base_place){0}, "kernel %s: no room in device memory for its workspace",
				l->program->name);
		return false;
	}
	memset((void *)(uintptr_t)l->state->workspace_addr, 0, bytes);
	return true;
}

uint64_t simt_launch_params(const struct simt_launch *l)
{
	return l->state ? l->state->param_addr : (uintptr_t)l->params;
}

bool simt_launch_begin(struct simt_launch *l, uint32_t resident_warp_count, struct base_diag_list *diag)
{
	struct simt_launch_state *st;

	if (!check_dimensions(l, diag))
		return false;
	st = calloc(1, sizeof(*st));
	CHECK(st);
	l->state = st;
	l->fault.kind = SIMT_FAULT_NONE;
	l->fault.text[0] = '\0';
	l->compiled_warp_instructions = 0;
	l->interpreted_why = NULL;
	l->is_spread = false;
	st->hints = calloc(l->program->inst_count, sizeof(*st->hints));
	CHECK(st->hints);
	st->threads_per_cta = l->block[0] * l->block[1] * l->block[2];
	st->warps_per_cta = (st->threads_per_cta + SIMT_LANES - 1) / SIMT_LANES;
	st->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	if (simt_memory_check(l->mem))
		st->check_grid = simt_check_grid_new(l);
	if (resident_warp_count < st->warps_per_cta)
		resident_warp_count = st->warps_per_cta;
	if (place_params(l, diag) && place_local(l, resident_warp_count, diag) && place_workspace(l, diag) &&
	    place_below(l, resident_warp_count, diag))
		return true;
	simt_launch_end(l);
	return false;
}

static void free_warp_state(struct simt_warp_state *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		free(s->splits[i].stack);
	free(s->splits);
	free(s->rows);
	free(s->preds);
	free(s->special);
	free(s->scratch);
	free(s->turn);
	free(s);
}

void simt_cta_free_all(struct simt_launch_state *st)
{
	for (struct simt_cta *c = st->all_ctas, *next; c; c = next) {
		next = c->next;
		for (uint32_t i = 0; i < c->warp_count; i++)
			free_warp_state(c->warps[i].state);
		free(c->warps);
		free(c->shared);
		simt_check_cta_free(c->check);
		free(c);
	}
	st->all_ctas = st->free_ctas = NULL;
}

void simt_launch_end(struct simt_launch *l)
{
	struct simt_launch_state *st = l->state;

	if (!st)
		return;
	if (st->check_grid) {
		simt_check_global_end(l);
		simt_check_fault(l);
	}
	simt_cta_free_all(st);
	for (struct simt_warp *g = st->all_guests, *next; g; g = next) {
		next = g->state->next;
		free_warp_state(g->state);
		free(g);
	}
	if (st->check_grid)
		simt_check_grid_free(st->check_grid);
	if (st->param_addr)
		simt_memory_release(l->mem, st->param_addr);
	if (st->local_addr)
		simt_memory_release(l->mem, st->local_addr);
	if (st->below_addr)
		simt_memory_release(l->mem, st->below_addr);
	if (st->workspace_addr)
		simt_memory_release(l->mem, st->workspace_addr);
	free(st->local_free);
	free(st->hints);
	free(st);
	l->state = NULL;
}

/* ---- warps ---- */

struct simt_warp_state *simt_warp_state_new(const struct simt_launch *l)
{
	const struct simt_program_priv *p = simt_program_of(l);
	struct simt_warp_state *s = calloc(1, sizeof(*s));

	CHECK(s);
	s->splits = calloc(SIMT_LANES, sizeof(*s->splits));
	s->special = aligned_alloc(64, (p->special_bytes + 64) & ~63u);
	s->scratch = aligned_alloc(64, (SIMT_SRC_ROWS + 1) * 2 * SIMT_ROW_BYTES);
	CHECK(s->splits && s->special && s->scratch);
	memset(s->scratch, 0, (SIMT_SRC_ROWS + 1) * 2 * SIMT_ROW_BYTES);
	s->base[SIMT_BASE_CONST] = p->rows;
	s->base[SIMT_BASE_SPECIAL] = s->special;
	s->local_bytes = l->state->local_bytes;
	s->below_bytes = l->state->below_bytes;
	return s;
}

static struct simt_cta *new_cta(struct simt_launch *l)
{
	struct simt_launch_state *st = l->state;
	struct simt_cta *c = calloc(1, sizeof(*c));

	CHECK(c);
	c->launch = l;
	c->warp_count = st->warps_per_cta;
	c->warps = calloc(c->warp_count, sizeof(*c->warps));
	c->shared_bytes = (uint32_t)l->program->shared_static_bytes + l->shared_dynamic_bytes;
	c->shared = aligned_alloc(64, (c->shared_bytes + 64) & ~63u);
	CHECK(c->warps && c->shared);
	for (uint32_t i = 0; i < c->warp_count; i++) {
		c->warps[i].state = simt_warp_state_new(l);
		c->warps[i].index_in_cta = i;
		c->warps[i].cta = c;
	}
	if (simt_memory_check(l->mem))
		c->check = simt_check_cta_new(l, c);
	c->next = st->all_ctas;
	st->all_ctas = c;
	return c;
}

static void place_warp_local(const struct simt_launch_state *st, struct simt_warp_state *s)
{
	const uint64_t first = SIMT_LOCAL_BASE - st->below_bytes;

	s->local = st->local_addr + s->local_slot * st->local_warp_bytes - SIMT_LOCAL_BASE / 4 * SIMT_ROW_BYTES;
	s->below = st->below_addr + s->local_slot * st->below_warp_bytes - first / 4 * SIMT_ROW_BYTES;
}

/* is_used: a CTA of this launch has had the place before. */
static void begin_warp(struct simt_launch *l, struct simt_warp *w, bool is_used)
{
	struct simt_launch_state *st = l->state;
	uint32_t left = st->threads_per_cta - w->index_in_cta * SIMT_LANES;
	uint32_t lanes = left >= SIMT_LANES ? SIMT_FULL_MASK : (1u << left) - 1;

	w->smid = w->cta->smid;
	if (st->local_warp_bytes) {
		CHECK(st->local_free_count);
		w->state->local_slot = st->local_free[--st->local_free_count];
		place_warp_local(st, w->state);
	}
	simt_stack_begin(l, w, lanes);
	if (is_used)
		simt_special_refill(l, w);
	else
		simt_special_fill(l, w);
}

struct simt_cta *simt_cta_begin(struct simt_launch *l, uint64_t linear_index, uint32_t smid)
{
	struct simt_launch_state *st = l->state;
	struct simt_cta *c = st->free_ctas;
	const bool is_used = c != NULL;

	CHECK(linear_index < st->cta_count);
	if (c)
		st->free_ctas = c->next_free;
	else
		c = new_cta(l);
	c->id[0] = (uint32_t)(linear_index % l->grid[0]);
	c->id[1] = (uint32_t)(linear_index / l->grid[0] % l->grid[1]);
	c->id[2] = (uint32_t)(linear_index / l->grid[0] / l->grid[1]);
	c->smid = smid;
	c->live_warps = c->warp_count;
	c->waiting_warps = 0;
	c->arrived_barriers = 0;
	for (uint32_t i = 0; i < SIMT_BARRIER_COUNT; i++)
		c->barriers[i] = (struct simt_barrier){.red_and = true};
	/* Deterministic whatever ran here before. */
	memset(c->shared, 0, c->shared_bytes);
	if (c->check)
		simt_check_cta_begin(c->check, linear_index);
	for (uint32_t i = 0; i < c->warp_count; i++)
		begin_warp(l, &c->warps[i], is_used);
	return c;
}

bool simt_cta_has_room(const struct simt_launch *l)
{
	const struct simt_launch_state *st = l->state;

	return !st->local_warp_bytes || st->local_free_count >= st->warps_per_cta;
}

void simt_cta_end(struct simt_cta *c)
{
	struct simt_launch_state *st = c->launch->state;

	if (st->local_warp_bytes)
		for (uint32_t i = c->warp_count; i-- > 0;)
			st->local_free[st->local_free_count++] = c->warps[i].state->local_slot;
	c->next_free = st->free_ctas;
	st->free_ctas = c;
}

struct simt_warp *simt_cta_warp(struct simt_cta *c, uint32_t index)
{
	CHECK(index < c->warp_count);
	return &c->warps[index];
}

uint32_t simt_cta_warp_count(const struct simt_cta *c)
{
	return c->warp_count;
}

bool simt_cta_is_done(const struct simt_cta *c)
{
	return !c->live_warps;
}
