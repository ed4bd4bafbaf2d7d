/* words.c - the words of a kernel: blocks in linear order, and what joins them: skips, rounds of loops, masks. */
#include "dc/compile/schedule.h"

struct flow {
	struct dcc_alloc s;
	uint32_t *label; /* [label_count]: word */
	uint32_t *loop;  /* [loop_count]: first word */
	GArray *ranges;  /* struct dc_range */
	bool wants_word; /* the next word begins here: nothing may be put into the last one */
};

static struct dc_word *newest(struct flow *f)
{
	return &g_array_index(f->s.words, struct dc_word, f->s.words->len - 1);
}

static bool reads_pred(const struct dc_word *w, uint32_t arrays, uint16_t written)
{
	for (uint32_t a = 0; a < arrays; a++)
		if (w->slot[a].kind == DC_SLOT_MASK && w->slot[a].pred_dst == written)
			return true;
	return false;
}

/* Masks that do not read what the word writes share it. */
static void add_mask(struct flow *f, const struct dcc_step *step)
{
	const uint32_t arrays = f->s.c->o->array_count;
	bool fits = !f->wants_word && f->s.words->len && newest(f)->is_edge && newest(f)->flow == DC_FLOW_NEXT &&
		    newest(f)->block == step->block && !reads_pred(newest(f), arrays, f->s.phys[step->pred]);

	for (uint32_t k = 0; k < 2 && fits; k++)
		if (step->mask_src[k].kind == DC_SRC_PRED)
			fits = !reads_pred(newest(f), arrays, f->s.phys[step->mask_src[k].host]);
	for (uint32_t a = 0; a < arrays && fits; a++)
		if (dcc_place_mask(&f->s, step, a, f->s.words->len - 1))
			return;
	f->s.block = step->block;
	dcc_word_new(&f->s, true);
	dcc_place_mask(&f->s, step, 0, f->s.words->len - 1);
	f->wants_word = false;
}

static void jump(struct flow *f, const struct dcc_step *step)
{
	const uint32_t begin = f->loop[step->label];
	struct dc_word *w = newest(f);

	if (f->wants_word || f->s.words->len == begin || w->flow != DC_FLOW_NEXT) {
		f->s.block = step->block;
		w = dcc_word_new(&f->s, true);
	}
	w->flow = DC_FLOW_JUMP;
	w->flow_pred = f->s.phys[step->pred];
	w->target = begin;
	w->loop_words = f->s.words->len - begin;
	g_array_index(f->s.words, struct dc_word, begin).is_loop_begin = true;
	f->wants_word = true;
	f->s.c->kernel->counts.loops++;
}

/* target is a label until patch(). */
static void skip(struct flow *f, struct dc_word *w, const struct dcc_step *step)
{
	w->flow = DC_FLOW_SKIP;
	w->flow_pred = f->s.phys[step->pred];
	w->target = step->label;
	f->s.c->kernel->counts.skips++;
}

static void do_step(struct flow *f, const struct dcc_step *step)
{
	switch (step->kind) {
	case DCC_MASK:
		add_mask(f, step);
		break;
	case DCC_SKIP:
		f->s.block = step->block;
		skip(f, dcc_word_new(&f->s, true), step);
		f->wants_word = true;
		break;
	case DCC_LABEL:
		f->label[step->label] = f->s.words->len;
		f->wants_word = true;
		break;
	case DCC_LOOP:
		f->loop[step->label] = f->s.words->len;
		f->wants_word = true;
		break;
	case DCC_JUMP:
		jump(f, step);
		break;
	default:
		CHECK(!"a step of a body");
	}
}

static bool is_empty(const struct dc_word *w)
{
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (w->slot[a].kind != DC_SLOT_NONE)
			return false;
	return w->box.kind == DC_BOX_NONE && w->flow == DC_FLOW_NEXT;
}

/* Words that an operation was to be put into before spills had to come first. */
static void drop_empty(struct flow *f, uint32_t begin)
{
	uint32_t kept = begin;

	for (uint32_t n = begin; n < f->s.words->len; n++) {
		struct dc_word w = g_array_index(f->s.words, struct dc_word, n);

		if (!is_empty(&w))
			g_array_index(f->s.words, struct dc_word, kept++) = w;
	}
	g_array_set_size(f->s.words, kept);
}

uint32_t dcc_word_cycles(const struct dc_word *w)
{
	uint32_t longest = MAX(1, w->box.cycles);

	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		longest = MAX(longest, w->slot[a].cycles);
	return longest;
}

/* What a try at a block leaves behind its words. */
struct attempt {
	struct dc_counts counts;
	uint32_t slot_max;
	uint64_t cycles;
	GArray *words; /* struct dc_word: of the block */
};

/* The block's words, with so many registers kept; false: an operation found no place. */
static bool attempt(struct flow *f, struct dcc_dag *dag, uint32_t range, uint32_t reserve, uint32_t *next_use,
		    struct attempt *out)
{
	const uint32_t begin = f->s.words->len;

	f->s.reserve = reserve;
	f->s.stuck = NULL;
	dcc_alloc_block(&f->s, range);
	dcc_schedule_body(&f->s, dag, next_use);
	drop_empty(f, begin);
	out->counts = f->s.c->kernel->counts;
	out->slot_max = f->s.slot_max;
	out->cycles = 0;
	g_array_set_size(out->words, 0);
	for (uint32_t n = begin; n < f->s.words->len; n++)
		out->cycles += dcc_word_cycles(&g_array_index(f->s.words, struct dc_word, n));
	g_array_append_vals(out->words, &g_array_index(f->s.words, struct dc_word, begin), f->s.words->len - begin);
	g_array_set_size(f->s.words, begin);
	return !f->s.stuck;
}

/* Registers that the order of a block's operations may keep: the words that take the fewest cycles are the block's. */
static void do_best(struct flow *f, struct dcc_dag *dag, uint32_t range, uint32_t *next_use)
{
	static const uint32_t reserves[] = {0, 4, 8, 12, 20};
	const uint32_t count = f->s.c->o->schedule ? G_N_ELEMENTS(reserves) : 1;
	const struct dc_counts before = f->s.c->kernel->counts;
	const uint32_t slot_max = f->s.slot_max;
	struct attempt best = {.cycles = UINT64_MAX, .words = g_array_new(FALSE, TRUE, sizeof(struct dc_word))};
	struct attempt next = {.words = g_array_new(FALSE, TRUE, sizeof(struct dc_word))};

	for (uint32_t k = 0; k < count; k++) {
		f->s.c->kernel->counts = before;
		f->s.slot_max = slot_max;
		if (attempt(f, dag, range, reserves[k], next_use, &next) && next.cycles < best.cycles) {
			struct attempt t = best;

			best = next;
			next = t;
		}
	}
	if (best.cycles == UINT64_MAX && !f->s.c->failed) {
		f->s.c->failed = true;
		f->s.c->stuck = f->s.stuck;
		f->s.c->stuck_at = f->s.stuck_at;
	}
	f->s.c->kernel->counts = best.counts;
	f->s.slot_max = best.slot_max;
	g_array_append_vals(f->s.words, best.words->data, best.words->len);
	g_array_free(best.words, TRUE);
	g_array_free(next.words, TRUE);
}

static void do_body(struct flow *f, const struct dcc_linear *l, uint32_t range, uint32_t *next_use)
{
	const struct dcc_range *r = &g_array_index(l->ranges, struct dcc_range, range);
	const struct dcc_step *first = &g_array_index(l->steps, struct dcc_step, r->first);
	const bool skips = r->first < r->edge && first->kind == DCC_SKIP;
	const uint32_t begin = f->s.words->len;
	struct dcc_dag dag;

	f->s.block = r->block;
	f->s.mask = l->mask[r->block];
	dcc_alloc_block(&f->s, range);
	dcc_dag_build(&f->s, l, r, &dag);
	dcc_dag_assign(&f->s, &dag);
	do_best(f, &dag, range, next_use);
	dcc_dag_free(&dag);
	if (skips && f->s.words->len > begin)
		skip(f, &g_array_index(f->s.words, struct dc_word, begin), first);
	if (skips)
		f->label[first->label] = f->s.words->len;
	f->wants_word = true;
}

static void do_range(struct flow *f, const struct dcc_linear *l, uint32_t range, uint32_t *next_use)
{
	const struct dcc_range *r = &g_array_index(l->ranges, struct dcc_range, range);
	struct dc_range out = {.block = r->block, .first = f->s.words->len};

	do_body(f, l, range, next_use);
	out.edge = f->s.words->len;
	for (uint32_t k = r->edge; k < r->end; k++)
		do_step(f, &g_array_index(l->steps, struct dcc_step, k));
	out.end = f->s.words->len;
	f->wants_word = true;
	g_array_append_val(f->ranges, out);
}

static void finish(struct flow *f)
{
	struct dc_kernel *k = f->s.c->kernel;

	f->s.block = k->ranges && k->range_count ? k->ranges[k->range_count - 1].block : 0;
	dcc_word_new(&f->s, true)->flow = DC_FLOW_END;
	for (uint32_t n = 0; n < f->s.words->len; n++) {
		struct dc_word *w = &g_array_index(f->s.words, struct dc_word, n);

		if (w->flow == DC_FLOW_SKIP)
			w->target = f->label[w->target];
		k->counts.cycles += dcc_word_cycles(w);
		for (uint32_t a = 0; a < DC_ARRAYS; a++) {
			const struct dc_slot *d = &w->slot[a];

			if (d->kind == DC_SLOT_ALU || d->kind == DC_SLOT_COPY)
				for (uint32_t r = 0; r < DC_REGS; r++)
					if (d->dst.lo == r || (d->dst.hi == r) || d->scratch_regs >> r & 1)
						k->reg_count[a] = MAX(k->reg_count[a], r + 1);
		}
		for (uint32_t e = 0; e < w->box.elem_count; e++)
			if (w->box.dst[e].lo != DC_NO_REG) {
				uint32_t r = w->box.dst[e].lo;

				r = w->box.dst[e].hi != DC_NO_REG ? MAX(r, w->box.dst[e].hi) : r;
				k->reg_count[w->box.dst[e].array] = MAX(k->reg_count[w->box.dst[e].array], r + 1);
			}
	}
	k->counts.words = k->word_count = f->s.words->len;
	k->words = ptx_arena_copy(f->s.c->arena, f->s.words->data, f->s.words->len * sizeof(struct dc_word));
}

void dcc_schedule(struct dcc *c, const struct dcc_linear *l, const uint16_t *phys, struct dcc_home *homes,
		  uint32_t reg_limit)
{
	struct flow f = {.s = {.c = c, .phys = phys, .homes = homes, .limit = reg_limit}};
	g_autofree uint32_t *next_use = g_new0(uint32_t, c->func->reg_count + 1);
	uint32_t range = 0;

	f.s.loose_rows = DC_ROWS - c->kernel->pred_count - reg_limit * DC_REG_ROWS;
	f.s.comes = l->comes == UINT32_MAX ? DC_NO_PRED : phys[l->comes];
	f.s.val = g_new0(struct dcc_val, c->func->reg_count + 1);
	f.s.words = g_array_new(FALSE, TRUE, sizeof(struct dc_word));
	f.s.pending = g_array_new(FALSE, TRUE, sizeof(struct dcc_pending));
	f.s.slot_base = f.s.slot_max = c->kernel->spill_slots;
	f.s.stamp = 2;
	f.label = g_new0(uint32_t, l->label_count + 1);
	f.loop = g_new0(uint32_t, c->kernel->cfg->loop_count + 1);
	f.ranges = g_array_new(FALSE, TRUE, sizeof(struct dc_range));
	for (uint32_t n = 0; n < l->steps->len && !c->failed;) {
		const struct dcc_range *r =
		    range < l->ranges->len ? &g_array_index(l->ranges, struct dcc_range, range) : NULL;

		if (r && r->first == n) {
			do_range(&f, l, range++, next_use);
			n = MAX(r->end, n);
			continue;
		}
		do_step(&f, &g_array_index(l->steps, struct dcc_step, n++));
	}
	for (; range < l->ranges->len && !c->failed; range++) /* empty blocks at the end */
		do_range(&f, l, range, next_use);
	c->kernel->range_count = f.ranges->len;
	c->kernel->ranges = ptx_arena_copy(c->arena, f.ranges->data, f.ranges->len * sizeof(struct dc_range));
	c->kernel->spill_slots = f.s.slot_max;
	finish(&f);
	g_free(f.s.val);
	g_array_free(f.s.words, TRUE);
	g_array_free(f.s.pending, TRUE);
	g_array_free(f.ranges, TRUE);
	g_free(f.label);
	g_free(f.loop);
}
