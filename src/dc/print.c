/* print.c - DC-PTX as text: what `strata ptx duality` shows.
 *
 *     12  [A] add.s32 %r5, %r3, 4        a:r2 <- a:r1, 4        ? p3        32
 *
 * A word begins with its number; its operations follow, one a line: the array (A to D, or X for the C-Box), the
 * instruction of the lowered function, result <- sources by place, guard, expected cycles. */
#include "dc/compile/compile.h"

#include "dc/ops.h"
#include "dc/waits.h"
#include "ptx/print.h"

#include <inttypes.h>
#include <string.h>

static void print_loc(FILE *out, struct dc_loc l)
{
	if (l.lo == DC_NO_REG)
		fprintf(out, "_");
	else if (l.hi == DC_NO_REG)
		fprintf(out, "%c%u", 'a' + l.array, l.lo);
	else
		fprintf(out, "%c%u:%u", 'a' + l.array, l.hi, l.lo);
}

static void print_source(FILE *out, const struct dc_source *s, const struct ptx_operand *o)
{
	if (s->negate)
		fprintf(out, "%s", s->kind == DC_SRC_PRED ? "!" : "-");
	switch (s->kind) {
	case DC_SRC_LOC:
		print_loc(out, s->loc);
		break;
	case DC_SRC_PRED:
		fprintf(out, "p%u", s->pred);
		break;
	case DC_SRC_IMM:
		fprintf(out, s->imm < 4096 ? "%" PRIu64 : "0x%" PRIx64, s->imm);
		break;
	case DC_SRC_HOST:
		fprintf(out, "h%u", s->host);
		break;
	case DC_SRC_SREG:
		fprintf(out, "%s%s", o ? ptx_sreg_name(o->sreg) : "%",
			o && o->component ? (const char *[]){"", ".x", ".y", ".z", ".w"}[o->component] : "");
		break;
	default:
		fprintf(out, "%s", o && o->var ? o->var->name : "-");
		break;
	}
}

static void print_guard(FILE *out, struct dc_guard g)
{
	if (g.pred != DC_NO_PRED)
		fprintf(out, " if %sp%u", g.negate ? "!" : "", g.pred);
}

static void print_inst(FILE *out, const struct dc_kernel *k, const struct ptx_inst *i)
{
	struct ptx_inst plain = *i;

	plain.has_guard = false;
	ptx_print_inst(out, k->func, &plain, "L");
}

static void print_regs(FILE *out, const char *what, uint32_t set)
{
	if (set)
		fprintf(out, " %s", what);
	for (uint32_t r = 0; r < DC_REGS; r++)
		if (set >> r & 1)
			fprintf(out, "%s%u", set & ((1u << r) - 1) ? "," : " r", r);
}

/* Which operands, by number, and whether the result lie in two's complement, or are open. */
static void print_kept(FILE *out, const struct dc_kernel *k, const struct dc_slot *s)
{
	struct dc_use use;
	const char *why, *sep = k->is_open ? " open " : " complement ";

	if (s->kind != DC_SLOT_ALU || !dc_use_of(s->inst, false, &use, &why))
		return;
	if (k->has_table_roots)
		dc_use_table_roots(&use);
	dc_use_keep(&use, k->is_kept, k->is_open, s->inst);
	for (uint32_t n = 0; n < s->src_count; n++)
		if (use.kept >> n & 1) {
			fprintf(out, "%s%u", sep, n);
			sep = ",";
		}
	if (dc_use_keeps_result(&use))
		fprintf(out, "%sresult", sep);
}

static void print_slot(FILE *out, const struct dc_kernel *k, const struct dc_slot *s, uint32_t a)
{
	static const char *const masks[] = {"mov", "and", "or"};
	const char *sep = " <- ";

	if (s->kind == DC_SLOT_NONE || s->kind == DC_SLOT_BUSY)
		return;
	fprintf(out, "      %c  ", 'A' + a);
	if (s->pred_dst != DC_NO_PRED)
		fprintf(out, "p%u", s->pred_dst);
	if (s->pred_dst2 != DC_NO_PRED)
		fprintf(out, "|p%u", s->pred_dst2);
	if (s->dst.lo != DC_NO_REG)
		print_loc(out, s->dst);
	for (uint32_t n = 0; n < s->src_count; n++, sep = ", ") {
		fprintf(out, "%s", sep);
		print_source(out, &s->src[n], s->inst ? &s->inst->src[n] : NULL);
	}
	print_guard(out, s->guard);
	fprintf(out, "  [");
	if (s->kind == DC_SLOT_MASK)
		fprintf(out, "mask %s", masks[s->mask_op]);
	else if (s->kind == DC_SLOT_COPY)
		fprintf(out, "copy %s", k->func->regs[s->reg].name);
	else
		print_inst(out, k, s->inst);
	fprintf(out, "] %u", s->cycles);
	print_regs(out, "scratch", s->scratch_regs);
	if (s->swap_rows)
		fprintf(out, " swaps %u", s->swap_rows);
	print_kept(out, k, s);
	fputc('\n', out);
}

static void print_box(FILE *out, const struct dc_kernel *k, const struct dc_box *b)
{
	const char *sep = "";
	uint32_t operand = 0, elem = 0;

	if (b->kind == DC_BOX_NONE)
		return;
	fprintf(out, "      X  ");
	if (b->pred_dst != DC_NO_PRED)
		fprintf(out, "p%u ", b->pred_dst);
	for (uint32_t e = 0; e < b->elem_count; e++, sep = ", ")
		if (b->kind == DC_BOX_FILL || (b->inst && b->inst->dst.kind != PTX_OPND_NONE)) {
			fprintf(out, "%s", sep);
			print_loc(out, b->dst[e]);
		}
	sep = " <- ";
	for (uint32_t n = 0; n < b->src_count; n++, sep = ", ") {
		const struct ptx_operand *o = b->inst ? &b->inst->src[operand] : NULL;

		fprintf(out, "%s", sep);
		print_source(out, &b->src[n], o && o->elem_count ? &o->elems[elem] : o);
		if (o && ++elem >= o->elem_count) {
			elem = 0;
			operand++;
		}
	}
	if (b->kind == DC_BOX_SPILL || b->kind == DC_BOX_FILL)
		fprintf(out, "%sslot %u", sep, b->spill);
	print_guard(out, b->guard);
	if (b->comes != DC_NO_PRED)
		fprintf(out, " of p%u", b->comes);
	fprintf(out, "  [");
	if (b->kind == DC_BOX_SPILL || b->kind == DC_BOX_FILL)
		fprintf(out, "%s %s", b->kind == DC_BOX_SPILL ? "spill" : "fill", k->func->regs[b->reg].name);
	else
		print_inst(out, k, b->inst);
	fprintf(out, "] %u\n", b->cycles);
}

static void print_word(FILE *out, const struct dc_kernel *k, uint32_t n)
{
	const struct dc_word *w = &k->words[n];

	fprintf(out, "  %4u", n);
	if (w->is_loop_begin)
		fprintf(out, " loop");
	if (w->flow == DC_FLOW_SKIP)
		fprintf(out, " skip to %u unless p%u", w->target, w->flow_pred);
	if (w->flow == DC_FLOW_JUMP)
		fprintf(out, " then to %u if p%u, %u words", w->target, w->flow_pred, w->loop_words);
	if (w->flow == DC_FLOW_END)
		fprintf(out, " end");
	fputc('\n', out);
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		print_slot(out, k, &w->slot[a], a);
	print_box(out, k, &w->box);
}

static void print_hosts(FILE *out, const struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->host_count; n++) {
		fprintf(out, "  h%u = ", n);
		print_inst(out, k, k->hosts[n].inst);
		fputc('\n', out);
	}
}

/* What duality.placement=auto goes by. */
static void print_waits(FILE *out, const struct dc_kernel *k)
{
	const struct dc_waits w = dc_waits_of(k);

	if (w.what != DC_WAITS_NOT)
		fprintf(out, "  waits for another CTA%s, line %u: %s\n",
			w.what == DC_WAITS_LOCK ? "'s lock" : "", w.at->line, w.at->text);
}

void dc_print(FILE *out, const struct dc_kernel *k, bool is_summary)
{
	const struct dc_counts *c = &k->counts;
	uint32_t range = 0;

	fprintf(out, "kernel %s: %u words, %u arrays, registers", k->name, c->words, k->array_count);
	for (uint32_t a = 0; a < k->array_count; a++)
		fprintf(out, "%s%u", a ? "+" : " ", k->reg_count[a]);
	fprintf(out, ", %u predicates, %u spill slots\n", k->pred_count, k->spill_slots);
	fprintf(
	    out,
	    "  %u instructions: %u operations, %u copies, %u masks, %u accesses, %u spills, %u fills, %u by the host\n",
	    c->insts, c->ops, c->copies, c->masks, c->accesses, c->spills, c->fills, c->host_ops);
	fprintf(out,
		"  %u loops, %u unrolled, %u blocks copied, %u trees, %u conversions left out, %u made, "
		"%u skips, %u rows swapped, %" PRIu64 " expected cycles, each word once\n",
		c->loops, c->unrolled, c->split, c->balanced, c->kept, c->converted, c->skips, c->swap_rows, c->cycles);
	print_waits(out, k);
	if (is_summary)
		return;
	print_hosts(out, k);
	for (uint32_t n = 0; n < k->word_count; n++) {
		for (; range < k->range_count && k->ranges[range].first <= n; range++)
			fprintf(out, " block %u: words %u to %u, masks to %u\n", k->ranges[range].block,
				k->ranges[range].first, k->ranges[range].edge, k->ranges[range].end);
		print_word(out, k, n);
	}
}

/* ---- between passes ---- */

static bool is_target(const struct ptx_func *f, uint32_t at)
{
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_inst *i = &f->insts[n];

		if (i->op == PTX_OP_BRA && i->src[0].label == at)
			return true;
		for (uint32_t k = 0; i->op == PTX_OP_BRX && k < i->src[1].elem_count; k++)
			if (i->src[1].elems[k].label == at)
				return true;
	}
	return false;
}

/* Does the host compute its result, or does it lie in two's complement? */
static void print_known(FILE *out, const struct dc_kernel *k, const struct ptx_inst *i)
{
	const uint32_t r = i->dst.reg;

	if (i->dst.kind != PTX_OPND_REG)
		return;
	if (k->host_of && k->host_of[r] != UINT32_MAX)
		fprintf(out, "  // the host's");
	if (k->is_kept && k->is_kept[r / 64] >> r % 64 & 1)
		fprintf(out, "  // in two's complement");
}

void dc_print_pass(FILE *out, const struct dc_kernel *k, const char *pass, uint32_t time)
{
	const bool finds = !strcmp(pass, "hosts") || !strcmp(pass, "keep"), has_graph = !strcmp(pass, "graph");

	if (!strcmp(pass, "schedule")) {
		dc_print(out, k, false);
		return;
	}
	fprintf(out, "kernel %s after %s, run %u: %u instructions, %u registers\n", k->name, pass, time,
		k->func->inst_count, k->func->reg_count);
	for (uint32_t n = 0; n < k->func->inst_count; n++) {
		if (has_graph && k->cfg->blocks[k->cfg->block_of[n]].first == n)
			fprintf(out, " block %u\n", k->cfg->block_of[n]);
		if (is_target(k->func, n))
			fprintf(out, " L%u:\n", n);
		fprintf(out, "  %4u  ", n);
		ptx_print_inst(out, k->func, &k->func->insts[n], "L");
		if (finds)
			print_known(out, k, &k->func->insts[n]);
		fputc('\n', out);
	}
}
