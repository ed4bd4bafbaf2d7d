/* host.c - thread-independent variables (section 3.4): registers whose one definition is a function of what is equal in
 * the whole grid. The host core computes them at launch; in the arrays they are immediates. Parameters, addresses of
 * variables and the grid's dimensions always are, what is computed from them if the option says so. */
#include "dc/compile/priv.h"
#include "dc/param.h"

#include "simt/alu/alu.h"

static bool sreg_is_uniform(const struct ptx_operand *o)
{
	switch (o->sreg) {
	case PTX_SREG_NTID:
	case PTX_SREG_NCTAID:
	case PTX_SREG_NWARPID:
	case PTX_SREG_NSMID:
	case PTX_SREG_GRIDID:
	case PTX_SREG_DYNAMIC_SMEM_SIZE:
	case PTX_SREG_TOTAL_SMEM_SIZE:
	case PTX_SREG_WARP_SZ:
		return true;
	default:
		return false;
	}
}

bool dcc_inst_is_given(const struct dcc *c, const struct ptx_inst *i)
{
	uint64_t at;

	if (i->op == PTX_OP_LD)
		return dc_param_is_load(i) && dc_param_place(i, c->entry->param_bytes, &at);
	return i->op == PTX_OP_MOV &&
	       (i->src[0].kind == PTX_OPND_VAR || (i->src[0].kind == PTX_OPND_SREG && sreg_is_uniform(&i->src[0])));
}

/* Of what is in the variable: the host reads it although no lane may ever come there. */
static bool is_constant_load(const struct ptx_inst *i)
{
	const struct ptx_operand *o = &i->src[0];
	const uint64_t bytes = ptx_type_bytes(i->type), at = (uint64_t)o->offset;

	return i->op == PTX_OP_LD && i->mods.space == PTX_CONST && o->var && o->reg == UINT32_MAX &&
	       i->dst.kind == PTX_OPND_REG && at < o->var->size_bytes && bytes <= o->var->size_bytes - at &&
	       !(at & (bytes - 1));
}

static bool sources_are_known(const struct dc_kernel *k, const struct ptx_inst *i)
{
	for (uint32_t s = 0; s < i->src_count; s++) {
		const struct ptx_operand *o = &i->src[s];

		if (o->kind == PTX_OPND_IMM)
			continue;
		if (o->kind != PTX_OPND_REG || o->negate || k->host_of[o->reg] == UINT32_MAX)
			return false;
	}
	return true;
}

static bool is_pure(const struct dcc *c, const struct ptx_inst *i)
{
	struct simt_alu alu;
	const char *why;

	if (i->dst.kind != PTX_OPND_REG || i->dst2.kind != PTX_OPND_NONE || c->func->regs[i->dst.reg].type == PTX_PRED)
		return false;
	return i->op == PTX_OP_MOV || simt_alu_find(i, SIMT_ISA_PORTABLE, &alu, &why);
}

static void add(struct dcc *c, GArray *hosts, const struct ptx_inst *i)
{
	struct dc_kernel *k = c->kernel;
	struct dc_host_value v = {.inst = i, .reg = i->dst.reg, .src_count = i->src_count};

	for (uint32_t s = 0; s < i->src_count && s < G_N_ELEMENTS(v.src); s++) {
		const struct ptx_operand *o = &i->src[s];

		if (o->kind == PTX_OPND_IMM)
			v.src[s] = (struct dc_source){.kind = DC_SRC_IMM, .imm = o->imm};
		else if (o->kind == PTX_OPND_REG)
			v.src[s] = (struct dc_source){.kind = DC_SRC_HOST, .host = k->host_of[o->reg]};
		else if (o->kind == PTX_OPND_SREG)
			v.src[s] = (struct dc_source){.kind = DC_SRC_SREG};
	}
	k->host_of[i->dst.reg] = hosts->len;
	k->is_host[i->dst.reg / 64] |= 1ull << i->dst.reg % 64;
	g_array_append_val(hosts, v);
}

void dcc_host(struct dcc *c)
{
	const struct ptx_func *f = c->func;
	struct dc_kernel *k = c->kernel;
	g_autofree uint32_t *defs = g_new0(uint32_t, f->reg_count + 1);
	GArray *hosts = g_array_new(FALSE, TRUE, sizeof(struct dc_host_value));
	struct ptx_reg_use use;

	k->is_host = ptx_arena_array(c->arena, f->reg_count / 64 + 1, sizeof(uint64_t));
	k->host_of = ptx_arena_array(c->arena, f->reg_count + 1, sizeof(uint32_t));
	for (uint32_t r = 0; r < f->reg_count; r++)
		k->host_of[r] = UINT32_MAX;
	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &use);
		for (uint32_t w = 0; w < use.write_count; w++)
			defs[use.writes[w]]++;
	}
	k->counts.host_ops = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t n = 0; n < f->inst_count; n++) {
			const struct ptx_inst *i = &f->insts[n];

			if (i->dst.kind != PTX_OPND_REG || defs[i->dst.reg] != 1 || i->has_guard ||
			    k->host_of[i->dst.reg] != UINT32_MAX)
				continue;
			if (!dcc_inst_is_given(c, i) && !(c->o->isolate && is_constant_load(i)) &&
			    !(c->o->isolate && is_pure(c, i) && sources_are_known(k, i)))
				continue;
			add(c, hosts, i);
			k->counts.host_ops += !dcc_inst_is_given(c, i);
			changed = true;
		}
	}
	k->host_count = hosts->len;
	k->hosts = ptx_arena_copy(c->arena, hosts->data, hosts->len * sizeof(struct dc_host_value));
	g_array_free(hosts, TRUE);
}
