/* program.c - a kernel's words, decoded; the host's values at launch. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "dc/exec/priv.h"
#include "dc/param.h"

static bool refuse_box(const struct dc_program *p, const struct ptx_inst *i, const char *why,
		       struct base_diag_list *diag)
{
	base_diag_error(diag, (struct base_place){p->kernel->source->module->name, i->line, i->col},
			"%s: %s does not run on Duality Cache: %s", p->kernel->name,
			i->text ? i->text : ptx_op_name(i->op), why);
	return false;
}

/* What the C-Box has to know before the kernel starts. */
static bool decode_box(struct dc_program *p, uint32_t word, struct base_diag_list *diag)
{
	const struct dc_box *box = &p->kernel->words[word].box;
	const struct ptx_inst *i = box->inst;

	switch ((enum dc_box_kind)box->kind) {
	case DC_BOX_CALL:
		return refuse_box(p, i, "calls of the device's run-time (printf, malloc) are not served", diag);
	case DC_BOX_MEMORY:
		if (i->op != PTX_OP_ATOM && i->op != PTX_OP_RED)
			return true;
		p->atomics[word] = simt_atomic_find((enum ptx_atom)i->mods.atom, i->type, box->space != PTX_SHARED);
		return p->atomics[word] || refuse_box(p, i, "PTX has no such atomic", diag);
	default: return true;
	}
}

static uint32_t loc_bytes(const struct dc_loc *l)
{
	return l->lo == DC_NO_REG ? 0 : l->hi == DC_NO_REG ? 4 : 8;
}

static bool decode_all(struct dc_program *p, enum simt_isa isa, struct base_diag_list *diag)
{
	const struct dc_kernel *k = p->kernel;

	for (uint32_t w = 0; w < k->word_count; w++) {
		for (uint32_t a = 0; a < DC_ARRAYS; a++) {
			const struct dc_slot *s = &k->words[w].slot[a];

			if (s->kind == DC_SLOT_ALU && !dc_decode(p, s->inst, s->src, s->src_count, loc_bytes(&s->dst),
								 isa, &p->slots[w * DC_ARRAYS + a], diag))
				return false;
		}
		if (!decode_box(p, w, diag))
			return false;
	}
	for (uint32_t h = 0; h < k->host_count; h++) {
		const struct dc_host_value *v = &k->hosts[h];

		if (v->inst->op != PTX_OP_LD &&
		    !dc_decode(p, v->inst, v->src, v->src_count, 8, isa, &p->host_ops[h], diag))
			return false;
	}
	return true;
}

/* Room for the lines of all lanes, two for each element of a vector, half full. */
static struct dc_line_set *line_set_new(uint32_t lanes)
{
	struct dc_line_set *set = g_new0(struct dc_line_set, 1);

	set->room = lanes * 2 * DC_ELEMS * 2;
	set->entries = g_new0(struct dc_line_entry, set->room);
	return set;
}

static void line_set_free(struct dc_line_set *set)
{
	g_free(set->entries);
	g_free(set);
}

struct dc_program *dc_program_new(const struct dc_kernel *kernel, const struct dc_exec_params *params,
				  enum simt_isa isa, struct base_diag_list *diag)
{
	struct dc_program *p = g_new0(struct dc_program, 1);

	p->kernel = kernel;
	p->params = *params;
	p->lanes = DC_BLOCK_LANES * (kernel->array_count == 1 ? DC_ARRAYS : 1);
	p->warps = p->lanes / DC_ROW_WORDS;
	p->slots = g_aligned_alloc0((size_t)kernel->word_count * DC_ARRAYS + 1, sizeof(*p->slots), HOST_LINE_BYTES);
	p->host_ops = g_aligned_alloc0((size_t)kernel->host_count + 1, sizeof(*p->host_ops), HOST_LINE_BYTES);
	p->host_values = g_new0(uint64_t, kernel->host_count + 1);
	p->lines = line_set_new(p->lanes);
	p->exact = params->is_bit_exact && p->lanes == DC_BLOCK_LANES ? dc_exact_new() : NULL;
	p->atomics = g_new0(simt_atomic_fn, kernel->word_count + 1);
	if (decode_all(p, isa, diag))
		return p;
	dc_program_free(p);
	return NULL;
}

void dc_program_free(struct dc_program *p)
{
	if (!p)
		return;
	g_aligned_free(p->slots);
	g_aligned_free(p->host_ops);
	g_free(p->host_values);
	g_free(p->atomics);
	dc_exact_free(p->exact);
	line_set_free(p->lines);
	g_free(p);
}

uint32_t dc_program_lanes(const struct dc_program *p)
{
	return p->lanes;
}

bool dc_program_may_repeat(const struct dc_program *p, uint32_t word)
{
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (p->slots[word * DC_ARRAYS + a].is_gradual)
			return true;
	return false;
}

const struct dc_kernel *dc_program_kernel(const struct dc_program *p)
{
	return p->kernel;
}

struct dc_exec_counts *dc_program_counts(struct dc_program *p)
{
	return &p->counts;
}

/* ---- the host's values ---- */

/* ld.param and ld.const of a fixed address. */
static bool host_load(const struct dc_program *p, const struct simt_launch *l, const struct ptx_inst *i,
		      uint64_t *value)
{
	const struct ptx_operand *o = &i->src[0];
	uint64_t at, base;

	if (dc_param_is_load(i))
		return dc_param_place(i, p->kernel->param_bytes, &at) &&
		       dc_param_read(l->params, p->kernel->param_bytes, at, i->type, value);
	base = o->var ? simt_program_variable(p->program, o->var) : 0;
	at = base + (uint64_t)o->offset;
	return base && simt_memory_find(l->mem, at, ptx_type_bytes(i->type)) &&
	       dc_param_read((const uint8_t *)(uintptr_t)base, o->var->size_bytes, (uint64_t)o->offset, i->type, value);
}

static uint64_t host_special(const struct dc_program *p, const struct simt_launch *l, const struct ptx_operand *o)
{
	const uint32_t k = o->component - 1u;
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	switch (o->sreg) {
	case PTX_SREG_NTID: return k < 3 ? l->block[k] : 0;
	case PTX_SREG_NCTAID: return k < 3 ? l->grid[k] : 0;
	case PTX_SREG_GRIDID: return l->grid_id;
	case PTX_SREG_NSMID: return l->sm_count;
	case PTX_SREG_NWARPID: return (threads + DC_ROW_WORDS - 1) / DC_ROW_WORDS;
	case PTX_SREG_WARP_SZ: return DC_ROW_WORDS;
	case PTX_SREG_DYNAMIC_SMEM_SIZE: return l->shared_dynamic_bytes;
	case PTX_SREG_TOTAL_SMEM_SIZE: return p->kernel->shared_bytes + l->shared_dynamic_bytes;
	default: return 0;
	}
}

static uint64_t host_source(const struct dc_program *p, const struct simt_launch *l, const struct dc_host_value *v,
			    uint32_t k)
{
	const struct ptx_operand *o = &v->inst->src[k];

	switch ((enum dc_source_kind)v->src[k].kind) {
	case DC_SRC_IMM: return v->src[k].imm;
	case DC_SRC_HOST: return p->host_values[v->src[k].host] ^ v->src[k].negate;
	case DC_SRC_SREG: return host_special(p, l, o);
	default: break;
	}
	if (o->kind != PTX_OPND_VAR)
		return 0;
	if (o->var == p->kernel->param_block)
		return simt_launch_params(l);
	for (uint32_t i = 0; i < p->kernel->var_count; i++)
		if (p->kernel->vars[i].var == o->var)
			return p->kernel->vars[i].offset_bytes + (uint64_t)o->offset;
	return simt_program_variable(p->program, o->var) + (uint64_t)o->offset;
}

static uint64_t host_compute(struct dc_program *p, const struct simt_launch *l, uint32_t h)
{
	const struct dc_host_value *v = &p->kernel->hosts[h];
	struct dc_exec *e = &p->host_ops[h];
	_Alignas(64) uint64_t tmp[DC_ROW_WORDS];
	const void *src[DC_ALU_SRCS] = {dc_zero_row, dc_zero_row, dc_zero_row, dc_zero_row};
	uint32_t preds[2] = {0, 0}, carry = 0, second, mask, pred_count = 0;
	uint64_t value;

	for (uint32_t k = 0; k < v->src_count && k < DC_ALU_SRCS; k++) {
		value = host_source(p, l, v, k);
		if (!e->from[k].want) {
			if (pred_count < 2)
				preds[pred_count++] = value & 1 ? UINT32_MAX : 0;
			continue;
		}
		dc_from_fill(&e->from[k], value);
		src[k] = e->from[k].row;
	}
	if (e->run == DC_RUN_LANE)
		return host_source(p, l, v, 0);
	mask = dc_value(e, src, preds[0], preds[1], &carry, tmp, 1, &second);
	if (!e->dst_bytes)
		return mask & 1;
	value = e->dst_bytes == 8 ? tmp[0] : ((uint32_t *)tmp)[0];
	return e->dst_bytes == 4 && e->is_dst_signed ? (uint64_t)(int64_t)(int32_t)value : value;
}

static void fill_hosts(struct dc_program *p, struct dc_exec *e)
{
	for (uint32_t k = 0; k < DC_ALU_SRCS; k++)
		if (e->from[k].kind == DC_SRC_HOST)
			dc_from_fill(&e->from[k], p->host_values[e->from[k].host]);
}

bool dc_program_begin(struct dc_program *p, struct simt_launch *l)
{
	p->program = l->program;
	for (uint32_t h = 0; h < p->kernel->host_count; h++) {
		const struct ptx_inst *i = p->kernel->hosts[h].inst;

		if (i->op != PTX_OP_LD) {
			p->host_values[h] = host_compute(p, l, h);
		} else if (!host_load(p, l, i, &p->host_values[h])) {
			l->fault.kind = SIMT_FAULT_ADDRESS;
			snprintf(l->fault.text, sizeof(l->fault.text), "kernel %s, %s line %u: illegal read",
				 p->kernel->name, simt_program_module_name(p->program), i->line);
			return false;
		}
	}
	for (uint32_t s = 0; s < p->kernel->word_count * DC_ARRAYS; s++)
		fill_hosts(p, &p->slots[s]);
	return true;
}
