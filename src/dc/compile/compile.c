/* compile.c - the passes in their order. */
#include "dc/compile/priv.h"

#include <string.h>

enum { PREDS_MAX = 128 };

const struct dc_options dc_options_plain = {.array_count = 1};
const struct dc_options dc_options_full = {.array_count = DC_ARRAYS,
					   .isolate = true,
					   .balance = true,
					   .unroll = true,
					   .keep = true,
					   .unroll_insts = 2048,
					   .schedule = true,
					   .pressure_cost = 4};

/* A copy of the entry function that may be rewritten, with a return at its end. */
static void begin(struct dcc *c)
{
	struct ptx_func *f = ptx_arena_copy(c->arena, c->entry, sizeof(*f));
	struct ptx_inst *insts = ptx_arena_array(c->arena, c->entry->inst_count + 1u, sizeof(*insts));

	memcpy(insts, c->entry->insts, c->entry->inst_count * sizeof(*insts));
	insts[c->entry->inst_count] = (struct ptx_inst){.op = PTX_OP_RET, .line = c->entry->line, .text = "ret;"};
	f->insts = insts;
	f->inst_count = c->entry->inst_count + 1;
	f->regs = ptx_arena_array(c->arena, c->entry->reg_count + 64u, sizeof(*f->regs));
	memcpy(f->regs, c->entry->regs, c->entry->reg_count * sizeof(*f->regs));
	c->reg_cap = c->entry->reg_count + 64;
	c->func = f;
	c->kernel->func = f;
	c->kernel->source = c->entry;
	c->kernel->name = c->entry->name;
	c->kernel->param_bytes = c->entry->param_bytes;
	c->kernel->array_count = c->o->array_count;
}

static void note_kinds(struct dcc *c)
{
	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		c->kernel->has_barrier |= ptx_inst_is_barrier(&c->func->insts[n]);
		c->kernel->has_warp_ops |= ptx_inst_is_warp_wide(&c->func->insts[n]);
	}
	c->kernel->counts.insts = c->func->inst_count;
}

/* The words' expected time, of loops eight rounds. */
static uint64_t weigh(const struct dc_kernel *k)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < k->word_count; n++) {
		uint64_t cycles = dcc_word_cycles(&k->words[n]);
		uint32_t depth = 0;

		for (uint32_t l = k->cfg->blocks[k->words[n].block].loop; l != UINT32_MAX && depth < 4;
		     l = k->cfg->loops[l].parent, depth++)
			cycles *= 8;
		sum += cycles;
	}
	return sum;
}

/* Registers that blocks may keep for themselves in each array but the first. The first of these numbers says which
 * values find no home. */
static const uint32_t others_free[] = {2, 1, 3, 5};

/* Registers of an array beside the rows of predicates. */
static uint32_t reg_limit(const struct dcc *c)
{
	return MIN((DC_ROWS - c->kernel->pred_count) / DC_REG_ROWS, DC_REGS);
}

/* Registers that blocks keep for themselves and those of values that live across blocks compete: the words of several
 * divisions are made, and those that are expected to take the least time are the kernel's. That time; UINT64_MAX: all
 * of them got stuck. */
static uint64_t place_and_schedule(struct dcc *c, const struct dcc_linear *l, const uint16_t *phys)
{
	const uint32_t limit = reg_limit(c);
	const struct dc_kernel before = *c->kernel;
	struct dc_kernel best = before;
	uint64_t least = UINT64_MAX;

	for (uint32_t n = 0; n < (c->o->schedule ? G_N_ELEMENTS(others_free) : 1); n++) {
		struct dcc_home *homes;
		uint64_t cost;

		*c->kernel = before;
		c->failed = false;
		homes = dcc_homes(c, l, limit, others_free[n]);
		dcc_schedule(c, l, phys, homes, limit);
		g_free(homes);
		cost = c->failed ? UINT64_MAX : weigh(c->kernel);
		if (cost < least) {
			least = cost;
			best = *c->kernel;
		}
	}
	*c->kernel = best;
	c->failed = false;
	return least;
}

/* Blocks in linear order, and rows of predicates; false: refused. */
static bool make_linear(struct dcc *c, struct dcc_linear *l, uint16_t **phys)
{
	c->kernel->cfg = ptx_cfg_build(c->func);
	dcc_linear_build(c, l);
	*phys = c->failed ? NULL : dcc_preds(c, l);
	if (!c->failed && c->kernel->pred_count > PREDS_MAX)
		dcc_refuse(c, NULL, "%u predicates at a time; at most %u", c->kernel->pred_count, PREDS_MAX);
	return !c->failed;
}

/* What has no home although blocks keep few registers for themselves. */
static bool compute_again(struct dcc *c, const struct dcc_linear *l)
{
	struct dcc_home *homes = dcc_homes(c, l, reg_limit(c), others_free[0]);
	const bool changed = dcc_remat(c, homes);

	g_free(homes);
	c->kernel->spill_slots = 0;
	if (changed)
		dcc_clean(c);
	return changed;
}

/* Conversions of floats as operations of their own, if the words are expected to take less time with them. start: the
 * kernel before it had words. The time of the words that it has then. */
static uint64_t convert_if_shorter(struct dcc *c, const struct dc_kernel *start, uint64_t cycles)
{
	const struct dc_kernel without = *c->kernel;
	const struct ptx_func func = *c->func;
	uint64_t with = UINT64_MAX;

	*c->kernel = *start;
	if (dcc_convert(c)) {
		struct dcc_linear l;
		uint16_t *phys;

		dcc_host(c);
		dcc_keep_count(c);
		CHECK(make_linear(c, &l, &phys)); /* no block or predicate is there that was not before */
		with = place_and_schedule(c, &l, phys);
		g_free(phys);
		dcc_linear_free(&l);
	}
	if (with < cycles) {
		ptx_cfg_free(without.cfg);
		return with;
	}
	if (c->kernel->cfg != without.cfg)
		ptx_cfg_free(c->kernel->cfg);
	*c->kernel = without;
	*c->func = func;
	return cycles;
}

static void back_end(struct dcc *c)
{
	enum { ROUNDS_MAX = 4 };
	struct dcc_linear l;
	uint16_t *phys;
	bool again = c->o->isolate && c->o->schedule;

	for (uint32_t round = 0;; round++) {
		dcc_host(c);
		dcc_keep(c);
		ptx_cfg_free(c->kernel->cfg);
		if (!make_linear(c, &l, &phys) || !again || round == ROUNDS_MAX || !compute_again(c, &l))
			break;
		dcc_linear_free(&l);
		g_free(phys);
	}
	if (!c->failed) {
		const struct dc_kernel start = *c->kernel;
		const uint64_t cycles = place_and_schedule(c, &l, phys);

		if (convert_if_shorter(c, &start, cycles) == UINT64_MAX)
			dcc_refuse(c, c->stuck_at, "%s", c->stuck);
	}
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		c->kernel->reg_rows[a] = DC_REG_ROWS * c->kernel->reg_count[a];
	g_free(phys);
	dcc_linear_free(&l);
}

/* Copies that webs make visible are found by another round. */
static void clean(struct dcc *c)
{
	dcc_clean(c);
	dcc_webs(c);
	dcc_clean(c);
}

struct dc_kernel *dc_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag)
{
	struct dcc c = {.entry = entry, .o = o, .diag = diag, .carry_reg = UINT32_MAX};

	CHECK(entry->has_body && entry->is_entry && (o->array_count == 1 || o->array_count == DC_ARRAYS));
	c.kernel = g_new0(struct dc_kernel, 1);
	c.arena = g_new0(struct ptx_arena, 1);
	c.kernel->owned = c.arena;
	if (entry->unsupported) {
		base_diag_error(diag, (struct base_place){entry->module->name, entry->unsupported_line, 1},
				"kernel %s cannot run in the cache: %s", entry->name, entry->unsupported);
		c.failed = true;
	}
	if (!c.failed) {
		begin(&c);
		dcc_inline(&c);
	}
	if (!c.failed)
		dcc_lower(&c);
	if (!c.failed)
		dcc_split(&c);
	if (!c.failed && o->isolate)
		clean(&c);
	if (!c.failed && o->unroll && dcc_unroll(&c) && o->isolate)
		clean(&c);
	if (!c.failed && o->balance)
		dcc_balance(&c);
	if (!c.failed && o->base_offset && o->isolate && dcc_addresses(&c))
		clean(&c);
	if (!c.failed) {
		note_kinds(&c);
		back_end(&c);
	}
	if (c.failed) {
		dc_kernel_free(c.kernel);
		return NULL;
	}
	return c.kernel;
}

void dc_kernel_free(struct dc_kernel *k)
{
	if (!k)
		return;
	ptx_cfg_free(k->cfg);
	ptx_arena_free(k->owned);
	g_free(k->owned);
	g_free(k);
}
