/* candidates.c - scores regions by equations 3 and 4 and selects the candidates of a function. */
#include "ndp/blocks/candidates.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "ndp/blocks/bits.h"
#include "ndp/blocks/region.h"

enum {
	BLOCKS_MAX = 512, /* beyond, only loops and straight runs are tried: all ranges would be cubic */
	RUN_MAX = 512,	  /* longest straight sub-range looked at */
	TRIP_MAX = 1 << 30,
};

const struct ndp_cost_params ndp_cost_default = {
	.warp_size = 32,
	.line_words = 32,
	.load_coalescing = 1,
	.store_coalescing = 1,
	.load_miss_rate = 0.5,
	.rematerialise = true,
	.pointer_words = 1,
};

struct ndp_bandwidth ndp_bandwidth_change(const struct ndp_cost_params *p, double reg_tx, double reg_rx, double loads,
					  double stores)
{
	double missed_lines = loads * p->load_coalescing * p->load_miss_rate;

	return (struct ndp_bandwidth){
		.tx_words = reg_tx * p->warp_size - (missed_lines + stores * (p->warp_size + p->store_coalescing)),
		.rx_words = reg_rx * p->warp_size -
			    (missed_lines * p->line_words + 0.25 * stores * p->store_coalescing),
	};
}

struct finder {
	const struct ndp_facts *facts;
	const struct ndp_cost_params *cost;
	struct ndp_trip *trips; /* [loop_count] */
	GArray *found;		/* struct ndp_candidate */
	bool *is_taken;		/* [inst_count] */
	uint64_t *live_in, *live_out;
};

static uint32_t register_slots(const struct ptx_reg *r)
{
	return (ptx_type_bytes(r->type) > 4 ? 2u : 1u) * (r->vec ? r->vec : 1);
}

/* Words per thread of equations 1 to 4. */
static double reg_words(const struct finder *fi, uint32_t reg)
{
	const struct ptx_reg *r = &fi->facts->cfg->func->regs[reg];

	if (r->type == PTX_PRED)
		return 1.0 / fi->cost->warp_size;
	if (fi->facts->is_address[reg])
		return fi->cost->pointer_words;
	return register_slots(r);
}

static double sum_words(const struct finder *fi, const uint64_t *set, bool skip_remat)
{
	double words = 0;

	for (uint32_t r = 0; r < fi->facts->cfg->func->reg_count; r++)
		if (bits_test(set, r) && !(skip_remat && fi->cost->rematerialise && fi->facts->is_remat[r]))
			words += reg_words(fi, r);
	return words;
}

static bool loop_is_inside(const struct ndp_region *r, const struct ptx_loop *l)
{
	return r->first_block != r->last_block || l->block_count == 1
		       ? l->blocks[0] >= r->first_block && l->blocks[l->block_count - 1] <= r->last_block
		       : false;
}

/* Does the region, when it is one block, hold the whole loop of that block? */
static bool region_holds_loop(const struct finder *fi, const struct ndp_region *r, uint32_t loop)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;
	const struct ptx_loop *l = &cfg->loops[loop];

	return loop_is_inside(r, l) && r->begin <= cfg->blocks[l->header].first &&
	       r->last >= cfg->blocks[l->latch].last;
}

/* Accesses of the region, as constant + per_trip * n, n the count of the loop `symbol` (UINT32_MAX: none). */
struct accesses {
	double loads, stores;		/* outside the symbolic loop */
	double loop_loads, loop_stores; /* per iteration of it */
	uint32_t load_count, store_count;
};

static struct accesses count_accesses(const struct finder *fi, const struct ndp_region *r, uint32_t symbol)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;
	struct accesses a = {0};

	for (uint32_t i = r->begin; i <= r->last; i++) {
		const struct ptx_inst *inst = &cfg->func->insts[i];
		double words = ndp_access_words(inst);
		bool is_symbolic = false;

		if (words == 0)
			continue;
		for (uint32_t l = cfg->blocks[cfg->block_of[i]].loop; l != UINT32_MAX; l = cfg->loops[l].parent) {
			if (!region_holds_loop(fi, r, l))
				break;
			if (l == symbol)
				is_symbolic = true;
			else if (fi->trips[l].kind == NDP_TRIP_STATIC)
				words *= (double)fi->trips[l].count;
		}

		bool is_store = inst->op == PTX_OP_ST;

		*(is_symbolic ? (is_store ? &a.loop_stores : &a.loop_loads) : (is_store ? &a.stores : &a.loads)) +=
		    words;
		(*(is_store ? &a.store_count : &a.load_count))++;
	}
	return a;
}

/* Has a register of a run-time loop's condition its value when the region begins? */
static bool is_readable(const struct finder *fi, const struct ndp_region *r, uint32_t loop, uint32_t reg)
{
	const struct ndp_facts *f = fi->facts;
	const struct ptx_loop *l = &f->cfg->loops[loop];

	if (reg == NDP_NO_REG)
		return true;
	if (!bits_test(f->live_before + (size_t)r->begin * f->cfg->live_words, reg))
		return false;
	for (uint32_t i = r->begin; i <= r->last; i++) {
		uint32_t b = f->cfg->block_of[i];
		bool in_loop = b >= l->blocks[0] && b <= l->blocks[l->block_count - 1];

		for (uint32_t w = 0; w < f->uses[i].write_count; w++)
			if (!in_loop && f->uses[i].writes[w] == reg)
				return false;
	}
	return true;
}

/* The run-time loop whose iterations save most; one condition per table entry allows only one. */
static uint32_t choose_symbol(const struct finder *fi, const struct ndp_region *r)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;
	uint32_t best = UINT32_MAX;
	double best_words = 0;

	for (uint32_t l = 0; l < cfg->loop_count; l++) {
		if (fi->trips[l].kind != NDP_TRIP_RUNTIME || !region_holds_loop(fi, r, l) ||
		    !is_readable(fi, r, l, fi->trips[l].reg) || !is_readable(fi, r, l, fi->trips[l].less_reg))
			continue;

		struct accesses a = count_accesses(fi, r, l);

		if (a.loop_loads + a.loop_stores > best_words) {
			best_words = a.loop_loads + a.loop_stores;
			best = l;
		}
	}
	return best;
}

static bool region_has_loop(const struct finder *fi, const struct ndp_region *r, enum ndp_trip_kind kind)
{
	for (uint32_t l = 0; l < fi->facts->cfg->loop_count; l++)
		if (region_holds_loop(fi, r, l) && fi->trips[l].kind == kind)
			return true;
	return false;
}

static bool loop_accesses_memory(const struct ptx_cfg *cfg, const struct ptx_loop *l)
{
	for (uint32_t b = 0; b < l->block_count; b++) {
		const struct ptx_block *block = &cfg->blocks[l->blocks[b]];

		for (uint32_t i = block->first; i <= block->last; i++)
			if (ndp_access_words(&cfg->func->insts[i]) > 0)
				return true;
	}
	return false;
}

/* A loop of arithmetic alone: equations 3 and 4 would move any length of it to the stacks for nothing. */
static bool region_has_arithmetic_loop(const struct finder *fi, const struct ndp_region *r)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;

	for (uint32_t l = 0; l < cfg->loop_count; l++)
		if (region_holds_loop(fi, r, l) && !loop_accesses_memory(cfg, &cfg->loops[l]))
			return true;
	return false;
}

static double total(struct ndp_bandwidth b)
{
	return b.tx_words + b.rx_words;
}

/* Of the registers that are in both sets, predicates aside. */
static uint32_t slots_in_both(const struct ptx_cfg *cfg, const uint64_t *a, const uint64_t *b)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < cfg->live_words; w++) {
		for (uint64_t both = a[w] & b[w]; both; both &= both - 1) {
			const struct ptx_reg *r = &cfg->func->regs[w * 64 + (uint32_t)__builtin_ctzll(both)];

			if (r->type != PTX_PRED)
				count += register_slots(r);
		}
	}
	return count;
}

/* Registers that are live across the region but not its business stay at home. live_in and live_out are its own. */
static uint32_t live_max(const struct finder *fi, const struct ndp_candidate *c)
{
	const struct ndp_facts *f = fi->facts;
	const uint32_t words = f->cfg->live_words;
	uint64_t *own = g_new0(uint64_t, words + 1);
	uint32_t most = 0;

	for (uint32_t w = 0; w < words; w++)
		own[w] = fi->live_in[w] | fi->live_out[w];
	for (uint32_t i = c->begin; i <= c->last; i++)
		for (uint32_t w = 0; w < f->uses[i].write_count; w++)
			bits_set(own, f->uses[i].writes[w]);
	for (uint32_t i = c->begin; i <= c->last; i++) {
		const uint32_t count = slots_in_both(f->cfg, own, f->live_before + (size_t)i * words);

		most = count > most ? count : most;
	}
	g_free(own);
	return most;
}

static uint8_t tag_of(struct ndp_bandwidth b)
{
	return (uint8_t)((b.tx_words < 0 ? NDP_TAG_TX : 0) | (b.rx_words < 0 ? NDP_TAG_RX : 0));
}

/* Fills the scores of c for region r. False if offloading never saves, or no SM of a stack has so many registers. */
static bool score(struct finder *fi, const struct ndp_region *r, struct ndp_candidate *c)
{
	*c = (struct ndp_candidate){.begin = r->begin, .last = r->last, .end = r->end};
	if (region_has_arithmetic_loop(fi, r))
		return false;
	ndp_region_liveness(fi->facts, r, fi->live_in, fi->live_out);
	c->reg_tx_words = sum_words(fi, fi->live_in, true);
	c->reg_rx_words = sum_words(fi, fi->live_out, false);

	uint32_t symbol = choose_symbol(fi, r);
	struct accesses a = count_accesses(fi, r, symbol);

	c->load_count = a.load_count;
	c->store_count = a.store_count;
	c->loads = a.loads + a.loop_loads;
	c->stores = a.stores + a.loop_stores;
	c->trip_count = 1;
	/* A run-time count that one pass makes unnecessary, or that cannot be read at the begin, counts once too. */
	c->trip_kind = region_has_loop(fi, r, NDP_TRIP_UNKNOWN) || region_has_loop(fi, r, NDP_TRIP_RUNTIME)
			       ? NDP_TRIP_UNKNOWN
		       : region_has_loop(fi, r, NDP_TRIP_STATIC) ? NDP_TRIP_STATIC
								 : NDP_TRIP_NO_LOOP;

	c->is_counted = !region_has_loop(fi, r, NDP_TRIP_UNKNOWN);

	struct ndp_bandwidth once =
	    ndp_bandwidth_change(fi->cost, c->reg_tx_words, c->reg_rx_words, c->loads, c->stores);

	c->bandwidth = once;
	if (symbol != UINT32_MAX && total(once) >= 0) {
		struct ndp_bandwidth per_trip =
			ndp_bandwidth_change(fi->cost, 0, 0, a.loop_loads, a.loop_stores);
		double n = floor(total(once) / -total(per_trip)) + 2; /* first n with once + (n - 1) * per_trip < 0 */

		if (n > TRIP_MAX)
			return false;

		const struct ndp_trip *t = &fi->trips[symbol];
		int64_t bound = t->base + t->step * (int64_t)n;

		c->trip_kind = NDP_TRIP_RUNTIME;
		c->trip_count = (uint64_t)n;
		c->condition = (struct ndp_condition){
			.exists = true,
			.reg = t->reg,
			.less_reg = t->less_reg,
			.is_at_most = t->sign < 0,
			.threshold = t->sign < 0 ? -bound : bound,
		};
		c->bandwidth = ndp_bandwidth_change(fi->cost, c->reg_tx_words, c->reg_rx_words,
						    a.loads + n * a.loop_loads, a.stores + n * a.loop_stores);
	}
	c->tag = tag_of(c->bandwidth);
	if (c->condition.exists && fi->cost->tag_trip_count > c->trip_count) {
		double n = (double)fi->cost->tag_trip_count;

		c->tag = tag_of(ndp_bandwidth_change(fi->cost, c->reg_tx_words, c->reg_rx_words,
						     a.loads + n * a.loop_loads, a.stores + n * a.loop_stores));
	}
	return total(c->bandwidth) < 0 && (!fi->cost->register_limit || live_max(fi, c) <= fi->cost->register_limit);
}

static uint32_t *registers_of(const struct finder *fi, const uint64_t *set, int want_remat, uint32_t *count)
{
	GArray *a = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t r = 0; r < fi->facts->cfg->func->reg_count; r++) {
		bool is_remat = fi->cost->rematerialise && fi->facts->is_remat[r];

		if (bits_test(set, r) && (want_remat < 0 || is_remat == (want_remat == 1)))
			g_array_append_val(a, r);
	}
	*count = a->len;
	return (uint32_t *)g_array_free(a, FALSE);
}

static void take(struct finder *fi, const struct ndp_region *r, struct ndp_candidate *c)
{
	ndp_region_liveness(fi->facts, r, fi->live_in, fi->live_out);
	c->live_in = registers_of(fi, fi->live_in, 0, &c->live_in_count);
	c->remat = registers_of(fi, fi->live_in, 1, &c->remat_count);
	c->live_out = registers_of(fi, fi->live_out, -1, &c->live_out_count);
	c->live_max = live_max(fi, c);
	for (uint32_t i = c->begin; i <= c->last; i++)
		fi->is_taken[i] = true;
	g_array_append_val(fi->found, *c);
}

struct ranked {
	struct ndp_region region;
	struct ndp_candidate score;
	bool is_loop;
};

/* Loops first, inner before outer; then the other regions, outer before inner. */
static gint by_preference(gconstpointer a, gconstpointer b)
{
	const struct ranked *x = a, *y = b;
	uint32_t xl = x->region.last - x->region.begin, yl = y->region.last - y->region.begin;

	if (x->is_loop != y->is_loop)
		return x->is_loop ? -1 : 1;
	if (xl != yl)
		return (xl < yl) == x->is_loop ? -1 : 1;
	return x->region.begin < y->region.begin ? -1 : x->region.begin > y->region.begin;
}

static bool is_free(const struct finder *fi, const struct ndp_region *r)
{
	for (uint32_t i = r->begin; i <= r->last; i++)
		if (fi->is_taken[i])
			return false;
	return true;
}

/* Regions of whole blocks, in order of preference. A single block counts when it is a loop of its own. */
static void find_block_ranges(struct finder *fi)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;
	GArray *ranked = g_array_new(FALSE, FALSE, sizeof(struct ranked));

	for (uint32_t i = 0; i < cfg->block_count; i++) {
		for (uint32_t j = i; j < cfg->block_count; j++) {
			struct ranked x = {.is_loop = false};

			for (uint32_t l = 0; l < cfg->loop_count; l++)
				x.is_loop |= cfg->loops[l].blocks[0] == i &&
					     cfg->loops[l].blocks[cfg->loops[l].block_count - 1] == j;
			if (!x.is_loop && (i == j || cfg->block_count > BLOCKS_MAX))
				continue;
			if (ndp_region_of_blocks(fi->facts, i, j, &x.region) && score(fi, &x.region, &x.score))
				g_array_append_val(ranked, x);
		}
	}
	g_array_sort(ranked, by_preference);
	for (guint n = 0; n < ranked->len; n++) {
		struct ranked *x = &g_array_index(ranked, struct ranked, n);

		if (is_free(fi, &x->region))
			take(fi, &x->region, &x->score);
	}
	g_array_free(ranked, TRUE);
}

static bool has_access(const struct finder *fi, uint32_t inst)
{
	return ndp_access_words(&fi->facts->cfg->func->insts[inst]) > 0;
}

/* Best sub-range of [from, to) inside block b, then of what is left of it on both sides. */
static void find_in_run(struct finder *fi, uint32_t b, uint32_t from, uint32_t to)
{
	struct ranked best = {0};
	double best_total = 0;

	for (uint32_t begin = from; begin < to; begin++) {
		bool accesses_memory = false;

		for (uint32_t last = begin; last < to && last - begin < RUN_MAX; last++) {
			struct ndp_region r = {begin, last, last + 1, b, b};
			struct ndp_candidate c;

			/* A saving can only grow where an access joins, so other ends are never better. */
			accesses_memory |= has_access(fi, last);
			if (!accesses_memory || !score(fi, &r, &c))
				continue;

			uint32_t length = last - begin, best_length = best.region.last - best.region.begin;

			if (total(c.bandwidth) < best_total ||
			    (total(c.bandwidth) == best_total && length < best_length)) {
				best_total = total(c.bandwidth);
				best = (struct ranked){.region = r, .score = c};
			}
		}
	}
	if (best_total >= 0)
		return;
	take(fi, &best.region, &best.score);
	find_in_run(fi, b, from, best.region.begin);
	find_in_run(fi, b, best.region.last + 1, to);
}

static void find_straight_runs(struct finder *fi)
{
	const struct ptx_cfg *cfg = fi->facts->cfg;

	for (uint32_t b = 0; b < cfg->block_count; b++) {
		const struct ptx_block *block = &cfg->blocks[b];
		uint32_t from = block->first;

		if (!block->is_reachable)
			continue;
		for (uint32_t i = block->first; i <= block->last; i++) {
			bool is_cut = fi->facts->is_forbidden[i] || fi->is_taken[i] ||
				      ptx_inst_ends_block(&cfg->func->insts[i]);

			if (is_cut || i == block->last)
				find_in_run(fi, b, from, is_cut ? i : i + 1);
			if (is_cut)
				from = i + 1;
		}
	}
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
	const struct ndp_candidate *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

struct ndp_candidate_set *ndp_candidates_find(const struct ptx_cfg *cfg, const struct ndp_cost_params *p)
{
	struct finder fi = {
		.facts = ndp_facts_new(cfg, p->allows_shuffles),
		.cost = p,
		.trips = g_new0(struct ndp_trip, cfg->loop_count + 1),
		.found = g_array_new(FALSE, FALSE, sizeof(struct ndp_candidate)),
		.is_taken = g_new0(bool, cfg->func->inst_count + 1),
		.live_in = g_new0(uint64_t, cfg->live_words + 1),
		.live_out = g_new0(uint64_t, cfg->live_words + 1),
	};

	for (uint32_t l = 0; l < cfg->loop_count; l++)
		fi.trips[l] = ndp_loop_trip(fi.facts, l);
	find_block_ranges(&fi);
	find_straight_runs(&fi);
	g_array_sort(fi.found, by_begin);

	struct ndp_candidate_set *set = g_new0(struct ndp_candidate_set, 1);

	set->func = cfg->func;
	set->count = fi.found->len;
	set->items = (struct ndp_candidate *)g_array_free(fi.found, FALSE);
	ndp_facts_free((struct ndp_facts *)fi.facts);
	g_free(fi.trips);
	g_free(fi.is_taken);
	g_free(fi.live_in);
	g_free(fi.live_out);
	return set;
}

void ndp_candidates_free(struct ndp_candidate_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		g_free(set->items[i].live_in);
		g_free(set->items[i].live_out);
		g_free(set->items[i].remat);
	}
	g_free(set->items);
	g_free(set);
}

static void print_registers(FILE *out, const char *title, const struct ptx_func *fn, const uint32_t *regs,
			    uint32_t count)
{
	fprintf(out, "  %s:", title);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, " %s(.%s)", fn->regs[regs[i]].name, ptx_type_name(fn->regs[regs[i]].type));
	fprintf(out, "%s\n", count ? "" : " none");
}

void ndp_candidates_print(FILE *out, const struct ndp_candidate_set *set)
{
	static const char *const kinds[] = {
		[NDP_TRIP_NO_LOOP] = "no loop",
		[NDP_TRIP_STATIC] = "static trip count",
		[NDP_TRIP_RUNTIME] = "conditional on a trip count known before the loop",
		[NDP_TRIP_UNKNOWN] = "pays with one pass of its loops",
	};
	const struct ptx_func *fn = set->func;

	fprintf(out, "%s: %u candidate%s\n", fn->name, set->count, set->count == 1 ? "" : "s");
	for (uint32_t i = 0; i < set->count; i++) {
		const struct ndp_candidate *c = &set->items[i];
		bool is_difference = c->condition.exists && c->condition.less_reg != NDP_NO_REG;

		fprintf(out, " candidate %u: lines %u-%u, resumes at line %u, %s\n", i + 1, fn->insts[c->begin].line,
			fn->insts[c->last].line, fn->insts[c->end].line, kinds[c->trip_kind]);
		print_registers(out, "live-in", fn, c->live_in, c->live_in_count);
		print_registers(out, "from constants", fn, c->remat, c->remat_count);
		print_registers(out, "live-out", fn, c->live_out, c->live_out_count);
		fprintf(out, "  REG_TX %g, REG_RX %g words; %u loads, %u stores; %g and %g accesses per pass\n",
			c->reg_tx_words, c->reg_rx_words, c->load_count, c->store_count, c->loads, c->stores);
		fprintf(out, "  BW_TX %+g, BW_RX %+g, sum %+g words per warp; saves%s%s\n", c->bandwidth.tx_words,
			c->bandwidth.rx_words, c->bandwidth.tx_words + c->bandwidth.rx_words,
			c->tag & NDP_TAG_TX ? " TX" : "", c->tag & NDP_TAG_RX ? " RX" : "");
		if (c->condition.exists)
			fprintf(out, "  condition: %s%s%s %s %lld (at least %llu iterations)\n",
				fn->regs[c->condition.reg].name, is_difference ? " - " : "",
				is_difference ? fn->regs[c->condition.less_reg].name : "",
				c->condition.is_at_most ? "<=" : ">=", (long long)c->condition.threshold,
				(unsigned long long)c->trip_count);
	}
}
