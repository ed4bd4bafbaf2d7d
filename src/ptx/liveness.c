/* liveness.c - which registers may still be read.
 *
 * Backward liveness is cut by a forward analysis of what may have been written: a register is not live where no path
 * has written it yet, so that the two halves of a guarded pair (@p mov r; @!p mov r) do not make r live from the entry.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/analysis.h"

/* Which components of the register an operand writes: bit 0 the whole, bits 1 to 4 .x to .w. */
static uint32_t components_written(const struct ptx_operand *o, uint32_t reg)
{
	uint32_t set = 0;

	if (o->kind == PTX_OPND_REG && o->reg == reg)
		return 1u << o->component;
	if (o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_LIST)
		for (uint32_t k = 0; k < o->elem_count; k++)
			set |= components_written(&o->elems[k], reg);
	return set;
}

/* A video instruction with a selected destination byte merges too, but then its third source is the old value. */
bool ptx_write_is_total(const struct ptx_func *f, const struct ptx_inst *i, uint32_t reg)
{
	uint32_t set = components_written(&i->dst, reg) | components_written(&i->dst2, reg);
	uint32_t all = ((1u << f->regs[reg].vec) - 1) << 1;

	return !i->has_guard && ((set & 1) || (set & all) == all);
}

void ptx_live_step(const struct ptx_func *f, const struct ptx_inst *i, const struct ptx_reg_use *use, uint64_t *live)
{
	for (uint32_t k = 0; k < use->write_count; k++)
		if (ptx_write_is_total(f, i, use->writes[k]))
			ptx_bit_clear(live, use->writes[k]);
	for (uint32_t k = 0; k < use->read_count; k++)
		ptx_bit_set(live, use->reads[k]);
}

static uint64_t *sets(const struct ptx_cfg *c)
{
	uint64_t *p = calloc((size_t)c->block_count * c->live_words + 1, sizeof(uint64_t));

	CHECK(p);
	return p;
}

static uint64_t *of(const struct ptx_cfg *c, uint64_t *all, uint32_t block)
{
	return all + (size_t)block * c->live_words;
}

/* gen: read before written in the block; kill: written in whole; any: written at all. */
static void summarise(const struct ptx_cfg *c, uint64_t *gen, uint64_t *kill, uint64_t *any)
{
	struct ptx_reg_use use;

	for (uint32_t b = 0; b < c->block_count; b++) {
		uint64_t *g = of(c, gen, b), *k = of(c, kill, b), *a = of(c, any, b);

		for (uint32_t n = c->blocks[b].first; n <= c->blocks[b].last; n++) {
			ptx_inst_regs(&c->func->insts[n], &use);
			for (uint32_t j = 0; j < use.read_count; j++)
				if (!ptx_bit(k, use.reads[j]))
					ptx_bit_set(g, use.reads[j]);
			for (uint32_t j = 0; j < use.write_count; j++) {
				ptx_bit_set(a, use.writes[j]);
				if (ptx_write_is_total(c->func, &c->func->insts[n], use.writes[j]))
					ptx_bit_set(k, use.writes[j]);
			}
		}
	}
}

static void solve_backward(struct ptx_cfg *c, uint64_t *gen, uint64_t *kill)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = c->block_count; b-- > 0;) {
			uint64_t *in = of(c, c->live_in, b), *out = of(c, c->live_out, b);

			for (uint32_t s = 0; s < c->blocks[b].succ_count; s++)
				for (uint32_t w = 0; w < c->live_words; w++)
					out[w] |= of(c, c->live_in, c->blocks[b].succs[s])[w];
			for (uint32_t w = 0; w < c->live_words; w++) {
				uint64_t now = of(c, gen, b)[w] | (out[w] & ~of(c, kill, b)[w]);

				changed |= now != in[w];
				in[w] = now;
			}
		}
	}
}

/* before: written on some path to the block. */
static void solve_forward(struct ptx_cfg *c, uint64_t *before, uint64_t *any)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = 0; b < c->block_count; b++) {
			uint64_t *at = of(c, before, b);

			for (uint32_t k = 0; k < c->blocks[b].pred_count; k++) {
				uint32_t from = c->blocks[b].preds[k];

				for (uint32_t w = 0; w < c->live_words; w++) {
					uint64_t now = at[w] | of(c, before, from)[w] | of(c, any, from)[w];

					changed |= now != at[w];
					at[w] = now;
				}
			}
		}
	}
}

/* Register parameters of old PTX have their value at the entry. */
static void add_register_params(const struct ptx_cfg *c, uint64_t *before)
{
	for (uint32_t k = 0; k < c->func->param_count; k++)
		if (c->func->params[k].space == PTX_REG)
			ptx_bit_set(before, c->func->params[k].index);
}

/* ... and register results are read by the caller. */
static void add_register_results(const struct ptx_cfg *c)
{
	for (uint32_t b = 0; b < c->block_count; b++)
		if (c->func->insts[c->blocks[b].last].op == PTX_OP_RET)
			for (uint32_t k = 0; k < c->func->ret_count; k++)
				if (c->func->rets[k].space == PTX_REG)
					ptx_bit_set(of(c, c->live_out, b), c->func->rets[k].index);
}

void ptx_liveness_build(struct ptx_cfg *c)
{
	c->live_words = (c->func->reg_count + 63) / 64;
	c->live_in = sets(c);
	c->live_out = sets(c);
	uint64_t *gen = sets(c), *kill = sets(c), *any = sets(c), *before = sets(c);

	summarise(c, gen, kill, any);
	add_register_results(c);
	solve_backward(c, gen, kill);
	add_register_params(c, before);
	solve_forward(c, before, any);
	for (size_t w = 0; w < (size_t)c->block_count * c->live_words; w++) {
		c->live_in[w] &= before[w];
		c->live_out[w] &= before[w] | any[w];
	}
	free(gen);
	free(kill);
	free(any);
	free(before);
}

void ptx_live_before(const struct ptx_cfg *c, uint32_t inst, uint64_t *out)
{
	uint32_t b = c->block_of[inst];
	uint64_t *written = calloc(c->live_words + 1, sizeof(uint64_t));
	struct ptx_reg_use use;

	CHECK(written);
	memcpy(out, c->live_out + (size_t)b * c->live_words, c->live_words * sizeof(uint64_t));
	for (uint32_t n = c->blocks[b].last + 1; n-- > inst;) {
		ptx_inst_regs(&c->func->insts[n], &use);
		ptx_live_step(c->func, &c->func->insts[n], &use, out);
	}
	/* What was live at the block's start or written since is known to have a value. */
	memcpy(written, c->live_in + (size_t)b * c->live_words, c->live_words * sizeof(uint64_t));
	for (uint32_t n = c->blocks[b].first; n < inst; n++) {
		ptx_inst_regs(&c->func->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++)
			ptx_bit_set(written, use.writes[k]);
	}
	for (uint32_t w = 0; w < c->live_words; w++)
		out[w] &= written[w];
	free(written);
}

void ptx_live_block(const struct ptx_cfg *c, uint32_t b, uint64_t *rows)
{
	const uint32_t first = c->blocks[b].first, last = c->blocks[b].last, words = c->live_words;
	uint64_t *set = calloc(words + 1, sizeof(uint64_t));
	struct ptx_reg_use use;

	CHECK(set);
	memcpy(set, c->live_out + (size_t)b * words, words * sizeof(uint64_t));
	for (uint32_t n = last + 1; n-- > first;) {
		ptx_inst_regs(&c->func->insts[n], &use);
		ptx_live_step(c->func, &c->func->insts[n], &use, set);
		memcpy(rows + (size_t)(n - first) * words, set, words * sizeof(uint64_t));
	}
	/* What was live at the block's start or written since, as in ptx_live_before. */
	memcpy(set, c->live_in + (size_t)b * words, words * sizeof(uint64_t));
	for (uint32_t n = first; n <= last; n++) {
		for (uint32_t w = 0; w < words; w++)
			rows[(size_t)(n - first) * words + w] &= set[w];
		ptx_inst_regs(&c->func->insts[n], &use);
		for (uint32_t k = 0; k < use.write_count; k++)
			ptx_bit_set(set, use.writes[k]);
	}
	free(set);
}
