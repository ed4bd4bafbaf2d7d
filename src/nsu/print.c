/* print.c - both sides of every block, for people. */
#include <glib.h>
#include <inttypes.h>

#include "nsu/facts.h"
#include "ptx/print.h"

static void print_regs(FILE *out, const struct ptx_func *f, const uint32_t *regs, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		fprintf(out, "%s%s", k ? " " : "", f->regs[regs[k]].name);
	if (!count)
		fputc('-', out);
}

static void print_head(FILE *out, const struct nsu_code *c, uint32_t number)
{
	const struct nsu_block *b = &c->blocks[number];
	const struct ptx_func *f = c->func;

	fprintf(out, "  block %u: lines %u-%u, %s, ", number, f->insts[b->begin_pc].line, f->insts[b->last_pc].line,
		b->kind == NSU_BLOCK_SCORED     ? "scored"
		: b->kind == NSU_BLOCK_INDIRECT ? "single indirect load"
						: "directed");
	fprintf(out, "score %d B per thread (%u accessed", b->score_bits / 8, b->traffic_bytes);
	fprintf(out, " - %u sent - %u returned)\n", b->send_words * 4 + b->send_preds * c->params.predicate_bits / 8,
		b->return_words * 4 + b->return_preds * c->params.predicate_bits / 8);
	fprintf(out, "    %u NSU instructions: %u loads, %u stores, %u arithmetic, %u constant;", b->inst_count - 2,
		b->load_count, b->store_count, b->alu_count, b->const_count);
	fprintf(out, " %u read-data and %u write-address entries; %u registers, %u predicates\n", b->load_entries,
		b->store_entries, b->register_count, b->pred_count);
}

static void print_gpu(FILE *out, const struct nsu_code *c, const struct nsu_block *b)
{
	const struct ptx_func *f = c->func;

	fprintf(out, "    GPU\n      %5s           OFLD.BEG 0x%03x, ", "", b->first_inst * c->params.inst_bytes);
	print_regs(out, f, b->live_in, b->live_in_count);
	fprintf(out, ", %u, %u\n", b->load_count, b->store_count);
	for (uint32_t k = b->begin_pc; k <= b->last_pc; k++) {
		fprintf(out, "      %5u  %-8s ", f->insts[k].line, nsu_role_name((enum nsu_role)c->role[k]));
		ptx_print_inst(out, f, &f->insts[k], "");
		fputc('\n', out);
	}
	fprintf(out, "      %5s           OFLD.END ", "");
	print_regs(out, f, b->live_out, b->live_out_count);
	fputc('\n', out);
}

/* ---- the NSU's side: the same instructions with its registers' names ---- */

static char *register_name(const struct ptx_func *f, const struct nsu_block *b, uint32_t reg)
{
	const uint32_t slot = b->slot[reg], bits = nsu_reg_bits(f, reg);

	if (slot == UINT32_MAX)
		return g_strdup("?");
	return g_strdup_printf(bits == 1 ? "P%u" : bits == 64 ? "RD%u" : "R%u", slot);
}

static void print_value(FILE *out, const struct ptx_func *names, const struct ptx_operand *o)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		fputs(names->regs[o->reg].name, out);
		return;
	case PTX_OPND_VEC:
		for (uint32_t e = 0; e < o->elem_count; e++) {
			fputs(e ? ", " : "{", out);
			print_value(out, names, &o->elems[e]);
		}
		fputc('}', out);
		return;
	case PTX_OPND_IMM:
		fprintf(out, "0x%" PRIx64, o->imm);
		return;
	case PTX_OPND_VAR:
		fprintf(out, "%s+%" PRId64, o->var->name, o->offset);
		return;
	default:
		fputc('_', out);
	}
}

/* A load or store has no address here. */
static void print_access(FILE *out, const struct ptx_func *names, const struct ptx_inst *i)
{
	const bool is_store = i->op == PTX_OP_ST;

	if (i->has_guard)
		fprintf(out, "@%s%s ", i->guard_negate ? "!" : "", names->regs[i->guard_reg].name);
	fputs(is_store ? "st" : "ld", out);
	if (i->mods.vec > 1)
		fprintf(out, ".v%u", i->mods.vec);
	fprintf(out, ".%s ", ptx_type_name(i->type));
	print_value(out, names, is_store ? &i->src[1] : &i->dst);
	fputc(';', out);
}

static void print_inst(FILE *out, const struct nsu_code *c, const struct ptx_func *names, const struct nsu_inst *n)
{
	const struct nsu_block *b = &c->blocks[n->block];

	switch (n->op) {
	case NSU_OP_BEG:
		fputs("OFLD.BEG ", out);
		print_regs(out, names, b->live_in, b->live_in_count);
		return;
	case NSU_OP_END:
		fputs("OFLD.END ", out);
		print_regs(out, names, b->live_out, b->live_out_count);
		return;
	case NSU_OP_LOAD:
	case NSU_OP_STORE:
		print_access(out, names, &names->insts[n->gpu_pc]);
		return;
	default:
		ptx_print_inst(out, names, &names->insts[n->gpu_pc], "");
	}
}

static void print_nsu(FILE *out, const struct nsu_code *c, const struct nsu_block *b)
{
	struct ptx_func names = *c->func;
	g_autofree struct ptx_reg *regs = g_new(struct ptx_reg, names.reg_count + 1);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (uint32_t r = 0; r < names.reg_count; r++) {
		char *name = register_name(c->func, b, r);

		regs[r] = c->func->regs[r];
		regs[r].name = name;
		g_ptr_array_add(texts, name);
	}
	names.regs = regs;
	fputs("    NSU\n", out);
	for (uint32_t k = b->first_inst; k < b->first_inst + b->inst_count; k++) {
		fprintf(out, "      0x%03x           ", k * c->params.inst_bytes);
		print_inst(out, c, &names, &c->insts[k]);
		fputc('\n', out);
	}
}

/* What a launch has to be like for these blocks. */
static void print_apart(FILE *out, const struct nsu_code *c)
{
	const char *separator = "  in launches with an allocation each for ";

	for (uint32_t word = 0; word < NSU_ORIGIN_MAX; word++) {
		if (!(c->apart[word / 64] >> (word % 64) & 1))
			continue;
		fputs(separator, out);
		for (uint32_t p = 0; p < c->func->param_count; p++) {
			const struct ptx_var *v = &c->func->params[p];
			const uint64_t at = word * 8ull - v->offset_bytes;

			if (word * 8ull < v->offset_bytes || at >= v->size_bytes)
				continue;
			fputs(v->name, out);
			if (at)
				fprintf(out, "+%u", (unsigned)at);
		}
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', out);
}

void nsu_code_print(FILE *out, const struct nsu_code *c)
{
	fprintf(out, "%s: %u blocks, %u NSU instructions in %u bytes, %u registers, %u predicates\n", c->func->name,
		c->block_count, c->inst_count - 2 * c->block_count, c->inst_count * c->params.inst_bytes,
		c->register_count, c->pred_count);
	print_apart(out, c);
	for (uint32_t n = 0; n < c->block_count; n++) {
		print_head(out, c, n);
		print_gpu(out, c, &c->blocks[n]);
		print_nsu(out, c, &c->blocks[n]);
	}
}
