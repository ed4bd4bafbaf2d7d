/* homes.c - where values live that more than one block reads or writes, or that
 * are written more than once: one register of one array for their whole life,
 * loops included, so that no edge needs a move; or a spill slot.
 *
 * Intervals are those of linear scan, in blocks. A block leaves as many registers free as its neediest instruction
 * takes, in array 0, and a few in the others; values are placed the most used per block of life first. How many these
 * few are is tried by compile.c. */
#include "dc/compile/priv.h"

struct web {
	uint32_t reg, first, last, slots;
	uint32_t uses; /* weighted by loop depth */
	bool is_used;
	bool is_written_twice; /* or in part of the lanes of its block */
	bool is_written;
	uint32_t last_write;
	bool is_longer; /* than from the first use to the last: a loop goes round with it */
};

static void use(const struct dcc *c, struct web *w, uint32_t reg, uint32_t range, uint32_t weight)
{
	const struct dc_kernel *k = c->kernel;

	if (reg == UINT32_MAX || c->func->regs[reg].type == PTX_PRED || k->host_of[reg] != UINT32_MAX)
		return;
	w[reg].is_used = true;
	w[reg].first = MIN(w[reg].first, range);
	w[reg].last = MAX(w[reg].last, range);
	w[reg].uses += weight;
}

static uint32_t depth_of(const struct ptx_cfg *cfg, uint32_t block)
{
	uint32_t depth = 0;

	for (uint32_t l = cfg->blocks[block].loop; l != UINT32_MAX; l = cfg->loops[l].parent)
		depth++;
	return depth;
}

static void fill(const struct dcc *c, const struct dcc_linear *l, struct web *w, uint32_t *range_of)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;
	struct ptx_reg_use u;

	for (uint32_t r = 0; r < l->ranges->len; r++) {
		const struct dcc_range *x = &g_array_index(l->ranges, struct dcc_range, r);
		uint32_t weight = 1;

		range_of[x->block] = r;
		for (uint32_t d = MIN(depth_of(cfg, x->block), 4u); d > 0; d--)
			weight *= 8;
		for (uint32_t s = x->first; s < x->edge; s++) {
			const struct dcc_step *step = &g_array_index(l->steps, struct dcc_step, s);

			if (step->kind != DCC_OP)
				continue;
			ptx_inst_regs(&c->func->insts[step->inst], &u);
			for (uint32_t k = 0; k < u.read_count; k++)
				use(c, w, u.reads[k], r, weight);
			for (uint32_t k = 0; k < u.write_count; k++) {
				use(c, w, u.writes[k], r, weight);
				w[u.writes[k]].is_written_twice |=
				    w[u.writes[k]].is_written || c->func->insts[step->inst].has_guard;
				w[u.writes[k]].is_written = true;
				w[u.writes[k]].last_write = r;
			}
		}
	}
}

/* Inner loops first: what an inner loop makes longer, the outer one sees. */
static void extend(const struct dcc *c, struct web *w, const uint32_t *range_of)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;

	for (uint32_t l = cfg->loop_count; l-- > 0;) {
		const struct ptx_loop *lp = &cfg->loops[l];
		const uint64_t *live = cfg->live_in + (size_t)lp->header * cfg->live_words;
		uint32_t first = UINT32_MAX, last = 0;

		for (uint32_t k = 0; k < lp->block_count; k++) {
			first = MIN(first, range_of[lp->blocks[k]]);
			last = MAX(last, range_of[lp->blocks[k]]);
		}
		for (uint32_t r = 0; r < c->func->reg_count; r++) {
			bool inside = w[r].is_used && w[r].first <= last && w[r].last >= first;
			bool outside = w[r].first < first || w[r].last > last;

			if (inside && (outside || (live[r / 64] >> r % 64 & 1))) {
				w[r].first = MIN(w[r].first, first);
				w[r].is_longer |= w[r].last <= last;
				w[r].last = MAX(w[r].last, last);
			}
		}
	}
}

/* Registers that the neediest instruction of a block takes in one array: operands, result, and one of
 * scratch; what else a routine needs of rows may be free, or is swapped. */
static uint32_t need_of(const struct dcc *c, const struct dcc_linear *l, const struct dcc_range *x, uint32_t limit)
{
	const uint32_t loose_rows = DC_ROWS - c->kernel->pred_count - limit * DC_REG_ROWS;
	uint32_t need = 2;
	struct ptx_reg_use u;

	for (uint32_t s = x->first; s < x->edge; s++) {
		const struct dcc_step *step = &g_array_index(l->steps, struct dcc_step, s);
		const struct ptx_inst *i;
		uint32_t reads = 0, writes = 0, scratch;

		if (step->kind != DCC_OP)
			continue;
		i = &c->func->insts[step->inst];
		if (dcc_inst_is_box(i)) /* its operands and results may be in different arrays */
			continue;
		ptx_inst_regs(i, &u);
		for (uint32_t k = 0; k < u.read_count; k++)
			if (c->kernel->host_of[u.reads[k]] == UINT32_MAX)
				reads += dcc_reg_slots(c->func, u.reads[k]);
		for (uint32_t k = 0; k < u.write_count; k++)
			writes += dcc_reg_slots(c->func, u.writes[k]);
		scratch = dcc_inst_scratch_rows(c->kernel, i);
		scratch = scratch > loose_rows ? 1 : 0;
		need = MAX(need, reads + writes + scratch);
	}
	return need;
}

static int compare_density(const void *a, const void *b)
{
	const struct web *x = a, *y = b;
	const uint64_t p = (uint64_t)x->uses * (y->last - y->first + 1) * y->slots;
	const uint64_t q = (uint64_t)y->uses * (x->last - x->first + 1) * x->slots;

	if (p != q)
		return p > q ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

struct files {
	uint32_t arrays, limit, ranges;
	uint8_t *taken; /* [ranges][DC_ARRAYS]: bit set of registers */
	uint8_t *cap;   /* [ranges][DC_ARRAYS]: most registers that homes may take */
};

/* Registers of array a that are free in all of [first, last], and within the limits there. */
static uint32_t free_regs(const struct files *f, uint32_t a, uint32_t first, uint32_t last, uint32_t slots)
{
	uint32_t taken = 0;

	for (uint32_t r = first; r <= last; r++) {
		uint32_t here = f->taken[r * DC_ARRAYS + a];

		if ((uint32_t)__builtin_popcount(here) + slots > f->cap[r * DC_ARRAYS + a])
			return 0;
		taken |= here;
	}
	return ~taken & ((1u << f->limit) - 1);
}

/* How often the other operands of the value's instructions live in each array. */
static void affinity(const struct dcc *c, const struct dcc_home *homes, const GArray *insts, uint32_t reg,
		     uint32_t *out)
{
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < insts->len; n++) {
		ptx_inst_regs(&c->func->insts[g_array_index(insts, uint32_t, n)], &u);
		for (uint32_t k = 0; k < u.read_count + u.write_count; k++) {
			uint32_t r = k < u.read_count ? u.reads[k] : u.writes[k - u.read_count];

			if (r != reg && homes[r].is_global && !homes[r].is_spilled)
				out[homes[r].loc.array]++;
		}
	}
}

static bool place(const struct dcc *c, struct files *f, struct dcc_home *homes, const GArray *insts,
		  const struct web *w)
{
	uint32_t near[DC_ARRAYS] = {0}, best = DC_ARRAYS, best_free = 0;
	int64_t best_score = INT64_MIN;

	if (insts)
		affinity(c, homes, insts, w->reg, near);
	for (uint32_t a = 0; a < f->arrays; a++) {
		uint32_t regs = free_regs(f, a, w->first, w->last, w->slots);
		uint32_t count = (uint32_t)__builtin_popcount(regs);
		int64_t score = (int64_t)near[a] * 2 + count;

		if (count >= w->slots && score > best_score) {
			best = a;
			best_free = regs;
			best_score = score;
		}
	}
	if (best == DC_ARRAYS)
		return false;
	struct dc_loc loc = {(uint8_t)best, (uint8_t)__builtin_ctz(best_free), DC_NO_REG};

	if (w->slots == 2)
		loc.hi = (uint8_t)__builtin_ctz(best_free & (best_free - 1));
	for (uint32_t r = w->first; r <= w->last; r++)
		f->taken[r * DC_ARRAYS + best] |= (uint8_t)(1u << loc.lo | (loc.hi == DC_NO_REG ? 0 : 1u << loc.hi));
	homes[w->reg].loc = loc;
	return true;
}

static void set_caps(const struct dcc *c, const struct dcc_linear *l, uint32_t others_free, struct files *f)
{
	for (uint32_t r = 0; r < l->ranges->len; r++) {
		const struct dcc_range *x = &g_array_index(l->ranges, struct dcc_range, r);
		uint32_t need = need_of(c, l, x, f->limit);

		for (uint32_t a = 0; a < f->arrays; a++) {
			uint32_t left = a == 0 ? need : others_free;

			f->cap[r * DC_ARRAYS + a] = (uint8_t)(left < f->limit ? f->limit - left : 0);
		}
	}
}

static GArray **insts_of_regs(const struct dcc *c)
{
	GArray **of = g_new0(GArray *, c->func->reg_count + 1);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		ptx_inst_regs(&c->func->insts[n], &u);
		for (uint32_t k = 0; k < u.read_count + u.write_count; k++) {
			uint32_t r = k < u.read_count ? u.reads[k] : u.writes[k - u.read_count];

			if (!of[r])
				of[r] = g_array_new(FALSE, TRUE, sizeof(uint32_t));
			g_array_append_val(of[r], n);
		}
	}
	return of;
}

struct dcc_home *dcc_homes(struct dcc *c, const struct dcc_linear *l, uint32_t reg_limit, uint32_t others_free)
{
	const struct ptx_cfg *cfg = c->kernel->cfg;
	const uint32_t count = c->func->reg_count, ranges = l->ranges->len;
	struct dcc_home *homes = g_new0(struct dcc_home, count + 1);
	g_autofree struct web *w = g_new0(struct web, count + 1);
	g_autofree uint32_t *range_of = g_new0(uint32_t, cfg->block_count + 1);
	GArray **insts = insts_of_regs(c);
	struct files f = {c->o->array_count, reg_limit, ranges, g_new0(uint8_t, (size_t)ranges * DC_ARRAYS),
			  g_new0(uint8_t, (size_t)ranges * DC_ARRAYS)};
	GArray *globals = g_array_new(FALSE, TRUE, sizeof(struct web));

	for (uint32_t r = 0; r < count; r++)
		w[r] = (struct web){.reg = r, .first = UINT32_MAX, .slots = dcc_reg_slots(c->func, r)};
	fill(c, l, w, range_of);
	for (uint32_t r = 0; r < count; r++) {
		const uint32_t block = w[r].is_used ? g_array_index(l->ranges, struct dcc_range, w[r].first).block : 0;
		const uint64_t *live = cfg->live_in + (size_t)block * cfg->live_words;

		homes[r].is_global =
		    w[r].is_used && (w[r].first != w[r].last || w[r].is_written_twice || (live[r / 64] >> r % 64 & 1));
	}
	extend(c, w, range_of);
	set_caps(c, l, others_free, &f);
	for (uint32_t r = 0; r < count; r++)
		if (homes[r].is_global)
			g_array_append_val(globals, w[r]);
	g_array_sort(globals, compare_density);
	for (uint32_t k = 0; k < globals->len; k++) {
		const struct web *x = &g_array_index(globals, struct web, k);

		if (place(c, &f, homes, insts[x->reg], x))
			continue;
		homes[x->reg].is_spilled = true;
		homes[x->reg].spill = c->kernel->spill_slots;
		c->kernel->spill_slots += x->slots;
	}
	for (uint32_t r = 0; r < count; r++) {
		if (insts[r])
			g_array_free(insts[r], TRUE);
		/* For the scheduler: where the home is taken. */
		homes[r].first = w[r].first;
		homes[r].last = w[r].last;
		homes[r].ends_with_read = !w[r].is_longer && !(w[r].is_written && w[r].last_write == w[r].last);
	}
	g_free(insts);
	g_free(f.taken);
	g_free(f.cap);
	g_array_free(globals, TRUE);
	return homes;
}
