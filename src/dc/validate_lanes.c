/* validate_lanes.c - what is known of lanes that wait for the same block, and what is left where they meet. */
#include "dc/validate.h"

#include <string.h>

struct dc_lanes *dc_lanes_new(const struct dc_sizes *f, int64_t block)
{
	struct dc_lanes *l = g_new0(struct dc_lanes, 1);

	l->block = block;
	l->held = g_new0(struct dc_held, f->places);
	l->bits = g_new0(struct dc_bit, f->pred_count + 1);
	l->known = g_new0(uint8_t, f->reg_count + 1);
	l->defined = g_new0(uint64_t, f->reg_count / 64 + 1);
	l->passed = g_new0(uint32_t, f->reg_count + 1);
	l->only = g_new0(uint32_t, f->reg_count + 1);
	return l;
}

void dc_lanes_copy(const struct dc_sizes *f, struct dc_lanes *to, const struct dc_lanes *from)
{
	to->block = from->block;
	to->is_fresh = from->is_fresh;
	memcpy(to->held, from->held, f->places * sizeof(struct dc_held));
	memcpy(to->bits, from->bits, (f->pred_count + 1) * sizeof(struct dc_bit));
	memcpy(to->known, from->known, f->reg_count + 1);
	memcpy(to->defined, from->defined, (f->reg_count / 64 + 1) * sizeof(uint64_t));
	memcpy(to->passed, from->passed, (f->reg_count + 1) * sizeof(uint32_t));
	memcpy(to->only, from->only, (f->reg_count + 1) * sizeof(uint32_t));
}

void dc_lanes_free(void *data)
{
	struct dc_lanes *l = data;

	g_free(l->held);
	g_free(l->bits);
	g_free(l->known);
	g_free(l->defined);
	g_free(l->passed);
	g_free(l->only);
	g_free(l);
}

struct dc_lanes *dc_state_find(const struct dc_state *s, int64_t block, bool is_fresh)
{
	for (uint32_t n = 0; s->lanes && n < s->lanes->len; n++) {
		struct dc_lanes *l = s->lanes->pdata[n];

		if (l->block == block && l->is_fresh == is_fresh)
			return l;
	}
	return NULL;
}

uint8_t dc_lanes_bit(const struct dc_lanes *l, struct dc_bit b)
{
	uint8_t known;

	if (b.kind != DC_BIT_PRED)
		return b.kind;
	known = l->known[b.reg];
	if (known == DC_BIT_UNKNOWN)
		return DC_BIT_PRED;
	return (known == DC_BIT_TRUE) != b.negate ? DC_BIT_TRUE : DC_BIT_FALSE;
}

static bool same_held(const struct dc_held *a, const struct dc_held *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->half == b->half &&
	       (a->kind == DC_HELD_WHOLE || a->guard == b->guard);
}

bool dc_lanes_defined(const struct dc_lanes *l, uint32_t reg)
{
	return l->defined[reg / 64] >> reg % 64 & 1;
}

static void meet_bits(const struct dc_sizes *f, struct dc_lanes *to, const struct dc_lanes *from, bool *changed)
{
	for (uint32_t p = 0; p < f->pred_count; p++) {
		struct dc_bit *a = &to->bits[p];
		const struct dc_bit *b = &from->bits[p];
		const bool same = a->kind == b->kind && a->reg == b->reg && a->negate == b->negate;
		uint8_t v;

		if (same && (a->kind != DC_BIT_PRED || a->def == b->def))
			continue;
		if (same) {
			*changed |= a->def != 0;
			a->def = 0;
			continue;
		}
		v = dc_lanes_bit(to, *a);
		if (v == dc_lanes_bit(from, *b) && v != DC_BIT_PRED && v != DC_BIT_UNKNOWN) {
			*changed |= a->kind != v;
			*a = (struct dc_bit){.kind = v};
			continue;
		}
		/* A predicate that was never written on one of the paths is what the other says. */
		if (b->kind == DC_BIT_PRED && !dc_lanes_defined(to, b->reg)) {
			*changed = true;
			*a = *b;
			continue;
		}
		if (a->kind == DC_BIT_PRED && !dc_lanes_defined(from, a->reg))
			continue;
		*changed |= a->kind != DC_BIT_UNKNOWN;
		*a = (struct dc_bit){.kind = DC_BIT_UNKNOWN};
	}
}

/* What is known of a PTX register beside where it is. */
static bool meet_register(struct dc_lanes *to, const struct dc_lanes *from, uint32_t r)
{
	const uint8_t known = to->known[r] == from->known[r] ? to->known[r] : DC_BIT_UNKNOWN;
	const uint32_t passed = to->passed[r] == from->passed[r] ? to->passed[r] : 0;
	const uint32_t only = to->only[r] == from->only[r] ? to->only[r] : 0;
	const bool changed = known != to->known[r] || passed != to->passed[r] || only != to->only[r];

	to->known[r] = known;
	to->passed[r] = passed;
	to->only[r] = only;
	return changed;
}

/* to becomes what is known in both. */
bool dc_lanes_meet(const struct dc_sizes *f, struct dc_lanes *to, const struct dc_lanes *from)
{
	bool changed = false;

	meet_bits(f, to, from, &changed);
	for (uint32_t n = 0; n < f->places; n++) {
		struct dc_held *a = &to->held[n];
		const struct dc_held *b = &from->held[n];

		if (same_held(a, b) || a->kind == DC_HELD_NOTHING) {
			/* A register that this path has never written is whatever the other one has. */
			if (a->kind == DC_HELD_NOTHING && b->kind == DC_HELD_WHOLE && !dc_lanes_defined(to, b->reg)) {
				*a = *b;
				changed = true;
			}
			continue;
		}
		if (a->kind == DC_HELD_WHOLE && !dc_lanes_defined(from, a->reg) && b->kind != DC_HELD_WHOLE)
			continue;
		if (b->kind == DC_HELD_WHOLE && !dc_lanes_defined(to, b->reg)) {
			*a = *b;
			changed = true;
			continue;
		}
		if (a->kind == DC_HELD_WHOLE && !dc_lanes_defined(from, a->reg))
			continue;
		*a = (struct dc_held){0};
		changed = true;
	}
	for (uint32_t r = 0; r < f->reg_count; r++)
		changed |= meet_register(to, from, r);
	for (uint32_t w = 0; w < f->reg_count / 64 + 1; w++) {
		changed |= (from->defined[w] & ~to->defined[w]) != 0;
		to->defined[w] |= from->defined[w];
	}
	return changed;
}

bool dc_state_join(const struct dc_sizes *f, struct dc_state *to, const struct dc_lanes *from)
{
	struct dc_lanes *have;

	if (!to->lanes)
		to->lanes = g_ptr_array_new_with_free_func(dc_lanes_free);
	have = dc_state_find(to, from->block, from->is_fresh);
	if (have)
		return dc_lanes_meet(f, have, from);
	have = dc_lanes_new(f, from->block);
	dc_lanes_copy(f, have, from);
	g_ptr_array_add(to->lanes, have);
	return true;
}

void dc_state_clear(struct dc_state *s)
{
	if (s->lanes)
		g_ptr_array_free(s->lanes, TRUE);
	s->lanes = NULL;
}

bool dc_state_join_all(const struct dc_sizes *f, struct dc_state *to, const struct dc_state *from)
{
	bool changed = false;

	for (uint32_t c = 0; from->lanes && c < from->lanes->len; c++)
		changed |= dc_state_join(f, to, from->lanes->pdata[c]);
	return changed;
}
