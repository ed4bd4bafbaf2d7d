/* compile.c - the passes in their order. */
#include "dc/compile/priv.h"

#include <string.h>

enum { PREDS_MAX = 128 };

const struct dc_options dc_options_plain = {.array_count = 1};
const struct dc_options dc_options_full = {.array_count = DC_ARRAYS,
					   .isolate = true,
					   .balance = true,
					   .unroll = true,
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
		const enum ptx_op op = c->func->insts[n].op;

		c->kernel->has_barrier |= op == PTX_OP_BAR || op == PTX_OP_BARRIER;
		c->kernel->has_warp_ops |= op == PTX_OP_SHFL || op == PTX_OP_VOTE || op == PTX_OP_MATCH ||
					   op == PTX_OP_REDUX || op == PTX_OP_ACTIVEMASK || op == PTX_OP_ELECT;
	}
	c->kernel->counts.insts = c->func->inst_count;
}

static void back_end(struct dcc *c)
{
	struct dcc_linear l;
	uint16_t *phys;
	struct dcc_home *homes;
	uint32_t limit;

	c->kernel->cfg = ptx_cfg_build(c->func);
	dcc_linear_build(c, &l);
	if (!c->failed) {
		phys = dcc_preds(c, &l);
		if (c->kernel->pred_count > PREDS_MAX)
			dcc_refuse(c, NULL, "%u predicates at a time; at most %u", c->kernel->pred_count, PREDS_MAX);
		limit = MIN((DC_ROWS - c->kernel->pred_count) / DC_REG_ROWS, DC_REGS);
		if (!c->failed) {
			homes = dcc_homes(c, &l, limit);
			dcc_schedule(c, &l, phys, homes, limit);
			g_free(homes);
		}
		for (uint32_t a = 0; a < DC_ARRAYS; a++)
			c->kernel->reg_rows[a] = DC_REG_ROWS * c->kernel->reg_count[a];
		g_free(phys);
	}
	dcc_linear_free(&l);
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
	if (!c.failed && o->isolate)
		dcc_clean(&c);
	if (!c.failed && o->unroll)
		dcc_unroll(&c);
	if (!c.failed && o->balance)
		dcc_balance(&c);
	if (!c.failed) {
		note_kinds(&c);
		dcc_host(&c);
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
