/* warpwide.c - instructions that look across the lanes of a warp: shuffle, vote, match, elect, redux, warp barrier. */
#include "base/check.h"
#include "simt/build.h"
#include "simt/check_hooks.h"
#include "simt/state.h"

/* Gathers the lanes that the member masks in row r name; without .sync only the executing lanes take part. A mask that
 * leaves out the lane itself is undefined: such a lane waits for nobody, as on Volta and later. */
static enum simt_next gather_members(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				     uint32_t mask, struct simt_ref r, uint32_t *all, struct simt_step *out)
{
	*all = mask;
	if (!e->ptx->mods.sync && e->ptx->mods.bar != PTX_BAR_WARP_SYNC)
		return SIMT_NEXT;
	const uint32_t *members = simt_row(w->state, r);
	uint32_t need = 0;

	SIMT_FOR_LANES(lane, mask) {
		if (likely(members[lane] >> lane & 1))
			need |= members[lane];
		else if (w->cta->check)
			simt_check_unnamed_lane(l, w, e, lane, members[lane]);
	}
	enum simt_next next = simt_sync_enter(l, w, mask, need, all, out);

	if (next != SIMT_NEXT)
		return next;
	out->exec_mask = *all;
	if (unlikely(need & w->live_mask & ~*all) && w->cta->check)
		simt_check_parted(l, w, e, *all, need & w->live_mask & ~*all);
	return next;
}

static enum simt_next finish(struct simt_warp *w, const struct simt_exec *e, uint32_t mask, uint32_t all)
{
	if (!e->ptx->mods.sync && e->ptx->mods.bar != PTX_BAR_WARP_SYNC)
		return SIMT_NEXT;
	if (w->cta->check)
		simt_check_warp_sync(w);
	return simt_sync_leave(w, mask, all);
}

/* Does the lane's member mask name the lane itself? */
static bool is_named(const struct simt_warp_state *s, const struct simt_exec *e, struct simt_ref r, uint32_t lane)
{
	return !e->ptx->mods.sync || (((const uint32_t *)simt_row(s, r))[lane] >> lane & 1);
}

/* Lanes of all that lane's mask names: tiles of a warp may execute one instruction together. It need not name lane:
 * ptxas for sm_75 makes of votes and matches one over the lanes that are there, and cuts the mask out of the result. */
static uint32_t named_of(const struct simt_warp_state *s, const struct simt_exec *e, struct simt_ref r, uint32_t lane,
			 uint32_t all)
{
	return e->ptx->mods.sync ? ((const uint32_t *)simt_row(s, r))[lane] & all : all;
}

/* The same where a result needs a lane: one that its own mask leaves out works with all that are there. */
static uint32_t team_of(const struct simt_warp_state *s, const struct simt_exec *e, struct simt_ref r, uint32_t lane,
			uint32_t all)
{
	return is_named(s, e, r, lane) ? named_of(s, e, r, lane, all) : all;
}

/* Of the lanes in left, those that get the result of their first one's team. */
static uint32_t teammates(const struct simt_warp_state *s, const struct simt_exec *e, struct simt_ref r, uint32_t team,
			  uint32_t left)
{
	const uint32_t first = left & -left;

	return is_named(s, e, r, (uint32_t)__builtin_ctz(left)) ? (team & left) | first : first;
}

SIMT_RUN(simt_run_warp_sync)
{
	uint32_t all;
	enum simt_next next = gather_members(l, w, e, mask, e->src[0], &all, out);

	return next == SIMT_NEXT ? finish(w, e, mask, all) : next;
}

/* ---- shuffle ---- */

/* Source lanes by the formulas of the PTX ISA (shfl), for all lanes at once: from[] is a lane's own number where the
 * source is out of range. Returns the lanes for which it is in range. */
static uint32_t shuffle_sources(enum ptx_shfl mode, const uint32_t *b, const uint32_t *c, uint32_t *from)
{
	int32_t source[SIMT_LANES], last[SIMT_LANES];
	uint32_t in_range = 0;

	for (uint32_t i = 0; i < SIMT_LANES; i++) {
		const uint32_t segment = c[i] >> 8 & 31, step = b[i] & 31;

		last[i] = (int32_t)((i & segment) | (c[i] & 31 & ~segment));
		source[i] = mode == PTX_SHFL_UP	    ? (int32_t)(i - step)
			    : mode == PTX_SHFL_DOWN ? (int32_t)(i + step)
			    : mode == PTX_SHFL_BFLY ? (int32_t)(i ^ step)
						    : (int32_t)((i & segment) | (step & ~segment));
	}
	for (uint32_t i = 0; i < SIMT_LANES; i++) {
		const bool is_in = mode == PTX_SHFL_UP ? source[i] >= last[i] : source[i] <= last[i];

		from[i] = is_in ? (uint32_t)source[i] & 31 : i;
		in_range |= (uint32_t)is_in << i;
	}
	return in_range;
}

SIMT_RUN(simt_run_shfl)
{
	struct simt_warp_state *s = w->state;
	uint32_t all, from[SIMT_LANES], result[SIMT_LANES];
	enum simt_next next = gather_members(l, w, e, mask, e->src[3], &all, out);

	if (next != SIMT_NEXT)
		return next;
	const uint32_t *a = simt_row(s, e->src[0]), *b = simt_row(s, e->src[1]), *c = simt_row(s, e->src[2]);
	const uint32_t in_range = shuffle_sources((enum ptx_shfl)e->ptx->mods.shfl, b, c, from) & all;

	SIMT_FOR_LANES(lane, all) {
		/* From a lane that does not execute it: undefined, and zero on the devices that were measured. */
		result[lane] = all >> from[lane] & 1 ? a[from[lane]] : 0;
		if (unlikely(!(all >> from[lane] & 1)) && w->cta->check)
			simt_check_absent_source(l, w, e, lane, from[lane]);
	}
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(s, e->dst);

		SIMT_FOR_LANES(lane, all)
			d[lane] = result[lane];
	}
	simt_pred_set(s, e->pred_dst2, all, in_range);
	return finish(w, e, mask, all);
}

/* ---- vote, match, elect, activemask ---- */

static uint32_t vote(enum ptx_vote mode, uint32_t team, uint32_t pred)
{
	switch (mode) {
	case PTX_VOTE_ALL:
		return !(team & ~pred);
	case PTX_VOTE_ANY:
		return (team & pred) != 0;
	case PTX_VOTE_UNI:
		return !(team & ~pred) || !(team & pred);
	default:
		return team & pred;
	}
}

SIMT_RUN(simt_run_vote)
{
	struct simt_warp_state *s = w->state;
	uint32_t all, result = 0;
	enum simt_next next = gather_members(l, w, e, mask, e->src[1], &all, out);

	if (next != SIMT_NEXT)
		return next;
	const enum ptx_vote mode = (enum ptx_vote)e->ptx->mods.vote;
	const uint32_t pred = simt_pred_get(s, e->pred_src);
	uint32_t values[SIMT_LANES];

	SIMT_FOR_LANES(lane, all) {
		values[lane] = vote(mode, named_of(s, e, e->src[1], lane, all), pred);
		result |= (uint32_t)(values[lane] != 0) << lane;
	}
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(s, e->dst);

		SIMT_FOR_LANES(lane, all)
			d[lane] = values[lane];
	}
	simt_pred_set(s, e->pred_dst, all, result);
	return finish(w, e, mask, all);
}

SIMT_RUN(simt_run_match)
{
	struct simt_warp_state *s = w->state;
	uint32_t all, result[SIMT_LANES], all_equal = 0;
	enum simt_next next = gather_members(l, w, e, mask, e->src[1], &all, out);

	if (next != SIMT_NEXT)
		return next;
	const void *a = simt_row(s, e->src[0]);

	SIMT_FOR_LANES(lane, all) {
		uint32_t team = named_of(s, e, e->src[1], lane, all), same = 0;
		uint64_t value = simt_lane_get(a, e->src[0].bytes, lane);

		SIMT_FOR_LANES(other, team)
			same |= (uint32_t)(simt_lane_get(a, e->src[0].bytes, other) == value) << other;
		if (same == team)
			all_equal |= 1u << lane;
		result[lane] = e->ptx->mods.match == PTX_MATCH_ANY ? same : same == team ? team : 0;
	}
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(s, e->dst);

		SIMT_FOR_LANES(lane, all)
			d[lane] = result[lane];
	}
	simt_pred_set(s, e->pred_dst2, all, all_equal);
	return finish(w, e, mask, all);
}

SIMT_RUN(simt_run_elect)
{
	struct simt_warp_state *s = w->state;
	uint32_t all, elected = 0, leader[SIMT_LANES];
	enum simt_next next = gather_members(l, w, e, mask, e->src[0], &all, out);

	if (next != SIMT_NEXT)
		return next;
	SIMT_FOR_LANES(lane, all) {
		leader[lane] = (uint32_t)__builtin_ctz(team_of(s, e, e->src[0], lane, all));
		elected |= 1u << leader[lane];
	}
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(s, e->dst);

		SIMT_FOR_LANES(lane, all)
			d[lane] = leader[lane];
	}
	simt_pred_set(s, e->pred_dst2, all, elected);
	return finish(w, e, mask, all);
}

SIMT_RUN(simt_run_activemask)
{
	(void)l, (void)out;
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(w->state, e->dst);

		SIMT_FOR_LANES(lane, mask)
			d[lane] = mask;
	}
	return SIMT_NEXT;
}

/* ---- redux ---- */

static uint32_t reduce_two(enum ptx_atom op, bool is_signed, uint32_t a, uint32_t b)
{
	const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

	switch (op) {
	case PTX_ATOM_ADD:
		return a + b;
	case PTX_ATOM_AND:
		return a & b;
	case PTX_ATOM_OR:
		return a | b;
	case PTX_ATOM_XOR:
		return a ^ b;
	case PTX_ATOM_MIN:
		return less ? a : b;
	default:
		return less ? b : a;
	}
}

SIMT_RUN(simt_run_redux)
{
	struct simt_warp_state *s = w->state;
	uint32_t all, result[SIMT_LANES];
	enum simt_next next = gather_members(l, w, e, mask, e->src[1], &all, out);

	if (next != SIMT_NEXT)
		return next;
	const uint32_t *a = simt_row(s, e->src[0]);

	for (uint32_t left = all; left;) {
		const uint32_t team = team_of(s, e, e->src[1], (uint32_t)__builtin_ctz(left), all);
		const uint32_t takers = teammates(s, e, e->src[1], team, left);
		uint32_t value = a[__builtin_ctz(team)];

		SIMT_FOR_LANES(lane, team & (team - 1))
			value = reduce_two((enum ptx_atom)e->ptx->mods.atom, e->ptx->type == PTX_S32, value, a[lane]);
		SIMT_FOR_LANES(same, takers)
			result[same] = value;
		left &= ~takers;
	}
	if (e->dst.bytes) {
		uint32_t *d = simt_row_mut(s, e->dst);

		SIMT_FOR_LANES(lane, all)
			d[lane] = result[lane];
	}
	return finish(w, e, mask, all);
}
