/* code.c - chooses the offload blocks of a function (NSU, SC'17, section 3.1). */
#include "nsu/code.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "nsu/generate.h"

const struct nsu_code_params nsu_code_default = {.register_count = 32,
						 .pred_count = 8,
						 .access_count_max = 256,
						 .length_max = 1024,
						 .load_entries_max = 256,
						 .store_entries_max = 256,
						 .predicate_bits = 32,
						 .params_are_apart = false,
						 .params_are_live_ins = true,
						 .inst_bytes = 8};

const char *nsu_role_name(enum nsu_role role)
{
	static const char *const names[] = {"", "gpu", "@NSU", "both", "load", "store"};

	return names[role];
}

/* Instructions [first, last]. */
struct bounds {
	uint32_t first, last;
};

/* The best choice of blocks among the instructions of a piece before some point. */
struct best {
	int64_t score_bits;
	uint32_t count;      /* blocks */
	uint32_t length;     /* instructions in them */
	uint32_t last_begin; /* of the block that ends here; NSU_NO_INST: none does */
};

struct chooser {
	struct nsu_facts *f;
	const struct nsu_code_params *p;
	struct nsu_range *range;
	struct best *best; /* [inst_count + 1] of the piece */
	GArray *refused;   /* struct bounds that need too many registers */
	GArray *blocks;    /* struct nsu_block */
	bool *is_directed; /* [inst_count]: between the programmer's pragmas */
};

/* Of equal scores the fewer blocks, because each costs a command and an acknowledgment that equation 1 leaves out; then
 * the shorter ones. */
static bool is_better(const struct best *a, const struct best *b)
{
	if (a->score_bits != b->score_bits)
		return a->score_bits > b->score_bits;
	return a->count != b->count ? a->count < b->count : a->length < b->length;
}

/* A range that contains one with too many registers is not tried: it hardly needs fewer. */
static bool is_refused(const struct chooser *c, uint32_t first, uint32_t last)
{
	for (guint k = 0; k < c->refused->len; k++) {
		const struct bounds *b = &g_array_index(c->refused, struct bounds, k);

		if (first <= b->first && last >= b->last)
			return true;
	}
	return false;
}

/* All blocks that begin at instruction first: each may improve the best choice that ends behind it. */
static void try_from(struct chooser *c, uint32_t piece_first, uint32_t first, uint32_t piece_last)
{
	struct nsu_range *r = c->range;

	nsu_range_begin(r, first);
	while (r->last + 1 <= piece_last && nsu_range_extend(r) && !is_refused(c, first, r->last)) {
		const int32_t score = nsu_range_score_bits(r);
		const struct best *before = &c->best[first - piece_first];
		const struct best with = {before->score_bits + score, before->count + 1,
					  before->length + r->last - first + 1, first};
		struct best *here = &c->best[r->last + 1 - piece_first];

		if (score > 0 && is_better(&with, here))
			*here = with;
	}
}

static void choose(struct chooser *c, struct bounds piece)
{
	const uint32_t count = piece.last - piece.first + 1;

	for (uint32_t k = 0; k <= count; k++)
		c->best[k] = (struct best){INT64_MIN, 0, 0, NSU_NO_INST};
	c->best[0].score_bits = 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct best none = {c->best[k].score_bits, c->best[k].count, c->best[k].length, NSU_NO_INST};

		try_from(c, piece.first, piece.first + k, piece.last);
		if (!is_better(&c->best[k + 1], &none))
			c->best[k + 1] = none;
	}
}

static bool make_block(struct chooser *c, struct bounds b, enum nsu_block_kind kind, struct nsu_block *block)
{
	nsu_range_begin(c->range, b.first);
	while (c->range->last + 1 <= b.last)
		if (!nsu_range_extend(c->range))
			return false;
	return nsu_block_make(block, c->range, kind);
}

/* Takes the chosen blocks of a piece, last to first; false if one had to be refused. */
static bool take(struct chooser *c, struct bounds piece)
{
	const guint before = c->blocks->len;
	uint32_t end = piece.last + 1;

	while (end > piece.first) {
		const struct bounds b = {c->best[end - piece.first].last_begin, end - 1};
		struct nsu_block block;

		if (b.first == NSU_NO_INST) {
			end--;
			continue;
		}
		if (!make_block(c, b, NSU_BLOCK_SCORED, &block)) {
			g_array_append_val(c->refused, b);
			while (c->blocks->len > before) {
				nsu_block_clear(&g_array_index(c->blocks, struct nsu_block, c->blocks->len - 1));
				g_array_set_size(c->blocks, c->blocks->len - 1);
			}
			return false;
		}
		g_array_append_val(c->blocks, block);
		end = b.first;
	}
	return true;
}

/* What no block has, or only blocks that the programmer names. */
static bool is_out(const struct chooser *c, uint32_t k)
{
	return c->f->class_of[k] == NSU_CLASS_FORBIDDEN || c->is_directed[k];
}

static void choose_in_block(struct chooser *c, const struct ptx_block *b)
{
	uint32_t k = b->first;

	while (k <= b->last) {
		struct bounds piece = {k, k};

		if (is_out(c, k)) {
			k++;
			continue;
		}
		while (piece.last < b->last && !is_out(c, piece.last + 1))
			piece.last++;
		do
			choose(c, piece);
		while (!take(c, piece));
		k = piece.last + 1;
	}
}

/* ---- the programmer's directives (section 3.1: a block can be identified by them) ---- */

static void find_directed(const struct ptx_func *f, bool *is_directed)
{
	bool is = false;
	uint32_t next = 0;

	for (uint32_t k = 0; k < f->inst_count; k++) {
		for (; next < f->pragma_count && f->pragmas[next].inst <= k; next++)
			is = !strcmp(f->pragmas[next].text, NSU_PRAGMA_BEGIN) ||
			     (is && strcmp(f->pragmas[next].text, NSU_PRAGMA_END) != 0);
		is_directed[k] = is;
	}
}

/* The longest block that begins here, does something in a unit with its last instruction, and fits one. */
static bool direct_from(struct chooser *c, uint32_t first, uint32_t last, uint32_t *end)
{
	struct nsu_range *r = c->range;
	g_autofree bool *may_end = g_new0(bool, last - first + 1);
	struct nsu_block block;
	bool has_access = false;

	nsu_range_begin(r, first);
	for (uint32_t k = first; k <= last && nsu_range_extend(r); k++) {
		const bool is_access = c->f->class_of[k] == NSU_CLASS_LOAD || c->f->class_of[k] == NSU_CLASS_STORE;

		has_access |= is_access;
		may_end[k - first] = has_access && (is_access || r->depends[k]);
	}
	for (uint32_t k = last + 1; k-- > first;) {
		if (!may_end[k - first] || !make_block(c, (struct bounds){first, k}, NSU_BLOCK_DIRECTED, &block))
			continue;
		g_array_append_val(c->blocks, block);
		*end = k + 1;
		return true;
	}
	return false;
}

static void add_directed(struct chooser *c, const struct ptx_block *b)
{
	uint32_t k = b->first;

	while (k <= b->last) {
		uint32_t last = k;

		if (!c->is_directed[k] || c->f->class_of[k] == NSU_CLASS_FORBIDDEN) {
			k++;
			continue;
		}
		while (last < b->last && c->is_directed[last + 1] && c->f->class_of[last + 1] != NSU_CLASS_FORBIDDEN)
			last++;
		if (!direct_from(c, k, last, &k))
			k++;
	}
}

static bool is_in_block(const GArray *blocks, uint32_t k)
{
	for (guint n = 0; n < blocks->len; n++) {
		const struct nsu_block *b = &g_array_index(blocks, struct nsu_block, n);

		if (k >= b->begin_pc && k <= b->last_pc)
			return true;
	}
	return false;
}

static void add_indirect(struct chooser *c)
{
	for (uint32_t k = 0; k < c->f->func->inst_count; k++) {
		struct nsu_block block;

		if (!c->f->is_indirect[k] || !c->f->cfg->blocks[c->f->cfg->block_of[k]].is_reachable ||
		    is_in_block(c->blocks, k))
			continue;
		if (make_block(c, (struct bounds){k, k}, NSU_BLOCK_INDIRECT, &block))
			g_array_append_val(c->blocks, block);
	}
}

static gint by_place(gconstpointer a, gconstpointer b)
{
	const struct nsu_block *x = a, *y = b;

	return x->begin_pc < y->begin_pc ? -1 : x->begin_pc > y->begin_pc;
}

static void find_blocks(struct chooser *c)
{
	const struct ptx_cfg *cfg = c->f->cfg;

	for (uint32_t b = 0; b < cfg->block_count; b++)
		if (cfg->blocks[b].is_reachable) {
			add_directed(c, &cfg->blocks[b]);
			choose_in_block(c, &cfg->blocks[b]);
		}
	add_indirect(c);
	g_array_sort(c->blocks, by_place);
}

static void set_roles(struct nsu_code *code, struct nsu_range *r, uint32_t number)
{
	const struct nsu_block *b = &code->blocks[number];

	nsu_range_begin(r, b->begin_pc);
	while (r->last + 1 <= b->last_pc)
		CHECK(nsu_range_extend(r));
	nsu_range_roles(r, code->role + b->begin_pc);
	CHECK(code->role[b->last_pc] != NSU_ROLE_GPU && code->role[b->last_pc] != NSU_ROLE_BOTH);
	for (uint32_t k = b->begin_pc; k <= b->last_pc; k++)
		code->block_of[k] = number + 1;
	for (uint32_t w = 0; w < NSU_ORIGIN_MAX / 64; w++)
		code->apart[w] |= r->apart[w];
}

static void generate(struct nsu_code *code, struct chooser *c)
{
	GArray *insts = g_array_new(FALSE, FALSE, sizeof(struct nsu_inst));
	GArray *sb = g_array_new(FALSE, FALSE, sizeof(uint16_t));

	for (uint32_t n = 0; n < code->block_count; n++) {
		struct nsu_block *b = &code->blocks[n];

		set_roles(code, c->range, n);
		nsu_block_generate(b, n, c->f, &code->params, code->role, insts, sb);
		code->register_count = MAX(code->register_count, b->register_count);
		code->pred_count = MAX(code->pred_count, b->pred_count);
	}
	code->inst_count = insts->len;
	code->insts = (struct nsu_inst *)(void *)g_array_free(insts, FALSE);
	code->sb = (uint16_t *)(void *)g_array_free(sb, FALSE);
	code->pred_first = code->params.register_count;
	code->sb_count = code->pred_first + code->params.pred_count;
}

struct nsu_code *nsu_code_build(const struct ptx_cfg *cfg, const struct nsu_code_params *p)
{
	const uint32_t count = cfg->func->inst_count;
	struct nsu_code *code = g_new0(struct nsu_code, 1);
	struct chooser c = {.f = nsu_facts_new(cfg, p), .p = p};

	CHECK(p->access_count_max <= 256 && p->register_count % 2 == 0);
	c.range = nsu_range_new(c.f, p);
	c.best = g_new0(struct best, count + 1);
	c.refused = g_array_new(FALSE, FALSE, sizeof(struct bounds));
	c.blocks = g_array_new(FALSE, FALSE, sizeof(struct nsu_block));
	c.is_directed = g_new0(bool, count + 1);
	find_directed(cfg->func, c.is_directed);
	find_blocks(&c);
	code->func = cfg->func;
	code->params = *p;
	code->role = g_new0(uint8_t, count + 1);
	code->block_of = g_new0(uint32_t, count + 1);
	code->block_count = c.blocks->len;
	code->blocks = (struct nsu_block *)(void *)g_array_free(c.blocks, FALSE);
	generate(code, &c);
	g_array_free(c.refused, TRUE);
	g_free(c.best);
	g_free(c.is_directed);
	nsu_range_free(c.range);
	nsu_facts_free(c.f);
	return code;
}

void nsu_code_free(struct nsu_code *code)
{
	if (!code)
		return;
	for (uint32_t n = 0; n < code->block_count; n++)
		nsu_block_clear(&code->blocks[n]);
	g_free(code->blocks);
	g_free(code->insts);
	g_free(code->sb);
	g_free(code->role);
	g_free(code->block_of);
	g_free(code);
}
