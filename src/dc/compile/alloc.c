/* alloc.c - see alloc.h. */
#include "dc/compile/alloc.h"

struct dc_guard dcc_phys_guard(const struct dcc_alloc *s, struct dcc_guard g)
{
	return (struct dc_guard){g.pred == UINT32_MAX ? DC_NO_PRED : s->phys[g.pred], g.pred != UINT32_MAX && g.negate};
}

struct dc_word *dcc_word_new(struct dcc_alloc *s, bool is_edge)
{
	struct dc_word w = {.block = s->block, .is_edge = is_edge, .flow_pred = DC_NO_PRED, .target = DC_NO_WORD};

	for (uint32_t a = 0; a < DC_ARRAYS; a++) {
		w.slot[a].pred_dst = w.slot[a].pred_dst2 = DC_NO_PRED;
		w.slot[a].dst = (struct dc_loc){(uint8_t)a, DC_NO_REG, DC_NO_REG};
	}
	for (uint32_t k = 0; k < DC_ELEMS; k++)
		w.box.dst[k] = (struct dc_loc){0, DC_NO_REG, DC_NO_REG};
	w.box.pred_dst = w.box.comes = DC_NO_PRED;
	g_array_append_val(s->words, w);
	return &g_array_index(s->words, struct dc_word, s->words->len - 1);
}

static struct dc_word *word_at(struct dcc_alloc *s, uint32_t n)
{
	return &g_array_index(s->words, struct dc_word, n);
}

void dcc_alloc_block(struct dcc_alloc *s, uint32_t range)
{
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		for (uint32_t r = 0; r < DC_REGS; r++)
			s->file[a].what[r] = DCC_FREE;
	for (uint32_t r = 0; r < s->c->func->reg_count; r++) {
		const struct dcc_home *h = &s->homes[r];
		struct dcc_val *v = &s->val[r];

		*v = (struct dcc_val){.home = DC_ARRAYS, .is_global = h->is_global};
		if (!h->is_global || range < h->first || range > h->last)
			continue;
		if (h->is_spilled) {
			v->has_slot = v->slot_valid = v->is_slot_home = true;
			v->slot = h->spill;
			continue;
		}
		/* In the last block of its life a value is the block's. */
		const bool is_last = range == h->last && h->ends_with_read && s->c->o->schedule;
		const uint32_t a = h->loc.array;

		v->is_global = !is_last;
		v->home = (uint8_t)(is_last ? DC_ARRAYS : a);
		v->at[a] = h->loc;
		v->in = (uint8_t)(1u << a);
		s->file[a].what[h->loc.lo] = is_last ? DCC_LOCAL : DCC_HOMED;
		s->file[a].owner[h->loc.lo] = r;
		if (h->loc.hi != DC_NO_REG) {
			s->file[a].what[h->loc.hi] = s->file[a].what[h->loc.lo];
			s->file[a].owner[h->loc.hi] = r;
		}
	}
	s->slot_next = s->slot_base;
	g_array_set_size(s->pending, 0);
	s->stamp++;
}

uint32_t dcc_alloc_free_count(const struct dcc_alloc *s, uint32_t a)
{
	uint32_t count = 0;

	for (uint32_t r = 0; r < s->limit; r++)
		count += s->file[a].what[r] == DCC_FREE;
	return count;
}

uint32_t dcc_alloc_spare(const struct dcc_alloc *s)
{
	uint32_t count = 0;

	for (uint32_t a = 0; a < s->c->o->array_count; a++)
		for (uint32_t r = 0; r < s->limit; r++)
			count += s->file[a].what[r] == DCC_FREE || s->file[a].what[r] == DCC_COPY;
	return count;
}

uint32_t dcc_alloc_room(const struct dcc_alloc *s, uint32_t a)
{
	uint32_t count = 0;

	for (uint32_t r = 0; r < s->limit; r++)
		count += s->file[a].what[r] == DCC_FREE ||
			 ((s->file[a].what[r] == DCC_LOCAL || s->file[a].what[r] == DCC_COPY) &&
			  s->file[a].lock[r] != s->stamp);
	return count;
}

void dcc_alloc_lock(struct dcc_alloc *s, uint32_t reg, uint32_t a)
{
	const struct dc_loc l = s->val[reg].at[a];

	s->file[a].lock[l.lo] = s->stamp;
	if (l.hi != DC_NO_REG)
		s->file[a].lock[l.hi] = s->stamp;
}

void dcc_alloc_release(struct dcc_alloc *s, uint32_t reg, uint32_t a)
{
	struct dcc_val *v = &s->val[reg];
	const struct dc_loc l = v->at[a];

	if (!(v->in >> a & 1) || s->file[a].what[l.lo] == DCC_HOMED)
		return;
	v->in &= (uint8_t) ~(1u << a);
	s->file[a].what[l.lo] = DCC_FREE;
	if (l.hi != DC_NO_REG)
		s->file[a].what[l.hi] = DCC_FREE;
}

void dcc_alloc_drop_copies(struct dcc_alloc *s, uint32_t reg, uint32_t but)
{
	struct dcc_val *v = &s->val[reg];

	for (uint32_t a = 0; a < DC_ARRAYS; a++) {
		if (a == but || !(v->in >> a & 1))
			continue;
		if (s->file[a].what[v->at[a].lo] == DCC_HOMED)
			v->in &= (uint8_t) ~(1u << a); /* stale, until it is written */
		else
			dcc_alloc_release(s, reg, a);
	}
}

static uint32_t width_of(const struct dcc_alloc *s, uint32_t reg)
{
	return dcc_reg_slots(s->c->func, reg);
}

/* Word with a spill of the value in array a, which memory does not hold. */
static void spill(struct dcc_alloc *s, uint32_t reg, struct dc_loc from, struct dcc_guard guard, uint32_t word)
{
	struct dcc_val *v = &s->val[reg];
	struct dc_word *w = word_at(s, word);

	if (!v->has_slot) {
		v->has_slot = true;
		v->slot = s->slot_next;
		s->slot_next += width_of(s, reg);
		s->slot_max = MAX(s->slot_max, s->slot_next);
	}
	w->box.kind = DC_BOX_SPILL;
	w->box.guard = dcc_phys_guard(s, guard);
	w->box.src_count = 1;
	w->box.src[0] = (struct dc_source){.kind = DC_SRC_LOC, .loc = from};
	w->box.spill = v->slot;
	w->box.reg = reg;
	w->box.cycles = dcc_spill_cycles(s->c) * width_of(s, reg);
	w->slot[from.array].kind = DC_SLOT_BUSY;
	s->c->kernel->counts.spills++;
}

/* The unlocked value of array a that is read the latest, of this kind. */
static uint32_t victim(const struct dcc_alloc *s, uint32_t a, enum dcc_what what)
{
	uint32_t best = UINT32_MAX, best_use = 0;

	for (uint32_t r = 0; r < s->limit; r++) {
		const uint32_t reg = s->file[a].owner[r];

		if (s->file[a].what[r] != what || s->file[a].lock[r] == s->stamp)
			continue;
		if (best == UINT32_MAX || s->next_use[reg] > best_use) {
			best = reg;
			best_use = s->next_use[reg];
		}
	}
	return best;
}

static void set_what(struct dcc_alloc *s, uint32_t reg, uint32_t a, enum dcc_what what)
{
	const struct dc_loc l = s->val[reg].at[a];

	s->file[a].what[l.lo] = (uint8_t)what;
	if (l.hi != DC_NO_REG)
		s->file[a].what[l.hi] = (uint8_t)what;
}

static bool make_room(struct dcc_alloc *s, uint32_t a, bool may_spill)
{
	uint32_t reg = victim(s, a, DCC_COPY);

	if (reg != UINT32_MAX) {
		dcc_alloc_release(s, reg, a);
		return true;
	}
	if (!may_spill)
		return false;
	reg = victim(s, a, DCC_LOCAL);
	if (reg == UINT32_MAX)
		return false;
	if (s->val[reg].slot_valid) {
		dcc_alloc_release(s, reg, a);
		return true;
	}
	const uint32_t others = s->val[reg].in & ~(1u << a);

	if (others) {
		set_what(s, reg, (uint32_t)__builtin_ctz(others), DCC_LOCAL);
	} else {
		const struct dc_loc from = s->val[reg].at[a];

		dcc_word_new(s, false);
		spill(s, reg, from, s->mask, s->words->len - 1);
		s->val[reg].slot_valid = true;
	}
	dcc_alloc_release(s, reg, a);
	return true;
}

bool dcc_alloc_regs(struct dcc_alloc *s, uint32_t a, uint32_t slots, uint32_t reg, enum dcc_what what, bool may_spill,
		    struct dc_loc *out)
{
	uint8_t got[2] = {DC_NO_REG, DC_NO_REG};
	uint32_t count = 0;

	while (dcc_alloc_free_count(s, a) < slots)
		if (!make_room(s, a, may_spill))
			return false;
	for (uint32_t r = 0; r < s->limit && count < slots; r++)
		if (s->file[a].what[r] == DCC_FREE)
			got[count++] = (uint8_t)r;
	for (uint32_t k = 0; k < slots; k++) {
		s->file[a].what[got[k]] = (uint8_t)what;
		s->file[a].owner[got[k]] = reg;
		s->file[a].lock[got[k]] = s->stamp - 1;
	}
	*out = (struct dc_loc){(uint8_t)a, got[0], got[1]};
	return true;
}

static bool slot_is_free(struct dcc_alloc *s, uint32_t word, uint32_t a)
{
	return word_at(s, word)->slot[a].kind == DC_SLOT_NONE;
}

static void copy(struct dcc_alloc *s, uint32_t word, struct dc_loc from, struct dc_loc to, struct dcc_guard guard,
		 uint32_t reg)
{
	struct dc_slot *d = &word_at(s, word)->slot[to.array];

	d->kind = DC_SLOT_COPY;
	d->guard = dcc_phys_guard(s, guard);
	d->src_count = 1;
	d->src[0] = (struct dc_source){.kind = DC_SRC_LOC, .loc = from};
	d->dst = to;
	d->reg = reg;
	d->bits = (uint16_t)(to.hi == DC_NO_REG ? 32 : 64);
	d->cycles = 2 * d->bits;
	word_at(s, word)->slot[from.array].kind = DC_SLOT_BUSY;
	s->c->kernel->counts.copies++;
}

bool dcc_alloc_bring(struct dcc_alloc *s, uint32_t reg, uint32_t a, uint32_t word, bool may_spill)
{
	struct dcc_val *v = &s->val[reg];
	const uint32_t slots = width_of(s, reg);
	struct dc_loc to;
	uint32_t from = DC_ARRAYS;

	if (!slot_is_free(s, word, a))
		return false;
	for (uint32_t b = 0; b < DC_ARRAYS; b++)
		if (b != a && v->in >> b & 1 && slot_is_free(s, word, b))
			from = b;
	if (from == DC_ARRAYS && (!v->slot_valid || word_at(s, word)->box.kind != DC_BOX_NONE))
		return false;
	if (may_spill && dcc_alloc_free_count(s, a) < slots) {
		/* Its own words come first. */
		CHECK(word == s->words->len - 1);
		if (from != DC_ARRAYS)
			dcc_alloc_lock(s, reg, from);
		if (!dcc_alloc_regs(s, a, slots, reg, DCC_COPY, true, &to))
			return false;
		dcc_word_new(s, false);
		word = s->words->len - 1;
	} else if (!dcc_alloc_regs(s, a, slots, reg, DCC_COPY, false, &to)) {
		return false;
	}
	if (from != DC_ARRAYS) {
		copy(s, word, v->at[from], to, s->mask, reg);
	} else {
		struct dc_word *w = word_at(s, word);

		w->box.kind = DC_BOX_FILL;
		w->box.guard = dcc_phys_guard(s, s->mask);
		w->box.dst[0] = to;
		w->box.elem_count = 1;
		w->box.spill = v->slot;
		w->box.reg = reg;
		w->box.cycles = dcc_spill_cycles(s->c) * slots;
		w->slot[a].kind = DC_SLOT_BUSY;
		s->c->kernel->counts.fills++;
	}
	v->in |= (uint8_t)(1u << a);
	v->at[a] = to;
	return true;
}

/* The pending write into the word, if its arrays are free there. */
static bool flush_one(struct dcc_alloc *s, const struct dcc_pending *p, uint32_t word)
{
	struct dcc_val *v = &s->val[p->reg];

	if (!slot_is_free(s, word, p->from.array))
		return false;
	if (v->is_slot_home) {
		if (word_at(s, word)->box.kind != DC_BOX_NONE)
			return false;
		spill(s, p->reg, p->from, p->guard, word);
		v->slot_valid = true;
	} else {
		if (!slot_is_free(s, word, v->home))
			return false;
		copy(s, word, p->from, v->at[v->home], p->guard, p->reg);
		v->in |= (uint8_t)(1u << v->home);
	}
	/* What was kept for the write is an ordinary copy now, if it is whole and still wanted. */
	v->in |= (uint8_t)(1u << p->from.array);
	v->at[p->from.array] = p->from;
	set_what(s, p->reg, p->from.array, DCC_COPY);
	if (p->is_partial || !v->uses_left)
		dcc_alloc_release(s, p->reg, p->from.array);
	return true;
}

uint32_t dcc_alloc_flush(struct dcc_alloc *s, uint32_t word)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < s->pending->len;) {
		const struct dcc_pending p = g_array_index(s->pending, struct dcc_pending, k);

		if (flush_one(s, &p, word)) {
			g_array_remove_index(s->pending, k);
			count++;
		} else {
			k++;
		}
	}
	return count;
}

void dcc_alloc_flush_all(struct dcc_alloc *s)
{
	while (s->pending->len) {
		dcc_word_new(s, false);
		CHECK(dcc_alloc_flush(s, s->words->len - 1));
	}
}
